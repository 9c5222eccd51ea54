//! What learning leaves behind, said once: prediction in blocks, export, support vectors, pictures and memory
//! follow from it.

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::parallel;
use crate::space::{Row, Rows, SupportSet, vector};

/// The model of a learner.
pub enum Leaves<'a> {
    /// f(x) = w·x.
    Weights(Cow<'a, [f64]>),
    /// f(x) = Σ cⱼ K(xⱼ, x).
    Expansion(&'a SupportSet, Cow<'a, [f64]>),
    /// Something of its own.
    Own(Box<dyn Score + 'a>),
}

/// f in plain arithmetic, for what is to compute it elsewhere: in the order in which it is computed here as far as ties
/// depend on that.
pub enum Formula<'a> {
    /// f(x) = scale · (w·x − u·x/T), divided by ‖x‖_p if there is a p, and 0 where that is 0.
    Linear {
        /// w.
        weights: Cow<'a, [f64]>,
        /// u and T.
        less: Option<(Cow<'a, [f64]>, f64)>,
        /// What the sum is multiplied with.
        scale: f64,
        /// p.
        over_norm: Option<f64>,
    },
    /// f(x) = Σ cⱼ K(xⱼ, x).
    Expansion(&'a SupportSet, Cow<'a, [f64]>),
    /// f(x) = Σ vote_t sgn(w_t·x), with sgn(0) = 1.
    Votes {
        /// w_t.
        weights: Vec<Vec<f64>>,
        /// vote_t.
        votes: Cow<'a, [f64]>,
    },
}

impl<'a> Formula<'a> {
    /// f(x) = w·x.
    pub fn weights(weights: Cow<'a, [f64]>) -> Formula<'a> {
        Formula::Linear { weights, less: None, scale: 1.0, over_norm: None }
    }
}

/// A model that is neither a plain weight vector nor a plain expansion.
pub trait Score: Sync {
    /// f(x).
    fn score(&self, x: Row<'_>) -> f64;

    /// Appends f(x) of each row, of which there are at most as many as have lanes at once.
    fn scores(&self, rows: &Rows, out: &mut Vec<f64>) {
        out.extend((0..rows.len()).map(|i| self.score(rows.row(i))));
    }

    /// How many rows it likes to score at once.
    fn block(&self) -> usize {
        1
    }

    /// The weight vector w where f(x) has the sign of w·x.
    fn weights(&self) -> Option<Vec<f64>> {
        None
    }

    /// f in plain arithmetic, where it has such a form.
    fn formula(&self) -> Option<Formula<'_>> {
        None
    }

    /// The support set, if it is made of one.
    fn support(&self) -> Option<&SupportSet> {
        None
    }

    /// How many support vectors there are, if it is made of them.
    fn support_len(&self) -> Option<usize> {
        self.support().map(SupportSet::len)
    }
}

impl<'a> Leaves<'a> {
    /// The most rows that are scored at once.
    pub const MOST_ROWS: usize = SupportSet::MOST_ANNOUNCED;

    /// A plain weight vector.
    pub fn weights_of(w: &'a [f64]) -> Leaves<'a> {
        Leaves::Weights(Cow::Borrowed(w))
    }

    /// A weight vector that is not kept as one: how a row is scored, and the formula put together where it is asked
    /// for.
    pub(crate) fn derived(
        score: impl Fn(Row<'_>) -> f64 + Sync + 'a,
        formula: impl Fn() -> Formula<'a> + Sync + 'a,
    ) -> Leaves<'a> {
        Leaves::Own(Box::new(Derived { score, formula, of: PhantomData }))
    }

    /// f(x).
    pub fn score(&self, x: Row<'_>) -> f64 {
        match self {
            Leaves::Weights(w) => x.dot(w),
            Leaves::Expansion(set, coefficients) => set.combine(coefficients, x),
            Leaves::Own(own) => own.score(x),
        }
    }

    /// Appends f(x) of each row, however many; on several threads where there is enough to do.
    pub fn scores(&self, rows: &Rows, out: &mut Vec<f64>) {
        if let Leaves::Weights(w) = self {
            return vector::dots(w, rows, out);
        }
        if self.block() == 1 {
            return out.extend((0..rows.len()).map(|i| self.score(rows.row(i))));
        }
        let (blocks, values) =
            (rows.len().div_ceil(SupportSet::MOST_AHEAD), self.support_len().unwrap_or(0) * rows.len());
        let scores = parallel::map_if(values >= SupportSet::WORTH_THREADS, blocks, |k| {
            let mut scores = Vec::with_capacity(SupportSet::MOST_AHEAD);
            self.scores_of_block(&rows.part(k * SupportSet::MOST_AHEAD, SupportSet::MOST_AHEAD), &mut scores);
            scores
        });
        out.extend(scores.into_iter().flatten());
    }

    /// The same for as many rows as have lanes at once.
    fn scores_of_block(&self, rows: &Rows, out: &mut Vec<f64>) {
        match self {
            Leaves::Weights(w) => vector::dots(w, rows, out),
            Leaves::Expansion(set, coefficients) => set.combine_all(coefficients, rows, out),
            Leaves::Own(own) => own.scores(rows, out),
        }
    }

    /// How many rows it likes to score at once.
    pub fn block(&self) -> usize {
        match self {
            Leaves::Weights(_) => 1,
            Leaves::Expansion(..) => Leaves::MOST_ROWS,
            Leaves::Own(own) => own.block(),
        }
    }

    /// The weight vector w, where there is one and f(x) has the sign of w·x.
    pub fn weights(&self) -> Option<Cow<'_, [f64]>> {
        match self {
            Leaves::Weights(w) => Some(Cow::Borrowed(w)),
            Leaves::Expansion(..) => None,
            Leaves::Own(own) => own.weights().map(Cow::Owned),
        }
    }

    /// f in plain arithmetic, where it has such a form.
    pub(crate) fn formula(&self) -> Option<Formula<'_>> {
        match self {
            Leaves::Weights(w) => Some(Formula::weights(Cow::Borrowed(w))),
            Leaves::Expansion(set, coefficients) => Some(Formula::Expansion(set, Cow::Borrowed(coefficients))),
            Leaves::Own(own) => own.formula(),
        }
    }

    /// The support vectors, with their coefficients where f is a sum over them.
    pub fn support(&self) -> Option<(&SupportSet, Option<&[f64]>)> {
        match self {
            Leaves::Weights(_) => None,
            Leaves::Expansion(set, coefficients) => Some((*set, Some(&coefficients[..]))),
            Leaves::Own(own) => own.support().map(|set| (set, None)),
        }
    }

    /// How many support vectors there are; none in primal form.
    pub fn support_len(&self) -> Option<usize> {
        match self {
            Leaves::Weights(_) => None,
            Leaves::Expansion(set, _) => Some(set.len()),
            Leaves::Own(own) => own.support_len(),
        }
    }

    /// What its form is called: over features, or over support vectors.
    pub fn form(&self) -> &'static str {
        if self.support_len().is_some() { "dual" } else { "primal" }
    }

    /// Memory that it takes over so many features, with the rows it holds, in bytes.
    pub fn memory(&self, features: usize) -> u64 {
        match self.support() {
            Some((set, _)) => set.bytes() + SupportSet::lookup_bytes(features),
            None => 8 * features as u64,
        }
    }
}

/// Weights put together where they are asked for.
struct Derived<'a, S, F> {
    score: S,
    formula: F,
    /// What the formula borrows from.
    of: PhantomData<&'a ()>,
}

impl<'a, S: Fn(Row<'_>) -> f64 + Sync, F: Fn() -> Formula<'a> + Sync> Score for Derived<'a, S, F> {
    fn score(&self, x: Row<'_>) -> f64 {
        (self.score)(x)
    }

    fn weights(&self) -> Option<Vec<f64>> {
        match (self.formula)() {
            Formula::Linear { weights, scale, .. } => Some(weights.iter().map(|w| scale * w).collect()),
            Formula::Expansion(..) | Formula::Votes { .. } => None,
        }
    }

    fn formula(&self) -> Option<Formula<'_>> {
        Some((self.formula)())
    }
}
