//! Tests of what the columns of CSV text are taken for.

use super::tests::{columns, label, like, read, read_with};
use super::*;
use crate::data::Decimal;
use crate::data::columns::ColumnOptions;

/// A table of so many rows with one column beside the labels, whose cells are these.
fn column_of(cells: impl Fn(usize) -> String) -> String {
    let row = |i: usize| format!("{i}.5,\"{}\",{}\n", cells(i), i % 2);
    format!("n,c,y\n{}", (0..40).map(row).collect::<String>())
}

fn kind_of(cells: impl Fn(usize) -> String) -> String {
    let seen = read(&column_of(cells));
    match (seen.error, seen.schema) {
        (Some(error), _) => error,
        (None, schema) => schema.expect("a schema").columns[1].kind.to_string(),
    }
}

#[test]
fn what_a_column_holds_is_told_by_its_cells() {
    let words = ["a", "b", "c"];
    let told: Vec<(&str, String)> = vec![
        ("number", kind_of(|i| format!("{}", i % 7))),
        ("number", kind_of(|i| format!("{}", (i * 37) % 101))),
        ("number", kind_of(|i| if i == 3 { "NA".into() } else { format!("{}.25", i % 7) })),
        ("boolean", kind_of(|i| format!("{}", i % 2))),
        ("boolean", kind_of(|i| ["Yes", "no"][i % 2].into())),
        ("boolean", kind_of(|i| ["True", "False", ""][i % 3].into())),
        ("category", kind_of(|i| words[i % 3].into())),
        ("category", kind_of(|i| ["1", "2", "x"][i % 3].into())),
        ("constant", kind_of(|_| "same".into())),
        ("constant", kind_of(|_| String::new())),
        ("id", kind_of(|i| format!("{i}"))),
        ("id", kind_of(|i| format!("{}", 1000 + 2 * i + i % 2))),
        ("id", kind_of(|i| format!("{}", 1000 + 3600 * i))),
        ("number", kind_of(|i| format!("{}", 1000 + 37 * i * i))),
        ("id", kind_of(|i| format!("{:05}", i * 7919 % 1000))),
        ("category", kind_of(|i| format!("{:05}", i % 7 * 13))),
        ("number", kind_of(|i| format!("0.{}", i % 7))),
        ("number", kind_of(|i| format!("{:02}", i % 7 * 20))),
        ("number", kind_of(|i| format!("{}:{:02}", i % 24, i * 7 % 60))),
        ("number", kind_of(|i| format!("USD {}.5", i % 7))),
        ("number", kind_of(|i| if i == 3 { "unknown".into() } else { format!("{}", i * 7 % 30) })),
        ("category", kind_of(|i| if i == 3 { "unknown".into() } else { format!("{}", i % 7) })),
        ("category", kind_of(|i| if i == 3 { "B12".into() } else { format!("{}", i * 7 % 30) })),
        ("category", kind_of(|i| if i == 3 { "ten".into() } else { format!("{}", i % 7) })),
        ("category", kind_of(|i| format!("{}{}", 32 + i % 7, ["A", "B"][i % 2]))),
        ("date=dmy", kind_of(|i| if i % 2 == 0 { "2024-03-15".into() } else { format!("{:02}.03.2024", i % 28 + 1) })),
        ("id", kind_of(|i| format!("{i:04}-XY"))),
        ("words", kind_of(|i| format!("row {i} is not row {}", i + 1))),
        ("date", kind_of(|i| format!("2024-03-{:02}", i % 28 + 1))),
        ("date", kind_of(|i| format!("2024-03-{:02} 10:30:00", i % 28 + 1))),
        ("date=dmy", kind_of(|i| format!("{:02}.03.2024", i % 28 + 1))),
        ("date=mdy", kind_of(|i| format!("03/{:02}/2024", i % 28 + 1))),
    ];
    for (k, (expected, told)) in told.into_iter().enumerate() {
        assert_eq!(told, expected, "{k}");
    }
    let slip = |word: &str, number: fn(usize) -> String| kind_of(|i| if i == 3 { word.to_string() } else { number(i) });
    assert_eq!(slip("unknown", |i| format!("{}.75", i * 7)), "number");
    let cure = "such rows can be left out, or all cells be taken as they are written";
    for (word, number) in [
        ("ten", (|i| format!("{}.75", i * 7)) as fn(usize) -> String),
        (">100", |i| format!("{}", i * 7 % 30)),
        ("Total", |i| format!("{}", i * 7919 % 1000)),
    ] {
        let why = format!("FILE:5:5: '{word}' in column 'c' is not a number, as 39 of 40 cells are; {cure}");
        assert_eq!(slip(word, number), why);
    }
    let ambiguous = kind_of(|i| format!("{:02}/{:02}/2024", i % 12 + 1, (i + 5) % 12 + 1));
    assert_eq!(
        ambiguous,
        "FILE: the days in column 'c' can be read with the day first or with the month first; say in which order they \
         are written"
    );
    let mixed = kind_of(|i| if i % 2 == 0 { "15.03.2024".into() } else { format!("03/{}/2024", i % 15 + 13) });
    assert!(mixed.contains("the days in column 'c' are written in more than one order"), "{mixed}");
}

#[test]
fn numbers_are_read_as_the_table_writes_them() {
    let read = |rows: &str| read_with(&format!("a;b;y\n{rows}"), &ReadOptions::default());
    assert_eq!(read("1,5;2;0\n1.234,5;1.000;1\n").short(), ["0: a=1.5 b=2", "1: a=1234.5 b=1000"]);
    assert_eq!(read("1,234.5;2;0\n5;1.500;1\n").short(), ["0: a=1234.5 b=2", "1: a=5 b=1.5"]);
    let error = read("1,234;2;0\n5,678;3;1\n").error.expect("an ambiguous number");
    let why = "column 'a' has numbers like 1,234, which is 1234 or 1.234; say what stands before the fraction";
    assert_eq!(error, format!("FILE: {why}"));
    for (decimal, first) in [(Decimal::Point, "0: a=1234 b=2"), (Decimal::Comma, "0: a=1.234 b=2")] {
        let told = columns(ColumnOptions { decimal: Some(decimal), ..Default::default() });
        assert_eq!(read_with("a;b;y\n1,234;2;0\n5,678;3;1\n", &told).short()[0], first);
    }
}

#[test]
fn products_take_no_places_of_values() {
    let pair = |first: &str, second: &str| (first.to_string(), second.to_string());
    let kinds = vec![("c".to_string(), ColumnKind::Category { most: 3 })];
    let interactions = vec![pair("c", "s"), pair("c", "n")];
    let options = columns(ColumnOptions { kinds, interactions, ..Default::default() });
    let model = read_with("c,s,n,y\na*s,m,1.5,0\nb,f,2.5,1\na*s,f,0.5,0\n", &options);
    let (schema, vocabulary) = (model.schema.clone().expect("a table"), model.vocabulary.clone().expect("names"));
    let value = schema.values_in(0);
    let names = vocabulary.names().expect("names");
    assert_eq!(names.iter().filter_map(|name| value(name)).collect::<Vec<_>>(), [&b"a*s"[..], b"b"]);
    let goes_on = ReadOptions { vocabulary: model.vocabulary.clone(), schema: model.schema, ..Default::default() };
    let seen = read_with("c,s,n,y\nd,m,1.5,0\n", &goes_on).short();
    assert_eq!(seen, ["0: n=1.5 s=m=1 c=d=1 c=d*s=m=1 c=d*n=1.5"]);
}

#[test]
fn numbers_of_several_kinds_are_refused() {
    for (cells, why) in [
        (
            ["5.5 kg", "7.5 lb"],
            "FILE:3:5: '7.5 lb' in column 'c' is not a number with the unit 'kg', as 20 of 40 cells are",
        ),
        (["5K", "7M"], "FILE:3:5: '7M' in column 'c' is not a number with the unit 'K', as 20 of 40 cells are"),
        (
            ["5 USD", "EUR 7"],
            "FILE:3:5: 'EUR 7' in column 'c' is not a number with the unit 'USD', as 20 of 40 cells are",
        ),
        (["$5", "7 €"], "FILE:3:5: '7 €' in column 'c' stands among numbers with $"),
        (["0.71", "0.16%"], "FILE: column 'c' has numbers with % and numbers without"),
        (["1.5", "1,5"], "FILE: column 'c' has numbers with a point and numbers with a comma before the fraction"),
    ] {
        let told = kind_of(|i| cells[i % 2].to_string());
        assert!(told.starts_with(&format!("{why}; ")), "{told}");
    }
    assert_eq!(kind_of(|i| ["$5", "7", "$0"][i % 3].to_string()), "number");
    assert_eq!(kind_of(|i| ["5%", "7%", "0"][i % 3].to_string()), "number");
    let kinds = vec![("c".to_string(), ColumnKind::Number)];
    let told = columns(ColumnOptions { kinds, ..Default::default() });
    let seen = read_with(&column_of(|i| ["$5", "7 €"][i % 2].to_string()), &told);
    assert_eq!(seen.short()[1], "1: n=1.5 c=7");
}

#[test]
fn each_column_is_read_as_its_own_numbers_are_written() {
    let text = "a;b;c;y\n1.5;2,5;1,234;0\n2.25;1.234,5;5;1\n";
    let why = "FILE: column 'c' has numbers like 1,234, which is 1234 or 1.234; say what stands before the fraction";
    assert_eq!(read(text).error.as_deref(), Some(why));
    for (decimal, c) in [(Decimal::Point, "1234"), (Decimal::Comma, "1.234")] {
        let options = columns(ColumnOptions { decimal: Some(decimal), ..Default::default() });
        let model = read_with(text, &options);
        assert_eq!(model.short(), [format!("0: a=1.5 b=2.5 c={c}"), "1: a=2.25 b=1234.5 c=5".to_string()]);
        let seen = read_with("a;b;c;y\n7;1,234;8;0\n", &like(&model));
        assert_eq!(seen.short(), ["0: a=7 b=1.234 c=8"]);
    }
    let both = read("a;b;y\n1.5;2,5;0\n1,234;1.234;1\n");
    assert_eq!(both.short(), ["0: a=1.5 b=2.5", "1: a=1234 b=1234"]);
}

#[test]
fn what_was_asked_for_is_not_blamed_on_the_first_rows() {
    let kinds = vec![("c".to_string(), ColumnKind::Number)];
    let options = columns(ColumnOptions { kinds, ..Default::default() });
    let error = read_with(&column_of(|i| if i == 3 { "ten".into() } else { i.to_string() }), &options).error;
    let why = "'ten' is not a number; column 'c' is number as was asked for; such rows can be left out, or all cells \
               be taken as they are written";
    assert_eq!(error, Some(format!("FILE:5:5: {why}")));
    let seen = read_with(&column_of(|i| if i == 3 { "unknown".into() } else { (i % 7).to_string() }), &options);
    assert_eq!(seen.short()[3], "1: n=3.5 c=NaN c=?=1");
}

#[test]
fn times_with_a_zone_are_those_of_utc_but_for_models_of_earlier_versions() {
    let moment = |text: &str| format!("d,y\n{text},0\n");
    let seen = read(&moment("2024-03-02T01:30:00+03:00"));
    assert_eq!(seen.short(), read(&moment("2024-03-01T22:30:00Z")).short());
    assert_eq!(seen.short(), ["0: d:day=19783 d:hour=22=1 d:month=3=1 d:weekday=Fri=1 d:year=2024"]);
    let schema = seen.schema.map(|schema| TableSchema { utc: false, ..schema });
    let old = ReadOptions { schema, ..Default::default() };
    let local = "0: d:day=19784 d:hour=1=1 d:month=3=1 d:weekday=Sat=1 d:year=2024";
    assert_eq!(read_with(&moment("2024-03-02T01:30:00+03:00"), &old).short(), [local]);
}

#[test]
fn a_model_with_names_reads_by_position_where_that_is_said() {
    let model = read("age,job,y\n30,cook,0\n41,clerk,1\n");
    let error = read_with("30,cook,0\n", &like(&model)).error.expect("no names");
    let why = "its columns are 30, cook, 0; say that the first line is a row, and columns go by position";
    assert!(error.ends_with(why), "{error}");
    let header = |header| {
        let columns = ColumnOptions { header: Some(header), ..Default::default() };
        ReadOptions { columns, ..like(&model) }
    };
    assert_eq!(read_with("30,cook,0\n", &header(false)).short(), ["0: age=30 job=cook=1"]);
    assert_eq!(read_with("30,cook\n", &header(false)).short(), ["?: age=30 job=cook=1"]);
    assert_eq!(read_with("job,age\ncook,30\n", &header(true)).short(), ["?: age=30 job=cook=1"]);
    let unnamed = read_with("30,cook,0\n41,clerk,1\n", &label("3"));
    let named = ReadOptions { columns: header(true).columns, ..like(&unnamed) };
    assert_eq!(read_with("age,job\n30,cook\n", &named).short(), ["?: 1=30 2=cook=1"]);
}

#[test]
fn columns_called_by_years_name_the_header() {
    let error = read_with("2019,2020,0\n1,2,5\n3,4,6\n", &label("0")).error.expect("no column 0");
    assert!(error.ends_with("the columns are 1, 2, 3; say that the first line names the columns"), "{error}");
}

#[test]
fn a_sign_behind_the_last_cell_of_every_row_is_one_more_column() {
    let model = read_with("x,z,y\n1,2,0,\n3,4,1,\n", &label("y"));
    assert_eq!(model.short(), ["0: x=1 z=2", "1: x=3 z=4"]);
    assert_eq!(read_with("x,z\n1,2,\n3,4,\n", &like(&model)).short(), ["?: x=1 z=2", "?: x=3 z=4"]);
    let error = read_with("x,z,y\n1,2,0,\n3,4,1\n", &label("y")).error;
    assert_eq!(error.as_deref(), Some("FILE:2:7: 4 cells, expected 3; such rows can be left out"));
}

#[test]
fn blanks_before_the_quotes_of_names_are_refused_with_the_cure() {
    let error = read("\"x\", \"z\", \"y\"\n1, 2, 0\n").error.expect("a blank");
    let cure = "take out such blanks: sed 's/, *\"/,\"/g' FILE > table.csv";
    assert_eq!(error, format!("FILE:1:3: the name of column \\\"z\\\" has a blank before its quotes; {cure}"));
    assert_eq!(read("\"\"\"x\"\"\",y\n1,0\n").short(), ["0: \"x\"=1"]);
}
