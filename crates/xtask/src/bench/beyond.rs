//! What came after the papers, against what it is built on: AROW, maps, probabilities.

use std::hint::black_box;
use std::path::Path;

use anyhow::Result;

use onlinear::workshop::{Scratch, Stages, exp_of_negative};
use onlinear::{
    Example, Input, Keep, LabelChoice, Learner, Model, Passes, Plan, ReadOptions, Recipe, Row, Rows, Spec, StageSpec,
    Start, learn,
};

use super::Bench;
use super::clock::{cpu_of, cpu_of_each, least};
use super::data::Packing;
use super::kernel::{KernelTask, NO_A9A, a9a, dense};
use super::table::{Line, Target};

/// Turns that CPU times are the least of.
const TURNS: usize = 5;
/// Passes that are timed together.
const PASSES: usize = 20;

/// AROW's trials against the Perceptron's, in memory, and a pass from text.
pub fn arow(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.small(Packing::Plain)?;
    let from_text = |learner: &str| cpu_of(|| learned(&file, Recipe::of(learner.parse()?, Vec::new())));
    let [ours, theirs] = least(TURNS, [&mut || from_text("arow"), &mut || from_text("perceptron")])?;
    let measured = format!("{ours:.3} s, the Perceptron {theirs:.3} s");
    let text = Line::judged("arow text", measured, (ours / theirs, "×"), Target::AtMost(1.15));
    let Some(task) = a9a()? else { return Ok(vec![text, Line::note("arow a9a", NO_A9A)]) };
    let [ours, theirs] = least(TURNS, [&mut || trials(&task, "arow"), &mut || trials(&task, "perceptron")])?;
    let per_trial = |seconds: f64| seconds / (PASSES * task.labels.len()) as f64 * 1e9;
    let measured = format!("{:.0} ns per trial, the Perceptron {:.0} ns", per_trial(ours), per_trial(theirs));
    Ok(vec![text, Line::judged("arow a9a", measured, (ours / theirs, "×"), Target::AtMost(1.6))])
}

/// One pass over a file.
fn learned(file: &Path, recipe: Recipe) -> Result<Model> {
    let plan = Plan {
        input: Input::File(file.to_path_buf()),
        read: ReadOptions::default(),
        labels: LabelChoice::default(),
        passes: Passes::Exactly(1),
        keep: Keep { limit: None, cache: false, max_memory: 4_000_000_000 },
        train_error: false,
        holdout: None,
    };
    Ok(learn(plan, Start::Fresh(recipe), &mut ())?.model)
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

/// Rows through a map, against one product of a matrix of as many numbers with the row and e^x of what comes out; and
/// learning from mapped rows, against the map alone.
pub fn maps(_: &Bench) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for map in ["fourier:dimension=1000,sigma2=25", "nystrom:landmarks=500,kernel=gaussian,sigma2=25"] {
        let name = map.split(':').next().unwrap_or(map);
        lines.extend(mapped(&format!("{name} dense 20k × 100"), map, &dense(20_000, 100))?);
        match a9a()? {
            Some(task) => lines.extend(mapped(&format!("{name} a9a"), map, &task)?),
            None => lines.push(Line::note(format!("{name} a9a"), NO_A9A)),
        }
    }
    Ok(lines)
}

fn mapped(name: &str, map: &str, task: &KernelTask) -> Result<[Line; 2]> {
    let (mut stages, mut scratch) = (Stages::new(&[map.parse::<StageSpec>()?]), Scratch::default());
    for i in 0..task.rows.len().min(2000) {
        stages.meet(task.rows.row(i), u64::MAX, &mut scratch).map_err(|message| anyhow::anyhow!("{message}"))?;
    }
    let plain = Product::of(&stages, task.rows.dimension());
    let (mut out, mut learner) = (Vec::new(), "arow:r=0.1".parse::<Spec>()?.online()?);
    let [ours, learned, theirs] = least(
        TURNS,
        [
            &mut || cpu_of(|| Ok(each_mapped(&stages, &task.rows, |_, x| _ = black_box(x)))),
            &mut || {
                cpu_of(|| {
                    each_mapped(&stages, &task.rows, |i, x| _ = learner.round(&Example::new(x, task.labels[i])));
                    Ok(())
                })
            },
            &mut || cpu_of_each(task.rows.len(), |i| plain.with(task.rows.row(i), black_box(&mut out))),
        ],
    )?;
    let each = |seconds: f64| seconds / task.rows.len() as f64 * 1e6;
    let measured = format!("{:.1} µs per row, the product {:.1} µs", each(ours), each(theirs));
    let both = format!("{:.1} µs per row, with a trial of arow {:.1} µs", each(ours), each(learned));
    Ok([
        Line::judged(format!("map {name}"), measured, (ours / theirs, "×"), Target::AtMost(1.5)),
        Line::judged(format!("learning behind {name}"), both, (learned / ours, "×"), Target::AtMost(1.2)),
    ])
}

/// Rows through stages as a run has them: some at once where there are landmarks.
fn each_mapped(stages: &Stages, rows: &Rows, mut seen: impl FnMut(usize, Row<'_>)) {
    let (mut out, mut first, mut scratch) = (Rows::default(), 0, Scratch::default());
    if stages.landmarks().is_none() {
        return (0..rows.len()).for_each(|i| seen(i, stages.apply(rows.row(i), &mut scratch)));
    }
    rows.for_each_block(16, |block| {
        out.clear();
        stages.apply_all(block, &mut out);
        (0..out.len()).for_each(|i| seen(first + i, out.row(i)));
        first += block.len();
    });
}

/// What a row is multiplied with in the plain form of a map: as many numbers as the map multiplies it with, and then
/// its components with each other where the map does.
struct Product {
    height: usize,
    columns: Vec<f64>,
    triangle: Vec<f64>,
}

impl Product {
    fn of(stages: &Stages, dimension: usize) -> Product {
        let components = stages.features_after(dimension);
        let (height, triangle) = match stages.landmarks() {
            Some(landmarks) => (landmarks, landmarks * landmarks / 2),
            None => (components / 2, 0),
        };
        Product { height, columns: vec![0.5; dimension * height], triangle: vec![0.5; triangle] }
    }

    /// With the widest vectors there are: the library has them too.
    fn with(&self, x: Row<'_>, out: &mut Vec<f64>) {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn wide(product: &Product, x: Row<'_>, out: &mut Vec<f64>) {
            product.sum(x, out);
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these vectors.
            #[allow(unsafe_code)]
            return unsafe { wide(self, x, out) };
        }
        self.sum(x, out);
    }

    #[inline(always)]
    fn sum(&self, x: Row<'_>, out: &mut Vec<f64>) {
        let add = |out: &mut [f64], value: f64, column: &[f64]| {
            out.iter_mut().zip(column).for_each(|(sum, number)| *sum += value * number);
        };
        out.clear();
        out.resize(self.height, 0.0);
        x.for_each(|i, value| add(out, value, &self.columns[i * self.height..(i + 1) * self.height]));
        for (i, column) in self.triangle.chunks_exact((self.height / 2).max(1)).enumerate() {
            let value = out[i % self.height];
            add(&mut out[..column.len()], value, column);
        }
        out.iter_mut().for_each(|sum| *sum = exp_of_negative(-sum.abs()));
    }
}

/// A run that keeps what probabilities take, against one that does not.
pub fn calibrate(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.small(Packing::Plain)?;
    let run = |calibrate: Option<u64>| {
        let recipe = Recipe { calibrate, ..Recipe::of("arow".parse()?, Vec::new()) };
        Ok(learned(&file, recipe)?.learner.probabilities())
    };
    let [with, without] = least(TURNS, [&mut || cpu_of(|| run(Some(10_000))), &mut || cpu_of(|| run(None))])?;
    let measured = format!("{with:.3} s, without {without:.3} s");
    Ok(vec![Line::judged("calibrate", measured, (with / without, "×"), Target::AtMost(1.03))])
}
