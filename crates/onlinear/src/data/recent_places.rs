//! Places of features of tables, by what their names are put together from: a small table of those met not long ago,
//! in front of the list of all names. Most cells of a category, and most parts of a day, are found here.

/// Longer texts are looked up in the list of all names.
const LONGEST: usize = 16;
/// There are 2^SLOT_BITS slots: they stay in a core's cache.
const SLOT_BITS: u32 = 11;
/// A name of a column and a divider are never so.
const NOTHING: u64 = u64::MAX;

/// The name of a feature of a table.
#[derive(Clone, Copy)]
pub(crate) struct NamePart<'a> {
    /// The column of the file.
    pub(crate) column: usize,
    /// What it is called.
    pub(crate) column_name: &'a str,
    /// What comes behind that …
    pub(crate) divider: u8,
    /// … and then.
    pub(crate) rest: &'a [u8],
}

/// What tells the names of a file's features from each other, where they are short.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartKey {
    /// The column, the divider and the length of the rest.
    kind: u64,
    /// The rest: its first and last bytes, which overlap.
    first: u64,
    last: u64,
}

impl PartKey {
    /// That of a name; none if it is too long.
    #[inline]
    pub(crate) fn of(part: &NamePart<'_>) -> Option<PartKey> {
        let rest = part.rest;
        let (first, last) = match (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
            (Some(&first), Some(&last)) if rest.len() <= LONGEST => {
                (u64::from_le_bytes(first), u64::from_le_bytes(last))
            }
            (Some(_), _) => return None,
            _ => match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
                (Some(&first), Some(&last)) => {
                    (u64::from(u32::from_le_bytes(first)), u64::from(u32::from_le_bytes(last)))
                }
                _ => (rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
            },
        };
        let kind = (part.column as u64) << 16 | u64::from(part.divider) << 8 | rest.len() as u64;
        Some(PartKey { kind, first, last })
    }

    #[inline]
    fn slot(&self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.kind;
        (mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> (64 - SLOT_BITS)) as usize
    }
}

/// Places by what names are put together from; of two in one slot the later is kept.
#[derive(Default)]
pub(crate) struct RecentPlaces {
    slots: Vec<(PartKey, u32)>,
}

impl RecentPlaces {
    /// The place of a feature, if it is known here.
    #[inline]
    pub(crate) fn place(&self, key: &PartKey) -> Option<u32> {
        self.slots.get(key.slot()).filter(|(held, _)| held == key).map(|(_, place)| *place)
    }

    /// Keeps the place of a feature, which is there for ever.
    pub(crate) fn keep(&mut self, key: PartKey, place: u32) {
        if self.slots.is_empty() {
            self.slots.resize(1 << SLOT_BITS, (PartKey { kind: NOTHING, first: 0, last: 0 }, 0));
        }
        self.slots[key.slot()] = (key, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(column: usize, divider: u8, rest: &[u8]) -> Option<PartKey> {
        PartKey::of(&NamePart { column, column_name: "", divider, rest })
    }

    #[test]
    fn keys_differ_where_names_do() {
        let mut texts: Vec<Vec<u8>> = (0..=17).map(|length| vec![b'a'; length]).collect();
        for text in texts.clone() {
            for at in 0..text.len() {
                texts.push([&text[..at], b"\0", &text[at + 1..]].concat());
            }
        }
        let keys: Vec<Option<PartKey>> = texts.iter().map(|text| key(3, b'=', text)).collect();
        for (i, one) in keys.iter().enumerate() {
            assert_eq!(one.is_none(), texts[i].len() > LONGEST);
            assert!(one.is_none() || keys[..i].iter().all(|other| other != one), "{:?}", texts[i]);
        }
        assert!(key(3, b'=', b"x") != key(3, b':', b"x") && key(3, b'=', b"x") != key(4, b'=', b"x"));
    }

    #[test]
    fn a_place_that_is_kept_is_found_and_no_other() {
        let mut recent = RecentPlaces::default();
        let numbered = |number: u32| key(1, b'=', number.to_string().as_bytes()).expect("a short text");
        assert_eq!(recent.place(&numbered(0)), None);
        for number in 0..10_000 {
            recent.keep(numbered(number), number);
            assert_eq!(recent.place(&numbered(number)), Some(number));
        }
        let found = (0..10_000).filter_map(|number| recent.place(&numbered(number)).map(|place| (number, place)));
        assert!(found.clone().all(|(number, place)| number == place) && found.count() > 1000);
    }
}
