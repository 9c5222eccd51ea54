//! A whole run of learning: from a file (or standard input) to a model.

use std::ops::ControlFlow;
use std::time::Instant;

use super::class_weights::ClassWeights;
use super::early_stop::best_passes;
use super::fit::{Checkpoints, fit, fit_lesson, lesson};
use super::holdout::{Holdout, learn_but_holdout};
use super::progressive::{Progressive, RowQuota, Seconds, UnknownLabel, Watch};
use super::source::Source;
use super::test::{Errors, Margins, margins_of_file, margins_of_rows};
use crate::data::{
    About, Batch, Classes, Classifier, ColumnTally, Dataset, Input, Keep, LabelChoice, LabelTable, LabelsWanted,
    Missing, Order, ReadOptions, Reader, TableSchema, open,
};
use crate::error::{Cure, Error, Message, Request, Result, size};
use crate::learner::{Expected, too_many_features};
use crate::metrics::Metrics;
use crate::model::Model;
use crate::space::{Row, Rows, Scratch};
use crate::spec::Learns;
use crate::spec::Spec;
use crate::stage::{Passage, Slot, StageSpec, Stages};

/// Classes are decided from this many rows, if the user does not name them.
const ROWS_FOR_LABELS: usize = 1000;
/// Widths of kernels are told by this many.
const ROWS_FOR_WIDTHS: usize = 1000;

/// What a run starts from.
pub enum Start {
    /// From nothing.
    Fresh(Recipe),
    /// From a model that learned before; its stages and order stay what they are.
    Resume(Box<Model>),
}

/// A fresh learner, and what happens to its rows.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Which learner.
    pub spec: Spec,
    /// What happens to its rows, in order.
    pub stages: Vec<StageSpec>,
    /// Shuffle the rows with this seed, anew for each pass.
    pub shuffle: Option<u64>,
    /// Keep so many of the last trials for probabilities.
    pub calibrate: Option<u64>,
    /// What the rows of each class weigh, besides their sample weights.
    pub class_weights: Option<ClassWeights>,
}

impl Recipe {
    /// A learner and what happens to its rows, which come in the order of the data and weigh the same.
    pub fn of(spec: Spec, stages: Vec<StageSpec>) -> Recipe {
        Recipe { spec, stages, shuffle: None, calibrate: None, class_weights: None }
    }

    /// A stage that must read all rows before the first trial, if there is one.
    fn reads_all(&self) -> Option<&StageSpec> {
        self.stages.iter().find(|stage| stage.kind().reads_all)
    }
}

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

/// What to learn from, and how.
pub struct Plan {
    /// The data.
    pub input: Input,
    /// How to read them.
    pub read: ReadOptions,
    /// What the user says of the labels.
    pub labels: LabelChoice,
    /// How often to pass over the rows.
    pub passes: Passes,
    /// How they are kept, where they are passed over more than once.
    pub keep: Keep,
    /// Count the final model's errors on the training rows.
    pub train_error: bool,
    /// Keep some rows back and measure the final model on them.
    pub holdout: Option<Holdout>,
}

/// What a run leaves behind.
pub struct RunResult {
    /// The model.
    pub model: Model,
    /// The final model on the training rows, where asked for.
    pub train: Option<Errors>,
    /// What a batch learner got wrong on the way, after the epochs that were asked for.
    pub tested: Vec<(u64, Errors)>,
    /// The final model on the rows held out, where asked for.
    pub held_out: Option<Metrics>,
    /// Whether the last pass had no mistake, where that was the goal.
    pub separated: Option<bool>,
    /// Where the time went.
    pub seconds: Seconds,
    /// What was met in the columns of a table.
    pub columns: Vec<ColumnTally>,
    /// Things the user should know.
    pub warnings: Vec<Message>,
}

/// Learns.
pub fn learn(mut plan: Plan, mut start: Start, watch: &mut dyn Watch) -> Result<RunResult> {
    if let Start::Resume(model) = &mut start {
        model.require_countable()?;
        plan.read.encoding.get_or_insert(model.encoding);
    }
    let spec = match &start {
        Start::Fresh(fresh) => &fresh.spec,
        Start::Resume(model) => &model.spec,
    };
    let needs_all_rows = spec.algorithm().learns() != Learns::RowByRow;
    if needs_all_rows {
        let name = spec.algorithm().name;
        if matches!(start, Start::Resume(_)) {
            let message = Message::from(format!("{name} does not go with ")).and(Request::Resume);
            return Err(Error::usage(message.and(": it needs all training rows before it learns")));
        }
        if plan.input.is_stream() {
            return Err(unread(name, "all rows first"));
        }
    }
    if let Start::Fresh(fresh) = &start {
        fresh.check()?;
        if spec.is_direct() && plan.input.is_stream() && !plan.labels.is_made() {
            let message = "multiclass=direct must know all classes before the first row, which a stream does not tell";
            return Err(Error::usage(Message::from(message).and(Cure::NameLabels)));
        }
    }
    if let Start::Fresh(fresh) = &start
        && let Some(stage) = fresh.reads_all().filter(|_| plan.input.is_stream())
    {
        return Err(unread(stage.kind().name, "all rows first"));
    }
    if spec.is_batch() {
        refuse_online_options(spec, &plan, &start)?;
    }
    plan.read.labels = match &start {
        Start::Resume(model) => LabelsWanted::Of(model.classes.clone()),
        Start::Fresh(_) if plan.labels.labels.is_some() => {
            LabelsWanted::Of(Classes::decide(&LabelTable::default(), &plan.labels, &plan.input.name())?)
        }
        Start::Fresh(_) => LabelsWanted::Some,
    };
    let shuffle = match &start {
        Start::Fresh(fresh) => fresh.shuffle,
        Start::Resume(model) => {
            plan.read.schema = model.csv.clone();
            plan.read.vocabulary = Some(model.vocabulary.clone());
            model.shuffle
        }
    };
    let start = match (start, plan.holdout) {
        (Start::Fresh(fresh), Some(holdout)) => return learn_but_holdout(&plan, holdout, &fresh, watch),
        (Start::Resume(_), Some(_)) => {
            return Err(Error::usage(Message::from(Request::Holdout).and(" does not go with ").and(Request::Resume)));
        }
        (Start::Fresh(fresh), None) if fresh.spec.is_batch() => return fit(&plan, &fresh, watch),
        (start, None) => start,
    };
    // Which classes there are, and how large, is known when all rows are.
    let weighs_classes = matches!(&start, Start::Fresh(Recipe { class_weights: Some(_), .. }));
    let is_once = plan.passes == Passes::Exactly(1) && shuffle.is_none() && !plan.keep.cache && !needs_all_rows;
    // One look at each row in file order is enough for one pass: none need be kept.
    if is_once && (!weighs_classes || plan.input.is_stream()) {
        if plan.train_error && plan.input.is_stream() {
            return Err(unread(Request::TrainError, "the rows again"));
        }
        learn_from_stream(&plan, start, watch)
    } else {
        learn_from_rows(&plan, start, shuffle, watch)
    }
}

/// The complaint that `what` has to read rows of which a stream gives each but once.
pub(crate) fn unread(what: impl Into<Message>, rows: &str) -> Error {
    let why = format!(" has to read {rows}, which standard input and pipes do not allow");
    Error::usage(what.into().and(why))
}

/// A batch learner sees all rows at once: there are no passes and there is no order.
fn refuse_online_options(spec: &Spec, plan: &Plan, start: &Start) -> Result<()> {
    let shuffled = matches!(start, Start::Fresh(Recipe { shuffle: Some(_), .. }));
    let calibrated = matches!(start, Start::Fresh(Recipe { calibrate: Some(_), .. }));
    let requests = [
        (Request::UntilSeparated, matches!(plan.passes, Passes::UntilSeparated(_))),
        (Request::EarlyStop, matches!(plan.passes, Passes::EarlyStop(_))),
        (Request::Passes, matches!(plan.passes, Passes::Exactly(2..))),
        (Request::Shuffle, shuffled),
        (Request::Calibrate, calibrated),
    ];
    match requests.into_iter().find(|(_, made)| *made) {
        Some((request, _)) => {
            let name = spec.algorithm().name;
            let why = format!(" does not go with {name}, which learns from all rows at once");
            Err(Error::usage(Message::from(request).and(why)))
        }
        None => Ok(()),
    }
}

/// One pass over rows as they are read.
fn learn_from_stream(plan: &Plan, start: Start, watch: &mut dyn Watch) -> Result<RunResult> {
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
            let survey = survey(plan, &fresh)?;
            seconds.read += start.elapsed().as_secs_f64();
            // The labels of an earlier attempt, one of which turned up too late for its classes.
            let mut late = None;
            loop {
                let start = Instant::now();
                let (mut reader, meter) = open(&plan.input, &plan.read)?;
                watch.reading(&meter);
                let first = first_rows(reader.as_mut(), plan, fresh.waits_for_width())?;
                seconds.read += start.elapsed().as_secs_f64();
                let labels = late.as_ref().unwrap_or(reader.labels());
                let classes = Classes::decide(labels, &plan.labels, &plan.input.name())?;
                doubt(&classes, reader.about(), watch);
                let fresh = fresh.filling(reader.about(), is_stream)?;
                let features = survey.as_ref().map(|survey| survey.features).or(plan.read.features);
                let rows = survey.as_ref().map(|survey| survey.rows);
                let known = Expected { features, rows, max_memory: Some(plan.keep.max_memory) };
                let mut stages =
                    survey.as_ref().map_or_else(|| Stages::new(&fresh.stages), |survey| survey.stages.clone());
                let fresh = fresh.settled(&mut stages, &rows_for_widths(&first, &fresh, plan), &plan.input.name())?;
                let mut model = fresh_model(&fresh, classes, &plan.input.name(), known, stages)?;
                weigh_classes(&fresh, &mut model)?;
                model.begin_pass();
                let mut attempt = Attempt { plan, reader: reader.as_mut(), first, seconds: &mut seconds };
                match attempt.run(&mut model, watch)? {
                    ControlFlow::Continue(()) => return finish(plan, model, reader.as_ref(), seconds),
                    ControlFlow::Break(unknown) => refuse_restart(plan, &unknown, &model)?,
                }
                late = Some(all_labels(reader.as_mut(), plan.keep.limit, model.counts.total().trials)?);
                watch.restart()?;
            }
        }
    }
}

/// Warns of classes that are none, and of columns that are left out.
pub(crate) fn doubt(classes: &Classes, about: &About, watch: &mut dyn Watch) {
    let of_classes = classes.doubt().map(Message::from);
    let of_columns = about.csv.iter().flat_map(TableSchema::doubts);
    for doubt in of_classes.into_iter().chain(of_columns) {
        watch.warn(&Message::from(format!("{}: ", about.file)).and(doubt));
    }
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

/// Whether the rows are the rest of the model's only pass, in file order, and not a further pass.
fn goes_on_with_pass(model: &Model, plan: &Plan) -> bool {
    model.counts.passes.len() == 1 && plan.passes == Passes::Exactly(1) && model.shuffle.is_none()
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
        run.stream(self.reader, first, &mut classifier, &mut rows)
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

/// Passes over rows held in memory or in a cache.
fn learn_from_rows(plan: &Plan, start: Start, shuffle: Option<u64>, watch: &mut dyn Watch) -> Result<RunResult> {
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
            let classes = Classes::decide(&about.labels, &plan.labels, &file)?;
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
        passage.push(&model.stages, data.entry(i, &mut held)?.x, &mut staged);
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

impl RunResult {
    pub(crate) fn new(model: Model, about: &About, seconds: Seconds) -> Result<RunResult> {
        if model.counts.examples() == 0 {
            return Err(Error::data(&about.file, "has no rows"));
        }
        if model.counts.classes.get(1) == Some(&0) {
            model.classes.require_positive(&about.labels, &about.file)?;
        }
        let about_file = Message::from(format!("{}: ", about.file));
        let mut warnings = Vec::new();
        let mut classes = about.labels.texts().filter_map(|text| model.classes.class_of(text));
        let first = classes.next();
        if classes.all(|class| Some(class) == first) {
            let name = model.classes.name(first.unwrap_or(1));
            let warning = format!("every row is of class '{name}'; there is nothing to tell apart");
            warnings.push(about_file.clone().and(warning));
        }
        warnings.extend(model.learner.facts().warnings.into_iter().map(|warning| about_file.clone().and(warning)));
        let (tested, columns) = (Vec::new(), about.columns.clone());
        Ok(RunResult { model, train: None, tested, held_out: None, separated: None, seconds, columns, warnings })
    }

    /// Notes what the final model does on its training rows.
    fn note(&mut self, margins: &Margins) {
        self.train = Some(margins.errors);
        let norm = self.model.learner.weights().map(|w| Row::Dense(&w).norm(2.0));
        self.model.margin = norm.filter(|&norm| norm > 0.0 && margins.least > 0.0).map(|norm| margins.least / norm);
    }
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

impl Recipe {
    /// Refuses what does not go together.
    fn check(&self) -> Result<()> {
        match self.calibrate.filter(|_| self.spec.is_direct()) {
            Some(_) => Err(Error::usage(Message::from(Request::Calibrate).and(" does not go with multiclass=direct"))),
            None => Ok(()),
        }
    }

    /// Whether the first rows have to tell the width of a kernel.
    fn waits_for_width(&self) -> bool {
        self.spec.waits_for_width() || self.stages.iter().any(|stage| stage.settings().waits_for_width())
    }

    /// The same with the widths that the first rows tell, if it waits for any, for itself and for its stages, which
    /// have read what they must.
    fn settled(&self, stages: &mut Stages, first: &Rows, file: &str) -> Result<Recipe> {
        let told = stages.settle_widths(first, &self.spec);
        Ok(Recipe { spec: told.map_err(|reason| Error::data(file, reason))?, ..self.clone() })
    }

    /// With a stage that fills in what a table has no values for, where that is wanted and none does.
    pub(crate) fn filling(&self, about: &About, is_stream: bool) -> Result<Recipe> {
        let missing = about.csv.as_ref().map(|csv| csv.missing).filter(|missing| missing.is_filled_later());
        let is_filled = self.stages.iter().any(|stage| stage.kind().slot == Slot::Fill);
        let mut recipe = self.clone();
        if let Some(missing) = missing.filter(|_| !is_filled) {
            let stage = match (missing, is_stream) {
                (Missing::Median, true) => return Err(unread("the median", "all rows first")),
                (Missing::Median, false) => "impute:with=median",
                (_, true) => "impute-running",
                (_, false) => "impute",
            };
            recipe.stages.insert(0, stage.parse()?);
        }
        Ok(recipe)
    }
}

/// A model for these rows that has met none of them, with stages that have read them where they must.
pub(crate) fn model_for(
    fresh: &Recipe,
    classes: Classes,
    data: &mut dyn Source,
    features: usize,
    max_memory: u64,
) -> Result<Model> {
    let fresh = &fresh.filling(data.about(), false)?;
    let (mut stages, mut held, mut scratch) = (Stages::new(&fresh.stages), Scratch::default(), Scratch::default());
    while stages.unread().is_some() {
        require_memory_to_read(&stages, features, max_memory, &data.about().file)?;
        for i in 0..data.len() {
            stages.survey(data.entry(i, &mut held)?.x, &mut scratch);
        }
        stages.end_survey(features);
    }
    let mut first = Rows::default();
    if fresh.waits_for_width() {
        for i in 0..data.len().min(ROWS_FOR_WIDTHS) {
            first.push_row(data.entry(i, &mut held)?.x);
        }
    }
    let fresh = &fresh.settled(&mut stages, &first, &data.about().file)?;
    let known = Expected { features: Some(features), rows: Some(data.len()), max_memory: Some(max_memory) };
    let about = data.about();
    let mut model = fresh_model(fresh, classes, &about.file, known, stages)?;
    model.take_over(about);
    // What needs all rows before it learns has them mapped by what all of them made of the map.
    if fresh.spec.algorithm().learns() != Learns::RowByRow {
        grow(&mut model.stages, data, max_memory)?;
    }
    if let Some(weights) = &fresh.class_weights {
        model.class_weights = weights.resolve(&fresh.spec, &model.classes, Some(data))?;
    }
    Ok(model)
}

/// Lets stages grow by all rows, some at once.
fn grow(stages: &mut Stages, data: &mut dyn Source, max_memory: u64) -> Result<()> {
    let (mut block, mut held, mut scratch) = (Rows::default(), Scratch::default(), Scratch::default());
    for i in 0..data.len() {
        if !stages.grow() {
            break;
        }
        block.push_row(data.entry(i, &mut held)?.x);
        if block.len() == stages.block() || i + 1 == data.len() {
            let met = stages.meet_each(&block, max_memory, &mut scratch, |_, _| ControlFlow::Continue(()));
            let about = || Message::from(format!("{}: ", data.about().file));
            met.map_err(|message| Error::Memory(about().and(message)))?;
            block.clear();
        }
    }
    Ok(())
}

/// A model that has met no row, of which so much is known; its stages must not have to read any. `first` gives so many
/// of those to come.
pub(crate) fn blank_model(
    fresh: &Recipe,
    classes: Classes,
    file: &str,
    known: Expected,
    first: impl Fn(usize) -> Rows,
) -> Result<Model> {
    if let Some(stage) = fresh.reads_all() {
        return Err(Error::usage(format!("{} has to read all rows first", stage.kind().name)));
    }
    let mut stages = Stages::new(&fresh.stages);
    let first = if fresh.waits_for_width() { first(ROWS_FOR_WIDTHS) } else { Rows::default() };
    let fresh = fresh.settled(&mut stages, &first, file)?;
    let mut model = fresh_model(&fresh, classes, file, known, stages)?;
    weigh_classes(&fresh, &mut model)?;
    Ok(model)
}

/// A model that has met no row of `file`, of which so much is known.
fn fresh_model(fresh: &Recipe, classes: Classes, file: &str, known: Expected, stages: Stages) -> Result<Model> {
    fresh.check()?;
    let mut model = Model::new(fresh.spec.clone(), classes).calibrated(fresh.calibrate);
    model.stages = stages;
    model.shuffle = fresh.shuffle;
    model.features = known.features.unwrap_or(0);
    // However many features there are, a map makes a number of components that it knows.
    let features = known.features.or(model.stages.in_slot(Slot::Map).map(|_| 0));
    let after = features.map(|features| model.stages.features_after(features));
    let expected = Expected { features: after, ..known };
    let about = format!("{file}: {}: ", fresh.spec.algorithm().name);
    let refused = |reason: Message| Error::Memory(Message::from(about.as_str()).and(reason));
    model.learner.prepare(&expected).map_err(refused)?;
    let bytes = model.learner.memory(after.unwrap_or(0));
    let (after, is_too_much) = (after.unwrap_or(0), |bytes| known.max_memory.is_some_and(|most| bytes > most));
    let Some(map) = model.stages.in_slot(Slot::Map) else {
        if is_too_much(bytes) {
            return Err(refused(too_many_features(after, bytes)));
        }
        return Ok(model);
    };
    if is_too_much(bytes) {
        let need = format!("the {after} components that {} makes need {}", map.kind().name, size(bytes));
        return Err(refused(Message::beyond_memory(need)));
    }
    let growth = model.stages.growth(known.rows.unwrap_or(usize::MAX));
    if is_too_much(growth.saturating_add(bytes)) {
        let need = format!("{file}: {map} may need {}", size(growth));
        return Err(Error::Memory(Message::beyond_memory(need)));
    }
    Ok(model)
}

/// What the classes weigh where their rows have yet to come.
fn weigh_classes(fresh: &Recipe, model: &mut Model) -> Result<()> {
    if let Some(weights) = &fresh.class_weights {
        model.class_weights = weights.resolve(&fresh.spec, &model.classes, None)?;
    }
    Ok(())
}

impl Model {
    /// Takes over what the reader knows about features and labels.
    pub(crate) fn take_over(&mut self, about: &About) {
        self.features = self.features.max(about.features);
        self.vocabulary = about.vocabulary.clone();
        self.csv = about.csv.clone();
        self.encoding = about.encoding;
        self.classes.take_names(&about.labels);
    }
}

/// What reading all rows before the first trial found.
struct Survey {
    /// The stages, which have read what they must.
    stages: Stages,
    features: usize,
    rows: usize,
}

/// Reads a whole file before the first trial, as often as stages or the learner need it.
fn survey(plan: &Plan, fresh: &Recipe) -> Result<Option<Survey>> {
    let is_mapped = fresh.stages.iter().any(|stage| stage.kind().slot == Slot::Map);
    let counts = fresh.spec.needs_feature_count() && plan.read.features.is_none() && !is_mapped;
    if plan.input.is_stream() || fresh.reads_all().is_none() && !counts {
        return Ok(None);
    }
    let mut survey = Survey { stages: Stages::new(&fresh.stages), features: 0, rows: 0 };
    let limit = plan.keep.limit.map_or(usize::MAX, |limit| limit as usize);
    loop {
        let (mut reader, _) = open(&plan.input, &plan.read)?;
        let (mut batch, mut scratch) = (Batch::default(), Scratch::default());
        survey.rows = 0;
        while survey.rows < limit && reader.read(&mut batch)? {
            let wanted = batch.len().min(limit - survey.rows);
            survey.rows += wanted;
            if survey.stages.unread().is_some() {
                let features = batch.rows.dimension();
                require_memory_to_read(&survey.stages, features, plan.keep.max_memory, &plan.input.name())?;
                (0..wanted).for_each(|i| survey.stages.survey(batch.rows.row(i), &mut scratch));
            }
        }
        survey.features = plan.read.features.unwrap_or(reader.features());
        survey.stages.end_survey(survey.features);
        if survey.stages.unread().is_none() {
            return Ok(Some(survey));
        }
    }
}

/// Refuses features of which not even what the next stage reads fits in memory.
fn require_memory_to_read(stages: &Stages, features: usize, max_memory: u64, file: &str) -> Result<()> {
    let bytes = stages.memory_to_read(features);
    match stages.unread().filter(|_| bytes > max_memory) {
        Some(stage) => {
            let about = Message::from(format!("{file}: {}: ", stage.kind().name));
            Err(Error::Memory(about.and(too_many_features(features, bytes))))
        }
        None => Ok(()),
    }
}
