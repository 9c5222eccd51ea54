//! The table of a comparison, on the terminal and in the report.

use onlinear::workshop::Summary;
use onlinear_charts::{Align, Cell, Column, Table};

use super::comparison::{Comparison, FailedLearner, LearnerSummary};
use super::runs::EntrantRun;
use super::verdict::FEWEST_REPEATS;
use crate::measures;
use crate::output;

/// A difference less likely than this is marked, one less likely than the second twice.
pub const SIGNIFICANT: [f64; 2] = [0.05, 0.01];

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
pub const QUANTITIES: [Quantity; 10] = [
    error("online_error", "online", |run| run.online_error, ABOUT_ONLINE),
    error("train_error", "train", |run| Some(run.train_error), "training rows that the finished model gets wrong."),
    error("test_error", "test", |run| Some(run.metrics.error()), "test rows that the finished model gets wrong."),
    number("mistakes", |run| Some(run.mistakes? as f64), "trials that were mistakes."),
    number("bound", |run| run.bound, ABOUT_BOUND),
    number("updates", |run| Some(run.updates? as f64), "trials that changed the hypothesis."),
    number("support", |run| Some(run.support? as f64), ABOUT_SUPPORT),
    Quantity {
        shown: seconds,
        ..number("seconds", |run| Some(run.seconds), "of the processor, learning alone, for one run.")
    },
    Quantity {
        shown: size,
        title: "model",
        ..number("bytes", |run| Some(run.bytes as f64), "size of the model file.")
    },
    error("risk", "risk ≤", |run| run.risk, ABOUT_RISK),
];

const ABOUT_ONLINE: &str = "mistakes as a share of all trials, each row being predicted before it is learned from.";
const ABOUT_BOUND: &str =
    "the most mistakes that a theorem allows on these rows in any order; see docs/certificates.md.";
const ABOUT_RISK: &str =
    "the error on new rows is at most this, on average over the hypotheses of a pass; see docs/certificates.md.";
const ABOUT_SUPPORT: &str = "vectors that the hypothesis holds, where it is not a weight vector.";

/// The places of the quantities in the order of the table, what is learned and at what cost, each with its rank: where
/// there is no room for all, what matters least goes first.
const COLUMNS: [(usize, u8); 10] = [(0, 2), (9, 8), (3, 1), (4, 1), (1, 3), (2, 0), (6, 5), (5, 7), (7, 4), (8, 6)];

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

/// The table of all learners; what they are ranked by stands first, where it is not the error.
pub fn of(comparison: &Comparison) -> Table {
    let metric = comparison.plan.arguments.metric;
    let has_value = |quantity: &Quantity| comparison.rows.iter().any(|row| shown(quantity, row).is_some());
    let quantities = COLUMNS.iter().map(|&(place, rank)| (&QUANTITIES[place], rank));
    let quantities: Vec<(&Quantity, u8)> = quantities.filter(|(quantity, _)| has_value(quantity)).collect();
    let ranked_by = (metric.name != "error").then(|| Column {
        about: Some(format!("{}, which the learners are ranked by.", metric.summary)),
        ..Column::new(metric.name, Align::Right)
    });
    let column = |&(quantity, rank): &(&Quantity, u8)| Column {
        unit: quantity.unit.map(str::to_string),
        about: Some(quantity.about.to_string()),
        rank,
        ..Column::new(quantity.title, Align::Right)
    };
    let (has_figure, first) = (ranked_by.is_some(), Column::new("learner", Align::Left));
    let columns: Vec<Column> = std::iter::once(first).chain(ranked_by).chain(quantities.iter().map(column)).collect();
    let row = |row: &LearnerSummary| -> Vec<Cell> {
        let figure = has_figure.then(|| figure_cell(comparison, row));
        let cells = quantities.iter().map(|(quantity, _)| cell(comparison, quantity, row));
        std::iter::once(Cell::new(row.typed)).chain(figure).chain(cells).collect()
    };
    let failed = |learner: &FailedLearner| -> Vec<Cell> {
        // It is said in a column that there is always room for.
        let cells = columns[1..].iter().map(|column| Cell::new(if column.rank == 0 { "failed" } else { "–" }));
        std::iter::once(Cell::new(learner.typed)).chain(cells).collect()
    };
    let rows = comparison.rows.iter().map(row).chain(comparison.failed.iter().map(failed)).collect();
    Table { caption: "Learners on the same rows.".to_string(), columns, rows, notes: notes(comparison) }
}

/// What a learner is ranked by.
fn figure_cell(comparison: &Comparison, row: &LearnerSummary) -> Cell {
    let best = comparison.best().map(|best| comparison.rows[best].figure.mean);
    let text = measures::shown(comparison.plan.arguments.metric, row.figure);
    let best = comparison.rows.len() > 1 && best == Some(row.figure.mean);
    Cell { text, best, mark: mark(row), ..Cell::default() }
}

/// Whether a learner differs from the best beyond chance.
fn mark(row: &LearnerSummary) -> Option<String> {
    let mark = "*".repeat(SIGNIFICANT.iter().filter(|s| row.p_value.is_some_and(|p| p < **s)).count());
    Some(mark).filter(|mark| !mark.is_empty())
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
    let is_ranked_by = quantity.name == "test_error" && comparison.plan.arguments.metric.name == "error";
    let mark = is_ranked_by.then(|| mark(row)).flatten();
    Cell { text: (quantity.shown)(summary), best, mark, ..Cell::default() }
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let repeats = comparison.repeats();
    let failed = comparison.failed.iter().map(|learner| format!("{} failed: {}", learner.typed, learner.why));
    let mut notes: Vec<String> = failed.collect();
    if repeats < 2 {
        notes.push("One repeat: there is no telling how uncertain these numbers are.".to_string());
        return notes;
    }
    notes.push(format!("± is the standard error of the mean over {repeats} repeats."));
    if comparison.rows.len() > 1 {
        let [once, twice] = SIGNIFICANT;
        let best = match comparison.plan.arguments.metric.name {
            "error" => "the least test error".to_string(),
            name => format!("the best {name}"),
        };
        notes.push(format!(
            "* p < {once}, ** p < {twice}: differs from {best} (Wilcoxon's signed-rank test, paired, two-sided, not \
             corrected for the number of learners)."
        ));
        if repeats < FEWEST_REPEATS {
            notes.push(format!("With fewer than {FEWEST_REPEATS} repeats no difference can reach p < 0.05."));
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
