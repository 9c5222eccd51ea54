//! Reading, learning and predicting: how long they take.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use onlinear::{
    Example, Input, Keep, Label, LabelChoice, Model, Passes, Plan, ReadOptions, Recipe, Round, Row, Spec, Start, Watch,
    learn,
};

use super::Bench;
use super::clock::{self, busier_of, cpu_of, instructions, least, thread_cpu, wall_of};
use super::data::{Packing, non_zeros};
use super::table::{Line, Target};

/// Turns that CPU times are the least of.
const TURNS: usize = 7;
/// Turns that wall times, which must find the machine idle, and close races are the least of.
const MANY_TURNS: usize = 15;

/// One pass of the Perceptron from text, against a plain loop of the standard library.
pub fn parse(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.large(Packing::Plain)?;
    let gigabytes = file.metadata()?.len() as f64 / 1e9;
    let (plainly, ours) = (mistakes_of_plain_loop(&file)?, learned(&file, 1, &mut ())?.counts.total().mistakes);
    ensure!(plainly == ours, "the plain loop made {plainly} mistakes, the library {ours}");
    let [plain, library, lines, program] = least(
        TURNS,
        [
            &mut || cpu_of(|| mistakes_of_plain_loop(&file)),
            &mut || cpu_of(|| learned(&file, 1, &mut ())),
            &mut || child_cpu(Command::new("wc").arg("-l").arg(&file)),
            &mut || child_cpu(Command::new(&bench.program).args(["learn", "perceptron"]).arg(&file)),
        ],
    )?;
    let speed = |seconds: f64| format!("{:.3} GB/s, {seconds:.3} s", gigabytes / seconds);
    let measured = format!("library {}; plain loop {}", speed(library), speed(plain));
    Ok(vec![
        Line::judged("parse", measured, (plain / library, "×"), Target::AtLeast(1.8)),
        Line::note("parse: whole program", format!("onlinear learn perceptron {}", speed(program))),
        Line::note("parse: wc -l", speed(lines)),
    ])
}

/// What a plain loop makes of the same file with the same learner.
fn mistakes_of_plain_loop(file: &Path) -> Result<u64> {
    let mut learner = "perceptron".parse::<Spec>()?.online()?;
    let (mut indices, mut values, mut mistakes) = (Vec::new(), Vec::new(), 0);
    for line in BufReader::new(File::open(file)?).lines() {
        let line = line?;
        let mut tokens = line.split_ascii_whitespace();
        let y = if tokens.next() == Some("+1") { Label::Positive } else { Label::Negative };
        indices.clear();
        values.clear();
        for token in tokens {
            let (index, value) = token.split_once(':').context("no colon")?;
            indices.push(index.parse::<u32>()? - 1);
            values.push(value.parse::<f64>()?);
        }
        let round = learner.round(&Example::new(Row::Sparse { indices: &indices, values: &values }, y));
        mistakes += u64::from(round.is_mistake(y));
    }
    Ok(mistakes)
}

/// The Perceptron after so many passes over a file: what `onlinear learn` does.
fn learned(file: &Path, passes: u64, watch: &mut dyn Watch) -> Result<Model> {
    let plan = Plan {
        input: Input::File(file.to_path_buf()),
        read: ReadOptions::default(),
        labels: LabelChoice::default(),
        passes: Passes::Exactly(passes),
        keep: Keep { limit: None, cache: false, max_memory: 4_000_000_000 },
        train_error: false,
        holdout: None,
    };
    let spec = "perceptron".parse()?;
    let fresh = Recipe::of(spec, Vec::new());
    Ok(learn(plan, Start::Fresh(fresh), watch)?.model)
}

fn child_cpu(command: &mut Command) -> Result<f64> {
    Ok(clock::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?.cpu)
}

/// The CPU time at the first trial of each pass.
struct PassTimes {
    rows: u64,
    starts: Vec<f64>,
}

impl Watch for PassTimes {
    fn trial(&mut self, t: u64, _: Label, _: &Round) -> onlinear::Result<()> {
        if t == self.rows * self.starts.len() as u64 {
            self.starts.push(thread_cpu());
        }
        Ok(())
    }
}

/// A further pass over rows in memory.
pub fn pass(bench: &Bench) -> Result<Vec<Line>> {
    const PASSES: u64 = 16;
    let file = bench.files.large(Packing::Plain)?;
    let non_zeros = non_zeros(&file)? as f64;
    let rows = learned(&file, 1, &mut ())?.counts.total().trials;
    let mut times = PassTimes { rows, starts: Vec::new() };
    let model = learned(&file, PASSES, &mut times)?;
    // The first pass finds the memory of the weights cold; the last has no successor to end it.
    let mut nanoseconds: Vec<f64> =
        times.starts.windows(2).skip(1).map(|two| (two[1] - two[0]) / non_zeros * 1e9).collect();
    nanoseconds.sort_by(f64::total_cmp);
    let (least, median) = (nanoseconds[0], nanoseconds[nanoseconds.len() / 2]);
    let mistakes =
        model.counts.passes[1..].iter().map(|pass| pass.mistakes).sum::<u64>() as f64 / (rows * (PASSES - 1)) as f64;
    let measured = format!("least {least:.2}, median {median:.2} ns per non-zero, {:.0} % mistakes", 100.0 * mistakes);
    Ok(vec![Line::judged("pass", measured, (least, "ns"), Target::AtMost(2.5))])
}

/// Learning from gzip, against unpacking alone.
pub fn gz(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.large(Packing::Gz)?;
    unpacked("gz", &file, || Ok(Box::new(flate2::read::MultiGzDecoder::new(File::open(&file)?))))
}

/// Learning from zstd, against unpacking alone.
pub fn zst(bench: &Bench) -> Result<Vec<Line>> {
    let file = bench.files.large(Packing::Zst)?;
    unpacked("zst", &file, || Ok(Box::new(zstd::stream::read::Decoder::new(File::open(&file)?)?)))
}

fn unpacked(name: &str, file: &Path, open: impl Fn() -> Result<Box<dyn Read>>) -> Result<Vec<Line>> {
    let mut buffer = vec![0; 256 * 1024];
    let mut unpack = || -> Result<()> {
        let mut bytes = open()?;
        while bytes.read(&mut buffer)? > 0 {}
        Ok(())
    };
    // Beside the wall times, what they come to when a second core is free: the time of the busier thread.
    let (mut alone_cpu, mut busier) = (f64::INFINITY, f64::INFINITY);
    let mut unpack_alone = || -> Result<()> {
        alone_cpu = alone_cpu.min(cpu_of(&mut unpack)?);
        Ok(())
    };
    let mut learn = || -> Result<()> {
        busier = busier.min(busier_of(|| learned(file, 1, &mut ()))?);
        Ok(())
    };
    let [alone, learning] = least(MANY_TURNS, [&mut || wall_of(&mut unpack_alone), &mut || wall_of(&mut learn)])?;
    let cpu = format!("CPU of the busier thread {busier:.3} s, {alone_cpu:.3} s ({:.2}×)", busier / alone_cpu);
    let measured = format!("wall: learning {learning:.3} s, unpacking alone {alone:.3} s; {cpu}");
    Ok(vec![Line::judged(name, measured, (learning / alone, "×"), Target::AtMost(1.15))])
}

/// `predict` against `learn`.
pub fn predict(bench: &Bench) -> Result<Vec<Line>> {
    let (file, small, model) =
        (bench.files.large(Packing::Plain)?, bench.files.small(Packing::Plain)?, bench.files.model());
    let learn = |file: &Path| command(bench, &["learn".as_ref(), "perceptron".as_ref(), file]);
    let predict = |file: &Path| command(bench, &["predict".as_ref(), &model, file]);
    child_cpu(learn(&file).arg("--model").arg(&model))?;
    let turns: [&mut dyn FnMut() -> Result<f64>; 2] =
        [&mut || child_cpu(&mut learn(&file)), &mut || child_cpu(&mut predict(&file))];
    let [learning, predicting] = least(MANY_TURNS, turns)?;
    let counted = match (instructions(&learn(&small))?, instructions(&predict(&small))?) {
        (Some(learning), Some(predicting)) => format!("; instructions {:.3}×", predicting / learning),
        _ => String::new(),
    };
    let measured = format!("predict {predicting:.3} s, learn {learning:.3} s{counted}");
    Ok(vec![Line::judged("predict", measured, (predicting / learning, "×"), Target::AtMost(1.0))])
}

fn command(bench: &Bench, arguments: &[&Path]) -> Command {
    let mut command = Command::new(&bench.program);
    command.args(arguments);
    command
}
