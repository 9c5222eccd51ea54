//! What was seen of one column.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::cell::{boolean, is_unknown};
use super::date::{Date, DateOrder};
use super::decimal::{Writing, writing, writing_of_plain};
use super::unit::{is_known, sign_of, split_unit};
use super::{Cell, Decimal, is_missing};
use crate::data::number::{self, NotANumber};

/// Text of which nearly every cell has a value of its own is an id, or free text.
const NEARLY_ALL: f64 = 0.9;
/// Where so large a share of a column are numbers, a word among them is a slip.
const MOSTLY_NUMBERS: f64 = 0.9;
/// More different numbers than this measure something, though no fraction says so.
const MOST_CODES: usize = 20;
/// More different units than this are none.
const MOST_UNITS: usize = 8;
/// Whole numbers that rise count rows where they have this many times as much room, and no more.
const ROOM_OF_COUNTS: f64 = 3.0;
/// The years of days that tables write as numbers such as 20240315.
const YEARS_OF_OUR_TIME: std::ops::Range<i64> = 1900..2100;

/// What was seen of one column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnEvidence {
    /// How many cells were looked at, with a value or without.
    seen: usize,
    /// Cells with a value, and without one if it should be a number.
    pub(super) cells: usize,
    pub(super) missing: usize,
    pub(super) numbers: Numbers,
    /// Words among the cells that say that a number is not known, and the first of them.
    unknown: usize,
    first_unknown: Option<OddCell>,
    /// Cells that say yes or no in words or figures.
    pub(super) booleans: usize,
    /// Those that say yes.
    pub(super) yeses: usize,
    /// Cells that are days in the order of [`DateOrder::ALL`], those with years of two digits, and those that are days
    /// in any order.
    pub(super) dates: [usize; 3],
    pub(super) short_dates: [usize; 3],
    pub(super) days: usize,
    /// Those that are days written as one number, such as 20240315.
    compact_days: usize,
    /// Units beside numbers, and signs.
    units: Vec<Affix<String>>,
    signs: Vec<Affix<char>>,
    /// Cells that are neither a number nor a number with a unit, but of letters and digits.
    codes: usize,
    pub(super) words: usize,
    /// Cells with a letter in them.
    pub(super) lettered: usize,
    /// The hashes of all values, and of those that are no numbers.
    values: Vec<u64>,
    others: Vec<u64>,
    /// Whether any of them differs from the first.
    pub(super) varies: bool,
    /// Words that a column of numbers would leave out, counted as values of a category too.
    pub(super) blanks: usize,
    /// A cell that is no number.
    odd: Option<OddCell>,
    rise: Rise,
    digits: Digits,
}

/// What stands beside numbers, how many it stands beside, and the first cell that has it.
#[derive(Clone, Debug)]
struct Affix<T> {
    what: T,
    count: usize,
    first: OddCell,
}

/// A cell to name in a message.
#[derive(Clone, Debug)]
pub(super) struct OddCell {
    pub(super) text: String,
    /// How many cells were looked at before it.
    pub(super) row: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    either: usize,
    pub(super) point: usize,
    pub(super) comma: usize,
    pub(super) ambiguous: usize,
    /// Those other than 0 and 1.
    pub(super) beyond_bits: usize,
    /// Those other than 0 that nothing stands beside.
    bare: usize,
}

impl Numbers {
    pub(super) fn all(self) -> usize {
        self.either + self.point + self.comma + self.ambiguous
    }
}

/// Whole numbers each of which is larger than the one before.
#[derive(Clone, Copy, Debug)]
struct Rise {
    rises: bool,
    first: f64,
    last: f64,
    /// The first step, where all are the same.
    step: Option<f64>,
    is_even: bool,
}

impl Rise {
    const NEW: Rise = Rise { rises: true, first: f64::NAN, last: f64::NEG_INFINITY, step: None, is_even: true };

    fn add(&mut self, number: f64) {
        self.rises &= number.fract() == 0.0 && number > self.last;
        match self.first.is_nan() {
            true => self.first = number,
            false => self.is_even &= *self.step.get_or_insert(number - self.last) == number - self.last,
        }
        self.last = number;
    }

    /// Whether they count: by even steps, or with few left out.
    fn counts(&self, cells: usize) -> bool {
        self.rises && (self.is_even || self.last - self.first < ROOM_OF_COUNTS * cells as f64)
    }
}

/// Cells of nothing but digits.
#[derive(Clone, Copy, Debug, Default)]
struct Digits {
    cells: usize,
    /// Those with a 0 in front that says nothing.
    padded: usize,
    length: usize,
    is_uneven: bool,
}

impl Digits {
    fn add(&mut self, text: &[u8]) {
        if !text.iter().all(u8::is_ascii_digit) {
            return;
        }
        self.is_uneven |= self.cells > 0 && self.length != text.len();
        self.length = text.len();
        self.cells += 1;
        self.padded += usize::from(text.len() > 1 && text[0] == b'0');
    }
}

impl Default for ColumnEvidence {
    fn default() -> ColumnEvidence {
        ColumnEvidence {
            seen: 0,
            cells: 0,
            missing: 0,
            numbers: Numbers::default(),
            unknown: 0,
            first_unknown: None,
            booleans: 0,
            yeses: 0,
            dates: [0; 3],
            short_dates: [0; 3],
            days: 0,
            compact_days: 0,
            units: Vec::new(),
            signs: Vec::new(),
            codes: 0,
            words: 0,
            lettered: 0,
            values: Vec::new(),
            others: Vec::new(),
            varies: false,
            blanks: 0,
            odd: None,
            rise: Rise::NEW,
            digits: Digits::default(),
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
                // As a file would have it.
                let count = if number.fract().abs() > 0.0 { &mut self.numbers.point } else { &mut self.numbers.either };
                *count += 1;
                self.note_value(mixed(number.to_bits()));
                if (1e7..1e8).contains(&number) && number.fract() == 0.0 {
                    self.add_compact_day(number.to_string().as_bytes());
                }
                self.note_number(number, true);
            }
            Cell::Text(b"") => self.missing += 1,
            Cell::Text(text) => match writing_of_plain(text) {
                Some(writing) => self.add_plain_number(text, writing),
                None if is_missing(text) => {
                    self.blanks += 1;
                    self.note_value(xxh3_64(text));
                    self.others.push(xxh3_64(text));
                }
                None => self.add_text(text),
            },
        }
        self.seen += 1;
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
        self.digits.add(text);
        self.add_compact_day(text);
        self.note_number(number::parse(text).unwrap_or(f64::NAN), true);
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
                self.add_number(text, Writing::Either, true);
            }
            Writing::Neither if !self.add_date(text) && self.add_with_unit(text) => {}
            Writing::Neither if is_unknown(text) => {
                self.unknown += 1;
                self.first_unknown = self.first_unknown.take().or_else(|| Some(self.odd_cell(text)));
                self.others.push(xxh3_64(text));
            }
            Writing::Neither => self.add_odd(text),
            writing => {
                let sign = sign_of(text);
                if let Some(sign) = sign {
                    let cell = self.odd_cell(text);
                    note_affix(&mut self.signs, sign, cell);
                }
                self.add_number(text, writing, sign.is_none());
            }
        }
    }

    fn odd_cell(&self, text: &[u8]) -> OddCell {
        OddCell { text: String::from_utf8_lossy(text).into_owned(), row: self.seen }
    }

    /// A text that is no number at all.
    fn add_odd(&mut self, text: &[u8]) {
        self.rise.rises = false;
        self.others.push(xxh3_64(text));
        let has = |is: fn(&u8) -> bool| text.iter().any(is);
        let is_code = text.iter().all(|b| b.is_ascii_alphanumeric() || b"-._/".contains(b));
        self.codes += usize::from(is_code && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit));
        if self.odd.is_none() {
            self.odd = Some(self.odd_cell(text));
        }
    }

    fn add_number(&mut self, text: &[u8], writing: Writing, is_bare: bool) {
        let count = match writing {
            Writing::Only(Decimal::Point) => &mut self.numbers.point,
            Writing::Only(Decimal::Comma) => &mut self.numbers.comma,
            Writing::Ambiguous => &mut self.numbers.ambiguous,
            Writing::Either | Writing::Neither => &mut self.numbers.either,
        };
        *count += 1;
        self.note_number(Decimal::Point.parse(text).unwrap_or(f64::NAN), is_bare);
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
        self.days += usize::from(is_date);
        is_date
    }

    /// Counts a number of eight digits that are a day of our time.
    #[inline]
    fn add_compact_day(&mut self, text: &[u8]) {
        let of_our_time = |date: &Date| YEARS_OF_OUR_TIME.contains(&date.year);
        if text.len() == 8 && text[0].is_ascii_digit() {
            self.compact_days += usize::from(Date::parse(text, DateOrder::Ymd).filter(of_our_time).is_some());
        }
    }

    /// Whether a text is a number with a unit.
    fn add_with_unit(&mut self, text: &[u8]) -> bool {
        let Some((number, unit)) = split_unit(text) else { return false };
        let writing = writing(number);
        let is_unit = self.units.len() < MOST_UNITS || self.units.iter().any(|known| known.what == unit);
        if writing == Writing::Neither || !is_unit {
            return false;
        }
        let (unit, cell) = (unit.to_string(), self.odd_cell(text));
        note_affix(&mut self.units, unit, cell);
        self.add_number(number, writing, false);
        true
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

    fn note_number(&mut self, number: f64, is_bare: bool) {
        self.rise.add(number);
        self.numbers.beyond_bits += usize::from(number != 0.0 && number != 1.0);
        self.numbers.bare += usize::from(is_bare && number != 0.0);
    }

    /// How many different values it has; not to be asked for nothing.
    pub(super) fn values(&self) -> usize {
        let mut values = self.values.clone();
        values.sort_unstable();
        values.dedup();
        values.len()
    }

    /// Whether nearly every cell has a value of its own; not to be asked for nothing.
    pub(super) fn is_distinct(&self) -> bool {
        self.values() as f64 >= NEARLY_ALL * self.cells as f64
    }

    /// Whether there are more different numbers than codes often are.
    fn has_many_numbers(&self) -> bool {
        let others: HashSet<u64> = self.others.iter().copied().collect();
        let mut found: Vec<u64> = Vec::with_capacity(MOST_CODES + 1);
        for value in &self.values {
            if !found.contains(value) && (others.is_empty() || !others.contains(value)) {
                found.push(*value);
            }
            if found.len() > MOST_CODES {
                return true;
            }
        }
        false
    }

    /// Whether its numbers are no codes, so that a word among them may say that one is not known.
    pub(super) fn measures(&self) -> bool {
        self.numbers.point + self.numbers.comma > 0 || !self.units.is_empty() || self.has_many_numbers()
    }

    /// Whether whole numbers that rise do nothing but count.
    pub(super) fn counts_up(&self) -> bool {
        self.rise.counts(self.cells)
    }

    /// Whether whole numbers rise.
    pub(super) fn rises(&self) -> bool {
        self.rise.rises
    }

    /// Whether numbers are codes: of one length, with a 0 in front where it needs one.
    pub(super) fn are_padded(&self) -> bool {
        let Digits { cells, padded, is_uneven, .. } = self.digits;
        padded > 0 && !is_uneven && cells == self.cells
    }

    /// The unit that most of those have which have one.
    fn main_unit(&self) -> Option<&Affix<String>> {
        self.units.iter().rev().max_by_key(|mark| mark.count)
    }

    /// What stands beside its numbers.
    pub(super) fn unit(&self) -> Option<&str> {
        self.main_unit().map(|mark| mark.what.as_str())
    }

    /// Numbers of the main unit or of none.
    fn of_main_unit(&self) -> usize {
        let with_unit: usize = self.units.iter().map(|mark| mark.count).sum();
        self.numbers.all() - with_unit + self.main_unit().map_or(0, |mark| mark.count)
    }

    /// Whether every cell with a value may be a number, all of one unit or none.
    pub(super) fn may_be_numbers(&self) -> bool {
        let numbers = self.numbers.all();
        let is_of_one_unit = match &self.units[..] {
            [] => true,
            [unit] => unit.count == numbers,
            _ => false,
        };
        let is_known = self.unknown == 0 || 2 * numbers >= self.cells && self.measures();
        numbers > 0 && numbers + self.unknown == self.cells && is_of_one_unit && is_known
    }

    /// Whether they are, all written in one way.
    pub(super) fn are_numbers(&self) -> bool {
        self.may_be_numbers() && (self.numbers.point == 0 || self.numbers.comma == 0)
    }

    /// Whether every number is a day of eight digits, as no ids and measurements all are.
    pub(super) fn are_compact_days(&self) -> bool {
        self.compact_days > 0 && self.compact_days == self.cells
    }

    /// How its numbers are written, where they say so.
    pub(super) fn own_decimal(&self) -> Option<Decimal> {
        match (self.numbers.point, self.numbers.comma) {
            (1.., 0) => Some(Decimal::Point),
            (0, 1..) => Some(Decimal::Comma),
            _ => None,
        }
    }

    /// Cells with different signs, or with a percent sign where others have none.
    pub(super) fn mixed_signs(&self) -> Option<(char, Option<&OddCell>)> {
        match &self.signs[..] {
            [first, second, ..] => Some((first.what, Some(&second.first))),
            [Affix { what: '%', .. }] if self.numbers.bare > 0 => Some(('%', None)),
            _ => None,
        }
    }

    /// Whether most cells are numbers that measure something: codes have no fractions, are few or have letters, and
    /// come again. Words behind whole numbers, as in addresses, are no units.
    pub(super) fn are_mostly_measurements(&self, is_distinct: bool) -> bool {
        let numbers = self.numbers.all();
        let mostly = |count: usize| count as f64 >= MOSTLY_NUMBERS * (self.cells - self.unknown) as f64;
        let has_fractions = 2 * (self.numbers.point + self.numbers.comma) > self.cells;
        let has_known_units = self.units.iter().all(|mark| is_known(&mark.what));
        mostly(numbers)
            && 2 * numbers >= self.cells
            && (has_fractions
                || is_distinct && mostly(self.of_main_unit())
                || has_known_units && !self.units.is_empty()
                || has_known_units && self.codes == 0 && self.has_many_numbers())
    }

    /// The first cell that is not as most are, and how many are.
    pub(super) fn odd(&self) -> (Option<&OddCell>, usize) {
        let main = self.unit();
        let others = self.units.iter().filter(|mark| Some(mark.what.as_str()) != main).map(|mark| &mark.first);
        let odd = self.odd.iter().chain(others).min_by_key(|cell| cell.row);
        (odd.or(self.first_unknown.as_ref()), self.of_main_unit())
    }

    /// Whether but one cell is not as all others are.
    pub(super) fn has_one_odd(&self) -> bool {
        self.of_main_unit() + 1 == self.cells
    }

    /// How many numbers have the main unit.
    pub(super) fn with_unit(&self) -> usize {
        self.main_unit().map_or(0, |mark| mark.count)
    }
}

/// One more cell with something beside its number.
fn note_affix<T: PartialEq>(affixes: &mut Vec<Affix<T>>, what: T, cell: OddCell) {
    match affixes.iter_mut().find(|affix| affix.what == what) {
        Some(affix) => affix.count += 1,
        None => affixes.push(Affix { what, count: 1, first: cell }),
    }
}

/// Another number for each, whose bits all depend on all of its own.
fn mixed(bits: u64) -> u64 {
    let spread = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ spread >> 29
}
