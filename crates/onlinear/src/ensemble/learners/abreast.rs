//! Several learners with weights side by side, in trials and for prediction: their scores of a row by one walk over it.

use std::borrow::Cow;

use super::ROWS;
use super::block::RowMeta;
use super::class_round::ClassTally;
use crate::learner::{Example, Label, Learner, Leaves, PlainWeights, Step};
use crate::parallel;
use crate::space::{ABREAST, Abreast, Row, RowComponents, Rows};
use crate::spec::AnyLearner;

/// Fewer learners than this go one after another.
const FEWEST: usize = 4;

/// The components of these rows, if the learners can meet them side by side and gain by it.
pub(super) fn components_for<'a>(learners: &mut [AnyLearner], rows: &'a Rows) -> Option<RowComponents<'a>> {
    let is_plain = learners.first_mut()?.online()?.plain_weights().is_some();
    if is_plain && learners.len() >= FEWEST { RowComponents::shared(rows) } else { None }
}

/// Trials of at most [`ABREAST`] learners, those of classes from `first` on; whether they can be made so. One that
/// overflows meets no further row, and nothing is told of rows behind that.
pub(super) fn rounds_abreast(
    first: usize,
    learners: &mut [AnyLearner],
    (components, abreast): (&RowComponents<'_>, &mut Abreast),
    (rows, meta): (&Rows, &[RowMeta]),
    tallies: &mut Vec<ClassTally>,
) -> bool {
    let Some(mut learners) = plain(learners) else { return false };
    let plain: Vec<PlainWeights<'_>> = learners.iter().filter_map(|learner| learner.plain_weights()).collect();
    abreast.fill(components, &plain.iter().map(|plain| plain.w).collect::<Vec<_>>());
    let beyond = plain.iter().map(|plain| plain.stays_beyond).fold(0.0, f64::max);
    let (mut places, mut is_over, mut met) = (components.places(), [false; ABREAST], tallies.len());
    let (sides, mut withheld) = (learners.len(), 0);
    for (t, (x, row)) in rows.iter().zip(meta).enumerate() {
        let (own, later) = places.split_at(x.values().len());
        places = later;
        let scores = abreast.dots(x, own).unwrap_or_else(|| {
            let mut scores = [0.0; ABREAST];
            scores.iter_mut().zip(&learners).for_each(|(score, learner)| *score = learner.score(x));
            scores
        });
        let own_side = row.class.wrapping_sub(first);
        if met == tallies.len() && all_stay(&scores[..sides], own_side, beyond) {
            withheld += 1;
            tallies[t].take_right(first, &scores[..sides]);
            continue;
        }
        withhold(&mut learners, &mut withheld);
        let example = Example::new(x, Label::Negative).weighing(row.weight).at(row.id);
        for (side, learner) in learners.iter_mut().enumerate() {
            if is_over[side] {
                continue;
            }
            let k = first + side;
            let round = learner.finish(&Example { y: Label::one_of(row.class == k), ..example }, scores[side]);
            if let Some(tally) = tallies.get_mut(t) {
                tally.take(k, round);
            }
            match round.step {
                Step::Stay => {}
                Step::Update => abreast.follow(side, learner.plain_weights().map_or(&[][..], |plain| plain.w), x, own),
                Step::Overflow => (is_over[side], met) = (true, met.min(t + 1)),
            }
        }
    }
    withhold(&mut learners, &mut withheld);
    tallies.truncate(met);
    true
}

/// Whether a trial changes none of the learners with these scores, of which `own_side` is that of the row's class, if
/// it is among them: told without a branch for each, of all at once.
#[inline]
fn all_stay(scores: &[f64], own_side: usize, beyond: f64) -> bool {
    let margin = |(side, &score): (usize, &f64)| if side == own_side { score } else { -score };
    let stays = |margin: f64| (margin > beyond) & (margin < f64::INFINITY);
    scores.iter().enumerate().map(margin).fold(true, |all, margin| all & stays(margin))
}

/// Tells learners of the trials so far that change nothing.
fn withhold(learners: &mut [&mut dyn Learner], trials: &mut u64) {
    if *trials > 0 {
        learners.iter_mut().for_each(|learner| learner.withhold(*trials));
        *trials = 0;
    }
}

/// The scores of each row by learners whose models are plain weights, one row after another; none where they are not,
/// or rows have little in common.
pub(super) fn scores_abreast(learners: &[AnyLearner], rows: &Rows) -> Option<Vec<f64>> {
    let weights = learners.iter().map(plain_leaves).collect::<Option<Vec<_>>>()?;
    let components = RowComponents::shared(rows).filter(|_| learners.len() >= FEWEST)?;
    let groups: Vec<&[Cow<'_, [f64]>]> = weights.chunks(ABREAST).collect();
    let of_groups = parallel::map_if(rows.len() >= ROWS, groups.len(), |g| dots_abreast(groups[g], &components, rows));
    let mut scores = vec![0.0; rows.len() * learners.len()];
    for (first, of_group) in (0..).step_by(ABREAST).zip(of_groups) {
        for (scores, own) in scores.chunks_exact_mut(learners.len()).zip(of_group) {
            scores[first..].iter_mut().zip(own).for_each(|(score, own)| *score = own);
        }
    }
    Some(scores)
}

/// The weights that a learner leaves, where its model is no more than them.
fn plain_leaves(learner: &AnyLearner) -> Option<Cow<'_, [f64]>> {
    match learner.leaves() {
        Leaves::Weights(w) => Some(w),
        _ => None,
    }
}

/// The products of each row, which have these components, with at most [`ABREAST`] vectors.
fn dots_abreast(weights: &[Cow<'_, [f64]>], components: &RowComponents<'_>, rows: &Rows) -> Vec<[f64; ABREAST]> {
    let weights: Vec<&[f64]> = weights.iter().map(|w| &w[..]).collect();
    let (mut abreast, mut places) = (Abreast::default(), components.places());
    abreast.fill(components, &weights);
    let dots = |x: Row<'_>| {
        let (own, later) = places.split_at(x.values().len());
        places = later;
        let one_by_one = || std::array::from_fn(|side| weights.get(side).map_or(0.0, |w| x.dot(w)));
        abreast.dots(x, own).unwrap_or_else(one_by_one)
    };
    rows.iter().map(dots).collect()
}

/// These learners, if there are enough of them and each has plain weights.
fn plain(learners: &mut [AnyLearner]) -> Option<Vec<&mut dyn Learner>> {
    if learners.len() < FEWEST {
        return None;
    }
    let online = learners.iter_mut().map(|learner| learner.online().filter(|online| online.plain_weights().is_some()));
    online.collect()
}
