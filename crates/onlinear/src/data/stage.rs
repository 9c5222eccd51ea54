//! What happens to a row between the reader and the learner: scaled, normalised, given a bias.
//!
//! The stages always run in that order. They are decided once, saved in the model, and applied to
//! every row that it meets later.

use crate::error::Result;
use crate::space::Row;
use crate::state::State;

/// How features are brought to one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleKind {
    /// Each feature's range becomes −1 … 1.
    MinMax,
    /// Each feature gets mean 0 and standard deviation 1.
    Standard,
}

impl ScaleKind {
    /// Every kind with its name.
    pub const ALL: [(ScaleKind, &str); 2] = [(ScaleKind::MinMax, "minmax"), (ScaleKind::Standard, "standard")];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ScaleKind::MinMax => "minmax",
            ScaleKind::Standard => "standard",
        }
    }
}

/// x ↦ (x − center) · factor, feature by feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    pub(crate) kind: ScaleKind,
    pub(crate) center: Vec<f64>,
    pub(crate) factor: Vec<f64>,
}

impl Scale {
    /// Which kind it is.
    pub fn kind(&self) -> ScaleKind {
        self.kind
    }

    /// What is subtracted from each feature.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// What each feature is then multiplied with.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// Visits the fields.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        state.f64s("center", &mut self.center)?;
        state.f64s("factor", &mut self.factor)?;
        state.require(self.center.len() == self.factor.len(), "center and factor differ in length")
    }
}

/// The stages of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages {
    /// Scaling, from the training rows.
    pub scale: Option<Scale>,
    /// Rows are divided by their p-norm.
    pub normalize: Option<f64>,
    /// A constant feature of this value is put in front of the others.
    pub bias: Option<f64>,
}

/// Where a staged row is put together.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Stages {
    /// How many components rows of `features` features have afterwards.
    pub fn features_after(&self, features: usize) -> usize {
        features + usize::from(self.bias.is_some())
    }

    /// The row that the learner sees.
    pub fn apply<'a>(&self, x: Row<'a>, scratch: &'a mut Scratch) -> Row<'a> {
        if self.scale.is_none() && self.normalize.is_none() && self.bias.is_none() {
            return x;
        }
        scratch.indices.clear();
        scratch.values.clear();
        let shift = u32::from(self.bias.is_some());
        if let Some(bias) = self.bias {
            scratch.indices.push(0);
            scratch.values.push(bias);
        }
        match &self.scale {
            Some(scale) => scale.push(x, shift, scratch),
            None => {
                match x {
                    Row::Dense(values) => scratch.indices.extend(shift..shift + values.len() as u32),
                    Row::Sparse { indices, .. } => scratch.indices.extend(indices.iter().map(|i| i + shift)),
                }
                scratch.values.extend_from_slice(x.values());
            }
        }
        if let Some(p) = self.normalize {
            let body = &mut scratch.values[shift as usize..];
            let norm = Row::Dense(body).norm(p);
            if norm > 0.0 {
                body.iter_mut().for_each(|v| *v /= norm);
            }
        }
        Row::new(&scratch.indices, &scratch.values)
    }
}

impl Scale {
    /// Appends the scaled components; features that have no scale are left out.
    fn push(&self, x: Row<'_>, shift: u32, scratch: &mut Scratch) {
        let first = scratch.values.len();
        scratch.values.extend(self.center.iter().zip(&self.factor).map(|(c, f)| -c * f));
        let body = &mut scratch.values[first..];
        x.for_each(|i, v| {
            if let Some(slot) = body.get_mut(i) {
                *slot = (v - self.center[i]) * self.factor[i];
            }
        });
        scratch.indices.extend((0..self.center.len() as u32).map(|i| i + shift));
    }
}

/// What is learned about the columns by reading all rows once.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    rows: u64,
    columns: Vec<Column>,
}

/// The non-zero entries of one feature.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    count: u64,
    low: f64,
    high: f64,
    mean: f64,
    /// Σ (x − mean)².
    spread: f64,
}

impl Survey {
    /// Memory for so many features, in bytes: the columns, a copy of them, and what comes of it.
    pub(crate) fn bytes(features: usize) -> u64 {
        (2 * size_of::<Column>() + 16) as u64 * features as u64
    }

    /// Takes one more row into account.
    pub fn add(&mut self, x: Row<'_>) {
        self.rows += 1;
        if x.dimension() > self.columns.len() {
            self.columns.resize(x.dimension(), Column::default());
        }
        x.for_each(|i, v| {
            let column = &mut self.columns[i];
            let first = column.count == 0;
            column.count += 1;
            column.low = if first { v } else { column.low.min(v) };
            column.high = if first { v } else { column.high.max(v) };
            let off = v - column.mean;
            column.mean += off / column.count as f64;
            column.spread += off * (v - column.mean);
        });
    }

    /// The scaling that these rows ask for. A constant feature becomes 0.
    pub fn scale(&self, kind: ScaleKind, features: usize) -> Scale {
        let mut columns = self.columns.clone();
        columns.resize(features, Column::default());
        let (center, factor) = columns.iter().map(|column| self.center_and_factor(column, kind)).unzip();
        Scale { kind, center, factor }
    }

    fn center_and_factor(&self, column: &Column, kind: ScaleKind) -> (f64, f64) {
        let zeros = self.rows - column.count;
        let (center, factor) = match kind {
            ScaleKind::MinMax => {
                let (low, high) =
                    if zeros > 0 { (column.low.min(0.0), column.high.max(0.0)) } else { (column.low, column.high) };
                if (high - low).is_finite() && (low + high).is_finite() {
                    ((low + high) / 2.0, 2.0 / (high - low))
                } else {
                    (low / 2.0 + high / 2.0, 1.0 / (high / 2.0 - low / 2.0))
                }
            }
            ScaleKind::Standard => {
                let (n, k) = (self.rows as f64, column.count as f64);
                let mean = column.mean * k / n;
                // The zeros shift the mean and add their own spread around it.
                let spread = column.spread + column.mean * column.mean * k * zeros as f64 / n;
                (mean, 1.0 / (spread / n).sqrt())
            }
        };
        if factor.is_finite() { (center, factor) } else { (center, 0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(stages: &Stages, x: &[f64]) -> Vec<f64> {
        let mut scratch = Scratch::default();
        stages.apply(Row::Dense(x), &mut scratch).values().to_vec()
    }

    fn survey() -> Survey {
        let mut survey = Survey::default();
        survey.add(Row::Sparse { indices: &[1, 2], values: &[4.0, 7.0] });
        survey.add(Row::Dense(&[-2.0, 2.0, 7.0]));
        survey.add(Row::Sparse { indices: &[2], values: &[7.0] });
        survey
    }

    #[test]
    fn minmax_maps_ranges_to_the_unit_interval_and_constants_to_zero() {
        let scale = Some(survey().scale(ScaleKind::MinMax, 3));
        let stages = Stages { scale, ..Stages::default() };
        assert_eq!(dense(&stages, &[-2.0, 4.0, 7.0]), [-1.0, 1.0, 0.0]);
        assert_eq!(dense(&stages, &[0.0, 0.0, 9.0]), [1.0, -1.0, 0.0]);
        assert_eq!(dense(&stages, &[2.0, 6.0]), [3.0, 2.0, 0.0]); // beyond the training range: not clipped
    }

    #[test]
    fn standard_gives_mean_zero_and_deviation_one() {
        let scale = Some(survey().scale(ScaleKind::Standard, 3));
        let stages = Stages { scale, ..Stages::default() };
        let rows = [[0.0, 4.0, 7.0], [-2.0, 2.0, 7.0], [0.0, 0.0, 7.0]].map(|x| dense(&stages, &x));
        for column in 0..2 {
            let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            assert!(values.iter().sum::<f64>().abs() < 1e-12);
            assert!((values.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-12);
        }
        assert!(rows.iter().all(|row| row[2] == 0.0));
    }

    #[test]
    fn rows_are_normalised_before_the_bias_is_put_in_front() {
        let stages = Stages { scale: None, normalize: Some(2.0), bias: Some(0.5) };
        assert_eq!(dense(&stages, &[3.0, 4.0]), [0.5, 0.6, 0.8]);
        assert_eq!(dense(&stages, &[]), [0.5]);
        let mut scratch = Scratch::default();
        let row = stages.apply(Row::Sparse { indices: &[4], values: &[2.0] }, &mut scratch);
        assert!(matches!(row, Row::Sparse { indices: [0, 5], values: [0.5, 1.0] }));
    }
}
