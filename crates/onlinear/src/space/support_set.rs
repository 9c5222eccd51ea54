//! Rows that a kernel hypothesis is built on, and their kernel values with rows ahead.
//!
//! Where the rows to come are known, their kernel values with all rows held are computed together,
//! a block at a time ([`SupportSet::look_ahead`]), on several threads where it is much; a row added meanwhile gets its
//! values with the rest of the block. The values are the same to the bit as one by one.

use std::cell::RefCell;
use std::collections::HashMap;

use super::kernel::{Kernel, Traits};
use super::lanes::{Lanes, MOST_LANES, square_in_order};
use super::look_ahead::{Held, LookAhead, MOST_BLOCKS, MOST_PLACES, WORTH_THREADS};
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
    ahead: LookAhead,
}

const NO_ID: u64 = u64::MAX;

/// What a kernel needs of the rows held, beside which the look-ahead may change.
macro_rules! held {
    ($set:ident) => {
        Held { kernel: &$set.kernel, rows: &$set.rows, traits: &$set.traits }
    };
}

/// What goes with a row, in bytes.
const ROW_OVERHEAD: usize = 64;

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
    /// The most rows that have lanes at once.
    pub const MOST_AHEAD: usize = MOST_LANES;
    /// So many rows are worth announcing at once: several threads have enough to do with them.
    pub const MOST_ANNOUNCED: usize = MOST_LANES * MOST_BLOCKS;
    /// Fewer kernel values than these are not worth a thread.
    pub(crate) const WORTH_THREADS: usize = WORTH_THREADS;

    /// No rows yet.
    pub fn new(kernel: Kernel) -> SupportSet {
        SupportSet {
            kernel,
            rows: Rows::default(),
            traits: Vec::new(),
            places: HashMap::new(),
            ids: Vec::new(),
            ahead: LookAhead::default(),
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
        self.ahead.pushed(held!(self));
    }

    /// Puts a row in the place of another, in a set of rows without ids.
    pub fn replace(&mut self, place: usize, x: Row<'_>) {
        debug_assert!(self.places.is_empty());
        self.rows.replace(place, x);
        self.traits[place] = self.kernel.traits_of(square_in_order(x));
        self.ahead.replaced(held!(self), place);
    }

    /// Removes the oldest row of a set of rows without ids; the others move up.
    pub fn remove_oldest(&mut self) {
        debug_assert!(self.places.is_empty());
        self.rows.remove(0);
        self.traits.remove(0);
        self.ids.remove(0);
        self.ahead.removed_oldest();
    }

    /// The most memory for finding so many features in rows to come, in bytes: those ahead, and those asked for.
    pub(crate) fn lookup_bytes(features: usize) -> u64 {
        let (near, blocks) = (features.min(NEAR), MOST_PLACES.min(MOST_BLOCKS.saturating_mul(features)));
        size_of::<u32>() as u64 * (near + near.max(blocks)) as u64
    }

    /// Memory that the rows take, with their coefficients, traits, ids and kernel values with as many rows as have
    /// lanes, in bytes. Values for rows behind those, of which several threads work some out, do not count: a limit is
    /// to be met at the same row with any number of threads.
    pub fn bytes(&self) -> u64 {
        (self.rows.bytes() + self.len() * (ROW_OVERHEAD + size_of::<f64>() * MOST_LANES)) as u64
    }

    /// Row `place`.
    pub fn row(&self, place: usize) -> Row<'_> {
        self.rows.row(place)
    }

    /// Announces the next rows. The first of them, at most [`SupportSet::MOST_AHEAD`], have lanes: row number i lane i.
    /// Those behind are the next to be announced, until [`SupportSet::end_look_ahead`].
    pub fn look_ahead<'a>(&mut self, rows: impl ExactSizeIterator<Item = Row<'a>>) {
        self.ahead.begin(held!(self), rows);
    }

    /// No row has a lane any more, and others may be announced.
    pub fn end_look_ahead(&mut self) {
        self.ahead.end();
    }

    /// The lane of a row that was announced; `None` when no look-ahead is under way.
    pub(crate) fn lane_ahead(&self, lane: Option<usize>) -> Option<usize> {
        let count = self.ahead.due()?.lanes.count();
        lane.filter(|&lane| lane < count)
    }

    /// The number of the block of rows that have lanes; `None` when no look-ahead is under way.
    pub(crate) fn block_ahead(&self) -> Option<u64> {
        self.ahead.number()
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
        self.ahead.due().map(|due| due.lanes.width())
    }

    /// For each row held from `first` on, its kernel values with all lanes of the look-ahead.
    pub(crate) fn ahead_from(&self, first: usize) -> impl Iterator<Item = &[f64]> {
        self.values_ahead(first).chunks_exact(self.width_ahead().unwrap_or(1))
    }

    /// The same, one row held after another.
    pub(crate) fn values_ahead(&self, first: usize) -> &[f64] {
        self.ahead.due().map_or(&[][..], |due| &due.values[first * due.lanes.width()..])
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
            values.resize(self.len() * lanes.width(), 0.0);
            lanes.fill(held!(self), 0, values);
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
