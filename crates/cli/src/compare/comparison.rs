//! What a comparison found, as JSON, CSV and text.

use serde_json::{Value as Json, json};

use onlinear::Errors;
use onlinear::workshop::{Summary, signed_rank};
use onlinear_charts::csv_field;

use super::runs::{ComparisonPlan, EntrantRun};
use super::table;
use crate::output;

/// All runs of all learners, summed up.
pub struct Comparison<'a> {
    pub plan: &'a ComparisonPlan<'a>,
    /// What the data are called.
    pub data: String,
    pub rows: Vec<LearnerSummary<'a>>,
    /// How long it all took.
    pub seconds: f64,
}

/// A learner and its runs.
pub struct LearnerSummary<'a> {
    pub typed: &'a str,
    pub spec: String,
    pub runs: Vec<EntrantRun>,
    pub online_error: Option<Summary>,
    pub train_error: Summary,
    pub test_error: Summary,
    pub mistakes: Option<Summary>,
    pub bound: Option<Summary>,
    pub updates: Option<Summary>,
    pub support: Option<Summary>,
    pub seconds: Summary,
    pub bytes: Summary,
    /// Of the hypothesis that its test errors are those of the best learner; `None` for the best itself.
    pub p_value: Option<f64>,
}

impl<'a> Comparison<'a> {
    pub fn new(plan: &'a ComparisonPlan<'a>, data: String, runs: Vec<Vec<EntrantRun>>, seconds: f64) -> Comparison<'a> {
        let rows = plan.entrants.iter().zip(runs).filter_map(|(entrant, runs)| {
            let spec = entrant.fresh.spec.to_string();
            LearnerSummary::new(&entrant.typed, spec, runs)
        });
        let mut comparison = Comparison { plan, data, rows: rows.collect(), seconds };
        comparison.compare_with_best();
        comparison
    }

    /// The place of the learner with the least test error, the first of several.
    pub fn best(&self) -> Option<usize> {
        let error = |i: &usize| self.rows[*i].test_error.mean;
        (0..self.rows.len()).min_by(|a, b| error(a).total_cmp(&error(b)))
    }

    fn compare_with_best(&mut self) {
        let Some(best) = self.best().filter(|_| self.plan.splits.len() > 1) else { return };
        let errors: Vec<Errors> = self.rows[best].runs.iter().map(|run| run.tested).collect();
        for row in self.rows.iter_mut().enumerate().filter(|(i, _)| *i != best).map(|(_, row)| row) {
            let pairs: Vec<(Errors, Errors)> = row.runs.iter().map(|run| run.tested).zip(errors.clone()).collect();
            row.p_value = Some(signed_rank(&pairs));
        }
    }

    pub fn as_json(&self) -> Json {
        let (arguments, held) = (self.plan.arguments, self.plan.held);
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "data": self.data,
            "examples": held.len(),
            "features": held.features(),
            "classes": held.classes().len(),
            "labels": held.classes().names(),
            "seed": arguments.seed,
            "repeats": arguments.repeats,
            "passes": arguments.passes,
            "test": arguments.test,
            "holdout": arguments.test.is_none().then_some(arguments.holdout),
            "rows": self.rows.iter().map(LearnerSummary::as_json).collect::<Vec<_>>(),
        })
    }

    pub fn as_text(&self) -> String {
        let about = output::pairs(&self.about().iter().map(|(name, text)| (*name, text.clone())).collect::<Vec<_>>());
        format!("{about}\n{}", output::table(&table::of(self)))
    }

    /// What was compared on what.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        let (arguments, held) = (self.plan.arguments, self.plan.held);
        let first = &self.plan.splits[0];
        let split = match (&arguments.test, self.plan.test) {
            (Some(file), Some(test)) => {
                format!("{} rows to learn from, tested on {} of {file}", held.len(), test.len())
            }
            _ => format!("{} rows to learn from, {} held out for testing", first.train.len(), first.test.len()),
        };
        let repeats = format!(
            "{} of each learner, on the same shuffles of the rows (seed {})",
            arguments.repeats, arguments.seed
        );
        vec![
            ("data", self.data.clone()),
            ("rows", format!("{}, {} features, {}", held.len(), held.features(), output::classes(held.classes()))),
            ("split", split),
            ("runs", repeats),
        ]
    }

    /// The table as CSV: a line for each learner.
    pub fn as_csv(&self) -> String {
        let mut out = "learner,spec,repeats".to_string();
        for name in LearnerSummary::NAMES {
            out += &format!(",{name}_mean,{name}_stderr,{name}_sd");
        }
        out += ",p_value\n";
        for row in &self.rows {
            out += &format!("{},{},{}", csv_field(row.typed), csv_field(&row.spec), row.runs.len());
            for summary in row.summaries() {
                let number = |part: Option<f64>| part.map_or(String::new(), |number| number.to_string());
                let part = |part: &dyn Fn(&Summary) -> Option<f64>| number(summary.as_ref().and_then(part));
                out += &format!(",{},{},{}", part(&|s| Some(s.mean)), part(&|s| s.stderr), part(&|s| s.sd));
            }
            out += &format!(",{}\n", row.p_value.map_or(String::new(), |p| p.to_string()));
        }
        out
    }
}

impl<'a> LearnerSummary<'a> {
    /// What is measured, by the names of JSON and CSV.
    const NAMES: [&'static str; 9] =
        ["online_error", "train_error", "test_error", "mistakes", "bound", "updates", "support", "seconds", "bytes"];

    fn new(typed: &'a str, spec: String, runs: Vec<EntrantRun>) -> Option<LearnerSummary<'a>> {
        let of = |value: &dyn Fn(&EntrantRun) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(value).collect();
            Summary::of(&values)
        };
        Some(LearnerSummary {
            typed,
            spec,
            online_error: of(&|run| run.online_error),
            train_error: of(&|run| Some(run.train_error))?,
            test_error: of(&|run| Some(run.tested.rate()))?,
            mistakes: of(&|run| Some(run.mistakes? as f64)),
            bound: of(&|run| run.bound),
            updates: of(&|run| Some(run.updates? as f64)),
            support: of(&|run| Some(run.support? as f64)),
            seconds: of(&|run| Some(run.seconds))?,
            bytes: of(&|run| Some(run.bytes as f64))?,
            p_value: None,
            runs,
        })
    }

    fn summaries(&self) -> [Option<Summary>; 9] {
        [
            self.online_error,
            Some(self.train_error),
            Some(self.test_error),
            self.mistakes,
            self.bound,
            self.updates,
            self.support,
            Some(self.seconds),
            Some(self.bytes),
        ]
    }

    fn as_json(&self) -> Json {
        let mut json = json!({"learner": self.typed, "spec": self.spec, "p_value": self.p_value});
        for (name, summary) in LearnerSummary::NAMES.iter().zip(self.summaries()) {
            json[name] = output::summary_as_json(summary);
        }
        json
    }
}
