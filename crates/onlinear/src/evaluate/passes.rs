//! Passes over rows that can be met again and again.

use std::time::Instant;

use super::early_stop::best_passes;
use super::fit::{Checkpoints, fit_lesson, lesson};
use super::new_model::model_for;
use super::plan::{Plan, RunResult, Start, doubt};
use super::progressive::{Progressive, Seconds, Watch, refused_label};
use super::recipe::Recipe;
use super::source::Source;
use super::test::margins_of_rows;
use crate::data::{Classes, Classifier, Dataset, Order};
use crate::error::{Error, Message, Request, Result};
use crate::model::Model;
use crate::space::{Rows, Scratch};
use crate::spec::Learns;
use crate::stage::Passage;

/// How often the rows are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// So many times.
    Exactly(u64),
    /// Until a pass has no mistake, at most so many times.
    UntilSeparated(u64),
    /// As often as is best for rows that are held out to find out, at most so many times; then from all rows.
    EarlyStop(u64),
}

/// How rows are passed over.
pub(crate) struct Passing {
    /// Which comes when.
    pub(crate) order: Order,
    /// How often.
    pub(crate) passes: Passes,
    /// The trials belong to the pass that the model is in.
    pub(crate) resumes_pass: bool,
    /// More than this may not be held.
    pub(crate) max_memory: u64,
}

impl Passing {
    /// With the number of passes that rows held out find best, where they are to decide.
    fn settled(
        self,
        data: &mut dyn Source,
        classes: &Classes,
        features: usize,
        fresh: &Recipe,
        watch: &mut dyn Watch,
    ) -> Result<Passing> {
        let Passes::EarlyStop(most) = self.passes else { return Ok(self) };
        let passes = best_passes(data, classes, features, fresh, most, self.max_memory, watch)?;
        Ok(Passing { passes: Passes::Exactly(passes), ..self })
    }
}

/// Whether the rows are the rest of the model's only pass, in file order, and not a further pass.
pub(super) fn goes_on_with_pass(model: &Model, plan: &Plan) -> bool {
    model.counts.passes.len() == 1 && plan.passes == Passes::Exactly(1) && model.shuffle.is_none()
}

/// Passes over rows held in memory or in a cache.
pub(super) fn learn_from_rows(
    plan: &Plan,
    start: Start,
    shuffle: Option<u64>,
    watch: &mut dyn Watch,
) -> Result<RunResult> {
    let file = plan.input.name();
    let mut seconds = Seconds::default();
    let reading = Instant::now();
    let (mut data, bad) = Dataset::load(&plan.input, &plan.read, &plan.keep, |meter| watch.reading(meter))?;
    bad.iter().for_each(|error| watch.bad_row(error));
    let order = match shuffle {
        Some(seed) => {
            data.hold(plan.keep.max_memory)?;
            Order::shuffled(data.len(), seed)?
        }
        None => Order::file(data.len()),
    };
    let about = data.about().clone();
    let resumes_pass = matches!(&start, Start::Resume(model) if goes_on_with_pass(model, plan));
    let mut passing = Passing { order, passes: plan.passes, resumes_pass, max_memory: plan.keep.max_memory };
    let classes = match &start {
        Start::Resume(model) => model.classes.clone(),
        Start::Fresh(_) => Classes::decide(&about.labels, &plan.labels, &file)?,
    };
    if shuffle.is_some() {
        require_labels(&mut data, &classes)?;
    }
    let mut model = match start {
        Start::Resume(_) if matches!(plan.passes, Passes::EarlyStop(_)) => {
            let message = Message::from(Request::EarlyStop).and(" does not go with ").and(Request::Resume);
            return Err(Error::usage(message));
        }
        Start::Resume(mut model) => {
            passing.order.skip_passes(model.counts.passes.len() as u64);
            model.take_over(&about);
            *model
        }
        Start::Fresh(fresh) => {
            doubt(&classes, &about, watch);
            let features = plan.read.features.unwrap_or(about.features);
            passing = passing.settled(&mut data, &classes, features, &fresh, watch)?;
            model_for(&fresh, classes, &mut data, features, plan.keep.max_memory)?
        }
    };
    seconds.read += reading.elapsed().as_secs_f64();
    let separated = pass_over(&mut model, &mut data, passing, watch, &mut seconds)?;
    let mut outcome = RunResult::new(model, &about, seconds)?;
    if plan.train_error || separated.is_some() {
        outcome.note(&margins_of_rows(&outcome.model, &mut data)?);
    }
    if !plan.train_error {
        outcome.train = None;
    }
    outcome.separated = separated;
    Ok(outcome)
}

/// Refuses the first row in the file whose label is none of the classes: a shuffle would meet another one first.
fn require_labels(data: &mut Dataset, classes: &Classes) -> Result<()> {
    let (about, mut classifier) = (data.about().clone(), Classifier::new(classes.clone()));
    let is_unknown = |label| classifier.class_of(label, &about.labels).is_none();
    let mut labels = (0..data.len()).map_while(|i| data.label_held(i));
    match labels.position(is_unknown) {
        Some(i) => Err(refused_label(&about, &data.entry(i, None, &mut Scratch::default())?, classes)),
        None => Ok(()),
    }
}

/// Learns from rows that can be met again and again, starting from nothing; a batch learner makes no passes, and is
/// tested on other rows after some epochs where that is asked for.
pub(crate) fn learn_from(
    data: &mut dyn Source,
    classes: Classes,
    features: usize,
    fresh: &Recipe,
    passing: Passing,
    tests: Option<(&[u64], &mut dyn Source)>,
    watch: &mut dyn Watch,
) -> Result<RunResult> {
    let mut seconds = Seconds::default();
    let reading = Instant::now();
    let passing = passing.settled(data, &classes, features, fresh, watch)?;
    let mut model = model_for(fresh, classes, data, features, passing.max_memory)?;
    if fresh.spec.is_batch() {
        let lesson = lesson(&model, data, passing.max_memory)?;
        let checkpoints = tests.map(|(epochs, data)| Checkpoints::new(&model, epochs, data)).transpose()?;
        seconds.read = reading.elapsed().as_secs_f64();
        return fit_lesson(model, &lesson, data.about(), checkpoints.as_ref(), seconds, watch);
    }
    seconds.read = reading.elapsed().as_secs_f64();
    let separated = pass_over(&mut model, data, passing, watch, &mut seconds)?;
    let mut outcome = RunResult::new(model, data.about(), seconds)?;
    outcome.separated = separated;
    Ok(outcome)
}

/// Passes over rows; says whether the last pass had no mistake, where that was the goal.
pub(crate) fn pass_over(
    model: &mut Model,
    data: &mut dyn Source,
    mut passing: Passing,
    watch: &mut dyn Watch,
    seconds: &mut Seconds,
) -> Result<Option<bool>> {
    let about = data.about().clone();
    let learning = Instant::now();
    if model.spec.algorithm().learns() == Learns::AfterReadingAll {
        read_ahead(model, data, watch)?;
    }
    seconds.learn += learning.elapsed().as_secs_f64();
    let (passes, until_separated) = match passing.passes {
        Passes::Exactly(passes) | Passes::EarlyStop(passes) => (passes, false),
        Passes::UntilSeparated(most) => (most, true),
    };
    let mut classifier = Classifier::new(model.classes.clone());
    let mut separated = false;
    for _ in 0..passes {
        if !passing.resumes_pass {
            model.begin_pass();
        }
        let before = model.counts.passes.last().map_or(0, |pass| pass.trials);
        let mut run = Progressive::new(model, watch, &about.file, passing.max_memory, seconds);
        run.pass(data, &mut passing.order, &mut classifier, before)?;
        separated = model.counts.passes.last().is_some_and(|pass| pass.mistakes == 0);
        if until_separated && separated {
            break;
        }
    }
    Ok(until_separated.then_some(separated))
}

/// Shows the learner all rows, as it will see them.
fn read_ahead(model: &mut Model, data: &mut dyn Source, watch: &mut dyn Watch) -> Result<()> {
    let (mut held, mut passage, mut staged) = (Scratch::default(), Passage::default(), Rows::default());
    for i in 0..data.len() {
        passage.push(&model.stages, data.entry(i, None, &mut held)?.x, &mut staged);
        if i + 1 == data.len() {
            passage.end(&model.stages, &mut staged);
        }
        staged.iter().for_each(|x| model.learner.read_ahead(x));
        staged.clear();
        if i % 1024 == 1023 {
            watch.pause(model)?; // there is nothing to save yet
        }
    }
    model.learner.end_read_ahead().map_err(|reason| Error::data(&data.about().file, reason))
}
