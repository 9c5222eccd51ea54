//! The mistake bounds, as plain formulas.

/// A mistake bound with all that does not depend on the comparator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Theorem {
    /// The Perceptron's, in the three forms of which the least counts; with ‖u‖_q = 1 and R in the p-norm the
    /// p-norm Perceptron's.
    FirstOrder {
        /// The norm of the rows.
        p: f64,
        /// Whether the rows are M^{−1/2}x.
        is_whitened: bool,
    },
    /// Winnow's, ‖u‖₁ = 1.
    Winnow {
        /// η.
        rate: f64,
        /// N, or 2N for balanced weights.
        dimensions: f64,
        /// Whether u may have negative components.
        is_balanced: bool,
    },
    /// The second-order Perceptron's: m ≤ D/γ + √((a + uᵀXXᵀu) E)/γ.
    SecondOrder {
        /// a.
        ridge: f64,
        /// E.
        eigenvalues: f64,
        /// Its name.
        name: &'static str,
    },
    /// The higher-order Perceptron's.
    HigherOrder {
        /// α = (2 − c)/c.
        alpha: f64,
    },
    /// The Projectron's with a tolerance.
    Projectron {
        /// The largest ‖δ‖ of a projection.
        tolerance: f64,
    },
    /// M ≤ 2‖g‖² + 4 D₁ for ‖g‖ ≤ U.
    NormBounded {
        /// U.
        most: f64,
        /// Its name.
        name: &'static str,
    },
}

/// What a bound is computed from, for ‖u‖ = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measures {
    /// γ.
    pub(crate) gamma: f64,
    /// R, the largest norm of a charged row.
    pub(crate) radius: f64,
    /// D = Σ max(0, γ − y u·x).
    pub(crate) deviation: f64,
    /// D₂ = √Σ max(0, γ − y u·x)².
    pub(crate) squares: f64,
    /// uᵀXXᵀu = Σ (u·x)².
    pub(crate) spread: f64,
}

impl Theorem {
    /// The norm in which comparators have length 1.
    pub(crate) fn comparator_norm(&self) -> f64 {
        match *self {
            Theorem::FirstOrder { p, .. } => p / (p - 1.0),
            Theorem::Winnow { .. } => 1.0,
            _ => 2.0,
        }
    }

    /// The norm in which rows are measured.
    pub(crate) fn row_norm(&self) -> f64 {
        match *self {
            Theorem::FirstOrder { p, .. } => p,
            Theorem::Winnow { .. } => f64::INFINITY,
            _ => 2.0,
        }
    }

    /// γ must not be less than this.
    pub(crate) fn least_gamma(&self, radius: f64) -> f64 {
        match *self {
            Theorem::Winnow { rate, .. } => rate * radius * radius / 2.0,
            Theorem::Projectron { tolerance } => tolerance,
            Theorem::NormBounded { most, .. } => 1.0 / most,
            _ => 0.0,
        }
    }

    /// Whether comparators must not have negative components.
    pub(crate) fn needs_positive_weights(&self) -> bool {
        matches!(self, Theorem::Winnow { is_balanced: false, .. })
    }

    /// Whether it speaks of a comparator g of any norm and margin 1, and not of norm 1 and margin γ.
    pub(crate) fn has_unit_margin(&self) -> bool {
        matches!(self, Theorem::Projectron { .. } | Theorem::NormBounded { .. })
    }

    /// The bound and what its form is called; `None` where γ does not meet the theorem's conditions.
    pub(crate) fn bound(&self, measures: &Measures) -> Option<(f64, &'static str)> {
        let &Measures { gamma, radius: r, deviation: d, spread, .. } = measures;
        let (bound, name) = match *self {
            Theorem::FirstOrder { p, is_whitened } => {
                first_order((p - 1.0).sqrt() * r, measures, name_of(p, is_whitened))
            }
            Theorem::Winnow { rate, dimensions, is_balanced } => {
                let gain = rate * gamma - rate * rate * r * r / 2.0;
                let name = if is_balanced { "Balanced Winnow" } else { "Winnow" };
                (if gain > 0.0 { (dimensions.ln() + rate * d) / gain } else { f64::NAN }, name)
            }
            Theorem::SecondOrder { ridge, eigenvalues, name } => {
                ((d + ((ridge + spread) * eigenvalues).sqrt()) / gamma, name)
            }
            Theorem::HigherOrder { alpha } => {
                let deviations = alpha * d / gamma;
                (root(deviations, alpha / gamma), "Higher-order Perceptron, Theorem 1")
            }
            Theorem::Projectron { tolerance } => projectron(tolerance, measures),
            Theorem::NormBounded { most, name } => {
                let g = 1.0 / gamma;
                (if g <= most * (1.0 + 1e-12) { 2.0 * g * g + 4.0 * d * g } else { f64::NAN }, name)
            }
        };
        (gamma > 0.0 && bound.is_finite()).then_some((bound, name))
    }
}

/// δ + a²/2 + a√(δ + a²/4), the largest m with m − δ ≤ a√m.
fn root(deviations: f64, a: f64) -> f64 {
    deviations + a * a / 2.0 + a * (deviations + a * a / 4.0).sqrt()
}

/// The names of the three forms: separable, squared deviations, linear deviations.
fn name_of(p: f64, is_whitened: bool) -> [&'static str; 3] {
    if is_whitened {
        [
            "Whitened Perceptron, separable",
            "Whitened Perceptron, squared deviations",
            "Whitened Perceptron, linear deviations",
        ]
    } else if p == 2.0 {
        ["Perceptron, separable", "Perceptron, squared deviations", "Perceptron, linear deviations"]
    } else {
        [
            "p-norm Perceptron, separable",
            "p-norm Perceptron, squared deviations",
            "p-norm Perceptron, linear deviations",
        ]
    }
}

/// The least of R²/γ² (where D = 0), ((R + D₂)/γ)² and the form that is linear in D.
fn first_order(r: f64, measures: &Measures, names: [&'static str; 3]) -> (f64, &'static str) {
    let &Measures { gamma, deviation, squares, .. } = measures;
    let separable = if deviation == 0.0 { (r / gamma).powi(2) } else { f64::INFINITY };
    let forms = [separable, ((r + squares) / gamma).powi(2), root(deviation / gamma, r / gamma)];
    let least = forms.iter().copied().fold(f64::INFINITY, f64::min);
    let first = forms.iter().position(|&form| form == least).unwrap_or(2);
    (least, names[first])
}

/// The lesser of Theorem 2, (‖g‖² + 2D₁)/(2 − R² − 2η‖g‖), and Theorem 3,
/// ((R‖g‖ + √(R²‖g‖² + 4D₁))/(2(1 − η‖g‖)))², each where its condition holds.
fn projectron(tolerance: f64, measures: &Measures) -> (f64, &'static str) {
    let &Measures { gamma, radius: r, deviation, .. } = measures;
    let (g, d) = (1.0 / gamma, deviation / gamma);
    let (second, third) = (2.0 - r * r - 2.0 * tolerance * g, 1.0 - tolerance * g);
    let second = if second > 0.0 { (g * g + 2.0 * d) / second } else { f64::INFINITY };
    let third =
        if third > 0.0 { ((r * g + (r * r * g * g + 4.0 * d).sqrt()) / (2.0 * third)).powi(2) } else { f64::INFINITY };
    if second <= third { (second, "Projectron, Theorem 2") } else { (third, "Projectron, Theorem 3") }
}
