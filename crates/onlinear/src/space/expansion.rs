//! Coefficients over a support set: f(x) = Σ αⱼ K(xⱼ, x), summed in the order of the support set.

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
    /// The kernel values of the rows held with the row of the last [`Expansion::trial_column`].
    column: Vec<f64>,
}

impl Expansion {
    /// No rows yet, for any kernel.
    pub fn new(kernel: Kernel) -> Expansion {
        Expansion::over(SupportSet::new(kernel), Vec::new())
    }

    /// Coefficients over these rows.
    pub(crate) fn over(set: SupportSet, alpha: Vec<f64>) -> Expansion {
        Expansion { set, alpha, sums: Vec::new(), stale: false, column: Vec::new() }
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
        for (values, alpha) in self.set.ahead_from(first).zip(&self.alpha[first..]) {
            for (sum, k) in self.sums.iter_mut().zip(values) {
                *sum += alpha * k;
            }
        }
    }

    /// f(x) for the x of the trial now beginning, for a learner that needs the kernel values of x
    /// with the rows held as well: [`Expansion::column`] has them until the next trial.
    pub fn trial_column(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        let mut column = std::mem::take(&mut self.column);
        column.clear();
        match self.set.lane_ahead(lane) {
            Some(lane) => column.extend(self.set.ahead_from(0).map(|values| values[lane])),
            None => self.set.column(x, |values| column.extend(values)),
        }
        self.column = column;
        self.column.iter().zip(&self.alpha).fold(0.0, |sum, (k, c)| sum + c * k)
    }

    /// The kernel values of the rows held with the row of the last [`Expansion::trial_column`].
    pub fn column(&self) -> &[f64] {
        &self.column
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
