//! Online learners: one file each, named as in its paper.

pub(crate) mod alma;
pub(crate) mod arow;
pub(crate) mod averaged;
mod covariance;
mod direct;
pub(crate) mod higher_order;
pub(crate) mod p_norm;
pub(crate) mod passive_aggressive;
pub(crate) mod perceptron;
pub(crate) mod romma;
pub(crate) mod scw;
pub(crate) mod second_order;
pub(crate) mod voted;
pub(crate) mod whitened;
pub(crate) mod winnow;
