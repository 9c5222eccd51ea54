//! Many rows, one after another in three arrays (compressed sparse rows).

use super::{Row, fetch};
use crate::error::Result;
use crate::state::{State, refusal};

/// An appendable list of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many components are stored in all.
    pub fn non_zeros(&self) -> usize {
        self.values.len()
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let (indices, values) = self.parts(i);
        Row::new(indices, values)
    }

    /// All rows in their order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// The indices and values of row `i`.
    #[inline(always)]
    pub fn parts(&self, i: usize) -> (&[u32], &[f64]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        let end = self.ends[i];
        (&self.indices[start..end], &self.values[start..end])
    }

    /// Row `i` will be asked for soon: has the processor fetch where it is.
    #[inline]
    pub(crate) fn foresee(&self, i: usize) {
        fetch(&self.ends[i..=i]);
    }

    /// Appends one component to the row being built; indices must rise within a row.
    #[inline]
    pub fn push(&mut self, index: u32, value: f64) {
        self.indices.push(index);
        self.values.push(value);
    }

    /// Appends components to the row being built; indices must rise within a row.
    #[inline]
    pub(crate) fn extend(&mut self, indices: &[u32], values: &[f64]) {
        self.indices.extend_from_slice(indices);
        self.values.extend_from_slice(values);
    }

    /// Ends the row being built.
    pub fn end_row(&mut self) {
        self.ends.push(self.values.len());
    }

    /// Forgets the row being built.
    pub fn drop_partial_row(&mut self) {
        let end = self.ends.last().copied().unwrap_or(0);
        self.indices.truncate(end);
        self.values.truncate(end);
    }

    /// The components of the row being built.
    pub fn partial_row(&self) -> (&[u32], &[f64]) {
        let start = self.ends.last().copied().unwrap_or(0);
        (&self.indices[start..], &self.values[start..])
    }

    /// Appends a whole row.
    pub fn push_row(&mut self, row: Row<'_>) {
        match row {
            Row::Dense(values) => self.push_dense(values.iter().copied()),
            Row::Sparse { indices, values } => {
                self.indices.extend_from_slice(indices);
                self.values.extend_from_slice(values);
                self.end_row();
            }
        }
    }

    /// Appends a whole row that has all components from 0 on.
    pub(crate) fn push_dense(&mut self, values: impl ExactSizeIterator<Item = f64>) {
        self.indices.extend(0..values.len() as u32);
        self.values.extend(values);
        self.end_row();
    }

    /// Puts `row` in the place of row `i`; with no components, takes them out but leaves the place.
    pub fn replace(&mut self, i: usize, row: Row<'_>) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        let old = start..self.ends[i];
        if old.len() == row.values().len() {
            self.values[old.clone()].copy_from_slice(row.values());
            let mut places = self.indices[old].iter_mut();
            return row.for_each(|index, _| _ = places.next().map(|place| *place = index as u32));
        }
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        row.for_each(|index, value| {
            indices.push(index as u32);
            values.push(value);
        });
        let (before, after) = (old.len(), values.len());
        self.indices.splice(old.clone(), indices);
        self.values.splice(old, values);
        self.ends[i..].iter_mut().for_each(|end| *end = *end - before + after);
    }

    /// Removes row `i`; those behind it move up.
    pub fn remove(&mut self, i: usize) {
        self.replace(i, Row::Dense(&[]));
        self.ends.remove(i);
    }

    /// A copy of so many rows from `first` on, or of all that there are.
    pub(crate) fn part(&self, first: usize, count: usize) -> Rows {
        let mut part = Rows::default();
        (first..self.len().min(first + count)).for_each(|i| part.push_row(self.row(i)));
        part
    }

    /// Gives `use_it` all rows, at most so many at once.
    pub fn for_each_block(&self, most: usize, mut use_it: impl FnMut(&Rows)) {
        let mut block = Rows::default();
        for i in 0..self.len() {
            block.push_row(self.row(i));
            if block.len() == most || i + 1 == self.len() {
                use_it(&block);
                block.clear();
            }
        }
    }

    /// Removes all rows, keeping the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.indices.clear();
        self.values.clear();
    }

    /// Keeps the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.drop_partial_row();
    }

    /// One more than the largest index of any row.
    pub fn dimension(&self) -> usize {
        (0..self.len()).map(|i| self.row(i).dimension()).max().unwrap_or(0)
    }

    /// Where each row starts, and behind them where the last one ends.
    pub fn starts_u64(&self) -> Vec<u64> {
        std::iter::once(0).chain(self.ends.iter().map(|&end| end as u64)).collect()
    }

    /// All indices, row after row.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Rows from their three arrays; `None` unless they fit together and indices rise.
    pub fn from_parts(starts: &[u64], indices: Vec<u32>, values: Vec<f64>) -> Option<Rows> {
        let (&first, ends) = starts.split_first()?;
        let last = ends.last().copied().unwrap_or(0);
        if first != 0 || !starts.is_sorted() || last != indices.len() as u64 || indices.len() != values.len() {
            return None;
        }
        let ends: Vec<usize> = ends.iter().map(|&end| end as usize).collect();
        let mut start = 0;
        for &end in &ends {
            if !indices[start..end].is_sorted_by(|a, b| a < b) {
                return None;
            }
            start = end;
        }
        Some(Rows { ends, indices, values })
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.ends.len() * 8 + self.indices.len() * 4 + self.values.len() * 8
    }
}

impl Rows {
    /// The rows with each component at another place; `None` where there are fewer places than components.
    fn moved(&self, places: &[u32]) -> Option<Rows> {
        let mut moved = Rows::default();
        for i in 0..self.len() {
            let (indices, values) = self.parts(i);
            let pairs = indices.iter().zip(values).map(|(&i, &value)| Some((*places.get(i as usize)?, value)));
            let mut pairs = pairs.collect::<Option<Vec<(u32, f64)>>>()?;
            pairs.sort_by_key(|&(place, _)| place);
            pairs.into_iter().for_each(|(place, value)| moved.push(place, value));
            moved.end_row();
        }
        Some(moved)
    }
}

impl State {
    /// A set of rows.
    pub fn rows(&mut self, name: &str, rows: &mut Rows) -> Result<()> {
        self.within(name, |state| {
            let (mut starts, mut indices, mut values) = (rows.starts_u64(), Vec::new(), Vec::new());
            if !state.is_loading() {
                (indices, values) = (rows.indices().to_vec(), rows.values().to_vec());
            }
            state.u64s("starts", &mut starts)?;
            state.u32s("indices", &mut indices)?;
            state.f64s("values", &mut values)?;
            if state.is_loading() {
                *rows = Rows::from_parts(&starts, indices, values)
                    .ok_or_else(|| refusal("its stored rows do not fit together"))?;
                if let Some(places) = state.places() {
                    let moved = rows.moved(places);
                    *rows = moved.ok_or_else(|| refusal("its stored rows have more features than there are"))?;
                }
            }
            state.require(rows.dimension() <= state.most_features(), "indices go beyond the features there are")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Rows {
        let mut rows = Rows::default();
        rows.push_row(Row::new(&[0, 1], &[1.0, 2.0]));
        rows.push_row(Row::new(&[], &[]));
        rows.push_row(Row::new(&[1, 5], &[3.0, 4.0]));
        rows
    }

    #[test]
    fn a_row_without_gaps_is_dense() {
        let rows = sample();
        assert!(matches!(rows.row(0), Row::Dense([1.0, 2.0])));
        assert!(matches!(rows.row(2), Row::Sparse { .. }));
        assert_eq!(rows.dimension(), 6);
    }

    #[test]
    fn rows_can_be_replaced_and_removed() {
        let mut rows = sample();
        rows.replace(0, Row::new(&[2, 4, 6], &[5.0, 6.0, 7.0]));
        rows.replace(1, Row::new(&[0], &[8.0]));
        assert_eq!(rows.parts(0), (&[2, 4, 6][..], &[5.0, 6.0, 7.0][..]));
        assert_eq!((rows.parts(1), rows.parts(2)), ((&[0][..], &[8.0][..]), (&[1, 5][..], &[3.0, 4.0][..])));
        rows.remove(0);
        assert_eq!((rows.len(), rows.non_zeros(), rows.parts(1)), (2, 3, (&[1, 5][..], &[3.0, 4.0][..])));
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let rows = sample();
        let (starts, indices, values) = (rows.starts_u64(), rows.indices().to_vec(), rows.values().to_vec());
        assert_eq!(Rows::from_parts(&starts, indices.clone(), values.clone()), Some(rows));
        assert_eq!(Rows::from_parts(&starts[1..], indices.clone(), values.clone()), None);
        assert_eq!(Rows::from_parts(&starts, vec![1, 0, 1, 5], values), None);
        assert_eq!(Rows::from_parts(&starts, indices, vec![]), None);
    }
}
