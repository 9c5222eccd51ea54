//! `onlinear compare`.

use serde_json::Value as Json;

use crate::folder::{Folder, ProgramRun};
use crate::lists::without_lists;

/// Three quick learners of three kinds.
const LEARNERS: &str = "-l averaged -l perceptron:kernel=polynomial -l rcd-bias:epochs=5";

/// Rows in a plane.
fn plane() -> Folder {
    let folder = Folder::new();
    let text = folder.run("generate yinyang --rows 120 --seed 2").silent().stdout;
    folder.write("plane.svm", text);
    folder
}

/// The JSON without what the clock says.
fn timeless(ran: ProgramRun) -> Json {
    let mut json = ran.json();
    json["rows"].as_array_mut().unwrap().iter_mut().for_each(|row| row["seconds"] = Json::Null);
    json
}

#[test]
fn the_built_in_set_is_compared_without_a_word() {
    let ran = Folder::new().run(&format!("compare {LEARNERS} --repeats 3")).silent();
    assert!(ran.stdout.starts_with("data   built-in artificial set: artificial:features=100"), "{}", ran.stdout);
    assert!(ran.stdout.contains("standard error of the mean over 3 repeats"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "no bold letters on a pipe");
    for learner in ["averaged ", "perceptron:kernel=polynomial ", "rcd-bias:epochs=5 "] {
        assert!(ran.stdout.lines().any(|line| line.starts_with(learner)), "{learner}: {}", ran.stdout);
    }
}

#[test]
fn json_has_what_scripts_rely_on() {
    let json = plane().run(&format!("compare plane.svm {LEARNERS} --repeats 4 --seed 3 --json")).silent().json();
    assert_eq!((&json["seed"], &json["repeats"], &json["examples"]), (&3.into(), &4.into(), &120.into()));
    assert_eq!((&json["data"], &json["features"], &json["classes"]), (&"plane.svm".into(), &2.into(), &2.into()));
    assert!(json["version"].is_string());
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(row["spec"].as_str().unwrap().contains(':'), "{row}");
        for key in ["train_error", "test_error", "seconds", "bytes"] {
            let [mean, stderr, sd] = ["mean", "stderr", "sd"].map(|part| row[key][part].as_f64().unwrap());
            assert!(mean >= 0.0 && (sd - 2.0 * stderr).abs() < 1e-12, "{key}: {row}");
        }
    }
    assert_eq!(rows.iter().filter(|row| row["p_value"].is_null()).count(), 1);
    assert!(rows[1]["support"]["mean"].is_f64() && rows[0]["support"].is_null());
    assert!(
        rows[0]["online_error"]["mean"].is_f64() && rows[2]["online_error"].is_null() && rows[2]["mistakes"].is_null()
    );
}

/// Rows that are too large for some learners and not for others.
fn large() -> Folder {
    let row = |i: i32| format!("{} 1:{}e60 2:{}e60\n", if i % 3 == 0 { 1 } else { -1 }, i % 11 - 5, i % 7 - 3);
    Folder::with("large.svm", (0..90).map(row).collect::<String>())
}

#[test]
fn a_learner_that_fails_is_a_row_and_the_others_go_on() {
    let folder = large();
    let learners = "-l perceptron -l perceptron:kernel=polynomial,degree=4 -l averaged";
    let ran = folder.run(&format!("compare large.svm {learners} --repeats 3 --protocol paper")).silent();
    let line = |start: &str| ran.stdout.lines().find(|line| line.starts_with(start)).unwrap().to_string();
    assert!(line("perceptron:kernel=polynomial,degree=4 ").contains(" failed "), "{}", ran.stdout);
    assert!(line("averaged ").contains('±'), "{}", ran.stdout);
    let why = "perceptron:kernel=polynomial,degree=4 failed: large.svm:";
    assert!(ran.stdout.contains(why) && ran.stdout.contains("too large; scale or normalize"), "{}", ran.stdout);
    let rows = folder.run(&format!("compare large.svm {learners} --repeats 3 --protocol paper --json")).silent().json()
        ["rows"]
        .clone();
    assert!(rows[2]["failed"].as_str().unwrap().starts_with("large.svm:") && rows[2]["test_error"].is_null(), "{rows}");
    assert_eq!([&rows[0]["learner"], &rows[1]["learner"]], ["perceptron", "averaged"]);
    // Where none is left, there is nothing to show.
    let message = folder.run("compare large.svm -l perceptron:kernel=polynomial,degree=4 --protocol paper").refused(1);
    assert!(message.starts_with("large.svm:"), "{message}");
}

#[test]
fn what_learners_have_to_say_about_their_runs_is_told() {
    let folder = plane();
    let ran = folder.run("compare plane.svm -l higher-order -l averaged --scale minmax --repeats 3").ok();
    assert!(
        ran.stderr.starts_with("warning: higher-order: ") && ran.stderr.ends_with(" (in 3 of 3 runs)\n"),
        "{}",
        ran.stderr
    );
    let ran = folder.run("tune higher-order plane.svm --grid deflation=0.2,0.5 --folds 3 --scale minmax").ok();
    assert_eq!(
        ran.stderr.lines().filter(|line| line.starts_with("warning: higher-order:")).count(),
        2,
        "{}",
        ran.stderr
    );
}

#[test]
fn the_same_learner_twice_gives_the_same_row_on_any_number_of_threads() {
    let folder = plane();
    let line = "compare plane.svm -l perceptron -l pocket:epochs=9 -l perceptron --repeats 7 --passes 2 --json";
    let one = timeless(folder.run_in(&[("ONLINEAR_THREADS", "1")], line, ""));
    assert_eq!(one["rows"][0]["test_error"], one["rows"][2]["test_error"]);
    assert_eq!(one["rows"][0]["mistakes"], one["rows"][2]["mistakes"]);
    for threads in ["2", "5"] {
        assert_eq!(timeless(folder.run_in(&[("ONLINEAR_THREADS", threads)], line, "")), one);
    }
    let other = timeless(folder.run(&format!("{line} --seed 2")));
    assert_ne!(other["rows"][0]["test_error"], one["rows"][0]["test_error"]);
}

#[test]
fn one_repeat_has_no_spread() {
    let json = plane().run("compare plane.svm -l perceptron -l fld --repeats 1 --json").silent().json();
    assert_eq!(json["rows"][0]["test_error"]["stderr"], Json::Null);
    assert_eq!(json["rows"][1]["p_value"], Json::Null);
}

#[test]
fn a_test_file_is_tested_on() {
    let folder = plane();
    let json = folder.run("compare plane.svm -l fld --test plane.svm --repeats 2 --json").silent().json();
    assert_eq!(json["rows"][0]["train_error"]["mean"], json["rows"][0]["test_error"]["mean"]);
    let learned = folder.run("learn fld plane.svm --json").silent().json();
    assert_eq!(learned["train"]["error_rate"], json["rows"][0]["train_error"]["mean"]);
}

#[test]
fn csv_html_and_svg_are_written() {
    let folder = plane();
    let line = format!("compare plane.svm {LEARNERS} -l stoptron:kernel=polynomial,budget=20 --repeats 3");
    let quiet = folder.run(&format!("{line} --csv t.csv --html r.html --svg pictures --quiet")).silent();
    assert_eq!(quiet.stdout, "");
    let csv = folder.text("t.csv");
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.starts_with("learner,spec,repeats,online_error_mean,online_error_stderr,online_error_sd,"), "{csv}");
    let pictures = [
        "boundary-1",
        "boundary-2",
        "boundary-3",
        "boundary-4",
        "confusion",
        "epochs",
        "error-against-support",
        "online-error",
        "support",
        "test-epochs",
    ];
    let html = folder.text("r.html");
    for (name, title) in pictures.iter().zip([
        "Decision boundary of averaged",
        "Decision boundary of perceptron",
        "Decision boundary of rcd-bias",
        "Decision boundary of stoptron",
        "Confusion of ",
        "Training error",
        "Error against support size",
        "Online error",
        "Support size",
        "Test error",
    ]) {
        assert!(folder.text(&format!("pictures/{name}.svg")).contains(title), "{name}");
        assert!(html.contains(title), "{title}");
    }
    assert_eq!(html.matches("<figure ").count(), pictures.len());
}

#[test]
fn more_than_two_classes_have_a_confusion_matrix() {
    let folder = Folder::new();
    let rows: String = (0..90).map(|i| format!("c{} {}:1 4:{}\n", i % 3, i % 3 + 1, i % 7)).collect();
    folder.write("three.svm", rows);
    let json = folder.run("compare three.svm -l averaged -l fld --repeats 3 --html r.html --json").silent().json();
    assert_eq!(json["labels"], serde_json::json!(["c0", "c1", "c2"]));
    assert_eq!(json["rows"][1]["test_error"]["mean"], 0.0, "{json}");
    assert!(folder.text("r.html").contains("Confusion of "));
}

#[test]
fn what_is_wrong_is_refused_before_any_work() {
    let folder = plane();
    folder.write("other.svm", "x 1:1\n");
    folder.write("one.svm", "+1 1:1\n+1 1:2\n");
    folder.write("rare.svm", "+1 1:1\n+1 1:2\n-1 1:1\n-1 1:2\n-1 1:3\n");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let mut messages = String::new();
    for (line, code) in [
        ("compare plane.svm -l perceptron -l perceptrn -l fld", 2),
        ("compare plane.svm -l perceptron:rate=0", 2),
        ("compare plane.svm -l perceptron --normalize lp", 2),
        ("compare plane.svm -l perceptron --holdout 0", 2),
        ("compare plane.svm -l perceptron --holdout 1", 2),
        ("compare plane.svm -l perceptron --repeats 0", 2),
        ("compare plane.svm -l perceptron --test plane.svm --holdout 0.1", 2),
        ("compare plane.svm -l perceptron --test other.svm", 1),
        ("compare plane.svm -l perceptron --test none.svm", 1),
        ("compare plane.svm -l perceptron --holdout 0.001", 1),
        ("compare rare.svm -l perceptron --holdout 0.9", 1),
        ("compare one.svm -l perceptron", 1),
        ("compare none.svm -l perceptron", 1),
        ("compare plane.svm -l perceptron --html folder", 1),
        ("compare plane.svm -l perceptron --html none/r.html", 1),
        ("compare plane.svm -l perceptron --csv folder", 1),
        ("compare plane.svm -l perceptron --svg plane.svm", 1),
    ] {
        messages += &format!("{line}\n{}\n", folder.run(line).refused(code));
    }
    insta::assert_snapshot!(without_lists(&messages));
    assert_eq!(folder.names(), ["folder", "one.svm", "other.svm", "plane.svm", "rare.svm"]);
}

#[test]
fn learn_writes_a_report_too() {
    let folder = plane();
    let line = "plane.svm --html r.html";
    let figures = |spec: &str| {
        folder.run(&format!("learn {spec} {line}")).silent();
        let html = folder.text("r.html");
        let titles = ["Online error", "Support size", "Training error", "Decision boundary"];
        titles.map(|title| html.contains(&format!(". {title}</strong>")))
    };
    assert_eq!(figures("averaged --passes 2"), [true, false, false, true]);
    assert_eq!(figures("perceptron:kernel=gaussian"), [true, true, false, true]);
    assert_eq!(figures("rcd:epochs=9"), [false, false, true, true]);
}

#[test]
fn mistakes_stay_within_their_bounds() {
    let json = plane()
        .run("compare plane.svm -l perceptron -l second-order -l romma -l svm --certificate --repeats 3 --json")
        .silent()
        .json();
    let rows = json["rows"].as_array().unwrap();
    for row in &rows[..2] {
        assert!(row["bound"]["mean"].as_f64().unwrap() >= row["mistakes"]["mean"].as_f64().unwrap(), "{row}");
    }
    assert!(rows[3]["bound"].is_null() && rows[3]["risk"].is_null(), "no trials: {}", rows[3]);
    let once =
        plane().run("compare plane.svm -l perceptron --passes 1 --repeats 3 --json --protocol paper").silent().json();
    let row = &once["rows"][0];
    assert!(row["risk"]["mean"].as_f64().unwrap() > row["online_error"]["mean"].as_f64().unwrap(), "{row}");
    // The bound of a run is that of `learn` on the same trials.
    let folder = plane();
    let once = folder.run("learn perceptron plane.svm --certificate --json").silent().json();
    assert!(once["certificate"]["before"]["bound"].as_f64().unwrap() >= once["mistakes"].as_f64().unwrap());
}

#[test]
fn the_support_vectors_of_every_kernel_learner_are_marked() {
    let folder = Folder::with("data.svm", printed_set());
    let kernel = "kernel=gaussian";
    let learners = ["stoptron:budget=10,", "second-order:", "higher-order:", "projectron:tolerance=0.1,"];
    let list: String = learners.iter().map(|learner| format!(" -l {learner}{kernel}")).collect();
    folder.run(&format!("compare data.svm --repeats 1 --svg figures --normalize none{list}")).silent();
    for number in 1..=learners.len() {
        let svg = String::from_utf8(folder.read(&format!("figures/boundary-{number}.svg"))).unwrap();
        assert!(svg.matches("class=\"ring\"").count() > 3, "{}", learners[number - 1]);
    }
}

/// Rows of two features.
fn printed_set() -> String {
    Folder::new().run("generate yinyang --rows 60 --seed 3").silent().stdout
}
