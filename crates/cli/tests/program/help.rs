//! The texts a newcomer reads.

use onlinear::{ALGORITHMS, Format};

use crate::folder::Folder;
use crate::lists::without_lists;

fn printed(line: &str) -> String {
    Folder::new().run(line).silent().stdout
}

#[test]
fn help_of_the_program_and_of_every_command() {
    insta::assert_snapshot!("help", printed("--help"));
    for command in [
        "learn",
        "compare",
        "tune",
        "bounds",
        "reproduce",
        "predict",
        "algorithms",
        "merge",
        "inspect",
        "generate",
        "completions",
        #[cfg(feature = "serve")]
        "serve",
    ] {
        insta::assert_snapshot!(format!("help_{command}"), without_lists(&printed(&format!("{command} --help"))));
    }
}

#[test]
fn without_a_command_the_help_is_shown_and_the_exit_code_is_2() {
    let ran = Folder::new().run("");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("Usage: onlinear <COMMAND>"), "{}", ran.stderr);
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
fn completions_know_the_learners() {
    for shell in ["bash", "zsh"] {
        let script = printed(&format!("completions {shell}"));
        for word in ["passive-aggressive", "p-norm", "winnow", "--until-separated"] {
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
    assert_eq!(folder.run_on("learn averaged - --json", text).json()["examples"], 50);
    let message = folder.run("generate artifical").refused(2);
    assert!(message.contains("did you mean 'artificial'?"), "{message}");
}
