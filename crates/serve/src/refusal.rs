//! What a client is told that does not get what it asked for.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use onlinear::Error;
use serde_json::json;

/// Why a request is refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: String,
    /// The line and the column that it is about.
    place: Option<(u64, u64)>,
    /// What its answer says besides.
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into(), place: None, header: None }
    }

    /// That what stands at a line and a column is wrong.
    pub(crate) fn at((line, column): (u64, u64), message: &dyn std::fmt::Display) -> Refusal {
        let message = format!("{line}:{column}: {message}");
        Refusal { place: Some((line, column)), ..Refusal::new(StatusCode::BAD_REQUEST, message) }
    }

    /// With a header of its own.
    pub(crate) fn with(self, name: HeaderName, value: &'static str) -> Refusal {
        Refusal { header: Some((name, value)), ..self }
    }

    /// That the rows are wrong.
    pub(crate) fn of_rows(error: &Error) -> Refusal {
        match error {
            Error::Row { place, message } => Refusal::at((place.line, place.column), message),
            // Told by the first row.
            Error::Data { message, .. } => Refusal::at((1, 1), &format!("the body {message}")),
            Error::Io { .. } | Error::Model { .. } => Refusal::of_store(error),
            other => Refusal::new(StatusCode::BAD_REQUEST, other.to_string()),
        }
    }

    /// That what was asked for cannot be kept.
    pub(crate) fn of_store(error: &Error) -> Refusal {
        Refusal::new(StatusCode::INSUFFICIENT_STORAGE, format!("nothing of this was learned: {error}"))
    }

    /// That rows may be lost that were written.
    pub(crate) fn of_sync(error: &Error) -> Refusal {
        let message = format!("whether this lasts is not known before the server is started anew: {error}");
        Refusal::new(StatusCode::INSUFFICIENT_STORAGE, message)
    }

    /// That a snapshot cannot be saved; what it would have held is in the log.
    pub(crate) fn unsaved(error: &Error) -> Refusal {
        Refusal::new(StatusCode::INSUFFICIENT_STORAGE, format!("no snapshot was saved: {error}"))
    }

    /// That the learner has left rows out that it was given, which none does.
    pub(crate) fn unanswered() -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the learner has not told what it made of each row")
    }

    /// The server ends, or has failed.
    pub(crate) fn ending() -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending")
    }

    /// What is wrong in lines that were made of others, in the place of the line that it was made of.
    pub(crate) fn in_lines(self, lines: &[u64]) -> Refusal {
        let line = self.place.and_then(|(line, _)| lines.get(line as usize - 1));
        match (line, self.message.splitn(3, ':').nth(2)) {
            (Some(&line), Some(rest)) => {
                Refusal { message: format!("{line}:1:{rest}"), place: Some((line, 1)), ..self }
            }
            _ => self,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut told = json!({"error": self.message});
        if let Some((line, column)) = self.place {
            told["line"] = json!(line);
            told["column"] = json!(column);
        }
        let mut response = json_response(self.status, format!("{told}\n"));
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// An answer that is an object of JSON.
pub(crate) fn json_response(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}
