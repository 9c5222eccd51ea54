//! One model out of several that learned from different rows, all from one model on.
//!
//! What becomes of their states, each learner says in the walk over its fields; here is what a model has besides.

use std::collections::BTreeMap;

use super::{Counts, Model, PassCounts};
use crate::data::Vocabulary;
use crate::ensemble::Learners;
use crate::error::{Cure, Error, Message, Result};
use crate::spec::{Learns, Spec};
use crate::stage::Slot;
use crate::state::{Apart, Mean, PartState, State, Tensor};

impl Model {
    /// The model that has met the trials of all parts, each once: they started from `base`, or as fresh models. It goes
    /// on learning as they do. What is mixed of them has these weights, as they are; without any, shares in proportion
    /// to the trials since the base, which add up to 1. What is summed up or counted has none.
    ///
    /// A single part is given back as it is. What cannot be merged is refused by name.
    pub fn merge(parts: Vec<Model>, weights: Option<&[f64]>, base: Option<Model>) -> Result<Model> {
        Model::merge_by(Mean::All, parts, weights, base)
    }

    /// [`Model::merge`] with this mean where vectors are mixed. That over the parts that moved a weight needs the base
    /// that they moved it from, and weights that are not negative, of which only proportions matter.
    pub fn merge_by(mean: Mean, mut parts: Vec<Model>, weights: Option<&[f64]>, base: Option<Model>) -> Result<Model> {
        let Some(first) = parts.first() else { return Err(Error::usage("there is no model to merge")) };
        first.spec.require_mergeable_by(mean, first.classes.len())?;
        if weights.is_some_and(|all| all.len() != parts.len() || all.iter().any(|weight| !weight.is_finite())) {
            return Err(Error::usage("each model needs a finite number for its weight"));
        }
        if mean == Mean::Moved && base.is_none() {
            return Err(Error::usage(
                "mean=moved needs the base that the models went on from: what was moved is told by it",
            ));
        }
        if mean == Mean::Moved && weights.is_some_and(|all| all.iter().any(|weight| *weight < 0.0)) {
            return Err(Error::usage("mean=moved needs weights that are not negative"));
        }
        if base.is_some() && first.spec.algorithm().learns() == Learns::AllAtOnce {
            let name = first.spec.algorithm().name;
            return Err(Error::usage(format!("{name} learns from all rows at once: it starts from no base")));
        }
        let may_grow_apart = may_grow_apart(&parts, base.as_ref());
        if let Some((what, cure)) =
            parts[1..].iter().chain(&base).find_map(|other| differs(first, other, may_grow_apart))
        {
            let difference = format!("models can be merged only where they agree: they differ in {what}");
            return Err(Error::usage(cure.into_iter().fold(Message::from(difference), Message::and)));
        }
        let base = base.unwrap_or_else(|| first.untaught());
        let shares = match weights {
            Some(weights) => weights.to_vec(),
            None => shares(&parts, &base)?,
        };
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        together(parts, shares, base, mean)
    }

    /// A fresh model of the kind of this one.
    pub fn untaught(&self) -> Model {
        Model {
            vocabulary: self.vocabulary.clone(),
            features: self.features,
            csv: self.csv.clone(),
            encoding: self.encoding,
            stages: self.stages.clone(),
            shuffle: self.shuffle,
            class_weights: self.class_weights.clone(),
            ..Model::new(self.spec.clone(), self.classes.clone()).calibrated(self.calibrate)
        }
    }

    /// The arrays that its learner is made of.
    fn learner_state(&mut self) -> Result<BTreeMap<String, Tensor>> {
        let mut state = State::saving();
        self.learner.state(&mut state)?;
        Ok(state.into_tensors())
    }
}

impl Spec {
    /// Says why models of this learner cannot be merged, if so.
    pub fn require_mergeable(&self, classes: usize) -> Result<()> {
        self.require_mergeable_by(Mean::All, classes)
    }

    /// Says why models of this learner cannot be merged with this mean, if so.
    pub fn require_mergeable_by(&self, mean: Mean, classes: usize) -> Result<()> {
        if mean == Mean::Moved && self.algorithm().learns() == Learns::AllAtOnce {
            let name = self.algorithm().name;
            return Err(Error::usage(format!(
                "{name} learns from all rows at once: mean=moved has no base to tell what moved"
            )));
        }
        let part = || -> Result<PartState> {
            let mut state = State::saving();
            Learners::new(self, classes).state(&mut state)?;
            Ok(PartState { tensors: state.into_tensors(), share: 0.5, places: None })
        };
        let mut merging = State::merging(vec![part()?, part()?], part()?, mean);
        Learners::new(self, classes).state(&mut merging).map_err(|error| self.unmergeable(error))
    }

    fn unmergeable(&self, error: Error) -> Error {
        let reason = match error {
            Error::Model { reason, .. } => reason,
            other => other.to_string(),
        };
        Error::usage(format!("{} cannot be merged: {reason}", self.algorithm().name))
    }
}

/// Whether models may have features of their own, known by name: features of which a stage knows anything are those of
/// the base, and have the same places in all.
fn may_grow_apart(parts: &[Model], base: Option<&Model>) -> bool {
    let is_named = |model: &Model| matches!(model.vocabulary, Vocabulary::Named { .. });
    let begin_alike = |base: &Model| parts.iter().all(|part| part.vocabulary.begins_with(&base.vocabulary));
    let slots = || parts[0].stages.specs().map(|stage| stage.kind().slot);
    let keep_features = slots().all(|slot| matches!(slot, Slot::Normalize | Slot::Bias));
    let has_map = slots().any(|slot| slot == Slot::Map);
    parts.iter().chain(base).all(is_named) && (keep_features || (!has_map && base.is_some_and(begin_alike)))
}

/// What keeps two models apart, if anything does, and what can be done about it.
fn differs(a: &Model, b: &Model, may_grow_apart: bool) -> Option<(&'static str, Option<Cure>)> {
    let together = (!a.spec.is_batch()).then_some(Cure::StartTogether);
    let of_stages = together.or(Some(Cure::LeaveUnscaled)).filter(|_| a.stages.require_alike().is_ok());
    let parts = [
        ("their learner", a.spec != b.spec, None),
        ("their classes", a.classes != b.classes, Some(Cure::NameLabels)),
        ("their features", a.vocabulary != b.vocabulary && !may_grow_apart, together),
        ("the columns of their tables", a.csv != b.csv, together),
        ("the weights of their classes", a.class_weights != b.class_weights, None),
        ("how they scale, normalize or extend rows", a.stages != b.stages, of_stages),
        ("how many trials they keep for probabilities", a.calibrate != b.calibrate, None),
    ];
    parts.into_iter().find(|(_, differ, _)| *differ).map(|(what, _, cure)| (what, cure))
}

/// μ: the trials of each part since the base, or the rows of one that had them all at once, as shares of all.
fn shares(parts: &[Model], base: &Model) -> Result<Vec<f64>> {
    let met = |model: &Model| model.counts.total().trials + model.counts.rows;
    let since = |part: &Model| met(part).checked_sub(met(base)).ok_or_else(|| not_from_base("trials"));
    let since: Vec<u64> = parts.iter().map(since).collect::<Result<_>>()?;
    let all = since.iter().fold(0, |sum: u64, &n| sum.saturating_add(n));
    let share = |&n: &u64| if all > 0 { n as f64 / all as f64 } else { 1.0 / since.len() as f64 };
    Ok(since.iter().map(share).collect())
}

fn not_from_base(what: &str) -> Error {
    Error::usage(format!("a model has fewer {what} than the base: it did not start from it"))
}

/// One model of several that can be merged.
fn together(mut parts: Vec<Model>, shares: Vec<f64>, mut base: Model, mean: Mean) -> Result<Model> {
    let (vocabulary, places) = united(&parts, &base);
    let first = &parts[0];
    let features = parts.iter().map(|part| part.features).chain([base.features, vocabulary.len()]).max().unwrap_or(0);
    let all = Apart { parts: parts.iter().map(|part| (0.0, &part.counts)).collect(), base: &base.counts, mean };
    let mut merged = Model {
        vocabulary,
        features,
        counts: counted(&all)?,
        shuffle: first.shuffle.filter(|_| parts.iter().all(|part| part.shuffle == first.shuffle)),
        ..first.untaught()
    };
    let mut places = places.into_iter();
    let mut part = |model: &mut Model, share| {
        Ok(PartState { tensors: model.learner_state()?, share, places: places.next().flatten() })
    };
    let base = part(&mut base, 0.0)?;
    let parts = parts.iter_mut().zip(shares).map(|(model, share)| part(model, share)).collect::<Result<_>>()?;
    merged.learner.state(&mut State::merging(parts, base, mean)).map_err(|error| merged.spec.unmergeable(error))?;
    let is_finite = |tensor: &Tensor| !matches!(tensor, Tensor::F64(numbers) if numbers.iter().any(|n| !n.is_finite()));
    if !merged.learner_state()?.values().all(is_finite) {
        return Err(Error::usage("the numbers of the models add up to one that is not finite"));
    }
    merged.require_countable()?;
    Ok(merged)
}

/// All names of features, those of the base first; and for the base and each part, where the components of its rows are
/// among those of all, unless they are where they were.
fn united(parts: &[Model], base: &Model) -> (Vocabulary, Vec<Option<Vec<u32>>>) {
    let everybody = || std::iter::once(base).chain(parts);
    if everybody().all(|model| model.vocabulary == base.vocabulary) {
        return (base.vocabulary.clone(), vec![None; parts.len() + 1]);
    }
    let constants = base.stages.constants() as u32;
    let mut union = base.vocabulary.clone();
    let mut place = |name: &[u8]| constants + union.place_of_new(name);
    let of_model = |model: &Model| {
        let names = model.vocabulary.names().unwrap_or_default();
        Some((0..constants).chain(names.into_iter().map(&mut place)).collect())
    };
    let places = everybody().map(of_model).collect();
    (union, places)
}

/// The trials of all parts, each once, pass by pass.
fn counted(all: &Apart<&Counts>) -> Result<Counts> {
    let tally = |what: &str, count: &dyn Fn(&Counts) -> u64| {
        all.map(|counts| count(counts)).tally().ok_or_else(|| not_from_base(what))
    };
    let everybody = || all.parts.iter().map(|(_, counts)| *counts).chain([all.base]);
    let passes = everybody().map(|counts| counts.passes.len()).max().unwrap_or(0);
    let of_pass = |counts: &Counts, pass: usize| counts.passes.get(pass).copied().unwrap_or_default();
    let pass = |pass: usize| {
        Ok(PassCounts {
            trials: tally("trials", &|counts| of_pass(counts, pass).trials)?,
            mistakes: tally("mistakes", &|counts| of_pass(counts, pass).mistakes)?,
            updates: tally("updates", &|counts| of_pass(counts, pass).updates)?,
        })
    };
    let classes = if everybody().all(|counts| !counts.classes.is_empty()) { all.base.classes.len() } else { 0 };
    let of_class = |class: usize| tally("rows of a class", &|counts| counts.classes[class]);
    Ok(Counts {
        passes: (0..passes).map(pass).collect::<Result<_>>()?,
        rows: tally("rows", &|counts| counts.rows)?,
        multiclass_mistakes: tally("mistakes", &|counts| counts.multiclass_mistakes)?,
        classes: (0..classes).map(of_class).collect::<Result<_>>()?,
    })
}
