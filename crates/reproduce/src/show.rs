//! What was found, for people and for scripts.

use anyhow::Context;
use onlinear_charts::csv_field;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::claim::{ClaimVerdict, Judgement};
use crate::curves::ResultCurve;
use crate::experiment::{Claim, DataColumn, LearnerRow};
use crate::measure::Measure;
use crate::printed::Spread;
use crate::result::{ExperimentResult, Omission, ResultCell, VerdictCounts, repeats_in_words};
use crate::row_result::{CurvePoint, RowResult};
use crate::studies::Study;

impl ResultCell<'_> {
    /// Our mean and its standard error, the paper's figure and its spread.
    fn figures(&self) -> [Option<f64>; 4] {
        let (ours, paper) = (self.ours, self.paper);
        let spread = paper.and_then(|paper| paper.spread).map(Spread::value);
        [ours.map(|ours| ours.mean), ours.and_then(|ours| ours.stderr), paper.map(|paper| paper.value), spread]
    }

    /// A member of `cells`.
    fn as_json(&self) -> Json {
        let [ours, stderr, paper, spread] = self.figures();
        json!({
            "row": self.row, "column": self.column, "measure": self.measure.name(), "ours": ours,
            "ours_stderr": stderr, "values": self.values, "repeats": self.repeats, "paper": paper,
            "paper_spread": spread, "paper_printed": self.paper.map(|paper| paper.as_text()),
            "agrees": self.verdict.agrees(), "verdict": self.verdict.name(), "settings": self.settings,
        })
    }

    /// Its line of a CSV file.
    fn as_csv(&self) -> String {
        let [row, column, settings] = [self.row, self.column, &self.settings].map(csv_field);
        let [ours, stderr, paper, spread] =
            self.figures().map(|figure| figure.map_or(String::new(), |f| f.to_string()));
        let (measure, repeats, verdict) = (self.measure.name(), self.repeats, self.verdict.name());
        format!("{row},{column},{measure},{ours},{stderr},{repeats},{paper},{spread},{verdict},{settings}\n")
    }
}

impl Judgement {
    /// The verdict in a word or two.
    pub fn as_text(&self) -> &'static str {
        match (self.verdict, self.narrow) {
            (ClaimVerdict::Holds, true) => "holds narrowly",
            (ClaimVerdict::Fails, true) => "fails narrowly",
            (verdict, _) => verdict.name(),
        }
    }
}

impl Omission {
    /// What was not run, and why.
    fn as_text(&self) -> String {
        let columns = self.columns.join(", ");
        match &self.row {
            Some(row) => format!("Without a result: {row} on {columns}: {}", self.reason),
            None => format!("Not run: {columns}: {}", self.reason),
        }
    }
}

impl VerdictCounts {
    /// The summary in a line.
    pub fn as_text(&self) -> String {
        let VerdictCounts([agree, differ, skipped, shown, hold, fail, not_run]) = self;
        let agree = if *agree == 1 { "1 cell agrees".to_string() } else { format!("{agree} cells agree") };
        let cells = format!("{agree}, {differ} differ, {skipped} skipped; {shown} shown without a verdict");
        match hold + fail + not_run {
            0 => cells,
            _ => {
                let hold = if *hold == 1 { "1 claim holds".to_string() } else { format!("{hold} claims hold") };
                format!("{cells}. {hold}, {fail} fail, {not_run} not run")
            }
        }
    }

    /// The summary for scripts.
    pub(crate) fn as_json(&self) -> Json {
        VerdictCounts::NAMES.iter().zip(self.0).map(|(name, count)| (name.to_string(), json!(count))).collect()
    }
}

impl ExperimentResult<'_> {
    /// What stands below the table.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let repeats = self.cells.iter().map(|cell| cell.repeats).max().unwrap_or(0);
        if repeats > 0 {
            let words = repeats_in_words(self.study.experiment.kind, repeats);
            let error = if repeats > 1 { ", ± the standard error" } else { "" };
            let printed = self.cells.iter().any(|cell| cell.paper.is_some());
            let paper = if printed { " Paper: as printed, ± its standard error unless sd stands there." } else { "" };
            notes.push(format!("Ours: {words}{error}.{paper}"));
        }
        if let Some(reference) = self.study.experiment.data.iter().find_map(|data| data.reference.as_ref()) {
            notes.push(format!(
                "Rates on artificial sets are judged as differences from those of {reference}, which are only shown: \
                 such cells say so."
            ));
        }
        let data = self.study.experiment.data.iter();
        notes.extend(data.filter_map(|data| Some((&data.column, data.pools?))).map(|(column, pools)| {
            format!("{column}: {pools} draws in turn; the paper's one draw is judged as one more of them.")
        }));
        notes.extend(self.skipped.iter().map(Omission::as_text));
        notes.push(self.counts().as_text());
        notes
    }

    /// The file with notes on its paper.
    pub(crate) fn notes_path(&self) -> String {
        format!("crates/reproduce/experiments/{}/NOTES.md", self.study.folder)
    }

    /// The experiment as it stands on the terminal.
    pub fn as_text(&self) -> String {
        let experiment = &self.study.experiment;
        let body = match self.cells.is_empty() {
            true => self.notes().join("\n") + "\n",
            false => self.list().text(false, None),
        };
        let claim = |(claim, judged): &(&Claim, Judgement)| format!("  {:<15} {}\n", judged.as_text(), claim.text);
        let claims: String = self.claims.iter().map(claim).collect();
        let claims = if claims.is_empty() { claims } else { format!("Claims:\n{claims}") };
        let (name, title, source) = (&experiment.name, &experiment.title, &experiment.source);
        format!("{name} — {title}\n{}, {source}\n\n{body}{claims}\n", self.study.paper)
    }

    /// A member of `tables`.
    pub(crate) fn as_json(&self) -> Json {
        let claim = |(claim, judged): &(&Claim, Judgement)| {
            json!({
                "text": claim.text, "verdict": judged.verdict.name(), "narrow": judged.narrow,
                "evidence": judged.evidence, "test": claim.test, "source": claim.source,
            })
        };
        json!({
            "name": self.study.experiment.name, "title": self.study.experiment.title, "paper": self.study.paper,
            "source": self.study.experiment.source, "notes": self.notes_path(),
            "cells": self.cells.iter().map(ResultCell::as_json).collect::<Vec<_>>(),
            "curves": self.curves.iter().map(ResultCurve::as_json).collect::<Vec<_>>(),
            "claims": self.claims.iter().map(claim).collect::<Vec<_>>(),
            "skipped": self.skipped,
            "summary": self.counts().as_json(),
        })
    }

    /// The cells and, where there are any, the curves: names of files and what they hold.
    pub fn csv_files(&self) -> Vec<(String, String)> {
        let name = &self.study.experiment.name;
        let cells: String = self.cells.iter().map(ResultCell::as_csv).collect();
        let head = "row,column,measure,ours,ours_stderr,repeats,paper,paper_spread,verdict,settings";
        let mut files = vec![(format!("{name}.csv"), format!("{head}\n{cells}"))];
        if !self.curves.is_empty() {
            let curves: String = self.curves.iter().map(ResultCurve::as_csv).collect();
            let head = "row,column,measure,x,ours,ours_stderr,repeats";
            files.push((format!("{name}-curves.csv"), format!("{head}\n{curves}")));
        }
        files
    }
}

/// How many cells of all experiments have which verdict.
pub fn total(results: &[ExperimentResult]) -> VerdictCounts {
    let mut total = VerdictCounts::default();
    results.iter().for_each(|result| total.add(result.counts()));
    total
}

/// All results for scripts.
pub fn results_as_json(results: &[ExperimentResult]) -> Json {
    let tables: Vec<Json> = results.iter().map(ExperimentResult::as_json).collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "tables": tables, "summary": total(results).as_json()})
}

/// Results that were kept as JSON, their verdicts computed anew from the values of each repeat.
pub fn results_from_json<'a>(studies: &'a [Study], json: &Json) -> anyhow::Result<Vec<ExperimentResult<'a>>> {
    let result = |table: &Json| {
        let study = studies.iter().find(|study| table["name"] == *study.experiment.name);
        let study = study.with_context(|| format!("there is no experiment {}", table["name"]))?;
        ExperimentResult::new(study, &rows_from_json(study, table), Vec::deserialize(&table["skipped"])?)
    };
    list(&json["tables"]).map(result).collect()
}

/// What the runs of a table said, from the values of its cells and curves.
fn rows_from_json<'a>(study: &'a Study, table: &Json) -> Vec<RowResult<'a>> {
    let row = |(data, learner, measures): (&'a DataColumn, &'a LearnerRow, &'a [Measure])| {
        let find = |key: &str, measure: Measure| {
            let is = |one: &&Json| {
                one["row"] == *learner.row && one["column"] == *data.column && one["measure"] == measure.name()
            };
            list(&table[key]).find(is).cloned().unwrap_or_default()
        };
        let curve = |measure: Measure| {
            let curve = find("curves", measure);
            let points = list(&curve["points"]).zip(list(&curve["values"]));
            points
                .filter_map(|(point, values)| CurvePoint::new(point[0].as_f64()?, numbers(values)))
                .collect::<Vec<_>>()
        };
        let first = measures.first().map(|measure| find("cells", *measure)).unwrap_or_default();
        RowResult {
            data,
            learner,
            measures,
            settings: first["settings"].as_str().unwrap_or_default().to_string(),
            repeats: first["repeats"].as_u64().unwrap_or_default() as usize,
            failure: None,
            ends: measures.iter().map(|&measure| (measure, numbers(&find("cells", measure)["values"]))).collect(),
            curves: measures.iter().map(|&measure| (measure, curve(measure))).collect(),
        }
    };
    study.experiment.rows().map(row).collect()
}

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

fn numbers(json: &Json) -> Vec<f64> {
    list(json).filter_map(Json::as_f64).collect()
}
