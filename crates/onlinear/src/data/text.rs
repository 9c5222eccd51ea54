//! Rows of text: blocks of whole records are parsed on several threads, and handed on in their order.
//!
//! Whoever has nothing else to do takes the next block from the stream and parses it; the thread that asks for rows
//! does so too, unless it could have to wait for a stream. What a thread makes of a block depends on nothing but the
//! block (see [`row_builder`](super::row_builder)), so that rows, errors and their places do not depend on who parsed
//! it.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::batch::Batch;
use super::blocks::{BLOCK, BlockFailure, Blocks, TextBlock};
use super::lookup::Lookup;
use super::row_builder::{Draft, Fault, KnownNames, RowBuilder};
use crate::error::{Error, Place, Result};
use crate::parallel;

/// Blocks in the works for each thread, those included that wait for their turn.
const BLOCKS_PER_THREAD: usize = 3;
/// What a thread makes of a block takes no more than this, give or take a batch; who asks for the rows does the rest.
const MOST_BYTES: usize = 16 * BLOCK;
/// Threads are worth their start when so many blocks have been read, and the last was not small.
const BLOCKS_ALONE: usize = 2;

/// Who parses text, and how much at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextWork {
    /// Threads in all.
    pub(crate) threads: usize,
    /// How much text is a block.
    pub(crate) block: usize,
    /// How much of one makes threads worth their start.
    pub(crate) worth: usize,
}

impl Default for TextWork {
    fn default() -> TextWork {
        TextWork { threads: parallel::threads_here(), block: BLOCK, worth: BLOCK / 8 }
    }
}

/// What became of a record.
pub(crate) struct ParsedRecord {
    /// How long it is, with what ends it.
    pub(crate) length: usize,
    /// How many lines it has.
    pub(crate) lines: u64,
    /// What is wrong with it.
    pub(crate) fault: Option<Fault>,
}

/// Parses the records of a format.
pub(crate) trait RecordParser: Clone + Send + 'static {
    /// Appends the row of the record that `text` begins with, and that came from `line`, to `batch`; nothing where it
    /// has none. Records end at `end`, and at least eight bytes come behind them.
    fn parse(&mut self, text: &[u8], end: usize, line: u64, row: &mut RowBuilder, batch: &mut Batch) -> ParsedRecord;
}

/// Parses records that are lines: a function that gets bytes with the line at their front, and its number. It appends
/// the row to the batch, or nothing where the line has none, and gives how far it got within the line.
#[derive(Clone)]
pub(crate) struct LineParser<F>(pub(crate) F);

impl<F> RecordParser for LineParser<F>
where
    F: FnMut(&mut RowBuilder, &[u8], u64, &mut Batch) -> std::result::Result<usize, Fault> + Clone + Send + 'static,
{
    #[inline]
    fn parse(&mut self, text: &[u8], _: usize, line: u64, row: &mut RowBuilder, batch: &mut Batch) -> ParsedRecord {
        let (from, fault) = match (self.0)(row, text, line, batch) {
            Ok(from) => (from, None),
            Err(fault) => (fault.0, Some(fault)),
        };
        let rest = text[from..].iter().position(|&b| b == b'\n').expect("a whole line ends with a newline");
        ParsedRecord { length: from + rest + 1, lines: 1, fault }
    }
}

/// A block on its way.
struct BlockInWork {
    block: TextBlock,
    /// How much of it has been parsed, and how many lines that was.
    at: usize,
    lines: u64,
    /// What it was made into so far.
    drafts: VecDeque<Draft>,
}

/// What a thread parses with.
struct Workplace<P> {
    parser: P,
    row: RowBuilder,
    /// What messages call the file.
    file: Arc<str>,
}

impl<P: RecordParser> Workplace<P> {
    /// The next rows of a block: as many as fill a batch, or all that are left.
    fn parse_on(&mut self, work: &mut BlockInWork, mut draft: Draft) -> Draft {
        let Workplace { parser, row, file } = self;
        std::mem::swap(&mut row.notes, &mut draft.notes);
        let (text, end) = (work.block.padded(), work.block.len());
        while work.at < end && !row.notes.are_full(&draft.batch) {
            let line = work.lines + 1;
            let record = parser.parse(&text[work.at..], end - work.at, line, row, &mut draft.batch);
            work.at += record.length;
            work.lines += record.lines;
            if let Some((at, message)) = record.fault {
                let place = Place { file: file.clone(), line, column: at as u64 + 1 };
                row.note_fault(Error::row(place, message), &mut draft.batch);
            }
        }
        std::mem::swap(&mut row.notes, &mut draft.notes);
        draft
    }
}

/// What was made of a block, or why there is none.
enum Made {
    Rows(BlockInWork),
    End,
    Failed(BlockFailure),
    Panicked(Box<dyn Any + Send>),
}

/// What threads have made, waiting for its turn.
#[derive(Default)]
struct Queue {
    /// What became of the blocks from number `taken` on, as far as they are done.
    made: VecDeque<Option<Made>>,
    taken: usize,
    /// The number of the next block in the stream, of which there are no more if it is over.
    next: usize,
    is_over: bool,
    /// The length of the last block.
    last: usize,
    /// What was looked up already.
    names: Option<Arc<KnownNames>>,
    /// Memory to be used again.
    buffers: Vec<Vec<u8>>,
    drafts: Vec<Draft>,
    /// Nobody wants any more rows.
    is_closed: bool,
}

/// What all threads share.
struct Shared {
    /// The stream, whose blocks are taken one at a time.
    blocks: Mutex<Blocks>,
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Blocks in the works at most.
    most: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics while it parses holds no lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Takes the next block; none if there is none, or no room for what would be made of it.
    fn take(&self) -> Option<(usize, std::result::Result<Option<TextBlock>, BlockFailure>)> {
        let mut blocks = lock(&self.blocks);
        let (number, buffer) = {
            let mut queue = lock(&self.queue);
            if queue.is_over || queue.is_closed || !self.has_room(&queue) {
                return None;
            }
            queue.next += 1;
            (queue.next - 1, queue.buffers.pop().unwrap_or_default())
        };
        let block = blocks.next(buffer);
        let mut queue = lock(&self.queue);
        queue.is_over = !matches!(block, Ok(Some(_)));
        queue.last = block.as_ref().map_or(0, |block| block.as_ref().map_or(0, TextBlock::len));
        Some((number, block))
    }

    fn has_room(&self, queue: &Queue) -> bool {
        queue.next < queue.taken + self.most
    }

    /// Takes the next block and parses it; false if there was nothing to do.
    fn work<P: RecordParser>(&self, place: &mut Workplace<P>) -> bool {
        let Some((number, block)) = self.take() else { return false };
        let made = match block {
            Ok(Some(block)) => {
                let parsed = catch_unwind(AssertUnwindSafe(|| self.parse(place, block)));
                parsed.map_or_else(Made::Panicked, Made::Rows)
            }
            Ok(None) => Made::End,
            Err(failure) => Made::Failed(failure),
        };
        let mut queue = lock(&self.queue);
        let at = number - queue.taken;
        while queue.made.len() <= at {
            queue.made.push_back(None);
        }
        queue.made[at] = Some(made);
        self.changed.notify_all();
        true
    }

    fn parse<P: RecordParser>(&self, place: &mut Workplace<P>, block: TextBlock) -> BlockInWork {
        let mut work = BlockInWork::new(block);
        place.row.known = lock(&self.queue).names.clone();
        let mut bytes = 0;
        while work.at < work.block.len() && bytes < MOST_BYTES {
            let spare = lock(&self.queue).drafts.pop().unwrap_or_default();
            let draft = place.parse_on(&mut work, spare);
            bytes += draft.bytes();
            work.drafts.push_back(draft);
        }
        work
    }

    /// Works until there is nothing left to do.
    fn work_to_end<P: RecordParser>(&self, mut place: Workplace<P>) {
        loop {
            if self.work(&mut place) {
                continue;
            }
            let mut queue = lock(&self.queue);
            while !queue.is_closed && !queue.is_over && !self.has_room(&queue) {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            if queue.is_closed || queue.is_over {
                return;
            }
        }
    }
}

impl BlockInWork {
    fn new(block: TextBlock) -> BlockInWork {
        let lines = block.lines_before;
        BlockInWork { block, at: 0, lines, drafts: VecDeque::new() }
    }
}

/// The rows of a text as they were written, in order.
pub(crate) struct TextRows<P> {
    shared: Arc<Shared>,
    own: Workplace<P>,
    threads: usize,
    worth: usize,
    /// Whether threads have been started.
    is_shared: bool,
    /// Whether a wait for the stream would keep rows back that have come.
    may_wait: bool,
    current: Option<BlockInWork>,
    /// How many lines come before the block at hand.
    lines: u64,
    is_over: bool,
}

impl<P: RecordParser> TextRows<P> {
    pub(crate) fn new(
        blocks: Blocks,
        parser: P,
        row: RowBuilder,
        file: Arc<str>,
        work: TextWork,
        may_wait: bool,
    ) -> TextRows<P> {
        let threads = work.threads.max(1);
        let (queue, changed) = (Mutex::default(), Condvar::new());
        let shared = Shared { blocks: Mutex::new(blocks), queue, changed, most: BLOCKS_PER_THREAD * threads };
        TextRows {
            shared: Arc::new(shared),
            own: Workplace { parser, row, file },
            threads,
            worth: work.worth,
            is_shared: false,
            may_wait,
            current: None,
            lines: 0,
            is_over: false,
        }
    }

    /// Starts the other threads, once there is enough for them to do.
    fn share(&mut self, lookup: &mut Lookup) {
        let is_worth_it = || {
            let queue = lock(&self.shared.queue);
            queue.next >= BLOCKS_ALONE && queue.last >= self.worth && !queue.is_over
        };
        if self.is_shared || self.threads == 1 || !is_worth_it() {
            return;
        }
        self.is_shared = true;
        lock(&self.shared.queue).names = lookup.names_to_share().or(self.own.row.known.clone());
        for _ in 0..self.threads - usize::from(!self.may_wait) {
            let Workplace { parser, row, file } = &self.own;
            let place = Workplace { parser: parser.clone(), row: row.another(), file: file.clone() };
            let shared = self.shared.clone();
            // It ends by itself: nobody can wait for one that waits for a stream.
            std::thread::spawn(move || shared.work_to_end(place));
        }
    }

    /// What was made of the next block.
    fn next_made(&mut self, lookup: &mut Lookup) -> Made {
        self.share(lookup);
        if !self.is_shared {
            self.own.row.known = lookup.names_to_share().or(self.own.row.known.take());
            let block = self.shared.take().map_or(Ok(None), |(_, block)| block);
            lock(&self.shared.queue).taken += 1;
            return match block {
                Ok(Some(block)) => Made::Rows(BlockInWork::new(block)),
                Ok(None) => Made::End,
                Err(failure) => Made::Failed(failure),
            };
        }
        let names = lookup.names_to_share();
        if names.is_some() {
            lock(&self.shared.queue).names = names;
        }
        loop {
            let mut queue = lock(&self.shared.queue);
            if let Some(Some(_)) = queue.made.front() {
                queue.taken += 1;
                self.shared.changed.notify_all();
                return queue.made.pop_front().flatten().expect("what is at the front");
            }
            if self.may_wait {
                drop(self.shared.changed.wait(queue));
                continue;
            }
            drop(queue);
            if !self.shared.work(&mut self.own) {
                let queue = lock(&self.shared.queue);
                if !matches!(queue.made.front(), Some(Some(_))) {
                    drop(self.shared.changed.wait(queue));
                }
            }
        }
    }

    /// The place at which the next record begins.
    fn place(&self) -> Place {
        Place { file: self.own.file.clone(), line: self.lines + 1, column: 1 }
    }
}

impl<P: RecordParser> super::format::DraftSource for TextRows<P> {
    fn next(&mut self, spare: Draft, lookup: &mut Lookup) -> Result<Option<(Draft, u64)>> {
        while !self.is_over {
            if let Some(work) = &mut self.current {
                if let Some(draft) = work.drafts.pop_front() {
                    lock(&self.shared.queue).drafts.push(spare);
                    return Ok(Some((draft, self.lines)));
                }
                if work.at < work.block.len() {
                    return Ok(Some((self.own.parse_on(work, spare), self.lines)));
                }
                self.lines += work.lines;
                let buffer = self.current.take().map(|work| work.block.into_buffer()).unwrap_or_default();
                if buffer.len() <= 2 * BLOCK {
                    lock(&self.shared.queue).buffers.push(buffer);
                }
            }
            match self.next_made(lookup) {
                Made::Rows(work) => self.current = Some(work),
                Made::End => self.is_over = true,
                Made::Failed(failure) => {
                    self.is_over = true;
                    return Err(match failure {
                        BlockFailure::Stopped => Error::Interrupted,
                        BlockFailure::Bad(message) => Error::row(self.place(), message),
                    });
                }
                Made::Panicked(panic) => resume_unwind(panic),
            }
        }
        Ok(None)
    }
}

impl<P> Drop for TextRows<P> {
    fn drop(&mut self) {
        lock(&self.shared.queue).is_closed = true;
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
