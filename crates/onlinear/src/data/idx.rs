//! idx files, the format of MNIST: `0 0 TYPE DIMENSIONS`, the sizes as big-endian 32-bit numbers,
//! then the values. The first size counts the rows, the others make up a row.
//!
//! Labels are in a file of their own: beside `train-images-idx3-ubyte` it is
//! `train-labels-idx1-ubyte`.

use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batch::Batch;
use super::blocks::unreadable;
use super::detect::Peeked;
use super::format::{Content, Format, Opening, Reader, RowShape, RowSource};
use super::input::{Input, Meter};
use super::labels::LabelTable;
use super::read_ahead::is_stop;
use super::row_builder::RowBuilder;
use super::vocabulary::{MOST_FEATURES, Vocabulary};
use crate::error::{Error, Message, Place, Result};

/// How many bytes the magic number has.
pub(crate) const MAGIC: usize = 4;
/// How much is read at a time.
const BLOCK: usize = 256 * 1024;
/// A row of more bytes than this is not one.
const LONGEST_ROW: usize = 1 << 28;
/// What a value that is not 0 takes in a row, whose arrays have grown by doubling.
const COMPONENT_BYTES: usize = 24;
/// A row of so many bytes fits in any memory.
const LEAST_ROW: u64 = 1 << 20;

/// The declaration.
pub(crate) const FORMAT: Format =
    Format { names: &["idx"], endings: &[], content: Content::Magic(is_magic), shape: |_, _| RowShape::Numbered, open };

/// Whether the bytes start as an idx file does.
fn is_magic(start: &[u8]) -> bool {
    matches!(start, [0, 0, kind, dimensions, ..] if IdxKind::of(*kind).is_some() && *dimensions > 0)
}

/// The type of the values.
#[derive(Clone, Copy, Debug)]
enum IdxKind {
    U8,
    I8,
    I16,
    I32,
    F32,
    F64,
}

impl IdxKind {
    fn of(byte: u8) -> Option<IdxKind> {
        Some(match byte {
            0x08 => IdxKind::U8,
            0x09 => IdxKind::I8,
            0x0b => IdxKind::I16,
            0x0c => IdxKind::I32,
            0x0d => IdxKind::F32,
            0x0e => IdxKind::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            IdxKind::U8 | IdxKind::I8 => 1,
            IdxKind::I16 => 2,
            IdxKind::I32 | IdxKind::F32 => 4,
            IdxKind::F64 => 8,
        }
    }
}

/// Calls `f` with the place and value of each value that is not 0; gives the first that is not finite instead.
fn for_each_non_zero<const N: usize>(
    bytes: &[u8],
    value: impl Fn([u8; N]) -> f64,
    mut f: impl FnMut(usize, f64),
) -> Option<(usize, f64)> {
    for (i, &chunk) in bytes.as_chunks::<N>().0.iter().enumerate() {
        let value = value(chunk);
        if value != 0.0 {
            if !value.is_finite() {
                return Some((i, value));
            }
            f(i, value);
        }
    }
    None
}

/// One idx file, a row at a time.
struct IdxValues {
    bytes: BufReader<Box<dyn Read + Send>>,
    name: Arc<str>,
    kind: IdxKind,
    dimensions: usize,
    rows: u64,
    /// IdxValues in a row.
    width: usize,
    /// The row at hand, counting from 1.
    row: u64,
    row_bytes: Vec<u8>,
}

impl IdxValues {
    fn open(bytes: Box<dyn Read + Send>, name: Arc<str>, most_bytes: u64) -> Result<IdxValues> {
        let mut bytes = BufReader::with_capacity(BLOCK, bytes);
        let magic = word(&mut bytes, &name)?;
        let refuse = |message: String| Err(Error::data(&name, message));
        let [0, 0, kind, dimensions] = magic else {
            return refuse("is not an idx file, which starts with two bytes 0".to_string());
        };
        let Some(kind) = IdxKind::of(kind) else {
            return refuse(format!("is not an idx file: there is no type of value {kind:#04x}"));
        };
        if dimensions == 0 {
            return refuse("has no dimensions".to_string());
        }
        let rows = u64::from(u32::from_be_bytes(word(&mut bytes, &name)?));
        let mut width = Some(1usize);
        for _ in 1..dimensions {
            let size = u32::from_be_bytes(word(&mut bytes, &name)?) as usize;
            width = width.and_then(|width| width.checked_mul(size));
        }
        let row_size = width.and_then(|width| width.checked_mul(kind.size()));
        match (width, row_size) {
            (Some(0), _) => refuse("has rows without values".to_string()),
            (Some(width), Some(size @ ..=LONGEST_ROW)) if width <= MOST_FEATURES => {
                let bytes_of_row = (2 * size + COMPONENT_BYTES * width) as u64;
                if bytes_of_row > most_bytes.max(LEAST_ROW) {
                    let need = format!("{name}: rows of {width} values need {}", crate::error::size(bytes_of_row));
                    return Err(Error::Memory(Message::beyond_memory(need)));
                }
                let dimensions = dimensions.into();
                Ok(IdxValues { bytes, name, kind, dimensions, rows, width, row: 0, row_bytes: Vec::new() })
            }
            _ => refuse(format!("has rows of more than {LONGEST_ROW} bytes")),
        }
    }

    /// Goes on to the next row; false at the end.
    fn fetch(&mut self) -> Result<bool> {
        let size = if self.row == self.rows { 1 } else { self.width * self.kind.size() };
        self.row_bytes.clear();
        let result = (&mut self.bytes).take(size as u64).read_to_end(&mut self.row_bytes);
        let read = self.row_bytes.len() / self.kind.size();
        if let Err(error) = result {
            if is_stop(&error) {
                return Err(Error::Interrupted);
            }
            return Err(self.refuse(self.row + 1, read, unreadable(&error)));
        }
        if self.row == self.rows {
            return match self.row_bytes.len() {
                0 => Ok(false),
                _ => {
                    Err(self.refuse(self.rows + 1, 0, format!("there are bytes behind the last of {} rows", self.rows)))
                }
            };
        }
        if self.row_bytes.len() < size {
            let message = format!("the data end here; there should be {} rows of {} values", self.rows, self.width);
            return Err(self.refuse(self.row + 1, read, message));
        }
        self.row += 1;
        Ok(true)
    }

    /// An error at a row counting from 1 and a value counting from 0.
    fn refuse(&self, row: u64, value: usize, message: impl Into<Message>) -> Error {
        Error::row(Place { file: self.name.clone(), line: row, column: value as u64 + 1 }, message)
    }

    /// Calls `f` with the place and value of each value of the row that is not 0; refuses those that
    /// are not finite.
    fn for_each_non_zero(&self, f: impl FnMut(usize, f64)) -> Result<()> {
        let bytes = &self.row_bytes;
        let wrong = match self.kind {
            IdxKind::U8 => for_each_non_zero(bytes, |[b]: [u8; 1]| b.into(), f),
            IdxKind::I8 => for_each_non_zero(bytes, |b| i8::from_be_bytes(b).into(), f),
            IdxKind::I16 => for_each_non_zero(bytes, |b| i16::from_be_bytes(b).into(), f),
            IdxKind::I32 => for_each_non_zero(bytes, |b| i32::from_be_bytes(b).into(), f),
            IdxKind::F32 => for_each_non_zero(bytes, |b| f32::from_be_bytes(b).into(), f),
            IdxKind::F64 => for_each_non_zero(bytes, f64::from_be_bytes, f),
        };
        match wrong {
            Some((i, value)) => Err(self.refuse(self.row, i, format!("{value} is not a finite number"))),
            None => Ok(()),
        }
    }
}

fn word(bytes: &mut impl Read, file: &str) -> Result<[u8; 4]> {
    let mut word = [0; 4];
    bytes.read_exact(&mut word).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => Error::data(file, "ends within its idx header"),
        _ if is_stop(&error) => Error::Interrupted,
        _ => Error::data(file, unreadable(&error)),
    })?;
    Ok(word)
}

pub(crate) struct Idx {
    values: IdxValues,
    /// The labels, one to a row.
    answers: Option<IdxValues>,
}

fn open(mut opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let about = &mut opening.lookup.about;
    let values = IdxValues::open(Box::new(bytes), opening.input.name(), opening.options.most_bytes())?;
    if let Some(declared) = opening.options.features.filter(|&declared| declared < values.width) {
        let message = format!("has {} features, but {declared} were declared", values.width);
        return Err(Error::data(&values.name, message));
    }
    if matches!(about.vocabulary, Vocabulary::Indexed { .. }) {
        about.features = values.width;
    }
    // Numbers that are classes fit in any memory.
    about.labels = LabelTable::default();
    let answers = opening.input.path().and_then(label_file).map(|path| open_labels(path, &values)).transpose()?;
    Ok(opening.reader(Idx { values, answers }))
}

fn open_labels(path: PathBuf, values: &IdxValues) -> Result<IdxValues> {
    let input = Input::File(path);
    let answers = IdxValues::open(input.open(None, &Meter::of(&input))?, input.name(), u64::MAX)?;
    if answers.dimensions != 1 {
        let message = format!("has {} dimensions; a file of labels has one", answers.dimensions);
        return Err(Error::data(&answers.name, message));
    }
    if answers.rows != values.rows {
        let message = format!("has {} labels, but {} has {} rows", answers.rows, values.name, values.rows);
        return Err(Error::data(&answers.name, message));
    }
    Ok(answers)
}

/// The file of labels beside a file of images, packed or not, if there is one.
pub(crate) fn label_file(images: &Path) -> Option<PathBuf> {
    let name = images.file_name()?.to_str()?;
    let labels = name.replace("images", "labels").replace("idx3", "idx1");
    if labels == name {
        return None;
    }
    let plain = labels.strip_suffix(".gz").or(labels.strip_suffix(".zst")).unwrap_or(&labels);
    let names = [labels.clone(), plain.to_string(), format!("{plain}.gz"), format!("{plain}.zst")];
    names.iter().map(|name| images.with_file_name(name)).find(|path| path.is_file())
}

impl RowSource for Idx {
    fn is_at_hand(&self) -> bool {
        // Nobody types such a file, so a full batch may be waited for.
        self.values.row < self.values.rows
    }

    fn fetch(&mut self) -> Result<bool> {
        let more = self.values.fetch()?;
        if let Some(answers) = &mut self.answers {
            answers.fetch()?;
        }
        Ok(more)
    }

    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        let Idx { values, answers } = self;
        values.for_each_non_zero(|i, value| batch.rows.push(i as u32, value))?;
        row.hash_indices(batch).map_err(|message| values.refuse(values.row, 0, message))?;
        let Some(answers) = answers else {
            let ended = row.end(None, 1.0, values.row, batch);
            return ended.map_err(|(_, message)| values.refuse(values.row, 0, message));
        };
        let mut label = 0.0;
        answers.for_each_non_zero(|_, value| label = value)?;
        let ended = row.end(Some((0, label.to_string().as_bytes())), 1.0, values.row, batch);
        ended.map_err(|(_, message)| answers.refuse(answers.row, 0, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ReadOptions;
    use crate::data::format::testing::{RowOutcome, read_files};
    use proptest::prelude::*;

    fn idx(kind: u8, sizes: &[u32], values: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, kind, sizes.len() as u8];
        bytes.extend(sizes.iter().flat_map(|size| size.to_be_bytes()));
        bytes.extend_from_slice(values);
        bytes
    }

    fn read_with(bytes: &[u8], options: &ReadOptions) -> RowOutcome {
        read_files(&[("data", bytes)], options)
    }

    fn read(bytes: &[u8]) -> RowOutcome {
        read_with(bytes, &ReadOptions::default())
    }

    #[test]
    fn all_types_are_read_and_zeros_left_out() {
        let big = |values: [f64; 4]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
        for (kind, values, expected) in [
            (0x08, vec![0, 255, 1, 0], ["?: 2=255", "?: 1=1"]),
            (0x09, vec![0, 255, 1, 0], ["?: 2=-1", "?: 1=1"]),
            (0x0b, vec![0, 0, 1, 0, 255, 255, 0, 0], ["?: 2=256", "?: 1=-1"]),
            (0x0c, [0, 7, -70000, 0i32].iter().flat_map(|v| v.to_be_bytes()).collect(), ["?: 2=7", "?: 1=-70000"]),
            (0x0d, [0.0, 0.5, -2.0, -0.0f32].iter().flat_map(|v| v.to_be_bytes()).collect(), ["?: 2=0.5", "?: 1=-2"]),
            (0x0e, big([0.0, 0.1, -1e3, -0.0]), ["?: 2=0.1", "?: 1=-1000"]),
        ] {
            let seen = read(&idx(kind, &[2, 1, 2], &values));
            assert_eq!((seen.error.as_deref(), seen.features, seen.format), (None, 2, Some(FORMAT)));
            assert_eq!(seen.short(), expected);
        }
    }

    #[test]
    fn labels_are_read_from_beside() {
        let images = idx(8, &[3, 1, 1], &[5, 0, 7]);
        let labels = idx(8, &[3], &[9, 0, 9]);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &labels).expect("in memory");
        let packed = packed.finish().expect("in memory");
        for (images_name, labels_name, bytes) in [
            ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", &labels),
            ("t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte", &labels),
            ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte", &labels),
            ("train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz", &packed),
            ("images", "labels", &labels),
        ] {
            let seen = read_files(&[(images_name, &images), (labels_name, bytes)], &ReadOptions::default());
            assert_eq!(seen.short(), ["9: 1=5", "0:", "9: 1=7"], "{images_name}");
        }
        assert_eq!(read_files(&[("images", &images)], &ReadOptions::default()).short(), ["?: 1=5", "?:", "?: 1=7"]);
    }

    #[test]
    fn labels_that_do_not_fit_are_refused() {
        let images = idx(8, &[2, 1], &[5, 0]);
        for (labels, message) in [
            (idx(8, &[3], &[1, 2, 3]), "labels: has 3 labels, but FILE has 2 rows"),
            (idx(8, &[2, 1], &[1, 2]), "labels: has 2 dimensions; a file of labels has one"),
            (idx(8, &[2], &[1]), "labels:2:1: the data end here; there should be 2 rows of 1 values"),
            (idx(8, &[2], &[1, 2, 3]), "labels:3:1: there are bytes behind the last of 2 rows"),
            (idx(13, &[2], &[0x7f, 0xc0, 0, 0, 0, 0, 0, 0]), "labels:1:1: NaN is not a finite number"),
            (b"1\n2\n".to_vec(), "labels: is not an idx file, which starts with two bytes 0"),
        ] {
            let error = read_files(&[("images", &images), ("labels", &labels)], &ReadOptions::default()).error;
            assert!(error.as_ref().is_some_and(|error| error.ends_with(message)), "{error:?} {message}");
        }
    }

    #[test]
    fn every_error_has_its_place() {
        let nan = f32::NAN.to_be_bytes();
        for (bytes, rows, message) in [
            (idx(8, &[2, 3], &[1, 2, 3, 4]), 1, ":2:2: the data end here; there should be 2 rows of 3 values"),
            (idx(8, &[2, 3], &[1, 2, 3]), 1, ":2:1: the data end here; there should be 2 rows of 3 values"),
            (idx(8, &[1, 3], &[1, 2, 3, 4]), 1, ":2:1: there are bytes behind the last of 1 rows"),
            (idx(13, &[1, 2], &[[0; 4], nan].concat()), 0, ":1:2: NaN is not a finite number"),
            (idx(8, &[1, 0], &[]), 0, ": has rows without values"),
            (idx(8, &[1, u32::MAX, u32::MAX, u32::MAX], &[]), 0, ": has rows of more than 268435456 bytes"),
            (idx(14, &[1, 1 << 26], &[]), 0, ": has rows of more than 268435456 bytes"),
            (idx(8, &[1, 2], &[])[..7].to_vec(), 0, ": ends within its idx header"),
        ] {
            let seen = read(&bytes);
            assert_eq!((seen.error, seen.rows.len()), (Some(format!("FILE{message}")), rows));
        }
        let told = ReadOptions { format: Some(FORMAT), ..Default::default() };
        for (bytes, message) in [
            (idx(10, &[1], &[0]), "is not an idx file: there is no type of value 0x0a"),
            (idx(8, &[], &[]), "has no dimensions"),
            (b"1 1:1\n".to_vec(), "is not an idx file, which starts with two bytes 0"),
        ] {
            assert_eq!(read_with(&bytes, &told).error, Some(format!("FILE: {message}")));
        }
        let error = read(&idx(10, &[1], &[0])).error;
        assert_eq!(error.as_deref(), Some("FILE: is neither text nor idx: its first line holds a byte 0"));
    }

    #[test]
    fn bad_rows_can_be_skipped() {
        let bytes: Vec<u8> = [1.0, f32::INFINITY, 2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
        let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
        let seen = read_with(&idx(13, &[3], &bytes), &options);
        assert_eq!(seen.short(), ["?: 1=1", "?: 1=2"]);
        assert_eq!((seen.bad, seen.error), (vec!["FILE:2:1: inf is not a finite number".to_string()], None));
    }

    #[test]
    fn features_are_hashed_as_in_libsvm_text_and_counted() {
        let options = ReadOptions { hash: Some(20), ..Default::default() };
        let seen = read_with(&idx(8, &[1, 3], &[5, 0, 7]), &options);
        let text = read_files(&[("a.svm", b"1 1:5 3:7\n")], &options);
        assert_eq!(seen.rows[0].features, text.rows[0].features);
        let options = ReadOptions { features: Some(2), ..Default::default() };
        let error = read_with(&idx(8, &[1, 3], &[5, 0, 7]), &options).error;
        assert_eq!(error.as_deref(), Some("FILE: has 3 features, but 2 were declared"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_cut_file_gives_its_whole_rows_and_an_error(
            rows in 1u32..4000,
            width in 1u32..9,
            cut in any::<prop::sample::Index>(),
        ) {
            let values: Vec<u8> = (0..rows * width).map(|i| (i % 251) as u8).collect();
            let cut = cut.index(values.len());
            let seen = read(&idx(8, &[rows, width], &values[..cut]));
            prop_assert_eq!(seen.rows.len(), cut / width as usize);
            prop_assert!(seen.error.is_some());
            prop_assert_eq!(read(&idx(8, &[rows, width], &values)).rows.len(), rows as usize);
        }

        #[test]
        fn nothing_panics(kind in 0u8..16, head in prop::collection::vec(any::<u8>(), 0..40)) {
            let options = ReadOptions { format: Some(FORMAT), ..Default::default() };
            read_with(&[&[0, 0, kind][..], &head].concat(), &options);
        }
    }
}
