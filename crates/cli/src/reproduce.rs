//! `onlinear reproduce`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use onlinear::{Error, Watch};
use onlinear_reproduce::{self as reproduce, ExperimentResult, Host, RunOptions};

use crate::machine::{most_of_memory, threads};
use crate::progress::{LoadingWatch, WorkBar};
use crate::{interrupt, output};

/// What stands below the options.
const EXAMPLES: &str = "\
A cell agrees with the paper's when they are no more than three combined standard errors apart,
and half a unit of the last printed digit, for the paper rounds. Columns whose data are missing
are skipped, and the file is named.

Examples:
  onlinear reproduce                       the list of experiments, and which data each needs
  onlinear reproduce projectron-table3     on an artificial set: needs no data
  onlinear reproduce rcd-table2 rcd-table3 --data sets --html rcd.html
  onlinear reproduce projectron-figure1 --only Projectron++ --data sets
  onlinear reproduce all --full --data sets --resume runs --csv figures --json > all.json

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command is wrong, 130 interrupted.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ReproduceArguments {
    /// The experiments to run, or all; without a name they are listed
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The folder with the data sets (NAME.svm or NAME.svm.gz)
    #[arg(long, value_name = "DIR", env = "ONLINEAR_DATA", hide_env_values = true)]
    pub data: Option<PathBuf>,

    /// Repeat every run N times, in place of each experiment's own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub repeats: Option<u64>,

    /// Run as often as the paper did, and try more settings
    #[arg(long)]
    pub full: bool,

    /// Run these rows only (may be given several times)
    #[arg(long, value_name = "ROW")]
    pub only: Vec<String>,

    /// Keep what is finished in this folder, and go on from what it holds
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,

    /// Write a report with all tables and figures to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write every figure as an SVG file to this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,

    /// Write a CSV file for each experiment to this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors (and what --json asks for)
    #[arg(long)]
    pub quiet: bool,
}

impl ReproduceArguments {
    /// Finds out before the work whether data can be read and results written.
    fn check(&self) -> onlinear::Result<()> {
        let refuse = |folder: &PathBuf, message: String| Err(Error::data(&folder.display().to_string(), message));
        if let Some(folder) = self.data.as_ref().filter(|folder| !folder.is_dir()) {
            return refuse(folder, "there is no such folder to read data from".to_string());
        }
        if let Some(path) = &self.html {
            output::require_writable(path, "an HTML file")?;
        }
        for (folder, what) in [(&self.csv, "CSV files"), (&self.svg, "SVG files"), (&self.resume, "finished runs")] {
            if let Some(folder) = folder
                && let Err(reason) = std::fs::create_dir_all(folder)
            {
                return refuse(folder, format!("cannot be a folder for {what}: {reason}"));
            }
        }
        Ok(())
    }

    /// What is said of the runs.
    fn options(&self) -> RunOptions {
        RunOptions {
            data: self.data.clone(),
            repeats: self.repeats,
            full: self.full,
            only: self.only.clone(),
            resume: self.resume.clone(),
            max_memory: most_of_memory(),
            stop: interrupt::stop(),
        }
    }
}

impl Host for ReproduceArguments {
    fn reading(&self) -> Box<dyn Watch> {
        Box::new(LoadingWatch::new(self.quiet))
    }

    fn work(&self, runs: usize) -> Box<dyn Fn() + Sync> {
        let work = WorkBar::new(runs, self.quiet);
        Box::new(move || work.done())
    }
}

/// Lists the experiments, or runs those that are named.
pub fn run(arguments: &ReproduceArguments) -> anyhow::Result<()> {
    if arguments.names.is_empty() {
        let all = reproduce::all()?;
        return match arguments.json {
            true => output::json(&reproduce::studies_as_json(&all)),
            false => output::text(&output::table(&reproduce::studies_as_table(&all))),
        };
    }
    let named = reproduce::named(&arguments.names)?;
    arguments.check()?;
    interrupt::watch().context("cannot watch for Ctrl-C")?;
    let (start, options) = (Instant::now(), arguments.options());
    let mut results = Vec::new();
    for group in reproduce::groups(&named) {
        for result in reproduce::run(&group, &options, arguments)? {
            if !arguments.json && !arguments.quiet {
                output::text(&result.as_text())?;
            }
            if let Some(folder) = &arguments.csv {
                output::files(folder, &result.csv_files())?;
            }
            results.push(result);
        }
    }
    write_page(arguments, &results, start.elapsed().as_secs_f64())?;
    match (arguments.json, results.len() > 1 && !arguments.quiet) {
        (true, _) => output::json(&reproduce::results_as_json(&results)),
        (false, true) => {
            let total = reproduce::total(&results).as_text();
            output::text(&format!("{} experiments: {total}\n", results.len()))
        }
        (false, false) => Ok(()),
    }
}

fn write_page(arguments: &ReproduceArguments, results: &[ExperimentResult], seconds: f64) -> onlinear::Result<()> {
    if arguments.html.is_none() && arguments.svg.is_none() {
        return Ok(());
    }
    let page = reproduce::page(results, format!("{seconds:.1} s on {}", threads()));
    if let Some(path) = &arguments.html {
        output::file(path, &page.html())?;
    }
    arguments.svg.as_ref().map_or(Ok(()), |folder| output::files(folder, &page.svg_files()))
}
