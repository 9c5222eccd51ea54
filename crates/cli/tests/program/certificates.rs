//! `learn --certificate`.

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::rows::{integers, libsvm};

fn folder() -> Folder {
    Folder::with("data.svm", libsvm(&integers()))
}

fn certificate(folder: &Folder, line: &str) -> Json {
    let result = folder.run(&format!("learn {line} --certificate --json")).ok().json();
    assert_eq!(result["certificate"]["mistakes"], result["mistakes"], "{line}");
    result["certificate"].clone()
}

#[test]
fn the_json_has_a_bound_or_a_reason() {
    let folder = folder();
    for line in [
        "perceptron data.svm",
        "averaged data.svm --passes 3 --shuffle 7",
        "voted:kernel=gaussian data.svm --passes 2 --limit 100",
        "perceptron data.svm --normalize l2 --bias --scale standard",
        "perceptron data.svm --cache --passes 2",
        "p-norm:p=3 data.svm",
        "second-order data.svm --passes 2",
        "higher-order data.svm --normalize l2",
        "whitened data.svm --shuffle 1",
        "projectron++:kernel=gaussian,norm-bound=5 data.svm",
    ] {
        let whole = certificate(&folder, line);
        let certificate = &whole["self_check"];
        let (mistakes, bound) = (certificate["mistakes"].as_f64().unwrap(), certificate["bound"].as_f64());
        assert!(bound.is_some_and(|bound| bound * (1.0 + 1e-9) >= mistakes), "{line}: {certificate}");
        for key in ["theorem", "gamma", "radius", "deviation", "norm", "comparator"] {
            assert!(!certificate[key].is_null(), "{line}: {key}");
        }
        assert!(certificate["reason"].is_null());
        // Before a run nothing is known that depends on it.
        let is_of_run = line.starts_with("higher-order");
        assert_eq!(whole["before"]["bound"].is_null(), is_of_run, "{line}: {whole}");
        assert!(whole["hindsight"]["errors"].as_u64().is_some(), "{line}");
        let is_new = !line.contains("passes") && !line.contains("scale") && !line.contains("whitened");
        assert_eq!(whole["risk"]["bound"].is_number(), is_new, "{line}: {}", whole["risk"]);
        assert_eq!(whole["risk"]["confidence"], 0.95);
    }
    let whole = certificate(&folder, "second-order data.svm");
    let statements: Vec<&str> = whole.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(statements.join(" "), "before hindsight leave_one_out mistakes risk self_check");
    let second = &whole["self_check"];
    let keys: Vec<&str> = second.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys.join(" "),
        "bound comparator deviation eigenvalues gamma margin mistakes norm radius reason separable spread text theorem"
    );
    assert!(second["eigenvalues"].as_f64().unwrap() > 0.0 && second["spread"].as_f64().unwrap() > 0.0);
    assert!(folder.run("learn perceptron data.svm --json").silent().json()["certificate"].is_null());
}

#[test]
fn what_has_no_bound_says_why() {
    let folder = folder();
    folder.run("learn perceptron data.svm --model model").silent();
    for (line, reason) in [
        ("scw data.svm", "no mistake bound is stated for scw"),
        ("romma data.svm", "no u was found that is right on all rows, which the bound needs"),
        ("fld data.svm", "a batch learner makes no trials"),
        ("--resume model data.svm", "the run went on from a model, whose earlier trials are not known"),
        ("forgetron:budget=5 data.svm", "once rows are forgotten, the bound needs a budget of 83 at least"),
    ] {
        let certificate = &certificate(&folder, line)["self_check"];
        assert_eq!((&certificate["bound"], certificate["reason"].as_str()), (&Json::Null, Some(reason)), "{line}");
    }
    folder.write("weights.vw", "1 2.0 | a:1 b:2\n-1 1.0 | a:-1 b:1\n1 1.0 | a:3\n");
    let weighted = certificate(&folder, "perceptron weights.vw");
    assert_eq!(weighted["before"]["reason"], "the sample weights are not all 1");
    let text = folder.run("learn scw data.svm --certificate").silent().stdout;
    assert!(text.contains("before      none: no mistake bound is stated for scw\n"), "{text}");
}

#[test]
fn a_stream_is_refused() {
    let folder = folder();
    let ran = folder.run_on("learn perceptron - --certificate", "+1 1:1\n");
    assert_eq!(
        ran.refused(2),
        "error: --certificate has to read the rows again, which standard input and pipes do not allow\n"
    );
}

#[test]
fn the_text_shows_the_bound_beside_the_mistakes() {
    let folder = Folder::new();
    let rows = (1..=40).map(|i| {
        let (y, x) = if i % 3 == 0 { ("-1", -i) } else { ("+1", i) };
        format!("{y} 1:{x} 2:{}\n", 30 - i)
    });
    folder.write("data.svm", rows.collect::<String>());
    let shown = |line: &str| {
        let text = folder.run(line).silent().stdout;
        text.lines().filter(|line| !line.starts_with("seconds")).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!("certificate", shown("learn perceptron data.svm --until-separated --certificate"));
    folder.write("noisy.svm", libsvm(&integers()));
    insta::assert_snapshot!(
        "certificate_kernel",
        shown("learn averaged:kernel=gaussian,gamma=0.1 noisy.svm --certificate")
    );
}

#[test]
fn the_comparators_can_be_had() {
    let folder = folder();
    folder.run("learn perceptron data.svm --certificate --comparator u.json --confidence 0.8 --json").silent();
    let told: Json = serde_json::from_str(&folder.text("u.json")).unwrap();
    for statement in ["before", "hindsight", "self_check"] {
        assert!(told[statement]["weights"].as_array().is_some_and(|u| !u.is_empty()), "{statement}: {told}");
    }
    assert!(told["spec"].as_str().unwrap().starts_with("perceptron:"));
    assert!(folder.run("learn perceptron data.svm --comparator u.json").refused(2).contains("--certificate"));
    assert!(folder.run("learn perceptron data.svm --certificate --confidence 1").refused(2).contains("--confidence"));
}

#[test]
fn bounds_are_told_before_any_run() {
    let folder = folder();
    let told = folder.run("bounds data.svm --json").silent().json();
    let names: Vec<&str> = told["rows"].as_array().unwrap().iter().map(|row| row["spec"].as_str().unwrap()).collect();
    assert!(names.iter().zip(["perceptron", "p-norm", "winnow", "second-order"]).all(|(a, b)| a.starts_with(b)));
    let certificate = certificate(&folder, "perceptron data.svm");
    // One search is for all learners there, for the Perceptron alone here.
    let [all, one] = [&told["rows"][0]["bound"], &certificate["before"]["bound"]].map(|bound| bound.as_f64().unwrap());
    assert!((all / one - 1.0).abs() < 1e-3, "{all} {one}");
    assert_eq!(told["hindsight"]["errors"], certificate["hindsight"]["errors"]);
    assert!(told["ridge"].as_f64().unwrap() > 0.0 && told["favoured"].is_string());
    let text = folder.run("bounds data.svm").silent().stdout;
    assert!(text.contains("the geometry favours ") && text.contains("for second-order try ridge="), "{text}");
    folder.write("three.svm", "1 1:1\n2 1:2\n3 1:3\n");
    let refusal = folder.run("bounds three.svm").refused(1);
    assert_eq!(
        refusal,
        "three.svm: the theorems are about two classes; certify one against the rest with --positive LABEL\n"
    );
    assert!(folder.run("bounds three.svm --positive 2").silent().stdout.contains("perceptron"));
}
