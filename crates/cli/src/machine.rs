//! What the machine has, and what this program takes of it.

use std::time::Instant;

use onlinear::workshop::{counted, parallel};

/// The largest amount of memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// What a pipe may hold: as much as any may on most systems, so that who writes and who reads seldom wait.
#[cfg(target_os = "linux")]
const WIDE_PIPE: usize = 1 << 20;

/// Lets a pipe at standard input hold much; where there is none, or it may not, nothing changes.
pub fn widen_pipe() {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(std::io::stdin(), WIDE_PIPE);
}

/// What a thread has taken of the processor, since it was begun with.
pub struct ThreadClock {
    wall: Instant,
    processor: Option<u64>,
}

impl ThreadClock {
    /// Begins to count, for the thread that calls.
    pub fn start() -> ThreadClock {
        ThreadClock { wall: Instant::now(), processor: on_processor() }
    }

    /// The share of the time since then that the thread had the processor, which it shares with others; all of it where
    /// the system does not tell.
    pub fn share(&self) -> f64 {
        let wall = self.wall.elapsed().as_nanos() as f64;
        match self.processor.zip(on_processor()) {
            Some((before, now)) if wall > 0.0 => (now.saturating_sub(before) as f64 / wall).min(1.0),
            _ => 1.0,
        }
    }
}

/// How many nanoseconds this thread has had the processor, where the system tells.
#[cfg(unix)]
fn on_processor() -> Option<u64> {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(u64::try_from(spent.tv_sec).ok()? * 1_000_000_000 + u64::try_from(spent.tv_nsec).ok()?)
}

#[cfg(not(unix))]
fn on_processor() -> Option<u64> {
    None
}

/// How many threads there are, in words.
pub fn threads() -> String {
    counted(parallel::threads(), "thread", "threads")
}
