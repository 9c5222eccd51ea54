//! Labels that keep changing.

use onlinear::{Keep, LabelChoice, Passes, Plan, ReadOptions, Recipe, Result, Start, Watch, learn};

use crate::support::{memory, spec};

#[derive(Default)]
struct Restarts(usize);

impl Watch for Restarts {
    fn restart(&mut self) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// One start more is enough, wherever new labels turn up: else a run would be quadratic in its rows.
#[test]
fn labels_that_keep_changing_start_a_run_again_once() {
    let rows: String = (0..30_000).map(|i| format!("{} 1:1 {}:1\n", i / 1000, 2 + i % 7)).collect();
    let run = |choice: LabelChoice, limit: Option<u64>| {
        let plan = Plan {
            input: memory(rows.clone().into_bytes()),
            read: ReadOptions::default(),
            labels: choice,
            passes: Passes::Exactly(1),
            keep: Keep { limit, cache: false, max_memory: 1 << 30 },
            train_error: false,
            holdout: None,
        };
        let fresh = Recipe::of(spec("perceptron"), Vec::new());
        let mut watch = Restarts::default();
        let mut model = learn(plan, Start::Fresh(fresh), &mut watch).unwrap().model;
        (model.to_bytes().unwrap(), watch.0)
    };
    let named =
        |count: usize| LabelChoice { labels: Some((0..count).map(|i| i.to_string()).collect()), positive: None };
    let (found, restarts) = run(LabelChoice::default(), None);
    assert_eq!(restarts, 1);
    assert!(found == run(named(30), None).0);
    // Those behind a limit are no business of the run.
    let (found, restarts) = run(LabelChoice::default(), Some(12_000));
    assert!(restarts <= 3, "{restarts}");
    assert!(found == run(named(12), Some(12_000)).0);
}
