//! The rows that a batch learner learns from.

use std::sync::{Arc, OnceLock};

use super::{Label, Round, Step};
use crate::error::{Error, FileNames, Message, Result};
use crate::random::{Random, Wheel};
use crate::space::{Panels, Row, Rows};

/// All training rows with their labels and sample weights.
///
/// Component 0 of every row is x₀, the same number in all of them; features follow. Rows of weight 0
/// are left out.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The data's name for messages.
    name: FileNames,
    /// The line of each row in the data, where they have lines.
    lines: Option<Arc<[u64]>>,
    rows: Arc<Rows>,
    /// m + 1.
    dimension: usize,
    y: Arc<[f64]>,
    weights: SampleWeights,
    /// Where trials are drawn by weight rather than weighed.
    wheel: Option<Arc<Wheel>>,
    /// Half of each component's range, where features were not brought to −1 … 1.
    half_ranges: Option<Arc<[f64]>>,
    /// The rows laid out for products with many directions, made when first asked for.
    panels: Arc<OnceLock<Panels>>,
}

/// φ in the two forms that learners use.
#[derive(Clone, Debug)]
struct SampleWeights {
    /// N φᵢ / Σφ; exactly 1 where all are equal.
    relative: Arc<[f64]>,
    /// Whole numbers proportional to φ, so that sums of them do not depend on their order: 1 where
    /// all are equal, else φ in units of about Σφ / 2⁶¹.
    units: Arc<[i64]>,
    total: i64,
    are_equal: bool,
}

/// What a hypothesis gets wrong, y·f(x) ≤ 0, on its training rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Training {
    /// How many rows.
    pub rows: u64,
    /// Their weight, in units of which the sample has [`Sample::total`].
    pub units: i64,
}

impl SampleWeights {
    /// `None` unless all are finite and none negative, and some are positive.
    fn new(weights: &[f64]) -> Option<SampleWeights> {
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite() && weights.iter().all(|&weight| weight >= 0.0)) {
            return None;
        }
        if weights.iter().all(|&weight| weight == weights[0]) {
            let n = weights.len();
            return Some(SampleWeights {
                relative: vec![1.0; n].into(),
                units: vec![1; n].into(),
                total: n as i64,
                are_equal: true,
            });
        }
        let mean = total / weights.len() as f64;
        // A power of two, so that whole weights stay in proportion exactly.
        let per_unit = 2f64.powi(60 - libm::ilogb(total).clamp(-900, 900));
        let units: Arc<[i64]> = weights.iter().map(|weight| (weight * per_unit).round() as i64).collect();
        let relative = weights.iter().map(|weight| weight / mean).collect();
        Some(SampleWeights { relative, total: units.iter().sum(), units, are_equal: false })
    }
}

impl Sample {
    /// The rows with their labels and weights; `is_scaled` says that features were brought to
    /// −1 … 1. Refuses what nothing can be learned from.
    pub fn new(name: &str, rows: Rows, labels: &[Label], weights: &[f64], is_scaled: bool) -> Result<Sample> {
        let refuse = |message: &str| Err(Error::data(name, message));
        let left_out = weights.contains(&0.0);
        let kept: Vec<usize> = (0..rows.len()).filter(|&i| weights[i] != 0.0).collect();
        let rows = if left_out { pick(&rows, &kept) } else { rows };
        let y: Arc<[f64]> = kept.iter().map(|&i| labels[i].sign()).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
        if y.is_empty() {
            return refuse(if left_out {
                "every row has weight 0; there is nothing to learn from"
            } else {
                "has no rows"
            });
        }
        let Some(weights) = SampleWeights::new(&weights) else {
            return refuse("the sample weights do not add up to a finite number > 0");
        };
        if rows.values().iter().any(|value| !value.is_finite()) {
            return refuse("a value became too large a number; scale the rows");
        }
        let dimension = rows.dimension().max(1);
        let half_ranges = (!is_scaled).then(|| half_ranges(&rows, dimension));
        let (name, rows, panels) = (name.into(), rows.into(), Arc::default());
        Ok(Sample { name, lines: None, rows, dimension, y, weights, wheel: None, half_ranges, panels })
    }

    /// These rows, which messages call by their lines in these files.
    pub fn at_lines(self, files: &FileNames, lines: impl Iterator<Item = u64>) -> Sample {
        Sample { name: files.clone(), lines: Some(lines.collect()), ..self }
    }

    /// These rows with other weights.
    pub fn reweighted(&self, weights: &[f64]) -> Result<Sample> {
        let Some(weights) = SampleWeights::new(weights) else {
            return Err(self.refusal("the sample weights do not add up to a finite number > 0"));
        };
        Ok(Sample { weights, ..self.clone() })
    }

    /// These rows with other weights, by which each trial's row is drawn: it then counts as one of weight 1.
    pub fn drawn_by(&self, weights: &[f64]) -> Result<Sample> {
        let wheel = Wheel::new(weights).map(Arc::new);
        Ok(Sample { wheel, ..self.reweighted(weights)? })
    }

    /// These rows with other labels, one for each row.
    pub fn relabelled(&self, labels: impl ExactSizeIterator<Item = Label>) -> Result<Sample> {
        if labels.len() != self.len() {
            return Err(self.refusal(format!("there are {} labels for {} rows", labels.len(), self.len())));
        }
        Ok(Sample { y: labels.map(Label::sign).collect(), ..self.clone() })
    }

    /// The rows in these places, which may repeat, each of weight 1.
    pub fn resampled(&self, places: &[usize]) -> Result<Sample> {
        let Some(weights) = SampleWeights::new(&vec![1.0; places.len()]) else {
            return Err(self.refusal("no rows were drawn"));
        };
        Ok(Sample {
            rows: pick(&self.rows, places).into(),
            lines: self.lines.as_ref().map(|lines| places.iter().map(|&i| lines[i]).collect()),
            y: places.iter().map(|&i| self.y[i]).collect(),
            weights,
            wheel: None,
            panels: Arc::default(),
            ..self.clone()
        })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there is no row; never.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// The row of a trial: any of them, or one drawn by its weight.
    pub fn draw(&self, random: &mut Random) -> usize {
        match &self.wheel {
            Some(wheel) => wheel.draw(random),
            None => random.index(self.len()),
        }
    }

    /// How much a trial on row `i` counts: its weight, unless that is in how often it is drawn.
    pub fn step(&self, i: usize) -> f64 {
        if self.wheel.is_some() { 1.0 } else { self.weights.relative[i] }
    }

    /// How many components rows have, x₀ among them.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        self.rows.row(i)
    }

    /// All rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The rows laid out for products with many directions.
    pub fn panels(&self) -> &Panels {
        self.panels.get_or_init(|| Panels::new(&self.rows, self.dimension))
    }

    /// The labels as −1 and +1.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// N φᵢ / Σφ of each row.
    pub fn weights(&self) -> &[f64] {
        &self.weights.relative
    }

    /// Whether all rows weigh the same.
    pub fn has_equal_weights(&self) -> bool {
        self.weights.are_equal
    }

    /// Each row's weight in whole units.
    pub fn units(&self) -> &[i64] {
        &self.weights.units
    }

    /// The weight of all rows in units.
    pub fn total(&self) -> i64 {
        self.weights.total
    }

    /// How far component `j` of a random direction may go.
    pub fn half_range(&self, j: usize) -> f64 {
        self.half_ranges.as_ref().map_or(1.0, |ranges| ranges[j])
    }

    /// Whether rows of both classes have weight.
    pub fn has_both_classes(&self) -> bool {
        let has = |sign: f64| self.y.iter().zip(self.units()).any(|(&y, &units)| y == sign && units > 0);
        has(1.0) && has(-1.0)
    }

    /// ⟨w,xᵢ⟩, a finite number.
    #[inline]
    pub fn score(&self, i: usize, w: &[f64]) -> Result<f64> {
        let score = self.row(i).dot(w);
        if score.is_finite() { Ok(score) } else { Err(self.too_large(i, score)) }
    }

    /// What `w` gets wrong.
    pub fn errors(&self, w: &[f64]) -> Result<Training> {
        self.errors_of((0..self.len()).map(|i| self.row(i).dot(w)))
    }

    /// What scores, row after row, get wrong. A score that is not finite is neither right nor wrong, and refused.
    pub fn errors_of(&self, scores: impl Iterator<Item = f64>) -> Result<Training> {
        let mut training = Training::default();
        for (i, ((score, &y), &units)) in scores.zip(&*self.y).zip(self.units()).enumerate() {
            if !score.is_finite() {
                return Err(self.too_large(i, score));
            }
            let is_wrong = y * score <= 0.0;
            training.rows += u64::from(is_wrong);
            training.units += i64::from(is_wrong) * units;
        }
        Ok(training)
    }

    /// That row `i` has this score, which is not finite.
    #[cold]
    pub(crate) fn too_large(&self, i: usize, score: f64) -> Error {
        self.refused_row(i, Round { score, step: Step::Overflow, asked: None }.too_large())
    }

    /// The error that row `i` cannot be learned from, for `reason`.
    pub(crate) fn refused_row(&self, i: usize, reason: String) -> Error {
        match &self.lines {
            Some(lines) => Error::row(self.name.place(lines[i]), reason),
            None => self.refusal(format!("row {}: {reason}", i + 1)),
        }
    }

    /// The error that these data cannot be learned from, for `reason`.
    pub fn refusal(&self, reason: impl Into<Message>) -> Error {
        Error::data(&self.name, reason)
    }
}

fn pick(rows: &Rows, places: &[usize]) -> Rows {
    let mut picked = Rows::default();
    places.iter().for_each(|&i| picked.push_row(rows.row(i)));
    picked
}

/// (high − low)/2 of each component, 1 for one that is the same in all rows.
fn half_ranges(rows: &Rows, dimension: usize) -> Arc<[f64]> {
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY, 0); dimension];
    for i in 0..rows.len() {
        rows.row(i).for_each(|j, v| {
            let (low, high, count) = &mut ranges[j];
            (*low, *high, *count) = (low.min(v), high.max(v), *count + 1);
        });
    }
    let half_range = |&(low, high, count): &(f64, f64, usize)| {
        let (low, high) = if count < rows.len() { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        let half = high / 2.0 - low / 2.0;
        if half > 0.0 { half } else { 1.0 }
    };
    ranges.iter().map(half_range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(weights: &[f64]) -> Result<Sample> {
        let mut rows = Rows::default();
        for i in 0..weights.len() {
            rows.push_row(Row::Dense(&[1.0, i as f64, 5.0]));
        }
        let label = |i| if i % 2 == 0 { Label::Positive } else { Label::Negative };
        Sample::new("some.svm", rows, &(0..weights.len()).map(label).collect::<Vec<_>>(), weights, false)
    }

    #[test]
    fn whole_weights_stay_in_proportion() {
        let some = sample(&[1.0, 3.0, 2.0]).unwrap();
        assert_eq!(some.units()[1], 3 * some.units()[0]);
        assert_eq!(some.units()[2], 2 * some.units()[0]);
        assert_eq!(some.weights(), [0.5, 1.5, 1.0]);
        assert!(some.total() > 1 << 59);
        for equal in [0.1, 1.0, 7.0, 1e300] {
            let some = sample(&[equal; 4]).unwrap();
            assert_eq!((some.units(), some.weights()), (&[1; 4][..], &[1.0; 4][..]));
        }
    }

    #[test]
    fn rows_without_weight_are_left_out() {
        let some = sample(&[0.0, 2.0, 1.0, 0.0]).unwrap();
        assert_eq!((some.len(), some.y()), (2, &[-1.0, 1.0][..]));
        assert_eq!(some.row(0).values(), [1.0, 1.0, 5.0]);
        let message = sample(&[0.0, 0.0]).unwrap_err().to_string();
        assert_eq!(message, "some.svm: every row has weight 0; there is nothing to learn from");
        assert!(sample(&[]).is_err() && sample(&[f64::NAN]).is_err() && sample(&[-1.0, 2.0]).is_err());
    }

    #[test]
    fn errors_count_rows_and_their_weight() {
        let some = sample(&[1.0, 2.0, 4.0]).unwrap();
        let unit = some.units()[0];
        assert_eq!(some.errors(&[0.0, 0.0, 0.0]).unwrap(), Training { rows: 3, units: 7 * unit });
        assert_eq!(some.errors(&[1.0, 0.0, 0.0]).unwrap(), Training { rows: 1, units: 2 * unit });
        assert_eq!(some.errors(&[-0.5, 1.0, 0.0]).unwrap(), Training { rows: 2, units: 3 * unit });
        for odd in [f64::NAN, f64::INFINITY] {
            let error = some.errors_of([1.0, odd, 1.0].into_iter()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("some.svm: row 2: the score is {odd}")), "{error}");
            let error = some
                .clone()
                .at_lines(&"some.svm".into(), 7..10)
                .errors_of([1.0, odd].into_iter())
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(&format!("some.svm:8:1: the score is {odd}")), "{error}");
        }
    }

    #[test]
    fn directions_reach_as_far_as_the_features() {
        let some = sample(&[1.0; 5]).unwrap();
        assert_eq!([0, 1, 2].map(|j| some.half_range(j)), [1.0, 2.0, 1.0]);
    }
}
