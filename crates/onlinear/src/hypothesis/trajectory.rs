//! A hypothesis that moves by steps, along rows or others, and which part of its way the model is: where it is now,
//! the mean of all it has been, the one that survived most trials, or all of them voting. Once, for every learner
//! that moves so.
//!
//! *The mean.* w̄ = (1/T) Σ_t w_t, w_t the weights after trial t. A step s x made in trial t is in w_t … w_T, that
//! is in T − (t − 1) of the T vectors; so with u = Σ (t − 1) s x the mean is w − u/T, and a trial without a step
//! touches nothing. With a kernel the same holds of the coefficients.
//!
//! *The vote* is in `votes.rs`.

use std::borrow::Cow;

use super::Hypothesis;
use super::votes::{Ballot, Votes};
use crate::error::Result;
use crate::learner::{Example, Formula, Leaves, Score};
use crate::space::{Expansion, Finite, Kernel, Overflow, Row, Weights, vector};
use crate::spec::{Declaration, choice};
use crate::state::State;

choice! {
    /// Which hypothesis the model is.
    pub(crate) enum Output {
        /// The last one.
        Last = "last",
        /// The mean of all.
        Averaged = "averaged",
        /// The one that survived most trials.
        Longest = "longest",
    }
}

/// The parameter `output`.
pub(crate) const OUTPUT: Declaration<Output> = Output::parameter(
    "output",
    Output::Last,
    "predict with the last hypothesis, the mean of all, or the one that survived most trials",
);

/// A hypothesis on its way.
pub(crate) struct Trajectory {
    pub(super) f: Hypothesis,
    pub(super) past: Past,
    /// Trials that are over.
    pub(super) trials: u64,
    /// Trials that were over when f came to be as it is.
    pub(super) since: u64,
    /// Whether the model keeps the number of trials, though its output does not need it.
    pub(super) keeps_trials: bool,
}

/// What is kept of earlier hypotheses.
pub(super) enum Past {
    Nothing,
    /// u.
    Sum(Weights),
    /// The one that survived most trials, of those that are over, and how many these were.
    Best {
        survived: u64,
        f: Box<Hypothesis>,
    },
    /// All of them.
    Votes(Box<Votes>),
}

impl Trajectory {
    /// f = 0.
    pub(crate) fn new(kernel: Kernel, output: Output) -> Trajectory {
        Trajectory::of(Hypothesis::new(kernel), output)
    }

    /// f = 0 over a support set, whatever the kernel; the number of trials is kept.
    pub(crate) fn dual(kernel: Kernel, output: Output) -> Trajectory {
        Trajectory { keeps_trials: true, ..Trajectory::of(Hypothesis::dual(kernel), output) }
    }

    /// f = w in place of 0, before the first trial; whether that can be. It is in every mean; a vote is about steps
    /// alone.
    pub(super) fn start_at(&mut self, w: &[f64]) -> bool {
        match (&mut self.f, &mut self.past) {
            (Hypothesis::Dual(_), _) | (_, Past::Votes(_)) => return false,
            (Hypothesis::Primal(f), past) => {
                *f.as_mut_vec() = w.to_vec();
                if let Past::Sum(u) = past {
                    u.as_mut_vec().resize(w.len(), 0.0);
                }
            }
        }
        true
    }

    /// f = 0, of which all hypotheses vote.
    pub(crate) fn voting(kernel: Kernel) -> Trajectory {
        Trajectory { past: Past::Votes(Box::new(Votes::new(kernel))), ..Trajectory::new(kernel, Output::Last) }
    }

    /// f, about to be moved.
    pub(crate) fn of(f: Hypothesis, output: Output) -> Trajectory {
        let past = match output {
            Output::Last => Past::Nothing,
            Output::Averaged => Past::Sum(Weights::default()),
            Output::Longest => Past::Best { survived: 0, f: Box::new(f.clone()) },
        };
        Trajectory { f, past, trials: 0, since: 0, keeps_trials: false }
    }

    /// Where it is.
    pub(crate) fn f(&self) -> &Hypothesis {
        &self.f
    }

    /// What gains from knowing rows ahead.
    pub(crate) fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.expansion_mut()
    }

    /// f(x) in the trial of a row that has this lane among those announced, if any.
    #[inline]
    pub(crate) fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.trial_score(x, lane)
    }

    /// The same, keeping the kernel values of x for [`Expansion::column`].
    pub(crate) fn begin_column(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.trial_column(x, lane)
    }

    /// What the model of now makes of the row x of the trial that has begun with this score.
    pub(crate) fn model_score(&mut self, x: Row<'_>, lane: Option<usize>, score: f64) -> f64 {
        let trials = self.mean_of();
        match (&self.past, &mut self.f) {
            (Past::Nothing, _) => score,
            (Past::Sum(u), Hypothesis::Primal(_)) => score - u.dot(x) / trials,
            (Past::Sum(u), Hypothesis::Dual(f)) => {
                f.trial_column(x, lane); // its values are known already where rows are announced
                let mean = mean(f.coefficients(), u, trials);
                f.column().iter().zip(mean).fold(0.0, |sum, (k, c)| sum + c * k)
            }
            (Past::Best { .. } | Past::Votes(_), _) => self.leaves().score(x),
        }
    }

    /// f(x), and what the model of now makes of x, by one walk over x: of a mean of weight vectors alone.
    pub(crate) fn both_scores(&self, x: Row<'_>) -> Option<(f64, f64)> {
        let (Past::Sum(u), Hypothesis::Primal(w)) = (&self.past, &self.f) else { return None };
        let (score, late) = w.dot_with(u, x);
        Some((score, score - late / self.mean_of()))
    }

    /// So many trials are over.
    pub(crate) fn count(&mut self, trials: u64) {
        self.trials += trials;
    }

    /// f ← f + step · K(x, ·). A row met again is the same row.
    pub(crate) fn step(&mut self, step: f64, example: &Example<'_>) -> Finite {
        let &Example { x, id, .. } = example;
        let late = self.trials as f64 * step;
        if matches!((&self.f, &self.past), (Hypothesis::Primal(_), Past::Nothing | Past::Sum(_) | Past::Best { .. })) {
            return self.step_along(step, x);
        }
        match &self.f {
            Hypothesis::Primal(w) => w.fits(step, x)?,
            Hypothesis::Dual(f) => f.fits(step, x, id)?,
        }
        if let (Past::Sum(u), Hypothesis::Dual(f)) = (&self.past, &self.f) {
            fits_at(u, f.set().place_of(id), late)?;
        }
        self.leave();
        let place = match &mut self.f {
            Hypothesis::Primal(w) => {
                w.add_fitting(step, x);
                None
            }
            Hypothesis::Dual(f) => Some(f.add(step, x, id)),
        };
        match (&mut self.past, place) {
            (Past::Sum(u), Some(place)) => add_at(u, place, late),
            (Past::Votes(votes), place) => votes.note(step, x, id, place),
            _ => {}
        }
        Ok(())
    }

    /// w ← w + step · d, along a direction d that need not be a row; in primal form.
    pub(crate) fn step_along(&mut self, step: f64, d: Row<'_>) -> Finite {
        let late = self.trials as f64 * step;
        if let (Hypothesis::Primal(w), Past::Best { .. }) = (&self.f, &self.past) {
            w.fits(step, d)?;
            self.leave(); // while w is what it was
        }
        if let Hypothesis::Primal(w) = &mut self.f {
            w.add(step, d)?;
            if let Past::Sum(u) = &mut self.past {
                u.add(late, d).inspect_err(|_| w.undo(d))?;
            }
        }
        self.since = self.trials;
        Ok(())
    }

    /// The row of this trial joins the support set, and α becomes `coefficients`, the last of which is the row's.
    pub(crate) fn join(&mut self, x: Row<'_>, coefficients: &[f64]) -> Finite {
        let before = self.trials as f64;
        let last = self.f.coefficients().iter().chain([&0.0]);
        let differences: Vec<f64> = coefficients.iter().zip(last).map(|(next, last)| next - last).collect();
        Overflow::check(coefficients.iter().copied().chain([self.f.square(x)]))?;
        if let Past::Sum(u) = &self.past {
            let (held, new) = differences.split_at(u.as_slice().len());
            Overflow::unless(vector::fits(u.as_slice(), before, held))?;
            Overflow::check(new.iter().map(|d| before * d))?;
        }
        self.leave();
        if let Past::Sum(u) = &mut self.past {
            u.grow(coefficients.len());
            u.as_mut_vec().iter_mut().zip(&differences).for_each(|(u, d)| *u += before * d);
        }
        if let Hypothesis::Dual(f) = &mut self.f {
            f.push(x, None, 0.0);
            f.coefficients_mut().copy_from_slice(coefficients);
        }
        Ok(())
    }

    /// The row of this trial joins the support set, whether or not it is held already.
    pub(crate) fn push(&mut self, x: Row<'_>, coefficient: f64) -> Finite {
        let late = self.trials as f64 * coefficient;
        Overflow::check([coefficient, late, self.f.square(x)])?;
        self.leave();
        if let Hypothesis::Dual(f) = &mut self.f {
            let place = f.push(x, None, coefficient);
            if let Past::Sum(u) = &mut self.past {
                add_at(u, place, late);
            }
        }
        Ok(())
    }

    /// α ← α + differences.
    pub(crate) fn shift(&mut self, differences: &[f64]) -> Finite {
        let before = self.trials as f64;
        let changed = |numbers: &[f64], factor: f64| vector::fits(numbers, factor, differences);
        Overflow::unless(changed(self.f.coefficients(), 1.0))?;
        if let Past::Sum(u) = &self.past {
            Overflow::unless(changed(u.as_slice(), before))?;
        }
        self.leave();
        if let Hypothesis::Dual(f) = &mut self.f {
            f.coefficients_mut().iter_mut().zip(differences).for_each(|(alpha, d)| *alpha += d);
        }
        if let Past::Sum(u) = &mut self.past {
            u.as_mut_vec().iter_mut().zip(differences).for_each(|(u, d)| *u += before * d);
        }
        Ok(())
    }

    /// The support set, in which `change` forgets rows: there is no mean of such hypotheses.
    pub(crate) fn forget(&mut self, change: impl FnOnce(&mut Expansion)) {
        self.leave();
        if let Hypothesis::Dual(f) = &mut self.f {
            change(f);
        }
    }

    /// f is about to change: notes how long it lasted.
    fn leave(&mut self) {
        let lasted = self.trials - self.since;
        match &mut self.past {
            Past::Best { survived, f } if lasted > *survived => {
                *survived = lasted;
                **f = match &self.f {
                    Hypothesis::Primal(_) => self.f.clone(),
                    Hypothesis::Dual(f) => Hypothesis::Dual(Box::new(f.without_look_ahead())),
                };
            }
            Past::Votes(votes) => votes.leave(lasted),
            _ => {}
        }
        self.since = self.trials;
    }

    /// The model.
    pub(crate) fn leaves(&self) -> Leaves<'_> {
        let lasted = self.trials - self.since;
        match (&self.past, &self.f) {
            (Past::Sum(u), Hypothesis::Primal(w)) => {
                Leaves::Own(Box::new(MeanWeights { w, u, trials: self.mean_of() }))
            }
            (Past::Sum(u), Hypothesis::Dual(_)) => {
                self.f.leaves_with(Cow::Owned(mean(self.f.coefficients(), u, self.mean_of())))
            }
            (Past::Best { survived, f }, Hypothesis::Dual(_)) if *survived >= lasted => f.leaves(),
            (Past::Best { survived, f }, Hypothesis::Primal(w)) if *survived >= lasted => {
                // It may know fewer features than w: the rest have weight 0.
                let weights = move || {
                    let mut weights = f.coefficients().to_vec();
                    weights.resize(w.as_slice().len(), 0.0);
                    Formula::weights(Cow::Owned(weights))
                };
                Leaves::derived(|x| f.score(x), weights)
            }
            (Past::Votes(votes), f) => {
                let rows = f.expansion().map_or(&votes.rows, Expansion::set);
                Leaves::Own(Box::new(Ballot { votes, rows, has_kernel: f.expansion().is_some(), lasted }))
            }
            (Past::Nothing | Past::Best { .. }, f) => f.leaves(),
        }
    }

    /// T of the mean.
    fn mean_of(&self) -> f64 {
        self.trials.max(1) as f64
    }

    /// Rows kept for votes, beside those of a support set.
    pub(crate) fn rows_kept(&self) -> usize {
        match &self.past {
            Past::Votes(votes) => self.f.expansion().map_or(&votes.rows, Expansion::set).len(),
            _ => 0,
        }
    }

    /// Memory over so many features, with the rows held, in bytes.
    pub(crate) fn memory(&self, features: usize) -> u64 {
        let past = match (&self.past, &self.f) {
            (Past::Sum(_), Hypothesis::Primal(_)) => 8 * features as u64,
            (Past::Best { f, .. }, _) => f.memory(features),
            (Past::Votes(votes), _) => votes.rows.bytes(),
            (Past::Nothing | Past::Sum(_), _) => 0,
        };
        self.f.memory(features) + past
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        if state.is_merging() {
            return self.merge(state);
        }
        self.f.state(state)?;
        let mut lasted = self.trials - self.since;
        match &mut self.past {
            Past::Nothing if self.keeps_trials => return self.trials_state(state),
            Past::Nothing => return Ok(()),
            Past::Sum(u) => {
                match &self.f {
                    Hypothesis::Primal(_) => state.over_features("weighted-updates", u.as_mut_vec())?,
                    Hypothesis::Dual(_) => state.f64s("weighted-updates", u.as_mut_vec())?,
                }
                let fits = u.as_slice().len() == self.f.coefficients().len();
                state.require(fits, "the coefficients and weighted-updates differ in length")?;
                return self.trials_state(state);
            }
            Past::Best { survived, f } => {
                state.u64("survived", &mut lasted)?;
                state.u64("longest-survived", survived)?;
                state.within("longest", |state| f.state(state))?;
                let fits = self.f.expansion().is_some() || f.coefficients().len() <= self.f.coefficients().len();
                state.require(fits, "longest has more weights than the last")?;
                self.trials_state(state)?;
                state.require(lasted <= self.trials, "survived is more than all trials")?;
            }
            Past::Votes(votes) => {
                votes.state(self.f.expansion(), &mut lasted, state)?;
                self.trials = lasted; // all that matters is how many the last one has survived
            }
        }
        self.since = self.trials.saturating_sub(lasted);
        Ok(())
    }

    /// Visits the number of trials.
    pub(super) fn trials_state(&mut self, state: &mut State) -> Result<()> {
        state.tally("trials", &mut self.trials)
    }
}

/// u ← u + step at one place.
fn add_at(u: &mut Weights, place: usize, step: f64) {
    u.add_fitting(step, Row::Sparse { indices: &[place as u32], values: &[1.0] });
}

/// Whether u + step is finite at one place, or step at a new one.
fn fits_at(u: &Weights, place: Option<usize>, step: f64) -> Finite {
    Overflow::check([place.map_or(0.0, |place| u.as_slice()[place]) + step])
}

/// c − u/T.
pub(super) fn mean(last: &[f64], u: &Weights, trials: f64) -> Vec<f64> {
    last.iter().zip(u.as_slice()).map(|(c, u)| c - u / trials).collect()
}

/// The mean of weight vectors, not put together: a prediction touches what the row has alone.
pub(super) struct MeanWeights<'a> {
    pub(super) w: &'a Weights,
    pub(super) u: &'a Weights,
    pub(super) trials: f64,
}

impl Score for MeanWeights<'_> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.w.dot(x) - self.u.dot(x) / self.trials
    }

    fn weights(&self) -> Option<Vec<f64>> {
        Some(mean(self.w.as_slice(), self.u, self.trials))
    }

    fn formula(&self) -> Option<Formula<'_>> {
        let less = Some((Cow::Borrowed(self.u.as_slice()), self.trials));
        Some(Formula::Linear { weights: Cow::Borrowed(self.w.as_slice()), less, scale: 1.0, over_norm: None })
    }
}
