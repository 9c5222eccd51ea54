//! Rows that become a NumPy array or the parts of a SciPy CSR matrix.

use numpy::{PyArray1, PyArrayMethods};
use onlinear::workshop::most_of_memory;
use onlinear::{Row, Rows};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// With at least this share of values that are not zero, rows are given as a dense array.
const DENSE: f64 = 0.5;

/// Rows one behind the other.
pub struct Matrix {
    /// Where rows start, and where the last one ends.
    starts: Vec<i64>,
    /// The places of the values; left out as long as each row has all components up to one width.
    indices: Vec<u32>,
    values: Vec<f64>,
    /// That width, while it is one.
    width: Option<usize>,
}

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix { starts: vec![0], indices: Vec::new(), values: Vec::new(), width: None }
    }
}

impl Matrix {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// What the arrays take, which have grown by doubling.
    pub fn bytes(&self) -> u64 {
        2 * (8 * self.values.len() + 4 * self.indices.len() + 8 * self.starts.len()) as u64
    }

    /// Appends a row.
    pub fn push(&mut self, row: Row<'_>) {
        let count = row.values().len();
        match row {
            Row::Dense(_) if self.takes_width(count) => {}
            Row::Dense(_) => {
                self.spell_out();
                self.indices.extend(0..count as u32);
            }
            Row::Sparse { indices, .. } => {
                self.spell_out();
                self.indices.extend_from_slice(indices);
            }
        }
        self.values.extend_from_slice(row.values());
        self.starts.push(self.values.len() as i64);
    }

    /// Appends all rows of a list.
    pub fn append(&mut self, rows: &Rows) {
        if rows.is_empty() {
            return;
        }
        let width = rows.parts(0).0.len();
        // In as many rows as stretches that begin anew, each is one of them.
        let is_whole = width > 0
            && width * rows.len() == rows.indices().len()
            && rows.indices().chunks_exact(width).all(is_every_place);
        if !(is_whole && self.takes_width(width)) {
            self.spell_out();
            self.indices.extend_from_slice(rows.indices());
        }
        let before = self.values.len() as i64;
        self.starts.extend(rows.starts_u64()[1..].iter().map(|&end| before + end as i64));
        self.values.extend_from_slice(rows.values());
    }

    /// Whether rows with all components up to this width are like those before.
    fn takes_width(&mut self, width: usize) -> bool {
        if self.len() == 0 && width > 0 {
            self.width = Some(width);
        }
        self.width == Some(width)
    }

    /// Writes down the places that were left out.
    fn spell_out(&mut self) {
        if let Some(width) = self.width.take() {
            (0..self.len()).for_each(|_| self.indices.extend(0..width as u32));
        }
    }

    /// The rows of so many features as Python takes them: an array, or the parts of a CSR matrix and its shape; by the
    /// share of zeros unless it is said which (`sparse`).
    pub fn into_python(mut self, py: Python<'_>, features: usize, sparse: Option<bool>) -> PyResult<Bound<'_, PyAny>> {
        let (rows, stored) = (self.len(), self.values.len());
        if !sparse.unwrap_or((stored as f64) < DENSE * rows as f64 * features as f64) {
            let values = if self.width == Some(features) { self.values } else { self.dense(features)? };
            return Ok(PyArray1::from_vec(py, values).reshape([rows, features])?.into_any());
        }
        self.spell_out();
        // SciPy's indices are signed, and of one type; below 2³¹ the bits are the same.
        let is_narrow = features.max(stored) <= i32::MAX as usize;
        let (way, kind) = if is_narrow { ("view", "int32") } else { ("astype", "int64") };
        let indices = PyArray1::from_vec(py, self.indices).call_method1(way, (kind,))?;
        let starts = match is_narrow {
            true => PyArray1::from_iter(py, self.starts.iter().map(|&start| start as i32)).into_any(),
            false => PyArray1::from_vec(py, self.starts).into_any(),
        };
        let parts = (PyArray1::from_vec(py, self.values), indices, starts);
        Ok((parts, (rows, features)).into_pyobject(py)?.into_any())
    }

    /// All components, with zeros where there is none.
    fn dense(mut self, features: usize) -> PyResult<Vec<f64>> {
        let rows = self.len();
        let bytes = 8 * rows as u128 * features as u128;
        if bytes > most_of_memory().into() {
            let megabytes = bytes / 1_000_000;
            let shape = format!("({rows}, {features})");
            let message = format!("X as a dense array of shape {shape} would take {megabytes} MB of memory");
            return Err(PyMemoryError::new_err(message));
        }
        self.spell_out();
        let mut dense = vec![0.0; rows * features];
        for (row, range) in dense.chunks_exact_mut(features.max(1)).zip(self.starts.windows(2)) {
            let range = range[0] as usize..range[1] as usize;
            self.indices[range.clone()].iter().zip(&self.values[range]).for_each(|(&i, &v)| row[i as usize] = v);
        }
        Ok(dense)
    }
}

/// Whether places are 0, 1, 2, …; without a branch for each, so that several are looked at together.
fn is_every_place(indices: &[u32]) -> bool {
    indices.iter().zip(0..).fold(true, |all, (&index, place)| all & (index == place))
}
