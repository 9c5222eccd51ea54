//! The Cholesky factor L of a positive definite matrix, A = L Lᵀ.

use super::{Symmetric, vector};
use crate::error::Result;
use crate::state::State;

/// L, row after row.
///
/// A row that depends on those before it, so that its pivot comes out as 0 or below, counts for
/// nothing: its component in every solution is 0. What is not a number stays so.
#[derive(Clone, Debug, Default)]
pub struct Cholesky {
    /// L in the lower triangle.
    factor: Symmetric,
}

/// a / pivot, or 0 without a pivot.
fn divided(a: f64, pivot: f64) -> f64 {
    if pivot == 0.0 { 0.0 } else { a / pivot }
}

impl Cholesky {
    /// The factor of A + shift I, in O(n³).
    pub fn of(a: &Symmetric, shift: f64) -> Cholesky {
        let mut cholesky = Cholesky::default();
        let mut row = Vec::with_capacity(a.order());
        for i in 0..a.order() {
            let (left, diagonal) = a.row(i).split_at(i);
            row.clear();
            row.extend_from_slice(left);
            cholesky.forward(&mut row);
            let square = diagonal[0] + shift - vector::dot(&row, &row);
            cholesky.push(&row, if square <= 0.0 { 0.0 } else { square.sqrt() });
        }
        cholesky
    }

    /// The number of rows and columns.
    pub fn order(&self) -> usize {
        self.factor.order()
    }

    /// Appends a row to L: what stands left of the diagonal, then the diagonal.
    pub fn push(&mut self, row: &[f64], diagonal: f64) {
        self.factor.push(row, diagonal);
    }

    /// b ← L⁻¹ b.
    pub fn forward(&self, b: &mut [f64]) {
        for i in 0..self.order() {
            let (left, diagonal) = self.factor.row(i).split_at(i);
            b[i] = divided(b[i] - vector::dot(left, &b[..i]), diagonal[0]);
        }
    }

    /// b ← (L Lᵀ)⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        self.forward(b);
        self.backward(b);
    }

    /// b ← L⁻ᵀ b.
    pub fn backward(&self, b: &mut [f64]) {
        for i in (0..self.order()).rev() {
            let (left, diagonal) = self.factor.row(i).split_at(i);
            b[i] = divided(b[i], diagonal[0]);
            let step = -b[i];
            vector::add(&mut b[..i], step, left);
        }
    }

    /// Visits the fields.
    pub fn state(&mut self, name: &str, state: &mut State) -> Result<()> {
        self.factor.state(name, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Random;

    /// Σ z zᵀ over `rows` random z.
    fn gram(order: usize, rows: usize) -> Symmetric {
        let mut random = Random::new(3);
        let mut a = Symmetric::default();
        a.grow(order, 0.0);
        for _ in 0..rows {
            let z: Vec<f64> = (0..order).map(|_| random.symmetric()).collect();
            a.add(1.0, &z);
        }
        a
    }

    #[test]
    fn a_solution_solves() {
        let (a, n) = (gram(23, 60), 23);
        let b: Vec<f64> = (0..n).map(|i| i as f64 - 7.0).collect();
        for shift in [0.0, 0.5, 1e6] {
            let mut x = b.clone();
            Cholesky::of(&a, shift).solve(&mut x);
            let mut product = Vec::new();
            a.multiply(&x, &mut product);
            for i in 0..n {
                assert!((product[i] + shift * x[i] - b[i]).abs() < 1e-9 * (1.0 + shift * 1e-6), "{shift}");
            }
        }
    }

    #[test]
    fn nothing_but_zeros_gives_zeros_and_nan_stays() {
        let mut a = Symmetric::default();
        a.grow(3, 0.0);
        let mut x = vec![1.0, 2.0, 3.0];
        Cholesky::of(&a, 0.0).solve(&mut x);
        assert_eq!(x, [0.0; 3]);
        let mut x = vec![1.0, 2.0, 3.0];
        Cholesky::of(&a, f64::NAN).solve(&mut x);
        assert!(x.iter().all(|v| v.is_nan()));
    }
}
