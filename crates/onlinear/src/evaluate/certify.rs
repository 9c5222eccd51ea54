//! The certificate of a run over a file, whose rows are read again.

use super::holdout::certify_but_holdout;
use super::plan::{Plan, RunResult, unread};
use super::progressive::Watch;
use super::source::Source;
use crate::budget::projectron::GAINS;
use crate::certificate::{Certificate, ChargedTrials, LeaveOneOut, Log, Risk, RunRecord, is_charged};
use crate::data::{Classifier, Dataset, Order, missing_label};
use crate::error::{Cure, Error, Message, Request, Result};
use crate::learner::{Fact, Label};
use crate::model::Model;
use crate::space::{Scratch, Symmetric};
use crate::spec::Learns;
use crate::stage::StageSpec;

/// The certificate of the run that followed `plan` and had the trials of `log`; `watch` can end the search for it.
/// `confidence` is that of what it says about new rows.
pub fn certify(
    plan: &Plan,
    outcome: &RunResult,
    log: &Log,
    confidence: f64,
    watch: &mut dyn Watch,
) -> Result<Certificate> {
    if let Some(certificate) = unfit(&outcome.model, log, confidence) {
        return Ok(certificate);
    }
    if plan.input.is_stream() {
        return Err(unread(Request::Certificate, "the rows again"));
    }
    if let Some(holdout) = plan.holdout {
        return certify_but_holdout(plan, holdout, outcome, log, confidence, watch);
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
    certify_rows(outcome, log, confidence, &mut data, order, watch)
}

/// What one pass tells of the risk of the hypotheses that a run had, or why it tells nothing.
pub fn risk(model: &Model, confidence: f64) -> Risk {
    let (trials, mistakes) = (model.counts.total().trials, model.wrong_trials());
    let without = |reason: &str| Risk::without(trials, mistakes, confidence, reason);
    if model.spec.is_batch() {
        return without("a batch learner makes no trials");
    }
    if model.counts.passes.len() > 1 {
        return without("in a later pass rows are no longer new");
    }
    let reads_all = |stage: &StageSpec| stage.kind().reads_all;
    if model.spec.algorithm().learns() == Learns::AfterReadingAll || model.stages.specs().any(reads_all) {
        return without("all rows were read before the first trial, so that none was new");
    }
    Risk::of(trials, mistakes, confidence)
}

/// The certificate of a run that can have no other, whatever its rows.
pub(crate) fn unfit(model: &Model, log: &Log, confidence: f64) -> Option<Certificate> {
    let without =
        |reason: Message| Some(Certificate::without(model.counts.total().mistakes, risk(model, confidence), reason));
    if model.spec.is_batch() {
        return without("a batch learner makes no trials".into());
    }
    if !model.learner.is_alone() {
        return without(Message::from("the theorems are about two classes").and(Cure::OneAgainstRest));
    }
    if !model.class_weights.is_empty() {
        return without("the classes have weights".into());
    }
    if model.stages.landmarks().is_some() && model.spec.algorithm().learns() == Learns::RowByRow {
        return without("the map grew while the rows were met, so that the trials cannot be had again".into());
    }
    if log.trials() != model.counts.total().trials {
        return without("the run went on from a model, whose earlier trials are not known".into());
    }
    None
}

/// The certificate of a run over `data` in this order.
pub(crate) fn certify_rows(
    outcome: &RunResult,
    log: &Log,
    confidence: f64,
    data: &mut dyn Source,
    order: Order,
    watch: &mut dyn Watch,
) -> Result<Certificate> {
    let model = &outcome.model;
    let risk = risk(model, confidence);
    let is_in_file_order = model.shuffle.is_none() && model.stages.specs().all(|stage| !stage.kind().reads_all);
    let Some(RunTrials { charged, rows, updated }) = RunTrials::of(model, log, data, order)? else {
        return Ok(Certificate::without(model.counts.total().mistakes, risk, "the sample weights are not all 1"));
    };
    let correlations = match model.spec.algorithm().learns() {
        Learns::AfterReadingAll => Some(correlations(model, data, watch)?),
        _ => None,
    };
    let gains = model.learner.facts().further.into_iter().find_map(|(name, fact)| match fact {
        Fact::Number(gains) if name == GAINS => Some(gains),
        _ => None,
    });
    let is_separated = outcome.separated == Some(true);
    let record = RunRecord {
        spec: model.spec.clone(),
        features: model.stages.features_after(model.features),
        trials: charged,
        rows,
        weights: model.learner.weights(),
        correlations,
        gains: gains.unwrap_or(0.0),
        risk,
        leave_one_out: (is_separated && is_in_file_order).then(|| LeaveOneOut { updated, rows: data.len() as u64 }),
    };
    record.certificate(&mut || watch.tick())
}

/// The trials of a run again.
struct RunTrials {
    /// Those that the theorem counts, pass after pass.
    charged: ChargedTrials,
    /// Every row, as often as it was met.
    rows: ChargedTrials,
    /// How many rows were ever updated on.
    updated: u64,
}

impl RunTrials {
    /// `None` where a row has a sample weight other than 1.
    fn of(model: &Model, log: &Log, data: &mut dyn Source, mut order: Order) -> Result<Option<RunTrials>> {
        let about = data.about().clone();
        let mut classifier = Classifier::new(model.classes.clone());
        let (mut held, mut staged) = (Scratch::default(), Scratch::default());
        let (mut charged, mut rows) = (ChargedTrials::default(), ChargedTrials::default());
        let (mut is_updated, mut t) = (vec![false; data.len()], 0);
        let passes = model.counts.passes.len() as u64;
        for pass in 0..passes {
            for i in order.next_pass() {
                let (is_mistake, is_update) = (log.is_mistake(t), log.is_update(t));
                let is_charged = is_charged(&model.spec, is_mistake, is_update);
                is_updated[i] |= is_update;
                t += 1;
                if pass > 0 && !is_charged {
                    continue;
                }
                let id = data.id(i);
                let entry = data.entry(i, None, &mut held)?;
                if entry.weight != 1.0 {
                    return Ok(None);
                }
                let Some(class) = classifier.class_of(entry.label, &about.labels) else {
                    return Err(missing_label(&about.file, entry.line));
                };
                let (x, y) = (model.stages.apply(entry.x, &mut staged), Label::of_class(class));
                if pass == 0 {
                    rows.add(id, x, y, false);
                }
                if is_charged {
                    charged.add(id, x, y, is_mistake);
                }
            }
        }
        let updated = is_updated.iter().filter(|is_updated| **is_updated).count() as u64;
        Ok(Some(RunTrials { charged, rows: rows.repeated(passes), updated }))
    }
}

/// Σ x xᵀ over all rows, as the learner saw them.
fn correlations(model: &Model, data: &mut dyn Source, watch: &mut dyn Watch) -> Result<Symmetric> {
    let (mut held, mut staged, mut matrix) = (Scratch::default(), Scratch::default(), Symmetric::default());
    for i in 0..data.len() {
        let x = model.stages.apply(data.entry(i, None, &mut held)?.x, &mut staged);
        matrix.grow(x.dimension(), 0.0);
        matrix.add_row(x);
        watch.tick()?;
    }
    Ok(matrix)
}
