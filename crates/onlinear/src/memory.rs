//! How much memory there is.

use std::path::Path;

/// Where the system does not tell.
const USUAL: u64 = 8_000_000_000;

/// 80 % of the memory that this process may have: the machine's, its container's, or what its limits leave.
pub fn most_of_memory() -> u64 {
    let machine = told("/proc/meminfo", "MemTotal:").map(|kilobytes| kilobytes.saturating_mul(1024));
    let address_space = told("/proc/self/limits", "Max address space");
    let least = [machine, address_space, container()].into_iter().flatten().min();
    least.unwrap_or(USUAL) / 5 * 4
}

/// The number behind `name` in a line of `file`.
fn told(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).and_then(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// What the groups that this process is in may have, of either version of control groups.
fn container() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let paths = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        match (parts.next()?, parts.next()?) {
            ("", path) => Some(("/sys/fs/cgroup", path.to_string(), "memory.max")),
            ("memory", path) => Some(("/sys/fs/cgroup/memory", path.to_string(), "memory.limit_in_bytes")),
            _ => None,
        }
    });
    let limits = paths.flat_map(|(root, path, file)| {
        let within = Path::new(path.trim_start_matches('/')).ancestors().map(Path::to_path_buf).collect::<Vec<_>>();
        within.into_iter().filter_map(move |group| {
            std::fs::read_to_string(Path::new(root).join(group).join(file)).ok()?.trim().parse::<u64>().ok()
        })
    });
    limits.min()
}
