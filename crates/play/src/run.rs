//! A run over some points, and the picture of what it left.

use onlinear::workshop::{
    AnyLearner, ChargedTrials, Fact, Learns, Risk, RunRecord, Scratch, StageChoices, Stages, Symmetric, is_charged,
};
use onlinear::{Example, Expected, Label, Leaves, Row, Rows, Sample, Spec, Step};
use serde_json::{Value as Json, json};

use crate::Answer;

/// No map has more cells.
const MOST_CELLS: usize = 1 << 16;

/// What maps may take, in bytes.
const MEMORY: u64 = 1 << 28;

/// The confidence of what is told about new rows, which the page does not show.
const CONFIDENCE: f64 = 0.95;

/// Points with their labels, as a reader would give them: zeros are left out.
struct Points {
    rows: Rows,
    labels: Vec<Label>,
}

impl Points {
    fn of(request: &Json) -> Result<Points, String> {
        let list = request["points"].as_array().ok_or("the points are missing")?;
        let mut points = Points { rows: Rows::default(), labels: Vec::new() };
        for point in list {
            let number =
                |k: usize| point[k].as_f64().filter(|x| x.is_finite()).ok_or("a point is not two numbers and a label");
            let (x, y) = ([number(0)?, number(1)?], number(2)?);
            (0..2).filter(|k| x[*k] != 0.0).for_each(|k| points.rows.push(k as u32, x[k]));
            points.rows.end_row();
            points.labels.push(if y > 0.0 { Label::Positive } else { Label::Negative });
        }
        Ok(points)
    }
}

/// A learner with its stages, which have read the rows where they must.
struct Player {
    spec: Spec,
    stages: Stages,
    learner: AnyLearner,
}

impl Player {
    /// As the program makes one for a file of these rows.
    fn new(request: &Json, points: &Points) -> Result<Player, String> {
        let spec: Spec = request["spec"].as_str().ok_or("the learner is missing")?.parse().map_err(told)?;
        let bias = request["bias"].as_bool().unwrap_or(false).then(|| "1".to_string());
        let choices = StageChoices { bias, ..StageChoices::default() };
        let mut stages = Stages::new(&choices.resolve(&spec).map_err(told)?);
        let features = points.rows.dimension();
        let mut scratch = Scratch::default();
        while stages.unread().is_some() {
            (0..points.rows.len()).for_each(|i| stages.survey(points.rows.row(i), &mut scratch));
            stages.end_survey(features);
        }
        if !spec.is_batch() {
            spec.online().map_err(told)?; // which refuses a width that rows would have to tell
        }
        let mut learner = spec.learner();
        let (after, rows) = (stages.features_after(features), points.rows.len());
        let expected = Expected { features: Some(after), rows: Some(rows), max_memory: Some(MEMORY) };
        learner.prepare(&expected).map_err(|message| message.to_string())?;
        if let Some(ahead) = learner.online().and_then(|learner| learner.reads_ahead()) {
            (0..rows).for_each(|i| ahead.read(stages.apply(points.rows.row(i), &mut scratch)));
            ahead.end().map_err(|message| message.to_string())?;
        }
        Ok(Player { spec, stages, learner })
    }

    /// The score that the model gives a row as it was read.
    fn score(&self, leaves: &Leaves<'_>, x: [f64; 2], scratch: &mut Scratch) -> f64 {
        leaves.score(self.stages.apply(Row::new(&[0, 1], &x), scratch))
    }
}

fn told(error: onlinear::Error) -> String {
    error.to_string()
}

/// Runs a learner over the first so many points, and tells what came of it.
pub fn run(request: &Json) -> Answer {
    let points = Points::of(request)?;
    let steps = request["steps"].as_u64().map_or(points.rows.len(), |steps| points.rows.len().min(steps as usize));
    let mut player = Player::new(request, &points)?;
    let mut told = match player.learner {
        AnyLearner::Online(_) => trials(&mut player, &points, steps, request["bound"] == true)?,
        AnyLearner::FitsAll(_) => fit(&mut player, &points, steps)?,
    };
    let leaves = player.learner.leaves();
    told["spec"] = json!(player.spec.to_string());
    told["stages"] = player.stages.specs().map(|stage| json!(stage.to_string())).collect();
    told["weights"] = json!(leaves.weights());
    told["support"] = json!(leaves.support_len());
    told["support_points"] = support(&leaves);
    told["map"] = map(&player, &leaves, &request["map"]);
    Ok(told)
}

/// The trials one after another, and what the last of them was made of.
fn trials(player: &mut Player, points: &Points, steps: usize, wants_bound: bool) -> Answer {
    let (mut scores, mut mistakes, mut updates) = (Vec::new(), Vec::new(), Vec::new());
    let (mut scratch, mut last) = (Scratch::default(), Json::Null);
    let (mut charged, mut rows) = (ChargedTrials::default(), ChargedTrials::default());
    for i in 0..steps {
        let y = points.labels[i];
        let before = (i + 1 == steps).then(|| weights(player));
        let x = player.stages.meet(points.rows.row(i), MEMORY, &mut scratch).map_err(|message| message.to_string())?;
        let learner = player.learner.online().ok_or("it does not learn by trials")?;
        let round = learner.round(&Example::new(x, y).at(Some(i as u64)));
        let (is_mistake, is_update) = (round.is_mistake(y), round.step == Step::Update);
        if round.step == Step::Overflow {
            return Err(format!("trial {}: the numbers have grown too large", i + 1));
        }
        if wants_bound {
            rows.add(i as u64, x, y, false);
            if is_charged(&player.spec, is_mistake, is_update) {
                charged.add(i as u64, x, y, is_mistake);
            }
        }
        if let Some(before) = before {
            let mut staged = Vec::new();
            x.for_each(|k, value| {
                staged.resize(k + 1, 0.0);
                staged[k] = value;
            });
            last = json!({"x": staged, "y": y.sign(), "score": round.score, "mistake": is_mistake, "updated": is_update,
                "asked": round.asked, "before": before});
        }
        scores.push(round.score);
        mistakes.push(u8::from(is_mistake));
        updates.push(u8::from(is_update));
    }
    let bound = if wants_bound {
        bound(player, charged, rows, mistakes.iter().map(|&m| u64::from(m)).sum(), points)
    } else {
        Json::Null
    };
    Ok(json!({"scores": scores, "mistaken": mistakes, "updated": updates, "last": last, "bound": bound,
        "mistakes": mistakes.iter().map(|&m| u64::from(m)).sum::<u64>(), "trials": steps}))
}

fn weights(player: &Player) -> Json {
    json!(player.learner.leaves().weights())
}

/// The bound that the learner's theorem puts on the mistakes over these rows in any order, or why there is none.
fn bound(player: &Player, charged: ChargedTrials, rows: ChargedTrials, mistakes: u64, points: &Points) -> Json {
    let features = player.stages.features_after(points.rows.dimension());
    let correlations = (player.spec.algorithm().learns() == Learns::AfterReadingAll).then(|| {
        let (mut matrix, mut scratch) = (Symmetric::default(), Scratch::default());
        for i in 0..points.rows.len() {
            let x = player.stages.apply(points.rows.row(i), &mut scratch);
            matrix.grow(x.dimension(), 0.0);
            matrix.add_row(x);
        }
        matrix
    });
    let gains = player.learner.facts().further.into_iter().find_map(|(name, fact)| match fact {
        Fact::Number(gains) if name == "gains" => Some(gains),
        _ => None,
    });
    let record = RunRecord {
        spec: player.spec.clone(),
        features,
        trials: charged,
        rows,
        weights: player.learner.leaves().weights().map(|weights| weights.into_owned()),
        correlations,
        gains: gains.unwrap_or(0.0),
        risk: Risk::of(points.rows.len() as u64, mistakes, CONFIDENCE),
        leave_one_out: None,
    };
    match record.certificate(&mut || Ok(())) {
        Ok(certificate) => certificate.to_json(&())["before"].clone(),
        Err(error) => json!({"reason": error.to_string()}),
    }
}

/// Learns from all points up to here at once.
fn fit(player: &mut Player, points: &Points, steps: usize) -> Answer {
    let labels = &points.labels[..steps];
    let both = labels.contains(&Label::Positive) && labels.contains(&Label::Negative);
    let (mut rows, mut scratch) = (Rows::default(), Scratch::default());
    let (mut scores, mut errors) = (Vec::new(), 0u64);
    if both {
        (0..steps).for_each(|i| rows.push_row(player.stages.apply(points.rows.row(i), &mut scratch)));
        let scaled = player.stages.specs().any(|stage| stage.kind().unit_ranges);
        let sample = Sample::new("points", rows, labels, &vec![1.0; steps], scaled).map_err(told)?;
        let learner = player.learner.fits_all().ok_or("it learns by trials")?;
        learner.fit(&sample, &mut ()).map_err(told)?;
        let leaves = player.learner.leaves();
        for (i, y) in labels.iter().enumerate() {
            let score = leaves.score(player.stages.apply(points.rows.row(i), &mut scratch));
            errors += u64::from(Label::predicted(score) != *y);
            scores.push(score);
        }
    }
    Ok(json!({"scores": scores, "errors": errors, "trials": steps, "waits": !both}))
}

/// Support vectors as points of the plane, where rows come as they are.
fn support(leaves: &Leaves<'_>) -> Json {
    let Some((set, coefficients)) = leaves.support() else { return Json::Null };
    let point = |place: usize| {
        let mut x = Vec::new();
        set.row(place).for_each(|k, value| {
            x.resize(k + 1, 0.0);
            x[k] = value;
        });
        json!({"x": x, "c": coefficients.map(|coefficients| coefficients[place])})
    };
    (0..set.len()).map(point).collect()
}

/// The scores on a grid, row after row from the top left: `[left, right, bottom, top, columns, rows]`.
fn map(player: &Player, leaves: &Leaves<'_>, asked: &Json) -> Json {
    let number = |k: usize| asked[k].as_f64();
    let (Some(left), Some(right), Some(bottom), Some(top)) = (number(0), number(1), number(2), number(3)) else {
        return Json::Null;
    };
    let size = |k: usize| asked[k].as_u64().unwrap_or(1).clamp(1, 1000) as usize;
    let (columns, rows) = (size(4), size(5));
    if columns * rows > MOST_CELLS {
        return Json::Null;
    }
    let mut scratch = Scratch::default();
    let at = |low: f64, high: f64, k: usize, of: usize| low + (high - low) * (k as f64 + 0.5) / of as f64;
    let mut scores = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let x = [at(left, right, column, columns), at(top, bottom, row, rows)];
            scores.push(player.score(leaves, x, &mut scratch));
        }
    }
    json!(scores)
}
