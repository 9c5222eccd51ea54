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
use onlinear::{Error, Input, Message, Recipe, RowsInMemory};

use crate::rows::{calibration_for, data_name, named_or_built_in};
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

/// Those of them that begin at Fisher's discriminant, and as they begin at 0.
const FROM_ZERO: [(&str, &str); 2] = [
    ("rcd-bias:epochs=100", "rcd-bias:epochs=100,start=zero"),
    ("adaboost:rounds=10,base.epochs=20", "adaboost:rounds=10,base.epochs=20,base.start=zero"),
];
/// The most products that one discriminant may take: with more they would be most of the work.
const MOST_PRODUCTS: f64 = 1e9;

/// Those of them that keep a matrix over the features, which every mistake changes.
const WITH_MATRICES: [&str; 2] = ["second-order", "higher-order"];
/// The most products that changing it may take, were every row a mistake: with more they would be most of the work.
const MOST_MATRIX_PRODUCTS: f64 = 5e9;

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
    entrants(arguments, typed(arguments, None), Practice::default())?; // a wrong one is refused before any work
    let input = named_or_built_in(&arguments.data)?;
    arguments.require_writable(&input)?;
    let held = arguments.rows.load(&input, None, arguments.print.quiet)?;
    if !arguments.print.quiet {
        output::doubts(&held);
    }
    let entrants = entrants(arguments, typed(arguments, Some(&held)), arguments.rows.practice(&held))?;
    let test = load_test(arguments, &held)?;
    let share = arguments.test.is_none().then_some(arguments.holdout);
    let splits = held.splits(share, arguments.seed, arguments.repeats(held.len()) as usize)?;
    let plan = ComparisonPlan { arguments, entrants: &entrants, held: &held, test: test.as_ref(), splits: &splits };
    let _awaited = interrupt::awaited(true);
    let runs = plan.run();
    let comparison = Comparison::new(&plan, data_name(&input), runs, start.elapsed().as_secs_f64())?;
    if !arguments.print.quiet {
        comparison.warnings().iter().for_each(output::warn);
    }
    if let Some(path) = &arguments.csv {
        output::file(path, comparison.as_csv())?;
    }
    output::page(&arguments.html, &arguments.svg, || comparison.report())?;
    arguments.print.result(|| comparison.as_json(), || comparison.as_text())?;
    Ok(interrupt::check()?)
}

/// The learners to compare: those asked for, or one of each family as it suits so many rows and features.
fn typed(arguments: &CompareArguments, held: Option<&RowsInMemory>) -> Vec<String> {
    if !arguments.learner.is_empty() {
        return arguments.learner.clone();
    }
    let is_wide = held.is_some_and(|held| products(held) > MOST_PRODUCTS);
    let from_zero = |name: &str| FROM_ZERO.iter().find(|(usual, _)| is_wide && *usual == name).map(|(_, other)| *other);
    let left_out = held.map_or(&[][..], |held| left_out(arguments, held));
    let families = FAMILIES.iter().filter(|name| !left_out.contains(name));
    families.map(|name| from_zero(name).unwrap_or(name).to_string()).collect()
}

/// The learners of the families that are not compared unless they are asked for: so many features make them slow.
fn left_out(arguments: &CompareArguments, held: &RowsInMemory) -> &'static [&'static str] {
    match arguments.learner.is_empty() && products(held) > MOST_MATRIX_PRODUCTS {
        true => &WITH_MATRICES,
        false => &[],
    }
}

/// What Fisher's discriminants of all classes take: the spread of the rows, and its factor.
fn products(held: &RowsInMemory) -> f64 {
    let (rows, features, classes) = (held.len() as f64, held.features() as f64, held.classes().len());
    let discriminants = if classes > 2 { classes as f64 } else { 1.0 };
    discriminants * features * features * (rows + features / 3.0)
}

/// The learners to compare, with what suits the rows.
fn entrants(arguments: &CompareArguments, typed: Vec<String>, practice: Practice) -> onlinear::Result<Vec<Entrant>> {
    let is_settled = arguments.passes.is_some() || arguments.rows.is_paper();
    let entrant = |typed: String| {
        let fresh = arguments.rows.fresh(&typed, None, practice)?;
        let is_settled = is_settled || fresh.spec.is_batch();
        let mut chosen = arguments.rows.chosen(&typed, practice)?;
        let calibrate = calibration_for(arguments.metric, &fresh.spec);
        chosen.extend(calibrate.map(|window| ("calibrate", window.to_string())));
        let passes = Mutex::new(is_settled.then(|| arguments.passes.unwrap_or(1)));
        let shuffle = (!is_settled).then_some(arguments.seed);
        let fresh = Recipe { shuffle, metric: arguments.metric, calibrate, ..fresh };
        Ok(Entrant { typed, fresh, chosen, passes })
    };
    typed.into_iter().map(entrant).collect()
}

/// The rows of the test file, whose labels must be those of the training file.
fn load_test(arguments: &CompareArguments, held: &RowsInMemory) -> onlinear::Result<Option<RowsInMemory>> {
    let Some(file) = &arguments.test else { return Ok(None) };
    let test = arguments.rows.load(&Input::named(file), Some(held.about()), arguments.print.quiet)?;
    let unknown = test.about().labels.texts().find(|text| held.classes().class_of(text).is_none());
    match unknown {
        Some(label) => {
            let known = held.classes().names().join(", ");
            let message = format!("label '{label}' is none of those of the training rows ({known})");
            Err(Error::data(file, Message::from(message).and(held.classes().nearest(label, &test.about().labels))))
        }
        None if test.is_empty() => Err(Error::data(file, "has no rows to test on")),
        None => {
            let unseen = test.about().unseen_values();
            let told = unseen.iter().filter(|_| !arguments.print.quiet);
            told.for_each(|unseen| output::warn(format_args!("{file}: {}", unseen.worded(&Flags))));
            Ok(Some(test))
        }
    }
}
