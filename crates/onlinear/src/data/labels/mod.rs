//! Labels as they are written, and the classes they mean.

mod classes;
mod meaning;

use std::collections::HashMap;

pub use classes::{Classes, Classifier, LabelChoice, Rule};

use super::aliases::Aliases;
use super::number::excerpt;
use super::vocabulary::NAME_OVERHEAD;
use crate::error::{Cure, Message, Request};
use meaning::sign;

/// A label as its reader numbers it, in the order of appearance.
pub type LabelId = u32;

/// The id of a row without a label.
pub const NO_LABEL: LabelId = LabelId::MAX;

/// More distinct labels than this are not classes. Lists of labels do not count: a set of few labels
/// has many of them.
const MOST_LABELS: usize = 10_000;

/// What a table of labels may always take, in bytes.
const LEAST_ROOM: u64 = 1 << 16;

/// Every distinct label text met so far.
#[derive(Clone, Debug)]
pub struct LabelTable {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<[u8]>, LabelId>,
    last: LabelId,
    /// How many of the texts are one label, not a list.
    single: usize,
    /// How many more bytes the table may take.
    room: u64,
    aliases: Aliases,
}

/// A table that may grow as it likes.
impl Default for LabelTable {
    fn default() -> LabelTable {
        LabelTable::within(u64::MAX)
    }
}

impl LabelTable {
    /// A table that may take so many bytes; a few labels fit in any memory.
    pub(crate) fn within(room: u64) -> LabelTable {
        let (texts, ids, aliases) = (Vec::new(), HashMap::new(), Aliases::default());
        LabelTable { texts, ids, last: 0, single: 0, room: room.max(LEAST_ROOM), aliases }
    }

    /// The table, in which some labels are read as others.
    pub(crate) fn reading(self, aliases: &Aliases) -> LabelTable {
        LabelTable { aliases: aliases.clone(), ..self }
    }

    /// The id of a label text; new ones are added, unless there are too many to be classes, or to be held.
    pub(crate) fn id(&mut self, text: &[u8]) -> std::result::Result<LabelId, Message> {
        if let Some(last) = self.texts.get(self.last as usize)
            && last.as_bytes() == text
        {
            return Ok(self.last);
        }
        self.last = match self.ids.get(text) {
            Some(&id) => id,
            None => match std::str::from_utf8(text).ok().and_then(|name| self.aliases.label(name)) {
                Some(new) => {
                    let new = new.to_string();
                    let id = self.new_id(new.as_bytes())?;
                    self.ids.insert(text.into(), id);
                    id
                }
                None => self.new_id(text)?,
            },
        };
        Ok(self.last)
    }

    /// The id of a label text as it is kept.
    fn new_id(&mut self, text: &[u8]) -> std::result::Result<LabelId, Message> {
        Ok(match self.ids.get(text) {
            Some(&id) => id,
            None => {
                let is_single = !text.contains(&b',');
                let id = self.texts.len() as LabelId;
                // Each is held twice, by number and by text.
                let bytes = 2 * text.len() as u64 + NAME_OVERHEAD;
                if is_single && self.single == MOST_LABELS || id == NO_LABEL || bytes > self.room {
                    return Err(self.refused(text));
                }
                let Ok(name) = std::str::from_utf8(text) else {
                    let message = format!("label '{}' is not UTF-8", excerpt(text));
                    return Err(Message::from(message).and(Cure::NameEncoding));
                };
                self.room -= bytes;
                self.single += usize::from(is_single);
                self.texts.push(name.into());
                self.ids.insert(text.into(), id);
                id
            }
        })
    }

    #[cold]
    fn refused(&self, text: &[u8]) -> Message {
        let label = format!("label '{}' is one too many ", excerpt(text));
        match self.single {
            MOST_LABELS => Message::from(label).and("to be a class"),
            _ => Message::from(label).and("for the memory that ").and(Request::MaxMemory).and(" allows"),
        }
    }

    /// The text of a label.
    pub fn text(&self, id: LabelId) -> &str {
        self.texts.get(id as usize).map_or("", |text| text)
    }

    /// How many distinct texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no label was met.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether all labels are −1, 0 or +1, whose classes are known at once.
    pub fn decide_by_sign(&self) -> bool {
        self.texts().all(|text| sign(text).is_some())
    }

    /// All texts, in the order of appearance.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }
}
