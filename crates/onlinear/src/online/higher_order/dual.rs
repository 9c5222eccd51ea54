//! The dual form at p = 2, for any kernel: A = BᵀB = I + Σ Dᵢⱼ xᵢ xⱼᵀ over mistaken rows.

use crate::error::Result;
use crate::space::{Expansion, Finite, Kernel, Overflow, Row, Symmetric, vector};
use crate::state::State;

/// f = Σ αⱼ K(xⱼ, ·) with α = y + e, e = D h, hⱼ = vᵀxⱼ.
pub(super) struct Dual {
    f: Expansion,
    /// y of every row held.
    y: Vec<f64>,
    /// D.
    d: Symmetric,
    /// Which of the rows held are in D, in its order.
    places: Vec<u64>,
    /// e = D h, for the rows in D. It is kept, and h is not.
    e: Vec<f64>,
    /// Memory used again and again: the kernel column of the rows in D, and D times it.
    work: (Vec<f64>, Vec<f64>),
}

impl Dual {
    pub(super) fn new(kernel: Kernel) -> Dual {
        let (d, work) = (Symmetric::default(), Default::default());
        Dual { f: Expansion::new(kernel), y: Vec::new(), d, places: Vec::new(), e: Vec::new(), work }
    }

    pub(super) fn f(&self) -> &Expansion {
        &self.f
    }

    pub(super) fn f_mut(&mut self) -> &mut Expansion {
        &mut self.f
    }

    /// vᵀx for the x of this trial.
    pub(super) fn v_dot(&self) -> f64 {
        self.y.iter().zip(self.f.column()).fold(0.0, |sum, (y, k)| sum + y * k)
    }

    /// v ← v + y x and B ← B(I − ρ x xᵀ) for the x of this trial; `square` is K(x,x).
    ///
    /// With κ the kernel column of the rows in D, b = D κ and t = v′ᵀx, the new D is
    /// [[D, −ρb], [−ρbᵀ, δ]], δ = ρ²(K(x,x) + κᵀb) − 2ρ, and h′ = (h + yκ, t). So
    /// e′ = (e + (y − ρt) b, δt − ρ bᵀ(h + yκ)), where bᵀh = κᵀD h = κᵀe: one product with D.
    pub(super) fn update(&mut self, x: Row<'_>, y: f64, rho: f64, square: f64) -> Finite {
        let (kappa, b) = (&mut self.work.0, &mut self.work.1);
        let column = self.f.column();
        kappa.clear();
        kappa.extend(self.places.iter().map(|&place| column[place as usize]));
        self.d.multiply(kappa, b);
        let t = self.v_dot() + y * square;
        let (kappa, b) = (&self.work.0, &mut self.work.1);
        let (kappa_b, kappa_e) = (dot(kappa, b), dot(kappa, &self.e));
        let delta = rho * rho * (square + kappa_b) - 2.0 * rho;
        let last = delta * t - rho * (kappa_e + y * kappa_b);
        Overflow::unless(vector::fits(&self.e, y - rho * t, b))?;
        Overflow::check([delta, last])?;
        self.e.iter_mut().zip(b.iter()).for_each(|(e, b)| *e += (y - rho * t) * b);
        let place = self.f.push(x, None, y);
        self.y.push(y);
        if rho > 0.0 {
            b.iter_mut().for_each(|b| *b *= -rho);
            self.d.push(b, delta);
            self.places.push(place as u64);
            self.e.push(last);
        }
        let alpha = self.f.coefficients_mut();
        for (&place, e) in self.places.iter().zip(&self.e) {
            alpha[place as usize] = self.y[place as usize] + e;
        }
        Ok(())
    }

    pub(super) fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        state.f64s("labels", &mut self.y)?;
        self.d.state("matrix", state)?;
        state.u64s("places", &mut self.places)?;
        state.f64s("deflected", &mut self.e)?;
        let rows = self.f.set().len();
        state.require(self.y.len() == rows, "labels and support rows differ in number")?;
        state.require(
            self.d.order() == self.places.len() && self.e.len() == self.places.len(),
            "the matrix, places and deflected differ in length",
        )?;
        let rise = self.places.is_sorted_by(|a, b| a < b);
        state.require(
            rise && self.places.last().is_none_or(|&last| last < rows as u64),
            "places are not those of support rows",
        )
    }
}

/// aᵀb, in order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
