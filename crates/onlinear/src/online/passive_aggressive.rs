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
use crate::error::Result;
use crate::hypothesis::{OUTPUT, Output, Trajectory};
use crate::learner::{Example, Learner, Leaves, Predictor, Step};
use crate::space::{Expansion, Finite, Row};
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, choice, number, parameters};
use crate::state::State;

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
pub static ALGORITHM: Algorithm = Algorithm {
    name: "passive-aggressive",
    title: "Passive-Aggressive",
    summary: "Stays while a row is right with margin 1, else moves just far enough to make it so.",
    rule: "w ← w + τ y x when ℓ = 1 − y w·x > 0; τ = ℓ/‖x‖² (pa), min(C, ℓ/‖x‖²) (pa1), ℓ/(‖x‖² + 1/(2C)) (pa2)",
    paper: "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006)",
    cost: "O(non-zeros) per trial; with a kernel, one kernel value per support vector",
    bound: "none reported",
    differs: "a sample weight multiplies C",
    python: PythonClass::own("PassiveAggressive"),
    parameters: PassiveAggressiveParameters::TABLE,
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
        Ok(Box::new(PassiveAggressive { variant, c: aggressiveness, f: Trajectory::new(kernel, output) }))
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
    f: Trajectory,
}

impl Learner for PassiveAggressive {
    fn score(&self, x: Row<'_>) -> f64 {
        self.f.f().score(x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.begin(x, lane) // [1]
    }

    fn model_score(&mut self, x: Row<'_>, lane: Option<usize>, score: f64) -> f64 {
        self.f.model_score(x, lane, score)
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let y = example.y.sign();
        let loss = 1.0 - y * score; // [2]
        if loss <= 0.0 {
            return self.f.end(None, example);
        }
        let square = self.f.f().square(example.x);
        let c = self.c * example.weight;
        let tau = match self.variant {
            Variant::Pa => loss / square,
            Variant::Pa1 => c.min(loss / square),
            Variant::Pa2 => loss / (square + 1.0 / (2.0 * c)),
        }; // [3]
        let updates = square != 0.0 && tau != 0.0;
        self.f.end(updates.then_some(tau * y), example) // [4]
    }

    fn withhold(&mut self) {
        self.f.count();
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.ahead()
    }
}

impl Predictor for PassiveAggressive {
    fn leaves(&self) -> Leaves<'_> {
        self.f.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        self.f.memory(features)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)
    }
}
