//! Tables: how fast they are read, and how soon a comparison on them ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use onlinear::workshop::Random;

use super::Bench;
use super::clock::{self, least, wall_of};
use super::table::{Line, Target};
use crate::command::{cargo, succeed};
use crate::python::Environment;

const SCRIPT: &str = include_str!("tables.py");
/// Rows of the Parquet file, which has [`WIDTH`] columns of numbers.
const PARQUET_ROWS: usize = 200_000;
const WIDTH: usize = 100;
/// Rows of the table that is read.
const MIXED_ROWS: usize = 300_000;

/// Reading mixed tables and Parquet, comparing on tables, `svm` on one-hot rows.
pub fn tables(bench: &Bench) -> Result<Vec<Line>> {
    let mut lines = vec![mixed(bench)?, parquet(bench)?];
    for (rows, most) in [(10_000, 10.0), (100_000, 60.0)] {
        lines.push(compare(bench, rows, most)?);
    }
    lines.push(svm()?);
    Ok(lines)
}

/// CPU seconds of one pass of the Perceptron over a file, nothing chosen or filled in.
fn pass(bench: &Bench, file: &Path) -> Result<f64> {
    let mut learn = Command::new(&bench.program);
    learn.args(["learn", "perceptron"]).arg(file).args(["--label", "label", "--protocol", "paper"]);
    learn.args(["--missing", "zero", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null());
    let [seconds] = least(3, [&mut || Ok(clock::run(&mut learn)?.cpu)])?;
    Ok(seconds)
}

fn mixed(bench: &Bench) -> Result<Line> {
    let file = table(bench, MIXED_ROWS)?;
    let (megabytes, seconds) = (file.metadata()?.len() as f64 / 1e6, pass(bench, &file)?);
    let measured = format!("{megabytes:.0} MB of CSV in {seconds:.3} s of CPU");
    Ok(Line::judged("tables: a mixed table", measured, (megabytes / seconds, "MB/s"), Target::AtLeast(150.0)))
}

fn parquet(bench: &Bench) -> Result<Line> {
    let file = bench.files.path(&format!("dense-{PARQUET_ROWS}.parquet"));
    if !file.exists() {
        let example = ["run", "--release", "--quiet", "-p", "onlinear-parquet", "--example", "dense", "--"];
        succeed(cargo().args(example).arg(&file).args([PARQUET_ROWS, WIDTH].map(|number| number.to_string())))?;
    }
    let seconds = pass(bench, &file)?;
    let measured = format!("{PARQUET_ROWS} rows of {WIDTH} numbers in {seconds:.3} s of CPU");
    let rate = PARQUET_ROWS as f64 / seconds / 1e6;
    Ok(Line::judged("tables: Parquet", measured, (rate, "M rows/s"), Target::AtLeast(1.0)))
}

fn compare(bench: &Bench, rows: usize, most: f64) -> Result<Line> {
    let file = table(bench, rows)?;
    let mut compare = Command::new(&bench.program);
    compare.arg("compare").arg(&file).args(["--label", "label", "--quiet"]);
    compare.stdout(Stdio::null()).stderr(Stdio::null());
    let seconds = wall_of(|| clock::run(&mut compare))?;
    let name = format!("tables: compare on {rows} rows");
    Ok(Line::judged(name, "the default learners, ten repeats, by the wall", (seconds, "s"), Target::AtMost(most)))
}

fn svm() -> Result<Line> {
    let Some(environment) = Environment::make()? else {
        return Ok(Line::note("tables: svm", "no Python 3.10 or newer was found"));
    };
    environment.install_package(&[])?;
    let output = Command::new(environment.program("python")).args(["-c", SCRIPT]).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let times: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [ours, theirs, hinge] = times[..].try_into().ok().context("the script prints three times")?;
    let measured =
        format!("4000 × 710 in {ours:.3} s, LinearSVC {theirs:.3} s, of the hinge itself {hinge:.3} s of CPU");
    Ok(Line::judged("tables: svm on one-hot rows", measured, (ours / theirs, "×"), Target::AtMost(2.0)))
}

/// A table of ten columns of all kinds.
fn table(bench: &Bench, rows: usize) -> Result<PathBuf> {
    bench.files.made(&format!("table-{rows}.csv"), |out| {
        let mut random = Random::new(1);
        writeln!(out, "id,age,income,balance,city,plan,since,active,note,children,label")?;
        for id in 0..rows {
            let (age, income, balance) = (18 + random.index(70), random.uniform() * 9e4, random.gauss() * 500.0);
            let (city, plan) = (random.index(30), ["basic", "plus", "family"][random.index(3)]);
            let (month, day, active) = (1 + random.index(12), 1 + random.index(28), random.chance(0.6));
            let note = ["called twice", "asked for a refund", "", "happy"][random.index(4)];
            let children = random.index(4);
            let score = age as f64 / 20.0 - income / 3e4 + f64::from(u8::from(active)) + random.gauss();
            let label = if score > 1.2 { "yes" } else { "no" };
            writeln!(
                out,
                "c{id:07},{age},{income:.2},{balance:.3},city{city},{plan},2024-{month:02}-{day:02},{active},{note},\
                 {children},{label}"
            )?;
        }
        Ok(())
    })
}
