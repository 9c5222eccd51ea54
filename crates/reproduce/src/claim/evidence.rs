//! What a judgement rests on: cells with their values, how often a share's test holds, what is to be said of columns.

use super::judge::{CellValues, Site};
use super::{CellName, ClaimTest, Statistic};
use crate::distinct::distinct;

/// The evidence for a test: what it compares, and the columns where it fails.
pub fn of(test: &ClaimTest, values: &dyn CellValues) -> Vec<String> {
    let places = Site::all(test, values);
    let own = test.own_cells();
    let found = |place: Site, cell: &CellName| value(cell, place).or_else(|| missing(cell, place));
    let cells = places.iter().flat_map(|&place| own.iter().filter_map(move |cell| found(place, cell)));
    let shares = test.shares().into_iter().flat_map(|part| {
        let places = Site::all(part, values);
        not_run(part, &places).into_iter().chain(share(part, &places))
    });
    let failing = columns(&places, |place| place.answer(test).is_some_and(|answer| !answer.holds));
    let failing = (!failing.is_empty()).then(|| format!("fails in {failing}"));
    distinct(cells.chain(not_run(test, &places)).chain(shares).chain(failing))
}

/// A cell with its value, if it has one.
fn value(cell: &CellName, place: Site) -> Option<String> {
    let number = place.cell(cell)?;
    let several = cell.of == Statistic::Mean && place.values(cell)?.len() > 1;
    let unit = if cell.measure.is_percent() { " %" } else { "" };
    let number = with_error(number.value, several.then_some(number.stderr));
    Some(format!("{}: {number}{unit}", cell.in_words(place.column)))
}

/// Why a cell has no value, where that is not the column's fault.
fn missing(cell: &CellName, place: Site) -> Option<String> {
    let why = match (place.values(cell), &cell.column) {
        (Some(_), _) => "needs more than one repeat",
        (None, Some(_)) => "not run",
        (None, None) => return None,
    };
    Some(format!("{}: {why}", cell.in_words(place.column)))
}

/// The columns that a test was not run in.
fn not_run(test: &ClaimTest, places: &[Site]) -> Option<String> {
    let own = test.own_cells();
    let skipped = columns(places, |place| own.iter().any(|cell| cell.column.is_none() && place.values(cell).is_none()));
    match places.is_empty() {
        true => Some(format!("no column has all of this: {}", test.in_words())),
        false => (!skipped.is_empty()).then(|| format!("not run: {skipped}")),
    }
}

/// How often a test holds, and where; nothing where it was run in no column.
fn share(test: &ClaimTest, places: &[Site]) -> Option<String> {
    let answers = || places.iter().filter_map(|place| place.answer(test));
    let (holding, run) = (answers().filter(|answer| answer.holds).count(), answers().count());
    if run == 0 {
        return None;
    }
    let among = columns(places, |place| place.answer(test).is_some_and(|answer| answer.holds));
    let among = if among.is_empty() { among } else { format!(" ({among})") };
    let columns = if run == 1 { "column" } else { "columns" };
    Some(format!("{}: in {holding} of {run} {columns}{among}", test.in_words()))
}

/// A value with its standard error; whole numbers without one have no digits behind the point.
fn with_error(value: f64, stderr: Option<f64>) -> String {
    match stderr {
        Some(stderr) => format!("{value:.2} ± {stderr:.2}"),
        None if value.fract() == 0.0 => format!("{value}"),
        None => format!("{value:.2}"),
    }
}

/// The columns of some places.
fn columns(places: &[Site], wanted: impl Fn(&Site) -> bool) -> String {
    let columns: Vec<&str> = places.iter().filter(|place| wanted(place)).filter_map(|place| place.column).collect();
    columns.join(", ")
}
