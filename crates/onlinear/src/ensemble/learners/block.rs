//! Blocks of trials among more than two classes.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::ClassRound;
use super::abreast::{components_for, rounds_abreast};
use super::class_round::ClassTally;
use crate::learner::{ClassExample, Direct, Example, Label, Round, Step, rounds};
use crate::parallel;
use crate::space::{ABREAST, Abreast, Overflow, RowComponents, Rows, SupportSet};
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

/// Learners that go through a block on one thread, as a share of those of a thread.
const GROUPS: usize = 4;

/// Trials of one learner for each class against the rest. Each, or some side by side, goes through the whole block
/// before the next, for the weights of all do not fit into the processor's cache.
pub(super) fn rounds_apart(
    all: &mut [AnyLearner],
    pace: &mut Duration,
    rows: &Rows,
    meta: &[RowMeta],
) -> Vec<std::result::Result<ClassRound, Round>> {
    let start = Instant::now();
    let is_worth = *pace > WORTH_THREADS;
    let groups = if is_worth { GROUPS * parallel::threads_here() } else { 1 };
    let size = all.len().div_ceil(groups);
    let components = components_for(all, rows);
    let mut groups: Vec<&mut [AnyLearner]> = all.chunks_mut(size).collect();
    let of_groups = parallel::map_mut(is_worth, &mut groups, |g, learners| {
        group_rounds(g * size, learners, components.as_ref(), (rows, meta))
    });
    *pace = start.elapsed();
    let all = of_groups.into_iter().reduce(|mut all, later| {
        all.truncate(later.len());
        all.iter_mut().zip(&later).for_each(|(tally, later)| tally.join(later));
        all
    });
    all.into_iter().flatten().map(ClassTally::end).collect()
}

/// The trials of the learners of classes from `first` on, up to the first that overflows for one of them; side by side
/// where the components of the rows are known and the learners allow it.
fn group_rounds(
    first: usize,
    learners: &mut [AnyLearner],
    components: Option<&RowComponents<'_>>,
    (rows, meta): (&Rows, &[RowMeta]),
) -> Vec<ClassTally> {
    let mut tallies: Vec<ClassTally> = meta.iter().map(|row| ClassTally::new(row.class)).collect();
    let mut abreast = Abreast::default();
    for (first, few) in (first..).step_by(ABREAST).zip(learners.chunks_mut(ABREAST)) {
        let side_by_side = components.is_some_and(|components| {
            rounds_abreast(first, few, (components, &mut abreast), (rows, meta), &mut tallies)
        });
        if !side_by_side {
            rounds_in_turn(first, few, (rows, meta), &mut tallies);
        }
    }
    tallies
}

/// The trials of some learners, those of classes from `first` on, one learner after another.
fn rounds_in_turn(
    first: usize,
    learners: &mut [AnyLearner],
    (rows, meta): (&Rows, &[RowMeta]),
    tallies: &mut Vec<ClassTally>,
) {
    let example = |(x, &RowMeta { weight, id, .. })| Example::new(x, Label::Negative).weighing(weight).at(id);
    let mut examples: Vec<Example<'_>> = rows.iter().zip(meta).map(example).collect();
    for (k, learner) in (first..).zip(learners) {
        examples.iter_mut().zip(meta).for_each(|(example, row)| example.y = Label::one_of(row.class == k));
        let mut met = 0;
        if let Some(learner) = learner.online() {
            let seen = |_: &Example<'_>, round| {
                if let Some(tally) = tallies.get_mut(met) {
                    tally.take(k, round);
                }
                met += 1;
                ControlFlow::Continue(())
            };
            _ = rounds(learner, &examples, seen); // the last round tells
        }
        tallies.truncate(met);
    }
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
