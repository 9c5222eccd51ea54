//! What is written is read back to the bit, by every way that leads through a reader, and no bytes
//! whatever make one panic.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use onlinear::workshop::{Dataset, Random, Scratch};
use onlinear::{Batch, ColumnOptions, Error, Format, Input, Keep, ReadOptions, open};
use proptest::prelude::*;

use crate::support::memory;

/// A row as it was read: label, weight as bits, line, and each component by name, its value as bits.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    label: String,
    weight: u64,
    line: u64,
    components: BTreeMap<String, u64>,
}

/// A row to write: its label and its components, places counting from 1.
type Written = (i32, BTreeMap<u32, f64>);

fn seen(rows: &[Written], name: impl Fn(u32) -> String, first_line: u64) -> Vec<Seen> {
    let one = |(i, (label, components)): (usize, &Written)| Seen {
        label: label.to_string(),
        weight: 1f64.to_bits(),
        line: first_line + i as u64,
        components: components
            .iter()
            .filter(|(_, v)| **v != 0.0)
            .map(|(&place, v)| (name(place), v.to_bits()))
            .collect(),
    };
    rows.iter().enumerate().map(one).collect()
}

/// All rows of `input`, and what ended it if that was an error.
fn read(input: &Input, options: &ReadOptions) -> (Vec<Seen>, Option<Error>) {
    let mut rows = Vec::new();
    let mut reader = match open(input, options) {
        Ok((reader, _)) => reader,
        Err(error) => return (rows, Some(error)),
    };
    let mut batch = Batch::default();
    loop {
        match reader.read(&mut batch) {
            Ok(true) => {}
            Ok(false) => return (rows, None),
            Err(error) => return (rows, Some(error)),
        }
        assert!(!batch.is_empty() || !batch.bad.is_empty(), "an empty batch");
        assert_eq!((batch.labels.len(), batch.lines.len()), (batch.len(), batch.len()));
        let names = reader.vocabulary().names();
        for i in 0..batch.len() {
            let mut components = BTreeMap::new();
            batch.rows.row(i).for_each(|place, v| {
                assert!(!v.is_infinite() && place < reader.features(), "{v} at {place} of {}", reader.features());
                components.insert(reader.vocabulary().describe(place, names.as_deref()), v.to_bits());
            });
            let label = reader.labels().text(batch.labels[i]).to_string();
            rows.push(Seen { label, weight: batch.weight(i).to_bits(), line: batch.lines[i], components });
        }
    }
}

fn as_format(name: &str) -> ReadOptions {
    ReadOptions { format: Some(name.parse().unwrap()), ..ReadOptions::default() }
}

/// A number in one of the ways that numbers are written.
fn write_number(text: &mut String, number: f64, way: u8) {
    let written = match way % 4 {
        0 => write!(text, "{number}"),
        1 => write!(text, "{number:e}"),
        2 => write!(text, "{number:?}"),
        _ => write!(text, "{number:+E}"),
    };
    written.expect("writing to a string does not fail");
}

fn libsvm(rows: &[Written], way: u8) -> String {
    let mut text = String::new();
    for (i, (label, components)) in rows.iter().enumerate() {
        let _ = write!(text, "{label}");
        for (place, value) in components {
            let _ = write!(text, " {place}:");
            write_number(&mut text, *value, way.wrapping_add(i as u8));
        }
        text.push_str(if way & 4 == 0 { "\n" } else { " # comment\r\n" });
    }
    if way & 8 != 0 {
        text.truncate(text.trim_end().len()); // the last line without its end
    }
    text
}

fn gzip(bytes: &[u8], members: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    for part in bytes.chunks(bytes.len().div_ceil(members).max(1)) {
        let mut encoder = GzEncoder::new(&mut packed, Compression::fast());
        encoder.write_all(part).and_then(|()| encoder.try_finish()).expect("packing in memory");
    }
    packed
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |v| v.is_finite()),
        (-1000i32..1000).prop_map(f64::from),
        (-100_000i32..100_000).prop_map(|v| f64::from(v) / 1000.0),
        -1.0..1.0f64,
        any::<f32>().prop_filter("finite", |v| v.is_finite()).prop_map(f64::from),
    ]
}

fn rows(places: u32, least: usize) -> impl Strategy<Value = Vec<Written>> {
    let label = prop_oneof![Just(-1), Just(1)];
    let row = (label, prop::collection::btree_map(1..=places, number(), least..12));
    prop::collection::vec(row, 1..30)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// The largest index of all.
const WIDE: u32 = u32::MAX;

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn libsvm_text_is_read_back_to_the_bit(rows in rows(WIDE, 0), way in any::<u8>(), members in 1usize..4) {
        let text = libsvm(&rows, way);
        let expected = seen(&rows, |place| place.to_string(), 1);
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes(), members)] {
            let (read, error) = read(&memory(bytes), &as_format("libsvm"));
            prop_assert!(error.is_none(), "{error:?}");
            prop_assert_eq!(&read, &expected);
        }
    }

    #[test]
    fn vw_text_is_read_back_to_the_bit(rows in rows(100, 0), way in any::<u8>()) {
        let mut text = String::new();
        for (label, components) in &rows {
            let _ = write!(text, "{label} |n");
            for (place, value) in components {
                let _ = write!(text, " f{place}:");
                write_number(&mut text, *value, way);
            }
            text.push('\n');
        }
        let (read, error) = read(&memory(text.into_bytes()), &as_format("vw"));
        prop_assert!(error.is_none(), "{error:?}");
        prop_assert_eq!(read, seen(&rows, |place| format!("n^f{place}"), 1));
    }

    #[test]
    fn csv_text_is_read_back_to_the_bit(
        rows in rows(8, 1),
        way in any::<u8>(),
        comma in prop::sample::select(vec![',', ';', '\t']),
    ) {
        let mut text = "label".to_string();
        (1..=8).for_each(|place| { let _ = write!(text, "{comma}f{place}"); });
        text.push('\n');
        for (label, components) in &rows {
            let _ = write!(text, "{label}");
            for place in 1..=8 {
                text.push(comma);
                write_number(&mut text, components.get(&place).copied().unwrap_or(0.0), way);
            }
            text.push('\n');
        }
        let options = ReadOptions {
            columns: ColumnOptions { label: Some("label".to_string()), header: Some(true), ..ColumnOptions::default() },
            ..as_format("csv")
        };
        let (read, error) = read(&memory(text.clone().into_bytes()), &options);
        prop_assert!(error.is_none(), "{error:?}\n{text}");
        prop_assert_eq!(read, seen(&rows, |place| format!("f{place}"), 2));
    }

    #[test]
    fn rows_held_or_cached_are_the_rows_streamed(rows in rows(WIDE, 0), way in any::<u8>()) {
        held_and_cached(&rows, &libsvm(&rows, way))?;
    }
}

/// Loads a text in all ways and compares.
fn held_and_cached(rows: &[Written], text: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data.svm");
    std::fs::write(&path, text).expect("a temporary file");
    let input = Input::File(path);
    let expected = seen(rows, |place| place.to_string(), 1);
    let features =
        rows.iter().filter_map(|(_, components)| components.keys().last()).max().map_or(0, |&place| place as usize);
    // The second of the two cached loads reads what the first wrote.
    for cache in [false, true, true] {
        let keep = Keep { limit: None, cache, max_memory: 1 << 30 };
        let (mut data, bad) = Dataset::load(&input, &as_format("libsvm"), &keep, |_| ()).expect("good rows");
        prop_assert!(bad.is_empty());
        prop_assert_eq!(data.len(), rows.len());
        prop_assert_eq!(data.about().features, features);
        let labels = data.about().labels.clone();
        let mut scratch = Scratch::default();
        // Backwards, then forwards: blocks come in any order.
        for i in (0..rows.len()).rev().chain(0..rows.len()) {
            let entry = data.entry(i, None, &mut scratch).expect("a row");
            let mut components = BTreeMap::new();
            entry.x.for_each(|place, v| {
                components.insert((place + 1).to_string(), v.to_bits());
            });
            let label = labels.text(entry.label).to_string();
            let row = Seen { label, weight: entry.weight.to_bits(), line: entry.line, components };
            prop_assert_eq!(&row, &expected[i], "row {}, cache {}", i, cache);
        }
    }
    Ok(())
}

/// More rows than a batch, a block or the reader's buffer holds, of each kind of value.
#[test]
fn long_files_are_read_in_pieces_without_a_seam() {
    let mut random = Random::new(50);
    let kinds: [fn(&mut Random) -> f64; 4] = [
        |_| 1.0,
        |random| (1 + random.index(255)) as f64,
        |random| f64::from(random.gauss() as f32),
        |random| random.gauss(),
    ];
    for kind in kinds {
        let rows: Vec<Written> = (0..9000)
            .map(|_| {
                let label = if random.chance(0.5) { 1 } else { -1 };
                (label, (0..random.index(25)).map(|_| (1 + random.index(500) as u32, kind(&mut random))).collect())
            })
            .collect();
        let text = libsvm(&rows, 0);
        let expected = seen(&rows, |place| place.to_string(), 1);
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes(), 7)] {
            let (read, error) = read(&memory(bytes), &as_format("libsvm"));
            assert!(error.is_none(), "{error:?}");
            assert!(read == expected, "a row differs");
        }
        held_and_cached(&rows, &text).unwrap();
    }
}

/// A cut anywhere ends in rows or in an error, and the rows before the last line are those of the whole.
#[test]
fn a_file_cut_short_gives_the_rows_before_the_cut() {
    let text = "1 1:0.5 3:-2e5\n-1 2:1\n\n# note\n1 qid:3 7:0.125\r\n-1\n";
    let (whole, _) = read(&memory(text.as_bytes()), &as_format("libsvm"));
    assert_eq!(whole.len(), 4);
    for cut in 0..text.len() {
        let complete = text[..cut].matches('\n').count() as u64;
        let (part, _) = read(&memory(&text.as_bytes()[..cut]), &as_format("libsvm"));
        let sure: Vec<&Seen> = whole.iter().filter(|row| row.line <= complete).collect();
        assert!(part.iter().zip(&sure).all(|(a, b)| a == *b) && part.len() >= sure.len(), "cut at {cut}");
    }
    let packed = gzip(text.as_bytes(), 1);
    // One byte is too few to be known as gzip.
    for cut in 2..packed.len() {
        let (_, error) = read(&memory(&packed[..cut]), &as_format("libsvm"));
        assert!(error.is_some(), "a packed file cut at {cut} is not refused");
    }
}

/// Reads twice, with each format and both ways to treat bad rows: never a panic, always the same.
fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    let input = memory(bytes);
    for format in Format::ALL.iter().copied().map(Some).chain([None]) {
        for (skip_bad_rows, hash) in [(false, None), (true, None), (false, Some(3))] {
            let options = ReadOptions { format, skip_bad_rows, hash, ..ReadOptions::default() };
            let (rows, error) = read(&input, &options);
            let (again, same_error) = read(&input, &options);
            prop_assert_eq!(rows, again);
            prop_assert_eq!(error.as_ref().map(Error::to_string), same_error.as_ref().map(Error::to_string));
            if let Some(error) = error {
                prop_assert!(!error.to_string().is_empty());
                prop_assert!(
                    format.is_none()
                        || !matches!(error, Error::Io { .. })
                        || bytes.starts_with(&[0x1f])
                        || bytes.starts_with(&[0x28]),
                    "{error}"
                );
            }
        }
    }
    Ok(())
}

/// Files that each reader likes, to be spoilt.
fn good_files() -> Vec<Vec<u8>> {
    let idx = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3][..], &[0, 1, 255, 7, 0, 9]].concat();
    vec![
        b"1 1:0.5 3:-2e5 # c\n-1 2:1\n\n# note\n1 qid:3 7:0.125\r\n3,17 5:1\n-1\n".to_vec(),
        b"a,b,label\n1,2.5,yes\n\"3\",-4e2,no\n5,\"6\",yes\n".to_vec(),
        b"x;y;z\n1;red;1\n2;green;0\n3;\"blue; or so\";1\n".to_vec(),
        b"1 2.0 'tag|ns:0.5 a b:2 c:-1e3 |other d\n-1 | e:0.5\n1 |n f\n".to_vec(),
        gzip(b"1 1:1 2:2\n-1 3:4\n", 2),
        idx,
    ]
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn any_bytes_are_rows_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&bytes)?;
    }

    #[test]
    fn any_printable_text_is_rows_or_an_error(text in "[-+0-9.:,;|#'\"a-e \t\r\n]{0,120}") {
        survives(text.as_bytes())?;
    }

    #[test]
    fn good_files_spoilt_are_rows_or_an_error(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..3, any::<u8>()), 1..6),
    ) {
        let files = good_files();
        let mut bytes = which.get(&files).clone();
        for (at, kind, byte) in edits {
            let at = at.index(bytes.len() + 1);
            match kind {
                0 => bytes.insert(at, byte),
                1 => bytes.truncate(at.max(1)),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|b| *b = byte),
            }
        }
        survives(&bytes)?;
    }
}

#[test]
fn the_good_files_are_good() {
    for (bytes, rows) in good_files().into_iter().zip([5, 3, 3, 3, 2]) {
        let (read, error) = read(&memory(bytes.clone()), &ReadOptions::default());
        assert!(
            error.is_none() && read.len() == rows,
            "{error:?}, {} rows: {}",
            read.len(),
            String::from_utf8_lossy(&bytes)
        );
    }
}
