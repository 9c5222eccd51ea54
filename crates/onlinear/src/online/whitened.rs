//! The whitened Perceptron.
//!
//! Cesa-Bianchi, Conconi and Gentile (2005), section 3: the algorithm that the second-order Perceptron
//! is an incremental form of. The Perceptron on rows that were made alike in all directions.
//!
//! M = Σ x xᵀ over all training rows,   the Perceptron on M^{−1/2} x
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | M ← Σ x xᵀ, read ahead |
//! | \[2\] | ŷ = sgn(wᵀM^{−1/2}x) |
//! | \[3\] | on a mistake w ← w + y M^{−1/2}x |
//!
//! M^{−1/2} is a pseudo-inverse: eigenvalues up to n ε λ_max count as 0. Not w but w̃ = M^{−1/2}w is kept, so
//! that a trial is one product: w̃ ← w̃ + y M^{−1/2}(M^{−1/2}x).

use crate::bound::{Evidence, Theorem};
use crate::error::{Message, Result, size};
use crate::learner::{Example, Expected, Learner, Leaves, Predictor, ReadsAhead, Step};
use crate::space::{Eigen, Finite, Row, Rows, Symmetric, Weights};
use crate::spec::{Algorithm, Charges, New, PythonClass};
use crate::state::State;

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "whitened",
    title: "Whitened Perceptron",
    summary: "The Perceptron on rows made alike in all directions by the correlations of all training rows, read \
              ahead.",
    rule: "M = Σ x xᵀ over all training rows; w ← w + y M^{−1/2}x when y wᵀM^{−1/2}x ≤ 0",
    paper: "Cesa-Bianchi, Conconi and Gentile (2005)",
    cost: "O(non-zeros) per trial, O(n²) per mistake, O(n³) before the first trial",
    bound: "the Perceptron's on the rows M^{−1/2}x",
    theorem: Charges::Mistakes(|_, evidence| theorem(evidence)),
    differs: "M need not be invertible: its eigenvalues up to n ε λ_max count as 0",
    python: PythonClass::own("WhitenedPerceptron"),
    new: New::AfterReadingAll(|_| Ok(Box::new(Whitened::default()))),
    ..Algorithm::ONLINE
};

/// The whitened Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "whitened".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[2.0, 0.0]);
/// let ahead = learner.reads_ahead().expect("it must see all rows");
/// ahead.read(x);
/// ahead.read(Row::Dense(&[0.0, 10.0]));
/// ahead.end().unwrap(); // M = diag(4, 100)
/// learner.round(&Example::new(x, Label::Positive));
/// assert_eq!(learner.score(x), 1.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Default)]
struct Whitened {
    /// M while rows are read ahead, then M^{−1/2}.
    matrix: Symmetric,
    /// w̃ = M^{−1/2}w.
    w: Weights,
    /// Memory used again and again: M^{−1/2}x and M^{−1/2} times that.
    work: [Vec<f64>; 2],
}

/// The Perceptron's theorem on the rows M^{−1/2}x.
fn theorem(evidence: &Evidence<'_>) -> std::result::Result<Theorem, String> {
    let correlations = evidence.correlations.ok_or("the correlations of the rows are not known")?;
    let root = inverse_root(correlations);
    let (mut rows, mut z) = (Rows::default(), Vec::new());
    for i in 0..evidence.trials.rows().len() {
        root.multiply_row(evidence.trials.rows().row(i), &mut z);
        rows.push_row(Row::Dense(&z));
    }
    Ok(Theorem { trials: Some(evidence.trials.with_rows(rows)), ..Theorem::first_order(ALGORITHM.title, 2.0) })
}

/// M^{−1/2}, a pseudo-inverse.
fn inverse_root(matrix: &Symmetric) -> Symmetric {
    let eigen = Eigen::of(matrix);
    let largest = eigen.values.iter().fold(0.0, |largest: f64, &value| largest.max(value));
    let least = eigen.values.len() as f64 * f64::EPSILON * largest;
    eigen.map(|value| if value > least { 1.0 / value.sqrt() } else { 0.0 })
}

impl Learner for Whitened {
    fn score(&self, x: Row<'_>) -> f64 {
        self.w.dot(x) // [2]
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        if y.sign() * score > 0.0 {
            return Ok(Step::Stay);
        }
        let [z, step] = &mut self.work;
        self.matrix.multiply_row(x, z);
        if z.iter().all(|&z| z == 0.0) {
            return Ok(Step::Stay);
        }
        self.matrix.multiply(z, step);
        self.w.add(y.sign(), Row::Dense(step))?; // [3]
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}

    fn reads_ahead(&mut self) -> Option<&mut dyn ReadsAhead> {
        Some(self)
    }
}

impl ReadsAhead for Whitened {
    fn read(&mut self, x: Row<'_>) {
        self.matrix.grow(x.dimension(), 0.0);
        self.matrix.add_row(x); // [1]
    }

    fn end(&mut self) -> std::result::Result<(), Message> {
        if !self.matrix.is_finite() {
            return Err("the sum of x xᵀ over its rows is too large a number; scale or normalize the rows".into());
        }
        self.matrix = inverse_root(&self.matrix);
        Ok(())
    }
}

impl Predictor for Whitened {
    fn leaves(&self) -> Leaves<'_> {
        Leaves::weights_of(self.w.as_slice())
    }

    fn memory(&self, features: usize) -> u64 {
        Symmetric::bytes(features).saturating_mul(6)
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let features = expected.features.unwrap_or(0);
        // M^{−1/2} and M, and two full matrices while its eigenvectors are found.
        let bytes = self.memory(features);
        if expected.max_memory.is_some_and(|most| bytes > most) {
            let need = format!("matrices of {features} × {features} need {}", size(bytes));
            return Err(Message::beyond_memory(need));
        }
        self.matrix.grow(features, 0.0);
        Ok(())
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.refuse_merging("each has the correlations of the rows that it read ahead, and no others")?;
        self.matrix.state("whitening", state)?;
        state.f64s("weights", self.w.as_mut_vec())?;
        state.require(self.w.as_slice().len() <= self.matrix.order(), "weights are more than the rows of whitening")
    }
}
