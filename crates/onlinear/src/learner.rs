//! The protocol of online learning: predict, reveal, update.

use crate::error::Result;
use crate::space::Row;
use crate::state::State;

/// One of the two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// y = −1
    Negative,
    /// y = +1
    Positive,
}

impl Label {
    /// y as a number: −1 or +1.
    pub fn sign(self) -> f64 {
        match self {
            Label::Negative => -1.0,
            Label::Positive => 1.0,
        }
    }

    /// The label a score predicts: +1 for f(x) ≥ 0, else −1.
    pub fn predicted(score: f64) -> Label {
        if score >= 0.0 { Label::Positive } else { Label::Negative }
    }

    /// The other label.
    pub fn flipped(self) -> Label {
        match self {
            Label::Negative => Label::Positive,
            Label::Positive => Label::Negative,
        }
    }
}

/// A row with its label: what one trial is made of.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// The instance.
    pub x: Row<'a>,
    /// Its label.
    pub y: Label,
    /// Its sample weight; 1 unless the data say otherwise.
    pub weight: f64,
    /// Its position in the data, if it has one: two rows with one id are the same row met again.
    pub id: Option<u64>,
}

impl<'a> Example<'a> {
    /// An example of weight 1 without an id.
    pub fn new(x: Row<'a>, y: Label) -> Example<'a> {
        Example { x, y, weight: 1.0, id: None }
    }
}

/// What the update of a trial did to the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The hypothesis is as it was.
    Stay,
    /// The hypothesis changed.
    Update,
}

/// The outcome of one trial.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// f(x) before the update.
    pub score: f64,
    /// What the update did.
    pub step: Step,
}

impl Round {
    /// A trial whose label was `y` is a mistake when y·f(x) ≤ 0: a zero score is a mistake.
    pub fn is_mistake(&self, y: Label) -> bool {
        y.sign() * self.score <= 0.0
    }
}

/// A learner: a hypothesis that scores rows and changes trial by trial.
///
/// `round` cannot fail and cannot peek: `score(x)` just before equals the score of
/// `round` for either label.
pub trait Learner: Send + Sync {
    /// f(x) of the running hypothesis.
    fn score(&self, x: Row<'_>) -> f64;

    /// One trial: predict, reveal, update.
    fn round(&mut self, example: &Example<'_>) -> Round;

    /// The score of the model that learning leaves behind; differs from [`Learner::score`]
    /// for learners that average or vote.
    fn output(&self, x: Row<'_>) -> f64 {
        self.score(x)
    }

    /// Says how many features there are, when that is known before the first trial.
    fn expect_features(&mut self, _features: usize) {}

    /// The weight vector behind [`Learner::output`], if the model is one.
    fn weights(&self) -> Option<Vec<f64>>;

    /// Memory that one further feature costs, in bytes.
    fn bytes_per_feature(&self) -> usize;

    /// Rows kept by the model beside the weights (0 for most linear learners).
    fn rows_kept(&self) -> usize {
        0
    }

    /// Visits every field that makes up the state, to save it or to load it.
    fn state(&mut self, state: &mut State) -> Result<()>;
}
