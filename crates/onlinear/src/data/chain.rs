//! Several files, read one after another as one.

use std::sync::Arc;

use super::batch::Batch;
use super::format::{Format, ReadOptions, Reader, open_one};
use super::input::{Input, Meter};
use super::lookup::Lookup;
use super::text::TextWork;
use crate::error::{Error, FileNames, Result};

/// The rows of all files. Labels, features and columns of one are those of the next.
pub(super) struct Chain {
    inputs: Arc<[Input]>,
    options: ReadOptions,
    meter: Meter,
    work: TextWork,
    reader: Box<dyn Reader>,
    /// The number of the file at hand, counting from 0.
    file: usize,
}

impl Chain {
    pub(super) fn open(
        inputs: &Arc<[Input]>,
        options: &ReadOptions,
        meter: &Meter,
        work: TextWork,
    ) -> Result<Box<dyn Reader>> {
        for input in inputs.iter() {
            // One that is not there is told of before the work.
            let about = input.path().map(std::fs::metadata).transpose();
            about.map_err(|reason| Error::io(input.name(), reason))?;
        }
        let reader = open_one(&inputs[0], options, None, meter, work)?;
        let (inputs, options, meter) = (inputs.clone(), options.clone(), meter.clone());
        let mut chain = Chain { inputs, options, meter, work, reader, file: 0 };
        let names = FileNames::of(chain.inputs.iter().map(Input::name).collect());
        chain.reader.lookup_mut().about.file = names;
        Ok(Box::new(chain))
    }
}

impl Reader for Chain {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        while !self.reader.read(batch)? {
            let Some(next) = self.inputs.get(self.file + 1) else { return Ok(false) };
            // If the next cannot be opened, what is known of those before is still there.
            let before = self.reader.lookup().clone();
            self.reader = open_one(next, &self.options, Some(before), &self.meter, self.work)?;
            self.file += 1;
        }
        batch.lines.iter_mut().for_each(|line| *line = FileNames::number_line(self.file, *line));
        Ok(true)
    }

    fn format(&self) -> Format {
        self.reader.format()
    }

    fn lookup(&self) -> &Lookup {
        self.reader.lookup()
    }

    fn lookup_mut(&mut self) -> &mut Lookup {
        self.reader.lookup_mut()
    }
}
