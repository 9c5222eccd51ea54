//! `name:key=value,key=value`: a name with the values of its declared parameters. Learners and
//! artificial sets are both written so.

use std::fmt;

use super::parameter::{Kind, Parameter, Value};
use super::suggest::did_you_mean;
use super::{Spec, kernel};
use crate::error::{Error, Result};

/// The parameter called `key`, or with `key` as an alias, and its place.
pub(crate) fn find_parameter(parameters: &'static [Parameter], key: &str) -> Option<(usize, &'static Parameter)> {
    parameters.iter().enumerate().find(|(_, parameter)| parameter.is_called(key))
}

/// A name and a value for each of its parameters. Prints in canonical form: all keys, fixed order,
/// shortest numbers.
#[derive(Clone, Debug)]
pub struct Settings {
    name: &'static str,
    parameters: &'static [Parameter],
    values: Vec<Value>,
    /// The learner that one of them names.
    base: Option<Box<Spec>>,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Settings) -> bool {
        self.name == other.name && self.values == other.values && self.base == other.base
    }
}

impl Settings {
    /// The name and what follows the colon, if there is one.
    pub(crate) fn split(text: &str) -> (&str, Option<&str>) {
        text.split_once(':').map_or((text, None), |(name, settings)| (name, Some(settings)))
    }

    /// `name` with the defaults of its parameters.
    pub(crate) fn defaults(name: &'static str, parameters: &'static [Parameter]) -> Settings {
        let base = parameters.iter().find_map(|parameter| match parameter.kind {
            Kind::Learner(algorithm) => Some(Box::new(Spec::of(algorithm))),
            _ => None,
        });
        Settings { name, parameters, values: parameters.iter().map(|p| p.default).collect(), base }
    }

    /// The learner that this one is made of, if it is made of another.
    pub fn base(&self) -> Option<&Spec> {
        self.base.as_deref()
    }

    /// Puts another learner in the place of the one that this one is made of.
    pub(crate) fn set_base(&mut self, base: Spec) {
        if let Some(place) = self.parameters.iter().position(|p| matches!(p.kind, Kind::Learner(_))) {
            self.values[place] = Value::Choice(base.algorithm().name);
            self.base = Some(Box::new(base));
        }
    }

    /// All keys with their values, those of the learner within too.
    fn in_full(&self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        for (parameter, value) in self.pairs() {
            all.push((parameter.name.to_string(), value));
            if let (Kind::Learner(_), Some(base)) = (parameter.kind, &self.base) {
                all.extend(base.in_full().into_iter().map(|(key, value)| (format!("{}.{key}", parameter.name), value)));
            }
        }
        all
    }

    /// `name` with the settings of `text`, the part behind the colon, and defaults for the rest.
    pub(crate) fn read(name: &'static str, parameters: &'static [Parameter], text: Option<&str>) -> Result<Settings> {
        let mut settings = Settings::defaults(name, parameters);
        let mut given = vec![false; parameters.len()];
        for setting in text.into_iter().flat_map(|text| text.split(',')) {
            let (place, value) = settings.parse_one(setting)?;
            if std::mem::replace(&mut given[place], true) {
                return Err(settings.refused(format!("'{}' is given twice", parameters[place].name)));
            }
            settings.values[place] = value;
        }
        Ok(settings)
    }

    fn parse_one(&self, setting: &str) -> Result<(usize, Value)> {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(self.refused(format!("'{setting}' is not of the form key=value")));
        };
        let Some((place, parameter)) = find_parameter(self.parameters, key) else {
            let keys: Vec<&str> = self.parameters.iter().map(|p| p.name).collect();
            let known = if keys.is_empty() {
                "it has no parameters".to_string()
            } else {
                format!("it has {}", keys.join(", "))
            };
            let names: Vec<&str> =
                self.parameters.iter().flat_map(|p| [p.name].into_iter().chain(p.aliases.iter().copied())).collect();
            return Err(self.refused(format!("no parameter '{key}'; {known}{}", did_you_mean(key, &names))));
        };
        match parameter.parse(key, value) {
            Ok(value) => Ok((place, value)),
            Err(reason) => Err(self.refused(format!("{key}={value} {reason}"))),
        }
    }

    /// The error that these settings are wrong, for `reason`.
    pub(crate) fn refused(&self, reason: impl fmt::Display) -> Error {
        Error::usage(format!("{}: {reason}", self.name))
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parameters with their values, in the order in which they are declared.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static Parameter, Value)> {
        self.parameters.iter().zip(self.values.iter().copied())
    }

    /// The values, in the order of the declared parameters.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The parameter `key`, if there is one.
    pub fn get(&self, key: &str) -> Option<Value> {
        let place = self.parameters.iter().position(|p| p.name == key)?;
        Some(self.values[place])
    }

    /// Whether a width that rows have yet to tell matters: that of a kernel is for the Gaussian one.
    pub(crate) fn waits_for_width(&self) -> bool {
        let waits = self.pairs().any(|(p, value)| matches!(p.kind, Kind::Width) && value == Value::Choice(Kind::FOUND));
        waits && kernel::has_width(self) || self.base().is_some_and(|base| base.waits_for_width())
    }

    /// Puts this number for a width that rows had to tell, here and in the learner within.
    pub(crate) fn settle_width(&mut self, sigma2: f64) {
        for (parameter, value) in self.parameters.iter().zip(&mut self.values) {
            if matches!(parameter.kind, Kind::Width) && *value == Value::Choice(Kind::FOUND) {
                *value = Value::Number(sigma2);
            }
        }
        if let Some(base) = &mut self.base {
            base.settings.settle_width(sigma2);
        }
    }

    /// The number `key`. For the code beside the declaration: the key must be declared as a number.
    pub fn number(&self, key: &str) -> f64 {
        match self.get(key) {
            Some(Value::Number(number)) => number,
            other => unreachable!("{} declares no number '{key}' ({other:?})", self.name),
        }
    }

    /// The whole number `key`. For the code beside the declaration: the key must be declared as one.
    pub fn whole(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(Value::Whole(number)) => number,
            _ => self.number(key) as u64,
        }
    }

    /// The flag `key`. For the code beside the declaration: the key must be declared as a flag.
    pub fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            Some(Value::Flag(flag)) => flag,
            other => unreachable!("{} declares no flag '{key}' ({other:?})", self.name),
        }
    }

    /// The word `key`. For the code beside the declaration: the key must be declared as a choice.
    pub fn choice(&self, key: &str) -> &'static str {
        match self.get(key) {
            Some(Value::Choice(word)) => word,
            other => unreachable!("{} declares no choice '{key}' ({other:?})", self.name),
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for (i, (key, value)) in self.in_full().iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parameter::Range;
    use super::*;

    static PARAMETERS: &[Parameter] = &[
        Parameter {
            name: "rate",
            aliases: &["eta"],
            kind: Kind::Number(Range::POSITIVE),
            synonyms: &[],
            default: Value::Number(1.0),
            help: "",
        },
        Parameter {
            name: "budget",
            aliases: &[],
            kind: Kind::Integer { low: 1, high: Kind::LARGEST_INTEGER },
            synonyms: &[],
            default: Value::Number(1000.0),
            help: "",
        },
        Parameter {
            name: "sparse",
            aliases: &[],
            kind: Kind::Flag,
            synonyms: &[],
            default: Value::Flag(false),
            help: "",
        },
        Parameter {
            name: "order",
            aliases: &[],
            kind: Kind::Choice(&["fixed", "random"]),
            synonyms: &[("shuffled", "random")],
            default: Value::Choice("fixed"),
            help: "",
        },
        Parameter {
            name: "radius",
            aliases: &[],
            kind: Kind::NumberOr(Range::POSITIVE, "auto"),
            synonyms: &[],
            default: Value::Choice("auto"),
            help: "",
        },
        Parameter {
            name: "seed",
            aliases: &[],
            kind: Kind::Integer { low: 0, high: u64::MAX },
            synonyms: &[],
            default: Value::Number(1.0),
            help: "",
        },
    ];

    fn read(text: &str) -> Result<Settings> {
        Settings::read("thing", PARAMETERS, Settings::split(text).1)
    }

    #[test]
    fn canonical_form_reads_back() {
        for text in [
            "thing",
            "thing:eta=0.50,order=random",
            "thing:budget=1e3,sparse=true",
            "thing:rate=1e300,budget=12.0",
            "thing:radius=2.50",
            "thing:radius=auto",
            "thing:seed=9007199254740993",
            "thing:seed=18446744073709551615",
            "thing:seed=1e19",
        ] {
            let settings = read(text).unwrap();
            let canonical = settings.to_string();
            assert_eq!(read(&canonical).unwrap(), settings, "{canonical}");
            assert_eq!(read(&canonical).unwrap().to_string(), canonical);
        }
        assert_eq!(
            read("thing:eta=0.50").unwrap().to_string(),
            "thing:rate=0.5,budget=1000,sparse=false,order=fixed,radius=auto,seed=1"
        );
        assert_eq!(read("thing:radius=2.50").unwrap().get("radius"), Some(Value::Number(2.5)));
        assert_eq!(read("thing:budget=25").unwrap().whole("budget"), 25);
        for seed in [0, (1 << 53) - 1, (1 << 53) + 1, u64::MAX - 1, u64::MAX] {
            assert_eq!(read(&format!("thing:seed={seed}")).unwrap().whole("seed"), seed);
        }
        assert_eq!(read("thing:seed=1.8446744073709552e19").unwrap().whole("seed"), u64::MAX);
        // Capitals do not matter, and synonyms print as what they stand for.
        assert_eq!(read("thing:ETA=0.5,Order=Shuffled").unwrap(), read("thing:rate=0.5,order=random").unwrap());
    }

    #[test]
    fn errors_name_the_offender() {
        for (text, message) in [
            ("thing:rate", "thing: 'rate' is not of the form key=value"),
            ("thing:", "thing: '' is not of the form key=value"),
            ("thing:rate=1,eta=2", "thing: 'rate' is given twice"),
            (
                "thing:buget=1",
                "thing: no parameter 'buget'; it has rate, budget, sparse, order, radius, seed; did you mean 'budget'?",
            ),
            (
                "thing:etta=1",
                "thing: no parameter 'etta'; it has rate, budget, sparse, order, radius, seed; did you mean 'eta'?",
            ),
            ("thing:rate=0", "thing: rate=0 is out of range; expected a number > 0"),
            ("thing:budget=0", "thing: budget=0 is out of range; expected a whole number >= 1"),
            ("thing:budget=1.5", "thing: budget=1.5 is not a whole number; expected a whole number >= 1"),
            ("thing:budget=many", "thing: budget=many is not a whole number; expected a whole number >= 1"),
            ("thing:budget=NaN", "thing: budget=NaN is not a whole number; expected a whole number >= 1"),
            (
                "thing:budget=1e300",
                "thing: budget=1e300 is out of range; expected a whole number >= 1 and <= 9007199254740991",
            ),
            (
                "thing:seed=18446744073709551616",
                "thing: seed=18446744073709551616 is out of range; expected a whole number >= 0 and <= \
                 18446744073709551615",
            ),
            ("thing:radius=0", "thing: radius=0 is out of range; expected auto or a number > 0"),
            ("thing:radius=inf", "thing: radius=inf is out of range; expected auto or a number > 0"),
            ("thing:radius=far", "thing: radius=far is neither a number nor 'auto'; expected auto or a number > 0"),
            ("thing:sparse=yes", "thing: sparse=yes is neither true nor false"),
            ("thing:order=rondom", "thing: order=rondom is not one of fixed, random; did you mean 'random'?"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message);
        }
    }
}
