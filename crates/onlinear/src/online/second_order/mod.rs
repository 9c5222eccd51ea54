//! The second-order Perceptron.
//!
//! Cesa-Bianchi, Conconi and Gentile, "A second-order perceptron algorithm" (2005).
//! Sees every row through the inverse correlation matrix of the mistaken ones, so that directions in
//! which mistakes abound count for less.
//!
//! f(x) = vᵀ A⁻¹ x,   v = Σ y x,   A = a I + Σ x xᵀ,   both over the mistaken rows
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | ŷ = sgn(vᵀ(A + x xᵀ)⁻¹x), or in mode `fixed` and `adaptive` vᵀA⁻¹x, of the same sign |
//! | \[2\] | if ŷ ≠ y |
//! | \[3\] | v ← v + y x, S ← (S, x) |
//! | \[4\] | a ← c R² k (`adaptive` only) |
//!
//! The modes differ in a: `fixed` keeps it, `adaptive` lets it grow with the mistakes, `pseudoinverse`
//! does without. Each is one file here, with a primal form (matrices over features) and a dual one
//! (matrices over mistaken rows, for any kernel); both give the same scores.
//!
//! Cost: see each mode. Bounds, with D = Σ max(0, γ − y u·x) over the mistaken rows X, ‖u‖ = 1, λᵢ the
//! eigenvalues of XXᵀ, λ* the least positive one met and r the rank:
//! `fixed` (Theorem 3.1) m ≤ D/γ + (1/γ)√((a + uᵀXXᵀu) Σ ln(1 + λᵢ/a));
//! `adaptive` with a_m = c R² m: (a_m + uᵀXXᵀu)((1/c) ln((m + 1/c)/(1 + 1/c)) + Σ ln(1 + λᵢ/a_m)) under the root;
//! `pseudoinverse`: uᵀXXᵀu (r + ½r(r+1) ln(1 + 2R²m/(λ* r(r+1)))) under the root.
//!
//! **Differs from the paper:** the score leaves the current row out in modes `fixed` and `adaptive`
//! (by Sherman–Morrison only a positive factor); a zero score counts as a mistake whatever the label;
//! `radius=auto` takes for R the largest norm of the rows before; `pseudoinverse` takes a row for one
//! of the span when its residual is at most 1e-8 of its norm, in dual form 1e-6, since the residual's
//! square is there a difference of kernel values.

mod adaptive;
mod fixed;
mod pseudoinverse;

use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Range, Value};
use crate::error::{Message, Result};
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2, kernel};
use crate::learner::{Example, Expected, Learner, Round, Step};
use crate::space::{Expansion, Hypothesis, Kernel, Row, Rows, SupportSet, Symmetric, Weights};
use crate::spec::Spec;
use crate::state::State;

const MODE: Parameter = Parameter {
    name: "mode",
    aliases: &[],
    kind: Kind::Choice(&["fixed", "adaptive", "pseudoinverse"]),
    default: Value::Choice("fixed"),
    help: "a = ridge, a = growth·radius²·mistakes, or a = 0 with a pseudo-inverse",
};

const RIDGE: Parameter = Parameter {
    name: "ridge",
    aliases: &["a"],
    kind: Kind::Number(Range::POSITIVE),
    default: Value::Number(1.0),
    help: "of mode=fixed; the larger, the nearer to the Perceptron",
};

const GROWTH: Parameter = Parameter {
    name: "growth",
    aliases: &["c"],
    kind: Kind::Number(Range::POSITIVE),
    default: Value::Number(0.01),
    help: "of mode=adaptive",
};

const RADIUS: Parameter = Parameter {
    name: "radius",
    aliases: &[],
    kind: Kind::NumberOr(Range::POSITIVE, "auto"),
    default: Value::Choice("auto"),
    help: "of mode=adaptive; auto: the largest row norm so far",
};

const FORM: Parameter = Parameter {
    name: "form",
    aliases: &[],
    kind: Kind::Choice(&["auto", "primal", "dual"]),
    default: Value::Choice("auto"),
    help: "matrices over features or over mistaken rows; auto: whichever is known to be smaller",
};

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "second-order",
    title: "Second-order Perceptron",
    summary: "Sees rows through the inverse correlation matrix of the mistaken ones.",
    rule: "f(x) = vᵀ(aI + Σ x xᵀ)⁻¹x; on a mistake v ← v + y x and the row joins the sum",
    paper: "Cesa-Bianchi, Conconi and Gentile (2005)",
    cost: "n features (dual: mistaken rows). fixed: O(non-zeros) per trial (dual: n kernel values), O(n²) per mistake. \
           adaptive: O(n³) per mistake and per new radius. pseudoinverse: O(n²) per trial and per prediction",
    bound: "fixed: m ≤ D/γ + (1/γ)√((a + uᵀXXᵀu) Σ ln(1 + λᵢ/a)) for every unit u and γ > 0, X the mistaken rows, \
            λ the eigenvalues of XXᵀ; the others have theirs",
    differs: "the score leaves the current row out in modes fixed and adaptive: the same sign; a zero score counts as a \
              mistake; radius=auto is the largest norm of the rows before; pseudoinverse in dual form resolves 1e-6, not 1e-8",
    parameters: &[MODE, RIDGE, GROWTH, RADIUS, FORM, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |spec| kernel(spec).is_linear() && spec.choice("form") != "dual",
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(SecondOrder::new(spec)?)),
};

/// What a mode does in either form.
trait Mode: Send + Sync {
    /// f(x).
    fn score(&self, x: Row<'_>) -> f64;

    /// f(x) for the x of the trial now beginning.
    fn trial_score(&mut self, x: Row<'_>) -> f64;

    /// Takes in the mistaken row of the trial under way, whose score was `score`.
    fn update(&mut self, x: Row<'_>, y: f64, score: f64);

    /// Ends the trial, after its update if there was one.
    fn end_trial(&mut self, _x: Row<'_>, _updated: bool) {}

    /// Coefficients and rows in dual form; in primal form w, where f is linear.
    fn hypothesis(&self) -> &Hypothesis;

    /// Announces the rows of the trials to come.
    fn look_ahead(&mut self, rows: &Rows);

    /// Whether f(x) is w·x, or Σ αⱼ K(xⱼ, x), of the hypothesis.
    fn is_linear(&self) -> bool {
        true
    }

    /// Visits the fields.
    fn state(&mut self, state: &mut State) -> Result<()>;
}

/// Everything the spec says but the form.
#[derive(Clone, Copy)]
struct Parameters {
    mode: &'static str,
    ridge: f64,
    growth: f64,
    /// R, if it is given.
    radius: Option<f64>,
    kernel: Kernel,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Primal,
    Dual,
}

impl Parameters {
    fn build(&self, form: Form) -> Box<dyn Mode> {
        let f = match form {
            Form::Primal => Hypothesis::Primal(Weights::default()),
            Form::Dual => Hypothesis::Dual(Box::new(Expansion::new(self.kernel))),
        };
        match self.mode {
            "adaptive" => Box::new(adaptive::Adaptive::new(self.growth, self.radius, f)),
            "pseudoinverse" => Box::new(pseudoinverse::Pseudoinverse::new(f)),
            _ => Box::new(fixed::Fixed::new(self.ridge, f)),
        }
    }

    /// Memory for the matrices over `n` features, in bytes.
    fn bytes(&self, n: usize) -> u64 {
        let triangles = match self.mode {
            "adaptive" => 2,      // the sum and its factor
            "pseudoinverse" => 4, // a basis, with indices, and a triangle
            _ => 1,
        };
        Symmetric::bytes(n).saturating_mul(triangles)
    }
}

/// The second-order Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "second-order:ridge=1".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[1.0, 1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // v = x, A = I + x xᵀ
/// assert!((learner.score(x) - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct SecondOrder {
    parameters: Parameters,
    /// The form asked for; without one the data decide.
    asked: Option<Form>,
    /// The form in force.
    form: Form,
    /// Whether the form can change no more.
    settled: bool,
    mode: Box<dyn Mode>,
}

impl SecondOrder {
    /// v = 0, A = a I.
    pub fn new(spec: &Spec) -> std::result::Result<SecondOrder, String> {
        let radius = match spec.get("radius") {
            Some(Value::Number(radius)) => Some(radius),
            _ => None,
        };
        let parameters = Parameters {
            mode: spec.choice("mode"),
            ridge: spec.number("ridge"),
            growth: spec.number("growth"),
            radius,
            kernel: kernel(spec),
        };
        let asked = match spec.choice("form") {
            "primal" if !parameters.kernel.is_linear() => {
                return Err("form=primal needs kernel=linear without cosine; use form=dual or form=auto".to_string());
            }
            "primal" => Some(Form::Primal),
            "dual" => Some(Form::Dual),
            _ => None,
        };
        let form = asked.unwrap_or(if parameters.kernel.is_linear() { Form::Primal } else { Form::Dual });
        Ok(SecondOrder { parameters, asked, form, settled: false, mode: parameters.build(form) })
    }

    fn set_form(&mut self, form: Form) {
        if form != self.form {
            self.form = form;
            self.mode = self.parameters.build(form);
        }
    }
}

impl Learner for SecondOrder {
    fn score(&self, x: Row<'_>) -> f64 {
        self.mode.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, .. } = example;
        self.settled = true;
        let score = self.mode.trial_score(x); // [1]
        let updates = !(y.sign() * score > 0.0 || self.mode.hypothesis().vanishes_at(x)); // [2]
        if updates {
            self.mode.update(x, y.sign(), score); // [3]
        }
        self.mode.end_trial(x, updates); // [4]
        Round { score, step: if updates { Step::Update } else { Step::Stay } }
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        if self.mode.is_linear() {
            self.mode.hypothesis().scores(rows, out);
        } else {
            out.extend((0..rows.len()).map(|i| self.mode.score(rows.row(i))));
        }
    }

    fn look_ahead(&mut self, rows: &Rows) {
        self.mode.look_ahead(rows);
    }

    fn block(&self) -> usize {
        self.mode.hypothesis().block()
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        if self.settled {
            return Ok(());
        }
        let features = expected.features.unwrap_or(0);
        let (bytes, most) = (self.parameters.bytes(features), expected.max_memory.unwrap_or(u64::MAX));
        if self.asked.is_none() && self.parameters.kernel.is_linear() {
            let more_than_rows = expected.rows.is_some_and(|rows| features > rows);
            self.set_form(if more_than_rows || bytes > most / 2 { Form::Dual } else { Form::Primal });
        }
        if self.form == Form::Primal && bytes > most {
            let need = format!("its matrices over {features} features need {} MiB", bytes.div_ceil(1 << 20));
            return Err(Message::beyond_memory(need).and("; use form=dual"));
        }
        self.settled = true;
        Ok(())
    }

    fn form(&self) -> &'static str {
        match self.form {
            Form::Primal => "primal",
            Form::Dual => "dual",
        }
    }

    fn support(&self) -> Option<usize> {
        self.mode.hypothesis().support()
    }

    fn weights(&self) -> Option<Vec<f64>> {
        let w = self.mode.hypothesis().weights().filter(|_| self.mode.is_linear());
        w.map(|w| w.as_slice().to_vec())
    }

    fn bytes(&self, features: usize) -> u64 {
        match self.form {
            Form::Primal => self.parameters.bytes(features),
            Form::Dual => SupportSet::lookup_bytes(features),
        }
    }

    fn held(&self) -> u64 {
        let f = self.mode.hypothesis();
        f.held() + f.support().map_or(0, Symmetric::bytes)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let mut dual = u64::from(self.form == Form::Dual);
        state.u64("dual", &mut dual)?;
        let form = if dual == 0 { Form::Primal } else { Form::Dual };
        let fits =
            self.asked.is_none_or(|asked| asked == form) && (form == Form::Dual || self.parameters.kernel.is_linear());
        state.require(fits && dual <= 1, "its form is not one of its spec")?;
        if state.is_loading() {
            self.set_form(form);
            self.settled = true;
        }
        self.mode.state(state)
    }
}
