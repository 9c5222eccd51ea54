//! What is measured.

use serde::Deserialize;

/// What is measured in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    MistakeRate,
    Mistakes,
    Updates,
    Support,
    MatrixUpdates,
    Evaluations,
    Rounds,
    TrainError,
    TestError,
    TestMistakes,
    Certificate,
    LooError,
    Bound,
}

impl Measure {
    /// All of them, in the order of their definition.
    const NAMES: [(Measure, &str); 13] = [
        (Measure::MistakeRate, "mistake_rate"),
        (Measure::Mistakes, "mistakes"),
        (Measure::Updates, "updates"),
        (Measure::Support, "support"),
        (Measure::MatrixUpdates, "matrix_updates"),
        (Measure::Evaluations, "evaluations"),
        (Measure::Rounds, "rounds"),
        (Measure::TrainError, "train_error"),
        (Measure::TestError, "test_error"),
        (Measure::TestMistakes, "test_mistakes"),
        (Measure::Certificate, "certificate"),
        (Measure::LooError, "loo_error"),
        (Measure::Bound, "bound"),
    ];

    /// What it is called in files.
    pub fn name(self) -> &'static str {
        Measure::NAMES[self as usize].1
    }

    /// The measure of that name.
    pub fn named(name: &str) -> Option<Measure> {
        Measure::NAMES.iter().find(|(_, other)| *other == name).map(|(measure, _)| *measure)
    }

    /// Whether it is in percent, and so moves with the draw of an artificial set.
    pub fn is_rate(self) -> bool {
        matches!(self, Measure::MistakeRate | Measure::TrainError | Measure::TestError)
    }
}
