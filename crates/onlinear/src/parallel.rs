//! Independent pieces of work on all cores.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// `f(0), f(1), … f(count − 1)`, worked out on as many threads as there are cores. The result does
/// not depend on how many.
pub(crate) fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_if(true, count, f)
}

/// The same, but on this thread alone unless it is `worth` more.
pub(crate) fn map_if<T: Send>(worth: bool, count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = if worth && count > 1 { thread::available_parallelism().map_or(1, |cores| cores.get()) } else { 1 };
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
