//! Answers as a table in a Parquet file.

use std::io;

use onlinear::workshop::Replacement;
use onlinear_parquet::{Fault, OutputColumn, Writer};

use super::writer::Answer;

/// Columns of texts that are kept, then the label, the score and what is told besides.
pub struct AnswerTable(Writer<Replacement>);

impl AnswerTable {
    /// An empty table with columns of these names, the first of which are kept.
    pub fn new(file: Replacement, names: &[String], kept: usize) -> io::Result<AnswerTable> {
        let column = |(i, name): (usize, &String)| {
            let is_text = i <= kept || name == "ask";
            let cells = if is_text { OutputColumn::Texts(Vec::new()) } else { OutputColumn::Numbers(Vec::new()) };
            (name.clone(), cells)
        };
        Writer::new(file, names.iter().enumerate().map(column).collect()).map(AnswerTable).map_err(reason)
    }

    /// Appends the answer to a row, which is told this label.
    pub fn push(&mut self, answer: &Answer<'_>, label: &str) -> io::Result<()> {
        let asked = answer.asked.map(|asked| if asked { "ask" } else { "-" });
        let mut texts = answer.kept.iter().map(String::as_str).chain([label]).chain(asked);
        let mut numbers = [Some(answer.score()), answer.probability()].into_iter().flatten();
        for column in self.0.columns() {
            match column {
                OutputColumn::Texts(cells) => cells.extend(texts.next().map(String::from)),
                OutputColumn::Numbers(cells) => cells.extend(numbers.next()),
            }
        }
        self.0.end_row().map_err(reason)
    }

    /// All rows are there: the file takes its place.
    pub fn complete(self) -> io::Result<()> {
        self.0.finish().map_err(reason)?.complete()
    }
}

fn reason(fault: Fault) -> io::Error {
    match fault {
        Fault::Io(error) => error,
        other => io::Error::other(other),
    }
}
