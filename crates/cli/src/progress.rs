//! What is shown on standard error while a run goes on.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use onlinear::workshop::{Epoch, Meter, parallel};
use onlinear::{Error, Model, Watch};

use crate::output::{self, SkippedRows};

/// How often a bar is drawn.
const TICK: Duration = Duration::from_millis(100);
/// Work that is over sooner than this shows no bar …
const LONG: Duration = Duration::from_secs(2);
/// … and, where nobody looks at a terminal, none of the lines that say that it goes on: after this, twice this, …
const LONGER: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// A bar on a terminal, else nothing
    Auto,
    /// A bar
    Bar,
    /// A line whenever the number of trials has doubled
    Lines,
    /// Nothing
    None,
}

/// A bar, lines, or nothing.
pub enum Progress {
    None,
    Lines(ProgressLines),
    Bar(Bar),
}

impl Progress {
    pub fn new(choice: ProgressChoice, quiet: bool) -> Progress {
        match choice {
            _ if quiet => Progress::None,
            ProgressChoice::Auto if !std::io::stderr().is_terminal() => Progress::None,
            ProgressChoice::Auto | ProgressChoice::Bar => Progress::Bar(Bar::new()),
            ProgressChoice::Lines => Progress::Lines(ProgressLines::default()),
            ProgressChoice::None => Progress::None,
        }
    }

    /// The data begin to be read.
    pub fn reading(&mut self, meter: &Meter) {
        if let Progress::Bar(bar) = self {
            bar.follow(meter.clone());
        }
    }

    /// A trial is over.
    #[inline]
    pub fn trial(&mut self, mistake: bool) {
        if let Progress::Lines(lines) = self {
            lines.trial(mistake);
        }
    }

    /// Some trials are over.
    pub fn pause(&mut self, model: &Model) {
        if let Progress::Bar(bar) = self {
            let (pass, trials, mistakes) =
                (model.counts.passes.len(), model.counts.total().trials, model.wrong_trials());
            let rate = 100.0 * mistakes as f64 / trials.max(1) as f64;
            bar.bar.set_message(format!("pass {pass}: {mistakes} mistakes in {trials} trials, {rate:.2} %"));
        }
    }

    /// Whether anything is shown.
    pub fn is_shown(&self) -> bool {
        !matches!(self, Progress::None)
    }

    /// An epoch of a batch learner is over.
    pub fn epoch(&mut self, epoch: &Epoch) {
        match self {
            Progress::None => {}
            Progress::Lines(lines) => lines.epoch(epoch),
            Progress::Bar(bar) => bar.epoch(epoch),
        }
    }

    /// So many of so many pieces of the work before the first epoch are done.
    pub fn search(&mut self, done: usize, of: usize) {
        match self {
            Progress::None => {}
            Progress::Lines(_) => output::say(format_args!("search {done} of {of}")),
            Progress::Bar(bar) => bar.search(done, of),
        }
    }

    /// Everything starts again.
    pub fn restart(&mut self) {
        if let Progress::Lines(lines) = self {
            *lines = ProgressLines::default();
        }
    }

    /// The run is over.
    pub fn finish(&mut self) {
        *self = Progress::None;
    }
}

/// A line whenever the number of trials has doubled.
#[derive(Default)]
pub struct ProgressLines {
    trials: u64,
    mistakes: u64,
    next: u64,
    before: (u64, u64),
}

impl ProgressLines {
    /// A line whenever the number of epochs has doubled.
    fn epoch(&mut self, epoch: &Epoch) {
        let Epoch { epoch, errors, .. } = epoch;
        if *epoch == 0 {
            output::say(format_args!("{:>12} {:>12} {:>9}", "epochs", "errors", "error %"));
        } else if !epoch.is_power_of_two() {
            return;
        }
        output::say(format_args!("{epoch:>12} {:>12} {:>9.2}", errors.errors, 100.0 * errors.rate()));
    }

    fn trial(&mut self, mistake: bool) {
        if self.trials == 0 {
            output::say(format_args!("{:>12} {:>12} {:>9} {:>11}", "trials", "mistakes", "error %", "since last"));
            self.next = 1;
        }
        self.trials += 1;
        self.mistakes += u64::from(mistake);
        if self.trials == self.next {
            let (trials, mistakes) = (self.trials, self.mistakes);
            let rate = |mistakes: u64, trials: u64| 100.0 * mistakes as f64 / trials.max(1) as f64;
            let since = rate(mistakes - self.before.1, trials - self.before.0);
            output::say(format_args!("{trials:>12} {mistakes:>12} {:>9.2} {since:>11.2}", rate(mistakes, trials)));
            self.before = (trials, mistakes);
            self.next *= 2;
        }
    }
}

/// Shows how rows are read, and says which of them are left out.
pub struct LoadingWatch {
    progress: Progress,
    skipped: SkippedRows,
}

impl LoadingWatch {
    pub fn new(quiet: bool) -> LoadingWatch {
        LoadingWatch { progress: Progress::new(ProgressChoice::Auto, quiet), skipped: SkippedRows::new(quiet) }
    }
}

impl Watch for LoadingWatch {
    fn reading(&mut self, meter: &Meter) {
        self.progress.reading(meter);
    }

    fn bad_row(&mut self, error: &Error) {
        self.skipped.add(error);
    }
}

impl Drop for LoadingWatch {
    fn drop(&mut self) {
        self.progress.finish();
        self.skipped.finish();
    }
}

/// So many repeats of each of several attempts, on all cores, with a bar where they take long; an attempt fails where
/// one of its repeats does, and the others go on. On Ctrl-C all keep as many repeats as all have finished; who asks
/// for the attempts tells of them, for as long as an [`Awaited`](crate::interrupt::Awaited) is there.
pub fn attempts<T: Send>(
    attempts: usize,
    repeats: usize,
    quiet: bool,
    run: impl Fn(usize, usize) -> onlinear::Result<T> + Sync,
) -> Vec<onlinear::Result<Vec<T>>> {
    let bar = Bar::over_work(attempts * repeats, quiet);
    let one = |job: usize| run(job % attempts, job / attempts).inspect(|_| bar.done());
    let results = parallel::map(attempts * repeats, one);
    let mut of_attempts: Vec<Vec<onlinear::Result<T>>> = (0..attempts).map(|_| Vec::with_capacity(repeats)).collect();
    for (job, result) in results.into_iter().enumerate() {
        of_attempts[job % attempts].push(result);
    }
    let mut all: Vec<onlinear::Result<Vec<T>>> = of_attempts.into_iter().map(finished).collect();
    let fewest = all.iter().flatten().map(Vec::len).min().unwrap_or(0);
    all.iter_mut().flatten().for_each(|done| done.truncate(fewest));
    all
}

/// The results of the repeats up to one that was interrupted, if there are any; or why one failed.
fn finished<T>(repeats: Vec<onlinear::Result<T>>) -> onlinear::Result<Vec<T>> {
    let mut done = Vec::with_capacity(repeats.len());
    for result in repeats {
        match result {
            Err(Error::Interrupted) if !done.is_empty() => break,
            result => done.push(result?),
        }
    }
    Ok(done)
}

/// A bar that a thread may draw by itself, for as long as it lives.
pub struct Bar {
    bar: ProgressBar,
    follower: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl Bar {
    /// A bar over the reading of a file, and what follows.
    fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style("{spinner} {bytes} {bytes_per_sec} {msg}"));
        Bar { bar, follower: None }
    }

    /// A bar over so many pieces of work that are done in any order; seen only where they take long.
    pub fn over_work(pieces: usize, quiet: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(pieces as u64), ProgressDrawTarget::hidden());
        bar.set_style(style("{bar:30} {pos}/{len} runs, {eta} left"));
        Bar::when_long(bar, format!(" of {pieces} runs"), quiet)
    }

    /// A bar over a search that ends nobody knows when; seen only where it takes long.
    pub fn over_search(quiet: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style("{spinner} search, pass {pos}, {elapsed}"));
        Bar::when_long(bar, " passes of the search".to_string(), quiet)
    }

    /// A bar that is seen where the work takes long; `what` follows the number of what is done.
    fn when_long(bar: ProgressBar, what: String, quiet: bool) -> Bar {
        let mut bar = Bar { bar, follower: None };
        let start = Instant::now();
        if !quiet && !std::io::stderr().is_terminal() {
            let mut next = LONGER;
            bar.draw_by(move |bar| {
                if start.elapsed() >= next {
                    next *= 2;
                    let (done, seconds) = (bar.position(), start.elapsed().as_secs_f64());
                    output::say(format_args!("{done}{what} after {seconds:.0} s"));
                }
            });
        } else if !quiet {
            bar.draw_by(move |bar| {
                if start.elapsed() >= LONG {
                    if bar.is_hidden() {
                        bar.set_draw_target(ProgressDrawTarget::stderr());
                    }
                    bar.tick();
                }
            });
        }
        bar
    }

    /// A piece of work is done.
    pub fn done(&self) {
        self.bar.inc(1);
    }

    fn follow(&mut self, meter: Meter) {
        self.stop();
        if let Some(total) = meter.total() {
            self.bar.set_length(total);
            self.bar.set_style(style("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left {msg}"));
        }
        self.draw_by(move |bar| bar.set_position(meter.read()));
    }

    fn epoch(&mut self, epoch: &Epoch) {
        let Epoch { epoch, asked, errors, .. } = epoch;
        if *epoch == 0 {
            self.begin();
            match asked {
                Some(asked) => {
                    self.bar.set_length(*asked);
                    self.bar.set_style(style("{bar:30} epoch {pos}/{len} {per_sec} {eta} left {msg}"));
                }
                None => self.bar.set_style(style("{spinner} epoch {pos} {per_sec} {msg}")),
            }
        }
        self.bar.set_position(*epoch);
        self.bar.set_message(format!("{} training errors, {:.2} %", errors.errors, 100.0 * errors.rate()));
    }

    fn search(&mut self, done: usize, of: usize) {
        if done == 0 {
            self.begin();
            self.bar.set_length(of as u64);
            self.bar.set_style(style("{bar:30} search {pos}/{len} {eta} left"));
        }
        self.bar.set_position(done as u64);
    }

    /// What was shown until now is over.
    fn begin(&mut self) {
        self.stop();
        self.bar.reset();
    }

    /// Starts a thread that draws the bar again and again.
    fn draw_by(&mut self, mut draw: impl FnMut(&ProgressBar) + Send + 'static) {
        let over = Arc::new(AtomicBool::new(false));
        let (bar, watched) = (self.bar.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            while !watched.load(Ordering::Relaxed) {
                std::thread::park_timeout(TICK);
                draw(&bar);
            }
        });
        self.follower = Some((over, thread));
    }

    /// Ends the thread that draws the bar.
    fn stop(&mut self) {
        if let Some((over, thread)) = self.follower.take() {
            over.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            // A follower that panicked has only lost its bar.
            let _ = thread.join();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.stop();
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
