//! Stochastic gradient descent on a loss that stands for the 0/1 loss.
//!
//! Li, "Perceptron learning with random coordinate descent" (2005), section 4 (SGD
//! with the hinge loss and with the modified least squares); Zhang (2004).
//! Takes a row at a time and steps against the gradient of its loss.
//!
//! w ← w − η Nφ_k ∇ℓ(y_k, ⟨w,x_k⟩),   with s = ⟨w,x⟩:
//!
//! | loss | | step |
//! | --- | --- | --- |
//! | `perceptron` | max(0, −y s) | y s ≤ 0 ⇒ w ← w + η Nφ y x |
//! | `hinge` | max(0, 1 − y s) | y s < 1 ⇒ w ← w + η Nφ y x |
//! | `squares` | ½(y − s)² | w ← w + η Nφ (y − s) x |
//! | `modified-squares` | ½ max(0, 1 − y s)² | y s < 1 ⇒ w ← w + η Nφ (y − s) x |
//! | `logistic` | ln(1 + e^(−y s)) | w ← w + η Nφ y/(1 + e^(y s)) x |
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | take a row k |
//! | \[2\] | −∂ℓ/∂s |
//! | \[3\] | w ← w + η Nφ_k \[2\] x_k |

use super::{BATCH, BatchRule, EPOCHS, Linear, RowOrder, StartVector, report, tell};
use crate::error::Result;
use crate::learner::{Epochs, Sample};
use crate::space::exp;
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, SEED, choice, number, parameters};

choice! {
    /// What a row's score costs.
    pub(super) enum Loss {
        Perceptron = "perceptron",
        Hinge = "hinge",
        Squares = "squares",
        ModifiedSquares = "modified-squares",
        Logistic = "logistic",
    }
}

parameters! {
    struct Sgd {
        loss: Loss = Loss::parameter("loss", Loss::Hinge, "what a row's score costs"),
        rate: f64 = number("rate", 0.002, Range::POSITIVE, "size of a step").alias(&["eta"]),
        epochs: u64 = EPOCHS,
        order: RowOrder = RowOrder::PARAMETER,
        start: StartVector = StartVector::PARAMETER,
        seed: u64 = SEED,
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "sgd",
    title: "Stochastic gradient descent",
    summary: "Takes a row at a time and steps against the gradient of its loss.",
    rule: "w ← w + η Nφ y x when y⟨w,x⟩ < 1 (hinge) or ≤ 0 (perceptron); w ← w + η Nφ (y − ⟨w,x⟩) x always (squares) \
           or when y⟨w,x⟩ < 1 (modified-squares); w ← w + η Nφ y/(1 + e^(y⟨w,x⟩)) x (logistic)",
    paper: "Zhang (2004); Li (2005), section 4",
    cost: "O(non-zeros) per trial",
    bound: "none is known for the 0/1 loss",
    differs: "a factor 2 of the gradient of the squares is part of the rate; the logistic loss is not of the papers",
    python: PythonClass::own("SGD"),
    parameters: Sgd::TABLE,
    draws_trials: |settings| Sgd::read(settings).order == RowOrder::Random,
    grid: &["rate=0.0002..0.2*10"],
    new: New::AllAtOnce(|settings| Ok(Box::new(Linear::new(Sgd::read(settings))))),
    ..BATCH
};

impl Loss {
    /// −∂ℓ/∂s at the score s.
    #[inline]
    pub(super) fn pull(self, y: f64, s: f64) -> f64 {
        match self {
            Loss::Perceptron if y * s <= 0.0 => y,
            Loss::Hinge if y * s < 1.0 => y,
            Loss::ModifiedSquares if y * s < 1.0 => y - s,
            Loss::Squares => y - s,
            Loss::Logistic => y / (1.0 + exp(y * s)),
            _ => 0.0,
        }
    }
}

/// Stochastic gradient descent.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [1.0, -1.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let sample = Sample::new("two rows", rows, &[Label::Positive, Label::Negative], &[1.0; 2], true)?;
/// let mut learner = "sgd:rate=0.25,epochs=9,order=fixed,start=zero".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// assert_eq!(learner.leaves().weights().unwrap()[..], [0.0, 1.0]); // both rows are right by 1
/// # Ok::<(), onlinear::Error>(())
/// ```
impl BatchRule for Sgd {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let mut trials = self.order.trials(sample, self.seed);
        let mut w = self.start.vector(sample, watch)?;
        tell(watch, 0, sample.errors(&w)?, &w)?;
        for epoch in 1..=self.epochs {
            for k in trials.epoch() {
                let (x, y, weight) = (sample.row(k), sample.y()[k], sample.step(k)); // [1]
                let pull = self.loss.pull(y, sample.score(k, &w)?); // [2]
                if pull != 0.0 {
                    x.add_to(&mut w, self.rate * weight * pull); // [3]
                }
            }
            report(watch, epoch, epoch == self.epochs, || w.clone(), sample)?;
        }
        Ok(w)
    }

    fn memory(&self, features: usize) -> u64 {
        self.start.memory(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }
}
