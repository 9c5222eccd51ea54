//! The certificate of a run over a file, whose rows are read again.

use super::holdout::certify_but_holdout;
use super::plan::{Plan, RunResult, unread};
use super::progressive::Watch;
use super::source::Source;
use crate::certificate::{Certificate, ChargedTrials, Log, RunRecord, is_charged};
use crate::data::{Classifier, Dataset, Order, missing_label};
use crate::error::{Cure, Error, Message, Request, Result};
use crate::learner::Label;
use crate::model::Model;
use crate::space::{Scratch, Symmetric};
use crate::spec::Learns;

/// The certificate of the run that followed `plan` and had the trials of `log`; `watch` can end the search for it.
pub fn certify(plan: &Plan, outcome: &RunResult, log: &Log, watch: &mut dyn Watch) -> Result<Certificate> {
    let without = |reason: Message| Ok(Certificate::without(outcome.model.counts.total().mistakes, reason));
    if let Some(reason) = unfit(&outcome.model, log) {
        return without(reason);
    }
    if plan.input.is_stream() {
        return Err(unread(Request::Certificate, "the rows again"));
    }
    if let Some(holdout) = plan.holdout {
        return certify_but_holdout(plan, holdout, outcome, log, watch);
    }
    let (mut data, _) = Dataset::load(&plan.input, &plan.read, &plan.keep, |_| ())?;
    if data.len() as u64 * outcome.model.counts.passes.len() as u64 != log.trials() {
        return Err(Error::data(&plan.input.name(), "has changed since it was learned from"));
    }
    let order = match outcome.model.shuffle {
        Some(seed) => {
            data.hold(plan.keep.max_memory)?;
            Order::shuffled(data.len(), seed)?
        }
        None => Order::file(data.len()),
    };
    certify_rows(outcome, log, &mut data, order, watch)
}

/// Why a run can have no certificate, whatever its rows.
pub(crate) fn unfit(model: &Model, log: &Log) -> Option<Message> {
    if model.spec.is_batch() {
        return Some("a batch learner makes no trials".into());
    }
    if !model.learner.is_alone() {
        return Some(Message::from("the theorems are about two classes").and(Cure::OneAgainstRest));
    }
    if !model.class_weights.is_empty() {
        return Some("the classes have weights".into());
    }
    if model.stages.landmarks().is_some() && model.spec.algorithm().learns() == Learns::RowByRow {
        return Some("the map grew while the rows were met, so that the trials cannot be had again".into());
    }
    let is_whole = log.trials() == model.counts.total().trials;
    (!is_whole).then(|| "the run went on from a model, whose earlier trials are not known".into())
}

/// The certificate of a run over `data` in this order.
pub(crate) fn certify_rows(
    outcome: &RunResult,
    log: &Log,
    data: &mut dyn Source,
    order: Order,
    watch: &mut dyn Watch,
) -> Result<Certificate> {
    let model = &outcome.model;
    let Some(trials) = charged(model, log, data, order)? else {
        return Ok(Certificate::without(model.counts.total().mistakes, "the sample weights are not all 1"));
    };
    let correlations = match model.spec.algorithm().learns() {
        Learns::AfterReadingAll => Some(correlations(model, data, watch)?),
        _ => None,
    };
    let record = RunRecord {
        spec: model.spec.clone(),
        features: model.stages.features_after(model.features),
        trials,
        weights: model.learner.weights(),
        correlations,
        separated: outcome.separated.filter(|&separated| separated).map(|_| data.len() as u64),
    };
    record.certificate(&mut || watch.tick())
}

/// The trials that count, pass after pass; `None` where one of them has a sample weight other than 1.
fn charged(model: &Model, log: &Log, data: &mut dyn Source, mut order: Order) -> Result<Option<ChargedTrials>> {
    let about = data.about().clone();
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut held, mut staged) = (Scratch::default(), Scratch::default());
    let (mut charged, mut t) = (ChargedTrials::default(), 0);
    for _ in 0..model.counts.passes.len() {
        for i in order.next_pass() {
            let (is_mistake, is_update) = (log.is_mistake(t), log.is_update(t));
            t += 1;
            if !is_charged(&model.spec, is_mistake, is_update) {
                continue;
            }
            let id = data.id(i);
            let entry = data.entry(i, &mut held)?;
            if entry.weight != 1.0 {
                return Ok(None);
            }
            let Some(class) = classifier.class_of(entry.label, &about.labels) else {
                return Err(missing_label(&about.file, entry.line));
            };
            charged.add(id, model.stages.apply(entry.x, &mut staged), Label::of_class(class), is_mistake);
        }
    }
    Ok(Some(charged))
}

/// Σ x xᵀ over all rows, as the learner saw them.
fn correlations(model: &Model, data: &mut dyn Source, watch: &mut dyn Watch) -> Result<Symmetric> {
    let (mut held, mut staged, mut matrix) = (Scratch::default(), Scratch::default(), Symmetric::default());
    for i in 0..data.len() {
        let x = model.stages.apply(data.entry(i, &mut held)?.x, &mut staged);
        matrix.grow(x.dimension(), 0.0);
        matrix.add_row(x);
        watch.tick()?;
    }
    Ok(matrix)
}
