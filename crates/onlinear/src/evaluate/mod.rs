//! Learning from data and measuring what was learned.

mod certify;
mod fit;
mod held;
mod learn;
mod progressive;
mod test;

pub use certify::certify;
pub use fit::Epoch;
pub use held::{Held, Run};
pub use learn::{Fresh, Normalize, Outcome, Passes, Plan, Start, learn};
pub use progressive::{Seconds, Watch};
pub use test::{Errors, Margins, test};
