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
    /// What the learners' rounds, in the order of classes, amount to for a row of this class; or one that overflowed.
    pub(super) fn new(class: usize, rounds: impl Iterator<Item = Round>) -> std::result::Result<ClassRound, Round> {
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
        let all = ClassRound::new(2, [-1.0, 2.0, 2.0].map(round).into_iter()).unwrap();
        assert_eq!((all.predicted, all.is_mistake(), all.mistakes, all.updates), (1, true, 1, 3));
        let odd = Round { score: f64::NAN, step: Step::Overflow, asked: None };
        assert!(ClassRound::new(0, [round(1.0), odd, round(2.0)].into_iter()).is_err());
    }
}
