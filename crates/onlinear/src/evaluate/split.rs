//! Rows to learn from and rows to test on, both with the classes in proportion.

use crate::random::Random;

/// Row numbers, in the order in which they are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// To learn from.
    pub train: Vec<usize>,
    /// To test on.
    pub test: Vec<usize>,
}

/// The generators of repeated runs: the first ones are the same however many there are.
pub fn generators(seed: u64, repeats: usize) -> Vec<Random> {
    let mut seeds = Random::new(seed);
    (0..repeats).map(|_| Random::new(seeds.next_u64())).collect()
}

/// The numbers below `rows` in random order.
pub fn permutation(rows: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    random.shuffle(&mut order);
    order
}

/// Holds as many rows of each class out for testing as are `wanted`. `classes` has the class of each row; the rows
/// are taken in the order of `order`, the first of each class for testing.
pub(crate) fn hold_out(classes: &[usize], order: &[usize], mut wanted: Vec<usize>) -> Split {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for &row in order {
        let left = &mut wanted[classes[row]];
        if *left > 0 {
            *left -= 1;
            test.push(row);
        } else {
            train.push(row);
        }
    }
    Split { train, test }
}

/// How many rows of each class are held out: its part of all, rounded so that they add up to the
/// share of all rows.
pub(crate) fn rows_held_out(classes: &[usize], share: f64) -> Vec<usize> {
    let mut counts = vec![0usize; classes.iter().max().map_or(0, |most| most + 1)];
    classes.iter().for_each(|&class| counts[class] += 1);
    let (mut so_far, mut given) = (0, 0);
    let part = |&count: &usize| {
        so_far += count;
        let now = ((so_far as f64 * share).round() as usize - given).min(count);
        given += now;
        now
    };
    counts.iter().map(part).collect()
}

/// `folds` splits, each row being tested on in one of them. `classes` and `order` are those of
/// `hold_out`.
pub fn fold(classes: &[usize], order: &[usize], folds: usize) -> Vec<Split> {
    // The rows of one class after those of another are dealt out in turn.
    let mut sorted = order.to_vec();
    sorted.sort_by_key(|&row| classes[row]);
    let mut fold_of = vec![0; classes.len()];
    for (i, &row) in sorted.iter().enumerate() {
        fold_of[row] = i % folds;
    }
    let split = |fold: usize| {
        let (test, train) = order.iter().partition(|&&row| fold_of[row] == fold);
        Split { train, test }
    };
    (0..folds).map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7 rows of class 0, 12 of class 1 and 2 of class 2.
    fn classes() -> Vec<usize> {
        (0..21).map(|i| if i % 3 == 0 { 0 } else { 1 + usize::from(i == 4 || i == 5) }).collect()
    }

    #[test]
    fn every_row_is_in_one_part() {
        let classes = classes();
        let order = permutation(classes.len(), &mut Random::new(3));
        let split = hold_out(&classes, &order, rows_held_out(&classes, 0.3));
        assert_eq!(split.test.len(), 6);
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..21).collect::<Vec<_>>());
        let in_test = |class| split.test.iter().filter(|&&row| classes[row] == class).count();
        assert_eq!([in_test(0), in_test(1), in_test(2)], [2, 4, 0]);
        let place = |row: &usize| order.iter().position(|other| other == row);
        assert!(split.train.is_sorted_by_key(place));
    }

    #[test]
    fn every_row_is_tested_on_once() {
        let classes = classes();
        let order = permutation(classes.len(), &mut Random::new(4));
        for folds in [2, 5, 21] {
            let splits = fold(&classes, &order, folds);
            let mut tested: Vec<usize> = splits.iter().flat_map(|split| split.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..21).collect::<Vec<_>>());
            for split in &splits {
                assert!((21 / folds..=21_usize.div_ceil(folds)).contains(&split.test.len()));
                assert_eq!(split.train.len() + split.test.len(), 21);
                assert!((0..3).all(|class| split.train.iter().any(|&row| classes[row] == class)));
                let of_class = split.test.iter().filter(|&&row| classes[row] == 1).count();
                assert!((12 / folds..=12_usize.div_ceil(folds)).contains(&of_class));
            }
        }
    }

    #[test]
    fn more_repeats_leave_the_first_as_they_were() {
        assert_eq!(generators(9, 3), generators(9, 5)[..3]);
        assert_ne!(generators(9, 2)[0], generators(9, 2)[1]);
    }
}
