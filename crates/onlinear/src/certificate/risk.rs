//! How often a run's hypotheses are wrong on new rows: what one pass tells with confidence.
//!
//! Rows drawn independently from one source, one pass, T trials with M mistakes: each trial tests the hypothesis before
//! it on a row that it has not seen. With probability at least 1 − δ the mean risk of f₀ … f_{T−1} is at most
//!
//! M/T + √((2/T) ln(1/δ))                                       Cesa-Bianchi, Conconi and Gentile (2004)
//!
//! M/T + (36/T) ln((M+3)/δ) + 2√((M/T²) ln((M+3)/δ))            Cesa-Bianchi and Gentile (2005), Bernstein's form
//!
//! whatever the learner. The smaller of the two is told; that one of them may fail where the other holds is paid for
//! by asking more of each: δ is shared between them, nearly all of it for the first.

use serde_json::json;

use crate::error::{Message, Wording};

/// A bound on the mean risk of a run's hypotheses, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Risk {
    /// 1 − δ.
    pub confidence: f64,
    /// T.
    pub trials: u64,
    /// M, trials whose class was not the one predicted.
    pub mistakes: u64,
    /// The bound and the form it is of, or why there is none.
    pub bound: Result<(f64, &'static str), Message>,
}

impl Risk {
    /// 1 − δ, where nobody says.
    pub const CONFIDENCE: f64 = 0.95;

    /// What it assumes.
    pub const ASSUMES: &'static str = "rows drawn independently from one source, met once; of a hypothesis drawn from \
                                       the run's at random, not of their average, nor of the last";

    /// The share of δ that Bernstein's form gets, where it matters little.
    const SHARP: f64 = 0.01;

    /// Of one pass.
    pub fn of(trials: u64, mistakes: u64, confidence: f64) -> Risk {
        let (t, m, delta) = (trials as f64, mistakes as f64, 1.0 - confidence);
        let plain = m / t + (2.0 / t * libm::log(1.0 / ((1.0 - Risk::SHARP) * delta))).sqrt();
        let log = libm::log((m + 3.0) / (Risk::SHARP * delta));
        let sharp = m / t + 36.0 / t * log + 2.0 * (m / (t * t) * log).sqrt();
        let (bound, form) = if sharp < plain { (sharp, "Bernstein") } else { (plain, "Hoeffding") };
        let bound = if trials == 0 { Err("there were no trials".into()) } else { Ok((bound.min(1.0), form)) };
        Risk { confidence, trials, mistakes, bound }
    }

    /// None, because of `reason`.
    pub fn without(trials: u64, mistakes: u64, confidence: f64, reason: impl Into<Message>) -> Risk {
        Risk { bound: Err(reason.into()), ..Risk::of(trials, mistakes, confidence) }
    }

    pub(super) fn to_json(&self, wording: &dyn Wording) -> serde_json::Value {
        let bound = self.bound.as_ref().ok();
        json!({
            "confidence": self.confidence,
            "bound": bound.map(|bound| bound.0),
            "form": bound.map(|bound| bound.1),
            "trials": self.trials,
            "mistakes": self.mistakes,
            "reason": self.bound.as_ref().err().map(|reason| reason.worded(wording)),
            "assumes": Risk::ASSUMES,
        })
    }

    /// It as a line.
    pub(super) fn worded(&self, wording: &dyn Wording) -> String {
        match &self.bound {
            Ok((bound, _)) => {
                format!("≤ {:.2} % with confidence {} %, on average over the run's hypotheses", 100.0 * bound, {
                    super::digits(100.0 * self.confidence)
                })
            }
            Err(reason) => format!("none: {}", reason.worded(wording)),
        }
    }
}
