//! Every learner's trial costs what its non-zeros cost, however many features there are.

use std::process::Command;

use anyhow::{Result, bail};

use onlinear::workshop::Random;
use onlinear::{ALGORITHMS, Example, Expected, Label, Learner, Rows, Spec};

use super::clock::{cpu_of, instructions, least};
use super::table::{Line, Target};
use super::{Bench, release};

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
const NON_ZEROS: usize = 50;
/// Trials that are timed.
const TRIALS: usize = 100_000;
/// Turns that times are the least of.
const TURNS: usize = 5;
/// Trials before those that are measured: they make the weights grow.
const EARLIER: usize = 2_000;
/// Trials and predictions whose instructions are counted.
const COUNTED_TRIALS: usize = 10_000;
const COUNTED_OUTPUTS: usize = 50;
const TARGET: Target = Target::Below(3.0);

/// Rows of a number of features, and labels by the toss of a coin: every learner then errs equally
/// often whatever the number.
struct FeatureTask {
    features: usize,
    rows: Rows,
    labels: Vec<Label>,
}

impl FeatureTask {
    fn new(features: usize, count: usize) -> FeatureTask {
        let mut random = Random::new(features as u64);
        let mut task = FeatureTask { features, rows: Rows::default(), labels: Vec::new() };
        for _ in 0..count {
            let mut indices: Vec<u32> = Vec::new();
            while indices.len() < NON_ZEROS {
                let missing = NON_ZEROS - indices.len();
                indices.extend((0..missing).map(|_| random.index(features) as u32));
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
        let mut learner = spec.online().expect("only learners by trials are judged");
        let expected = Expected { features: Some(self.features), ..Expected::default() };
        learner.prepare(&expected).expect("these learners need no more than their features");
        self.trials(learner.as_mut(), 0..EARLIER);
        learner
    }

    fn trials(&self, learner: &mut dyn Learner, which: std::ops::Range<usize>) -> f64 {
        which.map(|i| learner.round(&Example::new(self.rows.row(i), self.labels[i])).score).sum()
    }

    fn outputs(&self, learner: &dyn Learner, count: usize) -> f64 {
        let leaves = learner.leaves();
        (0..count).map(|i| leaves.score(self.rows.row(i))).sum()
    }
}

/// Whether a learner keeps no more than a few numbers per feature, so that its trials can be
/// independent of their number: not a matrix, nor rows in place of weights.
fn is_independent(spec: &Spec) -> bool {
    let Ok(learner) = spec.online() else { return false };
    learner.leaves().form() == "primal" && learner.facts().form.is_none() && learner.memory(MANY) <= 64 * MANY as u64
}

/// The cost of a trial and of a prediction with few features and with many.
pub fn features(_: &Bench) -> Result<Vec<Line>> {
    let tasks = [FEW, MANY].map(|features| FeatureTask::new(features, EARLIER + TRIALS));
    let mut lines = Vec::new();
    for algorithm in ALGORITHMS {
        let name = format!("features {}", algorithm.name);
        let spec = Spec::of(algorithm);
        if is_independent(&spec) {
            lines.extend(judged(&name, &spec, &tasks)?);
        } else {
            lines.push(Line::note(name, format!("not judged: {}", algorithm.cost)));
        }
    }
    Ok(lines)
}

fn judged(name: &str, spec: &Spec, [few, many]: &[FeatureTask; 2]) -> Result<Vec<Line>> {
    let times = least(TURNS, [&mut || time_of_trials(few, spec), &mut || time_of_trials(many, spec)])?;
    let [at_few, at_many] = times.map(|seconds| seconds / TRIALS as f64 * 1e9);
    let time = format!("{at_few:.0} → {at_many:.0} ns ({:.1}×)", at_many / at_few);
    let line = |what: &str, few: f64, many: f64, more: &str| {
        let measured = format!("{few:.0} → {many:.0} instructions{more}");
        Line::judged(format!("{name}: {what}"), measured, (many / few, "×"), TARGET)
    };
    let (Some(few), Some(many)) = (Counts::of(spec, FEW)?, Counts::of(spec, MANY)?) else {
        let measured = format!("{time}, cache misses included: valgrind is not installed");
        return Ok(vec![Line::judged(name, measured, (at_many / at_few, "×"), TARGET)]);
    };
    Ok(vec![line("trial", few.trial, many.trial, &format!("; {time}")), line("output", few.output, many.output, "")])
}

fn time_of_trials(task: &FeatureTask, spec: &Spec) -> Result<f64> {
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
    fn of(spec: &Spec, features: usize) -> Result<Option<Counts>> {
        let count = |trials: usize, outputs: usize| {
            let mut command = Command::new(release("xtask")?);
            command.args(["bench", "--child", "features", &spec.to_string()]);
            instructions(command.args([features, trials, outputs].map(|n| n.to_string())))
        };
        let (Some(neither), Some(trials), Some(outputs)) =
            (count(0, 0)?, count(COUNTED_TRIALS, 0)?, count(0, COUNTED_OUTPUTS)?)
        else {
            return Ok(None);
        };
        let (trial, output) =
            ((trials - neither) / COUNTED_TRIALS as f64, (outputs - neither) / COUNTED_OUTPUTS as f64);
        Ok(Some(Counts { trial, output }))
    }
}

/// So many trials, then so many predictions, of one learner.
pub fn child(arguments: &[&str]) -> Result<()> {
    let [learner, features, trials, outputs] = arguments else { bail!("not LEARNER FEATURES TRIALS OUTPUTS") };
    let (trials, outputs): (usize, usize) = (trials.parse()?, outputs.parse()?);
    let task = FeatureTask::new(features.parse()?, EARLIER + COUNTED_TRIALS);
    let mut learner = task.learner(&learner.parse()?);
    let scores = task.trials(learner.as_mut(), EARLIER..EARLIER + trials) + task.outputs(learner.as_ref(), outputs);
    std::hint::black_box(scores);
    Ok(())
}
