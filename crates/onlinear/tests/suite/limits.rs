//! Where one algorithm must become another, and plain implementations of the definitions, O(n) per
//! trial and without any of the library's shortcuts.

use onlinear::workshop::Random;
use onlinear::{Label, Round, Rows, State, Step};

use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, dot, features, fresh, integers, is_close, label, link, mistakes,
    noisy, norm, run, spec, trace, weight_vector,
};

/// A definition written down as plainly as it reads.
pub trait Plain {
    fn score(&self, x: &[f64]) -> f64;
    /// What the label reveals; true for an update.
    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool;
}

fn plain_trace(plain: &mut dyn Plain, points: &[Point]) -> Vec<Round> {
    let trial = |point: &Point| {
        let score = plain.score(&point.dense);
        let updated = plain.reveal(&point.dense, point.y.sign(), score);
        Round { score, step: if updated { Step::Update } else { Step::Stay }, asked: None }
    };
    points.iter().map(trial).collect()
}

pub fn assert_plain(text: &str, plain: &mut dyn Plain, points: &[Point]) {
    let expected = plain_trace(plain, points);
    for storage in STORAGES {
        assert_alike(&trace(&spec(text), points, storage), &expected, points, text);
    }
}

pub fn add(w: &mut [f64], step: f64, x: &[f64]) {
    w.iter_mut().zip(x).for_each(|(w, v)| *w += step * v);
}

/// Points whose sizes and directions change so often that sums built up are cancelled again.
fn cancelling(seed: u64, rows: usize, features: usize) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut points: Vec<Point> = Vec::new();
    for t in 0..rows {
        // Every third row takes back, nearly or wholly, a row of not long ago.
        if t % 3 == 2 {
            let earlier = &points[t - 1 - random.index(2)];
            let factor = -1.0 + if random.chance(0.5) { 0.0 } else { 1e-3 * random.gauss() };
            points.push(Point::new(earlier.dense.iter().map(|v| factor * v).collect(), earlier.y));
        } else {
            let size = 10f64.powi(random.index(5) as i32 - 2);
            let x = (0..features).map(|_| if random.chance(0.4) { 0.0 } else { size * random.gauss() }).collect();
            points.push(Point::new(x, label(random.chance(0.5))));
        }
    }
    points
}

#[test]
fn the_p_norm_perceptron_at_two_is_the_perceptron_to_the_bit() {
    for points in [noisy(11, 400, 25, 0.5), integers(12, 400, 25), cancelling(13, 400, 25)] {
        for storage in STORAGES {
            let [two, perceptron] =
                ["p-norm:p=2", "perceptron"].map(|text| bits(&trace(&spec(text), &points, storage)));
            assert_eq!(two, perceptron);
        }
    }
}

#[test]
fn passive_aggressive_with_a_huge_price_is_plain() {
    for points in [noisy(14, 400, 25, 0.5), integers(15, 400, 25), cancelling(16, 400, 25)] {
        let plain = trace(&spec("passive-aggressive:variant=pa"), &points, Storage::Sparse);
        for variant in ["pa1", "pa2"] {
            let text = format!("passive-aggressive:variant={variant},aggressiveness=1e300");
            assert_alike(&trace(&spec(&text), &points, Storage::Sparse), &plain, &points, &text);
        }
    }
}

/// Littlestone and Warmuth: experts that erred in a mistaken trial lose the share 1 − β of their weight.
struct WeightedMajority {
    beta: f64,
    w: Vec<f64>,
}

impl Plain for WeightedMajority {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.w, x) / self.w.iter().sum::<f64>()
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let mistake = y * score <= 0.0;
        if mistake {
            self.w.iter_mut().zip(x).filter(|(_, v)| **v != y).for_each(|(w, _)| *w *= self.beta);
        }
        mistake
    }
}

#[test]
fn winnow_on_experts_is_weighted_majority() {
    for (rate, experts) in [(0.05f64, 15), (0.3, 31), (1.0, 7)] {
        let mut random = Random::new(17);
        let points: Vec<Point> = (0..500)
            .map(|_| {
                let y = random.chance(0.5);
                // The first expert is the best one; an odd number of experts never ties.
                let right = |i: usize, random: &mut Random| random.chance(if i == 0 { 0.9 } else { 0.55 });
                let x = (0..experts).map(|i| if right(i, &mut random) == y { 1.0 } else { -1.0 }).collect();
                Point::new(x, label(y))
            })
            .collect();
        let mut majority = WeightedMajority { beta: (-2.0 * rate).exp(), w: vec![1.0; experts] };
        assert_plain(&format!("winnow:rate={rate},balanced=false"), &mut majority, &points);
    }
}

/// Plain Winnow, normalised in every trial, in logarithms so that nothing can underflow.
struct PlainWinnow {
    rate: f64,
    logarithms: Vec<f64>,
}

impl PlainWinnow {
    fn new(rate: f64, features: usize) -> PlainWinnow {
        PlainWinnow { rate, logarithms: vec![-(features as f64).ln(); features] }
    }
}

impl Plain for PlainWinnow {
    fn score(&self, x: &[f64]) -> f64 {
        self.logarithms.iter().zip(x).map(|(l, v)| l.exp() * v).sum()
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let update = y * score <= 0.0 && x.iter().any(|&v| v != 0.0);
        if update {
            add(&mut self.logarithms, self.rate * y, x);
            let largest = self.logarithms.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let z = largest + self.logarithms.iter().map(|l| (l - largest).exp()).sum::<f64>().ln();
            self.logarithms.iter_mut().for_each(|l| *l -= z);
        }
        update
    }
}

/// Plain Winnow on (x, −x).
struct Doubled(PlainWinnow);

fn doubled(x: &[f64]) -> Vec<f64> {
    x.iter().copied().chain(x.iter().map(|v| -v)).collect()
}

impl Plain for Doubled {
    fn score(&self, x: &[f64]) -> f64 {
        // (w⁺ − w⁻)·x, as the definition says, so that equal weights cancel exactly.
        let (plus, minus) = self.0.logarithms.split_at(x.len());
        plus.iter().zip(minus).zip(x).map(|((plus, minus), v)| (plus.exp() - minus.exp()) * v).sum()
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        self.0.reveal(&doubled(x), y, score)
    }
}

#[test]
fn winnow_is_its_definition() {
    for rate in [0.01, 0.5, 5.0] {
        for points in [noisy(18, 500, 20, 0.3), noisy(19, 300, 40, 0.7)] {
            let n = features(&points);
            assert_plain(&format!("winnow:rate={rate},balanced=false"), &mut PlainWinnow::new(rate, n), &points);
            assert_plain(
                &format!("winnow:rate={rate},balanced=true"),
                &mut Doubled(PlainWinnow::new(rate, 2 * n)),
                &points,
            );
        }
    }
}

/// Plain Winnow's exponents all fall on rows that are negative throughout: only their differences count.
#[test]
fn winnow_keeps_its_scores_when_all_weights_fall() {
    let mut random = Random::new(20);
    let points: Vec<Point> = (0..1500)
        .map(|t| {
            let x: Vec<f64> = (0..9).map(|_| 1.0 + random.uniform()).collect();
            Point::new(x, label(t % 50 == 49))
        })
        .collect();
    assert_plain("winnow:rate=1,balanced=false", &mut PlainWinnow::new(1.0, 9), &points);

    // A tenth feature, unheard of until then, outweighs the nine that fell.
    for storage in STORAGES {
        let mut learner = spec("winnow:rate=1,balanced=false").online().unwrap();
        run(learner.as_mut(), &points, storage);
        let mut x = vec![5.0; 9];
        x.push(-2.0);
        let tenth = Point::new(x, Label::Negative);
        assert_eq!(learner.score(tenth.row(storage)), -2.0, "{storage:?}");
        assert_eq!(learner.round(&tenth.example(storage)).score, -2.0, "{storage:?}");
        assert_eq!(learner.score(tenth.row(storage)), -2.0, "{storage:?}");
        let scores = run(learner.as_mut(), &points, storage);
        assert!(scores.iter().all(|round| round.score.is_finite()), "{storage:?}");
    }
}

#[test]
fn the_averaged_perceptron_is_the_mean_of_its_vectors() {
    for points in [noisy(21, 300, 20, 0.4), integers(22, 300, 20)] {
        let mut learner = fresh(&spec("averaged:rate=0.5"), 20);
        let (mut w, mut sum) = (vec![0.0; 20], vec![0.0; 20]);
        for (t, point) in points.iter().enumerate() {
            let weight = if t % 5 == 0 { 2.5 } else { 1.0 };
            let score = dot(&w, &point.dense);
            let round = learner.round(&point.example(Storage::Sparse).weighing(weight));
            assert!(is_close(round.score, score, 1e-9), "trial {t}: {} {score}", round.score);
            if point.y.sign() * score <= 0.0 {
                add(&mut w, 0.5 * weight * point.y.sign(), &point.dense);
            }
            add(&mut sum, 1.0, &w);
            let mean: Vec<f64> = sum.iter().map(|s| s / (t + 1) as f64).collect();
            let other = &points[(7 * t) % points.len()];
            let output = learner.leaves().score(other.row(Storage::Sparse));
            assert!(is_close(output, dot(&mean, &other.dense), 1e-9), "trial {t}: {output}");
            for (a, b) in weight_vector(learner.as_ref()).unwrap().iter().zip(&mean) {
                assert!(is_close(*a, *b, 1e-9), "trial {t}: {a} {b}");
            }
        }
    }
}

#[test]
fn the_voted_perceptron_is_a_list_of_vectors_with_votes() {
    let points = integers(23, 300, 12); // whole numbers: no sign depends on the order of summation
    for storage in STORAGES {
        let mut learner = spec("voted:rate=2").online().unwrap();
        let mut vectors: Vec<(Vec<f64>, u32)> = vec![(vec![0.0; 12], 0)];
        for (t, point) in points.iter().enumerate() {
            let (w, count) = vectors.last_mut().unwrap();
            let score = dot(w, &point.dense);
            assert_eq!(learner.round(&point.example(storage)).score, score, "trial {t}");
            if point.y.sign() * score > 0.0 || point.dense.iter().all(|&v| v == 0.0) {
                *count += 1;
            } else {
                let mut next = w.clone();
                add(&mut next, 2.0 * point.y.sign(), &point.dense);
                vectors.push((next, 1));
            }
            let other = &points[(7 * t) % points.len()];
            let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
            let votes: f64 = vectors.iter().map(|(w, count)| f64::from(*count) * sign(dot(w, &other.dense))).sum();
            assert_eq!(learner.leaves().score(other.row(storage)), votes, "trial {t}");
        }
        assert_eq!(learner.facts().rows_kept, vectors.len() - 1);
    }
}

struct PlainPassiveAggressive {
    variant: &'static str,
    c: f64,
    w: Vec<f64>,
}

impl Plain for PlainPassiveAggressive {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.w, x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let (loss, square) = ((1.0 - y * score).max(0.0), dot(x, x));
        let tau = match self.variant {
            "pa" => loss / square,
            "pa1" => self.c.min(loss / square),
            _ => loss / (square + 1.0 / (2.0 * self.c)),
        };
        if loss == 0.0 || square == 0.0 {
            return false;
        }
        add(&mut self.w, tau * y, x);
        true
    }
}

#[test]
fn passive_aggressive_is_its_definition() {
    for variant in ["pa", "pa1", "pa2"] {
        for c in [0.01, 0.3, 10.0] {
            let points = noisy(24, 500, 20, 0.3);
            let mut plain = PlainPassiveAggressive { variant, c, w: vec![0.0; 20] };
            assert_plain(&format!("passive-aggressive:variant={variant},c={c}"), &mut plain, &points);
        }
    }
}

struct PlainRomma {
    aggressive: bool,
    w: Vec<f64>,
}

impl Plain for PlainRomma {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.w, x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let (margin, xx, ww) = (y * score, dot(x, x), dot(&self.w, &self.w));
        if xx == 0.0 || margin > 0.0 && !(self.aggressive && margin < 1.0) {
            return false;
        }
        let denominator = xx * ww - score * score;
        if ww == 0.0 || margin >= xx * ww || denominator <= 1e-15 * xx * ww {
            self.w = x.iter().map(|v| y * v / xx).collect();
        } else {
            let (c, d) = ((xx * ww - margin) / denominator, ww * (y - score) / denominator);
            self.w = self.w.iter().zip(x).map(|(w, v)| c * w + d * v).collect();
        }
        true
    }
}

#[test]
fn romma_is_its_definition() {
    for aggressive in [false, true] {
        // Its weights grow without end on noisy rows: longer runs have no digits left to compare.
        for (seed, features) in [(25, 5), (26, 20), (27, 60)] {
            let points = noisy(seed, 100, features, 0.2);
            let mut plain = PlainRomma { aggressive, w: vec![0.0; features] };
            assert_plain(&format!("romma:aggressive={aggressive}"), &mut plain, &points);
        }
        // Rows that can be told apart, so that it settles.
        let target = noisy(28, 1, 20, 0.0).remove(0).dense;
        let points: Vec<Point> = noisy(29, 1000, 20, 0.2)
            .into_iter()
            .filter(|p| dot(&p.dense, &target).abs() > 0.3)
            .map(|p| Point::new(p.dense.clone(), label(dot(&p.dense, &target) > 0.0)))
            .collect();
        let mut plain = PlainRomma { aggressive, w: vec![0.0; 20] };
        assert_plain(&format!("romma:aggressive={aggressive}"), &mut plain, &points);
    }
}

/// One feature at a time: every row is parallel to the weights or knows nothing of them.
#[test]
fn romma_starts_afresh_on_parallel_rows() {
    let mut random = Random::new(30);
    for aggressive in [false, true] {
        let points: Vec<Point> =
            (0..200).map(|_| Point::new(vec![random.gauss()], label(random.chance(0.5)))).collect();
        assert_plain(&format!("romma:aggressive={aggressive}"), &mut PlainRomma { aggressive, w: vec![0.0] }, &points);
    }
}

struct PlainAlma {
    p: f64,
    alpha: f64,
    w: Vec<f64>,
    updates: u32,
}

impl PlainAlma {
    fn unit(&self, x: &[f64]) -> Vec<f64> {
        let length = norm(x, self.p);
        x.iter().map(|v| v / length).collect()
    }
}

impl Plain for PlainAlma {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.w, &self.unit(x))
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let k = f64::from(self.updates + 1);
        let gamma = 8f64.sqrt() / self.alpha * (self.p - 1.0).sqrt() / k.sqrt();
        if y * score > (1.0 - self.alpha) * gamma {
            return false;
        }
        let q = self.p / (self.p - 1.0);
        let mut theta = link(&self.w, q);
        add(&mut theta, 2f64.sqrt() / ((self.p - 1.0).sqrt() * k.sqrt()) * y, &self.unit(x));
        self.w = link(&theta, self.p);
        let length = norm(&self.w, q).max(1.0);
        self.w.iter_mut().for_each(|w| *w /= length);
        self.updates += 1;
        true
    }
}

#[test]
fn alma_is_its_definition() {
    for p in [2.0, 2.5, 4.0, 8.0] {
        for alpha in [0.3, 0.9, 1.0] {
            let points = noisy(31, 500, 20, 0.2);
            let mut plain = PlainAlma { p, alpha, w: vec![0.0; 20], updates: 0 };
            assert_plain(&format!("alma:p={p},alpha={alpha}"), &mut plain, &points);
        }
    }
}

struct PlainPNorm {
    p: f64,
    theta: Vec<f64>,
}

impl Plain for PlainPNorm {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&link(&self.theta, self.p), x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let update = y * score <= 0.0 && x.iter().any(|&v| v != 0.0);
        if update {
            add(&mut self.theta, y, x);
        }
        update
    }
}

#[test]
fn the_p_norm_perceptron_is_its_formula_through_cancellations() {
    for p in [2.5, 4.0, 10.0, 40.0] {
        // No whole numbers here: their exact ties fall either way with the rounding of a power.
        for points in [noisy(32, 2000, 20, 0.4), noisy(33, 2000, 12, 0.7), cancelling(34, 3000, 8)] {
            let mut plain = PlainPNorm { p, theta: vec![0.0; features(&points)] };
            assert_plain(&format!("p-norm:p={p}"), &mut plain, &points);
        }
    }
}

/// Sizes at which the sum of the p-th powers is a denormal number, or none at all.
#[test]
fn the_p_norm_perceptron_works_at_any_size_of_row() {
    for p in [4.0, 10.0, 40.0, 500.0] {
        for denormal in [-324.0, -321.0, -318.0, -310.0, 200.0, 300.0] {
            let size = 10f64.powf(denormal / p);
            let points: Vec<Point> = noisy(35, 100, 10, 0.0).iter().map(|point| point.scaled(size)).collect();
            let mut plain = PlainPNorm { p, theta: vec![0.0; 10] };
            let expected = plain_trace(&mut plain, &points);
            let learned = run(fresh(&spec(&format!("p-norm:p={p}")), 10).as_mut(), &points, Storage::Sparse);
            assert_eq!(mistakes(&learned, &points), mistakes(&expected, &points), "p={p}, rows of size {size:e}");
            for (a, b) in learned.iter().zip(&expected) {
                assert!(
                    (a.score - b.score).abs() <= 1e-9 * b.score.abs().max(size * size),
                    "p={p}, rows of size {size:e}: {a:?} {b:?}"
                );
            }
        }
    }
}

/// The labels' names do not matter, but the tie does: the first trial of every one of these is a mistake.
#[test]
fn a_first_score_of_zero_is_a_mistake_for_either_label() {
    for text in ["perceptron", "averaged", "voted", "passive-aggressive", "romma", "alma", "winnow", "p-norm"] {
        for y in [Label::Negative, Label::Positive] {
            let point = Point::new(vec![1.0, -2.0, 0.5], y);
            let round = spec(text).online().unwrap().round(&point.example(Storage::Dense));
            assert_eq!((round.score, round.step, round.is_mistake(y)), (0.0, Step::Update, true), "{text}");
        }
    }
}

/// The definition without a square root: on a mistake w̃ ← w̃ + y M⁻¹x.
struct PlainWhitened {
    inverse: Vec<Vec<f64>>,
    w: Vec<f64>,
}

impl PlainWhitened {
    fn new(points: &[Point]) -> PlainWhitened {
        let n = features(points);
        let entry = |i: usize, j: usize| points.iter().map(|p| p.dense[i] * p.dense[j]).sum::<f64>();
        // (M, I) becomes (I, M⁻¹).
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..2 * n).map(|j| if j < n { entry(i, j) } else { f64::from(u8::from(j - n == i)) }).collect())
            .collect();
        for k in 0..n {
            let pivot = rows[k][k];
            rows[k].iter_mut().for_each(|v| *v /= pivot);
            let row = rows[k].clone();
            for (_, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = other[k];
                add(other, -factor, &row);
            }
        }
        PlainWhitened { inverse: rows.into_iter().map(|row| row[n..].to_vec()).collect(), w: vec![0.0; n] }
    }
}

impl Plain for PlainWhitened {
    fn score(&self, x: &[f64]) -> f64 {
        dot(&self.w, x)
    }

    fn reveal(&mut self, x: &[f64], y: f64, score: f64) -> bool {
        let mistake = y * score <= 0.0;
        if mistake {
            let step: Vec<f64> = self.inverse.iter().map(|row| dot(row, x)).collect();
            add(&mut self.w, y, &step);
        }
        mistake
    }
}

#[test]
fn the_whitened_perceptron_is_its_definition() {
    for (seed, features) in [(34, 1), (35, 8), (36, 40)] {
        let points = noisy(seed, 300, features, 0.2);
        let points: Vec<Point> = points.into_iter().filter(|p| p.dense.iter().any(|&v| v != 0.0)).collect();
        assert_plain("whitened", &mut PlainWhitened::new(&points), &points);
    }
}

/// Rows made alike in all directions forget what was done to all of them alike.
#[test]
fn the_whitened_perceptron_does_not_see_linear_maps() {
    let points = noisy(37, 300, 12, 0.2);
    let plain = trace(&spec("whitened"), &points, Storage::Sparse);
    let mut random = Random::new(38);
    let square: Vec<Vec<f64>> = (0..12).map(|_| (0..12).map(|_| random.gauss()).collect()).collect();
    let tall: Vec<Vec<f64>> = (0..25).map(|_| (0..12).map(|_| random.gauss()).collect()).collect();
    let twice: Vec<Vec<f64>> = (0..24).map(|i| (0..12).map(|j| f64::from(u8::from(i % 12 == j))).collect()).collect();
    for map in [square, tall, twice] {
        let image = |p: &Point| Point::new(map.iter().map(|row| dot(row, &p.dense)).collect(), p.y);
        let mapped: Vec<Point> = points.iter().map(image).collect();
        assert_alike(&trace(&spec("whitened"), &mapped, Storage::Sparse), &plain, &points, "whitened");
    }
    // Fewer rows than features: every row is at right angles to all others.
    let few = noisy(39, 10, 30, 0.0);
    let rounds = trace(&spec("whitened"), &few, Storage::Dense);
    assert!(rounds.iter().all(|round| round.score.abs() < 1e-9), "{rounds:?}");
}

const KERNELS: [&str; 4] =
    ["kernel=linear", "kernel=linear,cosine=true", "kernel=polynomial,degree=2", "kernel=gaussian,sigma2=3"];

#[test]
fn the_perceptron_that_averages_is_the_averaged_perceptron_to_the_bit() {
    for points in [noisy(51, 120, 9, 0.4), integers(52, 120, 9)] {
        let mut rows = Rows::default();
        points.iter().for_each(|point| rows.push_row(point.row(Storage::Sparse)));
        for (kernel, storage) in KERNELS.iter().flat_map(|kernel| STORAGES.map(|storage| (kernel, storage))) {
            let of = |learner: &str| {
                let mut learner = spec(&format!("{learner},{kernel}")).online().unwrap();
                let trial = |(i, point): (usize, &Point)| {
                    let weight = if i % 5 == 0 { 2.5 } else { 1.0 };
                    learner.round(&point.example(storage).weighing(weight).at(Some(i as u64)))
                };
                let rounds: Vec<Round> = (0..3).flat_map(|_| points.iter().enumerate()).map(trial).collect();
                let (mut state, mut together) = (State::saving(), Vec::new());
                learner.state(&mut state).unwrap();
                let leaves = learner.leaves();
                leaves.scores(&rows, &mut together);
                let alone = points.iter().map(|point| leaves.score(point.row(storage)));
                let scores: Vec<u64> = alone.chain(together).map(f64::to_bits).collect();
                let weights = weight_vector(learner.as_ref());
                (bits(&rounds), scores, leaves.support_len(), weights, learner.memory(9), state.into_tensors())
            };
            let (ours, theirs) = (of("perceptron:rate=0.5,output=averaged"), of("averaged:rate=0.5"));
            assert!(ours == theirs, "{kernel}, {storage:?}");
        }
    }
}

/// Every hypothesis there was, each as coefficients of points, with the trials that it survived: the one that made
/// it among them.
struct Survivors<'a> {
    points: &'a [Point],
    kernel: fn(&[f64], &[f64]) -> f64,
    all: Vec<(Vec<(usize, f64)>, u32)>,
}

impl Survivors<'_> {
    fn score(&self, f: &[(usize, f64)], x: &[f64]) -> f64 {
        f.iter().map(|&(i, alpha)| alpha * (self.kernel)(&self.points[i].dense, x)).sum()
    }

    /// A trial on a point, whose update is so long for its y, score and K(x,x).
    fn trial(&mut self, i: usize, step: fn(f64, f64, f64) -> f64) {
        let x = &self.points[i].dense;
        let last = &self.all[self.all.len() - 1].0;
        let step = step(self.points[i].y.sign(), self.score(last, x), (self.kernel)(x, x));
        let next = (step != 0.0).then(|| [&last[..], &[(i, step)]].concat());
        match next {
            Some(next) => self.all.push((next, 1)),
            None => self.all.last_mut().unwrap().1 += 1,
        }
    }

    /// The first of those that survived most trials.
    fn longest(&self) -> &[(usize, f64)] {
        let most = self.all.iter().map(|(_, survived)| *survived).max();
        &self.all.iter().find(|(_, survived)| Some(*survived) == most).unwrap().0
    }
}

#[test]
fn longest_is_the_first_of_the_hypotheses_that_survived_most_trials() {
    type Rule = fn(f64, f64, f64) -> f64; // of y, the score and K(x,x)
    let perceptron: Rule = |y, score, square| if y * score <= 0.0 && square > 0.0 { 0.5 * y } else { 0.0 };
    let aggressive: Rule = |y, score, square| {
        let loss = 1.0 - y * score;
        if loss > 0.0 && square > 0.0 { y * f64::min(0.3, loss / square) } else { 0.0 }
    };
    type Kernel = fn(&[f64], &[f64]) -> f64;
    let quadratic: Kernel = |x, z| (dot(x, z) + 1.0).powi(2);
    let gaussian: Kernel = |x, z| (-x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum::<f64>() / 6.0).exp();
    let kernels: [(&str, Kernel); 3] =
        [("kernel=linear", dot), ("kernel=polynomial,degree=2", quadratic), ("kernel=gaussian,sigma2=3", gaussian)];
    for (name, rule) in [("perceptron:rate=0.5", perceptron), ("passive-aggressive:c=0.3", aggressive)] {
        for (text, kernel) in kernels {
            // Few mistakes at the start and many at the end: the one that survived longest is not the last.
            let mut points = noisy(53, 160, 5, 0.2);
            points[..40]
                .iter_mut()
                .for_each(|point| *point = Point::new(point.dense.clone(), label(point.dense[0] > 0.0)));
            points[100..].iter_mut().step_by(2).for_each(|point| *point = point.flipped());
            let mut learner = spec(&format!("{name},output=longest,{text}")).online().unwrap();
            let mut naive = Survivors { points: &points, kernel, all: vec![(Vec::new(), 0)] };
            let mut is_earlier = 0;
            for (t, point) in points.iter().enumerate() {
                learner.round(&point.example(Storage::Sparse));
                naive.trial(t, rule);
                is_earlier += usize::from(naive.longest().len() < naive.all.len() - 1);
                for probe in points.iter().step_by(40) {
                    let expected = naive.score(naive.longest(), &probe.dense);
                    let output = learner.leaves().score(probe.row(Storage::Dense));
                    assert!(is_close(output, expected, 1e-9), "{name},{text}, trial {t}: {output} {expected}");
                }
            }
            assert!(is_earlier > 50, "{name},{text}: the last one was the longest but for {is_earlier} trials");
        }
    }
}
