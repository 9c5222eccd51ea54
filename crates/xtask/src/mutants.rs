//! `cargo xtask mutants`: a sample of the library's code changed in one place each, and which of these changes no test
//! of the library notices. Outside the gate: every mutant costs a build and a run of the tests.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use onlinear::workshop::Random;

use crate::command::{cargo, works};

/// Where the numbers are made.
const ROOMS: [&str; 4] = ["space", "online", "budget", "batch"];

/// `--sample N` mutants drawn with `--seed N`.
pub fn run(arguments: &[&str]) -> Result<()> {
    let (mut sample, mut seed) = (300, 1);
    for pair in arguments.chunks(2) {
        match pair {
            ["--sample", number] => sample = number.parse().with_context(|| format!("--sample {number}"))?,
            ["--seed", number] => seed = number.parse().with_context(|| format!("--seed {number}"))?,
            _ => bail!("expected --sample N or --seed N, found '{}'", pair.join(" ")),
        }
    }
    ensure!(
        works(cargo().args(["mutants", "--version"])),
        "cargo-mutants is not installed: cargo install cargo-mutants --locked (that needs the network)"
    );
    let all = list()?;
    let drawn = draw(&all, sample, seed);
    println!("{} of {} mutants, seed {seed}", drawn.len(), all.len());
    let folder = crate::target()?.join("mutants");
    let results = folder.join("mutants.out");
    pass_over(all.iter().filter(|name| !drawn.contains(name)), &results)?;
    let mut command = cargo();
    command.arg("mutants").args(files()).arg("--iterate").arg("--output").arg(&folder);
    // It fails where a mutant survives: what came of each is in its files.
    command.args(["--", "--lib", "--test", "suite"]).status().context("cannot run cargo mutants")?;
    report(&results)
}

/// Prints what survived, and the share that was killed.
fn report(results: &Path) -> Result<()> {
    let outcome = |name: &str| -> Result<Vec<String>> {
        let path = results.join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(text.lines().map(str::to_string).collect())
    };
    let [caught, slow, missed, unviable] =
        [outcome("caught.txt")?, outcome("timeout.txt")?, outcome("missed.txt")?, outcome("unviable.txt")?];
    let (killed, lived) = (caught.len() + slow.len(), missed.len());
    ensure!(killed + lived + unviable.len() > 0, "no mutant was tried; what went wrong is in {}", results.display());
    missed.iter().for_each(|name| println!("survived: {name}"));
    let share = 100.0 * killed as f64 / (killed + lived).max(1) as f64;
    println!("{killed} of {} killed, {share:.1} %; {} do not compile", killed + lived, unviable.len());
    Ok(())
}

/// What may be changed.
fn files() -> Vec<String> {
    let file = |room: &&str| ["--file".to_string(), format!("crates/onlinear/src/{room}/**")];
    ["--package".to_string(), "onlinear".to_string()].into_iter().chain(ROOMS.iter().flat_map(file)).collect()
}

/// The name of every mutant.
fn list() -> Result<Vec<String>> {
    let output = cargo().args(["mutants", "--list"]).args(files()).output().context("cannot run cargo mutants")?;
    ensure!(output.status.success(), "cargo mutants --list: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_string).collect())
}

/// So many of them, or all, in their order.
fn draw(all: &[String], sample: usize, seed: u64) -> Vec<&String> {
    let mut places: Vec<usize> = (0..all.len()).collect();
    Random::new(seed).shuffle(&mut places);
    places.truncate(sample);
    places.sort_unstable();
    places.into_iter().map(|place| &all[place]).collect()
}

/// Leaves these for caught by an earlier run, which `--iterate` does not try again. `--re` would be the way to name the
/// others, but mutants that delete a field do not heed it (cargo-mutants 27).
fn pass_over<'a>(names: impl Iterator<Item = &'a String>, results: &Path) -> Result<()> {
    if results.exists() {
        fs::remove_dir_all(results)?;
    }
    fs::create_dir_all(results)?;
    let lines: String = names.flat_map(|name| [name, "\n"]).collect();
    Ok(fs::write(results.join("caught.txt"), lines)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_follows_from_its_seed() {
        let all: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        assert_eq!(draw(&all, 7, 1), draw(&all, 7, 1));
        assert_ne!(draw(&all, 7, 1), draw(&all, 7, 2));
        assert_eq!(draw(&all, 80, 1).len(), 50);
    }
}
