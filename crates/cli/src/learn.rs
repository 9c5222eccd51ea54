//! `onlinear learn`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value as Json, json};

use onlinear::certificate::{Certificate, Log};
use onlinear::data::{Classes, Input, Meter, ReadOptions};
use onlinear::evaluate::{Epoch, Errors, Fresh, Outcome, Passes, Plan, Start, Watch, certify, learn, test};
use onlinear::{Error, Fact, Label, Message, Model, RestRound, Round, Step};

use crate::arguments::{LearnArguments, NormalizeChoice};
use crate::curves::Sampler;
use crate::interrupt;
use crate::learn_report;
use crate::output;
use crate::progress::Progress;
use crate::rows::{built_in_set, data_name, require_writable};
use crate::wording::Flags;

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
        (None, Some(spec)) => Start::Fresh(arguments.rows.fresh(spec, arguments.shuffle)),
        (None, None) => anyhow::bail!(Error::usage("name a learner or a model to resume")),
    };
    if let Start::Fresh(Fresh { spec, .. }) = &start
        && spec.is_batch()
        && arguments.save_every.is_some()
    {
        let message =
            format!("--save-every does not go with {}, which learns from all rows at once", spec.algorithm().name);
        anyhow::bail!(Error::usage(message));
    }
    if arguments.certificate && input.is_stream() {
        let message = "--certificate has to read the rows again, which standard input and pipes do not allow";
        anyhow::bail!(Error::usage(message));
    }
    if let Some(path) = &arguments.model {
        require_writable(path, "a model file")?;
    }
    if let Some(path) = &arguments.html {
        require_writable(path, "an HTML file")?;
    }
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
            let mut options = outcome.model.read_options();
            arguments.rows.read.apply(&mut options)?;
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
    let report = Report { outcome: &outcome, certificate, test, test_seconds, input: &input, built_in };
    if let (Some(path), Some(sampler)) = (&arguments.html, watcher.sampler) {
        let mut read = outcome.model.read_options();
        arguments.rows.read.apply(&mut read)?;
        let page = learn_report::page(report.pairs(), &outcome.model, &sampler.finish(&outcome.model), &input, &read)?;
        output::file(path, &page.html())?;
    }
    match (arguments.json, arguments.quiet) {
        (true, _) => output::json(&report.as_json()),
        (false, false) => output::text(&report.as_text()),
        (false, true) => Ok(()),
    }
}

/// The model to go on with. What it remembers cannot be asked for again.
fn resumed(path: &Path, arguments: &LearnArguments) -> anyhow::Result<Model> {
    let remembered = [
        ("--normalize", arguments.rows.normalize != NormalizeChoice::None),
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

/// Traces, shows progress, saves on the way and stops on Ctrl-C.
struct Watcher {
    trace: Option<(PathBuf, BufWriter<File>)>,
    /// What each trial was, for the certificate.
    log: Option<Log>,
    progress: Progress,
    model: Option<PathBuf>,
    save_every: Option<u64>,
    next_save: u64,
    /// Rows left out because they are wrong …
    skipped: u64,
    /// … and how many of them were told of, maybe before a restart.
    told: u64,
    quiet: bool,
    /// Where curves were asked for.
    sampler: Option<Sampler>,
}

impl Watcher {
    /// A watch over a run that starts after so many `trials`.
    fn new(arguments: &LearnArguments, trials: u64) -> anyhow::Result<Watcher> {
        let trace = match &arguments.trace {
            Some(path) => Some((path.clone(), create(path)?)),
            None => None,
        };
        Ok(Watcher {
            trace,
            log: arguments.certificate.then(Log::default),
            progress: Progress::new(arguments.progress, arguments.quiet),
            model: arguments.model.clone(),
            save_every: arguments.save_every,
            next_save: next_save(arguments.save_every, trials),
            skipped: 0,
            told: 0,
            quiet: arguments.quiet,
            sampler: arguments.html.as_ref().map(|_| Sampler::new(trials)),
        })
    }

    fn finish(&mut self) -> onlinear::Result<()> {
        match &mut self.trace {
            Some((path, out)) => out.flush().map_err(|reason| failed(path, reason)),
            None => Ok(()),
        }
    }
}

/// How many trials will be over when the model is saved next, if `trials` are now.
fn next_save(every: Option<u64>, trials: u64) -> u64 {
    every.map_or(u64::MAX, |every| (trials / every + 1).saturating_mul(every))
}

fn create(path: &Path) -> onlinear::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path).map_err(|reason| failed(path, reason))?))
}

fn failed(path: &Path, reason: std::io::Error) -> Error {
    Error::Io { file: path.display().to_string(), reason }
}

impl Watch for Watcher {
    fn reading(&mut self, meter: &Meter) {
        self.progress.reading(meter);
    }

    fn trial(&mut self, t: u64, y: Label, round: &Round) -> onlinear::Result<()> {
        let mistake = round.is_mistake(y);
        self.progress.trial(mistake);
        if let Some(log) = &mut self.log {
            log.push(mistake, round.step != Step::Stay);
        }
        if let Some((path, out)) = &mut self.trace {
            let line = json!({
                "t": t, "label": y.sign() as i8, "score": round.score, "mistake": mistake, "updated": round.step != Step::Stay,
            });
            writeln!(out, "{line}").map_err(|reason| failed(path, reason))?;
        }
        Ok(())
    }

    fn rest_trial(&mut self, t: u64, classes: &Classes, round: &RestRound) -> onlinear::Result<()> {
        self.progress.trial(round.is_mistake());
        if let Some((path, out)) = &mut self.trace {
            let line = json!({
                "t": t, "label": classes.name(round.class), "predicted": classes.name(round.predicted),
                "mistake": round.is_mistake(), "mistakes": round.mistakes, "updated": round.updates > 0,
            });
            writeln!(out, "{line}").map_err(|reason| failed(path, reason))?;
        }
        Ok(())
    }

    fn pause(&mut self, model: &Model) -> onlinear::Result<bool> {
        self.progress.pause(model);
        if let Some(sampler) = &mut self.sampler {
            sampler.pause(model);
        }
        match (interrupt::requested(), self.save_every) {
            (true, None) => Err(Error::Interrupted),
            (true, Some(_)) => Ok(true),
            (false, Some(_)) => Ok(model.counts.total().trials >= self.next_save),
            (false, None) => Ok(false),
        }
    }

    fn save(&mut self, model: &mut Model) -> onlinear::Result<()> {
        if let Some(path) = &self.model {
            interrupt::undisturbed(|| model.save(path))?;
        }
        self.next_save = next_save(self.save_every, model.counts.total().trials);
        if interrupt::requested() { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn next_pause(&self) -> u64 {
        self.sampler.as_ref().map_or(self.next_save, |sampler| sampler.next_pause().min(self.next_save))
    }

    fn wants_epochs(&self) -> bool {
        self.trace.is_some() || self.progress.is_shown() || self.sampler.is_some()
    }

    fn epoch(&mut self, epoch: &Epoch) -> onlinear::Result<()> {
        self.progress.epoch(epoch);
        if let Some(sampler) = &mut self.sampler {
            sampler.epoch(epoch);
        }
        if let Some((path, out)) = &mut self.trace {
            let mut line = json!({"epoch": epoch.epoch, "errors": epoch.errors.errors});
            if let Some(weighted) = epoch.weighted {
                line["weighted_error"] = json!(weighted);
            }
            writeln!(out, "{line}").map_err(|reason| failed(path, reason))?;
        }
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        if interrupt::requested() { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn bad_row(&mut self, error: &Error) {
        self.skipped += 1;
        if !self.quiet && self.skipped > self.told {
            self.told = self.skipped;
            output::say(format_args!("skipped: {}", error.worded(&Flags)));
        }
    }

    fn warn(&mut self, warning: &Message) {
        if !self.quiet {
            output::say(format_args!("warning: {}", warning.worded(&Flags)));
        }
    }

    fn restart(&mut self) -> onlinear::Result<()> {
        self.progress.restart();
        self.sampler = self.sampler.as_ref().map(|_| Sampler::new(0));
        self.skipped = 0;
        self.log.iter_mut().for_each(Log::clear);
        self.next_save = next_save(self.save_every, 0);
        if let Some((path, out)) = &mut self.trace {
            *out = create(path)?;
        }
        Ok(())
    }
}

/// What a run has to tell.
struct Report<'a> {
    outcome: &'a Outcome,
    certificate: Option<Certificate>,
    test: Option<Errors>,
    test_seconds: f64,
    input: &'a Input,
    built_in: bool,
}

impl Report<'_> {
    fn as_json(&self) -> Json {
        let Outcome { model, seconds, train, separated, .. } = self.outcome;
        let (total, facts) = (model.counts.total(), model.learner.facts());
        let examples = model.counts.examples();
        let per_pass: Vec<Json> = model
            .counts
            .passes
            .iter()
            .map(|pass| json!({"mistakes": pass.mistakes, "updates": pass.updates}))
            .collect();
        let mut report = json!({
            "spec": model.spec.to_string(),
            "form": model.learner.form(),
            "examples": examples,
            "features": model.features,
            "classes": model.classes.len(),
            "labels": model.classes.names(),
            "passes": model.counts.passes.len(),
            "trials": total.trials,
            "mistakes": total.mistakes,
            "error_rate": (total.trials > 0).then(|| rate(total.mistakes, total.trials)),
            "multiclass_mistakes": (model.classes.len() > 2 && total.trials > 0).then_some(model.counts.multiclass_mistakes),
            "updates": total.updates,
            "support": model.learner.support(),
            "matrix_updates": facts.matrix_updates,
            "per_pass": per_pass,
            "separated": separated,
            "margin": model.margin,
            "train": errors_as_json(*train),
            "test": errors_as_json(self.test),
            "certificate": self.certificate.as_ref().map(|certificate| certificate.to_json(&Flags)),
            "seconds": {"read": seconds.read, "learn": seconds.learn, "test": self.test_seconds},
            "peak_rss_bytes": output::peak_memory(),
        });
        for (name, fact) in facts.further {
            report[name] = match fact {
                Fact::Number(number) if number.fract() == 0.0 => json!(number as i64),
                Fact::Number(number) => json!(number),
                Fact::Text(text) => json!(text),
            };
        }
        report
    }

    fn as_text(&self) -> String {
        output::pairs(&self.pairs())
    }

    /// All there is to tell, by name.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let Outcome { model, seconds, train, separated, .. } = self.outcome;
        let total = model.counts.total();
        let data = data_name(self.input, self.built_in);
        let examples = model.counts.examples();
        let is_rest = model.classes.len() > 2;
        let mut pairs = vec![
            ("data", data),
            ("rows", format!("{examples}, {} features, {}", model.features, output::classes(&model.classes))),
            ("learner", model.spec.to_string()),
        ];
        if total.trials > 0 {
            let counted =
                |mistakes: u64| format!("{mistakes} in {} trials, {}", total.trials, percent(mistakes, total.trials));
            let summed = if is_rest { ", all binary problems together" } else { "" };
            pairs.push(("mistakes", format!("{}{summed}", counted(total.mistakes))));
            if is_rest {
                pairs.push(("wrong class", counted(model.counts.multiclass_mistakes)));
            }
            pairs.push(("updates", total.updates.to_string()));
        }
        pairs.extend(self.certificate.as_ref().map(|certificate| ("bound", certificate.worded(&Flags))));
        let left_out = self.certificate.as_ref().and_then(|certificate| certificate.leave_one_out);
        pairs.extend(
            left_out.map(|share| ("left out", format!("expected error on a new row ≤ {:.2} %", 100.0 * share))),
        );
        if model.learner.form() != "primal" {
            pairs.push(("form", model.learner.form().to_string()));
        }
        pairs.extend(model.learner.support().map(|support| ("support", format!("{support} vectors"))));
        let facts = model.learner.facts();
        pairs.extend(facts.further.into_iter().map(|(name, fact)| (name, fact.to_string())));
        pairs.extend(facts.matrix_updates.map(|count| ("matrix", format!("{count} updates"))));
        if model.counts.passes.len() > 1 {
            pairs.push(("passes", per_pass(model)));
        }
        match separated {
            Some(true) => pairs.push(("separated", "yes: the last pass had no mistake".to_string())),
            Some(false) => pairs.push(("separated", "no, not within the limit".to_string())),
            None => {}
        }
        pairs.extend(model.margin.map(|margin| ("margin", format!("{margin:.6} (geometric, on the training rows)"))));
        let errors =
            |e: &Errors| format!("{} errors in {} rows, {}", e.errors, e.examples, percent(e.errors, e.examples));
        pairs.extend(train.as_ref().map(|train| ("train", errors(train))));
        pairs.extend(self.test.as_ref().map(|test| ("test", errors(test))));
        let memory =
            output::peak_memory().map_or(String::new(), |bytes| format!(", peak memory {:.1} MB", bytes as f64 / 1e6));
        pairs.push(("seconds", format!("{:.3} reading, {:.3} learning{memory}", seconds.read, seconds.learn)));
        pairs
    }
}

fn per_pass(model: &Model) -> String {
    const SHOWN: usize = 12;
    let passes = &model.counts.passes;
    let shown: Vec<String> = passes.iter().take(SHOWN).map(|pass| pass.mistakes.to_string()).collect();
    let more = if passes.len() > SHOWN { ", …" } else { "" };
    format!("{}, with {}{more} mistakes", passes.len(), shown.join(", "))
}

fn rate(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", 100.0 * rate(part, whole))
}

fn errors_as_json(errors: Option<Errors>) -> Json {
    errors.map_or(Json::Null, |e| json!({"examples": e.examples, "errors": e.errors, "error_rate": e.rate()}))
}
