//! Rows that can be met again and again.

use std::sync::Arc;

use crate::data::{About, Dataset, Entry, Glance};
use crate::error::Result;
use crate::space::Scratch;

/// Rows that can be met again and again, in any order.
pub(crate) trait Source {
    /// How many there are.
    fn len(&self) -> usize;

    /// What their reader found out.
    fn about(&self) -> &Arc<About>;

    /// The row in place `k`, with a constant in front where there is to be one: most rows have to be put together
    /// anyway.
    fn entry<'a>(&'a mut self, k: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>>;

    /// What the row in place `k` is but for its features, and w·x of it as [`Source::entry`] would give it; none where
    /// the row has to be put together for that.
    fn glance(&self, _k: usize, _constant: Option<f64>, _w: &[f64]) -> Option<Glance> {
        None
    }

    /// Whether nothing is missing in any row, as far as that is known.
    fn are_whole(&self) -> bool {
        false
    }

    /// The row in place `k` will be announced soon.
    fn foresee(&self, _k: usize) {}

    /// The row in place `k` is one of the next.
    fn announce(&self, _k: usize) {}

    /// Its position in the data.
    fn id(&self, k: usize) -> u64;
}

impl Source for Dataset {
    fn len(&self) -> usize {
        Dataset::len(self)
    }

    fn about(&self) -> &Arc<About> {
        Dataset::about(self)
    }

    fn entry<'a>(&'a mut self, k: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>> {
        Dataset::entry(self, k, constant, scratch)
    }

    fn glance(&self, k: usize, constant: Option<f64>, w: &[f64]) -> Option<Glance> {
        self.glance_at(k, constant, w)
    }

    fn are_whole(&self) -> bool {
        Dataset::are_whole(self)
    }

    fn foresee(&self, k: usize) {
        self.foresee_row(k);
    }

    fn announce(&self, k: usize) {
        self.announce_row(k);
    }

    fn id(&self, k: usize) -> u64 {
        k as u64
    }
}
