use proptest::prelude::*;

use crate::data::format::testing::{RowOutcome, read_files};
use crate::data::{ColumnKind, ColumnOptions, Missing, ReadOptions, Vocabulary};

fn read_with(text: &str, options: &ReadOptions) -> RowOutcome {
    read_files(&[("data.jsonl", text.as_bytes())], options)
}

fn read(text: &str) -> RowOutcome {
    read_with(text, &ReadOptions::default())
}

fn label(name: &str) -> ReadOptions {
    let columns = ColumnOptions { label: Some(name.to_string()), ..Default::default() };
    ReadOptions { columns, ..Default::default() }
}

#[test]
fn rows_with_features_are_like_those_of_vw() {
    let text = r#"{"label": 1, "id": "a7", "features": {"age": 31, "job": "clerk", "home": {"rooms": 2.5}, "x": null}}
{"features":{"job":"cook","vip":true,"none":false,"empty":""},"weight":2.5,"label":"no"}

{"at": 12, "features": {"age": 1e2}}
"#;
    let seen = read(text);
    assert_eq!(
        seen.short(),
        ["1: age=31 job=clerk=1 home.rooms=2.5", "no: job=cook=1 vip=1", "?: age=100"],
        "{:?}",
        seen.error
    );
    assert_eq!(seen.rows.iter().map(|row| (row.line, row.weight)).collect::<Vec<_>>(), [(1, 1.0), (2, 2.5), (4, 1.0)]);
    assert_eq!((seen.schema, seen.error), (None, None));
}

#[test]
fn an_object_that_is_a_whole_table_is_told_with_a_cure() {
    for (text, what, cure) in [
        (r#"{"a": [1, 2], "y": ["p", "q"]}"#, "columns, not rows", "read_json('FILE').to_json('FILEl'"),
        (r#"{"a": {"0": 1, "1": 2}, "y": {"0": "p", "1": "q"}}"#, "columns, not rows", "read_json('FILE').to_json("),
        (r#"{"columns": ["a", "y"], "data": [[1, "p"]]}"#, "names of columns beside rows", "orient='split')"),
        (r#"{"count": 2, "data": [{"a": 1, "y": "p"}]}"#, "its rows in an array", "jq -c '.[\"data\"][]' FILE > FILEl"),
    ] {
        let error = read_with(text, &label("y")).error.expect(text);
        assert!(error.contains(what) && error.contains(cure), "{text}: {error}");
    }
    assert_eq!(read_with(r#"{"a": 1, "y": "p"}"#, &label("y")).error, None);
}

#[test]
fn a_long_first_row_is_what_its_last_keys_say() {
    let note = "n".repeat(200_000);
    let seen = read(&format!("{{\"label\":1,\"note\":\"{note}\",\"features\":{{\"3\":0.5}}}}\n"));
    assert_eq!((seen.short(), seen.schema, seen.error), (vec!["1: 3=0.5".to_string()], None, None));
    let many: String = (1..20_000).map(|index| format!("\"{index}\":0,")).collect();
    let seen = read(&format!("{{\"label\":1,\"features\":{{{many}\"name\":2}}}}\n"));
    assert_eq!((seen.short(), seen.error), (vec!["1: name=2".to_string()], None));
}

#[test]
fn keys_that_are_all_whole_numbers_are_indices() {
    let seen = read("{\"label\":-1,\"features\":{\"3\":0.5,\"1\":2}}\n{\"label\":1,\"features\":{}}\n");
    assert_eq!((seen.short(), seen.features), (vec!["-1: 1=2 3=0.5".to_string(), "1:".to_string()], 3));
    assert_eq!(seen.vocabulary, Some(Vocabulary::INDEXED));
    let error = read("{\"label\":1,\"features\":{\"1\":1}}\n{\"label\":1,\"features\":{\"a\":1}}\n").error;
    let why = "feature 'a' has a name or a text, where others have numbers from 1 on";
    assert_eq!(error, Some(format!("FILE:2:28: {why}")));
    for first in [r#"{"0": 1}"#, r#"{"1": 1, "a": 2}"#, r#"{"01": 1}"#, r#"{"1": "x"}"#, "{}"] {
        let seen = read(&format!("{{\"label\":1,\"features\":{first}}}\n"));
        assert!(matches!(seen.vocabulary, Some(Vocabulary::Named { .. })), "{first}");
    }
    let features = ReadOptions { features: Some(2), ..Default::default() };
    let error = read_with("{\"features\":{\"3\":1}}\n", &features).error;
    assert_eq!(error.as_deref(), Some("FILE:1:18: index 3 is beyond the 2 features declared"));
}

#[test]
fn a_row_among_others_with_features_has_them_too() {
    let error = read("{\"label\":1,\"features\":{\"a\":1}}\n{\"label\":1,\"feature\":{\"a\":1}}\n").error;
    assert_eq!(error.as_deref(), Some("FILE:2:1: expected \"features\", as the rows before have them"));
}

#[test]
fn keys_beside_the_features_can_be_handed_on() {
    let options = ReadOptions { keep: vec!["id".into(), "at".into()], ..Default::default() };
    let text = "{\"id\":7,\"features\":{\"a\":1}}\n{\"at\":\"x\",\"features\":{}}\n";
    assert_eq!(crate::data::format::testing::kept(text, &options), ["7", "", "", "x"]);
}

#[test]
fn a_model_says_whether_features_have_names() {
    let named = read("{\"label\":1,\"features\":{\"1\":1,\"a\":2}}\n").vocabulary.map(Vocabulary::frozen);
    let options = ReadOptions { vocabulary: named, ..Default::default() };
    assert_eq!(read_with("{\"features\":{\"1\":7}}\n", &options).short(), ["?: 1=7"]);
    let options = ReadOptions { vocabulary: Some(Vocabulary::INDEXED), ..Default::default() };
    assert_eq!(read_with("{\"features\":{}}\n{\"features\":{\"2\":7}}\n", &options).short(), ["?:", "?: 2=7"]);
    let error = read_with("{\"features\":{\"a\":7}}\n", &options).error;
    assert_eq!(error.as_deref(), Some("FILE: has named features, but the model was learned from numbered ones"));
}

#[test]
fn what_is_wrong_with_a_row_has_its_place() {
    for (row, message) in [
        (r#"{"features":{"a":NaN}}"#, "1:18: 'NaN' is not a finite number"),
        (r#"{"features":{"a":1e999}}"#, "1:18: '1e999' is beyond the largest number"),
        (r#"{"features":{"a":1-2}}"#, "1:18: '1-2' is not a number"),
        (r#"{"features":{"a":1},"weight":-1}"#, "1:30: weight -1 is negative"),
        (r#"{"features":{"a":1},"weight":"x"}"#, "1:30: the weight 'x' is not a number"),
        (r#"{"features":{"a":[1]}}"#, "1:18: 'features.a' is an array; each of its values must have a name"),
        (r#"{"features":{"a":1}"#, "1:20: expected , or }, found the end of the line"),
    ] {
        assert_eq!(read(row).error, Some(format!("FILE:{message}")), "{row}");
    }
    let skip = ReadOptions { skip_bad_rows: true, ..Default::default() };
    let seen = read_with("{\"features\":{\"a\":1}}\nx\n{\"features\":{\"a\":2}}\n", &skip);
    assert_eq!((seen.short().len(), seen.bad), (2, vec!["FILE:2:1: expected {, found 'x'".to_string()]));
}

#[test]
fn other_objects_are_rows_of_a_table() {
    let seen = read_with(
        "{\"n\":1.5,\"at\":{\"city\":\"Rome\"},\"out\":\"yes\"}\n\
         {\"out\":\"no\",\"n\":2,\"at\":{\"city\":\"Oslo\"},\"new\":7}\n\
         {\"out\":null,\"n\":\"NA\"}\n",
        &label("out"),
    );
    let schema = seen.schema.clone().expect("a table");
    let columns: Vec<String> = schema.columns.iter().map(|column| format!("{} {}", column.name, column.kind)).collect();
    assert_eq!(columns, ["n number", "at.city category", "out label", "new number"]);
    let rows = [
        "yes: n=1.5 new=NaN at.city=Rome=1 new=?=1",
        "no: n=2 new=7 at.city=Oslo=1",
        "?: n=NaN new=NaN new=?=1 n=?=1 at.city=?=1",
    ];
    assert_eq!((seen.short(), seen.error.clone()), (rows.map(String::from).to_vec(), None));
    // A model knows its columns; others are left out, and one that is not there is missing.
    let vocabulary = seen.vocabulary.map(Vocabulary::frozen);
    let like = ReadOptions { vocabulary, schema: seen.schema, ..Default::default() };
    let again = read_with("{\"more\":1,\"n\":3}\n", &like);
    assert_eq!((again.short(), again.error), (vec!["?: n=3 new=NaN new=?=1 at.city=?=1".to_string()], None));
}

#[test]
fn the_label_of_a_table_may_have_a_usual_name() {
    assert_eq!(read("{\"x\":1,\"class\":true}\n{\"x\":2,\"class\":false}\n").short(), ["true: x=1", "false: x=2"]);
    let error = read("{\"x\":1}\n").error;
    let why = "has no column called label, class, target or y; say which column holds the labels; the columns are x";
    assert_eq!(error, Some(format!("FILE: {why}")));
    // Whoever names a column of labels has a table.
    assert_eq!(read_with("{\"label\":1,\"features\":{\"a\":2}}\n", &label("label")).short(), ["1: features.a=2"]);
}

#[test]
fn a_column_that_comes_late_is_refused_or_named() {
    let text = "{\"x\":1,\"y\":0}\n{\"x\":2,\"y\":1}\n".repeat(6000) + "{\"x\":1,\"late\":3,\"y\":0}\n";
    let error = read(&text).error.expect("a new column");
    let why = "no row that was looked at has a column 'late'; say what the column holds";
    assert_eq!(error, format!("FILE:12001:15: {why}"));
    for (kind, last) in [(ColumnKind::Number, "0: x=1 late=3"), ("ignored".parse().expect("a kind"), "0: x=1")] {
        let kinds = vec![("late".to_string(), kind)];
        let columns = ColumnOptions { kinds, missing: Some(Missing::Zero), ..Default::default() };
        let seen = read_with(&text, &ReadOptions { columns, ..Default::default() });
        assert_eq!((seen.short().last().map(String::as_str), seen.error), (Some(last), None));
    }
}

#[test]
fn a_column_is_there_once_in_a_row() {
    let error = read("{\"x\":{\"a\":1},\"x.a\":2,\"y\":0}\n").error;
    assert_eq!(error.as_deref(), Some("FILE:1:20: this column is there twice"));
}

#[test]
fn a_key_that_no_row_has_is_refused_as_a_column_is() {
    let rows = "{\"age\":30,\"plan\":\"gold\",\"y\":1}\n{\"age\":41,\"plan\":null,\"y\":0}\n";
    let model = read(rows);
    let like = ReadOptions {
        vocabulary: model.vocabulary.map(Vocabulary::frozen),
        schema: model.schema,
        ..Default::default()
    };
    let lacking = "FILE: has no column 'age', which the model was learned with; its columns are";
    for (text, columns) in [
        ("{\"Age\":30,\"Plan\":\"gold\"}\n", "Age, Plan"),
        ("{\"label\":1,\"features\":{\"age\":4,\"plan\":\"tin\"}}\n", "label, features.age, features.plan"),
        ("{\"Age\":30,\"plan\":\"gold\"}\n{\"plan\":\"gold\"}\n", "Age, plan"),
    ] {
        assert_eq!(read_with(text, &like).error, Some(format!("{lacking} {columns}")), "{text}");
    }
    // Of a column in which values are missing a few rows may have none.
    assert_eq!(read_with(&"{\"age\":30}\n".repeat(19), &like).short().len(), 19);
    let error = read_with(&"{\"age\":30}\n".repeat(20), &like).error.expect("a column that no row has");
    assert!(error.contains("has no column 'plan'"), "{error}");
    assert_eq!(read_with("{\"plan\":\"gold\"}\n{\"age\":3}\n", &like).short().len(), 2);
    let of_feed = ReadOptions { rows_may_lack_keys: true, ..like.clone() };
    assert_eq!(read_with(&"{\"plan\":\"gold\"}\n".repeat(30), &of_feed).short().len(), 30);
    assert_eq!(read_with("{\"age\":}\n", &like).error.as_deref(), Some("FILE:1:8: expected a value, found '}'"));
}

#[test]
fn arrays_are_for_columns_that_are_left_out() {
    let text = "{\"x\":1,\"tags\":[\"a\"],\"y\":0}\n{\"x\":2,\"tags\":[],\"y\":1}\n";
    let why = "FILE:1:15: 'tags' is an array; each of its values must have a name; leave it out";
    assert_eq!(read(text).error.as_deref(), Some(why));
    let (tags, x) = (vec!["tags".to_string()], vec!["x".to_string()]);
    let kinds = vec![("tags".to_string(), "ignored".parse().expect("a kind"))];
    for columns in [
        ColumnOptions { ignore: tags, ..Default::default() },
        ColumnOptions { only: x, ..Default::default() },
        ColumnOptions { kinds, ..Default::default() },
    ] {
        let model = read_with(text, &ReadOptions { columns, ..Default::default() });
        assert_eq!((model.short(), model.error), (vec!["0: x=1".to_string(), "1: x=2".to_string()], None));
        let vocabulary = model.vocabulary.map(Vocabulary::frozen);
        let like = ReadOptions { vocabulary, schema: model.schema, ..Default::default() };
        assert_eq!(read_with("{\"x\":3,\"tags\":[{\"a\":[1]}],\"more\":[2]}\n", &like).short(), ["?: x=3"]);
        let error = read_with("{\"x\":[3]}\n", &like).error;
        assert_eq!(error.as_deref(), Some("FILE:1:6: 'x' is an array; each of its values must have a name"));
    }
    let seen = read("{\"label\":1,\"more\":[1],\"features\":{\"a\":2}}\n");
    assert_eq!((seen.short(), seen.error), (vec!["1: a=2".to_string()], None));
    let error = read("{\"label\":1,\"features\":{\"a\":[2]}}\n").error;
    assert_eq!(error.as_deref(), Some("FILE:1:28: 'features.a' is an array; each of its values must have a name"));
}

/// A JSON text.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_table_is_the_same_as_csv(
        rows in prop::collection::vec((prop::option::of(-9.0..9.0f64), 0..3u8, ".{0,6}", any::<bool>(), 0..3u8), 1..60),
    ) {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(["n", "c", "t", "b", "y"]).expect("in memory");
        let mut json = String::new();
        for (number, category, text, bit, label) in rows {
            let number = number.map(|number| number.to_string());
            let (category, label) = (format!("c{category}"), label.to_string());
            let cell = number.clone().unwrap_or_default();
            writer.write_record([&cell, &category, &text, &bit.to_string(), &label]).expect("in memory");
            let number = number.unwrap_or("null".to_string());
            let text = quoted(&text);
            json += &format!("{{\"n\":{number},\"c\":\"{category}\",\"t\":{text},\"b\":{bit},\"y\":{label}}}\n");
        }
        let csv = read_files(&[("data.csv", &writer.into_inner().expect("in memory"))], &ReadOptions::default());
        let seen = read(&json);
        prop_assert_eq!((seen.short(), seen.schema), (csv.short(), csv.schema));
        prop_assert_eq!(seen.vocabulary, csv.vocabulary);
        prop_assert_eq!(seen.error.is_some(), csv.error.is_some());
    }

    #[test]
    fn nothing_panics(
        bytes in prop::collection::vec(prop::sample::select(b"{}[]\"\\:,ay10.e-\n \xffun".to_vec()), 0..200),
        skip in any::<bool>(),
    ) {
        let options = ReadOptions { skip_bad_rows: skip, ..Default::default() };
        read_files(&[("data.jsonl", &bytes)], &options);
        let rows = [&b"{\"features\":{\"a\":1}}\n"[..], &bytes].concat();
        let seen = read_files(&[("data.jsonl", &rows)], &options);
        prop_assert!(!skip || seen.error.is_none(), "{:?}", seen.error);
    }
}
