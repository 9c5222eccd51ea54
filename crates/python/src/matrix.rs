//! Rows as the parts of SciPy's CSR matrices.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Puts the parts of a CSR matrix of so many columns among arrays by name.
pub fn set_matrix(
    arrays: &Bound<'_, PyDict>,
    starts: Vec<i64>,
    indices: Vec<u32>,
    values: Vec<f64>,
    features: usize,
) -> PyResult<()> {
    let py = arrays.py();
    let indices = PyArray1::from_vec(py, indices);
    // SciPy's indices are signed; below 2³¹ the bits are the same.
    let (way, kind) = if features <= i32::MAX as usize { ("view", "int32") } else { ("astype", "int64") };
    arrays.set_item("indices", indices.call_method1(way, (kind,))?)?;
    arrays.set_item("indptr", PyArray1::from_vec(py, starts))?;
    arrays.set_item("data", PyArray1::from_vec(py, values))?;
    arrays.set_item("features", features)
}
