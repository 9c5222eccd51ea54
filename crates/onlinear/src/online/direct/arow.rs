//! AROW of two classes at a time, with a diagonal Σ_c for each class.
//!
//! When m < 1: v = xᵀΣ_y x + xᵀΣ_s x and a = (1 − m)/(v + r); w_y ← w_y + a Σ_y x, w_s ← w_s − a Σ_s x, and both
//! (Σ_c)ᵢ⁻¹ ← (Σ_c)ᵢ⁻¹ + xᵢ²/r.

use super::{DirectRule, end};
use crate::error::Result;
use crate::hypothesis::ClassVectors;
use crate::learner::{ClassExample, ClassScores, Step};
use crate::online::covariance::{Covariance, Matrix};
use crate::space::Finite;
use crate::state::State;

/// AROW for all classes at once.
pub(in crate::online) struct DirectArow {
    /// r.
    regularization: f64,
    /// Σ of each class.
    covariances: Vec<Covariance>,
}

impl DirectArow {
    pub(in crate::online) fn new(regularization: f64, classes: usize) -> DirectArow {
        let covariances = (0..classes).map(|_| Covariance::new(Matrix::Diagonal)).collect();
        DirectArow { regularization, covariances }
    }
}

impl DirectRule for DirectArow {
    fn learn(&mut self, example: &ClassExample<'_>, trial: &ClassScores, vectors: &mut ClassVectors) -> Finite<Step> {
        let &ClassExample { x, class, .. } = example;
        if trial.margin >= 1.0 || x.is_zero() {
            return end(vectors, &[], example);
        }
        let r = self.regularization;
        let pair = [(class, 1.0), (trial.rival, -1.0)];
        let mut v = 0.0;
        for (c, _) in pair {
            let own = self.covariances[c].look(x)?;
            self.covariances[c].fits(x, 1.0 / r, own)?;
            v += own;
        }
        let a = (1.0 - trial.margin) / (v + r);
        for (c, sign) in pair {
            vectors.step_along(c, sign * a, self.covariances[c].along(x))?;
            self.covariances[c].learn_and_forget(x, 0.0);
        }
        vectors.count();
        Ok(Step::Update)
    }

    fn memory(&self, features: usize) -> u64 {
        self.covariances.first().map_or(0, |covariance| covariance.memory(features))
    }

    fn state(&mut self, class: usize, length: usize, state: &mut State) -> Result<Option<Vec<f64>>> {
        self.covariances[class].state(length, state)
    }
}
