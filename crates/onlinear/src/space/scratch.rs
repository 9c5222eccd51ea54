//! Where a row is put together that does not lie in memory as one.

use super::Row;

/// Memory for a row, used again and again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The places of the values; none where these are all components from 0 on.
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f64>,
    /// The row that this one is made of, where that had to be put together first.
    pub(crate) before: Option<Box<Scratch>>,
}

impl Scratch {
    /// Forgets the row, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// The row put together.
    #[inline]
    pub(crate) fn row(&self) -> Row<'_> {
        match self.indices.is_empty() && !self.values.is_empty() {
            true => Row::Dense(&self.values),
            false => Row::new(&self.indices, &self.values),
        }
    }

    /// Appends all components of a row, their places moved up by `shift`, which is how many there are already.
    #[inline]
    pub(crate) fn push(&mut self, x: Row<'_>, shift: u32) {
        match x {
            Row::Dense(_) if self.indices.is_empty() => {}
            Row::Dense(values) => self.indices.extend(shift..shift + values.len() as u32),
            Row::Sparse { indices, .. } => self.indices.extend(indices.iter().map(|i| i + shift)),
        }
        self.values.extend_from_slice(x.values());
    }
}
