//! Answers row by row: as lines on standard output, or as a table in a file.

use std::ffi::OsStr;
use std::io::{BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use onlinear::workshop::{Cure, Replacement};
use onlinear::{Classes, Error, Message};
use onlinear_charts::csv_field;

use super::PredictArguments;
#[cfg(feature = "parquet")]
use super::answer_table::AnswerTable;
use crate::output::{self, failed};

/// What is known of a row.
pub struct Answer<'a> {
    pub line: u64,
    pub class: usize,
    pub scores: &'a [f64],
    /// Of each class, where they are asked for.
    pub probabilities: &'a [f64],
    /// Whether its label is worth asking for, where that is asked.
    pub asked: Option<bool>,
    /// Its cells that are to be kept.
    pub kept: &'a [String],
}

impl Answer<'_> {
    /// The score of the class, or that between two.
    pub fn score(&self) -> f64 {
        self.scores[if self.scores.len() == 1 { 0 } else { self.class }]
    }

    /// The probability of the positive class, or that of the class told among more than two.
    pub fn probability(&self) -> Option<f64> {
        self.probabilities.get(if self.scores.len() == 1 { 1 } else { self.class }).copied()
    }

    /// What is told behind label and score, by name.
    fn further(&self) -> impl Iterator<Item = (&'static str, Value, String)> {
        let probability = self.probability().map(|share| ("probability", json!(share), share.to_string()));
        let asked = self.asked.map(|asked| ("ask", json!(asked), if asked { "ask" } else { "-" }.to_string()));
        probability.into_iter().chain(asked)
    }
}

/// How an answer is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Labels,
    Scores,
    Json,
    /// Cells with this between them.
    Table(char),
    JsonLines,
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Files by their ending, as what they are written.
const FILES: &[(&str, Form)] = &[
    ("csv", Form::Table(',')),
    ("tsv", Form::Table('\t')),
    ("jsonl", Form::JsonLines),
    #[cfg(feature = "parquet")]
    ("parquet", Form::Parquet),
];
/// What a table of answers has besides the columns kept.
const OWN_COLUMNS: [&str; 4] = ["label", "score", "probability", "ask"];

enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(PathBuf, Replacement),
    #[cfg(feature = "parquet")]
    Parquet(PathBuf, Box<AnswerTable>),
}

/// Writes answers.
pub struct Writer<'a> {
    arguments: &'a PredictArguments,
    classes: Classes,
    /// What the classes are called where lines are no table.
    names: Vec<String>,
    /// What the columns are called where they are one.
    columns: Vec<String>,
    form: Form,
    sink: Sink,
}

impl<'a> Writer<'a> {
    pub fn new(arguments: &'a PredictArguments, classes: &Classes) -> anyhow::Result<Writer<'a>> {
        let names = classes.names().iter().map(|name| output::escaped(name).into_owned()).collect();
        let columns = columns(arguments);
        let (form, sink) = match &arguments.output {
            Some(path) => {
                let form = form_of(path)?;
                let file = Replacement::or_stream(path).map_err(|reason| failed(path, reason))?;
                let sink = match form {
                    #[cfg(feature = "parquet")]
                    Form::Parquet => {
                        let table = AnswerTable::new(file, &columns, arguments.keep.len());
                        Sink::Parquet(path.clone(), Box::new(table.map_err(|reason| failed(path, reason))?))
                    }
                    _ => Sink::File(path.clone(), file),
                };
                (form, sink)
            }
            None if arguments.json => (Form::Json, Sink::Stdout(output::buffered()?)),
            None if arguments.scores => (Form::Scores, Sink::Stdout(output::buffered()?)),
            None => (Form::Labels, Sink::Stdout(output::buffered()?)),
        };
        let mut writer = Writer { arguments, classes: classes.clone(), names, columns, form, sink };
        if let Form::Table(between) = form {
            let head = row(writer.columns.iter().map(String::as_str), between);
            writer.put(&head)?;
        }
        Ok(writer)
    }

    /// Writes the answer to a row.
    pub fn write(&mut self, answer: &Answer<'_>) -> anyhow::Result<()> {
        let (label, score) = (self.classes.name(answer.class), answer.score());
        let further = answer.further();
        let line = match self.form {
            Form::Labels | Form::Scores => {
                let score = (self.form == Form::Scores).then(|| score.to_string());
                let cells = std::iter::once(self.names[answer.class].clone()).chain(score);
                format!("{}\n", cells.chain(further.map(|(_, _, cell)| cell)).collect::<Vec<_>>().join("\t"))
            }
            Form::Json => {
                let by_class = |numbers: &[f64]| -> Value {
                    self.classes.names().iter().cloned().zip(numbers.iter().map(|&number| json!(number))).collect()
                };
                let mut line = json!({"line": answer.line, "label": label, "score": score});
                if answer.scores.len() > 1 {
                    line["scores"] = by_class(answer.scores);
                }
                if !answer.probabilities.is_empty() {
                    line["probabilities"] = by_class(answer.probabilities);
                }
                further.for_each(|(name, value, _)| line[name] = value);
                format!("{line}\n")
            }
            Form::Table(between) => {
                let told = [label.to_string(), score.to_string()].into_iter().chain(further.map(|(_, _, cell)| cell));
                let told: Vec<String> = told.collect();
                row(answer.kept.iter().chain(&told).map(String::as_str), between)
            }
            Form::JsonLines => {
                let kept = self.columns.iter().zip(answer.kept);
                let mut line: Map<_, _> = kept.map(|(name, cell)| (name.clone(), json!(cell))).collect();
                line.extend([("label".to_string(), json!(label)), ("score".to_string(), json!(score))]);
                line.extend(further.map(|(name, value, _)| (name.to_string(), value)));
                format!("{}\n", json!(line))
            }
            #[cfg(feature = "parquet")]
            Form::Parquet => {
                let Sink::Parquet(path, table) = &mut self.sink else { return Ok(()) };
                return Ok(table.push(answer, label).map_err(|reason| failed(path, reason))?);
            }
        };
        self.put(&line)?;
        if self.arguments.line_buffered { self.flush() } else { Ok(()) }
    }

    fn put(&mut self, text: &str) -> anyhow::Result<()> {
        match &mut self.sink {
            Sink::Stdout(out) => Ok(out.write_all(text.as_bytes())?),
            Sink::File(path, file) => Ok(file.write_all(text.as_bytes()).map_err(|reason| failed(path, reason))?),
            #[cfg(feature = "parquet")]
            Sink::Parquet(..) => Ok(()), // its rows are no lines
        }
    }

    /// Passes on what was printed; a file is written whole or not at all.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match &mut self.sink {
            Sink::Stdout(out) => Ok(out.flush()?),
            _ => Ok(()),
        }
    }

    /// All rows are answered.
    pub fn finish(self) -> anyhow::Result<()> {
        match self.sink {
            Sink::Stdout(mut out) => Ok(out.flush()?),
            Sink::File(path, file) => Ok(file.complete().map_err(|reason| failed(&path, reason))?),
            #[cfg(feature = "parquet")]
            Sink::Parquet(path, table) => Ok(table.complete().map_err(|reason| failed(&path, reason))?),
        }
    }
}

/// What the columns of a table are called: those kept, then its own. One that is kept and called like one of its own
/// is `data.` and its name.
fn columns(arguments: &PredictArguments) -> Vec<String> {
    let asked = [true, true, arguments.probabilities, arguments.ask];
    let own = OWN_COLUMNS.into_iter().zip(asked).filter(|(_, asked)| *asked).map(|(name, _)| name);
    let kept = |name: &String| match OWN_COLUMNS.contains(&name.as_str()) {
        true => format!("data.{name}"),
        false => name.clone(),
    };
    arguments.keep.iter().map(kept).chain(own.map(String::from)).collect()
}

/// How a file is written, by its ending.
fn form_of(path: &Path) -> onlinear::Result<Form> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    FILES.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form).ok_or_else(|| {
        let what = Message::from(format!("--output {}: ", path.display()));
        let known: Vec<String> = FILES.iter().map(|(known, _)| format!(".{known}")).collect();
        Error::usage(match ending == "parquet" {
            true => what.and("this build writes no Parquet").and(Cure::BuildWithParquet),
            false => what.and(format!("its ending says none of the kinds there are: {}", known.join(", "))),
        })
    })
}

/// Cells as a line of a table; only those that need it stand in quotes.
fn row<'a>(cells: impl Iterator<Item = &'a str>, between: char) -> String {
    let quoted = |cell: &str| match cell.contains([between, '"', '\n', '\r']) {
        true => csv_field(cell),
        false => cell.to_string(),
    };
    let cells: Vec<String> = cells.map(quoted).collect();
    format!("{}\n", cells.join(&between.to_string()))
}
