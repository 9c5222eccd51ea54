//! A weight vector on its way down, with the inner products that every step needs.

use super::line_search::{Best, Line, LineSearch, Stump};
use super::schedule::{Direction, Directions};
use crate::batch::sgd::Loss;
use crate::error::Result;
use crate::learner::{Sample, Training};
use crate::space::{Row, for_all_vectors, vector};

/// w is divided by its norm when ‖w‖² grows beyond this.
const LARGEST_SQUARE: f64 = 1e10;
/// Steps after which ⟨w,x⟩ is computed afresh.
const REFRESH: u64 = 1000;
/// Directions whose products are computed at once.
const AHEAD: usize = 24;

/// w and what is known about it.
pub(crate) struct Descent<'a> {
    sample: &'a Sample,
    stump: Stump,
    pub(crate) w: Vec<f64>,
    /// ⟨w,xᵢ⟩, maintained.
    wx: Vec<f64>,
    /// ⟨w,xᵢ⟩ after the step that is being tried.
    tried: Vec<f64>,
    pub(crate) training: Training,
    steps: u64,
    search: LineSearch,
}

impl<'a> Descent<'a> {
    pub(crate) fn new(sample: &'a Sample, stump: Stump, w: Vec<f64>) -> Result<Descent<'a>> {
        let mut wx = vec![0.0; sample.len()];
        sample.panels().product(&w, &mut wx);
        let training = sample.errors_of(wx.iter().copied())?;
        let tried = vec![0.0; sample.len()];
        Ok(Descent { sample, stump, w, wx, tried, training, steps: 0, search: LineSearch::default() })
    }

    /// Moves along `d`, whose products with the rows are `dx`, to the least training error.
    pub(crate) fn step(&mut self, d: &Direction, dx: &[f64]) -> Result<()> {
        let line = Line { wx: &self.wx, dx, y: self.sample.y(), units: self.sample.units() };
        self.steps += 1;
        let Some(Best { alpha, is_negative }) = self.search.best(line, self.stump) else { return Ok(()) };
        let (training, is_finite) = advance(line, alpha, if is_negative { -1.0 } else { 1.0 }, &mut self.tried);
        // Rounding, or rows on the border under a turned w, can make a step worse than it looked.
        if training.units > self.training.units || !is_finite {
            return Ok(());
        }
        std::mem::swap(&mut self.wx, &mut self.tried);
        self.training = training;
        match d {
            Direction::Axis(j) => self.w[*j] += alpha,
            Direction::Vector(d) => vector::add(&mut self.w, alpha, d),
            Direction::Gradient => {}
        }
        if is_negative {
            self.w.iter_mut().for_each(|w| *w = -*w);
        }
        let norm = Row::Dense(&self.w).norm(2.0);
        if norm * norm > LARGEST_SQUARE {
            self.w.iter_mut().chain(&mut self.wx).for_each(|v| *v /= norm);
        }
        if self.steps.is_multiple_of(REFRESH) {
            self.sample.panels().product(&self.w, &mut self.wx);
            self.training = self.sample.errors_of(self.wx.iter().copied())?;
        }
        Ok(())
    }

    /// −Σ φ ∂ℓ/∂s x: for the perceptron criterion Σ φ y x over the rows that are wrong.
    pub(crate) fn gradient(&self, loss: Loss) -> Vec<f64> {
        let mut d = vec![0.0; self.sample.dimension()];
        for i in 0..self.sample.len() {
            let pull = loss.pull(self.sample.y()[i], self.wx[i]);
            if pull != 0.0 {
                let step = self.sample.weights()[i] * pull;
                self.sample.row(i).for_each(|j, v| d[j] += step * v);
            }
        }
        d
    }
}

/// Directions with their products, computed ahead where they do not depend on w.
pub(crate) struct DirectionsAhead<'a> {
    sample: &'a Sample,
    directions: Directions<'a>,
    /// How many directions will still be asked for.
    left: u64,
    /// The directions ahead, the next one last.
    known: Vec<Direction>,
    /// The products of the vectors among them, those of the next one first from `first` on.
    products: Vec<f64>,
    first: usize,
    /// The products of a direction that is not known ahead, or needs none.
    own: Vec<f64>,
}

impl<'a> DirectionsAhead<'a> {
    pub(crate) fn new(sample: &'a Sample, directions: Directions<'a>, epochs: u64) -> DirectionsAhead<'a> {
        let own = vec![0.0; sample.len()];
        DirectionsAhead { sample, directions, left: epochs, known: Vec::new(), products: Vec::new(), first: 0, own }
    }

    /// The next direction and its products with all rows.
    pub(crate) fn next(&mut self, gradient: impl FnOnce() -> Vec<f64>) -> (Direction, &[f64]) {
        if self.known.is_empty() {
            self.look_ahead();
        }
        let panels = self.sample.panels();
        match self.known.pop() {
            Some(Direction::Vector(d)) => {
                let first = self.first;
                self.first += self.sample.len();
                (Direction::Vector(d), &self.products[first..self.first])
            }
            Some(Direction::Axis(j)) => {
                panels.column(j, &mut self.own);
                (Direction::Axis(j), &self.own)
            }
            Some(Direction::Gradient) | None => {
                let d = gradient();
                panels.product(&d, &mut self.own);
                (Direction::Vector(d), &self.own)
            }
        }
    }

    fn look_ahead(&mut self) {
        let mut vectors: Vec<Vec<f64>> = Vec::new();
        while self.left > 0 && vectors.len() < AHEAD {
            let Some(direction) = self.directions.next() else { break };
            self.left -= 1;
            let is_gradient = direction == Direction::Gradient;
            if let Direction::Vector(d) = &direction {
                vectors.push(d.clone());
            }
            self.known.push(direction);
            if is_gradient {
                break;
            }
        }
        self.known.reverse();
        self.products.resize(vectors.len() * self.sample.len(), 0.0);
        self.first = 0;
        self.sample.panels().products(&vectors, &mut self.products);
    }
}

/// ⟨w,xᵢ⟩ after the step into `tried`; what is then wrong, and whether all are finite.
#[inline(always)]
fn advance_all(line: Line<'_>, alpha: f64, turn: f64, tried: &mut [f64]) -> (Training, bool) {
    let n = tried.len();
    let Line { wx, dx, y, units } = line;
    let (wx, dx, y, units) = (&wx[..n], &dx[..n], &y[..n], &units[..n]);
    let (mut training, mut is_finite) = (Training::default(), true);
    for i in 0..n {
        tried[i] = turn * (wx[i] + alpha * dx[i]);
        let is_wrong = y[i] * tried[i] <= 0.0;
        training.rows += u64::from(is_wrong);
        training.units += if is_wrong { units[i] } else { 0 };
        is_finite &= tried[i].is_finite();
    }
    (training, is_finite)
}

for_all_vectors!(
    fn advance(line: Line<'_>, alpha: f64, turn: f64, tried: &mut [f64]) -> (Training, bool) = advance_all
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Label;
    use crate::space::Rows;

    /// Rows (1, x) of alternating classes.
    fn sample(x: &[f64]) -> Sample {
        let mut rows = Rows::default();
        x.iter().for_each(|&x| rows.push_row(Row::Dense(&[1.0, x])));
        let labels: Vec<Label> = (0..x.len()).map(|i| Label::one_of(i % 2 == 0)).collect();
        Sample::new("rows", rows, &labels, &vec![1.0; x.len()], false).unwrap()
    }

    /// What is kept up by differences is that of w again after so many steps, and not before.
    #[test]
    fn products_are_computed_afresh_now_and_then() {
        let sample = sample(&[2.0, -1.0, 0.5, -3.0, 1.5, -0.25]);
        let mut descent = Descent::new(&sample, Stump::Positive, vec![0.5, 0.25]).unwrap();
        let products = |w: &[f64]| (0..6).map(|i| sample.row(i).dot(w)).collect::<Vec<f64>>();
        let step = |descent: &mut Descent<'_>| {
            descent.wx.iter_mut().for_each(|wx| *wx *= 1.0 + 1e-9); // as rounding might
            let dx: Vec<f64> = (0..6).map(|i| sample.row(i).values()[1]).collect();
            descent.step(&Direction::Axis(1), &dx).unwrap();
        };
        for steps in 1..=2 * REFRESH {
            step(&mut descent);
            assert_eq!(descent.wx == products(&descent.w), steps % REFRESH == 0, "{steps}");
        }
    }

    /// Small features take large weights: w is divided by its norm, and with it the products.
    #[test]
    fn a_long_w_is_divided_by_its_norm() {
        let sample = sample(&[2e-8, -1e-8, 0.5e-8, -3e-8]);
        let mut descent = Descent::new(&sample, Stump::Positive, vec![1.0, 0.0]).unwrap();
        let dx: Vec<f64> = (0..4).map(|i| sample.row(i).values()[1]).collect();
        descent.step(&Direction::Axis(1), &dx).unwrap();
        assert_eq!(descent.training.rows, 0);
        assert!((Row::Dense(&descent.w).norm(2.0) - 1.0).abs() < 1e-12, "{:?}", descent.w);
        for i in 0..4 {
            assert!((descent.wx[i] - sample.row(i).dot(&descent.w)).abs() < 1e-12 * 3e-8); // of the terms
        }
        // A shorter one is left as it is.
        let mut descent = Descent::new(&sample, Stump::Positive, vec![1.0, 9e4]).unwrap();
        descent.step(&Direction::Axis(0), &[1.0; 4]).unwrap();
        assert_eq!(descent.w[1], 9e4);
    }
}
