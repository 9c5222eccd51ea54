//! Every perceptron, exact and fast, in one place: the Perceptron with its kernel, averaged and voted forms, Winnow,
//! the second- and higher-order Perceptrons, learners on a budget, coordinate descent on the training error, AdaBoost.
//!
//! # What there is
//!
//! A [`Spec`] names a learner and its parameters in one line, `perceptron:kernel=gaussian,sigma2=2`; [`ALGORITHMS`]
//! lists all of them. A [`Learner`] learns trial by trial; one that [`FitsAll`] learns from a [`Sample`] of all rows.
//! What either leaves behind is its [`Leaves`]: weights, an expansion over support vectors, or something of its own.
//! A [`Model`] is the learners with all they need (classes, features, stages, counts) and a file that later versions
//! load. [`open`] reads rows from a file, [`learn`] and [`test()`] make whole runs, a [`Certificate`] bounds their
//! mistakes.
//!
//! # From a file to a prediction
//!
//! ```
//! use onlinear::{Input, Model, Passes, Plan, Recipe, Row, Start, learn};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [mail, model] = ["mail.svm", "mail.onlinear"].map(|name| folder.path().join(name));
//! # std::fs::write(&mail, "+1 1:1 2:3\n-1 1:2\n+1 2:1\n-1 1:1\n")?;
//! # let (mail, model) = (mail.to_str().expect("UTF-8"), model.as_path());
//! // Any format, packed or not: LIBSVM, CSV, JSON lines, Vowpal Wabbit; "-" is standard input.
//! let plan = Plan { passes: Passes::Exactly(3), train_error: true, ..Plan::of(Input::named(mail)) };
//! let recipe = Recipe { shuffle: Some(1), ..Recipe::of("averaged".parse()?, vec!["bias".parse()?]) };
//! let mut result = learn(plan, Start::Fresh(recipe), &mut ())?;
//! assert_eq!(result.train.map(|errors| errors.errors), Some(0));
//! result.model.save(model)?;
//!
//! let model = Model::load(model)?;
//! assert_eq!(model.predict(Row::Sparse { indices: &[1], values: &[2.0] }), Some("+1")); // indices count from 0 here
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Plan::of`], [`Recipe::of`] and `Keep::default` have what is usual; [`Model::save`] and [`Model::load`] keep it;
//! [`Start::Resume`] goes on where it stopped, to the bit.
//!
//! # From rows in memory
//!
//! ```
//! use onlinear::{Example, Label, Row, Spec};
//!
//! let mut learner = "perceptron:rate=1".parse::<Spec>()?.online()?;
//! let rows = [([1.0, 2.0], Label::Positive), ([2.0, -1.0], Label::Negative)];
//! let mut mistakes = 0;
//! for (x, y) in &rows {
//!     let round = learner.round(&Example::new(Row::Dense(x), *y));
//!     mistakes += u64::from(round.is_mistake(*y));
//! }
//! assert_eq!(mistakes, 2);
//! assert_eq!(learner.leaves().score(Row::Dense(&[0.0, 1.0])), 3.0);
//! # Ok::<(), onlinear::Error>(())
//! ```
//!
//! [`rounds`] makes many trials at once, which is much faster with kernels and gives the same bits.
//! [`BorrowedRows`] learns from arrays of any layout without a copy, [`RowsInMemory`] holds rows
//! for many runs on parts of them.
//!
//! # Features of the crate, and its compiler
//!
//! `zstd` (on by default) reads `.zst` files and is the only dependency that compiles C. `parquet` (off) reads Parquet
//! files. Rust 1.89 or newer.

#![cfg_attr(test, allow(clippy::disallowed_methods))]
// tests compare with the standard library's
// What is public is in the one list below: `pub` anywhere else means that it is on it.
#![warn(unreachable_pub)]

/// What registries show is tested too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod batch;
mod bound;
mod budget;
mod certificate;
mod data;
mod ensemble;
mod error;
mod evaluate;
mod export;
mod hypothesis;
mod learner;
mod memory;
mod metrics;
mod model;
mod online;
mod parallel;
mod random;
mod registry;
mod space;
mod spec;
mod stage;
mod state;
#[doc(hidden)]
pub mod workshop;

pub use certificate::Certificate;
pub use data::{
    Aliases, Batch, Classes, ColumnOptions, Encoding, Format, Input, Keep, LabelChoice, Missing, ReadOptions,
    TableSchema, open,
};
pub use ensemble::{Probabilities, predicted_class};
pub use error::{Error, Message, Result};
pub use evaluate::{
    BorrowedRows, ClassWeights, Errors, Holdout, Passes, Plan, Recipe, RowsInMemory, RunResult, Start, Watch, certify,
    learn, test,
};
pub use export::Export;
pub use learner::{
    Calibration, Epochs, Example, Expected, FitsAll, Label, Learner, Leaves, Predictor, Round, Sample, Step, rounds,
};
pub use metrics::{ClassMetrics, Metric, Metrics};
pub use model::{Counts, Model, ScoreScratch};
pub use registry::ALGORITHMS;
pub use space::{Row, Rows};
pub use spec::{Algorithm, Spec};
pub use stage::{STAGES, StageSpec};
pub use state::{Mean, State};
