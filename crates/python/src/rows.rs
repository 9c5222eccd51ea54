//! NumPy arrays and the parts of SciPy's CSR matrices, as rows that learners understand.

use std::ops::Range;

use numpy::ndarray::{ArrayView1, ArrayView2, s};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use onlinear::workshop::{Slot, Table, parallel};
use onlinear::{ColumnOptions, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::frame::{Frame, encoded};

/// What messages call the rows.
pub const NAME: &str = "X";

/// At most so many cache lines of a row are fetched ahead; the processor itself follows long ones.
const LINES: usize = 32;

/// Rows as Python hands them over: a dense array, or `indptr`, `indices`, `data` of a CSR matrix.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// A table, whose rows a model's columns make.
    Frame(PyRef<'py, Frame>),
    /// A dense array of doubles, of any layout.
    Double(PyReadonlyArray2<'py, f64>),
    /// A dense array of single precision.
    Single(PyReadonlyArray2<'py, f32>),
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
        let table: Box<dyn Rows + '_> = match self {
            Given::Frame(_) => {
                return Err(PyValueError::new_err("the model was not learned from a table, and cannot read one"));
            }
            Given::Double(array) => Box::new(Dense(array.as_array())),
            Given::Single(array) => Box::new(DenseSingle(array.as_array())),
            Given::Sparse(starts, indices, values) => Box::new(Sparse {
                starts: starts.copied(|start| start)?,
                indices: indices.copied(|index| u32::try_from(index).unwrap_or(u32::MAX))?,
                values: match values {
                    Values::Double(values) => Floats::Double(values.as_slice()?),
                    Values::Single(values) => Floats::Single(values.as_slice()?),
                },
            }),
        };
        table.check_shape(features).map(|()| table).map_err(PyValueError::new_err)
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

/// Rows that the library read and found sound.
impl Rows for onlinear::Rows {
    fn check_shape(&self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn check(&self, _: Range<usize>, _: usize, _: Gaps) -> Result<(), String> {
        Ok(())
    }
}

impl Whole<'_> {
    /// The numbers, copied: other threads of Python may change the array at any moment. One below 0 becomes far too
    /// large.
    fn copied<T>(&self, number: impl Fn(usize) -> T) -> PyResult<Vec<T>> {
        let whole = |value: i64| number(usize::try_from(value).unwrap_or(usize::MAX));
        Ok(match self {
            Whole::Narrow(numbers) => numbers.as_slice()?.iter().map(|&value| whole(value.into())).collect(),
            Whole::Wide(numbers) => numbers.as_slice()?.iter().map(|&value| whole(value)).collect(),
        })
    }
}

/// A table that must be checked before anything relies on it: a part at a time, so that what comes from far memory
/// can be used while it is near.
pub trait Rows: Table + Send {
    /// Says what is wrong with the shape, if something is.
    fn check_shape(&self, features: usize) -> Result<(), String>;

    /// Says what is wrong with some rows, if something is: they must have finite values, but for gaps that are filled
    /// in, and rising components below `features`.
    fn check(&self, rows: Range<usize>, features: usize, gaps: Gaps) -> Result<(), String>;
}

/// Rows that one thread looks at together.
const PART: usize = 1024;

/// What `work` makes of each part of the rows once it is checked, on all cores, one part after another.
pub fn in_parts<T: Copy + Send>(
    table: &dyn Rows,
    features: usize,
    gaps: Gaps,
    work: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Result<Vec<T>, String> {
    let part = |k: usize| {
        let rows = k * PART..((k + 1) * PART).min(table.len());
        table.check(rows.clone(), features, gaps).map(|()| work(rows))
    };
    Ok(parallel::try_map(table.len().div_ceil(PART), part)?.concat())
}

/// A number that may not be finite.
trait Float: Copy {
    /// It, as a double.
    fn wide(self) -> f64;

    /// Whether it is neither infinite nor NaN, told from its bits so that many are looked at together.
    fn is_usual(self) -> bool;
}

impl Float for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn is_usual(self) -> bool {
        self.to_bits() << 1 < f64::INFINITY.to_bits() << 1
    }
}

impl Float for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn is_usual(self) -> bool {
        self.to_bits() << 1 < f32::INFINITY.to_bits() << 1
    }
}

/// Refuses values that are not finite, in scikit-learn's words.
fn finite<'a, T: Float + 'a>(mut values: impl Iterator<Item = &'a T>, gaps: Gaps) -> Result<(), String> {
    let is_filled = |value: &T| gaps == Gaps::Filled && value.wide().is_nan();
    match values.find(|value| !value.is_usual() && !is_filled(value)) {
        None => Ok(()),
        Some(value) if value.wide().is_nan() => Err("Input X contains NaN.".to_string()),
        Some(_) => Err("Input X contains infinity or a value too large for dtype('float64').".to_string()),
    }
}

/// Refuses values that are not finite where they lie side by side, which takes less than half the time.
fn finite_slice<T: Float>(values: &[T], gaps: Gaps) -> Result<(), String> {
    let is_odd = |part: &&[T]| !part.iter().fold(true, |usual, value| usual & value.is_usual());
    values.chunks(256).filter(is_odd).try_for_each(|part| finite(part.iter(), gaps))
}

fn finite_array<T: Float>(values: ArrayView2<'_, T>, gaps: Gaps) -> Result<(), String> {
    let side_by_side = values.as_slice_memory_order();
    side_by_side.map_or_else(|| finite(values.iter(), gaps), |values| finite_slice(values, gaps))
}

fn shape(columns: usize, features: usize) -> Result<(), String> {
    if columns == features {
        return Ok(());
    }
    Err(format!("X has {columns} features, but {features} features are expected"))
}

/// A dense array of doubles.
struct Dense<'a>(ArrayView2<'a, f64>);

impl Table for Dense<'_> {
    fn len(&self) -> usize {
        self.0.nrows()
    }

    fn row<'a>(&'a self, i: usize, _: &'a mut Vec<u32>, values: &'a mut Vec<f64>) -> Row<'a> {
        match self.0.row(i).to_slice() {
            Some(row) => Row::Dense(row),
            None => gathered(self.0.row(i), values, |v| v),
        }
    }

    fn announce(&self, i: usize) {
        self.0.row(i).to_slice().into_iter().for_each(fetch);
    }
}

impl Rows for Dense<'_> {
    fn check_shape(&self, features: usize) -> Result<(), String> {
        shape(self.0.ncols(), features)
    }

    fn check(&self, rows: Range<usize>, _: usize, gaps: Gaps) -> Result<(), String> {
        finite_array(self.0.slice(s![rows, ..]), gaps)
    }
}

/// A dense array of single precision.
struct DenseSingle<'a>(ArrayView2<'a, f32>);

impl Table for DenseSingle<'_> {
    fn len(&self) -> usize {
        self.0.nrows()
    }

    fn row<'a>(&'a self, i: usize, _: &'a mut Vec<u32>, values: &'a mut Vec<f64>) -> Row<'a> {
        gathered(self.0.row(i), values, f64::from)
    }

    fn announce(&self, i: usize) {
        self.0.row(i).to_slice().into_iter().for_each(fetch);
    }
}

impl Rows for DenseSingle<'_> {
    fn check_shape(&self, features: usize) -> Result<(), String> {
        shape(self.0.ncols(), features)
    }

    fn check(&self, rows: Range<usize>, _: usize, gaps: Gaps) -> Result<(), String> {
        finite_array(self.0.slice(s![rows, ..]), gaps)
    }
}

fn gathered<'a, T: Copy>(row: ArrayView1<'_, T>, values: &'a mut Vec<f64>, widen: impl Fn(T) -> f64) -> Row<'a> {
    values.clear();
    values.extend(row.iter().map(|&v| widen(v)));
    Row::Dense(values)
}

/// A CSR matrix. Where its rows and components are is held here and cannot change; their values may.
struct Sparse<'a> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Floats<'a>,
}

/// Floats in memory.
#[derive(Clone, Copy)]
enum Floats<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Table for Sparse<'_> {
    fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn row<'a>(&'a self, i: usize, _: &'a mut Vec<u32>, values: &'a mut Vec<f64>) -> Row<'a> {
        let range = self.starts[i]..self.starts[i + 1];
        let indices = &self.indices[range.clone()];
        let values = match self.values {
            Floats::Double(all) => &all[range],
            Floats::Single(all) => {
                values.clear();
                values.extend(all[range].iter().map(|&v| f64::from(v)));
                &values[..]
            }
        };
        Row::new(indices, values)
    }

    fn announce(&self, i: usize) {
        let range = self.starts[i]..self.starts[i + 1];
        fetch(&self.indices[range.clone()]);
        match self.values {
            Floats::Double(all) => fetch(&all[range]),
            Floats::Single(all) => fetch(&all[range]),
        }
    }
}

/// Has the processor fetch some numbers while it works on others: a pass over shuffled rows then takes two thirds of
/// the time.
#[inline]
fn fetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in numbers.chunks(64 / size_of::<T>()).take(LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer is to numbers that are there; and a prefetch never reads for the program.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
}

impl Rows for Sparse<'_> {
    fn check_shape(&self, features: usize) -> Result<(), String> {
        let stored = match self.values {
            Floats::Double(values) => values.len(),
            Floats::Single(values) => values.len(),
        };
        let fits = self.starts.first() == Some(&0)
            && self.starts.last().is_some_and(|&end| end <= stored.min(self.indices.len()))
            && self.starts.is_sorted();
        if !fits || features > u32::MAX as usize {
            return Err("the parts of the sparse matrix X do not fit together".to_string());
        }
        Ok(())
    }

    fn check(&self, rows: Range<usize>, features: usize, gaps: Gaps) -> Result<(), String> {
        let all = self.starts[rows.start]..self.starts[rows.end];
        for i in rows {
            let row = &self.indices[self.starts[i]..self.starts[i + 1]];
            if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&last| last as usize >= features) {
                return Err("the column indices of the sparse matrix X must rise within a row and be below its width"
                    .to_string());
            }
        }
        match self.values {
            Floats::Double(values) => finite_slice(&values[all], gaps),
            Floats::Single(values) => finite_slice(&values[all], gaps),
        }
    }
}
