//! Results on standard output, remarks on standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use onlinear::data::Classes;
use serde_json::Value as Json;

use crate::report::{Align, Cell, Table};

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

/// A table with its columns aligned and its notes below; what is best is in bold on a terminal.
pub fn table(table: &Table) -> String {
    let bold = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let length = |text: &str| text.chars().count();
    let mark = |cell: &Cell| cell.mark.clone().unwrap_or_default();
    let mut out = String::new();
    let heads: Vec<Cell> = table.columns.iter().map(|column| Cell::new(column.title())).collect();
    let widest =
        |i: usize, part: &dyn Fn(&Cell) -> usize| table.rows.iter().map(|row| part(&row[i])).max().unwrap_or(0);
    for (number, row) in std::iter::once(&heads).chain(&table.rows).enumerate() {
        let mut line = String::new();
        for (i, (column, cell)) in table.columns.iter().zip(row).enumerate() {
            let marks = widest(i, &|cell| length(&mark(cell)));
            let width = widest(i, &|cell| length(&cell.text)).max(length(&heads[i].text).saturating_sub(marks));
            let own =
                if number == 0 { marks.min(length(&cell.text).saturating_sub(width)) } else { length(&mark(cell)) };
            let space = " ".repeat((width + if number == 0 { own } else { 0 }).saturating_sub(length(&cell.text)));
            let text = if cell.best && bold { format!("\x1b[1m{}\x1b[0m", cell.text) } else { cell.text.clone() };
            let (before, after) =
                if column.align == Align::Right { (space, String::new()) } else { (String::new(), space) };
            line += &format!("{before}{text}{}{after}{}  ", mark(cell), " ".repeat(marks - own));
        }
        out += line.trim_end();
        out.push('\n');
    }
    table.notes.iter().for_each(|note| out += &format!("{note}\n"));
    out
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
