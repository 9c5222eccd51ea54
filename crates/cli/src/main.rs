//! The `onlinear` program.

mod algorithms;
mod arguments;
mod boundary;
mod bounds;
mod columns;
mod compare;
mod curves;
mod export;
mod figures;
mod generate;
mod help;
mod inspect;
mod interrupt;
mod learn;
mod machine;
mod manual;
mod measures;
mod merge;
mod output;
mod places;
mod predict;
mod progress;
mod reproduce;
mod rows;
#[cfg(feature = "serve")]
mod serve;
mod start;
mod tune;
mod typed;
mod values;
mod wording;

use std::process::ExitCode;

use clap::FromArgMatches;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let words = arguments::settle_optional_values(std::env::args_os());
    let is_brief = words.iter().any(|word| word == "-h");
    let typed = help::command(is_brief).try_get_matches_from(&words);
    let typed = typed.unwrap_or_else(|error| help::hinted(error, &words).exit());
    typed::remember(&typed);
    let arguments = Arguments::from_arg_matches(&typed).unwrap_or_else(|error| error.exit());
    machine::widen_pipe();
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Learn(arguments) => learn::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Bounds(arguments) => bounds::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Algorithms(arguments) => algorithms::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { folder } => manual::write(&folder),
    }
}

/// Says what went wrong and which exit code that is.
fn report(error: &anyhow::Error) -> ExitCode {
    // Whoever reads our output has had enough of it: that is no failure.
    if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let code = match error.downcast_ref::<onlinear::Error>() {
        Some(onlinear::Error::Interrupted) => 130,
        Some(error) if error.is_usage() => 2,
        _ => 1,
    };
    // What is wrong with data starts with its place, so that editors and scripts find it.
    let mark = if code == 2 { "error: " } else { "" };
    output::say(format_args!("{mark}{}", wording::line(error)));
    ExitCode::from(code)
}
