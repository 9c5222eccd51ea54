//! The figures that learners can be ranked by, declared once: their names are those of the program and of Python.

use super::Metrics;

/// A figure by its name.
#[derive(Debug)]
pub struct Metric {
    /// What users call it; in JSON its hyphens are underscores.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its value, where it is known.
    pub of: fn(&Metrics) -> Option<f64>,
    /// Whether less of it is better.
    pub less_is_better: bool,
    /// Whether it is a share of rows, which people read in percent.
    pub is_share: bool,
    /// Whether only a model with probabilities has it.
    pub needs_probabilities: bool,
}

/// All figures; the first is meant unless another is named.
pub static METRICS: &[Metric] = &[
    Metric {
        name: "error",
        summary: "share of rows taken for a wrong class",
        of: |metrics| Some(metrics.error()),
        less_is_better: true,
        is_share: true,
        needs_probabilities: false,
    },
    Metric {
        name: "accuracy",
        summary: "share of rows taken for their class",
        of: |metrics| Some(metrics.accuracy()),
        less_is_better: false,
        is_share: true,
        needs_probabilities: false,
    },
    Metric {
        name: "balanced-accuracy",
        summary: "mean over the classes of the share taken for their own",
        of: |metrics| Some(metrics.balanced_accuracy()),
        less_is_better: false,
        is_share: true,
        needs_probabilities: false,
    },
    Metric {
        name: "f1",
        summary: "F1 of the positive class, of more than two classes their mean",
        of: |metrics| Some(metrics.f1()),
        less_is_better: false,
        is_share: false,
        needs_probabilities: false,
    },
    Metric {
        name: "auc",
        summary: "area under the ROC curve",
        of: |metrics| metrics.auc,
        less_is_better: false,
        is_share: false,
        needs_probabilities: false,
    },
    Metric {
        name: "average-precision",
        summary: "area under the precision-recall curve",
        of: |metrics| metrics.average_precision,
        less_is_better: false,
        is_share: false,
        needs_probabilities: false,
    },
    Metric {
        name: "log-loss",
        summary: "mean surprise of the probabilities, where a model gives them",
        of: |metrics| metrics.log_loss,
        less_is_better: true,
        is_share: false,
        needs_probabilities: true,
    },
];

impl Metric {
    /// The figure that is meant unless another is named.
    pub fn usual() -> &'static Metric {
        &METRICS[0]
    }

    /// The figure of this name, if there is one.
    pub fn named(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// Whether one value of it is better than another.
    pub fn is_better(&self, one: f64, another: f64) -> bool {
        if self.less_is_better { one < another } else { one > another }
    }
}
