//! Learning from rows that are in the caller's memory already, whatever their layout.

use std::sync::Arc;

use super::certify::{certify_rows, unfit};
use super::new_model::blank_model;
use super::passes::{Passes, Passing, learn_from, pass_over};
use super::plan::RunResult;
use super::progressive::{Seconds, Watch};
use super::recipe::Recipe;
use super::source::Source;
use crate::certificate::{Certificate, Log};
use crate::data::{
    About, Classes, Encoding, Entry, Glance, LabelId, LabelTable, NO_LABEL, Order, Table, UnseenFeatures, Vocabulary,
};
use crate::error::{Error, Result};
use crate::learner::Expected;
use crate::model::Model;
use crate::space::{Rows, Scratch};

/// Rows lent for learning, with their labels and weights.
pub struct BorrowedRows<'a> {
    table: &'a dyn Table,
    labels: &'a [LabelId],
    weights: Option<&'a [f64]>,
    about: Arc<About>,
    /// The id of the first row, counted from those of the model's pass.
    first: u64,
}

impl<'a> BorrowedRows<'a> {
    /// Rows of `features` features. `labels` has for each the place of its label in `texts`; without
    /// `weights` all have weight 1. `name` is what messages call the rows.
    pub fn new(
        name: &str,
        table: &'a dyn Table,
        features: usize,
        texts: &[String],
        labels: &'a [LabelId],
        weights: Option<&'a [f64]>,
    ) -> Result<BorrowedRows<'a>> {
        let mut known = LabelTable::default();
        for (place, text) in texts.iter().enumerate() {
            if known.id(text.as_bytes()).ok() != Some(place as LabelId) {
                return Err(Error::data(name, format!("label '{text}' is there twice, or one too many to be a class")));
            }
        }
        let about = About {
            file: name.into(),
            labels: known,
            vocabulary: Vocabulary::INDEXED,
            features,
            csv: None,
            columns: Vec::new(),
            encoding: Encoding::default(),
            unseen: UnseenFeatures::default(),
            late: Vec::new(),
        };
        BorrowedRows::known(table, about.into(), labels, weights)
    }

    /// Rows of which that much is known `about` them, by a reader or of rows before: their labels are numbered as
    /// there.
    pub fn known(
        table: &'a dyn Table,
        about: Arc<About>,
        labels: &'a [LabelId],
        weights: Option<&'a [f64]>,
    ) -> Result<BorrowedRows<'a>> {
        let refuse = |message: String| Err(Error::data(&about.file, message));
        let (rows, texts) = (table.len(), about.labels.len());
        if labels.len() != rows || weights.is_some_and(|weights| weights.len() != rows) {
            return refuse(format!(
                "there must be a label, and a weight if there are any, for each of the {rows} rows"
            ));
        }
        if labels.iter().any(|&label| label as usize >= texts && label != NO_LABEL) {
            return refuse(format!("a row has a label beyond the {texts} that there are"));
        }
        if weights.is_some_and(|weights| weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0)) {
            return refuse("sample weights must be finite numbers >= 0".to_string());
        }
        Ok(BorrowedRows { table, labels, weights, about, first: 0 })
    }

    /// What is known about the rows, which may hold for others too.
    pub fn about(&self) -> &Arc<About> {
        &self.about
    }

    /// Learns from all rows, starting from nothing.
    pub fn learn(
        &mut self,
        fresh: &Recipe,
        classes: Classes,
        passes: Passes,
        max_memory: u64,
        watch: &mut dyn Watch,
    ) -> Result<RunResult> {
        let passing = Passing { order: self.order(fresh.shuffle)?, passes, resumes_pass: false, max_memory };
        let features = self.about.features;
        learn_from(self, classes, features, fresh, passing, None, watch)
    }

    /// A model for a stream of such rows, which has met none of them: how many are to come is not known.
    pub fn model(&self, fresh: &Recipe, classes: Classes, max_memory: u64) -> Result<Model> {
        let known = Expected { features: Some(self.about.features), rows: None, max_memory: Some(max_memory) };
        let first = |most: usize| {
            let (mut rows, mut scratch) = (Rows::default(), Scratch::default());
            for k in 0..self.table.len().min(most) {
                rows.push_row(self.table.row(k, None, &mut scratch.indices, &mut scratch.values));
            }
            rows
        };
        let fresh = fresh.filling(&self.about, true)?;
        let mut model = blank_model(&fresh, classes, &self.about.file, known, first)?;
        model.take_over(&self.about);
        Ok(model)
    }

    /// Goes on learning. The rows are others than those that the model has met: without `passes` they are the
    /// next of the pass that it is in, else so many passes over them follow.
    pub fn go_on(
        &mut self,
        model: &mut Model,
        passes: Option<u64>,
        max_memory: u64,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        if self.about.csv.is_some() {
            model.take_over(&self.about); // a table may have new words
        } else if model.features != self.about.features {
            let message = format!("has {} features, but the model knows {}", self.about.features, model.features);
            return Err(Error::data(&self.about.file, message));
        }
        model.require_countable()?;
        let shuffle = model.shuffle.filter(|_| passes.is_some());
        let order = self.order(shuffle)?;
        let resumes_pass = passes.is_none() && !model.counts.passes.is_empty();
        let of_pass = model.counts.passes.last().filter(|_| resumes_pass).map_or(0, |pass| pass.trials);
        self.first = model.counts.total().trials - of_pass; // no id was ever beyond the trials
        let passing = Passing { order, passes: Passes::Exactly(passes.unwrap_or(1)), resumes_pass, max_memory };
        pass_over(model, self, passing, watch, &mut Seconds::default())?;
        Ok(())
    }

    /// The certificate of a run over all rows, which had the trials of `log`.
    pub fn certify(
        &mut self,
        outcome: &RunResult,
        log: &Log,
        confidence: f64,
        watch: &mut dyn Watch,
    ) -> Result<Certificate> {
        if let Some(certificate) = unfit(&outcome.model, log, confidence) {
            return Ok(certificate);
        }
        let order = self.order(outcome.model.shuffle)?;
        certify_rows(outcome, log, confidence, self, order, watch)
    }

    #[inline]
    fn weight(&self, k: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[k])
    }

    fn order(&self, shuffle: Option<u64>) -> Result<Order> {
        match shuffle {
            Some(seed) => Order::shuffled(self.table.len(), seed),
            None => Ok(Order::file(self.table.len())),
        }
    }
}

impl Source for BorrowedRows<'_> {
    fn len(&self) -> usize {
        self.table.len()
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn entry<'a>(&'a mut self, k: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>> {
        let (label, weight) = (self.labels[k], self.weight(k));
        // Asked for last, it is written where the entry is, and not moved there.
        let x = self.table.row(k, constant, &mut scratch.indices, &mut scratch.values);
        Ok(Entry { x, label, weight, line: k as u64 + 1 })
    }

    fn glance(&self, k: usize, constant: Option<f64>, w: &[f64]) -> Option<Glance> {
        let dot = self.table.dot(k, constant, w)?;
        Some(Glance { label: self.labels[k], weight: self.weight(k), line: k as u64 + 1, dot })
    }

    fn announce(&self, k: usize) {
        self.table.announce(k);
    }

    fn id(&self, k: usize) -> u64 {
        self.first + k as u64
    }
}
