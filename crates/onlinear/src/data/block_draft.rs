//! A block to which rows are added.

use super::batch::push_weight;
use super::block::{BLOCK_ROWS, Block, Indices, Values, is_whole};
use super::labels::LabelId;

/// A block that is yet to be full: at any time in the narrowest form that its rows fit in.
pub(crate) struct BlockDraft {
    block: Block,
    /// How many components are expected.
    room: usize,
    /// Whether nothing is missing in any row of this and the blocks before.
    are_whole: bool,
}

impl Default for BlockDraft {
    fn default() -> BlockDraft {
        BlockDraft { block: Block::default(), room: 0, are_whole: true }
    }
}

impl BlockDraft {
    /// Appends a row; says whether the block is full.
    pub(crate) fn push(&mut self, indices: &[u32], values: &[f64], label: LabelId, weight: f64, line: u64) -> bool {
        let held = self.block.non_zeros();
        let block = &mut self.block;
        if held == 0 {
            (block.indices, block.values) = (Indices::Whole, Values::Ones); // the narrowest of all
        }
        let room = self.room.max(held + values.len());
        self.are_whole &= is_whole(values);
        block.indices.push_row(indices, &block.ends, room);
        block.values.push_row(values, held, room);
        block.ends.push((held + values.len()) as u64);
        push_weight(&mut block.weights, weight, block.labels.len());
        block.labels.push(label);
        block.lines.push(line);
        block.len() == BLOCK_ROWS
    }

    /// Whether nothing is missing in any row so far.
    pub(crate) fn are_whole(&self) -> bool {
        self.are_whole
    }

    /// Whether there is no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.block.len() == 0
    }

    /// The rows added so far, in no more memory than they need. As many components are expected of the next.
    pub(crate) fn take(&mut self) -> Block {
        let mut block = std::mem::take(&mut self.block);
        self.room = block.non_zeros();
        block.ends.shrink_to_fit();
        block.labels.shrink_to_fit();
        block.weights.shrink_to_fit();
        block.lines.shrink_to_fit();
        match &mut block.indices {
            Indices::Whole if self.room == 0 => block.indices = Indices::default(),
            Indices::Whole => {}
            Indices::Narrow(indices) => indices.shrink_to_fit(),
            Indices::Wide(indices) => indices.shrink_to_fit(),
        }
        match &mut block.values {
            Values::Ones => {}
            Values::Bytes(values) => values.shrink_to_fit(),
            Values::Single(values) => values.shrink_to_fit(),
            Values::Double(values) => values.shrink_to_fit(),
        }
        block
    }
}

/// A list with room for so many items.
fn with_room<T>(items: impl Iterator<Item = T>, room: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(room);
    list.extend(items);
    list
}

impl Indices {
    /// Appends those of a row, in a wider form if need be, with room for so many; `ends` says where those of the rows
    /// before end.
    fn push_row(&mut self, row: &[u32], ends: &[u64], room: usize) {
        let Some((&last, before)) = row.split_last() else { return }; // they rise
        match self {
            Indices::Whole if last as usize == before.len() => {}
            Indices::Narrow(indices) if last <= u32::from(u16::MAX) => indices.extend(row.iter().map(|&i| i as u16)),
            Indices::Wide(indices) => indices.extend_from_slice(row),
            _ => {
                self.widen(last, ends, room);
                self.push_row(row, ends, room);
            }
        }
    }

    /// Takes a wider form, in which an index fits too.
    #[cold]
    fn widen(&mut self, index: u32, ends: &[u64], room: usize) {
        let starts = std::iter::once(&0).chain(ends);
        let lengths = starts.zip(ends).map(|(start, end)| (end - start) as u32);
        let is_narrow = lengths.clone().max().unwrap_or(0).max(index) <= u32::from(u16::MAX);
        *self = match self {
            Indices::Whole if is_narrow => {
                Indices::Narrow(with_room(lengths.flat_map(|length| 0..length as u16), room))
            }
            Indices::Whole => Indices::Wide(with_room(lengths.flat_map(|length| 0..length), room)),
            Indices::Narrow(indices) => Indices::Wide(with_room(indices.iter().map(|&i| i.into()), room)),
            Indices::Wide(_) => return,
        };
    }
}

impl Values {
    /// Appends those of a row to `held` others, in a wider form if need be, with room for so many.
    fn push_row(&mut self, row: &[f64], held: usize, room: usize) {
        match self {
            Values::Ones if are_ones(row) => {}
            Values::Bytes(bytes) if are_bytes(row) => bytes.extend(row.iter().map(|&value| value as u8)),
            Values::Single(singles) if are_singles(row) => singles.extend(row.iter().map(|&value| value as f32)),
            Values::Double(doubles) => doubles.extend_from_slice(row),
            _ => {
                self.widen(row, held, room);
                self.push_row(row, held, room);
            }
        }
    }

    /// Takes the narrowest of the wider forms in which a row fits too.
    #[cold]
    fn widen(&mut self, row: &[f64], held: usize, room: usize) {
        let (to_bytes, to_singles) = (are_bytes(row), are_singles(row));
        *self = match self {
            Values::Ones if to_bytes => Values::Bytes(with_room(std::iter::repeat_n(1, held), room)),
            Values::Ones if to_singles => Values::Single(with_room(std::iter::repeat_n(1.0, held), room)),
            Values::Ones => Values::Double(with_room(std::iter::repeat_n(1.0, held), room)),
            Values::Bytes(bytes) if to_singles => Values::Single(with_room(bytes.iter().map(|&v| v.into()), room)),
            Values::Bytes(bytes) => Values::Double(with_room(bytes.iter().map(|&v| v.into()), room)),
            Values::Single(singles) => Values::Double(with_room(singles.iter().map(|&v| v.into()), room)),
            Values::Double(_) => return,
        };
    }
}

fn are_ones(values: &[f64]) -> bool {
    values.iter().all(|&value| value == 1.0)
}

fn are_bytes(values: &[f64]) -> bool {
    values.iter().all(|&value| f64::from(value as u8).to_bits() == value.to_bits())
}

fn are_singles(values: &[f64]) -> bool {
    values.iter().all(|&value| f64::from(value as f32).to_bits() == value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Batch, Table};
    use crate::space::{Row, Scratch};

    fn round_trip(rows: &[(&[u32], &[f64])]) -> Block {
        let mut batch = Batch::default();
        for (line, (indices, values)) in rows.iter().enumerate() {
            indices.iter().zip(*values).for_each(|(&i, &v)| batch.rows.push(i, v));
            batch.end_row(line as u32 % 2, 1.0 + line as f64 / 2.0, line as u64 + 7);
        }
        let mut draft = BlockDraft::default();
        for (i, (indices, values)) in rows.iter().enumerate() {
            draft.push(indices, values, batch.labels[i], batch.weight(i), batch.lines[i]);
        }
        let block = draft.take();
        let mut scratch = Scratch::default();
        for i in 0..rows.len() {
            let bits = |row: Row<'_>| {
                let mut all = Vec::new();
                row.for_each(|i, v| all.push((i, v.to_bits())));
                (matches!(row, Row::Dense(_)), all)
            };
            assert_eq!(bits(block.row(i, None, &mut scratch)), bits(batch.rows.row(i)));
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            let behind = Table::row(&batch.rows, i, Some(2.5), &mut indices, &mut values);
            assert_eq!(bits(block.row(i, Some(2.5), &mut scratch)), bits(behind));
            assert_eq!(block.weight(i), batch.weight(i));
            let w: Vec<f64> = (0..90_000).map(|i| f64::from(i % 7) - 2.75).collect();
            for (constant, w) in [None, Some(2.5)].into_iter().flat_map(|c| [(c, &w[..]), (c, &w[..2])]) {
                let put_together = block.row(i, constant, &mut scratch).dot(w);
                let dot = block.dot(i, constant, w);
                assert!(dot.is_none_or(|dot| dot.to_bits() == put_together.to_bits()), "{dot:?} {put_together}");
            }
        }
        block
    }

    #[test]
    fn the_narrowest_lossless_form_is_chosen() {
        let ones = round_trip(&[(&[0, 3], &[1.0, 1.0]), (&[], &[]), (&[9], &[1.0])]);
        assert_eq!(ones.values, Values::Ones);
        assert!(matches!(round_trip(&[(&[0], &[255.0])]).values, Values::Bytes(_)));
        assert!(matches!(round_trip(&[(&[0], &[-0.5])]).values, Values::Single(_)));
        assert!(matches!(round_trip(&[(&[0], &[-0.0])]).values, Values::Single(_)));
        let wide = round_trip(&[(&[0, 70_000], &[0.1, 1e300])]);
        assert!(matches!((&wide.indices, &wide.values), (Indices::Wide(_), Values::Double(_))));
        let whole = round_trip(&[(&[0, 1, 2], &[0.5, 2.0, 3.0]), (&[], &[]), (&[0], &[4.5])]);
        assert_eq!(whole.indices, Indices::Whole);
        assert!(whole.dot(0, Some(1.0), &[1.0; 4]).is_some() && wide.dot(0, Some(1.0), &[1.0; 4]).is_some());
        let late = round_trip(&[(&[0, 1], &[1.0, 1.0]), (&[0], &[7.0]), (&[1, 80_000], &[0.5, 0.1])]);
        assert!(matches!((&late.indices, &late.values), (Indices::Wide(_), Values::Double(_))));
        let gaps = round_trip(&[(&[0, 1], &[0.5, 2.0]), (&[1], &[3.0])]);
        assert_eq!(gaps.indices, Indices::Narrow(vec![0, 1, 1]));
    }
}
