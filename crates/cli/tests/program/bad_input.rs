//! Every kind of bad input: a message with its place, the right exit code, no panic, no output.

use std::fmt::Write as _;
use std::io::Write;

use crate::folder::Folder;
use crate::lists::without_lists;
use crate::rows::{integers, libsvm};

/// Runs `learn perceptron FILE` on each file, once from a stream and once through memory, and
/// gives all messages.
fn refused(files: &[(&str, &[u8])]) -> String {
    let folder = Folder::new();
    let mut messages = String::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
        let once = folder.run(&format!("learn perceptron {name} --model model")).refused(1);
        let twice = folder.run(&format!("learn perceptron {name} --passes 2 --model model")).refused(1);
        assert_eq!(once, twice);
        messages += &once;
        let on_stdin = folder.run_on("learn perceptron - --model model --format libsvm", *bytes).refused(1);
        assert!(on_stdin.starts_with("<stdin>:"), "{name}: {on_stdin}");
    }
    assert!(!folder.names().contains(&"model".to_string()));
    messages
}

#[test]
fn rows_of_libsvm_text() {
    let rows: &[(&str, &str)] = &[
        ("falling", "-1 5:1 3:1"),
        ("zero", "-1 0:1"),
        ("negative", "-1 -3:1"),
        ("gigantic", "-1 4294967296:1"),
        ("astronomic", "-1 99999999999999999999999:1"),
        ("duplicate", "-1 3:1 3:1"),
        ("nan", "-1 1:nan"),
        ("infinite", "-1 1:1 2:inf"),
        ("minus-infinite", "-1 1:-Infinity"),
        ("overflow", "-1 1:1e999"),
        ("minus-overflow", "-1 1:-1e999"),
        ("no-colon", "-1 1:1 2"),
        ("no-value", "-1 1: 2:1"),
        ("no-value-at-end", "-1 1:"),
        ("two-colons", "-1 1:1:1"),
        ("word-for-index", "-1 a:1"),
        ("word-for-value", "-1 1:a"),
        ("hexadecimal", "-1 1:0x10"),
        ("comma", "-1 1:0,5"),
        ("space-before-value", "-1 1 :5"),
        ("no-label", "1:1 2:1"),
        ("control-bytes", "-1 1:\u{1b}[31m"),
        ("long", "-1 1:123456789012345678901234567890123456789012345678901234567890x"),
    ];
    let texts: Vec<(String, String)> =
        rows.iter().map(|(name, row)| (format!("{name}.svm"), format!("+1 1:1\n{row}\n+1 1:1\n"))).collect();
    let files: Vec<(&str, &[u8])> = texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    insta::assert_snapshot!(refused(&files));
}

#[test]
fn files_that_are_no_data() {
    let folder = Folder::with("empty.svm", "");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(libsvm(&integers()).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let frame = zstd::encode_all(libsvm(&integers()).as_bytes(), 1).unwrap();
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 0xff;
    for (name, bytes) in [
        ("blank.svm", b"\n \n\t\r\n".to_vec()),
        ("comments.svm", b"# nothing\n# else\n".to_vec()),
        ("header.csv", b"a,b,class\n".to_vec()),
        ("rubbish", (0..2000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()),
        ("zeros", vec![0; 1000]),
        ("text.txt", b"Dear all,\n\nplease find enclosed\n".to_vec()),
        ("prose.svm", b"It was a dark and stormy night\n".to_vec()),
        ("truncated.svm.gz", packed[..packed.len() - 100].to_vec()),
        ("without-end.svm.gz", packed[..packed.len() - 4].to_vec()),
        ("damaged.svm.gz", damaged),
        ("header-only.svm.gz", packed[..6].to_vec()),
        ("truncated.svm.zst", frame[..frame.len() - 100].to_vec()),
        ("truncated-images-idx3-ubyte", b"\x00\x00\x08\x03\x00\x00".to_vec()),
    ] {
        folder.write(name, bytes);
    }
    std::fs::create_dir(folder.path("directory")).unwrap();
    folder.run("learn perceptron --model good").silent();
    let mut messages = String::new();
    for name in folder.names().iter().filter(|name| *name != "good").chain([&"missing.svm".to_string()]) {
        let message = folder.run(&format!("learn perceptron {name} --model model")).refused(1);
        assert_eq!(
            folder.run(&format!("learn perceptron {name} --passes 2 --model model")).refused(1),
            message,
            "{name}"
        );
        messages += &message;
    }
    assert!(!folder.names().contains(&"model".to_string()));
    insta::assert_snapshot!(messages);
    for name in ["directory", "missing.svm"] {
        folder.run(&format!("predict good {name}")).refused(1);
        folder.run(&format!("learn perceptron --test {name}")).refused(1);
        folder.run(&format!("learn perceptron --cache {name}")).refused(1);
    }
}

#[test]
fn limits_of_features_and_memory() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.write("wide.svm", "+1 1:1\n-1 4000000000:1\n");
    folder.write("data.vw", "1 | a b\n-1 | c\n");
    let mut messages = String::new();
    for command in [
        "learn perceptron data.svm --features 5",
        "learn perceptron data.svm --features 5 --passes 2",
        "learn perceptron data.vw --features 2",
        "learn perceptron wide.svm --max-memory 100M",
        "learn perceptron wide.svm --max-memory 100M --passes 2",
        "learn perceptron data.svm --max-memory 50",
        "learn perceptron data.svm --max-memory 1K --passes 2",
        "learn perceptron data.svm --features 1000000 --max-memory 1M",
    ] {
        writeln!(messages, "{command}\n{}", folder.run(command).refused(1)).unwrap();
    }
    insta::assert_snapshot!(messages);
    folder.run("learn perceptron data.svm --max-memory 1M --features 12").silent();
}

#[test]
fn commands_and_specs_that_are_wrong() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    let mut messages = String::new();
    for command in [
        "learn",
        "learn data.svm",
        "learn percepton data.svm",
        "learn Perceptronn data.svm",
        "learn pnorm data.svm",
        "learn xyz data.svm",
        "learn perceptron:rat=1 data.svm",
        "learn perceptron:q=1 data.svm",
        "learn perceptron:rate=0 data.svm",
        "learn perceptron:rate=nan data.svm",
        "learn perceptron:rate=fast data.svm",
        "learn perceptron:rate data.svm",
        "learn perceptron: data.svm",
        "learn perceptron:rate=1,rate=2 data.svm",
        "learn perceptron:rate=1,eta=2 data.svm",
        "learn passive-aggressive:variant=pa3 data.svm",
        "learn romma:aggressive=yes data.svm",
        "learn alma:alpha=1.5 data.svm",
        "learn p-norm:p=1 data.svm",
        "learn perceptron data.svm --normalize lp",
        "learn perceptron - --scale minmax",
        "learn perceptron - --train-error",
        "learn perceptron data.svm --passes 0",
        "learn perceptron data.svm --passes two",
        "learn perceptron data.svm --pases 2",
        "learn perceptron data.svm --passes 2 --until-separated",
        "learn perceptron data.svm --bias inf",
        "learn perceptron data.svm --format arff",
        "learn perceptron data.svm --hash 40",
        "learn perceptron data.svm --max-memory much",
        "learn perceptron data.svm --save-every 10",
        "learn perceptron data.svm --positive 1 --labels 1,2",
        "lern perceptron data.svm",
        "generate",
    ] {
        let message = folder.run(command).refused(2);
        writeln!(messages, "> {command}\n{message}").unwrap();
    }
    insta::assert_snapshot!(without_lists(&messages));
}

#[test]
fn numbers_that_grow_too_large() {
    let folder = Folder::with("scores.svm", "+1 1:1e200\n-1 1:1\n+1 1:1e200\n");
    folder.write("steps.svm", "+1 1:1e308\n-1 1:1\n");
    folder.write("lengths.svm", "+1 1:1e300 2:1e300\n-1 1:1\n");
    let mut messages = String::new();
    for command in [
        "learn perceptron scores.svm",
        "learn perceptron scores.svm --passes 2",
        "learn averaged scores.svm",
        "learn voted scores.svm",
        "learn perceptron:rate=100 steps.svm",
    ] {
        writeln!(messages, "{command}\n{}", folder.run(command).refused(1)).unwrap();
    }
    insta::assert_snapshot!(messages);
    // Unit rows are of ordinary size, whatever they were before.
    let result = folder.run("learn perceptron lengths.svm --normalize l2 --trace trace --json").silent().json();
    assert_eq!(result["mistakes"], 2);
    assert!(!folder.text("trace").contains("null"));

    folder.write("fair.svm", "+1 1:1e150\n-1 2:1\n");
    folder.run("learn perceptron fair.svm --model model").silent();
    let message = folder.run_on("predict model -", "1:1e200\n");
    assert_eq!((message.code, message.stdout.as_str()), (Some(1), ""));
    assert_eq!(message.stderr, "<stdin>:1:1: the score is inf: the numbers are too large\n");
}

#[test]
fn one_class_is_a_warning() {
    for (label, other) in [("+1", "+1"), ("-1", "-1"), ("spam", "spam"), ("3", "3")] {
        let folder = Folder::with("one.svm", format!("{label} 1:1\n{label} 2:1\n"));
        for passes in [1, 2] {
            let ran = folder.run(&format!("learn perceptron one.svm --passes {passes}")).ok();
            let expected =
                format!("warning: one.svm: every row is of class '{other}'; there is nothing to tell apart\n");
            assert_eq!(ran.stderr, expected);
        }
        folder.run("learn perceptron one.svm --quiet").silent();
    }
}

#[test]
fn bad_rows_can_be_skipped() {
    let good = "+1 1:1\n-1 2:1\n+1 1:2 3:1\n";
    let folder = Folder::with("good.svm", good);
    folder.write("mixed.svm", "+1 1:1\n2 5:x\n-1 2:1\n+1 3:1 2:1\n\n+1 1:2 3:1\n9 0:1\n");
    folder.run("learn averaged good.svm --passes 2 --model good").silent();
    let skipped = "\
skipped: mixed.svm:2:5: 'x' is not a number
skipped: mixed.svm:4:8: index 2 after 3; indices must increase
skipped: mixed.svm:7:3: index 0; indices count from 1; --zero-based reads those that count from 0
3 rows skipped
";
    let ran = folder.run("learn averaged mixed.svm --passes 2 --skip-bad-rows --model mixed").ok();
    assert_eq!(ran.stderr, skipped);
    assert!(folder.read("mixed") == folder.read("good"));
    assert_eq!(folder.run("learn averaged mixed.svm --skip-bad-rows").ok().stderr, skipped);
    let ran = folder.run("predict good mixed.svm --skip-bad-rows").ok();
    assert_eq!(ran.stdout.lines().count(), 3);
    assert!(ran.stderr.contains("\n0 errors in 3 labelled rows ") && ran.stderr.ends_with("\n3 rows skipped\n"));
    // Nobody is told to leave out what is left out.
    folder.write("short.csv", "a,b,label\n1,2,x\n".to_string() + &"3,4,y\n5,x\n".repeat(12));
    let said = folder.run("learn averaged short.csv --label label --skip-bad-rows").ok().stderr;
    assert!(said.starts_with("skipped: short.csv:4:4: 2 cells, expected 3\n"), "{said}");
    assert!(said.ends_with("\nskipped: 2 more, all: 2 cells, expected 3\n12 rows skipped\n"), "{said}");
    folder.write("rubbish.svm", "1 x\n2 y\n");
    let ran = folder.run("learn averaged rubbish.svm --skip-bad-rows");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.ends_with("rubbish.svm: has no rows\n"), "{}", ran.stderr);
}
