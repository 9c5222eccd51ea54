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

mod descent;
mod line_search;
mod schedule;

use self::descent::{Descent, DirectionsAhead};
use self::line_search::Stump;
use self::schedule::{Components, Directions, Schedule};
use super::sgd::Loss;
use super::{BATCH, BatchRule, EPOCHS, Linear, StartVector, tell};
use crate::error::Result;
use crate::learner::{Epochs, FitsAll, Sample};
use crate::random::Random;
use crate::spec::{Algorithm, Declaration, New, Parameters, PythonClass, SEED, Settings, choice, parameters};

/// How random directions are drawn.
const DIRECTIONS: Declaration<Components> = Components::parameter(
    "directions",
    Components::Uniform,
    "how the components of random directions are drawn: in [-1, 1) (the feature's half-range where rows are not \
     scaled), or standard normal",
);

/// Which stumps a line search may choose from.
const STUMP: Declaration<Stump> =
    Stump::parameter("stump", Stump::Positive, "whether a step may also turn the weight vector round");

parameters! {
    struct RcdParameters {
        epochs: u64 = EPOCHS,
        start: StartVector = StartVector::PARAMETER,
        directions: Components = DIRECTIONS,
        stump: Stump = STUMP,
        seed: u64 = SEED,
    }
}

choice! {
    /// The loss whose gradient is gone along.
    enum Gradient { Perceptron = "perceptron", Hinge = "hinge", Squares = "squares" }
}

parameters! {
    struct RcdGradParameters {
        epochs: u64 = EPOCHS,
        start: StartVector = StartVector::PARAMETER,
        directions: Components = DIRECTIONS,
        stump: Stump = STUMP,
        seed: u64 = SEED,
        gradient: Gradient = Gradient::parameter(
            "gradient",
            Gradient::Perceptron,
            "the loss whose gradient is gone along, as sgd has it",
        ),
    }
}

/// What the six declarations share.
const SHARED: Algorithm = Algorithm {
    paper: "Li (2005)",
    cost: "O(N m) per epoch",
    bound: "none is known; the training error never rises",
    differs: "of equal minima the first interval is taken; w is divided by its norm beyond 10⁵; a step that rounding \
              makes worse is not taken",
    python: PythonClass { name: "RCD", is_default: false },
    parameters: RcdParameters::TABLE,
    grid: &["epochs=50,200"],
    ..BATCH
};

/// The declaration of `rcd`.
pub(crate) static RCD: Algorithm = Algorithm {
    name: "rcd",
    title: "Random coordinate descent",
    summary: "Goes along random directions, each time to where the fewest training rows are wrong.",
    rule: "w ← w + α d, d random, α = argmin Σ φ [y⟨w + αd, x⟩ ≤ 0]",
    new: New::AllAtOnce(|settings| Ok(new(settings, Schedule::Rcd))),
    ..SHARED
};

/// The declaration of `rcd-bias`.
pub(crate) static RCD_BIAS: Algorithm = Algorithm {
    name: "rcd-bias",
    title: "Random coordinate descent with bias steps",
    summary: "Random coordinate descent that first moves the bias alone, then m random directions without \
              it, and so on.",
    rule: "w ← w + α d, d = e₀ every m + 1 epochs, else random with d₀ = 0",
    python: PythonClass::own("RCD"),
    new: New::AllAtOnce(|settings| Ok(new(settings, Schedule::RcdBias))),
    ..SHARED
};

/// The declaration of `rcd-conj`.
pub(crate) static RCD_CONJ: Algorithm = Algorithm {
    name: "rcd-conj",
    title: "Random coordinate descent along bases",
    summary: "Random coordinate descent along a fresh random orthonormal basis every m + 1 epochs.",
    rule: "w ← w + α d, d the next vector of a random orthonormal basis",
    new: New::AllAtOnce(|settings| Ok(new(settings, Schedule::RcdConj))),
    ..SHARED
};

/// The declaration of `rcd-conj-bias`.
pub(crate) static RCD_CONJ_BIAS: Algorithm = Algorithm {
    name: "rcd-conj-bias",
    title: "Random coordinate descent along bases with bias steps",
    summary: "Random coordinate descent that first moves the bias alone, then goes along a random \
              orthonormal basis of the features.",
    rule: "w ← w + α d, d = e₀ every m + 1 epochs, else the next vector of a random orthonormal basis with d₀ = 0",
    new: New::AllAtOnce(|settings| Ok(new(settings, Schedule::RcdConjBias))),
    ..SHARED
};

/// The declaration of `rcd-grad`.
pub(crate) static RCD_GRAD: Algorithm = Algorithm {
    name: "rcd-grad",
    title: "Coordinate descent along gradients",
    summary: "Goes along the gradient of the perceptron criterion, or of another loss, each time to where the fewest \
              training rows are wrong.",
    rule: "w ← w + α d, d = Σ φ y x over the rows that are wrong (perceptron) or have y⟨w,x⟩ < 1 (hinge); \
           d = Σ φ (y − ⟨w,x⟩) x (squares)",
    parameters: RcdGradParameters::TABLE,
    new: New::AllAtOnce(|settings| {
        let RcdGradParameters { epochs, start, directions, stump, seed, gradient } = Parameters::read(settings);
        let loss = match gradient {
            Gradient::Perceptron => Loss::Perceptron,
            Gradient::Hinge => Loss::Hinge,
            Gradient::Squares => Loss::Squares,
        };
        Ok(along(RcdParameters { epochs, start, directions, stump, seed }, Schedule::RcdGrad, loss))
    }),
    ..SHARED
};

/// The declaration of `ccd`.
pub(crate) static CCD: Algorithm = Algorithm {
    name: "ccd",
    title: "Cyclic coordinate descent",
    summary: "Changes one weight after another, each time to where the fewest training rows are wrong.",
    rule: "w ← w + α eⱼ, j = 0 … m in turn",
    new: New::AllAtOnce(|settings| Ok(new(settings, Schedule::Ccd))),
    ..SHARED
};

fn new(settings: &Settings, schedule: Schedule) -> Box<dyn FitsAll> {
    along(Parameters::read(settings), schedule, Loss::Perceptron)
}

fn along(parameters: RcdParameters, schedule: Schedule, loss: Loss) -> Box<dyn FitsAll> {
    Box::new(Linear::new(Rcd { schedule, loss, parameters }))
}

/// Random coordinate descent.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [-1.0, -0.5, 0.2, 1.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Negative, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], true)?;
/// let mut learner = "rcd:start=zero,epochs=10".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// assert_eq!(sample.errors(&learner.leaves().weights().expect("a weight vector"))?.rows, 0);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Rcd {
    schedule: Schedule,
    /// Of `rcd-grad`.
    loss: Loss,
    parameters: RcdParameters,
}

impl BatchRule for Rcd {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let RcdParameters { epochs, start, directions, stump, seed } = self.parameters;
        let directions = Directions::new(self.schedule, directions, sample, Random::new(seed));
        let mut ahead = DirectionsAhead::new(sample, directions, epochs);
        let mut descent = Descent::new(sample, stump, start.vector(sample, watch)?)?; // [1]
        tell(watch, 0, descent.training, &descent.w)?;
        for epoch in 1..=epochs {
            if self.schedule == Schedule::RcdGrad && descent.training.rows == 0 {
                break;
            }
            let (d, products) = ahead.next(|| descent.gradient(self.loss)); // [2]
            descent.step(&d, products)?; // [3] [4]
            tell(watch, epoch, descent.training, &descent.w)?;
        }
        Ok(descent.w)
    }

    fn memory(&self, features: usize) -> u64 {
        self.parameters.start.memory(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.parameters.seed = seed;
    }
}
