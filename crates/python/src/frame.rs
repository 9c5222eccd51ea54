//! Data frames as tables that the library reads by the same rules as files.

use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use onlinear::workshop::{self, FrameColumn, Texts};
use onlinear::workshop::{Decimal, LabelId};
use onlinear::{Batch, ColumnOptions, Input, Missing, ReadOptions, open};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::arrow::ArrowStream;
use crate::errors::NAME;

/// Columns of one length with their names.
#[pyclass(module = "onlinear._native", frozen)]
pub struct Frame {
    columns: Vec<(String, Arc<FrameColumn>)>,
}

/// The cells of a column as Python hands them over.
#[derive(FromPyObject)]
pub enum Cells<'py> {
    /// Numbers, and NaN where there is none.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Texts, or None.
    Texts(Bound<'py, PyList>),
    /// For each cell the place of its text in a list, or less than 0 where there is none.
    Choices(PyReadonlyArray1<'py, i64>, Bound<'py, PyList>),
}

impl Cells<'_> {
    fn column(&self) -> PyResult<FrameColumn> {
        Ok(match self {
            Cells::Numbers(numbers) => FrameColumn::Numbers(numbers.as_array().to_vec()),
            Cells::Texts(list) => FrameColumn::Texts(texts(list)?),
            Cells::Choices(places, list) => {
                let mut all = texts(list)?;
                let none = all.len() as u32;
                all.push(b"");
                let place = |&place: &i64| u32::try_from(place).unwrap_or(none);
                let mut chosen = Vec::with_capacity(places.len());
                chosen.extend(places.as_array().iter().map(place));
                FrameColumn::Choices(chosen, all)
            }
        })
    }
}

fn texts(list: &Bound<'_, PyList>) -> PyResult<Texts> {
    let mut texts = Texts::default();
    for cell in list.iter() {
        match cell.cast::<PyString>() {
            Ok(text) => texts.push(text.to_cow()?.as_bytes()),
            Err(_) if cell.is_none() => texts.push(b""),
            Err(_) => texts.push(cell.str()?.to_cow()?.as_bytes()),
        }
    }
    Ok(texts)
}

#[pymethods]
impl Frame {
    /// A table of these columns: a name and cells each.
    #[new]
    fn new(columns: Vec<(String, Cells<'_>)>) -> PyResult<Frame> {
        let column = |(name, cells): (String, Cells<'_>)| Ok((name, Arc::new(cells.column()?)));
        Ok(Frame { columns: columns.into_iter().map(column).collect::<PyResult<_>>()? })
    }

    /// The same with a further column behind the others.
    fn with_column(&self, name: String, cells: Cells<'_>) -> PyResult<Frame> {
        let mut columns = self.columns.clone();
        columns.push((name, Arc::new(cells.column()?)));
        Ok(Frame { columns })
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }
}

impl Frame {
    /// The table as the library reads it.
    pub fn input(&self, is_stream: bool) -> onlinear::Result<Input> {
        let frame = workshop::Frame::new(NAME, self.columns.clone())?;
        Ok(Input::Frame(if is_stream { frame.streamed() } else { frame }))
    }

    /// How its columns are read: those of a model, where there is one, and frozen where only its features matter.
    pub fn options(model: Option<&onlinear::Model>, columns: ColumnOptions, is_frozen: bool) -> ReadOptions {
        let vocabulary = model.map(|model| model.vocabulary.clone());
        ReadOptions {
            vocabulary: if is_frozen { vocabulary.map(|vocabulary| vocabulary.frozen()) } else { vocabulary },
            schema: model.and_then(|model| model.csv.clone()),
            columns,
            ..ReadOptions::default()
        }
    }
}

/// What columns hold and how their cells are read, as the program's flags of the same names say.
#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
pub struct ColumnWords {
    missing: Option<String>,
    ignore: Vec<String>,
    only: Vec<String>,
    kinds: Vec<(String, String)>,
    decimal: Option<String>,
    interact: Vec<(String, String)>,
}

impl ColumnWords {
    /// For a table whose labels and weights are in these columns.
    pub fn options(&self, label: Option<String>, weight: Option<String>) -> onlinear::Result<ColumnOptions> {
        let kind = |(name, kind): &(String, String)| Ok((name.clone(), kind.parse()?));
        Ok(ColumnOptions {
            label,
            weight,
            header: None,
            missing: self.missing.as_deref().and_then(Missing::named),
            decimal: self.decimal.as_deref().and_then(Decimal::named),
            ignore: self.ignore.clone(),
            only: self.only.clone(),
            kinds: self.kinds.iter().map(kind).collect::<onlinear::Result<_>>()?,
            interactions: self.interact.clone(),
        })
    }
}

/// All rows of a table, with what its reader found out.
pub struct EncodedRows {
    pub rows: onlinear::Rows,
    pub labels: Vec<LabelId>,
    pub weights: Option<Vec<f64>>,
    pub about: Arc<onlinear::workshop::About>,
}

/// Reads all rows of a table.
pub fn encoded(input: &Input, options: &ReadOptions) -> onlinear::Result<EncodedRows> {
    let (mut reader, _) = open(input, options)?;
    let (mut rows, mut labels, mut weights) = (onlinear::Rows::default(), Vec::new(), Vec::new());
    let mut batch = Batch::default();
    while reader.read(&mut batch)? {
        for i in 0..batch.len() {
            rows.push_row(batch.rows.row(i));
            weights.push(batch.weight(i));
        }
        labels.extend_from_slice(&batch.labels);
    }
    let weights = weights.iter().any(|&weight| weight != 1.0).then_some(weights);
    Ok(EncodedRows { rows, labels, weights, about: reader.about().clone().into() })
}

/// The tables of an Arrow stream, one after another.
#[pyclass(module = "onlinear._native", unsendable)]
pub struct FrameStream {
    stream: ArrowStream,
}

#[pymethods]
impl FrameStream {
    /// The tables of an object's `__arrow_c_stream__`.
    #[new]
    fn new(object: &Bound<'_, PyAny>) -> PyResult<FrameStream> {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        Ok(FrameStream { stream: ArrowStream::new(&capsule)? })
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.stream.names()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> PyResult<Option<Frame>> {
        Ok(self.stream.next_columns()?.map(|columns| self.frame(columns)))
    }

    /// All that is left, as one table.
    fn whole(&mut self) -> PyResult<Frame> {
        let columns = self.stream.all_columns()?;
        Ok(self.frame(columns))
    }
}

impl FrameStream {
    fn frame(&self, columns: Vec<FrameColumn>) -> Frame {
        Frame { columns: self.stream.names().into_iter().zip(columns.into_iter().map(Arc::new)).collect() }
    }
}
