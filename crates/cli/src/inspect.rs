//! `onlinear inspect`.

use std::io::Write;

use serde_json::{Value as Json, json};

use onlinear::{Label, Model};

use crate::arguments::InspectArguments;
use crate::output;

/// How many of the largest weights are shown.
const SHOWN: usize = 10;

pub fn run(arguments: &InspectArguments) -> anyhow::Result<()> {
    let model = Model::load(&arguments.model)?;
    let weights = named_weights(&model);
    if arguments.weights {
        let Some(weights) = weights else {
            anyhow::bail!("{}: a {} model has no weight vector", arguments.model.display(), model.spec.algorithm().name);
        };
        let mut out = output::buffered();
        for (name, weight) in weights {
            writeln!(out, "{name}\t{weight}")?;
        }
        return Ok(out.flush()?);
    }
    let report = Report::of(&model, weights);
    if arguments.json { output::json(&report.as_json(&model)) } else { output::text(&report.as_text(&model)) }
}

/// The weights with the names of their features; the bias is called (bias).
fn named_weights(model: &Model) -> Option<Vec<(String, f64)>> {
    let weights = model.learner.weights()?;
    let names = model.vocabulary.names();
    let shift = usize::from(model.stages.bias.is_some());
    let name = |i: usize| match i.checked_sub(shift) {
        None => "(bias)".to_string(),
        Some(place) => model.vocabulary.describe(place, names.as_deref()),
    };
    Some(weights.into_iter().enumerate().map(|(i, weight)| (name(i), weight)).collect())
}

struct Report {
    norm: Option<f64>,
    non_zeros: Option<usize>,
    largest: Vec<(String, f64)>,
}

impl Report {
    fn of(model: &Model, weights: Option<Vec<(String, f64)>>) -> Report {
        let norm = model.learner.weights().map(|w| onlinear::Row::Dense(&w).norm(2.0));
        let mut largest: Vec<(String, f64)> = weights.unwrap_or_default().into_iter().filter(|(_, w)| *w != 0.0).collect();
        let non_zeros = norm.map(|_| largest.len());
        largest.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        largest.truncate(SHOWN);
        Report { norm, non_zeros, largest }
    }

    fn as_text(&self, model: &Model) -> String {
        let total = model.counts.total();
        let [negative, positive] = [Label::Negative, Label::Positive].map(|label| model.classes.name(label));
        let mut pairs = vec![
            ("learner", model.spec.to_string()),
            ("classes", format!("{negative} (-1), {positive} (+1)")),
            ("features", model.features.to_string()),
            ("stages", stages(model)),
            ("passes", model.counts.passes.len().to_string()),
            ("trials", total.trials.to_string()),
            ("mistakes", total.mistakes.to_string()),
            ("updates", total.updates.to_string()),
        ];
        if model.learner.form() != "primal" {
            pairs.push(("form", model.learner.form().to_string()));
        }
        pairs.extend(model.learner.support().map(|support| ("support", format!("{support} vectors"))));
        if model.learner.rows_kept() > 0 {
            pairs.push(("rows kept", model.learner.rows_kept().to_string()));
        }
        if let (Some(norm), Some(non_zeros)) = (self.norm, self.non_zeros) {
            pairs.push(("weights", format!("{non_zeros} not zero, norm {norm:.6}")));
        }
        if let Some(margin) = model.margin {
            pairs.push(("margin", format!("{margin:.6} (geometric, on the training rows)")));
        }
        if !self.largest.is_empty() {
            let lines: Vec<String> = self.largest.iter().map(|(name, weight)| format!("{weight:>12.6}  {name}")).collect();
            pairs.push(("largest", lines.join("\n")));
        }
        output::pairs(&pairs)
    }

    fn as_json(&self, model: &Model) -> Json {
        let total = model.counts.total();
        json!({
            "spec": model.spec.to_string(),
            "labels": [model.classes.name(Label::Negative), model.classes.name(Label::Positive)],
            "features": model.features,
            "scale": model.stages.scale.as_ref().map(|scale| scale.kind().name()),
            "normalize": model.stages.normalize,
            "bias": model.stages.bias,
            "passes": model.counts.passes.len(),
            "trials": total.trials,
            "mistakes": total.mistakes,
            "updates": total.updates,
            "form": model.learner.form(),
            "support": model.learner.support(),
            "rows_kept": model.learner.rows_kept(),
            "norm": self.norm,
            "non_zero_weights": self.non_zeros,
            "margin": model.margin,
            "largest": self.largest.iter().map(|(name, weight)| json!({"feature": name, "weight": weight})).collect::<Vec<_>>(),
        })
    }
}

fn stages(model: &Model) -> String {
    let mut stages = Vec::new();
    stages.extend(model.stages.scale.as_ref().map(|scale| format!("scale {}", scale.kind().name())));
    stages.extend(model.stages.normalize.map(|p| format!("normalize to unit {p}-norm")));
    stages.extend(model.stages.bias.map(|value| format!("bias {value}")));
    if stages.is_empty() { "none".to_string() } else { stages.join(", ") }
}
