//! Rows in the caller's memory, whatever their layout.

use crate::space::{Row, Rows};

/// A row is announced this many rows before it is met: long enough to come from far memory.
pub(crate) const ROWS_AHEAD: usize = 4;

/// Rows in memory, in any order and of any layout.
pub trait Table: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`, with a constant in front where there is to be one; put together in `indices` and `values` where it does
    /// not lie in memory as a [`Row`] does.
    fn row<'a>(
        &'a self,
        i: usize,
        constant: Option<f64>,
        indices: &'a mut Vec<u32>,
        values: &'a mut Vec<f64>,
    ) -> Row<'a>;

    /// w·x of row `i`, with a constant in front where there is to be one: to the bit what [`Row::dot`] makes of the
    /// row, where it can be had without putting that together.
    fn dot(&self, _i: usize, _constant: Option<f64>, _w: &[f64]) -> Option<f64> {
        None
    }

    /// Row `i` is one of the next that are asked for: time to fetch it from far memory.
    fn announce(&self, _i: usize) {}
}

impl Table for Rows {
    fn len(&self) -> usize {
        Rows::len(self)
    }

    fn row<'a>(
        &'a self,
        i: usize,
        constant: Option<f64>,
        indices: &'a mut Vec<u32>,
        values: &'a mut Vec<f64>,
    ) -> Row<'a> {
        let Some(constant) = constant else { return Rows::row(self, i) };
        let (places, numbers) = self.parts(i);
        indices.clear();
        indices.push(0);
        indices.extend(places.iter().map(|place| place + 1));
        values.clear();
        values.push(constant);
        values.extend_from_slice(numbers);
        Row::new(indices, values)
    }
}
