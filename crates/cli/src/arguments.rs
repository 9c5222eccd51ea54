//! What can be typed.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use onlinear::data::{Format, Input, ReadOptions};
use onlinear::{ALGORITHMS, Spec};

use crate::compare::CompareArguments;
use crate::reproduce::ReproduceArguments;
use crate::rows::RowArguments;
use crate::tune::TuneArguments;

/// Every perceptron, exact and fast, in one place.
#[derive(Parser)]
#[command(name = "onlinear", version, long_version = LONG_VERSION, about, max_term_width = 110)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "\nformats: libsvm csv vw idx, plain gz zst; model file version 1");

#[derive(Subcommand)]
pub enum Command {
    /// Learn from DATA, counting mistakes on the way
    Learn(Box<LearnArguments>),
    /// Label the rows of DATA with a model
    Predict(PredictArguments),
    /// Run several learners on the same rows and tell which is best
    Compare(Box<CompareArguments>),
    /// Find the best settings of a learner by cross-validation
    Tune(Box<TuneArguments>),
    /// Run the experiments of the papers, our figures beside theirs
    Reproduce(ReproduceArguments),
    /// List the learners, or tell all about one
    Algorithms(AlgorithmsArguments),
    /// Show what a model file holds
    Inspect(InspectArguments),
    /// Write an artificial data set of the papers as LIBSVM text
    Generate(GenerateArguments),
    /// Write a completion script for a shell
    #[command(
        after_help = "Example:\n  onlinear completions bash > ~/.local/share/bash-completion/completions/onlinear"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

const LEARN_EXAMPLES: &str = "\
Examples:
  onlinear learn averaged                                  a first look, on a built-in set
  onlinear learn averaged a9a.svm.gz --test a9a.t.svm.gz   one pass, then the error on a test file
  onlinear learn passive-aggressive:c=0.1 mail.vw --model mail.onlinear
  onlinear learn p-norm:p=10 data.csv --label class --normalize lp --passes 5 --shuffle 1 --json
  onlinear learn --resume mail.onlinear more.vw --model mail.onlinear
  zcat log.gz | onlinear learn winnow - --hash 20 --save-every 100000 --model log.onlinear

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
    /// The learner, for example averaged or passive-aggressive:c=0.1 (with --resume: left out)
    #[arg(value_name = "SPEC", value_parser = SpecOrData, hide_possible_values = true)]
    pub spec: Option<String>,

    /// A file, or - for standard input; without it a built-in artificial set
    #[arg(value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    pub data: Option<String>,

    /// Go on with this model, on DATA
    #[arg(long, value_name = "MODEL")]
    pub resume: Option<PathBuf>,

    /// Pass over the data N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub passes: u64,

    /// Pass over the data until a pass has no mistake, at most LIMIT times [1000]
    #[arg(long, value_name = "LIMIT", num_args = 0..=1, default_missing_value = "1000", conflicts_with = "passes")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub until_separated: Option<u64>,

    /// Measure the finished model on this file
    #[arg(long, value_name = "FILE")]
    pub test: Option<String>,

    /// Save the model here
    #[arg(long, value_name = "OUT")]
    pub model: Option<PathBuf>,

    /// Save it also after every N trials, and on Ctrl-C
    #[arg(long, value_name = "N", requires = "model", value_parser = clap::value_parser!(u64).range(1..))]
    pub save_every: Option<u64>,

    /// Shuffle the rows, anew for each pass
    #[arg(long, value_name = "SEED")]
    pub shuffle: Option<u64>,

    /// Keep the parsed rows in a file beside DATA, for this run and later ones
    #[arg(long)]
    pub cache: bool,

    /// Also count the finished model's errors on the training rows
    #[arg(long)]
    pub train_error: bool,

    /// Also report the bound that a theorem puts on the mistakes of this run
    #[arg(long)]
    pub certificate: bool,

    /// Write one JSON line per trial: t, label, score, mistake, updated
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// What to show on the way
    #[arg(long, value_enum, default_value_t = ProgressChoice::Auto)]
    pub progress: ProgressChoice,

    /// Write a report with curves to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors (and what --json asks for)
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub rows: RowArguments,
}

/// What CSV columns mean; a model remembers it.
#[derive(Args)]
#[command(next_help_heading = "CSV")]
pub struct ColumnArguments {
    /// The column of the label: its name, or its number counting from 1
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,

    /// The column of the sample weight
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,

    /// Whether the first line names the columns
    #[arg(long, value_enum)]
    pub header: Option<YesNo>,
}

/// How DATA are read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArguments {
    /// The format, where it cannot be told from content and name
    #[arg(long, value_parser = ["libsvm", "svmlight", "csv", "vw", "idx"])]
    pub format: Option<String>,

    /// What an empty CSV cell means
    #[arg(long, value_enum, default_value_t = Missing::Refuse)]
    pub missing: Missing,

    /// Leave rows that are wrong out, tell of each and go on; their number is told at the end
    #[arg(long)]
    pub skip_bad_rows: bool,
}

impl ReadArguments {
    /// Adds what the user said to `options`.
    pub fn apply(&self, options: &mut ReadOptions) -> onlinear::Result<()> {
        options.format = self.format.as_deref().map(str::parse::<Format>).transpose()?;
        options.missing_zero = self.missing == Missing::Zero;
        options.skip_bad_rows = self.skip_bad_rows;
        Ok(())
    }
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  onlinear predict mail.onlinear new.vw > labels.txt
  onlinear predict mail.onlinear new.vw --scores | sort -k2 -g
  tail -f log.vw | onlinear predict mail.onlinear - --line-buffered --skip-bad-rows")]
pub struct PredictArguments {
    /// A model file
    pub model: PathBuf,

    /// A file, or - for standard input
    pub data: String,

    /// Add the score after a tab
    #[arg(long, conflicts_with = "json")]
    pub scores: bool,

    /// Print a JSON object per row
    #[arg(long)]
    pub json: bool,

    /// Pass every line on at once
    #[arg(long)]
    pub line_buffered: bool,

    /// Do not tell the error and the rows skipped on standard error, only how many these are
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub read: ReadArguments,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  onlinear algorithms\n  onlinear algorithms winnow\n  onlinear algorithms --json")]
pub struct AlgorithmsArguments {
    /// One learner
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

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

#[derive(Args)]
#[command(after_help = generate_help())]
pub struct GenerateArguments {
    /// The set: NAME or NAME:key=value,key=value
    #[arg(value_name = "NAME")]
    pub name: String,

    /// How many rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub rows: u64,

    /// The seed of its randomness
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

fn generate_help() -> String {
    let sets = onlinear::data::synthetic::SETS;
    let width = sets.iter().map(|set| set.name.len()).max().unwrap_or(0);
    let list: String = sets.iter().map(|set| format!("  {:width$}  {}\n", set.name, set.summary)).collect();
    format!(
        "Sets:\n{list}\nExamples:\n  onlinear generate ringnorm --rows 5000 --seed 7 > ringnorm.svm\n  \
         onlinear generate artificial:noise=0.1 | onlinear learn averaged -"
    )
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NormalizeChoice {
    None,
    L2,
    Lp,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScaleChoice {
    None,
    Minmax,
    Standard,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// A bar on a terminal, else nothing
    Auto,
    /// A bar
    Bar,
    /// A line whenever the number of trials has doubled
    Lines,
    /// Nothing
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// An error
    Refuse,
    /// The number 0
    Zero,
}

pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a finite number".to_string()),
    }
}

pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        _ => return Err("expected a number of bytes, such as 500M or 2G".to_string()),
    };
    let number: f64 = digits.parse().map_err(|_| "expected a number of bytes, such as 500M or 2G".to_string())?;
    if number > 0.0 && number.is_finite() {
        Ok((number * unit as f64) as u64)
    } else {
        Err("expected more than 0".to_string())
    }
}

/// What `--labels` names.
pub type Labels = Vec<String>;

pub fn labels(text: &str) -> Result<Labels, String> {
    let labels: Labels = text.split(',').map(String::from).collect();
    if labels.len() > 1 && labels.iter().all(|label| !label.is_empty()) {
        Ok(labels)
    } else {
        Err("expected two labels or more with commas between them".to_string())
    }
}

/// Takes any text (with --resume it is the data) and offers the learners' names to completions.
#[derive(Clone)]
pub struct SpecOrData;

impl TypedValueParser for SpecOrData {
    type Value = String;

    fn parse_ref(&self, _: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(ALGORITHMS.iter().map(|algorithm| PossibleValue::new(algorithm.name).help(algorithm.summary))))
    }
}

impl LearnArguments {
    /// The learner and the data, which is the built-in set unless named.
    pub fn spec_and_input(&self) -> onlinear::Result<(Option<Spec>, Option<Input>)> {
        let named = |data: &Option<String>| data.as_deref().map(Input::named);
        match (&self.resume, &self.spec) {
            (Some(_), None) => Err(onlinear::Error::Usage("--resume needs DATA to go on with".to_string())),
            (Some(_), data) if self.data.is_none() => Ok((None, named(data))),
            (Some(_), _) => {
                Err(onlinear::Error::Usage("--resume takes the learner from the model: name only DATA".to_string()))
            }
            (None, Some(spec)) => Ok((Some(spec.parse()?), named(&self.data))),
            (None, None) => Err(onlinear::Error::Usage(
                "name a learner, for example: onlinear learn averaged (`onlinear algorithms` lists them)".to_string(),
            )),
        }
    }
}

/// `--bias` and `--until-separated` may go without a value; what follows them is theirs only if it
/// is a number.
pub fn settle_optional_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.peekable();
    let mut settled = Vec::new();
    while let Some(argument) = arguments.next() {
        let default = match argument.to_str() {
            Some("--bias") => Some("=1"),
            Some("--until-separated") => Some("=1000"),
            _ => None,
        };
        let number_follows =
            arguments.peek().and_then(|next| next.to_str()).is_some_and(|next| next.parse::<f64>().is_ok());
        settled.push(argument);
        if let (Some(default), false, Some(last)) = (default, number_follows, settled.last_mut()) {
            last.push(default);
        }
    }
    settled
}
