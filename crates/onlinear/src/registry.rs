//! The list of all learners, and how a spec finds its learner in it. Adding one means adding its file and its
//! line here.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::spec::{Algorithm, Kind, Settings, Spec, did_you_mean};
use crate::{batch, budget, ensemble, online};

/// Every learner, in the order in which lists show them.
pub static ALGORITHMS: &[&Algorithm] = &[
    &online::perceptron::ALGORITHM,
    &online::averaged::ALGORITHM,
    &online::voted::ALGORITHM,
    &online::passive_aggressive::ALGORITHM,
    &online::arow::ALGORITHM,
    &online::scw::ALGORITHM,
    &online::romma::ALGORITHM,
    &online::alma::ALGORITHM,
    &online::winnow::ALGORITHM,
    &online::p_norm::ALGORITHM,
    &online::second_order::ALGORITHM,
    &online::whitened::ALGORITHM,
    &online::higher_order::ALGORITHM,
    &budget::projectron::ALGORITHM,
    &budget::projectron_plus_plus::ALGORITHM,
    &budget::forgetron::ALGORITHM,
    &budget::rbp::ALGORITHM,
    &budget::stoptron::ALGORITHM,
    &budget::bpa::ALGORITHM,
    &ensemble::selective::ALGORITHM,
    &batch::rcd::RCD,
    &batch::rcd::RCD_BIAS,
    &batch::rcd::RCD_CONJ,
    &batch::rcd::RCD_CONJ_BIAS,
    &batch::rcd::RCD_GRAD,
    &batch::rcd::CCD,
    &batch::pocket::ALGORITHM,
    &batch::averaged_sampled::ALGORITHM,
    &batch::sgd::ALGORITHM,
    &batch::fld::ALGORITHM,
    &batch::svm::ALGORITHM,
    &ensemble::adaboost::ALGORITHM,
];

/// A longer text is no spec.
const LONGEST_SPEC: usize = 1 << 16;
/// The learner that another is made of may be made of one in turn, and so on: so many in all.
const MOST_LEVELS: usize = 8;

impl Algorithm {
    /// The learner called `name`.
    pub fn named(name: &str) -> Result<&'static Algorithm> {
        let called = |a: &'static Algorithm| std::iter::once(a.name).chain(a.aliases.iter().copied());
        let is_meant = |a: &&&'static Algorithm| called(a).any(|known| known.eq_ignore_ascii_case(name));
        ALGORITHMS.iter().find(is_meant).copied().ok_or_else(|| {
            let names: Vec<&str> = ALGORITHMS.iter().map(|a| a.name).collect();
            let all: Vec<&str> = ALGORITHMS.iter().flat_map(|a| called(a)).collect();
            let near = did_you_mean(name, &all);
            Error::usage(format!("no learner is called '{name}'; there are {}{near}", names.join(", ")))
        })
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Spec> {
        if text.len() > LONGEST_SPEC {
            return Err(Error::usage(format!("a spec of {} bytes is too long; at most {LONGEST_SPEC}", text.len())));
        }
        at_level(text, 1)
    }
}

/// The learner of `text`, which is within so many others, and itself.
fn at_level(text: &str, level: usize) -> Result<Spec> {
    if level > MOST_LEVELS {
        return Err(Error::usage(format!("learners are within learners at more than {MOST_LEVELS} levels")));
    }
    let (name, settings) = Settings::split(text);
    let algorithm = Algorithm::named(name)?;
    let mut within = Within::default();
    let settings = match base_key(algorithm) {
        Some(key) => within.take(key, settings),
        None => settings.map(str::to_string),
    };
    let mut settings = Settings::read(algorithm.name, algorithm.parameters, settings.as_deref())?;
    if let Some(key) = base_key(algorithm) {
        within.add_to(&mut settings, key, level)?;
    }
    Spec::with(algorithm, settings.clone()).map_err(|reason| settings.refused(reason))
}

/// The key under which a learner names the one that it is made of.
fn base_key(algorithm: &Algorithm) -> Option<&'static str> {
    algorithm.parameters.iter().find(|p| matches!(p.kind, Kind::Learner(_))).map(|p| p.name)
}

/// What a spec says of the learner within it.
#[derive(Default)]
struct Within<'a> {
    /// Its name, as often as it is given.
    names: Vec<&'a str>,
    /// Its own settings.
    settings: Vec<&'a str>,
}

impl<'a> Within<'a> {
    /// Takes the settings `key=…` and `key.…` out; gives the others.
    fn take(&mut self, key: &str, settings: Option<&'a str>) -> Option<String> {
        let mut others = Vec::new();
        for setting in settings.into_iter().flat_map(|text| text.split(',')) {
            let named = setting.split_at_checked(key.len()).filter(|(name, _)| name.eq_ignore_ascii_case(key));
            match named.and_then(|(_, rest)| rest.split_at_checked(1)) {
                Some((".", own)) => self.settings.push(own),
                Some(("=", name)) => self.names.push(name),
                _ => others.push(setting),
            }
        }
        (!others.is_empty()).then(|| others.join(","))
    }

    /// Puts the learner within into the settings of the one around it.
    fn add_to(&self, settings: &mut Settings, key: &str, level: usize) -> Result<()> {
        let default = settings.base().map_or("", |base| base.algorithm().name);
        let name = match self.names[..] {
            [] => default,
            [name] => {
                Algorithm::named(name)
                    .map_err(|error| settings.refused(format!("{key}={name} is wrong: {error}")))?
                    .name
            }
            _ => return Err(settings.refused(format!("'{key}' is given twice"))),
        };
        let text = match self.settings[..] {
            [] => name.to_string(),
            _ => format!("{name}:{}", self.settings.join(",")),
        };
        let base = at_level(&text, level + 1).map_err(|error| settings.refused(format!("{key}: {error}")))?;
        if base.is_direct() {
            let learns = "multiclass=direct tells all classes apart at once, and a base tells two";
            return Err(settings.refused(format!("{key}: {name}: {learns}; expected multiclass=rest")));
        }
        settings.set_base(base);
        Ok(())
    }
}

impl Spec {
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
        format!("{name}:{}", kept.join(",")).trim_end_matches(':').parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_reads_back_from_what_it_prints() {
        for algorithm in ALGORITHMS {
            let spec = Spec::of(algorithm);
            assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
            assert_eq!(algorithm.name.parse::<Spec>().unwrap(), spec);
        }
        let same = ["Perceptron:KERNEL=rbf,Gamma=2", "perceptron:kernel=gaussian,sigma2=0.25"];
        assert_eq!(same[0].parse::<Spec>().unwrap(), same[1].parse::<Spec>().unwrap());
        let same =
            ["ADABOOST:Base=PA,weighting=resample-once", "adaboost:base=passive-aggressive,weighting=resample-once"];
        assert_eq!(same[0].parse::<Spec>().unwrap(), same[1].parse::<Spec>().unwrap());
        assert_eq!("pa".parse::<Spec>().unwrap().brief(), "passive-aggressive");
        assert_eq!("pa:C=0.1".parse::<Spec>().unwrap().brief(), "passive-aggressive:aggressiveness=0.1");
        let spec: Spec = "passive-aggressive:c=0.25".parse().unwrap();
        let rest = "output=last,multiclass=rest,kernel=linear,degree=2,offset=1,sigma2=1,cosine=false";
        assert_eq!(spec.to_string(), format!("passive-aggressive:variant=pa1,aggressiveness=0.25,{rest}"));
        assert_eq!("perceptron".parse::<Spec>().unwrap().to_string(), format!("perceptron:rate=1,{rest}"));
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
                "perceptron: no parameter 'rat'; it has rate, output, multiclass, kernel, degree, offset, sigma2, \
                 cosine; did you mean 'rate'?",
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
        let of_base = "output=last,multiclass=rest,kernel=linear,degree=2,offset=1,sigma2=1,cosine=false";
        let inner_rest = of_base.split(',').map(|setting| format!("base.{setting}")).collect::<Vec<_>>().join(",");
        let rest = "rounds=200,weighting=reweight,passes=10,seed=1";
        for (text, canonical) in [
            ("adaboost:base=fld", format!("adaboost:base=fld,{rest}")),
            (
                "adaboost:seed=3,base.eta=0.50,base=perceptron",
                format!(
                    "adaboost:base=perceptron,base.rate=0.5,{inner_rest},rounds=200,weighting=reweight,passes=10,\
                     seed=3"
                ),
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
                    inner_rest.replace("base.", "base.base."),
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
        assert!("adaboost:base=voted,weighting=resample-once".parse::<Spec>().is_ok());
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
        let unweighted = "does not take sample weights as it is set up; expected weighting=resample-once";
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
