//! Mistakes beside the bound that a theorem puts on them.

use std::fmt;

use serde_json::json;

use super::comparator::RankedMargins;
use super::ground::Ground;
use super::search::{SearchResult, best_gamma};
use crate::bound::{Comparator, Measures, digits};
use crate::error::{Error, Message, Result, Wording};
use crate::spec::Spec;

/// Mistakes, and the bound on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MistakeBound {
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
    /// R, the largest norm of a row that counts.
    pub radius: Option<f64>,
    /// D = Σ max(0, γ − y u·x) over the trials that count: all, or the mistaken ones.
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
    /// R²/ρ² (times p − 1 for p-norms) for a u that tells all these rows apart with margin ρ, where one does: the
    /// classical bound.
    pub separable: Option<f64>,
    /// ρ, the largest margin in the theorem's norm of a u that was found to tell all rows apart.
    pub margin: Option<f64>,
}

impl MistakeBound {
    /// No bound, because of `reason`.
    pub fn without(mistakes: u64, reason: impl Into<Message>) -> MistakeBound {
        MistakeBound { mistakes, reason: Some(reason.into()), ..MistakeBound::default() }
    }

    /// All figures by their names, and the line of [`MistakeBound::worded`] as `text`.
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
            "separable": self.separable,
            "margin": self.margin,
            "text": self.worded(wording),
        })
    }

    /// It as a line, in the words of `wording`.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        match &self.reason {
            Some(reason) => format!("none: {}", reason.worded(wording)),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for MistakeBound {
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

impl MistakeBound {
    /// The least bound of what a search found; an error if there were more mistakes.
    pub(super) fn of(ground: &Ground<'_>, found: SearchResult, spec: &Spec, mistakes: u64) -> Result<MistakeBound> {
        let measured = found.finalists.into_iter().filter_map(|(name, u)| measure(ground, name, u));
        let Some(best) = measured.min_by(|a, b| a.bound.total_cmp(&b.bound)) else {
            return Ok(MistakeBound::without(mistakes, ground.theorem.unmet.clone()));
        };
        if mistakes as f64 > best.bound * (1.0 + 1e-9) {
            let Finalist { bound, theorem, .. } = best;
            let message = format!(
                "{mistakes} mistakes are more than the bound {bound} ({theorem}): this is a bug, please report it"
            );
            return Err(Error::data(&spec.to_string(), message));
        }
        let separator = found.separator.and_then(|u| separator(ground, &u));
        Ok(MistakeBound {
            margin: separator.map(|(margin, _)| margin),
            separable: separator.and_then(|(_, bound)| bound),
            ..best.told(ground, mistakes)
        })
    }
}

/// The margin ρ of a u that tells the rows apart, and R²/ρ² where the theorem has it.
fn separator(ground: &Ground<'_>, u: &Comparator) -> Option<(f64, Option<f64>)> {
    let margins = u.margins(ground)?;
    let measures = margins.at(margins.least(), ground.radius);
    let bound = ground.theorem.bound(&measures).map(|(bound, _)| bound);
    let bound = bound.filter(|_| ground.theorem.is_classical && measures.deviation == 0.0);
    (margins.least() > 0.0).then_some((margins.least(), bound))
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
    let gamma = best_gamma(ground, &RankedMargins::of(&margins.values, &margins.counts), 1.0)?.1;
    let measures = margins.at(gamma, ground.radius);
    let (bound, form) = ground.theorem.bound(&measures)?;
    let comma = if form.is_empty() { "" } else { ", " };
    let theorem = format!("{}{comma}{form}", ground.theorem.name);
    let weights = u.unit_weights(&margins);
    Some(Finalist { bound, theorem, measures, name, weights })
}

impl Finalist {
    fn told(self, ground: &Ground<'_>, mistakes: u64) -> MistakeBound {
        let Measures { gamma, radius, deviation, spread, .. } = self.measures;
        // With margin 1 it is g = u/γ that the theorem speaks of.
        let scale = if ground.theorem.has_unit_margin { gamma } else { 1.0 };
        let eigenvalues = ground.theorem.eigenvalues;
        MistakeBound {
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
            ..MistakeBound::default()
        }
    }
}
