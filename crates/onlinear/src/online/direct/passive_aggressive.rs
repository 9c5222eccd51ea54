//! Passive-Aggressive with a constraint for every wrong class.
//!
//! Crammer and Singer's problem, exactly: Matsushima, Shimizu, Yoshida, Ninomiya and Nakagawa, "Exact
//! passive-aggressive algorithm for multiclass classification using support class" (2010).
//!
//! ℓ_c = 1 − f_y + f_c of the wrong classes, largest first, S_k the sum of the k largest, q = K(x,x):
//!
//! | variant | T | k the largest with | ξ |
//! | --- | --- | --- | --- |
//! | `pa` | S_k/(q(k + 1)) | ℓ_k/q > T | 0 |
//! | `pa1` | as `pa`, at most C; then | (ℓ_k − ξ)/q > C | (S_k − (k + 1)Cq)/k |
//! | `pa2` | S_k/(q(k + 1) + k/(2C)) | ℓ_k/q > T(1 + 1/(2Cq)) | T/(2C) |
//!
//! Then, for those k classes, w_c ← w_c − ((ℓ_c − ξ)/q − T) x, and w_y ← w_y + T x.

use super::{DirectRule, end};
use crate::hypothesis::ClassVectors;
use crate::learner::{ClassExample, ClassScores, Step};
use crate::online::passive_aggressive::Variant;
use crate::space::Finite;

/// Passive-Aggressive for all classes at once.
pub(in crate::online) struct DirectPassiveAggressive {
    pub(in crate::online) variant: Variant,
    /// C.
    pub(in crate::online) c: f64,
}

impl DirectPassiveAggressive {
    /// k, T and ξ of losses from the largest on, the first of which is positive.
    fn solve(&self, losses: &[(f64, usize)], q: f64) -> (usize, f64, f64) {
        let c = self.c;
        let slack = if self.variant == Variant::Pa2 { 1.0 / (2.0 * c) } else { 0.0 };
        let share = |k: usize, sum: f64| sum / (q * (k as f64 + 1.0) + k as f64 * slack);
        let (k, sum) = longest(losses, |k, loss, sum| loss / q - share(k, sum) * (1.0 + slack / q) > 0.0);
        let t = share(k, sum);
        if self.variant != Variant::Pa1 || t <= c {
            return (k, t, t * slack);
        }
        let xi = |k: usize, sum: f64| (sum - (k as f64 + 1.0) * c * q) / k as f64;
        let (k, sum) = longest(losses, |k, loss, sum| (loss - xi(k, sum)) / q - c > 0.0);
        (k, c, xi(k, sum))
    }
}

/// The longest beginning, of one at least, whose k, last loss and sum all hold, and its sum.
fn longest(losses: &[(f64, usize)], holds: impl Fn(usize, f64, f64) -> bool) -> (usize, f64) {
    let (mut k, mut sum) = (1, losses[0].0);
    while k < losses.len() && holds(k + 1, losses[k].0, sum + losses[k].0) {
        sum += losses[k].0;
        k += 1;
    }
    (k, sum)
}

impl DirectRule for DirectPassiveAggressive {
    fn learn(&mut self, example: &ClassExample<'_>, trial: &ClassScores, vectors: &mut ClassVectors) -> Finite<Step> {
        let (y, q) = (example.class, vectors.square(example.x));
        if trial.margin >= 1.0 || q == 0.0 {
            return end(vectors, &[], example);
        }
        let loss = |(c, f): (usize, &f64)| (c != y).then_some((1.0 - trial.scores[y] + f, c));
        let mut losses: Vec<(f64, usize)> = trial.scores.iter().enumerate().filter_map(loss).collect();
        losses.sort_by(|a, b| b.0.total_cmp(&a.0)); // equal ones stay in their order
        let (k, t, xi) = self.solve(&losses, q);
        let wrong = losses[..k].iter().map(|&(loss, c)| (c, -((loss - xi) / q - t)));
        let steps: Vec<(usize, f64)> = wrong.chain([(y, t)]).collect();
        end(vectors, &steps, example)
    }
}
