//! Fisher's linear discriminant.
//!
//! Fisher (1936); the start of the learners of Li, "Perceptron learning with random coordinate descent" (2005),
//! section 4. Projects the rows on the line along which the class means lie farthest apart for their spread.
//!
//! S_w = Σ φ (x − m_y)(x − m_y)ᵀ,   w = S_w⁻¹(m₊ − m₋),   bias −(p₋⟨m₊,w⟩ + p₊⟨m₋,w⟩)
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | m₊, m₋ the weighted means of the classes, p₊, p₋ their weights, Σφ = 1 |
//! | \[2\] | S_w the spread within the classes |
//! | \[3\] | where S_w cannot be inverted, S_w ← S_w + g/(1−g) tr(S_w)/m I with g = 10⁻¹⁰ |
//! | \[4\] | w = S_w⁻¹(m₊ − m₋) and the bias |

use super::{BATCH, BatchRule, Linear, StartVector, tell};
use crate::error::Result;
use crate::learner::{Epochs, Sample};
use crate::space::{Cholesky, Symmetric, vector};
use crate::spec::{Algorithm, New, PythonClass};

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "fld",
    title: "Fisher's linear discriminant",
    summary: "The direction along which the class means lie farthest apart for the spread within the classes.",
    rule: "w = S_w⁻¹(m₊ − m₋), bias −(p₋⟨m₊,w⟩ + p₊⟨m₋,w⟩)",
    paper: "Fisher (1936); the start of the learners of Li (2005)",
    cost: "O(N m² + m³)",
    bound: "none is known",
    differs: "the paper names no way out where S_w cannot be inverted; here it gets 10⁻¹⁰ of its mean eigenvalue added",
    python: PythonClass::own("FisherDiscriminant"),
    new: New::AllAtOnce(|_| Ok(Box::new(Linear::new(Fld)))),
    ..BATCH
};

/// Fisher's linear discriminant.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [1.0, 3.0, 6.0, 8.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Negative, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], false)?;
/// let mut learner = "fld".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// assert_eq!(learner.leaves().weights().unwrap()[..], [-22.5, 5.0]); // the border is at 4.5
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Fld;

impl BatchRule for Fld {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let w = discriminant(sample, watch)?;
        tell(watch, 0, sample.errors(&w)?, &w)?;
        Ok(w)
    }

    fn memory(&self, features: usize) -> u64 {
        StartVector::Fld.memory(features)
    }
}

/// A pivot below this means that S_w cannot be inverted.
const LEAST_PIVOT: f64 = 1e-10;
/// g of step \[3\].
const SHARE: f64 = 1e-10;

/// w with the bias in front, for rows with x₀ in front.
pub(crate) fn discriminant(sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
    let m = sample.dimension() - 1;
    let phi = |i: usize| sample.weights()[i] / sample.len() as f64;
    let features = |i: usize, x: &mut Vec<f64>| {
        x.clear();
        x.resize(m, 0.0);
        sample.row(i).for_each(|j, v| {
            if j > 0 {
                x[j - 1] = v
            }
        });
    };
    let mut x = Vec::with_capacity(m);
    let mut p = [0.0; 2]; // p₋, p₊
    let mut means = [vec![0.0; m], vec![0.0; m]];
    let class = |i: usize| usize::from(sample.y()[i] > 0.0);
    for i in 0..sample.len() {
        features(i, &mut x);
        p[class(i)] += phi(i);
        vector::add(&mut means[class(i)], phi(i), &x); // [1]
    }
    for (mean, p) in means.iter_mut().zip(p) {
        mean.iter_mut().for_each(|v| *v /= p);
    }
    let mut spread = Symmetric::default();
    spread.grow(m, 0.0);
    for i in 0..sample.len() {
        features(i, &mut x);
        vector::add(&mut x, -1.0, &means[class(i)]);
        spread.add(phi(i), &x); // [2]
        watch.tick()?;
    }
    let mut factor = Cholesky::of_watched(&spread, 0.0, || watch.tick())?;
    if factor.least_pivot().is_some_and(|pivot| pivot <= LEAST_PIVOT) {
        let trace: f64 = (0..m).map(|j| spread.row(j)[j]).sum();
        let shift = SHARE / (1.0 - SHARE) * trace / m as f64;
        factor = Cholesky::of_watched(&spread, shift, || watch.tick())?; // [3]
    }
    let [minus, plus] = &means;
    let mut w: Vec<f64> = plus.iter().zip(minus).map(|(plus, minus)| plus - minus).collect();
    factor.solve(&mut w); // [4]
    let bias = -(p[0] * vector::dot(plus, &w) + p[1] * vector::dot(minus, &w));
    let x0 = if sample.row(0).dimension() > 0 { first_component(sample) } else { 0.0 };
    w.insert(0, if x0 == 0.0 { 0.0 } else { bias / x0 });
    Ok(w)
}

/// x₀.
fn first_component(sample: &Sample) -> f64 {
    let mut x0 = 0.0;
    sample.row(0).for_each(|j, v| {
        if j == 0 {
            x0 = v
        }
    });
    x0
}
