//! Where a hypothesis lives: rows, weight vectors and the few loops that must be fast.

mod p_norm_dual;
mod row;
mod rows;
mod running_sum;
mod vector;
mod weights;

pub use p_norm_dual::PNormDual;
pub use row::Row;
pub use rows::Rows;
pub use running_sum::RunningSum;
pub use weights::Weights;
