//! The entries that `fuzz/` calls, on stable and in a few seconds: with any bytes, and with sound input changed here
//! and there.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

use super::seeds::ENTRIES;

/// Tokens that mean something to one of the formats.
const TOKENS: [&[u8]; 24] = [
    b"\n",
    b" ",
    b":",
    b",",
    b";",
    b"\"",
    b"|",
    b"#",
    b"=",
    b"\0",
    b"-1",
    b"1e308",
    b"nan",
    b"inf",
    b"4294967295",
    b"0.1",
    b"qid:1",
    b"null",
    b"[]",
    b"F32",
    b"18446744073709551615",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"base.",
];

/// A change to bytes, its place as a share of their length.
#[derive(Clone, Debug)]
enum Change {
    Flip(f64, u8),
    Insert(f64, &'static [u8]),
    Remove(f64, usize),
    Repeat(f64, usize),
}

impl Change {
    fn make(&self, bytes: &mut Vec<u8>) {
        let at = |share: &f64| (share * bytes.len() as f64) as usize;
        match self {
            Change::Flip(share, by) => {
                let at = at(share);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= by);
            }
            Change::Insert(share, token) => {
                let at = at(share);
                bytes.splice(at..at, token.iter().copied());
            }
            Change::Remove(share, length) => {
                let at = at(share);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Change::Repeat(share, length) => {
                let at = at(share);
                let part = bytes[at..(at + length).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0.0..1.0, 1u8..).prop_map(|(at, by)| Change::Flip(at, by)),
        (0.0..1.0, prop::sample::select(TOKENS.to_vec())).prop_map(|(at, token)| Change::Insert(at, token)),
        (0.0..1.0, 1usize..12).prop_map(|(at, length)| Change::Remove(at, length)),
        (0.0..1.0, 1usize..20).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

#[test]
fn entries_hold_for_sound_input_that_was_changed() {
    for entry in ENTRIES {
        let seeds = (entry.seeds)();
        seeds.iter().for_each(|seed| (entry.run)(seed));
        let changed =
            (prop::sample::select(seeds), prop::collection::vec(change(), 1..6)).prop_map(|(mut bytes, changes)| {
                changes.iter().for_each(|change| change.make(&mut bytes));
                bytes
            });
        check(entry.name, &changed, entry.run);
    }
}

#[test]
fn entries_hold_for_any_bytes() {
    for entry in ENTRIES {
        let token = prop_oneof![
            prop::sample::select(TOKENS.to_vec()).prop_map(<[u8]>::to_vec),
            any::<[u8; 1]>().prop_map(Vec::from)
        ];
        check(entry.name, &prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat()), entry.run);
    }
}

fn check(name: &str, bytes: &impl Strategy<Value = Vec<u8>>, run: fn(&[u8])) {
    let config = Config { cases: 1500, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(bytes, |bytes| {
        run(&bytes);
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, bytes)) => panic!("{name}: {reason}; b\"{}\"", bytes.escape_ascii()),
        Err(error) => panic!("{name}: {error}"),
    }
}
