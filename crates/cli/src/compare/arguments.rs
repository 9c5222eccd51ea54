//! What can be typed after `onlinear compare`.

use std::path::PathBuf;

use clap::Args;
use onlinear::workshop::Risk;
use onlinear::{Input, Metric};

use super::verdict::FEWEST_REPEATS;
use crate::measures::metric;
use crate::output::{self, PrintArguments};
use crate::places::Places;
use crate::rows::RowArguments;
use crate::values::{SPEC, share};

const EXAMPLES: &str = "\
Every learner meets the same rows in the same order: each repeat shuffles the rows, holds some of each class out for \
testing, and shows the others to all learners. --passes is for those that learn row by row; batch learners, which see \
all rows at once, scale them (range) and add a constant feature unless told otherwise.

Where to start: arow, which has nearly nothing to tune; passive-aggressive:output=averaged where labels are noisy; and \
nystrom:landmarks=500,kernel=gaussian,sigma2=auto/arow:regularization=0.1 where no plane parts the rows, as with digits.

Examples:
  onlinear compare                     one learner of each family, built-in set
  onlinear compare churn.csv --label churn --html churn.html
  onlinear compare heart.svm -l averaged -l svm -l rcd-bias
  onlinear compare churn.csv --label churn --metric auc --class-weight balanced
  onlinear compare a9a.svm -l arow -l perceptron --test a9a.t.svm --passes 3
  onlinear compare usps.svm -l projectron:kernel=gaussian,sigma2=50 \\
    -l forgetron:kernel=gaussian,sigma2=50,budget=200 --svg figures
  onlinear compare data.csv --label class -l winnow -l p-norm:p=10 --json

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command or a spec is wrong, 130 interrupted.";

/// Shuffles of the rows where nothing is said, and beyond how many rows as few as still tell learners apart.
const REPEATS: u64 = 10;
const MANY_ROWS: usize = 50_000;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArguments {
    /// Files, read one after another as one, or - for standard input; without them a built-in artificial set
    #[arg(value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    pub data: Vec<String>,

    /// A learner to compare, for example averaged or passive-aggressive:c=0.1, maybe with stages of its own before it
    /// (nystrom:kernel=gaussian,sigma2=auto/arow); give it again for each [one of each family]
    #[arg(short, long = "learner", value_name = "SPEC", value_parser = SPEC, hide_possible_values = true)]
    pub learner: Vec<String>,

    /// Run every learner on N shuffles of the rows [10, or 6 of more than 50000 rows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub repeats: Option<u64>,

    /// The seed of the shuffles
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,

    /// Test on this file; without it on rows held out
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    pub test: Option<String>,

    /// The share of each class that is held out for testing
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    pub holdout: f64,

    /// Rank the learners by this figure of the test rows
    #[arg(long, value_name = "NAME", default_value = "error", value_parser = metric())]
    pub metric: &'static Metric,

    /// Pass over the training rows N times [as often as is best for rows held out of the training rows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub passes: Option<u64>,

    /// Also report the mistakes of each run and the bound that a theorem puts on them before it
    #[arg(long)]
    pub certificate: bool,

    /// How sure the bound on the error on new rows is to be, which learners of one pass have
    #[arg(long, value_name = "SHARE", default_value_t = Risk::CONFIDENCE, value_parser = share)]
    pub confidence: f64,

    /// Write a report with table and figures to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the figures to this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,

    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    #[command(flatten)]
    pub print: PrintArguments,

    #[command(flatten)]
    pub rows: RowArguments,
}

impl CompareArguments {
    /// How many shuffles of so many rows every learner is run on.
    pub fn repeats(&self, rows: usize) -> u64 {
        self.repeats.unwrap_or(if rows > MANY_ROWS { FEWEST_REPEATS as u64 } else { REPEATS })
    }

    /// Whether any figure was asked for.
    pub fn wants_figures(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }

    /// Finds out before the work whether its results could be written.
    pub fn require_writable(&self, input: &Input) -> onlinear::Result<()> {
        let mut places = Places::default();
        places.reads("DATA", input);
        self.test.iter().for_each(|test| places.reads("--test", &Input::named(test)));
        places.writes("--html", &self.html, "an HTML file")?;
        places.writes("--csv", &self.csv, "a CSV file")?;
        places.fills("--svg", &self.svg, "svg")?;
        places.require_writable()?;
        output::require_folder(&self.svg, "figures")
    }
}
