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
    let (first, rest) = ran.stderr.split_once('\n').unwrap();
    assert_eq!(first, "1 error in 3 labelled rows (33.33 %); always 'no' would be 33.33 %");
    assert!(rest.starts_with("balanced accuracy 75.00 %, F1 0.6667, AUC "), "{rest}");
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
    let ran = folder().run_on("predict model - --scores", "1:2 3:100 4000000:7\n").ok();
    assert_eq!(ran.stdout, "yes\t2\n");
    assert_eq!(ran.stderr, "2 values of features that the model does not know, such as '3', left out\n");
}

#[test]
fn unknown_labels_are_told_and_not_counted() {
    let ran = folder().run_on("predict model -", "perhaps 1:1\nyes 1:1\n1:1\n").ok();
    assert_eq!(ran.stdout, "yes\nyes\nyes\n");
    assert!(ran.stderr.starts_with("0 errors in 1 labelled rows (0.00 %); always 'no' would be 100.00 %\n"));
    assert!(ran.stderr.ends_with("\n1 row has a label that the model does not know: not counted\n"));
    let ran = folder().run_on("predict model -", "yes. 1:1\nno. 1:1\n").ok();
    let cure = "not counted; the nearest is 'yes': --alias 'yes.=yes,no.=no' reads it so\n";
    assert_eq!(ran.stderr, format!("2 rows have a label that the model does not know: {cure}"));
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
    assert_eq!(ran.stderr, "skipped: <stdin>:2:3: 'x' is not a number\n1 row skipped\n");
}

#[test]
fn data_of_another_kind_are_refused() {
    let folder = folder();
    folder.write("named.vw", "yes | a b\n");
    let message = folder.run("predict model named.vw").refused(1);
    assert_eq!(message, "named.vw: has named features, but the model was learned from numbered ones\n");
}

#[test]
fn data_of_which_the_model_knows_nothing_are_refused_before_any_answer() {
    let folder = Folder::with("data.vw", "1 | a b\n-1 | c\n");
    folder.run("learn perceptron data.vw --model model").silent();
    folder.write("other.vw", "1 | x y\n-1 | z\n");
    let message = folder.run("predict model other.vw").refused(1);
    assert_eq!(
        message,
        "other.vw: has no feature that the model knows, but others such as 'x'; give it data of the kind that it \
         learned from (`onlinear inspect MODEL` names its features)\n"
    );
    // A stream is told of at its end, when its rows are answered.
    let ran = folder.run_on("predict model -", "| x\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "1\n"));
    assert!(ran.stderr.starts_with("<stdin>: has no feature that the model knows"), "{}", ran.stderr);
    // Rows without features are no reason to doubt.
    assert_eq!(folder.run_on("predict model -", "|\n").silent().stdout, "1\n");
    let ran = folder.run_on("predict model -", "| x a\n").ok();
    assert_eq!(ran.stderr, "1 value of features that the model does not know, such as 'x', left out\n");
}

/// A model of a table, and rows that have one column more.
fn table() -> Folder {
    let folder = Folder::with("train.csv", "x,city,y\n1,Bern,no\n2,Bern,no\n8,Rome,yes\n9,Rome,yes\n");
    folder.run("learn averaged train.csv --label y --passes 3 --model model --column x:number").ok();
    folder.write("new.csv", "id,x,city\na,1,Bern\n\"b,1\",9,Oslo\nc,8,Rome\n");
    folder
}

#[test]
fn a_table_keeps_columns_and_adds_label_and_score() {
    let folder = table();
    let ran = folder.run("predict model new.csv --keep id,city --output scored.csv").ok();
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr, "column 'city': 1 value that the model does not know\n");
    let scored = folder.text("scored.csv");
    let lines: Vec<&str> = scored.lines().collect();
    assert_eq!(lines[0], "id,city,label,score");
    assert!(lines[1].starts_with("a,Bern,no,-") && lines[2].starts_with("\"b,1\",Oslo,yes,"), "{scored}");
    let scores = folder.run("predict model new.csv --scores --quiet").silent().stdout;
    let theirs = scores.lines().map(|line| line.replace('\t', ","));
    assert!(lines[1..].iter().zip(theirs).all(|(line, their)| line.ends_with(&their)), "{scored}{scores}");
    folder.run("predict model new.csv --keep id --output scored.tsv --quiet").silent();
    assert_eq!(folder.text("scored.tsv").lines().next(), Some("id\tlabel\tscore"));
    folder.run("predict model new.csv --keep id --output scored.jsonl --quiet").silent();
    let first: Json = serde_json::from_str(folder.text("scored.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["label"]), (&"a".into(), &"no".into()));
    folder.write("labelled.csv", "label,x,city\nn,1,Bern\n");
    folder.run("predict model labelled.csv --keep label --output scored.csv --quiet").silent();
    assert!(folder.text("scored.csv").starts_with("data.label,label,score\nn,no,-"));
    let message = folder.run("predict model new.csv --keep town --output scored.csv").refused(1);
    let expected = "new.csv: has no column 'town' for --keep; the columns are id, x, city";
    assert!(message.starts_with(expected), "{message}");
    let message = folder.run("predict model new.csv --output scored.xlsx").refused(2);
    assert!(message.contains(".csv, .tsv, .jsonl"), "{message}");
    let message = folder.run("predict model new.csv --output new.csv").refused(2);
    assert_eq!(message, "error: --output new.csv would write over DATA\n");
    assert_eq!(
        folder.names(),
        ["labelled.csv", "model", "new.csv", "scored.csv", "scored.jsonl", "scored.tsv", "train.csv"]
    );
}

#[test]
fn a_threshold_moves_the_decision() {
    let folder = folder();
    let rows = "yes 1:1\nno 1:2\n2:1\n";
    assert_eq!(folder.run_on("predict model - --threshold 1.5 --quiet", rows).silent().stdout, "no\nyes\nno\n");
    let ran = folder.run_on("predict model - --threshold -1", rows).ok();
    assert_eq!(ran.stdout, "yes\nyes\nyes\n");
    assert!(ran.stderr.starts_with("1 error in 2 labelled rows (50.00 %)"), "{}", ran.stderr);
    folder.write("three.svm", "a 1:1\nb 2:1\nc 3:1\n");
    folder.run("learn perceptron three.svm --model three").silent();
    let message = folder.run("predict three three.svm --threshold 1").refused(2);
    assert!(message.starts_with("error: --threshold is for two classes; this model has 3"), "{message}");
}
