//! Rows on their way through stages.

use super::Stages;
use crate::space::{Row, Rows, Scratch};

/// Rows that have yet to go through stages, which are kept back where several at once are faster.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    waiting: Rows,
    scratch: Scratch,
}

impl Passage {
    /// One more row; it or, in their order, all that have waited are appended to `out` as the stages make them.
    pub(crate) fn push(&mut self, stages: &Stages, x: Row<'_>, out: &mut Rows) {
        let block = stages.block();
        if block == 1 {
            return out.push_row(stages.apply(x, &mut self.scratch));
        }
        self.waiting.push_row(x);
        if self.waiting.len() == block {
            self.end(stages, out);
        }
    }

    /// There are no more rows: those that wait go through.
    pub(crate) fn end(&mut self, stages: &Stages, out: &mut Rows) {
        stages.apply_all(&self.waiting, out);
        self.waiting.clear();
    }
}
