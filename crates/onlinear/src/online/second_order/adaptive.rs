//! A ridge that grows with the mistakes, a_k = c R² k.
//!
//! A change of a is no change of low rank, so the equations (a_k I + S) w = v, or (a_k I + G) β = y
//! over the mistaken rows, are solved afresh by Cholesky whenever k or R has changed: O(n³) after a
//! mistake or a row of larger norm than all before, nothing otherwise.

use super::Ridge;
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::learner::Example;
use crate::space::{Cholesky, Expansion, Row, Symmetric, Weights};
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

    /// Brings w or β up to date.
    fn solve(&mut self) {
        let radius = self.radius.unwrap_or(self.largest);
        let ridge = self.growth * radius * radius * (self.updates + 1) as f64;
        let mut solution = self.v.as_slice().to_vec();
        Cholesky::of(&self.sums, ridge).solve(&mut solution);
        match &mut self.f {
            Hypothesis::Primal(w) => *w.as_mut_vec() = solution,
            Hypothesis::Dual(f) => f.coefficients_mut().copy_from_slice(&solution),
        }
    }

    /// Takes the norm of a row into R; whether that changed it.
    fn widen(&mut self, x: Row<'_>) -> bool {
        if self.radius.is_some() {
            return false;
        }
        let norm = match &self.f {
            Hypothesis::Primal(_) => x.norm(2.0),
            Hypothesis::Dual(_) => self.f.square(x).sqrt(),
        };
        let wider = norm > self.largest;
        if wider {
            self.largest = norm;
        }
        wider
    }
}

impl Ridge for Adaptive {
    fn trial_score(&mut self, example: &Example<'_>) -> f64 {
        self.f.trial_column(example)
    }

    fn update(&mut self, example: &Example<'_>, _score: f64) {
        let (x, y) = (example.x, example.y.sign());
        let square = self.f.square(x);
        match &mut self.f {
            Hypothesis::Primal(_) => {
                self.v.add(y, x);
                let order = self.v.as_slice().len();
                self.sums.grow(order, 0.0);
                let mut dense = vec![0.0; order];
                x.for_each(|i, value| dense[i] = value);
                self.sums.add(1.0, &dense);
            }
            Hypothesis::Dual(f) => {
                self.v.as_mut_vec().push(y);
                self.sums.push(f.column(), square);
                f.push(x, None, 0.0);
            }
        }
        self.updates += 1;
    }

    fn end_trial(&mut self, x: Row<'_>, updated: bool) {
        if self.widen(x) || updated {
            self.solve();
        }
    }

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
