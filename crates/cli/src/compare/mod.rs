//! `onlinear compare`.

mod arguments;
mod comparison;
mod figures;
mod runs;
mod table;

use std::time::Instant;

use anyhow::Context;

use onlinear::workshop::{generators, hold_out, permutation, rows_held_out};
use onlinear::{Error, Input, Recipe, RowsInMemory, Spec, Split};

use crate::progress::LoadingWatch;
use crate::rows::{built_in_set, data_name};
use crate::{interrupt, output};

pub use arguments::CompareArguments;
use comparison::Comparison;
use runs::ComparisonPlan;

/// One learner of each family, for a first look.
const FAMILIES: [&str; 12] = [
    "perceptron",
    "averaged",
    "passive-aggressive",
    "alma",
    "winnow",
    "second-order",
    "higher-order",
    "projectron:kernel=polynomial",
    "forgetron:budget=200",
    "rcd-bias:epochs=100",
    "svm",
    "adaboost:rounds=10,base.epochs=20",
];

/// A learner as it was typed, and with its stages.
pub struct Entrant {
    pub typed: String,
    pub fresh: Recipe,
}

pub fn run(arguments: &CompareArguments) -> anyhow::Result<()> {
    interrupt::watch().context("cannot watch for Ctrl-C")?;
    let start = Instant::now();
    let entrants = entrants(arguments)?;
    arguments.require_writable()?;
    let input = match &arguments.data {
        Some(data) => Input::named(data),
        None => built_in_set()?.0,
    };
    let held = load(arguments, &input)?;
    let test = load_test(arguments, &held)?;
    let splits = splits(arguments, &held)?;
    let plan = ComparisonPlan { arguments, entrants: &entrants, held: &held, test: test.as_ref(), splits: &splits };
    let runs = plan.run()?;
    let data = data_name(&input, arguments.data.is_none());
    let comparison = Comparison::new(&plan, data, runs, start.elapsed().as_secs_f64());
    write_files(arguments, &comparison)?;
    match (arguments.json, arguments.quiet) {
        (true, _) => output::json(&comparison.as_json()),
        (false, false) => output::text(&comparison.as_text()),
        (false, true) => Ok(()),
    }
}

/// The learners to compare; a wrong one is refused before any work.
fn entrants(arguments: &CompareArguments) -> onlinear::Result<Vec<Entrant>> {
    let typed: Vec<String> = match arguments.learner.is_empty() {
        true => FAMILIES.iter().map(|name| name.to_string()).collect(),
        false => arguments.learner.clone(),
    };
    let entrant = |typed: String| {
        let fresh = arguments.rows.fresh(typed.parse::<Spec>()?, None)?;
        Ok(Entrant { typed, fresh })
    };
    typed.into_iter().map(entrant).collect()
}

fn load(arguments: &CompareArguments, input: &Input) -> onlinear::Result<RowsInMemory> {
    let rows = &arguments.rows;
    RowsInMemory::load(
        input,
        &rows.read_options()?,
        &rows.label_choice(),
        &rows.keep(false),
        &mut LoadingWatch::new(arguments.quiet),
    )
}

/// The rows of the test file, whose labels must be those of the training file.
fn load_test(arguments: &CompareArguments, held: &RowsInMemory) -> onlinear::Result<Option<RowsInMemory>> {
    let Some(file) = &arguments.test else { return Ok(None) };
    let rows = &arguments.rows;
    let (mut read, mut keep) = (rows.read_options()?, rows.keep(false));
    (read.vocabulary, read.schema) = (Some(held.about().vocabulary.clone().frozen()), held.about().csv.clone());
    keep.limit = None;
    let test = RowsInMemory::load(
        &Input::named(file),
        &read,
        &rows.label_choice(),
        &keep,
        &mut LoadingWatch::new(arguments.quiet),
    )?;
    let unknown = test.about().labels.texts().find(|text| held.classes().class_of(text).is_none());
    match unknown {
        Some(label) => {
            let message = format!(
                "label '{label}' is none of those of the training rows ({})",
                held.classes().names().join(", ")
            );
            Err(Error::data(file, message))
        }
        None if test.is_empty() => Err(Error::data(file, "has no rows to test on")),
        None => Ok(Some(test)),
    }
}

/// The rows of each repeat.
fn splits(arguments: &CompareArguments, held: &RowsInMemory) -> onlinear::Result<Vec<Split>> {
    let classes: Vec<usize> = (0..held.len()).map(|row| held.class(row)).collect();
    let refuse = |message: String| Err(Error::data(&held.about().file, message));
    if held.is_empty() {
        return refuse("has no rows".to_string());
    }
    if classes.iter().all(|class| *class == classes[0]) {
        return refuse("every row is of the same class; there is nothing to tell apart".to_string());
    }
    if arguments.test.is_none() {
        let held_out = rows_held_out(&classes, arguments.holdout);
        let counts = (0..held_out.len()).map(|class| classes.iter().filter(|other| **other == class).count());
        for (class, (count, out)) in counts.zip(&held_out).enumerate() {
            if count > 0 && count == *out {
                let (name, share) = (held.classes().name(class), arguments.holdout);
                return refuse(format!(
                    "all {count} rows of class '{name}' would be held out with --holdout {share}; lower it"
                ));
            }
        }
        if held_out.iter().sum::<usize>() == 0 {
            return refuse(format!("--holdout {} leaves no row of {} to test on", arguments.holdout, held.len()));
        }
    }
    let split = |mut random| {
        let order = permutation(held.len(), &mut random);
        match arguments.test {
            Some(_) => Split { train: order, test: Vec::new() },
            None => hold_out(&classes, &order, arguments.holdout),
        }
    };
    Ok(generators(arguments.seed, arguments.repeats as usize).into_iter().map(split).collect())
}

fn write_files(arguments: &CompareArguments, comparison: &Comparison) -> onlinear::Result<()> {
    if let Some(path) = &arguments.csv {
        output::file(path, &comparison.as_csv())?;
    }
    if arguments.wants_figures() {
        let report = comparison.report();
        if let Some(path) = &arguments.html {
            output::file(path, &report.html())?;
        }
        if let Some(folder) = &arguments.svg {
            output::files(folder, &report.svg_files())?;
        }
    }
    Ok(())
}
