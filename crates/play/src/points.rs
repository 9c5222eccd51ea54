//! Points in the plane: the sets of the lecture and the papers, with noise and drift.

use onlinear::workshop::Random;
use onlinear::workshop::synthetic::Generator;
use serde_json::{Value as Json, json};

use crate::Answer;

/// A set to start with.
pub struct Preset {
    /// As `onlinear generate` knows it.
    pub set: &'static str,
    pub title: &'static str,
    pub about: &'static str,
}

/// Those that have two features.
pub const PRESETS: &[Preset] = &[
    Preset {
        set: "artificial:features=2,relevant=2,margin=0.1",
        title: "A line with a margin",
        about: "Unit vectors that a line through 0 tells apart, none within the margin: Novikoff's theorem at work \
                (Brotto, Gentile and Vitale 2007)",
    },
    Preset {
        set: "two-gaussians:noise=0",
        title: "Two Gaussians",
        about: "N(±(1, 1), diag(0.2, 2)), where the larger variance is of no use (Dekel, Shalev-Shwartz and Singer \
               2007)",
    },
    Preset {
        set: "second-order-toy:set=1,features=2",
        title: "Second-order toy 1",
        about: "Labelled along the axis of the largest variance: the second-order Perceptron's hard case \
                (Cesa-Bianchi, Conconi and Gentile 2005)",
    },
    Preset {
        set: "second-order-toy:set=2,features=2",
        title: "Second-order toy 2",
        about: "Labelled across it: where the second-order Perceptron gains (Cesa-Bianchi, Conconi and Gentile 2005)",
    },
    Preset {
        set: "yinyang",
        title: "Yin-yang",
        about: "No line tells them apart (Li, Pratap, Lin and Abu-Mostafa 2005)",
    },
    Preset {
        set: "xor:spread=0.25",
        title: "Xor",
        about: "The corners of a square by parity (Minsky and Papert 1969)",
    },
    Preset {
        set: "sparse-experts:features=2,relevant=1",
        title: "Experts",
        about: "Two experts of which one is always right: Winnow's setting in small (the lecture, after Littlestone \
               1988)",
    },
    Preset {
        set: "slow:features=2",
        title: "A slow pair",
        about: "Two rows in turn that take the Perceptron (4² - 1)/3 = 5 updates (the lecture)",
    },
];

/// No picture needs more.
const MOST_ROWS: u64 = 5000;

/// So many rows of a set. With `noise` labels are flipped with that probability; with `drift` the rows turn around 0 by
/// so many degrees from the first to the last, while their labels stay.
pub fn points(request: &Json) -> Answer {
    let set = request["set"].as_str().ok_or("the set is missing")?;
    let (rows, seed) = (request["rows"].as_u64().unwrap_or(200).min(MOST_ROWS), request["seed"].as_u64().unwrap_or(1));
    let (noise, drift) = (request["noise"].as_f64().unwrap_or(0.0), request["drift"].as_f64().unwrap_or(0.0));
    let mut generator = Generator::new(set, seed).map_err(|error| error.to_string())?;
    if generator.features() != 2 {
        return Err(format!("{set} has {} features; the page shows two", generator.features()));
    }
    // Draws of its own: the rows of a seed are the same at every noise.
    let mut flips = Random::new(seed ^ 0x6e_6f69_7365);
    let mut points = Vec::new();
    for i in 0..rows {
        let example = generator.next_example();
        let (mut x, y) = ([0.0; 2], example.y.sign());
        example.x.for_each(|k, value| x[k] = value);
        let y = if flips.uniform() < noise { -y } else { y };
        if drift != 0.0 {
            let (sin, cos) = (drift.to_radians() * i as f64 / (rows.max(2) - 1) as f64).sin_cos();
            x = [cos * x[0] - sin * x[1], sin * x[0] + cos * x[1]];
        }
        points.push(json!([x[0], x[1], y]));
    }
    Ok(json!({ "points": points }))
}
