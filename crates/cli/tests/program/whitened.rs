//! The learner that reads all rows ahead, through the program.

use std::io::Write;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::rows::{gaussian, libsvm};

fn folder() -> Folder {
    Folder::with("data.svm", libsvm(&gaussian()))
}

#[test]
fn what_does_not_hold_all_rows_is_refused() {
    let folder = folder();
    let reason = "error: whitened has to read all rows first, which standard input and pipes do not allow\n";
    for passes in ["", "--passes 2"] {
        let message =
            folder.run_on(&format!("learn whitened - {passes} --model model"), libsvm(&gaussian())).refused(2);
        assert_eq!(message, reason);
    }
    folder.run("learn whitened data.svm --model model").silent();
    let before = folder.read("model");
    let message = folder.run("learn --resume model data.svm --model model").refused(2);
    let reason = "error: whitened does not go with --resume: it needs all training rows before it learns\n";
    assert_eq!(message, reason);
    assert!(folder.read("model") == before);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused() {
    let folder = folder();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || {
        // Nobody may ever read: opened for both, the pipe waits for nobody.
        let file = std::fs::OpenOptions::new().read(true).write(true).open(pipe);
        file.unwrap().write_all(b"+1 1:1\n").unwrap();
    });
    writer.join().unwrap();
    let message = folder.run("learn whitened pipe").refused(2);
    assert!(message.contains("standard input and pipes"), "{message}");
}

#[test]
fn the_matrix_is_of_the_rows_that_the_learner_sees() {
    let folder = folder();
    let mut rows = gaussian();
    for row in &mut rows {
        let length = row.values.iter().map(|v| v * v).sum::<f64>().sqrt();
        row.values.iter_mut().for_each(|v| *v /= length);
        row.values.insert(0, 0.5);
    }
    folder.write("staged.svm", libsvm(&rows));
    let staged = folder.run("learn whitened staged.svm --trace a --json").silent().json();
    let stages =
        folder.run("learn whitened data.svm --normalize l2 --bias 0.5 --trace b --model model --json").silent().json();
    assert_eq!(staged["mistakes"], stages["mistakes"]);
    let scores = |name: &str| -> Vec<f64> {
        let score = |line: &str| serde_json::from_str::<Json>(line).unwrap()["score"].as_f64().unwrap();
        folder.text(name).lines().map(score).collect()
    };
    for (t, (a, b)) in scores("a").iter().zip(&scores("b")).enumerate() {
        assert!((a - b).abs() < 1e-9, "trial {t}: {a} and {b}");
    }
    // The first 100 rows alone are another matrix.
    folder.write("first.svm", libsvm(&gaussian()[..100]));
    folder.run("learn whitened data.svm --limit 100 --trace a").silent();
    folder.run("learn whitened first.svm --trace b").silent();
    assert!(folder.read("a") == folder.read("b"), "a limit");
    folder.run("learn whitened data.svm --trace a --passes 3 --shuffle 1 --model model").silent();
    folder.run("learn whitened data.svm --trace b --passes 3 --shuffle 1 --cache").silent();
    assert!(folder.read("a") == folder.read("b"), "a cache");
}

#[test]
fn a_model_predicts_with_the_same_matrix() {
    let folder = folder();
    let learned =
        folder.run("learn whitened data.svm --passes 2 --train-error --test data.svm --model model --json").json();
    assert_eq!(learned["train"]["errors"], learned["test"]["errors"]);
    let errors = learned["train"]["errors"].as_u64().unwrap();
    let said = folder.run("predict model data.svm").ok().stderr;
    assert!(said.starts_with(&format!("{errors} errors in 300 ")), "{said}");
    // Features that no training row had do not count.
    let known = folder.run_on("predict model - --scores", "1:1 3:-2\n").silent().stdout;
    assert_eq!(folder.run_on("predict model - --scores", "1:1 3:-2 21:5 999:1\n").ok().stdout, known);
}

#[test]
fn matrices_too_large_are_refused_with_the_reason() {
    let folder = Folder::with("wide.svm", "+1 1:1\n-1 200000:1\n");
    let message = folder.run("learn whitened wide.svm --max-memory 1G").refused(1);
    let reason = "whitened: matrices of 200000 × 200000 need 960004 MB, more than --max-memory allows";
    assert_eq!(message, format!("wide.svm: {reason}\n"));
    folder.write("huge.svm", "+1 1:1e200\n-1 1:1\n");
    let message = folder.run("learn whitened huge.svm --model model").refused(1);
    let reason = "the sum of x xᵀ over its rows is too large a number; scale or normalize the rows";
    assert_eq!(message, format!("huge.svm: {reason}\n"));
    folder.write("zeros.svm", "+1 1:0\n-1\n+1\n");
    let result = folder.run("learn whitened zeros.svm --json").silent().json();
    assert_eq!((&result["mistakes"], &result["updates"]), (&3.into(), &0.into()));
    folder.write("weights.vw", "1 2.0 | a\n-1 | b\n");
    let message = folder.run("learn whitened weights.vw").refused(1);
    assert_eq!(message, "weights.vw:1:1: whitened takes no sample weights, and this row has weight 2\n");
}
