//! `onlinear reproduce`.

use serde_json::Value as Json;

use crate::folder::{Folder, ProgramRun};

/// Runs the program without the data folder of whoever runs the tests.
fn run(folder: &Folder, line: &str) -> ProgramRun {
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
    assert!(line("projectron-figure1 ").ends_with("a9a"), "{text}");
    // Where there is no room for all, there is for what is typed and for the files that it takes.
    let narrow = Folder::new().run_in(&[("COLUMNS", "80")], "reproduce", "").silent().stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    let names =
        |text: &str| text.lines().map(|line| line.split(' ').next().unwrap().to_string()).take(20).collect::<Vec<_>>();
    assert_eq!(names(&narrow), names(&text));
    assert!(narrow.lines().any(|line| line.starts_with("higher-order-table3 ") && line.ends_with(" usps, mnist")));
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
    let claim = &table["claims"][0];
    assert_eq!((&claim["verdict"], &claim["narrow"]), (&"holds".into(), &true.into()), "{claim}");
    assert!(
        claim["evidence"][0].as_str().unwrap().starts_with("online mistakes of Projectron on synthetic B=1000: "),
        "{claim}"
    );
    let cell = |row: &str, column: &str, measure: &str| {
        let is = |cell: &&Json| cell["row"] == row && cell["column"] == column && cell["measure"] == measure;
        cells(table).iter().find(is).unwrap_or_else(|| panic!("{row}, {column}, {measure}"))
    };
    let perceptron = cell("Perceptron", "synthetic", "mistake_rate");
    assert!((15.0..25.0).contains(&perceptron["ours"].as_f64().unwrap()), "{perceptron}");
    assert!(perceptron["ours_stderr"].is_f64() && perceptron["repeats"] == 2, "{perceptron}");
    assert_eq!((&perceptron["paper"], &perceptron["paper_spread"]), (&18.80.into(), &0.25.into()));
    assert!(
        perceptron["agrees"].is_null() && perceptron["verdict"] == "shown",
        "the reference is not judged: {perceptron}"
    );
    let budget = cell("Forgetron", "synthetic B=500", "support");
    assert_eq!((&budget["ours"], &budget["agrees"]), (&500.0.into(), &true.into()));
    // A second reading of the same printed row.
    let flat = cell("Projectron++ (flat)", "synthetic B=500", "mistake_rate");
    assert_eq!(flat["paper"], cell("Projectron++", "synthetic B=500", "mistake_rate")["paper"]);
    let count = |name: &str| json["summary"][name].as_u64().unwrap() as usize;
    assert_eq!(["agree", "differ", "skipped", "shown"].map(count).iter().sum::<usize>(), cells(table).len());
    let claims = table["claims"].as_array().unwrap().len();
    assert_eq!(["claims_hold", "claims_fail", "claims_not_run"].map(count).iter().sum::<usize>(), claims);
    assert_eq!(folder.text("out/projectron-table3.csv").lines().count(), 1 + cells(table).len());
    let page = folder.text("out.html");
    assert!(
        page.contains("onlinear reproduce projectron-table3 --only &#39;Projectron++ (flat)&#39; --repeats 2"),
        "{page}"
    );
}

#[test]
fn missing_data_are_skipped_and_named() {
    let folder = Folder::new();
    let only = "reproduce winnow-lecture projectron-table2 --only Winnow --repeats 1";
    let text = run(&folder, only).ok().stdout; // which tells how far it is where it takes long
    assert!(text.contains("put vehicle.svm (or vehicle.svm.gz) into ."), "{text}");
    assert!(text.contains("put a9a.svm (or a9a.svm.gz) into ."), "{text}");
    assert!(text.contains("put mushrooms.svm (or mushrooms.svm.gz) into ."), "{text}");
    for line in ["projectron-table2 projectron-figure1", "projectron-table2 --quiet"] {
        let message = run(&folder, &format!("reproduce {line}")).refused(1);
        assert!(
            message.starts_with("no data: projectron-table2: put vehicle.svm (or vehicle.svm.gz) into . ("),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let message = run(&folder, "reproduce higher-order-table3").refused(1);
    assert!(message.contains("put usps.svm (or usps.svm.gz), usps.t.svm (or usps.t.svm.gz) into ."), "{message}");
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

#[test]
fn curves_are_measured_on_the_way() {
    let folder = Folder::new();
    let rows = folder.run("generate two-gaussians --rows 40000 --seed 3").silent().stdout;
    folder.write("a9a.svm", rows);
    let line = "reproduce projectron-figure1 projectron-figure2 projectron-figure3 --only Perceptron --only Forgetron \
                --repeats 1 --json --csv out --html out.html --quiet";
    let json = run(&folder, line).silent().json();
    let curve = |figure: usize, row: &str| {
        let curves = json["tables"][figure]["curves"].as_array().unwrap();
        let found = curves.iter().find(|curve| curve["row"] == row).unwrap_or_else(|| panic!("{row} in {json}"));
        let pairs = found["points"].as_array().unwrap().iter();
        pairs.map(|point| (point[0].as_f64().unwrap(), point[1].as_f64().unwrap())).collect::<Vec<_>>()
    };
    // Each mistake of the Perceptron is a support vector, so the curves are of the same runs.
    let (rates, sizes) = (curve(0, "Perceptron"), curve(1, "Perceptron"));
    assert_eq!(rates.len(), 20);
    for ((trials, rate), (same, support)) in rates.iter().zip(&sizes) {
        assert!(trials == same && (rate * trials / 100.0 - support).abs() < 1e-6, "{rates:?} {sizes:?}");
    }
    // Where it has 500 support vectors it has made 500 mistakes.
    let (_, rate) = curve(2, "Perceptron").into_iter().find(|(support, _)| *support == 500.0).unwrap();
    let before = sizes.iter().rposition(|(_, support)| *support < 500.0).unwrap();
    let (low, high) = (100.0 * 500.0 / sizes[before + 1].0, 100.0 * 500.0 / sizes[before].0);
    assert!((low..=high).contains(&rate), "{rate} is not between {low} and {high}");
    assert!(curve(1, "Forgetron").iter().all(|(_, support)| *support <= 1500.0));
    let curves = folder.text("out/projectron-figure1-curves.csv");
    assert_eq!(curves.lines().count(), 1 + 2 * 20);
    assert!(folder.text("out.html").contains("<figure"));
}

#[test]
fn epochs_of_batch_and_online_learners_are_followed() {
    let folder = Folder::new();
    folder.write("pima.svm", folder.run("generate yinyang --rows 300 --seed 2").silent().stdout);
    let json = run(&folder, "reproduce rcd-figure3 --repeats 2 --only RCD-bias --only pocket --json").silent().json();
    let table = &json["tables"][0];
    for curve in table["curves"].as_array().unwrap() {
        let points = curve["points"].as_array().unwrap();
        let xs: Vec<u64> = points.iter().map(|point| point[0].as_f64().unwrap() as u64).collect();
        assert_eq!(xs, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000], "{curve}");
        // The end of the curve is the finished run.
        let is = |cell: &&Json| ["row", "column", "measure"].iter().all(|key| cell[key] == curve[key]);
        assert_eq!(points[10][1], cells(table).iter().find(is).unwrap()["ours"], "{curve}");
        let value = |i: usize| points[i][1].as_f64().unwrap();
        assert!(curve["measure"] != "train_error" || value(0) >= value(10), "{curve}");
    }
    assert_eq!(table["claims"][0]["verdict"], "not run");
    let line = "reproduce higher-order-figure2 --repeats 1 --only HO_2(0) --json";
    let json = run(&folder, line).silent().json();
    let curves = json["tables"][0]["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 4);
    let mistakes = curves[0]["points"].as_array().unwrap();
    assert!(
        mistakes.windows(2).all(|pair| pair[0][1].as_f64() <= pair[1][1].as_f64()),
        "mistakes add up: {mistakes:?}"
    );
}

#[test]
fn finished_runs_are_those_of_the_same_rows() {
    let folder = Folder::new();
    let rows = folder.run("generate yinyang --rows 100 --seed 2").silent().stdout;
    folder.write("pima.svm", &rows);
    let line = "reproduce rcd-figure3 --repeats 1 --only pocket --json";
    let kept = format!("{line} --resume kept");
    let first = run(&folder, &kept).silent().json();
    assert_eq!(run(&folder, &kept).silent().json(), first);
    // As many rows, features and rows of each class, but others.
    let turned: String = rows.lines().rev().map(|row| format!("{row}\n")).collect();
    folder.write("pima.svm", turned);
    let anew = run(&folder, line).silent().json();
    assert_ne!(anew, first);
    assert_eq!(run(&folder, &kept).silent().json(), anew);
}

#[test]
fn interrupted_work_goes_on_from_what_is_finished() {
    let folder = Folder::new();
    let line = "reproduce projectron-table3 --repeats 2 --resume kept --json";
    let whole = run(&folder, line).silent().json();
    let runs = folder.text("kept/runs.jsonl");
    // As if it had been killed in the middle of a line.
    let half: usize = runs.len() / 2;
    folder.write("kept/runs.jsonl", &runs[..half]);
    assert_eq!(run(&folder, line).silent().json(), whole);
    assert!(folder.text("kept/runs.jsonl").lines().count() > runs[..half].lines().count());
    // What is finished is not run again.
    let finished = folder.text("kept/runs.jsonl").len();
    assert_eq!(run(&folder, line).silent().json(), whole);
    assert_eq!(folder.text("kept/runs.jsonl").len(), finished);
    folder.write("file", "");
    run(&folder, "reproduce projectron-table3 --resume file").refused(1);
}
