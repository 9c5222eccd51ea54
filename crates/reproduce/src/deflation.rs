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

/// Means over the mistakes, in the order they were made, of rows with their labels: of ‖B_{k−1}x‖, y u·x and y u·B_{k−1}x for
/// the u that tells all rows apart with the largest margin; and the mean cosine of two rows. `mistakes` are places in `rows`.
pub fn measured(rows: &[UnitRow], y: &[f64], mistakes: &[usize], deflation: f64) -> Measurements {
    let u = separator(rows, y);
    let (mut norm, mut margin, mut deflated_margin) = (0.0, 0.0, 0.0);
    for (k, &i) in mistakes.iter().enumerate() {
        let mut x = rows[i].clone();
        for (past, &j) in mistakes[..k].iter().enumerate().rev() {
            let step = -deflation / (past + 1) as f64 * dot(&rows[j], &x);
            add(&mut x, step, &rows[j]);
        }
        norm += dot(&x, &x).sqrt();
        margin += y[i] * dot(&u, &rows[i]);
        deflated_margin += y[i] * dot(&u, &x);
    }
    let means = [(Measure::DeflatedNorm, norm), (Measure::Margin, margin), (Measure::DeflatedMargin, deflated_margin)];
    let count = mistakes.len().max(1) as f64;
    let means = means.into_iter().map(|(measure, sum)| (measure, sum / count));
    means.chain([(Measure::RowCosine, mean_cosine(rows))]).collect()
}

/// The mean inner product of two different rows of unit norm.
fn mean_cosine(rows: &[UnitRow]) -> f64 {
    let mut sum = vec![0.0; rows.first().map_or(0, Vec::len)];
    rows.iter().for_each(|x| add(&mut sum, 1.0, x));
    let n = rows.len() as f64;
    (dot(&sum, &sum) - n) / (n * (n - 1.0)).max(1.0)
}

/// The unit vector with the largest least margin, by dual coordinate descent on ½‖w‖² with y w·x ≥ 1.
fn separator(rows: &[UnitRow], y: &[f64]) -> UnitRow {
    let mut w = vec![0.0; rows.first().map_or(0, Vec::len)];
    let mut alpha = vec![0.0; rows.len()];
    for _ in 0..PASSES {
        for (i, x) in rows.iter().enumerate() {
            let new = (alpha[i] + 1.0 - y[i] * dot(&w, x)).max(0.0);
            add(&mut w, (new - alpha[i]) * y[i], x);
            alpha[i] = new;
        }
    }
    unit(w)
}

fn dot(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(x, z)| x * z).sum()
}

/// z ← z + a x.
fn add(z: &mut [f64], a: f64, x: &[f64]) {
    if a != 0.0 {
        z.iter_mut().zip(x).for_each(|(z, x)| *z += a * x);
    }
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
    }

    #[test]
    fn equal_rows_have_cosine_one() {
        assert!((mean_cosine(&[unit(vec![1.0, 2.0]), unit(vec![2.0, 4.0])]) - 1.0).abs() < 1e-12);
    }
}
