//! The one loop of trials: every round of every learner is called here, for one model, for the classes of
//! one-versus-rest and inside AdaBoost.

use std::ops::ControlFlow;

use super::{Example, Learner, Round};
use crate::space::SupportSet;

/// Trials on these examples, one after another, until `seen` has seen enough. A kernel learner is told of the rows
/// ahead, a block at a time, which changes no score.
pub fn rounds(
    learner: &mut dyn Learner,
    examples: &[Example<'_>],
    mut seen: impl FnMut(&Example<'_>, Round) -> ControlFlow<()>,
) {
    for block in examples.chunks(SupportSet::MOST_AHEAD) {
        if let Some(f) = learner.ahead() {
            f.look_ahead(block.iter().map(|example| example.x));
        }
        let mut numbered = block.iter().enumerate();
        let ended = numbered.any(|(lane, &example)| {
            let example = Example { lane: Some(lane), ..example };
            seen(&example, learner.round(&example)).is_break()
        });
        if let Some(f) = learner.ahead() {
            f.end_look_ahead();
        }
        if ended {
            return;
        }
    }
}
