//! The trials that a bound is about: the mistaken ones, each row held once.

use std::collections::HashMap;

use crate::learner::Label;
use crate::parallel;
use crate::space::{Kernel, Row, Rows, SupportSet};

/// The rows that mistakes were made on, and those of other updates where the theorem counts them, as the learner saw
/// them, and the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct ChargedTrials {
    rows: Rows,
    y: Vec<f64>,
    /// How often each row was met.
    counts: Vec<f64>,
    /// The place of each charged trial's row, trial after trial.
    sequence: Vec<u32>,
    /// The places by the rows' numbers in the data.
    places: HashMap<u64, u32>,
    mistakes: u64,
}

impl ChargedTrials {
    /// One more trial, on row `number` of the data.
    pub fn add(&mut self, number: u64, x: Row<'_>, y: Label, is_mistake: bool) {
        let place = *self.places.entry(number).or_insert_with(|| {
            self.rows.push_row(x);
            self.y.push(y.sign());
            self.counts.push(0.0);
            (self.y.len() - 1) as u32
        });
        self.counts[place as usize] += 1.0;
        self.sequence.push(place);
        self.mistakes += u64::from(is_mistake);
    }

    /// How many of the trials were mistakes.
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }

    /// The rows, each once.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Their labels as −1 and +1.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// How often each row was met.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// The place of each trial's row, trial after trial.
    pub fn sequence(&self) -> &[u32] {
        &self.sequence
    }

    /// These trials, so many times over.
    pub(crate) fn repeated(mut self, times: u64) -> ChargedTrials {
        self.counts.iter_mut().for_each(|count| *count *= times as f64);
        self
    }

    /// These trials on other rows, one for each.
    pub(crate) fn with_rows(&self, rows: Rows) -> ChargedTrials {
        ChargedTrials { rows, ..self.clone() }
    }

    /// R, the largest norm of a row; in the norm 2, the kernel's.
    pub(crate) fn radius(&self, norm: f64, kernel: Option<Kernel>) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let rows = (0..self.rows.len()).map(|i| self.rows.row(i));
        match norm {
            2.0 => largest(&mut self.squares(kernel).into_iter().map(f64::sqrt)),
            f64::INFINITY => largest(&mut rows.map(|x| x.largest())),
            p => largest(&mut rows.map(|x| x.norm(p))),
        }
    }

    /// K(x,x) of each row; ‖x‖² without a kernel.
    pub(crate) fn squares(&self, kernel: Option<Kernel>) -> Vec<f64> {
        let square = |i| self.rows.row(i).squared_norm();
        let set = kernel.map(SupportSet::new);
        (0..self.rows.len())
            .map(|i| set.as_ref().map_or_else(|| square(i), |set| set.with_itself(self.rows.row(i))))
            .collect()
    }
}

/// For each of `rows`, in their order, what `use_it` makes of its kernel values with all rows of `set`.
pub(crate) fn for_each_column<T: Send>(
    set: &SupportSet,
    rows: &Rows,
    use_it: impl Fn(usize, &mut dyn Iterator<Item = f64>) -> T + Sync,
) -> Vec<T> {
    let blocks = rows.len().div_ceil(SupportSet::MOST_AHEAD);
    let of_block = |block: usize| {
        let first = block * SupportSet::MOST_AHEAD;
        let last = rows.len().min(first + SupportSet::MOST_AHEAD);
        let mut queries = Rows::default();
        (first..last).for_each(|i| queries.push_row(rows.row(i)));
        set.columns(&queries, |columns| {
            (first..last).map(|i| use_it(i, &mut columns.rows().map(|values| values[i - first]))).collect::<Vec<T>>()
        })
    };
    parallel::map(blocks, of_block).into_iter().flatten().collect()
}
