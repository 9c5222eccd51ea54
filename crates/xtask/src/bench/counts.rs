//! How many instructions some runs take: what no other load on the machine can change.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::clock::instructions;

/// What is counted: a name and the arguments of the program, all on built-in or generated rows.
const RUNS: [(&str, &[&str]); 6] = [
    ("learn perceptron", &["learn", "perceptron", "ROWS"]),
    ("learn arow", &["learn", "arow", "ROWS"]),
    ("learn kernel", &["learn", "perceptron:kernel=gaussian,gamma=0.01", "ROWS"]),
    ("learn second-order", &["learn", "second-order", "ROWS"]),
    ("learn rcd", &["learn", "rcd:epochs=20", "ROWS"]),
    ("learn svm", &["learn", "svm", "ROWS"]),
];
/// A count that has grown by more than this share is told.
const GROWTH: f64 = 0.05;
/// Where counts are kept.
const KEPT: &str = "crates/xtask/src/bench/counts.json";

/// Counts the instructions of each run of `program`, and tells those that have grown since they were kept; `keep` keeps
/// the new ones. Says so where they cannot be counted.
pub fn compare(program: &Path, keep: bool) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let rows = folder.path().join("rows.svm");
    let generated = Command::new(program).args(["generate", "artificial", "--rows", "2000"]).output()?;
    fs::write(&rows, generated.stdout)?;
    let kept: Map<String, Value> = serde_json::from_str(&fs::read_to_string(KEPT).unwrap_or("{}".to_string()))?;
    let mut now = Map::new();
    for (name, arguments) in RUNS {
        let mut command = Command::new(program);
        for argument in arguments {
            match *argument {
                "ROWS" => command.arg(&rows),
                argument => command.arg(argument),
            };
        }
        // One thread, so that the same work is counted everywhere.
        let Some(count) = instructions(command.arg("--quiet").env("ONLINEAR_THREADS", "1"))? else {
            println!("skipped: valgrind, which counts instructions, is not installed");
            return Ok(());
        };
        let millions = count / 1e6;
        match kept.get(name).and_then(Value::as_f64) {
            Some(before) if millions > before * (1.0 + GROWTH) => {
                let growth = 100.0 * (millions / before - 1.0);
                println!("{name}: {millions:.1} million instructions, {growth:.0} % more than the {before:.1} kept");
            }
            before => println!("{name}: {millions:.1} million instructions{}", before.map_or(" (none kept)", |_| "")),
        }
        now.insert(name.to_string(), Value::from((millions * 10.0).round() / 10.0));
    }
    if keep {
        fs::write(KEPT, serde_json::to_string_pretty(&now)? + "\n").context(KEPT)?;
    }
    Ok(())
}
