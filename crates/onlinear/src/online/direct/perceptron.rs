//! The multiclass Perceptron: w_y ← w_y + η x and w_s ← w_s − η x when m ≤ 0.

use super::{DirectRule, end};
use crate::hypothesis::ClassVectors;
use crate::learner::{ClassExample, ClassScores, Step};
use crate::space::Finite;

/// The multiclass Perceptron.
pub(in crate::online) struct DirectPerceptron {
    /// η.
    pub(in crate::online) rate: f64,
}

impl DirectRule for DirectPerceptron {
    fn learn(&mut self, example: &ClassExample<'_>, trial: &ClassScores, vectors: &mut ClassVectors) -> Finite<Step> {
        let updates = trial.margin <= 0.0 && vectors.square(example.x) != 0.0;
        let steps = [(example.class, self.rate), (trial.rival, -self.rate)];
        end(vectors, if updates { &steps } else { &[] }, example)
    }
}
