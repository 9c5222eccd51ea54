//! Rows held out of a run, on which its model is then measured.

use std::time::Instant;

use super::plan::{Plan, RunResult, doubt, unread};
use super::progressive::Watch;
use super::recipe::Recipe;
use super::rows_in_memory::{RowsInMemory, Run};
use super::split::{Split, generators, hold_out, permutation, rows_held_out};
use crate::certificate::{Certificate, Log};
use crate::error::{Error, Message, Request, Result};

/// So few labels are classes, even where there are few rows of each.
const FEW_CLASSES: usize = 20;
/// Many numbers are classes where there are so many rows of each, on average.
const ROWS_OF_A_NUMBER: usize = 50;

/// Which rows are held out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holdout {
    /// The share of each class.
    pub share: f64,
    /// Where the random choice starts.
    pub seed: u64,
}

/// The rows of a plan, of which some are held out.
struct HeldRows<'a> {
    plan: &'a Plan,
    held: RowsInMemory,
    split: Split,
}

impl<'a> HeldRows<'a> {
    /// Reads them. A learner that is not shuffled meets those that it learns from in the order of the file.
    fn load(plan: &'a Plan, holdout: Holdout, recipe: &Recipe, watch: &mut dyn Watch) -> Result<HeldRows<'a>> {
        if plan.input.is_stream() {
            return Err(unread(Request::Holdout, "all rows first"));
        }
        let held = RowsInMemory::load(&plan.input, &plan.read, &plan.labels, &plan.keep, watch)?;
        let mut split = held.splits(Some(holdout.share), holdout.seed, 1)?.swap_remove(0);
        if recipe.shuffle.is_none() && !recipe.spec.is_batch() {
            split.train.sort_unstable();
        }
        Ok(HeldRows { plan, held, split })
    }

    fn run<'b>(&'b self, fresh: &'b Recipe) -> Run<'b> {
        let (passes, max_memory) = (self.plan.passes, self.plan.keep.max_memory);
        Run { fresh, rows: &self.split.train, passes, max_memory, checkpoints: None }
    }
}

/// Learns from the other rows and measures the model on those held out.
pub(crate) fn learn_but_holdout(
    plan: &Plan,
    holdout: Holdout,
    fresh: &Recipe,
    watch: &mut dyn Watch,
) -> Result<RunResult> {
    let reading = Instant::now();
    let rows = HeldRows::load(plan, holdout, fresh, watch)?;
    doubt(rows.held.classes(), rows.held.about(), watch);
    let read = reading.elapsed().as_secs_f64();
    let mut outcome = rows.held.learn(&rows.run(fresh), watch)?;
    outcome.seconds.read += read;
    if plan.train_error {
        outcome.train = Some(rows.held.test(&outcome.model, &rows.split.train)?);
    }
    outcome.held_out = Some(rows.held.metrics(&outcome.model, &rows.split.test)?);
    Ok(outcome)
}

/// The certificate of such a run, which had the trials of `log`; its rows are read again.
pub(crate) fn certify_but_holdout(
    plan: &Plan,
    holdout: Holdout,
    outcome: &RunResult,
    log: &Log,
    confidence: f64,
    watch: &mut dyn Watch,
) -> Result<Certificate> {
    let model = &outcome.model;
    let stages = model.stages.specs().cloned().collect();
    let fresh = Recipe { shuffle: model.shuffle, ..Recipe::of(model.spec.clone(), stages) };
    let rows = HeldRows::load(plan, holdout, &fresh, watch)?;
    rows.held.certify(&rows.run(&fresh), outcome, log, confidence, watch)
}

impl RowsInMemory {
    /// Refuses rows of one class alone.
    pub fn require_classes(&self) -> Result<()> {
        let file = &self.about().file;
        if self.is_empty() {
            return Err(Error::data(file, "has no rows"));
        }
        if (1..self.len()).all(|row| self.class(row) == self.class(0)) {
            self.classes().require_positive(&self.about().labels, file)?;
            return Err(Error::data(file, "every row is of the same class; there is nothing to tell apart"));
        }
        Ok(())
    }

    /// Whether the labels are as many as measurements would make. Other files than tables number their classes.
    fn seem_to_be_measured(&self) -> bool {
        let (rows, classes, is_table) = (self.len(), self.classes().len(), self.about().csv.is_some());
        classes > FEW_CLASSES && classes > rows / 2
            || is_table && rows / classes < ROWS_OF_A_NUMBER && self.classes().are_many_numbers()
    }

    /// Why rows of so many classes cannot be learned from.
    fn measurements_as_labels(&self) -> Message {
        let (rows, classes) = (self.len(), self.classes().len());
        let what = format!("has {classes} labels in {rows} rows, which seem to be measurements");
        Message::from(what + "; a learner tells classes apart: make some of them, such as below and above a value")
    }

    /// The rows of each repeat, in random order; without a `share` that is held out all are learned from.
    pub fn splits(&self, share: Option<f64>, seed: u64, repeats: usize) -> Result<Vec<Split>> {
        let classes: Vec<usize> = (0..self.len()).map(|row| self.class(row)).collect();
        let refuse = |message: Message| Err(Error::data(&self.about().file, message));
        let mut held_out = vec![0; self.classes().len()];
        self.require_classes()?;
        if let Some(share) = share {
            if self.seem_to_be_measured() {
                return refuse(self.measurements_as_labels());
            }
            held_out = self.rows_held_out(&classes, share)?;
            if held_out.iter().sum::<usize>() == 0 {
                let left = format!(" {share} leaves no row of {} to test on", self.len());
                return refuse(Message::from(Request::Holdout).and(left));
            }
        }
        let split = |mut random| hold_out(&classes, &permutation(self.len(), &mut random), held_out.clone());
        Ok(generators(seed, repeats).into_iter().map(split).collect())
    }

    /// How many rows of each class are held out; not the only one of a class, which would leave none to learn it from.
    fn rows_held_out(&self, classes: &[usize], share: f64) -> Result<Vec<usize>> {
        let mut held_out = rows_held_out(classes, share);
        for (class, out) in held_out.iter_mut().enumerate() {
            match classes.iter().filter(|other| **other == class).count() {
                1 => *out = 0,
                count if count > 0 && count == *out => {
                    let name = self.classes().name(class);
                    let all = Message::from(format!("all {count} rows of class '{name}' would be held out with "));
                    let message = all.and(Request::Holdout).and(format!(" {share}; lower it"));
                    return Err(Error::data(&self.about().file, message));
                }
                _ => {}
            }
        }
        Ok(held_out)
    }
}
