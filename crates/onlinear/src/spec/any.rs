//! A learner of either kind.

use std::ops::{Deref, DerefMut};

use super::{New, Settings};
use crate::learner::{FitsAll, Learner, Predictor};

/// A learner that takes a row at a time, or one that takes all at once.
pub enum AnyLearner {
    /// It learns trial by trial.
    Online(Box<dyn Learner>),
    /// It learns from all rows at once.
    FitsAll(Box<dyn FitsAll>),
}

impl AnyLearner {
    /// A fresh one, or why its settings do not go together.
    pub(crate) fn new(new: New, settings: &Settings) -> Result<AnyLearner, String> {
        match new {
            New::RowByRow(new) | New::AfterReadingAll(new) => new(settings).map(AnyLearner::Online),
            New::AllAtOnce(new) => new(settings).map(AnyLearner::FitsAll),
        }
    }

    /// The learner that takes a row at a time, if it is one.
    pub fn online(&mut self) -> Option<&mut dyn Learner> {
        match self {
            AnyLearner::Online(learner) => Some(learner.as_mut()),
            AnyLearner::FitsAll(_) => None,
        }
    }

    /// The learner that takes all rows at once, if it is one.
    pub fn fits_all(&mut self) -> Option<&mut dyn FitsAll> {
        match self {
            AnyLearner::Online(_) => None,
            AnyLearner::FitsAll(learner) => Some(learner.as_mut()),
        }
    }
}

impl Deref for AnyLearner {
    type Target = dyn Predictor;

    fn deref(&self) -> &(dyn Predictor + 'static) {
        match self {
            AnyLearner::Online(learner) => learner.as_ref(),
            AnyLearner::FitsAll(learner) => learner.as_ref(),
        }
    }
}

impl DerefMut for AnyLearner {
    fn deref_mut(&mut self) -> &mut (dyn Predictor + 'static) {
        match self {
            AnyLearner::Online(learner) => learner.as_mut(),
            AnyLearner::FitsAll(learner) => learner.as_mut(),
        }
    }
}
