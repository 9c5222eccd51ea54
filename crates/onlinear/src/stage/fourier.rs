//! Random Fourier features (Rahimi and Recht, "Random features for large-scale kernel machines", 2007): a Gaussian
//! kernel for every linear learner.
//!
//! z = (cos θ₁ … cos θ_H, sin θ₁ … sin θ_H)/√H with θ = Ωx, whose expected inner products are the kernel's values. The
//! column of Ω that belongs to a feature is drawn from the seed and the feature alone, when the feature is first met:
//! it matters neither how many features there are nor in which order they come, and nothing of it is saved.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::{MOST_COMPONENTS, Slot, Stage, StageKind};
use crate::error::{Cure, Message, size};
use crate::random::Random;
use crate::space::{Row, Scratch, vector};
use crate::spec::{Declaration, Parameters, WIDTH, parameters, whole};

parameters! {
    struct FourierParameters {
        dimension: u64 = whole("dimension", 1000, 2, MOST_COMPONENTS, "how many components rows get, an even number"),
        sigma2: f64 = WIDTH,
        seed: u64 = ANY_SEED,
    }
}

/// Up to 2⁶⁴ − 1; beyond 2⁵³ it is the nearest number that a float holds.
const ANY_SEED: Declaration<u64> = whole("seed", 1, 0, u64::MAX, "where its random numbers start");

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

/// The columns of Ω by feature.
type Columns = HashMap<usize, Box<[f64]>>;

struct Fourier {
    /// H.
    waves: usize,
    /// σ.
    width: f64,
    seed: u64,
    /// Those of the features met.
    columns: RwLock<Columns>,
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

impl Fourier {
    /// The column of a feature.
    fn column(&self, feature: usize) -> Box<[f64]> {
        let mut random = Random::new(mix(mix(self.seed).wrapping_add(feature as u64)));
        (0..self.waves).map(|_| random.gauss() / self.width).collect()
    }

    /// Features of `x` that have no column yet.
    fn lacking(columns: &Columns, x: Row<'_>) -> Vec<usize> {
        let mut lacking = Vec::new();
        x.for_each(|i, value| {
            if value != 0.0 && !columns.contains_key(&i) {
                lacking.push(i);
            }
        });
        lacking
    }

    /// Appends z to `out`; `columns` has those of all features of `x`.
    fn map(&self, columns: &Columns, x: Row<'_>, out: &mut Scratch) {
        let Scratch { indices, values, .. } = out;
        values.resize(self.waves, 0.0);
        x.for_each(|i, value| {
            if let Some(column) = columns.get(&i).filter(|_| value != 0.0) {
                vector::add(values, value, column);
            }
        });
        let length = (self.waves as f64).sqrt();
        for i in 0..self.waves {
            let (sine, cosine) = values[i].sin_cos();
            values[i] = cosine / length;
            values.push(sine / length);
        }
        indices.extend(0..values.len() as u32);
    }
}

impl Stage for Fourier {
    fn features_after(&self, _features: usize) -> usize {
        2 * self.waves
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        let known = self.columns.read().unwrap_or_else(PoisonError::into_inner);
        let lacking = Fourier::lacking(&known, x);
        if lacking.is_empty() {
            return self.map(&known, x, out);
        }
        drop(known);
        let made: Vec<_> = lacking.into_iter().map(|feature| (feature, self.column(feature))).collect();
        let mut columns = self.columns.write().unwrap_or_else(PoisonError::into_inner);
        columns.extend(made);
        self.map(&columns, x, out);
    }

    fn grows(&self) -> bool {
        true
    }

    fn meet(&mut self, x: Row<'_>, memory: u64, out: &mut Scratch) -> Result<(), Message> {
        let columns = self.columns.get_mut().unwrap_or_else(PoisonError::into_inner);
        let features = columns.len() + Fourier::lacking(columns, x).len();
        let held = 8 * self.waves as u64 * features as u64;
        if held > memory {
            let need = format!("fourier: the waves of {features} features take {}", size(held));
            return Err(Message::beyond_memory(need).and(Cure::HashFeatures));
        }
        self.apply(x, out);
        Ok(())
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        None
    }
}
