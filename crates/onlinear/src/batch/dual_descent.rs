//! Dual coordinate descent for support vector machines.
//!
//! Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for large-scale linear SVM" (2008),
//! Algorithm 1 for the L1 loss, with the random permutations and the shrinking of its section 3.
//!
//! min ½‖f‖² + C Σ cᵢ max(0, 1 − yᵢ f(xᵢ)),   f = Σ αᵢ yᵢ K(xᵢ, ·) with 0 ≤ αᵢ ≤ C cᵢ
//!
//! | step | for each row, in a new random order in each pass |
//! | --- | --- |
//! | \[1\] | G = yᵢ f(xᵢ) − 1 |
//! | \[2\] | the projected gradient: 0 where G pushes αᵢ out of its bounds, else G |
//! | \[3\] | shrink: where it pushes harder than any row did in the last pass, leave the row out from now on |
//! | \[4\] | α ← min(max(αᵢ − G/K(x,x), 0), C cᵢ), f ← f + (α − αᵢ) yᵢ K(xᵢ, ·), αᵢ ← α |
//! | \[5\] | end when the projected gradients of a pass over all rows are within the tolerance |

use crate::random::Random;
use crate::space::fetch;

/// Of the permutations: the same for all time.
const PERMUTATIONS: u64 = 1;

/// What the descent needs to know of a row once and for all.
#[derive(Clone, Copy)]
pub(crate) struct RowConstants {
    pub(crate) y: f64,
    /// cᵢ.
    pub(crate) weight: f64,
    /// K(xᵢ, xᵢ).
    pub(crate) square: f64,
}

/// Rows with labels, and an f in their span that they can be added to.
pub(crate) trait DescentSpace {
    /// How many rows there are.
    fn len(&self) -> usize;

    /// What does not change of row i.
    fn constants(&self, i: usize) -> RowConstants;

    /// f(xᵢ).
    fn score(&self, i: usize) -> f64;

    /// f ← f + step K(xᵢ, ·).
    fn add(&mut self, i: usize, step: f64);

    /// Row i will be announced soon.
    fn foresee(&self, _i: usize) {}

    /// Row i is one of the next.
    fn announce(&self, _i: usize) {}
}

/// So many rows ahead a row is announced, and twice as many ahead foreseen.
const ROWS_AHEAD: usize = 6;

/// Dual coordinate descent under way.
pub(crate) struct DualDescent<S> {
    pub(crate) space: S,
    cost: f64,
    tolerance: f64,
    shrinks: bool,
    /// The rows that are learned from; those not shrunk away come first.
    places: Vec<usize>,
    /// How many are not shrunk away.
    active: usize,
    /// What a row must exceed to be shrunk away: the least and the largest projected gradient of the pass before.
    least: f64,
    largest: f64,
    /// Of each row of the space.
    pub(crate) alpha: Vec<f64>,
    random: Random,
    /// How often a row was looked at.
    pub(crate) visits: u64,
    pub(crate) is_done: bool,
}

impl<S: DescentSpace> DualDescent<S> {
    /// α = 0 over the rows in `places`, with an f that is 0.
    pub(crate) fn new(space: S, mut places: Vec<usize>, cost: f64, tolerance: f64) -> DualDescent<S> {
        places.retain(|&i| space.constants(i).square > 0.0);
        DualDescent {
            cost,
            tolerance,
            shrinks: true,
            active: places.len(),
            places,
            least: f64::NEG_INFINITY,
            largest: f64::INFINITY,
            alpha: vec![0.0; space.len()],
            space,
            random: Random::new(PERMUTATIONS),
            visits: 0,
            is_done: false,
        }
    }

    /// Step [3] is left out: for a descent that may be stopped before its end, when rows shrunk away have not yet been
    /// looked at again.
    pub(crate) fn without_shrinking(self) -> DualDescent<S> {
        DualDescent { shrinks: false, ..self }
    }

    /// Goes on at another cost from where it stands.
    pub(crate) fn set_cost(&mut self, cost: f64) {
        self.cost = cost;
        self.look_at_all();
        for i in 0..self.alpha.len() {
            let RowConstants { y, weight, .. } = self.space.constants(i);
            let most = cost * weight;
            if self.alpha[i] > most {
                self.space.add(i, (most - self.alpha[i]) * y);
                self.alpha[i] = most;
            }
        }
    }

    /// Goes on to a finer end.
    pub(crate) fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
        self.look_at_all();
    }

    /// What the projected gradients are within at the end.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The cost.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    /// The rows that are learned from, in any order.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// No row is shrunk away any more, and the descent is not known to be done: α or the cost has changed.
    pub(crate) fn look_at_all(&mut self) {
        (self.active, self.least, self.largest) = (self.places.len(), f64::NEG_INFINITY, f64::INFINITY);
        self.is_done = false;
    }

    /// One pass over the rows that are not shrunk away; gives the number of steps.
    pub(crate) fn pass(&mut self) -> usize {
        self.random.shuffle(&mut self.places[..self.active]);
        let (mut least, mut largest) = (0f64, 0f64);
        let (mut next, mut steps) = (0, 0);
        self.visits += self.active as u64;
        while next < self.active {
            let i = self.places[next];
            let later = |rows: usize| self.places[(next + rows).min(self.active - 1)];
            let (soon, later) = (later(ROWS_AHEAD), later(2 * ROWS_AHEAD));
            fetch(&self.alpha[later..=later]);
            self.space.foresee(later);
            self.space.announce(soon);
            let RowConstants { y, weight, square } = self.space.constants(i);
            let (alpha, most) = (self.alpha[i], self.cost * weight);
            let g = y * self.space.score(i) - 1.0; // [1]
            if alpha == 0.0 && g > self.largest || alpha == most && g < self.least {
                self.active -= 1;
                self.places.swap(next, self.active); // [3]
                continue;
            }
            next += 1;
            let low = if alpha == most { 0.0 } else { f64::NEG_INFINITY };
            let high = if alpha == 0.0 { 0.0 } else { f64::INFINITY };
            let projected = g.max(low).min(high); // [2]
            (least, largest) = (least.min(projected), largest.max(projected));
            if projected != 0.0 {
                let new = (alpha - g / square).max(0.0).min(most);
                self.space.add(i, (new - alpha) * y);
                self.alpha[i] = new; // [4]
                steps += 1;
            }
        }
        self.end_pass(least, largest);
        steps
    }

    /// Sees whether the descent is done, and sets the bar for shrinking.
    fn end_pass(&mut self, least: f64, largest: f64) {
        let is_within = -self.tolerance <= least && largest <= self.tolerance;
        self.is_done = is_within && self.active == self.places.len(); // [5]
        (self.least, self.largest) = (least, largest);
        if is_within {
            self.active = self.places.len();
        }
        if !self.shrinks || is_within || least == 0.0 {
            self.least = f64::NEG_INFINITY;
        }
        if !self.shrinks || is_within || largest == 0.0 {
            self.largest = f64::INFINITY;
        }
    }
}
