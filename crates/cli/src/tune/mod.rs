//! `onlinear tune`.

mod arguments;
mod grid;
mod report;
mod result;

use std::time::Instant;

use anyhow::Context;

use onlinear::workshop::{Random, fold, parallel, permutation};
use onlinear::{Error, Errors, Input, Model, Passes, Plan, Recipe, RowsInMemory, Run, Split, Start};

use crate::interrupt::InterruptWatch;
use crate::output::require_writable;
use crate::progress::{LoadingWatch, WorkBar};
use crate::rows::{built_in_set, data_name};
use crate::{interrupt, output};

use arguments::Folds;
pub use arguments::TuneArguments;
use grid::{Grid, Setting};
use result::TuningResult;

pub fn run(arguments: &TuneArguments) -> anyhow::Result<()> {
    interrupt::watch().context("cannot watch for Ctrl-C")?;
    let start = Instant::now();
    let grids: Vec<Grid> = arguments.grid.iter().map(|text| Grid::parse(text)).collect::<onlinear::Result<_>>()?;
    let settings = grid::settings(&arguments.spec, &grids)?;
    for (path, kind) in [(&arguments.model, "a model file"), (&arguments.html, "an HTML file")] {
        path.as_ref().map_or(Ok(()), |path| require_writable(path, kind))?;
    }
    let fresh = |setting: &Setting| arguments.rows.fresh(setting.spec.clone(), None);
    let all: Vec<Recipe> = settings.iter().map(fresh).collect::<onlinear::Result<_>>()?;
    let input = match &arguments.data {
        Some(data) => Input::named(data),
        None => built_in_set()?.0,
    };
    if arguments.model.is_some() && input.is_stream() {
        let message = "--model learns from all rows once more, which standard input and pipes do not allow";
        anyhow::bail!(Error::usage(message));
    }
    let rows = &arguments.rows;
    let mut loading = LoadingWatch::new(arguments.quiet);
    let held =
        RowsInMemory::load(&input, &rows.read_options()?, &rows.label_choice(), &rows.keep(false), &mut loading)?;
    drop(loading);
    let splits = splits(arguments, &held)?;
    let errors = cross_validate(arguments, &held, &all, &splits)?;
    let data = data_name(&input, arguments.data.is_none());
    let result = TuningResult::new(arguments, &held, grids, settings, errors, data);
    let best = &all[result.best];
    if let Some(path) = &arguments.model {
        let mut model = refit(arguments, &input, best)?;
        interrupt::undisturbed(|| model.save(path))?;
    }
    if let Some(path) = &arguments.html {
        output::file(path, &result.report(start.elapsed().as_secs_f64()).html())?;
    }
    match (arguments.json, arguments.quiet) {
        (true, _) => output::json(&result.as_json()),
        (false, false) => output::text(&result.as_text()),
        (false, true) => Ok(()),
    }
}

/// The rows of each fold.
fn splits(arguments: &TuneArguments, held: &RowsInMemory) -> onlinear::Result<Vec<Split>> {
    let rows = held.len();
    let refuse = |message: String| Err(Error::data(&held.about().file, message));
    let folds = match arguments.folds {
        Folds::Of(folds) if folds > rows => return refuse(format!("has {rows} rows, too few for --folds {folds}")),
        Folds::Of(folds) => folds,
        Folds::Single if rows < 2 => return refuse(format!("has {rows} rows, too few for --folds loo")),
        Folds::Single => rows,
    };
    let classes: Vec<usize> = (0..rows).map(|row| held.class(row)).collect();
    if classes.iter().all(|class| *class == classes[0]) {
        return refuse("every row is of the same class; there is nothing to tell apart".to_string());
    }
    let splits = fold(&classes, &permutation(rows, &mut Random::new(arguments.seed)), folds);
    for class in classes.iter().copied() {
        if splits.iter().any(|split| split.train.iter().all(|&row| classes[row] != class)) {
            let name = held.classes().name(class);
            return refuse(format!("class '{name}' has too few rows: it would be missing from a training part"));
        }
    }
    Ok(splits)
}

/// The error of each setting on each fold.
fn cross_validate(
    arguments: &TuneArguments,
    held: &RowsInMemory,
    all: &[Recipe],
    splits: &[Split],
) -> onlinear::Result<Vec<Vec<Errors>>> {
    let work = WorkBar::new(all.len() * splits.len(), arguments.quiet);
    let errors = parallel::try_map(all.len() * splits.len(), |job| {
        let (fresh, split) = (&all[job / splits.len()], &splits[job % splits.len()]);
        let model = learn(arguments, held, fresh, &split.train)?;
        let error = held.test(&model, &split.test)?;
        work.done();
        onlinear::Result::Ok(error)
    })?;
    Ok(errors.chunks(splits.len()).map(<[Errors]>::to_vec).collect())
}

fn learn(arguments: &TuneArguments, held: &RowsInMemory, fresh: &Recipe, rows: &[usize]) -> onlinear::Result<Model> {
    let passes = Passes::Exactly(if fresh.spec.is_batch() { 1 } else { arguments.passes });
    let run = Run { fresh, rows, passes, max_memory: arguments.rows.max_memory(), checkpoints: None };
    Ok(held.learn(&run, &mut InterruptWatch)?.model)
}

/// The winner, taught with all rows, as `learn` does it with `--shuffle`.
fn refit(arguments: &TuneArguments, input: &Input, best: &Recipe) -> onlinear::Result<Model> {
    let batch = best.spec.is_batch();
    let plan = Plan {
        input: input.clone(),
        read: arguments.rows.read_options()?,
        labels: arguments.rows.label_choice(),
        passes: Passes::Exactly(if batch { 1 } else { arguments.passes }),
        keep: arguments.rows.keep(false),
        train_error: false,
    };
    let shuffle = (!batch).then_some(arguments.seed);
    Ok(onlinear::learn(plan, Start::Fresh(Recipe { shuffle, ..best.clone() }), &mut InterruptWatch)?.model)
}
