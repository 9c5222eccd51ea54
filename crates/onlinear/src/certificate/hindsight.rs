//! What one fixed comparator would have done on the rows of a run.

use serde_json::json;

use super::comparator::TrialMargins;
use super::ground::Ground;
use super::search::golden_section;
use crate::bound::{Comparator, digits};
use crate::space::exp;

/// The fixed u with the fewest errors that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindsight {
    /// Rows with y u·x ≤ 0.
    pub errors: u64,
    /// Σ max(0, 1 − y v·x), the least over multiples v of u.
    pub hinge: f64,
    /// How many rows there are.
    pub rows: u64,
    /// Where u came from.
    pub comparator: String,
    /// v, where it is a weight vector.
    pub weights: Option<Vec<f64>>,
}

impl Hindsight {
    /// u on all rows, each counted once.
    pub(super) fn of(ground: &Ground<'_>, name: String, u: &Comparator) -> Option<Hindsight> {
        let margins = u.margins(ground)?;
        let (hinge, gamma) = least_hinge(&margins);
        Some(Hindsight {
            errors: margins.values.iter().filter(|margin| **margin <= 0.0).count() as u64,
            hinge,
            rows: margins.values.len() as u64,
            comparator: name,
            weights: u.unit_weights(&margins).map(|w| w.iter().map(|w| w / gamma).collect()),
        })
    }

    /// All figures by their names.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "errors": self.errors,
            "error_rate": self.errors as f64 / self.rows.max(1) as f64,
            "hinge": self.hinge,
            "rows": self.rows,
            "comparator": self.comparator,
            "assumes": "nothing; u was found with all rows in sight",
        })
    }

    /// It as a line.
    pub fn text(&self) -> String {
        let share = 100.0 * self.errors as f64 / self.rows.max(1) as f64;
        format!(
            "a fixed u gets {} of {} rows wrong, {share:.2} %, hinge loss {} (u: {})",
            self.errors,
            self.rows,
            digits(self.hinge),
            self.comparator
        )
    }
}

/// Σ max(0, 1 − m/γ), the least over γ, and the γ: it is convex in 1/γ.
fn least_hinge(margins: &TrialMargins) -> (f64, f64) {
    let hinge = |gamma: f64| margins.values.iter().map(|margin| (1.0 - margin / gamma).max(0.0)).sum::<f64>();
    let sizes = || margins.values.iter().map(|margin| margin.abs()).filter(|size| *size > 0.0);
    let (low, high) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    if high == 0.0 {
        return (margins.values.len() as f64, 1.0);
    }
    let (least, place) = golden_section(libm::log(low), libm::log(high) + 1.0, |place| hinge(exp(place)));
    // Rows that u separates lose nothing at the least margin itself.
    if hinge(low) < least { (hinge(low), low) } else { (least, exp(place)) }
}
