//! What there is to choose from.

use onlinear::workshop::{Kind, Learns, Parameter};
use onlinear::{ALGORITHMS, Algorithm, Spec};
use serde_json::{Value as Json, json};

use crate::points::PRESETS;

/// Every learner and every set.
pub fn about() -> Json {
    let sets: Vec<Json> =
        PRESETS.iter().map(|preset| json!({"set": preset.set, "title": preset.title, "about": preset.about})).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "learners": ALGORITHMS.iter().map(|algorithm| learner(algorithm)).collect::<Vec<Json>>(),
        "sets": sets,
    })
}

fn learner(algorithm: &'static Algorithm) -> Json {
    json!({
        "name": algorithm.name,
        "title": algorithm.title,
        "summary": algorithm.summary,
        "rule": algorithm.rule,
        "paper": algorithm.paper,
        "bound": algorithm.bound,
        "cost": algorithm.cost,
        "by_trials": algorithm.learns() != Learns::AllAtOnce,
        "spec": Spec::of(algorithm).to_string(),
        "parameters": algorithm.parameters.iter().map(parameter).collect::<Vec<Json>>(),
    })
}

fn parameter(parameter: &Parameter) -> Json {
    let choices = match parameter.kind {
        Kind::Choice(words) => Some(words.to_vec()),
        _ => None,
    };
    json!({"name": parameter.name, "help": parameter.help, "choices": choices})
}
