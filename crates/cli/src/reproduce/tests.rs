//! The experiments that are part of the program.

#![allow(clippy::unwrap_used)]

use super::claim::{CellName, Judgement, Says, Test, Values, judge};
use super::experiment::{Experiment, Kind};
use super::library::{Ready, all, named};
use super::measure::Measure;
use super::outcome::{Outcome, Skipped};
use super::plan::combinations;
use super::ran::Ran;
use super::runs::{fresh, spec};
use super::show::total;
use serde_json::Value as Json;

use crate::rows::require_own_norm;

#[test]
fn every_file_is_read_and_every_name_is_its_own() {
    let all = all().unwrap();
    let mut names: Vec<&str> = all.iter().map(|ready| ready.experiment.name.as_str()).collect();
    assert!(names.contains(&"projectron-table1") && names.contains(&"winnow-lecture"), "{names:?}");
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    assert_eq!(named(&["all".to_string()]).unwrap().len(), all.len());
}

#[test]
fn an_unknown_key_is_refused() {
    let good = "[[experiment]]\nname = 'a'\ntitle = 'b'\nsource = 'c'\nkind = 'online'\nrepeats = 1\nfull = 1\n\
                minutes = 1\nmeasures = []\n";
    assert!(toml::from_str::<super::experiment::File>(good).is_ok());
    let Err(error) = toml::from_str::<super::experiment::File>(&format!("{good}colour = 'red'\n")) else { panic!() };
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
    for ready in all().unwrap() {
        for data in &ready.experiment.data {
            for entry in ready.experiment.learner.iter().filter(|entry| entry.runs_on(&data.column)) {
                for settings in [false, true].into_iter().flat_map(|full| combinations(entry, full)) {
                    let place = format!("{}, {}, {}", ready.experiment.name, entry.row, data.column);
                    let spec = spec(entry, data, &settings, 7).unwrap_or_else(|error| panic!("{place}: {error}"));
                    require_own_norm(&fresh(entry, data, spec, None))
                        .unwrap_or_else(|error| panic!("{place}: {error}"));
                }
            }
        }
    }
}

#[test]
fn every_printed_cell_has_a_run() {
    let mut cells = 0;
    for ready in all().unwrap() {
        let experiment = &ready.experiment;
        for printed in &ready.printed {
            let runs = experiment.learner.iter().any(|entry| {
                let measures = entry.measures.as_ref().unwrap_or(&experiment.measures);
                let data = experiment.data.iter().any(|data| data.column == printed.column);
                let is = entry.printed_row() == printed.row && !entry.extra;
                is && data && entry.runs_on(&printed.column) && measures.contains(&printed.measure)
            });
            assert!(runs, "{printed:?}");
            cells += 1;
        }
    }
    assert_eq!(cells, super::library::printed_cells(), "a cell belongs to no experiment");
}

#[test]
fn every_reference_has_runs_on_the_same_data() {
    for ready in all().unwrap().iter().filter(|ready| ready.experiment.kind != Kind::Claims) {
        for data in &ready.experiment.data {
            let Some(row) = &data.reference else { continue };
            let same = |column: &str| {
                ready.experiment.data.iter().any(|other| other.column == column && other.key() == data.key())
            };
            let has = ready.experiment.learner.iter().any(|entry| {
                entry.row == *row
                    && ready.experiment.data.iter().any(|other| entry.runs_on(&other.column) && same(&other.column))
            });
            assert!(has, "{}, {}", ready.experiment.name, data.column);
        }
    }
}

/// Values for all cells that an experiment has.
struct Everything<'a>(&'a Experiment);

impl Values for Everything<'_> {
    fn columns(&self) -> Vec<&str> {
        self.0.data.iter().map(|data| data.column.as_str()).collect()
    }

    fn has(&self, name: &CellName, column: &str) -> bool {
        self.columns().contains(&column)
            && self.0.learner.iter().any(|entry| {
                let measures = entry.measures.as_ref().unwrap_or(&self.0.measures);
                entry.row == name.row && entry.runs_on(column) && measures.contains(&name.measure)
            })
    }

    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>> {
        self.has(name, column).then(|| vec![1.0, 2.0])
    }
}

#[test]
fn every_claim_is_about_cells_that_there_are() {
    let mut claims = 0;
    for ready in all().unwrap() {
        let values = Everything(&ready.experiment);
        for claim in &ready.experiment.claim {
            let place = format!("{}: {}", ready.experiment.name, claim.test);
            let test = Test::parse(&claim.test).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(!test.cells().is_empty(), "{place}");
            for cell in test.cells() {
                let name = cell.in_column(None);
                let is =
                    |column: &&str| cell.column.as_deref().is_none_or(|own| own == *column) && values.has(cell, column);
                assert!(values.columns().iter().any(is), "{place}: there is no {name}");
                assert!(
                    cell.at.is_none_or(|at| ready.experiment.points.contains(&at)),
                    "{place}: no such point: {name}"
                );
            }
            // Some column has all cells that are compared with each other, in every share too.
            let Judgement { verdict, evidence, .. } = judge(&test, &values);
            assert_ne!(verdict, Says::NotRun, "{place}: {evidence:?}");
            claims += 1;
        }
    }
    assert!(claims > 50, "{claims}");
}

/// What the runs of a table said, from the values of its cells and curves.
fn from_json<'a>(ready: &'a Ready, table: &Json) -> Vec<Ran<'a>> {
    let numbers =
        |json: &Json| json.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for data in &ready.experiment.data {
        for entry in ready.experiment.learner.iter().filter(|entry| entry.runs_on(&data.column)) {
            let measures = entry.measures.as_deref().unwrap_or(&ready.experiment.measures);
            let of = |list: &str, measure: &Measure| {
                let is = |one: &&Json| {
                    one["row"] == entry.row && one["column"] == data.column && one["measure"] == measure.name()
                };
                table[list].as_array().unwrap().iter().find(is).cloned().unwrap_or_default()
            };
            let cells: Vec<Json> = measures.iter().map(|measure| of("cells", measure)).collect();
            let ends = measures.iter().zip(&cells).filter(|(_, cell)| cell.is_object());
            let curve = |measure: &Measure| {
                let curve = of("curves", measure);
                let points = curve["points"].as_array().cloned().unwrap_or_default();
                let point = |(i, point): (usize, &Json)| (point[0].as_f64().unwrap(), numbers(&curve["values"][i]));
                points.iter().enumerate().map(point).collect::<Vec<_>>()
            };
            rows.push(Ran {
                data,
                entry,
                measures,
                settings: cells[0]["settings"].as_str().unwrap_or_default().to_string(),
                repeats: cells[0]["repeats"].as_u64().unwrap_or_default() as usize,
                ends: ends.map(|(measure, cell)| (*measure, numbers(&cell["values"]))).collect(),
                curves: measures.iter().map(|measure| (*measure, curve(measure))).collect(),
            });
        }
    }
    rows
}

#[test]
fn no_verdict_was_edited_by_hand() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduction/results.json");
    let results: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let all = all().unwrap();
    let tables = results["tables"].as_array().unwrap();
    assert_eq!(tables.len(), all.len(), "every experiment was run once");
    let mut outcomes = Vec::new();
    for ready in &all {
        let name = &ready.experiment.name;
        let table = tables.iter().find(|table| table["name"] == *name).unwrap_or_else(|| panic!("{name} was not run"));
        let skipped = table["skipped"].as_array().unwrap().iter().map(|skipped| Skipped {
            columns: skipped["columns"]
                .as_array()
                .unwrap()
                .iter()
                .map(|column| column.as_str().unwrap().to_string())
                .collect(),
            reason: skipped["reason"].as_str().unwrap().to_string(),
        });
        let outcome = Outcome::new(ready, &from_json(ready, table), skipped.collect()).unwrap();
        let (own, kept) = (outcome.as_json(), table);
        for key in ["cells", "curves", "claims"] {
            for (own, kept) in own[key].as_array().unwrap().iter().zip(kept[key].as_array().unwrap()) {
                assert_eq!(own, kept, "{name}");
            }
        }
        assert_eq!(own, *kept, "{name}");
        outcomes.push(outcome);
    }
    assert_eq!(total(&outcomes).as_json(), results["summary"]);
}
