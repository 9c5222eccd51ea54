//! The experiments: what `experiments/README.md` describes, as data.

use std::collections::BTreeMap;

use onlinear::workshop::Summary;
use serde::{Deserialize, Serialize};

use crate::measure::Measure;
use crate::prepare::Preparation;

/// A file of experiments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFile {
    pub experiment: Vec<Experiment>,
}

/// A table, a figure or a list of claims.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    pub name: String,
    pub title: String,
    pub source: String,
    pub kind: ExperimentKind,
    pub repeats: usize,
    /// The paper's own number of repeats.
    pub full: usize,
    pub minutes: f64,
    pub measures: Vec<Measure>,
    pub runs_of: Option<String>,
    /// The experiment whose printed figures are its own too.
    pub printed_in: Option<String>,
    pub columns: Option<Vec<String>>,
    pub x: Option<CurveAxis>,
    #[serde(default)]
    pub points: Vec<f64>,
    #[serde(default)]
    pub data: Vec<DataColumn>,
    #[serde(default)]
    pub learner: Vec<LearnerRow>,
    #[serde(default)]
    pub claim: Vec<Claim>,
}

impl Experiment {
    /// The title without the paper's number.
    pub fn what(&self) -> &str {
        let numbered = self.title.starts_with("Table ") || self.title.starts_with("Figure ");
        self.title.split_once(": ").filter(|_| numbered).map_or(self.title.as_str(), |(_, what)| what)
    }

    /// What its figures are called: as in the paper, if it has one of them.
    pub fn figure(&self) -> String {
        let number =
            self.title.split_once(": ").map(|(number, _)| number).filter(|number| number.starts_with("Figure "));
        number.map_or("Ours alone".to_string(), |number| format!("The paper’s {number}"))
    }

    /// Each learner on each column that it runs on, with what is measured there.
    pub fn rows(&self) -> impl Iterator<Item = (&DataColumn, &LearnerRow, &[Measure])> {
        self.data.iter().flat_map(move |data| {
            let learners = self.learner.iter().filter(|learner| learner.runs_on(&data.column));
            learners.map(move |learner| (data, learner, learner.measures.as_deref().unwrap_or(&self.measures)))
        })
    }

    /// How many epochs a curve follows.
    pub fn epochs(&self) -> u64 {
        let last = self.points.last().filter(|_| self.x == Some(CurveAxis::Epochs));
        last.map_or(0, |last| *last as u64)
    }
}

/// What an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentKind {
    Online,
    Split,
    Given,
    Curve,
    Claims,
}

impl ExperimentKind {
    /// What a repeat on a column is.
    pub fn repeat(self, data: &DataColumn) -> Repeat {
        match self {
            ExperimentKind::Given => Repeat::Files,
            ExperimentKind::Split => Repeat::Split,
            ExperimentKind::Curve if data.test.is_some() => Repeat::Split,
            ExperimentKind::Online | ExperimentKind::Curve | ExperimentKind::Claims => Repeat::Permutation,
        }
    }
}

/// What changes from one repeat to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing: training and test file as they are.
    Files,
    /// Which rows are learned from, and which are for testing.
    Split,
    /// The order of the rows.
    Permutation,
}

/// What a curve runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CurveAxis {
    Trials,
    Epochs,
    Support,
}

impl CurveAxis {
    /// What it is called on an axis.
    pub fn in_words(self) -> &'static str {
        match self {
            CurveAxis::Trials => "trials",
            CurveAxis::Epochs => "epochs",
            CurveAxis::Support => "support vectors",
        }
    }
}

/// A column: a set, or a setting of it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataColumn {
    pub column: String,
    pub set: Option<String>,
    pub test_set: Option<String>,
    pub generate: Option<String>,
    pub rows: Option<u64>,
    #[serde(default)]
    pub fresh: bool,
    /// How many draws of an artificial set the repeats take turns on.
    pub pools: Option<u64>,
    pub train: Option<Size>,
    pub test: Option<Size>,
    #[serde(default)]
    pub split: Splitting,
    pub passes: Option<u64>,
    #[serde(default)]
    pub leave_one_out: bool,
    #[serde(default)]
    pub positive: Vec<String>,
    /// What is done to all rows before they are split.
    #[serde(default)]
    pub prepare: Vec<Preparation>,
    #[serde(default)]
    pub stages: StageWords,
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    pub judged: Option<bool>,
    pub reference: Option<String>,
    /// What is judged as a difference from the reference, in place of rates.
    pub relative: Option<Vec<Measure>>,
    pub scatter: Option<[usize; 2]>,
}

impl DataColumn {
    /// What tells its rows and splits from those of other columns.
    pub fn key(&self) -> String {
        let (sizes, positive) = ((&self.train, &self.test, self.split), &self.positive);
        let pools = self.pools.map_or(String::new(), |pools| format!(" in {pools} pools"));
        let prepared = if self.prepare.is_empty() { String::new() } else { format!(" {:?}", self.prepare) };
        format!(
            "{:?}{pools}{prepared}",
            (&self.set, &self.test_set, &self.generate, self.rows, self.fresh, sizes, positive)
        )
    }

    /// Whether a measure moves with the draw of an artificial set, and so is judged as a difference from the reference.
    pub fn is_relative(&self, measure: Measure) -> bool {
        self.reference.is_some()
            && self.relative.as_ref().map_or(measure.is_rate(), |relative| relative.contains(&measure))
    }

    /// Whether repeats have draws of their own.
    pub fn is_drawn_again(&self) -> bool {
        self.fresh || self.pools.is_some()
    }

    /// The seed of the draw that a repeat has.
    pub fn seed_of(&self, repeat: u64) -> u64 {
        self.pools.map_or(repeat, |pools| (repeat - 1) % pools + 1)
    }

    /// The mean over the repeats of each pool, of the values of repeats 1, 2, …; these themselves where there are no
    /// pools.
    pub fn by_pool(&self, values: &[f64]) -> Vec<f64> {
        let Some(pools) = self.pools else { return values.to_vec() };
        let of = |pool: usize| values.iter().skip(pool).step_by(pools as usize);
        let mean = |pool: usize| of(pool).sum::<f64>() / of(pool).count() as f64;
        (0..values.len().min(pools as usize)).map(mean).collect()
    }

    /// The deviation of pools from each other, what their repeats add to it taken away; `None` where there is one pool.
    pub fn sd_of_pools(&self, values: &[f64]) -> Option<f64> {
        let means = self.by_pool(values);
        let of_means = Summary::of(&means).filter(|_| self.pools.is_some())?.sd?.powi(2);
        let within: f64 = values.iter().zip(means.iter().cycle()).map(|(value, mean)| (value - mean).powi(2)).sum();
        let repeats_more = (values.len() - means.len()).max(1) as f64;
        let added = within / repeats_more * means.len() as f64 / values.len() as f64;
        Some((of_means - added).max(0.0).sqrt())
    }
}

/// A number of rows, or a share of all.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum Size {
    Rows(usize),
    Share(f64),
}

impl Size {
    /// The size as a number of rows, of so many.
    pub fn of(self, rows: usize) -> usize {
        match self {
            Size::Rows(count) => count.min(rows),
            Size::Share(share) => ((share * rows as f64).round() as usize).min(rows),
        }
    }
}

/// Which rows are learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Splitting {
    /// Others in each repeat.
    #[default]
    Random,
    /// The first ones, in another order in each repeat.
    First,
}

/// The stages of a learner or of a column, in the words of the program's shorthands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageWords {
    pub normalize: Option<String>,
    pub scale: Option<String>,
    pub map: Option<String>,
    pub bias: Option<String>,
}

/// A row: a learner, or several of which the best is chosen.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerRow {
    pub row: String,
    pub spec: Option<String>,
    #[serde(default)]
    pub specs: BTreeMap<String, String>,
    pub columns: Option<Vec<String>>,
    pub measures: Option<Vec<Measure>>,
    pub passes: Option<u64>,
    #[serde(default)]
    pub stages: StageWords,
    #[serde(default)]
    pub grid: BTreeMap<String, Vec<f64>>,
    pub full_grid: Option<BTreeMap<String, Vec<f64>>>,
    pub choose: Option<Measure>,
    pub against: Option<String>,
    #[serde(default)]
    pub extra: bool,
    pub bound: Option<String>,
}

impl LearnerRow {
    /// Whether it runs on a column.
    pub fn runs_on(&self, column: &str) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.iter().any(|other| other == column))
    }

    /// Its spec on a column, with the names of values in it.
    pub fn template(&self, column: &str) -> &str {
        self.specs.get(column).or(self.spec.as_ref()).map_or("", String::as_str)
    }

    /// The printed row it is compared with.
    pub fn printed_row(&self) -> &str {
        self.against.as_ref().unwrap_or(&self.row)
    }
}

/// What a paper says in words.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub text: String,
    pub test: String,
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_differ_by_more_than_their_repeats() {
        let data: DataColumn =
            toml::from_str("column = 'c'\ngenerate = 'yinyang'\nrows = 9\npools = 2").expect("a column");
        // Repeats 1, 3, 5 are on one draw and 2, 4, 6 on the other.
        let values = [1.0, 11.0, 3.0, 13.0, 2.0, 12.0];
        assert_eq!((1..=6).map(|repeat| data.seed_of(repeat)).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
        assert_eq!(data.by_pool(&values), [2.0, 12.0]);
        // The means have the variance 50, and the deviation 1 of single repeats adds 1/3 to that.
        let sd = data.sd_of_pools(&values).expect("two pools");
        assert!((sd - (50.0f64 - 1.0 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(data.sd_of_pools(&[1.0, 3.0]), Some(2f64.sqrt()));
        assert_eq!(data.sd_of_pools(&[1.0]), None);
        assert_eq!(data.sd_of_pools(&[5.0, 5.0, 9.0, 9.0]), Some(0.0));
        let one: DataColumn = toml::from_str("column = 'c'\ngenerate = 'yinyang'\nrows = 9").expect("a column");
        assert_eq!((one.by_pool(&values), one.sd_of_pools(&values)), (values.to_vec(), None));
    }
}
