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
use crate::space::{Expansion, Finite, Overflow, Row, Rows, SupportSet, for_all_vectors};
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
            nearest: (variant == BpaVariant::Nearest).then(AllNearest::default),
            work: VectorScratch::default(),
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
    nearest: Option<AllNearest>,
    work: VectorScratch,
}

/// A number of each vector; memory used again and again.
#[derive(Default)]
struct VectorScratch {
    /// K(x,n) and K(n,n), with n the vector nearest to each …
    with_nearest: Vec<f64>,
    squares: Vec<f64>,
    /// … and what its removal costs.
    costs: Vec<f64>,
    /// The squared distance to the vector that comes.
    distances: Vec<f64>,
}

/// So many are known, at most: enough that they seldom have all left.
const KNOWN: usize = 6;

/// Other vectors, nearest first: all up to the last one of them; none only where there is no other.
#[derive(Clone, Copy, Default)]
struct Nearest {
    len: usize,
    known: [Neighbour; KNOWN],
}

/// The nearest of every vector, column by column: what is asked of all vectors is one walk through memory.
#[derive(Default)]
struct AllNearest {
    /// How many each knows, and the distance and place of the last of them; without limit where it knows none.
    lens: Vec<usize>,
    reach: Vec<f64>,
    last: Vec<u64>,
    /// Their places, or [`NOBODY`]; their distances and kernel values.
    places: [Vec<u64>; KNOWN],
    distances: [Vec<f64>; KNOWN],
    values: [Vec<f64>; KNOWN],
}

/// No place.
const NOBODY: u64 = u64::MAX;

impl AllNearest {
    fn resize(&mut self, vectors: usize) {
        self.lens.resize(vectors, 0);
        self.reach.resize(vectors, f64::INFINITY);
        self.last.resize(vectors, NOBODY);
        self.places.iter_mut().for_each(|column| column.resize(vectors, NOBODY));
        self.distances.iter_mut().chain(&mut self.values).for_each(|column| column.resize(vectors, 0.0));
    }

    fn of(&self, from: usize) -> Nearest {
        let neighbour = |k: usize| Neighbour {
            place: self.places[k][from] as usize,
            distance: self.distances[k][from],
            value: self.values[k][from],
        };
        Nearest { len: self.lens[from], known: std::array::from_fn(neighbour) }
    }

    fn put(&mut self, from: usize, nearest: &Nearest) {
        self.lens[from] = nearest.len;
        let last = nearest.known().last().map(|last| (last.distance, last.place as u64));
        (self.reach[from], self.last[from]) = last.unwrap_or((f64::INFINITY, NOBODY));
        for (k, neighbour) in nearest.known.iter().enumerate() {
            self.places[k][from] = if k < nearest.len { neighbour.place as u64 } else { NOBODY };
            (self.distances[k][from], self.values[k][from]) = (neighbour.distance, neighbour.value);
        }
    }

    /// The vectors which one that comes to `place` concerns: it is before the last that they know, or in the place of
    /// one of them. It is at these distances.
    fn concerned(&self, place: usize, distances: &[f64]) -> Vec<usize> {
        let mut concerned = Vec::new();
        find_concerned(self, place as u64, distances, &mut concerned);
        concerned
    }
}

/// So many vectors are looked at together, most of which are of no concern.
const TOGETHER: usize = 8;

#[inline(always)]
fn look_for_concerned(nearest: &AllNearest, place: u64, distances: &[f64], concerned: &mut Vec<usize>) {
    let places: [_; KNOWN] = std::array::from_fn(|k| nearest.places[k].as_chunks::<TOGETHER>().0);
    let lasts = nearest.reach.as_chunks::<TOGETHER>().0.iter().zip(nearest.last.as_chunks::<TOGETHER>().0);
    for (group, (distances, (reach, last))) in distances.as_chunks::<TOGETHER>().0.iter().zip(lasts).enumerate() {
        let mut is_concerned = [false; TOGETHER];
        for lane in 0..TOGETHER {
            is_concerned[lane] = is_before(distances[lane], place, reach[lane], last[lane]);
        }
        for places in places {
            for lane in 0..TOGETHER {
                is_concerned[lane] |= places[group][lane] == place;
            }
        }
        if is_concerned != [false; TOGETHER] {
            concerned.extend((0..TOGETHER).filter(|&lane| is_concerned[lane]).map(|lane| group * TOGETHER + lane));
        }
    }
    let whole = distances.len() / TOGETHER * TOGETHER;
    let is_known = |from: usize| (0..KNOWN).any(|k| nearest.places[k][from] == place);
    let is_near = |from: usize| is_before(distances[from], place, nearest.reach[from], nearest.last[from]);
    concerned.extend((whole..distances.len()).filter(|&from| is_near(from) || is_known(from)));
}

/// Whether a vector at this distance and place is nearer than another; of equally near ones the first is.
#[inline(always)]
fn is_before(distance: f64, place: u64, other_distance: f64, other_place: u64) -> bool {
    (distance < other_distance) | ((distance == other_distance) & (place < other_place))
}

for_all_vectors!(
    fn find_concerned(nearest: &AllNearest, place: u64, distances: &[f64], concerned: &mut Vec<usize>) =
        look_for_concerned
);

/// A vector as another one sees it.
#[derive(Clone, Copy, Default)]
struct Neighbour {
    place: usize,
    /// The squared distance to it.
    distance: f64,
    /// The kernel value with it.
    value: f64,
}

/// What becomes of the part in f of a vector that leaves.
#[derive(Clone, Copy, Default)]
struct Removal {
    /// β_t.
    to_new: f64,
    /// n and β_n.
    to_nearest: Option<(usize, f64)>,
}

impl Neighbour {
    /// Whether it is nearer than another; of equally near ones the first is.
    fn is_before(&self, other: &Neighbour) -> bool {
        is_before(self.distance, self.place as u64, other.distance, other.place as u64)
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
        nearest.resize(set.len());
        distances(square, &self.squares, column, &mut self.work.distances);
        let (mut lonely, mut own) = (Vec::new(), Nearest::default());
        for from in nearest.concerned(place, &self.work.distances) {
            let mut known = nearest.of(from);
            known.replace(self.neighbour(from, place, column[from]));
            if known.len == 0 && from != place {
                lonely.push(from);
            }
            nearest.put(from, &known);
        }
        for (group, distances) in self.work.distances.chunks(TOGETHER).enumerate() {
            let last = own.known[KNOWN - 1].distance; // of equally near ones the first counts, and is known by now
            let is_near = |distance: f64| if own.len < KNOWN { distance <= f64::INFINITY } else { distance < last };
            if distances.iter().fold(false, |any, distance| any | is_near(*distance)) {
                let others = (group * TOGETHER..).take(distances.len()).filter(|other| *other != place);
                others.for_each(|other| own.insert(self.neighbour(place, other, column[other])));
            }
        }
        nearest.put(place, &own);
        self.seek(set, &lonely, |from, found| nearest.put(from, &found));
        self.nearest = Some(nearest);
    }

    /// The removal of the vector at `place`, where x has these kernel values.
    fn removal(&self, place: usize, alpha: f64, column: &[f64], square: f64) -> Removal {
        let nearest = self.nearest.as_ref().map(|nearest| nearest.of(place)).unwrap_or_default();
        let known = nearest.known().first().map(|n| (n.place, [column[n.place], self.squares[n.place], n.value]));
        let parts = known.map_or([0.0; 3], |(_, parts)| parts);
        let (_, to_new, to_nearest) = shares(square, [alpha, self.squares[place], column[place]], parts);
        Removal { to_new, to_nearest: known.map(|(n, _)| n).zip(to_nearest) }
    }

    /// The place whose removal costs least, and that removal.
    fn cheapest(&mut self, f: &Expansion, square: f64) -> (usize, Removal) {
        let (alpha, column, vectors) = (f.coefficients(), f.column(), self.squares.len());
        let VectorScratch { with_nearest, squares, costs, .. } = &mut self.work;
        [&mut *with_nearest, &mut *squares, &mut *costs].into_iter().for_each(|numbers| numbers.resize(vectors, 0.0));
        let values = match &self.nearest {
            Some(nearest) => {
                let (column, all) = (&column[..vectors], &self.squares[..vectors]);
                let numbers = with_nearest.iter_mut().zip(squares.iter_mut());
                for ((with_nearest, square), &n) in numbers.zip(&nearest.places[0]) {
                    let n = n as usize;
                    (*with_nearest, *square) = if n < vectors { (column[n], all[n]) } else { (0.0, 0.0) };
                }
                &nearest.values[0]
            }
            None => &*squares, // which are 0, as with_nearest is
        };
        let least = all_costs(square, [alpha, &self.squares, column], [with_nearest, squares, values], costs);
        let place = costs.iter().position(|cost| *cost == least).unwrap_or(0);
        (place, self.removal(place, alpha[place], column, square))
    }

    /// The row x, whose trial has begun, comes with this coefficient: over budget, in the place of another.
    fn join(&mut self, f: &mut Trajectory, x: Row<'_>, coefficient: f64, square: f64) -> Finite {
        let (mut place, column) = (set(f).len(), expansion(f).column().to_vec());
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
        self.come(set(f), place, &column, square);
        Ok(())
    }
}

/// What the removal of a vector costs, β_t, and β_n where the nearest one takes over a part. Of the vector α, K(r,r)
/// and K(x,r), of the nearest K(x,n), K(n,n) and K(r,n), or zeros.
#[inline(always)]
fn shares(square: f64, [alpha, own, k]: [f64; 3], [k_n, other, value]: [f64; 3]) -> (f64, f64, Option<f64>) {
    let determinant = square * other - k_n * k_n;
    let are_two = determinant > FLOOR * square * other;
    let (part, of) = if are_two { (other * k - k_n * value, determinant) } else { (k, square) };
    let to_new = part / of;
    let to_nearest = (square * value - k_n * k) / determinant;
    let factor = own - to_new * k - if are_two { to_nearest * value } else { 0.0 };
    let factor = if factor <= FLOOR * own { 0.0 } else { factor };
    (alpha * alpha * factor, to_new, are_two.then_some(to_nearest))
}

/// The same costs, of all vectors; the least of them.
#[inline(always)]
fn each_cost(square: f64, [alpha, own, k]: [&[f64]; 3], [k_n, other, value]: [&[f64]; 3], costs: &mut [f64]) -> f64 {
    let [alpha, own, k] = [alpha, own, k].map(|numbers| &numbers[..costs.len()]);
    let [k_n, other, value] = [k_n, other, value].map(|numbers| &numbers[..costs.len()]);
    for (i, cost) in costs.iter_mut().enumerate() {
        *cost = shares(square, [alpha[i], own[i], k[i]], [k_n[i], other[i], value[i]]).0;
    }
    let mut least = [f64::INFINITY; TOGETHER];
    let (groups, rest) = costs.as_chunks::<TOGETHER>();
    for costs in groups {
        for lane in 0..TOGETHER {
            least[lane] = if costs[lane] < least[lane] { costs[lane] } else { least[lane] };
        }
    }
    least.iter().chain(rest).fold(f64::INFINITY, |least, cost| if *cost < least { *cost } else { least })
}

/// The squared distance of a vector with K(x,x) = `square` and this column to all.
#[inline(always)]
fn each_distance(square: f64, squares: &[f64], column: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(squares.iter().zip(column).map(|(own, k)| own + square - 2.0 * k));
}

for_all_vectors!(
    fn all_costs(square: f64, of_vector: [&[f64]; 3], of_nearest: [&[f64]; 3], costs: &mut [f64]) -> f64 = each_cost
);
for_all_vectors!(fn distances(square: f64, squares: &[f64], column: &[f64], out: &mut Vec<f64>) = each_distance);

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
        let each = 5 + self.nearest.as_ref().map_or(0, |_| 3 + 3 * KNOWN);
        (each * size_of::<f64>() * self.squares.len()) as u64
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
                let mut nearest = AllNearest::default();
                nearest.resize(all.len());
                self.seek(set, &all, |from, found| nearest.put(from, &found));
                self.nearest = Some(nearest);
            }
        }
        Ok(())
    }
}
