//! Whether our figure agrees with the paper's.

use onlinear::workshop::Summary;
use onlinear_charts::Tone;

use crate::printed::{PrintedNumber, Spread};

/// Figures that are further apart than this many standard errors differ.
pub const STANDARD_ERRORS: f64 = 3.0;
/// Printed digits are compared with a little room for the rounding of binary fractions.
pub const ROUNDING: f64 = 1e-9;

/// What is said of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs,
    /// There was nothing to run on.
    Skipped,
    /// Shown without a verdict: nothing is printed, or it is not for these data.
    Shown,
}

impl Verdict {
    /// How it is shown on a page.
    pub fn tone(self) -> Tone {
        match self {
            Verdict::Agrees => Tone::Good,
            Verdict::Differs => Tone::Bad,
            Verdict::Skipped | Verdict::Shown => Tone::Plain,
        }
    }

    /// The verdict in a word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Skipped => "skipped",
            Verdict::Shown => "shown",
        }
    }

    /// Yes, no, or neither.
    pub fn agrees(self) -> Option<bool> {
        match self {
            Verdict::Agrees => Some(true),
            Verdict::Differs => Some(false),
            Verdict::Skipped | Verdict::Shown => None,
        }
    }
}

/// A figure of the paper with the standard error it has, and what rounding hides.
#[derive(Clone, Copy)]
pub struct PaperFigure {
    value: f64,
    stderr: f64,
    half_unit: f64,
}

impl PaperFigure {
    /// A printed figure, a mean over `full` runs; where the paper prints no spread, `sd` is ours.
    pub fn new(figure: &PrintedNumber, full: usize, sd: Option<f64>) -> PaperFigure {
        let runs = (full as f64).sqrt();
        let stderr = match (figure.spread, sd) {
            (Some(Spread::Stderr(stderr)), _) => stderr,
            (Some(Spread::Sd(sd)), _) => sd / runs,
            (None, Some(sd)) if full > 1 => sd / runs,
            (None, _) => 0.0,
        };
        PaperFigure { value: figure.value, stderr, half_unit: 0.5 * 10f64.powi(-(figure.decimals as i32)) }
    }

    /// The same where it stands for one draw of a set, and draws have this deviation.
    pub fn of_one_draw(self, sd: Option<f64>) -> PaperFigure {
        PaperFigure { stderr: self.stderr.hypot(sd.unwrap_or(0.0)), ..self }
    }

    /// How far this figure is above another one.
    pub fn above(self, other: PaperFigure) -> PaperFigure {
        PaperFigure {
            value: self.value - other.value,
            stderr: self.stderr.hypot(other.stderr),
            half_unit: self.half_unit + other.half_unit,
        }
    }

    /// Whether our mean is as near as chance and rounding allow.
    pub fn verdict(self, ours: &Summary) -> Verdict {
        let stderr = self.stderr.hypot(ours.stderr.unwrap_or(0.0));
        let most = STANDARD_ERRORS * stderr + self.half_unit + ROUNDING;
        if (ours.mean - self.value).abs() <= most { Verdict::Agrees } else { Verdict::Differs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, decimals: usize, spread: Option<Spread>) -> PrintedNumber {
        PrintedNumber { value, decimals, spread }
    }

    fn ours(mean: f64, sd: f64, repeats: f64) -> Summary {
        Summary { mean, sd: Some(sd), stderr: Some(sd / repeats.sqrt()) }
    }

    fn agrees(figure: PrintedNumber, full: usize, ours: Summary) -> bool {
        PaperFigure::new(&figure, full, ours.sd).verdict(&ours) == Verdict::Agrees
    }

    #[test]
    fn three_combined_standard_errors_and_half_a_digit_are_allowed() {
        // Standard errors 0.3 and 0.4 combine to 0.5.
        let paper = figure(10.0, 1, Some(Spread::Stderr(0.4)));
        assert!(agrees(paper, 500, ours(11.54, 1.2, 16.0)));
        assert!(!agrees(paper, 500, ours(11.56, 1.2, 16.0)));
        assert!(agrees(paper, 500, ours(8.46, 1.2, 16.0)));
        assert!(!agrees(paper, 500, ours(8.44, 1.2, 16.0)));
        // The same error, printed as the deviation of 25 runs.
        let paper = figure(10.0, 1, Some(Spread::Sd(2.0)));
        assert!(agrees(paper, 25, ours(11.54, 1.2, 16.0)));
        assert!(!agrees(paper, 25, ours(11.56, 1.2, 16.0)));
    }

    #[test]
    fn without_a_printed_spread_ours_stands_in() {
        // Ours is 2/√4 = 1, theirs 2/√100 = 0.2.
        let edge = 3.0 * 1f64.hypot(0.2) + 0.5;
        assert!(agrees(figure(100.0, 0, None), 100, ours(100.0 + edge - 0.01, 2.0, 4.0)));
        assert!(!agrees(figure(100.0, 0, None), 100, ours(100.0 + edge + 0.01, 2.0, 4.0)));
        // A single run of the paper has none.
        assert!(!agrees(figure(100.0, 0, None), 1, ours(103.6, 2.0, 4.0)));
    }

    #[test]
    fn single_runs_agree_to_the_printed_digits() {
        let single = |mean| Summary { mean, sd: None, stderr: None };
        assert!(agrees(figure(3.04, 2, None), 1, single(3.04)));
        assert!(agrees(figure(3.04, 2, None), 1, single(3.045)));
        assert!(!agrees(figure(3.04, 2, None), 1, single(3.046)));
        assert!(agrees(figure(8148.0, 0, None), 1, single(8148.0)));
        assert!(!agrees(figure(8148.0, 0, None), 1, single(8149.0)));
        // A full budget has no spread on either side.
        assert!(agrees(figure(1500.0, 0, None), 5, ours(1500.0, 0.0, 5.0)));
        assert!(!agrees(figure(1500.0, 0, None), 5, ours(1499.0, 0.0, 5.0)));
    }

    #[test]
    fn one_draw_has_the_deviation_of_draws() {
        // Ours is 0.4/√16 = 0.1, theirs √(0.3² + 0.4²) = 0.5.
        let paper = PaperFigure::new(&figure(10.0, 1, Some(Spread::Stderr(0.3))), 500, None).of_one_draw(Some(0.4));
        let edge = 3.0 * 0.5f64.hypot(0.1) + 0.05;
        assert_eq!(paper.verdict(&ours(10.0 + edge - 0.01, 0.4, 16.0)), Verdict::Agrees);
        assert_eq!(paper.verdict(&ours(10.0 + edge + 0.01, 0.4, 16.0)), Verdict::Differs);
    }

    #[test]
    fn differences_have_the_spread_of_both_figures() {
        let of = |value| PaperFigure::new(&figure(value, 2, Some(Spread::Stderr(0.3))), 5, None);
        let difference = of(14.0).above(of(18.0));
        // 3·√(0.3² + 0.3²) + 0.01 = 1.2828
        assert_eq!(difference.verdict(&ours(-2.72, 0.0, 5.0)), Verdict::Agrees);
        assert_eq!(difference.verdict(&ours(-2.71, 0.0, 5.0)), Verdict::Differs);
    }
}
