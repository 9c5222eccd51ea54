//! A weight vector that grows as features turn up.

use super::{Finite, Overflow, Row, vector};

/// w, with every component not yet met equal to 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    components: Vec<f64>,
    /// What the components of the last row added were before, and how many there were.
    old: Vec<f64>,
    met: usize,
}

impl Weights {
    /// w·x.
    #[inline]
    pub(crate) fn dot(&self, x: Row<'_>) -> f64 {
        x.dot(&self.components)
    }

    /// w·x and u·x.
    pub(crate) fn dot_with(&self, u: &Weights, x: Row<'_>) -> (f64, f64) {
        match x {
            Row::Sparse { indices, values } if self.components.len() == u.components.len() => {
                vector::sparse_dots(&self.components, &u.components, indices, values)
            }
            _ => (self.dot(x), u.dot(x)),
        }
    }

    /// w ← w + step · x.
    #[inline]
    pub(crate) fn add(&mut self, step: f64, x: Row<'_>) -> Finite {
        self.met = self.components.len();
        self.grow(x.dimension());
        let length = x.values().len();
        if self.old.len() < length {
            self.old.resize(length, 0.0);
        }
        let (w, old) = (&mut self.components, &mut self.old[..length]);
        let is_finite = match x {
            Row::Dense(values) => vector::add_noting(w, step, values, old),
            Row::Sparse { indices, values } => vector::sparse_add_noting(w, step, indices, values, old),
        };
        if !is_finite {
            self.undo(x);
        }
        Overflow::unless(is_finite)
    }

    /// w as it was before the last [`Weights::add`], which was of x.
    pub(crate) fn undo(&mut self, x: Row<'_>) {
        let mut old = self.old.iter();
        x.for_each(|i, _| self.components[i] = old.next().copied().unwrap_or(0.0));
        self.components.truncate(self.met);
    }

    /// Whether w + step · x is finite.
    #[inline]
    pub(crate) fn fits(&self, step: f64, x: Row<'_>) -> Finite {
        Overflow::unless(x.fits(&self.components, step))
    }

    /// w ← w + step · x, which [`Weights::fits`].
    #[inline]
    pub(crate) fn add_fitting(&mut self, step: f64, x: Row<'_>) {
        self.grow(x.dimension());
        x.add_to(&mut self.components, step);
    }

    /// w ← factor · w.
    pub(crate) fn multiply(&mut self, factor: f64) {
        self.components.iter_mut().for_each(|w| *w *= factor);
    }

    /// Makes room for `features` components.
    pub(crate) fn grow(&mut self, features: usize) {
        if features > self.components.len() {
            self.components.resize(features, 0.0);
        }
    }

    /// The components met so far.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.components
    }

    /// The components met so far, to change.
    pub(crate) fn as_mut_vec(&mut self) -> &mut Vec<f64> {
        &mut self.components
    }
}
