//! What is read does not depend on how many threads read it, nor on where blocks end.

use super::*;
use crate::data::format::testing::{RowOutcome, read_with};
use crate::data::labels::Classes;
use crate::data::{Format, Input, LabelsWanted, ReadOptions, Vocabulary};
use crate::random::Random;

const FORMATS: [&str; 5] = ["libsvm", "vw", "csv", "jsonl", "jsonl"];

fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.index(of.len())]
}

/// The name of a feature; the later the row, the more there are.
fn name(random: &mut Random, row: usize) -> String {
    match random.index(30) {
        0 => "a^b".to_string(),
        1 => "ünï".to_string(),
        2 => "n".repeat(1 + random.index(300)),
        _ => format!("f{}", random.index(row + 5)),
    }
}

fn number(random: &mut Random) -> String {
    match random.index(12) {
        0 => "0".to_string(),
        1 => "-1.5e3".to_string(),
        2 => "1e308".to_string(),
        3 => pick(random, &["x", "nan", "1e999", ""]).to_string(),
        4 => random.uniform().to_string(),
        _ => format!("{:.3}", random.uniform()),
    }
}

/// A row of a format, good or bad.
fn row(random: &mut Random, form: usize, row: usize) -> String {
    let label = if row > 40 { pick(random, &["1", "-1", "late"]) } else { pick(random, &["1", "-1", "+1"]) };
    let count = if random.index(40) == 0 { 400 } else { random.index(6) };
    match FORMATS[form] {
        "libsvm" => {
            let pairs = (0..count).map(|i| format!(" {}:{}", 1 + i * 3, number(random)));
            format!("{label}{}", pairs.collect::<String>())
        }
        "vw" => {
            let namespace = pick(random, &["", "", "a", "b:2", "b"]);
            let weight = pick(random, &["", "2 ", "-1 "]);
            let pairs = (0..count).map(|_| format!(" {}:{}", name(random, row), number(random)));
            format!("{label} {weight}|{namespace}{}", pairs.collect::<String>())
        }
        "csv" => {
            let cell = match random.index(6) {
                0 => format!("\"{},\n{}\"", name(random, row), name(random, row)),
                1 => "\"a \"\"b\"\"\"".to_string(),
                2 => "5\" disk".to_string(),
                _ => name(random, row),
            };
            let more = if random.index(30) == 0 { ",1" } else { "" };
            format!("{},{cell},{},{label}{more}", number(random), number(random))
        }
        _ if form == 3 => {
            let pairs: Vec<String> =
                (0..count).map(|_| format!("\"{}\":{}", name(random, row), number(random))).collect();
            format!("{{\"label\":\"{label}\",\"features\":{{{}}}}}", pairs.join(","))
        }
        _ => format!("{{\"a\":{},\"b\":\"{}\",\"y\":\"{label}\"}}", number(random), name(random, row)),
    }
}

/// A file of many rows, some of them wrong, with either end of line.
fn file(random: &mut Random, form: usize) -> Vec<u8> {
    let mut text = Vec::new();
    if FORMATS[form] == "csv" {
        text.extend_from_slice(b"a,b,c,y\n");
    }
    let (rows, crlf) = (random.index(90), random.index(3) == 0);
    for i in 0..rows {
        match random.index(25) {
            0 => {}
            1 => text.extend((0..random.index(30)).map(|_| random.index(256) as u8)),
            2 if FORMATS[form] == "csv" && i > 80 => text.extend_from_slice(b"1,\"never closed,1,1"),
            _ => text.extend_from_slice(row(random, form, i).as_bytes()),
        }
        if i + 1 < rows || random.index(2) == 0 {
            text.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        }
    }
    text
}

fn options(random: &mut Random, form: usize) -> ReadOptions {
    let format: Format = FORMATS[form].parse().expect("a format");
    let mut options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    options.skip_bad_rows = random.index(4) > 0;
    options.hash = (random.index(4) == 0).then_some(6);
    options.features = (random.index(4) == 0).then_some(60);
    if random.index(3) == 0 {
        let names = ["1".to_string(), "-1".to_string()];
        options.labels = LabelsWanted::Of(Classes::of(&names).expect("two classes"));
    }
    if random.index(4) == 0 && matches!(form, 1 | 3) && options.hash.is_none() {
        let names = ["f1", "f2", "f7", "a^f3"].map(str::as_bytes);
        options.vocabulary = Vocabulary::from_names(names).map(Vocabulary::frozen);
    }
    if matches!(form, 2 | 4) {
        options.columns.label = Some("y".to_string());
    }
    options
}

/// All that was read, as a text; and how it was cut into batches.
fn seen(bytes: &[u8], options: &ReadOptions, threads: usize, block: usize) -> (String, Vec<(usize, usize)>) {
    let input = Input::Memory { name: "data".into(), bytes: bytes.into() };
    let mut outcome: RowOutcome = read_with(&input, options, TextWork { threads, block, worth: 0 });
    let batches = std::mem::take(&mut outcome.batches);
    if outcome.error.is_some() {
        // What was counted of the rows behind it is nobody's business.
        (outcome.features, outcome.columns) = (0, Vec::new());
    }
    (format!("{outcome:#?}"), batches)
}

#[test]
fn any_text_is_read_the_same_by_any_number_of_threads_in_blocks_of_any_size() {
    for (form, name) in FORMATS.iter().enumerate() {
        for seed in 0..60 {
            let mut random = Random::new(1000 * form as u64 + seed);
            let (bytes, options) = (file(&mut random, form), options(&mut random, form));
            let (expected, _) = seen(&bytes, &options, 1, BLOCK);
            for block in [1, 7, 64, 1000] {
                let (alone, batches) = seen(&bytes, &options, 1, block);
                assert!(alone == expected, "{name} {seed} in blocks of {block}\n{alone}\n{expected}");
                for threads in [2, 7] {
                    let (shared, cut) = seen(&bytes, &options, threads, block);
                    assert!(shared == alone, "{name} {seed}, {threads} threads, blocks of {block}");
                    assert_eq!(cut, batches, "{name} {seed}, {threads} threads, blocks of {block}");
                }
            }
        }
    }
}

#[test]
fn random_bytes_are_read_the_same_by_any_number_of_threads() {
    for (form, name) in FORMATS.iter().enumerate() {
        for seed in 0..100 {
            let mut random = Random::new(7000 + seed);
            let alphabet = b"a1:.,|\"\\{} \t\r\n\n\xff-e";
            let bytes: Vec<u8> = (0..random.index(400)).map(|_| alphabet[random.index(alphabet.len())]).collect();
            let options = options(&mut random, form);
            let (expected, _) = seen(&bytes, &options, 1, BLOCK);
            for (threads, block) in [(1, 3), (2, 3), (7, 20), (2, 100)] {
                assert!(seen(&bytes, &options, threads, block).0 == expected, "{name} {seed}: {bytes:?}");
            }
        }
    }
}

/// A stream that gives a line, and then waits until it was asked for long enough.
struct SlowLines(VecDeque<&'static [u8]>, std::sync::mpsc::Receiver<()>);

impl std::io::Read for SlowLines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(line) = self.0.pop_front() else { return Ok(0) };
        self.1.recv().expect("a sign to go on");
        buffer[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

#[test]
fn a_row_of_a_stream_comes_before_the_next_is_there() {
    for threads in [1, 2, 7] {
        let (sign, signs) = std::sync::mpsc::channel();
        let lines: VecDeque<&[u8]> = (0..9).map(|_| &b"1 1:1\n"[..]).collect();
        let blocks = Blocks::new(Box::new(SlowLines(lines, signs)), crate::data::blocks::RecordEnds::AtLines, 1000, 64);
        let mut lookup = Lookup::new(
            "data".into(),
            Vocabulary::INDEXED,
            crate::data::vocabulary::Room::of(&ReadOptions::default()),
            true,
        );
        let parser = LineParser(|row: &mut RowBuilder, text: &[u8], line, batch: &mut Batch| {
            row.end(Some((0, &text[..1])), 1.0, line, batch).map(|()| 1)
        });
        let work = TextWork { threads, block: 64, worth: 0 };
        let mut rows = TextRows::new(blocks, parser, lookup.row_builder(), "data".into(), work, true);
        for i in 0..9 {
            sign.send(()).expect("somebody reads");
            let (draft, before) = super::super::format::DraftSource::next(&mut rows, Draft::default(), &mut lookup)
                .expect("a line")
                .expect("a row");
            assert_eq!((draft.batch.len(), before), (1, i));
        }
    }
}
