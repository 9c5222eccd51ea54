//! Features of the data that the model does not know: they are left out, counted and told of, and where there are no
//! others the data are refused.

use onlinear::workshop::{About, UnseenFeatures, counted};
use onlinear::{Batch, Error, Input, Message, Model, ReadOptions, open};

use crate::output;
use crate::wording::Flags;

/// So many rows without a feature that the model knows are enough to tell.
const ENOUGH: usize = 1000;

/// What of the rows the model knows, and what not.
#[derive(Default)]
pub struct UnseenCount {
    known: bool,
    left_out: UnseenFeatures,
    /// What is to be said of columns of a table.
    columns: Vec<Message>,
}

impl UnseenCount {
    /// Looks at rows for a model of so many features.
    pub fn look_at(&mut self, batch: &Batch, features: usize) {
        for i in 0..batch.len() {
            let row = batch.rows.row(i);
            if self.known && row.dimension() <= features {
                continue;
            }
            row.for_each(|place, _| match place < features {
                true => self.known = true,
                false => self.left_out.add(|| (place + 1).to_string()),
            });
        }
    }

    /// Adds what the reader has left out by itself, for its name. Of a table that is told by its columns.
    pub fn finish(&mut self, about: &About) {
        self.columns = about.unseen_values();
        if self.columns.is_empty() {
            self.left_out.count += about.unseen.count;
            self.left_out.first = about.unseen.first.clone().or(self.left_out.first.take());
        }
    }

    /// Refuses rows of which the model knows nothing.
    pub fn require_some_known(&self, file: &str) -> onlinear::Result<()> {
        let UnseenFeatures { count, first } = &self.left_out;
        match first {
            Some(first) if !self.known && *count > 0 => {
                let first = output::escaped(first);
                let message = format!("has no feature that the model knows, but others such as '{first}'");
                let cure =
                    "; give it data of the kind that it learned from (`onlinear inspect MODEL` names its features)";
                Err(Error::data(file, message + cure))
            }
            _ => Ok(()),
        }
    }

    /// Tells what was left out.
    pub fn say(&self) {
        self.columns.iter().for_each(|column| output::say(column.worded(&Flags)));
        let UnseenFeatures { count, first } = &self.left_out;
        if let Some(first) = first.as_ref().filter(|_| *count > 0) {
            let first = output::escaped(first);
            let values = counted(*count, "value", "values");
            output::say(format_args!("{values} of features that the model does not know, such as '{first}', left out"));
        }
    }
}

/// Refuses a file of whose first rows the model knows nothing, before anything is answered; a stream is told of at its
/// end.
pub fn require_known(model: &Model, input: &Input, options: &ReadOptions) -> onlinear::Result<()> {
    if input.is_stream() {
        return Ok(());
    }
    let (mut reader, _) = open(input, options)?;
    let (mut batch, mut unseen, mut rows) = (Batch::default(), UnseenCount::default(), 0);
    // What is wrong with a row is told when its turn comes.
    while rows < ENOUGH && !unseen.known && reader.read(&mut batch).unwrap_or(false) {
        unseen.look_at(&batch, model.features);
        rows += batch.len();
    }
    unseen.finish(reader.about());
    unseen.require_some_known(&input.name())
}
