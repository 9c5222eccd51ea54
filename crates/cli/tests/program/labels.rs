//! Labels and names as they are: none becomes another, and none does anything to a terminal.

use crate::folder::Folder;

#[test]
fn different_labels_are_different_classes() {
    let folder = Folder::with("latin1.svm", b"caf\xe9 1:1\ncaf\xe8 2:1\ncaf\xe9 1:2\ncaf\xe8 2:2\n");
    let message = folder.run("learn perceptron latin1.svm").refused(1);
    let cure = "; name its encoding with --encoding latin1 or another";
    assert_eq!(message, format!("latin1.svm:1:1: label 'caf\u{fffd}' is not UTF-8{cure}\n"));
    let json = folder.run("learn perceptron latin1.svm --encoding latin1 --model model --json").silent().json();
    assert_eq!(json["labels"], serde_json::json!(["cafè", "café"]));
    // The model knows how to read further data, and can be told otherwise.
    assert_eq!(folder.run("predict model latin1.svm --quiet").silent().stdout, "café\ncafè\ncafé\ncafè\n");
    folder.write("utf8.svm", "café 1:1\ncafè 2:1\n");
    let said = folder.run("predict model utf8.svm --encoding utf8").ok().stderr;
    assert!(said.starts_with("0 errors in 2 labelled rows (0.00 %); always 'cafè' would be 50.00 %\n"), "{said}");
    folder.run("learn --resume model latin1.svm --model model").silent();
    folder.run("learn perceptron latin1.svm --encoding latin1 --passes 2 --cache --model cached").silent();
    assert!(folder.run("predict cached latin1.svm").ok().stderr.starts_with("0 errors in 4"));
    let utf16: Vec<u8> = "\u{feff}café 1:1\ncafè 2:1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    folder.write("utf16.svm", utf16);
    assert!(folder.run("predict model utf16.svm").ok().stderr.starts_with("0 errors in 2 labelled rows (0.00 %); "));
    for command in
        ["compare latin1.svm -l perceptron --holdout 0.5", "tune perceptron latin1.svm --grid rate=1,2 --folds 2"]
    {
        folder.run(&format!("{command} --encoding latin1")).ok();
    }

    folder.write("large.svm", "9007199254740993 1:1\n9007199254740992 2:1\n9007199254740993.0 1:1\n");
    let json = folder.run("learn perceptron large.svm --json").silent().json();
    assert_eq!(json["labels"], serde_json::json!(["9007199254740992", "9007199254740993"]));
    // A name that the model does not know is no excuse.
    folder.write("names.vw", "1 | a b\n0 | c\n");
    folder.run("learn perceptron names.vw --model names").silent();
    folder.write("more.vw", b"1 | a \xe9\n");
    let message = folder.run("predict names more.vw").refused(1);
    assert_eq!(message, format!("more.vw:1:7: the name of feature '\u{fffd}' is not UTF-8{cure}\n"));
}

#[test]
fn labels_and_names_stay_on_their_line_and_off_the_terminal() {
    let label = "a\tb\nc\x1b[31m\\";
    let shown = "a\\tb\\nc\\u001b[31m\\\\";
    let name = "x\x1b]0;y\x07\nz";
    let folder = Folder::with("data.csv", format!("\"{name}\",t,class\n1,\"q\x1b[2J\n\",\"{label}\"\n-1,r,other\n"));
    let said = folder.run("learn perceptron data.csv --model model").silent().stdout;
    assert!(said.contains(shown), "{said}");
    let predicted = folder.run("predict model data.csv --quiet").silent().stdout;
    assert_eq!(predicted, format!("{shown}\nother\n"));
    assert_eq!(folder.run("predict model data.csv --scores --quiet").silent().stdout.lines().count(), 2);
    let json = folder.run_on("predict model data.csv --json --quiet", "").ok().stdout;
    assert_eq!(serde_json::from_str::<serde_json::Value>(json.lines().next().unwrap()).unwrap()["label"], label);
    let weights = folder.run("inspect model --weights").silent().stdout;
    assert!(weights.lines().all(|line| line.matches('\t').count() == 1), "{weights}");
    folder.write("three.csv", format!("a,class\n1,\"{label}\"\n2,b\n3,c\n"));
    folder.run("learn perceptron three.csv --model three").silent();
    folder.write("odd\x1b.csv", "a,class\n1,\"\x1b[5m\"\n");
    let mut all = vec![said, predicted];
    for line in ["inspect model", "inspect model --weights", "inspect three", "learn perceptron three.csv"] {
        all.push(folder.run(line).silent().stdout);
    }
    for line in [
        "learn --resume model odd\x1b.csv",
        "learn perceptron odd\x1b.csv --label \x1b",
        "learn perceptron three.csv --labels b,c",
        "compare data.csv -l perceptron",
        "predict model odd\x1b.csv",
    ] {
        let ran = folder.run(line);
        assert_ne!(ran.code, Some(0), "{line}");
        all.push(ran.stderr);
    }
    for text in all {
        assert!(!text.replace(['\n', '\t'], "").contains(char::is_control), "{text:?}");
    }
}

#[test]
fn labels_may_begin_with_a_hyphen() {
    let folder = Folder::with("data.svm", "-1 1:1\n+1 2:1\n-1 1:1\n+1 2:1\n");
    let json = folder.run("learn perceptron data.svm --labels -1,+1 --json").silent().json();
    assert_eq!(json["labels"], serde_json::json!(["-1", "+1"]));
    let json = folder.run("learn perceptron data.svm --positive -1 --json").silent().json();
    assert_eq!(json["labels"], serde_json::json!(["+1", "-1"]));
    folder.run("compare data.svm -l perceptron --positive -1 --holdout 0.5").ok();
}

#[test]
fn columns_are_for_tables() {
    let folder = Folder::with("data.svm", "-1 1:1\n+1 2:1\n");
    folder.write("data.vw", "1 | a\n0 | b\n");
    for (option, value) in [("--weight", "w"), ("--label", "1"), ("--header", "yes")] {
        let cure = "; --format csv reads cells divided by | as a table";
        for (file, format, cure) in [("data.svm", "libsvm", ""), ("data.vw", "vw", cure)] {
            let message = folder.run(&format!("learn perceptron {file} {option} {value}")).refused(2);
            let why = format!("error: {option} is for tables, which have columns; {file} is {format}{cure}\n");
            assert_eq!(message, why);
        }
    }
}

#[test]
fn a_quote_that_is_never_closed_is_an_error_wherever_it_is() {
    let folder = Folder::new();
    for (text, place) in [
        ("a,class\n1,yes\n0,no\n\"\n", "4:1"),
        ("a,class\n1,yes\n0,no\n\"", "4:1"),
        ("a,class\n1,yes\n0,\"no\n", "3:1"),
        ("a,class\n1,yes\n0,\"no\n\n\n", "3:1"),
        ("\"a,class\n1,yes\n0,no\n", "1:1"),
    ] {
        folder.write("data.csv", text);
        let message = folder.run("learn perceptron data.csv").refused(1);
        assert_eq!(message, format!("data.csv:{place}: a quoted cell of this row is never closed\n"), "{text:?}");
    }
}

#[test]
fn a_word_and_a_column_do_not_share_a_weight() {
    let folder = Folder::with("data.csv", "a,a=x,class\nx,1,yes\ny,2,no\n");
    let message = folder.run("learn perceptron data.csv").refused(1);
    let reason = "a word in column 'a' could be called as column 'a=x'; rename one of them";
    assert_eq!(message, format!("data.csv: {reason}\n"));
    folder.write("data.csv", "a,a=b,class\nb=c,c,yes\ny,d,no\n");
    folder.run("learn perceptron data.csv").refused(1);
    folder.write("data.csv", "a,b=x,class\nx,1,yes\ny,2,no\n");
    folder.run("learn perceptron data.csv").silent();
    folder.write("data.vw", "1 | a^b\n0 |a b\n");
    let message = folder.run("learn perceptron data.vw").refused(1);
    assert!(
        message.starts_with("data.vw:2:4: 'a^' begins names of features both as a namespace and within"),
        "{message}"
    );
}
