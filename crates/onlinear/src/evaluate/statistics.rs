//! Means with their uncertainty, and whether two learners differ.

use std::cmp::Ordering;

use super::test::Errors;
use crate::space::exp;

/// What several measurements of one thing say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Their mean.
    pub mean: f64,
    /// The standard deviation of one measurement; `None` where there is only one.
    pub sd: Option<f64>,
    /// The standard error of the mean, sd/√n; `None` where there is only one.
    pub stderr: Option<f64>,
}

impl Summary {
    /// The summary of some values; `None` where there are none.
    ///
    /// ```
    /// use onlinear::workshop::Summary;
    /// let summary = Summary::of(&[2.0, 4.0, 4.0, 6.0]).expect("there are values");
    /// assert_eq!((summary.mean, summary.sd), (4.0, Some((8.0f64 / 3.0).sqrt())));
    /// ```
    pub fn of(values: &[f64]) -> Option<Summary> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        (!values.is_empty()).then_some(Summary { mean, sd, stderr: sd.map(|sd| sd / n.sqrt()) })
    }
}

/// Up to so many differences the distribution is counted out, beyond it is approximated.
const EXACT: usize = 25;

/// The two-sided p-value of Wilcoxon's signed-rank test that the differences of the error rates of pairs are as often
/// positive as negative (Wilcoxon, "Individual comparisons by ranking methods", 1945).
///
/// Differences of 0 are left out, equal ones share their mean rank; which are equal is told from the counts, since
/// rates are rounded. Of up to 25 differences the distribution of the rank sum is counted out for the ranks at hand; of
/// more it is the normal one, with the corrections for ties and for continuity.
///
/// ```
/// use onlinear::Errors;
/// use onlinear::workshop::signed_rank;
/// let wrong = |errors: u64| Errors { examples: 10, errors };
/// let pairs: Vec<(Errors, Errors)> = (1..=6).map(|more| (wrong(2 + more), wrong(2))).collect();
/// assert_eq!(signed_rank(&pairs), 0.03125);
/// assert_eq!(signed_rank(&[(wrong(3), wrong(3))]), 1.0);
/// ```
pub fn signed_rank(pairs: &[(Errors, Errors)]) -> f64 {
    p_value_of(pairs.iter().map(Difference::of).collect())
}

/// The same for differences of other figures, of which those within 1e-12 are equal.
pub fn signed_rank_of(differences: &[f64]) -> f64 {
    let whole = |difference: &f64| Difference { numerator: (1e12 * difference).round() as i128, denominator: 1 };
    p_value_of(differences.iter().map(whole).collect())
}

fn p_value_of(mut sorted: Vec<Difference>) -> f64 {
    sorted.retain(|difference| difference.numerator != 0);
    sorted.sort_by(Difference::cmp_size);
    let (ranks, ties) = doubled_ranks(&sorted);
    let positive: usize = sorted.iter().zip(&ranks).filter(|(d, _)| d.numerator > 0).map(|(_, rank)| rank).sum();
    if sorted.len() <= EXACT {
        exact(&ranks, positive)
    } else {
        approximate(sorted.len() as f64, ties, positive as f64 / 2.0)
    }
}

/// The difference of two error rates, exactly.
#[derive(Clone, Copy)]
struct Difference {
    numerator: i128,
    denominator: i128,
}

impl Difference {
    fn of((a, b): &(Errors, Errors)) -> Difference {
        let [rows_a, rows_b, wrong_a, wrong_b] = [a.examples, b.examples, a.errors, b.errors].map(i128::from);
        if rows_a == rows_b {
            return Difference { numerator: wrong_a - wrong_b, denominator: rows_a.max(1) };
        }
        Difference { numerator: wrong_a * rows_b - wrong_b * rows_a, denominator: (rows_a * rows_b).max(1) }
    }

    /// Which of two is the larger, whatever their signs.
    fn cmp_size(&self, other: &Difference) -> Ordering {
        let [ours, theirs] = [self.numerator * other.denominator, other.numerator * self.denominator];
        ours.abs().cmp(&theirs.abs())
    }
}

/// Twice the rank of each absolute difference, a whole number also where equal ones share a mean
/// rank, and the sum of t³ − t over groups of t equal ones.
fn doubled_ranks(sorted: &[Difference]) -> (Vec<usize>, f64) {
    let (mut ranks, mut ties) = (Vec::with_capacity(sorted.len()), 0.0);
    for group in sorted.chunk_by(|a, b| a.cmp_size(b).is_eq()) {
        let (before, size) = (ranks.len(), group.len());
        ranks.extend(std::iter::repeat_n(2 * before + size + 1, size));
        ties += (size as f64).powi(3) - size as f64;
    }
    (ranks, ties)
}

/// Counts the choices of signs whose rank sum is as far out as `positive`, on both sides.
fn exact(ranks: &[usize], positive: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    // How many choices of signs have each sum.
    let mut ways = vec![0.0; total + 1];
    ways[0] = 1.0;
    for &rank in ranks {
        for sum in (rank..=total).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    // The distribution is symmetric.
    let tail: f64 = ways[..=positive.min(total - positive)].iter().sum();
    (2.0 * tail / 2f64.powi(ranks.len() as i32)).min(1.0)
}

fn approximate(n: f64, ties: f64, positive: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let z = ((positive - mean).abs() - 0.5).max(0.0) / variance.sqrt();
    two_sided(z)
}

/// The probability that a standard normal number is farther from 0 than `z`.
fn two_sided(z: f64) -> f64 {
    let density = exp(-z * z / 2.0) * (2.0 / std::f64::consts::PI).sqrt();
    if z < 3.0 {
        // 1 − 2φ(z)·(z + z³/3 + z⁵/(3·5) + …)
        let (mut term, mut sum, mut k) = (z, z, 1.0);
        while term > 1e-17 * sum {
            k += 2.0;
            term *= z * z / k;
            sum += term;
        }
        (1.0 - density * sum).clamp(0.0, 1.0)
    } else {
        // 2φ(z)/(z + 1/(z + 2/(z + 3/(z + …))))
        density / (1..200).rev().fold(z, |below, k| z + f64::from(k) / below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of learners of which the first is wrong that much more often, of `rows` rows.
    fn pair(more: i64, rows: u64) -> (Errors, Errors) {
        let wrong = |errors: i64| Errors { examples: rows, errors: errors.max(0) as u64 };
        (wrong(more), wrong(-more))
    }

    fn p_value(differences: &[i64]) -> f64 {
        signed_rank(&differences.iter().map(|&more| pair(more, 1000)).collect::<Vec<_>>())
    }

    /// Differences of n distinct sizes whose negative ranks add up to `sum`.
    fn with_rank_sum(n: usize, sum: usize) -> Vec<i64> {
        let mut left = sum;
        let mut signed: Vec<i64> = (1..=n)
            .rev()
            .map(|rank| {
                let negative = rank <= left;
                left -= if negative { rank } else { 0 };
                if negative { -(rank as i64) } else { rank as i64 }
            })
            .collect();
        assert_eq!(left, 0);
        signed.reverse();
        signed
    }

    #[test]
    fn printed_critical_values() {
        // Wilcoxon, Katti and Wilcox (1970): the largest sum that is significant at 5 %, two-sided.
        for (n, sum) in [
            (6, 0),
            (7, 2),
            (8, 3),
            (9, 5),
            (10, 8),
            (11, 10),
            (12, 13),
            (13, 17),
            (14, 21),
            (15, 25),
            (20, 52),
            (25, 89),
        ] {
            assert!(p_value(&with_rank_sum(n, sum)) <= 0.05, "{n}");
            assert!(p_value(&with_rank_sum(n, sum + 1)) > 0.05, "{n}");
        }
        assert_eq!(p_value(&[1, 2, 3, 4, 5]), 0.0625);
    }

    #[test]
    fn printed_examples() {
        // Darwin's maize, as in Cureton (1967): the sum is 24, p 0.041259765625.
        let maize = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
        assert_eq!(p_value(&maize), 0.041259765625);
        // Hollander and Wolfe (1973), page 29: depression before and after; one-sided 0.019.
        let before = [1830, 500, 1620, 2480, 1680, 1880, 1550, 3060, 1300];
        let after = [878, 647, 598, 2050, 1060, 1290, 1060, 3140, 1290];
        let differences: Vec<i64> = before.iter().zip(after).map(|(a, b)| a - b).collect();
        assert_eq!(p_value(&differences), 0.0390625);
    }

    #[test]
    fn figures_are_ranked_like_errors() {
        let maize = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
        assert_eq!(signed_rank_of(&maize.map(|d| f64::from(d) / 1000.0)), 0.041259765625);
        // 0.3 - 0.2 and 0.2 - 0.1 are the same difference.
        assert_eq!(signed_rank_of(&[0.3 - 0.2, 0.2 - 0.1, 0.7 - 0.6, 0.1 - 0.2]), p_value(&[1, 1, 1, -1]));
    }

    #[test]
    fn signs_zeros_and_ties() {
        let some = [3, -1, 2, 5, -4, 7, 6];
        let flipped: Vec<i64> = some.iter().map(|d| -d).collect();
        assert_eq!(p_value(&some), p_value(&flipped));
        assert_eq!(p_value(&some), p_value(&[&some[..], &[0, 0]].concat()));
        // Four equal differences: all signs alike in 2 of 16 cases.
        assert_eq!(p_value(&[2; 4]), 0.125);
        // Ranks 1.5, 1.5, 3 with the 3 negative: sums up to 3 are those of {}, {1.5}, {1.5} and both, and {3}.
        assert_eq!(p_value(&[1, 1, -2]), 1.0);
        assert_eq!(p_value(&[]), 1.0);
    }

    /// Rates that are equal are so whatever their rounding: 0.3 − 0.2 is not 0.2 − 0.1 in floats, nor is 1/3 2/6.
    #[test]
    fn equal_rates_tie_whatever_the_numbers_of_rows() {
        let wrong = |errors, examples| Errors { examples, errors };
        let tenths = [(3, 2), (2, 1), (7, 6), (1, 2)].map(|(a, b)| (wrong(a, 10), wrong(b, 10)));
        assert_eq!(signed_rank(&tenths), p_value(&[1, 1, 1, -1]));
        let thirds = [(wrong(2, 3), wrong(2, 6)), (wrong(1, 3), wrong(0, 7)), (wrong(5, 9), wrong(2, 9))];
        assert_eq!(signed_rank(&thirds), 0.25);
        assert_eq!(signed_rank(&[(wrong(1, 3), wrong(2, 6)), (wrong(0, 5), wrong(0, 9))]), 1.0);
    }

    /// SciPy's p-values, ties and zeros included; how they were made is in the table's first lines.
    #[test]
    fn p_values_are_those_of_scipy() {
        let mut cases = 0;
        for line in include_str!("../../tests/golden/wilcoxon.csv").lines().filter(|line| !line.starts_with('#')) {
            let (p, differences) = line.split_once(',').unwrap();
            let (p, differences): (f64, Vec<i64>) =
                (p.parse().unwrap(), differences.split(' ').map(|d| d.parse().unwrap()).collect());
            assert!((p_value(&differences) - p).abs() <= 1e-12 * p, "{line}: {}", p_value(&differences));
            cases += 1;
        }
        assert!(cases >= 60);
    }

    #[test]
    fn many_differences_are_normal() {
        for (z, p) in
            [(0.0, 1.0), (1.0, 0.317_310_507_862_914), (1.959_963_984_540_054, 0.05), (4.0, 6.334_248_366_623_973e-5)]
        {
            assert!((two_sided(z) - p).abs() < 1e-14, "{z}: {}", two_sided(z));
        }
        // The approximation meets the exact distribution where that ends.
        for sum in [40, 89, 120, 160] {
            let mut differences: Vec<Difference> =
                with_rank_sum(25, sum).iter().map(|&more| Difference::of(&pair(more, 1000))).collect();
            differences.sort_by(Difference::cmp_size);
            let (ranks, ties) = doubled_ranks(&differences);
            let (exact, approximate) = (exact(&ranks, 2 * sum), approximate(25.0, ties, sum as f64));
            assert!((exact - approximate).abs() < 6e-3, "{sum}: {exact} and {approximate}");
        }
        // 30 of 40 equal differences are positive: the rank sum is 615, the standard deviation 64.4.
        let signs: Vec<i64> = (0..40).map(|i| if i < 30 { 1 } else { -1 }).collect();
        assert!(
            (p_value(&signs) - two_sided((615.0 - 410.0 - 0.5) / (5535.0f64 - 63960.0 / 48.0).sqrt())).abs() < 1e-15
        );
    }

    #[test]
    fn one_measurement_has_no_spread() {
        assert_eq!(Summary::of(&[3.0]), Some(Summary { mean: 3.0, sd: None, stderr: None }));
        assert_eq!(Summary::of(&[]), None);
    }
}
