//! `onlinear reproduce`.

use serde_json::Value as Json;

use crate::folder::{Folder, Ran};

/// Runs the program without the data folder of whoever runs the tests.
fn run(folder: &Folder, line: &str) -> Ran {
    folder.run_in(&[("ONLINEAR_DATA", ".")], line, "")
}

fn cells(table: &Json) -> &Vec<Json> {
    table["cells"].as_array().unwrap()
}

#[test]
fn without_a_name_all_experiments_are_listed() {
    let text = run(&Folder::new(), "reproduce").silent().stdout;
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(line("projectron-table1 ").ends_with("a9a"), "{text}");
    assert!(line("projectron-table3 ").ends_with("nothing"), "{text}");
    assert!(line("projectron-figure1 ").contains("not yet: curve"), "{text}");
    assert!(line("winnow-lecture ").contains("not yet: claims"), "{text}");
    let json = run(&Folder::new(), "reproduce --json").silent().json();
    assert_eq!(json["experiments"][0]["sets"], serde_json::json!(["a9a"]));
}

#[test]
fn what_is_wrong_is_refused_before_any_work() {
    let folder = Folder::new();
    let message = run(&folder, "reproduce projectron-tabel3").refused(2);
    assert_eq!(message, "error: there is no experiment 'projectron-tabel3'; did you mean 'projectron-table3'?\n");
    run(&folder, "reproduce projectron-table3 --repeats 0").refused(2);
    let message = run(&folder, "reproduce projectron-table3 --data nowhere").refused(1);
    assert!(message.starts_with("nowhere: "), "{message}");
    run(&folder, "reproduce projectron-table3 --html nowhere/a.html").refused(1);
}

#[test]
fn an_artificial_table_is_set_beside_the_paper_on_any_number_of_threads() {
    let folder = Folder::new();
    let line = "reproduce projectron-table3 --repeats 2 --json --csv out --html out.html";
    let json = folder.run_in(&[("ONLINEAR_THREADS", "1")], line, "").silent().json();
    assert_eq!(json, folder.run_in(&[("ONLINEAR_THREADS", "3")], line, "").silent().json());
    let table = &json["tables"][0];
    assert_eq!(table["name"], "projectron-table3");
    assert!(table["paper"].as_str().unwrap().contains("Projectron") && table["skipped"] == serde_json::json!([]));
    assert_eq!(table["claims"][0]["verdict"], "not yet judged");
    let cell = |row: &str, column: &str, measure: &str| {
        let is = |cell: &&Json| cell["row"] == row && cell["column"] == column && cell["measure"] == measure;
        cells(table).iter().find(is).unwrap_or_else(|| panic!("{row}, {column}, {measure}"))
    };
    let perceptron = cell("Perceptron", "synthetic", "mistake_rate");
    assert!((15.0..25.0).contains(&perceptron["ours"].as_f64().unwrap()), "{perceptron}");
    assert!(perceptron["ours_stderr"].is_f64() && perceptron["repeats"] == 2, "{perceptron}");
    assert_eq!((&perceptron["paper"], &perceptron["paper_spread"]), (&18.80.into(), &0.25.into()));
    assert!(perceptron["agrees"].is_null() && perceptron["verdict"] == "shown", "the reference is not judged: {perceptron}");
    let budget = cell("Forgetron", "synthetic B=500", "support");
    assert_eq!((&budget["ours"], &budget["agrees"]), (&500.0.into(), &true.into()));
    // A second reading of the same printed row.
    let flat = cell("Projectron++ (flat)", "synthetic B=500", "mistake_rate");
    assert_eq!(flat["paper"], cell("Projectron++", "synthetic B=500", "mistake_rate")["paper"]);
    let count = |name: &str| json["summary"][name].as_u64().unwrap() as usize;
    assert_eq!(["agree", "differ", "skipped", "shown"].map(count).iter().sum::<usize>(), cells(table).len());
    assert_eq!(folder.text("out/projectron-table3.csv").lines().count(), 1 + cells(table).len());
    assert!(folder.text("out.html").contains("projectron-table3"));
}

#[test]
fn missing_data_are_skipped_and_named() {
    let folder = Folder::new();
    let text = run(&folder, "reproduce projectron-table2 projectron-figure1").silent().stdout;
    assert!(text.contains("put vehicle.svm (or vehicle.svm.gz) into ."), "{text}");
    assert!(text.contains("0 cells agree, 0 differ, 28 skipped"), "{text}");
    assert!(text.contains("not yet: curve"), "{text}");
    assert_eq!(run(&folder, "reproduce projectron-table2 --quiet").silent().stdout, "");
    let bad = Folder::with("vehicle.svm", "3 1:x\n");
    let message = run(&bad, "reproduce projectron-table2").refused(1);
    assert!(message.starts_with("./vehicle.svm:1:5: "), "{message}");
}

#[test]
fn a_setting_is_chosen_on_the_columns_whose_data_are_there() {
    let folder = Folder::new();
    let rows = folder.run("generate two-gaussians --rows 96 --seed 3").silent().stdout;
    folder.write("lymphoma96.svm", rows);
    let json = run(&folder, "reproduce higher-order-table1 --repeats 2 --json").silent().json();
    let table = &json["tables"][0];
    assert_eq!(table["skipped"][0]["columns"], serde_json::json!(["breast"]));
    let chosen = cells(table).iter().find(|cell| cell["row"] == "HO_2" && cell["column"] == "lymphoma").unwrap();
    assert!(chosen["settings"].as_str().unwrap().starts_with("c=0."), "{chosen}");
    for cell in cells(table) {
        let missing = cell["column"] == "breast";
        assert_eq!(cell["ours"].is_null(), missing, "{cell}");
        assert!(!missing || cell["settings"] == "" && cell["verdict"] == "skipped", "{cell}");
    }
}
