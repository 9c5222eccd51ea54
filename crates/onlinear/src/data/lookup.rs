//! Labels and names of features are looked up in the order of the rows, whoever built them.

use std::collections::HashMap;
use std::sync::Arc;

use super::batch::Batch;
use super::columns::{Findings, OTHER};
use super::dataset::About;
use super::encoding::Encoding;
use super::format::LabelsWanted;
use super::labels::{LabelId, LabelTable, NO_LABEL};
use super::names::NameTable;
use super::number::excerpt;
use super::row_builder::{Draft, FeatureKind, KnownNames, NameNote, NameUse, Notes, RowBuilder, RowInProgress};
use super::vocabulary::{Room, UnseenFeatures, Vocabulary};
use crate::error::{Error, FileNames, Message, Place};

/// More namespaces than this are none.
const MOST_PREFIXES: usize = 1 << 16;

/// Threads get copies of names that take less than this.
const MOST_BYTES_TO_COPY: u64 = 64 << 20;

/// What the rows of a file, or of several, have taught: labels, names of features, what is known of columns.
#[derive(Clone)]
pub struct Lookup {
    /// What is known about the rows read so far.
    pub(crate) about: About,
    pub(crate) room: Room,
    /// What stands before a `^` in names of features, and whether it is a namespace; not for the names of a model.
    prefixes: Option<HashMap<Box<[u8]>, bool>>,
    /// The columns of the file that hold categories.
    pub(crate) categories: HashMap<u32, CategoryColumn>,
    /// Components looked at since threads got a copy of the names, and how many names that had.
    since_copy: usize,
    copied: usize,
}

/// What was known at some moment, to go back to.
pub(crate) struct Mark {
    /// All but the names of features, which only become more.
    lookup: Lookup,
    features: usize,
}

/// A column that holds a category.
#[derive(Clone)]
pub(crate) struct CategoryColumn {
    pub(crate) name: String,
    /// How many of its values have features …
    pub(crate) values: u32,
    /// … and how many may.
    pub(crate) most: u32,
    /// Its place among the columns of the table.
    pub(crate) place_in_schema: Option<usize>,
}

/// How rows that are wrong are treated.
pub(crate) struct Strictness {
    /// What messages call the file.
    pub(crate) file: Arc<str>,
    pub(crate) skip_bad_rows: bool,
    /// Which labels make a row wrong.
    pub(crate) labels: LabelsWanted,
    /// Where cells are noted that do not fit their columns.
    pub(crate) findings: Findings,
}

impl Lookup {
    pub(crate) fn new(file: FileNames, vocabulary: Vocabulary, room: Room, is_fresh: bool) -> Lookup {
        let (labels, features) = (LabelTable::within(room.bytes), vocabulary.len());
        let (encoding, unseen) = (Encoding::default(), UnseenFeatures::default());
        let (columns, late) = (Vec::new(), Vec::new());
        let about = About { file, labels, vocabulary, features, csv: None, columns, encoding, unseen, late };
        let prefixes = is_fresh.then(HashMap::new);
        Lookup { about, room, prefixes, categories: HashMap::new(), since_copy: 0, copied: 0 }
    }

    /// What the rows have taught, taken away from here.
    pub(crate) fn take(&mut self) -> Lookup {
        let empty = Lookup::new(self.about.file.clone(), Vocabulary::INDEXED, self.room, false);
        std::mem::replace(self, empty)
    }

    /// What is known now, for [`Lookup::go_back`].
    pub(crate) fn mark(&mut self) -> Mark {
        // Not a copy of the names: the list would no longer be the only one, and be copied when it grows.
        let vocabulary = std::mem::replace(&mut self.about.vocabulary, Vocabulary::INDEXED);
        let mark = Mark { lookup: self.clone(), features: vocabulary.len() };
        self.about.vocabulary = vocabulary;
        mark
    }

    /// Forgets what rows have taught since.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        let mut vocabulary = std::mem::replace(&mut self.about.vocabulary, Vocabulary::INDEXED);
        vocabulary.truncate(mark.features);
        *self = mark.lookup;
        self.about.vocabulary = vocabulary;
    }

    /// What builds rows for it.
    pub(crate) fn row_builder(&self) -> RowBuilder {
        RowBuilder::new(FeatureKind::of(&self.about.vocabulary), self.room, self.prefixes.is_some())
    }

    /// The names so far, for other threads, where they have become more since the last copy and enough was done to make
    /// up for one more.
    pub(crate) fn names_to_share(&mut self) -> Option<Arc<KnownNames>> {
        let none = NameTable::default();
        let features = if let Vocabulary::Named { names, .. } = &self.about.vocabulary { names } else { &none };
        let count = features.len() + self.prefixes.as_ref().map_or(0, HashMap::len);
        let is_due = count > self.copied && self.since_copy > 2 * count;
        if !is_due || features.bytes() > MOST_BYTES_TO_COPY {
            return None;
        }
        (self.since_copy, self.copied) = (0, count);
        let prefixes = self.prefixes.clone().unwrap_or_default();
        Some(Arc::new(KnownNames { features: features.clone(), prefixes }))
    }

    /// Hands the rows of a draft over to `batch`, which is empty, their labels and features looked up. Its lines count
    /// from behind those `before`. An error ends the data.
    pub(crate) fn settle(
        &mut self,
        draft: &mut Draft,
        before: u64,
        strictness: &Strictness,
        batch: &mut Batch,
    ) -> Option<Error> {
        let Draft { batch: rows, notes } = draft;
        rows.lines.iter_mut().for_each(|line| *line += before);
        for fault in &mut notes.faults {
            if let Error::Row { place, .. } = &mut fault.error {
                place.line += before;
            }
        }
        self.since_copy += rows.rows.non_zeros();
        self.about.features = self.about.features.max(notes.features);
        for (column, missing) in notes.missing.iter().enumerate() {
            self.about.columns[column].missing += missing;
        }
        let is_plain = notes.unplaced.is_empty() && notes.faults.is_empty();
        if is_plain && matches!(strictness.labels, LabelsWanted::Any) && self.number_labels(notes, rows).is_ok() {
            std::mem::swap(rows, batch);
            return None;
        }
        self.settle_each(draft, strictness, batch)
    }

    /// Gives the labels of all rows their numbers; or none of them, if one is refused.
    fn number_labels(&mut self, notes: &Notes, rows: &mut Batch) -> Result<(), Message> {
        let ids = (0..notes.label_count()).map(|number| self.about.labels.id(notes.label(number)));
        let ids: Vec<LabelId> = ids.collect::<Result<_, _>>()?;
        rows.labels.iter_mut().filter(|label| **label != NO_LABEL).for_each(|label| *label = ids[*label as usize]);
        Ok(())
    }

    /// Row after row, with the faults between them.
    fn settle_each(&mut self, draft: &mut Draft, strictness: &Strictness, batch: &mut Batch) -> Option<Error> {
        let Draft { batch: rows, notes } = draft;
        let mut settling = Settling { lookup: self, notes, rows, row: RowInProgress::default(), names: 0, unplaced: 0 };
        let mut faults = std::mem::take(&mut settling.notes.faults).into_iter().peekable();
        let kept = settling.rows.kept.len() / settling.rows.len().max(1);
        for i in 0..=settling.rows.len() {
            while let Some(fault) = faults.next_if(|fault| fault.row == i) {
                let error = match settling.look_up_to(fault.names_end) {
                    // What comes first in a row is told of.
                    Err((at, message)) => match fault.error {
                        Error::Row { place, .. } => Error::row(Place { column: at as u64 + 1, ..place }, message),
                        other => other,
                    },
                    Ok(()) => {
                        let late = fault.late.filter(|_| !strictness.skip_bad_rows);
                        late.into_iter().for_each(|cell| strictness.findings.add_late(cell));
                        fault.error
                    }
                };
                if !strictness.skip_bad_rows {
                    return Some(error);
                }
                batch.bad.push(error);
            }
            if i == settling.rows.len() {
                break;
            }
            match settling.settle(i, strictness, batch) {
                Ok(()) => {
                    batch.kept.extend(settling.rows.kept[kept * i..kept * (i + 1)].iter_mut().map(std::mem::take))
                }
                Err((at, message)) => {
                    batch.rows.drop_partial_row();
                    let place =
                        Place { file: strictness.file.clone(), line: settling.rows.lines[i], column: at as u64 + 1 };
                    let error = Error::row(place, message);
                    if !strictness.skip_bad_rows {
                        return Some(error);
                    }
                    batch.bad.push(error);
                }
            }
        }
        None
    }

    /// The place of a name; none if the model does not know it, or it is no feature's.
    fn place(&mut self, name: &[u8], hash: u64, use_: NameUse) -> Result<Option<u32>, Message> {
        let place = match use_ {
            NameUse::Prefix { is_namespace } => return self.note_prefix(name, is_namespace).map(|()| None),
            NameUse::Feature => self.about.vocabulary.place_hashed(name, hash, self.room)?,
            NameUse::Category(column) => match self.value_beyond(name, hash, column) {
                Some(other) => return self.about.place(&other, self.room),
                None => {
                    let known = self.about.vocabulary.len();
                    let place = self.about.vocabulary.place_hashed(name, hash, self.room)?;
                    let is_new = self.about.vocabulary.len() > known;
                    self.categories.get_mut(&column).filter(|_| is_new).into_iter().for_each(|it| it.values += 1);
                    place
                }
            },
        };
        self.about.features = self.about.vocabulary.len();
        if place.is_none() {
            self.about.unseen.add(|| String::from_utf8_lossy(name).into_owned());
        }
        Ok(place)
    }

    /// What a value of a category is called that gets no feature of its own; none for one that has its feature, or may
    /// have it.
    fn value_beyond(&mut self, name: &[u8], hash: u64, column: u32) -> Option<Vec<u8>> {
        let Vocabulary::Named { names, frozen } = &self.about.vocabulary else { return None };
        let category = self.categories.get(&column)?;
        if names.find(name, hash).is_some() || !*frozen && category.values < category.most {
            return None;
        }
        if let Some(at) = category.place_in_schema.filter(|_| *frozen) {
            self.about.columns[at].unseen += 1;
        }
        Some(format!("{}={OTHER}", category.name).into_bytes())
    }

    fn note_prefix(&mut self, prefix: &[u8], is_namespace: bool) -> Result<(), Message> {
        let Some(prefixes) = &mut self.prefixes else { return Ok(()) };
        match prefixes.get(prefix) {
            Some(known) if *known == is_namespace => Ok(()),
            Some(_) => {
                let shown = excerpt(prefix);
                Err(format!(
                    "'{shown}^' begins names of features both as a namespace and within a name; call one of them \
                             otherwise"
                )
                .into())
            }
            None if prefixes.len() == MOST_PREFIXES => Err("there are too many namespaces".into()),
            None => {
                prefixes.insert(prefix.into(), is_namespace);
                Ok(())
            }
        }
    }
}

/// The rows of a draft, one after another.
struct Settling<'a> {
    lookup: &'a mut Lookup,
    notes: &'a mut Notes,
    rows: &'a mut Batch,
    row: RowInProgress,
    /// Names and rows without places looked up so far.
    names: usize,
    unplaced: usize,
}

impl Settling<'_> {
    /// Looks up the names from the next one to that before `end`, putting the components in their places.
    fn look_up_to(&mut self, end: usize) -> Result<(), (usize, Message)> {
        let from = std::mem::replace(&mut self.names, end);
        for note in &self.notes.names[from..end] {
            let NameNote { at, component, use_, .. } = *note;
            let (name, hash) = self.notes.name(note);
            let place = self.lookup.place(name, hash, use_).map_err(|message| (at as usize, message))?;
            if let (false, Some(component)) =
                (matches!(use_, NameUse::Prefix { .. }), self.row.components.get_mut(component as usize))
            {
                // A component without a place is as good as none.
                *component = place.map_or((u32::MAX, 0.0), |place| (place, component.1));
            }
        }
        Ok(())
    }

    /// Appends row `i` to `batch`, last of all with its label: that of a bad row is not taken for a class.
    fn settle(&mut self, i: usize, strictness: &Strictness, batch: &mut Batch) -> Result<(), (usize, Message)> {
        let (indices, values) = self.rows.rows.parts(i);
        match self.notes.unplaced.get(self.unplaced) {
            Some(unplaced) if unplaced.row == i => {
                let (names_end, at) = (unplaced.names_end, unplaced.at);
                self.unplaced += 1;
                self.row.components.clear();
                self.row.components.extend(indices.iter().copied().zip(values.iter().copied()));
                let looked_up = self.look_up_to(names_end);
                looked_up.and_then(|()| self.row.push_merged(batch).map_err(|message| (at, message)))?;
            }
            _ => indices.iter().zip(values).for_each(|(&place, &value)| batch.rows.push(place, value)),
        }
        let label = match self.rows.labels[i] {
            NO_LABEL => NO_LABEL,
            number => {
                let id = self.lookup.about.labels.id(self.notes.label(number as usize));
                id.map_err(|message| (self.notes.label_at[i] as usize, message))?
            }
        };
        strictness.check_label(label, &self.lookup.about.labels).map_err(|message| (0, message))?;
        batch.end_row(label, self.rows.weight(i), self.rows.lines[i]);
        Ok(())
    }
}

impl Strictness {
    /// Refuses a row whose label makes it wrong.
    fn check_label(&self, label: LabelId, labels: &LabelTable) -> Result<(), Message> {
        match &self.labels {
            LabelsWanted::Any => Ok(()),
            _ if label == NO_LABEL => Err("the row has no label".into()),
            LabelsWanted::Of(classes) if classes.class_of(labels.text(label)).is_none() => {
                Err(classes.unknown(labels.text(label), labels))
            }
            _ => Ok(()),
        }
    }
}
