//! Kernel values of several rows at once against rows held: one lane per query.
//!
//! The queries are transposed: for each feature that occurs in them, their values stand side by
//! side. A held row is then walked through once, feature by feature, and all lanes are summed up
//! together. Each lane's sum is in the order of features whatever the number of lanes, and so are
//! the bits of every kernel value.

use super::cpu::{Vectors, vectors};
use super::kernel::{Kernel, Traits};
use super::look_ahead::Held;
use super::row::Row;
use super::slots::Slots;

/// The most queries at once: as many sums as fit in the registers of a processor with 256-bit vectors.
pub(crate) const MOST_LANES: usize = 16;

/// Queries side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// Lanes in use.
    count: usize,
    /// Lanes there are: 4, 8 or 16. Those not in use hold zeros.
    width: usize,
    /// Where the values of a feature stand, counting from 1 in units of `width`; 0 for a feature
    /// that no query has.
    slots: Slots,
    /// The features that have a slot.
    features: Vec<u32>,
    values: Vec<f64>,
    squares: [f64; MOST_LANES],
    lengths: [f64; MOST_LANES],
}

impl Lanes {
    /// Takes these queries in; at most [`MOST_LANES`].
    pub(crate) fn load<'a>(&mut self, kernel: &Kernel, queries: impl ExactSizeIterator<Item = Row<'a>>) {
        self.clear();
        self.count = queries.len();
        self.width = self.count.next_power_of_two().clamp(4, MOST_LANES);
        for (lane, query) in queries.enumerate() {
            query.for_each(|feature, value| self.put(feature, lane, value));
            let Traits { square, length } = kernel.traits_of(square_in_order(query));
            self.squares[lane] = square;
            self.lengths[lane] = length;
        }
    }

    fn clear(&mut self) {
        self.slots.clear(self.features.drain(..));
        self.values.clear();
        self.squares = [0.0; MOST_LANES];
        self.lengths = [0.0; MOST_LANES];
    }

    fn put(&mut self, feature: usize, lane: usize, value: f64) {
        let slot = self.slots.entry(feature as u32);
        if *slot == 0 {
            self.features.push(feature as u32);
            *slot = self.features.len() as u32;
            self.values.resize(self.values.len() + self.width, 0.0);
        }
        self.values[(*slot as usize - 1) * self.width + lane] = value;
    }

    /// Lanes in use.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Lanes there are.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Puts into `out` the kernel values of rows held with all lanes: of as many as there is room for, from `first` on.
    pub(super) fn fill(&self, held: Held<'_>, first: usize, out: &mut [f64]) {
        match self.width {
            4 => dispatch::<4>(self, held, first, out),
            8 => dispatch::<8>(self, held, first, out),
            _ => dispatch::<MOST_LANES>(self, held, first, out),
        }
    }

    #[inline(always)]
    fn fill_lanes<const N: usize>(&self, held: Held<'_>, first: usize, out: &mut [f64]) {
        let Held { kernel, rows, traits } = held;
        let (groups, _) = self.values.as_chunks::<N>();
        let squares = self.squares.first_chunk::<N>().expect("N is at most MOST_LANES");
        let lengths = self.lengths.first_chunk::<N>().expect("N is at most MOST_LANES");
        let (results, _) = out.as_chunks_mut::<N>();
        for ((row, &z), result) in (first..).zip(&traits[first..]).zip(results) {
            let (indices, values) = rows.parts(row);
            let mut products = [0.0; N];
            for (&feature, &value) in indices.iter().zip(values) {
                let slot = self.slots.of(feature);
                if slot > 0 {
                    let group = &groups[slot - 1];
                    for lane in 0..N {
                        products[lane] += value * group[lane];
                    }
                }
            }
            kernel.finish(&mut products, squares, lengths, z);
            *result = products;
        }
    }
}

/// ‖x‖², summed in the order of features.
pub(crate) fn square_in_order(x: Row<'_>) -> f64 {
    x.values().iter().fold(0.0, |sum, v| sum + v * v)
}

/// One loop compiled for several widths of vectors. None of them fuses or reorders, so all give the same bits.
fn dispatch<const N: usize>(lanes: &Lanes, held: Held<'_>, first: usize, out: &mut [f64]) {
    match vectors() {
        Vectors::Portable => lanes.fill_lanes::<N>(held, first, out),
        // SAFETY: `vectors` has found that the processor has these.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Vectors::Avx2 => unsafe { with_avx2::<N>(lanes, held, first, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Vectors::Avx512 => unsafe { with_avx512::<N>(lanes, held, first, out) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<const N: usize>(lanes: &Lanes, held: Held<'_>, first: usize, out: &mut [f64]) {
    lanes.fill_lanes::<N>(held, first, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
fn with_avx512<const N: usize>(lanes: &Lanes, held: Held<'_>, first: usize, out: &mut [f64]) {
    lanes.fill_lanes::<N>(held, first, out);
}

#[cfg(test)]
mod tests {
    use super::super::Rows;
    use super::super::kernel::Shape;
    use super::*;

    const LINEAR: Kernel = Kernel { shape: Shape::Linear, cosine: false };

    /// The kernel values of two rows held with three queries, all of which have `far` for a feature.
    fn values(kernel: &Kernel, far: u32) -> Vec<f64> {
        let mut rows = Rows::default();
        rows.push_row(Row::new(&[0, 3, far], &[1.0, -0.5, 2.0]));
        rows.push_row(Row::new(&[far], &[0.25]));
        let traits: Vec<Traits> = (0..2).map(|i| kernel.traits_of(square_in_order(rows.row(i)))).collect();
        let (both, alone) = ([2, far], [far]);
        let queries = [Row::new(&[3], &[4.0]), Row::new(&both, &[1.0, 3.0]), Row::new(&alone, &[-1.0])];
        let (mut lanes, mut out, mut again) = (Lanes::default(), vec![0.0; 8], vec![0.0; 8]);
        let held = Held { kernel, rows: &rows, traits: &traits };
        lanes.load(kernel, queries.into_iter());
        lanes.fill(held, 0, &mut out);
        // Taken in again, the queries leave nothing behind.
        lanes.load(kernel, queries[..1].iter().copied());
        lanes.fill(held, 0, &mut again);
        assert_eq!(again[0], out[0]);
        out
    }

    #[test]
    fn a_far_feature_is_a_feature_like_any_other() {
        for kernel in [LINEAR, Kernel { shape: Shape::Gaussian { gamma: 0.5 }, cosine: false }] {
            assert_eq!(values(&kernel, 7), values(&kernel, u32::MAX - 1));
        }
        assert_eq!(values(&LINEAR, u32::MAX - 1)[..3], [-2.0, 6.0, -2.0]);
    }
}
