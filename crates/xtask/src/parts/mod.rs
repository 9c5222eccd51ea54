//! `cargo xtask parts`: test error against parts and rounds, as the pictures of docs/distributed.md.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use onlinear_charts::{Axis, Chart, Figure, LineChart, Point, Series};

use crate::bench::zipf_text;
use crate::python::Environment;

const SCRIPT: &str = include_str!("parts.py");
/// The sets, and what they are called in titles.
const SETS: [(&str, &str); 2] = [("rcv1", "RCV1, CCAT, 20 000 rows"), ("text", "Zipf text, 160 000 rows")];
/// The rounds after which errors are shown.
const ROUNDS: [u64; 2] = [1, 10];

/// An error after some rounds.
struct PartsError {
    set: String,
    learner: String,
    parts: f64,
    round: u64,
    error: f64,
}

impl PartsError {
    fn read(line: &str) -> Result<PartsError> {
        let [set, learner, parts, round, error] = line.split('\t').collect::<Vec<_>>()[..] else {
            anyhow::bail!("'{line}' is no row")
        };
        let (set, learner) = (set.to_string(), learner.to_string());
        Ok(PartsError { set, learner, parts: parts.parse()?, round: round.parse()?, error: error.parse()? })
    }
}

/// Runs them and draws them; `from` is a file with the lines of an earlier run.
pub fn run(from: Option<&str>) -> Result<()> {
    let text = match from {
        Some(file) => fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?,
        None => measured()?,
    };
    let rows = text.lines().map(PartsError::read).collect::<Result<Vec<_>>>()?;
    for (set, title) in SETS {
        let path = format!("docs/distributed-{set}.svg");
        fs::write(&path, figure(set, title, &rows).svg())?;
        println!("{path}");
    }
    Ok(())
}

/// The lines that the script prints, which are kept in `target/bench/parts.tsv` as well.
fn measured() -> Result<String> {
    let data = std::env::var("ONLINEAR_DATA").context("ONLINEAR_DATA must name the folder of the data")?;
    let text = std::path::absolute(zipf_text()?)?;
    let environment = Environment::make()?.context("no Python 3.10 or newer was found")?;
    environment.install_package(&[])?;
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(environment.program("python"));
    let output = command.args(["-c", SCRIPT, &data]).arg(&text).current_dir(folder.path()).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout)?;
    fs::write(text.with_file_name("parts.tsv"), &lines)?;
    Ok(lines)
}

fn figure(set: &str, title: &str, rows: &[PartsError]) -> Figure {
    let mut learners: Vec<&str> = rows.iter().map(|row| row.learner.as_str()).collect();
    learners.sort_unstable();
    learners.dedup();
    let mut series = Vec::new();
    for learner in learners {
        for round in ROUNDS {
            let own = rows.iter().filter(|row| row.set == set && row.learner == learner && row.round == round);
            let point = |row: &PartsError| Point { x: row.parts, y: 100.0 * row.error, low: None, high: None };
            let name = format!("{learner}, {round} {}", if round == 1 { "round" } else { "rounds" });
            series.push(Series { name, style: None, points: own.map(point).collect() });
        }
    }
    let x = Axis { log: true, ..Axis::new("parts", None) };
    let y = Axis::new("test error", Some("%"));
    let caption = "The error on other rows, by the number of parts that learn apart in each round.";
    Figure::new(set, title, caption, Chart::Lines(LineChart { x, y, series, references: Vec::new() }))
}
