//! `onlinear tune`.

mod arguments;
mod grid;
mod report;
mod result;

use std::time::Instant;

use onlinear::workshop::{MOST_PASSES, Practice, Random, Run, Split, counted, fold, permutation};
use onlinear::{Error, Input, Message, Model, Passes, Plan, Recipe, RowsInMemory, Start, learn};

use crate::interrupt::InterruptWatch;
use crate::places::{MODEL, Places};
use crate::progress::attempts;
use crate::rows::{calibration_for, data_name, named_or_built_in};
use crate::{interrupt, output};

use arguments::Folds;
pub use arguments::TuneArguments;
use grid::{Grid, Setting};
use result::{MeasuredFold, TuningResult};

pub fn run(arguments: &TuneArguments) -> anyhow::Result<()> {
    interrupt::watch()?;
    let start = Instant::now();
    let grids: Vec<Grid> = match arguments.grid.is_empty() {
        true => Grid::of_learner(&arguments.spec)?,
        false => arguments.grid.iter().map(|text| Grid::parse(text)).collect::<onlinear::Result<_>>()?,
    };
    let settings = grid::settings(&arguments.spec, &grids)?;
    let input = named_or_built_in(&arguments.data)?;
    let mut places = Places::default();
    places.reads("DATA", &input);
    places.writes("--model", &arguments.model, MODEL)?;
    places.writes("--html", &arguments.html, "an HTML file")?;
    places.require_writable()?;
    recipes(arguments, &settings, Practice::default())?; // a wrong one is refused before any work
    if arguments.model.is_some() && input.is_stream() {
        let message = "--model learns from all rows once more, which standard input and pipes do not allow";
        anyhow::bail!(Error::usage(message));
    }
    let held = arguments.rows.load(&input, None, arguments.print.quiet)?;
    if !arguments.print.quiet {
        output::doubts(&held);
    }
    let practice = arguments.rows.practice(&held);
    let all = recipes(arguments, &settings, practice)?;
    let splits = splits(arguments, &held)?;
    let _awaited = interrupt::awaited(true);
    let runs = cross_validate(arguments, &held, &all, &splits);
    if !arguments.print.quiet {
        warn(&all, &runs);
    }
    let folds = runs.into_iter().map(|runs| Ok(runs?.into_iter().map(|run| run.measured).collect())).collect();
    let result = TuningResult::new(arguments, &held, practice, grids, settings, folds, data_name(&input))?;
    let best = &all[result.best];
    if let Some(path) = arguments.model.as_ref().filter(|_| !interrupt::requested()) {
        let mut model = refit(arguments, &input, best)?;
        interrupt::undisturbed(|| model.save(path))?;
    }
    output::page(&arguments.html, &None, || result.report(start.elapsed().as_secs_f64()))?;
    arguments.print.result(|| result.as_json(), || result.as_text())?;
    Ok(interrupt::check()?)
}

/// The learner with each of the settings, and with what suits the rows.
fn recipes(arguments: &TuneArguments, settings: &[Setting], practice: Practice) -> onlinear::Result<Vec<Recipe>> {
    let recipe = |setting: &Setting| {
        let recipe = arguments.rows.fresh(&setting.typed(), None, practice)?;
        let shuffle = matches!(passes(arguments, &recipe), Passes::EarlyStop(_)).then_some(arguments.seed);
        let calibrate = calibration_for(arguments.metric, &recipe.spec);
        Ok(Recipe { shuffle, metric: arguments.metric, calibrate, ..recipe })
    };
    settings.iter().map(recipe).collect()
}

/// The rows of each fold.
fn splits(arguments: &TuneArguments, held: &RowsInMemory) -> onlinear::Result<Vec<Split>> {
    let rows = held.len();
    let refuse = |message: String| Err(Error::data(&held.about().file, message));
    let folds = match arguments.folds {
        Folds::Of(folds) if folds > rows => {
            return refuse(format!("has {}, too few for --folds {folds}", counted(rows, "row", "rows")));
        }
        Folds::Of(folds) => folds,
        Folds::Single if rows < 2 => {
            return refuse(format!("has {}, too few for --folds loo", counted(rows, "row", "rows")));
        }
        Folds::Single => rows,
    };
    let classes: Vec<usize> = (0..rows).map(|row| held.class(row)).collect();
    held.require_classes()?;
    let mut splits = fold(&classes, &permutation(rows, &mut Random::new(arguments.seed)), folds);
    if held.classes().len() > 2 {
        learn_lone_rows(&classes, held.classes().len(), &mut splits);
    }
    for class in classes.iter().copied() {
        if splits.iter().any(|split| split.train.iter().all(|&row| classes[row] != class)) {
            let name = held.classes().name(class);
            return refuse(format!("class '{name}' has too few rows: it would be missing from a training part"));
        }
    }
    Ok(splits)
}

/// Lets the only row of a class be learned from in each split and tested on in none.
fn learn_lone_rows(classes: &[usize], count: usize, splits: &mut [Split]) {
    let mut rows_of = vec![0usize; count];
    classes.iter().for_each(|&class| rows_of[class] += 1);
    for Split { train, test } in splits {
        train.extend(test.extract_if(.., |row| rows_of[classes[*row]] == 1));
    }
}

/// The error of each setting on each fold, or why it has none.
fn cross_validate(
    arguments: &TuneArguments,
    held: &RowsInMemory,
    all: &[Recipe],
    splits: &[Split],
) -> Vec<onlinear::Result<Vec<FoldRun>>> {
    attempts(all.len(), splits.len(), arguments.print.quiet, |setting, fold| {
        let (fresh, split) = (&all[setting], &splits[fold]);
        let max_memory = arguments.rows.max_memory();
        let run = Run { fresh, rows: &split.train, passes: passes(arguments, fresh), max_memory, checkpoints: None };
        let outcome = held.learn(&run, &mut InterruptWatch)?;
        let metrics = held.metrics(&outcome.model, &split.test)?;
        let baseline = metrics.baseline(outcome.model.counts.largest_class());
        Ok(FoldRun { measured: MeasuredFold { metrics, baseline }, warnings: outcome.warnings })
    })
}

/// What a setting did on a fold, and what it has to say about that run.
struct FoldRun {
    measured: MeasuredFold,
    warnings: Vec<Message>,
}

/// Tells what the settings have to say about their runs.
fn warn(all: &[Recipe], runs: &[onlinear::Result<Vec<FoldRun>>]) {
    for (recipe, runs) in all.iter().zip(runs).filter_map(|(recipe, runs)| Some((recipe, runs.as_ref().ok()?))) {
        for text in output::warnings(runs.iter().flat_map(|run| &run.warnings), runs.len()) {
            output::warn(format_args!("{}: {text}", recipe.spec));
        }
    }
}

fn passes(arguments: &TuneArguments, recipe: &Recipe) -> Passes {
    match arguments.passes {
        _ if recipe.spec.is_batch() => Passes::Exactly(1),
        None if !arguments.rows.is_paper() => Passes::EarlyStop(MOST_PASSES),
        passes => Passes::Exactly(passes.unwrap_or(1)),
    }
}

/// The winner, taught with all rows, as `learn` does it with `--shuffle`.
fn refit(arguments: &TuneArguments, input: &Input, best: &Recipe) -> onlinear::Result<Model> {
    let plan = Plan {
        input: input.clone(),
        read: arguments.rows.read_options()?,
        labels: arguments.rows.label_choice(),
        passes: passes(arguments, best),
        keep: arguments.rows.keep(false),
        train_error: false,
        holdout: None,
    };
    let shuffle = (!best.spec.is_batch()).then_some(arguments.seed);
    Ok(learn(plan, Start::Fresh(Recipe { shuffle, ..best.clone() }), &mut InterruptWatch)?.model)
}
