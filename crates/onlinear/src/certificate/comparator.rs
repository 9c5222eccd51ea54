//! How a comparator does on the charged trials.

use super::ground::Ground;
use crate::bound::{Comparator, Measures, for_each_column};
use crate::space::{Row, SupportSet};

/// y u·x for ‖u‖ = 1, each with how many trials it stands for.
pub(crate) struct TrialMargins {
    pub(crate) values: Vec<f64>,
    pub(crate) counts: Vec<f64>,
    /// ‖u‖ before it was divided by it.
    pub(crate) length: f64,
}

impl TrialMargins {
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
    pub(crate) fn new(mut values: Vec<f64>, counts: Vec<f64>, length: f64) -> Option<TrialMargins> {
        values.iter_mut().for_each(|value| *value /= length);
        let is_usable = length > 0.0 && length.is_finite() && values.iter().all(|value| value.is_finite());
        is_usable.then_some(TrialMargins { values, counts, length })
    }
}

impl Comparator {
    /// The margins on every charged trial; `None` for a u that cannot be brought to length 1.
    pub(crate) fn margins(&self, ground: &Ground<'_>) -> Option<TrialMargins> {
        let trials = ground.trials();
        let y = trials.y();
        let (scores, length) = match self {
            Comparator::Weights(w) if ground.theorem.needs_positive_weights && w.iter().any(|&w| w < 0.0) => {
                return None;
            }
            Comparator::Weights(w) => {
                let scores: Vec<f64> = (0..y.len()).map(|i| trials.rows().row(i).dot(w)).collect();
                (scores, Row::Dense(w).norm(ground.theorem.comparator_norm))
            }
            Comparator::Expansion { places, alpha } => {
                let mut set = SupportSet::new(ground.evidence.kernel?);
                places.iter().for_each(|&place| set.push(trials.rows().row(place as usize), None));
                let scores = for_each_column(&set, trials.rows(), |_, column| {
                    column.zip(alpha).fold(0.0, |sum, (k, alpha)| sum + k * alpha)
                });
                let square: f64 = places.iter().zip(alpha).map(|(&place, alpha)| alpha * scores[place as usize]).sum();
                (scores, square.max(0.0).sqrt())
            }
        };
        if let Some(margins) = &ground.theorem.margins {
            let margins = margins(trials, self);
            let counts = vec![1.0; margins.len()];
            return TrialMargins::new(margins, counts, length);
        }
        TrialMargins::new(scores.iter().zip(y).map(|(score, y)| score * y).collect(), trials.counts().to_vec(), length)
    }

    /// u of length 1, if it is a weight vector.
    pub(crate) fn unit_weights(&self, margins: &TrialMargins) -> Option<Vec<f64>> {
        match self {
            Comparator::Weights(w) => Some(w.iter().map(|w| w / margins.length).collect()),
            Comparator::Expansion { .. } => None,
        }
    }
}
