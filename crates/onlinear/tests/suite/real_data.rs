//! Counts on real files, which are not part of the project: looked for in the folder that the
//! environment variable `ONLINEAR_DATA` names, and skipped where they are not.

use std::path::PathBuf;

use onlinear::workshop::{PassCounts, Random};
use onlinear::{Errors, Input, Plan, Recipe, Start, learn, test};

use crate::batch::scaled_sample;
use crate::support::{Storage, read_points, spec, stages, weight_vector};

/// The file, or a word on why the test is skipped.
fn find(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ONLINEAR_DATA") else {
        eprintln!("skipped: ONLINEAR_DATA does not name a folder with {name}");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    if !path.is_file() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn plan(path: PathBuf, passes: u64) -> Plan {
    crate::support::plan(Input::File(path), passes)
}

/// A zero score is a mistake: with sgn(0) = +1 it would be 6723.
#[test]
fn the_perceptron_makes_6995_mistakes_on_a9a() {
    let Some(path) = find("a9a.svm.gz") else { return };
    let fresh = || Recipe::of(spec("perceptron"), Vec::new());
    let streamed = learn(plan(path.clone(), 1), Start::Fresh(fresh()), &mut ()).unwrap();
    assert_eq!(streamed.model.counts.passes, [PassCounts { trials: 32561, mistakes: 6995, updates: 6995 }]);
    assert_eq!(streamed.model.features, 123);
    let held = learn(plan(path, 2), Start::Fresh(fresh()), &mut ()).unwrap();
    assert_eq!(held.model.counts.passes[0], streamed.model.counts.passes[0]);
}

/// What two other programs find.
#[test]
fn the_gaussian_perceptron_makes_6668_mistakes_on_a9a() {
    let (Some(train), Some(tested)) = (find("a9a.svm.gz"), find("a9a.t.svm.gz")) else { return };
    let spec = spec("perceptron:kernel=gaussian,gamma=0.05");
    let fresh = Recipe::of(spec, Vec::new());
    let model = learn(plan(train, 1), Start::Fresh(fresh), &mut ()).unwrap().model;
    assert_eq!(model.counts.passes, [PassCounts { trials: 32561, mistakes: 6668, updates: 6668 }]);
    assert_eq!(model.learner.support(), Some(6668));
    let Errors { examples, errors } =
        Errors::from(&test(&model, &Input::File(tested), &model.read_options(), None, &mut ()).unwrap());
    assert_eq!((examples, format!("{:.4}", errors as f64 / examples as f64)), (16281, "0.1765".to_string()));
}

/// Training errors in per cent as printed in Table 2 of Li (2005), with their standard errors, on
/// 80/20 splits after 2000 epochs from Fisher's discriminant.
const PRINTED: [(&str, &str, f64, f64); 8] = [
    ("pima", "rcd", 19.60, 0.04),
    ("pima", "rcd-bias", 19.60, 0.04),
    ("pima", "averaged-sampled", 21.99, 0.04),
    ("pima", "sgd:loss=hinge", 22.15, 0.04),
    ("heart", "rcd", 9.48, 0.05),
    ("heart", "rcd-bias", 9.49, 0.05),
    ("heart", "pocket", 11.22, 0.05),
    ("heart", "sgd:loss=modified-squares", 13.82, 0.06),
];

#[test]
fn training_errors_are_those_of_the_papers_table() {
    const SPLITS: u64 = 20;
    for (set, learner, printed, printed_error) in PRINTED {
        let Some(path) = find(&format!("{set}.svm.gz")) else { return };
        let (points, features) = read_points(&Input::File(path));
        let separator = if learner.contains(':') { ',' } else { ':' };
        let mut rates = Vec::new();
        for seed in 1..=SPLITS {
            let mut order: Vec<usize> = (0..points.len()).collect();
            Random::new(seed).shuffle(&mut order);
            let train: Vec<_> = order[..points.len() * 4 / 5].iter().map(|&i| points[i].clone()).collect();
            let sample = scaled_sample(&train, features, Storage::Sparse, &vec![1.0; train.len()]);
            let mut fitted = spec(&format!("{learner}{separator}epochs=2000,seed={seed}")).fits_all().unwrap();
            fitted.fit(&sample, &mut ()).unwrap();
            let errors = sample.errors(&weight_vector(fitted.as_ref()).unwrap()).unwrap();
            rates.push(100.0 * errors.rows as f64 / train.len() as f64);
        }
        let n = SPLITS as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let error = (rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        let apart = (mean - printed).abs() / error.hypot(printed_error);
        assert!(apart <= 3.0, "{learner} on {set}: {mean:.2} ± {error:.2} instead of {printed} ± {printed_error}");
    }
}

/// Summed over the ten binary problems.
#[test]
fn the_polynomial_perceptron_makes_8148_mistakes_on_mnist() {
    let names = ["mnist-train-images-idx3-ubyte.gz", "mnist-t10k-images-idx3-ubyte.gz"];
    let [Some(train), Some(tested)] = names.map(find) else { return };
    let spec = spec("perceptron:kernel=polynomial,degree=5,offset=1");
    let fresh = Recipe::of(spec, stages(&["l2"]));
    let model = learn(plan(train, 1), Start::Fresh(fresh), &mut ()).unwrap().model;
    assert_eq!(model.counts.passes, [PassCounts { trials: 60_000, mistakes: 8148, updates: 8148 }]);
    let errors = Errors::from(&test(&model, &Input::File(tested), &model.read_options(), None, &mut ()).unwrap());
    assert_eq!(errors, Errors { examples: 10_000, errors: 304 });
}
