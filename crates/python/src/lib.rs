//! The native half of the Python package `onlinear`: rows, models, reading and artificial sets.
//!
//! What users see is written in Python (`python/onlinear`); here is only what has to be fast, or the same
//! as in the program.

mod arrow;
mod codes;
mod datasets;
mod errors;
mod frame;
mod matrix;
mod model;
mod read;
mod rows;
mod watch;

use onlinear::ALGORITHMS;
use pyo3::prelude::*;

/// The extension module `onlinear._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ESTIMATORS", estimators())?;
    module.add_class::<model::Model>()?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<frame::FrameStream>()?;
    module.add_function(wrap_pyfunction!(codes::codes, module)?)?;
    module.add_function(wrap_pyfunction!(rows::is_plain, module)?)?;
    module.add_function(wrap_pyfunction!(model::merge, module)?)?;
    module.add_function(wrap_pyfunction!(model::untaught, module)?)?;
    module.add_function(wrap_pyfunction!(model::canonical_spec, module)?)?;
    module.add_function(wrap_pyfunction!(read::read, module)?)?;
    module.add_function(wrap_pyfunction!(read::most_memory, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::generate, module)?)
}

/// The classes of the learners, of which one may stand for several, in their order.
fn estimators() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for algorithm in ALGORITHMS {
        if !names.contains(&algorithm.python.name) {
            names.push(algorithm.python.name);
        }
    }
    names
}
