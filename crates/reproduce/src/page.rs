//! The experiments as a page: each table as the paper has it, with both figures in a cell, and each figure drawn.

use onlinear_charts::{Align, Cell, Column, Page, Part, Section, Table, Tone};

use crate::claim::{ClaimVerdict, Judgement};
use crate::curves;
use crate::distinct::distinct;
use crate::experiment::Claim;
use crate::result::{ExperimentResult, VerdictCounts};
use crate::show::total;

/// All experiments as a page; `time` says how long they took on what.
pub fn page(results: &[ExperimentResult], time: String) -> Page {
    let about = [
        ("result", total(results).as_text()),
        ("rule", "agrees: within three combined standard errors and half a unit of the last printed digit".to_string()),
        ("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))),
        ("time", time),
    ];
    Page {
        title: "The papers' experiments, ours beside theirs".to_string(),
        about: about.into_iter().map(|(name, text)| (name.to_string(), text)).collect(),
        sections: std::iter::once(verdicts(results)).chain(results.iter().map(ExperimentResult::section)).collect(),
    }
}

/// What came out, before all that it came out of.
fn verdicts(results: &[ExperimentResult]) -> Section {
    let row = |result: &ExperimentResult| {
        let VerdictCounts([agree, differ, skipped, _, hold, fail, _]) = result.counts();
        let toned = |count: usize, tone: Tone, word: &str| match count {
            0 => Cell::new("–"),
            _ => Cell { verdict: Some((tone, word.to_string())), ..Cell::new(count.to_string()) },
        };
        vec![
            Cell { below: Some(result.study.experiment.title.clone()), ..Cell::new(result.name()) },
            toned(agree, Tone::Good, "agree"),
            toned(differ, Tone::Bad, "differ"),
            toned(skipped, Tone::Plain, "skipped"),
            toned(hold, Tone::Good, "hold"),
            toned(fail, Tone::Bad, "fail"),
        ]
    };
    let names = ["cells that agree", "differ", "were skipped", "claims that hold", "fail"];
    let columns = names.into_iter().map(|name| Column::new(name, Align::Right));
    let table = Table {
        caption: "Cells and claims of each experiment, by what our runs say of them.".to_string(),
        columns: std::iter::once(Column::new("experiment", Align::Left)).chain(columns).collect(),
        rows: results.iter().map(row).collect(),
        notes: Vec::new(),
    };
    Section::new("Verdicts", vec![Part::Table(table)])
}

impl ExperimentResult<'_> {
    fn section(&self) -> Section {
        let experiment = &self.study.experiment;
        let mut parts = vec![Part::Text(format!("{}. {}, {}.", experiment.title, self.study.paper, experiment.source))];
        parts.extend(curves::figures(self.study, &self.curves).into_iter().map(Part::Figure));
        parts.extend(self.scatters.iter().cloned().map(Part::Figure));
        parts.extend(self.tables().into_iter().map(Part::Table));
        parts.push(Part::Text(self.notes().join("\n\n")));
        if !self.claims.is_empty() {
            parts.push(Part::Table(self.claims_table()));
        }
        if self.cells.iter().any(|cell| cell.repeats > 0) {
            parts.push(Part::Table(self.commands()));
        }
        Section::new(&experiment.name, parts)
    }

    fn claims_table(&self) -> Table {
        let line = |(claim, judged): &(&Claim, Judgement)| {
            let tone = match judged.verdict {
                ClaimVerdict::Holds => Tone::Good,
                ClaimVerdict::Fails => Tone::Bad,
                ClaimVerdict::NotRun => Tone::Plain,
            };
            let verdict = Cell { verdict: Some((tone, judged.as_text().to_string())), ..Cell::default() };
            let [text, source, evidence] = [&claim.text, &claim.source, &judged.evidence.join("; ")].map(Cell::new);
            vec![text, verdict, source, evidence]
        };
        Table {
            caption: "What the paper says in words, and what our runs say of it.".to_string(),
            columns: ["claim", "verdict", "where", "evidence"].map(|name| Column::new(name, Align::Left)).into(),
            rows: self.claims.iter().map(line).collect(),
            notes: Vec::new(),
        }
    }

    /// How to run each row alone, with as many repeats.
    fn commands(&self) -> Table {
        let run = || self.cells.iter().filter(|cell| cell.repeats > 0);
        let line = |row: &str| {
            let repeats = run().find(|cell| cell.row == row).map_or(0, |cell| cell.repeats);
            let name = &self.study.experiment.name;
            vec![Cell::new(row), Cell::new(format!("onlinear reproduce {name} --only '{row}' --repeats {repeats}"))]
        };
        Table {
            caption: "The command that makes each row and each curve anew.".to_string(),
            columns: ["learner", "command"].map(|name| Column::new(name, Align::Left)).into(),
            rows: distinct(run().map(|cell| cell.row)).into_iter().map(line).collect(),
            notes: Vec::new(),
        }
    }
}
