//! What happens to a row between the reader and the learner: a list of stages, in order, saved in the model and
//! applied to every row that it meets later. Adding one means adding its file and its line in [`STAGES`].

mod bias;
mod choices;
mod columns;
mod fourier;
mod impute;
mod length;
mod maxabs;
mod minmax;
mod mixed;
mod nystrom;
mod passage;
mod range;
mod spec;
mod standard;

pub use choices::StageChoices;
pub(crate) use passage::Passage;
pub use spec::StageSpec;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use crate::error::{Error, Message, Result};
use crate::space::{Cholesky, Row, Rows, Scratch, SupportSet, half_median_distance};
use crate::spec::{Parameter, Settings, Spec};
use crate::state::{State, Tensor};

/// Every kind of stage, in the order in which lists show them.
pub static STAGES: &[&StageKind] = &[
    &impute::STAGE,
    &impute::RUNNING,
    &minmax::STAGE,
    &standard::STAGE,
    &maxabs::STAGE,
    &range::STAGE,
    &mixed::STAGE,
    &length::L2,
    &length::LP,
    &nystrom::STAGE,
    &fourier::STAGE,
    &bias::STAGE,
];

/// No map gives rows more components than this: a model file may ask for any number.
const MOST_COMPONENTS: u64 = 1 << 20;

/// Everything there is to know about a kind of stage, beside its code.
#[derive(Debug)]
pub struct StageKind {
    /// Its name: `standard`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its parameters in canonical order.
    pub parameters: &'static [Parameter],
    /// Where it stands in a list that is not written out.
    pub slot: Slot,
    /// Whether it must see all training rows before it can be applied.
    pub reads_all: bool,
    /// Whether every feature comes out within −1 … 1.
    pub unit_ranges: bool,
    /// A fresh stage with these settings, or why they do not go together.
    pub new: fn(&Settings) -> std::result::Result<Box<dyn Stage>, String>,
}

/// The places of stages that are asked for by shorthands, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// What is missing is filled in.
    Fill,
    /// Features are brought to one scale.
    Scale,
    /// Rows are brought to one length.
    Normalize,
    /// Rows are mapped into the space of a kernel.
    Map,
    /// A constant feature is added.
    Bias,
}

/// What a stage does to a row of some features, in plain arithmetic: for what is to compute it elsewhere.
pub enum Arithmetic<'a> {
    /// What is missing becomes what stands here for its feature.
    Fill(Vec<f64>),
    /// x ↦ (x − center) · factor, feature by feature.
    Scale {
        /// For each feature.
        center: Vec<f64>,
        /// For each feature.
        factor: Vec<f64>,
    },
    /// x ↦ x/‖x‖_p, unless that is 0.
    Length {
        /// p.
        p: f64,
    },
    /// x ↦ L⁻¹ k(x), with the kernel values of some rows.
    Landmarks(&'a SupportSet, &'a Cholesky),
    /// x ↦ (cos Ωx, sin Ωx)/√H.
    Waves {
        /// Ω, one of its H rows after another, each with a number for each feature.
        directions: Vec<f64>,
        /// H.
        waves: usize,
    },
    /// x ↦ (constant, x).
    Constant(f64),
}

/// One stage of a list.
pub trait Stage: CloneStage + Send + Sync {
    /// Shows it a training row as the stages before made it, if its kind reads all rows.
    fn survey(&mut self, _x: Row<'_>) {}

    /// All training rows have been shown; they have so many features.
    fn end_survey(&mut self, _features: usize) {}

    /// The kind of stage that it has become, by its name, where its own kind leaves that to the rows.
    fn settled(&self) -> Option<&'static str> {
        None
    }

    /// Memory that reading rows of so many features takes, in bytes.
    fn memory(&self, _features: usize) -> u64 {
        0
    }

    /// How many components rows of so many features have afterwards.
    fn features_after(&self, features: usize) -> usize {
        features
    }

    /// Whether it leaves rows just as they are that are whole: nothing is missing in them, and no component is 0.
    fn keeps_whole(&self) -> bool {
        false
    }

    /// Appends the row that it makes of `x` to `out`, which is empty.
    fn apply(&self, x: Row<'_>, out: &mut Scratch);

    /// Whether training rows may yet change it: it is to [`Stage::meet`] them.
    fn grows(&self) -> bool {
        false
    }

    /// Memory that it may come to take by so many rows, in bytes, as far as that is known before they are met.
    fn growth(&self, _rows: usize) -> u64 {
        0
    }

    /// How many rows it likes to have at once; 1 if that is no use.
    fn block(&self) -> usize {
        1
    }

    /// Appends the rows that it makes of `rows`, at most [`Stage::block`] of them, to `out`.
    fn apply_all(&self, rows: &Rows, out: &mut Rows) {
        let mut scratch = Scratch::default();
        for i in 0..rows.len() {
            scratch.clear();
            self.apply(rows.row(i), &mut scratch);
            out.push_row(scratch.row());
        }
    }

    /// Announces the training rows that it is about to meet, at most [`Stage::block`]: row number i has lane i. That
    /// changes nothing but how long it takes.
    fn look_ahead(&mut self, _rows: &Rows) {}

    /// No row has a lane any more.
    fn end_look_ahead(&mut self) {}

    /// Does what [`Stage::apply`] does for a training row that is about to be learned from, and grows by it first. The
    /// row has this lane among those announced, if any. Says so where it would then hold more than so many bytes of
    /// memory.
    fn meet(
        &mut self,
        x: Row<'_>,
        _lane: Option<usize>,
        _memory: u64,
        out: &mut Scratch,
    ) -> std::result::Result<(), Message> {
        self.apply(x, out);
        Ok(())
    }

    /// How many training rows it is built on, if it is.
    fn landmarks(&self) -> Option<usize> {
        None
    }

    /// Turns weights of the rows that it makes into weights of those it is given, but for the constant that is given
    /// back; rows of one length are taken as they are. `None` where it is not linear in rows.
    fn pull_back(&self, weights: &mut Vec<f64>) -> Option<f64>;

    /// What it does to rows of so many features, in plain arithmetic; a model cannot be exported with a stage that has
    /// none.
    fn arithmetic(&self, _features: usize) -> Option<Arithmetic<'_>> {
        None
    }

    /// Visits the fields.
    fn state(&mut self, _state: &mut State) -> Result<()> {
        Ok(())
    }
}

/// A copy of a stage; every stage that is `Clone` has it.
pub trait CloneStage {
    /// The copy.
    fn clone_stage(&self) -> Box<dyn Stage>;
}

impl<S: Stage + Clone + 'static> CloneStage for S {
    fn clone_stage(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }
}

/// The stages of a model, in order.
#[derive(Default)]
pub struct Stages {
    list: Vec<(StageSpec, Box<dyn Stage>)>,
    /// How many of them can be applied: the others have yet to read all rows.
    ready: usize,
    /// The rows announced, as the stage that likes to have several at once will see them.
    ahead: Rows,
}

impl Clone for Stages {
    fn clone(&self) -> Stages {
        let list = self.list.iter().map(|(spec, stage)| (spec.clone(), stage.clone_stage())).collect();
        Stages { list, ready: self.ready, ahead: Rows::default() }
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.specs().map(StageSpec::to_string)).finish()
    }
}

impl PartialEq for Stages {
    fn eq(&self, other: &Stages) -> bool {
        self.specs().eq(other.specs()) && self.tensors() == other.tensors()
    }
}

/// A fresh stage.
fn made(spec: &StageSpec) -> (StageSpec, Box<dyn Stage>) {
    let stage = (spec.kind.new)(&spec.settings);
    (spec.clone(), stage.expect("the parameters were found to go together when the spec was made"))
}

impl Stages {
    /// Fresh stages.
    pub fn new(specs: &[StageSpec]) -> Stages {
        let list = specs.iter().map(made).collect();
        let mut stages = Stages { list, ready: 0, ahead: Rows::default() };
        stages.skip_ready();
        stages
    }

    /// Finds the widths that the first training rows tell, for maps and for a learner behind them. Stages that must
    /// read all rows have done so.
    pub(crate) fn settle_widths(&mut self, first: &Rows, spec: &Spec) -> std::result::Result<Spec, Message> {
        for place in 0..self.list.len() {
            if self.list[place].0.settings.waits_for_width() {
                let mut spec = self.list[place].0.clone();
                spec.settings.settle_width(self.width(place, first, spec.kind.name)?);
                self.list[place] = made(&spec);
            }
        }
        if !spec.waits_for_width() {
            return Ok(spec.with_width(1.0)); // of a kernel that has none
        }
        if let Some(map) = self.in_slot(Slot::Map) {
            let (name, map) = (spec.name(), map.kind.name);
            return Err(
                format!("{name}: sigma2=auto does not go with {map}, which makes the rows; name a number").into()
            );
        }
        Ok(spec.with_width(self.width(self.list.len(), first, spec.name())?))
    }

    /// The width of a kernel that sees rows behind so many stages.
    fn width(&self, stages: usize, first: &Rows, name: &str) -> std::result::Result<f64, Message> {
        let (mut seen, mut scratch) = (Rows::default(), Scratch::default());
        (0..first.len()).for_each(|i| seen.push_row(apply_all(&self.list[..stages], first.row(i), &mut scratch)));
        half_median_distance(&seen).ok_or_else(|| {
            let rows = first.len();
            let why = "half of all pairs of the first rows, or more, are at no distance that a width could be";
            format!("{name}: sigma2=auto: {why} (there are {rows}); name a number").into()
        })
    }

    /// What they are, in order.
    pub fn specs(&self) -> impl Iterator<Item = &StageSpec> {
        self.list.iter().map(|(spec, _)| spec)
    }

    /// The one in this slot, if there is one.
    pub fn in_slot(&self, slot: Slot) -> Option<&StageSpec> {
        self.specs().find(|spec| spec.kind.slot == slot)
    }

    /// How many constant features stand in front of the others.
    pub fn constants(&self) -> usize {
        self.specs().filter(|spec| spec.kind.slot == Slot::Bias).count()
    }

    /// The constant in front of rows, if any, where no more than that becomes of them; where `are_whole`, of rows in
    /// which nothing is missing.
    pub(crate) fn constant_alone(&self, are_whole: bool) -> Option<Option<f64>> {
        let mut rest = self.list.iter().filter(|(_, stage)| !(are_whole && stage.keeps_whole() && !stage.grows()));
        match (rest.next(), rest.next()) {
            (None, _) => Some(None),
            (Some((_, only)), None) => match only.arithmetic(0)? {
                Arithmetic::Constant(constant) => Some(Some(constant)),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many components rows of so many features have afterwards.
    pub fn features_after(&self, features: usize) -> usize {
        self.list.iter().fold(features, |features, (_, stage)| stage.features_after(features))
    }

    /// The row that the learner sees.
    pub fn apply<'a>(&self, x: Row<'a>, scratch: &'a mut Scratch) -> Row<'a> {
        apply_all(&self.list, x, scratch)
    }

    /// The row that the learner sees of a training row that it is about to learn from, by which stages grow first; or
    /// which of them would then hold more than so many bytes of memory.
    pub fn meet<'a>(
        &mut self,
        x: Row<'a>,
        memory: u64,
        scratch: &'a mut Scratch,
    ) -> std::result::Result<Row<'a>, Message> {
        meet_all(&mut self.list, x, None, memory, scratch)
    }

    /// The first stage that likes to have several rows at once, unless one before it may yet change.
    fn blocked(&self) -> Option<usize> {
        let place = self.list.iter().position(|(_, stage)| stage.block() > 1)?;
        (!self.list[..place].iter().any(|(_, stage)| stage.grows())).then_some(place)
    }

    /// How many rows they like to have at once; 1 if that is no use.
    pub(crate) fn block(&self) -> usize {
        self.blocked().map_or(1, |place| self.list[place].1.block())
    }

    /// Appends the rows that the learner sees of `rows` to `out`: to the bit what [`Stages::apply`] makes of each.
    pub fn apply_all(&self, rows: &Rows, out: &mut Rows) {
        let Some(place) = self.blocked() else { return each_of(&self.list, rows.iter(), out) };
        let (mut before, mut mapped) = (Rows::default(), Rows::default());
        rows.for_each_block(self.block(), |rows| {
            before.clear();
            mapped.clear();
            each_of(&self.list[..place], rows.iter(), &mut before);
            self.list[place].1.apply_all(&before, &mut mapped);
            each_of(&self.list[place + 1..], mapped.iter(), out);
        });
    }

    /// Meets training rows one after another and gives `seen` each as the learner sees it, until that has seen enough:
    /// to the bit what [`Stages::meet`] makes of them.
    pub(crate) fn meet_each(
        &mut self,
        rows: &Rows,
        memory: u64,
        scratch: &mut Scratch,
        mut seen: impl FnMut(usize, Row<'_>) -> ControlFlow<()>,
    ) -> std::result::Result<(), Message> {
        let (place, block) = (self.blocked(), self.block());
        for first in (0..rows.len()).step_by(block) {
            let mut these = first..rows.len().min(first + block);
            if let Some(place) = place {
                self.ahead.clear();
                each_of(&self.list[..place], these.clone().map(|i| rows.row(i)), &mut self.ahead);
                self.list[place].1.look_ahead(&self.ahead);
            }
            let end = these.try_for_each(|i| {
                let lane = place.map(|_| i - first);
                let x = lane.map_or_else(|| rows.row(i), |lane| self.ahead.row(lane));
                match meet_all(&mut self.list[place.unwrap_or(0)..], x, lane, memory, scratch) {
                    Ok(x) => seen(i, x).map_break(|()| Ok(())),
                    Err(message) => ControlFlow::Break(Err(message)),
                }
            });
            if let Some(place) = place {
                self.list[place].1.end_look_ahead();
            }
            if let ControlFlow::Break(end) = end {
                return end;
            }
        }
        Ok(())
    }

    /// Whether training rows may yet change them.
    pub(crate) fn grow(&self) -> bool {
        self.list.iter().any(|(_, stage)| stage.grows())
    }

    /// Refuses a stage that becomes another by the rows which it meets.
    pub(crate) fn require_alike(&self) -> Result<()> {
        let has_state = |stage: &dyn Stage| {
            let mut state = State::saving();
            stage.clone_stage().state(&mut state).is_ok() && !state.into_tensors().is_empty()
        };
        match self.list.iter().find(|(_, stage)| stage.grows() && has_state(stage.as_ref())) {
            Some((spec, _)) => Err(Error::usage(format!(
                "{} grows by the rows that it meets, and would differ from part to part",
                spec.kind.name
            ))),
            None => Ok(()),
        }
    }

    /// Memory that they may come to take by so many rows, in bytes, as far as that is known before.
    pub(crate) fn growth(&self, rows: usize) -> u64 {
        self.list.iter().map(|(_, stage)| stage.growth(rows)).sum()
    }

    /// How many training rows a map is built on, if there is such a map.
    pub fn landmarks(&self) -> Option<usize> {
        self.list.iter().find_map(|(_, stage)| stage.landmarks())
    }

    /// Whether every feature comes out within −1 … 1.
    pub(crate) fn unit_ranges(&self) -> bool {
        self.specs().fold(false, |before, spec| (before && spec.kind.slot != Slot::Map) || spec.kind.unit_ranges)
    }

    /// The weights of rows as they are read, and the constant in their score, for weights of rows as the learner sees
    /// them; `None` where a map is not linear in rows.
    pub fn pull_back(&self, weights: &mut Vec<f64>) -> Option<f64> {
        self.list.iter().rev().map(|(_, stage)| stage.pull_back(weights)).sum()
    }

    /// Each with what it does to rows, of so many features as they are read, in plain arithmetic.
    pub(crate) fn arithmetic(&self, features: usize) -> impl Iterator<Item = (&StageSpec, Option<Arithmetic<'_>>)> {
        self.list.iter().scan(features, |features, (spec, stage)| {
            let arithmetic = stage.arithmetic(*features);
            *features = stage.features_after(*features);
            Some((spec, arithmetic))
        })
    }

    /// The next stage that must read all rows before the list can be applied.
    pub fn unread(&self) -> Option<&StageSpec> {
        self.list.get(self.ready).map(|(spec, _)| spec)
    }

    /// Memory that it takes for rows of so many features to be read, in bytes.
    pub(crate) fn memory_to_read(&self, features: usize) -> u64 {
        self.list.get(self.ready).map_or(0, |(_, stage)| stage.memory(features))
    }

    /// Shows the stage that is next a training row.
    pub fn survey(&mut self, x: Row<'_>, scratch: &mut Scratch) {
        let (before, rest) = self.list.split_at_mut(self.ready);
        if let Some((_, stage)) = rest.first_mut() {
            stage.survey(apply_all(before, x, scratch));
        }
    }

    /// That stage has seen all rows, of so many features.
    pub fn end_survey(&mut self, features: usize) {
        let before =
            self.list[..self.ready].iter().fold(features, |features, (_, stage)| stage.features_after(features));
        if let Some((spec, stage)) = self.list.get_mut(self.ready) {
            stage.end_survey(before);
            let settled = stage.settled().and_then(|name| name.parse().ok());
            *spec = settled.unwrap_or_else(|| spec.clone());
            self.ready += 1;
        }
        self.skip_ready();
    }

    /// Passes over stages that need not read rows.
    fn skip_ready(&mut self) {
        while self.list.get(self.ready).is_some_and(|(spec, _)| !spec.kind.reads_all) {
            self.ready += 1;
        }
    }

    /// Visits the fields, of stages for rows of so many features: as `stage.0.…`, `stage.1.…`.
    pub(crate) fn state(&mut self, mut features: usize, state: &mut State) -> Result<()> {
        for (k, (_, stage)) in self.list.iter_mut().enumerate() {
            state.limit_features(features);
            state.within(&format!("stage.{k}"), |state| stage.state(state))?;
            features = stage.features_after(features);
        }
        self.ready = self.list.len();
        Ok(())
    }

    /// All that the stages have read.
    fn tensors(&self) -> BTreeMap<String, Tensor> {
        let mut state = State::saving();
        // Saving has nothing to refuse.
        let _ = self.clone().state(0, &mut state);
        state.into_tensors()
    }
}

/// What stages, one after another, make of a row; the first of them may have nothing to do.
fn apply_all<'a>(stages: &[(StageSpec, Box<dyn Stage>)], x: Row<'a>, scratch: &'a mut Scratch) -> Row<'a> {
    match stages {
        [(_, first), rest @ ..] if first.keeps_whole() && x.is_whole() => apply_each(rest, x, scratch),
        all => apply_each(all, x, scratch),
    }
}

/// What stages, one after another, make of a row.
fn apply_each<'a>(stages: &[(StageSpec, Box<dyn Stage>)], x: Row<'a>, scratch: &'a mut Scratch) -> Row<'a> {
    let Some(((_, last), before)) = stages.split_last() else { return x };
    scratch.clear();
    if before.is_empty() {
        last.apply(x, scratch);
    } else {
        let mut inner = scratch.before.take().unwrap_or_default();
        last.apply(apply_each(before, x, &mut inner), scratch);
        scratch.before = Some(inner);
    }
    scratch.row()
}

/// Appends what stages, one after another, make of each row.
fn each_of<'a>(stages: &[(StageSpec, Box<dyn Stage>)], rows: impl Iterator<Item = Row<'a>>, out: &mut Rows) {
    let mut scratch = Scratch::default();
    rows.for_each(|x| out.push_row(apply_all(stages, x, &mut scratch)));
}

/// What stages, one after another, make of a training row that is about to be learned from, which has this lane among
/// those announced to the first of them, if any.
fn meet_all<'a>(
    stages: &mut [(StageSpec, Box<dyn Stage>)],
    x: Row<'a>,
    lane: Option<usize>,
    memory: u64,
    scratch: &'a mut Scratch,
) -> std::result::Result<Row<'a>, Message> {
    let Some(((_, last), before)) = stages.split_last_mut() else { return Ok(x) };
    scratch.clear();
    let mut inner = scratch.before.take().unwrap_or_default();
    match before {
        [] => last.meet(x, lane, memory, scratch)?,
        _ => last.meet(meet_all(before, x, lane, memory, &mut inner)?, None, memory, scratch)?,
    }
    scratch.before = Some(inner);
    Ok(scratch.row())
}

#[cfg(test)]
mod tests;
