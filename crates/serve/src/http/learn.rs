//! `POST /learn` and `POST /label`.

use std::fmt::Write;
use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::Value as Json;

use crate::body::{Body, Labels};
use crate::edition::Edition;
use crate::job::{Job, LabelledRow, LateLabel, LearnedRow};
use crate::refusal::Refusal;
use crate::server::Server;

/// Learns from rows; answers one JSON line for each.
pub(super) async fn learn(server: &Arc<Server>, mut body: Body) -> Result<String, Refusal> {
    server.require_learning()?;
    if body.is_blank() {
        return Ok(String::new());
    }
    let edition = server.published.newest();
    let lines = body.json_lines(&edition, Labels::Kept)?;
    let (text, made_of) = (lines.text, lines.made_of);
    let _room = body.room.take(); // until it is answered
    drop(body);
    let learned = server.ask(|reply| Job::Learn { text, reply }).await;
    let learned = learned.map_err(|refusal| match &made_of {
        Some(lines) => refusal.in_lines(lines),
        None => refusal,
    })?;
    let mut text = String::with_capacity(80 * learned.len());
    learned.iter().for_each(|row| answer(&edition, row, &mut text));
    Ok(text)
}

/// Learns from rows that were remembered.
pub(super) async fn label(server: &Arc<Server>, body: Body) -> Result<String, Refusal> {
    server.require_learning()?;
    if !body.is_json() {
        let message = "labels come as JSON lines: {\"id\": …, \"label\": …}";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let mut labels = Vec::new();
    for (i, line) in body.bytes.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            labels.push(late_label(line).map_err(|(column, why)| Refusal::at((i as u64 + 1, column), &why))?);
        }
    }
    let edition = server.published.newest();
    let labelled = server.ask(|reply| Job::Label { labels, reply }).await?;
    let mut text = String::new();
    for LabelledRow { id, row } in labelled {
        match row {
            Some(row) => answer(&edition, &row, &mut text),
            None => {
                let remember = server.remember.map(|remember| remember.to_string()).unwrap_or_default();
                let why = format!("no row of this id waits for a label; rows are forgotten after {remember}");
                let _ = writeln!(text, "{{\"id\":{},\"error\":{}}}", Json::from(id), Json::from(why));
            }
        }
    }
    Ok(text)
}

/// The label on a line, or why there is none, with the column.
fn late_label(line: &[u8]) -> Result<LateLabel, (u64, String)> {
    let json: Json = serde_json::from_slice(line).map_err(|error| (error.column().max(1) as u64, error.to_string()))?;
    let id = match &json["id"] {
        Json::String(id) if !id.trim_ascii().is_empty() => id.trim_ascii().to_string(),
        // One with a fraction, or too long, has not stayed as it was written.
        Json::Number(id) if !id.is_f64() => id.to_string(),
        _ => return Err((1, "expected an id, which is a text or a whole number below 2^64".to_string())),
    };
    match &json["label"] {
        label @ (Json::String(_) | Json::Number(_) | Json::Bool(_)) => Ok(LateLabel { id, label: label.to_string() }),
        _ => Err((1, "expected a label".to_string())),
    }
}

/// What became of a row, as a JSON line.
fn answer(edition: &Edition, LearnedRow { id, answer, is_repeated }: &LearnedRow, text: &mut String) {
    let label = &edition.labels[answer.predicted];
    let _ = write!(text, "{{\"row\":{},\"label\":{label},\"score\":{:?}", answer.row, answer.score);
    let _ = write!(text, ",\"mistake\":{}", answer.is_mistake);
    if !id.is_empty() {
        let _ = write!(text, ",\"id\":{}", Json::from(id.as_str()));
    }
    if *is_repeated {
        text.push_str(",\"repeated\":true");
    }
    text.push_str("}\n");
}
