//! Pages and files as their readers meet them.

#![allow(clippy::unwrap_used)]

mod browser;
#[path = "../../examples/page/demo.rs"]
mod demo;
mod hostile;
mod pages;
