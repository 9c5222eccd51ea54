//! What looks on while a model learns: traces, the log of a certificate, and Ctrl-C.

use std::time::{Duration, Instant};

use numpy::PyArray1;
use onlinear::workshop::{ClassRound, Epoch, Log};
use onlinear::{Classes, Error, Label, Model, Result, Round, Step, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often Python may say that it was interrupted.
const PATIENCE: Duration = Duration::from_millis(50);

/// Looks on for Python.
pub struct Onlooker {
    trace: Option<Trace>,
    log: Option<Log>,
    /// Whether passes and epochs are told of, and how many passes have been, once the first is known.
    verbose: bool,
    passes_told: Option<usize>,
    next_look: Instant,
    interrupted: Option<PyErr>,
}

/// What every trial was, or every epoch.
#[derive(Default)]
struct Trace {
    scores: Vec<f64>,
    mistakes: Vec<bool>,
    updates: Vec<bool>,
    epochs: Vec<u64>,
    errors: Vec<u64>,
}

impl Onlooker {
    /// Keeps what each trial was (`trace`), and what a certificate needs of it (`certificate`); prints what each pass
    /// or epoch came to (`verbose`).
    pub fn new(trace: bool, certificate: bool, verbose: bool) -> Onlooker {
        Onlooker {
            trace: trace.then(Trace::default),
            log: certificate.then(Log::default),
            verbose,
            passes_told: None,
            next_look: Instant::now() + PATIENCE,
            interrupted: None,
        }
    }

    /// The log for the certificate.
    pub fn take_log(&mut self) -> Option<Log> {
        self.log.take()
    }

    /// The exception for an error of the run: that of an interrupt, if it was one.
    pub fn raised(self, error: Error) -> PyErr {
        self.interrupted.unwrap_or_else(|| crate::errors::raised(error))
    }

    /// The run is over and has left this model.
    pub fn finish(&mut self, model: &Model) {
        self.tell(model, model.counts.passes.len());
    }

    /// Prints what the passes came to of which so many are over; those before the run are not its own.
    fn tell(&mut self, model: &Model, over: usize) {
        if self.verbose {
            let passes = &model.counts.passes;
            let told = self.passes_told.unwrap_or(passes.len().saturating_sub(1));
            for (k, pass) in passes.iter().enumerate().take(over).skip(told) {
                let (mistakes, updates, trials) = (pass.mistakes, pass.updates, pass.trials);
                print(format!("pass {}: {mistakes} mistakes and {updates} updates in {trials} trials", k + 1));
            }
            self.passes_told = Some(told.max(over));
        }
    }

    /// The trace as arrays by name.
    pub fn trace<'py>(self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(trace) = self.trace else { return Ok(None) };
        let arrays = PyDict::new(py);
        if trace.epochs.is_empty() {
            arrays.set_item("score", PyArray1::from_vec(py, trace.scores))?;
            arrays.set_item("mistake", PyArray1::from_vec(py, trace.mistakes))?;
            arrays.set_item("updated", PyArray1::from_vec(py, trace.updates))?;
        } else {
            arrays.set_item("epoch", PyArray1::from_vec(py, trace.epochs))?;
            arrays.set_item("errors", PyArray1::from_vec(py, trace.errors))?;
        }
        Ok(Some(arrays))
    }

    fn note(&mut self, score: f64, mistake: bool, updated: bool) {
        if let Some(trace) = &mut self.trace {
            trace.scores.push(score);
            trace.mistakes.push(mistake);
            trace.updates.push(updated);
        }
        if let Some(log) = &mut self.log {
            log.push(mistake, updated);
        }
    }
}

impl Watch for Onlooker {
    fn trial(&mut self, _: u64, y: Label, round: &Round) -> Result<()> {
        self.note(round.score, round.is_mistake(y), round.step != Step::Stay);
        Ok(())
    }

    fn rest_trial(&mut self, _: u64, _: &Classes, round: &ClassRound) -> Result<()> {
        self.note(round.score, round.is_mistake(), round.updates > 0);
        Ok(())
    }

    fn pause(&mut self, model: &Model) -> Result<bool> {
        self.tell(model, model.counts.passes.len().saturating_sub(1));
        self.tick().map(|()| false)
    }

    fn wants_epochs(&self) -> bool {
        self.trace.is_some() || self.verbose
    }

    fn epoch(&mut self, epoch: &Epoch) -> Result<()> {
        if let Some(trace) = &mut self.trace {
            trace.epochs.push(epoch.epoch);
            trace.errors.push(epoch.errors.errors);
        }
        if self.verbose {
            print(format!("epoch {}: {} errors in {} rows", epoch.epoch, epoch.errors.errors, epoch.errors.examples));
        }
        self.tick()
    }

    fn tick(&mut self) -> Result<()> {
        if Instant::now() < self.next_look {
            return Ok(());
        }
        self.next_look = Instant::now() + PATIENCE;
        self.interrupted = Python::attach(|py| py.check_signals()).err();
        if self.interrupted.is_some() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Prints a line where Python prints.
fn print(line: String) {
    // Where that fails, learning goes on.
    let _ = Python::attach(|py| py.import("builtins")?.call_method1("print", (line,)).map(drop));
}
