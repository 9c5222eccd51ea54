//! Which feature has which place in the weights.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::format::ReadOptions;
use super::names::{NameTable, name_hash};
use super::number::excerpt;
use crate::error::{Cure, Error, Message, Result, size};

/// The most features there can be: an index and the count behind it fit in 32 bits.
pub(crate) const MOST_FEATURES: usize = u32::MAX as usize;

/// How much a list of features may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Features at most.
    pub(crate) features: usize,
    /// Bytes at most, for their names.
    pub(crate) bytes: u64,
}

impl Room {
    /// What `options` leave.
    pub(crate) fn of(options: &ReadOptions) -> Room {
        Room { features: options.features.unwrap_or(MOST_FEATURES), bytes: options.most_bytes() }
    }

    /// How many components a row may have: each is held several times while the row is built.
    pub(crate) fn components(self) -> u64 {
        (self.bytes / 64).max(1 << 16)
    }

    /// How many components a row may have whose names have yet to be looked up: each is held with its name as well.
    pub(crate) fn new_names(self) -> u64 {
        (self.bytes / 160).max(1 << 16)
    }
}

/// What a name takes in a table, besides its own bytes.
pub(crate) const NAME_OVERHEAD: u64 = 64;

/// Components of rows that were left out, since the model does not know their features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnseenFeatures {
    /// How many.
    pub count: u64,
    /// What the first of them is called.
    pub first: Option<String>,
}

impl UnseenFeatures {
    /// One more, which is called so.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(name);
    }
}

/// How features are known.
#[derive(Clone, Debug, PartialEq)]
pub enum Vocabulary {
    /// By number.
    Indexed {
        /// What the data count from: 1, or 0.
        first: u32,
    },
    /// By name; a name gets the next free place when it first turns up.
    Named {
        /// The names with their places; shared by all who hold the same list.
        names: Arc<NameTable>,
        /// Whether names not in the list are left out instead of added.
        frozen: bool,
    },
    /// By the hash of their name (or number), in 2^bits places.
    Hashed {
        /// 1 to 31.
        bits: u32,
    },
}

impl Vocabulary {
    /// Numbers from 1 on.
    pub const INDEXED: Vocabulary = Vocabulary::Indexed { first: 1 };

    /// An empty list of names.
    pub fn named() -> Vocabulary {
        Vocabulary::Named { names: Arc::default(), frozen: false }
    }

    /// The vocabulary as it is, taking no new names.
    pub fn frozen(mut self) -> Vocabulary {
        if let Vocabulary::Named { frozen, .. } = &mut self {
            *frozen = true;
        }
        self
    }

    /// The place of a name; none if it is unknown and no new ones are taken. One that there is no room for is refused.
    pub(crate) fn place(&mut self, name: &[u8], room: Room) -> std::result::Result<Option<u32>, Message> {
        match self {
            Vocabulary::Named { .. } => self.place_hashed(name, name_hash(name), room),
            Vocabulary::Hashed { bits } => Ok(Some(hashed_place(name, *bits))),
            Vocabulary::Indexed { .. } => Ok(None),
        }
    }

    /// The place of a name among others, whose hash is known.
    pub(crate) fn place_hashed(
        &mut self,
        name: &[u8],
        hash: u64,
        room: Room,
    ) -> std::result::Result<Option<u32>, Message> {
        let Vocabulary::Named { names, frozen } = self else { return Ok(None) };
        if let Some(place) = names.find(name, hash) {
            return Ok(Some(place));
        }
        if std::str::from_utf8(name).is_err() {
            let message = format!("the name of feature '{}' is not UTF-8", excerpt(name));
            return Err(Message::from(message).and(Cure::NameEncoding));
        }
        if *frozen {
            return Ok(None);
        }
        if names.len() >= room.features {
            let most = room.features;
            return Err(format!("feature '{}' is one more than the {most} features declared", excerpt(name)).into());
        }
        let held = names.bytes() + NAME_OVERHEAD * names.len() as u64;
        if held + name.len() as u64 > room.bytes {
            let message = format!("the names of features do not fit in {} of memory", size(room.bytes));
            return Err(Message::from(message).and(Cure::HashFeatures));
        }
        Ok(Some(Arc::make_mut(names).add(name, hash)))
    }

    /// The place of a name, which gets the next free one if it is new; of a list of names.
    pub(crate) fn place_of_new(&mut self, name: &[u8]) -> u32 {
        let Vocabulary::Named { names, .. } = self else { return 0 };
        let hash = name_hash(name);
        names.find(name, hash).unwrap_or_else(|| Arc::make_mut(names).add(name, hash))
    }

    /// Forgets all names but the first so many.
    pub(crate) fn truncate(&mut self, names: usize) {
        if let Vocabulary::Named { names: table, .. } = self
            && table.len() > names
        {
            Arc::make_mut(table).truncate(names);
        }
    }

    /// How many features there are for certain: the names known, the places of a hash.
    pub fn len(&self) -> usize {
        match self {
            Vocabulary::Indexed { .. } => 0,
            Vocabulary::Named { names, .. } => names.len(),
            Vocabulary::Hashed { bits } => 1 << bits,
        }
    }

    /// A text that differs for different vocabularies.
    pub(crate) fn key(&self) -> String {
        match (self, self.names()) {
            (Vocabulary::Named { frozen, .. }, Some(names)) => {
                let mut hash = Xxh3::new();
                for name in &names {
                    hash.update(&(name.len() as u64).to_le_bytes());
                    hash.update(name);
                }
                format!("{} names, XXH3 {:032x}, frozen {frozen}", names.len(), hash.digest128())
            }
            _ => format!("{self:?}"),
        }
    }

    /// Whether no feature is known yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names in the order of their places; none unless features are known by name.
    pub fn names(&self) -> Option<Vec<&[u8]>> {
        let Vocabulary::Named { names, .. } = self else { return None };
        Some(names.iter().collect())
    }

    /// Whether all names of another list are there, at the places that they have in it.
    pub(crate) fn begins_with(&self, other: &Vocabulary) -> bool {
        match (self, other) {
            (Vocabulary::Named { names, .. }, Vocabulary::Named { names: others, .. }) => {
                others.len() <= names.len() && names.iter().zip(others.iter()).all(|(own, other)| own == other)
            }
            _ => false,
        }
    }

    /// A list of names in the order of their places; `None` if one is there twice.
    pub(crate) fn from_names<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Option<Vocabulary> {
        let mut table = NameTable::default();
        for name in names {
            let hash = name_hash(name);
            if table.find(name, hash).is_some() {
                return None;
            }
            table.add(name, hash);
        }
        Some(Vocabulary::Named { names: table.into(), frozen: false })
    }

    /// What a person calls the feature at `place`.
    pub fn describe(&self, place: usize, names: Option<&[&[u8]]>) -> String {
        match (self, names.and_then(|n| n.get(place))) {
            (Vocabulary::Named { .. }, Some(name)) => String::from_utf8_lossy(name).into_owned(),
            (Vocabulary::Hashed { .. }, _) => format!("#{place}"),
            (Vocabulary::Indexed { first }, _) => (place + *first as usize).to_string(),
            _ => (place + 1).to_string(),
        }
    }

    /// Whether data of named or numbered features can be read with this vocabulary.
    pub(crate) fn admits(&self, named: bool, whose: &str, file: &str) -> Result<()> {
        let (there, known) = match (self, named) {
            (Vocabulary::Indexed { .. }, true) => ("named", "numbered"),
            (Vocabulary::Named { .. }, false) => ("numbered", "named"),
            _ => return Ok(()),
        };
        Err(Error::data(file, format!("has {there} features, but {whose} {known} ones")))
    }
}

/// The place of a name among 2^bits, the same for ever: FNV-1a over its bytes, then mixed.
pub(crate) fn hashed_place(name: &[u8], bits: u32) -> u32 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for &byte in name {
        h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    h ^= h >> 32;
    h = h.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h >> (64 - bits)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_places_and_a_frozen_list_takes_no_more() {
        let room = Room::of(&ReadOptions::default());
        let mut vocabulary = Vocabulary::named();
        assert_eq!(vocabulary.place(b"a", room), Ok(Some(0)));
        assert_eq!(vocabulary.place(b"b", room), Ok(Some(1)));
        assert_eq!(vocabulary.place(b"a", room), Ok(Some(0)));
        let mut vocabulary = vocabulary.frozen();
        assert_eq!(vocabulary.place(b"c", room), Ok(None));
        assert_eq!(vocabulary.names(), Some(vec![&b"a"[..], b"b"]));
    }

    #[test]
    fn hashes_stay_in_range_and_spread() {
        let mut used = vec![0; 1 << 10];
        for i in 0..10_000 {
            used[hashed_place(format!("feature{i}").as_bytes(), 10) as usize] += 1;
        }
        assert!(used.iter().all(|&n| n < 40), "{:?}", used.iter().max());
        assert!(used.iter().filter(|&&n| n == 0).count() < 10);
    }
}
