//! A model that has learned, with its classes as Python numbers them.

use std::ops::Range;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use onlinear::workshop::{Asking, Tally};
use onlinear::{ScoreScratch, predicted_class};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::NAME;
use crate::rows::{Gaps, Given, PART, Rows, SMALL_PART, check_all, in_parts};

/// A model that has learned, and how Python numbers its classes.
pub struct Learned {
    pub model: onlinear::Model,
    /// For each class of Python's, the model's number of it.
    pub places: Vec<usize>,
}

impl Learned {
    /// A model whose labels are these, in Python's order.
    pub fn new(model: onlinear::Model, texts: &[String]) -> PyResult<Learned> {
        let places: Vec<usize> = texts.iter().filter_map(|text| model.classes.class_of(text)).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..model.classes.len()) || texts.len() != places.len() {
            return Err(PyValueError::new_err("the labels are not those of the model's classes"));
        }
        Ok(Learned { model, places })
    }

    /// The learners in Python's order of classes: one alone for two.
    pub fn learner_places(&self) -> Vec<usize> {
        if self.model.learner.is_alone() { vec![0] } else { self.places.clone() }
    }

    /// The scores of all rows, in the model's order of classes, and how many each has.
    fn scores(&self, py: Python<'_>, x: &Given<'_>) -> PyResult<(Vec<f64>, usize)> {
        let table = x.table_for(&self.model)?;
        let scores = py.detach(|| self.scores_of(table.as_ref())).map_err(PyValueError::new_err)?;
        Ok((scores, self.model.learner.len()))
    }

    fn scores_of(&self, table: &dyn Rows) -> Result<Vec<f64>, String> {
        let scores = self.of_scores(table, |scores| scores)?;
        match scores.iter().position(|score| !score.is_finite()) {
            Some(i) => {
                let (row, score) = (i / self.model.learner.len(), scores[i]);
                Err(format!("row {row} of {NAME}: the score is {score}: the numbers are too large; scale the rows"))
            }
            None => Ok(scores),
        }
    }

    /// What `work` makes of the scores of all rows, which it gets some rows at a time.
    fn of_scores<T: Copy + Send>(
        &self,
        table: &dyn Rows,
        work: impl Fn(Vec<f64>) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, String> {
        let size = if self.model.learner.len() == 1 { PART } else { SMALL_PART };
        let part = |rows: Range<usize>| {
            let (mut all, mut scratch) = (Vec::with_capacity(rows.len()), ScoreScratch::default());
            for first in rows.clone().step_by(size) {
                let few = first..rows.end.min(first + size);
                all.append(&mut work(self.model.scores_of(table, few, &mut scratch)));
            }
            all
        };
        in_parts(table, Gaps::of(&self.model), PART, part)
    }

    /// Scores: one for each row between two classes, else one for each class.
    pub fn decisions<'py>(&self, py: Python<'py>, x: &Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (scores, width) = self.scores(py, x)?;
        if width == 1 {
            return Ok(PyArray1::from_vec(py, scores).into_any());
        }
        let rows = scores.chunks_exact(width);
        if let [negative, positive] = self.places[..] {
            let margins = rows.map(|row| row[positive] - row[negative]).collect();
            return Ok(PyArray1::from_vec(py, margins).into_any());
        }
        let shape = [rows.len(), width];
        let ordered: Vec<f64> = rows.flat_map(|row| self.places.iter().map(|&place| row[place])).collect();
        Ok(PyArray1::from_vec(py, ordered).reshape(shape)?.into_any())
    }

    /// The class of each row, as Python numbers them.
    pub fn classes<'py>(&self, py: Python<'py>, x: &Given<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        const NONE: i64 = -1;
        let mut numbers = vec![0; self.places.len()];
        self.places.iter().enumerate().for_each(|(number, &place)| numbers[place] = number as i64);
        let (table, width) = (x.table_for(&self.model)?, self.model.learner.len());
        let class = |scores: &[f64]| predicted_class(scores).map_or(NONE, |class| numbers[class]);
        let predict = || -> Result<Vec<i64>, String> {
            let predicted = self.of_scores(table.as_ref(), |scores| scores.chunks_exact(width).map(class).collect())?;
            if predicted.contains(&NONE) {
                self.scores_of(table.as_ref())?; // which says of what row
            }
            Ok(predicted)
        };
        Ok(PyArray1::from_vec(py, py.detach(predict).map_err(PyValueError::new_err)?))
    }

    /// The probability of each class for each row, or none where the model keeps no calibration.
    pub fn probabilities<'py>(&self, py: Python<'py>, x: &Given<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(probabilities) = self.model.learner.probabilities() else { return Ok(None) };
        let (scores, width) = self.scores(py, x)?;
        let rows = scores.chunks_exact(width);
        let shape = [rows.len(), self.places.len()];
        let of_row = |scores| {
            let row = probabilities.of(scores);
            self.places.iter().map(|&place| row[place]).collect::<Vec<_>>()
        };
        Ok(Some(PyArray1::from_vec(py, rows.flat_map(of_row).collect()).reshape(shape)?))
    }

    /// Which rows' labels the model would ask for, or none where it asks for no labels.
    pub fn asks<'py>(&mut self, py: Python<'py>, x: &Given<'py>) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
        let model = &mut self.model;
        let table = x.table_for(model)?;
        check_all(table.as_ref(), Gaps::of(model)).map_err(PyValueError::new_err)?;
        let (mut asking, mut indices, mut values) = (Asking::default(), Vec::new(), Vec::new());
        let mut asks = |i| model.would_ask(table.row(i, None, &mut indices, &mut values), &mut asking);
        let asked: Option<Vec<bool>> = (0..table.len()).map(&mut asks).collect();
        Ok(asked.map(|asked| PyArray1::from_vec(py, asked)))
    }

    /// The figures of the model on rows of these classes, by name; `probabilities` has one for each class of each row,
    /// as Python numbers them.
    pub fn metrics<'py>(
        &self,
        py: Python<'py>,
        x: &Given<'py>,
        classes: &[i64],
        probabilities: Option<&[f64]>,
        texts: &[String],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (scores, width) = self.scores(py, x)?;
        let mut tally = match probabilities {
            Some(_) => Tally::new(self.places.len()),
            None => Tally::of(&self.model),
        };
        for (scores, &class) in scores.chunks_exact(width).zip(classes) {
            let predicted = predicted_class(scores).unwrap_or(0); // all are finite
            tally.add(self.places[class as usize], predicted, scores);
        }
        if let Some(probabilities) = probabilities {
            let rows = probabilities.chunks_exact(self.places.len());
            classes.iter().zip(rows).for_each(|(&class, row)| tally.add_probability(row[class as usize]));
        }
        let mut metrics = tally.finish();
        let baseline = metrics.baseline(self.model.counts.largest_class());
        let order = |counts: &Vec<u64>| self.places.iter().map(|&place| counts[place]).collect();
        metrics.confusion = self.places.iter().map(|&place| order(&metrics.confusion[place])).collect();
        let told = py.import("json")?.call_method1("loads", (metrics.to_json(texts).to_string(),))?;
        told.set_item("examples", metrics.rows())?;
        told.set_item("errors", metrics.wrong())?;
        told.set_item("error_rate", metrics.error())?;
        told.set_item("baseline", baseline.error)?;
        Ok(told)
    }
}
