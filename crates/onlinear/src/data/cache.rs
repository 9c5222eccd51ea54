//! A binary copy of a data file beside it, so that further runs and passes need not parse text.
//!
//! ```text
//! MAGIC  frame(block) …  frame(trailer)  u64 offset of the trailer  MAGIC
//! frame = u64 length, u32 CRC-32, bytes
//! ```
//!
//! All numbers are little-endian. The trailer holds a key made of the source's length, when it was changed, a hash of
//! it and the options it was read with: another key means a stale cache, which is built anew. So is one that is damaged
//! in any way, or holds what no reader gives. Whoever may write beside the source can forge other rows.
//!
//! Values of few decimals, which most text has, are kept as whole numbers of three bytes: their quotient by a power of
//! ten is the number that was read, to the bit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3;

use super::block::{BLOCK_ROWS, Block, Indices, Values};
use super::columns::TableSchema;
use super::dataset::About;
use super::dataset::ColumnTally;
use super::encoding::Encoding;
use super::format::ReadOptions;
use super::labels::LabelTable;
use super::replacement::{Replacement, is_stream};
use super::vocabulary::{MOST_FEATURES, UnseenFeatures, Vocabulary};
use crate::error::{Error, Message, Place, Result};

const MAGIC: &[u8; 16] = b"onlinear cache 7";
const FRAME_HEADER: u64 = 12;

/// A cache open for reading.
pub(crate) struct Cache {
    /// What it answers to.
    pub(crate) key: Vec<u8>,
    pub(crate) rows: usize,
    pub(crate) about: Arc<About>,
    /// What is wrong with the rows left out.
    pub(crate) bad: Vec<Error>,
    /// The length of the file.
    pub(crate) bytes: u64,
    blocks: BlocksAhead,
    /// The block in memory and its number, if it is one.
    block: Block,
    number: Option<usize>,
}

/// The blocks in a file.
struct BlockReader {
    path: PathBuf,
    file: File,
    bytes: u64,
    offsets: Vec<u64>,
    rows: usize,
    /// The frame last read, whose memory is used again.
    frame: Vec<u8>,
}

impl BlockReader {
    /// Puts block `k` in the place of `block`.
    fn read(&mut self, k: usize, block: &mut Block) -> Result<()> {
        let rows = BLOCK_ROWS.min(self.rows - k * BLOCK_ROWS);
        let read = read_frame(&mut self.file, self.offsets[k], self.bytes, &mut self.frame)
            .and_then(|()| decode(&self.frame, block))
            .filter(|()| block.len() == rows);
        let name = || self.path.display().to_string();
        read.ok_or_else(|| Error::data(&name(), "the cache was damaged while in use; run again"))
    }
}

/// Blocks that are read on a thread of their own: while one is learned from, the next is read.
struct BlocksAhead {
    ask: Sender<(usize, Block)>,
    /// Only its owner takes from it; the lock lets threads share what they do not touch.
    ready: Mutex<Receiver<Result<Block>>>,
    /// How many there are.
    count: usize,
    /// The one that was asked for last, if it has not been taken.
    asked: Option<usize>,
    spare: Block,
}

impl BlocksAhead {
    fn new(mut reader: BlockReader) -> BlocksAhead {
        let count = reader.offsets.len();
        let ((ask, asked), (out, ready)) = (channel::<(usize, Block)>(), channel());
        std::thread::spawn(move || {
            // Ends when nobody asks any more.
            for (k, mut block) in asked {
                let read = reader.read(k, &mut block).map(|()| block);
                if out.send(read).is_err() {
                    return;
                }
            }
        });
        BlocksAhead { ask, ready: Mutex::new(ready), count, asked: None, spare: Block::default() }
    }

    /// Block `k`, for which `old` is handed in; the one behind it will be wanted next.
    fn get(&mut self, k: usize, old: Block) -> Result<Block> {
        if self.asked.is_some_and(|asked| asked != k) {
            self.spare = self.take().unwrap_or_default();
        }
        if self.asked.is_none() {
            self.request(k);
        }
        let block = self.take();
        self.spare = old;
        if k + 1 < self.count {
            self.request(k + 1);
        }
        block
    }

    fn request(&mut self, k: usize) {
        // A thread that is gone is noticed when its answer is taken.
        let _ = self.ask.send((k, std::mem::take(&mut self.spare)));
        self.asked = Some(k);
    }

    fn take(&mut self) -> Result<Block> {
        self.asked = None;
        let ready = self.ready.get_mut().unwrap_or_else(PoisonError::into_inner);
        ready.recv().unwrap_or_else(|_| Err(Error::io("the cache", std::io::Error::other("its reader has ended"))))
    }
}

/// Where the cache of `source` is.
fn path_of(source: &Path) -> PathBuf {
    let mut name = source.as_os_str().to_owned();
    name.push(".onlinear-cache");
    PathBuf::from(name)
}

impl Cache {
    /// What a cache of `source`, read with `options`, must answer to.
    pub(crate) fn key(source: &Path, options: &ReadOptions) -> Result<String> {
        let failed = |error| Error::io(source.display(), error);
        let mut file = File::open(source).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let changed = about.modified().map_or(0, since);
        let mut hash = Xxh3::new();
        let mut block = vec![0; 1 << 18];
        loop {
            match file.read(&mut block).map_err(failed)? {
                0 => break,
                n => hash.update(&block[..n]),
            }
        }
        let (length, hash) = (about.len(), hash.digest128());
        Ok(format!("{length} bytes of {changed}, XXH3 {hash:032x}, {}", options.key()))
    }

    /// The cache of `source` read with `options`, if there is one, whole and not stale, and the key that one must have.
    /// Both are read at once.
    pub(crate) fn find(source: &Path, options: &ReadOptions) -> Result<(String, Option<Cache>)> {
        std::thread::scope(|scope| {
            let key = scope.spawn(|| Cache::key(source, options));
            let cache = Cache::open(source);
            let key = key.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let cache = cache.filter(|cache| cache.key == key.as_bytes());
            Ok((key, cache))
        })
    }

    /// The cache of `source`, if there is one that is whole.
    pub(crate) fn open(source: &Path) -> Option<Cache> {
        let path = path_of(source);
        if is_stream(&path) {
            return None; // nobody may ever write to a pipe
        }
        let mut file = File::open(&path).ok()?;
        let bytes = file.metadata().ok()?.len();
        let mut head = [0; 16];
        file.read_exact(&mut head).ok()?;
        let mut tail = [0; 24];
        file.seek(SeekFrom::Start(bytes.checked_sub(24)?)).ok()?;
        file.read_exact(&mut tail).ok()?;
        let (offset, mark) = tail.split_first_chunk::<8>()?;
        if &head != MAGIC || mark != MAGIC {
            return None;
        }
        let mut frame = Vec::new();
        read_frame(&mut file, u64::from_le_bytes(*offset), bytes, &mut frame)?;
        let mut trailer = Bytes(&frame);
        let key = trailer.take()?.to_vec();
        let (rows, features) = (trailer.number()? as usize, trailer.number()? as usize);
        let mut labels = LabelTable::default();
        for (id, text) in trailer.list()?.into_iter().enumerate() {
            (labels.id(text).ok()? as usize == id).then_some(())?;
        }
        let vocabulary = match trailer.number()? {
            0 => Vocabulary::INDEXED,
            33 => Vocabulary::Indexed { first: 0 },
            1 => Vocabulary::from_names(trailer.list()?)?,
            bits @ 2..=32 => Vocabulary::Hashed { bits: bits as u32 - 1 },
            _ => return None,
        };
        let is_named = !matches!(vocabulary, Vocabulary::Indexed { .. });
        if features > MOST_FEATURES || is_named && features != vocabulary.len() {
            return None;
        }
        let csv = match trailer.take()? {
            b"" => None,
            json => Some(TableSchema::from_json(&serde_json::from_slice(json).ok()?)?).filter(|_| is_named),
        };
        let encoding = Encoding::named(std::str::from_utf8(trailer.take()?).ok()?).ok()?;
        let tally = |_| Some(ColumnTally { missing: trailer.number()?, unseen: trailer.number()? });
        let columns = (0..csv.as_ref().map_or(0, |csv| csv.columns.len())).map(tally).collect::<Option<_>>()?;
        let (name, unseen) = (source.display().to_string().as_str().into(), UnseenFeatures::default());
        let late = Vec::new();
        let about = Arc::new(About { file: name, labels, vocabulary, features, csv, columns, encoding, unseen, late });
        let bad = (0..trailer.number()?).map(|_| trailer.bad_row(&about.file)).collect::<Option<_>>()?;
        let offsets: Vec<u64> = (0..rows.div_ceil(BLOCK_ROWS)).map(|_| trailer.number()).collect::<Option<_>>()?;
        let (labels, mut block) = (about.labels.len(), Block::default());
        let mut reader = BlockReader { path, file, bytes, offsets, rows, frame };
        // Damage is better found now than in the middle of a run.
        let mut is_whole = |k| reader.read(k, &mut block).is_ok() && block.is_of_a_reader(features, labels);
        if !(0..rows.div_ceil(BLOCK_ROWS)).all(&mut is_whole) {
            return None;
        }
        Some(Cache { key, rows, about, bad, bytes, blocks: BlocksAhead::new(reader), block, number: None })
    }

    /// Block `k`, read unless it is the one in memory.
    pub(crate) fn block(&mut self, k: usize) -> Result<&Block> {
        if self.number != Some(k) {
            self.number = None;
            self.block = self.blocks.get(k, std::mem::take(&mut self.block))?;
            self.number = Some(k);
        }
        Ok(&self.block)
    }
}

/// A cache being written: to a temporary file, which becomes the cache at the end.
pub(crate) struct CacheWriter {
    path: PathBuf,
    out: Replacement,
    at: u64,
    offsets: Vec<u64>,
}

impl CacheWriter {
    pub(crate) fn create(source: &Path) -> Result<CacheWriter> {
        let path = path_of(source);
        let failed = |error| Error::io(path.display(), error);
        let mut out = Replacement::as_private_as(source, &path).map_err(failed)?;
        out.write_all(MAGIC).map_err(failed)?;
        Ok(CacheWriter { path, out, at: MAGIC.len() as u64, offsets: Vec::new() })
    }

    fn frame(&mut self, bytes: &[u8]) -> Result<()> {
        let mut write = || -> std::io::Result<()> {
            self.out.write_all(&(bytes.len() as u64).to_le_bytes())?;
            self.out.write_all(&crc32fast::hash(bytes).to_le_bytes())?;
            self.out.write_all(bytes)
        };
        write().map_err(|error| Error::io(self.path.display(), error))?;
        self.at += FRAME_HEADER + bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn push(&mut self, block: &Block) -> Result<()> {
        self.offsets.push(self.at);
        self.frame(&encode(block))
    }

    pub(crate) fn finish(mut self, key: &str, rows: u64, about: &About, bad: &[Error]) -> Result<()> {
        let mut trailer = Vec::new();
        put(&mut trailer, key.as_bytes());
        put_number(&mut trailer, rows);
        put_number(&mut trailer, about.features as u64);
        put_list(&mut trailer, about.labels.texts().map(str::as_bytes));
        match (&about.vocabulary, about.vocabulary.names()) {
            (Vocabulary::Indexed { first: 0 }, _) => put_number(&mut trailer, 33),
            (Vocabulary::Hashed { bits }, _) => put_number(&mut trailer, u64::from(*bits) + 1),
            (_, Some(names)) => {
                put_number(&mut trailer, 1);
                put_list(&mut trailer, names.into_iter());
            }
            _ => put_number(&mut trailer, 0),
        }
        put(&mut trailer, about.csv.as_ref().map(|csv| csv.to_json().to_string()).unwrap_or_default().as_bytes());
        put(&mut trailer, about.encoding.name().as_bytes());
        for tally in &about.columns {
            put_number(&mut trailer, tally.missing);
            put_number(&mut trailer, tally.unseen);
        }
        put_number(&mut trailer, bad.len() as u64);
        for error in bad {
            let (line, column, message) = match error {
                Error::Row { place, message } => (place.line, place.column, message.clone()),
                other => (0, 0, other.to_string().into()),
            };
            put_number(&mut trailer, line);
            put_number(&mut trailer, column);
            put_list(&mut trailer, message.to_lines().iter().map(String::as_bytes));
        }
        self.offsets.iter().for_each(|&offset| put_number(&mut trailer, offset));
        let offset = self.at;
        self.frame(&trailer)?;
        let CacheWriter { path, mut out, .. } = self;
        let end =
            || out.write_all(&offset.to_le_bytes()).and_then(|()| out.write_all(MAGIC)).and_then(|()| out.complete());
        end().map_err(|error| Error::io(path.display(), error))
    }
}

/// Reads the frame at `offset` into `frame`, if it is whole; `bytes` is the length of the file.
fn read_frame(file: &mut File, offset: u64, bytes: u64, frame: &mut Vec<u8>) -> Option<()> {
    let mut header = [0; FRAME_HEADER as usize];
    file.seek(SeekFrom::Start(offset)).ok()?;
    file.read_exact(&mut header).ok()?;
    let (length, crc) = header.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    if length > bytes.checked_sub(offset)?.checked_sub(FRAME_HEADER)? {
        return None;
    }
    frame.resize(length as usize, 0);
    file.read_exact(frame).ok()?;
    (crc == crc32fast::hash(frame).to_le_bytes()).then_some(())
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_list<'a>(out: &mut Vec<u8>, items: impl Iterator<Item = &'a [u8]>) {
    let items: Vec<_> = items.collect();
    put_number(out, items.len() as u64);
    items.into_iter().for_each(|item| put(out, item));
}

/// Numbers of one type, each as its little-endian bytes.
fn put_values<T: Copy, const N: usize>(out: &mut Vec<u8>, values: &[T], bytes: impl Fn(T) -> [u8; N]) {
    let bytes: Vec<u8> = values.iter().flat_map(|&value| bytes(value)).collect();
    put(out, &bytes);
}

/// Which form the values have, and the values.
fn put_form<T: Copy, const N: usize>(out: &mut Vec<u8>, form: u64, values: &[T], bytes: impl Fn(T) -> [u8; N]) {
    put_number(out, form);
    put_values(out, values, bytes);
}

/// Bytes yet to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn bad_row(&mut self, file: &str) -> Option<Error> {
        let place = Place { file: file.into(), line: self.number()?, column: self.number()? };
        let lines: std::result::Result<Vec<_>, _> = self.list()?.into_iter().map(std::str::from_utf8).collect();
        Some(Error::row(place, Message::from_lines(lines.ok()?.into_iter())?))
    }

    /// Puts the next values into `out`, in place of those that are there, and gives how many they are.
    fn values<T, const N: usize>(&mut self, out: &mut Vec<T>, value: impl Fn([u8; N]) -> T) -> Option<usize> {
        let (chunks, rest) = self.take()?.as_chunks::<N>();
        out.clear();
        out.extend(chunks.iter().map(|chunk| value(*chunk)));
        rest.is_empty().then_some(out.len())
    }

    fn list(&mut self) -> Option<Vec<&'a [u8]>> {
        (0..self.number()?).map(|_| self.take()).collect()
    }
}

/// The places of all components of rows that have every one up to their last.
fn whole_places(block: &Block) -> Vec<u32> {
    let starts = std::iter::once(0).chain(block.ends.iter().copied());
    starts.zip(&block.ends).flat_map(|(start, &end)| 0..(end - start) as u32).collect()
}

fn encode(block: &Block) -> Vec<u8> {
    let mut out = Vec::new();
    put_values(&mut out, &block.ends, u64::to_le_bytes);
    put_values(&mut out, &block.labels, u32::to_le_bytes);
    put_values(&mut out, &block.weights, f64::to_le_bytes);
    put_values(&mut out, &block.lines, u64::to_le_bytes);
    match &block.indices {
        // Where values are not written down, places say how many there are.
        Indices::Whole if block.values == Values::Ones => put_form(&mut out, 1, &whole_places(block), u32::to_le_bytes),
        Indices::Whole => put_number(&mut out, 2),
        Indices::Narrow(indices) => put_form(&mut out, 0, indices, u16::to_le_bytes),
        Indices::Wide(indices) => put_form(&mut out, 1, indices, u32::to_le_bytes),
    }
    match &block.values {
        Values::Ones => put_number(&mut out, 0),
        Values::Bytes(values) => put_form(&mut out, 1, values, u8::to_le_bytes),
        Values::Single(values) => put_form(&mut out, 2, values, f32::to_le_bytes),
        Values::Double(values) => match Decimals::of(values) {
            Some(Decimals { behind, wholes }) => {
                put_number(&mut out, 4);
                put_number(&mut out, behind as u64);
                put(&mut out, &wholes);
            }
            None => put_form(&mut out, 3, values, f64::to_le_bytes),
        },
    }
    out
}

/// Numbers of few decimals.
struct Decimals {
    /// How many digits stand behind the point.
    behind: usize,
    /// The numbers without it, three bytes each.
    wholes: Vec<u8>,
}

impl Decimals {
    /// All that have so many digits behind the point can be whole numbers of three bytes.
    const POWERS: [f64; 8] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7];
    /// Numbers without their point are below this.
    const MOST: f64 = (1 << 23) as f64;

    /// These numbers, if they have few decimals.
    fn of(values: &[f64]) -> Option<Decimals> {
        let whole = |value: f64, power: f64| {
            let whole = (value * power).round();
            let is_same = || (f64::from(whole as i32) / power).to_bits() == value.to_bits();
            (whole.abs() < Decimals::MOST && is_same()).then_some(whole as i32)
        };
        let fits = |power: &f64| values.iter().all(|&value| whole(value, *power).is_some());
        let behind = Decimals::POWERS.iter().position(fits)?;
        let bytes = |&value: &f64| {
            let [a, b, c, _] = whole(value, Decimals::POWERS[behind]).unwrap_or(0).to_le_bytes();
            [a, b, c]
        };
        Some(Decimals { behind, wholes: values.iter().flat_map(bytes).collect() })
    }

    /// Puts the numbers that were written so into `out` and gives how many they are.
    fn read(behind: u64, wholes: &[u8], out: &mut Vec<f64>) -> Option<usize> {
        let power = *Decimals::POWERS.get(usize::try_from(behind).ok()?)?;
        let (wholes, rest) = wholes.as_chunks::<3>();
        // The sign is in the highest of the three.
        let value = |&[a, b, c]: &[u8; 3]| f64::from(i32::from_le_bytes([0, a, b, c]) >> 8) / power;
        out.clear();
        out.extend(wholes.iter().map(value));
        rest.is_empty().then_some(out.len())
    }
}

/// Fills a list in one of several forms anew, in the memory of the old one if that is of this form, and gives how many
/// items it has.
macro_rules! refill {
    ($place:ident, $form:path, $fill:expr) => {{
        let mut list = if let $form(list) = std::mem::take($place) { list } else { Vec::new() };
        let count = $fill(&mut list)?;
        *$place = $form(list);
        count
    }};
}

/// Puts the rows of a frame in the place of those in `block`, whose memory is used again.
fn decode(bytes: &[u8], block: &mut Block) -> Option<()> {
    let Block { ends, indices, values, labels, weights, lines } = block;
    let mut bytes = Bytes(bytes);
    let rows = bytes.values(ends, u64::from_le_bytes)?;
    let counts = [
        bytes.values(labels, u32::from_le_bytes)?,
        bytes.values(weights, f64::from_le_bytes)?,
        bytes.values(lines, u64::from_le_bytes)?,
    ];
    let count = match bytes.number()? {
        0 => refill!(indices, Indices::Narrow, |list| bytes.values(list, u16::from_le_bytes)),
        1 => refill!(indices, Indices::Wide, |list| bytes.values(list, u32::from_le_bytes)),
        2 => {
            *indices = Indices::Whole;
            ends.last().map_or(0, |&end| end as usize)
        }
        _ => return None,
    };
    let held = match bytes.number()? {
        0 if *indices == Indices::Whole => return None, // nothing would say how many there are
        0 => {
            *values = Values::Ones;
            count
        }
        1 => refill!(values, Values::Bytes, |list| bytes.values(list, u8::from_le_bytes)),
        2 => refill!(values, Values::Single, |list| bytes.values(list, f32::from_le_bytes)),
        3 => refill!(values, Values::Double, |list| bytes.values(list, f64::from_le_bytes)),
        4 => {
            let (behind, wholes) = (bytes.number()?, bytes.take()?);
            refill!(values, Values::Double, |list| Decimals::read(behind, wholes, list))
        }
        _ => return None,
    };
    let [of_labels, of_weights, of_lines] = counts;
    let fits = held == count
        && of_labels == rows
        && of_lines == rows
        && (of_weights == 0 || of_weights == rows)
        && ends.is_sorted()
        && ends.last().copied().unwrap_or(0) == count as u64;
    fits.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_few_decimals_come_back_to_the_bit() {
        let read = |text: &str| text.parse::<f64>().expect("a number");
        for (texts, behind) in [
            (&["0.5", "-12", "838860.7"][..], Some(1)),
            (&["0.000001", "0.999999", "-0.123456", "8.388607"], Some(6)),
            (&["0.1234567", "-0.8388607"], Some(7)),
            (&["300", "-300"], Some(0)),
            (&["838860.8"], None),
            (&["0.12345678"], None),
            (&["0.5", "-0.0"], None),
            (&["0.5", "nan"], None),
        ] {
            let values: Vec<f64> = texts.iter().map(|text| read(text)).collect();
            let decimals = Decimals::of(&values);
            assert_eq!(decimals.as_ref().map(|decimals| decimals.behind), behind, "{texts:?}");
            if let Some(Decimals { behind, wholes }) = decimals {
                let mut back = vec![7.0];
                assert_eq!(Decimals::read(behind as u64, &wholes, &mut back), Some(values.len()));
                assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "{texts:?}: {back:?}");
            }
        }
        assert_eq!(Decimals::read(8, &[0; 3], &mut Vec::new()), None);
        assert_eq!(Decimals::read(1, &[0; 4], &mut Vec::new()), None);
    }
}
