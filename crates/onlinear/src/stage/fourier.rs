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
use crate::space::{Row, Scratch, Slots, for_all_vectors, sin_cos};
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

    /// θ ← θ + Ωx, in the order of features; whether all of them have their columns. Where one has not, θ means
    /// nothing.
    fn multiply(&self, x: Row<'_>, theta: &mut [f64]) -> bool {
        let mut terms: [(f64, &[f64]); AT_ONCE] = [(0.0, &[]); AT_ONCE];
        let (mut count, mut is_known) = (0, true);
        x.for_each(|i, value| {
            let slot = self.slots.of(i as u32);
            if value == 0.0 || slot == 0 {
                is_known &= value == 0.0;
                return;
            }
            terms[count] = (value, &self.numbers[(slot - 1) * theta.len()..slot * theta.len()]);
            count += 1;
            if count == AT_ONCE {
                add(theta, &terms);
                count = 0;
            }
        });
        add(theta, &terms[..count]);
        is_known
    }
}

/// So many columns are added in one walk over θ.
const AT_ONCE: usize = 4;

/// θ ← θ + value · column for each of N, one after another.
#[inline(always)]
fn add_together<const N: usize>(theta: &mut [f64], terms: &[(f64, &[f64]); N]) {
    let columns = terms.map(|(_, column)| &column[..theta.len()]);
    for (i, theta) in theta.iter_mut().enumerate() {
        *theta = (0..N).fold(*theta, |sum, k| sum + terms[k].0 * columns[k][i]);
    }
}

/// The same for any number of terms, as many together as there are.
#[inline(always)]
fn add_each(theta: &mut [f64], terms: &[(f64, &[f64])]) {
    let (fours, rest) = terms.as_chunks::<AT_ONCE>();
    fours.iter().for_each(|four| add_together(theta, four));
    let (twos, rest) = rest.as_chunks::<2>();
    twos.iter().for_each(|two| add_together(theta, two));
    rest.iter().for_each(|one| add_together(theta, &[*one]));
}

for_all_vectors!(fn add(theta: &mut [f64], terms: &[(f64, &[f64])]) = add_each);

impl Fourier {
    /// The column of a feature.
    fn column(&self, feature: u32) -> impl Iterator<Item = f64> {
        let mut random = Random::new(mix(mix(self.seed).wrapping_add(u64::from(feature))));
        (0..self.waves).map(move |_| random.gauss() / self.width)
    }

    /// Puts z into `out`, which is empty; false, and nothing of use there, where a feature of `x` has no column.
    fn map(&self, columns: &WaveColumns, x: Row<'_>, out: &mut Scratch) -> bool {
        let values = &mut out.values;
        values.resize(2 * self.waves, 0.0);
        let (theta, sines) = values.split_at_mut(self.waves);
        let is_known = columns.multiply(x, theta);
        if is_known {
            sin_cos(theta, sines, 1.0 / (self.waves as f64).sqrt());
        }
        is_known
    }
}

impl Stage for Fourier {
    fn features_after(&self, _features: usize) -> usize {
        2 * self.waves
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        if self.map(&self.columns.read().unwrap_or_else(PoisonError::into_inner), x, out) {
            return;
        }
        out.clear();
        let mut columns = self.columns.write().unwrap_or_else(PoisonError::into_inner);
        let lacking = columns.lacking(x); // others may have made some meanwhile
        lacking.into_iter().for_each(|feature| columns.push(feature, self.column(feature)));
        self.map(&columns, x, out);
    }

    fn grows(&self) -> bool {
        true
    }

    fn meet(&mut self, x: Row<'_>, _lane: Option<usize>, memory: u64, out: &mut Scratch) -> Result<(), Message> {
        let columns = self.columns.read().unwrap_or_else(PoisonError::into_inner);
        if self.map(&columns, x, out) {
            return Ok(());
        }
        out.clear();
        let features = columns.features + columns.lacking(x).len();
        drop(columns);
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
