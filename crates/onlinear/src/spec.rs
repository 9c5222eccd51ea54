//! `name:key=value,key=value`: one line that names a learner and its parameters everywhere.

use std::fmt;
use std::str::FromStr;

use crate::algorithm::{Algorithm, Kind, Learns, Value};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::registry;
use crate::settings::{Settings, find_parameter};

/// A learner with all its parameters. Prints in canonical form: all keys, fixed order, shortest
/// numbers; what it prints parses to the same spec.
///
/// ```
/// use onlinear::Spec;
/// let spec: Spec = "perceptron:eta=0.50".parse()?;
/// assert!(spec.to_string().starts_with("perceptron:rate=0.5,kernel=linear,"));
/// assert!("perceptron:rate=-1".parse::<Spec>().is_err());
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spec {
    algorithm: &'static Algorithm,
    settings: Settings,
    /// The learner that this one is made of, if it has a parameter for it.
    base: Option<Box<Spec>>,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        std::ptr::eq(self.algorithm, other.algorithm) && self.settings == other.settings && self.base == other.base
    }
}

impl Spec {
    /// `algorithm` with its defaults.
    pub fn of(algorithm: &'static Algorithm) -> Spec {
        let settings = Settings::defaults(algorithm.name, algorithm.parameters);
        let of = |name| Box::new(Spec::of(registry::find(name).expect("a default is on the list")));
        let base = base_name(&settings).map(of);
        Spec { algorithm, settings, base }
    }

    /// The learner that this one is made of, if it is made of another.
    pub fn base(&self) -> Option<&Spec> {
        self.base.as_deref()
    }

    /// Whether it learns from all rows at once and not trial by trial.
    pub fn is_batch(&self) -> bool {
        self.algorithm.learns == Learns::AllAtOnce
    }

    /// The declaration of the learner named.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// The values, in the order of the declared parameters.
    pub fn values(&self) -> &[Value] {
        self.settings.values()
    }

    /// A fresh learner.
    pub fn learner(&self) -> Box<dyn Learner> {
        (self.algorithm.new)(self).expect("the parameters were found to go together when the spec was made")
    }

    /// The parameter `key`, if the learner has it.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.settings.get(key)
    }

    /// The number `key`. For a learner's own constructor: the key must be declared as a number.
    pub fn number(&self, key: &str) -> f64 {
        self.settings.number(key)
    }

    /// The whole number `key`. For a learner's own constructor: the key must be declared as one.
    pub fn whole(&self, key: &str) -> u64 {
        self.settings.whole(key)
    }

    /// The flag `key`. For a learner's own constructor: the key must be declared as a flag.
    pub fn flag(&self, key: &str) -> bool {
        self.settings.flag(key)
    }

    /// The word `key`. For a learner's own constructor: the key must be declared as a choice.
    pub fn choice(&self, key: &str) -> &'static str {
        self.settings.choice(key)
    }

    /// The spec `text` with other values for some keys; keys that it has are replaced.
    ///
    /// ```
    /// use onlinear::Spec;
    /// let spec = Spec::varied("adaboost:base.epochs=5,seed=2", &[("base.epochs", "7"), ("rounds", "3")])?;
    /// assert_eq!(spec, "adaboost:base.epochs=7,rounds=3,seed=2".parse()?);
    /// # Ok::<(), onlinear::Error>(())
    /// ```
    pub fn varied(text: &str, changes: &[(&str, &str)]) -> Result<Spec> {
        let spec: Spec = text.parse()?;
        let changed: Vec<String> = changes.iter().map(|(key, _)| spec.full_key(key)).collect();
        let (name, settings) = Settings::split(text);
        let kept = settings.into_iter().flat_map(|text| text.split(',')).filter(|setting| {
            let key = spec.full_key(setting.split('=').next().unwrap_or(setting));
            // What is said of a learner within goes with that learner.
            !changed.iter().any(|other| {
                *other == key || key.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('.'))
            })
        });
        let kept: Vec<String> =
            kept.map(str::to_string).chain(changes.iter().map(|(key, value)| format!("{key}={value}"))).collect();
        format!("{name}:{}", kept.join(",")).parse()
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

    /// The norm of this learner, in which rows can be brought to length 1: its own p, if it has one.
    pub fn own_norm(&self) -> Option<f64> {
        match self.get("p") {
            Some(Value::Number(p)) => Some(p),
            _ => None,
        }
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Spec> {
        let (name, settings) = Settings::split(text);
        let algorithm = registry::find(name)?;
        let base_parameter = algorithm.parameters.iter().find(|p| matches!(p.kind, Kind::Learner));
        let (inner, outer) = match base_parameter {
            Some(parameter) => split_inner(settings, parameter.name),
            None => (Vec::new(), settings.map(str::to_string)),
        };
        let settings = Settings::read(algorithm.name, algorithm.parameters, outer.as_deref())?;
        let base = match base_name(&settings) {
            Some(name) if inner.is_empty() => Some(name.parse::<Spec>()),
            Some(name) => Some(format!("{name}:{}", inner.join(",")).parse()),
            None => None,
        };
        let about_base = |error| settings.refused(format!("{}: {error}", base_parameter.map_or("", |p| p.name)));
        let base = base.transpose().map_err(about_base)?.map(Box::new);
        let spec = Spec { algorithm, settings, base };
        match (algorithm.new)(&spec) {
            Ok(_) => Ok(spec),
            Err(reason) => Err(spec.settings.refused(reason)),
        }
    }
}

/// The learner that a parameter names.
fn base_name(settings: &Settings) -> Option<&'static str> {
    settings.pairs().find_map(|(parameter, value)| match (parameter.kind, value) {
        (Kind::Learner, Value::Choice(name)) => Some(name),
        _ => None,
    })
}

/// The settings with `name.` in front, without it, and the others.
fn split_inner<'a>(settings: Option<&'a str>, name: &str) -> (Vec<&'a str>, Option<String>) {
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    for setting in settings.into_iter().flat_map(|text| text.split(',')) {
        match setting.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) {
            Some(rest) => inner.push(rest),
            None => outer.push(setting),
        }
    }
    let outer = (!outer.is_empty()).then(|| outer.join(","));
    (inner, outer)
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.name)?;
        for (i, (key, value)) in self.settings_in_full().iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl Spec {
    /// All keys with their values, those of the learner within it too.
    fn settings_in_full(&self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        for (parameter, value) in self.settings.pairs() {
            all.push((parameter.name.to_string(), value));
            if let (Kind::Learner, Some(base)) = (parameter.kind, &self.base) {
                let inner = base.settings_in_full();
                all.extend(inner.into_iter().map(|(key, value)| (format!("{}.{key}", parameter.name), value)));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ALGORITHMS;

    #[test]
    fn every_learner_reads_back_from_what_it_prints() {
        for algorithm in ALGORITHMS {
            let spec = Spec::of(algorithm);
            assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
            assert_eq!(algorithm.name.parse::<Spec>().unwrap(), spec);
        }
        let spec: Spec = "passive-aggressive:c=0.25".parse().unwrap();
        let kernel = "kernel=linear,degree=2,offset=1,sigma2=1,cosine=false";
        assert_eq!(spec.to_string(), format!("passive-aggressive:variant=pa1,aggressiveness=0.25,{kernel}"));
        let gamma: Spec = "perceptron:kernel=gaussian,gamma=0.05".parse().unwrap();
        assert_eq!(gamma.number("sigma2"), 10.0);
        assert_eq!((spec.choice("variant"), spec.number("aggressiveness")), ("pa1", 0.25));
    }

    #[test]
    fn errors_name_the_offender() {
        for (text, message) in [
            ("perceptron:rate=-1", "perceptron: rate=-1 is out of range; expected a number > 0"),
            (
                "perceptron:rat=1",
                "perceptron: no parameter 'rat'; it has rate, kernel, degree, offset, sigma2, cosine; did you mean 'rate'?",
            ),
            (
                "passive-aggressive:variant=pa3",
                "passive-aggressive: variant=pa3 is not one of pa, pa1, pa2; did you mean 'pa'?",
            ),
        ] {
            assert_eq!(text.parse::<Spec>().unwrap_err().to_string(), message);
        }
        assert!("perceptrn".parse::<Spec>().unwrap_err().to_string().ends_with("did you mean 'perceptron'?"));
    }

    #[test]
    fn a_learner_within_a_learner_is_reached_with_a_dot() {
        let kernel = "kernel=linear,degree=2,offset=1,sigma2=1,cosine=false";
        let inner_kernel = kernel.split(',').map(|setting| format!("base.{setting}")).collect::<Vec<_>>().join(",");
        let rest = "rounds=200,weighting=reweight,passes=10,seed=1";
        for (text, canonical) in [
            ("adaboost:base=fld", format!("adaboost:base=fld,{rest}")),
            (
                "adaboost:seed=3,base.eta=0.50,base=perceptron",
                format!("adaboost:base=perceptron,base.rate=0.5,{inner_kernel},rounds=200,weighting=reweight,passes=10,seed=3"),
            ),
            (
                "adaboost:base=adaboost,base.base=fld,base.rounds=5,rounds=7",
                "adaboost:base=adaboost,base.base=fld,base.rounds=5,base.weighting=reweight,base.passes=10,base.seed=1,\
                 rounds=7,weighting=reweight,passes=10,seed=1"
                    .to_string(),
            ),
            (
                "adaboost:base=adaboost,base.base=perceptron,base.base.rate=2",
                format!(
                    "adaboost:base=adaboost,base.base=perceptron,base.base.rate=2,{},{},{rest}",
                    inner_kernel.replace("base.", "base.base."),
                    rest.split(',').map(|setting| format!("base.{setting}")).collect::<Vec<_>>().join(","),
                ),
            ),
        ] {
            let spec: Spec = text.parse().unwrap();
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(canonical.parse::<Spec>().unwrap(), spec);
        }
        let spec: Spec = "adaboost:base=perceptron,base.rate=0.5".parse().unwrap();
        assert_eq!(spec.base().unwrap(), &"perceptron:rate=0.5".parse::<Spec>().unwrap());
        assert_ne!(spec, "adaboost:base=perceptron".parse().unwrap());
        assert!("adaboost:base=voted,weighting=resample".parse::<Spec>().is_ok());
    }

    #[test]
    fn some_settings_vary() {
        for (text, changes, expected) in [
            ("svm", &[("c", "2")][..], "svm:cost=2"),
            ("svm:cost=5", &[("c", "2")], "svm:cost=2"),
            ("passive-aggressive:c=5,variant=pa2", &[("aggressiveness", "2")], "passive-aggressive:c=2,variant=pa2"),
            ("perceptron:kernel=gaussian,sigma2=4", &[("gamma", "0.5")], "perceptron:kernel=gaussian,sigma2=1"),
            ("adaboost:base=perceptron,base.eta=2", &[("base.rate", "3")], "adaboost:base=perceptron,base.rate=3"),
            ("adaboost:base=perceptron,base.eta=2", &[("base", "fld")], "adaboost:base=fld"),
            ("projectron", &[("u", "20")], "projectron:norm-bound=20"),
        ] {
            assert_eq!(Spec::varied(text, changes).unwrap(), expected.parse().unwrap(), "{text}");
        }
        let error = Spec::varied("svm", &[("cots", "1")]).unwrap_err().to_string();
        assert!(error.starts_with("svm: no parameter 'cots'") && error.ends_with("did you mean 'cost'?"), "{error}");
    }

    #[test]
    fn errors_within_a_learner_name_both() {
        let has = "it has base, rounds, weighting, passes, seed";
        let unweighted = "does not take sample weights as it is set up; expected weighting=resample";
        for (text, message) in [
            (
                "adaboost:base=perceptron,base.rate=0",
                "adaboost: base: perceptron: rate=0 is out of range; expected a number > 0".to_string(),
            ),
            (
                "adaboost:base=fld,base.rate=1",
                "adaboost: base: fld: no parameter 'rate'; it has no parameters".to_string(),
            ),
            (
                "adaboost:base=perceptron,base.rate=1,base.eta=1",
                "adaboost: base: perceptron: 'rate' is given twice".to_string(),
            ),
            ("adaboost:base=fld,base=fld", "adaboost: 'base' is given twice".to_string()),
            ("adaboost:round=3", format!("adaboost: no parameter 'round'; {has}; did you mean 'rounds'?")),
            ("adaboost:bas.rate=3", format!("adaboost: no parameter 'bas.rate'; {has}; did you mean 'base'?")),
            ("adaboost:", "adaboost: '' is not of the form key=value".to_string()),
            ("adaboost:base=voted", format!("adaboost: base=voted {unweighted}")),
            (
                "adaboost:base=passive-aggressive,base.variant=pa",
                format!("adaboost: base=passive-aggressive {unweighted}"),
            ),
            ("adaboost:base=adaboost,base.base=romma", format!("adaboost: base: adaboost: base=romma {unweighted}")),
        ] {
            assert_eq!(text.parse::<Spec>().unwrap_err().to_string(), message);
        }
        let unknown = "adaboost:base=perceptrn".parse::<Spec>().unwrap_err().to_string();
        assert!(
            unknown.starts_with("adaboost: base=perceptrn is wrong: no learner is called 'perceptrn'"),
            "{unknown}"
        );
        assert!(unknown.ends_with("did you mean 'perceptron'?"), "{unknown}");
    }
}
