//! Names of features, each with its place: the order in which they first turned up.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// No name has this slot: its place would be beyond the last.
const EMPTY: u64 = u64::MAX;
const LEAST_SLOTS: usize = 16;

/// Another one in each run, so that nobody can write names that all hash alike.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// What a name is looked up by, in this run.
#[inline]
pub(crate) fn name_hash(name: &[u8]) -> u64 {
    xxh3_64_with_seed(name, *SEED)
}

/// All names in one piece of memory, and an open table of their places.
#[derive(Clone, Default)]
pub struct NameTable {
    text: Vec<u8>,
    /// Where each name ends in the text.
    ends: Vec<usize>,
    /// The upper half of a name's hash, and below it its place. There are 2^k slots, at most half of them in use; the
    /// first k bits of the hash say where to look first.
    slots: Vec<u64>,
}

impl NameTable {
    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How long all names are together.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// The name at `place`.
    #[inline]
    pub(crate) fn name(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }

    /// All names in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|place| self.name(place))
    }

    /// The place of a name that hashes to `hash`.
    #[inline]
    pub(crate) fn find(&self, name: &[u8], hash: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let (tag, mut at) = (hash >> 32, self.first_slot(hash >> 32));
        loop {
            match self.slots[at] {
                EMPTY => return None,
                slot if slot >> 32 == tag && self.name(slot as u32 as usize) == name => return Some(slot as u32),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Gives the next place to a name that is not there yet.
    pub(crate) fn add(&mut self, name: &[u8], hash: u64) -> u32 {
        if 2 * (self.len() + 1) > self.slots.len() {
            let wider = vec![EMPTY; (2 * self.slots.len()).max(LEAST_SLOTS)];
            let old = std::mem::replace(&mut self.slots, wider);
            old.into_iter().filter(|&slot| slot != EMPTY).for_each(|slot| self.occupy(slot));
        }
        let place = self.len() as u32;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        self.occupy((hash >> 32 << 32) | u64::from(place));
        place
    }

    /// Forgets all names but the first so many.
    pub(crate) fn truncate(&mut self, names: usize) {
        self.ends.truncate(names);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        let empty = vec![EMPTY; self.slots.len()];
        let old = std::mem::replace(&mut self.slots, empty);
        let stays = |slot: &u64| *slot != EMPTY && (*slot as u32 as usize) < names;
        old.into_iter().filter(stays).for_each(|slot| self.occupy(slot));
    }

    fn occupy(&mut self, slot: u64) {
        let mut at = self.first_slot(slot >> 32);
        while self.slots[at] != EMPTY {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    #[inline]
    fn first_slot(&self, tag: u64) -> usize {
        (tag >> 32u32.saturating_sub(self.slots.len().trailing_zeros())) as usize
    }
}

impl PartialEq for NameTable {
    fn eq(&self, other: &NameTable) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

impl fmt::Debug for NameTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(String::from_utf8_lossy)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_at_their_places_and_others_are_not() {
        let mut table = NameTable::default();
        let name = |i: usize| format!("{}{i}", "n".repeat(i % 40)).into_bytes();
        for i in 0..5000 {
            assert_eq!(table.find(&name(i), name_hash(&name(i))), None);
            assert_eq!(table.add(&name(i), name_hash(&name(i))), i as u32);
        }
        assert!((0..5000).all(|i| table.find(&name(i), name_hash(&name(i))) == Some(i as u32)));
        assert!(table.iter().eq((0..5000).map(name)));
        table.truncate(70);
        assert!((0..5000).all(|i| table.find(&name(i), name_hash(&name(i))) == (i < 70).then_some(i as u32)));
        assert!(table.iter().eq((0..70).map(name)));
        assert_eq!(table.add(&name(80), name_hash(&name(80))), 70);
    }

    #[test]
    fn names_that_hash_alike_are_told_apart() {
        let mut table = NameTable::default();
        (0..100u8).for_each(|i| assert_eq!(table.add(&[i], 7), u32::from(i)));
        assert!((0..100u8).all(|i| table.find(&[i], 7) == Some(u32::from(i))));
        assert_eq!(table.find(b"", 7), None);
        // The last slot of all, behind which the first one comes.
        (100..104u8).for_each(|i| assert_eq!(table.add(&[i], u64::MAX), u32::from(i)));
        assert!((100..104u8).all(|i| table.find(&[i], u64::MAX) == Some(u32::from(i))));
    }
}
