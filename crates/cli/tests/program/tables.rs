//! Tables as people have them: one customer table in many ways of writing, and what becomes of it.

use std::io::Write;

use serde_json::{Value as Json, json};

use crate::folder::Folder;

const ROWS: usize = 240;

/// A customer as the cells of a row.
struct Customer {
    id: usize,
    day: (usize, usize),
    city: &'static str,
    age: Option<usize>,
    income: f64,
    active: bool,
    churn: bool,
}

fn customers() -> impl Iterator<Item = Customer> {
    (0..ROWS).map(|i| {
        let (age, income) = (20 + (i * 37) % 60, 1000.5 + ((i * 7919) % 30_000) as f64);
        let active = (i * 13) % 7 < 4;
        let city = ["Köln", "Paris", "Rome"][(i * 5) % 3];
        let churn = (age < 45) != (city == "Rome") && !active || i % 17 == 0;
        let day = (1 + (i * 11) % 12, 1 + (i * 3) % 28);
        Customer { id: 1000 + i, day, city, age: (i % 19 != 0).then_some(age), income, active, churn }
    })
}

/// How the table is written.
struct Writing {
    separator: &'static str,
    end: &'static str,
    quote: bool,
    header: bool,
    index: bool,
    missing: &'static str,
    words: [&'static str; 2],
    number: fn(f64) -> String,
    day: fn((usize, usize)) -> String,
}

const PLAIN: Writing = Writing {
    separator: ",",
    end: "\n",
    quote: false,
    header: true,
    index: false,
    missing: "",
    words: ["no", "yes"],
    number: |number| format!("{number:.1}"),
    day: |(month, day)| format!("2024-{month:02}-{day:02}"),
};

/// A number with a sign between thousands and one before the fraction.
fn grouped(number: f64, thousands: char, decimal: char) -> String {
    let (whole, fraction) = ((number as u64), format!("{:.1}", number.fract()));
    let whole = match whole {
        0..1000 => whole.to_string(),
        _ => format!("{}{thousands}{:03}", whole / 1000, whole % 1000),
    };
    format!("{whole}{decimal}{}", &fraction[2..])
}

impl Writing {
    fn table(&self) -> String {
        let row = |cells: Vec<String>| {
            let quoted = |cell: String| match self.quote || cell.contains(self.separator) {
                true => format!("\"{cell}\""),
                false => cell,
            };
            cells.into_iter().map(quoted).collect::<Vec<_>>().join(self.separator) + self.end
        };
        let mut text = String::new();
        let names = ["id", "since", "city", "age", "income", "active", "churn"].map(String::from);
        if self.header {
            let index = self.index.then(String::new);
            text += &row(index.into_iter().chain(names).collect());
        }
        for (i, customer) in customers().enumerate() {
            let word = |yes: bool| self.words[usize::from(yes)].to_string();
            let cells = [
                customer.id.to_string(),
                (self.day)(customer.day),
                customer.city.to_string(),
                customer.age.map_or(self.missing.to_string(), |age| age.to_string()),
                (self.number)(customer.income),
                word(customer.active),
                if customer.churn { "left" } else { "stays" }.to_string(),
            ];
            text += &row(self.index.then(|| i.to_string()).into_iter().chain(cells).collect());
        }
        text
    }
}

/// What a model learned from a table is like.
fn learned(name: &str, bytes: &[u8], flags: &str) -> Json {
    let folder = Folder::with(name, bytes);
    let found = folder.run(&format!("learn arow {name} {flags} --quiet --json")).json();
    let keys = ["examples", "features", "mistakes", "updates", "passes", "labels"];
    keys.into_iter().map(|key| (key.to_string(), found[key].clone())).collect()
}

#[test]
fn a_table_gives_the_same_model_however_it_is_written() {
    let plain = PLAIN.table();
    let expected = learned("t.csv", plain.as_bytes(), "--label churn");
    assert_eq!(expected["labels"], json!(["left", "stays"]));
    let latin1: Vec<u8> = plain.chars().map(|c| c as u8).collect();
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(plain.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(plain.as_bytes()).unwrap();
    let comma = |number: f64| grouped(number, '.', ',');
    let ways: Vec<(&str, Vec<u8>, &str)> = vec![
        ("semicolons.csv", Writing { separator: ";", ..PLAIN }.table().into(), ""),
        ("tabs.tsv", Writing { separator: "\t", ..PLAIN }.table().into(), ""),
        ("tabs.txt", Writing { separator: "\t", ..PLAIN }.table().into(), ""),
        ("bars.csv", Writing { separator: "|", ..PLAIN }.table().into(), ""),
        ("quotes.csv", Writing { quote: true, ..PLAIN }.table().into(), ""),
        ("spaces.csv", Writing { separator: ", ", ..PLAIN }.table().into(), ""),
        ("windows.csv", Writing { end: "\r\n", ..PLAIN }.table().into(), ""),
        ("blank-lines.csv", Writing { end: "\n\n", ..PLAIN }.table().into(), ""),
        ("no-end.csv", plain.trim_end().into(), ""),
        ("mark.csv", format!("\u{feff}{plain}").into(), ""),
        ("utf16.csv", utf16, ""),
        ("latin1.csv", latin1, "--encoding latin1"),
        ("packed.csv.gz", packed.finish().unwrap(), ""),
        ("pandas.csv", Writing { index: true, ..PLAIN }.table().into(), ""),
        ("na.csv", Writing { missing: "NA", ..PLAIN }.table().into(), ""),
        ("nan.csv", Writing { missing: "NaN", ..PLAIN }.table().into(), ""),
        ("null.csv", Writing { missing: "null", ..PLAIN }.table().into(), ""),
        ("asked.csv", Writing { missing: "?", ..PLAIN }.table().into(), ""),
        ("dash.csv", Writing { missing: "-", ..PLAIN }.table().into(), ""),
        ("pandas-na.csv", Writing { missing: "<NA>", ..PLAIN }.table().into(), ""),
        ("sql.csv", Writing { missing: "\\N", ..PLAIN }.table().into(), ""),
        ("dashes.csv", Writing { missing: "--", ..PLAIN }.table().into(), ""),
        ("stops.csv", Writing { missing: "n.a.", ..PLAIN }.table().into(), ""),
        ("words.csv", Writing { words: ["False", "True"], ..PLAIN }.table().into(), ""),
        ("bits.csv", Writing { words: ["0", "1"], ..PLAIN }.table().into(), ""),
        ("thousands.csv", Writing { number: |n| grouped(n, ',', '.'), ..PLAIN }.table().into(), ""),
        ("comma.csv", Writing { separator: ";", number: comma, ..PLAIN }.table().into(), ""),
        ("dollars.csv", Writing { number: |n| format!("${}", grouped(n, ',', '.')), ..PLAIN }.table().into(), ""),
        ("euros.csv", Writing { number: |n| format!("{} €", grouped(n, '.', ',')), ..PLAIN }.table().into(), ""),
        ("percent.csv", Writing { number: |n| format!("{n:.1}%"), ..PLAIN }.table().into(), ""),
        ("apostrophe.csv", Writing { number: |n| grouped(n, '\'', '.'), ..PLAIN }.table().into(), ""),
        ("german.csv", Writing { day: |(m, d)| format!("{d:02}.{m:02}.2024"), ..PLAIN }.table().into(), ""),
        ("american.csv", Writing { day: |(m, d)| format!("{m}/{d}/2024"), ..PLAIN }.table().into(), ""),
        ("time.csv", Writing { day: |(m, d)| format!("2024-{m:02}-{d:02}T00:00:00Z"), ..PLAIN }.table().into(), ""),
    ];
    for (name, bytes, flags) in ways {
        assert_eq!(learned(name, &bytes, &format!("--label churn {flags}")), expected, "{name}");
    }
    let headless = Writing { header: false, ..PLAIN }.table();
    assert_eq!(learned("headless.csv", headless.as_bytes(), "--label 7"), expected);
}

#[test]
fn what_can_be_meant_in_two_ways_is_refused_with_the_cure() {
    let days = Writing { day: |(m, d)| format!("{:02}/{m:02}/2024", d % 12 + 1), ..PLAIN }.table();
    let folder = Folder::with("days.csv", &days);
    let message = folder.run("learn arow days.csv --label churn").refused(1);
    assert!(message.contains("say so with --column since:date=dmy or since:date=mdy"), "{message}");
    folder.run("learn arow days.csv --label churn --column since:date=dmy --quiet").silent();
    let latin1: Vec<u8> = PLAIN.table().chars().map(|c| c as u8).collect();
    let folder = Folder::with("latin1.csv", latin1);
    let message = folder.run("learn arow latin1.csv --label churn").refused(1);
    assert!(message.contains("is not UTF-8") && message.contains("--encoding latin1"), "{message}");
}

#[test]
fn columns_are_told_and_ids_left_out() {
    let folder = Folder::with("t.csv", PLAIN.table());
    let run = folder.run("learn arow t.csv --label churn --json");
    assert!(run.stderr.contains("column 'id' tells rows apart and is left out"), "{}", run.stderr);
    let columns = run.json()["columns"].clone();
    let told: Vec<(&str, &str)> = columns
        .as_array()
        .unwrap()
        .iter()
        .map(|column| (column["name"].as_str().unwrap(), column["kind"].as_str().unwrap()))
        .collect();
    let expected = [
        ("id", "id"),
        ("since", "date"),
        ("city", "category"),
        ("age", "number"),
        ("income", "number"),
        ("active", "boolean"),
        ("churn", "label"),
    ];
    assert_eq!(told, expected);
    assert_eq!((&columns[2]["values"], &columns[3]["missing"]), (&json!(3), &json!(13)));
    let kept = folder.run("learn arow t.csv --label churn --column id:number --only id,age --quiet --json").json();
    assert_eq!(kept["features"], json!(3)); // with the one that says that the age is missing
}

#[test]
fn the_choice_is_printed_as_flags_that_give_the_same_bits() {
    let folder = Folder::with("t.csv", PLAIN.table());
    for learner in ["arow", "averaged", "rcd-bias:epochs=20"] {
        let chosen = folder.run(&format!("learn {learner} t.csv --label churn --quiet --json --model a.model")).json();
        let flags = chosen["settings"].as_str().unwrap().to_string();
        assert!(flags.contains("--scale mixed"), "{flags}");
        folder.run(&format!("learn {learner} t.csv --label churn --quiet --model b.model {flags}")).silent();
        assert_eq!(folder.read("a.model"), folder.read("b.model"), "{learner} {flags}");
        let paper = folder.run(&format!("learn {learner} t.csv --label churn --quiet --json --protocol paper")).json();
        assert_eq!(paper["settings"], json!(""));
    }
}

#[test]
fn a_stream_is_filled_in_by_what_was_met_before() {
    let folder = Folder::with("t.csv", PLAIN.table());
    let found = folder.run_on("learn arow - --label churn --quiet --json --model s.model", PLAIN.table()).json();
    assert_eq!((&found["stages"], &found["passes"]), (&json!(["impute-running"]), &json!(1)));
    let table = PLAIN.table();
    let lines: Vec<&str> = table.split_inclusive('\n').collect();
    let (first, rest) = (lines[..100].concat(), [&lines[..1], &lines[100..]].concat().concat());
    folder.run_on("learn arow - --label churn --quiet --model a.model", first).silent();
    folder.run_on("learn --resume a.model - --quiet --model b.model", rest).silent();
    assert_eq!(folder.read("s.model"), folder.read("b.model"), "going on is as if it had never stopped");
}

#[test]
fn a_page_has_a_table_of_the_columns() {
    let folder = Folder::with("t.csv", PLAIN.table());
    folder.run("learn arow t.csv --label churn --quiet --html page.html").silent();
    let page = folder.text("page.html");
    let (_, page) = page.split_once("What each column was taken for.").expect("the table of the columns");
    for cells in
        [["id", "id", "no", "–", "0"], ["city", "category", "yes", "3", "0"], ["age", "number", "yes", "–", "13"]]
    {
        let at = page.find(&format!(">{}</t", cells[0])).expect("a row of the column");
        let row = &page[at..at + page[at..].find("</tr>").expect("its end")];
        assert!(cells[1..].iter().all(|cell| row.contains(&format!(">{cell}</t"))), "{row}");
    }
}

#[test]
fn a_row_without_a_label_is_refused_with_the_cure() {
    let folder = Folder::with("t.csv", "a,y\n1,no\n2,\n3,yes\n4,no\n");
    let cure = "the row has no label; --skip-bad-rows leaves out such rows\n";
    assert_eq!(folder.run("learn arow t.csv --label y").refused(1), format!("t.csv:3:1: {cure}"));
    folder.run("learn arow t.csv --label y --skip-bad-rows").ok();
}

#[test]
fn words_in_a_row_are_features_hashed_or_not() {
    let note = |i: usize| ["gave it back", "kept it for long", "came back"][i % 3];
    let rows: String =
        (0..60).map(|i| format!("{} and asked {i},{}\n", note(i), ["no", "yes"][usize::from(i % 3 == 1)])).collect();
    let folder = Folder::with("t.csv", format!("note,y\n{rows}"));
    let learned =
        |flags: &str| folder.run(&format!("learn arow t.csv --label y --quiet --json --model m {flags}")).json();
    assert_eq!(learned("")["columns"][0]["kind"], json!("words"));
    assert_eq!(learned("--column note:words=2")["columns"][0]["kind"], json!("words=2"));
    assert!(folder.run("inspect m --weights").ok().stdout.contains("note:kept it"));
    assert_eq!(learned("--column note:words:ngrams=2")["columns"][0]["kind"], json!("words=2"));
    let hashed = learned("--column note:words=2 --hash 8");
    assert_eq!((&hashed["features"], &hashed["columns"][0]["values"]), (&json!(256), &json!(null)));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_names_the_feature_that_reads_it() {
    let folder = Folder::with("t.parquet", b"PAR1\x15\x04PAR1");
    let message = folder.run("learn arow t.parquet --label y").refused(1);
    let build = "cargo install --path crates/cli --features parquet";
    assert!(message.starts_with("t.parquet: is a Parquet file, which this build does not read"), "{message}");
    assert!(message.contains(build) && message.contains("pandas.read_parquet("), "{message}");
    folder.write("t.csv", "a,y\n1,no\n2,yes\n");
    folder.run("learn arow t.csv --label y --model m --quiet").ok();
    let message = folder.run("predict m t.csv --output out.parquet").refused(2);
    assert!(message.contains("this build writes no Parquet") && message.contains(build), "{message}");
}

#[test]
fn figures_in_groups_tell_rows_apart_and_are_no_words() {
    let mut text = "phone,street,class\n".to_string();
    for i in 0..40 {
        text += &format!("+49 170 {},{i} High Street,{}\n", 1_000_000 + i * 7919, ["a", "b"][i % 2]);
    }
    let folder = Folder::with("phones.csv", text);
    let warning = folder.run("learn arow phones.csv").ok().stderr;
    assert!(warning.contains("column 'phone' tells rows apart and is left out"), "{warning}");
    assert!(!warning.contains("street"), "{warning}");
    let narrow = folder.run_in(&[("COLUMNS", "80")], "learn arow phones.csv", "").ok().stderr;
    assert!(narrow.contains("warning: ") && narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
}

#[test]
fn a_table_that_cannot_be_read_says_how_it_can() {
    let folder = Folder::with("german.data", "A11 6 A34 1\nA12 48 A32 2\nA14 12 A34 1\n");
    let message = folder.run("compare german.data --label 4").refused(2);
    assert!(message.contains("divided by spaces: awk -v OFS=, '{$1=$1}1' german.data > table.csv"), "{message}");
    let folder = Folder::with("titled.csv", format!("Customers of May\n{}", PLAIN.table()));
    let message = folder.run("compare titled.csv --label churn").refused(1);
    assert!(message.contains("take out what stands above them: tail -n +2 titled.csv > table.csv"), "{message}");
    let folder = Folder::with("plain.csv", PLAIN.table());
    let message = folder.run("compare plain.csv --label income").refused(1);
    assert!(message.contains("has 240 labels in 240 rows, which seem to be measurements"), "{message}");
    let folder = Folder::with("t.csv", made("area,price", 600, |i| format!("{}.5,{}", (i * 7) % 601, (i * 7) % 151)));
    let message = folder.run("compare t.csv --label price").refused(1);
    assert!(message.contains("has 151 labels in 600 rows, which seem to be measurements"), "{message}");
    let doubt = folder.run("learn averaged t.csv --label price").ok().stderr;
    assert!(doubt.contains("151 different labels make 151 classes"), "{doubt}");
    // Files of the kind that numbers its classes may have as many.
    let rows: String = (0..600).map(|i| format!("{} 1:{} 2:{}\n", i % 151, i % 13, i % 151)).collect();
    Folder::with("t.svm", rows).run("compare t.svm -l perceptron --repeats 1 --passes 1").ok();
}

#[test]
fn a_class_of_one_row_is_learned_and_not_held_out() {
    let label = |i: usize| ["a", "b", "c"][if i == 33 { 2 } else { usize::from(i % 7 > 3) }];
    let folder = Folder::with("t.csv", made("x,y", 60, |i| format!("{},{}", i % 7, label(i))));
    for seed in 1..6 {
        let found = folder.run(&format!("learn averaged t.csv --label y --holdout 0.3 --seed {seed} --json")).json();
        assert_eq!(found["examples"].as_u64().zip(found["holdout"]["examples"].as_u64()), Some((42, 18)), "{found}");
        assert_eq!(found["holdout"]["metrics"]["classes"]["c"]["support"], json!(0));
    }
    folder.run("compare t.csv --label y -l averaged -l svm --repeats 6").ok();
    folder.run("tune averaged t.csv --label y --grid rate=1").ok();
}

#[test]
fn of_many_features_none_is_compared_by_its_spread() {
    let rows = (0..30).map(|i| format!("{} {}:1 {}:1\n", i % 2, 1 + i % 7, 1990 + i % 11));
    let folder = Folder::with("wide.svm", rows.collect::<String>());
    let found = folder.run("compare wide.svm --repeats 1 --quiet --json").json();
    let learners: Vec<&str> = found["rows"].as_array().unwrap().iter().filter_map(|l| l["learner"].as_str()).collect();
    assert!(learners.contains(&"rcd-bias:epochs=100,start=zero"), "{learners:?}");
    assert!(learners.contains(&"adaboost:rounds=10,base.epochs=20,base.start=zero"), "{learners:?}");
    assert!(learners.contains(&"second-order") && found["left_out"] == json!([]), "{learners:?}");
}

#[test]
fn over_many_features_no_matrices_are_compared_unless_asked_for() {
    let rows = (0..30).map(|i| format!("{} {}:1 {}:1\n", i % 2, 1 + i % 7, 2990 + i % 11));
    let folder = Folder::with("wide.svm", rows.collect::<String>());
    let found = folder.run("compare wide.svm --repeats 1 --quiet --json").json();
    assert_eq!(found["left_out"], json!(["second-order", "higher-order"]));
    assert_eq!(found["rows"].as_array().unwrap().len(), 10);
    let told = folder.run_in(&[("COLUMNS", "80")], "compare wide.svm --repeats 1", "").ok().stdout;
    assert!(told.contains("left out  second-order and higher-order, whose matrices over 3000 features"), "{told}");
    let asked = folder.run("compare wide.svm --repeats 1 -l averaged -l second-order:form=dual --quiet --json").json();
    assert_eq!((&asked["left_out"], asked["rows"].as_array().unwrap().len()), (&json!([]), 2));
}

#[test]
fn tune_tells_the_columns_and_figures_fit_the_terminal() {
    let folder = Folder::with("t.csv", PLAIN.table());
    let tuned = folder.run("tune arow t.csv --label churn --grid regularization=1").ok();
    assert!(tuned.stderr.contains("column 'id' tells rows apart and is left out"), "{}", tuned.stderr);
    assert!(tuned.stdout.contains("1 category           city (3)"), "{}", tuned.stdout);
    folder.run("learn arow t.csv --label churn --calibrate --model m.onlinear --quiet").ok();
    let line = "predict m.onlinear t.csv --probabilities --output scored.csv";
    let said = folder.run_in(&[("COLUMNS", "80")], line, "").ok().stderr;
    assert!(said.replace('\n', " ").contains("log loss"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

/// Rows of cells made from a number, under these names.
pub fn made(names: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    (0..rows).fold(format!("{names}\n"), |table, i| table + &row(i) + "\n")
}

/// Which kind each column of a table was taken for, with its unit.
pub fn told(table: &str, label: &str) -> String {
    let folder = Folder::with("t.csv", table);
    let output = folder.run(&format!("learn averaged t.csv --label {label}")).ok().stdout;
    let lines =
        output.lines().skip_while(|line| !line.starts_with("columns")).take_while(|l| !l.starts_with("learner"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).skip(1).collect();
    words.join(" ")
}

#[test]
fn numbers_with_one_unit_are_numbers() {
    let answer = |i: usize| ["no", "yes"][usize::from(i % 7 > 3)];
    let table = made("temp;mass;gain;y", 60, |i| {
        format!("{},5 °C;{} kg;({}.000,00 €);{}", 20 + i % 7, 60 + i % 9, 1 + i % 7, answer(i))
    });
    assert_eq!(told(&table, "y"), "3 numbers temp (°C), mass (kg), gain");
    let folder = Folder::with("t.csv", &table);
    folder.run("learn arow t.csv --label y --model m --quiet").silent();
    let scored = |cell: &str| {
        let output = folder.run_on("predict m - --scores --format csv", format!("temp;mass;gain\n{cell};61;-3000\n"));
        output.stdout
    };
    assert_eq!(scored("24,5 °C"), scored("24,5"));
    assert!(
        folder
            .run_on("predict m -", "temp;mass;gain\n24,5 °F;61;-3000\n")
            .refused(1)
            .contains("is number in the model")
    );
    let other = made("len,y", 60, |i| format!("{}.5 {},{}", i % 7, ["cm", "m"][usize::from(i == 8)], answer(i)));
    let refused = Folder::with("o.csv", other).run("learn arow o.csv --label y").refused(1);
    assert!(
        refused.contains("'1.5 m' in column 'len' is not a number with the unit 'cm', as 59 of 60 cells are; --column")
    );
    let codes = made("size,y", 60, |i| format!("{}{},{}", 32 + i % 7, ["A", "B"][i % 2], answer(i)));
    assert_eq!(told(&codes, "y"), "1 category size (14)");
    let places = made("a,place,y", 60, |i| {
        format!("{},{} {}stadt,{}", i % 7, 10115 + i, (b'a' + (i % 26) as u8) as char, answer(i))
    });
    assert_eq!(told(&places, "y"), "1 number a 1 id-like, left out place");
}

#[test]
fn a_column_of_words_is_a_category_however_many_are_missing() {
    let answer = |i: usize| ["no", "yes"][usize::from(i % 7 > 3)];
    let pool = |i: usize| if i.is_multiple_of(20) { ["Good", "Fair"][i / 20 % 2] } else { "NA" };
    let weight = |i: usize| if i.is_multiple_of(10) { ["[50-75)", "[75-100)"][i / 10 % 2] } else { "?" };
    let table = made("pool,weight,y", 400, |i| format!("{},{},{}", pool(i), weight(i), answer(i)));
    assert_eq!(told(&table, "y"), "2 categories pool (3), weight (2)");
}

#[test]
fn the_latin_text_of_windows_is_read_as_it_is_meant() {
    let row = |i: usize| format!("{},50 €;„{}“;{}", i % 7, ["Köln", "Ulm"][i % 2], ["ja", "nein"][i % 2]);
    let text = made("preis;ort;kauf", 40, row);
    let byte = |c: char| match c {
        '€' => 0x80,
        '„' => 0x84,
        '“' => 0x93,
        c => c as u8,
    };
    let folder = Folder::with("utf8.csv", &text);
    folder.write("windows.csv", text.chars().map(byte).collect::<Vec<u8>>());
    folder.run("learn arow utf8.csv --label kauf --model utf8 --quiet").silent();
    for name in ["latin1", "cp1252", "Windows-1252", "ISO-8859-1"] {
        let found = folder.run(&format!("learn arow windows.csv --label kauf --encoding {name} --quiet --json")).json();
        assert_eq!((&found["columns"][0]["kind"], &found["features"]), (&json!("number"), &json!(3)), "{name}");
    }
    folder.run("predict utf8 windows.csv --encoding cp1252 --keep preis,ort --output scored.csv").ok();
    assert!(folder.text("scored.csv").starts_with("preis,ort,label,score\n\"0,50 €\",„Köln“,"));
}

#[test]
fn yes_and_no_are_known_in_several_languages() {
    let pairs = ["ja nein", "oui non", "sí no", "wahr falsch", "VRAI FAUX", "on off", "J N"];
    let row =
        |i: usize| pairs.map(|pair| pair.split(' ').nth(i % 2).unwrap()).join(",") + ["", ",yes", ",no"][1 + i % 2];
    let told = told(&made("a,b,c,d,e,f,g,y", 40, row), "y");
    assert_eq!(told, "7 yes or no a, b, c, d, e, f, g");
    let letters = |i: usize| format!("{},{}", ["n", "f"][i % 2], ["yes", "no"][i % 2]);
    assert_eq!(self::told(&made("a,y", 40, letters), "y"), "1 category a (2)", "both would be a no");
}

#[test]
fn what_spreadsheets_add_is_understood_or_refused_with_the_cure() {
    let row = |i: usize| format!("{};{}", i % 7, ["no", "yes"][usize::from(i % 7 > 3)]);
    let (plain, told) = (made("a;y", 40, row), made("sep=;\r\na;y", 40, row));
    let folder = Folder::with("plain.csv", plain);
    folder.write("sep.csv", told);
    for name in ["plain", "sep"] {
        folder.run(&format!("learn arow {name}.csv --label y --model {name}.model --quiet")).silent();
    }
    assert_eq!(folder.read("plain.model"), folder.read("sep.model"));
    let trailing = made("a,y,,", 40, |i| row(i).replace(';', ",") + ",,");
    assert_eq!(self::told(&trailing, "y"), "1 number a 2 constant, left out Unnamed: 2, Unnamed: 3");
    let titled = made("Report,\n,\na,y", 40, |i| row(i).replace(';', ","));
    let refused = Folder::with("t.csv", titled).run("learn arow t.csv --label y").refused(1);
    assert!(refused.contains("in line 3; take out what stands above them: tail -n +3 t.csv > table.csv"), "{refused}");
    let bars = made("a|y", 40, |i| row(i).replace(';', "|"));
    let refused = Folder::with("t.txt", bars).run("learn arow t.txt --label y").refused(2);
    assert!(refused.contains("--format csv reads cells divided by | as a table"), "{refused}");
}

#[test]
fn labels_that_may_be_one_or_none_are_doubted() {
    let table = |labels: [&'static str; 3]| made("a,y", 60, |i| format!("{},{}", i % 7, labels[i % 3]));
    let doubt = |labels| Folder::with("t.csv", table(labels)).run("learn arow t.csv --label y").stderr;
    assert!(doubt(["Yes", "yes", "no"]).contains("differ in case alone, and are two classes; --alias 'yes=Yes' reads"));
    assert!(
        doubt(["bad", "good", "NA"]).contains("name the others by --labels 'bad,good'; --skip-bad-rows leaves out")
    );
    assert_eq!(doubt(["bad", "good", "fair"]), "");
    let ids = Folder::with("t.csv", made("id,y", 60, |i| format!("{},{}", 1000 + i, ["no", "yes"][i % 2])));
    assert!(ids.run("learn arow t.csv --label y").stderr.contains("no column is left to learn from"));
}

#[test]
fn a_long_list_of_columns_goes_on_below_itself() {
    let names: Vec<String> = (0..10).map(|i| format!("measurement_{i}")).collect();
    let row =
        |i: usize| (0..10).map(|k| format!("{}.5,", (i * (k + 1)) % 11)).collect::<String>() + ["no", "yes"][i % 2];
    let folder = Folder::with("t.csv", made(&format!("{},y", names.join(",")), 40, row));
    let output = folder.run_in(&[("COLUMNS", "80")], "learn averaged t.csv --label y", "").ok().stdout;
    let lines: Vec<&str> = output.lines().collect();
    let at = lines.iter().position(|line| line.contains("10 numbers")).unwrap();
    let column = lines[at].find("measurement_0").unwrap();
    assert_eq!(lines[at + 1].find("measurement_"), Some(column), "{lines:#?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80));
}

#[test]
fn values_of_a_test_file_that_the_model_does_not_know_are_told() {
    let folder = Folder::with("train.csv", "age,plan,y\n30,gold,a\n40,tin,b\n31,gold,a\n45,tin,b\n");
    folder.write("test.csv", "age,plan,y\n30,zinc,a\n44,tin,b\n");
    let told = "warning: test.csv: column 'plan': 1 value that the model does not know\n";
    let flags = "--label y --test test.csv --column age:number";
    for command in ["learn arow train.csv", "compare train.csv -l arow --repeats 1"] {
        let stderr = folder.run(&format!("{command} {flags}")).ok().stderr;
        assert!(stderr.contains(told), "{command}: {stderr}");
    }
}
