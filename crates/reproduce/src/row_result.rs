//! What came out for a row on a column.

use std::collections::BTreeMap;

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
    /// What they had in the end: a value for each run that has it.
    pub ends: BTreeMap<Measure, Vec<f64>>,
    /// What they had on the way: the points of a curve, and at each a value for each run that gets there.
    pub curves: BTreeMap<Measure, Vec<(f64, Vec<f64>)>>,
}

impl<'a> RowResult<'a> {
    /// The values of some runs, in the end and where the experiment looks at them.
    pub fn new(
        (data, learner, measures): (&'a DataColumn, &'a LearnerRow, &'a [Measure]),
        settings: String,
        runs: &[Track],
        experiment: &Experiment,
    ) -> RowResult<'a> {
        let end = |measure: Measure| runs.iter().filter_map(|run| run.last(measure)).collect();
        let point = |measure: Measure, x: f64| {
            let along = experiment.x.into_iter();
            let values = along.flat_map(|along| runs.iter().filter_map(move |run| run.at(along, x, measure)));
            (x, values.collect::<Vec<f64>>())
        };
        let curve = |measure: Measure| {
            let points = experiment.points.iter().map(|&x| point(measure, x));
            points.filter(|(_, values)| !values.is_empty()).collect::<Vec<_>>()
        };
        RowResult {
            data,
            learner,
            measures,
            settings,
            repeats: runs.len(),
            ends: measures.iter().map(|&measure| (measure, end(measure))).collect(),
            curves: measures.iter().map(|&measure| (measure, curve(measure))).collect(),
        }
    }

    /// The values of a measure in the end.
    pub fn values(&self, measure: Measure) -> &[f64] {
        self.ends.get(&measure).map_or(&[], Vec::as_slice)
    }

    /// The points of a curve, with their values.
    pub fn curve(&self, measure: Measure) -> &[(f64, Vec<f64>)] {
        self.curves.get(&measure).map_or(&[], Vec::as_slice)
    }
}
