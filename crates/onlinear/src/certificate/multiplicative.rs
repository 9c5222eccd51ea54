//! Comparators for norms other than the Euclidean one.

use super::ground::Ground;
use crate::bound::digits;
use crate::error::Result;
use crate::space::{Row, exp};

/// Passes over the mistaken rows.
const PASSES: usize = 20;
/// Powers of the components of a Euclidean comparator.
const POWERS: [f64; 5] = [1.0, 1.5, 2.0, 3.0, 4.0];

/// Vectors for the theorem's norm, with names in which `{}` is that of the Euclidean comparator `w`.
pub(crate) fn candidates(
    ground: &Ground<'_>,
    w: &[f64],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<(String, Vec<f64>)>> {
    let is_signed = !ground.theorem.needs_positive_weights;
    let allowed = |w: f64| if is_signed { w } else { w.max(0.0) };
    let power = |power: f64| w.iter().map(|&w| libm::pow(allowed(w).abs(), power).copysign(w)).collect();
    let mut made: Vec<(String, Vec<f64>)> = POWERS
        .iter()
        .map(|&p| (if p == 1.0 { "{}".to_string() } else { format!("{{}}, power {p}") }, power(p)))
        .collect();
    for exponent in 0..8 {
        let margin = ground.radius * 0.5f64.powi(exponent);
        let name = format!("exponentiated gradient at margin {}", digits(margin));
        made.push((name, exponentiated(ground, margin, is_signed, tick)?));
    }
    Ok(made)
}

/// Exponentiated updates wherever y v·x is below `margin`; the mean of v over the passes.
fn exponentiated(
    ground: &Ground<'_>,
    margin: f64,
    is_signed: bool,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    let trials = ground.trials();
    let n = trials.rows().dimension();
    let largest = (0..trials.rows().len()).map(|i| trials.rows().row(i).largest()).fold(0.0, f64::max);
    let rate = margin.min(largest) / (largest * largest);
    let mut theta = vec![0.0; n];
    let mut mean = vec![0.0; n];
    let mut state = Exponentials::of(&theta, is_signed);
    for _ in 0..PASSES {
        tick()?;
        for i in 0..trials.rows().len() {
            let (x, y) = (trials.rows().row(i), trials.y()[i]);
            if y * x.dot(&state.v) < margin * state.sum {
                state.add(&mut theta, rate * y, x, is_signed);
            }
        }
        state = Exponentials::of(&theta, is_signed);
        mean.iter_mut().zip(&state.v).for_each(|(mean, v)| *mean += v / state.sum);
    }
    Ok(mean)
}

/// e^{θ−s} (− e^{−θ−s} for weights of both signs) and the sum of the sizes.
struct Exponentials {
    v: Vec<f64>,
    sum: f64,
    shift: f64,
}

impl Exponentials {
    fn of(theta: &[f64], is_signed: bool) -> Exponentials {
        let shift = theta.iter().fold(0.0, |most: f64, &t| most.max(if is_signed { t.abs() } else { t }));
        let mut state = Exponentials { v: Vec::with_capacity(theta.len()), sum: 0.0, shift };
        for &t in theta {
            let (value, size) = state.terms(t, is_signed);
            state.v.push(value);
            state.sum += size;
        }
        state
    }

    fn terms(&self, theta: f64, is_signed: bool) -> (f64, f64) {
        let up = exp(theta - self.shift);
        let down = if is_signed { exp(-theta - self.shift) } else { 0.0 };
        (up - down, up + down)
    }

    fn add(&mut self, theta: &mut [f64], step: f64, x: Row<'_>, is_signed: bool) {
        let mut is_high = false;
        x.for_each(|j, value| {
            let before = self.terms(theta[j], is_signed).1;
            theta[j] += step * value;
            let (new, after) = self.terms(theta[j], is_signed);
            self.v[j] = new;
            self.sum += after - before;
            is_high |= theta[j].abs() > self.shift + 200.0;
        });
        if is_high {
            *self = Exponentials::of(theta, is_signed);
        }
    }
}
