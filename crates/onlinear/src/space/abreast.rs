//! Weight vectors side by side: of each component that some rows have, the weights of several vectors next to each
//! other. A row then walks through memory once for all of them, and each of its components is one vector of numbers.
//!
//! Every vector's product with a row is summed as `vector::sparse_dot` does, to the same bits.

use super::cpu::for_all_vectors;
use super::{Row, Rows};

/// So many vectors stand side by side: a cache line of weights.
pub(crate) const ABREAST: usize = 8;

/// Rows are worth it if they have this many times as many non-zeros as different components.
const NON_ZEROS_PER_COMPONENT: usize = 2;

/// The components that some rows have, numbered in their order.
pub(crate) struct RowComponents {
    /// Which they are, rising.
    all: Vec<u32>,
    /// The number of the component of each non-zero, row after row.
    places: Vec<u32>,
}

impl RowComponents {
    /// Those of these rows, if they have most of them in common.
    pub(crate) fn shared(rows: &Rows) -> Option<RowComponents> {
        let words = rows.dimension().div_ceil(64);
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
    weights: Vec<[f64; ABREAST]>,
}

impl Abreast {
    /// Puts these vectors side by side; what lies beyond one of them is 0.
    pub(crate) fn fill(&mut self, components: &RowComponents, vectors: &[&[f64]]) {
        let mut sides = [&[][..]; ABREAST];
        sides.iter_mut().zip(vectors).for_each(|(side, vector)| *side = vector);
        let weights = |&i: &u32| sides.map(|vector| vector.get(i as usize).copied().unwrap_or(0.0));
        self.weights.clear();
        self.weights.extend(components.all.iter().map(weights));
    }

    /// The product of each vector with a sparse row of these values, whose components have these places.
    pub(crate) fn dots(&self, places: &[u32], values: &[f64]) -> [f64; ABREAST] {
        dots(&self.weights, places, values)
    }

    /// Vector number `side` has changed, at the components of x alone, which have these places.
    pub(crate) fn follow(&mut self, side: usize, vector: &[f64], x: Row<'_>, places: &[u32]) {
        let mut places = places.iter();
        x.for_each(|i, _| {
            if let Some(&place) = places.next() {
                self.weights[place as usize][side] = vector.get(i).copied().unwrap_or(0.0);
            }
        });
    }
}

for_all_vectors!(fn dots(weights: &[[f64; ABREAST]], places: &[u32], values: &[f64]) -> [f64; ABREAST] = each_dot);

#[inline(always)]
fn each_dot(weights: &[[f64; ABREAST]], places: &[u32], values: &[f64]) -> [f64; ABREAST] {
    let add = |sums: &mut [f64; ABREAST], place: u32, value: f64| {
        let weights = &weights[place as usize];
        for side in 0..ABREAST {
            sums[side] += weights[side] * value;
        }
    };
    let (place_groups, place_tail) = places.as_chunks::<4>();
    let (value_groups, value_tail) = values.as_chunks::<4>();
    let mut lanes = [[0.0; ABREAST]; 4];
    for (places, values) in place_groups.iter().zip(value_groups) {
        for lane in 0..4 {
            add(&mut lanes[lane], places[lane], values[lane]);
        }
    }
    let mut tail = [-0.0; ABREAST]; // as a sum starts
    place_tail.iter().zip(value_tail).for_each(|(&place, &value)| add(&mut tail, place, value));
    std::array::from_fn(|side| (lanes[0][side] + lanes[2][side]) + (lanes[1][side] + lanes[3][side]) + tail[side])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn products_side_by_side_are_those_of_each_vector_to_the_bit() {
        let mut random = Random::new(1);
        let mut rows = Rows::default();
        for length in (0..40).chain(0..40) {
            (0..length).for_each(|k| rows.push(3 * k as u32 + 70 + random.index(3) as u32, random.gauss()));
            rows.end_row();
        }
        let components = RowComponents::shared(&rows).unwrap();
        for count in 1..=ABREAST {
            let vector = |k: usize, random: &mut Random| (0..100 + 20 * k).map(|_| random.gauss()).collect();
            let mut vectors: Vec<Vec<f64>> = (0..count).map(|k| vector(k, &mut random)).collect();
            let mut abreast = Abreast::default();
            abreast.fill(&components, &vectors.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut later = components.places();
            for x in rows.iter() {
                let places = later.split_off(..x.values().len()).unwrap();
                let dots = abreast.dots(places, x.values());
                for (side, vector) in vectors.iter_mut().enumerate() {
                    let Row::Sparse { indices, values } = x else { continue };
                    assert_eq!(
                        dots[side].to_bits(),
                        crate::space::vector::sparse_dot(vector, indices, values).to_bits()
                    );
                    vector.resize(vector.len().max(x.dimension()), 0.0);
                    x.add_to(vector, 0.5);
                    abreast.follow(side, vector, x, places);
                }
            }
        }
    }

    #[test]
    fn rows_with_little_in_common_are_left_alone() {
        let mut rows = Rows::default();
        rows.push_row(Row::new(&[1, 1_000_000], &[1.0, 2.0]));
        assert!(RowComponents::shared(&rows).is_none());
        let mut rows = Rows::default();
        (0..3).for_each(|k| rows.push_row(Row::new(&[k, k + 3], &[1.0, 2.0])));
        assert!(RowComponents::shared(&rows).is_none());
        (0..3).for_each(|k| rows.push_row(Row::new(&[k, k + 3], &[1.0, 2.0])));
        assert_eq!(RowComponents::shared(&rows).unwrap().places(), [0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5]);
        assert!(RowComponents::shared(&Rows::default()).is_some_and(|none| none.places().is_empty()));
    }
}
