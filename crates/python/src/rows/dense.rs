//! Dense arrays.

use std::ops::Range;

use numpy::ndarray::{ArrayView2, s};
use onlinear::Row;
use onlinear::workshop::{Table, fetch};

use super::number::{Float, finite, finite_slice};
use super::{Gaps, Rows};

/// The rows of an array, which must be of so many features.
pub fn rows<'a, T: Float + 'a>(array: ArrayView2<'a, T>, features: usize) -> Result<Box<dyn Rows + 'a>, String> {
    let (rows, width) = array.dim();
    if width != features {
        return Err(format!("X has {width} features, but {features} features are expected"));
    }
    Ok(match array.to_slice() {
        Some(all) => Box::new(SideBySide { all, width, rows }),
        None => Box::new(Strided(array)),
    })
}

/// Rows that lie one behind the other.
struct SideBySide<'a, T> {
    all: &'a [T],
    width: usize,
    rows: usize,
}

impl<T> SideBySide<'_, T> {
    #[inline]
    fn slice(&self, rows: Range<usize>) -> &[T] {
        &self.all[rows.start * self.width..rows.end * self.width]
    }
}

impl<T: Float> Table for SideBySide<'_, T> {
    fn len(&self) -> usize {
        self.rows
    }

    fn row<'a>(&'a self, i: usize, constant: Option<f64>, _: &'a mut Vec<u32>, values: &'a mut Vec<f64>) -> Row<'a> {
        Row::Dense(T::widened(self.slice(i..i + 1), constant, values))
    }

    fn dot(&self, i: usize, constant: Option<f64>, w: &[f64]) -> Option<f64> {
        constant.filter(|_| w.len() > self.width).map(|constant| T::dot_behind(w, constant, self.slice(i..i + 1)))
    }

    fn announce(&self, i: usize) {
        fetch(self.slice(i..i + 1));
    }
}

impl<T: Float> Rows for SideBySide<'_, T> {
    fn check(&self, rows: Range<usize>, gaps: Gaps) -> Result<(), String> {
        finite_slice(self.slice(rows), gaps)
    }
}

/// Rows that lie in memory in any other way.
struct Strided<'a, T>(ArrayView2<'a, T>);

impl<T: Float> Table for Strided<'_, T> {
    fn len(&self) -> usize {
        self.0.nrows()
    }

    fn row<'a>(&'a self, i: usize, constant: Option<f64>, _: &'a mut Vec<u32>, values: &'a mut Vec<f64>) -> Row<'a> {
        values.clear();
        values.extend(constant);
        values.extend(self.0.row(i).iter().map(|&value| value.wide()));
        Row::Dense(values)
    }
}

impl<T: Float> Rows for Strided<'_, T> {
    fn check(&self, rows: Range<usize>, gaps: Gaps) -> Result<(), String> {
        finite(self.0.slice(s![rows, ..]).iter(), gaps)
    }
}
