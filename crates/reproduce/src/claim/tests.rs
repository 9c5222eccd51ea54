//! Claims on made-up values.

use super::{CellName, CellValues, ClaimTest, ClaimVerdict, Judgement, judge, number};

/// Made-up values: row, column, values over the repeats (all of measure `mistakes`); no values: skipped.
struct Table(Vec<(&'static str, &'static str, Vec<f64>)>);

impl CellValues for Table {
    fn columns(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = Vec::new();
        for (_, column, _) in &self.0 {
            if !columns.contains(column) {
                columns.push(column);
            }
        }
        columns
    }

    fn has(&self, name: &CellName, column: &str) -> bool {
        self.0.iter().any(|(row, other, _)| *row == name.row && *other == column)
    }

    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>> {
        let (_, _, values) = self.0.iter().find(|(row, other, _)| *row == name.row && *other == column)?;
        (!values.is_empty()).then(|| values.clone())
    }
}

/// `a` and `b` with standard errors 1 and 2 in column `x`, and single values in `y`.
fn table() -> Table {
    Table(vec![
        ("a", "x", vec![9.0, 11.0]),
        ("b", "x", vec![12.0, 16.0]),
        ("a", "y", vec![7.0]),
        ("b", "y", vec![3.0]),
        ("c", "z", vec![1.0]),
    ])
}

fn judged(text: &str, table: &Table) -> Judgement {
    judge(&ClaimTest::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")), table)
}

fn says(text: &str, table: &Table) -> (ClaimVerdict, bool) {
    let judgement = judged(text, table);
    (judgement.verdict, judgement.narrow)
}

fn texts(text: &str, table: &Table) -> Vec<String> {
    judged(text, table).evidence
}

const HOLDS: (ClaimVerdict, bool) = (ClaimVerdict::Holds, false);
const FAILS: (ClaimVerdict, bool) = (ClaimVerdict::Fails, false);
const NOT_RUN: (ClaimVerdict, bool) = (ClaimVerdict::NotRun, false);
const HOLDS_NARROWLY: (ClaimVerdict, bool) = (ClaimVerdict::Holds, true);
const FAILS_NARROWLY: (ClaimVerdict, bool) = (ClaimVerdict::Fails, true);

#[test]
fn numbers_are_computed_and_compared() {
    let none = Table(Vec::new());
    for text in [
        "1+2*3 == 7",
        "-2^2 == -4",
        "2^3^2 == 512",
        "9-3-2 == 4",
        "min(3, 1, 2) + max(3, 1, 2) == 4",
        "ln(2)*2 == ln(4)",
        "sqrt(9)/4 == 0.75",
        "0.1+0.2 == 0.3",
        "0.1+0.2 ~ 0.3",
        "1 <= 1 and 1 >= 1",
        "1 < 2 and 2 > 1",
        "2 < 1 or 1 < 2",
        "1 < 2 or 2 < 1 and 2 < 1",
    ] {
        assert_eq!(says(text, &none), HOLDS, "{text}");
    }
    for text in ["1 < 1", "1 > 1", "1 == 1.00001", "1 ~ 1.00001", "2 <= 1", "1 >= 2", "1 < 2 and 2 < 1", "1/0-1/0 == 0"]
    {
        assert_eq!(says(text, &none), FAILS, "{text}");
    }
}

#[test]
fn cells_are_means_or_what_is_asked_for() {
    let table = table();
    for text in [
        "mistakes[a, x] == 10",
        "mistakes.max[a, x] == 11",
        "mistakes.min[a, x] == 9",
        "mistakes.sd[a, x] == sqrt(2)",
        "mistakes[a, y] == 7",
    ] {
        assert_eq!(says(text, &table), HOLDS, "{text}");
    }
}

#[test]
fn near_means_three_combined_standard_errors() {
    let table = table();
    assert_eq!(says("mistakes[a, x] ~ 12.99", &table), HOLDS);
    assert_eq!(says("mistakes[a, x] ~ 13.01", &table), FAILS);
    // 6.7 = 3·√(1² + 2²), less a little.
    assert_eq!(says("mistakes[a, x] + 0 ~ mistakes[b, x] + 2.7", &table), HOLDS);
    assert_eq!(says("mistakes[a, x] + 0 ~ mistakes[b, x] + 2.71", &table), FAILS);
    assert_eq!(says("mistakes[a, y] ~ 7.01", &table), FAILS);
}

#[test]
fn plain_cells_are_compared_repeat_by_repeat() {
    // The differences are −1, −1.2 and −0.8, with the standard error 0.2/√3; the values vary by far more.
    let table = Table(vec![("a", "x", vec![10.0, 20.0, 30.0]), ("b", "x", vec![11.0, 21.2, 30.8])]);
    assert_eq!(says("mistakes[a] < mistakes[b]", &table), HOLDS);
    assert_eq!(says("mistakes[a] ~ mistakes[b]", &table), FAILS);
    assert_eq!(says("(mistakes[a]) > mistakes[b]", &table), FAILS);
    // Not plain, so not paired.
    assert_eq!(says("1*mistakes[a] < mistakes[b]", &table), HOLDS_NARROWLY);
    assert_eq!(says("1*mistakes[a] ~ mistakes[b]", &table), HOLDS);
    // The largest value has no error, whatever the differences do.
    assert_eq!(says("mistakes.max[a, x] < mistakes.min[b, x]", &self::table()), HOLDS);
    // Not equally many.
    let table = Table(vec![("a", "x", vec![10.0, 20.0, 30.0]), ("b", "x", vec![11.0, 21.2])]);
    assert_eq!(says("mistakes[a] > mistakes[b]", &table), HOLDS_NARROWLY);
}

#[test]
fn narrow_is_less_than_three_standard_errors() {
    let table = table();
    assert_eq!(says("mistakes[a, x] < 12.9", &table), HOLDS_NARROWLY);
    assert_eq!(says("mistakes[a, x] < 13.1", &table), HOLDS);
    assert_eq!(says("mistakes[a, x] < 9.9", &table), FAILS_NARROWLY);
    assert_eq!(says("mistakes[a, x] > 13.1", &table), FAILS);
    assert_eq!(says("2*mistakes[a, x] < 25", &table), HOLDS_NARROWLY);
    // No error, or one that does not count.
    assert_eq!(says("mistakes[a, y] < 7.01", &table), HOLDS);
    assert_eq!(says("mistakes.max[a, x] <= 11", &table), HOLDS);
    assert_eq!(says("mistakes[a, x] == 10", &table), HOLDS);
    assert_eq!(says("mistakes[a, x] == 11", &table), FAILS);
}

#[test]
fn a_test_is_narrow_when_narrow_comparisons_can_turn_it() {
    let table = table();
    let narrow = "mistakes[a, x] < 11";
    let narrowly_not = "mistakes[a, x] > 11";
    for (test, expected) in [
        (format!("{narrow} and 1 < 2"), HOLDS_NARROWLY),
        (format!("{narrow} and 2 < 1"), FAILS),
        (format!("{narrowly_not} and 2 < 1"), FAILS),
        (format!("{narrowly_not} and 1 < 2"), FAILS_NARROWLY),
        (format!("{narrowly_not} and {narrow}"), FAILS_NARROWLY),
        (format!("{narrow} or 1 < 2"), HOLDS),
        (format!("{narrow} or 2 < 1"), HOLDS_NARROWLY),
        (format!("{narrow} or {narrow}"), HOLDS_NARROWLY),
        (format!("{narrowly_not} or 1 < 2"), HOLDS),
        (format!("{narrowly_not} or 2 < 1"), FAILS_NARROWLY),
        (format!("{narrowly_not} and 2 < 1 or 2 < 1"), FAILS),
    ] {
        assert_eq!(says(&test, &table), expected, "{test}");
    }
}

#[test]
fn a_test_must_hold_in_every_column_that_has_its_cells() {
    let table = table();
    // 10 and 14 in x, 7 and 3 in y; z has neither.
    assert_eq!(says("mistakes[a] < 20 and mistakes[b] < 20", &table), HOLDS);
    assert_eq!(says("mistakes[a] > 100 and mistakes[b] > 100", &table), FAILS);
    assert_eq!(says("mistakes.max[a] < mistakes.min[b]", &table), FAILS);
    assert_eq!(texts("mistakes.max[a] < mistakes.min[b]", &table).last().unwrap(), "fails in y");
    // In each column one of the two, though neither in both.
    assert_eq!(says("mistakes.max[a] < mistakes.min[b] or mistakes.max[b] < mistakes.min[a]", &table), HOLDS);
    // Narrow in x; in y it fails for good.
    assert_eq!(says("mistakes[a] < 10.5", &table), HOLDS_NARROWLY);
    assert_eq!(says("mistakes[a] > 10.5", &table), FAILS);
    assert_eq!(says("mistakes[a] < 9.5", &table), FAILS_NARROWLY);
}

#[test]
fn cells_with_and_without_a_column_mix() {
    let table = table();
    assert_eq!(says("mistakes.min[a] > mistakes[b, y]", &table), HOLDS);
    assert_eq!(says("mistakes.min[a] > mistakes[a, y]", &table), FAILS);
    // Only z has c; the other cell is x's.
    assert_eq!(says("mistakes[c] < mistakes.min[a, x]", &table), HOLDS);
    assert_eq!(
        texts("mistakes[c] < mistakes.min[a, x]", &table),
        ["mistakes of c on z: 1", "least mistakes of a on x: 9"]
    );
}

#[test]
fn a_share_is_that_of_the_columns_where_a_test_holds() {
    let table = table();
    let share = "share(mistakes.max[a] < mistakes.min[b])";
    assert_eq!(says(&format!("{share} == 0.5"), &table), HOLDS);
    assert_eq!(says(&format!("{share} > 0.5"), &table), FAILS);
    assert_eq!(says(&format!("{share} >= 0.5 and mistakes.max[c] == 1"), &table), HOLDS);
    assert_eq!(says("2*share(mistakes[a] > 100) == 0", &table), HOLDS);
    let evidence = texts(&format!("{share} > 0.5"), &table);
    assert_eq!(evidence, ["most mistakes of a below least mistakes of b: in 1 of 2 columns (x)"]);
}

#[test]
fn a_share_is_narrow_when_its_columns_can_turn_it() {
    let table = table();
    // Narrow in x, in y not: the share is 1, and could be 1/2.
    let share = "share(mistakes[a] < 10.5)";
    assert_eq!(says(&format!("{share} > 0.6"), &table), HOLDS_NARROWLY);
    assert_eq!(says(&format!("{share} > 0.4"), &table), HOLDS);
    assert_eq!(says(&format!("{share} < 0.6"), &table), FAILS_NARROWLY);
    assert_eq!(says(&format!("{share} < 0.4"), &table), FAILS);
    // What is taken away, or stands on the right, moves the other way.
    assert_eq!(says(&format!("1 - {share} < 0.4"), &table), HOLDS_NARROWLY);
    assert_eq!(says(&format!("1 - {share} < 0.6"), &table), HOLDS);
    assert_eq!(says(&format!("{share} >= share(mistakes[a] < 9.5)"), &table), HOLDS_NARROWLY);
    // Narrow in x the other way: the share is 1/2, and could be 1.
    assert_eq!(says("share(mistakes[a] < 8) > 0.6", &table), FAILS_NARROWLY);
    // Narrow in no column.
    assert_eq!(says("share(mistakes.max[a] < 8) > 0.6", &table), FAILS);
}

#[test]
fn skipped_columns_are_left_out_while_others_remain() {
    let mut table = table();
    table.0.extend([("a", "s", vec![]), ("b", "s", vec![]), ("d", "s", vec![])]);
    let test = "mistakes.max[a] < 12 and mistakes[b] < 100";
    assert_eq!(says(test, &table), HOLDS);
    assert_eq!(texts(test, &table).last().unwrap(), "not run: s");
    assert_eq!(says("share(mistakes.max[a] < 8) == 0.5", &table), HOLDS);
    assert!(texts("share(mistakes.max[a] < 8) == 0.5", &table).contains(&"not run: s".to_string()));
    // None remains.
    assert_eq!(says("mistakes[d] < 1", &table), NOT_RUN);
    assert_eq!(texts("mistakes[d] < 1", &table), ["not run: s"]);
    assert_eq!(says("share(mistakes[d] < 1) < 1", &table), NOT_RUN);
    assert_eq!(texts("share(mistakes[d] < 1) < 1", &table), ["not run: s"]);
    // A cell that names its column is needed everywhere.
    assert_eq!(says("mistakes[a] < mistakes[b, s]", &table), NOT_RUN);
    assert_eq!(
        texts("mistakes[a, y] < mistakes[b, s]", &table),
        ["mistakes of a on y: 7", "mistakes of b on s: not run"]
    );
    // No column has both.
    assert_eq!(says("mistakes[c] < mistakes[d]", &table), NOT_RUN);
    assert_eq!(
        texts("mistakes[c] < mistakes[d]", &table),
        ["no column has all of this: mistakes of c below mistakes of d"]
    );
}

#[test]
fn a_single_value_has_no_deviation() {
    assert_eq!(says("mistakes.sd[a, y] < 1", &table()), NOT_RUN);
    assert_eq!(
        texts("mistakes.sd[a, y] < 1", &table()),
        ["standard deviation of the mistakes of a on y: needs more than one repeat"]
    );
    // The other column is judged.
    assert_eq!(says("mistakes.sd[a] < 2", &table()), HOLDS);
}

#[test]
fn expressions_over_named_numbers_are_numbers() {
    let named =
        |name: &str| [("k", 3.0), ("n", 10.0), ("mistakes", 7.0)].iter().find(|(one, _)| *one == name).map(|(_, n)| *n);
    assert_eq!(number("2*k^2 + n/4", &named).unwrap(), 20.5);
    assert_eq!(number("100*mistakes/n", &named).unwrap(), 70.0);
    assert!(number("2*m", &named).is_err() && number("k n", &named).is_err());
    assert_eq!(number("support[a]", &named).unwrap_err().to_string(), "'support[a]' names cells");
}

#[test]
fn the_evidence_has_each_cell_once_with_its_error() {
    let judgement = judged("mistakes[a, x] < mistakes[b, x] and mistakes[a, x] > 2.5*mistakes.sd[a, x]", &table());
    let texts = judgement.evidence;
    let expected = [
        "mistakes of a on x: 10.00 ± 1.00",
        "mistakes of b on x: 14.00 ± 2.00",
        "standard deviation of the mistakes of a on x: 1.41",
    ];
    assert_eq!(texts, expected);
    assert_eq!(ClaimVerdict::NotRun.name(), "not run");
}

#[test]
fn a_test_is_told_in_words() {
    let words = |text: &str| ClaimTest::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).in_words();
    assert_eq!(
        words("test_error[A @ 20] > 1.2*test_error[B] and mistakes[a] ~ 3 or min(support[a], 2) <= ln(4)/(1+2)"),
        "test error of A at 20 above 1.2 × test error of B and mistakes of a as near as chance allows to 3, \
         or the least of (support vectors of a, 2) at most the logarithm of (4) / (1 + 2)"
    );
}
