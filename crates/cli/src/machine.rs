//! What the machine has, and what this program takes of it.

use onlinear::workshop::parallel;

/// 80 % of the machine's memory, or of what its container is allowed; where the system does not tell, of 8 GB.
pub fn most_of_memory() -> u64 {
    let machine = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    };
    let container =
        || -> Option<u64> { std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok() };
    let total = machine().unwrap_or(8_000_000_000);
    container().map_or(total, |most| most.min(total)) / 5 * 4
}

/// The largest amount of memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// How many threads there are, in words.
pub fn threads() -> String {
    match parallel::threads() {
        1 => "1 thread".to_string(),
        many => format!("{many} threads"),
    }
}
