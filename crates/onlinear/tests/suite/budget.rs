//! Learners with a bounded support set.

use onlinear::workshop::{Fact, Random};
use onlinear::{Learner, Step};

use crate::drift::solve;
use crate::support::{Storage, is_close, label, noisy, spec};

const KERNELS: [&str; 3] = ["kernel=gaussian,sigma2=2", "kernel=polynomial,degree=3", "kernel=linear"];

/// The kernel Perceptron in its dual form; a row met again is a new one.
fn perceptron(kernel: &str) -> Box<dyn Learner> {
    let dual = if kernel == "kernel=linear" { "kernel=polynomial,degree=1,offset=0" } else { kernel };
    spec(&format!("perceptron:{dual}")).online().unwrap()
}

#[test]
fn with_room_for_all_mistakes_each_is_the_kernel_perceptron() {
    let points = noisy(3, 300, 6, 0.1);
    for kernel in KERNELS {
        for name in ["forgetron", "rbp", "stoptron"] {
            let (mut bounded, mut free) =
                (spec(&format!("{name}:budget=300,{kernel}")).online().unwrap(), perceptron(kernel));
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
fn with_room_for_all_updates_bpa_is_the_kernel_pa1() {
    let points = noisy(3, 300, 6, 0.1);
    for kernel in &KERNELS[..2] {
        for (variant, c) in [("simple", 0.1), ("nearest", 1.0)] {
            let mut bounded = spec(&format!("bpa:budget=300,variant={variant},c={c},{kernel}")).online().unwrap();
            let mut free = spec(&format!("passive-aggressive:c={c},{kernel}")).online().unwrap();
            for point in &points {
                let example = point.example(Storage::Sparse);
                let (ours, theirs) = (bounded.round(&example), free.round(&example));
                assert_eq!((ours.score.to_bits(), ours.step), (theirs.score.to_bits(), theirs.step), "{kernel}");
            }
        }
    }
}

/// BPA with all kernel values at hand, each removal tried by solving for what projects best.
#[test]
fn bpa_removes_what_is_lost_least() {
    let points = noisy(9, 400, 3, 0.1);
    let kernel = |a: &[f64], b: &[f64]| (-a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 4.0).exp();
    for (variant, budget) in [("simple", 12), ("nearest", 12), ("nearest", 2), ("nearest", 1)] {
        let text = format!("bpa:budget={budget},c=0.5,variant={variant},kernel=gaussian,sigma2=2");
        let mut learner = spec(&text).online().unwrap();
        let mut held: Vec<(&[f64], f64)> = Vec::new();
        for (t, point) in points.iter().enumerate() {
            let (x, y) = (&point.dense[..], point.y.sign());
            let score: f64 = held.iter().map(|(z, alpha)| alpha * kernel(z, x)).sum();
            let round = learner.round(&point.example(Storage::Dense));
            assert!(is_close(round.score, score, 1e-9), "{text}, trial {t}: {} {score}", round.score);
            if y * score >= 1.0 {
                continue;
            }
            let tau = (1.0 - y * score).min(0.5);
            if held.len() < budget {
                held.push((x, y * tau));
                continue;
            }
            let removal = |r: usize| {
                let others = (0..budget).filter(|&n| n != r && variant == "nearest");
                let distance = |n: &usize| 2.0 - 2.0 * kernel(held[*n].0, held[r].0);
                let n = others.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                let heirs: Vec<&[f64]> = [x].into_iter().chain(n.map(|n| held[n].0)).collect();
                let gram = heirs.iter().map(|a| heirs.iter().map(|b| kernel(a, b)).collect()).collect();
                let column: Vec<f64> = heirs.iter().map(|a| kernel(a, held[r].0)).collect();
                let shares = solve(gram, column.clone());
                let lost = 1.0 - shares.iter().zip(&column).map(|(a, b)| a * b).sum::<f64>();
                (held[r].1.powi(2) * lost, r, n, shares)
            };
            let (_, r, n, shares) = (0..budget).map(removal).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            let alpha = held[r].1;
            if let Some(n) = n {
                held[n].1 += alpha * shares[1];
            }
            held[r] = (x, y * tau + alpha * shares[0]);
        }
    }
}

#[test]
fn the_support_set_never_exceeds_the_budget() {
    let points = noisy(4, 400, 5, 0.3);
    for name in ["forgetron", "rbp", "stoptron", "bpa"] {
        for budget in [1, 2, 7, 30] {
            for output in ["last", "longest"] {
                let text = format!("{name}:budget={budget},output={output},kernel=gaussian,sigma2=1");
                let mut learner = spec(&text).online().unwrap();
                for point in &points {
                    learner.round(&point.example(Storage::Dense));
                    assert!(learner.leaves().support_len().unwrap() <= budget, "{text}");
                    assert!(learner.leaves().score(point.row(Storage::Dense)).is_finite(), "{text}");
                }
                assert_eq!(learner.leaves().support_len(), Some(budget), "{text}");
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
        let mut learner = spec(&format!("forgetron:budget={budget},kernel=gaussian,sigma2=1")).online().unwrap();
        let mut held: Vec<(&[f64], f64, f64)> = Vec::new();
        let (mut mistakes, mut damage, mut least) = (0.0, 0.0, 1.0f64);
        for point in &points {
            let f =
                |held: &[(&[f64], f64, f64)], x: &[f64]| held.iter().map(|(z, y, s)| y * s * kernel(z, x)).sum::<f64>();
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
        let Fact::Number(min_phi) = learner.facts().further[0].1 else { panic!("a figure") };
        assert!((min_phi - least).abs() < 1e-9 && min_phi > 0.0 && min_phi <= 1.0, "{min_phi} {least}");
    }
}

#[test]
fn longest_is_the_hypothesis_that_survived_most_trials() {
    let points = noisy(6, 200, 4, 0.2);
    for name in ["forgetron", "rbp", "stoptron"] {
        let text = |output: &str| format!("{name}:budget=6,output={output},kernel=gaussian,sigma2=1");
        let (mut longest, mut last) = (spec(&text("longest")).online().unwrap(), spec(&text("last")).online().unwrap());
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
        assert!((longest.leaves().score(probe) - expected).abs() < 1e-12, "{name}");
    }
}

#[test]
fn averages_stay_within_the_support_set() {
    let points = noisy(8, 150, 4, 0.2);
    for name in
        ["stoptron:budget=9", "projectron:tolerance=0.5", "projectron++:norm-bound=3", "projectron:norm-bound=2"]
    {
        let mut averaged = spec(&format!("{name},output=averaged,kernel=gaussian,sigma2=1")).online().unwrap();
        let probe = points[3].row(Storage::Dense);
        let mut sum = 0.0;
        for point in &points {
            averaged.round(&point.example(Storage::Dense));
            sum += averaged.score(probe);
        }
        assert!((averaged.leaves().score(probe) - sum / 150.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn the_victims_of_rbp_follow_its_seed() {
    let points = noisy(9, 200, 4, 0.3);
    let mut learner = spec("rbp:budget=5,seed=3,kernel=gaussian,sigma2=1").online().unwrap();
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

/// K(x, z) of the specs below.
fn gaussian(x: &[f64], z: &[f64]) -> f64 {
    (-x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum::<f64>() / 2.0).exp()
}

#[test]
fn the_projectron_without_tolerance_is_the_kernel_perceptron() {
    let points = noisy(10, 250, 6, 0.1);
    for kernel in ["kernel=gaussian,sigma2=2", "kernel=polynomial,degree=9,cosine=true"] {
        let (mut projectron, mut free) =
            (spec(&format!("projectron:tolerance=0,{kernel}")).online().unwrap(), perceptron(kernel));
        for point in &points {
            let example = point.example(Storage::Dense);
            let (ours, theirs) = (projectron.round(&example).score, free.round(&example).score);
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{kernel}");
        }
        assert_eq!(projectron.leaves().support_len(), free.leaves().support_len());
    }
}

/// Where a row is projected, f″ is the point of the span nearest to f′: its residual is orthogonal to
/// every support vector.
#[test]
fn a_projection_is_the_nearest_point_of_the_span() {
    let points = noisy(11, 300, 3, 0.2);
    let mut learner = spec("projectron:tolerance=0.4,kernel=gaussian,sigma2=1").online().unwrap();
    let mut support: Vec<&[f64]> = Vec::new();
    let mut projections = 0;
    for point in &points {
        let before: Vec<f64> = support.iter().map(|z| learner.score(onlinear::Row::Dense(z))).collect();
        let held = learner.leaves().support_len().unwrap();
        let round = learner.round(&point.example(Storage::Dense));
        if round.step == Step::Stay {
            continue;
        }
        if learner.leaves().support_len().unwrap() > held {
            support.push(&point.dense);
            continue;
        }
        projections += 1;
        for (z, before) in support.iter().zip(before) {
            let wanted = before + point.y.sign() * gaussian(z, &point.dense);
            assert!((learner.score(onlinear::Row::Dense(z)) - wanted).abs() < 1e-9);
        }
    }
    assert!(projections > 20, "{projections}");
}

/// Rows repeated and nearly repeated by the thousand, and kernels of low rank, never make K singular.
#[test]
fn the_support_set_stops_at_the_dimension_of_the_feature_space() {
    let points = noisy(12, 60, 2, 0.3);
    let mut random = Random::new(12);
    for scale in [1e-6, 1.0, 1e6] {
        // (1 + x·z)² over two features spans six dimensions; x·z two.
        for (kernel, most) in [("kernel=polynomial,degree=2,offset=1", 6), ("kernel=linear", 2)] {
            for name in ["projectron:tolerance=0", "projectron++:tolerance=0", "projectron++:norm-bound=2"] {
                let mut learner = spec(&format!("{name},{kernel}")).online().unwrap();
                for _ in 0..40 {
                    for point in &points {
                        let x: Vec<f64> =
                            point.dense.iter().map(|v| scale * v * (1.0 + 1e-13 * random.symmetric())).collect();
                        let round = learner.round(&onlinear::Example::new(onlinear::Row::Dense(&x), point.y));
                        assert!(round.score.is_finite(), "{name},{kernel} at {scale}");
                    }
                }
                assert!(
                    learner.leaves().support_len().unwrap() <= most,
                    "{name},{kernel} at {scale}: {:?}",
                    learner.leaves().support_len()
                );
            }
        }
    }
}

/// A row as far from the span as the tolerance is projected, one a little farther is added, and the first is stored
/// however near to nothing it is.
#[test]
fn a_row_at_the_very_tolerance_is_projected() {
    let size_after = |text: &str, rows: &[[f64; 2]]| {
        let mut learner = spec(text).online().unwrap();
        // Each is a mistake: of no margin to those before it, or on their wrong side.
        for (x, y) in rows.iter().zip([true, false, true]) {
            let round = learner.round(&onlinear::Example::new(onlinear::Row::Dense(x), label(y)));
            assert_eq!(round.step, Step::Update, "{text}: {x:?}");
        }
        learner.leaves().support_len().unwrap()
    };
    // (1, ½) is ½ from the line through (1, 0).
    for (tolerance, expected) in [(0.5, 1), (0.499_999, 2), (0.500_001, 1), (0.0, 2)] {
        for name in ["projectron", "projectron++"] {
            assert_eq!(size_after(&format!("{name}:tolerance={tolerance}"), &[[1.0, 0.0], [1.0, 0.5]]), expected);
        }
    }
    // With U = 1, ℓ = 1 + f(x) = 2 and ‖Pk‖² = 1 it is projected up to η = (4 − 1 − ½)/2 = 1.25.
    for (distance, expected) in [(1.25, 1), (1.250_001, 2)] {
        assert_eq!(size_after("projectron:norm-bound=1", &[[1.0, 0.0], [1.0, distance]]), expected);
    }
    assert_eq!(size_after("projectron:tolerance=1", &[[0.125, 0.0]]), 1);
    assert_eq!(size_after("projectron:norm-bound=1e-3", &[[0.125, 0.0]]), 1);
    let mut learner = spec("projectron:tolerance=1").online().unwrap();
    let nothing = onlinear::Example::new(onlinear::Row::Dense(&[0.0, 0.0]), label(true));
    assert_eq!((learner.round(&nothing).step, learner.leaves().support_len()), (Step::Stay, Some(0)));
}

/// Every mistake is added or projected, every margin error of the Projectron++ projected or passed over.
#[test]
fn what_the_projectrons_count_adds_up() {
    let points = noisy(14, 300, 3, 0.2);
    for name in ["projectron:tolerance=0.4", "projectron++:tolerance=0.4", "projectron++:norm-bound=2"] {
        let mut learner = spec(&format!("{name},kernel=gaussian,sigma2=1")).online().unwrap();
        let (mut mistakes, mut margin_errors, mut updates) = (0.0, 0.0, 0.0);
        for point in &points {
            let round = learner.round(&point.example(Storage::Dense));
            let margin = point.y.sign() * round.score;
            mistakes += f64::from(margin <= 0.0);
            margin_errors += f64::from(margin > 0.0 && margin < 1.0);
            updates += f64::from(round.step == Step::Update);
        }
        let facts = learner.facts().further;
        let [added, projected, moved, passed_over] = ["added", "projected", "margin_updates", "skipped"].map(|name| {
            match facts.iter().find(|(fact, _)| *fact == name) {
                Some((_, Fact::Number(count))) => *count,
                other => panic!("{name}: {other:?}"),
            }
        });
        assert_eq!(learner.leaves().support_len(), Some(added as usize), "{name}");
        assert_eq!((added + projected, added + projected + moved), (mistakes, updates), "{name}");
        let of_margins = if name.starts_with("projectron++") { margin_errors } else { 0.0 };
        assert_eq!(moved + passed_over, of_margins, "{name}");
        assert!(projected > 0.0 && (of_margins == 0.0 || moved > 0.0 && passed_over > 0.0), "{name}: {facts:?}");
    }
}

#[test]
fn a_bounded_stream_has_a_finite_support_set() {
    let mut random = Random::new(13);
    let mut learner = spec("projectron:tolerance=0.5,kernel=gaussian,sigma2=1").online().unwrap();
    let mut sizes = Vec::new();
    for t in 1..=20_000 {
        let x = [random.symmetric(), random.symmetric()];
        let y = if random.chance(0.5) { onlinear::Label::Positive } else { onlinear::Label::Negative };
        learner.round(&onlinear::Example::new(onlinear::Row::Dense(&x), y));
        if t % 10_000 == 0 {
            sizes.push(learner.leaves().support_len().unwrap());
        }
    }
    assert!(sizes[1] < 15 && sizes[1] == sizes[0], "{sizes:?}");
}

/// The bounds of the paper for K(x,x) ≤ 1, with D₁ the hinge loss of g on the mistaken rows (Projectron++: on all
/// rows it moved on), for g a kernel Perceptron's hypothesis scaled to several norms.
#[test]
fn the_mistake_bounds_hold_on_generated_data() {
    type Bound = fn(f64, f64, f64) -> Option<f64>; // of ‖g‖, D₁ and U or η
    let corollary_1: Bound = |g, d, u| (g <= u).then_some(2.0 * (g * g + 2.0 * d));
    let theorem_2: Bound = |g, d, eta| (2.0 * eta * g < 1.0).then_some((g * g + 2.0 * d) / (1.0 - 2.0 * eta * g));
    let theorem_3: Bound =
        |g, d, eta| (eta * g < 1.0).then_some(((g + (g * g + 4.0 * d).sqrt()) / (2.0 * (1.0 - eta * g))).powi(2));
    let cases: [(&str, f64, Bound); 8] = [
        ("projectron:norm-bound", 1.0, corollary_1),
        ("projectron:norm-bound", 4.0, corollary_1),
        ("projectron++:norm-bound", 1.0, corollary_1),
        ("projectron++:norm-bound", 4.0, corollary_1),
        ("projectron:tolerance", 0.1, theorem_2),
        ("projectron:tolerance", 0.3, theorem_2),
        ("projectron:tolerance", 0.1, theorem_3),
        ("projectron:tolerance", 0.5, theorem_3),
    ];
    let mut tight = 0;
    for seed in 0..20 {
        let points = noisy(100 + seed, 200, 3, 0.15);
        let mut g = perceptron("kernel=gaussian,sigma2=1");
        points.iter().for_each(|point| _ = g.round(&point.example(Storage::Dense)));
        let norm = norm_of_perceptron(&points);
        for (name, parameter, bound) in cases {
            let mut learner = spec(&format!("{name}={parameter},kernel=gaussian,sigma2=1")).online().unwrap();
            let (mut mistakes, mut margins) = (0, Vec::new());
            for point in &points {
                let round = learner.round(&point.example(Storage::Dense));
                mistakes += u64::from(round.is_mistake(point.y));
                if round.step == Step::Update {
                    margins.push(point.y.sign() * g.score(point.row(Storage::Dense)) / norm);
                }
            }
            for length in [0.2, 0.5, 0.9, 1.5, 3.0] {
                let loss: f64 = margins.iter().map(|margin| (1.0 - length * margin).max(0.0)).sum();
                if let Some(most) = bound(length, loss, parameter) {
                    assert!(mistakes as f64 <= most + 1e-9, "{name}={parameter}, ‖g‖ = {length}: {mistakes} > {most}");
                    tight += u64::from((mistakes as f64) > most / 6.0);
                }
            }
        }
    }
    assert!(tight > 100, "the bounds were never near: {tight}");
}

/// ‖f‖ of the kernel Perceptron after one pass.
fn norm_of_perceptron(points: &[crate::support::Point]) -> f64 {
    let mut held: Vec<(&[f64], f64)> = Vec::new();
    for point in points {
        let score: f64 = held.iter().map(|(z, y)| y * gaussian(z, &point.dense)).sum();
        if point.y.sign() * score <= 0.0 {
            held.push((&point.dense, point.y.sign()));
        }
    }
    let square: f64 = held.iter().flat_map(|(a, y)| held.iter().map(move |(b, z)| y * z * gaussian(a, b))).sum();
    square.sqrt()
}
