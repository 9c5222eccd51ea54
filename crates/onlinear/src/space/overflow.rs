//! Numbers that must stay finite.

use crate::error::Error;
use crate::state::refusal;

/// That an update would have left a number that is not finite, and was not made: all is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// What came of an update all of whose numbers are finite.
pub(crate) type Finite<T = ()> = Result<T, Overflow>;

impl Overflow {
    /// What it means where the numbers of several models are put together.
    pub(crate) fn refusal(self) -> Error {
        refusal("their numbers add up to one that is not finite")
    }

    /// Refuses what is not finite.
    pub fn check(numbers: impl IntoIterator<Item = f64>) -> Finite {
        Overflow::unless(numbers.into_iter().fold(true, |finite, number| finite & number.is_finite()))
    }

    /// Refuses what does not hold.
    pub fn unless(holds: bool) -> Finite {
        if holds { Ok(()) } else { Err(Overflow) }
    }

    /// Refuses c u vᵀ where one of its entries is not finite, or a number behind it.
    pub(crate) fn check_product(c: f64, u: &[f64], v: &[f64]) -> Finite {
        Overflow::check(u.iter().chain(v).copied())?;
        let [u, v] = [u, v].map(|vector| super::Row::Dense(vector).largest());
        Overflow::check([c, c * u, c * u * v])
    }
}
