//! What looks on while `onlinear learn` runs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use onlinear::workshop::Meter;
use onlinear::{ClassRound, Classes, Epoch, Error, Label, Log, Message, Model, Round, Step, Watch};

use super::LearnArguments;
use crate::curves::Sampler;
use crate::progress::Progress;
use crate::wording::Flags;
use crate::{interrupt, output};

/// Traces, shows progress, saves on the way and stops on Ctrl-C.
pub struct Watcher {
    trace: Option<(PathBuf, BufWriter<File>)>,
    /// What each trial was, for the certificate.
    pub log: Option<Log>,
    pub progress: Progress,
    model: Option<PathBuf>,
    save_every: Option<u64>,
    next_save: u64,
    /// Rows left out because they are wrong …
    pub skipped: u64,
    /// … and how many of them were told of, maybe before a restart.
    told: u64,
    quiet: bool,
    /// Where curves were asked for.
    pub sampler: Option<Sampler>,
}

impl Watcher {
    /// A watch over a run that starts after so many `trials`.
    pub fn new(arguments: &LearnArguments, trials: u64) -> anyhow::Result<Watcher> {
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

    pub fn finish(&mut self) -> onlinear::Result<()> {
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
                "t": t, "label": y.sign() as i8, "score": round.score, "mistake": mistake,
                "updated": round.step != Step::Stay,
            });
            writeln!(out, "{line}").map_err(|reason| failed(path, reason))?;
        }
        Ok(())
    }

    fn rest_trial(&mut self, t: u64, classes: &Classes, round: &ClassRound) -> onlinear::Result<()> {
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
        interrupt::check()
    }

    fn wants_rest(&self) -> bool {
        self.save_every.is_some()
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
        interrupt::check()
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
