//! The Projectron++.
//!
//! Orabona, Keshet and Caputo, "Bounded kernel-based online learning" (2009), Algorithm 3.
//! The Projectron, which also moves on rows that are right by a margin below 1, where that costs nothing.
//!
//! On a margin error 0 < y f(x) < 1, with ℓ = 1 − y f(x) and d*, ‖δ‖, ‖Pk‖² as in the Projectron:
//!
//! | given | α ← α + y τ d* | when |
//! | --- | --- | --- |
//! | `norm-bound` U, `rule=printed` | τ = min(1, ℓ/‖Pk‖²) | τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) ≥ 0 |
//! | `norm-bound` U, `rule=flat` | the same | τ(2ℓ − τ‖Pk‖²) − 2U‖δ‖ ≥ 0 |
//! | `tolerance` η | τ = min(1, ℓ/‖Pk‖², 2s/‖Pk‖²) | s = ℓ − ‖δ‖/η > 0 |

use super::projectron::{NORM_BOUND, Projectron, TOLERANCE, Threshold, theorem_with_norm_bound};
use crate::hypothesis::{OUTPUT, Output, Stepper, Trajectory};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, choice, parameters};

choice! {
    /// The two readings of the test for margin errors.
    pub(super) enum MarginTest {
        /// τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) ≥ 0
        Printed = "printed",
        /// τ(2ℓ − τ‖Pk‖²) − 2U‖δ‖ ≥ 0
        Flat = "flat",
    }
}

parameters! {
    struct ProjectronPlusPlusParameters {
        tolerance: Option<f64> = TOLERANCE,
        norm_bound: Option<f64> = NORM_BOUND,
        rule: MarginTest = MarginTest::parameter(
            "rule",
            MarginTest::Printed,
            "which margin errors to move on: the paper's test, or the reading of it that fits its tables",
        ),
        output: Output = OUTPUT;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "projectron++",
    title: "Projectron++",
    summary: "The Projectron, which also moves on rows that are right by a margin below 1, where that costs nothing.",
    rule: "as projectron; on a margin error α ← α + y τ d*, τ = min(1, ℓ/‖Pk‖²), when τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) ≥ 0",
    paper: "Orabona, Keshet and Caputo (2009)",
    cost: "|S| kernel values per trial, O(|S|²) per mistake and per margin error",
    bound: "equation 15: M ≤ 2(‖g‖² + 2D₁ − Σβ_t) with norm-bound and rule=printed",
    theorem: Charges::Updates(|settings, evidence| {
        let ProjectronPlusPlusParameters { tolerance, norm_bound, rule, .. } = Parameters::read(settings);
        let Threshold::NormBound(u) = Threshold::of(tolerance, norm_bound)? else {
            return Err("projectron++ has a bound with norm-bound only".to_string());
        };
        match rule {
            MarginTest::Flat => Err("projectron++ has a bound with rule=printed only".to_string()),
            MarginTest::Printed => theorem_with_norm_bound(ALGORITHM.title, "equation 15", u, evidence),
        }
    }),
    differs: "rule=flat is another reading of its test, which fits its tables better",
    python: PythonClass::own("ProjectronPlusPlus"),
    parameters: ProjectronPlusPlusParameters::TABLE,
    grid: &["tolerance=0.01,0.1,0.5"],
    new: New::RowByRow(|settings| {
        let ProjectronPlusPlusParameters { tolerance, norm_bound, rule, output, kernel } = Parameters::read(settings);
        let projectron = Projectron::new(Threshold::of(tolerance, norm_bound)?, Some(rule));
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule: projectron }))
    }),
    ..Algorithm::ONLINE
};
