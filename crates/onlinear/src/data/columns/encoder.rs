//! The features that become of a row of cells.

use super::cell::{Cell, boolean, is_missing};
use super::date::Date;
use super::words::for_each_ngram;
use super::{Column, ColumnKind, Decimal, Missing, Origin, TableSchema, show};
use crate::data::batch::Batch;
use crate::data::dataset::ColumnTally;
use crate::data::number::excerpt;
use crate::data::row_builder::{Fault, RowBuilder};
use crate::data::vocabulary::Vocabulary;
use crate::error::{Cure, Error, Message, Result};

/// What stands for all values of a category beyond the first so many, and for those never met.
const OTHER: &str = "(other)";
/// What stands for a value that is missing.
const BLANK: &[u8] = b"?";

/// Turns rows of cells into rows of features, by the columns of a file, which need not be those of the schema.
pub(crate) struct Encoder {
    columns: Vec<ColumnPlan>,
    decimal: Decimal,
    missing: Missing,
    interactions: Vec<(usize, usize)>,
    /// Why a column holds what it does, for messages.
    origin: Origin,
}

struct ColumnPlan {
    name: String,
    /// `None` if there is no use for it.
    kind: Option<ColumnKind>,
    /// Its place among the schema's columns.
    place_in_schema: Option<usize>,
    /// The place of the feature that a column of numbers is; none if the model does not know it.
    place: Option<u32>,
    /// How many values of a category have features.
    values: u32,
}

/// Columns of which every feature is a number.
pub(crate) struct NumberColumns {
    /// Each with the place of its feature; places rise.
    pub(crate) numbers: Vec<(usize, u32)>,
    /// That of the labels.
    pub(crate) label: Option<usize>,
}

impl Encoder {
    /// For a file with these columns, each with its place in the schema of `row`, if it has a use.
    pub(crate) fn new(
        columns: Vec<(String, Option<ColumnKind>)>,
        schema: &TableSchema,
        missing: Missing,
        origin: Origin,
        row: &mut RowBuilder,
        file: &str,
    ) -> Result<Encoder> {
        let in_schema = |name: &str| schema.columns.iter().position(|column| column.name == name);
        let mut plan = |(name, kind): (String, Option<ColumnKind>)| {
            let kind = kind.filter(|kind| !matches!(kind, ColumnKind::Unused(_)));
            let place = match kind {
                Some(ColumnKind::Number | ColumnKind::Boolean) => row.about.place(name.as_bytes(), row.room),
                _ => Ok(None),
            };
            let place = place.map_err(|message| Error::data(file, message))?;
            let values = match kind {
                Some(ColumnKind::Category { .. }) => values_of(&name, &row.about.vocabulary),
                _ => 0,
            };
            Ok(ColumnPlan { place_in_schema: in_schema(&name), place, values, kind, name })
        };
        let columns: Vec<ColumnPlan> = columns.into_iter().map(&mut plan).collect::<Result<_>>()?;
        let place_of = |at: usize| {
            let Column { name, .. } = &schema.columns[at];
            columns.iter().position(|column| column.name == *name)
        };
        let pairs = schema.interactions.iter().filter_map(|&(a, b)| Some((place_of(a)?, place_of(b)?)));
        let interactions = pairs.collect();
        row.about.columns.resize(schema.columns.len(), ColumnTally::default());
        Ok(Encoder { columns, decimal: schema.decimal, missing, interactions, origin })
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
                (None | Some(ColumnKind::Label), _) => {}
                (Some(ColumnKind::Number), Some(place)) => numbers.push((i, *place)),
                _ => return None,
            }
        }
        let is_plain = self.interactions.is_empty() && numbers.is_sorted_by(|(_, a), (_, b)| a < b);
        (is_plain && !numbers.is_empty()).then_some(NumberColumns { numbers, label })
    }

    /// Appends the row of these cells, which came from `line`, to `batch`.
    pub(crate) fn row<'a>(
        &mut self,
        cell: impl Fn(usize) -> Cell<'a>,
        line: u64,
        row: &mut RowBuilder,
        batch: &mut Batch,
    ) -> std::result::Result<(), Fault> {
        row.begin();
        let (mut label, mut weight) = (None, 1.0);
        let mut number_text = String::new();
        for i in 0..self.columns.len() {
            let Some(kind) = self.columns[i].kind else { continue };
            let cell = cell(i);
            match kind {
                ColumnKind::Label => match cell {
                    Cell::Missing | Cell::Text(b"") => {}
                    Cell::Text(text) => label = Some((i, text)),
                    Cell::Number(number) => number_text = number.to_string(),
                },
                ColumnKind::Weight => weight = sample_weight(cell, &self.columns[i].name).map_err(|m| (i, m))?,
                _ => self.add(i, kind, cell, row).map_err(|message| (i, message))?,
            }
        }
        for &(a, b) in &self.interactions {
            self.interact(a, cell(a), b, cell(b), row).map_err(|message| (a, message))?;
        }
        row.push_merged(batch).map_err(|message| (0, message))?;
        let label = label.or((!number_text.is_empty()).then_some((0, number_text.as_bytes())));
        row.end(label, weight, line, batch)
    }

    #[inline]
    fn add(
        &mut self,
        i: usize,
        kind: ColumnKind,
        cell: Cell<'_>,
        row: &mut RowBuilder,
    ) -> std::result::Result<(), Message> {
        match (kind, cell) {
            (ColumnKind::Number, Cell::Number(number)) if number.is_finite() => row.add(self.columns[i].place, number),
            (ColumnKind::Number, Cell::Text(text)) => match self.decimal.parse(text) {
                Ok(number) => row.add(self.columns[i].place, number),
                Err(_) if is_missing(text) => self.add_missing(i, row),
                Err(reason) => Err(self.refused(i, &reason.explain(text))),
            },
            (ColumnKind::Boolean, Cell::Text(text)) => match self.bit(text) {
                Some(value) => row.add(self.columns[i].place, value),
                None if is_missing(text) => self.add_missing(i, row),
                None => Err(self.refused(i, &format!("'{}' is neither yes nor no", excerpt(text)))),
            },
            (ColumnKind::Boolean, Cell::Number(number)) if number == 0.0 || number == 1.0 => {
                row.add(self.columns[i].place, number)
            }
            (ColumnKind::Category { most }, Cell::Text(text)) if !text.is_empty() => {
                self.add_category(i, most, text, row)
            }
            (ColumnKind::Category { most }, Cell::Number(number)) if !number.is_nan() => {
                self.add_category(i, most, number.to_string().as_bytes(), row)
            }
            (ColumnKind::Words { .. }, Cell::Text(text)) if !text.is_empty() => self.add_all(i, kind, cell, row),
            (ColumnKind::Date { .. }, Cell::Text(text)) if !is_missing(text) => self.add_all(i, kind, cell, row),
            // Days of eight digits.
            (ColumnKind::Date { .. }, Cell::Number(number)) if !number.is_nan() => {
                self.add_all(i, kind, Cell::Text(number.to_string().as_bytes()), row)
            }
            (_, Cell::Number(number)) if !number.is_nan() => {
                Err(self.refused(i, &format!("{number} was not expected")))
            }
            _ => self.add_missing(i, row),
        }
    }

    /// The feature of a value of a category.
    fn add_category(
        &mut self,
        i: usize,
        most: u32,
        text: &[u8],
        row: &mut RowBuilder,
    ) -> std::result::Result<(), Message> {
        let plan = &mut self.columns[i];
        set_name(&mut row.name, &plan.name, b'=', text);
        if let Vocabulary::Named { places, frozen, .. } = &row.about.vocabulary
            && !places.contains_key(row.name.as_slice())
        {
            if *frozen || plan.values >= most {
                if *frozen && let Some(tally) = plan.place_in_schema.map(|at| &mut row.about.columns[at]) {
                    tally.unseen += 1;
                }
                set_name(&mut row.name, &plan.name, b'=', OTHER.as_bytes());
            } else {
                plan.values += 1;
            }
        }
        row.add_named(1.0)
    }

    /// What stands for a value that is missing.
    #[cold]
    fn add_missing(&mut self, i: usize, row: &mut RowBuilder) -> std::result::Result<(), Message> {
        let plan = &self.columns[i];
        if self.missing == Missing::Refuse {
            let message = format!("empty cell in column '{}'", show(&plan.name));
            return Err(Message::from(message).and(Cure::FillMissing));
        }
        if let Some(tally) = plan.place_in_schema.map(|at| &mut row.about.columns[at]) {
            tally.missing += 1;
        }
        if self.missing.is_filled_later() {
            match plan.kind {
                Some(ColumnKind::Number | ColumnKind::Boolean) => row.add(plan.place, f64::NAN)?,
                Some(ColumnKind::Date { .. }) => {
                    for part in [&b"year"[..], b"day"] {
                        set_name(&mut row.name, &plan.name, b':', part);
                        row.add_named(f64::NAN)?;
                    }
                }
                _ => {}
            }
        }
        if self.missing == Missing::Indicator {
            set_name(&mut row.name, &plan.name, b'=', BLANK);
            row.add_named(1.0)?;
        }
        Ok(())
    }

    /// All features of a cell that has many.
    fn add_all(
        &self,
        i: usize,
        kind: ColumnKind,
        cell: Cell<'_>,
        row: &mut RowBuilder,
    ) -> std::result::Result<(), Message> {
        let mut features = self.features(i, kind, cell)?;
        // A word counts once, however often it stands there.
        features.sort_by(|a, b| a.0.cmp(&b.0));
        features.dedup_by(|a, b| a.0 == b.0);
        for (name, value) in features {
            row.name.clear();
            row.name.extend_from_slice(&name);
            row.add_named(value)?;
        }
        Ok(())
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
                row.add_named(v * w)?;
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
                if let Ok(number) = self.decimal.parse(text) {
                    add(None, b"", number);
                }
            }
            (ColumnKind::Boolean, Cell::Number(number)) if number.is_finite() => add(None, b"", number),
            (ColumnKind::Boolean, Cell::Text(text)) => {
                if let Some(value) = self.bit(text) {
                    add(None, b"", value);
                }
            }
            (ColumnKind::Category { .. }, Cell::Text(text)) if !text.is_empty() => add(Some(b'='), text, 1.0),
            (ColumnKind::Category { .. }, Cell::Number(number)) if !number.is_nan() => {
                add(Some(b'='), number.to_string().as_bytes(), 1.0);
            }
            (ColumnKind::Words { ngrams }, Cell::Text(text)) => {
                let text = std::str::from_utf8(text)
                    .map_err(|_| Message::from(format!("'{}' is not UTF-8", excerpt(text))).and(Cure::NameEncoding))?;
                for_each_ngram(text, usize::from(ngrams), |ngram| add(Some(b':'), ngram.as_bytes(), 1.0));
            }
            (ColumnKind::Date { order }, Cell::Text(text)) if !is_missing(text) => {
                let Some(date) = Date::parse(text, order) else {
                    let text = excerpt(text);
                    return Err(self.refused(i, &format!("'{text}' is not a date ({})", order.name())));
                };
                add(Some(b':'), b"year", date.year as f64);
                add(Some(b':'), b"day", date.number() as f64);
                add(Some(b':'), format!("month={}", date.month).as_bytes(), 1.0);
                add(Some(b':'), format!("weekday={}", date.weekday()).as_bytes(), 1.0);
                if let Some(hour) = date.hour {
                    add(Some(b':'), format!("hour={hour}").as_bytes(), 1.0);
                }
            }
            _ => {}
        }
        Ok(features)
    }

    /// What a text that says yes or no, in words or figures, is as a number.
    fn bit(&self, text: &[u8]) -> Option<f64> {
        let number = || self.decimal.parse(text).ok().filter(|number| *number == 0.0 || *number == 1.0);
        boolean(text).map(|value| f64::from(u8::from(value))).or_else(number)
    }

    #[cold]
    fn refused(&self, i: usize, what: &str) -> Message {
        let ColumnPlan { name, kind, .. } = &self.columns[i];
        let kind = kind.map_or(String::new(), |kind| kind.to_string());
        Message::from(format!("{what}; column '{}' is {kind} {}", show(name), self.origin.because()))
            .and(Cure::NameKind)
    }
}

fn set_name(name: &mut Vec<u8>, column: &str, divider: u8, rest: &[u8]) {
    name.clear();
    name.extend_from_slice(column.as_bytes());
    name.push(divider);
    name.extend_from_slice(rest);
}

/// How many values of a category have features.
fn values_of(column: &str, vocabulary: &Vocabulary) -> u32 {
    let Vocabulary::Named { places, .. } = vocabulary else { return 0 };
    let is_value = |name: &[u8]| {
        let value = name.strip_prefix(column.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| value != BLANK && value != OTHER.as_bytes())
    };
    places.keys().filter(|name| is_value(name)).count() as u32
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
