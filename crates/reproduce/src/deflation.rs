//! What the Higher-order Perceptron's matrices make of the rows that it is mistaken on.
//!
//! Brotto, Gentile and Vitale, "On higher-order Perceptron algorithms" (2007), section 3: HO_2(c) is a Perceptron on
//! B_{k−1}x, B_k = B_{k−1}(I − (c/k) x xᵀ), which is hoped to have a larger margin than x. Here B_{k−1}x is computed
//! plainly, factor by factor, beside the learner that never holds it.

use crate::measure::Measure;
use crate::track::Measurements;

/// Passes of the search for u; so many are far more than the few rows of a microarray need.
const PASSES: usize = 300;

/// A row of unit norm, dense.
pub type UnitRow = Vec<f64>;

/// x brought to norm 1.
pub fn unit(mut x: Vec<f64>) -> UnitRow {
    let norm = dot(&x, &x).sqrt();
    x.iter_mut().filter(|_| norm > 0.0).for_each(|x| *x /= norm);
    x
}

/// Means over the mistakes, in the order they were made, of rows with their labels: of ‖B_{k−1}x‖, y u·x and
/// y u·B_{k−1}x for the u that tells all rows apart with the largest margin; and the mean cosine of two rows.
/// `mistakes` are places in `rows`.
pub fn measured(rows: &[UnitRow], y: &[f64], mistakes: &[usize], deflation: f64) -> Measurements {
    let gram: Vec<Vec<f64>> = rows.iter().map(|x| rows.iter().map(|z| dot(x, z)).collect()).collect();
    let of_u = separator(&gram, y);
    let (mut norm, mut margin, mut deflated_margin) = (0.0, 0.0, 0.0);
    for (k, &i) in mistakes.iter().enumerate() {
        // B_{k−1}x as coefficients of the rows.
        let mut x = vec![0.0; rows.len()];
        x[i] = 1.0;
        for (past, &j) in mistakes[..k].iter().enumerate().rev() {
            x[j] -= deflation / (past + 1) as f64 * dot(&gram[j], &x);
        }
        let square: f64 = x.iter().zip(&gram).map(|(c, column)| c * dot(column, &x)).sum();
        norm += square.max(0.0).sqrt();
        margin += y[i] * of_u[i];
        deflated_margin += y[i] * dot(&of_u, &x);
    }
    let means = [(Measure::DeflatedNorm, norm), (Measure::Margin, margin), (Measure::DeflatedMargin, deflated_margin)];
    let count = mistakes.len().max(1) as f64;
    let means = means.into_iter().map(|(measure, sum)| (measure, sum / count));
    means.chain([(Measure::RowCosine, mean_cosine(&gram))]).collect()
}

/// The mean inner product of two different rows of unit norm.
fn mean_cosine(gram: &[Vec<f64>]) -> f64 {
    let n = gram.len() as f64;
    (gram.iter().flatten().sum::<f64>() - n) / (n * (n - 1.0)).max(1.0)
}

/// u·x of every row for the unit vector u with the largest least margin, by dual coordinate descent on ½‖w‖² with
/// y w·x ≥ 1.
fn separator(gram: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let (mut alpha, mut scores) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    for _ in 0..PASSES {
        for (i, column) in gram.iter().enumerate() {
            let new = f64::max(alpha[i] + 1.0 - y[i] * scores[i], 0.0);
            let step = (new - alpha[i]) * y[i];
            scores.iter_mut().zip(column).for_each(|(score, k)| *score += step * k);
            alpha[i] = new;
        }
    }
    let square: f64 = alpha.iter().zip(&scores).zip(y).map(|((alpha, score), y)| alpha * y * score).sum();
    scores.iter().map(|score| score / square.sqrt()).collect()
}

fn dot(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(x, z)| x * z).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_met_twice_is_deflated_by_its_first_mistake() {
        let rows = [unit(vec![3.0, 0.0]), unit(vec![0.0, 2.0])];
        let found = measured(&rows, &[1.0, -1.0], &[0, 0, 1], 0.4);
        let of = |measure| found[&measure];
        // ‖x‖ = 1, then 1 − 0.4 for the same row, then 1 for one at a right angle.
        assert!((of(Measure::DeflatedNorm) - 2.6 / 3.0).abs() < 1e-12);
        // u = (1, −1)/√2.
        assert!((of(Measure::Margin) - 0.5f64.sqrt()).abs() < 1e-9);
        assert!((of(Measure::DeflatedMargin) - 2.6 / 3.0 * 0.5f64.sqrt()).abs() < 1e-9);
        assert_eq!(of(Measure::RowCosine), 0.0);
        // HO_2(0) leaves rows as they are.
        let plain = measured(&rows, &[1.0, -1.0], &[0, 0, 1], 0.0);
        assert_eq!((plain[&Measure::DeflatedNorm], plain[&Measure::DeflatedMargin]), (1.0, plain[&Measure::Margin]));
    }

    #[test]
    fn equal_rows_have_cosine_one() {
        let rows = [unit(vec![1.0, 2.0]), unit(vec![2.0, 4.0])];
        assert!((measured(&rows, &[1.0, 1.0], &[0], 0.4)[&Measure::RowCosine] - 1.0).abs() < 1e-12);
    }
}
