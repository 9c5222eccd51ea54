//! Our figures beside the paper's.

use onlinear::workshop::Summary;
use onlinear_charts::Figure;
use serde::{Deserialize, Serialize};

use crate::agreement::{PaperFigure, Verdict};
use crate::claim::{self, CellName, CellValues, ClaimTest, ClaimVerdict, Judgement};
use crate::curves::{self, ResultCurve};
use crate::distinct::distinct;
use crate::experiment::{Claim, DataColumn, ExperimentKind, LearnerRow};
use crate::measure::Measure;
use crate::printed::{PrintedCell, PrintedNumber};
use crate::row_result::RowResult;
use crate::sets::{Availability, Shelf};
use crate::studies::Study;

/// An experiment that was run.
pub struct ExperimentResult<'a> {
    pub(crate) study: &'a Study,
    pub(crate) cells: Vec<ResultCell<'a>>,
    pub(crate) curves: Vec<ResultCurve<'a>>,
    /// The claims of the paper, each with what is said of it.
    pub(crate) claims: Vec<(&'a Claim, Judgement)>,
    /// Pictures of the data.
    pub(crate) scatters: Vec<Figure>,
    pub(crate) skipped: Vec<Omission>,
}

/// One measure of one learner on one column.
pub struct ResultCell<'a> {
    pub row: &'a str,
    pub column: &'a str,
    pub measure: Measure,
    /// The setting that was chosen from a grid.
    pub settings: String,
    /// What each repeat had.
    pub values: Vec<f64>,
    pub ours: Option<Summary>,
    pub repeats: usize,
    pub paper: Option<PrintedNumber>,
    pub verdict: Verdict,
}

/// Columns that were not run, or without a result.
#[derive(Deserialize, Serialize)]
pub struct Omission {
    /// The one row that has none; without it, none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    pub columns: Vec<String>,
    pub reason: String,
}

impl Omission {
    /// The columns of an experiment whose data are missing, by what is missing.
    pub fn of(study: &Study, shelf: &Shelf) -> Vec<Omission> {
        let reason = |data: &DataColumn| match shelf.get(data, study.experiment.kind) {
            Some(Availability::Missing(reason)) => Some(reason.clone()),
            _ => None,
        };
        let data = &study.experiment.data;
        let skipped = |why: String| {
            let columns = data.iter().filter(|data| reason(data).as_ref() == Some(&why));
            Omission { row: None, columns: columns.map(|data| data.column.clone()).collect(), reason: why }
        };
        distinct(data.iter().filter_map(reason)).into_iter().map(skipped).collect()
    }

    /// A row whose runs did not all come to their end.
    pub fn of_failure(ran: &RowResult) -> Option<Omission> {
        let (row, columns) = (Some(ran.learner.row.clone()), vec![ran.data.column.clone()]);
        ran.failure.clone().map(|reason| Omission { row, columns, reason })
    }
}

/// How many cells and claims have which verdict, in the order of `NAMES`.
#[derive(Clone, Copy, Default)]
pub struct VerdictCounts(pub(crate) [usize; 7]);

impl VerdictCounts {
    /// What is counted, by the names of JSON.
    pub(crate) const NAMES: [&'static str; 7] =
        ["agree", "differ", "skipped", "shown", "claims_hold", "claims_fail", "claims_not_run"];

    /// Counts the cells of another experiment too.
    pub(crate) fn add(&mut self, other: VerdictCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(count, other)| *count += other);
    }
}

impl<'a> ExperimentResult<'a> {
    /// The name of the experiment.
    pub fn name(&self) -> &str {
        &self.study.experiment.name
    }

    /// What is missing, where there are data for none of its columns.
    pub fn found_no_data(&self) -> Option<&str> {
        let mut without_data = self.skipped.iter().filter(|omission| omission.row.is_none()).peekable();
        let first = without_data.peek().copied();
        let skipped: usize = without_data.map(|omission| omission.columns.len()).sum();
        let all = self.study.experiment.data.len();
        first.filter(|_| skipped == all).map(|omission| omission.reason.as_str())
    }

    /// What the runs of an experiment say.
    pub(crate) fn new(
        study: &'a Study,
        rows: &[RowResult<'a>],
        skipped: Vec<Omission>,
    ) -> anyhow::Result<ExperimentResult<'a>> {
        let cells = rows.iter().flat_map(|ran| ran.measures.iter().map(|measure| cell(study, rows, ran, *measure)));
        let values = RowValues { study, rows };
        let judged = |claim: &'a Claim| Ok((claim, claim::judge(&ClaimTest::parse(&claim.test)?, &values)));
        Ok(ExperimentResult {
            study,
            cells: cells.filter(|cell| cell.ours.is_some() || cell.paper.is_some()).collect(),
            curves: curves::curves(study, rows),
            claims: study.experiment.claim.iter().map(judged).collect::<anyhow::Result<_>>()?,
            scatters: Vec::new(),
            skipped,
        })
    }

    /// How many cells have which verdict.
    pub fn counts(&self) -> VerdictCounts {
        let cells = |verdict| self.cells.iter().filter(|cell| cell.verdict == verdict).count();
        let claims = |verdict| self.claims.iter().filter(|(_, judged)| judged.verdict == verdict).count();
        let [agree, differ, skipped, shown] =
            [Verdict::Agrees, Verdict::Differs, Verdict::Skipped, Verdict::Shown].map(cells);
        let [hold, fail, not_run] = [ClaimVerdict::Holds, ClaimVerdict::Fails, ClaimVerdict::NotRun].map(claims);
        VerdictCounts([agree, differ, skipped, shown, hold, fail, not_run])
    }
}

/// The rows of an experiment, as claims speak of them.
struct RowValues<'r, 'a> {
    study: &'a Study,
    rows: &'r [RowResult<'a>],
}

impl RowValues<'_, '_> {
    fn find(&self, name: &CellName, column: &str) -> Option<&RowResult<'_>> {
        let is = |ran: &&RowResult| {
            ran.learner.row == name.row && ran.data.column == column && ran.measures.contains(&name.measure)
        };
        self.rows.iter().find(is)
    }
}

impl CellValues for RowValues<'_, '_> {
    fn columns(&self) -> Vec<&str> {
        self.study.experiment.data.iter().map(|data| data.column.as_str()).collect()
    }

    fn has(&self, name: &CellName, column: &str) -> bool {
        self.find(name, column).is_some()
    }

    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>> {
        let ran = self.find(name, column)?;
        let values = match name.at {
            Some(at) => &ran.curve(name.measure).iter().find(|point| point.x == at)?.values,
            None => ran.values(name.measure),
        };
        (!values.is_empty()).then(|| values.to_vec())
    }
}

/// A cell with its verdict; `rows` are all rows of its experiment.
fn cell<'a>(study: &Study, rows: &[RowResult<'a>], ran: &RowResult<'a>, measure: Measure) -> ResultCell<'a> {
    let ours = Summary::of(&ran.data.by_pool(ran.values(measure)));
    let paper = figure(study, ran.learner, ran.data, measure);
    let verdict = match (&ours, &paper) {
        (None, _) => Verdict::Skipped,
        (Some(_), None) => Verdict::Shown,
        (Some(_), Some(_)) if ran.data.judged == Some(false) => Verdict::Shown,
        (Some(ours), Some(paper)) => {
            let theirs = PaperFigure::new(paper, study.experiment.full, ours.sd);
            let judged = match reference(rows, ran, measure) {
                None => verdict(ran.data, theirs, ran.values(measure)),
                Some(base) => beside(study, ran, base, measure),
            };
            judged.unwrap_or(Verdict::Shown)
        }
    };
    let (row, column) = (ran.learner.row.as_str(), ran.data.column.as_str());
    let (settings, values) = (ran.settings.clone(), ran.values(measure).to_vec());
    ResultCell { row, column, measure, settings, values, ours, repeats: ran.repeats, paper, verdict }
}

/// The printed figure that a row is compared with.
fn figure(study: &Study, learner: &LearnerRow, data: &DataColumn, measure: Measure) -> Option<PrintedNumber> {
    let is =
        |one: &&PrintedCell| one.row == learner.printed_row() && one.column == data.column && one.measure == measure;
    study.printed.iter().find(is).filter(|_| !learner.extra).map(|one| one.figure)
}

/// The verdict on a figure of the paper, which has one draw where these values may have several.
fn verdict(data: &DataColumn, theirs: PaperFigure, values: &[f64]) -> Option<Verdict> {
    Some(theirs.of_one_draw(data.sd_of_pools(values)).verdict(&Summary::of(&data.by_pool(values))?))
}

/// The row on the same data from which a measure is judged as a difference, where there is to be one.
fn reference<'r, 'a>(rows: &'r [RowResult<'a>], ran: &'r RowResult<'a>, measure: Measure) -> Option<&'r RowResult<'a>> {
    let row = ran.data.reference.as_ref().filter(|_| ran.data.is_relative(measure))?;
    let key = ran.data.key();
    // A row that names a missing one is its own reference, and so not judged.
    Some(rows.iter().find(|other| other.learner.row == *row && other.data.key() == key).unwrap_or(ran))
}

/// The verdict on a row as a difference from another; `None` where that is the row itself or has no figures.
fn beside(study: &Study, ran: &RowResult, base: &RowResult, measure: Measure) -> Option<Verdict> {
    let (own, other) = (ran.values(measure), base.values(measure));
    let differences: Vec<f64> = own.iter().zip(other).map(|(own, other)| own - other).collect();
    let theirs = |ran: &RowResult, values: &[f64]| {
        let sd = Summary::of(values)?.sd;
        Some(PaperFigure::new(&figure(study, ran.learner, ran.data, measure)?, study.experiment.full, sd))
    };
    if ran.learner.row == base.learner.row {
        return None;
    }
    verdict(ran.data, theirs(ran, own)?.above(theirs(base, other)?), &differences)
}

/// How our figures came about, in a few words.
pub fn repeats_in_words(kind: ExperimentKind, repeats: usize) -> String {
    match (kind, repeats) {
        (ExperimentKind::Given, _) => "one run in the order of the files".to_string(),
        (_, 1) => "one repeat".to_string(),
        (_, many) => format!("{many} repeats"),
    }
}
