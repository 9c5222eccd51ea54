//! Tests of the CSV reader.

use super::*;
use crate::data::columns::{ColumnOptions, Missing};
use crate::data::format::testing::{RowOutcome, read_files};
use crate::data::{Dataset, Decimal, Input, Keep, Vocabulary};
use crate::random::Random;
use proptest::prelude::*;

thread_local! {
    /// Whether all records are parsed the careful way.
    pub(super) static WITH_CARE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

pub(super) fn read_with(text: &str, options: &ReadOptions) -> RowOutcome {
    read_files(&[("data.csv", text.as_bytes())], options)
}

pub(super) fn read(text: &str) -> RowOutcome {
    read_with(text, &ReadOptions::default())
}

pub(super) fn columns(columns: ColumnOptions) -> ReadOptions {
    ReadOptions { columns, ..Default::default() }
}

pub(super) fn label(column: &str) -> ReadOptions {
    columns(ColumnOptions { label: Some(column.to_string()), ..Default::default() })
}

fn refusing() -> ReadOptions {
    columns(ColumnOptions { missing: Some(Missing::Refuse), ..Default::default() })
}

pub(super) fn like(model: &RowOutcome) -> ReadOptions {
    let vocabulary = model.vocabulary.clone().map(Vocabulary::frozen);
    ReadOptions { vocabulary, schema: model.schema.clone(), ..Default::default() }
}

#[test]
fn numbers_are_features_and_words_become_features() {
    let seen = read("age,job,Label\n30,cook,yes\n0,  clerk ,no\r\n-1.5e1,cook,yes");
    assert_eq!(seen.error, None);
    assert_eq!(seen.short(), ["yes: age=30 job=cook=1", "no: job=clerk=1", "yes: age=-15 job=cook=1"]);
    let lines: Vec<u64> = seen.rows.iter().map(|row| row.line).collect();
    assert_eq!((lines, seen.features, seen.format), (vec![2, 3, 4], 3, Some(FORMAT)));
}

#[test]
fn quoted_cells_hold_delimiters_quotes_and_newlines() {
    let seen = read("a;\"the; text\";y\n1;\"x;\"\"y\"\"\nz\";0\n\n2;plain;1\n");
    assert_eq!(seen.short(), ["0: a=1 the; text=x;\"y\"\nz=1", "1: a=2 the; text=plain=1"]);
    assert_eq!(seen.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 5]);
}

#[test]
fn the_label_column_is_named_numbered_or_usual() {
    assert_eq!(read_with("a,b\n1,2\n", &label("b")).short(), ["2: a=1"]);
    assert_eq!(read_with("a,b\n1,2\n", &label("1")).short(), ["1: b=2"]);
    assert_eq!(read_with("5,6,x\n", &label("3")).short(), ["x: 1=5 2=6"]);
    assert_eq!(read("y,TARGET\n1,2\n").short(), ["2: y=1"]);
    let error = read("a,b\n1,2\n").error.expect("no label");
    let how = "say which column holds the labels; the columns are";
    assert_eq!(error, format!("FILE: has no column called label, class, target or y; {how} a, b"));
    let error = read("1,2,3,4,5,6,7,8,9,10,11\n").error.expect("no label");
    assert_eq!(error, format!("FILE: has no header; {how} 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"));
    let error = read_with("age,income\n1,2\n", &label("incom")).error.expect("no such column");
    assert_eq!(
        error,
        "FILE: has no column 'incom' for the labels; the columns are age, income; did you mean 'income'?"
    );
    for number in ["0", "3", "-1"] {
        assert!(read_with("a,b\n1,2\n", &label(number)).error.is_some());
    }
}

#[test]
fn a_header_has_distinct_cells_that_are_neither_numbers_nor_empty() {
    for (first, header) in [
        ("a,b", true),
        ("a,1", false),
        ("a,", false),
        ("a,a", false),
        ("a,nan", false),
        ("\"a b\",c", true),
        (",b", true),
    ] {
        let schema = read_with(&format!("{first}\n1,2\n"), &label("1")).schema.expect("a schema");
        assert_eq!(schema.header, header, "{first}");
    }
    let told =
        |header| columns(ColumnOptions { header: Some(header), label: Some("1".to_string()), ..Default::default() });
    assert_eq!(read_with("1,2\n3,4\n", &told(true)).short(), ["3: 2=4"]);
    assert_eq!(read_with("a,b\n1,2\n", &told(false)).short(), ["a: 2=b=1", "1: 2=2=1"]);
    let error = read_with("a,a\n1,2\n", &told(true)).error;
    assert_eq!(error.as_deref(), Some("FILE: has two columns called 'a'; rename one of them"));
}

#[test]
fn a_first_record_with_the_name_of_the_label_is_a_header() {
    assert_eq!(read_with("2019,2020,y\n1,2,a\n3,4,b\n", &label("y")).short(), ["a: 2019=1 2020=2", "b: 2019=3 2020=4"]);
    let error = read_with("a,a,y\n1,2,p\n3,4,q\n", &label("y")).error;
    assert_eq!(error.as_deref(), Some("FILE: has two columns called 'a'; rename one of them"));
    // A number is that of a column.
    assert_eq!(read_with("5,2,p\n3,4,q\n", &label("3")).short(), ["p: 1=5 2=2", "q: 1=3 2=4"]);
}

#[test]
fn a_first_record_whose_words_come_again_is_a_row() {
    let rows = "'40-49','premeno','no'\n'50-59','ge40','yes'\n'40-49','premeno','yes'\n";
    let seen = read_with(rows, &label("3"));
    assert_eq!(
        seen.short(),
        ["'no': 1='40-49'=1 2='premeno'=1", "'yes': 1='50-59'=1 2='ge40'=1", "'yes': 1='40-49'=1 2='premeno'=1"]
    );
    let seen = read_with("ham\tOk see you\nspam\tfree prize\nham\tno\n", &label("1"));
    assert_eq!(seen.rows.len(), 3);
    // Names that one column has for a value too, and those that are there again when files were put together.
    for (text, at) in [("size,male,y\nS,male,a\nM,female,b\n", "3"), ("a,b\nu,v\nw,x\na,b\nu,x\n", "1")] {
        assert!(read_with(text, &label(at)).schema.expect("a schema").header, "{text}");
    }
    assert!(read_with("sex,y\nm,sex\nsex,y\nsex,n\n", &label("y")).schema.expect("a schema").header);
}

#[test]
fn names_of_rows_in_front_of_a_header_that_is_shorter_are_no_feature() {
    let rows = "a,b,y\nr1,1,u,p\nr2,2,v,q\n";
    let seen = read(rows);
    let schema = seen.schema.as_ref().expect("a schema");
    assert_eq!(schema.columns().map(|(name, _)| name).collect::<Vec<_>>(), ["Unnamed: 0", "a", "b", "y"]);
    // So few that they could be numbers.
    let seen = read("a,b,y\n1,1,u,p\n2,2,v,q\n");
    assert_eq!(seen.short(), ["p: a=1 b=u=1", "q: a=2 b=v=1"]);
    assert_eq!(read_with("a,b\nr8,3,u\nr9,4,v\n", &like(&seen)).short(), ["?: a=3 b=u=1", "?: a=4 b=v=1"]);
    // Those that come again are no names, and nobody knows which column has none.
    let error = read("a,b,y\nr1,1,u,p\nr1,2,v,q\n").error.expect("a refusal");
    assert_eq!(error, "FILE:2:8: 4 cells, expected 3; such rows can be left out");
}

#[test]
fn columns_that_are_called_by_numbers_are_those_of_a_table_without_names() {
    // As a frame has them whose labels were a column of it, or came from elsewhere.
    let told = |label: &str| {
        columns(ColumnOptions { header: Some(true), label: Some(label.to_string()), ..Default::default() })
    };
    for (header, label, row) in [
        ("1,3,2", "2", "a: 1=5 3=6"),
        ("0,2,1", "1", "a: 0=5 2=6"),
        ("1,3,label", "label", "?: 1=5 3=6"),
        ("0,2,label", "label", "?: 0=5 2=6"),
    ] {
        let model = read_with(&format!("{header}\n5,6,a\n7,8,b\n"), &told(label));
        let mut options = like(&model);
        options.columns.header = Some(false);
        assert_eq!(read_with("5,a,6\n", &options).short(), [row]);
    }
    let model = read_with("1,2,0\n5,6,a\n7,8,b\n", &told("0"));
    let mut options = like(&model);
    options.columns.header = Some(false);
    assert_eq!(read_with("a,5,6\n", &options).short(), ["a: 1=5 2=6"]);
}

#[test]
fn names_may_be_numbers_that_rise() {
    let names = |text: &str, at: &str| {
        let schema = read_with(text, &label(at)).schema.expect("a schema");
        schema.header.then(|| schema.columns().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" "))
    };
    let rows = "a,1,2,no\nb,3,4,yes\na,2,5,no\nb,1,1,yes\n";
    assert_eq!(names(&format!("country,2019,2020,rich\n{rows}"), "4").as_deref(), Some("country 2019 2020 rich"));
    assert_eq!(names(&format!("a,2019,2020,rich\n{rows}"), "4"), None);
    assert_eq!(names(&format!("country,2020,2019,rich\n{rows}"), "4"), None);
    assert_eq!(names("0,1,2,3\n5,6,7,0\n5,5,7,1\n", "3").as_deref(), Some("0 1 2 3"));
    assert_eq!(names(",0,1,2,3\n0,5,6,7,0\n1,5,5,7,1\n", "3").as_deref(), Some("Unnamed: 0 0 1 2 3"));
    assert_eq!(names("0,1,3,4\n5,6,7,0\n5,5,7,1\n", "3"), None);
    assert_eq!(names("r7,1,2,u\nr8,1,4,v\nr9,2,5,w\n", "1"), None);
}

#[test]
fn days_of_eight_digits_are_days() {
    let seen = read("d,y\n20240315,p\n19991231,q\n");
    assert_eq!(seen.short()[1], read("d,y\n2024-03-15,p\n1999-12-31,q\n").short()[1]);
    assert_eq!(read("d,y\n20240315,p\n19991331,q\n").short(), ["p: d=20240315", "q: d=19991331"]);
}

#[test]
fn words_that_are_numbered_are_a_category() {
    let text: String =
        (0..100).map(|i| format!("{},{}\n", ["1. White", "2. Black", "3. Asian"][i % 3], i % 2)).collect();
    let seen = read(&format!("race,y\n{text}"));
    assert_eq!(seen.short()[..2], ["0: race=1. White=1", "1: race=2. Black=1"]);
}

#[test]
fn answers_of_many_words_that_come_again_are_a_category() {
    let answers = ["no credits taken or all paid back", "all credits at this bank paid back duly"];
    let text: String = (0..100).map(|i| format!("{},{}\n", answers[i % 2], i % 3)).collect();
    let kinds: Vec<ColumnKind> =
        read(&format!("a,y\n{text}")).schema.expect("a schema").columns().map(|(_, kind)| kind).collect();
    assert_eq!(kinds[0], ColumnKind::CATEGORY);
}

#[test]
fn a_row_of_units_is_refused_with_the_line_to_take_out() {
    let text: String = (0..100).map(|i| format!("{i}.5,{}\n", i % 2)).collect();
    let error = read(&format!("a,y\nmm,\n{text}")).error.expect("a refusal");
    assert!(error.ends_with("; if line 2 is none of the rows: sed 2d FILE > table.csv"), "{error}");
}

#[test]
fn a_sign_that_is_not_known_between_cells_is_told() {
    let error = read_with("age~job~churn\n1~a~b\n", &label("churn")).error.expect("a refusal");
    assert!(error.contains("its cells seem to be divided by '~': tr '~' '\\t' < FILE > table.tsv"), "{error}");
}

#[test]
fn weights_are_finite_and_not_negative() {
    let options = columns(ColumnOptions { weight: Some("w".to_string()), ..Default::default() });
    let seen = read_with("w,x,y\n2,1,a\n0,1,b\n", &options);
    assert_eq!(seen.rows.iter().map(|row| row.weight).collect::<Vec<_>>(), [2.0, 0.0]);
    assert_eq!(seen.short(), ["a: x=1", "b: x=1"]);
    for (cell, message) in [
        ("-1", "weight -1 in column 'w' is negative"),
        ("nan", "'nan' is not a finite number; column 'w' holds the weights"),
        ("x", "'x' is not a number; column 'w' holds the weights"),
        ("", "empty weight in column 'w'"),
    ] {
        let error = read_with(&format!("w,x,y\n{cell},1,a\n"), &options).error.expect(cell);
        assert_eq!(error, format!("FILE:2:1: {message}"));
    }
    let both = columns(ColumnOptions { weight: Some("y".to_string()), ..Default::default() });
    let error = read_with("x,y\n1,2\n", &both).error;
    assert_eq!(error.as_deref(), Some("column 'y' cannot hold both the labels and the weights"));
}

#[test]
fn every_error_has_its_place() {
    let long = |last: &str| "5,6,a\n7,6,b\n".repeat(5000) + last;
    for (rows, message) in [
        ("1,2\n".to_string(), "2:4: 2 cells, expected 3; such rows can be left out"),
        ("1,2,a,b\n".to_string(), "2:7: 4 cells, expected 3; such rows can be left out"),
        ("1,2,a\n10,,a\n".to_string(), "3:4: empty cell in column 'x'; it can be filled in"),
        (
            "1,2,a\n10, -Inf,a\n".to_string(),
            "3:4: '-Inf' is not a finite number; column 'x' is number by its first rows; say what the column holds",
        ),
        (
            "1,2,a\n10,1e999,a\n".to_string(),
            "3:4: '1e999' is beyond the largest number; column 'x' is number by its first rows; say what the column \
             holds",
        ),
        (
            long("5,red,a\n"),
            "10002:3: 'red' is not a number; column 'x' is number by its first rows; say what the column holds",
        ),
        ("1,2,a\n3,\"4,a\n5,6,a\n".to_string(), "3:1: a quoted cell of this row is never closed"),
    ] {
        let error = read_with(&format!("age,x,y\n{rows}"), &refusing()).error.expect(message);
        assert_eq!(error, format!("FILE:{message}"));
    }
}

#[test]
fn a_word_in_the_first_rows_makes_its_column_text() {
    let seen = read(&("x,y\n".to_string() + &"5,a\n".repeat(999) + "red,a\nnan,b\n"));
    assert_eq!((seen.error.clone(), seen.rows.len(), seen.features), (None, 1001, 3));
    assert_eq!(seen.short()[998..], ["a: x=5=1", "a: x=red=1", "b: x=nan=1"]);
}

#[test]
fn an_empty_cell_can_be_zero() {
    let options = columns(ColumnOptions { missing: Some(Missing::Zero), ..Default::default() });
    let seen = read_with("a,b,y\n,red,1\n2,,0\n,,\n", &options);
    assert_eq!(seen.short(), ["1: b=red=1", "0: a=2", "?:"]);
}

#[test]
fn bad_rows_can_be_skipped() {
    let options = ReadOptions { skip_bad_rows: true, ..refusing() };
    let seen = read_with("x,y\n1,a\n1\n,b\n2,c\n", &options);
    assert_eq!(seen.short(), ["a: x=1", "c: x=2"]);
    let empty = "FILE:4:1: empty cell in column 'x'; it can be filled in";
    assert_eq!(seen.bad, ["FILE:3:2: 1 cell, expected 2; such rows can be left out", empty]);
    assert_eq!((seen.error, seen.labels), (None, vec!["a".to_string(), "c".to_string()]));
}

#[test]
fn a_schema_matches_columns_by_name() {
    let model = read("age,job,w,y\n1,cook,2,a\n2,clerk,1,b\n");
    let seen = read_with("new,y,job,w,age\n?,,cook,3,7\n!,b,pilot,0,8\n", &like(&model));
    assert_eq!(seen.short(), ["?: age=7 w=3 job=cook=1", "b: age=8"]);
    let seen = read_with("job,w,age\ncook,3,7\n", &like(&model));
    assert_eq!((seen.short(), seen.error), (vec!["?: age=7 w=3 job=cook=1".to_string()], None));
    let error = read_with("job,age\ncook,7\n", &like(&model)).error;
    assert_eq!(
        error.as_deref(),
        Some("FILE: has no column 'w', which the model was learned with; its columns are job, age")
    );
    let error = read_with("w,job,age\n1,cook,old\n", &like(&model)).error;
    assert_eq!(
        error.as_deref(),
        Some("FILE:2:8: 'old' is not a number; column 'age' is number in the model; such rows can be left out")
    );
    let elsewhere = ReadOptions { columns: label("truth").columns, ..like(&model) };
    assert_eq!(read_with("truth,w,job,age\na,0,cook,0\n", &elsewhere).short(), ["a: job=cook=1"]);
    assert_eq!(seen.schema, model.schema);
}

#[test]
fn a_schema_without_header_goes_by_position() {
    let (label, weight) = (Some("2".to_string()), Some("3".to_string()));
    let options = columns(ColumnOptions { label, weight, ..Default::default() });
    let model = read_with("1,a,1,x\n2,b,1,y\n", &options);
    assert_eq!(read_with("5,b,2,x\n", &like(&model)).short(), ["b: 1=5 4=x=1"]);
    assert_eq!(read_with("5,2,x\n", &like(&model)).short(), ["?: 1=5 4=x=1"]);
    assert_eq!(read_with("5,x\n", &like(&model)).short(), ["?: 1=5 4=x=1"]);
    assert_eq!(
        read_with("5\n", &like(&model)).error.as_deref(),
        Some("FILE:1:2: 1 cell, expected 4; such rows can be left out")
    );
    assert_eq!(read_with("", &like(&model)).rows.len(), 0);
}

#[test]
fn more_names_than_declared_are_refused() {
    let options = ReadOptions { features: Some(2), ..Default::default() };
    let error = read_with("a,b,y\n1,red,0\n1,blue,1\n", &options).error;
    assert_eq!(error.as_deref(), Some("FILE:3:3: feature 'b=blue' is one more than the 2 features declared"));
    let error = read_with("a,b,c,y\n1,2,3,0\n", &options).error;
    assert_eq!(error.as_deref(), Some("FILE: feature 'c' is one more than the 2 features declared"));
}

#[test]
fn names_can_be_hashed() {
    let options = ReadOptions { hash: Some(12), ..Default::default() };
    let seen = read_with("a,b,y\n1,red,0\n", &options);
    assert_eq!((seen.rows[0].features.len(), seen.features), (2, 1 << 12));
}

#[test]
fn a_mark_in_front_and_an_empty_file_do_no_harm() {
    assert_eq!(read("\u{feff}y,x\n1,2\n").short(), ["1: x=2"]);
    assert_eq!(read_with("", &label("3")).error, None);
    assert_eq!(read("y,x\n").error, None);
    let error = read("a\0b,y\n").error;
    assert_eq!(error.as_deref(), Some("FILE: is neither text nor idx: its first line holds a byte 0"));
}

#[test]
fn packed_data_that_end_early_give_their_rows_and_an_error() {
    let text: String = (0..100_000).map(|i| format!("{i},{}\n", i % 2)).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, format!("x,y\n{text}").as_bytes()).expect("in memory");
    let packed = packed.finish().expect("in memory");
    let seen = read_files(&[("data.csv.gz", &packed[..packed.len() / 2])], &ReadOptions::default());
    let error = seen.error.expect("an early end");
    assert!(error.ends_with("the compressed data end too early"), "{error}");
    // The unpacked bytes come in blocks, and the last one may be lost whole.
    assert!(error.starts_with(&format!("FILE:{}:1:", seen.rows.len() + 2)), "{error} {}", seen.rows.len());
    assert_eq!(read_files(&[("data.csv.gz", &packed)], &ReadOptions::default()).rows.len(), 100_000);
}

#[test]
fn what_is_missing_is_marked_for_filling() {
    let text = "a,b,y\n1,x,0\nNA,,1\n-,x,0\n";
    let with = |missing| read_with(text, &columns(ColumnOptions { missing: Some(missing), ..Default::default() }));
    assert_eq!(with(Missing::Indicator).short(), ["0: a=1 b=x=1", "1: a=NaN a=?=1 b=?=1", "0: a=NaN b=x=1 a=?=1"]);
    assert_eq!(with(Missing::Mean).short(), ["0: a=1 b=x=1", "1: a=NaN", "0: a=NaN b=x=1"]);
    assert_eq!(with(Missing::Zero).short(), ["0: a=1 b=x=1", "1:", "0: b=x=1"]);
    assert_eq!(with(Missing::Refuse).error.as_deref(), Some("FILE:3:1: empty cell in column 'a'; it can be filled in"));
}

#[test]
fn days_and_words_have_many_features() {
    let kinds = vec![("t".to_string(), ColumnKind::Words { ngrams: 2 })];
    let options = columns(ColumnOptions { kinds, ..Default::default() });
    let seen = read_with("d,t,y\n2024-03-15 14:00,Not so not,0\n?,,1\n", &options);
    let expected = "0: d:day=19797 d:hour=14=1 d:month=3=1 d:weekday=Fri=1 d:year=2024 t:not=1 t:not so=1 t:so=1 \
                    t:so not=1";
    assert_eq!(seen.short(), [expected, "1: d:day=NaN d:year=NaN d=?=1 t=?=1"]);
}

#[test]
fn a_category_has_so_many_values_and_others() {
    let kinds = vec![("c".to_string(), ColumnKind::Category { most: 2 })];
    let options = columns(ColumnOptions { kinds, ..Default::default() });
    let seen = read_with("c,y\nu,0\nv,1\nw,0\nu,1\n", &options);
    assert_eq!(seen.short(), ["0: c=u=1", "1: c=v=1", "0: c=(other)=1", "1: c=u=1"]);
    // One that was never met is one of the others, and counted.
    assert_eq!(read_with("c,y\nnew,0\n", &like(&seen)).short(), ["0: c=(other)=1"]);
}

#[test]
fn columns_are_left_out_and_multiplied_on_request() {
    let text = "a,b,c,y\n2,u,7,0\n3,v,8,1\n";
    let strings = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let without = columns(ColumnOptions { ignore: strings(&["b", "3"]), ..Default::default() });
    assert_eq!(read_with(text, &without).short(), ["0: a=2", "1: a=3"]);
    let only = columns(ColumnOptions { only: strings(&["b"]), ..Default::default() });
    assert_eq!(read_with(text, &only).short(), ["0: b=u=1", "1: b=v=1"]);
    let pair = |a: &str, b: &str| ColumnOptions { interactions: vec![(a.into(), b.into())], ..only.columns.clone() };
    assert_eq!(
        read_with(text, &columns(ColumnOptions { only: strings(&["a", "b"]), ..pair("a", "b") })).short(),
        ["0: a=2 b=u=1 a*b=u=2", "1: a=3 b=v=1 a*b=v=3"]
    );
    let error = read_with(text, &columns(pair("b", "y"))).error.expect("labels are no features");
    assert_eq!(error, "an interaction: column 'y' is label, no feature");
    let error = read_with(text, &columns(ColumnOptions { ignore: strings(&["d"]), ..Default::default() })).error;
    assert_eq!(error.as_deref(), Some("FILE: has no column 'd' for a column to leave out; the columns are a, b, c, y"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec((any::<f64>(), "[ -~\n]*", 0..3u8), 1..20)) {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(["x", "text", "y"]).expect("in memory");
        let mut expected = Vec::new();
        for (x, text, y) in rows {
            prop_assume!(x.is_finite() && !text.trim_ascii().is_empty());
            writer.write_record([&x.to_string(), &text, &y.to_string()]).expect("in memory");
            let mut features = vec![("x".to_string(), x), (format!("text={}", text.trim_ascii()), 1.0)];
            features.retain(|(_, value)| *value != 0.0);
            expected.push((Some(y.to_string()), features));
        }
        let kinds = vec![("x".to_string(), ColumnKind::Number), ("text".to_string(), ColumnKind::CATEGORY)];
        let options = columns(ColumnOptions { kinds, ..Default::default() });
        let seen = read_files(&[("data.csv", &writer.into_inner().expect("in memory"))], &options);
        prop_assert_eq!(seen.error, None);
        let rows: Vec<_> = seen.rows.into_iter().map(|row| (row.label, row.features)).collect();
        prop_assert_eq!(rows, expected);
    }

    #[test]
    fn nothing_panics(
        bytes in prop::collection::vec(prop::sample::select(b"ay10.,;\t\"\n\r \xff-e".to_vec()), 0..200),
        skip in any::<bool>(),
    ) {
        let options = ReadOptions { skip_bad_rows: skip, ..label("1") };
        let seen = read_files(&[("data.csv", &bytes)], &options);
        let of_all = |error: &String| error.contains("the name of column") || error.contains("carriage return alone");
        prop_assert!(!skip || seen.error.as_ref().is_none_or(of_all), "{:?}", seen.error);
    }
}

/// A cell of a column of this kind, seldom one that does not belong there.
fn cell(random: &mut Random, column: usize) -> String {
    let pick = |random: &mut Random, of: &[&str]| of[random.index(of.len())].to_string();
    let text = match (random.index(12), column) {
        (0, _) => pick(random, &["", "NA", "?", "-", "nan"]),
        (1, _) if random.index(8) == 0 => pick(random, &["word", "1e999", "1,5", "2024-13-01", "caf\u{e9}"]),
        (_, 0) => (random.index(2000) as f64 / 8.0 - 100.0).to_string(),
        (2, 1) => pick(random, &["1e3", "+5", "12345678901234567890", "0.12345678901234567", "1 234", "0"]),
        (_, 1) => random.uniform().to_string(),
        (_, 2) => format!("value {}", random.index(20)),
        (2, 3) => "2024-02-29 23:59:59".to_string(),
        (_, 3) => format!("20{:02}-{:02}-{:02}", random.index(30), 1 + random.index(12), 1 + random.index(28)),
        (_, 4) => pick(random, &["yes", "no"]),
        (_, 5) => (0..8).map(|_| pick(random, &["The", "cat", "sat", "\u{e9}t\u{e9}"]) + " ").collect(),
        (_, 6) => pick(random, &["1", "2.5", "0"]),
        _ => pick(random, &["a", "b"]),
    };
    match random.index(10) {
        0 => format!("\"{}\"", text.replace('"', "\"\"")),
        1 => format!(" {text} "),
        2 if random.index(9) == 0 => format!("\"{text}\"\"\n\""),
        _ if text.contains(',') => format!("\"{text}\""),
        _ => text,
    }
}

#[test]
fn rows_are_the_same_when_all_are_parsed_with_care() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let width = if seed % 4 == 0 { vec![0, 1, 7] } else { vec![0, 1, 2, 3, 4, 5, 6, 7] };
        let mut text = width.iter().map(|i| ["n", "m", "c", "d", "b", "t", "w", "y"][*i]).collect::<Vec<_>>().join(",");
        let end = if random.index(2) == 0 { "\n" } else { "\r\n" };
        for _ in 0..random.index(80) {
            let mut cells: Vec<String> = width.iter().map(|&column| cell(&mut random, column)).collect();
            cells.resize(if random.index(30) == 0 { random.index(10) } else { width.len() }, String::new());
            text += end;
            text += &cells.join(",");
        }
        let kinds = ["n:number", "m:number", "c:category=9", "d:date", "b:boolean", "t:words=2"].map(|kind| {
            let (name, kind) = kind.split_once(':').expect("a kind");
            (name.to_string(), kind.parse().expect("a kind"))
        });
        let kinds = kinds.into_iter().filter(|(name, _)| text.starts_with(&format!("{name},")) || width.len() == 8);
        let kinds = if seed % 4 == 0 { Vec::new() } else { kinds.collect() };
        let missing = Missing::ALL[random.index(5)].0;
        let weight = (width.len() == 8).then(|| "w".to_string());
        let decimal = (random.index(4) == 0).then_some(Decimal::Comma);
        let columns = ColumnOptions { missing: Some(missing), weight, kinds, decimal, ..Default::default() };
        let skip_bad_rows = random.index(4) > 0;
        let hash = (random.index(4) == 0).then_some(5);
        let read = |is_careful: bool| {
            WITH_CARE.set(is_careful);
            let options = ReadOptions { columns: columns.clone(), skip_bad_rows, hash, ..Default::default() };
            let seen = format!("{:#?}", read_with(&text, &options));
            WITH_CARE.set(false);
            seen
        };
        assert!(read(false) == read(true), "{seed}\n{text}\n{}\n{}", read(false), read(true));
    }
}

/// A table of 10 020 rows, in one of which behind the first 10 000 the column `x` has a word.
fn with_late_word(number: impl Fn(usize) -> String, word: &str) -> Input {
    let row = |i: usize| format!("{},{}\n", if i == 10_010 { word.to_string() } else { number(i) }, i % 2);
    let text = format!("x,y\n{}", (0..10_020).map(row).collect::<String>());
    Input::Memory { name: "data.csv".into(), bytes: text.into_bytes().into() }
}

fn load(input: &Input) -> Result<(Dataset, Vec<Error>)> {
    let keep = Keep { limit: None, cache: false, max_memory: 1 << 30 };
    Dataset::load(input, &ReadOptions::default(), &keep, |_| ())
}

#[test]
fn a_word_behind_the_first_rows_makes_a_column_of_codes_a_category() {
    for (numbers, word) in [
        ((|i: usize| (i % 7).to_string()) as fn(usize) -> String, "unknown"),
        (|i: usize| (i % 2).to_string(), "unknown"),
        (|i: usize| format!("0{}", i % 90), "B12"),
    ] {
        let (data, _) = load(&with_late_word(numbers, word)).expect("a category");
        let schema = data.about().csv.as_ref().expect("a table");
        assert_eq!(schema.columns[0].kind, ColumnKind::CATEGORY);
        assert_eq!(data.about().late.len(), 1);
        let names = data.about().vocabulary.names().expect("names");
        assert!(names.contains(&format!("x={word}").as_bytes()) && !names.contains(&&b"x"[..]));
    }
}

#[test]
fn a_word_among_measurements_is_refused_wherever_it_is() {
    let measured: fn(usize) -> String = |i| (i as f64 * 0.7).sin().to_string();
    let error = load(&with_late_word(measured, "ten")).err().expect("a slip").to_string();
    let why = "'ten' is not a number; column 'x' is number by its first rows; say what the column holds";
    assert_eq!(error, format!("data.csv:10012:1: {why}"));
    let error = load(&with_late_word(|i| (i % 30).to_string(), "ten")).err().expect("a slip").to_string();
    assert_eq!(error, format!("data.csv:10012:1: {why}"));
    // One that says that there is no number is none.
    for numbers in [measured, |i| (i % 30).to_string()] {
        let (data, _) = load(&with_late_word(numbers, "unknown")).expect("a number that is missing");
        assert_eq!((data.about().columns[0].missing, data.about().late.len()), (1, 0));
    }
    // What is beyond the largest number is no word.
    let error = load(&with_late_word(|i| (i % 7).to_string(), "1e999")).err().expect("too large").to_string();
    assert!(error.starts_with("data.csv:10012:1: '1e999' is beyond the largest number"), "{error}");
}

#[test]
fn a_table_of_nothing_but_numbers_is_read_in_its_own_way_of_writing() {
    let seen = read("a;b;y\n1.234;0,5;0\n7;-2.000,25;1\n");
    assert_eq!(seen.short(), ["0: a=1234 b=0.5", "1: a=7 b=-2000.25"]);
    let seen = read("a;b;y\n1.234;0.5;0\n7;-2,000.25;1\n");
    assert_eq!(seen.short(), ["0: a=1.234 b=0.5", "1: a=7 b=-2000.25"]);
}

#[test]
fn a_value_that_is_refused_takes_no_place_among_those_of_its_category() {
    let text = b"c,y\na,0\n\xff,1\n\xfe,1\nb,0\nc,1\n";
    let kinds = vec![("c".to_string(), ColumnKind::Category { most: 2 })];
    let options = ReadOptions { skip_bad_rows: true, ..columns(ColumnOptions { kinds, ..Default::default() }) };
    let seen = read_files(&[("data.csv", text)], &options);
    assert_eq!(seen.short(), ["0: c=a=1", "0: c=b=1", "1: c=(other)=1"]);
    assert_eq!(seen.bad.len(), 2);
}

#[test]
fn days_with_years_of_two_digits_are_refused_unless_their_order_is_told() {
    let text = |days: &[&str]| {
        let rows = (0..40).map(|i| format!("{},{}\n", days[i % days.len()], i % 2));
        format!("d,y\n{}", rows.collect::<String>())
    };
    let why = "the days in column 'd' have years of two digits; say in which order they are written, and 69 to 99 are";
    for days in
        [&["03/04/21", "05/06/22"][..], &["15-Mar-24", "1-Apr-24"], &["99-12-31", "98-11-30"], &["1/2/03", "1/2/2003"]]
    {
        let error = read(&text(days)).error.expect("two digits");
        assert_eq!(error, format!("FILE: {why} those of 1969 to 1999"), "{days:?}");
    }
    let kinds = vec![("d".to_string(), "date=dmy".parse().expect("a kind"))];
    let told = read_with(&text(&["03/04/21"]), &columns(ColumnOptions { kinds, ..Default::default() }));
    assert_eq!(told.short()[0], "0: d:day=18720 d:month=4=1 d:weekday=Sat=1 d:year=2021");
}
