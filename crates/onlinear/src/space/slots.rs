//! Numbers by feature: a list for small features, and a table for those beyond, so that memory follows what there is
//! and not the largest index.

use std::collections::HashMap;

/// Features below this have their numbers in a list.
pub(crate) const NEAR: usize = 1 << 22;

/// A number above 0 for each of some features.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    near: Vec<u32>,
    far: HashMap<u32, u32>,
}

impl Slots {
    /// The number of a feature; 0 if it has none.
    #[inline(always)]
    pub(crate) fn of(&self, feature: u32) -> usize {
        let slot = match self.near.get(feature as usize) {
            None if self.far.is_empty() => 0,
            None => self.far.get(&feature).copied().unwrap_or(0),
            Some(&slot) => slot,
        };
        slot as usize
    }

    /// The number of a feature, to set where it is 0.
    pub(crate) fn entry(&mut self, feature: u32) -> &mut u32 {
        let place = feature as usize;
        if place >= NEAR {
            return self.far.entry(feature).or_default();
        }
        if place >= self.near.len() {
            self.near.resize(place + 1, 0);
        }
        &mut self.near[place]
    }

    /// Takes the numbers of these features away, which are all that have one.
    pub(crate) fn clear(&mut self, features: impl Iterator<Item = u32>) {
        for feature in features {
            if let Some(slot) = self.near.get_mut(feature as usize) {
                *slot = 0;
            }
        }
        self.far.clear();
    }
}
