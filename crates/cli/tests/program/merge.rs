//! Models of parts, merged by the program.

use crate::folder::Folder;

fn rows(from: usize, to: usize) -> String {
    let row = |i: usize| {
        let (a, b) = ((i * 7 % 11) as f64 - 5.0, (i * 5 % 13) as f64 - 6.0);
        format!("{} 1:{a} 2:{b}\n", if a + 0.5 * b > 0.0 { "+1" } else { "-1" })
    };
    (from..to).map(row).collect()
}

fn folder() -> Folder {
    let folder = Folder::with("1.svm", rows(0, 40));
    folder.write("2.svm", rows(40, 100));
    folder
}

#[test]
fn parts_that_learn_apart_become_one_model_round_by_round() {
    let folder = folder();
    for part in [1, 2] {
        folder.run(&format!("learn averaged {part}.svm --model {part}")).silent();
    }
    let said = folder.run("merge 1 2 --model all").silent().stdout;
    assert_eq!(said, "averaged: 2 models of 100 trials in all merged into all\n");
    for part in [1, 2] {
        folder.run(&format!("learn --resume all {part}.svm --model {part}")).silent();
    }
    let said = folder.run("merge 1 2 --base all --model again").silent().stdout;
    assert_eq!(said, "averaged: 2 models of 200 trials in all merged into again\n");
    assert_eq!(folder.run("inspect again --json").silent().json()["trials"], 200);
    folder.run("merge 1 2 --base all --mean all --model all-over").silent();
    assert_eq!(folder.read("again"), folder.read("all-over"));
    let said = folder.run("merge 1 2 --base all --mean moved --model moved").silent().stdout;
    assert_eq!(said, "averaged: 2 models of 200 trials in all merged into moved\n");
    assert_eq!(folder.run("inspect moved --json").silent().json()["trials"], 200);
    // It goes on as what it was, and one model alone is itself.
    folder.run("learn --resume again 1.svm --model more").silent();
    folder.run("merge more --model same").silent();
    assert_eq!(folder.read("more"), folder.read("same"));
}

#[test]
fn what_cannot_be_merged_is_refused_and_nothing_is_written() {
    let folder = folder();
    for learner in ["perceptron", "voted"] {
        folder.run(&format!("learn {learner} 1.svm --model {learner}")).silent();
    }
    folder.run("learn perceptron 2.svm --model other").silent();
    folder.run("learn --resume perceptron 2.svm --model later").silent();
    for (line, code, said) in [
        ("merge voted voted --model new", 2, "voted cannot be merged: every hypothesis of a run votes"),
        ("merge perceptron voted --model new", 2, "they differ in their learner"),
        ("merge perceptron other --base later --model new", 2, "fewer trials than the base"),
        ("merge perceptron other --mean moved --model new", 2, "mean=moved needs the base"),
        ("merge perceptron other --mean most --model new", 2, "there is no mean 'most'; there are all, moved"),
        ("merge perceptron nowhere --model new", 1, "nowhere"),
        ("merge perceptron 1.svm --model new", 1, "1.svm"),
        ("merge perceptron other --model other", 2, "--model other would write over a model to merge"),
        ("merge other --base perceptron --model perceptron", 2, "--model perceptron would write over --base"),
    ] {
        let message = folder.run(line).refused(code);
        assert!(message.contains(said), "{line}: {message}");
        assert!(!folder.names().contains(&"new".to_string()), "{line}");
    }
}

/// Each part a table: stages and columns are those of the base, and who has learned apart from the first row is told.
#[test]
fn parts_of_a_table_go_on_from_one_model() {
    let folder = Folder::with("1.csv", "age,color,y\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n");
    folder.write("2.csv", "age,color,y\n5,green,a\n2,blue,b\n7,red,a\n4,blue,b\n");
    for part in [1, 2] {
        folder.run(&format!("learn averaged {part}.csv --model {part}")).silent();
        folder.run(&format!("learn --resume 1 {part}.csv --model {part}{part}")).silent();
    }
    let message = folder.run("merge 1 2 --model new").refused(2);
    assert!(message.contains("(learn --resume FIRST DATA --model PART), and name it by --base FIRST"), "{message}");
    let message = folder.run("merge 11 22 --model new").refused(2);
    assert!(message.contains("--base FIRST"), "{message}");
    let said = folder.run("merge 11 22 --base 1 --model new").silent().stdout;
    assert!(said.starts_with("averaged: 2 models of "), "{said}");
    assert_eq!(folder.run("predict new 2.csv").stdout.lines().count(), 4);
}

#[test]
fn learners_of_all_rows_at_once_are_merged_where_no_part_was_scaled_by_its_own_rows() {
    let folder = folder();
    folder.write("3.svm", rows(40, 47)); // which do not go as far as those of the other part
    for part in [1, 3] {
        folder.run(&format!("learn fld {part}.svm --model {part}")).silent();
    }
    let message = folder.run("merge 1 3 --model all").refused(2);
    assert!(message.contains("; learn each with --scale none"), "{message}");
    for part in [1, 3] {
        folder.run(&format!("learn fld {part}.svm --scale none --model {part}")).silent();
    }
    let said = folder.run("merge 1 3 --model all").silent().stdout;
    assert_eq!(said, "fld: 2 models of 47 rows in all merged into all\n");
}
