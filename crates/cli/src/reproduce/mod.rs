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
use outcome::Outcome;
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
    if let Some(path) = &arguments.html {
        output::file(path, &page::report(&outcomes, start.elapsed().as_secs_f64()).html())?;
    }
    let total = show::total(&outcomes);
    if arguments.json {
        let tables: Vec<_> = outcomes.iter().map(Outcome::as_json).collect();
        return output::json(&json!({"version": env!("CARGO_PKG_VERSION"), "tables": tables, "summary": total.as_json()}));
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
    group.iter().zip(&rows).map(|(ready, rows)| Outcome::new(ready, rows, &shelf)).collect()
}
