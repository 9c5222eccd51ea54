//! A symmetric matrix: its lower triangle, row after row, growing at the end.
//!
//! A sweep over the triangle is bound by memory, so what is to be done in one sweep is done in one:
//! [`Symmetric::add_and_multiply`] applies a rank-one change and multiplies by a vector at once.

use super::cpu::for_all_vectors;
use super::{Cholesky, Row, vector};
use crate::error::Result;
use crate::state::State;

/// A, with Aᵢⱼ = Aⱼᵢ at place i(i+1)/2 + j for j ≤ i.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetric {
    order: usize,
    triangle: Vec<f64>,
}

impl Symmetric {
    /// The number of rows and columns.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Memory that a matrix of this order takes, in bytes.
    pub fn bytes(order: usize) -> u64 {
        let order = order as u64;
        order.saturating_mul(order.saturating_add(1)).saturating_mul(4)
    }

    /// Aᵢⱼ.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (i.max(j), i.min(j));
        self.triangle[row * (row + 1) / 2 + column]
    }

    /// Row i up to the diagonal.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        let start = i * (i + 1) / 2;
        &self.triangle[start..=start + i]
    }

    /// Appends a row and column: what stands left of the diagonal, then the diagonal.
    pub fn push(&mut self, row: &[f64], diagonal: f64) {
        debug_assert_eq!(row.len(), self.order);
        self.triangle.extend_from_slice(row);
        self.triangle.push(diagonal);
        self.order += 1;
    }

    /// Takes the last row and column away.
    pub fn pop(&mut self) {
        self.order = self.order.saturating_sub(1);
        self.triangle.truncate(self.order * (self.order + 1) / 2);
    }

    /// Sets memory aside for a matrix of this order, without growing to it.
    pub fn reserve(&mut self, order: usize) {
        let entries = (Symmetric::bytes(order) / 8) as usize;
        self.triangle.reserve_exact(entries.saturating_sub(self.triangle.len()));
    }

    /// Grows to `order` with zeros, and `diagonal` on the diagonal.
    pub fn grow(&mut self, order: usize, diagonal: f64) {
        while self.order < order {
            self.triangle.resize(self.triangle.len() + self.order, 0.0);
            self.triangle.push(diagonal);
            self.order += 1;
        }
    }

    /// A ← A + c u uᵀ.
    pub fn add(&mut self, c: f64, u: &[f64]) {
        let mut start = 0;
        for (i, &u_i) in u.iter().enumerate().take(self.order) {
            vector::add(&mut self.triangle[start..=start + i], c * u_i, u);
            start += i + 1;
        }
    }

    /// A ← A + x xᵀ; only the places of non-zero products are touched. A is large enough for x.
    pub fn add_row(&mut self, x: Row<'_>) {
        match x {
            Row::Dense(values) => self.add(1.0, values),
            Row::Sparse { indices, values } => {
                for (k, (&i, &v)) in indices.iter().zip(values).enumerate() {
                    let start = i as usize * (i as usize + 1) / 2;
                    let row = &mut self.triangle[start..=start + i as usize];
                    vector::sparse_add(row, v, &indices[..=k], &values[..=k]);
                }
            }
        }
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.triangle.iter().all(|v| v.is_finite())
    }

    /// A ← A + c (u vᵀ + v uᵀ).
    pub fn add_pair(&mut self, c: f64, u: &[f64], v: &[f64]) {
        let mut start = 0;
        for i in 0..self.order {
            let row = &mut self.triangle[start..=start + i];
            vector::add(row, c * u[i], v);
            vector::add(row, c * v[i], u);
            start += i + 1;
        }
    }

    /// A x, into `out`; `x` and `out` have [`Symmetric::order`] components.
    pub fn multiply(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.order, 0.0);
        for i in 0..self.order {
            let row = self.row(i);
            let (left, diagonal) = row.split_at(i);
            out[i] += vector::dot(left, x) + diagonal[0] * x[i];
            vector::add(&mut out[..i], x[i], left);
        }
    }

    /// A x for a row x with few components: only their rows and columns are read.
    pub fn multiply_row(&self, x: Row<'_>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.order, 0.0);
        x.for_each(|k, v| {
            if v == 0.0 || k >= self.order {
                return;
            }
            vector::add(&mut out[..=k], v, self.row(k));
            let mut place = (k + 1) * (k + 2) / 2 + k;
            for (i, out) in out.iter_mut().enumerate().skip(k + 1) {
                *out += v * self.triangle[place];
                place += i + 1;
            }
        });
    }

    /// A ← A + c u uᵀ, then A x, in one sweep; all vectors have [`Symmetric::order`] components.
    pub fn add_and_multiply(&mut self, c: f64, u: &[f64], x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.order, 0.0);
        let mut rest = &mut self.triangle[..];
        for first in (0..self.order).step_by(HEIGHT) {
            let height = HEIGHT.min(self.order - first);
            let (block, below) = rest.split_at_mut(height * first + height * (height + 1) / 2);
            if height == HEIGHT {
                sweep_block(block, first, c, u, x, out);
            } else {
                add_and_multiply_rows(block, first, height, 0, c, u, x, out);
            }
            rest = below;
        }
    }

    /// A ← A + x zᵀ + z xᵀ for a row x with few components: only their rows and columns are touched.
    pub fn add_pair_row(&mut self, x: Row<'_>, z: &[f64]) {
        let order = self.order;
        x.for_each(|k, v| {
            if v == 0.0 || k >= order {
                return;
            }
            let start = k * (k + 1) / 2;
            vector::add(&mut self.triangle[start..=start + k], v, z);
            let mut place = start + k;
            for (i, z) in z.iter().enumerate().take(order).skip(k) {
                self.triangle[place] += v * z;
                place += i + 1;
            }
        });
    }

    /// A ← A + c (u vᵀ + v uᵀ), then A x, in one sweep: to the bit what the two do one after the other. All vectors
    /// have [`Symmetric::order`] components.
    pub fn add_pair_and_multiply(&mut self, c: f64, u: &[f64], v: &[f64], x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.order, 0.0);
        let mut rest = &mut self.triangle[..];
        for first in (0..self.order).step_by(HEIGHT) {
            let height = HEIGHT.min(self.order - first);
            let (block, below) = rest.split_at_mut(height * first + height * (height + 1) / 2);
            let sweep = PairSweep { first, c, u, v, x };
            if height == HEIGHT {
                sweep_pair(&sweep, block, out);
            } else {
                sweep.rows(block, height, 0, [[0.0; vector::LANES]; HEIGHT], out);
            }
            rest = below;
        }
    }

    /// A⁻¹ of a matrix whose eigenvalues are all positive, in O(n³).
    pub(crate) fn inverted(&self) -> Symmetric {
        Cholesky::of(self, 0.0).inverse()
    }

    /// The matrix with these rows up to the diagonal, one after another.
    pub(crate) fn of_triangle(order: usize, triangle: Vec<f64>) -> Symmetric {
        debug_assert_eq!(triangle.len(), order * (order + 1) / 2);
        Symmetric { order, triangle }
    }

    /// Its rows up to the diagonal, one after another.
    pub(crate) fn triangle(&self) -> &[f64] {
        &self.triangle
    }

    /// Takes away what is above `most` on the diagonal.
    pub(crate) fn bound_diagonal(&mut self, most: f64) {
        for i in 0..self.order {
            let diagonal = &mut self.triangle[i * (i + 1) / 2 + i];
            *diagonal = diagonal.min(most);
        }
    }

    /// Visits the fields.
    pub fn state(&mut self, name: &str, state: &mut State) -> Result<()> {
        let mut order = self.order as u64;
        state.within(name, |state| {
            state.u64("order", &mut order)?;
            state.f64s("triangle", &mut self.triangle)?;
            let twice = order.checked_add(1).and_then(|next| order.checked_mul(next));
            let fits = twice.is_some_and(|twice| twice / 2 == self.triangle.len() as u64);
            state.require(fits, "order and triangle do not fit together")
        })?;
        self.order = order as usize;
        Ok(())
    }
}

/// So many rows go through a sweep side by side, so that the products with their columns are loaded
/// and stored once for all of them.
const HEIGHT: usize = 4;
/// So many columns are done at once: as many as the widest vectors hold.
const LANES: usize = 8;

/// The sweep over rows `first` to `first + height`, from column `left` on.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn add_and_multiply_rows(
    block: &mut [f64],
    first: usize,
    height: usize,
    left: usize,
    c: f64,
    u: &[f64],
    x: &[f64],
    out: &mut [f64],
) {
    let mut start = 0;
    for i in first..first + height {
        let row = &mut block[start..=start + i];
        let step = c * u[i];
        for j in left..=i {
            row[j] += step * u[j];
            out[i] += row[j] * x[j];
            if j < i {
                out[j] += row[j] * x[i];
            }
        }
        start += i + 1;
    }
}

/// The sweep over [`HEIGHT`] rows from `first` on, [`LANES`] columns at a time.
#[inline(always)]
fn add_and_multiply_block(block: &mut [f64], first: usize, c: f64, u: &[f64], x: &[f64], out: &mut [f64]) {
    let groups = first / LANES;
    {
        let (row_0, rest) = block.split_at_mut(first + 1);
        let (row_1, rest) = rest.split_at_mut(first + 2);
        let (row_2, row_3) = rest.split_at_mut(first + 3);
        let rows = [row_0, row_1, row_2, row_3].map(|row| &mut row.as_chunks_mut::<LANES>().0[..groups]);
        let (us, xs) = (&u.as_chunks::<LANES>().0[..groups], &x.as_chunks::<LANES>().0[..groups]);
        let outs = &mut out.as_chunks_mut::<LANES>().0[..groups];
        let steps: [f64; HEIGHT] = std::array::from_fn(|r| c * u[first + r]);
        let factors: [f64; HEIGHT] = std::array::from_fn(|r| x[first + r]);
        let mut sums = [[0.0; LANES]; HEIGHT];
        for group in 0..groups {
            let (u, x) = (us[group], xs[group]);
            let mut sum = outs[group];
            for r in 0..HEIGHT {
                let mut values = rows[r][group];
                for lane in 0..LANES {
                    values[lane] += steps[r] * u[lane];
                    sums[r][lane] += values[lane] * x[lane];
                    sum[lane] += values[lane] * factors[r];
                }
                rows[r][group] = values;
            }
            outs[group] = sum;
        }
        for (r, [a, b, c, d, e, f, g, h]) in sums.into_iter().enumerate() {
            out[first + r] += ((a + e) + (c + g)) + ((b + f) + (d + h));
        }
    }
    add_and_multiply_rows(block, first, HEIGHT, groups * LANES, c, u, x, out);
}

/// What [`Symmetric::add_pair_and_multiply`] does to the rows from `first` on, a multiple of [`HEIGHT`].
struct PairSweep<'a> {
    first: usize,
    c: f64,
    u: &'a [f64],
    v: &'a [f64],
    x: &'a [f64],
}

impl PairSweep<'_> {
    /// `height` rows from column `left` on; `lanes` are the products of those before it with x, as [`vector::dot`]
    /// keeps them.
    #[inline(always)]
    fn rows(
        &self,
        block: &mut [f64],
        height: usize,
        left: usize,
        lanes: [[f64; vector::LANES]; HEIGHT],
        out: &mut [f64],
    ) {
        let &PairSweep { first, c, u, v, x } = self;
        let mut start = 0;
        for i in first..first + height {
            let tail = &mut block[start + left..=start + i];
            vector::add(tail, c * u[i], &v[left..]);
            vector::add(tail, c * v[i], &u[left..]);
            let product = match left {
                0 => vector::dot(&tail[..i], x),
                _ => {
                    let tail = tail[..i - left].iter().zip(&x[left..]).map(|(a, x)| a * x).sum::<f64>();
                    vector::reduce(lanes[i - first]) + tail
                }
            };
            out[i] += product + tail[i - left] * x[i];
            vector::add(&mut out[left..i], x[i], &tail[..i - left]);
            start += i + 1;
        }
    }

    /// [`HEIGHT`] rows, as many columns at a time as [`vector::dot`] has lanes.
    #[inline(always)]
    fn block(&self, block: &mut [f64], out: &mut [f64]) {
        const LANES: usize = vector::LANES;
        let &PairSweep { first, c, u, v, x } = self;
        let groups = first / LANES;
        let mut sums = [[0.0; LANES]; HEIGHT];
        {
            let (row_0, rest) = block.split_at_mut(first + 1);
            let (row_1, rest) = rest.split_at_mut(first + 2);
            let (row_2, row_3) = rest.split_at_mut(first + 3);
            let rows = [row_0, row_1, row_2, row_3].map(|row| &mut row.as_chunks_mut::<LANES>().0[..groups]);
            let [us, vs, xs] = [u, v, x].map(|all| &all.as_chunks::<LANES>().0[..groups]);
            let outs = &mut out.as_chunks_mut::<LANES>().0[..groups];
            let steps: [[f64; 2]; HEIGHT] = std::array::from_fn(|r| [c * u[first + r], c * v[first + r]]);
            for group in 0..groups {
                let (u, v, x) = (&us[group], &vs[group], &xs[group]);
                let mut sum = outs[group];
                for r in 0..HEIGHT {
                    let values = &mut rows[r][group];
                    for lane in 0..LANES {
                        let value = values[lane] + steps[r][0] * v[lane] + steps[r][1] * u[lane];
                        values[lane] = value;
                        sums[r][lane] += value * x[lane];
                        sum[lane] += self.x[first + r] * value;
                    }
                }
                outs[group] = sum;
            }
        }
        self.rows(block, HEIGHT, groups * LANES, sums, out);
    }
}

for_all_vectors!(
    /// The sweep with a pair over a whole block.
    fn sweep_pair(sweep: &PairSweep<'_>, block: &mut [f64], out: &mut [f64]) = PairSweep::block
);

for_all_vectors!(
    /// The sweep over a whole block.
    fn sweep_block(block: &mut [f64], first: usize, c: f64, u: &[f64], x: &[f64], out: &mut [f64]) =
        add_and_multiply_block
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn every_operation_is_that_of_a_full_matrix() {
        let mut random = Random::new(1);
        let n = 37;
        let mut draw = || (0..n).map(|_| random.symmetric()).collect::<Vec<f64>>();
        let (mut packed, mut full) = (Symmetric::default(), vec![vec![0.0; n]; n]);
        packed.grow(n - 1, 2.0);
        (0..n - 1).for_each(|i| full[i][i] = 2.0);
        let border = draw();
        packed.push(&border[..n - 1], border[n - 1]);
        for i in 0..n {
            full[i][n - 1] = border[i];
            full[n - 1][i] = border[i];
        }
        let (u, v, x) = (draw(), draw(), draw());
        packed.add(0.5, &u);
        packed.add_row(Row::Sparse { indices: &[3, 20, 36], values: &[1.0, -2.0, 0.5] });
        for (i, a) in [(3, 1.0), (20, -2.0), (36, 0.5)] {
            [(3, 1.0), (20, -2.0), (36, 0.5)].iter().for_each(|(j, b)| full[i][*j] += a * b);
        }
        packed.add_row(Row::Dense(&u[..9]));
        (0..9).for_each(|i| (0..9).for_each(|j| full[i][j] += u[i] * u[j]));
        packed.add_pair(-1.5, &u, &v);
        for i in 0..n {
            for j in 0..n {
                full[i][j] += 0.5 * u[i] * u[j] - 1.5 * (u[i] * v[j] + v[i] * u[j]);
                assert!((packed.get(i, j) - full[i][j]).abs() < 1e-14);
            }
        }
        let product = |full: &[Vec<f64>]| -> Vec<f64> {
            full.iter().map(|row| row.iter().zip(&x).map(|(a, b)| a * b).sum()).collect()
        };
        let mut out = Vec::new();
        let close = |out: &[f64], expected: &[f64]| out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        packed.multiply(&x, &mut out);
        assert!(close(&out, &product(&full)));
        packed.multiply_row(Row::Dense(&x), &mut out);
        assert!(close(&out, &product(&full)));
        packed.add_and_multiply(0.25, &v, &x, &mut out);
        (0..n).for_each(|i| (0..n).for_each(|j| full[i][j] += 0.25 * v[i] * v[j]));
        assert!(close(&out, &product(&full)));
        packed.add_pair_and_multiply(1.0, &u, &v, &x, &mut out);
        (0..n).for_each(|i| (0..n).for_each(|j| full[i][j] += u[i] * v[j] + v[i] * u[j]));
        assert!(close(&out, &product(&full)));
        packed.add_pair_row(Row::Sparse { indices: &[0, 5, 36], values: &[2.0, -0.5, 1.5] }, &u);
        for (k, value) in [(0, 2.0), (5, -0.5), (36, 1.5)] {
            (0..n).for_each(|i| full[i][k] += value * u[i]);
            (0..n).for_each(|i| full[k][i] += value * u[i]);
        }
        packed.multiply(&x, &mut out);
        assert!(close(&out, &product(&full)));
    }
    #[test]
    fn a_sweep_gives_the_bits_of_its_parts() {
        let mut random = Random::new(3);
        for n in (0..70).chain([131]) {
            let mut draw = || (0..n).map(|_| random.symmetric()).collect::<Vec<f64>>();
            let (u, v, x) = (draw(), draw(), draw());
            let mut apart = Symmetric::default();
            apart.grow(n, 1.0);
            apart.add(0.3, &x);
            let mut together = apart.clone();
            let (mut expected, mut out) = (Vec::new(), Vec::new());
            apart.add_pair(-0.7, &u, &v);
            apart.multiply(&x, &mut expected);
            together.add_pair_and_multiply(-0.7, &u, &v, &x, &mut out);
            assert_eq!((together, out), (apart, expected), "{n}");
        }
    }
}
