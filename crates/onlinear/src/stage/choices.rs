//! Which stages a learner gets: those asked for, in words that the program, experiments and Python share, and its own
//! where nothing is said.

use super::{STAGES, Slot, StageSpec};
use crate::error::{Cure, Error, Message, Request, Result};
use crate::spec::{Settings, Spec, Value, did_you_mean};

/// What is asked for. A list of stages is taken as it is; the others are shorthands for a place each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageChoices {
    /// Stages in order, or none where shorthands and the learner decide.
    pub stages: Vec<String>,
    /// A stage that scales features, or `none`.
    pub scale: Option<String>,
    /// A stage that brings rows to one length, or `none`.
    pub normalize: Option<String>,
    /// A stage that maps rows, with its settings, or `none`.
    pub map: Option<String>,
    /// The value of a constant feature, or `none`.
    pub bias: Option<String>,
    /// Stages that one learner brings along, each in its place and instead of what is asked for there.
    pub brought: Vec<String>,
}

impl StageChoices {
    /// The words that a shorthand takes.
    pub fn words(slot: Slot) -> impl Iterator<Item = &'static str> {
        std::iter::once("none").chain(STAGES.iter().filter(move |kind| kind.slot == slot).map(|kind| kind.name))
    }

    /// The stages for this learner.
    pub fn resolve(&self, spec: &Spec) -> Result<Vec<StageSpec>> {
        let own: Vec<StageSpec> = spec.algorithm().stages.iter().map(|stage| stage.parse()).collect::<Result<_>>()?;
        let own_in = |slot: Slot| own.iter().find(|stage| stage.kind().slot == slot).cloned();
        let mut stages: Vec<StageSpec> = self.stages.iter().map(|stage| stage.parse()).collect::<Result<_>>()?;
        if stages.is_empty() {
            stages.extend(in_slot(Slot::Scale, self.scale.as_deref(), own_in(Slot::Scale))?);
            stages.extend(in_slot(Slot::Normalize, self.normalize.as_deref(), own_in(Slot::Normalize))?);
            stages.extend(in_slot(Slot::Map, self.map.as_deref(), own_in(Slot::Map))?);
            stages.extend(self.bias(own_in(Slot::Bias), spec)?);
            for brought in self.brought.iter().map(|stage| stage.parse::<StageSpec>()) {
                let brought = brought?;
                stages.retain(|stage| stage.kind().slot != brought.kind().slot);
                stages.push(brought);
            }
            stages.sort_by_key(|stage| stage.kind().slot);
        } else if let Some(brought) = self.brought.first() {
            let message = Message::from(format!("{brought} before {} does not go with ", spec.name()));
            return Err(Error::Usage(message.and(Request::Stages).and(", which names all stages in order")));
        } else {
            let shorthands = [
                (Request::Scale, self.scale.is_some()),
                (Request::Normalize, self.normalize.is_some()),
                (Request::Map, self.map.is_some()),
                (Request::Bias, self.bias.is_some()),
            ];
            if let Some((request, _)) = shorthands.into_iter().find(|(_, given)| *given) {
                let message = Message::from(request).and(" does not go with ").and(Request::Stages);
                return Err(Error::Usage(message.and(", which names all stages in order")));
            }
            // A learner that has x₀ for one of its weights cannot do without it.
            if !stages.iter().any(|stage| stage.kind().slot == Slot::Bias) {
                stages.extend(own_in(Slot::Bias));
            }
        }
        let mut after_map = stages.iter().skip_while(|stage| stage.kind().slot != Slot::Map);
        if let (Some(map), Some(late)) = (after_map.next(), after_map.find(|stage| stage.kind().reads_all)) {
            let (map, late) = (map.kind().name, late.kind().name);
            return Err(Error::usage(format!("{late} has to read all rows first and cannot come after {map}")));
        }
        stages.into_iter().map(|stage| with_own_norm(stage, spec)).collect()
    }
}

impl StageChoices {
    /// The constant feature. A learner that has one of its own has a weight for it and cannot do without.
    fn bias(&self, own: Option<StageSpec>, spec: &Spec) -> Result<Option<StageSpec>> {
        match (self.bias.as_deref(), own) {
            (None, own) => Ok(own),
            (Some("none"), None) => Ok(None),
            (Some("none"), Some(_)) => {
                let why = format!(": {} has a weight for it and cannot do without", spec.name());
                Err(Error::Usage(Message::from(Request::Bias).and(why)))
            }
            (Some(value), _) => format!("bias:value={value}").parse().map(Some),
        }
    }
}

/// The stage that a shorthand names, or the learner's own where nothing is said.
fn in_slot(slot: Slot, word: Option<&str>, own: Option<StageSpec>) -> Result<Option<StageSpec>> {
    match word {
        None => Ok(own),
        Some("none") => Ok(None),
        Some(word) if StageChoices::words(slot).any(|known| known == Settings::split(word).0) => word.parse().map(Some),
        Some(word) => {
            let words: Vec<&str> = StageChoices::words(slot).collect();
            let known = words.join(", ");
            Err(Error::usage(format!("'{word}' is not one of {known}{}", did_you_mean(word, &words))))
        }
    }
}

/// The norm of the learner where the stage asks for it.
fn with_own_norm(stage: StageSpec, spec: &Spec) -> Result<StageSpec> {
    if stage.settings().get("p") != Some(Value::Choice("own")) {
        return Ok(stage);
    }
    match spec.own_norm() {
        Some(p) => format!("{}:p={p}", stage.kind().name).parse(),
        None => {
            let message = Message::from(Request::NormalizeLp).and(format!(": {} has no norm of its own", spec.name()));
            Err(Error::Usage(message.and(Cure::NormalizeL2)))
        }
    }
}
