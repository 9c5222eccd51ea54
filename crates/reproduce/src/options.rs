//! What whoever runs experiments hands in.

use std::path::PathBuf;

use onlinear::Watch;
use onlinear::workshop::Stop;

/// How experiments are run.
pub struct RunOptions {
    /// The folder with the data sets.
    pub data: Option<PathBuf>,
    /// How often every run is repeated, in place of each experiment's own number.
    pub repeats: Option<u64>,
    /// Whether runs are repeated as often as the paper did, with more settings.
    pub full: bool,
    /// The rows to run; all where there is none.
    pub only: Vec<String>,
    /// The folder that keeps what is finished.
    pub resume: Option<PathBuf>,
    /// No run may use more bytes than this for rows and weights.
    pub max_memory: u64,
    /// Ends all runs as soon as it is asked to.
    pub stop: Stop,
}

impl RunOptions {
    /// Whether a row is to be run.
    pub(crate) fn wants(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == row)
    }
}

/// Who shows how far the work has got.
pub trait Host {
    /// Looks on while a set is read.
    fn reading(&self) -> Box<dyn Watch>;

    /// So many runs begin: what is to be called when one is over, and dropped when all are.
    fn work(&self, runs: usize) -> Box<dyn Fn() + Sync>;
}
