//! Passive-Aggressive: PA, PA-I and PA-II.
//!
//! Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), Figure 1; PA-I is a baseline of the Projectron paper.
//! Stays while the row is right with margin 1, else moves just far enough to make it so.
//!
//! ℓ = max(0, 1 − y w·x),   w ← w + τ y x
//!
//! | variant | τ |
//! | --- | --- |
//! | `pa` | ℓ / ‖x‖² |
//! | `pa1` | min(C, ℓ / ‖x‖²) |
//! | `pa2` | ℓ / (‖x‖² + 1/(2C)) |
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | predict: ŷ = sgn(w·x) |
//! | \[2\] | suffer loss ℓ |
//! | \[3\] | set τ |
//! | \[4\] | update w ← w + τ y x |
//!
//! With a kernel, ‖x‖² is K(x,x) and x joins the support set with coefficient τ y.

use super::direct::{DirectPassiveAggressive, MULTICLASS, Multiclass};
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::Finite;
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, choice, number, parameters};

choice! {
    pub(super) enum Variant { Pa = "pa", Pa1 = "pa1", Pa2 = "pa2" }
}

parameters! {
    struct PassiveAggressiveParameters {
        variant: Variant = Variant::parameter(
            "variant",
            Variant::Pa1,
            "how far an update may go: all the way (pa), at most C (pa1), less the smaller C (pa2)",
        ),
        aggressiveness: f64 = number(
            "aggressiveness",
            1.0,
            Range::POSITIVE,
            "C, the price of an error; variant=pa has none and ignores it",
        )
        .alias(&["c"]),
        output: Output = OUTPUT,
        multiclass: Multiclass = MULTICLASS;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "passive-aggressive",
    aliases: &["pa"],
    title: "Passive-Aggressive",
    summary: "Stays while a row is right with margin 1, else moves just far enough to make it so.",
    rule: "w ← w + τ y x when ℓ = 1 − y w·x > 0; τ = ℓ/‖x‖² (pa), min(C, ℓ/‖x‖²) (pa1), ℓ/(‖x‖² + 1/(2C)) (pa2)",
    paper: "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006)",
    cost: "O(non-zeros) per trial; with a kernel, one kernel value per support vector",
    bound: "none reported",
    differs: "a sample weight multiplies C",
    python: PythonClass::own("PassiveAggressive"),
    parameters: PassiveAggressiveParameters::TABLE,
    grid: &["output=last,averaged", "aggressiveness=0.001..10*10"],
    takes_weights: |settings| {
        let PassiveAggressiveParameters { variant, multiclass, .. } = Parameters::read(settings);
        variant != Variant::Pa && multiclass == Multiclass::Rest
    },
    direct: |settings, classes| {
        let PassiveAggressiveParameters { variant, aggressiveness: c, output, multiclass, kernel } =
            Parameters::read(settings);
        multiclass.learner(classes, kernel, output, || DirectPassiveAggressive { variant, c })
    },
    new: New::RowByRow(|settings| {
        let PassiveAggressiveParameters { variant, aggressiveness, output, multiclass, kernel } =
            Parameters::read(settings);
        multiclass.check(output)?;
        Ok(Box::new(Stepper {
            f: Trajectory::new(kernel, output),
            rule: PassiveAggressive { variant, c: aggressiveness },
        }))
    }),
    ..Algorithm::ONLINE
};

/// Passive-Aggressive.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "passive-aggressive:variant=pa".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[2.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert_eq!(learner.score(x), 1.0); // right with margin 1, just
/// # Ok::<(), onlinear::Error>(())
/// ```
struct PassiveAggressive {
    variant: Variant,
    c: f64,
}

impl StepRule for PassiveAggressive {
    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let y = example.y.sign(); // [1]
        let loss = 1.0 - y * score; // [2]
        if loss <= 0.0 {
            return Ok(false);
        }
        let square = f.f().square(example.x);
        let c = self.c * example.weight;
        let tau = match self.variant {
            Variant::Pa => loss / square,
            Variant::Pa1 => c.min(loss / square),
            Variant::Pa2 => loss / (square + 1.0 / (2.0 * c)),
        }; // [3]
        let updates = square != 0.0 && tau != 0.0;
        if updates {
            f.step(tau * y, example)?; // [4]
        }
        Ok(updates)
    }
}
