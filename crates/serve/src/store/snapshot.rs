//! Snapshots: an ordinary model file, and beside it what a server needs besides to go on.

use std::fs;
use std::path::Path;

use onlinear::{Model, Result};
use serde_json::{Value as Json, json};

use super::{failed, file_name, files_by_row, remove_temporary, write_whole};
use crate::answers::{KnownIds, RowAnswer};

/// A model with all rows of the log up to a certain one in it.
pub(crate) struct Snapshot {
    /// How many rows of the log are in it.
    pub(crate) rows: u64,
    pub(crate) model: Model,
    pub(crate) notes: SnapshotNotes,
}

/// What belongs to a snapshot beside its model.
#[derive(Default)]
pub(crate) struct SnapshotNotes {
    /// The labels met, in their order.
    pub(crate) labels: Vec<String>,
    /// The answers to the last rows that carried ids.
    pub(crate) ids: KnownIds,
}

impl Snapshot {
    /// The newest that is whole. `say` is told of those that are not.
    pub(crate) fn newest(folder: &Path, say: &dyn Fn(&str)) -> Result<Option<Snapshot>> {
        for (rows, path) in files_by_row(folder, "onlinear")?.into_iter().rev() {
            let notes = fs::read(path.with_extension("json")).ok().and_then(|bytes| SnapshotNotes::of_json(&bytes));
            match (Model::load(&path), notes) {
                (Ok(model), Some(notes)) => return Ok(Some(Snapshot { rows, model, notes })),
                (Err(error), _) => say(&format!("{error}; it is passed over")),
                (Ok(_), None) => say(&format!("{}: what belongs to it is missing; it is passed over", path.display())),
            }
        }
        Ok(None)
    }

    /// Removes what snapshots leave that were cut off.
    pub(super) fn tidy(folder: &Path) -> Result<()> {
        remove_temporary(folder)?;
        for (_, notes) in files_by_row(folder, "json")? {
            if !notes.with_extension("onlinear").exists() {
                fs::remove_file(&notes).map_err(failed(&notes))?;
            }
        }
        Ok(())
    }

    /// Puts the snapshot in the place of those before it.
    pub(crate) fn save(mut self, folder: &Path) -> Result<u64> {
        let path = folder.join(file_name(self.rows, "onlinear"));
        write_whole(&path.with_extension("json"), format!("{}\n", self.notes.as_json()).as_bytes())?;
        self.model.save(&path)?;
        Snapshot::remove_before(self.rows, folder)?;
        Ok(self.rows)
    }

    /// Removes the snapshots of fewer rows.
    pub(crate) fn remove_before(rows: u64, folder: &Path) -> Result<()> {
        for ending in ["onlinear", "json"] {
            for (_, old) in files_by_row(folder, ending)?.into_iter().filter(|(its_rows, _)| *its_rows < rows) {
                fs::remove_file(&old).map_err(failed(&old))?;
            }
        }
        Ok(())
    }
}

impl SnapshotNotes {
    fn as_json(&self) -> Json {
        let ids = self.ids.iter().map(|(id, answer)| {
            // A number as its bits: what is not finite has no place in JSON, and none is rounded.
            json!([id, answer.row, answer.class, answer.predicted, answer.score.to_bits(), answer.is_mistake])
        });
        json!({"labels": self.labels, "ids": ids.collect::<Vec<_>>()})
    }

    fn of_json(bytes: &[u8]) -> Option<SnapshotNotes> {
        let json: Json = serde_json::from_slice(bytes).ok()?;
        let labels = json["labels"].as_array()?.iter().map(|label| label.as_str().map(String::from));
        let mut ids = KnownIds::default();
        for entry in json["ids"].as_array()? {
            let whole = |i: usize| entry[i].as_u64();
            let answer = RowAnswer {
                row: whole(1)?,
                class: usize::try_from(whole(2)?).ok()?,
                predicted: usize::try_from(whole(3)?).ok()?,
                score: f64::from_bits(whole(4)?),
                is_mistake: entry[5].as_bool()?,
            };
            ids.note(entry[0].as_str()?, answer);
        }
        Some(SnapshotNotes { labels: labels.collect::<Option<_>>()?, ids })
    }
}
