//! What came after the papers, against what it is built on: AROW, maps, probabilities.

use std::hint::black_box;

use anyhow::Result;

use onlinear::workshop::{Scratch, Stages};
use onlinear::{
    Example, Input, Keep, LabelChoice, Learner, Passes, Plan, ReadOptions, Recipe, Row, Spec, StageSpec, Start, learn,
};

use super::Bench;
use super::clock::{cpu_of, least};
use super::data::Packing;
use super::kernel::{KernelTask, NO_A9A, a9a, dense};
use super::table::{Line, Target};

/// Turns that CPU times are the least of.
const TURNS: usize = 5;
/// Passes that are timed together.
const PASSES: usize = 20;

/// AROW's trials against the Perceptron's, in memory.
pub fn arow(_: &Bench) -> Result<Vec<Line>> {
    let Some(task) = a9a()? else { return Ok(vec![Line::note("arow a9a", NO_A9A)]) };
    let [ours, theirs] = least(TURNS, [&mut || trials(&task, "arow"), &mut || trials(&task, "perceptron")])?;
    let per_trial = |seconds: f64| seconds / (PASSES * task.labels.len()) as f64 * 1e9;
    let measured = format!("{:.0} ns per trial, the Perceptron {:.0} ns", per_trial(ours), per_trial(theirs));
    Ok(vec![Line::judged("arow a9a", measured, (ours / theirs, "×"), Target::AtMost(1.6))])
}

/// The CPU time of some passes.
fn trials(task: &KernelTask, learner: &str) -> Result<f64> {
    let mut learner: Box<dyn Learner> = learner.parse::<Spec>()?.online()?;
    cpu_of(|| {
        for (i, &y) in (0..PASSES).flat_map(|_| task.labels.iter().enumerate()) {
            black_box(learner.round(&Example::new(task.rows.row(i), y)));
        }
        Ok(())
    })
}

/// Rows through a map, against one product of a matrix of as many numbers with the row.
pub fn maps(_: &Bench) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for map in ["fourier:dimension=1000,sigma2=25", "nystrom:landmarks=500,kernel=gaussian,sigma2=25"] {
        let name = map.split(':').next().unwrap_or(map);
        lines.push(mapped(&format!("{name} dense 20k × 100"), map, &dense(20_000, 100))?);
        lines.push(match a9a()? {
            Some(task) => mapped(&format!("{name} a9a"), map, &task)?,
            None => Line::note(format!("{name} a9a"), NO_A9A),
        });
    }
    Ok(lines)
}

fn mapped(name: &str, map: &str, task: &KernelTask) -> Result<Line> {
    let (mut stages, mut scratch) = (Stages::new(&[map.parse::<StageSpec>()?]), Scratch::default());
    for i in 0..task.rows.len().min(2000) {
        stages.meet(task.rows.row(i), u64::MAX, &mut scratch).map_err(|message| anyhow::anyhow!("{message}"))?;
    }
    let (dimension, rows) = (task.rows.dimension(), task.rows.len());
    let components = stages.features_after(dimension);
    // As many numbers as the map multiplies a row with, and its components with each other where it does.
    let height = if stages.landmarks().is_some() { components } else { components / 2 };
    let squared = if stages.landmarks().is_some() { components / 2 } else { 0 };
    let matrix = vec![0.5; dimension * height];
    let triangle = vec![0.5; squared * components];
    let product = |x: Row<'_>, out: &mut Vec<f64>| {
        out.clear();
        out.resize(height, 0.0);
        x.for_each(|i, value| {
            let column = &matrix[i * height..(i + 1) * height];
            out.iter_mut().zip(column).for_each(|(sum, number)| *sum += value * number);
        });
        for row in triangle.chunks_exact(components) {
            out[0] += row.iter().zip(&*out).map(|(a, b)| a * b).sum::<f64>();
        }
    };
    let mut out = Vec::new();
    let [ours, plain] = least(
        TURNS,
        [
            &mut || {
                cpu_of(|| {
                    (0..rows).for_each(|i| _ = black_box(stages.apply(task.rows.row(i), &mut scratch)));
                    Ok(())
                })
            },
            &mut || {
                cpu_of(|| {
                    (0..rows).for_each(|i| product(task.rows.row(i), black_box(&mut out)));
                    Ok(())
                })
            },
        ],
    )?;
    let each = |seconds: f64| seconds / rows as f64 * 1e6;
    let measured = format!("{:.1} µs per row, the product {:.1} µs", each(ours), each(plain));
    Ok(Line::judged(format!("map {name}"), measured, (ours / plain, "×"), Target::AtMost(1.5)))
}

/// A run that keeps what probabilities take, against one that does not.
pub fn calibrate(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.small(Packing::Plain)?;
    let run = |calibrate: Option<u64>| {
        let plan = Plan {
            input: Input::File(file.clone()),
            read: ReadOptions::default(),
            labels: LabelChoice::default(),
            passes: Passes::Exactly(1),
            keep: Keep { limit: None, cache: false, max_memory: 4_000_000_000 },
            train_error: false,
            holdout: None,
        };
        let recipe = Recipe { calibrate, ..Recipe::of("arow".parse()?, Vec::new()) };
        let model = learn(plan, Start::Fresh(recipe), &mut ())?.model;
        Ok(model.learner.probabilities())
    };
    let [with, without] = least(TURNS, [&mut || cpu_of(|| run(Some(10_000))), &mut || cpu_of(|| run(None))])?;
    let measured = format!("{with:.3} s, without {without:.3} s");
    Ok(vec![Line::judged("calibrate", measured, (with / without, "×"), Target::AtMost(1.03))])
}
