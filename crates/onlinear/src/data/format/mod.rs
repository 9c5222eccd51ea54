//! Which reader a file needs, and what all readers have in common.

mod opening;
mod options;
mod reader;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt;
use std::str::FromStr;

pub(crate) use opening::{Opening, is_judged_anew, open_one};
pub use opening::{files, is_table, open};
pub(crate) use options::LabelsWanted;
pub use options::ReadOptions;
pub(crate) use reader::{DraftSource, Reader, RowSource};

use super::detect::Peeked;
use super::lookup::Lookup;
#[cfg(feature = "parquet")]
use super::parquet;
use super::vocabulary::Vocabulary;
use super::{csv, idx, jsonl, libsvm, vw};
use crate::error::{Error, Result};
use crate::spec::did_you_mean;

/// How the content of a format is told.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// By its first bytes, whatever the file is called: it is no text.
    Magic(fn(&[u8]) -> bool),
    /// By the first line that is neither blank nor a comment, where the file's name says nothing.
    Line(fn(&[u8]) -> bool),
}

/// What the rows of a file are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowShape {
    /// Features have numbers.
    Numbered,
    /// Features have names of their own.
    Named,
    /// Rows have the cells of a table, whose columns name the features.
    Table,
}

/// What is known of rows before they are read.
pub(crate) struct KnownRows<'a> {
    /// The features of a model, or of the files before.
    pub(crate) vocabulary: Option<&'a Vocabulary>,
    /// Whether they must be those of a table.
    pub(crate) is_table: bool,
    /// Whether they go on with others that are not.
    pub(crate) goes_on: bool,
}

impl<'a> KnownRows<'a> {
    fn of(options: &'a ReadOptions, before: Option<&'a Lookup>) -> KnownRows<'a> {
        let has_columns = options.schema.is_some() || options.columns.label.is_some();
        let vocabulary = before.map(|lookup| &lookup.about.vocabulary).or(options.vocabulary.as_ref());
        let of_table = before.map(|lookup| lookup.about.csv.is_some());
        KnownRows { vocabulary, is_table: has_columns || of_table == Some(true), goes_on: of_table == Some(false) }
    }
}

/// A format that can be read: all there is to know about it, beside its reader's code. Adding one means adding its file
/// and its place in [`Format::ALL`].
#[derive(Clone, Copy)]
pub struct Format {
    /// What a user may call it; the first is its name.
    pub(crate) names: &'static [&'static str],
    /// How names of its files end, packed or not.
    pub(crate) endings: &'static [&'static str],
    /// How its content is told.
    pub(crate) content: Content,
    /// What its rows are like, which the first line that says something may tell, or what is known beforehand.
    pub(crate) shape: fn(&[u8], &KnownRows<'_>) -> RowShape,
    /// A reader of it.
    pub(crate) open: fn(Opening<'_>, Peeked) -> Result<Box<dyn Reader>>,
}

impl Format {
    /// Every format, in the order in which lists show them and content is looked at; text that none claims is the
    /// first's.
    pub const ALL: &[Format] = &[
        libsvm::FORMAT,
        jsonl::FORMAT,
        csv::FORMAT,
        vw::FORMAT,
        idx::FORMAT,
        #[cfg(feature = "parquet")]
        parquet::FORMAT,
    ];

    /// What a user may call a format.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Format::ALL.iter().flat_map(|format| format.names).copied()
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.names[0]
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        Format::ALL.iter().copied().find(|format| format.names.contains(&text)).ok_or_else(|| {
            let names: Vec<&str> = Format::names().collect();
            let (known, near) = (names.join(", "), did_you_mean(text, &names));
            Error::usage(format!("unknown format '{text}'; the formats are {known}{near}"))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::read_files;
    use super::*;

    #[test]
    fn formats_are_parsed_by_name_and_print_it() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().expect("its own name"), *format);
        }
        assert_eq!("svmlight".parse::<Format>().expect("an alias"), libsvm::FORMAT);
        let error = "libsv".parse::<Format>().expect_err("no such format");
        assert!(error.is_usage());
        assert!(error.to_string().contains("did you mean 'libsvm'?"), "{error}");
    }

    #[test]
    fn rows_before_an_error_are_handed_over_first() {
        let outcome = read_files(&[("a.svm", b"1 1:1\n-1 2:1\n1 x\n1 1:1\n")], &ReadOptions::default());
        assert_eq!(outcome.short(), ["1: 1=1", "-1: 2=1"]);
        assert_eq!(outcome.error.as_deref(), Some("FILE:3:3: expected index:value, found 'x'"));
    }

    #[test]
    fn bad_rows_are_skipped_and_told_of_and_leave_no_label() {
        let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
        let outcome = read_files(&[("a.svm", b"1 1:1\nheader x\n1 2:1\n")], &options);
        assert_eq!(outcome.short(), ["1: 1=1", "1: 2=1"]);
        assert_eq!(outcome.bad, ["FILE:2:8: expected index:value, found 'x'"]);
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.labels, ["1"]);
    }

    #[test]
    fn a_model_says_which_features_can_be_read() {
        let indexed = ReadOptions { vocabulary: Some(Vocabulary::INDEXED), ..Default::default() };
        let error = read_files(&[("a.vw", b"1 | a\n")], &indexed).error;
        assert_eq!(error.as_deref(), Some("FILE: has named features, but the model was learned from numbered ones"));
        let named = ReadOptions { vocabulary: Some(Vocabulary::named()), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1\n")], &named).error;
        assert_eq!(error.as_deref(), Some("FILE: has numbered features, but the model was learned from named ones"));
        let hash = ReadOptions { hash: Some(0), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1\n")], &hash).error;
        assert_eq!(error.as_deref(), Some("hashing into 2^0 places; the bits must be 1 to 31"));
    }

    #[test]
    fn values_that_add_up_to_infinity_are_refused() {
        let hash = ReadOptions { hash: Some(1), ..Default::default() };
        let error = read_files(&[("a.svm", b"1 1:1e308 2:1e308 3:1e308\n")], &hash).error.expect("an overflow");
        assert!(error.contains("add up"), "{error}");
    }
}
