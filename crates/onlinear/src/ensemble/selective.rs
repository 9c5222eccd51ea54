//! Selective sampling.
//!
//! Cesa-Bianchi, Gentile and Zaniboni, "Worst-case analysis of selective sampling for linear classification" (2006).
//! Asks for the label of a row the more rarely the surer another learner is of it, and lets that learner learn from the
//! rows asked for alone.
//!
//! P(asked) = b/(b + d),   d = |f(x)|
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | f(x) of the base's running hypothesis; d = \|f(x)\| |
//! | \[2\] | u uniform in \[0, 1), one draw in every trial; the label is asked for iff u < b/(b + d) |
//! | \[3\] | asked: the base learns by its own rule; else it stays as it is |
//!
//! Over `second-order` with a fixed ridge, d = |g| + ½g²(1 + v) with v = xᵀA⁻¹x and g = f(x)/(1 + v). `adaptive` has
//! b R² √(1 + k) in place of b: k the base's updates so far, R² the largest ‖x‖² (K(x,x)) so far, that of x included.
//! Where both b and d are 0 the label is asked for. A base that averages averages over all trials.

use crate::error::{Message, Result};
use crate::learner::{AsksForLabels, Example, Expected, Fact, Facts, Learner, Leaves, Predictor, Step};
use crate::online::perceptron;
use crate::random::Random;
use crate::space::{Expansion, Finite, Overflow, Row};
use crate::spec::{
    Algorithm, AnyLearner, Learns, New, Parameters, PythonClass, Range, SEED, Spec, flag, kernel, learner, number_or,
    parameters,
};
use crate::state::State;

parameters! {
    struct SelectiveParameters {
        base: Spec = learner(
            "base",
            &perceptron::ALGORITHM,
            "the learner of the rows asked for, one that learns row by row",
        ),
        eagerness: Option<f64> = number_or(
            "eagerness",
            Some(1.0),
            "inf",
            Range::POSITIVE,
            "b: how large a score may be for its row to be asked for every other time; inf: every row is",
        )
        .alias(&["b"]),
        adaptive: bool = flag("adaptive", false, "b grows with the base's updates and with the rows' size"),
        seed: u64 = SEED,
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "selective",
    title: "Selective sampling",
    summary: "Asks for the labels of rows of which another learner is not sure, and learns from those alone.",
    rule: "the label is asked for with probability b/(b + |f(x)|), by a draw in every trial; then the base learns",
    paper: "Cesa-Bianchi, Gentile and Zaniboni (2006)",
    cost: "the base's; over second-order (fixed) O(n²) per trial",
    bound: "none reported: the paper's hold on average over the draws",
    differs: "mistakes are counted in every trial, asked for or not; the form of adaptive, b R² √(1 + k), is from \
              knowledge of the paper, whose text could not be read; over other bases than the Perceptron and the \
              second-order Perceptron it is ours",
    python: PythonClass::own("SelectiveSampler"),
    parameters: SelectiveParameters::TABLE,
    grid: &["eagerness=0.1,1,10"],
    takes_weights: |settings| settings.base().is_some_and(Spec::takes_weights),
    needs_feature_count: |settings| settings.base().is_some_and(Spec::needs_feature_count),
    new: New::RowByRow(|settings| Ok(Box::new(Selective::new(Parameters::read(settings))?))),
    ..Algorithm::ONLINE
};

/// Selective sampling.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "selective:base=perceptron,eagerness=1e-9".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // a score of 0: asked for
/// learner.round(&Example::new(x, Label::Negative)); // sure of it, though wrong: not asked for
/// assert_eq!(learner.score(x), 1.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Selective {
    parameters: SelectiveParameters,
    base: Box<dyn Learner>,
    random: Random,
    /// How many labels were asked for.
    asked: u64,
    /// How many of them changed the base.
    updates: u64,
    /// R², where that matters.
    largest: f64,
    /// Whether the last label was asked for.
    was_asked: bool,
}

impl Selective {
    fn new(parameters: SelectiveParameters) -> std::result::Result<Selective, String> {
        let name = parameters.base.name();
        let refused = |how: &str| Err(format!("base={name} {how}; expected a learner that learns row by row"));
        let base = match (parameters.base.learner(), parameters.base.algorithm().learns()) {
            (AnyLearner::Online(base), Learns::RowByRow) => base,
            (AnyLearner::Online(_), _) => return refused("must be shown all rows first"),
            (AnyLearner::FitsAll(_), _) => return refused("learns from all rows at once"),
        };
        let random = Random::new(parameters.seed);
        Ok(Selective { parameters, base, random, asked: 0, updates: 0, largest: 0.0, was_asked: false })
    }

    /// ‖x‖², or K(x,x) of the base's kernel.
    fn square(&self, x: Row<'_>) -> f64 {
        let base = &self.parameters.base;
        match base.get("kernel") {
            Some(_) => kernel::of(base).with_itself(x.squared_norm()),
            None => x.squared_norm(),
        }
    }

    /// Whether a row is asked for whose draw was `u`.
    fn is_asked(&mut self, x: Row<'_>, score: f64, largest: f64, u: f64) -> bool {
        let Some(eagerness) = self.parameters.eagerness else { return true };
        let b = match self.parameters.adaptive {
            true => eagerness * largest * (1.0 + self.updates as f64).sqrt(),
            false => eagerness,
        };
        let share = b / (b + self.base.sureness(x, score));
        share.is_nan() || u < share
    }
}

impl Learner for Selective {
    fn score(&self, x: Row<'_>) -> f64 {
        self.base.score(x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.base.begin(x, lane) // [1]
    }

    fn begin_with_model(&mut self, x: Row<'_>, lane: Option<usize>) -> (f64, f64) {
        self.base.begin_with_model(x, lane)
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let mut random = self.random.clone();
        let u = random.uniform();
        let square = if self.parameters.adaptive { self.square(example.x) } else { 0.0 };
        Overflow::check([square])?;
        let largest = self.largest.max(square);
        let is_asked = self.is_asked(example.x, score, largest, u); // [2]
        let step = if is_asked {
            self.base.learn(example, score)? // [3]
        } else {
            self.base.withhold(1);
            Step::Stay
        };
        (self.random, self.largest, self.was_asked) = (random, largest, is_asked);
        self.asked += u64::from(is_asked);
        self.updates += u64::from(step == Step::Update);
        Ok(step)
    }

    fn withhold(&mut self, trials: u64) {
        self.base.withhold(trials);
        self.was_asked = false;
    }

    fn asks(&mut self) -> Option<&mut dyn AsksForLabels> {
        Some(self)
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.base.ahead()
    }
}

impl AsksForLabels for Selective {
    fn asked(&self) -> bool {
        self.was_asked
    }

    fn would_ask(&mut self, x: Row<'_>, random: &mut Option<Random>) -> bool {
        let u = random.get_or_insert_with(|| self.random.clone()).uniform();
        let score = self.base.begin(x, None);
        let largest = if self.parameters.adaptive { self.largest.max(self.square(x)) } else { 0.0 };
        self.is_asked(x, score, largest, u)
    }
}

impl Predictor for Selective {
    fn leaves(&self) -> Leaves<'_> {
        self.base.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        self.base.memory(features)
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        self.base.prepare(expected)
    }

    fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
        self.base.reseed(seed);
    }

    fn facts(&self) -> Facts {
        let mut facts = self.base.facts();
        facts.further.retain(|(name, _)| *name != "asked"); // of a base that asks too
        facts.further.push(("asked", Fact::Number(self.asked as f64)));
        facts
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.refuse_merging("which labels it asks for follows from the draws of one run")?;
        state.within("base", |state| self.base.state(state))?;
        state.u64("asked", &mut self.asked)?;
        state.u64("updates", &mut self.updates)?;
        state.require(self.updates <= self.asked, "updates are more than labels asked for")?;
        state.f64("largest-square", &mut self.largest)?;
        state.require(self.largest >= 0.0, "largest-square is negative")?;
        state.generator("generator", &mut self.random)
    }
}
