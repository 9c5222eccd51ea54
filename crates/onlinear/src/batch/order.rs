//! In which order a batch learner that goes by trials takes the rows.

use crate::learner::Sample;
use crate::random::Random;
use crate::spec::{Declaration, choice};

choice! {
    /// The order of the rows in an epoch.
    pub(super) enum RowOrder {
        /// As they come.
        Fixed = "fixed",
        /// A permutation of the epoch before's.
        Permuted = "permuted",
        /// Each drawn from all.
        Random = "random",
    }
}

impl RowOrder {
    /// The parameter `order`.
    pub(super) const PARAMETER: Declaration<RowOrder> = RowOrder::parameter(
        "order",
        RowOrder::Random,
        "how an epoch takes the rows: as they come, each once in a new order, or drawn with replacement",
    );

    /// The trials of a run on `sample`.
    pub(super) fn trials(self, sample: &Sample, seed: u64) -> Trials<'_> {
        let permuted = if self == RowOrder::Permuted { sample.len() } else { 0 };
        Trials { order: self, sample, random: Random::new(seed), permutation: (0..permuted).collect() }
    }
}

/// Which row is next.
pub(super) struct Trials<'a> {
    order: RowOrder,
    sample: &'a Sample,
    random: Random,
    /// Empty for the other orders.
    permutation: Vec<usize>,
}

impl Trials<'_> {
    /// The rows of the next epoch, one after another, as many as there are.
    pub(super) fn epoch(&mut self) -> impl Iterator<Item = usize> {
        let Trials { order, sample, random, permutation } = self;
        random.shuffle(permutation);
        (0..sample.len()).map(move |t| match order {
            RowOrder::Fixed => t,
            RowOrder::Permuted => permutation[t],
            RowOrder::Random => sample.draw(random),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Label;
    use crate::space::{Row, Rows};

    fn epochs(order: RowOrder) -> [Vec<usize>; 2] {
        let mut rows = Rows::default();
        (0..10).for_each(|_| rows.push_row(Row::Dense(&[1.0])));
        let sample = Sample::new("rows", rows, &[Label::Positive; 10], &[1.0; 10], true).unwrap();
        let mut trials = order.trials(&sample, 7);
        [(); 2].map(|()| trials.epoch().collect())
    }

    #[test]
    fn each_order_draws_what_it_says() {
        let in_turn: Vec<usize> = (0..10).collect();
        assert_eq!(epochs(RowOrder::Fixed), [in_turn.clone(), in_turn]);
        // As in the generator's own tests.
        assert_eq!(epochs(RowOrder::Permuted), [[3, 8, 9, 4, 6, 7, 2, 5, 1, 0], [5, 6, 4, 2, 9, 0, 7, 1, 8, 3]]);
        let mut random = Random::new(7);
        assert_eq!(epochs(RowOrder::Random), [(); 2].map(|()| [(); 10].map(|()| random.index(10)).to_vec()));
    }
}
