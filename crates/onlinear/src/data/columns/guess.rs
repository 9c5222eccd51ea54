//! What the columns of a table hold, going by its first rows.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::cell::boolean;
use super::date::{Date, DateOrder};
use super::decimal::{Writing, split_unit, writing, writing_of_plain};
use super::schema::{Column, Missing, TableSchema};
use super::{Cell, ColumnKind, ColumnOptions, Decimal, Leaving, check_distinct, find, is_missing, list, show};
use crate::data::number::{self, NotANumber};
use crate::error::{Cure, Error, Message, Request, Result};

/// What a column of labels is called when nobody says; the first of these wins.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];
/// With fewer values than this nothing tells an id from a measurement, or that a column never changes.
const LEAST_FOR_ID: usize = 20;
/// Text of which nearly every cell has a value of its own is an id, or free text.
const NEARLY_ALL: f64 = 0.9;
/// Free text has at least so many words in a cell, on average …
const WORDS_IN_TEXT: f64 = 3.0;
/// … or so many where values come again.
const WORDS_IN_REPEATED_TEXT: f64 = 6.0;
/// Where so large a share of a column are numbers, a word among them is a slip.
const MOSTLY_NUMBERS: f64 = 0.9;

/// What was seen of one column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnEvidence {
    /// Cells with a value, and without one if it should be a number.
    cells: usize,
    missing: usize,
    numbers: Numbers,
    /// Cells that say yes or no in words or figures.
    booleans: usize,
    /// Those that say yes.
    yeses: usize,
    /// Cells that are days in the order of [`DateOrder::ALL`], and those with years of two digits.
    dates: [usize; 3],
    short_dates: [usize; 3],
    /// The first unit behind a number, how many numbers have it, and how many have others.
    unit: Option<String>,
    with_unit: usize,
    other_units: usize,
    words: usize,
    /// Cells with a letter in them.
    lettered: usize,
    /// The hashes of all values.
    values: Vec<u64>,
    /// Whether any of them differs from the first.
    varies: bool,
    /// Words that a column of numbers would leave out, counted as values of a category too.
    blanks: usize,
    /// A cell that is no number, with its row, where others are.
    odd: Option<String>,
    /// Whether each whole number is larger than the one before.
    rises: bool,
    last: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    either: usize,
    point: usize,
    comma: usize,
    ambiguous: usize,
    /// Those other than 0 and 1.
    beyond_bits: usize,
}

impl Numbers {
    fn all(self) -> usize {
        self.either + self.point + self.comma + self.ambiguous
    }
}

impl Default for ColumnEvidence {
    fn default() -> ColumnEvidence {
        ColumnEvidence {
            cells: 0,
            missing: 0,
            numbers: Numbers::default(),
            booleans: 0,
            yeses: 0,
            dates: [0; 3],
            short_dates: [0; 3],
            unit: None,
            with_unit: 0,
            other_units: 0,
            words: 0,
            lettered: 0,
            values: Vec::new(),
            varies: false,
            blanks: 0,
            odd: None,
            rises: true,
            last: f64::NEG_INFINITY,
        }
    }
}

impl ColumnEvidence {
    /// One more cell.
    pub(crate) fn add(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Missing => self.missing += 1,
            Cell::Number(number) => {
                self.cells += 1;
                self.numbers.either += 1;
                self.note_value(mixed(number.to_bits()));
                self.note_number(number);
            }
            Cell::Text(b"") => self.missing += 1,
            Cell::Text(text) => match writing_of_plain(text) {
                Some(writing) => self.add_plain_number(text, writing),
                None if is_missing(text) => {
                    self.blanks += 1;
                    self.note_value(xxh3_64(text));
                }
                None => self.add_text(text),
            },
        }
    }

    /// A number as programs write them, of which a table may have millions.
    fn add_plain_number(&mut self, text: &[u8], writing: Writing) {
        self.cells += 1;
        self.words += 1;
        self.note_value(xxh3_64(text));
        self.booleans += usize::from(matches!(text, b"0" | b"1"));
        self.yeses += usize::from(text == b"1");
        match writing {
            Writing::Only(_) => self.numbers.point += 1,
            _ => self.numbers.either += 1,
        }
        self.note_number(number::parse(text).unwrap_or(f64::NAN));
    }

    fn add_text(&mut self, text: &[u8]) {
        self.cells += 1;
        self.note_text(text);
        let said = boolean(text);
        self.booleans += usize::from(said.is_some());
        self.yeses += usize::from(said == Some(true));
        match writing(text) {
            // Numbers that will be refused are numbers still.
            Writing::Neither if number::parse(text) != Err(NotANumber::Malformed) => {
                self.add_number(text, Writing::Either);
            }
            Writing::Neither if !self.add_date(text) && self.add_with_unit(text) => {}
            Writing::Neither => {
                self.rises = false;
                self.odd.get_or_insert_with(|| show(&String::from_utf8_lossy(text)));
            }
            writing => self.add_number(text, writing),
        }
    }

    fn add_number(&mut self, text: &[u8], writing: Writing) {
        let count = match writing {
            Writing::Only(Decimal::Point) => &mut self.numbers.point,
            Writing::Only(Decimal::Comma) => &mut self.numbers.comma,
            Writing::Ambiguous => &mut self.numbers.ambiguous,
            Writing::Either | Writing::Neither => &mut self.numbers.either,
        };
        *count += 1;
        self.note_number(Decimal::Point.parse(text).unwrap_or(f64::NAN));
    }

    /// Whether a text is a day in any order.
    fn add_date(&mut self, text: &[u8]) -> bool {
        let mut is_date = false;
        for (k, order) in DateOrder::ALL.into_iter().enumerate() {
            let Some(date) = Date::parse(text, order) else { continue };
            is_date = true;
            let count = if date.has_short_year { &mut self.short_dates } else { &mut self.dates };
            count[k] += 1;
        }
        is_date
    }

    /// Whether a text is a number with the same unit as those before.
    fn add_with_unit(&mut self, text: &[u8]) -> bool {
        let Some((number, unit)) = split_unit(text) else { return false };
        let writing = writing(number);
        if writing == Writing::Neither {
            return false;
        }
        let is_same = self.unit.get_or_insert_with(|| unit.to_string()) == unit;
        match is_same {
            true => {
                self.with_unit += 1;
                self.add_number(number, writing);
            }
            false => self.other_units += 1,
        }
        is_same
    }

    fn note_text(&mut self, text: &[u8]) {
        self.words += text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        self.lettered += usize::from(text.iter().any(|b| b.is_ascii_alphabetic() || !b.is_ascii()));
        self.note_value(xxh3_64(text));
    }

    fn note_value(&mut self, hash: u64) {
        self.varies |= self.values.first().is_some_and(|first| *first != hash);
        self.values.push(hash);
    }

    fn note_number(&mut self, number: f64) {
        self.rises &= number.fract() == 0.0 && number > self.last;
        self.last = number;
        self.numbers.beyond_bits += usize::from(number != 0.0 && number != 1.0);
    }

    /// How many different values it has; not to be asked for nothing.
    fn values(&self) -> usize {
        let mut values = self.values.clone();
        values.sort_unstable();
        values.dedup();
        values.len()
    }

    /// Whether every cell with a value may be a number, all of one unit or none.
    fn may_be_numbers(&self) -> bool {
        let is_of_one_unit = self.with_unit == 0 || self.with_unit == self.cells;
        self.cells > 0 && self.numbers.all() == self.cells && is_of_one_unit
    }

    fn are_numbers(&self, decimal: Decimal) -> bool {
        let others = match decimal {
            Decimal::Point => self.numbers.comma,
            Decimal::Comma => self.numbers.point,
        };
        self.may_be_numbers() && others == 0
    }

    /// Whether most cells are numbers that measure something: codes have no fractions, and come again. Words behind
    /// whole numbers, as in addresses, are no units.
    fn are_mostly_measurements(&self, is_distinct: bool) -> bool {
        let (cells, numbers) = (self.cells as f64, self.numbers.all());
        let has_fractions = (self.numbers.point + self.numbers.comma) as f64 > cells / 2.0;
        is_distinct && numbers as f64 >= MOSTLY_NUMBERS * cells
            || has_fractions && (numbers + self.other_units) as f64 >= MOSTLY_NUMBERS * cells
    }

    /// Why they are not taken for numbers.
    fn why_no_numbers(&self, column: &str) -> Message {
        let (cells, numbers, unit) = (self.cells, self.numbers.all(), self.unit.as_deref().map(show));
        Message::from(match (&self.odd, unit) {
            (Some(odd), unit) => {
                let of_unit = unit.map_or(String::new(), |unit| format!(" with the unit '{unit}'"));
                format!("'{odd}' in column '{column}' is not a number{of_unit}, as {numbers} of {cells} cells are")
            }
            (None, Some(unit)) => {
                format!(
                    "{} of {cells} numbers in column '{column}' have the unit '{unit}', others none",
                    self.with_unit
                )
            }
            (None, None) => {
                format!("the numbers in column '{column}' are written in another way than in other columns")
            }
        })
        .and(Cure::NameKind)
    }

    /// The order of days, where every cell is one.
    fn date(&self) -> Option<std::result::Result<DateOrder, Message>> {
        let all = |k: usize| self.cells > 0 && self.dates[k] == self.cells;
        match [all(0), all(1), all(2)] {
            [true, ..] => Some(Ok(DateOrder::Ymd)),
            [_, true, true] => {
                Some(Err(Message::from("can be read with the day first or with the month first").and(Cure::NameOrder)))
            }
            [_, true, _] => Some(Ok(DateOrder::Dmy)),
            [_, _, true] => Some(Ok(DateOrder::Mdy)),
            // Nothing tells the order of 03/04/21, nor the hundred years.
            _ if (0..3).any(|k| self.cells > 0 && self.dates[k] + self.short_dates[k] == self.cells) => {
                Some(Err(Message::from("have years of two digits").and(Cure::NameShortYears)))
            }
            _ => None,
        }
    }
}

/// Another number for each, whose bits all depend on all of its own.
fn mixed(bits: u64) -> u64 {
    let spread = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ spread >> 29
}

/// What the columns hold, which are called so and of which so much was seen: all rows, or only the first of them.
pub(crate) fn guess(
    names: Vec<String>,
    evidence: &[ColumnEvidence],
    is_all: bool,
    header: bool,
    options: &ColumnOptions,
    file: &str,
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
            kind_of(&names[i], &evidence[i], decimal, is_all, asked).map_err(|message| Error::data(file, message))
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
    let unit = |i: usize| evidence[i].unit.clone().filter(|_| kinds[i] == ColumnKind::Number);
    let columns = names.into_iter().enumerate().map(|(i, name)| Column { name, kind: kinds[i], unit: unit(i) });
    let columns: Vec<Column> = columns.collect();
    check_names(&columns, file)?;
    let missing = options.missing.unwrap_or(Missing::Indicator);
    Ok(TableSchema { header, delimiter: b',', decimal, missing, columns, interactions })
}

fn usual_label(names: &[String], header: bool, file: &str) -> Result<usize> {
    let called = |usual: &&str| names.iter().position(|name| name.eq_ignore_ascii_case(usual));
    LABEL_NAMES.iter().find_map(called).ok_or_else(|| {
        let why = if header { "has no column called label, class, target or y" } else { "has no header" };
        let columns = format!("; the columns are {}", list(names));
        Error::data(file, Message::from(why).and(Cure::NameLabelColumn).and(columns))
    })
}

/// How numbers are written: as the columns say that may be numbers.
fn decimal_of(columns: &[(&str, &ColumnEvidence)], file: &str) -> Result<Decimal> {
    let numeric = || columns.iter().filter(|(_, evidence)| evidence.may_be_numbers());
    let sum = |count: fn(&Numbers) -> usize| numeric().map(|(_, evidence)| count(&evidence.numbers)).sum::<usize>();
    let (point, comma) = (sum(|numbers| numbers.point), sum(|numbers| numbers.comma));
    match (point, comma, numeric().find(|(_, evidence)| evidence.numbers.ambiguous > 0)) {
        (0, 0, Some((name, _))) => {
            let message = format!("column '{}' has numbers like 1,234, which is 1234 or 1.234", show(name));
            Err(Error::data(file, Message::from(message).and(Cure::NameDecimal)))
        }
        (0, 1.., _) => Ok(Decimal::Comma),
        _ => Ok(Decimal::Point),
    }
}

/// What a column holds that nobody spoke of, but that it is wanted where it is `asked` for.
fn kind_of(
    name: &str,
    seen: &ColumnEvidence,
    decimal: Decimal,
    is_all: bool,
    asked: bool,
) -> std::result::Result<ColumnKind, Message> {
    let cells = seen.cells as f64;
    let words = seen.words as f64 / cells;
    let is_distinct = || seen.values() as f64 >= NEARLY_ALL * cells;
    let is_called_id = || {
        let tail = name.len().checked_sub(2).and_then(|at| name.split_at_checked(at));
        tail.is_some_and(|(head, id)| {
            let begins = !head.ends_with(|c: char| c.is_ascii_alphanumeric()) || id.starts_with('I');
            id.eq_ignore_ascii_case("id") && begins
        })
    };
    let is_constant = !seen.varies && seen.missing + seen.blanks == 0 && is_all && seen.cells >= LEAST_FOR_ID;
    if is_constant && !asked || seen.cells + seen.blanks == 0 {
        return Ok(ColumnKind::Unused(Leaving::Constant));
    }
    if seen.are_numbers(decimal) {
        // Those that rise are all different.
        let is_id = || seen.rises || is_called_id() && seen.values() == seen.cells;
        let is_id = seen.cells >= LEAST_FOR_ID && !asked && is_id();
        return Ok(match seen.numbers.beyond_bits {
            _ if is_id => ColumnKind::Unused(Leaving::Id),
            0 if is_all => ColumnKind::Boolean,
            _ => ColumnKind::Number,
        });
    }
    // Words that all say yes differ in something else.
    let is_told_apart = !seen.varies || (1..seen.cells).contains(&seen.yeses);
    if seen.cells > 0 && seen.booleans == seen.cells && is_told_apart {
        return Ok(ColumnKind::Boolean);
    }
    if let Some(order) = seen.date() {
        let about = |message: Message| Message::from(format!("the days in column '{}' ", show(name))).and(message);
        return order.map(|order| ColumnKind::Date { order }).map_err(about);
    }
    let is_distinct = seen.cells >= LEAST_FOR_ID && is_distinct();
    if !asked && seen.are_mostly_measurements(is_distinct) {
        return Err(seen.why_no_numbers(&show(name)));
    }
    // Figures in groups, such as those of telephones, are no words.
    let has_letters = seen.lettered as f64 >= cells / 2.0;
    Ok(if is_distinct {
        match words >= WORDS_IN_TEXT && has_letters {
            true => ColumnKind::Words { ngrams: 1 },
            false if asked => ColumnKind::CATEGORY,
            false => ColumnKind::Unused(Leaving::Id),
        }
    } else if words >= WORDS_IN_REPEATED_TEXT {
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
