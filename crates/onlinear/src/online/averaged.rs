//! The averaged Perceptron.
//!
//! Freund and Schapire (1999); Mohri's lecture prints it as "voted".
//! Learns as the Perceptron does; the model is the mean of the weight vector after each trial.
//!
//! w̄ = (1/T) Σ_t w_t,   w_t the weights after trial t
//!
//! An update η y x made in trial t is in w_t … w_T, that is in T − (t − 1) of the T vectors. So with
//! u = Σ_updates (t − 1) η y x the mean is w − u/T, and a trial without an update touches nothing.
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | a Perceptron trial |
//! | \[2\] | u ← u + (t − 1) η y x |
//!
//! With a kernel the same holds of the coefficients: u has one per support vector.
//!
//! Cost: the Perceptron's, per trial and per prediction. Bound: online, the Perceptron's.
//!
//! **Differs from the paper:** none.

use super::perceptron::{Perceptron, RATE, Trial};
use crate::algorithm::{Algorithm, Learns};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};
use crate::learner::{Example, Learner, Round};
use crate::space::{Hypothesis, Row, Rows, SupportSet, Weights};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "averaged",
    title: "Averaged Perceptron",
    summary: "Learns as the Perceptron does and predicts with the mean of its weight vectors.",
    rule: "w̄ = (1/T) Σ w_t, w_t the Perceptron's weights after trial t",
    paper: "Freund and Schapire (1999)",
    cost: "O(non-zeros) per trial; with a kernel, one kernel value per support vector",
    bound: "online, the Perceptron's",
    differs: "none",
    parameters: &[RATE, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| true,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Averaged::new(spec))),
};

/// The averaged Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "averaged".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // w = 1
/// learner.round(&Example::new(Row::Dense(&[2.0]), Label::Negative)); // w = -1
/// assert_eq!((learner.score(x), learner.output(x)), (-1.0, 0.0));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Averaged {
    perceptron: Perceptron,
    /// Σ (t − 1) η y x over the updates.
    u: Weights,
    /// T, the trials so far.
    trials: u64,
}

impl Averaged {
    /// w = 0, T = 0.
    pub fn new(spec: &Spec) -> Averaged {
        Averaged { perceptron: Perceptron::new(spec), u: Weights::default(), trials: 0 }
    }

    /// The mean of the coefficients, from the last ones.
    fn mean(&self, last: &[f64]) -> Vec<f64> {
        let trials = self.trials.max(1) as f64;
        last.iter().zip(self.u.as_slice()).map(|(c, u)| c - u / trials).collect()
    }
}

impl Learner for Averaged {
    fn score(&self, x: Row<'_>) -> f64 {
        self.perceptron.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let Trial { round, step, place } = self.perceptron.trial(example); // [1]
        if step != 0.0 {
            let weighted = self.trials as f64 * step; // [2]
            match self.perceptron.f() {
                Hypothesis::Primal(_) => self.u.add(weighted, example.x),
                Hypothesis::Dual(_) => self.u.add(weighted, Row::Sparse { indices: &[place as u32], values: &[1.0] }),
            }
        }
        self.trials += 1;
        round
    }

    fn hypothesis(&self) -> Option<&Hypothesis> {
        Some(self.perceptron.f())
    }

    fn hypothesis_mut(&mut self) -> Option<&mut Hypothesis> {
        self.perceptron.hypothesis_mut()
    }

    fn output(&self, x: Row<'_>) -> f64 {
        match self.perceptron.f() {
            Hypothesis::Primal(w) => w.dot(x) - self.u.dot(x) / (self.trials.max(1) as f64),
            Hypothesis::Dual(f) => f.combine(&self.mean(f.coefficients()), x),
        }
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        match self.perceptron.f() {
            Hypothesis::Primal(_) => out.extend((0..rows.len()).map(|i| self.output(rows.row(i)))),
            Hypothesis::Dual(f) => f.combine_all(&self.mean(f.coefficients()), rows, out),
        }
    }

    fn weights(&self) -> Option<Vec<f64>> {
        self.perceptron.f().weights().map(|w| self.mean(w.as_slice()))
    }

    fn expansion(&self) -> Option<(&SupportSet, Vec<f64>)> {
        self.perceptron.f().expansion().map(|f| (f.set(), self.mean(f.coefficients())))
    }

    fn bytes(&self, features: usize) -> u64 {
        16 * features as u64
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.perceptron.state(state)?;
        state.f64s("weighted-updates", self.u.as_mut_vec())?;
        state.u64("trials", &mut self.trials)?;
        let coefficients = match self.perceptron.f() {
            Hypothesis::Primal(w) => w.as_slice().len(),
            Hypothesis::Dual(f) => f.coefficients().len(),
        };
        state.require(self.u.as_slice().len() == coefficients, "the coefficients and weighted-updates differ in length")
    }
}
