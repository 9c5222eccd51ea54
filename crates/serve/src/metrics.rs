//! What a server counts, and how Prometheus reads it.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::answers::RowAnswer;

/// Over how many of the last rows errors are told.
const WINDOWS: [usize; 2] = [1_000, 100_000];
/// The curve of errors has no more points than this.
const MOST_POINTS: usize = 400;
/// So many of the last mistakes are shown.
const MOST_MISTAKES: usize = 20;
/// Throughput is told over so many seconds.
const SECONDS: usize = 60;
/// The upper ends of the histogram of latencies, in seconds.
const LATENCIES: [f64; 12] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.0];

/// The requests whose latency is measured.
#[derive(Clone, Copy)]
pub(crate) enum Request {
    Predict,
    Learn,
    Label,
}

impl Request {
    const ALL: [(Request, &'static str); 3] =
        [(Request::Predict, "predict"), (Request::Learn, "learn"), (Request::Label, "label")];
}

/// What is counted.
pub(crate) struct Metrics {
    pub(crate) predicted: AtomicU64,
    pub(crate) repeated: AtomicU64,
    pub(crate) refused: AtomicU64,
    /// Rows in the log.
    pub(crate) logged: AtomicU64,
    pub(crate) log_bytes: AtomicU64,
    pub(crate) waiting: AtomicU64,
    latencies: [Latency; 3],
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Latency {
    counts: [AtomicU64; LATENCIES.len()],
    all: AtomicU64,
    microseconds: AtomicU64,
}

/// How learning goes.
pub(crate) struct Progress {
    pub(crate) learned: u64,
    pub(crate) mistakes: u64,
    /// Whether each of the last rows was a mistake, the newest last.
    last: VecDeque<bool>,
    /// Mistakes in each of the windows.
    in_windows: [u64; 2],
    /// Rows and mistakes since this server began, at some moments.
    pub(crate) curve: Vec<(u64, u64)>,
    /// A point is added after so many rows.
    stride: u64,
    here: (u64, u64),
    pub(crate) last_mistakes: VecDeque<Mistake>,
    /// Rows learned in each of the last seconds, the newest last.
    learned_per_second: Seconds,
    predicted_per_second: Seconds,
}

/// A row on which the prediction was wrong.
#[derive(Clone)]
pub(crate) struct Mistake {
    pub(crate) answer: RowAnswer,
    /// The beginning of its line.
    pub(crate) line: String,
}

/// Counts by the second.
#[derive(Default)]
struct Seconds {
    counts: VecDeque<u64>,
    /// The second of the last of them, since the server began.
    last: u64,
}

impl Seconds {
    fn add(&mut self, second: u64, count: u64) {
        self.advance(second);
        if let Some(last) = self.counts.back_mut() {
            *last += count;
        }
    }

    fn advance(&mut self, second: u64) {
        let steps = second.saturating_sub(self.last).min(SECONDS as u64);
        for _ in 0..if self.counts.is_empty() { 1 } else { steps } {
            self.counts.push_back(0);
        }
        self.last = self.last.max(second);
        while self.counts.len() > SECONDS {
            self.counts.pop_front();
        }
    }
}

impl Progress {
    /// Notes a row that was learned from.
    pub(crate) fn note(&mut self, answer: &RowAnswer, line: &[u8]) {
        self.learned += 1;
        self.mistakes += u64::from(answer.is_mistake);
        self.last.push_back(answer.is_mistake);
        for (size, count) in WINDOWS.iter().zip(&mut self.in_windows) {
            *count += u64::from(answer.is_mistake);
            if self.last.len() > *size {
                *count -= u64::from(self.last[self.last.len() - 1 - size]);
            }
        }
        if self.last.len() > WINDOWS[1] {
            self.last.pop_front();
        }
        self.here = (self.here.0 + 1, self.here.1 + u64::from(answer.is_mistake));
        if self.here.0.is_multiple_of(self.stride) {
            self.add_point();
        }
        if answer.is_mistake {
            let line = String::from_utf8_lossy(&line[..line.len().min(300)]).into_owned();
            self.last_mistakes.push_front(Mistake { answer: *answer, line });
            self.last_mistakes.truncate(MOST_MISTAKES);
        }
    }

    fn add_point(&mut self) {
        self.curve.push(self.here);
        if self.curve.len() >= MOST_POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.curve.retain(|(rows, _)| rows.is_multiple_of(stride));
        }
    }

    /// The error over each of the windows, as far as there are rows since this server began; NaN where there are none.
    pub(crate) fn window_errors(&self) -> [(usize, f64); 2] {
        std::array::from_fn(|i| {
            let rows = self.last.len().min(WINDOWS[i]);
            (WINDOWS[i], self.in_windows[i] as f64 / rows as f64)
        })
    }

    /// Of all rows, those on which the prediction was wrong; NaN where there are none.
    pub(crate) fn error(&self) -> f64 {
        self.mistakes as f64 / self.learned as f64
    }

    /// The curve, up to now.
    pub(crate) fn curve(&self) -> Vec<(u64, u64)> {
        let mut curve = self.curve.clone();
        if self.here.0 > 0 && curve.last() != Some(&self.here) {
            curve.push(self.here);
        }
        curve
    }

    /// Rows learned and predicted in each of the last seconds.
    pub(crate) fn per_second(&mut self, second: u64) -> [Vec<u64>; 2] {
        [&mut self.learned_per_second, &mut self.predicted_per_second].map(|seconds| {
            seconds.advance(second);
            seconds.counts.iter().copied().collect()
        })
    }

    /// So many rows were learned and predicted in this second.
    pub(crate) fn tick(&mut self, second: u64, learned: u64, predicted: u64) {
        self.learned_per_second.add(second, learned);
        self.predicted_per_second.add(second, predicted);
    }
}

impl Metrics {
    /// Counts that begin after so many rows and mistakes.
    pub(crate) fn new(learned: u64, mistakes: u64) -> Metrics {
        let progress = Progress {
            learned,
            mistakes,
            last: VecDeque::new(),
            in_windows: [0; 2],
            curve: Vec::new(),
            stride: 1,
            here: (0, 0),
            last_mistakes: VecDeque::new(),
            learned_per_second: Seconds::default(),
            predicted_per_second: Seconds::default(),
        };
        Metrics {
            predicted: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            logged: AtomicU64::new(0),
            log_bytes: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            latencies: Default::default(),
            progress: Mutex::new(progress),
        }
    }

    pub(crate) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how long a request took.
    pub(crate) fn took(&self, request: Request, time: Duration) {
        let latency = &self.latencies[request as usize];
        let seconds = time.as_secs_f64();
        for (end, count) in LATENCIES.iter().zip(&latency.counts) {
            if seconds <= *end {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        latency.all.fetch_add(1, Ordering::Relaxed);
        latency.microseconds.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    }

    /// All of it in Prometheus' text format.
    pub(crate) fn text(&self, model_since: Instant, model_rows: u64) -> String {
        let mut text = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: String| {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{value}\n");
        };
        let mut counted = |name: &str, help: &str, count: u64| one(name, "counter", help, format!("{name} {count}"));
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let progress = self.progress();
        counted("onlinear_rows_predicted_total", "Rows predicted.", load(&self.predicted));
        counted("onlinear_rows_learned_total", "Rows learned from.", progress.learned);
        counted("onlinear_mistakes_total", "Rows predicted wrong before they were learned from.", progress.mistakes);
        counted("onlinear_rows_repeated_total", "Rows answered again, not learned again.", load(&self.repeated));
        counted("onlinear_requests_refused_total", "Requests refused.", load(&self.refused));
        let mut gauge = |name: &str, help: &str, value: f64| one(name, "gauge", help, format!("{name} {value}"));
        gauge("onlinear_error_ratio", "Progressive error over all rows.", progress.error());
        gauge("onlinear_log_bytes", "Bytes of the log.", load(&self.log_bytes) as f64);
        gauge("onlinear_rows_waiting", "Rows that wait for their labels.", load(&self.waiting) as f64);
        gauge("onlinear_model_age_seconds", "Since the model was published.", model_since.elapsed().as_secs_f64());
        gauge("onlinear_model_behind_rows", "Rows learned and not yet published.", {
            load(&self.logged).saturating_sub(model_rows) as f64
        });
        gauge("onlinear_memory_bytes", "Memory that the server holds.", resident_memory().unwrap_or(0) as f64);
        let windows = progress.window_errors();
        let lines = windows.map(|(size, error)| format!("onlinear_error_ratio_last{{rows=\"{size}\"}} {error}"));
        one("onlinear_error_ratio_last", "gauge", "Progressive error over the last rows.", lines.join("\n"));
        drop(progress);
        let histograms: Vec<String> =
            Request::ALL.iter().map(|(request, name)| self.latencies[*request as usize].text(name)).collect();
        one("onlinear_request_seconds", "histogram", "Time from request to answer.", histograms.join("\n"));
        text
    }
}

impl Latency {
    fn text(&self, request: &str) -> String {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let all = load(&self.all);
        let mut lines = Vec::new();
        for (end, count) in LATENCIES.iter().zip(&self.counts) {
            let count = load(count).min(all);
            lines.push(format!("onlinear_request_seconds_bucket{{request=\"{request}\",le=\"{end}\"}} {count}"));
        }
        lines.push(format!("onlinear_request_seconds_bucket{{request=\"{request}\",le=\"+Inf\"}} {all}"));
        let seconds = load(&self.microseconds) as f64 / 1e6;
        lines.push(format!("onlinear_request_seconds_sum{{request=\"{request}\"}} {seconds}"));
        lines.push(format!("onlinear_request_seconds_count{{request=\"{request}\"}} {all}"));
        lines.join("\n")
    }
}

/// The memory that this process holds, where the system tells.
pub(crate) fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(held.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
