//! A model: a learner with everything needed to use it and to go on learning.
//!
//! This file holds its parts, its trials and its scores; `saving` makes a file of it and reads it back, by `metadata`
//! (its parts as text, read through `object`) and `file` (text and arrays as bytes); `merge` makes one of several.
//! `docs/model-format.md` describes the file.

mod file;
mod merge;
mod metadata;
mod object;
mod saving;

use std::ops::Range;

use crate::data::{Classes, Encoding, Table, TableSchema, Vocabulary};
use crate::ensemble::{ClassRound, Learners, predicted_class};
use crate::error::{Error, Result};
use crate::learner::{Expected, Label, Leaves, Round, Step};
use crate::random::Random;
use crate::space::{Row, Rows, Scratch};
use crate::spec::{AnyLearner, Spec};
use crate::stage::{Passage, Slot, Stages};
use crate::state::{MOST_COUNTED, State};

/// What one pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassCounts {
    /// Trials.
    pub trials: u64,
    /// Trials with y·f(x) ≤ 0; for more than two classes those of every learner.
    pub mistakes: u64,
    /// Trials that changed the hypothesis; for more than two classes those of every learner.
    pub updates: u64,
}

/// What all trials so far did, pass by pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// One entry for each pass.
    pub passes: Vec<PassCounts>,
    /// The rows that a batch learner learned from at once.
    pub rows: u64,
    /// For more than two classes, trials whose largest score was that of a wrong class.
    pub multiclass_mistakes: u64,
    /// Trials (of a batch learner: rows) of each class; empty where they are not known.
    pub classes: Vec<u64>,
}

impl Counts {
    /// Rows of a pass, or of all that a batch learner had.
    pub fn examples(&self) -> u64 {
        self.passes.last().map_or(self.rows, |pass| pass.trials)
    }

    /// All passes together.
    pub fn total(&self) -> PassCounts {
        self.passes.iter().fold(PassCounts::default(), |sum, pass| PassCounts {
            trials: sum.trials + pass.trials,
            mistakes: sum.mistakes + pass.mistakes,
            updates: sum.updates + pass.updates,
        })
    }

    /// One more row of this class; those of a model that does not know them all are not counted.
    #[inline]
    pub(crate) fn count_class(&mut self, class: usize) {
        if let Some(count) = self.classes.get_mut(class) {
            *count += 1;
        }
    }

    /// The class with the most rows, the first of several; `None` where that is not known.
    pub fn largest_class(&self) -> Option<usize> {
        largest(&self.classes)
    }
}

/// The place of the largest count, the first of several; `None` where there is nothing to count.
pub(crate) fn largest(counts: &[u64]) -> Option<usize> {
    let most = counts.iter().max().filter(|&&most| most > 0)?;
    counts.iter().position(|count| count == most)
}

/// Memory that [`Model::scores`] uses again and again.
#[derive(Debug, Default)]
pub struct ScoreScratch {
    staged: Rows,
    passage: Passage,
    scratch: Scratch,
    read: Scratch,
}

/// The draws by which a model would ask for labels, as far as they have got.
#[derive(Debug, Default)]
pub struct Asking {
    randoms: Vec<Option<Random>>,
    scratch: Scratch,
}

/// A learner, its classes, features and stages, and what it has done so far.
pub struct Model {
    /// The learner's name and parameters.
    pub spec: Spec,
    /// The learner itself, or one for each of more than two classes.
    pub learner: Learners,
    /// What the classes are called.
    pub classes: Classes,
    /// How features are known.
    pub vocabulary: Vocabulary,
    /// How many there are.
    pub features: usize,
    /// The columns of the CSV file it learned from, if it was one.
    pub csv: Option<TableSchema>,
    /// How the text that it learned from was encoded.
    pub encoding: Encoding,
    /// What happens to rows before the learner sees them.
    pub stages: Stages,
    /// The seed that rows were shuffled with, if they were.
    pub shuffle: Option<u64>,
    /// How many of the last trials are kept for probabilities, if they are wanted.
    pub calibrate: Option<u64>,
    /// What the rows of each class weigh, besides their sample weights; empty where that is 1.
    pub class_weights: Vec<f64>,
    /// What the trials did.
    pub counts: Counts,
    /// min y·f(x)/‖w‖ over the training rows, where it was computed and is positive.
    pub margin: Option<f64>,
}

impl Model {
    /// A fresh model of `spec` with no stages.
    pub fn new(spec: Spec, classes: Classes) -> Model {
        Model {
            learner: Learners::new(&spec, classes.len()),
            spec,
            counts: Counts { classes: vec![0; classes.len()], ..Counts::default() },
            classes,
            vocabulary: Vocabulary::INDEXED,
            features: 0,
            csv: None,
            encoding: Encoding::default(),
            stages: Stages::default(),
            shuffle: None,
            calibrate: None,
            class_weights: Vec::new(),
            margin: None,
        }
    }

    /// The same, with so many of the last trials kept for probabilities. It must not have learned yet.
    pub(crate) fn calibrated(self, window: Option<u64>) -> Model {
        let Some(window) = window else { return self };
        Model { learner: self.learner.calibrated(window), calibrate: Some(window), ..self }
    }

    /// A model of another learner that has met no row: it takes rows as this one does and begins with its weights, one
    /// vector for each class where there are more than two.
    pub fn begun_by(&self, spec: Spec) -> Result<Model> {
        let weights: Option<Vec<Vec<f64>>> =
            self.learner.leaves().map(|leaves| Some(leaves.weights()?.into_owned())).collect();
        let refuse = |what: String| Error::usage(format!("{what}; expected one with a weight vector"));
        let Some(weights) = weights else {
            return Err(refuse(format!("{} has no weights to start from", self.spec.algorithm().name)));
        };
        let mut model = Model {
            vocabulary: self.vocabulary.clone(),
            features: self.features,
            csv: self.csv.clone(),
            encoding: self.encoding,
            stages: self.stages.clone(),
            ..Model::new(spec, self.classes.clone())
        };
        let features = Some(model.stages.features_after(model.features));
        model.learner.prepare(&Expected { features, ..Expected::default() }).map_err(Error::Memory)?;
        let learners = model.learner.apart_mut();
        let starts = |(learner, w): (&mut AnyLearner, &Vec<f64>)| learner.start_at(w);
        if learners.len() != weights.len() || !learners.iter_mut().zip(&weights).all(starts) {
            return Err(refuse(format!("{} cannot begin anywhere but at 0", model.spec.algorithm().name)));
        }
        Ok(model)
    }

    /// Another of the same, which predicts, and would go on learning, as this one does.
    pub fn duplicate(&mut self) -> Result<Model> {
        let mut state = State::saving();
        self.learner.state(&mut state)?;
        let mut copy = Model { counts: self.counts.clone(), margin: self.margin, ..self.untaught() };
        let mut state = State::loading(state.into_tensors());
        state.limit_features(self.stages.features_after(self.features));
        copy.learner.state(&mut state)?;
        Ok(copy)
    }

    /// Refuses to go on where counts come near to what a file can hold: they are those of no run.
    pub(crate) fn require_countable(&mut self) -> Result<()> {
        const MOST: u64 = MOST_COUNTED / 2;
        let PassCounts { trials, mistakes, updates } = self.counts.total();
        let most = trials.max(mistakes).max(updates).max(self.counts.rows);
        if most > MOST || self.learner.state(&mut State::counting(MOST)).is_err() {
            return Err(Error::usage("the model cannot go on: it has counted more than any run can"));
        }
        Ok(())
    }

    /// What a row of this class weighs, besides its sample weight.
    #[inline]
    pub(crate) fn class_weight(&self, class: usize) -> f64 {
        self.class_weights.get(class).copied().unwrap_or(1.0)
    }

    /// Begins a pass: the trials that follow count towards it.
    pub fn begin_pass(&mut self) {
        self.counts.passes.push(PassCounts::default());
    }

    /// Counts a trial between two classes.
    #[inline]
    pub(crate) fn count_round(&mut self, round: &Round, y: Label) {
        let class = usize::from(y == Label::Positive);
        self.count(class, u64::from(round.is_mistake(y)), u64::from(round.step != Step::Stay));
    }

    /// Counts a trial among more than two classes.
    pub(crate) fn count_rest(&mut self, round: &ClassRound) {
        self.count(round.class, round.mistakes, round.updates);
        self.counts.multiclass_mistakes += u64::from(round.is_mistake());
    }

    #[inline]
    fn count(&mut self, class: usize, mistakes: u64, updates: u64) {
        if self.counts.passes.is_empty() {
            self.begin_pass();
        }
        if let Some(pass) = self.counts.passes.last_mut() {
            pass.trials += 1;
            pass.mistakes += mistakes;
            pass.updates += updates;
        }
        self.counts.count_class(class);
    }

    /// Trials whose predicted class was wrong: of two classes the mistakes, of more those of the largest score.
    pub fn wrong_trials(&self) -> u64 {
        if self.learner.is_alone() { self.counts.total().mistakes } else { self.counts.multiclass_mistakes }
    }

    /// The weights with the names of their features, or those of a map's components; the bias is called (bias).
    pub fn named_weights(&self, leaves: &Leaves<'_>) -> Option<Vec<(String, f64)>> {
        let weights = leaves.weights()?;
        let names = self.vocabulary.names();
        let shift = self.stages.constants();
        let map = self.stages.in_slot(Slot::Map).map(|map| map.kind().name);
        let name = |i: usize| match (i.checked_sub(shift), map) {
            (None, _) => "(bias)".to_string(),
            (Some(place), Some(map)) => format!("{map}.{}", place + 1),
            (Some(place), None) => self.vocabulary.describe(place, names.as_deref()),
        };
        Some(weights.iter().enumerate().map(|(i, weight)| (name(i), *weight)).collect())
    }

    /// Whether it would ask for the label of a row as it was read, if it asks for labels. `asking` goes on from row to
    /// row; the model itself draws and learns nothing.
    pub fn would_ask(&mut self, x: Row<'_>, asking: &mut Asking) -> Option<bool> {
        let Asking { randoms, scratch } = asking;
        self.learner.would_ask(self.stages.apply(x.within(self.features), scratch), randoms)
    }

    /// The model's scores of rows as they were read, one after another; features it does not know
    /// are ignored. More than two classes have a score each for every row, in the order of classes;
    /// [`crate::predicted_class`] picks one.
    pub fn scores(&self, rows: &Rows, scratch: &mut ScoreScratch) -> Vec<f64> {
        self.scores_of(rows, 0..rows.len(), scratch)
    }

    /// The label that it gives to a row as it was read; `None` where a score is too large to be a number. Of many rows
    /// [`Model::scores`] is faster, and [`Model::load`] and [`crate::open`] with its vocabulary read them by name.
    pub fn predict(&self, x: Row<'_>) -> Option<&str> {
        let mut rows = Rows::default();
        rows.push_row(x);
        let class = predicted_class(&self.scores(&rows, &mut ScoreScratch::default()))?;
        Some(self.classes.name(class))
    }

    /// The model's scores of some rows of a table, as [`Model::scores`] gives those of all.
    pub fn scores_of(&self, table: &(impl Table + ?Sized), rows: Range<usize>, scratch: &mut ScoreScratch) -> Vec<f64> {
        let mut scores = Vec::with_capacity(rows.len());
        let ScoreScratch { staged, passage, scratch, read } = scratch;
        let alone = self.learner.is_alone().then(|| self.learner.leaves_of(0));
        let block = alone.as_ref().map_or(usize::MAX, Leaves::block);
        let one_by_one = block.max(self.stages.block()) == 1;
        let constant = self.stages.constant_alone(false).flatten();
        let known = self.features + usize::from(constant.is_some());
        // A table of which rows need not be put together has no features but those known.
        let plain = match &alone {
            Some(Leaves::Weights(w)) if constant.is_some() => Some(&w[..]),
            _ => None,
        };
        for i in rows.clone() {
            if let Some(score) = plain.and_then(|w| table.dot(i, constant, w)) {
                scores.push(score);
                continue;
            }
            let x = table.row(i, constant, &mut read.indices, &mut read.values).within(known);
            match (&alone, constant) {
                (Some(leaves), Some(_)) if one_by_one => scores.push(leaves.score(x)),
                (Some(leaves), None) if one_by_one => scores.push(leaves.score(self.stages.apply(x, scratch))),
                (_, Some(_)) => staged.push_row(x),
                (_, None) => passage.push(&self.stages, x, staged),
            }
            let is_last = i + 1 == rows.end;
            if is_last {
                passage.end(&self.stages, staged);
            }
            if let Some(leaves) = alone.as_ref().filter(|_| is_last || staged.len() >= block) {
                leaves.scores(staged, &mut scores);
                staged.clear();
            }
        }
        if alone.is_none() {
            scores = self.learner.scores(staged);
            staged.clear();
        }
        scores
    }
}
