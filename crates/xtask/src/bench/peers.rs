//! One file in other programs, where they are installed.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::Bench;
use super::clock;
use super::data::Packing;
use super::table::Line;
use crate::command::works;

/// One turn is enough: they take seconds.
pub fn peers(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.large(Packing::Plain)?;
    let vw = bench.files.vw()?;
    let line = |name: &str, result: Option<String>| Line::note(name, result.as_deref().unwrap_or("not installed"));
    Ok(vec![
        line("peer Vowpal Wabbit", vowpal_wabbit(&vw)?),
        line("peer LIBLINEAR", liblinear(&file)?),
        line("peer scikit-learn", scikit_learn(&file)?),
    ])
}

/// The Python that has the peers' packages.
pub(super) fn python() -> String {
    std::env::var("ONLINEAR_BENCH_PYTHON").unwrap_or_else(|_| "python3".to_string())
}

pub(super) fn has_module(module: &str) -> bool {
    works(Command::new(python()).args(["-c", &format!("import {module}")]))
}

fn is_on_path(program: &str) -> bool {
    Command::new(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn cpu(what: &str, file: &Path, command: &mut Command) -> Result<Option<String>> {
    let seconds = clock::run(command.stdin(Stdio::null()).stdout(Stdio::null()))?.cpu;
    Ok(Some(format!("{what}: {}", speed(file, seconds)?)))
}

fn speed(file: &Path, seconds: f64) -> Result<String> {
    Ok(format!("{:.3} GB/s, {seconds:.2} s", file.metadata()?.len() as f64 / 1e9 / seconds))
}

fn vowpal_wabbit(file: &Path) -> Result<Option<String>> {
    let arguments = ["--loss_function", "hinge", "--quiet", "-d"];
    if works(Command::new("vw").arg("--version")) {
        cpu("vw --loss_function hinge", file, Command::new("vw").args(arguments).arg(file))
    } else if has_module("vowpalwabbit") {
        let script = "import sys, vowpalwabbit; vowpalwabbit.Workspace(arg_list=sys.argv[1:]).finish()";
        let mut command = Command::new(python());
        cpu("its Python package, --loss_function hinge", file, command.args(["-c", script]).args(arguments).arg(file))
    } else {
        Ok(None)
    }
}

fn liblinear(file: &Path) -> Result<Option<String>> {
    // So coarse a tolerance ends it after its first iteration.
    let arguments = ["-q", "-s", "3", "-e", "1e9"];
    match ["liblinear-train", "train"].into_iter().find(|name| is_on_path(name)) {
        Some(name) => {
            cpu(&format!("{name} -s 3 -e 1e9"), file, Command::new(name).args(arguments).arg(file).arg("/dev/null"))
        }
        None => Ok(None),
    }
}

const SCIKIT_LEARN: &str = "
import sys, time
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
start = time.process_time()
x, y = load_svmlight_file(sys.argv[1])
loaded = time.process_time()
x.indices, x.indptr = x.indices.astype('int32'), x.indptr.astype('int32')
start_fit = time.process_time()
Perceptron(max_iter=1, tol=None, shuffle=False).fit(x, y)
print(loaded - start, time.process_time() - start_fit)
";

fn scikit_learn(file: &Path) -> Result<Option<String>> {
    if !has_module("sklearn") {
        return Ok(None);
    }
    let output = Command::new(python()).args(["-c", SCIKIT_LEARN]).arg(file).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let &[load, fit] = &numbers[..] else { bail!("scikit-learn failed: {}", String::from_utf8_lossy(&output.stderr)) };
    Ok(Some(format!("load_svmlight_file {}; Perceptron, one pass {fit:.2} s", speed(file, load)?)))
}
