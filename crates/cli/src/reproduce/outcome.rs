//! Our figures beside the paper's.

use onlinear::evaluate::Summary;

use super::agreement::{Theirs, Verdict};
use super::claim::{self, CellName, Judgement, Says, Test, Values};
use super::curves::{self, Curve};
use super::expected::{self, Printed};
use super::experiment::{Claim, Data, Entry, Kind};
use super::library::Ready;
use super::measure::Measure;
use super::ran::Ran;
use super::sets::{Found, Shelf};
use onlinear_charts::Figure;

/// An experiment that was run.
pub struct Outcome<'a> {
    pub ready: &'a Ready,
    pub cells: Vec<Cell<'a>>,
    pub curves: Vec<Curve<'a>>,
    /// A verdict for each claim.
    pub claims: Vec<Judgement>,
    /// Pictures of the data.
    pub scatters: Vec<Figure>,
    pub skipped: Vec<Skipped>,
}

/// One measure of one learner on one column.
pub struct Cell<'a> {
    pub row: &'a str,
    pub column: &'a str,
    pub measure: Measure,
    /// The setting that was chosen from a grid.
    pub settings: String,
    /// What each repeat had.
    pub values: Vec<f64>,
    pub ours: Option<Summary>,
    pub repeats: usize,
    pub paper: Option<expected::Figure>,
    pub verdict: Verdict,
}

/// Columns that were not run.
pub struct Skipped {
    pub columns: Vec<String>,
    pub reason: String,
}

impl Skipped {
    /// The columns of an experiment whose data are missing, by what is missing.
    pub fn of(ready: &Ready, shelf: &Shelf) -> Vec<Skipped> {
        let mut skipped: Vec<Skipped> = Vec::new();
        for data in &ready.experiment.data {
            let Some(Found::Missing(reason)) = shelf.get(data, ready.experiment.kind) else { continue };
            match skipped.iter_mut().find(|known| known.reason == *reason) {
                Some(known) => known.columns.push(data.column.clone()),
                None => skipped.push(Skipped { columns: vec![data.column.clone()], reason: reason.clone() }),
            }
        }
        skipped
    }
}

/// How many cells have which verdict.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub agree: usize,
    pub differ: usize,
    pub skipped: usize,
    pub shown: usize,
    pub claims_hold: usize,
    pub claims_fail: usize,
    pub claims_not_run: usize,
}

impl Counts {
    /// Counts the cells of another experiment too.
    pub fn add(&mut self, other: Counts) {
        self.agree += other.agree;
        self.differ += other.differ;
        self.skipped += other.skipped;
        self.shown += other.shown;
        self.claims_hold += other.claims_hold;
        self.claims_fail += other.claims_fail;
        self.claims_not_run += other.claims_not_run;
    }
}

impl<'a> Outcome<'a> {
    /// What the runs of an experiment say.
    pub fn new(ready: &'a Ready, rows: &[Ran<'a>], skipped: Vec<Skipped>) -> anyhow::Result<Outcome<'a>> {
        let cells = rows.iter().flat_map(|ran| ran.measures.iter().map(|measure| cell(ready, rows, ran, *measure)));
        let values = Rows { ready, rows };
        let judged = |claim: &Claim| Ok(claim::judge(&Test::parse(&claim.test)?, &values));
        Ok(Outcome {
            ready,
            cells: cells.filter(|cell| cell.ours.is_some() || cell.paper.is_some()).collect(),
            curves: curves::curves(ready, rows),
            claims: ready.experiment.claim.iter().map(judged).collect::<anyhow::Result<_>>()?,
            scatters: Vec::new(),
            skipped,
        })
    }

    /// How many cells have which verdict.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for cell in &self.cells {
            match cell.verdict {
                Verdict::Agrees => counts.agree += 1,
                Verdict::Differs => counts.differ += 1,
                Verdict::Skipped => counts.skipped += 1,
                Verdict::Shown => counts.shown += 1,
            }
        }
        for claim in &self.claims {
            match claim.verdict {
                Says::Holds => counts.claims_hold += 1,
                Says::Fails => counts.claims_fail += 1,
                Says::NotRun => counts.claims_not_run += 1,
            }
        }
        counts
    }
}

/// The rows of an experiment, as claims speak of them.
struct Rows<'r, 'a> {
    ready: &'a Ready,
    rows: &'r [Ran<'a>],
}

impl Rows<'_, '_> {
    fn find(&self, name: &CellName, column: &str) -> Option<&Ran<'_>> {
        let is =
            |ran: &&Ran| ran.entry.row == name.row && ran.data.column == column && ran.measures.contains(&name.measure);
        self.rows.iter().find(is)
    }
}

impl Values for Rows<'_, '_> {
    fn columns(&self) -> Vec<&str> {
        self.ready.experiment.data.iter().map(|data| data.column.as_str()).collect()
    }

    fn has(&self, name: &CellName, column: &str) -> bool {
        self.find(name, column).is_some()
    }

    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>> {
        let ran = self.find(name, column)?;
        let values = match name.at {
            Some(at) => ran.curve(name.measure).iter().find(|(x, _)| *x == at).map_or(&[][..], |(_, values)| values),
            None => ran.values(name.measure),
        };
        (!values.is_empty()).then(|| values.to_vec())
    }
}

/// A cell with its verdict; `rows` are all rows of its experiment.
fn cell<'a>(ready: &Ready, rows: &[Ran<'a>], ran: &Ran<'a>, measure: Measure) -> Cell<'a> {
    let ours = Summary::of(ran.values(measure));
    let paper = figure(ready, ran.entry, ran.data, measure);
    let verdict = match (&ours, &paper) {
        (None, _) => Verdict::Skipped,
        (Some(_), None) => Verdict::Shown,
        (Some(_), Some(_)) if ran.data.judged == Some(false) => Verdict::Shown,
        (Some(ours), Some(paper)) => match reference(rows, ran, measure) {
            None => Theirs::new(paper, ready.experiment.full, ours.sd).verdict(ours),
            Some(base) => beside(ready, ran, base, measure).unwrap_or(Verdict::Shown),
        },
    };
    let (row, column) = (ran.entry.row.as_str(), ran.data.column.as_str());
    let (settings, values) = (ran.settings.clone(), ran.values(measure).to_vec());
    Cell { row, column, measure, settings, values, ours, repeats: ran.repeats, paper, verdict }
}

/// The printed figure that a row is compared with.
fn figure(ready: &Ready, entry: &Entry, data: &Data, measure: Measure) -> Option<expected::Figure> {
    let is = |one: &&Printed| one.row == entry.printed_row() && one.column == data.column && one.measure == measure;
    ready.printed.iter().find(is).filter(|_| !entry.extra).map(|one| one.figure)
}

/// The row on the same data from which a rate is judged as a difference, where there is to be one.
fn reference<'r, 'a>(rows: &'r [Ran<'a>], ran: &'r Ran<'a>, measure: Measure) -> Option<&'r Ran<'a>> {
    let row = ran.data.reference.as_ref().filter(|_| measure.is_rate())?;
    let key = ran.data.key();
    // A row that names a missing one is its own reference, and so not judged.
    Some(rows.iter().find(|other| other.entry.row == *row && other.data.key() == key).unwrap_or(ran))
}

/// The verdict on a row as a difference from another; `None` where that is the row itself or has no figures.
fn beside(ready: &Ready, ran: &Ran, base: &Ran, measure: Measure) -> Option<Verdict> {
    let (own, other) = (ran.values(measure), base.values(measure));
    let differences: Vec<f64> = own.iter().zip(other).map(|(own, other)| own - other).collect();
    let theirs = |ran: &Ran, values: &[f64]| {
        let sd = Summary::of(values)?.sd;
        Some(Theirs::new(&figure(ready, ran.entry, ran.data, measure)?, ready.experiment.full, sd))
    };
    if ran.entry.row == base.entry.row {
        return None;
    }
    Some(theirs(ran, own)?.above(theirs(base, other)?).verdict(&Summary::of(&differences)?))
}

/// How our figures came about, in a few words.
pub fn repeats_in_words(kind: Kind, repeats: usize) -> String {
    match (kind, repeats) {
        (Kind::Given, _) => "one run in the order of the files".to_string(),
        (_, 1) => "one repeat".to_string(),
        (_, many) => format!("{many} repeats"),
    }
}
