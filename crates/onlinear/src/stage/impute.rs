//! Fills in what is missing: a component that is no number becomes what is usual for its feature.

use super::{Arithmetic, Slot, Stage, StageKind};
use crate::error::{Message, Result};
use crate::space::{Row, Scratch, for_all_vectors};
use crate::spec::{Parameters, choice, parameters};
use crate::state::State;

choice! {
    /// What is filled in.
    enum Usual {
        /// The mean.
        Mean = "mean",
        /// The median.
        Median = "median",
    }
}

parameters! {
    struct Imputation {
        with: Usual = Usual::parameter("with", Usual::Mean, "what is filled in, of the training rows"),
    }
}

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "impute",
    summary: "Fills missing values in with the mean or the median of the training rows.",
    parameters: Imputation::TABLE,
    slot: Slot::Fill,
    reads_all: true,
    unit_ranges: false,
    new: |settings| {
        let Imputation { with } = Imputation::read(settings);
        let (seen, means, fill) = (Vec::new(), FeatureMeans::default(), Vec::new());
        Ok(Box::new(Impute { with, rows: 0, seen, means, fill }))
    },
};

/// The declaration of the stage for rows that come but once.
pub(super) static RUNNING: StageKind = StageKind {
    name: "impute-running",
    summary: "Fills missing values in with the mean of the rows met before.",
    parameters: &[],
    slot: Slot::Fill,
    reads_all: false,
    unit_ranges: false,
    new: |_| Ok(Box::new(RunningImpute::default())),
};

/// What was seen of a feature.
#[derive(Clone, Debug, Default)]
struct FeatureTally {
    missing: u64,
    /// Components that are 1, which those of categories and words are …
    ones: u64,
    /// … and their mean with all others that are not 0, of which there are so many.
    mean: f64,
    count: u64,
    /// Those that are neither 0 nor 1, for the median.
    others: Vec<f64>,
}

impl FeatureTally {
    fn add(&mut self, value: f64) {
        if value.is_nan() {
            self.missing += 1;
            return;
        }
        self.count += 1;
        self.mean += (value - self.mean) / self.count as f64;
    }

    /// The mean over all rows in which it is not missing.
    fn mean(&self, rows: u64) -> f64 {
        let rows = rows - self.missing;
        if rows == 0 { 0.0 } else { self.mean * (self.count as f64 / rows as f64) }
    }

    /// The median over all rows in which it is not missing.
    fn median(&mut self, rows: u64) -> f64 {
        let rows = rows - self.missing;
        self.others.sort_unstable_by(f64::total_cmp);
        let below = |most: f64| self.others.partition_point(|value| *value < most) as u64;
        let (below_zero, below_one, zeros) = (below(0.0), below(1.0), rows - self.count);
        // In order: those below 0, the zeros, those below 1, the ones, the others.
        let place = |at: u64| match at {
            _ if at < below_zero => self.others[at as usize],
            _ if at < below_zero + zeros => 0.0,
            _ if at < below_one + zeros => self.others[(at - zeros) as usize],
            _ if at < below_one + zeros + self.ones => 1.0,
            _ => self.others[(at - zeros - self.ones) as usize],
        };
        match rows {
            0 => 0.0,
            rows if rows % 2 == 1 => place(rows / 2),
            rows => place(rows / 2 - 1) / 2.0 + place(rows / 2) / 2.0,
        }
    }
}

/// The means of all features, each quantity in memory of its own, so that several features are met at once.
#[derive(Clone, Debug, Default)]
struct FeatureMeans {
    missing: Vec<u64>,
    count: Vec<f64>,
    mean: Vec<f64>,
}

impl FeatureMeans {
    fn add(&mut self, x: Row<'_>) {
        if x.dimension() > self.mean.len() {
            self.missing.resize(x.dimension(), 0);
            self.count.resize(x.dimension(), 0.0);
            self.mean.resize(x.dimension(), 0.0);
        }
        let FeatureMeans { missing, count, mean } = self;
        match x {
            Row::Dense(values) => meet_all(values, mean, count, missing),
            Row::Sparse { indices, values } => {
                for (&i, &value) in indices.iter().zip(values) {
                    let i = i as usize;
                    meet(value, &mut mean[i], &mut count[i], &mut missing[i]);
                }
            }
        }
    }

    /// The means over all of so many rows in which a feature is not missing.
    fn over(self, rows: u64) -> Vec<f64> {
        let mean = |((missing, count), mean): ((u64, f64), f64)| match rows - missing {
            0 => 0.0,
            rows => mean * (count / rows as f64),
        };
        self.missing.into_iter().zip(self.count).zip(self.mean).map(mean).collect()
    }
}

/// One more value of a feature, as [`FeatureTally::add`] has it, without a branch.
#[inline(always)]
fn meet(value: f64, mean: &mut f64, count: &mut f64, missing: &mut u64) {
    let is_there = !value.is_nan();
    *missing += u64::from(!is_there);
    *count += if is_there { 1.0 } else { 0.0 };
    let met = *mean + (value - *mean) / *count;
    *mean = if is_there { met } else { *mean };
}

for_all_vectors!(fn meet_all(values: &[f64], mean: &mut [f64], count: &mut [f64], missing: &mut [u64]) = meet_each);

#[inline(always)]
fn meet_each(values: &[f64], mean: &mut [f64], count: &mut [f64], missing: &mut [u64]) {
    let means = mean.iter_mut().zip(count).zip(missing);
    values.iter().zip(means).for_each(|(value, ((mean, count), missing))| meet(*value, mean, count, missing));
}

/// Appends `x` with what `fill` gives for components that are missing; those that become 0 are left out.
fn filled(x: Row<'_>, fill: impl Fn(usize) -> f64, out: &mut Scratch) {
    if x.is_whole() {
        return out.push(x, 0);
    }
    x.for_each(|i, value| {
        let value = if value.is_nan() { fill(i) } else { value };
        if value != 0.0 {
            out.indices.push(i as u32);
            out.values.push(value);
        }
    });
}

#[derive(Clone)]
struct Impute {
    with: Usual,
    rows: u64,
    /// What was seen of each feature, for the median …
    seen: Vec<FeatureTally>,
    /// … or for the mean.
    means: FeatureMeans,
    /// What is filled in for each feature.
    fill: Vec<f64>,
}

impl Stage for Impute {
    fn survey(&mut self, x: Row<'_>) {
        self.rows += 1;
        if self.with == Usual::Mean {
            return self.means.add(x);
        }
        if x.dimension() > self.seen.len() {
            self.seen.resize(x.dimension(), FeatureTally::default());
        }
        x.for_each(|i, value| {
            let seen = &mut self.seen[i];
            seen.add(value);
            if value == 1.0 {
                seen.ones += 1;
            } else if !value.is_nan() {
                seen.others.push(value);
            }
        });
    }

    fn end_survey(&mut self, features: usize) {
        self.fill = match self.with {
            Usual::Mean => std::mem::take(&mut self.means).over(self.rows),
            Usual::Median => std::mem::take(&mut self.seen).iter_mut().map(|seen| seen.median(self.rows)).collect(),
        };
        self.fill.resize(features, 0.0);
    }

    fn memory(&self, features: usize) -> u64 {
        (2 * size_of::<FeatureTally>() + 8) as u64 * features as u64
    }

    fn keeps_whole(&self) -> bool {
        true
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        filled(x, |i| self.fill.get(i).copied().unwrap_or(0.0), out);
    }

    fn arithmetic(&self, features: usize) -> Option<Arithmetic<'_>> {
        Some(Arithmetic::Fill((0..features).map(|i| self.fill.get(i).copied().unwrap_or(0.0)).collect()))
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        Some(0.0)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.f64s("fill", &mut self.fill)?;
        state.require(self.fill.len() <= state.most_features(), "more features are filled in than there are")
    }
}

#[derive(Clone, Default)]
struct RunningImpute {
    rows: u64,
    seen: Vec<FeatureTally>,
}

impl RunningImpute {
    fn fill(&self, i: usize) -> f64 {
        self.seen.get(i).map_or(0.0, |seen| seen.mean(self.rows))
    }
}

impl Stage for RunningImpute {
    fn keeps_whole(&self) -> bool {
        true
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        filled(x, |i| self.fill(i), out);
    }

    fn grows(&self) -> bool {
        true
    }

    fn meet(
        &mut self,
        x: Row<'_>,
        _lane: Option<usize>,
        memory: u64,
        out: &mut Scratch,
    ) -> std::result::Result<(), Message> {
        self.apply(x, out);
        let bytes = (x.dimension().max(self.seen.len()) * size_of::<FeatureTally>()) as u64;
        if bytes > memory {
            return Err(Message::beyond_memory(format!("the means of {} features", x.dimension())));
        }
        self.rows += 1;
        if x.dimension() > self.seen.len() {
            self.seen.resize(x.dimension(), FeatureTally::default());
        }
        x.for_each(|i, value| self.seen[i].add(value));
        Ok(())
    }

    fn arithmetic(&self, features: usize) -> Option<Arithmetic<'_>> {
        Some(Arithmetic::Fill((0..features).map(|i| self.fill(i)).collect()))
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        Some(0.0)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let mut missing: Vec<u64> = self.seen.iter().map(|seen| seen.missing).collect();
        let mut count: Vec<u64> = self.seen.iter().map(|seen| seen.count).collect();
        let mut mean: Vec<f64> = self.seen.iter().map(|seen| seen.mean).collect();
        state.u64("rows", &mut self.rows)?;
        state.counts("missing", &mut missing)?;
        state.counts("count", &mut count)?;
        state.f64s("mean", &mut mean)?;
        let fits = missing.len() == count.len() && count.len() == mean.len() && mean.len() <= state.most_features();
        state.require(fits, "missing, count and mean differ in length, or there are fewer features")?;
        let rows = self.rows;
        let is_counted = |(missing, count): (&u64, &u64)| missing.checked_add(*count).is_some_and(|sum| sum <= rows);
        state.require(missing.iter().zip(&count).all(is_counted), "more components were met than rows")?;
        let seen = |((missing, count), mean)| FeatureTally { missing, count, mean, ..FeatureTally::default() };
        self.seen = missing.into_iter().zip(count).zip(mean).map(seen).collect();
        Ok(())
    }
}
