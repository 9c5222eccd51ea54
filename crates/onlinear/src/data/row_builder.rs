//! A row on its way from a reader into a batch: what the readers of all formats share.

use std::collections::HashMap;

use super::batch::Batch;
use super::dataset::About;
use super::encoding::Encoding;
use super::labels::{LabelTable, NO_LABEL};
use super::number::excerpt;
use super::vocabulary::{Room, UnseenFeatures, Vocabulary};
use crate::error::{FileNames, Message};

/// What is wrong with a row, and where: how many bytes into its line, or in which of its cells.
pub(crate) type Fault = (usize, Message);

/// More namespaces than this are none.
const MOST_PREFIXES: usize = 1 << 16;

/// Looks up labels and features, puts components in order and ends rows.
#[derive(Clone)]
pub struct RowBuilder {
    /// What is known about the rows read so far.
    pub(crate) about: About,
    pub(crate) room: Room,
    components: Vec<(u32, f64)>,
    /// The name of a feature while it is looked up.
    pub(crate) name: Vec<u8>,
    /// What stands before a `^` in names of features, and whether it is a namespace; not for the names of a model,
    /// which are what they are.
    prefixes: Option<HashMap<Box<[u8]>, bool>>,
}

/// What was known at some moment, to go back to.
pub(crate) struct Mark {
    /// All but the vocabulary, which only grows.
    about: About,
    features: usize,
}

impl RowBuilder {
    pub(crate) fn new(file: FileNames, vocabulary: Vocabulary, room: Room, is_fresh: bool) -> RowBuilder {
        let (labels, features) = (LabelTable::within(room.bytes), vocabulary.len());
        let (encoding, unseen) = (Encoding::default(), UnseenFeatures::default());
        let about = About { file, labels, vocabulary, features, csv: None, columns: Vec::new(), encoding, unseen };
        let prefixes = is_fresh.then(HashMap::new);
        RowBuilder { about, room, components: Vec::new(), name: Vec::new(), prefixes }
    }

    /// What the rows have taught, taken away from here.
    pub(crate) fn take(&mut self) -> RowBuilder {
        let empty = RowBuilder::new(self.about.file.clone(), Vocabulary::INDEXED, self.room, false);
        std::mem::replace(self, empty)
    }

    /// What is known now, for [`RowBuilder::go_back`].
    pub(crate) fn mark(&mut self) -> Mark {
        let vocabulary = std::mem::replace(&mut self.about.vocabulary, Vocabulary::INDEXED);
        let mark = Mark { about: self.about.clone(), features: vocabulary.len() };
        self.about.vocabulary = vocabulary;
        mark
    }

    /// Forgets what rows have taught since.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        let mut vocabulary = std::mem::replace(&mut self.about.vocabulary, Vocabulary::INDEXED);
        vocabulary.truncate(mark.features);
        self.about = About { vocabulary, ..mark.about };
    }

    /// Begins a row whose components come in any order.
    pub(crate) fn begin(&mut self) {
        self.components.clear();
    }

    /// Adds a component, if it has a place.
    pub(crate) fn add(&mut self, place: Option<u32>, value: f64) -> Result<(), Message> {
        if (self.components.len() + 1) as u64 > self.room.components() {
            return Err(Message::beyond_memory(format!("the row has {} components or more", self.components.len())));
        }
        self.components.extend(place.map(|place| (place, value)));
        Ok(())
    }

    /// Notes that names of features begin with `prefix` and `^`, as those of a namespace or by chance. The same name
    /// in both ways would be one feature.
    pub(crate) fn note_prefix(&mut self, prefix: &[u8], is_namespace: bool) -> Result<(), Message> {
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

    /// Adds a component of the feature called `self.name`, unless the model does not know it.
    pub(crate) fn add_named(&mut self, value: f64) -> Result<(), Message> {
        let place = self.about.place(&self.name, self.room)?;
        self.add(place, value)
    }

    /// Appends the components to the row being built in `batch`; those at one place are added up.
    pub(crate) fn push_merged(&mut self, batch: &mut Batch) -> Result<(), Message> {
        let components = &mut self.components;
        components.sort_by_key(|&(place, _)| place); // stable: equal places add up in the data's order
        components.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        for &(place, value) in components.iter().filter(|&&(_, value)| value != 0.0) {
            if value.is_infinite() {
                return Err("the values of one feature add up beyond the largest number".into());
            }
            batch.rows.push(place, value);
        }
        Ok(())
    }

    /// Replaces the indices of the row being built by the hashes of what they are called, where features are hashed.
    pub(crate) fn hash_indices(&mut self, batch: &mut Batch) -> Result<(), Message> {
        if matches!(self.about.vocabulary, Vocabulary::Indexed { .. }) {
            return Ok(());
        }
        self.begin();
        let (indices, values) = batch.rows.partial_row();
        for (&index, &value) in indices.iter().zip(values) {
            let name = (u64::from(index) + 1).to_string();
            let place = self.about.place(name.as_bytes(), self.room)?;
            self.add(place, value)?;
        }
        batch.rows.drop_partial_row();
        self.push_merged(batch)
    }

    /// Ends the row being built in `batch`, which came from `line`: last of all, so that the label of a bad row is not
    /// taken for a class.
    pub(crate) fn end(
        &mut self,
        label: Option<(usize, &[u8])>,
        weight: f64,
        line: u64,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let label = match label {
            Some((at, text)) => self.about.labels.id(text).map_err(|message| (at, message))?,
            None => NO_LABEL,
        };
        batch.end_row(label, weight, line);
        Ok(())
    }
}
