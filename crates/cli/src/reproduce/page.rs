//! The experiments as a page: each table as the paper has it, with both figures in a cell, and each figure drawn.

use super::claim::Judgement;
use super::curves;
use super::experiment::Claim;
use super::measure::Measure;
use super::outcome::{Cell, Outcome};
use super::show::total;
use crate::machine::threads;
use onlinear_charts::{self as charts, Align, Column, Page, Part, Section, Table};

/// All experiments as a page.
pub fn report(outcomes: &[Outcome], seconds: f64) -> Page {
    let about = [
        ("result", total(outcomes).as_text()),
        ("rule", "agrees: within three combined standard errors and half a unit of the last printed digit".to_string()),
        ("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))),
        ("time", format!("{seconds:.1} s on {}", threads())),
    ];
    Page {
        title: "The papers' experiments, ours beside theirs".to_string(),
        about: about.into_iter().map(|(name, text)| (name.to_string(), text)).collect(),
        sections: outcomes.iter().map(Outcome::section).collect(),
    }
}

impl Outcome<'_> {
    fn section(&self) -> Section {
        let experiment = &self.ready.experiment;
        let mut parts = vec![Part::Text(format!("{}. {}, {}.", experiment.title, self.ready.paper, experiment.source))];
        parts.extend(curves::figures(self.ready, &self.curves).into_iter().map(Part::Figure));
        parts.extend(self.scatters.iter().cloned().map(Part::Figure));
        parts.extend(self.measures().into_iter().map(|measure| Part::Table(self.grid(measure))));
        parts.push(Part::Text(self.notes().join("\n\n")));
        if !self.claims.is_empty() {
            parts.push(Part::Table(self.claims_table()));
        }
        if self.cells.iter().any(|cell| cell.repeats > 0) {
            parts.push(Part::Table(self.commands()));
        }
        Section::new(&experiment.name, parts)
    }

    /// The measures of its cells, in their order.
    fn measures(&self) -> Vec<Measure> {
        let mut measures = Vec::new();
        for cell in &self.cells {
            if !measures.contains(&cell.measure) {
                measures.push(cell.measure);
            }
        }
        measures
    }

    /// One measure of all learners on all columns, the paper's figure below ours.
    fn grid(&self, measure: Measure) -> Table {
        let cells: Vec<&Cell> = self.cells.iter().filter(|cell| cell.measure == measure).collect();
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for cell in &cells {
            if !rows.contains(&cell.row) {
                rows.push(cell.row);
            }
            if !columns.contains(&cell.column) {
                columns.push(cell.column);
            }
        }
        let place = |row: &str, column: &str| {
            let cell = cells.iter().find(|cell| cell.row == row && cell.column == column);
            cell.map_or(charts::Cell::default(), |cell| cell.both())
        };
        let line = |row: &&str| {
            let figures = columns.iter().map(|column| place(row, column));
            std::iter::once(charts::Cell::new(*row)).chain(figures).collect()
        };
        let heads = columns.iter().map(|name| Column::new(name, Align::Right));
        let unit = if measure.is_percent() { ", %" } else { "" };
        let end = if self.curves.is_empty() { "" } else { " in the end" };
        let printed = cells.iter().any(|cell| cell.paper.is_some());
        let whose = if printed { "ours, and below it the paper's and the verdict" } else { "ours" };
        Table {
            caption: format!("{}{unit}{end}: {whose}.", measure.in_words()),
            columns: std::iter::once(Column::new("learner", Align::Left)).chain(heads).collect(),
            rows: rows.iter().map(line).collect(),
            notes: Vec::new(),
        }
    }

    fn claims_table(&self) -> Table {
        let line = |(claim, judged): (&Claim, &Judgement)| {
            let texts = [&claim.text, judged.as_text(), &claim.source, &judged.evidence.join("; ")];
            texts.into_iter().map(charts::Cell::new).collect()
        };
        Table {
            caption: "What the paper says in words, and what our runs say of it.".to_string(),
            columns: ["claim", "verdict", "where", "evidence"].map(|name| Column::new(name, Align::Left)).into(),
            rows: self.ready.experiment.claim.iter().zip(&self.claims).map(line).collect(),
            notes: Vec::new(),
        }
    }

    /// How to run each row alone.
    fn commands(&self) -> Table {
        let mut rows: Vec<(&str, String)> = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.repeats > 0) {
            if !rows.iter().any(|(row, _)| *row == cell.row) {
                rows.push((cell.row, cell.command(&self.ready.experiment.name)));
            }
        }
        Table {
            caption: "The command that makes each row and each curve anew.".to_string(),
            columns: ["learner", "command"].map(|name| Column::new(name, Align::Left)).into(),
            rows: rows
                .into_iter()
                .map(|(row, command)| vec![charts::Cell::new(row), charts::Cell::new(command)])
                .collect(),
            notes: Vec::new(),
        }
    }
}

impl Cell<'_> {
    /// Our figure above the paper's and the verdict.
    fn both(&self) -> charts::Cell {
        let paper = self.paper.map(|paper| format!("{} · {}", paper.as_text(), self.verdict.name()));
        charts::Cell { below: paper, ..charts::Cell::new(self.ours_as_text()) }
    }

    /// The command that runs its row, with as many repeats.
    fn command(&self, experiment: &str) -> String {
        format!("onlinear reproduce {experiment} --only '{}' --repeats {}", self.row, self.repeats)
    }
}
