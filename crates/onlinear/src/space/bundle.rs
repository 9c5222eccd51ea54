//! Weight vectors side by side, for their products with one row at a time.

use super::Row;
use super::cpu::for_all_vectors;

/// Vectors that go through a product side by side: as many sums as fit in the registers.
const LANES: usize = 32;

/// Many weight vectors. Each inner product is summed in the order of the components, as
/// [`Panels`](super::Panels) does, so it does not depend on how many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bundle {
    vectors: usize,
    columns: usize,
    /// Blocks of [`LANES`] vectors; in each, component after component.
    blocks: Vec<[f64; LANES]>,
}

impl Bundle {
    /// The vectors that stand one after another in `flat`, of `columns` components each; `None`
    /// unless it comes out even.
    pub(crate) fn from_flat(flat: &[f64], columns: usize) -> Option<Bundle> {
        let mut bundle = Bundle::default();
        let vectors = flat.chunks_exact(columns.max(1));
        if !vectors.remainder().is_empty() {
            return None;
        }
        vectors.for_each(|w| bundle.push(w));
        Some(bundle)
    }

    /// The vectors one after another, each of [`Bundle::columns`] components.
    pub(crate) fn to_flat(&self) -> Vec<f64> {
        let at = |t: usize, j: usize| self.blocks[t / LANES * self.columns + j][t % LANES];
        (0..self.vectors).flat_map(|t| (0..self.columns).map(move |j| at(t, j))).collect()
    }

    /// Whether there is no vector.
    pub(crate) fn is_empty(&self) -> bool {
        self.vectors == 0
    }

    /// How many components the longest of them has; at least 1 if there are any.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Appends a vector; shorter ones count as if they had zeros behind.
    pub(crate) fn push(&mut self, w: &[f64]) {
        if w.len().max(1) > self.columns {
            self.widen(w.len().max(1));
        }
        let (block, lane) = (self.vectors / LANES, self.vectors % LANES);
        self.vectors += 1;
        self.blocks.resize(self.vectors.div_ceil(LANES) * self.columns, [0.0; LANES]);
        let block = &mut self.blocks[block * self.columns..];
        block.iter_mut().zip(w).for_each(|(components, &w)| components[lane] = w);
    }

    fn widen(&mut self, columns: usize) {
        let mut blocks = vec![[0.0; LANES]; self.vectors.div_ceil(LANES) * columns];
        if self.columns > 0 {
            let old = self.blocks.chunks_exact(self.columns);
            old.zip(blocks.chunks_exact_mut(columns)).for_each(|(old, new)| new[..old.len()].copy_from_slice(old));
        }
        (self.blocks, self.columns) = (blocks, columns);
    }

    /// Σ votes_t · sgn⟨w_t, x⟩ with sgn(0) = +1, added up in the order of the vectors; NaN where a product is not
    /// finite.
    pub(crate) fn majority(&self, votes: &[f64], x: Row<'_>) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        sum_of_votes(&self.blocks, self.columns, &votes[..self.vectors], x.within(self.columns))
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        (self.blocks.len() * LANES * 8) as u64
    }
}

#[inline(always)]
fn votes_in_order(blocks: &[[f64; LANES]], columns: usize, votes: &[f64], x: Row<'_>) -> f64 {
    let mut sum = 0.0;
    for (block, votes) in blocks.chunks_exact(columns).zip(votes.chunks(LANES)) {
        let mut products = [0.0; LANES];
        let mut add = |w: &[f64; LANES], v: f64| {
            for lane in 0..LANES {
                products[lane] += w[lane] * v;
            }
        };
        match x {
            Row::Dense(values) => block.iter().zip(values).for_each(|(w, &v)| add(w, v)),
            Row::Sparse { indices, values } => {
                indices.iter().zip(values).for_each(|(&j, &v)| add(&block[j as usize], v))
            }
        }
        for (product, vote) in products.iter().zip(votes) {
            sum += if *product >= 0.0 { *vote } else { -vote } + 0.0 * product;
        }
    }
    sum
}

for_all_vectors!(
    fn sum_of_votes(blocks: &[[f64; LANES]], columns: usize, votes: &[f64], x: Row<'_>) -> f64 = votes_in_order
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::space::{Panels, Rows};

    #[test]
    fn votes_are_those_of_the_vectors_one_by_one() {
        let mut random = Random::new(3);
        for (vectors, columns) in [(1, 1), (31, 4), (32, 4), (33, 7), (100, 20)] {
            let mut bundle = Bundle::default();
            let w: Vec<Vec<f64>> = (0..vectors)
                .map(|t| (0..(1 + t % columns).max(columns * t / vectors)).map(|_| random.symmetric()).collect())
                .collect();
            w.iter().for_each(|w| bundle.push(w));
            assert_eq!((bundle.vectors, bundle.columns()), (vectors, w.iter().map(Vec::len).max().unwrap()));
            let votes: Vec<f64> = (0..vectors).map(|_| random.uniform()).collect();
            let mut rows = Rows::default();
            for i in 0..20 {
                let there = if i % 2 == 0 { 1.0 } else { 0.5 };
                (0..columns as u32 + 2).filter(|_| random.chance(there)).for_each(|j| rows.push(j, f64::from(j) - 3.5));
                rows.end_row();
            }
            let panels = Panels::new(&rows, columns + 2);
            let mut expected = vec![0.0; rows.len()];
            for (w, vote) in w.iter().zip(&votes) {
                let (mut padded, mut products) = (w.clone(), vec![0.0; rows.len()]);
                padded.resize(columns + 2, 0.0);
                panels.product(&padded, &mut products);
                expected.iter_mut().zip(products).for_each(|(sum, p)| *sum += if p >= 0.0 { *vote } else { -vote });
            }
            let again = Bundle::from_flat(&bundle.to_flat(), bundle.columns()).unwrap();
            for (i, &expected) in expected.iter().enumerate() {
                assert_eq!(bundle.majority(&votes, rows.row(i)), expected);
                assert_eq!(again.majority(&votes, rows.row(i)), expected);
            }
        }
    }

    #[test]
    fn a_flat_list_must_come_out_even() {
        assert!(Bundle::from_flat(&[1.0, 2.0, 3.0], 2).is_none());
        assert_eq!(Bundle::from_flat(&[1.0, 2.0, 3.0], 3).unwrap().to_flat(), [1.0, 2.0, 3.0]);
        assert!(Bundle::from_flat(&[], 0).unwrap().is_empty());
    }
}
