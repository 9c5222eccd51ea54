//! The learners of a model: one alone for two classes, one for each class against the rest for more, or one that tells
//! all classes apart at once.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::calibrated::Calibrated;
use crate::error::{Message, Result};
use crate::learner::{
    Calibration, ClassExample, ClassScores, Direct, Example, Expected, Fact, Facts, Label, Learner, Leaves, Round,
    Step, rounds,
};
use crate::parallel;
use crate::random::Random;
use crate::space::{Overflow, Row, Rows};
use crate::spec::{AnyLearner, Spec};
use crate::state::State;

/// Work that takes longer than this is shared among threads.
const WORTH_THREADS: Duration = Duration::from_micros(300);
/// Rows that are scored, or met in trials, by one class after another rather than row by row.
const ROWS: usize = 64;

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
    /// Whether the decision was wrong.
    is_wrong: bool,
    /// How many of the learners made a mistake.
    pub mistakes: u64,
    /// How many of them changed their hypothesis.
    pub updates: u64,
    /// The largest score; where one learner has all classes, the margin over the best wrong class.
    pub score: f64,
}

impl ClassRound {
    /// What the learners' rounds, in the order of classes, amount to for a row of this class; or one that overflowed.
    fn new(class: usize, rounds: impl Iterator<Item = Round>) -> std::result::Result<ClassRound, Round> {
        let none = f64::NEG_INFINITY;
        let mut all = ClassRound { class, predicted: 0, is_wrong: false, mistakes: 0, updates: 0, score: none };
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
        all.is_wrong = all.predicted != class;
        Ok(all)
    }

    /// Whether the decision was wrong: the largest score was that of another class, or no larger than another.
    pub fn is_mistake(&self) -> bool {
        self.is_wrong
    }

    /// What a trial of one learner with all classes amounts to; a margin of 0 is a mistake.
    fn direct(class: usize, ClassScores { scores, margin, .. }: &ClassScores, step: Step) -> ClassRound {
        let is_wrong = *margin <= 0.0;
        ClassRound {
            class,
            predicted: predicted_class(scores).unwrap_or(class),
            is_wrong,
            mistakes: u64::from(is_wrong),
            updates: u64::from(step != Step::Stay),
            score: *margin,
        }
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
            false => ROWS,
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
        let mut all = self.apart().iter().map(|learner| learner.facts());
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

/// Trials of one learner for each class against the rest.
fn rounds_apart(
    all: &mut [AnyLearner],
    pace: &mut Duration,
    rows: &Rows,
    meta: &[RowMeta],
) -> Vec<std::result::Result<ClassRound, Round>> {
    let start = Instant::now();
    let of_class = parallel::map_mut(*pace > WORTH_THREADS, all, |k, learner| {
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
    *pace = start.elapsed();
    let round = |(i, meta): (usize, &RowMeta)| ClassRound::new(meta.class, of_class.iter().map(|rounds| rounds[i]));
    let met = of_class.iter().map(Vec::len).min().unwrap_or(0);
    meta[..met].iter().enumerate().map(round).collect()
}

/// Trials of one learner with all classes, which is told of the rows ahead where that is of use.
fn rounds_together(
    direct: &mut dyn Direct,
    rows: &Rows,
    meta: &[RowMeta],
) -> Vec<std::result::Result<ClassRound, Round>> {
    if let Some(set) = direct.ahead() {
        set.look_ahead((0..meta.len()).map(|i| rows.row(i)));
    }
    let mut done = Vec::with_capacity(meta.len());
    for (i, &RowMeta { class, id, .. }) in meta.iter().enumerate() {
        match direct.round(&ClassExample { lane: Some(i), ..ClassExample::new(rows.row(i), class).at(id) }) {
            Ok((scores, step)) => done.push(Ok(ClassRound::direct(class, &scores, step))),
            Err(Overflow) => {
                done.push(Err(Round { score: f64::NAN, step: Step::Overflow, asked: None }));
                break;
            }
        }
    }
    if let Some(set) = direct.ahead() {
        set.end_look_ahead();
    }
    done
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
