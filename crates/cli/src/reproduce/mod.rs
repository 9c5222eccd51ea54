//! `onlinear reproduce`.

mod agreement;
mod arguments;
mod claim;
mod curves;
mod expected;
mod experiment;
mod finished;
mod library;
mod list;
mod measure;
mod outcome;
mod page;
mod plan;
mod ran;
mod runs;
mod sets;
mod show;
mod track;

#[cfg(test)]
mod tests;

use std::time::Instant;

use anyhow::Context;
use serde_json::json;

use crate::{interrupt, output};

pub use arguments::ReproduceArguments;
use library::Ready;
use outcome::{Outcome, Skipped};
use ran::Ran;
use sets::Shelf;

/// Lists the experiments, or runs those that are named.
pub fn run(arguments: &ReproduceArguments) -> anyhow::Result<()> {
    if arguments.names.is_empty() {
        let all = library::all()?;
        return if arguments.json { output::json(&list::as_json(&all)) } else { output::text(&list::as_text(&all)) };
    }
    let named = library::named(&arguments.names)?;
    arguments.check()?;
    interrupt::watch().context("cannot watch for Ctrl-C")?;
    let start = Instant::now();
    let mut outcomes = Vec::new();
    for group in groups(&named) {
        for outcome in run_group(&group, arguments)? {
            if !arguments.json && !arguments.quiet {
                output::text(&outcome.as_text())?;
            }
            if let Some(folder) = &arguments.csv {
                for (name, text) in outcome.csv_files() {
                    output::file(&folder.join(name), &text)?;
                }
            }
            outcomes.push(outcome);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if arguments.html.is_some() || arguments.svg.is_some() {
        let report = page::report(&outcomes, seconds);
        if let Some(path) = &arguments.html {
            output::file(path, &report.html())?;
        }
        if let Some(folder) = &arguments.svg {
            for (name, text) in report.svg_files() {
                output::file(&folder.join(name), &text)?;
            }
        }
    }
    let total = show::total(&outcomes);
    if arguments.json {
        let tables: Vec<_> = outcomes.iter().map(Outcome::as_json).collect();
        return output::json(
            &json!({"version": env!("CARGO_PKG_VERSION"), "tables": tables, "summary": total.as_json()}),
        );
    }
    match outcomes.len() > 1 && !arguments.quiet {
        true => output::text(&format!("{} experiments: {}\n", outcomes.len(), total.as_text())),
        false => Ok(()),
    }
}

/// Experiments that share runs together, in the order of the first of each.
fn groups(named: &[Ready]) -> Vec<Vec<&Ready>> {
    let mut groups: Vec<Vec<&Ready>> = Vec::new();
    for ready in named {
        match groups.iter_mut().find(|group| group[0].root() == ready.root()) {
            Some(group) => group.push(ready),
            None => groups.push(vec![ready]),
        }
    }
    groups
}

/// Loads the sets of experiments that share runs, and runs them.
fn run_group<'a>(group: &[&'a Ready], arguments: &ReproduceArguments) -> anyhow::Result<Vec<Outcome<'a>>> {
    let mut shelf = Shelf::new(arguments.data.as_deref(), arguments.quiet);
    for ready in group {
        for data in &ready.experiment.data {
            shelf.fetch(data, ready.experiment.kind)?;
        }
    }
    let rows = plan::run(group, arguments, &shelf)?;
    let outcome = |(ready, rows): (&&'a Ready, &Vec<Ran<'a>>)| {
        let skipped = Skipped::of(ready, &shelf);
        Ok(Outcome { scatters: curves::scatters(ready, &shelf), ..Outcome::new(ready, rows, skipped)? })
    };
    group.iter().zip(&rows).map(outcome).collect()
}
