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
const ROOM: [(&str, f64); 1] = [("NumPy's array", 1.0 / 1.5)];
/// What rows come from that are learned from without ever being in memory together: judged by the memory that takes.
const STREAM: &str = "duckdb";

/// A row that the script printed.
struct Measured {
    row: String,
    peer: String,
    /// What we took, and what the peer took.
    ours: Taken,
    theirs: Taken,
}

/// Seconds by the wall and of CPU, and bytes of memory beyond what there was before.
struct Taken {
    wall: f64,
    cpu: f64,
    bytes: f64,
}

impl Taken {
    fn shown(&self) -> String {
        let memory = if self.bytes > 0.0 { format!(", {:.0} MB", self.bytes / 1e6) } else { String::new() };
        format!("{} ({} of CPU{memory})", shown(self.wall), shown(self.cpu))
    }
}

impl Measured {
    fn read(line: &str) -> Result<Measured> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [row, peer, figures @ ..] = &cells[..] else { anyhow::bail!("'{line}' is no row") };
        let figures = figures.iter().map(|cell| cell.parse()).collect::<Result<Vec<f64>, _>>()?;
        let [ours, theirs] = match figures[..] {
            [wall, cpu, bytes, their_wall, their_cpu, their_bytes] => {
                [Taken { wall, cpu, bytes }, Taken { wall: their_wall, cpu: their_cpu, bytes: their_bytes }]
            }
            _ => anyhow::bail!("'{line}' has other figures than six"),
        };
        Ok(Measured { row: row.to_string(), peer: peer.to_string(), ours, theirs })
    }

    fn line(&self) -> Line {
        let Measured { row, peer, ours, theirs } = self;
        let (name, measured) = (format!("python: {row}"), format!("{}, {peer} {}", ours.shown(), theirs.shown()));
        if peer == STREAM {
            return Line::judged(name, measured, (ours.bytes / 1e6, "MB"), Target::Below(200.0));
        }
        let least = ROOM.iter().find(|(known, _)| known == peer).map_or(1.0, |(_, least)| *least);
        Line::judged(name, measured, (theirs.wall / ours.wall, "×"), Target::AtLeast(least))
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
    let kernel = rows.pop().context("the script printed nothing")?.ours.cpu;
    let mut learn = Command::new(&bench.program);
    learn.arg("learn").arg(KERNEL[0]).arg(&file).args(&KERNEL[1..]).stdout(std::process::Stdio::null());
    let [program] = least(3, [&mut || Ok(clock::run(&mut learn)?.cpu)])?;
    let beside = format!("{kernel:.3} s, the program {program:.3} s of CPU");
    let mut lines: Vec<Line> = rows.iter().map(Measured::line).collect();
    lines.push(Line::judged("python: kernel fit", beside, (kernel / program, "×"), Target::AtMost(1.1)));
    Ok(lines)
}
