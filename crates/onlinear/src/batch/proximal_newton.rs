//! Newton steps for a support vector machine whose descent is slow: where the cost is large and rows of both classes
//! lie among each other, coordinates have to go up and down together, and one at a time takes thousands of passes.
//!
//! Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming" (1976);
//! for support vector machines: Yan and Li, "An efficient augmented Lagrangian method for support vector machine"
//! (2020).
//!
//! With zᵢ = yᵢxᵢ and 0 ≤ αᵢ ≤ Cᵢ, the dual problem with ‖α′ − α‖²/(2σ) added has the solution
//!
//! α′ᵢ = min(max(αᵢ + σ(1 − zᵢ·w), 0), Cᵢ)   at the w that minimizes
//! ½‖w‖² + Σ h(1 − zᵢ·w + αᵢ/σ),   h(t) = 0 for t ≤ 0, σt²/2 up to Cᵢ/σ, linear beyond
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | the gradient g = w − Σ α′ᵢzᵢ, and H = I + σ Σ zᵢzᵢᵀ over the rows with 0 < α′ᵢ < Cᵢ |
//! | \[2\] | while g is not small: w ← w − t H⁻¹g, t where the function is least along the way |
//! | \[3\] | else α ← α′, w ← Σ αᵢzᵢ, and σ grows |
//!
//! After \[3\] rows with αᵢ = 0 or Cᵢ are as they are at the optimum, and 1 − zᵢ·w of the others is (α′ᵢ − αᵢ)/σ: no
//! more than Cᵢ/σ, so that some rounds are enough whatever the cost.

use super::dual_descent::{DescentSpace, DualDescent};
use super::svm::SampleSpace;
use crate::space::{Cholesky, Row, Symmetric};

/// The first C/σ: how far from its margin a row may be.
const FIRST_WIDTH: f64 = 0.3;
/// The next is so much of it.
const NARROWER: f64 = 0.3;
/// g is small when no margin is off by more than this share of C/σ for it.
const SMALL: f64 = 0.1;
/// As many steps as one way may take; few take half as many.
const MOST_STEPS: u32 = 200;
/// Looks along a line.
const MOST_LOOKS: usize = 40;
/// The slope along a line is 0 when it is this share of the first.
const FLAT: f64 = 0.01;

/// A way to the optimum, from where a descent stands.
pub(super) struct ProximalNewton {
    /// C/σ.
    width: f64,
    w: Vec<f64>,
    /// The rows that are learned from, in their order.
    places: Vec<usize>,
    /// Of each of them: Cᵢ, and zᵢ·w.
    most: Vec<f64>,
    margins: Vec<f64>,
    /// The largest ‖zᵢ‖.
    radius: f64,
    steps: u32,
}

impl ProximalNewton {
    /// What a step costs over so many rows with so many non-zeros each, in multiplications.
    pub(super) fn price(features: usize, rows: usize, non_zeros: f64) -> f64 {
        let (n, rows) = (features as f64, rows as f64);
        // The factor of H, products with rows, and H of those that are near their margin, one in sixteen.
        n * n * n / 6.0 + 4.0 * rows * non_zeros + rows * non_zeros * non_zeros / 32.0
    }

    pub(super) fn new(descent: &DualDescent<SampleSpace<'_>>) -> ProximalNewton {
        let mut places = descent.places().to_vec();
        places.sort_unstable();
        let constants = || places.iter().map(|&i| descent.space.constants(i));
        ProximalNewton {
            width: FIRST_WIDTH,
            w: descent.space.w.clone(),
            most: constants().map(|row| descent.cost() * row.weight).collect(),
            margins: vec![0.0; places.len()],
            radius: constants().map(|row| row.square).fold(0.0, f64::max).sqrt(),
            places,
            steps: 0,
        }
    }

    /// One step; whether it was the last. The descent then goes on from where it has led.
    pub(super) fn step(&mut self, descent: &mut DualDescent<SampleSpace<'_>>) -> bool {
        self.steps += 1;
        let sigma = descent.cost() / self.width;
        let (gradient, matrix) = self.derivatives(descent, sigma); // [1]
        let off = Row::Dense(&gradient).norm(2.0) * self.radius;
        if off > SMALL * self.width && self.steps < MOST_STEPS {
            let mut direction: Vec<f64> = gradient.iter().map(|g| -g / sigma).collect();
            Cholesky::of(&matrix, 1.0 / sigma).solve(&mut direction); // H/σ is what is at hand
            let length = self.length_along(descent, &direction, sigma);
            self.w.iter_mut().zip(&direction).for_each(|(w, d)| *w += length * d); // [2]
            return false;
        }
        let farthest = self.settle(descent, sigma); // [3]
        let is_last = farthest <= descent.tolerance() / 2.0 || self.steps >= MOST_STEPS;
        if is_last {
            descent.look_at_all();
        }
        self.width *= NARROWER;
        is_last
    }

    /// The w that it has come to.
    pub(super) fn w(&self) -> &[f64] {
        &self.w
    }

    /// α′ of a row, and whether it is free.
    fn moved(alpha: f64, margin: f64, most: f64, sigma: f64) -> (f64, bool) {
        let free = alpha + sigma * (1.0 - margin);
        (free.max(0.0).min(most), 0.0 < free && free < most)
    }

    /// g, and Σ zᵢzᵢᵀ over the rows that are free; notes the margins.
    fn derivatives(&mut self, descent: &DualDescent<SampleSpace<'_>>, sigma: f64) -> (Vec<f64>, Symmetric) {
        let sample = descent.space.sample;
        let mut gradient = self.w.clone();
        let mut matrix = Symmetric::default();
        matrix.grow(self.w.len(), 0.0);
        for (k, &i) in self.places.iter().enumerate() {
            let (x, y) = (sample.row(i), sample.y()[i]);
            self.margins[k] = y * x.dot(&self.w);
            let (alpha, is_free) = Self::moved(descent.alpha[i], self.margins[k], self.most[k], sigma);
            if alpha != 0.0 {
                x.add_to(&mut gradient, -alpha * y);
            }
            if is_free {
                matrix.add_row(x);
            }
        }
        (gradient, matrix)
    }

    /// How far to go along `direction`: to where the slope of the function, which never falls, is 0.
    fn length_along(&self, descent: &DualDescent<SampleSpace<'_>>, direction: &[f64], sigma: f64) -> f64 {
        let sample = descent.space.sample;
        let changes: Vec<f64> = self.places.iter().map(|&i| sample.y()[i] * sample.row(i).dot(direction)).collect();
        let (along, square) = (Row::Dense(direction).dot(&self.w), Row::Dense(direction).squared_norm());
        // The slope at t, and its own slope.
        let slope = |t: f64| {
            let (mut slope, mut bend) = (along + t * square, square);
            for (k, (&i, change)) in self.places.iter().zip(&changes).enumerate() {
                let margin = self.margins[k] + t * change;
                let (alpha, is_free) = Self::moved(descent.alpha[i], margin, self.most[k], sigma);
                slope -= alpha * change;
                bend += if is_free { sigma * change * change } else { 0.0 };
            }
            (slope, bend)
        };
        let first = slope(0.0).0.abs();
        let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..MOST_LOOKS {
            let (here, bend) = slope(t);
            if here.abs() <= FLAT * first {
                break;
            }
            if here < 0.0 {
                low = t
            } else {
                high = t
            }
            let next = t - here / bend;
            t = match low < next && next < high {
                true => next,
                false if high.is_finite() => low + (high - low) / 2.0,
                false => 2.0 * t,
            };
        }
        t
    }

    /// α ← α′, and w with it; gives how far a row that is free is from its margin.
    fn settle(&mut self, descent: &mut DualDescent<SampleSpace<'_>>, sigma: f64) -> f64 {
        let sample = descent.space.sample;
        let mut farthest = 0f64;
        self.w.fill(0.0);
        for (k, &i) in self.places.iter().enumerate() {
            let old = descent.alpha[i];
            let (alpha, is_free) = Self::moved(old, self.margins[k], self.most[k], sigma);
            if is_free {
                farthest = farthest.max((alpha - old).abs() / sigma);
            }
            descent.alpha[i] = alpha;
            if alpha != 0.0 {
                sample.row(i).add_to(&mut self.w, alpha * sample.y()[i]);
            }
        }
        descent.space.w.copy_from_slice(&self.w);
        farthest
    }
}
