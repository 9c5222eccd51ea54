//! Random coordinate descent on the training error.
//!
//! Li, "Perceptron learning with random coordinate descent" (2005), section 3,
//! Algorithms 3 to 5. Goes along one direction after another, each time to where the fewest training
//! rows are wrong; the schedules differ in their directions.
//!
//! w ← w + α d,   α = argmin Σ φᵢ \[yᵢ⟨w + αd, xᵢ⟩ ≤ 0\]
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | w the start vector |
//! | \[2\] | d the next direction of the schedule, δᵢ = ⟨d,xᵢ⟩ |
//! | \[3\] | α* by the best decision stump on the keys ⟨w,xᵢ⟩/δᵢ (`line_search.rs`) |
//! | \[4\] | w ← w + α* d, and −w where the stump is negative |
//!
//! Cost: O(N m) per epoch for the products and O(N) for the search on most data. Bound: none is known;
//! the training error never rises.
//!
//! **Differs from the paper:** of equal minima the first interval is taken, never the current one for its
//! own sake; w is divided by its norm when that has grown beyond 10⁵; a step that rounding makes worse
//! than it looked is not taken; rcd-grad stops when no row is wrong.

mod descent;
mod line_search;
mod schedule;

use self::descent::{Ahead, Descent};
use self::line_search::Stump;
use self::schedule::{Directions, Distribution, Schedule};
use super::{EPOCHS, Epochs, Linear, Rule, SEED, START, Sample, Start};
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Value};
use crate::data::Random;
use crate::error::Result;
use crate::learner::Learner;
use crate::spec::Spec;

const DIRECTIONS: Parameter = Parameter {
    name: "directions",
    aliases: &[],
    kind: Kind::Choice(&["uniform", "gaussian"]),
    default: Value::Choice("uniform"),
    help: "how the components of random directions are drawn: in [-1, 1) (the feature's half-range where rows are not scaled), or standard normal",
};

const STUMP: Parameter = Parameter {
    name: "stump",
    aliases: &[],
    kind: Kind::Choice(&["positive", "both"]),
    default: Value::Choice("positive"),
    help: "whether a step may also turn the weight vector round",
};

/// What the six declarations share.
const fn declared(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    rule: &'static str,
    new: fn(&Spec) -> std::result::Result<Box<dyn Learner>, String>,
) -> Algorithm {
    Algorithm {
        name,
        title,
        summary,
        rule,
        paper: "Li (2005)",
        cost: "O(N m) per epoch",
        bound: "none is known; the training error never rises",
        differs: "of equal minima the first interval is taken; w is divided by its norm beyond 10⁵; a step that rounding makes worse is not taken",
        parameters: &[EPOCHS, START, DIRECTIONS, STUMP, SEED],
        takes_weights: |_| true,
        needs_feature_count: |_| false,
        learns: Learns::AllAtOnce,
        new,
    }
}

/// The declaration of `rcd`.
pub static RCD: Algorithm = declared(
    "rcd",
    "Random coordinate descent",
    "Goes along random directions, each time to where the fewest training rows are wrong.",
    "w ← w + α d, d random, α = argmin Σ φ [y⟨w + αd, x⟩ ≤ 0]",
    |spec| Ok(new(spec, Schedule::Rcd)),
);

/// The declaration of `rcd-bias`.
pub static RCD_BIAS: Algorithm = declared(
    "rcd-bias",
    "Random coordinate descent with bias steps",
    "Random coordinate descent that first moves the bias alone, then m random directions without it, and so on.",
    "w ← w + α d, d = e₀ every m + 1 epochs, else random with d₀ = 0",
    |spec| Ok(new(spec, Schedule::RcdBias)),
);

/// The declaration of `rcd-conj`.
pub static RCD_CONJ: Algorithm = declared(
    "rcd-conj",
    "Random coordinate descent along bases",
    "Random coordinate descent along a fresh random orthonormal basis every m + 1 epochs.",
    "w ← w + α d, d the next vector of a random orthonormal basis",
    |spec| Ok(new(spec, Schedule::RcdConj)),
);

/// The declaration of `rcd-conj-bias`.
pub static RCD_CONJ_BIAS: Algorithm = declared(
    "rcd-conj-bias",
    "Random coordinate descent along bases with bias steps",
    "Random coordinate descent that first moves the bias alone, then goes along a random orthonormal basis of the features.",
    "w ← w + α d, d = e₀ every m + 1 epochs, else the next vector of a random orthonormal basis with d₀ = 0",
    |spec| Ok(new(spec, Schedule::RcdConjBias)),
);

/// The declaration of `rcd-grad`.
pub static RCD_GRAD: Algorithm = declared(
    "rcd-grad",
    "Coordinate descent along gradients",
    "Goes along the gradient of the perceptron criterion, each time to where the fewest training rows are wrong.",
    "w ← w + α d, d = Σ φ y x over the rows that are wrong",
    |spec| Ok(new(spec, Schedule::RcdGrad)),
);

/// The declaration of `ccd`.
pub static CCD: Algorithm = declared(
    "ccd",
    "Cyclic coordinate descent",
    "Changes one weight after another, each time to where the fewest training rows are wrong.",
    "w ← w + α eⱼ, j = 0 … m in turn",
    |spec| Ok(new(spec, Schedule::Ccd)),
);

fn new(spec: &Spec, schedule: Schedule) -> Box<dyn Learner> {
    Box::new(Linear::new(Rcd {
        schedule,
        epochs: spec.whole("epochs"),
        start: Start::of(spec),
        distribution: if spec.choice("directions") == "gaussian" {
            Distribution::Gaussian
        } else {
            Distribution::Uniform
        },
        stump: if spec.choice("stump") == "both" { Stump::Both } else { Stump::Positive },
        seed: spec.whole("seed"),
    }))
}

/// Random coordinate descent.
///
/// ```
/// use onlinear::batch::Sample;
/// use onlinear::space::Rows;
/// use onlinear::{Label, Row, Spec};
/// let mut rows = Rows::default();
/// for x in [-1.0, -0.5, 0.2, 1.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Negative, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], true)?;
/// let mut learner = "rcd:start=zero,epochs=10".parse::<Spec>()?.learner();
/// learner.as_batch().expect("a batch learner").fit(&sample, &mut ())?;
/// assert_eq!(sample.errors(&learner.weights().expect("a weight vector")).rows, 0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Rcd {
    schedule: Schedule,
    epochs: u64,
    start: Start,
    distribution: Distribution,
    stump: Stump,
    seed: u64,
}

impl Rule for Rcd {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let directions = Directions::new(self.schedule, self.distribution, sample, Random::new(self.seed));
        let mut ahead = Ahead::new(sample, directions, self.epochs);
        let mut descent = Descent::new(sample, self.stump, self.start.vector(sample, watch)?); // [1]
        watch.epoch(0, descent.training)?;
        for epoch in 1..=self.epochs {
            if self.schedule == Schedule::RcdGrad && descent.training.rows == 0 {
                break;
            }
            let (d, products) = ahead.next(|| descent.gradient()); // [2]
            descent.step(&d, products); // [3] [4]
            watch.epoch(epoch, descent.training)?;
        }
        Ok(descent.w)
    }

    fn bytes(&self, features: usize) -> u64 {
        self.start.bytes(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }
}
