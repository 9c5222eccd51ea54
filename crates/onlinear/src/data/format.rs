//! Which reader a file needs, and what all readers have in common.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::aliases::Aliases;
use super::batch::Batch;
use super::chain::Chain;
use super::columns::{ColumnKind, ColumnOptions, Encoder, Origin, TableSchema, find};
use super::csv;
use super::dataset::About;
use super::detect::{self, Peeked};
use super::encoding::{Decoded, Encoding};
use super::foreign;
use super::frame;
use super::idx;
use super::input::{Input, Meter};
use super::jsonl;
use super::labels::{Classes, LabelTable, NO_LABEL};
use super::libsvm;
use super::lines::{LONGEST_LINE, Lines};
#[cfg(feature = "parquet")]
use super::parquet;
use super::read_ahead::Stop;
use super::row_builder::{Fault, RowBuilder};
use super::vocabulary::{Room, Vocabulary};
use super::vw;
use crate::error::{Error, Message, Place, Request, Result};
use crate::spec::did_you_mean;

/// How the content of a format is told.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// By its first bytes, whatever the file is called: it is no text.
    Magic(fn(&[u8]) -> bool),
    /// By the first line that is neither blank nor a comment, where the file's name says nothing.
    Line(fn(&[u8]) -> bool),
}

/// What the rows of a file are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowShape {
    /// Features have numbers.
    Numbered,
    /// Features have names of their own.
    Named,
    /// Rows have the cells of a table, whose columns name the features.
    Table,
}

/// What is known of rows before they are read.
pub(crate) struct KnownRows<'a> {
    /// The features of a model, or of the files before.
    pub(crate) vocabulary: Option<&'a Vocabulary>,
    /// Whether they must be those of a table.
    pub(crate) is_table: bool,
    /// Whether they go on with others that are not.
    pub(crate) goes_on: bool,
}

impl<'a> KnownRows<'a> {
    fn of(options: &'a ReadOptions, before: Option<&'a RowBuilder>) -> KnownRows<'a> {
        let has_columns = options.schema.is_some() || options.columns.label.is_some();
        let vocabulary = before.map(|row| &row.about.vocabulary).or(options.vocabulary.as_ref());
        let of_table = before.map(|row| row.about.csv.is_some());
        KnownRows { vocabulary, is_table: has_columns || of_table == Some(true), goes_on: of_table == Some(false) }
    }
}

/// A format that can be read: all there is to know about it, beside its reader's code. Adding one means adding its file
/// and its place in [`Format::ALL`].
#[derive(Clone, Copy)]
pub struct Format {
    /// What a user may call it; the first is its name.
    pub(crate) names: &'static [&'static str],
    /// How names of its files end, packed or not.
    pub(crate) endings: &'static [&'static str],
    /// How its content is told.
    pub(crate) content: Content,
    /// What its rows are like, which the first line that says something may tell, or what is known beforehand.
    pub(crate) shape: fn(&[u8], &KnownRows<'_>) -> RowShape,
    /// A reader of it.
    pub(crate) open: fn(Opening<'_>, Peeked) -> Result<Box<dyn Reader>>,
}

impl Format {
    /// Every format, in the order in which lists show them and content is looked at; text that none claims is the
    /// first's.
    pub const ALL: &[Format] = &[
        libsvm::FORMAT,
        jsonl::FORMAT,
        csv::FORMAT,
        vw::FORMAT,
        idx::FORMAT,
        #[cfg(feature = "parquet")]
        parquet::FORMAT,
    ];

    /// What a user may call a format.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Format::ALL.iter().flat_map(|format| format.names).copied()
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.names[0]
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        Format::ALL.iter().copied().find(|format| format.names.contains(&text)).ok_or_else(|| {
            let names: Vec<&str> = Format::names().collect();
            let (known, near) = (names.join(", "), did_you_mean(text, &names));
            Error::usage(format!("unknown format '{text}'; the formats are {known}{near}"))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which labels rows must have not to be left out as wrong.
#[derive(Clone, Debug, Default)]
pub enum LabelsWanted {
    /// Any, or none.
    #[default]
    Any,
    /// Any, but there must be one.
    Some,
    /// That of one of these classes.
    Of(Classes),
}

/// What a user may say about how data are to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, instead of telling it by content and name.
    pub format: Option<Format>,
    /// How text is encoded, instead of as UTF-8 or as a byte-order mark says.
    pub encoding: Option<Encoding>,
    /// Hash features into 2^bits places.
    pub hash: Option<u32>,
    /// The number of features; an index (or one name more) beyond it is refused.
    pub features: Option<usize>,
    /// Leave out rows that are wrong, instead of stopping.
    pub skip_bad_rows: bool,
    /// Which labels make a row wrong, where such rows are left out.
    pub labels: LabelsWanted,
    /// Labels that are read as others.
    pub aliases: Aliases,
    /// LIBSVM: indices count from 0, not from 1.
    pub zero_based: bool,
    /// The features of a model, to go on with; only these are read if it is frozen.
    pub vocabulary: Option<Vocabulary>,
    /// Tables: what their columns hold.
    pub columns: ColumnOptions,
    /// Tables: the columns a model was learned from, instead of guessing them.
    pub schema: Option<TableSchema>,
    /// Columns of tables whose cells are handed on beside the rows, by name or by number counting from 1; or keys beside
    /// the features of JSON lines.
    pub keep: Vec<String>,
    /// Refuse what would take more memory than this: longer lines, more names of features, more labels.
    pub max_memory: Option<u64>,
    /// Ends a wait for a stream to go on; reading then fails with [`Error::Interrupted`].
    pub stop: Option<Stop>,
}

impl ReadOptions {
    /// How much memory names, and labels, may take.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.max_memory.unwrap_or(u64::MAX)
    }

    /// The longest line: it is held as text and as a row, in buffers that have grown by doubling.
    pub(crate) fn longest_line(&self) -> u64 {
        LONGEST_LINE.min(self.most_bytes() / 4)
    }

    /// A text that differs where a difference in the options could mean other rows.
    pub(crate) fn key(&self) -> String {
        let ReadOptions { format, encoding, hash, features, skip_bad_rows, labels, vocabulary, .. } = self;
        let (columns, aliases, zero_based) = (&self.columns, &self.aliases, self.zero_based);
        let names = vocabulary.as_ref().map(Vocabulary::key);
        let schema = self.schema.as_ref().map(TableSchema::to_json);
        format!(
            "{format:?} {encoding:?} {hash:?} {features:?} {skip_bad_rows} {labels:?} {names:?} {columns:?} \
             {schema:?} {aliases:?} {zero_based}"
        )
    }
}

/// A stream of rows.
pub trait Reader: Send {
    /// Fills `batch` with the next rows, at least one; false at the end of the data.
    ///
    /// Returns what there is rather than wait for more: a row typed into a pipe arrives at once.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// The format of the data.
    fn format(&self) -> Format;

    /// What makes the rows, and what they have taught it.
    fn row_builder(&self) -> &RowBuilder;

    /// The same, to be changed.
    fn row_builder_mut(&mut self) -> &mut RowBuilder;

    /// What is known about the rows read so far.
    fn about(&self) -> &About {
        &self.row_builder().about
    }

    /// The labels met.
    fn labels(&self) -> &LabelTable {
        &self.about().labels
    }

    /// The features met, if they have names.
    fn vocabulary(&self) -> &Vocabulary {
        &self.about().vocabulary
    }

    /// How many features there are so far.
    fn features(&self) -> usize {
        self.about().features
    }
}

/// Rows one at a time, each in two steps: fetched, which may wait, then parsed.
pub(crate) trait RowSource: Send {
    /// Whether the next row can be fetched without waiting.
    fn is_at_hand(&self) -> bool;
    /// Makes the next row available; false at the end of the data. A failure is final.
    fn fetch(&mut self) -> Result<bool>;
    /// Appends the row fetched to `batch`, or nothing if it was blank, and is done with it. A
    /// failure spoils this row only.
    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()>;
}

/// The batches, the skipping of bad rows and the order of rows and errors: the same for all sources.
struct SourceReader<S> {
    name: Arc<str>,
    source: S,
    row: RowBuilder,
    format: Format,
    skip_bad_rows: bool,
    labels: LabelsWanted,
    /// An error to report once the rows before it have been handed over.
    pending: Option<Error>,
}

impl<S: RowSource> Reader for SourceReader<S> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        // Rows and bad rows alike are handed over before waiting for more.
        while !batch.is_full() && (self.source.is_at_hand() || batch.has_nothing()) {
            let error = match self.source.fetch() {
                Ok(false) => break,
                Err(error) => error,
                Ok(true) => match self.source.parse(&mut self.row, batch).and_then(|()| self.check_label(batch)) {
                    Ok(()) => continue,
                    Err(error) => {
                        batch.rows.drop_partial_row();
                        if self.skip_bad_rows {
                            batch.bad.push(error);
                            continue;
                        }
                        error
                    }
                },
            };
            if batch.has_nothing() {
                return Err(error);
            }
            self.pending = Some(error);
            break;
        }
        Ok(!batch.has_nothing())
    }

    fn format(&self) -> Format {
        self.format
    }

    fn row_builder(&self) -> &RowBuilder {
        &self.row
    }

    fn row_builder_mut(&mut self) -> &mut RowBuilder {
        &mut self.row
    }
}

impl<S: RowSource> SourceReader<S> {
    /// Takes the newest row out again if its label makes it wrong.
    #[inline]
    fn check_label(&self, batch: &mut Batch) -> Result<()> {
        if matches!(self.labels, LabelsWanted::Any) || batch.is_empty() {
            return Ok(());
        }
        let last = batch.len() - 1;
        let (label, line) = (batch.labels[last], batch.lines[last]);
        let message = match &self.labels {
            _ if label == NO_LABEL => "the row has no label".into(),
            LabelsWanted::Of(classes) if classes.class_of(self.labels().text(label)).is_none() => {
                classes.unknown(self.labels().text(label), self.labels())
            }
            _ => return Ok(()),
        };
        batch.truncate(last);
        Err(Error::row(Place { file: self.name.clone(), line, column: 1 }, message))
    }
}

/// The rows of a format in which a row is a line.
///
/// `parse` gets bytes with the line at their front, and its number in the file. It appends the row to the batch, or
/// nothing where the line has none, and gives how far it got within the line.
struct LineSource<F> {
    lines: Lines,
    parse: F,
}

impl<F> RowSource for LineSource<F>
where
    F: FnMut(&mut RowBuilder, &[u8], u64, &mut Batch) -> std::result::Result<usize, Fault> + Send,
{
    fn is_at_hand(&self) -> bool {
        self.lines.len() > 0
    }

    fn fetch(&mut self) -> Result<bool> {
        Ok(self.lines.len() > 0 || self.lines.fill()?)
    }

    #[inline]
    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        let parsed = (self.parse)(row, self.lines.padded(), self.lines.line, batch);
        let (from, result) = match parsed {
            Ok(end) => (end, Ok(())),
            Err((offset, message)) => (offset, Err(Error::row(self.lines.place(offset), message))),
        };
        self.lines.consume_rest(from);
        result
    }
}

/// What a reader is opened on.
pub(crate) struct Opening<'a> {
    pub(crate) input: &'a Input,
    pub(crate) options: &'a ReadOptions,
    pub(crate) format: Format,
    pub(crate) shape: RowShape,
    pub(crate) row: RowBuilder,
    /// How far the reading has got, for a format that does not read bytes one after another.
    #[cfg(feature = "parquet")]
    pub(crate) meter: &'a Meter,
}

impl Opening<'_> {
    /// What the columns of a table hold, where that is known before it is read.
    pub(crate) fn known_schema(&self) -> Option<(TableSchema, Origin)> {
        let of_files = self.row.about.csv.clone().map(|schema| (schema, Origin::FilesBefore));
        of_files.or_else(|| self.options.schema.clone().map(|schema| (schema, Origin::Model)))
    }

    /// What makes rows of the cells of these columns, and which of the columns are handed on.
    pub(crate) fn encoder(
        &mut self,
        columns: Vec<(String, Option<ColumnKind>)>,
        schema: TableSchema,
        origin: Origin,
    ) -> Result<(Encoder, Vec<usize>)> {
        let (asked, file) = (&self.options.columns, self.input.name());
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let kept = self.options.keep.iter().map(|wanted| find(&names, wanted, Request::Keep, &file));
        let kept = kept.collect::<Result<_>>()?;
        let missing = asked.missing.unwrap_or(schema.missing);
        let schema = TableSchema { decimal: asked.decimal.unwrap_or(schema.decimal), ..schema };
        let encoder = Encoder::new(columns, &schema, missing, origin, &mut self.row, &file)?;
        self.row.about.csv = Some(schema);
        Ok((encoder, kept))
    }

    /// A reader of a format in which a row is a line, which `parse` parses.
    pub(crate) fn lines<F>(self, bytes: Peeked, parse: F) -> Result<Box<dyn Reader>>
    where
        F: FnMut(&mut RowBuilder, &[u8], u64, &mut Batch) -> std::result::Result<usize, Fault> + Send + 'static,
    {
        let lines = Lines::new(Box::new(bytes), self.input.name(), self.options.longest_line());
        Ok(self.reader(LineSource { lines, parse }))
    }

    /// A reader of rows from `source`.
    pub(crate) fn reader(self, source: impl RowSource + 'static) -> Box<dyn Reader> {
        let Opening { input, options, format, row, .. } = self;
        let name = input.name();
        let skip_bad_rows = options.skip_bad_rows;
        let labels = if skip_bad_rows { options.labels.clone() } else { LabelsWanted::Any };
        Box::new(SourceReader { name, source, row, format, skip_bad_rows, labels, pending: None })
    }
}

/// The files that reading `input` opens: itself and, where its labels are in one beside it, that one.
pub fn files(input: &Input) -> Vec<PathBuf> {
    match input {
        Input::Memory { .. } | Input::Frame(_) => Vec::new(),
        Input::Stdin => vec![PathBuf::from("/dev/stdin")],
        Input::Several(inputs) => inputs.iter().flat_map(files).collect(),
        Input::File(path) => std::iter::once(path.clone()).chain(idx::label_file(path)).collect(),
    }
}

/// The text or bytes of `input`, and the format that they are in.
fn peek(input: &Input, options: &ReadOptions, meter: &Meter) -> Result<(Peeked, Format)> {
    let mut bytes = Peeked::new(input.open(options.stop.as_ref(), meter)?);
    if input.frame().is_some() {
        return Ok((bytes, frame::FORMAT));
    }
    let told = |bytes: &Peeked| options.format.unwrap_or_else(|| detect::format(bytes, input.path()));
    if matches!(told(&bytes).content, Content::Line(_)) {
        let encoding = options.encoding.unwrap_or_default().of_text(bytes.start());
        bytes = Decoded::new(bytes, encoding).map_or_else(|bytes| bytes, |text| Peeked::new(Box::new(text)));
    }
    let format = told(&bytes);
    if matches!(format.content, Content::Line(_)) {
        bytes.skip_byte_order_mark();
        if let Some(refusal) = foreign::refusal(bytes.start(), bytes.first_line(), &input.name()) {
            return Err(Error::data(&input.name(), refusal));
        }
    }
    Ok((bytes, format))
}

/// Whether the rows of a file are those of a table; not of a stream, which gives its bytes but once.
pub fn is_table(input: &Input, options: &ReadOptions) -> Result<bool> {
    if input.is_stream() {
        return Ok(false);
    }
    let first = if let Input::Several(inputs) = input { &inputs[0] } else { input };
    let (bytes, format) = peek(first, options, &Meter::of(first))?;
    Ok((format.shape)(bytes.first_line(), &KnownRows::of(options, None)) == RowShape::Table)
}

/// Opens `input` and finds out how to read it.
pub fn open(input: &Input, options: &ReadOptions) -> Result<(Box<dyn Reader>, Meter)> {
    let meter = Meter::of(input);
    let reader = match input {
        Input::Several(inputs) => Chain::open(inputs, options, &meter)?,
        one => open_one(one, options, None, &meter)?,
    };
    Ok((reader, meter))
}

/// Opens an input that is not several, to go on with the rows of those before it.
pub(crate) fn open_one(
    input: &Input,
    options: &ReadOptions,
    before: Option<RowBuilder>,
    meter: &Meter,
) -> Result<Box<dyn Reader>> {
    let (bytes, format) = peek(input, options, meter)?;
    let name = input.name();
    let columns = [
        (Request::LabelColumn, options.columns.label.is_some()),
        (Request::WeightColumn, options.columns.weight.is_some()),
        (Request::Header, options.columns.header.is_some()),
        (Request::Ignore, !options.columns.ignore.is_empty()),
        (Request::Only, !options.columns.only.is_empty()),
        (Request::Column, !options.columns.kinds.is_empty()),
        (Request::Interaction, !options.columns.interactions.is_empty()),
        (Request::Decimal, options.columns.decimal.is_some()),
        (Request::Missing, options.columns.missing.is_some()),
        (Request::Keep, !options.keep.is_empty()),
    ];
    let shape = (format.shape)(bytes.first_line(), &KnownRows::of(options, before.as_ref()));
    let is_column = |request: Request| request != Request::Keep || format != jsonl::FORMAT;
    let wrong = |(request, asked): &&(Request, bool)| *asked && shape != RowShape::Table && is_column(*request);
    if let Some((request, _)) = columns.iter().find(wrong) {
        let why = format!(" is for tables, which have columns; {name} is {format}");
        return Err(Error::usage(Message::from(*request).and(why)));
    }
    if options.zero_based && format != libsvm::FORMAT {
        let why = format!(" are for LIBSVM text; {name} is {format}");
        return Err(Error::usage(Message::from(Request::ZeroBased).and(why)));
    }
    let is_named = shape != RowShape::Numbered;
    let row = match before {
        Some(row) => {
            row.about.vocabulary.admits(is_named, "the files before it have", &name)?;
            if row.about.csv.is_some() != (shape == RowShape::Table) {
                let [it, they] = if shape == RowShape::Table { ["is", "are not"] } else { ["is not", "are"] };
                return Err(Error::data(&name, format!("{it} a table, but the files before it {they}")));
            }
            row
        }
        None => {
            let vocabulary = vocabulary(is_named, options, &name)?;
            let mut row = RowBuilder::new(input.names(), vocabulary, Room::of(options), options.vocabulary.is_none());
            row.about.encoding = options.encoding.unwrap_or_default();
            row.about.labels = row.about.labels.reading(&options.aliases);
            row
        }
    };
    let opening = Opening {
        input,
        options,
        format,
        shape,
        row,
        #[cfg(feature = "parquet")]
        meter,
    };
    (format.open)(opening, bytes)
}

fn vocabulary(is_named: bool, options: &ReadOptions, file: &str) -> Result<Vocabulary> {
    match (&options.vocabulary, options.hash) {
        (Some(vocabulary), _) => {
            vocabulary.admits(is_named, "the model was learned from", file)?;
            Ok(vocabulary.clone())
        }
        (None, Some(bits @ 1..=31)) => Ok(Vocabulary::Hashed { bits }),
        (None, Some(bits)) => Err(Error::usage(format!("hashing into 2^{bits} places; the bits must be 1 to 31"))),
        (None, None) if is_named => Ok(Vocabulary::named()),
        (None, None) => Ok(Vocabulary::Indexed { first: u32::from(!options.zero_based) }),
    }
}

/// What the tests of all readers do: read a text as a file of the given name.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

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
    #[derive(Default)]
    pub(crate) struct RowOutcome {
        pub(crate) rows: Vec<Seen>,
        pub(crate) bad: Vec<String>,
        pub(crate) error: Option<String>,
        pub(crate) schema: Option<TableSchema>,
        pub(crate) vocabulary: Option<Vocabulary>,
        pub(crate) labels: Vec<String>,
        pub(crate) features: usize,
        pub(crate) format: Option<Format>,
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

    /// What is handed on beside the rows of JSON lines.
    pub(crate) fn kept(text: &str, options: &ReadOptions) -> Vec<String> {
        let input = Input::Memory { name: "text".into(), bytes: text.as_bytes().into() };
        let (mut reader, _) = open(&input, options).expect("JSON lines");
        let mut batch = Batch::default();
        reader.read(&mut batch).expect("rows");
        batch.kept
    }

    fn read_all(input: &Input, options: &ReadOptions) -> RowOutcome {
        let mut outcome = RowOutcome::default();
        let read = open(input, options).and_then(|(mut reader, _)| read_rows(reader.as_mut(), &mut outcome));
        outcome.error = read.err().map(|error| error.to_string());
        outcome
    }

    fn read_rows(reader: &mut dyn Reader, outcome: &mut RowOutcome) -> Result<()> {
        let mut batch = Batch::default();
        let mut more = Ok(true);
        while matches!(more, Ok(true)) {
            more = reader.read(&mut batch);
            outcome.bad.extend(batch.bad.iter().map(Error::to_string));
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
        more.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::read_files;
    use super::*;

    #[test]
    fn formats_are_parsed_by_name_and_print_it() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().expect("its own name"), *format);
        }
        assert_eq!("svmlight".parse::<Format>().expect("an alias"), libsvm::FORMAT);
        let error = "libsv".parse::<Format>().expect_err("no such format");
        assert!(error.is_usage());
        assert!(error.to_string().contains("did you mean 'libsvm'?"), "{error}");
    }

    #[test]
    fn rows_before_an_error_are_handed_over_first() {
        let outcome = read_files(&[("a.svm", b"1 1:1\n-1 2:1\n1 x\n1 1:1\n")], &ReadOptions::default());
        assert_eq!(outcome.short(), ["1: 1=1", "-1: 2=1"]);
        assert_eq!(outcome.error.as_deref(), Some("FILE:3:3: expected index:value, found 'x'"));
    }

    #[test]
    fn bad_rows_are_skipped_and_told_of_and_leave_no_label() {
        let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
        let outcome = read_files(&[("a.svm", b"1 1:1\nheader x\n1 2:1\n")], &options);
        assert_eq!(outcome.short(), ["1: 1=1", "1: 2=1"]);
        assert_eq!(outcome.bad, ["FILE:2:8: expected index:value, found 'x'"]);
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.labels, ["1"]);
    }

    #[test]
    fn a_model_says_which_features_can_be_read() {
        let indexed = ReadOptions { vocabulary: Some(Vocabulary::INDEXED), ..Default::default() };
        let error = read_files(&[("a.vw", b"1 | a\n")], &indexed).error;
        assert_eq!(error.as_deref(), Some("FILE: has named features, but the model was learned from numbered ones"));
        let named = ReadOptions { vocabulary: Some(Vocabulary::named()), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1\n")], &named).error;
        assert_eq!(error.as_deref(), Some("FILE: has numbered features, but the model was learned from named ones"));
        let hash = ReadOptions { hash: Some(0), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1\n")], &hash).error;
        assert_eq!(error.as_deref(), Some("hashing into 2^0 places; the bits must be 1 to 31"));
    }

    #[test]
    fn values_that_add_up_to_infinity_are_refused() {
        let hash = ReadOptions { hash: Some(1), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1e308 2:1e308 3:1e308\n")], &hash).error.expect("an overflow");
        assert!(error.contains("add up"), "{error}");
    }
}
