//! Closed pipes, Ctrl-C, and answers that must come at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::rows::{integers, libsvm};

/// Long for a person; a test that has to wait this long has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for the end; the exit status and what was said on standard error.
pub fn end(mut child: Child) -> (ExitStatus, String) {
    drop(child.stdin.take());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut said).unwrap();
    }
    (status, said)
}

/// The lines of a pipe as they come.
pub fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn a_closed_standard_output_is_no_error() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn perceptron data.svm --model model").silent();
    folder.write("many.svm", libsvm(&integers()).repeat(300));
    for line in [
        "predict model many.svm",
        "predict model many.svm --json",
        "predict model many.svm --scores --line-buffered",
        "generate artificial --rows 100000",
    ] {
        let mut child = folder.start(line);
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let (status, said) = end(child);
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn nobody_need_listen_to_the_result_of_learning() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    for line in [
        "learn perceptron data.svm --model model",
        "learn perceptron data.svm --json",
        "algorithms",
        "completions bash",
    ] {
        let mut child = folder.start(line);
        drop(child.stdout.take());
        let (status, said) = end(child);
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{line}");
    }
    assert!(folder.names().contains(&"model".to_string()));
}

#[test]
fn nobody_need_listen_to_the_progress() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.write("bad.svm", libsvm(&integers()) + "+1 x\n");
    for (line, code) in [
        ("learn perceptron data.svm --progress lines --model model", 0),
        ("learn perceptron bad.svm --skip-bad-rows", 0),
        ("learn perceptron bad.svm", 1),
    ] {
        let mut child = folder.start(line);
        drop(child.stderr.take());
        assert_eq!(end(child).0.code(), Some(code), "{line}");
    }
    assert!(folder.names().contains(&"model".to_string()));
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    assert!(Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status().unwrap().success());
}

/// A run that has begun to learn from a pipe.
#[cfg(unix)]
fn begun(folder: &Folder, line: &str) -> Child {
    let mut child = folder.start(&format!("{line} --progress lines"));
    child.stdin.as_mut().unwrap().write_all(libsvm(&integers()).repeat(4).as_bytes()).unwrap();
    let said = lines(child.stderr.take().unwrap());
    for _ in 0..2 {
        said.recv_timeout(PATIENCE).unwrap();
    }
    // Somebody has to go on reading, or the run stops at its next line.
    std::thread::spawn(move || said.into_iter().for_each(drop));
    child
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_the_old_model_whole() {
    let folder = Folder::with("old.svm", libsvm(&integers()));
    folder.run("learn averaged old.svm --model model").silent();
    let before = folder.read("model");

    // While it waits for more.
    let child = begun(&folder, "learn perceptron - --model model");
    interrupt(&child);
    assert_eq!(end_with_open_input(child).code(), Some(130));
    assert!(folder.read("model") == before);
    assert_eq!(folder.names(), ["model", "old.svm"]);

    // While there is always more.
    let mut child = begun(&folder, "learn perceptron - --model model");
    let mut stdin = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || while stdin.write_all(b"+1 1:1 2:2\n-1 2:1\n").is_ok() {});
    interrupt(&child);
    assert_eq!(end(child).0.code(), Some(130));
    feeding.join().unwrap();
    assert!(folder.read("model") == before);
    assert_eq!(folder.names(), ["model", "old.svm"]);
}

/// Waits for the end without closing standard input.
#[cfg(unix)]
fn end_with_open_input(mut child: Child) -> ExitStatus {
    let stdin = child.stdin.take();
    let status = end(child).0;
    drop(stdin);
    status
}

#[test]
#[cfg(unix)]
fn ctrl_c_saves_what_was_learned_where_saving_on_the_way_was_asked_for() {
    let folder = Folder::new();
    let mut child = begun(&folder, "learn perceptron - --model model --save-every 1000000000");
    let mut stdin = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || while stdin.write_all(b"+1 1:1 2:2\n-1 2:1\n").is_ok() {});
    interrupt(&child);
    assert_eq!(end(child).0.code(), Some(130));
    feeding.join().unwrap();
    assert_eq!(folder.names(), ["model"]);
    assert!(folder.run("inspect model --json").silent().json()["trials"].as_u64().unwrap() > 0);
}

/// A run that has been interrupted while nothing came from its pipe: what was learned is saved, and going on from there
/// is as if there had been no interruption.
#[test]
#[cfg(unix)]
fn ctrl_c_saves_also_while_the_run_waits_for_more() {
    let text = libsvm(&integers()).repeat(4);
    let folder = Folder::with("data.svm", &text);
    folder.run("learn averaged data.svm --model whole").silent();
    for line in ["learn averaged - --model model --save-every 1000000", "learn averaged - --model model --save-every 7"]
    {
        let child = begun(&folder, line);
        interrupt(&child);
        assert_eq!(end_with_open_input(child).code(), Some(130));
        let trials = folder.run("inspect model --json").silent().json()["trials"].as_u64().unwrap();
        assert!(trials > 0);
        let rest: String = text.split_inclusive('\n').skip(trials as usize).collect();
        if rest.is_empty() {
            assert!(folder.read("model") == folder.read("whole"));
            continue;
        }
        folder.write("rest.svm", rest);
        folder.run("learn --resume model rest.svm --model model").silent();
        assert!(folder.read("model") == folder.read("whole"), "{line}: interrupted after {trials} trials");
    }
    // Before the first line there is nothing to save, and nothing to wait for.
    let child = folder.start("learn averaged - --model none --save-every 10");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(end_with_open_input(child).code(), Some(130));
    assert!(!folder.names().contains(&"none".to_string()));
}

/// What is finished of a comparison is told, for all learners the same repeats.
#[test]
#[cfg(unix)]
fn ctrl_c_keeps_the_repeats_that_all_learners_have_finished() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    let mut child = folder.start("compare data.svm -l arow -l averaged --passes 500 --repeats 20000 --json");
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    let mut told = String::new(); // more than a pipe holds
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    let (status, stderr) = end(child);
    assert_eq!(status.code(), Some(130), "{stderr}");
    let found: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(found["rows"].as_array().unwrap().len(), 2);
    assert!(found["repeats"].as_u64().is_some_and(|repeats| (1..20_000).contains(&repeats)), "{found}");
    assert!(found["recommended"].is_string(), "{found}");
}

#[test]
fn every_line_is_answered_at_once() {
    let folder = Folder::with("data.svm", "yes 1:1\nno 2:1\n");
    folder.run("learn perceptron data.svm --model model").silent();
    folder.write("data.vw", "yes | a\nno | b\n");
    folder.run("learn perceptron data.vw --model named").silent();
    folder.write("data.csv", "a,b,class\n1,0,yes\n0,1,no\n");
    folder.run("learn perceptron data.csv --model table").silent();
    for (model, questions) in [
        ("model", &[("1:1\n", "yes"), ("2:3\n", "no"), ("7\n", "yes"), ("no 2:1 5:1\n", "no")][..]),
        ("model", &[("7\n", "yes"), ("2:3\n", "no")]),
        ("named", &[("| a\n", "yes"), ("no | b c\n", "no")]),
        ("table", &[("b,a\n1,0\n", "no"), ("0,1\n", "yes")]),
    ] {
        let mut child = folder.start(&format!("predict {model} - --line-buffered --quiet"));
        let mut stdin = child.stdin.take().unwrap();
        let answers = lines(child.stdout.take().unwrap());
        for (question, answer) in questions {
            stdin.write_all(question.as_bytes()).unwrap();
            let said = answers.recv_timeout(Duration::from_secs(5));
            assert_eq!(said.as_deref(), Ok(*answer), "{model}: {question}");
        }
        drop(stdin);
        assert_eq!(end(child).0.code(), Some(0));
    }
}
