//! Small models of every learner of the list, to be forged, mutated and gone on with.

use crate::support::stages;
use onlinear::workshop::Kind;
use onlinear::{ALGORITHMS, Input, Keep, LabelChoice, Model, Passes, Plan, ReadOptions, Recipe, Result, Spec, Start};

/// More than this is not held.
pub const MOST_MEMORY: u64 = 64 << 20;

/// Numbered features, two classes, several of their rows hard to tell apart.
const NUMBERED: &str =
    "+1 1:1 2:0.5\n-1 1:0.9 3:-2\n+1 2:1.5 3:0.25\n-1 1:-1\n+1 1:-0.5 2:0.75\n-1 2:0.5 3:1\n+1 3:-0.5\n-1 1:2\n";
/// Named features, in VW text.
const NAMED: &str = "1 |a x y:2\n-1 |a x z:0.5\n1 |b y:-1\n-1 |a y |b z\n";
/// Columns of numbers and words, in CSV; three classes.
const COLUMNS: &str = "colour,size,class\nred,1.5,a\nblue,2,b\nred,-1,c\ngreen,0.5,a\nblue,3,c\n";

/// The defaults of every learner, and each of them with one flag or choice changed.
pub fn specs() -> Vec<Spec> {
    let mut specs: Vec<Spec> = Vec::new();
    for algorithm in ALGORITHMS {
        let mut texts = vec![algorithm.name.to_string()];
        for parameter in algorithm.parameters {
            let words = match parameter.kind {
                Kind::Flag => &["true", "false"][..],
                Kind::Choice(words) => words,
                Kind::Learner(_) => &["perceptron", "projectron"],
                _ => &[],
            };
            texts.extend(words.iter().map(|word| format!("{}:{}={word}", algorithm.name, parameter.name)));
        }
        let quick = |text: String| match algorithm.parameters.iter().find(|p| ["rounds", "epochs"].contains(&p.name)) {
            Some(long) => Spec::varied(&text, &[(long.name, "3")]),
            None => text.parse(),
        };
        // A choice may not go with the rest.
        for spec in texts.into_iter().map(quick).filter_map(Result::ok) {
            if !specs.contains(&spec) {
                specs.push(spec);
            }
        }
    }
    specs
}

/// What `input` teaches, from `start` on.
pub fn learned(input: Input, read: ReadOptions, start: Start) -> Result<Model> {
    let keep = Keep { limit: None, cache: false, max_memory: MOST_MEMORY };
    let (labels, passes) = (LabelChoice::default(), Passes::Exactly(1));
    let plan = Plan { input, read, labels, passes, keep, train_error: false, holdout: None };
    onlinear::learn(plan, start, &mut ()).map(|outcome| outcome.model)
}

/// Bytes to be read.
pub fn memory(bytes: &[u8]) -> Input {
    Input::Memory { name: "memory".into(), bytes: bytes.into() }
}

/// The file of a model that learned from a few rows of `text`.
fn taught(name: &str, text: &str, hash: Option<u32>, fresh: Recipe) -> Vec<u8> {
    let read = ReadOptions { hash, ..ReadOptions::default() };
    let model = learned(memory(text.as_bytes()), read, Start::Fresh(fresh));
    model.and_then(|mut model| model.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A learner to which nothing happens but its rows.
fn plain(spec: &str) -> Recipe {
    let spec = spec.parse().unwrap_or_else(|error| panic!("{spec}: {error}"));
    Recipe::of(spec, Vec::new())
}

/// The file of a model of this learner.
pub fn model_of(spec: &str) -> Vec<u8> {
    taught(spec, NUMBERED, None, plain(spec))
}

/// A model and what it learned from.
pub struct Sound {
    /// What it is.
    pub name: String,
    /// Its file.
    pub bytes: Vec<u8>,
    /// Data that it can read.
    pub data: &'static str,
}

impl Sound {
    /// A model file with data behind it, as the entries take them.
    pub fn with_data(&self, bytes: &[u8]) -> Vec<u8> {
        [bytes, self.data.as_bytes()].concat()
    }
}

/// A model of each spec, and models with all kinds of features and stages.
pub fn models() -> Vec<Sound> {
    let staged = Recipe { stages: stages(&["standard", "l2", "bias"]), ..plain("averaged") };
    let shuffled = Recipe { shuffle: Some(7), stages: stages(&["minmax"]), ..plain("perceptron") };
    let mapped = |map: &str| Recipe { stages: stages(&["l2", map, "bias"]), ..plain("arow") };
    let others = [
        ("stages", NUMBERED, None, staged),
        ("landmarks", NUMBERED, None, mapped("nystrom:landmarks=5,kernel=gaussian")),
        ("waves", NAMED, None, mapped("fourier:dimension=6")),
        ("a shuffle", NUMBERED, None, shuffled),
        ("names", NAMED, None, plain("perceptron")),
        ("a hash", NAMED, Some(4), plain("averaged")),
        ("columns", COLUMNS, None, plain("passive-aggressive")),
        ("columns with a kernel", COLUMNS, None, plain("voted:kernel=gaussian")),
    ];
    let of_each = specs().into_iter().map(|spec| {
        let name = spec.to_string();
        Sound { bytes: model_of(&name), name, data: NUMBERED }
    });
    let of_others = others.map(|(name, data, hash, fresh)| {
        let bytes = taught(name, data, hash, fresh);
        Sound { name: name.to_string(), bytes, data }
    });
    of_each.chain(of_others).collect()
}

/// The data, one text of each format.
pub fn texts() -> [&'static str; 3] {
    [NUMBERED, NAMED, COLUMNS]
}
