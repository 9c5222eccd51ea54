//! Which directions are tried, one after another.

use crate::learner::Sample;
use crate::random::Random;
use crate::space::vector;
use crate::spec::choice;

/// The six schedules; D = m + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Every component random.
    Rcd,
    /// e₀, then m random directions with d₀ = 0, and again.
    RcdBias,
    /// A fresh orthonormal basis for every D epochs.
    RcdConj,
    /// e₀, then an orthonormal basis of the others, and again.
    RcdConjBias,
    /// Σ φ y x over the rows that are wrong.
    RcdGrad,
    /// e₀ … e_m in turn.
    Ccd,
}

choice! {
    /// How the components of a random direction are drawn.
    pub(crate) enum Components {
        /// In [−1, 1), times half of the feature's range where that was not brought to 1.
        Uniform = "uniform",
        /// Standard normal.
        Gaussian = "gaussian",
    }
}

/// The next direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Direction {
    /// eⱼ.
    Axis(usize),
    /// Any other.
    Vector(Vec<f64>),
    /// To be computed from the rows that are wrong.
    Gradient,
}

/// The directions of a schedule.
pub(crate) struct Directions<'a> {
    schedule: Schedule,
    components: Components,
    sample: &'a Sample,
    random: Random,
    /// The epoch's place among D.
    place: usize,
    /// What is left of the basis, last one first.
    basis: Vec<Vec<f64>>,
}

impl<'a> Directions<'a> {
    pub(crate) fn new(
        schedule: Schedule,
        components: Components,
        sample: &'a Sample,
        random: Random,
    ) -> Directions<'a> {
        Directions { schedule, components, sample, random, place: 0, basis: Vec::new() }
    }

    /// A random vector, every component drawn in order; the first is then 0 unless `with_bias`.
    fn draw(&mut self, with_bias: bool) -> Vec<f64> {
        let one = |random: &mut Random, j: usize| match self.components {
            Components::Uniform => random.symmetric() * self.sample.half_range(j),
            Components::Gaussian => random.gauss(),
        };
        let mut d: Vec<f64> = (0..self.sample.dimension()).map(|j| one(&mut self.random, j)).collect();
        if !with_bias {
            d[0] = 0.0;
        }
        d
    }

    /// `count` random vectors made orthonormal in order (Gram and Schmidt).
    fn orthonormal(&mut self, count: usize, with_bias: bool) -> Vec<Vec<f64>> {
        let mut basis: Vec<Vec<f64>> = Vec::with_capacity(count);
        for _ in 0..count {
            let mut d = self.draw(with_bias);
            let drawn = d.clone();
            for other in &basis {
                let along = vector::dot(&drawn, other);
                vector::add(&mut d, -along, other);
            }
            let norm = vector::dot(&d, &d).sqrt();
            if norm > 0.0 {
                d.iter_mut().for_each(|v| *v /= norm);
            }
            basis.push(d);
        }
        basis.reverse();
        basis
    }
}

impl Iterator for Directions<'_> {
    type Item = Direction;

    fn next(&mut self) -> Option<Direction> {
        let dimension = self.sample.dimension();
        let place = self.place;
        self.place = (place + 1) % dimension;
        let is_conj = matches!(self.schedule, Schedule::RcdConj | Schedule::RcdConjBias);
        let with_bias = self.schedule == Schedule::RcdConj;
        if is_conj && place == 0 {
            self.basis = self.orthonormal(if with_bias { dimension } else { dimension - 1 }, with_bias);
        }
        Some(match self.schedule {
            Schedule::RcdGrad => Direction::Gradient,
            Schedule::Ccd => Direction::Axis(place),
            Schedule::RcdBias | Schedule::RcdConjBias if place == 0 => Direction::Axis(0),
            Schedule::Rcd => Direction::Vector(self.draw(true)),
            Schedule::RcdBias => Direction::Vector(self.draw(false)),
            Schedule::RcdConj | Schedule::RcdConjBias => Direction::Vector(self.basis.pop()?),
        })
    }
}
