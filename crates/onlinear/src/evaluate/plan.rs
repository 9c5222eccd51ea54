//! What to learn from and how, and what a run leaves behind.

use super::holdout::Holdout;
use super::passes::Passes;
use super::progressive::{Seconds, Watch};
use super::recipe::Recipe;
use super::test::{Errors, Margins};
use crate::data::{About, Classes, ColumnTally, Input, Keep, LabelChoice, ReadOptions};
use crate::error::{Error, Message, Result};
use crate::metrics::Metrics;
use crate::model::Model;
use crate::space::Row;

/// What a run starts from.
pub enum Start {
    /// From nothing.
    Fresh(Recipe),
    /// From a model that learned before; its stages and order stay what they are.
    Resume(Box<Model>),
}

/// What to learn from, and how.
pub struct Plan {
    /// The data.
    pub input: Input,
    /// How to read them.
    pub read: ReadOptions,
    /// What the user says of the labels.
    pub labels: LabelChoice,
    /// How often to pass over the rows.
    pub passes: Passes,
    /// How they are kept, where they are passed over more than once.
    pub keep: Keep,
    /// Count the final model's errors on the training rows.
    pub train_error: bool,
    /// Keep some rows back and measure the final model on them.
    pub holdout: Option<Holdout>,
}

impl Plan {
    /// One pass over these data, read as they tell themselves: `Plan { passes, ..Plan::of(input) }` asks for more.
    pub fn of(input: Input) -> Plan {
        Plan {
            input,
            read: ReadOptions::default(),
            labels: LabelChoice::default(),
            passes: Passes::Exactly(1),
            keep: Keep::default(),
            train_error: false,
            holdout: None,
        }
    }
}

/// What a run leaves behind.
pub struct RunResult {
    /// The model.
    pub model: Model,
    /// The final model on the training rows, where asked for.
    pub train: Option<Errors>,
    /// What a batch learner got wrong on the way, after the epochs that were asked for.
    pub tested: Vec<(u64, Errors)>,
    /// The final model on the rows held out, where asked for.
    pub held_out: Option<Metrics>,
    /// Whether the last pass had no mistake, where that was the goal.
    pub separated: Option<bool>,
    /// Where the time went.
    pub seconds: Seconds,
    /// What was met in the columns of a table.
    pub columns: Vec<ColumnTally>,
    /// Things the user should know.
    pub warnings: Vec<Message>,
}

impl RunResult {
    pub(crate) fn new(model: Model, about: &About, seconds: Seconds) -> Result<RunResult> {
        if model.counts.examples() == 0 {
            return Err(Error::data(&about.file, "has no rows"));
        }
        if model.counts.classes.get(1) == Some(&0) {
            model.classes.require_positive(&about.labels, &about.file)?;
        }
        let about_file = Message::from(format!("{}: ", about.file));
        let mut warnings = Vec::new();
        let mut classes = about.labels.texts().filter_map(|text| model.classes.class_of(text));
        let first = classes.next();
        if classes.all(|class| Some(class) == first) {
            let name = model.classes.name(first.unwrap_or(1));
            let warning = format!("every row is of class '{name}'; there is nothing to tell apart");
            warnings.push(about_file.clone().and(warning));
        }
        warnings.extend(model.learner.facts().warnings.into_iter().map(|warning| about_file.clone().and(warning)));
        let (tested, columns) = (Vec::new(), about.columns.clone());
        Ok(RunResult { model, train: None, tested, held_out: None, separated: None, seconds, columns, warnings })
    }

    /// Notes what the final model does on its training rows.
    pub(super) fn note(&mut self, margins: &Margins) {
        self.train = Some(margins.errors);
        let norm = self.model.learner.weights().map(|w| Row::Dense(&w).norm(2.0));
        self.model.margin = norm.filter(|&norm| norm > 0.0 && margins.least > 0.0).map(|norm| margins.least / norm);
    }
}

impl Model {
    /// Takes over what the reader knows about features and labels.
    pub(crate) fn take_over(&mut self, about: &About) {
        self.features = self.features.max(about.features);
        self.vocabulary = about.vocabulary.clone();
        self.csv = about.csv.clone();
        self.encoding = about.encoding;
        self.classes.take_names(&about.labels);
    }
}

/// The complaint that `what` has to read rows of which a stream gives each but once.
pub(crate) fn unread(what: impl Into<Message>, rows: &str) -> Error {
    let why = format!(" has to read {rows}, which standard input and pipes do not allow");
    Error::usage(what.into().and(why))
}

/// Warns of classes that are none, and of columns that are left out.
pub(crate) fn doubt(classes: &Classes, about: &About, watch: &mut dyn Watch) {
    for doubt in classes.doubts(about.csv.is_some()).into_iter().chain(about.doubts()) {
        watch.warn(&Message::from(format!("{}: ", about.file)).and(doubt));
    }
}
