//! The one loop: every trial of every learner goes through here.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::data::{About, Batch, Classifier, Dataset, Entry, Meter, NO_LABEL, Order, Reader, Scratch, missing_label};
use crate::error::{Error, Place, Result};
use crate::learner::{Label, Round};
use crate::model::Model;

/// Something that looks on while a model learns: counts, traces, progress bars, saved models.
pub trait Watch {
    /// The data begin to be read; `meter` follows how far that gets.
    fn reading(&mut self, _meter: &Meter) {}

    /// A trial is over; `t` counts them from 0 through all passes.
    fn trial(&mut self, _t: u64, _y: Label, _round: &Round) -> Result<()> {
        Ok(())
    }

    /// Some trials are over. The model may be looked at; an error ends the run. Says whether it
    /// wants the model for [`Watch::save`].
    fn pause(&mut self, _model: &Model) -> Result<bool> {
        Ok(false)
    }

    /// The model, with the names of its features and all else that belongs to a model file.
    fn save(&mut self, _model: &mut Model) -> Result<()> {
        Ok(())
    }

    /// Wants a [`Watch::pause`] when this many trials are over, besides those after each batch.
    fn next_pause(&self) -> u64 {
        u64::MAX
    }

    /// A row was left out because it is wrong.
    fn bad_row(&mut self, _error: &Error) {}

    /// A label turned up that changes the classes: everything starts again from the first row.
    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Nobody looks on.
impl Watch for () {}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seconds {
    /// Reading and parsing.
    pub read: f64,
    /// Learning.
    pub learn: f64,
}

/// A run under way: what the loop needs besides the rows.
pub(crate) struct Progressive<'a> {
    pub(crate) model: &'a mut Model,
    pub(crate) watch: &'a mut dyn Watch,
    pub(crate) file: &'a str,
    /// More features than this do not fit in memory.
    pub(crate) most_features: usize,
    pub(crate) seconds: &'a mut Seconds,
    /// Trials so far, in all passes.
    pub(crate) trials: u64,
    scratch: Scratch,
    takes_weights: bool,
}

impl<'a> Progressive<'a> {
    pub(crate) fn new(
        model: &'a mut Model,
        watch: &'a mut dyn Watch,
        file: &'a str,
        max_memory: u64,
        seconds: &'a mut Seconds,
    ) -> Progressive<'a> {
        let most_features = (max_memory / model.learner.bytes_per_feature() as u64) as usize;
        let trials = model.counts.total().trials;
        let takes_weights = (model.spec.algorithm().takes_weights)(&model.spec);
        Progressive { model, watch, file, most_features, seconds, trials, scratch: Scratch::default(), takes_weights }
    }

    /// One trial, with everything checked that a learner relies on.
    #[inline]
    fn trial(&mut self, entry: Entry<'_>, y: Label, id: Option<u64>) -> Result<()> {
        let Entry { x, weight, line, .. } = entry;
        if weight != 1.0 && !self.takes_weights {
            let message = format!("{} takes no sample weights, and this row has weight {weight}", self.model.spec);
            return Err(self.at(line, message));
        }
        if x.dimension() > self.most_features {
            let message = format!(
                "{} features of {} bytes each do not fit in the memory allowed; hash them with --hash BITS, or raise --max-memory",
                x.dimension(),
                self.model.learner.bytes_per_feature()
            );
            return Err(self.at(line, message));
        }
        let round = self.model.trial(x, y, weight, id, &mut self.scratch);
        if !round.score.is_finite() {
            let message = format!("the score is {}: the numbers have grown too large; scale or normalize the rows", round.score);
            return Err(self.at(line, message));
        }
        self.watch.trial(self.trials, y, &round)?;
        self.trials += 1;
        Ok(())
    }

    /// Lets the watch look at the model, which takes over what is known `about` its data before it
    /// is saved.
    fn pause(&mut self, about: impl FnOnce() -> About) -> Result<()> {
        if self.watch.pause(self.model)? {
            self.model.take_over(&about());
            self.watch.save(self.model)?;
        }
        Ok(())
    }

    fn at(&self, line: u64, message: String) -> Error {
        Error::Row { place: Place { file: self.file.into(), line, column: 1 }, message }
    }

    /// A pass over rows as they are read, the first `pending` batches having been read already.
    /// Breaks when a label turns up that `classifier` does not know.
    pub(crate) fn stream(
        &mut self,
        reader: &mut dyn Reader,
        pending: Vec<Batch>,
        classifier: &mut Classifier,
        rows: &mut Rows,
    ) -> Result<ControlFlow<Unknown>> {
        let mut pending = pending.into_iter();
        let mut batch = Batch::default();
        loop {
            match pending.next() {
                Some(first) => batch = first,
                None if rows.left == 0 => return Ok(ControlFlow::Continue(())),
                None => {
                    let start = Instant::now();
                    let more = reader.read(&mut batch)?;
                    self.seconds.read += start.elapsed().as_secs_f64();
                    if !more {
                        return Ok(ControlFlow::Continue(()));
                    }
                }
            }
            batch.bad.iter().for_each(|error| self.watch.bad_row(error));
            let start = Instant::now();
            if let ControlFlow::Break(unknown) = self.batch(&batch, reader, classifier, rows)? {
                return Ok(ControlFlow::Break(unknown));
            }
            self.seconds.learn += start.elapsed().as_secs_f64();
            self.pause(|| About::of(reader, self.file))?;
        }
    }

    fn batch(
        &mut self,
        batch: &Batch,
        reader: &dyn Reader,
        classifier: &mut Classifier,
        rows: &mut Rows,
    ) -> Result<ControlFlow<Unknown>> {
        for i in 0..batch.len().min(usize::try_from(rows.left).unwrap_or(usize::MAX)) {
            let (label, line) = (batch.labels[i], batch.lines[i]);
            let Some(y) = classifier.class_of(label, reader.labels()) else {
                return match label {
                    NO_LABEL => Err(missing_label(self.file, line)),
                    _ => Ok(ControlFlow::Break(Unknown { label: reader.labels().text(label).to_string(), line })),
                };
            };
            let entry = Entry { x: batch.rows.row(i), label, weight: batch.weight(i), line };
            self.trial(entry, y, rows.next_id())?;
            if self.trials == self.watch.next_pause() {
                self.pause(|| About::of(reader, self.file))?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A pass over rows held, in the given order.
    pub(crate) fn pass(&mut self, data: &mut Dataset, order: &mut Order, classifier: &mut Classifier) -> Result<()> {
        let mut scratch = Scratch::default();
        let mut next_look = Instant::now();
        let about = data.about().clone();
        let start = Instant::now();
        for (k, i) in order.next_pass().enumerate() {
            let entry = data.entry(i, &mut scratch)?;
            let Some(y) = classifier.class_of(entry.label, &about.labels) else {
                return Err(if entry.label == NO_LABEL {
                    missing_label(self.file, entry.line)
                } else {
                    self.at(entry.line, unknown_label(about.labels.text(entry.label), classifier.classes()))
                });
            };
            self.trial(entry, y, Some(i as u64))?;
            let is_due = self.trials == self.watch.next_pause();
            if is_due || k % 1024 == 1023 && Instant::now() >= next_look {
                self.pause(|| about.clone())?;
                next_look = Instant::now() + Duration::from_millis(50);
            }
        }
        self.seconds.learn += start.elapsed().as_secs_f64();
        self.pause(|| about.clone())
    }
}

/// A label that the classes do not know.
pub(crate) struct Unknown {
    pub(crate) label: String,
    line: u64,
}

impl Unknown {
    /// The complaint about it.
    pub(crate) fn refuse(&self, file: &str, message: String) -> Error {
        Error::Row { place: Place { file: file.into(), line: self.line, column: 1 }, message }
    }
}

/// What to say of a label that the classes do not know.
pub(crate) fn unknown_label(text: &str, classes: &crate::data::Classes) -> String {
    let (negative, positive) = (classes.name(Label::Negative), classes.name(Label::Positive));
    format!("label '{text}' is neither '{negative}' nor '{positive}', the classes of this model")
}

/// How many rows of a stream are still wanted, and how they are numbered.
pub(crate) struct Rows {
    left: u64,
    /// The id of the next row; `None` where rows cannot be met again.
    id: Option<u64>,
}

impl Rows {
    pub(crate) fn new(limit: Option<u64>, can_be_met_again: bool) -> Rows {
        Rows { left: limit.unwrap_or(u64::MAX), id: can_be_met_again.then_some(0) }
    }

    fn next_id(&mut self) -> Option<u64> {
        self.left -= 1;
        let id = self.id?;
        self.id = Some(id + 1);
        Some(id)
    }
}
