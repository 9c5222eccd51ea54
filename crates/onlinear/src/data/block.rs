//! Rows held compactly: values and indices as narrow as they can be without loss.

use std::ops::Range;

use super::labels::{LabelId, NO_LABEL};
use crate::space::vector::{dot_behind, single_dot_behind, sparse_dot_behind};
use crate::space::{Row, Scratch, fetch};

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

/// 1, in no memory.
#[derive(Clone, Copy)]
struct One;

impl From<One> for f64 {
    fn from(_: One) -> f64 {
        1.0
    }
}

/// Whether none of the values is missing; without a branch for each.
pub(super) fn is_whole<T: Copy + PartialEq>(values: &[T]) -> bool {
    #[allow(clippy::eq_op)] // as no number is
    values.iter().fold(true, |all, value| all & (value == value))
}

impl Block {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many components all rows have.
    pub(crate) fn non_zeros(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Where the components of row `i` are.
    fn range(&self, i: usize) -> Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        start..self.ends[i] as usize
    }

    /// Row `i`, with a constant in front where there is to be one; put together in `scratch` unless it lies here as it
    /// is.
    pub(crate) fn row<'a>(&'a self, i: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Row<'a> {
        let range = self.range(i);
        let Scratch { indices: places, values: numbers, .. } = scratch;
        let values = self.values_in(range.clone(), constant, numbers);
        if self.indices.are_whole(&range) {
            return Row::Dense(values); // whose places need not be unpacked
        }
        Row::new(self.indices_in(range, constant.is_some(), places), values)
    }

    /// w·x of row `i`, with a constant in front where there is to be one: to the bit what [`Row::dot`] makes of the
    /// row, where it can be had without putting that together.
    #[inline]
    pub(crate) fn dot(&self, i: usize, constant: Option<f64>, w: &[f64]) -> Option<f64> {
        let range = self.range(i);
        if range.is_empty() {
            return None;
        }
        if self.indices.are_whole(&range) {
            // Without gaps it is dense, and summed as such.
            let constant = constant.filter(|_| w.len() > range.len())?;
            return match &self.values {
                Values::Double(values) => Some(dot_behind(w, constant, &values[range])),
                Values::Single(values) => Some(single_dot_behind(w, constant, &values[range])),
                Values::Ones | Values::Bytes(_) => None,
            };
        }
        match &self.indices {
            Indices::Whole => None,
            Indices::Narrow(indices) => Some(self.sparse_dot(&indices[range.clone()], range, constant, w)),
            Indices::Wide(indices) => Some(self.sparse_dot(&indices[range.clone()], range, constant, w)),
        }
    }

    #[inline]
    fn sparse_dot<I: Copy + Into<u32>>(
        &self,
        indices: &[I],
        range: Range<usize>,
        constant: Option<f64>,
        w: &[f64],
    ) -> f64 {
        match &self.values {
            Values::Ones => sparse_dot_behind(w, constant, indices, &vec![One; range.len()], I::into),
            Values::Bytes(values) => sparse_dot_behind(w, constant, indices, &values[range], I::into),
            Values::Single(values) => sparse_dot_behind(w, constant, indices, &values[range], I::into),
            Values::Double(values) => sparse_dot_behind(w, constant, indices, &values[range], I::into),
        }
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
        let range = self.range(i);
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

    /// Whether nothing is missing in any row.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.values {
            Values::Ones | Values::Bytes(_) => true,
            Values::Single(values) => is_whole(values),
            Values::Double(values) => is_whole(values),
        }
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
