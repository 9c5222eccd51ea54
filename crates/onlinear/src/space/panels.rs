//! Rows laid out for inner products with many directions at once.

use super::cpu::for_all_vectors;
use super::{Row, Rows};

/// Rows that go through a product side by side.
const HEIGHT: usize = 8;
/// Directions that go through a product side by side.
const WIDTH: usize = 6;

/// All rows of a sample. Each inner product is summed in the order of the components, however many
/// directions are multiplied at once, so it does not depend on them.
#[derive(Debug)]
pub struct Panels {
    rows: usize,
    dimension: usize,
    store: PanelStore,
}

#[derive(Debug)]
enum PanelStore {
    /// Panels of [`HEIGHT`] rows; in each, component after component.
    Dense(Vec<[f64; HEIGHT]>),
    /// Rows with many zeros.
    Sparse(Rows),
}

impl Panels {
    /// The rows, of `dimension` components.
    pub fn new(rows: &Rows, dimension: usize) -> Panels {
        let cells = rows.len().saturating_mul(dimension);
        let store = if rows.non_zeros() < cells / 4 {
            PanelStore::Sparse(rows.clone())
        } else {
            let mut panels = vec![[0.0; HEIGHT]; rows.len().div_ceil(HEIGHT) * dimension];
            for i in 0..rows.len() {
                let first = i / HEIGHT * dimension;
                rows.row(i).for_each(|j, v| panels[first + j][i % HEIGHT] = v);
            }
            PanelStore::Dense(panels)
        };
        Panels { rows: rows.len(), dimension, store }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// ⟨d, xᵢ⟩ for each row.
    pub fn product(&self, d: &[f64], out: &mut [f64]) {
        let d: Vec<[f64; 1]> = d.iter().map(|&d| [d]).collect();
        self.multiply(&d, out, dense_1);
    }

    /// ⟨d, xᵢ⟩ for each direction, and for each row within it.
    pub fn products(&self, directions: &[Vec<f64>], out: &mut [f64]) {
        let (groups, rest) = directions.as_chunks::<WIDTH>();
        let (wide, narrow) = out.split_at_mut(groups.len() * WIDTH * self.rows);
        let mut d = vec![[0.0; WIDTH]; self.dimension];
        for (group, out) in groups.iter().zip(wide.chunks_exact_mut((WIDTH * self.rows).max(1))) {
            d.iter_mut().enumerate().for_each(|(j, slot)| *slot = std::array::from_fn(|k| group[k][j]));
            self.multiply(&d, out, dense_many);
        }
        for (d, out) in rest.iter().zip(narrow.chunks_exact_mut(self.rows.max(1))) {
            self.product(d, out);
        }
    }

    fn multiply<const D: usize>(&self, d: &[[f64; D]], out: &mut [f64], dense: Dense<D>) {
        match &self.store {
            PanelStore::Dense(panels) => dense(panels, &d[..self.dimension], self.rows, out),
            PanelStore::Sparse(rows) => {
                for i in 0..rows.len() {
                    let mut sums = [0.0; D];
                    rows.row(i).for_each(|j, v| (0..D).for_each(|k| sums[k] += v * d[j][k]));
                    (0..D).for_each(|k| out[k * self.rows + i] = sums[k]);
                }
            }
        }
    }

    /// Component `j` of each row.
    pub fn column(&self, j: usize, out: &mut [f64]) {
        match &self.store {
            PanelStore::Dense(panels) => {
                for (panel, out) in panels.chunks_exact(self.dimension).zip(out.chunks_mut(HEIGHT)) {
                    out.copy_from_slice(&panel[j][..out.len()]);
                }
            }
            PanelStore::Sparse(rows) => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = component(rows.row(i), j);
                }
            }
        }
    }
}

/// xⱼ.
fn component(x: Row<'_>, j: usize) -> f64 {
    match x {
        Row::Dense(values) => values.get(j).copied().unwrap_or(0.0),
        Row::Sparse { indices, values } => indices.binary_search(&(j as u32)).map_or(0.0, |place| values[place]),
    }
}

/// A product of panels with D directions, for so many rows.
type Dense<const D: usize> = fn(&[[f64; HEIGHT]], &[[f64; D]], usize, &mut [f64]);

#[inline(always)]
fn dense<const D: usize>(panels: &[[f64; HEIGHT]], d: &[[f64; D]], rows: usize, out: &mut [f64]) {
    for (p, panel) in panels.chunks_exact(d.len().max(1)).enumerate() {
        let mut sums = [[0.0; HEIGHT]; D];
        for (x, d) in panel.iter().zip(d) {
            for k in 0..D {
                for lane in 0..HEIGHT {
                    sums[k][lane] += x[lane] * d[k];
                }
            }
        }
        let height = (rows - p * HEIGHT).min(HEIGHT);
        for (k, sums) in sums.iter().enumerate() {
            out[k * rows + p * HEIGHT..][..height].copy_from_slice(&sums[..height]);
        }
    }
}

for_all_vectors!(fn dense_1(panels: &[[f64; HEIGHT]], d: &[[f64; 1]], rows: usize, out: &mut [f64]) = dense);
for_all_vectors!(fn dense_many(panels: &[[f64; HEIGHT]], d: &[[f64; WIDTH]], rows: usize, out: &mut [f64]) = dense);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// `rows` rows of which each component is there with this probability.
    fn rows(count: usize, dimension: usize, probability: f64) -> Rows {
        let mut random = Random::new(5);
        let mut rows = Rows::default();
        for _ in 0..count {
            for j in 0..dimension as u32 {
                if random.chance(probability) {
                    rows.push(j, random.symmetric());
                }
            }
            rows.end_row();
        }
        rows
    }

    #[test]
    fn one_direction_or_many_give_the_sum_in_order() {
        for (count, dimension, probability) in [(1, 1, 1.0), (8, 3, 1.0), (29, 17, 1.0), (29, 17, 0.6), (40, 33, 0.1)] {
            let rows = rows(count, dimension, probability);
            let panels = Panels::new(&rows, dimension);
            assert_eq!(matches!(panels.store, PanelStore::Sparse(_)), probability < 0.25);
            let mut random = Random::new(1);
            let d: Vec<Vec<f64>> =
                (0..WIDTH + 2).map(|_| (0..dimension).map(|_| random.symmetric()).collect()).collect();
            let mut many = vec![0.0; d.len() * count];
            panels.products(&d, &mut many);
            let mut one = vec![0.0; count];
            for (k, d) in d.iter().enumerate() {
                panels.product(d, &mut one);
                for i in 0..count {
                    let mut expected = 0.0;
                    rows.row(i).for_each(|j, v| expected += v * d[j]);
                    assert_eq!((many[k * count + i], one[i]), (expected, expected));
                }
            }
            for j in 0..dimension {
                panels.column(j, &mut one);
                assert!((0..count).all(|i| one[i] == component(rows.row(i), j)));
            }
        }
    }
}
