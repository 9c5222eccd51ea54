//! Weight vectors side by side: of each component that some rows have, the weights of several vectors next to each
//! other. A row then walks through memory once for all of them, and each of its components is one vector of numbers.
//!
//! Every vector's product with a row is summed as `vector::sparse_dot` and `vector::dot` do, to the same bits.

use std::borrow::Cow;

use super::cpu::for_all_vectors;
use super::vector::LANES;
use super::{Row, Rows};

/// So many vectors stand side by side: a cache line of weights.
pub(crate) const ABREAST: usize = 8;

/// Rows are worth it if they have this many times as many non-zeros as different components.
const NON_ZEROS_PER_COMPONENT: usize = 2;
/// If there are no more components than this for each row, all of them stand side by side.
const COMPONENTS_PER_ROW: usize = 4;
/// Sums of a dense product that are kept in registers, of [`LANES`].
const AT_ONCE: usize = 4;

/// The components that some rows have, numbered in their order.
pub(crate) struct RowComponents<'a> {
    /// Which they are, rising.
    all: Vec<u32>,
    /// The number of the component of each non-zero, row after row.
    places: Cow<'a, [u32]>,
}

impl RowComponents<'_> {
    /// Those of these rows, if they have most of them in common.
    pub(crate) fn shared(rows: &Rows) -> Option<RowComponents<'_>> {
        let dimension = rows.dimension();
        if dimension <= COMPONENTS_PER_ROW * rows.len() {
            return Some(RowComponents { all: (0..dimension as u32).collect(), places: rows.indices().into() });
        }
        let words = dimension.div_ceil(64);
        if words > rows.non_zeros() {
            return None;
        }
        let mut met = vec![0u64; words];
        rows.indices().iter().for_each(|&i| met[i as usize / 64] |= 1 << (i % 64));
        let mut count = 0;
        let count_before = |word: &u64| {
            count += word.count_ones();
            count - word.count_ones()
        };
        let before: Vec<u32> = met.iter().map(count_before).collect();
        if count as usize * NON_ZEROS_PER_COMPONENT > rows.non_zeros() {
            return None;
        }
        let place = |&i: &u32| {
            let (word, below) = (i as usize / 64, (1 << (i % 64)) - 1);
            before[word] + (met[word] & below).count_ones()
        };
        let places = rows.indices().iter().map(place).collect();
        let of_word = |(k, word): (usize, &u64)| {
            let (word, first) = (*word, 64 * k as u32);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
        };
        Some(RowComponents { all: met.iter().enumerate().flat_map(of_word).collect(), places })
    }

    /// The number of the component of each non-zero of these rows, row after row.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }
}

/// Up to [`ABREAST`] weight vectors side by side, over the [`RowComponents`] of some rows.
#[derive(Default)]
pub(crate) struct Abreast {
    weights: Vec<Sides>,
    /// How many components each vector has.
    lengths: [usize; ABREAST],
}

/// A component of each vector: a cache line, so that none is loaded in two halves.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Sides([f64; ABREAST]);

impl Abreast {
    /// Puts these vectors side by side; what lies beyond one of them is 0.
    pub(crate) fn fill(&mut self, components: &RowComponents<'_>, vectors: &[&[f64]]) {
        let mut sides = [&[][..]; ABREAST];
        sides.iter_mut().zip(vectors).for_each(|(side, vector)| *side = vector);
        self.lengths = [usize::MAX; ABREAST]; // no vector is never too short
        self.lengths.iter_mut().zip(vectors).for_each(|(length, vector)| *length = vector.len());
        let weights = |&i: &u32| Sides(sides.map(|vector| vector.get(i as usize).copied().unwrap_or(0.0)));
        self.weights.clear();
        self.weights.extend(components.all.iter().map(weights));
    }

    /// The product of each vector with a row whose components have these places; none where one of them is too short
    /// for a dense row, whose sums would then end elsewhere.
    pub(crate) fn dots(&self, x: Row<'_>, places: &[u32]) -> Option<[f64; ABREAST]> {
        match x {
            Row::Sparse { values, .. } => Some(dots(&self.weights, places, values)),
            Row::Dense(values) if self.lengths.iter().any(|&length| length < values.len()) => None,
            // It has every component from 0 on.
            Row::Dense(values) => Some(dense_dots(&self.weights[..values.len()], values)),
        }
    }

    /// Vector number `side` has changed, at the components of x alone, which have these places.
    pub(crate) fn follow(&mut self, side: usize, vector: &[f64], x: Row<'_>, places: &[u32]) {
        self.lengths[side] = vector.len();
        let mut places = places.iter();
        x.for_each(|i, _| {
            if let Some(&place) = places.next() {
                self.weights[place as usize].0[side] = vector.get(i).copied().unwrap_or(0.0);
            }
        });
    }
}

for_all_vectors!(fn dots(weights: &[Sides], places: &[u32], values: &[f64]) -> [f64; ABREAST] = each_dot);
for_all_vectors!(fn dense_dots(weights: &[Sides], values: &[f64]) -> [f64; ABREAST] = each_dense_dot);

#[inline(always)]
fn add(sums: &mut [f64; ABREAST], weights: &Sides, value: f64) {
    sums.iter_mut().zip(&weights.0).for_each(|(sum, weight)| *sum += weight * value);
}

#[inline(always)]
fn add_all(sums: &mut [f64; ABREAST], others: &[f64; ABREAST]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

#[inline(always)]
fn each_dense_dot(weights: &[Sides], values: &[f64]) -> [f64; ABREAST] {
    let (weight_groups, weight_tail) = weights.as_chunks::<LANES>();
    let (value_groups, value_tail) = values.as_chunks::<LANES>();
    let mut lanes = [[0.0; ABREAST]; LANES];
    for (first, lanes) in (0..).step_by(AT_ONCE).zip(lanes.as_chunks_mut::<AT_ONCE>().0) {
        let mut sums = [[0.0; ABREAST]; AT_ONCE];
        for (weights, values) in weight_groups.iter().zip(value_groups) {
            let (weights, values) = (&weights[first..first + AT_ONCE], &values[first..first + AT_ONCE]);
            for lane in 0..AT_ONCE {
                add(&mut sums[lane], &weights[lane], values[lane]);
            }
        }
        *lanes = sums;
    }
    let mut tail = [-0.0; ABREAST]; // as a sum starts
    weight_tail.iter().zip(value_tail).for_each(|(weights, &value)| add(&mut tail, weights, value));
    // As `vector::reduce` sums the lanes of one vector.
    let mut width = LANES / 2;
    while width > 0 {
        let (near, far) = lanes.split_at_mut(width);
        near.iter_mut().zip(far).for_each(|(near, far)| add_all(near, far));
        width /= 2;
    }
    add_all(&mut lanes[0], &tail);
    lanes[0]
}

#[inline(always)]
fn each_dot(weights: &[Sides], places: &[u32], values: &[f64]) -> [f64; ABREAST] {
    let (place_groups, place_tail) = places.as_chunks::<4>();
    let (value_groups, value_tail) = values.as_chunks::<4>();
    let mut lanes = [[0.0; ABREAST]; 4];
    for (places, values) in place_groups.iter().zip(value_groups) {
        for lane in 0..4 {
            add(&mut lanes[lane], &weights[places[lane] as usize], values[lane]);
        }
    }
    let mut tail = [-0.0; ABREAST]; // as a sum starts
    place_tail.iter().zip(value_tail).for_each(|(&place, &value)| add(&mut tail, &weights[place as usize], value));
    let [mut sums, mut odd, even, last] = lanes;
    add_all(&mut sums, &even);
    add_all(&mut odd, &last);
    add_all(&mut sums, &odd);
    add_all(&mut sums, &tail);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Checks the products of these rows with some vectors of so many components and more, which follow each row.
    fn assert_products_are_those_of_each_vector(rows: &Rows, least: usize, random: &mut Random) {
        let components = RowComponents::shared(rows).unwrap();
        for count in 1..=ABREAST {
            let vector = |k: usize, random: &mut Random| (0..least + 20 * k).map(|_| random.gauss()).collect();
            let mut vectors: Vec<Vec<f64>> = (0..count).map(|k| vector(k, random)).collect();
            let mut abreast = Abreast::default();
            abreast.fill(&components, &vectors.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut later = components.places();
            for x in rows.iter() {
                let places = later.split_off(..x.values().len()).unwrap();
                let dots = abreast.dots(x, places);
                let is_short = matches!(x, Row::Dense(_)) && vectors.iter().any(|vector| vector.len() < x.dimension());
                assert_eq!(dots.is_none(), is_short);
                for (side, vector) in vectors.iter_mut().enumerate() {
                    assert!(dots.is_none_or(|dots| dots[side].to_bits() == x.dot(vector).to_bits()));
                    vector.resize(vector.len().max(x.dimension()), 0.0);
                    x.add_to(vector, 0.5);
                    abreast.follow(side, vector, x, places);
                }
            }
        }
    }

    #[test]
    fn products_side_by_side_are_those_of_each_vector_to_the_bit() {
        let mut random = Random::new(1);
        for (first, apart) in [(70, 3), (700, 30)] {
            let mut rows = Rows::default();
            for length in (0..40).chain(0..40) {
                (0..length).for_each(|k| rows.push(apart * k + first + random.index(3) as u32, random.gauss()));
                rows.end_row();
            }
            assert_products_are_those_of_each_vector(&rows, 100, &mut random);
        }
        let mut rows = Rows::default();
        (0..90).for_each(|length| rows.push_dense((0..length).map(|_| random.gauss())));
        rows.push_row(Row::new(&[1, 5], &[0.5, -1.0]));
        assert_products_are_those_of_each_vector(&rows, 40, &mut random);
    }

    #[test]
    fn rows_with_little_in_common_are_left_alone() {
        let mut rows = Rows::default();
        rows.push_row(Row::new(&[1, 1_000_000], &[1.0, 2.0]));
        assert!(RowComponents::shared(&rows).is_none());
        let mut rows = Rows::default();
        (0..3).for_each(|k| rows.push_row(Row::new(&[10 * k, 10 * k + 100], &[1.0, 2.0])));
        assert!(RowComponents::shared(&rows).is_none());
        (0..3).for_each(|k| rows.push_row(Row::new(&[10 * k, 10 * k + 100], &[1.0, 2.0])));
        assert_eq!(RowComponents::shared(&rows).unwrap().places(), [0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5]);
        assert!(RowComponents::shared(&Rows::default()).is_some_and(|none| none.places().is_empty()));
    }
}
