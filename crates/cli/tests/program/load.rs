//! The program as a filter that runs for long, on lines it has no say in.

use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use crate::folder::Folder;
use crate::rows::{integers, libsvm};
use crate::signals::{PATIENCE, end, lines};

/// A model of the labels `no` and `yes` with w = (1, -1).
fn folder() -> Folder {
    let folder = Folder::with("data.svm", "yes 1:1\nno 2:1\n");
    folder.run("learn perceptron data.svm --model model").silent();
    folder
}

#[test]
fn a_bad_line_is_answered_on_standard_error_at_once_and_work_goes_on() {
    let folder = folder();
    let mut child = folder.start("predict model - --line-buffered --skip-bad-rows");
    let mut stdin = child.stdin.take().unwrap();
    let (answers, remarks) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
    for (i, bad) in ["1:x", "2:1 1:1", "yes 1:1 \u{1}", "1:1e999", "1:1e308 2:-1e308"].iter().enumerate() {
        stdin.write_all(b"1:1\n").unwrap();
        assert_eq!(answers.recv_timeout(PATIENCE).as_deref(), Ok("yes"));
        stdin.write_all(format!("{bad}\n").as_bytes()).unwrap();
        let said = remarks.recv_timeout(PATIENCE).unwrap();
        assert!(said.starts_with(&format!("skipped: <stdin>:{}:", 2 * i + 2)), "{bad}: {said}");
    }
    drop(stdin);
    assert_eq!(remarks.recv_timeout(PATIENCE).as_deref(), Ok("5 rows skipped"));
    assert_eq!(answers.recv_timeout(PATIENCE).ok(), None);
    assert_eq!(end(child).0.code(), Some(0));
}

#[test]
fn the_count_of_rows_skipped_is_told_even_quietly() {
    let ran = folder().run_on("predict model - --skip-bad-rows --quiet", "1:1\n1:x\n2:1\n1:y\n").ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("yes\nno\n", "2 rows skipped\n"));
    let ran = folder().run_on("learn perceptron - --skip-bad-rows --quiet", "+1 1:1\nx y\n-1 2:1\n").ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "1 row skipped\n"));
}

#[test]
fn bad_rows_are_told_of_once_though_a_late_label_starts_the_run_again() {
    // The third label comes behind the first 1000 rows, by which the classes are told.
    let row = |i: usize| format!("{} 1:{i}\n", if i.is_multiple_of(2) { "a" } else { "b" });
    let mut text = "a x\n".to_string();
    (0..3000).for_each(|i| text += &row(i));
    text += "b 0:1\nc 2:1\nc y\n";
    let folder = Folder::with("data.svm", text);
    let ran = folder.run("learn perceptron data.svm --skip-bad-rows --json").ok();
    let told: Vec<&str> = ran.stderr.lines().map(|line| line.split(": ").nth(1).unwrap_or(line)).collect();
    assert_eq!(told, ["data.svm:1:3", "data.svm:3002:3", "data.svm:3004:3", "3 rows skipped"], "{}", ran.stderr);
    assert_eq!(ran.json()["classes"], 3);
}

#[test]
fn rows_without_a_label_of_theirs_are_bad_rows() {
    let folder = Folder::with("data.svm", "a 1:1\n1:1 2:1\nb 2:1\nc 1:5\na 1:1 3:1\n");
    folder.write("good.svm", "a 1:1\nb 2:1\na 1:1 3:1\n");
    folder.run("learn averaged good.svm --labels a,b --model good").silent();
    for passes in ["", "--passes 1 --cache"] {
        let line = format!("learn averaged data.svm --labels a,b --skip-bad-rows --model model {passes}");
        let said = folder.run(&line).ok().stderr;
        assert_eq!(
            said,
            "skipped: data.svm:2:1: the row has no label\n\
             skipped: data.svm:4:1: label 'c' is neither 'a' nor 'b', the classes of this model\n2 rows skipped\n"
        );
        assert!(folder.read("model") == folder.read("good"), "{line}");
    }
    // Going on, a stream has to do with the classes there are.
    let ran = folder.run_on("learn --resume good - --skip-bad-rows --json", "c 1:1\na 1:1\n");
    // The third remark: every row taken is of one class.
    assert_eq!((ran.stderr.lines().count(), ran.json()["trials"].as_u64()), (3, Some(4)));
    let ran = folder.run("learn averaged good.svm --labels a,b --test data.svm --skip-bad-rows --json");
    assert_eq!((ran.stderr.lines().count(), ran.json()["test"]["examples"].as_u64()), (3, Some(3)));
}

/// The most memory that a process has held, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(child: &std::process::Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn two_million_lines_take_no_more_memory_than_one() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn perceptron data.svm --model model").silent();
    // Unlabelled; a line in 50 is wrong.
    let mut block: Vec<String> =
        libsvm(&integers()).lines().map(|line| line.split_once(' ').unwrap().1.to_string()).collect();
    block.truncate(250);
    block.iter_mut().step_by(50).for_each(|line| line.push_str(" x"));
    let block = block.join("\n") + "\n";
    let mut child = folder.start("predict model - --skip-bad-rows --scores");
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::with_capacity(1 << 16, child.stdout.take().unwrap());
    let remarks = lines(child.stderr.take().unwrap());
    let counting = std::thread::spawn(move || remarks.into_iter().last());
    let (sender, answered) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (mut line, mut count) = (String::new(), 0u64);
        while answers.read_line(&mut line).unwrap() > 0 {
            line.clear();
            count += 1;
        }
        sender.send(count).unwrap();
    });
    let mut feed = |blocks: usize| (0..blocks).for_each(|_| stdin.write_all(block.as_bytes()).unwrap());
    feed(4000); // by then every buffer has been full
    let early = peak(&child);
    feed(4000);
    let late = peak(&child);
    drop(stdin);
    assert_eq!(answered.recv_timeout(PATIENCE + Duration::from_secs(60)), Ok(1_960_000));
    assert_eq!(counting.join().unwrap().as_deref(), Some("40000 rows skipped"));
    assert_eq!(end(child).0.code(), Some(0));
    assert!(late < early + 4096, "{early} kB after a million lines, {late} kB after two");
}

#[test]
fn of_many_rows_that_are_wrong_ten_are_told_of_and_then_what_is_wrong_with_most() {
    let mut text = "age,y\n1,a\n2,b\n".to_string();
    (0..30).for_each(|i| text += if i % 5 == 0 { "1,2,a\n" } else { "x,b\n" });
    let folder = Folder::with("data.csv", text + "3,a\n");
    let ran = folder.run("learn averaged data.csv --label y --column age:number --skip-bad-rows").ok();
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("skipped: ")).collect();
    assert_eq!(told.len(), 11, "{}", ran.stderr);
    assert!(told[10].starts_with("skipped: 20 more, most (16): 'x' is not a number"), "{}", told[10]);
    assert!(ran.stderr.ends_with("30 rows skipped\n"), "{}", ran.stderr);
    let ran = folder.run("learn averaged data.csv --label y --column age:number --skip-bad-rows --quiet").ok();
    assert_eq!(ran.stderr, "30 rows skipped\n");
}
