//! What is done to all rows of a set before they are split, as some papers did it.

use std::collections::HashSet;
use std::fmt::Write;

use anyhow::Context;
use onlinear::RowsInMemory;
use onlinear::workshop::{Scratch, Summary};
use serde::Deserialize;

/// A step, feature by feature over all rows. What is missing stays so, and is the feature's mean in the end.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preparation {
    /// To the logarithm with base 2.
    Log2,
    /// To mean 0 and deviation 1.
    Standard,
    /// To 0 … 1.
    Unit,
    /// By so much.
    Shift(f64),
}

/// The rows of a set, prepared, as LIBSVM text; `missing` has the places (row, feature), from 0, of values that are not
/// known.
pub fn prepared(
    held: &RowsInMemory,
    steps: &[Preparation],
    missing: &HashSet<(usize, usize)>,
) -> anyhow::Result<Vec<u8>> {
    let (rows, features) = (held.len(), held.features());
    let mut columns = vec![vec![0.0; rows]; features];
    let mut scratch = Scratch::default();
    (0..rows).try_for_each(|i| {
        let x = held.row(i, &mut scratch).context("a row has gone")?;
        x.for_each(|j, value| columns[j][i] = value);
        anyhow::Ok(())
    })?;
    for &(i, j) in missing {
        let column = columns.get_mut(j).filter(|_| i < rows);
        let place = || format!("row {} has no feature {} that could be missing", i + 1, j + 1);
        column.with_context(place)?[i] = f64::NAN;
    }
    for (j, column) in columns.iter_mut().enumerate() {
        for step in steps {
            step.apply(column).with_context(|| format!("feature {}", j + 1))?;
        }
        let mean = Summary::of(&known(column)).map_or(0.0, |summary| summary.mean);
        column.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = mean);
    }
    let mut text = String::new();
    for i in 0..rows {
        text.push_str(held.classes().name(held.class(i)));
        for (j, column) in columns.iter().enumerate().filter(|(_, column)| column[i] != 0.0) {
            write!(text, " {}:{:e}", j + 1, column[i])?;
        }
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// The places in a list of them: a line for each, row and feature from 1.
pub fn places(text: &str) -> anyhow::Result<HashSet<(usize, usize)>> {
    let place = |line: &str| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<usize>().ok()?.checked_sub(1));
        match (numbers.next()?, numbers.next()?, numbers.next()) {
            (Some(row), Some(feature), None) => Some((row, feature)),
            _ => None,
        }
    };
    let read = |(number, line): (usize, &str)| {
        place(line).with_context(|| format!("line {}: expected row and feature, from 1, found '{line}'", number + 1))
    };
    text.lines().enumerate().map(read).collect()
}

/// The values that are not missing.
fn known(column: &[f64]) -> Vec<f64> {
    column.iter().copied().filter(|value| !value.is_nan()).collect()
}

impl Preparation {
    fn apply(self, column: &mut [f64]) -> anyhow::Result<()> {
        let values = known(column);
        let Some(Summary { mean, sd, .. }) = Summary::of(&values) else { return Ok(()) };
        let sd = sd.filter(|sd| *sd > 0.0).unwrap_or(1.0);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = if most > least { most - least } else { 1.0 };
        anyhow::ensure!(self != Preparation::Log2 || least > 0.0, "expected values above 0, found {least}");
        for value in column {
            *value = match self {
                Preparation::Log2 => value.log2(),
                Preparation::Standard => (*value - mean) / sd,
                Preparation::Unit => (*value - least) / width,
                Preparation::Shift(by) => *value + by,
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(step: Preparation, mut column: Vec<f64>) -> Vec<f64> {
        step.apply(&mut column).expect("a step");
        column
    }

    #[test]
    fn steps_leave_alone_what_is_missing() {
        let column = vec![1.0, f64::NAN, 4.0, 16.0];
        let log = after(Preparation::Log2, column.clone());
        assert_eq!((log[0], log[2], log[3]), (0.0, 2.0, 4.0));
        assert!(log[1].is_nan());
        let standard = after(Preparation::Standard, log.clone());
        assert_eq!((standard[0], standard[2], standard[3]), (-1.0, 0.0, 1.0));
        let unit = after(Preparation::Unit, log);
        assert_eq!((unit[0], unit[2], unit[3]), (0.0, 0.5, 1.0));
        assert_eq!(after(Preparation::Shift(2.0), vec![1.0]), [3.0]);
        assert_eq!(after(Preparation::Standard, vec![7.0, 7.0]), [0.0, 0.0]);
        assert!(Preparation::Log2.apply(&mut [1.0, 0.0]).is_err());
    }

    #[test]
    fn places_count_from_one() {
        assert_eq!(places("1 3\n2 1\n").expect("places"), HashSet::from([(0, 2), (1, 0)]));
        for wrong in ["0 1", "1", "1 2 3", "a b"] {
            assert!(places(wrong).is_err(), "{wrong}");
        }
    }
}
