//! What the library has to say, by the names of flags.

use std::fmt::Write as _;

use crate::folder::Folder;
use crate::rows::{csv, integers, libsvm};

/// Command lines with what stands in their way or is warned of.
const LINES: [&str; 21] = [
    "learn perceptron wide.svm --scale minmax --max-memory 10k",
    "learn perceptron wide.svm --max-memory 10k",
    "learn winnow wide.svm --max-memory 10k",
    "learn fld data.svm --max-memory 20k",
    "learn fld wide.svm --max-memory 100k --scale none",
    "learn adaboost:base=averaged,rounds=9 noisy.svm --scale none --max-memory 150k",
    "learn second-order:form=primal wide.svm --max-memory 1M",
    "learn higher-order:form=primal wide.svm --max-memory 1M",
    "learn whitened wide.svm --max-memory 1M",
    "learn perceptron:kernel=gaussian data.svm --max-memory 2k",
    "learn perceptron data.svm --cache --shuffle 1 --max-memory 1k",
    "learn perceptron data.svm --passes 2 --max-memory 1k",
    "learn higher-order data.svm",
    "learn higher-order:p=3 data.svm",
    "learn higher-order:kernel=polynomial data.svm",
    "learn perceptron three.svm --certificate",
    "learn perceptron both.svm",
    "learn perceptron data.csv --weight z",
    "learn perceptron empty.csv --skip-bad-rows --cache --passes 2",
    "learn perceptron empty.csv --skip-bad-rows --cache --passes 2",
    "predict model empty.csv --skip-bad-rows",
];

#[test]
fn messages_name_flags() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.write("wide.svm", "1 1:1 9000:1\n0 2:1\n1 5:2\n");
    folder.write("noisy.svm", "1 1:1 9000:1\n0 1:1 9000:1\n1 1:1 9000:1\n0 2:1\n1 2:1\n0 2:1\n1 3:1\n");
    folder.write("three.svm", "1 1:1\n2 2:1\n3 3:1\n");
    folder.write("both.svm", "1 1:1\n0 2:1\n-1 3:1\n");
    folder.write("data.csv", csv(&integers(), ["", ""]));
    folder.write("empty.csv", "label,x\n1,1\n0,\n0,-1\n");
    folder.run("learn perceptron empty.csv --skip-bad-rows --quiet --model model").ok();
    let mut said = String::new();
    for line in LINES {
        let ran = folder.run(line);
        let bound = ran.stdout.lines().find(|line| line.contains("none: ")).unwrap_or_default();
        let _ = write!(said, "$ onlinear {line}\n{}{bound}\n", ran.stderr);
    }
    insta::assert_snapshot!(said);
    let told = folder.run("learn perceptron three.svm --certificate --json").json();
    let reason = "the theorems are about two classes; certify one against the rest with --positive LABEL";
    assert_eq!(told["certificate"]["before"]["reason"], reason);
}
