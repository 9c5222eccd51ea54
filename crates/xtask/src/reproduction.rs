//! The papers' experiments, run by the program and kept in `docs/`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value as Json, json};

/// Where results and pictures are kept.
const FOLDER: &str = "docs/reproduction";
/// The results of the last run.
const RESULTS: &str = "docs/reproduction/results.json";

/// Runs all experiments and writes what came out; `options` go to the program.
pub fn run(options: &[&str]) -> Result<()> {
    let built = Command::new("cargo").args(["build", "--release", "--package", "onlinear-cli"]).status()?;
    ensure!(built.success(), "the program could not be built");
    fs::create_dir_all(FOLDER)?;
    for old in pictures()? {
        fs::remove_file(Path::new(FOLDER).join(old))?;
    }
    let start = Instant::now();
    let output = Command::new("target/release/onlinear")
        .args(["reproduce", "all", "--json", "--svg", FOLDER])
        .args(options)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the experiments failed");
    // Where the data are is nobody's business.
    let folder = std::env::var("ONLINEAR_DATA").unwrap_or_default();
    let text = String::from_utf8(output.stdout)?;
    let text = if folder.is_empty() { text } else { text.replace(&folder, "the data folder") };
    let mut results: Json = serde_json::from_str(&text)?;
    let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    let machine = format!("{os} {architecture}, {} cores", std::thread::available_parallelism()?);
    let kept = |option: &&&str| option.starts_with("--full") || option.starts_with("--repeats");
    results["about"] = json!({
        "commit": git(&["log", "-1", "--format=%h"])?,
        "date": git(&["log", "-1", "--format=%cs"])?,
        "machine": machine,
        // What was finished before took no time now.
        "minutes": (!options.contains(&"--resume")).then(|| (start.elapsed().as_secs_f64() / 6.0).round() / 10.0),
        "options": options.iter().filter(kept).collect::<Vec<_>>(),
    });
    // A line for each cell, curve and claim, so that changes can be read.
    fs::write(RESULTS, results.to_string().replace("},{\"", "},\n{\"") + "\n")?;
    fs::write("docs/reproduction.md", page()?)?;
    println!("wrote {RESULTS} and docs/reproduction.md");
    Ok(())
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).output()?;
    ensure!(output.status.success(), "git {} failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?.trim().to_string())
}

/// The page of the last run.
pub fn page() -> Result<String> {
    let results: Json = serde_json::from_str(&fs::read_to_string(RESULTS).context(RESULTS)?)?;
    let about = &results["about"];
    let text = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_string);
    let minutes = about["minutes"].as_f64().map_or(String::new(), |minutes| format!("; {minutes} minutes"));
    let [version, commit, date, machine] =
        [&results["version"], &about["commit"], &about["date"], &about["machine"]].map(text);
    let studies = onlinear_reproduce::all()?;
    let experiments = onlinear_reproduce::results_from_json(&studies, &results)?;
    Ok(format!(
        "<!-- Made by `cargo xtask reproduce`; do not edit. -->\n\n# The papers' tables and figures, ours beside \
         theirs\n\nEvery table and figure of the five papers, run by `onlinear reproduce all` (version {version}, \
         commit {commit}, {date}; {machine}{minutes}; repeat r has seed r). A cell agrees when it is no further from \
         the printed figure than three combined standard errors and half a unit of the last printed digit; \
         [the experiments' README](../crates/reproduce/experiments/README.md) has the rule in full, and the notes of \
         each \
         paper say what differs and why. Verdicts are computed, and a test computes them again from the values of \
         each repeat in \
         [results.json](reproduction/results.json).\n\n{}",
        onlinear_reproduce::markdown(&experiments, &pictures()?)
    ))
}

/// The names of the pictures, in order.
fn pictures() -> Result<Vec<String>> {
    let files = fs::read_dir(FOLDER)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut pictures: Vec<String> = files.filter(|file| file.ends_with(".svg")).collect();
    pictures.sort();
    Ok(pictures)
}
