//! Every learner's trial costs what its non-zeros cost, however many features there are.

use std::process::Command;

use anyhow::{Context, Result, bail};

use onlinear::data::Random;
use onlinear::space::Rows;
use onlinear::{ALGORITHMS, Example, Label, Learner, Spec};

use super::clock::{cpu_of, least};
use super::table::{Line, Target};
use super::{Bench, release};

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
const NON_ZEROS: usize = 50;
/// Trials that are timed.
const TRIALS: usize = 100_000;
/// Trials before those that are measured: they make the weights grow.
const EARLIER: usize = 2_000;
/// Trials and predictions whose instructions are counted.
const COUNTED_TRIALS: usize = 10_000;
const COUNTED_OUTPUTS: usize = 50;
const TARGET: Target = Target::Below(3.0);

/// Rows of a number of features, and labels by the toss of a coin: every learner then errs equally
/// often whatever the number.
struct Task {
    features: usize,
    rows: Rows,
    labels: Vec<Label>,
}

impl Task {
    fn new(features: usize, count: usize) -> Task {
        let mut random = Random::new(features as u64);
        let mut task = Task { features, rows: Rows::default(), labels: Vec::new() };
        for _ in 0..count {
            let mut indices: Vec<u32> = Vec::new();
            while indices.len() < NON_ZEROS {
                indices.push(random.index(features) as u32);
                indices.sort_unstable();
                indices.dedup();
            }
            indices.into_iter().for_each(|index| task.rows.push(index, random.symmetric()));
            task.rows.end_row();
            task.labels.push(if random.chance(0.5) { Label::Positive } else { Label::Negative });
        }
        task
    }

    fn learner(&self, spec: &Spec) -> Box<dyn Learner> {
        let mut learner = spec.learner();
        learner.expect_features(self.features);
        self.trials(learner.as_mut(), 0..EARLIER);
        learner
    }

    fn trials(&self, learner: &mut dyn Learner, which: std::ops::Range<usize>) -> f64 {
        which.map(|i| learner.round(&Example::new(self.rows.row(i), self.labels[i])).score).sum()
    }

    fn outputs(&self, learner: &dyn Learner, count: usize) -> f64 {
        (0..count).map(|i| learner.output(self.rows.row(i))).sum()
    }
}

/// The cost of a trial and of a prediction with few features and with many, for every learner.
pub fn features(_: &Bench) -> Result<Vec<Line>> {
    let (few, many) = (Task::new(FEW, EARLIER + TRIALS), Task::new(MANY, EARLIER + TRIALS));
    let counter = Command::new("valgrind").arg("--version").output().is_ok();
    let mut lines = Vec::new();
    for algorithm in ALGORITHMS {
        let spec = Spec::of(algorithm);
        let times = least([&mut || time_of_trials(&few, &spec), &mut || time_of_trials(&many, &spec)])?;
        let [at_few, at_many] = times.map(|seconds| seconds / TRIALS as f64 * 1e9);
        let time = format!("{at_few:.0} → {at_many:.0} ns ({:.1}×)", at_many / at_few);
        let name = format!("features {}", algorithm.name);
        if counter {
            let (few, many) = (Counts::of(algorithm.name, FEW)?, Counts::of(algorithm.name, MANY)?);
            lines.push(counted(format!("{name}: trial"), few.trial, many.trial, &format!("; {time}")));
            lines.push(counted(format!("{name}: output"), few.output, many.output, ""));
        } else {
            let measured = format!("{time}, cache misses included: valgrind is not installed");
            lines.push(Line::judged(name, measured, (at_many / at_few, "×"), TARGET));
        }
    }
    Ok(lines)
}

fn counted(name: String, few: f64, many: f64, more: &str) -> Line {
    Line::judged(name, format!("{few:.0} → {many:.0} instructions{more}"), (many / few, "×"), TARGET)
}

fn time_of_trials(task: &Task, spec: &Spec) -> Result<f64> {
    let mut learner = task.learner(spec);
    cpu_of(|| Ok(task.trials(learner.as_mut(), EARLIER..EARLIER + TRIALS)))
}

/// Instructions per trial and per prediction.
struct Counts {
    trial: f64,
    output: f64,
}

impl Counts {
    /// From differences of whole runs, so that what they have in common cancels.
    fn of(learner: &str, features: usize) -> Result<Counts> {
        let neither = instructions(learner, features, 0, 0)?;
        let trials = instructions(learner, features, COUNTED_TRIALS, 0)?;
        let outputs = instructions(learner, features, 0, COUNTED_OUTPUTS)?;
        Ok(Counts { trial: (trials - neither) / COUNTED_TRIALS as f64, output: (outputs - neither) / COUNTED_OUTPUTS as f64 })
    }
}

/// The instructions that [`child`] takes in all.
fn instructions(learner: &str, features: usize, trials: usize, outputs: usize) -> Result<f64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(release("xtask")?);
    command.args(["bench", "--child", "features", learner]).args([features, trials, outputs].map(|n| n.to_string()));
    let output = command.output().context("cannot run valgrind")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected :"));
    count.and_then(|(_, count)| count.trim().parse().ok()).with_context(|| format!("valgrind counted nothing: {text}"))
}

/// So many trials, then so many predictions, of one learner.
pub fn child(arguments: &[&str]) -> Result<()> {
    let [learner, features, trials, outputs] = arguments else { bail!("not LEARNER FEATURES TRIALS OUTPUTS") };
    let (trials, outputs): (usize, usize) = (trials.parse()?, outputs.parse()?);
    let task = Task::new(features.parse()?, EARLIER + COUNTED_TRIALS);
    let mut learner = task.learner(&learner.parse()?);
    let scores = task.trials(learner.as_mut(), EARLIER..EARLIER + trials) + task.outputs(learner.as_ref(), outputs);
    std::hint::black_box(scores);
    Ok(())
}
