//! The averaged Perceptron over many epochs, by default on rows drawn at random.
//!
//! Freund and Schapire (1999); Li, "Perceptron learning with random coordinate descent" (2005),
//! Algorithm 2 (`order=fixed`) and Algorithm 6 (`order=random`).
//! Runs the Perceptron and takes the sum of its vectors, each times the trials it was right for.
//!
//! w = Σ γᵢ wᵢ,   γᵢ the trials that wᵢ lasted, the one that made it among them
//!
//! | step | line of Algorithm 6 |
//! | --- | --- |
//! | \[1\] | 3: take a row k |
//! | \[2\] | 4, 5: if w_t is right, γ_t ← γ_t + Nφ_k |
//! | \[3\] | 7 to 9: else w_{t+1} ← w_t + Nφ_k y_k x_k, γ_{t+1} ← Nφ_k |
//! | \[4\] | 12: Σ γᵢ wᵢ |
//!
//! Every trial adds Nφ_k to the count of the vector it leaves behind. With Γ the sum of all counts, an
//! update Nφ y x made when Γ was Γ′ is in the vectors that the later Γ − Γ′ belong to; so with
//! u = Σ_updates Γ′ Nφ y x the sum \[4\] is Γ w − u, and a trial that is right touches nothing.

use super::{BATCH, BatchRule, EPOCHS, Linear, RowOrder, StartVector, report, tell};
use crate::error::Result;
use crate::learner::{Epochs, Sample};
use crate::spec::{Algorithm, New, Parameters, PythonClass, SEED, parameters};

parameters! {
    struct AveragedSampled {
        epochs: u64 = EPOCHS,
        order: RowOrder = RowOrder::PARAMETER,
        start: StartVector = StartVector::PARAMETER,
        seed: u64 = SEED,
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "averaged-sampled",
    title: "Averaged Perceptron, sampled",
    summary: "Runs the Perceptron on rows drawn at random and takes the sum of its vectors, each times the trials it \
              lasted.",
    rule: "w = Σ γᵢ wᵢ, wᵢ the Perceptron's vectors and γᵢ the weight of the trials that each lasted",
    paper: "Freund and Schapire (1999); Li (2005), Algorithms 2 and 6",
    cost: "O(non-zeros) per trial",
    bound: "none is known for more than one epoch",
    differs: "none; order=permuted is in its Figure 2",
    python: PythonClass::own("SampledAveragedPerceptron"),
    parameters: AveragedSampled::TABLE,
    draws_trials: |settings| AveragedSampled::read(settings).order == RowOrder::Random,
    grid: &["epochs=50,200"],
    new: New::AllAtOnce(|settings| Ok(Box::new(Linear::new(AveragedSampled::read(settings))))),
    ..BATCH
};

/// The averaged Perceptron over many epochs.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [2.0, 1.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let sample = Sample::new("two rows", rows, &[Label::Positive, Label::Negative], &[1.0; 2], true)?;
/// let mut learner = "averaged-sampled:epochs=1,order=fixed,start=zero".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// assert_eq!(learner.leaves().weights().unwrap()[..], [1.0, 3.0]); // (1, 2) and (0, 1), once each
/// # Ok::<(), onlinear::Error>(())
/// ```
impl BatchRule for AveragedSampled {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let mut trials = self.order.trials(sample, self.seed);
        let mut w = self.start.vector(sample, watch)?;
        let mut u = vec![0.0; w.len()];
        let mut count = 0.0; // Γ
        tell(watch, 0, sample.errors(&w)?, &w)?;
        for epoch in 1..=self.epochs {
            for k in trials.epoch() {
                let (x, y, weight) = (sample.row(k), sample.y()[k], sample.step(k)); // [1]
                if y * sample.score(k, &w)? <= 0.0 {
                    x.add_to(&mut u, count * (weight * y));
                    x.add_to(&mut w, weight * y); // [3]
                }
                count += weight; // [2] [3]
            }
            report(watch, epoch, epoch == self.epochs, || sum(count, &w, &u), sample)?;
        }
        Ok(sum(count, &w, &u)) // [4]
    }

    fn memory(&self, features: usize) -> u64 {
        self.start.memory(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }
}

/// Γ w − u.
fn sum(count: f64, w: &[f64], u: &[f64]) -> Vec<f64> {
    w.iter().zip(u).map(|(w, u)| count * w - u).collect()
}
