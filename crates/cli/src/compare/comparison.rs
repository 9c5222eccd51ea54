//! What a comparison found, as JSON, CSV and text.

use serde_json::{Value as Json, json};

use onlinear::workshop::{METRICS, Summary, counted, signed_rank, signed_rank_of};
use onlinear::{Error, Errors, Metric, StageSpec};
use onlinear_charts::csv_field;

use super::left_out;
use super::runs::{ComparisonPlan, EntrantRun};
use super::table::{self, QUANTITIES, Quantity};
use super::verdict::{Verdict, listed};
use crate::columns::ColumnReport;
use crate::measures::unknown_figure;
use crate::output;
use crate::wording::Flags;

/// All runs of all learners, summed up.
pub struct Comparison<'a> {
    pub plan: &'a ComparisonPlan<'a>,
    /// What the data are called.
    pub data: String,
    pub rows: Vec<LearnerSummary<'a>>,
    /// The learners that could not learn.
    pub failed: Vec<FailedLearner<'a>>,
    /// How long it all took.
    pub seconds: f64,
}

/// A learner and its runs.
pub struct LearnerSummary<'a> {
    pub typed: &'a str,
    pub spec: String,
    /// What its rows go through.
    pub stages: Vec<String>,
    pub runs: Vec<EntrantRun>,
    /// Whether it learns from all rows at once.
    pub is_batch: bool,
    /// What was chosen for it, as flags, and how often it passes over the rows.
    pub chosen: &'a [(&'static str, String)],
    pub passes: u64,
    pub test_error: Summary,
    /// What learners are ranked by.
    pub figure: Summary,
    /// Of the hypothesis that its figures are those of the best learner; `None` for the best itself.
    pub p_value: Option<f64>,
}

/// A learner that could not learn.
pub struct FailedLearner<'a> {
    pub typed: &'a str,
    pub spec: String,
    /// Why not.
    pub why: String,
}

impl<'a> Comparison<'a> {
    /// An error where none of the learners could learn.
    pub fn new(
        plan: &'a ComparisonPlan<'a>,
        data: String,
        runs: Vec<onlinear::Result<Vec<EntrantRun>>>,
        seconds: f64,
    ) -> onlinear::Result<Comparison<'a>> {
        let mut comparison = Comparison { plan, data, rows: Vec::new(), failed: Vec::new(), seconds };
        let mut first_error = None;
        for (entrant, runs) in plan.entrants.iter().zip(runs) {
            let (typed, spec) = (&entrant.typed, entrant.fresh.spec.to_string());
            let summed = runs.and_then(|runs| {
                let figure = figure(plan.arguments.metric, &runs)?;
                let errors: Vec<f64> = runs.iter().map(|run| run.metrics.error()).collect();
                Ok(Summary::of(&errors).zip(figure).map(|means| (means, runs)))
            });
            match summed {
                Ok(summed) => {
                    let is_batch = entrant.fresh.spec.is_batch();
                    comparison.rows.extend(summed.map(|((test_error, figure), runs)| LearnerSummary {
                        typed,
                        spec,
                        stages: entrant.fresh.stages.iter().map(StageSpec::to_string).collect(),
                        runs,
                        is_batch,
                        chosen: &entrant.chosen,
                        passes: entrant.passes.lock().map_or(1, |passes| passes.unwrap_or(1)),
                        test_error,
                        figure,
                        p_value: None,
                    }));
                }
                Err(error) => {
                    comparison.failed.push(FailedLearner { typed, spec, why: error.worded(&Flags) });
                    first_error.get_or_insert(error);
                }
            }
        }
        match first_error {
            Some(error) if comparison.rows.is_empty() => return Err(comparison.without_rows(error)),
            _ => comparison.compare_with_best(),
        }
        Ok(comparison)
    }

    /// What to say where no learner has a result: the first error where there is no other.
    fn without_rows(&self, first: Error) -> Error {
        if self.failed.len() < 2 || matches!(first, Error::Interrupted) {
            return first;
        }
        let reasons = self.failed.iter().map(|FailedLearner { typed, why, .. }| format!("\n  {typed}: {why}"));
        Error::data(&self.data, format!("no learner has a result:{}", reasons.collect::<String>()))
    }

    /// What the learners have to say about their runs, each thing once.
    pub fn warnings(&self) -> Vec<String> {
        let of_row = |row: &LearnerSummary<'_>| {
            let name = row.typed.to_string();
            row.warnings().into_iter().map(move |text| format!("{name}: {text}"))
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    /// How often each learner ran: as often as was wanted, unless that was interrupted.
    pub fn repeats(&self) -> usize {
        self.rows.first().map_or(self.plan.splits.len(), |row| row.runs.len())
    }

    /// The place of the learner with the best figure, the first of several.
    pub fn best(&self) -> Option<usize> {
        let (metric, figure) = (self.plan.arguments.metric, |i: usize| self.rows[i].figure.mean);
        (0..self.rows.len()).reduce(|best, i| if metric.is_better(figure(i), figure(best)) { i } else { best })
    }

    fn compare_with_best(&mut self) {
        let Some(best) = self.best().filter(|_| self.repeats() > 1) else { return };
        let metric = self.plan.arguments.metric;
        let chance = |row: &LearnerSummary<'_>, best: &LearnerSummary<'_>| {
            let runs = row.runs.iter().zip(&best.runs).map(|(a, b)| (&a.metrics, &b.metrics));
            match metric.name {
                // Whether errors are equal is told from their counts.
                "error" => signed_rank(&runs.map(|(a, b)| (Errors::from(a), Errors::from(b))).collect::<Vec<_>>()),
                _ => signed_rank_of(
                    &runs.filter_map(|(a, b)| Some((metric.of)(a)? - (metric.of)(b)?)).collect::<Vec<_>>(),
                ),
            }
        };
        for i in (0..self.rows.len()).filter(|i| *i != best) {
            self.rows[i].p_value = Some(chance(&self.rows[i], &self.rows[best]));
        }
    }

    pub fn as_json(&self) -> Json {
        let (arguments, held) = (self.plan.arguments, self.plan.held);
        let (rows, verdict) = (self.rows.iter().map(LearnerSummary::as_json), self.verdict());
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "data": self.data,
            "examples": held.len(),
            "features": held.features(),
            "classes": held.classes().len(),
            "labels": held.classes().names(),
            "columns": ColumnReport::of(held.about()).map(|columns| columns.as_json()),
            "seed": arguments.seed,
            "repeats": self.repeats(),
            "settings": self.best().map(|best| self.rows[best].settings()),
            "test": arguments.test,
            "holdout": arguments.test.is_none().then_some(arguments.holdout),
            "metric": arguments.metric.name,
            "baseline": self.baseline().map(|baseline| baseline.error),
            "recommended": verdict.as_ref().map(|verdict| &verdict.spec),
            "left_out": left_out(arguments, held),
            "verdict": verdict.as_ref().map(|verdict| &verdict.sentence),
            "command": verdict.as_ref().map(|verdict| verdict.command.line()),
            "rows": rows.chain(self.failed.iter().map(failed_as_json)).collect::<Vec<_>>(),
        })
    }

    pub fn as_text(&self) -> String {
        let (about, table) = (output::pairs(&self.about()), output::table(&table::of(self), 0));
        let verdict = self.verdict().map_or(String::new(), |Verdict { sentence, command, .. }| {
            format!("\n{}{}\n", output::pairs(&[("recommended", sentence)]), command.text())
        });
        format!("{about}\n{table}{verdict}")
    }

    /// What was compared on what.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        let (arguments, held) = (self.plan.arguments, self.plan.held);
        let first = &self.plan.splits[0];
        let split = match (&arguments.test, self.plan.test) {
            (Some(file), Some(test)) => {
                format!("{} to learn from, tested on {} of {file}", counted(held.len(), "row", "rows"), test.len())
            }
            _ => {
                let rows = counted(first.train.len(), "row", "rows");
                format!("{rows} to learn from, {} held out for testing", first.test.len())
            }
        };
        let (repeats, wanted, seed) = (self.repeats(), self.plan.splits.len(), arguments.seed);
        let cut = if repeats < wanted { format!(" (interrupted: {wanted} were wanted)") } else { String::new() };
        let repeats = format!("{repeats} of each learner{cut}, on the same shuffles of the rows (seed {seed})");
        let mut about = vec![
            ("data", self.data.clone()),
            ("rows", output::shape(held.len(), held.features(), &output::classes(held.classes()))),
        ];
        about.extend(ColumnReport::of(held.about()).map(|columns| ("columns", columns.as_text())));
        about.extend([("split", split), ("runs", repeats)]);
        if let left @ [one, ..] = left_out(arguments, held) {
            let why = format!("whose matrices over {} features would be most of the work", held.features());
            about.push(("left out", format!("{}, {why}; -l {one} compares it", listed(left))));
        }
        about
    }

    /// The table as CSV: a line for each learner.
    pub fn as_csv(&self) -> String {
        let mut out = "learner,spec,repeats".to_string();
        for Quantity { name, .. } in QUANTITIES {
            out += &format!(",{name}_mean,{name}_stderr,{name}_sd");
        }
        let metric = self.plan.arguments.metric;
        let ranked_by = (metric.name != "error").then(|| metric.name.replace('-', "_"));
        out += &ranked_by.as_ref().map_or(String::new(), |name| format!(",{name}_mean,{name}_stderr,{name}_sd"));
        out += ",p_value\n";
        for row in &self.rows {
            out += &format!("{},{},{}", csv_field(row.typed), csv_field(&row.spec), row.runs.len());
            let number = |part: Option<f64>| part.map_or(String::new(), |number| number.to_string());
            let figure = ranked_by.as_ref().map(|_| Some(row.figure));
            for summary in QUANTITIES.iter().map(|quantity| row.summary(quantity.of)).chain(figure) {
                let (mean, stderr) = (summary.map(|s| s.mean), summary.and_then(|s| s.stderr));
                out += &format!(",{},{},{}", number(mean), number(stderr), number(summary.and_then(|s| s.sd)));
            }
            out += &format!(",{}\n", number(row.p_value));
        }
        out
    }
}

impl LearnerSummary<'_> {
    /// The mean of a value over the runs that have it.
    pub fn summary(&self, of: impl Fn(&EntrantRun) -> Option<f64>) -> Option<Summary> {
        Summary::of(&self.runs.iter().filter_map(of).collect::<Vec<_>>())
    }

    /// What it has to say about its runs.
    fn warnings(&self) -> Vec<String> {
        output::warnings(self.runs.iter().flat_map(|run| &run.warnings), self.runs.len())
    }

    /// What was chosen for it, as flags to paste.
    pub fn settings(&self) -> String {
        let passes = (!self.is_batch).then(|| ("passes", self.passes.to_string()));
        let flags = self.chosen.iter().cloned().chain(passes);
        flags.map(|(flag, value)| format!("--{flag} {value}")).collect::<Vec<_>>().join(" ")
    }

    fn as_json(&self) -> Json {
        let mut json = json!({"learner": self.typed, "spec": self.spec, "stages": self.stages});
        json["p_value"] = json!(self.p_value);
        json["settings"] = json!(self.settings());
        json["warnings"] = json!(self.warnings());
        for quantity in &QUANTITIES {
            json[quantity.name] = output::summary_as_json(self.summary(quantity.of));
        }
        let metric = |metric: &Metric| {
            let summary = output::summary_as_json(self.summary(|run| (metric.of)(&run.metrics)));
            (metric.name.replace('-', "_"), summary)
        };
        json["metrics"] = METRICS.iter().map(metric).collect();
        json
    }
}

/// What learners are ranked by, over the runs; an error where one of them does not have it.
fn figure(metric: &Metric, runs: &[EntrantRun]) -> onlinear::Result<Option<Summary>> {
    let figures: Option<Vec<f64>> = runs.iter().map(|run| (metric.of)(&run.metrics)).collect();
    match figures {
        Some(figures) => Ok(Summary::of(&figures)),
        None => Err(Error::usage(unknown_figure(metric))),
    }
}

fn failed_as_json(FailedLearner { typed, spec, why }: &FailedLearner<'_>) -> Json {
    json!({"learner": typed, "spec": spec, "failed": why})
}
