//! The page of `onlinear learn --html`: one run.

use onlinear::workshop::Classifier;
use onlinear::{Batch, Input, Model, ReadOptions, open};
use onlinear_charts::{Align, Cell, Column, Page, Part, Section, Table};

use crate::boundary::{self, PlaneRow};
use crate::curves::Curve;
use crate::figures::{self, Runs};
use crate::output;

use super::summary::{LearnSummary, Shown};

/// What the page tells first of the run: how good the model is, then how many mistakes it took.
const VERDICT: [&str; 4] = ["test", "holdout", "wrong class", "mistakes"];

/// What the run has to tell, and its charts.
pub fn of(
    summary: &LearnSummary<'_>,
    model: &Model,
    curve: &Curve,
    input: &Input,
    read: &ReadOptions,
) -> onlinear::Result<Page> {
    let name = model.spec.algorithm().name;
    let runs = [Runs { name: name.to_string(), place: 0, curves: vec![curve] }];
    let pass = model.counts.passes.first().filter(|_| model.counts.passes.len() > 1).map(|pass| pass.trials);
    let plane = match model.features == 2 && model.learner.is_alone() && !input.is_stream() {
        true => Some(boundary::figure("boundary", "Decision boundary", model, &spots(model, input, read)?)),
        false => None,
    };
    let all = [figures::online_error(&runs, None, pass), figures::support(&runs), figures::epochs(&runs), plane];
    let parts: Vec<Part> = all.into_iter().flatten().map(Part::Figure).collect();
    let mut pairs = summary.pairs(Shown::InShort);
    pairs.sort_by_key(|(what, _)| VERDICT.iter().position(|first| first == what).unwrap_or(VERDICT.len()));
    pairs.push(("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))));
    let measured = [("Test", "rows", summary.test()), ("Held out", "rows held out", summary.held_out())];
    let measured = measured.iter().filter_map(|(heading, rows, of)| Some(of.as_ref()?.section(heading, rows)));
    let went = (!parts.is_empty()).then(|| Section::new("How it went", parts));
    let columns = summary.columns().map(|columns| columns.section());
    let sections = measured.chain(weights(model)).chain(went).chain(columns).collect();
    Ok(Page { title: format!("{name} on {}", input.name()), about: output::about(pairs), sections })
}

/// The largest weights by the names of their features, of the class that they speak for.
fn weights(model: &Model) -> Option<Section> {
    const SHOWN: usize = 20;
    let mut rows = Vec::new();
    for (class, leaves) in model.learner.leaves().enumerate() {
        let mut weights = model.named_weights(&leaves)?;
        weights.retain(|(_, weight)| *weight != 0.0);
        weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let of = if model.learner.is_alone() { 1 } else { class };
        rows.extend(weights.iter().take(SHOWN).map(|(feature, weight)| {
            let texts = [model.classes.name(of).to_string(), feature.clone(), output::significant(*weight)];
            texts.map(Cell::new).into()
        }));
    }
    let of_each = if model.learner.is_alone() { "" } else { " of each class" };
    let table = Table {
        caption: format!("The {SHOWN} largest weights{of_each}; those above 0 speak for the class."),
        columns: vec![
            Column::new("class", Align::Left),
            Column::new("feature", Align::Left),
            Column::new("weight", Align::Right),
        ],
        rows,
        notes: Vec::new(),
    };
    (!table.rows.is_empty()).then(|| Section::new("Weights", vec![Part::Table(table)]))
}

/// The first rows of the data, which lie in a plane.
fn spots(model: &Model, input: &Input, read: &ReadOptions) -> onlinear::Result<Vec<PlaneRow>> {
    let (mut reader, _) = open(input, read)?;
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut batch, mut spots) = (Batch::default(), Vec::new());
    while spots.len() < boundary::MOST && reader.read(&mut batch)? {
        for i in 0..batch.len() {
            let class = classifier.class_of(batch.labels[i], reader.labels());
            spots.extend(class.map(|class| PlaneRow::of(batch.rows.row(i).within(2), class)));
        }
    }
    spots.truncate(boundary::MOST);
    Ok(spots)
}
