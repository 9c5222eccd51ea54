//! Bodies of every content type, right and wrong.

use crate::folder::Folder;
use crate::running::{Random, Running, log_lines, require_same_as_learn};

const WORDS: &str = "arow --labels 0,1 --learn --store store";

#[test]
fn rows_of_libsvm_text_are_learned_by_number() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    let told = server.post("/learn", "text/x-libsvm", "1 1:0.1 7:2.5e-3\n\n0 2:1e-300\n").ok().lines();
    assert_eq!((told[0]["row"].as_u64(), told[1]["row"].as_u64()), (Some(1), Some(2)));
    assert_eq!(log_lines(&folder)[0], "{\"label\":\"1\",\"features\":{\"1\":0.1,\"7\":0.0025}}");
    require_same_as_learn(&folder, &server, "arow --labels 0,1");
    let as_libsvm = server.post("/predict", "text/x-libsvm; charset=utf-8", "0 7:1 9:3\n").ok();
    let as_json = server.rows("/predict", "{\"features\":{\"7\":1,\"9\":3}}\n").ok();
    assert_eq!(as_libsvm.text(), as_json.text());
    let as_vw = server.post("/predict", "text/x-vw", "| 7:1 9:3\n").ok();
    assert_eq!(as_vw.text(), as_json.text());
    folder.write("one.svm", "0 7:1 9:3\n");
    folder.write("model", server.get("/model").ok().body);
    let printed = folder.run("predict model one.svm --json").ok().json();
    assert_eq!(printed["score"], as_json.lines()[0]["score"]);
}

#[test]
fn rows_of_vw_text_are_learned_by_name() {
    let folder = Folder::new();
    let server = Running::start(&folder, "averaged --labels -1,1 --learn --store store");
    server.post("/learn", "text/x-vw", "1 |mail free:2 a\"b\n-1 |mail hello\n").ok();
    assert_eq!(log_lines(&folder)[0], "{\"label\":\"1\",\"features\":{\"mail^free\":2.0,\"mail^a\\\"b\":1.0}}");
    require_same_as_learn(&folder, &server, "averaged --labels -1,1");
    let told = server.post("/predict", "text/x-vw", "|mail free\n").ok().lines();
    assert_eq!(told[0]["label"], "1");
    // Names that are numbers are numbers, as in the log.
    let folder = Folder::new();
    let server = Running::start(&folder, "averaged --labels -1,1 --learn --store store");
    server.post("/learn", "text/x-vw", "1 | 3:1\n").ok();
    server.post("/learn", "text/x-vw", "-1 | 2:1\n").ok();
    require_same_as_learn(&folder, &server, "averaged --labels -1,1");
}

#[test]
fn a_model_of_a_table_takes_its_columns() {
    let folder = Folder::new();
    let mut random = Random(17);
    let mut row = |label: bool| {
        let (x, y) = (if label { 1.0 } else { -1.0 } + random.share(), random.next() % 3);
        let age = if random.next().is_multiple_of(9) { String::new() } else { format!("{:.3}", 40.0 * random.share()) };
        format!("{x:.4},city{y},{age},{}\n", if label { "yes" } else { "no" })
    };
    let mut table = |rows: u32| -> String { (0..rows).map(|i| row(i % 2 == 0)).collect() };
    let head = "x,city,age,churn\n";
    folder.write("table.csv", format!("{head}{}", table(200)));
    folder.run("learn arow table.csv --label churn --model table --protocol paper").ok();
    let more = table(40);
    let server = Running::start(&folder, "table --learn --store store");
    let told = server.post("/learn", "text/csv", format!("{head}{more}")).ok().lines();
    assert_eq!(told.len(), 40);
    folder.write("served", server.get("/model").ok().body);
    folder.write("more.csv", format!("{head}{more}"));
    for data in ["more.csv", "store/log/000000000001.jsonl"] {
        folder.run(&format!("learn --resume table {data} --model learned")).ok();
        let [served, learned] =
            ["served", "learned"].map(|model| folder.run(&format!("inspect {model} --weights")).ok().stdout);
        assert_eq!(served, learned, "{data}");
    }
    let as_csv = server.post("/predict", "text/csv", "x,city,age\n0.5,city1,\n").ok();
    let as_json = server.rows("/predict", "{\"x\":0.5,\"city\":\"city1\",\"age\":null}\n").ok();
    assert_eq!(as_csv.text(), as_json.text());
    let told = server.post("/predict?remember", "text/csv", "x,city,age\n0.5,city1,7\n").ok().lines();
    let label = format!("{{\"id\":{},\"label\":\"yes\"}}\n", told[0]["id"]);
    assert_eq!(server.rows("/label", label).ok().lines()[0]["row"], 41);
}

/// The name of a column may be part of another's.
#[test]
fn columns_of_a_table_are_known_by_their_whole_names() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|i| format!("{},{},{}\n", i % 7, i % 5, ["no", "yes"][i % 2])).collect();
    folder.write("table.csv", format!("salary,days,y\n{rows}"));
    folder.run("learn averaged table.csv --label y --model table --protocol paper").ok();
    let server = Running::start(&folder, "table --learn --store store");
    let told = server.post("/predict?remember", "text/csv", "salary,days\n3,2\n").ok().lines();
    let label = format!("{{\"id\":{},\"label\":\"yes\"}}\n", told[0]["id"]);
    assert_eq!(server.rows("/label", label).ok().lines()[0]["row"], 1);
    assert_eq!(server.post("/learn", "text/csv", "y,salary,days\nno,3,2\n").ok().lines()[0]["row"], 2);
    let message = server.post("/learn", "text/csv", "y,salary\nno,3\n").refused(400);
    assert!(message.contains("has no column 'days'"), "{message}");
    let message = server.rows("/predict", "{\"Salary\":1,\"Days\":2}\n").refused(400);
    assert!(message.contains("has no column 'salary'"), "{message}");
    // Rows to learn from may come one by one, in which a value is missing.
    assert_eq!(server.rows("/learn", "{\"salary\":1,\"y\":\"no\"}\n").ok().lines()[0]["row"], 3);
    let message = server.rows("/predict?remember", "{\"salary\":1,\"days\":2,\"y\":null}\n").refused(400);
    assert!(message.contains("'y' is there and empty"), "{message}");
}

#[test]
fn more_than_two_classes_have_a_score_each() {
    let folder = Folder::new();
    let server = Running::start(&folder, "passive-aggressive --labels a,b,c --learn --store store");
    let rows = "{\"label\":\"a\",\"features\":{\"x\":1}}\n{\"label\":\"b\",\"features\":{\"y\":1}}\n";
    let told = server.rows("/learn", rows).ok().lines();
    assert!(told.iter().all(|line| line["mistake"].is_boolean() && line["score"].is_number()));
    let told = server.rows("/predict", "{\"id\":\"q\",\"features\":{\"y\":1}}\n").ok().lines();
    assert_eq!((&told[0]["label"], &told[0]["id"]), (&"b".into(), &"q".into()));
    assert_eq!(told[0]["scores"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    require_same_as_learn(&folder, &server, "passive-aggressive --labels a,b,c");
}

#[test]
fn probabilities_and_questions_are_told_where_there_are_any() {
    let folder = Folder::new();
    let server = Running::start(&folder, "arow --labels 0,1 --learn --store store --calibrate 100");
    let mut random = Random(6);
    let rows: String = (0..200).map(|_| random.row(None)).collect();
    server.rows("/learn", rows).ok();
    let told = server.rows("/predict", "{\"features\":{\"a\":1,\"b\":1}}\n").ok().lines();
    assert!(told[0]["probability"].as_f64().unwrap() > 0.5, "{told:?}");
    let folder = Folder::new();
    let server = Running::start(&folder, "selective:base=perceptron --labels 0,1 --learn --store store");
    assert!(server.rows("/predict", "{\"features\":{\"a\":1}}\n").ok().lines()[0]["ask"].is_boolean());
}

#[test]
fn wrong_rows_have_their_place_and_take_their_request_with_them() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    let good = "{\"label\":1,\"features\":{\"a\":1}}\n";
    for (bad, message) in [
        ("{\"label\":1,\"features\":{\"b\":}}", "2:28: expected a value, found '}'"),
        ("{\"label\":2,\"features\":{\"b\":1}}", "2:1: label '2' is neither '0' nor '1', the classes of this model"),
        ("{\"features\":{\"b\":1}}", "2:1: the row has no label"),
        ("{\"label\":1,\"b\":1}", "2:1: expected \"features\", as the rows before have them"),
        ("{\"label\":1,\"features\":{\"b\":1e999}}", "2:28: '1e999' is beyond the largest number"),
    ] {
        let told = server.rows("/learn", format!("{good}{bad}\n{good}")).refused(400);
        assert!(told.starts_with(message), "{told}");
    }
    assert!(server.rows("/learn", "{\"label\":1,\"b\":1}").refused(400).starts_with("1:1: the body "));
    assert!(
        server
            .rows("/learn", b"{\"label\":1,\"features\":{\"\xff\":1}}")
            .refused(400)
            .contains("1:25: the body is not UTF-8")
    );
    server.post("/learn", "text/csv", "a,b\n1,2\n").refused(415);
    let refused = server.post("/learn", "application/x-www-form-urlencoded", good).refused(415);
    assert!(refused.ends_with("; curl --json sends JSON"), "{refused}");
    server.post("/predict", "text/x-libsvm", "1 x\n").refused(400);
    // Nothing of all this was learned, not even names.
    server.rows("/learn", "{\"label\":1,\"features\":{\"z\":1}}\n").ok();
    require_same_as_learn(&folder, &server, "arow --labels 0,1");
    assert_eq!(
        server.get("/metrics").text().lines().find(|line| line.starts_with("onlinear_rows_learned_total")),
        Some("onlinear_rows_learned_total 1")
    );
}

#[test]
fn predicting_changes_nothing() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    server.rows("/learn", "{\"label\":1,\"features\":{\"a\":1}}\n").ok();
    let before = server.get("/model").ok().body;
    for i in 0..50 {
        server.rows("/predict", format!("{{\"label\":\"other\",\"features\":{{\"a\":1,\"new{i}\":2}}}}\n")).ok();
    }
    assert!(server.get("/model").ok().body == before);
}
