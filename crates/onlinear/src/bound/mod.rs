//! Mistake bounds: the shape that every learner's theorem has, and the trials that it is stated of.
//!
//! A theorem itself stands in its learner's file, beside the rule (`theorem` of [`Algorithm`](crate::Algorithm)).
//! Comparators for it are searched for and measured in [`certificate`](crate::certificate).

mod theorem;
mod trials;

pub(crate) use theorem::{Comparator, Measures, Theorem};
pub use trials::ChargedTrials;
pub(crate) use trials::for_each_column;

use crate::space::{Kernel, Symmetric};

/// A norm may be above what a theorem asks for by this share: rounding.
pub(crate) const ROUNDING: f64 = 1e-9;

/// What a run gives a theorem to be stated of.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    /// The trials that count, on the rows that the learner saw.
    pub(crate) trials: &'a ChargedTrials,
    /// The learner's kernel, unless it is x·z.
    pub(crate) kernel: Option<Kernel>,
    /// How many features the learner knew of.
    pub(crate) features: usize,
    /// Σβ_t of a Projectron++, else 0.
    pub(crate) gains: f64,
    /// Σ x xᵀ over all rows, for a learner that reads ahead.
    pub(crate) correlations: Option<&'a Symmetric>,
}

impl Evidence<'_> {
    /// The largest K(x,x).
    pub(crate) fn largest_square(&self) -> f64 {
        self.trials.squares(self.kernel).into_iter().fold(0.0, f64::max)
    }

    /// How many trials were on rows other than zero, which change nothing.
    pub(crate) fn steps(&self) -> f64 {
        let squares = self.trials.squares(self.kernel);
        self.trials.counts().iter().zip(squares).filter(|(_, square)| *square > 0.0).map(|(count, _)| count).sum()
    }
}

/// Five digits of a number, for people.
pub(crate) fn digits(value: f64) -> String {
    let places = if value == 0.0 { 0 } else { (4 - libm::log10(value.abs()).floor() as i32).clamp(0, 12) };
    let text = format!("{value:.*}", places as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
