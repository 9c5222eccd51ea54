//! The one writer: it alone learns, and owns the log.

mod learning;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use onlinear::workshop::Feed;
use onlinear::{Error, Result};

use crate::answers::KnownIds;
use crate::begin::Begin;
use crate::edition::{Edition, Published};
use crate::job::{Job, Reply, Sync, WriterOptions};
use crate::metrics::Metrics;
use crate::recovery::{Recovered, recover};
use crate::refusal::Refusal;
use crate::store::{Log, Snapshot, SnapshotNotes, Store, Waiting};

/// No more requests than this are answered together.
const MOST_TOGETHER: usize = 1024;
/// Publishing may take no larger share of the writer's time than one in so many, but where too many rows wait for it.
const PUBLISHING_SHARE: u32 = 20;

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
    /// Ids of rows that waited and have their labels, which is noted once the log has them.
    labelled: Vec<String>,
    /// When the first of them has to be.
    due: Option<Instant>,
    /// Rows in the last edition, when it was, and how long it took.
    edition: (u64, Instant, Duration),
    /// Rows in the last snapshot, or the one that is being saved.
    snapshot: u64,
    is_saving: bool,
    /// Who asked for a snapshot while another was being saved.
    wanted: Vec<Reply<u64>>,
    /// Why no more can be learned.
    full: Option<String>,
    /// Whether rows that were learned may not be on disk.
    is_unsure: bool,
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
        // A server that ends right after it has saved a snapshot leaves the one before.
        Snapshot::remove_before(snapshot, &store.folder.join("snapshot"))?;
        let waiting = Waiting::open(store.folder.join("waiting"), options.remember, |id| ids.get(id).is_some())?;
        let (rows, model) = (log.rows, feed.model());
        let metrics = Metrics::new(model.counts.total().trials, model.wrong_trials());
        metrics.log_bytes.store(log.bytes, Ordering::Relaxed);
        metrics.logged.store(rows, Ordering::Relaxed);
        metrics.waiting.store(waiting.len() as u64, Ordering::Relaxed);
        let published = Published::new(Edition::of(model, rows)?);
        let edition = (rows, Instant::now(), Duration::ZERO);
        let (published, metrics) = (Arc::new(published), Arc::new(metrics));
        let (unsynced, labelled, wanted) = (Vec::new(), Vec::new(), Vec::new());
        let (due, is_saving, full, is_unsure) = (None, false, None, false);
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
            labelled,
            due,
            edition,
            snapshot,
            is_saving,
            wanted,
            full,
            is_unsure,
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
        let Some(due) = self.due else { return jobs.recv_timeout(self.patience()).ok() };
        if self.options.sync == Sync::Always {
            return jobs.try_recv().ok();
        }
        jobs.recv_timeout(due.saturating_duration_since(Instant::now())).ok()
    }

    /// How long to wait while there is nothing to do: until rows that are learned have to be published.
    fn patience(&self) -> Duration {
        let (rows, at, took) = self.edition;
        match rows < self.log.rows {
            true => (at + took * PUBLISHING_SHARE).saturating_duration_since(Instant::now()),
            false => Duration::from_secs(3600),
        }
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
            Job::Snapshot { reply } if self.is_saving => self.wanted.push(reply),
            Job::Snapshot { reply } => self.save_snapshot(vec![reply]),
            Job::Saved { saved, replies } => self.saved(saved, replies),
            Job::Hurry => self.options.sync = Sync::Always,
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

    /// Makes what was done last, publishes the model where that is due, and answers.
    fn commit(&mut self) {
        let synced = self.log.sync().and_then(|()| self.note_labelled());
        self.due = None;
        self.metrics.log_bytes.store(self.log.bytes, Ordering::Relaxed);
        self.metrics.logged.store(self.log.rows, Ordering::Relaxed);
        if synced.is_ok() {
            self.publish();
        }
        let told = synced.map_err(|error| {
            // What lasts is not known any more: no more is learned before the server has been started anew.
            self.full = Some(format!("the log cannot be synced: {error}"));
            self.is_unsure = true;
            self.edition.0 = self.log.rows; // nor is it published: nothing is left to wait for
            Refusal::of_sync(&error)
        });
        for answer in std::mem::take(&mut self.unsynced) {
            answer(told.clone());
        }
        if self.log.rows - self.snapshot >= self.options.snapshot_every && !self.is_saving && self.full.is_none() {
            self.save_snapshot(Vec::new());
        }
    }

    /// Notes that rows wait no more: only now, since a row that is lost with the end of the log has to go on waiting.
    fn note_labelled(&mut self) -> Result<()> {
        for id in std::mem::take(&mut self.labelled) {
            let _ = self.waiting.done(&id); // the log tells it as well, should this be lost
        }
        self.metrics.waiting.store(self.waiting.len() as u64, Ordering::Relaxed);
        self.waiting.sync()
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

    /// The model as it stands, to be saved; none that has more rows than the log.
    fn current_snapshot(&mut self) -> Result<Snapshot> {
        if self.is_unsure {
            let message = "its log could not be synced: what is on disk is seen when a server is started with it";
            return Err(Error::data(&self.store.folder.display().to_string(), message));
        }
        let notes = SnapshotNotes { labels: self.feed.labels_met(), ids: self.ids.clone() };
        Ok(Snapshot { rows: self.log.rows, model: self.feed.model().duplicate()?, notes })
    }

    /// Saves a snapshot on a thread of its own, of a copy: learning goes on.
    fn save_snapshot(&mut self, replies: Vec<Reply<u64>>) {
        self.commit_unsynced();
        let snapshot = match self.current_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.saved(Err(error), replies),
        };
        (self.is_saving, self.snapshot) = (true, snapshot.rows);
        let (folder, jobs) = (self.store.folder.join("snapshot"), self.jobs.clone());
        thread::spawn(move || {
            let saved = snapshot.save(&folder);
            let _ = jobs.send(Job::Saved { saved, replies });
        });
    }

    /// What is in a snapshot must be in the log.
    fn commit_unsynced(&mut self) {
        if !self.unsynced.is_empty() {
            self.commit();
        }
    }

    fn saved(&mut self, saved: Result<u64>, replies: Vec<Reply<u64>>) {
        self.is_saving = false;
        // The rows that follow those of a file have to last before it goes: the log would begin with none.
        self.commit_unsynced();
        if let Ok(rows) = &saved
            && self.options.drop_log
            && !self.is_unsure
            && let Err(error) = self.log.drop_covered(*rows)
        {
            (self.say)(&format!("the log cannot be dropped: {error}"));
        }
        if let Err(error) = &saved {
            (self.say)(&format!("no snapshot was saved: {error}"));
        }
        let told = saved.map_err(|error| Refusal::unsaved(&error));
        for reply in replies {
            let _ = reply.send(told.clone());
        }
        if !self.wanted.is_empty() && !self.is_saving {
            let wanted = std::mem::take(&mut self.wanted);
            self.save_snapshot(wanted);
        }
    }
}
