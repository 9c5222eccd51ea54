//! Rows in files and in frames of Spark, learned from and predicted by a small cluster on this machine.

use std::io::{BufWriter, Write};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::data::Packing;
use super::table::{Line, Target};
use crate::python::Environment;

const SCRIPT: &str = include_str!("spark.py");
/// The text is there so many times, which makes more than 1 GB.
const REPEATS: usize = 6;
/// The least thousands of rows a second and core.
const LEAST: [(&str, f64); 3] = [("files", 150.0), ("mapInArrow", 60.0), ("transform", 100.0)];

/// Rows a second and core, and what a round costs by the size and the number of models.
pub fn spark(bench: &Bench) -> Result<Vec<Line>> {
    let Some(environment) = Environment::make()? else {
        return Ok(vec![Line::note("spark", "no Python 3.10 or newer was found")]);
    };
    environment.install_package(&[])?;
    let text = bench.files.large(Packing::Plain)?;
    let many = bench.files.made("rows-many.svm", |out: &mut BufWriter<_>| {
        let content = std::fs::read(&text)?;
        (0..REPEATS).try_for_each(|_| out.write_all(&content))
    })?;
    let output = Command::new(environment.program("python")).args(["-c", SCRIPT]).arg(&many).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(line).collect()
}

/// A line of the script: what was measured, a figure, and words.
fn line(text: &str) -> Result<Line> {
    let [name, figure, words] = text.split('\t').collect::<Vec<_>>()[..] else { anyhow::bail!("'{text}' is no row") };
    let row = format!("spark: {name}");
    Ok(match LEAST.iter().find(|(known, _)| *known == name) {
        Some((_, least)) => {
            let thousands = figure.parse().with_context(|| format!("'{figure}' is no number"))?;
            Line::judged(row, words, (thousands, "k/s"), Target::AtLeast(*least))
        }
        None => Line::note(row, format!("{figure} {words}")),
    })
}
