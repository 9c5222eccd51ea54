//! A table, read a few rows at a time.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
    ParquetStatisticsPolicy, RowGroupMetaData,
};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::cells::{self, Cells};
use crate::column::{Column, columns};
use crate::pages::CheckedPages;
use crate::source::{Pages, Room, Source};
use crate::{Fault, guarded};

/// What a file ends with: the length of its metadata, and a mark.
const TAIL: u64 = 8;
/// What metadata take in memory is so many times what they take in the file, or less.
const METADATA_GROWTH: u64 = 32;
/// So many cells are read at a time, which stay in a core's cache …
const CELLS_AT_ONCE: usize = 1 << 16;
/// … and of a column no more than these.
const MOST_ROWS_AT_ONCE: usize = 4096;

/// A Parquet file, read from its first row to its last.
pub struct Table {
    source: Source,
    metadata: Arc<ParquetMetaData>,
    columns: Arc<[Column]>,
    wanted: Vec<bool>,
    /// Columns that are wanted as they would be written.
    kept: Vec<usize>,
    room: Arc<Room>,
    /// The readers of the row group at hand; none for columns that are not wanted.
    readers: Vec<Option<ColumnReader>>,
    /// Readers of the columns kept.
    keepers: Vec<ColumnReader>,
    /// How many of its rows are yet to be read.
    rows_left: usize,
    /// How many row groups were begun.
    groups_begun: usize,
}

/// The next rows of a table.
pub struct TableRows {
    /// How many they are.
    pub count: usize,
    /// A column of cells for each that is wanted.
    pub columns: Vec<Option<Cells>>,
    /// Those kept, in the order in which they were asked for.
    pub kept: Vec<Cells>,
}

impl Table {
    /// The table in `source`, whose pages may take so much memory.
    pub fn open(source: Source, most_bytes: u64) -> Result<Table, Fault> {
        let metadata = guarded(|| {
            check_tail(&source, most_bytes)?;
            let options = ParquetMetaDataOptions::new()
                .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
                .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
                .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll);
            let reader = ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .with_metadata_options(Some(options));
            Ok(reader.parse_and_finish(&source)?)
        })?;
        let schema = metadata.file_metadata().schema_descr();
        let columns: Arc<[Column]> = columns(schema).into();
        metadata.row_groups().iter().try_for_each(|group| check_group(group, schema.num_columns(), source.len()))?;
        let table = Table {
            wanted: columns.iter().map(|column| column.meaning.is_ok()).collect(),
            kept: Vec::new(),
            room: Room::new(most_bytes),
            readers: Vec::new(),
            keepers: Vec::new(),
            rows_left: 0,
            groups_begun: 0,
            metadata: Arc::new(metadata),
            columns,
            source,
        };
        Ok(table)
    }

    /// The same table, to be read from its first row.
    pub fn anew(&self) -> Table {
        Table {
            source: self.source.clone(),
            metadata: self.metadata.clone(),
            columns: self.columns.clone(),
            wanted: self.wanted.clone(),
            kept: self.kept.clone(),
            room: Room::new(self.room.most),
            readers: Vec::new(),
            keepers: Vec::new(),
            rows_left: 0,
            groups_begun: 0,
        }
    }

    /// The columns in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.metadata.row_groups().iter().map(|group| group.num_rows() as u64).sum()
    }

    /// Reads the cells of these columns alone, of those that can be read, and others as they would be written.
    pub fn select(&mut self, wanted: &[bool], kept: &[usize]) {
        for (i, column) in self.columns.iter().enumerate() {
            self.wanted[i] = column.meaning.is_ok() && wanted[i];
        }
        self.kept = kept.iter().copied().filter(|&i| self.columns[i].meaning.is_ok()).collect();
    }

    /// The next rows; none at the end.
    pub fn read(&mut self) -> Result<Option<TableRows>, Fault> {
        while self.rows_left == 0 {
            if self.groups_begun == self.metadata.num_row_groups() {
                return Ok(None);
            }
            self.begin_group()?;
        }
        let width = self.wanted.iter().filter(|wanted| **wanted).count() + self.kept.len();
        let count = (CELLS_AT_ONCE / width.max(1)).clamp(1, MOST_ROWS_AT_ONCE).min(self.rows_left);
        let all = &self.columns;
        let rows = guarded(|| {
            let read = |(reader, column): (&mut Option<ColumnReader>, &Column)| match (reader, column.meaning) {
                (Some(reader), Ok(meaning)) => {
                    cells::read(reader, meaning, count).map(Some).map_err(|fault| within(fault, &column.name))
                }
                _ => Ok(None),
            };
            let columns = self.readers.iter_mut().zip(all.iter()).map(read).collect::<Result<_, _>>()?;
            let keep = |(reader, &place): (&mut ColumnReader, &usize)| {
                let Column { name, meaning, .. } = &all[place];
                let meaning = meaning.map_err(|what| Fault::Content(what.to_string()))?;
                cells::read_as_written(reader, meaning, count).map_err(|fault| within(fault, name))
            };
            let kept = self.keepers.iter_mut().zip(&self.kept).map(keep).collect::<Result<_, _>>()?;
            Ok(TableRows { count, columns, kept })
        })?;
        self.rows_left -= count;
        Ok(Some(rows))
    }

    fn begin_group(&mut self) -> Result<(), Fault> {
        // Those of the group before give back their room.
        self.readers.clear();
        self.keepers.clear();
        let group = self.metadata.row_group(self.groups_begun);
        let properties = Arc::new(ReaderProperties::builder().set_read_page_statistics(false).build());
        let rows = group.num_rows() as usize;
        let reader = |column: &Column| {
            let chunk = group.column(column.leaf);
            check_packing(chunk.compression()).map_err(|fault| within(fault, &column.name))?;
            let pages = Arc::new(Pages::new(self.source.clone(), self.room.clone()));
            let pages = SerializedPageReader::new_with_properties(pages, chunk, rows, None, properties.clone())?;
            let is_optional = chunk.column_descr().max_def_level() > 0;
            let pages = CheckedPages { pages, is_optional, most_bytes: self.room.most };
            Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
        };
        let wanted = |(column, wanted): (&Column, &bool)| wanted.then(|| reader(column)).transpose();
        (self.readers, self.keepers) = guarded(|| {
            let readers = self.columns.iter().zip(&self.wanted).map(wanted).collect::<Result<_, Fault>>()?;
            Ok((readers, self.kept.iter().map(|&i| reader(&self.columns[i])).collect::<Result<_, Fault>>()?))
        })?;
        self.rows_left = rows;
        self.groups_begun += 1;
        Ok(())
    }
}

/// What is wrong, with the column in which it is.
fn within(fault: Fault, column: &str) -> Fault {
    match fault {
        Fault::Content(what) => Fault::Content(format!("column '{column}': {what}")),
        other => other,
    }
}

/// Refuses metadata that would not fit in memory.
fn check_tail(source: &Source, most_bytes: u64) -> Result<(), Fault> {
    let Some(start) = source.len().checked_sub(TAIL) else {
        return Err(Fault::Content("it is shorter than any".to_string()));
    };
    let tail = source.get_bytes(start, TAIL as usize)?;
    let length = tail[..4].iter().rev().fold(0u64, |length, &byte| length << 8 | u64::from(byte));
    match length.saturating_mul(METADATA_GROWTH) {
        bytes if length <= source.len() && bytes > most_bytes => Err(Fault::Memory(bytes)),
        _ => Ok(()),
    }
}

/// Refuses a row group that has not a chunk for each column within the file.
fn check_group(group: &RowGroupMetaData, columns: usize, file: u64) -> Result<(), Fault> {
    let is_within = |chunk: &ColumnChunkMetaData| {
        let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
        let end = start.checked_add(chunk.compressed_size());
        start >= 0 && chunk.compressed_size() >= 0 && end.is_some_and(|end| end as u64 <= file)
    };
    let is_sound = group.num_rows() >= 0 && group.num_columns() == columns && group.columns().iter().all(is_within);
    match is_sound {
        true => Ok(()),
        false => Err(Fault::Content("its metadata speak of what is not in the file".to_string())),
    }
}

fn check_packing(compression: Compression) -> Result<(), Fault> {
    match compression {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => Ok(()),
        other => Err(Fault::Content(format!("is packed by {other}; write it with snappy, gzip or zstd"))),
    }
}
