//! One pass over rows as they are read, of which none is kept.

use std::ops::ControlFlow;
use std::time::Instant;

use super::new_model::{ROWS_FOR_WIDTHS, fresh_model, must_count_features, survey, weigh_classes};
use super::passes::goes_on_with_pass;
use super::plan::{Plan, RunResult, Start, doubt};
use super::progressive::{Progressive, RowQuota, Seconds, UnknownLabel, Watch};
use super::recipe::Recipe;
use super::test::margins_of_file;
use crate::data::{Batch, Classes, Classifier, LabelTable, ReadOptions, Reader, is_judged_anew, open};
use crate::error::{Cure, Error, Message, Result};
use crate::learner::Expected;
use crate::model::Model;
use crate::space::Rows;
use crate::stage::Stages;

/// Classes are decided from this many rows, if the user does not name them.
const ROWS_FOR_LABELS: usize = 1000;

/// One pass over rows as they are read.
pub(super) fn learn_from_stream(plan: &Plan, start: Start, watch: &mut dyn Watch) -> Result<RunResult> {
    let mut seconds = Seconds::default();
    match start {
        Start::Resume(mut model) => {
            if !goes_on_with_pass(&model, plan) {
                model.begin_pass();
            }
            let (mut reader, meter) = open(&plan.input, &plan.read)?;
            watch.reading(&meter);
            let mut attempt = Attempt { plan, reader: reader.as_mut(), first: Vec::new(), seconds: &mut seconds };
            // The ids go on as well: these are other rows than those before.
            if let ControlFlow::Break(unknown) = attempt.run(&mut model, watch)? {
                return Err(unknown.refuse(&plan.input.names(), model.classes.unknown(&unknown.label, reader.labels())));
            }
            finish(plan, *model, reader.as_ref(), seconds)
        }
        Start::Fresh(asked) => {
            let start = Instant::now();
            let is_stream = plan.input.is_stream();
            let fresh =
                if is_stream { asked } else { asked.filling(open(&plan.input, &plan.read)?.0.about(), false)? };
            let must_count = !is_stream && must_count_features(plan, &fresh);
            // Where nobody sees the scores of trials, their scale can wait until all features were met.
            let scale_waits =
                fresh.spec.algorithm().feature_count_scales && fresh.calibrate.is_none() && !watch.wants_scores();
            let mut surveyed = survey(plan, &fresh, must_count && !scale_waits)?;
            seconds.read += start.elapsed().as_secs_f64();
            // The labels of an earlier attempt, one of which turned up too late for its classes.
            let mut late = None;
            loop {
                let start = Instant::now();
                let known_cells = plan.read.findings.late_count();
                let (mut reader, meter) = open(&plan.input, &plan.read)?;
                watch.reading(&meter);
                let first = first_rows(reader.as_mut(), plan, fresh.waits_for_width())?;
                seconds.read += start.elapsed().as_secs_f64();
                let labels = late.as_ref().unwrap_or(reader.labels());
                let classes = Classes::decide(labels, &plan.labels, &plan.input.name())?;
                doubt(&classes, reader.about(), watch);
                if must_count && surveyed.is_none() && classes.len() > 2 {
                    surveyed = survey(plan, &fresh, true)?; // the largest of several scores wins
                }
                let survey = surveyed.as_ref();
                let fresh = fresh.filling(reader.about(), is_stream)?;
                let features = survey.map(|survey| survey.features).or(plan.read.features);
                let rows = survey.map(|survey| survey.rows);
                let known = Expected { features, rows, max_memory: Some(plan.keep.max_memory) };
                let mut stages = survey.map_or_else(|| Stages::new(&fresh.stages), |survey| survey.stages.clone());
                let fresh = fresh.settled(&mut stages, &rows_for_widths(&first, &fresh, plan), &plan.input.name())?;
                let mut model = fresh_model(&fresh, classes, &plan.input.name(), known, stages)?;
                weigh_classes(&fresh, &mut model)?;
                model.begin_pass();
                let mut attempt = Attempt { plan, reader: reader.as_mut(), first, seconds: &mut seconds };
                match attempt.run(&mut model, watch) {
                    Ok(ControlFlow::Continue(())) => {
                        if must_count && features.is_none() {
                            count_features(&mut model, reader.features(), plan)?;
                        }
                        return finish(plan, model, reader.as_ref(), seconds);
                    }
                    Ok(ControlFlow::Break(unknown)) => refuse_restart(plan, &unknown, &model)?,
                    Err(_) if is_judged_anew(&plan.input, &plan.read, known_cells) => {
                        watch.restart()?;
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                late = Some(all_labels(reader.as_mut(), plan.keep.limit, model.counts.total().trials)?);
                watch.restart()?;
            }
        }
    }
}

/// Tells a learner the number of features that has waited for it to the end; there may be more than rows had.
fn count_features(model: &mut Model, features: usize, plan: &Plan) -> Result<()> {
    let features = Some(model.stages.features_after(features));
    let expected = Expected { features, rows: None, max_memory: Some(plan.keep.max_memory) };
    let about = format!("{}: {}: ", plan.input.name(), model.spec.algorithm().name);
    model.learner.prepare(&expected).map_err(|reason| Error::Memory(Message::from(about).and(reason)))
}

/// All labels there are, read to the end: one start more is enough, however often they change.
fn all_labels(reader: &mut dyn Reader, limit: Option<u64>, trials: u64) -> Result<LabelTable> {
    let mut left = limit.map_or(u64::MAX, |limit| limit - trials);
    let mut batch = Batch::default();
    // Not the last rows before a limit: those behind it may come in one batch with them.
    while left > 2 * Batch::ROWS as u64 && reader.read(&mut batch)? {
        left -= batch.len() as u64;
    }
    Ok(reader.labels().clone())
}

/// One try at a pass.
struct Attempt<'a> {
    plan: &'a Plan,
    reader: &'a mut dyn Reader,
    /// Batches already read.
    first: Vec<Batch>,
    seconds: &'a mut Seconds,
}

impl Attempt<'_> {
    /// Goes to the end of the data, or to a label that the model's classes do not know.
    fn run(&mut self, model: &mut Model, watch: &mut dyn Watch) -> Result<ControlFlow<UnknownLabel>> {
        let file = self.plan.input.names();
        let mut classifier = Classifier::new(model.classes.clone());
        let first = model.counts.passes.last().map_or(0, |pass| pass.trials);
        let mut rows = RowQuota::new(self.plan.keep.limit, (!self.plan.input.is_stream()).then_some(first));
        let mut run = Progressive::new(model, watch, &file, self.plan.keep.max_memory, self.seconds);
        let first = std::mem::take(&mut self.first);
        run.stream(self.reader, first, &mut classifier, &mut rows, self.plan.input.is_stream())
    }
}

/// A label that changes the classes can only be taken in where they were not given and the data can be read again.
fn refuse_restart(plan: &Plan, unknown: &UnknownLabel, model: &Model) -> Result<()> {
    let label = &unknown.label;
    let message = if plan.labels.labels.is_some() {
        model.classes.unknown(label, &LabelTable::default())
    } else if plan.input.is_stream() {
        Message::from(format!("label '{label}' turned up when the classes were settled")).and(Cure::NameLabels)
    } else {
        return Ok(());
    };
    Err(unknown.refuse(&plan.input.names(), message))
}

fn finish(plan: &Plan, mut model: Model, reader: &dyn Reader, seconds: Seconds) -> Result<RunResult> {
    model.take_over(reader.about());
    let mut outcome = RunResult::new(model, reader.about(), seconds)?;
    if plan.train_error {
        let options = ReadOptions { vocabulary: Some(outcome.model.vocabulary.clone()), ..plan.read.clone() };
        outcome.note(&margins_of_file(&outcome.model, &plan.input, &options, plan.keep.limit)?);
    }
    Ok(outcome)
}

/// The first rows, from which the labels are told, and maybe widths of kernels; no more than a batch where the labels
/// alone are wanted and clear at once.
fn first_rows(reader: &mut dyn Reader, plan: &Plan, tell_widths: bool) -> Result<Vec<Batch>> {
    let (most, labels) = (ROWS_FOR_LABELS.max(if tell_widths { ROWS_FOR_WIDTHS } else { 0 }), &plan.labels);
    let wanted = plan.keep.limit.map_or(most, |limit| most.min(limit as usize));
    let (mut batches, mut rows) = (Vec::new(), 0);
    while rows < wanted {
        let mut batch = Batch::default();
        if !reader.read(&mut batch)? {
            break;
        }
        rows += batch.len();
        batches.push(batch);
        // One label alone may yet turn out to be the smaller of 1 and 2.
        if tell_widths {
            continue;
        }
        if labels.is_made() || reader.labels().len() > 1 && reader.labels().decide_by_sign() {
            break;
        }
    }
    Ok(batches)
}

/// Those that tell widths.
fn rows_for_widths(first: &[Batch], fresh: &Recipe, plan: &Plan) -> Rows {
    let mut rows = Rows::default();
    if fresh.waits_for_width() {
        let limit = plan.keep.limit.map_or(ROWS_FOR_WIDTHS, |limit| ROWS_FOR_WIDTHS.min(limit as usize));
        let all = first.iter().flat_map(|batch| (0..batch.len()).map(|i| batch.rows.row(i)));
        all.take(limit).for_each(|row| rows.push_row(row));
    }
    rows
}
