//! Coefficients over a support set: f(x) = Σ αⱼ K(xⱼ, x), summed in the order of the support set.

use std::sync::OnceLock;

use super::cpu::for_all_vectors;
use super::{Finite, Kernel, Overflow, Row, SupportSet};
use crate::error::Result;
use crate::state::State;

/// Coefficients over a support set.
#[derive(Clone, Debug)]
pub struct Expansion {
    set: SupportSet,
    alpha: Vec<f64>,
    /// The scores of the rows announced, one per lane.
    sums: Vec<f64>,
    /// Whether a coefficient has changed that the sums have in them already.
    stale: bool,
    /// The kernel values of the rows held with the row of the last [`Expansion::trial_column`], once they were asked
    /// for …
    column: OnceLock<Vec<f64>>,
    /// … which has this lane.
    column_lane: Option<usize>,
}

impl Expansion {
    /// No rows yet, for any kernel.
    pub fn new(kernel: Kernel) -> Expansion {
        Expansion::over(SupportSet::new(kernel), Vec::new())
    }

    /// Coefficients over these rows.
    pub(crate) fn over(set: SupportSet, alpha: Vec<f64>) -> Expansion {
        Expansion { set, alpha, sums: Vec::new(), stale: false, column: OnceLock::new(), column_lane: None }
    }

    /// The rows.
    pub fn set(&self) -> &SupportSet {
        &self.set
    }

    /// The rows alone.
    pub(crate) fn into_set(self) -> SupportSet {
        self.set
    }

    /// α.
    pub fn coefficients(&self) -> &[f64] {
        &self.alpha
    }

    /// α, to change.
    pub fn coefficients_mut(&mut self) -> &mut [f64] {
        self.stale = true;
        &mut self.alpha
    }

    /// A copy that knows of no rows to come.
    pub fn without_look_ahead(&self) -> Expansion {
        let mut copy = Expansion::new(*self.set.kernel());
        (0..self.set.len()).for_each(|place| _ = copy.push(self.set.row(place), None, self.alpha[place]));
        copy
    }

    /// Announces the rows of the trials to come: row number i has lane i.
    pub fn look_ahead<'a>(&mut self, rows: impl ExactSizeIterator<Item = Row<'a>>) {
        self.set.look_ahead(rows);
        self.stale = true;
    }

    /// No row has a lane any more.
    pub fn end_look_ahead(&mut self) {
        self.set.end_look_ahead();
        self.stale = true;
    }

    /// f(x).
    pub fn score(&self, x: Row<'_>) -> f64 {
        self.set.combine(&self.alpha, x)
    }

    /// f(x) for the x of the trial now beginning, which has this lane among the rows announced, if any.
    pub fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        let Some(lane) = self.set.lane_ahead(lane) else { return self.score(x) };
        if std::mem::take(&mut self.stale) {
            self.sums.clear();
            self.sums.resize(SupportSet::MOST_AHEAD, 0.0);
            self.add_to_sums(0);
        }
        self.sums[lane]
    }

    /// Adds the rows from `first` on to the sums of all lanes.
    fn add_to_sums(&mut self, first: usize) {
        let (width, values) = (self.set.width_ahead().unwrap_or(0), self.set.values_ahead(first));
        match width {
            4 => add_4(&mut self.sums, values.as_chunks().0, &self.alpha[first..]),
            8 => add_8(&mut self.sums, values.as_chunks().0, &self.alpha[first..]),
            _ => add_16(&mut self.sums, values.as_chunks().0, &self.alpha[first..]),
        }
    }

    /// f(x) for the x of the trial now beginning, for a learner that may need the kernel values of x
    /// with the rows held as well: [`Expansion::column`] has them until the next trial.
    pub fn trial_column(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.column_lane = self.set.lane_ahead(lane);
        if self.column_lane.is_some() {
            self.column.take();
            return self.trial_score(x, lane);
        }
        let column: Vec<f64> = self.set.column(x, |values| values.collect());
        let score = column.iter().zip(&self.alpha).fold(0.0, |sum, (k, c)| sum + c * k);
        self.column = OnceLock::from(column);
        score
    }

    /// The kernel values of the rows held with the row of the last [`Expansion::trial_column`]; to be asked for before
    /// rows come or go.
    pub fn column(&self) -> &[f64] {
        self.column.get_or_init(|| {
            let lane = self.column_lane.unwrap_or(0);
            self.set.ahead_from(0).map(|values| values[lane]).collect()
        })
    }

    /// Adds a row at the end, whether or not it is held already; gives its place.
    pub fn push(&mut self, x: Row<'_>, id: Option<u64>, coefficient: f64) -> usize {
        let place = self.alpha.len();
        self.set.push(x, id);
        self.alpha.push(coefficient);
        self.add_to_sums(place);
        place
    }

    /// Puts a row in the place of another.
    pub fn replace(&mut self, place: usize, x: Row<'_>, coefficient: f64) {
        self.set.replace(place, x);
        self.coefficients_mut()[place] = coefficient;
    }

    /// Removes the oldest row.
    pub fn remove_oldest(&mut self) {
        self.set.remove_oldest();
        self.alpha.remove(0);
        self.stale = true;
    }

    /// Whether α + step is finite for the row with this id, and K(x,x) if it would join the support set.
    pub fn fits(&self, step: f64, x: Row<'_>, id: Option<u64>) -> Finite {
        match self.set.place_of(id) {
            Some(place) => Overflow::check([self.alpha[place] + step]),
            None => Overflow::check([step, self.set.with_itself(x)]),
        }
    }

    /// α ← α + step for the row with this id, which joins the support set if it is not held; gives its place.
    pub fn add(&mut self, step: f64, x: Row<'_>, id: Option<u64>) -> usize {
        match self.set.place_of(id) {
            Some(place) => {
                self.alpha[place] += step;
                self.stale = true;
                place
            }
            None => self.push(x, id, step),
        }
    }

    /// Visits the fields.
    pub fn state(&mut self, state: &mut State) -> Result<()> {
        state.within("support", |state| self.set.state(state))?;
        state.f64s("coefficients", &mut self.alpha)?;
        state.require(self.alpha.len() == self.set.len(), "coefficients and support rows differ in number")
    }
}

/// sums ← sums + Σ αⱼ valuesⱼ, one row held after another.
#[inline(always)]
fn add_in_order<const N: usize>(sums: &mut [f64], values: &[[f64; N]], alpha: &[f64]) {
    let Some(sums) = sums.first_chunk_mut::<N>() else { return };
    let mut all = *sums;
    for (values, alpha) in values.iter().zip(alpha) {
        for lane in 0..N {
            all[lane] += alpha * values[lane];
        }
    }
    *sums = all;
}

for_all_vectors!(fn add_4(sums: &mut [f64], values: &[[f64; 4]], alpha: &[f64]) = add_in_order::<4>);
for_all_vectors!(fn add_8(sums: &mut [f64], values: &[[f64; 8]], alpha: &[f64]) = add_in_order::<8>);
for_all_vectors!(fn add_16(sums: &mut [f64], values: &[[f64; 16]], alpha: &[f64]) = add_in_order::<16>);
