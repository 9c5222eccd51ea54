//! What a comparison found, as JSON, CSV and text.

use serde_json::{Value as Json, json};

use onlinear::Errors;
use onlinear::workshop::{Summary, signed_rank};
use onlinear_charts::csv_field;

use super::runs::{ComparisonPlan, EntrantRun};
use super::table::{self, QUANTITIES, Quantity};
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
    pub test_error: Summary,
    /// Of the hypothesis that its test errors are those of the best learner; `None` for the best itself.
    pub p_value: Option<f64>,
}

impl<'a> Comparison<'a> {
    pub fn new(plan: &'a ComparisonPlan<'a>, data: String, runs: Vec<Vec<EntrantRun>>, seconds: f64) -> Comparison<'a> {
        let rows = plan.entrants.iter().zip(runs).filter_map(|(entrant, runs)| {
            let test_error = Summary::of(&runs.iter().map(|run| run.tested.rate()).collect::<Vec<_>>())?;
            let (typed, spec) = (&entrant.typed, entrant.fresh.spec.to_string());
            Some(LearnerSummary { typed, spec, runs, test_error, p_value: None })
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
        format!("{}\n{}", output::pairs(&self.about()), output::table(&table::of(self)))
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
        let (repeats, seed) = (arguments.repeats, arguments.seed);
        let repeats = format!("{repeats} of each learner, on the same shuffles of the rows (seed {seed})");
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
        for Quantity { name, .. } in QUANTITIES {
            out += &format!(",{name}_mean,{name}_stderr,{name}_sd");
        }
        out += ",p_value\n";
        for row in &self.rows {
            out += &format!("{},{},{}", csv_field(row.typed), csv_field(&row.spec), row.runs.len());
            let number = |part: Option<f64>| part.map_or(String::new(), |number| number.to_string());
            for summary in QUANTITIES.iter().map(|quantity| row.summary(quantity.of)) {
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

    fn as_json(&self) -> Json {
        let mut json = json!({"learner": self.typed, "spec": self.spec, "p_value": self.p_value});
        for quantity in &QUANTITIES {
            json[quantity.name] = output::summary_as_json(self.summary(quantity.of));
        }
        json
    }
}
