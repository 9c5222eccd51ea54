//! Random Fourier features (Rahimi and Recht, "Random features for large-scale kernel machines", 2007): a Gaussian
//! kernel for every linear learner.
//!
//! z = (cos θ₁ … cos θ_H, sin θ₁ … sin θ_H)/√H with θ = Ωx, whose expected inner products are the kernel's values. The
//! column of Ω that belongs to a feature is drawn from the seed and the feature alone, when the feature is first met:
//! it matters neither how many features there are nor in which order they come, and nothing of it is saved.

use std::sync::{PoisonError, RwLock};

use super::{Arithmetic, MOST_COMPONENTS, Slot, Stage, StageKind};
use crate::error::{Cure, Message, size};
use crate::random::Random;
use crate::space::{Row, Scratch, Slots, for_all_vectors, sin_cos, vector};
use crate::spec::{Parameters, SEED, WIDTH, parameters, whole};

parameters! {
    struct FourierParameters {
        dimension: u64 = whole("dimension", 1000, 2, MOST_COMPONENTS, "how many components rows get, an even number"),
        sigma2: f64 = WIDTH,
        seed: u64 = whole("seed", 1, 0, u64::MAX, SEED.parameter.help),
    }
}

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "fourier",
    summary: "Maps rows by random waves so that their inner products are about the Gaussian kernel.",
    parameters: FourierParameters::TABLE,
    slot: Slot::Map,
    reads_all: false,
    unit_ranges: true,
    new: |settings| {
        let FourierParameters { dimension, sigma2, seed } = Parameters::read(settings);
        if dimension % 2 == 1 {
            return Err(format!("dimension={dimension} is odd; expected an even number"));
        }
        let (waves, width) = (dimension as usize / 2, sigma2.sqrt());
        Ok(Box::new(Fourier { waves, width, seed, columns: RwLock::default() }))
    },
};

struct Fourier {
    /// H.
    waves: usize,
    /// σ.
    width: f64,
    seed: u64,
    /// Those of the features met.
    columns: RwLock<WaveColumns>,
}

/// The columns of Ω, one behind the other.
#[derive(Clone, Default)]
struct WaveColumns {
    /// The number of each feature's column, counting from 1.
    slots: Slots,
    features: usize,
    numbers: Vec<f64>,
}

impl Clone for Fourier {
    fn clone(&self) -> Fourier {
        let columns = self.columns.read().unwrap_or_else(PoisonError::into_inner).clone();
        Fourier { columns: RwLock::new(columns), ..*self }
    }
}

/// The first output of splitmix64 from this state.
fn mix(z: u64) -> u64 {
    Random::new(z).state()[0]
}

impl WaveColumns {
    /// Features of `x` that have no column yet.
    fn lacking(&self, x: Row<'_>) -> Vec<u32> {
        let mut lacking = Vec::new();
        x.for_each(|i, value| {
            if value != 0.0 && self.slots.of(i as u32) == 0 {
                lacking.push(i as u32);
            }
        });
        lacking
    }

    fn push(&mut self, feature: u32, column: impl Iterator<Item = f64>) {
        self.features += 1;
        *self.slots.entry(feature) = self.features as u32;
        self.numbers.extend(column);
    }

    /// θ ← θ + Ωx; all features of `x` have their columns.
    fn multiply(&self, x: Row<'_>, theta: &mut [f64]) {
        let column = |slot: usize| &self.numbers[(slot - 1) * theta.len()..slot * theta.len()];
        let mut terms = Vec::with_capacity(x.values().len());
        x.for_each(|i, value| {
            if value != 0.0 {
                terms.push((value, column(self.slots.of(i as u32))));
            }
        });
        let (fours, rest) = terms.as_chunks::<4>();
        fours.iter().for_each(|four| add_four(theta, four));
        rest.iter().for_each(|(value, column)| vector::add(theta, *value, column));
    }
}

/// θ ← θ + value · column for four of them, one after another.
#[inline(always)]
fn add_each(theta: &mut [f64], terms: &[(f64, &[f64]); 4]) {
    let [(a, first), (b, second), (c, third), (d, fourth)] = *terms;
    let columns = first.iter().zip(second).zip(third.iter().zip(fourth));
    for (theta, ((first, second), (third, fourth))) in theta.iter_mut().zip(columns) {
        *theta = (((*theta + a * first) + b * second) + c * third) + d * fourth;
    }
}

for_all_vectors!(fn add_four(theta: &mut [f64], terms: &[(f64, &[f64]); 4]) = add_each);

impl Fourier {
    /// The column of a feature.
    fn column(&self, feature: u32) -> impl Iterator<Item = f64> {
        let mut random = Random::new(mix(mix(self.seed).wrapping_add(u64::from(feature))));
        (0..self.waves).map(move |_| random.gauss() / self.width)
    }

    /// Appends z to `out`; `columns` has those of all features of `x`.
    fn map(&self, columns: &WaveColumns, x: Row<'_>, out: &mut Scratch) {
        let Scratch { indices, values, .. } = out;
        values.resize(2 * self.waves, 0.0);
        let (theta, sines) = values.split_at_mut(self.waves);
        columns.multiply(x, theta);
        sin_cos(theta, sines, 1.0 / (self.waves as f64).sqrt());
        indices.extend(0..values.len() as u32);
    }
}

impl Stage for Fourier {
    fn features_after(&self, _features: usize) -> usize {
        2 * self.waves
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        let known = self.columns.read().unwrap_or_else(PoisonError::into_inner);
        if known.lacking(x).is_empty() {
            return self.map(&known, x, out);
        }
        drop(known);
        let mut columns = self.columns.write().unwrap_or_else(PoisonError::into_inner);
        let lacking = columns.lacking(x); // others may have made some meanwhile
        lacking.into_iter().for_each(|feature| columns.push(feature, self.column(feature)));
        self.map(&columns, x, out);
    }

    fn grows(&self) -> bool {
        true
    }

    fn meet(&mut self, x: Row<'_>, _lane: Option<usize>, memory: u64, out: &mut Scratch) -> Result<(), Message> {
        let columns = self.columns.get_mut().unwrap_or_else(PoisonError::into_inner);
        let features = columns.features + columns.lacking(x).len();
        let held = 8 * self.waves as u64 * features as u64;
        if held > memory {
            let need = format!("fourier: the waves of {features} features take {}", size(held));
            return Err(Message::beyond_memory(need).and(Cure::HashFeatures));
        }
        self.apply(x, out);
        Ok(())
    }

    fn arithmetic(&self, features: usize) -> Option<Arithmetic<'_>> {
        let mut directions = vec![0.0; self.waves * features];
        for feature in 0..features {
            let wave_after_wave = directions[feature..].iter_mut().step_by(features);
            wave_after_wave.zip(self.column(feature as u32)).for_each(|(place, number)| *place = number);
        }
        Some(Arithmetic::Waves { directions, waves: self.waves })
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        None
    }
}
