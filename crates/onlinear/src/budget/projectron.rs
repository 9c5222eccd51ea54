//! The Projectron.
//!
//! Orabona, Keshet and Caputo, "Bounded kernel-based online learning" (2009), Algorithm 2.
//! A mistaken row that is nearly in the span of the support set is projected onto it instead of
//! being added, so the support set stays finite while little of the update is lost.
//!
//! With k the kernel column of x, d* = K⁻¹k its coordinates in the span and ‖δ‖² = K(x,x) − kᵀd* its
//! squared distance to it:
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | ŷ = sgn f(x) |
//! | \[2\] | on a mistake, d* and ‖δ‖ |
//! | \[3\] | if ‖δ‖ ≤ η: α ← α + y d* |
//! | \[4\] | else x joins the support set with coefficient y |
//!
//! `tolerance` gives η; with `norm-bound` U it is (2ℓ − ‖Pk‖² − ½)/(2U) at each mistake, ℓ = 1 − y f(x),
//! ‖Pk‖² = K(x,x) − ‖δ‖². ‖δ‖² below 1e-10 K(x,x) counts as 0: such a row is projected, never added.
//!
//! K⁻¹ is not kept but the Cholesky factor L of K: z = L⁻¹k gives ‖δ‖² = K(x,x) − ‖z‖², d* = L⁻ᵀz, and the
//! row (z, ‖δ‖) is what L grows by. Old rows never change, so nothing drifts and nothing needs repair.

use super::projectron_plus_plus::MarginTest;
use super::{expansion, refold, set};
use crate::bound::{Evidence, Measures, ROUNDING, Theorem, digits};
use crate::error::{Message, Result};
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::{Example, Fact};
use crate::space::{Cholesky, CoordinatesAhead, Finite, Overflow, Row, Symmetric, vector};
use crate::spec::{
    Algorithm, Charges, Declaration, New, Parameters, PythonClass, Range, number_or, parameters, shortest,
};
use crate::state::State;

/// η.
pub(super) const TOLERANCE: Declaration<Option<f64>> = number_or(
    "tolerance",
    None,
    "auto",
    Range::NOT_NEGATIVE,
    "η, the distance to the span up to which a row is projected, in the unit of √K(x,x); auto: 0.1 unless norm-bound \
     is \
     given; raise it while the mistakes stay as they are: each step leaves fewer support vectors",
)
.alias(&["eta"]);

/// U.
pub(super) const NORM_BOUND: Declaration<Option<f64>> = number_or(
    "norm-bound",
    None,
    "none",
    Range::POSITIVE,
    "U, the norm of the competitor up to which the bound holds; decides η at each mistake",
)
.alias(&["u"]);

parameters! {
    struct ProjectronParameters {
        tolerance: Option<f64> = TOLERANCE,
        norm_bound: Option<f64> = NORM_BOUND,
        output: Output = OUTPUT;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "projectron",
    title: "Projectron",
    summary: "A kernel Perceptron that projects mistaken rows onto the span of its support set where they are near it.",
    rule: "on a mistake α ← α + y d* when ‖δ‖ ≤ η, else x joins the support set with coefficient y",
    paper: "Orabona, Keshet and Caputo (2009)",
    cost: "|S| kernel values per trial, O(|S|²) per mistake",
    bound: "Theorem 2; Corollary 1 with norm-bound and K ≤ 1",
    theorem: Charges::Mistakes(|settings, evidence| {
        let ProjectronParameters { tolerance, norm_bound, .. } = Parameters::read(settings);
        match Threshold::of(tolerance, norm_bound)? {
            Threshold::Tolerance(eta) => Ok(theorem_with_tolerance(eta, evidence)),
            Threshold::NormBound(u) => theorem_with_norm_bound(ALGORITHM.title, "Corollary 1", u, evidence),
        }
    }),
    differs: "a Cholesky factor of K in place of the inverse of its eq. 11; ‖δ‖² below 1e-10 K(x,x) counts as 0",
    python: PythonClass::own("Projectron"),
    parameters: ProjectronParameters::TABLE,
    grid: &["tolerance=0.01,0.1,0.5"],
    new: New::RowByRow(|settings| {
        let ProjectronParameters { tolerance, norm_bound, output, kernel } = Parameters::read(settings);
        let rule = Projectron::new(Threshold::of(tolerance, norm_bound)?, None);
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule }))
    }),
    ..Algorithm::ONLINE
};

/// ‖δ‖² below this share of K(x,x) is rounding: K would be singular.
const FLOOR: f64 = 1e-10;

/// A support set of more rows is told of.
const MANY: usize = 2000;

/// What Σβ_t is called in reports and model files.
pub(crate) const GAINS: &str = "gains";

/// What decides whether a row is projected.
#[derive(Clone, Copy)]
pub(super) enum Threshold {
    /// η itself.
    Tolerance(f64),
    /// U, from which η follows.
    NormBound(f64),
}

impl Threshold {
    pub(super) fn of(tolerance: Option<f64>, norm_bound: Option<f64>) -> std::result::Result<Threshold, String> {
        match (tolerance, norm_bound) {
            (Some(_), Some(_)) => Err("tolerance= and norm-bound= are both given; expected one of them".to_string()),
            (None, Some(u)) => Ok(Threshold::NormBound(u)),
            (eta, None) => Ok(Threshold::Tolerance(eta.unwrap_or(0.1))),
        }
    }
}

/// The lesser of Theorem 2, (‖g‖² + 2D₁)/(2 − R² − 2η‖g‖), and Theorem 3,
/// ((R‖g‖ + √(R²‖g‖² + 4D₁))/(2(1 − η‖g‖)))², each where its condition holds.
fn theorem_with_tolerance(eta: f64, evidence: &Evidence<'_>) -> Theorem {
    let largest = evidence.largest_square();
    let eta = eta.max((FLOOR * largest).sqrt());
    let formula = move |&Measures { gamma, radius: r, deviation, .. }: &Measures| {
        let (g, d) = (1.0 / gamma, deviation / gamma);
        let over = |value: f64, room: f64| if room > 0.0 { value / room } else { f64::INFINITY };
        let second = over(g * g + 2.0 * d, 2.0 - r * r - 2.0 * eta * g);
        let third = over(r * g + (r * r * g * g + 4.0 * d).sqrt(), 2.0 * (1.0 - eta * g)).powi(2);
        if second <= third { (second, "Theorem 2") } else { (third, "Theorem 3") }
    };
    Theorem {
        least_gamma: eta,
        has_unit_margin: true,
        unmet: format!(
            "no g was found with norm < 1/tolerance, which the bound needs (tolerance = {eta}, R = {})",
            digits(largest.sqrt())
        ),
        ..Theorem::new(ALGORITHM.title, formula)
    }
}

/// M ≤ 2(‖g‖² + 2D₁ − Σβ_t) for ‖g‖ ≤ U.
pub(super) fn theorem_with_norm_bound(
    name: &'static str,
    form: &'static str,
    u: f64,
    evidence: &Evidence<'_>,
) -> std::result::Result<Theorem, String> {
    let largest = evidence.largest_square();
    if largest > 1.0 + ROUNDING {
        return Err(format!("the bound needs K(x,x) ≤ 1, and a row has K(x,x) = {largest}"));
    }
    if u * FLOOR.sqrt() > 0.25 {
        return Err(format!("norm-bound={u} is beyond the precision of the projections"));
    }
    let gains = evidence.gains;
    let formula = move |&Measures { gamma, deviation, .. }: &Measures| {
        let g = 1.0 / gamma;
        (if g <= u * (1.0 + 1e-12) { 2.0 * (g * g + 2.0 * deviation * g - gains) } else { f64::NAN }, form)
    };
    Ok(Theorem { least_gamma: 1.0 / u, has_unit_margin: true, ..Theorem::new(name, formula) })
}

/// The Projectron, and with a rule for margin errors the Projectron++.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "projectron".parse::<Spec>()?.online()?;
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[-2.0]), Label::Positive)); // in the span of the first
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.leaves().support_len()), (-1.0, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub(super) struct Projectron {
    threshold: Threshold,
    margins: Option<MarginTest>,
    factor: Cholesky,
    added: u64,
    projected: u64,
    margin_updates: u64,
    skipped: u64,
    /// Σβ_t, β = τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) of the margin errors that were learned from.
    gains: f64,
    /// z of rows to come.
    ahead: CoordinatesAhead,
    /// z, then d*; memory used again and again.
    z: Vec<f64>,
}

/// How a row lies to the span of the support set; z is in `Projectron::z`.
struct Position {
    /// ‖δ‖
    distance: f64,
    /// ‖Pk‖²
    shadow: f64,
}

impl Projectron {
    /// f = 0.
    pub(super) fn new(threshold: Threshold, margins: Option<MarginTest>) -> Projectron {
        Projectron {
            threshold,
            margins,
            factor: Cholesky::default(),
            added: 0,
            projected: 0,
            margin_updates: 0,
            skipped: 0,
            gains: 0.0,
            ahead: CoordinatesAhead::default(),
            z: Vec::new(),
        }
    }

    /// Looks at the row of this trial, which has this lane among those announced, if any, from the span.
    fn see(&mut self, f: &Trajectory, lane: Option<usize>, square: f64) -> Position {
        self.z.clear();
        let known = self.ahead.z_if_many(set(f), &self.factor, lane).map(|z| self.z.extend(z));
        if known.is_none() {
            self.z.extend_from_slice(expansion(f).column());
            self.factor.forward(&mut self.z);
        }
        let residual = square - vector::dot(&self.z, &self.z);
        // Not the other way round: what is not a number must not count as 0.
        let residual = if residual < FLOOR * square { 0.0 } else { residual };
        Position { distance: residual.sqrt(), shadow: square - residual }
    }

    /// α ← α + step d*.
    fn project(&mut self, f: &mut Trajectory, step: f64) -> Finite {
        self.factor.backward(&mut self.z);
        self.z.iter_mut().for_each(|d| *d *= step);
        f.shift(&self.z)
    }

    /// Whether a mistaken row with this loss is projected.
    fn is_near(&self, &Position { distance, shadow }: &Position, loss: f64) -> bool {
        let eta = match self.threshold {
            Threshold::Tolerance(eta) => eta,
            Threshold::NormBound(u) => (2.0 * loss - shadow - 0.5) / (2.0 * u),
        };
        distance == 0.0 || distance <= eta
    }

    /// Takes a row in whose trial has begun, as one of score 0 would be: what was held stays apart from what was
    /// before.
    fn rejoin(&mut self, f: &mut Trajectory, x: Row<'_>, numbers: (f64, f64), square: f64) -> Finite {
        let position = self.see(f, None, square);
        Overflow::check(self.z.iter().copied().chain([position.distance]))?;
        if !set(f).is_empty() && self.is_near(&position, 1.0) {
            self.factor.backward(&mut self.z);
            f.fold_onto(&self.z, numbers);
            return Ok(());
        }
        self.factor.push(&self.z, position.distance);
        f.fold_in(x, numbers)
    }

    fn mistake(&mut self, f: &mut Trajectory, example: &Example<'_>, loss: f64, square: f64) -> Finite {
        let (x, y) = (example.x, example.y.sign());
        let position = self.see(f, example.lane, square); // [2]
        if !set(f).is_empty() && self.is_near(&position, loss) {
            self.project(f, y)?; // [3]
            self.projected += 1;
        } else {
            Overflow::check(self.z.iter().copied().chain([position.distance]))?;
            f.push(x, y)?; // [4]
            self.factor.push(&self.z, position.distance);
            self.added += 1;
        }
        Ok(())
    }

    /// A margin error of the Projectron++: how far to go along d*, 0 for not at all.
    fn margin_step(&self, test: MarginTest, loss: f64, position: &Position) -> f64 {
        let &Position { distance, shadow } = position;
        match self.threshold {
            Threshold::NormBound(u) => {
                let tau = (loss / shadow).min(1.0);
                let gain = tau * (2.0 * loss - tau * shadow);
                let price = 2.0 * u * distance * if test == MarginTest::Printed { tau } else { 1.0 };
                if gain - price >= 0.0 { tau } else { 0.0 }
            }
            Threshold::Tolerance(eta) => {
                let slack = if distance == 0.0 { loss } else { loss - distance / eta };
                if slack > 0.0 { (loss / shadow).min(2.0 * slack / shadow).min(1.0) } else { 0.0 }
            }
        }
    }
}

impl StepRule for Projectron {
    const NEEDS_COLUMN: bool = true;

    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let loss = 1.0 - y * score; // [1]
        if y * score <= 0.0 {
            let square = set(f).with_itself(x);
            if square != 0.0 {
                self.mistake(f, example, loss, square)?;
            }
            return Ok(square != 0.0);
        }
        let Some(test) = self.margins.filter(|_| loss > 0.0) else { return Ok(false) };
        let position = self.see(f, example.lane, set(f).with_itself(x));
        let tau = self.margin_step(test, loss, &position);
        let updates = tau > 0.0;
        if updates {
            self.project(f, y * tau)?;
            if let Threshold::NormBound(u) = self.threshold {
                self.gains += tau * (2.0 * loss - tau * position.shadow - 2.0 * u * position.distance);
            }
        }
        self.margin_updates += u64::from(updates);
        self.skipped += u64::from(!updates);
        Ok(updates)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let counts = [
            ("added", self.added),
            ("projected", self.projected),
            ("margin_updates", self.margin_updates),
            ("skipped", self.skipped),
        ];
        let gains = self.margins.map(|_| (GAINS, Fact::Number(self.gains)));
        counts.map(|(name, count)| (name, Fact::Number(count as f64))).into_iter().chain(gains).collect()
    }

    fn warning(&self, f: &Trajectory) -> Option<Message> {
        let (name, rows) = (if self.margins.is_some() { "projectron++" } else { ALGORITHM.name }, set(f).len());
        let advice = match self.threshold {
            Threshold::Tolerance(eta) => format!("a tolerance above {} keeps fewer", shortest(eta)),
            Threshold::NormBound(u) => format!("a norm-bound below {} keeps fewer", shortest(u)),
        };
        let warning =
            format!("{name}: {rows} support vectors, and the time of an update grows with their square; {advice}");
        (rows > MANY).then(|| warning.into())
    }

    fn memory(&self, _features: usize) -> u64 {
        Symmetric::bytes(self.factor.order()) + self.ahead.bytes()
    }

    fn state(&mut self, f: &mut Trajectory, state: &mut State) -> Result<()> {
        match state.is_merging() {
            true => refold(f, |f, x, numbers, square| self.rejoin(f, x, numbers, square))?,
            false => self.factor.state("factor", state)?,
        }
        let set = set(f);
        state.require(self.factor.order() == set.len(), "the factor and the support set differ in size")?;
        let fits = !state.is_loading() || self.factor.is_of(set, |_| 0.0);
        state.require(fits, "factor is not that of the support set")?;
        state.tally("added", &mut self.added)?;
        state.tally("projected", &mut self.projected)?;
        state.tally("margin-updates", &mut self.margin_updates)?;
        state.tally("skipped", &mut self.skipped)?;
        match self.margins {
            Some(_) => state.optional(GAINS, |state| state.sum(GAINS, &mut self.gains)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Spec;
    use crate::learner::{Label, Learner, Round, rounds};
    use crate::random::Random;

    /// The self-check that a kept inverse would need at run time: K⁻¹K stays the identity.
    #[test]
    fn the_factor_does_not_drift() {
        for (text, most) in [
            ("projectron:tolerance=0.05,kernel=gaussian,sigma2=0.5", 1e-9),
            ("projectron++:norm-bound=20,kernel=gaussian,sigma2=2", 1e-7),
            ("projectron:tolerance=0.01,kernel=polynomial,degree=4,cosine=true", 1e-6),
        ] {
            let spec: Spec = text.parse().unwrap();
            let ProjectronParameters { tolerance, norm_bound, output, kernel } = Parameters::read(&spec);
            let rule = Projectron::new(Threshold::of(tolerance, norm_bound).unwrap(), Some(MarginTest::Printed));
            let mut projectron = Stepper { f: Trajectory::dual(kernel, output), rule };
            let mut random = Random::new(1);
            for _ in 0..5000 {
                let x = [random.gauss(), random.gauss(), random.gauss()];
                let y = if random.chance(0.5) { Label::Positive } else { Label::Negative };
                (&mut projectron as &mut dyn Learner).round(&Example::new(Row::Dense(&x), y));
            }
            let set = set(&projectron.f);
            let mut drift = 0.0f64;
            for i in 0..set.len() {
                let mut column: Vec<f64> = set.column(set.row(i), |values| values.collect());
                projectron.rule.factor.solve(&mut column);
                column[i] -= 1.0;
                drift = column.iter().fold(drift, |drift, v| drift.max(v.abs()));
            }
            assert!(set.len() > 20 && drift < most, "{text}: {} rows, drift {drift:e}", set.len());
        }
    }

    /// With so many support vectors that the rows of a block go through the factor together.
    #[test]
    fn rows_ahead_change_no_bit_of_a_large_support_set() {
        let spec: Spec = "projectron++:tolerance=0.1,kernel=gaussian,sigma2=0.5".parse().unwrap();
        let mut random = Random::new(2);
        let rows: Vec<[f64; 6]> = (0..1600).map(|_| std::array::from_fn(|_| random.gauss())).collect();
        let example = |x| Example::new(Row::Dense(x), Label::one_of(random.chance(0.5)));
        let examples: Vec<Example<'_>> = rows.iter().map(|x| &x[..]).map(example).collect();
        let (mut alone, mut ahead) = (spec.online().unwrap(), spec.online().unwrap());
        let scores: Vec<f64> = examples.iter().map(|example| alone.round(example).score).collect();
        let mut found = Vec::new();
        let seen = |_: &Example<'_>, round: Round| {
            found.push(round.score);
            ControlFlow::Continue(())
        };
        rounds(ahead.as_mut(), &examples, seen).unwrap();
        assert_eq!(found, scores);
        assert!(alone.leaves().support_len().is_some_and(|rows| rows > 600), "{:?}", alone.leaves().support_len());
    }
}
