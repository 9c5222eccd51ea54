//! Data files as arrays, at the speed of the program.

use std::path::PathBuf;

use numpy::PyArray1;
use onlinear::workshop::{NO_LABEL, is_table, most_of_memory};
use onlinear::{Aliases, Batch, ColumnOptions, Encoding, Error, Input, Message, Missing, ReadOptions, open};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;
use crate::frame::ColumnWords;
use crate::matrix::Matrix;
use crate::model::{Model, feature_names};

/// A whole file: its rows and what goes with them.
#[derive(Default)]
struct Contents {
    rows: Matrix,
    labels: Vec<i64>,
    weights: Vec<f64>,
    texts: Vec<String>,
    names: Option<Vec<String>>,
    features: usize,
}

impl Contents {
    /// What the arrays take, which have grown by doubling.
    fn bytes(&self) -> u64 {
        self.rows.bytes() + 16 * (self.labels.len() + self.weights.len()) as u64
    }

    /// Makes the features those of a model, or refuses further ones.
    fn require_known(&mut self, features: usize) -> PyResult<()> {
        if self.features > features {
            let (there, known) = (self.features, features);
            return Err(PyValueError::new_err(format!("the file has {there} features, but the model knows {known}")));
        }
        self.features = features;
        Ok(())
    }
}

/// How a file is to be read, as the program's flags of the same names say.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    format: Option<String>,
    label: Option<String>,
    weight: Option<String>,
    header: Option<bool>,
    columns: ColumnWords,
    skip_bad_rows: bool,
    features: Option<usize>,
    hash: Option<u32>,
    encoding: Option<String>,
    alias: Option<Alias>,
    zero_based: bool,
    max_memory: u64,
    /// Whether rows are to become a CSR matrix or an array; by the share of zeros unless it is said.
    sparse: Option<bool>,
}

/// Labels to be read as others: as the program's flag has them, or in pairs.
#[derive(FromPyObject)]
enum Alias {
    Text(String),
    Pairs(Vec<(String, String)>),
}

/// The memory that models and rows may take unless told otherwise.
#[pyfunction]
pub fn most_memory() -> u64 {
    most_of_memory()
}

/// Reads `paths`, one after another as one, as a model's columns and features are where there is one: `rows` as
/// [`Matrix`] gives them; `labels` as places in `texts`, −1 for a row without one; `weights`, or none where all are 1;
/// `names` of the features, or none.
#[pyfunction]
#[pyo3(signature = (paths, options, like=None))]
pub fn read<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    options: Options,
    like: Option<PyRef<'py, Model>>,
) -> PyResult<Bound<'py, PyDict>> {
    let format = options.format.as_deref().map(str::parse).transpose().map_err(raised)?;
    if options.hash.is_some_and(|bits| !(1..=31).contains(&bits)) {
        return Err(PyValueError::new_err("hash must be a number of bits from 1 to 31"));
    }
    let encoding = options.encoding.as_deref().map(Encoding::named).transpose().map_err(raised)?;
    let columns = options.columns.options(options.label, options.weight).map_err(raised)?;
    let columns = ColumnOptions { header: options.header, ..columns };
    let like = like.as_ref().map(|model| model.knowledge()).transpose()?;
    let aliases = match options.alias {
        Some(Alias::Text(text)) => text.parse().map_err(raised)?,
        Some(Alias::Pairs(pairs)) => pairs.into_iter().collect(),
        None => Aliases::default(),
    };
    let Options { skip_bad_rows, features, hash, zero_based, max_memory, sparse, .. } = options;
    let read = ReadOptions {
        format,
        hash,
        features,
        skip_bad_rows,
        columns,
        encoding: encoding.or(like.as_ref().map(|(.., encoding)| *encoding)),
        vocabulary: like.as_ref().map(|(vocabulary, ..)| vocabulary.clone()),
        schema: like.as_ref().and_then(|(_, schema, _, _)| schema.clone()),
        aliases,
        zero_based,
        max_memory: Some(max_memory),
        ..ReadOptions::default()
    };
    let mut contents = py.detach(|| contents(paths, read)).map_err(raised)?;
    if let Some((_, _, features, _)) = like {
        contents.require_known(features)?;
    }
    let arrays = PyDict::new(py);
    arrays.set_item("rows", contents.rows.into_python(py, contents.features, sparse)?)?;
    arrays.set_item("labels", PyArray1::from_vec(py, contents.labels))?;
    arrays.set_item("texts", contents.texts)?;
    arrays.set_item("weights", (!contents.weights.is_empty()).then(|| PyArray1::from_vec(py, contents.weights)))?;
    arrays.set_item("names", contents.names)?;
    Ok(arrays)
}

fn contents(paths: Vec<PathBuf>, mut options: ReadOptions) -> onlinear::Result<Contents> {
    let inputs: Vec<Input> = paths.into_iter().map(Input::File).collect();
    let input = if let [only] = &inputs[..] { only.clone() } else { Input::Several(inputs.into()) };
    // An array has no stage that would fill in what is missing.
    if options.schema.is_none() && options.columns.missing.is_none() && is_table(&input, &options)? {
        options.columns.missing = Some(Missing::Refuse);
    }
    let options = &options;
    let (mut reader, _) = open(&input, options)?;
    let mut all = Contents::default();
    let mut batch = Batch::default();
    while reader.read(&mut batch)? {
        if options.max_memory.is_some_and(|most| all.bytes() > most) {
            return Err(Error::Memory(Message::beyond_memory(format!("{}: its rows take", input.name()))));
        }
        all.rows.append(&batch.rows);
        if !batch.weights.is_empty() {
            all.weights.resize(all.labels.len(), 1.0);
            all.weights.extend_from_slice(&batch.weights);
        }
        all.labels.extend(batch.labels.iter().map(|&label| if label == NO_LABEL { -1 } else { i64::from(label) }));
        if !all.weights.is_empty() {
            all.weights.resize(all.labels.len(), 1.0);
        }
    }
    all.texts = reader.labels().texts().map(String::from).collect();
    all.names = feature_names(reader.vocabulary());
    all.features = options.features.unwrap_or(reader.features());
    Ok(all)
}
