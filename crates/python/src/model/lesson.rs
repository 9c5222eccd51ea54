//! What a run is told: rows with their labels, and how often they are met.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use onlinear::workshop::{About, LabelId, MOST_PASSES};
use onlinear::{BorrowedRows, Passes, Recipe};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::NAME;
use crate::rows::{Gaps, Given, Rows, check_all};

/// The rows of a run as [`BorrowedRows`] needs them.
pub struct Lesson<'a> {
    table: Box<dyn Rows + 'a>,
    labels: Vec<LabelId>,
    weights: Option<Vec<f64>>,
}

impl<'a> Lesson<'a> {
    /// Rows of so many features, once they are found to be sound, with the places of their labels.
    pub fn new(
        x: &'a Given<'_>,
        y: &PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        features: usize,
    ) -> PyResult<Lesson<'a>> {
        let table = x.table(features)?;
        check_all(table.as_ref(), Gaps::Refused).map_err(PyValueError::new_err)?;
        // None of them is meant to be no label at all.
        let id = |&label: &i64| LabelId::try_from(label).unwrap_or(LabelId::MAX).min(LabelId::MAX - 1);
        let labels = y.as_array().iter().map(id).collect();
        let weights = weights.map(|weights| weights.as_array().to_vec());
        Ok(Lesson { table, labels, weights })
    }

    /// The rows lent to a run, with labels of these texts.
    pub fn lent(&self, features: usize, texts: &[String]) -> onlinear::Result<BorrowedRows<'_>> {
        BorrowedRows::new(NAME, self.table.as_ref(), features, texts, &self.labels, self.weights.as_deref())
    }

    /// The rows lent to a run that goes on from others of which the same is known.
    pub fn lent_again(&self, about: &Arc<About>) -> onlinear::Result<BorrowedRows<'_>> {
        BorrowedRows::known(self.table.as_ref(), about.clone(), &self.labels, self.weights.as_deref())
    }

    /// Refuses what another thread made of the rows while they were learned from.
    pub fn check_unchanged(&self) -> PyResult<()> {
        self.table.check_unchanged().map_err(PyValueError::new_err)
    }
}

/// So many passes, or as many as rows held out find best, at most so many.
pub fn passes_of(fresh: &Recipe, passes: Option<u64>, early_stop: bool) -> Passes {
    match passes {
        _ if fresh.spec.is_batch() => Passes::Exactly(1),
        Some(passes) if !early_stop => Passes::Exactly(passes),
        most => Passes::EarlyStop(most.unwrap_or(MOST_PASSES)),
    }
}
