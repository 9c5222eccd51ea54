//! Where fuzzing and the property tests start from: a few sound inputs for each entry.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

#[cfg(feature = "parquet")]
use super::entries::parquet;
use super::entries::{csv, idx, jsonl, libsvm, model, packed, predict, resume, spec, vw};
use super::models::{models, specs, texts};

/// An entry: its name, what it does with bytes, and sound ones.
pub struct Entry {
    /// Its name, which is that of its fuzz target, if it has one: where fuzzing looks on, no panic can be caught, as
    /// those of the crate that reads Parquet are.
    pub name: &'static str,
    /// What it does with any bytes.
    pub run: fn(&[u8]),
    /// Bytes to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every entry.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "libsvm",
        run: libsvm,
        seeds: || of(&["3,17 5:1\n2 qid:1 1:1e-3 7:-.5 # x\r\n", texts()[0], "1:1\n# 1\n"]),
    },
    Entry { name: "csv", run: csv, seeds: || of(&[texts()[2], "1;\"a \"\"b\"\"\";2\n0;;1e5\n", "y\t1\nn\t2"]) },
    Entry { name: "jsonl", run: jsonl, seeds: || of(&OBJECTS) },
    Entry {
        name: "vw",
        run: vw,
        seeds: || of(&[texts()[1], "1 2.5 'tag|ns:2 a:1e3 b |x c\n|y d\n", "-1 0.5 tag| a b"]),
    },
    Entry { name: "idx", run: idx, seeds: images },
    #[cfg(feature = "parquet")]
    Entry { name: "parquet", run: parquet, seeds: tables },
    Entry { name: "packed", run: packed, seeds: archives },
    Entry { name: "spec", run: spec, seeds: || specs().iter().map(|spec| spec.to_string().into_bytes()).collect() },
    Entry { name: "model", run: model, seeds: || models().into_iter().map(|sound| sound.bytes).collect() },
    Entry { name: "predict", run: predict, seeds: models_with_data },
    Entry { name: "resume", run: resume, seeds: models_with_data },
];

/// Rows like VW's, by name and by number, and rows of a table.
const OBJECTS: [&str; 3] = [
    "{\"label\":1,\"weight\":2,\"features\":{\"a\":0.5,\"b\":{\"c\":\"x\\u00e9\"}}}\n{\"features\":{}}\n",
    "{\"label\":\"no\",\"features\":{\"3\":1e-3,\"1\":true}}\n",
    "{\"n\":1.5,\"c\":\"u\",\"y\":0}\n{\"c\":null,\"y\":1,\"d\":{\"e\":-2}}\n",
];

/// These texts as bytes.
fn of(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Two rows of two values, of a few types.
fn images() -> Vec<Vec<u8>> {
    let header = |kind: u8| [&[0, 0, kind, 2][..], &2u32.to_be_bytes(), &2u32.to_be_bytes()].concat();
    let floats: Vec<u8> = [0.5f64, -1.0, 0.0, 3.0].iter().flat_map(|v| v.to_be_bytes()).collect();
    vec![
        [header(0x08), vec![0, 255, 7, 1]].concat(),
        [header(0x0e), floats].concat(),
        [header(0x0b), vec![1; 8]].concat(),
    ]
}

/// Two tables with columns of many types, one of them in several row groups.
#[cfg(feature = "parquet")]
fn tables() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../parquet/mixed.parquet").to_vec(), include_bytes!("../../parquet/pages.parquet").to_vec()]
}

/// Packed files, and text to be packed behind three bytes that say how it is damaged then.
fn archives() -> Vec<Vec<u8>> {
    let text = texts()[0].as_bytes();
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text).expect("memory takes all");
    let gz = gz.finish().expect("memory takes all");
    let zst = zstd::encode_all(text, 1).expect("memory takes all");
    vec![gz.clone(), zst, gz.repeat(2), [&[30, 0, 4], text].concat()]
}

/// Each model, with data behind it that it can read.
fn models_with_data() -> Vec<Vec<u8>> {
    models().iter().map(|sound| sound.with_data(&sound.bytes)).collect()
}
