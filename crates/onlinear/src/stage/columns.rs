//! Stages that know each feature by what the training rows have of it, and map it by x ↦ (x − center) · factor.

use super::{Arithmetic, Stage};
use crate::error::Result;
use crate::space::{Row, Scratch};
use crate::state::State;

/// Where less than this share of all entries is non-zero, rows are sparse.
pub(super) const DENSE: f64 = 0.25;

/// How features are mapped.
pub(super) struct Scaling {
    /// The stage that does it.
    pub(super) name: &'static str,
    /// The center and the factor of a feature, from so many rows; a factor that is not finite becomes 0, so that a
    /// constant feature does.
    pub(super) center_and_factor: fn(&FeatureSummary, u64) -> (f64, f64),
    /// What becomes of zeros.
    pub(super) zeros: Zeros,
}

/// What becomes of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// They move with everything else, so that rows become dense.
    Moved,
    /// Every center is 0: they stay, and sparse rows stay sparse.
    Kept,
    /// They stay wherever the center is 0.
    KeptWithoutCenter,
}

/// x ↦ (x − center) · factor, feature by feature.
#[derive(Clone)]
pub(super) struct Scale {
    scaling: &'static Scaling,
    /// That of sparse rows, where it is another.
    sparse: Option<&'static Scaling>,
    center: Vec<f64>,
    factor: Vec<f64>,
    /// The features whose center is not 0, where only those move zeros.
    centered: Vec<u32>,
    /// What has been read so far.
    columns: FeatureSummaries,
}

/// The columns of all rows read.
#[derive(Clone, Default)]
pub(super) struct FeatureSummaries {
    rows: u64,
    all: Vec<FeatureSummary>,
}

/// The non-zero entries of one feature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureSummary {
    pub(super) count: u64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) mean: f64,
    /// Σ (x − mean)².
    pub(super) spread: f64,
}

impl FeatureSummary {
    fn add(&mut self, v: f64) {
        let first = self.count == 0;
        self.count += 1;
        self.low = if first { v } else { self.low.min(v) };
        self.high = if first { v } else { self.high.max(v) };
        let off = v - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (v - self.mean);
    }
}

impl Scale {
    /// No features yet.
    pub(super) fn new(scaling: &'static Scaling) -> Scale {
        let (center, factor, centered) = (Vec::new(), Vec::new(), Vec::new());
        Scale { scaling, sparse: None, center, factor, centered, columns: FeatureSummaries::default() }
    }

    /// With another scaling where rows are sparse.
    pub(super) fn or_sparse(self, scaling: &'static Scaling) -> Scale {
        Scale { sparse: Some(scaling), ..self }
    }
}

impl Scale {
    fn find_centered(&mut self) {
        if self.scaling.zeros == Zeros::KeptWithoutCenter {
            let centered = self.center.iter().enumerate().filter(|(_, center)| **center != 0.0);
            self.centered = centered.map(|(i, _)| i as u32).collect();
        }
    }

    /// Features that were never read are taken as they are: a value of a category that is new is still 1.
    fn apply_to_each(&self, x: Row<'_>, out: &mut Scratch) {
        if let Row::Dense(values) = x
            && values.len() == self.factor.len()
        {
            let scaled = |((v, center), factor): ((&f64, &f64), &f64)| (v - center) * factor;
            return out.values.extend(values.iter().zip(&self.center).zip(&self.factor).map(scaled));
        }
        let scaled = |i: usize, v: f64| match self.factor.get(i) {
            Some(factor) => (v - self.center[i]) * factor,
            None => v,
        };
        let mut put = |i: usize, v: f64| {
            out.indices.push(i as u32);
            out.values.push(scaled(i, v));
        };
        let mut centered = self.centered.iter().map(|&i| i as usize).peekable();
        x.for_each(|i, v| {
            while let Some(zero) = centered.next_if(|&other| other <= i) {
                if zero < i {
                    put(zero, 0.0);
                }
            }
            put(i, v);
        });
        centered.for_each(|zero| put(zero, 0.0));
    }
}

impl Stage for Scale {
    fn survey(&mut self, x: Row<'_>) {
        let FeatureSummaries { rows, all } = &mut self.columns;
        *rows += 1;
        if x.dimension() > all.len() {
            all.resize(x.dimension(), FeatureSummary::default());
        }
        x.for_each(|i, v| all[i].add(v));
    }

    fn end_survey(&mut self, features: usize) {
        let FeatureSummaries { rows, mut all } = std::mem::take(&mut self.columns);
        all.resize(features, FeatureSummary::default());
        let entries: u64 = all.iter().map(|column| column.count).sum();
        if let Some(sparse) = self.sparse.filter(|_| (entries as f64) < DENSE * rows as f64 * features as f64) {
            self.scaling = sparse;
        }
        let finite = |(center, factor): (f64, f64)| (center, if factor.is_finite() { factor } else { 0.0 });
        (self.center, self.factor) =
            all.iter().map(|column| finite((self.scaling.center_and_factor)(column, rows))).unzip();
        self.find_centered();
    }

    fn settled(&self) -> Option<&'static str> {
        self.sparse.map(|_| self.scaling.name)
    }

    fn memory(&self, features: usize) -> u64 {
        // The columns, and what comes of them.
        (2 * size_of::<FeatureSummary>() + 16) as u64 * features as u64
    }

    /// Features that have no scale are left out, but where each is scaled by what it is.
    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        match self.scaling.zeros {
            Zeros::Moved => {}
            Zeros::Kept => {
                x.for_each(|i, v| {
                    if let Some(factor) = self.factor.get(i) {
                        out.indices.push(i as u32);
                        out.values.push(v * factor);
                    }
                });
                return;
            }
            Zeros::KeptWithoutCenter => return self.apply_to_each(x, out),
        }
        out.values.extend(self.center.iter().zip(&self.factor).map(|(c, f)| -c * f));
        x.for_each(|i, v| {
            if let Some(slot) = out.values.get_mut(i) {
                *slot = (v - self.center[i]) * self.factor[i];
            }
        });
        out.indices.extend(0..self.center.len() as u32);
    }

    /// Features that have no scale count for nothing, but where each is scaled by what it is.
    fn arithmetic(&self, features: usize) -> Option<Arithmetic<'_>> {
        let unknown = if self.scaling.zeros == Zeros::KeptWithoutCenter { 1.0 } else { 0.0 };
        let (mut center, mut factor) = (self.center.clone(), self.factor.clone());
        center.resize(features, 0.0);
        factor.resize(features, unknown);
        Some(Arithmetic::Scale { center, factor })
    }

    fn pull_back(&self, weights: &mut Vec<f64>) -> Option<f64> {
        let mut constant = 0.0;
        for ((w, center), factor) in weights.iter_mut().zip(&self.center).zip(&self.factor) {
            *w *= factor;
            constant -= *w * center;
        }
        Some(constant)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let keeps_all = self.scaling.zeros == Zeros::Kept;
        if !keeps_all {
            state.f64s("center", &mut self.center)?;
        }
        state.f64s("factor", &mut self.factor)?;
        if keeps_all {
            self.center = vec![0.0; self.factor.len()];
        }
        self.find_centered();
        state.require(self.center.len() == self.factor.len(), "center and factor differ in length")?;
        state.require(self.center.len() <= state.most_features(), "more features are scaled than there are")
    }
}
