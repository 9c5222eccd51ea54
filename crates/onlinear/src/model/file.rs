//! The bytes of a model file: text and arrays by name, as safetensors.
//!
//! Written in one way only; read in whatever order and with whatever spaces a safetensors writer put them.

use std::collections::BTreeMap;
use std::io::Read;

use safetensors::tensor::TensorInfo;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value as Json, json};

use super::object::keys_in;
use crate::error::Result;
use crate::state::{Tensor, refusal};

/// A longer header is not one; safetensors has the same limit.
const LONGEST_HEADER: u64 = 100_000_000;
/// The bytes in front of the header, which give its length.
const LENGTH: usize = 8;

/// What a model file holds.
pub(super) struct FileContents {
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) tensors: BTreeMap<String, Tensor>,
}

/// All bytes of a model file, but no more than the first ones of a file that begins as none does.
pub(super) fn read_all(mut file: std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    (&mut file).take(LENGTH as u64).read_to_end(&mut bytes)?;
    let is_length = |length| (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(length));
    if <[u8; LENGTH]>::try_from(&bytes[..]).is_ok_and(is_length) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

impl FileContents {
    /// Takes a safetensors file apart.
    pub(super) fn decode(bytes: &[u8]) -> Result<FileContents> {
        let (length, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| refusal(format!("it is not a whole safetensors file ({error})")))?;
        let (text, data) = bytes[LENGTH..].split_at(length);
        let metadata: BTreeMap<_, _> = header.metadata().clone().unwrap_or_default().into_iter().collect();
        let tensors = header.tensors().into_iter().map(|(name, info)| Ok((name.clone(), tensor(&name, info, data)?)));
        let contents = FileContents { metadata, tensors: tensors.collect::<Result<_>>()? };
        // Those of the metadata, and of each array its name, type, shape and offsets; safetensors lets others pass.
        let of_metadata = header.metadata().as_ref().map_or(0, |metadata| 1 + metadata.len());
        if keys_in(text) != of_metadata + 4 * contents.tensors.len() {
            return Err(refusal("its header has a key twice, or one that is not of safetensors"));
        }
        Ok(contents)
    }

    /// The first array with a number that is not finite.
    pub(super) fn not_finite(&self) -> Option<&str> {
        let is_finite = |tensor: &Tensor| match tensor {
            Tensor::F64(values) => values.iter().all(|value| value.is_finite()),
            _ => true,
        };
        self.tensors.iter().find(|(_, tensor)| !is_finite(tensor)).map(|(name, _)| name.as_str())
    }

    /// CRC-32 over all metadata but the checksum itself and over all tensors, in order of their names.
    pub(super) fn checksum(&self) -> String {
        let mut crc = crc32fast::Hasher::new();
        let mut part = |bytes: &[u8]| {
            crc.update(&(bytes.len() as u64).to_le_bytes());
            crc.update(bytes);
        };
        for (key, value) in self.metadata.iter().filter(|(key, _)| *key != "checksum") {
            part(key.as_bytes());
            part(value.as_bytes());
        }
        for (name, tensor) in &self.tensors {
            part(name.as_bytes());
            part(tensor.kind().as_bytes());
            part(&little_endian(tensor));
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
        let mut file = [&(text.len() as u64).to_le_bytes()[..], &text].concat();
        ordered.into_iter().for_each(|(_, tensor)| file.extend_from_slice(&little_endian(tensor)));
        file
    }
}

fn tensor(name: &str, info: &TensorInfo, data: &[u8]) -> Result<Tensor> {
    if info.shape.len() != 1 {
        return Err(refusal(format!("tensor '{name}' has {} dimensions; expected 1", info.shape.len())));
    }
    let data = &data[info.data_offsets.0..info.data_offsets.1];
    Ok(match info.dtype {
        Dtype::F64 => Tensor::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
        Dtype::U64 => Tensor::U64(data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
        Dtype::U32 => Tensor::U32(data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
        Dtype::U8 => Tensor::U8(data.to_vec()),
        other => return Err(refusal(format!("tensor '{name}' is of type {other:?}"))),
    })
}

fn little_endian(tensor: &Tensor) -> Vec<u8> {
    match tensor {
        Tensor::F64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U8(values) => values.clone(),
    }
}
