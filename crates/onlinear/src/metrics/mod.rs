//! Figures of a finished model on labelled rows, as scikit-learn defines them.
//!
//! This file holds what is counted row by row; `ranking` what is told from the order of scores, `reliability` what
//! became of probabilities, `choice` the figures that learners can be ranked by.

mod choice;
mod ranking;
mod reliability;

use serde_json::{Value as Json, json};

pub use choice::{METRICS, Metric};
use ranking::{area_under_curve, average_precision};
pub use reliability::{ProbabilityBin, Reliability};

use crate::ensemble::Probabilities;
use crate::model::{Model, largest};

/// No more scores than this are kept for ranking: 128 MB.
const MOST_SCORES: usize = 1 << 24;

/// Tested rows, one after another: what they are and what a model made of them.
#[derive(Clone, Debug)]
pub struct Tally {
    confusion: Vec<Vec<u64>>,
    /// The class of each row whose scores are kept.
    classes: Vec<u32>,
    /// One score for each row of two classes, that of the positive one, else one for each class.
    scores: Vec<f64>,
    /// Whether there were too many scores to keep.
    is_full: bool,
    /// What makes probabilities of scores, where the model knows that.
    probabilities: Option<Probabilities>,
    /// Σ −ln p of the rows' own classes, and for how many rows there was a p.
    surprise: (f64, u64),
    reliability: Reliability,
}

impl Tally {
    /// No row so far, of so many classes.
    pub fn new(classes: usize) -> Tally {
        Tally {
            confusion: vec![vec![0; classes]; classes],
            classes: Vec::new(),
            scores: Vec::new(),
            is_full: false,
            probabilities: None,
            surprise: (0.0, 0),
            reliability: Reliability::default(),
        }
    }

    /// No row so far, for this model, whose probabilities count where it has them.
    pub fn of(model: &Model) -> Tally {
        Tally { probabilities: model.learner.probabilities(), ..Tally::new(model.classes.len()) }
    }

    /// A row of `class` that was taken for `predicted`, with its scores: one alone or as many as there are classes.
    pub fn add(&mut self, class: usize, predicted: usize, scores: &[f64]) {
        self.confusion[class][predicted] += 1;
        if let Some(probabilities) = self.probabilities.as_ref().map(|probabilities| probabilities.of(scores)) {
            self.add_probability(probabilities[class]);
            self.reliability.add(&probabilities, predicted, class);
        }
        if self.is_full || self.scores.len() + scores.len() > MOST_SCORES {
            (self.is_full, self.scores, self.classes) = (true, Vec::new(), Vec::new());
            return;
        }
        self.classes.push(class as u32);
        self.scores.extend_from_slice(scores);
    }

    /// The probability that the model gave to the class of a row.
    pub fn add_probability(&mut self, probability: f64) {
        // As in scikit-learn: a certainty that turns out wrong is bad, but not infinitely so.
        self.surprise.0 -= libm::log(probability.clamp(f64::EPSILON, 1.0 - f64::EPSILON));
        self.surprise.1 += 1;
    }

    /// What the rows tell all together.
    pub fn finish(self) -> Metrics {
        let width = self.scores.len() / self.classes.len().max(1);
        let of_class = |class: usize, column: usize| -> Vec<(f64, bool)> {
            let rows = self.scores.chunks_exact(width.max(1)).zip(&self.classes);
            rows.map(|(scores, &is)| (scores[column], is as usize == class)).collect()
        };
        let problems: Vec<(usize, usize)> = match width {
            0 => Vec::new(),
            1 => vec![(1, 0)],
            width => (0..width).map(|class| (class, class)).collect(),
        };
        let (mut areas, mut precisions) = (Vec::new(), Vec::new());
        for (class, column) in problems {
            let mut rows = of_class(class, column);
            rows.sort_by(|a, b| b.0.total_cmp(&a.0));
            areas.push(area_under_curve(&rows));
            precisions.push(average_precision(&rows));
        }
        let (sum, count) = self.surprise;
        Metrics {
            confusion: self.confusion,
            auc: mean(areas),
            average_precision: mean(precisions),
            log_loss: (count > 0).then(|| sum / count as f64),
            reliability: self.probabilities.map(|_| self.reliability),
        }
    }
}

/// The mean of figures, if there are any and all are known.
fn mean(figures: Vec<Option<f64>>) -> Option<f64> {
    let count = figures.len() as f64;
    let sum = figures.into_iter().sum::<Option<f64>>()?;
    (count > 0.0).then_some(sum / count)
}

/// What a finished model does on labelled rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// How often rows of one class (first) were taken for another (second).
    pub confusion: Vec<Vec<u64>>,
    /// The area under the ROC curve, equal scores counting by halves; of more than two classes the mean over each
    /// against the rest. `None` where a class has no rows, or where there were too many to rank.
    pub auc: Option<f64>,
    /// Σ (Rₙ − Rₙ₋₁) Pₙ over the thresholds, from the highest; of more than two classes the mean over them.
    pub average_precision: Option<f64>,
    /// The mean of −ln p of the rows' own classes, where probabilities are known.
    pub log_loss: Option<f64>,
    /// How often what was given a probability came true, where probabilities are known.
    pub reliability: Option<Reliability>,
}

/// How well one class is told from the others. What would be divided by 0 is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassMetrics {
    /// Of the rows taken for this class, the share that are of it.
    pub precision: f64,
    /// Of the rows of this class, the share taken for it.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// The rows of this class.
    pub support: u64,
}

impl Metrics {
    /// How many rows there were.
    pub fn rows(&self) -> u64 {
        self.confusion.iter().flatten().sum()
    }

    /// How many were taken for another class than theirs.
    pub fn wrong(&self) -> u64 {
        self.rows() - (0..self.confusion.len()).map(|class| self.confusion[class][class]).sum::<u64>()
    }

    /// The share of rows taken for another class than theirs.
    pub fn error(&self) -> f64 {
        share(self.wrong(), self.rows())
    }

    /// The share of rows that were right.
    pub fn accuracy(&self) -> f64 {
        share(self.rows() - self.wrong(), self.rows())
    }

    /// The mean recall of the classes that have rows.
    pub fn balanced_accuracy(&self) -> f64 {
        let met: Vec<f64> = self.classes().filter(|class| class.support > 0).map(|class| class.recall).collect();
        met.iter().sum::<f64>() / met.len().max(1) as f64
    }

    /// F1 of the positive class of two, else the mean over the classes.
    pub fn f1(&self) -> f64 {
        match self.confusion.len() {
            2 => self.class(1).f1,
            classes => self.classes().map(|class| class.f1).sum::<f64>() / classes.max(1) as f64,
        }
    }

    /// How well each class is told from the others.
    pub fn classes(&self) -> impl Iterator<Item = ClassMetrics> {
        (0..self.confusion.len()).map(|class| self.class(class))
    }

    fn class(&self, class: usize) -> ClassMetrics {
        let (right, support) = (self.confusion[class][class], self.confusion[class].iter().sum());
        let taken: u64 = self.confusion.iter().map(|of| of[class]).sum();
        let f1 = share(2 * right, support + taken);
        ClassMetrics { precision: share(right, taken), recall: share(right, support), f1, support }
    }

    /// The class that a model should beat: the largest of its training rows, or of these where that is not known.
    pub fn baseline(&self, largest_class: Option<usize>) -> Baseline {
        let support: Vec<u64> = self.classes().map(|class| class.support).collect();
        let class = largest_class.or(largest(&support)).unwrap_or(0);
        Baseline { class, error: share(self.rows() - support[class], self.rows()) }
    }

    /// The figures of always saying one class, with one score and one probability, on the same rows; those are known
    /// that are known here.
    pub fn of_always(&self, class: usize) -> Metrics {
        let support: Vec<u64> = self.classes().map(|class| class.support).collect();
        let of_class = |&count: &u64| (0..support.len()).map(|other| if other == class { count } else { 0 }).collect();
        let shares: Vec<f64> = support.iter().map(|&count| share(count, self.rows())).collect();
        let precision = match &shares[..] {
            [_, positive] => *positive,
            all => all.iter().sum::<f64>() / all.len().max(1) as f64,
        };
        let surprise = || shares.iter().filter(|share| **share > 0.0).map(|share| -share * libm::log(*share)).sum();
        Metrics {
            confusion: support.iter().map(of_class).collect(),
            auc: self.auc.map(|_| 0.5),
            average_precision: self.average_precision.map(|_| precision),
            log_loss: self.log_loss.map(|_| surprise()),
            reliability: None,
        }
    }

    /// All figures by name, the classes under their labels.
    pub fn to_json(&self, labels: &[String]) -> Json {
        let class = |(label, class): (&String, ClassMetrics)| {
            let ClassMetrics { precision, recall, f1, support } = class;
            (label.clone(), json!({"precision": precision, "recall": recall, "f1": f1, "support": support}))
        };
        let mut all = json!({
            "accuracy": self.accuracy(),
            "balanced_accuracy": self.balanced_accuracy(),
            "f1": self.f1(),
            "auc": self.auc,
            "average_precision": self.average_precision,
            "log_loss": self.log_loss,
            "classes": labels.iter().zip(self.classes()).map(class).collect::<Json>(),
            "confusion": self.confusion,
        });
        if let Some(reliability) = &self.reliability {
            all["calibration_error"] = json!(reliability.error());
        }
        all
    }
}

/// What always saying one class would be worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The class that is always said.
    pub class: usize,
    /// The share of rows that are of another.
    pub error: f64,
}

impl Baseline {
    /// That of so many rows of each class, which say themselves which is the largest; `None` where there are none.
    pub fn of(rows: &[u64]) -> Option<Baseline> {
        let (class, all) = (largest(rows)?, rows.iter().sum::<u64>());
        Some(Baseline { class, error: share(all - rows[class], all) })
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (class, score), taken for the positive class from 0 on.
    fn two(rows: &[(usize, f64)]) -> Metrics {
        let mut tally = Tally::new(2);
        rows.iter().for_each(|&(class, score)| tally.add(class, usize::from(score >= 0.0), &[score]));
        tally.finish()
    }

    #[test]
    fn always_saying_one_class_has_the_figures_of_a_model_that_does() {
        let rows = [(1, 3.0), (0, 2.0), (0, -1.0), (0, -2.0), (1, -3.0)];
        let always = two(&rows).of_always(0);
        let mut tally = Tally::new(2);
        rows.iter().for_each(|&(class, _)| tally.add(class, 0, &[-0.3]));
        assert_eq!(always, tally.finish());
        assert_eq!((always.auc, always.average_precision, always.f1()), (Some(0.5), Some(0.4), 0.0));
        let mut three = Tally::new(3);
        [0, 1, 1, 2].iter().for_each(|&class| three.add(class, 1, &[0.0, 0.1, 0.0]));
        let three = three.finish();
        assert_eq!(three.of_always(1), three);
        let mut sure = Tally::new(2);
        rows.iter().for_each(|&(class, score)| sure.add(class, 0, &[score]));
        sure.add_probability(0.9);
        let least = -(0.6 * 0.6f64.ln() + 0.4 * 0.4f64.ln());
        assert!(sure.finish().of_always(0).log_loss.is_some_and(|loss| (loss - least).abs() < 1e-12));
    }

    #[test]
    fn two_classes_by_hand() {
        let metrics = two(&[(1, 3.0), (0, 2.0), (1, 1.0), (0, -1.0), (0, -2.0), (1, -3.0)]);
        assert_eq!(metrics.confusion, [[2, 1], [1, 2]]);
        assert_eq!((metrics.rows(), metrics.wrong()), (6, 2));
        assert_eq!(metrics.accuracy(), 2.0 / 3.0);
        assert_eq!(metrics.balanced_accuracy(), 2.0 / 3.0);
        // Of the nine pairs of a positive and a negative row, 3 + 2 + 0 are in order.
        assert_eq!(metrics.auc, Some(5.0 / 9.0));
        // Recall grows by 1/3 at precision 1, 2/3 and 3/6.
        assert!((metrics.average_precision.unwrap() - (1.0 + 2.0 / 3.0 + 0.5) / 3.0).abs() < 1e-15);
        assert_eq!(metrics.log_loss, None);
    }

    #[test]
    fn unequal_classes_by_hand() {
        let metrics = two(&[(1, 1.0), (0, 1.0), (0, -1.0), (0, -1.0), (0, -1.0)]);
        let [negative, positive] = [0, 1].map(|class| metrics.class(class));
        let expected = ClassMetrics { precision: 0.5, recall: 1.0, f1: 2.0 / 3.0, support: 1 };
        assert_eq!(positive, expected);
        assert_eq!((negative.precision, negative.recall, negative.support), (1.0, 0.75, 4));
        assert_eq!(metrics.balanced_accuracy(), 0.875);
        assert_eq!(metrics.f1(), 2.0 / 3.0);
        // One of the four pairs is a tie.
        assert_eq!(metrics.auc, Some(0.875));
        assert_eq!(metrics.baseline(None), Baseline { class: 0, error: 0.2 });
        assert_eq!(metrics.baseline(Some(1)).error, 0.8);
    }

    #[test]
    fn three_classes_are_means_over_each_against_the_rest() {
        let mut tally = Tally::new(3);
        tally.add(0, 0, &[2.0, 1.0, 0.0]);
        tally.add(1, 0, &[3.0, 2.0, 0.0]);
        tally.add(2, 2, &[1.0, 0.0, 5.0]);
        let metrics = tally.finish();
        assert_eq!(metrics.auc, Some((0.5 + 1.0 + 1.0) / 3.0));
        assert_eq!(metrics.average_precision, Some((0.5 + 1.0 + 1.0) / 3.0));
        assert_eq!(metrics.balanced_accuracy(), 2.0 / 3.0);
        // The second class has neither precision nor recall.
        assert_eq!(metrics.f1(), (2.0 / 3.0 + 0.0 + 1.0) / 3.0);
    }

    #[test]
    fn a_class_without_rows_has_no_curve() {
        let metrics = two(&[(1, 1.0), (1, -1.0)]);
        assert_eq!((metrics.auc, metrics.average_precision), (None, None));
        assert_eq!(metrics.balanced_accuracy(), 0.5);
        assert_eq!(Tally::new(2).finish().accuracy(), 0.0);
    }

    #[test]
    fn log_loss_is_finite() {
        let mut tally = Tally::new(2);
        [0.5, 0.25, 1.0].iter().for_each(|&p| tally.add_probability(p));
        let expected = 3.0 * 2.0f64.ln() / 3.0;
        assert!((tally.clone().finish().log_loss.unwrap() - expected).abs() < 1e-15);
        tally.add_probability(0.0);
        assert!(tally.finish().log_loss.unwrap().is_finite());
    }
}
