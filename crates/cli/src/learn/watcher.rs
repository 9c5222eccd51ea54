//! What looks on while `onlinear learn` runs.

use std::io::Write;
use std::path::Path;

use serde_json::{Value as Json, json};

use onlinear::workshop::{ClassRound, Epoch, Log, Meter, Replacement};
use onlinear::{Classes, Error, Label, Message, Model, Round, Step, Watch};

use super::LearnArguments;
use crate::curves::Sampler;
use crate::interrupt;
use crate::output::{self, PrintArguments, SkippedRows, failed};
use crate::progress::Progress;
use crate::wording::Flags;

/// Traces, shows progress, saves on the way and stops on Ctrl-C.
pub struct Watcher<'a> {
    arguments: &'a LearnArguments,
    trace: Option<(&'a Path, Replacement)>,
    /// What each trial was, for the certificate.
    pub log: Option<Log>,
    pub progress: Progress,
    next_save: u64,
    pub skipped: SkippedRows,
    pub sampler: Sampler,
}

impl Watcher<'_> {
    /// A watch over a run that starts after so many `trials`.
    pub fn new(arguments: &LearnArguments, trials: u64) -> onlinear::Result<Watcher<'_>> {
        let PrintArguments { quiet, .. } = arguments.print;
        Ok(Watcher {
            arguments,
            trace: arguments.trace.as_deref().map(create).transpose()?,
            log: arguments.certificate.then(Log::default),
            progress: Progress::new(arguments.progress, quiet),
            next_save: next_save(arguments.save_every, trials),
            skipped: SkippedRows::new(quiet),
            sampler: Sampler::new(arguments.html.is_some(), trials),
        })
    }

    /// Writes a line of the trace, where one was asked for.
    fn trace(&mut self, line: impl FnOnce() -> Json) -> onlinear::Result<()> {
        match &mut self.trace {
            Some((path, out)) => writeln!(out, "{}", line()).map_err(|reason| failed(path, reason)),
            None => Ok(()),
        }
    }

    pub fn finish(&mut self) -> onlinear::Result<()> {
        match self.trace.take() {
            Some((path, out)) => out.complete().map_err(|reason| failed(path, reason)),
            None => Ok(()),
        }
    }
}

/// How many trials will be over when the model is saved next, if `trials` are now.
fn next_save(every: Option<u64>, trials: u64) -> u64 {
    every.map_or(u64::MAX, |every| (trials / every + 1).saturating_mul(every))
}

fn create(path: &Path) -> onlinear::Result<(&Path, Replacement)> {
    Ok((path, Replacement::or_stream(path).map_err(|reason| failed(path, reason))?))
}

impl Watch for Watcher<'_> {
    fn reading(&mut self, meter: &Meter) {
        self.progress.reading(meter);
    }

    fn trial(&mut self, t: u64, y: Label, round: &Round) -> onlinear::Result<()> {
        let mistake = round.is_mistake(y);
        self.progress.trial(mistake);
        if let Some(log) = &mut self.log {
            log.push(mistake, round.step != Step::Stay);
        }
        self.trace(|| {
            let mut line = json!({
                "t": t, "label": y.sign() as i8, "score": round.score, "mistake": mistake,
                "updated": round.step != Step::Stay,
            });
            if let Some(asked) = round.asked {
                line["asked"] = json!(asked);
            }
            line
        })
    }

    fn rest_trial(&mut self, t: u64, classes: &Classes, round: &ClassRound) -> onlinear::Result<()> {
        self.progress.trial(round.is_mistake());
        self.trace(|| {
            json!({
                "t": t, "label": classes.name(round.class), "predicted": classes.name(round.predicted),
                "score": round.score, "mistake": round.is_mistake(), "mistakes": round.mistakes,
                "updated": round.updates > 0,
            })
        })
    }

    fn pause(&mut self, model: &Model) -> onlinear::Result<bool> {
        self.progress.pause(model);
        self.sampler.pause(model);
        match self.arguments.save_every {
            Some(_) => Ok(interrupt::requested() || model.counts.total().trials >= self.next_save),
            None => interrupt::check().map(|()| false),
        }
    }

    fn save(&mut self, model: &mut Model) -> onlinear::Result<()> {
        if let Some(path) = &self.arguments.model {
            interrupt::undisturbed(|| model.save(path))?;
        }
        self.next_save = next_save(self.arguments.save_every, model.counts.total().trials);
        interrupt::check()
    }

    fn wants_rest(&self) -> bool {
        self.arguments.save_every.is_some()
    }

    fn wants_scores(&self) -> bool {
        self.trace.is_some() || self.arguments.save_every.is_some() || self.sampler.is_wanted
    }

    fn next_pause(&self) -> u64 {
        self.sampler.next.min(self.next_save)
    }

    fn wants_epochs(&self) -> bool {
        self.trace.is_some() || self.progress.is_shown() || self.sampler.is_wanted
    }

    fn epoch(&mut self, epoch: &Epoch) -> onlinear::Result<()> {
        self.progress.epoch(epoch);
        self.sampler.epoch(epoch);
        self.trace(|| {
            let mut line = json!({"epoch": epoch.epoch, "errors": epoch.errors.errors});
            if let Some(weighted) = epoch.weighted {
                line["weighted_error"] = json!(weighted);
            }
            line
        })?;
        self.tick()
    }

    fn search(&mut self, done: usize, of: usize) -> onlinear::Result<()> {
        self.progress.search(done, of);
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        interrupt::check()
    }

    fn bad_row(&mut self, error: &Error) {
        self.skipped.add(error);
    }

    fn warn(&mut self, warning: &Message) {
        if !self.arguments.print.quiet {
            output::warn(warning.worded(&Flags));
        }
    }

    fn restart(&mut self) -> onlinear::Result<()> {
        self.progress.restart();
        self.sampler = Sampler::new(self.sampler.is_wanted, 0);
        self.skipped.restart();
        self.log.iter_mut().for_each(Log::clear);
        self.next_save = next_save(self.arguments.save_every, 0);
        if let Some((path, out)) = self.trace.take() {
            self.trace = Some((path, out.restart().map_err(|reason| failed(path, reason))?));
        }
        Ok(())
    }
}
