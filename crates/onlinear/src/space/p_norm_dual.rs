//! A vector θ together with its image g(θ) under the p-norm link, both kept in O(non-zeros).
//!
//! g = ∇½‖·‖_p²: gᵢ(θ) = sgn(θᵢ)|θᵢ|^{p−1} / ‖θ‖_p^{p−2}, g(0) = 0.
//!
//! θ = factor · stored, and with a unit s the powers (|storedᵢ|/s)^{p−1} are kept beside it, so
//! that a score is one dot product and one multiplication:
//!
//! g(θ)·x = factor · s · Σ sgn(storedᵢ)(|storedᵢ|/s)^{p−1} xᵢ / N^{(p−2)/p},  N = Σ (|storedᵢ|/s)^p.
//!
//! s is about max |storedᵢ|, so that the largest powers are near 1 for any p. At p = 2 it is a power
//! of two: nothing is rounded on the way and g(θ) is θ to the bit.

use super::{Finite, Overflow, Power, Row, RunningSum, Weights};
use crate::error::Result;
use crate::state::State;

/// Powers above this are rebased to a larger unit before they can overflow.
const LARGEST_POWER: f64 = 1e200;
/// A sum below this is rebased to a smaller unit before its terms lose digits to underflow.
const LEAST_SUM: f64 = 1e-100;
/// `factor` is folded into the stored components beyond this, or below its inverse.
const LARGEST_FACTOR: f64 = 1e100;

/// θ and g(θ).
#[derive(Clone, Debug)]
pub(crate) struct PNormDual {
    p: f64,
    powers_of: Powers,
    stored: Vec<f64>,
    factor: f64,
    unit: f64,
    sum: RunningSum,
    /// sgn(storedᵢ)(|storedᵢ|/s)^{p−1}: derived from the fields above.
    powers: Weights,
    /// factor · s / N^{(p−2)/p}: derived too.
    multiplier: f64,
}

/// The powers that one p takes.
#[derive(Clone, Copy, Debug)]
struct Powers {
    /// r^{p−1}, of a component in units of s.
    component: Power,
    /// N^{1/p}, which is ‖θ‖_p in units of s.
    norm: Power,
    /// N^{(p−2)/p}, which g(θ) is divided by.
    divisor: Power,
    /// The component in units of s whose power is the largest that may be.
    largest: f64,
}

impl Powers {
    fn new(p: f64) -> Powers {
        let [component, norm, divisor] = [p - 1.0, 1.0 / p, (p - 2.0) / p].map(Power::new);
        Powers { component, norm, divisor, largest: norm.of(LARGEST_POWER) }
    }

    /// sgn(r)|r|^{p−1}.
    fn of_component(&self, r: f64) -> f64 {
        self.component.of(r.abs()).copysign(r)
    }
}

impl PNormDual {
    /// θ = 0, for a p ≥ 2.
    pub(crate) fn new(p: f64) -> PNormDual {
        PNormDual {
            p,
            powers_of: Powers::new(p),
            stored: Vec::new(),
            factor: 1.0,
            unit: 1.0,
            sum: RunningSum::default(),
            powers: Weights::default(),
            multiplier: 0.0,
        }
    }

    /// g(θ)·x.
    #[inline]
    pub(crate) fn dot(&self, x: Row<'_>) -> f64 {
        self.multiplier * self.powers.dot(x)
    }

    /// θ ← θ + step · x.
    pub(crate) fn add(&mut self, step: f64, x: Row<'_>) -> Finite {
        let step = step / self.factor;
        let mut fits = true;
        x.for_each(|i, v| {
            let stored = self.stored.get(i).copied().unwrap_or(0.0) + step * v;
            fits &= stored.is_finite() & (self.factor * stored).is_finite();
        });
        Overflow::unless(fits)?;
        self.add_stored(step, x);
        Ok(())
    }

    /// stored ← stored + step · x.
    fn add_stored(&mut self, step: f64, x: Row<'_>) {
        let features = x.dimension();
        if features > self.stored.len() {
            self.stored.resize(features, 0.0);
            self.powers.grow(features);
        }
        let largest = self.powers_of.largest * self.unit;
        let mut fits = true;
        let (stored, powers) = (&mut self.stored, self.powers.as_mut_vec());
        x.for_each(|i, v| {
            let before = powers[i] * stored[i] / self.unit;
            stored[i] += step * v;
            if stored[i].abs() <= largest {
                powers[i] = self.powers_of.of_component(stored[i] / self.unit);
                self.sum.add(powers[i] * stored[i] / self.unit - before);
            } else {
                fits = false;
            }
        });
        if !fits || self.sum.is_worn() || self.sum.value() < LEAST_SUM {
            self.rebase();
        }
        self.refresh_multiplier();
    }

    /// θ ← c · θ.
    pub(crate) fn multiply(&mut self, c: f64) {
        self.factor *= c;
        if !(1.0 / LARGEST_FACTOR..=LARGEST_FACTOR).contains(&self.factor) {
            self.stored.iter_mut().for_each(|t| *t *= self.factor);
            self.factor = 1.0;
            self.rebase();
        }
        self.refresh_multiplier();
    }

    /// ‖θ‖_p, which is also ‖g(θ)‖_q.
    pub(crate) fn norm(&self) -> f64 {
        self.factor * self.unit * self.powers_of.norm.of(self.sum.value())
    }

    /// g(θ) as a number and what it is multiplied with.
    pub(crate) fn image(&self) -> (f64, &[f64]) {
        (self.multiplier, self.powers.as_slice())
    }

    /// Memory for so many features: θ and its powers.
    pub(crate) fn bytes(&self, features: usize) -> u64 {
        16 * features as u64
    }

    /// Chooses the unit anew and sums afresh.
    fn rebase(&mut self) {
        let largest = Row::Dense(&self.stored).largest();
        if largest > 0.0 && largest.is_finite() {
            self.unit = if self.p == 2.0 {
                2f64.powi((libm::ilogb(largest) + 1).clamp(-1000, 1000)) // what a normal f64 can hold
            } else {
                largest
            };
        }
        self.refresh_powers();
        self.sum = RunningSum::exact(self.fresh_sum());
    }

    /// N, term by term.
    fn fresh_sum(&self) -> f64 {
        self.stored.iter().zip(self.powers.as_slice()).map(|(t, g)| g * t / self.unit).sum()
    }

    fn refresh_powers(&mut self) {
        self.powers.grow(self.stored.len());
        for (g, t) in self.powers.as_mut_vec().iter_mut().zip(&self.stored) {
            *g = self.powers_of.of_component(t / self.unit);
        }
    }

    fn refresh_multiplier(&mut self) {
        let sum = self.sum.value();
        self.multiplier = match self.p {
            2.0 => self.factor * self.unit,
            _ if sum > 0.0 => self.factor * self.unit / self.powers_of.divisor.of(sum),
            _ => 0.0,
        };
    }

    /// Visits the fields that are not derived, and derives the rest after loading.
    pub(crate) fn state(&mut self, state: &mut State) -> Result<()> {
        let load = |state: &mut State| {
            let mut part = PNormDual::new(self.p);
            part.state(state).map(|()| part.stored.iter().map(|t| part.factor * t).collect())
        };
        if let Some(all) = state.apart(load)? {
            *self = PNormDual { stored: all.mixed(), ..PNormDual::new(self.p) };
            self.rebase();
            self.refresh_multiplier();
            return Ok(());
        }
        state.over_features("theta", &mut self.stored)?;
        state.f64("factor", &mut self.factor)?;
        state.f64("unit", &mut self.unit)?;
        self.sum.state("sum", state)?;
        state.require(self.unit > 0.0 && self.factor > 0.0, "unit and factor must be positive")?;
        if state.is_loading() {
            self.refresh_powers();
            self.refresh_multiplier();
        }
        let fits = !state.is_loading() || self.sum.is_of(self.fresh_sum());
        state.require(fits, "sum is not that of its terms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// g(θ) straight from its definition.
    fn image(theta: &[f64], p: f64) -> Vec<f64> {
        let norm = Row::Dense(theta).norm(p);
        theta
            .iter()
            .map(|t| if norm == 0.0 { 0.0 } else { (t.abs() / norm).powf(p - 1.0).copysign(*t) * norm })
            .collect()
    }

    #[test]
    fn follows_the_definition_through_growth_cancellation_and_scaling() {
        for p in [2.0, 3.0, 4.0, 10.0, 200.0] {
            let mut kept = PNormDual::new(p);
            let mut theta = vec![0.0; 6];
            let mut step = 1e-4;
            for round in 0..400 {
                let x: Vec<f64> = (0..6).map(|i| ((round * 7 + i * 3) % 11) as f64 - 5.0).collect();
                // Grow fast, then cancel what was built up, again and again.
                step = if round % 20 < 10 { step * 1.5 } else { -step * 0.9 };
                kept.add(step, Row::Dense(&x)).unwrap();
                theta.iter_mut().zip(&x).for_each(|(t, v)| *t += step * v);
                if round % 50 == 7 {
                    kept.multiply(0.5);
                    theta.iter_mut().for_each(|t| *t *= 0.5);
                }
                let norm = Row::Dense(&theta).norm(p);
                assert!((kept.norm() - norm).abs() <= 1e-9 * norm, "p={p} round={round}: {} {norm}", kept.norm());
                let (scale, powers) = kept.image();
                for (a, b) in powers.iter().map(|power| scale * power).zip(image(&theta, p)) {
                    assert!((a - b).abs() <= 1e-8 * norm, "p={p} round={round}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn huge_and_tiny_components_stay_finite() {
        for size in [1e-150, 1e150] {
            let mut kept = PNormDual::new(30.0);
            kept.add(1.0, Row::Dense(&[size, -size])).unwrap();
            kept.add(1.0, Row::Dense(&[size, 0.0])).unwrap();
            let expected = image(&[2.0 * size, -size], 30.0);
            let (scale, powers) = kept.image();
            for (a, b) in powers.iter().map(|power| scale * power).zip(expected) {
                assert!((a - b).abs() <= 1e-12 * size, "{a} {b}");
            }
        }
    }
}
