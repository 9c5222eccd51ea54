//! A sum kept up by adding differences, which knows when cancellation has eaten its digits.

use crate::error::Result;
use crate::state::State;

/// Below this share of its peak a running sum has lost three of its digits to cancellation.
const SHARE: f64 = 1e-3;

/// How far a sum kept up by differences may be from one computed afresh, relative to its peak.
const TOLERANCE: f64 = 1e-6;

/// A non-negative sum and its largest value since it was last summed afresh.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunningSum {
    value: f64,
    peak: f64,
}

impl RunningSum {
    /// A sum that has just been computed from its terms.
    pub(crate) fn exact(value: f64) -> RunningSum {
        RunningSum { value, peak: value }
    }

    /// The sum.
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// One term changed by `difference`.
    pub(crate) fn add(&mut self, difference: f64) {
        self.value += difference;
        self.peak = self.peak.max(self.value);
    }

    /// Whether the sum must be computed afresh to be trusted.
    pub(crate) fn is_worn(&self) -> bool {
        self.value < SHARE * self.peak
    }

    /// Whether the sum can be that of terms which add up to `fresh`, kept up by differences.
    pub(crate) fn is_of(&self, fresh: f64) -> bool {
        self.value >= 0.0 && self.value <= self.peak && (self.value - fresh).abs() <= TOLERANCE * self.peak.max(fresh)
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, name: &str, state: &mut State) -> Result<()> {
        state.within(name, |state| {
            state.f64("value", &mut self.value)?;
            state.f64("peak", &mut self.peak)
        })
    }
}
