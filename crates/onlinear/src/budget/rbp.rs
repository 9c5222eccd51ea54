//! The Randomized Budget Perceptron.
//!
//! Cavallanti, Cesa-Bianchi and Gentile, "Tracking the best hyperplane with a simple budget Perceptron"
//! (2007); a baseline of the Projectron paper.
//! Learns as the kernel Perceptron does; over its budget, the new vector takes the place of one drawn
//! at random.
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score f(x) |
//! | \[2\] | on a mistake with fewer than B support vectors, x joins them with coefficient y |
//! | \[3\] | else it takes the place of number index(B) |
//!
//! Cost: at most B kernel values per trial. Bound: none reported here.
//!
//! **Differs from the paper:** none. The generator is xoshiro256++, drawn from only in \[3\].

use super::{BUDGET, Bounded, Budgeted, OUTPUT, Rule, refuse_averaging, require_budget};
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Value};
use crate::data::Random;
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};
use crate::space::Row;
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "rbp",
    title: "Randomized Budget Perceptron",
    summary: "Learns as the kernel Perceptron does; over its budget, the new vector takes the place of one drawn at random.",
    rule: "x joins the support set with coefficient y when y f(x) ≤ 0, in the place of a random vector if there is no room",
    paper: "Cavallanti, Cesa-Bianchi and Gentile (2007)",
    cost: "at most B kernel values per trial",
    bound: "none reported",
    differs: "none",
    parameters: &[BUDGET, OUTPUT, SEED, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Budgeted::new(spec, Rbp::new(spec)?))),
};

const SEED: Parameter = Parameter {
    name: "seed",
    aliases: &[],
    kind: Kind::Integer { low: 0, high: Kind::LARGEST_INTEGER },
    default: Value::Number(1.0),
    help: "of the draws",
};

/// The Randomized Budget Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "rbp:budget=1".parse::<Spec>()?.learner();
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // takes the only place
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.support()), (-1.0, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Rbp {
    budget: usize,
    random: Random,
}

impl Rbp {
    /// f = 0.
    pub fn new(spec: &Spec) -> std::result::Result<Rbp, String> {
        refuse_averaging(spec)?;
        let random = Random::new(spec.whole("seed"));
        Ok(Rbp { budget: spec.whole("budget") as usize, random })
    }
}

impl Rule for Rbp {
    fn trial(&mut self, held: &mut Bounded, x: Row<'_>, y: f64) -> (f64, bool) {
        let score = held.trial_score(x); // [1]
        let updates = y * score <= 0.0 && held.f().set().with_itself(x) != 0.0;
        if updates && held.f().set().len() < self.budget {
            held.change().push(x, None, y); // [2]
        } else if updates {
            let victim = self.random.index(self.budget);
            held.change().replace(victim, x, y); // [3]
        }
        (score, updates)
    }

    fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn state(&mut self, held: &Bounded, state: &mut State) -> Result<()> {
        require_budget(held, self.budget, state)?;
        let mut generator = self.random.state().to_vec();
        state.u64s("generator", &mut generator)?;
        let random = generator.try_into().ok().and_then(Random::from_state);
        state.require(random.is_some(), "the generator is not one")?;
        self.random = random.unwrap_or_else(|| self.random.clone());
        Ok(())
    }
}
