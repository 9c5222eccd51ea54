//! Servers that are killed while many clients write: nothing answered is lost, nothing is there twice.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::running::{Random, Running, log_lines, require_same_as_learn};

const WRITERS: u64 = 4;

/// `ONLINEAR_KILLS=300 cargo test --test serve killed -- --nocapture` kills more often and tells the figures.
#[test]
fn what_was_answered_is_there_after_a_kill_once_and_learned_as_learn_would() {
    let kills: u64 = std::env::var("ONLINEAR_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let learners = [
        "arow --labels 0,1 --bias",
        "averaged --labels 0,1",
        "passive-aggressive:multiclass=direct --labels 0,1,2 --normalize l2",
        "rbp:budget=20,kernel=polynomial --labels 0,1",
    ];
    let mut random = Random(88_172_645_463_325_252);
    let (mut answered_rows, mut cut_off) = (0, 0);
    for (i, learner) in learners.iter().enumerate() {
        let folder = Folder::new();
        let sync = ["always", "5"][i % 2];
        let words = format!("{learner} --learn --store store --sync {sync} --snapshot-every 700 --publish-every 50");
        let answered = Mutex::new(HashMap::new());
        let mut there = (0, 0);
        for round in (i as u64..kills).step_by(learners.len()) {
            let server = Running::start(&folder, &words);
            let time = Duration::from_secs_f64(0.02 + 0.4 * random.share());
            write_until_killed(server, time, round, &answered);
            let server = Running::start(&folder, &words);
            there = require_all_there(&folder, &answered.lock().unwrap());
            if !log_lines(&folder).is_empty() {
                require_same_as_learn(&folder, &server, learner);
            }
            server.kill();
        }
        (answered_rows, cut_off) = (answered_rows + there.0, cut_off + there.1);
    }
    println!("{kills} kills: {answered_rows} rows answered and there, {cut_off} there whose answer was cut off");
    assert!(answered_rows as u64 > 20 * kills, "only {answered_rows} rows were answered before {kills} kills");
}

/// Several clients learn, each row with an id of its own, until the server is gone.
fn write_until_killed(server: Running, time: Duration, round: u64, answered: &Mutex<HashMap<String, Json>>) {
    let gone = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, gone) = (&server, &gone);
            scope.spawn(move || {
                let mut random = Random(1 + round * 31 + writer);
                for request in 0.. {
                    let ids: Vec<String> = (0..10).map(|k| format!("{round}-{writer}-{request}-{k}")).collect();
                    let body: String = ids.iter().map(|id| random.row(Some(id))).collect();
                    let headers = [("Content-Type", "application/x-ndjson")];
                    let Ok(answer) = server.ask("POST", "/learn", &headers, body.as_bytes()) else { break };
                    if gone.load(Ordering::Relaxed) {
                        break;
                    }
                    let lines = answer.ok().lines();
                    assert_eq!(lines.len(), ids.len());
                    answered.lock().unwrap().extend(ids.into_iter().zip(lines));
                }
            });
        }
        std::thread::sleep(time);
        std::process::Command::new("kill").args(["-9", &server.id().to_string()]).status().unwrap();
        gone.store(true, Ordering::Relaxed);
    });
    server.kill();
}

/// Every row answered is in the log, once, where its answer said; how many there are, and how many others.
#[track_caller]
fn require_all_there(folder: &Folder, answered: &HashMap<String, Json>) -> (usize, usize) {
    let mut places = HashMap::new();
    let lines = log_lines(folder);
    for (i, line) in lines.iter().enumerate() {
        let row: Json = serde_json::from_str(line).unwrap();
        let before = places.insert(row["id"].as_str().unwrap().to_string(), i as u64 + 1);
        assert_eq!(before, None, "{line} is there twice");
    }
    for (id, answer) in answered {
        assert_eq!(places.get(id).copied(), answer["row"].as_u64(), "{id}: {answer}");
    }
    (answered.len(), lines.len() - answered.len())
}
