//! Certificates: no bound is below the mistakes, each is what its own figures say, and what is said of new rows and of
//! rows left out holds where it can be tried.

use onlinear::workshop::{ChargedTrials, LeaveOneOut, MistakeBound, Random, Risk, RunRecord, Symmetric, is_charged};
use onlinear::{Certificate, Label, Learner, Row, Spec, Step};
use proptest::prelude::*;

use crate::support::{Point, Storage, dot, features, label, noisy, norm, ready, spec, weight_vector};

/// The self-check of some passes over the points, and the mistaken points in their order.
fn certified(spec: &Spec, points: &[Point], passes: usize) -> (MistakeBound, Vec<Point>) {
    let (run, mistaken) = observed(spec, points, passes);
    (certificate(&run).self_check, mistaken)
}

fn certificate(run: &RunRecord) -> Certificate {
    run.certificate(&mut || Ok(())).unwrap()
}

fn observed(spec: &Spec, points: &[Point], passes: usize) -> (RunRecord, Vec<Point>) {
    let mut learner = ready(spec, points);
    let (mut trials, mut rows, mut mistaken) = (ChargedTrials::default(), ChargedTrials::default(), Vec::new());
    let (mut last, mut updated) = (0, vec![false; points.len()]);
    for _ in 0..passes {
        last = 0;
        for (i, point) in points.iter().enumerate() {
            let round = learner.round(&point.example(Storage::Sparse));
            let (is_mistake, is_update) = (round.is_mistake(point.y), round.step != Step::Stay);
            updated[i] |= is_update;
            rows.add(i as u64, point.row(Storage::Sparse), point.y, false);
            if is_charged(spec, is_mistake, is_update) {
                trials.add(i as u64, point.row(Storage::Sparse), point.y, is_mistake);
            }
            if is_mistake {
                mistaken.push(point.clone());
                last += 1;
            }
        }
    }
    let mut correlations = Symmetric::default();
    correlations.grow(features(points), 0.0);
    points.iter().for_each(|point| correlations.add_row(point.row(Storage::Sparse)));
    let run = RunRecord {
        spec: spec.clone(),
        features: features(points),
        trials,
        rows,
        weights: weight_vector(learner.as_ref()),
        correlations: Some(correlations),
        gains: gains(learner.as_ref()),
        risk: Risk::of(points.len() as u64, mistaken.len() as u64, 0.95),
        leave_one_out: (last == 0).then(|| LeaveOneOut {
            updated: updated.iter().filter(|updated| **updated).count() as u64,
            rows: points.len() as u64,
        }),
    };
    (run, mistaken)
}

/// Σβ_t, where the learner tells it.
fn gains(learner: &dyn Learner) -> f64 {
    let facts = learner.facts().further;
    let gains = facts.into_iter().find(|(name, _)| *name == "gains");
    gains.map_or(0.0, |(_, gains)| gains.to_string().parse().unwrap())
}

fn unit(points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| point.scaled(1.0 / norm(&point.dense, 2.0).max(1e-300))).collect()
}

/// Points with a margin of at least 0.1 from a random plane through the origin.
fn separable(seed: u64, rows: usize, features: usize) -> Vec<Point> {
    let mut random = Random::new(seed);
    let u: Vec<f64> = (0..features).map(|_| random.gauss()).collect();
    let u: Vec<f64> = u.iter().map(|v| v / norm(&u, 2.0)).collect();
    let mut points = Vec::new();
    while points.len() < rows {
        let x: Vec<f64> = (0..features).map(|_| random.gauss()).collect();
        let margin = dot(&u, &x);
        if margin.abs() > 0.1 {
            points.push(Point::new(x, label(margin > 0.0)));
        }
    }
    points
}

/// D = Σ max(0, γ − y u·x) and R, plainly.
fn measured(certificate: &MistakeBound, mistaken: &[Point], p: f64) -> (f64, f64) {
    let (u, gamma) = (certificate.weights.as_ref().unwrap(), certificate.gamma.unwrap());
    let length = |x: &[f64]| if p.is_finite() { norm(x, p) } else { x.iter().fold(0f64, |a, v| a.max(v.abs())) };
    let deviation = mistaken.iter().map(|p| (gamma - p.y.sign() * dot(u, &p.dense)).max(0.0)).sum();
    (deviation, mistaken.iter().map(|p| length(&p.dense)).fold(0.0, f64::max))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-6)
}

const LEARNERS: [&str; 31] = [
    "perceptron",
    "perceptron:rate=0.3",
    "averaged",
    "voted",
    "perceptron:kernel=gaussian",
    "averaged:kernel=polynomial,degree=2",
    "voted:kernel=polynomial,cosine=true",
    "p-norm:p=3",
    "p-norm:p=2",
    "winnow:rate=0.01",
    "winnow:rate=0.01,balanced=false",
    "second-order",
    "second-order:ridge=0.1,kernel=gaussian",
    "second-order:mode=adaptive,radius=20",
    "second-order:mode=pseudoinverse",
    "second-order:mode=pseudoinverse,kernel=gaussian",
    "whitened",
    "projectron:tolerance=0.3,kernel=gaussian",
    "projectron:norm-bound=3,kernel=gaussian",
    "projectron++:norm-bound=3,kernel=gaussian",
    "forgetron:kernel=gaussian,budget=1000",
    "higher-order:kernel=gaussian",
    "passive-aggressive:variant=pa",
    "passive-aggressive:c=0.3",
    "passive-aggressive:variant=pa2,c=3",
    "passive-aggressive:kernel=gaussian",
    "romma",
    "romma:aggressive=true",
    "alma",
    "alma:alpha=0.5",
    "alma:p=4",
];

#[test]
fn the_search_can_be_ended() {
    let mut looks = 0;
    let mut tick = || {
        looks += 1;
        if looks < 5 { Ok(()) } else { Err(onlinear::Error::Interrupted) }
    };
    let ended = observed(&spec("perceptron"), &noisy(1, 60, 3, 0.2), 2).0.certificate(&mut tick);
    assert!(matches!(ended, Err(onlinear::Error::Interrupted)) && looks == 5);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    /// `certify` itself fails where there are more mistakes than its bound.
    #[test]
    fn mistakes_never_exceed_the_bound(
        which in 0..LEARNERS.len(),
        seed in 0u64..1000,
        rows in 1usize..70,
        width in 1usize..7,
        passes in 1usize..4,
        apart in any::<bool>(),
    ) {
        let points = if apart { separable(seed, rows, width) } else { noisy(seed, rows, width, 0.2) };
        let (run, mistaken) = observed(&spec(LEARNERS[which]), &points, passes);
        let certificate = certificate(&run);
        prop_assert_eq!(certificate.mistakes as usize, mistaken.len());
        for found in [&certificate.before, &certificate.self_check] {
            match found.bound {
                Some(bound) => prop_assert!(bound * (1.0 + 1e-9) >= mistaken.len() as f64 && found.reason.is_none()),
                None => prop_assert!(found.reason.is_some()),
            }
            if let Some(separable) = found.separable {
                prop_assert!(separable * (1.0 + 1e-9) >= mistaken.len() as f64);
            }
        }
    }

    #[test]
    fn the_perceptrons_figures_give_its_bound(seed in 0u64..1000, rows in 5usize..70, passes in 1usize..4) {
        let (certificate, mistaken) = certified(&spec("averaged"), &noisy(seed, rows, 4, 0.2), passes);
        let (d, r) = measured(&certificate, &mistaken, 2.0);
        let gamma = certificate.gamma.unwrap();
        prop_assert!(close(norm(certificate.weights.as_ref().unwrap(), 2.0), 1.0));
        prop_assert!(close(certificate.deviation.unwrap(), d) && close(certificate.radius.unwrap(), r));
        let (d, r) = (d / gamma, r / gamma);
        prop_assert!(close(certificate.bound.unwrap(), d + r * r / 2.0 + r * (d + r * r / 4.0).sqrt()));
    }

    #[test]
    fn the_figures_of_other_norms_give_their_bounds(seed in 0u64..1000, rows in 5usize..70, balanced in any::<bool>()) {
        let points = noisy(seed, rows, 5, 0.2);
        let (certificate, mistaken) = certified(&spec("p-norm:p=4"), &points, 2);
        let (d, r) = measured(&certificate, &mistaken, 4.0);
        let gamma = certificate.gamma.unwrap();
        prop_assert!(close(norm(certificate.weights.as_ref().unwrap(), 4.0 / 3.0), 1.0));
        let (d, r) = (d / gamma, 3f64.sqrt() * r / gamma);
        prop_assert!(close(certificate.bound.unwrap(), d + r * r / 2.0 + r * (d + r * r / 4.0).sqrt()));

        let rate = 0.02;
        let (certificate, mistaken) = certified(&spec(&format!("winnow:rate={rate},balanced={balanced}")), &points, 1);
        if let Some(bound) = certificate.bound {
            let v = certificate.weights.as_ref().unwrap();
            prop_assert!(close(norm(v, 1.0), 1.0) && (balanced || v.iter().all(|v| *v >= 0.0)));
            let (d, r) = measured(&certificate, &mistaken, f64::INFINITY);
            let n: f64 = if balanced { 10.0 } else { 5.0 };
            let gain = rate * certificate.gamma.unwrap() - rate * rate * r * r / 2.0;
            prop_assert!(close(bound, (n.ln() + rate * d) / gain));
        }
    }

    #[test]
    fn the_second_orders_figures_give_its_bound(seed in 0u64..1000, rows in 5usize..70, passes in 1usize..3) {
        let (certificate, mistaken) = certified(&spec("second-order:ridge=2"), &noisy(seed, rows, 4, 0.2), passes);
        let (d, _) = measured(&certificate, &mistaken, 2.0);
        let u = certificate.weights.as_ref().unwrap();
        let spread: f64 = mistaken.iter().map(|p| dot(u, &p.dense).powi(2)).sum();
        prop_assert!(close(certificate.spread.unwrap(), spread));
        let root = ((2.0 + spread) * certificate.eigenvalues.unwrap()).sqrt();
        prop_assert!(close(certificate.bound.unwrap(), (d + root) / certificate.gamma.unwrap()));
        // The eigenvalues' part by the dual form, whose matrix is another one.
        let dual = spec("second-order:ridge=2,kernel=polynomial,degree=1,offset=0");
        let (other, _) = certified(&dual, &noisy(seed, rows, 4, 0.2), passes);
        prop_assert!((other.eigenvalues.unwrap() - certificate.eigenvalues.unwrap()).abs() < 1e-6);
    }

    #[test]
    fn the_other_modes_figures_give_their_bounds(seed in 0u64..1000, rows in 5usize..70, growth in 0.1f64..4.0) {
        let points = unit(&noisy(seed, rows, 2, 0.0));
        let squares = |x: &[f64]| [x[0] * x[0], x[0] * x[1], x[1] * x[1]];
        let text = format!("second-order:mode=adaptive,growth={growth},radius=1.5");
        let (certificate, mistaken) = certified(&spec(&text), &points, 2);
        let steps = mistaken.len() as f64;
        let ridge = growth * 1.5 * 1.5 * steps;
        let sum = |points: &[Point]| [0, 1, 2].map(|k| points.iter().map(|p| squares(&p.dense)[k]).sum::<f64>());
        let [a, b, c] = sum(&mistaken);
        let volume = ((1.0 + a / ridge) * (1.0 + c / ridge) - b * b / ridge / ridge).ln();
        let grown = ((steps + 1.0 / growth) / (1.0 + 1.0 / growth)).ln() / growth;
        prop_assert!(close(certificate.eigenvalues.unwrap(), grown + volume), "{}", certificate);
        let root = ((ridge + certificate.spread.unwrap()) * certificate.eigenvalues.unwrap()).sqrt();
        let expected = (certificate.deviation.unwrap() + root) / certificate.gamma.unwrap();
        prop_assert!(close(certificate.bound.unwrap(), expected), "{}", certificate);

        // The second row has rank 2, since no two are parallel; a kernel that is x·z has the same eigenvalues.
        for form in ["kernel=linear", "kernel=polynomial,degree=1,offset=0"] {
            let spec = spec(&format!("second-order:mode=pseudoinverse,{form}"));
            let (certificate, mistaken) = certified(&spec, &points, 2);
            let (rank, least) = match &mistaken[..] {
                [_] => (1.0, 1.0),
                _ => {
                    let [a, b, c] = sum(&mistaken[..2]);
                    (2.0, (a + c - ((a - c) * (a - c) + 4.0 * b * b).sqrt()) / 2.0)
                }
            };
            let pairs = rank * (rank + 1.0);
            let volume = (1.0 + 2.0 * mistaken.len() as f64 / (least * pairs)).ln();
            let theirs = rank + 0.5 * pairs * volume;
            let Some(ours) = certificate.eigenvalues else {
                prop_assert!(form != "kernel=linear", "{}", certificate);
                continue; // lost in the rounding of a Gram matrix
            };
            // The least eigenvalue is a difference of larger numbers.
            let is_lost = least < 1e-4;
            prop_assert!(is_lost || (ours - theirs).abs() < 1e-6 * theirs, "{form}: {} {theirs}", certificate);
        }
    }

    #[test]
    fn the_projectrons_figures_give_its_bounds(seed in 0u64..1000, rows in 5usize..70, tolerance in 0.0f64..0.2) {
        for (text, is_unit) in [
            (format!("projectron:tolerance={tolerance}"), false),
            (format!("projectron:tolerance={tolerance}"), true),
            ("projectron:norm-bound=5".to_string(), true),
        ] {
            let points = noisy(seed, rows, 4, 0.2);
            let (certificate, _) = certified(&spec(&text), &if is_unit { unit(&points) } else { points }, 2);
            let Some(bound) = certificate.bound else { continue };
            let gamma = certificate.gamma.unwrap();
            let (g, r) = (certificate.norm.unwrap() / gamma, certificate.radius.unwrap());
            let d = certificate.deviation.unwrap() / gamma;
            let eta = tolerance.max(1e-5 * r); // nearer rows are projected in any case
            let over = |value: f64, room: f64| if room > 0.0 { value / room } else { f64::INFINITY };
            let second = over(g * g + 2.0 * d, 2.0 - r * r - 2.0 * eta * g);
            let third = over(r * g + (r * r * g * g + 4.0 * d).sqrt(), 2.0 * (1.0 - eta * g)).powi(2);
            let corollary = 2.0 * g * g + 4.0 * d;
            let expected = if text.contains("norm-bound") { corollary } else { second.min(third) };
            prop_assert!((bound - expected).abs() <= 1e-6 * expected, "{text}: {} {expected}", certificate);
        }
    }

    #[test]
    fn the_higher_orders_bound_holds_on_unit_rows(
        seed in 0u64..1000,
        rows in 5usize..70,
        passes in 1usize..3,
        which in 0usize..6,
    ) {
        let points = unit(&noisy(seed, rows, 4, 0.1));
        prop_assume!(points.iter().all(|point| point.dense.iter().any(|v| *v != 0.0)));
        let rule = [
            "c=0",
            "c=0.4",
            "c=0.6,sparse=true",
            "c=0.5,schedule=theorem",
            "c=0.9,schedule=theorem,sparse=true",
            "kernel=gaussian",
        ][which];
        let (certificate, _) = certified(&spec(&format!("higher-order:{rule}")), &points, passes);
        prop_assert!(certificate.bound.is_some(), "{:?}", certificate.reason);
        if which == 0 {
            let (perceptron, _) = certified(&spec("perceptron"), &points, passes);
            let bound = perceptron.bound.unwrap();
            prop_assert!((bound - certificate.bound.unwrap()).abs() < 1e-6 * bound);
        }
    }
}

/// The largest margin of a unit vector on the points, by a slow method of its own, which comes to it from below.
fn hard_margin(points: &[Point]) -> f64 {
    margin_range(points).0
}

/// What the largest margin of a unit vector on the points lies between: projected steps on the closest point of the
/// hull of y x to the origin (Gilbert). The point that they come to has that margin or less, and no margin is larger
/// than the length of any point of the hull.
fn margin_range(points: &[Point]) -> (f64, f64) {
    let signed: Vec<Vec<f64>> = points.iter().map(|p| p.dense.iter().map(|v| v * p.y.sign()).collect()).collect();
    let mut w = signed[0].clone();
    for _ in 0..20_000 {
        let lowest = signed.iter().min_by(|a, b| dot(&w, a).total_cmp(&dot(&w, b))).unwrap();
        let step: Vec<f64> = lowest.iter().zip(&w).map(|(a, w)| a - w).collect();
        let length = dot(&step, &step);
        if length == 0.0 {
            break;
        }
        let share = (-dot(&w, &step) / length).clamp(0.0, 1.0);
        w.iter_mut().zip(&step).for_each(|(w, s)| *w += share * s);
    }
    let length = norm(&w, 2.0);
    (signed.iter().map(|x| dot(&w, x)).fold(f64::INFINITY, f64::min) / length, length)
}

#[test]
fn separable_rows_are_certified_by_their_margin() {
    for seed in 0..20 {
        let points = separable(seed, 120, 2 + seed as usize % 6);
        let (run, mistaken) = observed(&spec("perceptron"), &points, 200);
        let Certificate { self_check: certificate, before, leave_one_out, .. } = certificate(&run);
        let radius = points.iter().map(|p| norm(&p.dense, 2.0)).fold(0.0, f64::max);
        let best = (radius / hard_margin(&points)).powi(2);
        let separable = certificate.separable.unwrap();
        assert!(
            certificate.bound.unwrap() <= 2.0 * best && separable <= 2.0 * best,
            "{seed}: {certificate} beside {best}"
        );
        assert!(separable >= mistaken.len() as f64 && certificate.bound.unwrap() <= separable * (1.0 + 1e-9));
        assert_eq!(leave_one_out, run.leave_one_out);
        // Over all rows it is the hard margin of all rows, nearly, and never more.
        let (margin, all) = (before.margin.unwrap(), before.separable.unwrap());
        let (least, most) = margin_range(&points);
        // The search ends within half a percent of the largest margin, and 1/0.995² is 1.0101.
        assert!((0.995 * least..most * (1.0 + 1e-9)).contains(&margin), "{seed}: {margin} in {least}..{most}");
        let (fewest, best) = ((radius / most).powi(2), (radius / least).powi(2));
        assert!((fewest * (1.0 - 1e-9)..1.011 * best).contains(&all), "{seed}: {all} in {fewest}..{best}");
        // On the mistaken rows alone it is the hard margin, nearly.
        let tight = (certificate.radius.unwrap() / hard_margin(&mistaken)).powi(2);
        assert!(separable <= 1.1 * tight, "{seed}: {separable} beside {tight}");
    }
}

#[test]
fn a_learner_without_a_bound_says_why() {
    let points = noisy(1, 60, 4, 0.2);
    for (text, reason) in [
        ("passive-aggressive:variant=pa", "no u was found that is right on all rows"),
        ("romma", "no u was found that is right on all rows"),
        ("alma", "no u was found that is right on all rows"),
        ("second-order:mode=adaptive", "mode=adaptive has a bound where radius is given, not with radius=auto"),
        ("second-order:mode=adaptive,radius=0.5", "longer than radius=0.5"),
        ("second-order:margin=0.5", "margin=0.5 also learns from rows that are right"),
        ("arow", "no mistake bound is stated for arow: its paper's, of matrix=full, could not be read"),
        ("scw", "no mistake bound is stated for scw"),
        ("bpa:budget=3", "no mistake bound is stated for bpa"),
        ("higher-order:p=3", "higher-order has a bound at p=2 only"),
        ("higher-order", "higher-order has a bound for rows of norm 1 only"),
        ("projectron:norm-bound=2", "the bound needs K(x,x) ≤ 1"),
        ("projectron++:kernel=gaussian", "projectron++ has a bound with norm-bound only"),
        ("projectron++:kernel=gaussian,norm-bound=2,rule=flat", "projectron++ has a bound with rule=printed only"),
        ("projectron:tolerance=100", "norm < 1/tolerance"),
        ("forgetron:budget=3", "the bound needs a budget of 83 at least"),
        ("rbp:budget=3", "rbp forgets rows beyond its budget"),
        ("stoptron:budget=3", "stoptron stops when its budget is spent"),
        ("winnow:rate=50", "never for rate ≥"),
    ] {
        let (certificate, _) = certified(&spec(text), &points, 1);
        assert_eq!(certificate.bound, None, "{text}");
        let said = certificate.reason.unwrap().to_string();
        assert!(said.contains(reason), "{text}: {said}");
    }
    let batch = certificate(&RunRecord { spec: spec("svm"), ..observed(&spec("perceptron"), &points, 1).0 }).before;
    assert_eq!((batch.bound, &*batch.reason.unwrap().to_string()), (None, "a batch learner makes no trials"));
    let zero = vec![Point::new(vec![0.0, 0.0], Label::Positive); 3];
    assert_eq!(certified(&spec("perceptron"), &zero, 1).0.reason.unwrap().to_string(), "every row that counts is zero");
}

#[test]
fn rows_of_zeros_among_others_are_charged() {
    let mut points = noisy(5, 40, 3, 0.2);
    (0..10).for_each(|i| points.insert(3 * i, Point::new(vec![0.0; 3], Label::Positive)));
    for text in
        ["perceptron", "averaged:kernel=polynomial,offset=0", "p-norm", "winnow:rate=0.01", "second-order", "whitened"]
    {
        assert!(certified(&spec(text), &points, 2).0.bound.unwrap() >= 20.0, "{text}");
    }
}

#[test]
fn more_mistakes_than_the_bound_are_an_error() {
    // Trials that no Perceptron could have had: the same row mistaken again and again.
    let mut trials = ChargedTrials::default();
    (0..50).for_each(|_| trials.add(0, Row::Dense(&[1.0, 2.0]), Label::Positive, true));
    let (run, _) = observed(&spec("perceptron"), &noisy(1, 20, 2, 0.2), 1);
    let run = RunRecord { trials: trials.clone(), rows: trials, weights: None, ..run };
    let error = run.certificate(&mut || Ok(())).unwrap_err();
    assert!(error.to_string().contains("50 mistakes are more than the bound 1"), "{error}");
}

/// What holds before a run holds for every order of its rows, and is what its figures say of all rows.
#[test]
fn the_bound_before_a_run_holds_for_every_order() {
    for seed in 0..12 {
        let mut points = noisy(seed, 60, 4, 0.15);
        let before = certificate(&observed(&spec("perceptron"), &points, 1).0).before;
        let (d, r) = measured(&before, &points, 2.0);
        let (bound, gamma) = (before.bound.unwrap(), before.gamma.unwrap());
        let (d, r) = (d / gamma, r / gamma);
        assert!(close(bound, d + r * r / 2.0 + r * (d + r * r / 4.0).sqrt()), "{seed}");
        let mut random = Random::new(seed);
        for _ in 0..100 {
            random.shuffle(&mut points);
            let (_, mistaken) = observed(&spec("perceptron"), &points, 1);
            assert!(mistaken.len() as f64 <= bound, "{seed}: {} > {bound}", mistaken.len());
        }
    }
}

#[test]
fn hindsight_is_what_its_comparator_does() {
    for seed in 0..12 {
        let points = noisy(seed, 80, 2, 0.2);
        let (run, _) = observed(&spec(["perceptron", "arow"][seed as usize % 2]), &points, 1);
        let found = certificate(&run).hindsight.unwrap();
        let v = found.weights.unwrap();
        let margins = |v: &[f64]| points.iter().map(|p| p.y.sign() * dot(v, &p.dense)).collect::<Vec<f64>>();
        let hinge = |v: &[f64]| margins(v).iter().map(|margin| (1.0 - margin).max(0.0)).sum::<f64>();
        assert_eq!(found.errors as usize, margins(&v).iter().filter(|margin| **margin <= 0.0).count());
        assert!(close(found.hinge, hinge(&v)), "{} {}", found.hinge, hinge(&v));
        for share in [0.3, 0.9, 1.1, 3.0] {
            let other: Vec<f64> = v.iter().map(|v| share * v).collect();
            assert!(hinge(&other) >= found.hinge * (1.0 - 1e-9), "{seed} {share}");
        }
        // The fewest errors of any direction, by brute force.
        let direction = |k: usize| (k as f64 * std::f64::consts::TAU / 720.0).sin_cos();
        let errors = |(a, b): (f64, f64)| margins(&[a, b]).iter().filter(|margin| **margin <= 0.0).count();
        let fewest = (0..720).map(|k| errors(direction(k))).min().unwrap();
        assert!(found.errors as usize <= fewest + 6, "{seed}: {} beside {fewest}", found.errors);
    }
}

/// Rows and labels whose risk is known: x normal in the plane, y the sign of its first component, flipped with
/// probability 0.1, so that a w at an angle of φ is wrong with probability 0.1 + 0.8 φ/π.
#[test]
fn the_risk_fails_as_seldom_as_it_says() {
    const TRIALS: u64 = 300;
    for text in ["perceptron", "passive-aggressive", "arow"] {
        let spec = spec(text);
        let (mut random, mut failures, mut plain) = (Random::new(77), [0; 2], 0);
        for _ in 0..334 {
            let mut learner = spec.online().unwrap();
            let (mut mistakes, mut risks) = (0, 0.0);
            for _ in 0..TRIALS {
                let x = vec![random.gauss(), random.gauss()];
                let point = Point::new(x.clone(), label((x[0] > 0.0) != random.chance(0.1)));
                let w = weight_vector(learner.as_ref()).filter(|w| norm(w, 2.0) > 0.0);
                let angle = |w: Vec<f64>| w.get(1).copied().unwrap_or(0.0).atan2(w[0]).abs();
                risks += w.map_or(1.0, |w| 0.1 + 0.8 * angle(w) / std::f64::consts::PI); // a score of 0 is a mistake
                mistakes += u64::from(learner.round(&point.example(Storage::Dense)).is_mistake(point.y));
            }
            let mean = risks / TRIALS as f64;
            for (failures, confidence) in failures.iter_mut().zip([0.95, 0.7]) {
                let bound = Risk::of(TRIALS, mistakes, confidence).bound.unwrap().0;
                *failures += u32::from(mean > bound);
                assert!(bound < 1.0);
            }
            plain += u32::from(mean > mistakes as f64 / TRIALS as f64);
        }
        assert!(failures[0] <= 17 && failures[1] <= 100, "{text}: {failures:?} of 334");
        assert!(plain > 100, "{text}: without a confidence it would fail in {plain} runs of 334");
    }
}

#[test]
fn risks_are_their_formulas() {
    let risk = |trials, mistakes| Risk::of(trials, mistakes, 0.95).bound.unwrap();
    let (a9a, form) = risk(32_561, 6_995);
    assert!((a9a - 0.2284).abs() < 5e-5 && form == "Hoeffding", "{a9a}");
    let (few, form) = risk(1_000_000, 10);
    let log = (13.0f64 / (0.01 * 0.05)).ln(); // a hundredth of δ is for this form
    assert!((few - (1e-5 + 36e-6 * log + 2.0 * (10.0 * log).sqrt() * 1e-6)).abs() < 1e-12 && form == "Bernstein");
    assert_eq!(risk(2, 2).0, 1.0);
    assert!(Risk::of(0, 0, 0.95).bound.is_err());
}

/// A Perceptron in file order until a pass has no mistake, each row left out in turn.
#[test]
fn leave_one_out_is_never_more_than_is_said() {
    let fitted = |points: &[Point]| {
        let mut learner = spec("perceptron").online().unwrap();
        for _ in 0..2000 {
            let round = |point: &Point| learner.round(&point.example(Storage::Dense)).is_mistake(point.y);
            if points.iter().map(round).filter(|is_mistake| *is_mistake).count() == 0 {
                break;
            }
        }
        learner
    };
    let mut said = 0;
    for seed in 0..20 {
        let points = separable(seed, 30, 3);
        let (run, _) = observed(&spec("perceptron"), &points, 2000);
        let left_out = certificate(&run).leave_one_out.unwrap();
        let is_wrong = |i: usize| {
            let others: Vec<Point> =
                points.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, p)| p.clone()).collect();
            points[i].y.sign() * fitted(&others).score(points[i].row(Storage::Dense)) <= 0.0
        };
        let errors = (0..points.len()).filter(|&i| is_wrong(i)).count() as u64;
        assert!(errors <= left_out.updated && left_out.rows == 30, "{seed}: {errors} > {}", left_out.updated);
        said += left_out.updated;
    }
    assert!(said < 20 * 15, "{said} says nothing");
}

#[test]
fn a_forgetron_that_forgets_has_a_bound() {
    let points = noisy(3, 500, 3, 0.1);
    let (run, mistaken) = observed(&spec("forgetron:budget=83,kernel=gaussian,sigma2=0.3"), &points, 1);
    assert!(mistaken.len() > 83);
    let certificate = certificate(&run);
    for found in [certificate.before, certificate.self_check] {
        assert!(found.bound.unwrap() >= mistaken.len() as f64 && found.theorem.unwrap().contains("with forgetting"));
        assert!(found.norm.unwrap() <= 0.25 * (84.0 / 84f64.ln()).sqrt() * (1.0 + 1e-9));
    }
}

#[test]
fn the_gains_of_a_projectron_lower_its_bound() {
    let points = noisy(4, 200, 3, 0.1);
    let (run, mistaken) = observed(&spec("projectron++:norm-bound=4,kernel=gaussian,sigma2=0.5"), &points, 1);
    let (with, without) = (certificate(&run), certificate(&RunRecord { gains: 0.0, ..run.clone() }));
    assert!(run.gains > 0.5, "{}", run.gains);
    let [with, without] = [with, without].map(|certificate| certificate.self_check.bound.unwrap());
    assert!(with >= mistaken.len() as f64 && close(with, without - 2.0 * run.gains), "{with} {without}");
}
