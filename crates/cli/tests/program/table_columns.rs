//! What columns of tables are taken for, told or refused with a cure that works.

use serde_json::{Value as Json, json};

use crate::folder::Folder;
use crate::tables::{made, told};

/// The label of row `i`.
fn answer(i: usize) -> &'static str {
    ["no", "yes"][usize::from(i % 7 > 3)]
}

/// What is said of a table that is refused.
#[track_caller]
fn refused(table: &str, flags: &str) -> String {
    Folder::with("t.csv", table).run(&format!("learn arow t.csv --label y {flags}")).refused(1)
}

/// That a table is learned from with these flags.
#[track_caller]
fn learned(table: &str, flags: &str) {
    Folder::with("t.csv", table).run(&format!("learn arow t.csv --label y --quiet {flags}")).ok();
}

#[test]
fn products_are_no_values_of_their_first_column() {
    let folder = Folder::with("1.csv", "c,s,y\na,m,0\nb,f,1\na,f,0\nb,m,1\n");
    folder.write("2.csv", "c,s,y\nd,m,0\ne,f,1\nd,f,0\ne,m,1\n");
    let flags = "--label y --column c:category=5 --column s:category --interact c,s --passes 1 --json --quiet";
    let values = |found: &Json| (found["columns"][0]["values"].clone(), found["columns"][1]["values"].clone());
    let both = folder.run(&format!("learn arow 1.csv 2.csv --model both {flags}")).json();
    assert_eq!(values(&both), (json!(4), json!(2)));
    let weights = folder.run("inspect both --weights").ok().stdout;
    assert!(weights.contains("c=d") && weights.contains("c=e") && !weights.contains("(other)"), "{weights}");
    folder.run(&format!("learn arow 1.csv --model one {flags}")).ok();
    assert_eq!(values(&folder.run("learn --resume one 2.csv --json --quiet").json()), (json!(4), json!(2)));
}

#[test]
fn json_rows_without_the_keys_of_a_model_are_refused() {
    let folder = Folder::with("j.csv", "age,plan,y\n30,gold,a\n40,tin,b\n31,gold,a\n45,tin,b\n");
    folder.run("learn arow j.csv --label y --model m --quiet").silent();
    let lacking = "has no column 'age', which the model was learned with; its columns are";
    folder.write("j.jsonl", "{\"Age\":30,\"Plan\":\"gold\"}\n{\"Age\":60,\"Plan\":\"tin\"}\n");
    assert_eq!(folder.run("predict m j.jsonl").refused(1), format!("j.jsonl: {lacking} Age, Plan\n"));
    let rows = "{\"label\":\"b\",\"features\":{\"age\":45,\"plan\":\"tin\"}}\n";
    assert!(folder.run_on("predict m -", rows).refused(1).contains(lacking));
    folder.write("test.jsonl", "{\"Age\":30,\"plan\":\"gold\",\"y\":\"a\"}\n");
    assert!(folder.run("learn arow j.csv --label y --test test.jsonl").refused(1).contains(lacking));
    assert_eq!(folder.run_on("predict m -", "{\"age\":30,\"plan\":\"gold\"}\n").ok().stdout, "a\n");
}

#[test]
fn arrays_of_json_can_be_left_out() {
    let rows = "{\"x\":1,\"tags\":[\"a\"],\"y\":0}\n{\"x\":2,\"tags\":[],\"y\":1}\n";
    let folder = Folder::with("arr.jsonl", rows);
    let refused = folder.run("learn arow arr.jsonl --label y").refused(1);
    assert!(
        refused.ends_with("'tags' is an array; each of its values must have a name; --ignore tags leaves it out\n")
    );
    folder.run("learn arow arr.jsonl --label y --ignore tags --model m --quiet").silent();
    folder.run("learn arow arr.jsonl --label y --only x --quiet").silent();
    folder.run("predict m arr.jsonl --quiet").silent();
}

#[test]
fn a_mark_of_utf8_says_so_whatever_the_model_read() {
    let text = "Größe,y\n1,ä\n2,ö\n3,ä\n";
    let folder = Folder::with("latin1.csv", text.chars().map(|c| c as u8).collect::<Vec<u8>>());
    folder.run("learn arow latin1.csv --label y --encoding latin1 --model m --quiet").silent();
    folder.write("marked.csv", format!("\u{feff}{text}"));
    assert_eq!(folder.run("predict m marked.csv --quiet").silent().stdout.lines().count(), 3);
}

#[test]
fn a_word_among_whole_numbers_is_missing_or_refused() {
    let minutes = |word: &'static str| {
        made("minutes,y", 600, move |i| match i % 50 {
            0 => format!("{word},no"),
            _ => format!("{},{}", i * 7919 % 200, answer(i)),
        })
    };
    assert_eq!(told(&minutes("unknown"), "y"), "1 number minutes missing, indicator minutes 12");
    for word in ["ten", ">100"] {
        let message = refused(&minutes(word), "");
        let why = format!("t.csv:2:1: '{word}' in column 'minutes' is not a number, as 588 of 600 cells are");
        let cure = "; --skip-bad-rows with --column minutes:number leaves out such rows, --column minutes:category \
                    takes all cells as they are written\n";
        assert_eq!(message, format!("{why}{cure}"));
        learned(&minutes(word), "--skip-bad-rows --column minutes:number");
        learned(&minutes(word), "--column minutes:category");
    }
    let message = refused(&minutes("ten"), "--column minutes:number");
    assert!(message.contains("column 'minutes' is number as was asked for; --skip-bad-rows leaves out"), "{message}");
    let total = made("x,y", 61, |i| if i == 60 { "Total,no".into() } else { format!("{},{}", i * 37 % 61, answer(i)) });
    assert!(
        refused(&total, "").starts_with("t.csv:62:1: 'Total' in column 'x' is not a number, as 60 of 61 cells are")
    );
}

#[test]
fn numbers_of_different_kinds_are_refused() {
    let table = |cells: [&'static str; 2], rows: usize| {
        made("w,y", rows, move |i| format!("{},{}", cells[i % 2].replace('#', &i.to_string()), answer(i)))
    };
    for (cells, why) in [
        (["#.5 lb", "#.5 kg"], "'1.5 kg' in column 'w' is not a number with the unit 'lb', as 30 of 60 cells are"),
        (["#K", "#.5M"], "'1.5M' in column 'w' is not a number with the unit 'K', as 30 of 60 cells are"),
        (["# EUR", "# USD"], "'1 USD' in column 'w' is not a number with the unit 'EUR', as 30 of 60 cells are"),
    ] {
        let cure = "; --column w:category takes its cells as they are written, --ignore w leaves it out\n";
        assert_eq!(refused(&table(cells, 60), ""), format!("t.csv:3:1: {why}{cure}"));
        refused(&table(cells, 300), "");
        learned(&table(cells, 60), "--column w:category");
    }
    for (cells, why) in [
        (["$#", "€#"], "t.csv:3:1: '€1' in column 'w' stands among numbers with $"),
        (["0.#", "0.#%"], "t.csv: column 'w' has numbers with % and numbers without"),
    ] {
        let cure =
            "; --column w:number takes them all as numbers of one kind, --column w:category as they are written\n";
        assert_eq!(refused(&table(cells, 60), ""), format!("{why}{cure}"));
        learned(&table(cells, 60), "--column w:number");
        learned(&table(cells, 60), "--column w:category");
    }
}

#[test]
fn measurements_are_never_left_out() {
    let table = made("price,at,paid,sorted,y", 60, |i| {
        let (hour, minute) = (i * 7 % 24, i * 13 % 60);
        format!(
            "USD {}.61,{hour}:{minute:02}:{i:02},{}:{minute:02},{},{}",
            i * 37,
            i % 24,
            i * i * 37 + 1000,
            answer(i)
        )
    });
    assert_eq!(told(&table, "y"), "4 numbers price (USD), at, paid, sorted");
    let folder = Folder::with("t.csv", &table);
    folder.run("learn arow t.csv --label y --model m --quiet").silent();
    let scored = |row: &str| {
        folder.run_on("predict m - --scores --format csv", format!("price,at,paid,sorted\n{row}\n")).ok().stdout
    };
    assert_eq!(scored("USD 37.61,18:45:00,6:30 PM,1000"), scored("37.61,18.75,18.5,1000"));
    let counted = made("n,m,row,z,y", 60, |i| {
        format!("{},{},{},{:05},{}", 1000 + 2 * i + i % 2, 3600 * i, i * i * 99, i * 7919 % 100_000, answer(i))
    });
    let doubt = Folder::with("t.csv", &counted).run("learn arow t.csv --label y").stderr;
    for name in ["n", "m", "row", "z"] {
        assert!(doubt.contains(&format!("column '{name}' tells rows apart and is left out")), "{name}: {doubt}");
    }
    let ranges = made("x,pay,y", 60, |i| format!("{},{}-{},{}", i % 7, 40_000 + i * 7, 150_000 + i * 11, answer(i)));
    let doubt = Folder::with("t.csv", &ranges).run("learn arow t.csv --label y").stderr;
    assert!(doubt.contains("--column pay:category keeps it"), "{doubt}");
    assert_eq!(Folder::with("t.csv", &ranges).run("learn arow t.csv --label y --column pay:category").ok().stderr, "");
}

#[test]
fn codes_with_zeros_in_front_are_categories() {
    let zip = made("zip,y", 3000, |i| {
        let z = i * 7919 % 60;
        format!("{:05},{}", z * 13, usize::from(z * 7 % 11 > 5))
    });
    let folder = Folder::with("zip.csv", &zip);
    let found = folder.run("learn arow zip.csv --label y --quiet --json --model m").json();
    assert_eq!((&found["columns"][0]["kind"], &found["columns"][0]["values"]), (&json!("category"), &json!(60)));
    let rows = zip.lines().skip(1).map(|line| line.split_once(',').unwrap());
    let rows: String = rows.map(|(zip, y)| format!("{{\"zip\":\"{zip}\",\"y\":{y}}}\n")).collect();
    folder.write("zip.jsonl", rows);
    let found = folder.run("learn arow zip.jsonl --label y --quiet --json --model j").json();
    assert_eq!(found["columns"][0]["kind"], json!("category"));
    for (cells, kind) in [("007 12 150", "1 number a"), ("0 7 3", "1 number a"), ("0.5 0.7 3.1", "1 number a")] {
        let cells: Vec<&str> = cells.split(' ').collect();
        let table = made("a,y", 60, |i| format!("{},{}", cells[i % 3], answer(i)));
        assert_eq!(told(&table, "y"), kind, "{cells:?}");
    }
}

#[test]
fn days_in_two_formats_are_read_where_one_of_them_has_one_order_only() {
    let table = made("d,x,y", 60, |i| {
        let day = 10 + i % 20;
        let day = if i % 2 == 1 { format!("2024-03-{day}") } else { format!("{day}.03.2024") };
        format!("{day},{},{}", i % 5, answer(i))
    });
    assert_eq!(told(&table, "y"), "1 number x 1 date d");
    learned(&table, "--column d:date=dmy");
    let mixed = made("d,y", 60, |i| format!("{},{}", ["15.03.2024", "03/16/2024"][i % 2], answer(i)));
    let message = refused(&mixed, "");
    let cure = "--column d:category takes its cells as they are written, --ignore d leaves it out";
    assert!(message.contains("the days in column 'd' are written in more than one order; ") && message.contains(cure));
    learned(&mixed, "--column d:category");
}

#[test]
fn one_moment_in_two_zones_has_the_same_features() {
    let hour = |i: usize| 10 + i % 12;
    let table = |zone: [(&'static str, usize); 2]| {
        made("at,y", 60, move |i| {
            let (zone, ahead) = zone[i % 2];
            format!("2024-03-{:02}T{}:30:00{zone},{}", 1 + i % 28, hour(i) - 3 + ahead, answer(i))
        })
    };
    let folder = Folder::with("utc.csv", table([("Z", 0), ("", 0)]));
    folder.write("zones.csv", table([("+02:00", 2), ("+01:00", 1)]));
    for name in ["utc", "zones"] {
        folder.run(&format!("learn arow {name}.csv --label y --quiet --model {name}.model")).silent();
    }
    assert_eq!(folder.read("utc.model"), folder.read("zones.model"));
}

#[test]
fn columns_written_in_two_ways_are_read_each_in_its_own() {
    let table = made("n;m;y", 60, |i| format!("{},5;{}.5;{}", i % 7, i % 9, answer(i)));
    assert_eq!(told(&table, "y"), "2 numbers n, m");
    learned(&table, "--column n:number");
    learned(&table, "--decimal comma");
}

#[test]
fn rows_without_names_are_predicted_where_that_is_said() {
    let folder = Folder::with("j.csv", "age,plan,y\n30,gold,a\n40,tin,b\n31,gold,a\n45,tin,b\n");
    folder.run("learn arow j.csv --label y --model m --quiet").silent();
    folder.write("nh.csv", "30,gold,a\n45,tin,b\n");
    let message = folder.run("predict m nh.csv").refused(1);
    assert!(message.ends_with("; --header no says that the first line is a row, and columns go by position\n"));
    assert_eq!(folder.run("predict m nh.csv --header no --quiet").silent().stdout, "a\nb\n");
    assert_eq!(folder.run("predict m j.csv --quiet").silent().stdout, "a\nb\na\nb\n");
    let years = made("2019,2020,0", 40, |i| format!("{},{},{}", i % 7, i % 9, answer(i)));
    let folder = Folder::with("years.csv", &years);
    let message = folder.run("learn arow years.csv --label 0").refused(1);
    assert!(message.ends_with("; --header yes says that the first line names the columns\n"), "{message}");
    folder.run("learn arow years.csv --label 0 --header yes --quiet").ok();
}

#[test]
fn cures_name_the_column_as_a_shell_takes_it() {
    let table = made("its 'own' age,y", 600, |i| match i % 50 {
        0 => "ten,no".to_string(),
        _ => format!("{},{}", i * 7919 % 200, answer(i)),
    });
    let message = refused(&table, "");
    assert!(message.contains(r"--column 'its '\''own'\'' age':category takes"), "{message}");
}

#[test]
fn commas_behind_all_rows_and_blanks_before_quotes_are_told() {
    let table = made("x,z,y", 40, |i| format!("{},{},{},", i % 7, i % 9, answer(i)));
    assert_eq!(told(&table, "y"), "2 numbers x, z 1 constant, left out Unnamed: 3");
    let folder = Folder::with("t.csv", &table);
    folder.run("learn arow t.csv --label y --model m --quiet").silent();
    folder.run("predict m t.csv --quiet").silent();
    let quoted = made("\"x\"; \"z\"; \"y\"", 40, |i| format!("{}; \"{}; a\"; \"{}\"", i % 7, i % 9, answer(i)));
    let message = refused(&quoted, "");
    assert!(message.contains("has a blank before its quotes"), "{message}");
    let cure = "take out such blanks: sed 's/; *\"/;\"/g' t.csv > table.csv\n";
    assert!(message.ends_with(cure), "{message}");
    learned(&quoted.replace("; \"", ";\""), "");
}
