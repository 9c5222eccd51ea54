//! Model files taken apart and put together again, checksum and all: written from
//! `docs/model-format.md`, not from the library, which is held to it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// Whether files of older versions lack this array, so that one without it says what it would say with it.
pub fn is_newer(array: &str) -> bool {
    array.ends_with(".gains")
}

/// A model file in parts that can be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Forgery {
    /// The metadata; a checksum among them counts for nothing.
    pub metadata: BTreeMap<String, String>,
    /// The arrays by name.
    pub arrays: BTreeMap<String, Array>,
}

/// One array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its type, as safetensors calls it.
    pub kind: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Array {
    /// Floats.
    pub fn f64s(values: &[f64]) -> Array {
        Array { kind: "F64".to_string(), bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect() }
    }

    /// Counts.
    pub fn u64s(values: &[u64]) -> Array {
        Array { kind: "U64".to_string(), bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect() }
    }

    /// Indices.
    pub fn u32s(values: &[u32]) -> Array {
        Array { kind: "U32".to_string(), bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect() }
    }

    /// Its elements as floats.
    pub fn to_f64s(&self) -> Vec<f64> {
        self.bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    }

    /// Bytes of one element.
    pub fn width(&self) -> usize {
        match self.kind.as_str() {
            "F64" | "U64" | "I64" => 8,
            "F32" | "U32" | "I32" => 4,
            "F16" | "BF16" | "U16" | "I16" => 2,
            _ => 1,
        }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width()
    }

    /// Where it goes: wide elements first.
    fn rank(&self) -> usize {
        8 - self.width()
    }
}

impl Forgery {
    /// Takes a file apart, and gives what stands behind it; `None` where there is no saying what is what.
    pub fn of(bytes: &[u8]) -> Option<(Forgery, &[u8])> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (header, data) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let Json::Object(header) = serde_json::from_slice(header).ok()? else { return None };
        let (mut metadata, mut arrays, mut end) = (BTreeMap::new(), BTreeMap::new(), 0);
        for (name, about) in header {
            if name == "__metadata__" {
                let text = |(key, value): (&String, &Json)| Some((key.clone(), value.as_str()?.to_string()));
                metadata = about.as_object()?.iter().map(text).collect::<Option<_>>()?;
                continue;
            }
            let offset = |i: usize| usize::try_from(about.get("data_offsets")?.get(i)?.as_u64()?).ok();
            let bytes = data.get(offset(0)?..offset(1)?)?.to_vec();
            end = end.max(offset(1)?);
            arrays.insert(name, Array { kind: about.get("dtype")?.as_str()?.to_string(), bytes });
        }
        Some((Forgery { metadata, arrays }, &data[end..]))
    }

    /// The metadata `key`, which is JSON.
    pub fn json(&self, key: &str) -> Json {
        serde_json::from_str(&self.metadata[key]).unwrap_or(Json::Null)
    }

    /// The checksum that belongs to what is there.
    pub fn checksum(&self) -> String {
        let mut crc = crc32fast::Hasher::new();
        let mut part = |bytes: &[u8]| {
            crc.update(&(bytes.len() as u64).to_le_bytes());
            crc.update(bytes);
        };
        for (key, value) in self.metadata.iter().filter(|(key, _)| *key != "checksum") {
            part(key.as_bytes());
            part(value.as_bytes());
        }
        for (name, array) in &self.arrays {
            part(name.as_bytes());
            part(array.kind.as_bytes());
            part(&array.bytes);
        }
        format!("crc32:{:08x}", crc.finalize())
    }

    /// The header and the data of a file with a sound layout and the checksum that belongs to it.
    pub fn parts(&self) -> (Map<String, Json>, Vec<u8>) {
        let mut metadata = self.metadata.clone();
        metadata.insert("checksum".to_string(), self.checksum());
        let (mut header, mut data) = (Map::new(), Vec::new());
        header.insert("__metadata__".to_string(), json!(metadata));
        let mut ordered: Vec<_> = self.arrays.iter().collect();
        ordered.sort_by_key(|(_, array)| array.rank());
        for (name, array) in ordered {
            let start = data.len();
            data.extend_from_slice(&array.bytes);
            let about = json!({"dtype": array.kind, "shape": [array.len()], "data_offsets": [start, data.len()]});
            header.insert(name.clone(), about);
        }
        (header, data)
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let (header, data) = self.parts();
        file(&Json::Object(header), &data)
    }
}

/// A file of this header, whatever it says, and these data.
pub fn file(header: &Json, data: &[u8]) -> Vec<u8> {
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    [&(text.len() as u64).to_le_bytes()[..], &text, data].concat()
}
