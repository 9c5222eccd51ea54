//! A vector for each class: over features, or over the rows of one support set that all classes share.
//!
//! With a kernel, f_c(x) = Σ α_cⱼ K(xⱼ, x): to score is to multiply α_c with the column of x, and a step along x is one
//! along the unit vector at the place of x. So both forms are one code.
//!
//! The mean of a class's vectors is kept as in [`Trajectory`](super::Trajectory): w̄ = w − u/T.

use super::merging::{Course, united};
use super::trajectory::{MeanWeights, Output, mean};
use crate::error::Result;
use crate::learner::{ClassExample, Leaves};
use crate::space::{Finite, Kernel, Overflow, Row, Rows, SupportSet, Weights};
use crate::state::State;

/// The vectors of all classes.
pub(crate) struct ClassVectors {
    of_class: Vec<ClassVector>,
    /// The rows that coefficients belong to, with a kernel.
    support: Option<SupportSet>,
    /// The kernel values of the row of the trial that has begun.
    column: Vec<f64>,
    is_averaged: bool,
    /// Trials that are over.
    trials: u64,
}

#[derive(Clone, Default)]
struct ClassVector {
    /// w or α.
    last: Weights,
    /// u.
    late: Weights,
}

impl ClassVectors {
    /// f_c = 0 for each of so many classes.
    pub(crate) fn new(kernel: Kernel, output: Output, classes: usize) -> ClassVectors {
        ClassVectors {
            of_class: vec![ClassVector::default(); classes],
            support: (!kernel.is_linear()).then(|| SupportSet::new(kernel)),
            column: Vec::new(),
            is_averaged: output == Output::Averaged,
            trials: 0,
        }
    }

    /// How many classes there are.
    pub(crate) fn classes(&self) -> usize {
        self.of_class.len()
    }

    /// The support vectors, with a kernel.
    pub(crate) fn support_mut(&mut self) -> Option<&mut SupportSet> {
        self.support.as_mut()
    }

    /// How many support vectors there are, with a kernel.
    pub(crate) fn support_len(&self) -> Option<usize> {
        self.support.as_ref().map(SupportSet::len)
    }

    /// K(x,x).
    pub(crate) fn square(&self, x: Row<'_>) -> f64 {
        self.support.as_ref().map_or_else(|| x.squared_norm(), |set| set.with_itself(x))
    }

    /// Begins a trial: appends f_c(x) of each class.
    pub(crate) fn begin(&mut self, x: Row<'_>, lane: Option<usize>, scores: &mut Vec<f64>) {
        let Some(set) = &self.support else {
            return scores.extend(self.of_class.iter().map(|class| class.last.dot(x)));
        };
        self.column.clear();
        match set.lane_ahead(lane) {
            Some(lane) => self.column.extend(set.ahead_from(0).map(|values| values[lane])),
            None => set.column(x, |values| self.column.extend(values)),
        }
        let column = Row::Dense(&self.column);
        scores.extend(self.of_class.iter().map(|class| class.last.dot(column)));
    }

    /// Ends a trial: moves some classes along the row, each by its step.
    pub(crate) fn end(&mut self, steps: &[(usize, f64)], example: &ClassExample<'_>) -> Finite {
        let &ClassExample { x, id, .. } = example;
        match &mut self.support {
            Some(set) if !steps.is_empty() => {
                Overflow::check(steps.iter().map(|(_, step)| *step).chain([set.with_itself(x)]))?;
                let place = set.place_of(id).unwrap_or_else(|| {
                    set.push(x, id);
                    set.len() - 1
                });
                self.of_class.iter_mut().for_each(|class| class.last.grow(place + 1));
                if self.is_averaged {
                    self.of_class.iter_mut().for_each(|class| class.late.grow(place + 1));
                }
                let unit = Row::Sparse { indices: &[place as u32], values: &[1.0] };
                steps.iter().try_for_each(|&(class, step)| self.step_along(class, step, unit))?;
            }
            _ => steps.iter().try_for_each(|&(class, step)| self.step_along(class, step, x))?,
        }
        self.count();
        Ok(())
    }

    /// w_c ← w_c + step · d.
    pub(crate) fn step_along(&mut self, class: usize, step: f64, d: Row<'_>) -> Finite {
        let ClassVector { last, late } = &mut self.of_class[class];
        last.add(step, d)?;
        if self.is_averaged {
            late.add(self.trials as f64 * step, d)?;
        }
        Ok(())
    }

    /// The trial is over.
    pub(crate) fn count(&mut self) {
        self.trials += 1;
    }

    fn mean_of(&self) -> f64 {
        self.trials.max(1) as f64
    }

    /// The coefficients of the model, with a kernel.
    fn coefficients(&self, class: usize) -> std::borrow::Cow<'_, [f64]> {
        let ClassVector { last, late } = &self.of_class[class];
        match self.is_averaged {
            true => mean(last.as_slice(), late, self.mean_of()).into(),
            false => last.as_slice().into(),
        }
    }

    /// The model of one class.
    pub(crate) fn leaves(&self, class: usize) -> Leaves<'_> {
        let ClassVector { last, late } = &self.of_class[class];
        match &self.support {
            Some(set) => Leaves::Expansion(set, self.coefficients(class)),
            None if self.is_averaged => Leaves::Own(Box::new(MeanWeights { w: last, u: late, trials: self.mean_of() })),
            None => Leaves::weights_of(last.as_slice()),
        }
    }

    /// The models' scores of all rows, one row after another; kernel values are computed once for all classes.
    pub(crate) fn scores(&self, rows: &Rows) -> Vec<f64> {
        let classes = self.classes();
        let Some(set) = &self.support else {
            let leaves: Vec<Leaves<'_>> = (0..classes).map(|class| self.leaves(class)).collect();
            return (0..rows.len()).flat_map(|i| leaves.iter().map(move |leaves| leaves.score(rows.row(i)))).collect();
        };
        let coefficients: Vec<_> = (0..classes).map(|class| self.coefficients(class)).collect();
        let mut scores = Vec::with_capacity(rows.len() * classes);
        rows.for_each_block(SupportSet::MOST_AHEAD, |block| {
            let first = scores.len();
            scores.resize(first + block.len() * classes, 0.0);
            set.columns(block, |columns| {
                for (place, values) in columns.rows().enumerate() {
                    for (of_row, k) in scores[first..].chunks_exact_mut(classes).zip(values) {
                        of_row.iter_mut().zip(&coefficients).for_each(|(sum, alpha)| *sum += alpha[place] * k);
                    }
                }
            });
        });
        scores
    }

    /// Memory over so many features, with the rows held, in bytes.
    pub(crate) fn memory(&self, features: usize) -> u64 {
        let vectors = (self.classes() * if self.is_averaged { 2 } else { 1 }) as u64;
        match &self.support {
            Some(set) => {
                let coefficients = vectors.saturating_mul(8 * set.len() as u64);
                set.bytes().saturating_add(coefficients).saturating_add(SupportSet::lookup_bytes(features))
            }
            None => vectors.saturating_mul(8 * features as u64),
        }
    }

    /// Visits the fields; `part` those that a rule keeps of each class, of whose vector it is told the length. While
    /// merging, it gives the weights that go with them, if they are not the mixed ones.
    pub(crate) fn state(
        &mut self,
        state: &mut State,
        mut part: impl FnMut(usize, usize, &mut State) -> Result<Option<Vec<f64>>>,
    ) -> Result<()> {
        if state.is_merging() {
            self.merge(state)?;
            for k in 0..self.classes() {
                let length = self.of_class[k].last.as_slice().len();
                if let Some(weights) = state.within(&k.to_string(), |state| part(k, length, state))? {
                    self.move_to(k, &weights).map_err(Overflow::refusal)?;
                }
            }
            return Ok(());
        }
        if let Some(set) = &mut self.support {
            state.within("support", |state| set.state(state))?;
        }
        let (held, is_averaged) = (self.support_len(), self.is_averaged);
        for (k, ClassVector { last, late }) in self.of_class.iter_mut().enumerate() {
            state.within(&k.to_string(), |state| {
                let mut vector = |name: &str, of_rows: &str, field: &mut Weights| match held {
                    Some(_) => state.f64s(of_rows, field.as_mut_vec()),
                    None => state.over_features(name, field.as_mut_vec()),
                };
                vector("weights", "coefficients", last)?;
                if is_averaged {
                    vector("weighted-updates", "weighted-updates", late)?;
                }
                let length = last.as_slice().len();
                let fits = held.is_none_or(|held| held == length);
                state.require(fits, "coefficients and support rows differ in number")?;
                let fits = !is_averaged || late.as_slice().len() == length;
                state.require(fits, "weighted-updates differ in length")?;
                part(k, length, state).map(drop)
            })?;
        }
        self.trials_state(state)
    }

    /// Visits the number of trials, where it is kept.
    fn trials_state(&mut self, state: &mut State) -> Result<()> {
        if self.is_averaged { state.tally("trials", &mut self.trials) } else { Ok(()) }
    }

    /// Loads the vectors of all parts together.
    fn merge(&mut self, state: &mut State) -> Result<()> {
        let load = |state: &mut State| {
            let mut part = self.cleared();
            part.state(state, |_, _, _| Ok(None)).map(|()| part)
        };
        let Some(all) = state.apart(load)? else { return Ok(()) };
        self.trials_state(state)?;
        for k in 0..self.classes() {
            let mut courses = all.map(|part| part.course(k));
            if let Some(set) = &mut self.support {
                state.refuse_moved_rows()?;
                let nothing = SupportSet::new(*set.kernel());
                let sets = all.map(|part| part.support.as_ref().unwrap_or(&nothing));
                let (union, over_union) = united(&sets, &courses);
                (*set, courses) = (union, over_union);
            }
            let course = Course::merged(&courses, self.trials, self.is_averaged);
            let ClassVector { last, late } = &mut self.of_class[k];
            (*last.as_mut_vec(), *late.as_mut_vec()) = (course.last, course.late);
        }
        Ok(())
    }

    /// All vectors 0 before the first trial, of the kind of these.
    fn cleared(&self) -> ClassVectors {
        ClassVectors {
            of_class: vec![ClassVector::default(); self.classes()],
            support: self.support.as_ref().map(|set| SupportSet::new(*set.kernel())),
            column: Vec::new(),
            is_averaged: self.is_averaged,
            trials: 0,
        }
    }

    fn course(&self, class: usize) -> Course {
        let ClassVector { last, late } = &self.of_class[class];
        Course { last: last.as_slice().to_vec(), late: late.as_slice().to_vec(), trials: self.trials as f64 }
    }

    /// Moves a class to `weights` in the trial to come; in primal form.
    fn move_to(&mut self, class: usize, weights: &[f64]) -> Finite {
        let before = self.of_class[class].last.as_slice().iter().chain(std::iter::repeat(&0.0));
        let way: Vec<f64> = weights.iter().zip(before).map(|(next, last)| next - last).collect();
        self.step_along(class, 1.0, Row::Dense(&way))
    }
}
