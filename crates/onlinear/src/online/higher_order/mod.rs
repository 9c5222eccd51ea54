//! The Higher-order Perceptron, HO_p(c).
//!
//! Brotto, Gentile and Vitale, "On higher-order Perceptron algorithms" (2008), Figure 1 and section 2.
//! A Perceptron on rows transformed by a matrix that every mistake deflates along the mistaken row.
//!
//! f(x) = g(Bv)ᵀBx,   B₀ = I,   v₀ = 0
//!
//! | step | Figure 1 |
//! | --- | --- |
//! | \[1\] | ŷ = sgn(wᵀx), w = Bᵀg(Bv) |
//! | \[2\] | if ŷ ≠ y, with k the number of mistakes: |
//! | \[3\] | ρ_k = c/k, or (1−c)/(1+\|vᵀg(x)\|); sparse: 0 if y vᵀg(x) < 0 |
//! | \[4\] | B ← B(I − ρ_k x g(x)ᵀ),   v ← v + y x |
//!
//! g = ∇½‖·‖_p², the identity at p = 2. Three forms, with the same scores where they meet:
//! `primal` keeps A = BᵀB (p = 2), `dual` writes A = I + Σ Dᵢⱼ xᵢxⱼᵀ (p = 2, any kernel),
//! `implicit` keeps the factors of B (any p).
//!
//! Cost: a trial is one dot product (dual: one kernel value per mistaken row); a mistake costs O(n²) in
//! primal form (O(n · non-zeros) for sparse rows), O(k · non-zeros + n) in implicit form, O(k²) in dual
//! form. Bound: Theorem 1, at p = 2 with unit rows: α = (2−c′)/c′, D = Σ max(0, γ − y u·B_{k−1}x) over the
//! mistakes, m ≤ αD/γ + α²/(2γ²) + (α/γ)√(αD/γ + α²/(4γ²)), with c′ = c (theorem) or 1 − c (harmonic).
//!
//! **Differs from the paper:** a zero score is a mistake whatever the label; K(x,x) is not taken to be 1
//! in the dual form, and a warning says where it is not; a row with K(x,x) = 0 is no update and does not
//! count towards k; vᵀx in the rules for ρ is vᵀg(x), the same at p = 2.

mod dual;
mod implicit;
mod primal;

use self::dual::Dual;
use self::implicit::Implicit;
use self::primal::Primal;
use super::alma::P_RANGE;
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Range, Value, shortest};
use crate::error::{Cure, Message, Result, size};
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2, kernel};
use crate::learner::{Example, Expected, Learner, Round, Step};
use crate::space::{Kernel, Row, Rows, Shape, SupportSet, Symmetric};
use crate::spec::Spec;
use crate::state::State;

/// K(x,x) this close to 1 is 1.
const ROUNDING: f64 = 1e-6;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "higher-order",
    title: "Higher-order Perceptron",
    summary: "A Perceptron on rows transformed by a matrix that every mistake deflates along the mistaken row.",
    rule: "when y g(Bv)ᵀBx ≤ 0: B ← B(I − ρ x g(x)ᵀ), v ← v + y x; ρ = c/k, or (1−c)/(1+|vᵀg(x)|)",
    paper: "Brotto, Gentile and Vitale (2008)",
    cost: "a dot product per trial, or a kernel value per mistaken row; per mistake O(n²) primal, O(k · non-zeros + n) implicit, O(k²) dual",
    bound: "Theorem 1 (p = 2, unit rows): m ≤ αD/γ + α²/(2γ²) + (α/γ)√(αD/γ + α²/(4γ²)), α = (2−c′)/c′, D over the rows B_{k−1}x",
    differs: "a zero score is a mistake whatever the label; K(x,x) need not be 1 in dual form; a row with K(x,x) = 0 is no update; the rules for ρ use vᵀg(x)",
    parameters: &[
        Parameter {
            name: "p",
            aliases: &[],
            kind: Kind::Number(P_RANGE),
            default: Value::Number(2.0),
            help: "the norm of the rows; kernels need p=2",
        },
        Parameter {
            name: "deflation",
            aliases: &["c"],
            kind: Kind::Number(Range::closed(0.0, 1.0)),
            default: Value::Number(0.4),
            help: "how much a mistake deflates: >= 0 and < 1 with schedule=harmonic, > 0 and <= 1 with schedule=theorem",
        },
        Parameter {
            name: "schedule",
            aliases: &[],
            kind: Kind::Choice(&["harmonic", "theorem"]),
            default: Value::Choice("harmonic"),
            help: "ρ = c/k, or (1−c)/(1+|vᵀg(x)|)",
        },
        Parameter {
            name: "sparse",
            aliases: &[],
            kind: Kind::Flag,
            default: Value::Flag(false),
            help: "leave the matrix alone on mistakes with y vᵀg(x) < 0",
        },
        Parameter {
            name: "form",
            aliases: &[],
            kind: Kind::Choice(&["auto", "primal", "dual", "implicit"]),
            default: Value::Choice("auto"),
            help: "how the matrix is kept: over features, over mistaken rows (also with kernels), or as its factors (any p)",
        },
        KERNEL,
        DEGREE,
        OFFSET,
        SIGMA2,
        COSINE,
    ],
    takes_weights: |_| false,
    needs_feature_count: |spec| {
        kernel(spec).is_linear() && spec.number("p") == 2.0 && matches!(spec.choice("form"), "auto" | "primal")
    },
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(HigherOrder::new(spec)?)),
};

/// The Higher-order Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "higher-order:deflation=0.5".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[0.6, 0.8]);
/// learner.round(&Example::new(x, Label::Positive)); // ρ = ½, v = x, B = I − ½xxᵀ
/// assert!((learner.score(x) - 0.25).abs() < 1e-15);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct HigherOrder {
    p: f64,
    deflation: f64,
    schedule: Schedule,
    sparse: bool,
    kernel: Kernel,
    /// Whether the form is still to be chosen, when more is known.
    is_open: bool,
    form: Form,
    /// k, the mistakes that were updates.
    mistakes: u64,
    matrix_updates: u64,
    /// The first K(x,x) (‖x‖_p if p ≠ 2) in a deflation that was not 1.
    not_one: Option<f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Schedule {
    Harmonic,
    Theorem,
}

enum Form {
    Primal(Primal),
    Dual(Box<Dual>),
    Implicit(Implicit),
}

/// The forms as the state and the parameter name them.
const FORMS: [&str; 3] = ["primal", "dual", "implicit"];

impl HigherOrder {
    /// B = I, v = 0; or why the parameters do not go together.
    pub fn new(spec: &Spec) -> std::result::Result<HigherOrder, String> {
        let (p, deflation, kernel, form) =
            (spec.number("p"), spec.number("deflation"), kernel(spec), spec.choice("form"));
        let schedule = if spec.choice("schedule") == "theorem" { Schedule::Theorem } else { Schedule::Harmonic };
        let (range, word) = match schedule {
            Schedule::Harmonic => (Range { low: (0.0, true), high: (1.0, false) }, "harmonic"),
            Schedule::Theorem => (Range { low: (0.0, false), high: (1.0, true) }, "theorem"),
        };
        if !range.contains(deflation) {
            let deflation = shortest(deflation);
            return Err(format!("deflation={deflation} is out of range with schedule={word}; expected {range}"));
        }
        let which = match kernel.shape {
            Shape::Linear => "cosine=true".to_string(),
            Shape::Polynomial { .. } | Shape::Gaussian { .. } => format!("kernel={}", spec.choice("kernel")),
        };
        if p != 2.0 && !kernel.is_linear() {
            return Err(format!("p={} does not go with {which}; expected p=2", shortest(p)));
        }
        if p != 2.0 && matches!(form, "primal" | "dual") {
            return Err(format!("form={form} does not go with p={}; expected form=implicit or auto", shortest(p)));
        }
        if !kernel.is_linear() && matches!(form, "primal" | "implicit") {
            return Err(format!("form={form} does not go with {which}; expected form=dual or auto"));
        }
        let name = match form {
            "auto" if !kernel.is_linear() => "dual",
            "auto" if p != 2.0 => "implicit",
            "auto" => "primal",
            form => form,
        };
        let form_in_force = Form::new(name, p, kernel);
        Ok(HigherOrder {
            p,
            deflation,
            schedule,
            sparse: spec.flag("sparse"),
            kernel,
            is_open: form == "auto" && name == "primal",
            form: form_in_force,
            mistakes: 0,
            matrix_updates: 0,
            not_one: None,
        })
    }

    /// K(x,x).
    fn square(&self, x: Row<'_>) -> f64 {
        match &self.form {
            Form::Dual(dual) => dual.f().set().with_itself(x),
            Form::Primal(_) | Form::Implicit(_) => x.squared_norm(),
        }
    }

    /// ρ_k for the x of this trial.
    fn rho(&self, x: Row<'_>, y: f64) -> f64 {
        let harmonic = self.schedule == Schedule::Harmonic;
        let v_dot = match &self.form {
            _ if harmonic && !self.sparse => 0.0, // no one asks
            Form::Primal(form) => form.v_dot(x),
            Form::Dual(form) => form.v_dot(),
            Form::Implicit(form) => form.v_dot_image(x),
        };
        let rho = match self.schedule {
            _ if self.sparse && y * v_dot < 0.0 => 0.0,
            Schedule::Harmonic => self.deflation / self.mistakes as f64,
            Schedule::Theorem => (1.0 - self.deflation) / (1.0 + v_dot.abs()),
        };
        if rho > 0.0 { rho } else { 0.0 } // no NaN
    }

    /// Remembers a row that the deflation is not made for.
    fn inspect(&mut self, x: Row<'_>, square: f64) {
        if self.not_one.is_none() {
            let length = if self.p == 2.0 { square } else { x.norm(self.p) };
            let is_one = (length - 1.0).abs() <= ROUNDING;
            self.not_one = (!is_one).then_some(if length.is_finite() { length } else { f64::MAX });
        }
    }
}

impl Form {
    fn new(name: &str, p: f64, kernel: Kernel) -> Form {
        match name {
            "dual" => Form::Dual(Box::new(Dual::new(kernel))),
            "implicit" => Form::Implicit(Implicit::new(p)),
            _ => Form::Primal(Primal::default()),
        }
    }

    /// Its place in [`FORMS`].
    fn number(&self) -> usize {
        match self {
            Form::Primal(_) => 0,
            Form::Dual(_) => 1,
            Form::Implicit(_) => 2,
        }
    }
}

impl Learner for HigherOrder {
    fn score(&self, x: Row<'_>) -> f64 {
        match &self.form {
            Form::Primal(form) => form.w().dot(x),
            Form::Dual(form) => form.f().combine(form.f().coefficients(), x),
            Form::Implicit(form) => form.w().dot(x),
        }
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, .. } = example;
        let score = match &mut self.form {
            Form::Primal(form) => form.w().dot(x), // [1]
            Form::Dual(form) => form.f_mut().trial_column(x),
            Form::Implicit(form) => form.w().dot(x),
        };
        let y = y.sign();
        if y * score > 0.0 {
            return Round { score, step: Step::Stay }; // [2]
        }
        let square = self.square(x);
        if square == 0.0 && (matches!(self.form, Form::Dual(_)) || x.is_zero()) {
            return Round { score, step: Step::Stay };
        }
        self.mistakes += 1;
        let rho = self.rho(x, y); // [3]
        if rho > 0.0 {
            self.matrix_updates += 1;
            self.inspect(x, square);
        }
        match &mut self.form {
            Form::Primal(form) => form.update(x, y, rho, score, square), // [4]
            Form::Dual(form) => form.update(x, y, rho, square),
            Form::Implicit(form) => form.update(x, y, rho),
        }
        Round { score, step: Step::Update }
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        match &self.form {
            Form::Dual(form) => form.f().combine_all(form.f().coefficients(), rows, out),
            Form::Primal(_) | Form::Implicit(_) => out.extend((0..rows.len()).map(|i| self.score(rows.row(i)))),
        }
    }

    fn look_ahead(&mut self, rows: &Rows) {
        if let Form::Dual(form) = &mut self.form {
            form.f_mut().look_ahead(rows);
        }
    }

    fn block(&self) -> usize {
        match self.form {
            Form::Dual(_) => SupportSet::MOST_AHEAD,
            Form::Primal(_) | Form::Implicit(_) => 1,
        }
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let Some(features) = expected.features else { return Ok(()) };
        let memory = expected.max_memory.unwrap_or(u64::MAX);
        let few_rows = expected.rows.is_some_and(|rows| features > rows);
        if self.is_open && (few_rows || Symmetric::bytes(features) > memory / 2) {
            self.form = Form::new("dual", self.p, self.kernel);
        }
        self.is_open = false;
        if let Form::Primal(form) = &mut self.form {
            let bytes = Primal::bytes(features);
            if bytes > memory {
                let need = format!("form=primal needs {} for its matrix over {features} features", size(bytes));
                return Err(Message::beyond_memory(need).and("; use form=dual"));
            }
            form.reserve(features);
        }
        Ok(())
    }

    fn form(&self) -> &'static str {
        FORMS[self.form.number()]
    }

    fn support(&self) -> Option<usize> {
        match &self.form {
            Form::Dual(form) => Some(form.f().set().len()),
            Form::Primal(_) | Form::Implicit(_) => None,
        }
    }

    fn matrix_updates(&self) -> Option<u64> {
        Some(self.matrix_updates)
    }

    fn weights(&self) -> Option<Vec<f64>> {
        match &self.form {
            Form::Primal(form) => Some(form.w().as_slice().to_vec()),
            Form::Dual(_) => None,
            Form::Implicit(form) => Some(form.w().as_slice().to_vec()),
        }
    }

    fn bytes(&self, features: usize) -> u64 {
        match self.form {
            Form::Primal(_) => Primal::bytes(features),
            Form::Dual(_) => SupportSet::lookup_bytes(features),
            Form::Implicit(_) => 16 * features as u64,
        }
    }

    fn held(&self) -> u64 {
        match &self.form {
            Form::Primal(_) => 0,
            Form::Dual(form) => form.f().set().bytes() + Symmetric::bytes(form.f().set().len()),
            Form::Implicit(form) => form.bytes(),
        }
    }

    fn warnings(&self) -> Vec<Message> {
        let Some(length) = self.not_one else { return Vec::new() };
        let (what, advice) = match self.kernel.shape {
            _ if self.p != 2.0 => ("‖x‖_p", Message::from(Cure::NormalizeLp)),
            Shape::Linear => ("K(x,x)", Cure::NormalizeL2.into()),
            Shape::Polynomial { .. } | Shape::Gaussian { .. } => ("K(x,x)", "; use cosine=true".into()),
        };
        let name = ALGORITHM.name;
        let length = format!("{length:.7e}").parse().unwrap_or(length);
        let warning =
            format!("{name}: {what} = {} in a mistaken row, and the deflation is made for 1", shortest(length));
        vec![Message::from(warning).and(advice)]
    }

    fn rows_kept(&self) -> usize {
        match &self.form {
            Form::Implicit(form) => form.factors(),
            Form::Primal(_) | Form::Dual(_) => 0,
        }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let mut number = self.form.number() as u64;
        state.u64("form", &mut number)?;
        if state.is_loading() && number != self.form.number() as u64 {
            state.require(self.is_open && number == 1, "form is not one that the spec allows")?;
            self.form = Form::new("dual", self.p, self.kernel);
        }
        state.u64("mistakes", &mut self.mistakes)?;
        state.u64("matrix-updates", &mut self.matrix_updates)?;
        let mut not_one: Vec<f64> = self.not_one.into_iter().collect();
        state.f64s("not-one", &mut not_one)?;
        state.require(not_one.len() <= 1, "not-one should hold at most one number")?;
        self.not_one = not_one.first().copied();
        match &mut self.form {
            Form::Primal(form) => form.state(state),
            Form::Dual(form) => form.state(state),
            Form::Implicit(form) => form.state(state),
        }
    }
}
