//! The experiments as a page of the documentation.

use onlinear_charts::{Align, Cell, Column, Table};

use crate::agreement::Verdict;
use crate::claim::{ClaimVerdict, Judgement};
use crate::experiment::Claim;
use crate::result::{ExperimentResult, ResultCell, VerdictCounts};
use crate::show::total;

/// So many numbers behind a claim are shown.
const SHOWN: usize = 8;

/// All experiments as Markdown, to stand in `docs`; `pictures` are the names of the files in `docs/reproduction`.
pub fn markdown(results: &[ExperimentResult], pictures: &[String]) -> String {
    let sections: String = results.iter().map(|result| result.as_markdown(pictures)).collect();
    let differing: String = results.iter().filter_map(ExperimentResult::differing).collect();
    format!("{}\n## What does not agree\n\n{differing}{sections}", summary(results).markdown())
}

/// How many cells and claims of each experiment have which verdict.
fn summary(results: &[ExperimentResult]) -> Table {
    let names = ["agree", "differ", "skipped", "only shown", "claims hold", "fail", "not run"];
    let row = |name: String, counts: VerdictCounts| {
        std::iter::once(name).chain(counts.0.map(|number| number.to_string())).map(Cell::new).collect()
    };
    let rows = results.iter().map(|result| {
        let name = &result.study.experiment.name;
        row(format!("[{name}](#{name})"), result.counts())
    });
    let columns = names.into_iter().map(|name| Column::new(name, Align::Right));
    Table {
        caption: String::new(),
        columns: std::iter::once(Column::new("experiment", Align::Left)).chain(columns).collect(),
        rows: rows.chain([row("**all**".to_string(), total(results))]).collect(),
        notes: vec![
            "Skipped: the data are not at hand. Only shown: the paper prints no figure, or not for these data."
                .to_string(),
        ],
    }
}

impl ExperimentResult<'_> {
    /// The cells that differ and the claims that fail; `None` where there are none.
    fn differing(&self) -> Option<String> {
        let cell = |cell: &ResultCell| {
            let ResultCell { row, column, measure, .. } = cell;
            format!("- {row}, {column}, {}: {} ({})\n", measure.name(), cell.ours_as_text(), cell.paper_as_text())
        };
        let cells = self.cells.iter().filter(|cell| cell.verdict == Verdict::Differs).map(cell);
        let fails = self.claims.iter().filter(|(_, judged)| judged.verdict == ClaimVerdict::Fails);
        let claims = fails.map(|(claim, judged)| format!("- {}: {}\n", judged.as_text(), claim.text));
        let lines: String = cells.chain(claims).collect();
        let name = &self.study.experiment.name;
        (!lines.is_empty()).then(|| format!("**{name}** ([why](../{}))\n\n{lines}\n", self.notes_path()))
    }

    /// Its figures, tables and claims.
    fn as_markdown(&self, pictures: &[String]) -> String {
        let experiment = &self.study.experiment;
        let (name, title, source) = (&experiment.name, &experiment.title, &experiment.source);
        let about = format!("{title}. {}, {source}. [Notes](../{}).", self.study.paper, self.notes_path());
        let own = |file: &&String| file.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('-'));
        let pictures = pictures
            .iter()
            .filter(own)
            .map(|file| format!("![{}](reproduction/{file})\n\n", file.trim_end_matches(".svg").replace('-', " ")));
        let tables = self.tables().into_iter().map(|table| format!("{}\n", table.markdown()));
        let claims: String = self.claims.iter().map(|(claim, judged)| said(claim, judged)).collect();
        let claims = if claims.is_empty() { claims } else { format!("\n{claims}") };
        let body: String = pictures.chain(tables).collect();
        format!("## {name}\n\n{about}\n\n{body}{}\n{claims}\n", self.notes().join("\n\n"))
    }
}

/// What a claim says, and the numbers behind the verdict.
fn said(claim: &Claim, judged: &Judgement) -> String {
    let (all, shown) = (judged.evidence.len(), &judged.evidence);
    let more = (all > SHOWN + 1).then(|| format!("{} more in results.json", all - SHOWN));
    let shown = if more.is_some() { &shown[..SHOWN] } else { shown };
    let evidence: Vec<String> = shown.iter().cloned().chain(more).collect();
    let evidence = if evidence.is_empty() { String::new() } else { format!(" — {}", evidence.join("; ")) };
    let line = format!("- *{}*: {} ({}){evidence}\n", judged.as_text(), claim.text, claim.source);
    line.replace('<', "&lt;").replace('|', "\\|")
}
