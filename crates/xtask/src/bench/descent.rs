//! Batch learners on the training error, against the form one would write first.

use anyhow::{Context, Result, ensure};

use onlinear::workshop::Random;
use onlinear::{Label, Row, Rows, Sample, Spec};

use super::Bench;
use super::clock::{cpu_of, cpu_of_each, least};
use super::kernel::product;
use super::table::{Line, Target};

/// Turns that CPU times are the least of.
const TURNS: usize = 3;

/// Epochs of random coordinate descent. So few that rounding, which the midpoints of intervals make
/// larger from epoch to epoch, has not yet led the two forms apart.
pub fn rcd(_: &Bench) -> Result<Vec<Line>> {
    Ok(vec![compare(600, 20, 300, 2.0)?, compare(100_000, 100, 48, 4.0)?])
}

/// AdaBoost as in the paper, on as many rows as its set pima has for training, and prediction by all members.
pub fn boost(_: &Bench) -> Result<Vec<Line>> {
    let sample = noisy(614, 8)?;
    let mut learner = "adaboost:base=rcd-bias,base.epochs=200,rounds=200".parse::<Spec>()?.fits_all()?;
    let mut fit = || -> Result<()> { Ok(learner.fit(&sample, &mut ())?) };
    let [seconds] = least(TURNS, [&mut || cpu_of(&mut fit)])?;
    let mut scores = Vec::new();
    let mut predict = || {
        scores.clear();
        cpu_of_each(1, |_| learner.leaves().scores(sample.rows(), &mut scores))
    };
    let [predicting] = least(TURNS, [&mut predict])?;
    let errors = sample.errors_of(scores.iter().copied())?.rows;
    let measured = format!("{errors} errors left; all rows predicted in {:.0} µs", predicting * 1e6);
    Ok(vec![Line::judged("adaboost 614 × 8, 200 × 200", measured, (seconds, "s"), Target::AtMost(1.0))])
}

fn compare(rows: usize, features: usize, epochs: usize, target: f64) -> Result<Line> {
    let sample = noisy(rows, features)?;
    let spec: Spec = format!("rcd:start=zero,epochs={epochs}").parse()?;
    let ours = || -> Result<u64> {
        let mut learner = spec.fits_all()?;
        learner.fit(&sample, &mut ())?;
        Ok(sample.errors(&learner.leaves().weights().context("a weight vector")?)?.rows)
    };
    let errors = ours()?;
    let theirs = plain(&sample, epochs)?;
    ensure!(theirs == errors, "the two forms differ in their training errors: {errors} and {theirs}");
    let times = least(TURNS, [&mut || cpu_of(ours), &mut || cpu_of(|| plain(&sample, epochs))])?;
    let [ours, plain] = times.map(|seconds| seconds / epochs as f64 * 1e6);
    let measured = format!("{errors} errors left; {ours:.1} µs an epoch, plainly {plain:.1} µs");
    let name = format!("rcd {rows} × {features}");
    Ok(Line::judged(name, measured, (plain / ours, "×"), Target::AtLeast(target)))
}

/// Rows in [−1, 1) behind x₀ = 1, labelled by a random direction, one label in five wrong.
fn noisy(rows: usize, features: usize) -> Result<Sample> {
    let mut random = Random::new(1);
    let target: Vec<f64> = (0..features).map(|_| random.symmetric()).collect();
    let (mut all, mut labels) = (Rows::default(), Vec::new());
    for _ in 0..rows {
        let x: Vec<f64> = std::iter::once(1.0).chain((0..features).map(|_| random.symmetric())).collect();
        let score: f64 = x[1..].iter().zip(&target).map(|(x, t)| x * t).sum();
        labels.push(if (score > 0.0) != random.chance(0.2) { Label::Positive } else { Label::Negative });
        all.push_row(Row::Dense(&x));
    }
    Ok(Sample::new("noisy rows", all, &labels, &vec![1.0; rows], true)?)
}

/// Inner products row by row in every epoch, one sort of all keys, one scan.
fn plain(sample: &Sample, epochs: usize) -> Result<u64> {
    let mut random = Random::new(1);
    let mut w = vec![0.0; sample.dimension()];
    let dot = product;
    for _ in 0..epochs {
        let d: Vec<f64> = w.iter().map(|_| random.symmetric()).collect();
        let mut keys: Vec<(f64, i64)> = Vec::with_capacity(sample.len());
        for (i, &y) in sample.y().iter().enumerate() {
            let x = sample.row(i).values();
            let delta = dot(&d, x);
            if delta != 0.0 {
                keys.push((dot(&w, x) / delta, if (y > 0.0) == (delta > 0.0) { 1 } else { -1 }));
            }
        }
        keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(first, _)) = keys.first() else { continue };
        let beyond = |key: f64| (1e-9 * key.abs()).max(1.0);
        let (mut sum, mut least, mut threshold) = (0, 0, first - beyond(first));
        for (i, &(key, signed)) in keys.iter().enumerate() {
            sum += signed;
            let middle = keys.get(i + 1).map_or(key + beyond(key), |(next, _)| (key + next) / 2.0);
            let is_inside = key < middle && keys.get(i + 1).is_none_or(|(next, _)| middle < *next);
            if sum < least && is_inside {
                (least, threshold) = (sum, middle);
            }
        }
        w.iter_mut().zip(&d).for_each(|(w, d)| *w -= threshold * d);
        let square = dot(&w, &w);
        if square > 1e10 {
            w.iter_mut().for_each(|w| *w /= square.sqrt());
        }
    }
    Ok(sample.errors(&w)?.rows)
}
