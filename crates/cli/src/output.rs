//! Results on standard output, remarks on standard error.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use onlinear::workshop::{Replacement, Summary, counted};
use onlinear::{Calibration, Classes, Error, Message, Model, RowsInMemory};
use serde_json::{Value as Json, json};

use onlinear_charts::{Page, Table, wrapped};

use crate::start;
use crate::wording::{Flags, FlagsWhileSkipping};

/// How much is printed.
#[derive(Args)]
pub struct PrintArguments {
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors (and what --json asks for)
    #[arg(long)]
    pub quiet: bool,
}

impl PrintArguments {
    /// Prints the result as it was asked for.
    pub fn result(&self, as_json: impl FnOnce() -> Json, as_text: impl FnOnce() -> String) -> anyhow::Result<()> {
        match (self.json, self.quiet) {
            (true, _) => json(&as_json()),
            (false, false) => text(&as_text()),
            (false, true) => Ok(()),
        }
    }
}

/// The rows left out because they are wrong: the first are told of one by one, of the others what is wrong with most.
pub struct SkippedRows {
    rows: u64,
    /// How many of them were told of, maybe before a restart.
    told: u64,
    /// What is wrong with those that are not told of, and with how many.
    reasons: HashMap<String, u64>,
    quiet: bool,
}

/// How many rows left out are told of one by one.
const TOLD: u64 = 10;
/// How many reasons are told apart.
const REASONS: usize = 1000;

impl SkippedRows {
    pub fn new(quiet: bool) -> SkippedRows {
        SkippedRows { rows: 0, told: 0, reasons: HashMap::new(), quiet }
    }

    /// Counts one and says what is wrong with it, or counts that too.
    pub fn add(&mut self, error: &Error) {
        self.rows += 1;
        if self.rows > TOLD {
            self.count(reason(error));
        } else if !self.quiet && self.rows > self.told {
            self.told = self.rows;
            say(format_args!("skipped: {}", error.worded(&FlagsWhileSkipping)));
        }
    }

    fn count(&mut self, reason: String) {
        if self.reasons.len() < REASONS || self.reasons.contains_key(&reason) {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    /// Everything is read again.
    pub fn restart(&mut self) {
        self.rows = 0;
        self.reasons.clear();
    }

    /// Says how many there were.
    pub fn finish(&self) {
        // Of reasons that are as frequent, the first by name: the same rows are told of in the same words.
        let most = self.reasons.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        if let Some((reason, count)) = most.filter(|_| !self.quiet) {
            let more = self.rows - TOLD;
            let most = if *count == more { "all".to_string() } else { format!("most ({count})") };
            say(format_args!("skipped: {more} more, {most}: {reason}"));
        }
        if self.rows > 0 {
            say(counted(self.rows, "row skipped", "rows skipped"));
        }
    }
}

/// What is wrong with a row, without its place.
fn reason(error: &Error) -> String {
    match error {
        Error::Row { message, .. } => message.worded(&FlagsWhileSkipping),
        other => other.worded(&FlagsWhileSkipping),
    }
}

/// What so many runs have to say, each thing once though its figures may differ, and in how many of them.
pub fn warnings<'a>(of_runs: impl Iterator<Item = &'a Message>, runs: usize) -> Vec<String> {
    let without_figures = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let mut counts: Vec<(String, usize)> = Vec::new();
    for text in of_runs.map(|warning| warning.worded(&Flags)) {
        match counts.iter_mut().find(|(known, _)| without_figures(known) == without_figures(&text)) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts.into_iter().map(|(text, count)| format!("{text} (in {count} of {runs} runs)")).collect()
}

/// Warns of labels that seem to be none, and of what was made of the columns of a table that nobody asked for.
pub fn doubts(held: &RowsInMemory) {
    let about = held.about();
    for doubt in held.classes().doubts(about.csv.is_some()).into_iter().chain(about.doubts()) {
        warn(format_args!("{}: {}", about.file, doubt.worded(&Flags)));
    }
}

/// Standard output, buffered.
pub fn buffered() -> anyhow::Result<BufWriter<StdoutLock<'static>>> {
    if start::stdout_was_closed() {
        anyhow::bail!("standard output is closed");
    }
    Ok(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
}

/// Prints a text.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut out = buffered()?;
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a line on standard error. Nobody has to listen there: a closed pipe is no failure.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(&line.to_string()));
}

/// Warns on standard error, on several lines where a terminal has no room on one.
pub fn warn(what: impl Display) {
    lines(&printable(&format!("warning: {what}"))).iter().for_each(say);
}

/// A text on one line, in which nothing moves a terminal's cursor: control characters are written as in JSON.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let plain = |character: char| match character {
        '\n' => "\\n".to_string(),
        '\r' => "\\r".to_string(),
        '\t' => "\\t".to_string(),
        control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
        other => other.to_string(),
    };
    Cow::Owned(text.chars().map(plain).collect())
}

/// A label or a name that programs may read back: also the backslash is written as in JSON.
pub fn escaped(text: &str) -> Cow<'_, str> {
    match text.contains('\\') {
        true => Cow::Owned(printable(&text.replace('\\', "\\\\")).into_owned()),
        false => printable(text),
    }
}

/// Prints an object on one line.
pub fn json(value: &Json) -> anyhow::Result<()> {
    text(&format!("{value}\n"))
}

/// Lines of a name and a text, the texts aligned.
pub fn pairs(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let room = columns().map_or(usize::MAX, |columns| columns.saturating_sub(width + 2).max(20));
    let line = |(name, text): &(&str, String)| {
        let lines: Vec<_> = text.split('\n').flat_map(|line| fitted(&printable(line), room)).collect();
        let indented = lines.join(&format!("\n{:width$}  ", ""));
        format!("{name:width$}  {indented}\n")
    };
    pairs.iter().map(line).collect()
}

/// The lines of a text, in more where they do not fit.
pub fn lines(text: &str) -> Vec<String> {
    let room = columns().map_or(usize::MAX, |columns| columns.max(20));
    text.lines().flat_map(|line| fitted(line, room)).collect()
}

/// A line as it is where it fits, else in several.
fn fitted(line: &str, room: usize) -> Vec<String> {
    if line.chars().count() <= room {
        return vec![line.to_string()];
    }
    // What stands in a second column goes on below it.
    let text = line.split_once("  ").map_or(line, |(_, text)| text.trim_start());
    let start = line.len() - text.len();
    let (head, text) = line.split_at(if 2 * start <= room { start } else { 0 });
    let indent = head.chars().count();
    let lines = wrapped(text, room - indent);
    let margin = std::iter::once(head.to_string()).chain(std::iter::repeat(" ".repeat(indent)));
    margin.zip(lines).map(|(margin, line)| margin + &line).collect()
}

/// A command to be pasted into a shell, on several lines where it does not fit on one; `words` that belong together
/// are given as one.
pub fn command(words: &[String]) -> String {
    let room = columns().unwrap_or(usize::MAX).saturating_sub(2);
    let mut lines = vec![String::new()];
    for word in words {
        let line = lines.last_mut().expect("there is a first line");
        match line.is_empty() || line.chars().count() + 1 + word.chars().count() <= room {
            true if line.is_empty() => *line += word,
            true => *line += &format!(" {word}"),
            false => lines.push(format!("  {word}")),
        }
    }
    lines.join(" \\\n")
}

/// How many characters a line of standard output may have; any number where nobody has said.
fn columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    said.or_else(terminal).filter(|&columns| columns > 0)
}

/// A table for standard output, which will stand so far from the left; what is best is in bold on a terminal.
pub fn table(table: &Table, indent: usize) -> String {
    let bold = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    table.text(bold, columns().map(|columns| columns.saturating_sub(indent).max(20)))
}

/// That a file cannot be written.
pub fn failed(path: &Path, reason: io::Error) -> Error {
    Error::Io { file: path.display().to_string(), reason }
}

/// Writes a file that a command was asked for, whole or not at all.
pub fn file(path: &Path, content: impl AsRef<[u8]>) -> onlinear::Result<()> {
    let write = || {
        let mut file = Replacement::or_stream(path)?;
        file.write_all(content.as_ref())?;
        file.complete()
    };
    write().map_err(|reason| failed(path, reason))
}

/// Writes a page and its figures, where they were asked for.
pub fn page(html: &Option<PathBuf>, svg: &Option<PathBuf>, page: impl FnOnce() -> Page) -> onlinear::Result<()> {
    if html.is_none() && svg.is_none() {
        return Ok(());
    }
    let page = page();
    html.as_ref().map_or(Ok(()), |path| file(path, page.html()))?;
    svg.as_ref().map_or(Ok(()), |folder| files(folder, &page.svg_files()))
}

/// What a page says of a run.
pub fn about(pairs: Vec<(&str, String)>) -> Vec<(String, String)> {
    pairs.into_iter().map(|(name, text)| (name.to_string(), unaligned(&text))).collect()
}

/// Text that is aligned for terminals, as a page has it: a colon where the next column begins.
fn unaligned(text: &str) -> String {
    let line = |line: &str| {
        let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
        columns.join(": ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Writes files, of which names and contents are given, to a folder.
pub fn files(folder: &Path, files: &[(String, String)]) -> onlinear::Result<()> {
    files.iter().try_for_each(|(name, text)| file(&folder.join(name), text))
}

/// How many rows, features and which classes there are.
pub fn shape(rows: impl Display, features: usize, classes: &str) -> String {
    format!("{rows}, {}, {classes}", counted(features, "feature", "features"))
}

/// What the classes are called, in a few words.
pub fn classes(classes: &Classes) -> String {
    match classes.names() {
        [negative, positive] => format!("classes {} and {}", escaped(negative), escaped(positive)),
        names => format!("one-versus-rest, {} classes ({})", names.len(), escaped(&classes.shown())),
    }
}

/// The same of a model, which may tell them apart otherwise.
pub fn classes_of(model: &Model) -> String {
    let names = model.classes.names();
    match model.learner.is_direct() {
        true => format!("direct multiclass, {} classes ({})", names.len(), escaped(&model.classes.shown())),
        false => classes(&model.classes),
    }
}

/// What makes probabilities of a model's scores; of more than two classes, for each of them.
pub fn calibration(model: &Model) -> Json {
    let Some(probabilities) = model.learner.probabilities() else { return Json::Null };
    let one = |found: &Calibration| json!({"slope": found.slope, "intercept": found.intercept, "pairs": found.pairs});
    match probabilities.calibrations() {
        [only] => one(only),
        all => all.iter().zip(model.classes.names()).map(|(found, label)| (label.clone(), one(found))).collect(),
    }
}

/// The same in words, where there is any.
pub fn calibration_in_words(model: &Model) -> Option<(&'static str, String)> {
    let probabilities = model.learner.probabilities()?;
    let calibrations = probabilities.calibrations();
    let Calibration { slope, intercept, pairs } = calibrations.first()?;
    let sigmoid = match calibrations.len() {
        1 => {
            format!("p = 1/(1 + exp({slope:.6} f {} {:.6}))", if *intercept < 0.0 { '-' } else { '+' }, intercept.abs())
        }
        classes => format!("a sigmoid for each of {classes} classes"),
    };
    let again = if model.counts.passes.len() > 1 { ", whose rows were learned from before" } else { "" };
    Some(("calibration", format!("{sigmoid}, by the last {pairs} trials{again}")))
}

/// An error with its uncertainty.
pub fn percent(error: Summary) -> String {
    match error.stderr {
        Some(stderr) => format!("{:.2} ± {:.2}", 100.0 * error.mean, 100.0 * stderr),
        None => format!("{:.2}", 100.0 * error.mean),
    }
}

/// A number to six significant digits.
pub fn significant(number: f64) -> String {
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    match rounded.abs() {
        0.0 | 1e-4..1e9 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// A mean with both measures of its spread.
pub fn summary_as_json(summary: Option<Summary>) -> Json {
    summary.map_or(Json::Null, |s| json!({"mean": s.mean, "stderr": s.stderr, "sd": s.sd}))
}

/// Finds out before the work whether there can be a folder for what it is asked for.
pub fn require_folder(folder: &Option<PathBuf>, what: &str) -> onlinear::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let refuse = |reason| format!("cannot be a folder for {what}: {reason}");
    std::fs::create_dir_all(folder).map_err(|reason| Error::data(&folder.display().to_string(), refuse(reason)))
}
