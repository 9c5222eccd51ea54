//! The one class: a learner with its classes and stages, fresh or learned.

mod about;
mod learned;
mod lesson;
mod recipe;

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use onlinear::workshop::{About, Cure, Risk, Scratch, Slot, StageChoices, Vocabulary};
use onlinear::{
    BorrowedRows, Certificate, Classes, Encoding, Export, Keep, LabelChoice, Message, Plan, Recipe, RunResult, Start,
    TableSchema, certify, learn,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{Keywords, raised};
use crate::frame::{ColumnWords, Frame, encoded};
use crate::matrix::Matrix;
use crate::rows::{Gaps, Given, check_all};
use crate::watch::Onlooker;
use about::{Linear, linear, shown, support_of};
use learned::Learned;
use lesson::{Lesson, passes_of};
use recipe::{Weights, recipe, stage_choices};

pub use about::feature_names;

/// A learner for rows of so many features, between these classes.
#[pyclass(module = "onlinear._native")]
pub struct Model {
    /// What learning starts from; none for a model that was loaded.
    fresh: Option<Recipe>,
    /// The labels as texts, in the order of Python's classes.
    texts: Vec<String>,
    features: usize,
    max_memory: u64,
    learned: Option<Learned>,
    /// What is known about the rows of arrays, once some were met as parts of a stream.
    stream: Option<Arc<About>>,
}

/// The features, the columns, how many features there are, and how text is encoded.
type Knowledge = (Vocabulary, Option<TableSchema>, usize, Encoding);

/// What a pickled model is made from.
type Pickled<'py> = (Bound<'py, PyBytes>, Vec<String>, u64);

#[pymethods]
impl Model {
    /// A fresh learner. `classes` are the labels as texts: of two, the first is negative and the second positive.
    #[new]
    #[pyo3(signature = (
        spec, classes, features, *,
        stages=None, bias=None, scale=None, normalize=None, map=None, shuffle=None, class_weights=None,
        calibrate=None, is_table=false, max_memory,
    ))]
    #[allow(clippy::too_many_arguments)] // they have names in Python
    fn new(
        spec: &str,
        classes: Vec<String>,
        features: usize,
        stages: Option<Vec<String>>,
        bias: Option<String>,
        scale: Option<&str>,
        normalize: Option<&str>,
        map: Option<&str>,
        shuffle: Option<u64>,
        class_weights: Option<Weights>,
        calibrate: Option<u64>,
        is_table: bool,
        max_memory: u64,
    ) -> PyResult<Model> {
        let choices = match stages {
            Some(stages) => StageChoices { stages, ..StageChoices::default() },
            None => stage_choices(bias, scale, normalize, map)?,
        };
        let class_weights = class_weights.map(Weights::checked).transpose()?;
        let fresh = Recipe { shuffle, class_weights, calibrate, ..recipe(spec, &choices, is_table)? };
        Ok(Model { fresh: Some(fresh), texts: classes, features, max_memory, learned: None, stream: None })
    }

    /// Learns from all rows, from nothing; gives the trace and the certificate, where asked for.
    #[pyo3(signature = (
        x, y, weights=None, *, passes=Some(1), early_stop=false, trace=false, certificate=false, verbose=false
    ))]
    #[allow(clippy::too_many_arguments)] // they have names in Python
    fn fit<'py>(
        &mut self,
        py: Python<'py>,
        x: Given<'py>,
        y: PyReadonlyArray1<'py, i64>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        passes: Option<u64>,
        early_stop: bool,
        trace: bool,
        certificate: bool,
        verbose: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let fresh = self.fresh()?;
        let lesson = Lesson::new(&x, &y, weights, self.features)?;
        let mut onlooker = Onlooker::new(trace, certificate, verbose);
        let run = || -> onlinear::Result<_> {
            let mut lent = lesson.lent(self.features, &self.texts)?;
            let passes = passes_of(&fresh, passes, early_stop);
            let outcome = lent.learn(&fresh, Classes::of(&self.texts)?, passes, self.max_memory, &mut onlooker)?;
            let log = onlooker.take_log();
            let certificate =
                log.map(|log| lent.certify(&outcome, &log, Risk::CONFIDENCE, &mut onlooker)).transpose()?;
            Ok((outcome, certificate))
        };
        let done = py.detach(run);
        lesson.check_unchanged()?;
        self.finish(py, &fresh, done, onlooker)
    }

    /// Learns from all rows of a table, from nothing, as the program does from the same table in a file: the columns
    /// `label` and `weight` are told, all others tell what they hold.
    #[pyo3(signature = (
        table, label, weight=None, *,
        passes=None, early_stop=false, trace=false, certificate=false, verbose=false, columns=None,
    ))]
    #[allow(clippy::too_many_arguments)] // they have names in Python
    fn fit_table<'py>(
        &mut self,
        py: Python<'py>,
        table: PyRef<'py, Frame>,
        label: String,
        weight: Option<String>,
        passes: Option<u64>,
        early_stop: bool,
        trace: bool,
        certificate: bool,
        verbose: bool,
        columns: Option<ColumnWords>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.trim_labels()?;
        let fresh = self.fresh()?;
        let columns = columns.unwrap_or_default().options(Some(label), weight).map_err(raised)?;
        let passes = passes_of(&fresh, passes, early_stop);
        let input = table.input(false).map_err(raised)?;
        let max_memory = self.max_memory;
        // A comma within a label is part of it here; in a file it stands between several.
        let labels = self.texts.iter().any(|text| text.contains(',')).then(|| self.texts.clone());
        let plan = || Plan {
            input: input.clone(),
            read: Frame::options(None, columns.clone(), false),
            labels: LabelChoice { labels: labels.clone(), ..LabelChoice::default() },
            passes,
            keep: Keep { limit: None, cache: false, max_memory },
            train_error: false,
            holdout: None,
        };
        let mut onlooker = Onlooker::new(trace, certificate, verbose);
        let run = || -> onlinear::Result<_> {
            let outcome = learn(plan(), Start::Fresh(fresh.clone()), &mut onlooker)?;
            let log = onlooker.take_log();
            let certificate =
                log.map(|log| certify(&plan(), &outcome, &log, Risk::CONFIDENCE, &mut onlooker)).transpose()?;
            Ok((outcome, certificate))
        };
        let done = py.detach(run);
        let told = self.finish(py, &fresh, done, onlooker)?;
        // Of two labels the one that is +1 is the program's choice, so that the model is the same.
        let mut places = self.learned()?.places.clone();
        let mut classes: Vec<(usize, String)> = places.drain(..).zip(self.texts.drain(..)).collect();
        classes.sort_unstable();
        self.learned_mut()?.places = (0..classes.len()).collect();
        self.texts = classes.into_iter().map(|(_, text)| text).collect();
        Ok(told)
    }

    /// Goes on with the rows of a table, or begins with them: as the next rows of a stream, or in `passes` passes.
    #[pyo3(signature = (table, label, weight=None, *, passes=None, trace=false, verbose=false, columns=None))]
    #[allow(clippy::too_many_arguments)] // they have names in Python
    fn go_on_table<'py>(
        &mut self,
        py: Python<'py>,
        table: PyRef<'py, Frame>,
        label: String,
        weight: Option<String>,
        passes: Option<u64>,
        trace: bool,
        verbose: bool,
        columns: Option<ColumnWords>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.trim_labels()?;
        let input = table.input(true).map_err(raised)?;
        let columns = columns.unwrap_or_default().options(Some(label), weight).map_err(raised)?;
        let known = self.learned.as_ref().map(|learned| &learned.model);
        let options = Frame::options(known, columns, false);
        let read = py.detach(|| encoded(&input, &options)).map_err(raised)?;
        let lent = BorrowedRows::known(&read.rows, read.about, &read.labels, read.weights.as_deref());
        let told = self.go_on_with(py, lent.map_err(raised)?, passes, Onlooker::new(trace, false, verbose))?;
        self.features = self.learned()?.model.features;
        Ok(told)
    }

    /// Goes on with further rows, or begins with them: as the next rows of a stream, or in `passes` passes.
    #[pyo3(signature = (x, y, weights=None, *, passes=None, trace=false, verbose=false))]
    #[allow(clippy::too_many_arguments)] // they have names in Python
    fn go_on<'py>(
        &mut self,
        py: Python<'py>,
        x: Given<'py>,
        y: PyReadonlyArray1<'py, i64>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        passes: Option<u64>,
        trace: bool,
        verbose: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let lesson = Lesson::new(&x, &y, weights, self.features)?;
        let lent = match &self.stream {
            Some(about) => lesson.lent_again(about),
            None => lesson.lent(self.features, &self.texts),
        };
        let lent = lent.map_err(raised)?;
        self.stream = Some(lent.about().clone());
        let told = self.go_on_with(py, lent, passes, Onlooker::new(trace, false, verbose))?;
        lesson.check_unchanged()?;
        Ok(told)
    }

    /// Refuses what parts of the data would make models of that cannot become one with this mean.
    #[pyo3(signature = (mean="all"))]
    fn require_mergeable(&self, mean: &str) -> PyResult<()> {
        let mean = mean.parse().map_err(raised)?;
        let checked = match &self.learned {
            Some(learned) => learned.model.spec.require_mergeable_by(mean, self.texts.len()),
            None => self.fresh()?.require_mergeable(mean, self.texts.len()),
        };
        checked.map_err(raised)
    }

    /// Scores: one for each row between two classes, else one for each class.
    fn scores<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.learned()?.decisions(py, &x)
    }

    /// Rows as the learner sees them, as [`Matrix`] gives them.
    #[pyo3(signature = (x, sparse=None))]
    fn staged<'py>(&self, py: Python<'py>, x: Given<'py>, sparse: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        let model = &self.learned()?.model;
        let table = x.table_for(model)?;
        check_all(table.as_ref(), Gaps::of(model)).map_err(PyValueError::new_err)?;
        let mut staged = Matrix::default();
        let (mut places, mut numbers, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
        for i in 0..table.len() {
            let x = table.row(i, None, &mut places, &mut numbers);
            staged.push(model.stages.apply(x, &mut scratch));
        }
        staged.into_python(py, model.stages.features_after(model.features), sparse)
    }

    /// The probability of each class for each row, or none where the model keeps no calibration.
    fn probabilities<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.learned()?.probabilities(py, &x)
    }

    /// Which rows' labels the model would ask for, or none where it asks for no labels.
    fn asks<'py>(&mut self, py: Python<'py>, x: Given<'py>) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
        self.learned_mut()?.asks(py, &x)
    }

    /// The class of each row, as Python numbers them.
    fn predict<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.learned()?.classes(py, &x)
    }

    /// The figures of the model on rows whose classes are known, by name; `probabilities` has one for each class of
    /// each row, as Python numbers them.
    #[pyo3(signature = (x, y, probabilities=None))]
    fn metrics<'py>(
        &self,
        py: Python<'py>,
        x: Given<'py>,
        y: PyReadonlyArray1<'py, i64>,
        probabilities: Option<PyReadonlyArray2<'py, f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let probabilities = probabilities.as_ref().map(|array| array.as_slice()).transpose()?;
        self.learned()?.metrics(py, &x, y.as_slice()?, probabilities, &self.texts)
    }

    /// `coef` and `intercept` for the features as they come (where rows are normalized: for those), or none.
    fn linear<'py>(&self, py: Python<'py>) -> PyResult<Option<Linear<'py>>> {
        linear(py, self.learned()?, self.features, self.max_memory)
    }

    /// For each learner the parts of its support vectors, as it sees them but for the constant, and their
    /// coefficients; none if it has none.
    fn support<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
        let learned = self.learned()?;
        let parts = |place| support_of(py, &learned.model, &learned.model.learner.leaves_of(place)).transpose();
        learned.learner_places().into_iter().map(parts).collect::<Option<PyResult<_>>>().transpose()
    }

    /// What is known of the model, by name.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        about::about(py, &self.learned()?.model, self.features)
    }

    /// The model file as bytes.
    #[pyo3(name = "to_bytes")]
    fn file<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = &mut self.learned_mut()?.model;
        let bytes = py.detach(|| model.to_bytes()).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The model as an ONNX graph, whose labels are these numbers, in Python's order of classes, or else texts.
    #[pyo3(signature = (numbers=None))]
    fn to_onnx<'py>(&self, py: Python<'py>, numbers: Option<Vec<i64>>) -> PyResult<Bound<'py, PyBytes>> {
        let Learned { model, places } = self.learned()?;
        let by_class = |numbers: Vec<i64>| {
            let mut ordered = vec![0; places.len()];
            places.iter().zip(numbers).for_each(|(&place, number)| ordered[place] = number);
            ordered
        };
        let to = Export::Onnx { numbers: numbers.map(by_class), order: Some(places.clone()) };
        let bytes = py.detach(|| model.export(&to)).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A model from a model file's bytes.
    #[staticmethod]
    #[pyo3(signature = (bytes, *, max_memory))]
    fn from_bytes(py: Python<'_>, bytes: &[u8], max_memory: u64) -> PyResult<Model> {
        let model = py.detach(|| onlinear::Model::from_bytes(bytes));
        let about_bytes = |error| match error {
            onlinear::Error::Model { reason, .. } => PyValueError::new_err(format!("not a usable model: {reason}")),
            error => raised(error),
        };
        Model::loaded(model.map_err(about_bytes)?, max_memory)
    }

    /// Writes the model file.
    fn save(&mut self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let model = &mut self.learned_mut()?.model;
        py.detach(|| model.save(&path)).map_err(raised)
    }

    /// Reads a model file.
    #[staticmethod]
    #[pyo3(signature = (path, *, max_memory))]
    fn load(py: Python<'_>, path: std::path::PathBuf, max_memory: u64) -> PyResult<Model> {
        Model::loaded(py.detach(|| onlinear::Model::load(&path)).map_err(raised)?, max_memory)
    }

    /// How pickle makes the model again: from its file, with the classes as Python numbers them.
    fn __reduce__<'py>(slf: &Bound<'py, Model>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let bytes = slf.borrow_mut().file(slf.py())?;
        let model = slf.borrow();
        Ok((slf.get_type().getattr("_restored")?, (bytes, model.texts.clone(), model.max_memory)))
    }

    /// The counterpart of `__reduce__`.
    #[staticmethod]
    fn _restored(py: Python<'_>, bytes: &[u8], classes: Vec<String>, max_memory: u64) -> PyResult<Model> {
        let mut model = Model::from_bytes(py, bytes, max_memory)?;
        model.set_classes(classes)?;
        Ok(model)
    }

    /// The labels of the classes as texts, in Python's order.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.texts.clone()
    }

    /// Calls the classes otherwise: a label's text where a model file may call it differently.
    #[setter]
    fn set_classes(&mut self, texts: Vec<String>) -> PyResult<()> {
        if let Some(learned) = self.learned.take() {
            self.learned = Some(Learned::new(learned.model, &texts)?);
        }
        (self.texts, self.stream) = (texts, None);
        Ok(())
    }
}

impl Model {
    fn loaded(model: onlinear::Model, max_memory: u64) -> PyResult<Model> {
        let (texts, features) = (model.classes.names().to_vec(), model.features);
        let places = (0..texts.len()).collect();
        let learned = Some(Learned { model, places });
        Ok(Model { fresh: None, texts, features, max_memory, learned, stream: None })
    }

    /// What a run from nothing starts from.
    fn fresh(&self) -> PyResult<Recipe> {
        let refusal = || PyRuntimeError::new_err("a model that was loaded cannot start anew");
        self.fresh.clone().ok_or_else(refusal)
    }

    /// Takes the blanks around labels away: cells of a table have none, and there labels are cells.
    fn trim_labels(&mut self) -> PyResult<()> {
        self.texts.iter_mut().for_each(|text| *text = text.trim_ascii().to_string());
        let mut sorted: Vec<&String> = self.texts.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let message = format!("labels '{}' differ in the blanks around them alone; strip them", pair[0]);
                Err(PyValueError::new_err(message))
            }
            None => Ok(()),
        }
    }

    /// Goes on with rows, or begins with them, and tells of it.
    fn go_on_with<'py>(
        &mut self,
        py: Python<'py>,
        mut lent: BorrowedRows<'_>,
        passes: Option<u64>,
        mut onlooker: Onlooker,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Model { fresh, texts, max_memory, learned, .. } = self;
        let mut run = || -> onlinear::Result<_> {
            if let Some(Learned { model, .. }) = learned {
                return lent.go_on(model, passes, *max_memory, &mut onlooker).map(|()| None);
            }
            let Some(fresh) = fresh else { return Err(onlinear::Error::usage("the model has not learned yet")) };
            let mut model = lent.model(fresh, Classes::of(texts)?, *max_memory)?;
            lent.go_on(&mut model, passes, *max_memory, &mut onlooker).map(|()| Some(model))
        };
        match py.detach(&mut run) {
            Ok(None) => {}
            Ok(Some(model)) => self.learned = Some(Learned::new(model, &self.texts)?),
            Err(error) => return Err(onlooker.raised(error)),
        }
        onlooker.finish(&self.learned()?.model);
        let told = PyDict::new(py);
        told.set_item("trace", onlooker.trace(py)?)?;
        Ok(told)
    }

    /// Keeps what was learned, and tells of it.
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
        fresh: &Recipe,
        done: onlinear::Result<(RunResult, Option<Certificate>)>,
        mut onlooker: Onlooker,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (outcome, certificate) = match done {
            Ok(done) => done,
            Err(error) => return Err(onlooker.raised(error)),
        };
        onlooker.finish(&outcome.model);
        let told = PyDict::new(py);
        told.set_item("trace", onlooker.trace(py)?)?;
        // With a constant in front, normalized rows cannot come nearer to length 1.
        let is_vain = |warning: &Message| {
            let asks = warning.advises(Cure::NormalizeL2) || warning.advises(Cure::NormalizeLp);
            asks && fresh.stages.iter().any(|stage| stage.kind().slot == Slot::Normalize)
        };
        let warnings = outcome.warnings.iter().filter(|warning| !is_vain(warning));
        told.set_item("warnings", warnings.map(|warning| warning.worded(&Keywords)).collect::<Vec<String>>())?;
        told.set_item("certificate", certificate.map(|certificate| shown(py, &certificate)).transpose()?)?;
        if self.texts.is_empty() {
            self.texts = outcome.model.classes.names().to_vec();
        }
        (self.features, self.stream) = (outcome.model.features, None);
        self.learned = Some(Learned::new(outcome.model, &self.texts)?);
        Ok(told)
    }

    /// What a reader needs to give rows as the model knows them.
    pub fn knowledge(&self) -> PyResult<Knowledge> {
        let model = &self.learned()?.model;
        Ok((model.vocabulary.clone().frozen(), model.csv.clone(), model.features, model.encoding))
    }

    fn learned(&self) -> PyResult<&Learned> {
        self.learned.as_ref().ok_or_else(|| PyRuntimeError::new_err("the model has not learned yet"))
    }

    fn learned_mut(&mut self) -> PyResult<&mut Learned> {
        self.learned.as_mut().ok_or_else(|| PyRuntimeError::new_err("the model has not learned yet"))
    }
}

/// One model of several, given as model files, which went on from `base`.
#[pyfunction]
#[pyo3(signature = (models, weights=None, base=None, mean="all", *, max_memory))]
pub fn merge(
    py: Python<'_>,
    models: Vec<PyBackedBytes>,
    weights: Option<Vec<f64>>,
    base: Option<PyBackedBytes>,
    mean: &str,
    max_memory: u64,
) -> PyResult<Model> {
    let mean = mean.parse().map_err(raised)?;
    let read = |bytes: &PyBackedBytes| onlinear::Model::from_bytes(bytes);
    let run = || {
        let base = base.as_ref().map(read).transpose()?;
        let models = models.iter().map(read).collect::<onlinear::Result<_>>()?;
        onlinear::Model::merge_by(mean, models, weights.as_deref(), base)
    };
    Model::loaded(py.detach(run).map_err(raised)?, max_memory)
}

/// The model file of a fresh model of the kind of this one: what parts that start afresh go on from.
#[pyfunction]
pub fn untaught<'py>(py: Python<'py>, file: PyBackedBytes) -> PyResult<Bound<'py, PyBytes>> {
    let fresh = || onlinear::Model::from_bytes(&file)?.untaught().to_bytes();
    Ok(PyBytes::new(py, &py.detach(fresh).map_err(raised)?))
}

/// A spec in canonical form: all keys, fixed order.
#[pyfunction]
pub fn canonical_spec(text: &str) -> PyResult<String> {
    Ok(text.parse::<onlinear::Spec>().map_err(raised)?.to_string())
}
