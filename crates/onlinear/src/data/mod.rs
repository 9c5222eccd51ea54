//! Data in: readers that stream, lend rows and never hold a file.

mod aliases;
mod batch;
mod block;
mod blocks;
mod cache;
mod chain;
mod columns;
mod csv;
mod dataset;
mod dense;
mod detect;
mod encoding;
mod foreign;
mod format;
mod frame;
mod idx;
mod input;
mod jsonl;
mod labels;
mod libsvm;
mod lookup;
mod names;
mod number;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
mod read_ahead;
mod replacement;
mod row_builder;
pub mod synthetic;
mod table;
mod text;
mod vocabulary;
mod vw;

pub use aliases::Aliases;
pub use batch::Batch;
pub use columns::{ColumnKind, ColumnOptions, Decimal, Leaving, Missing, TableSchema, day_text, moment_text};
pub use dataset::{About, ColumnTally, Dataset, Entry, Keep};
pub use encoding::Encoding;
pub use format::{Format, ReadOptions, files, is_table, open};
pub use frame::{Frame, FrameColumn, Texts};
pub use input::{Input, Meter, unpacked};
pub use labels::{Classes, Classifier, LabelChoice, LabelId, LabelTable, NO_LABEL, Rule as LabelRule};
pub use order::Order;
pub use read_ahead::Stop;
pub use replacement::{Replacement, destination, folder_of, is_stream};
pub use table::Table;
pub use vocabulary::UnseenFeatures;
pub use vocabulary::Vocabulary;

pub(crate) use dataset::missing_label;
pub(crate) use format::{LabelsWanted, Reader, open_one};
pub(crate) use lookup::{Lookup, Mark};
pub(crate) use table::ROWS_AHEAD;
pub(crate) use text::TextWork;
pub(crate) use vocabulary::MOST_FEATURES;
