//! Learners that learn from all rows at once, through the program.

use serde_json::{Value as Json, json};

use crate::folder::Folder;
use crate::lists::without_lists;
use crate::rows::golden;

/// Fewer cases than this would mean that some are passed over in silence.
const CASES: usize = 78;

#[test]
fn every_golden_case_is_replayed() {
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(golden("batch.json")).unwrap()).unwrap();
    assert!(cases.len() >= CASES, "only {} cases were found", cases.len());
    cases.iter().for_each(check);
}

fn check(case: &Json) {
    let text = |key: &str| case[key].as_str().unwrap();
    let (id, spec) = (text("id"), text("spec"));
    let data = golden(text("data")).canonicalize().unwrap();
    let folder = Folder::new();
    let learn = format!("learn {spec} {} --trace trace --model model --json", data.display());
    let result = folder.run(&learn).silent().json();
    let expected = case["training_errors"].as_array().unwrap();

    let lines: Vec<Json> = folder.text("trace").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let errors: Vec<&Json> = lines.iter().map(|line| &line["errors"]).collect();
    assert!(lines.iter().enumerate().all(|(epoch, line)| line["epoch"] == json!(epoch)), "{id}");
    if expected.len() > 1 {
        assert_eq!(errors, expected.iter().collect::<Vec<_>>(), "{id}");
    }
    assert_eq!(errors.last(), expected.last().as_ref(), "{id}");
    assert_eq!(result["train"]["errors"], expected[expected.len() - 1], "{id}");
    assert_eq!(result["train"]["examples"], result["examples"], "{id}");
    assert_eq!(result["evaluations"], case.get("evaluations").cloned().unwrap_or(Json::Null), "{id}");

    let weights = folder.run("inspect model --weights").silent().stdout;
    let weights: Vec<f64> = weights.lines().map(|line| line.split_once('\t').unwrap().1.parse().unwrap()).collect();
    let expected: Vec<f64> = case["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
    let largest = expected.iter().fold(0f64, |largest, w| largest.max(w.abs()));
    assert_eq!(weights.len(), expected.len(), "{id}");
    for (ours, theirs) in weights.iter().zip(&expected) {
        assert!((ours - theirs).abs() <= 1e-9 * largest, "{id}: {weights:?} instead of {expected:?}");
    }
}

/// The rows of `integers.svm` of the golden folder.
fn integers() -> String {
    golden("integers.svm").canonicalize().unwrap().display().to_string()
}

#[test]
fn an_ensemble_is_a_model_like_any_other() {
    let folder = Folder::new();
    let data = integers();
    for spec in
        ["adaboost:rounds=20,base.epochs=30", "adaboost:rounds=5,base=perceptron,base.kernel=gaussian,base.sigma2=20"]
    {
        let learn = format!("learn {spec} {data} --test {data} --trace trace --model model --json");
        let result = folder.run(&learn).silent().json();
        let rounds = result["rounds_used"].as_u64().unwrap();
        assert!(rounds > 0 && (result["stopped"].is_null() || rounds < 20), "{result}");
        assert_eq!(
            folder.text("trace").lines().count() as u64,
            1 + spec[16..].split(',').next().unwrap().parse::<u64>().unwrap()
        );
        let last: Json = serde_json::from_str(folder.text("trace").lines().last().unwrap()).unwrap();
        assert_eq!(last["errors"], result["train"]["errors"]);
        assert_eq!(result["test"]["errors"], result["train"]["errors"]);
        let predicted = folder.run(&format!("predict model {data}")).ok();
        assert!(
            predicted.stderr.contains(&format!("{} errors in 300 labelled rows", result["test"]["errors"])),
            "{}",
            predicted.stderr
        );
        let about = folder.run("inspect model --json").silent().json();
        assert!(about["spec"].as_str().unwrap().starts_with("adaboost:base="), "{about}");
    }
}

#[test]
fn an_early_stop_is_reported_with_its_reason() {
    // One hypothesis for all rows: whatever a stump-less base says of them, half are wrong in the end.
    let rows: String = (0..20).map(|i| if i % 2 == 0 { "+1 1:1\n" } else { "-1 1:1\n" }).collect();
    let folder = Folder::with("alike.svm", rows);
    let result = folder.run("learn adaboost:base=fld,rounds=50 alike.svm --json --quiet").ok().json();
    assert_eq!(result["rounds_used"], json!(0));
    let stopped = result["stopped"].as_str().unwrap();
    assert!(stopped.starts_with("round 1: the base's weighted error is 0.5"), "{stopped}");
}

#[test]
fn sample_weights_count_as_rows_repeated() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{},{}", i * 7 % 11, i * 5 % 13, if (i * 3) % 5 < 2 { "yes" } else { "no" });
    let weight = |i: usize| 1 + i % 3;
    let weighted: String = (0..60).map(|i| format!("{},{}\n", row(i), weight(i))).collect();
    let repeated: String = (0..60).map(|i| format!("{}\n", row(i)).repeat(weight(i))).collect();
    folder.write("weighted.csv", format!("a,b,class,weight\n{weighted}"));
    folder.write("repeated.csv", format!("a,b,class\n{repeated}"));
    for spec in ["rcd-bias:start=zero,epochs=40", "ccd:start=zero,epochs=40"] {
        folder
            .run(&format!(
                "learn {spec} weighted.csv --label class --weight weight --protocol paper --model w --trace trace"
            ))
            .ok();
        folder.run(&format!("learn {spec} repeated.csv --label class --protocol paper --model r")).ok();
        let weights = |model: &str| folder.run(&format!("inspect {model} --weights")).silent().stdout;
        assert_eq!(weights("w"), weights("r"), "{spec}");
        assert!(folder.text("trace").lines().all(|line| line.contains("\"weighted_error\":")));
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let folder = Folder::new();
    folder.write("one-class.svm", "+1 1:1\n+1 1:2\n");
    folder.write("weightless.csv", "a,class,weight\n1,yes,0\n2,no,0\n");
    folder.write("half-weightless.csv", "a,class,weight\n1,yes,0\n2,no,1\n3,no,1\n");
    folder.write("nan.svm", "+1 1:nan\n-1 1:1\n");
    folder.write("empty.svm", "");
    folder.write("fine.svm", "+1 1:1\n-1 1:2\n+1 1:3\n");
    let mut messages = String::new();
    let columns = "--label class --weight weight";
    for command in [
        "learn rcd one-class.svm".to_string(),
        format!("learn rcd weightless.csv {columns}"),
        format!("learn adaboost half-weightless.csv {columns}"),
        "learn pocket nan.svm".to_string(),
        "learn sgd empty.svm".to_string(),
        "learn svm:cost=cv fine.svm".to_string(),
        "learn sgd:loss=squares,rate=1e9,epochs=1000 fine.svm".to_string(),
    ] {
        messages += &folder.run(&format!("{command} --model model")).refused(1);
    }
    for command in [
        "learn rcd:epochs=0 fine.svm",
        "learn adaboost:rounds=0 fine.svm",
        "learn adaboost:base=voted fine.svm",
        "learn adaboost:base.epochs=0 fine.svm",
        "learn adaboost:base.epoch=3 fine.svm",
        "learn adaboost:base=rcd-bais fine.svm",
        "learn svm:cost=0 fine.svm",
        "learn rcd fine.svm --passes 2",
        "learn rcd fine.svm --until-separated",
        "learn rcd fine.svm --shuffle 1",
        "learn rcd fine.svm --save-every 5",
        "learn rcd -",
    ] {
        messages += &folder.run(&format!("{command} --model model")).refused(2);
    }
    assert!(!folder.names().contains(&"model".to_string()));
    folder.run("learn rcd fine.svm --model fitted --quiet").ok();
    messages += &folder.run("learn --resume fitted fine.svm").refused(2);
    insta::assert_snapshot!(without_lists(&messages));
}

#[test]
fn the_report_of_a_run() {
    let folder = Folder::new();
    let report = folder.run(&format!("learn pocket:epochs=5 {} --progress lines", integers())).ok();
    let shown: String = report
        .stdout
        .lines()
        .filter(|line| !line.starts_with("seconds") && !line.starts_with("data"))
        .fold(String::new(), |all, line| all + line + "\n");
    insta::assert_snapshot!(format!("{shown}\n{}", report.stderr));
}

#[test]
fn the_width_of_vectors_does_not_show() {
    let folder = Folder::new();
    let data = golden("gaussian20.svm").canonicalize().unwrap().display().to_string();
    for spec in [
        "rcd-bias:epochs=100",
        "rcd-conj:stump=both",
        "rcd-grad:start=zero",
        "adaboost:rounds=10,base.epochs=20",
        "svm:cost=cv",
    ] {
        let line = |model: &str| format!("learn {spec} {data} --model {model} --json");
        folder.run(&line("wide")).silent();
        for bits in ["0", "256"] {
            folder.run_in(&[("ONLINEAR_VECTORS", bits)], &line("narrow"), "").silent();
            assert!(folder.read("wide") == folder.read("narrow"), "{spec}: {bits} bits");
        }
    }
}
