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

mod adaptive;
mod fixed;
mod pseudoinverse;
mod spectrum;
mod theorem;

use crate::error::{Message, Result};
use crate::hypothesis::Hypothesis;
use crate::learner::{Example, Expected, Learner, Leaves, Predictor, Step};
use crate::space::{Expansion, Finite, Row, Symmetric, Weights};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, Range, choice, number, number_or, parameters};
use crate::state::State;

choice! {
    /// What a is.
    enum Mode { Fixed = "fixed", Adaptive = "adaptive", Pseudoinverse = "pseudoinverse" }
}

choice! {
    /// Which form is asked for.
    enum FormChoice { Auto = "auto", Primal = "primal", Dual = "dual" }
}

parameters! {
    struct SecondOrderParameters {
        mode: Mode = Mode::parameter(
            "mode",
            Mode::Fixed,
            "a = ridge, a = growth·radius²·mistakes, or a = 0 with a pseudo-inverse",
        ),
        ridge: f64 = number("ridge", 1.0, Range::POSITIVE, "of mode=fixed; the larger, the nearer to the Perceptron")
            .alias(&["a"]),
        growth: f64 = number("growth", 0.01, Range::POSITIVE, "of mode=adaptive").alias(&["c"]),
        radius: Option<f64> = number_or(
            "radius",
            None,
            "auto",
            Range::POSITIVE,
            "of mode=adaptive; auto: the largest row norm so far",
        ),
        form: FormChoice = FormChoice::parameter(
            "form",
            FormChoice::Auto,
            "matrices over features or over mistaken rows; auto: whichever is known to be smaller",
        );
        kernel
    }
}

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "second-order",
    title: "Second-order Perceptron",
    summary: "Sees rows through the inverse correlation matrix of the mistaken ones.",
    rule: "f(x) = vᵀ(aI + Σ x xᵀ)⁻¹x; on a mistake v ← v + y x and the row joins the sum",
    paper: "Cesa-Bianchi, Conconi and Gentile (2005)",
    cost: "n features (dual: mistaken rows). fixed: O(non-zeros) per trial (dual: n kernel values), O(n²) per mistake. \
           adaptive: O(n³) per mistake and per new radius. pseudoinverse: O(n²) per trial and per prediction",
    bound: "with D = Σ max(0, γ − y u·x) over the mistaken rows X, for every unit u and γ > 0, λ the eigenvalues of \
            XXᵀ, λ* the least positive one met and r the rank: fixed (Theorem 3.1): \
            m ≤ D/γ + (1/γ)√((a + uᵀXXᵀu) Σ ln(1 + λᵢ/a)); adaptive with a_m = c R² m: \
            (a_m + uᵀXXᵀu)((1/c) ln((m + 1/c)/(1 + 1/c)) + Σ ln(1 + λᵢ/a_m)) under the root; pseudoinverse: \
            uᵀXXᵀu (r + ½r(r+1) ln(1 + 2R²m/(λ* r(r+1)))) under the root",
    theorem: Charges::Mistakes(|settings, evidence| theorem::of(&Parameters::read(settings), evidence)),
    differs: "the score leaves the current row out in modes fixed and adaptive (by Sherman–Morrison only a positive \
              factor); a zero score counts as a mistake whatever the label; radius=auto takes for R the largest norm \
              of the rows before; pseudoinverse takes a row for one of the span when its residual is at most 1e-8 of \
              its norm, in dual form 1e-6 or what rounding can amount to, since the residual's square is there a \
              difference of kernel values",
    python: PythonClass::own("SecondOrderPerceptron"),
    parameters: SecondOrderParameters::TABLE,
    needs_feature_count: |settings| {
        let SecondOrderParameters { kernel, form, .. } = Parameters::read(settings);
        kernel.is_linear() && form != FormChoice::Dual
    },
    new: New::RowByRow(|settings| Ok(Box::new(SecondOrder::new(Parameters::read(settings))?))),
    ..Algorithm::ONLINE
};

/// What a mode does in either form.
trait Ridge: Send + Sync {
    /// Coefficients and rows in dual form; in primal form w, where f is linear.
    fn hypothesis(&self) -> &Hypothesis;

    /// The hypothesis, to change.
    fn hypothesis_mut(&mut self) -> &mut Hypothesis;

    /// f(x).
    fn score(&self, x: Row<'_>) -> f64 {
        self.hypothesis().score(x)
    }

    /// f(x) in the trial of a row that has this lane among those announced, if any.
    fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.hypothesis_mut().trial_column(x, lane)
    }

    /// Ends the trial of a mistaken row, whose score was `score`: takes it in.
    fn update(&mut self, x: Row<'_>, y: f64, score: f64) -> Finite;

    /// Ends the trial of a row that was no mistake.
    fn stay(&mut self, _x: Row<'_>) -> Finite {
        Ok(())
    }

    /// The model.
    fn leaves(&self) -> Leaves<'_> {
        self.hypothesis().leaves()
    }

    /// Visits the fields.
    fn state(&mut self, state: &mut State) -> Result<()>;
}

/// `number` unless it is below 0, as only rounding can make it. One that has overflowed becomes NaN, since to divide by
/// it would pass in silence.
fn not_negative(number: f64) -> f64 {
    match number {
        f64::INFINITY => f64::NAN,
        _ if number < 0.0 => 0.0,
        _ => number,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Primal,
    Dual,
}

impl SecondOrderParameters {
    /// Which form is asked for; without one the data decide.
    fn asked(&self) -> Option<Form> {
        match self.form {
            FormChoice::Auto => None,
            FormChoice::Primal => Some(Form::Primal),
            FormChoice::Dual => Some(Form::Dual),
        }
    }

    fn build(&self, form: Form) -> Box<dyn Ridge> {
        let f = match form {
            Form::Primal => Hypothesis::Primal(Weights::default()),
            Form::Dual => Hypothesis::dual(self.kernel),
        };
        match self.mode {
            Mode::Fixed => Box::new(fixed::Fixed::new(self.ridge, f)),
            Mode::Adaptive => Box::new(adaptive::Adaptive::new(self.growth, self.radius, f)),
            Mode::Pseudoinverse => Box::new(pseudoinverse::Pseudoinverse::new(f)),
        }
    }

    /// Memory for the matrices over `n` features, in bytes.
    fn bytes(&self, n: usize) -> u64 {
        let triangles = match self.mode {
            Mode::Fixed => 1,
            Mode::Adaptive => 3,      // the sum with and without a row, and its factor
            Mode::Pseudoinverse => 4, // a basis, with indices, and a triangle
        };
        Symmetric::bytes(n).saturating_mul(triangles)
    }
}

/// The second-order Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "second-order:ridge=1".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0, 1.0]);
/// learner.round(&Example::new(x, Label::Positive)); // v = x, A = I + x xᵀ
/// assert!((learner.score(x) - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct SecondOrder {
    parameters: SecondOrderParameters,
    /// The form in force.
    form: Form,
    /// Whether the form can change no more.
    settled: bool,
    mode: Box<dyn Ridge>,
}

impl SecondOrder {
    /// v = 0, A = a I.
    fn new(parameters: SecondOrderParameters) -> std::result::Result<SecondOrder, String> {
        let is_linear = parameters.kernel.is_linear();
        if parameters.form == FormChoice::Primal && !is_linear {
            return Err("form=primal needs kernel=linear without cosine; use form=dual or form=auto".to_string());
        }
        let form = parameters.asked().unwrap_or(if is_linear { Form::Primal } else { Form::Dual });
        Ok(SecondOrder { form, settled: false, mode: parameters.build(form), parameters })
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

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.settled = true;
        self.mode.trial_score(x, lane) // [1]
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        if y.sign() * score > 0.0 || self.mode.hypothesis().vanishes_at(x) {
            return self.mode.stay(x).map(|()| Step::Stay); // [2] [4]
        }
        self.mode.update(x, y.sign(), score).map(|()| Step::Update) // [3] [4]
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.mode.hypothesis_mut().expansion_mut()
    }
}

impl Predictor for SecondOrder {
    fn leaves(&self) -> Leaves<'_> {
        self.mode.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        match self.mode.hypothesis() {
            Hypothesis::Primal(_) => self.parameters.bytes(features),
            f @ Hypothesis::Dual(set) => f.memory(features) + Symmetric::bytes(set.coefficients().len()),
        }
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        if self.settled {
            return Ok(());
        }
        let features = expected.features.unwrap_or(0);
        let (bytes, most) = (self.parameters.bytes(features), expected.max_memory.unwrap_or(u64::MAX));
        if self.parameters.asked().is_none() && self.parameters.kernel.is_linear() {
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

    fn state(&mut self, state: &mut State) -> Result<()> {
        let mut dual = u64::from(self.form == Form::Dual);
        state.u64("dual", &mut dual)?;
        let form = if dual == 0 { Form::Primal } else { Form::Dual };
        let fits = self.parameters.asked().is_none_or(|asked| asked == form)
            && (form == Form::Dual || self.parameters.kernel.is_linear());
        state.require(fits && dual <= 1, "its form is not one of its spec")?;
        if state.is_loading() {
            self.set_form(form);
            self.settled = true;
        }
        self.mode.state(state)
    }
}
