//! The protocol of learners that tell all classes apart at once, with a hypothesis for each.

use super::{Leaves, Step};
use crate::error::Result;
use crate::space::{Finite, Overflow, Row, Rows, SupportSet};
use crate::state::State;

/// A row with its class: what one trial among all classes is made of.
#[derive(Clone, Copy, Debug)]
pub struct ClassExample<'a> {
    /// The instance.
    pub x: Row<'a>,
    /// Its class by number.
    pub class: usize,
    /// Its position in the data, if it has one.
    pub id: Option<u64>,
    /// Its place among the rows that the learner was told of ahead, if any.
    pub(crate) lane: Option<usize>,
}

impl<'a> ClassExample<'a> {
    /// An example without an id.
    pub fn new(x: Row<'a>, class: usize) -> ClassExample<'a> {
        ClassExample { x, class, id: None, lane: None }
    }

    /// At this position in the data, if it has one.
    pub fn at(self, id: Option<u64>) -> ClassExample<'a> {
        ClassExample { id, ..self }
    }
}

/// What all hypotheses make of a row of a known class.
#[derive(Clone, Debug)]
pub struct ClassScores {
    /// f_c(x) of each class.
    pub scores: Vec<f64>,
    /// s: of the wrong classes the one with the largest score, the first of equal ones.
    pub rival: usize,
    /// m = f_y(x) − f_s(x): a mistake where it is ≤ 0.
    pub margin: f64,
}

impl ClassScores {
    /// What these scores say of a row of class y, if they are finite.
    fn of(scores: Vec<f64>, y: usize) -> Finite<ClassScores> {
        Overflow::check(scores.iter().copied())?;
        let wrong = (0..scores.len()).filter(|&c| c != y);
        let rival = wrong.reduce(|best, c| if scores[c] > scores[best] { c } else { best }).unwrap_or(y);
        let margin = scores[y] - scores[rival];
        Overflow::check([margin])?;
        Ok(ClassScores { scores, rival, margin })
    }
}

/// A learner with a hypothesis for each class, which learn together: the class of the largest score is predicted.
pub trait Direct: Send + Sync {
    /// How many classes there are.
    fn classes(&self) -> usize;

    /// Begins a trial: appends f_c(x) of each class, for a row that has this lane among those it was told of ahead.
    fn begin(&mut self, x: Row<'_>, lane: Option<usize>, scores: &mut Vec<f64>);

    /// Ends the trial of an example of which these were the scores: reveals the class and updates.
    fn learn(&mut self, example: &ClassExample<'_>, scores: &ClassScores) -> Finite<Step>;

    /// One trial: predict, reveal, update. A number that is not finite ends the run.
    fn round(&mut self, example: &ClassExample<'_>) -> Finite<(ClassScores, Step)> {
        let mut scores = Vec::with_capacity(self.classes());
        self.begin(example.x, example.lane, &mut scores);
        let scores = ClassScores::of(scores, example.class)?;
        let step = self.learn(example, &scores)?;
        Ok((scores, step))
    }

    /// The support vectors that all classes share, if there are any: what gains from knowing rows ahead.
    fn ahead(&mut self) -> Option<&mut SupportSet>;

    /// What learning leaves behind of one class.
    fn leaves(&self, class: usize) -> Leaves<'_>;

    /// The models' scores of all rows, one row after another.
    fn scores(&self, rows: &Rows) -> Vec<f64>;

    /// How many support vectors there are; none in primal form.
    fn support_len(&self) -> Option<usize>;

    /// Memory that weights over so many features take, and the rows held now, in bytes.
    fn memory(&self, features: usize) -> u64;

    /// Visits every field that makes up the state, to save it or to load it.
    fn state(&mut self, state: &mut State) -> Result<()>;
}
