//! The Perceptron.
//!
//! Rosenblatt (1958); Mohri's lecture "Perceptron and Winnow", PERCEPTRON(w₀) and Novikoff's theorem.
//! Adds every mistaken row, times its label, to the weights.
//!
//! w ← w + η y x   when   y w·x ≤ 0
//!
//! | step | the lecture's line |
//! | --- | --- |
//! | \[1\] | 4: ŷ ← sgn(w·x) |
//! | \[2\] | 6: if ŷ ≠ y |
//! | \[3\] | 7: w ← w + η y x |
//!
//! With a kernel, f = Σ αⱼ K(xⱼ, ·) and a mistaken row joins the support set with coefficient η y; the
//! lecture's dual Perceptron is the linear kernel, and has the same trace.

use super::direct::{DirectPerceptron, MULTICLASS, Multiclass};
use crate::bound::Theorem;
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::Finite;
use crate::spec::{Algorithm, Charges, Declaration, New, Parameters, PythonClass, Range, number, parameters};

/// η.
pub(crate) const RATE: Declaration<f64> =
    number("rate", 1.0, Range::POSITIVE, "size of an update; scales the scores, never changes a decision")
        .alias(&["eta"]);

parameters! {
    struct PerceptronParameters {
        rate: f64 = RATE,
        output: Output = OUTPUT,
        multiclass: Multiclass = MULTICLASS;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "perceptron",
    title: "Perceptron",
    summary: "Adds every mistaken row, times its label, to the weights.",
    rule: "w ← w + η y x when y w·x ≤ 0; with a kernel, x joins the support set with coefficient η y",
    paper: "Rosenblatt (1958); Novikoff (1962)",
    cost: "O(non-zeros) per trial; with a kernel, one kernel value per support vector",
    bound: "mistakes ≤ R²/ρ² on data separable with margin ρ, ((R + D₂)/ρ)² on any data",
    theorem: Charges::Mistakes(|_, _| Ok(Theorem { bounds_left_out: true, ..Theorem::perceptron() })),
    differs: "a zero score counts as a mistake whatever the label",
    python: PythonClass::own("Perceptron"),
    parameters: PerceptronParameters::TABLE,
    takes_weights: |settings| PerceptronParameters::read(settings).multiclass == Multiclass::Rest,
    new: New::RowByRow(|settings| {
        let PerceptronParameters { rate, output, multiclass, kernel } = Parameters::read(settings);
        multiclass.check(output)?;
        Ok(Box::new(Stepper { f: Trajectory::new(kernel, output), rule: Perceptron { rate } }))
    }),
    direct: |settings, classes| {
        let PerceptronParameters { rate, output, multiclass, kernel } = Parameters::read(settings);
        multiclass.learner(classes, kernel, output, || DirectPerceptron { rate })
    },
    ..Algorithm::ONLINE
};

/// The Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "perceptron".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0, 2.0]);
/// learner.round(&Example::new(x, Label::Negative));
/// assert_eq!(learner.score(x), -5.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub(crate) struct Perceptron {
    pub(crate) rate: f64,
}

impl StepRule for Perceptron {
    const KEEPS_TO_ROW: bool = true;
    const STAYS_BEYOND: f64 = 0.0; // [2]

    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let y = example.y.sign(); // [1]
        let eta_y = self.rate * example.weight * y;
        let updates = y * score <= 0.0 && eta_y != 0.0 && !f.f().vanishes_at(example.x); // [2]
        if updates {
            f.step(eta_y, example)?; // [3]
        }
        Ok(updates)
    }
}
