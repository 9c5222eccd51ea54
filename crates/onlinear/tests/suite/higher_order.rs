//! The Higher-order Perceptron: its forms against each other, against B itself, and against its bound.

use onlinear::{
    Expected, Keep, LabelChoice, Message, Passes, Plan, ReadOptions, Recipe, Round, Rows, Spec, Start, Step,
};
use proptest::prelude::*;

use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, copy, count, dot, features, form_of, fresh, is_close, label, link,
    memory, mistakes, noisy, norm, run, run_ahead, spec, stages, trace,
};

const RULES: [&str; 6] = [
    "deflation=0.4,schedule=harmonic,sparse=false",
    "deflation=0.9,schedule=harmonic,sparse=true",
    "deflation=0,schedule=harmonic,sparse=false",
    "deflation=0.3,schedule=theorem,sparse=false",
    "deflation=0.5,schedule=theorem,sparse=true",
    "deflation=1,schedule=theorem,sparse=false",
];

fn of_unit_length(points: &[Point], p: f64) -> Vec<Point> {
    let divide = |point: &Point| match norm(&point.dense, p) {
        0.0 => point.clone(),
        length => point.scaled(1.0 / length),
    };
    points.iter().map(divide).collect()
}

fn unit(seed: u64, rows: usize, features: usize, zeros: f64, p: f64) -> Vec<Point> {
    of_unit_length(&noisy(seed, rows, features, zeros), p)
}

/// Figure 1 with B written out.
struct Naive {
    p: f64,
    deflation: f64,
    theorem: bool,
    sparse: bool,
    b: Vec<Vec<f64>>,
    v: Vec<f64>,
    k: u64,
    matrix_updates: u64,
}

impl Naive {
    fn new(spec: &Spec, n: usize) -> Naive {
        Naive {
            p: spec.number("p"),
            deflation: spec.number("deflation"),
            theorem: spec.choice("schedule") == "theorem",
            sparse: spec.flag("sparse"),
            b: (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect(),
            v: vec![0.0; n],
            k: 0,
            matrix_updates: 0,
        }
    }

    /// B z.
    fn transformed(&self, z: &[f64]) -> Vec<f64> {
        self.b.iter().map(|row| dot(row, z)).collect()
    }

    fn round(&mut self, point: &Point) -> Round {
        let (x, y) = (&point.dense, point.y.sign());
        let score = dot(&link(&self.transformed(&self.v), self.p), &self.transformed(x));
        if y * score > 0.0 || x.iter().all(|&v| v == 0.0) {
            return Round { score, step: Step::Stay, asked: None };
        }
        self.k += 1;
        let g = link(x, self.p);
        let margin = dot(&self.v, &g);
        let rho = match (self.theorem, self.sparse && y * margin < 0.0) {
            (_, true) => 0.0,
            (true, _) => (1.0 - self.deflation) / (1.0 + margin.abs()),
            (false, _) => self.deflation / self.k as f64,
        };
        self.matrix_updates += u64::from(rho > 0.0);
        let bx = self.transformed(x);
        for (row, bx) in self.b.iter_mut().zip(&bx) {
            row.iter_mut().zip(&g).for_each(|(b, g)| *b -= rho * bx * g);
        }
        self.v.iter_mut().zip(x).for_each(|(v, x)| *v += y * x);
        Round { score, step: Step::Update, asked: None }
    }
}

fn compare_with_naive(text: &str, points: &[Point]) {
    let spec = spec(text);
    for storage in STORAGES {
        let mut naive = Naive::new(&spec, features(points));
        let expected: Vec<Round> = points.iter().map(|point| naive.round(point)).collect();
        let mut learner = fresh(&spec, features(points));
        let rounds = run(learner.as_mut(), points, storage);
        assert_alike(&rounds, &expected, points, &format!("{text}, {storage:?}"));
        assert_eq!(learner.facts().matrix_updates, Some(naive.matrix_updates), "{text}");
    }
}

#[test]
fn every_form_is_figure_1_at_p_2() {
    for (rule, seed) in RULES.iter().zip(1..) {
        for (form, name) in [("primal", "primal"), ("dual", "dual"), ("implicit", "implicit"), ("auto", "primal")] {
            let text = format!("higher-order:{rule},form={form}");
            for zeros in [0.0, 0.5, 0.95] {
                let points = unit(seed, 150, 40, zeros, 2.0);
                compare_with_naive(&text, &points);
                let twice: Vec<Point> = points.iter().chain(&points).cloned().collect();
                compare_with_naive(&text, &twice);
            }
            assert_eq!(form_of(fresh(&spec(&text), 5).as_ref()), name);
        }
    }
}

#[test]
fn the_implicit_form_is_figure_1_at_any_p() {
    for (rule, seed) in RULES.iter().zip(1..) {
        for p in [2.0, 3.0, 7.0] {
            for zeros in [0.0, 0.6] {
                compare_with_naive(&format!("higher-order:p={p},{rule}"), &unit(seed, 150, 15, zeros, p));
            }
        }
    }
}

/// Rows a little longer or shorter than 1, met twice in a row, or empty.
#[test]
fn scaled_duplicated_and_empty_rows_are_nothing_special() {
    for (rule, seed) in RULES.iter().zip(20..) {
        // Some plain rows first: a row and its opposite alone leave a score of 0, and rounding decides.
        let mut points = unit(seed + 100, 5, 12, 0.3, 2.0);
        for (i, point) in unit(seed, 80, 12, 0.3, 2.0).iter().enumerate() {
            let scaled = point.scaled([1.0, 0.8, 1.1][i % 3]);
            points.extend([scaled.clone(), scaled.flipped(), Point::new(vec![0.0; 12], point.y), scaled]);
        }
        for form in ["primal", "dual", "implicit"] {
            compare_with_naive(&format!("higher-order:{rule},form={form}"), &points);
        }
        compare_with_naive(&format!("higher-order:p=3,{rule}"), &points);
    }
}

#[test]
fn tiny_and_large_rows_with_no_deflation_are_the_perceptron() {
    for factor in [1e-60, 1e60] {
        let points: Vec<Point> = noisy(30, 100, 10, 0.2).iter().map(|point| point.scaled(factor)).collect();
        let expected = trace(&spec("perceptron"), &points, Storage::Sparse);
        for form in ["primal", "dual", "implicit"] {
            let rounds = trace(&spec(&format!("higher-order:c=0,form={form}")), &points, Storage::Sparse);
            assert_eq!(mistakes(&rounds, &points), mistakes(&expected, &points), "{form}");
        }
    }
}

#[test]
fn no_deflation_is_the_p_norm_perceptron() {
    for p in [2.0, 4.0, 7.0] {
        for rule in ["c=0", "c=0,sparse=true", "c=1,schedule=theorem"] {
            let points = unit(31, 200, 20, 0.3, p);
            let mut learner = fresh(&spec(&format!("higher-order:p={p},{rule}")), 20);
            let rounds = run(learner.as_mut(), &points, Storage::Sparse);
            assert_alike(&rounds, &trace(&spec(&format!("p-norm:p={p}")), &points, Storage::Sparse), &points, rule);
            assert_eq!(learner.facts().matrix_updates, Some(0));
        }
    }
}

/// With a kernel whose features can be written out, the dual form is the primal form on those features.
#[test]
fn a_kernel_is_the_primal_form_on_its_features() {
    let points = unit(32, 200, 4, 0.0, 2.0);
    let products = |point: &Point| {
        let x = &point.dense;
        let z: Vec<f64> = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).map(|(i, j)| x[i] * x[j]).collect();
        Point::new(z, point.y)
    };
    let mapped: Vec<Point> = points.iter().map(products).collect();
    for rule in RULES {
        let dual = spec(&format!("higher-order:{rule},kernel=polynomial,degree=2,offset=0"));
        let rounds = trace(&dual, &points, Storage::Sparse);
        let primal = spec(&format!("higher-order:{rule},form=primal"));
        assert_alike(&rounds, &trace(&primal, &mapped, Storage::Sparse), &points, rule);
    }
}

fn kernels() -> impl Iterator<Item = Spec> {
    let kernels =
        ["form=dual", "kernel=gaussian,sigma2=2", "kernel=polynomial,degree=3,cosine=true", "kernel=polynomial"];
    RULES.iter().flat_map(move |rule| kernels.map(|kernel| spec(&format!("higher-order:{rule},{kernel}"))))
}

#[test]
fn rows_known_ahead_change_no_bit() {
    let points = unit(33, 120, 9, 0.2, 2.0);
    for spec in kernels() {
        let expected = bits(&run(spec.online().unwrap().as_mut(), &points, Storage::Sparse));
        for block in [1, 7, 16] {
            let mut learner = spec.online().unwrap();
            assert!(learner.ahead().is_some() && learner.leaves().block() >= block);
            let rounds = run_ahead(learner.as_mut(), &points, Storage::Sparse, block);
            assert_eq!(bits(&rounds), expected, "{spec}, {block} rows ahead");
            let mut outputs = Vec::new();
            let mut rows = Rows::default();
            points[..block].iter().for_each(|point| rows.push_row(point.row(Storage::Sparse)));
            learner.leaves().scores(&rows, &mut outputs);
            for (output, point) in outputs.iter().zip(&points) {
                assert_eq!(output.to_bits(), learner.leaves().score(point.row(Storage::Sparse)).to_bits(), "{spec}");
            }
        }
    }
}

#[test]
fn a_learner_saved_on_the_way_goes_on_to_the_bit() {
    let forms = ["form=primal", "form=implicit", "p=3"].into_iter();
    let others =
        RULES.iter().flat_map(|rule| forms.clone().map(move |form| spec(&format!("higher-order:{form},{rule}"))));
    let points = unit(34, 100, 20, 0.2, 2.0);
    for spec in kernels().chain(others) {
        for storage in STORAGES {
            let whole = bits(&trace(&spec, &points, storage));
            for cut in [1, 17, 50, 99] {
                let mut learner = fresh(&spec, 20);
                let mut rounds = run(learner.as_mut(), &points[..cut], storage);
                let mut second = copy(&spec, learner.as_mut());
                assert_eq!(form_of(second.as_ref()), form_of(learner.as_ref()));
                let (copied, facts) = (second.facts(), learner.facts());
                assert_eq!((copied.warnings, copied.matrix_updates), (facts.warnings, facts.matrix_updates));
                rounds.extend(run(second.as_mut(), &points[cut..], storage));
                assert_eq!(bits(&rounds), whole, "{spec}, cut at {cut}");
            }
        }
    }
}

#[test]
fn the_form_is_chosen_once_and_kept() {
    let auto = spec("higher-order");
    let chosen = |features: Option<usize>, rows: Option<usize>, max_memory: Option<u64>| {
        let mut learner = auto.online().unwrap();
        learner.prepare(&Expected { features, rows, max_memory }).unwrap();
        let mut copied = copy(&auto, learner.as_mut());
        assert_eq!(form_of(learner.as_ref()), form_of(copied.as_ref()));
        run(copied.as_mut(), &unit(35, 20, 30, 0.2, 2.0), Storage::Sparse);
        let form = form_of(copied.as_ref());
        assert_eq!(copied.leaves().support_len().is_some(), form == "dual");
        assert_eq!(copied.leaves().weights().is_none(), form == "dual");
        form
    };
    assert_eq!(chosen(None, None, None), "primal");
    assert_eq!(chosen(Some(30), None, None), "primal");
    assert_eq!(chosen(Some(30), Some(30), Some(1 << 20)), "primal");
    assert_eq!(chosen(Some(30), Some(29), Some(1 << 20)), "implicit");
    assert_eq!(chosen(Some(1000), Some(5000), Some(1 << 22)), "implicit");
    assert_eq!(chosen(Some(4_000_000_000), None, Some(1 << 40)), "implicit");
    assert_eq!(chosen(Some(4_000_000_000), None, Some(1 << 36)), "dual");
    let fresh_form = |text: &str| form_of(spec(text).online().unwrap().as_ref());
    assert_eq!(fresh_form("higher-order:p=3"), "implicit");
    assert_eq!(fresh_form("higher-order:kernel=gaussian"), "dual");
    assert_eq!(fresh_form("higher-order:cosine=true"), "dual");
    // What a fixed form saved is not taken by another.
    let mut saved = onlinear::State::saving();
    spec("higher-order:form=dual").online().unwrap().state(&mut saved).unwrap();
    let tensors = saved.into_tensors();
    let mut state = onlinear::State::loading(tensors.clone());
    assert!(spec("higher-order:form=primal").online().unwrap().state(&mut state).is_err());
    // 0.1 chose the dual form where there were fewer rows than features.
    let mut learner = auto.online().unwrap();
    learner.state(&mut onlinear::State::loading(tensors)).unwrap();
    assert_eq!(form_of(learner.as_ref()), "dual");
}

#[test]
fn a_matrix_too_large_is_refused_before_it_is_made() {
    let mut learner = spec("higher-order:form=primal").online().unwrap();
    let expected = Expected { features: Some(1_000_000), rows: None, max_memory: Some(1 << 30) };
    let reason = learner.prepare(&expected).unwrap_err().to_string();
    assert!(reason.contains("form=primal") && reason.ends_with("use form=dual"), "{reason}");
    assert!(learner.memory(16_000) < 1 << 30 && learner.memory(16_384) > 1 << 30);
    let few = Expected { features: Some(500), rows: None, max_memory: Some(learner.memory(500)) };
    assert_eq!(learner.prepare(&few), Ok(()));
}

#[test]
fn parameters_that_do_not_go_together_are_refused() {
    for (text, message) in [
        ("deflation=1", "deflation=1 is out of range with schedule=harmonic; expected a number >= 0 and < 1"),
        ("c=0,schedule=theorem", "deflation=0 is out of range with schedule=theorem; expected a number > 0 and <= 1"),
        ("p=3,kernel=gaussian", "p=3 does not go with kernel=gaussian; expected p=2"),
        ("p=2.5,cosine=true", "p=2.5 does not go with cosine=true; expected p=2"),
        ("p=4,form=primal", "form=primal does not go with p=4; expected form=implicit or auto"),
        ("p=4,form=dual", "form=dual does not go with p=4; expected form=implicit or auto"),
        ("form=primal,kernel=gaussian", "form=primal does not go with kernel=gaussian; expected form=dual or auto"),
        (
            "form=implicit,kernel=polynomial",
            "form=implicit does not go with kernel=polynomial; expected form=dual or auto",
        ),
        ("form=primal,cosine=true", "form=primal does not go with cosine=true; expected form=dual or auto"),
    ] {
        let error = format!("higher-order:{text}").parse::<Spec>().unwrap_err();
        assert!(error.is_usage());
        assert_eq!(error.to_string(), format!("higher-order: {message}"));
    }
}

#[test]
fn rows_that_the_deflation_is_not_made_for_are_reported() {
    let points = [Point::new(vec![1.5, 2.0], label(true))];
    let warnings = |settings: &str, points: &[Point]| {
        let mut learner = spec(&format!("higher-order:{settings}")).online().unwrap();
        run(learner.as_mut(), points, Storage::Dense);
        learner.facts().warnings.iter().map(Message::to_string).collect::<Vec<_>>()
    };
    let text = |what: &str, advice: &str| {
        vec![format!("higher-order: {what} in a mistaken row, and the deflation is made for 1; use {advice}")]
    };
    for form in ["primal", "dual", "implicit"] {
        assert_eq!(warnings(&format!("form={form}"), &points), text("K(x,x) = 6.25", "rows of length 1"));
        assert!(warnings(&format!("form={form}"), &of_unit_length(&points, 2.0)).is_empty());
        assert!(warnings(&format!("c=0,form={form}"), &points).is_empty());
    }
    assert_eq!(warnings("kernel=polynomial", &points), text("K(x,x) = 52.5625", "cosine=true"));
    assert!(warnings("kernel=polynomial,cosine=true", &points).is_empty());
    assert!(warnings("kernel=gaussian", &points).is_empty());
    assert!(warnings("p=3", &points)[0].ends_with("; use rows of length 1 in the learner's own norm"));
    assert!(warnings("p=3", &of_unit_length(&points, 3.0)).is_empty());

    let learned = |list: &[&str]| {
        let plan = Plan {
            input: memory("+1 1:1.5 2:2\n-1 1:-1 2:-1\n".as_bytes()),
            read: ReadOptions::default(),
            labels: LabelChoice::default(),
            passes: Passes::Exactly(1),
            keep: Keep { limit: None, cache: false, max_memory: 1 << 30 },
            train_error: false,
            holdout: None,
        };
        let fresh = Recipe::of(spec("higher-order"), stages(list));
        onlinear::learn(plan, Start::Fresh(fresh), &mut ()).unwrap().warnings
    };
    assert!(learned(&[])[0].to_string().starts_with("test: higher-order: K(x,x) = 6.25 "));
    assert!(learned(&["l2"]).is_empty());
}

/// Long runs do not drift: what is kept by differences stays what it is by definition.
#[test]
fn the_forms_agree_after_thousands_of_mistakes() {
    let mut points = unit(36, 4000, 30, 0.0, 2.0);
    points.iter_mut().enumerate().filter(|(i, _)| i % 3 == 0).for_each(|(_, point)| *point = point.flipped());
    for rule in ["c=0.8", "c=0.2,schedule=theorem"] {
        let [primal, dual] = ["primal", "dual"].map(|form| {
            let mut learner = fresh(&spec(&format!("higher-order:{rule},form={form}")), 30);
            run(learner.as_mut(), &points, Storage::Dense)
        });
        assert!(count(&mistakes(&primal, &points)) > 1500);
        for (t, (a, b)) in primal.iter().zip(&dual).enumerate() {
            assert!(is_close(a.score, b.score, 1e-9), "{rule}, trial {t}: {} {}", a.score, b.score);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Theorem 1, for several u and γ at once.
    #[test]
    fn theorem_1(
        seed in any::<u64>(),
        n in 2usize..12,
        theorem in any::<bool>(),
        sparse in any::<bool>(),
        c in 0.05..0.95f64,
        gammas in prop::collection::vec(0.001..1.0f64, 4),
        passes in 1usize..4,
    ) {
        let once = unit(seed, 60, n, 0.2, 2.0);
        let points: Vec<Point> = (0..passes).flat_map(|_| once.clone()).collect();
        let schedule = if theorem { "theorem" } else { "harmonic" };
        let text = format!("higher-order:c={c},schedule={schedule},sparse={sparse}");
        let mut learner = fresh(&spec(&text), n);
        let mut naive = Naive::new(&spec(&text), n);
        let mut transformed = Vec::new();
        for point in points.iter().filter(|point| norm(&point.dense, 2.0) > 0.0) {
            let bx = naive.transformed(&point.dense);
            naive.round(point);
            if learner.round(&point.example(Storage::Dense)).is_mistake(point.y) {
                transformed.push(Point::new(bx, point.y));
            }
        }
        let m = transformed.len() as f64;
        let c = if theorem { c } else { 1.0 - c };
        let alpha = (2.0 - c) / c;
        let mean: Vec<f64> = (0..n).map(|i| once.iter().map(|p| p.y.sign() * p.dense[i]).sum()).collect();
        let axis = |axis: usize| (0..n).map(|i| if i == axis { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        for u in [mean, naive.v.clone(), naive.transformed(&naive.v), axis(0), axis(n - 1)] {
            let length = norm(&u, 2.0);
            if length < 1e-9 {
                continue;
            }
            for gamma in &gammas {
                let each = |p: &Point| (gamma - p.y.sign() * dot(&u, &p.dense) / length).max(0.0);
                let d = transformed.iter().map(each).sum::<f64>() / gamma;
                let bound = alpha * d + alpha * alpha / (2.0 * gamma * gamma)
                    + alpha / gamma * (alpha * d + alpha * alpha / (4.0 * gamma * gamma)).sqrt();
                prop_assert!(m <= bound * (1.0 + 1e-9), "{}: {} mistakes, bound {}", text, m, bound);
            }
        }
    }
}
