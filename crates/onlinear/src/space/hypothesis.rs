//! A linear hypothesis: a weight vector over features, or coefficients over a support set.
//!
//! Primal, f(x) = w·x. Dual, f(x) = Σ αⱼ K(xⱼ, x), summed in the order of the support set. A learner
//! is written once for both.

use super::{Kernel, Row, Rows, SupportSet, Weights};
use crate::error::Result;
use crate::learner::Example;
use crate::state::State;

/// f, in one of two forms.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a learner has one, not thousands
pub enum Hypothesis {
    /// w, for the linear kernel.
    Primal(Weights),
    /// α and the rows it belongs to, for any kernel.
    Dual(Box<Expansion>),
}

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

impl Hypothesis {
    /// f = 0, in the form that fits the kernel.
    pub fn new(kernel: Kernel) -> Hypothesis {
        if kernel.is_linear() {
            return Hypothesis::Primal(Weights::default());
        }
        Hypothesis::Dual(Box::new(Expansion::new(kernel)))
    }

    /// f(x).
    pub fn score(&self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.combine(&f.alpha, x),
        }
    }

    /// f(x) for the x of the trial now beginning: the next of the rows announced, if any were.
    #[inline]
    pub fn trial_score(&mut self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.trial_score(x),
        }
    }

    /// The same, keeping the kernel values for the update ([`Expansion::column`]): for learners whose
    /// updates change every coefficient.
    pub fn trial_column(&mut self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(w) => w.dot(x),
            Hypothesis::Dual(f) => f.trial_column(x),
        }
    }

    /// f ← f + step · K(x, ·); gives the place of x among the coefficients (0 in primal form).
    pub fn add(&mut self, step: f64, example: &Example<'_>) -> usize {
        match self {
            Hypothesis::Primal(w) => {
                w.add(step, example.x);
                0
            }
            Hypothesis::Dual(f) => f.add(step, example.x, example.id),
        }
    }

    /// K(x,x).
    pub fn square(&self, x: Row<'_>) -> f64 {
        match self {
            Hypothesis::Primal(_) => x.squared_norm(),
            Hypothesis::Dual(f) => f.set.with_itself(x),
        }
    }

    /// Whether K(x,x) = 0, so that x can change nothing.
    pub fn vanishes_at(&self, x: Row<'_>) -> bool {
        match self {
            Hypothesis::Primal(_) => x.is_zero(),
            Hypothesis::Dual(f) => f.set.with_itself(x) == 0.0,
        }
    }

    /// Announces the rows of the trials to come.
    pub fn look_ahead(&mut self, rows: &Rows) {
        if let Hypothesis::Dual(f) = self {
            f.look_ahead(rows);
        }
    }

    /// w, in primal form.
    pub fn weights(&self) -> Option<&Weights> {
        match self {
            Hypothesis::Primal(w) => Some(w),
            Hypothesis::Dual(_) => None,
        }
    }

    /// The coefficients and their rows, in dual form.
    pub fn expansion(&self) -> Option<&Expansion> {
        match self {
            Hypothesis::Primal(_) => None,
            Hypothesis::Dual(f) => Some(f),
        }
    }

    /// How many rows it is good to know ahead.
    pub fn block(&self) -> usize {
        match self {
            Hypothesis::Primal(_) => 1,
            Hypothesis::Dual(_) => SupportSet::MOST_AHEAD,
        }
    }

    /// What the form is called.
    pub fn form(&self) -> &'static str {
        match self {
            Hypothesis::Primal(_) => "primal",
            Hypothesis::Dual(_) => "dual",
        }
    }

    /// How many support vectors there are, in dual form.
    pub fn support(&self) -> Option<usize> {
        self.expansion().map(|f| f.set.len())
    }

    /// Memory that its support vectors take, in bytes.
    pub fn held(&self) -> u64 {
        self.expansion().map_or(0, |f| f.set.bytes())
    }

    /// Appends f(x) of each row.
    pub fn scores(&self, rows: &Rows, out: &mut Vec<f64>) {
        match self {
            Hypothesis::Primal(w) => out.extend((0..rows.len()).map(|i| w.dot(rows.row(i)))),
            Hypothesis::Dual(f) => f.combine_all(&f.alpha, rows, out),
        }
    }

    /// Visits the fields.
    pub fn state(&mut self, state: &mut State) -> Result<()> {
        match self {
            Hypothesis::Primal(w) => state.f64s("weights", w.as_mut_vec()),
            Hypothesis::Dual(f) => f.state(state),
        }
    }
}

impl Expansion {
    /// No rows yet, for any kernel.
    pub fn new(kernel: Kernel) -> Expansion {
        Expansion {
            set: SupportSet::new(kernel),
            alpha: Vec::new(),
            sums: Vec::new(),
            stale: false,
            column: Vec::new(),
        }
    }

    /// The rows.
    pub fn set(&self) -> &SupportSet {
        &self.set
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

    /// Announces the rows of the trials to come.
    pub fn look_ahead(&mut self, rows: &Rows) {
        self.set.look_ahead(rows);
        self.stale = true;
    }

    /// Σ cⱼ K(xⱼ, x) for any coefficients of the rows held.
    pub fn combine(&self, coefficients: &[f64], x: Row<'_>) -> f64 {
        self.set.column(x, |column| column.zip(coefficients).fold(0.0, |sum, (k, c)| sum + c * k))
    }

    /// The same for each of some rows.
    pub fn combine_all(&self, coefficients: &[f64], rows: &Rows, out: &mut Vec<f64>) {
        let first = out.len();
        self.set.columns(rows, |columns| {
            out.resize(first + columns.width(), 0.0);
            for (values, c) in columns.rows().zip(coefficients) {
                out[first..].iter_mut().zip(values).for_each(|(sum, k)| *sum += c * k);
            }
        });
        out.truncate(first + rows.len());
    }

    /// f(x) for the x of the trial now beginning.
    pub fn trial_score(&mut self, x: Row<'_>) -> f64 {
        let Some(lane) = self.set.advance() else { return self.combine(&self.alpha, x) };
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
    pub fn trial_column(&mut self, x: Row<'_>) -> f64 {
        let mut column = std::mem::take(&mut self.column);
        column.clear();
        match self.set.advance() {
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

    fn add(&mut self, step: f64, x: Row<'_>, id: Option<u64>) -> usize {
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
