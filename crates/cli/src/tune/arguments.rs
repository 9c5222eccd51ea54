//! What can be typed after `onlinear tune`.

use std::path::PathBuf;

use clap::Args;
use onlinear::Metric;

use crate::measures::metric;
use crate::output::PrintArguments;
use crate::rows::RowArguments;
use crate::values::SPEC;

const EXAMPLES: &str = "\
Grids: key=0.1,1,10 (these values), key=1e-3..1e3*10 (from 0.001 to 1000, each 10 times the one before) or key=1..9+2 \
(from 1 to 9 in steps of 2). Several --grid are combined with each other. A key of SPEC itself gives way to its grid. \
Where settings have the same error the first wins, so list values from simple to complex. Every setting meets the same \
folds. --model learns from all rows with the winner, in the order of `learn SPEC DATA --shuffle SEED` (batch learners: \
in the order of the file).

Examples:
  onlinear tune arow churn.csv --label churn       values that are worth trying
  onlinear tune svm heart.svm --grid cost=1e-3..1e3*10 --html cost.html
  onlinear tune passive-aggressive a9a.svm --grid c=0.01,0.1,1 --passes 3
  onlinear tune passive-aggressive a9a.svm --grid c=0.1,1 --grid variant=pa1,pa2
  onlinear tune perceptron:kernel=gaussian heart.svm --scale standard \\
    --grid sigma2=1..64*2 --folds loo --model heart.onlinear
  onlinear tune adaboost heart.svm --grid rounds=10,50 --grid base.epochs=10,100

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command or a spec is wrong, 130 interrupted.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TuneArguments {
    /// The learner, with the settings that stay as they are
    #[arg(value_name = "SPEC", value_parser = SPEC, hide_possible_values = true)]
    pub spec: String,

    /// Files, read one after another as one, or - for standard input; without them a built-in artificial set
    #[arg(value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    pub data: Vec<String>,

    /// Values to try for a setting, such as cost=0.1,1,10 or cost=1e-3..1e3*10; give it again for another setting
    /// [what is worth trying of the learner]
    #[arg(long, value_name = "KEY=VALUES")]
    pub grid: Vec<String>,

    /// Cut the rows into so many parts, each of which is tested on once; loo: one row each
    #[arg(long, value_name = "N|loo", default_value = "5", value_parser = folds)]
    pub folds: Folds,

    /// The seed of the folds
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,

    /// Rank the settings by this figure of the rows tested on
    #[arg(long, value_name = "NAME", default_value = "error", value_parser = metric())]
    pub metric: &'static Metric,

    /// Pass over the training rows N times [as often as is best for rows held out of the training rows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub passes: Option<u64>,

    /// Learn from all rows with the winner and save the model here
    #[arg(long, value_name = "OUT")]
    pub model: Option<PathBuf>,

    /// Write a report with table and figure to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub print: PrintArguments,

    #[command(flatten)]
    pub rows: RowArguments,
}

/// How the rows are cut up.
#[derive(Clone, Copy)]
pub enum Folds {
    /// Into so many parts.
    Of(usize),
    /// Into single rows.
    Single,
}

fn folds(text: &str) -> Result<Folds, String> {
    match (text, text.parse()) {
        ("loo", _) => Ok(Folds::Single),
        (_, Ok(folds @ 2..)) => Ok(Folds::Of(folds)),
        _ => Err("expected a whole number >= 2, or loo".to_string()),
    }
}
