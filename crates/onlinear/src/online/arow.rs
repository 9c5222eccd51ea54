//! Adaptive regularization of weights, AROW.
//!
//! Crammer, Kulesza and Dredze, "Adaptive regularization of weight vectors" (2009), Figure 1.
//! Knows of each weight how sure it is of it, and moves those most of which it is least sure.
//!
//! w ~ N(μ, Σ), at first N(0, I);   f(x) = μ·x,   v = xᵀΣx,   ℓ = 1 − y f(x)
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | compute margin f(x) |
//! | \[2\] | if y f(x) < 1 |
//! | \[3\] | compute confidence v |
//! | \[4\] | μ ← μ + (ℓ/(v + r)) y Σx |
//! | \[5\] | Σ ← Σ − Σx xᵀΣ/(v + r), that is Σ⁻¹ ← Σ⁻¹ + x xᵀ/r |
//!
//! `diagonal` adds the diagonal of x xᵀ/r alone, Σᵢ⁻¹ ← Σᵢ⁻¹ + xᵢ²/r: among all diagonal Σ′ the exact minimum of the
//! paper's KL(N(μ′,Σ′)‖N(μ,Σ)) + (ℓ′² + xᵀΣ′x)/(2r). `full` is the [`second_order`](super::second_order) Perceptron
//! with ridge r which learns from every row whose margin is below 1, and is run by its code, with kernels too.
//!
//! `forgetting` φ, ours, lets targets drift: behind \[5\], for the non-zeros of x, Σᵢ⁻¹ ← 1 + (1 − φ)(Σᵢ⁻¹ − 1). At
//! φ = 1 nothing is ever sure, and this is PA-II with C = 1/(2r).

use super::covariance::{Covariance, MATRIX, Matrix};
use super::direct::{DirectArow, MULTICLASS, Multiclass};
use super::second_order::SecondOrder;
use crate::error::Result;
use crate::hypothesis::{Hypothesis, OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::{Finite, Weights};
use crate::spec::{
    Algorithm, Charges, New, Parameters, PythonClass, Range, kernel::setting, number, parameters, shortest,
};
use crate::state::State;

parameters! {
    struct ArowParameters {
        regularization: f64 = number(
            "regularization",
            1.0,
            Range::POSITIVE,
            "r; the larger, the smaller the steps and the longer it stays unsure",
        )
        .alias(&["r"]),
        matrix: Matrix = MATRIX,
        output: Output = OUTPUT,
        forgetting: f64 = number(
            "forgetting",
            0.0,
            Range::closed(0.0, 1.0),
            "of matrix=diagonal: the share of what makes a weight sure that is lost with every update of it; for \
             targets that drift",
        ),
        multiclass: Multiclass = MULTICLASS;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "arow",
    title: "AROW",
    summary: "Knows of each weight how sure it is of it, and moves those most of which it is least sure.",
    rule: "when ℓ = 1 − y μ·x > 0: μ ← μ + (ℓ/(xᵀΣx + r)) y Σx, then Σ⁻¹ ← Σ⁻¹ + x xᵀ/r or, diagonal, \
           Σᵢ⁻¹ ← Σᵢ⁻¹ + xᵢ²/r",
    paper: "Crammer, Kulesza and Dredze (2009)",
    cost: "O(non-zeros) per trial; matrix=full as second-order: n features (with a kernel, or where they are fewer: \
           rows learned from), O(non-zeros) per trial (dual: n kernel values), O(n²) per update",
    bound: "none reported: the paper's, of matrix=full, could not be read",
    theorem: Charges::Mistakes(|_, _| {
        Err("no mistake bound is stated for arow: its paper's, of matrix=full, could not be read".to_string())
    }),
    differs: "matrix=diagonal minimises the paper's function over diagonal matrices, in place of the diagonal of its \
              full update; forgetting is ours; a sample weight divides r",
    python: PythonClass::own("AROW"),
    parameters: ArowParameters::TABLE,
    grid: &["regularization=0.01..100*10"],
    takes_weights: |settings| ArowParameters::read(settings).multiclass == Multiclass::Rest,
    needs_feature_count: |settings| {
        let ArowParameters { matrix, kernel, .. } = Parameters::read(settings);
        matrix == Matrix::Full && kernel.is_linear()
    },
    new: New::RowByRow(|settings| {
        let parameters: ArowParameters = Parameters::read(settings);
        parameters.check()?;
        let ArowParameters { regularization, matrix, output, forgetting, kernel, .. } = parameters;
        match matrix {
            Matrix::Diagonal => Ok(Box::new(Stepper {
                f: Trajectory::of(Hypothesis::Primal(Weights::default()), output),
                rule: Arow { regularization, forgetting, covariance: Covariance::new(matrix) },
            })),
            Matrix::Full => Ok(Box::new(SecondOrder::arow(regularization, output, kernel))),
        }
    }),
    direct: |settings, classes| {
        let ArowParameters { regularization, output, multiclass, kernel, .. } = Parameters::read(settings);
        multiclass.learner(classes, kernel, output, || DirectArow::new(regularization, classes))
    },
    ..Algorithm::ONLINE
};

impl ArowParameters {
    /// Refuses what does not go together.
    fn check(&self) -> std::result::Result<(), String> {
        let &ArowParameters { matrix, output, forgetting, multiclass, kernel, .. } = self;
        let which = setting(kernel);
        if matrix == Matrix::Diagonal && !kernel.is_linear() {
            return Err(format!("{which} does not go with matrix=diagonal; expected matrix=full"));
        }
        if output == Output::Averaged && !kernel.is_linear() {
            return Err(format!("output=averaged does not go with {which}; expected output=last or longest"));
        }
        if matrix == Matrix::Full && forgetting > 0.0 {
            let forgetting = shortest(forgetting);
            return Err(format!("forgetting={forgetting} does not go with matrix=full; expected matrix=diagonal"));
        }
        multiclass.check(output)?;
        if multiclass == Multiclass::Direct && matrix == Matrix::Full {
            return Err("matrix=full does not go with multiclass=direct; expected matrix=diagonal".to_string());
        }
        if multiclass == Multiclass::Direct && forgetting > 0.0 {
            let forgetting = shortest(forgetting);
            return Err(format!("forgetting={forgetting} does not go with multiclass=direct; expected forgetting=0"));
        }
        Ok(())
    }
}

/// AROW with a diagonal matrix.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "arow".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // μ = 1/2, Σ = 1/2
/// learner.round(&Example::new(x, Label::Negative)); // by less than before: (3/2)/(1/2 + 1) · 1/2
/// assert_eq!(learner.score(x), 0.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Arow {
    regularization: f64,
    forgetting: f64,
    /// Σ.
    covariance: Covariance,
}

impl StepRule for Arow {
    const KEEPS_TO_ROW: bool = true;
    const STAYS_BEYOND: f64 = 1.0; // [2]

    fn update(&mut self, mean: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign()); // [1]
        let (loss, r) = (1.0 - y * score, self.regularization / example.weight);
        if loss <= 0.0 || x.is_zero() || r == f64::INFINITY {
            return Ok(false); // [2]
        }
        let v = self.covariance.look(x)?; // [3]
        self.covariance.fits(x, 1.0 / r, v)?;
        mean.step_along(loss / (v + r) * y, self.covariance.along(x))?; // [4]
        self.covariance.learn_and_forget(x, self.forgetting); // [5]
        Ok(true)
    }

    fn memory(&self, features: usize) -> u64 {
        self.covariance.memory(features)
    }

    fn state(&mut self, mean: &mut Trajectory, state: &mut State) -> Result<()> {
        if self.forgetting > 0.0 {
            state
                .refuse_merging("what it has forgotten in the course of one run cannot be added up (forgetting > 0)")?;
        }
        self.covariance.state_with(mean, state)
    }
}
