//! What can be typed.

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};
use onlinear::{Format, Model};

use crate::algorithms::AlgorithmsArguments;
use crate::bounds::BoundsArguments;
use crate::compare::CompareArguments;
use crate::export::ExportArguments;
use crate::generate::GenerateArguments;
use crate::inspect::InspectArguments;
use crate::learn::LearnArguments;
use crate::merge::MergeArguments;
use crate::predict::PredictArguments;
use crate::reproduce::ReproduceArguments;
#[cfg(feature = "serve")]
use crate::serve::ServeArguments;
use crate::tune::TuneArguments;

/// Every perceptron, exact and fast, in one place.
#[derive(Parser)]
#[command(
    name = "onlinear",
    version,
    long_version = LONG_VERSION.as_str(),
    about = "Every perceptron, exact and fast, in one place",
    max_term_width = 110
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    let (formats, version) = (formats.join(" "), Model::FILE_VERSION);
    format!("{}\nformats: {formats}, plain gz zst; model file version {version}", env!("CARGO_PKG_VERSION"))
});

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
    /// Tell, before any run, the most mistakes that can be made on DATA
    Bounds(Box<BoundsArguments>),
    /// Answer, and learn, over HTTP
    #[cfg(feature = "serve")]
    Serve(Box<ServeArguments>),
    /// Run the experiments of the papers, our figures beside theirs
    Reproduce(ReproduceArguments),
    /// List the learners, or tell all about one
    Algorithms(AlgorithmsArguments),
    /// Make one model of those that learned from parts of the data
    Merge(MergeArguments),
    /// Write a model as what others run: ONNX, SQL, C or JSON
    Export(ExportArguments),
    /// Show what a model file holds
    Inspect(InspectArguments),
    /// Write an artificial data set of the papers as LIBSVM text
    Generate(GenerateArguments),
    /// Write a completion script for a shell
    #[command(after_help = "Example:\n  onlinear completions bash > onlinear.bash && source onlinear.bash")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages
    #[command(hide = true, after_help = "Example:\n  onlinear man ~/.local/share/man/man1")]
    Man {
        /// The folder to write them to
        #[arg(value_name = "DIR")]
        folder: std::path::PathBuf,
    },
}

/// `--bias`, `--calibrate`, `--until-separated` and `--early-stop` may go without a value; what follows them is theirs
/// only if it is a number, or none.
pub fn settle_optional_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.peekable();
    let mut settled = Vec::new();
    while let Some(argument) = arguments.next() {
        let default = match argument.to_str() {
            Some("--bias") => Some("=1"),
            Some("--calibrate") => Some("=10000"),
            Some("--until-separated") => Some("=1000"),
            Some("--early-stop") => Some("=20"),
            _ => None,
        };
        let number_follows = arguments
            .peek()
            .and_then(|next| next.to_str())
            .is_some_and(|next| next == "none" || next.parse::<f64>().is_ok());
        settled.push(argument);
        if let (Some(default), false, Some(last)) = (default, number_follows, settled.last_mut()) {
            last.push(default);
        }
    }
    settled
}
