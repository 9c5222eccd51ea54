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

/// `dot` with a row of doubles behind a constant, to the same bits; `weights` is long enough.
pub fn dot_behind(weights: &[f64], constant: f64, x: &[f64]) -> f64 {
    if x.len() < LONG { behind(weights, constant, x) } else { doubles_behind(weights, constant, x) }
}

/// The same with a row of single precision.
pub fn single_dot_behind(weights: &[f64], constant: f64, x: &[f32]) -> f64 {
    if x.len() < LONG { behind(weights, constant, x) } else { singles_behind(weights, constant, x) }
}

for_all_vectors!(fn doubles_behind(weights: &[f64], constant: f64, x: &[f64]) -> f64 = behind);
for_all_vectors!(fn singles_behind(weights: &[f64], constant: f64, x: &[f32]) -> f64 = behind);

#[inline(always)]
fn behind<T: Copy + Into<f64>>(weights: &[f64], constant: f64, x: &[T]) -> f64 {
    let weights = &weights[..=x.len()];
    let (near, far) = x.split_at(x.len().min(LANES - 1));
    let mut first = [constant; LANES];
    first[1..].iter_mut().zip(near).for_each(|(value, &x)| *value = x.into());
    let Some((head, weights)) = weights.split_first_chunk::<LANES>() else {
        return product(weights, &first[..=near.len()]);
    };
    let mut lanes = [0.0; LANES];
    for lane in 0..LANES {
        lanes[lane] += head[lane] * first[lane];
    }
    let (w_head, w_tail) = weights.as_chunks::<LANES>();
    let (x_head, x_tail) = far.as_chunks::<LANES>();
    for (w, x) in w_head.iter().zip(x_head) {
        for lane in 0..LANES {
            lanes[lane] += w[lane] * x[lane].into();
        }
    }
    let tail: f64 = w_tail.iter().zip(x_tail).map(|(w, &x)| w * x.into()).sum();
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
    sparse_dot_behind(weights, None, indices, values, |i| i)
}

/// `sparse_dot` with a row whose indices and values are of any types, behind a constant where there is to be one: to
/// the same bits.
#[inline(always)]
pub fn sparse_dot_behind<I: Copy, T: Copy + Into<f64>>(
    weights: &[f64],
    constant: Option<f64>,
    indices: &[I],
    values: &[T],
    place: impl Fn(I) -> u32,
) -> f64 {
    let shift = usize::from(constant.is_some());
    let weight = |i: I| weights.get(place(i) as usize + shift).copied().unwrap_or(0.0);
    let product = |(&i, &v): (&I, &T)| weight(i) * v.into();
    let first = constant.map(|constant| weights.first().copied().unwrap_or(0.0) * constant);
    // With the constant these are the first four.
    let near = if first.is_some() { 3.min(indices.len()).min(values.len()) } else { 0 };
    let ((near_indices, indices), (near_values, values)) = (indices.split_at(near), values.split_at(near));
    let near_products = near_indices.iter().zip(near_values).map(product);
    let (index_groups, index_tail) = indices.as_chunks::<4>();
    let (value_groups, value_tail) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    let tail: f64 = match first {
        Some(first) if near < 3 => std::iter::once(first).chain(near_products).sum(),
        first => {
            first.into_iter().chain(near_products).zip(&mut lanes).for_each(|(product, lane)| *lane += product);
            for (indices, values) in index_groups.iter().zip(value_groups) {
                let pairs = indices.iter().zip(values);
                lanes.iter_mut().zip(pairs).for_each(|(lane, pair)| *lane += product(pair));
            }
            index_tail.iter().zip(value_tail).map(product).sum()
        }
    };
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + tail
}

/// `sparse_dot` with two vectors of one length, to the same bits.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn products_behind_a_constant_are_those_of_the_row_put_together_to_the_bit() {
        let mut random = Random::new(5);
        let weights: Vec<f64> = (0..150).map(|_| random.gauss()).collect();
        for length in 0..140 {
            let singles: Vec<f32> = (0..length).map(|_| random.gauss() as f32).collect();
            let doubles: Vec<f64> = singles.iter().map(|&x| x.into()).collect();
            let whole = [&[-2.5][..], &doubles].concat();
            assert_eq!(dot_behind(&weights, -2.5, &doubles).to_bits(), dot(&weights, &whole).to_bits());
            assert_eq!(single_dot_behind(&weights, -2.5, &singles).to_bits(), dot(&weights, &whole).to_bits());

            let indices: Vec<i64> = (0..length).map(|k| 2 * k as i64).collect(); // some are beyond the weights
            let moved: Vec<u32> = std::iter::once(0).chain(indices.iter().map(|&i| i as u32 + 1)).collect();
            for (constant, indices_put, values_put) in
                [(None, &moved[1..], &whole[1..]), (Some(-2.5), &moved[..], &whole[..])]
            {
                let weights = if constant.is_none() { &weights[1..] } else { &weights[..] };
                let indices_put: Vec<u32> = indices_put.iter().map(|&i| i - u32::from(constant.is_none())).collect();
                let expected = sparse_dot(weights, &indices_put, values_put);
                let found = sparse_dot_behind(weights, constant, &indices, &singles, |i| i as u32);
                assert_eq!(found.to_bits(), expected.to_bits(), "{length}");
            }
        }
    }
}
