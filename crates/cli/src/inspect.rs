//! `onlinear inspect`.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use onlinear::workshop::Slot;
use onlinear::{Leaves, Model, StageSpec};

use crate::columns::ColumnReport;
use crate::output::{self, significant};

/// How many of the largest weights are shown.
const SHOWN: usize = 10;

#[derive(Args)]
#[command(after_help = "\
Examples:
  onlinear inspect mail.onlinear
  onlinear inspect mail.onlinear --weights | sort -k2 -g | tail")]
pub struct InspectArguments {
    /// A model file
    pub model: PathBuf,

    /// Print all weights, a name and a number per line
    #[arg(long)]
    pub weights: bool,

    /// Print JSON
    #[arg(long, conflicts_with = "weights")]
    pub json: bool,
}

pub fn run(arguments: &InspectArguments) -> anyhow::Result<()> {
    let model = Model::load(&arguments.model)?;
    if arguments.weights {
        return weights(arguments, &model);
    }
    let reports: Vec<LearnerReport> = model.learner.leaves().map(|leaves| LearnerReport::of(&model, &leaves)).collect();
    if arguments.json { output::json(&as_json(&model, &reports)) } else { output::text(&as_text(&model, &reports)) }
}

/// All weights as text; those of more than two classes with the class in front.
fn weights(arguments: &InspectArguments, model: &Model) -> anyhow::Result<()> {
    let mut out = output::buffered()?;
    for (class, leaves) in model.learner.leaves().enumerate() {
        let Some(weights) = model.named_weights(&leaves) else {
            let (file, name) = (arguments.model.display(), model.spec.algorithm().name);
            anyhow::bail!("{file}: a {name} model has no weight vector");
        };
        let class = output::escaped(model.classes.name(class));
        let class = if model.learner.is_alone() { String::new() } else { format!("{class}\t") };
        for (name, weight) in weights {
            writeln!(out, "{class}{}\t{weight}", output::escaped(&name))?;
        }
    }
    Ok(out.flush()?)
}

/// What there is to say of one learner.
struct LearnerReport {
    support: Option<usize>,
    /// How many are not 0, and their norm.
    weights: Option<(usize, f64)>,
    largest: Vec<(String, f64)>,
}

impl LearnerReport {
    fn of(model: &Model, leaves: &Leaves<'_>) -> LearnerReport {
        let mut largest = model.named_weights(leaves).unwrap_or_default();
        largest.retain(|(_, weight)| *weight != 0.0);
        let weights = leaves.weights().map(|w| (largest.len(), onlinear::Row::Dense(&w).norm(2.0)));
        largest.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        largest.truncate(SHOWN);
        LearnerReport { support: leaves.support_len(), weights, largest }
    }

    /// Of one class among more than two, on a line.
    fn in_short(&self) -> String {
        let weights = self.weights.map(|(count, norm)| format!("{count} weights not zero, norm {}", significant(norm)));
        let support = self.support.map(|support| format!("{support} vectors"));
        let shown: Vec<String> = self
            .largest
            .iter()
            .take(SHOWN / 2)
            .map(|(name, weight)| format!("{} {}", output::escaped(name), significant(*weight)))
            .collect();
        let largest = (!shown.is_empty()).then(|| format!("largest {}", shown.join(", ")));
        [weights, support, largest].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn as_json(&self) -> Json {
        let largest = self.largest.iter().map(|(name, weight)| json!({"feature": name, "weight": weight}));
        let (count, norm) = self.weights.unzip();
        json!({"norm": norm, "non_zero_weights": count, "largest": largest.collect::<Vec<_>>()})
    }
}

/// The columns of the table that it learned from.
fn columns(model: &Model) -> Option<ColumnReport<'_>> {
    model.csv.as_ref().map(|schema| ColumnReport { schema, tallies: &[], vocabulary: &model.vocabulary })
}

fn as_text(model: &Model, reports: &[LearnerReport]) -> String {
    let total = model.counts.total();
    let stages: Vec<String> = model.stages.specs().map(StageSpec::to_string).collect();
    let classes = match model.classes.names() {
        [negative, positive] if model.learner.is_alone() => {
            format!("{} (-1), {} (+1)", output::escaped(negative), output::escaped(positive))
        }
        names if model.learner.is_direct() => format!("direct multiclass, {} classes", names.len()),
        names => format!("one-versus-rest, {} classes", names.len()),
    };
    let mut pairs =
        vec![("learner", model.spec.brief()), ("classes", classes), ("features", model.features.to_string())];
    pairs.extend(columns(model).map(|columns| ("columns", columns.as_text())));
    pairs.extend([
        ("stages", if stages.is_empty() { "none".to_string() } else { stages.join(", ") }),
        ("passes", model.counts.passes.len().to_string()),
        ("trials", total.trials.to_string()),
        ("mistakes", total.mistakes.to_string()),
        ("updates", total.updates.to_string()),
    ]);
    if model.learner.form() != "primal" {
        pairs.push(("form", model.learner.form().to_string()));
    }
    pairs.extend(model.learner.support().map(|support| ("support", format!("{support} vectors"))));
    pairs.extend(model.stages.landmarks().map(|count| ("landmarks", count.to_string())));
    pairs.extend(output::calibration_in_words(model));
    let rows_kept = model.learner.facts().rows_kept;
    if rows_kept > 0 {
        pairs.push(("rows kept", rows_kept.to_string()));
    }
    match reports {
        [report] => pairs.extend(only_learner(model, report)),
        reports => {
            let names: Vec<_> = model.classes.names().iter().map(|name| output::escaped(name)).collect();
            let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
            let line = |(name, report): (&Cow<str>, &LearnerReport)| format!("{name:width$}  {}", report.in_short());
            pairs.push(("by class", names.iter().zip(reports).map(line).collect::<Vec<_>>().join("\n")));
        }
    }
    output::pairs(&pairs)
}

/// What there is to say where one learner tells two classes apart.
fn only_learner(model: &Model, report: &LearnerReport) -> Vec<(&'static str, String)> {
    let weights =
        report.weights.map(|(count, norm)| ("weights", format!("{count} not zero, norm {}", significant(norm))));
    let geometric = |margin| format!("{} (geometric, on the training rows)", significant(margin));
    let margin = model.margin.map(|margin| ("margin", geometric(margin)));
    let line = |(name, weight): &(String, f64)| format!("{:>12}  {}", significant(*weight), output::escaped(name));
    let positive = output::escaped(model.classes.name(1usize));
    let speaks = (!report.largest.is_empty()).then(|| format!("those above 0 speak for '{positive}'"));
    let lines: Vec<String> = speaks.into_iter().chain(report.largest.iter().map(line)).collect();
    let largest = (!lines.is_empty()).then(|| ("largest", lines.join("\n")));
    [weights, margin, largest].into_iter().flatten().collect()
}

fn as_json(model: &Model, reports: &[LearnerReport]) -> Json {
    let total = model.counts.total();
    let mut json = json!({
        "spec": model.spec.to_string(),
        "labels": model.classes.names(),
        "features": model.features,
        "columns": columns(model).map(|columns| columns.as_json()),
        "stages": model.stages.specs().map(StageSpec::to_string).collect::<Vec<_>>(),
        "scale": model.stages.in_slot(Slot::Scale).map(|stage| stage.kind().name),
        "normalize": model.stages.in_slot(Slot::Normalize).map(|stage| stage.kind().name),
        "map": model.stages.in_slot(Slot::Map).map(StageSpec::to_string),
        "bias": model.stages.in_slot(Slot::Bias).map(|stage| stage.settings().number("value")),
        "passes": model.counts.passes.len(),
        "trials": total.trials,
        "mistakes": total.mistakes,
        "updates": total.updates,
        "form": model.learner.form(),
        "support": model.learner.support(),
        "landmarks": model.stages.landmarks(),
        "rows_kept": model.learner.facts().rows_kept,
        "margin": model.margin,
        "calibration": output::calibration(model),
    });
    match reports {
        [report] => merge(&mut json, report.as_json()),
        reports => {
            let per_class = reports.iter().zip(model.classes.names()).map(|(report, label)| {
                let mut class = json!({"label": label, "support": report.support});
                merge(&mut class, report.as_json());
                class
            });
            json["multiclass_mistakes"] = json!(model.counts.multiclass_mistakes);
            json["per_class"] = per_class.collect();
        }
    }
    json
}

fn merge(json: &mut Json, more: Json) {
    if let (Json::Object(json), Json::Object(more)) = (json, more) {
        json.extend(more);
    }
}
