//! The one class: a learner with its classes and stages, fresh or learned.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use onlinear::workshop::{Cure, Fact, LabelId, MOST_PASSES, Practice, Risk, Scratch, Slot, StageChoices, Vocabulary};
use onlinear::{
    Asking, Baseline, BorrowedRows, Certificate, ClassWeights, Classes, ColumnOptions, Encoding, Keep, LabelChoice,
    Leaves, Message, Passes, Plan, Recipe, Row, RunResult, ScoreScratch, Spec, StageSpec, Start, TableSchema, Tally,
    certify, learn, predicted_class,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{Keywords, NAME, raised};
use crate::frame::{ColumnWords, Frame, encoded};
use crate::matrix::set_matrix;
use crate::rows::{Gaps, Given, Rows, in_parts};
use crate::watch::Onlooker;

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
}

/// `coef` and `intercept`.
type Linear<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// The weights of classes: `balanced`, or those of some labels.
#[derive(FromPyObject)]
enum Weights {
    Word(String),
    Pairs(Vec<(String, f64)>),
}

/// The features, the columns, how many features there are, and how text is encoded.
type Knowledge = (Vocabulary, Option<TableSchema>, usize, Encoding);

/// What a pickled model is made from.
type Pickled<'py> = (Bound<'py, PyBytes>, Vec<String>, u64);

/// A model that has learned, and how Python numbers its classes.
struct Learned {
    model: onlinear::Model,
    /// For each class of Python's, the model's number of it.
    places: Vec<usize>,
}

/// The rows of a run as [`BorrowedRows`] needs them.
struct Lesson<'a> {
    table: Box<dyn Rows + 'a>,
    labels: Vec<LabelId>,
    weights: Option<Vec<f64>>,
}

impl<'a> Lesson<'a> {
    fn new(
        x: &'a Given<'_>,
        y: &PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        features: usize,
    ) -> PyResult<Lesson<'a>> {
        let table = x.table(features)?;
        in_parts(table.as_ref(), features, Gaps::Refused, |_| Vec::<()>::new()).map_err(PyValueError::new_err)?;
        let labels = y.as_array().iter().map(|&label| LabelId::try_from(label).unwrap_or(LabelId::MAX)).collect();
        let weights = weights.map(|weights| weights.as_array().to_vec());
        Ok(Lesson { table, labels, weights })
    }

    fn lent(&self, features: usize, texts: &[String]) -> onlinear::Result<BorrowedRows<'_>> {
        BorrowedRows::new(NAME, self.table.as_ref(), features, texts, &self.labels, self.weights.as_deref())
    }
}

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
        let spec: Spec = spec.parse().map_err(raised)?;
        let choices = match stages {
            Some(stages) => StageChoices { stages, ..StageChoices::default() },
            None => StageChoices {
                stages: Vec::new(),
                scale: stage_word("scale", Slot::Scale, scale)?,
                normalize: stage_word("normalize", Slot::Normalize, normalize)?,
                map: map.map(String::from),
                bias,
                brought: Vec::new(),
            },
        };
        let class_weights = class_weights.map(|weights| match weights {
            Weights::Word(word) => word.parse(),
            Weights::Pairs(pairs) => {
                let weights = ClassWeights::Given(pairs);
                weights.check().map(|()| weights)
            }
        });
        let class_weights = class_weights.transpose().map_err(raised)?;
        let practice = if is_table { Practice::of_table() } else { Practice::default() };
        let stages = practice.choices(&choices, &spec).resolve(&spec).map_err(raised)?;
        let fresh = Recipe { shuffle, class_weights, calibrate, ..Recipe::of(spec, stages) };
        Ok(Model { fresh: Some(fresh), texts: classes, features, max_memory, learned: None })
    }

    /// Learns from all rows, from nothing; gives the trace and the certificate, where asked for.
    #[pyo3(signature = (x, y, weights=None, *, passes=Some(1), early_stop=false, trace=false, certificate=false))]
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
    ) -> PyResult<Bound<'py, PyDict>> {
        let Some(fresh) = self.fresh.clone() else {
            return Err(PyRuntimeError::new_err("a model that was loaded cannot start anew"));
        };
        let lesson = Lesson::new(&x, &y, weights, self.features)?;
        let mut onlooker = Onlooker::new(trace, certificate);
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
        self.finish(py, &fresh, done, onlooker)
    }

    /// Learns from all rows of a table, from nothing, as the program does from the same table in a file: the columns
    /// `label` and `weight` are told, all others tell what they hold.
    #[pyo3(signature = (
        table, label, weight=None, *, passes=None, early_stop=false, trace=false, certificate=false, columns=None
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
        columns: Option<ColumnWords>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Some(fresh) = self.fresh.clone() else {
            return Err(PyRuntimeError::new_err("a model that was loaded cannot start anew"));
        };
        let columns = match columns {
            Some(words) => words.options(Some(label), weight).map_err(raised)?,
            None => ColumnOptions { label: Some(label), weight, ..ColumnOptions::default() },
        };
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
        let mut onlooker = Onlooker::new(trace, certificate);
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
    #[pyo3(signature = (table, label, weight=None, *, passes=None, trace=false))]
    fn go_on_table<'py>(
        &mut self,
        py: Python<'py>,
        table: PyRef<'py, Frame>,
        label: String,
        weight: Option<String>,
        passes: Option<u64>,
        trace: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let input = table.input(true).map_err(raised)?;
        let mut onlooker = Onlooker::new(trace, false);
        let Model { fresh, texts, max_memory, learned, .. } = self;
        let run = || -> onlinear::Result<_> {
            let known = learned.as_ref().map(|learned| &learned.model);
            let columns = ColumnOptions { label: Some(label), weight, ..ColumnOptions::default() };
            let read = encoded(&input, &Frame::options(known, columns, false))?;
            let mut lent = BorrowedRows::of_reader(&read.rows, &read.about, &read.labels, read.weights.as_deref());
            match (learned, fresh) {
                (Some(Learned { model, .. }), _) => {
                    lent.go_on(model, passes, *max_memory, &mut onlooker).map(|()| None)
                }
                (None, Some(fresh)) => {
                    let mut model = lent.model(fresh, Classes::of(texts)?, *max_memory)?;
                    lent.go_on(&mut model, passes, *max_memory, &mut onlooker).map(|()| Some(model))
                }
                (None, None) => Err(onlinear::Error::usage("the model has not learned yet")),
            }
        };
        match py.detach(run) {
            Ok(None) => {}
            Ok(Some(model)) => self.learned = Some(Learned::new(model, &self.texts)?),
            Err(error) => return Err(onlooker.raised(error)),
        }
        self.features = self.learned()?.model.features;
        let told = PyDict::new(py);
        told.set_item("trace", onlooker.trace(py)?)?;
        Ok(told)
    }

    /// Goes on with further rows, or begins with them: as the next rows of a stream, or in `passes` passes.
    #[pyo3(signature = (x, y, weights=None, *, passes=None, trace=false))]
    fn go_on<'py>(
        &mut self,
        py: Python<'py>,
        x: Given<'py>,
        y: PyReadonlyArray1<'py, i64>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        passes: Option<u64>,
        trace: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let lesson = Lesson::new(&x, &y, weights, self.features)?;
        let mut onlooker = Onlooker::new(trace, false);
        let Model { fresh, texts, features, max_memory, learned } = self;
        let fresh_model = |lent: &BorrowedRows<'_>| match &*fresh {
            Some(fresh) => Classes::of(texts).and_then(|classes| lent.model(fresh, classes, *max_memory)),
            None => Err(onlinear::Error::usage("the model has not learned yet")),
        };
        let run = || -> onlinear::Result<_> {
            let mut lent = lesson.lent(*features, texts)?;
            match learned {
                Some(Learned { model, .. }) => lent.go_on(model, passes, *max_memory, &mut onlooker).map(|()| None),
                None => {
                    let mut model = fresh_model(&lent)?;
                    lent.go_on(&mut model, passes, *max_memory, &mut onlooker).map(|()| Some(model))
                }
            }
        };
        match py.detach(run) {
            Ok(None) => {}
            Ok(Some(model)) => self.learned = Some(Learned::new(model, &self.texts)?),
            Err(error) => return Err(onlooker.raised(error)),
        }
        let told = PyDict::new(py);
        told.set_item("trace", onlooker.trace(py)?)?;
        Ok(told)
    }

    /// Scores: one for each row between two classes, else one for each class.
    fn scores<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        let learned = self.learned()?;
        let table = x.table_for(&learned.model)?;
        let width = learned.model.learner.len();
        let scores = py.detach(|| learned.scores(table.as_ref())).map_err(PyValueError::new_err)?;
        if width == 1 {
            return Ok(PyArray1::from_vec(py, scores).into_any());
        }
        if let [negative, positive] = learned.places[..] {
            let margins = scores.chunks_exact(width).map(|row| row[positive] - row[negative]).collect();
            return Ok(PyArray1::from_vec(py, margins).into_any());
        }
        let ordered: Vec<f64> =
            scores.chunks_exact(width).flat_map(|row| learned.places.iter().map(|&place| row[place])).collect();
        Ok(PyArray1::from_vec(py, ordered).reshape([table.len(), width])?.into_any())
    }

    /// Rows as the learner sees them: `indptr`, `indices`, `data` and `features` of a CSR matrix.
    fn staged<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = &self.learned()?.model;
        let table = x.table_for(model)?;
        in_parts(table.as_ref(), model.features, Gaps::of(model), |_| Vec::<()>::new())
            .map_err(PyValueError::new_err)?;
        let (mut starts, mut indices, mut values) = (vec![0i64], Vec::new(), Vec::new());
        let (mut places, mut numbers, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
        for i in 0..table.len() {
            let x = table.row(i, &mut places, &mut numbers);
            model.stages.apply(x, &mut scratch).for_each(|place, value| {
                indices.push(place as u32);
                values.push(value);
            });
            starts.push(values.len() as i64);
        }
        let arrays = PyDict::new(py);
        set_matrix(&arrays, starts, indices, values, model.stages.features_after(model.features))?;
        Ok(arrays)
    }

    /// The probability of each class for each row, or none where the model keeps no calibration.
    fn probabilities<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let learned = self.learned()?;
        let Some(probabilities) = learned.model.learner.probabilities() else { return Ok(None) };
        let table = x.table_for(&learned.model)?;
        let scores = py.detach(|| learned.scores(table.as_ref())).map_err(PyValueError::new_err)?;
        let rows = scores.chunks_exact(learned.model.learner.len()).map(|scores| probabilities.of(scores));
        let ordered: Vec<f64> =
            rows.flat_map(|row| learned.places.iter().map(|&place| row[place]).collect::<Vec<_>>()).collect();
        Ok(Some(PyArray1::from_vec(py, ordered).reshape([table.len(), learned.places.len()])?))
    }

    /// Which rows' labels the model would ask for, or none where it asks for no labels.
    fn asks<'py>(&mut self, py: Python<'py>, x: Given<'py>) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
        let model = &mut self.learned_mut()?.model;
        let table = x.table_for(model)?;
        let (mut asking, mut indices, mut values) = (Asking::default(), Vec::new(), Vec::new());
        let mut asks = |i| model.would_ask(table.row(i, &mut indices, &mut values), &mut asking);
        let asked: Option<Vec<bool>> = (0..table.len()).map(&mut asks).collect();
        Ok(asked.map(|asked| PyArray1::from_vec(py, asked)))
    }

    /// The class of each row, as Python numbers them.
    fn predict<'py>(&self, py: Python<'py>, x: Given<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let learned = self.learned()?;
        let table = x.table_for(&learned.model)?;
        let width = learned.model.learner.len();
        let mut numbers = vec![0; learned.places.len()];
        learned.places.iter().enumerate().for_each(|(number, &place)| numbers[place] = number as i64);
        let scores = py.detach(|| learned.scores(table.as_ref())).map_err(PyValueError::new_err)?;
        let predicted = scores.chunks_exact(width).filter_map(predicted_class).map(|class| numbers[class]).collect();
        Ok(PyArray1::from_vec(py, predicted))
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
        let learned = self.learned()?;
        let (table, y) = (x.table_for(&learned.model)?, y.as_array());
        let width = learned.model.learner.len();
        let scores = py.detach(|| learned.scores(table.as_ref())).map_err(PyValueError::new_err)?;
        let mut tally = match probabilities {
            Some(_) => Tally::new(learned.places.len()),
            None => Tally::of(&learned.model),
        };
        for (scores, &class) in scores.chunks_exact(width).zip(&y) {
            let predicted = predicted_class(scores).unwrap_or(0); // all are finite
            tally.add(learned.places[class as usize], predicted, scores);
        }
        if let Some(probabilities) = &probabilities {
            let rows = probabilities.as_array();
            y.iter().zip(rows.rows()).for_each(|(&class, row)| tally.add_probability(row[class as usize]));
        }
        let mut metrics = tally.finish();
        let baseline = metrics.baseline(learned.model.counts.largest_class());
        let order = |counts: &Vec<u64>| learned.places.iter().map(|&place| counts[place]).collect();
        metrics.confusion = learned.places.iter().map(|&place| order(&metrics.confusion[place])).collect();
        let told = py.import("json")?.call_method1("loads", (metrics.to_json(&self.texts).to_string(),))?;
        told.set_item("examples", metrics.rows())?;
        told.set_item("errors", metrics.wrong())?;
        told.set_item("error_rate", metrics.error())?;
        told.set_item("baseline", baseline.error)?;
        Ok(told)
    }

    /// `coef` and `intercept` for the features as they come (where rows are normalized: for those), or none.
    fn linear<'py>(&self, py: Python<'py>) -> PyResult<Option<Linear<'py>>> {
        let learned = self.learned()?;
        let bytes = 8 * (2 * learned.learner_places().len() as u64 + 1) * (self.features as u64 + 1);
        if bytes > self.max_memory {
            let need = format!("weights for {} features need {} MB", self.features, bytes / 1_000_000);
            return Err(raised(onlinear::Error::Memory(Message::beyond_memory(need))));
        }
        let mut linear = Vec::new();
        for place in learned.learner_places() {
            let leaves = learned.model.learner.leaves_of(place);
            let Some(weights) = leaves.weights() else { return Ok(None) };
            let Some(unstaged) = self.unstaged(&learned.model, &weights) else { return Ok(None) };
            linear.push(unstaged);
        }
        let (coefficients, intercepts): (Vec<Vec<f64>>, Vec<f64>) = linear.into_iter().unzip();
        let shape = [coefficients.len(), self.features];
        let coefficients = PyArray1::from_vec(py, coefficients.concat()).reshape(shape)?;
        Ok(Some((coefficients, PyArray1::from_vec(py, intercepts))))
    }

    /// For each learner the parts of its support vectors, as it sees them but for the constant, and their
    /// coefficients; none if it has none.
    fn support<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
        let learned = self.learned()?;
        let mut all = Vec::new();
        for place in learned.learner_places() {
            let leaves = learned.model.learner.leaves_of(place);
            let Some(parts) = support_of(py, &learned.model, &leaves)? else { return Ok(None) };
            all.push(parts);
        }
        Ok(Some(all))
    }

    /// What is known of the model, by name.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = &self.learned()?.model;
        let onlinear::Model { spec, learner, classes, counts, stages, shuffle, calibrate, margin, .. } = model;
        let about = PyDict::new(py);
        about.set_item("spec", spec.to_string())?;
        about.set_item("form", learner.form())?;
        about.set_item("features", self.features)?;
        about.set_item("classes", classes.names())?;
        about.set_item("names", feature_names(&model.vocabulary))?;
        let columns =
            model.csv.as_ref().map(|csv| csv.columns().map(|(name, kind)| (name, kind.to_string())).collect());
        about.set_item::<_, Option<Vec<(&str, String)>>>("columns", columns)?;
        about.set_item("support", learner.support())?;
        let facts = learner.facts();
        about.set_item("matrix_updates", facts.matrix_updates)?;
        about.set_item("rows", counts.rows)?;
        about.set_item("multiclass_mistakes", counts.multiclass_mistakes)?;
        let trials = counts.total().trials;
        about.set_item("error_rate", (trials > 0).then(|| model.wrong_trials() as f64 / trials as f64))?;
        about.set_item("baseline", Baseline::of(&counts.classes).map(|baseline| baseline.error))?;
        about.set_item("class_weights", model.class_weights.clone())?;
        let passes: Vec<(u64, u64, u64)> = counts.passes.iter().map(|p| (p.trials, p.mistakes, p.updates)).collect();
        about.set_item("passes", passes)?;
        about.set_item("stages", stages.specs().map(StageSpec::to_string).collect::<Vec<_>>())?;
        about.set_item("bias", stages.in_slot(Slot::Bias).map(|stage| stage.settings().number("value")))?;
        about.set_item("normalize", stages.in_slot(Slot::Normalize).map(|stage| stage.kind().name))?;
        about.set_item("map", stages.in_slot(Slot::Map).map(StageSpec::to_string))?;
        about.set_item("landmarks", stages.landmarks())?;
        about.set_item("scale", stages.in_slot(Slot::Scale).map(|stage| stage.kind().name))?;
        about.set_item("shuffle", *shuffle)?;
        about.set_item("calibrate", *calibrate)?;
        let sigmoids = learner.probabilities().map(|probabilities| {
            let calibrations = probabilities.calibrations();
            calibrations.iter().map(|found| (found.slope, found.intercept, found.pairs)).collect::<Vec<_>>()
        });
        about.set_item("calibration", sigmoids)?;
        about.set_item("margin", *margin)?;
        for (name, fact) in facts.further {
            match fact {
                Fact::Number(number) => about.set_item(name, number)?,
                Fact::Text(text) => about.set_item(name, text)?,
            }
        }
        Ok(about)
    }

    /// The model file as bytes.
    #[pyo3(name = "to_bytes")]
    fn file<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = &mut self.learned_mut()?.model;
        let bytes = py.detach(|| model.to_bytes()).map_err(raised)?;
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
        if let Some(learned) = &mut self.learned {
            learned.places = places(&learned.model, &texts)?;
        }
        self.texts = texts;
        Ok(())
    }
}

impl Model {
    fn loaded(model: onlinear::Model, max_memory: u64) -> PyResult<Model> {
        let (texts, features) = (model.classes.names().to_vec(), model.features);
        let places = (0..texts.len()).collect();
        Ok(Model { fresh: None, texts, features, max_memory, learned: Some(Learned { model, places }) })
    }

    /// Keeps what was learned, and tells of it.
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
        fresh: &Recipe,
        done: onlinear::Result<(RunResult, Option<Certificate>)>,
        onlooker: Onlooker,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (outcome, certificate) = match done {
            Ok(done) => done,
            Err(error) => return Err(onlooker.raised(error)),
        };
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
        self.features = outcome.model.features;
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

    /// Weights for rows as they come out of those for staged rows, with the constant part; none through a map.
    fn unstaged(&self, model: &onlinear::Model, weights: &[f64]) -> Option<(Vec<f64>, f64)> {
        let mut coefficients = weights.to_vec();
        coefficients.resize(model.stages.features_after(self.features), 0.0);
        let intercept = model.stages.pull_back(&mut coefficients)?;
        coefficients.resize(self.features, 0.0);
        Some((coefficients, intercept))
    }
}

impl Learned {
    fn new(model: onlinear::Model, texts: &[String]) -> PyResult<Learned> {
        Ok(Learned { places: places(&model, texts)?, model })
    }

    /// The learners in Python's order of classes: one alone for two.
    fn learner_places(&self) -> Vec<usize> {
        if self.model.learner.is_alone() { vec![0] } else { self.places.clone() }
    }

    /// The scores of all rows, in the model's order of classes, or what is wrong with a row.
    fn scores(&self, table: &dyn Rows) -> Result<Vec<f64>, String> {
        let part = |rows| self.model.scores_of(table, rows, &mut ScoreScratch::default());
        let scores = in_parts(table, self.model.features, Gaps::of(&self.model), part)?;
        match scores.iter().position(|score| !score.is_finite()) {
            Some(i) => {
                let (row, score) = (i / self.model.learner.len(), scores[i]);
                Err(format!("row {row} of {NAME}: the score is {score}: the numbers are too large; scale the rows"))
            }
            None => Ok(scores),
        }
    }
}

/// The parts of a model's support vectors, as it sees them but for the constant, and their coefficients.
fn support_of<'py>(
    py: Python<'py>,
    model: &onlinear::Model,
    leaves: &Leaves<'_>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some((set, coefficients)) = leaves.support() else { return Ok(None) };
    let shift = model.stages.constants();
    let (mut starts, mut indices, mut values) = (vec![0i64], Vec::new(), Vec::new());
    for place in 0..set.len() {
        let row: Row<'_> = set.row(place);
        row.for_each(|i, value| {
            if i >= shift && value != 0.0 {
                indices.push((i - shift) as i64);
                values.push(value);
            }
        });
        starts.push(values.len() as i64);
    }
    let parts = PyDict::new(py);
    parts.set_item("indptr", PyArray1::from_vec(py, starts))?;
    parts.set_item("indices", PyArray1::from_vec(py, indices))?;
    parts.set_item("data", PyArray1::from_vec(py, values))?;
    parts.set_item("coefficients", coefficients.map(|coefficients| PyArray1::from_slice(py, coefficients)))?;
    Ok(Some(parts))
}

/// So many passes, or as many as rows held out find best, at most so many.
fn passes_of(fresh: &Recipe, passes: Option<u64>, early_stop: bool) -> Passes {
    match passes {
        _ if fresh.spec.is_batch() => Passes::Exactly(1),
        Some(passes) if !early_stop => Passes::Exactly(passes),
        most => Passes::EarlyStop(most.unwrap_or(MOST_PASSES)),
    }
}

/// The names of the features, where they have names.
pub fn feature_names(vocabulary: &Vocabulary) -> Option<Vec<String>> {
    let names = vocabulary.names()?;
    Some(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The word of a shorthand for a stage, or none where it is left to the learner and the rows.
fn stage_word(keyword: &str, slot: Slot, given: Option<&str>) -> PyResult<Option<String>> {
    let mut words = StageChoices::words(slot).filter(|word| *word != "none");
    match given {
        None => Ok(Some("none".to_string())),
        Some("auto") => Ok(None),
        Some(given) if words.any(|word| word == given) => Ok(Some(given.to_string())),
        Some(given) => {
            let mut known: Vec<String> = vec!["None".to_string(), "'auto'".to_string()];
            known.extend(StageChoices::words(slot).skip(1).map(|word| format!("'{word}'")));
            let last = known.pop().unwrap_or_default();
            let known = known.join(", ");
            Err(PyValueError::new_err(format!("{keyword} must be {known} or {last}, not {given:?}")))
        }
    }
}

/// For each label the model's number of its class.
fn places(model: &onlinear::Model, texts: &[String]) -> PyResult<Vec<usize>> {
    let places: Vec<usize> = texts.iter().filter_map(|text| model.classes.class_of(text)).collect();
    let mut sorted = places.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..model.classes.len()) || texts.len() != places.len() {
        return Err(PyValueError::new_err("the labels are not those of the model's classes"));
    }
    Ok(places)
}

/// The certificate's statements by name, with the comparators' weights as arrays.
fn shown<'py>(py: Python<'py>, certificate: &Certificate) -> PyResult<Bound<'py, PyAny>> {
    let told = py.import("json")?.call_method1("loads", (certificate.to_json(&Keywords).to_string(),))?;
    let hindsight = certificate.hindsight.as_ref().and_then(|found| found.weights.as_deref());
    for (name, weights) in [
        ("before", certificate.before.weights.as_deref()),
        ("hindsight", hindsight),
        ("self_check", certificate.self_check.weights.as_deref()),
    ] {
        if let Some(weights) = weights {
            told.get_item(name)?.set_item("weights", PyArray1::from_slice(py, weights))?;
        }
    }
    Ok(told)
}

/// One model of several, given as model files, which went on from `base`.
#[pyfunction]
#[pyo3(signature = (models, weights=None, base=None, *, max_memory))]
pub fn merge(
    py: Python<'_>,
    models: Vec<PyBackedBytes>,
    weights: Option<Vec<f64>>,
    base: Option<PyBackedBytes>,
    max_memory: u64,
) -> PyResult<Model> {
    let read = |bytes: &PyBackedBytes| onlinear::Model::from_bytes(bytes);
    let run = || {
        let base = base.as_ref().map(read).transpose()?;
        onlinear::Model::merge(models.iter().map(read).collect::<onlinear::Result<_>>()?, weights.as_deref(), base)
    };
    Model::loaded(py.detach(run).map_err(raised)?, max_memory)
}

/// Refuses a learner for so many classes of which several models cannot become one.
#[pyfunction]
pub fn require_mergeable(spec: &str, classes: usize) -> PyResult<()> {
    spec.parse::<Spec>().and_then(|spec| spec.require_mergeable(classes)).map_err(raised)
}

/// A spec in canonical form: all keys, fixed order.
#[pyfunction]
pub fn canonical_spec(text: &str) -> PyResult<String> {
    Ok(text.parse::<onlinear::Spec>().map_err(raised)?.to_string())
}
