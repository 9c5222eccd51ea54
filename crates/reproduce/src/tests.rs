//! The experiments that are part of the program.

#![allow(clippy::unwrap_used)]

use crate::claim::{CellName, CellValues, ClaimTest, ClaimVerdict, Judgement, judge};
use crate::experiment::{Experiment, ExperimentFile, ExperimentKind};
use crate::measure::Measure;
use crate::options::{Host, RunOptions};
use crate::plan::{self, combinations};
use crate::runs::{fresh, spec};
use crate::show::{results_as_json, results_from_json};
use crate::studies::{Study, all, named};
use onlinear::Watch;
use onlinear::workshop::Stop;
use serde_json::Value as Json;

#[test]
fn every_file_is_read_and_every_name_is_its_own() {
    let all = all().unwrap();
    let mut names: Vec<&str> = all.iter().map(|study| study.experiment.name.as_str()).collect();
    assert!(names.contains(&"projectron-table1") && names.contains(&"winnow-lecture"), "{names:?}");
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    assert_eq!(named(&["all".to_string()]).unwrap().len(), all.len());
}

#[test]
fn an_unknown_key_is_refused() {
    let good = "[[experiment]]\nname = 'a'\ntitle = 'b'\nsource = 'c'\nkind = 'online'\nrepeats = 1\nfull = 1\n\
                minutes = 1\nmeasures = []\n";
    assert!(toml::from_str::<ExperimentFile>(good).is_ok());
    let Err(error) = toml::from_str::<ExperimentFile>(&format!("{good}colour = 'red'\n")) else { panic!() };
    assert!(error.to_string().contains("colour"), "{error}");
}

#[test]
fn every_measure_has_its_name() {
    for (name, measure) in
        [("mistake_rate", Measure::MistakeRate), ("test_mistakes", Measure::TestMistakes), ("bound", Measure::Bound)]
    {
        assert_eq!((measure.name(), Measure::named(name)), (name, Some(measure)));
    }
}

#[test]
fn every_spec_is_a_learner_with_stages_it_can_have() {
    for study in all().unwrap() {
        for data in &study.experiment.data {
            for learner in study.experiment.learner.iter().filter(|learner| learner.runs_on(&data.column)) {
                for settings in [false, true].into_iter().flat_map(|full| combinations(learner, &data.column, full)) {
                    let place = format!("{}, {}, {}", study.experiment.name, learner.row, data.column);
                    let spec = spec(learner, data, &settings, 7).unwrap_or_else(|error| panic!("{place}: {error}"));
                    assert!(fresh(learner, data, spec, None).is_ok(), "{place}");
                }
            }
        }
    }
}

#[test]
fn every_printed_cell_has_a_run() {
    let mut cells = 0;
    for study in all().unwrap() {
        let experiment = &study.experiment;
        for printed in &study.printed {
            let runs = experiment.learner.iter().any(|learner| {
                let measures = learner.measures.as_ref().unwrap_or(&experiment.measures);
                let data = experiment.data.iter().any(|data| data.column == printed.column);
                let is = learner.printed_row() == printed.row && !learner.extra;
                is && data && learner.runs_on(&printed.column) && measures.contains(&printed.measure)
            });
            assert!(runs, "{printed:?}");
            cells += usize::from(experiment.printed_in.is_none());
        }
    }
    assert_eq!(cells, crate::studies::printed_cells(), "a cell belongs to no experiment");
}

#[test]
fn every_reference_has_runs_on_the_same_data() {
    for study in all().unwrap().iter().filter(|study| study.experiment.kind != ExperimentKind::Claims) {
        for data in &study.experiment.data {
            let Some(row) = &data.reference else { continue };
            let same = |column: &str| {
                study.experiment.data.iter().any(|other| other.column == column && other.key() == data.key())
            };
            let has = study.experiment.learner.iter().any(|learner| {
                learner.row == *row
                    && study.experiment.data.iter().any(|other| learner.runs_on(&other.column) && same(&other.column))
            });
            assert!(has, "{}, {}", study.experiment.name, data.column);
        }
    }
}

/// Values for all cells that an experiment has.
struct Everything<'a>(&'a Experiment);

impl CellValues for Everything<'_> {
    fn columns(&self) -> Vec<&str> {
        self.0.data.iter().map(|data| data.column.as_str()).collect()
    }

    fn has(&self, name: &CellName, column: &str) -> bool {
        self.columns().contains(&column)
            && self.0.learner.iter().any(|learner| {
                let measures = learner.measures.as_ref().unwrap_or(&self.0.measures);
                learner.row == name.row && learner.runs_on(column) && measures.contains(&name.measure)
            })
    }

    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>> {
        self.has(name, column).then(|| vec![1.0, 2.0])
    }
}

#[test]
fn every_claim_is_about_cells_that_there_are() {
    let mut claims = 0;
    for study in all().unwrap() {
        let values = Everything(&study.experiment);
        for claim in &study.experiment.claim {
            let place = format!("{}: {}", study.experiment.name, claim.test);
            let test = ClaimTest::parse(&claim.test).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(!test.cells().is_empty(), "{place}");
            for cell in test.cells() {
                let name = cell.in_column(None);
                let is =
                    |column: &&str| cell.column.as_deref().is_none_or(|own| own == *column) && values.has(cell, column);
                assert!(values.columns().iter().any(is), "{place}: there is no {name}");
                assert!(
                    cell.at.is_none_or(|at| study.experiment.points.contains(&at)),
                    "{place}: no such point: {name}"
                );
            }
            // Some column has all cells that are compared with each other, in every share too.
            let Judgement { verdict, evidence, .. } = judge(&test, &values);
            assert_ne!(verdict, ClaimVerdict::NotRun, "{place}: {evidence:?}");
            claims += 1;
        }
    }
    assert!(claims > 50, "{claims}");
}

#[test]
fn no_verdict_was_edited_by_hand() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduction/results.json");
    let mut kept: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let all = all().unwrap();
    let results = results_from_json(&all, &kept).unwrap();
    assert_eq!(results.len(), all.len(), "every experiment was run once");
    let own = results_as_json(&results);
    for (own, kept) in own["tables"].as_array().unwrap().iter().zip(kept["tables"].as_array().unwrap()) {
        for key in ["cells", "curves", "claims"] {
            for (own, kept) in own[key].as_array().unwrap().iter().zip(kept[key].as_array().unwrap()) {
                assert_eq!(own, kept, "{}", own["name"]);
            }
        }
    }
    kept.as_object_mut().unwrap().remove("about");
    assert_eq!(own, kept);
}

struct NobodyLooksOn;

impl Host for NobodyLooksOn {
    fn reading(&self) -> Box<dyn Watch> {
        Box::new(())
    }

    fn work(&self, _runs: usize) -> Box<dyn Fn() + Sync> {
        Box::new(|| ())
    }
}

#[test]
fn a_learner_whose_numbers_grow_too_large_fails_alone() {
    let text = "[[experiment]]\nname = 'a'\ntitle = 'b'\nsource = 'c'\nkind = 'split'\nrepeats = 3\nfull = 3\n\
                minutes = 1\nmeasures = ['test_error']\n\
                [[experiment.data]]\ncolumn = 'ringnorm'\ngenerate = 'ringnorm'\nrows = 60\ntrain = 40\ntest = 20\n\
                [[experiment.learner]]\nrow = 'good'\nspec = 'perceptron'\n\
                [[experiment.learner]]\nrow = 'bad'\nspec = 'perceptron:rate={rate}'\n\
                grid = { rate = [1e308, 9e307] }\n\
                [[experiment.claim]]\ntext = 'd'\ntest = 'test_error[bad] < test_error[good]'\nsource = 'e'\n";
    let mut file: ExperimentFile = toml::from_str(text).unwrap();
    let study = Study { folder: "f", paper: "g", experiment: file.experiment.remove(0), printed: Vec::new() };
    let (data, resume) = (None, None);
    let options = RunOptions {
        data,
        repeats: None,
        full: false,
        only: Vec::new(),
        resume,
        max_memory: 1 << 30,
        stop: Stop::default(),
    };
    let results = plan::run(&[&study], &options, &NobodyLooksOn).unwrap();
    let text = results[0].as_text();
    assert!(text.contains("Without a result: bad on ringnorm: 3 of 3 runs failed, the first at ringnorm:"), "{text}");
    assert!(text.contains("good") && text.contains("not run"), "{text}");
    assert_eq!(results[0].found_no_data(), None);
    let json = results_as_json(&results);
    assert_eq!(json["tables"][0]["skipped"][0]["row"], "bad");
    assert_eq!(json["tables"][0]["cells"].as_array().unwrap().len(), 1);
}
