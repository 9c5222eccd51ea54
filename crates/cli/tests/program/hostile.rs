//! Data that nobody in their right mind would write: memory stays within its limit, and a clear word is said.

use std::fmt::Write as _;
use std::io::Write;

use crate::folder::Folder;

/// Whether the long versions were asked for with `ONLINEAR_LONG=1`.
fn is_long() -> bool {
    std::env::var_os("ONLINEAR_LONG").is_some()
}

/// A row of so many features, about nine bytes each.
fn long_row(label: &str, features: usize) -> String {
    let mut row = label.to_string();
    (1..=features).for_each(|i| write!(row, " {i}:1").unwrap());
    row + "\n"
}

#[test]
fn rows_of_a_million_features() {
    let features = 1_000_000;
    let folder = Folder::with("wide.svm", long_row("+1", features) + &long_row("-1", features));
    let json = folder.run("learn perceptron wide.svm --json --model model").silent().json();
    assert_eq!((json["features"].as_u64(), json["mistakes"].as_u64()), (Some(features as u64), Some(2)));
    // The text of a row, its numbers, and the weights: not many times as much.
    let text = std::fs::metadata(folder.path("wide.svm")).unwrap().len();
    assert!(json["peak_rss_bytes"].as_u64().is_none_or(|peak| peak < 8 * text), "{}", json["peak_rss_bytes"]);
    assert_eq!(folder.run("predict model wide.svm").ok().stdout, "+1\n+1\n");
}

/// 100 MB with `ONLINEAR_LONG=1`.
#[test]
fn a_long_line_is_read_or_refused_as_memory_allows() {
    let megabytes = if is_long() { 100 } else { 10 };
    let folder = Folder::with("long.svm", "+1 1:1\n".to_string() + &long_row("-1", megabytes * 115_000));
    assert!(std::fs::metadata(folder.path("long.svm")).unwrap().len() > megabytes as u64 * 1_000_000);
    let json = folder.run("learn perceptron long.svm --json").silent().json();
    assert_eq!(json["examples"], 2);
    println!("{megabytes} MB: {} kB", json["peak_rss_bytes"].as_u64().unwrap_or(0) / 1000);
    let message = folder.run("learn perceptron long.svm --max-memory 16M").refused(1);
    assert_eq!(message, "long.svm:2:1: the line is longer than 4000 kB, a quarter of --max-memory\n");
    folder.write("long.csv", format!("a,class\n1,yes\n\"{}\",no\n", "x".repeat(5_000_000)));
    let message = folder.run("learn perceptron long.csv --max-memory 16M").refused(1);
    let expected = "long.csv:3:1: cannot read on: the record is longer than 4000 kB, a quarter of --max-memory; is a \
                    quote not closed?";
    assert_eq!(message.trim_end(), expected);
}

/// Runs `line` where no more than so many megabytes can be had at all: a run that tries is ended by the system.
#[cfg(unix)]
fn run_confined(folder: &Folder, line: &str, megabytes: u64) -> (Option<i32>, String) {
    let script = format!("ulimit -v {}; exec {} {line}", megabytes * 1024, crate::folder::PROGRAM);
    let output = std::process::Command::new("sh").arg("-c").arg(script).current_dir(folder.path("")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// 128 MB of spaces in a small file, and as many blank lines, which are no trouble.
#[test]
#[cfg(unix)]
fn a_packed_bomb_is_stopped_by_the_limit() {
    const BLOCKS: usize = 128;
    let bomb = |unit: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(b"+1 1:1\n-1").unwrap();
        let block = unit.repeat((1 << 20) / unit.len());
        (0..BLOCKS).for_each(|_| packer.write_all(&block).unwrap());
        packer.finish().unwrap()
    };
    let folder = Folder::with("bomb.svm.gz", bomb(b" "));
    folder.write("lines.svm.gz", bomb(b"\n"));
    let mut packer = zstd::Encoder::new(Vec::new(), 1).unwrap();
    packer.write_all(b"+1 1:1\n-1").unwrap();
    let block = vec![b' '; 1 << 20];
    (0..BLOCKS).for_each(|_| packer.write_all(&block).unwrap());
    folder.write("bomb.svm.zst", packer.finish().unwrap());
    for name in ["bomb.svm.gz", "bomb.svm.zst"] {
        assert!(std::fs::metadata(folder.path(name)).unwrap().len() < 500_000);
        let (code, said) = run_confined(&folder, &format!("learn perceptron {name} --max-memory 20M"), 200);
        assert_eq!(
            (code, said),
            (Some(1), format!("{name}:2:1: the line is longer than 5000 kB, a quarter of --max-memory\n"))
        );
    }
    let (code, said) = run_confined(&folder, "learn perceptron lines.svm.gz --max-memory 20M --json", 200);
    assert_eq!((code, said.as_str()), (Some(0), ""));
}

/// A cell of CSV text takes many times its byte, so that few bytes of text take all memory.
#[test]
#[cfg(unix)]
fn cells_words_and_values_are_within_the_limit() {
    let packed = |parts: &[(&[u8], usize)]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for (part, count) in parts {
            let block = part.repeat(4096);
            (0..count.div_ceil(4096)).for_each(|_| packer.write_all(&block).unwrap());
        }
        packer.finish().unwrap()
    };
    let commas = 23_000_000;
    let folder = Folder::with("header.csv.gz", packed(&[(b",", commas), (b"\n", 1)]));
    folder.write("row.csv.gz", packed(&[(b"a,class\n1,y\n", 1), (b",", commas), (b"\n", 1)]));
    folder.write("rows.csv.gz", packed(&[(&[&b",".repeat(10_000)[..], b"\n"].concat(), 1)]));
    folder.write("names.csv.gz", packed(&[(b"a1,", 300_000), (b"\n", 1)]));
    folder.write("words.vw.gz", packed(&[(b"1 |", 1), (b" a", commas / 2)]));
    let images = [&[0, 0, 8, 2, 0, 0, 0, 1][..], &60_000_000u32.to_be_bytes()].concat();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&images).unwrap();
    (0..60).for_each(|_| packer.write_all(&vec![1; 1_000_000]).unwrap());
    folder.write("row.idx.gz", packer.finish().unwrap());
    for name in ["header.csv.gz", "row.csv.gz", "rows.csv.gz", "names.csv.gz", "words.vw.gz", "row.idx.gz"] {
        let (code, said) = run_confined(&folder, &format!("learn perceptron {name} --max-memory 100M --label 1"), 250);
        let (code, said) = match name.contains("csv") {
            true => (code, said),
            false => run_confined(&folder, &format!("learn perceptron {name} --max-memory 100M"), 250),
        };
        // Fewer rows tell what columns hold, where they are long: then the first is refused for what it is.
        let reason = if name == "rows.csv.gz" { "has no label" } else { "memory" };
        assert!(code == Some(1) && said.lines().count() == 1 && said.contains(reason), "{name}: {code:?} {said}");
    }
    // What is refused for its size is read where there is more memory.
    folder.write("wide.csv", format!("class,{}\ny,1\n", ["1"; 50_000].join(",")));
    let (code, said) = run_confined(&folder, "learn perceptron wide.csv --header no --label 1 --max-memory 100M", 250);
    assert_eq!(
        (code, said.as_str()),
        (Some(1), "wide.csv:2:4: 2 cells, expected 50001; --skip-bad-rows leaves out such rows\n")
    );
}

/// Weights for every index up to the largest would take up to 32 GB, matrices far more.
#[test]
#[cfg(unix)]
fn large_indices_take_little_memory_or_are_refused_in_order() {
    let folder = Folder::with("wide.svm", "+1 1:1\n-1 4294967295:1\n+1 7:1\n");
    folder.write("fair.svm", "+1 1:1\n-1 20:1\n+1 7:1\n");
    let list = folder.run("algorithms --json").silent().json();
    let names = list.as_array().unwrap().iter().map(|learner| learner["name"].as_str().unwrap());
    for name in names.chain(["perceptron:kernel=gaussian", "second-order:kernel=polynomial", "higher-order:form=dual"])
    {
        for options in ["", "--features 4294967295", "--scale none", "--passes 1 --shuffle 1"] {
            let line = format!("learn {name} wide.svm --max-memory 100M {options}");
            let (code, said) = run_confined(&folder, &line, 800);
            let one_line = (said.lines().count() <= 1 || code == Some(0))
                && !said.contains("panicked")
                && !said.contains("memory allocation");
            assert!(one_line, "{line}: {code:?}\n{said}");
            // Learners that keep rows need no weights for every index.
            let keeps_rows =
                ["projectron", "forgetron", "stoptron", "rbp", "bpa", "second-order", "higher-order", "kernel="];
            match code {
                Some(0) => assert!(keeps_rows.iter().any(|part| name.contains(part)), "{line}"),
                Some(1) => assert!(said.contains("memory"), "{line}: {said}"),
                Some(2) => assert!(said.contains("does not go with"), "{line}: {said}"),
                _ => panic!("{line}: {code:?}\n{said}"),
            }
        }
        let (code, said) = run_confined(&folder, &format!("learn {name} fair.svm --max-memory 100M --quiet"), 800);
        assert_eq!(code, Some(0), "{name}: {said}");
    }
}

#[test]
fn names_and_labels_without_end_are_refused_at_the_limit() {
    let mut names = "1 | a\n-1 | b\n".to_string();
    (0..20_000).for_each(|i| writeln!(names, "1 | feature{i}").unwrap());
    let folder = Folder::with("names.vw", names);
    let message = folder.run("learn perceptron names.vw --max-memory 1M").refused(1);
    let reason = "the names of features do not fit in 1000 kB of memory; hash them into fewer with --hash BITS\n";
    assert!(message.starts_with("names.vw:1") && message.ends_with(reason), "{message}");
    folder.run("learn perceptron names.vw --max-memory 1M --hash 10").silent();
    folder.run("learn perceptron names.vw").silent();

    let mut labels = "1 1:1\n2 2:1\n".to_string();
    (0..20_000).for_each(|i| writeln!(labels, "1,{i} 1:1").unwrap());
    folder.write("labels.svm", labels);
    let message = folder.run("learn perceptron labels.svm --positive 1 --max-memory 1M").refused(1);
    assert!(message.ends_with("' is one too many for the memory that --max-memory allows\n"), "{message}");
    folder.run("learn perceptron labels.svm --positive 1").silent();
}

#[test]
fn rows_held_without_end_are_refused_at_the_limit() {
    let folder = Folder::new();
    let text = folder.run("generate artificial:features=20,relevant=5,noise=0.4 --rows 20000").silent().stdout;
    folder.write("data.svm", text);
    for spec in [
        "perceptron:kernel=gaussian",
        "voted",
        "passive-aggressive:kernel=polynomial",
        "second-order:form=dual",
        "higher-order:form=dual",
        "higher-order:form=implicit",
        "projectron:tolerance=0,kernel=gaussian,sigma2=0.1",
    ] {
        let line = format!("learn {spec} data.svm --max-memory 300K --model model --save-every 100");
        let message = folder.run(&line).refused(1);
        // It is looked at after each block of rows, of 128 where a kernel foresees them.
        let takes = |kilobytes: &str| message.contains(&format!("the rows that the learner holds take {kilobytes}"));
        assert!(message.starts_with("data.svm:") && (takes("3") || takes("4")), "{spec}: {message}");
        folder.run("inspect model").silent();
        folder.run(&format!("learn {spec} data.svm --limit 50 --max-memory 300K")).ok();
    }
    folder.run("learn forgetron:budget=100 data.svm --max-memory 300K").silent();
}

#[test]
fn measurements_for_labels_are_doubted_and_refused_when_there_are_too_many() {
    let rows = |count: usize| (0..count).map(|i| format!("{}.5 1:{i}\n", i)).collect::<String>();
    let folder = Folder::with("few.svm", rows(300));
    folder.write("many.svm", rows(10_500));
    folder.write("names.svm", rows(300).replace(".5", ""));
    for passes in [1, 2] {
        let said = folder.run(&format!("learn perceptron few.svm --passes {passes}")).ok().stderr;
        let doubt = "300 different labels make 300 classes, each with a learner of its own; are they measurements?";
        assert_eq!(said, format!("warning: few.svm: {doubt}\n"));
    }
    folder.run("learn perceptron names.svm").silent();
    folder.run("learn perceptron few.svm --quiet").silent();
    let ran = folder.run("learn perceptron many.svm");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.ends_with("many.svm:10001:1: label '10000.5' is one too many to be a class\n"),
        "{}",
        ran.stderr
    );
}

/// The trials of the model saved, which can be used.
fn saved(folder: &Folder) -> u64 {
    folder.run_on("predict model - --scores", "1:1\n").silent();
    folder.run("inspect model --json").silent().json()["trials"].as_u64().unwrap()
}

#[test]
fn numbers_that_overflow_after_long_leave_the_last_good_model() {
    // Each row is a mistake, and the sum behind the average grows by t · 1e305: too large once t is 1798.
    let sums: String = (1..=2500).map(|i| format!("+1 {i}:1e305\n")).collect();
    let folder = Folder::with("sums.svm", sums);
    let message = folder.run("learn averaged sums.svm --model model --save-every 100").refused(1);
    let cause = "the numbers have grown too large; scale or normalize the rows";
    assert_eq!(message, format!("sums.svm:1799:1: the update would leave a number that is not finite: {cause}\n"));
    assert_eq!(saved(&folder), 1798); // all that came before

    // A score that is too large: found at its own row.
    let small = "+1 1:1\n-1 2:1\n".repeat(700);
    folder.write("scores.svm", format!("{small}+1 3:1e200\n{small}-1 3:1e200\n{small}"));
    for passes in [1, 2] {
        let line = format!("learn perceptron scores.svm --model model --save-every 1000 --passes {passes}");
        let message = folder.run(&line).refused(1);
        let reason = "the score is inf: the numbers have grown too large; scale or normalize the rows";
        assert_eq!(message, format!("scores.svm:2802:1: {reason}\n"));
        assert_eq!(saved(&folder), 2801);
    }
    // Without --save-every what was there before stays.
    folder.run("learn perceptron scores.svm --limit 10 --model model").silent();
    folder.run("learn perceptron scores.svm --model model").refused(1);
    assert_eq!(saved(&folder), 10);
}

/// One row too large must not turn all later scores into 0 or NaN in silence.
#[test]
fn a_row_too_large_ends_the_run_with_the_model_of_the_rows_before() {
    let rows: String = (0..100).map(|i| format!("{} 1:{} 2:1\n", if i % 3 == 0 { 1 } else { -1 }, i % 7)).collect();
    let folder = Folder::with("good.svm", &rows);
    folder.write("bad.svm", format!("{rows}+1 1:1e155 2:1\n{rows}"));
    for spec in ["second-order:mode=adaptive", "second-order", "romma", "second-order:mode=pseudoinverse,form=dual"] {
        let message = folder.run(&format!("learn {spec} bad.svm --model model --save-every 1000000")).refused(1);
        assert!(message.starts_with("bad.svm:101:1: the update would leave a number that is not finite"), "{message}");
        assert!(message.ends_with("; scale or normalize the rows\n"), "{message}");
        folder.run(&format!("learn {spec} good.svm --model expected")).ok();
        assert!(folder.read("model") == folder.read("expected"), "{spec}");
    }
}

/// A model that nothing could load again is not written.
#[test]
fn a_kernel_matrix_that_rounding_makes_singular_leaves_a_model_that_loads() {
    let folder = Folder::with("f.svm", "-1 1:-109797\n+1 1:-109797\n-1 1:-104694\n-1 1:-104694\n");
    for degree in 2..6 {
        folder.run(&format!("learn second-order:kernel=polynomial,degree={degree} f.svm --model f.m")).silent();
        folder.run("inspect f.m").silent();
    }
}

/// Rows far from those before them are sums of these with large coefficients, which multiply the rounding of the
/// matrix.
#[test]
fn a_ridge_below_the_rounding_of_the_kernel_leaves_a_model_that_loads() {
    for set in 3..15 {
        let row = |i: i32| {
            let (y, x) = (if i % 3 == 0 { -1 } else { 1 }, (i * (i * set + 7) % 41) as f64 / 20.0 - 1.0);
            format!("{y} 1:{:.3}\n", if i % 9 == 8 { 4.0 * x } else { x })
        };
        let folder = Folder::with("far.svm", (0..40).map(row).collect::<String>());
        for kernel in ["polynomial,degree=20,offset=582.4", "gaussian,sigma2=1e-7,ridge=1e-6"] {
            folder.run(&format!("learn second-order:kernel={kernel} far.svm --model far.m")).silent();
            folder.run("predict far.m far.svm --quiet").ok();
        }
    }
}

#[test]
fn no_error_is_counted_by_a_score_that_is_not_finite() {
    let row = |i: i32| format!("{} 1:{}e156 2:{}e156\n", if i % 2 == 0 { 1 } else { -1 }, i % 11 - 5, i % 7 - 3);
    let folder = Folder::with("large.svm", (0..60).map(row).collect::<String>());
    for command in [
        "learn pocket large.svm --scale none",
        "learn averaged-sampled large.svm --scale none",
        "learn sgd large.svm --scale none",
        "learn adaboost:base=pocket,rounds=3 large.svm --scale none",
        "learn adaboost:base=perceptron,rounds=3,weighting=resample-once large.svm --scale none",
        "compare large.svm -l pocket -l perceptron --scale none --repeats 2",
        "tune sgd large.svm --grid rate=0.1,0.2 --scale none",
    ] {
        let message = folder.run(command).refused(1);
        assert!(message.contains("large.svm:") && message.contains("too large"), "{command}: {message}");
    }
}

/// The peak memory of learning from so many rows on standard input.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, spec: &str, rows: usize) -> u64 {
    let text = folder.run(&format!("generate two-gaussians --rows {rows}")).silent().stdout;
    let json = folder.run_on(&format!("learn {spec} - --json"), text).ok().json();
    assert_eq!(json["trials"].as_u64(), Some(rows as u64));
    json["peak_rss_bytes"].as_u64().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn learners_with_a_budget_take_no_more_memory_for_more_rows() {
    let folder = Folder::new();
    for spec in [
        "projectron:tolerance=0.3,kernel=gaussian",
        "projectron++:tolerance=0.3,kernel=gaussian",
        "forgetron:budget=40,kernel=gaussian",
        "rbp:budget=40,kernel=gaussian",
        "stoptron:budget=40,kernel=gaussian",
    ] {
        // The fewer rows fill every buffer between threads already; the others, kept, would be twenty megabytes.
        let (few, many) = (peak(&folder, spec, 200_000), peak(&folder, spec, 600_000));
        assert!(many < few + 4_000_000, "{spec}: {few} and {many} bytes");
    }
}
