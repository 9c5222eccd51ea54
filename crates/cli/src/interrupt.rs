//! Ctrl-C: the run stops at its next pause, in order; one that does not pause is ended.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static SAVING: Mutex<()> = Mutex::new(());

/// Whether the user wants the program to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Does something that must not be left half done, such as the saving of a large model.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let _guard = SAVING.lock();
    work()
}

/// Notes signals from now on. A run that waits for input has no pause, so it is given a second.
pub fn watch() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            INTERRUPTED.store(true, Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(1));
            let _guard = SAVING.lock();
            std::process::exit(130);
        }
    });
    Ok(())
}
