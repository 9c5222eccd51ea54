//! All hypotheses there were, voting: Σᵢ cᵢ sgn(wᵢ·x), cᵢ the trials that wᵢ survived, sgn(0) = 0. Not the vectors but
//! the rows are kept: wᵢ·x is a running sum over them. The zero vector at the start does not vote.

use crate::error::Result;
use crate::learner::{Leaves, Score};
use crate::space::{Expansion, Kernel, Row, Rows, SupportSet};
use crate::state::State;

/// Every hypothesis there was, as the steps that led to it.
pub(super) struct Votes {
    /// The rows, where f keeps a weight vector and not the rows themselves.
    pub(super) rows: SupportSet,
    /// For each step, the place of its row and how far it went: wᵢ = Σ_{j ≤ i} stepsⱼ x_{placesⱼ}.
    places: Vec<u32>,
    steps: Vec<f64>,
    /// cᵢ, but for the last.
    survived: Vec<u64>,
}

impl Votes {
    /// No step yet.
    pub(super) fn new(kernel: Kernel) -> Votes {
        Votes { rows: SupportSet::new(kernel), places: Vec::new(), steps: Vec::new(), survived: Vec::new() }
    }

    /// The last hypothesis is about to change, after so many trials.
    pub(super) fn leave(&mut self, lasted: u64) {
        if !self.steps.is_empty() {
            self.survived.push(lasted);
        }
    }

    /// Notes a step along a row, which is in this place of a support set if f has one.
    pub(super) fn note(&mut self, step: f64, x: Row<'_>, id: Option<u64>, place: Option<usize>) {
        let place = place.or_else(|| self.rows.place_of(id)).unwrap_or_else(|| {
            self.rows.push(x, id);
            self.rows.len() - 1
        });
        self.places.push(place as u32);
        self.steps.push(step);
    }

    pub(super) fn state(&mut self, f: Option<&Expansion>, lasted: &mut u64, state: &mut State) -> Result<()> {
        if f.is_none() {
            state.within("mistaken", |state| self.rows.state(state))?;
        }
        state.u32s("places", &mut self.places)?;
        state.f64s("steps", &mut self.steps)?;
        let mut survived = self.survived.clone();
        survived.extend((!self.steps.is_empty()).then_some(*lasted));
        state.counts("survived", &mut survived)?;
        let updates = self.places.len();
        let fits = self.steps.len() == updates && survived.len() == updates;
        state.require(fits, "places, steps and survived differ in length")?;
        *lasted = survived.pop().unwrap_or(*lasted);
        self.survived = survived;
        let rows = f.map_or(&self.rows, Expansion::set).len();
        state.require(self.places.iter().all(|&place| (place as usize) < rows), "a place is beyond the rows held")
    }
}

/// All hypotheses voting.
pub(super) struct Ballot<'a> {
    pub(super) votes: &'a Votes,
    pub(super) rows: &'a SupportSet,
    pub(super) has_kernel: bool,
    /// The trials that the last one has survived.
    pub(super) lasted: u64,
}

impl Ballot<'_> {
    /// Σ cᵢ sgn(wᵢ·x), where `k` gives the kernel value of a row kept with x.
    fn count(&self, k: impl Fn(usize) -> f64) -> f64 {
        let Votes { places, steps, survived, .. } = self.votes;
        let mut score = 0.0; // wᵢ·x
        let mut votes = 0.0;
        let survived = survived.iter().chain(std::iter::once(&self.lasted));
        for ((&place, step), &count) in places.iter().zip(steps).zip(survived) {
            score += step * k(place as usize);
            if score != 0.0 {
                votes += (count as f64).copysign(score) + 0.0 * score; // NaN where a score is not finite
            }
        }
        votes
    }
}

impl Score for Ballot<'_> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.rows.column(x, |column| {
            let values: Vec<f64> = column.collect();
            self.count(|place| values[place])
        })
    }

    fn scores(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.rows.columns(rows, |columns| {
            let values: Vec<&[f64]> = columns.rows().collect();
            out.extend((0..rows.len()).map(|lane| self.count(|place| values[place][lane])));
        });
    }

    fn block(&self) -> usize {
        Leaves::MOST_ROWS
    }

    fn support(&self) -> Option<&SupportSet> {
        self.has_kernel.then_some(self.rows)
    }
}
