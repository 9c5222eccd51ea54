//! The same rows in every format and packing, and what labels and sample weights mean.

use std::fmt::Write as _;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::folder::Folder;
use crate::rows::{Row, csv, integers, libsvm, libsvm_with, vw};

fn gzip(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 1).unwrap()
}

/// The trace of `learn SPEC OPTIONS`, which has every label, score and mistake.
#[track_caller]
fn trace(folder: &Folder, command: &str) -> String {
    folder.run(&format!("learn {command} --protocol paper --trace trace")).silent();
    folder.text("trace")
}

/// As tapes and blocks leave them, and as other programs put something of their own between.
#[test]
fn packed_files_with_padding_are_read() {
    let rows = "+1 1:1\n-1 2:1\n";
    let folder = Folder::with("plain.svm", rows.repeat(2));
    let expected = folder.run("learn perceptron plain.svm --quiet --json").silent().json();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packer, rows.as_bytes()).unwrap();
    let gzip = packer.finish().unwrap();
    let zeros = vec![0; 100_000];
    folder.write("padded.svm.gz", [&gzip[..], &zeros, &gzip, &zeros].concat());
    let zstd = zstd::encode_all(rows.as_bytes(), 1).unwrap();
    let skipped = b"\x5e\x2a\x4d\x18\x05\x00\x00\x00hello";
    folder.write("skipped.svm.zst", [&skipped[..], &zstd, skipped, &zstd, skipped].concat());
    folder.write("P*M.svm", "P*M 1:1\nP 2:1\nP*M 1:1\nP 2:1\n");
    for name in ["padded.svm.gz", "skipped.svm.zst", "P*M.svm"] {
        let json = folder.run(&format!("learn perceptron {name} --json")).silent().json();
        assert_eq!((&json["examples"], &json["mistakes"]), (&expected["examples"], &expected["mistakes"]), "{name}");
    }
    folder.write("garbage.svm.gz", [&gzip[..], &zeros, b"x"].concat());
    folder.run("learn perceptron garbage.svm.gz").refused(1);
}

#[test]
fn every_format_and_packing_gives_the_same_trials() {
    let rows = integers();
    let text = libsvm(&rows);
    let folder = Folder::with("data.svm", &text);
    let expected = trace(&folder, "perceptron data.svm");
    let commented: String = text.lines().map(|line| line.replacen(' ', "\tqid:3  ", 1) + " # 1:2 x\n").collect();
    let members = [gzip(&text[..5000]), gzip(""), gzip(&text[5000..])].concat();
    let frames = [zstd(&text[..5000]), zstd(&text[5000..])].concat();
    let table = csv(&rows, ["", ""]);
    for (name, bytes) in [
        ("no-ending", text.clone().into_bytes()),
        ("crlf.svm", text.replace('\n', "\r\n").into()),
        ("no-last-newline.svm", text.trim_end().into()),
        ("blank-lines.svm", text.replace('\n', "\n\n \t\n").into()),
        ("comments.svm", format!("# a comment, first\n{commented}#1 x\n").into()),
        ("mark.svm", format!("\u{feff}{text}").into()),
        ("packed.svm.gz", gzip(&text)),
        ("packed-without-ending", gzip(&text)),
        ("members.svm.gz", members),
        ("packed.svm.zst", zstd(&text)),
        ("frames.svm.zst", frames),
        ("data.csv", table.clone().into()),
        ("data.csv.gz", gzip(&table)),
        ("crlf.csv", table.replace('\n', "\r\n").into()),
        ("semicolons.csv", table.replace(',', ";").into()),
        ("data.tsv", table.replace(',', "\t").into()),
        ("quoted.csv", table.replace("class", "\"class\"").into()),
        ("data.vw", vw(&rows, "").into()),
        ("importance.vw", vw(&rows, " 1.0 'tag").into()),
        ("crlf.vw", vw(&rows, "").replace('\n', "\r\n").into()),
        ("data.vw.zst", zstd(&vw(&rows, ""))),
    ] {
        folder.write(name, &bytes);
        assert!(trace(&folder, &format!("perceptron {name}")) == expected, "{name}");
        // In memory, with the same first pass.
        assert!(trace(&folder, &format!("perceptron {name} --passes 2")).starts_with(&expected), "{name} twice");
        folder.run_on("learn perceptron - --trace trace", bytes).silent();
        assert!(folder.text("trace") == expected, "{name} on standard input");
    }
}

#[test]
fn a_format_can_be_named() {
    let rows = integers();
    let folder = Folder::with("data.txt", vw(&rows, ""));
    let expected = trace(&folder, "perceptron data.txt");
    folder.write("data.csv", vw(&rows, ""));
    assert!(trace(&folder, "perceptron data.csv --format vw") == expected);
    folder.write("data.vw", libsvm(&rows));
    assert!(trace(&folder, "perceptron data.vw --format svmlight") == expected);
}

#[test]
fn images_with_a_file_of_labels() {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    let expected = trace(&folder, "perceptron data.svm");
    let mut images = vec![0, 0, 0x09, 3];
    [300u32, 3, 4].iter().for_each(|size| images.extend(size.to_be_bytes()));
    rows.iter().for_each(|row| images.extend(row.values.iter().map(|&value| value as i8 as u8)));
    let mut labels = vec![0, 0, 0x08, 1];
    labels.extend(300u32.to_be_bytes());
    labels.extend(rows.iter().map(|row| if row.positive { 7 } else { 4 }));
    folder.write("train-images-idx3-ubyte", &images);
    folder.write("train-labels-idx1-ubyte", &labels);
    assert!(trace(&folder, "perceptron train-images-idx3-ubyte") == expected);
    assert!(trace(&folder, "perceptron train-images-idx3-ubyte --positive 7") == expected);

    folder.write("alone-images-idx3-ubyte", &images);
    let message = folder.run("learn perceptron alone-images-idx3-ubyte").refused(1);
    assert_eq!(message, "alone-images-idx3-ubyte:1:1: the row has no label; --skip-bad-rows leaves out such rows\n");
    folder.write("train-images-idx3-ubyte", &images[..images.len() - 5]);
    let message = folder.run("learn perceptron train-images-idx3-ubyte").refused(1);
    assert_eq!(message, "train-images-idx3-ubyte:300:8: the data end here; there should be 300 rows of 12 values\n");
}

#[test]
fn columns_of_a_table() {
    let rows = integers();
    let folder = Folder::with("data.csv", csv(&rows, ["", ""]));
    let expected = trace(&folder, "perceptron data.csv");
    let (_, records) = csv(&rows, ["", ""]).split_once('\n').map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
    folder.write("bare.csv", &records);
    assert!(trace(&folder, "perceptron bare.csv --label 13") == expected, "by number");
    assert!(trace(&folder, "perceptron bare.csv --label 13 --header no") == expected, "told that there is no header");
    folder.write("renamed.csv", csv(&rows, ["", ""]).replacen("class", "Übel", 1));
    assert!(trace(&folder, "perceptron renamed.csv --label Übel") == expected, "by name");
    let message = folder.run("learn perceptron renamed.csv --label Ubel").refused(1);
    insta::assert_snapshot!("no_such_column", message);

    folder.write("holes.csv", "a,b,class\n1,,1\n,2,0\n");
    let message = folder.run("learn perceptron holes.csv --missing refuse").refused(1);
    assert_eq!(message, "holes.csv:2:3: empty cell in column 'b'; --missing indicator fills it in\n");
    folder.write("zeros.csv", "a,b,class\n1,0,1\n0,2,0\n");
    assert_eq!(trace(&folder, "perceptron holes.csv --missing zero"), trace(&folder, "perceptron zeros.csv"));
}

#[test]
fn any_two_labels_are_classes_and_the_larger_is_positive() {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    let expected = trace(&folder, "perceptron data.svm");
    for (labels, told) in [
        (["-1", "1"], ["-1", "1"]),
        (["0", "1"], ["0", "1"]),
        (["1", "2"], ["1", "2"]),
        (["9", "10"], ["9", "10"]),
        (["-1.0", "+1.0"], ["-1.0", "+1.0"]),
        (["ham", "spam"], ["ham", "spam"]),
        (["7", "spam"], ["7", "spam"]),
    ] {
        folder.write("other.svm", libsvm_with(&rows, labels));
        assert!(trace(&folder, "perceptron other.svm --model model") == expected, "{labels:?}");
        let report = folder.run("inspect model --json").silent().json();
        assert_eq!(report["labels"], serde_json::json!(told));
        let predicted = folder.run("predict model other.svm --quiet").silent().stdout;
        assert!(predicted.lines().all(|label| told.contains(&label)), "{labels:?}");
        folder.run_on("learn perceptron - --trace trace", libsvm_with(&rows, labels)).silent();
        assert!(folder.text("trace") == expected, "{labels:?} on standard input");
    }
}

#[test]
fn the_user_can_choose_the_classes() {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    let expected = trace(&folder, "perceptron data.svm");
    folder.write("words.svm", libsvm_with(&rows, ["spam", "ham"]));
    assert!(trace(&folder, "perceptron words.svm --positive ham") == expected);
    assert!(trace(&folder, "perceptron words.svm") != expected);
    folder.write("words.svm", libsvm_with(&rows, ["ham", "spam"]));
    assert!(trace(&folder, "perceptron words.svm --labels spam,ham") == expected);

    let three = libsvm_with(&rows[..150], ["1", "3"]) + &libsvm_with(&rows[150..], ["2", "3"]);
    folder.write("three.svm", three);
    assert!(trace(&folder, "perceptron three.svm --positive 3") == expected);
    let mut messages = String::new();
    for command in ["learn perceptron three.svm --labels 1,3", "learn perceptron three.svm --labels 1,3 --passes 2"] {
        messages += &format!("{command}: {}", folder.run(command).refused(1));
    }
    for command in ["learn perceptron three.svm --labels 3,3.0", "learn perceptron three.svm --labels 3"] {
        messages += &format!("{command}: {}", folder.run(command).refused(2));
    }
    insta::assert_snapshot!("classes", messages);
}

#[test]
fn one_of_several_labels_of_a_row_can_be_positive() {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    let expected = trace(&folder, "perceptron data.svm");
    folder.write("several.svm", libsvm_with(&rows, ["3,117", "3,17,4"]));
    assert!(trace(&folder, "perceptron several.svm --positive 17 --model model") == expected);
    assert_eq!(folder.run("inspect model --json").json()["labels"], serde_json::json!(["not-17", "17"]));
    folder.run("predict model several.svm").ok();
    let message = folder.run("learn perceptron several.svm").refused(1);
    assert!(message.contains("several labels") && message.contains("--positive LABEL"), "{message}");
}

#[test]
fn there_may_be_many_lists_of_few_labels() {
    let mut text = String::new();
    for i in 0..20_000u32 {
        let list: Vec<String> = (0..15).filter(|bit| i >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
        let label = if list.is_empty() { "99".to_string() } else { list.join(",") };
        writeln!(text, "{label} 1:{} 2:1", i % 2 * 2).unwrap();
    }
    let folder = Folder::with("lists.svm", &text);
    let result = folder.run("learn perceptron lists.svm --positive 0 --train-error --json").silent().json();
    assert_eq!(result["train"]["errors"], 0);
    // Numbers that are no classes at all are still refused.
    let numbers: String = (0..20_000).map(|i| format!("{i}.5 1:1\n")).collect();
    folder.write("numbers.svm", numbers);
    let message = folder.run("learn perceptron numbers.svm --positive 0.5").refused(1);
    assert_eq!(message, "numbers.svm:10001:1: label '10000.5' is one too many to be a class\n");
}

/// Many rows of one label, then rows of another.
fn late(first: &str, then: &str) -> String {
    let mut text = String::new();
    (0..5000).for_each(|i| writeln!(text, "{first} 1:{} 2:1", i % 7).unwrap());
    (0..50).for_each(|i| writeln!(text, "{then} 1:-1 2:{}", i % 5).unwrap());
    text
}

#[test]
fn a_label_that_turns_up_late_starts_a_file_again_and_ends_a_stream() {
    for (first, then) in [("2", "1"), ("1", "2"), ("spam", "ham")] {
        let (negative, positive) = if first < then { (first, then) } else { (then, first) };
        let folder = Folder::with("late.svm", late(first, then));
        let expected = trace(&folder, &format!("perceptron late.svm --labels {first},{then} --model expected"));
        assert!(trace(&folder, "perceptron late.svm --model model") == expected, "{first} then {then}");
        assert_eq!(folder.run("inspect model --json").json()["labels"], serde_json::json!([negative, positive]));

        let message = folder.run_on("learn perceptron - --model new", late(first, then)).refused(1);
        assert!(message.contains(&format!("label '{then}'")) && message.contains("--labels A,B"), "{message}");
        assert!(!folder.names().contains(&"new".to_string()));
        folder.run_on(&format!("learn perceptron - --labels {first},{then} --trace trace"), late(first, then)).silent();
        assert!(folder.text("trace") == expected);
    }
}

#[test]
fn rows_skipped_before_a_restart_are_counted_once() {
    let folder = Folder::with("late.svm", format!("spam x\n{}", late("spam", "ham")));
    let ran = folder.run("learn perceptron late.svm --skip-bad-rows").ok();
    assert_eq!(ran.stderr.lines().last(), Some("1 row skipped"));
}

#[test]
#[cfg(unix)]
fn a_named_pipe_is_read_once() {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    assert!(std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    for spec in ["perceptron", "winnow"] {
        folder.run_on(&format!("learn {spec} - --trace trace --model expected"), libsvm(&rows)).silent();
        let pipe = folder.path("pipe");
        let writer = std::thread::spawn(move || std::fs::write(pipe, libsvm(&integers())).unwrap());
        folder.run(&format!("learn {spec} pipe --model model")).silent();
        writer.join().unwrap();
        assert!(folder.read("model") == folder.read("expected"), "{spec}");
    }
    for options in ["--scale minmax", "--cache", "--train-error"] {
        let message = folder.run(&format!("learn perceptron pipe {options}")).refused(2);
        assert!(message.contains("pipes"), "{message}");
    }
}

fn doubled() -> (Vec<Row>, String) {
    let rows = integers();
    let folder = Folder::with("data.svm", libsvm(&rows));
    let trace = trace(&folder, "perceptron:rate=2 data.svm");
    (rows, trace)
}

#[test]
fn a_sample_weight_is_the_length_of_a_step() {
    let (rows, expected) = doubled();
    let folder = Folder::with("data.csv", csv(&rows, [",w", ",2"]));
    assert!(trace(&folder, "perceptron data.csv --weight w --label class") == expected, "a column");
    folder.write("data.vw", vw(&rows, " 2"));
    assert!(trace(&folder, "perceptron data.vw") == expected, "an importance");
    assert!(trace(&folder, "perceptron data.vw --passes 2").starts_with(&expected), "in memory");
    assert!(trace(&folder, "averaged data.vw") == expected, "averaged");
}

#[test]
fn the_weight_of_passive_aggressive_multiplies_its_aggressiveness() {
    let rows = integers();
    let folder = Folder::with("data.vw", vw(&rows, " 2"));
    folder.write("data.svm", libsvm(&rows));
    for variant in ["pa1", "pa2"] {
        let spec = format!("passive-aggressive:variant={variant}");
        let (weighted, plain) = (format!("{spec},c=0.005 data.vw"), format!("{spec},c=0.01 data.svm"));
        let scores = |command: &str| -> Vec<f64> {
            let score =
                |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["score"].as_f64().unwrap();
            trace(&folder, command).lines().map(score).collect()
        };
        for (a, b) in scores(&weighted).into_iter().zip(scores(&plain)) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{variant}: {a} and {b}");
        }
    }
}

#[test]
fn learners_without_sample_weights_refuse_them_by_name() {
    let folder = Folder::with("data.vw", "1 | a\n1 2 | a\n-1 | b\n");
    let mut messages = String::new();
    for spec in ["voted", "romma", "alma", "winnow", "p-norm", "passive-aggressive:variant=pa"] {
        for passes in ["", " --passes 2"] {
            let message = folder.run(&format!("learn {spec} data.vw{passes}")).refused(1);
            if passes.is_empty() {
                messages += &message;
            } else {
                assert!(messages.ends_with(&message), "{spec}: {message}");
            }
        }
    }
    insta::assert_snapshot!("weights", messages);
}
