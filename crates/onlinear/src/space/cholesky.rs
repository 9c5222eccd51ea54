//! The Cholesky factor L of a positive definite matrix, A = L Lᵀ.

use std::convert::Infallible;

use super::cpu::for_all_vectors;
use super::{SupportSet, Symmetric, vector};
use crate::error::Result;
use crate::random::Random;
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

/// How far L Lᵀ may be from its matrix, relative to |L| |L|ᵀ: appending rows keeps it within n units of rounding.
const FACTOR_TOLERANCE: f64 = 1e-6;

/// a / pivot, or 0 without a pivot.
fn divided(a: f64, pivot: f64) -> f64 {
    if pivot == 0.0 { 0.0 } else { a / pivot }
}

impl Cholesky {
    /// The factor of A + shift I, in O(n³).
    pub(crate) fn of(a: &Symmetric, shift: f64) -> Cholesky {
        match Cholesky::of_watched(a, shift, || Ok::<(), Infallible>(())) {
            Ok(cholesky) => cholesky,
        }
    }

    /// The factor of A + shift I; an error of `tick`, which is called after each row, ends the work.
    pub(crate) fn of_watched<E>(
        a: &Symmetric,
        shift: f64,
        mut tick: impl FnMut() -> std::result::Result<(), E>,
    ) -> std::result::Result<Cholesky, E> {
        let mut cholesky = Cholesky::default();
        let mut row = Vec::with_capacity(a.order());
        for i in 0..a.order() {
            let (left, diagonal) = a.row(i).split_at(i);
            row.clear();
            row.extend_from_slice(left);
            cholesky.forward(&mut row);
            cholesky.push(&row, Cholesky::pivot(&row, diagonal[0], shift));
            tick()?;
        }
        Ok(cholesky)
    }

    /// The number on the diagonal of L for a row of A + shift I that has `diagonal` on the diagonal of A and `left`, in
    /// L, left of it.
    ///
    /// Its square is at least the shift where A has no negative eigenvalue, but for rounding. Where rounding takes more
    /// than the shift away, nothing is known of it but that; were it less than the rounding itself, later rows would
    /// have that rounding divided by it, and then its square, and so on, until L Lᵀ is another matrix.
    pub(crate) fn pivot(left: &[f64], diagonal: f64, shift: f64) -> f64 {
        let whole = diagonal + shift;
        let square = whole - vector::dot(left, left);
        let least = if shift > 0.0 { shift.max((left.len() + 1) as f64 * f64::EPSILON * whole) } else { 0.0 };
        if square < least { least.sqrt() } else { square.sqrt() } // keeps a NaN
    }

    /// The number of rows and columns.
    pub(crate) fn order(&self) -> usize {
        self.factor.order()
    }

    /// A row of L up to the diagonal.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        self.factor.row(i)
    }

    /// The least number on the diagonal of L; `None` if it has no rows.
    pub(crate) fn least_pivot(&self) -> Option<f64> {
        (0..self.order()).map(|i| self.factor.row(i)[i]).reduce(f64::min)
    }

    /// ln det A.
    pub(crate) fn log_determinant(&self) -> f64 {
        (0..self.order()).map(|i| 2.0 * libm::log(self.factor.row(i)[i])).sum()
    }

    /// Appends a row to L: what stands left of the diagonal, then the diagonal.
    pub(crate) fn push(&mut self, row: &[f64], diagonal: f64) {
        self.factor.push(row, diagonal);
    }

    /// Takes the last row away.
    pub(crate) fn pop(&mut self) {
        self.factor.pop();
    }

    /// b ← L⁻¹ b.
    pub(crate) fn forward(&self, b: &mut [f64]) {
        for first in (0..self.order()).step_by(HEIGHT) {
            let (known, rest) = b.split_at_mut(first);
            let height = HEIGHT.min(self.order() - first);
            if height == HEIGHT {
                let products = products(self.rows_from(first), known);
                rest.iter_mut().zip(products).for_each(|(b, product)| *b -= product);
            } else {
                let each = |i| products_of([&self.factor.row(i)[..first]], known)[0];
                rest.iter_mut().zip(first..first + height).for_each(|(b, i)| *b -= each(i));
            }
            for r in 0..height {
                let (left, diagonal) = self.factor.row(first + r)[first..].split_at(r);
                let done = left.iter().zip(&*rest).fold(0.0, |sum, (l, b)| sum + l * b);
                rest[r] = divided(rest[r] - done, diagonal[0]);
            }
        }
    }

    /// B ← L⁻¹ B for several columns side by side, 4, 8 or a multiple of 8 of them: each becomes to the bit what
    /// [`Cholesky::forward`] makes of it. The rows of B before `from` are done already.
    pub(crate) fn forward_all(&self, b: &mut [f64], columns: usize, from: usize) {
        match columns {
            4 => forward_by_4(&self.factor, b.as_chunks_mut().0, 1, from),
            _ => forward_by_8(&self.factor, b.as_chunks_mut().0, columns / 8, from),
        }
    }

    /// Rows `first` to `first + HEIGHT`, left of column `first`.
    fn rows_from(&self, first: usize) -> [&[f64]; HEIGHT] {
        std::array::from_fn(|r| &self.factor.row(first + r)[..first])
    }

    /// b ← (L Lᵀ)⁻¹ b.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.forward(b);
        self.backward(b);
    }

    /// A⁻¹ = (L Lᵀ)⁻¹.
    pub(crate) fn inverse(&self) -> Symmetric {
        let order = self.order();
        let mut inverse = Symmetric::default();
        for i in 0..order {
            let mut row = vec![0.0; order];
            row[i] = 1.0;
            self.solve(&mut row);
            inverse.push(&row[..i], row[i]);
        }
        inverse
    }

    /// b ← L⁻ᵀ b.
    pub(crate) fn backward(&self, b: &mut [f64]) {
        for first in (0..self.order()).step_by(HEIGHT).rev() {
            let (open, rest) = b.split_at_mut(first);
            let height = HEIGHT.min(self.order() - first);
            for r in (0..height).rev() {
                let (left, diagonal) = self.factor.row(first + r)[first..].split_at(r);
                rest[r] = divided(rest[r], diagonal[0]);
                let step = -rest[r];
                vector::add(&mut rest[..r], step, left);
            }
            if height == HEIGHT {
                subtract(self.rows_from(first), std::array::from_fn(|r| rest[r]), open);
            } else {
                (0..height).for_each(|r| vector::add(open, -rest[r], &self.factor.row(first + r)[..first]));
            }
        }
    }

    /// Whether A is K with `shift` of each row added to its diagonal, K the Gram matrix of `set`. Both are multiplied
    /// by one vector of random signs: what differs by more than rounding hardly ever has the same product.
    pub(crate) fn is_of(&self, set: &SupportSet, shift: impl Fn(usize) -> f64) -> bool {
        let n = self.order();
        let mut random = Random::new(n as u64);
        let signs: Vec<f64> = (0..n).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect();
        // Lᵀ v and L Lᵀ v, with their sizes |L|ᵀ 1 and |L| |L|ᵀ 1 beside.
        let mut across = vec![(0.0, 0.0); n];
        for (i, sign) in signs.iter().enumerate() {
            let row = self.factor.row(i).iter().zip(&mut across);
            row.for_each(|(l, (sum, size))| (*sum, *size) = (*sum + l * sign, *size + l.abs()));
        }
        let gram = set.gram_times(&signs);
        (0..n).all(|i| {
            let row = self.factor.row(i).iter().zip(&across);
            let (sum, size) = row.fold((0.0, 0.0), |(sum, size), (l, a)| (sum + l * a.0, size + l.abs() * a.1));
            // Beyond the largest number nothing can be told.
            let difference = gram[i] + shift(i) * signs[i] - sum;
            difference.abs() <= FACTOR_TOLERANCE * size || !size.is_finite() || difference.is_nan()
        })
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, name: &str, state: &mut State) -> Result<()> {
        self.factor.state(name, state)
    }
}

/// So many rows go through a sweep side by side: the vector they meet is then loaded once for all.
const HEIGHT: usize = 4;

/// The product of each row with `b`, whose length is a multiple of [`HEIGHT`]: four sums, of every fourth component,
/// and then the sum of those.
#[inline(always)]
fn products_of<const ROWS: usize>(rows: [&[f64]; ROWS], b: &[f64]) -> [f64; ROWS] {
    let (b, _) = b.as_chunks::<HEIGHT>();
    let rows = rows.map(|row| &row.as_chunks::<HEIGHT>().0[..b.len()]);
    let mut sums = [[0.0; HEIGHT]; ROWS];
    for group in 0..b.len() {
        for r in 0..ROWS {
            for lane in 0..HEIGHT {
                sums[r][lane] += rows[r][group][lane] * b[group][lane];
            }
        }
    }
    sums.map(|[a, b, c, d]| (a + c) + (b + d))
}

/// The product of each row with each of N columns of `b`, those of this strip, summed up as [`products_of`] does.
#[inline(always)]
fn strip_products<const N: usize>(
    rows: [&[f64]; HEIGHT],
    b: &[[f64; N]],
    (strips, strip): (usize, usize),
) -> [[f64; N]; HEIGHT] {
    let groups = b.len() / (HEIGHT * strips);
    let [first, second, third, fourth] = rows.map(|row| &row.as_chunks::<HEIGHT>().0[..groups]);
    let mut parts = [[[0.0; N]; HEIGHT]; HEIGHT];
    // One part at a time and each row written out, so that all its sums stay in registers: that is six times as fast.
    for (part, sums) in parts.iter_mut().enumerate() {
        let [mut a, mut c, mut e, mut g] = [[0.0; N]; HEIGHT];
        for group in 0..groups {
            let b = &b[(group * HEIGHT + part) * strips + strip];
            let add = |sums: &mut [f64; N], l: f64| (0..N).for_each(|lane| sums[lane] += l * b[lane]);
            add(&mut a, first[group][part]);
            add(&mut c, second[group][part]);
            add(&mut e, third[group][part]);
            add(&mut g, fourth[group][part]);
        }
        *sums = [a, c, e, g];
    }
    let [a, b, c, d] = parts;
    let sum = |r: usize, lane: usize| (a[r][lane] + c[r][lane]) + (b[r][lane] + d[r][lane]);
    std::array::from_fn(|r| std::array::from_fn(|lane| sum(r, lane)))
}

/// B ← L⁻¹ B, from row `from` on; `b` has a row of B in so many strips of N columns.
#[inline(always)]
fn forward_by<const N: usize>(factor: &Symmetric, b: &mut [[f64; N]], strips: usize, from: usize) {
    for first in (from - from % HEIGHT..factor.order()).step_by(HEIGHT) {
        let (known, rest) = b.split_at_mut(first * strips);
        let height = HEIGHT.min(factor.order() - first);
        let row = |r: usize| factor.row(first + r).split_at(first);
        for strip in 0..strips {
            // Where there are fewer rows, the last one stands for those that there are not.
            let rows = std::array::from_fn(|r| row(r.min(height - 1)).0);
            let products: [[f64; N]; HEIGHT] = strip_products(rows, known, (strips, strip));
            for r in from.saturating_sub(first)..height {
                let (left, pivot) = row(r).1.split_at(r);
                let mut done = [0.0; N];
                for (k, l) in left.iter().enumerate() {
                    (0..N).for_each(|lane| done[lane] += l * rest[k * strips + strip][lane]);
                }
                let b = &mut rest[r * strips + strip];
                (0..N).for_each(|lane| b[lane] = divided((b[lane] - products[r][lane]) - done[lane], pivot[0]));
            }
        }
    }
}

/// b ← b − Σ factorᵣ rowᵣ; the length of `b` is a multiple of [`HEIGHT`].
#[inline(always)]
fn subtract_rows(rows: [&[f64]; HEIGHT], factors: [f64; HEIGHT], b: &mut [f64]) {
    let (b, _) = b.as_chunks_mut::<HEIGHT>();
    let rows = rows.map(|row| &row.as_chunks::<HEIGHT>().0[..b.len()]);
    for (group, b) in b.iter_mut().enumerate() {
        for r in 0..HEIGHT {
            for lane in 0..HEIGHT {
                b[lane] -= factors[r] * rows[r][group][lane];
            }
        }
    }
}

for_all_vectors!(fn products(rows: [&[f64]; HEIGHT], b: &[f64]) -> [f64; HEIGHT] = products_of::<HEIGHT>);
for_all_vectors!(fn forward_by_4(factor: &Symmetric, b: &mut [[f64; 4]], strips: usize, from: usize) = forward_by::<4>);
for_all_vectors!(fn forward_by_8(factor: &Symmetric, b: &mut [[f64; 8]], strips: usize, from: usize) = forward_by::<8>);
for_all_vectors!(fn subtract(rows: [&[f64]; HEIGHT], factors: [f64; HEIGHT], b: &mut [f64]) = subtract_rows);

#[cfg(test)]
mod tests {
    use super::*;

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
    fn columns_side_by_side_are_each_as_alone_and_may_be_done_in_parts() {
        let mut random = Random::new(5);
        for n in [1, 4, 7, 16, 23] {
            let cholesky = Cholesky::of(&gram(n, 60), 0.1);
            for columns in [4, 8, 16] {
                let start: Vec<f64> = (0..n * columns).map(|_| random.symmetric()).collect();
                let mut at_once = start.clone();
                cholesky.forward_all(&mut at_once, columns, 0);
                for column in 0..columns {
                    let mut alone: Vec<f64> = start.chunks(columns).map(|row| row[column]).collect();
                    cholesky.forward(&mut alone);
                    assert!(at_once.chunks(columns).zip(&alone).all(|(row, b)| row[column] == *b), "{n} {columns}");
                }
                // As L grows, row by row.
                let (mut part, mut grown) = (Cholesky::default(), Vec::new());
                for i in 0..n {
                    let (left, pivot) = cholesky.factor.row(i).split_at(i);
                    part.push(left, pivot[0]);
                    grown.extend_from_slice(&start[i * columns..(i + 1) * columns]);
                    part.forward_all(&mut grown, columns, i);
                }
                assert_eq!(grown, at_once, "{n} {columns}");
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
