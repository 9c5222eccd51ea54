//! What a run found, in the end and on the way.

use std::collections::BTreeMap;

use super::experiment::Along;
use super::measure::Measure;

/// Runs whose support is followed are looked at in so many places, evenly spread.
const PARTS: u64 = 400;

/// What was measured in one place.
pub type Measured = BTreeMap<Measure, f64>;

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// After so many trials.
    Trials(u64),
    /// After so many epochs.
    Epochs(u64),
    /// After so many of [`PARTS`] parts of all trials.
    Part(u64),
}

impl Stop {
    /// The places where a run has to be looked at for a point of a curve.
    pub fn of_point(along: Along, x: f64) -> Vec<Stop> {
        match along {
            Along::Trials => vec![Stop::Trials(x as u64)],
            Along::Epochs => vec![Stop::Epochs(x as u64)],
            Along::Support => (1..=PARTS).map(Stop::Part).collect(),
        }
    }

    /// After how many trials it comes, in a run of so many passes over so many rows.
    pub fn trials(self, rows: u64, passes: u64) -> u64 {
        match self {
            Stop::Trials(trials) => trials,
            Stop::Epochs(epochs) => epochs * rows,
            Stop::Part(part) => part * rows * passes / PARTS,
        }
    }
}

/// A run: what was measured at its stops and in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    pub stops: BTreeMap<Stop, Measured>,
    pub end: Measured,
}

impl Track {
    /// A measure in the end.
    pub fn last(&self, measure: Measure) -> Option<f64> {
        self.end.get(&measure).copied()
    }

    /// A measure at a point of a curve; `None` where the run does not get there.
    pub fn at(&self, along: Along, x: f64, measure: Measure) -> Option<f64> {
        let stop = |stop| self.stops.get(&stop)?.get(&measure).copied();
        match along {
            Along::Trials => stop(Stop::Trials(x as u64)),
            Along::Epochs => stop(Stop::Epochs(x as u64)),
            Along::Support => self.at_support(x, measure),
        }
    }

    /// A measure where the support was last so large, in a straight line between the stops before and after.
    fn at_support(&self, size: f64, measure: Measure) -> Option<f64> {
        let of = |measured: &Measured| Some((*measured.get(&Measure::Support)?, *measured.get(&measure)?));
        let parts = self.stops.iter().filter(|(stop, _)| matches!(stop, Stop::Part(_)));
        let pairs: Vec<(f64, f64)> = parts.filter_map(|(_, measured)| of(measured)).collect();
        let before = pairs.iter().rposition(|(support, _)| *support <= size)?;
        let (low, value) = pairs[before];
        match pairs.get(before + 1) {
            Some((high, next)) => Some(value + (next - value) * (size - low) / (high - low)),
            None => (low == size).then_some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pairs: &[(f64, f64)]) -> Track {
        let measured =
            |&(support, rate): &(f64, f64)| Measured::from([(Measure::Support, support), (Measure::MistakeRate, rate)]);
        let stops = pairs.iter().enumerate().map(|(i, pair)| (Stop::Part(i as u64 + 1), measured(pair)));
        Track { stops: stops.collect(), end: Measured::new() }
    }

    #[test]
    fn between_two_stops_the_support_grows_evenly() {
        let run = run(&[(10.0, 40.0), (20.0, 30.0), (20.0, 26.0), (30.0, 24.0)]);
        let at = |size| run.at(Along::Support, size, Measure::MistakeRate);
        assert_eq!(at(5.0), None);
        assert_eq!(at(15.0), Some(35.0));
        assert_eq!(at(20.0), Some(26.0)); // the last time it was so large
        assert_eq!(at(25.0), Some(25.0));
        assert_eq!(at(30.0), Some(24.0));
        assert_eq!(at(31.0), None); // it never got there
    }

    #[test]
    fn places_are_counted_in_trials() {
        assert_eq!(Stop::Epochs(3).trials(100, 5), 300);
        assert_eq!(Stop::Part(PARTS).trials(7, 3), 21);
        assert_eq!(Stop::of_point(Along::Epochs, 20.0), [Stop::Epochs(20)]);
    }
}
