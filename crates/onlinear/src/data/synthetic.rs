//! The artificial sets of the papers, drawn row by row from a seed.
//!
//! A set is named like a learner, `name:key=value,…`. What is drawn first and what next is part of
//! each set's definition: one seed gives one endless sequence of rows, of which any number is
//! taken. So a training and a test file of the same task are two parts of one longer run.

use std::fmt::{self, Write as _};
use std::io;

use super::random::Random;
use crate::algorithm::{Kind, Parameter, Range, Value};
use crate::error::{Error, Result};
use crate::learner::{Example, Label};
use crate::settings::Settings;
use crate::space::Row;
use crate::suggest::did_you_mean;

/// Draws the components of the next row and gives its label.
type Draw = Box<dyn FnMut(&mut Random, &mut [f64]) -> Label + Send>;

/// Everything there is to know about an artificial set.
#[derive(Debug)]
pub struct Set {
    /// Its name: `two-gaussians`.
    pub name: &'static str,
    /// What its rows and labels are.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Its parameters in canonical order.
    pub parameters: &'static [Parameter],
    /// The number of features and the drawing of rows; draws first what all rows share.
    make: fn(&Settings, &mut Random) -> Result<(usize, Draw)>,
}

/// Every artificial set, in the order in which lists show them.
pub static SETS: &[&Set] =
    &[&RINGNORM, &THREENORM, &YINYANG, &TWO_GAUSSIANS, &SECOND_ORDER_TOY, &ARTIFICIAL, &SPARSE_EXPERTS, &XOR];

/// The set called `name`.
pub fn find(name: &str) -> Result<&'static Set> {
    SETS.iter().find(|set| set.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
        let near = did_you_mean(name, &names);
        Error::usage(format!("no artificial set is called '{name}'; there are {}{near}", names.join(", ")))
    })
}

/// An endless sequence of examples of one set.
///
/// ```
/// use onlinear::data::synthetic::Generator;
/// let mut generator = Generator::new("sparse-experts:features=9", 7)?;
/// assert_eq!(generator.settings().to_string(), "sparse-experts:features=9,relevant=3");
/// let example = generator.next_example();
/// assert_eq!(example.x.dimension(), 9);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Generator {
    set: &'static Set,
    settings: Settings,
    random: Random,
    draw: Draw,
    row: Vec<f64>,
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generator({}, {:?})", self.settings, self.random)
    }
}

impl Generator {
    /// The rows of the set that `text` names, drawn from `seed`.
    pub fn new(text: &str, seed: u64) -> Result<Generator> {
        let (name, settings) = Settings::split(text);
        let set = find(name)?;
        let settings = Settings::read(set.name, set.parameters, settings)?;
        let mut random = Random::new(seed);
        let (features, draw) = (set.make)(&settings, &mut random)?;
        Ok(Generator { set, settings, random, draw, row: vec![0.0; features] })
    }

    /// The declaration of the set.
    pub fn set(&self) -> &'static Set {
        self.set
    }

    /// The set and all its parameters; prints in canonical form.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many features a row has.
    pub fn features(&self) -> usize {
        self.row.len()
    }

    /// The next example.
    pub fn next_example(&mut self) -> Example<'_> {
        let y = (self.draw)(&mut self.random, &mut self.row);
        Example::new(Row::Dense(&self.row), y)
    }
}

/// Writes the next `rows` examples as LIBSVM text: `+1` or `-1`, indices from 1, zeros left out,
/// each number as short as reads back to the same f64.
pub fn write_libsvm(out: &mut dyn io::Write, rows: u64, generator: &mut Generator) -> io::Result<()> {
    let mut line = String::new();
    for _ in 0..rows {
        let example = generator.next_example();
        line.clear();
        line.push_str(if example.y == Label::Positive { "+1" } else { "-1" });
        example.x.for_each(|i, value| {
            // Writing to a String cannot fail.
            _ = match value.abs() {
                0.0 => Ok(()),
                1e-5..1e16 => write!(line, " {}:{value}", i + 1),
                _ => write!(line, " {}:{value:e}", i + 1),
            };
        });
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// More features than this are a slip of the keyboard: rows are drawn dense.
const MOST_FEATURES: u64 = 1_000_000;

const fn whole(name: &'static str, low: u64, high: u64, default: u64, help: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind: Kind::Integer { low, high }, default: Value::Number(default as f64), help }
}

const fn number(name: &'static str, range: Range, default: f64, help: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind: Kind::Number(range), default: Value::Number(default), help }
}

const fn noise(default: f64) -> Parameter {
    number("noise", Range::closed(0.0, 1.0), default, "probability with which a label is flipped")
}

fn positive_if(condition: bool) -> Label {
    if condition { Label::Positive } else { Label::Negative }
}

/// A fair coin: −1 or +1.
fn sign(random: &mut Random) -> f64 {
    if random.chance(0.5) { 1.0 } else { -1.0 }
}

/// `y`, flipped with probability `noise`. Takes one draw also without noise, so that the rows of a
/// seed are the same at every noise.
fn flipped(y: Label, noise: f64, random: &mut Random) -> Label {
    if random.chance(noise) { y.flipped() } else { y }
}

/// Fewer relevant features than features, or as many.
fn relevant_of(settings: &Settings) -> Result<(usize, usize)> {
    let (features, relevant) = (settings.whole("features"), settings.whole("relevant"));
    if relevant > features {
        return Err(settings.refused(format!("relevant={relevant} is more than features={features}")));
    }
    Ok((features as usize, relevant as usize))
}

/// `ringnorm`: a fair coin for the label, then the 20 components.
static RINGNORM: Set = Set {
    name: "ringnorm",
    summary: "20 features; +1: N(0, 4I); -1: N((a, …, a), I) with a = 1/√20",
    paper: "Breiman (1996, 1998), as in Li, Perceptron Learning with Random Coordinate Descent",
    parameters: &[],
    make: |_, _| {
        let a = 1.0 / 20f64.sqrt();
        Ok((
            20,
            Box::new(move |random, x| {
                let y = positive_if(random.chance(0.5));
                x.fill_with(|| match y {
                    Label::Positive => 2.0 * random.gauss(),
                    Label::Negative => a + random.gauss(),
                });
                y
            }),
        ))
    },
};

/// `threenorm`: a fair coin for the label, for +1 a second one for the centre, then the 20
/// components.
static THREENORM: Set = Set {
    name: "threenorm",
    summary: "20 features; +1: N(±(a, …, a), I) by a fair coin; -1: N((a, -a, a, …), I), with a = 2/√20",
    paper: "Breiman (1996, 1998), as in Li, Perceptron Learning with Random Coordinate Descent",
    parameters: &[],
    make: |_, _| {
        let a = 2.0 / 20f64.sqrt();
        Ok((
            20,
            Box::new(move |random, x| {
                let y = positive_if(random.chance(0.5));
                // The sign by which the centre's components alternate, and that of the first.
                let (step, mut centre) = match y {
                    Label::Positive => (1.0, a * sign(random)),
                    Label::Negative => (-1.0, a),
                };
                for x_i in x {
                    *x_i = centre + random.gauss();
                    centre *= step;
                }
                y
            }),
        ))
    },
};

/// `yinyang`: points of the square [−1.1, 1.1)² until one is in the disc.
static YINYANG: Set = Set {
    name: "yinyang",
    summary: "2 features, uniform in the disc of radius 1.1; +1 in the white half of the yin-yang sign with its dot",
    paper: "Li, Pratap, Lin and Abu-Mostafa (2005)",
    parameters: &[],
    make: |_, _| {
        const RADIUS: f64 = 1.1;
        Ok((
            2,
            Box::new(|random, x| {
                loop {
                    x.fill_with(|| RADIUS * random.symmetric());
                    if x[0] * x[0] + x[1] * x[1] <= RADIUS * RADIUS {
                        return positive_if(in_yang(x[0], x[1]));
                    }
                }
            }),
        ))
    },
};

/// Whether a point is +1 in `yinyang`: R = 1, r = 0.18, distances to (±R/2, 0).
fn in_yang(x1: f64, x2: f64) -> bool {
    const HALF: f64 = 0.5; // R/2
    const DOT: f64 = 0.18; // r
    let right = (x1 - HALF).hypot(x2); // d₊
    let left = (x1 + HALF).hypot(x2); // d₋
    right <= DOT || (DOT < left && left <= HALF) || (x2 > 0.0 && right > HALF && left > HALF)
}

/// `two-gaussians`: a fair coin for the side, the 2 components, then the draw for the noise.
static TWO_GAUSSIANS: Set = Set {
    name: "two-gaussians",
    summary: "2 features; N(±(1, 1), diag(0.2, 2)), labelled by the sign of the mean, then flipped with probability noise",
    paper: "Dekel, Shalev-Shwartz and Singer (2007), as in Orabona, Keshet and Caputo (2008)",
    parameters: &[noise(0.1)],
    make: |settings, _| {
        let noise = settings.number("noise");
        let deviations = [0.2f64.sqrt(), 2f64.sqrt()];
        Ok((
            2,
            Box::new(move |random, x| {
                let y = positive_if(random.chance(0.5));
                for (x_i, deviation) in x.iter_mut().zip(deviations) {
                    *x_i = y.sign() + deviation * random.gauss();
                }
                flipped(y, noise, random)
            }),
        ))
    },
};

/// `second-order-toy`: the components in order; a row nearer to the hyperplane than the margin is
/// drawn again as a whole.
///
/// The eigenvectors are the axes, the dominant one the first: the paper labels its second set by
/// the first other eigenvector in the natural ordering of the coordinates. So set 1 is labelled
/// by the sign of x₁, set 2 by that of x₂. Eigenvalues are variances: `ratio` for x₁, 1 elsewhere.
static SECOND_ORDER_TOY: Set = Set {
    name: "second-order-toy",
    summary: "Gaussian, variance ratio along the first axis and 1 along the others; labelled by the sign of x1 (set 1) or \
              x2 (set 2)",
    paper: "Cesa-Bianchi, Conconi and Gentile (2005), section 5",
    parameters: &[
        whole("set", 1, 2, 1, "the axis whose sign is the label: 1, the dominant one, or 2, another"),
        whole("features", 2, MOST_FEATURES, 100, "number of features"),
        number("ratio", Range { low: (1.0, true), high: (1e6, true) }, 8.0, "dominant eigenvalue over the others"),
        // Beyond two standard deviations nearly every row would be rejected.
        number("margin", Range::closed(0.0, 2.0), 0.0, "least |x1| (set 1) or |x2| (set 2); nearer rows are drawn again"),
    ],
    make: |settings, _| {
        let axis = if settings.whole("set") == 1 { 0 } else { 1 };
        let (deviation, margin) = (settings.number("ratio").sqrt(), settings.number("margin"));
        Ok((
            settings.whole("features") as usize,
            Box::new(move |random, x| {
                loop {
                    x.fill_with(|| random.gauss());
                    x[0] *= deviation;
                    if x[axis].abs() >= margin && x[axis] != 0.0 {
                        return positive_if(x[axis] > 0.0);
                    }
                }
            }),
        ))
    },
};

/// `artificial`: first, once, the signs of the target u; then for each row its components (rows
/// within the margin are drawn again) and the draw for the noise.
static ARTIFICIAL: Set = Set {
    name: "artificial",
    summary: "uniform in the cube, then of unit norm; labelled by u·x, u having equal weights of random sign on the first \
              relevant features; |u·x| >= margin; labels flipped with probability noise",
    paper: "Brotto, Gentile and Vitale (2007), section 4",
    parameters: &[
        whole("features", 1, MOST_FEATURES, 500, "number of features"),
        whole("relevant", 1, MOST_FEATURES, 50, "number of features that the label depends on"),
        number("margin", Range::closed(0.0, 1.0), 0.005, "least |u·x|; nearer rows are drawn again"),
        noise(0.0),
    ],
    make: |settings, random| {
        let (features, relevant) = relevant_of(settings)?;
        let (margin, noise) = (settings.number("margin"), settings.number("noise"));
        // One standard deviation of u·x. Much beyond it nearly every row would be rejected, and
        // with few relevant features every one.
        let most = 1.0 / (features as f64).sqrt();
        if margin > most {
            return Err(settings.refused(format!(
                "margin={margin} is out of range; expected a number >= 0 and <= {most:.4} (1/√features), else most rows \
                 are rejected"
            )));
        }
        let weight = 1.0 / (relevant as f64).sqrt();
        let u: Vec<f64> = (0..relevant).map(|_| weight * sign(random)).collect();
        Ok((
            features,
            Box::new(move |random, x| {
                loop {
                    x.fill_with(|| random.symmetric());
                    let norm = Row::Dense(x).norm(2.0);
                    x.iter_mut().for_each(|x_i| *x_i /= norm);
                    let u_x: f64 = u.iter().zip(&*x).map(|(u_i, x_i)| u_i * x_i).sum();
                    // Neither a row of norm 0 (NaN by now) nor one on the hyperplane gets through.
                    if u_x.abs() >= margin && u_x != 0.0 {
                        return flipped(positive_if(u_x > 0.0), noise, random);
                    }
                }
            }),
        ))
    },
};

/// `sparse-experts`: a fair coin for each component.
static SPARSE_EXPERTS: Set = Set {
    name: "sparse-experts",
    summary: "each feature -1 or +1 by a fair coin; labelled by the majority of the first relevant features",
    paper: "after Littlestone (1988); the setting in which Winnow beats the Perceptron",
    parameters: &[
        whole("features", 1, MOST_FEATURES, 100, "number of features"),
        whole("relevant", 1, MOST_FEATURES, 3, "number of features that vote on the label; odd"),
    ],
    make: |settings, _| {
        let (features, relevant) = relevant_of(settings)?;
        if relevant % 2 == 0 {
            return Err(settings.refused(format!("relevant={relevant} is even; expected an odd number, so that no vote ties")));
        }
        Ok((
            features,
            Box::new(move |random, x| {
                x.fill_with(|| sign(random));
                positive_if(x[..relevant].iter().sum::<f64>() > 0.0)
            }),
        ))
    },
};

/// `xor`: two fair coins for the corner, then a Gaussian for each component (also at spread 0, so
/// that the corners of a seed are the same at every spread).
static XOR: Set = Set {
    name: "xor",
    summary: "2 features: a corner (±1, ±1), plus Gaussian noise of deviation spread; +1 when exactly one sign \
              of the corner is positive",
    paper: "Minsky and Papert (1969)",
    parameters: &[number(
        "spread",
        Range { low: (0.0, true), high: (1e6, true) },
        0.0,
        "standard deviation of the noise around the corners",
    )],
    make: |settings, _| {
        let spread = settings.number("spread");
        Ok((
            2,
            Box::new(move |random, x| {
                let corner = [sign(random), sign(random)];
                for (x_i, corner_i) in x.iter_mut().zip(corner) {
                    *x_i = corner_i + spread * random.gauss();
                }
                positive_if(corner[0] != corner[1])
            }),
        ))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Batch, Input, ReadOptions, open};

    /// The first `rows` rows with their labels.
    fn rows(text: &str, seed: u64, rows: usize) -> Vec<(Vec<f64>, Label)> {
        let mut generator = Generator::new(text, seed).unwrap();
        let mut next = || {
            let example = generator.next_example();
            (example.x.values().to_vec(), example.y)
        };
        (0..rows).map(|_| next()).collect()
    }

    fn text_of(text: &str, seed: u64, rows: u64) -> String {
        let mut out = Vec::new();
        write_libsvm(&mut out, rows, &mut Generator::new(text, seed).unwrap()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Mean and variance of component `i` over the rows that `chosen` chooses.
    fn moments(rows: &[(Vec<f64>, Label)], i: usize, chosen: impl Fn(&[f64], Label) -> bool) -> (f64, f64) {
        let values: Vec<f64> = rows.iter().filter(|(x, y)| chosen(x, *y)).map(|(x, _)| x[i]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64)
    }

    #[track_caller]
    fn near((mean, variance): (f64, f64), expected: (f64, f64)) {
        assert!((mean - expected.0).abs() < 0.05, "mean {mean}, expected {}", expected.0);
        assert!((variance / expected.1 - 1.0).abs() < 0.06, "variance {variance}, expected {}", expected.1);
    }

    fn share_positive(rows: &[(Vec<f64>, Label)]) -> f64 {
        rows.iter().filter(|(_, y)| *y == Label::Positive).count() as f64 / rows.len() as f64
    }

    #[test]
    fn a_seed_is_a_text() {
        for set in SETS {
            let text = text_of(set.name, 7, 20);
            assert_eq!(text.lines().count(), 20);
            assert_eq!(text, text_of(set.name, 7, 20), "{}", set.name);
            assert_ne!(text, text_of(set.name, 8, 20), "{}", set.name);
            assert!(text_of(set.name, 7, 30).starts_with(&text), "a longer run begins like a shorter one");
            assert_eq!(find(set.name).unwrap().name, set.name);
        }
    }

    #[test]
    fn settings_read_back_from_what_they_print() {
        for text in SETS.iter().map(|set| set.name).chain(["artificial:noise=0.1", "second-order-toy:set=2,margin=0.5"]) {
            let canonical = Generator::new(text, 1).unwrap().settings().to_string();
            assert_eq!(Generator::new(&canonical, 1).unwrap().settings().to_string(), canonical);
            assert_eq!(text_of(text, 1, 3), text_of(&canonical, 1, 3));
        }
        let canonical = Generator::new("artificial:noise=0.1", 1).unwrap().settings().to_string();
        assert_eq!(canonical, "artificial:features=500,relevant=50,margin=0.005,noise=0.1");
    }

    #[test]
    fn every_default_is_legal() {
        for set in SETS {
            for parameter in set.parameters {
                assert_eq!(parameter.kind.parse(&parameter.default.to_string()), Ok(parameter.default));
                assert!(!parameter.help.is_empty());
            }
        }
    }

    #[test]
    fn errors_name_the_offender() {
        for (text, message) in [
            (
                "artificial:nois=0.1",
                "artificial: no parameter 'nois'; it has features, relevant, margin, noise; did you mean 'noise'?",
            ),
            ("artificial:noise=2", "artificial: noise=2 is out of range; expected a number >= 0 and <= 1"),
            ("artificial:features=10", "artificial: relevant=50 is more than features=10"),
            (
                "artificial:margin=0.5",
                "artificial: margin=0.5 is out of range; expected a number >= 0 and <= 0.0447 (1/√features), else most \
                 rows are rejected",
            ),
            ("sparse-experts:relevant=4", "sparse-experts: relevant=4 is even; expected an odd number, so that no vote ties"),
            (
                "sparse-experts:features=1e18",
                "sparse-experts: features=1e18 is out of range; expected a whole number >= 1 and <= 1000000",
            ),
            ("second-order-toy:set=3", "second-order-toy: set=3 is out of range; expected a whole number >= 1 and <= 2"),
            (
                "second-order-toy:features=1",
                "second-order-toy: features=1 is out of range; expected a whole number >= 2 and <= 1000000",
            ),
            ("ringnorm:features=3", "ringnorm: no parameter 'features'; it has no parameters"),
            ("xor:spread=0,spread=1", "xor: 'spread' is given twice"),
            ("xor:", "xor: '' is not of the form key=value"),
        ] {
            let error = Generator::new(text, 1).unwrap_err();
            assert!(error.is_usage());
            assert_eq!(error.to_string(), message);
        }
        let unknown = Generator::new("yingyang", 1).unwrap_err().to_string();
        assert!(unknown.starts_with("no artificial set is called 'yingyang'; there are ringnorm, threenorm, "), "{unknown}");
        assert!(unknown.ends_with("; did you mean 'yinyang'?"), "{unknown}");
    }

    #[test]
    fn ringnorm_is_a_wide_gaussian_around_a_narrow_one() {
        let rows = rows("ringnorm", 1, 20_000);
        assert_eq!(rows[0].0.len(), 20);
        assert!((share_positive(&rows) - 0.5).abs() < 0.02);
        for i in 0..20 {
            near(moments(&rows, i, |_, y| y == Label::Positive), (0.0, 4.0));
            near(moments(&rows, i, |_, y| y == Label::Negative), (1.0 / 20f64.sqrt(), 1.0));
        }
    }

    #[test]
    fn threenorm_is_two_gaussians_against_one() {
        let rows = rows("threenorm", 1, 20_000);
        let a = 2.0 / 20f64.sqrt();
        assert!((share_positive(&rows) - 0.5).abs() < 0.02);
        for i in 0..20 {
            near(moments(&rows, i, |_, y| y == Label::Positive), (0.0, 1.0 + a * a));
            near(moments(&rows, i, |_, y| y == Label::Negative), (if i % 2 == 0 { a } else { -a }, 1.0));
        }
        // One coin for all components of a positive row: they vary together.
        let products: Vec<f64> = rows.iter().filter(|(_, y)| *y == Label::Positive).map(|(x, _)| x[0] * x[7]).collect();
        assert!((products.iter().sum::<f64>() / products.len() as f64 - a * a).abs() < 0.05);
    }

    #[test]
    fn yinyang_is_the_sign() {
        for (x1, x2, white) in [
            (0.5, 0.0, true),    // the right dot
            (0.5, 0.17, true),   // still in it
            (0.5, 0.3, false),   // the right head around it
            (0.5, -0.3, false),  //
            (-0.5, 0.0, false),  // the left dot
            (-0.5, 0.17, false), // still in it
            (-0.5, 0.3, true),   // the left head around it
            (-0.5, -0.3, true),  //
            (0.0, 0.8, true),    // the upper half
            (0.0, -0.8, false),  // the lower half
        ] {
            assert_eq!(in_yang(x1, x2), white, "({x1}, {x2})");
        }
        let rows = rows("yinyang", 1, 20_000);
        for (x, y) in &rows {
            assert!(x[0].hypot(x[1]) <= 1.1 + 1e-12);
            assert_eq!(*y == Label::Positive, in_yang(x[0], x[1]));
        }
        // By the symmetry of the sign, half of it is white.
        assert!((share_positive(&rows) - 0.5).abs() < 0.02);
        // A coordinate uniform in a disc has a quarter of the squared radius as its variance.
        (0..2).for_each(|i| near(moments(&rows, i, |_, _| true), (0.0, 1.21 / 4.0)));
    }

    #[test]
    fn two_gaussians_have_their_means_and_variances() {
        let clean = rows("two-gaussians:noise=0", 1, 20_000);
        for (y, mean) in [(Label::Positive, 1.0), (Label::Negative, -1.0)] {
            near(moments(&clean, 0, |_, label| label == y), (mean, 0.2));
            near(moments(&clean, 1, |_, label| label == y), (mean, 2.0));
        }
        let noisy = rows("two-gaussians", 1, 20_000);
        let flips = clean.iter().zip(&noisy).filter(|(a, b)| a.1 != b.1).count();
        assert!((1_800..2_200).contains(&flips), "{flips}");
        assert!(clean.iter().zip(&noisy).all(|(a, b)| a.0 == b.0), "noise changes labels only");
    }

    #[test]
    fn second_order_toy_is_labelled_by_an_axis() {
        for (text, axis, margin) in [
            ("second-order-toy", 0, 0.0),
            ("second-order-toy:set=2", 1, 0.0),
            ("second-order-toy:set=2,margin=0.5,features=5", 1, 0.5),
        ] {
            let rows = rows(text, 1, 10_000);
            for (x, y) in &rows {
                assert!(x[axis] * y.sign() > 0.0 && x[axis].abs() >= margin);
            }
            assert!((share_positive(&rows) - 0.5).abs() < 0.02);
            near(moments(&rows, 0, |_, _| true), (0.0, 8.0));
            near(moments(&rows, 2, |_, _| true), (0.0, 1.0));
        }
        near(moments(&rows("second-order-toy:ratio=2,features=3", 1, 10_000), 0, |_, _| true), (0.0, 2.0));
    }

    #[test]
    fn artificial_has_a_sparse_target_and_a_margin() {
        let (features, relevant) = (40, 6);
        let text = "artificial:features=40,relevant=6,margin=0.1";
        let clean = rows(text, 3, 2_000);
        // The signs of the target show in the mean of y x.
        let mean = |i: usize| clean.iter().map(|(x, y)| y.sign() * x[i]).sum::<f64>() / clean.len() as f64;
        let means: Vec<f64> = (0..features).map(mean).collect();
        assert!(means[..relevant].iter().all(|m| m.abs() > 0.03), "{means:?}");
        assert!(means[relevant..].iter().all(|m| m.abs() < 0.02), "{means:?}");
        for (x, y) in &clean {
            assert!((Row::Dense(x).norm(2.0) - 1.0).abs() < 1e-14);
            let u_x: f64 = means[..relevant].iter().zip(x).map(|(m, x_i)| m.signum() * x_i).sum::<f64>() / 6f64.sqrt();
            assert!(u_x * y.sign() >= 0.1 - 1e-12);
        }
        let noisy = rows(&format!("{text},noise=0.1"), 3, 2_000);
        let flips = clean.iter().zip(&noisy).filter(|(a, b)| a.1 != b.1).count();
        assert!((150..250).contains(&flips), "{flips}");
        assert_eq!(rows("artificial", 1, 1)[0].0.len(), 500);
    }

    #[test]
    fn extreme_settings_of_artificial_still_give_rows() {
        for text in ["artificial:features=1,relevant=1,margin=1", "artificial:features=500,relevant=1,margin=0.0447"] {
            assert_eq!(rows(text, 1, 50).len(), 50);
        }
    }

    #[test]
    fn sparse_experts_vote() {
        let rows = rows("sparse-experts:features=12,relevant=5", 1, 5_000);
        for (x, y) in &rows {
            assert!(x.iter().all(|x_i| x_i.abs() == 1.0));
            let votes = x[..5].iter().filter(|&&x_i| x_i > 0.0).count();
            assert_eq!(*y == Label::Positive, votes >= 3);
        }
        (0..12).for_each(|i| near(moments(&rows, i, |_, _| true), (0.0, 1.0)));
        assert!((share_positive(&rows) - 0.5).abs() < 0.03);
    }

    #[test]
    fn xor_is_positive_when_one_sign_is() {
        let corners = rows("xor", 1, 4_000);
        for (x, y) in &corners {
            assert!(x.iter().all(|x_i| x_i.abs() == 1.0));
            assert_eq!(*y == Label::Positive, (x[0] > 0.0) != (x[1] > 0.0));
        }
        assert!((share_positive(&corners) - 0.5).abs() < 0.03);
        let spread = rows("xor:spread=0.3", 1, 4_000);
        assert!(corners.iter().zip(&spread).all(|(a, b)| a.1 == b.1), "spread moves rows, not labels");
        near(moments(&spread, 0, |_, _| true), (0.0, 1.09));
    }

    #[test]
    fn libsvm_text_reads_back_to_the_same_rows() {
        use std::io::Write as _;
        for (text, count) in [("artificial", 10), ("xor", 4), ("second-order-toy:features=3,ratio=1e6", 1_000)] {
            let mut file = tempfile::Builder::new().suffix(".svm").tempfile().unwrap();
            file.write_all(text_of(text, 5, count as u64).as_bytes()).unwrap();
            let (mut reader, _) = open(&Input::File(file.path().into()), &ReadOptions::default()).unwrap();
            let (mut batch, mut read) = (Batch::default(), Vec::new());
            while reader.read(&mut batch).unwrap() {
                read.extend((0..batch.len()).map(|i| batch.rows.row(i).values().to_vec()));
                batch.clear();
            }
            let written: Vec<Vec<f64>> = rows(text, 5, count).into_iter().map(|(x, _)| x).collect();
            assert_eq!(read, written, "{text}");
        }
    }

    #[test]
    fn libsvm_text_is_short_and_leaves_zeros_out() {
        let set: &'static Set = &XOR;
        let mut values = [0.0, 0.5, -0.0, 1e-300, 1e300, -2.0].into_iter().cycle();
        let mut generator = Generator {
            set,
            settings: Settings::defaults(set.name, set.parameters),
            random: Random::new(1),
            draw: Box::new(move |_, x| {
                x.fill_with(|| values.next().unwrap());
                Label::Negative
            }),
            row: vec![0.0; 6],
        };
        let mut out = Vec::new();
        write_libsvm(&mut out, 1, &mut generator).unwrap();
        assert_eq!(out, b"-1 2:0.5 4:1e-300 5:1e300 6:-2\n");
    }
}
