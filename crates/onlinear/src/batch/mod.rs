//! Learners that learn from all rows at once, to get as few of them wrong as they can: one file
//! each, named as in its paper.

pub mod averaged_sampled;
pub mod fld;
pub mod pocket;
pub mod rcd;
pub mod sgd;
pub mod svm;

mod order;
mod sample;
mod start;

pub use sample::{Sample, Training};

use crate::algorithm::{Kind, Parameter, Value};
use crate::error::{Message, Result, size};
use crate::learner::{Batch, Example, Expected, Fact, Learner, Round, Step};
use crate::space::{Row, Weights};
use crate::state::State;

pub(crate) use order::{ORDER, Order};
pub(crate) use start::{START, Start};

pub(crate) const EPOCHS: Parameter = Parameter {
    name: "epochs",
    aliases: &[],
    kind: Kind::Integer { low: 1, high: Kind::LARGEST_INTEGER },
    default: Value::Number(200.0),
    help: "how many epochs it learns for",
};

pub(crate) const SEED: Parameter = Parameter {
    name: "seed",
    aliases: &[],
    kind: Kind::Integer { low: 0, high: Kind::LARGEST_INTEGER },
    default: Value::Number(1.0),
    help: "where its random numbers start",
};

/// Looks on while a batch learner learns.
pub trait Epochs {
    /// Whether training errors are wanted where counting them costs extra.
    fn wants_errors(&self) -> bool {
        false
    }

    /// Some work is done. An error ends the learning.
    fn tick(&mut self) -> Result<()> {
        Ok(())
    }

    /// What the hypothesis gets wrong after so many epochs; 0 is the start.
    fn epoch(&mut self, _epoch: u64, _training: Training) -> Result<()> {
        Ok(())
    }
}

/// Nobody looks on.
impl Epochs for () {}

/// Tells `watch` that an epoch is over. Its errors are counted only where they are wanted, and in the end.
pub(crate) fn report(
    watch: &mut dyn Epochs,
    epoch: u64,
    is_last: bool,
    count: impl FnOnce() -> Training,
) -> Result<()> {
    if is_last || watch.wants_errors() { watch.epoch(epoch, count()) } else { watch.tick() }
}

/// How a batch learner finds its weight vector; all else is the same for all of them.
pub(crate) trait Rule: Send + Sync {
    /// The weight vector that the sample leads to.
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>>;

    /// Memory that so many features take beside the rows and the weights, in bytes.
    fn bytes(&self, _features: usize) -> u64 {
        0
    }

    /// Starts its random numbers anew.
    fn reseed(&mut self, _seed: u64) {}

    /// Further facts.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// What the user should know.
    fn warnings(&self) -> Vec<Message> {
        Vec::new()
    }

    /// Visits the fields behind the facts.
    fn state(&mut self, _state: &mut State) -> Result<()> {
        Ok(())
    }
}

/// A batch learner whose model is a weight vector.
#[derive(Default)]
pub(crate) struct Linear<R> {
    rule: R,
    w: Weights,
}

impl<R> Linear<R> {
    pub(crate) fn new(rule: R) -> Linear<R> {
        Linear { rule, w: Weights::default() }
    }
}

impl<R: Rule> Batch for Linear<R> {
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

impl<R: Rule> Learner for Linear<R> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.w.dot(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        Round { score: self.score(example.x), step: Step::Stay }
    }

    fn as_batch(&mut self) -> Option<&mut dyn Batch> {
        Some(self)
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let features = expected.features.unwrap_or(0);
        let bytes = self.rule.bytes(features);
        if expected.max_memory.is_some_and(|most| bytes > most) {
            let need = format!("a matrix of {features} × {features} needs {}", size(bytes));
            return Err(Message::beyond_memory(need));
        }
        Ok(())
    }

    fn weights(&self) -> Option<Vec<f64>> {
        Some(self.w.as_slice().to_vec())
    }

    fn bytes(&self, features: usize) -> u64 {
        8 * features as u64 + self.rule.bytes(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.rule.reseed(seed);
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        self.rule.facts()
    }

    fn warnings(&self) -> Vec<Message> {
        self.rule.warnings()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.f64s("weights", self.w.as_mut_vec())?;
        self.rule.state(state)
    }
}
