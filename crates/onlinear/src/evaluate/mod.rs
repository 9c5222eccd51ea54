//! Learning from data and measuring what was learned.

mod borrowed_rows;
mod certify;
mod fit;
mod learn;
mod progressive;
mod rows_in_memory;
mod source;
mod split;
mod statistics;
mod test;

pub use borrowed_rows::BorrowedRows;
pub use certify::certify;
pub use fit::Epoch;
pub use learn::{Passes, Plan, Recipe, RunResult, Start, learn};
pub use progressive::Watch;
pub use rows_in_memory::{RowsInMemory, Run, TestPoints};
pub use split::{Split, fold, generators, hold_out, permutation, rows_held_out};
pub use statistics::{Summary, signed_rank};
pub use test::{Errors, test};
