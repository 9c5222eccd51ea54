//! How many passes are best: rows held out of the training rows tell when more of them do not help.

use std::sync::Arc;

use super::new_model::model_for;
use super::passes::{Passes, Passing, pass_over};
use super::progressive::{Seconds, Watch};
use super::recipe::Recipe;
use super::source::Source;
use super::split::{hold_out, permutation, rows_held_out};
use super::test::score_rows;
use crate::data::{About, Classes, Classifier, Entry, Order};
use crate::error::Result;
use crate::metrics::{Metric, Metrics, Tally};
use crate::model::Model;
use crate::random::Random;
use crate::space::Scratch;
use crate::spec::Learns;

/// The share of the training rows that is held out.
const SHARE: f64 = 0.2;
/// So many passes that are no better are the end.
const PATIENCE: u64 = 2;

/// Some rows of a source.
struct RowSubset<'a> {
    all: &'a mut dyn Source,
    rows: &'a [usize],
}

impl Source for RowSubset<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn about(&self) -> &Arc<About> {
        self.all.about()
    }

    fn entry<'a>(&'a mut self, k: usize, constant: Option<f64>, scratch: &'a mut Scratch) -> Result<Entry<'a>> {
        self.all.entry(self.rows[k], constant, scratch)
    }

    fn foresee(&self, k: usize) {
        self.all.foresee(self.rows[k]);
    }

    fn announce(&self, k: usize) {
        self.all.announce(self.rows[k]);
    }

    fn id(&self, k: usize) -> u64 {
        self.all.id(self.rows[k])
    }
}

/// Lets a run be stopped, and tells nobody else of it.
struct StopWatch<'a>(&'a mut dyn Watch);

impl Watch for StopWatch<'_> {
    fn pause(&mut self, _model: &Model) -> Result<bool> {
        self.0.tick().map(|()| false)
    }

    fn tick(&mut self) -> Result<()> {
        self.0.tick()
    }
}

/// The number of passes, at most `most`, after which a learner taught with the other rows does best on those held out,
/// by the metric of its recipe; the first of equal ones. The rows held out, and the order of the others, follow from
/// the seed of the shuffle.
pub(crate) fn best_passes(
    data: &mut dyn Source,
    classes: &Classes,
    features: usize,
    fresh: &Recipe,
    most: u64,
    max_memory: u64,
    watch: &mut dyn Watch,
) -> Result<u64> {
    if fresh.spec.algorithm().learns() != Learns::RowByRow || most < 2 {
        return Ok(1);
    }
    let about = data.about().clone();
    let (mut classifier, mut scratch) = (Classifier::new(classes.clone()), Scratch::default());
    let mut numbers = Vec::with_capacity(data.len());
    for i in 0..data.len() {
        let label = data.entry(i, None, &mut scratch)?.label;
        numbers.push(classifier.class_of(label, &about.labels).unwrap_or(0));
    }
    let seed = fresh.shuffle.unwrap_or(0);
    let order = permutation(data.len(), &mut Random::new(seed));
    let mut split = hold_out(&numbers, &order, rows_held_out(&numbers, SHARE));
    let is_met = |class: usize| split.train.iter().any(|&row| numbers[row] == class);
    if split.test.is_empty() || !(0..classes.len()).all(is_met) {
        return Ok(1);
    }
    if fresh.shuffle.is_none() {
        split.train.sort_unstable();
    }
    let (mut seconds, mut quiet) = (Seconds::default(), StopWatch(watch));
    let mut train = RowSubset { all: data, rows: &split.train };
    let mut model = model_for(fresh, classes.clone(), &mut train, features, max_memory)?;
    let mut best: Option<(u64, Metrics)> = None;
    for pass in 1..=most {
        let mut order = match fresh.shuffle {
            Some(seed) => Order::shuffled(split.train.len(), seed)?,
            None => Order::file(split.train.len()),
        };
        order.skip_passes(pass - 1);
        let passing = Passing { order, passes: Passes::Exactly(1), resumes_pass: false, max_memory };
        let mut train = RowSubset { all: data, rows: &split.train };
        pass_over(&mut model, &mut train, passing, &mut quiet, &mut seconds)?;
        let mut tally = Tally::of(&model);
        score_rows(&model, &mut RowSubset { all: data, rows: &split.test }, |row| row.count(&mut tally))?;
        let figures = tally.finish();
        match &best {
            Some((_, fewest)) if !is_better(&figures, fewest, fresh.metric) => {}
            _ => best = Some((pass, figures)),
        }
        if best.as_ref().is_some_and(|(best, _)| pass >= best + PATIENCE) {
            break;
        }
    }
    Ok(best.map_or(1, |(pass, _)| pass))
}

/// By this metric, or by errors where it is not known, as of probabilities that nobody asked for.
fn is_better(one: &Metrics, another: &Metrics, metric: &Metric) -> bool {
    match (metric.of)(one).zip((metric.of)(another)) {
        Some((one, another)) => metric.is_better(one, another),
        None => one.wrong() < another.wrong(),
    }
}
