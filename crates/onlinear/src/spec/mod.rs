//! `name:key=value,key=value`: how learners, stages and artificial sets declare what they take, and the one line
//! that names a learner and its parameters everywhere.

mod algorithm;
mod any;
mod declaration;
pub(crate) mod kernel;
mod parameter;
mod settings;
mod suggest;

pub use algorithm::{Algorithm, Learns};
pub(crate) use algorithm::{Charges, New, PythonClass};
pub use any::AnyLearner;
pub(crate) use declaration::{
    Declaration, Parameters, SEED, choice, flag, learner, number, number_or, parameters, whole,
};
pub(crate) use kernel::WIDTH;
pub(crate) use parameter::shortest;
pub use parameter::{Kind, Parameter, Range, Value};
pub use settings::Settings;
pub use suggest::did_you_mean;

use std::fmt;
use std::ops::Deref;

use crate::error::{Error, Result};
use crate::learner::{Direct, FitsAll, Learner};
pub(crate) use settings::find_parameter;

/// A learner with all its parameters. Prints in canonical form: all keys, fixed order, shortest
/// numbers; what it prints parses to the same spec.
///
/// ```
/// use onlinear::Spec;
/// let spec: Spec = "perceptron:eta=0.50".parse()?;
/// assert!(spec.to_string().starts_with("perceptron:rate=0.5,"));
/// assert!("perceptron:rate=-1".parse::<Spec>().is_err());
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spec {
    algorithm: &'static Algorithm,
    settings: Settings,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        std::ptr::eq(self.algorithm, other.algorithm) && self.settings == other.settings
    }
}

/// The settings: `spec.get("rate")`.
impl Deref for Spec {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl Spec {
    /// `algorithm` with its defaults.
    pub fn of(algorithm: &'static Algorithm) -> Spec {
        Spec { algorithm, settings: Settings::defaults(algorithm.name, algorithm.parameters) }
    }

    /// `algorithm` with these settings, or why they do not go together.
    pub(crate) fn with(algorithm: &'static Algorithm, settings: Settings) -> std::result::Result<Spec, String> {
        AnyLearner::new(algorithm.new, &settings).map(|_| Spec { algorithm, settings })
    }

    /// Whether it learns from all rows at once and not trial by trial.
    pub fn is_batch(&self) -> bool {
        self.algorithm.learns() == Learns::AllAtOnce
    }

    /// The declaration of the learner named.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Whether it takes sample weights.
    pub fn takes_weights(&self) -> bool {
        (self.algorithm.takes_weights)(&self.settings)
    }

    /// Whether it draws the row of each of its trials.
    pub fn draws_trials(&self) -> bool {
        (self.algorithm.draws_trials)(&self.settings)
    }

    /// Whether it must know the number of features before the first trial.
    pub fn needs_feature_count(&self) -> bool {
        (self.algorithm.needs_feature_count)(&self.settings)
    }

    /// The same with this number for a width that rows had to tell.
    pub(crate) fn with_width(&self, sigma2: f64) -> Spec {
        let mut spec = self.clone();
        spec.settings.settle_width(sigma2);
        spec
    }

    /// A fresh learner of two classes.
    pub fn learner(&self) -> AnyLearner {
        let learner = AnyLearner::new(self.algorithm.new, &self.settings);
        learner.expect("the parameters were found to go together when the spec was made")
    }

    /// A fresh learner that tells so many classes apart at once, if the parameters ask for one.
    pub fn direct(&self, classes: usize) -> Option<Box<dyn Direct>> {
        (self.algorithm.direct)(&self.settings, classes)
    }

    /// Whether it tells all classes apart at once.
    pub fn is_direct(&self) -> bool {
        self.direct(2).is_some()
    }

    /// A fresh learner that learns trial by trial; an error if it learns from all rows at once.
    pub fn online(&self) -> Result<Box<dyn Learner>> {
        if self.waits_for_width() {
            return Err(Error::usage(format!("{}: sigma2=auto is told by rows; expected a number", self.name())));
        }
        match self.learner() {
            AnyLearner::Online(learner) => Ok(learner),
            AnyLearner::FitsAll(_) => Err(Error::usage(format!("{} learns from all rows at once", self.name()))),
        }
    }

    /// A fresh learner that learns from all rows at once; an error if it learns trial by trial.
    pub fn fits_all(&self) -> Result<Box<dyn FitsAll>> {
        match self.learner() {
            AnyLearner::Online(_) => Err(Error::usage(format!("{} learns trial by trial", self.name()))),
            AnyLearner::FitsAll(learner) => Ok(learner),
        }
    }

    /// A key by its name, where `key` is an alias, also within the learner that this one is made of.
    pub fn full_key(&self, key: &str) -> String {
        let inner = key.split_once('.').zip(self.base());
        match (find_parameter(self.algorithm.parameters, key), inner) {
            (Some((_, parameter)), _) => parameter.name.to_string(),
            (None, Some(((outer, rest), base))) => format!("{outer}.{}", base.full_key(rest)),
            (None, None) => key.to_string(),
        }
    }

    /// The shortest text that names the same learner: without the settings that it has by itself.
    pub fn brief(&self) -> String {
        let text = self.to_string();
        let Some((name, settings)) = text.split_once(':') else { return text };
        let joined = |settings: &[&str]| match settings {
            [] => name.to_string(),
            settings => format!("{name}:{}", settings.join(",")),
        };
        let mut kept: Vec<&str> = settings.split(',').collect();
        for i in (0..kept.len()).rev() {
            let fewer = [&kept[..i], &kept[i + 1..]].concat();
            if joined(&fewer).parse::<Spec>().is_ok_and(|spec| spec == *self) {
                kept = fewer;
            }
        }
        joined(&kept)
    }

    /// The norm in which the learner, or the one that it is made of, measures rows: its own p, if it has one.
    pub fn own_norm(&self) -> Option<f64> {
        match self.get("p") {
            Some(Value::Number(p)) => Some(p),
            _ => self.base().and_then(Spec::own_norm),
        }
    }
}
