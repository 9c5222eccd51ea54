//! What the machine has, and what this program takes of it.

use onlinear::workshop::parallel;

/// The largest amount of memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// How many threads there are, in words.
pub fn threads() -> String {
    match parallel::threads() {
        1 => "1 thread".to_string(),
        many => format!("{many} threads"),
    }
}
