//! Σ of a Gaussian over weight vectors, N(μ, Σ): how unsure a learner is of each weight, or of each direction.
//!
//! Σ = I at first; a row x that is learned from adds c x xᵀ to Σ⁻¹, or the diagonal of that.
//!
//! *Diagonal.* Kept is Σᵢ⁻¹ − 1, which is 0 for a feature not yet met: O(non-zeros).
//!
//! *Full.* Σ ← Σ − c/(1 + c v) Σx xᵀΣ with v = xᵀΣx, by Sherman and Morrison; made in the sweep of the next product.

use crate::error::Result;
use crate::hypothesis::Trajectory;
use crate::space::{Deferred, Finite, Overflow, Row, Symmetric, Weights, for_all_vectors, vector};
use crate::spec::{Declaration, choice};
use crate::state::State;

choice! {
    /// What is kept of Σ.
    pub(super) enum Matrix { Diagonal = "diagonal", Full = "full" }
}

/// The parameter `matrix`.
pub(super) const MATRIX: Declaration<Matrix> = Matrix::parameter(
    "matrix",
    Matrix::Diagonal,
    "how sure it is of each weight alone, or also of weights together, in O(n²)",
);

/// Σ.
pub(super) struct Covariance {
    kept: Kept,
    /// Σx of the last row looked at, with the zeros left out that a sparse row leaves out of a diagonal's …
    along: Vec<f64>,
    /// … and, of a diagonal, Σᵢ⁻¹ − 1 of its components: as they are where the row is sparse, one behind the other, so
    /// that several can be done at once; and as they will be, once the row fits.
    met: Vec<f64>,
}

enum Kept {
    /// Σᵢ⁻¹ − 1.
    Diagonal(Weights),
    /// Σ.
    Full(Deferred),
}

impl Covariance {
    /// Σ = I.
    pub(super) fn new(matrix: Matrix) -> Covariance {
        let kept = match matrix {
            Matrix::Diagonal => Kept::Diagonal(Weights::default()),
            Matrix::Full => Kept::Full(Deferred::default()),
        };
        Covariance { kept, along: Vec::new(), met: Vec::new() }
    }

    /// v = xᵀΣx, which is at most ‖x‖²; [`Covariance::along`] has Σx until the next change.
    pub(super) fn look(&mut self, x: Row<'_>) -> Finite<f64> {
        let Covariance { kept, along, met } = self;
        match kept {
            Kept::Diagonal(gained) => {
                let (gained, values) = (gained.as_slice(), x.values());
                along.resize(values.len(), 0.0);
                match x {
                    Row::Dense(values) => {
                        let known = gained.len().min(values.len());
                        divide(&values[..known], gained, along);
                        along[known..].copy_from_slice(&values[known..]);
                    }
                    Row::Sparse { indices, .. } => {
                        met.clear();
                        met.extend(indices.iter().map(|&i| gained.get(i as usize).copied().unwrap_or(0.0)));
                        divide(values, met, along);
                    }
                }
                let v = vector::dot(along, values);
                Overflow::check([v])?;
                Ok(v)
            }
            Kept::Full(matrix) => {
                Overflow::check([x.squared_norm()])?;
                matrix.grow(x.dimension(), 1.0);
                matrix.multiply(x, along);
                Ok(x.dot(along))
            }
        }
    }

    /// Σx of the row x last looked at.
    pub(super) fn along<'a>(&'a self, x: Row<'a>) -> Row<'a> {
        match (&self.kept, x) {
            (Kept::Diagonal(_), Row::Sparse { indices, .. }) => Row::Sparse { indices, values: &self.along },
            _ => Row::Dense(&self.along),
        }
    }

    /// Gets ready to learn from the row x last looked at, whose xᵀΣx was v: whether Σ⁻¹ + c x xᵀ, or its diagonal, is
    /// finite.
    pub(super) fn fits(&mut self, x: Row<'_>, c: f64, v: f64) -> Finite {
        Overflow::check([c])?;
        match &self.kept {
            Kept::Diagonal(gained) => {
                if let Row::Dense(values) = x {
                    let gained = gained.as_slice();
                    self.met.clear();
                    self.met.extend_from_slice(&gained[..gained.len().min(values.len())]);
                    self.met.resize(values.len(), 0.0);
                }
                Overflow::unless(gain(&mut self.met, c, x.values()))
            }
            Kept::Full(_) => Overflow::check_product(-c / (1.0 + c * v), &self.along, &self.along),
        }
    }

    /// Σ⁻¹ ← Σ⁻¹ + c x xᵀ, or its diagonal, for the row x that this c [`fits`](Covariance::fits), whose xᵀΣx was v.
    pub(super) fn learn(&mut self, x: Row<'_>, c: f64, v: f64) {
        match &mut self.kept {
            Kept::Diagonal(_) => self.learn_and_forget(x, 0.0),
            Kept::Full(matrix) => matrix.add(-c / (1.0 + c * v), &mut self.along),
        }
    }

    /// Σᵢ⁻¹ ← 1 + (1 − forgetting)(Σᵢ⁻¹ + c xᵢ² − 1) for the non-zeros of the row x that c [`fits`](Covariance::fits);
    /// of a diagonal.
    pub(super) fn learn_and_forget(&mut self, x: Row<'_>, forgetting: f64) {
        let Kept::Diagonal(gained) = &mut self.kept else { return };
        if forgetting > 0.0 {
            let forgotten = |(met, value): (&mut f64, &f64)| *met *= if *value != 0.0 { 1.0 - forgetting } else { 1.0 };
            self.met.iter_mut().zip(x.values()).for_each(forgotten);
        }
        gained.grow(x.dimension());
        let gained = gained.as_mut_vec();
        match x {
            Row::Dense(values) if values.len() == gained.len() => std::mem::swap(gained, &mut self.met),
            Row::Dense(values) => gained[..values.len()].copy_from_slice(&self.met),
            Row::Sparse { indices, .. } => {
                indices.iter().zip(&self.met).for_each(|(&i, met)| gained[i as usize] = *met)
            }
        }
    }

    /// Memory over so many features, in bytes.
    pub(super) fn memory(&self, features: usize) -> u64 {
        match &self.kept {
            Kept::Diagonal(_) => 8 * features as u64,
            Kept::Full(_) => Symmetric::bytes(features),
        }
    }

    /// Visits the fields of the Σ of this μ.
    pub(super) fn state_with(&mut self, mean: &mut Trajectory, state: &mut State) -> Result<()> {
        match self.state(mean.f().coefficients().len(), state)? {
            Some(merged) => mean.move_to(&merged).map_err(Overflow::refusal),
            None => Ok(()),
        }
    }

    /// Visits the fields; there are `weights` components of μ. While merging, precisions are added up, Σ⁻¹ = Σ₀⁻¹ +
    /// Σ (Σᵢ⁻¹ − Σ₀⁻¹), and the μ is given that goes with them.
    pub(super) fn state(&mut self, weights: usize, state: &mut State) -> Result<Option<Vec<f64>>> {
        match &mut self.kept {
            Kept::Diagonal(gained) => {
                if let Some((merged, mean)) = merged_diagonal(state)? {
                    *gained.as_mut_vec() = merged;
                    return Ok(Some(mean));
                }
                state.over_features("precision-gained", gained.as_mut_vec())?;
                let gained = gained.as_slice();
                state.require(gained.len() == weights, "the weights and precision-gained differ in length")?;
                state.require(gained.iter().all(|&gained| gained >= 0.0), "precision-gained is negative")?;
            }
            Kept::Full(matrix) => {
                if let Some((merged, mean)) = Deferred::merged("covariance", 1.0, state)? {
                    *matrix = merged;
                    return Ok(Some(mean));
                }
                matrix.state("covariance", state)?;
                state.require(weights <= matrix.order(), "weights are more than the rows of covariance")?;
                // Every change takes something away from 1.
                state.require(matrix.is_lessened_from(1.0), "covariance is not what rows leave of 1")?;
            }
        }
        Ok(None)
    }
}

/// along ← x/(1 + met).
#[inline]
fn divide(values: &[f64], met: &[f64], along: &mut [f64]) {
    if values.len() < vector::LONG { divide_each(values, met, along) } else { divide_long(values, met, along) }
}

#[inline(always)]
fn divide_each(values: &[f64], met: &[f64], along: &mut [f64]) {
    for ((along, value), met) in along.iter_mut().zip(values).zip(met) {
        *along = value / (1.0 + met);
    }
}

/// met ← met + c x²; whether that is finite.
#[inline]
fn gain(met: &mut [f64], c: f64, values: &[f64]) -> bool {
    if values.len() < vector::LONG { gain_each(met, c, values) } else { gain_long(met, c, values) }
}

#[inline(always)]
fn gain_each(met: &mut [f64], c: f64, values: &[f64]) -> bool {
    let mut is_finite = true;
    for (met, value) in met.iter_mut().zip(values) {
        *met += c * value * value;
        is_finite &= met.is_finite();
    }
    is_finite
}

for_all_vectors!(fn divide_long(values: &[f64], met: &[f64], along: &mut [f64]) = divide_each);
for_all_vectors!(fn gain_long(met: &mut [f64], c: f64, values: &[f64]) -> bool = gain_each);

/// While merging, Σᵢ⁻¹ − 1 of all parts together, and μ: of each weight the mean of the parts', by what each has gained
/// for it since the base.
///
/// Σ⁻¹μ is added up where Σ is whole. Here it must not be: a part takes each weight for independent of all others, and
/// goes all the way that they should go together; what several parts went that way, added up, goes too far.
fn merged_diagonal(state: &State) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    state.refuse_moved_precisions()?;
    let all = state.apart(|state| {
        let (mut gained, mut mean) = (Vec::new(), Vec::new());
        state.over_features("precision-gained", &mut gained)?;
        state.over_features("weights", &mut mean)?;
        Ok((gained, mean))
    })?;
    Ok(all.map(|all| {
        let gained = all.map(|(gained, _)| gained.clone()).summed();
        let at = |numbers: &[f64], i: usize| numbers.get(i).copied().unwrap_or(0.0);
        let mean = |i: usize| {
            let (before, start) = (at(&all.base.0, i), at(&all.base.1, i));
            let (mut whole, mut way) = (0.0, 0.0);
            for (_, (gained, mean)) in &all.parts {
                let since = (at(gained, i) - before).max(0.0);
                whole += since;
                way += since * (at(mean, i) - start);
            }
            if whole > 0.0 { start + way / whole } else { start }
        };
        let means = (0..gained.len()).map(mean).collect();
        (gained, means)
    }))
}
