//! Pages that commands write, in a real browser.

use crate::browser::check;
use crate::folder::Folder;

/// The page that a command writes.
fn written_by(line: &str) -> String {
    let folder = Folder::new();
    folder.run(&format!("{line} --quiet --html page.html")).silent();
    folder.text("page.html")
}

#[test]
fn a_browser_shows_a_real_comparison() {
    let learners = "-l averaged -l perceptron:kernel=polynomial -l forgetron:budget=50 -l rcd-bias:epochs=30 -l fld";
    check(&written_by(&format!("compare {learners} --repeats 3 --limit 600")), 4, 6);
}

#[test]
fn a_browser_shows_real_tuning() {
    check(&written_by("tune svm --limit 200 --grid cost=1e-3..1e3*10"), 1, 1);
    check(&written_by("tune passive-aggressive --limit 200 --grid c=1e-3..1e3*10 --grid variant=pa1,pa2"), 0, 1);
}

#[test]
fn a_run_is_told_of_by_its_verdict_first() {
    let folder = Folder::new();
    let rows = (0..60).map(|i| format!("{} {}:1 4:0.5\n", i % 3, 1 + i % 3));
    folder.write("rows.svm", rows.collect::<String>());
    for (line, order) in [
        ("learn arow --holdout 0.2", ["<dt>holdout", "<dt>mistakes", "<dt>data"]),
        ("learn arow rows.svm --test rows.svm", ["<dt>test", "<dt>wrong class", "<dt>data"]),
    ] {
        folder.run(&format!("{line} --quiet --html page.html")).silent();
        let page = folder.text("page.html");
        let places = order.map(|what| page.find(what).unwrap_or_else(|| panic!("{line}: no {what}")));
        assert!(places.is_sorted(), "{line}: {places:?}");
    }
    assert!(folder.text("page.html").contains("The 20 largest weights of each class; "));
}

#[test]
fn how_reliable_probabilities_are_is_drawn_and_told() {
    let folder = Folder::new();
    folder.write("rows.svm", folder.run("generate artificial --rows 2000 --seed 3").silent().stdout);
    let line = "learn arow rows.svm --calibrate --holdout 0.3 --html page.html";
    let page = |line: &str| {
        folder.run(&format!("{line} --quiet")).silent();
        folder.text("page.html")
    };
    let drawn = page(line);
    assert!(drawn.contains("Reliability of probabilities") && drawn.contains("Expected calibration error: 0.0"));
    assert!(drawn.contains("Rows by their probability."));
    assert!(!page("learn arow rows.svm --holdout 0.3 --html page.html").contains("Reliability"));
    let told = &folder.run(&format!("{line} --json")).silent().json()["holdout"]["metrics"];
    let error = told["calibration_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.1, "{error}");
    assert!(folder.run(line).ok().stdout.contains(&format!("calibration error {error:.4}")));
    // However few rows a share is of, it is not below 0 or above 1, and neither is what chance may make of it.
    folder.write("churn.csv", include_bytes!("../../../../docs/churn.csv"));
    let few = page("learn arow churn.csv --label churn --calibrate --holdout 0.2 --html page.html");
    let charts = few.split("</svg>").filter(|chart| chart.contains("observed share</text>"));
    assert!(charts.clone().count() > 0 && charts.clone().all(|chart| chart.contains(">1.0<")));
    assert!(!charts.into_iter().any(|chart| chart.contains(">1.5<") || chart.contains(">−0.5<")));
}
