//! Every golden case of the learners here, through the program: counts, every trial, and the final scores.

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::rows::golden;

/// Fewer cases than this would mean that some are passed over in silence.
const CASES: usize = 56;

/// Learners that know a row met again by its id; in others the golden support is for information.
const ADD_TO_COEFFICIENTS: [&str; 3] = ["perceptron", "averaged", "passive-aggressive"];

/// The part of a spec before its settings.
fn learner(spec: &str) -> &str {
    spec.split(':').next().unwrap()
}

#[track_caller]
fn assert_near(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours} instead of {theirs}");
}

#[test]
fn every_case_comes_out_as_computed_elsewhere() {
    let list = Folder::new().run("algorithms --json").silent().json();
    let learners: Vec<&str> =
        list.as_array().unwrap().iter().map(|learner| learner["name"].as_str().unwrap()).collect();
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(golden("online.json")).unwrap()).unwrap();
    let here: Vec<&Json> =
        cases.iter().filter(|case| learners.contains(&learner(case["spec"].as_str().unwrap()))).collect();
    assert!(here.len() >= CASES, "only {} cases were found", here.len());
    for case in here {
        check(case);
    }
}

#[test]
fn every_case_beyond_the_papers_comes_out_as_computed_elsewhere() {
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(golden("beyond.json")).unwrap()).unwrap();
    assert_eq!(cases.len(), 65);
    cases.iter().for_each(check);
}

fn check(case: &Json) {
    let text = |key: &str| case[key].as_str().unwrap();
    let (id, spec) = (text("id"), text("spec"));
    let data = golden(text("data")).canonicalize().unwrap();
    let normalize = match text("normalize") {
        norm @ ("none" | "l2") => norm,
        norm => {
            let own = spec.split([':', ',']).find_map(|setting| {
                let own = setting.strip_prefix("base.").unwrap_or(setting);
                own.starts_with("p=").then_some(own)
            });
            assert_eq!(Some(norm.replace(':', "=").as_str()), own, "{id}");
            "lp"
        }
    };
    let folder = Folder::new();
    let learn = format!(
        "learn {spec} {} --passes {} --normalize {normalize} --map {} --trace trace --model model --json {}",
        data.display(),
        case["passes"],
        case["map"].as_str().unwrap_or("none"),
        case["calibrate"].as_u64().map_or(String::new(), |window| format!("--calibrate {window}"))
    );
    let result = folder.run(&learn).silent().json();
    for count in ["mistakes", "updates", "passes", "matrix_updates", "landmarks", "asked"] {
        assert_eq!(result[count], case[count], "{id}: {count}");
    }
    if spec.contains("kernel=") && ADD_TO_COEFFICIENTS.contains(&learner(spec)) {
        assert_eq!(result["support"], case["support"], "{id}: support");
    }
    let per_pass: Vec<Json> =
        result["per_pass"].as_array().unwrap().iter().map(|pass| pass["mistakes"].clone()).collect();
    assert_eq!(Json::from(per_pass), case["mistakes_per_pass"], "{id}");
    check_trace(id, &folder.text("trace"));
    if !case["calibrate"].is_null() {
        check_probabilities(case, &result, &folder, &data.display().to_string());
    }

    let predicted = folder.run(&format!("predict model {} --json", data.display())).ok().stdout;
    let expected = case["final_scores"].as_array().unwrap();
    assert_eq!(expected.len(), 40);
    for (i, (line, theirs)) in predicted.lines().zip(expected).enumerate() {
        let (line, what): (Json, _) = (serde_json::from_str(line).unwrap(), format!("{id}: final score of row {i}"));
        match theirs.as_array() {
            None => assert_near(line["score"].as_f64().unwrap(), theirs.as_f64().unwrap(), &what),
            Some(of_class) => {
                for (class, theirs) in of_class.iter().enumerate() {
                    let ours = line["scores"][(class + 1).to_string()].as_f64().unwrap();
                    assert_near(ours, theirs.as_f64().unwrap(), &what);
                }
            }
        }
    }
}

/// Slope, intercept and probabilities, to the digits that all implementations agree on.
fn check_probabilities(case: &Json, result: &Json, folder: &Folder, data: &str) {
    let near = |ours: &Json, theirs: &Json| {
        let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
        assert!((ours - theirs).abs() <= 1e-6 * theirs.abs().max(1.0), "{}: {ours} instead of {theirs}", case["id"]);
    };
    near(&result["calibration"]["slope"], &case["slope"]);
    near(&result["calibration"]["intercept"], &case["intercept"]);
    let inspected = folder.run("inspect model --json").silent().json();
    assert_eq!(inspected["calibration"], result["calibration"]);
    let predicted = folder.run(&format!("predict model {data} --scores --probabilities")).ok().stdout;
    let lines = folder.run(&format!("predict model {data} --json --probabilities")).ok().stdout;
    for ((text, line), theirs) in predicted.lines().zip(lines.lines()).zip(case["probabilities"].as_array().unwrap()) {
        let (line, columns): (Json, Vec<&str>) = (serde_json::from_str(line).unwrap(), text.split('\t').collect());
        assert_eq!(columns.len(), 3, "{text}");
        near(&columns[2].parse::<f64>().unwrap().into(), theirs);
        near(&line["probability"], theirs);
        near(&line["probabilities"][result["labels"][1].as_str().unwrap()], theirs);
    }
}

fn check_trace(id: &str, ours: &str) {
    let theirs = std::fs::read_to_string(golden(&format!("traces/{id}.csv"))).unwrap();
    assert_eq!(ours.lines().count(), theirs.lines().count() - 1, "{id}");
    for (ours, theirs) in ours.lines().zip(theirs.lines().skip(1)) {
        let ours: Json = serde_json::from_str(ours).unwrap();
        let theirs: Vec<f64> = theirs.split(',').map(|number| number.parse().unwrap()).collect();
        let [t, label, score, mistake, ref asked @ ..] = theirs[..] else { panic!("{id}: {theirs:?}") };
        assert_eq!(ours["asked"].as_bool(), asked.first().map(|asked| *asked == 1.0), "{id}: trial {t}");
        assert_eq!(ours["t"].as_f64(), Some(t), "{id}");
        let named = ours["label"].as_str().map(|label| label.parse().unwrap());
        assert_eq!(ours["label"].as_f64().or(named), Some(label), "{id}: trial {t}");
        assert_eq!(ours["mistake"].as_bool(), Some(mistake == 1.0), "{id}: trial {t}");
        assert_near(ours["score"].as_f64().unwrap(), score, &format!("{id}: trial {t}"));
    }
}
