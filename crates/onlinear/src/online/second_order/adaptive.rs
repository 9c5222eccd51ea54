//! A ridge that grows with the mistakes, a_k = c R² k.
//!
//! A change of a is no change of low rank, so the equations (a_k I + S) w = v, or (a_k I + G) β = y
//! over the mistaken rows, are solved afresh by Cholesky whenever k or R has changed: O(n³) after a
//! mistake or a row of larger norm than all before, nothing otherwise.

use super::Ridge;
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::learner::Example;
use crate::space::{Cholesky, Expansion, Finite, Overflow, Row, Symmetric, Weights};
use crate::state::State;

pub(super) struct Adaptive {
    growth: f64,
    /// R, if it is given.
    radius: Option<f64>,
    /// The largest norm met, if it is not.
    largest: f64,
    f: Hypothesis,
    /// Σ x xᵀ, or the Gram matrix.
    sums: Symmetric,
    /// v, or the labels y.
    v: Weights,
    updates: u64,
}

impl Adaptive {
    pub(super) fn new(growth: f64, radius: Option<f64>, f: Hypothesis) -> Adaptive {
        let (sums, v) = (Symmetric::default(), Weights::default());
        Adaptive { growth, radius, largest: 0.0, f, sums, v, updates: 0 }
    }

    /// Ends the trial of a row, which is a mistake where its label is given: brings w or β up to date.
    fn end(&mut self, x: Row<'_>, mistaken: Option<f64>) -> Finite {
        let largest = if self.radius.is_some() { self.largest } else { self.largest.max(self.norm(x)) };
        if mistaken.is_none() && largest == self.largest {
            return Ok(());
        }
        let grown = mistaken.map(|y| self.with(x, y)).transpose()?;
        let (sums, v) = grown.as_ref().map_or((&self.sums, &self.v), |(sums, v)| (sums, v));
        let radius = self.radius.unwrap_or(largest);
        let updates = self.updates + u64::from(mistaken.is_some());
        let ridge = self.growth * radius * radius * (updates + 1) as f64;
        let mut solution = v.as_slice().to_vec();
        Cholesky::of(sums, ridge).solve(&mut solution);
        // No other entry of a sum of squares is larger than the diagonal's.
        let diagonal = (0..sums.order()).map(|i| sums.row(i)[i]);
        Overflow::check(solution.iter().copied().chain(diagonal).chain([ridge]))?;
        (self.largest, self.updates) = (largest, updates);
        if let Some(grown) = grown {
            (self.sums, self.v) = grown;
        }
        match &mut self.f {
            Hypothesis::Primal(w) => *w.as_mut_vec() = solution,
            Hypothesis::Dual(f) => {
                if mistaken.is_some() {
                    f.push(x, None, 0.0);
                }
                f.coefficients_mut().copy_from_slice(&solution);
            }
        }
        Ok(())
    }

    fn norm(&self, x: Row<'_>) -> f64 {
        match &self.f {
            Hypothesis::Primal(_) => x.norm(2.0),
            Hypothesis::Dual(_) => self.f.square(x).sqrt(),
        }
    }

    /// The sums with one row more.
    fn with(&self, x: Row<'_>, y: f64) -> Finite<(Symmetric, Weights)> {
        let (mut sums, mut v) = (self.sums.clone(), self.v.clone());
        match &self.f {
            Hypothesis::Primal(_) => {
                v.add(y, x)?;
                let order = v.as_slice().len();
                sums.grow(order, 0.0);
                let mut dense = vec![0.0; order];
                x.for_each(|i, value| dense[i] = value);
                sums.add(1.0, &dense);
            }
            Hypothesis::Dual(f) => {
                v.as_mut_vec().push(y);
                sums.push(f.column(), self.f.square(x));
            }
        }
        Ok((sums, v))
    }
}

impl Ridge for Adaptive {
    fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.trial_column(x, lane)
    }

    fn update(&mut self, example: &Example<'_>, _score: f64) -> Finite {
        self.end(example.x, Some(example.y.sign()))
    }

    fn stay(&mut self, x: Row<'_>) -> Finite {
        self.end(x, None)
    }

    fn count(&mut self, _: u64) {}

    fn hypothesis(&self) -> &Hypothesis {
        &self.f
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.expansion_mut()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        self.sums.state("sums", state)?;
        state.f64s("targets", self.v.as_mut_vec())?;
        state.f64("largest-norm", &mut self.largest)?;
        state.u64("updates", &mut self.updates)?;
        let coefficients = self.f.coefficients().len();
        let order = self.sums.order();
        state.require(
            coefficients == order && self.v.as_slice().len() == order,
            "the coefficients, sums and targets differ in length",
        )?;
        let squares = (0..order).all(|i| self.sums.row(i)[i] >= 0.0);
        state.require(squares, "sums are not those of squares")
    }
}
