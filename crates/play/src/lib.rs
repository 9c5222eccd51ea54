//! The library in a browser: requests and answers are JSON, in one buffer that both sides know.
//!
//! Nothing here needs a clock, a thread or a file, and nothing is kept between requests: a run of a few hundred trials
//! is made anew for each picture. `page/` has what users see; `cargo xtask play` puts both into one file.

mod about;
mod points;
mod run;

use std::cell::RefCell;

use serde_json::{Value as Json, json};

/// What a request gets: an answer, or why there is none.
type Answer = Result<Json, String>;

/// The answer to a request.
///
/// ```
/// let answer = onlinear_play::answer(r#"{"ask": "points", "set": "xor", "rows": 2, "seed": 1}"#);
/// assert!(answer.starts_with(r#"{"points":[["#), "{answer}");
/// assert_eq!(onlinear_play::answer("?"), r#"{"refused":"expected value at line 1 column 1"}"#);
/// ```
pub fn answer(request: &str) -> String {
    let answer =
        serde_json::from_str(request).map_err(|error| error.to_string()).and_then(|request: Json| match request["ask"]
            .as_str()
        {
            Some("about") => Ok(about::about()),
            Some("points") => points::points(&request),
            Some("run") => run::run(&request),
            _ => Err("nothing that is known was asked for".to_string()),
        });
    answer.unwrap_or_else(|refused| json!({ "refused": refused })).to_string()
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where a request of so many bytes is to be put.
#[allow(unsafe_code)] // a name that the page can call
#[unsafe(no_mangle)]
pub extern "C" fn onlinear_reserve(bytes: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(bytes, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request that was put there; gives how many bytes the answer has, which stands at [`onlinear_place`].
#[allow(unsafe_code)] // a name that the page can call
#[unsafe(no_mangle)]
pub extern "C" fn onlinear_answer() -> usize {
    let request = BUFFER.take();
    let answer = match std::str::from_utf8(&request) {
        Ok(request) => answer(request),
        Err(_) => json!({"refused": "the request is not UTF-8"}).to_string(),
    };
    BUFFER.replace(answer.into_bytes());
    BUFFER.with_borrow(Vec::len)
}

/// Where the answer stands.
#[allow(unsafe_code)] // a name that the page can call
#[unsafe(no_mangle)]
pub extern "C" fn onlinear_place() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}
