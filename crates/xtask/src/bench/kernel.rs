//! Kernel learners against the straightforward form, and matrix learners against a sweep over memory.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use onlinear::workshop::{Random, exp_of_negative};
use onlinear::{Batch, Example, Expected, Input, Label, Learner, ReadOptions, Row, Rows, Spec, open, rounds};

use super::Bench;
use super::clock::{cpu_of, cpu_of_each, least};
use super::table::{Line, Target};

/// Turns that CPU times are the least of; the straightforward form takes long.
const TURNS: usize = 2;
/// What is said where a9a is not at hand.
pub(super) const NO_A9A: &str = "skipped: there is no a9a.svm.gz in the folder that ONLINEAR_DATA names";

/// Rows with their labels.
pub(super) struct KernelTask {
    pub(super) rows: Rows,
    pub(super) labels: Vec<Label>,
}

/// Gaussian kernel Perceptron: look-ahead blocks against one row at a time. Sparse rows are merged for each kernel
/// value and go through the standard library's exp; dense ones are multiplied with all support vectors at once, by
/// vectors, and go through an exp of many numbers at once, as a fast program in C++ does it.
pub fn kernel(_: &Bench) -> Result<Vec<Line>> {
    let dense = compare("kernel dense 20k × 100", &dense(20_000, 100), 0.005, 2.0, by_products)?;
    Ok(match a9a()? {
        Some(task) => vec![compare("kernel a9a", &task, 0.05, 20.0, straightforward)?, dense],
        None => vec![dense, Line::note("kernel a9a", NO_A9A)],
    })
}

/// Learners with a bounded support set, one pass over a9a.
pub fn budget(_: &Bench) -> Result<Vec<Line>> {
    let Some(task) = a9a()? else { return Ok(vec![Line::note("budget a9a", NO_A9A)]) };
    // U of the norm bound that goes with a budget of 1500.
    let cases = [
        ("projectron++:tolerance=0.3", 1.2),
        ("projectron:norm-bound=3.5815", 1.5),
        ("forgetron:budget=500", 0.3),
        ("rbp:budget=500", 0.3),
    ];
    let mut lines = Vec::new();
    for (learner, target) in cases {
        let spec: Spec = format!("{learner},kernel=gaussian,sigma2=25").parse()?;
        let mistakes = blockwise(&task, &spec)?;
        let [seconds] = least(TURNS + 1, [&mut || cpu_of(|| blockwise(&task, &spec))])?;
        let single = cpu_of(|| one_by_one(&task, &spec))?;
        let measured = format!("{mistakes} mistakes; one row at a time {single:.2} s");
        lines.push(Line::judged(format!("budget a9a {learner}"), measured, (seconds, "s"), Target::AtMost(target)));
    }
    let [bpa, rbp] = ["bpa", "rbp"].map(|name| format!("{name}:budget=500,kernel=gaussian,sigma2=25").parse::<Spec>());
    let (bpa, rbp) = (bpa?, rbp?);
    let [ours, theirs] =
        least(TURNS + 1, [&mut || cpu_of(|| blockwise(&task, &bpa)), &mut || cpu_of(|| blockwise(&task, &rbp))])?;
    let measured = format!("bpa nearest {ours:.2} s, rbp {theirs:.2} s");
    lines.push(Line::judged("budget a9a bpa:budget=500", measured, (ours / theirs, "×"), Target::AtMost(2.0)));
    Ok(lines)
}

/// The rows of a9a, where they are at hand.
pub(super) fn a9a() -> Result<Option<KernelTask>> {
    let path = std::env::var_os("ONLINEAR_DATA").map(|folder| PathBuf::from(folder).join("a9a.svm.gz"));
    path.filter(|path| path.is_file()).map(read).transpose()
}

fn compare(
    name: &str,
    task: &KernelTask,
    gamma: f64,
    target: f64,
    reference: fn(&KernelTask, f64) -> u64,
) -> Result<Line> {
    let spec: Spec = format!("perceptron:kernel=gaussian,gamma={gamma}").parse()?;
    let mistakes = blockwise(task, &spec)?;
    ensure!(reference(task, gamma) == mistakes, "the two forms differ in their mistakes");
    let [plain, ours] =
        least(TURNS, [&mut || cpu_of(|| Ok(reference(task, gamma))), &mut || cpu_of(|| blockwise(task, &spec))])?;
    let measured = format!("{mistakes} mistakes; blocks {ours:.3} s, one row at a time {plain:.2} s");
    Ok(Line::judged(name, measured, (plain / ours, "×"), Target::AtLeast(target)))
}

/// The mistakes of a learner that is told of the rows ahead.
fn blockwise(task: &KernelTask, spec: &Spec) -> Result<u64> {
    let (mut learner, mut mistakes) = (spec.online()?, 0);
    let examples: Vec<Example<'_>> =
        task.labels.iter().enumerate().map(|(i, &y)| Example::new(task.rows.row(i), y)).collect();
    _ = rounds(learner.as_mut(), &examples, |example, round| {
        mistakes += u64::from(round.is_mistake(example.y));
        ControlFlow::Continue(())
    });
    Ok(mistakes)
}

/// The mistakes of a learner that meets one row after another.
fn one_by_one(task: &KernelTask, spec: &Spec) -> Result<u64> {
    let mut learner = spec.online()?;
    let mut is_mistake = |(i, &y)| learner.round(&Example::new(task.rows.row(i), y)).is_mistake(y);
    Ok(task.labels.iter().enumerate().map(|example| u64::from(is_mistake(example))).sum())
}

/// The mistakes of the Perceptron as one would write it first.
fn straightforward(task: &KernelTask, gamma: f64) -> u64 {
    let mut support: Vec<(usize, f64)> = Vec::new();
    let mut mistakes = 0;
    for i in 0..task.rows.len() {
        let x = task.rows.parts(i);
        let value = |&(j, y): &(usize, f64)| y * (-gamma * squared_distance(x, task.rows.parts(j))).exp();
        let score: f64 = support.iter().map(value).sum();
        let y = task.labels[i].sign();
        if y * score <= 0.0 {
            support.push((i, y));
            mistakes += 1;
        }
    }
    mistakes
}

/// The mistakes of the Perceptron on dense rows: one product with the matrix of support vectors, then exp of them all.
fn by_products(task: &KernelTask, gamma: f64) -> u64 {
    let (mut support, mut squares, mut coefficients) = (Vec::new(), Vec::new(), Vec::new());
    let (mut values, mut mistakes) = (Vec::new(), 0);
    for i in 0..task.rows.len() {
        let (x, y) = (task.rows.row(i).values(), task.labels[i].sign());
        let square = product(x, x);
        values.clear();
        let rows = support.chunks_exact(x.len()).zip(&squares);
        values.extend(
            rows.map(|(z, z_square): (&[f64], &f64)| -gamma * (square + z_square - 2.0 * product(x, z)).max(0.0)),
        );
        values.iter_mut().for_each(|value| *value = exp_of_negative(*value));
        let score: f64 = values.iter().zip(&coefficients).map(|(value, y): (&f64, &f64)| value * y).sum();
        if y * score <= 0.0 {
            support.extend_from_slice(x);
            squares.push(square);
            coefficients.push(y);
            mistakes += 1;
        }
    }
    mistakes
}

/// ‖x − z‖² by merging two sparse rows.
fn squared_distance((x_indices, x): (&[u32], &[f64]), (z_indices, z): (&[u32], &[f64])) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < x.len() && j < z.len() {
        let difference = match x_indices[i].cmp(&z_indices[j]) {
            std::cmp::Ordering::Less => x[i],
            std::cmp::Ordering::Greater => z[j],
            std::cmp::Ordering::Equal => x[i] - z[j],
        };
        let (step_i, step_j) = (x_indices[i] <= z_indices[j], z_indices[j] <= x_indices[i]);
        i += usize::from(step_i);
        j += usize::from(step_j);
        sum += difference * difference;
    }
    sum + x[i..].iter().chain(&z[j..]).map(|v| v * v).sum::<f64>()
}

fn read(path: PathBuf) -> Result<KernelTask> {
    let (mut reader, _) = open(&Input::File(path), &ReadOptions::default())?;
    let (mut batch, mut task) = (Batch::default(), KernelTask { rows: Rows::default(), labels: Vec::new() });
    while reader.read(&mut batch)? {
        for i in 0..batch.len() {
            task.rows.push_row(batch.rows.row(i));
            let negative = reader.labels().text(batch.labels[i]).starts_with('-');
            task.labels.push(if negative { Label::Negative } else { Label::Positive });
        }
    }
    Ok(task)
}

/// Gaussian rows, labelled by the sign of a quadratic form, a fifth of them wrongly.
pub(super) fn dense(rows: usize, features: usize) -> KernelTask {
    let mut random = Random::new(1);
    let mut task = KernelTask { rows: Rows::default(), labels: Vec::new() };
    let mut x = vec![0.0; features];
    for _ in 0..rows {
        x.iter_mut().for_each(|v| *v = random.gauss());
        let form: f64 = x.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let flipped = random.chance(0.1);
        task.rows.push_row(Row::Dense(&x));
        task.labels.push(if (form > 0.0) != flipped { Label::Positive } else { Label::Negative });
    }
    task
}

/// A mistake of learners with a matrix against one sweep over half of one; a correct trial against one dot product.
pub fn matrix(_: &Bench) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (features, mistakes) in [(1000, 60), (4000, 12)] {
        lines.extend(with_matrix("second-order", features, mistakes, 1.6)?);
    }
    lines.extend(with_matrix("higher-order", 1000, 60, 2.0)?);
    Ok(lines)
}

fn with_matrix(name: &str, features: usize, count: usize, target: f64) -> Result<Vec<Line>> {
    let spec: Spec = format!("{name}:form=primal").parse()?;
    let mut learner = spec.online()?;
    let expected = Expected { features: Some(features), ..Expected::default() };
    learner.prepare(&expected).map_err(anyhow::Error::msg)?;
    let task = dense(count + 1, features);
    let mut triangle = vec![1.0f64; features * (features + 1) / 2];
    // The opposite of what it predicts makes every trial a mistake, what it predicts none.
    let wrong = |learner: &mut dyn Learner, i: usize| {
        let x = task.rows.row(i);
        let y = Label::predicted(learner.score(x)).flipped();
        black_box(learner.round(&Example::new(x, y)));
    };
    wrong(learner.as_mut(), count);
    let (mut turn, turns) = (0, 4);
    let [sweep, mistake] = least(
        turns,
        [
            &mut || cpu_of_each(count, |i| black_box(&mut triangle).iter_mut().for_each(|v| *v += i as f64 * 1e-9)),
            &mut || {
                turn += 1;
                cpu_of_each(count, |i| wrong(learner.as_mut(), (i + turn) % count))
            },
        ],
    )?;
    let x = task.rows.row(0);
    let y = Label::predicted(learner.score(x));
    let w = learner.leaves().weights().context("the primal form has weights")?.into_owned();
    const REPEATS: usize = 20_000;
    let [dot, correct] = least(
        turns,
        [&mut || cpu_of_each(REPEATS, |_| _ = black_box(product(black_box(&w), x.values()))), &mut || {
            cpu_of_each(REPEATS, |_| _ = black_box(learner.round(&Example::new(black_box(x), y))))
        }],
    )?;
    let micro = |seconds: f64, count: usize| 1e6 * seconds / count as f64;
    let swept = format!("mistake {:.0} µs, sweep {:.0} µs", micro(mistake, count), micro(sweep, count));
    let dotted = format!("correct trial {:.2} µs, dot product {:.2} µs", micro(correct, REPEATS), micro(dot, REPEATS));
    Ok(vec![
        Line::judged(format!("{name} n = {features}: mistake"), swept, (mistake / sweep, "×"), Target::AtMost(target)),
        Line::judged(format!("{name} n = {features}: correct"), dotted, (correct / dot, "×"), Target::None),
    ])
}

/// A dot product of sixteen lanes.
pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut lanes = [0.0; 16];
    for (x, y) in a.iter().zip(b) {
        (0..16).for_each(|lane| lanes[lane] += x[lane] * y[lane]);
    }
    lanes.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}
