//! Learning from data and measuring what was learned.

mod borrowed_rows;
mod certify;
mod class_weights;
mod early_stop;
mod feed;
mod fit;
mod holdout;
mod learn;
mod new_model;
mod passes;
mod plan;
mod practice;
mod progressive;
mod recipe;
mod rows_in_memory;
mod source;
mod split;
mod statistics;
mod stream;
mod test;

pub use borrowed_rows::BorrowedRows;
pub use certify::{certify, risk};
pub use class_weights::ClassWeights;
pub use feed::{Feed, Piece};
pub use fit::Epoch;
pub use holdout::Holdout;
pub use learn::learn;
pub use passes::Passes;
pub use plan::{Plan, RunResult, Start};
pub use practice::{MOST_PASSES, Practice};
pub use progressive::Watch;
pub use recipe::Recipe;
pub use rows_in_memory::{RowsInMemory, Run, TestPoints};
pub use split::{Split, fold, generators, permutation};
pub use statistics::{Summary, signed_rank, signed_rank_of};
pub use test::{Errors, test};
