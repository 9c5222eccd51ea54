//! `onlinear learn`.

mod arguments;
mod page;
mod summary;
mod watcher;

use std::path::Path;
use std::time::Instant;

use anyhow::Context;

use onlinear::{Error, Input, Model, Passes, Plan, ReadOptions, Recipe, Start, Watch, certify, learn, test};

use crate::output::require_writable;
use crate::rows::built_in_set;
use crate::wording::Flags;
use crate::{interrupt, output};

pub use arguments::LearnArguments;
use summary::LearnSummary;
use watcher::Watcher;

pub fn run(arguments: LearnArguments) -> anyhow::Result<()> {
    interrupt::watch().context("cannot watch for Ctrl-C")?;
    let (spec, input) = arguments.spec_and_input()?;
    let built_in = input.is_none();
    let named_test = arguments.test.as_deref().map(Input::named);
    let (input, test_input) = match input {
        Some(input) => (input, named_test),
        None => {
            let (train, test) = built_in_set()?;
            (train, named_test.or(Some(test)))
        }
    };
    let start = match (&arguments.resume, spec) {
        (Some(path), _) => Start::Resume(Box::new(resumed(path, &arguments)?)),
        (None, Some(spec)) => Start::Fresh(arguments.rows.fresh(spec, arguments.shuffle)?),
        (None, None) => anyhow::bail!(Error::usage("name a learner or a model to resume")),
    };
    check(&arguments, &start, &input)?;
    let trials = match &start {
        Start::Resume(model) => model.counts.total().trials,
        Start::Fresh(_) => 0,
    };
    let mut watcher = Watcher::new(&arguments, trials)?;
    let learning = plan(&arguments, input.clone())?;
    let outcome = interrupt::awaited(arguments.save_every.is_some(), || learn(learning, start, &mut watcher));
    watcher.progress.finish();
    let mut outcome = outcome?;
    watcher.finish()?;
    let testing = Instant::now();
    let test = match &test_input {
        Some(input) => {
            let options = read_options(&arguments, &outcome.model)?;
            Some(test(&outcome.model, input, &options, None, |error| watcher.bad_row(error))?.errors)
        }
        None => None,
    };
    let test_seconds = testing.elapsed().as_secs_f64();
    if let Some(path) = &arguments.model {
        interrupt::undisturbed(|| outcome.model.save(path))?;
    }
    let certificate = match &watcher.log {
        Some(log) => Some(certify(&plan(&arguments, input.clone())?, &outcome, log)?),
        None => None,
    };
    for warning in outcome.warnings.iter().filter(|_| !arguments.quiet) {
        output::say(format_args!("warning: {}", warning.worded(&Flags)));
    }
    if watcher.skipped > 0 {
        output::say(format_args!("{} rows skipped", watcher.skipped));
    }
    let summary = LearnSummary { outcome: &outcome, certificate, test, test_seconds, input: &input, built_in };
    if let (Some(path), Some(sampler)) = (&arguments.html, watcher.sampler) {
        let read = read_options(&arguments, &outcome.model)?;
        let page = page::of(summary.pairs(), &outcome.model, &sampler.finish(&outcome.model), &input, &read)?;
        output::file(path, &page.html())?;
    }
    match (arguments.json, arguments.quiet) {
        (true, _) => output::json(&summary.as_json()),
        (false, false) => output::text(&summary.as_text()),
        (false, true) => Ok(()),
    }
}

/// Refuses before the work what cannot be done.
fn check(arguments: &LearnArguments, start: &Start, input: &Input) -> onlinear::Result<()> {
    if let Start::Fresh(Recipe { spec, .. }) = start
        && spec.is_batch()
        && arguments.save_every.is_some()
    {
        let message =
            format!("--save-every does not go with {}, which learns from all rows at once", spec.algorithm().name);
        return Err(Error::usage(message));
    }
    if arguments.certificate && input.is_stream() {
        let message = "--certificate has to read the rows again, which standard input and pipes do not allow";
        return Err(Error::usage(message));
    }
    if let Some(path) = &arguments.model {
        require_writable(path, "a model file")?;
    }
    if let Some(path) = &arguments.html {
        require_writable(path, "an HTML file")?;
    }
    Ok(())
}

/// How rows are read that a model is to see.
fn read_options(arguments: &LearnArguments, model: &Model) -> onlinear::Result<ReadOptions> {
    let mut options = model.read_options();
    arguments.rows.read.apply(&mut options)?;
    Ok(options)
}

/// The model to go on with. What it remembers cannot be asked for again.
fn resumed(path: &Path, arguments: &LearnArguments) -> anyhow::Result<Model> {
    let remembered = [
        ("--stage", !arguments.rows.stage.is_empty()),
        ("--normalize", arguments.rows.normalize.is_some()),
        ("--scale", arguments.rows.scale.is_some()),
        ("--bias", arguments.rows.bias.is_some()),
        ("--shuffle", arguments.shuffle.is_some()),
        ("--hash", arguments.rows.hash.is_some()),
        ("--features", arguments.rows.features.is_some()),
        ("--positive", arguments.rows.positive.is_some()),
        ("--labels", arguments.rows.labels.is_some()),
        ("--label", arguments.rows.columns.label.is_some()),
        ("--weight", arguments.rows.columns.weight.is_some()),
        ("--header", arguments.rows.columns.header.is_some()),
    ];
    if let Some((option, _)) = remembered.iter().find(|(_, given)| *given) {
        anyhow::bail!(Error::usage(format!("{option} does not go with --resume: the model remembers it")));
    }
    Ok(Model::load(path)?)
}

fn plan(arguments: &LearnArguments, input: Input) -> onlinear::Result<Plan> {
    Ok(Plan {
        input,
        read: ReadOptions { stop: Some(interrupt::stop()), ..arguments.rows.read_options()? },
        labels: arguments.rows.label_choice(),
        passes: arguments.until_separated.map_or(Passes::Exactly(arguments.passes), Passes::UntilSeparated),
        keep: arguments.rows.keep(arguments.cache),
        train_error: arguments.train_error,
    })
}
