//! The charts of runs: one run of `learn`, or several of each learner of `compare`.

use onlinear::workshop::Summary;
use onlinear_charts::{Axis, Chart, Figure, LineChart, Point, Position, Reference, Series};

use crate::curves::{Curve, EpochPoint, TrialPoint};

/// The runs of one learner.
pub struct Runs<'a> {
    pub name: String,
    /// The place of the learner among all, which gives it its colour in every chart.
    pub place: usize,
    pub curves: Vec<&'a Curve>,
}

/// The online error against trials; `majority` is the error of always predicting the largest class, `pass` the
/// number of trials in the first of several passes.
pub fn online_error(all: &[Runs], majority: Option<f64>, pass: Option<u64>) -> Option<Figure> {
    let error = |point: &TrialPoint| Some(100.0 * point.mistakes as f64 / point.trials as f64);
    let series = over_trials(all, error);
    let largest =
        majority.map(|error| Reference { name: "largest class".to_string(), place: Position::Y(100.0 * error) });
    let pass = pass.map(|trials| Reference { name: "first pass".to_string(), place: Position::X(trials as f64) });
    let (x, y) = (Axis::new("trials", None), Axis::new("online error", Some("%")));
    let chart = LineChart { x, y, series, references: largest.into_iter().chain(pass).collect() };
    let caption = format!("Mistakes so far, as a share of all trials so far.{}", about_bands(all));
    figure("online-error", "Online error", &caption, chart)
}

/// The size of the support set against trials.
pub fn support(all: &[Runs]) -> Option<Figure> {
    let series = over_trials(all, |point| point.support.map(|support| support as f64));
    let (x, y) = (Axis::new("trials", None), Axis::new("support vectors", None));
    let chart = LineChart { x, y, series, references: Vec::new() };
    figure("support", "Support size", &format!("Vectors that the hypothesis holds.{}", about_bands(all)), chart)
}

/// The training error of batch learners against epochs.
pub fn epochs(all: &[Runs]) -> Option<Figure> {
    let what = "Training rows on the wrong side, of more than two classes the mean over each against the rest; \
                epoch 0 is the start.";
    over_epochs(all, "epochs", "Training error", what, |curve| &curve.epochs)
}

/// The test error of batch learners against epochs.
pub fn tested_epochs(all: &[Runs]) -> Option<Figure> {
    let what = "Of the model that so many epochs leave behind.";
    over_epochs(all, "test-epochs", "Test error", what, |curve| &curve.tested)
}

fn over_epochs(all: &[Runs], name: &str, title: &str, what: &str, of: fn(&Curve) -> &[EpochPoint]) -> Option<Figure> {
    let points = |curve: &'_ Curve| -> Vec<(f64, f64)> {
        of(curve).iter().map(|point| (point.epochs as f64, 100.0 * point.error)).collect()
    };
    // Some batch learners have no epochs: a single point is not worth a curve.
    let with_epochs = all.iter().filter(|runs| runs.curves.iter().all(|curve| of(curve).len() > 1));
    let series: Vec<Series> = with_epochs.filter_map(|runs| mean_curve(runs, points)).collect();
    // One learner's epochs may be another's blink of an eye.
    let lasts = series.iter().filter_map(|series| series.points.last()).map(|point| point.x);
    let (least, most) = lasts.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), last| (a.min(last), b.max(last)));
    let x = Axis { log: most > 8.0 * least, ..Axis::new("epochs", None) };
    let y = Axis::new(&title.to_lowercase(), Some("%"));
    let caption = format!("{what}{}", about_bands(all));
    figure(name, title, &caption, LineChart { x, y, series, references: Vec::new() })
}

/// A point for each learner: its error against the size of its support set.
pub fn error_against_support(points: Vec<(usize, String, Summary, Summary)>) -> Option<Figure> {
    let point = |(place, name, support, error): (usize, String, Summary, Summary)| Series {
        name,
        style: Some(place),
        points: vec![percent_point(support.mean, error)],
    };
    let series: Vec<Series> = points.into_iter().map(point).collect();
    let sizes = series.iter().flat_map(|series| &series.points).map(|point| point.x.max(1.0));
    let (least, most) = sizes.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), size| (a.min(size), b.max(size)));
    let x = Axis { log: most > 20.0 * least, ..Axis::new("support vectors", None) };
    let chart = LineChart { x, y: Axis::new("test error", Some("%")), series, references: Vec::new() };
    let caption = "Each learner at the end of its runs. Bars: the standard error of the mean.";
    figure("error-against-support", "Error against support size", caption, chart)
}

/// A curve of means for each learner whose trials have the value.
fn over_trials(all: &[Runs], value: impl Fn(&TrialPoint) -> Option<f64>) -> Vec<Series> {
    let points = |curve: &'_ Curve| -> Vec<(f64, f64)> {
        curve.trials.iter().filter_map(|point| Some((point.trials as f64, value(point)?))).collect()
    };
    all.iter().filter_map(|runs| mean_curve(runs, points)).collect()
}

/// The mean of several curves over the same x, with its standard error.
fn mean_curve(runs: &Runs, points: impl Fn(&Curve) -> Vec<(f64, f64)>) -> Option<Series> {
    let curves: Vec<Vec<(f64, f64)>> = runs.curves.iter().map(|curve| points(curve)).collect();
    let length = curves.iter().map(Vec::len).min().filter(|&length| length > 0)?;
    let point = |i: usize| {
        let values: Vec<f64> = curves.iter().map(|curve| curve[i].1).collect();
        let Summary { mean, stderr, .. } = Summary::of(&values)?;
        Some(Point::with_error(curves[0][i].0, mean, stderr))
    };
    Some(Series { name: runs.name.clone(), style: Some(runs.place), points: (0..length).filter_map(point).collect() })
}

/// An error in percent, with its standard error.
pub fn percent_point(x: f64, error: Summary) -> Point {
    Point::with_error(x, 100.0 * error.mean, error.stderr.map(|stderr| 100.0 * stderr))
}

/// What the bands are, where there are any.
fn about_bands(all: &[Runs]) -> String {
    match all.iter().map(|runs| runs.curves.len()).max() {
        Some(repeats @ 2..) => format!(" Bands: the standard error of the mean over {repeats} repeats."),
        _ => String::new(),
    }
}

/// A chart with its words, if it shows anything.
fn figure(name: &str, title: &str, caption: &str, chart: LineChart) -> Option<Figure> {
    let shows = chart.series.iter().any(|series| !series.points.is_empty());
    shows.then(|| Figure::new(name, title, caption, Chart::Lines(chart)))
}
