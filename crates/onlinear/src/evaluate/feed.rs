//! Learning from rows that come piece by piece, for as long as anybody sends them.

use std::ops::ControlFlow;

use super::new_model::blank_model;
use super::progressive::{Progressive, RowQuota, Seconds, Watch, most_features, no_weights, refused_label};
use super::recipe::Recipe;
use crate::data::{
    Batch, Classes, Classifier, Entry, Input, LabelChoice, LabelTable, Lookup, Mark, Meter, ReadOptions, Reader,
    TextWork, open_one,
};
use crate::error::{Cure, Error, Message, Result};
use crate::learner::{Expected, too_many_features};
use crate::model::Model;
use crate::space::Rows;
use crate::spec::Learns;
use crate::stage::Slot;

/// A run that is fed its rows piece by piece. Each piece is like a file behind those before it, and the model is what
/// one pass over all of them as files leaves, to the bit.
pub struct Feed {
    model: Model,
    /// The classes as they were named beforehand; what the rows call them is for the model that is handed out.
    classes: Classes,
    classifier: Classifier,
    read: ReadOptions,
    max_memory: u64,
    /// What the rows so far have taught; none before the first.
    row: Option<Lookup>,
    /// The labels met before the run was taken up again.
    labels: Vec<String>,
}

/// Rows that have been read and found right, and have yet to be learned from.
pub struct Piece {
    /// The rows.
    pub batches: Vec<Batch>,
    /// What was known before; none where that was nothing.
    before: Option<Mark>,
}

impl Feed {
    /// A run of a fresh learner. What rows would have to tell before the first trial has to be said.
    pub fn fresh(recipe: &Recipe, labels: &LabelChoice, read: ReadOptions, max_memory: u64) -> Result<Feed> {
        let (spec, name) = (&recipe.spec, recipe.spec.algorithm().name);
        let refuse = |why: String, cure: Option<Cure>| {
            let message = Message::from(format!("{name} {why}"));
            Err(Error::usage(cure.into_iter().fold(message, Message::and)))
        };
        if spec.algorithm().learns() != Learns::RowByRow {
            return refuse("has to read all rows before it learns, and more are always to come".into(), None);
        }
        if recipe.waits_for_width() {
            return refuse("waits for rows to tell a width, which must be a number here".into(), None);
        }
        if !labels.is_made() {
            return refuse("must know the labels before the first row".into(), Some(Cure::NameLabels));
        }
        let is_mapped = recipe.stages.iter().any(|stage| stage.kind().slot == Slot::Map);
        if spec.needs_feature_count() && read.features.is_none() && !is_mapped {
            return refuse("must know the number of features before the first row".into(), Some(Cure::NameFeatures));
        }
        let classes = Classes::decide(&LabelTable::default(), labels, "")?;
        let known = Expected { features: read.features, rows: None, max_memory: Some(max_memory) };
        let mut model = blank_model(recipe, classes, name, known, |_| Rows::default())?;
        model.begin_pass();
        Ok(Feed::of(model, read, max_memory))
    }

    /// A run that goes on with a model, in the order in which the rows come; as a pass of their own, if they are
    /// not the rest of the only one so far.
    pub fn behind(mut model: Model, read: ReadOptions, max_memory: u64) -> Result<Feed> {
        if model.counts.passes.len() != 1 || model.shuffle.is_some() {
            model.begin_pass();
        }
        let (classes, labels) = (model.classes.clone(), Vec::new());
        Feed::resumed(model, classes, labels, read, max_memory)
    }

    /// The same run, taken up again with the model that it had handed out, the classes that it had begun with and the
    /// labels that it had met.
    pub fn resumed(
        mut model: Model,
        classes: Classes,
        labels: Vec<String>,
        read: ReadOptions,
        max_memory: u64,
    ) -> Result<Feed> {
        if model.spec.algorithm().learns() != Learns::RowByRow {
            let message = format!("{} has learned from all rows at once, and cannot go on", model.spec);
            return Err(Error::usage(message));
        }
        model.require_countable()?;
        let (vocabulary, schema) = (Some(model.vocabulary.clone()), model.csv.clone());
        let read = ReadOptions { vocabulary, schema, ..read };
        Ok(Feed { classes, labels, ..Feed::of(model, read, max_memory) })
    }

    fn of(model: Model, read: ReadOptions, max_memory: u64) -> Feed {
        let (classes, labels) = (model.classes.clone(), Vec::new());
        // What was taken once is taken again, in whatever pieces it comes.
        let read = ReadOptions { rows_may_lack_keys: true, ..read };
        Feed { classifier: Classifier::new(classes.clone()), classes, labels, model, read, max_memory, row: None }
    }

    /// Rows and weights may take so much from here on.
    pub fn limit_memory(&mut self, most: u64) {
        (self.max_memory, self.read.max_memory) = (most, Some(most));
    }

    /// Reads rows that all have labels. If one is wrong, none is taken and nothing has been learned of them, not even
    /// names.
    pub fn read(&mut self, input: &Input) -> Result<Piece> {
        let mut row = self.row.take();
        let before = row.as_mut().map(Lookup::mark);
        let spare = row.clone(); // names are shared, so that this costs little
        let opened = open_one(input, &self.read, row, &Meter::of(input), TextWork::default());
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                self.row = spare;
                return Err(error);
            }
        };
        drop(spare);
        if before.is_none() {
            let table = &mut reader.lookup_mut().about.labels;
            self.labels.iter().for_each(|label| drop(table.id(label.as_bytes()))); // none more than it held before
        }
        let read = self.read_all(reader.as_mut());
        self.row = Some(reader.lookup_mut().take());
        let mut piece = Piece { batches: Vec::new(), before };
        match read {
            Ok(batches) => {
                piece.batches = batches;
                Ok(piece)
            }
            Err(error) => {
                self.forget(piece);
                Err(error)
            }
        }
    }

    fn read_all(&mut self, reader: &mut dyn Reader) -> Result<Vec<Batch>> {
        if reader.about().csv.is_some() && self.read.schema.is_none() {
            let message = "expected rows with \"features\"; a table needs a model that knows its columns";
            return Err(Error::row(reader.about().file.place(1), message));
        }
        let takes_weights = self.model.spec.takes_weights();
        let most_features = most_features(&self.model, self.max_memory);
        let mut batches = Vec::new();
        loop {
            let mut batch = Batch::default();
            if !reader.read(&mut batch)? {
                return Ok(batches);
            }
            let about = reader.about();
            let refuse = |line: u64, message: Message| Err(Error::row(about.file.place(line), message));
            for i in 0..batch.len() {
                let (x, label, weight, line) = (batch.rows.row(i), batch.labels[i], batch.weight(i), batch.lines[i]);
                if x.dimension() > most_features {
                    let after = self.model.stages.features_after(x.dimension());
                    return refuse(line, too_many_features(x.dimension(), self.model.learner.memory(after)));
                }
                if self.classifier.class_of(label, &about.labels).is_none() {
                    return Err(refused_label(about, &Entry { x, label, weight, line }, &self.classes));
                }
                if weight != 1.0 && !takes_weights {
                    return refuse(line, no_weights(&self.model.spec, weight));
                }
            }
            batches.push(batch);
        }
    }

    /// Forgets what rows have taught that will not be learned from.
    pub fn forget(&mut self, piece: Piece) {
        match (piece.before, &mut self.row) {
            (Some(before), Some(row)) => row.go_back(before),
            _ => self.row = None,
        }
        self.classifier = Classifier::new(self.classes.clone());
    }

    /// Learns from rows. An error is about the first that cannot be learned from: those before it have been.
    pub fn learn(&mut self, piece: &Piece, watch: &mut dyn Watch) -> Result<()> {
        self.read.vocabulary = None; // that of the rows has grown out of it
        let Some(row) = &self.row else { return Ok(()) };
        let about = &row.about;
        let mut seconds = Seconds::default();
        let first = self.model.counts.passes.last().map_or(0, |pass| pass.trials);
        let mut rows = RowQuota::new(None, Some(first));
        let mut run = Progressive::new(&mut self.model, watch, &about.file, self.max_memory, &mut seconds);
        for batch in &piece.batches {
            if let ControlFlow::Break(unknown) = run.batch(batch, about, &mut self.classifier, &mut rows)? {
                return Err(unknown.refuse(&about.file, self.classes.unknown(&unknown.label, &about.labels)));
            }
        }
        run.require_memory()
    }

    /// The model as it stands, with all that belongs to a model file.
    pub fn model(&mut self) -> &mut Model {
        self.model.classes = self.classes.clone();
        match &self.row {
            Some(row) => self.model.take_over(&row.about),
            None => {
                self.model.vocabulary = self.read.vocabulary.clone().unwrap_or(self.model.vocabulary.clone());
            }
        }
        &mut self.model
    }

    /// The classes as they were named beforehand.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The labels met, in their order.
    pub fn labels_met(&self) -> Vec<String> {
        match &self.row {
            Some(row) => row.about.labels.texts().map(String::from).collect(),
            None => self.labels.clone(),
        }
    }
}
