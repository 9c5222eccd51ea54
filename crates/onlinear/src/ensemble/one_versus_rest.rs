//! The learners of a model: one alone for two classes, one for each class against the rest for more.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::calibrated::Calibrated;
use crate::error::{Message, Result};
use crate::learner::{
    Calibration, Example, Expected, Fact, Facts, Label, Learner, Leaves, Predictor, Round, Step, rounds,
};
use crate::parallel;
use crate::space::{Row, Rows};
use crate::spec::{AnyLearner, Spec};
use crate::state::State;

/// Work that takes longer than this is shared among threads.
const WORTH_THREADS: Duration = Duration::from_micros(300);
/// Rows that are scored, or met in trials, by one class after another rather than row by row.
const ROWS: usize = 64;

/// One learner, or one for each of more than two classes. What counts something counts it in all of them.
pub struct Learners {
    all: Vec<AnyLearner>,
    /// How long the last block of trials took.
    pace: Duration,
}

/// What goes with a row of a block of trials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowMeta {
    /// Its class by number.
    pub(crate) class: usize,
    /// Its sample weight.
    pub(crate) weight: f64,
    /// Its position in the data.
    pub(crate) id: Option<u64>,
}

/// What came of one trial among more than two classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRound {
    /// The row's class by number.
    pub class: usize,
    /// The class of the largest score before the update, the first of equal ones.
    pub predicted: usize,
    /// How many of the learners made a mistake.
    pub mistakes: u64,
    /// How many of them changed their hypothesis.
    pub updates: u64,
    /// The largest score.
    pub score: f64,
}

impl ClassRound {
    /// What the learners' rounds, in the order of classes, amount to for a row of this class; or one that overflowed.
    fn new(class: usize, rounds: impl Iterator<Item = Round>) -> std::result::Result<ClassRound, Round> {
        let mut all = ClassRound { class, predicted: 0, mistakes: 0, updates: 0, score: f64::NEG_INFINITY };
        for (k, round) in rounds.enumerate() {
            if round.step == Step::Overflow {
                return Err(round);
            }
            all.mistakes += u64::from(round.is_mistake(Label::one_of(k == class)));
            all.updates += u64::from(round.step != Step::Stay);
            if round.score > all.score {
                (all.predicted, all.score) = (k, round.score);
            }
        }
        Ok(all)
    }

    /// Whether the largest score was that of another class.
    pub fn is_mistake(&self) -> bool {
        self.predicted != self.class
    }
}

/// The class that a row's scores predict: by the sign of one alone (0 or 1), else the first of the largest. Scores that
/// are not all finite predict nothing.
pub fn predicted_class(scores: &[f64]) -> Option<usize> {
    let class = match scores {
        [score] => Label::predicted(*score).into(),
        scores => (1..scores.len()).fold(0, |best, k| if scores[k] > scores[best] { k } else { best }),
    };
    scores.iter().all(|score| score.is_finite()).then_some(class)
}

/// What makes probabilities of the scores of a row: a sigmoid for each learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities(Vec<Calibration>);

impl Probabilities {
    /// The sigmoids, in the order of learners: one alone for two classes, that of the positive one.
    pub fn calibrations(&self) -> &[Calibration] {
        &self.0
    }

    /// The probability of each class by the scores of a row; they add up to 1.
    pub fn of(&self, scores: &[f64]) -> Vec<f64> {
        let mut shares: Vec<f64> =
            self.0.iter().zip(scores).map(|(sigmoid, &score)| sigmoid.probability(score)).collect();
        if let [positive] = shares[..] {
            return vec![1.0 - positive, positive];
        }
        let sum: f64 = shares.iter().sum();
        let count = shares.len() as f64;
        shares.iter_mut().for_each(|share| *share = if sum > 0.0 { *share / sum } else { 1.0 / count });
        shares
    }
}

impl From<AnyLearner> for Learners {
    fn from(learner: AnyLearner) -> Learners {
        Learners { all: vec![learner], pace: Duration::ZERO }
    }
}

impl Learners {
    /// Recipe learners for so many classes.
    pub fn new(spec: &Spec, classes: usize) -> Learners {
        let count = if classes > 2 { classes } else { 1 };
        Learners { all: (0..count).map(|_| spec.learner()).collect(), pace: Duration::ZERO }
    }

    /// The same, of which each keeps so many trials for its calibration; what learns from all rows at once has none.
    pub(crate) fn calibrated(self, window: u64) -> Learners {
        let calibrated = |learner| match learner {
            AnyLearner::Online(base) => AnyLearner::Online(Box::new(Calibrated::new(base, window))),
            batch => batch,
        };
        Learners { all: self.all.into_iter().map(calibrated).collect(), ..self }
    }

    /// What makes probabilities of their scores, if they keep what that takes and have met rows.
    pub fn probabilities(&self) -> Option<Probabilities> {
        self.iter().map(|learner| learner.calibration()).collect::<Option<_>>().map(Probabilities)
    }

    /// How many there are: 1 for two classes.
    #[allow(clippy::len_without_is_empty)] // there is always one
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is but one, for two classes.
    pub fn is_alone(&self) -> bool {
        self.len() == 1
    }

    /// The learner for two classes, or that of the first of more.
    pub fn first(&self) -> &dyn Predictor {
        &*self.all[0]
    }

    /// Each of them, in the order of classes.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Predictor> {
        self.all.iter().map(|learner| &**learner)
    }

    /// Each of them, to change.
    pub(crate) fn all_mut(&mut self) -> &mut [AnyLearner] {
        &mut self.all
    }

    /// How many rows they like to know ahead in trials; 1 if that is no use.
    pub(crate) fn block(&mut self) -> usize {
        let has_kernel = self.all[0].online().is_some_and(|learner| learner.ahead().is_some());
        match self.is_alone() {
            _ if has_kernel => Leaves::MOST_ROWS,
            true => 1,
            false => ROWS,
        }
    }

    /// The learner for two classes, if it learns by trials.
    #[inline]
    pub fn alone(&mut self) -> Option<&mut dyn Learner> {
        self.all[0].online()
    }

    /// Trials of all learners on at most [`Learners::block`] rows, up to the first that overflows for one of them. The
    /// others may have met more of the block by then.
    pub(crate) fn rounds(&mut self, rows: &Rows, meta: &[RowMeta]) -> Vec<std::result::Result<ClassRound, Round>> {
        let start = Instant::now();
        let of_class = parallel::map_mut(self.pace > WORTH_THREADS, &mut self.all, |k, learner| {
            let mut of_rows = Vec::with_capacity(meta.len());
            let example = |(i, &RowMeta { class, weight, id }): (usize, &RowMeta)| {
                Example::new(rows.row(i), Label::one_of(class == k)).weighing(weight).at(id)
            };
            let examples: Vec<Example<'_>> = meta.iter().enumerate().map(example).collect();
            if let Some(learner) = learner.online() {
                let mut seen = |_: &Example<'_>, round| {
                    of_rows.push(round);
                    ControlFlow::Continue(())
                };
                _ = rounds(learner, &examples, &mut seen); // the last round tells
            }
            of_rows
        });
        self.pace = start.elapsed();
        let round = |(i, meta): (usize, &RowMeta)| ClassRound::new(meta.class, of_class.iter().map(|rounds| rounds[i]));
        let met = of_class.iter().map(Vec::len).min().unwrap_or(0);
        meta[..met].iter().enumerate().map(round).collect()
    }

    /// The score of each learner's model for each row, one row after another.
    pub fn scores(&self, rows: &Rows) -> Vec<f64> {
        let of_class = parallel::map_if(rows.len() >= ROWS, self.len(), |k| {
            let mut scores = Vec::with_capacity(rows.len());
            self.all[k].leaves().scores(rows, &mut scores);
            scores
        });
        (0..rows.len()).flat_map(|i| of_class.iter().map(move |scores| scores[i])).collect()
    }

    /// The score of the model for two classes.
    pub fn score(&self, x: Row<'_>) -> f64 {
        self.first().leaves().score(x)
    }

    /// Takes in what is known before the first trial; each may use its share of the memory.
    pub fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let max_memory = expected.max_memory.map(|most| most / self.len() as u64);
        self.all.iter_mut().try_for_each(|learner| learner.prepare(&Expected { max_memory, ..*expected }))
    }

    /// One of the rows that all are shown before the first trial.
    pub(crate) fn read_ahead(&mut self, x: Row<'_>) {
        let online = self.all.iter_mut().filter_map(|learner| learner.online());
        online.filter_map(|learner| learner.reads_ahead()).for_each(|ahead| ahead.read(x));
    }

    /// All rows have been shown.
    pub(crate) fn end_read_ahead(&mut self) -> std::result::Result<(), Message> {
        let online = self.all.iter_mut().filter_map(|learner| learner.online());
        online.filter_map(|learner| learner.reads_ahead()).try_for_each(|ahead| ahead.end())
    }

    /// Which exact form they are in.
    pub fn form(&self) -> &'static str {
        self.first().facts().form.unwrap_or_else(|| self.first().leaves().form())
    }

    /// How many support vectors they hold; none in primal form.
    pub fn support(&self) -> Option<usize> {
        self.iter().map(|learner| learner.leaves().support_len()).sum()
    }

    /// The weight vector, where there is but one.
    pub fn weights(&self) -> Option<Vec<f64>> {
        self.first().leaves().weights().filter(|_| self.is_alone()).map(|weights| weights.into_owned())
    }

    /// Memory over so many features, with the rows held now, in bytes.
    pub fn memory(&self, features: usize) -> u64 {
        self.iter().fold(0u64, |sum, learner| sum.saturating_add(learner.memory(features)))
    }

    /// What a report says of all of them: counts added up, the least of what is a least.
    pub fn facts(&self) -> Facts {
        let mut all = self.iter().map(|learner| learner.facts());
        let mut facts = all.next().unwrap_or_default();
        for other in all {
            facts.matrix_updates = facts.matrix_updates.zip(other.matrix_updates).map(|(a, b)| a + b);
            facts.rows_kept += other.rows_kept;
            for warning in other.warnings {
                if !facts.warnings.contains(&warning) {
                    facts.warnings.push(warning);
                }
            }
            for (name, fact) in other.further {
                match facts.further.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = together(name, known, &fact),
                    None => facts.further.push((name, fact)),
                }
            }
        }
        facts
    }

    /// Visits every field: as `learner.…`, or `learner.0.…`, `learner.1.…` for the classes.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        let alone = self.is_alone();
        state.within("learner", |state| {
            for (k, learner) in self.all.iter_mut().enumerate() {
                match alone {
                    true => learner.state(state)?,
                    false => state.within(&k.to_string(), |state| learner.state(state))?,
                }
            }
            Ok(())
        })
    }
}

/// One fact of two learners.
fn together(name: &str, a: &Fact, b: &Fact) -> Fact {
    match (a, b) {
        _ if a == b && name == "cost" => a.clone(),
        (Fact::Number(a), Fact::Number(b)) if name.starts_with("min_") => Fact::Number(a.min(*b)),
        (Fact::Number(a), Fact::Number(b)) if name != "cost" => Fact::Number(a + b),
        (Fact::Text(Some(a)), Fact::Text(Some(b))) if a == b => Fact::Text(Some(a.clone())),
        (Fact::Text(None), text @ Fact::Text(_)) | (text @ Fact::Text(_), Fact::Text(None)) => text.clone(),
        (a, b) => Fact::Text(Some(format!("{a}, {b}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_scores_wins() {
        assert_eq!(
            [[-1.0, 2.0, 2.0], [0.0, 0.0, 0.0], [-3.0, -2.0, -2.5]].map(|scores| predicted_class(&scores)),
            [Some(1), Some(0), Some(1)]
        );
        assert_eq!([[-1.0], [0.0], [2.0]].map(|score| predicted_class(&score)), [Some(0), Some(1), Some(1)]);
        assert_eq!([predicted_class(&[f64::NAN]), predicted_class(&[0.0, f64::INFINITY])], [None; 2]);
        let round = |score| Round { score, step: Step::Update, asked: None };
        let all = ClassRound::new(2, [-1.0, 2.0, 2.0].map(round).into_iter()).unwrap();
        assert_eq!((all.predicted, all.is_mistake(), all.mistakes, all.updates), (1, true, 1, 3));
        let odd = Round { score: f64::NAN, step: Step::Overflow, asked: None };
        assert!(ClassRound::new(0, [round(1.0), odd, round(2.0)].into_iter()).is_err());
    }

    #[test]
    fn facts_of_several_learners_become_one() {
        let number = Fact::Number;
        assert_eq!(together("added", &number(2.0), &number(3.0)), number(5.0));
        assert_eq!(together("min_phi", &number(2.0), &number(3.0)), number(2.0));
        assert_eq!(together("cost", &number(2.0), &number(2.0)), number(2.0));
        assert_eq!(together("cost", &number(2.0), &number(0.5)), Fact::Text(Some("2, 0.5".to_string())));
        let text = |text: &str| Fact::Text(Some(text.to_string()));
        assert_eq!(together("stopped", &Fact::Text(None), &text("a")), text("a"));
        assert_eq!(together("stopped", &text("a"), &text("a")), text("a"));
    }
}
