//! The protocol of online learning: predict, reveal, update; and of learning from all rows at once.

use crate::batch::{Epochs, Sample};
use crate::error::{Cure, Message, Result, size};
use crate::space::{Hypothesis, Row, Rows, SupportSet};
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

    /// The class of this number of two: 0 is negative, 1 positive.
    pub fn of_class(class: usize) -> Label {
        Label::one_of(class == 1)
    }

    /// +1 where `positive` holds, else −1.
    pub(crate) fn one_of(positive: bool) -> Label {
        if positive { Label::Positive } else { Label::Negative }
    }

    /// The other label.
    pub fn flipped(self) -> Label {
        match self {
            Label::Negative => Label::Positive,
            Label::Positive => Label::Negative,
        }
    }
}

/// The number of the class among two.
impl From<Label> for usize {
    fn from(label: Label) -> usize {
        usize::from(label == Label::Positive)
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

/// What is known before the first trial.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// The number of features.
    pub features: Option<usize>,
    /// The number of rows.
    pub rows: Option<usize>,
    /// The memory that weights and matrices may take, in bytes.
    pub max_memory: Option<u64>,
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

    /// What the learner scores with, if that is one of the two standard forms. The methods below
    /// that speak of forms, support and look-ahead then need not be written.
    fn hypothesis(&self) -> Option<&Hypothesis> {
        None
    }

    /// The same, to change.
    fn hypothesis_mut(&mut self) -> Option<&mut Hypothesis> {
        None
    }

    /// How many rows the learner likes to know ahead; 1 if that is no use to it.
    fn block(&self) -> usize {
        self.hypothesis().map_or(1, Hypothesis::block)
    }

    /// Announces the rows of the next trials, at most [`Learner::block`] of them: exactly these, in
    /// this order. Scores do not depend on it. No rows end the look-ahead.
    fn look_ahead(&mut self, rows: &Rows) {
        if let Some(f) = self.hypothesis_mut() {
            f.look_ahead(rows);
        }
    }

    /// Appends [`Learner::output`] of each row.
    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        out.extend((0..rows.len()).map(|i| self.output(rows.row(i))));
    }

    /// Takes in what is known before the first trial, or says why it cannot work with that.
    fn prepare(&mut self, _expected: &Expected) -> std::result::Result<(), Message> {
        Ok(())
    }

    /// One of the training rows, all of which are shown before the first trial to a learner that
    /// needs them all.
    fn read_ahead(&mut self, _x: Row<'_>) {}

    /// All rows have been shown. Says why it cannot work with them, if so.
    fn end_read_ahead(&mut self) -> std::result::Result<(), Message> {
        Ok(())
    }

    /// Which of its exact forms the learner is in.
    fn form(&self) -> &'static str {
        self.hypothesis().map_or("primal", Hypothesis::form)
    }

    /// How many support vectors it holds; none in primal form.
    fn support(&self) -> Option<usize> {
        self.hypothesis().and_then(Hypothesis::support)
    }

    /// How many updates changed its matrix, if it has one that not every update changes.
    fn matrix_updates(&self) -> Option<u64> {
        None
    }

    /// The weight vector behind [`Learner::output`], if the model is one.
    fn weights(&self) -> Option<Vec<f64>> {
        self.hypothesis()?.weights().map(|w| w.as_slice().to_vec())
    }

    /// The support vectors and their coefficients behind [`Learner::output`], if the model is made of them.
    fn expansion(&self) -> Option<(&SupportSet, Vec<f64>)> {
        let f = self.hypothesis()?.expansion()?;
        Some((f.set(), f.coefficients().to_vec()))
    }

    /// Memory that weights and matrices over so many features take, in bytes.
    fn bytes(&self, features: usize) -> u64;

    /// Memory that the rows it holds take now, with what is kept for pairs of them, in bytes.
    fn held(&self) -> u64 {
        self.hypothesis().map_or(0, Hypothesis::held)
    }

    /// Further facts about this learner, by the names that reports give them.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// Starts its random numbers anew from `seed`, if it draws any.
    fn reseed(&mut self, _seed: u64) {}

    /// The learner as one that learns from all rows at once, if it does.
    fn as_batch(&mut self) -> Option<&mut dyn Batch> {
        None
    }

    /// What the user should know about the run so far.
    fn warnings(&self) -> Vec<Message> {
        Vec::new()
    }

    /// Rows kept by the model beside the weights (0 for most linear learners).
    fn rows_kept(&self) -> usize {
        0
    }

    /// Visits every field that makes up the state, to save it or to load it.
    fn state(&mut self, state: &mut State) -> Result<()>;
}

/// What a learner that learns from all rows at once has beyond a [`Learner`]. Its
/// [`Learner::round`] scores the row and changes nothing.
pub trait Batch {
    /// Learns from these rows alone; `watch` is told of each epoch and can end the learning.
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<()>;
}

/// A fact about a run, for its report.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A figure.
    Number(f64),
    /// A text; `None` where there is nothing to say.
    Text(Option<String>),
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fact::Number(number) => number.fmt(f),
            Fact::Text(text) => f.write_str(text.as_deref().unwrap_or("no")),
        }
    }
}

/// What to say where weights do not fit in memory.
pub(crate) fn too_many_features(features: usize, bytes: u64) -> Message {
    Message::beyond_memory(format!("{features} features need {}", size(bytes))).and(Cure::HashFeatures)
}
