//! What a user may say about how data are to be read.

use std::path::Path;

use super::Format;
use crate::data::aliases::Aliases;
use crate::data::blocks::LONGEST_LINE;
use crate::data::columns::{ColumnOptions, Findings, Reading, TableSchema};
use crate::data::encoding::Encoding;
use crate::data::labels::{Classes, LabelChoice, LabelTable};
use crate::data::read_ahead::Stop;
use crate::data::vocabulary::Vocabulary;
use crate::error::Result;

/// Which labels rows must have not to be left out as wrong.
#[derive(Clone, Debug, Default)]
pub enum LabelsWanted {
    /// Any, or none.
    #[default]
    Any,
    /// Any, but there must be one.
    Some,
    /// That of one of these classes.
    Of(Classes),
}

impl LabelsWanted {
    /// Those to learn from in a file: of the classes that are chosen, or any.
    pub(crate) fn by(choice: &LabelChoice, file: &str) -> Result<LabelsWanted> {
        match &choice.labels {
            Some(_) => Ok(LabelsWanted::Of(Classes::decide(&LabelTable::default(), choice, file)?)),
            None => Ok(LabelsWanted::Some),
        }
    }
}

/// What a user may say about how data are to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, instead of telling it by content and name.
    pub format: Option<Format>,
    /// How text is encoded, instead of as UTF-8 or as a byte-order mark says.
    pub encoding: Option<Encoding>,
    /// Hash features into 2^bits places.
    pub hash: Option<u32>,
    /// The number of features; an index (or one name more) beyond it is refused.
    pub features: Option<usize>,
    /// Leave out rows that are wrong, instead of stopping.
    pub skip_bad_rows: bool,
    /// Which labels make a row wrong, where such rows are left out.
    pub labels: LabelsWanted,
    /// Labels that are read as others.
    pub aliases: Aliases,
    /// LIBSVM: indices count from 0, not from 1.
    pub zero_based: bool,
    /// The features of a model, to go on with; only these are read if it is frozen.
    pub vocabulary: Option<Vocabulary>,
    /// Tables: what their columns hold.
    pub columns: ColumnOptions,
    /// Tables: the columns a model was learned from, instead of guessing them.
    pub schema: Option<TableSchema>,
    /// Columns of tables whose cells are handed on beside the rows, by name or by number counting from 1; or keys
    /// beside the features of JSON lines.
    pub keep: Vec<String>,
    /// JSON rows of a table may all lack a key that its columns have: they come few at a time.
    pub rows_may_lack_keys: bool,
    /// Refuse what would take more memory than this: longer lines, more names of features, more labels.
    pub max_memory: Option<u64>,
    /// Ends a wait for a stream to go on; reading then fails with [`Error::Interrupted`](crate::Error::Interrupted).
    pub stop: Option<Stop>,
    /// Tables: what was found out when the data were read before.
    #[doc(hidden)]
    pub findings: Findings,
}

impl ReadOptions {
    /// How much memory names, and labels, may take.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.max_memory.unwrap_or(u64::MAX)
    }

    /// The longest line: it is held as text and as a row, in buffers that have grown by doubling.
    pub(crate) fn longest_line(&self) -> u64 {
        LONGEST_LINE.min(self.most_bytes() / 4)
    }

    /// What tells a reading of a file with these options from one in which its columns could seem to hold other things.
    pub(crate) fn reading(&self, path: &Path) -> Reading {
        let ReadOptions { format, encoding, skip_bad_rows, columns, .. } = self;
        let others = format!("{format:?} {encoding:?} {skip_bad_rows} {}", self.longest_line());
        Reading { path: path.to_path_buf(), columns: columns.clone(), others }
    }

    /// A text that differs where a difference in the options could mean other rows.
    pub(crate) fn key(&self) -> String {
        let ReadOptions { format, encoding, hash, features, skip_bad_rows, labels, vocabulary, .. } = self;
        let (columns, aliases, zero_based) = (&self.columns, &self.aliases, self.zero_based);
        let names = vocabulary.as_ref().map(Vocabulary::key);
        let schema = self.schema.as_ref().map(TableSchema::to_json);
        format!(
            "{format:?} {encoding:?} {hash:?} {features:?} {skip_bad_rows} {labels:?} {names:?} {columns:?} \
             {schema:?} {aliases:?} {zero_based}"
        )
    }
}
