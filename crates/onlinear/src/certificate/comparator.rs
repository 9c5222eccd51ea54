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

/// Margins of a u of any length in rising order, with sums over the first of them: what a bound is computed from is
/// found for any γ without a look at each.
pub(crate) struct RankedMargins {
    values: Vec<f64>,
    /// Before each place: how many trials, Σ m and Σ m² over them. One more than there are values.
    sums: Vec<[f64; 3]>,
}

impl RankedMargins {
    /// Of finite margins, each with how many trials it stands for.
    pub(crate) fn of(values: &[f64], counts: &[f64]) -> RankedMargins {
        let mut pairs: Vec<(f64, f64)> = values.iter().copied().zip(counts.iter().copied()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sums = Vec::with_capacity(pairs.len() + 1);
        sums.push([0.0; 3]);
        let mut sum = [0.0; 3];
        for &(margin, count) in &pairs {
            sum = [sum[0] + count, sum[1] + count * margin, sum[2] + count * margin * margin];
            sums.push(sum);
        }
        RankedMargins { values: pairs.into_iter().map(|(margin, _)| margin).collect(), sums }
    }

    /// What goes into a bound, for a u of this length. As differences of sums these are good enough to search by.
    pub(crate) fn at(&self, gamma: f64, radius: f64, length: f64) -> Measures {
        let level = gamma * length;
        let below = self.values.partition_point(|&margin| margin < level);
        let [count, sum, squares] = self.sums[below];
        let deviation = (count * level - sum).max(0.0) / length;
        let squares = (count * level * level - 2.0 * level * sum + squares).max(0.0).sqrt() / length;
        let spread = self.sums.last().map_or(0.0, |sums| sums[2]) / (length * length);
        Measures { gamma, radius, deviation, squares, spread }
    }

    /// The least of them.
    pub(crate) fn least(&self) -> f64 {
        self.values.first().copied().unwrap_or(f64::INFINITY)
    }

    /// Those above 0.
    pub(crate) fn positive(&self) -> &[f64] {
        &self.values[self.values.partition_point(|&margin| margin <= 0.0)..]
    }

    /// How many trials are at 0 or below.
    pub(crate) fn errors(&self) -> f64 {
        self.sums[self.values.len() - self.positive().len()][0]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn sums_over_ranks_are_those_over_all() {
        let mut random = Random::new(1);
        let values: Vec<f64> = (0..200).map(|_| random.gauss()).collect();
        let counts: Vec<f64> = (0..200).map(|i| f64::from(1 + i % 3)).collect();
        let ranked = RankedMargins::of(&values, &counts);
        for length in [0.5, 1.0, 3.0] {
            let plain = TrialMargins::new(values.clone(), counts.clone(), length).expect("margins");
            for gamma in [1e-3, 0.1, 0.7, 2.0, 9.0] {
                let (ours, all) = (ranked.at(gamma, 2.0, length), plain.at(gamma, 2.0));
                for (ours, all) in [
                    (ours.deviation, all.deviation),
                    (ours.squares, all.squares),
                    (ours.spread, all.spread),
                    (ours.gamma, all.gamma),
                ] {
                    assert!((ours - all).abs() <= 1e-9 * all.abs(), "{length}, {gamma}: {ours} and {all}");
                }
            }
            assert_eq!(ranked.least() / length, plain.least());
        }
        let wrong: f64 = values.iter().zip(&counts).filter(|(value, _)| **value <= 0.0).map(|(_, count)| count).sum();
        assert_eq!(ranked.errors(), wrong);
        assert_eq!(RankedMargins::of(&[2.0, 1.0], &[1.0, 1.0]).at(1.0, 1.0, 1.0).deviation, 0.0);
    }
}
