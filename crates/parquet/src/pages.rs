//! The pages of a column, looked at before they are decoded: decoders make room for as many values as a page claims.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::Fault;
use crate::source::Pages;

/// What the length of a text takes, and once more while it is read.
const LENGTH_BYTES: u64 = 8;

/// Pages whose claims fit what they hold.
pub(crate) struct CheckedPages {
    pub(crate) pages: SerializedPageReader<Pages>,
    /// Whether values may be missing, which a page then says in front of its values.
    pub(crate) is_optional: bool,
    pub(crate) most_bytes: u64,
}

impl CheckedPages {
    fn check(&self, page: &Page) -> Result<()> {
        let is_delta = |encoding| matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY);
        match page {
            Page::DictionaryPage { buf, num_values, .. } if *num_values as usize > buf.len() => Err(claims_too_much()),
            Page::DataPage { buf, num_values, encoding, .. } if is_delta(*encoding) => {
                let levels = match (self.is_optional, buf.first_chunk::<4>()) {
                    (false, _) => 0,
                    (true, Some(length)) => 4 + u32::from_le_bytes(*length) as usize,
                    (true, None) => return Err(claims_too_much()),
                };
                self.check_lengths(buf, levels, *num_values)
            }
            Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. }
                if is_delta(*encoding) =>
            {
                self.check_lengths(buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize, *num_values)
            }
            _ => Ok(()),
        }
    }

    /// Texts by their lengths begin with three numbers: the size of a block, how many parts it has, and how many
    /// lengths there are.
    fn check_lengths(&self, page: &Bytes, levels: usize, values: u32) -> Result<()> {
        let mut header = page.get(levels..).ok_or_else(claims_too_much)?;
        let mut number = || {
            let length = header.iter().take(10).position(|byte| byte < &0x80)? + 1;
            let (bytes, rest) = header.split_at(length);
            header = rest;
            Some(bytes.iter().rev().fold(0u64, |number, byte| number << 7 | u64::from(byte & 0x7f)))
        };
        let counts = [number(), number(), number()];
        match counts[2] {
            Some(count) if count > u64::from(values) => Err(claims_too_much()),
            Some(count) if count * LENGTH_BYTES > self.most_bytes => {
                Err(ParquetError::External(Box::new(Fault::Memory(count * LENGTH_BYTES))))
            }
            Some(_) => Ok(()),
            None => Err(claims_too_much()),
        }
    }
}

fn claims_too_much() -> ParquetError {
    ParquetError::General("a page claims more values than it holds".to_string())
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}
