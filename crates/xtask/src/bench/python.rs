//! The Python package, against scikit-learn in the same process and against the program.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::Bench;
use super::clock::{self, least};
use super::data::Packing;
use super::table::{Line, Target};
use crate::python::Environment;

const SCRIPT: &str = include_str!("python.py");
/// What the kernel Perceptron learns from, here and in the script.
const KERNEL: [&str; 4] = ["perceptron:kernel=gaussian", "--limit", "4000", "--quiet"];

/// Reading, learning, predicting.
pub fn python(bench: &Bench) -> Result<Vec<Line>> {
    let Some(environment) = Environment::make()? else {
        return Ok(vec![Line::note("python", "no Python 3.10 or newer was found")]);
    };
    environment.install_package(&[])?;
    let file = bench.files.large(Packing::Plain)?;
    let output = Command::new(environment.program("python")).args(["-c", SCRIPT]).arg(&file).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    let pair = |name: &str| -> Result<(f64, f64)> {
        let line =
            text.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no line '{name}'"))?;
        match line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?[..] {
            [ours, theirs] => Ok((ours, theirs)),
            _ => bail!("'{line}' is not a pair"),
        }
    };
    let seconds = |(ours, theirs): (f64, f64)| format!("{ours:.3} s, scikit-learn {theirs:.3} s of CPU");
    let faster = |(ours, theirs): (f64, f64)| (theirs / ours, "×");
    let (read, pass, fit, predict, kernel) =
        (pair("read")?, pair("pass")?, pair("fit")?, pair("predict")?, pair("kernel")?);
    let mut learn = Command::new(&bench.program);
    learn.arg("learn").arg(KERNEL[0]).arg(&file).args(&KERNEL[1..]).stdout(std::process::Stdio::null());
    let [program] = least(3, [&mut || Ok(clock::run(&mut learn)?.cpu)])?;
    let wall = pair("wall")?;
    let rates = format!(
        "M rows per second of CPU: {:.1}, scikit-learn {:.1}; by the wall {:.1}, {:.1}",
        predict.0, predict.1, wall.0, wall.1
    );
    let beside = format!("{:.3} s, the program {program:.3} s of CPU", kernel.0);
    Ok(vec![
        Line::judged("python: read", seconds(read), faster(read), Target::AtLeast(10.0)),
        Line::judged("python: a pass of Perceptron", seconds(pass), faster(pass), Target::AtLeast(1.0)),
        Line::judged("python: fit, one pass", seconds(fit), faster(fit), Target::None),
        Line::judged("python: predict", rates, (predict.0, "M/s"), Target::AtLeast(4.0)),
        Line::judged("python: kernel fit", beside, (kernel.0 / program, "×"), Target::AtMost(1.1)),
    ])
}
