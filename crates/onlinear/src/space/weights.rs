//! A weight vector that grows as features turn up.

use super::Row;

/// w, with every component not yet met equal to 0.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    components: Vec<f64>,
}

impl Weights {
    /// w·x.
    #[inline]
    pub fn dot(&self, x: Row<'_>) -> f64 {
        x.dot(&self.components)
    }

    /// w ← w + step · x.
    #[inline]
    pub fn add(&mut self, step: f64, x: Row<'_>) {
        self.grow(x.dimension());
        x.add_to(&mut self.components, step);
    }

    /// w ← factor · w.
    pub fn multiply(&mut self, factor: f64) {
        self.components.iter_mut().for_each(|w| *w *= factor);
    }

    /// Makes room for `features` components.
    pub fn grow(&mut self, features: usize) {
        if features > self.components.len() {
            self.components.resize(features, 0.0);
        }
    }

    /// The components met so far.
    pub fn as_slice(&self) -> &[f64] {
        &self.components
    }

    /// The components met so far, to change.
    pub fn as_mut_vec(&mut self) -> &mut Vec<f64> {
        &mut self.components
    }
}
