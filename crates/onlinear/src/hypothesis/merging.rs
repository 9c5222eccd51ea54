//! Hypotheses of parts that learned apart, as one.
//!
//! The last vectors are mixed, w = Σ μᵢ wᵢ, over all parts or those that moved a weight. Of a mean the sum over all
//! trials S = T w̄ = T w − u is added up, less what the parts have in common, S = S₀ + Σ (Sᵢ − S₀) and T likewise; so
//! u = T w − S. With a kernel all this holds of the coefficients over the union of the support sets.
//!
//! McDonald, Hall and Mann (2010), "Distributed training strategies for the structured perceptron", mix w; the sums are
//! those of a run that had met the trials of all parts.

use super::trajectory::Past;
use super::{Hypothesis, Trajectory};
use crate::error::Result;
use crate::space::{Expansion, Finite, Overflow, Row, SupportSet, Weights};
use crate::state::{Apart, State};

/// A vector on its way, of one hypothesis.
#[derive(Clone, Default)]
pub(super) struct Course {
    /// w or α.
    pub(super) last: Vec<f64>,
    /// u; empty where there is no mean.
    pub(super) late: Vec<f64>,
    /// T.
    pub(super) trials: f64,
}

impl Course {
    /// The course over so many coordinates, among which its own have these places.
    fn at(&self, places: &[usize], coordinates: usize) -> Course {
        let spread = |numbers: &[f64]| {
            let mut all = vec![0.0; coordinates];
            places.iter().zip(numbers).for_each(|(&place, number)| all[place] = *number);
            all
        };
        Course { last: spread(&self.last), late: spread(&self.late), trials: self.trials }
    }

    /// S.
    fn sum(&self) -> Vec<f64> {
        let late = self.late.iter().copied().chain(std::iter::repeat(0.0));
        self.last.iter().zip(late).map(|(w, u)| self.trials * w - u).collect()
    }

    /// The course of all parts together, after so many trials; `has_mean` tells whether there is a u.
    pub(super) fn merged(all: &Apart<Course>, trials: u64, has_mean: bool) -> Course {
        let (last, trials) = (all.map(|course| course.last.clone()).mixed(), trials as f64);
        let late = if has_mean {
            let sum = all.map(Course::sum).summed();
            last.iter().zip(sum).map(|(w, s)| trials * w - s).collect()
        } else {
            Vec::new()
        };
        Course { last, late, trials }
    }
}

/// The union of the support sets, and the courses over it.
pub(super) fn united(sets: &Apart<&SupportSet>, courses: &Apart<Course>) -> (SupportSet, Apart<Course>) {
    let parts: Vec<&SupportSet> = sets.parts.iter().map(|(_, set)| *set).collect();
    let (union, places) = SupportSet::united(sets.base, &parts);
    let mut places = places.iter();
    let over_union = courses.map(|course| course.at(places.next().map_or(&[], Vec::as_slice), union.len()));
    (union, over_union)
}

impl Trajectory {
    /// Loads the trajectory of all parts together.
    pub(super) fn merge(&mut self, state: &mut State) -> Result<()> {
        match &self.past {
            Past::Best { .. } => state.refuse_merging("the hypothesis that survived most trials did so in one run")?,
            Past::Votes(_) => {
                state.refuse_merging("every hypothesis of a run votes, and those of several are too many")?
            }
            Past::Nothing | Past::Sum(_) => {}
        }
        let load = |state: &mut State| {
            let mut part = self.cleared();
            part.state(state).map(|()| part)
        };
        let Some(all) = state.apart(load)? else { return Ok(()) };
        let has_mean = matches!(self.past, Past::Sum(_));
        if has_mean || self.keeps_trials {
            self.trials_state(state)?;
            self.since = self.trials;
        }
        let courses = all.map(Trajectory::course);
        let late = match &mut self.f {
            Hypothesis::Primal(w) => {
                let course = Course::merged(&courses, self.trials, has_mean);
                *w.as_mut_vec() = course.last;
                course.late
            }
            Hypothesis::Dual(f) => {
                state.refuse_moved_rows()?;
                let nothing = SupportSet::new(*f.set().kernel());
                let sets = all.map(|part| part.f.expansion().map_or(&nothing, Expansion::set));
                let (union, courses) = united(&sets, &courses);
                let course = Course::merged(&courses, self.trials, has_mean);
                **f = Expansion::over(union, course.last);
                course.late
            }
        };
        if let Past::Sum(u) = &mut self.past {
            *u.as_mut_vec() = late;
        }
        Ok(())
    }

    /// f = 0 before the first trial, of the kind of this one.
    fn cleared(&self) -> Trajectory {
        let past = match &self.past {
            Past::Sum(_) => Past::Sum(Weights::default()),
            _ => Past::Nothing,
        };
        Trajectory { f: self.f.cleared(), past, trials: 0, since: 0, keeps_trials: self.keeps_trials }
    }

    fn course(&self) -> Course {
        let late = match &self.past {
            Past::Sum(u) => u.as_slice().to_vec(),
            _ => Vec::new(),
        };
        Course { last: self.f.coefficients().to_vec(), late, trials: self.trials as f64 }
    }

    /// Moves to `weights` in the trial to come; in primal form.
    pub(crate) fn move_to(&mut self, weights: &[f64]) -> Finite {
        let before = self.f.coefficients().iter().chain(std::iter::repeat(&0.0));
        let way: Vec<f64> = weights.iter().zip(before).map(|(next, last)| next - last).collect();
        self.step_along(1.0, Row::Dense(&way))
    }

    /// The rows that f is a sum over, and for each its coefficient and its part of u; f is 0 from here on.
    pub(crate) fn unfold(&mut self) -> (SupportSet, Vec<(f64, f64)>) {
        let Course { last, mut late, .. } = self.course();
        late.resize(last.len(), 0.0);
        let empty = Trajectory { trials: self.trials, since: self.since, ..self.cleared() };
        let set = match std::mem::replace(self, empty).f {
            Hypothesis::Dual(f) => f.into_set(),
            Hypothesis::Primal(_) => unreachable!("it has no rows to unfold"),
        };
        (set, last.into_iter().zip(late).collect())
    }

    /// Takes in a row with its coefficient and its part of u.
    pub(crate) fn fold_in(&mut self, x: Row<'_>, (last, late): (f64, f64)) -> Finite {
        Overflow::check([last, late, self.f.square(x)])?;
        if let Hypothesis::Dual(f) = &mut self.f {
            f.push(x, None, last);
        }
        if let Past::Sum(u) = &mut self.past {
            u.as_mut_vec().push(late);
        }
        Ok(())
    }

    /// Takes in a row that is Σ shareⱼ xⱼ of those held, with its coefficient and its part of u.
    pub(crate) fn fold_onto(&mut self, shares: &[f64], (last, late): (f64, f64)) {
        if let Hypothesis::Dual(f) = &mut self.f {
            f.coefficients_mut().iter_mut().zip(shares).for_each(|(alpha, share)| *alpha += last * share);
        }
        if let Past::Sum(u) = &mut self.past {
            u.as_mut_vec().iter_mut().zip(shares).for_each(|(u, share)| *u += late * share);
        }
    }
}
