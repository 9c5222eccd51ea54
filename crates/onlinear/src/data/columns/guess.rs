//! What the columns of a table hold, going by its first rows.

use std::collections::HashSet;

use super::evidence::OddCell;
use super::schema::{Column, Missing, TableSchema};
use super::{ColumnEvidence, ColumnKind, ColumnOptions, DateOrder, Decimal, Leaving, check_distinct, find, list, show};
use crate::error::{Cure, Error, Message, Place, Request, Result};

/// What a column of labels is called when nobody says; the first of these wins.
pub(crate) const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];
/// With fewer values than this nothing tells an id from a measurement, or that a column never changes.
const LEAST_FOR_ID: usize = 20;
/// Free text has at least so many words in a cell, on average …
const WORDS_IN_TEXT: f64 = 3.0;
/// … or so many where values come again.
const WORDS_IN_REPEATED_TEXT: f64 = 6.0;
/// Sentences that come again more often than this are answers to choose from.
const MOST_OF_ANSWERS: f64 = 0.1;
/// What a first column without a name is called, as pandas calls it.
pub(crate) const INDEX: &str = "Unnamed: 0";
/// What a column is called that counts rows: by pandas, which leaves its name empty, and by others.
const NAMES_OF_COUNTS: [&str; 8] = [INDEX, "#", "no", "nr", "index", "row", "rownum", "row_number"];

/// What is doubtful about a column, and the row of the cell that makes it so.
type Doubt = (Message, Option<usize>);

/// Where a cell stands that was looked at, by its row and its column.
pub(crate) type CellPlace<'a> = &'a dyn Fn(usize, usize) -> Option<Place>;

/// Why they are not taken for numbers, though most are.
fn why_no_numbers(seen: &ColumnEvidence, name: &str) -> Doubt {
    let ((odd, numbers), cells) = (seen.odd(), seen.cells);
    let (column, unit) = (show(name), seen.unit().map(show));
    let row = odd.map(|cell| cell.row);
    let message = match (odd, unit) {
        (Some(OddCell { text, .. }), unit) => {
            let of_unit = unit.map_or(String::new(), |unit| format!(" with the unit '{unit}'"));
            let what = format!("'{}' in column '{column}' is not a number", show(text));
            format!("{what}{of_unit}, as {numbers} of {cells} cells are")
        }
        (None, Some(unit)) => {
            let with_unit = seen.with_unit();
            format!("{with_unit} of {cells} numbers in column '{column}' have the unit '{unit}', others none")
        }
        (None, None) => {
            format!("column '{column}' has numbers with a point and numbers with a comma before the fraction")
        }
    };
    let cure = if seen.unit().is_some() { Cure::TakeAsWritten } else { Cure::MendSlip };
    (Message::from(message).and((cure, name)), row)
}

/// Why numbers are not taken for numbers of one kind, where the signs beside them say so.
fn why_not_of_one_kind(seen: &ColumnEvidence, name: &str) -> Option<Doubt> {
    let (sign, other) = seen.mixed_signs()?;
    let column = show(name);
    let message = match other {
        Some(OddCell { text, .. }) => format!("'{}' in column '{column}' stands among numbers with {sign}", show(text)),
        None => format!("column '{column}' has numbers with {sign} and numbers without"),
    };
    Some((Message::from(message).and((Cure::TakeNumbers, name)), other.map(|cell| cell.row)))
}

/// The order of days, where every cell is one.
fn date_of(seen: &ColumnEvidence, name: &str) -> Option<std::result::Result<DateOrder, Doubt>> {
    let is_all = |count: usize| seen.cells > 0 && count == seen.cells;
    let refused = |why: &str, cure| {
        let days = format!("the days in column '{}' {why}", show(name));
        Some(Err((Message::from(days).and((cure, name)), None)))
    };
    match seen.dates.map(is_all) {
        [true, ..] => Some(Ok(DateOrder::Ymd)),
        [_, true, true] => refused("can be read with the day first or with the month first", Cure::NameOrder),
        [_, true, _] => Some(Ok(DateOrder::Dmy)),
        [_, _, true] => Some(Ok(DateOrder::Mdy)),
        // Nothing tells the order of 03/04/21, nor the hundred years.
        _ if (0..3).any(|k| is_all(seen.dates[k] + seen.short_dates[k])) => {
            refused("have years of two digits", Cure::NameShortYears)
        }
        _ if is_all(seen.days) => refused("are written in more than one order", Cure::TakeAsWritten),
        _ => None,
    }
}

/// What the columns hold, which are called so and of which so much was seen: all rows, or only the first of them.
pub(crate) fn guess(
    names: Vec<String>,
    evidence: &[ColumnEvidence],
    is_all: bool,
    header: bool,
    options: &ColumnOptions,
    file: &str,
    place: CellPlace<'_>,
) -> Result<TableSchema> {
    let label = match &options.label {
        Some(wanted) => find(&names, wanted, Request::LabelColumn, file)?,
        None => usual_label(&names, header, file)?,
    };
    let find_weight = |wanted: &String| find(&names, wanted, Request::WeightColumn, file);
    let weight = options.weight.as_ref().map(find_weight).transpose()?;
    if weight == Some(label) {
        let column = show(&names[label]);
        return Err(Error::usage(format!("column '{column}' cannot hold both the labels and the weights")));
    }
    if header {
        check_distinct(&names, file)?;
    }
    let find_all = |wanted: &[String], request| -> Result<Vec<usize>> {
        wanted.iter().map(|name| find(&names, name, request, file)).collect()
    };
    let ignored = find_all(&options.ignore, Request::Ignore)?;
    let only = find_all(&options.only, Request::Only)?;
    let told: Vec<(usize, ColumnKind)> = (options.kinds.iter())
        .map(|(name, kind)| Ok((find(&names, name, Request::Column, file)?, *kind)))
        .collect::<Result<_>>()?;
    let is_left_out = |i: usize| ignored.contains(&i) || !only.is_empty() && !only.contains(&i);
    let told_kind = |i: usize| match i {
        _ if i == label => Some(ColumnKind::Label),
        _ if Some(i) == weight => Some(ColumnKind::Weight),
        _ if is_left_out(i) => Some(ColumnKind::Unused(Leaving::Asked)),
        _ => told.iter().rev().find(|(place, _)| *place == i).map(|(_, kind)| *kind),
    };
    let open = || (0..names.len()).filter(|&i| told_kind(i).is_none_or(|kind| kind == ColumnKind::Number));
    let decimal = match options.decimal {
        Some(decimal) => decimal,
        None => {
            let seen: Vec<(&str, &ColumnEvidence)> = open().map(|i| (names[i].as_str(), &evidence[i])).collect();
            decimal_of(&seen, file)?
        }
    };
    let kind = |i: usize| match told_kind(i) {
        Some(kind) => Ok(kind),
        None => {
            let asked = only.contains(&i);
            kind_of(&names[i], &evidence[i], is_all, asked).map_err(|(message, row)| {
                match row.and_then(|row| Some((row, place(row, i)?))) {
                    Some((0, place)) if header && evidence[i].has_one_odd() => {
                        let line = place.line;
                        let cure = format!("; if line {line} is none of the rows: sed {line}d {file} > table.csv");
                        Error::row(place, message.and(cure))
                    }
                    Some((_, place)) => Error::row(place, message),
                    None => Error::data(file, message),
                }
            })
        }
    };
    let kinds: Vec<ColumnKind> = (0..names.len()).map(kind).collect::<Result<_>>()?;
    let pair = |(first, second): &(String, String)| {
        let place = |name| find(&names, name, Request::Interaction, file);
        Ok((place(first)?, place(second)?))
    };
    let interactions: Vec<(usize, usize)> = options.interactions.iter().map(pair).collect::<Result<_>>()?;
    if let Some(place) = interactions.iter().flat_map(|(a, b)| [*a, *b]).find(|&place| !kinds[place].is_feature()) {
        let (name, kind) = (show(&names[place]), kinds[place]);
        let message = Message::from(Request::Interaction).and(format!(": column '{name}' is {kind}, no feature"));
        return Err(Error::usage(message));
    }
    let column = |(i, name): (usize, String)| {
        let (kind, seen) = (kinds[i], &evidence[i]);
        let is_number = kind == ColumnKind::Number;
        let unit = seen.unit().filter(|_| is_number).map(str::to_string);
        let own = seen.own_decimal().filter(|own| is_number && *own != decimal);
        let knows_unknown = is_number && (told_kind(i).is_some() || seen.measures());
        Column { name, kind, unit, decimal: own, knows_unknown }
    };
    let columns: Vec<Column> = names.clone().into_iter().enumerate().map(column).collect();
    check_names(&columns, file)?;
    let missing = options.missing.unwrap_or(Missing::Indicator);
    Ok(TableSchema { header, delimiter: b',', decimal, missing, columns, interactions, utc: true })
}

fn usual_label(names: &[String], header: bool, file: &str) -> Result<usize> {
    let called = |usual: &&str| names.iter().position(|name| name.eq_ignore_ascii_case(usual));
    LABEL_NAMES.iter().find_map(called).ok_or_else(|| {
        let why = if header { "has no column called label, class, target or y" } else { "has no header" };
        let columns = format!("; the columns are {}", list(names));
        Error::data(file, Message::from(why).and(Cure::NameLabelColumn).and(columns))
    })
}

/// How numbers are written that say nothing of it themselves: as the columns say that do.
fn decimal_of(columns: &[(&str, &ColumnEvidence)], file: &str) -> Result<Decimal> {
    let numeric = || columns.iter().filter(|(_, evidence)| evidence.may_be_numbers());
    let any = |own: Decimal| numeric().any(|(_, evidence)| evidence.own_decimal() == Some(own));
    let is_open = |evidence: &ColumnEvidence| evidence.numbers.ambiguous > 0 && evidence.own_decimal().is_none();
    let open = numeric().find(|(_, evidence)| is_open(evidence));
    match (any(Decimal::Point), any(Decimal::Comma), open) {
        (point, comma, Some((name, _))) if point == comma => {
            let message = format!("column '{}' has numbers like 1,234, which is 1234 or 1.234", show(name));
            Err(Error::data(file, Message::from(message).and(Cure::NameDecimal)))
        }
        (false, true, _) => Ok(Decimal::Comma),
        _ => Ok(Decimal::Point),
    }
}

/// Whether a column is called as one that tells rows apart.
fn is_called_id(name: &str) -> bool {
    let tail = name.len().checked_sub(2).and_then(|at| name.split_at_checked(at));
    tail.is_some_and(|(head, id)| {
        let begins = !head.ends_with(|c: char| c.is_ascii_alphanumeric()) || id.starts_with('I');
        id.eq_ignore_ascii_case("id") && begins
    })
}

/// What a column of numbers holds.
fn kind_of_numbers(name: &str, seen: &ColumnEvidence, is_all: bool, asked: bool) -> ColumnKind {
    let is_called_count = || NAMES_OF_COUNTS.iter().any(|known| known.eq_ignore_ascii_case(name));
    // Those that rise are all different.
    let is_id = || {
        seen.counts_up()
            || seen.rises() && is_called_count()
            || seen.are_padded() && seen.is_distinct()
            || is_called_id(name) && seen.is_distinct()
    };
    match seen.numbers.beyond_bits {
        _ if !asked && (seen.cells >= LEAST_FOR_ID && is_id() || seen.rises() && name == INDEX) => {
            ColumnKind::Unused(Leaving::Id)
        }
        _ if seen.are_padded() => ColumnKind::CATEGORY,
        0 if is_all => ColumnKind::Boolean,
        _ => ColumnKind::Number,
    }
}

/// What a column holds that nobody spoke of, but that it is wanted where it is `asked` for.
fn kind_of(name: &str, seen: &ColumnEvidence, is_all: bool, asked: bool) -> std::result::Result<ColumnKind, Doubt> {
    let cells = seen.cells as f64;
    let words = seen.words as f64 / cells;
    let is_constant = !seen.varies && seen.missing + seen.blanks == 0 && is_all && seen.cells >= LEAST_FOR_ID;
    if is_constant && !asked || seen.cells + seen.blanks == 0 {
        return Ok(ColumnKind::Unused(Leaving::Constant));
    }
    if seen.are_compact_days() {
        return Ok(ColumnKind::Date { order: DateOrder::Ymd });
    }
    if seen.are_numbers() {
        return why_not_of_one_kind(seen, name).map_or_else(|| Ok(kind_of_numbers(name, seen, is_all, asked)), Err);
    }
    // Words that all say yes differ in something else.
    let is_told_apart = !seen.varies || (1..seen.cells).contains(&seen.yeses);
    if seen.cells > 0 && seen.booleans == seen.cells && is_told_apart {
        return Ok(ColumnKind::Boolean);
    }
    if let Some(order) = date_of(seen, name) {
        return order.map(|order| ColumnKind::Date { order });
    }
    let is_distinct = seen.cells >= LEAST_FOR_ID && seen.is_distinct();
    if !asked && (seen.may_be_numbers() || seen.are_mostly_measurements(is_distinct)) {
        return Err(why_no_numbers(seen, name));
    }
    // Figures in groups, such as those of telephones, are no words.
    let has_letters = seen.lettered as f64 >= cells / 2.0;
    Ok(if is_distinct {
        match words >= WORDS_IN_TEXT && has_letters {
            true => ColumnKind::Words { ngrams: 1 },
            false if asked => ColumnKind::CATEGORY,
            false => ColumnKind::Unused(Leaving::Id),
        }
    } else if words >= WORDS_IN_REPEATED_TEXT && seen.values() as f64 > MOST_OF_ANSWERS * cells {
        ColumnKind::Words { ngrams: 1 }
    } else {
        ColumnKind::CATEGORY
    })
}

/// Refuses columns whose features could have one name: that of a value is `column=value`, which may be a column's too.
fn check_names(columns: &[Column], file: &str) -> Result<()> {
    let dividers: HashSet<(&str, char)> =
        columns.iter().filter_map(|column| Some((column.name.as_str(), column.kind.divider()?))).collect();
    for Column { name, .. } in columns.iter().filter(|column| column.kind.is_feature()) {
        let divided = name.char_indices().find(|&(at, sign)| dividers.contains(&(&name[..at], sign)));
        if let Some((at, _)) = divided {
            let (text, name) = (show(&name[..at]), show(name));
            let message = format!("a word in column '{text}' could be called as column '{name}'; rename one of them");
            return Err(Error::data(file, message));
        }
    }
    Ok(())
}
