//! What the machine has, and what this program takes of it.

use onlinear::workshop::parallel;

/// 80 % of the machine's memory, or of what its container is allowed; where the system does not tell, of 8 GB.
pub fn most_of_memory() -> u64 {
    let total = bytes_told("/proc/meminfo", "MemTotal:").unwrap_or(8_000_000_000);
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    container.map_or(total, |most: u64| most.min(total)) / 5 * 4
}

/// The largest amount of memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    bytes_told("/proc/self/status", "VmHWM:")
}

/// What the system tells in a line of `file` that starts with `name` and goes on with a number of kB.
fn bytes_told(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// How many threads there are, in words.
pub fn threads() -> String {
    match parallel::threads() {
        1 => "1 thread".to_string(),
        many => format!("{many} threads"),
    }
}
