//! A row on its way from a reader into a batch: what the readers of all formats share.
//!
//! Rows are built on any thread, and know neither labels nor names of features that turn up for the first time: those
//! are left as [`Notes`] beside the batch, for [`Lookup`](super::lookup::Lookup) to look up in the order of the rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::batch::Batch;
use super::columns::LateCell;
use super::labels::NO_LABEL;
use super::names::{NameTable, name_hash};
use super::recent_places::{NamePart, PartKey, RecentPlaces};
use super::vocabulary::{Room, Vocabulary, hashed_place};
use crate::error::{Error, Message};

/// What is wrong with a row, and where: how many bytes into its line, or in which of its cells.
pub(crate) type Fault = (usize, Message);

/// A batch whose names yet to be looked up take so many bytes is full.
const NAME_BYTES: usize = 1 << 20;

/// Rows as they were written, with what is left to be looked up.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) batch: Batch,
    pub(crate) notes: Notes,
}

impl Draft {
    /// What it takes in memory, more or less.
    pub(crate) fn bytes(&self) -> usize {
        let Draft { batch, notes } = self;
        12 * batch.rows.non_zeros() + 32 * batch.len() + notes.text.len() + size_of::<NameNote>() * notes.names.len()
    }

    /// Removes everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.notes.clear();
    }
}

/// What goes with the rows of a batch until labels and names have been looked up.
#[derive(Default)]
pub(crate) struct Notes {
    /// The texts of labels and names.
    text: Vec<u8>,
    /// The label texts that the labels of the batch are numbers of; one may be there twice.
    labels: Vec<NotedText>,
    /// Where the label of each row stands.
    pub(crate) label_at: Vec<u32>,
    /// Names in the order in which they stand in the rows.
    pub(crate) names: Vec<NameNote>,
    /// The rows whose components are not yet in order, since some have no place.
    pub(crate) unplaced: Vec<UnplacedRow>,
    /// Rows that are wrong.
    pub(crate) faults: Vec<RowFault>,
    /// How often a value was missing, by the columns of the table.
    pub(crate) missing: Vec<u64>,
    /// One more than the largest index.
    pub(crate) features: usize,
}

#[derive(Clone, Copy)]
struct NotedText {
    start: u32,
    length: u32,
}

/// A name that is to be looked up.
#[derive(Clone, Copy)]
pub(crate) struct NameNote {
    hash: u64,
    span: NotedText,
    /// How many bytes into its line, or in which cell, it stands.
    pub(crate) at: u32,
    /// The component of its row.
    pub(crate) component: u32,
    pub(crate) use_: NameUse,
}

/// What a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// A feature's.
    Feature,
    /// That of a value of a category, by the column of the file.
    Category(u32),
    /// What stands before a `^` in names of features: a namespace, or by chance.
    Prefix { is_namespace: bool },
}

/// A row with components that have no place yet.
pub(crate) struct UnplacedRow {
    /// Its number in the batch.
    pub(crate) row: usize,
    /// Its names end here.
    pub(crate) names_end: usize,
    /// Where it is said that its values are too large.
    pub(crate) at: usize,
}

/// A row that is wrong.
pub(crate) struct RowFault {
    /// How many rows of the batch come before it.
    pub(crate) row: usize,
    /// The names that stand before what is wrong end here.
    pub(crate) names_end: usize,
    pub(crate) error: Error,
    /// The cell that is to blame, where it does not fit its column.
    pub(crate) late: Option<LateCell>,
}

impl Notes {
    /// The text of a label by its number in the batch.
    pub(crate) fn label(&self, number: usize) -> &[u8] {
        self.text_of(self.labels[number])
    }

    pub(crate) fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// A name and its hash.
    pub(crate) fn name(&self, note: &NameNote) -> (&[u8], u64) {
        (self.text_of(note.span), note.hash)
    }

    fn text_of(&self, span: NotedText) -> &[u8] {
        &self.text[span.start as usize..][..span.length as usize]
    }

    fn keep(&mut self, text: &[u8]) -> Result<NotedText, Message> {
        let start = self.text.len();
        match u32::try_from(start + text.len()) {
            Ok(_) => {
                self.text.extend_from_slice(text);
                Ok(NotedText { start: start as u32, length: text.len() as u32 })
            }
            Err(_) => Err(Message::beyond_memory("the names of a row take more than 4 GiB")),
        }
    }

    /// Removes everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.labels.clear();
        self.label_at.clear();
        self.names.clear();
        self.unplaced.clear();
        self.faults.clear();
        self.missing.clear();
        self.features = 0;
    }

    /// Whether there is neither a row nor a fault to tell of in `batch` and here.
    pub(crate) fn have_nothing(&self, batch: &Batch) -> bool {
        batch.is_empty() && self.faults.is_empty()
    }

    /// Whether no more rows should go into `batch`.
    pub(crate) fn are_full(&self, batch: &Batch) -> bool {
        batch.is_full() || self.faults.len() >= Batch::ROWS || self.text.len() >= NAME_BYTES
    }
}

/// How features are known, as far as rows need it that are being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeatureKind {
    Indexed { first: u32 },
    Named,
    Hashed { bits: u32 },
}

impl FeatureKind {
    pub(crate) fn of(vocabulary: &Vocabulary) -> FeatureKind {
        match *vocabulary {
            Vocabulary::Indexed { first } => FeatureKind::Indexed { first },
            Vocabulary::Named { .. } => FeatureKind::Named,
            Vocabulary::Hashed { bits } => FeatureKind::Hashed { bits },
        }
    }
}

/// Puts components in order and ends rows, on any thread.
pub(crate) struct RowBuilder {
    pub(crate) kind: FeatureKind,
    pub(crate) room: Room,
    /// The name of a feature while it is looked up.
    pub(crate) name: Vec<u8>,
    /// What was looked up already, as far as this thread knows.
    pub(crate) known: Option<Arc<KnownNames>>,
    pub(crate) notes: Notes,
    row: RowInProgress,
    /// Where features of tables are that were met not long ago.
    recent: RecentPlaces,
    /// What is wrong with the row, where that is a cell that does not fit its column.
    pub(crate) late: Option<LateCell>,
    /// Whether prefixes are noted; not for the names of a model, which are what they are.
    notes_prefixes: bool,
}

/// Names that were looked up already, and mean the same for ever.
#[derive(Clone, Default)]
pub(crate) struct KnownNames {
    /// Those of features, with their places.
    pub(crate) features: NameTable,
    /// What stands before a `^` in them, and whether it is a namespace.
    pub(crate) prefixes: HashMap<Box<[u8]>, bool>,
}

/// The components of the row being built.
#[derive(Default)]
pub(crate) struct RowInProgress {
    pub(crate) components: Vec<(u32, f64)>,
    /// Their places with their numbers, to be sorted.
    keys: Vec<u64>,
    /// How many names were noted before the row, and how long their text is with that of labels.
    names_before: usize,
    text_before: usize,
    /// The columns of the table in which it has no value.
    missing: Vec<usize>,
}

impl RowInProgress {
    /// Appends the components to the row being built in `batch`; those at one place are added up.
    pub(crate) fn push_merged(&mut self, batch: &mut Batch) -> Result<(), Message> {
        let RowInProgress { components, keys, .. } = self;
        if components.is_sorted_by(|a, b| a.0 < b.0) {
            for &(place, value) in components.iter().filter(|&&(_, value)| value != 0.0) {
                batch.rows.push(place, value);
            }
            return Ok(());
        }
        keys.clear();
        keys.extend(components.iter().zip(0..).map(|(&(place, _), number)| u64::from(place) << 32 | number));
        keys.sort_unstable();
        let value_of = |key: u64| components[key as u32 as usize].1;
        let mut keys = keys.iter().copied().peekable();
        while let Some(key) = keys.next() {
            let mut value = value_of(key);
            // In the data's order.
            while let Some(same) = keys.next_if(|next| next >> 32 == key >> 32) {
                value += value_of(same);
            }
            if value.is_infinite() {
                return Err("the values of one feature add up beyond the largest number".into());
            }
            if value != 0.0 {
                batch.rows.push((key >> 32) as u32, value);
            }
        }
        Ok(())
    }
}

impl RowBuilder {
    /// One whose rows have features of this kind; prefixes are noted where the names are `fresh`.
    pub(crate) fn new(kind: FeatureKind, room: Room, is_fresh: bool) -> RowBuilder {
        let (name, notes, row) = (Vec::new(), Notes::default(), RowInProgress::default());
        let (recent, late) = (RecentPlaces::default(), None);
        RowBuilder { kind, room, name, known: None, notes, row, recent, late, notes_prefixes: is_fresh }
    }

    /// One like it, for another thread.
    pub(crate) fn another(&self) -> RowBuilder {
        RowBuilder::new(self.kind, self.room, self.notes_prefixes)
    }

    /// Begins a row whose components come in any order.
    pub(crate) fn begin(&mut self) {
        self.row.components.clear();
        self.row.missing.clear();
        self.late = None;
        (self.row.names_before, self.row.text_before) = (self.notes.names.len(), self.notes.text.len());
    }

    /// Forgets the row last begun, as far as it was built and noted.
    pub(crate) fn go_back(&mut self, batch: &mut Batch) {
        batch.rows.drop_partial_row();
        self.notes.unplaced.pop_if(|unplaced| unplaced.row == batch.len());
        self.notes.names.truncate(self.row.names_before);
        self.notes.text.truncate(self.row.text_before);
    }

    /// Whether names were noted in the row last begun.
    pub(crate) fn has_names(&self) -> bool {
        self.notes.names.len() > self.row.names_before
    }

    /// Adds a component, if it has a place.
    #[inline]
    pub(crate) fn add(&mut self, place: Option<u32>, value: f64) -> Result<(), Message> {
        if (self.row.components.len() + 1) as u64 > self.room.components() {
            return Err(self.too_long());
        }
        self.row.components.extend(place.map(|place| (place, value)));
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> Message {
        Message::beyond_memory(format!("the row has {} components or more", self.row.components.len()))
    }

    /// Notes that names of features begin with `prefix` and `^`, as those of a namespace or by chance. The same name
    /// in both ways would be one feature.
    pub(crate) fn note_prefix(&mut self, prefix: &[u8], is_namespace: bool, at: usize) -> Result<(), Message> {
        let known = self.known.as_ref().and_then(|known| known.prefixes.get(prefix));
        if !self.notes_prefixes || known == Some(&is_namespace) {
            return Ok(());
        }
        let span = self.notes.keep(prefix)?;
        let use_ = NameUse::Prefix { is_namespace };
        self.notes.names.push(NameNote { hash: 0, span, at: at as u32, component: 0, use_ });
        Ok(())
    }

    /// Adds a component of the feature called `self.name`, which stands at `at`, unless the model does not know it.
    pub(crate) fn add_named(&mut self, value: f64, at: usize) -> Result<(), Message> {
        let name = std::mem::take(&mut self.name);
        let added = self.add_name(&name, value, at, NameUse::Feature);
        self.name = name;
        added
    }

    /// Adds a component of the feature that is called as a column, with more behind it.
    #[inline]
    pub(crate) fn add_part(&mut self, part: NamePart<'_>, value: f64, use_: NameUse) -> Result<(), Message> {
        let key = PartKey::of(&part);
        match key.as_ref().and_then(|key| self.recent.place(key)) {
            Some(place) => self.add(Some(place), value),
            None => self.add_other_part(part, key, value, use_),
        }
    }

    /// Adds a component of a feature whose place has to be looked for.
    #[inline(never)]
    fn add_other_part(
        &mut self,
        part: NamePart<'_>,
        key: Option<PartKey>,
        value: f64,
        use_: NameUse,
    ) -> Result<(), Message> {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        name.extend_from_slice(part.column_name.as_bytes());
        name.push(part.divider);
        name.extend_from_slice(part.rest);
        let before = self.notes.names.len();
        let added = self.add_name(&name, value, part.column, use_);
        self.name = name;
        let is_placed = added.is_ok() && self.notes.names.len() == before;
        if let (true, Some(key), Some(&(place, _))) = (is_placed, key, self.row.components.last()) {
            self.recent.keep(key, place);
        }
        added
    }

    /// Adds a component of the feature of this name, which stands at `at`, unless the model does not know it.
    #[inline]
    pub(crate) fn add_name(&mut self, name: &[u8], value: f64, at: usize, use_: NameUse) -> Result<(), Message> {
        if let FeatureKind::Hashed { bits } = self.kind {
            return self.add(Some(hashed_place(name, bits)), value);
        }
        let hash = name_hash(name);
        if let Some(place) = self.known.as_ref().and_then(|known| known.features.find(name, hash)) {
            return self.add(Some(place), value);
        }
        if (self.notes.names.len() - self.row.names_before) as u64 >= self.room.new_names() {
            return Err(self.too_long());
        }
        let component = self.row.components.len() as u32;
        self.add(Some(u32::MAX), value)?;
        let span = self.notes.keep(name)?;
        self.notes.names.push(NameNote { hash, span, at: at as u32, component, use_ });
        Ok(())
    }

    /// Counts a value that is missing in a column of the table, if the row turns out to be sound.
    pub(crate) fn count_missing(&mut self, column: usize) {
        self.row.missing.push(column);
    }

    /// Appends the components to the row being built in `batch`; those at one place are added up. Where their sum is
    /// too large, that is said to be so at `at`.
    pub(crate) fn push_merged(&mut self, at: usize, batch: &mut Batch) -> Result<(), Fault> {
        let names_end = self.notes.names.len();
        if names_end == self.row.names_before {
            return self.row.push_merged(batch).map_err(|message| (at, message));
        }
        self.notes.unplaced.push(UnplacedRow { row: batch.len(), names_end, at });
        self.row.components.iter().for_each(|&(place, value)| batch.rows.push(place, value));
        Ok(())
    }

    /// Replaces the indices of the row being built by the hashes of what they are called, where features are hashed.
    pub(crate) fn hash_indices(&mut self, batch: &mut Batch) -> Result<(), Message> {
        let FeatureKind::Hashed { bits } = self.kind else { return Ok(()) };
        self.begin();
        let (indices, values) = batch.rows.partial_row();
        for (&index, &value) in indices.iter().zip(values) {
            let name = (u64::from(index) + 1).to_string();
            self.add(Some(hashed_place(name.as_bytes(), bits)), value)?;
        }
        batch.rows.drop_partial_row();
        self.row.push_merged(batch)
    }

    /// Notes that there is a feature with this index, counting from 1.
    pub(crate) fn note_index(&mut self, index: usize) {
        if matches!(self.kind, FeatureKind::Indexed { .. }) {
            self.notes.features = self.notes.features.max(index);
        }
    }

    /// Ends the row being built in `batch`, which came from `line`.
    pub(crate) fn end(
        &mut self,
        label: Option<(usize, &[u8])>,
        weight: f64,
        line: u64,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let number = match label {
            Some((at, text)) => self.label_number(text).map_err(|message| (at, message))?,
            None => NO_LABEL,
        };
        self.notes.label_at.push(label.map_or(0, |(at, _)| at as u32));
        for column in self.row.missing.drain(..) {
            let missing = &mut self.notes.missing;
            missing.resize(missing.len().max(column + 1), 0);
            missing[column] += 1;
        }
        batch.end_row(number, weight, line);
        Ok(())
    }

    /// The number of a label in the batch: that of one of the last, or a new one.
    #[inline]
    fn label_number(&mut self, text: &[u8]) -> Result<u32, Message> {
        const LOOKED_AT: usize = 8;
        let Notes { labels, .. } = &self.notes;
        let last = labels.len().saturating_sub(LOOKED_AT);
        let is_same = |&number: &usize| self.notes.label(number) == text;
        if let Some(number) = (last..labels.len()).find(is_same) {
            return Ok(number as u32);
        }
        let span = self.notes.keep(text)?;
        self.notes.labels.push(span);
        Ok(self.notes.labels.len() as u32 - 1)
    }

    /// Says of what was noted in the row last begun where in its line it stands, by where it was said to be; also of
    /// its label, if it `has_ended`.
    pub(crate) fn relocate(&mut self, has_ended: bool, at: impl Fn(usize) -> usize) {
        let names = self.notes.names[self.row.names_before..].iter_mut().map(|note| &mut note.at);
        let label = self.notes.label_at.last_mut().filter(|_| has_ended);
        names.chain(label).for_each(|place| *place = at(*place as usize) as u32);
    }

    /// Takes out what was built of a row that is wrong, and notes what is.
    #[cold]
    pub(crate) fn note_fault(&mut self, error: Error, batch: &mut Batch) {
        batch.rows.drop_partial_row();
        self.row.missing.clear();
        self.notes.unplaced.pop_if(|unplaced| unplaced.row == batch.len());
        let (row, names_end) = (batch.len(), self.notes.names.len());
        self.notes.faults.push(RowFault { row, names_end, error, late: self.late.take() });
    }
}
