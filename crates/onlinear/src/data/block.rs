//! Rows held compactly: values and indices as narrow as they can be without loss.

use std::ops::Range;

use super::batch::Batch;
use super::labels::{LabelId, NO_LABEL};
use crate::space::{Row, Rows, Scratch, fetch};

/// Rows per block, all blocks but the last.
pub(crate) const BLOCK_ROWS: usize = 1024;

/// Up to [`BLOCK_ROWS`] rows that can be read in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) ends: Vec<u64>,
    pub(crate) indices: Indices,
    pub(crate) values: Values,
    pub(crate) labels: Vec<LabelId>,
    /// Empty when all are 1.
    pub(crate) weights: Vec<f64>,
    pub(crate) lines: Vec<u64>,
}

/// Indices of all rows, in the narrowest form that fits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Indices {
    /// Each row has every component up to its last, as those of a table of numbers do.
    Whole,
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// Values of all rows, in the narrowest form that gives them back to the bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Values {
    /// Every value is 1.
    #[default]
    Ones,
    /// Whole numbers from 0 to 255.
    Bytes(Vec<u8>),
    /// Values that are exactly f32.
    Single(Vec<f32>),
    /// Any values.
    Double(Vec<f64>),
}

impl Indices {
    fn pack(rows: &Rows) -> Indices {
        let all = rows.indices();
        // They rise within a row.
        let is_whole = |i| rows.parts(i).0.split_last().is_none_or(|(&last, before)| last as usize == before.len());
        if !all.is_empty() && (0..rows.len()).all(is_whole) {
            Indices::Whole
        } else if all.iter().all(|&i| i <= u32::from(u16::MAX)) {
            Indices::Narrow(all.iter().map(|&i| i as u16).collect())
        } else {
            Indices::Wide(all.to_vec())
        }
    }

    /// Whether those in `range`, of one row, are every place from 0 on.
    fn are_whole(&self, range: &Range<usize>) -> bool {
        let Some(last) = range.end.checked_sub(1).filter(|last| range.contains(last)) else { return false };
        let last = match self {
            Indices::Whole => return true,
            Indices::Narrow(indices) => indices[last].into(),
            Indices::Wide(indices) => indices[last],
        };
        last as usize + 1 == range.len()
    }
}

impl Default for Indices {
    fn default() -> Indices {
        Indices::Narrow(Vec::new())
    }
}

impl Values {
    fn pack(values: &[f64]) -> Values {
        let same = |narrow: f64, value: f64| narrow.to_bits() == value.to_bits();
        if values.iter().all(|&v| v == 1.0) {
            Values::Ones
        } else if values.iter().all(|&v| same(f64::from(v as u8), v)) {
            Values::Bytes(values.iter().map(|&v| v as u8).collect())
        } else if values.iter().all(|&v| same(f64::from(v as f32), v)) {
            Values::Single(values.iter().map(|&v| v as f32).collect())
        } else {
            Values::Double(values.to_vec())
        }
    }
}

impl Block {
    /// The rows of a batch, at most a block full.
    pub(crate) fn pack(batch: &Batch) -> Block {
        debug_assert!(batch.len() <= BLOCK_ROWS);
        Block {
            ends: batch.rows.starts_u64()[1..].to_vec(),
            indices: Indices::pack(&batch.rows),
            values: Values::pack(batch.rows.values()),
            labels: batch.labels.clone(),
            weights: batch.weights.clone(),
            lines: batch.lines.clone(),
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many components all rows have.
    pub(crate) fn non_zeros(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Row `i`, with a constant in front where there is to be one; put together in `scratch` unless it lies here as it
    /// is.
    pub(crate) fn row<'a>(&'a self, i: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Row<'a> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        let range = start..self.ends[i] as usize;
        let Scratch { indices: places, values: numbers, .. } = scratch;
        let values = self.values_in(range.clone(), constant, numbers);
        if self.indices.are_whole(&range) {
            return Row::Dense(values); // whose places need not be unpacked
        }
        Row::new(self.indices_in(range, constant.is_some(), places), values)
    }

    fn values_in<'a>(&'a self, range: Range<usize>, constant: Option<f64>, room: &'a mut Vec<f64>) -> &'a [f64] {
        room.clear();
        room.extend(constant);
        match &self.values {
            Values::Double(values) if constant.is_none() => return &values[range],
            Values::Double(values) => room.extend_from_slice(&values[range]),
            Values::Bytes(bytes) => room.extend(bytes[range].iter().map(|&byte| f64::from(byte))),
            Values::Single(singles) => room.extend(singles[range].iter().map(|&single| f64::from(single))),
            Values::Ones => room.resize(room.len() + range.len(), 1.0),
        }
        room
    }

    fn indices_in<'a>(&'a self, range: Range<usize>, is_behind: bool, room: &'a mut Vec<u32>) -> &'a [u32] {
        let shift = u32::from(is_behind);
        room.clear();
        room.extend(is_behind.then_some(0));
        match &self.indices {
            Indices::Whole => room.extend((0..range.len() as u32).map(|index| index + shift)),
            Indices::Wide(indices) if !is_behind => return &indices[range],
            Indices::Wide(indices) => room.extend(indices[range].iter().map(|&index| index + shift)),
            Indices::Narrow(indices) => room.extend(indices[range].iter().map(|&index| u32::from(index) + shift)),
        }
        room
    }

    /// Row `i` will be announced soon: fetches what tells where it is.
    pub(crate) fn foresee(&self, i: usize) {
        fetch(&self.ends[i..=i]);
        fetch(&self.labels[i..=i]);
        fetch(&self.lines[i..=i]);
    }

    /// Row `i` is one of the next: fetches it from far memory.
    pub(crate) fn announce(&self, i: usize) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        let range = start..self.ends[i] as usize;
        match &self.indices {
            Indices::Whole => {}
            Indices::Narrow(indices) => fetch(&indices[range.clone()]),
            Indices::Wide(indices) => fetch(&indices[range.clone()]),
        }
        match &self.values {
            Values::Ones => {}
            Values::Bytes(values) => fetch(&values[range]),
            Values::Single(values) => fetch(&values[range]),
            Values::Double(values) => fetch(&values[range]),
        }
    }

    /// Whether a reader of so many features and labels can have given these rows.
    pub(crate) fn is_of_a_reader(&self, features: usize, labels: usize) -> bool {
        fn rise<T: Copy + PartialOrd + Into<u32>>(indices: &[T], ends: &[u64], features: usize) -> bool {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let mut rows = starts.zip(ends).map(|(start, &end)| &indices[start as usize..end as usize]);
            rows.all(|row| {
                let rises = row.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
                rises && row.last().is_none_or(|&last| (last.into() as usize) < features)
            })
        }
        // Without a branch for each, several are looked at at once.
        let is_value = |value: f64| (value != 0.0) & !value.is_infinite();
        let are_values = match &self.values {
            Values::Ones => true,
            Values::Bytes(values) => !values.contains(&0),
            Values::Single(values) => values.iter().fold(true, |all, &value| all & is_value(value.into())),
            Values::Double(values) => values.iter().fold(true, |all, &value| all & is_value(value)),
        };
        let are_indices = match &self.indices {
            Indices::Whole => {
                let starts = std::iter::once(&0).chain(&self.ends);
                starts.zip(&self.ends).all(|(start, end)| (end - start) as usize <= features)
            }
            Indices::Narrow(indices) => rise(indices, &self.ends, features),
            Indices::Wide(indices) => rise(indices, &self.ends, features),
        };
        are_values
            && are_indices
            && self.labels.iter().all(|&label| label == NO_LABEL || (label as usize) < labels)
            && self.weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0)
    }

    /// The sample weight of row `i`.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weights.get(i).copied().unwrap_or(1.0)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let of_a_component = match &self.indices {
            Indices::Whole => 0,
            Indices::Narrow(_) => 2,
            Indices::Wide(_) => 4,
        } + match &self.values {
            Values::Ones => 0,
            Values::Bytes(_) => 1,
            Values::Single(_) => 4,
            Values::Double(_) => 8,
        };
        of_a_component * self.non_zeros() + 20 * self.len() + 8 * self.weights.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;

    fn round_trip(rows: &[(&[u32], &[f64])]) -> Block {
        let mut batch = Batch::default();
        for (line, (indices, values)) in rows.iter().enumerate() {
            indices.iter().zip(*values).for_each(|(&i, &v)| batch.rows.push(i, v));
            batch.end_row(line as u32 % 2, 1.0 + line as f64 / 2.0, line as u64 + 7);
        }
        let block = Block::pack(&batch);
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
        let gaps = round_trip(&[(&[0, 1], &[0.5, 2.0]), (&[1], &[3.0])]);
        assert_eq!(gaps.indices, Indices::Narrow(vec![0, 1, 1]));
    }
}
