//! The store: torn logs, full disks, retries, and one server at a time.

use std::process::Command;

use crate::folder::{Folder, PROGRAM};
use crate::running::{Random, Running, files_of, log_files, log_lines, require_same_as_learn, wait_until};

const LEARNER: &str = "arow --labels 0,1";
const WORDS: &str = "arow --labels 0,1 --learn --store store";

/// A store with so many rows, whose server was killed.
fn store_of(rows: u64) -> Folder {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    let mut random = Random(7);
    for _ in 0..rows {
        let row = random.row(None);
        server.rows("/learn", row).ok();
    }
    server.kill();
    folder
}

#[test]
fn a_torn_row_is_cut_off_and_said_wherever_it_is_torn() {
    let folder = store_of(3);
    let file = &log_files(&folder)[0];
    let whole = folder.read(file);
    let end = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for length in end..=whole.len() {
        folder.write(file, &whole[..length]);
        folder.write("said", "");
        let server = Running::start(&folder, WORDS);
        let torn = (length - end) % (whole.len() - end);
        let told = format!("{file}: the last row is torn; {torn} bytes cut off\n");
        assert_eq!(folder.text("said"), if torn > 0 { told } else { String::new() });
        assert_eq!(log_lines(&folder).len(), if length == whole.len() { 3 } else { 2 });
        if length % 40 == 0 || length == whole.len() {
            require_same_as_learn(&folder, &server, LEARNER);
        }
        server.kill();
    }
}

#[test]
fn a_log_that_is_torn_in_its_only_row_is_empty() {
    let folder = store_of(1);
    let file = &log_files(&folder)[0];
    let whole = folder.read(file);
    folder.write(file, &whole[..whole.len() / 2]);
    let server = Running::start(&folder, WORDS);
    assert_eq!(log_files(&folder), [""; 0]);
    let told = server.rows("/learn", Random(3).row(None)).ok().lines();
    assert_eq!(told[0]["row"], 1);
    require_same_as_learn(&folder, &server, LEARNER);
}

#[test]
fn a_damaged_log_is_refused_with_its_place() {
    let folder = store_of(3);
    let file = &log_files(&folder)[0];
    let text = folder.text(file);
    folder.write(file, text.replacen("\"a\":", "\"a\";", 1));
    let message = folder.run(&format!("serve {WORDS} --listen 127.0.0.1:0")).refused(1);
    assert!(message.starts_with(&format!("{file}:1:")) && message.contains("expected :"), "{message}");
}

#[test]
fn two_servers_do_not_use_one_store() {
    let folder = store_of(1);
    let _server = Running::start(&folder, WORDS);
    let message = folder.run(&format!("serve {WORDS} --listen 127.0.0.1:0")).refused(1);
    assert_eq!(message, "store: another server uses this store\n");
}

#[test]
fn a_store_goes_on_only_with_what_it_was_begun_with() {
    let folder = store_of(1);
    let message = folder.run("serve averaged --labels 0,1 --learn --store store --listen 127.0.0.1:0").refused(2);
    assert!(message.contains("was begun with other settings: spec \"arow:"), "{message}");
}

#[test]
fn a_snapshot_and_the_rest_of_the_log_are_what_the_whole_log_is() {
    let folder = Folder::new();
    let mut random = Random(11);
    let words = format!("{WORDS} --snapshot-every 20 --calibrate 50");
    for round in 0..4 {
        let server = Running::start(&folder, &words);
        for _ in 0..13 {
            let rows: String = (0..3).map(|_| random.row(None)).collect();
            server.rows("/learn", rows).ok();
        }
        if round % 2 == 0 {
            assert!(server.post("/snapshot", "text/plain", "").ok().text().contains("\"rows\":"));
        }
        if round == 1 {
            assert_eq!(server.end(), Some(0));
        } else {
            server.kill();
        }
    }
    let server = Running::start(&folder, &words);
    require_same_as_learn(&folder, &server, &format!("{LEARNER} --calibrate 50"));
    // A model and what belongs to it, once the one is saved that was due at the start.
    wait_until(|| snapshot_files(&folder).len() == 2);
}

#[test]
fn a_snapshot_that_outlived_its_successor_goes_at_the_next_start() {
    let folder = store_of(5);
    let server = Running::start(&folder, WORDS);
    server.post("/snapshot", "text/plain", "").ok();
    server.kill();
    let newest = snapshot_files(&folder);
    for file in &newest {
        folder.write(&file.replace("000000000005", "000000000003"), folder.read(file));
    }
    assert_eq!(snapshot_files(&folder).len(), 4);
    let server = Running::start(&folder, WORDS);
    assert_eq!(snapshot_files(&folder), newest);
    require_same_as_learn(&folder, &server, LEARNER);
}

/// The files of a store's snapshots.
fn snapshot_files(folder: &Folder) -> Vec<String> {
    files_of(folder, "store/snapshot")
}

#[test]
fn covered_files_of_the_log_can_go() {
    let folder = Folder::new();
    let words = format!("{WORDS} --drop-log --max-body 50M");
    let mut random = Random(5);
    let long = "x".repeat(4000);
    let server = Running::start(&folder, &words);
    // Two requests fill a file of the log, so that a third begins another.
    for _ in 0..3 {
        let rows: String =
            (0..9000).map(|_| random.row(None).replacen('{', &format!("{{\"note\":\"{long}\","), 1)).collect();
        server.rows("/learn", rows).ok();
    }
    assert_eq!(log_files(&folder), ["store/log/000000000001.jsonl", "store/log/000000018001.jsonl"]);
    require_same_as_learn(&folder, &server, LEARNER);
    let before = server.get("/model").ok().body;
    server.post("/snapshot", "text/plain", "").ok();
    let mut files = log_files(&folder);
    for _ in 0..100 {
        if files.len() == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        files = log_files(&folder);
    }
    assert_eq!(files, ["store/log/000000018001.jsonl"]);
    server.kill();
    let server = Running::start(&folder, &words);
    assert!(server.get("/model").ok().body == before);
}

#[test]
fn a_row_that_cannot_be_learned_from_takes_its_request_with_it() {
    let folder = Folder::new();
    let server = Running::start(&folder, "perceptron --labels 0,1 --learn --store store");
    server.rows("/learn", "{\"label\":1,\"features\":{\"a\":1e308}}\n").ok();
    let new = "{\"label\":1,\"features\":{\"new\":1}}\n";
    let bad = "{\"label\":0,\"features\":{\"a\":-1e308,\"newer\":1}}\n{\"label\":1,\"features\":{\"a\":1e308}}\n";
    let message = server.rows("/learn", format!("{new}{bad}{bad}")).refused(400);
    assert!(message.contains("too large"), "{message}");
    assert_eq!(log_lines(&folder).len(), 1);
    require_same_as_learn(&folder, &server, "perceptron --labels 0,1");
    server.rows("/learn", new).ok();
    require_same_as_learn(&folder, &server, "perceptron --labels 0,1");
}

/// A server under a limit of the size of files, which stands for a disk that is full.
/// What was answered is never cut off: a limit that has become lower is for what comes.
#[test]
fn a_lower_limit_of_memory_takes_nothing_back() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    let row = |index: u32| format!("{{\"label\":1,\"features\":{{\"{index}\":1}}}}\n");
    server.rows("/learn", row(3) + &row(400_000)).ok();
    server.kill();
    let lower = format!("{WORDS} --max-memory 1M");
    let server = Running::start(&folder, &lower);
    assert_eq!(log_lines(&folder).len(), 2);
    assert_eq!(server.rows("/predict", "{\"features\":{\"400000\":1}}\n").ok().lines()[0]["label"], "1");
    let message = server.rows("/learn", row(500_000)).refused(400);
    assert!(message.contains("more than --max-memory allows") || message.contains("memory"), "{message}");
    require_same_as_learn(&folder, &server, LEARNER);
}

#[test]
fn a_full_disk_refuses_to_learn_and_goes_on_predicting() {
    let folder = Folder::new();
    let script = format!("trap '' XFSZ; ulimit -f 8; exec {PROGRAM} serve {WORDS} --listen 127.0.0.1:0");
    let server = Running::spawn(&folder, Command::new("sh").arg("-c").arg(script));
    let mut random = Random(3);
    let mut refused = None;
    for _ in 0..400 {
        let answer = server.rows("/learn", random.row(None));
        if answer.status != 200 {
            refused = Some(answer.refused(507));
            break;
        }
    }
    let message = refused.expect("the disk is full");
    assert!(message.contains("File too large"), "{message}");
    let rows = log_lines(&folder).len();
    assert_eq!(server.rows("/predict", "{\"features\":{\"a\":1}}\n").ok().lines().len(), 1);
    server.rows("/learn", random.row(None)).refused(507);
    assert_eq!(log_lines(&folder).len(), rows);
    require_same_as_learn(&folder, &server, LEARNER);
    server.kill();
    let server = Running::start(&folder, WORDS);
    let told = server.rows("/learn", random.row(None)).ok().lines();
    assert_eq!(told[0]["row"].as_u64(), Some(rows as u64 + 1));
    require_same_as_learn(&folder, &server, LEARNER);
}

#[test]
fn a_model_goes_on_where_it_was() {
    let folder = Folder::new();
    let mut random = Random(23);
    let data: String = (0..300).map(|_| random.row(None)).collect();
    folder.write("first.jsonl", &data);
    folder.run("learn arow first.jsonl --labels 0,1 --model begun").ok();
    let words = "begun --learn --store store";
    let server = Running::start(&folder, words);
    for _ in 0..20 {
        server.rows("/learn", random.row(None)).ok();
    }
    server.kill();
    let server = Running::start(&folder, words);
    server.rows("/learn", random.row(None)).ok();
    folder.write("served", server.get("/model").ok().body);
    folder.run(&format!("learn --resume begun {} --model learned", log_files(&folder).join(" "))).ok();
    assert!(folder.read("served") == folder.read("learned"));
}

#[test]
fn snapshots_asked_for_together_are_saved_one_after_another() {
    let folder = Folder::new();
    let server = Running::start(&folder, WORDS);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let server = &server;
            scope.spawn(move || {
                let mut random = Random(client + 1);
                for _ in 0..20 {
                    let learned = server.rows("/learn", random.row(None)).ok().lines()[0]["row"].as_u64();
                    let saved = server.post("/snapshot", "text/plain", "").ok().lines()[0]["rows"].as_u64();
                    assert!(saved >= learned, "{saved:?} rows are saved, and {learned:?} were answered");
                }
            });
        }
    });
    assert_eq!(folder.text("said"), "");
    assert_eq!(std::fs::read_dir(folder.path("store/snapshot")).unwrap().count(), 2);
    server.kill();
    require_same_as_learn(&folder, &Running::start(&folder, WORDS), LEARNER);
}

/// Each row in a file of its own, as a server would have begun it.
fn store_of_files(rows: u64) -> Folder {
    let folder = store_of(rows);
    for (i, line) in log_lines(&folder).iter().enumerate() {
        folder.write(&format!("store/log/{:012}.jsonl", i + 1), format!("{line}\n"));
    }
    folder
}

#[test]
fn a_log_that_lacks_a_file_is_refused() {
    let folder = store_of_files(3);
    Running::start(&folder, WORDS).kill();
    std::fs::remove_file(folder.path("store/log/000000000002.jsonl")).unwrap();
    let message = folder.run(&format!("serve {WORDS} --listen 127.0.0.1:0")).refused(1);
    let told = "store/log/000000000003.jsonl: begins with row 3, but the log before it ends with row 1";
    assert!(message.starts_with(told), "{message}");
}

#[test]
fn a_damaged_row_behind_a_snapshot_has_its_line_in_the_file() {
    let folder = store_of(3);
    let server = Running::start(&folder, WORDS);
    server.post("/snapshot", "text/plain", "").ok();
    server.rows("/learn", Random(8).row(None)).ok();
    server.kill();
    let file = &log_files(&folder)[0];
    let mut lines = log_lines(&folder);
    lines[3] = lines[3].replacen("\"a\":", "\"a\";", 1);
    folder.write(file, lines.join("\n") + "\n");
    let message = folder.run(&format!("serve {WORDS} --listen 127.0.0.1:0")).refused(1);
    assert!(message.starts_with(&format!("{file}:4:")), "{message}");
}
