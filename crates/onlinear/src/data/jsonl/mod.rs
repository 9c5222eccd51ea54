//! JSON lines: an object to a line, of one of two shapes.
//!
//! `{"label": …, "weight": …, "id": …, "features": {"name": number or text, …}}` is a row like one of VW text. Any
//! other object is a row of a table, its keys the names of columns. Values of objects within objects are called `a.b`.

mod object;
mod table;

use object::{Scalar, Walker, no_array};

use super::batch::Batch;
use super::detect::Peeked;
use super::format::{Content, Format, KnownRows, Opening, Reader, RowShape};
use super::number::{self, excerpt};
use super::row_builder::{Fault, FeatureKind, RowBuilder};
use super::vocabulary::{MOST_FEATURES, Vocabulary};
use crate::error::{Message, Result};

/// The declaration.
pub(crate) const FORMAT: Format = Format {
    names: &["jsonl", "ndjson", "json"],
    endings: &["jsonl", "ndjson", "json"],
    content: Content::Line(|line| line.trim_ascii_start().starts_with(b"{")),
    shape,
    open,
};

/// What the keys of features begin with when the object around them has been walked through.
const FEATURES: &[u8] = b"features.";

/// A table, where there are columns by what is known beforehand or no features of their own; numbered features where
/// all that the first row has are so.
fn shape(line: &[u8], known: &KnownRows<'_>) -> RowShape {
    if known.is_table {
        return RowShape::Table;
    }
    let is_indexed = matches!(known.vocabulary, Some(Vocabulary::Indexed { .. }));
    // What is wrong with a row among others is told with its place.
    if known.goes_on {
        return if is_indexed { RowShape::Numbered } else { RowShape::Named };
    }
    let line = [line, b"\n"].concat(); // the last may have none
    let (mut is_row, mut features, mut names) = (false, 0, 0);
    let _ = Walker::default().walk(&line, &mut |key, value, _| {
        is_row |= key == b"features" && value == Scalar::Null;
        if let Some(name) = key.strip_prefix(FEATURES) {
            features += 1;
            names += usize::from(
                index(name).is_none() || !matches!(value, Scalar::Number(_) | Scalar::Boolean(_) | Scalar::Null),
            );
        }
        Ok(())
    });
    let is_named = matches!(known.vocabulary, Some(Vocabulary::Named { .. }));
    match (features, names) {
        (0, _) if !is_row => RowShape::Table,
        (1.., 0) if !is_named => RowShape::Numbered,
        _ if is_indexed && names == 0 => RowShape::Numbered,
        _ => RowShape::Named,
    }
}

fn open(opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    if opening.shape == RowShape::Table {
        return table::open(opening, bytes);
    }
    let keep: Vec<Vec<u8>> = opening.options.keep.iter().map(|key| key.clone().into_bytes()).collect();
    let mut walker = Walker::default();
    opening.lines(bytes, move |row, line, number, batch| parse(&mut walker, &keep, row, line, number, batch))
}

/// The index that a key is: a whole number from 1 on, written in the shortest way.
fn index(key: &[u8]) -> Option<u32> {
    let digits = Some(key).filter(|key| key.iter().all(u8::is_ascii_digit) && !key.starts_with(b"0"))?;
    let index: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (1..=MOST_FEATURES as u64).contains(&index).then_some(index as u32)
}

/// What a row has besides its features.
struct RowHead {
    label: Vec<u8>,
    label_at: usize,
    weight: f64,
    /// The largest index.
    most: u32,
    /// Whether it has any features, or says that there are none.
    has_features: bool,
    /// The values that are handed on.
    kept: Vec<String>,
}

fn parse(
    walker: &mut Walker,
    keep: &[Vec<u8>],
    row: &mut RowBuilder,
    line: &[u8],
    number: u64,
    batch: &mut Batch,
) -> std::result::Result<usize, Fault> {
    let kept = vec![String::new(); keep.len()];
    let mut head = RowHead { label: Vec::new(), label_at: 0, weight: 1.0, most: 0, has_features: false, kept };
    row.begin();
    let end = walker.walk(line, &mut |key, value, at| match key.strip_prefix(FEATURES) {
        Some(name) => {
            head.has_features = true;
            feature(row, name, value, at, &mut head).map_err(|message| (at, message))
        }
        None => {
            if let Some(place) = keep.iter().position(|kept| kept == key) {
                head.kept[place] = String::from_utf8_lossy(value.text().unwrap_or_default()).into_owned();
            }
            match key {
                b"label" | b"weight" | b"features" if matches!(value, Scalar::Array(_)) => {
                    return Err((at, no_array(key)));
                }
                b"label" => {
                    if let Some(text) = value.text() {
                        if !head.label.is_empty() {
                            return Err((at, "the row has two labels".into()));
                        }
                        head.label.extend_from_slice(text);
                        head.label_at = at;
                    }
                }
                b"features" => head.has_features = true,
                b"weight" => head.weight = weight(value).map_err(|message| (at, message))?,
                _ => {}
            }
            Ok(())
        }
    })?;
    let Some(end) = end else { return Ok(0) }; // a blank line
    if !head.has_features {
        return Err((0, "expected \"features\", as the rows before have them".into()));
    }
    row.push_merged(0, batch)?;
    let label = Some((head.label_at, &head.label[..])).filter(|(_, label)| !label.is_empty());
    row.end(label, head.weight, number, batch)?;
    batch.kept.append(&mut head.kept);
    row.note_index(head.most as usize);
    Ok(end)
}

/// Adds the feature of this name.
fn feature(
    row: &mut RowBuilder,
    name: &[u8],
    value: Scalar<'_>,
    at: usize,
    head: &mut RowHead,
) -> std::result::Result<(), Message> {
    let number = match value {
        Scalar::Null => return Ok(()),
        Scalar::Boolean(value) => Some(f64::from(u8::from(value))),
        Scalar::Number(text) => Some(number::parse(text).map_err(|reason| reason.explain(text))?),
        Scalar::Text(_) => None,
        Scalar::Array(_) => return Err(no_array(&[FEATURES, name].concat())),
    };
    if let FeatureKind::Indexed { first } = row.kind {
        let (Some(number), Some(index)) = (number, index(name)) else {
            let name = excerpt(name);
            return Err(format!("feature '{name}' has a name or a text, where others have numbers from 1 on").into());
        };
        let index = index + 1 - first;
        if index as usize > row.room.features {
            return Err(format!("index {index} is beyond the {} features declared", row.room.features).into());
        }
        head.most = head.most.max(index);
        return row.add(Some(index - 1), number);
    }
    row.name.clear();
    row.name.extend_from_slice(name);
    match (number, value.text()) {
        (Some(number), _) => row.add_named(number, at),
        (None, Some(text)) => {
            row.name.push(b'=');
            row.name.extend_from_slice(text);
            row.add_named(1.0, at)
        }
        (None, None) => Ok(()),
    }
}

fn weight(value: Scalar<'_>) -> std::result::Result<f64, Message> {
    match value {
        Scalar::Null => Ok(1.0),
        Scalar::Number(text) => match number::parse(text) {
            Ok(weight) if weight >= 0.0 => Ok(weight),
            Ok(_) => Err(format!("weight {} is negative", excerpt(text)).into()),
            Err(reason) => Err(reason.explain(text).into()),
        },
        other => Err(format!("the weight '{}' is not a number", excerpt(other.text().unwrap_or_default())).into()),
    }
}

#[cfg(test)]
mod tests;
