//! NumPy arrays and the parts of SciPy's CSR matrices, as rows that learners understand.

mod dense;
mod number;
mod sparse;

use std::ops::Range;

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use onlinear::ColumnOptions;
use onlinear::workshop::{Slot, Table, parallel};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::frame::{Frame, encoded};
use sparse::Sparse;

/// Rows as Python hands them over: a dense array, or `indptr`, `indices`, `data` of a CSR matrix.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// A dense array of doubles, of any layout.
    Double(PyReadonlyArray2<'py, f64>),
    /// A dense array of single precision.
    Single(PyReadonlyArray2<'py, f32>),
    /// A table, whose rows a model's columns make.
    Frame(PyRef<'py, Frame>),
    /// Where rows start, which components they have, and their values.
    Sparse(Whole<'py>, Whole<'py>, Values<'py>),
}

/// Whole numbers of either width.
#[derive(FromPyObject)]
pub enum Whole<'py> {
    /// 32 bits.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// 64 bits.
    Wide(PyReadonlyArray1<'py, i64>),
}

/// Floats of either precision.
#[derive(FromPyObject)]
pub enum Values<'py> {
    /// Double precision.
    Double(PyReadonlyArray1<'py, f64>),
    /// Single precision.
    Single(PyReadonlyArray1<'py, f32>),
}

impl Given<'_> {
    /// The rows, which are of so many features; none of them is checked yet.
    pub fn table(&self, features: usize) -> PyResult<Box<dyn Rows + '_>> {
        let table = match self {
            Given::Frame(_) => {
                return Err(PyValueError::new_err("the model was not learned from a table, and cannot read one"));
            }
            Given::Double(array) => dense::rows(array.as_array(), features),
            Given::Single(array) => dense::rows(array.as_array(), features),
            Given::Sparse(starts, indices, values) => {
                let starts = starts.copied()?;
                match (indices, values) {
                    (Whole::Narrow(i), Values::Double(v)) => {
                        Sparse::rows(starts, i.as_slice()?, v.as_slice()?, features)
                    }
                    (Whole::Narrow(i), Values::Single(v)) => {
                        Sparse::rows(starts, i.as_slice()?, v.as_slice()?, features)
                    }
                    (Whole::Wide(i), Values::Double(v)) => Sparse::rows(starts, i.as_slice()?, v.as_slice()?, features),
                    (Whole::Wide(i), Values::Single(v)) => Sparse::rows(starts, i.as_slice()?, v.as_slice()?, features),
                }
            }
        };
        table.map_err(PyValueError::new_err)
    }

    /// The rows as a model takes them: those of a table by the model's columns.
    pub fn table_for(&self, model: &onlinear::Model) -> PyResult<Box<dyn Rows + '_>> {
        match self {
            Given::Frame(frame) if model.csv.is_some() => {
                let options = Frame::options(Some(model), ColumnOptions::default(), true);
                let input = frame.input(false).map_err(raised)?;
                Ok(Box::new(encoded(&input, &options).map_err(raised)?.rows))
            }
            given => given.table(model.features),
        }
    }
}

impl Whole<'_> {
    /// The numbers, copied: other threads of Python may change the array at any moment. One below 0 becomes far too
    /// large.
    fn copied(&self) -> PyResult<Vec<usize>> {
        let whole = |value: i64| usize::try_from(value).unwrap_or(usize::MAX);
        Ok(match self {
            Whole::Narrow(numbers) => numbers.as_slice()?.iter().map(|&value| whole(value.into())).collect(),
            Whole::Wide(numbers) => numbers.as_slice()?.iter().map(|&value| whole(value)).collect(),
        })
    }
}

/// Whether an object is an array of rows that needs no more checks than the native half makes anyway: NumPy's own, in
/// rows of so many floats that lie side by side.
#[pyfunction]
pub fn is_plain(x: &Bound<'_, PyAny>, features: usize) -> bool {
    x.is_exact_instance_of::<PyUntypedArray>()
        && (are_side_by_side::<f64>(x, features) || are_side_by_side::<f32>(x, features))
}

fn are_side_by_side<T: numpy::Element>(x: &Bound<'_, PyAny>, features: usize) -> bool {
    x.cast::<PyArray2<T>>().is_ok_and(|array| {
        let (rows, width) = (array.shape()[0], array.shape()[1]);
        rows > 0 && width == features && width > 0 && array.is_c_contiguous() && array.data().is_aligned()
    })
}

/// Whether a value may be missing, which is NaN: a model may fill it in.
#[derive(Clone, Copy, PartialEq)]
pub enum Gaps {
    /// It is refused.
    Refused,
    /// It is filled in.
    Filled,
}

impl Gaps {
    /// What a model does with them.
    pub fn of(model: &onlinear::Model) -> Gaps {
        if model.stages.in_slot(Slot::Fill).is_some() { Gaps::Filled } else { Gaps::Refused }
    }
}

/// A table that must be checked before anything relies on it: a part at a time, so that what comes from far memory
/// can be used while it is near.
pub trait Rows: Table + Send {
    /// Says what is wrong with some rows, if something is: they must have finite values, but for gaps that are filled
    /// in, and rising components below the number of features.
    fn check(&self, rows: Range<usize>, gaps: Gaps) -> Result<(), String>;

    /// Refuses what another thread made of rows after they were checked.
    fn check_unchanged(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Checks all rows.
pub fn check_all(table: &dyn Rows, gaps: Gaps) -> Result<(), String> {
    in_parts(table, gaps, PART, |_| Vec::<()>::new()).map(drop)
}

/// Rows that the library read and found sound.
impl Rows for onlinear::Rows {
    fn check(&self, _: Range<usize>, _: Gaps) -> Result<(), String> {
        Ok(())
    }
}

/// Rows that one thread looks at together: few enough to be near when they are worked on once …
pub const PART: usize = 256;
/// … or again and again.
pub const SMALL_PART: usize = 64;

/// What `work` makes of each part of the rows, of so many, once it is checked: on all cores, one part after another.
pub fn in_parts<T: Copy + Send>(
    table: &dyn Rows,
    gaps: Gaps,
    size: usize,
    work: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Result<Vec<T>, String> {
    let part = |k: usize| {
        let rows = k * size..((k + 1) * size).min(table.len());
        table.check(rows.clone(), gaps).map(|()| work(rows))
    };
    let mut parts = parallel::try_map(table.len().div_ceil(size), part)?;
    table.check_unchanged()?;
    Ok(if parts.len() == 1 { parts.swap_remove(0) } else { parts.concat() })
}
