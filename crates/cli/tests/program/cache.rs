//! `--cache`: the same results, text parsed once, and never trusted when stale or damaged.

use crate::folder::Folder;
use crate::rows::{csv, integers, libsvm, vw};

const CACHE: &str = "data.svm.onlinear-cache";
const LEARN: &str = "learn averaged data.svm --passes 3 --cache --model cached --trace cached-trace";

fn folder() -> Folder {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn averaged data.svm --passes 3 --model plain --trace plain-trace").silent();
    folder
}

#[track_caller]
fn assert_same(folder: &Folder) {
    assert!(folder.read("cached") == folder.read("plain"), "the models differ");
    assert!(folder.read("cached-trace") == folder.read("plain-trace"), "the traces differ");
}

/// Learns with the cache as it is; the result must be right and the cache as new afterwards.
#[track_caller]
fn assert_rebuilt(folder: &Folder, new: &[u8], what: &str) {
    folder.run(LEARN).silent();
    assert_same(folder);
    assert!(folder.read(CACHE) == new, "{what}: the cache was not built anew");
}

#[test]
fn the_result_is_the_same_and_the_cache_is_kept() {
    let folder = folder();
    folder.run(LEARN).silent();
    assert_same(&folder);
    let (cache, written) = (folder.read(CACHE), modified(&folder));
    folder.run(LEARN).silent();
    assert_same(&folder);
    assert!(folder.read(CACHE) == cache);
    assert_eq!(modified(&folder), written, "the cache was written again");
    folder.run("learn averaged data.svm --cache --passes 1 --model one").silent();
    folder.run("learn averaged data.svm --passes 1 --model plain").silent();
    assert!(folder.read("one") == folder.read("plain"));
    folder.run("learn averaged data.svm --cache --passes 2 --shuffle 5 --model one").silent();
    folder.run("learn averaged data.svm --passes 2 --shuffle 5 --model plain").silent();
    assert!(folder.read("one") == folder.read("plain"), "shuffled");
    assert_eq!(modified(&folder), written, "the cache was written again");
}

fn modified(folder: &Folder) -> std::time::SystemTime {
    std::fs::metadata(folder.path(CACHE)).unwrap().modified().unwrap()
}

/// A cache in which some bytes of a frame are others, with the checksum that belongs to them.
fn forged(cache: &[u8], change: impl Fn(usize, &mut Vec<u8>)) -> Vec<u8> {
    let mut new = cache[..16].to_vec();
    let (mut at, mut number) = (16, 0);
    let trailer = u64::from_le_bytes(cache[cache.len() - 24..cache.len() - 16].try_into().unwrap()) as usize;
    while at <= trailer {
        let length = u64::from_le_bytes(cache[at..at + 8].try_into().unwrap()) as usize;
        let mut frame = cache[at + 12..at + 12 + length].to_vec();
        change(number, &mut frame);
        new.extend_from_slice(&(frame.len() as u64).to_le_bytes());
        new.extend_from_slice(&crc32(&frame).to_le_bytes());
        new.extend_from_slice(&frame);
        (at, number) = (at + 12 + length, number + 1);
    }
    [&new[..], &cache[cache.len() - 24..]].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// No byte of a cache, set right by its checksums, makes the program panic or a model that cannot be loaded.
#[test]
fn a_forged_cache_does_no_harm() {
    let rows: String = (0..12).map(|i| format!("{} | a{}:{i}.5 b\n", i % 2, i % 5)).collect();
    let folder = Folder::with("data.vw", rows);
    let learn = "learn averaged data.vw --passes 2 --cache --model model";
    folder.run(learn).silent();
    let (cache, model) = (folder.read("data.vw.onlinear-cache"), folder.read("model"));
    let (mut same, mut other) = (0, 0);
    for frame in 0..2 {
        for (at, byte) in (0..700).step_by(5).flat_map(|at| [(at, 0xff), (at, 0)]) {
            let changed = forged(&cache, |number, bytes| {
                if number == frame && at < bytes.len() {
                    bytes[at] = byte;
                }
            });
            folder.write("data.vw.onlinear-cache", &changed);
            let ran = folder.run(learn);
            assert!(!ran.stderr.contains("panicked"), "frame {frame}, byte {at}: {}", ran.stderr);
            if ran.code == Some(0) {
                folder.run("inspect model").silent();
                if folder.read("model") == model { same += 1 } else { other += 1 }
            }
        }
    }
    assert!(same > 100, "{same} {other}");
}

#[test]
fn a_cache_is_of_data_as_they_are_now() {
    let folder = folder();
    folder.run(LEARN).silent();
    let (cache, text) = (folder.read(CACHE), folder.text("data.svm"));
    // Of the same length and time, but other rows.
    let time = std::fs::metadata(folder.path("data.svm")).unwrap().modified().unwrap();
    let set_time =
        |time| std::fs::File::options().append(true).open(folder.path("data.svm")).unwrap().set_modified(time).unwrap();
    folder.write("data.svm", text.replacen(":1", ":2", 1));
    set_time(time);
    folder.run(LEARN).silent();
    assert!(folder.read(CACHE) != cache);
    // The same rows of another time.
    folder.write("data.svm", &text);
    set_time(time + std::time::Duration::from_secs(1));
    folder.run(LEARN).silent();
    assert!(folder.read(CACHE) != cache);
    assert_same(&folder);
}

#[test]
fn names_and_columns_are_cached_too() {
    let folder = Folder::with("data.vw", vw(&integers(), " 2"));
    folder.write("data.csv", csv(&integers(), ["", ""]));
    for data in ["data.vw", "data.csv"] {
        folder.run(&format!("learn averaged {data} --passes 2 --model plain")).silent();
        for _ in 0..2 {
            folder.run(&format!("learn averaged {data} --passes 2 --cache --model cached")).silent();
            assert!(folder.read("cached") == folder.read("plain"), "{data}");
        }
    }
}

#[test]
fn a_changed_source_is_noticed_even_at_the_same_size() {
    let folder = folder();
    folder.run(LEARN).silent();
    let old = folder.read(CACHE);
    let text = folder.text("data.svm");
    folder.write("data.svm", text.replacen("-1 5:3", "-1 5:4", 1));
    folder.run("learn averaged data.svm --passes 3 --model plain --trace plain-trace").silent();
    folder.run(LEARN).silent();
    assert_same(&folder);
    assert!(folder.read(CACHE) != old);
    // Other options can mean other rows.
    folder.run("learn averaged data.svm --passes 2 --hash 8 --model plain").silent();
    folder.run("learn averaged data.svm --passes 2 --hash 8 --cache --model cached").silent();
    assert!(folder.read("cached") == folder.read("plain"));
}

#[test]
fn a_damaged_cache_is_built_anew() {
    let folder = folder();
    folder.run(LEARN).silent();
    let good = folder.read(CACHE);
    for at in [0, 20, 100, good.len() / 2, good.len() - 300, good.len() - 30, good.len() - 20, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        folder.write(CACHE, bytes);
        assert_rebuilt(&folder, &good, &format!("byte {at} flipped"));
    }
    for length in [0, 10, 16, 500, good.len() / 2, good.len() - 1] {
        folder.write(CACHE, &good[..length]);
        assert_rebuilt(&folder, &good, &format!("cut to {length} bytes"));
    }
    folder.write(CACHE, [&good[..], b"more"].concat());
    assert_rebuilt(&folder, &good, "more behind it");
    assert_eq!(folder.names(), ["cached", "cached-trace", "data.svm", CACHE, "plain", "plain-trace"]);
}

#[test]
fn a_failed_run_leaves_no_cache() {
    let folder = Folder::with("data.svm", "+1 1:1\n-1 x\n");
    folder.run(LEARN).refused(1);
    assert_eq!(folder.names(), ["data.svm"]);
}

#[test]
fn rows_skipped_are_told_with_a_cache_as_without() {
    let folder = Folder::with("data.svm", "+1 1:1\n-1 x\n-1 2:1\n");
    for _ in 0..2 {
        let ran = folder.run(&format!("{LEARN} --skip-bad-rows")).ok();
        assert_eq!(ran.stderr, "skipped: data.svm:2:4: expected index:value, found 'x'\n1 row skipped\n");
    }
}

#[test]
fn standard_input_and_a_limit_do_not_go_with_a_cache() {
    let folder = folder();
    let message = folder.run_on("learn averaged - --cache", "+1 1:1\n").refused(2);
    assert_eq!(message, "error: --cache needs a file; standard input and pipes have no place for a cache\n");
    let message = folder.run("learn averaged data.svm --cache --limit 5").refused(2);
    assert_eq!(message, "error: --cache keeps the whole file; it does not go with --limit\n");
}
