//! From a store to the state that its log leads to.

use onlinear::workshop::Feed;
use onlinear::{Error, Input, Result};

use crate::answers::{KnownIds, Trials};
use crate::begin::Begin;
use crate::store::{Log, Snapshot, SnapshotNotes, Store, row_of};

/// What learning goes on from.
pub(crate) struct Recovered {
    pub(crate) feed: Feed,
    pub(crate) ids: KnownIds,
    /// Rows in the last snapshot.
    pub(crate) snapshot: u64,
}

/// A row of the log that cannot be learned from.
struct Unlearnable {
    row: u64,
    reason: Error,
}

/// The newest snapshot and all rows of the log behind it: what one pass over the whole log leaves.
pub(crate) fn recover(
    store: &Store,
    begin: &Begin,
    log: &mut Log,
    max_memory: u64,
    say: &dyn Fn(&str),
) -> Result<Recovered> {
    loop {
        match try_recover(store, begin, log, max_memory, say)? {
            Ok(recovered) => return Ok(recovered),
            // Its request was refused, or would have been: the server ended before it could take the row back.
            Err(Unlearnable { row, reason }) => {
                log.cut_off_from(row)?;
                say(&format!("row {row} of the log cannot be learned from and was never answered: {reason}; cut off"));
            }
        }
    }
}

fn try_recover(
    store: &Store,
    begin: &Begin,
    log: &Log,
    max_memory: u64,
    say: &dyn Fn(&str),
) -> Result<std::result::Result<Recovered, Unlearnable>> {
    // What was answered is learned again, whatever the limit was then and is now.
    let begun = begin.feed(store, u64::MAX)?;
    let snapshot = Snapshot::newest(&store.folder.join("snapshot"), say)?;
    let (mut feed, mut ids, rows) = match snapshot {
        Some(Snapshot { rows, .. }) if rows > log.rows => {
            let message = format!("the snapshot has {rows} rows of the log, which ends with row {}", log.rows);
            return Err(Error::data(&store.folder.display().to_string(), message));
        }
        Some(Snapshot { rows, model, notes: SnapshotNotes { labels, ids } }) => {
            let read = begin.read(u64::MAX)?;
            (Feed::resumed(model, begun.classes().clone(), labels, read, u64::MAX)?, ids, rows)
        }
        None => (begun, KnownIds::default(), 0),
    };
    let mut unlearnable = None;
    log.tail(rows)?.each(|path, first, text| {
        let line = first + 1 - row_of(path)?;
        if unlearnable.is_some() {
            return Ok(());
        }
        let input = Input::Memory { name: path.display().to_string().into(), bytes: text.into() };
        let piece = feed.read(&input).map_err(|error| match error {
            Error::Row { mut place, message } => {
                place.line += line - 1; // the text may be a part of the file
                Error::Row { place, message }
            }
            other => other,
        })?;
        let mut trials = Trials::behind(first - 1);
        let learned = feed.learn(&piece, &mut trials);
        let count: usize = piece.batches.iter().map(|batch| batch.len()).sum();
        let given = piece.batches.iter().flat_map(|batch| &batch.kept);
        for (id, answer) in given.zip(&trials.answers).filter(|(id, _)| !id.is_empty()) {
            ids.note(id, *answer);
        }
        match learned {
            Err(reason) if trials.answers.len() < count => {
                unlearnable = Some(Unlearnable { row: first + trials.answers.len() as u64, reason });
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(match unlearnable {
        Some(unlearnable) => Err(unlearnable),
        None => {
            feed.limit_memory(max_memory);
            Ok(Recovered { feed, ids, snapshot: rows })
        }
    })
}
