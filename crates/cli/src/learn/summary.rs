//! What a run of `onlinear learn` has to tell, as JSON and text.

use serde_json::{Value as Json, json};

use onlinear::workshop::Fact;
use onlinear::{Certificate, Errors, Input, Model, RunResult, StageSpec};

use crate::machine::peak_memory;
use crate::output;
use crate::rows::data_name;
use crate::wording::Flags;

/// What a run has to tell.
pub struct LearnSummary<'a> {
    pub outcome: &'a RunResult,
    pub certificate: Option<Certificate>,
    pub test: Option<Errors>,
    pub test_seconds: f64,
    pub input: &'a Input,
}

impl LearnSummary<'_> {
    pub fn as_json(&self) -> Json {
        let RunResult { model, seconds, train, separated, .. } = self.outcome;
        let (total, facts) = (model.counts.total(), model.learner.facts());
        let passes = model.counts.passes.iter();
        let per_pass = passes.map(|pass| json!({"mistakes": pass.mistakes, "updates": pass.updates}));
        let wrong_class = (!model.learner.is_alone() && total.trials > 0).then_some(model.counts.multiclass_mistakes);
        let mut report = json!({
            "spec": model.spec.to_string(),
            "stages": model.stages.specs().map(StageSpec::to_string).collect::<Vec<_>>(),
            "form": model.learner.form(),
            "examples": model.counts.examples(),
            "features": model.features,
            "classes": model.classes.len(),
            "labels": model.classes.names(),
            "passes": model.counts.passes.len(),
            "trials": total.trials,
            "mistakes": total.mistakes,
            "error_rate": (total.trials > 0).then(|| Errors { examples: total.trials, errors: total.mistakes }.rate()),
            "multiclass_mistakes": wrong_class,
            "updates": total.updates,
            "support": model.learner.support(),
            "landmarks": model.stages.landmarks(),
            "matrix_updates": facts.matrix_updates,
            "per_pass": per_pass.collect::<Json>(),
            "separated": separated,
            "margin": model.margin,
            "calibration": output::calibration(model),
            "train": errors_as_json(*train),
            "test": errors_as_json(self.test),
            "certificate": self.certificate.as_ref().map(|certificate| certificate.to_json(&Flags)),
            "seconds": {"read": seconds.read, "learn": seconds.learn, "test": self.test_seconds},
            "peak_rss_bytes": peak_memory(),
        });
        for (name, fact) in facts.further {
            report[name] = match fact {
                Fact::Number(number) if number.fract() == 0.0 => json!(number as i64),
                Fact::Number(number) => json!(number),
                Fact::Text(text) => json!(text),
            };
        }
        report
    }

    /// All there is to tell, by name.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let RunResult { model, seconds, train, separated, .. } = self.outcome;
        let total = model.counts.total();
        let examples = model.counts.examples();
        let is_rest = !model.learner.is_alone() && !model.learner.is_direct();
        let mut pairs = vec![
            ("data", data_name(self.input)),
            ("rows", format!("{examples}, {} features, {}", model.features, output::classes_of(model))),
            ("learner", model.spec.to_string()),
        ];
        let stages: Vec<String> = model.stages.specs().map(StageSpec::to_string).collect();
        if !stages.is_empty() {
            pairs.push(("stages", stages.join(", ")));
        }
        if total.trials > 0 {
            let counted = |mistakes: u64| {
                let errors = Errors { examples: total.trials, errors: mistakes };
                format!("{mistakes} in {} trials, {}", total.trials, percent(&errors))
            };
            let summed = if is_rest { ", all binary problems together" } else { "" };
            pairs.push(("mistakes", format!("{}{summed}", counted(total.mistakes))));
            if is_rest {
                pairs.push(("wrong class", counted(model.counts.multiclass_mistakes)));
            }
            pairs.push(("updates", total.updates.to_string()));
        }
        pairs.extend(self.certificate.as_ref().map(|certificate| ("bound", certificate.worded(&Flags))));
        let left_out = self.certificate.as_ref().and_then(|certificate| certificate.leave_one_out);
        let expected = |share: f64| format!("expected error on a new row ≤ {:.2} %", 100.0 * share);
        pairs.extend(left_out.map(|share| ("left out", expected(share))));
        if model.learner.form() != "primal" {
            pairs.push(("form", model.learner.form().to_string()));
        }
        pairs.extend(model.learner.support().map(|support| ("support", format!("{support} vectors"))));
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
        pairs.extend(model.margin.map(|margin| ("margin", format!("{margin:.6} (geometric, on the training rows)"))));
        pairs.extend(output::calibration_in_words(model));
        let errors = |e: &Errors| format!("{} errors in {} rows, {}", e.errors, e.examples, percent(e));
        pairs.extend(train.as_ref().map(|train| ("train", errors(train))));
        pairs.extend(self.test.as_ref().map(|test| ("test", errors(test))));
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

fn percent(errors: &Errors) -> String {
    format!("{:.2} %", 100.0 * errors.rate())
}

fn errors_as_json(errors: Option<Errors>) -> Json {
    errors.map_or(Json::Null, |e| json!({"examples": e.examples, "errors": e.errors, "error_rate": e.rate()}))
}
