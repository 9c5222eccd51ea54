//! Batches from any source of rows.

use super::Format;
use crate::data::batch::Batch;
use crate::data::dataset::About;
use crate::data::labels::LabelTable;
use crate::data::lookup::{Lookup, Strictness};
use crate::data::row_builder::{Draft, RowBuilder};
use crate::data::vocabulary::Vocabulary;
use crate::error::{Error, Result};

/// A stream of rows.
pub trait Reader: Send {
    /// Fills `batch` with the next rows, at least one; false at the end of the data. An error is its end too.
    ///
    /// Returns what there is rather than wait for more: a row typed into a pipe arrives at once.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// The format of the data.
    fn format(&self) -> Format;

    /// What the rows have taught.
    #[doc(hidden)]
    fn lookup(&self) -> &Lookup;

    /// What the rows have taught, to be changed.
    #[doc(hidden)]
    fn lookup_mut(&mut self) -> &mut Lookup;

    /// What is known about the rows read so far.
    fn about(&self) -> &About {
        &self.lookup().about
    }

    /// The labels met.
    fn labels(&self) -> &LabelTable {
        &self.about().labels
    }

    /// The features met, if they have names.
    fn vocabulary(&self) -> &Vocabulary {
        &self.about().vocabulary
    }

    /// How many features there are so far.
    fn features(&self) -> usize {
        self.about().features
    }
}

/// Rows as they were written, a batch at a time.
pub(crate) trait DraftSource: Send {
    /// The next rows or bad rows, in the memory of another draft, which is empty, and how many lines come before those
    /// that its rows count; none at the end of the data. A failure is final.
    fn next(&mut self, spare: Draft, lookup: &mut Lookup) -> Result<Option<(Draft, u64)>>;
}

/// The looking up, the skipping of bad rows and the order of rows and errors: the same for all sources.
pub(super) struct DraftReader<S> {
    pub(super) source: S,
    pub(super) lookup: Lookup,
    pub(super) format: Format,
    pub(super) strictness: Strictness,
    spare: Draft,
    /// An error to report once the rows before it have been handed over.
    pending: Option<Error>,
    is_over: bool,
}

impl<S> DraftReader<S> {
    pub(super) fn new(source: S, lookup: Lookup, format: Format, strictness: Strictness) -> DraftReader<S> {
        DraftReader { source, lookup, format, strictness, spare: Draft::default(), pending: None, is_over: false }
    }
}

impl<S: DraftSource> Reader for DraftReader<S> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        while !self.is_over && batch.has_nothing() {
            let spare = std::mem::take(&mut self.spare);
            let next = self.source.next(spare, &mut self.lookup);
            self.is_over = !matches!(next, Ok(Some(_)));
            let Some((mut draft, before)) = next? else { break };
            let error = self.lookup.settle(&mut draft, before, &self.strictness, batch);
            draft.clear();
            self.spare = draft;
            if let Some(error) = error {
                self.is_over = true;
                if batch.has_nothing() {
                    return Err(error);
                }
                self.pending = Some(error);
            }
        }
        Ok(!batch.has_nothing())
    }

    fn format(&self) -> Format {
        self.format
    }

    fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    fn lookup_mut(&mut self) -> &mut Lookup {
        &mut self.lookup
    }
}

/// Rows one at a time, each in two steps: fetched, which may wait, then parsed.
pub(crate) trait RowSource: Send {
    /// Whether the next row can be fetched without waiting.
    fn is_at_hand(&self) -> bool;
    /// Makes the next row available; false at the end of the data. A failure is final.
    fn fetch(&mut self) -> Result<bool>;
    /// Appends the row fetched to `batch`, or nothing if it was blank, and is done with it. A
    /// failure spoils this row only.
    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()>;
}

/// Drafts of rows that come one at a time.
pub(super) struct RowByRow<S> {
    source: S,
    row: RowBuilder,
    /// What ended the data, behind the rows before it.
    failed: Option<Error>,
}

impl<S> RowByRow<S> {
    pub(super) fn new(source: S, row: RowBuilder) -> RowByRow<S> {
        RowByRow { source, row, failed: None }
    }
}

impl<S: RowSource> DraftSource for RowByRow<S> {
    fn next(&mut self, mut draft: Draft, _: &mut Lookup) -> Result<Option<(Draft, u64)>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let RowByRow { source, row, failed } = self;
        std::mem::swap(&mut row.notes, &mut draft.notes);
        // Rows and bad rows alike are handed over before waiting for more.
        let batch = &mut draft.batch;
        while !row.notes.are_full(batch) && (source.is_at_hand() || row.notes.have_nothing(batch)) {
            match source.fetch() {
                Ok(false) => break,
                Err(error) => {
                    *failed = Some(error);
                    break;
                }
                Ok(true) => {
                    if let Err(error) = source.parse(row, batch) {
                        row.note_fault(error, batch);
                    }
                }
            }
        }
        std::mem::swap(&mut row.notes, &mut draft.notes);
        match draft.notes.have_nothing(&draft.batch) {
            true => self.failed.take().map_or(Ok(None), Err),
            false => Ok(Some((draft, 0))),
        }
    }
}
