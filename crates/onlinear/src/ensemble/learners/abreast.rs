//! Trials of several learners with weights side by side: their scores of a row by one walk over it.

use super::block::RowMeta;
use super::class_round::ClassTally;
use crate::learner::{Example, Label, Learner, Step};
use crate::space::{ABREAST, Abreast, Row, RowComponents, Rows};
use crate::spec::AnyLearner;

/// Fewer learners than this go one after another.
const FEWEST: usize = 4;

/// The components of these rows, if the learners can meet them side by side and gain by it.
pub(super) fn components_for(learners: &mut [AnyLearner], rows: &Rows) -> Option<RowComponents> {
    let is_plain = learners.first_mut()?.online()?.plain_weights().is_some();
    if is_plain && learners.len() >= FEWEST { RowComponents::shared(rows) } else { None }
}

/// Trials of at most [`ABREAST`] learners, those of classes from `first` on; whether they can be made so. One that
/// overflows meets no further row, and nothing is told of rows behind that.
pub(super) fn rounds_abreast(
    first: usize,
    learners: &mut [AnyLearner],
    (components, abreast): (&RowComponents, &mut Abreast),
    (rows, meta): (&Rows, &[RowMeta]),
    tallies: &mut Vec<ClassTally>,
) -> bool {
    let Some(mut learners) = plain(learners) else { return false };
    let weights: Vec<&[f64]> = learners.iter().filter_map(|learner| learner.plain_weights()).collect();
    abreast.fill(components, &weights);
    let (mut places, mut is_over, mut met) = (components.places(), [false; ABREAST], tallies.len());
    for (t, (x, row)) in rows.iter().zip(meta).enumerate() {
        let (own, later) = places.split_at(x.values().len());
        places = later;
        let mut scores = [0.0; ABREAST];
        match x {
            Row::Sparse { values, .. } => scores = abreast.dots(own, values),
            Row::Dense(_) => scores.iter_mut().zip(&learners).for_each(|(score, learner)| *score = learner.score(x)),
        }
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
                Step::Update => abreast.follow(side, learner.plain_weights().unwrap_or_default(), x, own),
                Step::Overflow => (is_over[side], met) = (true, met.min(t + 1)),
            }
        }
    }
    tallies.truncate(met);
    true
}

/// These learners, if there are enough of them and each has plain weights.
fn plain(learners: &mut [AnyLearner]) -> Option<Vec<&mut dyn Learner>> {
    if learners.len() < FEWEST {
        return None;
    }
    let online = learners.iter_mut().map(|learner| learner.online().filter(|online| online.plain_weights().is_some()));
    online.collect()
}
