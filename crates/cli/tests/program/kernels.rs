//! Learners with a kernel, through the program.

use std::fmt::Write;

use crate::folder::Folder;
use crate::lists::without_lists;
use crate::rows::{gaussian, golden, integers, libsvm};

const LEARNERS: [&str; 4] = ["perceptron:rate=1", "averaged:rate=1", "voted:rate=1", "passive-aggressive:variant=pa1"];
const KERNELS: [&str; 4] = [
    "kernel=polynomial,degree=3",
    "kernel=polynomial,degree=5,offset=0.5,cosine=true",
    "kernel=gaussian,gamma=0.03",
    "kernel=linear,cosine=true",
];

/// On a machine without wide vectors all runs are portable, and nothing is shown.
#[test]
fn narrower_vectors_give_the_same_bytes() {
    let folder = Folder::with("dense.svm", libsvm(&gaussian()));
    std::fs::copy(golden("binary80.svm"), folder.path("sparse.svm")).unwrap();
    for (learner, kernel) in LEARNERS.iter().flat_map(|learner| KERNELS.map(|kernel| (learner, kernel))) {
        for data in ["dense.svm", "sparse.svm"] {
            let line =
                |name: &str| format!("learn {learner},{kernel} {data} --passes 2 --trace {name}.trace --model {name}");
            folder.run(&line("fast")).silent();
            let predict = format!("predict fast {data} --scores");
            let fast = folder.run(&predict).ok();
            for bits in ["0", "256"] {
                folder.run_in(&[("ONLINEAR_VECTORS", bits)], &line("narrow"), "").silent();
                assert!(
                    folder.read("fast.trace") == folder.read("narrow.trace"),
                    "{learner},{kernel} {data}: the traces differ"
                );
                assert!(
                    folder.read("fast") == folder.read("narrow"),
                    "{learner},{kernel} {data}: the model files differ"
                );
                let narrow = folder.run_in(&[("ONLINEAR_VECTORS", bits)], &predict, "").ok();
                assert!(fast.stdout == narrow.stdout, "{learner},{kernel} {data}: the predictions differ");
            }
        }
    }
}

#[test]
fn exclusive_or_is_solved_by_degree_two() {
    let folder = Folder::new();
    folder.write("xor.svm", folder.run("generate xor --rows 200 --seed 1").silent().stdout);
    let learn =
        "learn perceptron:kernel=polynomial,degree=2,offset=1 xor.svm --until-separated 1000 --train-error --json";
    let solved = folder.run(learn).silent().json();
    assert_eq!((&solved["separated"], &solved["train"]["errors"]), (&true.into(), &0.into()), "{solved}");
    assert_eq!(solved["form"], "dual");
    let line = folder.run("learn perceptron xor.svm --until-separated 20 --json").silent().json();
    assert_eq!(line["separated"], false);
}

#[test]
fn rows_met_again_are_one_support_vector_where_they_can_be_known_again() {
    let text = libsvm(&integers());
    let folder = Folder::with("data.svm", &text);
    folder.write("twice.svm", text.repeat(2));
    let spec = "perceptron:kernel=polynomial,degree=2";
    let passes = folder.run(&format!("learn {spec} data.svm --passes 2 --trace passes --json")).json();
    let twice = folder.run(&format!("learn {spec} twice.svm --trace twice --json")).json();
    assert!(folder.read("passes") == folder.read("twice"), "whole numbers: the same scores to the bit");
    assert_eq!(passes["mistakes"], twice["mistakes"]);
    assert_eq!(twice["support"], twice["updates"]);
    assert!(passes["support"].as_u64() < twice["support"].as_u64());
    let stream = folder.run_on(&format!("learn {spec} - --json"), text).json();
    assert_eq!(stream["support"], stream["updates"]);
}

#[test]
fn empty_rows_are_rows_to_a_gaussian() {
    let folder = Folder::with("data.svm", "+1\n-1 1:3\n+1\n-1 1:3\n");
    let gaussian = folder.run("learn perceptron:kernel=gaussian data.svm --json").silent().json();
    assert_eq!((&gaussian["mistakes"], &gaussian["updates"], &gaussian["support"]), (&2.into(), &2.into(), &2.into()));
    let cubic = folder.run("learn perceptron:kernel=polynomial,offset=0 data.svm --json").silent().json();
    assert_eq!((&cubic["mistakes"], &cubic["updates"], &cubic["support"]), (&3.into(), &1.into(), &1.into()));
}

#[test]
fn a_kernel_value_too_large_is_reported_with_its_row() {
    let folder = Folder::with("huge.svm", "+1 1:1e200\n-1 1:1\n+1 1:1e200\n");
    let mut messages = String::new();
    for kernel in
        ["kernel=polynomial", "kernel=polynomial,cosine=true", "kernel=gaussian", "kernel=gaussian,cosine=true"]
    {
        for learner in ["perceptron", "averaged", "voted"] {
            let line = format!("learn {learner}:{kernel} huge.svm --model model");
            writeln!(messages, "{line}\n{}", folder.run(&line).refused(1)).unwrap();
            let message = folder.run(&format!("{line} --passes 2")).refused(1);
            assert!(messages.ends_with(&format!("{message}\n")), "{line}: {message}");
        }
    }
    insta::assert_snapshot!(messages);
    assert_eq!(folder.names(), ["huge.svm"]);

    folder.write("fair.svm", "+1 1:1e50\n-1 2:1\n");
    folder.run("learn perceptron:kernel=polynomial,degree=3 fair.svm --model model").silent();
    let predicted = folder.run_on("predict model -", "2:1\n1:1e60\n");
    assert_eq!((predicted.code, predicted.stdout.as_str()), (Some(1), "-1\n"), "{}", predicted.stderr);
    assert_eq!(predicted.stderr, "<stdin>:2:1: the score is inf: the numbers are too large\n");
}

#[test]
fn kernels_that_make_no_sense_are_refused() {
    let folder = Folder::with("data.svm", "+1 1:1\n-1 2:1\n");
    let mut messages = String::new();
    for settings in [
        "sigma2=0",
        "sigma2=-1",
        "sigma2=inf",
        "gamma=0",
        "gamma=-0.5",
        "degree=0",
        "degree=1.5",
        "degree=-1",
        "degree=1001",
        "offset=-1",
        "coef0=nan",
        "sigma2=1,gamma=0.5",
        "gamma=0.5,sigma2=1",
        "offset=1,coef0=1",
        "kernel=rfb",
        "kernel=gausian",
        "cosine=yes",
    ] {
        let line = format!("learn perceptron:{settings} data.svm");
        writeln!(messages, "> {line}\n{}", folder.run(&line).refused(2)).unwrap();
    }
    insta::assert_snapshot!(without_lists(&messages));
}

/// Saving on the way falls into the middle of rows known ahead.
#[test]
fn a_model_saved_on_the_way_is_whole() {
    let text = libsvm(&gaussian());
    let folder = Folder::with("good.svm", &text);
    folder.write("bad.svm", text + "+1 x\n");
    for (learner, kernel) in LEARNERS.iter().flat_map(|learner| KERNELS.map(|kernel| (learner, kernel))) {
        for (every, last) in [(7, 294), (100, 300), (299, 299)] {
            folder.run(&format!("learn {learner},{kernel} bad.svm --save-every {every} --model saved")).refused(1);
            folder.run(&format!("learn {learner},{kernel} good.svm --limit {last} --model expected")).silent();
            assert!(folder.read("saved") == folder.read("expected"), "{learner},{kernel}, every {every}");
        }
    }
}
