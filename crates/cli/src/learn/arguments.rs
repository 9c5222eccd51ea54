//! What can be typed after `onlinear learn`.

use std::path::{Path, PathBuf};

use clap::Args;

use onlinear::workshop::{Practice, Risk};
use onlinear::{ALGORITHMS, Error, Input, Metric, Model, Recipe, Spec, Start};

use crate::measures::metric;
use crate::output::PrintArguments;
use crate::progress::ProgressChoice;
use crate::rows::{CalibrationArguments, RowArguments};
use crate::values::{SPEC, share};

const LEARN_EXAMPLES: &str = "\
Examples:
  onlinear learn averaged                         a first look, a built-in set
  onlinear learn arow churn.csv --label churn --model churn.onlinear
  onlinear learn --resume churn.onlinear more.csv --model churn.onlinear
  onlinear learn averaged a9a.svm.gz --test a9a.t.svm.gz
  onlinear learn passive-aggressive:c=0.1 mail.vw --model mail.onlinear
  onlinear learn arow churn.csv --label churn --holdout 0.2 --calibrate
  onlinear learn p-norm:p=10 data.csv --label class --passes 5 --shuffle 1
  zcat log.gz | onlinear learn winnow - --hash 20 --model log.onlinear
  onlinear learn perceptron more.vw --start mail.onlinear

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command or a spec is wrong, 130 interrupted.";

fn learn_help() -> String {
    let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    format!(
        "Learners: {}\n`onlinear algorithms NAME` tells the parameters of one.\n\n{LEARN_EXAMPLES}",
        names.join(", ")
    )
}

#[derive(Args)]
#[command(after_help = learn_help())]
pub struct LearnArguments {
    /// The learner, for example averaged or passive-aggressive:c=0.1, maybe with stages of its own before it
    /// (nystrom:kernel=gaussian,sigma2=auto/arow); with --resume: left out
    #[arg(value_name = "SPEC", value_parser = SPEC, hide_possible_values = true)]
    pub spec: Option<String>,

    /// Files, read one after another as one, or - for standard input; without them a built-in artificial set
    #[arg(value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    pub data: Vec<String>,

    /// Go on with this model, on DATA
    #[arg(long, value_name = "MODEL")]
    pub resume: Option<PathBuf>,

    /// Begin with the weights of this model, which may be another learner's, and take rows as it does
    #[arg(long, value_name = "MODEL")]
    #[arg(conflicts_with_all = ["resume", "certificate", "comparator", "early_stop", "holdout"])]
    pub start: Option<PathBuf>,

    /// Pass over the data N times [once; over a table as with --early-stop]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub passes: Option<u64>,

    /// Pass over the data as often as is best for a fifth of the rows, held out to find that out, at most LIMIT times;
    /// then learn from all rows [20]
    #[arg(long, value_name = "LIMIT", num_args = 0..=1, default_missing_value = "20")]
    #[arg(conflicts_with_all = ["passes", "until_separated"], value_parser = clap::value_parser!(u64).range(1..))]
    pub early_stop: Option<u64>,

    /// What tells how many passes are best, with --early-stop and over tables [error]
    #[arg(long, value_name = "NAME", value_parser = metric())]
    pub metric: Option<&'static Metric>,

    /// Pass over the data until a pass has no mistake, at most LIMIT times [1000]
    #[arg(long, value_name = "LIMIT", num_args = 0..=1, default_missing_value = "1000", conflicts_with = "passes")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub until_separated: Option<u64>,

    /// Measure the finished model on this file
    #[arg(long, value_name = "FILE")]
    pub test: Option<String>,

    /// Hold this share of each class out of learning, and measure the finished model on it
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "test")]
    pub holdout: Option<f64>,

    /// The seed of what --holdout holds out
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "holdout")]
    pub seed: u64,

    /// Save the model here
    #[arg(long, value_name = "OUT")]
    pub model: Option<PathBuf>,

    /// Save it also after every N trials, and on Ctrl-C
    #[arg(long, value_name = "N", requires = "model", value_parser = clap::value_parser!(u64).range(1..))]
    pub save_every: Option<u64>,

    /// Shuffle the rows, anew for each pass
    #[arg(long, value_name = "SEED")]
    pub shuffle: Option<u64>,

    #[command(flatten)]
    pub calibration: CalibrationArguments,

    /// Keep the parsed rows in a file beside DATA, for this run and later ones
    #[arg(long)]
    pub cache: bool,

    /// Also count the finished model's errors on the training rows
    #[arg(long)]
    pub train_error: bool,

    /// Also report what the run proves: of new rows, of these rows in any order, of a fixed hypothesis
    #[arg(long)]
    pub certificate: bool,

    /// How sure the certificate is to be of new rows
    #[arg(long, value_name = "SHARE", default_value_t = Risk::CONFIDENCE, value_parser = share)]
    #[arg(requires = "certificate")]
    pub confidence: f64,

    /// Write the comparators behind the certificate to this file, as JSON
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub comparator: Option<PathBuf>,

    /// Write one JSON line per trial: t, label, score, mistake, updated
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// What to show on the way
    #[arg(long, value_enum, default_value_t = ProgressChoice::Auto)]
    pub progress: ProgressChoice,

    /// Write a report with curves to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub print: PrintArguments,

    #[command(flatten)]
    pub rows: RowArguments,
}

impl LearnArguments {
    /// What the run starts with, and the data unless they are the built-in set.
    pub fn start_and_input(&self) -> onlinear::Result<(Start, Option<Input>)> {
        let data = self.named_data();
        let input = (!data.is_empty()).then(|| Input::all(&data));
        match (&self.resume, &self.spec) {
            (Some(_), None) => Err(Error::usage("--resume needs DATA to go on with")),
            (Some(_), Some(spec)) if !Path::new(spec).exists() && spec.parse::<Spec>().is_ok() => {
                Err(Error::usage("--resume takes the learner from the model: name only DATA"))
            }
            (Some(path), Some(_)) => Ok((Start::Resume(self.resumed(path)?.into()), input)),
            (None, Some(file)) if self.data.is_empty() && Path::new(file).exists() && file.parse::<Spec>().is_err() => {
                Err(Error::usage(format!(
                    "{file} is a file: name a learner before it, for example: onlinear learn averaged {file} \
                     (`onlinear compare {file}` tells which is best, `onlinear algorithms` lists them)"
                )))
            }
            (None, Some(spec)) => match &self.start {
                Some(path) => Ok((Start::Resume(self.begun(spec, path)?.into()), input)),
                None => Ok((Start::Fresh(self.fresh(spec, Practice::default())?), input)),
            },
            (None, None) => Err(Error::usage(
                "name a learner, for example: onlinear learn averaged (`onlinear algorithms` lists them)",
            )),
        }
    }

    /// The files that are named: to go on with a model takes no learner, so that the first stands in its place.
    pub fn named_data(&self) -> Vec<String> {
        let first = self.spec.iter().filter(|_| self.resume.is_some());
        first.chain(&self.data).cloned().collect()
    }

    /// The learner with what suits its rows.
    pub fn fresh(&self, typed: &str, practice: Practice) -> onlinear::Result<Recipe> {
        let fresh = self.rows.fresh(typed, self.shuffle, practice)?;
        let metric = self.metric.unwrap_or(Metric::usual());
        Ok(Recipe { calibrate: self.calibration.calibrate, metric, ..fresh })
    }

    /// The learner, begun with the weights of the model to start from.
    fn begun(&self, spec: &str, path: &Path) -> onlinear::Result<Model> {
        self.refuse_remembered("--start", &[("--calibrate", self.calibration.calibrate.is_some())])?;
        let model = Model::load(path)?.begun_by(spec.parse()?)?;
        Ok(Model { shuffle: self.shuffle, ..model })
    }

    /// The model to go on with.
    fn resumed(&self, path: &Path) -> onlinear::Result<Model> {
        let own = [
            ("--shuffle", self.shuffle.is_some()),
            ("--calibrate", self.calibration.calibrate.is_some()),
            ("--early-stop", self.early_stop.is_some()),
        ];
        self.refuse_remembered("--resume", &own)?;
        Model::load(path)
    }

    /// What a model remembers cannot be asked for again.
    fn refuse_remembered(&self, of: &str, own: &[(&'static str, bool)]) -> onlinear::Result<()> {
        let rows = &self.rows;
        let columns = [
            ("--label", rows.columns.label.is_some()),
            ("--weight", rows.columns.weight.is_some()),
            ("--header", rows.columns.header.is_some()),
            ("--ignore", !rows.columns.ignore.is_empty()),
            ("--only", !rows.columns.only.is_empty()),
            ("--column", !rows.columns.column.is_empty()),
            ("--interact", !rows.columns.interact.is_empty()),
            ("--protocol", rows.protocol.is_some()),
        ];
        let further = own.iter().chain(&columns).find(|(_, given)| *given).map(|(option, _)| *option);
        match rows.learner.remembered().or(further) {
            Some(option) => Err(Error::usage(format!("{option} does not go with {of}: the model remembers it"))),
            None => Ok(()),
        }
    }
}
