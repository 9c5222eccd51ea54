//! The second-order Perceptron: its forms agree, its bounds hold, its limits are met.

use onlinear::workshop::Random;
use onlinear::{Expected, Row, Rows, Spec};
use proptest::prelude::*;

use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, copy, dot, features, form_of, fresh, is_close, label, mistakes,
    noisy, norm, ready, run, run_ahead, spec, trace, weight_vector,
};

const MODES: [&str; 4] = ["mode=fixed", "mode=adaptive", "mode=adaptive,radius=5", "mode=pseudoinverse"];

fn in_form(settings: &str, form: &str) -> Spec {
    spec(&format!("second-order:{settings},form={form}"))
}

fn scaled(points: &[Point], factor: f64) -> Vec<Point> {
    points.iter().map(|point| point.scaled(factor)).collect()
}

/// By Sherman and Morrison a score with its own row in the matrix is smaller, and of the same sign.
#[test]
fn a_score_with_the_current_row_decides_as_one_without() {
    let points = noisy(77, 150, 6, 0.2);
    for settings in ["form=primal", "form=dual", "kernel=gaussian"] {
        let plain = run(ready(&spec(&format!("second-order:{settings}")), &points).as_mut(), &points, Storage::Sparse);
        let mut learner = ready(&spec(&format!("second-order:current=true,{settings}")), &points);
        let current = run(learner.as_mut(), &points, Storage::Sparse);
        let mut smaller = 0;
        for (a, b) in plain.iter().zip(&current) {
            assert!(a.step == b.step && a.score * b.score >= 0.0 && b.score.abs() <= a.score.abs(), "{settings}");
            smaller += usize::from(b.score.abs() < a.score.abs());
        }
        assert!(smaller > 100, "{settings}: {smaller}");
    }
    let refused = "second-order:current=true,mode=adaptive".parse::<onlinear::Spec>().unwrap_err().to_string();
    assert_eq!(refused, "second-order: current=true does not go with mode=adaptive; expected mode=fixed");
}

#[test]
fn primal_and_dual_give_the_same_scores() {
    for mode in MODES {
        for (seed, zeros, n) in [(1, 0.0, 12), (2, 0.5, 30), (3, 0.9, 60), (4, 0.97, 400), (5, 0.0, 80)] {
            let points = noisy(seed, 200, n, zeros);
            for storage in STORAGES {
                let [primal, dual] = ["primal", "dual"].map(|form| trace(&in_form(mode, form), &points, storage));
                assert_alike(&primal, &dual, &points, &format!("{mode}, {n} features, {storage:?}"));
            }
        }
    }
}

/// Rows of a span that are told from others by what is left of differences, however near the rows of it are to each
/// other.
#[test]
fn the_pseudoinverse_finds_the_same_span_in_either_form() {
    let sets = if std::env::var_os("ONLINEAR_LONG").is_some() { 1000 } else { 100 };
    let mut random = Random::new(17);
    for set in 0..sets {
        let (features, zeros) = (2 + random.index(60), [0.0, 0.3, 0.8][set % 3]);
        let points = noisy(1000 + set as u64, 4 * features, features, zeros);
        let mut dual = fresh(&in_form("mode=pseudoinverse", "dual"), features);
        let ours = run(dual.as_mut(), &points, Storage::Dense);
        let primal = trace(&in_form("mode=pseudoinverse", "primal"), &points, Storage::Dense);
        assert!(dual.leaves().support_len().unwrap() <= features, "set {set}: {features} features");
        for (t, (a, b)) in ours.iter().zip(&primal).enumerate() {
            assert!(is_close(a.score, b.score, 1e-6), "set {set}, trial {t}: {} and {}", a.score, b.score);
        }
        assert_eq!(mistakes(&ours, &points), mistakes(&primal, &points), "set {set}, {features} features");
    }
}

/// The kernel x·z in disguise.
#[test]
fn a_polynomial_of_degree_one_is_the_linear_kernel() {
    let points = noisy(6, 150, 20, 0.3);
    for mode in MODES {
        let kernel = in_form(&format!("{mode},kernel=polynomial,degree=1,offset=0"), "auto");
        assert_eq!(form_of(kernel.online().unwrap().as_ref()), "dual");
        assert_alike(
            &trace(&kernel, &points, Storage::Sparse),
            &trace(&in_form(mode, "primal"), &points, Storage::Sparse),
            &points,
            mode,
        );
    }
}

#[test]
fn with_a_huge_ridge_it_decides_as_the_perceptron() {
    for (seed, n, zeros) in [(7, 15, 0.0), (8, 40, 0.6)] {
        let points = noisy(seed, 400, n, zeros);
        let perceptron = mistakes(&trace(&spec("perceptron"), &points, Storage::Sparse), &points);
        for form in ["primal", "dual"] {
            let limit = trace(&in_form("ridge=1e12", form), &points, Storage::Sparse);
            assert_eq!(mistakes(&limit, &points), perceptron, "{form}");
        }
    }
    let points = noisy(9, 300, 5, 0.0);
    let kernel = "kernel=gaussian,sigma2=2";
    let perceptron = trace(&spec(&format!("perceptron:{kernel}")), &points, Storage::Dense);
    let limit = trace(&spec(&format!("second-order:ridge=1e12,{kernel}")), &points, Storage::Dense);
    assert_eq!(mistakes(&limit, &points), mistakes(&perceptron, &points));
}

/// One row, over and over: after m mistakes with labels that sum to σ everything is known.
#[test]
fn a_row_repeated_by_the_hundred() {
    let x = vec![0.5, -2.0, 0.0, 1.25];
    let q = dot(&x, &x);
    let mut random = Random::new(10);
    let points: Vec<Point> = (0..500).map(|_| Point::new(x.clone(), label(random.chance(0.5)))).collect();
    for mode in MODES {
        for form in ["primal", "dual"] {
            let (mut m, mut sum) = (0.0, 0.0);
            for (t, (round, point)) in
                trace(&in_form(mode, form), &points, Storage::Dense).iter().zip(&points).enumerate()
            {
                let expected = match mode {
                    "mode=fixed" => sum * q / (1.0 + m * q),
                    "mode=adaptive" => sum * q / (0.01 * q * (m + 1.0) + m * q).max(1e-300),
                    "mode=pseudoinverse" => sum / (m + 1.0),
                    _ => sum * q / (0.01 * 25.0 * (m + 1.0) + m * q),
                };
                // Where +1 and −1 have cancelled out, what is left of the sum is rounding.
                assert!(
                    (round.score - expected).abs() < 1e-12,
                    "{mode}, {form}, trial {t}: {} {expected}",
                    round.score
                );
                if round.is_mistake(point.y) {
                    m += 1.0;
                    sum += point.y.sign();
                }
            }
            assert!(m > 100.0, "{mode}");
        }
    }
}

#[test]
fn a_few_rows_repeated_by_the_hundred() {
    let few = noisy(11, 7, 5, 0.0);
    let mut random = Random::new(12);
    let points: Vec<Point> =
        (0..600).map(|_| Point::new(few[random.index(7)].dense.clone(), label(random.chance(0.4)))).collect();
    for mode in MODES {
        let [primal, dual] = ["primal", "dual"].map(|form| trace(&in_form(mode, form), &points, Storage::Dense));
        // Without a ridge, +1 and −1 at one row cancel out to a tie, which rounding then decides.
        if mode != "mode=pseudoinverse" {
            assert_alike(&primal, &dual, &points, mode);
        }
        assert!(primal.iter().chain(&dual).all(|round| round.score.abs() < 10.0), "{mode}");
    }
}

/// Rows times s with the ridge times s² have the same scores.
#[test]
fn rows_and_ridge_scaled_together_change_nothing() {
    let points = noisy(13, 200, 10, 0.2);
    for (mode, at) in [
        ("mode=fixed,ridge", 2),
        ("mode=adaptive,radius", 1),
        ("mode=adaptive,growth", 0),
        ("mode=pseudoinverse,ridge", 0),
    ] {
        for form in ["primal", "dual"] {
            let with = |factor: f64| in_form(&format!("{mode}={:e}", 0.5 * factor.powi(at)), form);
            let plain = trace(&with(1.0), &points, Storage::Sparse);
            for factor in [1e-6, 1e6] {
                let rounds = trace(&with(factor), &scaled(&points, factor), Storage::Sparse);
                assert_alike(&rounds, &plain, &points, &format!("{mode}, {form}, times {factor}"));
            }
        }
    }
}

/// Rows of all sizes under one ridge: an inverse kept in steps has fewer digits, but never loses its head.
#[test]
fn rows_of_all_sizes_keep_the_scores_in_bounds() {
    for factor in [1e-6, 1.0, 1e6] {
        let mut points = scaled(&noisy(14, 200, 6, 0.0), factor);
        points.extend(noisy(15, 100, 6, 0.0));
        for form in ["primal", "dual"] {
            let rounds = trace(&in_form("mode=fixed", form), &points, Storage::Dense);
            let wild = rounds.iter().position(|round| !round.score.is_finite() || round.score.abs() > 1e3);
            assert_eq!(wild, None, "{form}, times {factor}");
        }
    }
}

#[test]
fn a_state_taken_after_any_trial_goes_on_to_the_bit() {
    let points = noisy(16, 60, 6, 0.2);
    for mode in MODES {
        for rest in ["form=primal", "form=dual", "kernel=gaussian,sigma2=3"] {
            let spec = spec(&format!("second-order:{mode},{rest}"));
            let mut learner = spec.online().unwrap();
            let whole = bits(&run(learner.as_mut(), &points, Storage::Dense));
            let mut learner = spec.online().unwrap();
            for (t, point) in points.iter().enumerate() {
                learner = copy(&spec, learner.as_mut());
                assert_eq!(bits(&[learner.round(&point.example(Storage::Dense))])[0], whole[t], "{spec}, trial {t}");
            }
        }
    }
}

#[test]
fn look_ahead_changes_no_bit() {
    let points = noisy(17, 130, 9, 0.4);
    for mode in MODES {
        for rest in ["form=primal", "form=dual", "kernel=gaussian,sigma2=3", "kernel=polynomial,cosine=true"] {
            let spec = spec(&format!("second-order:{mode},{rest}"));
            let plain = bits(&run(spec.online().unwrap().as_mut(), &points, Storage::Sparse));
            for size in [1, 7, 16] {
                let mut learner = spec.online().unwrap();
                let rounds = run_ahead(learner.as_mut(), &points, Storage::Sparse, size);
                assert_eq!(bits(&rounds), plain, "{spec}, blocks of {size}");
                let mut rows = Rows::default();
                points[..16].iter().for_each(|point| rows.push_row(point.row(Storage::Sparse)));
                let mut together = Vec::new();
                learner.leaves().scores(&rows, &mut together);
                let alone: Vec<f64> =
                    points[..16].iter().map(|point| learner.leaves().score(point.row(Storage::Sparse))).collect();
                assert_eq!(together, alone, "{spec}");
            }
        }
    }
}

#[test]
fn the_form_is_decided_once_by_what_is_known() {
    let decide = |text: &str, features, rows, max_memory| {
        let mut learner = spec(text).online().unwrap();
        learner.prepare(&Expected { features, rows, max_memory }).map(|()| form_of(learner.as_ref()))
    };
    assert_eq!(decide("second-order", None, None, None), Ok("primal"));
    assert_eq!(decide("second-order", Some(100), Some(100), None), Ok("primal"));
    assert_eq!(decide("second-order", Some(101), Some(100), None), Ok("dual"));
    assert_eq!(decide("second-order", Some(1000), None, Some(6_000_000)), Ok("dual"));
    assert_eq!(decide("second-order", Some(1000), None, Some(9_000_000)), Ok("primal"));
    assert_eq!(decide("second-order:form=dual", Some(1), Some(100), None), Ok("dual"));
    assert_eq!(decide("second-order:kernel=gaussian", Some(1), Some(100), None), Ok("dual"));
    let refused = decide("second-order:form=primal", Some(1_000_000), None, Some(1 << 30)).unwrap_err().to_string();
    assert!(refused.contains("1000000 features") && refused.contains("form=dual"), "{refused}");
    for text in ["second-order:form=primal,kernel=gaussian", "second-order:form=primal,cosine=true"] {
        let error = text.parse::<Spec>().unwrap_err();
        assert!(
            error.is_usage() && error.to_string().starts_with("second-order: form=primal needs kernel=linear"),
            "{error}"
        );
    }

    let spec = spec("second-order");
    let mut learner = spec.online().unwrap();
    learner.prepare(&Expected { features: Some(9), rows: Some(3), max_memory: None }).unwrap();
    let mut resumed = copy(&spec, learner.as_mut());
    resumed.prepare(&Expected { features: Some(9), rows: Some(300), max_memory: None }).unwrap();
    assert_eq!(form_of(resumed.as_ref()), "dual");
    assert_eq!((resumed.leaves().support_len(), weight_vector(resumed.as_ref())), (Some(0), None));
}

#[test]
fn outside_of_the_span_the_pseudoinverse_scores_exactly_zero() {
    for form in ["primal", "dual"] {
        let mut learner = fresh(&in_form("mode=pseudoinverse", form), 4);
        for (x, y) in [([1.0, 2.0, 0.0, 0.0], true), ([0.0, 1.0, 1.0, 0.0], false)] {
            assert_eq!(learner.round(&Point::new(x.to_vec(), label(y)).example(Storage::Dense)).score, 0.0);
        }
        for outside in [[0.0, 0.0, 0.0, 3.0], [1.0, 2.0, 0.0, 1e-3], [5.0, 0.0, 0.0, 0.0]] {
            assert_eq!(learner.score(Row::Dense(&outside)), 0.0, "{form}");
        }
        // x₁ itself: vᵀ(SSᵀ)⁺x₁ = y₁ alone, and halved by its own presence in S.
        assert!(is_close(learner.score(Row::Dense(&[1.0, 2.0, 0.0])), 0.5, 1e-12), "{form}");
    }
}

/// Eigenvalues of a symmetric matrix, by Jacobi's rotations.
fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = theta.sin_cos();
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (head, tail) = a.split_at_mut(q);
                for (x, y) in head[p].iter_mut().zip(&mut tail[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    (0..n).map(|i| a[i][i]).collect()
}

/// Σ x xᵀ.
fn correlations(rows: &[Point], n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| rows.iter().map(|p| p.dense[i] * p.dense[j]).sum()).collect()).collect()
}

/// A unit vector, and rows of quarters so that dependent rows are so exactly.
fn anything() -> impl Strategy<Value = (Vec<f64>, Vec<Point>)> {
    let vector = |n: usize| prop::collection::vec((-4i32..=4).prop_map(|v| f64::from(v) / 4.0), n);
    (2usize..8)
        .prop_flat_map(move |n| {
            let point = (vector(n), any::<bool>()).prop_map(|(x, positive)| Point::new(x, label(positive)));
            (prop::collection::vec(-1.0..1.0f64, n), prop::collection::vec(point, 1..60), any::<bool>())
        })
        .prop_filter_map("no direction", |(u, points, separable)| {
            let length = norm(&u, 2.0);
            let u: Vec<f64> = u.iter().map(|v| v / length).collect();
            let relabel = |p: &Point| {
                if separable { Point::new(p.dense.clone(), label(dot(&u, &p.dense) > 0.0)) } else { p.clone() }
            };
            let points = points.iter().filter(|p| norm(&p.dense, 2.0) > 0.0).map(relabel).collect();
            (length > 1e-3).then_some((u, points))
        })
}

/// What the bounds are made of: the mistaken rows, D/γ and uᵀXXᵀu.
fn measured(spec: &Spec, u: &[f64], points: &[Point], gamma: f64, passes: usize) -> (Vec<Point>, f64, f64) {
    let all: Vec<Point> = (0..passes).flat_map(|_| points.iter().cloned()).collect();
    let rounds = run(fresh(spec, u.len()).as_mut(), &all, Storage::Dense);
    let flags = mistakes(&rounds, &all);
    let rows: Vec<Point> = all.into_iter().zip(flags).filter(|(_, mistake)| *mistake).map(|(point, _)| point).collect();
    let margin = |p: &Point| dot(u, &p.dense);
    let deviation: f64 = rows.iter().map(|p| (gamma - p.y.sign() * margin(p)).max(0.0)).sum();
    let spread = rows.iter().map(|p| margin(p).powi(2)).sum();
    (rows, deviation / gamma, spread)
}

const ROUNDING: f64 = 1.0 + 1e-9;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Theorem 3.1.
    #[test]
    fn the_bound_of_a_fixed_ridge(
        (u, points) in anything(),
        gamma in 0.01..2.0f64,
        ridge in 0.01..20.0f64,
        passes in 1usize..4,
        dual in any::<bool>(),
    ) {
        prop_assume!(!points.is_empty());
        let spec = in_form(&format!("ridge={ridge}"), if dual { "dual" } else { "primal" });
        let (rows, deviation, spread) = measured(&spec, &u, &points, gamma, passes);
        let volume: f64 = eigenvalues(correlations(&rows, u.len())).iter().map(|l| (l.max(0.0) / ridge).ln_1p()).sum();
        let bound = deviation + ((ridge + spread) * volume).sqrt() / gamma;
        prop_assert!(rows.len() as f64 <= bound * ROUNDING, "{} mistakes, bound {bound}", rows.len());
    }

    /// a_m = c R² m, with R given.
    #[test]
    fn the_bound_of_an_adaptive_ridge(
        (u, points) in anything(),
        gamma in 0.01..2.0f64,
        c in 0.01..2.0f64,
        passes in 1usize..4,
        dual in any::<bool>(),
    ) {
        prop_assume!(!points.is_empty());
        let radius = points.iter().map(|p| norm(&p.dense, 2.0)).fold(0.0, f64::max);
        let spec = in_form(&format!("mode=adaptive,growth={c},radius={radius}"), if dual { "dual" } else { "primal" });
        let (rows, deviation, spread) = measured(&spec, &u, &points, gamma, passes);
        let m = rows.len() as f64;
        let a = c * radius * radius * m;
        let b = ((m + 1.0 / c) / (1.0 + 1.0 / c)).ln() / c;
        let volume: f64 = eigenvalues(correlations(&rows, u.len())).iter().map(|l| (l.max(0.0) / a).ln_1p()).sum();
        let bound = deviation + ((a + spread) * (b + volume)).sqrt() / gamma;
        prop_assert!(m <= bound * ROUNDING, "{m} mistakes, bound {bound}");
    }

    #[test]
    fn the_bound_without_a_ridge(
        (u, points) in anything(),
        gamma in 0.01..2.0f64,
        passes in 1usize..4,
        dual in any::<bool>(),
    ) {
        prop_assume!(!points.is_empty());
        let spec = in_form("mode=pseudoinverse", if dual { "dual" } else { "primal" });
        let (rows, deviation, spread) = measured(&spec, &u, &points, gamma, passes);
        let m = rows.len() as f64;
        let radius = rows.iter().map(|p| norm(&p.dense, 2.0)).fold(0.0, f64::max);
        let (mut rank, mut least) = (0.0, f64::INFINITY);
        for k in 1..=rows.len() {
            let all = eigenvalues(correlations(&rows[..k], u.len()));
            let positive: Vec<f64> = all.into_iter().filter(|l| *l > 1e-9).collect();
            rank = positive.len() as f64;
            least = positive.into_iter().fold(least, f64::min);
        }
        let pairs = rank * (rank + 1.0);
        let volume = rank + 0.5 * pairs * (2.0 * radius * radius * m / (least * pairs)).ln_1p();
        let bound = deviation + (spread * volume).sqrt() / gamma;
        prop_assert!(m <= bound * ROUNDING, "{m} mistakes, bound {bound}");
    }
}

#[test]
fn kernels_of_every_kind_are_taken_in() {
    let points = noisy(18, 80, 4, 0.0);
    assert_eq!(features(&points), 4);
    for mode in MODES {
        for kernel in ["kernel=gaussian,gamma=0.1", "kernel=polynomial,degree=3", "kernel=linear,cosine=true"] {
            let spec = spec(&format!("second-order:{mode},{kernel}"));
            let mut learner = spec.online().unwrap();
            let rounds = run(learner.as_mut(), &points, Storage::Dense);
            assert!(rounds.iter().all(|round| round.score.is_finite()), "{spec}");
            assert!(
                learner.leaves().support_len().is_some_and(|support| support > 0)
                    && learner.leaves().weights().is_none(),
                "{spec}"
            );
        }
    }
}

/// With the current row in A scores are divided by 1 + xᵀA⁻¹x, which changes no decision: the weights are w.
#[test]
fn with_the_current_row_in_the_matrix_weights_still_decide() {
    let points = noisy(30, 80, 5, 0.0);
    let mut learner = ready(&spec("second-order:current=true,form=primal"), &points);
    run(learner.as_mut(), &points, Storage::Sparse);
    let w = weight_vector(learner.as_ref()).unwrap();
    for point in &points {
        let (score, product) = (learner.leaves().score(point.row(Storage::Dense)), dot(&w, &point.dense));
        assert!(score * product > 0.0 && score.abs() < product.abs(), "{score} and {product}");
    }
}
