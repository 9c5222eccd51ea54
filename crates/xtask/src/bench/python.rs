//! The Python package, against its peers in the same process and against the program.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::clock::{self, least};
use super::data::Packing;
use super::table::{Line, Target};
use crate::python::Environment;

const SCRIPT: &str = include_str!("python.py");
/// What the kernel Perceptron learns from, here and in the script.
const KERNEL: [&str; 4] = ["perceptron:kernel=gaussian", "--limit", "4000", "--quiet"];
/// Rows that are judged by what a peer takes, which is no peer at the same work: a frame's cells have to be read first.
const ROOM: [(&str, f64); 2] = [("NumPy's array", 1.0 / 1.5), ("scikit-learn", 1.0)];

/// A row that the script printed.
struct Measured {
    row: String,
    peer: String,
    /// Our seconds and the peer's: by the wall and of CPU each.
    seconds: [f64; 4],
}

impl Measured {
    fn read(line: &str) -> Result<Measured> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [row, peer, seconds @ ..] = &cells[..] else { anyhow::bail!("'{line}' is no row") };
        let seconds = seconds.iter().map(|cell| cell.parse()).collect::<Result<Vec<f64>, _>>()?;
        let seconds = seconds.try_into().ok().with_context(|| format!("'{line}' has other figures than four"))?;
        Ok(Measured { row: row.to_string(), peer: peer.to_string(), seconds })
    }

    fn line(&self) -> Line {
        let Measured { row, peer, seconds: [wall, cpu, their_wall, their_cpu] } = self;
        let measured =
            format!("{} ({} of CPU), {peer} {} ({})", shown(*wall), shown(*cpu), shown(*their_wall), shown(*their_cpu));
        let least = ROOM.iter().find(|(known, _)| known == peer).map_or(1.0, |(_, least)| *least);
        Line::judged(format!("python: {row}"), measured, (their_wall / wall, "×"), Target::AtLeast(least))
    }
}

fn shown(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.1} µs", seconds * 1e6) } else { format!("{seconds:.3} s") }
}

/// Reading, learning, predicting.
pub fn python(bench: &Bench) -> Result<Vec<Line>> {
    let Some(environment) = Environment::make()? else {
        return Ok(vec![Line::note("python", "no Python 3.10 or newer was found")]);
    };
    environment.install_package(&[])?;
    environment.install_peers();
    let (file, table) = (bench.files.large(Packing::Plain)?, bench.files.csv()?);
    let output = Command::new(environment.program("python")).args(["-c", SCRIPT]).arg(&file).arg(&table).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let mut rows = text.lines().map(Measured::read).collect::<Result<Vec<_>>>()?;
    let kernel = rows.pop().context("the script printed nothing")?.seconds[1];
    let mut learn = Command::new(&bench.program);
    learn.arg("learn").arg(KERNEL[0]).arg(&file).args(&KERNEL[1..]).stdout(std::process::Stdio::null());
    let [program] = least(3, [&mut || Ok(clock::run(&mut learn)?.cpu)])?;
    let beside = format!("{kernel:.3} s, the program {program:.3} s of CPU");
    let mut lines: Vec<Line> = rows.iter().map(Measured::line).collect();
    lines.push(Line::judged("python: kernel fit", beside, (kernel / program, "×"), Target::AtMost(1.1)));
    Ok(lines)
}
