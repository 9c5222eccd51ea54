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

    /// What it is called on an axis and above a table.
    pub fn in_words(self) -> &'static str {
        match self {
            Measure::MistakeRate => "online mistakes",
            Measure::Mistakes => "mistakes",
            Measure::Updates => "updates",
            Measure::Support => "support vectors",
            Measure::MatrixUpdates => "matrix updates",
            Measure::Evaluations => "error computations",
            Measure::Rounds => "rounds",
            Measure::TrainError => "training error",
            Measure::TestError => "test error",
            Measure::TestMistakes => "test mistakes",
            Measure::Certificate => "certificate",
            Measure::LooError => "leave-one-out error",
            Measure::Bound => "bound",
        }
    }

    /// Whether it is in percent.
    pub fn is_percent(self) -> bool {
        self.is_rate() || self == Measure::LooError
    }

    /// Whether it is a share of the rows that moves with the draw of an artificial set.
    pub fn is_rate(self) -> bool {
        matches!(self, Measure::MistakeRate | Measure::TrainError | Measure::TestError)
    }
}
