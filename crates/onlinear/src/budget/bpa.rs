//! Budget Passive-Aggressive: BPA-S and BPA-NN.
//!
//! Wang and Vucetic, "Online passive-aggressive algorithms on a budget" (2010).
//! Learns as PA-I does; over its budget, the new vector takes the place of the one that costs least, whose part in f is
//! projected onto the new vector, and onto the vector nearest to it (`nearest`).
//!
//! With k the kernel column of x, r the vector that leaves with coefficient α_r, n the vector nearest to it and
//! D = K(x,x)K_nn − k_n²:
//!
//! | variant | β_t | β_n | cost |
//! | --- | --- | --- | --- |
//! | `simple` | k_r/K(x,x) | | α_r²(K_rr − β_t k_r) |
//! | `nearest` | (K_nn k_r − k_n K_rn)/D | (K(x,x)K_rn − k_n k_r)/D | α_r²(K_rr − β_t k_r − β_n K_rn) |
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | suffer loss ℓ = 1 − y f(x) |
//! | \[2\] | set τ = min(C, ℓ/K(x,x)) |
//! | \[3\] | with fewer than B support vectors, x joins them with coefficient y τ |
//! | \[4\] | else r is the vector whose removal costs least; of several the first |
//! | \[5\] | α_n ← α_n + α_r β_n, and x takes the place of r with coefficient y τ + α_r β_t |
//!
//! This is the exact minimum of ½‖f′ − f‖² + C·hinge over all f′ = f − α_r K_r + b_t K_x (+ b_n K_n), over r too. Each
//! vector's nearest ones are kept, with their kernel values, and sought again when all of them have left: O(B) on
//! average.

use super::{BUDGET, expansion, refold, refuse_averaging, require_budget, set};
use crate::error::Result;
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::{Expansion, Finite, Overflow, Row, Rows, SupportSet};
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, choice, number, parameters};
use crate::state::State;

choice! {
    enum BpaVariant { Simple = "simple", Nearest = "nearest" }
}

parameters! {
    struct BpaParameters {
        budget: u64 = BUDGET,
        aggressiveness: f64 = number("aggressiveness", 1.0, Range::POSITIVE, "C, the price of an error").alias(&["c"]),
        variant: BpaVariant = BpaVariant::parameter(
            "variant",
            BpaVariant::Nearest,
            "what takes over the part of a vector that leaves: the new one, or also the one nearest to it",
        ),
        output: Output = OUTPUT;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "bpa",
    title: "Budget Passive-Aggressive",
    summary: "Learns as PA-I does; over its budget, the new vector takes the place of the one that costs least.",
    rule: "when ℓ = 1 − y f(x) > 0, x joins with y τ, τ = min(C, ℓ/K(x,x)); over budget in the place of the vector \
           whose projection onto x, and its nearest vector, loses least",
    paper: "Wang and Vucetic (2010)",
    cost: "at most B kernel values per trial, O(B) more on average per update over budget",
    bound: "none reported",
    differs: "where x and the nearest vector are one direction, to 1e-10, the new one inherits alone; what a removal \
              loses below 1e-10 of K_rr counts as nothing",
    python: PythonClass::own("BudgetPassiveAggressive"),
    parameters: BpaParameters::TABLE,
    grid: &["aggressiveness=0.01..10*10"],
    new: New::RowByRow(|settings| {
        let BpaParameters { budget, aggressiveness, variant, output, kernel } = Parameters::read(settings);
        refuse_averaging(output)?;
        let rule = Bpa {
            budget: budget as usize,
            c: aggressiveness,
            squares: Vec::new(),
            nearest: (variant == BpaVariant::Nearest).then(Vec::new),
        };
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule }))
    }),
    ..Algorithm::ONLINE
};

/// A share of a kernel value that is rounding.
const FLOOR: f64 = 1e-10;

/// Budget Passive-Aggressive.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "bpa:budget=1".parse::<Spec>()?.online()?;
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[-0.5]), Label::Positive)); // takes over what the first one knew
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.leaves().support_len()), (0.5, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Bpa {
    budget: usize,
    c: f64,
    /// K(x,x) of each vector.
    squares: Vec<f64>,
    /// The nearest other vectors of each, if they matter.
    nearest: Option<Vec<Nearest>>,
}

/// So many are known, at most: enough that they seldom have all left.
const KNOWN: usize = 6;

/// Other vectors, nearest first: all up to the last one of them; none only where there is no other.
#[derive(Clone, Copy, Default)]
struct Nearest {
    len: usize,
    known: [Neighbour; KNOWN],
}

/// A vector as another one sees it.
#[derive(Clone, Copy, Default)]
struct Neighbour {
    place: usize,
    /// The squared distance to it.
    distance: f64,
    /// The kernel value with it.
    value: f64,
}

/// What is lost where a vector leaves, and what becomes of its part in f.
#[derive(Clone, Copy, Default)]
struct Removal {
    cost: f64,
    /// β_t.
    to_new: f64,
    /// n and β_n.
    to_nearest: Option<(usize, f64)>,
}

impl Neighbour {
    /// Whether it is nearer than another; of equally near ones the first is.
    fn is_before(&self, other: &Neighbour) -> bool {
        self.distance < other.distance || self.distance == other.distance && self.place < other.place
    }
}

impl Nearest {
    fn known(&self) -> &[Neighbour] {
        &self.known[..self.len]
    }

    /// Puts another one in its place, if that is among the first.
    fn insert(&mut self, new: Neighbour) {
        if self.len == KNOWN && !new.is_before(&self.known[KNOWN - 1]) {
            return; // most are far
        }
        let at = self.known().iter().position(|other| new.is_before(other)).unwrap_or(self.len);
        self.len = KNOWN.min(self.len + 1);
        self.known[at..self.len].rotate_right(1);
        self.known[at] = new;
    }

    /// The vector at the place of `new` has left, and `new` has come there.
    fn replace(&mut self, new: Neighbour) {
        let last = self.known().last().copied();
        if let Some(at) = self.known().iter().position(|other| other.place == new.place) {
            self.known[at..self.len].rotate_left(1);
            self.len -= 1;
        }
        if last.is_some_and(|last| new.is_before(&last)) {
            self.insert(new);
        }
    }
}

impl Bpa {
    /// The vector at `place` as the one at `from` sees it, `value` being their kernel value.
    fn neighbour(&self, from: usize, place: usize, value: f64) -> Neighbour {
        Neighbour { place, distance: self.squares[from] + self.squares[place] - 2.0 * value, value }
    }

    /// The nearest to the vector at `from`, which has these kernel values with all.
    fn nearest_to(&self, from: usize, column: impl Iterator<Item = f64>) -> Nearest {
        let mut nearest = Nearest::default();
        let others = column.enumerate().filter(|(place, _)| *place != from);
        others.for_each(|(place, value)| nearest.insert(self.neighbour(from, place, value)));
        nearest
    }

    /// The nearest to each of the vectors at `places`.
    fn seek(&self, set: &SupportSet, places: &[usize], mut found: impl FnMut(usize, Nearest)) {
        for block in places.chunks(SupportSet::MOST_AHEAD) {
            let mut rows = Rows::default();
            block.iter().for_each(|&place| rows.push_row(set.row(place)));
            set.columns(&rows, |columns| {
                for (lane, &from) in block.iter().enumerate() {
                    found(from, self.nearest_to(from, columns.rows().map(|values| values[lane])));
                }
            });
        }
    }

    /// The vector at `place` has just come there, with these kernel values with the others: what was said of another
    /// one there is so no more.
    fn come(&mut self, set: &SupportSet, place: usize, column: &[f64], square: f64) {
        self.squares.resize(set.len(), square);
        self.squares[place] = square;
        let Some(mut nearest) = self.nearest.take() else { return };
        nearest.resize(set.len(), Nearest::default());
        let mut lonely = Vec::new();
        for (from, nearest) in nearest.iter_mut().enumerate().filter(|(from, _)| *from != place) {
            nearest.replace(self.neighbour(from, place, column[from]));
            if nearest.len == 0 {
                lonely.push(from);
            }
        }
        nearest[place] = self.nearest_to(place, column.iter().copied());
        self.seek(set, &lonely, |from, found| nearest[from] = found);
        self.nearest = Some(nearest);
    }

    /// The removal of the vector at `place`, where x has these kernel values.
    fn removal(&self, place: usize, alpha: f64, column: &[f64], square: f64) -> Removal {
        let (own, k) = (self.squares[place], column[place]);
        let with = |factor: f64, to_new: f64, to_nearest: Option<(usize, f64)>| {
            let factor = if factor <= FLOOR * own { 0.0 } else { factor };
            Removal { cost: alpha * alpha * factor, to_new, to_nearest }
        };
        let nearest = self.nearest.as_ref().and_then(|nearest| nearest[place].known().first());
        if let Some(&Neighbour { place: n, value, .. }) = nearest {
            let (other, k_n) = (self.squares[n], column[n]);
            let determinant = square * other - k_n * k_n;
            if determinant > FLOOR * square * other {
                let to_new = (other * k - k_n * value) / determinant;
                let to_nearest = (square * value - k_n * k) / determinant;
                return with(own - to_new * k - to_nearest * value, to_new, Some((n, to_nearest)));
            }
        }
        let to_new = k / square;
        with(own - to_new * k, to_new, None)
    }

    /// The place whose removal costs least, and that removal.
    fn cheapest(&self, f: &Expansion, square: f64) -> (usize, Removal) {
        let removal = |(place, &alpha): (usize, &f64)| (place, self.removal(place, alpha, f.column(), square));
        let all = f.coefficients().iter().enumerate().map(removal);
        all.reduce(|best, other| if other.1.cost < best.1.cost { other } else { best }).unwrap_or_default()
    }

    /// The row x, whose trial has begun, comes with this coefficient: over budget, in the place of another.
    fn join(&mut self, f: &mut Trajectory, x: Row<'_>, coefficient: f64, square: f64) -> Finite {
        let mut place = set(f).len();
        if place < self.budget {
            f.push(x, coefficient)?; // [3]
        } else {
            let removal;
            (place, removal) = self.cheapest(expansion(f), square); // [4]
            let alpha = expansion(f).coefficients();
            let own = coefficient + alpha[place] * removal.to_new;
            let nearest = removal.to_nearest.map(|(n, share)| (n, alpha[n] + alpha[place] * share));
            Overflow::check([own, nearest.map_or(0.0, |(_, coefficient)| coefficient)])?;
            f.forget(|f| {
                if let Some((n, coefficient)) = nearest {
                    f.coefficients_mut()[n] = coefficient;
                }
                f.replace(place, x, own); // [5]
            });
        }
        let f = expansion(f);
        self.come(f.set(), place, f.column(), square);
        Ok(())
    }
}

impl StepRule for Bpa {
    const NEEDS_COLUMN: bool = true;

    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let loss = 1.0 - y * score; // [1]
        if loss <= 0.0 {
            return Ok(false);
        }
        let square = set(f).with_itself(x);
        Overflow::check([square])?;
        let tau = self.c.min(loss / square); // [2]
        if square == 0.0 || tau == 0.0 {
            return Ok(false);
        }
        self.join(f, x, y * tau, square)?;
        Ok(true)
    }

    fn memory(&self, _features: usize) -> u64 {
        let each = size_of::<f64>() + self.nearest.as_ref().map_or(0, |_| size_of::<Nearest>());
        (each * self.squares.len()) as u64
    }

    fn state(&mut self, f: &mut Trajectory, state: &mut State) -> Result<()> {
        if state.is_merging() {
            return refold(f, |f, x, (coefficient, _), square| self.join(f, x, coefficient, square));
        }
        require_budget(f, self.budget, state)?;
        if state.is_loading() {
            let set = set(f);
            let all: Vec<usize> = (0..set.len()).collect();
            self.squares = all.iter().map(|&place| set.with_itself(set.row(place))).collect();
            if self.nearest.is_some() {
                let mut nearest = Vec::with_capacity(all.len());
                self.seek(set, &all, |_, found| nearest.push(found));
                self.nearest = Some(nearest);
            }
        }
        Ok(())
    }
}
