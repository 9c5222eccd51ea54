//! Theorem 1.

use super::{ALGORITHM, DeflationSchedule, HigherOrderParameters};
use crate::bound::{ChargedTrials, Comparator, Evidence, Measures, ROUNDING, Theorem};
use crate::space::SupportSet;

/// Theorem 1, about the margins y uᵀB_{k−1}x.
pub(super) fn of(parameters: HigherOrderParameters, evidence: &Evidence<'_>) -> Result<Theorem, String> {
    if parameters.p != 2.0 {
        return Err("higher-order has a bound at p=2 only".to_string());
    }
    let squares = evidence.trials.squares(evidence.kernel);
    if let Some(square) = squares.iter().find(|&&square| square != 0.0 && (square - 1.0).abs() > ROUNDING) {
        let length = square.sqrt();
        return Err(format!("higher-order has a bound for rows of norm 1 only, and a row is of norm {length}"));
    }
    let c = match parameters.schedule {
        DeflationSchedule::Harmonic => 1.0 - parameters.deflation,
        DeflationSchedule::Theorem => parameters.deflation,
    };
    let alpha = (2.0 - c) / c;
    let formula = move |&Measures { gamma, deviation, .. }: &Measures| {
        (Theorem::root(alpha * deviation / gamma, alpha / gamma), "Theorem 1")
    };
    let margins = move |trials: &ChargedTrials, u: &Comparator| match u {
        Comparator::Weights(w) => deflated(&parameters, trials, w),
        Comparator::Expansion { places, alpha } => deflated_by_kernel(&parameters, trials, places, alpha),
    };
    Ok(Theorem { is_of_run: true, margins: Some(Box::new(margins)), ..Theorem::new(ALGORITHM.title, formula) })
}

/// y uᵀB_{k−1}x of each trial: uᵀB is kept as a vector, uᵀB_k = uᵀB_{k−1} − ρ_k (uᵀB_{k−1}x) xᵀ.
fn deflated(parameters: &HigherOrderParameters, trials: &ChargedTrials, w: &[f64]) -> Vec<f64> {
    let n = trials.rows().dimension().max(w.len());
    let (mut u, mut v) = (w.to_vec(), vec![0.0; n]);
    u.resize(n, 0.0);
    let mut k = 0.0;
    let margin = |&place: &u32| {
        let (x, y) = (trials.rows().row(place as usize), trials.y()[place as usize]);
        let (score, vx) = (x.dot(&u), x.dot(&v));
        if !x.is_zero() {
            k += 1.0;
            x.add_to(&mut u, -parameters.rho(k, y, vx) * score);
            x.add_to(&mut v, y);
        }
        y * score
    };
    trials.sequence().iter().map(margin).collect()
}

/// y uᵀB_{k−1}x of each trial, with coefficients of the charged rows in place of vectors.
fn deflated_by_kernel(
    parameters: &HigherOrderParameters,
    trials: &ChargedTrials,
    places: &[u32],
    alpha: &[f64],
) -> Vec<f64> {
    let mut set = SupportSet::new(parameters.kernel);
    (0..trials.rows().len()).for_each(|i| set.push(trials.rows().row(i), None));
    let (mut u, mut v) = (vec![0.0; set.len()], vec![0.0; set.len()]);
    places.iter().zip(alpha).for_each(|(&place, alpha)| u[place as usize] += alpha);
    let mut k = 0.0;
    let margin = |&place: &u32| {
        let place = place as usize;
        let (x, y) = (trials.rows().row(place), trials.y()[place]);
        let (score, vx) = set.column(x, |column| {
            column.zip(u.iter().zip(&v)).fold((0.0, 0.0), |(a, b), (value, (u, v))| (a + value * u, b + value * v))
        });
        if set.with_itself(x) != 0.0 {
            k += 1.0;
            u[place] -= parameters.rho(k, y, vx) * score;
            v[place] += y;
        }
        y * score
    };
    trials.sequence().iter().map(margin).collect()
}
