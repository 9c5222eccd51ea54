//! The five papers' experiments, part of the program.

use onlinear::Error;
use onlinear::workshop::did_you_mean;

use crate::distinct::distinct;
use crate::experiment::{Experiment, ExperimentFile, ExperimentKind};
use crate::printed::{PrintedCell, printed};

/// A paper's folder and name, its experiments and the figures it prints.
struct Paper {
    folder: &'static str,
    name: &'static str,
    experiments: &'static str,
    expected: &'static str,
}

/// The two files of a folder.
macro_rules! paper {
    ($folder:literal, $name:literal) => {
        Paper {
            folder: $folder,
            name: $name,
            experiments: include_str!(concat!("../experiments/", $folder, "/experiment.toml")),
            expected: include_str!(concat!("../experiments/", $folder, "/expected.csv")),
        }
    };
}

/// The papers, in the order of the list.
const PAPERS: [Paper; 5] = [
    paper!("projectron", "Orabona, Keshet and Caputo, The Projectron: a bounded kernel-based Perceptron (2008)"),
    paper!("higher-order", "Brotto, Gentile and Vitale, On higher-order Perceptron algorithms (2007)"),
    paper!("second-order", "Cesa-Bianchi, Conconi and Gentile, A second-order Perceptron algorithm (2005)"),
    paper!("rcd", "Li, Perceptron learning with random coordinate descent"),
    paper!("winnow-lecture", "Mohri, Introduction to Machine Learning, lecture 6, Perceptron and Winnow"),
];

/// A paper's experiment with the figures it prints.
pub struct Study {
    /// The folder of its files, in `experiments`.
    pub(crate) folder: &'static str,
    pub(crate) paper: &'static str,
    /// With the data and learners of the experiment whose runs it shares.
    pub(crate) experiment: Experiment,
    pub(crate) printed: Vec<PrintedCell>,
}

impl Study {
    /// Experiments with the same root share their runs.
    pub(crate) fn root(&self) -> &str {
        self.experiment.runs_of.as_ref().unwrap_or(&self.experiment.name)
    }

    /// The files it needs, by the names of their sets.
    pub(crate) fn sets(&self) -> Vec<&str> {
        distinct(self.experiment.data.iter().filter_map(|data| data.set.as_deref()))
    }
}

/// All experiments, in the order of the files.
pub fn all() -> anyhow::Result<Vec<Study>> {
    let mut all = Vec::new();
    for paper in &PAPERS {
        let file: ExperimentFile = toml::from_str(paper.experiments)?;
        let figures = printed(paper.expected)?;
        for one in &file.experiment {
            let experiment = with_shared_runs(one, &file.experiment)?;
            check(&experiment)?;
            let printed_in = one.printed_in.as_ref().unwrap_or(&one.name);
            let own = figures.iter().filter(|figure| figure.experiment == *printed_in).cloned().collect();
            all.push(Study { folder: paper.folder, paper: paper.name, experiment, printed: own });
        }
    }
    Ok(all)
}

/// What can be named: `all`, papers, experiments.
pub fn names(studies: &[Study]) -> Vec<String> {
    let papers = studies.iter().map(|one| one.folder);
    let experiments = studies.iter().map(|one| one.experiment.name.as_str());
    distinct(["all"].into_iter().chain(papers).chain(experiments)).into_iter().map(String::from).collect()
}

/// The experiments that were named; a paper names all of its, `all` every one.
pub fn named(named: &[String]) -> anyhow::Result<Vec<Study>> {
    let studies = all()?;
    let known = names(&studies);
    if let Some(wrong) = named.iter().find(|name| !known.contains(name)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let nearest = did_you_mean(wrong, &known);
        return Err(Error::usage(format!("there is no experiment '{wrong}'{nearest}")).into());
    }
    let wanted =
        |one: &Study| named.iter().any(|name| ["all", one.folder, &one.experiment.name].contains(&name.as_str()));
    Ok(studies.into_iter().filter(wanted).collect())
}

/// The experiment with data and learners of the one whose runs it shares in front of its own.
fn with_shared_runs(one: &Experiment, others: &[Experiment]) -> anyhow::Result<Experiment> {
    let mut experiment = one.clone();
    let Some(name) = &one.runs_of else { return Ok(experiment) };
    let Some(shared) = others.iter().find(|other| other.name == *name) else {
        anyhow::bail!("{}: there is no experiment '{name}'", one.name);
    };
    let wanted = |column: &String| one.columns.as_ref().is_none_or(|columns| columns.contains(column));
    experiment.data = shared.data.iter().filter(|data| wanted(&data.column)).chain(&one.data).cloned().collect();
    experiment.learner = shared.learner.iter().chain(&one.learner).cloned().collect();
    Ok(experiment)
}

/// Refuses what no run could make sense of.
fn check(experiment: &Experiment) -> anyhow::Result<()> {
    let name = &experiment.name;
    anyhow::ensure!(experiment.repeats > 0 && experiment.full > 0, "{name}: repeats must be above 0");
    anyhow::ensure!(experiment.points.is_sorted(), "{name}: points must rise");
    anyhow::ensure!((experiment.kind == ExperimentKind::Curve) == experiment.x.is_some(), "{name}: x is for curves");
    anyhow::ensure!(experiment.x.is_some() != experiment.points.is_empty(), "{name}: points are for curves");
    for data in &experiment.data {
        let column = &data.column;
        let has_one = data.set.is_some() != data.generate.is_some();
        anyhow::ensure!(has_one, "{name}, {column}: expected either set or generate");
        anyhow::ensure!(data.generate.is_some() == data.rows.is_some(), "{name}, {column}: rows is for generated sets");
        let pools_alone = data.pools.is_none_or(|pools| pools > 0 && data.generate.is_some() && !data.fresh);
        anyhow::ensure!(pools_alone, "{name}, {column}: pools is for generated sets that are not fresh");
        anyhow::ensure!(data.scatter.is_none_or(|[a, b]| a != b), "{name}, {column}: scatter needs two features");
    }
    let known =
        |column: &String| experiment.data.iter().any(|data| data.column == *column) || experiment.columns.is_some();
    for learner in &experiment.learner {
        let mut columns = learner.columns.iter().flatten().chain(learner.specs.keys());
        anyhow::ensure!(columns.all(known), "{name}, {}: unknown column", learner.row);
    }
    Ok(())
}

/// How many figures the papers print.
#[cfg(test)]
pub fn printed_cells() -> usize {
    PAPERS.iter().map(|paper| paper.expected.lines().count() - 1).sum()
}
