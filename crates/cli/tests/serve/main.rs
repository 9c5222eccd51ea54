//! `onlinear serve` as its clients meet it: every test starts the built program and asks it over the loopback.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "../../../charts/tests/suite/browser.rs"]
#[allow(dead_code)]
mod browser;
#[path = "../program/folder.rs"]
#[allow(dead_code)]
mod folder;
mod formats;
mod guard;
mod killed;
mod labels;
mod mixed;
mod page;
mod running;
mod store;
