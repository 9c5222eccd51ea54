//! Which theorem covers a run, or which of its conditions fails.

use super::charged::Charged;
use super::theorem::Theorem;
use super::{Run, spectrum};
use crate::online::whitened::inverse_root;
use crate::space::{Kernel, Row, Rows};
use crate::spec::Spec;
use crate::spec::Value;
use crate::spec::kernel;

/// What a bound stands on: the trials, the space they live in, and the theorem.
pub(crate) struct Ground {
    /// The trials, on rows as the theorem sees them.
    pub(crate) charged: Charged,
    /// The kernel, unless it is x·z.
    pub(crate) kernel: Option<Kernel>,
    pub(crate) theorem: Theorem,
    /// R.
    pub(crate) radius: f64,
    /// How the higher-order Perceptron deflates.
    pub(crate) deflation: Option<Deflation>,
}

/// ρ_k of the higher-order Perceptron.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deflation {
    pub(crate) c: f64,
    /// ρ_k = c/k, and not (1−c)/(1+|vᵀx|).
    pub(crate) is_harmonic: bool,
    /// ρ_k = 0 where y vᵀx < 0.
    pub(crate) is_sparse: bool,
}

/// K(x,x) = 1 to this.
const UNIT: f64 = 1e-9;
/// ‖δ‖² below this share of K(x,x) counts as 0 in the Projectron.
const FLOOR: f64 = 1e-10;

impl Ground {
    /// The ground of a run's bound, or why there is none.
    pub(crate) fn of(run: &Run) -> Result<Ground, String> {
        let spec = &run.spec;
        let name = spec.algorithm().name;
        if spec.is_batch() {
            return Err("a batch learner makes no trials".to_string());
        }
        let kernel = spec.get("kernel").map(|_| kernel::of(spec)).filter(|kernel| !kernel.is_linear());
        let charged = if name == "whitened" { whitened(run)? } else { run.charged.clone() };
        let squares = charged.squares(kernel);
        let theorem = match name {
            "perceptron" | "averaged" | "voted" => perceptron(),
            "whitened" => Theorem::FirstOrder { p: 2.0, is_whitened: true },
            "p-norm" => Theorem::FirstOrder { p: spec.number("p"), is_whitened: false },
            "winnow" => winnow(spec, run.features.max(charged.rows().dimension())),
            "second-order" => second_order(spec, &charged, kernel, &squares)?,
            "higher-order" => higher_order(spec, &squares)?,
            "projectron" | "projectron++" => projectron(spec, &squares)?,
            "forgetron" | "stoptron" | "rbp" => within_budget(spec, &charged, &squares)?,
            _ => return Err(format!("no mistake bound is stated for {name}")),
        };
        let radius = match theorem.row_norm() {
            p if p.is_infinite() => largest((0..charged.rows().len()).map(|i| charged.rows().row(i).largest())),
            p if p != 2.0 => largest((0..charged.rows().len()).map(|i| charged.rows().row(i).norm(p))),
            _ => largest(squares.iter().map(|square| square.sqrt())),
        };
        if radius == 0.0 {
            return Err("every mistaken row is zero".to_string());
        }
        let deflation = (name == "higher-order").then(|| Deflation {
            c: spec.number("deflation"),
            is_harmonic: spec.choice("schedule") == "harmonic",
            is_sparse: spec.flag("sparse"),
        });
        Ok(Ground { charged, kernel, theorem, radius, deflation })
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn perceptron() -> Theorem {
    Theorem::FirstOrder { p: 2.0, is_whitened: false }
}

fn winnow(spec: &Spec, features: usize) -> Theorem {
    let is_balanced = spec.flag("balanced");
    let dimensions = if is_balanced { 2 * features } else { features } as f64;
    Theorem::Winnow { rate: spec.number("rate"), dimensions, is_balanced }
}

/// The charged trials on the rows M^{−1/2}x.
fn whitened(run: &Run) -> Result<Charged, String> {
    let correlations = run.correlations.as_ref().ok_or("the correlations of the rows are not known")?;
    let root = inverse_root(correlations);
    let (mut rows, mut z) = (Rows::default(), Vec::new());
    for i in 0..run.charged.rows().len() {
        root.multiply_row(run.charged.rows().row(i), &mut z);
        rows.push_row(Row::Dense(&z));
    }
    Ok(run.charged.with_rows(rows))
}

fn second_order(spec: &Spec, charged: &Charged, kernel: Option<Kernel>, squares: &[f64]) -> Result<Theorem, String> {
    // Rows that are zero change nothing and do not count as steps.
    let steps: f64 =
        charged.counts().iter().zip(squares).filter(|(_, square)| **square > 0.0).map(|(count, _)| count).sum();
    let largest = largest(squares.iter().map(|square| square.sqrt()));
    match spec.choice("mode") {
        "fixed" => {
            let ridge = spec.number("ridge");
            let eigenvalues = spectrum::log_volume(charged, kernel, ridge)?;
            Ok(Theorem::SecondOrder { ridge, eigenvalues, name: "Second-order Perceptron, Theorem 3.1" })
        }
        "adaptive" => {
            let Some(Value::Number(radius)) = spec.get("radius") else {
                return Err("mode=adaptive has a bound where radius is given, not with radius=auto".to_string());
            };
            if largest > radius * (1.0 + UNIT) {
                return Err(format!("a mistaken row is of norm {largest}, longer than radius={radius}"));
            }
            let c = spec.number("growth");
            let ridge = c * radius * radius * steps;
            let growth = ((steps + 1.0 / c) / (1.0 + 1.0 / c)).ln() / c;
            let eigenvalues = growth + spectrum::log_volume(charged, kernel, ridge)?;
            Ok(Theorem::SecondOrder { ridge, eigenvalues, name: "Second-order Perceptron, adaptive ridge" })
        }
        _ => {
            let (rank, least) = spectrum::rank_and_least(charged, kernel)?;
            let pairs = rank * (rank + 1.0);
            let eigenvalues = rank + 0.5 * pairs * (2.0 * largest * largest * steps / (least * pairs)).ln_1p();
            Ok(Theorem::SecondOrder { ridge: 0.0, eigenvalues, name: "Second-order Perceptron, pseudoinverse" })
        }
    }
}

fn higher_order(spec: &Spec, squares: &[f64]) -> Result<Theorem, String> {
    if spec.number("p") != 2.0 {
        return Err("higher-order has a bound at p=2 only".to_string());
    }
    if let Some(square) = squares.iter().find(|&&square| square != 0.0 && (square - 1.0).abs() > UNIT) {
        let length = square.sqrt();
        return Err(format!(
            "higher-order has a bound for rows of norm 1 only, and a mistaken row is of norm {length}"
        ));
    }
    let deflation = spec.number("deflation");
    let c = if spec.choice("schedule") == "harmonic" { 1.0 - deflation } else { deflation };
    Ok(Theorem::HigherOrder { alpha: (2.0 - c) / c })
}

fn projectron(spec: &Spec, squares: &[f64]) -> Result<Theorem, String> {
    let largest = largest(squares.iter().copied());
    let is_plus = spec.algorithm().name == "projectron++";
    let Some(Value::Number(most)) = spec.get("norm-bound") else {
        if is_plus {
            return Err("projectron++ has a bound with norm-bound only".to_string());
        }
        let tolerance = match spec.get("tolerance") {
            Some(Value::Number(tolerance)) => tolerance,
            _ => 0.1,
        };
        return Ok(Theorem::Projectron { tolerance: tolerance.max((FLOOR * largest).sqrt()) });
    };
    if is_plus && spec.choice("rule") != "printed" {
        return Err("projectron++ has a bound with rule=printed only".to_string());
    }
    if largest > 1.0 + UNIT {
        return Err(format!("with norm-bound the bound needs K(x,x) ≤ 1, and a mistaken row has K(x,x) = {largest}"));
    }
    if most * FLOOR.sqrt() > 0.25 {
        return Err(format!("norm-bound={most} is beyond the precision of the projections"));
    }
    let name = if is_plus { "Projectron++, equation 15 without its gains" } else { "Projectron, Corollary 1" };
    Ok(Theorem::NormBounded { most, name })
}

/// Up to its budget a learner is the Perceptron.
fn within_budget(spec: &Spec, charged: &Charged, squares: &[f64]) -> Result<Theorem, String> {
    let updates: f64 =
        charged.counts().iter().zip(squares).filter(|(_, square)| **square > 0.0).map(|(count, _)| count).sum();
    if updates <= spec.whole("budget") as f64 {
        return Ok(perceptron());
    }
    let name = spec.algorithm().name;
    Err(match name {
        "stoptron" => "stoptron has stopped: its bound holds until its budget is spent".to_string(),
        "rbp" => {
            "rbp has forgotten rows: from then on its bound holds on average over its random choices only".to_string()
        }
        _ => format!("{name} has forgotten rows: no mistake bound is stated for it from then on"),
    })
}
