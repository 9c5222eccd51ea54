//! The list of experiments.

use onlinear_charts::{Align, Cell, Column, Table};
use serde_json::{Value as Json, json};

use crate::studies::Study;

/// The list for people.
pub fn studies_as_table(all: &[Study]) -> Table {
    let row = |study: &Study| {
        let experiment = &study.experiment;
        let sets = study.sets().join(", ");
        let needs = if sets.is_empty() { "nothing".to_string() } else { sets };
        let minutes = format!("{:.1}", experiment.minutes);
        vec![Cell::new(&experiment.name), Cell::new(minutes), Cell::new(&experiment.title), Cell::new(needs)]
    };
    // Names tell of the paper and the table; without the data nothing runs.
    let columns = [
        ("experiment", Align::Left, 0),
        ("minutes", Align::Right, 0),
        ("what", Align::Left, 1),
        ("needs", Align::Left, 0),
    ];
    Table {
        caption: "Experiments".to_string(),
        columns: columns.map(|(name, align, rank)| Column { rank, ..Column::new(name, align) }).into(),
        rows: all.iter().map(row).collect(),
        notes: vec![
            String::new(),
            "Minutes are rough, on two cores. Sets are NAME.svm or NAME.svm.gz (test rows: NAME.t.svm; mnist: the four \
             idx files;"
                .to_string(),
            "lyrl2004_vectors_train: that file with the ending .dat, and rcv1-v2.topics.qrels, of RCV1-v2)"
                .to_string(),
            "in the folder of --data or ONLINEAR_DATA; columns whose data are missing are skipped.".to_string(),
        ],
    }
}

/// The list for scripts.
pub fn studies_as_json(all: &[Study]) -> Json {
    let one = |study: &Study| {
        let experiment = &study.experiment;
        json!({
            "name": experiment.name, "title": experiment.title, "paper": study.paper, "source": experiment.source,
            "sets": study.sets(), "minutes": experiment.minutes, "repeats": experiment.repeats, "full": experiment.full,
        })
    };
    json!({"experiments": all.iter().map(one).collect::<Vec<_>>()})
}
