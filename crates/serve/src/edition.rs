//! The model that predictions are made with: published by the writer, never changed.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use onlinear::workshop::{Asking, ColumnKind};
use onlinear::{Encoding, Model, Probabilities, ReadOptions, Result, Row};
use serde_json::Value as Json;

/// A model as it was at some moment.
pub(crate) struct Edition {
    pub(crate) model: Model,
    /// Rows of the log that are in it.
    pub(crate) rows: u64,
    pub(crate) since: Instant,
    read: ReadOptions,
    /// The labels, as they stand in JSON.
    pub(crate) labels: Vec<String>,
    probabilities: OnceLock<Option<Probabilities>>,
    /// What asks for labels, where the learner does.
    pub(crate) asking: Option<Mutex<(Model, Asking)>>,
}

impl Edition {
    /// A copy of the model, with so many rows of the log in it.
    pub(crate) fn of(source: &mut Model, rows: u64) -> Result<Edition> {
        let mut model = source.duplicate()?;
        let asks = model.would_ask(Row::Dense(&[]), &mut Asking::default()).is_some();
        let asking = if asks { Some(Mutex::new((source.duplicate()?, Asking::default()))) } else { None };
        // Bodies are UTF-8, whatever the file was that the model learned from.
        let mut read = ReadOptions { encoding: Some(Encoding::default()), ..model.read_options() };
        if model.features == 0 && model.counts.total().trials == 0 {
            read.vocabulary = None; // it has yet to learn whether features have names
        }
        let labels = model.classes.names().iter().map(|name| Json::from(name.as_str()).to_string());
        let (labels, since, probabilities) = (labels.collect(), Instant::now(), OnceLock::new());
        Ok(Edition { model, rows, since, read, labels, probabilities, asking })
    }

    /// How rows to be predicted are read.
    pub(crate) fn read_options(&self) -> ReadOptions {
        self.read.clone()
    }

    /// A key of a row's line that is there without a value and will be put in front of it: an id, or the label of a
    /// table.
    pub(crate) fn empty_key(&self, line: &[u8]) -> Option<String> {
        let row: Json = serde_json::from_slice(line).ok()?;
        let is_empty = |key: &String| match row.get(key) {
            Some(Json::Null) => true,
            Some(Json::String(text)) => text.trim_ascii().is_empty(),
            _ => false,
        };
        let label = self.model.csv.as_ref().map(|_| label_key(&self.model));
        label.into_iter().chain(["id".to_string()]).find(is_empty)
    }

    /// What makes probabilities of scores, where the model is calibrated.
    pub(crate) fn probabilities(&self) -> Option<&Probabilities> {
        self.probabilities.get_or_init(|| self.model.learner.probabilities()).as_ref()
    }
}

/// The key of labels in the log: in a table, that of their column.
pub(crate) fn label_key(model: &Model) -> String {
    let columns = model.csv.iter().flat_map(|schema| schema.columns());
    let label = columns.filter(|(_, kind)| *kind == ColumnKind::Label).map(|(name, _)| name.to_string()).next();
    label.unwrap_or_else(|| "label".to_string())
}

/// Where the newest edition is found.
pub(crate) struct Published(RwLock<Arc<Edition>>);

impl Published {
    pub(crate) fn new(edition: Edition) -> Published {
        Published(RwLock::new(edition.into()))
    }

    /// The newest edition. The lock is held for as long as it takes to copy or to swap a pointer.
    pub(crate) fn newest(&self) -> Arc<Edition> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn publish(&self, edition: Edition) {
        let edition = Arc::new(edition);
        let old = std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), edition);
        drop(old); // outside the lock
    }
}
