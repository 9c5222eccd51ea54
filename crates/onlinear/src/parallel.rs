//! Independent pieces of work on all cores.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `f(0), f(1), … f(count − 1)`, worked out on as many threads as there are cores. The result does
/// not depend on how many.
pub(crate) fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = if count > 1 { thread::available_parallelism().map_or(1, |cores| cores.get()) } else { 1 };
    map_on(cores.min(count), count, f)
}

fn map_on<T: Send>(threads: usize, count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads <= 1 {
        return (0..count).map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                return done;
            }
            done.push((i, f(i)));
        }
    };
    let mut all = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|&(i, _)| i);
    all.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for count in [0, 1, 2, 3, 100] {
            let plain: Vec<String> = (0..count).map(|i| format!("{i}")).collect();
            assert_eq!(map(count, |i| format!("{i}")), plain);
            for threads in [0, 1, 2, 3, 8] {
                // Those in front take longest.
                let slow = |i: usize| {
                    thread::sleep(std::time::Duration::from_micros(20 * (count - i) as u64));
                    format!("{i}")
                };
                assert_eq!(map_on(threads, count, slow), plain);
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        for bad in [0, 3, 9] {
            let result = std::panic::catch_unwind(|| map_on(3, 10, |i| assert!(i != bad, "number {bad}")));
            let message = *result.unwrap_err().downcast::<String>().unwrap();
            assert!(message.contains(&format!("number {bad}")), "{message}");
        }
    }
}
