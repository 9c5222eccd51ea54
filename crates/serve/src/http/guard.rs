//! Who may ask, and what no answer goes without.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::refusal::Refusal;
use crate::server::Server;

/// What shows no data, and is for all who can reach the server: its health, and the page before it is filled in.
const OPEN: [&str; 5] = ["/", "/page.css", "/page.js", "/health", "/ready"];

/// Lets a request pass, or says why not.
pub(super) fn admit(server: &Server, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    let forbidden = |message: &str| Err(Refusal::new(StatusCode::FORBIDDEN, message));
    let host = text_of(headers, header::HOST);
    // A page of another site may send a browser here; what it sends names that site.
    if let Some(origin) = text_of(headers, header::ORIGIN)
        && origin.split_once("://").is_none_or(|(_, from)| Some(from) != host)
    {
        return forbidden("the request comes from a page of another site");
    }
    let Some(token) = &server.token else {
        // Without a token only the own machine may ask, and not by a name that somebody else gave it.
        return match host.is_none_or(is_local) {
            true => Ok(()),
            false => forbidden("the request names another host than this machine"),
        };
    };
    if OPEN.contains(&request.uri().path()) {
        return Ok(());
    }
    let given = text_of(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    match given.is_some_and(|given| is_same(given.trim().as_bytes(), token.as_bytes())) {
        true => Ok(()),
        false => {
            let message = "expected the header Authorization: Bearer TOKEN";
            Err(Refusal::new(StatusCode::UNAUTHORIZED, message).with(header::WWW_AUTHENTICATE, "Bearer"))
        }
    }
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether a host with its port is an address, or the name that every machine has for itself.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok()
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let differ = |i: usize| a.get(i).unwrap_or(&0) ^ b.get(i).unwrap_or(&0);
    let differences = (0..a.len().max(b.len())).fold(0, |sum, i| std::hint::black_box(sum | differ(i)));
    differences == 0 && a.len() == b.len()
}

/// Adds what keeps browsers from taking an answer for something else.
pub(super) fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
