//! The one loop: every trial of every learner goes through here.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::fit::Epoch;
use super::source::Source;
use crate::data::{
    About, Batch, Classes, Classifier, Entry, Glance, MOST_FEATURES, Meter, NO_LABEL, Order, ROWS_AHEAD, Reader,
    missing_label,
};
use crate::ensemble::{ClassRound, RowMeta};
use crate::error::{Error, FileNames, Message, Result, size};
use crate::learner::{Example, Label, PlainWeights, Round, Step, rounds, too_many_features};
use crate::model::Model;
use crate::space::{Row, Rows, Scratch};
use crate::spec::{Learns, Spec};

/// Something that looks on while a model learns: counts, traces, progress bars, saved models.
pub trait Watch {
    /// The data begin to be read; `meter` follows how far that gets.
    fn reading(&mut self, _meter: &Meter) {}

    /// A trial between two classes is over; `t` counts them from 0 through all passes.
    fn trial(&mut self, _t: u64, _y: Label, _round: &Round) -> Result<()> {
        Ok(())
    }

    /// A trial among more than two classes is over.
    fn rest_trial(&mut self, _t: u64, _classes: &Classes, _round: &ClassRound) -> Result<()> {
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

    /// The run cannot go on, for a row that the model has not learned from. Says whether it wants the model, as it was
    /// before, for [`Watch::save`].
    fn wants_rest(&self) -> bool {
        false
    }

    /// Whether the scores of trials matter, or models on the way, and not only which trials were mistakes.
    fn wants_scores(&self) -> bool {
        true
    }

    /// Wants a [`Watch::pause`] when this many trials are over, besides those after each batch.
    fn next_pause(&self) -> u64 {
        u64::MAX
    }

    /// Whether every epoch of a batch learner is wanted, even where its errors cost extra.
    fn wants_epochs(&self) -> bool {
        false
    }

    /// An epoch of a batch learner is over.
    fn epoch(&mut self, _epoch: &Epoch) -> Result<()> {
        Ok(())
    }

    /// A batch learner has done so many of so many pieces of the work before its first epoch. An error ends the run.
    fn search(&mut self, _done: usize, _of: usize) -> Result<()> {
        self.tick()
    }

    /// A batch learner did some work. An error ends the run.
    fn tick(&mut self) -> Result<()> {
        Ok(())
    }

    /// A row was left out because it is wrong.
    fn bad_row(&mut self, _error: &Error) {}

    /// Something the user should know before the work is done.
    fn warn(&mut self, _warning: &Message) {}

    /// A label turned up that changes the classes: everything starts again from the first row.
    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Nobody looks on.
impl Watch for () {
    fn wants_scores(&self) -> bool {
        false
    }
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seconds {
    /// Reading and parsing.
    pub read: f64,
    /// Learning.
    pub learn: f64,
}

/// Rows known ahead have no more components than this in all, or are the last but one of them.
const MOST_AHEAD: usize = 1 << 18;

/// A run under way: what the loop needs besides the rows.
pub(crate) struct Progressive<'a> {
    pub(crate) model: &'a mut Model,
    pub(crate) watch: &'a mut dyn Watch,
    pub(crate) file: &'a FileNames,
    /// More memory than this may not be used …
    max_memory: u64,
    /// … and so many features are known to fit in it.
    most_features: usize,
    /// What stages may take of it, where they grow by the rows met.
    stage_memory: Option<u64>,
    pub(crate) seconds: &'a mut Seconds,
    /// Trials so far, in all passes.
    pub(crate) trials: u64,
    /// The line of the last one's row.
    line: u64,
    /// Whether an error has left the model as it was before the row that it is about.
    is_kept: bool,
    scratch: Scratch,
    takes_weights: bool,
    /// How many rows the learner, or a stage, likes to know ahead.
    block: usize,
    /// Whether a stage does: rows known ahead have yet to go through the stages.
    stages_ahead: bool,
    /// Rows whose trials are yet to come.
    ahead: RowsAhead,
}

/// Rows known ahead, as they were read or as the learner will see them, with what goes with each.
#[derive(Default)]
struct RowsAhead {
    rows: Rows,
    meta: Vec<RowMeta>,
    lines: Vec<u64>,
}

impl RowsAhead {
    fn push(&mut self, x: Row<'_>, meta: RowMeta, line: u64) {
        self.rows.push_row(x);
        self.meta.push(meta);
        self.lines.push(line);
    }

    /// Row number `i`, of which the learner sees `x`.
    fn example<'a>(&self, i: usize, x: Row<'a>) -> Example<'a> {
        let RowMeta { class, weight, id } = self.meta[i];
        Example::new(x, Label::of_class(class)).weighing(weight).at(id)
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.meta.clear();
        self.lines.clear();
    }
}

impl<'a> Progressive<'a> {
    pub(crate) fn new(
        model: &'a mut Model,
        watch: &'a mut dyn Watch,
        file: &'a FileNames,
        max_memory: u64,
        seconds: &'a mut Seconds,
    ) -> Progressive<'a> {
        // Those it knows are found to fit once; only a row that has more asks how many would.
        let fits = |features| model.learner.memory(model.stages.features_after(features)) <= max_memory;
        let most_features = if fits(model.features) { model.features } else { 0 };
        // A learner that was shown all rows before has their maps by them all.
        let grows = model.stages.grow() && model.spec.algorithm().learns() == Learns::RowByRow;
        let stage_memory = grows.then(|| max_memory.saturating_sub(model.learner.memory(0)));
        let trials = model.counts.total().trials;
        let takes_weights = model.spec.takes_weights();
        let stages_ahead = model.stages.block() > 1;
        // The stages grow by a row when its trial is due, so that none that comes after one that overflows
        // is in them.
        let block = match model.learner.is_alone() {
            true if stages_ahead => model.stages.block(),
            true if grows => 1,
            _ => model.learner.block(),
        };
        let (scratch, ahead) = (Scratch::default(), RowsAhead::default());
        Progressive {
            model,
            watch,
            file,
            max_memory,
            most_features,
            stage_memory,
            seconds,
            trials,
            line: 0,
            is_kept: false,
            scratch,
            takes_weights,
            block,
            stages_ahead,
            ahead,
        }
    }

    /// One more row, with everything checked that a learner relies on. Its trial is now or, where
    /// the learner likes to know rows ahead, in the next [`Progressive::flush`]. It may have gone through the stages
    /// already (`staged`), where they put no more than a constant in front, and its trial may have begun, with a
    /// `score`.
    #[inline]
    fn take(
        &mut self,
        entry: Entry<'_>,
        class: usize,
        id: Option<u64>,
        staged: Option<Option<f64>>,
        score: Option<f64>,
    ) -> Result<()> {
        let Entry { x, weight, line, .. } = entry;
        if weight != 1.0 && !self.takes_weights {
            return Err(self.at(line, no_weights(&self.model.spec, weight)));
        }
        let weight = weight * self.model.class_weight(class);
        let features = x.dimension() - usize::from(staged.flatten().is_some()); // but for the constant
        if features > self.most_features && !self.fits(features) {
            let after = self.model.stages.features_after(features);
            let message = too_many_features(features, self.model.learner.memory(after));
            return Err(self.at(line, message));
        }
        if self.stages_ahead {
            self.ahead.push(x, RowMeta { class, weight, id }, line);
            return Ok(());
        }
        let stages = &mut self.model.stages;
        let staged = match self.stage_memory {
            _ if staged.is_some() => Ok(x),
            Some(memory) => stages.meet(x, memory, &mut self.scratch),
            None => Ok(stages.apply(x, &mut self.scratch)),
        };
        let x = match staged {
            Ok(x) => x,
            Err(message) => return Err(self.at(line, message)),
        };
        if self.block > 1 {
            self.ahead.push(x, RowMeta { class, weight, id }, line);
            return Ok(());
        }
        let y = Label::of_class(class);
        let Some(learner) = self.model.learner.alone() else { return Ok(()) };
        let example = Example::new(x, y).weighing(weight).at(id);
        let round = match score {
            Some(score) => learner.finish(&example, score),
            None => learner.round(&example),
        };
        self.trial_over(round, y, line)
    }

    /// Begins the trial of the row in place `i`, if the row need not be put together for its score. Breaks where it
    /// changes nothing, and is over. `constant` is all that becomes of rows.
    #[inline]
    fn glance(
        &mut self,
        data: &dyn Source,
        i: usize,
        constant: Option<f64>,
        classifier: &mut Classifier,
    ) -> Result<ControlFlow<(), Option<f64>>> {
        let unknown = Ok(ControlFlow::Continue(None));
        let Some(learner) = self.model.learner.alone() else { return unknown };
        let Some(PlainWeights { w, stays_beyond }) = learner.plain_weights() else { return unknown };
        let Some(Glance { label, weight, line, dot }) = data.glance(i, constant, w) else { return unknown };
        let Some(class) = classifier.class_of(label, &data.about().labels) else { return unknown };
        let y = Label::of_class(class);
        let stays = y.sign() * dot > stays_beyond && dot.is_finite() && (weight == 1.0 || self.takes_weights);
        if !stays {
            return Ok(ControlFlow::Continue(Some(dot)));
        }
        learner.withhold(1);
        self.trial_over(Round { score: dot, step: Step::Stay, asked: None }, y, line)?;
        Ok(ControlFlow::Break(()))
    }

    /// Whether so many features, more than are known to, fit in memory.
    #[cold]
    fn fits(&mut self, features: usize) -> bool {
        self.most_features = most_features(self.model, self.max_memory);
        features <= self.most_features
    }

    /// Whether the rows known ahead should have their trials now (there are enough of them, or the
    /// watch wants a pause after them), or have had them already.
    fn is_due(&self) -> bool {
        let ahead = self.ahead.meta.len();
        let is_full = ahead >= self.block || self.ahead.rows.non_zeros() >= MOST_AHEAD;
        self.block == 1 || is_full || self.trials + ahead as u64 == self.watch.next_pause()
    }

    /// The trials of the rows known ahead.
    fn flush(&mut self) -> Result<()> {
        if self.ahead.meta.is_empty() {
            return Ok(());
        }
        let mut ahead = std::mem::take(&mut self.ahead);
        if self.model.learner.is_alone() {
            self.flush_alone(&ahead)?;
        } else {
            let (staged, end) = self.staged(&ahead.rows);
            let rounds = self.model.learner.rounds(&staged, &ahead.meta[..staged.len()]);
            for (round, &line) in rounds.into_iter().zip(&ahead.lines) {
                let round = round.map_err(|round| self.overflow(&round, line))?;
                self.rest_trial_over(&round, line)?;
            }
            end.map_err(|message| self.at(ahead.lines[staged.len()], message))?;
        }
        ahead.clear();
        self.ahead = ahead;
        Ok(())
    }

    /// The rows known ahead as the learner will see them, up to one by which a stage would grow too large, and why.
    fn staged<'r>(&mut self, rows: &'r Rows) -> (Cow<'r, Rows>, std::result::Result<(), Message>) {
        if !self.stages_ahead {
            return (Cow::Borrowed(rows), Ok(()));
        }
        let (stages, mut staged) = (&mut self.model.stages, Rows::default());
        let end = match self.stage_memory {
            Some(memory) => stages.meet_each(rows, memory, &mut self.scratch, |_, x| {
                staged.push_row(x);
                ControlFlow::Continue(())
            }),
            None => {
                stages.apply_all(rows, &mut staged);
                Ok(())
            }
        };
        (Cow::Owned(staged), end)
    }

    /// The trials of the learner for two classes on the rows known ahead.
    fn flush_alone(&mut self, ahead: &RowsAhead) -> Result<()> {
        let mut done: Vec<Round> = Vec::with_capacity(ahead.meta.len());
        let mut end = Ok(());
        if let Some(memory) = self.stage_memory.filter(|_| self.stages_ahead) {
            let Model { stages, learner, .. } = &mut *self.model;
            let Some(learner) = learner.alone() else { return Ok(()) };
            end = stages.meet_each(&ahead.rows, memory, &mut self.scratch, |i, x| {
                let round = learner.round(&ahead.example(i, x));
                done.push(round);
                if round.step == Step::Overflow { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        } else {
            let staged = self.staged(&ahead.rows).0;
            let examples: Vec<_> = staged.iter().enumerate().map(|(i, x)| ahead.example(i, x)).collect();
            let Some(learner) = self.model.learner.alone() else { return Ok(()) };
            let seen = |_: &Example<'_>, round| {
                done.push(round);
                ControlFlow::Continue(())
            };
            _ = rounds(learner, &examples, seen); // the last round tells
        }
        let met = done.len();
        for ((round, meta), &line) in done.into_iter().zip(&ahead.meta).zip(&ahead.lines) {
            self.trial_over(round, Label::of_class(meta.class), line)?;
        }
        end.map_err(|message| self.at(ahead.lines[met], message))
    }

    #[inline]
    fn trial_over(&mut self, round: Round, y: Label, line: u64) -> Result<()> {
        if round.step == Step::Overflow {
            self.is_kept = true;
            return Err(self.overflow(&round, line));
        }
        self.line = line;
        self.model.count_round(&round, y);
        self.watch.trial(self.trials, y, &round)?;
        self.trials += 1;
        Ok(())
    }

    fn rest_trial_over(&mut self, round: &ClassRound, line: u64) -> Result<()> {
        self.line = line;
        self.model.count_rest(round);
        self.watch.rest_trial(self.trials, &self.model.classes, round)?;
        self.trials += 1;
        Ok(())
    }

    /// That the trial of a row cannot be, since a number would not be finite.
    #[cold]
    fn overflow(&self, round: &Round, line: u64) -> Error {
        self.at(line, round.too_large())
    }

    /// Before an error ends the run: where it left the model as it was before a row, that model may be saved.
    fn rescue(&mut self, about: &About) -> Result<()> {
        if self.is_kept && self.watch.wants_rest() {
            self.model.take_over(about);
            self.watch.save(self.model)?;
        }
        Ok(())
    }

    /// Refuses to go on where the learner has become too large.
    pub(crate) fn require_memory(&self) -> Result<()> {
        let held = self.model.learner.memory(0);
        if held <= self.max_memory {
            return Ok(());
        }
        let need = format!("the rows that the learner holds take {}", size(held));
        Err(self.at(self.line, Message::beyond_memory(need).and("; one with a budget holds no more than that")))
    }

    /// Lets the watch look at the model, which takes over what is known `about` its data before it
    /// is saved. By then it may have become too large.
    fn pause(&mut self, about: &About) -> Result<()> {
        self.require_memory()?;
        if self.watch.pause(self.model)? {
            self.model.take_over(about);
            self.watch.save(self.model).map_err(|error| match error {
                // Nothing was saved: what was saved before stays.
                Error::Model { reason, .. } => {
                    self.at(self.line, format!("the model cannot be saved after this row: {reason}"))
                }
                other => other,
            })?;
        }
        Ok(())
    }

    fn at(&self, line: u64, message: impl Into<Message>) -> Error {
        Error::row(self.file.place(line), message)
    }

    /// A pass over rows as they are read, the first `pending` batches having been read already. Rows that `may_be_long`
    /// in coming are not waited for. Breaks when a label turns up that `classifier` does not know.
    pub(crate) fn stream(
        &mut self,
        reader: &mut dyn Reader,
        pending: Vec<Batch>,
        classifier: &mut Classifier,
        rows: &mut RowQuota,
        may_be_long: bool,
    ) -> Result<ControlFlow<UnknownLabel>> {
        let mut pending = pending.into_iter();
        let mut batch = Batch::default();
        loop {
            match pending.next() {
                Some(first) => batch = first,
                None if rows.left == 0 => break,
                None => {
                    let start = Instant::now();
                    let more = reader.read(&mut batch);
                    self.seconds.read += start.elapsed().as_secs_f64();
                    match more {
                        Err(Error::Interrupted) => self.end_batch(reader.about())?, // it may have to be saved
                        Err(_) => self.flush()?, // the rows before the one that is wrong
                        Ok(_) => {}
                    }
                    if !more? {
                        break;
                    }
                }
            }
            batch.bad.iter().for_each(|error| self.watch.bad_row(error));
            let start = Instant::now();
            let end = match may_be_long {
                true => self.batch(&batch, reader.about(), classifier, rows),
                false => self.part_of_batch(&batch, reader.about(), classifier, rows),
            };
            if end.is_err() {
                self.rescue(reader.about())?;
            }
            if let ControlFlow::Break(unknown) = end? {
                return Ok(ControlFlow::Break(unknown));
            }
            self.seconds.learn += start.elapsed().as_secs_f64();
            self.pause(reader.about())?;
        }
        self.end_batch(reader.about())?;
        Ok(ControlFlow::Continue(()))
    }

    /// The trials of all rows met, and what they leave is shown to the watch.
    fn end_batch(&mut self, about: &About) -> Result<()> {
        if self.ahead.meta.is_empty() {
            return self.pause(about);
        }
        let start = Instant::now();
        let end = self.flush();
        if end.is_err() {
            self.rescue(about)?;
        }
        end?;
        self.seconds.learn += start.elapsed().as_secs_f64();
        self.pause(about)
    }

    /// The trials of a batch, of whose rows so much is known.
    pub(crate) fn batch(
        &mut self,
        batch: &Batch,
        about: &About,
        classifier: &mut Classifier,
        rows: &mut RowQuota,
    ) -> Result<ControlFlow<UnknownLabel>> {
        let end = self.part_of_batch(batch, about, classifier, rows)?;
        if end.is_continue() {
            self.flush()?;
        }
        Ok(end)
    }

    /// The trials of a batch, but for rows that are known ahead of theirs.
    fn part_of_batch(
        &mut self,
        batch: &Batch,
        about: &About,
        classifier: &mut Classifier,
        rows: &mut RowQuota,
    ) -> Result<ControlFlow<UnknownLabel>> {
        for i in 0..batch.len().min(usize::try_from(rows.left).unwrap_or(usize::MAX)) {
            let (label, line) = (batch.labels[i], batch.lines[i]);
            let Some(class) = classifier.class_of(label, &about.labels) else {
                return match label {
                    NO_LABEL => Err(missing_label(self.file, line)),
                    _ => Ok(ControlFlow::Break(UnknownLabel { label: about.labels.text(label).to_string(), line })),
                };
            };
            let entry = Entry { x: batch.rows.row(i), label, weight: batch.weight(i), line };
            self.take(entry, class, rows.next_id(), None, None)?;
            if self.is_due() {
                self.flush()?;
                if self.trials == self.watch.next_pause() {
                    self.pause(about)?;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A pass over rows held, in the given order; `before` of their ids have been used before.
    pub(crate) fn pass(
        &mut self,
        data: &mut dyn Source,
        order: &mut Order,
        classifier: &mut Classifier,
        before: u64,
    ) -> Result<()> {
        let end = self.pass_to_end(data, order, classifier, before);
        if end.is_err() {
            self.rescue(data.about())?;
        }
        end
    }

    fn pass_to_end(
        &mut self,
        data: &mut dyn Source,
        order: &mut Order,
        classifier: &mut Classifier,
        before: u64,
    ) -> Result<()> {
        let mut scratch = Scratch::default();
        let mut next_look = Instant::now();
        let about = data.about().clone();
        let start = Instant::now();
        let staged = self.model.stages.constant_alone(data.are_whole());
        let constant = staged.flatten();
        let glances = staged.is_some() && self.block == 1 && about.features <= self.most_features;
        let announced = if order.is_shuffled() { ROWS_AHEAD } else { usize::MAX / 2 }; // processors see what comes next
        let places = order.next_pass();
        let (mut ahead, mut far_ahead) = (places.clone().skip(announced), places.clone().skip(2 * announced));
        for (k, i) in places.enumerate() {
            far_ahead.next().inspect(|&next| data.foresee(next));
            ahead.next().inspect(|&next| data.announce(next));
            let begun = match glances {
                true => self.glance(data, i, constant, classifier)?,
                false => ControlFlow::Continue(None),
            };
            if let ControlFlow::Continue(score) = begun {
                let id = Some(before + data.id(i));
                let entry = data.entry(i, constant, &mut scratch)?;
                let Some(class) = classifier.class_of(entry.label, &about.labels) else {
                    return Err(refused_label(&about, &entry, classifier.classes()));
                };
                self.take(entry, class, id, staged, score)?;
            }
            if !self.is_due() {
                continue;
            }
            self.flush()?;
            let wanted = self.trials == self.watch.next_pause();
            if wanted || k % 1024 >= 1024 - self.block && Instant::now() >= next_look {
                self.pause(&about)?;
                next_look = Instant::now() + Duration::from_millis(50);
            }
        }
        self.flush()?;
        self.seconds.learn += start.elapsed().as_secs_f64();
        self.pause(&about)
    }
}

/// What to say of a row with a weight where the learner takes none.
pub(crate) fn no_weights(spec: &Spec, weight: f64) -> Message {
    format!("{spec} takes no sample weights, and this row has weight {weight}").into()
}

/// The most features for which the learners fit in so many bytes.
pub(crate) fn most_features(model: &Model, memory: u64) -> usize {
    let (mut fits, mut beyond) = (0, MOST_FEATURES);
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        if model.learner.memory(model.stages.features_after(middle)) <= memory {
            fits = middle
        } else {
            beyond = middle
        }
    }
    fits
}

/// A label that the classes do not know.
pub(crate) struct UnknownLabel {
    pub(crate) label: String,
    line: u64,
}

impl UnknownLabel {
    /// The complaint about it.
    pub(crate) fn refuse(&self, file: &FileNames, message: impl Into<Message>) -> Error {
        Error::row(file.place(self.line), message)
    }
}

/// The complaint about a row whose label the classes do not know, or that has none.
pub(crate) fn refused_label(about: &About, entry: &Entry<'_>, classes: &Classes) -> Error {
    if entry.label == NO_LABEL {
        return missing_label(&about.file, entry.line);
    }
    let place = about.file.place(entry.line);
    Error::row(place, classes.unknown(about.labels.text(entry.label), &about.labels))
}

/// How many rows of a stream are still wanted, and how they are numbered.
pub(crate) struct RowQuota {
    left: u64,
    /// The id of the next row; `None` where rows cannot be met again.
    id: Option<u64>,
}

impl RowQuota {
    /// At most `limit` rows, the first of which has the id `first`.
    pub(crate) fn new(limit: Option<u64>, first: Option<u64>) -> RowQuota {
        RowQuota { left: limit.unwrap_or(u64::MAX), id: first }
    }

    fn next_id(&mut self) -> Option<u64> {
        self.left -= 1;
        let id = self.id?;
        self.id = Some(id + 1);
        Some(id)
    }
}
