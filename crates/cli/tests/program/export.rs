//! Models as what others run: C is compiled and run here, where there is a compiler; ONNX and SQL are in Python's
//! tests.

use std::process::{Command, Stdio};

use onlinear::ALGORITHMS;
use serde_json::Value as Json;

use crate::folder::Folder;

/// Learners of which no model can be exported, as they are by default.
const REFUSED: [&str; 1] = ["voted"];

/// Rows of four features, some of them 0 and one all 0, of two or three classes.
fn rows(classes: usize) -> String {
    let row = |i: usize| {
        let x: [f64; 4] = [7, 5, 3, 2].map(|k| ((i * k + i * i % 5) % 11) as f64 - 5.0);
        let class = match x[0] + 0.5 * x[1] {
            sum if classes == 2 => usize::from(sum > 0.0),
            sum => usize::from(sum > -3.0) + usize::from(sum > 3.0),
        };
        let parts: String = (0..4).filter(|k| x[*k] != 0.0).map(|k| format!(" {}:{}", k + 1, x[k])).collect();
        format!("{class}{parts}\n")
    };
    (0..120).map(row).collect::<String>() + "0\n"
}

/// The same rows for C: four numbers each.
fn numbers(text: &str) -> String {
    let row = |line: &str| {
        let mut x = [0.0; 4];
        for part in line.split_whitespace().skip(1) {
            let (place, value) = part.split_once(':').unwrap();
            x[place.parse::<usize>().unwrap() - 1] = value.parse().unwrap();
        }
        x.map(|x: f64| x.to_string()).join(" ") + "\n"
    };
    text.lines().map(row).collect()
}

fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: there is no C compiler");
    }
    found
}

/// Compiles `main.c`, which includes the exported file, in the strictest ways that are promised, and runs it.
#[track_caller]
fn compiled(folder: &Folder, main: &str, input: &str) -> Vec<Vec<f64>> {
    folder.write("main.c", main);
    for standard in [&["-std=c99", "-Wpedantic", "-Wno-overlength-strings"][..], &[]] {
        let mut cc = Command::new("cc");
        cc.args(["-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "main.c", "-o", "main", "-lm"]).args(standard);
        let output = cc.current_dir(folder.path(".")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let ran = assert_cmd::Command::new(folder.path("main")).write_stdin(input).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    text.lines().map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
}

const READ_ROWS: &str = r#"
#include "model.c"
#include <stdio.h>
int main(void)
{
    onlinear_row row;
    double scores[ONLINEAR_SCORES];
    int k;
    while (scanf("%lf %lf %lf %lf", &row.x[0], &row.x[1], &row.x[2], &row.x[3]) == 4) {
        onlinear_scores(&row, scores);
        printf("%d", onlinear_class(&row));
        for (k = 0; k < ONLINEAR_SCORES; k++)
            printf(" %.17g", scores[k]);
        printf("\n");
    }
    return 0;
}
"#;

/// What the program makes of the rows: the class by number, and the scores.
fn predicted(folder: &Folder, labels: &[String]) -> Vec<(usize, Vec<f64>)> {
    let text = folder.run("predict model data.svm --json --quiet").ok().stdout;
    let answer = |line: &str| {
        let json: Json = serde_json::from_str(line).unwrap();
        let class = labels.iter().position(|label| json["label"] == *label).unwrap();
        let scores = match &json["scores"] {
            Json::Object(all) => labels.iter().map(|label| all[label].as_f64().unwrap()).collect(),
            _ => vec![json["score"].as_f64().unwrap()],
        };
        (class, scores)
    };
    text.lines().map(answer).collect()
}

#[track_caller]
fn agrees(folder: &Folder, what: &str) {
    folder.run("export model --to c --output model.c").silent();
    let labels: Vec<String> =
        serde_json::from_value(folder.run("inspect model --json").json()["labels"].clone()).unwrap();
    let ours = predicted(folder, &labels);
    let theirs = compiled(folder, READ_ROWS, &numbers(&folder.text("data.svm")));
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for ((class, scores), line) in ours.iter().zip(&theirs) {
        assert_eq!(*class as f64, line[0], "{what}: {scores:?} {line:?}");
        for (ours, theirs) in scores.iter().zip(&line[1..]) {
            assert!((ours - theirs).abs() <= 1e-9 * ours.abs().max(1.0), "{what}: {ours} {theirs}");
        }
    }
}

#[test]
fn c_decides_as_every_learner_does() {
    if !has_compiler() {
        return;
    }
    for classes in [2, 3] {
        let folder = Folder::with("data.svm", rows(classes));
        for algorithm in ALGORITHMS {
            folder.run(&format!("learn {} data.svm --model model --quiet", algorithm.name)).ok();
            if REFUSED.contains(&algorithm.name) {
                let said = folder.run("export model --to c").refused(2);
                assert!(said.contains(&format!("cannot be exported: {}", algorithm.name)), "{said}");
                continue;
            }
            agrees(&folder, &format!("{} of {classes} classes", algorithm.name));
        }
    }
}

#[test]
fn c_goes_through_every_stage_and_kernel() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::with("data.svm", rows(3));
    for line in [
        "averaged --scale minmax --normalize l2 --bias 2",
        "averaged --stage standard --stage l2 --stage bias",
        "perceptron --scale maxabs --normalize none",
        "p-norm:p=3 --normalize lp",
        "arow --map nystrom:landmarks=20,kernel=gaussian,sigma2=4 --bias",
        "averaged --map fourier:dimension=20,sigma2=4 --bias",
        "perceptron:kernel=gaussian,sigma2=4",
        "perceptron:kernel=polynomial,degree=3,offset=0.5,cosine=true",
        "averaged:kernel=polynomial --bias",
        "averaged:kernel=linear,cosine=true",
        "passive-aggressive:multiclass=direct,kernel=gaussian",
        "averaged:multiclass=direct",
        "second-order:kernel=gaussian",
        "projectron:output=longest",
    ] {
        let (spec, flags) = line.split_once(' ').unwrap_or((line, ""));
        folder.run(&format!("learn {spec} data.svm --model model --quiet {flags}")).ok();
        agrees(&folder, line);
    }
}

/// Columns whose names and values are made to break out of quotes and comments.
fn hostile_table() -> String {
    let mut table = String::from("\"a \"\"b\"\" */ ??/\",int,\"it's\",yes?,\"*/ main(\\\",label\n");
    for i in 0..60 {
        let text = [r#""""""#, "it's", "??/", "", r"\", "plain"][i % 6];
        let number = if i % 7 == 3 { String::new() } else { format!("{}", (i * 5) % 9) };
        let bit = ["yes", "no", "No", "YES"][i % 4];
        let other = ["x", "y", "*/"][i % 3];
        let label = if (i * 5) % 9 > 4 { "up" } else { "down" };
        table += &format!("{},{number},{text},{bit},{other},{label}\n", i % 5);
    }
    table
}

#[test]
fn names_and_texts_of_a_table_stay_what_they_are() {
    let folder = Folder::with("data.csv", hostile_table());
    folder.run("learn averaged data.csv --label label --model model --quiet").ok();
    let columns = folder.run("export model --to json").json()["input"]["columns"].clone();
    let sql = folder.run("export model --to sql").silent().stdout;
    assert!(sql.contains(r#""a ""b"" */ ??/""#) && sql.contains("'it''s'"), "{sql}");
    if !has_compiler() {
        return;
    }
    folder.run("export model --to c --output model.c").silent();
    // A row in C for each row of the table, in the order of the columns.
    let cell = |holds: &Json, text: &str| match holds.as_str() {
        Some("category") => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('?', "\\?")),
        Some("boolean") => u8::from(text.eq_ignore_ascii_case("yes")).to_string(),
        _ if text.is_empty() => "NAN".to_string(),
        _ => text.to_string(),
    };
    let header = ["a \"b\" */ ??/", "int", "it's", "yes?", "*/ main(\\"];
    let place = |column: &Json| header.iter().position(|name| column["name"] == *name).unwrap();
    let row = |line: &str| {
        let cells: Vec<String> = line.split(',').map(|cell| cell.replace("\"\"\"\"", "\"")).collect();
        let cells: Vec<String> = columns
            .as_array()
            .unwrap()
            .iter()
            .map(|column| cell(&column["holds"], cells[place(column)].trim_matches('\n')))
            .collect();
        format!("    {{ {} }}", cells.join(", "))
    };
    let table = folder.text("data.csv");
    let list: Vec<String> = table.lines().skip(1).map(row).collect();
    let main = format!(
        "#include \"model.c\"\n#include <stdio.h>\nint main(void)\n{{\n    static const onlinear_row rows[] = \
         {{\n{}\n}};\n    \
         size_t i;\n    double score;\n    for (i = 0; i < sizeof rows / sizeof *rows; i++) {{\n        \
         onlinear_scores(&rows[i], &score);\n        printf(\"%d %.17g\\n\", onlinear_class(&rows[i]), score);\n    \
         }}\n    \
         return 0;\n}}\n",
        list.join(",\n")
    );
    let theirs = compiled(&folder, &main, "");
    let ours = folder.run("predict model data.csv --json --quiet").ok().stdout;
    assert_eq!(ours.lines().count(), theirs.len());
    for (line, theirs) in ours.lines().zip(&theirs) {
        let json: Json = serde_json::from_str(line).unwrap();
        assert_eq!(f64::from(u8::from(json["label"] == "up")), theirs[0], "{line}");
        assert!((json["score"].as_f64().unwrap() - theirs[1]).abs() < 1e-9, "{line} {theirs:?}");
    }
}

#[test]
fn what_cannot_be_exported_is_refused_by_name() {
    let folder = Folder::with("data.svm", rows(2));
    folder.write("dated.csv", "day,n,label\n2024-01-02,1,a\n2024-03-04,2,b\n2024-05-06,3,a\n");
    folder.write("text.csv", "n,says,label\n1,some words,a\n2,other words here,b\n");
    for (line, said) in [
        ("learn voted data.svm --model m", "voted with these settings leaves neither weights nor"),
        ("learn second-order:current=true data.svm --model m", "second-order with these settings"),
        ("learn second-order:mode=pseudoinverse data.svm --model m", "second-order with these settings"),
        ("learn perceptron data.svm --hash 10 --model m", "known by hashes"),
        ("learn perceptron dated.csv --label label --column day:date --model m", "column 'day' holds days"),
        ("learn perceptron text.csv --label label --column says:words --model m", "column 'says' holds free text"),
    ] {
        folder.run(&format!("{line} --quiet")).ok();
        for to in ["onnx", "sql", "c", "json"] {
            let message = folder.run(&format!("export m --to {to}")).refused(2);
            assert!(message.contains(said), "{line}: {message}");
        }
    }
    // To a database this is the name of what the query itself makes.
    folder.write("scored.csv", "Onlinear_Score,label\n1,a\n-2,b\n3,a\n");
    folder.run("learn perceptron scored.csv --label label --model m --quiet").ok();
    let message = folder.run("export m --to sql").refused(2);
    assert!(message.contains("'Onlinear_Score' begins as the names that the SQL query makes"), "{message}");
    folder.run("export m --to c").ok();
    folder.run("learn perceptron data.svm --model m --quiet").ok();
    for (line, said) in [
        ("export m --to sql --table onlinear_input", "'onlinear_input' begins as the names"),
        ("export m --to c --table rows", "--table goes with --to sql alone"),
        ("export m --to sql --output m", "--output m would write over MODEL"),
        ("export m", "--to"),
    ] {
        assert!(folder.run(line).stderr.contains(said), "{line}");
    }
}

/// A database puts an expression in place of each use of its name, unless it is told not to: with several classes and
/// the lengths of rows that is more than a machine can hold.
#[test]
fn what_sql_uses_many_times_is_computed_once() {
    let folder = Folder::new();
    folder.write("rows.svm", (0..60).map(|i| format!("{} {}:1 4:0.5\n", i % 3, 1 + i % 3)).collect::<String>());
    let sql = |line: &str| {
        folder.run(&format!("learn averaged {line} --quiet --model m")).silent();
        folder.run("export m --to sql").silent().stdout
    };
    let several = sql("rows.svm --normalize l2");
    for table in ["onlinear_normed_1", "onlinear_scored"] {
        assert!(several.contains(&format!("{table} AS MATERIALIZED (")), "{table}: {several}");
    }
    assert_eq!(several.matches("SQRT(").count(), 1, "{several}");
    folder.write(
        "cases.svm",
        (0..60).map(|i| format!("{} {}:1\n", ["A", "a", "b"][i % 3], 1 + i % 3)).collect::<String>(),
    );
    let cases = sql("cases.svm");
    assert!(cases.contains("AS \"onlinear_score_A\"") && cases.contains("AS \"onlinear_score_a_\""), "{cases}");
    let one = sql("rows.svm --positive 1");
    assert!(!one.contains("WITH"), "rows stream through one score: {one}");
}
