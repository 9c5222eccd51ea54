//! What a run found, in the end and on the way.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::experiment::{CurveAxis, Experiment};
use crate::measure::Measure;

/// Runs whose support is followed are looked at in so many places, evenly spread.
const PARTS: u64 = 400;

/// What was measured in one place.
pub type Measurements = BTreeMap<Measure, f64>;

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrackStop {
    /// After so many trials.
    Trials(u64),
    /// After so many epochs.
    Epochs(u64),
    /// After so many of [`PARTS`] parts of all trials.
    Part(u64),
}

impl TrackStop {
    /// The places where the runs of an experiment's curves have to be looked at.
    pub fn all(experiment: &Experiment) -> impl Iterator<Item = TrackStop> + '_ {
        let points = |along| experiment.points.iter().flat_map(move |&x| TrackStop::of_point(along, x));
        experiment.x.into_iter().flat_map(points)
    }

    /// The places where a run has to be looked at for a point of a curve.
    fn of_point(along: CurveAxis, x: f64) -> Vec<TrackStop> {
        match along {
            CurveAxis::Trials => vec![TrackStop::Trials(x as u64)],
            CurveAxis::Epochs => vec![TrackStop::Epochs(x as u64)],
            CurveAxis::Support => (1..=PARTS).map(TrackStop::Part).collect(),
        }
    }

    /// After how many trials it comes, in a run of so many passes over so many rows.
    pub fn trials(self, rows: u64, passes: u64) -> u64 {
        match self {
            TrackStop::Trials(trials) => trials,
            TrackStop::Epochs(epochs) => epochs * rows,
            TrackStop::Part(part) => part * rows * passes / PARTS,
        }
    }
}

/// A run: what was measured at its stops and in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    pub stops: BTreeMap<TrackStop, Measurements>,
    pub end: Measurements,
    /// Why it did not come to its end, where it did not.
    pub failure: Option<String>,
}

impl Track {
    /// A measure in the end.
    pub fn last(&self, measure: Measure) -> Option<f64> {
        self.end.get(&measure).copied()
    }

    /// A measure at a point of a curve; `None` where the run does not get there.
    pub fn at(&self, along: CurveAxis, x: f64, measure: Measure) -> Option<f64> {
        let stop = |stop| self.stops.get(&stop)?.get(&measure).copied();
        match along {
            CurveAxis::Trials => stop(TrackStop::Trials(x as u64)),
            CurveAxis::Epochs => stop(TrackStop::Epochs(x as u64)),
            CurveAxis::Support => self.at_support(x, measure),
        }
    }

    /// A measure where the support was last so large, in a straight line between the stops before and after.
    fn at_support(&self, size: f64, measure: Measure) -> Option<f64> {
        let of = |measured: &Measurements| Some((*measured.get(&Measure::Support)?, *measured.get(&measure)?));
        let parts = self.stops.iter().filter(|(stop, _)| matches!(stop, TrackStop::Part(_)));
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
        let measured = |&(support, rate): &(f64, f64)| {
            Measurements::from([(Measure::Support, support), (Measure::MistakeRate, rate)])
        };
        let stops = pairs.iter().enumerate().map(|(i, pair)| (TrackStop::Part(i as u64 + 1), measured(pair)));
        Track { stops: stops.collect(), ..Track::default() }
    }

    #[test]
    fn between_two_stops_the_support_grows_evenly() {
        let run = run(&[(10.0, 40.0), (20.0, 30.0), (20.0, 26.0), (30.0, 24.0)]);
        let at = |size| run.at(CurveAxis::Support, size, Measure::MistakeRate);
        assert_eq!(at(5.0), None);
        assert_eq!(at(15.0), Some(35.0));
        assert_eq!(at(20.0), Some(26.0)); // the last time it was so large
        assert_eq!(at(25.0), Some(25.0));
        assert_eq!(at(30.0), Some(24.0));
        assert_eq!(at(31.0), None); // it never got there
    }

    #[test]
    fn places_are_counted_in_trials() {
        assert_eq!(TrackStop::Epochs(3).trials(100, 5), 300);
        assert_eq!(TrackStop::Part(PARTS).trials(7, 3), 21);
        assert_eq!(TrackStop::of_point(CurveAxis::Epochs, 20.0), [TrackStop::Epochs(20)]);
    }
}
