//! The one loop of trials: every round of every learner is called here, for one model, for the classes of
//! one-versus-rest and inside AdaBoost; but for classes whose learners have plain weights, which go side by side
//! (`ensemble/learners/abreast.rs`).

use std::ops::ControlFlow;

use super::{Example, Learner, Round, Step};
use crate::space::{Finite, Overflow, SupportSet};

/// Trials on these examples, one after another, until `seen` has seen enough. A kernel learner is told of the rows
/// ahead, a block at a time, which changes no score. A trial that overflows is the last one.
pub fn rounds(
    learner: &mut dyn Learner,
    examples: &[Example<'_>],
    mut seen: impl FnMut(&Example<'_>, Round) -> ControlFlow<()>,
) -> Finite {
    let mut end = None;
    for first in (0..examples.len()).step_by(SupportSet::MOST_AHEAD) {
        if let Some(f) = learner.ahead() {
            f.look_ahead(examples[first..].iter().map(|example| example.x));
        }
        let mut numbered = examples[first..].iter().take(SupportSet::MOST_AHEAD).enumerate();
        end = numbered.find_map(|(lane, &example)| {
            let example = Example { lane: Some(lane), ..example };
            let round = learner.round(&example);
            match seen(&example, round) {
                _ if round.step == Step::Overflow => Some(Err(Overflow)),
                ControlFlow::Break(()) => Some(Ok(())),
                ControlFlow::Continue(()) => None,
            }
        });
        if end.is_some() {
            break;
        }
    }
    if let Some(f) = learner.ahead() {
        f.end_look_ahead();
    }
    end.unwrap_or(Ok(()))
}
