//! Models that released versions wrote, and what they predicted: kept for ever (see `tests/models-v1/README.md`).

use std::fs;
use std::path::{Path, PathBuf};

use onlinear::{Batch, Input, Model, ScoreScratch, open, predicted_class};
use serde_json::Value as Json;

use crate::support::golden_folder;

/// How many files version 1 left.
const FILES: usize = 77;

/// The label and the score of each row, as `onlinear predict --scores` finds them.
fn predictions(model: &Model, data: &Path) -> Vec<(String, f64)> {
    let (mut reader, _) = open(&Input::File(data.to_path_buf()), &model.read_options()).unwrap();
    let (mut batch, mut scratch, mut found) = (Batch::default(), ScoreScratch::default(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        for scores in model.scores(&batch.rows, &mut scratch).chunks_exact(model.learner.len()) {
            let class = predicted_class(scores).unwrap();
            let score = scores[if scores.len() == 1 { 0 } else { class }];
            found.push((model.classes.name(class).to_string(), score));
        }
    }
    found
}

#[test]
fn models_of_version_1_load_and_predict_as_they_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models-v1");
    let index: Vec<Json> = serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    assert_eq!(index.len(), FILES);
    for entry in &index {
        let name = entry["model"].as_str().unwrap();
        let mut model = Model::load(&folder.join(name)).unwrap();
        // What AdaBoost called resample then is resample-once now.
        let spec = entry["spec"].as_str().unwrap().replace("weighting=resample", "weighting=resample-once");
        let typed = spec.parse().unwrap();
        assert_eq!(model.spec, typed, "{name}");
        let data = entry["data"].as_str().unwrap();
        let data = if data == "abc.csv" { folder.join(data) } else { golden_folder().join(data) };
        let found = predictions(&model, &data);
        let printed = entry["predictions"].as_array().unwrap();
        assert!(printed.len() == found.len().min(40) && !printed.is_empty(), "{name}");
        for (i, (line, (label, score))) in printed.iter().zip(&found).enumerate() {
            let (then_label, then_score) = line.as_str().unwrap().split_once('\t').unwrap();
            let then_score: f64 = then_score.parse().unwrap();
            assert!(
                label == then_label && (score - then_score).abs() <= 1e-12 * then_score.abs(),
                "{name}, row {i}: {label} {score}, and then {then_label} {then_score}"
            );
        }
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(predictions(&again, &data), found, "{name} saved again");
    }
}
