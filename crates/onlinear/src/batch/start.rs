//! Where a batch learner's weight vector starts.

use super::fld;
use crate::error::Result;
use crate::learner::{Epochs, Sample};
use crate::space::Symmetric;
use crate::spec::{Declaration, choice};

choice! {
    /// The first weight vector.
    pub(super) enum StartVector {
        /// w = 0.
        Zero = "zero",
        /// Fisher's linear discriminant.
        Fld = "fld",
    }
}

impl StartVector {
    /// The parameter `start`.
    pub(super) const PARAMETER: Declaration<StartVector> = StartVector::parameter(
        "start",
        StartVector::Fld,
        "the first weight vector: zeros, or Fisher's linear discriminant",
    );

    /// The vector that learning from `sample` starts with.
    pub(super) fn vector(self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        match self {
            StartVector::Zero => Ok(vec![0.0; sample.dimension()]),
            StartVector::Fld => fld::discriminant(sample, watch),
        }
    }

    /// Memory that finding it takes, in bytes.
    pub(super) fn memory(self, features: usize) -> u64 {
        match self {
            StartVector::Zero => 0,
            StartVector::Fld => Symmetric::bytes(features).saturating_mul(2),
        }
    }
}
