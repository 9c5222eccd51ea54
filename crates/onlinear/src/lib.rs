//! Every perceptron, exact and fast, in one place.
//!
//! A learner is named by a [`Spec`], learns trial by trial through [`Learner::round`], and is saved
//! with everything it needs in a [`Model`].
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
//! # Ok::<(), onlinear::Error>(())
//! ```

pub mod batch;
pub mod budget;
pub mod certificate;
pub mod data;
pub mod ensemble;
pub mod evaluate;
pub mod learner;
pub mod model;
pub mod online;
pub mod parallel;
pub mod registry;
pub mod space;
pub mod spec;
pub mod stage;

mod bound;
mod error;
mod hypothesis;
mod random;
mod state;

pub use certificate::Certificate;
pub use ensemble::{ClassRound, Learners, predicted_class};
pub use error::{Cure, Error, Message, Place, Request, Result, Wording};
pub use learner::{
    Epochs, Example, Expected, Fact, Facts, FitsAll, Label, Learner, Leaves, Predictor, ReadsAhead, Round, Sample,
    Score, Step, Training, rounds,
};
pub use model::Model;
pub use random::{Random, Wheel};
pub use registry::ALGORITHMS;
pub use space::{Row, Rows};
pub use spec::{Algorithm, AnyLearner, Settings, Spec};
pub use state::{State, Tensor};
