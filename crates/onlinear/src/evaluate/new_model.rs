//! Models that have met no row, made for rows of which more or less is known.

use std::ops::ControlFlow;

use super::plan::Plan;
use super::recipe::Recipe;
use super::source::Source;
use crate::data::{Batch, Classes, is_judged_anew, open};
use crate::error::{Error, Message, Result, size};
use crate::learner::{Expected, too_many_features};
use crate::model::Model;
use crate::space::{Rows, Scratch};
use crate::spec::Learns;
use crate::stage::{Slot, Stages};

/// Widths of kernels are told by this many.
pub(super) const ROWS_FOR_WIDTHS: usize = 1000;

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
            stages.survey(data.entry(i, None, &mut held)?.x, &mut scratch);
        }
        stages.end_survey(features);
    }
    let mut first = Rows::default();
    if fresh.waits_for_width() {
        for i in 0..data.len().min(ROWS_FOR_WIDTHS) {
            first.push_row(data.entry(i, None, &mut held)?.x);
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
        block.push_row(data.entry(i, None, &mut held)?.x);
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
pub(super) fn fresh_model(
    fresh: &Recipe,
    classes: Classes,
    file: &str,
    known: Expected,
    stages: Stages,
) -> Result<Model> {
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
pub(super) fn weigh_classes(fresh: &Recipe, model: &mut Model) -> Result<()> {
    if let Some(weights) = &fresh.class_weights {
        model.class_weights = weights.resolve(&fresh.spec, &model.classes, None)?;
    }
    Ok(())
}

/// What reading all rows before the first trial found.
pub(super) struct Survey {
    /// The stages, which have read what they must.
    pub(super) stages: Stages,
    pub(super) features: usize,
    pub(super) rows: usize,
}

/// Whether the learner must know the number of features, and nobody has said it.
pub(super) fn must_count_features(plan: &Plan, fresh: &Recipe) -> bool {
    let is_mapped = fresh.stages.iter().any(|stage| stage.kind().slot == Slot::Map);
    fresh.spec.needs_feature_count() && plan.read.features.is_none() && !is_mapped
}

/// Reads a whole file before the first trial, as often as stages need it, or once where it `counts` features.
pub(super) fn survey(plan: &Plan, fresh: &Recipe, counts: bool) -> Result<Option<Survey>> {
    if plan.input.is_stream() || fresh.reads_all().is_none() && !counts {
        return Ok(None);
    }
    loop {
        let known_cells = plan.read.findings.late_count();
        match read_all(plan, fresh) {
            Err(_) if is_judged_anew(&plan.input, &plan.read, known_cells) => {}
            survey => return survey.map(Some),
        }
    }
}

/// Reads all rows, once for each stage that must see them as the stages before it make them.
fn read_all(plan: &Plan, fresh: &Recipe) -> Result<Survey> {
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
            return Ok(survey);
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
