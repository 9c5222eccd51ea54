//! The features that become of a row of cells.

use super::cell::{Cell, boolean, is_missing, is_unknown};
use super::date::{Date, DateOrder};
use super::unit::split_unit;
use super::words::{for_each_word, words_as_they_come};
use super::{Column, ColumnKind, ColumnOptions, Decimal, LateCell, Missing, Origin, TableSchema, find, show};
use crate::data::batch::Batch;
use crate::data::dataset::ColumnTally;
use crate::data::lookup::{CategoryColumn, Lookup};
use crate::data::number::{NotANumber, excerpt};
use crate::data::recent_places::NamePart;
use crate::data::row_builder::{Fault, NameUse, RowBuilder};
use crate::data::vocabulary::Vocabulary;
use crate::error::{Cure, Error, Message, Request, Result};

/// What stands for all values of a category beyond the first so many, and for those never met.
pub(crate) const OTHER: &str = "(other)";
/// What stands for a value that is missing.
const BLANK: &[u8] = b"?";

/// Turns rows of cells into rows of features, by the columns of a file, which need not be those of the schema.
#[derive(Clone)]
pub(crate) struct Encoder {
    columns: Vec<ColumnPlan>,
    missing: Missing,
    /// Whether times are those of UTC.
    utc: bool,
    interactions: Vec<(usize, usize)>,
    /// Why a column holds what it does, for messages.
    origin: Origin,
}

#[derive(Clone)]
struct ColumnPlan {
    name: String,
    /// `None` if there is no use for it.
    kind: Option<ColumnKind>,
    /// Its place among the schema's columns.
    place_in_schema: Option<usize>,
    /// The place of the feature that a column of numbers is; none if the model does not know it.
    place: Option<u32>,
    /// What stands beside its numbers.
    unit: Option<String>,
    /// How they are written.
    decimal: Decimal,
    /// Whether words among them may say that a number is not known.
    knows_unknown: bool,
    /// Whether somebody said what it holds.
    is_told: bool,
    /// Whether it holds numbers as programs write them.
    is_plain_number: bool,
}

/// The cells of a record, one after another.
pub(crate) trait CellWalk<'a> {
    /// The next cell, where it is a number as programs write them, and nothing else; else it is still the next.
    fn number(&mut self, is_last: bool) -> Option<f64>;
    /// The next cell; none where the record is not a plain one, with a cell for each column.
    fn cell(&mut self, is_last: bool) -> Option<&'a [u8]>;
    /// Where the next cell begins, for messages.
    fn offset(&self) -> usize;
}

/// Columns of which every feature is a number.
pub(crate) struct NumberColumns {
    /// Each with the place of its feature; places rise.
    pub(crate) numbers: Vec<(usize, u32)>,
    /// That of the labels.
    pub(crate) label: Option<usize>,
}

impl Encoder {
    /// For a file with these columns, each with its place in the schema, if it has a use.
    pub(crate) fn new(
        columns: Vec<(String, Option<ColumnKind>)>,
        schema: &TableSchema,
        missing: Missing,
        (origin, options): (Origin, &ColumnOptions),
        lookup: &mut Lookup,
        file: &str,
    ) -> Result<Encoder> {
        let in_schema = |name: &str| schema.columns.iter().position(|column| column.name == name);
        lookup.categories.clear();
        let told = told_places(&columns, options);
        let mut plan = |(i, (name, kind)): (usize, (String, Option<ColumnKind>))| {
            let kind = kind.filter(|kind| !matches!(kind, ColumnKind::Unused(_)));
            let place = match kind {
                Some(ColumnKind::Number | ColumnKind::Boolean) => lookup.about.place(name.as_bytes(), lookup.room),
                _ => Ok(None),
            };
            let (place, place_in_schema) = (place.map_err(|message| Error::data(file, message))?, in_schema(&name));
            if let Some(ColumnKind::Category { most }) = kind {
                let values = place_in_schema.map_or(0, |at| values_of(at, schema, &lookup.about.vocabulary));
                let column = CategoryColumn { name: name.clone(), values, most, place_in_schema };
                lookup.categories.insert(i as u32, column);
            }
            let column = place_in_schema.map(|at| &schema.columns[at]);
            let unit = column.and_then(|column| column.unit.clone());
            let decimal = column.and_then(|column| column.decimal).unwrap_or(schema.decimal);
            let knows_unknown = column.is_some_and(|column| column.knows_unknown);
            let is_plain_number = kind == Some(ColumnKind::Number) && decimal == Decimal::Point;
            let is_told = told.contains(&i);
            Ok(ColumnPlan {
                place_in_schema,
                place,
                kind,
                name,
                unit,
                decimal,
                knows_unknown,
                is_told,
                is_plain_number,
            })
        };
        let columns: Vec<ColumnPlan> = columns.into_iter().enumerate().map(&mut plan).collect::<Result<_>>()?;
        let place_of = |at: usize| {
            let Column { name, .. } = &schema.columns[at];
            columns.iter().position(|column| column.name == *name)
        };
        let pairs = schema.interactions.iter().filter_map(|&(a, b)| Some((place_of(a)?, place_of(b)?)));
        let interactions = pairs.collect();
        lookup.about.columns.resize(schema.columns.len(), ColumnTally::default());
        Ok(Encoder { columns, missing, utc: schema.utc, interactions, origin })
    }

    /// How many columns the file has.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Its columns, where every feature is a number, places rise and nothing else makes a row.
    pub(crate) fn numbers(&self) -> Option<NumberColumns> {
        let (mut numbers, mut label) = (Vec::new(), None);
        for (i, ColumnPlan { kind, place, .. }) in self.columns.iter().enumerate() {
            match (kind, place) {
                (None, _) => {}
                (Some(ColumnKind::Label), _) => label = Some(i),
                (Some(ColumnKind::Number), Some(place)) => numbers.push((i, *place)),
                _ => return None,
            }
        }
        let is_plain = self.interactions.is_empty() && numbers.is_sorted_by(|(_, a), (_, b)| a < b);
        (is_plain && !numbers.is_empty()).then_some(NumberColumns { numbers, label })
    }

    /// Whether cells can be taken one after another: nothing needs two of them at once.
    pub(crate) fn can_walk(&self) -> bool {
        self.interactions.is_empty() && self.columns.len() > 1
    }

    /// Whether all of them but a label are numbers as programs write them, whose places rise.
    pub(crate) fn can_walk_numbers(&self) -> bool {
        let is_plain = |plan: &ColumnPlan| plan.is_plain_number || plan.place.is_none();
        self.can_walk() && self.numbers().is_some() && self.columns.iter().all(is_plain)
    }

    /// Appends the row of these cells, which came from `line`, to `batch`.
    pub(crate) fn row<'a>(
        &self,
        cell: impl Fn(usize) -> Cell<'a>,
        line: u64,
        row: &mut RowBuilder,
        batch: &mut Batch,
    ) -> std::result::Result<(), Fault> {
        row.begin();
        let (mut label, mut weight) = (None, 1.0);
        let (mut number_text, mut number_at) = (String::new(), 0);
        for i in 0..self.columns.len() {
            let Some(kind) = self.columns[i].kind else { continue };
            let cell = cell(i);
            match kind {
                ColumnKind::Label => match cell {
                    Cell::Missing | Cell::Text(b"") => {}
                    Cell::Text(text) => label = Some((i, text)),
                    Cell::Number(number) => (number_text, number_at) = (number.to_string(), i),
                },
                ColumnKind::Weight => weight = sample_weight(cell, &self.columns[i].name).map_err(|m| (i, m))?,
                _ => self.add(i, kind, cell, row).map_err(|message| (i, message))?,
            }
        }
        for &(a, b) in &self.interactions {
            self.interact(a, cell(a), b, cell(b), row).map_err(|message| (a, message))?;
        }
        row.push_merged(0, batch)?;
        let label = label.or((!number_text.is_empty()).then_some((number_at, number_text.as_bytes())));
        row.end(label, weight, line, batch)
    }

    /// Appends the row of cells that come one after another, or gives up: [`Encoder::row`] says what is wrong with
    /// them. Names are noted with the columns that they come from.
    #[inline]
    pub(crate) fn walk<'a>(
        &self,
        cells: &mut impl CellWalk<'a>,
        line: u64,
        row: &mut RowBuilder,
        batch: &mut Batch,
    ) -> Option<()> {
        row.begin();
        let (mut label, mut weight) = (None, 1.0);
        let last = self.columns.len() - 1;
        for (i, plan) in self.columns.iter().enumerate() {
            if plan.is_plain_number
                && let Some(number) = cells.number(i == last)
            {
                row.add(plan.place, number).ok()?;
                continue;
            }
            let (at, text) = (cells.offset(), cells.cell(i == last)?);
            match plan.kind {
                None => {}
                Some(ColumnKind::Label) => label = Some((at, text)).filter(|(_, text)| !text.is_empty()),
                Some(ColumnKind::Weight) => weight = sample_weight(Cell::Text(text), &plan.name).ok()?,
                Some(kind) => self.add(i, kind, Cell::Text(text), row).ok()?,
            }
        }
        row.push_merged(0, batch).ok()?;
        row.end(label, weight, line, batch).ok()
    }

    /// Does the same where every feature is a number and their places rise, as far as there are no other cells among
    /// them: nothing need be put in order.
    #[inline]
    pub(crate) fn walk_numbers<'a>(
        &self,
        cells: &mut impl CellWalk<'a>,
        line: u64,
        row: &mut RowBuilder,
        batch: &mut Batch,
    ) -> Option<()> {
        row.begin();
        let (mut label, last) = (None, self.columns.len() - 1);
        for (i, plan) in self.columns.iter().enumerate() {
            match plan.place {
                Some(place) => {
                    let number = cells.number(i == last)?;
                    if number != 0.0 {
                        batch.rows.push(place, number);
                    }
                }
                None => {
                    let (at, text) = (cells.offset(), cells.cell(i == last)?);
                    if plan.kind.is_some() {
                        label = Some((at, text)).filter(|(_, text)| !text.is_empty());
                    }
                }
            }
        }
        row.end(label, 1.0, line, batch).ok()
    }

    #[inline]
    fn add(
        &self,
        i: usize,
        kind: ColumnKind,
        cell: Cell<'_>,
        row: &mut RowBuilder,
    ) -> std::result::Result<(), Message> {
        match (kind, cell) {
            (ColumnKind::Number, Cell::Number(number)) if number.is_finite() => row.add(self.columns[i].place, number),
            (ColumnKind::Number, Cell::Text(text)) => match self.number(i, text) {
                Ok(number) => row.add(self.columns[i].place, number),
                Err(_) if self.is_missing_number(i, text) => self.add_missing(i, row),
                Err(reason) => {
                    if reason == NotANumber::Malformed {
                        self.note_late(i, text, row);
                    }
                    Err(self.refused(i, &reason.explain(text)))
                }
            },
            (ColumnKind::Boolean, Cell::Text(text)) => match self.bit(i, text) {
                Some(value) => row.add(self.columns[i].place, value),
                None if is_missing(text) => self.add_missing(i, row),
                None => {
                    self.note_late(i, text, row);
                    Err(self.refused(i, &format!("'{}' is neither yes nor no", excerpt(text))))
                }
            },
            (ColumnKind::Boolean, Cell::Number(number)) if number == 0.0 || number == 1.0 => {
                row.add(self.columns[i].place, number)
            }
            (ColumnKind::Category { .. }, Cell::Text(text)) if !text.is_empty() => {
                row.add_part(self.part(i, b'=', text), 1.0, NameUse::Category(i as u32))
            }
            (ColumnKind::Category { .. }, Cell::Number(number)) if !number.is_nan() => {
                let text = number.to_string();
                row.add_part(self.part(i, b'=', text.as_bytes()), 1.0, NameUse::Category(i as u32))
            }
            (ColumnKind::Words { ngrams }, Cell::Text(text)) if !text.is_empty() => {
                let mut add = |word: &str| row.add_part(self.part(i, b':', word.as_bytes()), 1.0, NameUse::Feature);
                for_each_word(text, ngrams, &mut add)
            }
            (ColumnKind::Date { order }, Cell::Text(text)) if !is_missing(text) => {
                let parts = self.date(i, text, order)?.parts();
                let mut add = |(part, value): (&str, f64)| {
                    row.add_part(self.part(i, b':', part.as_bytes()), value, NameUse::Feature)
                };
                parts.into_iter().flatten().try_for_each(&mut add)
            }
            // Days of eight digits.
            (ColumnKind::Date { .. }, Cell::Number(number)) if !number.is_nan() => {
                self.add(i, kind, Cell::Text(number.to_string().as_bytes()), row)
            }
            (_, Cell::Number(number)) if !number.is_nan() => {
                Err(self.refused(i, &format!("{number} was not expected")))
            }
            _ => self.add_missing(i, row),
        }
    }

    /// What stands for a value that is missing.
    #[cold]
    fn add_missing(&self, i: usize, row: &mut RowBuilder) -> std::result::Result<(), Message> {
        let plan = &self.columns[i];
        if self.missing == Missing::Refuse {
            let message = format!("empty cell in column '{}'", show(&plan.name));
            return Err(Message::from(message).and(Cure::FillMissing));
        }
        if let Some(column) = plan.place_in_schema {
            row.count_missing(column);
        }
        if self.missing.is_filled_later() {
            match plan.kind {
                Some(ColumnKind::Number | ColumnKind::Boolean) => row.add(plan.place, f64::NAN)?,
                Some(ColumnKind::Date { .. }) => {
                    for part in [&b"year"[..], b"day"] {
                        row.add_part(self.part(i, b':', part), f64::NAN, NameUse::Feature)?;
                    }
                }
                _ => {}
            }
        }
        if self.missing == Missing::Indicator {
            row.add_part(self.part(i, b'=', BLANK), 1.0, NameUse::Feature)?;
        }
        Ok(())
    }

    /// The name of a feature of column `i`.
    fn part<'b>(&'b self, i: usize, divider: u8, rest: &'b [u8]) -> NamePart<'b> {
        NamePart { column: i, column_name: &self.columns[i].name, divider, rest }
    }

    /// The day in a cell of column `i`.
    fn date(&self, i: usize, text: &[u8], order: DateOrder) -> std::result::Result<Date, Message> {
        Date::parse(text, order)
            .map(|date| if self.utc { date.in_utc() } else { date })
            .ok_or_else(|| self.refused(i, &format!("'{}' is not a date ({})", excerpt(text), order.name())))
    }

    /// The products of the features of two cells.
    fn interact(
        &self,
        a: usize,
        first: Cell<'_>,
        b: usize,
        second: Cell<'_>,
        row: &mut RowBuilder,
    ) -> std::result::Result<(), Message> {
        let features = |i: usize, cell| match self.columns[i].kind {
            Some(kind) => self.features(i, kind, cell),
            None => Ok(Vec::new()),
        };
        let (first, second) = (features(a, first)?, features(b, second)?);
        for (one, v) in &first {
            for (other, w) in &second {
                row.name.clear();
                row.name.extend_from_slice(one);
                row.name.push(b'*');
                row.name.extend_from_slice(other);
                row.add_named(v * w, a)?;
            }
        }
        Ok(())
    }

    /// The features of a cell by name; none where it is missing.
    fn features(
        &self,
        i: usize,
        kind: ColumnKind,
        cell: Cell<'_>,
    ) -> std::result::Result<Vec<(Vec<u8>, f64)>, Message> {
        let name = &self.columns[i].name;
        let mut features = Vec::new();
        let mut add = |divider: Option<u8>, rest: &[u8], value: f64| {
            let mut full = name.as_bytes().to_vec();
            full.extend(divider);
            full.extend_from_slice(rest);
            features.push((full, value));
        };
        match (kind, cell) {
            (ColumnKind::Number, Cell::Number(number)) if number.is_finite() => add(None, b"", number),
            (ColumnKind::Number, Cell::Text(text)) => {
                if let Ok(number) = self.number(i, text) {
                    add(None, b"", number);
                }
            }
            (ColumnKind::Boolean, Cell::Number(number)) if number.is_finite() => add(None, b"", number),
            (ColumnKind::Boolean, Cell::Text(text)) => {
                if let Some(value) = self.bit(i, text) {
                    add(None, b"", value);
                }
            }
            (ColumnKind::Category { .. }, Cell::Text(text)) if !text.is_empty() => add(Some(b'='), text, 1.0),
            (ColumnKind::Category { .. }, Cell::Number(number)) if !number.is_nan() => {
                add(Some(b'='), number.to_string().as_bytes(), 1.0);
            }
            (ColumnKind::Words { ngrams }, Cell::Text(text)) => {
                words_as_they_come(text, ngrams)?.iter().for_each(|word| add(Some(b':'), word.as_bytes(), 1.0));
            }
            (ColumnKind::Date { order }, Cell::Text(text)) if !is_missing(text) => {
                let [day, hour, month, weekday, year] = self.date(i, text, order)?.parts();
                for (part, value) in [year, day, month, weekday, hour].into_iter().flatten() {
                    add(Some(b':'), part.as_bytes(), value);
                }
            }
            _ => {}
        }
        Ok(features)
    }

    /// The number in a cell of column `i`, with its unit or without.
    #[inline]
    fn number(&self, i: usize, text: &[u8]) -> std::result::Result<f64, NotANumber> {
        let unit = self.columns[i].unit.as_deref();
        let with_unit = unit.and_then(|known| split_unit(text).filter(|(_, unit)| *unit == known));
        self.columns[i].decimal.parse(with_unit.map_or(text, |(number, _)| number))
    }

    /// Whether a text in a column of numbers says that there is none.
    #[cold]
    fn is_missing_number(&self, i: usize, text: &[u8]) -> bool {
        is_missing(text) || self.columns[i].knows_unknown && is_unknown(text)
    }

    /// What a text that says yes or no, in words or figures, is as a number.
    fn bit(&self, i: usize, text: &[u8]) -> Option<f64> {
        let number = || self.columns[i].decimal.parse(text).ok().filter(|number| *number == 0.0 || *number == 1.0);
        boolean(text).map(|value| f64::from(u8::from(value))).or_else(number)
    }

    /// Notes a cell that does not fit what the first rows made of its column.
    #[cold]
    fn note_late(&self, i: usize, text: &[u8], row: &mut RowBuilder) {
        if let (Origin::FirstRows | Origin::FilesBefore, Ok(text)) = (self.origin, std::str::from_utf8(text)) {
            row.late = Some(LateCell { column: self.columns[i].name.clone(), text: text.to_string() });
        }
    }

    #[cold]
    fn refused(&self, i: usize, what: &str) -> Message {
        let ColumnPlan { name, kind, is_told, .. } = &self.columns[i];
        let kind = kind.map_or(String::new(), |kind| kind.to_string());
        let (because, cure) = match self.origin {
            Origin::FirstRows | Origin::FilesBefore if *is_told => ("as was asked for", Cure::TakeElse),
            Origin::FirstRows => ("by its first rows", Cure::NameKind),
            Origin::FilesBefore => ("in the files before", Cure::NameKind),
            Origin::Model => ("in the model", Cure::SkipBadRows),
        };
        Message::from(format!("{what}; column '{}' is {kind} {because}", show(name))).and((cure, name.as_str()))
    }
}

/// The places of the columns of which somebody said what they hold.
fn told_places(columns: &[(String, Option<ColumnKind>)], options: &ColumnOptions) -> Vec<usize> {
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    options.kinds.iter().filter_map(|(name, _)| find(&names, name, Request::Column, "").ok()).collect()
}

/// How many values of a category have features.
fn values_of(place: usize, schema: &TableSchema, vocabulary: &Vocabulary) -> u32 {
    let Vocabulary::Named { names, .. } = vocabulary else { return 0 };
    let value = schema.values_in(place);
    let is_value = |name: &[u8]| value(name).is_some_and(|value| value != BLANK && value != OTHER.as_bytes());
    names.iter().filter(|name| is_value(name)).count() as u32
}

fn sample_weight(cell: Cell<'_>, column: &str) -> std::result::Result<f64, Message> {
    let column = show(column);
    let (weight, shown) = match cell {
        Cell::Missing | Cell::Text(b"") => return Err(format!("empty weight in column '{column}'").into()),
        Cell::Number(number) => (Ok(number), number.to_string()),
        Cell::Text(text) => (crate::data::number::parse(text).map_err(|reason| reason.explain(text)), excerpt(text)),
    };
    match weight {
        Ok(weight) if weight >= 0.0 && weight.is_finite() => Ok(weight),
        Ok(_) => Err(format!("weight {shown} in column '{column}' is negative").into()),
        Err(reason) => Err(format!("{reason}; column '{column}' holds the weights").into()),
    }
}
