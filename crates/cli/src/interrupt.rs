//! Ctrl-C: the run stops at its next pause, in order; one that does not pause is ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Context;
use onlinear::workshop::Stop;
use onlinear::{Error, Model, Watch};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

static STOP: LazyLock<Stop> = LazyLock::new(Stop::default);
static WILL_SAVE: AtomicBool = AtomicBool::new(false);
static SAVING: Mutex<()> = Mutex::new(());

/// Whether the user wants the program to stop.
pub fn requested() -> bool {
    STOP.is_asked()
}

/// Ends the work if the user wants that.
pub fn check() -> onlinear::Result<()> {
    if requested() { Err(Error::Interrupted) } else { Ok(()) }
}

/// Ends a run when the user wants the program to stop.
pub struct InterruptWatch;

impl Watch for InterruptWatch {
    fn pause(&mut self, _model: &Model) -> onlinear::Result<bool> {
        check().map(|()| false)
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        check()
    }
}

/// What tells readers that the program is to stop, so that they do not wait for data any more.
pub fn stop() -> Stop {
    STOP.clone()
}

/// Does something that must not be left half done, such as the saving of a large model.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let _guard = SAVING.lock();
    work()
}

/// Work that saves or tells what it has when it is asked to stop, for as long as this is there.
pub struct Awaited;

impl Drop for Awaited {
    fn drop(&mut self) {
        WILL_SAVE.store(false, Ordering::Relaxed);
    }
}

/// Gives the work that follows the time to save or tell what it has, if it `saves`.
pub fn awaited(saves: bool) -> Awaited {
    WILL_SAVE.store(saves, Ordering::Relaxed);
    Awaited
}

/// Notes signals from now on. A run has a second to stop by itself; one that will save, until it has, unless the
/// user insists with a second signal.
pub fn watch() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot watch for Ctrl-C")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            STOP.ask();
            sleep(Duration::from_secs(1));
            while WILL_SAVE.load(Ordering::Relaxed) && signals.pending().next().is_none() {
                sleep(Duration::from_millis(20));
            }
            let _guard = SAVING.lock();
            std::process::exit(130);
        }
    });
    Ok(())
}
