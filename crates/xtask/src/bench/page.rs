//! `docs/performance.md`: what a run measured, with the machine it ran on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::table::{self, Line};

/// Where the page is.
const PAGE: &str = "docs/performance.md";

/// Where the lines of a group are kept, so that a group that is measured again leaves the others as they are.
fn kept(folder: &Path, group: &str) -> PathBuf {
    folder.join(format!("{group}.measured.json"))
}

/// Keeps the lines of a group in a folder.
pub fn keep(folder: &Path, group: &str, lines: &[Line]) -> Result<()> {
    let cells: Vec<&[String; 5]> = lines.iter().map(Line::cells).collect();
    Ok(fs::write(kept(folder, group), serde_json::to_string(&cells)?)?)
}

/// Writes the page anew, of the lines of these groups that a folder holds.
pub fn write<'a>(folder: &Path, groups: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut lines = Vec::new();
    for text in groups.filter_map(|group| fs::read_to_string(kept(folder, group)).ok()) {
        lines.extend(serde_json::from_str::<Vec<[String; 5]>>(&text)?.into_iter().map(Line::of_cells));
    }
    let (behind, others): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.is_missed());
    let text = format!(
        "<!-- Made by `cargo xtask bench --page`; do not edit. -->\n\n\
         # Speed and memory\n\n\
         {}\n\n\
         Everyone gets the same number of turns, one after another, and the least counts; seconds by the wall, \
         seconds of CPU and peak memory of the \
         whole process (for Python packages the import does not count). A figure is the best peer's time over ours, \
         so that more than 1 means that ours \
         is faster, unless its unit says otherwise; a target is what it should be. Made by `cargo xtask bench \
         --page`; `cargo xtask bench NAME` \
         measures one group, `--list` names them, `--counts` counts instructions.\n\n\
         The byte loop is a plain scalar parser with the same learner behind it: it stands in for SOL (LIBOL's C++ \
         program), which no package \
         registry has. On 2026-11-16, on two cores with AVX-512, SOL learned at 0.46 GB/s where this loop parsed at \
         1.19 GB/s, and KOL needed 7 to 21 \
         times our time for kernel learners.\n\n\
         ## Missed\n\n{}\n## Met, or there to compare with\n\n{}",
        machine(),
        table::markdown(&behind),
        table::markdown(&others),
    );
    fs::write(PAGE, text)?;
    println!("wrote {PAGE}");
    Ok(())
}

/// The machine in a sentence.
fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let flags = field("flags").unwrap_or_default();
    let vectors = if flags.contains("avx512f") {
        ", AVX-512"
    } else if flags.contains("avx2") {
        ", AVX2"
    } else {
        ""
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let rust = Command::new("rustc")
        .arg("--version")
        .output()
        .map(|told| String::from_utf8_lossy(&told.stdout).trim().to_string());
    let plural = if cores == 1 { "" } else { "s" };
    format!("Measured on {model}{vectors}, {cores} core{plural}, with {}.", rust.unwrap_or_default())
}
