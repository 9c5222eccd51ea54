//! Certificates: a run's mistakes beside the bound that a theorem puts on them.
//!
//! A mistake bound holds for every comparator u and every margin γ, so it is enough to search for good ones
//! and to evaluate the theorem on the very trials of the run. What the search finds is then measured again,
//! plainly, on every charged trial; more mistakes than the bound would be an error.
//!
//! For the Perceptron the search is the right one: with v = u/γ the bound grows with Σ max(0, 1 − y v·x)
//! over the mistaken trials and with ‖v‖, so that its least value is met on the path of support vector
//! machines over these trials.

mod comparator;
mod ground;
mod log;
mod multiplicative;
mod search;
mod span;

use std::fmt;

use serde_json::json;

pub use crate::bound::ChargedTrials;
pub use log::Log;

use crate::bound::{Comparator, Measures, digits};
use crate::error::{Error, Message, Result, Wording};
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
    /// The trials that count.
    pub trials: ChargedTrials,
    /// The weights it ended with, if it has any.
    pub weights: Option<Vec<f64>>,
    /// Σ x xᵀ over all rows, for a learner that reads ahead.
    pub correlations: Option<Symmetric>,
    /// How many rows there were, if the last pass over them had no mistake.
    pub separated: Option<u64>,
}

/// Whether the theorem of this learner counts a trial of this kind: every mistake, and for some every update.
pub fn is_charged(spec: &Spec, is_mistake: bool, is_update: bool) -> bool {
    is_mistake || is_update && matches!(spec.algorithm().theorem, Charges::Updates(_))
}

/// Mistakes, and the bound on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Mistakes made.
    pub mistakes: u64,
    /// No more than this many could have been made; `None` where no theorem applies.
    pub bound: Option<f64>,
    /// Why there is no bound.
    pub reason: Option<Message>,
    /// Which theorem the bound is from.
    pub theorem: Option<String>,
    /// γ, the margin asked of u.
    pub gamma: Option<f64>,
    /// R, the largest norm of a row that a mistake was made on.
    pub radius: Option<f64>,
    /// D = Σ max(0, γ − y u·x) over the mistaken trials.
    pub deviation: Option<f64>,
    /// uᵀXXᵀu = Σ (u·x)² over them, where the theorem has it.
    pub spread: Option<f64>,
    /// The eigenvalues' factor under the root, where the theorem has one.
    pub eigenvalues: Option<f64>,
    /// ‖u‖, in the norm of the theorem.
    pub norm: Option<f64>,
    /// Where u came from.
    pub comparator: Option<String>,
    /// u, where it is a weight vector.
    pub weights: Option<Vec<f64>>,
    /// R²/ρ² (times p − 1 for p-norms) for a u that tells all mistaken rows apart with margin ρ, where one does:
    /// the classical bound, which knows nothing of how many mistakes there were.
    pub separable: Option<f64>,
    /// min(M, R²/ρ²)/n, the expected error on a row left out, for a Perceptron that ran until a pass had no mistake.
    pub leave_one_out: Option<f64>,
}

impl Certificate {
    /// No bound, because of `reason`.
    pub fn without(mistakes: u64, reason: impl Into<Message>) -> Certificate {
        Certificate { mistakes, reason: Some(reason.into()), ..Certificate::default() }
    }

    /// All figures by their names, and the line of [`Certificate::worded`] as `text`.
    pub fn to_json(&self, wording: &dyn Wording) -> serde_json::Value {
        json!({
            "mistakes": self.mistakes,
            "bound": self.bound,
            "reason": self.reason.as_ref().map(|reason| reason.worded(wording)),
            "theorem": self.theorem,
            "gamma": self.gamma,
            "radius": self.radius,
            "deviation": self.deviation,
            "spread": self.spread,
            "eigenvalues": self.eigenvalues,
            "norm": self.norm,
            "comparator": self.comparator,
            "weights": self.weights,
            "separable": self.separable,
            "leave_one_out": self.leave_one_out,
            "text": self.worded(wording),
        })
    }

    /// The certificate as a line, in the words of `wording`.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        match &self.reason {
            Some(reason) => format!("none: {}", reason.worded(wording)),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(bound) = self.bound else {
            let reason = self.reason.as_ref().map_or("no theorem applies".to_string(), Message::to_string);
            return write!(f, "none: {reason}");
        };
        write!(f, "{} mistakes ≤ {bound:.1} (", self.mistakes)?;
        let parts = [("γ", self.gamma), ("R", self.radius), ("D", self.deviation)];
        for (name, value) in parts.iter().filter_map(|(name, value)| value.map(|value| (name, value))) {
            write!(f, "{name} = {}, ", digits(value))?;
        }
        if let Some(norm) = self.norm.filter(|&norm| norm != 1.0) {
            write!(f, "‖u‖ = {}, ", digits(norm))?;
        }
        write!(f, "u: {}; {})", self.comparator.as_deref().unwrap_or("?"), self.theorem.as_deref().unwrap_or("?"))?;
        self.separable.map_or(Ok(()), |separable| write!(f, ", R²/ρ² = {separable:.1}"))
    }
}

impl RunRecord {
    /// Its certificate; an error if there were more mistakes than its bound. The search takes a while: an error of
    /// `tick`, which it calls again and again, ends it.
    pub fn certificate(&self, tick: &mut dyn FnMut() -> Result<()>) -> Result<Certificate> {
        let mistakes = self.trials.mistakes();
        let ground = match Ground::of(self) {
            Ok(ground) => ground,
            Err(reason) => return Ok(Certificate::without(mistakes, reason)),
        };
        let found = search::search(&ground, self.weights.as_deref(), tick)?;
        let measured = found.finalists.into_iter().filter_map(|(name, u)| measure(&ground, name, u));
        let Some(best) = measured.min_by(|a, b| a.bound.total_cmp(&b.bound)) else {
            return Ok(Certificate::without(mistakes, ground.theorem.unmet));
        };
        if mistakes as f64 > best.bound * (1.0 + 1e-9) {
            let Finalist { bound, theorem, .. } = best;
            let message = format!(
                "{mistakes} mistakes are more than the bound {bound} ({theorem}): this is a bug, please report it"
            );
            return Err(Error::data(&self.spec.to_string(), message));
        }
        let mut certificate = best.certificate(&ground, self);
        certificate.separable = found.separator.and_then(|u| separable(&ground, &u));
        if let (Some(separable), Some(rows)) = (certificate.separable, self.separated)
            && ground.theorem.bounds_left_out
        {
            certificate.leave_one_out = Some(separable.min(mistakes as f64) / rows.max(1) as f64);
        }
        Ok(certificate)
    }
}

/// R²/ρ² for a u that tells the rows apart with margin ρ.
fn separable(ground: &Ground<'_>, u: &Comparator) -> Option<f64> {
    let margins = u.margins(ground)?;
    let measures = margins.at(margins.least(), ground.radius);
    let (bound, _) = ground.theorem.bound(&measures)?;
    (ground.theorem.is_classical && measures.deviation == 0.0).then_some(bound)
}

/// A comparator measured on every charged trial.
struct Finalist {
    bound: f64,
    theorem: String,
    measures: Measures,
    name: String,
    weights: Option<Vec<f64>>,
}

/// The best γ for u, and the bound with it.
fn measure(ground: &Ground<'_>, name: String, u: Comparator) -> Option<Finalist> {
    let margins = u.margins(ground)?;
    let gamma = search::best_gamma(ground, &margins)?.1;
    let measures = margins.at(gamma, ground.radius);
    let (bound, form) = ground.theorem.bound(&measures)?;
    let comma = if form.is_empty() { "" } else { ", " };
    let theorem = format!("{}{comma}{form}", ground.theorem.name);
    let weights = u.unit_weights(&margins);
    Some(Finalist { bound, theorem, measures, name, weights })
}

impl Finalist {
    fn certificate(self, ground: &Ground<'_>, run: &RunRecord) -> Certificate {
        let Measures { gamma, radius, deviation, spread, .. } = self.measures;
        let mistakes = run.trials.mistakes();
        // With margin 1 it is g = u/γ that the theorem speaks of.
        let scale = if ground.theorem.has_unit_margin { gamma } else { 1.0 };
        let eigenvalues = ground.theorem.eigenvalues;
        Certificate {
            mistakes,
            bound: Some(self.bound),
            theorem: Some(self.theorem),
            gamma: Some(gamma / scale),
            radius: Some(radius),
            deviation: Some(deviation / scale),
            spread: eigenvalues.map(|_| spread),
            eigenvalues,
            norm: Some(1.0 / scale),
            comparator: Some(self.name),
            weights: self.weights.map(|w| w.iter().map(|w| w / scale).collect()),
            ..Certificate::default()
        }
    }
}
