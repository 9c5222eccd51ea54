//! Parquet files: the same table as CSV gives the same model, and what cannot be read is named.
//!
//! The files were written by pyarrow: columns of every type, plain and in dictionaries, in one row group and in many.

use std::io::Read;

use onlinear_parquet::{Cells, OutputColumn, Source, Table, Writer};

use crate::folder::Folder;

const MIXED_CSV: &[u8] = include_bytes!("../../../onlinear/tests/parquet/mixed.csv");
const MIXED: &[u8] = include_bytes!("../../../onlinear/tests/parquet/mixed.parquet");
const PAGES: &[u8] = include_bytes!("../../../onlinear/tests/parquet/pages.parquet");
const ODD: &[u8] = include_bytes!("../../../onlinear/tests/parquet/odd.parquet");

fn folder() -> Folder {
    let folder = Folder::with("mixed.csv", MIXED_CSV);
    folder.write("mixed.parquet", MIXED);
    folder.write("pages.parquet", PAGES);
    folder.write("odd.parquet", ODD);
    folder
}

/// A table with columns of numbers where all cells are, else of texts.
fn write_parquet(header: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let column = |(i, name): (usize, &&str)| {
        let is_number = rows.iter().all(|row| row[i].is_empty() || row[i].parse::<f64>().is_ok());
        let cells = match is_number {
            true => OutputColumn::Numbers(rows.iter().map(|row| row[i].parse().unwrap_or(f64::NAN)).collect()),
            false => OutputColumn::Texts(rows.iter().map(|row| row[i].clone()).collect()),
        };
        (name.to_string(), cells)
    };
    let columns = header.iter().enumerate().map(column).collect();
    Writer::new(Vec::new(), columns).unwrap().finish().unwrap()
}

#[test]
fn the_same_table_gives_the_same_model_however_it_is_written() {
    let folder = folder();
    for line in
        ["averaged", "svm --missing median", "perceptron --passes 1 --column whole:category --interact num,size"]
    {
        let model = |file: &str| {
            folder.run(&format!("learn {line} {file} --label y --model model --quiet")).ok();
            folder.read("model")
        };
        let of_csv = model("mixed.csv");
        assert!(of_csv == model("mixed.parquet"), "{line}");
        assert!(of_csv == model("pages.parquet"), "{line}");
    }
    let predicted = |file: &str| folder.run(&format!("predict model {file} --scores --quiet")).silent().stdout;
    assert_eq!(predicted("mixed.csv"), predicted("pages.parquet"));
    let compared = |file: &str| {
        let mut json = folder.run(&format!("compare {file} --label y --repeats 2 -l averaged -l arow --json")).json();
        // Times differ, and warnings name the file.
        for row in json["rows"].as_array_mut().unwrap() {
            ["seconds", "warnings"].iter().for_each(|key| drop(row.as_object_mut().unwrap().remove(*key)));
        }
        (json["rows"].clone(), json["columns"].clone())
    };
    assert_eq!(compared("mixed.csv"), compared("mixed.parquet"));
    let tuned =
        |file: &str| folder.run(&format!("tune averaged {file} --label y --folds 3 --json")).json()["error"].clone();
    assert_eq!(tuned("mixed.csv"), tuned("pages.parquet"));
}

#[test]
fn real_tables_give_the_same_model() {
    let Some(data) = std::env::var_os("ONLINEAR_DATA") else {
        eprintln!("skipped: ONLINEAR_DATA is not set");
        return;
    };
    let folder = Folder::new();
    for (file, label) in [("telco-churn.csv.gz", "Churn"), ("adult-train.csv.gz", "c15")] {
        let packed = std::fs::read(std::path::Path::new(&data).join("tables").join(file)).unwrap();
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        let mut rows: Vec<Vec<String>> = (text.lines().filter(|line| !line.is_empty()))
            .map(|line| line.split(',').map(|cell| cell.trim().to_string()).collect())
            .collect();
        let header = match label {
            "c15" => (1..=rows[0].len()).map(|i| format!("c{i}")).collect(),
            _ => rows.remove(0),
        };
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let lines: Vec<String> = std::iter::once(&header).chain(&rows).map(|row| row.join(",")).collect();
        folder.write("table.csv", lines.join("\n"));
        folder.write("table.parquet", write_parquet(&names, &rows));
        let model = |file: &str| {
            folder.run(&format!("learn averaged {file} --label {label} --model model --quiet")).ok();
            folder.read("model")
        };
        assert!(model("table.csv") == model("table.parquet"), "{file}");
    }
}

#[test]
fn columns_of_types_that_mean_nothing_are_named_with_a_cure() {
    let folder = folder();
    for (column, what) in [
        ("list", "has parts of its own"),
        ("parts", "has parts of its own"),
        ("bytes", "holds bytes, not text"),
        ("time", "holds times of day without a day"),
        ("uuid", "holds UUIDs as bytes, not as text"),
    ] {
        let all = ["list", "parts", "bytes", "time", "uuid"];
        let others: Vec<&str> = all.into_iter().filter(|other| *other != column).collect();
        let line = format!("learn perceptron odd.parquet --label y --ignore {}", others.join(","));
        let cure = format!("cast it, or leave it out with --ignore {column}");
        assert_eq!(folder.run(&line).refused(1), format!("odd.parquet: column '{column}' {what}; {cure}\n"));
    }
    folder.run("learn perceptron odd.parquet --label y --only a --model model --quiet").ok();
    let message = folder.run("predict model odd.parquet --keep bytes --output out.csv").refused(1);
    assert!(message.contains("column 'bytes' holds bytes"), "{message}");
}

#[test]
fn what_is_no_parquet_file_in_whole_is_named() {
    let folder = folder();
    folder.write("cut.parquet", &MIXED[..MIXED.len() - 100]);
    let message = folder.run("learn perceptron cut.parquet --label y").refused(1);
    assert!(message.starts_with("cut.parquet: cannot be read as Parquet: "), "{message}");
    let message = folder.run_on("learn perceptron - --label y", MIXED).refused(1);
    assert!(message.starts_with("<stdin>: is Parquet, which is read from its end"), "{message}");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, MIXED).unwrap();
    folder.write("mixed.parquet.gz", gz.finish().unwrap());
    let message = folder.run("learn perceptron mixed.parquet.gz --label y").refused(1);
    assert_eq!(message, "mixed.parquet.gz: is a Parquet file packed once more; unpack it\n");
    let message = folder.run("learn perceptron mixed.parquet --label y --max-memory 4K").refused(1);
    assert!(message.contains("mixed.parquet") && message.contains("--max-memory"), "{message}");
    let message = folder.run("learn perceptron mixed.parquet --label z").refused(1);
    assert!(message.starts_with("mixed.parquet: has no column 'z' for --label"), "{message}");
    folder.write("none.parquet", write_parquet(&["a", "y"], &[]));
    assert!(folder.run("learn perceptron none.parquet --label y").refused(1).contains("none.parquet"));
}

#[test]
fn answers_are_written_as_a_table() {
    let folder = folder();
    folder.run("learn averaged mixed.parquet --label y --calibrate --model model --quiet").ok();
    let line = "predict model pages.parquet --keep long,unsigned,price,day,flag,y --probabilities --quiet --output";
    folder.run(&format!("{line} scored.csv")).silent();
    folder.run(&format!("{line} scored.parquet")).silent();
    let mut table = Table::open(Source::memory(folder.read("scored.parquet")), u64::MAX).unwrap();
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    let text = folder.text("scored.csv");
    assert_eq!(text.lines().next(), Some(names.join(",").as_str()));
    let rows = table.read().unwrap().unwrap();
    let cell = |cells: &Option<Cells>, i: usize| match cells.as_ref().unwrap() {
        Cells::Numbers(numbers) => numbers[i].to_string(),
        Cells::Texts(texts) => String::from_utf8(texts.iter().nth(i).unwrap().to_vec()).unwrap(),
        other => panic!("{other:?}"),
    };
    for (i, line) in text.lines().skip(1).enumerate() {
        let cells: Vec<String> = rows.columns.iter().map(|column| cell(column, i)).collect();
        assert_eq!(cells.join(","), line);
    }
    // What is kept is as it is written, digit by digit.
    let expected = "117093590311632899,9223372036868407296,-89.87,2020-01-14,False,no";
    assert!(text.lines().nth(1).unwrap().starts_with(expected), "{text}");
    // A file is written whole or not at all.
    folder.write("cut.parquet", [&PAGES[..3000], &[0; 2000], &PAGES[5000..]].concat());
    let before = folder.names();
    folder.run("predict model cut.parquet --output new.parquet").refused(1);
    assert_eq!(folder.names(), before);
}
