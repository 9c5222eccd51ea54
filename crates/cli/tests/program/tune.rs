//! `onlinear tune`.

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::lists::without_lists;

fn plane() -> Folder {
    let folder = Folder::new();
    let text = folder.run("generate yinyang --rows 100 --seed 2").silent().stdout;
    folder.write("plane.svm", text);
    folder
}

#[test]
fn json_has_what_scripts_rely_on() {
    let folder = plane();
    let line = "tune svm plane.svm --grid cost=1e-2..1e2*10 --json";
    let json = folder.run(line).silent().json();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    let error = |row: &Json| row["error"]["mean"].as_f64().unwrap();
    let least = rows.iter().map(error).fold(1.0, f64::min);
    assert_eq!(json["best"], rows.iter().find(|row| error(row) == least).unwrap()["spec"]);
    assert_eq!((&rows[0]["spec"], &json["folds"]), (&"svm:cost=0.01".into(), &5.into()));
    for threads in ["1", "2"] {
        assert_eq!(folder.run_in(&[("ONLINEAR_THREADS", threads)], line, "").json(), json);
    }
}

#[test]
fn the_winner_stands_on_a_line_of_its_own_and_can_be_learned() {
    let folder = plane();
    let grids = "--grid c=0.1,1 --grid variant=pa1,pa2 --passes 2";
    let text = folder
        .run(&format!("tune passive-aggressive plane.svm {grids} --seed 4 --model m --html r.html"))
        .silent()
        .stdout;
    let command = text.lines().last().unwrap();
    assert!(command.contains(" plane.svm ") && command.ends_with(" --passes 2 --shuffle 4"), "{text}");
    folder.run(&format!("{} --model same", command.strip_prefix("onlinear ").unwrap())).ok();
    let [tuned, learned] =
        ["m", "same"].map(|model| folder.run(&format!("predict {model} plane.svm --scores")).ok().stdout);
    assert_eq!(tuned, learned);
    let html = folder.text("r.html");
    assert!(html.contains("Error against c and variant") && html.contains(command), "no heat map");
    folder.run("tune svm:cost=3 plane.svm --grid c=1,2,4,8 --html r.html").silent();
    assert!(folder.text("r.html").contains("Error against c</strong>"));
}

#[test]
fn equal_errors_leave_the_first_setting() {
    let json = plane().run("tune perceptron plane.svm --grid rate=4,2,1 --json").silent().json();
    assert_eq!(json["rows"][0]["error"], json["rows"][2]["error"]);
    assert_eq!(json["best"], json["rows"][0]["spec"]);
}

#[test]
fn keys_within_a_learner_and_single_rows() {
    let folder = plane();
    let line = "tune adaboost:base=rcd,rounds=3 plane.svm --limit 30 --grid base.epochs=1,4 --folds loo --json";
    let json = folder.run(line).silent().json();
    assert_eq!(json["folds"], 30);
    assert!(json["rows"][1]["spec"].as_str().unwrap().contains("base.epochs=4"), "{json}");
}

#[test]
fn what_is_wrong_is_refused_before_any_work() {
    let folder = plane();
    folder.write("rare.svm", "+1 1:1\n-1 1:1\n-1 1:2\n-1 1:3\n");
    let mut messages = String::new();
    for (line, code) in [
        ("tune svn plane.svm --grid cost=1", 2),
        ("tune svm plane.svm --grid cost=", 2),
        ("tune svm plane.svm --grid cost", 2),
        ("tune svm plane.svm --grid cots=1,2", 2),
        ("tune svm plane.svm --grid cost=1,-2", 2),
        ("tune svm plane.svm --grid cost=1,2 --grid c=1,2", 2),
        ("tune svm plane.svm --grid cost=1..9", 2),
        ("tune adaboost plane.svm --grid base.epoch=1", 2),
        ("tune svm plane.svm --grid cost=1 --folds 1", 2),
        ("tune svm - --grid cost=1 --model m", 2),
        ("tune svm plane.svm --grid cost=1 --folds 101", 1),
        ("tune svm rare.svm --grid cost=1 --folds 2", 1),
        ("tune svm plane.svm --grid cost=1 --model none/m", 1),
        ("tune svm plane.svm --grid cost=1 --html none/r.html", 1),
    ] {
        messages += &format!("{line}\n{}\n", folder.run(line).refused(code));
    }
    insta::assert_snapshot!(without_lists(&messages));
    assert_eq!(folder.names(), ["plane.svm", "rare.svm"]);
}

#[test]
fn a_setting_that_fails_is_a_row_and_the_others_go_on() {
    let row = |i: i32| format!("{} 1:{}e60 2:{}e60\n", if i % 3 == 0 { 1 } else { -1 }, i % 11 - 5, i % 7 - 3);
    let folder = Folder::with("large.svm", (0..90).map(row).collect::<String>());
    let command = "tune perceptron:kernel=polynomial large.svm --grid degree=1,4 --folds 3 --protocol paper";
    let ran = folder.run(command).silent();
    assert!(ran.stdout.contains("\n     4        failed\n"), "{}", ran.stdout);
    let json = folder.run(&format!("{command} --json")).silent().json();
    assert!(json["rows"][1]["failed"].is_string() && json["rows"][0]["error"]["mean"].is_f64(), "{json}");
    assert!(json["best"].as_str().unwrap().contains("degree=1"), "{json}");
}
