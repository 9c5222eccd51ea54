//! CSR matrices.
//!
//! Their arrays are Python's, where other threads may change them at any moment. Where rows start is copied once; the
//! components of a row are copied when it is asked for, and found to be sound: what a learner sees cannot change under
//! its hands. Values may be anything.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use onlinear::Row;
use onlinear::workshop::{Table, fetch, sparse_dot_behind};

use super::number::{Float, Index, finite_slice, rise};
use super::{Gaps, Rows};

/// The end of a row that comes so many rows later is fetched from far memory.
const ENDS_AHEAD: usize = 2;

/// A CSR matrix.
pub struct Sparse<'a, I, T> {
    starts: Vec<usize>,
    indices: &'a [I],
    values: &'a [T],
    features: usize,
    /// Whether a row was no longer sound when it was asked for.
    is_changed: AtomicBool,
}

impl<'a, I: Index + 'a, T: Float + 'a> Sparse<'a, I, T> {
    /// The rows of a matrix of so many features.
    pub fn rows(
        starts: Vec<usize>,
        indices: &'a [I],
        values: &'a [T],
        features: usize,
    ) -> Result<Box<dyn Rows + 'a>, String> {
        let fits = starts.first() == Some(&0)
            && starts.last().is_some_and(|&end| end <= values.len().min(indices.len()))
            && starts.is_sorted();
        if !fits || features > u32::MAX as usize {
            return Err("the parts of the sparse matrix X do not fit together".to_string());
        }
        Ok(Box::new(Sparse { starts, indices, values, features, is_changed: AtomicBool::new(false) }))
    }

    #[inline]
    fn range(&self, i: usize) -> Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }
}

impl<I: Index, T: Float> Table for Sparse<'_, I, T> {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn row<'a>(
        &'a self,
        i: usize,
        constant: Option<f64>,
        indices: &'a mut Vec<u32>,
        values: &'a mut Vec<f64>,
    ) -> Row<'a> {
        let range = self.range(i);
        let shift = u32::from(constant.is_some());
        indices.clear();
        indices.extend(constant.map(|_| 0));
        // One that is no place is far too large, or 0 behind another 0.
        indices.extend(self.indices[range.clone()].iter().map(|&index| index.place().wrapping_add(shift)));
        if !rise(indices, self.features + shift as usize) {
            self.is_changed.store(true, Ordering::Relaxed);
            return Row::new(&[], &[]);
        }
        Row::new(indices, T::widened(&self.values[range], constant, values))
    }

    fn dot(&self, i: usize, constant: Option<f64>, w: &[f64]) -> Option<f64> {
        // The end of a row is looked at first, before the processor sees that its beginning is next.
        if let Some(&[end, later]) = self.starts.get(i + ENDS_AHEAD..i + ENDS_AHEAD + 2) {
            self.indices[end..later].last().inspect(|last| fetch(std::slice::from_ref(last)));
        }
        let (indices, values) = (&self.indices[self.range(i)], &self.values[self.range(i)]);
        // One without gaps is dense, and summed as such.
        let has_gaps = indices.last().is_some_and(|last| last.place() as usize + 1 != indices.len());
        has_gaps.then(|| sparse_dot_behind(w, constant, indices, values, I::place))
    }

    fn announce(&self, i: usize) {
        fetch(&self.indices[self.range(i)]);
        fetch(&self.values[self.range(i)]);
    }
}

impl<I: Index, T: Float> Rows for Sparse<'_, I, T> {
    fn check(&self, mut rows: Range<usize>, gaps: Gaps) -> Result<(), String> {
        let all = self.starts[rows.start]..self.starts[rows.end];
        if !rows.all(|i| rise(&self.indices[self.range(i)], self.features)) {
            let rule = "must rise within a row and be below its width";
            return Err(format!("the column indices of the sparse matrix X {rule}"));
        }
        finite_slice(&self.values[all], gaps)
    }

    fn check_unchanged(&self) -> Result<(), String> {
        match self.is_changed.load(Ordering::Relaxed) {
            true => Err("the sparse matrix X was changed while it was read".to_string()),
            false => Ok(()),
        }
    }
}
