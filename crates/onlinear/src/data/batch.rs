//! A handful of rows on their way from a reader to a learner.

use crate::data::labels::LabelId;
use crate::error::Error;
use crate::space::Rows;

/// A batch is also full at this many components: small enough to stay in a core's cache.
const NON_ZEROS: usize = 16 * 1024;

/// Appends a sample weight to those of so many rows before, which are none where all are 1.
pub(super) fn push_weight(weights: &mut Vec<f64>, weight: f64, before: usize) {
    if weight != 1.0 && weights.is_empty() {
        weights.resize(before, 1.0);
    }
    if weight != 1.0 || !weights.is_empty() {
        weights.push(weight);
    }
}

/// Rows with their labels, weights and places.
#[derive(Debug, Default)]
pub struct Batch {
    /// The rows.
    pub rows: Rows,
    /// The label of each row, as its reader numbers them.
    pub labels: Vec<LabelId>,
    /// The sample weight of each row; empty when all are 1.
    pub weights: Vec<f64>,
    /// The line each row came from.
    pub lines: Vec<u64>,
    /// The cells that the reader was told to keep, row after row.
    pub kept: Vec<String>,
    /// Rows left out because they are wrong, where the reader was told to skip such rows.
    pub bad: Vec<Error>,
}

impl Batch {
    /// A batch is full at this many rows.
    pub(crate) const ROWS: usize = 1024;

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether there is neither a row nor a bad one to tell of.
    pub(crate) fn has_nothing(&self) -> bool {
        self.rows.is_empty() && self.bad.is_empty()
    }

    /// Whether a reader should hand the batch over.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= Batch::ROWS || self.rows.non_zeros() >= NON_ZEROS || self.bad.len() >= Batch::ROWS
    }

    /// Removes everything, keeping the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.labels.clear();
        self.weights.clear();
        self.lines.clear();
        self.kept.clear();
        self.bad.clear();
    }

    /// Ends the row being built in `rows`.
    pub fn end_row(&mut self, label: LabelId, weight: f64, line: u64) {
        self.rows.end_row();
        self.note_row(label, weight, line);
    }

    /// Notes what goes with a row just added to `rows`.
    pub(crate) fn note_row(&mut self, label: LabelId, weight: f64, line: u64) {
        push_weight(&mut self.weights, weight, self.labels.len());
        self.labels.push(label);
        self.lines.push(line);
    }

    /// The sample weight of row `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.get(i).copied().unwrap_or(1.0)
    }

    /// Keeps the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        self.kept.truncate(self.kept.len() / self.len().max(1) * rows);
        self.rows.truncate(rows);
        self.labels.truncate(rows);
        self.weights.truncate(rows);
        self.lines.truncate(rows);
    }
}
