//! Models of parts that learned apart, merged: laws of every learner that can be, and why the others cannot.

use onlinear::workshop::Learners;
use onlinear::{
    ALGORITHMS, BorrowedRows, ClassWeights, Classes, Keep, Label, LabelChoice, Mean, Model, Passes, Plan, ReadOptions,
    Recipe, Row, Rows, Start, learn,
};

use crate::support::{Point, dot, memory, noisy, spec, stages};

const MEMORY: u64 = 1 << 30;
const FEATURES: usize = 4;

/// Learners of which nothing is cut away in a merge.
const WHOLE: [&str; 19] = [
    "perceptron",
    "perceptron:output=averaged",
    "perceptron:kernel=gaussian",
    "perceptron:kernel=gaussian,output=averaged",
    "averaged",
    "averaged:kernel=polynomial",
    "passive-aggressive",
    "passive-aggressive:output=averaged",
    "passive-aggressive:kernel=gaussian",
    "arow",
    "arow:output=averaged",
    "arow:matrix=full",
    "scw",
    "scw:matrix=full,output=averaged",
    "second-order",
    "winnow",
    "winnow:balanced=false",
    "p-norm",
    "alma",
];

/// Learners that project or forget, within a merge too.
const CUT: [&str; 7] = [
    "projectron:kernel=gaussian",
    "projectron:kernel=gaussian,output=averaged",
    "projectron++:kernel=gaussian,norm-bound=20",
    "bpa:kernel=gaussian,budget=20",
    "bpa:kernel=gaussian,budget=20,variant=simple",
    "rbp:kernel=gaussian,budget=20",
    "rbp:budget=500",
];

const DIRECT: [&str; 6] = [
    "perceptron:multiclass=direct",
    "averaged:multiclass=direct",
    "averaged:multiclass=direct,kernel=gaussian",
    "passive-aggressive:multiclass=direct,output=averaged",
    "arow:multiclass=direct",
    "arow:multiclass=direct,output=averaged",
];

/// Learners that know how sure they are of a weight.
const PRECISE: [&str; 3] = ["arow", "scw", "second-order"];

const BATCH: [&str; 3] = ["fld", "svm", "pocket:epochs=5"];

/// Labels that are numbered from 0 on.
struct Labelled {
    rows: Rows,
    labels: Vec<u32>,
    classes: Vec<String>,
}

fn labelled(points: &[Point], classes: usize) -> Labelled {
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(Row::Dense(&point.dense)));
    let label = |point: &Point| match classes {
        2 => u32::from(point.y == Label::Positive),
        _ => (0..classes).max_by(|&a, &b| point.dense[a].total_cmp(&point.dense[b])).unwrap() as u32,
    };
    let classes = (0..classes).map(|class| class.to_string()).collect();
    Labelled { rows, labels: points.iter().map(label).collect(), classes }
}

/// A model that has met no row.
fn fresh(name: &str, classes: usize) -> Model {
    let Labelled { rows, labels, classes } = labelled(&noisy(1, 1, FEATURES, 0.0), classes);
    let calibrate = (!name.contains("direct")).then_some(50);
    let recipe = Recipe { calibrate, ..Recipe::of(spec(name), stages(&["bias"])) };
    let rows = BorrowedRows::new("X", &rows, FEATURES, &classes, &labels, None).unwrap();
    rows.model(&recipe, Classes::of(&classes).unwrap(), MEMORY).unwrap()
}

fn go_on(mut model: Model, points: &[Point]) -> Model {
    let Labelled { rows, labels, classes } = labelled(points, model.classes.len());
    let mut rows = BorrowedRows::new("X", &rows, FEATURES, &classes, &labels, None).unwrap();
    rows.go_on(&mut model, None, MEMORY, &mut ()).unwrap();
    model
}

fn copy(model: &mut Model) -> Model {
    Model::from_bytes(&model.to_bytes().unwrap()).unwrap()
}

/// A base that has met rows, and parts that went on from it, each with rows of its own.
fn parts(name: &str, classes: usize, sizes: &[usize]) -> (Model, Vec<Model>) {
    let mut base = go_on(fresh(name, classes), &noisy(20, 40, FEATURES, 0.2));
    let part = |(k, &size): (usize, &usize)| go_on(copy(&mut base), &noisy(30 + k as u64, size, FEATURES, 0.2));
    let parts = sizes.iter().enumerate().map(part).collect();
    (base, parts)
}

fn copies(models: &mut [Model]) -> Vec<Model> {
    models.iter_mut().map(copy).collect()
}

fn scores(model: &Model) -> Vec<f64> {
    model.scores(&labelled(&noisy(5, 60, FEATURES, 0.2), 2).rows, &mut Default::default())
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let size = a.iter().chain(b).fold(1.0, |largest: f64, s| largest.max(s.abs()));
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * size, "{what}: {a} and {b}");
    }
}

fn all_online() -> Vec<(&'static str, usize)> {
    let apart = WHOLE.into_iter().chain(CUT).flat_map(|name| [(name, 2), (name, 3)]);
    apart.chain(DIRECT.map(|name| (name, 3))).collect()
}

#[test]
fn one_model_is_itself_to_the_bit() {
    for (name, classes) in all_online() {
        let (mut base, mut models) = parts(name, classes, &[50]);
        let before = models[0].to_bytes().unwrap();
        let mut alone = Model::merge(copies(&mut models), None, None).unwrap();
        let mut against = Model::merge(copies(&mut models), None, Some(copy(&mut base))).unwrap();
        assert!(alone.to_bytes().unwrap() == before && against.to_bytes().unwrap() == before, "{name}");
    }
}

#[test]
fn a_part_that_learned_nothing_changes_nothing() {
    for (name, classes) in all_online() {
        let (mut base, mut models) = parts(name, classes, &[50, 0, 0]);
        let merged = Model::merge(copies(&mut models), None, Some(copy(&mut base))).unwrap();
        assert_close(&scores(&merged), &scores(&models[0]), 1e-10, name);
        assert_eq!(merged.counts, models[0].counts, "{name}");
    }
}

#[test]
fn the_order_of_parts_does_not_matter() {
    let names = WHOLE.map(|name| (name, 2)).into_iter().chain(DIRECT.map(|name| (name, 3)));
    for (name, classes) in names {
        let (mut base, mut models) = parts(name, classes, &[50, 20, 70]);
        let merged = Model::merge(copies(&mut models), None, Some(copy(&mut base))).unwrap();
        models.rotate_left(1);
        models.swap(0, 1);
        let turned = Model::merge(models, None, Some(base)).unwrap();
        assert_close(&scores(&merged), &scores(&turned), 1e-12, name);
        assert_eq!(merged.counts, turned.counts, "{name}");
    }
}

/// Models merged two by two, and what came of that, are models merged at once.
#[test]
fn a_tree_of_merges_is_one_merge() {
    for (name, classes) in WHOLE.map(|name| (name, 2)).into_iter().chain(DIRECT.map(|name| (name, 3))) {
        let (mut base, mut models) = parts(name, classes, &[50, 20, 70, 0, 30]);
        let at_once = Model::merge(copies(&mut models), None, Some(copy(&mut base))).unwrap();
        let mut level = models;
        while level.len() > 1 {
            let rest = level.split_off(2);
            let pair = Model::merge(level, None, Some(copy(&mut base))).unwrap();
            level = rest.into_iter().chain([pair]).collect();
        }
        assert_close(&scores(&at_once), &scores(&level[0]), 1e-11, name);
        assert_eq!(at_once.counts, level[0].counts, "{name}");
    }
}

/// Learners that move weights of features, with their classes.
fn with_weights() -> Vec<(&'static str, usize)> {
    let has_rows = |name: &str| name.contains("kernel") || PRECISE.iter().any(|other| name.starts_with(other));
    let apart = WHOLE.into_iter().filter(|name| !has_rows(name)).flat_map(|name| [(name, 2), (name, 3)]);
    apart.chain(DIRECT.into_iter().filter(|name| !has_rows(name)).map(|name| (name, 3))).collect()
}

fn merged_by(mean: Mean, models: &mut [Model], base: &mut Model) -> Model {
    Model::merge_by(mean, copies(models), None, Some(copy(base))).unwrap()
}

/// The laws of a merge hold with the mean over the parts that moved a weight too.
#[test]
fn means_over_the_parts_that_moved_a_weight_keep_the_laws() {
    for (name, classes) in with_weights() {
        let (mut base, mut models) = parts(name, classes, &[50, 20, 0, 70]);
        let mut one = merged_by(Mean::Moved, &mut models[..1], &mut base);
        assert!(one.to_bytes().unwrap() == models[0].to_bytes().unwrap(), "{name}");
        let mut merged = merged_by(Mean::Moved, &mut models, &mut base);
        assert_eq!(merged.counts, merged_by(Mean::All, &mut models, &mut base).counts, "{name}");
        models.rotate_left(1);
        models.swap(0, 1);
        let turned = merged_by(Mean::Moved, &mut models, &mut base);
        assert_close(&scores(&merged), &scores(&turned), 1e-12, name);
        let alone = merged_by(Mean::Moved, &mut [copy(&mut base), copy(&mut models[0])], &mut base);
        assert_close(&scores(&alone), &scores(&models[0]), 1e-12, name);
        let idle = merged_by(Mean::Moved, &mut [copy(&mut base), copy(&mut base)], &mut base);
        assert_close(&scores(&idle), &scores(&base), 1e-12, name);
        let loaded = copy(&mut merged);
        let more = noisy(40, 60, FEATURES, 0.2);
        let (mut here, mut there) = (go_on(merged, &more), go_on(loaded, &more));
        assert!(here.to_bytes().unwrap() == there.to_bytes().unwrap(), "{name}");
    }
}

/// Rows of which each part has features of its own: all that was learned of them is there in full, and what nobody
/// met is as it was; with the mean over all parts, it is divided.
#[test]
fn weights_that_one_part_moved_are_its_own_and_those_that_none_moved_stay() {
    let only = |seed: u64, own: std::ops::Range<usize>| -> Vec<Point> {
        let mut points = noisy(seed, 40, FEATURES, 0.0);
        points.iter_mut().for_each(|point| {
            (0..FEATURES).filter(|place| !own.contains(place)).for_each(|place| point.dense[place] = 0.0);
        });
        points
    };
    let weights = |model: &Model, class: usize| model.learner.leaves_of(class).weights().unwrap().into_owned();
    for name in ["perceptron", "passive-aggressive", "perceptron:multiclass=direct"] {
        let classes = if name.contains("direct") { 3 } else { 2 };
        let recipe = Recipe::of(spec(name), stages(&["bias:value=0.5"]));
        let Labelled { rows, labels, classes: names } = labelled(&noisy(20, 40, FEATURES, 0.2), classes);
        let rows = BorrowedRows::new("X", &rows, FEATURES, &names, &labels, None).unwrap();
        let mut base =
            go_on(rows.model(&recipe, Classes::of(&names).unwrap(), MEMORY).unwrap(), &noisy(20, 40, FEATURES, 0.2));
        let mut models = [go_on(copy(&mut base), &only(21, 0..1)), go_on(copy(&mut base), &only(22, 1..2))];
        let merged = merged_by(Mean::Moved, &mut models, &mut base);
        let mixed = merged_by(Mean::All, &mut models, &mut base);
        let mut has_moved = false;
        for class in 0..merged.learner.len() {
            let of = |model: &Model| weights(model, class);
            let (w, before) = (of(&merged), of(&base));
            assert_eq!((w[1], w[2]), (of(&models[0])[1], of(&models[1])[2]), "{name}");
            assert_eq!(w[3..], before[3..], "{name}");
            has_moved |= w[1] != before[1] && w[1] != of(&mixed)[1];
        }
        assert!(has_moved, "{name}");
    }
}

#[test]
fn the_mean_over_those_that_moved_needs_a_base_and_weights_of_features() {
    let refused = |mean, models: Vec<Model>, weights: Option<&[f64]>, base| {
        Model::merge_by(mean, models, weights, base).err().unwrap().to_string()
    };
    let (mut base, mut models) = parts("averaged", 2, &[30, 30]);
    let message = refused(Mean::Moved, copies(&mut models), None, None);
    assert!(message.contains("mean=moved needs the base"), "{message}");
    let message = refused(Mean::Moved, copies(&mut models[..1]), None, None);
    assert!(message.contains("mean=moved needs the base"), "{message}");
    let message = refused(Mean::Moved, models, Some(&[1.0, -1.0]), Some(copy(&mut base)));
    assert!(message.contains("not negative"), "{message}");
    let with_rows = WHOLE.into_iter().chain(CUT).filter(|name| name.contains("kernel") || name.starts_with("rbp"));
    for (name, classes) in with_rows.map(|name| (name, 2)).chain([("averaged:multiclass=direct,kernel=gaussian", 3)]) {
        let (base, models) = parts(name, classes, &[30, 30]);
        let message = refused(Mean::Moved, models, None, Some(base));
        assert!(message.contains("cannot be merged: with mean=moved a support vector"), "{name}: {message}");
    }
    for name in WHOLE.into_iter().filter(|name| PRECISE.iter().any(|other| name.starts_with(other))) {
        let message = spec(name).require_mergeable_by(Mean::Moved, 3).unwrap_err().to_string();
        assert!(message.contains("cannot be merged: with mean=moved nothing would be another"), "{message}");
    }
    for name in BATCH {
        let message = spec(name).require_mergeable_by(Mean::Moved, 2).unwrap_err().to_string();
        assert!(
            message.ends_with("learns from all rows at once: mean=moved has no base to tell what moved"),
            "{message}"
        );
    }
}

/// It is the learner it was, saved and loaded, and each trial counts once.
#[test]
fn a_merged_model_goes_on_as_what_it_was() {
    for (name, classes) in all_online() {
        let (base, models) = parts(name, classes, &[50, 20, 70]);
        let mut merged = Model::merge(models, None, Some(base)).unwrap();
        assert_eq!((merged.spec.clone(), merged.counts.total().trials), (spec(name), 40 + 50 + 20 + 70), "{name}");
        assert_eq!(merged.counts.classes.iter().sum::<u64>(), 180, "{name}");
        let loaded = copy(&mut merged);
        let more = noisy(40, 60, FEATURES, 0.2);
        let (mut here, mut there) = (go_on(merged, &more), go_on(loaded, &more));
        assert!(here.to_bytes().unwrap() == there.to_bytes().unwrap(), "{name}");
        assert!(here.learner.probabilities().is_some() != here.learner.is_direct(), "{name}");
        let budget = spec(name).get("budget").map_or(usize::MAX, |budget| budget.to_string().parse().unwrap());
        assert!(
            here.learner.support().is_none_or(|support| support <= budget.saturating_mul(here.learner.len())),
            "{name}"
        );
    }
}

/// What is mixed scores the mix of scores, with a kernel or without; what is summed the sum over trials.
#[test]
fn scores_are_those_of_the_formulas() {
    for (name, classes) in WHOLE.map(|name| (name, 2)).into_iter().chain(DIRECT.map(|name| (name, 3))) {
        if ["arow", "scw", "second-order", "winnow", "p-norm", "alma"].iter().any(|other| name.starts_with(other))
            && !name.contains("averaged")
        {
            continue;
        }
        let (base, mut models) = parts(name, classes, &[50, 20, 70]);
        let (before, after): (_, Vec<_>) = (scores(&base), models.iter().map(scores).collect());
        let merged = scores(&Model::merge(copies(&mut models), None, Some(base)).unwrap());
        let is_mean = name.contains("averaged");
        let expected: Vec<f64> = (0..merged.len())
            .map(|i| match is_mean {
                true => {
                    let own = |s: &Vec<f64>, trials: f64| (40.0 + trials) * s[i] - 40.0 * before[i];
                    (40.0 * before[i] + own(&after[0], 50.0) + own(&after[1], 20.0) + own(&after[2], 70.0)) / 180.0
                }
                false => (50.0 * after[0][i] + 20.0 * after[1][i] + 70.0 * after[2][i]) / 140.0,
            })
            .collect();
        assert_close(&merged, &expected, 1e-11, name);
        if !is_mean {
            let merged = scores(&Model::merge(models, Some(&[2.0, 0.0, -0.5]), None).unwrap());
            let expected: Vec<f64> = (0..merged.len()).map(|i| 2.0 * after[0][i] - 0.5 * after[2][i]).collect();
            assert_close(&merged, &expected, 1e-11, name);
        }
    }
}

/// The mean of all weight vectors that there were, from a Perceptron of our own.
#[test]
fn the_averaged_perceptron_is_that_of_all_trials() {
    let replay = |mut w: Vec<f64>, sum: &mut Vec<f64>, points: &[Point]| {
        for point in points {
            let x: Vec<f64> = [1.0].iter().chain(&point.dense).copied().collect();
            if point.y.sign() * dot(&w, &x) <= 0.0 {
                w.iter_mut().zip(&x).for_each(|(w, x)| *w += point.y.sign() * x);
            }
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w);
        }
        w
    };
    let (mut sum, mut trials) = (vec![0.0; FEATURES + 1], 0);
    let (mut model, mut start) = (fresh("averaged", 2), vec![0.0; FEATURES + 1]);
    for round in 0..5 {
        let shares = [30, 50, 0, 20];
        let (mut next, mut models) = (vec![0.0; FEATURES + 1], Vec::new());
        for (k, &size) in shares.iter().enumerate() {
            let points = noisy(100 * round + k as u64, size, FEATURES, 0.2);
            let w = replay(start.clone(), &mut sum, &points);
            next.iter_mut().zip(w).for_each(|(next, w)| *next += w * size as f64 / 100.0);
            models.push(go_on(copy(&mut model), &points));
            trials += size;
        }
        (start, model) = (next, Model::merge(models, None, Some(model)).unwrap());
        let mean: Vec<f64> = sum.iter().map(|sum| sum / trials as f64).collect();
        assert_close(model.learner.leaves_of(0).weights().unwrap().as_ref(), &mean, 1e-12, "averaged");
    }
}

/// A and v of the rows that each part learned from, those of the base once: w solves A w = v.
#[test]
fn second_order_sums_are_those_of_all_rows_learned_from() {
    let (base, parts) = (noisy(50, 30, FEATURES, 0.0), [noisy(51, 40, FEATURES, 0.0), noisy(52, 25, FEATURES, 0.0)]);
    let ridge = 2.0;
    let n = FEATURES + 1;
    let (mut a, mut v) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    (0..n).for_each(|i| a[i][i] = ridge);
    let mut learned = |mut model: Model, points: &[Point]| {
        for point in points {
            let before = model.counts.total().updates;
            model = go_on(model, std::slice::from_ref(point));
            if model.counts.total().updates > before {
                let x: Vec<f64> = [1.0].iter().chain(&point.dense).copied().collect();
                (0..n).for_each(|i| (0..n).for_each(|j| a[i][j] += x[i] * x[j]));
                (0..n).for_each(|i| v[i] += point.y.sign() * x[i]);
            }
        }
        model
    };
    let mut start = learned(fresh("second-order:ridge=2", 2), &base);
    let models = parts.iter().map(|points| learned(copy(&mut start), points)).collect();
    let merged = Model::merge(models, None, Some(start)).unwrap();
    let leaves = merged.learner.leaves_of(0);
    let w = leaves.weights().unwrap();
    let product: Vec<f64> = a.iter().map(|row| dot(row, &w)).collect();
    assert_close(&product, &v, 1e-10, "A w = v");
}

/// What Winnow mixes is the logarithms of its weights.
#[test]
fn weights_of_winnow_are_mixed_as_logarithms() {
    let models = [60, 61].map(|seed| go_on(fresh("winnow:balanced=false", 2), &noisy(seed, 80, FEATURES, 0.0)));
    let weights = |model: &Model| model.learner.leaves_of(0).weights().unwrap().into_owned();
    let (a, b) = (weights(&models[0]), weights(&models[1]));
    let products: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a * b).sqrt()).collect();
    let expected: Vec<f64> = products.iter().map(|w| w / products.iter().sum::<f64>()).collect();
    assert_close(&weights(&Model::merge(models.into(), None, None).unwrap()), &expected, 1e-12, "winnow");
}

/// What the p-norm learners mix is θ, of which their weights are the image: gᵢ(θ) = sgn(θᵢ)|θᵢ|^(p−1)/‖θ‖_p^(p−2).
#[test]
fn weights_of_p_norm_learners_are_mixed_as_their_inverse_images() {
    let image = |v: &[f64], p: f64| -> Vec<f64> {
        let norm = v.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(1.0 / p);
        v.iter().map(|x| x.signum() * x.abs().powf(p - 1.0) / norm.powf(p - 2.0)).collect()
    };
    for name in ["p-norm:p=4", "alma:p=4"] {
        let models = [62, 63].map(|seed| go_on(fresh(name, 2), &noisy(seed, 80, FEATURES, 0.1)));
        let weights = |model: &Model| model.learner.leaves_of(0).weights().unwrap().into_owned();
        let [a, b] = models.each_ref().map(|model| image(&weights(model), 4.0 / 3.0));
        let theta: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a + b) / 2.0).collect();
        let merged = Model::merge(models.into(), None, None).unwrap();
        assert_close(&weights(&merged), &image(&theta, 4.0), 1e-10, name);
    }
}

/// With no tolerance nothing is lost by projection, with one little, and a bounded support set is kept.
#[test]
fn projections_lose_no_more_than_they_may() {
    for (tolerance, most) in [("0", 1e-6), ("0.1", 2.0)] {
        let name = format!("projectron:kernel=gaussian,tolerance={tolerance}");
        let (base, mut models) = parts(&name, 2, &[60, 60]);
        let after: Vec<Vec<f64>> = models.iter().map(scores).collect();
        let supports: usize = models.iter().map(|model| model.learner.support().unwrap()).sum();
        let merged = Model::merge(copies(&mut models), None, Some(base)).unwrap();
        let expected: Vec<f64> = (0..after[0].len()).map(|i| (after[0][i] + after[1][i]) / 2.0).collect();
        let size = expected.iter().fold(1.0, |largest: f64, s| largest.max(s.abs()));
        assert_close(&scores(&merged), &expected, most / size, &name);
        assert!(merged.learner.support().unwrap() < supports, "{name}");
    }
}

/// What learns from all rows at once is mixed as it points, whatever its length: that of the weights of all classes
/// together, since their lengths beside each other decide which score is the highest.
#[test]
fn batch_learners_are_mixed_as_directions() {
    for (name, classes) in BATCH.into_iter().flat_map(|name| [(name, 2), (name, 3)]) {
        let mut models: Vec<Model> = [70, 71].map(|seed| fitted(name, classes, &noisy(seed, 80, FEATURES, 0.0))).into();
        let weights = |model: &Model| {
            let each = (0..model.learner.len()).map(|k| model.learner.leaves_of(k).weights().unwrap().into_owned());
            each.collect::<Vec<_>>().concat()
        };
        let units = models.iter().map(|model| {
            let w = weights(model);
            w.iter().map(|v| v / dot(&w, &w).sqrt()).collect::<Vec<f64>>()
        });
        let units: Vec<Vec<f64>> = units.collect();
        let expected: Vec<f64> = units[0].iter().zip(&units[1]).map(|(a, b)| (a + b) / 2.0).collect();
        let base = copy(&mut models[0]);
        let mut merged = Model::merge(copies(&mut models), None, None).unwrap();
        assert_close(&weights(&merged), &expected, 1e-12, name);
        assert_eq!(merged.counts.rows, 160, "{name}");
        copy(&mut merged);
        let refusal = Model::merge(models, None, Some(base)).err().unwrap().to_string();
        assert!(refusal.contains("starts from no base"), "{refusal}");
    }
}

fn fitted(name: &str, classes: usize, points: &[Point]) -> Model {
    let Labelled { rows, labels, classes } = labelled(points, classes);
    let mut rows = BorrowedRows::new("X", &rows, FEATURES, &classes, &labels, None).unwrap();
    let recipe = Recipe::of(spec(name), stages(&["bias"]));
    rows.learn(&recipe, Classes::of(&classes).unwrap(), Passes::Exactly(1), MEMORY, &mut ()).unwrap().model
}

/// What is predicted does not change where every part is the same model, in whatever length it comes.
#[test]
fn copies_of_a_model_become_one_that_predicts_the_same() {
    for (name, classes) in BATCH.into_iter().flat_map(|name| [(name, 2), (name, 3)]) {
        let mut model = fitted(name, classes, &noisy(72, 90, FEATURES, 0.1));
        let predicted = |model: &Model| -> Vec<Option<usize>> {
            scores(model).chunks_exact(model.learner.len()).map(onlinear::predicted_class).collect()
        };
        let merged = Model::merge(vec![copy(&mut model), copy(&mut model), copy(&mut model)], None, None).unwrap();
        assert_eq!(predicted(&merged), predicted(&model), "{name}");
    }
}

/// Counts do not run away, and what they are can be saved and loaded.
#[test]
fn a_thousand_rounds_count_each_trial_once() {
    for name in ["averaged", "arow", "perceptron"] {
        let points: Vec<Vec<Point>> = (0..16).map(|part| noisy(90 + part, 5, FEATURES, 0.2)).collect();
        let mut model = fresh(name, 2);
        for _ in 0..1000 {
            let parts = points.iter().map(|points| go_on(copy(&mut model), points)).collect();
            model = Model::merge(parts, None, Some(model)).unwrap();
        }
        assert_eq!(model.counts.total().trials, 1000 * 16 * 5, "{name}");
        assert_eq!(model.counts.classes.iter().sum::<u64>(), 1000 * 16 * 5, "{name}");
        assert_eq!(copy(&mut model).counts, model.counts, "{name}");
        assert!(scores(&model).iter().all(|score| score.is_finite()), "{name}");
    }
}

/// Every learner of the list either is merged or says why it is not.
#[test]
fn what_cannot_be_merged_is_refused_by_name() {
    let refused = ["voted", "romma", "whitened", "higher-order", "forgetron", "stoptron", "selective", "adaboost"];
    for algorithm in ALGORITHMS {
        let result = spec(algorithm.name).require_mergeable(2);
        assert_eq!(result.is_err(), refused.contains(&algorithm.name), "{}", algorithm.name);
    }
    for (name, reason) in [
        ("voted", "voted cannot be merged: every hypothesis of a run votes"),
        ("perceptron:output=longest", "perceptron cannot be merged: the hypothesis that survived most trials"),
        ("second-order:mode=adaptive", "second-order cannot be merged: the ridge follows from all mistakes"),
        ("second-order:kernel=gaussian", "second-order cannot be merged: over rows (with a kernel, or form=dual)"),
        ("arow:matrix=full,kernel=gaussian", "arow cannot be merged: over rows"),
        ("arow:forgetting=0.1", "arow cannot be merged: what it has forgotten"),
    ] {
        let message = spec(name).require_mergeable(2).unwrap_err().to_string();
        assert!(message.starts_with(reason), "{message}");
        let model = fresh(name, 2);
        let merged = Model::merge(vec![model], None, None).err().unwrap().to_string();
        assert_eq!(merged, message);
    }
}

#[test]
fn models_that_differ_are_refused_by_what_they_differ_in() {
    let [one, two] = [2, 3].map(|classes| move |name: &str| fresh(name, classes));
    let message = |models: Vec<Model>, base: Option<Model>| Model::merge(models, None, base).err().unwrap().to_string();
    assert!(message(vec![one("perceptron"), one("averaged")], None).ends_with("they differ in their learner"));
    assert!(
        message(vec![one("perceptron"), two("perceptron")], None)
            .ends_with("they differ in their classes; name all labels beforehand")
    );
    assert!(message(vec![], None).contains("no model"));
    let uncalibrated = Model::new(spec("perceptron"), Classes::of(&["0", "1"].map(String::from)).unwrap());
    assert!(message(vec![one("perceptron"), uncalibrated], None).contains("differ in"));
    for weights in [&[1.0][..], &[1.0, f64::NAN]] {
        assert!(Model::merge(vec![one("perceptron"), one("perceptron")], Some(weights), None).is_err());
    }
    let (base, _) = parts("perceptron", 2, &[]);
    let refused = message(vec![one("perceptron"), one("perceptron")], Some(base));
    assert!(refused.contains("fewer trials than the base"), "{refused}");
}

/// What would be another in each part is refused before any part has learned; what is the same in all is not.
#[test]
fn recipes_that_differ_from_part_to_part_are_refused_beforehand() {
    let of = |name: &str, list: &[&str]| Recipe::of(spec(name), stages(list));
    let balanced = Recipe { class_weights: Some(ClassWeights::Balanced), ..of("averaged", &[]) };
    for (recipe, reason) in [
        (of("averaged", &["standard", "bias"]), "standard goes by the rows that it reads, and would differ"),
        (of("svm", &["range", "bias"]), "part to part; learn each without scaling"),
        (of("averaged", &["nystrom"]), "nystrom grows by the rows that it meets, and would differ from part to part"),
        (of("averaged", &["impute-running"]), "impute-running grows by the rows that it meets"),
        (of("averaged:kernel=gaussian,sigma2=auto", &[]), "sigma2=auto goes by the first rows"),
        (of("averaged", &["fourier:sigma2=auto"]), "sigma2=auto goes by the first rows"),
        (balanced, "weights of classes 'balanced' would differ from part to part; give each label its weight"),
        (of("voted", &[]), "voted cannot be merged"),
    ] {
        let message = recipe.require_mergeable(Mean::All, 2).unwrap_err().to_string();
        assert!(message.contains(reason), "{message}");
    }
    for recipe in
        [of("averaged", &["l2", "fourier:sigma2=2", "bias"]), of("svm", &["bias"]), of("arow:matrix=full", &[])]
    {
        recipe.require_mergeable(Mean::All, 3).unwrap();
    }
}

/// Models of rows with named features, which came in different orders.
#[test]
fn features_are_united_by_name() {
    let read = |text: &str, start: Start| {
        let keep = Keep { limit: None, cache: false, max_memory: MEMORY };
        let (read, labels) = (ReadOptions::default(), LabelChoice::default());
        let input = memory(text.as_bytes().to_vec());
        let plan = Plan { input, read, labels, passes: Passes::Exactly(1), keep, train_error: false, holdout: None };
        learn(plan, start, &mut ()).unwrap().model
    };
    let texts = [
        "1 | a:1 b:2\n-1 | b:1 c:-1\n1 | c:3 a:0.5\n-1 | b:2\n",
        "-1 | d:2 a:1\n1 | c:1 d:-1\n-1 | e:1 b:1\n1 | a:2\n",
        "1 | e:2\n-1 | c:1 e:-1\n1 | f:1 d:1\n",
    ];
    let all = "1 | a:1 b:1 c:1 d:1 e:1 f:1\n";
    for name in ["perceptron", "averaged", "arow", "winnow", "p-norm", "alma", "averaged:kernel=gaussian"] {
        let recipe = || Recipe::of(spec(name), stages(&["l2", "bias"]));
        let apart = texts[1..].iter().map(|text| {
            let mut base = read(texts[0], Start::Fresh(recipe()));
            read(text, Start::Resume(Box::new(copy(&mut base))))
        });
        let merged = Model::merge(apart.collect(), None, Some(read(texts[0], Start::Fresh(recipe())))).unwrap();
        // The same with all names known beforehand, in one order.
        let known = |text: &str, start: Option<&mut Model>| {
            let mut model = match start {
                Some(model) => copy(model),
                None => read(all, Start::Fresh(recipe())),
            };
            if model.counts.total().trials == 1 && text == texts[0] {
                (model.learner, model.counts) = (Learners::new(&spec(name), 2), Default::default());
            }
            read(text, Start::Resume(Box::new(model)))
        };
        let mut base = known(texts[0], None);
        let apart = texts[1..].iter().map(|text| known(text, Some(&mut base))).collect();
        let expected = Model::merge(apart, None, Some(base)).unwrap();
        let row = |model: &Model, names: &[&str]| {
            let list = model.vocabulary.names().unwrap();
            let place = |name: &&str| list.iter().position(|known| *known == name.as_bytes()).unwrap() as u32;
            let mut indices: Vec<u32> = names.iter().map(place).collect();
            indices.sort_unstable();
            let mut rows = Rows::default();
            rows.push_row(Row::new(&indices, &vec![1.0; indices.len()]));
            model.scores(&rows, &mut Default::default())[0]
        };
        for names in [&["a"][..], &["b", "f"], &["c", "d", "e"], &["d"], &["e", "a"]] {
            assert_close(&[row(&merged, names)], &[row(&expected, names)], 1e-12, &format!("{name} {names:?}"));
        }
    }
}

/// Rows of a table: scales and what is filled in are the base's, a category that one part alone has met is its own.
#[test]
fn tables_that_went_on_from_one_model_are_merged_whatever_categories_they_met() {
    let table = |rows: &[(f64, &str)]| -> String {
        let row = |(x, color): &(f64, &str)| format!("{x},{color},{}\n", if *x > 1.0 { "yes" } else { "no" });
        std::iter::once("x,color,y\n".to_string()).chain(rows.iter().map(row)).collect()
    };
    let read = |rows: &[(f64, &str)], start: Start| {
        let keep = Keep { limit: None, cache: false, max_memory: MEMORY };
        let read = ReadOptions { format: Some("csv".parse().unwrap()), ..Default::default() };
        let labels = LabelChoice::default();
        let input = memory(table(rows).into_bytes());
        let plan = Plan { input, read, labels, passes: Passes::Exactly(1), keep, train_error: false, holdout: None };
        learn(plan, start, &mut ()).unwrap().model
    };
    let first = [(0.5, "red"), (3.0, "blue"), (1.5, "red"), (-2.0, "blue")];
    let others = [[(0.0, "green"), (2.5, "red"), (7.0, "green")], [(9.0, "grey"), (-1.0, "grey"), (1.2, "pink")]];
    for scale in ["minmax", "standard", "maxabs", "mixed"] {
        let recipe = || Recipe::of(spec("averaged"), stages(&["impute", scale, "bias"]));
        let mut base = read(&first, Start::Fresh(recipe()));
        let resume = |base: &mut Model, rows: &[(f64, &str)]| read(rows, Start::Resume(Box::new(copy(base))));
        let mut models = Vec::from(others.each_ref().map(|rows| resume(&mut base, rows)));
        let merged = Model::merge(copies(&mut models), None, Some(copy(&mut base))).unwrap();
        assert_eq!(merged.counts.total().trials, 10, "{scale}");
        let names = |model: &Model| -> Vec<String> {
            let all = model.vocabulary.names().unwrap();
            all.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
        };
        assert_eq!(names(&merged), ["x", "color=red", "color=blue", "color=green", "color=grey", "color=pink"]);
        // The means of all weights: that of both parts, less the base's share, name by name.
        let weight = |model: &Model, name: &str| {
            let place = names(model).iter().position(|known| known == name);
            let weights = model.learner.leaves_of(0).weights().unwrap().into_owned();
            place.and_then(|place| weights.get(place + 1).copied()).unwrap_or(0.0)
        };
        for name in names(&merged) {
            let (a, b, w0) = (weight(&models[0], &name), weight(&models[1], &name), weight(&base, &name));
            let expected = (7.0 * a + 7.0 * b - 4.0 * w0) / 10.0;
            assert_close(&[weight(&merged, &name)], &[expected], 1e-12, &format!("{scale} {name}"));
        }
        // Models that began with other rows know other names at the places that their stages know.
        let refused = |parts: Vec<Model>, base| Model::merge(parts, None, base).err().unwrap().to_string();
        let apart = || Vec::from(others.each_ref().map(|rows| read(rows, Start::Fresh(recipe()))));
        for message in [refused(apart(), None), refused(apart(), Some(base)), refused(models, None)] {
            assert!(message.contains("let each go on from one model, which is their base"), "{scale}: {message}");
        }
    }
}

/// The latest trials of all parts, side by side, behind those of the base.
#[test]
fn windows_of_calibrations_are_those_of_the_latest_trials() {
    let (base, models) = parts("perceptron", 2, &[10, 10]);
    let pairs = |model: &Model| model.learner.probabilities().unwrap().calibrations()[0].pairs;
    let merged = Model::merge(models, None, Some(base)).unwrap();
    assert_eq!(pairs(&merged), 30); // of 60 trials, of which 50 are kept
    let (base, models) = parts("perceptron", 2, &[300, 300]);
    assert_eq!(pairs(&Model::merge(models, None, Some(base)).unwrap()), 50);
}
