//! Probabilities out of scores: Platt's sigmoid.
//!
//! Platt (1999), with the targets and the objective of Lin, Lin and Weng, "A note on Platt's probabilistic outputs for
//! support vector machines" (2007).
//!
//! p(+1 | f) = 1/(1 + exp(A f + B)), (A, B) the minimum of Σ −t ln p − (1 − t) ln(1 − p) over pairs (f, y), with
//! t = (N₊ + 1)/(N₊ + 2) for y = +1 and t = 1/(N₋ + 2) for y = −1.
//!
//! The function is convex, and its minimum is found by Newton's method on scores of mean 0 and deviation 1: from A = 0,
//! each step halved until the function does not rise, until its gradient is what rounding leaves. Its sums are made in
//! lanes, with our own e^x: the same to the bit for any width of vectors.

use super::Label;
use crate::space::{exp, exp_of_negative, for_all_vectors};

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
        if pairs.is_empty() {
            return None;
        }
        let count = pairs.len() as f64;
        let positives = pairs.iter().filter(|(_, y)| *y == Label::Positive).count() as f64;
        let negatives = count - positives;
        let target = |(_, y): &(f64, Label)| match y {
            Label::Positive => (positives + 1.0) / (positives + 2.0),
            Label::Negative => 1.0 / (negatives + 2.0),
        };
        // In units of the largest, so that neither a sum nor a square of finite scores is infinite.
        let largest = pairs.iter().fold(0.0f64, |largest, (f, _)| largest.max(f.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut scores: Vec<f64> = pairs.iter().map(|(f, _)| f / unit).collect();
        let mean = scores.iter().sum::<f64>() / count;
        let deviation = (scores.iter().map(|f| (f - mean) * (f - mean)).sum::<f64>() / count).sqrt();
        let targets: Vec<f64> = pairs.iter().map(target).collect();
        if deviation <= f64::EPSILON * mean.abs().max(f64::MIN_POSITIVE) {
            let share = targets.iter().sum::<f64>() / count;
            return Some(Calibration {
                slope: 0.0,
                intercept: libm::log((1.0 - share) / share),
                pairs: pairs.len() as u64,
            });
        }
        scores.iter_mut().for_each(|f| *f = (*f - mean) / deviation);
        let [a, b] = minimum([0.0, libm::log((negatives + 1.0) / (positives + 1.0))], &scores, &targets);
        let slope = a / deviation;
        Some(Calibration { slope: slope / unit, intercept: b - slope * mean, pairs: pairs.len() as u64 })
    }

    /// p(+1 | f).
    pub fn probability(&self, score: f64) -> f64 {
        1.0 / (1.0 + exp(self.slope * score + self.intercept))
    }
}

/// The place (A, B) where the function is least, from this one on.
fn minimum(mut place: [f64; 2], scores: &[f64], targets: &[f64]) -> [f64; 2] {
    let mut here = surface(place, scores, targets);
    for _ in 0..MOST_STEPS {
        let Some(step) = here.newton().filter(|_| !here.is_flat(scores.len())) else { break };
        // What a step of any size gains is lost in rounding where the whole one gains no more: then it is tried alone.
        let smallest = if here.gain(step) < here.rounding() { 1.0 } else { f64::EPSILON };
        let sizes = std::iter::successors(Some(1.0), |size| Some(size / 2.0)).take_while(|size| *size >= smallest);
        let lower = sizes.map(|size| [place[0] + size * step[0], place[1] + size * step[1]]).find_map(|next| {
            let surface = surface(next, scores, targets);
            surface.is_below(&here).then_some((next, surface))
        });
        let Some(lower) = lower else { break }; // this is the minimum, but for rounding
        (place, here) = lower;
    }
    place
}

/// The function that is minimised, about a place (A, B).
#[derive(Clone, Copy, Default)]
struct Surface {
    loss: f64,
    gradient: [f64; 2],
    /// ∂²/∂A², ∂²/∂A∂B, ∂²/∂B².
    curvature: [f64; 3],
}

/// So many sums run side by side, each over every so many pairs.
const LANES: usize = 8;
/// So many factors between 1 and 2 have a finite product.
const FACTORS: usize = 1000;

/// Sums over pairs in lanes.
#[derive(Clone, Copy)]
struct LaneSums {
    /// Π (1 + e^−|z|): one logarithm for many numbers.
    products: [f64; LANES],
    loss: [f64; LANES],
    gradient: [[f64; LANES]; 2],
    curvature: [[f64; LANES]; 3],
}

impl LaneSums {
    /// Puts the logarithms of the products into the loss.
    fn take_logarithms(&mut self) {
        for (loss, product) in self.loss.iter_mut().zip(&mut self.products) {
            *loss += libm::log(std::mem::replace(product, 1.0));
        }
    }

    /// Adds a pair in each lane. Each loop does one thing, so that the compiler can do several lanes at once.
    #[inline(always)]
    fn add(&mut self, [a, b]: [f64; 2], f: &[f64; LANES], t: &[f64; LANES]) {
        let (mut z, mut small, mut slope, mut bend) = ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            z[lane] = a * f[lane] + b;
        }
        for lane in 0..LANES {
            small[lane] = exp_of_negative(-z[lane].abs());
        }
        for lane in 0..LANES {
            let larger = 1.0 / (1.0 + small[lane]);
            let smaller = small[lane] * larger;
            slope[lane] = t[lane] - if z[lane] >= 0.0 { smaller } else { larger };
            bend[lane] = larger * smaller;
        }
        for lane in 0..LANES {
            // −t ln p − (1 − t) ln(1 − p) = ln(1 + e^z) − (1 − t) z.
            let positive = if z[lane] > 0.0 { z[lane] } else { 0.0 };
            self.products[lane] *= 1.0 + small[lane];
            self.loss[lane] += positive - (1.0 - t[lane]) * z[lane];
        }
        for lane in 0..LANES {
            self.gradient[0][lane] += slope[lane] * f[lane];
            self.gradient[1][lane] += slope[lane];
        }
        for lane in 0..LANES {
            self.curvature[0][lane] += bend[lane] * f[lane] * f[lane];
            self.curvature[1][lane] += bend[lane] * f[lane];
            self.curvature[2][lane] += bend[lane];
        }
    }
}

/// The function at a place.
#[inline(always)]
fn sum_up(place: [f64; 2], scores: &[f64], targets: &[f64]) -> Surface {
    let none = [0.0; LANES];
    let mut sums = LaneSums { products: [1.0; LANES], loss: none, gradient: [none; 2], curvature: [none; 3] };
    let mut rest = sums; // of the pairs that do not fill all lanes
    let (groups, last_scores) = scores.as_chunks::<LANES>();
    let (target_groups, last_targets) = targets.as_chunks::<LANES>();
    for (scores, targets) in groups.chunks(FACTORS).zip(target_groups.chunks(FACTORS)) {
        scores.iter().zip(targets).for_each(|(f, t)| sums.add(place, f, t));
        sums.take_logarithms();
    }
    let filled = |few: &[f64]| std::array::from_fn(|lane| few.get(lane).copied().unwrap_or(0.0));
    rest.add(place, &filled(last_scores), &filled(last_targets));
    rest.take_logarithms();
    let all = |sums: &[f64; LANES], rest: &[f64; LANES]| sums.iter().chain(&rest[..last_scores.len()]).sum::<f64>();
    Surface {
        loss: all(&sums.loss, &rest.loss),
        gradient: std::array::from_fn(|k| all(&sums.gradient[k], &rest.gradient[k])),
        curvature: std::array::from_fn(|k| all(&sums.curvature[k], &rest.curvature[k])),
    }
}

for_all_vectors!(fn surface(place: [f64; 2], scores: &[f64], targets: &[f64]) -> Surface = sum_up);

impl Surface {
    /// Whether it is lower than another; where rounding lets the losses not tell, by its gradient.
    fn is_below(&self, other: &Surface) -> bool {
        let rounding = other.rounding();
        let steepness = |surface: &Surface| surface.gradient[0].abs() + surface.gradient[1].abs();
        self.loss < other.loss - rounding || self.loss <= other.loss + rounding && steepness(self) < steepness(other)
    }

    /// What rounding may do to the loss.
    fn rounding(&self) -> f64 {
        1e-12 * (1.0 + self.loss.abs())
    }

    /// By how much a Newton step lowers the loss, as far as gradient and curvature tell.
    fn gain(&self, step: [f64; 2]) -> f64 {
        -0.5 * (self.gradient[0] * step[0] + self.gradient[1] * step[1])
    }

    /// Whether the gradient is no more than what rounding leaves of so many summands.
    fn is_flat(&self, count: usize) -> bool {
        self.gradient.iter().all(|slope| slope.abs() <= 4.0 * f64::EPSILON * (count as f64).sqrt())
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
