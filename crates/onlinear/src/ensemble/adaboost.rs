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
//! `weighting=reweight` hands D to the base, which must take sample weights. `weighting=resample` is for a base that
//! draws its trials, as `pocket`, `averaged-sampled` and `sgd` do: the row of every trial is drawn from D and counts
//! once, while errors are weighed. `weighting=resample-once` draws N rows from D with replacement, before the round,
//! and is for any base at all; where all N are of one class they are drawn again, ten times at the most. ε is that of
//! all rows in every case.
//!
//! A base that learns by trials makes `passes` passes over the rows, in an order shuffled anew for each,
//! with weights N D; a row drawn twice is the same row met again.
//!
//! The generator of `seed` gives, in every round, first the seed of the base (and of the shuffling), then
//! the draws of the rows where they are drawn beforehand.

use std::ops::ControlFlow;

use super::{Member, Members};
use crate::batch::BATCH;
use crate::batch::rcd::RCD_BIAS;
use crate::data::Order;
use crate::error::{Error, Message, Result, size};
use crate::learner::{
    Epochs, Example, Expected, Fact, Facts, FitsAll, Label, Learner, Leaves, Predictor, Round, Sample, Training, rounds,
};
use crate::random::{Random, Wheel};
use crate::spec::{
    Algorithm, AnyLearner, Kind, New, Parameters, PythonClass, SEED, Spec, choice, learner, parameters, whole,
};
use crate::state::State;

choice! {
    /// How the base takes the weights in.
    enum Weighting { Reweight = "reweight", Resample = "resample", ResampleOnce = "resample-once" }
}

parameters! {
    struct AdaBoostParameters {
        base: Spec = learner("base", &RCD_BIAS, "the learner of each round; base.KEY=VALUE sets its parameters"),
        rounds: u64 = whole("rounds", 200, 1, Kind::LARGEST_INTEGER, "the most hypotheses there may be"),
        weighting: Weighting = Weighting::parameter(
            "weighting",
            Weighting::Reweight,
            "hand the weights to the base; draw the row of each of its trials from them; or draw its rows beforehand",
        ),
        passes: u64 = whole(
            "passes",
            10,
            1,
            Kind::LARGEST_INTEGER,
            "over the rows in each round, of a base that learns by trials",
        ),
        seed: u64 = SEED,
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "adaboost",
    title: "AdaBoost",
    summary: "Learns with another learner again and again, each time with more weight on what it last got wrong; all \
              hypotheses vote.",
    rule: "F(x) = Σ ½ ln(1/ε − 1) h(x); weights of the rows that h gets wrong times 1/ε − 1",
    paper: "Freund and Schapire (1996); over perceptrons in Li (2005)",
    cost: "as many times the base's as there are rounds; a prediction asks every member, which is one product with a \
           matrix where the base's model is a weight vector",
    bound: "training error ≤ Π 2√(ε(1 − ε))",
    differs: "a perfect hypothesis, of which the paper says nothing, votes as if ε = 1/1001 and boosting goes on; an ε \
              within 10⁻¹² of ½ counts as ½; resample-once is Freund and Schapire's resampling, resample that of Li",
    python: PythonClass::own("AdaBoost"),
    parameters: AdaBoostParameters::TABLE,
    grid: &["rounds=10,50"],
    new: New::AllAtOnce(|settings| Ok(Box::new(AdaBoost::new(Parameters::read(settings))?))),
    ..BATCH
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
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [1.0, 3.0, 6.0, 8.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Negative, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], false)?;
/// let mut learner = "adaboost:base=fld,rounds=2".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// let votes = 1000f64.ln(); // two perfect hypotheses
/// let model = learner.leaves();
/// assert_eq!((model.score(sample.row(0)), model.score(sample.row(3))), (-votes, votes));
/// # Ok::<(), onlinear::Error>(())
/// ```
struct AdaBoost {
    parameters: AdaBoostParameters,
    expected: Expected,
    members: Members,
    /// Why it stopped before all rounds were done, if it did.
    stopped: Option<String>,
}

/// The rows that the base learns from in a round.
struct RoundSample {
    sample: Sample,
    /// Their places in the data, where they were drawn.
    places: Option<Vec<usize>>,
}

impl AdaBoost {
    /// No members. Refuses a base that would not see the weights.
    fn new(parameters: AdaBoostParameters) -> std::result::Result<AdaBoost, String> {
        let AdaBoostParameters { base, weighting, .. } = &parameters;
        let lack = match weighting {
            Weighting::Reweight if !base.takes_weights() => "take sample weights",
            Weighting::Resample if !base.draws_trials() => "draw its trials",
            _ => {
                return Ok(AdaBoost {
                    parameters,
                    expected: Expected::default(),
                    members: Members::default(),
                    stopped: None,
                });
            }
        };
        Err(format!("base={} does not {lack} as it is set up; expected weighting=resample-once", base.name()))
    }

    /// The rows of a round. Only at the worst they are all of one class.
    fn lesson(&self, sample: &Sample, weights: &RowWeights, random: &mut Random) -> Result<RoundSample> {
        let whole = |sample| Ok(RoundSample { sample, places: None });
        match self.parameters.weighting {
            Weighting::Reweight if weights.is_first => return whole(sample.clone()),
            Weighting::Reweight => return whole(sample.reweighted(&weights.d)?),
            Weighting::Resample => return whole(sample.drawn_by(&weights.d)?),
            Weighting::ResampleOnce => {}
        }
        let useless = || sample.refusal("the sample weights do not add up to a finite number > 0");
        let wheel = Wheel::new(&weights.d).ok_or_else(useless)?;
        let mut draw = || -> Result<RoundSample> {
            let places: Vec<usize> = weights.d.iter().map(|_| wheel.draw(random)).collect();
            Ok(RoundSample { sample: sample.resampled(&places)?, places: Some(places) })
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
    fn learn(&self, lesson: &RoundSample, seed: u64, watch: &mut dyn Epochs) -> Result<Member> {
        let sample = &lesson.sample;
        let mut learner = self.parameters.base.learner();
        learner.reseed(seed);
        let features = self.expected.features.unwrap_or(0).max(sample.dimension());
        let expected = Expected { features: Some(features), rows: Some(sample.len()), ..self.expected };
        let refused = |reason| sample.refusal(format!("{}: {reason}", self.parameters.base.name()));
        learner.prepare(&expected).map_err(refused)?;
        match &mut learner {
            AnyLearner::FitsAll(learner) => learner.fit(sample, &mut Ticks(watch))?,
            AnyLearner::Online(learner) => {
                if let Some(ahead) = learner.reads_ahead() {
                    (0..sample.len()).for_each(|i| ahead.read(sample.row(i)));
                    ahead.end().map_err(refused)?;
                }
                self.pass_over(learner.as_mut(), lesson, seed, watch)?;
            }
        }
        Ok(Member::new(learner))
    }

    /// The passes of a base that learns by trials.
    fn pass_over(
        &self,
        learner: &mut dyn Learner,
        lesson: &RoundSample,
        seed: u64,
        watch: &mut dyn Epochs,
    ) -> Result<()> {
        let mut order = Order::shuffled(lesson.sample.len(), seed)?;
        for _ in 0..self.parameters.passes {
            let mut places = order.next_pass();
            loop {
                watch.tick()?;
                let rows: Vec<usize> = places.by_ref().take(TRIALS_PER_TICK).collect();
                if rows.is_empty() {
                    break;
                }
                let examples: Vec<Example<'_>> = rows.iter().map(|&i| lesson.example(i)).collect();
                let (mut met, mut last) = (0, None);
                let seen = |_: &Example<'_>, round: Round| {
                    (met, last) = (met + 1, Some(round));
                    ControlFlow::Continue(())
                };
                if let (Err(_), Some(round)) = (rounds(learner, &examples, seen), last) {
                    return Err(lesson.sample.refused_row(rows[met - 1], round.too_large()));
                }
            }
        }
        Ok(())
    }
}

impl RoundSample {
    fn example(&self, i: usize) -> Example<'_> {
        let place = self.places.as_ref().map_or(i, |places| places[i]);
        let y = Label::predicted(self.sample.y()[i]);
        Example::new(self.sample.row(i), y).weighing(self.sample.weights()[i]).at(Some(place as u64))
    }
}

/// Tells of the base's work, but not of its epochs.
struct Ticks<'a>(&'a mut dyn Epochs);

impl Epochs for Ticks<'_> {
    fn tick(&mut self) -> Result<()> {
        self.0.tick()
    }

    fn epoch(&mut self, _epoch: u64, _training: Training, _hypothesis: &Leaves<'_>) -> Result<()> {
        self.0.tick()
    }
}

/// D, the weights of all rows.
struct RowWeights {
    d: Vec<f64>,
    /// Whether it is still that of the sample.
    is_first: bool,
}

impl RowWeights {
    fn of(sample: &Sample) -> RowWeights {
        let total: f64 = sample.weights().iter().sum();
        RowWeights { d: sample.weights().iter().map(|weight| weight / total).collect(), is_first: true } // [1]
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

impl FitsAll for AdaBoost {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<()> {
        if !sample.has_both_classes() {
            return Err(sample.refusal("every row is of one class; a batch learner needs rows of both"));
        }
        let mut random = Random::new(self.parameters.seed);
        let (mut members, mut stopped) = (Members::default(), None);
        let mut weights = RowWeights::of(sample);
        let mut scores = vec![0.0; sample.len()];
        watch.epoch(0, sample.errors_of(scores.iter().copied())?, &members.leaves())?;
        for t in 1..=self.parameters.rounds {
            watch.tick()?;
            let seed = random.next_u64();
            let lesson = self.lesson(sample, &weights, &mut random)?;
            if !lesson.sample.has_both_classes() {
                stopped = Some(format!("round {t}: the base's rows are all of one class"));
                break;
            }
            let member = self.learn(&lesson, seed, watch)?; // [2]
            let outputs = member.scores(sample);
            if let Some(i) = outputs.iter().position(|output| !output.is_finite()) {
                return Err(sample.too_large(i, outputs[i]));
            }
            let h: Vec<f64> = outputs.iter().map(|&output| Label::predicted(output).sign()).collect();
            let is_wrong: Vec<bool> = h.iter().zip(sample.y()).map(|(h, y)| h != y).collect();
            let epsilon = weights.of_wrong(&is_wrong); // [3]
            if epsilon >= HALF {
                stopped = Some(format!("round {t}: the base's weighted error is {epsilon:.4}, not below 1/2"));
                break;
            }
            let odds = if epsilon == 0.0 { PERFECT } else { (1.0 / epsilon - 1.0).min(f64::MAX) };
            let vote = 0.5 * libm::log(odds); // [4]
            if epsilon > 0.0 {
                weights.multiply_wrong(odds, &is_wrong); // [5]
            }
            scores.iter_mut().zip(&h).for_each(|(score, h)| *score += vote * h);
            if members.push(vote, member).is_err() {
                return Err(sample.refusal(format!("round {t}: the base has changed its form")));
            }
            self.require_memory(&members, sample)?;
            watch.epoch(t, sample.errors_of(scores.iter().copied())?, &members.leaves())?;
        }
        (self.members, self.stopped) = (members, stopped);
        Ok(())
    }
}

impl AdaBoost {
    fn require_memory(&self, members: &Members, sample: &Sample) -> Result<()> {
        let bytes = members.memory(sample.dimension());
        match self.expected.max_memory {
            Some(most) if bytes > most => {
                let need = format!("adaboost: {} members need {}", members.len(), size(bytes));
                Err(Error::Memory(Message::beyond_memory(need).and("; ask for fewer rounds")))
            }
            _ => Ok(()),
        }
    }
}

impl Predictor for AdaBoost {
    fn leaves(&self) -> Leaves<'_> {
        self.members.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        self.members.memory(features).saturating_add(self.parameters.base.learner().memory(features))
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        self.expected = *expected;
        self.parameters.base.learner().prepare(expected)
    }

    fn reseed(&mut self, seed: u64) {
        self.parameters.seed = seed;
    }

    fn facts(&self) -> Facts {
        let (rounds, stopped) = (self.members.len(), self.stopped.clone());
        let warning = stopped.iter().filter(|_| rounds == 0);
        Facts {
            form: Some("ensemble"),
            rows_kept: self.members.rows_kept(),
            warnings: warning
                .map(|why| format!("adaboost: nobody votes and every row scores 0; {why}").into())
                .collect(),
            further: vec![("rounds_used", Fact::Number(rounds as f64)), ("stopped", Fact::Text(stopped))],
            ..Facts::default()
        }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.refuse_merging("its members vote by what each got wrong of the rows of one run")?;
        self.members.state(&self.parameters.base, self.parameters.rounds, state)?;
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
