//! AdaBoost.
//!
//! Freund and Schapire, "Experiments with a new boosting algorithm" (1996); over perceptrons in Li,
//! "Perceptron learning with random coordinate descent" (2005), sections 4.3 and 4.4.
//! Learns with another learner again and again, each time with more weight on the rows that the last
//! hypothesis got wrong; all hypotheses vote.
//!
//! F(x) = Σ_t ½ ln(1/ε_t − 1) h_t(x),   h_t(x) = ±1
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | D the sample weights, Σ D = 1 |
//! | \[2\] | for t = 1 … T: the base learns a hypothesis h_t from rows weighted by D, or drawn from D |
//! | \[3\] | ε = Σ D over the rows with h_t(x) ≠ y; stop, without h_t, at ε ≥ ½ |
//! | \[4\] | h_t votes with ½ ln(1/ε − 1) |
//! | \[5\] | D of the rows with h_t(x) ≠ y times 1/ε − 1, then Σ D = 1 again |
//!
//! A perfect hypothesis, ε = 0, votes with ½ ln 1000, D stays as it is and boosting goes on.
//!
//! `weighting=reweight` hands D to the base, which must take sample weights. `weighting=resample` draws N
//! rows from D with replacement and is for any base at all; where all N are of one class they are drawn
//! again, ten times at the most. ε is that of all rows either way.
//!
//! A base that learns by trials makes `passes` passes over the rows, in an order shuffled anew for each,
//! with weights N D; a row drawn twice is the same row met again.
//!
//! The generator of `seed` gives, in every round, first the seed of the base (and of the shuffling), then
//! the draws of the rows.
//!
//! Cost: T times the base's; a prediction asks every member, which is one product with a matrix of T rows
//! where the base's model is a weight vector. Bound: training error ≤ Π_t 2√(ε_t(1 − ε_t)).
//!
//! **Differs from the paper:** it leaves open what a perfect hypothesis does; here it votes as if
//! ε = 1/1001. An ε within 10⁻¹² of ½ counts as ½. Its own learners know two ways of taking weights, which are theirs; drawing the rows
//! beforehand is Freund and Schapire's resampling.

use super::{Member, Members};
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Value};
use crate::batch::{Epochs, SEED, Sample, Training};
use crate::data::{Order, Random, Wheel};
use crate::error::{Error, Message, Result, size};
use crate::learner::{Batch, Example, Expected, Fact, Label, Learner, Round, Step};
use crate::space::{Row, Rows};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "adaboost",
    title: "AdaBoost",
    summary: "Learns with another learner again and again, each time with more weight on what it last got wrong; all hypotheses vote.",
    rule: "F(x) = Σ ½ ln(1/ε − 1) h(x); weights of the rows that h gets wrong times 1/ε − 1",
    paper: "Freund and Schapire (1996); over perceptrons in Li (2005)",
    cost: "as many times the base's as there are rounds; a prediction asks every member",
    bound: "training error ≤ Π 2√(ε(1 − ε))",
    differs: "a perfect hypothesis votes with ½ ln 1000 and boosting goes on",
    parameters: &[BASE, ROUNDS, WEIGHTING, PASSES, SEED],
    takes_weights: |_| true,
    needs_feature_count: |_| false,
    learns: Learns::AllAtOnce,
    new: |spec| Ok(Box::new(AdaBoost::new(spec)?)),
};

const BASE: Parameter = Parameter {
    name: "base",
    aliases: &[],
    kind: Kind::Learner,
    default: Value::Choice("rcd-bias"),
    help: "the learner of each round; base.KEY=VALUE sets its parameters",
};

const ROUNDS: Parameter = Parameter {
    name: "rounds",
    aliases: &[],
    kind: Kind::Integer { low: 1, high: Kind::LARGEST_INTEGER },
    default: Value::Number(200.0),
    help: "the most hypotheses there may be",
};

const WEIGHTING: Parameter = Parameter {
    name: "weighting",
    aliases: &[],
    kind: Kind::Choice(&["reweight", "resample"]),
    default: Value::Choice("reweight"),
    help: "hand the weights to the base, or draw its rows from them",
};

const PASSES: Parameter = Parameter {
    name: "passes",
    aliases: &[],
    kind: Kind::Integer { low: 1, high: Kind::LARGEST_INTEGER },
    default: Value::Number(10.0),
    help: "over the rows in each round, of a base that learns by trials",
};

/// ½ but for rounding. A base that gives its last hypothesis again is wrong on exactly half of D; where
/// rounding puts that below ½ it would go on for all rounds, with votes of nothing.
const HALF: f64 = 0.5 - 1e-12;
/// 1/ε − 1 of a perfect hypothesis, as it votes.
const PERFECT: f64 = 1000.0;
/// How often N rows are drawn before they are given up for being of one class.
const DRAWS: usize = 10;
/// Trials between two looks at whether to go on.
const TRIALS_PER_TICK: usize = 256;

/// AdaBoost.
///
/// ```
/// use onlinear::batch::Sample;
/// use onlinear::space::Rows;
/// use onlinear::{Label, Row, Spec};
/// let mut rows = Rows::default();
/// for x in [1.0, 3.0, 6.0, 8.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Negative, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], false)?;
/// let mut learner = "adaboost:base=fld,rounds=2".parse::<Spec>()?.learner();
/// learner.as_batch().expect("a batch learner").fit(&sample, &mut ())?;
/// let votes = 1000f64.ln(); // two perfect hypotheses
/// assert_eq!((learner.score(sample.row(0)), learner.score(sample.row(3))), (-votes, votes));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct AdaBoost {
    base: Spec,
    rounds: u64,
    resamples: bool,
    passes: u64,
    seed: u64,
    expected: Expected,
    members: Members,
    /// Why it stopped before all rounds were done, if it did.
    stopped: Option<String>,
}

/// The rows that the base learns from in a round.
struct Lesson {
    sample: Sample,
    /// Their places in the data, where they were drawn.
    places: Option<Vec<usize>>,
}

impl AdaBoost {
    /// No members. Refuses a base that would not see the weights.
    pub fn new(spec: &Spec) -> std::result::Result<AdaBoost, String> {
        let base = spec.base().ok_or("it has no base")?.clone();
        let resamples = spec.choice("weighting") == "resample";
        if !resamples && !(base.algorithm().takes_weights)(&base) {
            let name = base.algorithm().name;
            return Err(format!(
                "base={name} does not take sample weights as it is set up; expected weighting=resample"
            ));
        }
        Ok(AdaBoost {
            base,
            rounds: spec.whole("rounds"),
            resamples,
            passes: spec.whole("passes"),
            seed: spec.whole("seed"),
            expected: Expected::default(),
            members: Members::default(),
            stopped: None,
        })
    }

    /// The rows of a round. Only at the worst they are all of one class.
    fn lesson(&self, sample: &Sample, weights: &Distribution, random: &mut Random) -> Result<Lesson> {
        if !self.resamples {
            let sample = if weights.is_first { sample.clone() } else { sample.reweighted(&weights.d)? };
            return Ok(Lesson { sample, places: None });
        }
        let useless = || sample.refusal("the sample weights do not add up to a finite number > 0");
        let wheel = Wheel::new(&weights.d).ok_or_else(useless)?;
        let mut draw = || -> Result<Lesson> {
            let places: Vec<usize> = weights.d.iter().map(|_| wheel.draw(random)).collect();
            Ok(Lesson { sample: sample.resampled(&places)?, places: Some(places) })
        };
        let mut lesson = draw()?;
        for _ in 1..DRAWS {
            if lesson.sample.has_both_classes() {
                break;
            }
            lesson = draw()?;
        }
        Ok(lesson)
    }

    /// The base's hypothesis.
    fn learn(&self, lesson: &Lesson, seed: u64, watch: &mut dyn Epochs) -> Result<Member> {
        let Lesson { sample, .. } = lesson;
        let mut learner = self.base.learner();
        learner.reseed(seed);
        let features = self.expected.features.unwrap_or(0).max(sample.dimension());
        let expected = Expected { features: Some(features), rows: Some(sample.len()), ..self.expected };
        let refused = |reason| sample.refusal(format!("{}: {reason}", self.base.algorithm().name));
        learner.prepare(&expected).map_err(refused)?;
        if let Some(batch) = learner.as_batch() {
            batch.fit(sample, &mut Ticks(watch))?;
            return Ok(Member::new(learner));
        }
        if self.base.algorithm().learns == Learns::AfterReadingAll {
            (0..sample.len()).for_each(|i| learner.read_ahead(sample.row(i)));
            learner.end_read_ahead().map_err(refused)?;
        }
        let mut order = Order::shuffled(sample.len(), seed)?;
        for _ in 0..self.passes {
            for (trial, i) in order.next_pass().enumerate() {
                if trial % TRIALS_PER_TICK == 0 {
                    watch.tick()?;
                }
                learner.round(&lesson.example(i));
            }
        }
        Ok(Member::new(learner))
    }
}

impl Lesson {
    fn example(&self, i: usize) -> Example<'_> {
        let place = self.places.as_ref().map_or(i, |places| places[i]);
        let y = Label::predicted(self.sample.y()[i]);
        Example { x: self.sample.row(i), y, weight: self.sample.weights()[i], id: Some(place as u64) }
    }
}

/// Tells of the base's work, but not of its epochs.
struct Ticks<'a>(&'a mut dyn Epochs);

impl Epochs for Ticks<'_> {
    fn tick(&mut self) -> Result<()> {
        self.0.tick()
    }

    fn epoch(&mut self, _epoch: u64, _training: Training) -> Result<()> {
        self.0.tick()
    }
}

/// D, the weights of all rows.
struct Distribution {
    d: Vec<f64>,
    /// Whether it is still that of the sample.
    is_first: bool,
}

impl Distribution {
    fn of(sample: &Sample) -> Distribution {
        let total: f64 = sample.weights().iter().sum();
        Distribution { d: sample.weights().iter().map(|weight| weight / total).collect(), is_first: true } // [1]
    }

    /// ε of a hypothesis that is wrong on these rows.
    fn of_wrong(&self, is_wrong: &[bool]) -> f64 {
        self.d.iter().zip(is_wrong).map(|(d, &is_wrong)| if is_wrong { *d } else { 0.0 }).sum()
    }

    fn multiply_wrong(&mut self, factor: f64, is_wrong: &[bool]) {
        // Each is at most ε, so the largest becomes at most 1.
        self.d.iter_mut().zip(is_wrong).filter(|(_, is_wrong)| **is_wrong).for_each(|(d, _)| *d *= factor);
        let total: f64 = self.d.iter().sum();
        self.d.iter_mut().for_each(|d| *d /= total);
        self.is_first = false;
    }
}

impl Batch for AdaBoost {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<()> {
        if !sample.has_both_classes() {
            return Err(sample.refusal("every row is of one class; a batch learner needs rows of both"));
        }
        let mut random = Random::new(self.seed);
        let (mut members, mut stopped) = (Members::default(), None);
        let mut weights = Distribution::of(sample);
        let mut scores = vec![0.0; sample.len()];
        watch.epoch(0, sample.errors_of(scores.iter().copied()))?;
        for t in 1..=self.rounds {
            watch.tick()?;
            let seed = random.next_u64();
            let lesson = self.lesson(sample, &weights, &mut random)?;
            if !lesson.sample.has_both_classes() {
                stopped = Some(format!("round {t}: the base's rows are all of one class"));
                break;
            }
            let member = self.learn(&lesson, seed, watch)?; // [2]
            let outputs = member.outputs(sample);
            if outputs.iter().any(|output| !output.is_finite()) {
                let name = self.base.algorithm().name;
                return Err(sample.refusal(format!(
                    "round {t}: a score of {name} is too large a number; scale or normalize the rows"
                )));
            }
            let h: Vec<f64> = outputs.iter().map(|&output| Label::predicted(output).sign()).collect();
            let is_wrong: Vec<bool> = h.iter().zip(sample.y()).map(|(h, y)| h != y).collect();
            let epsilon = weights.of_wrong(&is_wrong); // [3]
            if epsilon >= HALF {
                stopped = Some(format!("round {t}: the base's weighted error is {epsilon:.4}, not below 1/2"));
                break;
            }
            let odds = if epsilon == 0.0 { PERFECT } else { (1.0 / epsilon - 1.0).min(f64::MAX) };
            let vote = 0.5 * odds.ln(); // [4]
            if epsilon > 0.0 {
                weights.multiply_wrong(odds, &is_wrong); // [5]
            }
            scores.iter_mut().zip(&h).for_each(|(score, h)| *score += vote * h);
            if members.push(vote, member).is_err() {
                return Err(sample.refusal(format!("round {t}: the base has changed its form")));
            }
            self.require_memory(&members, sample)?;
            watch.epoch(t, sample.errors_of(scores.iter().copied()))?;
        }
        (self.members, self.stopped) = (members, stopped);
        Ok(())
    }
}

impl AdaBoost {
    fn require_memory(&self, members: &Members, sample: &Sample) -> Result<()> {
        let bytes = members.bytes(sample.dimension());
        match self.expected.max_memory {
            Some(most) if bytes > most => {
                let need = format!("adaboost: {} members need {}", members.len(), size(bytes));
                Err(Error::Memory(Message::beyond_memory(need).and("; ask for fewer rounds")))
            }
            _ => Ok(()),
        }
    }
}

impl Learner for AdaBoost {
    fn score(&self, x: Row<'_>) -> f64 {
        self.members.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        Round { score: self.score(example.x), step: Step::Stay }
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.members.outputs(rows, out);
    }

    fn block(&self) -> usize {
        self.members.block()
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        self.expected = *expected;
        self.base.learner().prepare(expected)
    }

    fn as_batch(&mut self) -> Option<&mut dyn Batch> {
        Some(self)
    }

    fn form(&self) -> &'static str {
        "ensemble"
    }

    fn support(&self) -> Option<usize> {
        self.members.support()
    }

    fn rows_kept(&self) -> usize {
        self.members.rows_kept()
    }

    fn bytes(&self, features: usize) -> u64 {
        self.members.bytes(features).saturating_add(self.base.learner().bytes(features))
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("rounds_used", Fact::Number(self.members.len() as f64)), ("stopped", Fact::Text(self.stopped.clone()))]
    }

    fn warnings(&self) -> Vec<Message> {
        match &self.stopped {
            Some(reason) if self.members.len() == 0 => {
                vec![format!("adaboost: nobody votes and every row scores 0; {reason}").into()]
            }
            _ => Vec::new(),
        }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.members.state(&self.base, self.rounds, state)?;
        let mut text = self.stopped.clone().unwrap_or_default().into_bytes();
        state.u8s("stopped", &mut text)?;
        let text = String::from_utf8(text).ok().filter(|text| !text.contains(char::is_control));
        state.require(text.is_some(), "stopped is not a line of text")?;
        if state.is_loading() {
            self.stopped = text.filter(|text| !text.is_empty());
        }
        Ok(())
    }
}
