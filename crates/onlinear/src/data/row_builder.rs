//! A row on its way from a reader into a batch: what the readers of all formats share.

use super::batch::Batch;
use super::dataset::About;
use super::labels::{LabelTable, NO_LABEL};
use super::vocabulary::{Room, Vocabulary};
use crate::error::Message;

/// What is wrong with a row, and where: how many bytes into its line, or in which of its cells.
pub(crate) type Fault = (usize, Message);

/// Looks up labels and features, puts components in order and ends rows.
pub(crate) struct RowBuilder {
    /// What is known about the rows read so far.
    pub(crate) about: About,
    pub(crate) room: Room,
    components: Vec<(u32, f64)>,
    /// The name of a feature while it is looked up.
    pub(crate) name: Vec<u8>,
}

impl RowBuilder {
    pub(crate) fn new(file: &str, vocabulary: Vocabulary, room: Room) -> RowBuilder {
        let (labels, features) = (LabelTable::within(room.bytes), vocabulary.len());
        let about = About { file: file.to_string(), labels, vocabulary, features, csv: None };
        RowBuilder { about, room, components: Vec::new(), name: Vec::new() }
    }

    /// Begins a row whose components come in any order.
    pub(crate) fn begin(&mut self) {
        self.components.clear();
    }

    /// Adds a component, if it has a place.
    pub(crate) fn add(&mut self, place: Option<u32>, value: f64) {
        self.components.extend(place.map(|place| (place, value)));
    }

    /// Adds a component of the feature called `self.name`, unless the model does not know it.
    pub(crate) fn add_named(&mut self, value: f64) -> Result<(), Message> {
        let place = self.about.place(&self.name, self.room)?;
        self.add(place, value);
        Ok(())
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
            if !value.is_finite() {
                return Err("the values of one feature add up beyond the largest number".into());
            }
            batch.rows.push(place, value);
        }
        Ok(())
    }

    /// Replaces the indices of the row being built by the hashes of what they are called, where features are hashed.
    pub(crate) fn hash_indices(&mut self, batch: &mut Batch) -> Result<(), Message> {
        if matches!(self.about.vocabulary, Vocabulary::Indexed) {
            return Ok(());
        }
        self.begin();
        let (indices, values) = batch.rows.partial_row();
        for (&index, &value) in indices.iter().zip(values) {
            let name = (u64::from(index) + 1).to_string();
            let place = self.about.place(name.as_bytes(), self.room)?;
            self.add(place, value);
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
