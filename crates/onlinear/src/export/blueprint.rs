//! The arithmetic of a whole model.

use std::borrow::Cow;
use std::collections::HashMap;

use super::columns::TableFeatures;
use crate::data::Vocabulary;
use crate::error::{Error, Message, Result};
use crate::learner::{Formula, Leaves};
use crate::model::Model;
use crate::space::{Kernel, KernelFormula, Rows, SupportSet};
use crate::stage::Arithmetic;

/// All that it takes to label a row elsewhere.
pub(super) struct Blueprint<'a> {
    /// What learned it, for a comment.
    pub(super) spec: String,
    /// What rows come as.
    pub(super) input: RowForm,
    /// How many features that makes.
    pub(super) features: usize,
    /// What happens to them.
    pub(super) stages: Vec<StagePlan<'a>>,
    /// What the learner makes of the row that comes out.
    pub(super) scores: Scores<'a>,
    /// What the classes are called: of two with one score, the second is that of scores ≥ 0.
    pub(super) labels: Vec<String>,
}

/// What rows come as.
pub(super) enum RowForm {
    /// A number for each feature, which have these names.
    Vector(Vec<String>),
    /// The columns of a table.
    Table(TableFeatures),
}

/// A stage, and how many components rows have behind it.
pub(super) struct StagePlan<'a> {
    pub(super) spec: String,
    pub(super) arithmetic: Arithmetic<'a>,
    pub(super) width: usize,
}

/// The scores of a row: one for two classes, else one for each.
pub(super) enum Scores<'a> {
    /// Each a weight vector's.
    Linear(Vec<LinearScore<'a>>),
    /// Sums of kernel values with the same rows.
    Kernel {
        kernel: Kernel,
        rows: Cow<'a, Rows>,
        /// Those of each score, as many as there are rows.
        coefficients: Vec<Vec<f64>>,
    },
    /// Each a vote of weight vectors.
    Votes(Vec<(Vec<Vec<f64>>, Vec<f64>)>),
}

/// f(x) = scale · (w·x − u·x/T), divided by ‖x‖_p if there is a p.
pub(super) struct LinearScore<'a> {
    pub(super) weights: Cow<'a, [f64]>,
    pub(super) less: Option<(Cow<'a, [f64]>, f64)>,
    pub(super) scale: f64,
    pub(super) over_norm: Option<f64>,
}

impl Scores<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Scores::Linear(all) => all.len(),
            Scores::Kernel { coefficients, .. } => coefficients.len(),
            Scores::Votes(all) => all.len(),
        }
    }
}

impl<'a> Blueprint<'a> {
    /// That of a model, or why it has none.
    pub(super) fn of(model: &'a Model) -> Result<Blueprint<'a>> {
        let input = match (&model.csv, &model.vocabulary) {
            (_, Vocabulary::Hashed { .. }) => {
                let message = "features are known by hashes, which have no names elsewhere; learn without hashing";
                return Err(refused(message));
            }
            (Some(schema), vocabulary @ Vocabulary::Named { .. }) => {
                RowForm::Table(TableFeatures::of(schema, vocabulary)?)
            }
            (_, vocabulary) => {
                let names = vocabulary.names();
                RowForm::Vector((0..model.features).map(|i| vocabulary.describe(i, names.as_deref())).collect())
            }
        };
        let stages = steps(model)?;
        let width = stages.last().map_or(model.features, |step| step.width);
        let labels = model.classes.names().to_vec();
        let scores = scores(model, width)?;
        Ok(Blueprint { spec: model.spec.to_string(), input, features: model.features, stages, scores, labels })
    }

    /// The most components that a row has on its way.
    pub(super) fn most(&self) -> usize {
        self.stages.iter().map(|step| step.width).fold(self.features, usize::max)
    }
}

impl KernelFormula {
    /// It as text with infix operators and these two functions, of a product and a squared distance as they are
    /// written.
    pub(super) fn spelled(&self, functions: [&str; 2], product: &str, distance: &str) -> String {
        let spelled = |part: &KernelFormula| part.spelled(functions, product, distance);
        let [power, exp] = functions;
        match self {
            KernelFormula::Product => product.to_string(),
            KernelFormula::Distance => distance.to_string(),
            KernelFormula::Number(number) => format!("{number:e}"),
            KernelFormula::Sum(terms) => format!("({} + {})", spelled(&terms[0]), spelled(&terms[1])),
            KernelFormula::Times(terms) => format!("({} * {})", spelled(&terms[0]), spelled(&terms[1])),
            KernelFormula::Power(base, degree) => format!("{power}({}, {degree})", spelled(base)),
            KernelFormula::Exp(exponent) => format!("{exp}({})", spelled(exponent)),
        }
    }
}

/// That a model cannot be exported.
pub(super) fn refused(why: impl Into<Message>) -> Error {
    Error::Usage(Message::from("the model cannot be exported: ").and(why))
}

fn steps(model: &Model) -> Result<Vec<StagePlan<'_>>> {
    let mut width = model.features;
    let mut steps = Vec::new();
    for (spec, arithmetic) in model.stages.arithmetic(width) {
        let spec = spec.to_string();
        let mut arithmetic = arithmetic.ok_or_else(|| refused(format!("nothing else does what {spec} does")))?;
        match &mut arithmetic {
            Arithmetic::Fill(fill) => fill.resize(width, 0.0),
            // A map that has fewer landmarks than it may have makes shorter rows than those that were scaled.
            Arithmetic::Scale { center, .. } if center.len() != width => {
                return Err(refused(format!("{spec} stands behind a map that has fewer components than it may have")));
            }
            Arithmetic::Scale { .. } | Arithmetic::Length { .. } => {}
            Arithmetic::Landmarks(set, _) => width = set.len(),
            Arithmetic::Waves { waves, .. } => width = 2 * *waves,
            Arithmetic::Constant(_) => width += 1,
        }
        steps.push(StagePlan { spec, arithmetic, width });
    }
    Ok(steps)
}

/// What the learners make of rows of so many components.
fn scores(model: &Model, width: usize) -> Result<Scores<'_>> {
    let all: Vec<Leaves<'_>> = model.learner.leaves().collect();
    let mut expansions: Vec<(&SupportSet, Vec<f64>)> = Vec::new();
    let (mut linear, mut votes) = (Vec::new(), Vec::new());
    for leaves in all {
        match owned(leaves, width).ok_or_else(|| without_formula(model))? {
            OwnedFormula::Linear(one) => linear.push(one),
            OwnedFormula::Expansion(set, coefficients) => expansions.push((set, coefficients)),
            OwnedFormula::Votes(weights, ballots) => votes.push((weights, ballots)),
        }
    }
    if expansions.len() == model.learner.len() {
        return Ok(united(&expansions));
    }
    match (linear.len(), votes.len()) {
        (all, 0) if all == model.learner.len() => Ok(Scores::Linear(linear)),
        (0, all) if all == model.learner.len() => Ok(Scores::Votes(votes)),
        _ => Err(refused("its classes have models of different kinds")),
    }
}

/// A formula that outlives its leaves.
enum OwnedFormula<'a> {
    Linear(LinearScore<'a>),
    Expansion(&'a SupportSet, Vec<f64>),
    Votes(Vec<Vec<f64>>, Vec<f64>),
}

/// What learning left, over rows of so many components: components that a vector lacks have weight 0.
fn owned(leaves: Leaves<'_>, width: usize) -> Option<OwnedFormula<'_>> {
    let fitted = |numbers: &[f64]| {
        let mut numbers = numbers.to_vec();
        numbers.resize(width, 0.0);
        numbers
    };
    if let Leaves::Expansion(set, coefficients) = leaves {
        return Some(OwnedFormula::Expansion(set, coefficients.into_owned()));
    }
    Some(match leaves.formula()? {
        Formula::Linear { weights, less, scale, over_norm } => {
            let less = less.map(|(u, trials)| (fitted(&u).into(), trials));
            OwnedFormula::Linear(LinearScore { weights: fitted(&weights).into(), less, scale, over_norm })
        }
        Formula::Expansion(..) => return None, // only plain ones are expansions
        Formula::Votes { weights, votes } => {
            OwnedFormula::Votes(weights.iter().map(|w| fitted(w)).collect(), votes.into_owned())
        }
    })
}

/// Expansions over one set of rows: what several have is there once.
fn united<'a>(expansions: &[(&'a SupportSet, Vec<f64>)]) -> Scores<'a> {
    let (mut rows, mut places) = (Rows::default(), HashMap::new());
    let mut coefficients: Vec<Vec<f64>> = vec![Vec::new(); expansions.len()];
    for (class, (set, own)) in expansions.iter().enumerate() {
        for (place, c) in own.iter().enumerate() {
            let row = set.row(place);
            let mut key: Vec<(usize, u64)> = Vec::new();
            row.for_each(|i, value| key.extend((value != 0.0).then_some((i, value.to_bits()))));
            let at = *places.entry(key).or_insert_with(|| {
                rows.push_row(row);
                coefficients.iter_mut().for_each(|of_class| of_class.push(0.0));
                rows.len() - 1
            });
            coefficients[class][at] += c;
        }
    }
    Scores::Kernel { kernel: *expansions[0].0.kernel(), rows: Cow::Owned(rows), coefficients }
}

/// What to say where a learner leaves neither weights nor an expansion.
fn without_formula(model: &Model) -> Error {
    let name = model.spec.name();
    let instead = match name {
        "voted" => "averaged is nearly as good, and can be",
        "second-order" => "second-order without current=true, in the modes fixed and adaptive, can be",
        "adaboost" => "adaboost of a base that leaves weights, without a kernel, can be",
        _ => "a learner that leaves weights or an expansion can be",
    };
    refused(format!("{name} with these settings leaves neither weights nor a sum over support vectors; {instead}"))
}
