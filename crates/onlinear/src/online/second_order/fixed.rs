//! A fixed ridge a: one rank-one change of an inverse per mistake.
//!
//! Primal: w = A⁻¹v and A⁻¹ are kept. A correct trial costs one dot product. On a mistake, with
//! u = A⁻¹x and r = x·u: w ← w + u (y − w·x)/(1 + r), A⁻¹ ← A⁻¹ − u uᵀ/(1 + r), the latter in the
//! sweep of the next mistake. A row of weight s counts s times, x xᵀ and y x alike: 1/s + r in place of 1 + r.
//!
//! Dual: β = (aI + G)⁻¹y with G the Gram matrix of the mistaken rows. Kept are the Cholesky factor L of
//! aI + G and g = L⁻¹y. On a mistake, with the kernel column k, z = L⁻¹k and s = a + K(x,x) − ‖z‖²:
//! L grows by the row (z, √s), g by (y − z·g)/√s, and β = L⁻ᵀg. That reads L twice, where the bordering
//! formula of the inverse reads and writes a matrix of that size; and where there are more rows than
//! dimensions, so that aI + G is ill-conditioned, the factor keeps the digits that the inverse loses. A row of
//! weight s has a/s in place of a.

use super::{Ridge, not_negative};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Trajectory};
use crate::learner::{Example, Leaves};
use crate::space::{Cholesky, Deferred, Expansion, Finite, Overflow, Row, SupportSet, vector};
use crate::state::State;

pub(super) struct Fixed {
    ridge: f64,
    f: Trajectory,
    /// A⁻¹, in primal form.
    inverse: Deferred,
    /// L, in dual form.
    factor: Cholesky,
    /// g, in dual form.
    g: Vec<f64>,
    /// a/s of each row in dual form, where rows have weights.
    ridges: Option<Vec<f64>>,
    /// u or z; memory used again and again.
    u: Vec<f64>,
}

/// The least ridge of a row over which G + aI, as rounded, is still positive definite.
///
/// Each number of G is off by its rounding, and so may its eigenvalues be, times the number of rows. A ridge below that
/// is no ridge: a pivot comes out negative, and a row that is far from those before it, a sum of them with large
/// coefficients, has its square multiplied by theirs, until the factor is that of another matrix.
fn least_ridge(set: &SupportSet, x: Row<'_>) -> f64 {
    const ROWS: f64 = 1024.0;
    ROWS * set.kernel().rounding(x.squared_norm())
}

impl Fixed {
    pub(super) fn new(ridge: f64, takes_weights: bool, f: Trajectory) -> Fixed {
        let (inverse, factor, ridges) = (Deferred::default(), Cholesky::default(), takes_weights.then(Vec::new));
        Fixed { ridge, f, inverse, factor, g: Vec::new(), ridges, u: Vec::new() }
    }
}

impl Fixed {
    /// Loads A = A₀ + Σ (Aᵢ − A₀) of all parts, whose v are added up likewise.
    fn merge(&mut self, state: &State) -> Result<()> {
        if self.f.f().expansion().is_some() {
            state
                .refuse_merging("over rows (with a kernel, or form=dual) its matrix is that of the rows of one run")?;
        }
        if let Some((inverse, w)) = Deferred::merged("inverse", 1.0 / self.ridge, state)? {
            self.inverse = inverse;
            self.f.move_to(&w).map_err(Overflow::refusal)?;
        }
        Ok(())
    }

    /// xᵀA⁻¹x of a row with these kernel values.
    fn variance_of_column(&self, x: Row<'_>, mut column: Vec<f64>) -> f64 {
        self.factor.forward(&mut column);
        not_negative((self.f.f().square(x) - vector::dot(&column, &column)) / self.ridge)
    }

    /// xᵀA⁻¹x of a row whose known part has this product with A⁻¹, which is 1/a where no row has been.
    fn variance_along(&self, x: Row<'_>, known: Row<'_>, u: &[f64]) -> f64 {
        not_negative(known.dot(u) + (x.squared_norm() - known.squared_norm()) / self.ridge)
    }
}

impl Ridge for Fixed {
    fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.begin_column(x, lane)
    }

    fn model_score(&mut self, x: Row<'_>, lane: Option<usize>, score: f64) -> f64 {
        self.f.model_score(x, lane, score)
    }

    fn update(&mut self, example: &Example<'_>, score: f64) -> Finite {
        let &Example { x, y, weight, .. } = example;
        let (y, square) = (y.sign(), self.f.f().square(x));
        let Fixed { ridge, f, inverse, factor, g, ridges, u } = self;
        // With ‖u‖ ≤ ‖x‖/a and r ≤ ‖x‖²/a nothing that is made of them is too large but, maybe, w.
        Overflow::check([square, square / *ridge])?;
        if let Some(expansion) = f.f().expansion() {
            u.clear();
            u.extend_from_slice(expansion.column());
            factor.forward(u);
            let ridge = (*ridge / weight).max(least_ridge(expansion.set(), x));
            let root = Cholesky::pivot(u, square, ridge); // √s
            g.push((y - vector::dot(u, g)) / root);
            factor.push(u, root);
            let mut beta = g.clone();
            factor.backward(&mut beta);
            let finite = Overflow::check(u.iter().chain(&*g).copied()).and_then(|()| f.join(x, &beta));
            if finite.is_err() {
                factor.pop();
                g.pop();
                return finite;
            }
            ridges.iter_mut().for_each(|ridges| ridges.push(ridge));
        } else {
            inverse.grow(x.dimension(), 1.0 / *ridge);
            inverse.multiply(x, u);
            let divisor = 1.0 / weight + not_negative(x.dot(u));
            f.step_along((y - score) / divisor, Row::Dense(u))?;
            inverse.add(-1.0 / divisor, u);
        }
        Ok(())
    }

    fn count(&mut self, trials: u64) {
        self.f.count(trials);
    }

    fn variance(&mut self, x: Row<'_>) -> Option<f64> {
        if let Some(f) = self.f.f().expansion() {
            return Some(self.variance_of_column(x, f.column().to_vec()));
        }
        let Fixed { inverse, u, .. } = self;
        let known = x.within(inverse.order());
        inverse.multiply(known, u);
        Some(self.variance_along(x, known, &self.u))
    }

    fn variance_anew(&self, x: Row<'_>) -> Option<f64> {
        if let Some(f) = self.f.f().expansion() {
            return Some(self.variance_of_column(x, f.set().column(x, |values| values.collect())));
        }
        let (known, mut u) = (x.within(self.inverse.order()), Vec::new());
        self.inverse.product(known, &mut u);
        Some(self.variance_along(x, known, &u))
    }

    fn hypothesis(&self) -> &Hypothesis {
        self.f.f()
    }

    fn memory(&self, features: usize) -> u64 {
        self.f.memory(features)
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.ahead()
    }

    fn leaves(&self) -> Leaves<'_> {
        self.f.leaves()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        if state.is_merging() {
            return self.merge(state);
        }
        let Some(set) = self.f.f().expansion().map(Expansion::set) else {
            self.inverse.state("inverse", state)?;
            let weights = self.f.f().coefficients().len();
            state.require(weights == self.inverse.order(), "the weights and the inverse differ in length")?;
            // Every change takes something away from 1/a.
            let fits = self.inverse.is_lessened_from(1.0 / self.ridge);
            return state.require(fits, "inverse is not that of a sum of squares");
        };
        self.factor.state("factor", state)?;
        state.f64s("targets", &mut self.g)?;
        let (held, order) = (set.len(), self.factor.order());
        state.require(held == order && self.g.len() == order, "the support, factor and targets differ in length")?;
        if let Some(ridges) = &mut self.ridges {
            state.f64s("ridges", ridges)?;
            let fits = ridges.len() == order && ridges.iter().all(|&ridge| ridge > 0.0);
            state.require(fits, "ridges are not those of the support set")?;
        }
        let of_row = |i: usize| self.ridges.as_ref().map_or(self.ridge, |ridges| ridges[i]);
        let ridge = |i: usize| of_row(i).max(least_ridge(set, set.row(i)));
        let fits = !state.is_loading() || self.factor.is_of(set, ridge);
        state.require(fits, "factor is not that of the support set")
    }
}
