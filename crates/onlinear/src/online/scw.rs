//! Soft confidence-weighted learning, SCW-I and SCW-II.
//!
//! Wang, Zhao and Hoi, "Exact soft confidence-weighted learning" (2012), Algorithm 1, Propositions 1 and 2.
//! Moves just far enough that the row would be right with a given probability, as far as C lets it.
//!
//! w ~ N(μ, Σ), at first N(0, I);   m = y μ·x,   v = xᵀΣx,   φ = Φ⁻¹(confidence)
//!
//! | variant | α |
//! | --- | --- |
//! | `1` | min(C, (−mψ + √(m²φ⁴/4 + vφ²ξ))/(vξ)), ψ = 1 + φ²/2, ξ = 1 + φ² |
//! | `2` | (−(2mn + φ²mv) + φ√(φ²m²v² + 4nv(n + vφ²)))/(2(n² + nvφ²)), n = v + 1/(2C) |
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | predict: ŷ = sgn(μ·x) |
//! | \[2\] | suffer loss φ√v − m, if that is positive |
//! | \[3\] | set α, not below 0 |
//! | \[4\] | μ ← μ + α y Σx |
//! | \[5\] | Σ ← Σ − (αφ/(√u + vαφ)) Σx xᵀΣ, √u = ½(−αvφ + √(α²v²φ² + 4v)), that is Σ⁻¹ ← Σ⁻¹ + (αφ/√u) x xᵀ |
//!
//! `diagonal` adds the diagonal of (αφ/√u) x xᵀ alone; only `full` is the exact minimum of the paper's problem. At
//! C → ∞ both variants of it are the confidence-weighted algorithm: y μ·x = φ√(xᵀΣx) after every update.

use super::covariance::{Covariance, MATRIX, Matrix};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::{Finite, Overflow, Weights, exp};
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, choice, number, parameters};
use crate::state::State;

choice! {
    enum ScwVariant { One = "1", Two = "2" }
}

parameters! {
    struct ScwParameters {
        variant: ScwVariant = ScwVariant::parameter(
            "variant",
            ScwVariant::One,
            "SCW-I: C bounds a step; SCW-II: steps are the shorter, the smaller C",
        ),
        aggressiveness: f64 = number("aggressiveness", 1.0, Range::POSITIVE, "C, the price of an error").alias(&["c"]),
        confidence: f64 = number(
            "confidence",
            0.9,
            Range { low: (0.5, false), high: (1.0, false) },
            "the probability of being right that every row should have",
        )
        .alias(&["eta"]),
        matrix: Matrix = MATRIX,
        output: Output = OUTPUT
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "scw",
    title: "Soft Confidence-Weighted",
    summary: "Moves just far enough that the row would be right with a given probability, as far as C lets it.",
    rule: "when φ√(xᵀΣx) > y μ·x: μ ← μ + α y Σx, then Σ⁻¹ ← Σ⁻¹ + (αφ/√u) x xᵀ or, diagonal, its diagonal; \
           φ = Φ⁻¹(confidence)",
    paper: "Wang, Zhao and Hoi (2012)",
    cost: "O(non-zeros) per trial; matrix=full, n features: O(n·non-zeros) per trial, O(n²) per update, O(non-zeros) \
           per prediction",
    bound: "none reported",
    differs: "√u = 2v/(αvφ + √(α²v²φ² + 4v)), which is the same without cancellation; where v ≤ 0 by rounding nothing \
              is learned",
    python: PythonClass::own("SoftConfidenceWeighted"),
    parameters: ScwParameters::TABLE,
    grid: &["aggressiveness=0.01..1*10", "confidence=0.75,0.9"],
    new: New::RowByRow(|settings| {
        let ScwParameters { variant, aggressiveness, confidence, matrix, output } = Parameters::read(settings);
        let (phi, covariance) = (normal_quantile(confidence), Covariance::new(matrix));
        Ok(Box::new(Stepper {
            f: Trajectory::of(Hypothesis::Primal(Weights::default()), output),
            rule: Scw { variant, c: aggressiveness, phi, covariance },
        }))
    }),
    ..Algorithm::ONLINE
};

/// Soft confidence-weighted learning.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "scw:confidence=0.75,matrix=full".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[2.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert!(learner.score(x) > 0.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Scw {
    variant: ScwVariant,
    c: f64,
    phi: f64,
    /// Σ.
    covariance: Covariance,
}

impl Scw {
    /// α, which is no longer positive where there is nothing to learn; without squares, which could overflow.
    fn alpha(&self, m: f64, v: f64) -> f64 {
        let &Scw { c, phi, .. } = self;
        let square = phi * phi;
        match self.variant {
            ScwVariant::One => {
                let (psi, xi) = (1.0 + square / 2.0, 1.0 + square);
                let alpha = (-m * psi + libm::hypot(m * square / 2.0, phi * (v * xi).sqrt())) / (v * xi);
                if alpha > c { c } else { alpha } // keeps a NaN
            }
            ScwVariant::Two => {
                let n = v + 1.0 / (2.0 * c);
                let (share, wide) = (v / n, 1.0 + v / n * square);
                let root = libm::hypot(phi * m * share, 2.0 * (share * n * wide).sqrt());
                (-m * (1.0 + wide) + phi * root) / (2.0 * n * wide)
            }
        }
    }
}

impl StepRule for Scw {
    fn update(&mut self, mean: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let m = y * score; // [1]
        Overflow::check([m * (2.0 + self.phi * self.phi)])?;
        let v = self.covariance.look(x)?;
        if v <= 0.0 || self.phi * v.sqrt() <= m {
            return Ok(false); // [2]
        }
        let alpha = self.alpha(m, v); // [3]
        if alpha <= 0.0 {
            return Ok(false);
        }
        let gain = alpha * self.phi;
        let root = 2.0 * v / (gain * v + libm::hypot(gain * v, 2.0 * v.sqrt()));
        self.covariance.fits(x, gain / root, v)?;
        mean.step_along(alpha * y, self.covariance.along(x))?; // [4]
        self.covariance.learn(x, gain / root, v); // [5]
        Ok(true)
    }

    fn memory(&self, features: usize) -> u64 {
        self.covariance.memory(features)
    }

    fn state(&mut self, mean: &mut Trajectory, state: &mut State) -> Result<()> {
        self.covariance.state_with(mean, state)
    }
}

/// Φ⁻¹(p) for ½ < p < 1, to a few units of rounding: by Newton's method on Φ − ½ near the middle and on ln(1 − Φ) in
/// the tail. Both are concave, so that it comes from one side, and both p − ½ and 1 − p are exact.
fn normal_quantile(p: f64) -> f64 {
    let density = |x: f64| exp(-x * x / 2.0) / std::f64::consts::TAU.sqrt();
    let near_middle = |x: f64| (p - 0.5) / density(x) - middle(x);
    let in_tail = |x: f64| tail(x) * libm::log(tail(x) * density(x) / (1.0 - p));
    let is_near = p < 0.84; // Φ(1)
    (0..64).fold(if is_near { 0.0 } else { 0.9 }, |x, _| x + if is_near { near_middle(x) } else { in_tail(x) })
}

/// (Φ(x) − ½)/Φ′(x) = x (1 + x²/3 (1 + x²/5 (1 + …))), for x up to 1.
fn middle(x: f64) -> f64 {
    x * (1..40).rev().fold(1.0, |rest, k| 1.0 + x * x / f64::from(2 * k + 1) * rest)
}

/// (1 − Φ(x))/Φ′(x) = 1/(x + 1/(x + 2/(x + …))), for x from 0.9 on.
fn tail(x: f64) -> f64 {
    1.0 / (1..1000).rev().fold(x, |rest, k| x + f64::from(k) / rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, expected) in [
            (0.5 + 2e-15, 5.00924956440918e-15),
            (0.75, 0.6744897501960817),
            (0.84, 0.994457883209753),
            (0.9, 1.2815515655446004),
            (0.95, 1.6448536269514722),
            (1.0 - 1e-9, 5.997807019601637),
        ] {
            let found = normal_quantile(p);
            assert!((found - expected).abs() <= 1e-15 * expected, "{p}: {found}");
        }
    }
}
