//! Rows of a table of which every feature is a number: no name is to be looked up, and columns become rows some at a
//! time.

use std::ops::Range;
use std::sync::Arc;

use super::batch::Batch;
use super::frame::FrameColumn;

/// So many cells are turned from columns into rows at a time: they stay in a core's cache.
const CELLS: usize = 1 << 15;
/// So many columns are walked through side by side: what becomes of their cells is a cache line.
const COLUMNS: usize = 8;

/// Turns columns of numbers into rows.
pub(super) struct DenseRows {
    columns: Vec<usize>,
    /// The place of the feature of each; places rise.
    places: Vec<u32>,
    /// The cells of these rows, row by row.
    values: Vec<f64>,
    rows: Range<usize>,
}

impl DenseRows {
    /// For these columns, each with the place of its feature.
    pub(super) fn new(columns: Vec<(usize, u32)>) -> DenseRows {
        let (columns, places) = columns.into_iter().unzip();
        DenseRows { columns, places, values: Vec::new(), rows: 0..0 }
    }

    /// Other columns have come.
    pub(super) fn restart(&mut self) {
        self.rows = 0..0;
    }

    /// Begins row `at` of `columns` in `batch`; false, and nothing is begun, if it has a cell without a finite number.
    pub(super) fn begin_row(&mut self, columns: &[Arc<FrameColumn>], at: usize, batch: &mut Batch) -> bool {
        let width = self.columns.len();
        if !self.rows.contains(&at) && !self.turn(columns, at) {
            return false;
        }
        let values = &self.values[(at - self.rows.start) * width..][..width];
        // Without a branch for each, several are looked at at once.
        let (are_finite, are_there) = values
            .iter()
            .fold((true, true), |(finite, there), value| (finite & value.is_finite(), there & (*value != 0.0)));
        if !are_finite {
            return false;
        }
        if are_there {
            batch.rows.extend(&self.places, values);
            return true;
        }
        let there = self.places.iter().zip(values).filter(|(_, value)| **value != 0.0);
        there.for_each(|(&place, &value)| batch.rows.push(place, value));
        true
    }

    /// Turns the rows from `at` on; false if any of the columns has none of numbers.
    #[cold]
    fn turn(&mut self, columns: &[Arc<FrameColumn>], at: usize) -> bool {
        let width = self.columns.len();
        let numbers = self.columns.iter().map(|&column| columns[column].numbers());
        let Some(numbers) = numbers.collect::<Option<Vec<&[f64]>>>() else { return false };
        let end = numbers.iter().map(|numbers| numbers.len()).min().unwrap_or(0).min(at + (CELLS / width).max(1));
        self.rows = at..end.max(at);
        let numbers: Vec<&[f64]> = numbers.into_iter().map(|numbers| &numbers[self.rows.clone()]).collect();
        self.values.resize(self.rows.len() * width, 0.0);
        let (groups, rest) = numbers.as_chunks::<COLUMNS>();
        for (group, numbers) in groups.iter().enumerate() {
            turn(numbers, &mut self.values[group * COLUMNS..], width);
        }
        for (column, numbers) in rest.iter().enumerate() {
            let values = self.values[groups.len() * COLUMNS + column..].iter_mut().step_by(width);
            values.zip(*numbers).for_each(|(value, &number)| *value = number);
        }
        self.rows.contains(&at)
    }
}

/// Turns columns into the first places of rows of this width.
fn turn(columns: &[&[f64]; COLUMNS], values: &mut [f64], width: usize) {
    let rows = columns[0].len();
    let columns = columns.map(|column| &column[..rows]); // all are of one length, which spares asking for each
    for (row, values) in values.chunks_mut(width).take(rows).enumerate() {
        let values: &mut [f64; COLUMNS] = values.first_chunk_mut().expect("a row has as many places and more");
        for (value, column) in values.iter_mut().zip(columns) {
            *value = column[row];
        }
    }
}
