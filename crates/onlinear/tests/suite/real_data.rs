//! Counts on real files, which are not part of the project: looked for in the folder that the
//! environment variable `ONLINEAR_DATA` names, and skipped where they are not.

use std::path::PathBuf;

use onlinear::data::{Input, Keep, LabelChoice, ReadOptions};
use onlinear::evaluate::{Errors, Fresh, Normalize, Passes, Plan, Start, learn, test};
use onlinear::model::PassCounts;

use crate::support::spec;

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
    Plan {
        input: Input::File(path),
        read: ReadOptions::default(),
        labels: LabelChoice::default(),
        passes: Passes::Exactly(passes),
        keep: Keep { limit: None, cache: false, max_memory: 1 << 30 },
        train_error: false,
    }
}

/// A zero score is a mistake: with sgn(0) = +1 it would be 6723.
#[test]
fn the_perceptron_makes_6995_mistakes_on_a9a() {
    let Some(path) = find("a9a.svm.gz") else { return };
    let fresh = || Fresh { spec: spec("perceptron"), scale: None, normalize: Normalize::None, bias: None, shuffle: None };
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
    let fresh = Fresh { spec, scale: None, normalize: Normalize::None, bias: None, shuffle: None };
    let model = learn(plan(train, 1), Start::Fresh(fresh), &mut ()).unwrap().model;
    assert_eq!(model.counts.passes, [PassCounts { trials: 32561, mistakes: 6668, updates: 6668 }]);
    assert_eq!(model.learner.support(), Some(6668));
    let Errors { examples, errors } = test(&model, &Input::File(tested), &model.read_options(), None, |_| ()).unwrap().errors;
    assert_eq!((examples, format!("{:.4}", errors as f64 / examples as f64)), (16281, "0.1765".to_string()));
}
