//! Certificates: what a run proves about itself and about its rows, in the order of what a user gains by it.
//!
//! 1. [`Risk`]: how often the run's hypotheses are wrong on new rows, with confidence, for every online learner.
//! 2. `before`: the bound that the learner's theorem puts on mistakes over *all* rows; it depends on the rows alone and
//!    holds for every order of them.
//! 3. [`Hindsight`]: what the best fixed u that was found does on the rows.
//! 4. [`LeaveOneOut`], for a Perceptron that ran in file order until a pass had no mistake.
//! 5. `self_check`: the theorem on the mistaken trials alone. It lies just above the mistakes whatever the rows: it
//!    proves that the run obeyed its theorem.
//!
//! A mistake bound holds for every comparator u and every margin γ, so it is enough to search for good ones. What the
//! search finds is then measured again, plainly, on every trial that counts; more mistakes than a bound would be an
//! error. For the Perceptron the search is the right one: with v = u/γ the bound grows with Σ max(0, 1 − y v·x) and
//! with ‖v‖, so that its least value is met on the path of support vector machines over these trials.

mod comparator;
mod ground;
mod hindsight;
mod log;
mod mistake_bound;
mod multiplicative;
mod risk;
mod search;
mod span;

use serde_json::json;

pub use crate::bound::ChargedTrials;
pub use hindsight::Hindsight;
pub use log::Log;
pub use mistake_bound::MistakeBound;
pub use risk::Risk;

use crate::bound::digits;
use crate::error::{Message, Result, Wording};
use crate::space::Symmetric;
use crate::spec::{Charges, Spec};
use ground::Ground;

/// What a certificate is about: one run from its first trial to its last.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The learner.
    pub spec: Spec,
    /// How many features it knew of, after the stages.
    pub features: usize,
    /// The trials that its theorem counts.
    pub trials: ChargedTrials,
    /// Every row, as often as it was met.
    pub rows: ChargedTrials,
    /// The weights it ended with, if it has any.
    pub weights: Option<Vec<f64>>,
    /// Σ x xᵀ over all rows, for a learner that reads ahead.
    pub correlations: Option<Symmetric>,
    /// Σβ_t of a Projectron++, else 0.
    pub gains: f64,
    /// What one pass tells of the risk.
    pub risk: Risk,
    /// For a run in file order until a pass had no mistake.
    pub leave_one_out: Option<LeaveOneOut>,
}

/// Whether the theorem of this learner counts a trial of this kind: every mistake, and for some every update.
pub fn is_charged(spec: &Spec, is_mistake: bool, is_update: bool) -> bool {
    is_mistake || is_update && matches!(spec.algorithm().theorem, Charges::Updates(_))
}

/// How many errors a Perceptron that runs in file order until a pass has no mistake makes, at most, on rows that are
/// left out one by one: a row that was never updated on is not missed, and the last hypothesis gets it right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaveOneOut {
    /// Rows ever updated on.
    pub updated: u64,
    /// All rows.
    pub rows: u64,
}

/// What is known of a run, each statement by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Mistakes made, as theorems count them.
    pub mistakes: u64,
    /// On new rows.
    pub risk: Risk,
    /// On these rows in any order.
    pub before: MistakeBound,
    /// By one fixed comparator.
    pub hindsight: Option<Hindsight>,
    /// By rows left out.
    pub leave_one_out: Option<LeaveOneOut>,
    /// On the mistaken trials.
    pub self_check: MistakeBound,
}

impl Certificate {
    /// What `before` assumes.
    pub const BEFORE_ASSUMES: &'static str = "nothing of the rows, nor of their order";

    /// Nothing but the risk, because of `reason`.
    pub fn without(mistakes: u64, risk: Risk, reason: impl Into<Message>) -> Certificate {
        let none = MistakeBound::without(mistakes, reason);
        Certificate { mistakes, risk, before: none.clone(), hindsight: None, leave_one_out: None, self_check: none }
    }

    /// All statements by their names; the comparators themselves are in [`Certificate::comparators`].
    pub fn to_json(&self, wording: &dyn Wording) -> serde_json::Value {
        let mut before = self.before.to_json(wording);
        before["assumes"] = json!(Certificate::BEFORE_ASSUMES);
        let left_out = self.leave_one_out.map(|left_out| {
            let bound = left_out.updated as f64 / left_out.rows.max(1) as f64;
            json!({"bound": bound, "updated": left_out.updated, "rows": left_out.rows})
        });
        json!({
            "mistakes": self.mistakes,
            "risk": self.risk.to_json(wording),
            "before": before,
            "hindsight": self.hindsight.as_ref().map(Hindsight::to_json),
            "leave_one_out": left_out,
            "self_check": self.self_check.to_json(wording),
        })
    }

    /// The comparators behind the statements, so that anyone can check them.
    pub fn comparators(&self) -> serde_json::Value {
        let of_bound = |bound: &MistakeBound| {
            bound.bound.map(|value| {
                json!({"comparator": bound.comparator, "bound": value, "gamma": bound.gamma, "radius": bound.radius,
                       "deviation": bound.deviation, "norm": bound.norm, "weights": bound.weights})
            })
        };
        let of_hindsight = |found: &Hindsight| {
            json!({"comparator": found.comparator, "errors": found.errors, "hinge": found.hinge,
                   "weights": found.weights})
        };
        json!({
            "before": of_bound(&self.before),
            "hindsight": self.hindsight.as_ref().map(of_hindsight),
            "self_check": of_bound(&self.self_check),
        })
    }

    /// The statements for people, in order, each with its name.
    pub fn lines(&self, wording: &dyn Wording) -> Vec<(&'static str, String)> {
        let mut lines = vec![("risk", self.risk.worded(wording)), ("before", self.before.worded(wording))];
        lines.extend(self.hindsight.as_ref().map(|found| ("hindsight", found.text())));
        lines.extend(self.leave_one_out.map(|LeaveOneOut { updated, rows }| {
            let share = 100.0 * updated as f64 / rows.max(1) as f64;
            ("left out", format!("leave-one-out error ≤ {share:.2} %: {updated} of {rows} rows were updated on"))
        }));
        lines.push(("self check", self.self_check.worded(wording)));
        lines
    }
}

/// A learner with the least bound of its family, and that bound.
type FavouredSpec = (Spec, MistakeBound);

impl RunRecord {
    /// Of each family of learners, which differ in numbers alone, the one with the least bound before a run, and that
    /// bound; and the best comparator on all rows. One search serves them all, since it is about the same rows.
    pub fn favoured(
        &self,
        families: &[Vec<Spec>],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(Vec<FavouredSpec>, Option<Hindsight>)> {
        let families: Vec<Family<'_>> = families.iter().map(|specs| Family::of(self, specs)).collect();
        let grounds: Vec<Vec<&Ground<'_>>> = families
            .iter()
            .map(|family| family.stated.iter().map(|(_, ground)| ground).collect::<Vec<_>>())
            .filter(|grounds| !grounds.is_empty())
            .collect();
        let found = if grounds.is_empty() { Vec::new() } else { search::search_families(&grounds, None, tick)? };
        let mut found = found.into_iter();
        let (mut favoured, mut hindsight) = (Vec::new(), None);
        for family in &families {
            let found = if family.stated.is_empty() { None } else { found.next() };
            match (found, &family.unstated) {
                (Some((place, mut found)), _) => {
                    let (spec, ground) = &family.stated[place];
                    let fewest = found.fewest_errors.take();
                    hindsight = hindsight.or_else(|| fewest.and_then(|(name, u)| Hindsight::of(ground, name, &u)));
                    favoured.push(((*spec).clone(), MistakeBound::of(ground, found, spec, 0)?));
                }
                (None, Some((spec, reason))) => {
                    favoured.push(((*spec).clone(), MistakeBound::without(0, reason.clone())));
                }
                (None, None) => {}
            }
        }
        Ok((favoured, hindsight))
    }

    /// Its certificate; an error if there were more mistakes than a bound. The search takes a while: an error of
    /// `tick`, which it calls again and again, ends it.
    pub fn certificate(&self, tick: &mut dyn FnMut() -> Result<()>) -> Result<Certificate> {
        let mistakes = self.trials.mistakes();
        if self.spec.is_batch() {
            return Ok(Certificate::without(mistakes, self.risk.clone(), "a batch learner makes no trials"));
        }
        let (before, hindsight) = self.before(tick)?;
        let (ground, own) = (Ground::of(self, &self.spec, &self.trials), self.weights.as_deref());
        let self_check = match &ground {
            Ok(ground) => MistakeBound::of(ground, search::search(ground, own, tick)?, &self.spec, mistakes)?,
            Err(reason) => MistakeBound::without(mistakes, reason.clone()),
        };
        let leave_one_out = self.leave_one_out.filter(|_| ground.is_ok_and(|ground| ground.theorem.bounds_left_out));
        Ok(Certificate { mistakes, risk: self.risk.clone(), before, hindsight, leave_one_out, self_check })
    }

    /// The bound over all rows, and the best comparator on them.
    pub fn before(&self, tick: &mut dyn FnMut() -> Result<()>) -> Result<(MistakeBound, Option<Hindsight>)> {
        let (mistakes, own) = (self.trials.mistakes(), self.weights.as_deref());
        let ground = Ground::of(self, &self.spec, &self.rows).and_then(Ground::before);
        let search = |ground: &Ground<'_>, tick: &mut dyn FnMut() -> Result<()>| -> Result<_> {
            let mut found = search::search(ground, own, tick)?;
            let best = found.fewest_errors.take().and_then(|(name, u)| Hindsight::of(ground, name, &u));
            Ok((found, best))
        };
        match ground {
            Ok(ground) => {
                let (found, hindsight) = search(&ground, tick)?;
                Ok((MistakeBound::of(&ground, found, &self.spec, mistakes)?, hindsight))
            }
            Err(reason) => {
                // Whatever the learner, a fixed u is one of the Perceptron's.
                let plain = Ground::of_perceptron(self, &self.rows);
                let hindsight = plain.map(|ground| search(&ground, tick)).transpose()?.and_then(|(_, best)| best);
                Ok((MistakeBound::without(mistakes, reason), hindsight))
            }
        }
    }
}

/// Learners that differ in numbers alone, with their theorems on all rows.
struct Family<'a> {
    stated: Vec<(&'a Spec, Ground<'a>)>,
    /// The first of those that have none, and why.
    unstated: Option<(&'a Spec, String)>,
}

impl<'a> Family<'a> {
    fn of(record: &'a RunRecord, specs: &'a [Spec]) -> Family<'a> {
        let mut family = Family { stated: Vec::new(), unstated: None };
        for spec in specs {
            match Ground::of(record, spec, &record.rows).and_then(Ground::before) {
                Ok(ground) => family.stated.push((spec, ground)),
                Err(reason) => family.unstated = family.unstated.or(Some((spec, reason))),
            }
        }
        family
    }
}
