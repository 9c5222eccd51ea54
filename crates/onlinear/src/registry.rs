//! The list of all learners. Adding one means adding its file and its line here.

use crate::algorithm::Algorithm;
use crate::error::{Error, Result};
use crate::suggest::did_you_mean;
use crate::{batch, budget, ensemble, online};

/// Every learner, in the order in which lists show them.
pub static ALGORITHMS: &[&Algorithm] = &[
    &online::perceptron::ALGORITHM,
    &online::averaged::ALGORITHM,
    &online::voted::ALGORITHM,
    &online::passive_aggressive::ALGORITHM,
    &online::romma::ALGORITHM,
    &online::alma::ALGORITHM,
    &online::winnow::ALGORITHM,
    &online::p_norm::ALGORITHM,
    &online::second_order::ALGORITHM,
    &online::whitened::ALGORITHM,
    &online::higher_order::ALGORITHM,
    &budget::projectron::ALGORITHM,
    &budget::projectron_plus_plus::ALGORITHM,
    &budget::forgetron::ALGORITHM,
    &budget::rbp::ALGORITHM,
    &budget::stoptron::ALGORITHM,
    &batch::rcd::RCD,
    &batch::rcd::RCD_BIAS,
    &batch::rcd::RCD_CONJ,
    &batch::rcd::RCD_CONJ_BIAS,
    &batch::rcd::RCD_GRAD,
    &batch::rcd::CCD,
    &batch::pocket::ALGORITHM,
    &batch::averaged_sampled::ALGORITHM,
    &batch::sgd::ALGORITHM,
    &batch::fld::ALGORITHM,
    &batch::svm::ALGORITHM,
    &ensemble::adaboost::ALGORITHM,
];

/// The learner called `name`.
pub fn find(name: &str) -> Result<&'static Algorithm> {
    ALGORITHMS.iter().find(|a| a.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = ALGORITHMS.iter().map(|a| a.name).collect();
        Error::usage(format!(
            "no learner is called '{name}'; there are {}{}",
            names.join(", "),
            did_you_mean(name, &names)
        ))
    })
}
