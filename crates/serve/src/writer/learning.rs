//! Rows into the log and into the model.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use onlinear::workshop::Piece;
use onlinear::{Batch, Input};
use serde_json::Value as Json;

use super::Writer;
use crate::answers::{RowAnswer, Trials};
use crate::edition::label_key;
use crate::job::{LabelledRow, LateLabel, LearnedRow};
use crate::recovery::{Recovered, recover};
use crate::refusal::Refusal;
use crate::store::WaitingRow;

/// Where the answer to a row comes from.
enum Origin {
    /// It is learned from now.
    New,
    /// It was learned from before.
    Known(RowAnswer),
    /// It stands in the same request before; its place among the new rows.
    Before(usize),
}

impl Writer {
    /// Learns from rows that are JSON lines: all of them, or none where one is wrong.
    pub(super) fn learn(&mut self, text: Arc<[u8]>) -> std::result::Result<Vec<LearnedRow>, Refusal> {
        if let Some(full) = &self.full {
            return Err(Refusal::new(StatusCode::INSUFFICIENT_STORAGE, full));
        }
        let piece = self.read(&text)?;
        let ids: Vec<String> = piece.batches.iter().flat_map(|batch| batch.kept.iter().cloned()).collect();
        let origins = self.origins(&ids);
        let lines = lines_of(&text, &piece.batches);
        let is_new = |origin: &Origin| matches!(origin, Origin::New);
        if origins.iter().all(is_new) {
            let text = joined(lines.iter().copied());
            let answers = self.learn_piece(piece, &text, &lines)?;
            return self.answers(ids, &origins, &answers);
        }
        // Rows that are known teach nothing, not even names: the others are read as if they had come alone.
        self.feed.forget(piece);
        let kept = lines.iter().zip(&origins).filter(|(_, origin)| is_new(origin));
        let kept: Vec<&[u8]> = kept.map(|(line, _)| *line).collect();
        let mut answers = Vec::new();
        if !kept.is_empty() {
            let text = Arc::from(joined(kept.iter().copied()));
            let piece = self.read(&text)?;
            answers = self.learn_piece(piece, &text, &kept)?;
        }
        self.answers(ids, &origins, &answers)
    }

    /// Where the answer to each row comes from, by its id. What is known is taken now: new ids make old ones forgotten.
    fn origins(&self, ids: &[String]) -> Vec<Origin> {
        let (mut met, mut new) = (HashMap::new(), 0);
        let mut origin = |id: &String| match (self.ids.get(id), met.get(id)) {
            (Some(answer), _) => Origin::Known(*answer),
            (None, Some(&place)) => Origin::Before(place),
            (None, None) => {
                if !id.is_empty() {
                    met.insert(id.clone(), new);
                }
                new += 1;
                Origin::New
            }
        };
        ids.iter().map(&mut origin).collect()
    }

    fn read(&mut self, text: &Arc<[u8]>) -> std::result::Result<Piece, Refusal> {
        let input = Input::Memory { name: "body".into(), bytes: text.clone() };
        self.feed.read(&input).map_err(|error| Refusal::of_rows(&error))
    }

    /// Appends rows to the log and learns from them.
    fn learn_piece(
        &mut self,
        piece: Piece,
        text: &[u8],
        lines: &[&[u8]],
    ) -> std::result::Result<Vec<RowAnswer>, Refusal> {
        let end = self.log.end();
        if let Err(error) = self.log.append(text, lines.len() as u64) {
            self.feed.forget(piece);
            return Err(Refusal::of_store(&error));
        }
        let mut trials = Trials::behind(self.log.rows - lines.len() as u64);
        let learned = self.feed.learn(&piece, &mut trials);
        if trials.answers.len() != lines.len() {
            if let Err(error) = self.log.cut_off(end) {
                self.full = Some(error.to_string());
            }
            self.rebuild();
            return Err(learned.map_or_else(|error| Refusal::of_rows(&error), |()| Refusal::unanswered()));
        }
        if let Err(error) = learned {
            self.full = Some(error.to_string()); // all were learned, and there is no room for more
        }
        let mut progress = self.metrics.progress();
        for (answer, line) in trials.answers.iter().zip(lines) {
            progress.note(answer, line);
        }
        Ok(trials.answers)
    }

    /// The answers to all rows, of which `learned` are those to the new ones.
    fn answers(
        &mut self,
        ids: Vec<String>,
        origins: &[Origin],
        learned: &[RowAnswer],
    ) -> std::result::Result<Vec<LearnedRow>, Refusal> {
        let mut new = learned.iter();
        let mut all = Vec::with_capacity(ids.len());
        for (id, origin) in ids.into_iter().zip(origins) {
            let answer = match origin {
                Origin::New => new.next().copied(),
                Origin::Known(answer) => Some(*answer),
                Origin::Before(place) => learned.get(*place).copied(),
            };
            let answer = answer.ok_or_else(Refusal::unanswered)?;
            let is_repeated = !matches!(origin, Origin::New);
            if is_repeated {
                self.metrics.repeated.fetch_add(1, Ordering::Relaxed);
            } else if !id.is_empty() {
                self.ids.note(&id, answer);
            }
            all.push(LearnedRow { id, answer, is_repeated });
        }
        Ok(all)
    }

    /// Goes back to what the log says: something was read or learned that is not in it.
    fn rebuild(&mut self) {
        match recover(&self.store, &self.begin, &mut self.log, self.options.max_memory, &self.say) {
            Ok(Recovered { feed, ids, .. }) => (self.feed, self.ids) = (feed, ids),
            Err(error) => self.full = Some(format!("the store cannot be read again: {error}")),
        }
    }

    /// Learns from rows that wait, by their labels.
    pub(super) fn label(&mut self, labels: Vec<LateLabel>) -> std::result::Result<Vec<LabelledRow>, Refusal> {
        // Where the disk does not let its files go, the next time does.
        let _ = self.waiting.forget_old();
        let (mut text, mut places, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let key = label_key(self.feed.model());
        for (i, LateLabel { id, label }) in labels.iter().enumerate() {
            if let Some(row) = self.waiting.get(id).filter(|_| self.ids.get(id).is_none()) {
                text.extend_from_slice(with_key(&row.line, &key, label).as_bytes());
                text.push(b'\n');
                places.push(i);
                lines.push(i as u64 + 1);
            }
        }
        let learned =
            if text.is_empty() { Vec::new() } else { self.learn(text.into()).map_err(|it| it.in_lines(&lines))? };
        let known = |id: &String| {
            let answer = *self.ids.get(id)?;
            Some(LearnedRow { id: id.clone(), answer, is_repeated: true })
        };
        let mut all: Vec<LabelledRow> =
            labels.iter().map(|late| LabelledRow { id: late.id.clone(), row: known(&late.id) }).collect();
        for (place, row) in places.into_iter().zip(learned) {
            self.labelled.push(row.id.clone());
            all[place].row = Some(row);
        }
        Ok(all)
    }

    /// Remembers rows until their labels come.
    pub(super) fn remember(&mut self, rows: Vec<(String, String)>) -> std::result::Result<Vec<String>, Refusal> {
        let mut waiting = Vec::with_capacity(rows.len());
        let own: HashSet<String> = rows.iter().map(|(id, _)| id.clone()).collect();
        for (i, (id, line)) in rows.into_iter().enumerate() {
            waiting.push(match id.is_empty() {
                true => {
                    // Clients may call their rows as this server does.
                    let is_free = |id: &String| self.ids.get(id).is_none() && !own.contains(id);
                    let id = self.waiting.new_id(i as u64, is_free);
                    let line = with_key(&line, "id", &format!("\"{id}\""));
                    WaitingRow::new(id, line)
                }
                false => WaitingRow::new(id, line),
            });
        }
        let ids = waiting.iter().map(|row| row.id.clone()).collect();
        self.waiting.add(waiting).map_err(|error| Refusal::of_store(&error))?;
        self.metrics.waiting.store(self.waiting.len() as u64, Ordering::Relaxed);
        Ok(ids)
    }
}

/// The lines that rows were read from, without the spaces around them.
fn lines_of<'a>(text: &'a [u8], batches: &[Batch]) -> Vec<&'a [u8]> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let numbers = batches.iter().flat_map(|batch| &batch.lines);
    numbers.map(|&number| lines[number as usize - 1].trim_ascii()).collect()
}

fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

/// A JSON object with one more key, in front; `value` is JSON.
fn with_key(object: &str, key: &str, value: &str) -> String {
    let rest = object.trim_start().strip_prefix('{').unwrap_or(object).trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!("{{{}:{value}{comma}{rest}", Json::from(key))
}
