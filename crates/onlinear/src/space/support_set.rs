//! Rows that a kernel hypothesis is built on, and their kernel values with rows ahead.
//!
//! Where the rows to come are known, their kernel values with all rows held are computed together,
//! a block at a time ([`SupportSet::look_ahead`]); a row added meanwhile gets its values with the
//! rest of the block. The values are the same to the bit as one by one.

use std::cell::RefCell;
use std::collections::HashMap;

use super::kernel::{Kernel, Traits};
use super::lanes::{Lanes, MOST_LANES, square_in_order};
use super::slots::NEAR;
use super::{Row, Rows};
use crate::error::Result;
use crate::state::State;

/// Rows held, in the order in which they came.
#[derive(Clone, Debug)]
pub struct SupportSet {
    kernel: Kernel,
    rows: Rows,
    traits: Vec<Traits>,
    /// The place of a row by its id, for rows that have one.
    places: HashMap<u64, usize>,
    /// The id of each row; `NO_ID` where it has none.
    ids: Vec<u64>,
    ahead: Option<LookAhead>,
    /// The last look-ahead, for its memory.
    spent: LookAhead,
}

const NO_ID: u64 = u64::MAX;

/// What goes with a row, in bytes.
const ROW_OVERHEAD: usize = 64;

/// The rows to come and their kernel values.
#[derive(Clone, Debug, Default)]
struct LookAhead {
    lanes: Lanes,
    /// For each row held, its kernel values with all lanes.
    values: Vec<f64>,
}

/// Kernel values of the rows held with some others.
pub(crate) struct Columns<'a> {
    values: &'a mut [f64],
    width: usize,
}

impl<'a> Columns<'a> {
    /// How many values there are per row held; those beyond the rows asked for mean nothing.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// For each row held, in their order, its kernel values.
    pub(crate) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width)
    }

    /// All values, one row held after another, to change.
    pub(crate) fn into_values(self) -> &'a mut [f64] {
        self.values
    }
}

impl SupportSet {
    /// The most rows that [`SupportSet::look_ahead`] takes.
    pub const MOST_AHEAD: usize = MOST_LANES;

    /// No rows yet.
    pub fn new(kernel: Kernel) -> SupportSet {
        SupportSet {
            kernel,
            rows: Rows::default(),
            traits: Vec::new(),
            places: HashMap::new(),
            ids: Vec::new(),
            ahead: None,
            spent: LookAhead::default(),
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// How many rows are held.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// K(x,x).
    pub fn with_itself(&self, x: Row<'_>) -> f64 {
        self.kernel.with_itself(square_in_order(x))
    }

    /// √K(x,x) of a row held.
    pub(crate) fn length(&self, place: usize) -> f64 {
        if self.kernel.cosine { 1.0 } else { self.traits[place].length }
    }

    /// The place of the row with this id, if it is held.
    pub fn place_of(&self, id: Option<u64>) -> Option<usize> {
        self.places.get(&id?).copied()
    }

    /// Adds a row at the end.
    pub fn push(&mut self, x: Row<'_>, id: Option<u64>) {
        let place = self.rows.len();
        self.rows.push_row(x);
        self.traits.push(self.kernel.traits_of(square_in_order(x)));
        self.ids.push(id.unwrap_or(NO_ID));
        self.places.extend(id.map(|id| (id, place)));
        if let Some(LookAhead { lanes, values, .. }) = &mut self.ahead {
            lanes.fill(&self.kernel, &self.rows, &self.traits, place..place + 1, values);
        }
    }

    /// Puts a row in the place of another, in a set of rows without ids.
    pub fn replace(&mut self, place: usize, x: Row<'_>) {
        debug_assert!(self.places.is_empty());
        self.rows.replace(place, x);
        self.traits[place] = self.kernel.traits_of(square_in_order(x));
        if let Some(ahead) = &mut self.ahead {
            let width = ahead.lanes.width();
            let mut values = Vec::with_capacity(width);
            ahead.lanes.fill(&self.kernel, &self.rows, &self.traits, place..place + 1, &mut values);
            ahead.values[place * width..(place + 1) * width].copy_from_slice(&values);
        }
    }

    /// Removes the oldest row of a set of rows without ids; the others move up.
    pub fn remove_oldest(&mut self) {
        debug_assert!(self.places.is_empty());
        self.rows.remove(0);
        self.traits.remove(0);
        self.ids.remove(0);
        if let Some(ahead) = &mut self.ahead {
            ahead.values.drain(..ahead.lanes.width());
        }
    }

    /// The most memory for finding so many features in rows to come, in bytes: those ahead, and those asked for.
    pub(crate) fn lookup_bytes(features: usize) -> u64 {
        2 * size_of::<u32>() as u64 * features.min(NEAR) as u64
    }

    /// Memory that the rows take, with their coefficients, traits, ids and kernel values, in bytes.
    pub fn bytes(&self) -> u64 {
        let values = self.ahead.as_ref().unwrap_or(&self.spent).values.len();
        (self.rows.bytes() + self.len() * ROW_OVERHEAD + 8 * values) as u64
    }

    /// Row `place`.
    pub fn row(&self, place: usize) -> Row<'_> {
        self.rows.row(place)
    }

    /// Announces the next rows, at most [`SupportSet::MOST_AHEAD`]: row number i has lane i.
    pub fn look_ahead<'a>(&mut self, rows: impl ExactSizeIterator<Item = Row<'a>>) {
        let mut ahead = self.ahead.take().unwrap_or_else(|| std::mem::take(&mut self.spent));
        ahead.lanes.load(&self.kernel, rows);
        ahead.values.clear();
        ahead.lanes.fill(&self.kernel, &self.rows, &self.traits, 0..self.rows.len(), &mut ahead.values);
        self.ahead = Some(ahead);
    }

    /// No row has a lane any more.
    pub fn end_look_ahead(&mut self) {
        self.spent = self.ahead.take().unwrap_or_default();
    }

    /// The lane of a row that was announced; `None` when no look-ahead is under way.
    pub(crate) fn lane_ahead(&self, lane: Option<usize>) -> Option<usize> {
        let count = self.ahead.as_ref()?.lanes.count();
        lane.filter(|&lane| lane < count)
    }

    /// Σ cⱼ K(xⱼ, x) for any coefficients of the rows held.
    pub fn combine(&self, coefficients: &[f64], x: Row<'_>) -> f64 {
        self.column(x, |column| column.zip(coefficients).fold(0.0, |sum, (k, c)| sum + c * k))
    }

    /// Appends Σ cⱼ K(xⱼ, x) for each x of at most [`SupportSet::MOST_AHEAD`] rows.
    pub fn combine_all(&self, coefficients: &[f64], rows: &Rows, out: &mut Vec<f64>) {
        let first = out.len();
        self.columns(rows, |columns| {
            out.resize(first + columns.width(), 0.0);
            for (values, c) in columns.rows().zip(coefficients) {
                out[first..].iter_mut().zip(values).for_each(|(sum, k)| *sum += c * k);
            }
        });
        out.truncate(first + rows.len());
    }

    /// How many kernel values a row held has with the lanes of the look-ahead; `None` when none is under way.
    pub(crate) fn width_ahead(&self) -> Option<usize> {
        self.ahead.as_ref().map(|ahead| ahead.lanes.width())
    }

    /// For each row held from `first` on, its kernel values with all lanes of the look-ahead.
    pub(crate) fn ahead_from(&self, first: usize) -> impl Iterator<Item = &[f64]> {
        let (ahead, width) = (self.ahead.as_ref(), self.width_ahead().unwrap_or(1));
        ahead.map_or(&[][..], |ahead| &ahead.values[first * width..]).chunks_exact(width)
    }

    /// Gives `use_it` the kernel values of the rows held with each of `rows`, at most
    /// [`SupportSet::MOST_AHEAD`] of them.
    pub(crate) fn columns<T>(&self, rows: &Rows, use_it: impl FnOnce(Columns<'_>) -> T) -> T {
        thread_local! {
            /// Memory used again and again.
            static WORK: RefCell<(Lanes, Vec<f64>)> = RefCell::default();
        }
        WORK.with_borrow_mut(|(lanes, values)| {
            lanes.load(&self.kernel, rows.iter());
            values.clear();
            lanes.fill(&self.kernel, &self.rows, &self.traits, 0..self.rows.len(), values);
            use_it(Columns { values, width: lanes.width() })
        })
    }

    /// Gives `use_it` the kernel values of the rows held with `x`, in their order.
    pub(crate) fn column<T>(&self, x: Row<'_>, use_it: impl FnOnce(&mut dyn Iterator<Item = f64>) -> T) -> T {
        let mut rows = Rows::default();
        rows.push_row(x);
        self.columns(&rows, |columns| use_it(&mut columns.rows().map(|values| values[0])))
    }

    /// K v, with the Gram matrix K of the rows held.
    pub(crate) fn gram_times(&self, v: &[f64]) -> Vec<f64> {
        let mut products = Vec::with_capacity(self.len());
        let mut block = Rows::default();
        for first in (0..self.len()).step_by(MOST_LANES) {
            block.clear();
            (first..self.len().min(first + MOST_LANES)).for_each(|i| block.push_row(self.row(i)));
            self.columns(&block, |columns| {
                let mut sums = [0.0; MOST_LANES];
                for (values, v) in columns.rows().zip(v) {
                    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value * v);
                }
                products.extend_from_slice(&sums[..block.len()]);
            });
        }
        products
    }

    /// The rows of several sets as one, with the places that those of each have in it, of `base` too. What stands at
    /// the place of the same row of the base is that row; all others are rows of their own, whatever their ids.
    pub(crate) fn united(base: &SupportSet, parts: &[&SupportSet]) -> (SupportSet, Vec<Vec<usize>>) {
        let mut union = SupportSet::new(base.kernel);
        (0..base.len()).for_each(|place| union.push(base.row(place), None));
        let mut places = vec![(0..base.len()).collect()];
        for part in parts {
            let is_of_base = |place: usize| place < base.len() && part.rows.parts(place) == base.rows.parts(place);
            let mut place_in_union = |place: usize| {
                if is_of_base(place) {
                    return place;
                }
                union.push(part.row(place), None);
                union.len() - 1
            };
            places.push((0..part.len()).map(&mut place_in_union).collect());
        }
        (union, places)
    }

    /// Visits the fields.
    pub fn state(&mut self, state: &mut State) -> Result<()> {
        state.rows("rows", &mut self.rows)?;
        state.u64s("ids", &mut self.ids)?;
        state.require(self.ids.len() == self.rows.len(), "ids and rows differ in length")?;
        if state.is_loading() {
            let traits = |i| self.kernel.traits_of(square_in_order(self.rows.row(i)));
            self.traits = (0..self.rows.len()).map(traits).collect();
            let known = self.ids.iter().enumerate().filter(|(_, id)| **id != NO_ID);
            self.places = known.clone().map(|(place, &id)| (id, place)).collect();
            state.require(self.places.len() == known.count(), "two rows have the same id")?;
        }
        Ok(())
    }
}
