//! Learners that know how sure they are of their weights, AROW and SCW: their definitions, written down plainly, and
//! the limits in which they are other algorithms.

use onlinear::{Round, Spec};

use crate::drift::solve;
use crate::limits::{Plain, add, assert_plain};
use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, dot, features, form_of, is_close, noisy, run, spec, trace,
};

/// Σ x.
fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// Σ⁻¹ ← Σ⁻¹ + c x xᵀ, or the diagonal of that.
fn narrow(sigma: &mut [Vec<f64>], x: &[f64], c: f64, is_full: bool) {
    let along = times(sigma, x);
    let divisor = 1.0 + c * dot(x, &along);
    for i in 0..x.len() {
        if is_full {
            (0..x.len()).for_each(|j| sigma[i][j] -= c / divisor * along[i] * along[j]);
        } else {
            sigma[i][i] = 1.0 / (1.0 / sigma[i][i] + c * x[i] * x[i]);
        }
    }
}

struct PlainArow {
    r: f64,
    forgetting: f64,
    is_full: bool,
    mu: Vec<f64>,
    sigma: Vec<Vec<f64>>,
}

impl PlainArow {
    fn new(r: f64, forgetting: f64, is_full: bool, n: usize) -> PlainArow {
        PlainArow { r, forgetting, is_full, mu: vec![0.0; n], sigma: identity(n) }
    }
}

impl Plain for PlainArow {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.mu, x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let loss = 1.0 - y * score;
        if loss <= 0.0 || x.iter().all(|&v| v == 0.0) {
            return false;
        }
        let along = times(&self.sigma, x);
        add(&mut self.mu, loss / (dot(x, &along) + self.r) * y, &along);
        narrow(&mut self.sigma, x, 1.0 / self.r, self.is_full);
        for (i, _) in x.iter().enumerate().filter(|(_, v)| **v != 0.0 && self.forgetting > 0.0) {
            self.sigma[i][i] = 1.0 / (1.0 + (1.0 - self.forgetting) * (1.0 / self.sigma[i][i] - 1.0));
        }
        true
    }
}

#[test]
fn arow_is_its_definition() {
    for points in [noisy(31, 400, 20, 0.3), noisy(32, 300, 40, 0.8)] {
        let n = features(&points);
        for r in [0.1, 1.0, 10.0] {
            for forgetting in [0.0, 0.01, 0.7] {
                let mut plain = PlainArow::new(r, forgetting, false, n);
                assert_plain(&format!("arow:r={r},forgetting={forgetting}"), &mut plain, &points);
            }
            assert_plain(&format!("arow:r={r},matrix=full"), &mut PlainArow::new(r, 0.0, true, n), &points);
        }
    }
}

/// w of the least Σ s (y − w·x)² + r‖w‖² over the rows learned from.
struct RidgeRegression {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl RidgeRegression {
    fn new(r: f64, n: usize) -> RidgeRegression {
        let mut a = identity(n);
        a.iter_mut().flatten().for_each(|one| *one *= r);
        RidgeRegression { a, b: vec![0.0; n] }
    }

    fn learn(&mut self, x: &[f64], y: f64, weight: f64) {
        add(&mut self.b, weight * y, x);
        self.a.iter_mut().zip(x).for_each(|(row, v)| add(row, weight * v, x));
    }
}

impl Plain for RidgeRegression {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&solve(self.a.clone(), self.b.clone()), x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let updates = y * score < 1.0;
        if updates {
            self.learn(x, y, 1.0);
        }
        updates
    }
}

#[test]
fn full_arow_is_ridge_regression_at_every_trial() {
    let points = noisy(33, 300, 12, 0.0);
    for r in [0.1, 1.0, 30.0] {
        for kernel in ["linear", "polynomial,degree=1,offset=0"] {
            let text = format!("arow:matrix=full,r={r},kernel={kernel}");
            assert_plain(&text, &mut RidgeRegression::new(r, 12), &points);
        }
    }
}

#[test]
fn weights_of_arow_divide_its_regularization() {
    let points = noisy(34, 200, 8, 0.0);
    let weight = |t: usize| [1.0, 0.25, 3.0, 0.0][t % 4];
    for kernel in ["linear", "polynomial,degree=1,offset=0"] {
        let mut learner = spec(&format!("arow:matrix=full,r=2,kernel={kernel}")).online().unwrap();
        let mut plain = RidgeRegression::new(2.0, 8);
        for (t, point) in points.iter().enumerate() {
            let score = plain.score(&point.dense);
            let round = learner.round(&point.example(Storage::Dense).weighing(weight(t)));
            assert!(is_close(round.score, score, 1e-9), "{kernel}, trial {t}: {} {score}", round.score);
            if point.y.sign() * score < 1.0 {
                plain.learn(&point.dense, point.y.sign(), weight(t));
            }
        }
    }
    let mut learner = spec("arow:r=2").online().unwrap();
    let mut plain = PlainArow::new(2.0, 0.0, false, 8);
    for (t, point) in points.iter().enumerate() {
        let score = plain.score(&point.dense);
        let round = learner.round(&point.example(Storage::Dense).weighing(weight(t)));
        assert!(is_close(round.score, score, 1e-9), "trial {t}: {} {score}", round.score);
        plain.r = 2.0 / weight(t);
        if weight(t) > 0.0 {
            plain.reveal(&point.dense, point.y.sign(), score);
        }
    }
}

/// The forms over features and over rows, told apart by what is known of the data.
#[test]
fn full_arow_is_the_second_order_perceptron_with_a_margin() {
    let points = noisy(35, 200, 15, 0.4);
    for kernel in ["linear", "gaussian,sigma2=3", "polynomial,cosine=true"] {
        let [ours, theirs] = ["arow:matrix=full,regularization", "second-order:margin=1,ridge"]
            .map(|text| spec(&format!("{text}=0.5,kernel={kernel}")));
        assert_eq!(
            bits(&trace(&ours, &points, Storage::Sparse)),
            bits(&trace(&theirs, &points, Storage::Sparse)),
            "{kernel}"
        );
    }
    for output in ["last", "averaged", "longest"] {
        let ended = |rows: Option<usize>| {
            let mut learner = spec(&format!("arow:matrix=full,output={output}")).online().unwrap();
            let expected = onlinear::Expected { features: Some(15), rows, max_memory: None };
            learner.prepare(&expected).unwrap();
            let rounds = run(learner.as_mut(), &points, Storage::Sparse);
            let scores: Vec<f64> = points.iter().map(|p| learner.leaves().score(p.row(Storage::Sparse))).collect();
            (form_of(learner.as_ref()), rounds, scores)
        };
        let (primal, dual) = (ended(None), ended(Some(5)));
        assert_eq!((primal.0, dual.0), ("primal", "dual"), "{output}");
        assert_alike(&primal.1, &dual.1, &points, output);
        assert!(primal.2.iter().zip(&dual.2).all(|(a, b)| is_close(*a, *b, 1e-9)), "{output}");
    }
}

#[test]
fn arow_that_forgets_all_is_passive_aggressive() {
    let points = noisy(36, 400, 25, 0.5);
    for (r, c) in [(0.5, 1.0), (4.0, 0.125), (0.03125, 16.0)] {
        let [arow, pa2] =
            [format!("arow:forgetting=1,r={r}"), format!("passive-aggressive:variant=pa2,aggressiveness={c}")];
        for storage in STORAGES {
            assert_alike(&trace(&spec(&arow), &points, storage), &trace(&spec(&pa2), &points, storage), &points, &arow);
        }
    }
}

#[test]
fn arow_with_a_huge_regularization_adds_up_all_rows() {
    let points = noisy(37, 200, 10, 0.2);
    for matrix in ["diagonal", "full"] {
        let mut sum = vec![0.0; 10];
        for (round, point) in
            trace(&spec(&format!("arow:r=1e14,matrix={matrix}")), &points, Storage::Sparse).iter().zip(&points)
        {
            assert!(is_close(1e14 * round.score, dot(&sum, &point.dense), 1e-9), "{matrix}");
            add(&mut sum, point.y.sign(), &point.dense);
        }
    }
}

#[test]
fn on_rows_of_one_feature_a_diagonal_is_the_whole_matrix() {
    let points: Vec<Point> = noisy(38, 300, 6, 0.0)
        .iter()
        .enumerate()
        .map(|(t, point)| {
            let x = (0..6).map(|i| if i == t * t % 6 { point.dense[i] } else { 0.0 });
            Point::new(x.collect(), point.y)
        })
        .collect();
    for text in ["arow:r=0.3", "scw:variant=1,c=0.5", "scw:variant=2,c=2,confidence=0.7"] {
        let in_matrix = |matrix: &str| trace(&spec(&format!("{text},matrix={matrix}")), &points, Storage::Sparse);
        // An update of SCW may leave a row at the very edge, where rounding decides whether the next one is needed.
        for (t, (diagonal, full)) in in_matrix("diagonal").iter().zip(in_matrix("full")).enumerate() {
            assert!(is_close(diagonal.score, full.score, 1e-9), "{text}, trial {t}: {} {}", diagonal.score, full.score);
        }
    }
}

struct PlainScw {
    variant: u32,
    c: f64,
    phi: f64,
    is_full: bool,
    mu: Vec<f64>,
    sigma: Vec<Vec<f64>>,
}

/// Φ⁻¹ of the confidences used here.
const PHI: [(f64, f64); 3] = [(0.75, 0.6744897501960817), (0.9, 1.2815515655446004), (0.95, 1.6448536269514722)];

impl PlainScw {
    fn new(variant: u32, c: f64, phi: f64, is_full: bool, n: usize) -> PlainScw {
        PlainScw { variant, c, phi, is_full, mu: vec![0.0; n], sigma: identity(n) }
    }
}

impl Plain for PlainScw {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.mu, x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let (m, phi, along) = (y * score, self.phi, times(&self.sigma, x));
        let v = dot(x, &along);
        let alpha = if self.variant == 1 {
            let (psi, xi) = (1.0 + phi * phi / 2.0, 1.0 + phi * phi);
            ((-m * psi + (m * m * phi.powi(4) / 4.0 + v * phi * phi * xi).sqrt()) / (v * xi)).clamp(0.0, self.c)
        } else {
            let n = v + 0.5 / self.c;
            let gamma = phi * (phi * phi * m * m * v * v + 4.0 * n * v * (n + v * phi * phi)).sqrt();
            ((-(2.0 * m * n + phi * phi * m * v) + gamma) / (2.0 * (n * n + n * v * phi * phi))).max(0.0)
        };
        if phi * v.sqrt() <= m || alpha <= 0.0 {
            return false;
        }
        add(&mut self.mu, alpha * y, &along);
        let root = (-alpha * v * phi + (alpha * alpha * v * v * phi * phi + 4.0 * v).sqrt()) / 2.0;
        narrow(&mut self.sigma, x, alpha * phi / root, self.is_full);
        true
    }
}

#[test]
fn scw_is_its_definition() {
    let points = noisy(39, 300, 12, 0.3);
    for (confidence, phi) in PHI {
        for variant in [1, 2] {
            for (c, matrix) in [(0.01, "diagonal"), (1.0, "diagonal"), (0.1, "full"), (3.0, "full")] {
                let text = format!("scw:variant={variant},c={c},confidence={confidence},matrix={matrix}");
                assert_plain(&text, &mut PlainScw::new(variant, c, phi, matrix == "full", 12), &points);
            }
        }
    }
}

/// Without a price both variants make each row right with just the probability asked for.
#[test]
fn scw_at_any_price_is_confidence_weighted() {
    let points = noisy(40, 60, 12, 0.3);
    for (confidence, phi) in PHI {
        let [one, two] = [1, 2].map(|variant| -> (Spec, PlainScw) {
            let text = format!("scw:variant={variant},c=1e250,confidence={confidence},matrix=full");
            (spec(&text), PlainScw::new(variant, 1e250, phi, true, 12))
        });
        let mut rounds: Vec<Vec<Round>> = Vec::new();
        for (spec, mut plain) in [one, two] {
            let mut learner = spec.online().unwrap();
            let mut updates = 0;
            rounds.push(Vec::new());
            for point in &points {
                let (x, y) = (&point.dense, point.y.sign());
                let round = learner.round(&point.example(Storage::Dense));
                if plain.reveal(x, y, round.score) {
                    let v = dot(x, &times(&plain.sigma, x));
                    let after = y * learner.score(point.row(Storage::Dense));
                    assert!(is_close(after, phi * v.sqrt(), 1e-9), "{spec}: {after} {}", phi * v.sqrt());
                    updates += 1;
                }
                rounds.last_mut().unwrap().push(round);
            }
            assert!(updates > 20, "{spec}: {updates}");
        }
        assert_alike(&rounds[0], &rounds[1], &points, &format!("confidence={confidence}"));
    }
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    for (text, reason) in [
        ("arow:kernel=gaussian", "arow: kernel=gaussian does not go with matrix=diagonal; expected matrix=full"),
        (
            "arow:matrix=full,kernel=gaussian,output=averaged",
            "arow: output=averaged does not go with kernel=gaussian; expected output=last or longest",
        ),
        (
            "arow:matrix=full,forgetting=0.1",
            "arow: forgetting=0.1 does not go with matrix=full; expected matrix=diagonal",
        ),
        (
            "bpa:output=averaged",
            "bpa: output=averaged would keep every vector ever stored; expected output=last or longest",
        ),
    ] {
        let error = text.parse::<Spec>().unwrap_err();
        assert!(error.is_usage());
        assert_eq!(error.to_string(), reason);
    }
}
