//! Quantities kept up by differences, against their recomputation after many updates. The adversary labels every row
//! the way the learner did not expect, so that every trial is an update; rows differ in size by six orders of
//! magnitude, and one in four undoes the one before, nearly.
//!
//! 20 000 updates; a million with `ONLINEAR_LONG=1`. With `--nocapture` the largest error met is printed.

use std::collections::BTreeMap;

use onlinear::workshop::{Random, Tensor};
use onlinear::{Example, Label, Learner, Row, State, Step};

use crate::support::{Storage, dot, fresh, link, noisy, norm, spec};

const FEATURES: usize = 6;

fn updates() -> usize {
    if std::env::var_os("ONLINEAR_LONG").is_some() { 1_000_000 } else { 20_000 }
}

/// Where rows come from.
struct Adversary {
    random: Random,
    last: Vec<f64>,
}

impl Adversary {
    fn row(&mut self) -> Vec<f64> {
        let random = &mut self.random;
        if random.chance(0.25) {
            let undo = 1.0 + 1e-9 * random.gauss();
            self.last.iter_mut().for_each(|v| *v *= -undo);
        } else {
            let size = 10f64.powf(3.0 * random.symmetric());
            self.last = (0..FEATURES).map(|_| if random.chance(0.3) { 0.0 } else { size * random.gauss() }).collect();
        }
        self.last.clone()
    }
}

/// What a check looks at.
struct Seen<'a> {
    learner: &'a dyn Learner,
    tensors: BTreeMap<String, Tensor>,
    /// A row that was not learned from.
    probe: &'a [f64],
}

impl Seen<'_> {
    fn array(&self, name: &str) -> &[f64] {
        match &self.tensors[name] {
            Tensor::F64(values) => values,
            other => panic!("{name}: {other:?}"),
        }
    }

    fn number(&self, name: &str) -> f64 {
        self.array(name)[0]
    }

    /// A symmetric matrix times a vector.
    fn product(&self, triangle: &str, x: &[f64]) -> Vec<f64> {
        let triangle = self.array(triangle);
        let entry = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j) * x[j]).sum()).collect()
    }
}

/// Attacks a learner (with rows of length 1, if `unit`), telling `update` of each row and its label; `check` gives
/// an error relative to what it is an error
/// of, and no error may be larger than `most`.
fn attack(
    text: &str,
    unit: bool,
    most: f64,
    mut update: impl FnMut(&[f64], f64),
    mut check: impl FnMut(&Seen<'_>) -> f64,
) {
    let updates = updates();
    let mut learner = fresh(&spec(text), FEATURES);
    let mut adversary = Adversary { random: Random::new(7), last: vec![0.0; FEATURES] };
    let mut worst = 0.0f64;
    for t in 1..=updates {
        let mut x = adversary.row();
        let length = norm(&x, 2.0);
        if unit && length > 0.0 {
            x.iter_mut().for_each(|v| *v /= length);
        }
        let score = learner.score(Row::Dense(&x));
        if score.abs() > 1e100 {
            learner = fresh(&spec(text), FEATURES); // ROMMA's weights grow without end where none are right
        }
        let y = Label::predicted(score).flipped();
        learner.round(&Example::new(Row::Dense(&x), y));
        update(&x, y.sign());
        if t % (updates / 40) == 0 {
            let probe: Vec<f64> = (0..FEATURES).map(|_| adversary.random.gauss()).collect();
            let mut state = State::saving();
            learner.state(&mut state).unwrap();
            let error = check(&Seen { learner: learner.as_ref(), tensors: state.into_tensors(), probe: &probe });
            assert!(error <= most, "{text}: {error:e} after {t} updates");
            worst = worst.max(error);
        }
    }
    println!("{text}: {worst:.1e} at most in {updates} updates");
}

#[test]
fn sums_of_powers() {
    for (text, p) in [("p-norm:p=3", 3.0), ("p-norm:p=12", 12.0), ("alma:p=6", 6.0), ("alma:p=2", 2.0)] {
        let is_alma = text.starts_with("alma");
        attack(
            text,
            false,
            1e-9,
            |_, _| (),
            |seen| {
                let theta: Vec<f64> = seen.array("theta").iter().map(|t| seen.number("factor") * t).collect();
                let (length, size) = (norm(&theta, p), norm(seen.probe, p));
                let unit = if is_alma { size } else { 1.0 };
                let error = seen.learner.score(Row::Dense(seen.probe)) - dot(&link(&theta, p), seen.probe) / unit;
                error.abs() / (length * size / unit)
            },
        );
    }
}

#[test]
fn winnows_scale() {
    for (text, is_balanced) in [("winnow:rate=0.01", true), ("winnow:rate=0.01,balanced=false", false)] {
        attack(
            text,
            false,
            1e-9,
            |_, _| (),
            |seen| {
                let theta = seen.array("theta");
                let shift =
                    theta.iter().fold(f64::NEG_INFINITY, |most, t| most.max(if is_balanced { t.abs() } else { *t }));
                let (mut product, mut sum) = (0.0, 0.0);
                for (t, x) in theta.iter().zip(seen.probe) {
                    let (up, down) = ((t - shift).exp(), if is_balanced { (-t - shift).exp() } else { 0.0 });
                    product += (up - down) * x;
                    sum += up + down;
                }
                let size = seen.probe.iter().fold(0f64, |most, v| most.max(v.abs()));
                (seen.learner.score(Row::Dense(seen.probe)) - product / sum).abs() / size
            },
        );
    }
}

#[test]
fn rommas_norm() {
    for text in ["romma", "romma:aggressive=true"] {
        attack(
            text,
            false,
            1e-9,
            |_, _| (),
            |seen| {
                let w: Vec<f64> = seen.array("weights").iter().map(|v| seen.number("scale") * v).collect();
                if seen.number("square") == 0.0 { 0.0 } else { (seen.number("square") / dot(&w, &w) - 1.0).abs() }
            },
        );
    }
}

/// Where no weights are right ROMMA's grow without end; they must be able to get far before numbers end.
#[test]
fn rommas_weights_may_grow_long() {
    let mut learner = fresh(&spec("romma"), 4);
    let mut random = Random::new(5);
    for _ in 0..2_000_000 {
        let x: Vec<f64> = (0..4).map(|_| random.gauss()).collect();
        let y = if random.chance(0.5) { Label::Positive } else { Label::Negative };
        let round = learner.round(&Example::new(Row::Dense(&x), y));
        assert!(round.score.is_finite());
        if round.score.abs() > 1e140 {
            return;
        }
    }
    panic!("the weights did not grow");
}

/// A x = b by elimination, plainly.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// The first row x costs A⁻¹ digits: as many as ‖x‖²/a has, whose largest is about 5e7/a here. Later rows
/// win them back.
#[test]
fn the_inverse_of_the_second_order_perceptron() {
    let texts = ["second-order:form=primal,ridge", "arow:matrix=full,regularization"];
    for (text, ridge) in texts.iter().flat_map(|text| [1e-3, 1.0, 1e3].map(|ridge| (text, ridge))) {
        let mut a = vec![vec![0.0; FEATURES]; FEATURES];
        (0..FEATURES).for_each(|i| a[i][i] = ridge);
        let (mut v, a) = (vec![0.0; FEATURES], std::cell::RefCell::new(a));
        let v = std::cell::RefCell::new(&mut v);
        attack(
            &format!("{text}={ridge}"),
            false,
            1e-9f64.max(f64::EPSILON * 5e7 / ridge),
            |x, y| {
                let (mut a, mut v) = (a.borrow_mut(), v.borrow_mut());
                for i in 0..FEATURES {
                    v[i] += y * x[i];
                    (0..FEATURES).for_each(|j| a[i][j] += x[i] * x[j]);
                }
            },
            |seen| {
                let a = a.borrow();
                let w = solve(a.clone(), v.borrow().to_vec());
                let (u, c) = (seen.array("inverse.along"), seen.number("inverse.change"));
                // The inverse times each column should be a column of the identity.
                let mut error = 0.0f64;
                for (j, column) in a.iter().enumerate() {
                    let mut unit = seen.product("inverse.matrix.triangle", column);
                    let along = c * dot(u, column);
                    unit.iter_mut().zip(u).for_each(|(one, u)| *one += along * u);
                    unit[j] -= 1.0;
                    error = unit.iter().fold(error, |most, v| most.max(v.abs()));
                }
                let score = seen.learner.score(Row::Dense(seen.probe)) - dot(&w, seen.probe);
                error.max(score.abs() / (norm(&w, 2.0) * norm(seen.probe, 2.0)))
            },
        );
    }
}

/// Rows met again make the Gram matrix singular but for r: the factor grows all the same without losing digits.
#[test]
fn the_factor_of_arow_with_a_kernel() {
    let points = noisy(41, 250, 5, 0.2);
    let kernel = |a: &[f64], b: &[f64]| (dot(a, b) + 1.0).powi(2);
    let mut learner = spec("arow:regularization=0.1,matrix=full,kernel=polynomial").online().unwrap();
    let (mut held, mut labels): (Vec<&[f64]>, Vec<f64>) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        for point in &points {
            let round = learner.round(&point.example(Storage::Dense));
            if round.step == Step::Update {
                held.push(&point.dense);
                labels.push(point.y.sign());
            }
        }
    }
    let mut gram: Vec<Vec<f64>> = held.iter().map(|a| held.iter().map(|b| kernel(a, b)).collect()).collect();
    gram.iter_mut().enumerate().for_each(|(i, row)| row[i] += 0.1);
    let coefficients = solve(gram, labels);
    let worst = points.iter().fold(0.0f64, |worst, point| {
        let score: f64 = held.iter().zip(&coefficients).map(|(x, c)| c * kernel(x, &point.dense)).sum();
        worst.max((learner.score(point.row(Storage::Dense)) - score).abs())
    });
    println!("{} rows held, {worst:.1e} at most", held.len());
    assert!(held.len() > 300 && worst < 1e-9, "{} rows held, {worst:e}", held.len());
}

#[test]
fn the_weights_of_the_higher_order_perceptron() {
    attack(
        "higher-order:form=primal",
        true,
        1e-9,
        |_, _| (),
        |seen| {
            let w = seen.product("matrix.triangle", seen.array("sum"));
            let difference: Vec<f64> = w.iter().zip(seen.array("weights")).map(|(a, b)| a - b).collect();
            norm(&difference, 2.0) / norm(&w, 2.0)
        },
    );
}

#[test]
fn the_average() {
    // w itself, the sum of all so far, and what was lost in adding to it.
    let kept = std::cell::RefCell::new((vec![0.0; FEATURES], vec![0.0; FEATURES], vec![0.0; FEATURES], 0.0));
    attack(
        "averaged",
        false,
        1e-9,
        |x, y| {
            let (w, sum, lost, trials) = &mut *kept.borrow_mut();
            *trials += 1.0;
            for i in 0..FEATURES {
                w[i] += y * x[i];
                let next = sum[i] + w[i];
                lost[i] +=
                    if f64::abs(sum[i]) >= f64::abs(w[i]) { (sum[i] - next) + w[i] } else { (w[i] - next) + sum[i] };
                sum[i] = next;
            }
        },
        |seen| {
            let (_, sum, lost, trials) = &*kept.borrow();
            let mean: Vec<f64> = sum.iter().zip(lost).map(|(sum, lost)| (sum + lost) / trials).collect();
            let error = seen.learner.leaves().score(Row::Dense(seen.probe)) - dot(&mean, seen.probe);
            error.abs() / (norm(&mean, 2.0) * norm(seen.probe, 2.0))
        },
    );
}

/// The Forgetron once more, plainly, with what is lost in adding up Q kept beside it.
struct Plain {
    budget: usize,
    support: Vec<(Vec<f64>, f64)>,
    mistakes: f64,
    damage: f64,
    lost: f64,
}

impl Plain {
    fn update(&mut self, x: &[f64], y: f64) {
        let kernel = |a: &[f64], b: &[f64]| (-a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 2.0).exp();
        self.mistakes += 1.0;
        self.support.push((x.to_vec(), y));
        if self.support.len() <= self.budget {
            return;
        }
        let (oldest, alpha) = self.support[0].clone();
        let mu = alpha.signum() * self.support.iter().map(|(row, alpha)| alpha * kernel(row, &oldest)).sum::<f64>();
        let sigma = alpha.abs();
        let psi = |phi: f64| (sigma * phi).powi(2) + 2.0 * sigma * phi * (1.0 - phi * mu);
        let room = 15.0 / 32.0 * self.mistakes - (self.damage + self.lost);
        // The largest φ in 0 … 1 with Ψ ≤ what is left.
        let phi = if psi(1.0) <= room {
            1.0
        } else {
            let (a, b) = (sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma);
            2.0 * room / (b + (b * b + 4.0 * a * room).sqrt())
        };
        let next = self.damage + psi(phi);
        self.lost += (self.damage - next) + psi(phi);
        self.damage = next;
        self.support.iter_mut().for_each(|(_, alpha)| *alpha *= phi);
        self.support.remove(0);
    }
}

#[test]
fn the_damage_of_the_forgetron() {
    let plain = Plain { budget: 10, support: Vec::new(), mistakes: 0.0, damage: 0.0, lost: 0.0 };
    let plain = std::cell::RefCell::new(plain);
    attack(
        "forgetron:budget=10,kernel=gaussian,sigma2=1",
        false,
        1e-9,
        |x, y| plain.borrow_mut().update(x, y),
        |seen| {
            let plain = plain.borrow();
            let damage = plain.damage + plain.lost;
            assert!(seen.number("damage") <= 15.0 / 32.0 * plain.mistakes * (1.0 + 1e-12));
            (seen.number("damage") - damage).abs() / damage.max(1.0)
        },
    );
}
