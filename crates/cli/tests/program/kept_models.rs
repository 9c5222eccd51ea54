//! Models that released versions wrote, in the program of today (the library's tests know all of them).

use std::path::PathBuf;

use serde_json::Value as Json;

use crate::folder::Folder;

#[test]
fn models_of_version_1_are_read_and_gone_on_with() {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../onlinear/tests");
    let index = std::fs::read(tests.join("models-v1/index.json")).unwrap();
    let index: Vec<Json> = serde_json::from_slice(&index).unwrap();
    let folder = Folder::new();
    for entry in index.iter().step_by(8) {
        let (name, data) = (entry["model"].as_str().unwrap(), entry["data"].as_str().unwrap());
        let place = if data == "abc.csv" { "models-v1" } else { "golden" };
        folder.write("model", std::fs::read(tests.join("models-v1").join(name)).unwrap());
        folder.write(data, std::fs::read(tests.join(place).join(data)).unwrap());
        let printed = folder.run(&format!("predict model {data} --scores --quiet")).silent().stdout;
        let expected: Vec<&str> = entry["predictions"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
        let labels = |lines: &[&str]| lines.iter().map(|line| line.split('\t').next().unwrap().to_string()).collect();
        let lines: Vec<&str> = printed.lines().take(expected.len()).collect();
        let (found, expected): (Vec<String>, Vec<String>) = (labels(&lines), labels(&expected));
        assert_eq!(found, expected, "{name}");
        folder.run("inspect model").silent();
    }
    folder.write("model", std::fs::read(tests.join("models-v1/28-averaged.onlinear")).unwrap());
    folder.run("learn --resume model twogauss.svm --model more").silent();
    folder.run("predict more twogauss.svm --quiet").silent();
}
