//! The voted Perceptron.
//!
//! Freund and Schapire (1999), Figure 1.
//! Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.
//!
//! ŷ(x) = sgn Σᵢ cᵢ sgn(wᵢ·x),   sgn(0) = 0
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | prediction ŷ = sgn(v_k·x) and its test |
//! | \[2\] | if ŷ = y: c_k ← c_k + 1 |
//! | \[3\] | else v_{k+1} = v_k + y x, c_{k+1} = 1, k ← k + 1 |
//!
//! The trial is that of [`perceptron`](super::perceptron), also with kernels; the counting of votes is that of its
//! trajectory.

use super::perceptron::{Perceptron, RATE};
use crate::bound::Theorem;
use crate::hypothesis::{Stepper, Trajectory};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, parameters};

parameters! {
    struct VotedParameters {
        rate: f64 = RATE;
        kernel
    }
}

/// The declaration.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "voted".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0]);
/// for _ in 0..3 {
///     learner.round(&Example::new(x, Label::Positive)); // w = 1 survives two more trials
/// }
/// assert_eq!(learner.leaves().score(x), 3.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "voted",
    title: "Voted Perceptron",
    summary: "Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.",
    rule: "f(x) = Σᵢ cᵢ sgn(wᵢ·x)",
    paper: "Freund and Schapire (1999)",
    cost: "the Perceptron's per trial; a prediction passes once over all mistaken rows",
    bound: "online, the Perceptron's",
    theorem: Charges::Mistakes(|_, _| Ok(Theorem::perceptron())),
    differs: "the zero vector's count starts at 0 and stays there (its votes are 0)",
    python: PythonClass::own("VotedPerceptron"),
    parameters: VotedParameters::TABLE,
    new: New::RowByRow(|settings| {
        let VotedParameters { rate, kernel } = Parameters::read(settings);
        Ok(Box::new(Stepper { f: Trajectory::voting(kernel), rule: Perceptron { rate } }))
    }),
    ..Algorithm::ONLINE
};
