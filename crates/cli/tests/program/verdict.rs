//! How `compare` and `tune` end: with the learner to take, and the command that learns with it.

use serde_json::json;

use crate::folder::Folder;

/// Rows that the second feature tells apart, but for some.
fn rows() -> String {
    let row = |i: usize| {
        let is_yes = i.is_multiple_of(3) != i.is_multiple_of(11);
        let label = if is_yes { "yes" } else { "no" };
        format!("{label} 1:{} 2:{}\n", (i * 7) % 5, if i.is_multiple_of(3) { 2 } else { -1 })
    };
    (0..150).map(row).collect()
}

#[test]
fn compare_ends_with_a_command_that_does_the_same() {
    let folder = Folder::with("data.svm", rows());
    for learner in ["averaged", "svm:cost=0.5"] {
        let flags = "--repeats 1 --seed 7 --holdout 0.3 --scale standard --bias";
        let found = folder.run(&format!("compare data.svm -l {learner} {flags} --json")).json();
        assert_eq!(found["recommended"], found["rows"][0]["spec"]);
        let command = found["command"].as_str().unwrap().to_string();
        let learned = folder.run(&format!("{} --json", command.strip_prefix("onlinear ").unwrap())).json();
        assert_eq!(learned["holdout"]["error_rate"], found["rows"][0]["test_error"]["mean"], "{command}");
        assert_eq!(learned["holdout"]["metrics"]["auc"], found["rows"][0]["metrics"]["auc"]["mean"], "{command}");
        assert_eq!(learned["holdout"]["baseline"], found["baseline"], "{command}");
    }
}

#[test]
fn the_verdict_is_a_sentence() {
    let folder = Folder::with("data.svm", rows());
    let text = folder.run("compare data.svm -l averaged -l perceptron -l p-norm:p=8 --repeats 8").ok().stdout;
    let end: Vec<&str> = text.lines().rev().take(2).collect();
    assert!(end[1].starts_with("recommended  ") && end[1].contains("; no other is better beyond chance, "), "{text}");
    assert!(end[1].contains("; always 'no' would be 3"), "{text}");
    assert!(end[0].starts_with("onlinear learn ") && end[0].contains(" data.svm "), "{text}");
    assert!(end[0].ends_with(" --shuffle 1 --holdout 0.2 --seed 1"), "{text}");
    let text = folder.run("compare data.svm -l averaged -l svm --repeats 3").ok().stdout;
    assert!(text.contains("there are too few repeats to tell it from the others"), "{text}");
}

#[test]
fn learners_are_ranked_by_the_figure_that_is_named() {
    let folder = Folder::with("data.svm", rows());
    let found = folder.run("compare data.svm -l averaged -l perceptron -l svm --repeats 4 --metric auc --json").json();
    let auc = |row: &serde_json::Value| row["metrics"]["auc"]["mean"].as_f64().unwrap();
    let rows = found["rows"].as_array().unwrap();
    let best = rows.iter().max_by(|a, b| auc(a).total_cmp(&auc(b))).unwrap();
    let recommended = rows.iter().find(|row| row["spec"] == found["recommended"]).unwrap();
    assert_eq!(auc(best), auc(recommended));
    assert_eq!(found["metric"], json!("auc"));
}

#[test]
fn learners_that_are_ranked_by_probabilities_get_them() {
    let folder = Folder::with("data.svm", rows());
    let flags = "--repeats 1 --metric log-loss --json";
    let found = folder.run(&format!("compare data.svm -l averaged -l svm {flags}")).json();
    assert_eq!(found["rows"][1]["failed"], json!("it gives no probabilities, of which log-loss is told"));
    let command = found["command"].as_str().unwrap().to_string();
    let learned = folder.run(&format!("{} --json", command.strip_prefix("onlinear ").unwrap())).json();
    assert_eq!(learned["holdout"]["metrics"]["log_loss"], found["rows"][0]["metrics"]["log_loss"]["mean"], "{command}");
    let found = folder.run("tune averaged data.svm --grid rate=1,2 --metric log-loss --model model --json").json();
    assert!(found["rows"][0]["log_loss"]["mean"].as_f64().is_some_and(|loss| loss < 0.69), "{found}");
    assert!(found["command"].as_str().unwrap().ends_with(" --calibrate 10000"), "{found}");
    folder.run("predict model data.svm --probabilities").ok();
    let message = folder.run("tune svm data.svm --grid cost=1,2 --metric log-loss").refused(2);
    assert_eq!(message, "error: it gives no probabilities, of which log-loss is told\n");
}

#[test]
fn a_figure_stands_beside_that_of_no_model() {
    // Scores that rank, and a threshold that always says no.
    let row = |i: usize| format!("{} 1:{}\n", if i.is_multiple_of(16) { "yes" } else { "no" }, 1 + i % 16 / 3);
    let folder = Folder::with("data.svm", (0..320).map(row).collect::<String>());
    let flags = "--protocol paper --repeats 2 --metric";
    let timid = "svm:cost=0.001";
    for (learner, metric, always, is_beaten) in [
        ("fld", "auc", "always 'no' would be 0.5000 (error 6.25 %)", true),
        (timid, "balanced-accuracy", "always 'no' would be 50.00 % (error 6.25 %)", false),
        (timid, "error", "always 'no' would be 6.25 %", false),
    ] {
        let found = folder.run(&format!("compare data.svm -l {learner} {flags} {metric} --json")).json();
        let verdict = found["verdict"].as_str().unwrap();
        assert!(verdict.contains(always), "{verdict}");
        assert_eq!(!verdict.contains("no better than no model at all"), is_beaten, "{verdict}");
    }
}

#[test]
fn tune_sets_a_figure_beside_that_of_no_model() {
    let row = |i: usize| format!("{} 1:{}\n", if i.is_multiple_of(16) { "yes" } else { "no" }, 1 + i % 16 / 3);
    let folder = Folder::with("data.svm", (0..320).map(row).collect::<String>());
    let command = "tune svm data.svm --grid cost=0.001 --protocol paper --metric f1";
    let text = folder.run(command).ok().stdout;
    assert!(
        text.contains("always 'no' would be 0.0000 (error 6.25 %), so that it is no better than no model"),
        "{text}"
    );
}

#[test]
fn a_command_to_paste_reads_a_file() {
    let text = Folder::new().run_on("compare - -l averaged --repeats 1", rows()).ok().stdout;
    assert!(text.contains("onlinear learn averaged FILE "), "{text}");
    assert!(text.ends_with("\n(FILE: what came through the pipe, saved)\n"), "{text}");
}

#[test]
fn rows_without_a_label_are_left_out_where_that_is_asked_for() {
    let folder = Folder::with("data.csv", "x,y\n1,a\n2,b\n3,\n4,a\n5,b\n1,a\n2,b\n5,c\n".repeat(4));
    for command in ["compare data.csv -l averaged --repeats 1", "tune averaged data.csv --grid rate=1,2 --folds 2"] {
        let message = folder.run(&format!("{command} --label y --labels a,b")).refused(1);
        assert!(message.ends_with("data.csv:4:1: the row has no label; --skip-bad-rows leaves out such rows\n"));
        let found = folder.run(&format!("{command} --label y --labels a,b --skip-bad-rows --json")).json();
        assert_eq!(found["examples"], json!(24));
    }
}

#[test]
fn tune_ends_with_a_command_that_makes_its_model() {
    let folder = Folder::with("data.svm", rows());
    for (learner, grid) in [("averaged", "rate=1,2"), ("svm", "cost=0.1,1")] {
        let flags = "--seed 3 --normalize l2 --metric balanced-accuracy --model tuned --json";
        let found = folder.run(&format!("tune {learner} data.svm --grid {grid} {flags}")).json();
        let command = found["command"].as_str().unwrap().to_string();
        folder.run(&format!("{} --model learned --quiet", command.strip_prefix("onlinear ").unwrap())).ok();
        assert_eq!(folder.read("tuned"), folder.read("learned"), "{command}");
    }
}

/// `learn` chooses how often to pass over a table unless that is said.
#[test]
fn on_tables_a_command_says_how_often_to_pass_even_where_that_is_once() {
    let row = |i: usize| format!("{},{},{}\n", (i * 7) % 5, (i * 3) % 7, i.is_multiple_of(3) != i.is_multiple_of(11));
    let folder = Folder::with("t.csv", "a,b,y\n".to_string() + &(0..150).map(row).collect::<String>());
    let found = folder.run("compare t.csv --label y -l averaged --passes 1 --repeats 1 --quiet --json").json();
    let command = found["command"].as_str().unwrap().to_string();
    assert!(command.contains(" --passes 1 "), "{command}");
    let found =
        folder.run("tune averaged t.csv --label y --grid rate=1 --passes 1 --model tuned --quiet --json").json();
    let command = found["command"].as_str().unwrap().to_string();
    folder.run(&format!("{} --model learned --quiet", command.strip_prefix("onlinear ").unwrap())).ok();
    assert_eq!(folder.read("tuned"), folder.read("learned"), "{command}");
}

/// No line of a result is longer than the terminal is wide.
#[test]
fn everything_fits_in_80_columns() {
    let folder = Folder::with("data.svm", rows());
    folder.write("three.svm", rows().replace("no 1:4", "perhaps 1:4"));
    folder.run("learn averaged three.svm --model model").ok();
    for command in [
        "compare data.svm --repeats 2",
        "compare three.svm --repeats 2 --metric balanced-accuracy --class-weight balanced",
        "compare data.svm -l projectron:kernel=gaussian,sigma2=50,tolerance=0.001,output=averaged -l svm --repeats 2",
        "tune passive-aggressive data.svm --grid c=0.01,0.1,1 --grid variant=pa1,pa2 --metric auc",
        "learn second-order three.svm --holdout 0.3 --passes 12",
        "learn adaboost:rounds=3 data.svm --test data.svm",
        "inspect model",
        "algorithms",
    ] {
        let ran = folder.run_in(&[("COLUMNS", "80")], command, "").ok();
        for line in ran.stdout.lines().filter(|line| !line.ends_with('\\')) {
            assert!(line.chars().count() <= 80, "{command}: {line}\n{}", ran.stdout);
        }
    }
}

#[test]
fn a_file_is_no_learner() {
    let folder = Folder::with("data.svm", rows());
    let message = folder.run("learn data.svm").refused(2);
    assert!(message.starts_with("error: data.svm is a file: name a learner before it"), "{message}");
}
