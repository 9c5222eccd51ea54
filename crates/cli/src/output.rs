//! Results on standard output, remarks on standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use onlinear::data::Classes;
use serde_json::Value as Json;

use onlinear_charts::Table;

/// Standard output, buffered.
pub fn buffered() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Prints a text.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut out = buffered();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a line on standard error. Nobody has to listen there: a closed pipe is no failure.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints an object on one line.
pub fn json(value: &Json) -> anyhow::Result<()> {
    text(&format!("{value}\n"))
}

/// Lines of a name and a text, the texts aligned.
pub fn pairs(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, text): &(&str, String)| {
        let indented = text.replace('\n', &format!("\n{:width$}  ", ""));
        format!("{name:width$}  {indented}\n")
    };
    pairs.iter().map(line).collect()
}

/// A table for standard output; what is best is in bold on a terminal.
pub fn table(table: &Table) -> String {
    table.text(io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none())
}

/// A text as a field of a CSV file.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Writes a file that a command was asked for.
pub fn file(path: &Path, text: &str) -> onlinear::Result<()> {
    let failed = |reason| onlinear::Error::Io { file: path.display().to_string(), reason };
    std::fs::write(path, text).map_err(failed)
}

/// What the classes are called, in a few words.
pub fn classes(classes: &Classes) -> String {
    match classes.names() {
        [negative, positive] => format!("classes {negative} and {positive}"),
        names => format!("one-versus-rest, {} classes ({})", names.len(), classes.shown()),
    }
}

/// The largest amount of memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
