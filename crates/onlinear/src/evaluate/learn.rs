//! A whole run of learning: from a file (or standard input) to a model.

use super::fit::fit;
use super::holdout::learn_but_holdout;
use super::passes::{Passes, learn_from_rows};
use super::plan::{Plan, RunResult, Start, unread};
use super::progressive::Watch;
use super::recipe::Recipe;
use super::stream::learn_from_stream;
use crate::data::LabelsWanted;
use crate::error::{Cure, Error, Message, Request, Result};
use crate::spec::{Learns, Spec};

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
        Start::Fresh(_) => LabelsWanted::by(&plan.labels, &plan.input.name())?,
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
