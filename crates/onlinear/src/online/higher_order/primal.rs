//! The primal form at p = 2: the matrix A = BᵀB itself, over features.

use crate::error::Result;
use crate::space::{Finite, Overflow, Row, Symmetric, Weights};
use crate::state::State;

/// A row with more than one component in so many is taken for dense. This must not depend on the
/// features met so far, so that it does not matter when they were met.
const SPARSE: usize = 8;

/// A, v and w = A v.
#[derive(Default)]
pub(super) struct Primal {
    a: Symmetric,
    v: Weights,
    w: Weights,
    /// z and x with z xᵀ + x zᵀ still to be added to A: the next sweep over it takes them along.
    waiting: Option<(Vec<f64>, Vec<f64>)>,
    /// Memory used again and again.
    work: SweepVectors,
}

#[derive(Default)]
struct SweepVectors {
    /// A x.
    u: Vec<f64>,
    z: Vec<f64>,
    x: Vec<f64>,
}

impl Primal {
    /// Memory that all of this takes, in bytes.
    pub(super) fn bytes(features: usize) -> u64 {
        Symmetric::bytes(features).saturating_add(56 * features as u64)
    }

    /// Sets memory aside for so many features.
    pub(super) fn reserve(&mut self, features: usize) {
        self.a.reserve(features);
    }

    /// Makes room for `features`.
    fn grow(&mut self, features: usize) {
        if features > self.a.order() {
            self.catch_up();
            self.a.grow(features, 1.0);
            self.v.grow(features);
            self.w.grow(features);
        }
    }

    pub(super) fn w(&self) -> &Weights {
        &self.w
    }

    /// vᵀx.
    pub(super) fn v_dot(&self, x: Row<'_>) -> f64 {
        self.v.dot(x)
    }

    /// v ← v + y x and B ← B(I − ρ x xᵀ); `score` is w·x and `square` is x·x.
    ///
    /// With u = A x, s = x·u and t = v′·x:
    /// A′ = A + z xᵀ + x zᵀ with z = ½ρ²s x − ρ u, and
    /// w′ = A′v′ = (I − ρ x xᵀ)(w + (y − ρt) u) = w + (y − ρt) u − ρ (w·x + (y − ρt) s) x.
    pub(super) fn update(&mut self, x: Row<'_>, y: f64, rho: f64, score: f64, square: f64) -> Finite {
        self.grow(x.dimension());
        let is_sparse = matches!(x, Row::Sparse { indices, .. } if indices.len() * SPARSE <= x.dimension());
        self.multiply(x, is_sparse);
        let SweepVectors { u, z, .. } = &mut self.work;
        let s = dot(u, x);
        let step = y - rho * (self.v.dot(x) + y * square);
        let mut w = self.w.clone();
        w.add(step, Row::Dense(u))?;
        w.add(-rho * (score + step * s), x)?;
        z.clear();
        z.extend(u.iter().map(|u| -rho * u));
        x.for_each(|i, v| z[i] += 0.5 * rho * rho * s * v);
        Overflow::check_product(1.0, z, x.values())?;
        self.v.add(y, x)?;
        self.w = w;
        if rho == 0.0 {
            return Ok(());
        }
        if is_sparse {
            self.a.add_pair_row(x, z);
        } else {
            self.waiting = Some((std::mem::take(z), std::mem::take(&mut self.work.x)));
        }
        Ok(())
    }

    /// u ← A x, with what A waits for. A dense x is left in `work.x`, as long as u.
    fn multiply(&mut self, x: Row<'_>, is_sparse: bool) {
        if is_sparse {
            self.catch_up();
            self.a.multiply_row(x, &mut self.work.u);
            return;
        }
        let SweepVectors { u, x: dense, .. } = &mut self.work;
        dense.clear();
        dense.resize(self.a.order(), 0.0);
        x.for_each(|i, v| dense[i] = v);
        match self.waiting.take() {
            Some((z, x)) => self.a.add_pair_and_multiply(1.0, &z, &x, dense, u),
            None => self.a.multiply(dense, u),
        }
    }

    /// Adds to A what it waits for.
    fn catch_up(&mut self) {
        if let Some((z, x)) = self.waiting.take() {
            self.a.add_pair(1.0, &z, &x);
        }
    }

    pub(super) fn state(&mut self, state: &mut State) -> Result<()> {
        self.catch_up();
        self.a.state("matrix", state)?;
        state.f64s("sum", self.v.as_mut_vec())?;
        state.f64s("weights", self.w.as_mut_vec())?;
        let order = self.a.order();
        state.require(
            self.v.as_slice().len() == order && self.w.as_slice().len() == order,
            "the matrix, the sum and the weights differ in length",
        )
    }
}

/// u·x, with x no longer than u.
fn dot(u: &[f64], x: Row<'_>) -> f64 {
    let mut sum = 0.0;
    x.for_each(|i, v| sum += u[i] * v);
    sum
}
