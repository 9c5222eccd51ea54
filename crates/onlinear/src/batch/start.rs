//! Where a batch learner's weight vector starts.

use super::{Epochs, Sample, fld};
use crate::algorithm::{Kind, Parameter, Value};
use crate::error::Result;
use crate::space::Symmetric;
use crate::spec::Spec;

pub(crate) const START: Parameter = Parameter {
    name: "start",
    aliases: &[],
    kind: Kind::Choice(&["zero", "fld"]),
    default: Value::Choice("fld"),
    help: "the first weight vector: zeros, or Fisher's linear discriminant",
};

/// The first weight vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    /// w = 0.
    #[default]
    Zero,
    /// Fisher's linear discriminant.
    Fld,
}

impl Start {
    pub(crate) fn of(spec: &Spec) -> Start {
        if spec.choice("start") == "fld" { Start::Fld } else { Start::Zero }
    }

    /// The vector that learning from `sample` starts with.
    pub(crate) fn vector(self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        match self {
            Start::Zero => Ok(vec![0.0; sample.dimension()]),
            Start::Fld => fld::discriminant(sample, watch),
        }
    }

    /// Memory that finding it takes, in bytes.
    pub(crate) fn bytes(self, features: usize) -> u64 {
        match self {
            Start::Zero => 0,
            Start::Fld => Symmetric::bytes(features).saturating_mul(2),
        }
    }
}
