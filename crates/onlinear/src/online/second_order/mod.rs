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
//! | \[2\] | if ŷ ≠ y; with a margin m > 0, if y vᵀA⁻¹x < m |
//! | \[3\] | v ← v + y x, S ← (S, x) |
//! | \[4\] | a ← c R² k (`adaptive` only) |
//!
//! The modes differ in a: `fixed` keeps it, `adaptive` lets it grow with the mistakes, `pseudoinverse`
//! does without. Each is one file here, with a primal form (matrices over features) and a dual one
//! (matrices over mistaken rows, for any kernel); both give the same scores.
//!
//! With mode `fixed` and margin 1 it is [`arow`](super::arow) with a full matrix, which is made here.

mod adaptive;
mod fixed;
mod pseudoinverse;
mod spectrum;
mod theorem;

use crate::error::{Message, Result};
use crate::hypothesis::{Hypothesis, Output, Trajectory};
use crate::learner::{Example, Expected, Learner, Leaves, Predictor, Score, Step};
use crate::space::{Expansion, Finite, Kernel, Row, SupportSet, Symmetric, Weights};
use crate::spec::{
    Algorithm, Charges, New, Parameters, PythonClass, Range, Spec, choice, flag, number, number_or, parameters,
};
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
        ),
        margin: f64 = number(
            "margin",
            0.0,
            Range::NOT_NEGATIVE,
            "m: rows with y f(x) < m are learned from, though they may be right; 0: mistaken rows alone",
        ),
        current: bool = flag(
            "current",
            false,
            "of mode=fixed: the score has the current row in it, vᵀ(A + x xᵀ)⁻¹x, of the same sign, in O(n²)",
        );
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "second-order",
    title: "Second-order Perceptron",
    summary: "Sees rows through the inverse correlation matrix of the mistaken ones.",
    rule: "f(x) = vᵀ(aI + Σ x xᵀ)⁻¹x; on a mistake (with margin m > 0, when y f(x) < m) v ← v + y x and the row joins \
           the sum",
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
              factor); a zero score counts as a mistake whatever the label; margin is ours; radius=auto takes for R \
              the largest norm of the rows before; pseudoinverse takes a row for one of the span when its residual is \
              at most 1e-8 of its norm, in dual form 1e-6 or what rounding can amount to, since the residual's square \
              is there a difference of kernel values",
    python: PythonClass::own("SecondOrderPerceptron"),
    parameters: SecondOrderParameters::TABLE,
    grid: &["ridge=0.1..100*10"],
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

    /// What gains from knowing rows ahead.
    fn ahead(&mut self) -> Option<&mut Expansion>;

    /// f(x).
    fn score(&self, x: Row<'_>) -> f64 {
        self.hypothesis().score(x)
    }

    /// f(x) in the trial of a row that has this lane among those announced, if any.
    fn trial_score(&mut self, x: Row<'_>, lane: Option<usize>) -> f64;

    /// What the model of now makes of the row of the trial that has begun with this score.
    fn model_score(&mut self, _x: Row<'_>, _lane: Option<usize>, score: f64) -> f64 {
        score
    }

    /// Takes in an example that is learned from, whose score was `score`.
    fn update(&mut self, example: &Example<'_>, score: f64) -> Finite;

    /// Sees a row that is not learned from.
    fn stay(&mut self, _x: Row<'_>) -> Finite {
        Ok(())
    }

    /// So many trials are over, whether or not labels were revealed.
    fn count(&mut self, trials: u64);

    /// xᵀA⁻¹x of a row whose trial has begun, where A is that of a fixed ridge.
    fn variance(&mut self, _x: Row<'_>) -> Option<f64> {
        None
    }

    /// The same of any row.
    fn variance_anew(&self, _x: Row<'_>) -> Option<f64> {
        None
    }

    /// The model.
    fn leaves(&self) -> Leaves<'_> {
        self.hypothesis().leaves()
    }

    /// Memory of the hypothesis and its past over so many features, with the rows held, in bytes.
    fn memory(&self, features: usize) -> u64 {
        self.hypothesis().memory(features)
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

    /// Memory for the matrices over `n` features, or over as many support vectors, in bytes.
    fn bytes(&self, form: Form, n: usize) -> u64 {
        let triangles = match (self.mode, form) {
            (Mode::Fixed, _) => 1,
            (Mode::Adaptive, _) => 3, // the sum with and without a row, and its factor
            (Mode::Pseudoinverse, Form::Primal) => 4, // a basis, with indices, and a triangle
            (Mode::Pseudoinverse, Form::Dual) => 2, // a factor and a triangle
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
pub(super) struct SecondOrder {
    parameters: SecondOrderParameters,
    /// Which hypothesis the model is.
    output: Output,
    takes_weights: bool,
    /// The form in force.
    form: Form,
    /// Whether the form can change no more.
    settled: bool,
    mode: Box<dyn Ridge>,
    /// vᵀA⁻¹x of the trial that has begun.
    plain: f64,
}

/// The model where scores have their own row in A.
struct WithCurrent<'a> {
    mode: &'a dyn Ridge,
    leaves: Leaves<'a>,
}

impl Score for WithCurrent<'_> {
    fn score(&self, x: Row<'_>) -> f64 {
        with_current(self.leaves.score(x), self.mode, x)
    }

    fn weights(&self) -> Option<Vec<f64>> {
        self.leaves.weights().map(|weights| weights.into_owned())
    }

    fn support(&self) -> Option<&SupportSet> {
        self.leaves.support().map(|(set, _)| set)
    }
}

/// vᵀ(A + x xᵀ)⁻¹x out of vᵀA⁻¹x, by Sherman and Morrison.
fn with_current(score: f64, mode: &dyn Ridge, x: Row<'_>) -> f64 {
    score / (1.0 + mode.variance_anew(x).unwrap_or(0.0))
}

impl SecondOrder {
    /// v = 0, A = a I.
    fn new(parameters: SecondOrderParameters) -> std::result::Result<SecondOrder, String> {
        if parameters.form == FormChoice::Primal && !parameters.kernel.is_linear() {
            return Err("form=primal needs kernel=linear without cosine; use form=dual or form=auto".to_string());
        }
        if parameters.current && parameters.mode != Mode::Fixed {
            return Err(format!("current=true does not go with mode={}; expected mode=fixed", parameters.mode.word()));
        }
        Ok(SecondOrder::with(parameters, Output::Last, false))
    }

    /// AROW with a full matrix, μ = 0 and Σ = I: learns from every row whose margin is below 1, and takes weights.
    pub(super) fn arow(regularization: f64, output: Output, kernel: Kernel) -> SecondOrder {
        let default: SecondOrderParameters = Parameters::read(&Spec::of(&ALGORITHM));
        let parameters = SecondOrderParameters { ridge: regularization, margin: 1.0, kernel, ..default };
        SecondOrder::with(parameters, output, true)
    }

    fn with(parameters: SecondOrderParameters, output: Output, takes_weights: bool) -> SecondOrder {
        let is_linear = parameters.kernel.is_linear();
        let form = parameters.asked().unwrap_or(if is_linear { Form::Primal } else { Form::Dual });
        let mode = mode_in(form, &parameters, output, takes_weights);
        SecondOrder { parameters, output, takes_weights, form, settled: false, mode, plain: 0.0 }
    }

    /// The score of a row that has this one without itself in A.
    fn seen(&self, score: f64, x: Row<'_>) -> f64 {
        if self.parameters.current { with_current(score, self.mode.as_ref(), x) } else { score }
    }

    fn set_form(&mut self, form: Form) {
        if form != self.form {
            self.form = form;
            self.mode = mode_in(form, &self.parameters, self.output, self.takes_weights);
        }
    }
}

/// What the parameters ask for, in this form; all modes but `fixed` leave their last hypothesis and take no weights.
fn mode_in(form: Form, parameters: &SecondOrderParameters, output: Output, takes_weights: bool) -> Box<dyn Ridge> {
    let &SecondOrderParameters { mode, ridge, growth, radius, kernel, .. } = parameters;
    let f = match form {
        Form::Primal => Hypothesis::Primal(Weights::default()),
        Form::Dual => Hypothesis::dual(kernel),
    };
    match mode {
        Mode::Fixed => Box::new(fixed::Fixed::new(ridge, takes_weights, Trajectory::of(f, output))),
        Mode::Adaptive => Box::new(adaptive::Adaptive::new(growth, radius, f)),
        Mode::Pseudoinverse => Box::new(pseudoinverse::Pseudoinverse::new(f)),
    }
}

impl Learner for SecondOrder {
    fn score(&self, x: Row<'_>) -> f64 {
        self.seen(self.mode.score(x), x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        self.settled = true;
        self.plain = self.mode.trial_score(x, lane);
        self.seen(self.plain, x) // [1]
    }

    fn begin_with_model(&mut self, x: Row<'_>, lane: Option<usize>) -> (f64, f64) {
        let score = self.begin(x, lane);
        (score, self.mode.model_score(x, lane, score))
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let example = Example { weight: if self.takes_weights { example.weight } else { 1.0 }, ..*example };
        let Example { x, y, weight, .. } = example;
        let (margin, least) = (y.sign() * score, self.parameters.margin);
        let is_enough = margin > 0.0 && margin >= least;
        let is_weightless = self.parameters.ridge / weight == f64::INFINITY;
        if is_enough || is_weightless || self.mode.hypothesis().vanishes_at(x) {
            self.mode.stay(x)?; // [2] [4]
            self.mode.count(1);
            return Ok(Step::Stay);
        }
        self.mode.update(&example, self.plain)?; // [3] [4]
        self.mode.count(1);
        Ok(Step::Update)
    }

    fn withhold(&mut self, trials: u64) {
        self.mode.count(trials);
    }

    /// Of the selective second-order Perceptron, whose score has the current row in A; AROW's is another.
    fn sureness(&mut self, x: Row<'_>, score: f64) -> f64 {
        match self.mode.variance(x).filter(|_| !self.takes_weights) {
            Some(v) => {
                let g = self.plain / (1.0 + v);
                g.abs() + 0.5 * g * g * (1.0 + v)
            }
            None => score.abs(),
        }
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.mode.ahead()
    }
}

impl Predictor for SecondOrder {
    fn leaves(&self) -> Leaves<'_> {
        match self.parameters.current {
            true => Leaves::Own(Box::new(WithCurrent { mode: self.mode.as_ref(), leaves: self.mode.leaves() })),
            false => self.mode.leaves(),
        }
    }

    fn memory(&self, features: usize) -> u64 {
        match self.mode.hypothesis() {
            Hypothesis::Primal(_) => self.parameters.bytes(Form::Primal, features),
            Hypothesis::Dual(f) => {
                let matrices = self.parameters.bytes(Form::Dual, f.coefficients().len());
                self.mode.memory(features).saturating_add(matrices)
            }
        }
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        if self.settled {
            return Ok(());
        }
        let features = expected.features.unwrap_or(0);
        let (bytes, most) = (self.parameters.bytes(Form::Primal, features), expected.max_memory.unwrap_or(u64::MAX));
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
        state.common("dual", &mut dual)?;
        if self.parameters.mode != Mode::Fixed {
            state.refuse_merging("the ridge follows from all mistakes of one run; with mode=fixed it could be")?;
        }
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
