//! Learning from all rows at once.

use super::{Leaves, Predictor, Sample, Training};
use crate::error::Result;

/// A learner that learns from all rows at once, to get as few of them wrong as it can.
pub trait FitsAll: Predictor {
    /// Learns from these rows alone; `watch` is told of each epoch and can end the learning.
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<()>;
}

/// Looks on while a batch learner learns.
pub trait Epochs {
    /// Whether this epoch is wanted where its errors or its hypothesis cost extra.
    fn wants(&self, _epoch: u64) -> bool {
        false
    }

    /// Some work is done. An error ends the learning.
    fn tick(&mut self) -> Result<()> {
        Ok(())
    }

    /// So many of so many pieces of the work that comes before the first epoch are done. An error ends the learning.
    fn search(&mut self, _done: usize, _of: usize) -> Result<()> {
        self.tick()
    }

    /// The hypothesis after so many epochs, 0 being the start, and what it gets wrong.
    fn epoch(&mut self, _epoch: u64, _training: Training, _hypothesis: &Leaves<'_>) -> Result<()> {
        Ok(())
    }
}

/// Nobody looks on.
impl Epochs for () {}
