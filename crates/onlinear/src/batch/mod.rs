//! Learners that learn from all rows at once, to get as few of them wrong as they can: one file
//! each, named as in its paper.

pub(crate) mod averaged_sampled;
pub(crate) mod fld;
pub(crate) mod pocket;
pub(crate) mod rcd;
pub(crate) mod sgd;
pub(crate) mod svm;

pub(crate) mod dual_descent;
mod order;
mod proximal_newton;
mod start;

use crate::error::{Message, Result, size};
use crate::learner::{Epochs, Expected, Facts, FitsAll, Leaves, Predictor, Sample, Training};
use crate::space::{Row, Weights};
use crate::spec::{Algorithm, Declaration, Kind, whole};
use crate::state::{Apart, State};

use order::RowOrder;
use start::StartVector;

/// How many epochs there are.
pub(crate) const EPOCHS: Declaration<u64> =
    whole("epochs", 200, 1, Kind::LARGEST_INTEGER, "how many epochs it learns for");

/// What every batch learner here says of itself: for `..BATCH` at the end of a declaration.
pub(crate) const BATCH: Algorithm =
    Algorithm { takes_weights: |_| true, stages: &["range", "bias"], ..Algorithm::ONLINE };

/// Tells `watch` that an epoch is over. Its errors and weights are computed only where they are wanted, and in the
/// end.
fn report(
    watch: &mut dyn Epochs,
    epoch: u64,
    is_last: bool,
    weights: impl FnOnce() -> Vec<f64>,
    sample: &Sample,
) -> Result<()> {
    if !is_last && !watch.wants(epoch) {
        return watch.tick();
    }
    let w = weights();
    watch.epoch(epoch, sample.errors(&w)?, &Leaves::weights_of(&w))
}

/// How a batch learner finds its weight vector; all else every one of them has in common.
trait BatchRule: Send + Sync {
    /// The weight vector that the sample leads to.
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>>;

    /// Memory that so many features take beside the rows and the weights, in bytes.
    fn memory(&self, _features: usize) -> u64 {
        0
    }

    /// Starts its random numbers anew.
    fn reseed(&mut self, _seed: u64) {}

    /// What a report says about it.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Visits the fields behind the facts.
    fn state(&mut self, _state: &mut State) -> Result<()> {
        Ok(())
    }
}

/// A batch learner whose model is a weight vector.
struct Linear<R> {
    rule: R,
    w: Weights,
}

impl<R> Linear<R> {
    fn new(rule: R) -> Linear<R> {
        Linear { rule, w: Weights::default() }
    }
}

impl<R: BatchRule> FitsAll for Linear<R> {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<()> {
        if !sample.has_both_classes() {
            return Err(sample.refusal("every row is of one class; a batch learner needs rows of both"));
        }
        let w = self.rule.fit(sample, watch)?;
        if w.iter().any(|w| !w.is_finite()) {
            return Err(sample.refusal("the weights have grown too large; scale or normalize the rows"));
        }
        *self.w.as_mut_vec() = w;
        Ok(())
    }
}

impl<R: BatchRule> Predictor for Linear<R> {
    fn leaves(&self) -> Leaves<'_> {
        Leaves::weights_of(self.w.as_slice())
    }

    fn memory(&self, features: usize) -> u64 {
        8 * features as u64 + self.rule.memory(features)
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let features = expected.features.unwrap_or(0);
        let bytes = self.rule.memory(features);
        if expected.max_memory.is_some_and(|most| bytes > most) {
            let need = format!("a matrix of {features} × {features} needs {}", size(bytes));
            return Err(Message::beyond_memory(need));
        }
        Ok(())
    }

    fn reseed(&mut self, seed: u64) {
        self.rule.reseed(seed);
    }

    fn facts(&self) -> Facts {
        self.rule.facts()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let load = |state: &mut State| {
            let mut w = Vec::new();
            state.over_features("weights", &mut w).map(|()| w)
        };
        match state.apart(load)? {
            Some(Apart { mut parts, base, mean }) => {
                for ((_, w), classes) in parts.iter_mut().zip(state.of_all_classes("weights")) {
                    divide(w, length(&classes));
                }
                *self.w.as_mut_vec() = Apart { parts, base, mean }.mixed();
            }
            None => state.over_features("weights", self.w.as_mut_vec())?,
        }
        self.rule.state(state)
    }
}

/// The length of the weights of all classes together. A model predicts the same whatever it is; the lengths of its
/// classes beside each other are not for us to change, since the class of the highest score is predicted.
fn length(classes: &[&[f64]]) -> f64 {
    match classes {
        [w] => Row::Dense(w).norm(2.0),
        all => Row::Dense(&all.iter().map(|w| Row::Dense(w).norm(2.0)).collect::<Vec<f64>>()).norm(2.0),
    }
}

/// w/length; 0 stays 0.
fn divide(w: &mut [f64], length: f64) {
    w.iter_mut().for_each(|w| *w = if length > 0.0 { *w / length } else { 0.0 });
}

/// A weight vector with its training errors, for a watch.
fn tell(watch: &mut dyn Epochs, epoch: u64, training: Training, w: &[f64]) -> Result<()> {
    watch.epoch(epoch, training, &Leaves::weights_of(w))
}
