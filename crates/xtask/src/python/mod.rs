//! The Python package: its generated files, its tests and its wheels.

mod environment;
mod estimators;
mod sets;
mod text;

pub use environment::{Environment, check, wheel};
pub use estimators::{estimators, spark_estimators};
pub use sets::datasets;
