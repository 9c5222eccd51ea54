//! `python/onlinear/_estimators.py`: a class for each learner, from its declaration.

use anyhow::{Context, Result};

use onlinear::workshop::{Kind, Learns, Parameter, Slot, StageChoices};
use onlinear::{ALGORITHMS, Algorithm, Spec, StageSpec};

use super::text::{annotation, kind, name, quoted, value, values, wrapped};

/// A class and the learners that it stands for: one, or several of which a parameter names one.
struct Class {
    name: &'static str,
    learners: Vec<&'static Algorithm>,
}

impl Class {
    /// The one that is meant unless another is named.
    fn default(&self) -> Result<&'static Algorithm> {
        let default = self.learners.iter().find(|algorithm| algorithm.python.is_default);
        default.copied().with_context(|| format!("class {} has no learner by default", self.name))
    }
}

impl Class {
    /// The parameters of the learner that is meant by default, then those that only others of the class have.
    fn parameters(&self, default: &'static Algorithm) -> Vec<&'static Parameter> {
        let mut all: Vec<&'static Parameter> = own_parameters(default).collect();
        for other in self.learners.iter().flat_map(|learner| own_parameters(learner)) {
            if all.iter().all(|known| known.name != other.name) {
                all.push(other);
            }
        }
        all
    }
}

/// Every class, in the order of the learners.
fn classes() -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for algorithm in ALGORITHMS {
        match classes.iter_mut().find(|class| class.name == algorithm.python.name) {
            Some(class) => class.learners.push(algorithm),
            None => classes.push(Class { name: algorithm.python.name, learners: vec![algorithm] }),
        }
    }
    classes
}

/// A parameter of a class as Python sees it.
struct Argument {
    name: String,
    annotation: String,
    default: String,
    values: String,
    help: String,
}

impl Argument {
    fn of(parameter: &Parameter) -> Argument {
        let help = match parameter.kind {
            Kind::Learner(default) => {
                format!("{}, {} by default; its passes and stages do not matter", parameter.help, default.name)
            }
            _ => parameter.help.to_string(),
        };
        Argument {
            name: name(parameter.name),
            annotation: annotation(parameter),
            default: value(parameter),
            values: values(parameter),
            help,
        }
    }

    fn new(name: &str, annotation: &str, default: &str, values: &str, help: &str) -> Argument {
        let [name, annotation, default, values, help] = [name, annotation, default, values, help].map(String::from);
        Argument { name, annotation, default, values, help }
    }
}

/// The whole file.
pub fn estimators() -> Result<String> {
    let classes = classes();
    let mut file = String::from(
        "# Made by `cargo xtask generate` from the declarations beside the code; do not edit.\n\
         \"\"\"Every learner as an estimator.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Sequence\nfrom typing import Any, ClassVar, Literal\n\n\
         from ._learner import BatchLearner, Learner, OnlineLearner, ReadAheadLearner, WeightedOnlineLearner\n\n",
    );
    let names: String = classes.iter().map(|class| format!("    {:?},\n", class.name)).collect();
    file += &format!("__all__ = [\n{names}]\n");
    for class in &classes {
        file += &one(class)?;
    }
    file += "\n\n#: The class of each learner, by its name in a spec.\nCLASSES: dict[str, type[Learner]] = {\n";
    for class in &classes {
        for learner in &class.learners {
            file += &format!("    {:?}: {},\n", learner.name, class.name);
        }
    }
    file += "}\n";
    Ok(file)
}

/// The file of the classes for Spark: one for each whose models can be merged.
pub fn spark_estimators() -> Result<String> {
    let mut names = Vec::new();
    for class in classes() {
        if Spec::of(class.default()?).require_mergeable(2).is_ok() {
            names.push(class.name);
        }
    }
    let list: String = names.iter().map(|name| format!("    \"Spark{name}\",\n")).collect();
    let mut file = format!(
        "# Made by `cargo xtask generate` from the declarations beside the code; do not edit.\n\
         \"\"\"Every learner that can be merged as an estimator of `pyspark.ml`.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from .. import _estimators as native\nfrom ._learner import SparkLearner\n\n__all__ = [\n{list}]\n"
    );
    for name in names {
        file += &format!(
            "\n\nclass Spark{name}(SparkLearner):\n    \"\"\":class:`onlinear.{name}` on Spark; \
             :class:`SparkLearner` tells the further parameters.\"\"\"\n\n    _native = native.{name}\n"
        );
    }
    Ok(file)
}

/// One class.
fn one(class: &Class) -> Result<String> {
    let algorithm = class.default()?;
    let base = match (algorithm.learns(), Spec::of(algorithm).takes_weights()) {
        (Learns::AllAtOnce, _) => "BatchLearner",
        (Learns::AfterReadingAll, _) => "ReadAheadLearner",
        (Learns::RowByRow, true) => "WeightedOnlineLearner",
        (Learns::RowByRow, false) => "OnlineLearner",
    };
    let arguments = arguments(class, algorithm)?;
    let mut text = format!("\n\nclass {}({base}):\n{}\n", class.name, documentation(class, algorithm, &arguments));
    text += &format!("    _name = {:?}\n", algorithm.name);
    if class.learners.len() > 1 {
        text += "    _chosen_by = \"schedule\"\n";
    }
    if is_seeded(algorithm) {
        text += "    _is_seeded = True\n";
    }
    // Its deflation is made for such rows, and longer ones make it diverge.
    if algorithm.name == "higher-order" {
        text += "    _normalize = \"lp\"\n";
    }
    let entry = |own: &Parameter| format!("        {:?}: ({:?}, {}),\n", name(own.name), own.name, kind(own));
    let entries: String = class.parameters(algorithm).into_iter().map(entry).collect();
    let entries = if entries.is_empty() { entries } else { format!("\n{entries}    ") };
    let declared = |argument: &Argument| {
        let Argument { name, annotation, default, .. } = argument;
        format!("        {name}: {annotation} = {default},\n")
    };
    let declared: String = arguments.iter().map(declared).collect();
    let kept: String =
        arguments.iter().map(|Argument { name, .. }| format!("        self.{name} = {name}\n")).collect();
    let others: String =
        other_names(algorithm).iter().map(|(other, own)| format!("        {other:?}: {own:?},\n")).collect();
    let others = if others.is_empty() { others } else { format!("\n{others}    ") };
    for own in class.parameters(algorithm).into_iter().filter(|own| algorithm.parameter(own.name).is_none()) {
        let owners = class.learners.iter().filter(|learner| learner.parameter(own.name).is_some());
        let owners: String = owners.map(|learner| format!("{:?},", learner.name)).collect();
        text += &format!("    _only_of: ClassVar[dict[str, tuple[str, ...]]] = {{{:?}: ({owners})}}\n", name(own.name));
    }
    text += &format!("    _other_names: ClassVar[dict[str, str]] = {{{others}}}\n");
    text += &format!(
        "    _parameters: ClassVar[dict[str, tuple[str, type]]] = {{{entries}}}\n\n    \
         def __init__(\n        self,\n        *,\n{declared}    ) -> None:\n{kept}"
    );
    Ok(text)
}

/// What else a user may call a parameter: as the papers and the program do, and as scikit-learn does.
fn other_names(algorithm: &'static Algorithm) -> Vec<(String, String)> {
    let aliases = own_parameters(algorithm)
        .flat_map(|own| own.aliases.iter().map(|alias| (alias.replace('-', "_"), name(own.name))));
    let mut names: Vec<(String, String)> = aliases.collect();
    let declares = |own: &str| algorithm.parameter(own).is_some();
    let passes = if algorithm.learns() != Learns::AllAtOnce { "n_iter" } else { "epochs" };
    if passes == "n_iter" || declares(passes) {
        names.push(("max_iter".to_string(), passes.to_string()));
    }
    if declares("tolerance") {
        names.push(("tol".to_string(), "tolerance".to_string()));
    }
    names
}

/// The learner's own parameters; its seed is `random_state`.
fn own_parameters(algorithm: &Algorithm) -> impl Iterator<Item = &'static Parameter> {
    algorithm.parameters.iter().filter(|parameter| parameter.name != "seed")
}

fn is_seeded(algorithm: &Algorithm) -> bool {
    algorithm.parameter("seed").is_some()
}

/// The learner's own parameters, then those that all of its kind have.
fn arguments(class: &Class, algorithm: &'static Algorithm) -> Result<Vec<Argument>> {
    let mut all = Vec::new();
    if class.learners.len() > 1 {
        let choices = quoted(class.learners.iter().map(|learner| learner.name));
        let help = "which directions are gone along: see docs/algorithms.md";
        let default = format!("{:?}", algorithm.name);
        all.push(Argument::new("schedule", &format!("Literal[{choices}]"), &default, &format!("{{{choices}}}"), help));
    }
    all.extend(class.parameters(algorithm).into_iter().map(Argument::of));
    let is_batch = algorithm.learns() == Learns::AllAtOnce;
    all.push(Argument::new("fit_intercept", "bool", "True", "bool", "put a constant feature in front of the others"));
    let own = own_stage(algorithm, Slot::Scale)?.map_or("not at all".to_string(), |word| format!("by `\"{word}\"`"));
    let help = &format!(
        "bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself {own}, \
         and those of data frames by `\"mixed\"`"
    );
    all.push(shorthand("scale", Slot::Scale, help));
    let help = "bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order \
                unless told, and no others";
    all.push(shorthand("normalize", Slot::Normalize, help));
    let help = "give a linear learner a kernel: `\"nystrom:landmarks=500,kernel=gaussian,sigma2=1\"` or \
                `\"fourier:dimension=1000,sigma2=1\"`, in the words of the command line";
    all.push(Argument::new("map", "str | None", "None", "str or None", help));
    let help = "what rows go through, in order and in the words of the command line \
                (`[\"standard\", \"bias:value=1\"]`), \
                in place of `fit_intercept`, `scale`, `normalize` and `map`";
    all.push(Argument::new("stages", "Sequence[str] | None", "None", "list of str or None", help));
    let help = "data frames: what some columns hold, in the words of the command line, such as \
                `{\"zip\": \"category\", \"since\": \"date=dmy\"}`; told by their cells unless given";
    all.push(Argument::new("kinds", "dict[str, str] | None", "None", "dict of str or None", help));
    let help = "data frames: columns that are left out";
    all.push(Argument::new("ignore", "Sequence[str]", "()", "sequence of str", help));
    let help = "data frames: pairs of columns whose features are multiplied with each other, which makes further ones";
    all.push(Argument::new("interact", "Sequence[tuple[str, str]]", "()", "sequence of pairs of str", help));
    if !is_batch {
        let help = "how often `fit` passes over the rows; by itself 10 times, and over those of data frames as often \
                    as is best for rows held out of them";
        all.push(Argument::new("n_iter", "int | None", "None", "a whole number >= 1 or None", help));
        let help = "whether rows held out decide how many passes are made, at most `n_iter`, before all rows are \
                    learned; by itself for data frames without `n_iter`";
        all.push(Argument::new("early_stopping", "bool | None", "None", "bool or None", help));
        let help = "whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order";
        all.push(Argument::new("shuffle", "bool", "True", "bool", help));
    }
    if !is_batch || is_seeded(algorithm) {
        let help = "where random numbers start; None draws a seed from NumPy's";
        all.push(Argument::new("random_state", "Any", "1", "int, RandomState, Generator or None", help));
    }
    if Spec::of(algorithm).takes_weights() {
        let help = "what the rows of each class weigh, besides `sample_weight`: `\"balanced\"` (all classes the same \
                    together), or a weight for some labels";
        let annotation = "dict[Any, float] | Literal[\"balanced\"] | None";
        all.push(Argument::new("class_weight", annotation, "None", "dict, \"balanced\" or None", help));
    }
    if algorithm.learns() == Learns::RowByRow {
        let help = "whether `fit` goes on from what was learned before";
        all.push(Argument::new("warm_start", "bool", "False", "bool", help));
    }
    if !is_batch {
        let help = "keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`";
        all.push(Argument::new("calibrate", "int | bool | None", "None", "int, bool or None", help));
    }
    let help =
        if is_batch { "keep the training errors after each epoch in `trace_`" } else { "keep every trial in `trace_`" };
    all.push(Argument::new("trace", "bool", "False", "bool", help));
    let help = if is_batch { "print what each epoch came to" } else { "print what each pass came to" };
    all.push(Argument::new("verbose", "bool | int", "False", "bool or int", help));
    if !is_batch {
        let help = "compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`";
        all.push(Argument::new("certificate", "bool", "False", "bool", help));
    }
    Ok(all)
}

/// The stage that the learner has by itself in this place.
fn own_stage(algorithm: &Algorithm, slot: Slot) -> Result<Option<&'static str>> {
    let stages = algorithm.stages.iter().map(|stage| stage.parse()).collect::<Result<Vec<StageSpec>, _>>()?;
    Ok(stages.iter().map(StageSpec::kind).find(|kind| kind.slot == slot).map(|kind| kind.name))
}

/// A parameter that names the stage in a place, or none, or leaves it to the learner and the rows.
fn shorthand(name: &str, slot: Slot, help: &str) -> Argument {
    let words = quoted(std::iter::once("auto").chain(StageChoices::words(slot).skip(1)));
    Argument::new(name, &format!("Literal[{words}] | None"), "\"auto\"", &format!("{{{words}, None}}"), help)
}

/// The docstring.
fn documentation(class: &Class, algorithm: &Algorithm, arguments: &[Argument]) -> String {
    let Algorithm { title, summary, rule, paper, cost, bound, differs, .. } = algorithm;
    let mut text = format!("    \"\"\"{title}.\n\n{}\n", wrapped(summary, "    "));
    text += &format!("    Rule::\n\n{}\n", wrapped(rule, "        "));
    let parts = [("Paper", paper), ("Cost", cost), ("Bound", bound), ("Differs from the paper", differs)];
    let parts = parts.map(|(heading, content)| format!("{heading}: {content}."));
    let several = (class.learners.len() > 1).then(|| "The text above is that of the default schedule.".to_string());
    for paragraph in parts.into_iter().chain(several) {
        text += &format!("{}\n", wrapped(&paragraph, "    "));
    }
    text += "    Parameters\n    ----------\n";
    for Argument { name, default, values, help, .. } in arguments {
        text += &wrapped(&format!("{name} : {values}, default={default}"), "    ");
        text += &wrapped(&format!("{}.", capitalised(help)), "        ");
    }
    text += &format!(
        "\n    Examples\n    --------\n    >>> from onlinear import {name}, datasets\n    \
         >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)\n    \
         >>> model = {name}({quick}).fit(X[:400], y[:400])\n    \
         >>> model.score(X[400:], y[400:]) > 0.8\n    True\n    \"\"\"\n",
        name = class.name,
        quick = if class.name == "AdaBoost" { "rounds=10" } else { "" },
    );
    text
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if first.is_ascii() && text.chars().nth(1).is_some_and(char::is_lowercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => text.to_string(),
    }
}
