//! The program as its users meet it: every test runs the built `onlinear`.

#![allow(clippy::unwrap_used)]

mod bad_input;
mod batch;
#[path = "../../../charts/tests/suite/browser.rs"]
mod browser;
mod cache;
mod certificates;
mod compare;
#[cfg(unix)]
mod documents;
mod export;
mod folder;
mod golden;
mod help;
mod hostile;
mod kept_models;
mod kernels;
mod killed;
mod labels;
mod learn;
mod lists;
mod load;
mod merge;
mod metrics;
mod models;
mod one_versus_rest;
#[cfg(feature = "parquet")]
mod parquet;
mod places;
mod predict;
mod readers;
mod reports;
mod reproduce;
mod rows;
mod several;
mod signals;
mod table_columns;
mod tables;
mod threads;
mod tune;
mod verdict;
mod whitened;
mod wording;
