//! The theorems of the three modes.

use super::spectrum::{log_volume, rank_and_least};
use super::{ALGORITHM, Mode, SecondOrderParameters};
use crate::bound::{Evidence, Measures, ROUNDING, Theorem};

/// m ≤ D/γ + √((a + uᵀXXᵀu) E)/γ, with a and E as the mode has them.
pub(super) fn of(parameters: &SecondOrderParameters, evidence: &Evidence<'_>) -> Result<Theorem, String> {
    if parameters.margin > 0.0 {
        return Err(format!(
            "margin={} also learns from rows that are right: the bound is of margin=0",
            parameters.margin
        ));
    }
    let (a, eigenvalues, form) = match parameters.mode {
        Mode::Fixed => (parameters.ridge, log_volume(evidence, parameters.ridge)?, "Theorem 3.1"),
        Mode::Adaptive => {
            let (ridge, eigenvalues) = adaptive(parameters, evidence)?;
            (ridge, eigenvalues, "adaptive ridge")
        }
        Mode::Pseudoinverse => {
            let (rank, least) = rank_and_least(evidence)?;
            let pairs = rank * (rank + 1.0);
            let volume = libm::log1p(2.0 * evidence.largest_square() * evidence.steps() / (least * pairs));
            (0.0, rank + 0.5 * pairs * volume, "pseudoinverse")
        }
    };
    let formula = move |&Measures { gamma, deviation, spread, .. }: &Measures| {
        ((deviation + ((a + spread) * eigenvalues).sqrt()) / gamma, form)
    };
    let is_of_run = parameters.mode != Mode::Fixed;
    Ok(Theorem { is_of_run, eigenvalues: Some(eigenvalues), ..Theorem::new(ALGORITHM.title, formula) })
}

/// a after the last mistake, and E.
fn adaptive(parameters: &SecondOrderParameters, evidence: &Evidence<'_>) -> Result<(f64, f64), String> {
    let &SecondOrderParameters { growth: c, radius, .. } = parameters;
    let radius = radius.ok_or("mode=adaptive has a bound where radius is given, not with radius=auto")?;
    let largest = evidence.largest_square().sqrt();
    if largest > radius * (1.0 + ROUNDING) {
        return Err(format!("a row is of norm {largest}, longer than radius={radius}"));
    }
    let steps = evidence.steps();
    let ridge = c * radius * radius * steps;
    let growth = libm::log((steps + 1.0 / c) / (1.0 + 1.0 / c)) / c;
    Ok((ridge, growth + log_volume(evidence, ridge)?))
}
