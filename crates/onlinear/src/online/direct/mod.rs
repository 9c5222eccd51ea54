//! All classes told apart at once, by a vector for each: `multiclass=direct`.
//!
//! Crammer and Singer, "Ultraconservative online algorithms for multiclass problems" (2003).
//!
//! f_c(x) = w_c·x; with y the right class and s the wrong one of the largest score, m = f_y(x) − f_s(x) is the margin
//! and m ≤ 0 a mistake. A rule moves w_y towards the row and wrong classes away from it; one file each.

mod arow;
mod passive_aggressive;
mod perceptron;

pub(super) use arow::DirectArow;
pub(super) use passive_aggressive::DirectPassiveAggressive;
pub(super) use perceptron::DirectPerceptron;

use crate::error::Result;
use crate::hypothesis::{ClassVectors, Output};
use crate::learner::{ClassExample, ClassScores, Direct, Leaves, Step};
use crate::space::{Finite, Kernel, Row, Rows, SupportSet};
use crate::spec::{Declaration, choice};
use crate::state::State;

choice! {
    /// How more than two classes are told apart.
    pub(super) enum Multiclass { Rest = "rest", Direct = "direct" }
}

/// The parameter `multiclass`.
pub(super) const MULTICLASS: Declaration<Multiclass> = Multiclass::parameter(
    "multiclass",
    Multiclass::Rest,
    "a learner for each class against the rest, or one that moves the vectors of all classes together",
);

impl Multiclass {
    /// Refuses an output that there is none of.
    pub(super) fn check(self, output: Output) -> std::result::Result<(), String> {
        match (self, output) {
            (Multiclass::Direct, Output::Longest) => {
                Err("output=longest does not go with multiclass=direct; expected output=last or averaged".to_string())
            }
            _ => Ok(()),
        }
    }

    /// A learner by this rule for so many classes, if it is asked for.
    pub(super) fn learner<R: DirectRule + 'static>(
        self,
        classes: usize,
        kernel: Kernel,
        output: Output,
        rule: impl FnOnce() -> R,
    ) -> Option<Box<dyn Direct>> {
        let learner = || DirectLearner { rule: rule(), vectors: ClassVectors::new(kernel, output, classes) };
        (self == Multiclass::Direct).then(|| Box::new(learner()) as Box<dyn Direct>)
    }
}

/// How the vectors of all classes move.
pub(super) trait DirectRule: Send + Sync {
    /// Ends the trial of an example of which these were the scores.
    fn learn(&mut self, example: &ClassExample<'_>, trial: &ClassScores, vectors: &mut ClassVectors) -> Finite<Step>;

    /// What it keeps of each class beside its vector takes so much memory over so many features, in bytes.
    fn memory(&self, _features: usize) -> u64 {
        0
    }

    /// Visits what it keeps of a class, whose vector has this length. While merging, it gives the weights that go with
    /// it, if they are not the mixed ones.
    fn state(&mut self, _class: usize, _length: usize, _state: &mut State) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }
}

/// Learns by a rule.
struct DirectLearner<R> {
    rule: R,
    vectors: ClassVectors,
}

impl<R: DirectRule> Direct for DirectLearner<R> {
    fn classes(&self) -> usize {
        self.vectors.classes()
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>, scores: &mut Vec<f64>) {
        self.vectors.begin(x, lane, scores);
    }

    fn learn(&mut self, example: &ClassExample<'_>, scores: &ClassScores) -> Finite<Step> {
        self.rule.learn(example, scores, &mut self.vectors)
    }

    fn ahead(&mut self) -> Option<&mut SupportSet> {
        self.vectors.support_mut()
    }

    fn leaves(&self, class: usize) -> Leaves<'_> {
        self.vectors.leaves(class)
    }

    fn scores(&self, rows: &Rows) -> Vec<f64> {
        self.vectors.scores(rows)
    }

    fn support_len(&self) -> Option<usize> {
        self.vectors.support_len()
    }

    fn memory(&self, features: usize) -> u64 {
        let classes = self.classes() as u64;
        self.vectors.memory(features).saturating_add(classes.saturating_mul(self.rule.memory(features)))
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let DirectLearner { rule, vectors } = self;
        vectors.state(state, |class, length, state| rule.state(class, length, state))
    }
}

/// Moves the vectors by these steps along the row.
fn end(vectors: &mut ClassVectors, steps: &[(usize, f64)], example: &ClassExample<'_>) -> Finite<Step> {
    vectors.end(steps, example)?;
    Ok(if steps.is_empty() { Step::Stay } else { Step::Update })
}
