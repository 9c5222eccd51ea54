//! ROMMA, the relaxed online maximum margin algorithm, plain and aggressive.
//!
//! Li and Long (2002), Figure 1; a baseline of the papers here.
//! Moves to the smallest weight vector that is right with margin 1 on the current row and on the
//! relaxed constraint w·v ≥ ‖w‖² that sums up all earlier ones.
//!
//! w ← c w + d x,   c = (‖x‖²‖w‖² − y w·x)/Δ,   d = ‖w‖²(y − w·x)/Δ,   Δ = ‖x‖²‖w‖² − (w·x)²
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score w·x; a mistake, or with `aggressive` also a margin below 1, updates |
//! | \[2\] | the first update, a row that alone implies the old constraint, or a row parallel to w: w = y x/‖x‖² |
//! | \[3\] | else w ← c w + d x |
//!
//! w is kept as scale · v, so that c costs nothing; ‖w‖² follows from its old value, w·x and ‖x‖². What is
//! wrong of it is multiplied by c² each time, and where no weights are right that grows without end: a bound on
//! it is kept as well, and ‖w‖² is summed afresh before it matters. It matters soonest where x is nearly parallel to
//! w: there Δ, the difference of two numbers that are nearly the same, is computed as ‖x‖²‖w − (w·x/‖x‖²)x‖².

use std::borrow::Cow;

use crate::bound::{Measures, Theorem};
use crate::error::Result;
use crate::learner::{Example, Formula, Learner, Leaves, Predictor, Step};
use crate::space::{Finite, Overflow, Row, Weights};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, flag, parameters};
use crate::state::State;

parameters! {
    struct RommaParameters {
        aggressive: bool = flag("aggressive", false, "also update on rows that are right with a margin below 1"),
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "romma",
    title: "ROMMA",
    summary: "Moves to the smallest weights that are right with margin 1 on the row and on one constraint that sums up \
              all earlier rows.",
    rule: "w ← c w + d x; c = (‖x‖²‖w‖² − y w·x)/Δ, d = ‖w‖²(y − w·x)/Δ, Δ = ‖x‖²‖w‖² − (w·x)²",
    paper: "Li and Long (2002)",
    cost: "O(non-zeros) per trial, O(n) where ‖w‖² or Δ is summed afresh",
    bound: "mistakes ≤ R²/ρ² on data separable with margin ρ",
    theorem: Charges::Updates(|_, _| {
        let formula = |&Measures { gamma, radius, deviation, .. }: &Measures| {
            (if deviation == 0.0 { (radius / gamma).powi(2) } else { f64::NAN }, "separable")
        };
        let unmet = "no u was found that is right on all rows, which the bound needs".to_string();
        Ok(Theorem { is_classical: true, unmet, ..Theorem::new(ALGORITHM.title, formula) })
    }),
    differs: "Δ ≤ 1e-15‖x‖²‖w‖² counts as a row parallel to w",
    python: PythonClass::own("ROMMA"),
    parameters: RommaParameters::TABLE,
    grid: &["aggressive=false,true"],
    new: New::RowByRow(|settings| Ok(Box::new(Romma::new(Parameters::read(settings))))),
    ..Algorithm::ONLINE
};

/// Δ below this share of ‖x‖²‖w‖² is rounding: x is parallel to w.
const PARALLEL: f64 = 1e-15;
/// ‖w‖² is summed afresh when this share of it may be wrong.
const MOST_WEAR: f64 = 1e-12;
/// Δ is computed as a sum of squares, and ‖w‖² afresh, when more than this share of Δ may be wrong.
const MOST_LOSS: f64 = 1e-10;
/// The scale is folded into v beyond this, or below its inverse.
const LARGEST_SCALE: f64 = 1e100;

/// ROMMA.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "romma".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[2.0, 0.0]);
/// learner.round(&Example::new(x, Label::Negative));
/// assert_eq!(learner.score(x), -1.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Romma {
    aggressive: bool,
    /// w = scale · v.
    v: Weights,
    scale: f64,
    /// ‖w‖²; 0 before the first update.
    square: f64,
    /// The share of it that may be wrong.
    wear: f64,
    /// The features touched since w last started afresh, unless they are more than there are
    /// features: a fresh start clears these and no others, so it costs no more than what it undoes.
    touched: Vec<u32>,
    all_touched: bool,
}

impl Romma {
    /// w = 0.
    fn new(parameters: RommaParameters) -> Romma {
        Romma {
            aggressive: parameters.aggressive,
            v: Weights::default(),
            scale: 1.0,
            square: 0.0,
            wear: 0.0,
            touched: Vec::new(),
            all_touched: false,
        }
    }

    /// w ← factor · w + step · x.
    fn combine(&mut self, factor: f64, step: f64, x: Row<'_>) {
        self.scale *= factor;
        if !(1.0 / LARGEST_SCALE..=LARGEST_SCALE).contains(&self.scale) {
            self.v.multiply(self.scale);
            self.scale = 1.0;
        }
        self.add(step / self.scale, x);
    }

    /// w ← step · x.
    fn start_afresh(&mut self, step: f64, x: Row<'_>) {
        let components = self.v.as_mut_vec();
        if self.all_touched {
            components.fill(0.0);
        }
        self.touched.drain(..).for_each(|i| components[i as usize] = 0.0);
        self.all_touched = false;
        self.scale = 1.0;
        self.add(step, x);
    }

    /// ‖w‖², from w itself.
    fn fresh_square(&self) -> f64 {
        Row::Dense(self.v.as_slice()).squared_norm() * self.scale * self.scale
    }

    /// Δ, from the part of w that is orthogonal to x.
    fn fresh_delta(&self, x: Row<'_>, square: f64, score: f64) -> f64 {
        let mut rest: Vec<f64> = self.v.as_slice().iter().map(|v| self.scale * v).collect();
        rest.resize(rest.len().max(x.dimension()), 0.0);
        x.add_to(&mut rest, -score / square);
        Row::Dense(&rest).squared_norm() * square
    }

    fn add(&mut self, step: f64, x: Row<'_>) {
        self.v.add_fitting(step, x);
        if self.touched.len() + x.values().len() > self.v.as_slice().len() {
            self.all_touched = true;
        }
        if !self.all_touched {
            x.for_each(|i, _| self.touched.push(i as u32));
        }
    }
}

impl Learner for Romma {
    fn score(&self, x: Row<'_>) -> f64 {
        self.scale * self.v.dot(x)
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        let y = y.sign();
        let margin = y * score;
        let square = x.squared_norm();
        let enough = if self.aggressive { 1.0 } else { 0.0 };
        if margin > 0.0 && margin >= enough || square == 0.0 {
            return Ok(Step::Stay); // [1]
        }
        let (mut w_square, mut wear) = (self.square, self.wear);
        let mut product = square * w_square; // ‖x‖²‖w‖²
        let mut delta = product - score * score;
        if (wear + f64::EPSILON) * product > MOST_LOSS * delta {
            (w_square, wear) = (self.fresh_square(), 0.0);
            (product, delta) = (square * w_square, self.fresh_delta(x, square, score));
        }
        Overflow::check([1.0 / square, product, delta])?;
        if w_square == 0.0 || margin >= product || delta <= PARALLEL * product {
            self.start_afresh(y / square, x); // [2]
            self.square = 1.0 / square;
            self.wear = 0.0;
        } else {
            let c = (product - margin) / delta;
            let d = w_square / delta * (y - score); // in this order: ‖w‖² times a score may overflow
            Overflow::check([(c.abs() * w_square.sqrt() + d.abs() * square.sqrt()).powi(2)])?; // ‖w‖² at the most
            self.combine(c, d, x); // [3]
            let (old, new) = (c * c * w_square, d * (d * square)); // d² alone may overflow
            self.square = old + 2.0 * c * d * score + new;
            self.wear = (wear * old + f64::EPSILON * (old + new)) / self.square;
            if !(0.0..=MOST_WEAR).contains(&self.wear) {
                (self.square, self.wear) = (self.fresh_square(), 0.0);
            }
        }
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}
}

impl Predictor for Romma {
    fn leaves(&self) -> Leaves<'_> {
        let weights = || Cow::Borrowed(self.v.as_slice());
        let formula = move || Formula::Linear { weights: weights(), less: None, scale: self.scale, over_norm: None };
        Leaves::derived(|x| self.score(x), formula)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.refuse_merging("its one constraint sums up the rows of a single run in their order")?;
        state.f64s("weights", self.v.as_mut_vec())?;
        state.f64("scale", &mut self.scale)?;
        state.f64("square", &mut self.square)?;
        state.f64("wear", &mut self.wear)?;
        self.all_touched |= state.is_loading();
        state.require(
            self.scale != 0.0 && self.square >= 0.0 && self.wear >= 0.0,
            "scale, square or wear is out of range",
        )
    }
}
