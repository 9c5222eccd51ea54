//! The pictures of the docs: figures of `onlinear compare`, run on artificial sets.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::command::cargo;

/// Online errors where few of many experts matter.
pub fn sparse_experts() -> Result<String> {
    let learners = "-l perceptron -l romma -l passive-aggressive -l winnow:rate=0.2 -l alma:p=12 --repeats 5";
    draw("sparse-experts:features=500,relevant=3 --rows 5000", learners, "online-error.svg")
}

/// The boundary between yin and yang.
pub fn yinyang() -> Result<String> {
    let learner = "-l perceptron:kernel=gaussian,sigma2=0.02 --repeats 2 --passes 3";
    draw("yinyang --rows 450", learner, "boundary-1.svg")
}

/// A figure of the comparison that these arguments make, on the rows that those of `generate` make.
fn draw(rows: &str, learners: &str, figure: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("rows.svm"), program(folder.path(), &format!("generate {rows} --seed 1"))?)?;
    let comparison = format!("compare rows.svm --svg figures --quiet --protocol paper {learners}");
    program(folder.path(), &comparison)?;
    let path = folder.path().join("figures").join(figure);
    fs::read_to_string(&path).with_context(|| format!("{comparison} drew no {figure}"))
}

/// What the program prints, run in `folder`.
fn program(folder: &Path, arguments: &str) -> Result<Vec<u8>> {
    let manifest = std::env::current_dir()?.join("Cargo.toml");
    let mut command = cargo();
    command.args(["run", "--quiet", "-p", "onlinear-cli", "--manifest-path"]).arg(manifest).arg("--");
    let output = command.args(arguments.split(' ')).current_dir(folder).output().context("cannot run cargo")?;
    ensure!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
