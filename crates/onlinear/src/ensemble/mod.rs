//! Learners made of learners: one for each class, many that vote, and one that asks for labels.

pub(crate) mod adaboost;
mod calibrated;
mod learners;
pub(crate) mod selective;

pub(crate) use learners::RowMeta;
pub use learners::{ClassRound, Learners, Probabilities, predicted_class};

use crate::error::Result;
use crate::learner::{Formula, Label, Leaves, Sample, Score};
use crate::space::{Bundle, Row, Rows};
use crate::spec::{AnyLearner, Spec};
use crate::state::State;

/// A learner that has learned and is to vote.
enum Member {
    /// All there is to its model.
    Weights(Vec<f64>),
    /// A model of any other kind.
    Learner(AnyLearner),
}

impl Member {
    fn new(learner: AnyLearner) -> Member {
        let weights = learner.leaves().weights().map(|weights| weights.into_owned());
        weights.map_or_else(|| Member::Learner(learner), Member::Weights)
    }

    /// Its scores of all rows, as [`Members`] will see them: to the bit.
    fn scores(&self, sample: &Sample) -> Vec<f64> {
        let mut scores = vec![0.0; sample.len()];
        match self {
            Member::Weights(w) => {
                let mut w = w.clone();
                w.resize(sample.dimension(), 0.0);
                sample.panels().product(&w, &mut scores);
            }
            Member::Learner(learner) => {
                scores.clear();
                learner.leaves().scores(sample.rows(), &mut scores);
            }
        }
        scores
    }
}

/// Learners of one kind, each with a vote: F(x) = Σ_t vote_t h_t(x) with h_t(x) = ±1 the label
/// that member t predicts.
#[derive(Default)]
struct Members {
    votes: Vec<f64>,
    /// Members that are weight vectors; then there are no others.
    weights: Bundle,
    learners: Vec<AnyLearner>,
}

impl Members {
    fn len(&self) -> usize {
        self.votes.len()
    }

    /// Takes in a member, unless it is of another kind than those before it.
    fn push(&mut self, vote: f64, member: Member) -> std::result::Result<(), Member> {
        match member {
            Member::Weights(w) if self.learners.is_empty() => self.weights.push(&w),
            Member::Learner(learner) if self.weights.is_empty() => self.learners.push(learner),
            other => return Err(other),
        }
        self.votes.push(vote);
        Ok(())
    }

    /// The model.
    fn leaves(&self) -> Leaves<'_> {
        Leaves::Own(Box::new(self))
    }

    fn rows_kept(&self) -> usize {
        self.learners.iter().map(|member| member.facts().rows_kept).sum()
    }

    /// Memory that their weights and matrices over so many features take, in bytes.
    fn memory(&self, features: usize) -> u64 {
        self.learners.iter().fold(self.weights.bytes(), |sum, member| sum.saturating_add(member.memory(features)))
    }

    /// Visits the fields; members are at most `most` learners of `spec`.
    fn state(&mut self, spec: &Spec, most: u64, state: &mut State) -> Result<()> {
        state.f64s("votes", &mut self.votes)?;
        let votes_are_finite = self.votes.iter().all(|vote| vote.is_finite());
        state.require(votes_are_finite && self.votes.len() as u64 <= most, "votes are not finite or too many")?;
        let mut columns = self.weights.columns() as u64; // 0: the members are no weight vectors
        state.u64("columns", &mut columns)?;
        if columns > 0 {
            return self.weights_state(columns, state);
        }
        if state.is_loading() {
            self.learners.clear();
        }
        for k in 0..self.votes.len() {
            // One after another, so that votes without members take no memory.
            if state.is_loading() {
                self.learners.push(spec.learner());
            }
            state.within(&format!("member.{k}"), |state| self.learners[k].state(state))?;
        }
        Ok(())
    }

    fn weights_state(&mut self, columns: u64, state: &mut State) -> Result<()> {
        let mut flat = if state.is_loading() { Vec::new() } else { self.weights.to_flat() };
        state.f64s("weights", &mut flat)?;
        let fits = columns.checked_mul(self.votes.len() as u64) == Some(flat.len() as u64) && !flat.is_empty();
        state.require(fits, "weights are not as many as votes times columns")?;
        if state.is_loading() {
            self.weights = Bundle::from_flat(&flat, columns as usize).unwrap_or_default();
        }
        Ok(())
    }
}

impl Score for &Members {
    fn score(&self, x: Row<'_>) -> f64 {
        if self.learners.is_empty() {
            return self.weights.majority(&self.votes, x);
        }
        let members = self.learners.iter().zip(&self.votes);
        members.fold(0.0, |sum, (member, &vote)| sum + ballot(vote, member.leaves().score(x)))
    }

    fn scores(&self, rows: &Rows, out: &mut Vec<f64>) {
        if self.learners.is_empty() {
            return out.extend((0..rows.len()).map(|i| self.score(rows.row(i))));
        }
        let first = out.len();
        out.resize(first + rows.len(), 0.0);
        let mut scores = Vec::new();
        for (member, &vote) in self.learners.iter().zip(&self.votes) {
            scores.clear();
            member.leaves().scores(rows, &mut scores);
            out[first..].iter_mut().zip(&scores).for_each(|(sum, &score)| *sum += ballot(vote, score));
        }
    }

    fn block(&self) -> usize {
        if self.learners.is_empty() { 1 } else { Leaves::MOST_ROWS }
    }

    fn formula(&self) -> Option<Formula<'_>> {
        let weights = self.weights.to_flat().chunks_exact(self.weights.columns().max(1)).map(<[f64]>::to_vec).collect();
        self.learners.is_empty().then(|| Formula::Votes { weights, votes: self.votes.as_slice().into() })
    }

    fn support_len(&self) -> Option<usize> {
        let supports = self.learners.iter().map(|member| member.leaves().support_len());
        supports.sum::<Option<usize>>().filter(|_| !self.learners.is_empty())
    }
}

/// A vote for the label that a score predicts; one that is not finite predicts none, and spoils the vote.
fn ballot(vote: f64, score: f64) -> f64 {
    if score.is_finite() { vote * Label::predicted(score).sign() } else { f64::NAN }
}
