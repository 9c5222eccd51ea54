//! The figures that `learn` tells of test rows and of rows held out, and the weights of classes.

use serde_json::{Value as Json, json};

use crate::folder::Folder;

/// Rows of three unequal classes, some of them wrong.
fn three_classes(rows: usize) -> String {
    let row = |i: usize| {
        let class = [0, 0, 0, 1, 1, 2][i % 6];
        let label = if i.is_multiple_of(13) { (class + 1) % 3 } else { class };
        format!("{} {}:{} 4:{}\n", ["x", "y", "z"][label], class + 1, 1 + i % 3, (i * 7) % 5)
    };
    (0..rows).map(row).collect()
}

#[test]
fn the_error_rate_of_many_classes_is_that_of_the_decision() {
    let folder = Folder::with("data.svm", three_classes(120));
    let report = folder.run("learn perceptron data.svm --json").json();
    let (wrong, trials) = (report["multiclass_mistakes"].as_u64().unwrap(), report["trials"].as_u64().unwrap());
    assert_eq!(report["error_rate"], json!(wrong as f64 / trials as f64));
    assert!(report["mistakes"].as_u64().unwrap() > wrong);
    let text = folder.run("learn perceptron data.svm").silent().stdout;
    let [error, mistakes] = ["wrong class", "mistakes"].map(|name| text.find(name).unwrap());
    assert!(error < mistakes, "{text}");
    assert!(text.contains(&format!("wrong class  {wrong} in 120 trials, ")), "{text}");
    assert!(text.contains(", all binary problems together\n") && text.contains("; always 'x' would be "), "{text}");
    // The share of an epoch is that of all binary problems.
    let lines = folder.run("learn rcd-bias:epochs=4 data.svm --progress lines").ok().stderr;
    let shares = lines.lines().skip(1).map(|line| line.split_whitespace().last().unwrap().parse::<f64>().unwrap());
    assert!(shares.into_iter().all(|share| share <= 100.0), "{lines}");
}

#[test]
fn a_test_has_its_baseline_and_figures() {
    let folder = Folder::with("data.svm", "a 1:1\nb 2:1\na 1:1\n");
    folder.write("test.svm", "a 1:1\nb 1:1\nb 2:1\nb 2:2\n");
    let report = folder.run("learn perceptron data.svm --test test.svm --json").json();
    assert_eq!(report["baseline"], json!(1.0 / 3.0));
    let test = &report["test"];
    assert_eq!((&test["examples"], &test["errors"], &test["error_rate"]), (&json!(4), &json!(1), &json!(0.25)));
    // The largest class of the training rows is a, of which the test has one row.
    assert_eq!(test["baseline"], json!(0.75));
    assert_eq!(test["metrics"]["confusion"], json!([[1, 0], [1, 2]]));
    let b = json!({"precision": 1.0, "recall": 2.0 / 3.0, "f1": 0.8, "support": 3});
    assert_eq!(test["metrics"]["classes"]["b"], b);
    assert_eq!(test["metrics"]["auc"], json!(2.5 / 3.0));
    assert_eq!(test["metrics"]["log_loss"], Json::Null);
    assert_eq!(report["holdout"], Json::Null);
    let text = folder.run("learn perceptron data.svm --test test.svm").silent().stdout;
    assert!(text.contains("test      1 error in 4 rows, 25.00 %; always 'a' would be 75.00 %\n"), "{text}");
}

#[test]
fn what_is_held_out_is_not_learned() {
    let folder = Folder::with("data.svm", three_classes(120));
    let report = folder.run("learn averaged data.svm --holdout 0.25 --json --model model").json();
    assert_eq!((&report["examples"], &report["holdout"]["examples"]), (&json!(90), &json!(30)));
    assert_ne!(
        report["holdout"]["metrics"],
        folder.run("learn averaged data.svm --holdout 0.25 --seed 2 --json").json()["holdout"]["metrics"]
    );
    for (command, message) in [
        ("learn averaged - --holdout 0.2", "error: --holdout has to read all rows first, which standard input"),
        ("learn --resume model data.svm --holdout 0.2", "error: --holdout does not go with --resume"),
        ("learn svm data.svm --holdout 0.2 --passes 3", "error: --passes does not go with svm"),
        ("learn averaged data.svm --holdout 0.999", "data.svm: all 55 rows of class 'x' would be held out"),
    ] {
        let ran = folder.run_on(command, "a 1:1\n");
        assert!(ran.stderr.starts_with(message), "{command}: {}", ran.stderr);
    }
    // Certificate and training errors are of the rows learned from.
    folder.write("two.svm", "a 1:1\nb 2:1\n".repeat(20));
    let flags = "--holdout 0.2 --certificate --train-error --json";
    let report = folder.run(&format!("learn perceptron two.svm {flags}")).json();
    assert_eq!(report["train"]["examples"], json!(32));
    assert_eq!(report["certificate"]["mistakes"], report["mistakes"]);
}

#[test]
fn classes_weigh_what_they_are_given() {
    let folder = Folder::with("data.csv", "x,v,w,y\n1,2,2,a\n2,0,1,b\n3,1,2,a\n5,9,1,b\n4,4,1,b\n7,1,1,b\n0,3,1,b\n");
    for learner in ["averaged", "svm"] {
        folder.run(&format!("learn {learner} data.csv --label y --ignore w --class-weight a=2 --model weighed")).ok();
        folder.run(&format!("learn {learner} data.csv --label y --weight w --model weights")).ok();
        let [ours, theirs] =
            ["weighed", "weights"].map(|model| folder.run(&format!("inspect {model} --weights")).stdout);
        assert_eq!(ours, theirs, "{learner}");
    }
    let refused = |flags: &str| folder.run(&format!("learn {flags}")).refused(2);
    let message = refused("romma data.csv --label y --class-weight balanced");
    assert_eq!(message, "error: --class-weight: romma takes no sample weights, and so none of classes\n");
    let message = refused("averaged data.csv --label y --class-weight c=2");
    assert!(message.starts_with("error: --class-weight: there is no label 'c' (there are a, b)"), "{message}");
    let message = folder.run_on("learn averaged - --class-weight balanced", "a 1:1\nb 2:1\n").refused(2);
    let expected = "error: --class-weight 'balanced' has to count all rows first; give each label its weight\n";
    assert_eq!(message, expected);
}

#[test]
fn weights_of_classes_are_kept_in_the_model() {
    let folder = Folder::with("all.svm", "a 1:1 2:3\nb 2:1\na 1:2\nb 1:1 2:2\nb 1:3\na 2:5\n");
    folder.write("first.svm", "a 1:1 2:3\nb 2:1\na 1:2\n");
    folder.write("second.svm", "b 1:1 2:2\nb 1:3\na 2:5\n");
    folder.run("learn averaged all.svm --class-weight b=0.25 --model whole").silent();
    folder.run("learn averaged first.svm --class-weight b=0.25 --model part").silent();
    folder.run("learn --resume part second.svm --model part").silent();
    assert_eq!(folder.read("part"), folder.read("whole"));
    let message = folder.run("learn --resume part second.svm --class-weight a=2").refused(2);
    assert_eq!(message, "error: --class-weight does not go with --resume: the model remembers it\n");
}

#[test]
fn a_positive_label_that_no_row_has_is_refused() {
    let folder = Folder::with("data.svm", "spam 1:1\nham 2:1\nspam 1:2\nham 2:2\n".repeat(3));
    let expected = "data.svm: no row has the positive label 'spma'; there are spam, ham; did you mean 'spam'?\n";
    for command in [
        "learn averaged data.svm",
        "learn averaged data.svm --passes 2",
        "learn svm data.svm",
        "learn averaged data.svm --holdout 0.3",
        "compare data.svm -l averaged",
        "tune averaged data.svm --grid rate=1,2",
    ] {
        assert_eq!(folder.run(&format!("{command} --positive spma")).refused(1), expected, "{command}");
    }
}

#[test]
fn a_metric_tells_how_many_passes_are_best() {
    let folder = Folder::with("rare.csv", rare_class(300));
    let learn = "learn passive-aggressive rare.csv --label y --calibrate --quiet --json";
    let passes = |by: &str| folder.run(&format!("{learn}{by}")).json()["passes"].as_u64().unwrap();
    let usual = passes("");
    assert_eq!(passes(" --metric error"), usual);
    let others = ["balanced-accuracy", "auc", "log-loss"].map(|name| passes(&format!(" --metric {name}")));
    assert!(others.iter().any(|passes| *passes != usual), "{usual} {others:?}");
    let idle = folder.run("learn averaged rare.csv --label y --passes 2 --metric auc").ok().stderr;
    assert!(idle.contains("warning: --metric auc tells how many passes are best"), "{idle}");
    let refused = folder.run("learn averaged rare.csv --label y --metric log-loss").refused(2);
    assert!(refused.contains("--metric log-loss needs probabilities: add --calibrate"), "{refused}");
}

/// A table in which few rows are of one class, which its numbers do not quite tell.
fn rare_class(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i * 7919 % 101, i * 104_729 % 97);
        let is_rare = a + b + i * 31 % 40 > 190;
        format!("{a},{b},{}\n", if is_rare { "yes" } else { "no" })
    };
    format!("a,b,y\n{}", (0..rows).map(row).collect::<String>())
}
