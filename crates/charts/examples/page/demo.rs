//! A page with every kind of chart, from made-up data.

use onlinear_charts::*;

/// Numbers that look like chance: a generator by Knuth (MMIX).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// Evenly spread between 0 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Around 0, with a spread of 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

pub const LEARNERS: [&str; 16] = [
    "perceptron",
    "passive-aggressive",
    "second-order:ridge=1",
    "winnow:rate=0.2",
    "alma:p=12",
    "romma",
    "p-norm:p=4",
    "arow:r=0.1",
    "forgetron:budget=500",
    "projectron",
    "stoptron:budget=500",
    "rbp:budget=500",
    "pa-1:C=0.5",
    "pa-2:C=0.5",
    "aggressive-romma",
    "averaged:perceptron",
];

/// The online error of several learners over many trials.
pub fn online_error(learners: usize, trials: u64) -> LineChart {
    let curve = |i: usize| {
        let mut chance = Chance::new(i as u64 + 1);
        let (mut mistakes, mut points) = (0.0, Vec::new());
        for trial in 1..=trials {
            let rate = 0.10 + 0.012 * i as f64 + 0.5 / (1.0 + trial as f64 / 40.0).sqrt();
            mistakes += f64::from(u8::from(chance.next() < rate));
            if trial <= 100 || trial % 25 == 0 {
                let (x, y) = (trial as f64, 100.0 * mistakes / trial as f64);
                let spread = 180.0 / x.sqrt();
                points.push(Point { x, y, low: Some(y - spread), high: Some(y + spread) });
            }
        }
        points
    };
    let series =
        (0..learners).map(|i| Series { name: LEARNERS[i % 16].to_string(), style: None, points: curve(i) }).collect();
    let references = vec![Reference { name: "majority class".to_string(), place: Position::Y(24.1) }];
    LineChart { x: Axis::new("trials", None), y: Axis::new("online error", Some("%")), series, references }
}

/// The size of the support set, which for some learners has a limit.
fn support_size() -> LineChart {
    let budgets = [f64::INFINITY, 500.0, 800.0, 1200.0];
    let names =
        ["perceptron:kernel=rbf,gamma=0.5", "forgetron:budget=500,kernel=rbf,gamma=0.5", "projectron", "projectron++"];
    let point = |budget: f64, i: u32| {
        let trial = f64::from(i) * 150.0;
        Point::new(trial, (trial.powf(0.75) * 2.2).min(budget))
    };
    let series = names.iter().zip(budgets).map(|(name, budget)| Series {
        name: name.to_string(),
        style: None,
        points: (0..300).map(|i| point(budget, i)).collect(),
    });
    LineChart {
        x: Axis::new("trials", None),
        y: Axis::new("support vectors", None),
        series: series.collect(),
        references: vec![Reference { name: "end of the first pass".to_string(), place: Position::X(32561.0) }],
    }
}

/// Training and test error over a few passes.
fn epochs() -> LineChart {
    let points = |floor: f64, slope: f64| {
        (1..=10)
            .map(f64::from)
            .map(|x| Point {
                x,
                y: floor + slope / x,
                low: Some(floor + slope / x - 0.4),
                high: Some(floor + slope / x + 0.4),
            })
            .collect()
    };
    let series = vec![
        Series { name: "training".to_string(), style: None, points: points(12.6, 5.0) },
        Series { name: "test".to_string(), style: None, points: points(15.4, 2.5) },
    ];
    LineChart { x: Axis::new("passes", None), y: Axis::new("error", Some("%")), series, references: Vec::new() }
}

/// Error against support size: a few points for each learner.
fn trade_off() -> LineChart {
    let names = ["forgetron", "projectron", "rbp", "stoptron"];
    let series = names.iter().enumerate().map(|(i, name)| Series {
        name: name.to_string(),
        style: Some(i),
        points: [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
            .iter()
            .map(|&size: &f64| {
                let y = 15.0 + 60.0 / size.powf(0.45) + i as f64;
                Point { x: size * (1.0 - 0.04 * i as f64), y, low: Some(y - 0.8), high: Some(y + 0.8) }
            })
            .collect(),
    });
    LineChart {
        x: Axis { log: true, ..Axis::new("support vectors", None) },
        y: Axis::new("online error", Some("%")),
        series: series.collect(),
        references: Vec::new(),
    }
}

pub fn heat() -> HeatMap {
    let settings = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>();
    let x = settings(&[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]);
    let y = settings(&[0.1, 1.0, 10.0, 100.0, 1000.0]);
    let value =
        |row: usize, column: usize| 14.2 + (row as f64 - 2.2).powi(2) * 0.9 + (column as f64 - 4.3).powi(2) * 0.55;
    let cell = |row, column| if (row, column) == (4, 0) { None } else { Some(value(row, column)) };
    let values = (0..y.len()).map(|row| (0..x.len()).map(|column| cell(row, column)).collect()).collect();
    let key = |name: &str, settings| Key { name: name.to_string(), settings };
    HeatMap { x: key("gamma", x), y: key("C", y), value: Axis::new("error", Some("%")), values, best: Some((2, 4)) }
}

pub fn confusion(classes: usize, rows: f64) -> Confusion {
    let mut chance = Chance::new(7);
    let mut count = |row: usize, column: usize| {
        let scale = if row == column { 1.0 } else { 0.03 * chance.next().powi(3) };
        (rows * scale * (0.9 + 0.1 * chance.next())) as u64
    };
    let counts = (0..classes).map(|row| (0..classes).map(|column| count(row, column)).collect()).collect();
    let label = |i: usize| if classes <= 10 { i.to_string() } else { format!("talk.topic.{i}") };
    Confusion { labels: (0..classes).map(label).collect(), counts }
}

/// Two moons and a smooth score.
pub fn plane() -> Plane {
    let score = |x: f64, y: f64| (x * 1.6).sin() * 0.9 - y + 0.25 * (2.5 * y).cos() * x - 0.1;
    let (columns, rows) = (90, 60);
    let at = |i: usize, count: usize, (low, high): (f64, f64)| low + (high - low) * i as f64 / (count - 1) as f64;
    let (x, y) = ((-3.0, 3.0), (-2.0, 2.0));
    let grid = (0..rows)
        .map(|row| (0..columns).map(|column| score(at(column, columns, x), at(row, rows, y))).collect())
        .collect();
    let mut chance = Chance::new(3);
    let mut point = |_| {
        let (px, py) = (6.0 * chance.next() - 3.0, 4.0 * chance.next() - 2.0);
        let score = score(px, py);
        let positive = score + 0.25 * chance.normal() > 0.0;
        PlanePoint { x: px, y: py, positive, support: score.abs() < 0.22, mistake: positive != (score > 0.0) }
    };
    let points = (0..220).map(&mut point).collect();
    let classes = ["spam".to_string(), "ham".to_string()];
    Plane {
        x_label: "length (scaled)".to_string(),
        y_label: "share of capitals (scaled)".to_string(),
        scores: ScoreGrid { x, y, rows: grid },
        points,
        classes,
    }
}

pub fn table(rows: usize) -> Table {
    let column = |name: &str, unit: Option<&str>, about: Option<&str>, align| Column {
        unit: unit.map(str::to_string),
        about: about.map(str::to_string),
        ..Column::new(name, align)
    };
    let mut chance = Chance::new(11);
    let row = |i: usize| {
        let error = 14.0 + 0.4 * i as f64;
        vec![
            Cell::new(LEARNERS[i]),
            Cell {
                text: format!("{error:.2} ± {:.2}", 0.1 + chance.next()),
                best: i < 2,
                mark: (i == 1).then(|| "=".to_string()),
                below: Some(format!("{:.2}", error + 0.1)),
                verdict: Some((Tone::Good, "agrees".to_string())),
            },
            Cell::new(format!("{:.2}", error + 0.7)),
            Cell::new(format!("{:.0},{:03.0}", 4.0 + i as f64, 999.0 * chance.next())),
            Cell::new(format!("{:.0}", 4000.0 + 500.0 * i as f64)),
            Cell { text: format!("{:.2}", 0.2 + chance.next()), best: i == 3, ..Cell::default() },
        ]
    };
    Table {
        caption: "Ten runs over a9a".to_string(),
        columns: vec![
            column("learner", None, None, Align::Left),
            column(
                "online error",
                Some("%"),
                Some("mistakes per hundred trials, mean and standard deviation"),
                Align::Right,
            ),
            column("test error", Some("%"), None, Align::Right),
            column("updates", None, None, Align::Right),
            column("support", Some("vectors"), None, Align::Right),
            column("time", Some("seconds"), None, Align::Right),
        ],
        rows: (0..rows).map(row).collect(),
        notes: vec![
            "Bold: the best. = not worse than the best (paired t-test over ten runs, p > 0.05, Holm).".to_string(),
        ],
    }
}

/// The page.
pub fn page() -> Page {
    let show = |name: &str, title: &str, caption: &str, chart| Part::Figure(Figure::new(name, title, caption, chart));
    let band = "Mean of ten runs over shuffled rows; the bands are two standard errors.";
    let text = "Every learner saw the same rows in the same order.\n\nTests compare runs pairwise.";
    Page {
        title: "Five learners on a9a".to_string(),
        about: vec![
            ("data".to_string(), "a9a.svm, 32,561 rows, 123 features, classes −1 and +1".to_string()),
            (
                "command".to_string(),
                "onlinear compare perceptron passive-aggressive second-order:ridge=1 --repeat 10".to_string(),
            ),
            ("version".to_string(), "0.1.0".to_string()),
        ],
        sections: vec![
            Section::new(
                "Comparison",
                vec![
                    Part::Text(text.to_string()),
                    Part::Table(table(5)),
                    show("online-error", "Online error", band, Chart::Lines(online_error(5, 32_561))),
                    show("support-size", "Support size", "", Chart::Lines(support_size())),
                ],
            ),
            Section::new(
                "Sixteen learners",
                vec![show("all", "Online error of all", band, Chart::Lines(online_error(16, 20_000)))],
            ),
            Section::new(
                "Passes and budgets",
                vec![
                    show("passes", "Training and test error", "", Chart::Lines(epochs())),
                    show("trade-off", "Error against support size", "Six budgets each.", Chart::Lines(trade_off())),
                ],
            ),
            Section::new(
                "Tuning",
                vec![show("tuning", "Cross-validated error", "The winner is outlined.", Chart::Heat(heat()))],
            ),
            Section::new(
                "Classes",
                vec![
                    show("digits", "Confusion of ten classes", "", Chart::Confusion(confusion(10, 980.0))),
                    show("topics", "Confusion of thirty classes", "", Chart::Confusion(confusion(30, 320.0))),
                ],
            ),
            Section::new("Boundary", vec![show("plane", "Decision boundary", "", Chart::Plane(plane()))]),
        ],
    }
}
