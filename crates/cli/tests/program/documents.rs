//! The documentation's commands: blocks marked `console` are run as they stand, and print what stands below them.
//!
//! A command is a line behind `$ `, maybe continued with `\`; the lines up to the next are what it prints, where `…` is
//! any text, or any lines if it is alone. The blocks of a page share a folder, in which the tables of `docs` are.

use std::path::Path;
use std::process::Command;

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

/// Runs the commands of a page; gives how many there were.
fn run(page: &Path) -> usize {
    let folder = Folder::new();
    let docs = page.parent().unwrap();
    for table in ["churn.csv", "new-customers.csv"] {
        folder.write(table, std::fs::read(docs.join(table)).unwrap());
    }
    let path = format!("{}:{}", Path::new(PROGRAM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let steps = steps(&std::fs::read_to_string(page).unwrap());
    for Step { command, printed } in &steps {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path("")).env("PATH", &path).env("COLUMNS", "80");
        let output = shell.env_remove("ONLINEAR_DATA").output().unwrap();
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
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let pages: Vec<_> = std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path()).collect();
    let pages = pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md"));
    let commands: usize = pages.map(|page| run(page)).sum();
    assert!(commands > 12, "only {commands} commands were found");
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
