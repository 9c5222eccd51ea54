//! The search for a comparator with a small bound.
//!
//! Candidates: the learner's own weights; its last vector Σ y x and the average of its vectors, as far as the
//! mistakes tell; the averaged Perceptron after some passes over the mistaken rows; support vector machines
//! over them, from a cost so small that u is a mean of the rows to one so large that it no longer matters; and
//! for p-norms and Winnow vectors made for their norms. For each of them γ is tried on a grid and then refined.

use libm::log;

use super::comparator::RankedMargins;
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

/// Comparators by the bounds that they promise for one theorem, the best of them first.
struct Candidates<'a> {
    ground: &'a Ground<'a>,
    kept: Vec<(f64, String, Comparator)>,
    most: usize,
    /// The fewest errors of a candidate, its name, and the candidate.
    fewest: Option<(f64, String, Comparator)>,
    /// The largest margin of a candidate that tells all rows apart, and the candidate.
    widest: Option<(f64, Comparator)>,
}

/// What a search found for one theorem.
pub(crate) struct SearchResult {
    /// The comparators to be measured in full, with their names.
    pub(crate) finalists: Vec<(String, Comparator)>,
    /// The one with the fewest errors, with its name.
    pub(crate) fewest_errors: Option<(String, Comparator)>,
    /// The one that tells the rows apart with the largest margin, if one does.
    pub(crate) separator: Option<Comparator>,
}

impl<'a> Candidates<'a> {
    fn new(ground: &'a Ground<'a>) -> Candidates<'a> {
        // A theorem's own margins are not those of the search.
        let most = if ground.theorem.margins.is_some() { 4 } else { 1 };
        Candidates { ground, kept: Vec::new(), most, fewest: None, widest: None }
    }

    /// Looks at what `span` holds, whose margins are `ranked`; gives its bound.
    fn consider(&mut self, span: &Span<'_>, ranked: &RankedMargins, name: &dyn Fn() -> String) -> f64 {
        let norm = self.ground.theorem.comparator_norm;
        if let Some(w) = span.weights().filter(|_| self.ground.theorem.needs_positive_weights) {
            return self.consider_weights(w.iter().map(|w| w.max(0.0)).collect(), &name());
        }
        let length = match span.weights() {
            Some(w) if norm != 2.0 => Row::Dense(w).norm(norm),
            _ => span.length(),
        };
        let least = ranked.least() / length;
        if least.is_finite() && least > self.widest.as_ref().map_or(0.0, |widest| widest.0) {
            self.widest = Some((least, span.comparator()));
        }
        self.count(ranked, name, || span.comparator());
        let bound = self.bound(ranked, length);
        if bound.is_finite() && (self.kept.len() < self.most || self.kept.iter().any(|kept| bound < kept.0)) {
            self.keep(bound, name(), span.comparator());
        }
        bound
    }

    /// Looks at a weight vector.
    fn consider_weights(&mut self, w: Vec<f64>, name: &str) -> f64 {
        let u = Comparator::Weights(w);
        let Some(margins) = u.margins(self.ground) else { return f64::INFINITY };
        let ranked = RankedMargins::of(&margins.values, &margins.counts);
        self.count(&ranked, &|| name.to_string(), || u.clone());
        let bound = self.bound(&ranked, 1.0);
        if bound.is_finite() {
            self.keep(bound, name.to_string(), u);
        }
        bound
    }

    /// Sees whether a candidate has fewer errors than any before.
    fn count(&mut self, ranked: &RankedMargins, name: &dyn Fn() -> String, u: impl FnOnce() -> Comparator) {
        let errors = ranked.errors();
        if self.fewest.as_ref().is_none_or(|fewest| errors < fewest.0) {
            self.fewest = Some((errors, name(), u()));
        }
    }

    fn bound(&self, ranked: &RankedMargins, length: f64) -> f64 {
        best_gamma(self.ground, ranked, length).map_or(f64::INFINITY, |(bound, _)| bound)
    }

    fn keep(&mut self, bound: f64, name: String, u: Comparator) {
        let place = self.kept.partition_point(|kept| kept.0 <= bound);
        self.kept.insert(place, (bound, name, u));
        self.kept.truncate(self.most);
    }

    /// The bound of the best of them.
    fn best(&self) -> f64 {
        self.kept.first().map_or(f64::INFINITY, |kept| kept.0)
    }

    fn result(self) -> SearchResult {
        SearchResult {
            finalists: self.kept.into_iter().map(|(_, name, u)| (name, u)).collect(),
            fewest_errors: self.fewest.map(|(_, name, u)| (name, u)),
            separator: self.widest.map(|(_, u)| u),
        }
    }
}

/// The candidates of several theorems about the same trials. Those of one family differ in numbers alone, and the best
/// of a family stands for it.
struct Field<'a> {
    families: Vec<Vec<Candidates<'a>>>,
}

impl<'a> Field<'a> {
    fn all(&mut self) -> impl Iterator<Item = &mut Candidates<'a>> {
        self.families.iter_mut().flatten()
    }

    /// Looks at what `span` holds; gives the bound of each family.
    fn consider(&mut self, span: &Span<'_>, name: &dyn Fn() -> String) -> Vec<f64> {
        let values: Vec<f64> = (0..span.len()).map(|i| span.y[i] * span.score(i)).collect();
        if !values.iter().all(|value| value.is_finite()) {
            return vec![f64::INFINITY; self.families.len()];
        }
        let ranked = RankedMargins::of(&values, &span.counts);
        let of_family = |family: &mut Vec<Candidates<'_>>| {
            family.iter_mut().map(|one| one.consider(span, &ranked, name)).fold(f64::INFINITY, f64::min)
        };
        self.families.iter_mut().map(of_family).collect()
    }

    /// The widest margin of a candidate, of any theorem, that tells the rows apart; 0 where none does.
    fn widest(&self) -> f64 {
        let widest = self.families.iter().flatten().filter_map(|one| one.widest.as_ref());
        widest.map(|widest| widest.0).fold(0.0, f64::max)
    }
}

/// Looks for comparators; `own` are the learner's weights. An error of `tick` ends the search.
pub(crate) fn search(
    ground: &Ground<'_>,
    own: Option<&[f64]>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<SearchResult> {
    let mut found = search_families(&[vec![ground]], own, tick)?;
    // One family was asked for, and of one member.
    Ok(found.swap_remove(0).1)
}

/// Looks for comparators for families of theorems about the same trials at once: for each the place of the member with
/// the least bound, and what was found for it. No family may be empty.
pub(crate) fn search_families(
    families: &[Vec<&Ground<'_>>],
    own: Option<&[f64]>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<(usize, SearchResult)>> {
    let ground = families[0][0];
    let families = families.iter().map(|family| family.iter().map(|ground| Candidates::new(ground)).collect());
    let mut field = Field { families: families.collect() };
    let mut span = Span::new(ground);
    own_hypotheses(ground, &mut span, &mut field);
    // Its weights belong to the rows that it saw.
    if let Some(w) = own.filter(|_| ground.evidence.kernel.is_none() && ground.theorem.trials.is_none()) {
        field.all().for_each(|one| _ = one.consider_weights(w.to_vec(), "the learner's own"));
    }
    averaged(&mut span, &mut field, tick)?;
    let span = svm_path(ground, span, &mut field, tick)?;
    for family in &mut field.families {
        norms_own(family, &span, tick)?;
    }
    let best = |family: Vec<Candidates<'_>>| {
        let found = family.into_iter().enumerate().min_by(|a, b| a.1.best().total_cmp(&b.1.best()));
        found.map(|(place, one)| (place, one.result()))
    };
    Ok(field.families.into_iter().filter_map(best).collect())
}

/// Vectors made for the norm of a family, where that is not the Euclidean one.
fn norms_own(family: &mut [Candidates<'_>], span: &Span<'_>, tick: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let best = family.iter().min_by(|a, b| a.best().total_cmp(&b.best()));
    let Some(best) = best.filter(|best| best.ground.theorem.comparator_norm != 2.0) else { return Ok(()) };
    let (name, w) = match best.kept.first() {
        Some((_, name, Comparator::Weights(w))) => (name.clone(), w.clone()),
        _ => ("svm".to_string(), span.weights().map_or(Vec::new(), <[f64]>::to_vec)),
    };
    for (made, u) in multiplicative::candidates(best.ground, &w, tick)? {
        let name = made.replace("{}", &name);
        family.iter_mut().for_each(|one| _ = one.consider_weights(u.clone(), &name));
    }
    Ok(())
}

/// Σ y x over the mistakes, and the mean of these sums.
fn own_hypotheses(ground: &Ground<'_>, span: &mut Span<'_>, field: &mut Field<'_>) {
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
    field.consider(span, &|| "last".to_string());
    let averaged = of_places(span, &later);
    span.set(averaged.into_iter());
    field.consider(span, &|| "averaged".to_string());
}

/// The averaged Perceptron over the rows.
fn averaged(span: &mut Span<'_>, field: &mut Field<'_>, tick: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let (mut alpha, mut lost) = (vec![0.0; span.len()], vec![0.0; span.len()]);
    span.set(std::iter::empty());
    let mut t = 0.0;
    for _ in 0..PERCEPTRON_PASSES {
        tick()?;
        for i in 0..span.len() {
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
    field.consider(span, &|| format!("averaged, {PERCEPTRON_PASSES} passes"));
    Ok(())
}

/// The least bound on the path, and where it was met.
#[derive(Clone, Copy)]
struct PathBest {
    bound: f64,
    cost: f64,
    /// How many costs in a row have brought nothing.
    idle: usize,
}

impl PathBest {
    fn see(&mut self, bound: f64, cost: f64) {
        self.idle = if bound < self.bound * (1.0 - GAIN) { 0 } else { self.idle + 1 };
        if bound < self.bound {
            (self.bound, self.cost) = (bound, cost);
        }
    }
}

/// Support vector machines from small costs to large ones, each starting from the one before; gives the last of them.
fn svm_path<'a>(
    ground: &Ground<'_>,
    mut span: Span<'a>,
    field: &mut Field<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Span<'a>> {
    let square = span.squares.iter().copied().fold(0.0, f64::max);
    let total: f64 = ground.trials().counts().iter().sum();
    span.set(std::iter::empty());
    let mut cost = 1.0 / (square * total);
    let places = (0..span.len()).collect();
    let mut machine = DualDescent::new(span, places, cost, TOLERANCE).without_shrinking();
    let mut best = vec![PathBest { bound: f64::INFINITY, cost, idle: 0 }; field.families.len()];
    while best.iter().any(|best| best.idle < PATIENCE) && cost.is_finite() {
        let bounds = fit(&mut machine, cost, field, tick)?;
        best.iter_mut().zip(bounds).for_each(|(best, bound)| best.see(bound, cost));
        // A bound is slow to become finite where the theorem asks for a large margin.
        if cost * square < total {
            best.iter_mut().filter(|best| best.bound.is_infinite()).for_each(|best| best.idle = 0);
        }
        cost *= STEP;
    }
    if field.all().any(|one| one.ground.theorem.is_classical) {
        widen(&mut machine, cost, field, tick)?;
    }
    refine(&mut machine, &mut best, field, tick)?;
    Ok(machine.space)
}

/// Costs around the best ones of each family, nearer and nearer.
fn refine(
    machine: &mut DualDescent<Span<'_>>,
    best: &mut [PathBest],
    field: &mut Field<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    let mut step = STEP.sqrt();
    while step > 1.1 {
        let around =
            best.iter().filter(|best| best.bound.is_finite()).flat_map(|best| [best.cost / step, best.cost * step]);
        let mut costs: Vec<f64> = around.collect();
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        for cost in costs {
            let bounds = fit(machine, cost, field, tick)?;
            best.iter_mut().zip(bounds).for_each(|(best, bound)| best.see(bound, cost));
        }
        step = step.sqrt();
    }
    Ok(())
}

/// A cost at which no row is ever given up.
const HARD: f64 = 1e100;
/// The largest margin is found when what is found is no less than this share of what can be.
const NEAR: f64 = 0.995;
/// Passes between two looks at that.
const PASSES_PER_LOOK: usize = 16;

/// The largest margin between the rows, where they can be told apart.
///
/// Rows that none of the costs so far tells apart are hardly told apart by larger ones: two are tried. Otherwise no row
/// is given up from now on, f = Σ αᵢ yᵢ xᵢ goes to the f of the largest margin, and how near it is can be told: no
/// margin exceeds the norm of a mean of the yᵢ xᵢ, and f/Σαᵢ is one.
fn widen(
    machine: &mut DualDescent<Span<'_>>,
    cost: f64,
    field: &mut Field<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    for cost in [cost, cost * STEP * STEP] {
        if field.widest() == 0.0 && cost.is_finite() {
            fit(machine, cost, field, tick)?;
        }
    }
    if field.widest() == 0.0 {
        return Ok(());
    }
    machine.set_cost(HARD);
    let mut work = 0.0;
    while work < WORK {
        for _ in 0..PASSES_PER_LOOK {
            tick()?;
            work += machine.pass() as f64 * machine.space.cost() + 4.0 * machine.space.len() as f64;
        }
        let (span, length) = (&machine.space, machine.space.length());
        let least = (0..span.len()).map(|i| span.y[i] * span.score(i)).fold(f64::INFINITY, f64::min);
        if least / length >= NEAR * length / machine.alpha.iter().sum::<f64>() {
            break;
        }
    }
    field.consider(&machine.space, &|| "svm, largest margin".to_string());
    Ok(())
}

/// The bounds of the support vector machine at this cost, from where the last one stood.
fn fit(
    machine: &mut DualDescent<Span<'_>>,
    cost: f64,
    field: &mut Field<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    machine.set_cost(cost);
    let mut work = 0.0;
    for _ in 0..MOST_PASSES {
        tick()?;
        work += machine.pass() as f64 * machine.space.cost() + 4.0 * machine.space.len() as f64;
        if machine.is_done || work > WORK {
            break;
        }
    }
    Ok(field.consider(&machine.space, &|| format!("svm cost={}", digits(cost))))
}

/// The least bound over γ ≤ R for a u of this length, and the γ that gives it: no row can have a larger margin than R.
pub(crate) fn best_gamma(ground: &Ground<'_>, ranked: &RankedMargins, length: f64) -> Option<(f64, f64)> {
    const GRID: usize = 24;
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let bound = |gamma: f64| {
        let measures = ranked.at(gamma, ground.radius, length);
        ground.theorem.bound(&measures).map_or(f64::INFINITY, |(bound, _)| bound)
    };
    let floor = ground.theorem.least_gamma;
    let sizes = ranked.positive();
    let size = |place: usize| sizes.get(place).map(|margin| margin / length);
    let most = ground.radius;
    let high = sizes.last().map_or(most, |margin| margin / length).max(2.0 * floor);
    let low = size(sizes.len() / 50).unwrap_or(0.0).max(high * 1e-4).max(floor);
    let ratio = libm::pow(4.0 * high / low, 1.0 / (GRID - 1) as f64).max(1.01);
    let mut grid: Vec<f64> = (0..GRID).map(|k| low * ratio.powi(k as i32)).collect();
    grid.extend([0.1, 0.25, 0.5, 0.75, 0.9].map(|share| size((share * sizes.len() as f64) as usize).unwrap_or(high)));
    grid.push(most);
    grid.push(ranked.least() / length); // D = 0, where it is positive
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
