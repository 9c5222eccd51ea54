//! What the page shows, as JSON.

use std::sync::atomic::Ordering;

use onlinear::StageSpec;
use serde_json::{Value as Json, json};

use crate::edition::Edition;
use crate::metrics::{Mistake, resident_memory};
use crate::server::Server;

/// So many weights are shown, and so many classes have theirs shown.
const WEIGHTS: usize = 15;
const CLASSES: usize = 5;

pub(super) fn live(server: &Server) -> String {
    let edition = server.published.newest();
    let model = &edition.model;
    let uptime = server.begun.elapsed().as_secs();
    // This takes its time; the writer waits for what follows.
    let weights = server.largest_weights(&edition, largest_weights);
    let mut progress = server.metrics.progress();
    let [learned_per_second, predicted_per_second] = progress.per_second(uptime);
    let name = |class: usize| model.classes.names().get(class).cloned().unwrap_or_default();
    let mistakes: Vec<Json> = progress
        .last_mistakes
        .iter()
        .map(|Mistake { answer, line }| {
            json!({"row": answer.row, "label": name(answer.class), "predicted": name(answer.predicted),
                   "score": answer.score, "line": line})
        })
        .collect();
    let windows = progress.window_errors().map(|(rows, error)| json!({"rows": rows, "error": error}));
    let told = json!({
        "learner": model.spec.brief(),
        "stages": model.stages.specs().map(StageSpec::to_string).collect::<Vec<_>>(),
        "learns": server.learns(),
        "features": model.features,
        "uptime": uptime,
        "learned": progress.learned,
        "mistakes": progress.mistakes,
        "error": progress.error(),
        "windows": windows,
        "predicted": server.metrics.predicted.load(Ordering::Relaxed),
        "waiting": server.metrics.waiting.load(Ordering::Relaxed),
        "log_bytes": server.metrics.log_bytes.load(Ordering::Relaxed),
        "memory": resident_memory(),
        "curve": progress.curve(),
        "learned_per_second": learned_per_second,
        "predicted_per_second": predicted_per_second,
        "classes": classes(&edition),
        "weights": weights,
        "last_mistakes": mistakes,
    });
    drop(progress);
    format!("{told}\n")
}

fn classes(edition: &Edition) -> Vec<Json> {
    let model = &edition.model;
    let counts = model.classes.names().iter().zip(&model.counts.classes);
    counts.map(|(name, count)| json!({"label": name, "rows": count})).collect()
}

/// The largest weights of each of the first few classes.
fn largest_weights(edition: &Edition) -> Json {
    let model = &edition.model;
    let class = |k: usize| if model.learner.is_alone() { 1 } else { k };
    let of_class = |(k, leaves)| {
        let mut weights = model.named_weights(&leaves)?;
        weights.retain(|(_, weight)| *weight != 0.0);
        weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        weights.truncate(WEIGHTS);
        Some(json!({"label": model.classes.name(class(k)), "weights": weights}))
    };
    model.learner.leaves().enumerate().take(CLASSES).filter_map(of_class).collect()
}
