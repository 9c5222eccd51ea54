//! What is answered to rows that were learned from, and to the same rows sent again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use onlinear::workshop::ClassRound;
use onlinear::{Classes, Label, Result, Round, Watch, predicted_class};

/// The answers to so many of the last rows that carried an id are known.
pub(crate) const KNOWN_IDS: usize = 100_000;

/// What became of a row that was learned from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowAnswer {
    /// The number of the row in the log, counting from 1.
    pub(crate) row: u64,
    pub(crate) class: usize,
    /// The class that was predicted before learning, and with which score.
    pub(crate) predicted: usize,
    pub(crate) score: f64,
    pub(crate) is_mistake: bool,
}

/// The answers to the last rows that carried an id.
#[derive(Clone, Default)]
pub(crate) struct KnownIds {
    answers: HashMap<Arc<str>, RowAnswer>,
    order: VecDeque<Arc<str>>,
}

impl KnownIds {
    pub(crate) fn get(&self, id: &str) -> Option<&RowAnswer> {
        self.answers.get(id)
    }

    /// Notes the answer to a row; the oldest is forgotten where there are too many.
    pub(crate) fn note(&mut self, id: &str, answer: RowAnswer) {
        let id: Arc<str> = id.into();
        if self.answers.insert(id.clone(), answer).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > KNOWN_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }

    /// All of them, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &RowAnswer)> {
        self.order.iter().filter_map(|id| Some((&**id, self.answers.get(id)?)))
    }
}

/// Notes what came of each trial.
pub(crate) struct Trials {
    pub(crate) answers: Vec<RowAnswer>,
    /// The number of the next row.
    next: u64,
}

impl Trials {
    /// Those of rows behind the first so many.
    pub(crate) fn behind(rows: u64) -> Trials {
        Trials { answers: Vec::new(), next: rows + 1 }
    }

    fn note(&mut self, class: usize, predicted: usize, score: f64, is_mistake: bool) {
        self.answers.push(RowAnswer { row: self.next, class, predicted, score, is_mistake });
        self.next += 1;
    }
}

impl Watch for Trials {
    fn trial(&mut self, _: u64, y: Label, round: &Round) -> Result<()> {
        let class = usize::from(y == Label::Positive);
        let predicted = predicted_class(&[round.score]).unwrap_or(1);
        self.note(class, predicted, round.score, round.is_mistake(y));
        Ok(())
    }

    fn rest_trial(&mut self, _: u64, _: &Classes, round: &ClassRound) -> Result<()> {
        self.note(round.class, round.predicted, round.score, round.is_mistake());
        Ok(())
    }
}
