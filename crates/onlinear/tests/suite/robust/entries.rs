//! The doors through which bytes come in, each with what must hold whatever the bytes: no panic, and what is
//! accepted means one thing only. `fuzz/` and the property tests call the same functions.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use onlinear::workshop::{Learns, NO_LABEL};
use onlinear::{
    Batch, ColumnOptions, Example, Format, Label, Model, ReadOptions, Result, Row, ScoreScratch, Spec, Start, open,
};
use serde_json::Value as Json;

use super::forgery::{Forgery, is_newer};
use super::models::{learned, memory};

/// Larger indices make weights that take a while to fill; `--features` sets such a limit.
const MOST_FEATURES: usize = 1 << 16;

/// Rows as they were read: label by number, weight, components, with every float as its bits.
type Table = Vec<(Option<u32>, u64, Vec<(usize, u64)>)>;

/// The rows of `bytes`, and how many were left out as bad.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<(Table, usize)> {
    let (mut reader, _) = open(&memory(bytes), options)?;
    let (mut batch, mut table, mut bad) = (Batch::default(), Table::new(), 0);
    while reader.read(&mut batch)? {
        bad += batch.bad.len();
        for i in 0..batch.len() {
            let mut components = Vec::new();
            batch.rows.row(i).for_each(|place, value| {
                // What is missing in a table is no number until it is filled in.
                assert!(!value.is_infinite() && value != 0.0, "{value} was read");
                assert!(place < reader.features(), "place {place} of {} features", reader.features());
                components.push((place, value.to_bits()));
            });
            let label = Some(batch.labels[i]).filter(|&label| label != NO_LABEL);
            assert!(label.is_none_or(|label| (label as usize) < reader.labels().len()));
            assert!(batch.weight(i) >= 0.0 && batch.weight(i).is_finite(), "weight {}", batch.weight(i));
            table.push((label, batch.weight(i).to_bits(), components));
        }
    }
    Ok((table, bad))
}

/// The same rows as LIBSVM text, which knows no weights.
fn as_libsvm(table: &Table) -> String {
    let mut text = String::new();
    for (label, _, components) in table {
        match label {
            Some(label) => text += &label.to_string(),
            None => text += "1:0", // so that no row is a blank line
        }
        for &(place, value) in components.iter().filter(|(place, _)| label.is_some() || *place > 0) {
            write!(text, " {}:{:?}", place + 1, f64::from_bits(value)).expect("a string takes all");
        }
        text.push('\n');
    }
    text
}

fn format_called(name: &str) -> Option<Format> {
    Some(name.parse().expect("the name of a format"))
}

/// Whatever is read as `format` is read the same again, with bad rows skipped, and as the LIBSVM text it makes.
fn reader(format: &str, bytes: &[u8], options: ReadOptions) {
    let options = ReadOptions { format: format_called(format), ..options };
    let skipping = ReadOptions { skip_bad_rows: true, ..options.clone() };
    let Ok((table, bad)) = read(bytes, &options) else {
        if let Ok((_, bad)) = read(bytes, &skipping) {
            assert!(bad > 0, "what is refused was read without a bad row");
        }
        return;
    };
    assert_eq!(bad, 0, "bad rows that nobody asked to skip");
    assert_eq!(read(bytes, &skipping).expect("the same bytes"), (table.clone(), 0));
    // LIBSVM text has no values that are missing.
    if table.iter().flat_map(|(_, _, components)| components).any(|(_, value)| f64::from_bits(*value).is_nan()) {
        return;
    }
    let libsvm = ReadOptions { format: format_called("libsvm"), ..ReadOptions::default() };
    let again = read(as_libsvm(&table).as_bytes(), &libsvm).expect("LIBSVM text of rows").0;
    // Labels are numbered anew in the order of their appearance, in which they already are; without a label the
    // first component gave way to one that is 0.
    let plain: Table = table
        .into_iter()
        .map(|(label, _, mut components)| {
            components.retain(|(place, _)| label.is_some() || *place > 0);
            (label, 1f64.to_bits(), components)
        })
        .collect();
    assert_eq!(renumbered(again), renumbered(plain));
}

/// The labels numbered in the order of their appearance in rows: a label table also holds those of bad rows.
fn renumbered(mut table: Table) -> Table {
    let mut met = Vec::new();
    for label in table.iter_mut().filter_map(|(label, ..)| label.as_mut()) {
        let place = met.iter().position(|known| known == label);
        met.extend(place.is_none().then_some(*label));
        *label = place.unwrap_or(met.len() - 1) as u32;
    }
    table
}

/// LIBSVM text.
pub fn libsvm(bytes: &[u8]) {
    reader("libsvm", bytes, ReadOptions::default());
    reader("libsvm", bytes, ReadOptions { hash: Some(3), ..ReadOptions::default() });
}

/// CSV text, its label at the end or in front, empty cells refused or not.
pub fn csv(bytes: &[u8]) {
    reader("csv", bytes, ReadOptions::default());
    let label = Some("1".to_string());
    let columns = ColumnOptions { label, header: Some(false), ..ColumnOptions::default() };
    reader("csv", bytes, ReadOptions { columns, ..ReadOptions::default() });
}

/// JSON lines, of either shape.
pub fn jsonl(bytes: &[u8]) {
    reader("jsonl", bytes, ReadOptions::default());
    reader("jsonl", bytes, ReadOptions { hash: Some(3), ..ReadOptions::default() });
    let columns = ColumnOptions { label: Some("1".to_string()), ..ColumnOptions::default() };
    reader("jsonl", bytes, ReadOptions { columns, ..ReadOptions::default() });
}

/// VW text.
pub fn vw(bytes: &[u8]) {
    reader("vw", bytes, ReadOptions::default());
    reader("vw", bytes, ReadOptions { hash: Some(3), ..ReadOptions::default() });
}

/// Parquet files, in memory enough and hardly any.
#[cfg(feature = "parquet")]
pub fn parquet(bytes: &[u8]) {
    reader("parquet", bytes, ReadOptions { max_memory: Some(1 << 26), ..ReadOptions::default() });
    reader("parquet", bytes, ReadOptions { max_memory: Some(1 << 18), ..ReadOptions::default() });
}

/// idx files.
pub fn idx(bytes: &[u8]) {
    reader("idx", bytes, ReadOptions::default());
}

/// Packed text: as it is, and packed here. Rows come through packing unchanged; a packed file that was cut is
/// never taken for a whole one, and one in which a byte was changed never for one with other rows.
pub fn packed(bytes: &[u8]) {
    let options = ReadOptions { format: format_called("libsvm"), ..ReadOptions::default() };
    let _ = read(bytes, &options);
    let [place @ .., change] = bytes.first_chunk::<3>().copied().unwrap_or_default();
    let text = bytes.get(3..).unwrap_or_default();
    if text.starts_with(b"\x1f\x8b") || text.starts_with(b"\x28\xb5\x2f\xfd") {
        return; // what is packed twice is unpacked once
    }
    let plain = read(text, &options).map_err(|error| error.to_string());
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text).expect("memory takes all");
    let gz = gz.finish().expect("memory takes all");
    let zst = zstd::encode_all(text, 1).expect("memory takes all");
    for packed in [&gz, &zst] {
        assert_eq!(read(packed, &options).map_err(|error| error.to_string()), plain);
        let at = usize::from(u16::from_le_bytes(place)) % packed.len();
        if at > 4 {
            assert!(read(&packed[..at], &options).is_err(), "cut at byte {at} of {}", packed.len());
        }
        let mut damaged = packed.clone();
        damaged[at] ^= change;
        let damaged = read(&damaged, &options);
        // What gzip's checksum covers; zstd's frames have none.
        if packed == &gz && at > 1 && plain.is_ok() {
            assert!(damaged.is_err() || damaged.ok() == plain.clone().ok(), "byte {at} changed by {change}");
        }
    }
}

/// Learner specs: what is accepted prints back to itself, and makes a learner.
pub fn spec(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(spec) = text.parse::<Spec>() else { return };
    let printed = spec.to_string();
    let again: Spec = printed.parse().expect("what was printed");
    assert!(again == spec && again.to_string() == printed, "{text}: {printed} becomes {again}");
    let mut learner = spec.learner();
    let row = Row::Sparse { indices: &[0, 2], values: &[1.0, -0.5] };
    let before = learner.leaves().score(row);
    assert!(before.is_finite(), "{printed}: a fresh learner scores {before}");
    if let Some(learner) = learner.online().filter(|_| spec.algorithm().learns() == Learns::RowByRow) {
        assert_eq!(learner.round(&Example::new(row, Label::Negative)).score, before, "{printed}");
    }
}

/// The model in `bytes`, with a layout and a checksum that are right whatever they were, and what stands behind it.
fn signed(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (forgery, rest) = Forgery::of(bytes)?;
    Some((forgery.bytes(), rest))
}

/// A model that is accepted is saved as what it is: with the same arrays, the same text but for its spelling, and in
/// one way only.
pub fn model(bytes: &[u8]) {
    loaded(bytes);
    if let Some((bytes, _)) = signed(bytes) {
        loaded(&bytes);
    }
}

fn loaded(bytes: &[u8]) -> Option<Model> {
    let mut model = Model::from_bytes(bytes).ok()?;
    let saved = model.to_bytes().expect("a model that was loaded can be saved");
    if saved == bytes {
        return Some(model);
    }
    let again = Model::from_bytes(&saved).and_then(|mut again| again.to_bytes());
    assert!(again.is_ok_and(|again| again == saved), "{}: a model has two files", model.spec);
    let (given, rest) = Forgery::of(bytes).expect("a file that was accepted");
    let (mut ours, _) = Forgery::of(&saved).expect("a file of our own");
    ours.arrays.retain(|name, _| given.arrays.contains_key(name) || !is_newer(name));
    if given.metadata["version"] != ours.metadata["version"] {
        return Some(model); // an older version says the same in other words
    }
    assert!(rest.is_empty() && given.arrays == ours.arrays, "{}: saved with other arrays", model.spec);
    for key in given.metadata.keys().filter(|key| !["checksum", "version"].contains(&key.as_str())) {
        let (given_text, our_text) = (&given.metadata[key], &ours.metadata[key]);
        let is_kept = match key.as_str() {
            "spec" => given_text.parse::<Spec>().is_ok_and(|spec| spec == model.spec),
            "labels" | "preprocessing" | "counts" => is_said(&given.json(key), &ours.json(key)),
            _ => given_text == our_text,
        };
        assert!(is_kept, "{}: '{key}' was {given_text}, and is saved as {our_text}", model.spec);
    }
    Some(model)
}

/// Whether JSON says all that `given` does: numbers may be written in another way, keys may be added.
fn is_said(given: &Json, ours: &Json) -> bool {
    match (given, ours) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_said(a, b)),
        (Json::Object(a), Json::Object(b)) => a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_said(a, b))),
        (a, b) => a == b,
    }
}

/// A model file with data behind it: scores do not depend on how rows are batched, and rows are counted only
/// where their scores are finite.
pub fn predict(bytes: &[u8]) {
    let Some((bytes, data)) = signed(bytes) else { return };
    let Some(model) = loaded(&bytes) else { return };
    let options = model.read_options();
    let Ok((mut reader, _)) = open(&memory(data), &options) else { return };
    let (mut batch, mut scratch, mut all_finite) = (Batch::default(), ScoreScratch::default(), true);
    while let Ok(true) = reader.read(&mut batch) {
        let scores = model.scores(&batch.rows, &mut scratch);
        assert_eq!(scores.len(), batch.len() * model.learner.len());
        all_finite &= scores.iter().all(|score| score.is_finite());
        let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        let mut one = onlinear::Rows::default();
        for (i, scores) in scores.chunks_exact(model.learner.len()).enumerate() {
            one.clear();
            one.push_row(batch.rows.row(i));
            let alone = model.scores(&one, &mut scratch);
            assert!(bits(&alone) == bits(scores) || !scores[0].is_finite(), "row {i} alone: {alone:?}, not {scores:?}");
        }
    }
    if onlinear::test(&model, &memory(data), &options, None, &mut ()).is_ok() {
        assert!(all_finite, "{}: rows were counted by scores that are not finite", model.spec);
    }
}

/// A model file with data behind it, to go on with: the model that comes out can be loaded again.
pub fn resume(bytes: &[u8]) {
    let Some((bytes, data)) = signed(bytes) else { return };
    let Some(model) = loaded(&bytes) else { return };
    let read = ReadOptions { features: Some(MOST_FEATURES), ..ReadOptions::default() };
    let Ok(mut model) = learned(memory(data), read, Start::Resume(Box::new(model))) else { return };
    // Numbers that have grown too large are not saved.
    let Ok(bytes) = model.to_bytes() else { return };
    match Model::from_bytes(&bytes) {
        Ok(mut again) => {
            assert!(again.to_bytes().is_ok_and(|again| again == bytes), "{}: saves to other bytes", model.spec)
        }
        Err(error) => panic!("{}: a model that was saved is refused: {error}", model.spec),
    }
}
