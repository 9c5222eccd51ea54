//! The certificate of a run over a file, whose rows are read again.

use super::learn::{Outcome, Plan};
use crate::algorithm::Learns;
use crate::certificate::{self, Certificate, Charged, Log, Run, is_charged};
use crate::data::{Classifier, Dataset, Order, Scratch, missing_label};
use crate::error::{Error, Result};
use crate::learner::Label;
use crate::space::Symmetric;

/// The certificate of the run that followed `plan` and had the trials of `log`.
pub fn certify(plan: &Plan, outcome: &Outcome, log: &Log) -> Result<Certificate> {
    let model = &outcome.model;
    let total = model.counts.total();
    let without = |reason: &str| Ok(Certificate::without(total.mistakes, reason));
    if model.spec.is_batch() {
        return without("a batch learner makes no trials");
    }
    if !model.learner.is_alone() {
        return without("the theorems are about two classes; certify one against the rest with --positive LABEL");
    }
    if log.trials() != total.trials {
        return without("the run went on from a model, whose earlier trials are not known");
    }
    if plan.input.is_stream() {
        return Err(Error::usage("--certificate has to read the rows again, which standard input and pipes do not allow"));
    }
    let (mut data, _) = Dataset::load(&plan.input, &plan.read, &plan.keep, |_| ())?;
    let trials = log.trials();
    if data.len() as u64 * model.counts.passes.len() as u64 != trials {
        return Err(Error::data(&plan.input.name(), "has changed since it was learned from"));
    }
    let Some(charged) = charged(plan, outcome, log, &mut data)? else {
        return without("the sample weights are not all 1");
    };
    let correlations = match model.spec.algorithm().learns {
        Learns::AfterReadingAll => Some(correlations(outcome, &mut data)?),
        _ => None,
    };
    certificate::certify(&Run {
        spec: model.spec.clone(),
        features: model.stages.features_after(model.features),
        charged,
        weights: model.learner.weights(),
        correlations,
        separated: outcome.separated.filter(|&separated| separated).map(|_| data.len() as u64),
    })
}

/// The trials that count, pass after pass; `None` where one of them has a sample weight other than 1.
fn charged(plan: &Plan, outcome: &Outcome, log: &Log, data: &mut Dataset) -> Result<Option<Charged>> {
    let model = &outcome.model;
    let labels = data.about().labels.clone();
    let mut order = match model.shuffle {
        Some(seed) => {
            data.hold(plan.keep.max_memory)?;
            Order::shuffled(data.len(), seed)?
        }
        None => Order::file(data.len()),
    };
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut held, mut staged) = (Scratch::default(), Scratch::default());
    let (mut charged, mut t) = (Charged::default(), 0);
    for _ in 0..model.counts.passes.len() {
        for i in order.next_pass() {
            let (is_mistake, is_update) = (log.is_mistake(t), log.is_update(t));
            t += 1;
            if !is_charged(&model.spec, is_mistake, is_update) {
                continue;
            }
            let entry = data.entry(i, &mut held)?;
            if entry.weight != 1.0 {
                return Ok(None);
            }
            let Some(class) = classifier.class_of(entry.label, &labels) else {
                return Err(missing_label(&plan.input.name(), entry.line));
            };
            charged.add(i as u64, model.stages.apply(entry.x, &mut staged), Label::of_class(class), is_mistake);
        }
    }
    Ok(Some(charged))
}

/// Σ x xᵀ over all rows, as the learner saw them.
fn correlations(outcome: &Outcome, data: &mut Dataset) -> Result<Symmetric> {
    let (mut held, mut staged, mut matrix) = (Scratch::default(), Scratch::default(), Symmetric::default());
    for i in 0..data.len() {
        let x = outcome.model.stages.apply(data.entry(i, &mut held)?.x, &mut staged);
        matrix.grow(x.dimension(), 0.0);
        matrix.add_row(x);
    }
    Ok(matrix)
}
