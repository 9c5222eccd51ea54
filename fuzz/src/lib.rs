//! What fuzzing shares with the property tests of the library: the same entries, from the same files.

/// The doors through which bytes come in.
#[path = "../../crates/onlinear/tests/suite/robust/entries.rs"]
pub mod entries;
/// Model files taken apart and put together again.
#[path = "../../crates/onlinear/tests/suite/robust/forgery.rs"]
pub mod forgery;
/// Small models of every learner.
#[path = "../../crates/onlinear/tests/suite/robust/models.rs"]
pub mod models;
/// Where fuzzing starts from.
#[path = "../../crates/onlinear/tests/suite/robust/seeds.rs"]
pub mod seeds;
/// What the models are made with.
#[path = "../../crates/onlinear/tests/suite/support.rs"]
pub mod support;
