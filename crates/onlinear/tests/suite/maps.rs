//! Maps: what they must become, what they grow by, and what is refused.

use std::fmt::Write;

use onlinear::workshop::{Scratch, StageChoices, Stages};
use onlinear::{
    Example, Keep, Label, Model, Plan, Recipe, Result, Round, Row, Rows, RunResult, ScoreScratch, Start, Watch, learn,
};

use crate::support::{Point, Storage, assert_alike, dot, fresh, is_close, memory, noisy, spec, stages};

const GAUSSIAN: &str = "kernel=gaussian,sigma2=2";

/// The trials of a learner on the rows of a map that grows by them.
fn mapped(text: &str, map: &str, points: &[Point], passes: usize) -> (Vec<Round>, Stages) {
    let (mut stages, mut scratch) = (Stages::new(&stages(&[map])), Scratch::default());
    let mut learner = fresh(&spec(text), stages.features_after(0));
    let trial = |t: usize| {
        let (i, point) = (t % points.len(), &points[t % points.len()]);
        let x = stages.meet(point.row(Storage::Sparse), u64::MAX, &mut scratch).unwrap();
        learner.round(&Example::new(x, point.y).at(Some(i as u64)))
    };
    let rounds = (0..passes * points.len()).map(trial).collect();
    (rounds, stages)
}

/// The trials of a learner on the rows as they are.
fn plain(text: &str, points: &[Point], passes: usize) -> Vec<Round> {
    let mut learner = spec(text).online().unwrap();
    let trial = |t: usize| {
        let i = t % points.len();
        learner.round(&points[i].example(Storage::Sparse).at(Some(i as u64)))
    };
    (0..passes * points.len()).map(trial).collect()
}

fn twice(points: &[Point]) -> Vec<Point> {
    [points, points].concat()
}

#[test]
fn with_every_row_a_landmark_a_learner_is_the_one_with_the_kernel() {
    let points = noisy(1, 60, 5, 0.2);
    for kernel in [GAUSSIAN, "kernel=polynomial,degree=3,offset=1", "kernel=gaussian,gamma=0.3,cosine=true"] {
        for learner in
            ["perceptron:", "passive-aggressive:variant=pa2,", "second-order:ridge=0.5,", "arow:matrix=full,"]
        {
            if kernel.contains("polynomial") && learner.starts_with("arow") {
                continue; // its scores are sensitive
            }
            let (ours, grown) =
                mapped(learner.trim_end_matches([':', ',']), &format!("nystrom:landmarks=70,{kernel}"), &points, 2);
            let what = format!("{learner}{kernel}");
            // A polynomial of degree 3 in 5 features has 56 terms.
            assert_eq!(grown.landmarks(), Some(if kernel.contains("polynomial") { 56 } else { 60 }), "{what}");
            assert_alike(&ours, &plain(&what, &points, 2), &twice(&points), &what);
        }
    }
}

#[test]
fn the_map_of_the_linear_kernel_shows_in_no_learner_that_minds_no_rotation() {
    let points = noisy(2, 80, 7, 0.1);
    for learner in
        ["perceptron", "averaged", "passive-aggressive", "second-order", "arow:matrix=full", "scw:matrix=full"]
    {
        let (ours, grown) = mapped(learner, "nystrom", &points, 2);
        assert_eq!(grown.landmarks(), Some(7), "{learner}");
        assert_alike(&ours, &plain(learner, &points, 2), &twice(&points), learner);
    }
}

/// K⁻¹ b by elimination.
fn solved(mut k: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        for j in i + 1..n {
            let factor = k[j][i] / k[i][i];
            (i..n).for_each(|c| k[j][c] -= factor * k[i][c]);
            b[j] -= factor * b[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| k[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / k[i][i];
    }
    b
}

#[test]
fn inner_products_are_those_of_the_nystroem_approximation() {
    let (points, others) = (noisy(3, 12, 4, 0.0), noisy(4, 6, 4, 0.0));
    let mut stages = Stages::new(&stages(&[&format!("nystrom:landmarks=12,{GAUSSIAN}")]));
    for point in &points {
        stages.meet(Row::Dense(&point.dense), u64::MAX, &mut Scratch::default()).unwrap();
    }
    let value = |a: &Point, b: &Point| {
        let distance: f64 = a.dense.iter().zip(&b.dense).map(|(a, b)| (a - b) * (a - b)).sum();
        (-distance / 4.0).exp()
    };
    let gram: Vec<Vec<f64>> = points.iter().map(|a| points.iter().map(|b| value(a, b)).collect()).collect();
    let image = |x: &Point| stages.apply(Row::Dense(&x.dense), &mut Scratch::default()).values().to_vec();
    for (a, b) in others.iter().zip(others.iter().skip(1)) {
        let column = |x: &Point| points.iter().map(|point| value(point, x)).collect::<Vec<f64>>();
        let expected = dot(&column(a), &solved(gram.clone(), column(b)));
        assert!(is_close(dot(&image(a), &image(b)), expected, 1e-10));
    }
}

#[test]
fn waves_have_length_one_and_come_near_the_kernel_whatever_the_order_of_features() {
    let map =
        |dimension: u32, seed: u32| Stages::new(&stages(&[&format!("fourier:dimension={dimension},seed={seed}")]));
    let image = |stages: &Stages, x: Row<'_>| stages.apply(x, &mut Scratch::default()).values().to_vec();
    let (stages, points) = (map(20_000, 1), noisy(5, 8, 3, 0.0));
    for (a, b) in points.iter().zip(points.iter().skip(1)) {
        let (z, other) = (image(&stages, Row::Dense(&a.dense)), image(&stages, Row::Dense(&b.dense)));
        let distance: f64 = a.dense.iter().zip(&b.dense).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!(is_close(dot(&z, &z), 1.0, 1e-12));
        assert!((dot(&z, &other) - (-distance / 2.0).exp()).abs() < 0.03);
    }
    let (first, second) = (map(10, 7), map(10, 7));
    image(&first, Row::Sparse { indices: &[3], values: &[1.0] });
    let x = Row::Sparse { indices: &[0, 3], values: &[0.5, -2.0] };
    assert_eq!(image(&first, x), image(&second, x));
    assert_ne!(image(&map(10, 8), x), image(&second, x));
    // A row of zeros is an ordinary row, and zeros are as good as nothing.
    let empty = image(&second, Row::Dense(&[]));
    assert_eq!(empty, image(&second, Row::Dense(&[0.0, 0.0])));
    assert_eq!(empty, [[1.0 / 5f64.sqrt(); 5], [0.0; 5]].concat());
}

/// Points in the given number of classes, as a file.
fn text(points: &[Point], classes: usize) -> String {
    let mut text = String::new();
    for (i, point) in points.iter().enumerate() {
        let class = if classes == 2 { usize::from(point.y == Label::Positive) } else { i * i % 7 % classes };
        write!(text, "{}", class + 1).unwrap();
        point.row(Storage::Sparse).for_each(|i, v| write!(text, " {}:{v}", i + 1).unwrap());
        text.push('\n');
    }
    text
}

fn plan(text: String, passes: u64, max_memory: u64) -> Plan {
    let plan = crate::support::plan(memory(text.into_bytes()), passes);
    Plan { keep: Keep { max_memory, ..plan.keep }, ..plan }
}

fn run(text: String, passes: u64, learner: &str, list: &[&str]) -> Result<RunResult> {
    let recipe = Recipe::of(spec(learner), stages(list));
    learn(plan(text, passes, 1 << 24), Start::Fresh(recipe), &mut ())
}

const MAPS: [&str; 2] = ["nystrom:landmarks=50,kernel=gaussian", "fourier:dimension=30"];

#[test]
fn a_run_that_goes_on_is_one_long_run_to_the_bit() {
    let points = noisy(6, 90, 6, 0.0);
    for (map, classes) in MAPS.into_iter().flat_map(|map| [(map, 2), (map, 3)]) {
        for learner in ["arow", "winnow", "winnow:balanced=false", "perceptron:kernel=polynomial", "averaged"] {
            let model = |text: &str, start: Option<Model>| {
                let recipe = || Recipe::of(spec(learner), stages(&["l2", map, "bias"]));
                let start = start.map_or_else(|| Start::Fresh(recipe()), |model| Start::Resume(model.into()));
                learn(plan(text.to_string(), 1, 1 << 24), start, &mut ()).unwrap().model
            };
            let all = text(&points, classes);
            let lines: Vec<&str> = all.split_inclusive('\n').collect();
            let (whole, mut half) = (model(&all, None), model(&lines[..31].concat(), None));
            let half = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
            assert_eq!(half.stages.landmarks(), map.starts_with("nystrom").then_some(31));
            let mut rest = model(&lines[31..].concat(), Some(half));
            assert_eq!(rest.stages.landmarks(), map.starts_with("nystrom").then_some(50));
            let mut whole = whole;
            assert!(whole.to_bytes().unwrap() == rest.to_bytes().unwrap(), "{learner} on {map}, {classes} classes");
        }
    }
}

fn scores(model: &Model, points: &[Point]) -> Vec<f64> {
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(Row::Dense(&point.dense)));
    model.scores(&rows, &mut ScoreScratch::default())
}

#[test]
fn one_map_serves_all_classes_and_rows_that_are_scored_leave_it_alone() {
    let (points, others) = (noisy(7, 70, 4, 0.0), noisy(8, 30, 4, 0.0));
    let model = run(text(&points, 3), 2, "averaged", &["nystrom:landmarks=20,kernel=gaussian"]).unwrap().model;
    let all = scores(&model, &others);
    assert_eq!(model.stages.landmarks(), Some(20));
    assert_eq!(all, scores(&model, &others));
    for class in 0..3 {
        let mut plan = plan(text(&points, 3), 2, 1 << 24);
        plan.labels.positive = Some((class + 1).to_string());
        let map = model.stages.specs().next().unwrap().to_string();
        let recipe = Recipe::of(spec("averaged"), stages(&[&map]));
        let alone = learn(plan, Start::Fresh(recipe), &mut ()).unwrap().model;
        let of_class: Vec<f64> = all.iter().skip(class).step_by(3).copied().collect();
        assert_eq!(of_class, scores(&alone, &others), "class {class}");
    }
}

#[test]
fn learners_that_need_all_rows_first_see_them_by_the_whole_map() {
    let points = noisy(9, 60, 4, 0.0);
    let map = "nystrom:landmarks=25,kernel=gaussian,sigma2=3";
    let mut grown = Stages::new(&stages(&[map]));
    for point in &points {
        grown.meet(Row::Dense(&point.dense), u64::MAX, &mut Scratch::default()).unwrap();
    }
    let by_hand: Vec<Point> = points
        .iter()
        .map(|point| Point::of(grown.apply(Row::Dense(&point.dense), &mut Scratch::default()), 25, point.y))
        .collect();
    for (learner, list, bare) in [("fld", &[map, "bias"][..], &["bias"][..]), ("whitened", &[map], &[])] {
        let ours = run(text(&points, 2), 1, learner, list).unwrap().model;
        assert_eq!(ours.stages.landmarks(), Some(25));
        let theirs = run(text(&by_hand, 2), 1, learner, bare).unwrap().model;
        assert_eq!(ours.counts, theirs.counts, "{learner}");
        assert_eq!(scores(&ours, &points), scores(&theirs, &by_hand), "{learner}");
    }
}

#[test]
fn a_row_that_depends_on_landmarks_or_is_nothing_becomes_none() {
    let mut stages = Stages::new(&stages(&["nystrom:landmarks=3"]));
    let mut meet = |x: &[f64]| stages.meet(Row::Dense(x), u64::MAX, &mut Scratch::default()).unwrap().dimension();
    assert_eq!(meet(&[0.0, 0.0]), 0);
    assert_eq!(meet(&[3.0, 0.0]), 1);
    assert_eq!(meet(&[-6.0, 0.0]), 1);
    assert_eq!(meet(&[1.0, 1e-4]), 1); // within the floor
    assert_eq!(meet(&[1.0, 2.0]), 2);
    assert_eq!(meet(&[5.0, 5.0]), 2);
    assert_eq!(meet(&[f64::MAX, 1.0]), 2); // its kernel value is no number
    assert_eq!(stages.landmarks(), Some(2));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (text, reason) in [
        ("fourier:dimension=7", "fourier: dimension=7 is odd; expected an even number"),
        ("fourier:dimension=0", "dimension=0 is out of range; expected a whole number >= 2"),
        ("fourier:sigma2=0", "sigma2=0 is out of range"),
        ("nystrom:landmarks=0", "landmarks=0 is out of range; expected a whole number >= 1"),
        ("nystrom:landmarks=2000000", "expected a whole number >= 1 and <= 1048576"),
        ("nystrom:kernel=gauss", "did you mean 'gaussian'?"),
    ] {
        let error = text.parse::<onlinear::StageSpec>().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let resolved = |choices: &StageChoices| {
        let stages = choices.resolve(&spec("winnow"));
        stages.map(|stages| stages.iter().map(|stage| stage.to_string()).collect::<Vec<_>>())
    };
    let word = |word: &str| Some(word.to_string());
    let choices = StageChoices {
        map: word("fourier:gamma=0.5"),
        bias: word("2"),
        scale: word("minmax"),
        ..StageChoices::default()
    };
    assert_eq!(resolved(&choices).unwrap(), ["minmax", "fourier:dimension=1000,sigma2=1,seed=1", "bias:value=2"]);
    for choices in [
        StageChoices { map: word("l2"), ..StageChoices::default() },
        StageChoices { map: word("nystrom"), stages: vec!["l2".into()], ..StageChoices::default() },
        StageChoices { stages: vec!["nystrom".into(), "standard".into()], ..StageChoices::default() },
    ] {
        assert!(resolved(&choices).is_err(), "{choices:?}");
    }
}

/// Half the median of all squared distances, the straightforward way.
fn half_median(points: &[Point]) -> f64 {
    let square = |a: &Point, b: &Point| a.dense.iter().zip(&b.dense).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut all: Vec<f64> =
        points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| square(a, b))).collect();
    all.sort_by(f64::total_cmp);
    (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 4.0
}

fn width_of(settings: &str) -> f64 {
    settings.split("sigma2=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
}

#[test]
fn a_width_is_that_of_the_first_rows_and_goes_on_as_a_number() {
    let points = noisy(11, 1100, 5, 0.2);
    let expected = half_median(&points[..1000]);
    for passes in [1, 2] {
        for (learner, list) in [
            ("perceptron:kernel=gaussian,sigma2=auto", &[][..]),
            ("selective:base=perceptron,base.kernel=gaussian,base.sigma2=auto", &["bias"]),
            ("arow", &["fourier:dimension=10,sigma2=auto"]),
            ("arow", &["nystrom:landmarks=5,kernel=gaussian,sigma2=auto"]),
        ] {
            let mut model = run(text(&points, 2), passes, learner, list).unwrap().model;
            let map = model.stages.specs().next().map(|stage| stage.to_string()).filter(|map| map.contains("sigma2"));
            let told = map.unwrap_or_else(|| model.spec.to_string());
            assert!(is_close(width_of(&told), expected, 1e-12), "{told} instead of {expected}");
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!((&again.spec, again.stages == model.stages), (&model.spec, true));
        }
    }
    // Behind a stage that reads all rows first, the rows are as it makes them; a kernel without width needs none.
    let scaled = run(text(&points, 2), 1, "perceptron:kernel=gaussian,sigma2=auto", &["standard"]).unwrap().model;
    assert!(!is_close(width_of(&scaled.spec.to_string()), expected, 1e-3));
    let linear = run(text(&points, 2), 1, "perceptron:sigma2=auto", &[]).unwrap().model;
    assert_eq!(linear.spec, spec("perceptron"));
}

#[test]
fn rows_that_tell_no_width_are_refused() {
    let refused = |text: &str, learner: &str, list: &[&str]| {
        run(text.to_string(), 1, learner, list).map(|_| ()).unwrap_err().to_string()
    };
    let same = "1 1:1\n2 1:1\n1 1:1\n2 1:1\n1 2:1\n";
    let error = refused(same, "perceptron:kernel=gaussian,sigma2=auto", &[]);
    assert!(error.contains("perceptron: sigma2=auto: half of all pairs of the first rows"), "{error}");
    let error = refused(same, "perceptron:kernel=gaussian,sigma2=auto", &["fourier"]);
    assert!(error.contains("sigma2=auto does not go with fourier, which makes the rows"), "{error}");
    let unsettled = spec("perceptron:kernel=gaussian,sigma2=auto").online().err().unwrap().to_string();
    assert!(unsettled.contains("sigma2=auto is told by rows"), "{unsettled}");
}

#[test]
fn stages_that_a_learner_brings_stand_in_their_places() {
    let word = |word: &str| Some(word.to_string());
    let brought = |stages: &[&str]| stages.iter().map(|stage| stage.to_string()).collect::<Vec<_>>();
    let choices = StageChoices {
        map: word("fourier"),
        normalize: word("l2"),
        brought: brought(&["nystrom:landmarks=3", "standard"]),
        ..StageChoices::default()
    };
    let resolved = choices.resolve(&spec("arow")).unwrap();
    let names: Vec<&str> = resolved.iter().map(|stage| stage.kind().name).collect();
    assert_eq!(names, ["standard", "l2", "nystrom"]);
    let listed = StageChoices { stages: brought(&["l2"]), brought: brought(&["nystrom"]), ..StageChoices::default() };
    let error = listed.resolve(&spec("arow")).unwrap_err().to_string();
    assert!(error.contains("nystrom before arow does not go with a list of stages"), "{error}");
}

#[test]
fn maps_keep_within_the_memory_allowed() {
    let rows = || text(&noisy(10, 40, 30, 0.0), 2);
    let refused = |learner: &str, map: &str, memory: u64, passes: u64| {
        let recipe = Recipe::of(spec(learner), stages(&[map]));
        let outcome = learn(plan(rows(), passes, memory), Start::Fresh(recipe), &mut ());
        outcome.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let before = refused("perceptron", "nystrom:landmarks=10000", 1 << 24, 1);
    assert!(before.contains("may need") && before.contains("more than the memory limit allows"), "{before}");
    assert_eq!(refused("perceptron", "nystrom:landmarks=10000", 1 << 24, 2), ""); // there are but 40 rows
    let fourier = refused("perceptron", "fourier:dimension=2000", 200_000, 1);
    assert!(fourier.starts_with("test:1:1: fourier: the waves of 30 features take"), "{fourier}");
    let batch = refused("sgd:start=zero", "fourier:dimension=2000", 200_000, 1);
    assert!(batch.starts_with("test: fourier: the waves of 30 features take"), "{batch}");
    let weights = refused("scw:matrix=full", "fourier:dimension=20000", 1 << 24, 1);
    assert!(weights.contains("the 20000 components that fourier makes need"), "{weights}");
    assert!(refused("winnow", "fourier:dimension=20", 1 << 24, 1).is_empty());
}

#[test]
fn weights_do_not_go_back_through_a_map() {
    for map in MAPS {
        let stages = Stages::new(&stages(&["l2", map, "bias"]));
        assert_eq!(stages.pull_back(&mut vec![1.0; 10]), None);
    }
}

#[test]
fn a_number_too_large_ends_the_run_at_its_row() {
    let text = "+1 1:1 2:2\n-1 1:2\n+1 1:1e200\n".to_string();
    let error = run(text, 1, "perceptron", &["nystrom:kernel=polynomial"]).err().unwrap().to_string();
    assert!(error.starts_with("test:3:1: the score is"), "{error}");
}

/// The scores of trials by runs of so many rows each, but for the first, and the model that they leave.
fn in_parts(points: &[Point], learner: &str, list: &[&str], part: usize) -> (Vec<u64>, Model) {
    let mut model: Option<Model> = None;
    let mut scores = Vec::new();
    let (first, rest) = points.split_at(30);
    for points in [first].into_iter().chain(rest.chunks(part)) {
        let start = match model.take() {
            Some(model) => Start::Resume(Box::new(model)),
            None => Start::Fresh(Recipe::of(spec(learner), stages(list))),
        };
        let mut watch = Scores(Vec::new());
        let run = learn(plan(text(points, 2), 1, 1 << 30), start, &mut watch).unwrap();
        scores.extend(watch.0);
        model = Some(run.model);
    }
    (scores, model.unwrap())
}

/// Notes the scores of trials.
struct Scores(Vec<u64>);

impl Watch for Scores {
    fn trial(&mut self, _t: u64, _y: Label, round: &Round) -> Result<()> {
        self.0.push(round.score.to_bits());
        Ok(())
    }
}

#[test]
fn how_many_rows_are_known_ahead_shows_in_no_bit_of_a_map() {
    let points = noisy(11, 90, 6, 0.1);
    for map in
        ["nystrom:landmarks=40,kernel=gaussian,sigma2=3", "nystrom:landmarks=200,kernel=linear", "fourier:dimension=30"]
    {
        for learner in ["arow:regularization=0.1", "averaged", "perceptron:kernel=polynomial"] {
            let list = ["l2", map, "bias"];
            let (whole, mut model) = in_parts(&points, learner, &list, 60);
            assert_eq!(whole.len(), 90);
            for part in [1, 7, 40] {
                let (scores, mut other) = in_parts(&points, learner, &list, part);
                assert_eq!(scores, whole, "{learner} {map} {part}");
                assert_eq!(other.to_bytes().unwrap(), model.to_bytes().unwrap(), "{learner} {map} {part}");
            }
        }
    }
}
