//! Bytes read ahead on a thread of their own, and how a wait for them is ended.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

const BLOCK: usize = 256 * 1024;
const BLOCKS_AHEAD: usize = 4;
/// How soon a [`Stop`] is noticed by whoever waits.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Asks for an end of waiting for a stream that has no more to give for now. Clones ask for the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The failure of a read that was stopped.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct Stopped;

/// Whether a read failed because it was stopped.
pub(crate) fn is_stop(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stopped>())
}

/// How much is read before it is handed over.
#[derive(Clone, Copy)]
pub(crate) enum Fill {
    /// A whole block: the least fuss.
    Whole,
    /// What there is: a line typed into a pipe must not wait for the next.
    AsItComes,
}

/// Reads ahead on a thread of its own, so that unpacking and learning overlap and waiting can be stopped.
pub(crate) struct ReadAhead {
    /// Blocks, and how much of each was filled: the rest stays as it is, for there is no need to clear it.
    full: Receiver<io::Result<(Vec<u8>, usize)>>,
    empty: SyncSender<Vec<u8>>,
    stop: Stop,
    block: Vec<u8>,
    filled: usize,
    at: usize,
    /// What ended the reading, to be told once all before it has been handed over.
    failed: Option<io::Error>,
}

impl ReadAhead {
    pub(crate) fn new(mut source: impl Read + Send + 'static, how: Fill, stop: Stop) -> ReadAhead {
        let (full_out, full) = sync_channel(BLOCKS_AHEAD);
        let (empty, empty_in) = sync_channel::<Vec<u8>>(BLOCKS_AHEAD + 2);
        std::thread::spawn(move || {
            loop {
                let mut block = empty_in.try_recv().unwrap_or_default();
                block.resize(BLOCK, 0);
                let (filled, result) = fill(&mut source, &mut block, how);
                let last = filled == 0 || result.is_err();
                // What comes before an early end is sound, and says where that is; what comes before
                // any other error may not be.
                let messages = match result {
                    Ok(()) => vec![Ok((block, filled))],
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => vec![Ok((block, filled)), Err(error)],
                    Err(error) => vec![Err(error)],
                };
                // The receiver is gone when the reader was dropped early: nobody is left to tell.
                let gone = messages.into_iter().any(|message| full_out.send(message).is_err());
                if gone || last {
                    return;
                }
            }
        });
        ReadAhead { full, empty, stop, block: Vec::new(), filled: 0, at: 0, failed: None }
    }

    /// The next block; none when the thread has ended, so that all was read.
    fn next(&self) -> Option<io::Result<(Vec<u8>, usize)>> {
        loop {
            match self.full.recv_timeout(LOOK_UP) {
                Ok(block) => return Some(block),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.stop.is_asked() => return Some(Err(io::Error::other(Stopped))),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Reads until `block` is full (or has something, as `how` says), nothing is left or it fails; gives also how
/// much was read. Unlike `read_to_end` it always asks for all the room there is, which unpackers answer faster.
fn fill(source: &mut impl Read, block: &mut [u8], how: Fill) -> (usize, io::Result<()>) {
    let mut filled = 0;
    while filled < block.len() {
        match source.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Err(error)),
        }
        if matches!(how, Fill::AsItComes) && filled > 0 {
            break;
        }
    }
    (filled, Ok(()))
}

impl ReadAhead {
    /// Goes on with another block.
    fn begin(&mut self, (block, filled): (Vec<u8>, usize)) {
        let used = std::mem::replace(&mut self.block, block);
        (self.filled, self.at) = (filled, 0);
        // A full channel only means that there are blocks enough.
        let _ = self.empty.try_send(used);
    }

    /// Moves as much as fits from the block at hand.
    fn hand_over(&mut self, buffer: &mut [u8]) -> usize {
        let n = buffer.len().min(self.filled - self.at);
        buffer[..n].copy_from_slice(&self.block[self.at..self.at + n]);
        self.at += n;
        n
    }
}

impl Read for ReadAhead {
    /// Waits for something, and takes all that has come meanwhile: a pipe gives little at a time, and to be woken for
    /// each piece takes longer than to read it.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.filled {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let Some(next) = self.next() else { return Ok(0) };
            self.begin(next?);
        }
        let mut n = self.hand_over(buffer);
        while n < buffer.len() && self.failed.is_none() {
            match self.full.try_recv() {
                Ok(Ok(next)) => self.begin(next),
                Ok(Err(error)) => self.failed = Some(error),
                Err(_) => break,
            }
            n += self.hand_over(&mut buffer[n..]);
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a line, then nothing more for a long time.
    struct Slow(bool);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                std::thread::sleep(Duration::from_secs(600));
            }
            buffer[..4].copy_from_slice(b"+1 1");
            Ok(4)
        }
    }

    #[test]
    fn what_there_is_comes_at_once_and_a_wait_can_be_stopped() {
        let stop = Stop::default();
        let mut inner = ReadAhead::new(Slow(false), Fill::AsItComes, stop.clone());
        let mut start = [0; 4];
        inner.read_exact(&mut start).expect("a line");
        assert_eq!(&start, b"+1 1");
        stop.ask();
        // Through another thread as well, as where data are packed.
        let mut outer = ReadAhead::new(inner, Fill::Whole, Stop::default());
        assert!(is_stop(&outer.read(&mut start).expect_err("stopped")));
        assert!(!is_stop(&io::Error::other("something else")));
    }

    /// Gives a piece, another one, and then fails, once it has told that both were handed over.
    struct Pieces(Vec<&'static [u8]>, SyncSender<()>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.pop() else {
                self.1.send(()).expect("somebody waits");
                return Err(io::Error::other("broken"));
            };
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn pieces_that_have_come_are_taken_together_and_a_failure_behind_them_is_told_later() {
        let (told, have_come) = sync_channel(1);
        let mut pieces = ReadAhead::new(Pieces(vec![b" 1:2", b"+1"], told), Fill::AsItComes, Stop::default());
        have_come.recv().expect("two pieces");
        let mut start = [0; 16];
        assert_eq!(pieces.read(&mut start[..1]).expect("the first sign"), 1);
        assert_eq!(pieces.read(&mut start[1..]).expect("the rest of both"), 5);
        assert_eq!(&start[..6], b"+1 1:2");
        assert_eq!(pieces.read(&mut start).expect_err("broken").to_string(), "broken");
    }
}
