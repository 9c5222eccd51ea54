//! Who may ask, and how much: tokens, limits, slow clients, signals.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::running::{JSON_LINES, Random, Running, log_lines, wait_until};

const WORDS: &str = "arow --labels 0,1 --learn --store store";
const ROW: &str = "{\"features\":{\"a\":1}}\n";

/// A folder with a small model.
fn with_model() -> Folder {
    let folder = Folder::new();
    let mut random = Random(2);
    let rows: String = (0..100).map(|_| random.row(None)).collect();
    folder.write("rows.jsonl", rows);
    folder.run("learn arow rows.jsonl --model model").ok();
    folder
}

#[test]
fn beyond_this_machine_a_token_is_required() {
    let folder = with_model();
    let message = folder.run("serve model --listen 0.0.0.0:0").refused(2);
    assert!(message.contains("0.0.0.0:0 can be reached from other machines, which needs a token"), "{message}");
    let message = folder.run_in(&[("ONLINEAR_TOKEN", " ")], "serve model", "").refused(2);
    assert!(message.contains("ONLINEAR_TOKEN: expected a token"), "{message}");
}

#[test]
fn a_token_is_for_all_that_shows_data() {
    let folder = with_model();
    folder.write("token", "s3cret\n");
    let by_file = Running::start(&folder, "model --token-file token");
    let by_environment = Running::start_in(&folder, "model", &[("ONLINEAR_TOKEN", "s3cret")]);
    for server in [by_file, by_environment] {
        let asked = |token: &str| {
            let headers = [("Content-Type", JSON_LINES), ("Authorization", token)];
            server.ask("POST", "/predict", &headers, ROW.as_bytes()).unwrap().status
        };
        assert_eq!(asked("Bearer s3cret"), 200);
        for wrong in ["Bearer s3cre", "Bearer s3crets", "Bearer ", "s3cret", "Basic s3cret"] {
            assert_eq!(asked(wrong), 401, "{wrong}");
        }
        for path in ["/predict", "/learn", "/label", "/model", "/snapshot", "/metrics", "/live", "/other"] {
            server.get(path).refused(401);
        }
        assert!(["/", "/page.js", "/page.css", "/health", "/ready"].iter().all(|path| server.get(path).status == 200));
    }
}

#[test]
fn pages_of_other_sites_and_other_names_are_refused() {
    let folder = with_model();
    let server = Running::start(&folder, "model");
    let own = format!("http://{}", server.address);
    let with = |header| server.ask("GET", "/live", &[header], b"").unwrap().status;
    assert_eq!(with(("Origin", "http://evil.example")), 403);
    assert_eq!(with(("Origin", &own)), 200);
    assert_eq!(with(("Host", "evil.example")), 403);
    assert_eq!(with(("Host", "localhost:8571")), 200);
}

#[test]
fn what_is_too_long_or_of_the_wrong_kind_is_refused() {
    let folder = with_model();
    let server = Running::start(&folder, "model --max-body 1000");
    let message = server.rows("/predict", ROW.repeat(100)).refused(413);
    assert!(message.contains("longer than 1000 bytes"), "{message}");
    server.get("/predict").refused(405);
    server.rows("/model", "").refused(405);
    for path in ["/../Cargo.toml", "/etc/passwd", "/%2e%2e/model", "/store/log", "/model/x"] {
        server.get(path).refused(404);
    }
    server.rows("/learn", ROW).refused(409);
    server.rows("/label", ROW).refused(409);
    server.rows("/predict?remember", ROW).refused(409);
    assert_eq!(server.rows("/predict", "").ok().text(), "");
    // A body whose length is not told is read no further than allowed.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 700, " ".repeat(700));
    let _ = stream.write_all(chunk.repeat(4).as_bytes());
    let mut told = [0; 12];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 413");
}

#[test]
fn slow_clients_keep_nobody_waiting() {
    let folder = with_model();
    let server = Running::start(&folder, "model");
    let slow: Vec<TcpStream> = (0..200)
        .map(|i| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            let head = format!("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\n");
            let head = head + "Content-Length: 500\r\n\r\n{";
            let length = if i % 2 == 0 { head.len() } else { 20 };
            stream.write_all(&head.as_bytes()[..length]).unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.rows("/predict", ROW).ok().lines().len(), 1);
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(server.end(), Some(0), "nor does the server wait for them at its end");
    drop(slow);
}

/// Who says that a long body will follow takes no room for it before it does.
#[test]
fn long_bodies_that_never_come_keep_nobody_waiting() {
    let folder = with_model();
    let server = Running::start(&folder, "model");
    let head = format!("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\n");
    let promises: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(format!("{head}Content-Length: 16000000\r\n\r\n{{").as_bytes()).unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    let many = ROW.repeat(50_000);
    assert_eq!(server.rows("/predict", ROW).ok().lines().len(), 1);
    assert_eq!(server.rows("/predict", &many).ok().text().lines().count(), 50_000);
    assert!(begun.elapsed() < Duration::from_secs(25));
    drop(promises);
}

#[test]
fn answers_say_what_http_wants_said() {
    let folder = with_model();
    let server = Running::start_in(&folder, "model", &[("ONLINEAR_TOKEN", "s3cret")]);
    let head = server.ask("HEAD", "/health", &[], b"");
    assert!(head.is_err(), "it has a length and no body");
    let with = |method: &str, path: &str| {
        let headers = [("Authorization", "Bearer s3cret")];
        server.ask(method, path, &headers, b"").unwrap().head.to_lowercase()
    };
    assert!(with("GET", "/predict").contains("\r\nallow: post\r\n"));
    assert!(with("POST", "/model").contains("\r\nallow: get, head\r\n"));
    assert!(server.get("/live").head.to_lowercase().contains("\r\nwww-authenticate: bearer\r\n"));
}

#[test]
fn signals_load_again_and_save() {
    let folder = with_model();
    let server = Running::start(&folder, "model");
    let before = server.rows("/predict", "{\"features\":{\"b\":1}}\n").ok().text();
    assert!(server.get("/model").ok().body == folder.read("model"));
    folder.write("model.new", "no model");
    std::fs::rename(folder.path("model.new"), folder.path("model")).unwrap();
    server.signal("HUP");
    wait_until(|| folder.text("said").contains("the model is served as it was"));
    assert_eq!(server.rows("/predict", "{\"features\":{\"b\":1}}\n").ok().text(), before);
    folder.run("learn averaged rows.jsonl --model model").ok();
    server.signal("HUP");
    wait_until(|| folder.text("said").contains("the model was loaded again"));
    assert_ne!(server.rows("/predict", "{\"features\":{\"b\":1}}\n").ok().text(), before);
    assert_eq!(server.end(), Some(0));
    let server = Running::start(&folder, WORDS);
    server.rows("/learn", Random(1).row(None)).ok();
    assert_eq!(server.end(), Some(0));
    assert!(folder.path("store/snapshot/000000000001.onlinear").exists());
}

#[test]
fn wrong_commands_are_refused() {
    let folder = with_model();
    for (words, message) in [
        ("arow", "arow has learned nothing yet: add --learn --store DIR"),
        ("arow --learn --store store", "arow must know the labels before the first row; name all labels with --labels"),
        ("rcd --learn --store store --labels 0,1", "has to read all rows before it learns"),
        ("arow --learn --store store --labels 0,1 --scale minmax", "minmax has to read all rows first"),
        ("arow --learn", "--store <DIR>"),
        ("nothing.onlinear", "there is no model file of this name"),
        ("model --labels 0,1 --learn --store store", "--labels does not go with a model"),
        (
            "perceptron:kernel=gaussian,sigma2=auto --learn --store store --labels 0,1",
            "a width, which must be a number",
        ),
        ("model --sync 1s", "expected always, or milliseconds"),
        ("model --remember 3x", "expected a number of rows, or a time"),
        ("model --listen here", "expected an address and a port"),
    ] {
        let run = folder.run(&format!("serve {words}"));
        assert_eq!(run.code, Some(2), "{words}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{words}: {}", run.stderr);
    }
}

/// A body takes room for what it is long, however small the pieces are that it comes in.
#[test]
fn bodies_in_small_pieces_take_no_more_room_than_others() {
    let folder = with_model();
    let server = Running::start(&folder, "model");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\n");
    let head = head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = [ROW, &" ".repeat(700_000)].concat();
    let pieces: String = body.chars().map(|piece| format!("1\r\n{piece}\r\n")).collect();
    let sent = stream.write_all([&head, &pieces, "0\r\n\r\n"].concat().as_bytes());
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(sent.is_ok() && answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn a_server_that_ends_answers_at_once_what_waits_for_the_disk() {
    let folder = Folder::new();
    let server = Running::start(&folder, &format!("{WORDS} --sync 60000"));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let learning = scope.spawn(|| server.rows("/learn", Random(1).row(None)).ok().lines());
        wait_until(|| !log_lines(&folder).is_empty());
        server.signal("TERM");
        assert_eq!(learning.join().unwrap()[0]["row"], 1);
    });
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

/// A client that reads no answer before it has sent everything is told as well why it is refused.
#[test]
fn a_body_that_is_too_long_is_taken_and_refused() {
    let folder = with_model();
    let server = Running::start(&folder, "model --max-body 1M");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let body = " ".repeat(3_000_000);
    let head = format!("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON_LINES}\r\n");
    let head = head + &format!("Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    for part in body.as_bytes().chunks(10_000) {
        stream.write_all(part).unwrap();
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}
