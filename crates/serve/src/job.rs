//! What the writer is asked to do, and how.

use std::sync::Arc;
use std::time::Duration;

use onlinear::{Model, Result};
use tokio::sync::oneshot;

use crate::answers::RowAnswer;
use crate::refusal::Refusal;
use crate::store::Remember;

/// What a client waits for.
pub(crate) type Reply<T> = oneshot::Sender<std::result::Result<T, Refusal>>;

/// What the writer is asked to do.
pub(crate) enum Job {
    /// Learn from these rows, which are JSON lines.
    Learn { text: Arc<[u8]>, reply: Reply<Vec<LearnedRow>> },
    /// Learn from rows that wait, by the labels given now.
    Label { labels: Vec<LateLabel>, reply: Reply<Vec<LabelledRow>> },
    /// Remember rows until their labels come; each may have an id of its own.
    Remember { rows: Vec<(String, String)>, reply: Reply<Vec<String>> },
    /// A copy of the model as it stands.
    Copy { reply: Reply<Model> },
    /// Save a snapshot.
    Snapshot { reply: Reply<u64> },
    /// A snapshot was saved, or was not.
    Saved { saved: Result<u64>, replies: Vec<Reply<u64>> },
    /// Wait for no more requests before those that came are answered: the server ends.
    Hurry,
    /// Save and end.
    Stop,
}

/// A row that was learned from, now or before.
pub(crate) struct LearnedRow {
    pub(crate) id: String,
    pub(crate) answer: RowAnswer,
    pub(crate) is_repeated: bool,
}

/// A label that comes late.
pub(crate) struct LateLabel {
    pub(crate) id: String,
    /// As it stands in JSON.
    pub(crate) label: String,
}

/// What became of it; none where its row is not known, or not any more.
pub(crate) struct LabelledRow {
    pub(crate) id: String,
    pub(crate) row: Option<LearnedRow>,
}

/// How often what was learned is made to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// After every request, and those that have come meanwhile.
    Always,
    /// When so much time has passed since the first request that waits for it.
    Every(Duration),
}

/// How the writer goes about it.
#[derive(Clone, Copy, Debug)]
pub struct WriterOptions {
    /// How often what was learned is made to last.
    pub sync: Sync,
    /// Predictions are at most so many rows behind.
    pub publish_every: u64,
    /// A snapshot is saved after so many rows.
    pub snapshot_every: u64,
    /// Whether files of the log go that are in a snapshot.
    pub drop_log: bool,
    /// How long rows wait for their labels.
    pub remember: Remember,
    /// The most memory for rows and weights.
    pub max_memory: u64,
}
