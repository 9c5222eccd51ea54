//! Our figures beside the paper's, as tables: what terminals, pages and the documentation show.

use onlinear_charts::{Align, Cell, Column, Table};

use crate::agreement::Verdict;
use crate::distinct::distinct;
use crate::measure::Measure;
use crate::printed::{PrintedNumber, Spread};
use crate::result::{ExperimentResult, ResultCell};

impl ResultCell<'_> {
    /// As many digits as the paper has, or two.
    fn decimals(&self) -> usize {
        self.paper.map_or(2, |paper| paper.decimals)
    }

    /// Our mean with its standard error.
    pub fn ours_as_text(&self) -> String {
        let decimals = self.decimals();
        match self.ours.map(|ours| (ours.mean, ours.stderr)) {
            None => "–".to_string(),
            Some((mean, None)) => format!("{mean:.decimals$}"),
            Some((mean, Some(stderr))) => format!("{mean:.decimals$} ± {stderr:.0$}", decimals.max(1)),
        }
    }

    /// The paper's figure as it is printed.
    pub fn paper_as_text(&self) -> String {
        self.paper.map_or("–".to_string(), |paper| paper.as_text())
    }

    /// Our figure above the paper's, the verdict in these words and the setting that was chosen.
    fn both(&self, verdict: String) -> Cell {
        let below = self.paper.map(|paper| paper.as_text());
        let verdict = below.as_ref().map(|_| verdict);
        let settings = Some(self.settings.clone()).filter(|settings| !settings.is_empty());
        let words: Vec<String> = verdict.into_iter().chain(settings).collect();
        let verdict = (!words.is_empty()).then(|| (self.verdict.tone(), words.join(" · ")));
        Cell { below, verdict, ..Cell::new(self.ours_as_text()) }
    }
}

impl PrintedNumber {
    /// The figure as it is printed.
    pub fn as_text(&self) -> String {
        let value = format!("{:.1$}", self.value, self.decimals);
        match self.spread {
            None => value,
            Some(Spread::Stderr(spread)) => format!("{value} ± {spread}"),
            Some(Spread::Sd(spread)) => format!("{value} ± {spread} sd"),
        }
    }
}

impl ExperimentResult<'_> {
    /// The verdict on a cell, and that it is one on its difference from another, where it is.
    fn verdict_in_words(&self, cell: &ResultCell) -> String {
        let mut data = self.study.experiment.data.iter().filter(|data| data.column == cell.column);
        let is_relative = data.any(|data| data.is_relative(cell.measure));
        match (is_relative, cell.verdict) {
            (true, Verdict::Agrees | Verdict::Differs) => format!("{} as a difference", cell.verdict.name()),
            _ => cell.verdict.name().to_string(),
        }
    }

    /// All cells in one table, a row for each: for terminals.
    pub(crate) fn list(&self) -> Table {
        let has_settings = self.cells.iter().any(|cell| !cell.settings.is_empty());
        let words = ["learner", "on", "measure"].map(|name| Column::new(name, Align::Left));
        let figures = ["ours", "paper"].map(|name| Column::new(name, Align::Right));
        let judged = ["verdict", "chosen"].map(|name| Column::new(name, Align::Left));
        let judged = judged.into_iter().take(if has_settings { 2 } else { 1 });
        let columns = words.into_iter().chain(figures).chain(judged).collect();
        let row = |cell: &ResultCell| {
            let (ours, paper, verdict) = (cell.ours_as_text(), cell.paper_as_text(), self.verdict_in_words(cell));
            let texts = [cell.row, cell.column, cell.measure.name(), &ours, &paper, &verdict];
            let settings = has_settings.then(|| Cell::new(&cell.settings));
            texts.into_iter().map(Cell::new).chain(settings).collect()
        };
        let rows = self.cells.iter().map(row).collect();
        Table { caption: self.study.experiment.title.clone(), columns, rows, notes: self.notes() }
    }

    /// Each table as the paper has it, a measure of all learners on all columns: for pages.
    pub(crate) fn tables(&self) -> Vec<Table> {
        let measures = distinct(self.cells.iter().map(|cell| cell.measure));
        measures.into_iter().map(|measure| self.grid(measure)).collect()
    }

    /// One measure of all learners on all columns, the paper's figure below ours.
    fn grid(&self, measure: Measure) -> Table {
        let cells: Vec<&ResultCell> = self.cells.iter().filter(|cell| cell.measure == measure).collect();
        let rows = distinct(cells.iter().map(|cell| cell.row));
        let columns = distinct(cells.iter().map(|cell| cell.column));
        let place = |row: &str, column: &str| {
            let cell = cells.iter().find(|cell| cell.row == row && cell.column == column);
            cell.map_or(Cell::default(), |cell| cell.both(self.verdict_in_words(cell)))
        };
        let line = |row: &&str| {
            let figures = columns.iter().map(|column| place(row, column));
            std::iter::once(Cell::new(*row)).chain(figures).collect()
        };
        let heads = columns.iter().map(|name| Column::new(name, Align::Right));
        let unit = if measure.is_percent() { ", %" } else { "" };
        let end = if self.curves.is_empty() { "" } else { " in the end" };
        let printed = cells.iter().any(|cell| cell.paper.is_some());
        let whose = if printed { "ours, with the paper's and the verdict" } else { "ours" };
        Table {
            caption: format!("{}{unit}{end}: {whose}.", measure.in_words()),
            columns: std::iter::once(Column::new("learner", Align::Left)).chain(heads).collect(),
            rows: rows.iter().map(line).collect(),
            notes: Vec::new(),
        }
    }
}
