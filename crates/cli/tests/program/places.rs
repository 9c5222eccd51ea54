//! Files that a command reads and writes: no output is another of them, and what is written is written whole.

#![cfg(unix)]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::folder::{Folder, PROGRAM};

const ROWS: &str = "+1 1:1\n-1 2:1\n+1 1:2\n-1 2:3\n+1 1:1\n-1 2:1\n+1 1:2\n-1 2:3\n+1 1:1\n-1 2:1\n";

fn folder() -> Folder {
    let folder = Folder::with("data.svm", ROWS);
    folder.write("test.svm", ROWS);
    folder.run("learn perceptron data.svm --model model").silent();
    symlink("data.svm", folder.path("link")).unwrap();
    std::fs::hard_link(folder.path("data.svm"), folder.path("hard")).unwrap();
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder
}

fn mode(folder: &Folder, name: &str) -> u32 {
    std::fs::metadata(folder.path(name)).unwrap().mode() & 0o7777
}

fn set_mode(folder: &Folder, name: &str, mode: u32) {
    std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs a line of the shell, in which `$P` is the program.
fn shell(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).env("P", PROGRAM).current_dir(folder.path("")).stdin(Stdio::null());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn no_output_is_an_input_or_another_output() {
    let folder = folder();
    let model = folder.read("model");
    for (line, over) in [
        ("learn perceptron data.svm --model data.svm", "DATA"),
        ("learn perceptron data.svm --model link", "DATA"),
        ("learn perceptron data.svm --trace hard", "DATA"),
        ("learn perceptron link --html sub/../data.svm", "DATA"),
        ("learn perceptron data.svm --test test.svm --trace test.svm", "--test"),
        ("learn perceptron data.svm --model new --trace sub/../new", "--model"),
        ("learn perceptron data.svm --html new --trace new", "--trace"),
        ("learn perceptron data.svm --cache --model data.svm.onlinear-cache", "--cache"),
        ("learn --resume model data.svm --html model", "--resume"),
        ("learn --resume model data.svm --trace model", "--resume"),
        ("learn --resume model data.svm --model data.svm", "DATA"),
        ("compare data.svm -l perceptron --csv data.svm", "DATA"),
        ("compare data.svm -l perceptron --html test.svm --test test.svm", "--test"),
        ("compare data.svm -l perceptron --html new --csv new", "--html"),
        ("tune perceptron data.svm --grid rate=1,2 --model data.svm", "DATA"),
        ("tune perceptron data.svm --grid rate=1,2 --model new --html new", "--model"),
        ("reproduce projectron-table3 --data . --html data.svm", "a file of --data"),
    ] {
        let message = folder.run(line).refused(2);
        assert!(message.ends_with(&format!(" would write over {over}\n")), "{line}: {message}");
        assert_eq!((folder.text("data.svm"), folder.text("test.svm")), (ROWS.to_string(), ROWS.to_string()), "{line}");
        assert!(folder.read("model") == model && !folder.path("new").exists(), "{line}");
    }
    folder.write("sub/a.svg", ROWS);
    let message = folder.run("compare sub/a.svg -l perceptron --svg sub").refused(2);
    assert_eq!(message, "error: --svg could write over DATA: sub/a.svg\n");
    let (code, said) = shell(&folder, "$P predict model data.svm >> data.svm");
    assert_eq!((code, said.as_str()), (Some(2), "error: standard output /dev/stdout would write over DATA\n"));
    assert_eq!(folder.text("data.svm"), ROWS);
}

#[test]
fn labels_beside_images_are_an_input_too() {
    let folder = Folder::with("t-images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]);
    folder.write("t-labels-idx1-ubyte", [0, 0, 8, 1, 0, 0, 0, 2, 0, 1]);
    let line = "learn perceptron t-images-idx3-ubyte --model t-labels-idx1-ubyte";
    assert!(folder.run(line).refused(2).ends_with("would write over DATA\n"));
}

#[test]
fn a_model_may_take_the_place_of_the_one_it_goes_on_with_and_links_stay() {
    let folder = folder();
    folder.run("learn --resume model data.svm --model model").silent();
    symlink("model", folder.path("by-link")).unwrap();
    symlink("sub/later", folder.path("dangling")).unwrap();
    for name in ["by-link", "dangling"] {
        folder.run(&format!("learn averaged data.svm --model {name}")).silent();
        assert!(std::fs::symlink_metadata(folder.path(name)).unwrap().is_symlink(), "{name}");
    }
    assert!(folder.read("model") == folder.read("sub/later"));
}

#[test]
fn reports_tables_and_traces_are_written_whole_or_not_at_all() {
    let folder = folder();
    folder.write("bad.svm", format!("{ROWS}+1 x\n"));
    folder.write("trace", "before");
    folder.run("learn perceptron bad.svm --trace trace --html page.html").refused(1);
    assert_eq!(folder.text("trace"), "before");
    // A file may not grow beyond half a kilobyte: no part of the page takes the place of the old one.
    for (line, name) in [
        ("learn perceptron data.svm --html out", "out"),
        ("compare data.svm -l perceptron --repeats 2 --html out", "out"),
        ("learn perceptron data.svm --passes 50 --trace out", "out"),
    ] {
        folder.write(name, "before");
        let (code, said) = shell(&folder, &format!("trap '' XFSZ; ulimit -f 1; exec $P {line}"));
        assert!(code == Some(1) && said.contains("File too large"), "{line}: {code:?} {said}");
        assert_eq!(folder.text(name), "before", "{line}");
    }
    let names = folder.names();
    assert!(!names.iter().any(|name| name.starts_with(".onlinear") || name == "page.html"), "{names:?}");
}

#[test]
fn pipes_and_devices_are_written_to_as_they_are() {
    let folder = folder();
    let ran = folder.run("learn perceptron data.svm --trace /dev/stdout --json").silent();
    assert_eq!(ran.stdout.lines().count(), 11, "{}", ran.stdout);
    folder.run("learn perceptron data.svm --trace /dev/null --html /dev/null --json").silent();
    let (code, said) = shell(&folder, "$P learn perceptron data.svm --trace /dev/stdout --json > out");
    assert_eq!((code, said.as_str(), folder.text("out").lines().count()), (Some(0), "", 11));
    let (code, _) = shell(&folder, "$P learn perceptron data.svm --quiet --trace /dev/fd/3 3>&1 | wc -l > out");
    assert_eq!((code, folder.text("out").trim()), (Some(0), "10"));
    let (code, said) =
        shell(&folder, "mkfifo pipe; cat pipe > out & $P learn perceptron data.svm --trace pipe --quiet; wait");
    assert_eq!((code, said.as_str(), folder.text("out").lines().count()), (Some(0), "", 10));
    // Nobody reads the pipe: a model is refused at once, and no pipe in the place of a cache is waited for.
    let (code, said) = shell(&folder, "timeout 10 $P learn perceptron data.svm --model pipe");
    assert_eq!(
        (code, said.as_str()),
        (Some(1), "pipe: cannot be written: it is no file, which another could replace\n")
    );
    let (code, said) =
        shell(&folder, "mkfifo data.svm.onlinear-cache; timeout 10 $P learn perceptron data.svm --cache --passes 2");
    let reason = "data.svm.onlinear-cache: it is no file, which another could replace\n";
    assert_eq!((code, said.as_str()), (Some(1), reason));
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_standard_output_is_no_place_for_results() {
    let folder = folder();
    for line in
        ["predict model data.svm", "inspect model --weights", "generate xor", "learn perceptron data.svm --json"]
    {
        let (code, said) = shell(&folder, &format!("$P {line} >&-"));
        assert_eq!((code, said.as_str()), (Some(1), "standard output is closed\n"), "{line}");
    }
    let (code, said) =
        shell(&folder, "$P learn perceptron data.svm --quiet >&- && $P predict model data.svm --quiet > /dev/null");
    assert_eq!((code, said.as_str()), (Some(0), ""));
}

/// What a process may not have at all is no memory either.
#[test]
#[cfg(target_os = "linux")]
fn the_limits_of_the_process_are_limits_of_memory() {
    let folder = folder();
    for option in ["--hash 31", "--hash 31 --passes 2", "--features 4000000000 --passes 2"] {
        let (code, said) = shell(&folder, &format!("ulimit -v 2000000; $P learn averaged data.svm {option}"));
        assert!(code == Some(1) && said.contains("more than --max-memory allows"), "{option}: {code:?} {said}");
    }
}

#[test]
fn files_are_as_private_as_asked() {
    let folder = folder();
    let (code, said) = shell(
        &folder,
        "umask 077; $P learn perceptron data.svm --model m --html h --trace t; $P compare data.svm -l averaged --csv c",
    );
    assert_eq!((code, said.as_str()), (Some(0), ""));
    for name in ["m", "h", "t", "c"] {
        assert_eq!(mode(&folder, name), 0o600, "{name}");
    }
    let (code, _) = shell(&folder, "umask 002; $P learn perceptron data.svm --model shared");
    assert_eq!((code, mode(&folder, "shared")), (Some(0), 0o664));
    // A file that is there keeps its own, whatever the mask.
    for kept in [0o640, 0o666, 0o600] {
        set_mode(&folder, "shared", kept);
        shell(&folder, "umask 027; $P learn perceptron data.svm --model shared");
        assert_eq!(mode(&folder, "shared"), kept);
    }
    // A cache is never readable to more people than the data.
    for (data, cache) in [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o400, 0o400), (0o755, 0o644)] {
        set_mode(&folder, "data.svm", data);
        for old in [None, Some(0o666)] {
            match old {
                None => _ = std::fs::remove_file(folder.path("data.svm.onlinear-cache")),
                Some(mode) => {
                    folder.write("data.svm.onlinear-cache", "old");
                    set_mode(&folder, "data.svm.onlinear-cache", mode);
                }
            }
            let (code, said) = shell(&folder, "umask 022; $P learn perceptron data.svm --cache --passes 2");
            assert_eq!((code, said.as_str()), (Some(0), ""));
            assert_eq!(mode(&folder, "data.svm.onlinear-cache"), cache, "{data:o}");
        }
    }
}

/// A shell in which the program is another user, who may write what everybody may; none where nobody can be that.
fn as_nobody(folder: &Folder, line: &str) -> Option<(Option<i32>, String)> {
    let nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    let (code, _) = shell(folder, &format!("{nobody} $P --version > /dev/null"));
    (code == Some(0)).then(|| shell(folder, &format!("P=\"{nobody} $P\"; {line}")))
}

#[test]
fn a_file_that_could_not_be_replaced_is_refused_before_the_work() {
    let folder = folder();
    for (mode, reason) in [
        (0o755, "Permission denied"),
        (0o1777, "it is another user's, and in its folder only the owners of files may replace them"),
    ] {
        folder.write("model", "mine");
        set_mode(&folder, "model", 0o666);
        set_mode(&folder, "", mode);
        // There is no such data: that would be noticed first, once the work begins.
        for option in ["--model", "--html", "--trace"] {
            let ran = as_nobody(&folder, &format!("$P learn perceptron missing.svm {option} model"));
            let Some((code, said)) = ran else {
                println!("skipped: there is no way to be another user here");
                return;
            };
            assert!(
                code == Some(1) && said.starts_with("model: cannot be written: ") && said.contains(reason),
                "{said}"
            );
        }
        assert_eq!(folder.text("model"), "mine");
    }
}
