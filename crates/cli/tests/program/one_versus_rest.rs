//! More than two classes through the program: against a plain Perceptron per class written here.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::folder::Folder;

const LABELS: [&str; 3] = ["8", "30", "cat"];

/// Rows of whole numbers, so that sums are exact in any order, and their classes.
fn rows() -> Vec<([f64; 3], usize)> {
    let row = |i: u64| {
        let digit = |k: u64| (i * 7919 + k * 104_729 + i * i * (k + 3)) % 9;
        let x = [digit(1) as f64 - 4.0, digit(2) as f64 - 4.0, 1.0];
        let class = if x[0] + x[1] > 1.0 { 2 } else { usize::from(x[0] > x[1]) };
        (x, if i.is_multiple_of(11) { (class + 1) % 3 } else { class })
    };
    (0..300).map(row).collect()
}

fn text(rows: &[([f64; 3], usize)]) -> String {
    let mut text = String::new();
    for (x, class) in rows {
        writeln!(text, "{} 1:{} 2:{} 3:{}", LABELS[*class], x[0], x[1], x[2]).unwrap();
    }
    text
}

/// A Perceptron for each class.
#[derive(Default)]
struct Plain {
    weights: [[f64; 3]; 3],
    mistakes: u64,
    wrong: u64,
    trace: Vec<Json>,
}

impl Plain {
    fn scores(&self, x: &[f64; 3]) -> [f64; 3] {
        self.weights.map(|w| w.iter().zip(x).map(|(w, x)| w * x).sum())
    }

    fn predicted(&self, x: &[f64; 3]) -> usize {
        let scores = self.scores(x);
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter().position(|&score| score == best).unwrap()
    }

    fn learn(&mut self, rows: &[([f64; 3], usize)]) {
        for (x, class) in rows {
            let (scores, predicted) = (self.scores(x), self.predicted(x));
            let mut mistakes = 0;
            for (k, (score, weights)) in scores.iter().zip(&mut self.weights).enumerate() {
                let y = if k == *class { 1.0 } else { -1.0 };
                if y * score <= 0.0 {
                    mistakes += 1;
                    weights.iter_mut().zip(x).for_each(|(w, x)| *w += y * x);
                }
            }
            self.mistakes += mistakes;
            self.wrong += u64::from(predicted != *class);
            self.trace.push(json!({
                "t": self.trace.len(), "label": LABELS[*class], "predicted": LABELS[predicted],
                "mistake": predicted != *class, "mistakes": mistakes, "updated": mistakes > 0,
                "score": scores[predicted],
            }));
        }
    }
}

#[test]
fn learning_and_predicting_are_what_a_plain_perceptron_per_class_does() {
    let rows = rows();
    let (train, test) = rows.split_at(200);
    let folder = Folder::with("train.svm", text(train));
    folder.write("test.svm", text(test));
    let mut plain = Plain::default();
    plain.learn(train);
    let errors = test.iter().filter(|(x, class)| plain.predicted(x) != *class).count();

    let command = "learn perceptron train.svm --test test.svm --model model --trace trace --json --train-error";
    let report = folder.run(command).silent().json();
    for (key, expected) in [
        ("classes", json!(3)),
        ("labels", json!(LABELS)),
        ("examples", json!(200)),
        ("trials", json!(200)),
        ("mistakes", json!(plain.mistakes)),
        ("updates", json!(plain.mistakes)),
        ("error_rate", json!(plain.wrong as f64 / 200.0)),
        ("multiclass_mistakes", json!(plain.wrong)),
        ("support", Json::Null),
        ("margin", Json::Null),
    ] {
        assert_eq!(report[key], expected, "{key}");
    }
    for (key, expected) in
        [("examples", json!(100)), ("errors", json!(errors)), ("error_rate", json!(errors as f64 / 100.0))]
    {
        assert_eq!(report["test"][key], expected, "{key}");
    }
    let trace: Vec<Json> = folder.text("trace").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(trace, plain.trace);

    let ran = folder.run("predict model test.svm --scores").ok();
    for (line, (x, _)) in ran.stdout.lines().zip(test) {
        let predicted = plain.predicted(x);
        assert_eq!(line, format!("{}\t{}", LABELS[predicted], plain.scores(x)[predicted]));
    }
    let told = format!("{errors} errors in 100 labelled rows ({errors}.00 %); always '8' would be ");
    assert!(ran.stderr.starts_with(&told), "{}", ran.stderr);
    let labels = folder.run("predict model test.svm --quiet").silent().stdout;
    assert!(labels.lines().eq(test.iter().map(|(x, _)| LABELS[plain.predicted(x)])));
    let first: Json =
        serde_json::from_str(folder.run("predict model test.svm --json").ok().stdout.lines().next().unwrap()).unwrap();
    let scores = plain.scores(&test[0].0);
    assert_eq!(first["scores"], json!({"8": scores[0], "30": scores[1], "cat": scores[2]}));

    let weights = folder.run("inspect model --weights").silent().stdout;
    let expected: String =
        (0..9).map(|i| format!("{}\t{}\t{}\n", LABELS[i / 3], i % 3 + 1, plain.weights[i / 3][i % 3])).collect();
    assert_eq!(weights, expected);
}

#[test]
fn a_run_goes_on_where_its_model_stopped() {
    let rows = rows();
    let folder = Folder::with("whole.svm", text(&rows));
    folder.write("first.svm", text(&rows[..123]));
    folder.write("rest.svm", text(&rows[123..]));
    for spec in ["averaged", "perceptron:kernel=polynomial", "second-order"] {
        folder.run(&format!("learn {spec} whole.svm --trace t --model whole --quiet")).silent();
        folder.run(&format!("learn {spec} first.svm --trace t1 --model half --quiet")).silent();
        folder.run("learn --resume half rest.svm --trace t2 --model half --quiet").silent();
        assert!(folder.text("t1") + &folder.text("t2") == folder.text("t"), "{spec}: the traces differ");
        assert!(folder.read("half") == folder.read("whole"), "{spec}: the models differ");
    }
    let message = folder.run_on("learn --resume half -", "dog 1:1\n").refused(1);
    assert_eq!(message, "<stdin>:1:1: label 'dog' is none of the 3 classes of this model (8, 30, cat)\n");
}

#[test]
fn what_is_said() {
    let folder = Folder::with("data.svm", text(&rows()));
    let mut said = folder.run("learn perceptron data.svm --model model --progress lines").ok();
    said.stdout.truncate(said.stdout.find("seconds").unwrap());
    let mut all = format!("{}{}\n", said.stdout, said.stderr);
    all += &folder.run("inspect model").silent().stdout;
    all += &format!("{:#}\n", folder.run("inspect model --json").silent().json());
    all += &folder.run("learn fld data.svm --quiet --model batch --trace epochs").silent().stdout;
    all += &folder.text("epochs");
    all += &folder.run("learn perceptron data.svm --labels 8,30").refused(1);
    all += &folder.run("learn perceptron data.svm --labels 8,30,8.0").refused(2);
    all += &folder.run("learn fld data.svm --labels 8,30,cat,dog").refused(1);
    folder.write("dog.svm", "dog 1:1\n");
    all += &folder.run("learn perceptron data.svm --test dog.svm").refused(1);
    let mut late = text(&rows()[..1]).repeat(3000);
    late.push_str(&text(&rows()));
    all += &folder.run_on("learn perceptron -", late).refused(1);
    insta::assert_snapshot!(all);
}
