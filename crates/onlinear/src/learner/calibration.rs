//! Probabilities out of scores: Platt's sigmoid.
//!
//! Platt (1999), with the targets and the objective of Lin, Lin and Weng, "A note on Platt's probabilistic outputs for
//! support vector machines" (2007).
//!
//! p(+1 | f) = 1/(1 + exp(A f + B)), (A, B) the minimum of Σ −t ln p − (1 − t) ln(1 − p) over pairs (f, y), with
//! t = (N₊ + 1)/(N₊ + 2) for y = +1 and t = 1/(N₋ + 2) for y = −1.
//!
//! The function is convex, and its minimum is found by Newton's method on scores of mean 0 and deviation 1: from A = 0,
//! each step halved until the function does not rise, until its gradient is what rounding leaves.

use super::Label;
use crate::space::exp;

/// A sigmoid that makes a probability of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// A, which is negative where larger scores mean the positive class.
    pub slope: f64,
    /// B.
    pub intercept: f64,
    /// How many trials it was fitted to.
    pub pairs: u64,
}

/// More steps than Newton's method ever takes.
const MOST_STEPS: usize = 200;

impl Calibration {
    /// The sigmoid of scores and the labels of their rows; none without any.
    pub(crate) fn fit(pairs: &[(f64, Label)]) -> Option<Calibration> {
        let count = pairs.len() as f64;
        let positives = pairs.iter().filter(|(_, y)| *y == Label::Positive).count() as f64;
        let negatives = count - positives;
        let t = |y: Label| match y {
            Label::Positive => (positives + 1.0) / (positives + 2.0),
            Label::Negative => 1.0 / (negatives + 2.0),
        };
        // Halved, so that neither a sum nor a square of finite scores is infinite.
        let largest = pairs.iter().fold(0.0f64, |largest, (f, _)| largest.max(f.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mean = pairs.iter().map(|(f, _)| f / unit).sum::<f64>() / count;
        let variance = pairs.iter().map(|(f, _)| (f / unit - mean) * (f / unit - mean)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let pairs_count = pairs.len() as u64;
        if pairs.is_empty() {
            return None;
        }
        if deviation <= f64::EPSILON * mean.abs().max(f64::MIN_POSITIVE) {
            let share = pairs.iter().map(|(_, y)| t(*y)).sum::<f64>() / count;
            return Some(Calibration { slope: 0.0, intercept: libm::log((1.0 - share) / share), pairs: pairs_count });
        }
        let scaled: Vec<(f64, f64)> = pairs.iter().map(|(f, y)| ((f / unit - mean) / deviation, t(*y))).collect();
        let mut place = [0.0, libm::log((negatives + 1.0) / (positives + 1.0))];
        let mut here = Surface::at(place, &scaled);
        for _ in 0..MOST_STEPS {
            let Some(step) = here.newton().filter(|_| !here.is_flat(count)) else { break };
            let mut size = 1.0;
            let next = loop {
                let next = [place[0] + size * step[0], place[1] + size * step[1]];
                let surface = Surface::at(next, &scaled);
                if surface.loss <= here.loss {
                    break Some((next, surface));
                }
                size /= 2.0;
                if size < f64::EPSILON {
                    break None; // no smaller by any step: this is the minimum, but for rounding
                }
            };
            let Some((next, surface)) = next else { break };
            let stays = next == place;
            (place, here) = (next, surface);
            if stays {
                break;
            }
        }
        let slope = place[0] / deviation;
        Some(Calibration { slope: slope / unit, intercept: place[1] - slope * mean, pairs: pairs_count })
    }

    /// p(+1 | f).
    pub fn probability(&self, score: f64) -> f64 {
        1.0 / (1.0 + exp(self.slope * score + self.intercept))
    }
}

/// The function that is minimised, about a place (A, B).
struct Surface {
    loss: f64,
    gradient: [f64; 2],
    /// ∂²/∂A², ∂²/∂A∂B, ∂²/∂B².
    curvature: [f64; 3],
}

impl Surface {
    fn at([a, b]: [f64; 2], pairs: &[(f64, f64)]) -> Surface {
        let mut surface = Surface { loss: 0.0, gradient: [0.0; 2], curvature: [0.0; 3] };
        for &(f, t) in pairs {
            let z = a * f + b;
            let small = exp(-z.abs());
            let (larger, smaller) = (1.0 / (1.0 + small), small / (1.0 + small));
            let p = if z >= 0.0 { smaller } else { larger };
            // −t ln p − (1 − t) ln(1 − p) = ln(1 + e^z) − (1 − t) z.
            surface.loss += z.max(0.0) + libm::log1p(small) - (1.0 - t) * z;
            let (slope, bend) = (t - p, larger * smaller);
            surface.gradient[0] += slope * f;
            surface.gradient[1] += slope;
            surface.curvature[0] += bend * f * f;
            surface.curvature[1] += bend * f;
            surface.curvature[2] += bend;
        }
        surface
    }

    /// Whether the gradient is no more than what rounding leaves of so many summands.
    fn is_flat(&self, count: f64) -> bool {
        self.gradient.iter().all(|slope| slope.abs() <= 4.0 * f64::EPSILON * count.sqrt())
    }

    /// Newton's step, unless the function is too flat for one.
    fn newton(&self) -> Option<[f64; 2]> {
        let ([da, db], [aa, ab, bb]) = (self.gradient, self.curvature);
        let determinant = aa * bb - ab * ab;
        let step = [(ab * db - bb * da) / determinant, (ab * da - aa * db) / determinant];
        step.iter().all(|part| part.is_finite()).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(scores: &[f64], positive: &[usize]) -> Vec<(f64, Label)> {
        scores.iter().enumerate().map(|(i, &f)| (f, Label::one_of(positive.contains(&i)))).collect()
    }

    /// The function's slope at a calibration, along A and along B, each per unit of the scores.
    fn slopes(found: &Calibration, pairs: &[(f64, Label)]) -> (f64, f64) {
        let count = |label| pairs.iter().filter(|(_, y)| *y == label).count() as f64;
        let (positives, negatives) = (count(Label::Positive), count(Label::Negative));
        let t = |y| if y == Label::Positive { (positives + 1.0) / (positives + 2.0) } else { 1.0 / (negatives + 2.0) };
        let slope = |(f, y): &(f64, Label)| t(*y) - found.probability(*f);
        let unit = pairs.iter().fold(0.0f64, |most, (f, _)| most.max(f.abs()));
        (pairs.iter().map(|pair| slope(pair) * pair.0 / unit).sum(), pairs.iter().map(slope).sum())
    }

    #[test]
    fn the_gradient_vanishes_whatever_the_scores() {
        let spread = [-3.0, -1.0, -0.5, 0.25, 0.5, 2.0, 4.0];
        for scale in [1e-300, 1e-9, 1.0, 1e9, 1e300] {
            for shift in [0.0, 1.0, -50.0] {
                for positive in [vec![3, 5, 6], vec![1, 4, 5], vec![0, 1, 2], vec![], (0..7).collect(), vec![5, 6]] {
                    let scores: Vec<f64> = spread.iter().map(|f| (f + shift) * scale).collect();
                    let pairs = pairs(&scores, &positive);
                    let found = Calibration::fit(&pairs).unwrap();
                    let (a, b) = slopes(&found, &pairs);
                    assert!(a.abs() < 1e-9 && b.abs() < 1e-9, "{scores:?} {positive:?}: {found:?}, {a} {b}");
                    assert!(found.slope.is_finite() && found.intercept.is_finite());
                }
            }
        }
    }

    #[test]
    fn equal_scores_tell_nothing_but_how_often_a_class_comes() {
        let found = Calibration::fit(&pairs(&[2.0; 4], &[0])).unwrap();
        let share: f64 = (2.0 / 3.0 + 3.0 / 5.0) / 4.0; // one target of 2/3, three of 1/5
        assert_eq!((found.slope, found.pairs), (0.0, 4));
        assert!((found.probability(2.0) - share).abs() < 1e-15);
        assert_eq!(Calibration::fit(&[]), None);
    }
}
