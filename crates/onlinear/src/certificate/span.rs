//! The span of the charged rows, in which comparators are looked for.

use super::ground::Ground;
use crate::batch::dual_descent::{DescentSpace, RowConstants};
use crate::bound::{Comparator, for_each_column};
use crate::space::{Rows, SupportSet};

/// More rows than this are thinned out before kernel values of all pairs are held.
const MOST_HELD: usize = 8000;

/// A vector f in the span of the rows, Σ cᵢ K(xᵢ, ·), that rows can be added to.
pub(crate) struct Span<'a> {
    /// The rows that stand for all: their places among those trials.
    places: Vec<u32>,
    pub(crate) y: Vec<f64>,
    /// How many trials each stands for.
    pub(crate) counts: Vec<f64>,
    /// K(x,x).
    pub(crate) squares: Vec<f64>,
    form: SpanForm<'a>,
}

enum SpanForm<'a> {
    Linear {
        rows: &'a Rows,
        w: Vec<f64>,
    },
    /// Kernel values of all pairs; as narrow as a search can bear.
    Kernel {
        values: Vec<f32>,
        scores: Vec<f64>,
        alpha: Vec<f64>,
    },
}

impl<'a> Span<'a> {
    /// f = 0.
    pub(crate) fn new(ground: &'a Ground<'_>) -> Span<'a> {
        let trials = ground.trials();
        let all = trials.rows().len();
        let step = if ground.evidence.kernel.is_some() { all.div_ceil(MOST_HELD).max(1) } else { 1 };
        let places: Vec<u32> = (0..all).step_by(step).map(|place| place as u32).collect();
        let squares = trials.squares(ground.evidence.kernel);
        let form = match ground.evidence.kernel {
            None => SpanForm::Linear { rows: trials.rows(), w: vec![0.0; trials.rows().dimension()] },
            Some(kernel) => {
                let (mut set, mut rows) = (SupportSet::new(kernel), Rows::default());
                for &place in &places {
                    set.push(trials.rows().row(place as usize), None);
                    rows.push_row(trials.rows().row(place as usize));
                }
                let columns = for_each_column(&set, &rows, |_, column| column.map(|k| k as f32).collect::<Vec<f32>>());
                SpanForm::Kernel {
                    values: columns.concat(),
                    scores: vec![0.0; places.len()],
                    alpha: vec![0.0; places.len()],
                }
            }
        };
        let share = all as f64 / places.len().max(1) as f64;
        Span {
            y: places.iter().map(|&place| trials.y()[place as usize]).collect(),
            counts: places.iter().map(|&place| trials.counts()[place as usize] * share).collect(),
            squares: places.iter().map(|&place| squares[place as usize]).collect(),
            places,
            form,
        }
    }

    /// What one [`DescentSpace::add`] costs, roughly in multiplications.
    pub(crate) fn cost(&self) -> f64 {
        match &self.form {
            SpanForm::Linear { rows, .. } => 2.0 * rows.non_zeros() as f64 / rows.len().max(1) as f64 + 4.0,
            SpanForm::Kernel { scores, .. } => scores.len() as f64,
        }
    }

    /// f ← Σ cᵢ K(xᵢ, ·).
    pub(crate) fn set(&mut self, coefficients: impl Iterator<Item = f64>) {
        match &mut self.form {
            SpanForm::Linear { w, .. } => w.fill(0.0),
            SpanForm::Kernel { scores, alpha, .. } => {
                scores.fill(0.0);
                alpha.fill(0.0);
            }
        }
        for (i, c) in coefficients.enumerate() {
            if c != 0.0 {
                self.add(i, c);
            }
        }
    }

    /// Whether f is a weight vector, and if so which.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        match &self.form {
            SpanForm::Linear { w, .. } => Some(w),
            SpanForm::Kernel { .. } => None,
        }
    }

    /// f.
    pub(crate) fn comparator(&self) -> Comparator {
        match &self.form {
            SpanForm::Linear { w, .. } => Comparator::Weights(w.clone()),
            SpanForm::Kernel { alpha, .. } => {
                let held = self.places.iter().zip(alpha).filter(|(_, alpha)| **alpha != 0.0);
                let (places, alpha) = held.map(|(&place, &alpha)| (place, alpha)).unzip();
                Comparator::Expansion { places, alpha }
            }
        }
    }

    /// ‖f‖ in the space of the kernel.
    pub(crate) fn length(&self) -> f64 {
        match &self.form {
            SpanForm::Linear { w, .. } => w.iter().map(|w| w * w).sum::<f64>().sqrt(),
            SpanForm::Kernel { scores, alpha, .. } => {
                scores.iter().zip(alpha).map(|(s, a)| s * a).sum::<f64>().max(0.0).sqrt()
            }
        }
    }

    /// For each row held, the number of its place among those trials.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }
}

impl DescentSpace for Span<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn constants(&self, i: usize) -> RowConstants {
        RowConstants { y: self.y[i], weight: self.counts[i], square: self.squares[i] }
    }

    fn score(&self, i: usize) -> f64 {
        match &self.form {
            SpanForm::Linear { rows, w } => rows.row(i).dot(w),
            SpanForm::Kernel { scores, .. } => scores[i],
        }
    }

    fn add(&mut self, i: usize, step: f64) {
        match &mut self.form {
            SpanForm::Linear { rows, w } => rows.row(i).add_to(w, step),
            SpanForm::Kernel { values, scores, alpha } => {
                alpha[i] += step;
                let row = &values[i * scores.len()..(i + 1) * scores.len()];
                scores.iter_mut().zip(row).for_each(|(score, &k)| *score += step * f64::from(k));
            }
        }
    }
}
