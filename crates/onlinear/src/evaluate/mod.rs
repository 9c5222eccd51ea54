//! Learning from data and measuring what was learned.

mod certify;
mod fit;
mod held;
mod learn;
mod lent;
mod progressive;
mod split;
mod statistics;
mod test;

pub use certify::certify;
pub use fit::Epoch;
pub use held::{Held, Run, TestPoints};
pub use learn::{Fresh, Outcome, Passes, Plan, Start, learn};
pub use lent::{Lent, Table};
pub use progressive::{Seconds, Watch};
pub use split::{Split, fold, generators, hold_out, permutation, rows_held_out};
pub use statistics::{Summary, signed_rank};
pub use test::{Errors, Margins, test};

pub(crate) use progressive::ROWS_AHEAD;
