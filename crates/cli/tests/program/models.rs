//! Model files: going on where one stopped, what they hold, and which are refused.

use std::collections::BTreeMap;

use safetensors::SafeTensors;
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::rows::{csv, gaussian, integers, libsvm, vw};

/// Every learner that can be resumed, with its defaults, and with every other choice and flag it has.
fn specs() -> Vec<String> {
    let list = Folder::new().run("algorithms --json").silent().json();
    let mut specs = Vec::new();
    for learner in list.as_array().unwrap().iter().filter(|learner| learner["learns"] == "row-by-row") {
        let name = learner["name"].as_str().unwrap();
        specs.push(name.to_string());
        for parameter in learner["parameters"].as_array().unwrap() {
            let key = parameter["name"].as_str().unwrap();
            match &parameter["default"] {
                Json::Bool(default) => specs.push(format!("{name}:{key}={}", !default)),
                Json::String(default) => {
                    // A learner that another is made of is no choice.
                    let choices = parameter["choices"].as_array().into_iter().flatten().map(|c| c.as_str().unwrap());
                    specs.extend(
                        choices.filter(|choice| choice != default).map(|choice| format!("{name}:{key}={choice}")),
                    );
                }
                _ => {}
            }
        }
    }
    // A choice may not go with the rest, such as the average of a learner that throws vectors away.
    let folder = Folder::new();
    specs.retain(|spec| folder.run_on(&format!("learn {spec} -"), "+1 1:1\n-1 2:1\n").code != Some(2));
    assert!(specs.len() > 8);
    specs
}

/// The counts of a run: all of its JSON but what a clock or the system says.
fn counts(mut json: Json) -> Json {
    let object = json.as_object_mut().unwrap();
    object.remove("seconds");
    object.remove("peak_rss_bytes");
    object.remove("this_run"); // of runs that go on
    json
}

#[test]
fn two_halves_of_a_file_make_the_same_model_as_the_whole() {
    let mut rows = gaussian();
    rows[..137].iter_mut().for_each(|row| row.values[15..].fill(0.0)); // features that turn up late
    let folder = Folder::with("whole.svm", libsvm(&rows));
    folder.write("first.svm", libsvm(&rows[..137]));
    folder.write("rest.svm", libsvm(&rows[137..]));
    for spec in specs() {
        for stages in ["", "--normalize l2 --bias 0.5"] {
            // The scores of Winnow depend on the number of features, which the whole file tells at once.
            let features = if spec.starts_with("winnow") { "--features 20" } else { "" };
            let options = format!("{stages} {features}");
            let whole = folder.run(&format!("learn {spec} whole.svm {options} --trace t --model whole --json")).json();
            folder.run(&format!("learn {spec} first.svm {options} --trace t1 --model half --quiet")).silent();
            let rest = folder.run("learn --resume half rest.svm --trace t2 --model half --json").json();
            assert!(folder.text("t1") + &folder.text("t2") == folder.text("t"), "{spec} {stages}: the traces differ");
            assert!(folder.read("half") == folder.read("whole"), "{spec} {stages}: the model files differ");
            assert_eq!(counts(rest), counts(whole), "{spec} {stages}");
        }
    }
}

#[test]
fn two_passes_and_two_more_make_the_same_model_as_four() {
    let folder = Folder::with("data.svm", libsvm(&gaussian()));
    for spec in specs() {
        for order in ["", "--shuffle 7"] {
            let four =
                folder.run(&format!("learn {spec} data.svm --passes 4 {order} --trace t --model four --json")).json();
            folder.run(&format!("learn {spec} data.svm --passes 2 {order} --trace t1 --model two --quiet")).silent();
            let more = folder.run("learn --resume two data.svm --passes 2 --trace t2 --model two --json").json();
            assert!(folder.text("t1") + &folder.text("t2") == folder.text("t"), "{spec} {order}: the traces differ");
            assert!(folder.read("two") == folder.read("four"), "{spec} {order}: the model files differ");
            assert_eq!(counts(more), counts(four), "{spec} {order}");
        }
    }
}

/// A Perceptron is its weights, so that one begun with those of another goes on as that would.
#[test]
fn a_learner_begins_with_the_weights_of_another() {
    let rows = gaussian();
    let folder = Folder::with("first.svm", libsvm(&rows[..137]));
    folder.write("rest.svm", libsvm(&rows[137..]));
    folder.run("learn perceptron first.svm --normalize l2 --bias 0.5 --model half --quiet").silent();
    let weights = |model: &str| {
        let bytes = folder.read(model);
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let name = file.names().into_iter().find(|name| name.ends_with("weights")).unwrap();
        file.tensor(name).unwrap().data().to_vec()
    };
    let resumed = folder.run("learn --resume half rest.svm --model resumed --json").json();
    let begun = folder.run("learn perceptron rest.svm --start half --model begun --json").json();
    assert!(weights("begun") == weights("resumed") && weights("begun") != weights("half"));
    assert_eq!(begun["trials"], rows.len() - 137);
    assert_eq!(begun["stages"], resumed["stages"]);
    // Another learner, and the mean of it.
    let pa = folder.run("learn passive-aggressive:output=averaged rest.svm --start half --model pa --json").json();
    assert_ne!(pa["mistakes"], begun["mistakes"]);
    folder.run("predict pa rest.svm").ok();
    for (command, why) in [
        ("learn voted rest.svm --start half", "voted cannot begin anywhere but at 0"),
        ("learn pocket rest.svm --start half", "pocket cannot begin anywhere but at 0"),
        ("learn perceptron:kernel=gaussian rest.svm --start half", "perceptron cannot begin anywhere but at 0"),
        ("learn perceptron rest.svm --start half --bias 1", "--bias does not go with --start: the model remembers it"),
        ("learn perceptron rest.svm --start half --certificate", "cannot be used with"),
    ] {
        let message = folder.run(command).refused(2);
        assert!(message.contains(why), "{command}: {message}");
    }
}

#[test]
fn named_features_and_scaling_are_resumed_too() {
    let rows = integers();
    let folder = Folder::with("whole.vw", vw(&rows, ""));
    folder.write("first.vw", vw(&rows[..100], ""));
    folder.write("rest.vw", vw(&rows[100..], ""));
    folder.run("learn averaged whole.vw --model whole").silent();
    folder.run("learn averaged first.vw --model half").silent();
    folder.run("learn --resume half rest.vw --model half").silent();
    assert!(folder.read("half") == folder.read("whole"), "names");

    folder.write("data.csv", csv(&rows, ["", ""]));
    folder.run("learn perceptron data.csv --scale standard --passes 3 --model three").silent();
    folder.run("learn perceptron data.csv --scale standard --passes 2 --model two").silent();
    folder.run("learn --resume two data.csv --passes 1 --cache --model two").silent();
    assert!(folder.read("two") == folder.read("three"), "scales");
}

#[test]
fn what_a_model_remembers_cannot_be_asked_for_again() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn perceptron data.svm --model model").silent();
    for (option, given) in [
        ("--normalize", "--normalize l2"),
        ("--scale", "--scale minmax"),
        ("--bias", "--bias"),
        ("--shuffle", "--shuffle 1"),
        ("--hash", "--hash 4"),
        ("--features", "--features 12"),
        ("--positive", "--positive 1"),
        ("--labels", "--labels 1,-1"),
        ("--label", "--label y"),
        ("--weight", "--weight w"),
        ("--header", "--header no"),
    ] {
        let message = folder.run(&format!("learn --resume model data.svm {given}")).refused(2);
        assert_eq!(message, format!("error: {option} does not go with --resume: the model remembers it\n"));
    }
    let message = folder.run("learn --resume model").refused(2);
    assert_eq!(message, "error: --resume needs DATA to go on with\n");
    let message = folder.run("learn --resume model perceptron data.svm").refused(2);
    assert_eq!(message, "error: --resume takes the learner from the model: name only DATA\n");
}

#[test]
fn predict_applies_the_stages_of_the_model() {
    let rows = gaussian();
    let folder = Folder::with("data.svm", libsvm(&rows));
    for stages in
        ["--normalize l2", "--scale minmax", "--scale standard", "--bias 2", "--scale standard --normalize l2 --bias"]
    {
        let learned = folder
            .run(&format!("learn passive-aggressive data.svm {stages} --train-error --model model --json"))
            .json();
        let errors = learned["train"]["errors"].as_u64().unwrap();
        let ran = folder.run("predict model data.svm --scores").ok();
        assert!(ran.stderr.starts_with(&format!("{errors} errors in 300 ")), "{stages}: {}", ran.stderr);
        assert_scores_by_hand(&folder, &rows[0].values, &ran.stdout, stages);
    }
}

/// The first row's score, from the stages as they are said to be and the weights as `inspect` tells them.
fn assert_scores_by_hand(folder: &Folder, row: &[f64], predicted: &str, stages: &str) {
    let weights: BTreeMap<String, f64> = folder
        .run("inspect model --weights")
        .silent()
        .stdout
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(name, weight)| (name.to_string(), weight.parse().unwrap()))
        .collect();
    let columns: Vec<Vec<f64>> = (0..row.len()).map(|i| gaussian().iter().map(|row| row.values[i]).collect()).collect();
    let mut x: Vec<f64> = row.to_vec();
    for (value, column) in x.iter_mut().zip(&columns) {
        let (low, high) = column.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let deviation = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt();
        if stages.contains("minmax") {
            *value = 2.0 * (*value - low) / (high - low) - 1.0;
        } else if stages.contains("standard") {
            *value = (*value - mean) / deviation;
        }
    }
    if stages.contains("l2") {
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter_mut().for_each(|v| *v /= norm);
    }
    let bias = if stages.contains("--bias 2") { 2.0 } else { 1.0 };
    let by_hand: f64 = weights.get("(bias)").map_or(0.0, |w| w * bias)
        + x.iter().enumerate().map(|(i, v)| v * weights[&(i + 1).to_string()]).sum::<f64>();
    let score: f64 = predicted.lines().next().unwrap().split_once('\t').unwrap().1.parse().unwrap();
    assert!((score - by_hand).abs() < 1e-9 * score.abs().max(1.0), "{stages}: {score} instead of {by_hand}");
    assert_eq!(weights.contains_key("(bias)"), stages.contains("--bias"));
}

#[test]
fn the_file_is_safetensors_with_the_metadata_of_the_contract() {
    let folder = Folder::with("data.vw", vw(&integers(), ""));
    folder.run("learn averaged data.vw --passes 2 --normalize l2 --bias --model model").silent();
    let bytes = folder.read("model");
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata: BTreeMap<String, String> = header.metadata().clone().unwrap().into_iter().collect();
    let keys: Vec<&String> = metadata.keys().collect();
    assert_eq!(keys, ["checksum", "counts", "format", "labels", "preprocessing", "spec", "version"]);
    assert_eq!((metadata["format"].as_str(), metadata["version"].as_str()), ("onlinear-model", "2"));
    let spec = "averaged:rate=1,multiclass=rest,kernel=linear,degree=2,offset=1,sigma2=1,cosine=false";
    assert_eq!((metadata["spec"].as_str(), metadata["labels"].as_str()), (spec, r#"["-1","1"]"#));
    let counts: Json = serde_json::from_str(&metadata["counts"]).unwrap();
    assert_eq!(counts["trials"], 600);
    let preprocessing: Json = serde_json::from_str(&metadata["preprocessing"]).unwrap();
    assert_eq!(preprocessing["stages"], Json::from(vec!["l2", "bias:value=1"]));
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let names = tensors.tensor("features.names").unwrap();
    assert!(String::from_utf8_lossy(names.data()).contains("n^x12"));
}

#[test]
fn a_file_that_is_no_model_of_ours_is_refused() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn averaged data.svm --model model").silent();
    let good = folder.read("model");
    let mut messages = String::new();
    let mut refuse = |folder: &Folder, what: &str| {
        let commands = ["predict bad data.svm", "inspect bad", "learn --resume bad data.svm"];
        let texts = commands.map(|command| folder.run(command).refused(1));
        assert!(texts.iter().all(|text| *text == texts[0]), "{what}: {texts:?}");
        messages += &format!("{what}: {}", texts[0]);
    };
    refuse(&folder, "missing");
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::U8, vec![3], &[1, 2, 3]).unwrap();
    let foreign = safetensors::serialize([("weights", view)], None).unwrap();
    let edited = String::from_utf8_lossy(&good).find("averaged:rate=1").unwrap();
    let mut spec = good.clone();
    spec[edited + 14] = b'2';
    for (what, bytes) in [
        ("empty", Vec::new()),
        ("text", b"+1 1:1\n".to_vec()),
        ("cut in its tensors", good[..good.len() - 9].to_vec()),
        ("cut in its header", good[..100].to_vec()),
        ("with more behind", [&good[..], b"12345678"].concat()),
        ("foreign safetensors", foreign),
        ("edited spec", spec),
    ] {
        folder.write("bad", bytes);
        refuse(&folder, what);
    }
    std::fs::remove_file(folder.path("bad")).unwrap();
    std::fs::create_dir(folder.path("bad")).unwrap();
    refuse(&folder, "a directory");
    insta::assert_snapshot!(messages);
}

#[test]
fn no_flipped_bit_goes_unnoticed() {
    let folder = Folder::with("data.svm", "+1 1:1\n-1 2:2\n");
    folder.run("learn perceptron data.svm --model model").silent();
    let good = folder.read("model");
    for at in (0..good.len()).step_by(7) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        folder.write("bad", bytes);
        folder.run("inspect bad").refused(1);
    }
}

#[test]
fn a_failed_run_leaves_the_old_model_alone() {
    let folder = Folder::with("good.svm", libsvm(&integers()));
    folder.run("learn perceptron good.svm --model model").silent();
    let before = folder.read("model");
    let late = libsvm(&integers()).repeat(10) + "+1 1:nan\n";
    folder.write("bad.svm", late);
    folder.write("huge.svm", "+1 1:1e200\n-1 1:1\n+1 1:1e200\n");
    for (line, code) in [
        ("learn perceptron bad.svm --model model", 1),
        ("learn perceptron bad.svm --passes 2 --model model", 1),
        ("learn perceptron huge.svm --model model", 1),
        ("learn perceptron:rate=-1 good.svm --model model", 2),
        ("learn perceptron missing.svm --model model", 1),
        ("learn perceptron good.svm --test missing.svm --model model", 1),
        ("learn --resume model bad.svm --model model", 1),
    ] {
        folder.run(line).refused(code);
        assert!(folder.read("model") == before, "{line}");
        assert_eq!(folder.names(), ["bad.svm", "good.svm", "huge.svm", "model"], "{line}");
    }
}

#[test]
fn a_run_that_ends_at_its_first_row_saves_nothing() {
    let folder = Folder::with("data.svm", "+1 1:1e308\n");
    let message = folder.run("learn perceptron:rate=100 data.svm --model model").refused(1);
    assert!(message.starts_with("data.svm:1:1: the update would leave a number that is not finite"), "{message}");
    assert_eq!(folder.names(), ["data.svm"]);
}

#[test]
fn a_place_that_cannot_take_a_model_is_refused_before_the_work() {
    let folder = Folder::with("data.svm", "+1 1:1\n-1 2:1\n");
    std::fs::create_dir(folder.path("models")).unwrap();
    let message = folder.run("learn perceptron data.svm --model models").refused(1);
    assert_eq!(message, "models: is a directory; expected the name of a model file\n");
    let message = folder.run("learn perceptron data.svm --model nowhere/model").refused(1);
    assert_eq!(message, "nowhere/model: there is no folder 'nowhere'\n");
}

#[test]
fn inspect_tells_what_a_model_holds() {
    let folder =
        Folder::with("data.csv", "age,colour,income,class\n1,red,2,no\n3,blue,-1,yes\n2,green,5,yes\n4,blue,1.5,no\n");
    folder.run("learn perceptron data.csv --passes 3 --bias --model model").silent();
    insta::assert_snapshot!("inspect", folder.run("inspect model").silent().stdout);
    insta::assert_snapshot!("inspect_weights", folder.run("inspect model --weights").silent().stdout);
    let json = folder.run("inspect model --json").silent().json();
    insta::assert_snapshot!("inspect_json", serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn inspect_says_so_when_there_is_no_weight_vector() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    folder.run("learn voted data.svm --model model").silent();
    let report = folder.run("inspect model --json").silent().json();
    assert!(report["norm"].is_null() && report["rows_kept"].as_u64().unwrap() > 0, "{report}");
    let message = folder.run("inspect model --weights").refused(1);
    assert_eq!(message, "model: a voted model has no weight vector\n");
}

#[test]
fn names_are_kept_and_found_again_in_another_order() {
    let folder = Folder::with("data.csv", "a,b,class\n1,0,yes\n0,1,no\n");
    folder.run("learn perceptron data.csv --model model").silent();
    folder.write("new.csv", "b,new,a\n0,9,1\n1,9,0\n");
    assert_eq!(folder.run("predict model new.csv").silent().stdout, "yes\nno\n");

    folder.write("data.vw", "1 |n a\n-1 |n b |m a\n");
    folder.run("learn perceptron data.vw --model model").silent();
    let weights = folder.run("inspect model --weights").silent().stdout;
    assert_eq!(weights, "n^a\t1\nn^b\t-1\nm^a\t-1\n");
    let ran = folder.run_on("predict model - --scores", "|m a |n c b:2\n").ok();
    assert_eq!(ran.stdout, "-1\t-3\n");
    assert_eq!(ran.stderr, "1 value of features that the model does not know, such as 'n^c', left out\n");
}

#[test]
fn hashed_features_need_no_names() {
    let folder = Folder::with("data.vw", vw(&integers(), ""));
    let named = folder.run("learn perceptron data.vw --json").json();
    let hashed = folder.run("learn perceptron data.vw --hash 16 --model model --json").json();
    assert_eq!(hashed["mistakes"], named["mistakes"], "no two of twelve features should share one of 65536 places");
    assert_eq!(hashed["features"], 1 << 16);
    let (_, header) = SafeTensors::read_metadata(&folder.read("model")).unwrap();
    assert!(!header.offset_keys().iter().any(|name| name.starts_with("features.")));
    assert_eq!(folder.run_on("predict model -", "|n x1 never:1\n").silent().stdout.lines().count(), 1);
    // Numbered features can be hashed as well.
    folder.write("data.svm", libsvm(&integers()));
    let hashed = folder.run("learn perceptron data.svm --hash 16 --json").json();
    assert_eq!(hashed["mistakes"], named["mistakes"]);
}

#[test]
fn weights_keep_their_names_behind_any_number_of_constants() {
    let folder = Folder::with("data.svm", libsvm(&integers()));
    let names = |stages: &str| {
        folder.run(&format!("learn perceptron data.svm{stages} --model model --quiet")).silent();
        let text = folder.run("inspect model --weights").silent().stdout;
        text.lines().map(|line| line.split_once('\t').unwrap().0.to_string()).collect::<Vec<_>>()
    };
    let plain = names("");
    for constants in 1..=2 {
        let expected: Vec<String> = vec!["(bias)".to_string(); constants].into_iter().chain(plain.clone()).collect();
        assert_eq!(names(&" --stage bias".repeat(constants)), expected);
    }
}
