//! The artificial sets of the papers as arrays.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use onlinear::workshop::synthetic::Generator;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::errors::raised;

/// Rows and their labels (−1 or +1).
type Drawn<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>);

/// `rows` rows of the set that `name` names, like `artificial:noise=0.1`, drawn from `seed`.
#[pyfunction]
pub fn generate<'py>(py: Python<'py>, name: &str, rows: usize, seed: u64) -> PyResult<Drawn<'py>> {
    let mut generator = Generator::new(name, seed).map_err(raised)?;
    let features = generator.features();
    let mut values: Vec<f64> = Vec::new();
    let numbers = rows.checked_mul(features).filter(|&numbers| values.try_reserve_exact(numbers).is_ok());
    if numbers.is_none() {
        return Err(PyMemoryError::new_err(format!("{rows} rows of {features} features do not fit in memory")));
    }
    let labels = py.detach(|| {
        let mut labels = Vec::with_capacity(rows);
        for _ in 0..rows {
            let example = generator.next_example();
            values.extend_from_slice(example.x.values());
            labels.push(example.y.sign() as i64);
        }
        labels
    });
    Ok((PyArray1::from_vec(py, values).reshape([rows, features])?, PyArray1::from_vec(py, labels)))
}
