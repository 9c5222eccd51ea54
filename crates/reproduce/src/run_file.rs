//! Runs that are finished, kept in a file so that interrupted work can go on from there.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use onlinear::Error;
use serde::Deserialize;
use serde_json::json;

use crate::track::{Measurements, Track, TrackStop};

/// The file in the folder: a line for each run.
const FILE: &str = "runs.jsonl";

/// The runs of earlier work, and where those of this one are added.
pub struct RunFile {
    path: PathBuf,
    known: HashMap<String, Track>,
    file: Mutex<File>,
}

impl RunFile {
    /// The runs that a folder holds. A line that was not written to its end counts for nothing.
    pub fn open(folder: &Path) -> anyhow::Result<RunFile> {
        let path = folder.join(FILE);
        let failed = |reason| Error::Io { file: path.display().to_string(), reason };
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(reason) => return Err(failed(reason).into()),
        };
        let known = text.lines().filter_map(from_line).collect();
        let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(RunFile { path, known, file: Mutex::new(file) })
    }

    /// The run of that key, or what `run` finds, which is kept.
    pub fn find_or(&self, key: &str, run: impl FnOnce() -> anyhow::Result<Track>) -> anyhow::Result<Track> {
        if let Some(track) = self.known.get(key) {
            return Ok(track.clone());
        }
        let track = run()?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |reason| Error::Io { file: self.path.display().to_string(), reason };
        file.write_all(to_line(key, &track).as_bytes()).map_err(failed)?;
        Ok(track)
    }
}

/// A run as a line of the file.
fn to_line(key: &str, track: &Track) -> String {
    let stops: Vec<(&TrackStop, &Measurements)> = track.stops.iter().collect();
    format!("{}\n", json!({"key": key, "end": track.end, "stops": stops, "failure": track.failure}))
}

/// What a line holds.
#[derive(Deserialize)]
struct RunLine {
    key: String,
    end: Measurements,
    stops: Vec<(TrackStop, Measurements)>,
    #[serde(default)]
    failure: Option<String>,
}

/// The key and the run of a line; `None` where it is not whole.
fn from_line(line: &str) -> Option<(String, Track)> {
    let RunLine { key, end, stops, failure } = serde_json::from_str(line).ok()?;
    Some((key, Track { stops: stops.into_iter().collect(), end, failure }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::measure::Measure;

    #[test]
    fn a_run_is_read_back_to_the_bit_and_half_a_line_is_not() {
        let measured = Measurements::from([(Measure::MistakeRate, 100.0 / 3.0), (Measure::Support, 7.0)]);
        let stops =
            [TrackStop::Trials(5), TrackStop::Epochs(2), TrackStop::Part(400)].map(|stop| (stop, measured.clone()));
        let track = Track { stops: stops.into(), end: measured, failure: Some("too large".to_string()) };
        let line = to_line("a \"key\"", &track);
        assert_eq!(from_line(line.trim_end()), Some(("a \"key\"".to_string(), track)));
        for end in 0..line.len() - 2 {
            assert_eq!(from_line(&line[..end]), None);
        }
    }
}
