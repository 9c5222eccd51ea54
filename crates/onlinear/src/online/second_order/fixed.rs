//! A fixed ridge a: one rank-one change of an inverse per mistake.
//!
//! Primal: w = A⁻¹v and A⁻¹ are kept. A correct trial costs one dot product. On a mistake, with
//! u = A⁻¹x and r = x·u: w ← w + u (y − w·x)/(1 + r), A⁻¹ ← A⁻¹ − u uᵀ/(1 + r), the latter in the
//! sweep of the next mistake.
//!
//! Dual: β = (aI + G)⁻¹y with G the Gram matrix of the mistaken rows. Kept are the Cholesky factor L of
//! aI + G and g = L⁻¹y. On a mistake, with the kernel column k, z = L⁻¹k and s = a + K(x,x) − ‖z‖²:
//! L grows by the row (z, √s), g by (y − z·g)/√s, and β = L⁻ᵀg. That reads L twice, where the bordering
//! formula of the inverse reads and writes a matrix of that size; and where there are more rows than
//! dimensions, so that aI + G is ill-conditioned, the factor keeps the digits that the inverse loses.

use super::{Ridge, not_negative};
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::space::{Cholesky, Deferred, Finite, Overflow, Row, vector};
use crate::state::State;

pub(super) struct Fixed {
    ridge: f64,
    f: Hypothesis,
    /// A⁻¹, in primal form.
    inverse: Deferred,
    /// L, in dual form.
    factor: Cholesky,
    /// g, in dual form.
    g: Vec<f64>,
    /// u or z; memory used again and again.
    u: Vec<f64>,
}

impl Fixed {
    pub(super) fn new(ridge: f64, f: Hypothesis) -> Fixed {
        Fixed { ridge, f, inverse: Deferred::default(), factor: Cholesky::default(), g: Vec::new(), u: Vec::new() }
    }
}

impl Ridge for Fixed {
    fn update(&mut self, x: Row<'_>, y: f64, score: f64) -> Finite {
        let square = self.f.square(x);
        let Fixed { ridge, f, inverse, factor, g, u } = self;
        // With ‖u‖ ≤ ‖x‖/a and r ≤ ‖x‖²/a nothing that is made of them is too large but, maybe, w.
        Overflow::check([square, square / *ridge])?;
        match f {
            Hypothesis::Primal(w) => {
                inverse.grow(x.dimension(), 1.0 / *ridge);
                w.grow(inverse.order());
                inverse.multiply(x, u);
                let divisor = 1.0 + not_negative(x.dot(u));
                w.add((y - score) / divisor, Row::Dense(u))?;
                inverse.add(-1.0 / divisor, u);
            }
            Hypothesis::Dual(f) => {
                u.clear();
                u.extend_from_slice(f.column());
                factor.forward(u);
                let root = Cholesky::pivot(u, square, *ridge); // √s
                g.push((y - vector::dot(u, g)) / root);
                factor.push(u, root);
                let mut beta = g.clone();
                factor.backward(&mut beta);
                if let Err(overflow) = Overflow::check(u.iter().chain(&beta).chain(&*g).copied()) {
                    factor.pop();
                    g.pop();
                    return Err(overflow);
                }
                f.push(x, None, 0.0);
                f.coefficients_mut().copy_from_slice(&beta);
            }
        }
        Ok(())
    }

    fn hypothesis(&self) -> &Hypothesis {
        &self.f
    }

    fn hypothesis_mut(&mut self) -> &mut Hypothesis {
        &mut self.f
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        match &self.f {
            Hypothesis::Primal(w) => {
                self.inverse.state("inverse", state)?;
                state.require(
                    w.as_slice().len() == self.inverse.order(),
                    "the weights and the inverse differ in length",
                )?;
                // Every change takes something away from 1/a.
                let fits = self.inverse.is_lessened_from(1.0 / self.ridge);
                state.require(fits, "inverse is not that of a sum of squares")
            }
            Hypothesis::Dual(f) => {
                self.factor.state("factor", state)?;
                state.f64s("targets", &mut self.g)?;
                let (held, order) = (f.set().len(), self.factor.order());
                state.require(
                    held == order && self.g.len() == order,
                    "the support, factor and targets differ in length",
                )?;
                let fits = !state.is_loading() || self.factor.is_of(f.set(), self.ridge);
                state.require(fits, "factor is not that of the support set")
            }
        }
    }
}
