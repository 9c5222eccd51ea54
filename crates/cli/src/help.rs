//! Help in two lengths: `-h` is a screen of 24 lines with the options that people ask for first, `--help` has all. Both
//! begin with examples.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::arguments::Arguments;

/// How a command's help is laid out.
const LAYOUT: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
/// How that of the program is.
const FRONT: &str = "{about-with-newline}\n{before-help}Commands:\n{subcommands}{after-help}";
const FRONT_EXAMPLES: &str = "  \
onlinear compare churn.csv --label churn          which learner suits it
  onlinear learn arow churn.csv --label churn --model churn.onlinear
  onlinear predict churn.onlinear new.csv";
const FRONT_END: &str = "`onlinear COMMAND -h` shows a command's usual options, `--help` all of them.";

/// How many examples `-h` has.
const FEW: usize = 3;

/// Of each command that has many options what `-h` shows.
const SHOWN: &[(&str, &[&str])] = &[
    ("learn", &["spec", "data", "passes", "test", "holdout", "model", "html", "label"]),
    ("predict", &["model", "data", "scores", "probabilities", "output", "keep", "threshold", "json"]),
    ("compare", &["data", "learner", "test", "metric", "passes", "html", "label"]),
    ("tune", &["spec", "data", "grid", "folds", "model", "html", "label"]),
    ("bounds", &["data", "json", "scale", "normalize", "bias", "label"]),
    ("serve", &["begin", "listen", "learn", "store", "labels", "bias", "token_file"]),
    ("reproduce", &["names", "data", "full", "only", "resume", "html", "json"]),
];

/// What `-h` says of options of which `--help` says more, of any command or of the one that is named.
const SHORT: &[(&str, &str)] = &[
    ("spec", "The learner, such as averaged or passive-aggressive:c=0.1"),
    ("data", "Files, or - for standard input"),
    ("reproduce data", "The folder with the data sets"),
    ("reproduce resume", "Keep what is finished here, and go on from it"),
    ("passes", "Pass over the data N times"),
    ("holdout", "Hold this share of each class out, to test on"),
    ("label", "The column of the label, by name or number"),
    ("learner", "A learner to compare; give it again for each"),
    ("metric", "Rank by this figure of the test rows [error]"),
    ("grid", "Values to try: cost=0.1,1,10 or cost=1e-3..1e3*10"),
    ("folds", "Cut the rows into so many parts [5]"),
    ("probabilities", "Add probabilities; for models learned with --calibrate"),
    ("output", "Write a table to this .csv, .tsv or .jsonl file"),
    ("keep", "Columns of DATA that this table has in front"),
    ("threshold", "Say the positive class from this score on [0]"),
    ("scale", "Bring features to one scale"),
    ("normalize", "Divide each row by its length"),
    ("begin", "A model file, or a learner such as arow"),
    ("listen", "The address [127.0.0.1:8571]"),
    ("labels", "All labels there are"),
    ("token_file", "A file with the token that requests must bear"),
    ("names", "Experiments, papers, or all; none: the list"),
];

/// The program's arguments, with help as described above: the short one where `is_brief`.
pub fn command(is_brief: bool) -> Command {
    let front = Arguments::command().help_template(FRONT).before_help(FRONT_EXAMPLES).after_help(FRONT_END);
    front.mut_subcommands(|command| arranged(command, is_brief))
}

/// A command with its examples, which stand below its options in the declaration, above them.
fn arranged(command: Command, is_brief: bool) -> Command {
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, rest) = parts(&below);
    let shown = SHOWN.iter().find(|(name, _)| *name == command.get_name()).map(|(_, shown)| *shown);
    let name = command.get_name().to_string();
    let command = command.help_template(LAYOUT);
    if !is_brief {
        return command.before_help(examples).after_help(rest);
    }
    let few: Vec<&str> = examples.lines().take(1 + FEW).collect();
    command.before_help(few.join("\n")).after_help("").mut_args(|argument| {
        let id = argument.get_id().to_string();
        let own = format!("{name} {id}");
        let find = |key: &str| SHORT.iter().find(|(known, _)| *known == key && shown.is_some());
        let words = find(&own).or_else(|| find(&id)).map(|(_, words)| *words);
        let is_hidden = shown.is_some_and(|shown| !shown.contains(&id.as_str()));
        let argument = match argument.get_action().takes_values() {
            true => argument.hide_possible_values(true).hide_default_value(true),
            false => argument,
        };
        let argument = argument.hide_short_help(is_hidden);
        match words {
            Some(words) => argument.help(words),
            None => argument,
        }
    })
}

/// The examples of what stands below the options, and the rest.
fn parts(below: &str) -> (String, String) {
    let is_examples = |part: &&str| part.starts_with("Example");
    // Examples may have empty lines between them, and all of them are indented.
    let mut parts: Vec<String> = Vec::new();
    for part in below.split("\n\n").filter(|part| !part.is_empty()) {
        match parts.last_mut() {
            Some(last) if part.starts_with("  ") => *last += &format!("\n\n{part}"),
            _ => parts.push(part.to_string()),
        }
    }
    let (examples, rest): (Vec<&str>, Vec<&str>) = parts.iter().map(String::as_str).partition(is_examples);
    (examples.join("\n\n"), rest.join("\n\n"))
}

/// What others call our options.
const MEANT: &[(&[&str], &str, &str)] = &[
    (&["--epochs", "--iterations", "--n-iter", "--max-iter"], "passes", "--passes N passes over the rows N times"),
    (&["--seed", "--random-state"], "shuffle", "--shuffle SEED shuffles the rows"),
    (&["-q", "--silent"], "quiet", "--quiet prints nothing but errors"),
    (&["--target", "--y"], "label", "--label COLUMN names the column of the label"),
];

/// Adds to the complaint about an option what it is called here.
pub fn hinted(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    // A seed is one of what --holdout holds out, and is refused without it.
    let lacks = error.kind() == ErrorKind::MissingRequiredArgument && typed.iter().any(|word| word == "--seed");
    let named = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(named)) if is_unknown => named.clone(),
        _ if lacks => "--seed".to_string(),
        _ => return error,
    };
    let all = Arguments::command();
    let typed = typed.get(1).and_then(|name| name.to_str()).and_then(|name| all.find_subcommand(name));
    let has = |id: &str| typed.is_some_and(|command| command.get_arguments().any(|argument| argument.get_id() == id));
    if let Some((_, _, hint)) = MEANT.iter().find(|(names, id, _)| names.contains(&named.as_str()) && has(id)) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*hint).into()]));
    }
    error
}
