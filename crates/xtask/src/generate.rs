//! Files that are made from the code and committed.

use std::collections::HashMap;
use std::fs;

use anyhow::{Result, bail};

use onlinear::{ALGORITHMS, Algorithm, Spec};

use crate::docs::anchor;
use crate::{pictures, python, reproduction};

type File = (&'static str, fn() -> Result<String>);

const FILES: &[File] = &[
    ("docs/algorithms.md", algorithms),
    ("python/onlinear/_estimators.py", python::estimators),
    ("python/onlinear/spark/_estimators.py", python::spark_estimators),
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
    let anchors = anchors();
    let made = "<!-- Made by `cargo xtask generate` from the declarations beside the code; do not edit. -->";
    let anchor = |algorithm: &Algorithm| anchors.iter().find(|(_, one)| one.name == algorithm.name);
    let list = learners(|algorithm| format!("#{}", anchor(algorithm).map_or("", |(anchor, _)| anchor)));
    let sections: String = ALGORITHMS.iter().map(|algorithm| format!("\n## {}", learner(algorithm))).collect();
    Ok(format!("{made}\n\n{list}{sections}"))
}

/// The learners by the anchors of their headings on the page of all.
pub fn anchors() -> Vec<(String, &'static Algorithm)> {
    let mut counts = HashMap::new();
    ALGORITHMS.iter().map(|algorithm| (anchor(algorithm.name, &mut counts), *algorithm)).collect()
}

/// The list of all learners, each with a link to where more of it is.
pub fn learners(mut link: impl FnMut(&'static Algorithm) -> String) -> String {
    let mut page =
        String::from("# The learners\n\n| name | what it does | sample weights | cost |\n| --- | --- | --- | --- |\n");
    for algorithm in ALGORITHMS {
        let weights = if (algorithm.takes_weights)(&Spec::of(algorithm)) { "yes" } else { "no" };
        let Algorithm { name, summary, cost, .. } = algorithm;
        let link = link(algorithm);
        page += &format!("| [`{name}`]({link}) | {} | {weights} | {} |\n", cell(summary), cell(cost));
    }
    page
}

/// All about a learner: its name as a heading, whose mark is the caller's, and what follows.
pub fn learner(algorithm: &'static Algorithm) -> String {
    let Algorithm { name, title, summary, rule, paper, cost, bound, differs, parameters, .. } = algorithm;
    let also = match algorithm.aliases {
        [] => String::new(),
        aliases => format!(" Also called {}.", aliases.join(", ")),
    };
    let mut section = format!(
        "{name}\n\n**{title}.** {summary}{also}\n\n    {rule}\n\n- Paper: {paper}\n- Cost: {cost}\n\
         - Bound: {bound}\n\
         - Differs from the paper: {differs}\n- Default: `{}`\n",
        Spec::of(algorithm)
    );
    if !parameters.is_empty() {
        section += "\n| parameter | values | default | what it does |\n| --- | --- | --- | --- |\n";
    }
    for parameter in *parameters {
        let names: Vec<String> =
            std::iter::once(&parameter.name).chain(parameter.aliases).map(|n| format!("`{n}`")).collect();
        let also = parameter.synonyms.iter().map(|(word, meant)| format!(" (`{word}` is `{meant}`)"));
        let values = parameter.kind.to_string() + &also.collect::<String>();
        let [values, help] = [values.as_str(), parameter.help].map(cell);
        section +=
            &format!("| {} | {values} | `{}` | {help} |\n", names.join(", "), cell(&parameter.default.to_string()));
    }
    section
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
