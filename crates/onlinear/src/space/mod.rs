//! Where a hypothesis lives: rows, weight vectors, support sets and the few loops that must be fast.

mod bundle;
mod cholesky;
pub(crate) mod cpu;
mod deferred;
mod eigen;
mod exp;
mod expansion;
mod kernel;
mod lanes;
mod p_norm_dual;
mod panels;
mod row;
mod rows;
mod running_sum;
mod scratch;
mod support_set;
mod symmetric;
pub(crate) mod vector;
mod weights;

pub(crate) use bundle::Bundle;
pub(crate) use cholesky::Cholesky;
pub(crate) use cpu::for_all_vectors;
pub(crate) use deferred::Deferred;
pub(crate) use eigen::Eigen;
pub use expansion::Expansion;
pub use kernel::{Kernel, Shape};
pub(crate) use p_norm_dual::PNormDual;
pub(crate) use panels::Panels;
pub use row::Row;
pub use rows::Rows;
pub(crate) use running_sum::RunningSum;
pub use scratch::Scratch;
pub use support_set::SupportSet;
pub use symmetric::Symmetric;
pub(crate) use weights::Weights;
