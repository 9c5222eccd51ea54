//! What was found, for people and for scripts.

use serde_json::{Value as Json, json};

use super::expected::{Figure, Spread};
use super::experiment::Claim;
use super::outcome::{Cell, Counts, Outcome, Skipped, repeats_in_words};
use crate::compare::threads;
use crate::output;
use crate::report::{self, Align, Column, Part, Report, Section, Table};

impl Cell<'_> {
    /// As many digits as the paper has, or two.
    fn decimals(&self) -> usize {
        self.paper.map_or(2, |paper| paper.decimals)
    }

    /// Our mean with its standard error.
    fn ours_as_text(&self) -> String {
        let decimals = self.decimals();
        match self.ours.map(|ours| (ours.mean, ours.stderr)) {
            None => "–".to_string(),
            Some((mean, None)) => format!("{mean:.decimals$}"),
            Some((mean, Some(stderr))) => format!("{mean:.decimals$} ± {stderr:.0$}", decimals.max(1)),
        }
    }

    /// A member of `cells`.
    fn as_json(&self) -> Json {
        json!({
            "row": self.row, "column": self.column, "measure": self.measure.name(),
            "ours": self.ours.map(|ours| ours.mean), "ours_stderr": self.ours.and_then(|ours| ours.stderr),
            "repeats": self.repeats, "paper": self.paper.map(|paper| paper.value),
            "paper_spread": self.paper.and_then(|paper| paper.spread).map(Spread::value),
            "agrees": self.verdict.agrees(), "verdict": self.verdict.name(), "settings": self.settings,
        })
    }
}

impl Figure {
    /// The figure as it is printed.
    fn as_text(&self) -> String {
        let value = format!("{:.1$}", self.value, self.decimals);
        match self.spread {
            None => value,
            Some(Spread::Stderr(spread)) => format!("{value} ± {spread}"),
            Some(Spread::Sd(spread)) => format!("{value} ± {spread} sd"),
        }
    }
}

impl Skipped {
    /// What was not run, and why.
    fn as_text(&self) -> String {
        format!("Not run: {}: {}", self.columns.join(", "), self.reason)
    }
}

impl Counts {
    /// The summary in a line.
    pub fn as_text(&self) -> String {
        let Counts { agree, differ, skipped, shown } = self;
        format!("{agree} cells agree, {differ} differ, {skipped} skipped; {shown} shown without a verdict")
    }

    /// The summary for scripts.
    pub fn as_json(&self) -> Json {
        json!({"agree": self.agree, "differ": self.differ, "skipped": self.skipped, "shown": self.shown})
    }
}

impl Outcome<'_> {
    /// A table with both figures in each row.
    fn table(&self) -> Table {
        let column = |name: &str, align| Column { name: name.to_string(), unit: None, about: None, align };
        let has_settings = self.cells.iter().any(|cell| !cell.settings.is_empty());
        let mut columns = vec![column("learner", Align::Left), column("on", Align::Left), column("measure", Align::Left)];
        columns.extend([column("ours", Align::Right), column("paper", Align::Right), column("verdict", Align::Left)]);
        columns.extend(has_settings.then(|| column("chosen", Align::Left)));
        let row = |cell: &Cell| {
            let paper = cell.paper.map_or("–".to_string(), |paper| paper.as_text());
            let texts = [cell.row, cell.column, cell.measure.name(), &cell.ours_as_text(), &paper, cell.verdict.name()];
            let settings = has_settings.then(|| report::Cell::new(&cell.settings));
            texts.into_iter().map(report::Cell::new).chain(settings).collect()
        };
        let rows = self.cells.iter().map(row).collect();
        Table { caption: self.ready.experiment.title.clone(), columns, rows, notes: self.notes() }
    }

    /// What stands below the table.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let repeats = self.cells.iter().map(|cell| cell.repeats).max().unwrap_or(0);
        if repeats > 0 {
            let words = repeats_in_words(self.ready.experiment.kind, repeats);
            let error = if repeats > 1 { ", ± the standard error" } else { "" };
            notes.push(format!("Ours: {words}{error}. Paper: as printed, ± its standard error unless sd stands there."));
        }
        if let Some(reference) = self.ready.experiment.data.iter().find_map(|data| data.reference.as_ref()) {
            notes.push(format!(
                "Rates on artificial sets are judged as differences from those of {reference}, which are only shown."
            ));
        }
        notes.extend(self.skipped.iter().map(Skipped::as_text));
        match self.ready.experiment.claim.len() {
            0 => {}
            1 => notes.push("1 claim in words is not judged yet.".to_string()),
            many => notes.push(format!("{many} claims in words are not judged yet.")),
        }
        notes.push(self.counts().as_text());
        notes
    }

    /// The experiment as it stands on the terminal.
    pub fn as_text(&self) -> String {
        let experiment = &self.ready.experiment;
        let body = match self.cells.is_empty() {
            true => self.notes().join("\n") + "\n",
            false => output::table(&self.table()),
        };
        format!("{} — {}\n{}, {}\n\n{body}\n", experiment.name, experiment.title, self.ready.paper, experiment.source)
    }

    /// A member of `tables`.
    pub fn as_json(&self) -> Json {
        let claim = |claim: &Claim| {
            let Claim { text, test, source } = claim;
            json!({"text": text, "verdict": "not yet judged", "evidence": [], "test": test, "source": source})
        };
        let skipped = |skipped: &Skipped| json!({"columns": skipped.columns, "reason": skipped.reason});
        json!({
            "name": self.ready.experiment.name, "title": self.ready.experiment.title, "paper": self.ready.paper,
            "cells": self.cells.iter().map(Cell::as_json).collect::<Vec<_>>(),
            "claims": self.ready.experiment.claim.iter().map(claim).collect::<Vec<_>>(),
            "skipped": self.skipped.iter().map(skipped).collect::<Vec<_>>(),
            "summary": self.counts().as_json(),
        })
    }

    /// A line for each cell.
    pub fn as_csv(&self) -> String {
        let mut out = "row,column,measure,ours,ours_stderr,repeats,paper,paper_spread,verdict,settings\n".to_string();
        let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
        for cell in &self.cells {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let ours = [cell.ours.map(|ours| ours.mean), cell.ours.and_then(|ours| ours.stderr)].map(number);
            let spread = cell.paper.and_then(|paper| paper.spread).map(Spread::value);
            let fields = [
                quoted(cell.row),
                quoted(cell.column),
                cell.measure.name().to_string(),
                ours.join(","),
                cell.repeats.to_string(),
                number(cell.paper.map(|paper| paper.value)),
                number(spread),
                cell.verdict.name().to_string(),
                quoted(&cell.settings),
            ];
            out += &format!("{}\n", fields.join(","));
        }
        out
    }
}

/// How many cells of all experiments have which verdict.
pub fn total(outcomes: &[Outcome]) -> Counts {
    let mut total = Counts::default();
    outcomes.iter().for_each(|outcome| total.add(outcome.counts()));
    total
}

/// All experiments as a page.
pub fn report(outcomes: &[Outcome], seconds: f64) -> Report {
    let about = [
        ("cells", total(outcomes).as_text()),
        ("rule", "agrees: within three combined standard errors and half a unit of the last printed digit".to_string()),
        ("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))),
        ("time", format!("{seconds:.1} s on {}", threads())),
    ];
    let section = |outcome: &Outcome| {
        let source = format!("{}, {}.", outcome.ready.paper, outcome.ready.experiment.source);
        let body = match outcome.cells.is_empty() {
            true => Part::Text(outcome.notes().join("\n\n")),
            false => Part::Table(outcome.table()),
        };
        Section { heading: outcome.ready.experiment.name.clone(), parts: vec![Part::Text(source), body] }
    };
    Report {
        title: "The papers' experiments, ours beside theirs".to_string(),
        about: about.into_iter().map(|(name, text)| (name.to_string(), text)).collect(),
        sections: outcomes.iter().map(section).collect(),
    }
}
