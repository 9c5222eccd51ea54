//! Rows held in memory, for many runs on parts of them.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::certify::{certify_rows, unfit};
use super::early_stop::best_passes;
use super::new_model::model_for;
use super::passes::{Passes, Passing, learn_from};
use super::plan::RunResult;
use super::progressive::{Watch, refused_label};
use super::recipe::Recipe;
use super::source::Source;
use super::test::{Errors, margins_of_rows, score_rows};
use crate::certificate::{Certificate, ChargedTrials, Log, Risk, RunRecord};
use crate::data::{
    About, Classes, Classifier, Dataset, Entry, Glance, Input, Keep, LabelChoice, LabelsWanted, Order, ReadOptions,
};
use crate::error::{Error, Result};
use crate::learner::Label;
use crate::metrics::{Metrics, Tally};
use crate::model::Model;
use crate::space::{Row, Scratch};

/// Rows held in memory with their classes, for repeated runs on parts of them. Threads can share it.
pub struct RowsInMemory {
    data: Dataset,
    classes: Classes,
    /// The class of each row by number.
    numbers: Vec<u32>,
    features: usize,
}

/// A run on some of the rows held.
pub struct Run<'a> {
    /// The learner, and what happens to its rows. Scaling is told from the rows of this run alone.
    pub fresh: &'a Recipe,
    /// The first pass meets these, in this order. A batch learner meets them all at once.
    pub rows: &'a [usize],
    /// How often the rows are passed over; further passes are shuffled anew if `fresh.shuffle` is given, else in
    /// the same order. A batch learner makes no passes.
    pub passes: Passes,
    /// The memory that weights, matrices and staged rows may take, in bytes.
    pub max_memory: u64,
    /// Where a batch learner is tested on the way.
    pub checkpoints: Option<TestPoints<'a>>,
}

/// After which epochs a batch learner is tested, and on which rows.
#[derive(Clone, Copy)]
pub struct TestPoints<'a> {
    /// The epochs.
    pub epochs: &'a [u64],
    /// The rows held that are tested on …
    pub held: &'a RowsInMemory,
    /// … these of them.
    pub rows: &'a [usize],
}

impl Run<'_> {
    /// The order in which the passes meet the rows.
    fn order(&self) -> Result<Order> {
        match self.fresh.shuffle {
            Some(seed) => Order::shuffled_after_first(self.rows.len(), seed),
            None => Ok(Order::file(self.rows.len())),
        }
    }
}

impl RowsInMemory {
    /// Reads all rows and checks their labels.
    pub fn load(
        input: &Input,
        read: &ReadOptions,
        labels: &LabelChoice,
        keep: &Keep,
        watch: &mut dyn Watch,
    ) -> Result<RowsInMemory> {
        let read = &ReadOptions { labels: LabelsWanted::by(labels, &input.name())?, ..read.clone() };
        let (mut data, bad) = Dataset::load(input, read, keep, |meter| watch.reading(meter))?;
        bad.iter().for_each(|error| watch.bad_row(error));
        data.hold(keep.max_memory)?;
        let about = data.about().clone();
        let classes = Classes::decide(&about.labels, labels, &about.file)?;
        let mut classifier = Classifier::new(classes.clone());
        let (mut numbers, mut scratch) = (Vec::with_capacity(data.len()), Scratch::default());
        for i in 0..data.len() {
            let entry = data.entry(i, None, &mut scratch)?;
            match classifier.class_of(entry.label, &about.labels) {
                Some(class) => numbers.push(class as u32),
                None => return Err(refused_label(&about, &entry, &classes)),
            }
        }
        let features = read.features.unwrap_or(about.features);
        Ok(RowsInMemory { data, classes, numbers, features })
    }

    /// What tells these rows, their classes and weights from any others.
    pub fn checksum(&self) -> u128 {
        let mut hash = Xxh3::new();
        self.classes.names().iter().for_each(|name| hash.update(format!("{name:?}").as_bytes()));
        let mut scratch = Scratch::default();
        for i in 0..self.len() {
            let Some(entry) = self.data.entry_held(i, None, &mut scratch) else { continue };
            hash.update(&self.numbers[i].to_le_bytes());
            hash.update(&entry.weight.to_le_bytes());
            entry.x.for_each(|place, value| {
                hash.update(&(place as u64).to_le_bytes());
                hash.update(&value.to_le_bytes());
            });
        }
        hash.digest128()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// What the labels mean.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// What the reader found out.
    pub fn about(&self) -> &About {
        self.data.about()
    }

    /// The class of row `i` by number (0, 1 for two classes: negative, positive), for stratifying.
    pub fn class(&self, i: usize) -> usize {
        self.numbers[i] as usize
    }

    /// Row `i` as it was read; `None` if there is none.
    pub fn row<'a>(&'a self, i: usize, scratch: &'a mut Scratch) -> Option<Row<'a>> {
        (i < self.len()).then(|| self.data.entry_held(i, None, scratch)).flatten().map(|entry| entry.x)
    }

    /// Learns from some rows.
    pub fn learn(&self, run: &Run<'_>, watch: &mut dyn Watch) -> Result<RunResult> {
        let Run { fresh, rows, passes, max_memory, checkpoints } = *run;
        let mut part = self.part(rows)?;
        let mut tested = checkpoints.map(|points| points.held.part(points.rows)).transpose()?;
        let epochs = checkpoints.map_or(&[][..], |points| points.epochs);
        let tests = tested.as_mut().map(|part| (epochs, part as &mut dyn Source));
        let passing = Passing { order: run.order()?, passes, resumes_pass: false, max_memory };
        learn_from(&mut part, self.classes.clone(), self.features, fresh, passing, tests, watch)
    }

    /// How often such a run passes over its rows, where rows held out of them are to decide.
    pub fn passes(&self, run: &Run<'_>, watch: &mut dyn Watch) -> Result<u64> {
        let Passes::EarlyStop(most) = run.passes else { return Ok(1) };
        best_passes(&mut self.part(run.rows)?, &self.classes, self.features, run.fresh, most, run.max_memory, watch)
    }

    /// The certificate of such a run, which had the trials of `log`.
    pub fn certify(
        &self,
        run: &Run<'_>,
        outcome: &RunResult,
        log: &Log,
        confidence: f64,
        watch: &mut dyn Watch,
    ) -> Result<Certificate> {
        match unfit(&outcome.model, log, confidence) {
            Some(certificate) => Ok(certificate),
            None => certify_rows(outcome, log, confidence, &mut self.part(run.rows)?, run.order()?, watch),
        }
    }

    /// All rows as the stages of `fresh` make them, for bounds before any run.
    pub fn record(&self, fresh: &Recipe, max_memory: u64) -> Result<RunRecord> {
        let all: Vec<usize> = (0..self.len()).collect();
        let mut data = self.part(&all)?;
        let model = model_for(fresh, self.classes.clone(), &mut data, self.features, max_memory)?;
        let (mut held, mut staged, mut rows) = (Scratch::default(), Scratch::default(), ChargedTrials::default());
        for (i, &class) in self.numbers.iter().enumerate() {
            let x = model.stages.apply(data.entry(i, None, &mut held)?.x, &mut staged);
            rows.add(i as u64, x, Label::of_class(class as usize), false);
        }
        Ok(RunRecord {
            spec: fresh.spec.clone(),
            features: model.stages.features_after(model.features),
            trials: ChargedTrials::default(),
            rows,
            weights: None,
            correlations: None,
            gains: 0.0,
            risk: Risk::without(0, 0, 0.0, "there was no run"),
            leave_one_out: None,
        })
    }

    /// What a model gets wrong of some rows.
    pub fn test(&self, model: &Model, rows: &[usize]) -> Result<Errors> {
        Ok(margins_of_rows(model, &mut self.part(rows)?)?.errors)
    }

    /// All figures of a model on some rows.
    pub fn metrics(&self, model: &Model, rows: &[usize]) -> Result<Metrics> {
        let mut tally = Tally::of(model);
        score_rows(model, &mut self.part(rows)?, |row| row.count(&mut tally))?;
        Ok(tally.finish())
    }

    fn part<'a>(&'a self, rows: &'a [usize]) -> Result<Part<'a>> {
        match rows.iter().find(|&&i| i >= self.len()) {
            Some(i) => Err(Error::data(&self.about().file, format!("there is no row {i}; it has {}", self.len()))),
            None => Ok(Part { held: self, rows }),
        }
    }
}

/// Some of the rows held.
struct Part<'a> {
    held: &'a RowsInMemory,
    rows: &'a [usize],
}

impl Source for Part<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn about(&self) -> &Arc<About> {
        self.held.data.about()
    }

    fn entry<'a>(&'a mut self, k: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>> {
        let entry = self.held.data.entry_held(self.rows[k], constant, scratch);
        entry.ok_or_else(|| Error::data(&self.held.about().file, "its rows are not in memory"))
    }

    fn glance(&self, k: usize, constant: Option<f64>, w: &[f64]) -> Option<Glance> {
        self.held.data.glance_at(self.rows[k], constant, w)
    }

    fn are_whole(&self) -> bool {
        self.held.data.are_whole()
    }

    fn id(&self, k: usize) -> u64 {
        self.rows[k] as u64
    }
}
