//! In which order the rows held in memory are met, pass after pass.

use crate::error::{Error, Result};
use crate::random::Random;

/// The order of the rows: as in the file, or shuffled anew for each pass.
///
/// ```
/// use onlinear::workshop::Order;
/// let mut order = Order::shuffled(5, 7)?;
/// let mut pass: Vec<usize> = order.next_pass().collect();
/// pass.sort();
/// assert_eq!(pass, [0, 1, 2, 3, 4]);
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Order {
    rows: usize,
    /// `None` for the file's order. The places are narrow because there are as many as rows.
    shuffle: Option<(Random, Vec<u32>)>,
    /// The next pass is the first of a sequence that starts in the order given.
    starts_as_given: bool,
}

impl Order {
    /// `rows` rows as they come, in every pass.
    pub fn file(rows: usize) -> Order {
        Order { rows, shuffle: None, starts_as_given: false }
    }

    /// `rows` rows, shuffled with `seed`: one generator, and each pass permutes the order of the
    /// pass before it. Refuses 2³² rows or more.
    pub fn shuffled(rows: usize, seed: u64) -> Result<Order> {
        let Ok(end) = u32::try_from(rows) else {
            return Err(Error::Memory(format!("{rows} rows are too many to shuffle; at most {}", u32::MAX).into()));
        };
        Ok(Order { rows, shuffle: Some((Random::new(seed), (0..end).collect())), starts_as_given: false })
    }

    /// `rows` rows, in the order given for the first pass and then shuffled with `seed`, anew for each pass.
    pub fn shuffled_after_first(rows: usize, seed: u64) -> Result<Order> {
        Ok(Order { starts_as_given: true, ..Order::shuffled(rows, seed)? })
    }

    /// The rows of the next pass, one by one.
    pub fn next_pass(&mut self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator + Clone + '_ {
        self.skip_passes(1);
        let places = self.shuffle.as_ref().map(|(_, places)| places);
        (0..self.rows).map(move |i| places.map_or(i, |places| places[i] as usize))
    }

    /// Whether the next pass may jump about in memory.
    pub(crate) fn is_shuffled(&self) -> bool {
        self.shuffle.is_some()
    }

    /// Goes on as if `passes` more passes were done: how a resumed run finds its order again.
    pub fn skip_passes(&mut self, passes: u64) {
        let as_given = u64::from(passes > 0 && std::mem::take(&mut self.starts_as_given));
        if let Some((random, places)) = &mut self.shuffle {
            (as_given..passes).for_each(|_| random.shuffle(places));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(mut order: Order, count: usize) -> Vec<Vec<usize>> {
        (0..count).map(|_| order.next_pass().collect()).collect()
    }

    #[test]
    fn file_order_is_the_same_in_every_pass() {
        assert_eq!(passes(Order::file(3), 2), [[0, 1, 2], [0, 1, 2]]);
        assert_eq!(passes(Order::file(0), 1), [[]; 1] as [[usize; 0]; 1]);
    }

    #[test]
    fn each_pass_permutes_the_one_before() {
        // From the same program as the permutations in random.rs.
        let expected = [[3, 8, 9, 4, 6, 7, 2, 5, 1, 0], [5, 6, 4, 2, 9, 0, 7, 1, 8, 3]];
        assert_eq!(passes(Order::shuffled(10, 7).unwrap(), 2), expected);
    }

    #[test]
    fn each_pass_has_every_row_once() {
        for mut pass in passes(Order::shuffled(1000, 1).unwrap(), 3) {
            assert!(!pass.is_sorted());
            pass.sort();
            assert!(pass.into_iter().eq(0..1000));
        }
        assert!(passes(Order::shuffled(0, 1).unwrap(), 1)[0].is_empty());
    }

    #[test]
    fn skipped_passes_are_as_good_as_done() {
        let whole = passes(Order::shuffled(50, 9).unwrap(), 5);
        let mut resumed = Order::shuffled(50, 9).unwrap();
        resumed.skip_passes(3);
        assert_eq!(passes(resumed, 2), whole[3..]);
        assert_ne!(passes(Order::shuffled(50, 10).unwrap(), 1), whole[..1]);
    }

    #[test]
    fn a_first_pass_as_given_comes_before_the_shuffled_ones() {
        let shuffled = passes(Order::shuffled(20, 3).unwrap(), 3);
        let after_first = passes(Order::shuffled_after_first(20, 3).unwrap(), 4);
        assert!(after_first[0].iter().copied().eq(0..20));
        assert_eq!(after_first[1..], shuffled);
        let mut resumed = Order::shuffled_after_first(20, 3).unwrap();
        resumed.skip_passes(0);
        resumed.skip_passes(2);
        assert_eq!(passes(resumed, 2), shuffled[1..]);
    }

    #[test]
    fn too_many_rows_are_refused() {
        assert!(Order::shuffled(usize::MAX, 1).is_err());
    }
}
