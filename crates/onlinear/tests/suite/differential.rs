//! Two ways to one result, over random specs: with look-ahead and without, in one run and resumed from a file, in
//! primal and in dual form. A few specs in the gate, 10 000 with `ONLINEAR_LONG=1`; each saves ten models on its way,
//! so that 100 000 honest ones are then saved and loaded. `--nocapture` shows the counts.

use onlinear::workshop::{Kind, Learns, Parameter, Random, Range};
use onlinear::{ALGORITHMS, Model, Recipe, Round, Spec, Start, Step};

use crate::conformance::plan;
use crate::support::{Point, Storage, bits, is_close, noisy, ready, run, run_ahead, stages, trace};

fn specs() -> usize {
    if std::env::var_os("ONLINEAR_LONG").is_some() { 10_000 } else { 60 }
}

/// A number in the range, within three orders of magnitude of the default.
fn number(random: &mut Random, default: f64, range: Range) -> f64 {
    loop {
        let drawn = default.abs().max(0.1) * 10f64.powf(3.0 * random.symmetric());
        if range.contains(drawn) {
            return drawn;
        }
        let shares = (range.low.0.max(-1e3), range.high.0.min(1e3));
        let within = shares.0 + (shares.1 - shares.0) * random.uniform();
        if range.contains(within) {
            return within;
        }
    }
}

/// A value in range, as text; `None` for another learner.
fn value(random: &mut Random, parameter: &Parameter) -> Option<String> {
    let default = parameter.default.to_string().parse().unwrap_or(1.0);
    let text = match parameter.kind {
        Kind::Number(range) | Kind::NumberOr(range, _) => number(random, default, range).to_string(),
        Kind::Width => number(random, default, Range::POSITIVE).to_string(),
        Kind::Integer { low, high } => (low + random.index((high - low).min(40) as usize + 1) as u64).to_string(),
        Kind::Flag => random.chance(0.5).to_string(),
        Kind::Choice(words) => words[random.index(words.len())].to_string(),
        Kind::Learner(_) => return None,
    };
    Some(text)
}

/// A random learner that learns row by row, with about half of its parameters set at random.
fn drawn(random: &mut Random) -> Spec {
    loop {
        let algorithm = ALGORITHMS[random.index(ALGORITHMS.len())];
        if algorithm.learns() != Learns::RowByRow {
            continue;
        }
        let mut settings = Vec::new();
        for parameter in algorithm.parameters {
            if random.chance(0.5) {
                settings.extend(value(random, parameter).map(|value| format!("{}={value}", parameter.name)));
            }
        }
        match format!("{}:{}", algorithm.name, settings.join(",")).trim_end_matches(':').parse() {
            Ok(spec) => return spec,
            Err(error) => assert!(error.is_usage(), "{settings:?}: {error}"),
        }
    }
}

/// Rows of random shape and sparsity, of length 1 on average.
fn rows(random: &mut Random) -> Vec<Point> {
    let (rows, features) = (20 + random.index(80), 1 + random.index(30));
    rows_of(random, rows, features)
}

/// So many rows of so many features.
fn rows_of(random: &mut Random, rows: usize, features: usize) -> Vec<Point> {
    let zeros = 0.9 * random.uniform();
    let size = 1.0 / (features as f64 * (1.0 - zeros)).sqrt();
    noisy(random.index(1 << 30) as u64, rows, features, zeros).iter().map(|point| point.scaled(size)).collect()
}

#[test]
fn look_ahead_changes_no_bit_of_any_spec() {
    let mut random = Random::new(1);
    for _ in 0..specs() {
        let (spec, points) = (drawn(&mut random), rows(&mut random));
        let block = 1 + random.index(points.len());
        let expected = bits(&trace(&spec, &points, Storage::Sparse));
        let ahead = bits(&run_ahead(ready(&spec, &points).as_mut(), &points, Storage::Sparse, block));
        // A run ends at a trial that overflows; without the one loop nothing ends it.
        assert!(expected.starts_with(&ahead), "{spec}, blocks of {block}");
        let is_whole = ahead.len() == points.len();
        assert!(is_whole || ahead.last().is_some_and(|(_, step)| *step == Step::Overflow), "{spec}, blocks of {block}");
    }
}

#[test]
fn every_honest_model_is_loaded_and_goes_on_to_the_bit() {
    let mut random = Random::new(2);
    let (mut models, mut too_large) = (0, 0);
    for _ in 0..specs() {
        let (spec, features) = (drawn(&mut random), 1 + random.index(8));
        // Every part has more rows than features, on which the form of some learners depends, and knows all features.
        let points = rows_of(&mut random, 10 * (features + 2), features);
        let points: Vec<Point> = points
            .iter()
            .map(|point| Point::new(point.dense.iter().map(|v| if *v == 0.0 { 0.125 } else { *v }).collect(), point.y))
            .collect();
        let learn = |points: &[Point], start: Start| onlinear::learn(plan(points, 1), start, &mut ());
        let list = if random.chance(0.5) { &["bias"][..] } else { &[] };
        let fresh = || Start::Fresh(Recipe::of(spec.clone(), stages(list)));
        let mut whole = match learn(&points, fresh()) {
            Ok(whole) => whole,
            Err(error) => {
                assert!(error.to_string().contains("too large"), "{spec}: {error}");
                too_large += 1;
                continue;
            }
        };
        let mut start = fresh();
        let mut bytes = Vec::new();
        for part in points.chunks(points.len().div_ceil(10)) {
            let mut model = learn(part, start).unwrap_or_else(|error| panic!("{spec}: {error}")).model;
            bytes = model.to_bytes().unwrap_or_else(|error| panic!("{spec}: {error}"));
            let loaded = Model::from_bytes(&bytes).unwrap_or_else(|error| panic!("{spec}: {error}"));
            start = Start::Resume(Box::new(loaded));
            models += 1;
        }
        assert!(whole.model.to_bytes().unwrap() == bytes, "{spec}: one run is not its parts");
    }
    println!("{models} models saved and loaded, {too_large} runs ended by numbers too large");
    assert!(models > 6 * specs(), "{models} models of {} specs", specs());
}

/// How many trials two traces of the same rule share: all, or those before the rounding of a score decided a step.
/// `Err` has the trial in which their scores differ by more than rounding.
fn shared(a: &[Round], b: &[Round]) -> Result<usize, usize> {
    let mut largest = 1f64;
    for (t, (a, b)) in a.iter().zip(b).enumerate() {
        largest = largest.max(a.score.abs());
        if !is_close(a.score / largest, b.score / largest, 1e-6) {
            return Err(t);
        }
        if a.step != b.step {
            return Ok(t);
        }
    }
    Ok(a.len())
}

#[test]
fn primal_and_dual_form_are_one_learner() {
    let mut random = Random::new(3);
    let (mut compared, mut drawn_at_all) = (0, 0);
    let (mut trials, mut alike) = (0, 0);
    while compared < specs() / 2 {
        let spec = drawn(&mut random);
        drawn_at_all += 1;
        assert!(drawn_at_all < 100 * specs(), "only {compared} of {drawn_at_all} specs have two forms");
        let text = spec.to_string();
        let forms = [
            [&[("form", "primal")][..], &[("form", "dual")]],
            [&[("kernel", "linear")], &[("kernel", "polynomial"), ("degree", "1"), ("offset", "0")]],
        ];
        let plain: &[(&str, &str)] = &[("kernel", "linear"), ("cosine", "false")];
        let of = |changes: &[(&str, &str)]| {
            let plain = Spec::varied(&text, plain).ok()?;
            Spec::varied(&plain.to_string(), changes).ok()
        };
        let points = rows(&mut random);
        for [primal, dual] in forms {
            let (Some(primal), Some(dual)) = (of(primal), of(dual)) else { continue };
            let [a, b] = [&primal, &dual].map(|spec| run(ready(spec, &points).as_mut(), &points, Storage::Sparse));
            let part = |t: usize| panic!("{primal} and {dual} part in trial {t}: {:?} {:?}", a[t], b[t]);
            alike += shared(&a, &b).unwrap_or_else(part);
            trials += points.len();
            compared += 1;
        }
    }
    println!("{alike} of {trials} trials alike, the rest after a step that rounding decided");
    assert!(10 * alike > 9 * trials, "only {alike} of {trials} trials were compared");
}
