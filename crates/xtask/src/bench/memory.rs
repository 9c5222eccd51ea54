//! How much memory a one-pass run takes.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::data::{FEATURES, Packing};
use super::table::{Line, Target};
use super::{Bench, clock, release};

const MEGABYTE: f64 = 1e6;
/// The largest window that zstd uses at the level the files are packed with.
const ZST_WINDOW: f64 = (2 << 20) as f64 / MEGABYTE;

/// Peak memory beside the model, for a file and for one ten times as large.
pub fn memory(bench: &Bench) -> Result<Vec<Line>> {
    let model = (FEATURES * 8) as f64 / MEGABYTE;
    let mut lines = Vec::new();
    for (packing, name) in Packing::ALL {
        let window = if packing == Packing::Zst { ZST_WINDOW } else { 0.0 };
        let mut peaks = [0.0; 2];
        for (peak, file) in peaks.iter_mut().zip([bench.files.small(packing)?, bench.files.large(packing)?]) {
            let file = file.to_str().context("the path of the data is not Unicode")?;
            *peak = peak_of(&[&bench.program.to_string_lossy(), "learn", "perceptron", file])? / MEGABYTE;
        }
        let [small, large] = peaks;
        let besides = if window > 0.0 { format!(", zstd's window of {window:.1} MB") } else { String::new() };
        let measured = format!("{small:.1} MB at 20 MB of text, {large:.1} MB at 200 MB; model {model:.1} MB{besides}");
        let figure = small.max(large) - model - window;
        lines.push(Line::judged(format!("memory {name}"), measured, (figure, "MB"), Target::AtMost(16.0)));
    }
    Ok(lines)
}

/// The peak memory of a program. It is started by a small process, because the system counts what
/// the starting one held.
fn peak_of(program: &[&str]) -> Result<f64> {
    let output = Command::new(release("xtask")?).args(["bench", "--child", "memory"]).args(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .with_context(|| format!("no peak memory of {program:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Runs a program and prints the most memory it held.
pub fn child(program: &[&str]) -> Result<()> {
    let [name, arguments @ ..] = program else { bail!("no program") };
    println!("{}", clock::run(Command::new(name).args(arguments).stdout(Stdio::null()))?.peak_memory);
    Ok(())
}
