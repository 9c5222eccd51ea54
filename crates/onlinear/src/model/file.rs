//! The bytes of a model file: text and arrays by name, as safetensors.
//!
//! Written in one way only; read in whatever order and with whatever spaces a safetensors writer put them. Arrays are
//! read into the memory in which they stay.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Read};

use crc32fast::Hasher;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use serde_json::{Value as Json, json};

use super::object::keys_in;
use crate::error::Error;
use crate::state::{Tensor, refusal};

/// A longer header is not one; safetensors has the same limit.
const LONGEST_HEADER: u64 = 100_000_000;
/// The bytes in front of the header, which give its length.
const LENGTH: usize = 8;
/// So many bytes of an array are on their way at a time: they stay in a core's cache.
const CHUNK: usize = 1 << 16;

/// What a model file holds.
pub(super) struct FileContents {
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) tensors: BTreeMap<String, Tensor>,
    /// What the bytes of each array hash to.
    hashes: BTreeMap<String, Hasher>,
}

/// Why a file cannot be taken apart.
pub(super) enum FileFailure {
    /// It cannot be read.
    Io(io::Error),
    /// It is none of ours.
    Refused(Error),
}

impl From<io::Error> for FileFailure {
    fn from(error: io::Error) -> FileFailure {
        FileFailure::Io(error)
    }
}

/// All that comes through a pipe, but no more than the first bytes of what begins as no model file does.
pub(super) fn read_pipe(pipe: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(LENGTH as u64).read_to_end(&mut bytes)?;
    let is_length = |length| (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(length));
    if <[u8; LENGTH]>::try_from(&bytes[..]).is_ok_and(is_length) {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn refused(reason: impl Into<String>) -> FileFailure {
    FileFailure::Refused(refusal(reason))
}

fn broken(why: impl Display) -> FileFailure {
    refused(format!("it is not a whole safetensors file ({why})"))
}

impl FileContents {
    /// What is to be written.
    pub(super) fn new(metadata: BTreeMap<String, String>, tensors: BTreeMap<String, Tensor>) -> FileContents {
        let hash_of = |(name, tensor): (&String, &Tensor)| {
            let mut hash = Hasher::new();
            for_each_chunk(tensor, |bytes| hash.update(bytes));
            (name.clone(), hash)
        };
        let hashes = tensors.iter().map(hash_of).collect();
        FileContents { metadata, tensors, hashes }
    }

    /// Takes a safetensors file of so many bytes apart. Nothing is read of one that begins as none does.
    pub(super) fn read(source: &mut impl Read, length: u64) -> Result<FileContents, FileFailure> {
        let behind = length.checked_sub(LENGTH as u64).ok_or_else(|| broken("it is too short"))?;
        let mut word = [0; LENGTH];
        source.read_exact(&mut word)?;
        let header_length = u64::from_le_bytes(word);
        if header_length > behind.min(LONGEST_HEADER) {
            return Err(broken("its header is too long"));
        }
        let mut text = vec![0; header_length as usize];
        source.read_exact(&mut text)?;
        let header: Metadata = serde_json::from_slice(&text).map_err(broken)?;
        let mut infos: Vec<(String, &TensorInfo)> = header.tensors().into_iter().collect();
        infos.sort_by_key(|(_, info)| info.data_offsets);
        if infos.last().map_or(0, |(_, info)| info.data_offsets.1 as u64) != behind - header_length {
            return Err(broken("its arrays are not as long as its header says"));
        }
        // Those of the metadata, and of each array its name, type, shape and offsets; safetensors lets others pass.
        let of_metadata = header.metadata().as_ref().map_or(0, |metadata| 1 + metadata.len());
        if keys_in(&text) != of_metadata + 4 * infos.len() {
            return Err(refused("its header has a key twice, or one that is not of safetensors"));
        }
        let metadata = header.metadata().clone().unwrap_or_default().into_iter().collect();
        let mut contents = FileContents::new(metadata, BTreeMap::new());
        for (name, info) in infos {
            let (tensor, hash) = read_tensor(&name, info, source)?;
            contents.tensors.insert(name.clone(), tensor);
            contents.hashes.insert(name, hash);
        }
        Ok(contents)
    }

    /// The first array with a number that is not finite.
    pub(super) fn not_finite(&self) -> Option<&str> {
        let is_finite = |tensor: &Tensor| match tensor {
            // Without a branch for each, several are looked at at once.
            Tensor::F64(values) => {
                values.chunks(CHUNK).all(|some| some.iter().fold(true, |all, value| all & value.is_finite()))
            }
            _ => true,
        };
        self.tensors.iter().find(|(_, tensor)| !is_finite(tensor)).map(|(name, _)| name.as_str())
    }

    /// CRC-32 over all metadata but the checksum itself and over all tensors, in order of their names.
    pub(super) fn checksum(&self) -> String {
        let mut crc = Hasher::new();
        let part = |crc: &mut Hasher, bytes: &[u8]| {
            crc.update(&(bytes.len() as u64).to_le_bytes());
            crc.update(bytes);
        };
        for (key, value) in self.metadata.iter().filter(|(key, _)| *key != "checksum") {
            part(&mut crc, key.as_bytes());
            part(&mut crc, value.as_bytes());
        }
        for ((name, tensor), hash) in self.tensors.iter().zip(self.hashes.values()) {
            part(&mut crc, name.as_bytes());
            part(&mut crc, tensor.kind().as_bytes());
            crc.update(&((tensor.len() * tensor.width()) as u64).to_le_bytes());
            crc.combine(hash);
        }
        format!("crc32:{:08x}", crc.finalize())
    }

    /// The file: header length, JSON header, arrays. The crate's own writer orders metadata at random; here the same
    /// contents give the same bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut ordered: Vec<_> = self.tensors.iter().collect();
        // Wide elements first keep every array aligned.
        ordered.sort_by_key(|(_, tensor)| std::cmp::Reverse(tensor.width()));
        let mut header = serde_json::Map::new();
        header.insert("__metadata__".to_string(), json!(self.metadata));
        let mut start = 0;
        for (name, tensor) in &ordered {
            let end = start + tensor.len() * tensor.width();
            let info = json!({"dtype": tensor.kind(), "shape": [tensor.len()], "data_offsets": [start, end]});
            header.insert(name.to_string(), info);
            start = end;
        }
        let mut text = Json::Object(header).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut file = Vec::with_capacity(LENGTH + text.len() + start);
        file.extend_from_slice(&(text.len() as u64).to_le_bytes());
        file.extend_from_slice(&text);
        ordered.into_iter().for_each(|(_, tensor)| for_each_chunk(tensor, |bytes| file.extend_from_slice(bytes)));
        file
    }
}

/// The array that comes next, and what its bytes hash to.
fn read_tensor(name: &str, info: &TensorInfo, source: &mut impl Read) -> Result<(Tensor, Hasher), FileFailure> {
    if info.shape.len() != 1 {
        return Err(refused(format!("tensor '{name}' has {} dimensions; expected 1", info.shape.len())));
    }
    let bytes = info.data_offsets.1 - info.data_offsets.0;
    let mut hash = Hasher::new();
    let tensor = match info.dtype {
        Dtype::F64 => Tensor::F64(read_values(source, bytes, &mut hash, f64::from_le_bytes)?),
        Dtype::U64 => Tensor::U64(read_values(source, bytes, &mut hash, u64::from_le_bytes)?),
        Dtype::U32 => Tensor::U32(read_values(source, bytes, &mut hash, u32::from_le_bytes)?),
        Dtype::U8 => Tensor::U8(read_values(source, bytes, &mut hash, u8::from_le_bytes)?),
        other => return Err(refused(format!("tensor '{name}' is of type {other:?}"))),
    };
    Ok((tensor, hash))
}

/// The values of the next so many bytes, which are there as the file's length says.
fn read_values<T, const N: usize>(
    source: &mut impl Read,
    bytes: usize,
    hash: &mut Hasher,
    value: impl Fn([u8; N]) -> T,
) -> io::Result<Vec<T>> {
    let (mut values, mut chunk) = (Vec::with_capacity(bytes / N), [0; CHUNK]);
    let mut left = bytes;
    while left > 0 {
        let chunk = &mut chunk[..left.min(CHUNK)];
        source.read_exact(chunk)?;
        hash.update(chunk);
        values.extend(chunk.as_chunks::<N>().0.iter().map(|bytes| value(*bytes)));
        left -= chunk.len();
    }
    Ok(values)
}

/// Hands over the bytes of an array as they are in a file, some at a time.
fn for_each_chunk(tensor: &Tensor, mut each: impl FnMut(&[u8])) {
    fn walk<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N], each: &mut impl FnMut(&[u8])) {
        let mut chunk = Vec::with_capacity(CHUNK);
        for some in values.chunks(CHUNK / N) {
            chunk.clear();
            chunk.extend(some.iter().flat_map(|value| bytes(*value)));
            each(&chunk);
        }
    }
    match tensor {
        Tensor::F64(values) => walk(values, f64::to_le_bytes, &mut each),
        Tensor::U64(values) => walk(values, u64::to_le_bytes, &mut each),
        Tensor::U32(values) => walk(values, u32::to_le_bytes, &mut each),
        Tensor::U8(values) => each(values),
    }
}
