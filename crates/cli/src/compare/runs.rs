//! The runs of a comparison: every learner on every shuffle of the rows.

use std::sync::PoisonError;

use onlinear::workshop::{Baseline, Epoch, Log, MOST_PASSES, Run, Scratch, Split, TestPoints, Value, risk};
use onlinear::{Label, Message, Metrics, Model, Passes, Round, RowsInMemory, Spec, Step, Watch};

use super::{CompareArguments, Entrant};
use crate::boundary::{self, PlaneRow};
use crate::curves::{Curve, EpochPoint, Sampler};
use crate::interrupt;
use crate::interrupt::InterruptWatch;
use crate::machine::ThreadClock;
use crate::progress::attempts;

/// What is to be run.
pub struct ComparisonPlan<'a> {
    pub arguments: &'a CompareArguments,
    pub entrants: &'a [Entrant],
    pub held: &'a RowsInMemory,
    /// The rows to test on, where they are not held out.
    pub test: Option<&'a RowsInMemory>,
    /// The rows of each repeat.
    pub splits: &'a [Split],
}

/// What one run of one learner found.
pub struct EntrantRun {
    /// Mistakes and updates, of learners that learn row by row.
    pub mistakes: Option<u64>,
    /// What a theorem puts on the mistakes, where that was asked for and one applies.
    pub bound: Option<f64>,
    /// The mean error of its hypotheses on new rows is at most this, with confidence.
    pub risk: Option<f64>,
    pub updates: Option<u64>,
    /// Shares of rows that were wrong.
    pub online_error: Option<f64>,
    pub train_error: f64,
    /// On the test rows.
    pub metrics: Metrics,
    pub baseline: Baseline,
    pub support: Option<usize>,
    pub seconds: f64,
    /// The size of the model file.
    pub bytes: usize,
    pub curve: Curve,
    /// The model, where it is to be drawn.
    pub model: Option<Model>,
    /// Things the user should know.
    pub warnings: Vec<Message>,
}

impl ComparisonPlan<'_> {
    /// Runs every learner on every split: a list of runs for each learner, or why it has none.
    pub fn run(&self) -> Vec<onlinear::Result<Vec<EntrantRun>>> {
        let run = |learner: usize, repeat: usize| self.run_one(&self.entrants[learner], repeat);
        attempts(self.entrants.len(), self.splits.len(), self.arguments.print.quiet, run)
    }

    fn run_one(&self, entrant: &Entrant, repeat: usize) -> onlinear::Result<EntrantRun> {
        let Split { train, test } = &self.splits[repeat];
        let passes = Passes::Exactly(self.passes(entrant)?);
        let wants_figures = self.arguments.wants_figures();
        let everything: Vec<usize> = (0..self.test.map_or(0, RowsInMemory::len)).collect();
        let (tester, test) = self.test.map_or((self.held, test), |other| (other, &everything));
        let epochs = if wants_figures { doubling(&entrant.fresh.spec) } else { Vec::new() };
        let run = Run {
            fresh: &entrant.fresh,
            rows: train,
            passes,
            max_memory: self.arguments.rows.max_memory(),
            checkpoints: Some(TestPoints { epochs: &epochs, held: tester, rows: test }),
        };
        let mut observer =
            Observer { sampler: Sampler::new(wants_figures, 0), log: self.arguments.certificate.then(Log::default) };
        let clock = ThreadClock::start();
        let outcome = self.held.learn(&run, &mut observer)?;
        // Other runs share the processor: what this one took of it does not depend on how many there are.
        let seconds = outcome.seconds.learn * clock.share();
        let certificate = observer
            .log
            .as_ref()
            .map(|log| self.held.certify(&run, &outcome, log, self.arguments.confidence, &mut InterruptWatch))
            .transpose()?;
        let mut model = outcome.model;
        let metrics = tester.metrics(&model, test)?;
        let trained = match outcome.train {
            Some(errors) => errors,
            None => self.held.test(&model, train)?,
        };
        let mut curve = observer.sampler.finish(&model);
        if wants_figures {
            let on_the_way = outcome.tested.iter().map(|&(epochs, errors)| EpochPoint { epochs, error: errors.rate() });
            let end = curve.epochs.last().map(|last| EpochPoint { epochs: last.epochs, error: metrics.error() });
            curve.tested = on_the_way.chain(end).collect();
        }
        let total = model.counts.total();
        let online = |count: u64| (total.trials > 0).then_some(count);
        Ok(EntrantRun {
            mistakes: online(total.mistakes),
            bound: certificate.and_then(|certificate| certificate.before.bound),
            risk: risk(&model, self.arguments.confidence).bound.ok().map(|(bound, _)| bound),
            updates: online(total.updates),
            online_error: online(model.wrong_trials()).map(|wrong| wrong as f64 / total.trials as f64),
            train_error: trained.rate(),
            baseline: metrics.baseline(model.counts.largest_class()),
            metrics,
            support: model.learner.support(),
            seconds,
            bytes: model.to_bytes()?.len(),
            curve,
            model: (self.draws_planes() && repeat == 0).then_some(model),
            warnings: outcome.warnings,
        })
    }

    /// How often a learner passes over the rows: as often as is best for the first repeat, where nobody says.
    fn passes(&self, entrant: &Entrant) -> onlinear::Result<u64> {
        let mut passes = entrant.passes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(passes) = *passes {
            return Ok(passes);
        }
        let run = Run {
            fresh: &entrant.fresh,
            rows: &self.splits[0].train,
            passes: Passes::EarlyStop(MOST_PASSES),
            max_memory: self.arguments.rows.max_memory(),
            checkpoints: None,
        };
        Ok(*passes.insert(self.held.passes(&run, &mut InterruptWatch)?))
    }

    /// Whether the learners can be drawn as parts of a plane.
    fn draws_planes(&self) -> bool {
        self.arguments.wants_figures() && self.held.features() == 2 && self.held.classes().len() == 2
    }

    /// The training rows of the first repeat, where they lie in a plane.
    pub fn spots(&self) -> Vec<PlaneRow> {
        let mut scratch = Scratch::default();
        let mut spot = |&row: &usize| Some(PlaneRow::of(self.held.row(row, &mut scratch)?, self.held.class(row)));
        let rows = if self.draws_planes() { &self.splits[0].train[..] } else { &[] };
        rows.iter().take(boundary::MOST).filter_map(&mut spot).collect()
    }
}

/// After which epochs or rounds a batch learner is tested: 1, 2, 4, … and before the last.
fn doubling(spec: &Spec) -> Vec<u64> {
    let number = |key: &'static str| match spec.get(key) {
        Some(Value::Number(number)) if spec.is_batch() => Some(number as u64),
        _ => None,
    };
    let last = number("rounds").or(number("epochs")).unwrap_or(0);
    std::iter::successors(Some(1u64), |epochs| epochs.checked_mul(2)).take_while(|&epochs| epochs < last).collect()
}

/// Looks at a run for its curves and its certificate, and stops it on Ctrl-C.
struct Observer {
    sampler: Sampler,
    log: Option<Log>,
}

impl Watch for Observer {
    fn trial(&mut self, _t: u64, y: Label, round: &Round) -> onlinear::Result<()> {
        if let Some(log) = &mut self.log {
            log.push(round.is_mistake(y), round.step != Step::Stay);
        }
        Ok(())
    }

    fn pause(&mut self, model: &Model) -> onlinear::Result<bool> {
        self.sampler.pause(model);
        self.tick().map(|()| false)
    }

    fn next_pause(&self) -> u64 {
        self.sampler.next
    }

    fn wants_epochs(&self) -> bool {
        self.sampler.is_wanted
    }

    fn epoch(&mut self, epoch: &Epoch) -> onlinear::Result<()> {
        self.sampler.epoch(epoch);
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        interrupt::check()
    }
}
