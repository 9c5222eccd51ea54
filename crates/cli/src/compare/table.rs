//! The table of a comparison, on the terminal and in the report.

use onlinear::workshop::Summary;
use onlinear_charts::{Align, Cell, Column, Table};

use super::comparison::{Comparison, FailedLearner, LearnerSummary};
use super::runs::EntrantRun;
use crate::output;

/// A difference less likely than this is marked, one less likely than the second twice.
const SIGNIFICANT: [f64; 2] = [0.05, 0.01];

/// What is measured in each run: a value of JSON and CSV, and a column of the table.
pub struct Quantity {
    /// What JSON and CSV call it.
    pub name: &'static str,
    pub of: fn(&EntrantRun) -> Option<f64>,
    /// What the table calls it.
    title: &'static str,
    /// Percent, of which less is better, or none.
    unit: Option<&'static str>,
    shown: fn(Summary) -> String,
    about: &'static str,
}

/// All quantities, in the order of JSON and CSV.
pub const QUANTITIES: [Quantity; 9] = [
    error("online_error", "online", |run| run.online_error, ABOUT_ONLINE),
    error("train_error", "train", |run| Some(run.train_error), "training rows that the finished model gets wrong."),
    error("test_error", "test", |run| Some(run.tested.rate()), "test rows that the finished model gets wrong."),
    number("mistakes", |run| Some(run.mistakes? as f64), "trials that were mistakes."),
    number("bound", |run| run.bound, ABOUT_BOUND),
    number("updates", |run| Some(run.updates? as f64), "trials that changed the hypothesis."),
    number("support", |run| Some(run.support? as f64), ABOUT_SUPPORT),
    Quantity { shown: seconds, ..number("seconds", |run| Some(run.seconds), "of learning alone, for one run.") },
    Quantity {
        shown: size,
        title: "model",
        ..number("bytes", |run| Some(run.bytes as f64), "size of the model file.")
    },
];

const ABOUT_ONLINE: &str = "mistakes as a share of all trials, each row being predicted before it is learned from.";
const ABOUT_BOUND: &str = "the most mistakes that a theorem allows for these runs; see docs/certificates.md.";
const ABOUT_SUPPORT: &str = "vectors that the hypothesis holds, where it is not a weight vector.";

/// The places of the quantities in the order of the table: what is learned, at what cost.
const COLUMNS: [usize; 9] = [0, 3, 4, 1, 2, 6, 5, 7, 8];

const fn error(
    name: &'static str,
    title: &'static str,
    of: fn(&EntrantRun) -> Option<f64>,
    about: &'static str,
) -> Quantity {
    Quantity { name, of, title, unit: Some("%"), shown: output::percent, about }
}

const fn number(name: &'static str, of: fn(&EntrantRun) -> Option<f64>, about: &'static str) -> Quantity {
    Quantity { name, of, title: name, unit: None, shown: count, about }
}

/// The table of all learners.
pub fn of(comparison: &Comparison) -> Table {
    let has_value = |quantity: &&Quantity| comparison.rows.iter().any(|row| shown(quantity, row).is_some());
    let quantities: Vec<&Quantity> = COLUMNS.iter().map(|&place| &QUANTITIES[place]).filter(has_value).collect();
    let first = Column::new("learner", Align::Left);
    let column = |quantity: &&Quantity| Column {
        unit: quantity.unit.map(str::to_string),
        about: Some(quantity.about.to_string()),
        ..Column::new(quantity.title, Align::Right)
    };
    let columns = std::iter::once(first).chain(quantities.iter().map(column)).collect();
    let row = |row: &LearnerSummary| -> Vec<Cell> {
        let cells = quantities.iter().map(|quantity| cell(comparison, quantity, row));
        std::iter::once(Cell::new(row.typed)).chain(cells).collect()
    };
    let failed = |learner: &FailedLearner| -> Vec<Cell> {
        let cells = (0..quantities.len()).map(|place| Cell::new(if place == 0 { "failed" } else { "–" }));
        std::iter::once(Cell::new(learner.typed)).chain(cells).collect()
    };
    let rows = comparison.rows.iter().map(row).chain(comparison.failed.iter().map(failed)).collect();
    Table { caption: "Learners on the same rows.".to_string(), columns, rows, notes: notes(comparison) }
}

/// What the table shows of a learner; its mistakes only beside a bound.
fn shown(quantity: &Quantity, row: &LearnerSummary) -> Option<Summary> {
    let is_shown = quantity.name != "mistakes" || row.runs.iter().any(|run| run.bound.is_some());
    row.summary(quantity.of).filter(|_| is_shown)
}

fn cell(comparison: &Comparison, quantity: &Quantity, row: &LearnerSummary) -> Cell {
    let Some(summary) = shown(quantity, row) else { return Cell::new("–") };
    let means = comparison.rows.iter().filter_map(|row| Some(row.summary(quantity.of)?.mean));
    let is_best = comparison.rows.len() > 1 && quantity.unit.is_some();
    let best = is_best && summary.mean == means.fold(f64::INFINITY, f64::min);
    let mark = row
        .p_value
        .filter(|_| quantity.name == "test_error")
        .map(|p| "*".repeat(SIGNIFICANT.iter().filter(|s| p < **s).count()));
    let text = (quantity.shown)(summary);
    Cell { text, best, mark: mark.filter(|mark| !mark.is_empty()), ..Cell::default() }
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let repeats = comparison.plan.splits.len();
    let failed = comparison.failed.iter().map(|learner| format!("{} failed: {}", learner.typed, learner.why));
    let mut notes: Vec<String> = failed.collect();
    if repeats < 2 {
        notes.push("One repeat: there is no telling how uncertain these numbers are.".to_string());
        return notes;
    }
    notes.push(format!("± is the standard error of the mean over {repeats} repeats."));
    if comparison.rows.len() > 1 {
        let [once, twice] = SIGNIFICANT;
        notes.push(format!(
            "* p < {once}, ** p < {twice}: differs from the least test error (Wilcoxon's signed-rank test, paired, \
             two-sided, not corrected for the number of learners)."
        ));
        if repeats < 6 {
            notes.push("With fewer than 6 repeats no difference can reach p < 0.05.".to_string());
        }
    }
    notes
}

fn count(count: Summary) -> String {
    if count.mean < 100.0 { format!("{:.1}", count.mean) } else { format!("{:.0}", count.mean) }
}

fn seconds(seconds: Summary) -> String {
    if seconds.mean < 10.0 { format!("{:.3}", seconds.mean) } else { format!("{:.1}", seconds.mean) }
}

/// A number of bytes as people read it.
fn size(bytes: Summary) -> String {
    match bytes.mean {
        bytes @ ..1e3 => format!("{bytes:.0} B"),
        bytes @ ..1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes => format!("{:.1} MB", bytes / 1e6),
    }
}
