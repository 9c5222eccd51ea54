//! Runs on rows held: the same as runs on files of those rows.

use std::fmt::Write;

use onlinear::workshop::{Learns, Order, Run, TestPoints};
use onlinear::{
    ALGORITHMS, Algorithm, Errors, Input, Keep, Label, LabelChoice, Model, Passes, Plan, ReadOptions, Recipe,
    RowsInMemory, RunResult, Spec, Start, learn, test,
};

use crate::support::{Point, memory, noisy, spec, stages};

const SPECS: [&str; 6] =
    ["perceptron", "averaged", "perceptron:kernel=gaussian", "second-order", "whitened", "rcd:epochs=20"];

fn text<'a>(points: impl IntoIterator<Item = &'a Point>) -> String {
    let mut text = String::new();
    for point in points {
        write!(text, "{}", point.y.sign()).unwrap();
        point.dense.iter().enumerate().for_each(|(j, v)| write!(text, " {}:{v}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

fn keep() -> Keep {
    Keep { limit: None, cache: false, max_memory: 1 << 30 }
}

fn held(input: &Input) -> onlinear::Result<RowsInMemory> {
    RowsInMemory::load(input, &ReadOptions::default(), &LabelChoice::default(), &keep(), &mut ())
}

fn fresh(name: &str, shuffle: Option<u64>) -> Recipe {
    Recipe { shuffle, ..Recipe::of(spec(name), stages(&["minmax", "bias"])) }
}

fn from_file<'a>(points: impl IntoIterator<Item = &'a Point>, fresh: Recipe, passes: Passes) -> RunResult {
    let (read, labels) = (ReadOptions::default(), LabelChoice::default());
    let plan = Plan {
        input: memory(text(points).into_bytes()),
        read,
        labels,
        passes,
        keep: keep(),
        train_error: false,
        holdout: None,
    };
    learn(plan, Start::Fresh(fresh), &mut ()).unwrap()
}

fn bytes(mut model: Model) -> Vec<u8> {
    model.shuffle = None;
    model.to_bytes().unwrap()
}

#[test]
fn a_run_on_some_rows_is_a_run_on_a_file_of_them() {
    let points = noisy(5, 300, 6, 0.0);
    let rows: Vec<usize> = (0..200).map(|k| k * 89 % 300).collect();
    let held = held(&memory(text(&points).into_bytes())).unwrap();
    assert_eq!((held.len(), held.features()), (300, 6));
    for (i, point) in points.iter().enumerate() {
        assert_eq!(held.class(i), usize::from(point.y == Label::Positive));
    }
    let others: Vec<usize> = (0..300).filter(|i| !rows.contains(i)).collect();
    let mut same = 0;
    for name in SPECS {
        let is_batch = spec(name).is_batch();
        let passes = Passes::Exactly(if is_batch { 1 } else { 3 });
        let run = Run { fresh: &fresh(name, None), rows: &rows, passes, max_memory: 1 << 30, checkpoints: None };
        let mut ours = held.learn(&run, &mut ()).unwrap();
        let theirs = from_file(rows.iter().map(|&i| &points[i]), fresh(name, None), passes);
        assert_eq!(ours.model.counts, theirs.model.counts, "{name}");
        assert_eq!((ours.train, ours.train.is_some()), (theirs.train, is_batch), "{name}");
        let unseen = memory(text(others.iter().map(|&i| &points[i])).into_bytes());
        let errors = Errors::from(&test(&theirs.model, &unseen, &theirs.model.read_options(), None, &mut ()).unwrap());
        assert_eq!(held.test(&ours.model, &others).unwrap(), errors, "{name}");
        let has_support = ours.model.learner.alone().is_some_and(|learner| learner.leaves().support_len().is_some());
        let is_same = bytes(ours.model) == bytes(theirs.model);
        assert!(is_same || has_support, "{name}"); // support vectors have the ids of their rows
        same += usize::from(is_same);
    }
    assert!(same >= 5, "{same} models are the same");
}

#[test]
fn passes_after_the_first_are_shuffled_anew() {
    let points = noisy(6, 120, 4, 0.0);
    let rows: Vec<usize> = (0..100).map(|k| k * 7 % 120).collect();
    let held = held(&memory(text(&points).into_bytes())).unwrap();
    let run = Run {
        fresh: &fresh("perceptron", Some(3)),
        rows: &rows,
        passes: Passes::Exactly(3),
        max_memory: 1 << 30,
        checkpoints: None,
    };
    let ours = held.learn(&run, &mut ()).unwrap().model;
    let (mut all, mut order) = (rows.clone(), Order::shuffled(rows.len(), 3).unwrap());
    (0..2).for_each(|_| all.extend(order.next_pass().map(|k| rows[k])));
    let long = from_file(all.iter().map(|&i| &points[i]), fresh("perceptron", None), Passes::Exactly(1)).model;
    assert_eq!(ours.learner.weights(), long.learner.weights());
    assert_eq!(ours.counts.total(), long.counts.total());
    assert_eq!(ours.shuffle, Some(3));
}

/// Rows of so many classes. The first lies apart, so that what learns to tell it from the rest can stop early.
fn classes(seed: u64, count: usize) -> String {
    let mut text = String::new();
    for (i, point) in noisy(seed, 240, 4, 0.0).iter_mut().enumerate() {
        let class = if count == 2 { usize::from(point.y == Label::Positive) } else { i % count };
        point.dense[0] += if class == 0 && count > 2 { 9.0 } else { 0.0 };
        point.dense[1] += class as f64;
        write!(text, "{class}").unwrap();
        point.dense.iter().enumerate().for_each(|(j, v)| write!(text, " {}:{v}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

/// What a batch learner gets wrong on the way is what runs of so many epochs get wrong.
#[test]
fn a_test_on_the_way_is_a_test_of_a_shorter_run() {
    const EPOCHS: [u64; 4] = [1, 2, 4, 8];
    let counted =
        |algorithm: &Algorithm| ["rounds", "epochs"].into_iter().find(|key| algorithm.parameter(key).is_some());
    let mut specs: Vec<(String, &str)> = ALGORITHMS
        .iter()
        .filter(|algorithm| algorithm.learns() == Learns::AllAtOnce)
        .filter_map(|algorithm| Some((algorithm.name.to_string(), counted(algorithm)?)))
        .collect();
    assert!(specs.len() >= 10, "{specs:?}");
    specs.extend(
        ["rcd-grad:start=zero", "pocket:start=zero", "ccd:start=zero"].map(|text| (text.to_string(), "epochs")),
    );
    let kernel = "base=perceptron,base.kernel=gaussian";
    let bases = ["base=fld", "base=averaged,passes=2", kernel].map(|base| (format!("adaboost:{base}"), "rounds"));
    specs.extend(bases);
    let (rows, others): (Vec<usize>, Vec<usize>) = (0..240).partition(|i| i % 4 > 0);
    let mut moved = 0;
    for classes in [2, 3] {
        let [held, elsewhere] = [11, 12].map(|seed| held(&memory(self::classes(seed, classes).into_bytes())).unwrap());
        for (text, key) in &specs {
            let fresh = |epochs: u64| Recipe {
                spec: Spec::varied(text, &[(key, &epochs.to_string())]).unwrap(),
                ..fresh("perceptron", None)
            };
            let learned = |epochs: u64, checkpoints: Option<TestPoints<'_>>| {
                let passes = Passes::Exactly(1);
                let run = Run { fresh: &fresh(epochs), rows: &rows, passes, max_memory: 1 << 30, checkpoints };
                held.learn(&run, &mut ()).unwrap()
            };
            for tested in [&held, &elsewhere] {
                let ours = learned(8, Some(TestPoints { epochs: &EPOCHS, held: tested, rows: &others }));
                let theirs = EPOCHS.map(|epochs| (epochs, tested.test(&learned(epochs, None).model, &others).unwrap()));
                assert_eq!(ours.tested, theirs, "{text}, {classes} classes");
                assert_eq!(bytes(ours.model), bytes(learned(8, None).model), "{text}, {classes} classes");
                moved += theirs.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
            }
        }
    }
    assert!(moved > 60, "{moved} times another error after twice the epochs");
}

#[test]
fn threads_share_the_rows() {
    let points = noisy(7, 200, 5, 0.0);
    let held = held(&memory(text(&points).into_bytes())).unwrap();
    let learned = |part: usize| {
        let rows: Vec<usize> = (0..200).filter(|i| i % 4 != part).collect();
        let run = Run {
            fresh: &fresh("averaged", None),
            rows: &rows,
            passes: Passes::UntilSeparated(5),
            max_memory: 1 << 30,
            checkpoints: None,
        };
        let outcome = held.learn(&run, &mut ()).unwrap();
        assert!(outcome.separated.is_some());
        bytes(outcome.model)
    };
    let apart: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|part| scope.spawn(move || learned(part))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(apart, (0..4).map(learned).collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_is_said() {
    let message = |text: &str| held(&memory(text.as_bytes())).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        message("1 1:1\n1 1:1\n0 1:2\n-1 1:1\n"),
        "test: has labels -1 and 0, which both count as negative; name both labels or the positive one"
    );
    let labels = LabelChoice { positive: None, labels: Some(vec!["a".to_string(), "b".to_string()]) };
    let unknown = RowsInMemory::load(&memory(*b"a 1:1\nc 1:1\n"), &ReadOptions::default(), &labels, &keep(), &mut ());
    assert_eq!(
        unknown.map(|_| ()).unwrap_err().to_string(),
        "test:2:1: label 'c' is neither 'a' nor 'b', the classes of this model"
    );
    let held = held(&memory(*b"1 1:1\n0 1:-1\n")).unwrap();
    let fresh = Recipe { stages: stages(&["bias"]), ..fresh("perceptron", None) };
    let run = |rows| {
        held.learn(
            &Run { fresh: &fresh, rows, passes: Passes::Exactly(1), max_memory: 1 << 20, checkpoints: None },
            &mut (),
        )
    };
    assert_eq!(run(&[0, 2]).map(|_| ()).unwrap_err().to_string(), "test: there is no row 2; it has 2");
    assert_eq!(run(&[]).map(|_| ()).unwrap_err().to_string(), "test: has no rows");
    let model = run(&[0, 1]).unwrap().model;
    assert_eq!(held.test(&model, &[1, 1, 0]).unwrap(), Errors { examples: 3, errors: 0 });
}
