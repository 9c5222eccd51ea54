//! The one writer: it alone learns, and owns the log.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use onlinear::workshop::{ColumnKind, Feed, Piece};
use onlinear::{Batch, Input, Model, Result};
use serde_json::Value as Json;
use tokio::sync::oneshot;

use crate::answers::{KnownIds, RowAnswer, Trials};
use crate::begin::Begin;
use crate::edition::{Edition, Published};
use crate::metrics::Metrics;
use crate::recovery::{Recovered, recover};
use crate::refusal::Refusal;
use crate::store::{Log, Remember, Snapshot, SnapshotNotes, Store, Waiting, WaitingRow};

/// No more requests than this are answered together.
const MOST_TOGETHER: usize = 1024;
/// Publishing may take no larger share of the writer's time than one in so many, but where too many rows wait for it.
const PUBLISHING_SHARE: u32 = 20;

/// What a client waits for.
pub(crate) type Reply<T> = oneshot::Sender<std::result::Result<T, Refusal>>;

/// What the writer is asked to do.
pub(crate) enum Job {
    /// Learn from these rows, which are JSON lines.
    Learn { text: Vec<u8>, reply: Reply<Vec<LearnedRow>> },
    /// Learn from rows that wait, by the labels given now.
    Label { labels: Vec<LateLabel>, reply: Reply<Vec<LabelledRow>> },
    /// Remember rows until their labels come; each may have an id of its own.
    Remember { rows: Vec<(String, String)>, reply: Reply<Vec<String>> },
    /// A copy of the model as it stands.
    Copy { reply: Reply<Model> },
    /// Save a snapshot.
    Snapshot { reply: Option<Reply<u64>> },
    /// A snapshot was saved, or was not.
    Saved { saved: Result<u64>, reply: Option<Reply<u64>> },
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

/// What sends an answer once it lasts, or says that it does not.
type Answer = Box<dyn FnOnce(std::result::Result<(), Refusal>) + Send>;

/// The writer.
pub(crate) struct Writer {
    store: Store,
    begin: Begin,
    options: WriterOptions,
    say: fn(&str),
    feed: Feed,
    ids: KnownIds,
    log: Log,
    waiting: Waiting,
    published: Arc<Published>,
    metrics: Arc<Metrics>,
    jobs: Sender<Job>,
    /// Answers to what has yet to be synced.
    unsynced: Vec<Answer>,
    /// When the first of them has to be.
    due: Option<Instant>,
    /// Rows in the last edition, when it was, and how long it took.
    edition: (u64, Instant, Duration),
    /// Rows in the last snapshot, or the one that is being saved.
    snapshot: u64,
    is_saving: bool,
    /// Why no more can be learned.
    full: Option<String>,
}

impl Writer {
    /// Opens the store and goes through what its log has behind the last snapshot.
    pub(crate) fn open(
        store: Store,
        begin: Begin,
        options: WriterOptions,
        jobs: Sender<Job>,
        say: fn(&str),
    ) -> Result<Writer> {
        begin.note(&store)?;
        let mut log = Log::open(store.folder.join("log"), &say)?;
        let Recovered { mut feed, ids, snapshot } = recover(&store, &begin, &mut log, options.max_memory, &say)?;
        let waiting = Waiting::open(store.folder.join("waiting"), options.remember, |id| ids.get(id).is_some())?;
        let (rows, model) = (log.rows, feed.model());
        let metrics = Metrics::new(model.counts.total().trials, model.wrong_trials());
        metrics.log_bytes.store(log.bytes, Ordering::Relaxed);
        metrics.logged.store(rows, Ordering::Relaxed);
        metrics.waiting.store(waiting.len() as u64, Ordering::Relaxed);
        let published = Published::new(Edition::of(model, rows)?);
        let edition = (rows, Instant::now(), Duration::ZERO);
        let (published, metrics) = (Arc::new(published), Arc::new(metrics));
        let (unsynced, due, is_saving, full) = (Vec::new(), None, false, None);
        Ok(Writer {
            store,
            begin,
            options,
            say,
            feed,
            ids,
            log,
            waiting,
            published,
            metrics,
            jobs,
            unsynced,
            due,
            edition,
            snapshot,
            is_saving,
            full,
        })
    }

    pub(crate) fn published(&self) -> Arc<Published> {
        self.published.clone()
    }

    pub(crate) fn metrics(&self) -> Arc<Metrics> {
        self.metrics.clone()
    }

    /// Does what it is asked to until it is told to stop.
    pub(crate) fn run(mut self, jobs: &Receiver<Job>) -> Result<()> {
        loop {
            match self.next(jobs) {
                Some(Job::Stop) => break,
                Some(job) => self.handle(job),
                None => self.commit(),
            }
            if self.unsynced.len() >= MOST_TOGETHER {
                self.commit();
            }
        }
        self.commit();
        while self.is_saving
            && let Ok(job) = jobs.recv()
        {
            if let Job::Saved { .. } = job {
                self.handle(job);
            }
        }
        if self.snapshot < self.log.rows {
            self.current_snapshot()?.save(&self.store.folder.join("snapshot"))?;
        }
        Ok(())
    }

    /// The next job; none where what was done has to be committed first.
    fn next(&self, jobs: &Receiver<Job>) -> Option<Job> {
        let Some(due) = self.due else { return jobs.recv_timeout(self.patience()).ok().or_else(|| self.stopped(jobs)) };
        if self.options.sync == Sync::Always {
            return match jobs.try_recv() {
                Ok(job) => Some(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
            };
        }
        match jobs.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// How long to wait while there is nothing to do: until rows that are learned have to be published.
    fn patience(&self) -> Duration {
        let (rows, at, took) = self.edition;
        match rows < self.log.rows {
            true => (at + took * PUBLISHING_SHARE).saturating_duration_since(Instant::now()),
            false => Duration::from_secs(3600),
        }
    }

    /// Nobody can ask for anything any more.
    fn stopped(&self, jobs: &Receiver<Job>) -> Option<Job> {
        matches!(jobs.try_recv(), Err(TryRecvError::Disconnected)).then_some(Job::Stop)
    }

    fn handle(&mut self, job: Job) {
        match job {
            Job::Learn { text, reply } => {
                let learned = self.learn(text);
                self.answer(reply, learned);
            }
            Job::Label { labels, reply } => {
                let labelled = self.label(labels);
                self.answer(reply, labelled);
            }
            Job::Remember { rows, reply } => {
                let ids = self.remember(rows);
                self.answer(reply, ids);
            }
            Job::Copy { reply } => {
                self.commit();
                let copy = self.feed.model().duplicate().map_err(|error| Refusal::of_store(&error));
                let _ = reply.send(copy);
            }
            Job::Snapshot { reply } => self.save_snapshot(reply),
            Job::Saved { saved, reply } => self.saved(saved, reply),
            Job::Stop => {}
        }
    }

    /// Answers once what was done lasts; what was refused, at once.
    fn answer<T: Send + 'static>(&mut self, reply: Reply<T>, done: std::result::Result<T, Refusal>) {
        match done {
            Ok(done) => {
                self.unsynced.push(Box::new(move |synced| drop(reply.send(synced.map(|()| done)))));
                let wait = match self.options.sync {
                    Sync::Always => Duration::ZERO,
                    Sync::Every(time) => time,
                };
                self.due.get_or_insert_with(|| Instant::now() + wait);
            }
            Err(refusal) => drop(reply.send(Err(refusal))),
        }
    }

    /// Learns from rows that are JSON lines: all of them, or none where one is wrong.
    fn learn(&mut self, text: Vec<u8>) -> std::result::Result<Vec<LearnedRow>, Refusal> {
        if let Some(full) = &self.full {
            return Err(Refusal::new(StatusCode::INSUFFICIENT_STORAGE, full));
        }
        let piece = self.read(&text)?;
        let ids: Vec<String> = piece.batches.iter().flat_map(|batch| batch.kept.iter().cloned()).collect();
        let mut met = HashSet::new();
        let is_new = |id: &String| id.is_empty() || self.ids.get(id).is_none() && met.insert(id.clone());
        let new: Vec<bool> = ids.iter().map(is_new).collect();
        let lines = lines_of(&text, &piece.batches);
        if new.iter().all(|new| *new) {
            let text = joined(lines.iter().copied());
            let answers = self.learn_piece(piece, &text, &lines)?;
            return Ok(self.answers(ids, &new, answers));
        }
        // Rows that are known teach nothing, not even names: the others are read as if they had come alone.
        self.feed.forget(piece);
        let kept: Vec<&[u8]> = lines.iter().zip(&new).filter(|(_, new)| **new).map(|(line, _)| *line).collect();
        let mut answers = Vec::new();
        if !kept.is_empty() {
            let text = joined(kept.iter().copied());
            let piece = self.read(&text)?;
            answers = self.learn_piece(piece, &text, &kept)?;
        }
        Ok(self.answers(ids, &new, answers))
    }

    fn read(&mut self, text: &[u8]) -> std::result::Result<Piece, Refusal> {
        let input = Input::Memory { name: "body".into(), bytes: text.into() };
        self.feed.read(&input).map_err(|error| Refusal::of_rows(&error))
    }

    /// Appends rows to the log and learns from them.
    fn learn_piece(
        &mut self,
        piece: Piece,
        text: &[u8],
        lines: &[&[u8]],
    ) -> std::result::Result<Vec<RowAnswer>, Refusal> {
        let end = self.log.end();
        if let Err(error) = self.log.append(text, lines.len() as u64) {
            self.feed.forget(piece);
            return Err(Refusal::of_store(&error));
        }
        let mut trials = Trials::behind(self.log.rows - lines.len() as u64);
        if let Err(error) = self.feed.learn(&piece, &mut trials) {
            if trials.answers.len() == lines.len() {
                self.full = Some(error.to_string()); // all were learned, and there is no room for more
            } else {
                if let Err(error) = self.log.cut_off(end) {
                    self.full = Some(error.to_string());
                }
                self.rebuild();
                return Err(Refusal::of_rows(&error));
            }
        }
        let mut progress = self.metrics.progress();
        for (answer, line) in trials.answers.iter().zip(lines) {
            progress.note(answer, line);
        }
        Ok(trials.answers)
    }

    /// The answers to all rows, with those known before.
    fn answers(&mut self, ids: Vec<String>, new: &[bool], answers: Vec<RowAnswer>) -> Vec<LearnedRow> {
        let mut answers = answers.into_iter();
        let mut all = Vec::with_capacity(ids.len());
        for (id, is_new) in ids.into_iter().zip(new) {
            let answer = if *is_new { answers.next() } else { self.ids.get(&id).copied() };
            let Some(answer) = answer else { continue };
            if *is_new && !id.is_empty() {
                self.ids.note(&id, answer);
            }
            if !is_new {
                self.metrics.repeated.fetch_add(1, Ordering::Relaxed);
            }
            all.push(LearnedRow { id, answer, is_repeated: !is_new });
        }
        all
    }

    /// Goes back to what the log says: something was read or learned that is not in it.
    fn rebuild(&mut self) {
        match recover(&self.store, &self.begin, &mut self.log, self.options.max_memory, &self.say) {
            Ok(Recovered { feed, ids, .. }) => (self.feed, self.ids) = (feed, ids),
            Err(error) => self.full = Some(format!("the store cannot be read again: {error}")),
        }
    }

    /// Learns from rows that wait, by their labels.
    fn label(&mut self, labels: Vec<LateLabel>) -> std::result::Result<Vec<LabelledRow>, Refusal> {
        let (mut text, mut places, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let key = self.label_key();
        for (i, LateLabel { id, label }) in labels.iter().enumerate() {
            match self.waiting.get(id).filter(|_| self.ids.get(id).is_none()) {
                Some(row) => {
                    text.extend_from_slice(with_key(&row.line, &key, label).as_bytes());
                    text.push(b'\n');
                    places.push(i);
                    lines.push(i as u64 + 1);
                }
                None => {}
            }
        }
        let learned = if text.is_empty() { Vec::new() } else { self.learn(text).map_err(|it| it.in_lines(&lines))? };
        let known = |id: &String| {
            let answer = *self.ids.get(id)?;
            Some(LearnedRow { id: id.clone(), answer, is_repeated: true })
        };
        let mut all: Vec<LabelledRow> =
            labels.iter().map(|late| LabelledRow { id: late.id.clone(), row: known(&late.id) }).collect();
        for (place, row) in places.into_iter().zip(learned) {
            // That it waits no more is in the log as well, should this be lost.
            let _ = self.waiting.done(&row.id);
            all[place].row = Some(row);
        }
        self.metrics.waiting.store(self.waiting.len() as u64, Ordering::Relaxed);
        Ok(all)
    }

    /// The key of labels in the log: in a table, that of their column.
    fn label_key(&mut self) -> String {
        let columns = self.feed.model().csv.iter().flat_map(|schema| schema.columns());
        let label = columns.filter(|(_, kind)| *kind == ColumnKind::Label).map(|(name, _)| name.to_string()).next();
        label.unwrap_or_else(|| "label".to_string())
    }

    /// Remembers rows until their labels come.
    fn remember(&mut self, rows: Vec<(String, String)>) -> std::result::Result<Vec<String>, Refusal> {
        let mut waiting = Vec::with_capacity(rows.len());
        for (i, (id, line)) in rows.into_iter().enumerate() {
            waiting.push(match id.is_empty() {
                true => {
                    let id = self.waiting.new_id(i as u64);
                    let line = with_key(&line, "id", &format!("\"{id}\""));
                    WaitingRow::new(id, line)
                }
                false => WaitingRow::new(id, line),
            });
        }
        let ids = waiting.iter().map(|row| row.id.clone()).collect();
        self.waiting.add(waiting).map_err(|error| Refusal::of_store(&error))?;
        self.metrics.waiting.store(self.waiting.len() as u64, Ordering::Relaxed);
        Ok(ids)
    }

    /// Makes what was done last, publishes the model where that is due, and answers.
    fn commit(&mut self) {
        let synced = self.log.sync().and_then(|()| self.waiting.sync());
        self.due = None;
        self.metrics.log_bytes.store(self.log.bytes, Ordering::Relaxed);
        self.metrics.logged.store(self.log.rows, Ordering::Relaxed);
        if synced.is_ok() {
            self.publish();
        }
        let told = synced.map_err(|error| {
            // What lasts is not known any more: no more is learned before the server has been started anew.
            self.full = Some(format!("the log cannot be synced: {error}"));
            Refusal::of_store(&error)
        });
        for answer in std::mem::take(&mut self.unsynced) {
            answer(told.clone());
        }
        if self.log.rows - self.snapshot >= self.options.snapshot_every && !self.is_saving && self.full.is_none() {
            self.save_snapshot(None);
        }
    }

    /// Publishes the model, if too many rows are not in the last edition, or it is cheap enough.
    fn publish(&mut self) {
        let (rows, at, took) = self.edition;
        let behind = self.log.rows - rows;
        let is_cheap = at.elapsed() >= took * PUBLISHING_SHARE;
        if behind == 0 || behind < self.options.publish_every && !is_cheap {
            return;
        }
        let begun = Instant::now();
        match Edition::of(self.feed.model(), self.log.rows) {
            Ok(edition) => self.published.publish(edition),
            Err(error) => (self.say)(&format!("the model cannot be published: {error}")),
        }
        self.edition = (self.log.rows, begun, begun.elapsed());
    }

    fn current_snapshot(&mut self) -> Result<Snapshot> {
        let notes = SnapshotNotes { labels: self.feed.labels_met(), ids: self.ids.clone() };
        Ok(Snapshot { rows: self.log.rows, model: self.feed.model().duplicate()?, notes })
    }

    /// Saves a snapshot on a thread of its own, of a copy: learning goes on.
    fn save_snapshot(&mut self, reply: Option<Reply<u64>>) {
        self.commit_unsynced();
        let snapshot = match self.current_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.saved(Err(error), reply),
        };
        (self.is_saving, self.snapshot) = (true, snapshot.rows);
        let (folder, jobs) = (self.store.folder.join("snapshot"), self.jobs.clone());
        thread::spawn(move || {
            let saved = snapshot.save(&folder);
            let _ = jobs.send(Job::Saved { saved, reply });
        });
    }

    /// What is in a snapshot must be in the log.
    fn commit_unsynced(&mut self) {
        if !self.unsynced.is_empty() {
            self.commit();
        }
    }

    fn saved(&mut self, saved: Result<u64>, reply: Option<Reply<u64>>) {
        self.is_saving = false;
        if let Ok(rows) = &saved
            && self.options.drop_log
            && let Err(error) = self.log.drop_covered(*rows)
        {
            (self.say)(&format!("the log cannot be dropped: {error}"));
        }
        if let Err(error) = &saved {
            (self.say)(&format!("no snapshot was saved: {error}"));
        }
        if let Some(reply) = reply {
            let _ = reply.send(saved.map_err(|error| Refusal::of_store(&error)));
        }
    }
}

/// The lines that rows were read from, without the spaces around them.
fn lines_of<'a>(text: &'a [u8], batches: &[Batch]) -> Vec<&'a [u8]> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let numbers = batches.iter().flat_map(|batch| &batch.lines);
    numbers.map(|&number| lines[number as usize - 1].trim_ascii()).collect()
}

fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

/// A JSON object with one more key, in front; `value` is JSON.
fn with_key(object: &str, key: &str, value: &str) -> String {
    let rest = object.trim_start().strip_prefix('{').unwrap_or(object).trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!("{{{}:{value}{comma}{rest}", Json::from(key))
}
