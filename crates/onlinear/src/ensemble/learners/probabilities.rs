//! Probabilities of classes out of scores.

use crate::learner::Calibration;

/// What makes probabilities of the scores of a row: a sigmoid for each learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities(pub(super) Vec<Calibration>);

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
