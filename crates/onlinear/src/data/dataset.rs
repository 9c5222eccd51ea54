//! All rows of a file, to be passed over again and again: in memory, or block by block from a
//! cache beside the file.

use std::sync::Arc;

use super::batch::Batch;
use super::block::{BLOCK_ROWS, Block};
use super::block_draft::BlockDraft;
use super::cache::{Cache, CacheWriter};
use super::columns::{LateCell, TableSchema};
use super::encoding::Encoding;
use super::format::{ReadOptions, Reader, is_judged_anew, open};
use super::input::{Input, Meter};
use super::labels::{LabelId, LabelTable};
use super::vocabulary::{Room, UnseenFeatures, Vocabulary};
use crate::error::{Cure, Error, FileNames, Message, Request, Result, counted, size};
use crate::memory::most_of_memory;
use crate::space::{Row, Scratch};

/// Rows that were read once, with all that their reader found out.
pub struct Dataset {
    rows: usize,
    store: Store,
    about: Arc<About>,
}

enum Store {
    Memory {
        blocks: Vec<Block>,
        /// Whether nothing is missing in any row.
        are_whole: bool,
    },
    Cached(Box<Cache>),
}

/// What was met in a column of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnTally {
    /// Cells without a value.
    pub missing: u64,
    /// Cells with a value that a model does not know.
    pub unseen: u64,
}

/// What a reader knows at its end.
#[derive(Clone, Debug)]
pub struct About {
    /// What the file, or all of them, is called in messages.
    pub file: FileNames,
    /// The labels met.
    pub labels: LabelTable,
    /// How features are known.
    pub vocabulary: Vocabulary,
    /// How many there are.
    pub features: usize,
    /// The columns of a table.
    pub csv: Option<TableSchema>,
    /// What was met in each of them.
    pub columns: Vec<ColumnTally>,
    /// How its text is encoded, as the options say.
    pub encoding: Encoding,
    /// What was left out, where features have names and no new ones are taken.
    pub unseen: UnseenFeatures,
    /// Cells that made their columns categories when the data were first read.
    pub(crate) late: Vec<LateCell>,
}

impl About {
    /// Columns that are left out, and cells that made their columns categories, though nobody asked for it.
    pub fn doubts(&self) -> Vec<Message> {
        let of_columns = self.csv.iter().flat_map(TableSchema::doubts);
        of_columns.chain(self.late.iter().map(LateCell::doubt)).collect()
    }

    /// What to say of columns with values that the model does not know.
    pub fn unseen_values(&self) -> Vec<Message> {
        let names = self.csv.iter().flat_map(TableSchema::columns).map(|(name, _)| name);
        let columns = names.zip(&self.columns).filter(|(_, tally)| tally.unseen > 0);
        let message = |(name, tally): (&str, &ColumnTally)| {
            let values = counted(tally.unseen, "value", "values");
            Message::from(format!("column '{name}': {values} that the model does not know"))
        };
        columns.map(message).collect()
    }

    /// The place of a feature by its name, where there is so much room; none if the model does not know it.
    pub(crate) fn place(&mut self, name: &[u8], room: Room) -> std::result::Result<Option<u32>, Message> {
        let place = self.vocabulary.place(name, room)?;
        self.features = self.vocabulary.len();
        if place.is_none() {
            self.unseen.add(|| String::from_utf8_lossy(name).into_owned());
        }
        Ok(place)
    }
}

/// One row of a dataset.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Its label, numbered as in [`About::labels`].
    pub label: LabelId,
    /// Its sample weight.
    pub weight: f64,
    /// The line it came from.
    pub line: u64,
}

/// A row that is not put together.
pub(crate) struct Glance {
    pub(crate) label: LabelId,
    pub(crate) weight: f64,
    pub(crate) line: u64,
    /// w·x.
    pub(crate) dot: f64,
}

/// How a dataset is read and kept.
pub struct Keep {
    /// At most this many rows; `None` for all.
    pub limit: Option<u64>,
    /// Keep the rows in a file beside the data.
    pub cache: bool,
    /// Refuse to hold more than this in memory.
    pub max_memory: u64,
}

/// All rows, in no more than 80 % of the memory there is.
impl Default for Keep {
    fn default() -> Keep {
        Keep { limit: None, cache: false, max_memory: most_of_memory() }
    }
}

impl Dataset {
    /// Reads all of `input`, or finds it in the cache; gives also what is wrong with the rows left
    /// out, where the reader was told to skip such rows.
    pub fn load(
        input: &Input,
        options: &ReadOptions,
        keep: &Keep,
        mut reading: impl FnMut(&Meter),
    ) -> Result<(Dataset, Vec<Error>)> {
        loop {
            let known = options.findings.late_count();
            let loaded = match keep.cache {
                true => Dataset::cached(input, options, keep, &mut reading),
                false => Dataset::in_memory(input, options, keep, &mut reading),
            };
            match loaded {
                Err(_) if is_judged_anew(input, options, known) => {}
                loaded => return loaded,
            }
        }
    }

    fn in_memory(
        input: &Input,
        options: &ReadOptions,
        keep: &Keep,
        reading: &mut impl FnMut(&Meter),
    ) -> Result<(Dataset, Vec<Error>)> {
        let (mut reader, meter) = open(input, options)?;
        reading(&meter);
        let mut blocks = Vec::new();
        let mut held = 0;
        let (rows, are_whole, bad) = pack_all(reader.as_mut(), keep.limit, |block| {
            held += block.bytes() as u64;
            if held > keep.max_memory {
                let message = format!("{}: its rows do not fit in {} of memory", input.name(), size(keep.max_memory));
                return Err(Error::Memory(Message::from(message).and(Cure::CacheRows)));
            }
            blocks.push(block);
            Ok(())
        })?;
        let store = Store::Memory { blocks, are_whole };
        Ok((Dataset { rows, store, about: reader.about().clone().into() }, bad))
    }

    fn cached(
        input: &Input,
        options: &ReadOptions,
        keep: &Keep,
        reading: &mut impl FnMut(&Meter),
    ) -> Result<(Dataset, Vec<Error>)> {
        if let Input::Several(_) = input {
            let why = " keeps the rows of one file, not of several";
            return Err(Error::usage(Message::from(Request::Cache).and(why)));
        }
        let Some(path) = input.path().filter(|_| !input.is_stream()) else {
            let why = " needs a file; standard input and pipes have no place for a cache";
            return Err(Error::usage(Message::from(Request::Cache).and(why)));
        };
        if keep.limit.is_some() {
            let why = " keeps the whole file; it does not go with ";
            return Err(Error::usage(Message::from(Request::Cache).and(why).and(Request::Limit)));
        }
        let (key, cache) = Cache::find(path, options)?;
        let mut cache = match cache {
            Some(cache) => cache,
            None => {
                let (mut reader, meter) = open(input, options)?;
                reading(&meter);
                let mut writer = CacheWriter::create(path)?;
                let (rows, _, bad) = pack_all(reader.as_mut(), None, |block| writer.push(&block))?;
                if Cache::key(path, options)? != key {
                    return Err(Error::data(&input.name(), "was changed while it was read; run again"));
                }
                writer.finish(&key, rows as u64, reader.about(), &bad)?;
                Cache::open(path)
                    .filter(|cache| cache.key == key.as_bytes())
                    .ok_or_else(|| Error::data(&input.name(), "its new cache cannot be read back"))?
            }
        };
        let bad = std::mem::take(&mut cache.bad);
        Ok((Dataset { rows: cache.rows, about: cache.about.clone(), store: Store::Cached(Box::new(cache)) }, bad))
    }

    /// Takes cached rows into memory, for reading in any order.
    pub fn hold(&mut self, max_memory: u64) -> Result<()> {
        if let Store::Cached(cache) = &mut self.store {
            if cache.bytes > max_memory {
                let what =
                    format!("{}: its rows do not fit in {} of memory, which ", self.about.file, size(max_memory));
                let message = Message::from(what).and(Request::Shuffle).and(" needs").and(Cure::RaiseMemory);
                return Err(Error::Memory(message));
            }
            let blocks: Result<Vec<Block>> =
                (0..self.rows.div_ceil(BLOCK_ROWS)).map(|k| cache.block(k).cloned()).collect();
            let blocks = blocks?;
            self.store = Store::Memory { are_whole: blocks.iter().all(Block::is_whole), blocks };
        }
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// What the reader found out.
    pub fn about(&self) -> &Arc<About> {
        &self.about
    }

    /// Row `i`, unpacked into `scratch`, with a constant in front where there is to be one.
    pub fn entry<'a>(&'a mut self, i: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>> {
        let block = match &mut self.store {
            Store::Memory { blocks, .. } => &blocks[i / BLOCK_ROWS],
            Store::Cached(cache) => cache.block(i / BLOCK_ROWS)?,
        };
        Ok(entry(block, i, constant, scratch))
    }

    /// Row `i` will be announced soon.
    pub(crate) fn foresee_row(&self, i: usize) {
        self.held_block(i).inspect(|block| block.foresee(i % BLOCK_ROWS));
    }

    /// Row `i` is one of the next.
    pub(crate) fn announce_row(&self, i: usize) {
        self.held_block(i).inspect(|block| block.announce(i % BLOCK_ROWS));
    }

    /// The block of row `i`, where rows are in memory.
    fn held_block(&self, i: usize) -> Option<&Block> {
        match &self.store {
            Store::Memory { blocks, .. } => Some(&blocks[i / BLOCK_ROWS]),
            Store::Cached(_) => None,
        }
    }

    /// What row `i` is but for its features, and w·x of it behind a constant, if there is to be one: to the bit that of
    /// the row put together; `None` where it has to be for that.
    pub(crate) fn glance_at(&self, i: usize, constant: Option<f64>, w: &[f64]) -> Option<Glance> {
        let block = self.held_block(i)?;
        let i = i % BLOCK_ROWS;
        let dot = block.dot(i, constant, w)?;
        Some(Glance { label: block.labels[i], weight: block.weight(i), line: block.lines[i], dot })
    }

    /// The label of row `i`, where rows are in memory.
    pub(crate) fn label_held(&self, i: usize) -> Option<LabelId> {
        self.held_block(i).map(|block| block.labels[i % BLOCK_ROWS])
    }

    /// Whether nothing is missing in any row, as far as that is known.
    pub(crate) fn are_whole(&self) -> bool {
        matches!(self.store, Store::Memory { are_whole: true, .. })
    }

    /// Row `i`, without changing anything; `None` for rows that are in a cache only (see [`Dataset::hold`]).
    pub fn entry_held<'a>(&'a self, i: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Option<Entry<'a>> {
        self.held_block(i).map(|block| entry(block, i, constant, scratch))
    }
}

/// Row `i` of the data, which is in `block`.
fn entry<'a>(block: &'a Block, i: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Entry<'a> {
    let i = i % BLOCK_ROWS;
    Entry { x: block.row(i, constant, scratch), label: block.labels[i], weight: block.weight(i), line: block.lines[i] }
}

/// The complaint about a row that should have a label and has none.
pub(crate) fn missing_label(file: &FileNames, line: u64) -> Error {
    Error::row(file.place(line), Message::from("the row has no label").and(Cure::SkipBadRows))
}

/// Reads to the end and hands over full blocks; gives how many rows there are, whether nothing is missing in them, and
/// those left out.
fn pack_all(
    reader: &mut dyn Reader,
    limit: Option<u64>,
    mut take: impl FnMut(Block) -> Result<()>,
) -> Result<(usize, bool, Vec<Error>)> {
    let limit = limit.map_or(usize::MAX, |limit| limit as usize);
    let (mut batch, mut open) = (Batch::default(), BlockDraft::default());
    let (mut rows, mut bad) = (0, Vec::new());
    while rows < limit && reader.read(&mut batch)? {
        bad.append(&mut batch.bad);
        for i in 0..batch.len().min(limit - rows) {
            let (indices, values) = batch.rows.parts(i);
            rows += 1;
            if open.push(indices, values, batch.labels[i], batch.weight(i), batch.lines[i]) {
                take(open.take())?;
            }
        }
    }
    if !open.is_empty() {
        take(open.take())?;
    }
    Ok((rows, open.are_whole(), bad))
}
