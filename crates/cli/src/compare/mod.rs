//! `onlinear compare`.

mod arguments;
mod comparison;
mod figures;
mod runs;
mod table;
mod verdict;

use std::sync::Mutex;
use std::time::Instant;

use onlinear::workshop::Practice;
use onlinear::{Error, Input, Recipe, RowsInMemory};

use crate::rows::{data_name, named_or_built_in};
use crate::wording::Flags;
use crate::{interrupt, output};

pub use arguments::CompareArguments;
use comparison::Comparison;
use runs::ComparisonPlan;

/// One learner of each family, for a first look.
const FAMILIES: [&str; 12] = [
    "perceptron",
    "averaged",
    "passive-aggressive:output=averaged",
    "arow",
    "scw",
    "winnow",
    "second-order",
    "higher-order",
    "rcd-bias:epochs=100",
    "svm",
    "adaboost:rounds=10,base.epochs=20",
    "nystrom:landmarks=500,kernel=gaussian,sigma2=auto/arow:regularization=0.1",
];

/// A learner as it was typed, and with its stages.
pub struct Entrant {
    pub typed: String,
    pub fresh: Recipe,
    /// What was chosen for it, as flags.
    pub chosen: Vec<(&'static str, String)>,
    /// How often it passes over the rows, once that is known.
    pub passes: Mutex<Option<u64>>,
}

pub fn run(arguments: &CompareArguments) -> anyhow::Result<()> {
    interrupt::watch()?;
    let start = Instant::now();
    entrants(arguments, Practice::default())?; // a wrong one is refused before any work
    let input = named_or_built_in(&arguments.data)?;
    arguments.require_writable(&input)?;
    let held = arguments.rows.load(&input, None, arguments.print.quiet)?;
    if !arguments.print.quiet {
        held.about().doubts().iter().for_each(|doubt| {
            output::say(format_args!("warning: {}: {}", held.about().file, doubt.worded(&Flags)));
        });
    }
    let entrants = entrants(arguments, arguments.rows.practice(&held))?;
    let test = load_test(arguments, &held)?;
    let share = arguments.test.is_none().then_some(arguments.holdout);
    let splits = held.splits(share, arguments.seed, arguments.repeats(held.len()) as usize)?;
    let plan = ComparisonPlan { arguments, entrants: &entrants, held: &held, test: test.as_ref(), splits: &splits };
    let runs = plan.run();
    let comparison = Comparison::new(&plan, data_name(&input), runs, start.elapsed().as_secs_f64())?;
    if !arguments.print.quiet {
        comparison.warnings().iter().for_each(|warning| output::say(format_args!("warning: {warning}")));
    }
    if let Some(path) = &arguments.csv {
        output::file(path, comparison.as_csv())?;
    }
    output::page(&arguments.html, &arguments.svg, || comparison.report())?;
    arguments.print.result(|| comparison.as_json(), || comparison.as_text())?;
    Ok(interrupt::check()?)
}

/// The learners to compare.
fn typed(arguments: &CompareArguments) -> Vec<String> {
    match arguments.learner.is_empty() {
        true => FAMILIES.iter().map(|name| name.to_string()).collect(),
        false => arguments.learner.clone(),
    }
}

/// The learners to compare, with what suits the rows.
fn entrants(arguments: &CompareArguments, practice: Practice) -> onlinear::Result<Vec<Entrant>> {
    let is_settled = arguments.passes.is_some() || arguments.rows.is_paper();
    let entrant = |typed: String| {
        let fresh = arguments.rows.fresh(&typed, None, practice)?;
        let is_settled = is_settled || fresh.spec.is_batch();
        let chosen = arguments.rows.chosen(&typed, practice)?;
        let passes = Mutex::new(is_settled.then(|| arguments.passes.unwrap_or(1)));
        let fresh = Recipe { shuffle: (!is_settled).then_some(arguments.seed), ..fresh };
        Ok(Entrant { typed, fresh, chosen, passes })
    };
    typed(arguments).into_iter().map(entrant).collect()
}

/// The rows of the test file, whose labels must be those of the training file.
fn load_test(arguments: &CompareArguments, held: &RowsInMemory) -> onlinear::Result<Option<RowsInMemory>> {
    let Some(file) = &arguments.test else { return Ok(None) };
    let test = arguments.rows.load(&Input::named(file), Some(held.about()), arguments.print.quiet)?;
    let unknown = test.about().labels.texts().find(|text| held.classes().class_of(text).is_none());
    match unknown {
        Some(label) => {
            let known = held.classes().names().join(", ");
            Err(Error::data(file, format!("label '{label}' is none of those of the training rows ({known})")))
        }
        None if test.is_empty() => Err(Error::data(file, "has no rows to test on")),
        None => Ok(Some(test)),
    }
}
