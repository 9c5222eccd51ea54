//! `cargo xtask bench`: how fast it is and how much memory it takes, against what it should be.
//!
//! Every figure comes from one run on one machine: ratios of CPU times, the least of several turns.
//! Nothing here is a test; a missed target is printed, not an error.

mod beyond;
mod byte_loop;
mod clock;
mod counts;
mod data;
mod descent;
mod features;
mod kernel;
mod memory;
mod page;
mod peers;
mod programs;
mod python;
mod race;
mod serve;
mod spark;
mod speed;
mod table;
mod tables;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::command::{cargo, succeed};
use crate::target;
use data::Files;
use table::Line;

/// A row of the table, or a group of rows: a name, what is measured, and how.
type Benchmark = (&'static str, &'static str, fn(&Bench) -> Result<Vec<Line>>);

/// Where people come in first.
const BENCHMARKS: &[Benchmark] = &[
    (
        "libsvm",
        "LIBSVM text in whole programs: one pass, PA-I, predict, pipes, decimals, caches, passes",
        programs::libsvm,
    ),
    ("vw", "VW text, against Vowpal Wabbit", programs::vw),
    ("csv", "tables of numbers, against data frames that only read them", programs::csv),
    ("serve", "one row, batches and learning over HTTP, against FastAPI and the program itself", serve::serve),
    ("python", "the Python package, against scikit-learn in the same process", python::python),
    ("arow", "trials of AROW in memory and from text, against the Perceptron's", beyond::arow),
    ("calibrate", "a run that keeps what probabilities take, against one that does not", beyond::calibrate),
    ("maps", "rows through Fourier and Nyström maps, against one product with a matrix and e^x", beyond::maps),
    ("budget", "learners with a bounded support set on a9a", kernel::budget),
    ("many", "a thousand classes; support vector machines and their costs, against scikit-learn", programs::many),
    ("tables", "tables of all kinds, Parquet, a comparison on them, svm on one-hot rows", tables::tables),
    ("loading", "a large model that predicts one row", programs::loading),
    ("parse", "one pass from text, against a loop of the standard library", speed::parse),
    ("pass", "a further pass over rows in memory", speed::pass),
    ("memory", "peak memory of a one-pass run beside the model", memory::memory),
    ("gz", "learning from gzip, against unpacking alone", speed::gz),
    ("zst", "learning from zstd, against unpacking alone", speed::zst),
    ("predict", "predict against learn", speed::predict),
    ("kernel", "a Gaussian kernel Perceptron, against the straightforward form", kernel::kernel),
    ("matrix", "a second- or higher-order mistake, against one sweep over half a matrix", kernel::matrix),
    ("rcd", "epochs of random coordinate descent, against the plain form", descent::rcd),
    ("boost", "AdaBoost over random coordinate descent", descent::boost),
    ("features", "cost per trial at 10^3 and 10^6 features, every learner", features::features),
    ("spark", "rows in files and in frames of Spark, on a small cluster of its own", spark::spark),
];

/// What all benchmarks need.
struct Bench {
    /// The program, in release.
    program: PathBuf,
    files: Files,
}

/// Builds everything in release and runs the benchmarks named there (all, if none is).
pub fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--list"] => {
            BENCHMARKS.iter().for_each(|(name, about, _)| println!("{name:10}{about}"));
            Ok(())
        }
        ["--measure", names @ ..] => measure(names),
        ["--child", "memory", program @ ..] => memory::child(program),
        ["--child", "features", arguments @ ..] => features::child(arguments),
        ["--child", "byte-loop", file] => {
            println!("{} mistakes", byte_loop::learn(file.as_ref())?);
            Ok(())
        }
        ["--counts"] => count(false),
        ["--counts", "--keep"] => count(true),
        names => {
            let chosen = selected(names.strip_prefix(&["--page"]).unwrap_or(names))?;
            succeed(cargo().args([
                "build",
                "--release",
                "--quiet",
                "-p",
                "onlinear-cli",
                "-p",
                "xtask",
                "--features",
                "onlinear-cli/parquet",
            ]))?;
            let page = names.first().filter(|first| **first == "--page");
            // Each in a process of its own: what a process holds counts as memory of those that it starts.
            for (name, ..) in chosen {
                succeed(Command::new(release("xtask")?).args(["bench", "--measure"]).args(page).arg(name))?;
            }
            Ok(())
        }
    }
}

/// Counts instructions, and tells which counts have grown; `keep` keeps the new ones.
pub fn count(keep: bool) -> Result<()> {
    succeed(cargo().args(["build", "--quiet", "-p", "onlinear-cli"]))?;
    counts::compare(&target()?.join("debug/onlinear"), keep)
}

fn measure(names: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        bail!("built without optimisation: run `cargo xtask bench`");
    }
    let (is_page, names) = match names {
        ["--page", names @ ..] => (true, names),
        names => (false, names),
    };
    let folder = target()?.join("bench");
    let bench = Bench { program: release("onlinear")?, files: Files::new(folder.clone())? };
    let mut lines = Vec::new();
    for (name, _, run) in selected(names)? {
        eprintln!("measuring {name}");
        // One that cannot be run takes nothing from the others.
        let failed = |error| vec![Line::note(*name, format!("failed: {error:#}"))];
        let measured = run(&bench).unwrap_or_else(failed);
        // What is measured stays, should the rest be ended.
        if is_page {
            page::keep(&folder, name, &measured)?;
        }
        lines.extend(measured);
    }
    print!("{}", table::markdown(&lines.iter().collect::<Vec<_>>()));
    if is_page { page::write(&folder, BENCHMARKS.iter().map(|(name, ..)| *name)) } else { Ok(()) }
}

/// The large file of text that is measured on.
pub fn zipf_text() -> Result<PathBuf> {
    Files::new(target()?.join("bench"))?.large(data::Packing::Plain)
}

fn selected(names: &[&str]) -> Result<Vec<&'static Benchmark>> {
    let known: Vec<&str> = BENCHMARKS.iter().map(|(name, ..)| *name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!("no benchmark is called '{unknown}'; there are {}", known.join(", "));
    }
    Ok(BENCHMARKS.iter().filter(|(name, ..)| names.is_empty() || names.contains(name)).collect())
}

/// A program built in release.
fn release(name: &str) -> Result<PathBuf> {
    Ok(target()?.join("release").join(name))
}
