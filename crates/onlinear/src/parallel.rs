//! Independent pieces of work on all cores.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

thread_local! {
    /// Whether this thread is one of those that share a piece of work.
    static SHARES: Cell<bool> = const { Cell::new(false) };
}

/// `f(0), f(1), … f(count − 1)`, worked out on as many threads as there are cores, or as
/// `ONLINEAR_THREADS` in the environment says. The result does not depend on how many. Within such
/// work more of it is done on the thread that asks, for the cores are taken.
pub fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_if(true, count, f)
}

/// All results of work that can fail, on as many threads as [`map`] uses. The error is the first in order, whoever
/// meets one first; work that comes after it is not begun.
pub fn try_map<T: Send, E: Send>(count: usize, f: impl Fn(usize) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let results = map(count, |i| {
        let begin = i < failed.load(Ordering::Relaxed);
        let result = begin.then(|| f(i));
        if matches!(result, Some(Err(_))) {
            failed.fetch_min(i, Ordering::Relaxed);
        }
        result
    });
    results.into_iter().flatten().collect()
}

/// How many threads [`map`] uses.
pub fn threads() -> usize {
    /// The system is slow to tell.
    static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, |cores| cores.get()));
    let asked = std::env::var("ONLINEAR_THREADS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or_else(|| *CORES).max(1)
}

/// How many threads work that is begun here may use: within such work the cores are taken.
pub(crate) fn threads_here() -> usize {
    if SHARES.get() { 1 } else { threads() }
}

/// What [`map`] gives, worked out on this thread alone unless it is `worth` more.
pub(crate) fn map_if<T: Send>(worth: bool, count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = if worth && count > 1 { threads_here() } else { 1 };
    map_on(cores.min(count), count, f)
}

/// `f` of each item and its place, which it may change; on this thread alone unless it is `worth` more.
pub(crate) fn map_mut<I: Send, T: Send>(worth: bool, items: &mut [I], f: impl Fn(usize, &mut I) -> T + Sync) -> Vec<T> {
    let items: Vec<Mutex<&mut I>> = items.iter_mut().map(Mutex::new).collect();
    // Nobody else has the item, so nobody can have left it locked or broken.
    map_if(worth, items.len(), |i| f(i, &mut items[i].lock().unwrap_or_else(PoisonError::into_inner)))
}

fn map_on<T: Send>(threads: usize, count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads <= 1 {
        return (0..count).map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let shared_before = SHARES.replace(true);
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                SHARES.set(shared_before);
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
    fn the_first_error_is_told() {
        let calls = AtomicUsize::new(0);
        let result = try_map(1000, |i| {
            calls.fetch_add(1, Ordering::Relaxed);
            if i % 7 == 6 { Err(i) } else { Ok(i) }
        });
        assert_eq!(result, Err(6));
        assert!(calls.into_inner() < 1000);
        assert_eq!(try_map(3, Ok::<usize, ()>), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn items_are_changed_where_they_are() {
        for worth in [false, true] {
            let mut items: Vec<usize> = (0..50).collect();
            let doubled = map_mut(worth, &mut items, |i, item| {
                *item += i;
                *item
            });
            assert_eq!((&doubled, items), (&(0..50).map(|i| 2 * i).collect::<Vec<_>>(), doubled.clone()));
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
