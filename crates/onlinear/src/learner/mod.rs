//! The protocols: predict, reveal, update; and learning from all rows at once.

mod block;
mod calibration;
mod direct;
mod fits_all;
mod leaves;
mod sample;

pub use block::rounds;
pub use calibration::Calibration;
pub use direct::{ClassExample, ClassScores, Direct};
pub use fits_all::{Epochs, FitsAll};
pub use leaves::Leaves;
pub use sample::{Sample, Training};

pub(crate) use leaves::{Formula, Score};

use crate::error::{Cure, Message, Result, size};
use crate::random::Random;
use crate::space::{Expansion, Finite, Overflow, Row};
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
    /// Its place among the rows that the learner was told of ahead: given with the row by the one loop alone.
    pub(crate) lane: Option<usize>,
}

impl<'a> Example<'a> {
    /// An example of weight 1 without an id.
    pub fn new(x: Row<'a>, y: Label) -> Example<'a> {
        Example { x, y, weight: 1.0, id: None, lane: None }
    }

    /// With this sample weight.
    pub fn weighing(self, weight: f64) -> Example<'a> {
        Example { weight, ..self }
    }

    /// At this position in the data, if it has one.
    pub fn at(self, id: Option<u64>) -> Example<'a> {
        Example { id, ..self }
    }
}

/// What the update of a trial did to the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The hypothesis is as it was.
    Stay,
    /// The hypothesis changed.
    Update,
    /// The score, or a number that the update would have left, is not finite: nothing changed, and no further trial
    /// will do.
    Overflow,
}

/// What came of one trial.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// f(x) before the update.
    pub score: f64,
    /// What the update did.
    pub step: Step,
    /// Whether the label was asked for, where the learner can do without.
    pub asked: Option<bool>,
}

impl Round {
    /// What is told of a trial that overflows.
    pub(crate) fn too_large(&self) -> String {
        let what = match self.score.is_finite() {
            true => "the update would leave a number that is not finite".to_string(),
            false => format!("the score is {}", self.score),
        };
        format!("{what}: the numbers have grown too large; scale or normalize the rows")
    }

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

/// What predicts once it has learned, however it learns.
pub trait Predictor: Send + Sync {
    /// The model that learning leaves behind. Prediction, export, support vectors, pictures and memory follow
    /// from it.
    fn leaves(&self) -> Leaves<'_>;

    /// Visits every field that makes up the state, to save it or to load it.
    fn state(&mut self, state: &mut State) -> Result<()>;

    /// Memory that weights and matrices over so many features take, and the rows held now, in bytes.
    fn memory(&self, features: usize) -> u64 {
        self.leaves().memory(features)
    }

    /// Takes in what is known before the first row, or says why it cannot work with that.
    fn prepare(&mut self, _expected: &Expected) -> std::result::Result<(), Message> {
        Ok(())
    }

    /// Starts its random numbers anew from `seed`, if it draws any.
    fn reseed(&mut self, _seed: u64) {}

    /// Begins with these weights in place of 0, before its first trial; whether it can.
    fn start_at(&mut self, _weights: &[f64]) -> bool {
        false
    }

    /// What makes probabilities of its scores, if it keeps what that takes.
    fn calibration(&self) -> Option<Calibration> {
        None
    }

    /// What a report says about it beyond its model.
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// A learner: a hypothesis that scores rows and changes trial by trial.
///
/// A round cannot peek, since the label is revealed after the score: `score(x)` just before equals the score of
/// `round` for either label. It leaves no number that is not finite.
pub trait Learner: Predictor {
    /// f(x) of the running hypothesis.
    fn score(&self, x: Row<'_>) -> f64;

    /// Begins a trial: f(x) of a row that has this lane among those it was told of ahead, if any.
    fn begin(&mut self, x: Row<'_>, _lane: Option<usize>) -> f64 {
        self.score(x)
    }

    /// Begins a trial as [`Learner::begin`] does; also gives what the model that it would leave now makes of the row:
    /// the score itself, unless it leaves another hypothesis than the one it runs with.
    fn begin_with_model(&mut self, x: Row<'_>, lane: Option<usize>) -> (f64, f64) {
        let score = self.begin(x, lane);
        (score, score)
    }

    /// Ends the trial of an example whose score was `score`, a finite number: reveals the label and updates. Where a
    /// number would no longer be finite, nothing changes.
    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step>;

    /// Ends so many trials of rows whose labels are not revealed: the hypothesis stays as it is, and who counts trials
    /// counts these. Without a default, since one that counts would be silently wrong with it.
    fn withhold(&mut self, trials: u64);

    /// How sure it is of a row whose trial has begun with this score.
    fn sureness(&mut self, _x: Row<'_>, score: f64) -> f64 {
        score.abs()
    }

    /// What decides whether a label is asked for, where it can do without.
    fn asks(&mut self) -> Option<&mut dyn AsksForLabels> {
        None
    }

    /// Its kernel expansion, if it has one: what gains from knowing rows ahead. Scores do not depend on it.
    fn ahead(&mut self) -> Option<&mut Expansion> {
        None
    }

    /// Its weights, if a trial begins with w·x and nothing else, and an update changes w at the components of its row
    /// alone.
    fn plain_weights(&self) -> Option<PlainWeights<'_>> {
        None
    }

    /// What must be shown all training rows before the first trial, if anything must.
    fn reads_ahead(&mut self) -> Option<&mut dyn ReadsAhead> {
        None
    }
}

/// The weights of a learner that needs a row for w·x and to learn from it, and for nothing else.
pub struct PlainWeights<'a> {
    /// w.
    pub w: &'a [f64],
    /// A trial with y w·x beyond this changes nothing, and ends as one whose label is withheld.
    pub stays_beyond: f64,
}

impl dyn Learner + '_ {
    /// One trial: predict, reveal, update.
    pub fn round(&mut self, example: &Example<'_>) -> Round {
        let score = self.begin(example.x, example.lane);
        self.finish(example, score)
    }

    /// The rest of a trial that has begun with this score.
    pub(crate) fn finish(&mut self, example: &Example<'_>, score: f64) -> Round {
        let step = if score.is_finite() { self.learn(example, score) } else { Err(Overflow) };
        Round { score, step: step.unwrap_or(Step::Overflow), asked: self.asks().map(|asks| asks.asked()) }
    }
}

/// What learns from some labels only.
pub trait AsksForLabels {
    /// Whether the label of the trial that ended last was asked for.
    fn asked(&self) -> bool;

    /// Whether it would ask for the label of this row: as in a trial, but nothing is learned. The draws are from
    /// `random`, which at first is a copy of its own.
    fn would_ask(&mut self, x: Row<'_>, random: &mut Option<Random>) -> bool;
}

/// What is shown all training rows before the first trial.
pub trait ReadsAhead {
    /// One of the training rows.
    fn read(&mut self, x: Row<'_>);

    /// All rows have been shown. Says why it cannot work with them, if so.
    fn end(&mut self) -> std::result::Result<(), Message>;
}

/// What a report says about a learner beyond its model.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Facts {
    /// Which of its exact forms it is in, where its model does not tell.
    pub form: Option<&'static str>,
    /// How many updates changed its matrix, if it has one that not every update changes.
    pub matrix_updates: Option<u64>,
    /// Rows kept by the model beside weights and support vectors.
    pub rows_kept: usize,
    /// Further facts, by the names that reports give them.
    pub further: Vec<(&'static str, Fact)>,
    /// What the user should know about the run so far.
    pub warnings: Vec<Message>,
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
