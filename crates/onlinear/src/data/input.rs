//! Bytes in: a file or standard input, plain or compressed.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::read_ahead::{Fill, ReadAhead, Stop, is_stop};
use crate::error::{Error, Result};

/// What packed data start with.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Where data come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, which can be read again.
    File(PathBuf),
    /// Standard input, which cannot.
    Stdin,
    /// Bytes already there.
    Memory {
        /// What they are called in messages.
        name: Arc<str>,
        /// The bytes, as a file would hold them.
        bytes: Arc<[u8]>,
    },
}

impl Input {
    /// The input a user means by `text`: a path, or `-`.
    pub fn named(text: &str) -> Input {
        if text == "-" { Input::Stdin } else { Input::File(PathBuf::from(text)) }
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) => Some(path),
            Input::Stdin | Input::Memory { .. } => None,
        }
    }

    /// Whether the data pass by once, as on standard input or a pipe.
    pub fn is_stream(&self) -> bool {
        match self {
            Input::Stdin => true,
            // What cannot be looked at cannot be opened either: that says more.
            Input::File(path) => std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()),
            Input::Memory { .. } => false,
        }
    }

    /// The name for messages.
    pub fn name(&self) -> Arc<str> {
        match self {
            Input::File(path) => path.display().to_string().into(),
            Input::Stdin => "<stdin>".into(),
            Input::Memory { name, .. } => name.clone(),
        }
    }

    /// Opens it and unpacks what is packed. Where it is a stream, `stop` ends a wait for more.
    pub(crate) fn open(&self, stop: Option<&Stop>) -> Result<(Box<dyn Read + Send>, Meter)> {
        let name = self.name();
        let failed = |reason| if is_stop(&reason) { Error::Interrupted } else { Error::io(&name, reason) };
        let stream = |raw: Box<dyn Read + Send>| -> Box<dyn Read + Send> {
            match stop {
                Some(stop) => Box::new(ReadAhead::new(raw, Fill::AsItComes, stop.clone())),
                None => raw,
            }
        };
        let (raw, total): (Box<dyn Read + Send>, _) = match self {
            Input::Stdin => (stream(Box::new(io::stdin())), None),
            Input::Memory { bytes, .. } => (Box::new(Cursor::new(bytes.clone())), Some(bytes.len() as u64)),
            Input::File(path) => {
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                if about.is_dir() {
                    return Err(Error::data(&name, "is a directory; expected a file"));
                }
                match about.is_file() {
                    true => (Box::new(file), Some(about.len())),
                    false => (stream(Box::new(file)), None),
                }
            }
        };
        let meter = Meter { read: Arc::new(AtomicU64::new(0)), total };
        let mut metered = Metered { inner: raw, read: meter.read.clone() };
        let mut magic = Vec::with_capacity(4);
        // Byte by byte: a line typed into a pipe may be shorter than a magic number.
        let may_tell = |start: &[u8]| [GZIP, ZSTD].iter().any(|magic| *magic != start && magic.starts_with(start));
        while may_tell(&magic) && (&mut metered).take(1).read_to_end(&mut magic).map_err(failed)? > 0 {}
        let whole = Cursor::new(magic.clone()).chain(metered);
        let waits = stop.cloned().unwrap_or_default();
        let plain: Box<dyn Read + Send> = match &magic[..] {
            // A gzip file may hold several members, one after another.
            GZIP => Box::new(ReadAhead::new(flate2::read::MultiGzDecoder::new(whole), Fill::Whole, waits)),
            #[cfg(feature = "zstd")]
            ZSTD => {
                Box::new(ReadAhead::new(zstd::stream::read::Decoder::new(whole).map_err(failed)?, Fill::Whole, waits))
            }
            #[cfg(not(feature = "zstd"))]
            ZSTD => return Err(Error::data(&name, "is zstd-compressed, and this build has no zstd")),
            _ => Box::new(whole),
        };
        Ok((plain, meter))
    }
}

/// How far the reading has got, in bytes of the file as it is on disk.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Meter {
    /// Bytes read so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
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
