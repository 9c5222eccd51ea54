//! Loops over plain slices. Each has one fixed order of summation, so that a result does not
//! depend on the machine: no fused multiply-add, a fixed number of lanes, one reduction tree.

use super::cpu::for_all_vectors;
use super::{Row, Rows};

/// Sums that a dot product is made of.
pub(super) const LANES: usize = 16;
/// From so many components on the widest vectors are worth asking which there are.
pub(crate) const LONG: usize = 64;

/// Σ aᵢ bᵢ over the shorter of the two.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    dot_inlined(a, b)
}

#[inline(always)]
fn dot_inlined(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    if n < LONG { product(a, b) } else { long_product(a, b) }
}

for_all_vectors!(fn long_product(a: &[f64], b: &[f64]) -> f64 = product);

#[inline(always)]
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a_head, a_tail) = a.as_chunks::<LANES>();
    let (b_head, b_tail) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (x, y) in a_head.iter().zip(b_head) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(x, y)| x * y).sum();
    reduce(lanes) + tail
}

for_all_vectors! {
    /// Appends w·x of each row x.
    fn append_dots(w: &[f64], rows: &Rows, out: &mut Vec<f64>) = append_dots_inlined
}

/// Appends w·x of each row x.
pub(crate) fn dots(w: &[f64], rows: &Rows, out: &mut Vec<f64>) {
    append_dots(w, rows, out);
}

#[inline(always)]
fn append_dots_inlined(w: &[f64], rows: &Rows, out: &mut Vec<f64>) {
    for i in 0..rows.len() {
        out.push(match rows.row(i) {
            Row::Dense(values) => dot_inlined(w, values),
            Row::Sparse { indices, values } => sparse_dot(w, indices, values),
        });
    }
}

/// The sum of all lanes.
#[inline(always)]
pub(super) fn reduce(mut lanes: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// Σ wᵢ vₖ over the pairs (i = indicesₖ, vₖ); indices beyond `weights` count as weight 0.
pub(crate) fn sparse_dot(weights: &[f64], indices: &[u32], values: &[f64]) -> f64 {
    let weight = |i: u32| weights.get(i as usize).copied().unwrap_or(0.0);
    let (index_pairs, index_tail) = indices.as_chunks::<4>();
    let (value_pairs, value_tail) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (i, v) in index_pairs.iter().zip(value_pairs) {
        for lane in 0..4 {
            lanes[lane] += weight(i[lane]) * v[lane];
        }
    }
    let tail: f64 = index_tail.iter().zip(value_tail).map(|(&i, v)| weight(i) * v).sum();
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + tail
}

/// [`sparse_dot`] with two vectors of one length, to the same bits.
pub(crate) fn sparse_dots(first: &[f64], second: &[f64], indices: &[u32], values: &[f64]) -> (f64, f64) {
    let second = &second[..first.len()];
    let weights = |i: u32| match first.get(i as usize) {
        Some(weight) => [*weight, second[i as usize]],
        None => [0.0; 2],
    };
    let (index_groups, index_tail) = indices.as_chunks::<4>();
    let (value_groups, value_tail) = values.as_chunks::<4>();
    let mut lanes = [[0.0; 4]; 2];
    for (i, v) in index_groups.iter().zip(value_groups) {
        for lane in 0..4 {
            let weights = weights(i[lane]);
            lanes[0][lane] += weights[0] * v[lane];
            lanes[1][lane] += weights[1] * v[lane];
        }
    }
    let mut tails = [-0.0; 2]; // as a sum starts
    for (&i, v) in index_tail.iter().zip(value_tail) {
        let weights = weights(i);
        tails = [tails[0] + weights[0] * v, tails[1] + weights[1] * v];
    }
    let sum = |k: usize| (lanes[k][0] + lanes[k][2]) + (lanes[k][1] + lanes[k][3]) + tails[k];
    (sum(0), sum(1))
}

/// w ← w + step · x for dense x; `weights` is long enough.
pub(crate) fn add(weights: &mut [f64], step: f64, x: &[f64]) {
    for (w, v) in weights.iter_mut().zip(x) {
        *w += step * v;
    }
}

/// w ← w + step · x for dense x, noting what w was; whether it is finite. `weights` is long enough, `old` as long as x.
pub(crate) fn add_noting(weights: &mut [f64], step: f64, x: &[f64], old: &mut [f64]) -> bool {
    if x.len() < LONG { add_each(weights, step, x, old) } else { add_long(weights, step, x, old) }
}

for_all_vectors!(fn add_long(weights: &mut [f64], step: f64, x: &[f64], old: &mut [f64]) -> bool = add_each);

#[inline(always)]
fn add_each(weights: &mut [f64], step: f64, x: &[f64], old: &mut [f64]) -> bool {
    let mut is_finite = true;
    for ((w, v), old) in weights.iter_mut().zip(x).zip(old) {
        *old = *w;
        *w += step * v;
        is_finite &= w.is_finite();
    }
    is_finite
}

/// The same for sparse x.
pub(crate) fn sparse_add_noting(
    weights: &mut [f64],
    step: f64,
    indices: &[u32],
    values: &[f64],
    old: &mut [f64],
) -> bool {
    let mut is_finite = true;
    for ((&i, v), old) in indices.iter().zip(values).zip(old) {
        let w = &mut weights[i as usize];
        *old = *w;
        *w += step * v;
        is_finite &= w.is_finite();
    }
    is_finite
}

/// Whether w + step · x is finite for dense x; `weights` may be shorter.
pub(crate) fn fits(weights: &[f64], step: f64, x: &[f64]) -> bool {
    let (met, new) = x.split_at(weights.len().min(x.len()));
    let known = weights.iter().zip(met).fold(true, |fits, (w, v)| fits & (w + step * v).is_finite());
    new.iter().fold(known, |fits, v| fits & (step * v).is_finite())
}

/// Whether w + step · x is finite for sparse x; `weights` may be shorter.
pub(crate) fn sparse_fits(weights: &[f64], step: f64, indices: &[u32], values: &[f64]) -> bool {
    let weight = |i: u32| weights.get(i as usize).copied().unwrap_or(0.0);
    indices.iter().zip(values).fold(true, |fits, (&i, v)| fits & (weight(i) + step * v).is_finite())
}

/// w ← w + step · x for sparse x; `weights` is long enough.
pub(crate) fn sparse_add(weights: &mut [f64], step: f64, indices: &[u32], values: &[f64]) {
    for (&i, v) in indices.iter().zip(values) {
        weights[i as usize] += step * v;
    }
}
