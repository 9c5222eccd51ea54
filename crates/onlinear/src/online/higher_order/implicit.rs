//! The implicit form, for any p: the factors of B, applied one by one.

use crate::error::Result;
use crate::space::{Finite, Overflow, Power, Row, Rows, Weights};
use crate::state::State;

/// The factors I − ρⱼ xⱼ g(xⱼ)ᵀ of B in their order, v, and w = Bᵀg(Bv).
pub(super) struct Implicit {
    p: f64,
    rows: Rows,
    /// g(xⱼ) of each row; derived, and empty at p = 2, where g(x) = x.
    images: Rows,
    rhos: Vec<f64>,
    v: Weights,
    w: Weights,
}

impl Implicit {
    pub(super) fn new(p: f64) -> Implicit {
        let (rows, images) = (Rows::default(), Rows::default());
        Implicit { p, rows, images, rhos: Vec::new(), v: Weights::default(), w: Weights::default() }
    }

    pub(super) fn w(&self) -> &Weights {
        &self.w
    }

    /// How many factors there are.
    pub(super) fn factors(&self) -> usize {
        self.rhos.len()
    }

    /// Memory that the factors take, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.rows.bytes() + self.images.bytes() + 8 * self.factors()) as u64
    }

    /// vᵀg(x).
    pub(super) fn v_dot_image(&self, x: Row<'_>) -> f64 {
        with_image(x, self.p, |image| self.v.dot(image))
    }

    /// v ← v + y x and B ← B(I − ρ x g(x)ᵀ).
    pub(super) fn update(&mut self, x: Row<'_>, y: f64, rho: f64) -> Finite {
        let (mut v, factors) = (self.v.clone(), self.factors());
        v.add(y, x)?;
        if rho > 0.0 {
            self.rows.push_row(x);
            self.rhos.push(rho);
            self.push_image(x);
        }
        match self.weights_of(&v) {
            Ok(w) => (self.v, self.w) = (v, w),
            Err(overflow) => {
                self.rows.truncate(factors);
                self.images.truncate(factors);
                self.rhos.truncate(factors);
                return Err(overflow);
            }
        }
        Ok(())
    }

    /// Bᵀg(Bv).
    fn weights_of(&self, v: &Weights) -> Finite<Weights> {
        let mut w = v.clone();
        for j in (0..self.rhos.len()).rev() {
            let step = -self.rhos[j] * w.dot(self.image(j));
            w.add(step, self.rows.row(j))?; // B z = F₁ (F₂ (… (F_k z)))
        }
        link(w.as_mut_vec(), self.p);
        for j in 0..self.rhos.len() {
            let step = -self.rhos[j] * w.dot(self.rows.row(j));
            w.add(step, self.image(j))?; // Bᵀz = F_kᵀ (… (F₁ᵀ z))
        }
        Overflow::check(w.as_slice().iter().copied())?;
        Ok(w)
    }

    fn image(&self, j: usize) -> Row<'_> {
        if self.p == 2.0 { self.rows.row(j) } else { self.images.row(j) }
    }

    fn push_image(&mut self, x: Row<'_>) {
        if self.p != 2.0 {
            with_image(x, self.p, |image| self.images.push_row(image));
        }
    }

    pub(super) fn state(&mut self, state: &mut State) -> Result<()> {
        state.rows("factors", &mut self.rows)?;
        state.f64s("rates", &mut self.rhos)?;
        state.f64s("sum", self.v.as_mut_vec())?;
        state.f64s("weights", self.w.as_mut_vec())?;
        let features = self.v.as_slice().len();
        state.require(self.rows.len() == self.rhos.len(), "factors and rates differ in number")?;
        state.require(self.w.as_slice().len() == features, "the sum and the weights differ in length")?;
        state.require(self.rows.dimension() <= features, "a factor has more features than the weights")?;
        if state.is_loading() {
            self.images.clear();
            let rows = std::mem::take(&mut self.rows);
            (0..rows.len()).for_each(|j| self.push_image(rows.row(j)));
            self.rows = rows;
        }
        Ok(())
    }
}

/// Gives `use_it` g(x).
fn with_image<T>(x: Row<'_>, p: f64, use_it: impl FnOnce(Row<'_>) -> T) -> T {
    if p == 2.0 {
        return use_it(x);
    }
    let mut image = x.values().to_vec();
    link(&mut image, p);
    use_it(x.with_values(&image))
}

/// z ← g(z), gᵢ(z) = sgn(zᵢ)|zᵢ|^{p−1}/‖z‖_p^{p−2}: with powers of |zᵢ|/max|z|, so that none overflows.
fn link(z: &mut [f64], p: f64) {
    let largest = Row::Dense(z).largest();
    if p == 2.0 || largest == 0.0 {
        return;
    }
    let [whole, component, divisor] = [p, p - 1.0, (p - 2.0) / p].map(Power::new);
    let sum: f64 = z.iter().map(|z| whole.of(z.abs() / largest)).sum();
    let factor = largest / divisor.of(sum);
    z.iter_mut().for_each(|z| *z = factor * component.of(z.abs() / largest).copysign(*z));
}
