//! Results on standard output, remarks on standard error.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use onlinear::workshop::Summary;
use onlinear::{Classes, Error};
use serde_json::{Value as Json, json};

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

/// Writes a file that a command was asked for.
pub fn file(path: &Path, text: &str) -> onlinear::Result<()> {
    let failed = |reason| Error::Io { file: path.display().to_string(), reason };
    std::fs::write(path, text).map_err(failed)
}

/// Writes files, of which names and contents are given, to a folder.
pub fn files(folder: &Path, files: &[(String, String)]) -> onlinear::Result<()> {
    files.iter().try_for_each(|(name, text)| file(&folder.join(name), text))
}

/// What the classes are called, in a few words.
pub fn classes(classes: &Classes) -> String {
    match classes.names() {
        [negative, positive] => format!("classes {negative} and {positive}"),
        names => format!("one-versus-rest, {} classes ({})", names.len(), classes.shown()),
    }
}

/// An error with its uncertainty.
pub fn percent(error: Summary) -> String {
    match error.stderr {
        Some(stderr) => format!("{:.2} ± {:.2}", 100.0 * error.mean, 100.0 * stderr),
        None => format!("{:.2}", 100.0 * error.mean),
    }
}

/// A mean with both measures of its spread.
pub fn summary_as_json(summary: Option<Summary>) -> Json {
    summary.map_or(Json::Null, |s| json!({"mean": s.mean, "stderr": s.stderr, "sd": s.sd}))
}

/// Finds out before the work whether its result could be saved; `kind` is what the file is to be.
pub fn require_writable(path: &Path, kind: &str) -> onlinear::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let refuse = |message: String| Error::data(&path.display().to_string(), message);
    if path.is_dir() {
        return Err(refuse(format!("is a directory; expected the name of {kind}")));
    }
    if !folder.is_dir() {
        return Err(refuse(format!("there is no folder '{}'", folder.display())));
    }
    let probe = match std::fs::metadata(path) {
        Ok(about) if about.permissions().readonly() => return Err(refuse("is read-only".to_string())),
        Ok(_) => File::options().append(true).open(path).map(drop),
        // Not the file itself: another run may put its result there at this moment.
        Err(_) => {
            let beside = folder.join(format!(".onlinear-{}", std::process::id()));
            File::create_new(&beside).and_then(|_| std::fs::remove_file(&beside))
        }
    };
    probe.map_err(|reason| refuse(format!("cannot be written: {reason}")))
}
