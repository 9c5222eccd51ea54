//! The table of a comparison, on the terminal and in the report.

use onlinear::workshop::Summary;
use onlinear_charts::{Align, Cell, Column, Table};

use super::comparison::{Comparison, LearnerSummary};
use crate::output;

/// A difference less likely than this is marked, one less likely than the second twice.
const SIGNIFICANT: [f64; 2] = [0.05, 0.01];

/// A column of the table.
struct Quantity {
    name: &'static str,
    unit: Option<&'static str>,
    about: &'static str,
    cell: fn(&LearnerSummary) -> Option<String>,
    /// What is compared, where less is better.
    less: Option<fn(&LearnerSummary) -> Option<f64>>,
}

const QUANTITIES: [Quantity; 9] = [
    Quantity {
        name: "online",
        unit: Some("%"),
        about: "mistakes as a share of all trials, each row being predicted before it is learned from.",
        cell: |row| row.online_error.map(output::percent),
        less: Some(|row| row.online_error.map(|error| error.mean)),
    },
    Quantity {
        name: "mistakes",
        unit: None,
        about: "trials that were mistakes.",
        cell: |row| row.bound.and(row.mistakes).map(count),
        less: None,
    },
    Quantity {
        name: "bound",
        unit: None,
        about: "the most mistakes that a theorem allows for these runs; see docs/certificates.md.",
        cell: |row| row.bound.map(count),
        less: None,
    },
    Quantity {
        name: "train",
        unit: Some("%"),
        about: "training rows that the finished model gets wrong.",
        cell: |row| Some(output::percent(row.train_error)),
        less: Some(|row| Some(row.train_error.mean)),
    },
    Quantity {
        name: "test",
        unit: Some("%"),
        about: "test rows that the finished model gets wrong.",
        cell: |row| Some(output::percent(row.test_error)),
        less: Some(|row| Some(row.test_error.mean)),
    },
    Quantity {
        name: "support",
        unit: None,
        about: "vectors that the hypothesis holds, where it is not a weight vector.",
        cell: |row| row.support.map(count),
        less: None,
    },
    Quantity {
        name: "updates",
        unit: None,
        about: "trials that changed the hypothesis.",
        cell: |row| row.updates.map(count),
        less: None,
    },
    Quantity {
        name: "seconds",
        unit: None,
        about: "of learning alone, for one run.",
        cell: |row| Some(seconds(row.seconds.mean)),
        less: None,
    },
    Quantity {
        name: "model",
        unit: None,
        about: "size of the model file.",
        cell: |row| Some(size(row.bytes.mean)),
        less: None,
    },
];

/// The table of all learners.
pub fn of(comparison: &Comparison) -> Table {
    let shown: Vec<&Quantity> =
        QUANTITIES.iter().filter(|quantity| comparison.rows.iter().any(|row| (quantity.cell)(row).is_some())).collect();
    let first = Column::new("learner", Align::Left);
    let column = |quantity: &&Quantity| Column {
        unit: quantity.unit.map(str::to_string),
        about: Some(quantity.about.to_string()),
        ..Column::new(quantity.name, Align::Right)
    };
    let columns = std::iter::once(first).chain(shown.iter().map(column)).collect();
    let row = |row: &LearnerSummary| -> Vec<Cell> {
        let cells = shown.iter().map(|quantity| cell(comparison, quantity, row));
        std::iter::once(Cell::new(row.typed)).chain(cells).collect()
    };
    let rows = comparison.rows.iter().map(row).collect();
    Table { caption: "Learners on the same rows.".to_string(), columns, rows, notes: notes(comparison) }
}

fn cell(comparison: &Comparison, quantity: &Quantity, row: &LearnerSummary) -> Cell {
    let Some(text) = (quantity.cell)(row) else { return Cell::new("–") };
    let least = |less: fn(&LearnerSummary) -> Option<f64>| {
        comparison.rows.iter().filter_map(less).fold(f64::INFINITY, f64::min)
    };
    let best = comparison.rows.len() > 1 && quantity.less.is_some_and(|less| less(row) == Some(least(less)));
    let mark = row
        .p_value
        .filter(|_| quantity.name == "test")
        .map(|p| "*".repeat(SIGNIFICANT.iter().filter(|s| p < **s).count()));
    Cell { text, best, mark: mark.filter(|mark| !mark.is_empty()), ..Cell::default() }
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let repeats = comparison.plan.splits.len();
    if repeats < 2 {
        return vec!["One repeat: there is no telling how uncertain these numbers are.".to_string()];
    }
    let mut notes = vec![format!("± is the standard error of the mean over {repeats} repeats.")];
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

fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.3}") } else { format!("{seconds:.1}") }
}

/// A number of bytes as people read it.
fn size(bytes: f64) -> String {
    match bytes {
        ..1e3 => format!("{bytes:.0} B"),
        ..1e6 => format!("{:.1} kB", bytes / 1e3),
        _ => format!("{:.1} MB", bytes / 1e6),
    }
}
