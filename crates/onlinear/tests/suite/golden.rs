//! Traces of an independent implementation, trial by trial (see `tests/golden/README.md`).

use std::fs;

use onlinear::workshop::{ClassExample, Fact, Scratch, Stages};
use onlinear::{ALGORITHMS, Input, Label, Step};
use serde_json::Value as Json;

use crate::support::{
    Point, STORAGES, Storage, golden_folder, is_close, read_classes, read_points, ready, spec, stages,
};

/// Fewer cases than this would mean that some are passed over in silence.
const CASES: usize = 56;

/// Learners that know a row met again by its id; others have it in their support set twice.
const ADD_TO_COEFFICIENTS: [&str; 3] = ["perceptron", "averaged", "passive-aggressive"];

#[test]
fn every_case_of_the_learners_here_is_reproduced() {
    let text = fs::read_to_string(golden_folder().join("online.json")).unwrap();
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let cases: Vec<&Json> = all.iter().filter(|case| is_here(case["spec"].as_str().unwrap())).collect();
    assert!(cases.len() >= CASES, "only {} cases were found", cases.len());
    for case in cases {
        for storage in STORAGES {
            replay(case, storage);
        }
    }
}

#[test]
fn every_case_beyond_the_papers_is_reproduced() {
    let text = fs::read_to_string(golden_folder().join("beyond.json")).unwrap();
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let (direct, others): (Vec<&Json>, Vec<&Json>) = all.iter().partition(|case| !case["classes"].is_null());
    assert_eq!((direct.len(), others.len()), (11, 54));
    for storage in STORAGES {
        direct.iter().for_each(|case| replay_direct(case, storage));
        others.iter().for_each(|case| replay(case, storage));
    }
}

/// Whether the learner exists and has every parameter of the case.
fn is_here(text: &str) -> bool {
    let (name, settings) = text.split_once(':').unwrap_or((text, ""));
    let keys = || settings.split(',').filter_map(|setting| setting.split('=').next()).filter(|key| !key.is_empty());
    ALGORITHMS.iter().any(|algorithm| algorithm.name == name && keys().all(|key| algorithm.parameter(key).is_some()))
}

/// What the rows of a case go through.
fn stages_of(case: &Json) -> Stages {
    let normalize = match case["normalize"].as_str().unwrap() {
        "none" => None,
        "l2" => Some("l2".to_string()),
        other => Some(format!("lp:p={}", other.strip_prefix("p:").expect("none, l2 or p:P"))),
    };
    let map = case["map"].as_str().map(String::from);
    let texts: Vec<String> = normalize.into_iter().chain(map).collect();
    Stages::new(&stages(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
}

fn replay(case: &Json, storage: Storage) {
    let id = case["id"].as_str().unwrap();
    let what = |t: usize| format!("{id}, {storage:?} rows, trial {t}");
    let (rows, features) = read_points(&Input::File(golden_folder().join(case["data"].as_str().unwrap())));
    let mut stages = stages_of(case);
    let (features, mut scratch) = (stages.features_after(features), Scratch::default());
    let mut stage =
        |stages: &Stages, row: &Point| Point::of(stages.apply(row.row(storage), &mut scratch), features, row.y);
    let spec = spec(case["spec"].as_str().unwrap());
    let mut learner = ready(&spec, &rows.iter().map(|row| stage(&stages, row)).collect::<Vec<_>>());
    let mut met = Scratch::default();

    let trace = fs::read_to_string(golden_folder().join(format!("traces/{id}.csv"))).unwrap();
    let mut expected = trace.lines().skip(1).enumerate();
    let (mut per_pass, mut updates, mut count_asked) = (Vec::new(), 0, 0);
    for _ in 0..case["passes"].as_u64().unwrap() {
        let mut mistakes = 0;
        for (i, row) in rows.iter().enumerate() {
            let point = Point::of(stages.meet(row.row(storage), u64::MAX, &mut met).unwrap(), features, row.y);
            let (t, line) = expected.next().expect("a trial of the trace");
            let fields: Vec<&str> = line.split(',').collect();
            let round = learner.round(&point.example(storage).at(Some(i as u64)));
            let score: f64 = fields[2].parse().unwrap();
            assert_eq!(fields[0], t.to_string());
            assert_eq!(fields[1], if point.y == Label::Positive { "+1" } else { "-1" }, "{}", what(t));
            assert!(is_close(round.score, score, 1e-9), "{}: {} instead of {score}", what(t), round.score);
            assert_eq!(round.is_mistake(point.y), fields[3] == "1", "{}: score {}", what(t), round.score);
            if let Some(asked) = fields.get(4) {
                assert_eq!(round.asked, Some(*asked == "1"), "{}: score {}", what(t), round.score);
                count_asked += u64::from(*asked == "1");
            }
            mistakes += u64::from(round.is_mistake(point.y));
            updates += u64::from(round.step == Step::Update);
        }
        per_pass.push(mistakes);
    }
    assert!(expected.next().is_none(), "{id}: the trace goes on");
    assert_eq!(Json::from(per_pass.clone()), case["mistakes_per_pass"], "{id}, {storage:?}");
    assert_eq!(Json::from(per_pass.iter().sum::<u64>()), case["mistakes"], "{id}, {storage:?}");
    assert_eq!(Json::from(updates), case["updates"], "{id}, {storage:?}");
    if ADD_TO_COEFFICIENTS.contains(&spec.algorithm().name) && learner.leaves().support_len().is_some() {
        assert_eq!(Json::from(learner.leaves().support_len()), case["support"], "{id}, {storage:?}");
    }

    let asked = learner.facts().further.into_iter().find(|(name, _)| *name == "asked");
    assert_eq!(asked.as_ref().map(|_| Json::from(count_asked)).unwrap_or_default(), case["asked"], "{id}");
    assert!(asked.is_none_or(|(_, fact)| fact == Fact::Number(count_asked as f64)), "{id}");
    if let Some(count) = learner.facts().matrix_updates {
        assert_eq!(Json::from(count), case["matrix_updates"], "{id}, {storage:?}");
    }

    assert_eq!(Json::from(stages.landmarks()), case["landmarks"], "{id}, {storage:?}");
    let final_scores = case["final_scores"].as_array().unwrap();
    assert_eq!(final_scores.len(), 40);
    for (i, (score, row)) in final_scores.iter().zip(&rows).enumerate() {
        let point = stage(&stages, row);
        let (output, score) = (learner.leaves().score(point.row(storage)), score.as_f64().unwrap());
        assert!(
            is_close(output, score, 1e-9),
            "{id}, {storage:?}: final score of row {i} is {output} instead of {score}"
        );
    }
}

/// A case of several classes told apart at once.
fn replay_direct(case: &Json, storage: Storage) {
    let id = case["id"].as_str().unwrap();
    let (rows, classes) = read_classes(&Input::File(golden_folder().join(case["data"].as_str().unwrap())));
    let spec = spec(case["spec"].as_str().unwrap());
    let mut learner = spec.direct(case["classes"].as_u64().unwrap() as usize).unwrap();
    let trace = fs::read_to_string(golden_folder().join(format!("traces/{id}.csv"))).unwrap();
    let mut expected = trace.lines().skip(1);
    let (mut per_pass, mut updates) = (Vec::new(), 0);
    for _ in 0..case["passes"].as_u64().unwrap() {
        let mut mistakes = 0;
        for (i, (row, class)) in rows.iter().zip(&classes).enumerate() {
            let fields: Vec<&str> = expected.next().unwrap().split(',').collect();
            let what = format!("{id}, {storage:?} rows, trial {}", fields[0]);
            let example = ClassExample::new(row.row(storage), class - 1).at(Some(i as u64));
            let (scores, step) = learner.round(&example).unwrap();
            assert_eq!(fields[1], class.to_string(), "{what}");
            assert!(is_close(scores.margin, fields[2].parse().unwrap(), 1e-9), "{what}: {} {fields:?}", scores.margin);
            assert_eq!(scores.margin <= 0.0, fields[3] == "1", "{what}");
            mistakes += u64::from(scores.margin <= 0.0);
            updates += u64::from(step == Step::Update);
        }
        per_pass.push(mistakes);
    }
    assert!(expected.next().is_none(), "{id}: the trace goes on");
    assert_eq!(Json::from(per_pass), case["mistakes_per_pass"], "{id}, {storage:?}");
    assert_eq!(Json::from(updates), case["updates"], "{id}, {storage:?}");
    if let Some(support) = learner.support_len() {
        assert_eq!(Json::from(support), case["support"], "{id}, {storage:?}");
    }
    for (row, theirs) in rows.iter().zip(case["final_scores"].as_array().unwrap()) {
        for (class, theirs) in theirs.as_array().unwrap().iter().enumerate() {
            let ours = learner.leaves(class).score(row.row(storage));
            assert!(is_close(ours, theirs.as_f64().unwrap(), 1e-9), "{id}, {storage:?}: {ours} instead of {theirs}");
        }
    }
}
