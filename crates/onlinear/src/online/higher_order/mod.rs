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

mod dual;
mod implicit;
mod primal;
mod theorem;

use self::dual::Dual;
use self::implicit::Implicit;
use self::primal::Primal;
use super::alma::P;
use crate::error::{Cure, Message, Result, size};
use crate::learner::{Example, Expected, Facts, Learner, Leaves, Predictor, Step};
use crate::space::{Expansion, Finite, Kernel, Overflow, Row, Shape, SupportSet, Symmetric};
use crate::spec::{
    Algorithm, Charges, New, Parameters, PythonClass, Range, choice, flag, kernel, number, parameters, shortest,
};
use crate::state::State;

/// K(x,x) this close to 1 is 1.
const ROUNDING: f64 = 1e-6;

choice! {
    /// What ρ_k is.
    enum DeflationSchedule { Harmonic = "harmonic", Theorem = "theorem" }
}

choice! {
    /// Which form is asked for.
    enum MatrixFormChoice { Auto = "auto", Primal = "primal", Dual = "dual", Implicit = "implicit" }
}

parameters! {
    struct HigherOrderParameters {
        p: f64 = P.help("the norm of the rows; kernels need p=2"),
        deflation: f64 = number(
            "deflation",
            0.4,
            Range::closed(0.0, 1.0),
            "how much a mistake deflates: >= 0 and < 1 with schedule=harmonic, > 0 and <= 1 with schedule=theorem",
        )
        .alias(&["c"]),
        schedule: DeflationSchedule = DeflationSchedule::parameter(
            "schedule",
            DeflationSchedule::Harmonic,
            "ρ = c/k, or (1−c)/(1+|vᵀg(x)|)",
        ),
        sparse: bool = flag("sparse", false, "leave the matrix alone on mistakes with y vᵀg(x) < 0"),
        form: MatrixFormChoice = MatrixFormChoice::parameter(
            "form",
            MatrixFormChoice::Auto,
            "how the matrix is kept: over features, over mistaken rows (also with kernels), or as its factors (any p)",
        );
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "higher-order",
    title: "Higher-order Perceptron",
    summary: "A Perceptron on rows transformed by a matrix that every mistake deflates along the mistaken row.",
    rule: "when y g(Bv)ᵀBx ≤ 0: B ← B(I − ρ x g(x)ᵀ), v ← v + y x; ρ = c/k, or (1−c)/(1+|vᵀg(x)|)",
    paper: "Brotto, Gentile and Vitale (2008)",
    cost: "a dot product per trial, or a kernel value per mistaken row; per mistake O(n²) primal (O(n · non-zeros) for \
           sparse rows), O(k · non-zeros + n) implicit, O(k²) dual",
    bound: "Theorem 1 (p = 2, unit rows): m ≤ αD/γ + α²/(2γ²) + (α/γ)√(αD/γ + α²/(4γ²)), α = (2−c′)/c′ with c′ = c \
            (theorem) or 1 − c (harmonic), D = Σ max(0, γ − y u·B_{k−1}x) over the mistakes",
    theorem: Charges::Mistakes(|settings, evidence| theorem::of(Parameters::read(settings), evidence)),
    differs: "a zero score is a mistake whatever the label; K(x,x) need not be 1 in dual form, and a warning says \
              where it is not; a row with K(x,x) = 0 is no update and does not count towards k; vᵀx in the rules for \
              ρ is vᵀg(x), which is no other at p = 2",
    python: PythonClass::own("HigherOrderPerceptron"),
    parameters: HigherOrderParameters::TABLE,
    grid: &["deflation=0.1,0.4,0.8"],
    needs_feature_count: |settings| {
        let HigherOrderParameters { p, form, kernel, .. } = Parameters::read(settings);
        kernel.is_linear() && p == 2.0 && matches!(form, MatrixFormChoice::Auto | MatrixFormChoice::Primal)
    },
    new: New::RowByRow(|settings| Ok(Box::new(HigherOrder::new(Parameters::read(settings))?))),
    ..Algorithm::ONLINE
};

/// The Higher-order Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "higher-order:deflation=0.5".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[0.6, 0.8]);
/// learner.round(&Example::new(x, Label::Positive)); // ρ = ½, v = x, B = I − ½xxᵀ
/// assert!((learner.score(x) - 0.25).abs() < 1e-15);
/// # Ok::<(), onlinear::Error>(())
/// ```
struct HigherOrder {
    parameters: HigherOrderParameters,
    /// Whether the form is still to be chosen, when more is known.
    is_open: bool,
    form: MatrixForm,
    /// k, the mistakes that were updates.
    mistakes: u64,
    matrix_updates: u64,
    /// The first K(x,x) (‖x‖_p if p ≠ 2) in a deflation that was not 1.
    not_one: Option<f64>,
}

enum MatrixForm {
    Primal(Primal),
    Dual(Box<Dual>),
    Implicit(Implicit),
}

impl HigherOrderParameters {
    /// Refuses what does not go together.
    fn check(&self) -> std::result::Result<(), String> {
        let &HigherOrderParameters { p, deflation, schedule, form, kernel, .. } = self;
        let range = match schedule {
            DeflationSchedule::Harmonic => Range { low: (0.0, true), high: (1.0, false) },
            DeflationSchedule::Theorem => Range { low: (0.0, false), high: (1.0, true) },
        };
        if !range.contains(deflation) {
            let (deflation, word) = (shortest(deflation), schedule.word());
            return Err(format!("deflation={deflation} is out of range with schedule={word}; expected {range}"));
        }
        let (which, word) = (kernel::setting(kernel), form.word());
        if p != 2.0 && !kernel.is_linear() {
            return Err(format!("p={} does not go with {which}; expected p=2", shortest(p)));
        }
        if p != 2.0 && matches!(form, MatrixFormChoice::Primal | MatrixFormChoice::Dual) {
            return Err(format!("form={word} does not go with p={}; expected form=implicit or auto", shortest(p)));
        }
        if !kernel.is_linear() && matches!(form, MatrixFormChoice::Primal | MatrixFormChoice::Implicit) {
            return Err(format!("form={word} does not go with {which}; expected form=dual or auto"));
        }
        Ok(())
    }

    /// ρ_k, for v·g(x).
    fn rho(&self, k: f64, y: f64, v_dot: f64) -> f64 {
        let rho = match self.schedule {
            _ if self.sparse && y * v_dot < 0.0 => 0.0,
            DeflationSchedule::Harmonic => self.deflation / k,
            DeflationSchedule::Theorem => (1.0 - self.deflation) / (1.0 + v_dot.abs()),
        };
        if rho > 0.0 { rho } else { 0.0 } // no NaN
    }
}

impl HigherOrder {
    /// B = I, v = 0; or why the parameters do not go together.
    fn new(parameters: HigherOrderParameters) -> std::result::Result<HigherOrder, String> {
        parameters.check()?;
        let HigherOrderParameters { p, form, kernel, .. } = parameters;
        let (form, is_open) = match form {
            MatrixFormChoice::Auto if !kernel.is_linear() => (MatrixForm::dual(kernel), false),
            MatrixFormChoice::Auto if p != 2.0 => (MatrixForm::Implicit(Implicit::new(p)), false),
            MatrixFormChoice::Auto => (MatrixForm::Primal(Primal::default()), true),
            MatrixFormChoice::Primal => (MatrixForm::Primal(Primal::default()), false),
            MatrixFormChoice::Dual => (MatrixForm::dual(kernel), false),
            MatrixFormChoice::Implicit => (MatrixForm::Implicit(Implicit::new(p)), false),
        };
        Ok(HigherOrder { parameters, is_open, form, mistakes: 0, matrix_updates: 0, not_one: None })
    }

    /// K(x,x).
    fn square(&self, x: Row<'_>) -> f64 {
        match &self.form {
            MatrixForm::Dual(dual) => dual.f().set().with_itself(x),
            MatrixForm::Primal(_) | MatrixForm::Implicit(_) => x.squared_norm(),
        }
    }

    /// ρ_k for the x of this trial.
    fn rho(&self, x: Row<'_>, y: f64, k: u64) -> f64 {
        let harmonic = self.parameters.schedule == DeflationSchedule::Harmonic;
        let v_dot = match &self.form {
            _ if harmonic && !self.parameters.sparse => 0.0, // no one asks
            MatrixForm::Primal(form) => form.v_dot(x),
            MatrixForm::Dual(form) => form.v_dot(),
            MatrixForm::Implicit(form) => form.v_dot_image(x),
        };
        self.parameters.rho(k as f64, y, v_dot)
    }

    /// Remembers a row that the deflation is not made for.
    fn inspect(&mut self, x: Row<'_>, square: f64) {
        if self.not_one.is_none() {
            let p = self.parameters.p;
            let length = if p == 2.0 { square } else { x.norm(p) };
            let is_one = (length - 1.0).abs() <= ROUNDING;
            self.not_one = (!is_one).then_some(if length.is_finite() { length } else { f64::MAX });
        }
    }
}

impl MatrixForm {
    fn dual(kernel: Kernel) -> MatrixForm {
        MatrixForm::Dual(Box::new(Dual::new(kernel)))
    }

    /// Its number in a model file.
    fn number(&self) -> u64 {
        match self {
            MatrixForm::Primal(_) => 0,
            MatrixForm::Dual(_) => 1,
            MatrixForm::Implicit(_) => 2,
        }
    }
}

impl Learner for HigherOrder {
    fn score(&self, x: Row<'_>) -> f64 {
        match &self.form {
            MatrixForm::Primal(form) => form.w().dot(x),
            MatrixForm::Dual(form) => form.f().score(x),
            MatrixForm::Implicit(form) => form.w().dot(x),
        }
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        match &mut self.form {
            MatrixForm::Primal(form) => form.w().dot(x), // [1]
            MatrixForm::Dual(form) => form.f_mut().trial_column(x, lane),
            MatrixForm::Implicit(form) => form.w().dot(x),
        }
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        let y = y.sign();
        if y * score > 0.0 {
            return Ok(Step::Stay); // [2]
        }
        let square = self.square(x);
        if square == 0.0 && (matches!(self.form, MatrixForm::Dual(_)) || x.is_zero()) {
            return Ok(Step::Stay);
        }
        Overflow::check([square])?;
        let rho = self.rho(x, y, self.mistakes + 1); // [3]
        match &mut self.form {
            MatrixForm::Primal(form) => form.update(x, y, rho, score, square)?, // [4]
            MatrixForm::Dual(form) => form.update(x, y, rho, square)?,
            MatrixForm::Implicit(form) => form.update(x, y, rho)?,
        }
        self.mistakes += 1;
        if rho > 0.0 {
            self.matrix_updates += 1;
            self.inspect(x, square);
        }
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}

    fn ahead(&mut self) -> Option<&mut Expansion> {
        match &mut self.form {
            MatrixForm::Dual(form) => Some(form.f_mut()),
            MatrixForm::Primal(_) | MatrixForm::Implicit(_) => None,
        }
    }
}

impl Predictor for HigherOrder {
    fn leaves(&self) -> Leaves<'_> {
        match &self.form {
            MatrixForm::Primal(form) => Leaves::weights_of(form.w().as_slice()),
            MatrixForm::Dual(form) => Leaves::Expansion(form.f().set(), form.f().coefficients().into()),
            MatrixForm::Implicit(form) => Leaves::weights_of(form.w().as_slice()),
        }
    }

    fn memory(&self, features: usize) -> u64 {
        match &self.form {
            MatrixForm::Primal(_) => Primal::bytes(features),
            MatrixForm::Dual(form) => {
                let set = form.f().set();
                SupportSet::lookup_bytes(features) + set.bytes() + Symmetric::bytes(set.len())
            }
            MatrixForm::Implicit(form) => 16 * features as u64 + form.bytes(),
        }
    }

    fn prepare(&mut self, expected: &Expected) -> std::result::Result<(), Message> {
        let Some(features) = expected.features else { return Ok(()) };
        let memory = expected.max_memory.unwrap_or(u64::MAX);
        let few_rows = expected.rows.is_some_and(|rows| features > rows);
        if self.is_open && (few_rows || Symmetric::bytes(features) > memory / 2) {
            // In the dual form every trial takes the product with each mistaken row, here only a mistake does.
            let implicit = Implicit::new(self.parameters.p);
            let fits = 16 * features as u64 <= memory / 2;
            self.form = if fits { MatrixForm::Implicit(implicit) } else { MatrixForm::dual(self.parameters.kernel) };
        }
        self.is_open = false;
        if let MatrixForm::Primal(form) = &mut self.form {
            let bytes = Primal::bytes(features);
            if bytes > memory {
                let need = format!("form=primal needs {} for its matrix over {features} features", size(bytes));
                return Err(Message::beyond_memory(need).and("; use form=dual"));
            }
            form.reserve(features);
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        let (form, rows_kept) = match &self.form {
            MatrixForm::Implicit(form) => (Some("implicit"), form.factors()),
            MatrixForm::Primal(_) | MatrixForm::Dual(_) => (None, 0),
        };
        let warnings = self.warning().into_iter().collect();
        Facts { form, rows_kept, matrix_updates: Some(self.matrix_updates), warnings, ..Facts::default() }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.refuse_merging("its matrix is a product of factors in the order of one run's mistakes")?;
        let mut number = self.form.number();
        state.u64("form", &mut number)?;
        if state.is_loading() && number != self.form.number() {
            state.require(self.is_open && matches!(number, 1 | 2), "form is not one that the spec allows")?;
            self.form = match number {
                1 => MatrixForm::dual(self.parameters.kernel), // what 0.1 chose for more features than rows
                _ => MatrixForm::Implicit(Implicit::new(self.parameters.p)),
            };
        }
        state.u64("mistakes", &mut self.mistakes)?;
        state.u64("matrix-updates", &mut self.matrix_updates)?;
        let mut not_one: Vec<f64> = self.not_one.into_iter().collect();
        state.f64s("not-one", &mut not_one)?;
        state.require(not_one.len() <= 1, "not-one should hold at most one number")?;
        self.not_one = not_one.first().copied();
        match &mut self.form {
            MatrixForm::Primal(form) => form.state(state),
            MatrixForm::Dual(form) => form.state(state),
            MatrixForm::Implicit(form) => form.state(state),
        }
    }
}

impl HigherOrder {
    /// That the deflation is made for other rows than these, if it is.
    fn warning(&self) -> Option<Message> {
        let length = self.not_one?;
        let (what, advice) = match self.parameters.kernel.shape {
            _ if self.parameters.p != 2.0 => ("‖x‖_p", Message::from(Cure::NormalizeLp)),
            Shape::Linear => ("K(x,x)", Cure::NormalizeL2.into()),
            _ => ("K(x,x)", "; use cosine=true".into()),
        };
        let name = ALGORITHM.name;
        let length = shortest(format!("{length:.7e}").parse().unwrap_or(length));
        let warning = format!("{name}: {what} = {length} in a mistaken row, and the deflation is made for 1");
        Some(Message::from(warning).and(advice))
    }
}
