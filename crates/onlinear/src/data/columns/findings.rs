//! What earlier readings of a table found out about its columns.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Cell, ColumnEvidence, ColumnOptions, TableSchema, show};
use crate::error::{Cure, Message};

/// What earlier readings of the same data found out. All who hold a clone share it.
#[derive(Clone, Debug, Default)]
pub struct Findings(Arc<Mutex<Found>>);

#[derive(Debug, Default)]
struct Found {
    late: Vec<LateCell>,
    /// What the columns of a file hold, going by its first rows and the cells above, and what was said about them.
    schema: Option<(Reading, TableSchema)>,
}

/// What tells a reading from others that could find other columns.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    /// The file.
    pub(crate) path: PathBuf,
    /// What was said about its columns, and what else was.
    pub(crate) columns: ColumnOptions,
    pub(crate) others: String,
}

/// A cell that turned up behind the rows that tell what columns hold, and would have told otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LateCell {
    /// What its column is called.
    pub(crate) column: String,
    /// What stands there.
    pub(crate) text: String,
}

impl LateCell {
    /// What there is to say of it.
    pub(crate) fn doubt(&self) -> Message {
        let (text, column) = (show(&self.text), show(&self.column));
        let what = format!("'{text}' stands in column '{column}' behind rows without its like: it is a category");
        Message::from(what).and((Cure::NameKind, self.column.as_str()))
    }
}

impl Findings {
    fn lock(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many late cells there are.
    pub(crate) fn late_count(&self) -> usize {
        self.lock().late.len()
    }

    /// One more late cell: columns are to be judged anew.
    pub(crate) fn add_late(&self, cell: LateCell) {
        let mut found = self.lock();
        found.late.push(cell);
        found.schema = None;
    }

    /// Forgets the last late cell.
    pub(crate) fn forget_late(&self) {
        let mut found = self.lock();
        found.late.pop();
        found.schema = None;
    }

    /// All late cells.
    pub(crate) fn late(&self) -> Vec<LateCell> {
        self.lock().late.clone()
    }

    /// Counts them with the first cells of the columns of these names.
    pub(crate) fn count_late(&self, names: &[String], evidence: &mut [ColumnEvidence]) {
        for LateCell { column, text } in &self.lock().late {
            let place = names.iter().position(|name| name == column);
            place.and_then(|i| evidence.get_mut(i)).into_iter().for_each(|it| it.add(Cell::Text(text.as_bytes())));
        }
    }

    /// What the columns of a file hold, where that was found out before.
    pub(crate) fn schema(&self, reading: &Reading) -> Option<TableSchema> {
        self.lock().schema.as_ref().filter(|(before, _)| before == reading).map(|(_, schema)| schema.clone())
    }

    /// Keeps what the columns of a file hold.
    pub(crate) fn keep_schema(&self, reading: Reading, schema: &TableSchema) {
        self.lock().schema = Some((reading, schema.clone()));
    }
}
