//! The list of experiments.

use serde_json::{Value as Json, json};

use super::library::Ready;
use crate::output;
use onlinear_charts::{Align, Cell, Column, Table};

/// The list as a table.
pub fn as_text(all: &[Ready]) -> String {
    let row = |ready: &Ready| {
        let experiment = &ready.experiment;
        let sets = ready.sets().join(", ");
        let needs = if sets.is_empty() { "nothing".to_string() } else { sets };
        let minutes = format!("{:.1}", experiment.minutes);
        vec![Cell::new(&experiment.name), Cell::new(minutes), Cell::new(&experiment.title), Cell::new(needs)]
    };
    let table = Table {
        caption: "Experiments".to_string(),
        columns: vec![
            Column::new("experiment", Align::Left),
            Column::new("minutes", Align::Right),
            Column::new("what", Align::Left),
            Column::new("needs", Align::Left),
        ],
        rows: all.iter().map(row).collect(),
        notes: vec![
            String::new(),
            "Minutes are rough, on two cores. Sets are NAME.svm or NAME.svm.gz (test rows: NAME.t.svm; mnist: the four \
             idx files)"
                .to_string(),
            "in the folder of --data or ONLINEAR_DATA; columns whose data are missing are skipped.".to_string(),
        ],
    };
    output::table(&table)
}

/// The same for scripts.
pub fn as_json(all: &[Ready]) -> Json {
    let one = |ready: &Ready| {
        let experiment = &ready.experiment;
        json!({
            "name": experiment.name, "title": experiment.title, "paper": ready.paper, "source": experiment.source,
            "sets": ready.sets(), "minutes": experiment.minutes, "repeats": experiment.repeats, "full": experiment.full,
        })
    };
    json!({"experiments": all.iter().map(one).collect::<Vec<_>>()})
}
