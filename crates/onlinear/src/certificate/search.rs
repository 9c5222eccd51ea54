//! The search for a comparator with a small bound.
//!
//! Candidates: the learner's own weights; its last vector Σ y x and the average of its vectors, as far as the
//! mistakes tell; the averaged Perceptron after some passes over the mistaken rows; support vector machines
//! over them, from a cost so small that u is a mean of the rows to one so large that it no longer matters; and
//! for p-norms and Winnow vectors made for their norms. For each of them γ is tried on a grid and then refined.

use libm::log;

use super::comparator::TrialMargins;
use super::ground::Ground;
use super::multiplicative;
use super::span::Span;
use crate::batch::dual_descent::{DescentSpace, DualDescent};
use crate::bound::{Comparator, digits};
use crate::error::Result;
use crate::space::{Row, exp};

/// Multiplications that one cost may take, and passes.
const WORK: f64 = 1e8;
const MOST_PASSES: usize = 3000;
/// Passes of the averaged Perceptron.
const PERCEPTRON_PASSES: usize = 10;
/// A cost is this many times the one before.
const STEP: f64 = 4.0;
/// The path ends when this many costs in a row have brought nothing.
const PATIENCE: usize = 4;
/// A change of the bound smaller than this is nothing.
const GAIN: f64 = 1e-3;
/// The projected gradients at the end.
const TOLERANCE: f64 = 1e-3;

/// Comparators by the bounds that they promise, the best of them first.
struct Candidates<'a> {
    ground: &'a Ground<'a>,
    kept: Vec<(f64, String, Comparator)>,
    most: usize,
    /// The fewest errors of a candidate, its name, and the candidate.
    fewest: Option<(f64, String, Comparator)>,
    /// The largest margin of a candidate that tells all rows apart, and the candidate.
    widest: Option<(f64, Comparator)>,
}

/// What a search found.
pub(crate) struct SearchResult {
    /// The comparators to be measured in full, with their names.
    pub(crate) finalists: Vec<(String, Comparator)>,
    /// The one with the fewest errors, with its name.
    pub(crate) fewest_errors: Option<(String, Comparator)>,
    /// The one that tells the rows apart with the largest margin, if one does.
    pub(crate) separator: Option<Comparator>,
}

impl Candidates<'_> {
    /// Looks at what `span` holds; gives its bound.
    fn consider(&mut self, span: &Span<'_>, name: impl Fn() -> String) -> f64 {
        let norm = self.ground.theorem.comparator_norm;
        if let Some(w) = span.weights().filter(|_| self.ground.theorem.needs_positive_weights) {
            return self.consider_weights(w.iter().map(|w| w.max(0.0)).collect(), &name());
        }
        let length = match span.weights() {
            Some(w) if norm != 2.0 => Row::Dense(w).norm(norm),
            _ => span.length(),
        };
        let values = (0..span.len()).map(|i| span.y[i] * span.score(i)).collect();
        let margins = TrialMargins::new(values, span.counts.clone(), length);
        let least = margins.as_ref().map_or(0.0, TrialMargins::least);
        if least > self.widest.as_ref().map_or(0.0, |widest| widest.0) {
            self.widest = Some((least, span.comparator()));
        }
        self.count(margins.as_ref(), &name, || span.comparator());
        let bound = self.bound(margins);
        if bound.is_finite() && (self.kept.len() < self.most || self.kept.iter().any(|kept| bound < kept.0)) {
            self.keep(bound, name(), span.comparator());
        }
        bound
    }

    /// Looks at a weight vector.
    fn consider_weights(&mut self, w: Vec<f64>, name: &str) -> f64 {
        let u = Comparator::Weights(w);
        let margins = u.margins(self.ground);
        self.count(margins.as_ref(), &|| name.to_string(), || u.clone());
        let bound = self.bound(margins);
        if bound.is_finite() {
            self.keep(bound, name.to_string(), u);
        }
        bound
    }

    /// Sees whether a candidate has fewer errors than any before.
    fn count(&mut self, margins: Option<&TrialMargins>, name: &dyn Fn() -> String, u: impl FnOnce() -> Comparator) {
        let Some(margins) = margins else { return };
        let errors = margins.values.iter().zip(&margins.counts).map(|(m, count)| if *m <= 0.0 { *count } else { 0.0 });
        let errors: f64 = errors.sum();
        if self.fewest.as_ref().is_none_or(|fewest| errors < fewest.0) {
            self.fewest = Some((errors, name(), u()));
        }
    }

    fn bound(&self, margins: Option<TrialMargins>) -> f64 {
        margins.and_then(|margins| best_gamma(self.ground, &margins)).map_or(f64::INFINITY, |(bound, _)| bound)
    }

    fn keep(&mut self, bound: f64, name: String, u: Comparator) {
        let place = self.kept.partition_point(|kept| kept.0 <= bound);
        self.kept.insert(place, (bound, name, u));
        self.kept.truncate(self.most);
    }
}

/// Looks for comparators; `own` are the learner's weights. An error of `tick` ends the search.
pub(crate) fn search(
    ground: &Ground<'_>,
    own: Option<&[f64]>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<SearchResult> {
    // A theorem's own margins are not those of the search.
    let most = if ground.theorem.margins.is_some() { 4 } else { 1 };
    let mut candidates = Candidates { ground, kept: Vec::new(), most, fewest: None, widest: None };
    let mut span = Span::new(ground);
    own_hypotheses(ground, &mut span, &mut candidates);
    // Its weights belong to the rows that it saw.
    if let Some(w) = own.filter(|_| ground.evidence.kernel.is_none() && ground.theorem.trials.is_none()) {
        candidates.consider_weights(w.to_vec(), "the learner's own");
    }
    averaged(&mut span, &mut candidates, tick)?;
    let span = svm_path(ground, span, &mut candidates, tick)?;
    if ground.theorem.comparator_norm != 2.0 {
        let (name, w) = match candidates.kept.first() {
            Some((_, name, Comparator::Weights(w))) => (name.clone(), w.clone()),
            _ => ("svm".to_string(), span.weights().map_or(Vec::new(), <[f64]>::to_vec)),
        };
        for (made, u) in multiplicative::candidates(ground, &w) {
            candidates.consider_weights(u, &made.replace("{}", &name));
        }
    }
    Ok(SearchResult {
        finalists: candidates.kept.into_iter().map(|(_, name, u)| (name, u)).collect(),
        fewest_errors: candidates.fewest.map(|(_, name, u)| (name, u)),
        separator: candidates.widest.map(|(_, u)| u),
    })
}

/// Σ y x over the mistakes, and the mean of these sums.
fn own_hypotheses(ground: &Ground<'_>, span: &mut Span<'_>, candidates: &mut Candidates<'_>) {
    let sequence = ground.trials().sequence();
    let mut later = vec![0.0; ground.trials().rows().len()];
    for (k, &place) in sequence.iter().enumerate() {
        later[place as usize] += (sequence.len() - k) as f64;
    }
    let of_places = |span: &Span<'_>, of: &[f64]| -> Vec<f64> {
        span.places().iter().zip(&span.y).map(|(&place, y)| y * of[place as usize]).collect()
    };
    let last = of_places(span, ground.trials().counts());
    span.set(last.into_iter());
    candidates.consider(span, || "last".to_string());
    let averaged = of_places(span, &later);
    span.set(averaged.into_iter());
    candidates.consider(span, || "averaged".to_string());
}

/// The averaged Perceptron over the rows.
fn averaged(span: &mut Span<'_>, candidates: &mut Candidates<'_>, tick: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let (mut alpha, mut lost) = (vec![0.0; span.len()], vec![0.0; span.len()]);
    span.set(std::iter::empty());
    let mut t = 0.0;
    for _ in 0..PERCEPTRON_PASSES {
        for i in 0..span.len() {
            tick()?;
            if span.y[i] * span.score(i) <= 0.0 {
                span.add(i, span.y[i]);
                alpha[i] += span.y[i];
                lost[i] += t * span.y[i];
            }
            t += 1.0;
        }
    }
    let mean: Vec<f64> = alpha.iter().zip(&lost).map(|(alpha, lost)| alpha - lost / t).collect();
    span.set(mean.into_iter());
    candidates.consider(span, || format!("averaged, {PERCEPTRON_PASSES} passes"));
    Ok(())
}

/// Support vector machines from small costs to large ones, each starting from the one before; gives the last of them.
fn svm_path<'a>(
    ground: &Ground<'_>,
    mut span: Span<'a>,
    candidates: &mut Candidates<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Span<'a>> {
    let square = span.squares.iter().copied().fold(0.0, f64::max);
    let total: f64 = ground.trials().counts().iter().sum();
    span.set(std::iter::empty());
    let (mut cost, mut idle) = (1.0 / (square * total), 0);
    let places = (0..span.len()).collect();
    let mut machine = DualDescent::new(span, places, cost, TOLERANCE).without_shrinking();
    let (mut best, mut best_cost) = (f64::INFINITY, cost);
    while idle < PATIENCE && cost.is_finite() {
        let bound = fit(&mut machine, cost, candidates, tick)?;
        idle = if bound < best * (1.0 - GAIN) { 0 } else { idle + 1 };
        // A bound is slow to become finite where the theorem asks for a large margin.
        if bound.is_infinite() && cost * square < total {
            idle = 0;
        }
        if bound < best {
            (best, best_cost) = (bound, cost);
        }
        cost *= STEP;
    }
    if ground.theorem.is_classical {
        widen(&mut machine, cost, candidates, tick)?;
    }
    let mut step = if best.is_finite() { STEP.sqrt() } else { 1.0 };
    while step > 1.1 {
        for cost in [best_cost / step, best_cost * step] {
            let bound = fit(&mut machine, cost, candidates, tick)?;
            if bound < best {
                (best, best_cost) = (bound, cost);
            }
        }
        step = step.sqrt();
    }
    Ok(machine.space)
}

/// Still larger costs, for as long as they bring a wider margin between the rows.
fn widen(
    machine: &mut DualDescent<Span<'_>>,
    mut cost: f64,
    candidates: &mut Candidates<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    let widest = |candidates: &Candidates<'_>| candidates.widest.as_ref().map_or(0.0, |widest| widest.0);
    let mut idle = 0;
    // Rows that none of the costs so far tells apart are hardly told apart by larger ones.
    while idle < (if widest(candidates) > 0.0 { PATIENCE } else { 2 }) && cost.is_finite() {
        let before = widest(candidates);
        fit(machine, cost, candidates, tick)?;
        idle = if widest(candidates) > 1.01 * before { 0 } else { idle + 1 };
        cost *= STEP * STEP;
    }
    Ok(())
}

/// The bound of the support vector machine at this cost, from where the last one stood.
fn fit(
    machine: &mut DualDescent<Span<'_>>,
    cost: f64,
    candidates: &mut Candidates<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<f64> {
    machine.set_cost(cost);
    let mut work = 0.0;
    for _ in 0..MOST_PASSES {
        tick()?;
        work += machine.pass() as f64 * machine.space.cost() + 4.0 * machine.space.len() as f64;
        if machine.is_done || work > WORK {
            break;
        }
    }
    Ok(candidates.consider(&machine.space, || format!("svm cost={}", digits(cost))))
}

/// The least bound over γ ≤ R, and the γ that gives it: no row can have a larger margin than R.
pub(crate) fn best_gamma(ground: &Ground<'_>, margins: &TrialMargins) -> Option<(f64, f64)> {
    const GRID: usize = 24;
    let bound =
        |gamma: f64| ground.theorem.bound(&margins.at(gamma, ground.radius)).map_or(f64::INFINITY, |(bound, _)| bound);
    let floor = ground.theorem.least_gamma;
    let mut sizes: Vec<f64> = margins.values.iter().copied().filter(|&margin| margin > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let most = ground.radius;
    let high = sizes.last().copied().unwrap_or(most).max(2.0 * floor);
    let low = sizes.get(sizes.len() / 50).copied().unwrap_or(0.0).max(high * 1e-4).max(floor);
    let ratio = libm::pow(4.0 * high / low, 1.0 / (GRID - 1) as f64).max(1.01);
    let mut grid: Vec<f64> = (0..GRID).map(|k| low * ratio.powi(k as i32)).collect();
    grid.extend(
        [0.1, 0.25, 0.5, 0.75, 0.9]
            .map(|share| sizes.get((share * sizes.len() as f64) as usize).copied().unwrap_or(high)),
    );
    grid.push(most);
    grid.push(margins.least()); // D = 0, where it is positive
    let tried = grid
        .into_iter()
        .filter(|&gamma| gamma > 0.0 && gamma >= floor && gamma <= most)
        .map(|gamma| (bound(gamma), gamma));
    let best = tried.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0.is_finite())?;
    let refined =
        golden_section(log(best.1) - log(ratio), (log(best.1) + log(ratio)).min(log(most)), |place| bound(exp(place)));
    let refined = (refined.0, exp(refined.1));
    Some(if refined.0 < best.0 { refined } else { best })
}

/// The least value of f between two places, and its place.
pub(super) fn golden_section(mut a: f64, mut b: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const STEPS: usize = 24;
    let share = (5f64.sqrt() - 1.0) / 2.0;
    let (mut c, mut d) = (b - share * (b - a), a + share * (b - a));
    let (mut at_c, mut at_d) = (f(c), f(d));
    for _ in 0..STEPS {
        if at_c <= at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - share * (b - a);
            at_c = f(c);
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + share * (b - a);
            at_d = f(d);
        }
    }
    if at_c <= at_d { (at_c, c) } else { (at_d, d) }
}
