//! Blocks of trials among more than two classes.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::ClassRound;
use crate::learner::{ClassExample, Direct, Example, Label, Round, Step, rounds};
use crate::parallel;
use crate::space::{Overflow, Rows, SupportSet};
use crate::spec::AnyLearner;

/// Work that takes longer than this is shared among threads.
const WORTH_THREADS: Duration = Duration::from_micros(300);

/// What goes with a row of a block of trials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowMeta {
    /// Its class by number.
    pub(crate) class: usize,
    /// Its sample weight.
    pub(crate) weight: f64,
    /// Its position in the data.
    pub(crate) id: Option<u64>,
}

/// Trials of one learner for each class against the rest.
pub(super) fn rounds_apart(
    all: &mut [AnyLearner],
    pace: &mut Duration,
    rows: &Rows,
    meta: &[RowMeta],
) -> Vec<std::result::Result<ClassRound, Round>> {
    let start = Instant::now();
    let of_class = parallel::map_mut(*pace > WORTH_THREADS, all, |k, learner| {
        let mut of_rows = Vec::with_capacity(meta.len());
        let example = |(i, &RowMeta { class, weight, id }): (usize, &RowMeta)| {
            Example::new(rows.row(i), Label::one_of(class == k)).weighing(weight).at(id)
        };
        let examples: Vec<Example<'_>> = meta.iter().enumerate().map(example).collect();
        if let Some(learner) = learner.online() {
            let mut seen = |_: &Example<'_>, round| {
                of_rows.push(round);
                ControlFlow::Continue(())
            };
            _ = rounds(learner, &examples, &mut seen); // the last round tells
        }
        of_rows
    });
    *pace = start.elapsed();
    let round = |(i, meta): (usize, &RowMeta)| ClassRound::new(meta.class, of_class.iter().map(|rounds| rounds[i]));
    let met = of_class.iter().map(Vec::len).min().unwrap_or(0);
    meta[..met].iter().enumerate().map(round).collect()
}

/// Trials of one learner with all classes, which is told of the rows ahead where that is of use.
pub(super) fn rounds_together(
    direct: &mut dyn Direct,
    rows: &Rows,
    meta: &[RowMeta],
) -> Vec<std::result::Result<ClassRound, Round>> {
    let mut done = Vec::with_capacity(meta.len());
    for (i, &RowMeta { class, id, .. }) in meta.iter().enumerate() {
        let lane = i % SupportSet::MOST_AHEAD;
        if let Some(set) = direct.ahead().filter(|_| lane == 0) {
            set.look_ahead((i..meta.len()).map(|i| rows.row(i)));
        }
        match direct.round(&ClassExample { lane: Some(lane), ..ClassExample::new(rows.row(i), class).at(id) }) {
            Ok((scores, step)) => done.push(Ok(ClassRound::direct(class, &scores, step))),
            Err(Overflow) => {
                done.push(Err(Round { score: f64::NAN, step: Step::Overflow, asked: None }));
                break;
            }
        }
    }
    if let Some(set) = direct.ahead() {
        set.end_look_ahead();
    }
    done
}
