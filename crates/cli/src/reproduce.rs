//! `onlinear reproduce`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use onlinear::workshop::most_of_memory;
use onlinear::{Error, Watch};
use onlinear_reproduce::{self as reproduce, ExperimentResult, Host, RunOptions};

use crate::machine::threads;
use crate::output::PrintArguments;
use crate::places::Places;
use crate::progress::{Bar, LoadingWatch};
use crate::values::EXPERIMENT;
use crate::{interrupt, output};

/// What stands below the options.
const EXAMPLES: &str = "\
A cell agrees with the paper's when they are no more than three combined standard errors apart, and half a unit of the \
last printed digit, for the paper rounds. Columns whose data are missing are skipped, and the file is named.

Examples:
  onlinear reproduce                       the list, and which data each needs
  onlinear reproduce projectron-table3     an artificial set: needs no data
  onlinear reproduce rcd --data sets --html rcd.html     all of a paper
  onlinear reproduce projectron-figure1 --only Projectron++ --data sets
  onlinear reproduce all --full --data sets --resume runs --json > all.json

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command is wrong, 130 interrupted.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ReproduceArguments {
    /// The experiments to run; the name of a paper means all of its, and all those of every paper; without a name they
    /// are listed
    #[arg(value_name = "NAME", value_parser = EXPERIMENT, hide_possible_values = true)]
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

    #[command(flatten)]
    pub print: PrintArguments,
}

impl ReproduceArguments {
    /// Finds out before the work whether data can be read and results written.
    fn check(&self) -> onlinear::Result<()> {
        if let Some(folder) = self.data.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(Error::data(&folder.display().to_string(), "there is no such folder to read data from"));
        }
        let mut places = Places::default();
        let sets = self.data.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let is_set = |name: &str| name.contains(".svm") || name.contains("-idx");
        sets.filter(|set| set.file_name().to_str().is_some_and(is_set))
            .for_each(|set| places.reads_file("a file of --data", &Some(set.path())));
        places.reads_file("--resume", &self.resume.as_ref().map(|folder| folder.join("runs.jsonl")));
        places.writes("--html", &self.html, "an HTML file")?;
        places.fills("--csv", &self.csv, "csv")?;
        places.fills("--svg", &self.svg, "svg")?;
        places.require_writable()?;
        output::require_folder(&self.csv, "CSV files")?;
        output::require_folder(&self.svg, "SVG files")?;
        output::require_folder(&self.resume, "finished runs")
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

impl ReproduceArguments {
    /// Prints an experiment's result, where results are printed one by one.
    fn tell(&self, result: &ExperimentResult) -> anyhow::Result<()> {
        if self.print.json || self.print.quiet { Ok(()) } else { output::text(&result.as_text()) }
    }
}

impl Host for ReproduceArguments {
    fn reading(&self) -> Box<dyn Watch> {
        Box::new(LoadingWatch::new(self.print.quiet))
    }

    fn work(&self, runs: usize) -> Box<dyn Fn() + Sync> {
        let work = Bar::over_work(runs, self.print.quiet);
        Box::new(move || work.done())
    }
}

/// Lists the experiments, or runs those that are named.
pub fn run(arguments: &ReproduceArguments) -> anyhow::Result<()> {
    if arguments.names.is_empty() {
        let all = reproduce::all()?;
        return match arguments.print.json {
            true => output::json(&reproduce::studies_as_json(&all)),
            false => output::text(&output::table(&reproduce::studies_as_table(&all), 0)),
        };
    }
    let named = reproduce::named(&arguments.names)?;
    arguments.check()?;
    interrupt::watch()?;
    let (start, options) = (Instant::now(), arguments.options());
    let mut results = Vec::new();
    for group in reproduce::groups(&named) {
        for result in reproduce::run(&group, &options, arguments)? {
            // Whether one without data is a part of what came out, or all of it, is known in the end.
            if result.found_no_data().is_none() {
                arguments.tell(&result)?;
            }
            if let Some(folder) = &arguments.csv {
                output::files(folder, &result.csv_files())?;
            }
            results.push(result);
        }
    }
    let lacking: Vec<&ExperimentResult> = results.iter().filter(|result| result.found_no_data().is_some()).collect();
    if let Some(first) = lacking.first().filter(|_| lacking.len() == results.len()) {
        let (name, reason) = (first.name(), first.found_no_data().unwrap_or_default());
        anyhow::bail!("no data: {name}: {reason} (docs/data-sets.md tells where they come from)");
    }
    lacking.into_iter().try_for_each(|result| arguments.tell(result))?;
    output::page(&arguments.html, &arguments.svg, || {
        reproduce::page(&results, format!("{:.1} s on {}", start.elapsed().as_secs_f64(), threads()))
    })?;
    let total = || match results.len() {
        0 | 1 => String::new(),
        many => format!("{many} experiments: {}\n", reproduce::total(&results).as_text()),
    };
    arguments.print.result(|| reproduce::results_as_json(&results), total)
}
