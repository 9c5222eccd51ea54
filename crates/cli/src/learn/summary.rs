//! What a run of `onlinear learn` has to tell, as JSON and text.

use serde_json::{Value as Json, json};

use onlinear::workshop::{Baseline, Fact, PassCounts, counted};
use onlinear::{Certificate, Errors, Input, Metrics, Model, RunResult, StageSpec};

use super::settings::LearnSettings;
use crate::columns::ColumnReport;
use crate::machine::peak_memory;
use crate::measures::{self, Measured};
use crate::output;
use crate::rows::data_name;
use crate::wording::Flags;

/// What a run has to tell.
pub struct LearnSummary<'a> {
    pub outcome: &'a RunResult,
    pub certificate: Option<Certificate>,
    pub test: Option<Metrics>,
    pub test_seconds: f64,
    /// The seed of what was held out.
    pub seed: u64,
    pub input: &'a Input,
    pub settings: &'a LearnSettings,
    /// What the model had done before this run, if it went on.
    pub before: Option<Before>,
}

/// What a model had done before it went on.
pub struct Before {
    total: PassCounts,
    wrong: u64,
}

impl Before {
    pub fn of(model: &Model) -> Before {
        Before { total: model.counts.total(), wrong: model.wrong_trials() }
    }

    /// What the model has done since.
    fn since(&self, model: &Model) -> (PassCounts, Errors) {
        let all = model.counts.total();
        let total = PassCounts {
            trials: all.trials - self.total.trials,
            mistakes: all.mistakes - self.total.mistakes,
            updates: all.updates - self.total.updates,
        };
        (total, Errors { examples: total.trials, errors: model.wrong_trials() - self.wrong })
    }
}

/// How much is told of rows that were tested on.
#[derive(Clone, Copy, PartialEq)]
pub enum Shown {
    /// Their error, beside its baseline.
    InShort,
    /// Also the other figures, and those of each class.
    InFull,
}

impl LearnSummary<'_> {
    fn measured<'a>(&'a self, metrics: Option<&'a Metrics>) -> Option<Measured<'a>> {
        let model = &self.outcome.model;
        let baseline = |metrics: &Metrics| metrics.baseline(model.counts.largest_class());
        metrics.map(|metrics| Measured { metrics, classes: &model.classes, baseline: baseline(metrics) })
    }

    /// What the model did on the test file.
    pub fn test(&self) -> Option<Measured<'_>> {
        self.measured(self.test.as_ref())
    }

    /// What it did on the rows held out.
    pub fn held_out(&self) -> Option<Measured<'_>> {
        self.measured(self.outcome.held_out.as_ref())
    }

    /// The columns, where the rows are those of a table.
    pub fn columns(&self) -> Option<ColumnReport<'_>> {
        let RunResult { model, columns, .. } = self.outcome;
        let report = |schema| ColumnReport { schema, tallies: columns, vocabulary: &model.vocabulary };
        model.csv.as_ref().map(report)
    }

    pub fn as_json(&self) -> Json {
        let RunResult { model, seconds, train, separated, .. } = self.outcome;
        let (total, facts) = (model.counts.total(), model.learner.facts());
        let passes = model.counts.passes.iter();
        let per_pass = passes.map(|pass| json!({"mistakes": pass.mistakes, "updates": pass.updates}));
        let wrong_class = (!model.learner.is_alone() && total.trials > 0).then_some(model.counts.multiclass_mistakes);
        let mut report = json!({
            "spec": model.spec.to_string(),
            "stages": model.stages.specs().map(StageSpec::to_string).collect::<Vec<_>>(),
            "settings": self.settings.flags(),
            "columns": self.columns().map(|columns| columns.as_json()),
            "form": model.learner.form(),
            "examples": model.counts.examples(),
            "features": model.features,
            "classes": model.classes.len(),
            "labels": model.classes.names(),
            "passes": model.counts.passes.len(),
            "trials": total.trials,
            "mistakes": total.mistakes,
            "error_rate": self.wrong().map(|wrong| wrong.rate()),
            "baseline": Baseline::of(&model.counts.classes).map(|baseline| baseline.error),
            "multiclass_mistakes": wrong_class,
            "updates": total.updates,
            "support": model.learner.support(),
            "landmarks": model.stages.landmarks(),
            "asked": null,
            "matrix_updates": facts.matrix_updates,
            "per_pass": per_pass.collect::<Json>(),
            "separated": separated,
            "margin": model.margin,
            "calibration": output::calibration(model),
            "train": errors_as_json(*train),
            "test": self.test().map(|test| test.as_json()),
            "holdout": self.held_out().map(|held_out| held_out.as_json()),
            "certificate": self.certificate.as_ref().map(|certificate| certificate.to_json(&Flags)),
            "seconds": {"read": seconds.read, "learn": seconds.learn, "test": self.test_seconds},
            "peak_rss_bytes": peak_memory(),
        });
        if let Some((run, wrong)) = self.before.as_ref().map(|before| before.since(model)) {
            let (trials, mistakes, updates) = (run.trials, run.mistakes, run.updates);
            report["this_run"] = json!({
                "trials": trials, "mistakes": mistakes, "updates": updates, "error_rate": wrong.rate(),
            });
        }
        for (name, fact) in facts.further {
            report[name] = match fact {
                Fact::Number(number) if number.fract() == 0.0 => json!(number as i64),
                Fact::Number(number) => json!(number),
                Fact::Text(text) => json!(text),
            };
        }
        report
    }

    /// Trials whose predicted class was wrong, if there were any trials.
    fn wrong(&self) -> Option<Errors> {
        let model = &self.outcome.model;
        let trials = model.counts.total().trials;
        (trials > 0).then(|| Errors { examples: trials, errors: model.wrong_trials() })
    }

    /// All there is to tell, by name.
    pub fn pairs(&self, shown: Shown) -> Vec<(&'static str, String)> {
        let RunResult { model, seconds, train, separated, .. } = self.outcome;
        let total = model.counts.total();
        let examples = model.counts.examples();
        let is_rest = !model.learner.is_alone() && !model.learner.is_direct();
        let mut pairs = vec![
            ("data", data_name(self.input)),
            ("rows", output::shape(examples, model.features, &output::classes_of(model))),
        ];
        pairs.extend(self.columns().map(|columns| ("columns", columns.as_text())));
        pairs.push(("learner", model.spec.brief()));
        let stages: Vec<String> = model.stages.specs().map(StageSpec::to_string).collect();
        if !stages.is_empty() {
            pairs.push(("stages", stages.join(", ")));
        }
        let chosen = Some(self.settings.flags()).filter(|flags| !flags.is_empty());
        pairs.extend(chosen.map(|flags| ("chosen", format!("{flags} (--protocol paper chooses nothing)"))));
        let baseline = Baseline::of(&model.counts.classes);
        let since = self.before.as_ref().map(|before| before.since(model));
        if let Some((run, wrong)) = &since {
            let (Errors { examples, errors }, percent, updates) = (wrong, 100.0 * wrong.rate(), run.updates);
            let (trials, updates) = (counted(*examples, "trial", "trials"), counted(updates, "update", "updates"));
            pairs.push(("this run", format!("{errors} wrong in {trials}, {percent:.2} %; {updates}")));
        }
        if let Some(wrong) = self.wrong() {
            let beside = measures::beside(wrong, baseline, &model.classes);
            let mistakes = format!("{} in {}, {beside}", wrong.errors, counted(wrong.examples, "trial", "trials"));
            match is_rest {
                true => {
                    let summed = format!("{}, all binary problems together", total.mistakes);
                    pairs.extend([("wrong class", mistakes), ("mistakes", summed)]);
                }
                false if since.is_some() => pairs.push(("in all", format!("{mistakes}; {} updates", total.updates))),
                false => pairs.push(("mistakes", mistakes)),
            }
            if since.is_none() || is_rest {
                pairs.push(("updates", total.updates.to_string()));
            }
        }
        pairs.extend(self.certificate.iter().flat_map(|certificate| certificate.lines(&Flags)));
        if model.learner.form() != "primal" {
            pairs.push(("form", model.learner.form().to_string()));
        }
        pairs.extend(model.learner.support().map(|support| ("support", counted(support, "vector", "vectors"))));
        pairs.extend(model.stages.landmarks().map(|count| ("landmarks", count.to_string())));
        let facts = model.learner.facts();
        pairs.extend(facts.further.into_iter().map(|(name, fact)| (name, fact.to_string())));
        pairs.extend(facts.matrix_updates.map(|count| ("matrix", format!("{count} updates"))));
        if model.counts.passes.len() > 1 {
            pairs.push(("passes", per_pass(model)));
        }
        pairs.extend(separated.map(|yes| {
            (
                "separated",
                if yes { "yes: the last pass had no mistake" } else { "no, not within the limit" }.to_string(),
            )
        }));
        pairs.extend(
            model
                .margin
                .map(|margin| ("margin", format!("{} (geometric, on the training rows)", output::significant(margin)))),
        );
        pairs.extend(output::calibration_in_words(model));
        pairs.extend(train.as_ref().map(|train| {
            let beside = measures::beside(*train, baseline, &model.classes);
            ("train", format!("{}, {beside}", measures::errors(*train, "rows")))
        }));
        let told = |measured: Measured<'_>, rows: &str| match shown {
            Shown::InShort => measured.error(rows),
            Shown::InFull => measured.text(rows),
        };
        pairs.extend(self.test().map(|test| ("test", told(test, "rows"))));
        let held_out = format!("rows held out (seed {})", self.seed);
        pairs.extend(self.held_out().map(|rows| ("holdout", told(rows, &held_out))));
        let memory = peak_memory().map_or(String::new(), |bytes| format!(", peak memory {:.1} MB", bytes as f64 / 1e6));
        pairs.push(("seconds", format!("{:.3} reading, {:.3} learning{memory}", seconds.read, seconds.learn)));
        pairs
    }
}

fn per_pass(model: &Model) -> String {
    const SHOWN: usize = 12;
    let passes = &model.counts.passes;
    let shown: Vec<String> = passes.iter().take(SHOWN).map(|pass| pass.mistakes.to_string()).collect();
    let more = if passes.len() > SHOWN { ", …" } else { "" };
    format!("{}, with {}{more} mistakes", passes.len(), shown.join(", "))
}

fn errors_as_json(errors: Option<Errors>) -> Json {
    errors.map_or(Json::Null, |e| json!({"examples": e.examples, "errors": e.errors, "error_rate": e.rate()}))
}
