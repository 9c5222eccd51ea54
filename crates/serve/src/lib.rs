//! A model that answers and learns over HTTP while it runs, and loses nothing.
//!
//! One **writer** thread owns the learner and the log: it reads rows, appends them to the log, learns from them in that
//! order, and answers when they are on disk. Predictions are made by whoever is asked for them, with the **edition**
//! of the model that the writer published last. What is learned is always the lines of the log, read by the
//! library's own reader, so that the log as data gives the model, to the bit.

#![warn(unreachable_pub)]

mod answers;
mod begin;
mod body;
mod edition;
mod http;
mod job;
mod metrics;
mod recovery;
mod refusal;
mod server;
mod store;
mod stream;
mod writer;

pub use begin::{Begin, FreshLearner};
pub use job::{Sync, WriterOptions};
pub use server::{Options, serve};
pub use store::Remember;
