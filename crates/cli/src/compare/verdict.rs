//! What a comparison comes to: the learner to take, in a sentence, and the command that learns with it.

use onlinear::workshop::{Baseline, Summary};

use super::comparison::{Comparison, LearnerSummary};
use super::table::SIGNIFICANT;
use crate::measures::{always_by, mean_figure, no_better, shown};
use crate::typed::LearnCommand;

/// More learners than this are not named one by one.
const NAMED: usize = 3;
/// With fewer repeats than this no difference is beyond chance.
pub const FEWEST_REPEATS: usize = 6;

/// What a comparison comes to.
pub struct Verdict {
    /// The learner with all its settings.
    pub spec: String,
    pub sentence: String,
    /// What can be pasted to learn with it.
    pub command: LearnCommand,
}

impl Comparison<'_> {
    /// The learner that is best by the chosen figure, and what to make of that.
    pub fn verdict(&self) -> Option<Verdict> {
        let best = &self.rows[self.best()?];
        let (metric, classes) = (self.plan.arguments.metric, self.plan.held.classes());
        let figure = match metric.name {
            "error" => shown(metric, best.figure),
            name => format!("{name} {} (error {:.2} %)", shown(metric, best.figure), 100.0 * best.test_error.mean),
        };
        let baseline = self.baseline()?;
        let of_always = best.runs.iter().map(|run| run.metrics.of_always(run.baseline.class));
        let worth = mean_figure(metric, of_always);
        let warning = no_better(metric, Some(best.figure.mean), worth);
        let always = always_by(metric, worth, baseline, classes) + warning;
        let parts = [Some(format!("{}, {figure}", best.typed)), self.others(), Some(always)];
        let sentence = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        Some(Verdict { spec: best.spec.clone(), sentence, command: self.command(best) })
    }

    /// What always saying the largest class would be worth, on average over the repeats.
    pub fn baseline(&self) -> Option<Baseline> {
        let runs = &self.rows.first()?.runs;
        let error = Summary::of(&runs.iter().map(|run| run.baseline.error).collect::<Vec<_>>())?.mean;
        Some(Baseline { class: runs[0].baseline.class, error })
    }

    /// Whether another learner may be as good.
    fn others(&self) -> Option<String> {
        if self.rows.len() < 2 {
            return None;
        }
        if self.repeats() < FEWEST_REPEATS {
            return Some("there are too few repeats to tell it from the others".to_string());
        }
        let as_good: Vec<&str> = self
            .rows
            .iter()
            .filter(|row| row.p_value.is_some_and(|p| p >= SIGNIFICANT[0]))
            .map(|row| row.typed)
            .collect();
        let also = match as_good.len() {
            0 => "all others are worse beyond it".to_string(),
            few @ ..=NAMED => format!("{} may be as good", listed(&as_good[..few])),
            many => format!("{many} of the others may be as good"),
        };
        Some(format!("no other is better beyond chance, {also}"))
    }

    /// The command that learns as this learner did in the first repeat.
    fn command(&self, best: &LearnerSummary<'_>) -> LearnCommand {
        let arguments = self.plan.arguments;
        let (seed, mut more) = (arguments.seed.to_string(), best.chosen.to_vec());
        if !best.is_batch {
            more.extend([("passes", best.passes.to_string()), ("shuffle", seed.clone())]);
        }
        match &arguments.test {
            Some(test) => more.push(("test", test.clone())),
            None => more.extend([("holdout", arguments.holdout.to_string()), ("seed", seed)]),
        }
        LearnCommand::new(best.typed, &arguments.data, &more)
    }
}

/// Names in a sentence.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
