//! The documentation's commands: blocks marked `console` are run as they stand, and print what stands below them.
//!
//! A command is a line behind `$ `, maybe continued with `\`; the lines up to the next are what it prints, where `…` is
//! any text, or any lines if it is alone. The blocks of a page share a folder, in which the tables of `docs` are.
//!
//! Other blocks have commands on files of the reader: those must be what the program understands, and README's do work.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::folder::{Folder, PROGRAM};

/// A command of a page and what it has to print.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    printed: Vec<String>,
}

/// The commands of a page, in their order.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { command: command.to_string(), printed: Vec::new() });
                    continued = command.ends_with('\\');
                }
                (None, Some(step)) if continued => {
                    step.command += &format!("\n{line}");
                    continued = line.ends_with('\\');
                }
                (None, Some(step)) => step.printed.push(line.to_string()),
                (None, None) => panic!("output without a command: {line}"),
            },
        }
    }
    steps
}

/// Whether the lines are those expected.
fn fits(expected: &[String], lines: &[&str]) -> bool {
    match (expected, lines) {
        ([], []) => true,
        ([any, rest @ ..], _) if any.trim() == "…" => (0..=lines.len()).any(|from| fits(rest, &lines[from..])),
        ([first, rest @ ..], [line, others @ ..]) => fits_line(first, line) && fits(rest, others),
        _ => false,
    }
}

fn fits_line(expected: &str, line: &str) -> bool {
    let mut pieces = expected.split('…');
    let Some(mut left) = pieces.next().and_then(|start| line.strip_prefix(start)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((end, middle)) = pieces.split_last() else { return left.is_empty() };
    for piece in middle {
        let Some(place) = left.find(piece) else { return false };
        left = &left[place + piece.len()..];
    }
    left.ends_with(end)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the tables of `docs`.
fn with_tables() -> Folder {
    let folder = Folder::new();
    for table in ["churn.csv", "new-customers.csv"] {
        folder.write(table, std::fs::read(root().join("docs").join(table)).unwrap());
    }
    folder
}

/// Runs a script where `onlinear` is this program and no sets are known.
fn shell(folder: &Folder, script: &str) -> Output {
    let path = format!("{}:{}", Path::new(PROGRAM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder.path("")).env("PATH", &path).env("COLUMNS", "80");
    shell.env_remove("ONLINEAR_DATA").output().unwrap()
}

/// Runs the commands of a page; gives how many there were.
fn run(page: &Path) -> usize {
    let folder = with_tables();
    let steps = steps(&std::fs::read_to_string(page).unwrap());
    for Step { command, printed } in &steps {
        let output = shell(&folder, command);
        let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {command}\n{said}", page.display());
        let lines: Vec<&str> = text.lines().collect();
        let expected = printed.join("\n");
        assert!(fits(printed, &lines), "{}: {command}\nprints\n{text}\nand not\n{expected}", page.display());
    }
    steps.len()
}

#[test]
fn commands_on_pages_print_what_stands_there() {
    let commands: usize = pages_of_docs().iter().map(|page| run(page)).sum();
    assert!(commands > 12, "only {commands} commands were found");
}

fn pages_of_docs() -> Vec<PathBuf> {
    let pages = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    pages.filter(|page| page.extension().is_some_and(|ending| ending == "md")).collect()
}

/// The commands of indented blocks, with what stands behind them on lines that `\` continues, and the variables that
/// they use.
fn mentioned(page: &str) -> String {
    let mut script = String::new();
    let mut continued = false;
    for line in page.lines() {
        let Some(line) = line.strip_prefix("    ").map(|line| line.strip_prefix("$ ").unwrap_or(line)) else {
            continue;
        };
        if continued || is_variable(line) || line.starts_with("onlinear ") || line.contains("| onlinear ") {
            script += &format!("{line}\n");
            continued = line.ends_with('\\');
        }
    }
    script
}

/// Whether a line gives a variable a value, and does nothing else.
fn is_variable(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase());
    is_name && (!value.contains(' ') || value.starts_with('"') && value.ends_with('"'))
}

/// What the program is told, and how it ended; a server would go on for ever, and only shows its help.
const NOTED: &str = r#"onlinear() {
  case $1 in serve) set -- "$@" --help ;; esac
  command onlinear "$@" > /dev/null 2> said
  echo "$? $*: $(cat said)" >> ended
}
"#;

/// How each command ended that a page mentions: its exit code, itself, and what it said.
fn ended(page: &Path, folder: &Folder) -> Vec<String> {
    let script = mentioned(&std::fs::read_to_string(page).unwrap());
    folder.write("ended", "");
    shell(folder, &format!("{NOTED}{script}"));
    let mut ended: Vec<String> = Vec::new();
    for line in folder.text("ended").lines() {
        match line.split_once(' ') {
            Some((code, _)) if code.parse::<u8>().is_ok() => ended.push(line.to_string()),
            _ => ended.iter_mut().for_each(|last| last.push_str(line)),
        }
    }
    ended
}

#[test]
fn commands_on_files_of_the_reader_are_understood() {
    let others = ["python/README.md", "crates/cli/README.md", "examples/serve/README.md"].map(|page| root().join(page));
    let mut commands = 0;
    for page in pages_of_docs().iter().chain(&others) {
        for command in ended(page, &with_tables()) {
            assert!(command.starts_with("0 ") || command.starts_with("1 "), "{}: {command}", page.display());
            commands += 1;
        }
    }
    assert!(commands > 30, "only {commands} commands were found");
}

#[test]
fn the_first_commands_that_anybody_tries_work() {
    let folder = with_tables();
    let row = |i: usize| format!("{} | free:{} hello:{}\n", ["1", "-1", "-1"][i % 3], i % 3, i % 5);
    let rows: String = (0..100).map(row).collect();
    folder.write("more.vw", &rows);
    let mut log = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    log.write_all(rows.as_bytes()).unwrap();
    folder.write("log.gz", log.finish().unwrap());
    let commands = ended(&root().join("README.md"), &folder);
    assert!(commands.len() > 5 && commands.iter().all(|command| command.starts_with("0 ")), "{commands:#?}");
}

#[test]
fn output_is_told_from_commands_and_dots_mean_anything() {
    let page = "```console\n$ a \\\n  b\nx\n…\ny … z\n$ c\n```\n\n    $ d\n";
    let printed = ["x", "…", "y … z"].map(String::from).to_vec();
    assert_eq!(
        steps(page),
        [Step { command: "a \\\n  b".into(), printed: printed.clone() }, Step { command: "c".into(), printed: vec![] }]
    );
    assert!(fits(&printed, &["x", "1", "2", "y 3 z"]) && fits(&printed, &["x", "y 3 z"]));
    assert!(!fits(&printed, &["x", "y 3"]) && !fits(&printed, &["x", "1"]) && !fits(&[], &["x"]));
}
