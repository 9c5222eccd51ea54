//! Learners with a bounded support set.

use onlinear::data::Random;
use onlinear::{Learner, Step};

use crate::support::{Storage, noisy, spec};

const KERNELS: [&str; 3] = ["kernel=gaussian,sigma2=2", "kernel=polynomial,degree=3", "kernel=linear"];

/// The kernel Perceptron in its dual form; a row met again is a new one.
fn perceptron(kernel: &str) -> Box<dyn Learner> {
    let dual = if kernel == "kernel=linear" { "kernel=polynomial,degree=1,offset=0" } else { kernel };
    spec(&format!("perceptron:{dual}")).learner()
}

#[test]
fn with_room_for_all_mistakes_each_is_the_kernel_perceptron() {
    let points = noisy(3, 300, 6, 0.1);
    for kernel in KERNELS {
        for name in ["forgetron", "rbp", "stoptron"] {
            let (mut bounded, mut free) = (spec(&format!("{name}:budget=300,{kernel}")).learner(), perceptron(kernel));
            for point in &points {
                let example = point.example(Storage::Sparse);
                let (ours, theirs) = (bounded.round(&example), free.round(&example));
                assert!((ours.score - theirs.score).abs() <= 1e-9 * theirs.score.abs().max(1.0), "{name},{kernel}");
                assert_eq!(ours.step, theirs.step, "{name},{kernel}");
            }
        }
    }
}

#[test]
fn the_support_set_never_exceeds_the_budget() {
    let points = noisy(4, 400, 5, 0.3);
    for name in ["forgetron", "rbp", "stoptron"] {
        for budget in [1, 2, 7, 30] {
            for output in ["last", "longest"] {
                let text = format!("{name}:budget={budget},output={output},kernel=gaussian,sigma2=1");
                let mut learner = spec(&text).learner();
                for point in &points {
                    learner.round(&point.example(Storage::Dense));
                    assert!(learner.support().unwrap() <= budget, "{text}");
                    assert!(learner.output(point.row(Storage::Dense)).is_finite(), "{text}");
                }
                assert_eq!(learner.support(), Some(budget), "{text}");
            }
        }
    }
}

/// A Forgetron written down straight from its definition: a list of vectors with y and σ.
#[test]
fn the_forgetron_follows_its_definition_and_keeps_its_promise() {
    let points = noisy(5, 500, 4, 0.3);
    let kernel = |a: &[f64], b: &[f64]| (-a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 2.0).exp();
    for budget in [1, 5, 20] {
        let mut learner = spec(&format!("forgetron:budget={budget},kernel=gaussian,sigma2=1")).learner();
        let mut held: Vec<(&[f64], f64, f64)> = Vec::new();
        let (mut mistakes, mut damage, mut least) = (0.0, 0.0, 1.0f64);
        for point in &points {
            let f = |held: &[(&[f64], f64, f64)], x: &[f64]| held.iter().map(|(z, y, s)| y * s * kernel(z, x)).sum::<f64>();
            let score = f(&held, &point.dense);
            let round = learner.round(&point.example(Storage::Dense));
            assert!((round.score - score).abs() <= 1e-9 * score.abs().max(1.0));
            let y = point.y.sign();
            if y * score > 0.0 {
                continue;
            }
            mistakes += 1.0;
            held.push((&point.dense, y, 1.0));
            if held.len() > budget {
                let (x_r, y_r, sigma) = held[0];
                let mu = y_r * f(&held, x_r);
                let psi = |phi: f64| (phi * sigma) * (phi * sigma) + 2.0 * phi * sigma - 2.0 * phi * sigma * phi * mu;
                let holds = |phi: f64| psi(phi) + damage <= 15.0 / 32.0 * mistakes;
                // The largest φ up to which the condition holds, by bisection from below.
                let phi = if holds(1.0) {
                    1.0
                } else {
                    let (mut low, mut high) = (0.0, 1.0);
                    for _ in 0..200 {
                        let middle = (low + high) / 2.0;
                        if holds(middle) { low = middle } else { high = middle }
                    }
                    low
                };
                damage += psi(phi);
                least = least.min(phi);
                held.iter_mut().for_each(|(_, _, s)| *s *= phi);
                held.remove(0);
            }
            assert!(damage <= 15.0 / 32.0 * mistakes + 1e-9);
        }
        let min_phi = learner.facts()[0].1;
        assert!((min_phi - least).abs() < 1e-9 && min_phi > 0.0 && min_phi <= 1.0, "{min_phi} {least}");
    }
}

#[test]
fn longest_is_the_hypothesis_that_survived_most_trials() {
    let points = noisy(6, 200, 4, 0.2);
    for name in ["forgetron", "rbp", "stoptron"] {
        let text = |output: &str| format!("{name}:budget=6,output={output},kernel=gaussian,sigma2=1");
        let (mut longest, mut last) = (spec(&text("longest")).learner(), spec(&text("last")).learner());
        let probe = points[7].row(Storage::Dense);
        let (mut best, mut survived, mut expected, mut current) = (0, 0, 0.0, 0.0);
        for point in &points {
            let example = point.example(Storage::Dense);
            longest.round(&example);
            if last.round(&example).step == Step::Update {
                if survived > best {
                    (best, expected) = (survived, current);
                }
                survived = 0;
            }
            survived += 1;
            current = last.score(probe);
        }
        let expected = if survived > best { current } else { expected };
        assert!((longest.output(probe) - expected).abs() < 1e-12, "{name}");
    }
}

#[test]
fn the_stoptron_averages_within_its_support_set() {
    let points = noisy(8, 150, 4, 0.2);
    let mut averaged = spec("stoptron:budget=9,output=averaged,kernel=gaussian,sigma2=1").learner();
    let probe = points[3].row(Storage::Dense);
    let mut sum = 0.0;
    for point in &points {
        averaged.round(&point.example(Storage::Dense));
        sum += averaged.score(probe);
    }
    assert!((averaged.output(probe) - sum / 150.0).abs() < 1e-12);
}

#[test]
fn the_victims_of_rbp_follow_its_seed() {
    let points = noisy(9, 200, 4, 0.3);
    let mut learner = spec("rbp:budget=5,seed=3,kernel=gaussian,sigma2=1").learner();
    let mut random = Random::new(3);
    let mut held: Vec<(usize, f64)> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let close = |j: usize| points[j].dense.iter().zip(&point.dense).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let score: f64 = held.iter().map(|&(j, y)| y * (-close(j) / 2.0).exp()).sum();
        let round = learner.round(&point.example(Storage::Sparse));
        assert!((round.score - score).abs() < 1e-9);
        let y = point.y.sign();
        match y * score <= 0.0 {
            true if held.len() < 5 => held.push((i, y)),
            true => held[random.index(5)] = (i, y),
            false => {}
        }
    }
}
