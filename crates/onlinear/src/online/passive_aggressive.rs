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
use crate::bound::{Measures, Theorem};
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::Finite;
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, Range, choice, number, parameters};

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
    bound: "for every u of margin 1: pa1 M ≤ max(R², 1/C)(‖u‖² + 2C Σℓ), pa2 M ≤ (R² + 1/(2C))(‖u‖² + 2C Σℓ²), pa M ≤ \
            R²‖u‖² where ℓ = 0 throughout; ℓ = max(0, 1 − y u·x)",
    theorem: Charges::Updates(|settings, _| Ok(theorem(Parameters::read(settings)))),
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

/// Theorems 2, 4 and 5 of the paper, for g = u/γ.
fn theorem(parameters: PassiveAggressiveParameters) -> Theorem {
    let PassiveAggressiveParameters { variant, aggressiveness: c, .. } = parameters;
    let formula = move |&Measures { gamma, radius: r, deviation, squares, .. }: &Measures| {
        let (square, loss, loss_squared) = (1.0 / (gamma * gamma), deviation / gamma, (squares / gamma).powi(2));
        match variant {
            Variant::Pa => (if deviation == 0.0 { r * r * square } else { f64::NAN }, "Theorem 2"),
            Variant::Pa1 => ((r * r).max(1.0 / c) * (square + 2.0 * c * loss), "Theorem 4"),
            Variant::Pa2 => ((r * r + 1.0 / (2.0 * c)) * (square + 2.0 * c * loss_squared), "Theorem 5"),
        }
    };
    Theorem {
        has_unit_margin: true,
        is_classical: variant == Variant::Pa,
        unmet: "no u was found that is right on all rows, which the bound of variant=pa needs".to_string(),
        ..Theorem::new(ALGORITHM.title, formula)
    }
}

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
    const KEEPS_TO_ROW: bool = true;
    const STAYS_BEYOND: f64 = 1.0; // [2]

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
