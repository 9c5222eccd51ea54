//! A comparator u, and how it does on the charged trials.

use super::charged::for_each_column;
use super::conditions::{Deflation, Ground};
use super::theorem::Measures;
use crate::space::{Row, SupportSet};

/// u, of any length.
#[derive(Clone, Debug)]
pub(crate) enum Comparator {
    /// A weight vector.
    Weights(Vec<f64>),
    /// Coefficients of the charged rows in these places.
    Expansion { places: Vec<u32>, alpha: Vec<f64> },
}

/// y u·x for ‖u‖ = 1, each with how many trials it stands for.
pub(crate) struct Margins {
    pub(crate) values: Vec<f64>,
    pub(crate) counts: Vec<f64>,
    /// ‖u‖ before it was divided by it.
    pub(crate) length: f64,
}

impl Margins {
    /// What goes into a bound.
    pub(crate) fn at(&self, gamma: f64, radius: f64) -> Measures {
        let (mut deviation, mut squares, mut spread) = (0.0, 0.0, 0.0);
        for (&margin, &count) in self.values.iter().zip(&self.counts) {
            let short = (gamma - margin).max(0.0);
            deviation += count * short;
            squares += count * short * short;
            spread += count * margin * margin;
        }
        Measures { gamma, radius, deviation, squares: squares.sqrt(), spread }
    }

    /// The least of them.
    pub(crate) fn least(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The margins of a u of this length.
    pub(crate) fn new(mut values: Vec<f64>, counts: Vec<f64>, length: f64) -> Option<Margins> {
        values.iter_mut().for_each(|value| *value /= length);
        let is_usable = length > 0.0 && length.is_finite() && values.iter().all(|value| value.is_finite());
        is_usable.then_some(Margins { values, counts, length })
    }
}

impl Comparator {
    /// The margins on every charged trial; `None` for a u that cannot be brought to length 1.
    pub(crate) fn margins(&self, ground: &Ground) -> Option<Margins> {
        let charged = &ground.charged;
        let y = charged.y();
        let (scores, length) = match self {
            Comparator::Weights(w) if ground.theorem.needs_positive_weights() && w.iter().any(|&w| w < 0.0) => {
                return None;
            }
            Comparator::Weights(w) => {
                let scores: Vec<f64> = (0..y.len()).map(|i| charged.rows().row(i).dot(w)).collect();
                (scores, Row::Dense(w).norm(ground.theorem.comparator_norm()))
            }
            Comparator::Expansion { places, alpha } => {
                let set = self.support(ground)?;
                let scores = for_each_column(&set, charged.rows(), |_, column| {
                    column.zip(alpha).fold(0.0, |sum, (k, alpha)| sum + k * alpha)
                });
                let square: f64 = places.iter().zip(alpha).map(|(&place, alpha)| alpha * scores[place as usize]).sum();
                (scores, square.max(0.0).sqrt())
            }
        };
        if let Some(deflation) = ground.deflation {
            let margins = match self {
                Comparator::Weights(w) => deflated(w, deflation, ground),
                Comparator::Expansion { places, alpha } => deflated_by_kernel(places, alpha, deflation, ground)?,
            };
            let counts = vec![1.0; margins.len()];
            return Margins::new(margins, counts, length);
        }
        Margins::new(scores.iter().zip(y).map(|(score, y)| score * y).collect(), charged.counts().to_vec(), length)
    }

    fn support(&self, ground: &Ground) -> Option<SupportSet> {
        let Comparator::Expansion { places, .. } = self else { return None };
        let mut set = SupportSet::new(ground.kernel?);
        places.iter().for_each(|&place| set.push(ground.charged.rows().row(place as usize), None));
        Some(set)
    }

    /// u of length 1, if it is a weight vector.
    pub(crate) fn unit_weights(&self, margins: &Margins) -> Option<Vec<f64>> {
        match self {
            Comparator::Weights(w) => Some(w.iter().map(|w| w / margins.length).collect()),
            Comparator::Expansion { .. } => None,
        }
    }
}

impl Deflation {
    /// ρ of the k-th step.
    fn rho(&self, k: f64, y: f64, vx: f64) -> f64 {
        match (self.is_sparse && y * vx < 0.0, self.is_harmonic) {
            (true, _) => 0.0,
            (false, true) => self.c / k,
            (false, false) => (1.0 - self.c) / (1.0 + vx.abs()),
        }
    }
}

/// y uᵀB_{k−1}x of each trial: uᵀB is kept as a vector, uᵀB_k = uᵀB_{k−1} − ρ_k (uᵀB_{k−1}x) xᵀ.
fn deflated(w: &[f64], deflation: Deflation, ground: &Ground) -> Vec<f64> {
    let charged = &ground.charged;
    let n = charged.rows().dimension().max(w.len());
    let (mut u, mut v) = (w.to_vec(), vec![0.0; n]);
    u.resize(n, 0.0);
    let mut k = 0.0;
    let margin = |&place: &u32| {
        let (x, y) = (charged.rows().row(place as usize), charged.y()[place as usize]);
        let (score, vx) = (x.dot(&u), x.dot(&v));
        if !x.is_zero() {
            k += 1.0;
            x.add_to(&mut u, -deflation.rho(k, y, vx) * score);
            x.add_to(&mut v, y);
        }
        y * score
    };
    charged.sequence().iter().map(margin).collect()
}

/// y uᵀB_{k−1}x of each trial, with coefficients of the charged rows in place of vectors.
fn deflated_by_kernel(places: &[u32], alpha: &[f64], deflation: Deflation, ground: &Ground) -> Option<Vec<f64>> {
    let charged = &ground.charged;
    let mut set = SupportSet::new(ground.kernel?);
    (0..charged.rows().len()).for_each(|i| set.push(charged.rows().row(i), None));
    let (mut u, mut v) = (vec![0.0; set.len()], vec![0.0; set.len()]);
    places.iter().zip(alpha).for_each(|(&place, alpha)| u[place as usize] += alpha);
    let mut k = 0.0;
    let margin = |&place: &u32| {
        let place = place as usize;
        let (x, y) = (charged.rows().row(place), charged.y()[place]);
        let (score, vx) = set.column(x, |column| {
            column.zip(u.iter().zip(&v)).fold((0.0, 0.0), |(a, b), (value, (u, v))| (a + value * u, b + value * v))
        });
        if set.with_itself(x) != 0.0 {
            k += 1.0;
            u[place] -= deflation.rho(k, y, vx) * score;
            v[place] += y;
        }
        y * score
    };
    Some(charged.sequence().iter().map(margin).collect())
}
