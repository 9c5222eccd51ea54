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
//! Works with kernels unchanged.
//!
//! Cost: the Perceptron's per trial; a prediction passes once over the mistaken rows. Bound: online, the
//! Perceptron's.
//!
//! **Differs from the paper:** the zero vector's count starts at 0 and stays there (its votes are 0).

use super::perceptron::{Perceptron, RATE, Trial};
use crate::algorithm::{Algorithm, Learns};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2, kernel};
use crate::learner::{Example, Learner, Round};
use crate::space::{Hypothesis, Row, Rows, SupportSet};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "voted",
    title: "Voted Perceptron",
    summary: "Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.",
    rule: "f(x) = Σᵢ cᵢ sgn(wᵢ·x)",
    paper: "Freund and Schapire (1999)",
    cost: "the Perceptron's per trial; a prediction passes over all mistaken rows",
    bound: "online, the Perceptron's",
    differs: "the zero vector's count stays 0 (its votes are 0)",
    parameters: &[RATE, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Voted::new(spec))),
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
    /// The mistaken rows, where the Perceptron keeps a weight vector and not the rows themselves.
    mistaken: SupportSet,
    /// For each update, the place of its row and the step along it: wᵢ = Σ_{j ≤ i} stepsⱼ x_{placesⱼ}.
    places: Vec<u32>,
    steps: Vec<f64>,
    /// cᵢ, the trials that wᵢ survived.
    survived: Vec<u64>,
}

impl Voted {
    /// w = 0, no votes.
    pub fn new(spec: &Spec) -> Voted {
        let mistaken = SupportSet::new(kernel(spec));
        Voted {
            perceptron: Perceptron::new(spec),
            mistaken,
            places: Vec::new(),
            steps: Vec::new(),
            survived: Vec::new(),
        }
    }

    /// The rows that `places` count in.
    fn rows(&self) -> &SupportSet {
        match self.perceptron.f() {
            Hypothesis::Primal(_) => &self.mistaken,
            Hypothesis::Dual(f) => f.set(),
        }
    }

    /// Σ cᵢ sgn(wᵢ·x), where `k` gives the kernel value of a row kept with x.
    fn votes(&self, k: impl Fn(usize) -> f64) -> f64 {
        let mut score = 0.0; // wᵢ·x
        let mut votes = 0.0;
        for ((&place, step), &count) in self.places.iter().zip(&self.steps).zip(&self.survived) {
            score += step * k(place as usize);
            if score != 0.0 {
                votes += (count as f64).copysign(score);
            }
        }
        votes
    }

    /// The place of the row of the update just made.
    fn note_row(&mut self, example: &Example<'_>, place: usize) -> usize {
        if self.perceptron.f().weights().is_none() {
            return place;
        }
        self.mistaken.place_of(example.id).unwrap_or_else(|| {
            self.mistaken.push(example.x, example.id);
            self.mistaken.len() - 1
        })
    }
}

impl Learner for Voted {
    fn score(&self, x: Row<'_>) -> f64 {
        self.perceptron.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let Trial { round, step, place } = self.perceptron.trial(example); // [1]
        if step != 0.0 {
            let place = self.note_row(example, place); // [3]
            self.places.push(place as u32);
            self.steps.push(step);
            self.survived.push(1);
        } else if let Some(count) = self.survived.last_mut() {
            *count += 1; // [2]
        }
        round
    }

    fn hypothesis(&self) -> Option<&Hypothesis> {
        Some(self.perceptron.f())
    }

    fn hypothesis_mut(&mut self) -> Option<&mut Hypothesis> {
        self.perceptron.hypothesis_mut()
    }

    fn output(&self, x: Row<'_>) -> f64 {
        let mut rows = Rows::default();
        rows.push_row(x);
        let mut votes = Vec::new();
        self.outputs(&rows, &mut votes);
        votes[0]
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.rows().columns(rows, |columns| {
            let values: Vec<&[f64]> = columns.rows().collect();
            out.extend((0..rows.len()).map(|lane| self.votes(|place| values[place][lane])));
        });
    }

    fn block(&self) -> usize {
        SupportSet::MOST_AHEAD // predictions gain in primal form too
    }

    fn weights(&self) -> Option<Vec<f64>> {
        None
    }

    fn expansion(&self) -> Option<(&SupportSet, Vec<f64>)> {
        None
    }

    fn bytes(&self, features: usize) -> u64 {
        8 * features as u64
    }

    fn held(&self) -> u64 {
        self.rows().bytes()
    }

    fn rows_kept(&self) -> usize {
        self.rows().len()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.perceptron.state(state)?;
        if self.perceptron.f().weights().is_some() {
            state.within("mistaken", |state| self.mistaken.state(state))?;
        }
        state.u32s("places", &mut self.places)?;
        state.f64s("steps", &mut self.steps)?;
        state.counts("survived", &mut self.survived)?;
        let updates = self.places.len();
        let fits = self.steps.len() == updates && self.survived.len() == updates;
        state.require(fits, "places, steps and survived differ in length")?;
        let held = self.rows().len();
        state.require(self.places.iter().all(|&place| (place as usize) < held), "a place is beyond the rows held")
    }
}
