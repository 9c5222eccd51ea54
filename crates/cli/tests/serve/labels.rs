//! Retries by id, and labels that come late.

use serde_json::json;

use crate::folder::Folder;
use crate::running::{Random, Running, log_lines, require_same_as_learn};

const WORDS: &str = "arow --labels 0,1 --learn --store store --snapshot-every 4";

#[test]
fn a_row_that_is_sent_again_is_answered_again_and_not_learned_again() {
    let folder = Folder::new();
    let mut random = Random(9);
    let rows: Vec<String> = (0..6).map(|i| random.row(Some(&format!("row {i}")))).collect();
    let server = Running::start(&folder, WORDS);
    let first = server.rows("/learn", rows.concat()).ok().lines();
    let again = |server: &Running| {
        // What was sent with an id that is known is not looked at: not even its names are learned.
        let other = "{\"id\":\"row 2\",\"label\":1,\"features\":{\"never\":3}}\n";
        let mut lines = server.rows("/learn", [&rows[4], &rows[0], other].concat()).ok().lines();
        lines
            .iter_mut()
            .for_each(|line| assert_eq!(line.as_object_mut().unwrap().remove("repeated"), Some(json!(true))));
        assert_eq!(lines, [first[4].clone(), first[0].clone(), first[2].clone()]);
    };
    again(&server);
    server.kill();
    let server = Running::start(&folder, WORDS);
    again(&server);
    assert_eq!(server.end(), Some(0));
    let server = Running::start(&folder, WORDS);
    again(&server);
    let new = server.rows("/learn", [random.row(Some("x")), random.row(Some("x"))].concat()).ok().lines();
    assert_eq!((new[0]["row"].as_u64(), new[1]["row"].as_u64()), (Some(7), Some(7)));
    assert_eq!(log_lines(&folder).len(), 7);
    require_same_as_learn(&folder, &server, "arow --labels 0,1");
}

#[test]
fn a_label_may_come_late_and_after_a_restart() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    server.rows("/learn", Random(4).row(None)).ok();
    let rows = [
        "{\"features\":{\"new\":1,\"city\":\"Bod\\u00f8\"}}\n",
        "{\"id\":\"mine\",\"features\":{\"a\":0.3}}\n",
        "{\"features\":{\"b\":1}}\n",
    ];
    let told = server.rows("/predict?remember", rows.concat()).ok().lines();
    assert_eq!(told[0]["id"], "r1");
    assert_eq!(told[1]["id"], "mine");
    assert_eq!(told[2]["remembered"], "100000 rows");
    server.kill();
    let server = Running::start(&folder, WORDS);
    let labels = "{\"id\":\"r1\",\"label\":1}\n{\"id\":\"unknown\",\"label\":0}\n{\"id\":\"mine\",\"label\":\"0\"}\n";
    let told = server.rows("/label", labels).ok().lines();
    assert_eq!((told[0]["row"].as_u64(), told[2]["row"].as_u64()), (Some(2), Some(3)));
    assert!(told[1]["error"].as_str().unwrap().ends_with("forgotten after 100000 rows"), "{}", told[1]);
    let again = server.rows("/label", "{\"id\":\"r1\",\"label\":0}\n").ok().lines();
    assert_eq!((again[0]["row"].as_u64(), &again[0]["repeated"]), (Some(2), &json!(true)));
    server.kill();
    let server = Running::start(&folder, WORDS);
    let told = server.rows("/label", "{\"id\":\"mine\",\"label\":0}\n{\"id\":\"r3\",\"label\":1}\n").ok().lines();
    assert_eq!((told[0]["row"].as_u64(), told[1]["row"].as_u64()), (Some(3), Some(4)));
    let log = log_lines(&folder);
    assert_eq!(log[1], "{\"label\":1,\"id\":\"r1\",\"features\":{\"new\":1,\"city\":\"Bod\\u00f8\"}}");
    require_same_as_learn(&folder, &server, "arow --labels 0,1");
    let next = server.rows("/predict?remember", "{\"features\":{\"b\":1}}\n").ok().lines();
    assert_eq!(next[0]["id"], "r4", "ids are not given twice");
}

#[test]
fn rows_are_forgotten_when_so_many_more_have_come() {
    let folder = Folder::new();
    let server = Running::start(&folder, &format!("{WORDS} --remember 2"));
    let rows = "{\"features\":{\"a\":1}}\n".repeat(3);
    server.rows("/predict?remember", rows).ok();
    let told = server.rows("/label", "{\"id\":\"r1\",\"label\":1}\n{\"id\":\"r2\",\"label\":1}\n").ok().lines();
    assert!(told[0]["error"].is_string() && told[1]["row"] == 1, "{told:?}");
}

#[test]
fn wrong_labels_are_refused_and_their_rows_go_on_waiting() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    server.rows("/predict?remember", "{\"features\":{\"a\":1}}\n").ok();
    let message = server.rows("/label", "{\"id\":\"none\",\"label\":1}\n{\"id\":\"r1\",\"label\":7}\n").refused(400);
    assert!(message.starts_with("2:1: label '7' is neither '0' nor '1'"), "{message}");
    assert!(server.rows("/label", "{\"id\":\"r1\"}\n").refused(400).starts_with("1:1: expected a label"));
    assert!(server.rows("/label", "{\"id\":\n").refused(400).starts_with("1:"));
    let message = server.rows("/predict?remember", "{\"label\":1,\"features\":{\"a\":1}}\n").refused(400);
    assert!(message.starts_with("1:1: the row has a label already"), "{message}");
    assert_eq!(server.rows("/label", "{\"id\":\"r1\",\"label\":1}\n").ok().lines()[0]["row"], 1);
}

#[test]
fn ids_that_clients_chose_are_not_given_to_other_rows() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    server.rows("/learn", "{\"id\":\"r3\",\"label\":1,\"features\":{\"a\":1}}\n").ok();
    let rows = "{\"id\":\"r2\",\"features\":{\"b\":1}}\n{\"features\":{\"c\":1}}\n{\"features\":{\"d\":1}}\n";
    let told = server.rows("/predict?remember", rows).ok().lines();
    let ids: Vec<String> = told.iter().map(|line| line["id"].as_str().unwrap().to_string()).collect();
    assert_eq!(ids, ["r2", "r2-1", "r3-1"]);
    let labels: String = ids.iter().map(|id| format!("{{\"id\":\"{id}\",\"label\":0}}\n")).collect();
    let rows: Vec<u64> =
        server.rows("/label", labels).ok().lines().iter().map(|line| line["row"].as_u64().unwrap()).collect();
    assert_eq!(rows, [2, 3, 4], "each is learned");
    for (line, name) in log_lines(&folder)[1..].iter().zip(["b", "c", "d"]) {
        assert!(line.ends_with(&format!("{{\"{name}\":1}}}}")), "{line}");
    }
}

#[test]
fn a_row_remembered_again_takes_the_place_of_the_first_after_a_restart_too() {
    let folder = Folder::new();
    let words = format!("{WORDS} --remember 2");
    let server = Running::start(&folder, &words);
    for name in ["first", "second"] {
        server.rows("/predict?remember", format!("{{\"id\":\"a\",\"features\":{{\"{name}\":1}}}}\n")).ok();
    }
    server.kill();
    let server = Running::start(&folder, &words);
    server.rows("/predict?remember", "{\"features\":{\"other\":1}}\n").ok(); // the first is forgotten now
    assert_eq!(server.rows("/label", "{\"id\":\"a\",\"label\":1}\n").ok().lines()[0]["row"], 1);
    assert_eq!(log_lines(&folder), ["{\"label\":1,\"id\":\"a\",\"features\":{\"second\":1}}"]);
}

#[test]
fn keys_that_would_be_there_twice_are_refused() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    for id in ["null", "\"\"", "\" \""] {
        let message = server.rows("/predict?remember", format!("{{\"id\":{id},\"features\":{{}}}}\n")).refused(400);
        assert_eq!(message, "1:1: 'id' is there and empty, and would be there twice; leave it out");
    }
    let message = server.rows("/learn", "{\"label\":1,\"label\":0,\"features\":{\"a\":1}}\n").refused(400);
    assert_eq!(message, "1:20: the row has two labels");
    let told = server.rows("/predict?remember", "{\"label\":null,\"features\":{\"a\":1}}\n").ok().lines();
    let label = format!("{{\"id\":{},\"label\":1}}\n", told[0]["id"]);
    assert_eq!(server.rows("/label", label).ok().lines()[0]["row"], 1);
    for id in ["1.5", "1e3", "123456789012345678901234567890", "\" \"", "[]"] {
        let message = server.rows("/label", format!("{{\"id\":{id},\"label\":1}}\n")).refused(400);
        assert!(message.starts_with("1:1: expected an id"), "{message}");
    }
}

/// New ids make the oldest of those that are known forgotten, but not before the request has its answers.
#[test]
fn every_row_has_an_answer_where_ids_are_forgotten_meanwhile() {
    let folder = Folder::new();
    let server = Running::start(&folder, "perceptron --labels 0,1 --learn --store store");
    let row = |id: String| format!("{{\"id\":\"{id}\",\"label\":1,\"features\":{{\"a\":1}}}}\n");
    server.rows("/learn", (0..100_000).map(|i| row(format!("i{i}"))).collect::<String>()).ok();
    let told = server.rows("/learn", ["n0", "n1", "i0", "n0", "i99999"].map(|id| row(id.into())).concat()).ok().lines();
    let rows: Vec<u64> = told.iter().map(|line| line["row"].as_u64().unwrap()).collect();
    assert_eq!(rows, [100_001, 100_002, 1, 100_001, 100_000]);
    assert_eq!(told.iter().filter(|line| line["repeated"] == true).count(), 3);
    assert_eq!(log_lines(&folder).len(), 100_002);
}

#[test]
fn rows_are_forgotten_when_their_time_is_over_though_no_other_has_come() {
    let folder = Folder::new();
    let server = Running::start(&folder, &format!("{WORDS} --remember 1s"));
    server.rows("/predict?remember", "{\"features\":{\"a\":1}}\n").ok();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let told = server.rows("/label", "{\"id\":\"r1\",\"label\":1}\n").ok().lines();
    assert!(told[0]["error"].as_str().unwrap().contains("forgotten after 1 second"), "{told:?}");
    assert_eq!(log_lines(&folder), [""; 0]);
}
