//! Typed parameters from one declaration: [`parameters!`] makes the struct that a constructor takes, the
//! table for help and docs, and the reading of a spec; [`choice!`] makes an enum and its words.

use super::parameter::{Kind, Parameter, Range, Value};
use super::settings::Settings;
use super::{Algorithm, Spec};

/// A parameter with the type of its value.
pub(crate) struct Declaration<T> {
    pub(crate) parameter: Parameter,
    /// Its value in settings that have it.
    pub(crate) read: fn(&Settings, &str) -> T,
}

impl<T> Declaration<T> {
    /// Another name that it answers to: the paper's letter.
    pub(crate) const fn alias(self, aliases: &'static [&'static str]) -> Declaration<T> {
        Declaration { parameter: Parameter { aliases, ..self.parameter }, read: self.read }
    }

    /// What this learner says of it.
    pub(crate) const fn help(self, help: &'static str) -> Declaration<T> {
        Declaration { parameter: Parameter { help, ..self.parameter }, read: self.read }
    }
}

impl Declaration<f64> {
    /// This learner's default.
    pub(crate) const fn default(self, default: f64) -> Declaration<f64> {
        Declaration { parameter: Parameter { default: Value::Number(default), ..self.parameter }, read: self.read }
    }
}

/// Without aliases.
const fn plain(name: &'static str, kind: Kind, default: Value, help: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind, synonyms: &[], default, help }
}

/// A number in a range.
pub(crate) const fn number(name: &'static str, default: f64, range: Range, help: &'static str) -> Declaration<f64> {
    let parameter = plain(name, Kind::Number(range), Value::Number(default), help);
    Declaration { parameter, read: |settings, key| settings.number(key) }
}

/// A number in a range, or a word that stands for none.
pub(crate) const fn number_or(
    name: &'static str,
    default: Option<f64>,
    word: &'static str,
    range: Range,
    help: &'static str,
) -> Declaration<Option<f64>> {
    let default = match default {
        Some(number) => Value::Number(number),
        None => Value::Choice(word),
    };
    let parameter = plain(name, Kind::NumberOr(range, word), default, help);
    let read: fn(&Settings, &str) -> Option<f64> = |settings, key| match settings.get(key) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    Declaration { parameter, read }
}

/// A whole number of at least `low` and at most `high`.
pub(crate) const fn whole(
    name: &'static str,
    default: u64,
    low: u64,
    high: u64,
    help: &'static str,
) -> Declaration<u64> {
    let parameter = plain(name, Kind::Integer { low, high }, Value::Number(default as f64), help);
    Declaration { parameter, read: |settings, key| settings.whole(key) }
}

/// `true` or `false`.
pub(crate) const fn flag(name: &'static str, default: bool, help: &'static str) -> Declaration<bool> {
    let parameter = plain(name, Kind::Flag, Value::Flag(default), help);
    Declaration { parameter, read: |settings, key| settings.flag(key) }
}

/// Another learner, with parameters of its own.
pub(crate) const fn learner(name: &'static str, default: &'static Algorithm, help: &'static str) -> Declaration<Spec> {
    let parameter = plain(name, Kind::Learner(default), Value::Choice(default.name), help);
    let read: fn(&Settings, &str) -> Spec = |settings, _| settings.base().cloned().expect("its kind is a learner");
    Declaration { parameter, read }
}

/// Where random numbers start.
pub(crate) const SEED: Declaration<u64> = whole("seed", 1, 0, Kind::LARGEST_INTEGER, "where its random numbers start");

/// The parameters of a learner or of a stage as a struct.
pub(crate) trait Parameters: Sized {
    /// The declared parameters in canonical order.
    const TABLE: &'static [Parameter];

    /// Their values.
    fn read(settings: &Settings) -> Self;
}

/// Declares parameters: a struct with a field for each, the table of all, and how they are read. The word
/// `kernel` at the end, behind a semicolon, adds the five of a kernel and the field `kernel`.
macro_rules! parameters {
    (
        $(#[$doc:meta])*
        $vis:vis struct $name:ident {
            $($field:ident: $type:ty = $declaration:expr),* $(,)?
            $(; $kernel:ident)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $(pub(crate) $field: $type,)*
            $(pub(crate) $kernel: $crate::space::Kernel,)?
        }

        impl $crate::spec::Parameters for $name {
            const TABLE: &'static [$crate::spec::Parameter] = &[
                $({
                    const DECLARATION: $crate::spec::Declaration<$type> = $declaration;
                    DECLARATION.parameter
                },)*
                $(
                    $crate::spec::kernel::$kernel(0),
                    $crate::spec::kernel::$kernel(1),
                    $crate::spec::kernel::$kernel(2),
                    $crate::spec::kernel::$kernel(3),
                    $crate::spec::kernel::$kernel(4),
                )?
            ];

            fn read(settings: &$crate::spec::Settings) -> Self {
                $name {
                    $($field: {
                        const DECLARATION: $crate::spec::Declaration<$type> = $declaration;
                        (DECLARATION.read)(settings, DECLARATION.parameter.name)
                    },)*
                    $($kernel: $crate::spec::kernel::of(settings),)?
                }
            }
        }
    };
}

/// Declares a choice: an enum, the word of each case with others that stand for it, and the parameter that takes one
/// of them.
macro_rules! choice {
    (
        $(#[$doc:meta])*
        $vis:vis enum $name:ident {
            $($(#[$case_doc:meta])* $case:ident = $word:literal $(| $synonym:literal)*),* $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$case_doc])* $case),* }

        impl $name {
            /// What a spec calls this one.
            pub(crate) const fn word(self) -> &'static str {
                match self { $($name::$case => $word),* }
            }

            /// The parameter whose values these are.
            pub(crate) const fn parameter(
                name: &'static str,
                default: $name,
                help: &'static str,
            ) -> $crate::spec::Declaration<$name> {
                use $crate::spec::{Kind, Parameter, Settings, Value};
                let kind = Kind::Choice(&[$($word),*]);
                let synonyms = &[$($(($synonym, $word),)*)*];
                let default = Value::Choice(default.word());
                let parameter = Parameter { name, aliases: &[], kind, synonyms, default, help };
                let read: fn(&Settings, &str) -> $name = |settings, key| match settings.choice(key) {
                    $($word => $name::$case,)*
                    other => unreachable!("{other} is not one of the words of {key}"),
                };
                $crate::spec::Declaration { parameter, read }
            }
        }
    };
}

pub(crate) use {choice, parameters};
