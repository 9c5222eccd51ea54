//! What `learn` reports, and how its options change a run.

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::rows::{Row, csv, integers, libsvm, vw};

fn folder() -> Folder {
    Folder::with("data.svm", libsvm(&integers()))
}

/// Rows that a line through the origin separates.
fn separable() -> String {
    (1..=40)
        .map(|i| format!("{} 1:{} 2:1\n", if i % 3 == 0 { "-1" } else { "+1" }, if i % 3 == 0 { -i } else { i }))
        .collect()
}

#[test]
fn the_json_has_the_keys_of_the_contract() {
    let result =
        folder().run("learn averaged data.svm --passes 2 --train-error --test data.svm --json").silent().json();
    let keys: Vec<&str> =
        "spec form examples features classes passes trials mistakes error_rate updates support matrix_updates \
                           per_pass train test certificate seconds peak_rss_bytes"
            .split_whitespace()
            .collect();
    let object = result.as_object().unwrap();
    for key in keys {
        assert!(object.contains_key(key), "{key}");
    }
    assert_eq!(result["spec"], "averaged:rate=1,multiclass=rest,kernel=linear,degree=2,offset=1,sigma2=1,cosine=false");
    assert_eq!((result["examples"].as_u64(), result["trials"].as_u64()), (Some(300), Some(600)));
    assert_eq!(result["error_rate"].as_f64(), Some(result["mistakes"].as_f64().unwrap() / 600.0));
    for key in ["examples", "errors", "error_rate"] {
        assert_eq!(result["train"][key], result["test"][key], "the same rows: {key}");
    }
    assert_eq!(result["train"]["examples"], 300);
    for part in ["read", "learn", "test"] {
        assert!(result["seconds"][part].as_f64().unwrap() >= 0.0);
    }
    let sums: Vec<u64> = ["mistakes", "updates"]
        .iter()
        .map(|key| result["per_pass"].as_array().unwrap().iter().map(|pass| pass[key].as_u64().unwrap()).sum())
        .collect();
    assert_eq!((result["mistakes"].as_u64(), result["updates"].as_u64()), (Some(sums[0]), Some(sums[1])));
}

#[test]
fn a_trace_has_a_line_for_every_trial() {
    let folder = folder();
    let result = folder.run("learn passive-aggressive data.svm --passes 2 --trace trace --json").silent().json();
    let trace: Vec<Json> = folder.text("trace").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(trace.len(), 600);
    for (t, trial) in trace.iter().enumerate() {
        let keys: Vec<&String> = trial.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["label", "mistake", "score", "t", "updated"]);
        let (label, score) = (trial["label"].as_f64().unwrap(), trial["score"].as_f64().unwrap());
        assert_eq!((trial["t"].as_u64(), trial["mistake"].as_bool()), (Some(t as u64), Some(label * score <= 0.0)));
    }
    let count = |key: &str| Some(trace.iter().filter(|trial| trial[key] == true).count() as u64);
    assert_eq!((result["mistakes"].as_u64(), result["updates"].as_u64()), (count("mistake"), count("updated")));
}

#[test]
fn a_limit_takes_the_first_rows() {
    let folder = folder();
    folder.write("first.svm", libsvm(&integers()[..77]));
    for passes in [1, 3] {
        folder.run(&format!("learn averaged data.svm --limit 77 --passes {passes} --model a")).silent();
        folder.run(&format!("learn averaged first.svm --passes {passes} --model b")).silent();
        assert!(folder.read("a") == folder.read("b"), "{passes} passes");
    }
    let all = folder.run("learn averaged data.svm --limit 1000 --json").json();
    assert_eq!(all["examples"], 300);
}

#[test]
fn passes_go_on_until_the_rows_are_separated() {
    let folder = Folder::with("apart.svm", separable());
    folder.write("mixed.svm", "+1 1:1\n-1 1:1\n");
    let result = folder.run("learn perceptron --until-separated apart.svm --json --model model").silent().json();
    assert_eq!(result["separated"], true);
    assert_eq!(result["per_pass"].as_array().unwrap().last().unwrap()["mistakes"], 0);
    let margin = result["margin"].as_f64().unwrap();
    assert!(margin > 0.0);
    assert_eq!(folder.run("inspect model --json").json()["margin"], margin);

    let result = folder.run("learn perceptron mixed.svm --until-separated 7 --json").silent().json();
    assert_eq!((&result["separated"], &result["passes"]), (&Json::from(false), &Json::from(7)));
}

#[test]
fn shuffling_depends_on_the_seed_alone() {
    let folder = folder();
    let trace = |seed: u64| {
        folder.run(&format!("learn perceptron data.svm --passes 2 --shuffle {seed} --trace trace")).silent();
        folder.read("trace")
    };
    assert!(trace(1) == trace(1));
    assert!(trace(1) != trace(2));
}

#[test]
fn a_model_saved_on_the_way_is_whole() {
    let rows: Vec<Row> = integers().into_iter().cycle().take(2500).collect();
    let folder = Folder::new();
    for (good, bad, text, wrong) in [
        ("good.svm", "bad.svm", libsvm(&rows), "+1 x\n"),
        ("good.vw", "bad.vw", vw(&rows, ""), "+1 x\n"),
        ("good.csv", "bad.csv", csv(&rows, ["", ""]), "1,2\n"),
    ] {
        folder.write(good, &text);
        folder.write(bad, text + wrong);
        for (every, last) in [(1000, 2000), (150, 2400), (2500, 2500)] {
            folder.run(&format!("learn averaged {bad} --protocol paper --save-every {every} --model saved")).refused(1);
            folder.run(&format!("learn averaged {good} --protocol paper --limit {last} --model expected")).silent();
            assert!(folder.read("saved") == folder.read("expected"), "{bad}, every {every}");
        }
    }
}

#[test]
fn quiet_means_quiet_and_progress_can_be_lines() {
    let folder = folder();
    assert_eq!(folder.run("learn perceptron data.svm --quiet").silent().stdout, "");
    let lines = folder.run("learn perceptron data.svm --progress lines").ok().stderr;
    let trials: Vec<&str> = lines.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(trials, ["trials", "1", "2", "4", "8", "16", "32", "64", "128", "256"]);
}

#[test]
fn the_test_file_is_read_as_the_model_wants_it() {
    let folder = folder();
    folder.write("test.svm", "+1 1:1 900:1\n-1 2:1\n");
    let result = folder.run("learn perceptron data.svm --test test.svm --normalize l2 --bias --json").silent().json();
    assert_eq!(result["test"]["examples"], 2);
    folder.write("other.svm", "+1 1:1\n7 2:1\n");
    let message = folder.run("learn perceptron data.svm --test other.svm").refused(1);
    assert_eq!(message, "other.svm:2:1: label '7' is neither '-1' nor '+1', the classes of this model\n");
}
