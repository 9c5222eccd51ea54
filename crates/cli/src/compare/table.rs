//! The table of a comparison, on the terminal and in the report.

use onlinear::evaluate::Summary;

use super::outcome::{Outcome, Row};
use crate::output;
use onlinear_charts::{Align, Cell, Column, Table};

/// A difference less likely than this is marked, one less likely than the second twice.
const SIGNIFICANT: [f64; 2] = [0.05, 0.01];

/// A column of the table.
struct Measure {
    name: &'static str,
    unit: Option<&'static str>,
    about: &'static str,
    cell: fn(&Row) -> Option<String>,
    /// What is compared, where less is better.
    less: Option<fn(&Row) -> Option<f64>>,
}

const MEASURES: [Measure; 9] = [
    Measure {
        name: "online",
        unit: Some("%"),
        about: "mistakes as a share of all trials, each row being predicted before it is learned from.",
        cell: |row| row.online_error.map(output::percent),
        less: Some(|row| row.online_error.map(|error| error.mean)),
    },
    Measure {
        name: "mistakes",
        unit: None,
        about: "trials that were mistakes.",
        cell: |row| row.bound.and(row.mistakes).map(count),
        less: None,
    },
    Measure {
        name: "bound",
        unit: None,
        about: "the most mistakes that a theorem allows for these runs; see docs/certificates.md.",
        cell: |row| row.bound.map(count),
        less: None,
    },
    Measure {
        name: "train",
        unit: Some("%"),
        about: "training rows that the finished model gets wrong.",
        cell: |row| Some(output::percent(row.train_error)),
        less: Some(|row| Some(row.train_error.mean)),
    },
    Measure {
        name: "test",
        unit: Some("%"),
        about: "test rows that the finished model gets wrong.",
        cell: |row| Some(output::percent(row.test_error)),
        less: Some(|row| Some(row.test_error.mean)),
    },
    Measure {
        name: "support",
        unit: None,
        about: "vectors that the hypothesis holds, where it is not a weight vector.",
        cell: |row| row.support.map(count),
        less: None,
    },
    Measure {
        name: "updates",
        unit: None,
        about: "trials that changed the hypothesis.",
        cell: |row| row.updates.map(count),
        less: None,
    },
    Measure {
        name: "seconds",
        unit: None,
        about: "of learning alone, for one run.",
        cell: |row| Some(seconds(row.seconds.mean)),
        less: None,
    },
    Measure {
        name: "model",
        unit: None,
        about: "size of the model file.",
        cell: |row| Some(size(row.bytes.mean)),
        less: None,
    },
];

/// The table of all learners.
pub fn of(outcome: &Outcome) -> Table {
    let shown: Vec<&Measure> =
        MEASURES.iter().filter(|measure| outcome.rows.iter().any(|row| (measure.cell)(row).is_some())).collect();
    let first = Column::new("learner", Align::Left);
    let column = |measure: &&Measure| Column {
        unit: measure.unit.map(str::to_string),
        about: Some(measure.about.to_string()),
        ..Column::new(measure.name, Align::Right)
    };
    let columns = std::iter::once(first).chain(shown.iter().map(column)).collect();
    let row = |row: &Row| -> Vec<Cell> {
        let cells = shown.iter().map(|measure| cell(outcome, measure, row));
        std::iter::once(Cell::new(row.typed)).chain(cells).collect()
    };
    let rows = outcome.rows.iter().map(row).collect();
    Table { caption: "Learners on the same rows.".to_string(), columns, rows, notes: notes(outcome) }
}

fn cell(outcome: &Outcome, measure: &Measure, row: &Row) -> Cell {
    let Some(text) = (measure.cell)(row) else { return Cell::new("–") };
    let least = |less: fn(&Row) -> Option<f64>| outcome.rows.iter().filter_map(less).fold(f64::INFINITY, f64::min);
    let best = outcome.rows.len() > 1 && measure.less.is_some_and(|less| less(row) == Some(least(less)));
    let mark = row
        .p_value
        .filter(|_| measure.name == "test")
        .map(|p| "*".repeat(SIGNIFICANT.iter().filter(|s| p < **s).count()));
    Cell { text, best, mark: mark.filter(|mark| !mark.is_empty()), ..Cell::default() }
}

fn notes(outcome: &Outcome) -> Vec<String> {
    let repeats = outcome.plan.splits.len();
    if repeats < 2 {
        return vec!["One repeat: there is no telling how uncertain these numbers are.".to_string()];
    }
    let mut notes = vec![format!("± is the standard error of the mean over {repeats} repeats.")];
    if outcome.rows.len() > 1 {
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
