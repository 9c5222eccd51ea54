//! What came of a trial among more than two classes, and which class scores predict.

use crate::learner::{ClassScores, Label, Round, Step};

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
    /// Whether the decision was wrong: the largest score was that of another class, or no larger than another.
    pub fn is_mistake(&self) -> bool {
        self.is_wrong
    }

    /// What a trial of one learner with all classes amounts to; a margin of 0 is a mistake.
    pub(super) fn direct(class: usize, ClassScores { scores, margin, .. }: &ClassScores, step: Step) -> ClassRound {
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

/// What the learners' rounds on a row amount to, taken in the order of classes.
#[derive(Clone, Copy)]
pub(super) struct ClassTally {
    class: usize,
    /// The class of the largest score, the first of equal ones, and the score.
    largest: (usize, f64),
    mistakes: u64,
    updates: u64,
    /// The first round that overflowed.
    overflow: Option<Round>,
}

impl ClassTally {
    /// No round yet on a row of this class.
    pub(super) fn new(class: usize) -> ClassTally {
        ClassTally { class, largest: (0, f64::NEG_INFINITY), mistakes: 0, updates: 0, overflow: None }
    }

    /// The round of the learner of class `k`.
    pub(super) fn take(&mut self, k: usize, round: Round) {
        if round.step == Step::Overflow {
            self.overflow = self.overflow.or(Some(round));
            return;
        }
        self.mistakes += u64::from(round.is_mistake(Label::one_of(k == self.class)));
        self.updates += u64::from(round.step != Step::Stay);
        self.take_largest((k, round.score));
    }

    /// The rounds of the learners of classes from `first` on, which are right and change nothing.
    pub(super) fn take_right(&mut self, first: usize, scores: &[f64]) {
        if scores.iter().fold(f64::NEG_INFINITY, |largest, &score| largest.max(score)) > self.largest.1 {
            (first..).zip(scores).for_each(|(k, &score)| self.take_largest((k, score)));
        }
    }

    /// The rounds of later classes.
    pub(super) fn join(&mut self, later: &ClassTally) {
        self.overflow = self.overflow.or(later.overflow);
        self.mistakes += later.mistakes;
        self.updates += later.updates;
        self.take_largest(later.largest);
    }

    fn take_largest(&mut self, other: (usize, f64)) {
        if other.1 > self.largest.1 {
            self.largest = other;
        }
    }

    /// What came of the trial, or the first round that overflowed.
    pub(super) fn end(self) -> std::result::Result<ClassRound, Round> {
        let ClassTally { class, largest: (predicted, score), mistakes, updates, overflow } = self;
        let round = ClassRound { class, predicted, is_wrong: predicted != class, mistakes, updates, score };
        overflow.map_or(Ok(round), Err)
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
        let tally = |class: usize, first: usize, rounds: &[Round]| {
            let mut tally = ClassTally::new(class);
            (first..).zip(rounds).for_each(|(k, &round)| tally.take(k, round));
            tally
        };
        let rounds = [-1.0, 2.0, 2.0].map(round);
        let whole = tally(2, 0, &rounds).end().unwrap();
        assert_eq!((whole.predicted, whole.is_mistake(), whole.mistakes, whole.updates), (1, true, 1, 3));
        for cut in 0..=3 {
            let mut parts = tally(2, 0, &rounds[..cut]);
            parts.join(&tally(2, cut, &rounds[cut..]));
            assert_eq!(parts.end().unwrap(), whole);
        }
        let odd = |score| Round { score, step: Step::Overflow, asked: None };
        let mut parts = tally(0, 0, &[round(1.0), odd(f64::NAN)]);
        parts.join(&tally(0, 2, &[round(2.0), odd(f64::INFINITY)]));
        assert!(parts.end().unwrap_err().score.is_nan());
    }
}
