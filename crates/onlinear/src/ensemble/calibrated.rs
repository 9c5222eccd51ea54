//! A learner whose scores become probabilities by what came of its latest trials, without rows held out for that.
//!
//! Kept are the last trials: the score of the model as it was before the trial, and the label. Of the later half of all
//! trials, and of no more than are kept, the [`Calibration`] is made.

use std::sync::OnceLock;

use crate::error::{Message, Result};
use crate::learner::{
    AsksForLabels, Calibration, Example, Expected, Facts, Label, Learner, Leaves, Predictor, ReadsAhead, Step,
};
use crate::space::{Expansion, Finite, Overflow, Row};
use crate::state::State;

/// A learner that keeps what its calibration is made of.
pub(super) struct Calibrated {
    base: Box<dyn Learner>,
    /// Whether it learns from some labels only.
    asks: bool,
    /// What the model made of the row of the trial that has begun.
    of_model: f64,
    window: LatestTrials,
}

/// The last trials of a learner.
struct LatestTrials {
    /// How many trials are kept.
    most: usize,
    /// How many trials there were whose label the base was told.
    trials: u64,
    /// The scores and labels of the last of them …
    latest: Vec<(f64, Label)>,
    /// … of which this one is the next to be forgotten, once all are there.
    oldest: usize,
    /// What they amount to, once that was asked for.
    calibration: OnceLock<Option<Calibration>>,
}

impl Calibrated {
    pub(super) fn new(mut base: Box<dyn Learner>, window: u64) -> Calibrated {
        let (asks, window) = (base.asks().is_some(), usize::try_from(window).unwrap_or(usize::MAX));
        Calibrated { base, asks, of_model: 0.0, window: LatestTrials::new(window) }
    }
}

impl Learner for Calibrated {
    fn score(&self, x: Row<'_>) -> f64 {
        self.base.score(x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        let (score, of_model) = self.base.begin_with_model(x, lane);
        self.of_model = of_model;
        score
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let of_model = self.of_model;
        Overflow::check([of_model])?;
        let step = self.base.learn(example, score)?;
        if self.asks().is_none_or(|asks| asks.asked()) {
            self.window.keep((of_model, example.y));
        }
        Ok(step)
    }

    fn withhold(&mut self, trials: u64) {
        self.base.withhold(trials);
    }

    fn sureness(&mut self, x: Row<'_>, score: f64) -> f64 {
        self.base.sureness(x, score)
    }

    fn asks(&mut self) -> Option<&mut dyn AsksForLabels> {
        if self.asks { self.base.asks() } else { None }
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.base.ahead()
    }

    fn reads_ahead(&mut self) -> Option<&mut dyn ReadsAhead> {
        self.base.reads_ahead()
    }
}

impl Predictor for Calibrated {
    fn leaves(&self) -> Leaves<'_> {
        self.base.leaves()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.window.calibration()
    }

    fn memory(&self, features: usize) -> u64 {
        let pairs = size_of::<(f64, Label)>() * self.window.latest.len();
        self.base.memory(features).saturating_add(pairs as u64)
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        self.base.prepare(expected)
    }

    fn reseed(&mut self, seed: u64) {
        self.base.reseed(seed);
    }

    fn facts(&self) -> Facts {
        self.base.facts()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.base.state(state)?;
        state.within("calibration", |state| self.window.state(state))
    }
}

impl LatestTrials {
    fn new(most: usize) -> LatestTrials {
        LatestTrials { most, trials: 0, latest: Vec::new(), oldest: 0, calibration: OnceLock::new() }
    }

    /// The pairs kept, oldest first.
    fn in_order(&self) -> Vec<(f64, Label)> {
        let (later, earlier) = self.latest.split_at(self.oldest);
        [earlier, later].concat()
    }

    /// How many of them count, the latest: N = min(window, ⌈trials/2⌉).
    fn count(&self) -> usize {
        usize::try_from(self.trials.div_ceil(2)).unwrap_or(usize::MAX).min(self.latest.len())
    }

    /// Keeps another pair, maybe in the place of the oldest.
    fn keep(&mut self, pair: (f64, Label)) {
        if self.latest.len() < self.most {
            self.latest.push(pair);
        } else {
            self.latest[self.oldest] = pair;
            self.oldest = if self.oldest + 1 == self.most { 0 } else { self.oldest + 1 };
        }
        self.trials += 1;
        if self.calibration.get().is_some() {
            self.calibration.take();
        }
    }

    fn calibration(&self) -> Option<Calibration> {
        *self.calibration.get_or_init(|| Calibration::fit(&self.in_order()[self.latest.len() - self.count()..]))
    }

    /// Visits the fields.
    fn state(&mut self, state: &mut State) -> Result<()> {
        if state.is_merging() {
            return self.merge(state);
        }
        let (mut scores, mut positive): (Vec<f64>, Vec<u8>) =
            self.in_order().iter().map(|(score, y)| (*score, u8::from(*y == Label::Positive))).unzip();
        state.u64("trials", &mut self.trials)?;
        state.f64s("scores", &mut scores)?;
        state.u8s("positive", &mut positive)?;
        let known = usize::try_from(self.trials).unwrap_or(usize::MAX).min(self.most);
        let fits = scores.len() == known && positive.len() == known && positive.iter().all(|&class| class <= 1);
        state.require(fits, "scores and positive are not those of the last trials")?;
        if state.is_loading() {
            let labels = positive.into_iter().map(|class| Label::of_class(class.into()));
            (self.latest, self.oldest) = (scores.into_iter().zip(labels).collect(), 0);
        }
        let found = if state.is_loading() { None } else { self.calibration() };
        let mut sigmoid: Vec<f64> = found.iter().flat_map(|found| [found.slope, found.intercept]).collect();
        let mut pairs = found.map_or(0, |found| found.pairs);
        state.f64s("slope-and-intercept", &mut sigmoid)?;
        state.u64("pairs", &mut pairs)?;
        let is_of_pairs = pairs == self.count() as u64 && sigmoid.len() == if pairs > 0 { 2 } else { 0 };
        state.require(is_of_pairs, "slope-and-intercept and pairs are not those of the scores")?;
        let made = sigmoid.first_chunk().map(|&[slope, intercept]| Calibration { slope, intercept, pairs });
        self.calibration = OnceLock::from(made); // as it was made, whatever this machine makes of the pairs
        Ok(())
    }

    /// Loads the last trials of all parts, as if they had learned side by side: the latest of each, then those before,
    /// and before them all the base's.
    fn merge(&mut self, state: &mut State) -> Result<()> {
        let load = |state: &mut State| {
            let mut part = LatestTrials::new(self.most);
            part.state(state).map(|()| part)
        };
        let Some(all) = state.apart(load)? else { return Ok(()) };
        state.tally("trials", &mut self.trials)?;
        let own = |part: &LatestTrials| {
            let since = part.trials.saturating_sub(all.base.trials);
            part.in_order().into_iter().rev().take(usize::try_from(since).unwrap_or(usize::MAX))
        };
        let mut parts: Vec<_> = all.parts.iter().map(|(_, part)| own(part)).collect();
        let side_by_side = std::iter::from_fn(|| {
            let latest: Vec<(f64, Label)> = parts.iter_mut().filter_map(Iterator::next).collect();
            (!latest.is_empty()).then_some(latest)
        });
        let before = all.base.in_order().into_iter().rev();
        self.latest = side_by_side.flatten().chain(before).take(self.most).collect();
        self.latest.reverse();
        Ok(())
    }
}
