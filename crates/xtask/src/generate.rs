//! Files that are made from the code and committed.

use std::fmt::Write;
use std::fs;

use anyhow::{Result, bail};

use onlinear::{ALGORITHMS, Algorithm, Spec};

use crate::{pictures, python, reproduction};

type File = (&'static str, fn() -> Result<String>);

const FILES: &[File] = &[
    ("docs/algorithms.md", algorithms),
    ("python/onlinear/_estimators.py", python::estimators),
    ("python/onlinear/datasets.py", python::datasets),
    ("docs/sparse-experts.svg", pictures::sparse_experts),
    ("docs/yinyang.svg", pictures::yinyang),
    ("docs/reproduction.md", reproduction::page),
];

/// Writes those named there, or all of them.
pub fn write(paths: &[&str]) -> Result<()> {
    if let Some(unknown) = paths.iter().find(|path| !FILES.iter().any(|(known, _)| known == *path)) {
        bail!("{unknown} is not a generated file");
    }
    for (path, make) in FILES.iter().filter(|(path, _)| paths.is_empty() || paths.contains(path)) {
        fs::write(path, make()?)?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Fails if one is out of date.
pub fn check() -> Result<()> {
    for (path, make) in FILES {
        if fs::read_to_string(path).unwrap_or_default() != make()? {
            bail!("{path} is out of date: run `cargo xtask generate`");
        }
    }
    Ok(())
}

/// The page of all learners.
fn algorithms() -> Result<String> {
    let mut page = String::from(
        "<!-- Made by `cargo xtask generate` from the declarations beside the code; do not edit. -->\n\n\
         # The learners\n\n\
         | name | what it does | sample weights | cost |\n| --- | --- | --- | --- |\n",
    );
    for algorithm in ALGORITHMS {
        let weights = if (algorithm.takes_weights)(&Spec::of(algorithm)) { "yes" } else { "no" };
        let Algorithm { name, summary, cost, .. } = algorithm;
        line(&mut page, &format!("| [`{name}`](#{name}) | {} | {weights} | {cost} |", cell(summary)));
    }
    for algorithm in ALGORITHMS {
        section(&mut page, algorithm);
    }
    Ok(page)
}

fn section(page: &mut String, algorithm: &'static Algorithm) {
    let Algorithm { name, title, summary, rule, paper, cost, bound, differs, parameters, .. } = algorithm;
    line(page, &format!("\n## {name}\n\n**{title}.** {summary}\n"));
    line(page, &format!("    {rule}\n"));
    line(page, &format!("- Paper: {paper}\n- Cost: {cost}\n- Bound: {bound}\n- Differs from the paper: {differs}"));
    line(page, &format!("- Default: `{}`", Spec::of(algorithm)));
    if !parameters.is_empty() {
        line(page, "\n| parameter | values | default | what it does |\n| --- | --- | --- | --- |");
    }
    for parameter in *parameters {
        let names: Vec<String> =
            std::iter::once(&parameter.name).chain(parameter.aliases).map(|n| format!("`{n}`")).collect();
        let values = cell(&parameter.kind.to_string());
        line(
            page,
            &format!("| {} | {values} | `{}` | {} |", names.join(", "), parameter.default, cell(parameter.help)),
        );
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(page: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "{text}");
}
