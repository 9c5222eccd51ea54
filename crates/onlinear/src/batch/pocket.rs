//! The pocket algorithm with ratchet.
//!
//! Gallant (1990), as in Li, "Perceptron learning with random coordinate descent"
//! (2005), Algorithm 1; sample weights as in its section 4.3 ("reweighting").
//! Runs the Perceptron on rows drawn at random and keeps in its pocket the vector with the fewest errors
//! among those that were right for long.
//!
//! w ← w + Nφ_k y_k x_k   when   y_k ⟨w,x_k⟩ ≤ 0;   w_p the best w so far
//!
//! | step | the paper's line |
//! | --- | --- |
//! | \[1\] | 2: w_p ← w, γ ← 0, γ_p ← 0, e_p ← the error of w |
//! | \[2\] | 4: draw a row k |
//! | \[3\] | 5, 6: if it is right, γ ← γ + Nφ_k |
//! | \[4\] | 7, 8: if γ > γ_p, count the errors e of w; not if it has not changed since the last count |
//! | \[5\] | 9, 10: if e < e_p, w_p ← w, e_p ← e, γ_p ← γ |
//! | \[6\] | 14, 15: if it is wrong, w ← w + Nφ_k y_k x_k, γ ← 0 |
//!
//! An epoch is N trials. It stops when e_p = 0. All that \[4\] must tell is whether e < e_p, so a count ends
//! once it has come to e_p; it takes the rows that were wrong most often in the trials first, and so ends soon.

use super::{BATCH, BatchRule, EPOCHS, Linear, StartVector, tell};
use crate::error::Result;
use crate::learner::{Epochs, Fact, Facts, Sample, Training};
use crate::random::Random;
use crate::spec::{Algorithm, New, Parameters, PythonClass, SEED, parameters};
use crate::state::State;

parameters! {
    struct PocketParameters {
        epochs: u64 = EPOCHS,
        start: StartVector = StartVector::PARAMETER,
        seed: u64 = SEED,
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "pocket",
    title: "Pocket with ratchet",
    summary: "Runs the Perceptron on rows drawn at random and keeps the vector with the fewest errors.",
    rule: "w ← w + Nφ_k y_k x_k when y_k⟨w,x_k⟩ ≤ 0; w_p ← w when it has been right for longer than w_p and has \
           fewer errors",
    paper: "Gallant (1990); Li (2005), Algorithm 1",
    cost: "O(non-zeros) per trial and up to N rows per count of errors",
    bound: "the training error never rises",
    differs: "the error to beat starts as the first vector's, not 1",
    python: PythonClass::own("Pocket"),
    parameters: PocketParameters::TABLE,
    draws_trials: |_| true,
    grid: &["epochs=50,200"],
    new: New::AllAtOnce(|settings| {
        let PocketParameters { epochs, start, seed } = Parameters::read(settings);
        Ok(Box::new(Linear::new(Pocket { epochs, start, seed, evaluations: 0 })))
    }),
    ..BATCH
};

/// The pocket algorithm with ratchet.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [-2.0, -1.0, 1.0, 2.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Positive, Label::Negative, Label::Positive, Label::Positive];
/// let sample = Sample::new("four rows", rows, &y, &[1.0; 4], true)?;
/// let mut learner = "pocket:epochs=20".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// assert_eq!(sample.errors(&learner.leaves().weights().expect("a weight vector"))?.rows, 1); // no line does better
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Pocket {
    epochs: u64,
    start: StartVector,
    seed: u64,
    /// How often errors were counted, the first vector's aside.
    evaluations: u64,
}

impl BatchRule for Pocket {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        let mut random = Random::new(self.seed);
        let mut w = self.start.vector(sample, watch)?;
        let mut pocket = w.clone(); // w_p
        let mut least = sample.errors(&w)?; // e_p
        let (mut gamma, mut gamma_p) = (0.0, 0.0); // [1]
        let mut is_new = false;
        let mut count = Count::new(sample);
        self.evaluations = 0;
        tell(watch, 0, least, &pocket)?;
        for epoch in 1..=self.epochs {
            if least.units == 0 {
                break;
            }
            for _ in 0..sample.len() {
                let k = sample.draw(&mut random); // [2]
                let (x, y, weight) = (sample.row(k), sample.y()[k], sample.step(k));
                if y * sample.score(k, &w)? > 0.0 {
                    gamma += weight; // [3]
                    if is_new && gamma > gamma_p {
                        is_new = false;
                        self.evaluations += 1; // [4]
                        if let Some(training) = count.fewer(&w, least)? {
                            pocket.copy_from_slice(&w);
                            (least, gamma_p) = (training, gamma); // [5]
                            if least.units == 0 {
                                break;
                            }
                        }
                    }
                } else if weight > 0.0 {
                    x.add_to(&mut w, weight * y);
                    (gamma, is_new) = (0.0, true); // [6]
                    count.mistakes[k] += 1;
                }
            }
            tell(watch, epoch, least, &pocket)?;
            if epoch.is_power_of_two() {
                count.sort();
            }
        }
        Ok(pocket)
    }

    fn memory(&self, features: usize) -> u64 {
        self.start.memory(features)
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn facts(&self) -> Facts {
        Facts { further: vec![("evaluations", Fact::Number(self.evaluations as f64))], ..Facts::default() }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.tally("evaluations", &mut self.evaluations)
    }
}

/// After so many rows a count looks whether there are too many errors. Which rows are wrong cannot be
/// foretold, so a branch on each would cost more.
const STRETCH: usize = 8;

/// Counts errors until there are too many.
struct Count<'a> {
    sample: &'a Sample,
    /// All rows in the order they are looked at: those likely to be wrong first.
    places: Vec<usize>,
    /// How often each row was wrong in a trial.
    mistakes: Vec<u64>,
}

impl<'a> Count<'a> {
    fn new(sample: &'a Sample) -> Count<'a> {
        Count { sample, places: (0..sample.len()).collect(), mistakes: vec![0; sample.len()] }
    }

    /// Puts rows that were wrong more often before others.
    fn sort(&mut self) {
        self.places.sort_by_key(|&i| std::cmp::Reverse(self.mistakes[i]));
    }

    /// What `w` gets wrong, if that weighs less than `least`.
    fn fewer(&self, w: &[f64], least: Training) -> Result<Option<Training>> {
        let Count { sample, places, .. } = self;
        let (y, units) = (sample.y(), sample.units());
        let mut training = Training::default();
        for stretch in places.chunks(STRETCH) {
            for &i in stretch {
                let is_wrong = y[i] * sample.score(i, w)? <= 0.0;
                training.rows += u64::from(is_wrong);
                training.units += i64::from(is_wrong) * units[i];
            }
            if training.units >= least.units {
                return Ok(None);
            }
        }
        Ok(Some(training))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Label;
    use crate::space::{Row, Rows};

    /// Every count from `fewer` is that of a plain loop, whatever the order.
    #[test]
    fn a_count_is_exact_or_tells_of_too_many() {
        let mut random = Random::new(3);
        let mut rows = Rows::default();
        (0..60).for_each(|_| rows.push_row(Row::Dense(&[1.0, random.gauss(), random.gauss()])));
        let labels: Vec<Label> = (0..60).map(|i| if i % 3 == 0 { Label::Negative } else { Label::Positive }).collect();
        let weights: Vec<f64> = (0..60).map(|_| random.uniform()).collect();
        for weights in [vec![1.0; 60], weights] {
            let sample = Sample::new("rows", rows.clone(), &labels, &weights, true).unwrap();
            let mut count = Count::new(&sample);
            count.mistakes.iter_mut().for_each(|mistakes| *mistakes = random.index(9) as u64);
            count.sort();
            let (mut fewer, mut not) = (0, 0);
            for _ in 0..300 {
                let [w, other] = [(); 2].map(|()| [(); 3].map(|()| random.symmetric()));
                let (all, least) = (sample.errors(&w).unwrap(), sample.errors(&other).unwrap());
                let counted = count.fewer(&w, least).unwrap();
                assert_eq!(counted, (all.units < least.units).then_some(all));
                if counted.is_some() { fewer += 1 } else { not += 1 }
            }
            assert!(fewer > 50 && not > 50);
        }
    }
}
