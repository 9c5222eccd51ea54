//! How often what was given a probability came true.

/// So many bins of equal width.
const BINS: usize = 15;

/// Tested rows by the probability that a model gave: of two classes to the positive one, of more to the class
/// predicted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliability {
    bins: [ProbabilityBin; BINS],
}

/// Rows of about one probability.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProbabilityBin {
    /// How many there were.
    pub rows: u64,
    /// Of how many it came true.
    pub came_true: u64,
    /// The sum of their probabilities.
    sum: f64,
}

impl ProbabilityBin {
    /// The mean of their probabilities.
    pub fn probability(&self) -> f64 {
        self.sum / self.rows as f64
    }

    /// The share of which it came true.
    pub fn observed(&self) -> f64 {
        self.came_true as f64 / self.rows as f64
    }

    /// The standard error of that share, were the probability right.
    pub fn standard_error(&self) -> f64 {
        (self.probability() * (1.0 - self.probability()) / self.rows as f64).sqrt()
    }
}

impl Reliability {
    /// One more row: the probabilities of all classes, the class predicted and its own.
    pub(super) fn add(&mut self, probabilities: &[f64], predicted: usize, class: usize) {
        let about = if probabilities.len() == 2 { 1 } else { predicted };
        let probability = probabilities[about];
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.rows += 1;
        bin.came_true += u64::from(class == about);
        bin.sum += probability;
    }

    /// The bins that have rows, each with the probabilities between which it is.
    pub fn bins(&self) -> impl Iterator<Item = ((f64, f64), &ProbabilityBin)> {
        let edge = |k: usize| k as f64 / BINS as f64;
        let bins = self.bins.iter().enumerate().map(move |(k, bin)| ((edge(k), edge(k + 1)), bin));
        bins.filter(|(_, bin)| bin.rows > 0)
    }

    /// The expected calibration error: how far observed shares are from their probabilities, in the mean over rows.
    pub fn error(&self) -> f64 {
        let rows: u64 = self.bins.iter().map(|bin| bin.rows).sum();
        let off = |bin: &ProbabilityBin| (bin.sum - bin.came_true as f64).abs();
        self.bins.iter().map(off).sum::<f64>() / rows.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut reliability = Reliability::default();
        for (p, class) in [(0.9, 1), (0.9, 1), (0.9, 0), (0.9, 1), (0.1, 0), (1.0, 1), (0.0, 0)] {
            reliability.add(&[1.0 - p, p], usize::from(p >= 0.5), class);
        }
        let bins: Vec<_> = reliability.bins().map(|(_, bin)| (bin.rows, bin.observed())).collect();
        assert_eq!(bins, [(1, 0.0), (1, 0.0), (4, 0.75), (1, 1.0)]);
        assert!((reliability.error() - (4.0 * 0.15 + 0.1) / 7.0).abs() < 1e-15);
        // Of more than two classes it is the one predicted that counts.
        let mut reliability = Reliability::default();
        reliability.add(&[0.2, 0.5, 0.3], 1, 1);
        reliability.add(&[0.2, 0.5, 0.3], 1, 2);
        assert_eq!((reliability.bins().count(), reliability.error()), (1, 0.0));
    }
}
