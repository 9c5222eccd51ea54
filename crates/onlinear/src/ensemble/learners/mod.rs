//! The learners of a model: one alone for two classes, one for each class against the rest for more, or one that tells
//! all classes apart at once.

mod abreast;
mod block;
mod class_round;
mod facts;
mod probabilities;

pub(crate) use block::RowMeta;
pub use class_round::{ClassRound, predicted_class};
pub use probabilities::Probabilities;

use std::time::Duration;

use super::calibrated::Calibrated;
use crate::error::{Message, Result};
use crate::learner::{Direct, Expected, Facts, Learner, Leaves, Round};
use crate::parallel;
use crate::random::Random;
use crate::space::{Row, Rows};
use crate::spec::{AnyLearner, Spec};
use crate::state::State;
use abreast::scores_abreast;
use block::{rounds_apart, rounds_together};
use facts::all_facts;

/// Rows that are scored, or met in trials, by one class after another rather than row by row.
const ROWS: usize = 64;
/// As many times the number of classes, where that is more: the weights of a class then come from far memory once for
/// all of them, and the rows ahead never take more than three times the memory of the weights.
const ROWS_PER_CLASS: usize = 2;
const MOST_ROWS: usize = 4096;

/// One learner, or one for each of more than two classes, or one for all. What counts something counts it in all of
/// them.
pub struct Learners {
    all: Together,
    /// How long the last block of trials took.
    pace: Duration,
}

/// How classes are told apart.
enum Together {
    /// By one learner, or by one for each class against the rest: never none.
    Apart(Vec<AnyLearner>),
    /// By one that has a hypothesis for each class.
    Direct(Box<dyn Direct>),
}

impl From<AnyLearner> for Learners {
    fn from(learner: AnyLearner) -> Learners {
        Learners { all: Together::Apart(vec![learner]), pace: Duration::ZERO }
    }
}

impl Learners {
    /// Fresh learners for so many classes.
    pub fn new(spec: &Spec, classes: usize) -> Learners {
        let count = if classes > 2 { classes } else { 1 };
        let apart = || Together::Apart((0..count).map(|_| spec.learner()).collect());
        Learners { all: spec.direct(classes).map_or_else(apart, Together::Direct), pace: Duration::ZERO }
    }

    /// The same, of which each keeps so many trials for its calibration; what learns from all rows at once, or has all
    /// classes, has none.
    pub(crate) fn calibrated(self, window: u64) -> Learners {
        let calibrated = |learner| match learner {
            AnyLearner::Online(base) => AnyLearner::Online(Box::new(Calibrated::new(base, window))),
            batch => batch,
        };
        let all = match self.all {
            Together::Apart(all) => Together::Apart(all.into_iter().map(calibrated).collect()),
            direct => direct,
        };
        Learners { all, ..self }
    }

    /// What makes probabilities of their scores, if they keep what that takes and have met rows.
    pub fn probabilities(&self) -> Option<Probabilities> {
        let apart = self.apart().iter().map(|learner| learner.calibration());
        apart.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty()).map(Probabilities)
    }

    /// How many scores a row has: 1 for two classes, unless one learner has a score for each.
    #[allow(clippy::len_without_is_empty)] // there is always one
    pub fn len(&self) -> usize {
        match &self.all {
            Together::Apart(all) => all.len(),
            Together::Direct(direct) => direct.classes(),
        }
    }

    /// Whether one learner tells two classes apart by the sign of its score.
    pub fn is_alone(&self) -> bool {
        self.len() == 1
    }

    /// Whether one learner has a hypothesis for each class.
    pub fn is_direct(&self) -> bool {
        matches!(self.all, Together::Direct(_))
    }

    /// The learners that know of two classes each.
    fn apart(&self) -> &[AnyLearner] {
        match &self.all {
            Together::Apart(all) => all,
            Together::Direct(_) => &[],
        }
    }

    /// The same, to change.
    pub(crate) fn apart_mut(&mut self) -> &mut [AnyLearner] {
        match &mut self.all {
            Together::Apart(all) => all,
            Together::Direct(_) => &mut [],
        }
    }

    /// What learning leaves behind of each class, or of the only learner.
    pub fn leaves(&self) -> impl Iterator<Item = Leaves<'_>> {
        (0..self.len()).map(|k| self.leaves_of(k))
    }

    /// What learning leaves behind of class number `k`, or of the only learner.
    pub fn leaves_of(&self, k: usize) -> Leaves<'_> {
        match &self.all {
            Together::Apart(all) => all[k].leaves(),
            Together::Direct(direct) => direct.leaves(k),
        }
    }

    /// How many rows they like to know ahead in trials; 1 if that is no use.
    pub(crate) fn block(&mut self) -> usize {
        let has_kernel = match &mut self.all {
            Together::Apart(all) => all[0].online().is_some_and(|learner| learner.ahead().is_some()),
            Together::Direct(direct) => direct.ahead().is_some(),
        };
        match self.is_alone() {
            _ if has_kernel => Leaves::MOST_ROWS,
            true => 1,
            false => (ROWS_PER_CLASS * self.len()).clamp(ROWS, MOST_ROWS),
        }
    }

    /// The learner for two classes, if it learns by trials.
    #[inline]
    pub fn alone(&mut self) -> Option<&mut dyn Learner> {
        self.apart_mut().first_mut()?.online()
    }

    /// Trials of all learners on at most [`Learners::block`] rows, up to the first that overflows for one of them. The
    /// others may have met more of the block by then.
    pub(crate) fn rounds(&mut self, rows: &Rows, meta: &[RowMeta]) -> Vec<std::result::Result<ClassRound, Round>> {
        let Learners { all, pace } = self;
        match all {
            Together::Apart(all) => rounds_apart(all, pace, rows, meta),
            Together::Direct(direct) => rounds_together(direct.as_mut(), rows, meta),
        }
    }

    /// The score of each learner's model for each row, one row after another.
    pub fn scores(&self, rows: &Rows) -> Vec<f64> {
        let all = match &self.all {
            Together::Apart(all) => all,
            Together::Direct(direct) => return direct.scores(rows),
        };
        if let Some(scores) = scores_abreast(all, rows) {
            return scores;
        }
        let of_class = parallel::map_if(rows.len() >= ROWS, all.len(), |k| {
            let mut scores = Vec::with_capacity(rows.len());
            all[k].leaves().scores(rows, &mut scores);
            scores
        });
        let mut scores = vec![0.0; rows.len() * all.len()];
        for (k, of_class) in of_class.iter().enumerate() {
            scores[k..].iter_mut().step_by(all.len()).zip(of_class).for_each(|(score, own)| *score = *own);
        }
        scores
    }

    /// The score of the model for two classes.
    pub fn score(&self, x: Row<'_>) -> f64 {
        self.leaves_of(0).score(x)
    }

    /// Whether any of them would ask for the label of a row, if they ask for labels; `randoms` has the draws of each.
    pub(crate) fn would_ask(&mut self, x: Row<'_>, randoms: &mut Vec<Option<Random>>) -> Option<bool> {
        randoms.resize(self.len(), None);
        let online = self.apart_mut().iter_mut().zip(randoms).filter_map(|(one, random)| Some((one.online()?, random)));
        let asked: Vec<bool> =
            online.filter_map(|(learner, random)| Some(learner.asks()?.would_ask(x, random))).collect();
        (!asked.is_empty()).then(|| asked.contains(&true))
    }

    /// Takes in what is known before the first trial; each may use its share of the memory.
    pub fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let max_memory = expected.max_memory.map(|most| most / self.len() as u64);
        self.apart_mut().iter_mut().try_for_each(|learner| learner.prepare(&Expected { max_memory, ..*expected }))
    }

    /// One of the rows that all are shown before the first trial.
    pub(crate) fn read_ahead(&mut self, x: Row<'_>) {
        let online = self.apart_mut().iter_mut().filter_map(|learner| learner.online());
        online.filter_map(|learner| learner.reads_ahead()).for_each(|ahead| ahead.read(x));
    }

    /// All rows have been shown.
    pub(crate) fn end_read_ahead(&mut self) -> std::result::Result<(), Message> {
        let online = self.apart_mut().iter_mut().filter_map(|learner| learner.online());
        online.filter_map(|learner| learner.reads_ahead()).try_for_each(|ahead| ahead.end())
    }

    /// Which exact form they are in.
    pub fn form(&self) -> &'static str {
        let own = self.apart().first().and_then(|first| first.facts().form);
        own.unwrap_or_else(|| self.leaves_of(0).form())
    }

    /// How many support vectors they hold; none in primal form.
    pub fn support(&self) -> Option<usize> {
        match &self.all {
            Together::Apart(all) => all.iter().map(|learner| learner.leaves().support_len()).sum(),
            Together::Direct(direct) => direct.support_len(),
        }
    }

    /// The weight vector, where there is but one.
    pub fn weights(&self) -> Option<Vec<f64>> {
        self.leaves_of(0).weights().filter(|_| self.is_alone()).map(|weights| weights.into_owned())
    }

    /// Memory over so many features, with the rows held now, in bytes.
    pub fn memory(&self, features: usize) -> u64 {
        match &self.all {
            Together::Apart(all) => all.iter().fold(0u64, |sum, learner| sum.saturating_add(learner.memory(features))),
            Together::Direct(direct) => direct.memory(features),
        }
    }

    /// What a report says of all of them: counts added up, the least of what is a least.
    pub fn facts(&self) -> Facts {
        all_facts(self.apart().iter().map(|learner| learner.facts()))
    }

    /// Visits every field: as `learner.…`, or `learner.0.…`, `learner.1.…` for the classes.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        state.within("learner", |state| match &mut self.all {
            Together::Apart(all) if all.len() == 1 => all[0].state(state),
            Together::Apart(all) => {
                let mut numbered = all.iter_mut().enumerate();
                numbered.try_for_each(|(k, learner)| state.within(&k.to_string(), |state| learner.state(state)))
            }
            Together::Direct(direct) => direct.state(state),
        })
    }
}
