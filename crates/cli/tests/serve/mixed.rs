//! Long runs: requests of all kinds from many clients, and rows without end.

use std::collections::HashMap;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::running::{Connection, Random, Running, log_files, log_lines, require_same_as_learn};

const CLIENTS: u64 = 8;

/// A number from the environment, or the one for every day.
fn how_many(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// What is wrong with one request in twenty.
const WRONG: [&str; 5] = [
    "{\"id\":\"wrong\",\"label\":1,\"features\":{\"a\":1}\n",
    "{\"id\":\"wrong\",\"label\":7,\"features\":{\"a\":1}}\n",
    "{\"id\":\"wrong\",\"features\":{\"a\":1}}\n",
    "{\"id\":\"wrong\",\"label\":1,\"features\":{\"a\":NaN}}\n",
    "{\"id\":\"wrong\",\"label\":1,\"features\":{\"a\":1}}\n{\"label\":1,\"weight\":-1,\"features\":{\"a\":1}}\n",
];

/// What a client was told: the row of each id that it taught, and how many of them were mistakes.
#[derive(Default)]
struct Told {
    rows: HashMap<String, u64>,
    mistakes: u64,
    refused: u64,
}

/// `ONLINEAR_REQUESTS=1000000 cargo test -p onlinear-cli --test serve mixed -- --nocapture` asks more often.
#[test]
fn of_requests_of_all_kinds_no_row_is_lost_or_doubled_and_mistakes_are_those_of_learn() {
    let requests = how_many("ONLINEAR_REQUESTS", 4000);
    let folder = Folder::new();
    let server = Running::start(&folder, "arow --labels 0,1 --bias --learn --store store --sync 2");
    let all: Vec<Told> = std::thread::scope(|scope| {
        let server = &server;
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || ask(server, client, requests / CLIENTS))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let lines = log_lines(&folder);
    let mut places = HashMap::new();
    for (i, line) in lines.iter().enumerate() {
        let id = serde_json::from_str::<Json>(line).unwrap()["id"].as_str().unwrap().to_string();
        assert_eq!(places.insert(id, i as u64 + 1), None, "{line} is there twice");
    }
    let told: usize = all.iter().map(|told| told.rows.len()).sum();
    assert_eq!(told, lines.len(), "what is in the log was answered");
    for (id, row) in all.iter().flat_map(|told| &told.rows) {
        assert_eq!(places.get(id), Some(row), "{id}");
    }
    require_same_as_learn(&folder, &server, "arow --labels 0,1 --bias");
    let offline = folder.run("inspect learned --json").ok().stdout;
    let offline: Json = serde_json::from_str(&offline).unwrap();
    let mistakes: u64 = all.iter().map(|told| told.mistakes).sum();
    let trials_and_mistakes = find(&offline, "mistakes").and_then(Json::as_u64);
    assert_eq!(trials_and_mistakes, Some(mistakes), "{offline}");
    let refused: u64 = all.iter().map(|told| told.refused).sum();
    assert!(refused > requests / 30 && told as u64 > requests / 4, "{refused} refused, {told} learned");
    println!(
        "{requests} requests: {refused} wrong ones refused, {told} rows learned and there once, {mistakes} mistakes"
    );
}

/// The first value of this name in an object, or in those within it.
fn find<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    let own = json.get(name).filter(|value| value.is_u64());
    own.or_else(|| match json {
        Json::Object(all) => all.values().find_map(|value| find(value, name)),
        Json::Array(all) => all.iter().find_map(|value| find(value, name)),
        _ => None,
    })
}

/// Asks so many times: predictions, rows, rows again, late labels, and one in twenty that is wrong.
fn ask(server: &Running, client: u64, requests: u64) -> Told {
    let (mut connection, mut random, mut told) = (Connection::to(server), Random(1 + client), Told::default());
    for request in 0..requests {
        let id = format!("{client}-{request}");
        let row = random.row(Some(&id));
        let (status, answer) = match random.next() % 20 {
            0 => {
                let (status, _) = connection.rows("/learn", WRONG[request as usize % WRONG.len()]);
                assert_eq!(status, 400);
                told.refused += 1;
                continue;
            }
            1..=8 => {
                let (status, answer) = connection.rows("/predict", &row);
                assert_eq!((status, answer.lines().count()), (200, 1), "{answer}");
                continue;
            }
            9 => {
                let unlabelled = row.replacen("\"label\":0,", "", 1).replacen("\"label\":1,", "", 1);
                let (status, answer) = connection.rows("/predict?remember", &unlabelled);
                assert_eq!(status, 200, "{answer}");
                connection.rows("/label", &format!("{{\"id\":\"{id}\",\"label\":{}}}\n", request % 2))
            }
            10 => {
                connection.rows("/learn", &row);
                connection.rows("/learn", &row) // as a client does that got no answer
            }
            _ => connection.rows("/learn", &row),
        };
        let answer: Json = serde_json::from_str(&answer).unwrap();
        assert_eq!((status, &answer["id"]), (200, &Json::from(id.as_str())), "{answer}");
        told.mistakes += u64::from(answer["mistake"].as_bool().unwrap());
        told.rows.insert(id, answer["row"].as_u64().unwrap());
    }
    told
}

/// `ONLINEAR_ROWS=10000000 cargo test -p onlinear-cli --test serve memory -- --nocapture` learns from more.
#[test]
fn memory_stays_what_it_is_however_many_rows_come() {
    let rows = how_many("ONLINEAR_ROWS", 200_000);
    let folder = Folder::new();
    let words = "arow --labels 0,1 --learn --store store --sync 10 --drop-log";
    let server = Running::start(&folder, words);
    let mut random = Random(5);
    let bodies: Vec<String> = (0..50).map(|_| (0..1000).map(|_| random.row(None)).collect()).collect();
    let held = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap().trim();
        line.trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
    };
    if !std::path::Path::new("/proc/self/status").exists() {
        eprintln!("skipped: there is no /proc to tell memory");
        return;
    }
    let mut connection = Connection::to(&server);
    let mut early = 0;
    for batch in 0..rows / 1000 {
        let (status, answer) = connection.rows("/learn", &bodies[batch as usize % bodies.len()]);
        assert_eq!(status, 200, "{answer}");
        if batch == (rows / 1000).min(1000) * 3 / 5 {
            early = held(); // what is kept of the last 100 000 rows is full by then
        }
    }
    let late = held();
    println!("{rows} rows: {early} MB held early, {late} MB at the end; {} files of the log", log_files(&folder).len());
    assert!(late <= early + early / 2 + 8, "{early} MB, then {late} MB");
}
