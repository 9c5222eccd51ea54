//! What was typed, to be typed again: a command that does what was found to be best.

use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, Command};

use crate::output;
use crate::rows::RowArguments;

/// A whole `onlinear learn` command.
pub struct LearnCommand {
    /// Its words, a flag together with its value.
    words: Vec<String>,
    /// Whether the data came through a pipe, which cannot be read again.
    from_pipe: bool,
}

impl LearnCommand {
    /// The learner, the data where files were named, what was typed of its rows, and more: flags with their values, or
    /// with none.
    pub fn new(spec: &str, data: &[String], more: &[(&str, String)]) -> LearnCommand {
        let mut words = vec!["onlinear learn".to_string(), quoted(spec)];
        // What came through a pipe has to be in a file for more than one look at it.
        words.extend(data.iter().map(|file| if file == "-" { "FILE".to_string() } else { quoted(file) }));
        words.extend(ROW_FLAGS.get().into_iter().flatten().cloned());
        words.extend(more.iter().map(|(flag, value)| match value.is_empty() {
            true => format!("--{flag}"),
            false => format!("--{flag} {}", quoted(value)),
        }));
        LearnCommand { words, from_pipe: data.iter().any(|file| file == "-") }
    }

    /// On one line.
    pub fn line(&self) -> String {
        self.words.join(" ")
    }

    /// As a terminal has room for it.
    pub fn text(&self) -> String {
        let command = output::command(&self.words);
        if self.from_pipe { format!("{command}\n(FILE: what came through the pipe, saved)") } else { command }
    }
}

/// The flags of this run that say which rows a learner meets and what happens to them, each with its value.
static ROW_FLAGS: OnceLock<Vec<String>> = OnceLock::new();

/// Remembers what was typed behind the name of a command.
pub fn remember(typed: &ArgMatches) {
    if let Some((_, typed)) = typed.subcommand() {
        ROW_FLAGS.get_or_init(|| row_flags(typed));
    }
}

fn row_flags(matches: &ArgMatches) -> Vec<String> {
    let declared = RowArguments::augment_args(Command::new("rows"));
    let mut flags = Vec::new();
    for argument in declared.get_arguments() {
        let (id, Some(long)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        if matches.try_contains_id(id).is_err() || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            flags.push(format!("--{long}"));
            continue;
        }
        let given = matches.get_raw(id).into_iter().flatten();
        flags.extend(given.map(|value| format!("--{long} {}", quoted(&value.to_string_lossy()))));
    }
    flags
}

/// A word as a shell takes it for what it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=.,:/@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("arow:regularization=0.1,matrix=full"), "arow:regularization=0.1,matrix=full");
        assert_eq!(quoted("my data.csv"), "'my data.csv'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
