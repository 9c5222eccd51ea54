//! The parts of a model as text, and back.
//!
//! Every key is written. A key that format version 1 did not have has a default, and so does what follows from others.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::object::{Object, list, or_null, whole};
use super::{Counts, Model, PassCounts};
use crate::data::{Classes, Encoding, LabelRule, MOST_FEATURES, TableSchema, Vocabulary};
use crate::error::{Error, Result};
use crate::spec::Spec;
use crate::stage::{StageSpec, Stages};
use crate::state::{MOST_COUNTED, State, refusal};

/// The value of `format`.
const FORMAT: &str = "onlinear-model";
/// The version this program writes, and the newest it reads. `docs/model-format.md` says when it is raised.
pub(super) const VERSION: u32 = 2;

/// The name of a choice.
fn name_of<T: PartialEq>(all: &[(T, &'static str)], one: &T) -> Option<&'static str> {
    all.iter().find(|(choice, _)| choice == one).map(|(_, name)| *name)
}

/// The choice of this name.
fn named<T: Copy>(all: &[(T, &'static str)], json: &Json) -> Option<T> {
    all.iter().find(|(_, name)| json.as_str() == Some(name)).map(|(choice, _)| *choice)
}

/// The names of all choices, for a message.
fn names_of<T>(all: &[(T, &'static str)]) -> String {
    all.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

/// All metadata of a model but the checksum.
pub(super) fn write(model: &Model) -> BTreeMap<String, String> {
    let hash = match model.vocabulary {
        Vocabulary::Hashed { bits } => Some(bits),
        _ => None,
    };
    let mut preprocessing = json!({
        "features": model.features,
        "named": matches!(model.vocabulary, Vocabulary::Named { .. }),
        "hash": hash,
        "csv": model.csv.as_ref().map(TableSchema::to_json),
        "label_rule": name_of(&LabelRule::ALL, &model.classes.rule()),
        "stages": model.stages.specs().map(StageSpec::to_string).collect::<Vec<_>>(),
        "shuffle": model.shuffle,
        "class_weights": model.class_weights,
    });
    if let Vocabulary::Indexed { first: first @ 0 } = model.vocabulary {
        preprocessing["first_index"] = json!(first);
    }
    if model.encoding != Encoding::default() {
        preprocessing["encoding"] = json!(model.encoding.name());
    }
    if let Some(window) = model.calibrate {
        preprocessing["calibrate"] = json!(window);
    }
    let total = model.counts.total();
    let passes = model.counts.passes.iter();
    let mut counts = json!({
        "trials": total.trials,
        "mistakes": total.mistakes,
        "updates": total.updates,
        "per_pass": passes.map(|pass| [pass.trials, pass.mistakes, pass.updates]).collect::<Vec<_>>(),
        "rows": model.counts.rows,
        "classes": model.counts.classes,
        "margin": model.margin,
    });
    if !model.learner.is_alone() {
        counts["multiclass_mistakes"] = json!(model.counts.multiclass_mistakes);
    }
    let texts = [
        ("format", FORMAT.to_string()),
        ("version", VERSION.to_string()),
        ("spec", model.spec.to_string()),
        ("labels", json!(model.classes.names()).to_string()),
        ("preprocessing", preprocessing.to_string()),
        ("counts", counts.to_string()),
    ];
    texts.into_iter().map(|(key, text)| (key.to_string(), text)).collect()
}

/// Takes what tells a file of ours from others: its version and its checksum.
pub(super) fn read_signature(metadata: &mut Object) -> Result<(u32, String)> {
    let is_ours = |json: &Json| Some(json == FORMAT);
    if !metadata.take_or("format", false, FORMAT, is_ours)? {
        return Err(refusal("it is a safetensors file, but not one of onlinear's"));
    }
    let version = metadata.text("version")?;
    match version.parse::<u32>() {
        Ok(known @ 1..=VERSION) => Ok((known, metadata.text("checksum")?)),
        Ok(newer) if newer > VERSION => {
            Err(refusal(format!("its version {newer} is newer than this program, which knows {VERSION}")))
        }
        _ => Err(refusal(format!("its version is '{version}'"))),
    }
}

/// A spec as version 1 wrote it, in today's words: AdaBoost drew the rows of a round beforehand.
fn of_version_1(spec: &str) -> String {
    let today = |part: &str| format!("{part}{}", if part.ends_with("weighting=resample") { "-once" } else { "" });
    spec.split(',').map(today).collect::<Vec<_>>().join(",")
}

/// A model with all its parts, in a file of this version, and a learner that has yet to be loaded.
pub(super) fn read(mut metadata: Object, version: u32, state: &mut State) -> Result<Model> {
    let text = metadata.text("spec")?;
    let text = if version == 1 { of_version_1(&text) } else { text };
    let spec: Spec = text.parse().map_err(|error: Error| refusal(format!("its spec is wrong: {error}")))?;
    if spec.waits_for_width() {
        return Err(refusal("its spec has a width that rows have yet to tell"));
    }
    let mut about = metadata.object("preprocessing")?;
    let rule = about.take("label_rule", &names_of(&LabelRule::ALL), |json| named(&LabelRule::ALL, json))?;
    let names = list(&metadata.json("labels")?, |name| name.as_str().map(String::from));
    let classes = names
        .and_then(|names| Classes::from_parts(rule, names))
        .ok_or_else(|| refusal("'labels' are not the classes of its 'label_rule'"))?;
    let window = about.take_or("calibrate", None, "a whole number from 1 on", |json| {
        whole(json).filter(|window| *window > 0).map(Some)
    })?;
    let mut model = Model::new(spec, classes).calibrated(window);
    (model.features, model.vocabulary) = read_features(&mut about, state)?;
    model.csv = read_csv(&mut about)?;
    model.encoding = about
        .take_or("encoding", Encoding::default(), &names_of(&Encoding::ALL), |json| named(&Encoding::ALL, json))?;
    model.stages = read_stages(&mut about, model.features, state)?;
    model.shuffle = about.take("shuffle", "a seed or null", or_null(whole))?;
    let weight = |json: &Json| json.as_f64().filter(|weight| weight.is_finite() && *weight > 0.0);
    let weights =
        |json: &Json| list(json, weight).filter(|weights| weights.is_empty() || weights.len() == model.classes.len());
    model.class_weights =
        about.take_or("class_weights", Vec::new(), "a number > 0 for each class, or none", weights)?;
    about.end()?;
    check(&model)?;
    (model.counts, model.margin) = read_counts(metadata.object("counts")?, model.learner.len() as u64)?;
    metadata.end()?;
    Ok(model)
}

fn read_features(about: &mut Object, state: &mut State) -> Result<(usize, Vocabulary)> {
    let features = usize::try_from(about.whole("features")?).ok().filter(|&features| features <= MOST_FEATURES);
    let features = features.ok_or_else(|| refusal("'preprocessing': there are more features than there can be"))?;
    let named = about.take("named", "true or false", Json::as_bool)?;
    let bits = |json: &Json| whole(json).filter(|bits| (1..=31).contains(bits));
    let first = about.take_or("first_index", 1, "0 or 1", |json| whole(json).filter(|first| *first <= 1))?;
    let vocabulary = match (named, about.take("hash", "1 to 31 bits or null", or_null(bits))?) {
        (true, None) => read_names(state)?,
        (false, Some(bits)) => Vocabulary::Hashed { bits: bits as u32 },
        (false, None) => Vocabulary::Indexed { first: first as u32 },
        (true, Some(_)) => return Err(refusal("'preprocessing': features have names or a hash, not both")),
    };
    Ok((features, vocabulary))
}

fn read_names(state: &mut State) -> Result<Vocabulary> {
    let (mut ends, mut bytes) = (Vec::new(), Vec::new());
    state.u64s("features.ends", &mut ends)?;
    state.u8s("features.names", &mut bytes)?;
    let mut start = 0;
    let names: Option<Vec<&[u8]>> = ends
        .into_iter()
        .map(|end| {
            let name = bytes.get(start..usize::try_from(end).ok()?)?;
            start += name.len();
            Some(name)
        })
        .collect();
    let names = names.filter(|_| start == bytes.len());
    names.and_then(Vocabulary::from_names).ok_or_else(|| refusal("the names of features do not fit together"))
}

/// The columns of a CSV file, which have their own JSON.
fn read_csv(about: &mut Object) -> Result<Option<TableSchema>> {
    let read = |json: &Json| TableSchema::from_json(json).map(|schema| (schema, json.clone()));
    let Some((schema, json)) = about.take("csv", "the columns of a CSV file or null", or_null(read))? else {
        return Ok(None);
    };
    let known = schema.to_json();
    match json.as_object().and_then(|fields| fields.keys().find(|key| known.get(key).is_none())) {
        Some(key) => Err(refusal(format!("'{key}' does not belong to 'csv' of 'preprocessing'"))),
        None => Ok(Some(schema)),
    }
}

/// The stages with what they have read. Version 1 has at most three, each under a key of its own.
fn read_stages(about: &mut Object, features: usize, state: &mut State) -> Result<Stages> {
    let texts = |json: &Json| list(json, |stage| stage.as_str().map(String::from));
    let texts = match about.take_or("stages", None, "a list of stages", |json| texts(json).map(Some))? {
        Some(texts) => texts,
        None => {
            let word = |json: &Json| json.as_str().map(String::from);
            let scale = about.take("scale", "a stage or null", or_null(word))?;
            let normalize = about.number_or_null("normalize")?.map(|p| match p {
                2.0 => "l2".to_string(),
                p => format!("lp:p={p}"),
            });
            let bias = about.number_or_null("bias")?.map(|value| format!("bias:value={value}"));
            state.rename("scale.", "stage.0.");
            [scale, normalize, bias].into_iter().flatten().collect()
        }
    };
    let wrong = |error: Error| refusal(format!("'preprocessing': {error}"));
    let waits = |spec: &StageSpec| spec.settings().waits_for_width();
    let specs: Vec<StageSpec> = texts.iter().map(|text| text.parse()).collect::<Result<_>>().map_err(wrong)?;
    if specs.iter().any(waits) {
        return Err(refusal("'preprocessing': a stage has a width that rows have yet to tell"));
    }
    let mut stages = Stages::new(&specs);
    stages.state(features, state)?;
    Ok(stages)
}

/// Whether features and columns fit together.
fn check(model: &Model) -> Result<()> {
    let Model { features, vocabulary, csv, .. } = model;
    let wrong = if vocabulary.len() > *features {
        "there are fewer features than names or places of a hash"
    } else if csv.is_some() && matches!(vocabulary, Vocabulary::Indexed { .. }) {
        "columns have no names"
    } else {
        return Ok(());
    };
    Err(refusal(format!("'preprocessing': {wrong}")))
}

/// What so many learners did, and the margin.
fn read_counts(mut json: Object, learners: u64) -> Result<(Counts, Option<f64>)> {
    let pass = |json: &Json| match list(json, whole)?[..] {
        [trials, mistakes, updates] => Some(PassCounts { trials, mistakes, updates }),
        _ => None,
    };
    let passes = json.take("per_pass", "a list of [trials, mistakes, updates]", |json| list(json, pass))?;
    let multiclass_mistakes = if learners > 1 { json.whole("multiclass_mistakes")? } else { 0 };
    let classes = json.take_or("classes", Vec::new(), "a list of whole numbers", |json| list(json, whole))?;
    let counts = Counts { passes, rows: json.whole("rows")?, multiclass_mistakes, classes };
    if !is_of_a_run(&counts, learners) || ![0, learners.max(2) as usize].contains(&counts.classes.len()) {
        return Err(refusal("'counts' are not those of a run"));
    }
    let total = counts.total();
    for (key, sum) in [("trials", total.trials), ("mistakes", total.mistakes), ("updates", total.updates)] {
        let said = json.take_or(key, sum, "a whole number", whole)?;
        if said != sum {
            return Err(refusal(format!("'counts': {key} are {said}, but {sum} by 'per_pass'")));
        }
    }
    let margin = json.number_or_null("margin")?;
    json.end()?;
    Ok((counts, margin))
}

/// Whether so many learners can have counted so.
fn is_of_a_run(counts: &Counts, learners: u64) -> bool {
    let sum = |first: u64, count: fn(&PassCounts) -> u64| {
        let sum = counts.passes.iter().try_fold(first, |sum, pass| sum.checked_add(count(pass)));
        sum.filter(|&sum| sum <= MOST_COUNTED)
    };
    let fits = |pass: &PassCounts| pass.mistakes.max(pass.updates) <= pass.trials.saturating_mul(learners);
    let of_classes = counts.classes.iter().try_fold(0, |sum: u64, &rows| sum.checked_add(rows));
    sum(counts.rows, |pass| pass.trials).is_some_and(|trials| {
        counts.multiclass_mistakes <= trials && (counts.classes.is_empty() || of_classes == Some(trials))
    }) && sum(0, |pass| pass.mistakes).is_some()
        && sum(0, |pass| pass.updates).is_some()
        && counts.passes.iter().all(fits)
}
