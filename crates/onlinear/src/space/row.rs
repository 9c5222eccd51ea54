//! One instance x, dense or sparse.

use super::{Power, power, vector};

/// A borrowed row. Sparse indices rise strictly and count from 0.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// Every component from 0 on; what lies beyond is 0.
    Dense(&'a [f64]),
    /// The components that are not 0.
    Sparse {
        /// Their places, rising.
        indices: &'a [u32],
        /// Their values, as many.
        values: &'a [f64],
    },
}

impl<'a> Row<'a> {
    /// A row of the given components. One that has all of 0, 1, … up to its last index is dense.
    pub fn new(indices: &'a [u32], values: &'a [f64]) -> Row<'a> {
        debug_assert_eq!(indices.len(), values.len());
        debug_assert!(indices.is_sorted_by(|a, b| a < b));
        match indices.last() {
            Some(&last) if last as usize + 1 == indices.len() => Row::Dense(values),
            _ => Row::Sparse { indices, values },
        }
    }

    /// The values stored (a sparse row leaves zeros out).
    pub fn values(&self) -> &'a [f64] {
        match self {
            Row::Dense(values) | Row::Sparse { values, .. } => values,
        }
    }

    /// One more than the largest index stored: the row lives in this many dimensions.
    pub fn dimension(&self) -> usize {
        match self {
            Row::Dense(values) => values.len(),
            Row::Sparse { indices, .. } => indices.last().map_or(0, |&i| i as usize + 1),
        }
    }

    /// The components below `features`.
    pub fn within(self, features: usize) -> Row<'a> {
        if self.dimension() <= features {
            return self;
        }
        match self {
            Row::Dense(values) => Row::Dense(&values[..features]),
            Row::Sparse { indices, values } => {
                let kept = indices.partition_point(|&i| (i as usize) < features);
                Row::new(&indices[..kept], &values[..kept])
            }
        }
    }

    /// Calls `f(index, value)` for each stored component in order.
    #[inline]
    pub fn for_each(&self, mut f: impl FnMut(usize, f64)) {
        match self {
            Row::Dense(values) => values.iter().enumerate().for_each(|(i, &v)| f(i, v)),
            Row::Sparse { indices, values } => {
                indices.iter().zip(*values).for_each(|(&i, &v)| f(i as usize, v));
            }
        }
    }

    /// w·x; components beyond `w` count as 0.
    #[inline]
    pub fn dot(&self, w: &[f64]) -> f64 {
        match self {
            Row::Dense(values) => vector::dot(w, values),
            Row::Sparse { indices, values } => vector::sparse_dot(w, indices, values),
        }
    }

    /// w ← w + step · x; `w` is long enough.
    #[inline]
    pub fn add_to(&self, w: &mut [f64], step: f64) {
        match self {
            Row::Dense(values) => vector::add(w, step, values),
            Row::Sparse { indices, values } => vector::sparse_add(w, step, indices, values),
        }
    }

    /// Whether w + step · x is finite; components beyond `w` count as 0.
    #[inline]
    pub(crate) fn fits(&self, w: &[f64], step: f64) -> bool {
        match self {
            Row::Dense(values) => vector::fits(w, step, values),
            Row::Sparse { indices, values } => vector::sparse_fits(w, step, indices, values),
        }
    }

    /// ‖x‖².
    pub fn squared_norm(&self) -> f64 {
        vector::dot(self.values(), self.values())
    }

    /// The row with these values in place of its own.
    pub(crate) fn with_values<'b>(&'b self, values: &'b [f64]) -> Row<'b> {
        match self {
            Row::Dense(_) => Row::Dense(values),
            Row::Sparse { indices, .. } => Row::Sparse { indices, values },
        }
    }

    /// ‖x‖_p, without overflow or underflow on the way.
    pub fn norm(&self, p: f64) -> f64 {
        if p == 2.0 {
            let square = self.squared_norm();
            if square.is_normal() && square < f64::MAX {
                return square.sqrt();
            }
        }
        let largest = self.largest();
        if largest == 0.0 || !largest.is_finite() {
            return largest;
        }
        let to_p = Power::new(p);
        let sum: f64 = self.values().iter().map(|v| to_p.of(v.abs() / largest)).sum();
        largest * power(sum, 1.0 / p)
    }

    /// max |xᵢ|.
    pub fn largest(&self) -> f64 {
        self.values().iter().fold(0.0, |largest, v| v.abs().max(largest))
    }

    /// Whether nothing is missing in the row (is no number), and no component stored is 0; without a branch for each.
    pub(crate) fn is_whole(&self) -> bool {
        self.values().iter().fold(true, |all, value| all & !value.is_nan() & (*value != 0.0))
    }

    /// Whether every component is 0.
    pub fn is_zero(&self) -> bool {
        self.values().iter().all(|&v| v == 0.0)
    }
}
