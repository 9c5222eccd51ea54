//! What was found, for people and for scripts.

use serde_json::{Value as Json, json};

use super::claim::{Judgement, Says};
use super::curves::Curve;
use super::expected::{Figure, Spread};
use super::experiment::Claim;
use super::outcome::{Cell, Counts, Outcome, Skipped, repeats_in_words};
use crate::output;
use onlinear_charts::{self as charts, Align, Column, Table};

impl Cell<'_> {
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

    /// A member of `cells`.
    fn as_json(&self) -> Json {
        json!({
            "row": self.row, "column": self.column, "measure": self.measure.name(),
            "ours": self.ours.map(|ours| ours.mean), "ours_stderr": self.ours.and_then(|ours| ours.stderr),
            "values": self.values, "repeats": self.repeats, "paper": self.paper.map(|paper| paper.value),
            "paper_spread": self.paper.and_then(|paper| paper.spread).map(Spread::value),
            "paper_printed": self.paper.map(|paper| paper.as_text()),
            "agrees": self.verdict.agrees(), "verdict": self.verdict.name(), "settings": self.settings,
        })
    }
}

impl Figure {
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

impl Judgement {
    /// The verdict in a word or two.
    pub fn as_text(&self) -> &'static str {
        match (self.verdict, self.narrow) {
            (Says::Holds, true) => "holds narrowly",
            (Says::Fails, true) => "fails narrowly",
            (verdict, _) => verdict.name(),
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
        let Counts { agree, differ, skipped, shown, claims_hold, claims_fail, claims_not_run } = self;
        let cells = format!("{agree} cells agree, {differ} differ, {skipped} skipped; {shown} shown without a verdict");
        match claims_hold + claims_fail + claims_not_run {
            0 => cells,
            _ => format!("{cells}. {claims_hold} claims hold, {claims_fail} fail, {claims_not_run} not run"),
        }
    }

    /// The summary for scripts.
    pub fn as_json(&self) -> Json {
        json!({
            "agree": self.agree, "differ": self.differ, "skipped": self.skipped, "shown": self.shown,
            "claims_hold": self.claims_hold, "claims_fail": self.claims_fail, "claims_not_run": self.claims_not_run,
        })
    }
}

impl Outcome<'_> {
    /// A table with both figures in each row.
    fn table(&self) -> Table {
        let has_settings = self.cells.iter().any(|cell| !cell.settings.is_empty());
        let mut columns = vec![
            Column::new("learner", Align::Left),
            Column::new("on", Align::Left),
            Column::new("measure", Align::Left),
        ];
        columns.extend([
            Column::new("ours", Align::Right),
            Column::new("paper", Align::Right),
            Column::new("verdict", Align::Left),
        ]);
        columns.extend(has_settings.then(|| Column::new("chosen", Align::Left)));
        let row = |cell: &Cell| {
            let paper = cell.paper.map_or("–".to_string(), |paper| paper.as_text());
            let texts = [cell.row, cell.column, cell.measure.name(), &cell.ours_as_text(), &paper, cell.verdict.name()];
            let settings = has_settings.then(|| charts::Cell::new(&cell.settings));
            texts.into_iter().map(charts::Cell::new).chain(settings).collect()
        };
        let rows = self.cells.iter().map(row).collect();
        Table { caption: self.ready.experiment.title.clone(), columns, rows, notes: self.notes() }
    }

    /// What stands below the table.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let repeats = self.cells.iter().map(|cell| cell.repeats).max().unwrap_or(0);
        if repeats > 0 {
            let words = repeats_in_words(self.ready.experiment.kind, repeats);
            let error = if repeats > 1 { ", ± the standard error" } else { "" };
            let printed = self.cells.iter().any(|cell| cell.paper.is_some());
            let paper = if printed { " Paper: as printed, ± its standard error unless sd stands there." } else { "" };
            notes.push(format!("Ours: {words}{error}.{paper}"));
        }
        if let Some(reference) = self.ready.experiment.data.iter().find_map(|data| data.reference.as_ref()) {
            notes.push(format!(
                "Rates on artificial sets are judged as differences from those of {reference}, which are only shown."
            ));
        }
        notes.extend(self.skipped.iter().map(Skipped::as_text));
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
        let claim = |(claim, judged): (&Claim, &Judgement)| format!("  {:<15} {}\n", judged.as_text(), claim.text);
        let claims: String = experiment.claim.iter().zip(&self.claims).map(claim).collect();
        let claims = if claims.is_empty() { claims } else { format!("Claims:\n{claims}") };
        let (name, title, source) = (&experiment.name, &experiment.title, &experiment.source);
        format!("{name} — {title}\n{}, {source}\n\n{body}{claims}\n", self.ready.paper)
    }

    /// A member of `tables`.
    pub fn as_json(&self) -> Json {
        let claim = |(claim, judged): (&Claim, &Judgement)| {
            let Claim { text, test, source } = claim;
            json!({
                "text": text, "verdict": judged.verdict.name(), "narrow": judged.narrow, "evidence": judged.evidence,
                "test": test, "source": source,
            })
        };
        let skipped = |skipped: &Skipped| json!({"columns": skipped.columns, "reason": skipped.reason});
        json!({
            "name": self.ready.experiment.name, "title": self.ready.experiment.title, "paper": self.ready.paper,
            "source": self.ready.experiment.source, "notes": format!("experiments/{}/NOTES.md", self.ready.folder),
            "cells": self.cells.iter().map(Cell::as_json).collect::<Vec<_>>(),
            "curves": self.curves.iter().map(Curve::as_json).collect::<Vec<_>>(),
            "claims": self.ready.experiment.claim.iter().zip(&self.claims).map(claim).collect::<Vec<_>>(),
            "skipped": self.skipped.iter().map(skipped).collect::<Vec<_>>(),
            "summary": self.counts().as_json(),
        })
    }

    /// The cells and, where there are any, the curves: names of files and what they hold.
    pub fn csv_files(&self) -> Vec<(String, String)> {
        let name = &self.ready.experiment.name;
        let mut files = vec![(format!("{name}.csv"), self.as_csv())];
        if !self.curves.is_empty() {
            let lines: String = self.curves.iter().map(Curve::as_csv).collect();
            files.push((
                format!("{name}-curves.csv"),
                format!("row,column,measure,x,ours,ours_stderr,repeats\n{lines}"),
            ));
        }
        files
    }

    /// A line for each cell.
    fn as_csv(&self) -> String {
        let mut out = "row,column,measure,ours,ours_stderr,repeats,paper,paper_spread,verdict,settings\n".to_string();
        let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
        for cell in &self.cells {
            let ours = [cell.ours.map(|ours| ours.mean), cell.ours.and_then(|ours| ours.stderr)].map(number);
            let spread = cell.paper.and_then(|paper| paper.spread).map(Spread::value);
            let fields = [
                output::quoted(cell.row),
                output::quoted(cell.column),
                cell.measure.name().to_string(),
                ours.join(","),
                cell.repeats.to_string(),
                number(cell.paper.map(|paper| paper.value)),
                number(spread),
                cell.verdict.name().to_string(),
                output::quoted(&cell.settings),
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
