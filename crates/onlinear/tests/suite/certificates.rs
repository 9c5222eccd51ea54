//! Certificates: the bound is never below the mistakes, and is what its own figures say.

use onlinear::workshop::{ChargedTrials, Random, RunRecord, Symmetric, is_charged};
use onlinear::{Certificate, Label, Row, Spec, Step};
use proptest::prelude::*;

use crate::support::{Point, Storage, dot, features, label, noisy, norm, ready, spec, weight_vector};

/// The certificate of some passes over the points, and the mistaken points in their order.
fn certified(spec: &Spec, points: &[Point], passes: usize) -> (Certificate, Vec<Point>) {
    let (run, mistaken) = observed(spec, points, passes);
    (run.certificate(&mut || Ok(())).unwrap(), mistaken)
}

fn observed(spec: &Spec, points: &[Point], passes: usize) -> (RunRecord, Vec<Point>) {
    let mut learner = ready(spec, points);
    let (mut trials, mut mistaken) = (ChargedTrials::default(), Vec::new());
    let mut last = 0;
    for _ in 0..passes {
        last = 0;
        for (i, point) in points.iter().enumerate() {
            let round = learner.round(&point.example(Storage::Sparse));
            let (is_mistake, is_update) = (round.is_mistake(point.y), round.step != Step::Stay);
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
        weights: weight_vector(learner.as_ref()),
        correlations: Some(correlations),
        separated: (last == 0).then_some(points.len() as u64),
    };
    (run, mistaken)
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
fn measured(certificate: &Certificate, mistaken: &[Point], p: f64) -> (f64, f64) {
    let (u, gamma) = (certificate.weights.as_ref().unwrap(), certificate.gamma.unwrap());
    let length = |x: &[f64]| if p.is_finite() { norm(x, p) } else { x.iter().fold(0f64, |a, v| a.max(v.abs())) };
    let deviation = mistaken.iter().map(|p| (gamma - p.y.sign() * dot(u, &p.dense)).max(0.0)).sum();
    (deviation, mistaken.iter().map(|p| length(&p.dense)).fold(0.0, f64::max))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-6)
}

const LEARNERS: [&str; 22] = [
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
        let (certificate, mistaken) = certified(&spec(LEARNERS[which]), &points, passes);
        prop_assert_eq!(certificate.mistakes as usize, mistaken.len());
        match certificate.bound {
            Some(bound) => prop_assert!(bound * (1.0 + 1e-9) >= mistaken.len() as f64 && certificate.reason.is_none()),
            None => prop_assert!(certificate.reason.is_some()),
        }
        if let Some(separable) = certificate.separable {
            prop_assert!(separable * (1.0 + 1e-9) >= mistaken.len() as f64);
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

/// The largest margin of a unit vector on the points, by a slow method of its own: projected steps on the
/// closest point of the hull of y x to the origin (Gilbert).
fn hard_margin(points: &[Point]) -> f64 {
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
    signed.iter().map(|x| dot(&w, x)).fold(f64::INFINITY, f64::min) / norm(&w, 2.0)
}

#[test]
fn separable_rows_are_certified_by_their_margin() {
    for seed in 0..20 {
        let points = separable(seed, 120, 2 + seed as usize % 6);
        let (run, mistaken) = observed(&spec("perceptron"), &points, 200);
        let certificate = run.certificate(&mut || Ok(())).unwrap();
        let radius = points.iter().map(|p| norm(&p.dense, 2.0)).fold(0.0, f64::max);
        let best = (radius / hard_margin(&points)).powi(2);
        let separable = certificate.separable.unwrap();
        assert!(
            certificate.bound.unwrap() <= 2.0 * best && separable <= 2.0 * best,
            "{seed}: {certificate} beside {best}"
        );
        assert!(separable >= mistaken.len() as f64 && certificate.bound.unwrap() <= separable * (1.0 + 1e-9));
        assert_eq!(certificate.leave_one_out, run.separated.map(|rows| mistaken.len() as f64 / rows as f64));
        // On the mistaken rows alone it is the hard margin, nearly.
        let tight = (certificate.radius.unwrap() / hard_margin(&mistaken)).powi(2);
        assert!(separable <= 1.1 * tight, "{seed}: {separable} beside {tight}");
    }
}

#[test]
fn a_learner_without_a_bound_says_why() {
    let points = noisy(1, 60, 4, 0.2);
    for (text, reason) in [
        ("passive-aggressive", "no mistake bound is stated for passive-aggressive"),
        ("romma", "no mistake bound is stated for romma"),
        ("alma", "no mistake bound is stated for alma"),
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
        ("forgetron:budget=3", "forgetron has forgotten rows"),
        ("rbp:budget=3", "rbp has forgotten rows"),
        ("stoptron:budget=3", "stoptron has stopped"),
        ("winnow:rate=50", "never for rate ≥"),
    ] {
        let (certificate, _) = certified(&spec(text), &points, 1);
        assert_eq!(certificate.bound, None, "{text}");
        let said = certificate.reason.unwrap().to_string();
        assert!(said.contains(reason), "{text}: {said}");
    }
    let batch = RunRecord { spec: spec("svm"), ..observed(&spec("perceptron"), &points, 1).0 }
        .certificate(&mut || Ok(()))
        .unwrap();
    assert_eq!((batch.bound, &*batch.reason.unwrap().to_string()), (None, "a batch learner makes no trials"));
    let zero = vec![Point::new(vec![0.0, 0.0], Label::Positive); 3];
    assert_eq!(certified(&spec("perceptron"), &zero, 1).0.reason.unwrap().to_string(), "every mistaken row is zero");
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
    let run =
        RunRecord { spec: spec("perceptron"), features: 2, trials, weights: None, correlations: None, separated: None };
    let error = run.certificate(&mut || Ok(())).unwrap_err();
    assert!(error.to_string().contains("50 mistakes are more than the bound 1"), "{error}");
}
