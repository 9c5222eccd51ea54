//! A linear hypothesis: a weight vector over features, or coefficients over a support set.
//!
//! Primal, f(x) = w·x. Dual, f(x) = Σ αⱼ K(xⱼ, x), summed in the order of the support set. A learner
//! is written once for both.

mod class_vectors;
mod merging;
mod stepper;
mod trajectory;
mod votes;

pub(crate) use class_vectors::ClassVectors;
pub(crate) use stepper::{StepRule, Stepper};
pub(crate) use trajectory::{OUTPUT, Output, Trajectory};

use std::borrow::Cow;

use crate::error::Result;
use crate::learner::Leaves;
use crate::space::{Expansion, Kernel, Row, SupportSet, Weights};
use crate::state::State;

/// f, in one of two forms.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a learner has one, not thousands
pub(crate) enum Hypothesis {
    /// w, for the linear kernel.
    Primal(Weights),
    /// α and the rows it belongs to, for any kernel.
    Dual(Box<Expansion>),
}

impl Hypothesis {
    /// f = 0, in the form that fits the kernel.
    pub(crate) fn new(kernel: Kernel) -> Hypothesis {
        if kernel.is_linear() { Hypothesis::Primal(Weights::default()) } else { Hypothesis::dual(kernel) }
    }

    /// f = 0, over a support set whatever the kernel.
    pub(crate) fn dual(kernel: Kernel) -> Hypothesis {
        Hypothesis::Dual(Box::new(Expansion::new(kernel)))
    }

    /// f = 0, in the form and with the kernel of this one.
    fn cleared(&self) -> Hypothesis {
        match self {
            Hypothesis::Primal(_) => Hypothesis::Primal(Weights::default()),
            Hypothesis::Dual(f) => Hypothesis::dual(*f.set().kernel()),
        }
    }

    /// f(x).
    pub(crate) fn score(&self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.score(x),
        }
    }

    /// f(x) in the trial of a row that has this lane among those announced, if any.
    #[inline]
    pub(crate) fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.trial_score(x, lane),
        }
    }

    /// The same, keeping the kernel values for the update ([`Expansion::column`]): for learners whose updates change
    /// every coefficient.
    pub(crate) fn trial_column(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.trial_column(x, lane),
        }
    }

    /// K(x,x).
    pub(crate) fn square(&self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(_) => x.squared_norm(),
            Hypothesis::Dual(f) => f.set().with_itself(x),
        }
    }

    /// Whether K(x,x) = 0, so that x can change nothing.
    pub(crate) fn vanishes_at(&self, x: Row<'_>) -> bool {
        match self {
            Hypothesis::Primal(_) => x.is_zero(),
            Hypothesis::Dual(f) => f.set().with_itself(x) == 0.0,
        }
    }

    /// The coefficients and their rows, in dual form.
    pub(crate) fn expansion(&self) -> Option<&Expansion> {
        match self {
            Hypothesis::Primal(_) => None,
            Hypothesis::Dual(f) => Some(f),
        }
    }

    /// The coefficients and their rows to change, in dual form.
    pub(crate) fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        match self {
            Hypothesis::Primal(_) => None,
            Hypothesis::Dual(f) => Some(f),
        }
    }

    /// w, or α.
    pub(crate) fn coefficients(&self) -> &[f64] {
        match self {
            Hypothesis::Primal(w) => w.as_slice(),
            Hypothesis::Dual(f) => f.coefficients(),
        }
    }

    /// f as a model.
    pub(crate) fn leaves(&self) -> Leaves<'_> {
        self.leaves_with(Cow::Borrowed(self.coefficients()))
    }

    /// The model with these numbers in the place of w or α.
    pub(crate) fn leaves_with<'a>(&'a self, coefficients: Cow<'a, [f64]>) -> Leaves<'a> {
        match self {
            Hypothesis::Primal(_) => Leaves::Weights(coefficients),
            Hypothesis::Dual(f) => Leaves::Expansion(f.set(), coefficients),
        }
    }

    /// Memory over so many features, with the rows held, in bytes.
    pub(crate) fn memory(&self, features: usize) -> u64 {
        match self {
            Hypothesis::Primal(_) => 8 * features as u64,
            Hypothesis::Dual(f) => f.set().bytes() + SupportSet::lookup_bytes(features),
        }
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        match self {
            Hypothesis::Primal(w) => state.over_features("weights", w.as_mut_vec()),
            Hypothesis::Dual(f) => f.state(state),
        }
    }
}
