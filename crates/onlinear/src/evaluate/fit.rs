//! A whole run of a batch learner: from a file to a model.

use std::time::Instant;

use super::held::Source;
use super::learn::{Fresh, Outcome, Plan, model_for};
use super::progressive::{Seconds, Watch, refused_label};
use super::test::Errors;
use crate::algorithm::Value;
use crate::batch::{Epochs, Sample, Training};
use crate::data::{About, Classes, Classifier, Dataset, ScaleKind, Scratch};
use crate::error::{Error, Result, size};
use crate::learner::Label;
use crate::model::Model;
use crate::space::Rows;

/// Reads all rows and learns from them at once.
pub(crate) fn fit(plan: &Plan, fresh: &Fresh, watch: &mut dyn Watch) -> Result<Outcome> {
    let mut seconds = Seconds::default();
    let reading = Instant::now();
    let (mut data, bad) = Dataset::load(&plan.input, &plan.read, &plan.keep, |meter| watch.reading(meter))?;
    bad.iter().for_each(|error| watch.bad_row(error));
    let about = data.about().clone();
    let classes = Classes::decide(&about.labels, &plan.labels, &about.file)?;
    let features = plan.read.features.unwrap_or(about.features);
    let model = model_for(fresh, classes, &mut data, features, plan.keep.max_memory)?;
    let sample = sample(&model, &mut data, plan.keep.max_memory)?;
    drop(data);
    seconds.read = reading.elapsed().as_secs_f64();
    fit_sample(model, &sample, &about, seconds, watch)
}

/// The rows as the learner sees them, with labels and weights.
pub(crate) fn sample(model: &Model, data: &mut dyn Source, max_memory: u64) -> Result<Sample> {
    let about = data.about().clone();
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut held, mut scratch) = (Scratch::default(), Scratch::default());
    let (mut rows, mut labels, mut weights) = (Rows::default(), Vec::new(), Vec::new());
    for i in 0..data.len() {
        let entry = data.entry(i, &mut held)?;
        let Some(y) = classifier.class_of(entry.label, &about.labels) else {
            return Err(refused_label(&about, &entry, &model.classes));
        };
        rows.push_row(model.stages.apply(entry.x, &mut scratch));
        labels.push(y);
        weights.push(entry.weight);
        if rows.bytes() as u64 > max_memory {
            let file = &about.file;
            let most = size(max_memory);
            return Err(Error::Memory(format!("{file}: its rows do not fit in {most} of memory; raise --max-memory")));
        }
    }
    let is_scaled = model.stages.scale.as_ref().is_some_and(|scale| scale.kind() == ScaleKind::MinMax);
    let sample = Sample::new(&about.file, rows, &labels, &weights, is_scaled)?;
    if !sample.has_both_classes() {
        let name = model.classes.name(if sample.y()[0] > 0.0 { Label::Positive } else { Label::Negative });
        return Err(sample.refusal(format!("every row is of class '{name}'; a batch learner needs rows of both classes")));
    }
    Ok(sample)
}

/// Learns, and counts what the model then gets wrong.
pub(crate) fn fit_sample(
    mut model: Model,
    sample: &Sample,
    about: &About,
    mut seconds: Seconds,
    watch: &mut dyn Watch,
) -> Result<Outcome> {
    let learning = Instant::now();
    let asked = ["rounds", "epochs"].iter().find_map(|key| match model.spec.get(key) {
        Some(Value::Number(number)) => Some(number as u64),
        _ => None,
    });
    let mut following = Following { watch, sample, asked, last: None };
    let name = model.spec.algorithm().name;
    let batch = model.learner.as_batch().ok_or_else(|| Error::usage(format!("{name} is not a batch learner")))?;
    batch.fit(sample, &mut following)?;
    following.fill()?;
    model.counts.rows = sample.len() as u64;
    let mut scores = Vec::new();
    model.learner.outputs(sample.rows(), &mut scores);
    let errors = sample.errors_of(scores.into_iter()).rows;
    seconds.learn = learning.elapsed().as_secs_f64();
    let mut outcome = Outcome::new(model, about, seconds)?;
    outcome.train = Some(Errors { examples: sample.len() as u64, errors });
    Ok(outcome)
}

/// Hands each epoch on to the watch of the run.
struct Following<'a> {
    watch: &'a mut dyn Watch,
    sample: &'a Sample,
    /// How many epochs were asked for.
    asked: Option<u64>,
    last: Option<(u64, Training)>,
}

impl Following<'_> {
    /// The epochs that an early stop left out.
    fn fill(&mut self) -> Result<()> {
        if let (Some((last, training)), Some(asked)) = (self.last, self.asked.filter(|_| self.watch.wants_epochs())) {
            for epoch in last + 1..=asked {
                self.epoch(epoch, training)?;
            }
        }
        Ok(())
    }
}

impl Epochs for Following<'_> {
    fn wants_errors(&self) -> bool {
        self.watch.wants_epochs()
    }

    fn tick(&mut self) -> Result<()> {
        self.watch.tick()
    }

    fn epoch(&mut self, epoch: u64, training: Training) -> Result<()> {
        self.last = Some((epoch, training));
        self.watch.epoch(&Epoch {
            epoch,
            asked: self.asked,
            errors: Errors { examples: self.sample.len() as u64, errors: training.rows },
            weighted: (!self.sample.has_equal_weights()).then(|| training.units as f64 / self.sample.total() as f64),
        })
    }
}

/// How far a batch learner has come.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// Epochs done; 0 is the start.
    pub epoch: u64,
    /// Epochs asked for, if it counts them.
    pub asked: Option<u64>,
    /// Training rows with y·f(x) ≤ 0.
    pub errors: Errors,
    /// Their share of all sample weight, where rows differ in it.
    pub weighted: Option<f64>,
}
