//! Parquet: a table whose columns have types, read by the same rules as the same table in text.

use std::fs::File;
use std::io::Read;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use onlinear_parquet::{Cells, Fault, Source, Table, TableRows};

use super::columns::{check_count, day_text, moment_text, show};
use super::detect::Peeked;
use super::format::{Content, Format, Opening, Reader, RowShape};
use super::frame::{FrameColumn, Selection, Stretch, Texts, open_stretches};
use super::input::{Input, Meter};
use crate::error::{Cure, Error, Message, Result, size};

/// What a file begins with.
const MARK: &[u8] = b"PAR1";

/// So many stretches wait for their turn.
const STRETCHES_AHEAD: usize = 2;

/// The declaration.
pub(crate) const FORMAT: Format = Format {
    names: &["parquet"],
    endings: &["parquet", "pq"],
    content: Content::Magic(|start| start.starts_with(MARK)),
    shape: |_, _| RowShape::Table,
    open,
};

fn open(opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let (name, most_bytes) = (opening.input.name(), opening.options.most_bytes());
    let source = source(opening.input, &name)?;
    // What was looked at to tell the format is on the meter already.
    let unread = opening.input.size().unwrap_or(0).saturating_sub(bytes.start().len() as u64);
    let table = Table::open(source, most_bytes / 2).map_err(|fault| error(fault, &name))?;
    let too_many = |message| Error::Memory(Message::from(format!("{name}: ")).and(message));
    check_count(table.columns().len(), most_bytes).map_err(too_many)?;
    let names = table.columns().iter().map(|column| column.name.clone()).collect();
    let meter = opening.meter.clone();
    open_stretches(opening, names, |selection| {
        let mut table = table.anew();
        let rows = table.rows();
        if let Some(Selection { is_wanted, kept }) = selection {
            let is_read = |i: usize| is_wanted[i] || kept.contains(&i);
            let refused = table.columns().iter().enumerate().find(|(i, it)| is_read(*i) && it.refusal().is_some());
            if let Some((_, column)) = refused {
                let what = format!("column '{}' {}", show(&column.name), column.refusal().unwrap_or_default());
                return Err(Error::data(&name, Message::from(what).and((Cure::LeaveOut, column.name.as_str()))));
            }
            table.select(is_wanted, kept);
        }
        let stretches = Stretches { name: name.clone(), rows, table, unread, meter: meter.clone() };
        Ok(match selection {
            Some(_) => StretchSource::Ahead(StretchesAhead::new(stretches)),
            None => StretchSource::Here(Box::new(stretches)),
        })
    })
}

/// Where the rows of a file are unpacked.
enum StretchSource {
    /// By whoever asks for them: it may want few.
    Here(Box<Stretches>),
    Ahead(StretchesAhead),
}

impl Iterator for StretchSource {
    type Item = Result<Stretch>;

    fn next(&mut self) -> Option<Result<Stretch>> {
        match self {
            StretchSource::Here(stretches) => stretches.next(),
            StretchSource::Ahead(stretches) => stretches.next(),
        }
    }
}

/// Stretches that are unpacked ahead, on a thread of their own.
struct StretchesAhead {
    ready: Receiver<Result<Stretch>>,
    thread: Option<JoinHandle<()>>,
}

impl StretchesAhead {
    fn new(stretches: Stretches) -> StretchesAhead {
        let (out, ready) = sync_channel(STRETCHES_AHEAD);
        let thread = std::thread::spawn(move || {
            for stretch in stretches {
                let is_last = stretch.is_err();
                // When the receiver is gone, nobody wants any more.
                if out.send(stretch).is_err() || is_last {
                    return;
                }
            }
        });
        StretchesAhead { ready, thread: Some(thread) }
    }
}

impl Iterator for StretchesAhead {
    type Item = Result<Stretch>;

    fn next(&mut self) -> Option<Result<Stretch>> {
        if let Ok(stretch) = self.ready.recv() {
            return Some(stretch);
        }
        // An end that is none must not look like one.
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => resume_unwind(panic),
            _ => None,
        }
    }
}

/// The bytes of an input, which are read from their end.
fn source(input: &Input, name: &str) -> Result<Source> {
    match input {
        Input::Memory { bytes, .. } => Ok(Source::memory(bytes.clone())),
        Input::File(path) if !input.is_stream() => {
            let mut file = File::open(path).map_err(|reason| Error::io(name, reason))?;
            let mut start = [0; MARK.len()];
            match file.read_exact(&mut start) {
                Ok(()) if start == MARK => Ok(Source::File(Arc::new(file))),
                _ => Err(Error::data(name, "is a Parquet file packed once more; unpack it")),
            }
        }
        _ => Err(Error::data(name, "is Parquet, which is read from its end: it must be a file, not a stream")),
    }
}

fn error(fault: Fault, file: &str) -> Error {
    match fault {
        Fault::Io(reason) => Error::io(file, reason),
        Fault::Memory(bytes) => {
            Error::Memory(Message::beyond_memory(format!("{file}: its pages need {}", size(bytes))))
        }
        Fault::Content(what) => Error::data(file, format!("cannot be read as Parquet: {what}")),
    }
}

/// The rows of a file, a few at a time.
struct Stretches {
    name: Arc<str>,
    table: Table,
    /// How many rows it has.
    rows: u64,
    /// Bytes that are not yet on the meter.
    unread: u64,
    meter: Meter,
}

impl Iterator for Stretches {
    type Item = Result<Stretch>;

    fn next(&mut self) -> Option<Result<Stretch>> {
        let TableRows { count: rows, columns, kept } = match self.table.read() {
            Ok(Some(read)) => read,
            Ok(None) => return None,
            Err(fault) => return Some(Err(error(fault, &self.name))),
        };
        self.meter.advance((self.unread as u128 * rows as u128 / u128::from(self.rows.max(1))) as u64);
        let columns = columns.into_iter().map(|cells| cells.map_or_else(unread, column)).map(Arc::new).collect();
        let kept = kept.into_iter().map(column).map(Arc::new).collect();
        Some(Ok(Stretch { columns, kept, rows }))
    }
}

fn unread() -> FrameColumn {
    FrameColumn::Numbers(Vec::new())
}

/// The cells of a column as other tables have them.
fn column(cells: Cells) -> FrameColumn {
    let texts = |all: &mut dyn Iterator<Item = Option<String>>| {
        let mut texts = Texts::default();
        all.for_each(|text| texts.push(text.unwrap_or_default().as_bytes()));
        FrameColumn::Texts(texts)
    };
    match cells {
        Cells::Numbers(numbers) => FrameColumn::Numbers(numbers),
        Cells::Bits(bits) => {
            let mut texts = Texts::default();
            ["", "False", "True"].iter().for_each(|text| texts.push(text.as_bytes()));
            FrameColumn::Choices(bits.into_iter().map(|bit| bit.map_or(0, |bit| 1 + u32::from(bit))).collect(), texts)
        }
        Cells::Texts(cells) => {
            let mut texts = Texts::default();
            cells.iter().for_each(|text| texts.push(text));
            FrameColumn::Texts(texts)
        }
        Cells::Days(days) => texts(&mut days.into_iter().map(|day| day.map(day_text))),
        Cells::Moments(moments, per_second) => {
            texts(&mut moments.into_iter().map(|moment| moment.map(|ticks| moment_text(ticks, per_second))))
        }
    }
}
