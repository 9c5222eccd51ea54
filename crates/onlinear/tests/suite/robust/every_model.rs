//! What holds for a model of every learner whatever is done to one of its parts: it is refused, or it is a model
//! that is saved as what it is, scores, and can be gone on with.

use onlinear::Model;
use serde_json::{Value as Json, json};

use super::entries::{model, predict, resume};
use super::forgery::{Array, Forgery, is_newer};
use super::models::{Sound, models};

/// Whether a forged file is refused; all that must hold is asserted where it is not.
fn is_refused(forged: &Forgery, sound: &Sound) -> bool {
    let bytes = forged.bytes();
    model(&bytes);
    let refused = Model::from_bytes(&bytes).is_err();
    if !refused {
        predict(&sound.with_data(&bytes));
        resume(&sound.with_data(&bytes));
    }
    refused
}

/// An array with its last element left out, one more, its elements turned round, and so on.
fn changed(array: &Array) -> Vec<Array> {
    let with = |bytes: Vec<u8>| Array { kind: array.kind.clone(), bytes };
    let (width, length) = (array.width(), array.bytes.len());
    let elements = || array.bytes.chunks_exact(width);
    let mut all = vec![
        with(Vec::new()),
        with(vec![0; length]),
        with(vec![0xff; length]),
        with(vec![1; length]),
        with(elements().rev().flatten().copied().collect()),
        with([&array.bytes[..], &vec![0; width]].concat()),
        with(array.bytes[..length.saturating_sub(width)].to_vec()),
        with([&array.bytes[width.min(length)..], &vec![1; width]].concat()),
    ];
    if array.kind == "F64" {
        let values = array.to_f64s();
        let map = |f: fn(f64) -> f64| Array::f64s(&values.iter().copied().map(f).collect::<Vec<f64>>());
        all.extend([
            map(|v| -v),
            map(|v| v * 1e300),
            map(|v| v * 1e-300),
            map(|v| v + 1.0),
            map(|_| f64::MAX),
            map(|_| -5e-324),
        ]);
    }
    all
}

#[test]
fn no_array_can_be_missing_or_of_another_type_or_hold_what_is_no_number() {
    for model in models() {
        let name = &model.name;
        let (sound, _) = Forgery::of(&model.bytes).unwrap();
        assert_eq!(sound.bytes(), model.bytes, "{name}: not laid out as docs/model-format.md says");
        for (key, array) in &sound.arrays {
            let mut forged = sound.clone();
            forged.arrays.remove(key);
            assert_eq!(is_refused(&forged, &model), !is_newer(key), "{name} without {key}");
            for kind in ["F64", "U64", "U32", "U8", "I64", "F32", "I32", "I8", "BOOL"]
                .iter()
                .filter(|kind| **kind != array.kind)
            {
                let other = Array { kind: kind.to_string(), bytes: array.bytes.clone() };
                forged.arrays.insert(key.clone(), other);
                assert!(is_refused(&forged, &model), "{name} with {key} as {kind}");
            }
            if array.kind == "F64" && array.len() > 0 {
                for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut values = array.to_f64s();
                    let last = values.len() - 1;
                    values[last] = odd;
                    forged.arrays.insert(key.clone(), Array::f64s(&values));
                    assert!(is_refused(&forged, &model), "{name} with {odd} in {key}");
                }
            }
        }
    }
}

#[test]
fn changed_arrays_are_refused_or_make_a_model() {
    let (mut refused, mut accepted) = (0, 0);
    for model in models() {
        let (sound, _) = Forgery::of(&model.bytes).unwrap();
        for (key, array) in &sound.arrays {
            for array in changed(array) {
                let mut forged = sound.clone();
                forged.arrays.insert(key.clone(), array);
                *(if is_refused(&forged, &model) { &mut refused } else { &mut accepted }) += 1;
            }
        }
    }
    assert!(refused > accepted && accepted > 0, "{refused} refused, {accepted} accepted");
}

#[test]
fn changed_metadata_are_refused_or_make_a_model() {
    let values = [
        json!(null),
        json!(-1),
        json!(0),
        json!(3),
        json!(0.5),
        json!(1e300),
        json!(u64::MAX),
        json!("x"),
        json!([]),
        json!(true),
    ];
    // The last ones have all kinds of features, classes and stages.
    for model in models().into_iter().rev().take(12) {
        let (sound, _) = Forgery::of(&model.bytes).unwrap();
        for key in ["counts", "preprocessing"] {
            let Json::Object(fields) = sound.json(key) else { panic!("{key} is no object") };
            for field in fields.keys() {
                for value in &values {
                    let mut fields = fields.clone();
                    fields.insert(field.clone(), value.clone());
                    let mut forged = sound.clone();
                    forged.metadata.insert(key.to_string(), Json::Object(fields).to_string());
                    is_refused(&forged, &model);
                }
                let mut fields = fields.clone();
                fields.remove(field);
                let mut forged = sound.clone();
                forged.metadata.insert(key.to_string(), Json::Object(fields).to_string());
                // What the passes add up to follows from what is left; older files lack what is known of classes.
                let follows = ["trials", "mistakes", "updates", "classes", "class_weights"].contains(&field.as_str());
                assert_eq!(is_refused(&forged, &model), !follows, "without {field} of {key}");
            }
        }
    }
}
