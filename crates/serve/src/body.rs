//! What clients send: rows in one of several formats, all of which can be made lines of the log.

use std::fmt::Write;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use onlinear::workshop::{ColumnKind, NO_LABEL, Vocabulary};
use onlinear::{Batch, Error, Format, Input, ReadOptions, Result, TableSchema, open};
use serde_json::Value as Json;
use tokio::sync::OwnedSemaphorePermit;

use crate::edition::Edition;
use crate::refusal::Refusal;

/// Content types, and the format that each means.
const CONTENT_TYPES: [(&str, &str); 5] = [
    ("application/x-ndjson", "jsonl"),
    ("application/json", "jsonl"),
    ("text/x-libsvm", "libsvm"),
    ("text/x-vw", "vw"),
    ("text/csv", "csv"),
];

/// What some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The body of a request.
pub(crate) struct Body {
    pub(crate) format: Format,
    pub(crate) bytes: Arc<[u8]>,
    /// Its share of the memory that all bodies may take.
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// Rows as lines of the log.
pub(crate) struct JsonLines {
    pub(crate) text: Arc<[u8]>,
    /// The lines of the body that they were made of; none where they are those of the body.
    pub(crate) made_of: Option<Vec<u64>>,
}

/// What curl says of a body unless told otherwise. Browsers send it for pages of others without asking, so it is no
/// row's.
const FORM: &str = "application/x-www-form-urlencoded";

/// Whether rows are given with their labels.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Labels {
    Kept,
    LeftOut,
}

/// The format of a body, by its content type.
pub(crate) fn format_of(headers: &HeaderMap) -> std::result::Result<Format, Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = given.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let format = CONTENT_TYPES.iter().find(|(known, _)| *known == kind).and_then(|(_, name)| name.parse().ok());
    format.ok_or_else(|| {
        let known: Vec<&str> = CONTENT_TYPES.iter().map(|(known, _)| *known).collect();
        let cure = if kind == FORM { "; curl --json sends JSON" } else { "" };
        let message = format!("content type '{given}'; expected one of {}{cure}", known.join(", "));
        Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    })
}

impl Body {
    /// The body, if it is text.
    pub(crate) fn new(format: Format, bytes: &[u8]) -> std::result::Result<Body, Refusal> {
        // Readers pass over one; those of the log would meet it in the midst of others.
        let mut bytes = bytes;
        while let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK) {
            bytes = rest;
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(Body { format, bytes: bytes.into(), room: None }),
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
                Err(Refusal::at((line as u64, column as u64), &"the body is not UTF-8"))
            }
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format.name() == "jsonl"
    }

    pub(crate) fn input(&self) -> Input {
        Input::Memory { name: "body".into(), bytes: self.bytes.clone() }
    }

    /// The rows as lines of the log of a server whose model is of this edition.
    pub(crate) fn json_lines(&self, edition: &Edition, labels: Labels) -> std::result::Result<JsonLines, Refusal> {
        if self.is_json() {
            return Ok(JsonLines { text: self.bytes.clone(), made_of: None });
        }
        let made = match (&edition.model.csv, self.format.name()) {
            (Some(schema), _) => self.cells(edition, schema, labels),
            (None, "csv") => {
                let message = "CSV needs a model that knows its columns; this one was not learned from a table";
                return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
            }
            (None, _) => self.features(labels),
        };
        made.map_err(|error| Refusal::of_rows(&error))
    }

    /// Rows with numbered or named features.
    fn features(&self, labels: Labels) -> Result<JsonLines> {
        let options = ReadOptions { format: Some(self.format), ..ReadOptions::default() };
        let (mut reader, _) = open(&self.input(), &options)?;
        let (mut batch, mut text, mut made_of) = (Batch::default(), String::new(), Vec::new());
        while reader.read(&mut batch)? {
            let names = reader.vocabulary().names();
            let names: Option<Vec<String>> = names.map(|names| names.into_iter().map(quoted).collect());
            for i in 0..batch.len() {
                text.push('{');
                let label = batch.labels[i];
                if label != NO_LABEL && labels == Labels::Kept {
                    let _ = write!(text, "\"label\":{},", Json::from(reader.labels().text(label)));
                }
                if batch.weight(i) != 1.0 {
                    let _ = write!(text, "\"weight\":{:?},", batch.weight(i));
                }
                text.push_str("\"features\":{");
                let mut comma = "";
                batch.rows.row(i).for_each(|place, value| {
                    let _ = match names.as_ref().and_then(|names| names.get(place)) {
                        Some(name) => write!(text, "{comma}{name}:{value:?}"),
                        None => write!(text, "{comma}\"{}\":{value:?}", place + 1),
                    };
                    comma = ",";
                });
                text.push_str("}}\n");
                made_of.push(batch.lines[i]);
            }
        }
        Ok(JsonLines { text: text.into_bytes().into(), made_of: Some(made_of) })
    }

    /// Rows of a table, whose columns are known.
    fn cells(&self, edition: &Edition, schema: &TableSchema, labels: Labels) -> Result<JsonLines> {
        let options =
            |keep: &[String]| ReadOptions { format: Some(self.format), keep: keep.to_vec(), ..edition.read_options() };
        // Features must be there, and the reader says so where one is not; it also knows which others are.
        let is_there = |name: &str| open(&self.input(), &options(&[name.to_string()])).is_ok();
        let known = schema.columns().filter(|(name, kind)| kind.is_feature() || is_there(name));
        let keep: Vec<String> = known.map(|(name, _)| name.to_string()).collect();
        let (mut reader, _) = open(&self.input(), &options(&keep))?;
        let (mut batch, mut text, mut made_of) = (Batch::default(), String::new(), Vec::new());
        while reader.read(&mut batch)? {
            for (i, cells) in batch.kept.chunks_exact(keep.len().max(1)).enumerate() {
                let is_label =
                    |name: &str| schema.columns().any(|(known, kind)| known == name && kind == ColumnKind::Label);
                let given = keep.iter().zip(cells).filter(|(name, _)| labels == Labels::Kept || !is_label(name));
                let cell = |cell: &String| if cell.is_empty() { Json::Null } else { Json::from(cell.as_str()) };
                let row: Json = given.map(|(name, text)| (name.clone(), cell(text))).collect();
                let _ = writeln!(text, "{row}");
                made_of.push(batch.lines[i]);
            }
        }
        Ok(JsonLines { text: text.into_bytes().into(), made_of: Some(made_of) })
    }

    /// How rows of this format are read for a model; those whose features it knows otherwise are made JSON lines first.
    pub(crate) fn for_model(self, edition: &Edition) -> std::result::Result<Body, Refusal> {
        let is_foreign = match (self.format.name(), edition.read_options().vocabulary) {
            ("vw", Some(Vocabulary::Indexed { .. })) | ("libsvm", Some(Vocabulary::Named { .. })) => {
                edition.model.csv.is_none()
            }
            ("csv", _) if edition.model.csv.is_none() => true,
            _ => false,
        };
        if !is_foreign {
            return Ok(self);
        }
        let lines = self.json_lines(edition, Labels::LeftOut)?;
        let jsonl = "jsonl".parse().map_err(|error: Error| Refusal::of_rows(&error))?;
        Ok(Body { room: self.room, ..Body::new(jsonl, &lines.text)? })
    }
}

/// A name as it stands in JSON.
fn quoted(name: &[u8]) -> String {
    Json::from(String::from_utf8_lossy(name).into_owned()).to_string()
}
