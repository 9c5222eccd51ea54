//! The experiments: what `experiments/README.md` describes, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::Measure;

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
    pub train: Option<Size>,
    pub test: Option<Size>,
    #[serde(default)]
    pub split: Splitting,
    pub passes: Option<u64>,
    #[serde(default)]
    pub leave_one_out: bool,
    #[serde(default)]
    pub positive: Vec<String>,
    #[serde(default)]
    pub stages: StageWords,
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    pub judged: Option<bool>,
    pub reference: Option<String>,
    pub scatter: Option<[usize; 2]>,
}

impl DataColumn {
    /// What tells its rows and splits from those of other columns.
    pub fn key(&self) -> String {
        let (sizes, positive) = ((&self.train, &self.test, self.split), &self.positive);
        format!("{:?}", (&self.set, &self.test_set, &self.generate, self.rows, self.fresh, sizes, positive))
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
