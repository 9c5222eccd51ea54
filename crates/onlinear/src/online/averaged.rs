//! The averaged Perceptron.
//!
//! Freund and Schapire (1999); Mohri's lecture prints it as "voted".
//! Learns as the Perceptron does; the model is the mean of the weight vector after each trial.
//!
//! w̄ = (1/T) Σ_t w_t,   w_t the weights after trial t
//!
//! It is [`perceptron`](super::perceptron) with `output=averaged`, under the name by which it is known.

use super::direct::{DirectPerceptron, MULTICLASS, Multiclass};
use super::perceptron::{Perceptron, RATE};
use crate::bound::Theorem;
use crate::hypothesis::{Output, Stepper, Trajectory};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, parameters};

parameters! {
    struct AveragedParameters {
        rate: f64 = RATE,
        multiclass: Multiclass = MULTICLASS;
        kernel
    }
}

/// The declaration.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "averaged".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // w = 1
/// learner.round(&Example::new(Row::Dense(&[2.0]), Label::Negative)); // w = -1
/// assert_eq!((learner.score(x), learner.leaves().score(x)), (-1.0, 0.0));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "averaged",
    title: "Averaged Perceptron",
    summary: "Learns as the Perceptron does and predicts with the mean of its weight vectors.",
    rule: "w̄ = (1/T) Σ w_t, w_t the Perceptron's weights after trial t",
    paper: "Freund and Schapire (1999)",
    cost: "the Perceptron's, per trial and per prediction",
    bound: "online, the Perceptron's",
    theorem: Charges::Mistakes(|_, _| Ok(Theorem::perceptron())),
    differs: "none",
    python: PythonClass::own("AveragedPerceptron"),
    parameters: AveragedParameters::TABLE,
    takes_weights: |settings| AveragedParameters::read(settings).multiclass == Multiclass::Rest,
    new: New::RowByRow(|settings| {
        let AveragedParameters { rate, kernel, .. } = Parameters::read(settings);
        Ok(Box::new(Stepper { f: Trajectory::new(kernel, Output::Averaged), rule: Perceptron { rate } }))
    }),
    direct: |settings, classes| {
        let AveragedParameters { rate, multiclass, kernel } = Parameters::read(settings);
        multiclass.learner(classes, kernel, Output::Averaged, || DirectPerceptron { rate })
    },
    ..Algorithm::ONLINE
};
