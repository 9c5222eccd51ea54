//! How many rows a finished model gets wrong.

use super::progressive::Watch;
use super::source::Source;
use crate::data::{About, Batch, Classifier, Input, LabelsWanted, NO_LABEL, ReadOptions, missing_label, open};
use crate::ensemble::predicted_class;
use crate::error::{Error, FileNames, Message, Result};
use crate::learner::Label;
use crate::metrics::{Metrics, Tally};
use crate::model::{Model, ScoreScratch};
use crate::space::{Rows, Scratch};

/// Errors of the predicted class: f(x) ≥ 0 ⇒ +1, or the largest score of more than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Rows tried.
    pub examples: u64,
    /// Rows whose predicted label was wrong.
    pub errors: u64,
}

impl Errors {
    /// One more row, of this line, with its scores: one alone or as many as there are classes. Refuses a row whose
    /// scores are not all finite: they predict nothing.
    pub fn add(&mut self, scores: &[f64], class: usize, file: &FileNames, line: u64) -> Result<()> {
        self.examples += 1;
        self.errors += u64::from(predicted(scores, file, line)? != class);
        Ok(())
    }

    /// The share of rows that were wrong.
    pub fn rate(&self) -> f64 {
        if self.examples == 0 { 0.0 } else { self.errors as f64 / self.examples as f64 }
    }
}

impl From<&Metrics> for Errors {
    fn from(metrics: &Metrics) -> Errors {
        Errors { examples: metrics.rows(), errors: metrics.wrong() }
    }
}

impl Model {
    /// How data must be read for this model.
    pub fn read_options(&self) -> ReadOptions {
        let vocabulary = Some(self.vocabulary.clone().frozen());
        let encoding = Some(self.encoding);
        ReadOptions { vocabulary, schema: self.csv.clone(), encoding, ..ReadOptions::default() }
    }
}

/// What a finished model does on labelled rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margins {
    /// Errors of the predicted label.
    pub(crate) errors: Errors,
    /// min y·f(x), the functional margin, over all learners where there are more than two classes.
    pub(crate) least: f64,
}

impl Margins {
    fn new() -> Margins {
        Margins { errors: Errors::default(), least: f64::INFINITY }
    }

    fn add(&mut self, row: &ScoredRow<'_>) -> Result<()> {
        let &ScoredRow { scores, class, file, line } = row;
        self.errors.add(scores, class, file, line)?;
        let y = |k: usize| if scores.len() == 1 { Label::of_class(class) } else { Label::one_of(class == k) };
        let least = scores.iter().enumerate().map(|(k, score)| y(k).sign() * score).fold(f64::INFINITY, f64::min);
        self.least = self.least.min(least);
        Ok(())
    }
}

/// The model on the first `limit` rows of a labelled file; `watch` is told of rows left out, and of values that the
/// model does not know.
pub fn test(
    model: &Model,
    input: &Input,
    options: &ReadOptions,
    limit: Option<u64>,
    watch: &mut dyn Watch,
) -> Result<Metrics> {
    let mut tally = Tally::of(model);
    let about = score_file(model, input, options, limit, |error| watch.bad_row(error), |row| row.count(&mut tally))?;
    for unseen in about.unseen_values() {
        watch.warn(&Message::from(format!("{}: ", input.name())).and(unseen));
    }
    Ok(tally.finish())
}

/// How far the model is from erring on the first `limit` rows of a labelled file.
pub(crate) fn margins_of_file(
    model: &Model,
    input: &Input,
    options: &ReadOptions,
    limit: Option<u64>,
) -> Result<Margins> {
    let mut margins = Margins::new();
    score_file(model, input, options, limit, |_| (), |row| margins.add(&row))?;
    Ok(margins)
}

/// How far the model is from erring on rows held.
pub(crate) fn margins_of_rows(model: &Model, data: &mut dyn Source) -> Result<Margins> {
    let mut margins = Margins::new();
    score_rows(model, data, |row| margins.add(&row))?;
    Ok(margins)
}

/// A labelled row with its scores: one alone or as many as there are classes.
pub(crate) struct ScoredRow<'a> {
    scores: &'a [f64],
    class: usize,
    file: &'a FileNames,
    line: u64,
}

impl ScoredRow<'_> {
    /// Counts the row among those tested.
    pub(crate) fn count(&self, tally: &mut Tally) -> Result<()> {
        tally.add(self.class, predicted(self.scores, self.file, self.line)?, self.scores);
        Ok(())
    }
}

/// Hands on the first `limit` rows of a labelled file with their scores; gives what was found out about it.
fn score_file(
    model: &Model,
    input: &Input,
    options: &ReadOptions,
    limit: Option<u64>,
    mut bad_row: impl FnMut(&Error),
    mut each: impl FnMut(ScoredRow<'_>) -> Result<()>,
) -> Result<About> {
    let labels = LabelsWanted::Of(model.classes.clone());
    let (mut reader, _) = open(input, &ReadOptions { labels, ..options.clone() })?;
    let file = input.names();
    let limit = limit.unwrap_or(u64::MAX);
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut batch, mut scratch, mut rows) = (Batch::default(), ScoreScratch::default(), 0);
    while rows < limit && reader.read(&mut batch)? {
        batch.bad.iter().for_each(&mut bad_row);
        let scores = model.scores(&batch.rows, &mut scratch);
        for (i, scores) in scores.chunks_exact(model.learner.len()).enumerate() {
            if rows == limit {
                break;
            }
            let (label, line) = (batch.labels[i], batch.lines[i]);
            let Some(class) = classifier.class_of(label, reader.labels()) else {
                if label == NO_LABEL {
                    return Err(missing_label(&file, line));
                }
                let message = model.classes.unknown(reader.labels().text(label), reader.labels());
                return Err(Error::row(file.place(line), message));
            };
            each(ScoredRow { scores, class, file: &file, line })?;
            rows += 1;
        }
    }
    if rows == 0 {
        return Err(Error::data(&file, "has no rows to test on"));
    }
    Ok(reader.about().clone())
}

/// Hands on rows held with their scores; those without a class of the model's are left out.
pub(crate) fn score_rows(
    model: &Model,
    data: &mut dyn Source,
    mut each: impl FnMut(ScoredRow<'_>) -> Result<()>,
) -> Result<()> {
    let about = data.about().clone();
    let file = &about.file;
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut held, mut scratch, mut rows) = (Scratch::default(), ScoreScratch::default(), Rows::default());
    let mut classes = Vec::new();
    for i in 0..data.len() {
        let entry = data.entry(i, None, &mut held)?;
        if let Some(class) = classifier.class_of(entry.label, &about.labels) {
            rows.push_row(entry.x);
            classes.push((class, entry.line));
        }
        if rows.len() == BLOCK || i + 1 == data.len() {
            let scores = model.scores(&rows, &mut scratch);
            for (scores, (class, line)) in scores.chunks_exact(model.learner.len()).zip(classes.drain(..)) {
                each(ScoredRow { scores, class, file, line })?;
            }
            rows.clear();
        }
    }
    Ok(())
}

/// The class that the scores of a row predict.
fn predicted(scores: &[f64], file: &FileNames, line: u64) -> Result<usize> {
    predicted_class(scores).ok_or_else(|| {
        let score = scores.iter().copied().find(|score| !score.is_finite()).unwrap_or(f64::NAN);
        let message = format!("the score is {score}: the numbers are too large");
        Error::row(file.place(line), message)
    })
}

/// Rows scored at a time.
const BLOCK: usize = 256;
