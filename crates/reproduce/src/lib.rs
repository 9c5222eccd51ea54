//! The papers' experiments: run, and set beside the figures that are printed.
//!
//! [`all`] and [`named`] give the experiments as [`Study`]s. [`groups`] puts those together that share runs, and
//! [`run`] runs a group: an [`ExperimentResult`] for each, for terminals (`as_text`), scripts ([`results_as_json`],
//! `csv_files`), browsers ([`page`]) and the documentation ([`markdown`]).
//!
//! ```
//! let studies = onlinear_reproduce::named(&["projectron-table3".to_string()])?;
//! assert_eq!(onlinear_reproduce::groups(&studies).len(), 1);
//! assert!(onlinear_reproduce::named(&["projectron-tabel3".to_string()]).is_err());
//! # anyhow::Ok(())
//! ```

mod agreement;
mod claim;
mod curves;
mod deflation;
mod distinct;
mod experiment;
mod list;
mod markdown;
mod measure;
mod options;
mod page;
mod plan;
mod prepare;
mod printed;
mod rcv1;
mod result;
mod row_result;
mod run_file;
mod runs;
mod sets;
mod show;
mod studies;
mod tables;
mod track;

#[cfg(test)]
mod tests;

pub use list::{studies_as_json, studies_as_table};
pub use markdown::markdown;
pub use options::{Host, RunOptions};
pub use page::page;
pub use plan::{groups, run};
pub use result::{ExperimentResult, VerdictCounts};
pub use show::{results_as_json, results_from_json, total};
pub use studies::{Study, all, named, names};
