//! How a run went, at so many of its trials that a chart can show it and memory does not notice.

use onlinear::Model;
use onlinear::workshop::Epoch;

/// A run at some of its trials or epochs.
#[derive(Default)]
pub struct Curve {
    pub trials: Vec<TrialPoint>,
    /// Training errors of a batch learner.
    pub epochs: Vec<EpochPoint>,
    /// Its test errors, had it stopped after so many epochs.
    pub tested: Vec<EpochPoint>,
}

/// What was known when some trials were over.
#[derive(Clone, Copy)]
pub struct TrialPoint {
    pub trials: u64,
    /// Trials whose predicted class was wrong.
    pub mistakes: u64,
    pub support: Option<usize>,
}

/// What was known when some epochs were over.
#[derive(Clone, Copy)]
pub struct EpochPoint {
    pub epochs: u64,
    /// The share of rows that are wrong.
    pub error: f64,
}

/// Looks at a run after each of its first trials and then ever more rarely, so that the points are
/// dense on a logarithmic scale and still close enough on a linear one.
pub struct Sampler {
    /// Whether anybody wants to see the curve.
    pub is_wanted: bool,
    /// After how many trials it wants to look next.
    pub next: u64,
    next_epoch: u64,
    curve: Curve,
}

impl Sampler {
    /// For a run that starts after so many trials.
    pub fn new(is_wanted: bool, trials: u64) -> Sampler {
        let next = if is_wanted { trials + 1 } else { u64::MAX };
        Sampler { is_wanted, next, next_epoch: 0, curve: Curve::default() }
    }

    /// Looks at the model, if the time has come.
    pub fn pause(&mut self, model: &Model) {
        let total = model.counts.total();
        if total.trials >= self.next {
            self.note(model);
            self.next = after(total.trials);
        }
    }

    /// An epoch of a batch learner is over.
    pub fn epoch(&mut self, epoch: &Epoch) {
        if self.is_wanted && (epoch.epoch >= self.next_epoch || Some(epoch.epoch) == epoch.asked) {
            self.curve.epochs.push(EpochPoint { epochs: epoch.epoch, error: epoch.errors.rate() });
            self.next_epoch = after(epoch.epoch);
        }
    }

    /// What it has seen, with the end of the run.
    pub fn finish(mut self, model: &Model) -> Curve {
        let trials = model.counts.total().trials;
        if self.curve.trials.last().is_some_and(|last| last.trials < trials) {
            self.note(model);
        }
        self.curve
    }

    fn note(&mut self, model: &Model) {
        let total = model.counts.total();
        let support = model.learner.support();
        self.curve.trials.push(TrialPoint { trials: total.trials, mistakes: model.wrong_trials(), support });
    }
}

/// When to look next after looking at `now`.
fn after(now: u64) -> u64 {
    now + (now / 32).max(1)
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn long_runs_have_few_points() {
        let points = std::iter::successors(Some(1), |&now| Some(after(now)));
        assert_eq!(points.clone().take(4).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(points.take_while(|&now| now <= 1_000_000).count() < 400);
    }
}
