//! What the tests of all readers do: read a text as a file of the given name.

use super::opening::open_with;
use super::*;
use crate::data::batch::Batch;
use crate::data::columns::TableSchema;
use crate::data::dataset::{About, ColumnTally};
use crate::data::input::Input;
use crate::data::labels::NO_LABEL;
use crate::data::text::TextWork;
use crate::data::vocabulary::UnseenFeatures;

/// One row as a test wants to see it.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) label: Option<String>,
    pub(crate) weight: f64,
    pub(crate) line: u64,
    /// Named features by name, others by number counting from 1; in the order of their places.
    pub(crate) features: Vec<(String, f64)>,
}

/// All that came out of a file: rows, the bad rows skipped, the error that ended it.
#[derive(Debug, Default)]
pub(crate) struct RowOutcome {
    pub(crate) rows: Vec<Seen>,
    pub(crate) bad: Vec<String>,
    pub(crate) error: Option<String>,
    pub(crate) schema: Option<TableSchema>,
    pub(crate) vocabulary: Option<Vocabulary>,
    pub(crate) labels: Vec<String>,
    pub(crate) features: usize,
    pub(crate) format: Option<Format>,
    /// How many rows, and bad rows, each batch had.
    pub(crate) batches: Vec<(usize, usize)>,
    pub(crate) columns: Vec<ColumnTally>,
    pub(crate) unseen: UnseenFeatures,
}

impl RowOutcome {
    /// The rows in short: `label: name=value name=value`.
    pub(crate) fn short(&self) -> Vec<String> {
        let one = |(name, value): &(String, f64)| format!(" {name}={value}");
        let row = |row: &Seen| {
            let features: String = row.features.iter().map(one).collect();
            format!("{}:{features}", row.label.as_deref().unwrap_or("?"))
        };
        self.rows.iter().map(row).collect()
    }
}

/// Writes the files into a folder of their own and reads the first; messages name it `FILE`.
pub(crate) fn read_files(files: &[(&str, &[u8])], options: &ReadOptions) -> RowOutcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a temporary file");
    }
    let path = folder.path().join(files[0].0);
    let shorten = |text: String| text.replace(&path.display().to_string(), "FILE");
    let mut outcome = read_all(&Input::File(path.clone()), options);
    outcome.error = outcome.error.map(shorten);
    outcome.bad = outcome.bad.into_iter().map(shorten).collect();
    outcome
}

fn read_all(input: &Input, options: &ReadOptions) -> RowOutcome {
    read_with(input, options, TextWork::default())
}

/// Reads `input`, parsed as `work` says.
pub(crate) fn read_with(input: &Input, options: &ReadOptions, work: TextWork) -> RowOutcome {
    let mut outcome = RowOutcome::default();
    let read = open_with(input, options, work).and_then(|(mut reader, _)| read_rows(reader.as_mut(), &mut outcome));
    outcome.error = read.err().map(|error| error.to_string());
    outcome
}

/// What is handed on beside the rows of JSON lines.
pub(crate) fn kept(text: &str, options: &ReadOptions) -> Vec<String> {
    let input = Input::Memory { name: "text".into(), bytes: text.as_bytes().into() };
    let (mut reader, _) = open(&input, options).expect("JSON lines");
    let mut batch = Batch::default();
    reader.read(&mut batch).expect("rows");
    batch.kept
}

fn read_rows(reader: &mut dyn Reader, outcome: &mut RowOutcome) -> Result<()> {
    let mut batch = Batch::default();
    let mut more = Ok(true);
    while matches!(more, Ok(true)) {
        more = reader.read(&mut batch);
        outcome.bad.extend(batch.bad.iter().map(Error::to_string));
        outcome.batches.push((batch.len(), batch.bad.len()));
        let names = reader.vocabulary().names();
        for i in 0..batch.len() {
            let mut features = Vec::new();
            let describe = |place| reader.vocabulary().describe(place, names.as_deref());
            batch.rows.row(i).for_each(|place, value| features.push((describe(place), value)));
            let label = batch.labels[i];
            let label = (label != NO_LABEL).then(|| reader.labels().text(label).to_string());
            outcome.rows.push(Seen { label, weight: batch.weight(i), line: batch.lines[i], features });
        }
    }
    let About { labels, vocabulary, features, csv, .. } = reader.about().clone();
    (outcome.schema, outcome.vocabulary, outcome.features) = (csv, Some(vocabulary), features);
    outcome.labels = labels.texts().map(String::from).collect();
    outcome.format = Some(reader.format());
    (outcome.columns, outcome.unseen) = (reader.about().columns.clone(), reader.about().unseen.clone());
    more.map(|_| ())
}
