//! Runs that are killed, run out of disk, or write where another writes: the model on disk is always a whole one.

#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, PROGRAM};

const ROWS: u64 = 3000;
/// The model is saved after so many trials.
const EVERY: u64 = 25;

/// A folder with `data.svm` and an old model in `old`.
fn folder() -> Folder {
    let folder = Folder::new();
    let data =
        folder.run(&format!("generate artificial:features=40,relevant=5,noise=0.1 --rows {ROWS} --seed 3")).silent();
    folder.write("data.svm", data.stdout);
    folder.run("learn winnow --model old").silent();
    folder
}

/// Goes on from `model` with the rows it has not met; it must come out as `whole`, which never stopped.
#[track_caller]
fn finish(folder: &Folder, model: &str, whole: &[u8]) -> u64 {
    let trials = folder.run(&format!("inspect {model} --json")).silent().json()["trials"].as_u64().unwrap();
    let rest: String = folder.text("data.svm").split_inclusive('\n').skip(trials as usize).collect();
    if rest.is_empty() {
        assert!(folder.read(model) == whole, "all rows were met, but the model is another");
        return trials;
    }
    folder.write("rest.svm", rest);
    folder.run(&format!("learn --resume {model} rest.svm --model finished")).ok();
    assert!(folder.read("finished") == whole, "resumed after {trials} trials, it came out otherwise");
    trials
}

/// What a killed save leaves beside the model.
fn remove_temporary(folder: &Folder) -> usize {
    let names = folder.names();
    let temporary = names.iter().filter(|name| name.starts_with(".onlinear"));
    temporary.map(|name| std::fs::remove_file(folder.path(name)).unwrap()).count()
}

/// `ONLINEAR_KILLS=300 cargo test killed -- --nocapture` kills more often and tells the figures.
#[test]
fn a_killed_run_leaves_the_old_model_or_the_new_one() {
    let kills: u64 = std::env::var("ONLINEAR_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    let folder = folder();
    let old = folder.read("old");
    let specs = [
        "averaged",
        "second-order",
        "forgetron:budget=30,kernel=gaussian,sigma2=40",
        "rbp:budget=20,kernel=polynomial",
    ];
    let (mut untouched, mut partial, mut whole_ones, mut within_save) = (0, 0, 0, 0);
    let mut random = 88_172_645_463_325_252u64;
    for (i, spec) in specs.iter().enumerate() {
        folder.run(&format!("learn {spec} data.svm --model whole")).ok();
        let whole = folder.read("whole");
        let line = format!("learn {spec} data.svm --model model --save-every {EVERY} --quiet");
        let start = Instant::now();
        folder.run(&line).ok();
        let duration = start.elapsed();
        for _ in (i as u64..kills).step_by(specs.len()) {
            folder.write("model", &old);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut child = folder.start(&line);
            std::thread::sleep(duration.mul_f64((random >> 11) as f64 / (1u64 << 53) as f64));
            child.kill().unwrap();
            child.wait().unwrap();
            within_save += remove_temporary(&folder);
            if folder.read("model") == old {
                untouched += 1;
                continue;
            }
            match finish(&folder, "model", &whole) {
                ROWS => whole_ones += 1,
                trials => {
                    assert_eq!(trials % EVERY, 0, "{spec}");
                    partial += 1;
                }
            }
        }
    }
    println!(
        "{kills} kills: {untouched} old models, {partial} on the way, {whole_ones} finished; \
         {within_save} within a save"
    );
    assert!(partial > kills / 4, "{partial} of {kills} kills came while there was something to resume");
}

/// Runs `line` where no file may grow beyond so many kilobytes (twice as many in some shells, whose blocks are
/// longer). The system ends a run that tries, unless it is told to let the write fail.
fn run_limited(folder: &Folder, line: &str, kilobytes: usize, fails: bool) -> std::process::Output {
    let trap = if fails { "trap '' XFSZ; " } else { "" };
    let script = format!("{trap}ulimit -f {}; exec {PROGRAM} {line}", 2 * kilobytes);
    Command::new("sh").arg("-c").arg(script).current_dir(folder.path("")).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_full_disk_leaves_the_last_model_that_fitted() {
    let folder = folder();
    let spec = "perceptron:kernel=gaussian,sigma2=40";
    folder.run(&format!("learn {spec} data.svm --model whole")).silent();
    let whole = folder.read("whole");
    let most = whole.len() / 3 / 1024;
    let line = format!("learn {spec} data.svm --model model --save-every {EVERY}");
    for fails in [true, false] {
        folder.write("model", folder.read("old"));
        let output = run_limited(&folder, &line, most, fails);
        if fails {
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(1) && said.starts_with("model: File too large"), "{said}");
            assert_eq!(remove_temporary(&folder), 0);
        } else {
            assert!(output.status.signal().is_some() && output.status.code().is_none());
            assert_eq!(remove_temporary(&folder), 1);
        }
        let trials = finish(&folder, "model", &whole);
        assert!(trials > 0 && trials < ROWS && trials.is_multiple_of(EVERY), "{trials}");
    }
    // Nothing fits at all: the model from before stays.
    folder.write("model", folder.read("old"));
    assert_eq!(run_limited(&folder, &line, 1, true).status.code(), Some(1));
    assert!(folder.read("model") == folder.read("old"));
}

#[test]
fn two_runs_that_write_one_model_do_not_spoil_it() {
    let folder = folder();
    let specs = ["averaged", "second-order"];
    let wholes = specs.map(|spec| {
        folder.run(&format!("learn {spec} data.svm --model whole")).silent();
        folder.read("whole")
    });
    let start = |spec| folder.start(&format!("learn {spec} data.svm --model model --save-every 10 --quiet"));
    let mut children = specs.map(start);
    let mut looks = 0;
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        if folder.path("model").exists() {
            folder.run("inspect model --json").silent();
            looks += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert!(looks > 3, "looked {looks} times");
    assert!(wholes.contains(&folder.read("model")));
    assert_eq!(folder.names(), ["data.svm", "model", "old", "whole"]);
}

#[test]
fn a_read_only_file_is_refused_before_the_work() {
    let folder = folder();
    for (option, name) in [("--model", "model"), ("--html", "page.html")] {
        folder.write(name, "mine");
        let mut permissions = std::fs::metadata(folder.path(name)).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(folder.path(name), permissions).unwrap();
        // There is no such data: that would be noticed first, once the work begins.
        let message = folder.run(&format!("learn perceptron missing.svm {option} {name}")).refused(1);
        assert_eq!(message, format!("{name}: is read-only\n"));
        assert_eq!(folder.text(name), "mine");
    }
}
