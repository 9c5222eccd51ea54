//! Forged model files, each refused with its reason, in little memory. `tests/attacks/README.md` lists them.

use std::path::PathBuf;
use std::process::Command;

use onlinear::Model;
use serde_json::{Value as Json, json};

use super::forgery::{Array, Forgery, file};
use super::models::model_of;

/// A forged file: its name, words of the reason for which it is refused, and its bytes.
struct Attack {
    name: &'static str,
    reason: &'static str,
    bytes: Vec<u8>,
}

fn forgery(spec: &str) -> Forgery {
    Forgery::of(&model_of(spec)).expect("a file of our own").0
}

/// What is wrong with the layout, whatever the checksum.
fn layouts() -> Vec<Attack> {
    let sound = forgery("averaged");
    let (header, data) = sound.parts();
    let bytes = sound.bytes();
    let with = |change: &dyn Fn(&mut Json)| {
        let mut header = Json::Object(header.clone());
        change(&mut header);
        file(&header, &data)
    };
    let weights = "learner.weights";
    let length = |length: u64| [&length.to_le_bytes()[..], &bytes[8..]].concat();
    let attack = |name, reason, bytes| Attack { name, reason, bytes };
    vec![
        attack("header-of-gigabytes", "not a whole safetensors file", length(8 << 30)),
        attack("header-length-overflows", "not a whole safetensors file", length(u64::MAX)),
        attack("header-length-short", "not a whole safetensors file", length(16)),
        attack("header-is-an-array", "not a whole safetensors file", file(&json!([1, 2, 3]), &data)),
        attack("header-nested-deep", "not a whole safetensors file", {
            let deep = "[".repeat(4000);
            [&(deep.len() as u64).to_le_bytes()[..], deep.as_bytes()].concat()
        }),
        attack(
            "offsets-overflow",
            "not a whole safetensors file",
            with(&|h| h[weights]["data_offsets"] = json!([0, u64::MAX])),
        ),
        attack(
            "offsets-backwards",
            "not a whole safetensors file",
            with(&|h| h[weights]["data_offsets"] = json!([8, 0])),
        ),
        attack(
            "offsets-beyond-the-data",
            "not a whole safetensors file",
            with(&|h| {
                h[weights] = json!({"dtype": "F64", "shape": [1 << 27], "data_offsets": [0, 1u64 << 30]});
            }),
        ),
        attack(
            "offsets-overlap",
            "not a whole safetensors file",
            with(&|h| {
                h[weights]["data_offsets"] = h["learner.weighted-updates"]["data_offsets"].clone();
            }),
        ),
        attack(
            "shape-overflows",
            "not a whole safetensors file",
            with(&|h| h[weights]["shape"] = json!([1u64 << 32, 1u64 << 32])),
        ),
        attack("shape-does-not-fit", "not a whole safetensors file", with(&|h| h[weights]["shape"] = json!([2]))),
        attack(
            "shape-of-two-dimensions",
            "has 2 dimensions; expected 1",
            with(&|h| h[weights]["shape"] = json!([3, 1])),
        ),
        attack("type-unknown", "not a whole safetensors file", with(&|h| h[weights]["dtype"] = json!("F99"))),
        attack("type-of-another-program", "is of type I64", {
            let mut forged = sound.clone();
            forged.arrays.get_mut(weights).expect("its weights").kind = "I64".to_string();
            forged.bytes()
        }),
        attack("another-programs", "not one of onlinear's", {
            let weights = [("weights".to_string(), Array::f64s(&[1.0, 2.0]))];
            Forgery { metadata: [("format".to_string(), "pt".to_string())].into(), arrays: weights.into() }.bytes()
        }),
        attack("bytes-behind-the-end", "not a whole safetensors file", [&bytes[..], b"12345678"].concat()),
        attack("header-key-unknown", "has a key twice, or one that is not of safetensors", {
            with(&|h| h[weights]["author"] = json!("nobody"))
        }),
        attack("header-key-twice", "has a key twice, or one that is not of safetensors", {
            let text = Json::Object(header.clone()).to_string().replacen("\"spec\"", "\"spec\":\"romma\",\"spec\"", 1);
            [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &data].concat()
        }),
        attack(
            "checksum-of-another",
            "the checksum does not match",
            with(&|h| h["__metadata__"]["checksum"] = json!("crc32:00000000")),
        ),
        attack("checksum-missing", "the model has no 'checksum'", {
            let mut header = header.clone();
            header["__metadata__"].as_object_mut().expect("the metadata").remove("checksum");
            file(&Json::Object(header), &data)
        }),
    ]
}

/// What a right checksum covers: metadata that do not make sense.
fn metadata() -> Vec<Attack> {
    let attack = |name, reason, spec: &str, change: &dyn Fn(&mut Forgery)| {
        let mut forged = forgery(spec);
        change(&mut forged);
        Attack { name, reason, bytes: forged.bytes() }
    };
    let set = |key: &'static str, value: &'static str| {
        move |forged: &mut Forgery| {
            forged.metadata.insert(key.to_string(), value.to_string());
        }
    };
    let set_json = |key: &'static str, field: &'static str, value: Json| {
        move |forged: &mut Forgery| {
            let mut json = forged.json(key);
            json[field] = value.clone();
            forged.metadata.insert(key.to_string(), json.to_string());
        }
    };
    let within = |field, value| set_json("preprocessing", field, value);
    // The rows (2) and (0, 3) as landmarks, with this factor of their products.
    let landmarks = |forged: &mut Forgery, stage: &str, factor: &[f64]| {
        within("stages", json!([stage]))(forged);
        let arrays = [
            ("rows.starts", Array::u64s(&[0, 1, 2])),
            ("rows.indices", Array::u32s(&[0, 1])),
            ("rows.values", Array::f64s(&[2.0, 3.0])),
            ("ids", Array::u64s(&[u64::MAX; 2])),
            ("factor.order", Array::u64s(&[2])),
            ("factor.triangle", Array::f64s(factor)),
        ];
        forged.arrays.extend(arrays.map(|(name, array)| (format!("stage.0.{name}"), array)));
    };
    let count = |field, value| set_json("counts", field, value);
    vec![
        attack(
            "version-newer",
            "its version 3 is newer than this program, which knows 2",
            "averaged",
            &set("version", "3"),
        ),
        attack("version-of-words", "its version is 'one'", "averaged", &set("version", "one")),
        attack("version-zero", "its version is '0'", "averaged", &set("version", "0")),
        attack("version-missing", "the model has no 'version'", "averaged", &|forged| {
            forged.metadata.remove("version");
        }),
        attack("metadata-unknown", "'command' does not belong to the model", "averaged", &set("command", "rm -r .")),
        attack("spec-unknown", "no learner is called 'os.system'", "averaged", &set("spec", "os.system")),
        attack("spec-out-of-range", "its spec is wrong", "averaged", &set("spec", "averaged:rate=-1")),
        attack("spec-with-escapes", "no learner is called '\u{fffd}[2J'", "averaged", &set("spec", "\u{1b}[2J")),
        attack("spec-of-another-learner", "is missing", "averaged", &set("spec", "romma:aggressive=false")),
        attack("labels-one", "'labels' are not the classes", "averaged", &set("labels", r#"["a"]"#)),
        attack("labels-alike", "'labels' are not the classes", "averaged", &set("labels", r#"["1","1.0"]"#)),
        attack(
            "labels-not-those-of-the-learners",
            "'labels' are not the classes",
            "averaged",
            &set("labels", r#"["a","b","c"]"#),
        ),
        attack("classes-without-learners", "tensor 'learner.0.weights' is missing", "averaged", &|forged| {
            set("labels", r#"["a","b","c"]"#)(forged);
            within("label_rule", json!("one-versus-rest"))(forged);
            count("multiclass_mistakes", json!(0))(forged);
            count("classes", json!([]))(forged);
        }),
        attack(
            "counts-of-other-classes",
            "'counts' are not those of a run",
            "averaged",
            &count("classes", json!([1, 2])),
        ),
        attack(
            "class-weights-of-no-class",
            "'class_weights' of 'preprocessing' is [1.0]; expected a number > 0 for each class, or none",
            "averaged",
            &within("class_weights", json!([1.0])),
        ),
        attack("features-fewer-than-weights", "more weights than features", "averaged", &within("features", json!(1))),
        attack(
            "features-overflow",
            "more features than there can be",
            "averaged",
            &within("features", json!(u64::MAX)),
        ),
        attack(
            "features-negative",
            "'features' of 'preprocessing' is -3; expected a whole number",
            "averaged",
            &within("features", json!(-3)),
        ),
        attack(
            "hash-of-many-bits",
            "'hash' of 'preprocessing' is 63; expected 1 to 31 bits",
            "averaged",
            &within("hash", json!(63)),
        ),
        attack("hash-beyond-the-features", "fewer features than names", "averaged", &within("hash", json!(31))),
        attack("names-without-names", "tensor 'features.ends' is missing", "averaged", &within("named", json!(true))),
        attack("norm-of-zero", "p=0 is out of range", "averaged", &within("stages", json!(["lp:p=0"]))),
        attack("stage-unknown", "no stage is called 'no-such'", "averaged", &within("stages", json!(["no-such"]))),
        attack("stages-not-a-list", "'stages' of 'preprocessing' is", "averaged", &within("stages", json!("minmax"))),
        attack("stages-and-scale", "'scale' does not belong to", "averaged", &within("scale", json!("minmax"))),
        attack(
            "scale-without-arrays",
            "tensor 'stage.0.center' is missing",
            "averaged",
            &within("stages", json!(["minmax"])),
        ),
        attack("scale-beyond-the-features", "more features are scaled", "averaged", &|forged| {
            within("stages", json!(["minmax"]))(forged);
            forged.arrays.insert("stage.0.center".to_string(), Array::f64s(&[0.0; 9]));
            forged.arrays.insert("stage.0.factor".to_string(), Array::f64s(&[1.0; 9]));
        }),
        attack("scale-of-two-lengths", "stage.0.center and factor differ in length", "averaged", &|forged| {
            within("stages", json!(["minmax"]))(forged);
            forged.arrays.insert("stage.0.center".to_string(), Array::f64s(&[0.0; 3]));
            forged.arrays.insert("stage.0.factor".to_string(), Array::f64s(&[1.0; 2]));
        }),
        attack(
            "waves-without-number",
            "dimension=9 is odd",
            "averaged",
            &within("stages", json!(["fourier:dimension=9"])),
        ),
        attack("landmarks-without-arrays", "tensor 'stage.0.rows.starts' is missing", "averaged", &|forged| {
            within("stages", json!(["nystrom"]))(forged);
        }),
        attack("landmarks-too-many", "stage.0.there are more landmarks than there may be", "averaged", &|forged| {
            landmarks(forged, "nystrom:landmarks=1", &[2.0, 0.0, 3.0]);
        }),
        attack("landmarks-of-another-matrix", "stage.0.factor is not that of the landmarks", "averaged", &|forged| {
            landmarks(forged, "nystrom", &[2.0, 1.0, 3.0]);
        }),
        attack("landmarks-of-no-pivot", "stage.0.factor is not that of the landmarks", "averaged", &|forged| {
            landmarks(forged, "nystrom", &[2.0, 0.0, -3.0]);
        }),
        attack(
            "preprocessing-unknown",
            "'clip' does not belong to 'preprocessing'",
            "averaged",
            &within("clip", json!(1)),
        ),
        attack("preprocessing-missing", "'preprocessing' has no 'shuffle'", "averaged", &|forged| {
            let mut json = forged.json("preprocessing");
            json.as_object_mut().expect("an object").remove("shuffle");
            forged.metadata.insert("preprocessing".to_string(), json.to_string());
        }),
        attack("preprocessing-key-twice", "'preprocessing' has a key twice", "averaged", &|forged| {
            let twice = forged.metadata["preprocessing"].replacen("{", "{\"shuffle\":1,", 1);
            forged.metadata.insert("preprocessing".to_string(), twice);
        }),
        attack("columns-unknown", "'quote' does not belong to 'csv' of 'preprocessing'", "averaged", &|forged| {
            let columns = json!([["x", "number"], ["class", "label"]]);
            within("csv", json!({"header": true, "delimiter": ",", "columns": columns, "quote": "'"}))(forged);
        }),
        attack("counts-unknown", "'seconds' does not belong to 'counts'", "averaged", &count("seconds", json!(1))),
        attack(
            "counts-of-more-classes",
            "'multiclass_mistakes' does not belong to 'counts'",
            "averaged",
            &count("multiclass_mistakes", json!(0)),
        ),
        attack(
            "counts-negative",
            "'per_pass' of 'counts' is [[8,-1,3]]",
            "averaged",
            &count("per_pass", json!([[8, -1, 3]])),
        ),
        attack(
            "counts-of-four",
            "'per_pass' of 'counts' is [[8,5,5,0]]",
            "averaged",
            &count("per_pass", json!([[8, 5, 5, 0]])),
        ),
        attack(
            "counts-broken",
            "'rows' of 'counts' is 0.5; expected a whole number",
            "averaged",
            &count("rows", json!(0.5)),
        ),
        attack(
            "counts-overflow",
            "'counts' are not those of a run",
            "averaged",
            &count("per_pass", json!([[u64::MAX, 0, 0]])),
        ),
        attack(
            "counts-more-mistakes-than-trials",
            "'counts' are not those of a run",
            "averaged",
            &count("per_pass", json!([[8, 9, 3]])),
        ),
        attack(
            "counts-do-not-add-up",
            "'counts': trials are 7, but 8 by 'per_pass'",
            "averaged",
            &count("trials", json!(7)),
        ),
    ]
}

/// What a right checksum covers: arrays that do not fit together, or are not what they are said to be.
fn arrays() -> Vec<Attack> {
    let attack = |name, reason, spec: &str, change: &dyn Fn(&mut Forgery)| {
        let mut forged = forgery(spec);
        change(&mut forged);
        Attack { name, reason, bytes: forged.bytes() }
    };
    let set = |name: &'static str, array: Array| {
        move |forged: &mut Forgery| {
            assert!(forged.arrays.insert(name.to_string(), array.clone()).is_some(), "there is no {name}");
        }
    };
    let drop = |name: &'static str| {
        move |forged: &mut Forgery| {
            forged.arrays.remove(name).expect("an array to drop");
        }
    };
    let multiply = |name: &'static str, by: f64| {
        move |forged: &mut Forgery| {
            let values: Vec<f64> = forged.arrays[name].to_f64s().iter().map(|value| value * by).collect();
            forged.arrays.insert(name.to_string(), Array::f64s(&values));
        }
    };
    let kernel = "perceptron:kernel=gaussian";
    let dual = "second-order:form=dual";
    vec![
        attack("array-missing", "tensor 'learner.weights' is missing", "averaged", &drop("learner.weights")),
        attack("array-too-many", "tensor 'learner.more' does not belong to averaged", "averaged", &|forged| {
            forged.arrays.insert("learner.more".to_string(), Array::f64s(&[1.0]));
        }),
        attack(
            "weights-nan",
            "'learner.weights' holds a number that is not finite",
            "averaged",
            &set("learner.weights", Array::f64s(&[0.0, f64::NAN, 0.0])),
        ),
        attack(
            "weights-infinite",
            "'learner.weights' holds a number that is not finite",
            "averaged",
            &set("learner.weights", Array::f64s(&[0.0, f64::INFINITY, 0.0])),
        ),
        attack(
            "weights-of-counts",
            "tensor 'learner.weights' has the wrong type",
            "averaged",
            &set("learner.weights", Array::u64s(&[1, 2, 3])),
        ),
        attack(
            "weights-of-two-lengths",
            "differ in length",
            "averaged",
            &set("learner.weights", Array::f64s(&[1.0, 2.0])),
        ),
        attack(
            "trials-overflow",
            "trials is larger than any count",
            "averaged",
            &set("learner.trials", Array::u64s(&[u64::MAX])),
        ),
        attack("trials-two", "should hold one number, not 2", "averaged", &set("learner.trials", Array::u64s(&[1, 2]))),
        attack(
            "support-of-two-lengths",
            "stored rows do not fit together",
            kernel,
            &set("learner.support.rows.values", Array::f64s(&[1.0])),
        ),
        attack(
            "support-starts-fall",
            "stored rows do not fit together",
            kernel,
            &set("learner.support.rows.starts", Array::u64s(&[0, 5, 2])),
        ),
        attack(
            "support-starts-overflow",
            "stored rows do not fit together",
            kernel,
            &set("learner.support.rows.starts", Array::u64s(&[0, u64::MAX])),
        ),
        attack("support-index-out-of-range", "indices go beyond the features", kernel, &|forged| {
            let array = forged.arrays.get_mut("learner.support.rows.indices").expect("its indices");
            let last = array.bytes.len() - 4;
            array.bytes[last..].copy_from_slice(&u32::MAX.to_le_bytes());
        }),
        attack(
            "support-without-coefficients",
            "coefficients and support rows differ in number",
            kernel,
            &set("learner.coefficients", Array::f64s(&[])),
        ),
        attack("support-ids-alike", "two rows have the same id", kernel, &|forged| {
            let rows = forged.arrays["learner.support.ids"].len();
            forged.arrays.insert("learner.support.ids".to_string(), Array::u64s(&vec![3; rows]));
        }),
        attack(
            "support-beyond-the-budget",
            "more support vectors than the budget allows",
            "forgetron:budget=3",
            &|forged| {
                let spec = forged.metadata["spec"].replace("budget=3", "budget=1");
                forged.metadata.insert("spec".to_string(), spec);
            },
        ),
        attack("place-out-of-range", "a place is beyond the rows held", "voted", &|forged| {
            let updates = forged.arrays["learner.places"].len();
            forged.arrays.insert("learner.places".to_string(), Array::u32s(&vec![77; updates]));
        }),
        attack("inverse-missing", "tensor 'learner.inverse.matrix.order' is missing", "second-order", &|forged| {
            forged.arrays.retain(|name, _| !name.starts_with("learner.inverse."));
        }),
        attack(
            "inverse-is-none",
            "inverse is not that of a sum of squares",
            "second-order",
            &multiply("learner.inverse.matrix.triangle", 3.0),
        ),
        attack(
            "inverse-order-overflows",
            "order and triangle do not fit together",
            "second-order",
            &set("learner.inverse.matrix.order", Array::u64s(&[1 << 33])),
        ),
        attack(
            "precision-negative",
            "precision-gained is negative",
            "arow",
            &multiply("learner.precision-gained", -1.0),
        ),
        attack(
            "precision-of-another-length",
            "the weights and precision-gained differ in length",
            "scw",
            &set("learner.precision-gained", Array::f64s(&[1.0])),
        ),
        attack(
            "covariance-is-none",
            "covariance is not what rows leave of 1",
            "scw:matrix=full",
            &multiply("learner.covariance.matrix.triangle", 100.0),
        ),
        attack(
            "ridges-negative",
            "ridges are not those of the support set",
            "arow:matrix=full,kernel=gaussian",
            &multiply("learner.ridges", -1.0),
        ),
        attack(
            "ridges-of-others",
            "factor is not that of the support set",
            "arow:matrix=full,kernel=gaussian",
            &multiply("learner.ridges", 1.5),
        ),
        attack("factor-missing", "tensor 'learner.factor.order' is missing", "projectron", &|forged| {
            forged.arrays.retain(|name, _| !name.starts_with("learner.factor."));
        }),
        attack(
            "factor-is-none",
            "factor is not that of the support set",
            "projectron",
            &multiply("learner.factor.triangle", 1.01),
        ),
        attack(
            "factor-is-none-dual",
            "factor is not that of the support set",
            dual,
            &multiply("learner.factor.triangle", 0.5),
        ),
        attack("form-unknown", "its form is not one of its spec", dual, &set("learner.dual", Array::u64s(&[2]))),
        attack("sum-is-none", "sum is not that of its terms", "winnow", &multiply("learner.sum.value", 1.5)),
        attack("sum-negative", "sum is not that of its terms", "p-norm", &multiply("learner.sum.value", -1.0)),
        attack("scale-of-zero", "scale, square or wear is out of range", "romma", &multiply("learner.scale", 0.0)),
        attack("square-negative", "scale, square or wear is out of range", "romma", &multiply("learner.square", -1.0)),
        attack(
            "wear-negative",
            "scale, square or wear is out of range",
            "romma",
            &set("learner.wear", Array::f64s(&[-1.0])),
        ),
        attack(
            "generator-of-zeros",
            "the generator is not one",
            "rbp",
            &set("learner.generator", Array::u64s(&[0; 4])),
        ),
        attack(
            "votes-without-members",
            "is missing",
            "adaboost:base=projectron,weighting=resample-once,rounds=1000",
            &|forged| {
                forged.arrays.insert("learner.votes".to_string(), Array::f64s(&[1.0; 900]));
            },
        ),
        attack(
            "stopped-with-escapes",
            "stopped is not a line of text",
            "adaboost:rounds=3",
            &set("learner.stopped", Array { kind: "U8".to_string(), bytes: b"\x1b[2J".to_vec() }),
        ),
    ]
}

fn attacks() -> Vec<Attack> {
    layouts().into_iter().chain(metadata()).chain(arrays()).collect()
}

#[test]
fn every_attack_is_refused_for_its_reason() {
    let mut wrong = Vec::new();
    for Attack { name, reason, bytes } in attacks() {
        match Model::from_bytes(&bytes) {
            Ok(_) => wrong.push(format!("{name}: accepted")),
            Err(error) if !error.to_string().contains(reason) => wrong.push(format!("{name}: {error}, not '{reason}'")),
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{name}"),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The attacks in a process that may have 256 MB of address space and ten seconds of a processor. What a file claims to
/// hold is never believed before it is there.
#[cfg(target_os = "linux")]
#[test]
fn every_attack_is_refused_in_little_memory_and_time() {
    let ran = Command::new("sh")
        .args(["-c", "ulimit -v 262144 && ulimit -t 10 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "robust::attacks::every_attack_is_refused_for_its_reason", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&ran.stderr));
}

/// A file that is small beside what it would have the loader build: its name, the reason for which it is refused, the
/// key of the metadata that makes it so, and what that holds.
type Bomb = (&'static str, &'static str, &'static str, Box<dyn Fn() -> String>);

/// About so many bytes of JSON each.
const BOMB: usize = 10_000_000;

fn bombs() -> Vec<Bomb> {
    fn nested(levels: usize) -> String {
        let key = |level: usize| format!("{}base=adaboost", "base.".repeat(level));
        format!("adaboost:{}", (0..levels).map(key).collect::<Vec<_>>().join(","))
    }
    fn list(item: &str) -> String {
        format!("[{}]", vec![item; BOMB / (item.len() + 1)].join(","))
    }
    fn about(key: &str, value: String) -> String {
        let mut json = forgery("adaboost:rounds=3").json("preprocessing");
        json.as_object_mut().unwrap().remove(key);
        let json = json.to_string();
        format!("{},\"{key}\":{value}}}", &json[..json.len() - 1])
    }
    let counts = |passes: String| format!(r#"{{"per_pass":{passes},"rows":0,"margin":null,"more":0}}"#);
    let columns = |list: String| format!(r#"{{"header":true,"delimiter":",","columns":{list}}}"#);
    vec![
        ("spec-nested-a-little", "at more than 8 levels", "spec", Box::new(|| nested(9))),
        ("spec-nested-deep", "too long", "spec", Box::new(|| nested(1900))),
        ("spec-of-megabytes", "too long", "spec", Box::new(|| format!("adaboost:base={}", "x".repeat(BOMB)))),
        ("labels-of-nothing", "not the classes", "labels", Box::new(|| list("\"\""))),
        ("labels-of-lists", "not the classes", "labels", Box::new(|| list("[]"))),
        ("counts-of-lists", "expected an object", "counts", Box::new(|| list("[0,0,0]"))),
        ("passes-without-end", "does not belong", "counts", Box::new(move || counts(list("[1,1,1]")))),
        (
            "columns-without-end",
            "expected the columns",
            "preprocessing",
            Box::new(move || about("csv", columns(list("[\"\",\"text\"]")))),
        ),
        ("stages-without-end", "'preprocessing': ", "preprocessing", Box::new(|| about("stages", list("\"l3\"")))),
    ]
}

/// What the loader may take for a file of so many bytes: the multiple that `docs/robustness.md` states.
const fn most_memory(bytes: usize) -> usize {
    64 * bytes + (64 << 20)
}

#[test]
fn every_bomb_is_refused_for_its_reason() {
    for (name, reason, key, text) in bombs() {
        let mut forged = forgery("adaboost:rounds=3");
        forged.metadata.insert(key.to_string(), text());
        let bytes = forged.bytes();
        drop(forged);
        let error = Model::from_bytes(&bytes).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(reason), "{name}: {}", error.chars().take(300).collect::<String>());
        assert!(error.len() < 1000, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_bomb_is_refused_within_a_multiple_of_its_size() {
    let most = most_memory(BOMB);
    let ran = Command::new("sh")
        .args(["-c", &format!("ulimit -v {} && ulimit -t 60 && exec \"$0\" \"$@\"", most / 1024)])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "robust::attacks::every_bomb_is_refused_for_its_reason", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&ran.stderr));
}

/// A model whose counts are at their limit is one, but it does not become one that nobody can load.
#[test]
fn a_model_at_the_limit_of_counting_does_not_go_on() {
    use crate::support::memory;
    use onlinear::{Keep, LabelChoice, Passes, Plan, ReadOptions, Start, learn};
    type Change = fn(&mut Forgery);
    let changes: [(&str, Change); 2] = [
        ("perceptron", |forged| {
            let counts = json!({"per_pass": [[1u64 << 53, 1, 1]], "rows": 0, "margin": null});
            forged.metadata.insert("counts".to_string(), counts.to_string());
        }),
        ("averaged", |forged| {
            forged.arrays.insert("learner.trials".to_string(), Array::u64s(&[1 << 53]));
        }),
    ];
    for (spec, change) in changes {
        let mut forged = forgery(spec);
        change(&mut forged);
        let model = Model::from_bytes(&forged.bytes()).unwrap();
        let plan = Plan {
            input: memory(b"+1 1:1\n-1 2:1\n".to_vec()),
            read: ReadOptions::default(),
            labels: LabelChoice::default(),
            passes: Passes::Exactly(1),
            keep: Keep { limit: None, cache: false, max_memory: 1 << 30 },
            train_error: false,
            holdout: None,
        };
        let error = learn(plan, Start::Resume(model.into()), &mut ()).err().unwrap().to_string();
        assert_eq!(error, "the model cannot go on: it has counted more than any run can", "{spec}");
    }
}

/// A file that begins as no model does is not read further, however long it is.
#[cfg(target_os = "linux")]
#[test]
fn a_huge_file_that_is_no_model_is_refused_by_its_first_bytes() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 40).unwrap();
    assert!(Model::load(file.path()).is_err_and(|error| error.to_string().contains("not a whole safetensors file")));
    assert!(Model::load("/dev/zero".as_ref()).is_err());
}

#[test]
fn the_list_of_attacks_is_complete() {
    let row = |attack: &Attack| format!("| `{}` | {} |\n", attack.name, attack.reason.replace('|', "\\|"));
    let list: String = attacks().iter().map(row).collect();
    let page = std::fs::read_to_string(folder().join("README.md")).unwrap();
    assert!(page.contains(&list), "tests/attacks/README.md should hold\n{list}");
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/attacks")
}

#[test]
fn a_model_cut_anywhere_is_refused() {
    for spec in ["averaged", "projectron", "adaboost:rounds=3"] {
        let bytes = model_of(spec);
        assert!(Model::from_bytes(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(Model::from_bytes(&bytes[..length]).is_err(), "{spec} cut at byte {length}");
        }
    }
}
