//! A whole run of a batch learner: from a file to a model.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::new_model::model_for;
use super::plan::{Plan, RunResult, doubt};
use super::progressive::{Seconds, Watch, refused_label};
use super::recipe::Recipe;
use super::source::Source;
use super::test::Errors;
use crate::data::{About, Classes, Classifier, Dataset};
use crate::error::{Cure, Error, FileNames, Message, Result, size};
use crate::learner::{Epochs, FitsAll, Label, Leaves, Sample, Training};
use crate::model::Model;
use crate::parallel;
use crate::space::{Rows, Scratch};
use crate::spec::{AnyLearner, Value};
use crate::stage::Passage;

/// Reads all rows and learns from them at once.
pub(crate) fn fit(plan: &Plan, fresh: &Recipe, watch: &mut dyn Watch) -> Result<RunResult> {
    let mut seconds = Seconds::default();
    let reading = Instant::now();
    let (mut data, bad) = Dataset::load(&plan.input, &plan.read, &plan.keep, |meter| watch.reading(meter))?;
    bad.iter().for_each(|error| watch.bad_row(error));
    let about = data.about().clone();
    let classes = Classes::decide(&about.labels, &plan.labels, &about.file)?;
    classes.require_positive(&about.labels, &about.file)?;
    doubt(&classes, &about, watch);
    let features = plan.read.features.unwrap_or(about.features);
    let model = model_for(fresh, classes, &mut data, features, plan.keep.max_memory)?;
    let lesson = lesson(&model, &mut data, plan.keep.max_memory)?;
    drop(data);
    seconds.read = reading.elapsed().as_secs_f64();
    fit_lesson(model, &lesson, &about, None, seconds, watch)
}

/// Rows as the learner sees them, with their classes.
pub(crate) struct StagedRows {
    /// The rows; with two classes also their labels.
    sample: Sample,
    /// The class of each by number, and its line.
    classes: Vec<(usize, u64)>,
}

impl StagedRows {
    /// The rows of class `k` against the rest.
    fn against_rest(&self, k: usize) -> Result<Sample> {
        self.sample.relabelled(self.classes.iter().map(|&(class, _)| Label::one_of(class == k)))
    }

    /// Refuses rows that leave a class without any.
    fn require_all_classes(&self, classes: &Classes) -> Result<()> {
        let mut met = vec![false; classes.len()];
        self.classes.iter().zip(self.sample.units()).for_each(|(&(class, _), &units)| met[class] |= units > 0);
        match met.iter().position(|met| !met) {
            None => Ok(()),
            Some(missing) if classes.len() > 2 => {
                let name = classes.name(missing);
                Err(self
                    .sample
                    .refusal(format!("no row is of class '{name}'; a batch learner needs rows of every class")))
            }
            Some(missing) => {
                let name = classes.name(1 - missing);
                Err(self
                    .sample
                    .refusal(format!("every row is of class '{name}'; a batch learner needs rows of both classes")))
            }
        }
    }
}

/// All rows, staged, with classes and weights.
pub(crate) fn lesson(model: &Model, data: &mut dyn Source, max_memory: u64) -> Result<StagedRows> {
    let about = data.about().clone();
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut held, mut passage) = (Scratch::default(), Passage::default());
    let (mut rows, mut classes, mut weights) = (Rows::default(), Vec::new(), Vec::new());
    for i in 0..data.len() {
        let entry = data.entry(i, None, &mut held)?;
        let Some(class) = classifier.class_of(entry.label, &about.labels) else {
            return Err(refused_label(&about, &entry, &model.classes));
        };
        passage.push(&model.stages, entry.x, &mut rows);
        classes.push((class, entry.line));
        weights.push(entry.weight * model.class_weight(class));
        if rows.bytes() as u64 > max_memory {
            let message = format!("{}: its rows do not fit in {} of memory", about.file, size(max_memory));
            return Err(Error::Memory(Message::from(message).and(Cure::RaiseMemory)));
        }
    }
    passage.end(&model.stages, &mut rows);
    let labels: Vec<Label> = classes.iter().map(|&(class, _)| Label::of_class(class)).collect();
    let sample = Sample::new(&about.file, rows, &labels, &weights, model.stages.unit_ranges())?;
    let kept = classes.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0);
    let classes: Vec<(usize, u64)> = kept.map(|(class, _)| class).collect();
    let lesson = StagedRows { sample: sample.at_lines(&about.file, classes.iter().map(|(_, line)| *line)), classes };
    lesson.require_all_classes(&model.classes)?;
    Ok(lesson)
}

/// Rows that a batch learner is tested on after some of its epochs, as it sees them.
pub(crate) struct Checkpoints<'a> {
    /// After which epochs, rising.
    epochs: &'a [u64],
    rows: Rows,
    file: FileNames,
    /// The class of each row by number, and its line.
    classes: Vec<(usize, u64)>,
}

impl<'a> Checkpoints<'a> {
    /// These rows as the model sees them; those without a class of its own are left out.
    pub(crate) fn new(model: &Model, epochs: &'a [u64], data: &mut dyn Source) -> Result<Checkpoints<'a>> {
        let about = data.about().clone();
        let mut classifier = Classifier::new(model.classes.clone());
        let (mut held, mut passage) = (Scratch::default(), Passage::default());
        let file = about.file.clone();
        let mut checkpoints = Checkpoints { epochs, rows: Rows::default(), file, classes: Vec::new() };
        for i in 0..data.len() {
            let entry = data.entry(i, None, &mut held)?;
            if let Some(class) = classifier.class_of(entry.label, &about.labels) {
                passage.push(&model.stages, entry.x.within(model.features), &mut checkpoints.rows);
                checkpoints.classes.push((class, entry.line));
            }
        }
        passage.end(&model.stages, &mut checkpoints.rows);
        Ok(checkpoints)
    }

    /// What these scores, one or as many as there are classes for each row, get wrong.
    fn errors(&self, scores: &[f64]) -> Result<Errors> {
        counted(scores, &self.classes, &self.file)
    }
}

/// What these scores, one or as many as there are classes for each row, get wrong.
fn counted(scores: &[f64], classes: &[(usize, u64)], file: &FileNames) -> Result<Errors> {
    let mut errors = Errors::default();
    let width = scores.len() / classes.len().max(1);
    let mut rows = scores.chunks_exact(width.max(1)).zip(classes);
    rows.try_for_each(|(scores, &(class, line))| errors.add(scores, class, file, line))?;
    Ok(errors)
}

/// Learns, and counts what the model then gets wrong.
pub(crate) fn fit_lesson(
    mut model: Model,
    lesson: &StagedRows,
    about: &About,
    checkpoints: Option<&Checkpoints<'_>>,
    mut seconds: Seconds,
    watch: &mut dyn Watch,
) -> Result<RunResult> {
    let learning = Instant::now();
    let sample = &lesson.sample;
    let asked = ["rounds", "epochs"].iter().find_map(|key| match model.spec.get(key) {
        Some(Value::Number(number)) => Some(number as u64),
        _ => None,
    });
    let mut following = EpochRelay { watch, sample, asked, last: None, checkpoints, scores: Vec::new() };
    let errors = if model.learner.is_alone() {
        fit_alone(&mut model, sample, &mut following)?
    } else {
        fit_each_class(&mut model, lesson, &about.file, &mut following)?
    };
    let scores = std::mem::take(&mut following.scores);
    model.counts.rows = sample.len() as u64;
    lesson.classes.iter().for_each(|&(class, _)| model.counts.count_class(class));
    seconds.learn = learning.elapsed().as_secs_f64();
    let mut outcome = RunResult::new(model, about, seconds)?;
    outcome.train = Some(Errors { examples: sample.len() as u64, errors });
    if let Some(checkpoints) = checkpoints {
        let tested = scores.iter().map(|(epoch, scores)| Ok((*epoch, checkpoints.errors(scores)?)));
        outcome.tested = tested.collect::<Result<_>>()?;
    }
    Ok(outcome)
}

fn batch(learner: &mut AnyLearner) -> Result<&mut dyn FitsAll> {
    learner.fits_all().ok_or_else(|| Error::usage("this learner does not learn from all rows at once"))
}

/// Learns to tell two classes apart; gives the training errors.
fn fit_alone(model: &mut Model, sample: &Sample, following: &mut EpochRelay<'_>) -> Result<u64> {
    let learner = &mut model.learner.apart_mut()[0];
    batch(learner)?.fit(sample, following)?;
    following.fill()?;
    score_left_out(following.checkpoints, &learner.leaves(), &mut following.scores);
    let mut scores = Vec::new();
    learner.leaves().scores(sample.rows(), &mut scores);
    Ok(sample.errors_of(scores.into_iter())?.rows)
}

/// Learns to tell each class from the rest, all of them independently and at once; gives the training
/// errors of the largest score.
fn fit_each_class(
    model: &mut Model,
    lesson: &StagedRows,
    file: &FileNames,
    following: &mut EpochRelay<'_>,
) -> Result<u64> {
    let (stop, wants_epochs) = (AtomicBool::new(false), following.watch.wants_epochs());
    let checkpoints = following.checkpoints;
    let learners = model.learner.apart_mut();
    let fit = |k: usize, learner: &mut AnyLearner| {
        let mut log = ClassLog { stop: &stop, wants_epochs, checkpoints, epochs: Vec::new(), scores: Vec::new() };
        batch(learner)?.fit(&lesson.against_rest(k)?, &mut log)?;
        score_left_out(checkpoints, &learner.leaves(), &mut log.scores);
        Ok((log.epochs, log.scores))
    };
    // The watch stays on this thread, and looks on while the others learn.
    let logs: Vec<Result<_>> = thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        scope.spawn(move || send.send(parallel::map_mut(true, learners, fit)));
        loop {
            match results.recv_timeout(Duration::from_millis(20)) {
                Ok(logs) => return Ok(logs),
                Err(RecvTimeoutError::Timeout) => {
                    following.tick().inspect_err(|_| stop.store(true, Ordering::Relaxed))?
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()), // it panicked, which the scope passes on
            }
        }
    })?;
    let (epochs, scores): (Vec<_>, Vec<_>) = logs.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    following.tell_all(&epochs)?;
    following.scores = interleaved(&scores);
    let scores = model.learner.scores(lesson.sample.rows());
    Ok(counted(&scores, &lesson.classes, file)?.errors)
}

/// Scores after some epochs.
type EpochScores = Vec<(u64, Vec<f64>)>;

/// The scores of all classes side by side, row after row; every class has those of the same epochs.
fn interleaved(of_class: &[EpochScores]) -> EpochScores {
    let Some(first) = of_class.first() else { return Vec::new() };
    let at = |(place, (epoch, scores)): (usize, &(u64, Vec<f64>))| {
        let of_row = |i: usize| of_class.iter().map(move |scores| scores[place].1[i]);
        (*epoch, (0..scores.len()).flat_map(of_row).collect())
    };
    first.iter().enumerate().map(at).collect()
}

/// Scores the rows of the checkpoints that were not reached: an epoch that an early stop left out has the hypothesis
/// of the end. Other classes may have gone on.
fn score_left_out(checkpoints: Option<&Checkpoints<'_>>, end: &Leaves<'_>, scores: &mut EpochScores) {
    let reached = scores.last().map(|(epoch, _)| *epoch);
    for &epoch in checkpoints.iter().flat_map(|checkpoints| checkpoints.epochs).filter(|&&epoch| Some(epoch) > reached)
    {
        score_at(checkpoints, epoch, end, scores);
    }
}

/// Scores the rows of the checkpoints with this hypothesis, if they are wanted after this epoch.
fn score_at(checkpoints: Option<&Checkpoints<'_>>, epoch: u64, hypothesis: &Leaves<'_>, scores: &mut EpochScores) {
    if let Some(checkpoints) = checkpoints.filter(|checkpoints| checkpoints.epochs.contains(&epoch)) {
        let mut of_rows = Vec::with_capacity(checkpoints.rows.len());
        hypothesis.scores(&checkpoints.rows, &mut of_rows);
        scores.push((epoch, of_rows));
    }
}

/// What one of several learners, learning at once, has to tell.
struct ClassLog<'a> {
    stop: &'a AtomicBool,
    wants_epochs: bool,
    checkpoints: Option<&'a Checkpoints<'a>>,
    epochs: Vec<(u64, Training)>,
    scores: EpochScores,
}

impl Epochs for ClassLog<'_> {
    fn wants(&self, epoch: u64) -> bool {
        self.wants_epochs || self.checkpoints.is_some_and(|checkpoints| checkpoints.epochs.contains(&epoch))
    }

    fn tick(&mut self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn epoch(&mut self, epoch: u64, training: Training, hypothesis: &Leaves<'_>) -> Result<()> {
        self.epochs.push((epoch, training));
        score_at(self.checkpoints, epoch, hypothesis, &mut self.scores);
        self.tick()
    }
}

/// Hands each epoch on to the watch of the run.
struct EpochRelay<'a> {
    watch: &'a mut dyn Watch,
    sample: &'a Sample,
    /// How many epochs were asked for.
    asked: Option<u64>,
    last: Option<(u64, Training)>,
    checkpoints: Option<&'a Checkpoints<'a>>,
    scores: EpochScores,
}

impl EpochRelay<'_> {
    /// The epochs that an early stop left out.
    fn fill(&mut self) -> Result<()> {
        if let (Some((last, training)), Some(asked)) = (self.last, self.asked.filter(|_| self.watch.wants_epochs())) {
            for epoch in last + 1..=asked {
                self.note(epoch, training)?;
            }
        }
        Ok(())
    }

    /// All epochs of several learners, their errors added up; one that stopped early stays as it was.
    fn tell_all(&mut self, logs: &[Vec<(u64, Training)>]) -> Result<()> {
        let last = logs.iter().flatten().map(|(epoch, _)| *epoch).max();
        let Some(last) = last.filter(|_| self.watch.wants_epochs()) else { return Ok(()) };
        for epoch in 0..=last.max(self.asked.unwrap_or(0)) {
            let at_epoch =
                |log: &Vec<(u64, Training)>| log[..log.partition_point(|(e, _)| *e <= epoch)].last().map(|(_, t)| *t);
            let add = |(rows, units): (u64, f64), t: Training| (rows + t.rows, units + t.units as f64);
            let (rows, units) = logs.iter().filter_map(at_epoch).fold((0, 0.0), add);
            self.tell(epoch, logs.len(), rows, units)?;
        }
        Ok(())
    }

    fn note(&mut self, epoch: u64, training: Training) -> Result<()> {
        self.last = Some((epoch, training));
        self.tell(epoch, 1, training.rows, training.units as f64)
    }

    fn tell(&mut self, epoch: u64, learners: usize, errors: u64, units: f64) -> Result<()> {
        self.watch.epoch(&Epoch {
            epoch,
            asked: self.asked,
            errors: Errors { examples: (self.sample.len() * learners) as u64, errors },
            weighted: (!self.sample.has_equal_weights())
                .then(|| units / (self.sample.total() as f64 * learners as f64)),
        })
    }
}

impl Epochs for EpochRelay<'_> {
    fn wants(&self, epoch: u64) -> bool {
        self.watch.wants_epochs() || self.checkpoints.is_some_and(|checkpoints| checkpoints.epochs.contains(&epoch))
    }

    fn tick(&mut self) -> Result<()> {
        self.watch.tick()
    }

    fn search(&mut self, done: usize, of: usize) -> Result<()> {
        self.watch.search(done, of)
    }

    fn epoch(&mut self, epoch: u64, training: Training, hypothesis: &Leaves<'_>) -> Result<()> {
        score_at(self.checkpoints, epoch, hypothesis, &mut self.scores);
        self.note(epoch, training)
    }
}

/// How far a batch learner has come.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// Epochs done; 0 is the start.
    pub epoch: u64,
    /// Epochs asked for, if it counts them.
    pub asked: Option<u64>,
    /// Training rows with y·f(x) ≤ 0; for more than two classes the errors and the rows of every learner, added up.
    pub errors: Errors,
    /// Their share of all sample weight, where rows differ in it.
    pub weighted: Option<f64>,
}
