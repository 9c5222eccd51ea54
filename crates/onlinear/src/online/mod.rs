//! Online learners: one file each, named as in its paper.

pub mod alma;
pub mod arow;
pub mod averaged;
mod covariance;
mod direct;
pub mod higher_order;
pub mod p_norm;
pub mod passive_aggressive;
pub mod perceptron;
pub mod romma;
pub mod scw;
pub mod second_order;
pub mod voted;
pub mod whitened;
pub mod winnow;
