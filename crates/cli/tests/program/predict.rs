//! What `predict` answers.

use serde_json::Value as Json;

use crate::folder::Folder;

/// A model with w = (1, -1), learned from labels `no` and `yes`.
fn folder() -> Folder {
    let folder = Folder::with("data.svm", "yes 1:1\nno 2:1\n");
    folder.run("learn perceptron data.svm --model model").silent();
    folder
}

#[test]
fn a_label_a_line_with_the_error_on_standard_error() {
    let ran = folder().run_on("predict model -", "yes 1:1\nno 1:2\nno 2:1\n").ok();
    assert_eq!(ran.stdout, "yes\nyes\nno\n");
    assert_eq!(ran.stderr, "1 errors in 3 labelled rows (33.33 %)\n");
    assert_eq!(folder().run_on("predict model - --quiet", "yes 1:1\nno 1:2\n").silent().stdout, "yes\nyes\n");
}

#[test]
fn scores_follow_a_tab_and_json_has_an_object_a_row() {
    assert_eq!(folder().run_on("predict model - --scores", "1:0.5 2:3\n1:2\n").silent().stdout, "no\t-2.5\nyes\t2\n");
    let lines = folder().run_on("predict model - --json", "# rows\n1:0.5 2:3\n").silent().stdout;
    let object: Json = serde_json::from_str(&lines).unwrap();
    assert_eq!(object, serde_json::json!({"line": 2, "label": "no", "score": -2.5}));
}

#[test]
fn probabilities_and_questions_are_columns_behind_the_score() {
    let rows = "1 1:1\n0 2:1\n1 1:2\n0 2:3\n1 1:1 2:0.5\n0 1:0.5 2:1\n";
    let folder = Folder::with("data.svm", rows);
    folder.run("learn selective:base=arow,seed=3 data.svm --model model --calibrate --quiet").silent();
    let words = |line: &str| line.split('\t').map(str::to_string).collect::<Vec<_>>();
    let lines = |command: &str| folder.run(command).ok().stdout.lines().map(words).collect::<Vec<_>>();
    let full = lines("predict model data.svm --scores --probabilities --ask");
    assert_eq!(full.len(), 6);
    for row in &full {
        let [_, score, share, ask] = &row[..] else { panic!("{row:?}") };
        let (score, share): (f64, f64) = (score.parse().unwrap(), share.parse().unwrap());
        assert!((0.0..=1.0).contains(&share) && score.is_finite() && ["ask", "-"].contains(&ask.as_str()));
    }
    let alone = lines("predict model data.svm --probabilities");
    assert!(alone.iter().zip(&full).all(|(alone, full)| alone[..] == [full[0].clone(), full[2].clone()]));
    let object: Json =
        serde_json::from_str(folder.run("predict model data.svm --json --ask").ok().stdout.lines().next().unwrap())
            .unwrap();
    assert_eq!(object["ask"], full[0][3] == "ask");
    folder.run("learn arow data.svm --model plain --quiet").silent();
    for (flag, why) in [
        ("--probabilities", "plain knows no probabilities: it was not learned with --calibrate"),
        ("--ask", "--ask: plain is of arow, which asks for no labels as selective does"),
    ] {
        let ran = folder.run(&format!("predict plain data.svm {flag}"));
        assert_eq!((ran.code, ran.stderr.contains(why)), (Some(2), true), "{}", ran.stderr);
    }
}

#[test]
fn features_unknown_to_the_model_are_ignored() {
    let stdout = folder().run_on("predict model - --scores", "1:2 3:100 4000000:7\n").silent().stdout;
    assert_eq!(stdout, "yes\t2\n");
}

#[test]
fn unknown_labels_are_told_and_not_counted() {
    let ran = folder().run_on("predict model -", "perhaps 1:1\nyes 1:1\n1:1\n").ok();
    assert_eq!(ran.stdout, "yes\nyes\nyes\n");
    assert_eq!(
        ran.stderr,
        "0 errors in 1 labelled rows (0.00 %)\n1 rows have a label that the model does not know; they are not counted\n"
    );
}

#[test]
fn a_zero_score_is_predicted_positive_and_no_rows_have_no_answers() {
    assert_eq!(folder().run_on("predict model -", "1:1 2:1\n").silent().stdout, "yes\n");
    assert_eq!(folder().run_on("predict model -", "").silent().stdout, "");
}

#[test]
fn what_is_known_is_answered_before_a_bad_row_ends_the_run() {
    let ran = folder().run_on("predict model -", "1:1\n1:x\n2:1\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "yes\n"));
    assert_eq!(ran.stderr, "<stdin>:2:3: 'x' is not a number\n");
}

#[test]
fn bad_rows_can_be_skipped() {
    let ran = folder().run_on("predict model - --skip-bad-rows", "1:1\n1:x\n2:1\n").ok();
    assert_eq!(ran.stdout, "yes\nno\n");
    assert_eq!(ran.stderr, "skipped: <stdin>:2:3: 'x' is not a number\n1 rows skipped\n");
}

#[test]
fn data_of_another_kind_are_refused() {
    let folder = folder();
    folder.write("named.vw", "yes | a b\n");
    let message = folder.run("predict model named.vw").refused(1);
    assert_eq!(message, "named.vw: has named features, but the model was learned from numbered ones\n");
}
