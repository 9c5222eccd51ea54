//! ROMMA beside itself in twice the digits.

use onlinear::workshop::Random;

use crate::support::{Point, Storage, fresh, label, spec};

/// The sum of two floats, the second smaller than the rounding of the first: some 32 digits.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    const ZERO: Double = Double(0.0, 0.0);

    fn of(a: f64) -> Double {
        Double(a, 0.0)
    }

    /// a + b with its rounding.
    fn sum(a: f64, b: f64) -> Double {
        let sum = a + b;
        let of_b = sum - a;
        Double(sum, (a - (sum - of_b)) + (b - of_b))
    }

    fn plus(self, other: Double) -> Double {
        let (high, low) = (Double::sum(self.0, other.0), Double::sum(self.1, other.1));
        let high = Double::sum(high.0, high.1 + low.0);
        Double::sum(high.0, high.1 + low.1)
    }

    fn times(self, other: Double) -> Double {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product) + (self.0 * other.1 + self.1 * other.0);
        Double::sum(product, rest)
    }

    fn minus(self, other: Double) -> Double {
        self.plus(Double(-other.0, -other.1))
    }

    fn over(self, other: Double) -> Double {
        let first = self.0 / other.0;
        let rest = self.minus(other.times(Double::of(first)));
        let second = rest.0 / other.0;
        let rest = rest.minus(other.times(Double::of(second)));
        Double::sum(first, second).plus(Double::of(rest.0 / other.0))
    }
}

fn dot(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).fold(Double::ZERO, |sum, (a, b)| sum.plus(a.times(*b)))
}

/// A score of the definition.
struct Score {
    value: f64,
    /// What a w that is rounded after each update cannot help to be wrong of it.
    rounding: f64,
}

/// The definition, with no sum kept up: the score before each update.
fn scores(points: &[Point], aggressive: bool) -> Vec<Score> {
    let mut w = vec![Double::ZERO; points[0].dense.len()];
    let (mut scores, mut units) = (Vec::new(), 0.0); // the rounding of w, in units of ε‖w‖
    for point in points {
        let x: Vec<Double> = point.dense.iter().map(|&v| Double::of(v)).collect();
        let y = Double::of(point.y.sign());
        let (score, square, product) = (dot(&w, &x), dot(&x, &x), dot(&x, &x).times(dot(&w, &w)));
        scores.push(Score { value: score.0, rounding: f64::EPSILON * (units + 4.0) * product.0.sqrt() });
        let margin = y.times(score);
        let enough = if aggressive { 1.0 } else { 0.0 };
        if margin.0 > 0.0 && margin.0 >= enough || square.0 == 0.0 {
            continue;
        }
        let delta = product.minus(score.times(score));
        if product.0 == 0.0 || margin.0 >= product.0 || delta.0 <= 1e-15 * product.0 {
            w = x.iter().map(|v| y.times(*v).over(square)).collect();
            units = 4.0;
        } else {
            let c = product.minus(margin).over(delta);
            let d = dot(&w, &w).times(y.minus(score)).over(delta);
            let sizes = c.0.abs() * dot(&w, &w).0.sqrt() + d.0.abs() * square.0.sqrt();
            w = w.iter().zip(&x).map(|(w, v)| c.times(*w).plus(d.times(*v))).collect();
            units = (units + 8.0) * sizes / dot(&w, &w).0.sqrt();
        }
    }
    scores
}

/// Few features make rows that are nearly parallel to w, where ‖x‖²‖w‖² and (w·x)² are nearly the same number.
#[test]
fn romma_follows_its_definition_where_rows_are_nearly_parallel() {
    let sets = if std::env::var_os("ONLINEAR_LONG").is_some() { 4000 } else { 400 };
    let mut random = Random::new(16);
    let (mut exact, mut lost) = (0, 0);
    for set in 0..sets {
        let features = 2 + set % 3;
        let points: Vec<Point> = (0..60)
            .map(|_| Point::new((0..features).map(|_| random.gauss()).collect(), label(random.chance(0.5))))
            .collect();
        for aggressive in [false, true] {
            let mut learner = fresh(&spec(&format!("romma:aggressive={aggressive}")), features);
            for (t, (point, expected)) in points.iter().zip(scores(&points, aggressive)).enumerate() {
                let round = learner.round(&point.example(Storage::Dense));
                let Score { value, rounding } = expected;
                if rounding > 1e-6 * value.abs().max(1.0) {
                    lost += 1; // decisions may differ from here on
                    break;
                }
                let (error, most) = ((round.score - value).abs(), rounding.max(1e-9 * value.abs().max(1.0)));
                let what = format!("set {set}, aggressive={aggressive}, trial {t}");
                assert!(error <= most, "{what}: {} and not {value}, within {most:e}", round.score);
                exact += 1;
            }
        }
    }
    assert!(exact > 30 * lost, "{exact} trials, {lost} sets beyond the reach of rounding");
}
