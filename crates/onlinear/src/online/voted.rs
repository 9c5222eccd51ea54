//! The voted Perceptron.
//!
//! Freund and Schapire (1999), Figure 1.
//! Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.
//!
//! ŷ(x) = sgn Σᵢ cᵢ sgn(wᵢ·x),   sgn(0) = 0
//!
//! Not the vectors but the mistaken rows are kept: wᵢ·x is a running sum over them.
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | prediction ŷ = sgn(v_k·x) and its test |
//! | \[2\] | if ŷ = y: c_k ← c_k + 1 |
//! | \[3\] | else v_{k+1} = v_k + y x, c_{k+1} = 1, k ← k + 1 |
//!
//! Cost: O(non-zeros) per trial; a prediction passes once over the mistaken rows. Bound: online, the
//! Perceptron's.
//!
//! **Differs from the paper:** the zero vector's count starts at 0 and stays there (its votes are 0).

use std::cell::RefCell;

use super::perceptron::{Perceptron, RATE};
use crate::algorithm::Algorithm;
use crate::error::Result;
use crate::learner::{Example, Learner, Round};
use crate::space::{Row, Rows};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "voted",
    title: "Voted Perceptron",
    summary: "Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.",
    rule: "f(x) = Σᵢ cᵢ sgn(wᵢ·x)",
    paper: "Freund and Schapire (1999)",
    cost: "O(non-zeros) per trial; a prediction passes over all mistaken rows",
    bound: "online, the Perceptron's",
    differs: "the zero vector's count stays 0 (its votes are 0)",
    parameters: &[RATE],
    takes_weights: |_| false,
    needs_feature_count: false,
    new: |spec| Box::new(Voted::new(spec)),
};

/// The voted Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "voted".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[1.0]);
/// for _ in 0..3 {
///     learner.round(&Example::new(x, Label::Positive)); // w = 1 survives two more trials
/// }
/// assert_eq!(learner.output(x), 3.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Voted {
    perceptron: Perceptron,
    /// The mistaken rows and the steps taken along them: wᵢ = Σ_{j ≤ i} stepsⱼ rowsⱼ.
    rows: Rows,
    steps: Vec<f64>,
    /// cᵢ, the trials that wᵢ survived.
    survived: Vec<u64>,
}

impl Voted {
    /// w = 0, no votes.
    pub fn new(spec: &Spec) -> Voted {
        Voted { perceptron: Perceptron::new(spec), rows: Rows::default(), steps: Vec::new(), survived: Vec::new() }
    }

    /// Σ cᵢ sgn(wᵢ·x), x given with its zeros.
    fn votes(&self, x: &[f64]) -> f64 {
        let mut score = 0.0; // wᵢ·x
        let mut votes = 0.0;
        for (i, (step, &count)) in self.steps.iter().zip(&self.survived).enumerate() {
            let mut product = 0.0;
            self.rows.row(i).for_each(|j, v| product += v * x[j]);
            score += step * product;
            if score != 0.0 {
                votes += (count as f64).copysign(score);
            }
        }
        votes
    }
}

thread_local! {
    /// Where a row is spread out for its products with the rows kept; all zeros between predictions.
    static SPREAD: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl Learner for Voted {
    fn score(&self, x: Row<'_>) -> f64 {
        self.perceptron.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let (round, step) = self.perceptron.trial(example); // [1]
        if step != 0.0 {
            self.rows.push_row(example.x); // [3]
            self.steps.push(step);
            self.survived.push(1);
        } else if let Some(count) = self.survived.last_mut() {
            *count += 1; // [2]
        }
        round
    }

    fn output(&self, x: Row<'_>) -> f64 {
        SPREAD.with_borrow_mut(|dense| {
            let features = self.perceptron.w().as_slice().len().max(x.dimension());
            if dense.len() < features {
                dense.resize(features, 0.0);
            }
            x.for_each(|i, v| dense[i] = v);
            let votes = self.votes(dense);
            x.for_each(|i, _| dense[i] = 0.0);
            votes
        })
    }

    fn weights(&self) -> Option<Vec<f64>> {
        None
    }

    fn bytes_per_feature(&self) -> usize {
        8
    }

    fn rows_kept(&self) -> usize {
        self.rows.len()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.perceptron.state(state)?;
        state.rows("rows", &mut self.rows)?;
        state.f64s("steps", &mut self.steps)?;
        state.u64s("survived", &mut self.survived)?;
        let rows = self.rows.len();
        let fits = self.steps.len() == rows && self.survived.len() == rows;
        state.require(fits, "rows, steps and survived differ in length")?;
        let known = self.rows.dimension() <= self.perceptron.w().as_slice().len();
        state.require(known, "a stored row has features beyond the weights")
    }
}
