//! Learners with a kernel: every way to the same number gives the same bits, and the numbers are
//! those of the formulas.

use std::ops::ControlFlow;

use onlinear::workshop::{Kind, Learns, Random};
use onlinear::{
    ALGORITHMS, Algorithm, Example, Input, Label, Learner, Model, Plan, Predictor, Recipe, Round, Row, Rows,
    ScoreScratch, Spec, Start, State, Step, Watch, learn, rounds,
};

use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, dot, form_of, integers, is_close, memory, mistakes, noisy,
    plus_and_minus, run, spec, trace,
};

const LEARNERS: [&str; 5] = [
    "perceptron:rate=0.5",
    "averaged",
    "voted",
    "passive-aggressive:variant=pa",
    "passive-aggressive:variant=pa1,c=0.1",
];

const KERNELS: [&str; 8] = [
    "kernel=linear",
    "kernel=linear,cosine=true",
    "kernel=polynomial,degree=1,offset=0",
    "kernel=polynomial,degree=2",
    "kernel=polynomial,degree=5,offset=0.5,cosine=true",
    "kernel=gaussian,sigma2=8",
    "kernel=gaussian,gamma=0.02,cosine=true",
    "kernel=polynomial,degree=3,offset=0",
];

fn with_kernel(learner: &str, kernel: &str) -> Spec {
    let colon = if learner.contains(':') { ',' } else { ':' };
    spec(&format!("{learner}{colon}{kernel}"))
}

fn all() -> impl Iterator<Item = Spec> {
    LEARNERS.iter().flat_map(|learner| KERNELS.map(|kernel| with_kernel(learner, kernel)))
}

/// Rows of many lengths, some without any component, some met twice under different labels.
fn points() -> Vec<Point> {
    let mut points = noisy(41, 90, 13, 0.6);
    for t in (10..90).step_by(9) {
        points[t] = Point::new(vec![0.0; t % 5], points[t].y);
        points[t - 1] = points[t - 7].flipped();
    }
    points
}

/// `passes` passes in which the learner is told of `block` rows at a time; of none if that is 0.
fn run_in_blocks(learner: &mut dyn Learner, points: &[Point], passes: usize, ids: bool, block: usize) -> Vec<Round> {
    let numbered = points.iter().zip(0..);
    let examples: Vec<Example<'_>> =
        numbered.map(|(point, id)| point.example(Storage::Sparse).at(ids.then_some(id))).collect();
    let mut all = Vec::new();
    for chunk in (0..passes).flat_map(|_| examples.chunks(block.max(1))) {
        if block == 0 {
            all.extend(chunk.iter().map(|example| learner.round(example)));
            continue;
        }
        _ = rounds(learner, chunk, |_, round| {
            all.push(round);
            ControlFlow::Continue(())
        });
    }
    all
}

fn tensors(learner: &mut dyn Predictor) -> impl PartialEq + use<> {
    let mut state = State::saving();
    learner.state(&mut state).unwrap();
    state.into_tensors()
}

/// Every learner that takes a kernel, with every kernel; small budgets, so that support vectors are thrown away.
fn every_kernel_learner() -> Vec<Spec> {
    let takers: Vec<&Algorithm> = ALGORITHMS
        .iter()
        .copied()
        .filter(|algorithm| algorithm.learns() == Learns::RowByRow && algorithm.parameter("kernel").is_some())
        .collect();
    let budgets = takers.iter().filter(|algorithm| algorithm.parameter("budget").is_some()).count();
    assert!(takers.len() >= 11 && budgets >= 3, "{} learners, {budgets} with a budget", takers.len());
    let mut specs = Vec::new();
    for algorithm in takers {
        let Kind::Choice(kernels) = algorithm.parameter("kernel").unwrap().kind else { panic!("{}", algorithm.name) };
        let budget: &[_] = if algorithm.parameter("budget").is_some() { &[("budget", "12")] } else { &[] };
        let with = |kernel| Spec::varied(algorithm.name, &[&[("kernel", kernel)], budget].concat());
        let before = specs.len();
        specs.extend(kernels.iter().filter_map(|kernel| with(kernel).ok()));
        assert!(specs.len() > before, "{} takes no kernel", algorithm.name);
    }
    specs
}

#[test]
fn any_look_ahead_gives_the_same_bits() {
    let points = points();
    for spec in all().chain(every_kernel_learner()) {
        for (passes, ids) in [(1, false), (3, true), (2, false)] {
            let mut one = spec.online().unwrap();
            let expected = bits(&run_in_blocks(one.as_mut(), &points, passes, ids, 0));
            let expected_state = tensors(one.as_mut());
            for block in [1, 2, 7, 16, points.len()] {
                let mut learner = spec.online().unwrap();
                let rounds = run_in_blocks(learner.as_mut(), &points, passes, ids, block);
                let what = format!("{spec}, {passes} passes, ids {ids}, blocks of {block}");
                assert!(bits(&rounds) == expected, "{what}: another trace");
                assert!(tensors(learner.as_mut()) == expected_state, "{what}: another state");
            }
        }
    }
}

/// Rows announced and then not met are forgotten: the next trial scores the row that it is given.
#[test]
fn a_block_that_ends_early_leaves_nothing_behind() {
    let points = points();
    let examples: Vec<Example<'_>> = points.iter().map(|point| point.example(Storage::Sparse)).collect();
    for spec in all().chain(every_kernel_learner()) {
        let expected = bits(&run(spec.online().unwrap().as_mut(), &points, Storage::Sparse));
        for met in [1, 5, 17, 40] {
            let (mut learner, mut all) = (spec.online().unwrap(), Vec::new());
            _ = rounds(learner.as_mut(), &examples, |_, round| {
                all.push(round);
                if all.len() == met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            all.extend(run(learner.as_mut(), &points[met..], Storage::Sparse));
            assert!(bits(&all) == expected, "{spec}: another trace after {met} trials");
        }
    }
}

/// Notes every trial of a run.
#[derive(Default)]
struct Notes(Vec<Round>);

impl Watch for Notes {
    fn trial(&mut self, _t: u64, _y: Label, round: &Round) -> onlinear::Result<()> {
        self.0.push(*round);
        Ok(())
    }
}

/// Counts how often it may look at the model.
#[derive(Default)]
struct Pauses(u64);

impl Watch for Pauses {
    fn pause(&mut self, _model: &Model) -> onlinear::Result<bool> {
        self.0 += 1;
        Ok(false)
    }
}

/// A pass over rows held can be watched, and so interrupted, with look-ahead and without.
#[test]
fn a_long_pass_has_pauses() {
    for text in ["perceptron", "perceptron:kernel=gaussian", "voted"] {
        let plan = plan(&noisy(49, 2500, 3, 0.0), 2);
        let fresh = Recipe::of(spec(text), Vec::new());
        let mut pauses = Pauses::default();
        learn(plan, Start::Fresh(fresh), &mut pauses).unwrap();
        assert!(pauses.0 >= 4, "{text}: {} pauses", pauses.0); // in each pass one on the way and one at its end
    }
}

fn plan(points: &[Point], passes: u64) -> Plan {
    crate::support::plan(libsvm(points), passes)
}

fn libsvm(points: &[Point]) -> Input {
    let mut text = String::new();
    for point in points {
        text.push_str(if point.y == Label::Positive { "+1" } else { "-1" });
        point.row(Storage::Sparse).for_each(|i, v| text.push_str(&format!(" {}:{v}", i + 1)));
        text.push('\n');
    }
    memory(text.into_bytes())
}

/// A whole run, whose batches the reader decides on, is the same as one row after another.
#[test]
fn whole_batches_give_the_same_bits() {
    let points = points();
    for spec in all() {
        for passes in [1, 3] {
            let fresh = Recipe::of(spec.clone(), Vec::new());
            let mut notes = Notes::default();
            let mut outcome = learn(plan(&points, passes), Start::Fresh(fresh), &mut notes).unwrap();
            let mut learner = spec.online().unwrap();
            let rounds = run_in_blocks(learner.as_mut(), &points, passes as usize, true, 0);
            assert!(bits(&notes.0) == bits(&rounds), "{spec}, {passes} passes: another trace");
            assert!(
                tensors(outcome.model.learner.alone().unwrap()) == tensors(learner.as_mut()),
                "{spec}: another state"
            );
        }
    }
}

#[test]
fn predictions_in_blocks_are_those_of_single_rows_to_the_bit() {
    let points = points();
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(point.row(Storage::Sparse)));
    for spec in all() {
        let mut model = Model::new(spec.clone(), plus_and_minus());
        model.features = 13;
        let outputs = |model: &Model| -> Vec<u64> {
            points.iter().map(|point| model.learner.score(point.row(Storage::Sparse)).to_bits()).collect()
        };
        for learned in [0, 40, points.len()] {
            points[..learned].iter().for_each(|point| {
                model.learner.alone().unwrap().round(&point.example(Storage::Sparse));
            });
            let one_by_one = outputs(&model);
            for first in [1, 5, 16, points.len()] {
                let mut part = rows.clone();
                part.truncate(first);
                let scores: Vec<u64> =
                    model.scores(&part, &mut ScoreScratch::default()).iter().map(|s| s.to_bits()).collect();
                assert_eq!(scores, one_by_one[..first], "{spec}");
            }
            let mut loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            loaded.features = 13;
            assert_eq!(outputs(&loaded), one_by_one, "{spec}: another model after loading");
        }
    }
}

/// K(x, z) from a Perceptron that has only x.
fn kernel_value(kernel: &str, x: Row<'_>, z: Row<'_>) -> f64 {
    let mut learner = with_kernel("perceptron", kernel).online().unwrap();
    learner.round(&Example::new(x, Label::Positive));
    learner.score(z)
}

#[test]
fn kernel_values_are_those_of_the_formulas() {
    let points = noisy(42, 40, 17, 0.4);
    for (x, z) in points.iter().zip(points.iter().skip(1)).chain(points.iter().zip(&points)) {
        let product = dot(&x.dense, &z.dense);
        let sizes: f64 = x.dense.iter().zip(&z.dense).map(|(a, b)| (a * b).abs()).sum();
        let distance: f64 = x.dense.iter().zip(&z.dense).map(|(a, b)| (a - b) * (a - b)).sum();
        let square = |p: &Point| dot(&p.dense, &p.dense);
        for (stored, asked) in STORAGES.iter().flat_map(|a| STORAGES.map(|b| (*a, b))) {
            let check = |kernel: &str, expected: f64, size: f64| {
                let value = kernel_value(kernel, x.row(stored), z.row(asked));
                assert!((value - expected).abs() <= 1e-14 * size, "{kernel}: {value} instead of {expected}");
            };
            check("kernel=linear", product, sizes.max(1.0));
            check("kernel=linear,cosine=true", product / (square(x) * square(z)).sqrt(), 1.0);
            for degree in [1, 2, 3, 7] {
                for offset in [0.0, 0.5, 1.0] {
                    let kernel = format!("kernel=polynomial,degree={degree},offset={offset}");
                    let raw = |product: f64| (product + offset).powi(degree);
                    check(&kernel, raw(product), raw(sizes) * f64::from(degree) + 1.0);
                    let cosine = raw(product) / (raw(square(x)) * raw(square(z))).sqrt();
                    check(&format!("{kernel},cosine=true"), cosine, 10.0);
                }
            }
            for sigma2 in [0.5, 10.0, 1000.0] {
                let value = (-distance / (2.0 * sigma2)).exp();
                let size = 1.0 + (square(x) + square(z)) / sigma2 * value;
                check(&format!("kernel=gaussian,sigma2={sigma2}"), value, size);
                check(&format!("kernel=gaussian,gamma={}", 0.5 / sigma2), value, size);
                check(&format!("kernel=gaussian,sigma2={sigma2},cosine=true"), value, size);
            }
        }
    }
}

#[test]
fn the_widest_and_the_narrowest_gaussian_are_ones_and_an_identity() {
    let (x, z) = (Row::Dense(&[1.0, 2.0]), Row::Dense(&[1.5, -3.0]));
    for wide in ["gamma=5e-324", "gamma=1e-320", "sigma2=1.7976931348623157e308"] {
        assert_eq!(kernel_value(&format!("kernel=gaussian,{wide}"), x, z), 1.0, "{wide}");
    }
    for narrow in ["sigma2=5e-324", "sigma2=1e-320", "gamma=1.7976931348623157e308"] {
        assert_eq!(kernel_value(&format!("kernel=gaussian,{narrow}"), x, z), 0.0, "{narrow}");
        assert_eq!(kernel_value(&format!("kernel=gaussian,{narrow}"), x, x), 1.0, "{narrow}");
        let spec = with_kernel("perceptron", &format!("kernel=gaussian,{narrow}"));
        assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
    }
}

/// Rows divided by their length.
fn unit(points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| point.scaled(1.0 / dot(&point.dense, &point.dense).sqrt())).collect()
}

#[test]
fn a_linear_kernel_by_any_other_name_is_the_linear_learner() {
    let (mut traces, mut outputs) = (0, 0);
    for (points, exact) in [(noisy(43, 300, 15, 0.3), false), (integers(44, 300, 15), true)] {
        for learner in LEARNERS {
            let primal = with_kernel(learner, "kernel=linear");
            let dual = with_kernel(learner, "kernel=polynomial,degree=1,offset=0");
            assert_eq!((form_of(&*primal.learner()), form_of(&*dual.learner())), ("primal", "dual"));
            for storage in STORAGES {
                let (mut a, mut b) = (primal.online().unwrap(), dual.online().unwrap());
                let (first, second) = (run(a.as_mut(), &points, storage), run(b.as_mut(), &points, storage));
                // Whole numbers make scores of exactly 0, which only sums without rounding find in either form.
                if exact && first.iter().any(|round| (2.0 * round.score).fract() != 0.0) {
                    continue;
                }
                traces += 1;
                assert_alike(&second, &first, &points, learner);
                assert_eq!((a.leaves().support_len(), b.leaves().support_len()), (None, Some(count_updates(&second))));
                for point in &points {
                    let (a, b) = (a.leaves().score(point.row(storage)), b.leaves().score(point.row(storage)));
                    // A vote jumps where rounding decides the sign of a score.
                    if exact || a.fract() != 0.0 {
                        assert!(is_close(b, a, 1e-9), "{learner}: outputs {a} and {b}");
                        outputs += 1;
                    }
                }
            }
        }
    }
    assert!(traces >= 16 && outputs >= 4000, "{traces} traces, {outputs} outputs");
}

#[test]
fn the_cosine_of_the_linear_kernel_is_the_linear_kernel_of_unit_rows() {
    let points = noisy(48, 300, 15, 0.3);
    for learner in LEARNERS {
        let cosine = trace(&with_kernel(learner, "kernel=linear,cosine=true"), &points, Storage::Sparse);
        let unit = unit(&points);
        assert_alike(&cosine, &trace(&with_kernel(learner, "kernel=linear"), &unit, Storage::Sparse), &unit, learner);
    }
}

fn count_updates(rounds: &[Round]) -> usize {
    rounds.iter().filter(|round| round.step == Step::Update).count()
}

/// Rows met again add to their coefficient if they have an id, and are new rows if not: the same hypothesis.
#[test]
fn duplicated_rows_make_the_same_hypothesis_with_ids_and_without() {
    let points = noisy(47, 70, 13, 0.3);
    let mut again = 0;
    for spec in all() {
        let (mut with, mut without) = (spec.online().unwrap(), spec.online().unwrap());
        let block = onlinear::Leaves::MOST_ROWS;
        let a = run_in_blocks(with.as_mut(), &points, 4, true, block);
        let b = run_in_blocks(without.as_mut(), &points, 4, false, block);
        let four: Vec<Point> = (0..4).flat_map(|_| points.iter().cloned()).collect();
        assert_alike(&a, &b, &four, &spec.to_string());
        if let (Some(few), Some(many)) = (with.leaves().support_len(), without.leaves().support_len()) {
            let mut met = vec![false; points.len()];
            a.iter()
                .enumerate()
                .filter(|(_, r)| r.step == Step::Update)
                .for_each(|(t, _)| met[t % points.len()] = true);
            assert_eq!((few, many), (met.iter().filter(|&&m| m).count(), count_updates(&b)), "{spec}");
            again += many - few;
        }
    }
    assert!(again > 100, "hardly a row was met again");
}

/// exp(−‖sx − sz‖²/(2 s²σ²)) does not depend on s.
#[test]
fn a_gaussian_scales_with_its_rows() {
    let points = noisy(45, 150, 12, 0.4);
    for learner in LEARNERS {
        let plain = trace(&with_kernel(learner, "kernel=gaussian,sigma2=3"), &points, Storage::Sparse);
        for s in [1e-6f64, 1e6, 1e-50, 1e50] {
            let scaled: Vec<Point> = points.iter().map(|point| point.scaled(s)).collect();
            let spec = with_kernel(learner, &format!("kernel=gaussian,sigma2={:e}", 3.0 * s * s));
            assert_alike(&trace(&spec, &scaled, Storage::Sparse), &plain, &scaled, &spec.to_string());
        }
    }
}

#[test]
fn a_polynomial_of_degree_two_learns_exclusive_or_and_a_line_does_not() {
    let mut random = Random::new(46);
    let draw = |random: &mut Random| loop {
        let (a, b) = (random.symmetric(), random.symmetric());
        if (a * b).abs() > 0.02 {
            return Point::new(vec![a, b], if a * b < 0.0 { Label::Positive } else { Label::Negative });
        }
    };
    let points: Vec<Point> = (0..200).map(|_| draw(&mut random)).collect();
    let mistakes_of_last_pass = |text: &str| {
        let mut learner = spec(text).online().unwrap();
        (0..300).map(|_| mistakes(&run(learner.as_mut(), &points, Storage::Dense), &points)).last().unwrap()
    };
    assert!(!mistakes_of_last_pass("perceptron:kernel=polynomial,degree=2,offset=1").contains(&true));
    assert!(mistakes_of_last_pass("perceptron").contains(&true));
}

/// Too large a number ends the trials; it never turns into a score that looks in order.
#[test]
fn numbers_beyond_range_are_never_silent() {
    let huge = Row::Dense(&[1e200]);
    for kernel in KERNELS {
        let spec = with_kernel("perceptron", kernel);
        let mut learner = spec.online().unwrap();
        let is_learned = learner.round(&Example::new(huge, Label::Positive)).step == Step::Update;
        assert!(!is_learned || !learner.score(huge).is_finite(), "{spec}: {}", learner.score(huge));
        assert_eq!(learner.round(&Example::new(huge, Label::Negative)).step, Step::Overflow, "{spec}");
    }
}
