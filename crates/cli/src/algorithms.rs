//! `onlinear algorithms`.

use clap::Args;
use serde_json::{Value as Json, json};

use onlinear::workshop::{Kind, Learns, Parameter, Value};
use onlinear::{ALGORITHMS, Algorithm, Spec};

use crate::output;
use crate::values::SPEC;

#[derive(Args)]
#[command(after_help = "Examples:\n  onlinear algorithms\n  onlinear algorithms winnow\n  onlinear algorithms --json")]
pub struct AlgorithmsArguments {
    /// One learner
    #[arg(value_name = "NAME", value_parser = SPEC, hide_possible_values = true)]
    pub name: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &AlgorithmsArguments) -> anyhow::Result<()> {
    match (&arguments.name, arguments.json) {
        (Some(name), true) => output::json(&as_json(Algorithm::named(name)?)),
        (Some(name), false) => output::text(&page(Algorithm::named(name)?)),
        (None, true) => output::json(&ALGORITHMS.iter().map(|a| as_json(a)).collect()),
        (None, false) => output::text(&list()),
    }
}

fn list() -> String {
    let rows: Vec<(&str, String)> = ALGORITHMS.iter().map(|a| (a.name, a.summary.to_string())).collect();
    format!("{}\n`onlinear algorithms NAME` tells all about one.\n", output::pairs(&rows))
}

fn page(algorithm: &'static Algorithm) -> String {
    let weights = if Spec::of(algorithm).takes_weights() { "yes" } else { "no" };
    let about = output::pairs(&[
        ("learner", format!("{}{} ({})", algorithm.name, also(algorithm.aliases), algorithm.title)),
        ("does", algorithm.summary.to_string()),
        ("rule", algorithm.rule.to_string()),
        ("paper", algorithm.paper.to_string()),
        ("differs", algorithm.differs.to_string()),
        ("cost", algorithm.cost.to_string()),
        ("bound", algorithm.bound.to_string()),
        ("sample weights", weights.to_string()),
        ("default", Spec::of(algorithm).to_string()),
    ]);
    let parameters: Vec<(&str, String)> = algorithm.parameters.iter().map(|p| (p.name, describe(p))).collect();
    if parameters.is_empty() { about } else { format!("{about}\nParameters:\n{}", output::pairs(&parameters)) }
}

fn describe(parameter: &Parameter) -> String {
    let alias = also(parameter.aliases);
    format!("{}, default {}{alias}\n{}", parameter.kind, parameter.default, parameter.help)
}

/// Other names, in brackets.
fn also(aliases: &[&str]) -> String {
    if aliases.is_empty() { String::new() } else { format!(" [{}]", aliases.join(", ")) }
}

fn as_json(algorithm: &'static Algorithm) -> Json {
    let parameters: Vec<Json> = algorithm.parameters.iter().map(parameter_as_json).collect();
    json!({
        "name": algorithm.name,
        "aliases": algorithm.aliases,
        "title": algorithm.title,
        "summary": algorithm.summary,
        "rule": algorithm.rule,
        "paper": algorithm.paper,
        "differs": algorithm.differs,
        "cost": algorithm.cost,
        "bound": algorithm.bound,
        "learns": learns(algorithm),
        "parameters": parameters,
    })
}

/// How it takes in its rows, as a word.
fn learns(algorithm: &Algorithm) -> Option<&'static str> {
    Learns::ALL.iter().find(|(learns, _)| *learns == algorithm.learns()).map(|(_, name)| *name)
}

fn parameter_as_json(parameter: &Parameter) -> Json {
    let (kind, choices) = match parameter.kind {
        Kind::Number(_) => ("number", None),
        Kind::Width => ("number", Some(vec![Kind::FOUND])),
        Kind::NumberOr(_, word) => ("number", Some(vec![word])),
        Kind::Integer { .. } => ("integer", None),
        Kind::Flag => ("flag", None),
        Kind::Choice(words) => ("choice", Some(words.to_vec())),
        Kind::Learner(_) => ("learner", None),
    };
    let default = match parameter.default {
        Value::Number(number) => json!(number),
        Value::Whole(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::Choice(word) => json!(word),
    };
    json!({
        "name": parameter.name,
        "aliases": parameter.aliases,
        "kind": kind,
        "choices": choices,
        "synonyms": parameter.synonyms.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        "range": parameter.kind.to_string(),
        "default": default,
        "help": parameter.help,
    })
}
