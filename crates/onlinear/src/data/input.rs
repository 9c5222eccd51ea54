//! Bytes in: a file or standard input, plain or compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;

use super::frame::Frame;
use super::read_ahead::{Fill, ReadAhead, Stop, is_stop};
use crate::error::{Error, FileNames, Result};

/// What packed data start with.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The first of sixteen marks of something else within zstd data, which is skipped; their first bytes rise by one.
const ZSTD_SKIPPED: &[u8] = &[0x50, 0x2a, 0x4d, 0x18];

/// How much of packed data is read at a time: each time that an unpacker has used it up, it puts its window aside.
const PACKED_BLOCK: usize = 128 * 1024;

/// Where data come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A file, which can be read again.
    File(PathBuf),
    /// Standard input, which cannot.
    Stdin,
    /// Several of them, read one after another as one.
    Several(Arc<[Input]>),
    /// Bytes already there.
    Memory {
        /// What they are called in messages.
        name: Arc<str>,
        /// The bytes, as a file would hold them.
        bytes: Arc<[u8]>,
    },
    /// A table already there, of Python's.
    #[doc(hidden)]
    Frame(Frame),
}

impl Input {
    /// The input a user means by `text`: a path, or `-`.
    pub fn named(text: &str) -> Input {
        if text == "-" { Input::Stdin } else { Input::File(PathBuf::from(text)) }
    }

    /// The input a user means by these, of which there is one at least.
    pub fn all(texts: &[String]) -> Input {
        match texts {
            [only] => Input::named(only),
            _ => Input::Several(texts.iter().map(|text| Input::named(text)).collect()),
        }
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) => Some(path),
            Input::Stdin | Input::Memory { .. } | Input::Frame(_) | Input::Several(_) => None,
        }
    }

    /// The table, if it is one in memory.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        match self {
            Input::Frame(frame) => Some(frame),
            _ => None,
        }
    }

    /// Whether the data pass by once, as on standard input or a pipe.
    pub fn is_stream(&self) -> bool {
        match self {
            Input::Stdin => true,
            // What cannot be looked at cannot be opened either: that says more.
            Input::File(path) => std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()),
            Input::Memory { .. } => false,
            Input::Frame(frame) => frame.is_stream(),
            Input::Several(inputs) => inputs.iter().any(Input::is_stream),
        }
    }

    /// The name for messages.
    pub fn name(&self) -> Arc<str> {
        match self {
            Input::File(path) => path.display().to_string().into(),
            Input::Stdin => "<stdin>".into(),
            Input::Memory { name, .. } => name.clone(),
            Input::Frame(frame) => frame.name().clone(),
            Input::Several(_) => (*self.names()).into(),
        }
    }

    /// What each of its files is called.
    pub fn names(&self) -> FileNames {
        match self {
            Input::Several(inputs) => FileNames::of(inputs.iter().map(Input::name).collect()),
            one => FileNames::of(vec![one.name()]),
        }
    }

    /// How many bytes there are as they are on disk, if that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Input::Stdin | Input::Frame(_) => None,
            Input::Memory { bytes, .. } => Some(bytes.len() as u64),
            Input::File(path) => std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|it| it.len()),
            Input::Several(inputs) => inputs.iter().map(Input::size).sum(),
        }
    }

    /// Opens one that is not several and unpacks what is packed, while `meter` follows how far that gets. Where it is
    /// a stream, `stop` ends a wait for more.
    pub(crate) fn open(&self, stop: Option<&Stop>, meter: &Meter) -> Result<Box<dyn Read + Send>> {
        let name = self.name();
        let failed = |reason| if is_stop(&reason) { Error::Interrupted } else { Error::io(&name, reason) };
        let stream = |raw: Box<dyn Read + Send>| -> Box<dyn Read + Send> {
            match stop {
                Some(stop) => Box::new(ReadAhead::new(raw, Fill::AsItComes, stop.clone())),
                None => raw,
            }
        };
        let raw: Box<dyn Read + Send> = match self {
            Input::Stdin => stream(Box::new(io::stdin())),
            Input::Memory { bytes, .. } => Box::new(Cursor::new(bytes.clone())),
            // Its rows are there, and no bytes.
            Input::Frame(_) => Box::new(io::empty()),
            Input::Several(_) => return Err(Error::data(&name, "are several files; expected one")),
            Input::File(path) => {
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                if about.is_dir() {
                    return Err(Error::data(&name, "is a directory; expected a file"));
                }
                match about.is_file() {
                    true => Box::new(file),
                    false => stream(Box::new(file)),
                }
            }
        };
        let mut metered = Metered { inner: raw, read: meter.read.clone() };
        let mut magic = Vec::with_capacity(4);
        // Byte by byte: a line typed into a pipe may be shorter than a magic number.
        let may_tell = |start: &[u8]| {
            let start = as_mark(start);
            [GZIP, ZSTD, ZSTD_SKIPPED].iter().any(|magic| *magic != &start[..] && magic.starts_with(&start))
        };
        while may_tell(&magic) && (&mut metered).take(1).read_to_end(&mut magic).map_err(failed)? > 0 {}
        let whole = Cursor::new(magic.clone()).chain(metered);
        let waits = stop.cloned().unwrap_or_default();
        let plain: Box<dyn Read + Send> = match &as_mark(&magic)[..] {
            GZIP => Box::new(ReadAhead::new(GzipMembers::new(whole), Fill::Whole, waits)),
            #[cfg(feature = "zstd")]
            ZSTD | ZSTD_SKIPPED => {
                Box::new(ReadAhead::new(zstd::stream::read::Decoder::new(whole).map_err(failed)?, Fill::Whole, waits))
            }
            #[cfg(not(feature = "zstd"))]
            ZSTD | ZSTD_SKIPPED => return Err(Error::data(&name, "is zstd-compressed, and this build has no zstd")),
            _ => Box::new(whole),
        };
        Ok(plain)
    }
}

/// The start of data, with the first of the marks that are alike in the place of each.
fn as_mark(start: &[u8]) -> Vec<u8> {
    let mut mark = start.to_vec();
    if let Some(first @ 0x50..=0x5f) = mark.first_mut() {
        *first = 0x50;
    }
    mark
}

/// The members of a gzip file, one after another, with zeros behind them on tapes and in blocks.
struct GzipMembers<R> {
    /// None behind the last one.
    member: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> GzipMembers<R> {
    fn new(bytes: R) -> GzipMembers<R> {
        GzipMembers { member: Some(GzDecoder::new(BufReader::with_capacity(PACKED_BLOCK, bytes))) }
    }
}

impl<R: Read> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let mut rest = self.member.take().expect("the member that was read").into_inner();
            loop {
                let zeros = match rest.fill_buf() {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                    Ok([]) => return Ok(0),
                    Ok(bytes) => bytes.iter().take_while(|&&byte| byte == 0).count(),
                };
                if zeros == 0 {
                    break;
                }
                rest.consume(zeros);
            }
            self.member = Some(GzDecoder::new(rest));
        }
        Ok(0)
    }
}

/// All bytes of an input that is not several, unpacked where they are packed.
pub fn unpacked(input: &Input) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.open(None, &Meter::of(input))?.read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|reason| Error::io(input.name(), reason))
}

/// How far the reading has got, in bytes of the file as it is on disk.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Meter {
    /// That of an input of which nothing has been read.
    pub(crate) fn of(input: &Input) -> Meter {
        Meter { read: Arc::default(), total: input.size() }
    }

    /// Bytes read so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// So many further bytes were read.
    #[cfg(feature = "parquet")]
    pub(crate) fn advance(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes in all, if known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }
}

struct Metered<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
