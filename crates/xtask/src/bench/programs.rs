//! Files through whole programs: where most people come in, beside those whom they would ask otherwise.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use super::Bench;
use super::clock;
use super::data::Packing;
use super::peers::{has, python};
use super::race::{Contestant, Judge, race};
use super::table::{Line, Target};
use crate::command::works;

/// Turns that times are the least of.
const TURNS: usize = 5;
/// Turns of jobs that take seconds.
const FEW_TURNS: usize = 2;

/// Our program with these arguments.
fn ours(bench: &Bench, arguments: &[&str], files: &[&Path]) -> Contestant {
    let program = bench.program.clone();
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
    let files: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).collect();
    Contestant::program("onlinear", move || {
        let mut command = Command::new(&program);
        // What is to be done comes first, then its files, then options.
        let options = arguments.iter().position(|argument| argument.starts_with('-')).unwrap_or(arguments.len());
        let (verbs, options) = arguments.split_at(options);
        command.args(verbs).args(&files).args(options).arg("--quiet");
        command
    })
}

/// Parsing byte by byte and the same learner, which stand in for SOL.
fn byte_loop(file: &Path) -> Result<Contestant> {
    Contestant::child("byte loop", "byte-loop", file)
}

/// LIBSVM text and what is done with it.
pub fn libsvm(bench: &Bench) -> Result<Vec<Line>> {
    let (file, small) = (bench.files.large(Packing::Plain)?, bench.files.small(Packing::Plain)?);
    let model = bench.files.model();
    let mut learn = Command::new(&bench.program);
    learn.args(["learn", "perceptron"]).arg(&small).arg("--model").arg(&model).stdout(Stdio::null());
    clock::run(&mut learn)?;
    let mut lines = Vec::new();
    let mut line = |name: &str, arguments: &[&str], files: &[&Path], loops: &Path, target: f64| -> Result<()> {
        let contestants = [ours(bench, arguments, files), byte_loop(loops)?];
        lines.push(race(&format!("LIBSVM: {name}"), TURNS, Judge::Wall, Target::AtLeast(target), &contestants)?);
        Ok(())
    };
    line("one pass", &["learn", "perceptron"], &[&file], &file, 1.2)?;
    line("PA-I", &["learn", "passive-aggressive"], &[&file], &file, 1.2)?;
    line("predict", &["predict"], &[&model, &file], &file, 1.2)?;
    line("winnow", &["learn", "winnow"], &[&file], &file, 0.5)?;
    let dense = bench.files.dense()?;
    line("dense rows", &["learn", "perceptron"], &[&dense], &dense, 1.0)?;
    for (decimals, target) in [(9, 1.2), (16, 1.2)] {
        let long = bench.files.long_values(decimals)?;
        line(&format!("{decimals} decimals"), &["learn", "perceptron"], &[&long], &long, target)?;
    }
    let contestants = [piped(bench, &file), byte_loop(&file)?];
    lines.push(race("LIBSVM: from a pipe", TURNS, Judge::Wall, Target::AtLeast(1.2), &contestants)?);
    lines.extend(passes(bench, &file)?);
    lines.push(liblinear(bench, &file)?);
    Ok(lines)
}

/// The program behind `cat`.
fn piped(bench: &Bench, file: &Path) -> Contestant {
    let (program, file) = (bench.program.clone(), file.to_path_buf());
    Contestant::program("onlinear", move || {
        let mut shell = Command::new("sh");
        shell.args(["-c", "cat \"$1\" | \"$0\" learn perceptron - --quiet"]).arg(&program).arg(&file);
        shell
    })
}

/// Further passes: from the cache, and in another order each time.
fn passes(bench: &Bench, file: &Path) -> Result<Vec<Line>> {
    // The cache is written by a run before those that count.
    let copy = bench.files.path("rows-cached.svm");
    if !copy.exists() {
        std::fs::copy(file, &copy)?;
    }
    let cached = || ours(bench, &["learn", "perceptron", "--cache"], &[&copy]);
    race("", 1, Judge::Wall, Target::None, &[cached()])?;
    let name = "LIBSVM: one pass from the cache";
    let one = race(name, TURNS, Judge::Wall, Target::AtLeast(1.8), &[cached(), byte_loop(file)?])?;
    let run = |options: &[&str]| ours(bench, &[&["learn", "perceptron", "--passes", "5"], options].concat(), &[file]);
    let mut in_order = run(&[]);
    in_order.name = "in order".to_string();
    let name = "LIBSVM: 5 shuffled passes, against 5 in order";
    let shuffled = race(name, TURNS, Judge::Wall, Target::AtLeast(0.7), &[run(&["--shuffle", "1"]), in_order])?;
    Ok(vec![one, shuffled])
}

/// One iteration of LIBLINEAR's dual method, which reads the same text.
fn liblinear(bench: &Bench, file: &Path) -> Result<Line> {
    let name = "LIBSVM: one pass, against LIBLINEAR's first iteration";
    let Some(program) = ["liblinear-train", "train"].into_iter().find(|program| is_on_path(program)) else {
        return Ok(Line::note(name, "LIBLINEAR is not installed"));
    };
    let file = file.to_path_buf();
    let (ours, peer) = (ours(bench, &["learn", "perceptron"], &[&file]), move || {
        let mut command = Command::new(program);
        // So coarse a tolerance ends it after its first iteration.
        command.args(["-q", "-s", "3", "-e", "1e9"]).arg(&file).arg("/dev/null");
        command
    });
    race(name, FEW_TURNS, Judge::Cpu, Target::AtLeast(2.0), &[ours, Contestant::program("LIBLINEAR", peer)])
}

fn is_on_path(program: &str) -> bool {
    Command::new(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Vowpal Wabbit's text, in our program and in its own.
pub fn vw(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.vw()?;
    let mut contestants = vec![ours(bench, &["learn", "perceptron"], &[&file])];
    let arguments = ["--loss_function", "hinge", "--quiet", "-d"];
    let python = python()?;
    if works(Command::new("vw").arg("--version")) {
        contestants.push(Contestant::program("Vowpal Wabbit", move || {
            let mut command = Command::new("vw");
            command.args(arguments).arg(&file);
            command
        }));
    } else if let Some(python) = python.filter(|python| has(python, "vowpalwabbit")) {
        let code = "import vowpalwabbit\n\
                    arguments = ['--loss_function', 'hinge', '--quiet', '-d', sys.argv[1]]\n\
                    timed(lambda: vowpalwabbit.Workspace(arg_list=arguments).finish())\n";
        contestants.push(Contestant::script("Vowpal Wabbit", &python, code, &[&file]));
    }
    Ok(vec![race("VW text: one pass", TURNS, Judge::Wall, Target::AtLeast(2.0), &contestants)?])
}

/// Tables of numbers, in our program and read by data frames alone.
pub fn csv(bench: &Bench) -> Result<Vec<Line>> {
    let python = python()?;
    let mut lines = Vec::new();
    let tables = [("200k × 100", bench.files.csv()?, 1.8), ("17 digits", bench.files.long_table()?, 1.2)];
    for (name, file, target) in tables {
        let options = ["learn", "perceptron", "--label", "y", "--protocol", "paper", "--missing", "zero"];
        let mut contestants = vec![ours(bench, &options, &[&file])];
        for library in ["polars", "pandas"] {
            if let Some(python) = python.as_ref().filter(|python| has(python, library)) {
                let code = format!("import {library}\ntimed(lambda: {library}.read_csv(sys.argv[1]))\n");
                contestants.push(Contestant::script(format!("{library}, reading alone"), python, &code, &[&file]));
            }
        }
        let name = format!("CSV: {name}, one pass");
        lines.push(race(&name, TURNS, Judge::Cpu, Target::AtLeast(target), &contestants)?);
        let chosen = ours(bench, &["learn", "averaged", "--label", "y"], &[&file]);
        lines.push(race(&format!("{name}, settings chosen"), FEW_TURNS, Judge::Wall, Target::None, &[chosen])?);
    }
    Ok(lines)
}

/// Many classes, and linear support vector machines.
pub fn many(bench: &Bench) -> Result<Vec<Line>> {
    let classes = bench.files.classes()?;
    let python = python()?.filter(|python| has(python, "sklearn"));
    let mut contestants = vec![ours(bench, &["learn", "perceptron"], &[&classes])];
    if let Some(python) = &python {
        let code = "from sklearn.datasets import load_svmlight_file\n\
                    from sklearn.linear_model import Perceptron\n\
                    x, y = load_svmlight_file(sys.argv[1])\n\
                    x.indices, x.indptr = x.indices.astype('i4'), x.indptr.astype('i4')\n\
                    timed(lambda: Perceptron(max_iter=1, tol=None, shuffle=False).fit(x, y))\n";
        contestants.push(Contestant::script("scikit-learn, without reading", python, code, &[&classes]));
    }
    let name = "1000 classes: one pass";
    let mut lines = vec![race(name, FEW_TURNS, Judge::Cpu, Target::AtLeast(1.0), &contestants)?];
    lines.extend(svm(bench, python.as_deref())?);
    Ok(lines)
}

/// `svm` and its cost, against LIBLINEAR in scikit-learn.
fn svm(bench: &Bench, python: Option<&Path>) -> Result<Vec<Line>> {
    let text = bench.files.small(Packing::Plain)?;
    let a9a = std::env::var_os("ONLINEAR_DATA").map(|folder| PathBuf::from(folder).join("a9a.svm.gz"));
    let linear = "from sklearn.datasets import load_svmlight_file\n\
                  from sklearn.svm import LinearSVC\n\
                  x, y = load_svmlight_file(sys.argv[1])\n\
                  x.indices, x.indptr = x.indices.astype('i4'), x.indptr.astype('i4')\n\
                  timed(lambda: LinearSVC(loss='hinge', max_iter=100000).fit(x, y))\n";
    let grid = "from sklearn.datasets import load_svmlight_file\n\
                from sklearn.model_selection import GridSearchCV\n\
                from sklearn.svm import LinearSVC\n\
                x, y = load_svmlight_file(sys.argv[1])\n\
                x.indices, x.indptr = x.indices.astype('i4'), x.indptr.astype('i4')\n\
                costs = {'C': [1e-3, 1e-2, 1e-1, 1, 10, 100]}\n\
                timed(lambda: GridSearchCV(LinearSVC(), costs, cv=5, n_jobs=1).fit(x, y))\n";
    let against = |own: Contestant, code: &str, file: &Path| {
        let peer = python.map(|python| Contestant::script("LinearSVC", python, code, &[file]));
        std::iter::once(own).chain(peer).collect::<Vec<Contestant>>()
    };
    let own = ours(bench, &["learn", "svm"], &[&text]);
    let contestants = against(own, linear, &text);
    let mut lines = vec![race("svm: 20 MB of text", FEW_TURNS, Judge::Cpu, Target::AtLeast(1.0), &contestants)?];
    match a9a.filter(|path| path.is_file()) {
        Some(a9a) => {
            let tune = ours(bench, &["tune", "svm", "--grid", "cost=1e-3..1e2*10", "--folds", "5"], &[&a9a]);
            let contestants = against(tune, grid, &a9a);
            let name = "svm: six costs, five folds, a9a";
            lines.push(race(name, FEW_TURNS, Judge::Cpu, Target::AtLeast(2.0), &contestants)?);
        }
        None => lines.push(Line::note("svm: six costs, five folds, a9a", super::kernel::NO_A9A)),
    }
    Ok(lines)
}

/// A model of 80 MB that predicts one row.
pub fn loading(bench: &Bench) -> Result<Vec<Line>> {
    let (model, row) = (bench.files.path("large.onlinear"), bench.files.path("large-row.svm"));
    if !model.exists() {
        std::fs::write(&row, "+1 1:1 10000000:1\n-1 2:1\n")?;
        let mut learn = Command::new(&bench.program);
        learn.args(["learn", "perceptron"]).arg(&row).arg("--model").arg(&model).arg("--quiet");
        clock::run(learn.stdout(Stdio::null()))?;
    }
    let name = format!("a model of {:.0} MB, one row", model.metadata()?.len() as f64 / 1e6);
    let predict = ours(bench, &["predict"], &[&model, &row]);
    let reads = Contestant::program("cat", move || {
        let mut command = Command::new("cat");
        command.arg(&model);
        command
    });
    Ok(vec![race(&name, TURNS, Judge::Wall, Target::AtLeast(0.25), &[predict, reads])?])
}
