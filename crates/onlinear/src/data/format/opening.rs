//! How an input becomes a reader.

use std::path::PathBuf;

use super::reader::{DraftReader, RowByRow};
use super::{Content, DraftSource, Format, KnownRows, LabelsWanted, ReadOptions, Reader, RowShape, RowSource};
use crate::data::batch::Batch;
use crate::data::blocks::{Blocks, RecordEnds};
use crate::data::chain::Chain;
use crate::data::columns::{ColumnKind, Encoder, LateCell, Origin, TableSchema, find};
use crate::data::detect::{self, Peeked};
use crate::data::encoding::Decoded;
use crate::data::foreign;
use crate::data::frame;
use crate::data::idx;
use crate::data::input::{Input, Meter};
use crate::data::jsonl;
use crate::data::libsvm;
use crate::data::lookup::{Lookup, Strictness};
use crate::data::row_builder::{Fault, RowBuilder};
use crate::data::text::{LineParser, RecordParser, TextRows, TextWork};
use crate::data::vocabulary::{Room, Vocabulary};
use crate::data::vw;
use crate::error::{Cure, Error, Message, Request, Result};

/// What a reader is opened on.
pub(crate) struct Opening<'a> {
    pub(crate) input: &'a Input,
    pub(crate) options: &'a ReadOptions,
    pub(crate) format: Format,
    pub(crate) shape: RowShape,
    pub(crate) lookup: Lookup,
    pub(crate) work: TextWork,
    /// How far the reading has got, for a format that does not read bytes one after another.
    #[cfg(feature = "parquet")]
    pub(crate) meter: &'a Meter,
}

impl Opening<'_> {
    /// What the columns of a table hold, where that is known before it is read.
    pub(crate) fn known_schema(&self) -> Option<(TableSchema, Origin)> {
        let of_files = self.lookup.about.csv.clone().map(|schema| (schema, Origin::FilesBefore));
        of_files.or_else(|| self.options.schema.clone().map(|schema| (schema, Origin::Model)))
    }

    /// The same where it may also be known from an earlier reading.
    pub(crate) fn found_schema(&self) -> Option<(TableSchema, Origin)> {
        let found = || self.options.findings.schema(&self.options.reading(self.input.path()?));
        self.known_schema().or_else(|| found().map(|schema| (schema, Origin::FirstRows)))
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
        let mut schema = TableSchema { decimal: asked.decimal.unwrap_or(schema.decimal), ..schema };
        if origin == Origin::Model && asked.decimal.is_some() {
            schema.columns.iter_mut().for_each(|column| column.decimal = None);
        }
        let encoder = Encoder::new(columns, &schema, missing, (origin, asked), &mut self.lookup, &file)?;
        if let (Origin::FirstRows, Some(path)) = (origin, self.input.path()) {
            self.options.findings.keep_schema(self.options.reading(path), &schema);
        }
        self.lookup.about.csv = Some(schema);
        self.lookup.about.late = self.options.findings.late();
        Ok((encoder, kept))
    }

    /// A reader of a format in which a row is a line, which `parse` parses.
    pub(crate) fn lines<F>(self, bytes: Peeked, parse: F) -> Result<Box<dyn Reader>>
    where
        F: FnMut(&mut RowBuilder, &[u8], u64, &mut Batch) -> std::result::Result<usize, Fault> + Clone + Send + 'static,
    {
        let blocks = self.blocks(bytes, RecordEnds::AtLines);
        Ok(self.text(blocks, LineParser(parse)))
    }

    /// The records of a text.
    pub(crate) fn blocks(&self, bytes: Peeked, ends: RecordEnds) -> Blocks {
        Blocks::new(Box::new(bytes), ends, self.options.longest_line(), self.work.block)
    }

    /// A reader of the rows that a parser makes of records.
    pub(crate) fn text(self, blocks: Blocks, parser: impl RecordParser) -> Box<dyn Reader> {
        let (row, file) = (self.lookup.row_builder(), self.input.name());
        let rows = TextRows::new(blocks, parser, row, file, self.work, self.input.is_stream());
        self.drafts(rows)
    }

    /// A reader of rows from `source`.
    pub(crate) fn reader(self, source: impl RowSource + 'static) -> Box<dyn Reader> {
        let row = self.lookup.row_builder();
        self.drafts(RowByRow::new(source, row))
    }

    fn drafts(self, source: impl DraftSource + 'static) -> Box<dyn Reader> {
        let Opening { input, options, format, lookup, .. } = self;
        let skip_bad_rows = options.skip_bad_rows;
        let labels = if skip_bad_rows { options.labels.clone() } else { LabelsWanted::Any };
        let strictness = Strictness { file: input.name(), skip_bad_rows, labels, findings: options.findings.clone() };
        Box::new(DraftReader::new(source, lookup, format, strictness))
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
        if format == jsonl::FORMAT {
            bytes.look_at_whole_line(options.longest_line()); // its keys tell the shape, wherever they stand
        }
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
    open_with(input, options, TextWork::default())
}

/// Whether what ended the reading of `input`, for which so many late cells were known, is one more of them that makes
/// its column a category. All is then to be read again, from the start.
pub(crate) fn is_judged_anew(input: &Input, options: &ReadOptions, known: usize) -> bool {
    let late = options.findings.late();
    let Some(late) = late.get(known..).and_then(<[LateCell]>::last) else { return false };
    let is_category = |reader: Box<dyn Reader>| {
        let mut columns = reader.about().csv.iter().flat_map(|schema| &schema.columns);
        let column = columns.find(|column| column.name == late.column);
        column.is_some_and(|column| matches!(column.kind, ColumnKind::Category { .. }))
    };
    // One that would be refused among the first rows is refused here, where its place is known.
    let is_new = !input.is_stream() && open(input, options).is_ok_and(|(reader, _)| is_category(reader));
    if !is_new {
        options.findings.forget_late();
    }
    is_new
}

/// Opens `input`, whose text is parsed as `work` says.
pub(crate) fn open_with(input: &Input, options: &ReadOptions, work: TextWork) -> Result<(Box<dyn Reader>, Meter)> {
    let meter = Meter::of(input);
    let reader = match input {
        Input::Several(inputs) => Chain::open(inputs, options, &meter, work)?,
        one => open_one(one, options, None, &meter, work)?,
    };
    Ok((reader, meter))
}

/// Opens an input that is not several, to go on with the rows of those before it.
pub(crate) fn open_one(
    input: &Input,
    options: &ReadOptions,
    before: Option<Lookup>,
    meter: &Meter,
    work: TextWork,
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
        let cure = Some(&bytes).filter(|_| format == libsvm::FORMAT);
        let why = match cure
            .and_then(|bytes| detect::other_divider(bytes.first_line(), options.columns.label.as_deref(), &name))
        {
            Some(told) => {
                format!(
                    " is for tables, whose cells are divided by commas, semicolons, tabs or |; those of {name} {told}"
                )
            }
            None => format!(" is for tables, which have columns; {name} is {format}"),
        };
        let message = Message::from(*request).and(why);
        return Err(Error::usage(if format == vw::FORMAT { message.and(Cure::NameCsv) } else { message }));
    }
    if options.zero_based && format != libsvm::FORMAT {
        let why = format!(" are for LIBSVM text; {name} is {format}");
        return Err(Error::usage(Message::from(Request::ZeroBased).and(why)));
    }
    let is_named = shape != RowShape::Numbered;
    let lookup = match before {
        Some(lookup) => {
            lookup.about.vocabulary.admits(is_named, "the files before it have", &name)?;
            if lookup.about.csv.is_some() != (shape == RowShape::Table) {
                let [it, they] = if shape == RowShape::Table { ["is", "are not"] } else { ["is not", "are"] };
                return Err(Error::data(&name, format!("{it} a table, but the files before it {they}")));
            }
            lookup
        }
        None => {
            let vocabulary = vocabulary(is_named, options, &name)?;
            let mut lookup = Lookup::new(input.names(), vocabulary, Room::of(options), options.vocabulary.is_none());
            lookup.about.encoding = options.encoding.unwrap_or_default();
            lookup.about.labels = lookup.about.labels.reading(&options.aliases);
            lookup
        }
    };
    let opening = Opening {
        input,
        options,
        format,
        shape,
        lookup,
        work,
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
