//! The bytes of a file, and how much of them is held unpacked.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::Fault;

/// What the header of a page begins with is within so many bytes: three numbers of at most five, each with a byte that
/// says what it is.
const PAGE_START: usize = 18;
/// What a page of a dictionary is marked by.
const DICTIONARY: u64 = 2;

/// Where the bytes of a table are.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a file.
    File(Arc<File>),
    /// In memory.
    Memory(Bytes),
}

impl Source {
    /// Bytes in memory, wherever they are.
    pub fn memory(bytes: impl AsRef<[u8]> + Send + 'static) -> Source {
        Source::Memory(Bytes::from_owner(bytes))
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Source::File(file) => file.metadata().map_or(0, |about| about.len()),
            Source::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Source {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(match self {
            Source::File(file) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(start))?;
                Box::new(BufReader::new(file))
            }
            Source::Memory(bytes) => Box::new(bytes.slice((start as usize).min(bytes.len())..).reader()),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self {
            Source::File(file) => file.get_bytes(start, length),
            Source::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

/// Memory that the pages of all columns share.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) most: u64,
    taken: AtomicU64,
}

impl Room {
    pub(crate) fn new(most: u64) -> Arc<Room> {
        Arc::new(Room { most, taken: AtomicU64::new(0) })
    }
}

/// The pages of one column, of which one is held at a time, and a dictionary.
pub(crate) struct Pages {
    source: Source,
    room: Arc<Room>,
    page: AtomicU64,
    dictionary: AtomicU64,
}

impl Pages {
    pub(crate) fn new(source: Source, room: Arc<Room>) -> Pages {
        Pages { source, room, page: AtomicU64::new(0), dictionary: AtomicU64::new(0) }
    }

    /// Takes room for the page whose header begins so, in place of the one before it.
    fn take(&self, start: &[u8]) -> Result<()> {
        let Some((kind, packed, unpacked)) = page_start(start) else {
            return Err(ParquetError::General("the header of a page is no such header".to_string()));
        };
        let held = if kind == DICTIONARY { &self.dictionary } else { &self.page };
        // Packed, unpacked, and once more as values; those of a dictionary are held, eight bytes for each of theirs.
        let copies = if kind == DICTIONARY { 9 } else { 2 };
        let bytes = packed.saturating_add(unpacked.saturating_mul(copies));
        let before = held.swap(bytes, Ordering::Relaxed);
        let taken = self.room.taken.load(Ordering::Relaxed).saturating_sub(before).saturating_add(bytes);
        self.room.taken.store(taken, Ordering::Relaxed);
        match taken > self.room.most {
            true => Err(ParquetError::External(Box::new(Fault::Memory(taken)))),
            false => Ok(()),
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let held = *self.page.get_mut() + *self.dictionary.get_mut();
        self.room.taken.fetch_sub(held, Ordering::Relaxed);
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for Pages {
    type T = <Source as ChunkReader>::T;

    /// Called with the start of a page's header.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut header = Vec::with_capacity(PAGE_START);
        let mut read = self.source.get_read(start)?;
        (&mut read).take(PAGE_START as u64).read_to_end(&mut header)?;
        self.take(&header)?;
        Ok(Box::new(Read::chain(Cursor::new(header), read)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.source.get_bytes(start, length)
    }
}

/// The kind of a page and its size, packed and unpacked. Its header is a structure of Thrift's compact protocol, whose
/// first fields these are: a byte 0x15 (the next field, a 32-bit number), then the number, seven bits in a byte.
fn page_start(mut header: &[u8]) -> Option<(u64, u64, u64)> {
    let mut number = || {
        let rest = header.strip_prefix(b"\x15")?;
        let length = rest.iter().take(5).position(|byte| byte < &0x80)? + 1;
        let bits = rest[..length].iter().rev().fold(0u64, |bits, byte| bits << 7 | u64::from(byte & 0x7f));
        header = &rest[length..];
        // Signs are in the lowest bit; none of these numbers has one.
        (bits & 1 == 0).then_some(bits >> 1)
    };
    let (kind, unpacked, packed) = (number()?, number()?, number()?);
    Some((kind, packed, unpacked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pages_tell_their_sizes() {
        assert_eq!(page_start(b"\x15\x00\x15\x80\x01\x15\x40\x2c"), Some((0, 32, 64)));
        assert_eq!(page_start(b"\x15\x04\x15\xfe\xff\xff\xff\x0f\x15\x02"), Some((2, 1, 0x7fff_ffff)));
        for bad in [&b""[..], b"\x15", b"\x15\x00\x15\x01\x15\x02", b"\x15\x00\x15\x80\x80\x80\x80\x80\x01\x15\x02"] {
            assert_eq!(page_start(bad), None, "{}", bad.escape_ascii());
        }
    }
}
