//! `onlinear learn`.

mod arguments;
mod page;
mod settings;
mod summary;
mod watcher;

use std::time::Instant;

use onlinear::{
    Error, Holdout, Input, Passes, Plan, ReadOptions, Recipe, StageSpec, Start, Watch, certify, learn, test,
};

use crate::interrupt::InterruptWatch;
use crate::places::{MODEL, Places};
use crate::rows::built_in_set;
use crate::{interrupt, output};

pub use arguments::LearnArguments;
use settings::LearnSettings;
use summary::{Before, LearnSummary, Shown};
use watcher::Watcher;

pub fn run(arguments: &LearnArguments) -> anyhow::Result<()> {
    interrupt::watch()?;
    places(arguments)?.require_writable()?;
    let (start, input) = arguments.start_and_input()?;
    let named_test = arguments.test.as_deref().map(Input::named);
    let (input, test_input) = match input {
        Some(input) => (input, named_test),
        None => {
            let (train, test) = built_in_set()?;
            (train, named_test.or(Some(test)).filter(|_| arguments.holdout.is_none()))
        }
    };
    check(arguments, &start, &input)?;
    let (trials, before) = match &start {
        Start::Resume(model) => (model.counts.total().trials, Some(Before::of(model))),
        Start::Fresh(_) => (0, None),
    };
    let (settings, start) = LearnSettings::settle(arguments, start, &input)?;
    let mut watcher = Watcher::new(arguments, trials)?;
    if let Some(metric) = arguments.metric.filter(|_| !settings.is_choosing()) {
        let name = metric.name;
        watcher.warn(
            &format!("--metric {name} tells how many passes are best: it has no say without --early-stop").into(),
        );
    }
    let learning = plan(arguments, input.clone(), settings.passes)?;
    let awaited = interrupt::awaited(arguments.save_every.is_some());
    let outcome = learn(learning, start, &mut watcher);
    drop(awaited);
    watcher.progress.finish();
    let mut outcome = outcome?;
    watcher.finish()?;
    let settings = settings.known(&outcome.model);
    let testing = Instant::now();
    let test = match &test_input {
        Some(input) => {
            let options = arguments.rows.read.and(outcome.model.read_options())?;
            Some(test(&outcome.model, input, &options, None, &mut watcher)?)
        }
        None => None,
    };
    let test_seconds = testing.elapsed().as_secs_f64();
    if let Some(path) = &arguments.model {
        interrupt::undisturbed(|| outcome.model.save(path))?;
    }
    let certified = watcher.log.as_ref().map(|log| {
        let plan = plan(arguments, input.clone(), settings.passes)?;
        certify(&plan, &outcome, log, arguments.confidence, &mut InterruptWatch)
    });
    let certificate = certified.transpose()?;
    if let (Some(path), Some(certificate)) = (&arguments.comparator, &certificate) {
        let mut told = certificate.comparators();
        told["spec"] = outcome.model.spec.to_string().into();
        told["stages"] = outcome.model.stages.specs().map(StageSpec::to_string).collect();
        output::file(path, format!("{told:#}\n"))?;
    }
    outcome.warnings.iter().for_each(|warning| watcher.warn(warning));
    watcher.skipped.finish();
    let seed = arguments.seed;
    let (outcome, input, settings) = (&outcome, &input, &settings);
    let summary = LearnSummary { outcome, certificate, test, test_seconds, seed, input, settings, before };
    if let Some(path) = &arguments.html {
        let (read, curve) =
            (arguments.rows.read.and(outcome.model.read_options())?, watcher.sampler.finish(&outcome.model));
        let page = page::of(&summary, &outcome.model, &curve, input, &read)?;
        output::file(path, page.html())?;
    }
    arguments.print.result(|| summary.as_json(), || output::pairs(&summary.pairs(Shown::InFull)))
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
    let metric = arguments.metric.filter(|metric| metric.needs_probabilities);
    if let Some(metric) = metric.filter(|_| arguments.calibration.calibrate.is_none()) {
        return Err(Error::usage(format!("--metric {} needs probabilities: add --calibrate", metric.name)));
    }
    if arguments.certificate && input.is_stream() {
        let message = "--certificate has to read the rows again, which standard input and pipes do not allow";
        return Err(Error::usage(message));
    }
    Ok(())
}

/// The files that are read and written. A model may take the place of the one that it goes on with.
fn places(arguments: &LearnArguments) -> onlinear::Result<Places> {
    let mut places = Places::default();
    let data = arguments.named_data();
    places.reads("DATA", &Input::all(&data));
    arguments.test.iter().for_each(|test| places.reads("--test", &Input::named(test)));
    for data in data.iter().filter(|_| arguments.cache) {
        places.reads_file("--cache", &Some(format!("{data}.onlinear-cache").into()));
    }
    places.writes("--model", &arguments.model, MODEL)?;
    places.reads_file("--resume", &arguments.resume);
    places.reads_file("--start", &arguments.start);
    places.writes("--trace", &arguments.trace, "a trace")?;
    places.writes("--html", &arguments.html, "an HTML file")?;
    places.writes("--comparator", &arguments.comparator, "a file of comparators")?;
    Ok(places)
}

fn plan(arguments: &LearnArguments, input: Input, passes: Passes) -> onlinear::Result<Plan> {
    Ok(Plan {
        input,
        read: ReadOptions { stop: Some(interrupt::stop()), ..arguments.rows.read_options()? },
        labels: arguments.rows.label_choice(),
        passes,
        keep: arguments.rows.keep(arguments.cache),
        train_error: arguments.train_error,
        holdout: arguments.holdout.map(|share| Holdout { share, seed: arguments.seed }),
    })
}
