//! Coordinates of rows to come in the span of the rows held.

use super::{Cholesky, SupportSet};
use crate::parallel;

/// z = L⁻¹k of the rows that a support set was told of ahead, with k the kernel column of a row and L the Cholesky
/// factor of the Gram matrix of the set: of all lanes at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoordinatesAhead {
    /// The block of rows that they are of.
    block: Option<u64>,
    /// z of all lanes, side by side in strips: a thread can take one.
    strips: Vec<Vec<f64>>,
    /// How often they were asked for in this block, and in the one before.
    asked: [usize; 2],
}

/// So many lanes are a strip.
const STRIP: usize = 8;
/// Fewer products than these are not worth a thread.
const WORTH_THREADS: usize = 1 << 22;
/// From so many rows held on, L is beyond the caches near a core, and the rows of a block should go through it together
/// if so many of them have to.
const FAR: (usize, usize) = (512, SupportSet::MOST_AHEAD / 2);

impl CoordinatesAhead {
    /// z of a row that has this lane, if it has one.
    pub(crate) fn z(
        &mut self,
        set: &SupportSet,
        factor: &Cholesky,
        lane: Option<usize>,
    ) -> Option<impl Iterator<Item = f64>> {
        let (lane, block, lanes) = (set.lane_ahead(lane)?, set.block_ahead()?, set.width_ahead()?);
        self.begin(block);
        let width = lanes.min(STRIP);
        self.strips.resize(lanes / width, Vec::new());
        let known = self.strips[0].len() / width;
        if known < set.len() {
            for values in set.ahead_from(known) {
                let strips = self.strips.iter_mut().zip(values.chunks_exact(width));
                strips.for_each(|(strip, values)| strip.extend_from_slice(values));
            }
            let is_worth = (set.len() - known) * set.len() * lanes / 2 >= WORTH_THREADS;
            parallel::map_mut(is_worth, &mut self.strips, |_, strip| factor.forward_all(strip, width, known));
        }
        Some(self.strips[lane / width].chunks_exact(width).map(move |z| z[lane % width]))
    }

    /// The same, but only where many rows of a block ask for it and it is faster for all of them at once.
    pub(crate) fn z_if_many(
        &mut self,
        set: &SupportSet,
        factor: &Cholesky,
        lane: Option<usize>,
    ) -> Option<impl Iterator<Item = f64>> {
        self.begin(set.block_ahead()?);
        self.asked[0] += 1;
        let is_worth = set.len() >= FAR.0 && self.asked.iter().any(|asked| *asked >= FAR.1);
        self.z(set, factor, lane.filter(|_| is_worth))
    }

    /// Forgets all there is of another block.
    fn begin(&mut self, block: u64) {
        if self.block.replace(block) != Some(block) {
            self.strips.iter_mut().for_each(Vec::clear);
            self.asked = [0, self.asked[0]];
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.strips.iter().map(Vec::len).sum::<usize>() as u64
    }
}
