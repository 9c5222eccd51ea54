//! What can only be known before the program begins: Rust opens what is closed of the first three files as `/dev/null`,
//! where all that is printed would be lost in silence.

#[cfg(target_os = "linux")]
mod system {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        let is_open = std::fs::symlink_metadata("/proc/self/fd/1").is_ok();
        CLOSED.store(!is_open && Path::new("/proc/self/fd").exists(), Ordering::Relaxed);
    }

    // SAFETY: the loader calls what is listed there once, before `main`; it looks at a file and sets a flag.
    #[used]
    #[allow(unsafe_code)]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    /// Whether the program was started without a standard output.
    pub fn stdout_was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Whether the program was started without a standard output; nobody knows.
    pub fn stdout_was_closed() -> bool {
        false
    }
}

pub use system::stdout_was_closed;
