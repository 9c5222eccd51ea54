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
        let certificate = certificate(&folder, line);
        let (mistakes, bound) = (certificate["mistakes"].as_f64().unwrap(), certificate["bound"].as_f64());
        assert!(bound.is_some_and(|bound| bound * (1.0 + 1e-9) >= mistakes), "{line}: {certificate}");
        for key in ["theorem", "gamma", "radius", "deviation", "norm", "comparator"] {
            assert!(!certificate[key].is_null(), "{line}: {key}");
        }
        assert!(certificate["reason"].is_null());
    }
    let second = certificate(&folder, "second-order data.svm");
    let keys: Vec<&str> = second.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys.join(" "),
        "bound comparator deviation eigenvalues gamma leave_one_out mistakes norm radius reason separable spread text \
         theorem weights"
    );
    assert!(second["eigenvalues"].as_f64().unwrap() > 0.0 && second["spread"].as_f64().unwrap() > 0.0);
    assert!(folder.run("learn perceptron data.svm --json").silent().json()["certificate"].is_null());
}

#[test]
fn what_has_no_bound_says_why() {
    let folder = folder();
    folder.run("learn perceptron data.svm --model model").silent();
    for (line, reason) in [
        ("romma data.svm", "no mistake bound is stated for romma"),
        ("fld data.svm", "a batch learner makes no trials"),
        ("--resume model data.svm", "the run went on from a model, whose earlier trials are not known"),
        ("forgetron:budget=5 data.svm", "forgetron has forgotten rows: no mistake bound is stated for it from then on"),
    ] {
        let certificate = certificate(&folder, line);
        assert_eq!((&certificate["bound"], certificate["reason"].as_str()), (&Json::Null, Some(reason)), "{line}");
    }
    folder.write("weights.vw", "1 2.0 | a:1 b:2\n-1 1.0 | a:-1 b:1\n1 1.0 | a:3\n");
    let weighted = certificate(&folder, "perceptron weights.vw");
    assert_eq!(weighted["reason"], "the sample weights are not all 1");
    let text = folder.run("learn alma data.svm --certificate").silent().stdout;
    assert!(text.contains("bound     none: no mistake bound is stated for alma\n"), "{text}");
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
