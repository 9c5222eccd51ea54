//! `POST /predict`.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use onlinear::workshop::NO_LABEL;
use onlinear::{Batch, Error, ReadOptions, ScoreScratch, open, predicted_class};
use serde_json::Value as Json;

use crate::body::{Body, Labels};
use crate::edition::Edition;
use crate::job::Job;
use crate::refusal::Refusal;
use crate::server::Server;

/// A body that is larger is worked on where it keeps no other request waiting.
const SMALL: usize = 64 << 10;

/// The answers to rows, one a line, but for their ends.
struct Predictions {
    lines: Vec<String>,
    /// The ids that rows carry; empty where they have none.
    ids: Vec<String>,
}

/// Predicts rows; answers one JSON line for each.
pub(super) async fn predict(server: &Arc<Server>, body: Body) -> Result<String, Refusal> {
    if body.is_blank() {
        return Ok(String::new());
    }
    let edition = server.published.newest();
    let body = body.for_model(&edition)?;
    let Predictions { lines, ids } = on_any_thread(body.bytes.len(), move || predictions(&edition, &body)).await?;
    server.metrics.predicted.fetch_add(lines.len() as u64, Ordering::Relaxed);
    let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 16).sum());
    for (line, id) in lines.iter().zip(&ids) {
        text.push_str(line);
        if !id.is_empty() {
            let _ = write!(text, ",\"id\":{}", Json::from(id.as_str()));
        }
        text.push_str("}\n");
    }
    Ok(text)
}

/// Predicts rows and remembers them, until their labels come.
pub(super) async fn predict_and_remember(server: &Arc<Server>, body: Body) -> Result<String, Refusal> {
    let Some(remember) = server.remember else {
        let message = "this server does not learn: start it with a store, and it remembers rows";
        return Err(Refusal::new(StatusCode::CONFLICT, message));
    };
    if body.is_blank() {
        return Ok(String::new());
    }
    let edition = server.published.newest();
    let lines = body.json_lines(&edition, Labels::LeftOut)?;
    let json = Body::new("jsonl".parse().map_err(|error: Error| Refusal::of_rows(&error))?, &lines.text)?;
    let work = move || {
        let rows = unlabelled_lines(&edition, &json)?;
        Ok((predictions(&edition, &json)?, rows))
    };
    let made_of = lines.made_of;
    let in_body = |refusal: Refusal| match &made_of {
        Some(lines) => refusal.in_lines(lines),
        None => refusal,
    };
    let (predicted, rows) = on_any_thread(lines.text.len(), work).await.map_err(in_body)?;
    server.metrics.predicted.fetch_add(predicted.lines.len() as u64, Ordering::Relaxed);
    let rows = predicted.ids.into_iter().zip(rows).collect();
    let ids = server.ask(|reply| Job::Remember { rows, reply }).await?;
    let mut text = String::new();
    for (line, id) in predicted.lines.iter().zip(ids) {
        let _ = writeln!(text, "{line},\"id\":{},\"remembered\":\"{remember}\"}}", Json::from(id));
    }
    Ok(text)
}

/// Small work is done at once; large work on a thread for such.
async fn on_any_thread<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    if size <= SMALL {
        return work();
    }
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Refusal::ending()))
}

fn read_options(edition: &Edition, body: &Body) -> ReadOptions {
    let keep = if body.is_json() { vec!["id".to_string()] } else { Vec::new() };
    ReadOptions { format: Some(body.format), keep, ..edition.read_options() }
}

/// The lines of rows that have no label yet.
fn unlabelled_lines(edition: &Edition, body: &Body) -> Result<Vec<String>, Refusal> {
    let refuse = |error: Error| Refusal::of_rows(&error);
    let (mut reader, _) = open(&body.input(), &read_options(edition, body)).map_err(refuse)?;
    let text: Vec<&[u8]> = body.bytes.split(|&byte| byte == b'\n').collect();
    let (mut batch, mut lines) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).map_err(refuse)? {
        for (&label, &line) in batch.labels.iter().zip(&batch.lines) {
            if label != NO_LABEL {
                let message = "the row has a label already: it can be learned from at once";
                return Err(refuse(Error::row(reader.about().file.place(line), message)));
            }
            let own = text[line as usize - 1].trim_ascii();
            if let Some(key) = edition.empty_key(own) {
                let message = format!("'{key}' is there and empty, and would be there twice; leave it out");
                return Err(refuse(Error::row(reader.about().file.place(line), message)));
            }
            lines.push(String::from_utf8_lossy(own).into_owned());
        }
    }
    Ok(lines)
}

fn predictions(edition: &Edition, body: &Body) -> Result<Predictions, Refusal> {
    let refuse = |error: Error| Refusal::of_rows(&error);
    let (mut reader, _) = open(&body.input(), &read_options(edition, body)).map_err(refuse)?;
    let (model, probabilities) = (&edition.model, edition.probabilities());
    let (mut batch, mut scratch) = (Batch::default(), ScoreScratch::default());
    let mut all = Predictions { lines: Vec::new(), ids: Vec::new() };
    while reader.read(&mut batch).map_err(refuse)? {
        for (i, scores) in model.scores(&batch.rows, &mut scratch).chunks_exact(model.learner.len()).enumerate() {
            let Some(class) = predicted_class(scores) else {
                let message = "the score is not finite: the numbers are too large";
                return Err(refuse(Error::row(reader.about().file.place(batch.lines[i]), message)));
            };
            let shares = probabilities.map(|probabilities| probabilities.of(scores)).unwrap_or_default();
            let mut line = answer(edition, class, scores, &shares);
            if let Some(asking) = &edition.asking {
                let mut asking = asking.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let (model, draws) = &mut *asking;
                let asked = model.would_ask(batch.rows.row(i), draws) == Some(true);
                let _ = write!(line, ",\"ask\":{asked}");
            }
            all.lines.push(line);
        }
        all.ids.append(&mut batch.kept);
        all.ids.resize(all.lines.len(), String::new());
    }
    Ok(all)
}

/// An answer without its end.
fn answer(edition: &Edition, class: usize, scores: &[f64], shares: &[f64]) -> String {
    let mut line = String::with_capacity(64);
    let is_alone = scores.len() == 1;
    let score = scores[if is_alone { 0 } else { class }];
    let _ = write!(line, "{{\"label\":{},\"score\":{score:?}", edition.labels[class]);
    if !is_alone {
        line.push_str(",\"scores\":{");
        for (k, (label, score)) in edition.labels.iter().zip(scores).enumerate() {
            let _ = write!(line, "{}{label}:{score:?}", if k > 0 { "," } else { "" });
        }
        line.push('}');
    }
    if let Some(share) = shares.get(if is_alone { 1 } else { class }) {
        let _ = write!(line, ",\"probability\":{share:?}");
    }
    line
}
