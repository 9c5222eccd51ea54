//! Learners made of many learners that vote.

pub mod adaboost;

use crate::batch::Sample;
use crate::error::Result;
use crate::learner::{Label, Learner};
use crate::space::{Bundle, Row, Rows, SupportSet};
use crate::spec::Spec;
use crate::state::State;

/// A learner that has learned and is to vote.
pub(crate) enum Member {
    /// All there is to its model.
    Weights(Vec<f64>),
    /// A model of any other kind.
    Learner(Box<dyn Learner>),
}

impl Member {
    pub(crate) fn new(learner: Box<dyn Learner>) -> Member {
        learner.weights().map_or_else(|| Member::Learner(learner), Member::Weights)
    }

    /// Its scores of all rows, as [`Members`] will see them: to the bit.
    pub(crate) fn outputs(&self, sample: &Sample) -> Vec<f64> {
        match self {
            Member::Weights(w) => {
                let (mut w, mut scores) = (w.clone(), vec![0.0; sample.len()]);
                w.resize(sample.dimension(), 0.0);
                sample.panels().product(&w, &mut scores);
                scores
            }
            Member::Learner(learner) => {
                let mut scores = Vec::with_capacity(sample.len());
                in_blocks(sample.rows(), |rows| learner.outputs(rows, &mut scores));
                scores
            }
        }
    }
}

/// Gives `use_it` all rows, as many at once as any learner scores together.
pub(crate) fn in_blocks(rows: &Rows, mut use_it: impl FnMut(&Rows)) {
    let mut block = Rows::default();
    for i in 0..rows.len() {
        block.push_row(rows.row(i));
        if block.len() == SupportSet::MOST_AHEAD || i + 1 == rows.len() {
            use_it(&block);
            block.clear();
        }
    }
}

/// Learners of one kind, each with a vote: F(x) = Σ_t vote_t h_t(x) with h_t(x) = ±1 the label
/// that member t predicts.
#[derive(Default)]
pub(crate) struct Members {
    votes: Vec<f64>,
    /// Members that are weight vectors; then there are no others.
    weights: Bundle,
    learners: Vec<Box<dyn Learner>>,
}

impl Members {
    pub(crate) fn len(&self) -> usize {
        self.votes.len()
    }

    /// Takes in a member, unless it is of another kind than those before it.
    pub(crate) fn push(&mut self, vote: f64, member: Member) -> std::result::Result<(), Member> {
        match member {
            Member::Weights(w) if self.learners.is_empty() => self.weights.push(&w),
            Member::Learner(learner) if self.weights.is_empty() => self.learners.push(learner),
            other => return Err(other),
        }
        self.votes.push(vote);
        Ok(())
    }

    /// F(x).
    pub(crate) fn score(&self, x: Row<'_>) -> f64 {
        if self.learners.is_empty() {
            return self.weights.majority(&self.votes, x);
        }
        let members = self.learners.iter().zip(&self.votes);
        members.fold(0.0, |sum, (member, &vote)| sum + ballot(vote, member.output(x)))
    }

    /// Appends F of each row.
    pub(crate) fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        if self.learners.is_empty() {
            out.extend((0..rows.len()).map(|i| self.score(rows.row(i))));
            return;
        }
        let mut scores = Vec::new();
        in_blocks(rows, |rows| {
            let first = out.len();
            out.resize(first + rows.len(), 0.0);
            for (member, &vote) in self.learners.iter().zip(&self.votes) {
                scores.clear();
                member.outputs(rows, &mut scores);
                out[first..].iter_mut().zip(&scores).for_each(|(sum, &score)| *sum += ballot(vote, score));
            }
        });
    }

    /// How many rows they like to score at once.
    pub(crate) fn block(&self) -> usize {
        self.learners.first().map_or(1, |member| member.block())
    }

    /// Support vectors of all members, where they have any.
    pub(crate) fn support(&self) -> Option<usize> {
        let supports = self.learners.iter().map(|member| member.support());
        supports.sum::<Option<usize>>().filter(|_| !self.learners.is_empty())
    }

    pub(crate) fn rows_kept(&self) -> usize {
        self.learners.iter().map(|member| member.rows_kept()).sum()
    }

    /// Memory that their weights and matrices over so many features take, in bytes.
    pub(crate) fn bytes(&self, features: usize) -> u64 {
        self.learners.iter().fold(self.weights.bytes(), |sum, member| sum.saturating_add(member.bytes(features)))
    }

    /// Visits the fields; members are at most `most` learners of `spec`.
    pub(crate) fn state(&mut self, spec: &Spec, most: u64, state: &mut State) -> Result<()> {
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

/// A vote for the label that a score predicts.
fn ballot(vote: f64, score: f64) -> f64 {
    vote * Label::predicted(score).sign()
}
