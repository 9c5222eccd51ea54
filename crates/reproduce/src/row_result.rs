//! What came out for a row on a column.

use std::collections::BTreeMap;

use onlinear::workshop::Summary;

use crate::experiment::{DataColumn, Experiment, LearnerRow};
use crate::measure::Measure;
use crate::track::Track;

/// A row on a column, run.
pub struct RowResult<'a> {
    pub data: &'a DataColumn,
    pub learner: &'a LearnerRow,
    pub measures: &'a [Measure],
    /// The setting that was chosen, as text; empty where there was no choice.
    pub settings: String,
    /// How many runs there were; 0 where the data are missing.
    pub repeats: usize,
    /// Why there are no values of them, where a run did not come to its end.
    pub failure: Option<String>,
    /// What they had in the end: a value for each run that has it.
    pub ends: BTreeMap<Measure, Vec<f64>>,
    /// What they had on the way.
    pub curves: BTreeMap<Measure, Vec<CurvePoint>>,
}

/// A point of a curve.
#[derive(Clone)]
pub struct CurvePoint {
    pub x: f64,
    /// What each run that gets there had.
    pub values: Vec<f64>,
    pub mean: Summary,
}

impl CurvePoint {
    /// The point of these values; `None` where no run gets there.
    pub fn new(x: f64, values: Vec<f64>) -> Option<CurvePoint> {
        Summary::of(&values).map(|mean| CurvePoint { x, values, mean })
    }
}

impl<'a> RowResult<'a> {
    /// The values of some runs, in the end and where the experiment looks at them.
    pub fn new(
        (data, learner, measures): (&'a DataColumn, &'a LearnerRow, &'a [Measure]),
        settings: String,
        runs: &[Track],
        experiment: &Experiment,
    ) -> RowResult<'a> {
        let failure = failure(runs);
        let runs = if failure.is_none() { runs } else { &[] };
        let end = |measure: Measure| runs.iter().filter_map(|run| run.last(measure)).collect();
        let point = |measure: Measure, x: f64| {
            CurvePoint::new(x, runs.iter().filter_map(|run| run.at(experiment.x?, x, measure)).collect())
        };
        let curve = |measure: Measure| experiment.points.iter().filter_map(|&x| point(measure, x)).collect();
        RowResult {
            data,
            learner,
            measures,
            settings,
            repeats: runs.len(),
            failure,
            ends: measures.iter().map(|&measure| (measure, end(measure))).collect(),
            curves: measures.iter().map(|&measure| (measure, curve(measure))).collect(),
        }
    }

    /// The values of a measure in the end.
    pub fn values(&self, measure: Measure) -> &[f64] {
        self.ends.get(&measure).map_or(&[], Vec::as_slice)
    }

    /// The points of a curve, with their values.
    pub fn curve(&self, measure: Measure) -> &[CurvePoint] {
        self.curves.get(&measure).map_or(&[], Vec::as_slice)
    }
}

/// What the first run that failed says, and how many did.
fn failure(runs: &[Track]) -> Option<String> {
    let failed: Vec<&String> = runs.iter().filter_map(|run| run.failure.as_ref()).collect();
    failed.first().map(|why| format!("{} of {} runs failed, the first at {why}", failed.len(), runs.len()))
}
