//! No ridge at all: f(x) = vᵀ(S Sᵀ)⁺x with the current row in S.
//!
//! Rows are seen by their coordinates z in an orthonormal basis of the span of the mistaken rows and
//! their distance ρ to it. There Σ z zᵀ has an inverse, P; c = P Σ y z.
//!
//! A row outside of the span scores exactly 0: whatever it brings is orthogonal to v. It becomes one
//! more direction of the basis, and with u = P z, r = z·u (Greville)
//! P ← [[P, −u/ρ], [−uᵀ/ρ, (1 + r)/ρ²]], c ← (c, (y − c·z)/ρ).
//! A row of the span scores c·z/(1 + r) by Sherman–Morrison, and changes P and c as in mode `fixed`.
//!
//! Primal: the basis is kept, and z is found by Gram–Schmidt. Dual: the basis is Q = X L⁻ᵀ with X the
//! mistaken rows that left the span and L the Cholesky factor of their Gram matrix, so z = L⁻¹k(x) and
//! ρ² = K(x,x) − ‖z‖²; a row of the span is told by what rounding can make of that.
//!
//! O(n²) per trial, correct or not, and per prediction.

use super::{Ridge, not_negative};
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::learner::{Example, Leaves, Score};
use crate::space::{Cholesky, Expansion, Finite, Overflow, Row, Rows, SupportSet, Symmetric, vector};
use crate::state::State;

/// ρ/‖x‖ up to which a row belongs to the span.
const RESOLUTION: f64 = 1e-8;

/// ρ²/K(x,x) up to which it does in dual form, however well the rows that left the span are told apart.
const DUAL_RESOLUTION: f64 = 1e-12;

pub(super) struct Pseudoinverse {
    /// In dual form, the rows that left the span, with coefficients of no meaning.
    f: Hypothesis,
    basis: Basis,
    p: Symmetric,
    c: Vec<f64>,
}

enum Basis {
    /// Unit vectors orthogonal to each other, with all their zeros; none is longer than the last.
    Primal(Rows),
    /// L.
    Dual(Cholesky),
}

/// Where a row is, seen from the span.
struct Coordinates {
    z: Vec<f64>,
    /// ρ; 0 for a row of the span.
    distance: f64,
    /// The part of the row outside of the span, in primal form.
    outside: Vec<f64>,
}

impl Pseudoinverse {
    pub(super) fn new(f: Hypothesis) -> Pseudoinverse {
        let basis = match f {
            Hypothesis::Primal(_) => Basis::Primal(Rows::default()),
            Hypothesis::Dual(_) => Basis::Dual(Cholesky::default()),
        };
        Pseudoinverse { f, basis, p: Symmetric::default(), c: Vec::new() }
    }

    /// Where `x` is; `column` holds its kernel values in dual form.
    fn place(&self, x: Row<'_>, column: &[f64]) -> Coordinates {
        match &self.basis {
            Basis::Primal(directions) => place_among(directions, x),
            Basis::Dual(factor) => {
                let mut z = column.to_vec();
                factor.forward(&mut z);
                let whole = self.f.square(x);
                let square = whole - vector::dot(&z, &z);
                let is_inside = square <= DUAL_RESOLUTION * whole || square <= self.rounding(factor, &z, whole);
                Coordinates { z, distance: if is_inside { 0.0 } else { square.sqrt() }, outside: Vec::new() }
            }
        }
    }

    /// What rounding can make of ρ² in dual form: with x = Σ dⱼ xⱼ + rest, d = L⁻ᵀz, it is that of a sum of squares as
    /// large as (‖x‖ + Σ |dⱼ| ‖xⱼ‖)², and d is large where the rows xⱼ all but depend on each other.
    fn rounding(&self, factor: &Cholesky, z: &[f64], whole: f64) -> f64 {
        let Some(f) = self.f.expansion() else { return 0.0 };
        let mut d = z.to_vec();
        factor.backward(&mut d);
        let terms = d.iter().enumerate().map(|(j, d)| d.abs() * f.set().length(j));
        (d.len() + 1) as f64 * f64::EPSILON * (whole.sqrt() + terms.sum::<f64>()).powi(2)
    }

    fn score_at(&self, place: &Coordinates) -> f64 {
        if place.distance > 0.0 {
            return 0.0;
        }
        let mut u = Vec::new();
        self.p.multiply(&place.z, &mut u);
        vector::dot(&self.c, &place.z) / (1.0 + not_negative(vector::dot(&place.z, &u)))
    }
}

/// Coordinates by Gram–Schmidt, twice for a row that leaves the span.
fn place_among(directions: &Rows, x: Row<'_>) -> Coordinates {
    let direction = |i: usize| directions.parts(i).1;
    let features = directions.len().checked_sub(1).map_or(0, |last| direction(last).len());
    let mut z: Vec<f64> = (0..directions.len()).map(|i| x.dot(direction(i))).collect();
    if directions.len() == features && x.dimension() <= features {
        return Coordinates { z, distance: 0.0, outside: Vec::new() }; // the span is everything
    }
    let mut outside = vec![0.0; features.max(x.dimension())];
    x.for_each(|i, value| outside[i] = value);
    for (i, z) in z.iter().enumerate() {
        vector::add(&mut outside, -z, direction(i));
    }
    let least = RESOLUTION * x.norm(2.0);
    if Row::Dense(&outside).norm(2.0) > least {
        for (i, z) in z.iter_mut().enumerate() {
            let more = vector::dot(direction(i), &outside);
            *z += more;
            vector::add(&mut outside, -more, direction(i));
        }
    }
    let distance = Row::Dense(&outside).norm(2.0);
    Coordinates { z, distance: if distance <= least { 0.0 } else { distance }, outside }
}

impl Ridge for Pseudoinverse {
    fn score(&self, x: Row<'_>) -> f64 {
        match &self.f {
            Hypothesis::Primal(_) => self.score_at(&self.place(x, &[])),
            Hypothesis::Dual(f) => {
                let column: Vec<f64> = f.set().column(x, |values| values.collect());
                self.score_at(&self.place(x, &column))
            }
        }
    }

    fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.f.trial_column(x, lane);
        let column = self.f.expansion().map_or(&[][..], |f| f.column());
        self.score_at(&self.place(x, column))
    }

    fn update(&mut self, example: &Example<'_>, _score: f64) -> Finite {
        let (x, y) = (example.x, example.y.sign());
        let column = self.f.expansion().map_or(&[][..], |f| f.column());
        let Coordinates { z, distance, outside } = self.place(x, column);
        let mut u = Vec::new();
        self.p.multiply(&z, &mut u);
        let r = not_negative(vector::dot(&z, &u));
        let missing = y - vector::dot(&self.c, &z);
        Overflow::check([self.f.square(x)])?;
        if distance == 0.0 {
            Overflow::check_product(-1.0 / (1.0 + r), &u, &u)?;
            Overflow::unless(vector::fits(&self.c, missing / (1.0 + r), &u))?;
            vector::add(&mut self.c, missing / (1.0 + r), &u);
            self.p.add(-1.0 / (1.0 + r), &u);
            return Ok(());
        }
        u.iter_mut().for_each(|u| *u /= -distance);
        let (corner, last) = ((1.0 + r) / distance / distance, missing / distance);
        Overflow::check(u.iter().chain(&z).copied().chain([corner, last, distance]))?;
        self.p.push(&u, corner);
        self.c.push(last);
        match &mut self.basis {
            Basis::Primal(directions) => {
                let direction: Vec<f64> = outside.iter().map(|v| v / distance).collect();
                directions.push_row(Row::Dense(&direction));
            }
            Basis::Dual(factor) => factor.push(&z, distance),
        }
        if let Hypothesis::Dual(f) = &mut self.f {
            f.push(x, None, 0.0);
        }
        Ok(())
    }

    fn count(&mut self, _: u64) {}

    fn hypothesis(&self) -> &Hypothesis {
        &self.f
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.expansion_mut()
    }

    fn leaves(&self) -> Leaves<'_> {
        Leaves::Own(Box::new(self))
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let size = match (&mut self.basis, &mut self.f) {
            (Basis::Dual(factor), Hypothesis::Dual(f)) => {
                f.state(state)?;
                factor.state("factor", state)?;
                state.require(f.set().len() == factor.order(), "support and factor differ in length")?;
                factor.order()
            }
            (Basis::Primal(directions), _) => {
                state.rows("directions", directions)?;
                let lengths = || (0..directions.len()).map(|i| directions.parts(i).0.len());
                let dense = (0..directions.len()).all(|i| matches!(directions.row(i), Row::Dense(_)));
                state.require(dense && lengths().is_sorted(), "directions do not fit together")?;
                directions.len()
            }
            (Basis::Dual(_), Hypothesis::Primal(_)) => unreachable!("a dual basis comes with a dual hypothesis"),
        };
        self.p.state("inverse", state)?;
        state.f64s("coordinates", &mut self.c)?;
        state.require(self.p.order() == size && self.c.len() == size, "the inverse and the basis differ in length")
    }
}

impl Score for &Pseudoinverse {
    fn score(&self, x: Row<'_>) -> f64 {
        Ridge::score(*self, x)
    }

    fn support(&self) -> Option<&SupportSet> {
        self.f.expansion().map(Expansion::set)
    }
}
