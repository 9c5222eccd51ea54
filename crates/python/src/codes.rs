//! Labels as places among the classes.

use numpy::{PyArray1, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// The places of labels by what `known` says of each; none where they are not a plain list or array of known numbers or
/// texts, about which more is to be said than is known here.
#[pyfunction]
pub fn codes<'py>(y: &Bound<'py, PyAny>, known: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
    let listed;
    let labels = match (y.cast_exact::<PyList>(), y.cast_exact::<PyUntypedArray>()) {
        (Ok(list), _) => list,
        (_, Ok(array)) if array.ndim() == 1 && b"iufbU".contains(&array.dtype().kind()) => {
            listed = y.call_method0("tolist")?;
            listed.cast::<PyList>()?
        }
        _ => return Ok(None),
    };
    let mut codes = Vec::with_capacity(labels.len());
    for label in labels.iter() {
        let code = if is_plain(&label) { known.get_item(&label)? } else { None };
        let Some(code) = code else { return Ok(None) };
        codes.push(code.extract::<i64>()?);
    }
    Ok(Some(PyArray1::from_vec(y.py(), codes)))
}

/// Whether a label is of a type that means no more than it says. Fractions are measurements rather than labels.
fn is_plain(label: &Bound<'_, PyAny>) -> bool {
    match label.cast_exact::<PyFloat>() {
        Ok(float) => float.value().fract() == 0.0,
        Err(_) => {
            label.is_exact_instance_of::<PyInt>()
                || label.is_exact_instance_of::<PyString>()
                || label.is_exact_instance_of::<PyBool>()
        }
    }
}
