//! The README's picture: mistakes of five learners on one stream, drawn as SVG.

use std::fmt::Write;

use anyhow::Result;

use onlinear::Spec;
use onlinear::data::synthetic::Generator;

const SET: &str = "sparse-experts:features=500,relevant=3";
const SEED: u64 = 1;
const TRIALS: usize = 4000;
/// A point is drawn every so many trials.
const STEP: usize = 20;
/// Learners and their colours: Okabe and Ito's, which colour-blind people can tell apart.
const LEARNERS: [(&str, &str); 5] = [
    ("perceptron", "#0072b2"),
    ("romma", "#cc79a7"),
    ("passive-aggressive", "#e69f00"),
    ("winnow:rate=0.2", "#009e73"),
    ("alma:p=12", "#d55e00"),
];

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;

/// The mistakes after every [`STEP`] trials.
fn mistakes(spec: &str) -> Result<Vec<u64>> {
    let mut learner = spec.parse::<Spec>()?.learner();
    let mut generator = Generator::new(SET, SEED)?;
    let (mut count, mut curve) = (0, vec![0]);
    for trial in 1..=TRIALS {
        let example = generator.next_example();
        count += u64::from(learner.round(&example).is_mistake(example.y));
        if trial % STEP == 0 {
            curve.push(count);
        }
    }
    Ok(curve)
}

/// The picture.
pub fn draw() -> Result<String> {
    let curves = LEARNERS.iter().map(|(spec, _)| mistakes(spec)).collect::<Result<Vec<_>>>()?;
    let most = curves.iter().flatten().copied().max().unwrap_or(1).next_multiple_of(100);
    let x = |trial: usize| LEFT + (WIDTH - LEFT - RIGHT) * trial as f64 / TRIALS as f64;
    let y = |count: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * count / most as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#808080\">\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"13\">Mistakes on {SET}, seed {SEED}</text>\n"
    );
    for count in (0..=most).step_by(100) {
        let at = y(count as f64);
        write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#808080\" stroke-opacity=\"0.25\"/>",
            x(TRIALS)
        )?;
        writeln!(svg, "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>", LEFT - 6.0, at + 4.0)?;
    }
    for trial in (0..=TRIALS).step_by(1000) {
        writeln!(svg, "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{trial}</text>", x(trial), HEIGHT - BOTTOM + 18.0)?;
    }
    writeln!(svg, "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">trials</text>", x(TRIALS / 2), HEIGHT - 8.0)?;
    let ends: Vec<f64> = curves.iter().map(|curve| y(curve.last().copied().unwrap_or(0) as f64)).collect();
    for (((spec, colour), curve), place) in LEARNERS.iter().zip(&curves).zip(apart(&ends, 15.0)) {
        let points: Vec<String> =
            curve.iter().enumerate().map(|(i, &count)| format!("{:.1},{:.1}", x(i * STEP), y(count as f64))).collect();
        writeln!(svg, "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>", points.join(" "))?;
        let count = curve.last().copied().unwrap_or(0);
        writeln!(svg, "<text x=\"{:.0}\" y=\"{:.1}\" fill=\"{colour}\">{spec}: {count}</text>", x(TRIALS) + 8.0, place + 4.0)?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// The places of labels moved up until they are `gap` apart, the lowest staying where it is.
fn apart(places: &[f64], gap: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[b].total_cmp(&places[a]));
    let mut moved = places.to_vec();
    for pair in order.windows(2) {
        moved[pair[1]] = moved[pair[1]].min(moved[pair[0]] - gap);
    }
    moved
}
