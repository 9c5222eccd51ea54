//! Requests: who may ask, for what, and how much at once.

mod guard;
mod learn;
mod live;
mod predict;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::body::{Body, format_of};
use crate::job::Job;
use crate::metrics;
use crate::refusal::{Refusal, json_response};
use crate::server::Server;

/// A body has to arrive within this time.
const TIME_TO_READ: Duration = Duration::from_secs(30);

/// A body that is too long is taken nevertheless, up to so many times what is allowed: its client reads why it is
/// refused.
const PASSED_OVER: usize = 4;

/// The page and what belongs to it: a path, a content type, and what is there.
const PAGE: [(&str, &str, &str); 3] = [
    ("/", "text/html; charset=utf-8", include_str!("../page/page.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("../page/page.css")),
    ("/page.js", "text/javascript; charset=utf-8", include_str!("../page/page.js")),
];

/// Nothing on the page comes from elsewhere, and nothing in it that came as data is run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All that can be asked for.
pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new().fallback(answer).with_state(server)
}

/// Answers a request. No path of it is ever looked for among files: all there are stand below.
async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let begun = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let measured = match path.as_str() {
        "/predict" => Some(metrics::Request::Predict),
        "/learn" => Some(metrics::Request::Learn),
        "/label" => Some(metrics::Request::Label),
        _ => None,
    };
    let response = match guard::admit(&server, &request) {
        Ok(()) => dispatch(&server, &method, &path, request).await.unwrap_or_else(IntoResponse::into_response),
        Err(refusal) => refusal.into_response(),
    };
    if let Some(measured) = measured {
        server.metrics.took(measured, begun.elapsed());
    }
    if response.status().is_client_error() || response.status().is_server_error() {
        server.metrics.refused.fetch_add(1, Ordering::Relaxed);
    }
    guard::harden(response)
}

async fn dispatch(server: &Arc<Server>, method: &Method, path: &str, request: Request) -> Result<Response, Refusal> {
    if let Some((_, kind, text)) = PAGE.iter().find(|(known, ..)| *known == path) {
        return require(method, &Method::GET).map(|()| page(kind, text));
    }
    match path {
        "/predict" | "/learn" | "/label" => {
            require(method, &Method::POST)?;
            let remembers = request.uri().query().is_some_and(|query| query.split('&').any(|it| it == "remember"));
            let body = read_body(server, request).await?;
            let lines = match path {
                "/predict" if remembers => predict::predict_and_remember(server, body).await?,
                "/predict" => predict::predict(server, body).await?,
                "/learn" => learn::learn(server, body).await?,
                _ => learn::label(server, body).await?,
            };
            Ok(typed("application/x-ndjson", lines))
        }
        "/model" => {
            require(method, &Method::GET)?;
            model(server).await
        }
        "/snapshot" => {
            require(method, &Method::POST)?;
            server.require_learning()?;
            let rows = server.ask(|reply| Job::Snapshot { reply }).await?;
            Ok(json_response(StatusCode::OK, format!("{{\"rows\":{rows}}}\n")))
        }
        "/health" => require(method, &Method::GET).map(|()| typed("text/plain", "ok\n".to_string())),
        "/ready" => {
            require(method, &Method::GET)?;
            match server.is_ending() {
                true => Err(Refusal::ending()),
                false => Ok(typed("text/plain", "ready\n".to_string())),
            }
        }
        "/metrics" => {
            require(method, &Method::GET)?;
            let edition = server.published.newest();
            let text = server.metrics.text(edition.since, edition.rows);
            Ok(typed("text/plain; version=0.0.4; charset=utf-8", text))
        }
        "/live" => {
            require(method, &Method::GET)?;
            let server = server.clone();
            let live = tokio::task::spawn_blocking(move || live::live(&server)).await.map_err(|_| Refusal::ending())?;
            Ok(json_response(StatusCode::OK, live))
        }
        _ => Err(Refusal::new(StatusCode::NOT_FOUND, "there is no such path")),
    }
}

fn require(method: &Method, wanted: &Method) -> Result<(), Refusal> {
    // Who asks for the head alone gets that of what he could have.
    if method == wanted || method == Method::HEAD && wanted == Method::GET {
        return Ok(());
    }
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, format!("this path takes {wanted}"));
    Err(refusal.with(header::ALLOW, if wanted == Method::GET { "GET, HEAD" } else { "POST" }))
}

/// Reads the body of a request, no more of it than is allowed, in no more time.
async fn read_body(server: &Server, request: Request) -> Result<Body, Refusal> {
    let format = format_of(request.headers())?;
    if let Some(length) = declared_length(request.headers()).filter(|length| *length > server.max_body) {
        // Who asks first whether to send it need not; who sends it at once reads no answer before.
        let is_asked = request.headers().contains_key(header::EXPECT);
        if !is_asked && length <= server.max_body.saturating_mul(PASSED_OVER) {
            let _ = tokio::time::timeout(TIME_TO_READ, pass_over(request.into_body())).await;
        }
        return Err(too_long(server));
    }
    match tokio::time::timeout(TIME_TO_READ, collected(server, request.into_body())).await {
        Ok(read) => read.and_then(|(bytes, room)| Ok(Body { room: Some(room), ..Body::new(format, &bytes)? })),
        Err(_) => {
            let message = format!("the body did not arrive within {} seconds", TIME_TO_READ.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
        }
    }
}

/// A body and the room that it takes. That is taken as the bytes come: who says that many will follow, and is slow to
/// send them, takes it from nobody.
async fn collected(
    server: &Server,
    body: axum::body::Body,
) -> Result<(Vec<u8>, tokio::sync::OwnedSemaphorePermit), Refusal> {
    let (mut bytes, mut room) = (Vec::new(), server.room_for(1, 0)?);
    let mut body = pin!(body);
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let unread = |error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body cannot be read: {error}"));
        let Ok(data) = frame.map_err(unread)?.into_data() else { continue };
        if bytes.len() + data.len() > server.max_body {
            return Err(too_long(server));
        }
        room.merge(server.room_for(bytes.len() + data.len(), room.num_permits())?);
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, room))
}

/// Takes a body and keeps nothing of it.
async fn pass_over(body: axum::body::Body) {
    let mut body = pin!(body);
    while let Some(Ok(_)) = poll_fn(|context| body.as_mut().poll_frame(context)).await {}
}

fn too_long(server: &Server) -> Refusal {
    let message = format!("the body is longer than {} bytes, the most that this server takes", server.max_body);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The model file as it stands.
async fn model(server: &Arc<Server>) -> Result<Response, Refusal> {
    let bytes = match server.learns() {
        true => {
            let mut model = server.ask(|reply| Job::Copy { reply }).await?;
            let bytes = tokio::task::spawn_blocking(move || model.to_bytes()).await.map_err(|_| Refusal::ending())?;
            bytes.map_err(|error| Refusal::of_store(&error))?
        }
        false => server.file.read().unwrap_or_else(std::sync::PoisonError::into_inner).to_vec(),
    };
    let name = HeaderValue::from_static("attachment; filename=\"model.onlinear\"");
    let kind = HeaderValue::from_static("application/octet-stream");
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], bytes).into_response())
}

fn page(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, POLICY)], text).into_response()
}

fn typed(kind: &'static str, text: String) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
