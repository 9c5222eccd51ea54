//! The shape of a theorem about mistakes.

use super::ChargedTrials;

/// The bound for what was measured, and the form that it is of.
pub(crate) type Formula = Box<dyn Fn(&Measures) -> (f64, &'static str)>;

/// The margins of a comparator on all trials, one after the other.
pub(crate) type MarginsOf = Box<dyn Fn(&ChargedTrials, &Comparator) -> Vec<f64>>;

/// A mistake bound that holds for every comparator u and every margin γ, with all that does not depend on them.
///
/// [`Theorem::new`] has what most say of the rest, for `..Theorem::new(…)`.
pub(crate) struct Theorem {
    /// What people call it.
    pub(crate) name: &'static str,
    /// The bound, and which form of the theorem it is from ("" if there is but one); no finite number where the
    /// theorem's conditions are not met.
    pub(crate) formula: Formula,
    /// The norm in which rows are measured.
    pub(crate) row_norm: f64,
    /// The norm in which comparators have length 1.
    pub(crate) comparator_norm: f64,
    /// γ must not be less than this.
    pub(crate) least_gamma: f64,
    /// Whether comparators must not have negative components.
    pub(crate) needs_positive_weights: bool,
    /// Whether it speaks of a comparator g of any norm and margin 1, and not of norm 1 and margin γ.
    pub(crate) has_unit_margin: bool,
    /// Whether it is R²/ρ², or a multiple of it, for a u that tells the rows apart with margin ρ.
    pub(crate) is_classical: bool,
    /// Whether a run until a pass has no mistake is the same without a row that it never updated on.
    pub(crate) bounds_left_out: bool,
    /// Whether it speaks of what became of the rows in a run, and so says nothing before it.
    pub(crate) is_of_run: bool,
    /// The eigenvalues' factor, where it has one.
    pub(crate) eigenvalues: Option<f64>,
    /// The trials on the rows that it speaks of, where these are not the learner's.
    pub(crate) trials: Option<ChargedTrials>,
    /// The margins of a u on all trials, one after the other, where they are not y u·x.
    pub(crate) margins: Option<MarginsOf>,
    /// What to say where no comparator meets its conditions.
    pub(crate) unmet: String,
}

/// u, of any length.
#[derive(Clone, Debug)]
pub(crate) enum Comparator {
    /// A weight vector.
    Weights(Vec<f64>),
    /// Coefficients of the charged rows in these places.
    Expansion { places: Vec<u32>, alpha: Vec<f64> },
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
    /// A theorem in the Euclidean norm (or that of the kernel), for any γ > 0.
    pub(crate) fn new(name: &'static str, formula: impl Fn(&Measures) -> (f64, &'static str) + 'static) -> Theorem {
        Theorem {
            name,
            formula: Box::new(formula),
            row_norm: 2.0,
            comparator_norm: 2.0,
            least_gamma: 0.0,
            needs_positive_weights: false,
            has_unit_margin: false,
            is_classical: false,
            bounds_left_out: false,
            is_of_run: false,
            eigenvalues: None,
            trials: None,
            margins: None,
            unmet: "no u was found that meets the conditions of the bound".to_string(),
        }
    }

    /// The theorem of all that learn as the Perceptron does, with √(p−1) R in the p-norm for R and ‖u‖_q = 1: the
    /// least of R²/γ² (where D = 0), ((R + D₂)/γ)² and the form that is linear in D.
    pub(crate) fn first_order(name: &'static str, p: f64) -> Theorem {
        let formula = move |&Measures { gamma, radius, deviation, squares, .. }: &Measures| {
            let r = (p - 1.0).sqrt() * radius;
            let separable = if deviation == 0.0 { (r / gamma).powi(2) } else { f64::INFINITY };
            let forms = [
                (separable, "separable"),
                (((r + squares) / gamma).powi(2), "squared deviations"),
                (Theorem::root(deviation / gamma, r / gamma), "linear deviations"),
            ];
            // Of equals, the first.
            forms.into_iter().fold((f64::INFINITY, ""), |least, form| if form.0 < least.0 { form } else { least })
        };
        let comparator_norm = p / (p - 1.0);
        Theorem { row_norm: p, comparator_norm, is_classical: true, ..Theorem::new(name, formula) }
    }

    /// The Perceptron's theorem.
    pub(crate) fn perceptron() -> Theorem {
        Theorem::first_order("Perceptron", 2.0)
    }

    /// δ + a²/2 + a√(δ + a²/4), the largest m with m − δ ≤ a√m.
    pub(crate) fn root(deviations: f64, a: f64) -> f64 {
        deviations + a * a / 2.0 + a * (deviations + a * a / 4.0).sqrt()
    }

    /// The bound and what its form is called; `None` where γ does not meet the theorem's conditions.
    pub(crate) fn bound(&self, measures: &Measures) -> Option<(f64, &'static str)> {
        let (bound, form) = (self.formula)(measures);
        (measures.gamma > 0.0 && bound.is_finite()).then_some((bound, form))
    }
}
