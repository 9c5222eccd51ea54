//! Kernel values of rows to come with rows held, in blocks.
//!
//! One block has the lanes of the trials that are due. Where there is enough to do for several threads, the blocks
//! behind it are worked out with it, in parts that do not depend on how many threads there are; each is brought up to
//! date when its turn comes. A kernel value depends on its two rows alone, so none of this shows in its bits.

use super::kernel::{Kernel, Traits};
use super::lanes::{Lanes, MOST_LANES};
use super::{Row, Rows};
use crate::parallel;

/// So many blocks are worked out together, at most …
pub(super) const MOST_BLOCKS: usize = 8;
/// … and no more than so many kernel values, unless one block alone has more …
const MOST_VALUES: usize = 1 << 21;
/// … nor more than so many places to find features in.
pub(super) const MOST_PLACES: usize = 1 << 22;
/// Fewer kernel values than these are not worth a thread.
pub(super) const WORTH_THREADS: usize = 1 << 16;
/// A thread takes the kernel values of so many rows held at a time.
const PART: usize = 1024;

/// Rows held, with what a kernel needs of them.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) rows: &'a Rows,
    pub(super) traits: &'a [Traits],
}

/// Some rows to come and their kernel values.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneBlock {
    pub(super) lanes: Lanes,
    /// For each row held, its kernel values with all lanes.
    pub(super) values: Vec<f64>,
}

impl LaneBlock {
    /// How many of the rows held it knows.
    fn known(&self) -> usize {
        self.values.len() / self.lanes.width().max(1)
    }

    /// Computes the values of the rows held that are behind those known.
    pub(super) fn follow(&mut self, held: Held<'_>) {
        let (known, start) = (self.known(), self.values.len());
        self.values.resize(held.rows.len() * self.lanes.width(), 0.0);
        self.lanes.fill(held, known, &mut self.values[start..]);
    }

    /// Computes the values of the row held at `place` anew.
    pub(super) fn renew(&mut self, held: Held<'_>, place: usize) {
        let width = self.lanes.width();
        self.lanes.fill(held, place, &mut self.values[place * width..(place + 1) * width]);
    }

    /// Forgets the values of the oldest rows held.
    pub(super) fn forget_oldest(&mut self, rows: usize) {
        let gone = self.values.len().min(rows * self.lanes.width());
        self.values.drain(..gone);
    }
}

/// Blocks of rows to come: the one whose trials are due, and those behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct LookAhead {
    due: Option<LaneBlock>,
    /// Blocks worked out with an earlier one, the next of them last.
    behind: Vec<LaneBlock>,
    /// How many of the oldest rows held have gone since they were worked out, and at which places there are others.
    gone: usize,
    replaced: Vec<usize>,
    /// Blocks that are over, for their memory.
    spent: Vec<LaneBlock>,
    /// How many blocks have been due.
    count: u64,
}

impl LookAhead {
    /// The block whose trials are due.
    pub(super) fn due(&self) -> Option<&LaneBlock> {
        self.due.as_ref()
    }

    /// The number of the block whose trials are due.
    pub(super) fn number(&self) -> Option<u64> {
        self.due.as_ref().map(|_| self.count)
    }

    /// The first of `rows` are due, as many as there are lanes; those behind them will be.
    pub(super) fn begin<'a>(&mut self, held: Held<'_>, rows: impl ExactSizeIterator<Item = Row<'a>>) {
        self.spent.extend(self.due.take());
        self.count += 1;
        if self.behind.is_empty() {
            self.load(held, rows);
        }
        let mut due = self.behind.pop().unwrap_or_default();
        due.forget_oldest(self.gone);
        let known = due.known();
        self.replaced.iter().filter(|place| **place < known).for_each(|&place| due.renew(held, place));
        due.follow(held);
        self.due = Some(due);
    }

    /// Takes blocks of rows to come in, and works them out if several threads can.
    fn load<'a>(&mut self, held: Held<'_>, mut rows: impl ExactSizeIterator<Item = Row<'a>>) {
        (self.gone, self.replaced) = (0, Vec::new());
        let values_each = held.rows.len() * MOST_LANES;
        let most = (MOST_VALUES / values_each.max(1)).clamp(1, MOST_BLOCKS);
        let are_shared = most * values_each >= WORTH_THREADS && parallel::threads_here() > 1;
        let (mut dimension, most) = (1, if are_shared { most } else { 1 });
        let has_room = |blocks: usize, dimension: usize| blocks < most && (blocks + 1) * dimension <= MOST_PLACES;
        while self.behind.is_empty() || rows.len() > 0 && has_room(self.behind.len(), dimension) {
            let mut block = self.spent.pop().unwrap_or_default();
            let next = rows.by_ref().take(MOST_LANES).inspect(|x| dimension = dimension.max(x.dimension()));
            block.lanes.load(held.kernel, next);
            block.values.clear();
            self.behind.push(block);
        }
        if are_shared && self.behind.len() * values_each >= WORTH_THREADS {
            work_out(held, &mut self.behind);
        }
        self.behind.reverse();
    }

    /// No row to come is known any more.
    pub(super) fn end(&mut self) {
        self.spent.extend(self.due.take());
        self.spent.append(&mut self.behind);
    }

    /// A row is held behind the others.
    pub(super) fn pushed(&mut self, held: Held<'_>) {
        if let Some(due) = &mut self.due {
            due.follow(held);
        }
    }

    /// Another row is held at `place`.
    pub(super) fn replaced(&mut self, held: Held<'_>, place: usize) {
        if let Some(due) = &mut self.due {
            due.renew(held, place);
        }
        if !self.behind.is_empty() {
            self.replaced.push(place);
        }
    }

    /// The oldest row is not held any more.
    pub(super) fn removed_oldest(&mut self) {
        if let Some(due) = &mut self.due {
            due.forget_oldest(1);
        }
        if !self.behind.is_empty() {
            self.gone += 1;
            self.replaced.retain(|place| *place > 0);
            self.replaced.iter_mut().for_each(|place| *place -= 1);
        }
    }

    /// How many kernel values it has room for.
    #[cfg(test)]
    fn values(&self) -> usize {
        self.due.iter().chain(&self.behind).chain(&self.spent).map(|block| block.values.len()).sum()
    }
}

/// The kernel values of blocks with all rows held, on several threads.
fn work_out(held: Held<'_>, blocks: &mut [LaneBlock]) {
    let mut parts: Vec<(&Lanes, usize, &mut [f64])> = Vec::new();
    for LaneBlock { lanes, values } in blocks {
        values.resize(held.rows.len() * lanes.width(), 0.0);
        let chunks = values.chunks_mut(PART * lanes.width()).enumerate();
        parts.extend(chunks.map(|(k, values)| (&*lanes, k * PART, values)));
    }
    parallel::map_mut(true, &mut parts, |_, (lanes, first, values)| lanes.fill(held, *first, values));
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Shape;
    use super::super::{SupportSet, lanes::square_in_order};
    use super::*;
    use crate::random::Random;

    fn rows(count: usize, random: &mut Random) -> Rows {
        let mut rows = Rows::default();
        for _ in 0..count {
            (0..6)
                .filter(|_| random.chance(0.7))
                .collect::<Vec<u32>>()
                .into_iter()
                .for_each(|j| rows.push(j, random.gauss()));
            rows.end_row();
        }
        rows
    }

    /// Values known ahead are those of each row alone, whatever has come and gone since.
    #[test]
    fn blocks_further_ahead_are_brought_up_to_date() {
        let kernel = Kernel { shape: Shape::Gaussian { gamma: 0.3 }, cosine: false };
        let mut random = Random::new(4);
        for (held, removes) in [(30, true), (900, false), (900, true)] {
            let (start, news, ahead) = (rows(held, &mut random), rows(60, &mut random), rows(150, &mut random));
            let mut set = SupportSet::new(kernel);
            start.iter().for_each(|x| set.push(x, None));
            for (block, first) in (0..ahead.len()).step_by(MOST_LANES).enumerate() {
                set.look_ahead((first..ahead.len()).map(|i| ahead.row(i)));
                for i in first..ahead.len().min(first + MOST_LANES) {
                    let alone: Vec<f64> = set.column(ahead.row(i), |values| values.collect());
                    let found: Vec<f64> = set.ahead_from(0).map(|values| values[i - first]).collect();
                    assert_eq!(found, alone, "{held} {removes}: row {i}");
                    if i % 3 == 0 {
                        set.replace((i * 7) % set.len(), news.row(i / 3));
                    }
                    if removes && i % 4 == 1 {
                        set.remove_oldest();
                    }
                    if i % 5 == 2 && block % 2 == 0 {
                        set.push(news.row(i / 3), None);
                    }
                }
            }
            set.end_look_ahead();
            assert_eq!(set.block_ahead(), None);
        }
    }

    #[test]
    fn several_blocks_are_worked_out_together_where_that_pays() {
        let (kernel, mut random) = (Kernel { shape: Shape::Linear, cosine: false }, Random::new(5));
        let ahead = rows(100, &mut random);
        for (count, shared) in [(10, 0), (900, 6), (20_000, 5)] {
            let rows = rows(count, &mut random);
            let traits: Vec<Traits> = rows.iter().map(|x| kernel.traits_of(square_in_order(x))).collect();
            let mut look_ahead = LookAhead::default();
            look_ahead.begin(Held { kernel: &kernel, rows: &rows, traits: &traits }, ahead.iter());
            let expected = if parallel::threads_here() > 1 { shared } else { 0 };
            assert_eq!(look_ahead.behind.len(), expected, "{count}");
            assert_eq!(
                look_ahead.values(),
                count * (MOST_LANES * (1 + expected) - if shared == 6 && expected > 0 { 12 } else { 0 })
            );
        }
    }
}
