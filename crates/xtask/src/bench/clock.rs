//! CPU time and peak memory, as the system counts them.
#![allow(unsafe_code)] // the calls into libc

use std::io;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// What a finished child process took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// By the clock on the wall, in seconds.
    pub wall: f64,
    /// User and system time of all its threads, in seconds.
    pub cpu: f64,
    /// The most memory it held, in bytes. Never less than this process held when it started the child.
    pub peak_memory: u64,
}

/// The CPU time of this thread so far, in seconds.
pub fn thread_cpu() -> f64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec through a pointer to one.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(status, 0, "the system has no clock {clock} for CPU time");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Runs a program to its end, which must be a success.
pub fn run(command: &mut Command) -> Result<Usage> {
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let pid = libc::pid_t::try_from(child.id())?;
    let mut status = 0;
    // SAFETY: rusage is made of integers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live variables of the types asked for; the child is ours, and nobody else waits
    // for it.
    while unsafe { libc::wait4(pid, &mut status, 0, &mut usage) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error.into());
        }
    }
    if status != 0 {
        bail!("failed: {command:?}");
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    Ok(Usage { wall: start.elapsed().as_secs_f64(), cpu, peak_memory: usage.ru_maxrss as u64 * 1024 })
}

/// The CPU time that `work` takes on this thread.
pub fn cpu_of<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = thread_cpu();
    std::hint::black_box(work()?);
    Ok(thread_cpu() - start)
}

/// The CPU time that `work` takes on this thread for all numbers below `count`.
pub fn cpu_of_each(count: usize, work: impl FnMut(usize)) -> Result<f64> {
    cpu_of(|| {
        (0..count).for_each(work);
        Ok(())
    })
}

/// The CPU time of the busier of two threads: this one, which does `work`, and the other that it starts.
pub fn busier_of<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = read(libc::CLOCK_PROCESS_CPUTIME_ID);
    let own = cpu_of(work)?;
    Ok(own.max(read(libc::CLOCK_PROCESS_CPUTIME_ID) - start - own))
}

/// The time on the wall that `work` takes.
pub fn wall_of<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = Instant::now();
    std::hint::black_box(work()?);
    Ok(start.elapsed().as_secs_f64())
}

/// The least of the times that each contestant reports, all taking turns: whatever else the machine
/// does meanwhile, it does to all of them.
pub fn least<const N: usize>(turns: usize, mut contestants: [&mut dyn FnMut() -> Result<f64>; N]) -> Result<[f64; N]> {
    let mut least = [f64::INFINITY; N];
    for _ in 0..turns {
        for (least, contestant) in least.iter_mut().zip(&mut contestants) {
            *least = least.min(contestant()?);
        }
    }
    Ok(least)
}

/// The instructions that a program takes, which no other load on the machine can change; `None`
/// where valgrind is not installed.
pub fn instructions(command: &Command) -> Result<Option<f64>> {
    let mut counter = Command::new("valgrind");
    counter
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(command.get_program())
        .args(command.get_args());
    let output = match counter.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        output => output.context("cannot run valgrind")?,
    };
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = count.filter(|_| output.status.success()).and_then(|(_, count)| count.trim().parse().ok());
    Ok(Some(count.with_context(|| format!("valgrind counted nothing: {text}"))?))
}
