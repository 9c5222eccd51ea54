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
//!
//! Cost: the Projectron's, and O(|S|²) per margin error too. Bound: eq. 15 with `rule=printed`.
//!
//! **Differs from the paper:** `rule=flat` is another reading of its test, which fits its tables better.

use super::projectron::{NORM_BOUND, Projectron, TOLERANCE, Test};
use super::{Budgeted, OUTPUT};
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Value};
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};

const RULE: Parameter = Parameter {
    name: "rule",
    aliases: &[],
    kind: Kind::Choice(&["printed", "flat"]),
    default: Value::Choice("printed"),
    help: "which margin errors to move on: the paper's test, or the reading of it that fits its tables",
};

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "projectron++",
    title: "Projectron++",
    summary: "The Projectron, which also moves on rows that are right by a margin below 1, where that costs nothing.",
    rule: "as projectron; on a margin error α ← α + y τ d*, τ = min(1, ℓ/‖Pk‖²), when τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) ≥ 0",
    paper: "Orabona, Keshet and Caputo (2009)",
    cost: "|S| kernel values per trial, O(|S|²) per mistake and per margin error",
    bound: "M ≤ 2(‖g‖² + 2D₁ − Σβ_t) with norm-bound and rule=printed",
    differs: "rule=flat is another reading of its test",
    parameters: &[TOLERANCE, NORM_BOUND, RULE, OUTPUT, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| {
        let test = if spec.choice("rule") == "flat" { Test::Flat } else { Test::Printed };
        Ok(Box::new(Budgeted::new(spec, Projectron::new(spec, Some(test))?)))
    },
};
