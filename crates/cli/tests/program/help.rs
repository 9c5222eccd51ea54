//! The texts a newcomer reads.

use onlinear::{ALGORITHMS, Format};

use crate::folder::Folder;
use crate::lists::without_lists;

fn printed(line: &str) -> String {
    Folder::new().run(line).silent().stdout
}

/// The names of all commands, as the program lists them, and the one that it does not.
fn commands() -> Vec<String> {
    let help = printed("--help");
    let list = help.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let names = list.map(|line| line.split_whitespace().next().unwrap().to_string());
    names.filter(|name| name != "help").chain(["man".to_string()]).collect()
}

/// What is printed on a terminal of 80 columns.
fn narrow(line: &str) -> String {
    let run = Folder::new().run_in(&[("COLUMNS", "80")], line, "");
    run.stdout + &run.stderr
}

#[test]
fn short_help_fits_a_screen() {
    let lines = commands().iter().map(|command| format!("{command} -h")).collect::<Vec<_>>();
    for line in lines.iter().map(String::as_str).chain(["", "-h", "--help"]) {
        let help = narrow(line);
        let rows = help.trim_end().lines().count();
        assert!(rows < 24, "onlinear {line} has {rows} lines:\n{help}");
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "onlinear {line} is {widest} columns wide:\n{help}");
    }
}

#[test]
fn help_begins_with_examples_which_are_wrapped_once() {
    assert!(commands().len() > 11);
    for command in commands() {
        let help = narrow(&format!("{command} --help"));
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{command} --help is {widest} columns wide:\n{help}");
        let (before, examples) = help.split_once("Example").expect("examples");
        let mut before = before.lines().filter(|line| !line.starts_with("Usage:")); // which has what must be given
        assert!(!before.any(|line| line.contains("--")), "{command} --help does not begin with its examples:\n{help}");
        // An example that was wrapped would go on in a line that begins with no command.
        let lines = examples.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with("  "));
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with("    ")) {
            let first = line.split_whitespace().next().unwrap();
            assert!(["onlinear", "curl", "zcat", "tail", "#"].contains(&first), "{command}: {line}");
        }
    }
}

#[test]
fn options_by_their_names_elsewhere_are_told_by_ours() {
    for (typed, told) in [
        ("learn averaged --epochs 3", "--passes N"),
        ("learn averaged --seed 3", "--shuffle SEED"),
        ("learn averaged -q", "--quiet"),
        ("compare --epochs 3", "--passes N"),
        ("compare -q", "--quiet"),
        ("learn averaged x.csv --target y", "--label COLUMN"),
    ] {
        let run = Folder::new().run(typed);
        assert_eq!(run.code, Some(2), "{typed}");
        assert!(run.stderr.contains(told), "{typed}: {}", run.stderr);
    }
    assert!(!Folder::new().run("inspect --epochs").stderr.contains("--passes"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = Folder::new();
    folder.run("man pages").silent();
    let pages: Vec<String> = std::fs::read_dir(folder.path("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for command in commands().iter().filter(|command| *command != "man") {
        assert!(pages.contains(&format!("onlinear-{command}.1")), "{command}: {pages:?}");
    }
    let learn = folder.text("pages/onlinear-learn.1");
    let (examples, options) = (learn.find(".SH EXAMPLES\n").unwrap(), learn.find(".SH OPTIONS\n").unwrap());
    assert!(learn[examples..options].contains("\n  onlinear learn \\-\\-resume churn.onlinear more.csv"), "{learn}");
    // No deeper than in help, whose lines fit 80 columns.
    assert!(learn[examples..options].starts_with(".SH EXAMPLES\n.nf\n.in 0\n  onlinear learn averaged "), "{learn}");
    assert!(learn[options..].contains("passes"));
    assert!(folder.text("pages/onlinear.1").contains(".SH SUBCOMMANDS\n"));
}

#[test]
fn help_of_the_program_and_of_every_command() {
    insta::assert_snapshot!("help", printed("--help"));
    for command in commands().iter().filter(|name| cfg!(feature = "serve") || *name != "serve") {
        insta::assert_snapshot!(format!("help_{command}"), without_lists(&printed(&format!("{command} --help"))));
    }
}

#[test]
fn without_a_command_the_help_is_shown_and_the_exit_code_is_2() {
    let ran = Folder::new().run("");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("Commands:\n  learn"), "{}", ran.stderr);
}

#[test]
fn version_and_formats() {
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    insta::assert_snapshot!("version", printed("--version").replace(&formats.join(" "), "[formats]"));
}

#[test]
fn the_list_of_learners_and_the_page_of_one() {
    let list = printed("algorithms");
    for (line, algorithm) in list.lines().zip(ALGORITHMS) {
        assert_eq!(
            line.split_once(' ').map(|(name, rest)| (name, rest.trim())),
            Some((algorithm.name, algorithm.summary))
        );
    }
    let rest: Vec<&str> = list.lines().skip(ALGORITHMS.len()).collect();
    assert_eq!(rest, ["", "`onlinear algorithms NAME` tells all about one."]);
    insta::assert_snapshot!("algorithms_winnow", printed("algorithms winnow"));
    let message = Folder::new().run("algorithms winow").refused(2);
    assert!(message.ends_with("did you mean 'winnow'?\n"), "{message}");
}

#[test]
fn every_learner_has_a_page_and_learns_by_its_default_spec() {
    let list = Folder::new().run("algorithms --json").silent().json();
    for learner in list.as_array().unwrap() {
        let name = learner["name"].as_str().unwrap();
        assert!(printed(&format!("algorithms {name}")).contains(name));
        assert_eq!(Folder::new().run(&format!("algorithms {name} --json")).silent().json(), *learner);
        let result = Folder::new().run(&format!("learn {name} --json")).silent().json();
        assert_eq!(result["examples"], 2000, "{name}");
    }
}

#[test]
fn a_first_look_at_the_built_in_set() {
    let report = printed("learn averaged");
    let (counts, timings) = report.split_once("seconds ").unwrap();
    assert!(
        timings.contains("reading, ") && timings.contains(" learning") && timings.lines().count() == 1,
        "{timings}"
    );
    insta::assert_snapshot!("built_in", counts);
}

#[test]
fn completions_know_learners_sets_and_experiments() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));
        for word in ["passive-aggressive", "winnow", "ringnorm", "projectron-table3", "until-separated"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn what_is_generated_can_be_learned() {
    let folder = Folder::new();
    let text = folder.run("generate artificial --rows 50 --seed 3").silent().stdout;
    assert_eq!(text.lines().count(), 50);
    assert_eq!(folder.run("generate artificial --rows 50 --seed 3").silent().stdout, text);
    assert_ne!(folder.run("generate artificial --rows 50 --seed 4").silent().stdout, text);
    let later = folder.run("generate artificial --rows 20 --seed 3 --skip 30").silent().stdout;
    assert_eq!(later.lines().collect::<Vec<_>>(), text.lines().skip(30).collect::<Vec<_>>());
    assert_eq!(folder.run_on("learn averaged - --json", text).json()["examples"], 50);
    let message = folder.run("generate artifical").refused(2);
    assert!(message.contains("did you mean 'artificial'?"), "{message}");
}
