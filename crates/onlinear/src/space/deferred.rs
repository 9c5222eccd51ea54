//! A symmetric matrix with one rank-one change still to be made.
//!
//! The change waits for the next product and is made in the same sweep over the triangle: a sweep is
//! bound by memory, so two in one cost little more than one.

use super::{Cholesky, Row, Symmetric};
use crate::error::Result;
use crate::state::{State, refusal};

/// A + c u uᵀ, of which A is at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deferred {
    matrix: Symmetric,
    c: f64,
    u: Vec<f64>,
    /// A row with all its zeros; memory used again and again.
    dense: Vec<f64>,
}

/// A row with fewer non-zeros than one in this many is multiplied column by column. Such a column is
/// read across the triangle, one cache line for each of its numbers.
const SPARSE: usize = 16;

impl Deferred {
    /// The number of rows and columns.
    pub(crate) fn order(&self) -> usize {
        self.matrix.order()
    }

    /// Grows to `order` with zeros, and `diagonal` on the diagonal.
    pub(crate) fn grow(&mut self, order: usize, diagonal: f64) {
        if order > self.order() {
            self.matrix.grow(order, diagonal);
            self.u.resize(order, 0.0);
        }
    }

    /// Makes the change, then multiplies by `x`, which has no components beyond the order.
    pub(crate) fn multiply(&mut self, x: Row<'_>, out: &mut Vec<f64>) {
        let order = self.order();
        let c = std::mem::take(&mut self.c);
        let non_zeros = x.values().iter().filter(|&&v| v != 0.0).count();
        if non_zeros * SPARSE < order {
            if c != 0.0 {
                self.matrix.add(c, &self.u);
            }
            self.matrix.multiply_row(x, out);
        } else if let Row::Dense(values) = x
            && values.len() == order
        {
            self.matrix.add_and_multiply(c, &self.u, values, out);
        } else {
            self.dense.clear();
            self.dense.resize(order, 0.0);
            x.for_each(|i, v| {
                if let Some(place) = self.dense.get_mut(i) {
                    *place = v;
                }
            });
            self.matrix.add_and_multiply(c, &self.u, &self.dense, out);
        }
    }

    /// Multiplies by `x`, which has no components beyond the order, and leaves the change waiting.
    pub(crate) fn product(&self, x: Row<'_>, out: &mut Vec<f64>) {
        self.matrix.multiply_row(x, out);
        let along = self.c * x.dot(&self.u);
        out.iter_mut().zip(&self.u).for_each(|(sum, u)| *sum += along * u);
    }

    /// Adds c u uᵀ by and by; follows a [`Deferred::multiply`]. Gives other memory for `u`.
    pub(crate) fn add(&mut self, c: f64, u: &mut Vec<f64>) {
        debug_assert_eq!((self.c, u.len()), (0.0, self.order()), "no change may be waiting");
        self.c = c;
        std::mem::swap(&mut self.u, u);
    }

    /// Whether the matrix can have come about by rank-one changes that each took something away from a diagonal of
    /// `most`, and still take.
    pub(crate) fn is_lessened_from(&self, most: f64) -> bool {
        self.c <= 0.0 && (0..self.order()).all(|i| self.matrix.row(i)[i] <= most)
    }

    /// While merging, the inverse of A₀ + Σ (Aᵢ − A₀) out of the inverses A⁻¹ and weights A⁻¹v of parts, and the
    /// weights that go with v₀ + Σ (vᵢ − v₀); a part knows of features not met that A⁻¹ is `diagonal` there.
    pub(crate) fn merged(name: &str, diagonal: f64, state: &State) -> Result<Option<(Deferred, Vec<f64>)>> {
        state.refuse_moved_precisions()?;
        let all = state.apart(|state| {
            if state.places().is_some() {
                return Err(refusal("its matrices are over features whose names came in different orders"));
            }
            let (mut inverse, mut w) = (Deferred::default(), Vec::new());
            inverse.state(name, state)?;
            state.f64s("weights", &mut w)?;
            Ok((inverse, w))
        })?;
        let Some(all) = all else { return Ok(None) };
        let orders = all.parts.iter().map(|(_, (inverse, _))| inverse.order());
        let order = orders.chain([all.base.0.order()]).max().unwrap_or(0);
        let parts = all.map(|(inverse, w)| {
            let (mut inverse, mut w) = (inverse.clone(), w.clone());
            inverse.grow(order, diagonal);
            w.resize(order, 0.0);
            inverse.matrix.add(inverse.c, &inverse.u);
            let matrix = inverse.matrix.inverted();
            let mut v = Vec::new();
            matrix.multiply(&w, &mut v);
            (matrix, v)
        });
        let triangle = parts.map(|(matrix, _)| matrix.triangle().to_vec()).summed();
        let factor = Cholesky::of(&Symmetric::of_triangle(order, triangle), 0.0);
        let mut w = parts.map(|(_, v)| v.clone()).summed();
        factor.solve(&mut w);
        let mut matrix = factor.inverse();
        matrix.bound_diagonal(diagonal); // by rounding alone it could be more
        Ok(Some((Deferred { matrix, c: 0.0, u: vec![0.0; order], dense: Vec::new() }, w)))
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, name: &str, state: &mut State) -> Result<()> {
        state.within(name, |state| {
            self.matrix.state("matrix", state)?;
            state.f64("change", &mut self.c)?;
            state.f64s("along", &mut self.u)?;
            state.require(self.u.len() == self.matrix.order(), "along and matrix differ in length")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_change_is_made_by_the_next_product_whatever_its_row() {
        let mut random = Random::new(2);
        let n = 40;
        let mut draw = || (0..n).map(|_| random.symmetric()).collect::<Vec<f64>>();
        let (u, x) = (draw(), draw());
        let dense = Row::Dense(&x);
        let gaps = Row::Sparse { indices: &[3, 5, 17, 39], values: &x[..4] };
        let few = Row::Sparse { indices: &[7], values: &[2.0] };
        let mut plain = Symmetric::default();
        plain.grow(n, 3.0);
        plain.add(-0.25, &u);
        for x in [dense, gaps, few] {
            let mut deferred = Deferred::default();
            deferred.grow(n, 3.0);
            deferred.add(-0.25, &mut u.clone());
            let (mut out, mut expected) = (Vec::new(), Vec::new());
            plain.multiply_row(x, &mut expected);
            deferred.product(x, &mut out);
            assert!(out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13));
            for _ in 0..2 {
                deferred.multiply(x, &mut out);
                plain.multiply_row(x, &mut expected);
                assert!(out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13));
            }
        }
    }
}
