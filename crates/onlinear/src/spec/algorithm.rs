//! How a learner declares itself. The spec parser, the help, the completions, the model file, the
//! docs page, the Python class and the conformance tests all read this one declaration.

use super::parameter::Parameter;
use super::settings::{Settings, find_parameter};
use crate::bound::{Evidence, Theorem};
use crate::learner::{Direct, FitsAll, Learner};

/// Everything there is to know about a learner, beside its code.
#[derive(Debug)]
pub struct Algorithm {
    /// Its name in specs: `passive-aggressive`.
    pub name: &'static str,
    /// Other names it answers to in specs.
    pub aliases: &'static [&'static str],
    /// Its name in prose: "Passive-Aggressive".
    pub title: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The update rule.
    pub rule: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What a trial and a prediction cost.
    pub cost: &'static str,
    /// Its mistake bound, or why there is none.
    pub bound: &'static str,
    /// The theorem behind the bound.
    pub(crate) theorem: Charges,
    /// Where it differs from the paper; "none" is an answer.
    pub differs: &'static str,
    /// Its class in the Python package.
    pub python: PythonClass,
    /// Its parameters in canonical order.
    pub parameters: &'static [Parameter],
    /// What is worth trying where nobody says what: values of its parameters, as a search takes them.
    pub grid: &'static [&'static str],
    /// Whether it takes sample weights, with these parameters.
    pub takes_weights: fn(&Settings) -> bool,
    /// Whether it draws the row of each of its trials, with these parameters.
    pub draws_trials: fn(&Settings) -> bool,
    /// Whether it must know the number of features, so that a file is counted first.
    pub needs_feature_count: fn(&Settings) -> bool,
    /// Whether that number makes but the scale of its scores: its decisions between two classes are the same without.
    pub feature_count_scales: bool,
    /// The stages that its rows go through unless told otherwise, in order.
    pub stages: &'static [&'static str],
    /// How one is made.
    pub new: New,
    /// How one that tells so many classes apart at once is made, where these parameters ask for it.
    pub direct: NewDirect,
}

impl Algorithm {
    /// What most learners say of the rest: for `..Algorithm::ONLINE` at the end of a declaration.
    pub const ONLINE: Algorithm = Algorithm {
        name: "",
        aliases: &[],
        title: "",
        summary: "",
        rule: "",
        paper: "",
        cost: "",
        bound: "",
        theorem: Charges::Nothing,
        differs: "",
        python: PythonClass { name: "", is_default: true },
        parameters: &[],
        grid: &[],
        takes_weights: |_| false,
        draws_trials: |_| false,
        needs_feature_count: |_| false,
        feature_count_scales: false,
        stages: &[],
        new: New::RowByRow(|_| Err("its declaration says no way to make one".to_string())),
        direct: |_, _| None,
    };

    /// The parameter called `key`, or with `key` as an alias.
    pub fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        find_parameter(self.parameters, key).map(|(_, parameter)| parameter)
    }

    /// How it takes in its training rows.
    pub fn learns(&self) -> Learns {
        match self.new {
            New::RowByRow(_) => Learns::RowByRow,
            New::AfterReadingAll(_) => Learns::AfterReadingAll,
            New::AllAtOnce(_) => Learns::AllAtOnce,
        }
    }
}

/// The class of the Python package that stands for a learner, or for several.
#[derive(Clone, Copy, Debug)]
pub struct PythonClass {
    /// Its name.
    pub name: &'static str,
    /// Whether the learner is the one that the class means unless told otherwise.
    pub is_default: bool,
}

impl PythonClass {
    /// A class for one learner alone.
    pub const fn own(name: &'static str) -> PythonClass {
        PythonClass { name, is_default: true }
    }
}

/// Makes a learner that takes a row at a time, or says why its parameters do not go together.
pub(super) type NewLearner = fn(&Settings) -> Result<Box<dyn Learner>, String>;

/// Makes a learner that tells so many classes apart at once, if its parameters ask for one.
pub(super) type NewDirect = fn(&Settings, usize) -> Option<Box<dyn Direct>>;

/// Makes a learner that takes all rows at once, or says why its parameters do not go together.
pub(super) type NewFitsAll = fn(&Settings) -> Result<Box<dyn FitsAll>, String>;

/// How a fresh learner is made of its parameters, by the way in which it takes in its training rows.
#[derive(Clone, Copy, Debug)]
pub enum New {
    /// It learns trial by trial, from each row as it comes.
    RowByRow(NewLearner),
    /// It learns trial by trial, once all rows have been shown to it (see [`Learner::reads_ahead`]).
    AfterReadingAll(NewLearner),
    /// It learns from all rows at once.
    AllAtOnce(NewFitsAll),
}

/// States a learner's theorem of the trials that it charges, or says which of its conditions they do not meet.
pub(crate) type StateTheorem = fn(&Settings, &Evidence<'_>) -> Result<Theorem, String>;

/// A learner's theorem, by the trials that it charges for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Charges {
    /// None: there is no theorem.
    Nothing,
    /// Every mistake.
    Mistakes(StateTheorem),
    /// Every mistake, and every update besides.
    Updates(StateTheorem),
}

/// How a learner takes in its training rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Trial by trial, each row as it comes.
    RowByRow,
    /// Trial by trial, once all rows have been shown to it.
    AfterReadingAll,
    /// From all rows at once.
    AllAtOnce,
}

impl Learns {
    /// Every way with its name.
    pub const ALL: [(Learns, &str); 3] = [
        (Learns::RowByRow, "row-by-row"),
        (Learns::AfterReadingAll, "after-reading-all"),
        (Learns::AllAtOnce, "all-at-once"),
    ];
}
