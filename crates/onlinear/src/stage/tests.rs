//! Stages, one by one and in order.

use super::*;

fn stages(specs: &[&str]) -> Stages {
    let specs: Vec<StageSpec> = specs.iter().map(|spec| spec.parse().unwrap()).collect();
    let mut stages = Stages::new(&specs);
    let mut scratch = Scratch::default();
    while stages.unread().is_some() {
        stages.survey(Row::Sparse { indices: &[1, 2], values: &[4.0, 7.0] }, &mut scratch);
        stages.survey(Row::Dense(&[-2.0, 2.0, 7.0]), &mut scratch);
        stages.survey(Row::Sparse { indices: &[2], values: &[7.0] }, &mut scratch);
        stages.end_survey(3);
    }
    stages
}

fn dense(stages: &Stages, x: &[f64]) -> Vec<f64> {
    stages.apply(Row::Dense(x), &mut Scratch::default()).values().to_vec()
}

#[test]
fn minmax_maps_ranges_to_the_unit_interval_and_constants_to_zero() {
    let stages = stages(&["minmax"]);
    assert_eq!(dense(&stages, &[-2.0, 4.0, 7.0]), [-1.0, 1.0, 0.0]);
    assert_eq!(dense(&stages, &[0.0, 0.0, 9.0]), [1.0, -1.0, 0.0]);
    assert_eq!(dense(&stages, &[2.0, 6.0]), [3.0, 2.0, 0.0]); // beyond the training range: not clipped
}

#[test]
fn standard_gives_mean_zero_and_deviation_one() {
    let stages = stages(&["standard"]);
    let rows = [[0.0, 4.0, 7.0], [-2.0, 2.0, 7.0], [0.0, 0.0, 7.0]].map(|x| dense(&stages, &x));
    for column in 0..2 {
        let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        assert!(values.iter().sum::<f64>().abs() < 1e-12);
        assert!((values.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-12);
    }
    assert!(rows.iter().all(|row| row[2] == 0.0));
}

#[test]
fn maxabs_leaves_zeros_alone() {
    let (stages, mut scratch) = (stages(&["maxabs"]), Scratch::default());
    let row = stages.apply(Row::Sparse { indices: &[1, 7], values: &[-2.0, 5.0] }, &mut scratch);
    assert!(matches!(row, Row::Sparse { indices: [1], values: [-0.5] }), "a feature without a scale is left out");
    assert_eq!(dense(&stages, &[-2.0, 2.0, 7.0]), [-1.0, 0.5, 1.0]);
}

#[test]
fn a_range_becomes_what_suits_the_rows() {
    let specs = |stages: &Stages| stages.specs().map(StageSpec::to_string).collect::<Vec<_>>();
    let dense_rows = stages(&["range", "bias"]);
    assert_eq!(specs(&dense_rows), ["minmax", "bias:value=1"]);
    assert_eq!(dense(&dense_rows, &[-2.0, 4.0]), dense(&stages(&["minmax", "bias"]), &[-2.0, 4.0]));
    // A quarter of 4 entries is still dense, less is not.
    for (features, settled) in [(4, "minmax"), (5, "maxabs")] {
        let mut sparse = Stages::new(&["range".parse().unwrap()]);
        sparse.survey(Row::Sparse { indices: &[3], values: &[-8.0] }, &mut Scratch::default());
        sparse.end_survey(features);
        assert_eq!(specs(&sparse), [settled]);
    }
}

#[test]
fn stages_run_in_the_order_of_the_list() {
    assert_eq!(dense(&stages(&["l2", "bias:value=0.5"]), &[3.0, 4.0]), [0.5, 0.6, 0.8]);
    assert_eq!(dense(&stages(&["l2", "bias:value=0.5"]), &[]), [0.5]);
    assert_eq!(dense(&stages(&["bias:value=4", "l2"]), &[3.0]), [0.8, 0.6]);
    let (stages, mut scratch) = (stages(&["l2", "bias:value=0.5"]), Scratch::default());
    let row = stages.apply(Row::Sparse { indices: &[4], values: &[2.0] }, &mut scratch);
    assert!(matches!(row, Row::Sparse { indices: [0, 5], values: [0.5, 1.0] }));
}

#[test]
fn a_stage_reads_rows_as_those_before_it_made_them() {
    // Of rows of length 1 the first feature ranges over -0.26 … 0, whatever it was before.
    let scaled = stages(&["l2", "minmax"]);
    let first = -2.0 / 57f64.sqrt();
    assert!((dense(&scaled, &[-2.0, 2.0, 7.0])[0] + 1.0).abs() < 1e-15);
    assert!((dense(&scaled, &[-1.0])[0] - (-1.0 - first / 2.0) * (2.0 / -first)).abs() < 1e-12);
    assert_eq!(stages(&["minmax", "bias"]).features_after(3), 4);
}

#[test]
fn weights_are_pulled_back_through_all_stages() {
    for specs in
        [&["minmax", "bias:value=2"][..], &["maxabs"], &["standard", "minmax", "bias"], &["bias", "standard"], &[]]
    {
        let stages = stages(specs);
        let w: Vec<f64> = (0..stages.features_after(3)).map(|i| 0.5 + i as f64).collect();
        for x in [[1.0, 2.0, 3.0], [-4.0, 0.0, 0.5]] {
            let staged: f64 = dense(&stages, &x).iter().zip(&w).map(|(x, w)| x * w).sum();
            let mut plain = w.clone();
            let constant = stages.pull_back(&mut plain).unwrap();
            let score: f64 = x.iter().zip(&plain).map(|(x, w)| x * w).sum::<f64>() + constant;
            assert!((score - staged).abs() < 1e-12, "{specs:?}: {score} and {staged}");
        }
    }
}

#[test]
fn shorthands_fill_places_and_lists_say_all() {
    let resolved = |choices: &StageChoices, spec: &str| {
        let stages = choices.resolve(&spec.parse().unwrap());
        stages.map(|stages| stages.iter().map(StageSpec::to_string).collect::<Vec<_>>().join("/"))
    };
    let word = |word: &str| Some(word.to_string());
    let none = StageChoices::default();
    assert_eq!(resolved(&none, "perceptron").unwrap(), "");
    assert_eq!(resolved(&none, "fld").unwrap(), "range/bias:value=1");
    let unscaled = StageChoices { scale: word("none"), normalize: word("l2"), bias: word("0.5"), ..none.clone() };
    assert_eq!(resolved(&unscaled, "fld").unwrap(), "l2/bias:value=0.5");
    let own = StageChoices { normalize: word("lp"), scale: word("standard"), ..none.clone() };
    assert_eq!(resolved(&own, "p-norm:p=7").unwrap(), "standard/lp:p=7");
    let error = resolved(&own, "winnow").unwrap_err().to_string();
    assert!(error.contains("winnow has no norm of its own"), "{error}");
    let listed = StageChoices { stages: vec!["l2".into(), "standard".into()], ..none.clone() };
    assert_eq!(resolved(&listed, "perceptron").unwrap(), "l2/standard");
    assert_eq!(resolved(&listed, "fld").unwrap(), "l2/standard/bias:value=1"); // its weights have one for x₀
    assert!(resolved(&StageChoices { scale: word("minmax"), ..listed }, "fld").is_err());
    assert!(resolved(&StageChoices { scale: word("l2"), ..none.clone() }, "fld").is_err());
    let without = StageChoices { bias: word("none"), ..none };
    assert_eq!(resolved(&without, "perceptron").unwrap(), "");
    assert!(resolved(&without, "fld").is_err());
    let unknown = "standart".parse::<StageSpec>().unwrap_err().to_string();
    assert!(unknown.ends_with("did you mean 'standard'?"), "{unknown}");
}
