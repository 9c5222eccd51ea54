//! The pictures of the docs: figures of `onlinear compare`, run on artificial sets.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::command::cargo;

/// What a picture shows.
struct Picture {
    /// The artificial set and how many rows of it.
    set: &'static str,
    rows: u32,
    learners: &'static [&'static str],
    options: &'static [&'static str],
    /// Which figure of the comparison it is.
    figure: &'static str,
}

/// Online errors where few of many experts matter.
pub fn sparse_experts() -> Result<String> {
    draw(&Picture {
        set: "sparse-experts:features=500,relevant=3",
        rows: 5000,
        learners: &["perceptron", "romma", "passive-aggressive", "winnow:rate=0.2", "alma:p=12"],
        options: &["--repeats", "5"],
        figure: "online-error.svg",
    })
}

/// The boundary between yin and yang.
pub fn yinyang() -> Result<String> {
    draw(&Picture {
        set: "yinyang",
        rows: 450,
        learners: &["perceptron:kernel=gaussian,sigma2=0.02"],
        options: &["--repeats", "2", "--passes", "3"],
        figure: "boundary-1.svg",
    })
}

fn draw(picture: &Picture) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("rows.svm");
    let rows = program(folder.path(), &["generate", picture.set, "--rows", &picture.rows.to_string(), "--seed", "1"])?;
    fs::write(&data, rows)?;
    let learners = picture.learners.iter().flat_map(|learner| ["-l", *learner]);
    let arguments = ["compare", "rows.svm", "--svg", "figures", "--quiet"];
    let arguments: Vec<&str> = arguments.into_iter().chain(learners).chain(picture.options.iter().copied()).collect();
    program(folder.path(), &arguments)?;
    let path = folder.path().join("figures").join(picture.figure);
    fs::read_to_string(&path).with_context(|| format!("{arguments:?} drew no {}", picture.figure))
}

/// What the program prints, run in `folder`.
fn program(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let manifest = std::env::current_dir()?.join("Cargo.toml");
    let mut command = cargo();
    command.args(["run", "--quiet", "-p", "onlinear-cli", "--manifest-path"]).arg(manifest).arg("--");
    let output = command.args(arguments).current_dir(folder).output().context("cannot run cargo")?;
    ensure!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
