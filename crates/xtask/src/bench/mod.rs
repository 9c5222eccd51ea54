//! `cargo xtask bench`: how fast it is and how much memory it takes, against what it should be.
//!
//! Every figure comes from one run on one machine: ratios of CPU times, the least of several turns.
//! Nothing here is a test; a missed target is printed, not an error.

mod clock;
mod data;
mod descent;
mod features;
mod kernel;
mod memory;
mod peers;
mod python;
mod speed;
mod table;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::target;
use data::Files;
use table::Line;

/// A row, or a group of rows, of the table.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    run: fn(&Bench) -> Result<Vec<Line>>,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "parse", about: "one pass from text, against a loop of the standard library", run: speed::parse },
    Benchmark { name: "pass", about: "a further pass over rows in memory", run: speed::pass },
    Benchmark { name: "memory", about: "peak memory of a one-pass run beside the model", run: memory::memory },
    Benchmark { name: "gz", about: "learning from gzip, against unpacking alone", run: speed::gz },
    Benchmark { name: "zst", about: "learning from zstd, against unpacking alone", run: speed::zst },
    Benchmark { name: "predict", about: "predict against learn", run: speed::predict },
    Benchmark {
        name: "features",
        about: "cost per trial at 10^3 and 10^6 features, every learner",
        run: features::features,
    },
    Benchmark {
        name: "kernel",
        about: "a Gaussian kernel Perceptron, against the straightforward form",
        run: kernel::kernel,
    },
    Benchmark { name: "budget", about: "learners with a bounded support set on a9a", run: kernel::budget },
    Benchmark {
        name: "matrix",
        about: "a second-order mistake, against one sweep over half a matrix",
        run: kernel::matrix,
    },
    Benchmark { name: "rcd", about: "epochs of random coordinate descent, against the plain form", run: descent::rcd },
    Benchmark { name: "boost", about: "AdaBoost over random coordinate descent", run: descent::boost },
    Benchmark { name: "peers", about: "the same file in Vowpal Wabbit, LIBLINEAR and scikit-learn", run: peers::peers },
    Benchmark {
        name: "python",
        about: "the Python package, against scikit-learn in the same process",
        run: python::python,
    },
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
            BENCHMARKS.iter().for_each(|Benchmark { name, about, .. }| println!("{name:10}{about}"));
            Ok(())
        }
        ["--measure", names @ ..] => measure(names),
        ["--child", "memory", program @ ..] => memory::child(program),
        ["--child", "features", arguments @ ..] => features::child(arguments),
        names => {
            selected(names)?;
            let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
            succeed(Command::new(cargo).args(["build", "--release", "--quiet", "-p", "onlinear-cli", "-p", "xtask"]))?;
            succeed(Command::new(release("xtask")?).args(["bench", "--measure"]).args(names))
        }
    }
}

fn measure(names: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        bail!("built without optimisation: run `cargo xtask bench`");
    }
    let bench = Bench { program: release("onlinear")?, files: Files::new(target()?.join("bench"))? };
    let mut lines = Vec::new();
    for benchmark in selected(names)? {
        eprintln!("measuring {}", benchmark.name);
        // One that cannot be run takes nothing from the others.
        let failed = |error| vec![Line::note(benchmark.name, format!("failed: {error:#}"))];
        lines.extend((benchmark.run)(&bench).unwrap_or_else(failed));
    }
    print!("{}", table::markdown(&lines));
    Ok(())
}

fn selected(names: &[&str]) -> Result<Vec<&'static Benchmark>> {
    if let Some(unknown) = names.iter().find(|name| BENCHMARKS.iter().all(|benchmark| benchmark.name != **name)) {
        let known: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
        bail!("no benchmark is called '{unknown}'; there are {}", known.join(", "));
    }
    Ok(BENCHMARKS.iter().filter(|benchmark| names.is_empty() || names.contains(&benchmark.name)).collect())
}

/// A program built in release.
fn release(name: &str) -> Result<PathBuf> {
    Ok(target()?.join("release").join(name))
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("failed: {command:?}");
    }
    Ok(())
}
