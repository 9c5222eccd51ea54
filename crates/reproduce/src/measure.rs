//! What is measured.

use serde::{Deserialize, Serialize};

/// What is measured in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
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
    RowCosine,
    DeflatedNorm,
    Margin,
    DeflatedMargin,
}

impl Measure {
    /// All of them in the order of their definition, each with its name in files and in words.
    const NAMES: [(Measure, &str, &str); 17] = [
        (Measure::MistakeRate, "mistake_rate", "online mistakes"),
        (Measure::Mistakes, "mistakes", "mistakes"),
        (Measure::Updates, "updates", "updates"),
        (Measure::Support, "support", "support vectors"),
        (Measure::MatrixUpdates, "matrix_updates", "matrix updates"),
        (Measure::Evaluations, "evaluations", "error computations"),
        (Measure::Rounds, "rounds", "rounds"),
        (Measure::TrainError, "train_error", "training error"),
        (Measure::TestError, "test_error", "test error"),
        (Measure::TestMistakes, "test_mistakes", "test mistakes"),
        (Measure::Certificate, "certificate", "certificate"),
        (Measure::LooError, "loo_error", "leave-one-out error"),
        (Measure::Bound, "bound", "bound"),
        (Measure::RowCosine, "row_cosine", "mean cosine of two rows"),
        (Measure::DeflatedNorm, "deflated_norm", "norm of Bx"),
        (Measure::Margin, "margin", "margin of u on x"),
        (Measure::DeflatedMargin, "deflated_margin", "margin of u on Bx"),
    ];

    /// What it is called in files.
    pub fn name(self) -> &'static str {
        Measure::NAMES[self as usize].1
    }

    /// The measure of that name.
    pub fn named(name: &str) -> Option<Measure> {
        Measure::NAMES.iter().find(|(_, other, _)| *other == name).map(|(measure, ..)| *measure)
    }

    /// What it is called on an axis and above a table.
    pub fn in_words(self) -> &'static str {
        Measure::NAMES[self as usize].2
    }

    /// Whether it is about the matrices of the Higher-order Perceptron and the rows it is mistaken on.
    pub fn is_of_deflation(self) -> bool {
        self as usize >= Measure::RowCosine as usize
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
