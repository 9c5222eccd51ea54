//! Several files read one after another as one, and the same table in several formats.

use crate::folder::Folder;

const WHOLE: &str = "a,b,y\n1,u,no\n2,v,yes\n3,u,yes\n5,u,yes\n7,w,no\n8,v,yes\n9,q,no\n";

/// The same rows in three files: columns in another order, and no header.
fn parts() -> Folder {
    let folder = Folder::with("whole.csv", WHOLE);
    folder.write("1.csv", "a,b,y\n1,u,no\n2,v,yes\n3,u,yes\n");
    folder.write("2.csv", "y,b,a\nyes,u,5\nno,w,7\n");
    folder.write("3.csv", "8,v,yes\n9,q,no\n");
    folder
}

#[test]
fn several_files_are_read_as_one() {
    let folder = parts();
    for options in ["--protocol paper", "", "--passes 3 --shuffle 1", "--protocol paper --train-error"] {
        folder.run(&format!("learn averaged whole.csv {options} --quiet --model whole")).ok();
        folder.run(&format!("learn averaged 1.csv 2.csv 3.csv {options} --quiet --model parts")).ok();
        assert_eq!(folder.read("whole"), folder.read("parts"), "{options}");
    }
    let whole = folder.run("predict whole whole.csv").ok().stdout;
    assert_eq!(folder.run("predict whole 1.csv 2.csv 3.csv").ok().stdout, whole);
    folder.run("learn averaged 1.csv --protocol paper --missing zero --quiet --model first").ok();
    folder.run("learn --resume first 2.csv 3.csv --quiet --model resumed").ok();
    folder.run("learn averaged whole.csv --protocol paper --missing zero --quiet --model whole").ok();
    assert_eq!(folder.read("whole"), folder.read("resumed"));
    folder.run("compare 1.csv 2.csv 3.csv -l perceptron --repeats 2 --quiet").ok();
    folder.run("tune perceptron 1.csv 2.csv 3.csv --grid rate=1,2 --folds 2 --quiet").ok();
}

#[test]
fn messages_name_the_file_that_is_wrong() {
    let folder = parts();
    folder.write("wrong.csv", "a,b,y\n1,u,no\nx,u,no\n");
    folder.write("unlabelled.csv", "a,b,y\n1,u,no\n4,u,\n");
    folder.write("other.csv", "a,c,y\n1,u,no\n");
    folder.write("rows.vw", "1 | a\n");
    for (files, message) in [
        ("1.csv wrong.csv --column a:number", "wrong.csv:3:1: 'x' is not a number"),
        ("1.csv unlabelled.csv", "unlabelled.csv:3:1: the row has no label; --skip-bad-rows leaves out such rows"),
        ("1.csv other.csv", "other.csv: has no column 'b', which the files before it have; its columns are a, c, y"),
        ("1.csv rows.vw", "rows.vw: is not a table, but the files before it are"),
        ("rows.vw 1.csv", "1.csv: is a table, but the files before it are not"),
        ("1.csv missing.csv", "missing.csv: No such file"),
    ] {
        for passes in ["--protocol paper", "--passes 2"] {
            let run = folder.run(&format!("learn perceptron {files} {passes}"));
            assert!(run.stderr.contains(message), "{files}: {}", run.stderr);
            assert_eq!(run.code, Some(1), "{files}");
        }
    }
    let run = folder.run("learn perceptron 1.csv 2.csv --passes 2 --cache");
    assert!(run.stderr.contains("--cache keeps the rows of one file, not of several"), "{}", run.stderr);
    let run = folder.run("learn perceptron 1.csv 2.csv --model 2.csv");
    assert!(run.stderr.contains("--model 2.csv would write over DATA"), "{}", run.stderr);
}

#[test]
fn the_same_table_as_csv_and_as_json_lines_gives_the_same_model() {
    let folder = parts();
    let mut lines = String::new();
    for row in WHOLE.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        lines += &format!("{{\"a\": {}, \"b\": \"{}\", \"y\": \"{}\"}}\n", cells[0], cells[1], cells[2]);
    }
    folder.write("whole.jsonl", &lines);
    for options in ["", "--protocol paper", "--passes 2 --interact a,b"] {
        folder.run(&format!("learn averaged whole.csv {options} --quiet --model csv")).ok();
        folder.run(&format!("learn averaged whole.jsonl {options} --quiet --model jsonl")).ok();
        assert_eq!(folder.read("csv"), folder.read("jsonl"), "{options}");
    }
    let csv = folder.run("predict csv whole.csv --scores").ok().stdout;
    assert_eq!(folder.run("predict csv whole.jsonl --scores").ok().stdout, csv);
}

/// As in the census table, whose test file has labels with a full stop behind them.
#[test]
fn labels_written_in_another_way_are_named_with_the_cure() {
    let folder = Folder::with("train.csv", "x,y\n1,<=50K\n-1,>50K\n2,<=50K\n-2,>50K\n");
    folder.write("test.csv", "x,y\n1,<=50K.\n-1,>50K.\n");
    let learn = "learn perceptron train.csv --protocol paper --test test.csv";
    let message = folder.run(learn).refused(1);
    assert_eq!(
        message,
        "test.csv:2:1: label '<=50K.' is neither '<=50K' nor '>50K', the classes of this model; the nearest is \
         '<=50K': --alias '<=50K.=<=50K,>50K.=>50K' reads it so\n"
    );
    let json = folder.run(&format!("{learn} --alias <=50K.=<=50K,>50K.=>50K --json --model m")).json();
    assert_eq!((&json["test"]["examples"], &json["test"]["errors"]), (&2.into(), &0.into()));
    let told = folder.run("predict m test.csv --alias <=50K.=<=50K,>50K.=>50K").ok();
    assert_eq!(told.stdout, "<=50K\n>50K\n");
}

/// As scikit-learn writes it.
#[test]
fn a_model_remembers_that_indices_count_from_0() {
    let folder = Folder::with("zero.svm", "1 0:1\n-1 1:1\n");
    folder.write("one.svm", "1 1:1\n-1 2:1\n");
    let message = folder.run("learn perceptron zero.svm").refused(1);
    assert!(message.contains("index 0; indices count from 1; --zero-based reads those"), "{message}");
    folder.run("learn perceptron zero.svm --zero-based --quiet --model m").ok();
    assert_eq!(folder.run("predict m zero.svm").ok().stdout, "1\n-1\n");
    let weights = folder.run("inspect m --weights").ok().stdout;
    assert!(weights.contains("0\t") || weights.lines().any(|line| line.starts_with("0 ")), "{weights}");
    folder.run("learn --resume m zero.svm --quiet --model resumed").ok();
    folder.run("learn perceptron one.svm --quiet --model n").ok();
    assert_eq!(
        folder.run("predict n one.svm --scores").ok().stdout,
        folder.run("predict m zero.svm --scores").ok().stdout
    );
}

/// The shape of rows that carry their features, in files as a log has them, one after another.
#[test]
fn json_lines_with_features_are_learned_from_like_vw() {
    let folder = Folder::with("rows.vw", "1 | a:1 b:2\n0 | b:1 c=x\n1 | a:3 c=x\n");
    folder.write("1.jsonl", "{\"label\":1,\"features\":{\"a\":1,\"b\":2}}\n");
    folder.write(
        "2.jsonl",
        "{\"label\":0,\"id\":7,\"features\":{\"b\":1,\"c\":\"x\"}}\n{\"features\":{\"a\":3,\"c\":\"x\"},\"label\":1}\n",
    );
    folder.run("learn perceptron rows.vw --quiet --model vw").ok();
    folder.run("learn perceptron 1.jsonl 2.jsonl --quiet --model jsonl").ok();
    assert_eq!(folder.read("vw"), folder.read("jsonl"));
}
