//! `onlinear merge`.

use std::path::{Path, PathBuf};

use clap::Args;
use onlinear::workshop::counted;
use onlinear::{Mean, Model};

use crate::output;
use crate::places::{MODEL, Places};

#[derive(Args)]
#[command(after_help = "\
The merged model has met the trials of all parts, each once, and goes on learning as what it was: vectors are mixed in \
proportion to trials, sums and counts added up, support vectors united. With --mean moved, which suits \
rare features, a weight is the mean of the models that moved it from where --base has it. What cannot be merged \
(voted, romma, forgetron, …) is refused, and says why.

Examples:
  onlinear learn averaged mail.1.svm --model 1.onlinear
  onlinear learn averaged mail.2.svm --model 2.onlinear
  onlinear merge 1.onlinear 2.onlinear --model mail.onlinear

  # A second round: each part goes on from what both have learned
  onlinear learn --resume mail.onlinear mail.1.svm --model 1.onlinear
  onlinear learn --resume mail.onlinear mail.2.svm --model 2.onlinear
  onlinear merge 1.onlinear 2.onlinear --base mail.onlinear --model more")]
pub struct MergeArguments {
    /// Model files: one for each part of the data
    #[arg(required = true, value_name = "MODEL")]
    pub parts: Vec<PathBuf>,

    /// The model that all parts went on from, if they did not start afresh
    #[arg(long, value_name = "BASE")]
    pub base: Option<PathBuf>,

    /// Of which models a weight is the mean: all, or those that moved it from where it is in the base
    #[arg(long, value_name = "all|moved", default_value = "all", hide_default_value = true)]
    pub mean: Mean,

    /// Where to save the merged model
    #[arg(long, value_name = "OUT")]
    pub model: PathBuf,
}

pub fn run(arguments: &MergeArguments) -> anyhow::Result<()> {
    let MergeArguments { parts, base, mean, model } = arguments;
    let mut places = Places::default();
    parts.iter().for_each(|part| places.reads_file("a model to merge", &Some(part.clone())));
    places.reads_file("--base", base);
    places.writes("--model", &Some(model.clone()), MODEL)?;
    places.require_writable()?;
    let load = |path: &PathBuf| Model::load(path);
    let base = base.as_ref().map(load).transpose()?;
    let models = parts.iter().map(load).collect::<onlinear::Result<Vec<Model>>>()?;
    let mut merged = Model::merge_by(*mean, models, None, base)?;
    merged.save(model)?;
    output::text(&report(&merged, parts.len(), model))
}

/// What was merged, in a line.
fn report(merged: &Model, parts: usize, model: &Path) -> String {
    let name = merged.spec.algorithm().name;
    let models = counted(parts, "model", "models");
    let (trials, rows) = (merged.counts.total().trials, merged.counts.rows);
    let met = if merged.spec.is_batch() { counted(rows, "row", "rows") } else { counted(trials, "trial", "trials") };
    format!("{name}: {models} of {met} in all merged into {}\n", model.display())
}
