//! The mistake bounds of the papers, on generated data.

use onlinear::{Label, Learner};
use proptest::prelude::*;

use crate::support::{Point, Storage, count, dot, fresh, label, mistakes, norm, run, spec};

/// A little above 1: the bounds themselves are computed with rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) }
}

fn vector(features: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(
        prop_oneof![1 => Just(0.0), 3 => -1.0..1.0f64, 1 => prop::sample::select(vec![-1.0, 1.0])],
        features,
    )
}

/// A direction and rows with labels that have nothing to do with it.
fn anything() -> impl Strategy<Value = (Vec<f64>, Vec<Point>)> {
    (2usize..9).prop_flat_map(|features| {
        let point = (vector(features), any::<bool>()).prop_map(|(x, positive)| Point::new(x, label(positive)));
        (vector(features), prop::collection::vec(point, 1..60))
    })
}

/// A direction and rows that it tells apart with a margin.
fn separable(of: fn(Vec<f64>) -> Vec<f64>) -> impl Strategy<Value = (Vec<f64>, Vec<Point>)> {
    anything().prop_filter_map("no row is far enough from the boundary", move |(u, points)| {
        let u = of(u);
        let margin = |point: &Point| dot(&u, &point.dense);
        let points: Vec<Point> = points
            .iter()
            .filter(|p| margin(p).abs() > 0.05)
            .map(|p| Point::new(p.dense.clone(), label(margin(p) > 0.0)))
            .collect();
        (!points.is_empty()).then_some((u, points))
    })
}

fn divided(u: &[f64], length: f64) -> Vec<f64> {
    u.iter().map(|v| v / length).collect()
}

/// min y u·x.
fn margin(u: &[f64], points: &[Point]) -> f64 {
    points.iter().map(|p| p.y.sign() * dot(u, &p.dense)).fold(f64::INFINITY, f64::min)
}

/// max ‖x‖_p; `p` may be infinite.
fn radius<'a>(points: impl IntoIterator<Item = &'a Point>, p: f64) -> f64 {
    let length = |x: &[f64]| if p.is_finite() { norm(x, p) } else { x.iter().fold(0f64, |a, v| a.max(v.abs())) };
    points.into_iter().map(|point| length(&point.dense)).fold(0.0, f64::max)
}

/// Mistakes in all, passing until a pass has none; fails as soon as there are more than `bound`.
fn mistakes_until_separated(learner: &mut dyn Learner, points: &[Point], bound: f64) -> Result<usize, TestCaseError> {
    let mut total = 0;
    loop {
        let made = count(&mistakes(&run(learner, points, Storage::Sparse), points));
        total += made;
        prop_assert!(total as f64 <= bound * ROUNDING, "{total} mistakes, bound {bound}");
        if made == 0 {
            return Ok(total);
        }
    }
}

/// The mistaken rows of one or two passes.
fn mistaken(text: &str, points: &[Point], passes: usize, features: usize) -> Vec<Point> {
    let all: Vec<Point> = (0..passes).flat_map(|_| points.iter().cloned()).collect();
    let rounds = run(fresh(&spec(text), features).as_mut(), &all, Storage::Dense);
    let flags = mistakes(&rounds, &all);
    all.into_iter().zip(flags).filter(|(_, mistake)| *mistake).map(|(point, _)| point).collect()
}

/// D = Σ max(0, γ − y u·x) over the mistaken rows, and the root of the sum of the squares.
fn deviations(u: &[f64], gamma: f64, rows: &[Point]) -> (f64, f64) {
    let each = |p: &Point| (gamma - p.y.sign() * dot(u, &p.dense)).max(0.0);
    (rows.iter().map(each).sum(), rows.iter().map(|p| each(p).powi(2)).sum::<f64>().sqrt())
}

proptest! {
    #![proptest_config(config())]

    /// Novikoff: R²/ρ².
    #[test]
    fn perceptron_on_separable_rows(
        (u, points) in separable(|u| { let length = norm(&u, 2.0).max(1e-300); divided(&u, length) }),
        rate in 0.01..10.0f64,
    ) {
        let bound = (radius(&points, 2.0) / margin(&u, &points)).powi(2);
        mistakes_until_separated(spec(&format!("perceptron:rate={rate}")).online().unwrap().as_mut(), &points, bound)?;
    }

    /// m ≤ D/γ + R²/(2γ²) + (R/γ)√(D/γ + R²/(4γ²)), and ((R + D₂)/γ)², for any unit u and any γ.
    #[test]
    fn perceptron_on_any_rows((u, points) in anything(), gamma in 0.001..3.0f64, passes in 1usize..4) {
        prop_assume!(norm(&u, 2.0) > 1e-3);
        let u = divided(&u, norm(&u, 2.0));
        let rows: Vec<Point> = mistaken("perceptron", &points, passes, u.len());
        let (r, (d, d2)) = (radius(&rows, 2.0), deviations(&u, gamma, &rows));
        let g2 = gamma * gamma;
        let bound = d / gamma + r * r / (2.0 * g2) + r / gamma * (d / gamma + r * r / (4.0 * g2)).sqrt();
        prop_assert!(rows.len() as f64 <= bound * ROUNDING, "{} mistakes, bound {}", rows.len(), bound);
        let square = ((r + d2) / gamma).powi(2);
        prop_assert!(rows.len() as f64 <= square * ROUNDING, "{} mistakes, bound {}", rows.len(), square);
    }

    /// (p−1) R_p²/ρ² with ‖u‖_q = 1.
    #[test]
    fn p_norm_on_separable_rows((u, points) in separable(|u| u), p in prop_oneof![Just(2.0), 2.0..12.0f64]) {
        let u = divided(&u, norm(&u, p / (p - 1.0)));
        let bound = (p - 1.0) * (radius(&points, p) / margin(&u, &points)).powi(2);
        mistakes_until_separated(spec(&format!("p-norm:p={p}")).online().unwrap().as_mut(), &points, bound)?;
    }

    /// (ln N + ηD)/(ηρ − η²R²/2) for η < 2ρ/R², v ≥ 0, ‖v‖₁ = 1: at D = 0 until separated.
    #[test]
    fn winnow_on_rows_that_a_positive_target_separates(
        (v, points) in separable(|v| v.iter().map(|v| v.abs()).collect()),
        share in 0.1..1.9f64,
    ) {
        let v = divided(&v, norm(&v, 1.0));
        winnow_until_separated(&v, &points, share, false)?;
    }

    /// The same with 2N for N and a target of any signs.
    #[test]
    fn balanced_winnow_on_separable_rows((v, points) in separable(|v| v), share in 0.1..1.9f64) {
        let v = divided(&v, norm(&v, 1.0));
        winnow_until_separated(&v, &points, share, true)?;
    }

    /// With any rows the deviations D count.
    #[test]
    fn winnow_on_any_rows(
        (v, points) in anything(),
        rho in 0.01..1.0f64,
        share in 0.1..1.9f64,
        balanced in any::<bool>(),
        passes in 1usize..4,
    ) {
        prop_assume!(norm(&v, 1.0) > 1e-3);
        let v = divided(&v, norm(&v, 1.0));
        let v: Vec<f64> = if balanced { v } else { v.iter().map(|v| v.abs()).collect() };
        let r = radius(&points, f64::INFINITY);
        prop_assume!(r > 0.0);
        let rate = share * rho / (r * r);
        let rows = mistaken(&format!("winnow:rate={rate},balanced={balanced}"), &points, passes, v.len());
        let n = if balanced { 2 * v.len() } else { v.len() } as f64;
        let bound = (n.ln() + rate * deviations(&v, rho, &rows).0) / (rate * rho - rate * rate * r * r / 2.0);
        prop_assert!(rows.len() as f64 <= bound * ROUNDING, "{} mistakes, bound {}", rows.len(), bound);
    }
}

fn winnow_until_separated(v: &[f64], points: &[Point], share: f64, balanced: bool) -> Result<(), TestCaseError> {
    let (r, rho) = (radius(points, f64::INFINITY), margin(v, points));
    let rate = share * rho / (r * r);
    let n = if balanced { 2 * v.len() } else { v.len() } as f64;
    let bound = n.ln() / (rate * rho - rate * rate * r * r / 2.0);
    let mut learner = fresh(&spec(&format!("winnow:rate={rate},balanced={balanced}")), v.len());
    mistakes_until_separated(learner.as_mut(), points, bound)?;
    Ok(())
}

/// At the best rate Winnow's bound is 2 (R∞²/ρ∞²) ln N; few relevant experts among many show it.
#[test]
fn winnow_at_the_best_rate_on_a_disjunction() {
    let (n, relevant) = (200, 3);
    let mut random = onlinear::workshop::Random::new(40);
    let points: Vec<Point> = (0..2000)
        .map(|_| {
            let x: Vec<f64> = (0..n).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect();
            let y = label(x[..relevant].iter().sum::<f64>() > 0.0);
            Point::new(x, y)
        })
        .collect();
    let v: Vec<f64> = (0..n).map(|i| if i < relevant { 1.0 / relevant as f64 } else { 0.0 }).collect();
    let rho = margin(&v, &points);
    for (balanced, n) in [(false, n as f64), (true, 2.0 * n as f64)] {
        let bound = 2.0 / (rho * rho) * n.ln();
        let mut learner = fresh(&spec(&format!("winnow:rate={rho},balanced={balanced}")), v.len());
        let made = mistakes_until_separated(learner.as_mut(), &points, bound).unwrap();
        assert!(made > 0 && Label::predicted(learner.score(points[0].row(Storage::Dense))) == points[0].y);
    }
}
