//! A model as JSON: the blueprint as it is. `docs/export.md` describes it.

use serde_json::{Value as Json, json};

use super::blueprint::{Blueprint, LinearScore, RowForm, Scores};
use super::columns::{CellPart, Holds, TableFeatures};
use crate::space::{Kernel, KernelFormula, Row};
use crate::stage::Arithmetic;

/// The version of what is written.
const VERSION: u32 = 1;

/// The whole of it.
pub(super) fn object(blueprint: &Blueprint<'_>) -> Json {
    let mut width = blueprint.features;
    let stages: Vec<Json> = blueprint
        .stages
        .iter()
        .map(|step| {
            let mut json = stage(&step.arithmetic, width);
            json["spec"] = json!(step.spec);
            width = step.width;
            json
        })
        .collect();
    json!({
        "format": "onlinear-export",
        "version": VERSION,
        "spec": blueprint.spec,
        "labels": blueprint.labels,
        "input": input(&blueprint.input),
        "stages": stages,
        "scores": scores(&blueprint.scores),
    })
}

fn input(input: &RowForm) -> Json {
    match input {
        RowForm::Vector(names) => json!({"kind": "vector", "features": names}),
        RowForm::Table(TableFeatures { all, factors, features }) => {
            let columns: Vec<Json> =
                all.iter().map(|column| json!({"name": column.name, "holds": holds(column.holds)})).collect();
            let factors: Vec<Json> =
                factors.iter().map(|factor| json!({"column": factor.column, "value": value(&factor.value)})).collect();
            let term = |(first, second): &(usize, Option<usize>)| {
                std::iter::once(*first).chain(*second).collect::<Vec<usize>>()
            };
            let features: Vec<Vec<Vec<usize>>> =
                features.iter().map(|terms| terms.iter().map(term).collect()).collect();
            json!({"kind": "columns", "columns": columns, "factors": factors, "features": features})
        }
    }
}

fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Number => "number",
        Holds::Boolean => "boolean",
        Holds::Category => "category",
    }
}

fn value(value: &CellPart) -> Json {
    match value {
        CellPart::Number => json!("number"),
        CellPart::NumberOrZero => json!("number-or-zero"),
        CellPart::Is(text) => json!({"is": text}),
        CellPart::IsMissing => json!("is-missing"),
        CellPart::IsOther(known) => json!({"is-none-of": known}),
        CellPart::RefusesMissing => json!("refuses-missing"),
    }
}

fn stage(arithmetic: &Arithmetic<'_>, width: usize) -> Json {
    match arithmetic {
        Arithmetic::Fill(values) => json!({"kind": "fill", "values": values}),
        Arithmetic::Scale { center, factor } => json!({"kind": "scale", "center": center, "factor": factor}),
        Arithmetic::Length { p } => json!({"kind": "length", "p": p}),
        Arithmetic::Landmarks(set, factor) => {
            let rows: Vec<Json> = (0..set.len()).map(|i| row(set.row(i))).collect();
            let factor: Vec<&[f64]> = (0..factor.order()).map(|i| factor.row(i)).collect();
            json!({"kind": "landmarks", "kernel": kernel(set.kernel()), "rows": rows, "factor": factor})
        }
        Arithmetic::Waves { directions, .. } => {
            let directions: Vec<&[f64]> = directions.chunks(width.max(1)).collect();
            json!({"kind": "waves", "directions": directions})
        }
        Arithmetic::Constant(value) => json!({"kind": "constant", "value": value}),
    }
}

fn kernel(kernel: &Kernel) -> Json {
    json!({"formula": formula(&kernel.shape.formula()), "cosine": kernel.cosine})
}

/// A formula with its operators in front.
fn formula(of: &KernelFormula) -> Json {
    match of {
        KernelFormula::Product => json!("product"),
        KernelFormula::Distance => json!("distance"),
        KernelFormula::Number(number) => json!(number),
        KernelFormula::Sum(terms) => json!(["+", formula(&terms[0]), formula(&terms[1])]),
        KernelFormula::Times(terms) => json!(["*", formula(&terms[0]), formula(&terms[1])]),
        KernelFormula::Power(base, degree) => json!(["^", formula(base), degree]),
        KernelFormula::Exp(exponent) => json!(["exp", formula(exponent)]),
    }
}

/// The components of a row that are not 0, by their places.
fn row(row: Row<'_>) -> Json {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    row.for_each(|i, value| {
        if value != 0.0 {
            places.push(i);
            values.push(value);
        }
    });
    json!({"places": places, "values": values})
}

fn scores(scores: &Scores<'_>) -> Json {
    match scores {
        Scores::Linear(all) => {
            let one = |one: &LinearScore<'_>| {
                let (late, trials) = one.less.as_ref().map(|(late, trials)| (late, trials)).unzip();
                json!({
                    "weights": one.weights,
                    "late": late,
                    "trials": trials,
                    "scale": one.scale,
                    "over_norm": one.over_norm,
                })
            };
            json!({"kind": "linear", "each": all.iter().map(one).collect::<Vec<Json>>()})
        }
        Scores::Kernel { kernel: own, rows, coefficients } => {
            let rows: Vec<Json> = rows.iter().map(row).collect();
            json!({"kind": "kernel", "kernel": kernel(own), "rows": rows, "coefficients": coefficients})
        }
        Scores::Votes(all) => {
            let one = |(weights, votes): &(Vec<Vec<f64>>, Vec<f64>)| json!({"weights": weights, "votes": votes});
            json!({"kind": "votes", "each": all.iter().map(one).collect::<Vec<Json>>()})
        }
    }
}
