//! Model files as other programs, and older ones, lay them out: what says the same is loaded, and saved in the one way.

use std::collections::HashMap;

use onlinear::Model;
use safetensors::{Dtype, tensor::TensorView};
use serde_json::{Map, Value as Json, json};

use super::forgery::{Forgery, file};
use super::models::{model_of, models};

/// The canonical bytes of a file that is accepted.
fn saved(what: &str, bytes: &[u8]) -> Vec<u8> {
    let mut model = Model::from_bytes(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    model.to_bytes().unwrap()
}

fn take_apart(bytes: &[u8]) -> Forgery {
    Forgery::of(bytes).expect("a file of our own").0
}

/// The file as the safetensors crate's own serializer writes it: metadata in random order.
fn rewritten(bytes: &[u8]) -> Vec<u8> {
    let forgery = take_apart(bytes);
    let mut metadata: HashMap<String, String> = forgery.metadata.clone().into_iter().collect();
    metadata.insert("checksum".to_string(), forgery.checksum());
    let views = forgery.arrays.iter().map(|(name, array)| {
        let kind = match array.kind.as_str() {
            "F64" => Dtype::F64,
            "U64" => Dtype::U64,
            "U32" => Dtype::U32,
            _ => Dtype::U8,
        };
        (name, TensorView::new(kind, vec![array.len()], &array.bytes).expect("an array of our own"))
    });
    safetensors::serialize(views, Some(metadata)).unwrap()
}

/// The file with its arrays in the order of falling names, metadata at the end, many spaces and no alignment.
fn turned_round(bytes: &[u8]) -> Vec<u8> {
    let forgery = take_apart(bytes);
    let (header, _) = forgery.parts();
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (name, array) in forgery.arrays.iter().rev() {
        let start = data.len();
        data.extend_from_slice(&array.bytes);
        let offsets = format!("[ {start} ,\n {} ]", data.len());
        let (kind, length) = (&array.kind, array.len());
        entries.push(format!(r#""{name}" : {{ "shape":[{length}], "data_offsets": {offsets}, "dtype":"{kind}" }}"#));
    }
    entries.push(format!("\"__metadata__\": {}", serde_json::to_string_pretty(&header["__metadata__"]).unwrap()));
    let text = format!("{{\n {}\n}}\t\r\n ", entries.join(" ,\n "));
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &data].concat()
}

#[test]
fn a_model_of_every_learner_laid_out_by_another_program_is_the_same_model() {
    for model in models() {
        let name = &model.name;
        assert!(saved(name, &rewritten(&model.bytes)) == model.bytes, "{name}, by the safetensors crate");
        assert!(saved(name, &turned_round(&model.bytes)) == model.bytes, "{name}, turned round");
    }
}

/// JSON text in another spelling: keys in falling order, spaces, whole numbers as floats.
fn respelled(json: &Json) -> String {
    match json {
        Json::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().rev().map(|(key, value)| format!("{} : {}", json!(key), respelled(value))).collect();
            format!("{{ {} }}", fields.join(" ,\n"))
        }
        Json::Array(items) => format!("[ {} ]", items.iter().map(respelled).collect::<Vec<_>>().join(" , ")),
        Json::Number(number) if number.as_u64().is_some_and(|n| n <= 1 << 53) => format!("{number}.0e0"),
        other => other.to_string(),
    }
}

#[test]
fn metadata_may_be_spelled_in_any_way() {
    for model in models() {
        let mut forged = take_apart(&model.bytes);
        for key in ["labels", "preprocessing", "counts"] {
            forged.metadata.insert(key.to_string(), respelled(&forged.json(key)));
        }
        assert!(saved(&model.name, &forged.bytes()) == model.bytes, "{}", model.name);
    }
}

#[test]
fn what_has_a_default_or_follows_may_be_missing() {
    for model in models() {
        let mut forged = take_apart(&model.bytes);
        let mut counts = forged.json("counts");
        let fields: &mut Map<String, Json> = counts.as_object_mut().unwrap();
        fields.retain(|key, _| !["trials", "mistakes", "updates"].contains(&key.as_str()));
        forged.metadata.insert("counts".to_string(), counts.to_string());
        assert!(saved(&model.name, &forged.bytes()) == model.bytes, "{}", model.name);
    }
}

/// A spec in a file is read as one that a person types.
#[test]
fn specs_are_compared_after_they_were_read() {
    for (spec, others) in [
        ("averaged", &["averaged", "averaged:eta=1.0", "averaged:cosine=false,rate=1"][..]),
        ("perceptron:kernel=gaussian,sigma2=4", &["perceptron:sigma2=4.00,kernel=gaussian"]),
        (
            "passive-aggressive:variant=pa2,aggressiveness=0.5",
            &["passive-aggressive:c=0.5,variant=pa2", "passive-aggressive:variant=pa2,c=5e-1"],
        ),
        ("adaboost:base=perceptron,rounds=3", &["adaboost:rounds=3,base.eta=1,base=perceptron"]),
    ] {
        let bytes = model_of(spec);
        for other in others {
            let mut forged = take_apart(&bytes);
            forged.metadata.insert("spec".to_string(), other.to_string());
            assert!(saved(other, &forged.bytes()) == bytes, "{other} for {spec}");
        }
    }
}

#[test]
fn spaces_behind_the_header_are_no_harm() {
    let bytes = model_of("averaged");
    let (header, data) = take_apart(&bytes).parts();
    let text = file(&Json::Object(header), &[]);
    for spaces in [1, 8, 1000] {
        let length = (text.len() - 8 + spaces) as u64;
        let spaced = [&length.to_le_bytes()[..], &text[8..], &vec![b' '; spaces], &data].concat();
        assert!(saved("spaces", &spaced) == bytes, "{spaces} spaces");
    }
}
