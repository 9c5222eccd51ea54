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
//!
//! Cost: O(non-zeros) per trial; with a kernel, one kernel value per support vector. Bound: none reported here.
//!
//! **Differs from the paper:** a sample weight multiplies C.

use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Range, Value};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2, kernel};
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{Hypothesis, Row, Rows};
use crate::spec::Spec;
use crate::state::State;

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
    parameters: &[
        Parameter {
            name: "variant",
            aliases: &[],
            kind: Kind::Choice(&["pa", "pa1", "pa2"]),
            default: Value::Choice("pa1"),
            help: "how far an update may go: all the way (pa), at most C (pa1), less the smaller C (pa2)",
        },
        Parameter {
            name: "aggressiveness",
            aliases: &["c"],
            kind: Kind::Number(Range::POSITIVE),
            default: Value::Number(1.0),
            help: "C, the price of an error; variant=pa has none and ignores it",
        },
        KERNEL,
        DEGREE,
        OFFSET,
        SIGMA2,
        COSINE,
    ],
    takes_weights: |spec| spec.choice("variant") != "pa",
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(PassiveAggressive::new(spec))),
};

enum Variant {
    Pa,
    Pa1,
    Pa2,
}

/// Passive-Aggressive.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "passive-aggressive:variant=pa".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[2.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert_eq!(learner.score(x), 1.0); // right with margin 1, just
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct PassiveAggressive {
    variant: Variant,
    c: f64,
    f: Hypothesis,
}

impl PassiveAggressive {
    /// w = 0.
    pub fn new(spec: &Spec) -> PassiveAggressive {
        let variant = match spec.choice("variant") {
            "pa" => Variant::Pa,
            "pa1" => Variant::Pa1,
            _ => Variant::Pa2,
        };
        PassiveAggressive { variant, c: spec.number("aggressiveness"), f: Hypothesis::new(kernel(spec)) }
    }
}

impl Learner for PassiveAggressive {
    fn score(&self, x: Row<'_>) -> f64 {
        self.f.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, weight, .. } = example;
        let y = y.sign();
        let score = self.f.trial_score(x); // [1]
        let loss = 1.0 - y * score; // [2]
        let stay = Round { score, step: Step::Stay };
        if loss <= 0.0 {
            return stay;
        }
        let square = self.f.square(x);
        let c = self.c * weight;
        let tau = match self.variant {
            Variant::Pa => loss / square,
            Variant::Pa1 => c.min(loss / square),
            Variant::Pa2 => loss / (square + 1.0 / (2.0 * c)),
        }; // [3]
        if square == 0.0 || tau == 0.0 {
            return stay;
        }
        self.f.add(tau * y, example); // [4]
        Round { score, step: Step::Update }
    }

    fn hypothesis(&self) -> Option<&Hypothesis> {
        Some(&self.f)
    }

    fn hypothesis_mut(&mut self) -> Option<&mut Hypothesis> {
        Some(&mut self.f)
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.f.scores(rows, out);
    }

    fn bytes(&self, features: usize) -> u64 {
        8 * features as u64
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)
    }
}
