//! Small data sets, written in whatever format a test wants.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A label, −1 or +1, and dense values.
#[derive(Clone)]
pub struct Row {
    pub positive: bool,
    pub values: Vec<f64>,
}

/// Where the golden files are; the library's tests use them too.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../onlinear/tests/golden").join(name)
}

/// 300 rows of 12 small integers: sums are exact in whatever order features come.
pub fn integers() -> Vec<Row> {
    parse(&std::fs::read_to_string(golden("integers.svm")).unwrap(), 12)
}

/// 300 rows of 20 normal values.
pub fn gaussian() -> Vec<Row> {
    parse(&std::fs::read_to_string(golden("gaussian20.svm")).unwrap(), 20)
}

fn parse(text: &str, features: usize) -> Vec<Row> {
    let row = |line: &str| {
        let mut tokens = line.split_whitespace();
        let positive = tokens.next() == Some("+1");
        let mut values = vec![0.0; features];
        for token in tokens {
            let (index, value) = token.split_once(':').unwrap();
            values[index.parse::<usize>().unwrap() - 1] = value.parse().unwrap();
        }
        Row { positive, values }
    };
    text.lines().map(row).collect()
}

/// LIBSVM text with the two labels `[negative, positive]`.
pub fn libsvm_with(rows: &[Row], labels: [&str; 2]) -> String {
    let mut text = String::new();
    for row in rows {
        text += labels[usize::from(row.positive)];
        for (i, value) in row.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            write!(text, " {}:{value}", i + 1).unwrap();
        }
        text.push('\n');
    }
    text
}

/// LIBSVM text.
pub fn libsvm(rows: &[Row]) -> String {
    libsvm_with(rows, ["-1", "+1"])
}

/// CSV with columns `x1`, `x2`, …, and `class` in the last; `more` is put behind each record.
pub fn csv(rows: &[Row], more: [&str; 2]) -> String {
    let header: String = (1..=rows[0].values.len()).map(|i| format!("x{i},")).collect();
    let mut text = format!("{header}class{}\n", more[0]);
    for row in rows {
        row.values.iter().for_each(|value| write!(text, "{value},").unwrap());
        writeln!(text, "{}{}", if row.positive { "1" } else { "-1" }, more[1]).unwrap();
    }
    text
}

/// VW text with features `n^x1`, `n^x2`, …; `importance` is put behind each label.
pub fn vw(rows: &[Row], importance: &str) -> String {
    let mut text = String::new();
    for row in rows {
        write!(text, "{}{importance} |n", if row.positive { 1 } else { -1 }).unwrap();
        for (i, value) in row.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            write!(text, " x{}:{value}", i + 1).unwrap();
        }
        text.push('\n');
    }
    text
}
