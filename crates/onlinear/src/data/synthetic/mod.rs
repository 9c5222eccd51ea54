//! The artificial sets of the papers, drawn row by row from a seed.
//!
//! A set is named like a learner, `name:key=value,…`. What is drawn first and what next is part of
//! each set's definition: one seed gives one endless sequence of rows, of which any number is
//! taken. So a training and a test file of the same task are two parts of one longer run.

use std::fmt::{self, Write as _};
use std::io;

use crate::error::{Error, Result};
use crate::learner::{Example, Label};
use crate::random::Random;
use crate::space::Row;
use crate::spec::{Kind, Parameter, Range, Settings, Value, did_you_mean};

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
    &[&RINGNORM, &THREENORM, &YINYANG, &TWO_GAUSSIANS, &SECOND_ORDER_TOY, &ARTIFICIAL, &SPARSE_EXPERTS, &XOR, &SLOW];

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
/// use onlinear::workshop::synthetic::Generator;
/// let mut generator = Generator::new("sparse-experts:features=9", 7)?;
/// assert_eq!(generator.settings().to_string(), "sparse-experts:features=9,relevant=3");
/// let example = generator.next_example();
/// assert_eq!(example.x.dimension(), 9);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Generator {
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
        Ok(Generator { settings, random, draw, row: vec![0.0; features] })
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
    Parameter {
        name,
        aliases: &[],
        kind: Kind::Integer { low, high },
        synonyms: &[],
        default: Value::Number(default as f64),
        help,
    }
}

const fn number(name: &'static str, range: Range, default: f64, help: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind: Kind::Number(range), synonyms: &[], default: Value::Number(default), help }
}

const fn noise(default: f64) -> Parameter {
    number("noise", Range::closed(0.0, 1.0), default, "probability with which a label is flipped")
}

/// What a set makes: so many features, and the drawing of rows.
fn rows(features: usize, draw: impl FnMut(&mut Random, &mut [f64]) -> Label + Send + 'static) -> Result<(usize, Draw)> {
    Ok((features, Box::new(draw)))
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
        rows(20, move |random, x| {
            let y = positive_if(random.chance(0.5));
            x.fill_with(|| match y {
                Label::Positive => 2.0 * random.gauss(),
                Label::Negative => a + random.gauss(),
            });
            y
        })
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
        rows(20, move |random, x| {
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
        })
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
        rows(2, |random, x| {
            loop {
                x.fill_with(|| RADIUS * random.symmetric());
                if x[0] * x[0] + x[1] * x[1] <= RADIUS * RADIUS {
                    return positive_if(in_yang(x[0], x[1]));
                }
            }
        })
    },
};

/// Whether a point is +1 in `yinyang`: R = 1, r = 0.18, distances to (±R/2, 0).
fn in_yang(x1: f64, x2: f64) -> bool {
    const HALF: f64 = 0.5; // R/2
    const DOT: f64 = 0.18; // r
    let right = libm::hypot(x1 - HALF, x2); // d₊
    let left = libm::hypot(x1 + HALF, x2); // d₋
    right <= DOT || (DOT < left && left <= HALF) || (x2 > 0.0 && right > HALF && left > HALF)
}

/// `two-gaussians`: a fair coin for the side, the 2 components, then the draw for the noise.
static TWO_GAUSSIANS: Set = Set {
    name: "two-gaussians",
    summary: "2 features; N(±(1, 1), diag(0.2, 2)), labelled by the sign of the mean, then flipped with \
              probability noise",
    paper: "Dekel, Shalev-Shwartz and Singer (2007), as in Orabona, Keshet and Caputo (2008)",
    parameters: &[noise(0.1)],
    make: |settings, _| {
        let noise = settings.number("noise");
        let deviations = [0.2f64.sqrt(), 2f64.sqrt()];
        rows(2, move |random, x| {
            let y = positive_if(random.chance(0.5));
            for (x_i, deviation) in x.iter_mut().zip(deviations) {
                *x_i = y.sign() + deviation * random.gauss();
            }
            flipped(y, noise, random)
        })
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
    summary: "Gaussian, variance ratio along the first axis and 1 along the others; labelled by the sign of x1 (set 1) \
              or x2 (set 2)",
    paper: "Cesa-Bianchi, Conconi and Gentile (2005), section 5",
    parameters: &[
        whole("set", 1, 2, 1, "the axis whose sign is the label: 1, the dominant one, or 2, another"),
        whole("features", 2, MOST_FEATURES, 100, "number of features"),
        number("ratio", Range::closed(1.0, 1e6), 8.0, "dominant eigenvalue over the others"),
        // Beyond two standard deviations nearly every row would be rejected.
        number(
            "margin",
            Range::closed(0.0, 2.0),
            0.0,
            "least |x1| (set 1) or |x2| (set 2); nearer rows are drawn again",
        ),
    ],
    make: |settings, _| {
        let axis = if settings.whole("set") == 1 { 0 } else { 1 };
        let (deviation, margin) = (settings.number("ratio").sqrt(), settings.number("margin"));
        rows(settings.whole("features") as usize, move |random, x| {
            loop {
                x.fill_with(|| random.gauss());
                x[0] *= deviation;
                if x[axis].abs() >= margin && x[axis] != 0.0 {
                    return positive_if(x[axis] > 0.0);
                }
            }
        })
    },
};

/// `artificial`: first, once, the signs of the target u; then for each row its components (rows
/// within the margin are drawn again) and the draw for the noise.
static ARTIFICIAL: Set = Set {
    name: "artificial",
    summary: "uniform in the cube, then of unit norm; labelled by u·x, u having equal weights of random sign on the \
              first relevant features; |u·x| >= margin; labels flipped with probability noise",
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
                "margin={margin} is out of range; expected a number >= 0 and <= {most:.4} (1/√features), else \
                 most rows are rejected"
            )));
        }
        let weight = 1.0 / (relevant as f64).sqrt();
        let u: Vec<f64> = (0..relevant).map(|_| weight * sign(random)).collect();
        rows(features, move |random, x| {
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
        })
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
            return Err(
                settings.refused(format!("relevant={relevant} is even; expected an odd number, so that no vote ties"))
            );
        }
        rows(features, move |random, x| {
            x.fill_with(|| sign(random));
            positive_if(x[..relevant].iter().sum::<f64>() > 0.0)
        })
    },
};

/// `xor`: two fair coins for the corner, then a Gaussian for each component (also at spread 0, so
/// that the corners of a seed are the same at every spread).
static XOR: Set = Set {
    name: "xor",
    summary: "2 features: a corner (±1, ±1), plus Gaussian noise of deviation spread; +1 when exactly one sign \
              of the corner is positive",
    paper: "Minsky and Papert (1969)",
    parameters: &[number("spread", Range::closed(0.0, 1e6), 0.0, "standard deviation of the noise around the corners")],
    make: |settings, _| {
        let spread = settings.number("spread");
        rows(2, move |random, x| {
            let corner = [sign(random), sign(random)];
            for (x_i, corner_i) in x.iter_mut().zip(corner) {
                *x_i = corner_i + spread * random.gauss();
            }
            positive_if(corner[0] != corner[1])
        })
    },
};

/// `slow`: N rows, one after another, again and again: y x = (−1, …, −1, 1, 0, …, 0), so that each weight must exceed
/// the sum of those before it.
static SLOW: Set = Set {
    name: "slow",
    summary: "as many rows as features, in turn, which take the Perceptron (4^features - 1)/3 updates to tell apart",
    paper: "Mohri's lecture: convergence can be in Ω(2^N) for small margins",
    parameters: &[whole("features", 1, 40, 10, "number of features, and of different rows")],
    make: |settings, _| {
        let features = settings.whole("features") as usize;
        let mut row = 0;
        rows(features, move |_, x| {
            let y = positive_if(row % 2 == 0);
            x.fill(0.0);
            x[..row].fill(-y.sign());
            x[row] = y.sign();
            row = (row + 1) % features;
            y
        })
    },
};

#[cfg(test)]
mod tests;
