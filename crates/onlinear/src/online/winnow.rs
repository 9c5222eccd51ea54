//! Winnow and balanced Winnow (EG±).
//!
//! Littlestone (1988), Kivinen and Warmuth (1997); Mohri's lecture, WINNOW(η).
//! Multiplies the weights of a mistaken row's features by exp(η y xᵢ) and normalises them to sum 1.
//!
//! wᵢ ← wᵢ exp(η y xᵢ)/Z, w starting at 1/N. Balanced: the same on (x, −x), score (w⁺ − w⁻)·x.
//!
//! The normalised weights are a quotient of running sums. With θ = η Σ_mistakes y x,
//!
//! plain: wᵢ = e^{θᵢ} / Σⱼ e^{θⱼ}      balanced: w⁺ᵢ − w⁻ᵢ = (e^{θᵢ} − e^{−θᵢ}) / Σⱼ (e^{θⱼ} + e^{−θⱼ})
//!
//! so an update touches the row's own features and one sum, and the first balanced score is exactly
//! 0. All exponents carry a common shift, which follows the largest of them.
//!
//! | step | the lecture's line |
//! | --- | --- |
//! | \[1\] | 4: ŷ ← sgn(w·x) |
//! | \[2\] | 6: if ŷ ≠ y |
//! | \[3\] | 7–9: wᵢ ← wᵢ exp(η y xᵢ)/Z |

use super::perceptron::RATE;
use crate::bound::{Evidence, Measures, Theorem, digits};
use crate::error::{Message, Result};
use crate::learner::{Example, Expected, Formula, Learner, Leaves, Predictor, Step, too_many_features};
use crate::space::{Finite, Overflow, Row, RunningSum, Weights, exp};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, flag, parameters};
use crate::state::State;

parameters! {
    struct WinnowParameters {
        rate: f64 = RATE.default(0.1).help("η, the size of an update in the exponent"),
        balanced: bool = flag(
            "balanced",
            true,
            "learn on (x, −x), for weights of both signs; plain Winnow's are all positive",
        ),
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "winnow",
    title: "Winnow",
    summary: "Multiplies the weights of a mistaken row's features by exp(η y xᵢ) and normalises them to sum 1.",
    rule: "wᵢ ← wᵢ exp(η y xᵢ)/Z when y w·x ≤ 0; balanced: the same on (x, −x)",
    paper: "Littlestone (1988); Kivinen and Warmuth (1997)",
    cost: "O(non-zeros) per trial",
    bound: "mistakes ≤ 2 (R∞²/ρ∞²) ln N at the best rate (2N when balanced) on data separable by a target of unit \
            1-norm",
    theorem: Charges::Mistakes(|settings, evidence| Ok(theorem(Parameters::read(settings), evidence))),
    differs: "N may grow while the stream goes on: a feature met late had weight 1 (times the common factor) all \
              along; decisions do not depend on N, only the scale of scores does",
    python: PythonClass::own("Winnow"),
    parameters: WinnowParameters::TABLE,
    grid: &["rate=0.01,0.03,0.1,0.3,1"],
    needs_feature_count: |_| true,
    feature_count_scales: true,
    new: New::RowByRow(|settings| Ok(Box::new(Winnow::new(Parameters::read(settings))))),
    ..Algorithm::ONLINE
};

/// m ≤ (ln N + ηD)/(ηγ − η²R²/2) for u ≥ 0; for any u with 2N when balanced.
fn theorem(WinnowParameters { rate, balanced }: WinnowParameters, evidence: &Evidence<'_>) -> Theorem {
    let features = evidence.features.max(evidence.trials.rows().dimension());
    let dimensions = if balanced { 2 * features } else { features } as f64;
    let formula = move |&Measures { gamma, radius: r, deviation: d, .. }: &Measures| {
        let gain = rate * gamma - rate * rate * r * r / 2.0;
        (if gain > 0.0 { (libm::log(dimensions) + rate * d) / gain } else { f64::NAN }, "")
    };
    let row_norm = f64::INFINITY;
    let radius = evidence.trials.radius(row_norm, None);
    Theorem {
        row_norm,
        comparator_norm: 1.0,
        least_gamma: rate * radius * radius / 2.0,
        needs_positive_weights: !balanced,
        unmet: format!(
            "no u was found with margin ρ > rate·R²/2, which the bound needs (rate = {rate}; never for rate ≥ {})",
            digits(2.0 / radius)
        ),
        ..Theorem::new(if balanced { "Balanced Winnow" } else { ALGORITHM.title }, formula)
    }
}

/// Exponents above this raise the common shift: exp(500) squared still fits an f64.
const LARGEST_EXPONENT: f64 = 500.0;

/// Winnow.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "winnow:rate=1".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0, -1.0]);
/// assert_eq!(learner.round(&Example::new(x, Label::Positive)).score, 0.0);
/// assert!(learner.score(x) > 0.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Winnow {
    rate: f64,
    balanced: bool,
    theta: Vec<f64>,
    shift: f64,
    /// The denominator: Σ over all features.
    sum: RunningSum,
    /// The numerators: derived from θ and the shift.
    w: Weights,
}

impl Winnow {
    /// All weights alike.
    fn new(WinnowParameters { rate, balanced }: WinnowParameters) -> Winnow {
        let (sum, w) = (RunningSum::default(), Weights::default());
        Winnow { rate, balanced, theta: Vec::new(), shift: 0.0, sum, w }
    }

    /// The numerator and the share of the denominator of a feature.
    fn terms(&self, theta: f64) -> (f64, f64) {
        let up = exp(theta - self.shift);
        if !self.balanced {
            return (up, up);
        }
        let down = exp(-theta - self.shift);
        (up - down, up + down)
    }

    /// In one unit: the factor of all numerators and shares kept, and those of a feature not yet met.
    fn unmet(&self) -> (f64, f64, f64) {
        if -self.shift > LARGEST_EXPONENT {
            // Plain weights fell so far that 1 overflows in their unit: they are counted in its unit.
            return (exp(self.shift), 1.0, 1.0);
        }
        let (numerator, share) = self.terms(0.0);
        (1.0, numerator, share)
    }

    /// Counts features met for the first time.
    fn grow(&mut self, features: usize) {
        let new = features.saturating_sub(self.theta.len());
        if new > 0 {
            let (factor, numerator, share) = self.unmet();
            self.theta.resize(features, 0.0);
            if factor != 1.0 {
                return self.rebase();
            }
            self.w.as_mut_vec().resize(features, numerator);
            self.sum.add(new as f64 * share);
        }
    }

    /// Computes every term afresh, from a shift that fits the largest exponent.
    fn rebase(&mut self) {
        let exponents = self.theta.iter().map(|&t| if self.balanced { t.abs() } else { t });
        self.shift = exponents.fold(f64::NEG_INFINITY, f64::max);
        self.sum = RunningSum::exact(self.shares());
        self.derive();
    }

    /// Σ of all shares, term by term.
    fn shares(&self) -> f64 {
        self.theta.iter().map(|&theta| self.terms(theta).1).sum()
    }

    fn derive(&mut self) {
        *self.w.as_mut_vec() = self.theta.iter().map(|&t| self.terms(t).0).collect();
    }
}

impl Learner for Winnow {
    fn score(&self, x: Row<'_>) -> f64 {
        let new = x.dimension().saturating_sub(self.theta.len());
        let (mut product, mut sum) = (self.w.dot(x), self.sum.value());
        if new > 0 {
            let (factor, numerator, share) = self.unmet();
            product *= factor;
            sum = factor * sum + new as f64 * share;
            x.for_each(|i, v| product += if i >= self.theta.len() { numerator * v } else { 0.0 });
        }
        if sum == 0.0 { 0.0 } else { product / sum } // [1]
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        let step = self.rate * y.sign();
        let updates = !(y.sign() * score > 0.0 || x.is_zero()); // [2]
        Overflow::unless(!updates || x.fits(&self.theta, step))?;
        self.grow(x.dimension());
        if !updates {
            return Ok(Step::Stay);
        }
        let mut fits = true;
        x.for_each(|i, v| {
            let before = self.terms(self.theta[i]).1;
            self.theta[i] += step * v; // [3]
            let exponent = if self.balanced { self.theta[i].abs() } else { self.theta[i] };
            if exponent - self.shift > LARGEST_EXPONENT {
                fits = false;
                return;
            }
            let (numerator, share) = self.terms(self.theta[i]);
            self.w.as_mut_vec()[i] = numerator;
            self.sum.add(share - before);
        });
        if !fits || self.sum.is_worn() {
            self.rebase();
        }
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}
}

impl Predictor for Winnow {
    fn leaves(&self) -> Leaves<'_> {
        let weights = || self.w.as_slice().iter().map(|w| w / self.sum.value()).collect::<Vec<f64>>();
        Leaves::derived(|x| self.score(x), move || Formula::weights(weights().into()))
    }

    fn memory(&self, features: usize) -> u64 {
        16 * features as u64
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let features = expected.features.unwrap_or(0);
        let bytes = self.memory(features);
        if expected.max_memory.is_some_and(|most| bytes > most) {
            return Err(too_many_features(features, bytes));
        }
        self.grow(features);
        Ok(())
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.mixed("theta", &mut self.theta)?;
        if state.is_merging() {
            if !self.theta.is_empty() {
                self.rebase();
            }
            return Ok(());
        }
        state.f64("shift", &mut self.shift)?;
        self.sum.state("sum", state)?;
        if state.is_loading() {
            self.derive();
        }
        state.require(self.w.as_slice().iter().all(|w| w.is_finite()), "an exponent is out of range")?;
        let fits = !state.is_loading() || self.sum.is_of(self.shares());
        state.require(fits, "sum is not that of its terms")
    }
}
