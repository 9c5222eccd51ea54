//! `onlinear bounds`: what the geometry of the rows allows learners, before any run.

use clap::Args;
use serde_json::{Value as Json, json};

use onlinear::workshop::{Cure, Hindsight, MistakeBound, Practice, RunRecord, Value, counted};
use onlinear::{Error, Input, Message, Recipe, RowsInMemory, Spec};
use onlinear_charts::{Align, Cell, Column, Table};

use crate::interrupt;
use crate::output::{self, PrintArguments};
use crate::progress::Bar;
use crate::rows::{RowArguments, data_name};
use crate::wording::Flags;

const EXAMPLES: &str = "\
The bounds hold for one pass over the rows in any order. They are the learners' own theorems with the best comparator \
that is found; of p-norm, winnow and second-order with the best of some settings. Rows are taken as they are, unless \
--scale, --normalize, --bias or another stage is given.

Examples:
  onlinear bounds a9a.svm
  onlinear bounds mushrooms.svm --normalize l2 --json
  onlinear bounds churn.csv --label churn --scale standard --bias

Exit codes: 0 done, 1 the data are bad or the work failed, 2 the command is wrong, 130 interrupted.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct BoundsArguments {
    /// Files, read one after another as one
    #[arg(value_name = "DATA", required = true, value_hint = clap::ValueHint::FilePath)]
    pub data: Vec<String>,

    #[command(flatten)]
    pub print: PrintArguments,

    #[command(flatten)]
    pub rows: RowArguments,
}

/// What was found for one learner.
struct Favoured {
    spec: Spec,
    bound: MistakeBound,
}

/// What was found for all of them.
struct Bounds<'a> {
    data: String,
    held: &'a RowsInMemory,
    learners: Vec<Favoured>,
    hindsight: Option<Hindsight>,
}

pub fn run(arguments: &BoundsArguments) -> anyhow::Result<()> {
    interrupt::watch()?;
    let input = Input::all(&arguments.data);
    let held = arguments.rows.load(&input, None, arguments.print.quiet)?;
    if held.classes().len() != 2 {
        let message = Message::from("the theorems are about two classes").and(Cure::OneAgainstRest);
        anyhow::bail!(Error::data(&input.name(), message));
    }
    let fresh: Recipe = arguments.rows.fresh("perceptron", None, Practice::default())?;
    let record = held.record(&fresh, arguments.rows.max_memory())?;
    let bar = Bar::over_search(arguments.print.quiet);
    let mut tick = || {
        bar.done();
        interrupt::check()
    };
    let (favoured, hindsight) = record.favoured(&candidates(&record)?, &mut tick)?;
    drop(bar);
    let learners = favoured.into_iter().map(|(spec, bound)| Favoured { spec, bound }).collect();
    let found = Bounds { data: data_name(&input), held: &held, learners, hindsight };
    arguments.print.result(|| found.as_json(), || found.as_text())
}

/// The learners that are set side by side, each with the settings that are tried.
fn candidates(record: &RunRecord) -> onlinear::Result<Vec<Vec<Spec>>> {
    let rows = record.rows.rows();
    let largest = (0..rows.len())
        .map(|i| rows.row(i))
        .fold((0f64, 0f64), |(square, component), x| (square.max(x.squared_norm()), component.max(x.largest())));
    let unit = |value: f64| if value > 0.0 { value } else { 1.0 };
    let (square, component) = (unit(largest.0), unit(largest.1));
    let powers = |from: i32, to: i32| (from..=to).map(|k| 2f64.powi(k));
    let specs = |texts: Vec<String>| texts.iter().map(|text| text.parse()).collect::<onlinear::Result<Vec<Spec>>>();
    let rate = |k: f64| format!("winnow:rate={}", output::significant(k / component));
    let ridge = |k: f64| format!("second-order:ridge={}", output::significant(k * square));
    Ok(vec![
        specs(vec!["perceptron".to_string()])?,
        specs([3, 4, 8, 16].map(|p| format!("p-norm:p={p}")).to_vec())?,
        specs(powers(-10, 0).step_by(2).map(rate).collect())?,
        specs(powers(-8, 12).step_by(2).map(ridge).collect())?,
    ])
}

impl Bounds<'_> {
    /// The learner with the least bound.
    fn best(&self) -> Option<&Favoured> {
        let bounded = self.learners.iter().filter(|learner| learner.bound.bound.is_some());
        bounded.min_by(|a, b| a.bound.bound.partial_cmp(&b.bound.bound).unwrap_or(std::cmp::Ordering::Equal))
    }

    /// The ridge of the second-order learner's least bound.
    fn ridge(&self) -> Option<f64> {
        let second = self.learners.iter().find(|learner| learner.spec.algorithm().name == "second-order")?;
        second.bound.bound.and(number(&second.spec, "ridge"))
    }

    fn margin(&self) -> Option<f64> {
        self.learners.first()?.bound.margin
    }

    fn as_json(&self) -> Json {
        let row = |learner: &Favoured| {
            let mut row = learner.bound.to_json(&Flags);
            row["spec"] = json!(learner.spec.to_string());
            row
        };
        json!({
            "data": self.data,
            "examples": self.held.len(),
            "features": self.held.features(),
            "rows": self.learners.iter().map(row).collect::<Vec<_>>(),
            "favoured": self.best().map(|best| best.spec.to_string()),
            "ridge": self.ridge(),
            "margin": self.margin(),
            "hindsight": self.hindsight.as_ref().map(Hindsight::to_json),
        })
    }

    fn as_text(&self) -> String {
        let rows = format!("{}, {}", self.held.len(), counted(self.held.features(), "feature", "features"));
        let mut pairs = vec![("data", self.data.clone()), ("rows", rows)];
        pairs.extend(self.hindsight.as_ref().map(|found| ("hindsight", found.text())));
        pairs.extend(
            self.margin()
                .map(|margin| ("separated", format!("yes, with margin {} (geometric)", output::significant(margin)))),
        );
        let verdict = match self.best() {
            Some(best) => {
                let name = best.spec.algorithm().name;
                let ridge = self.ridge().map_or(String::new(), |ridge| format!("; for second-order try ridge={ridge}"));
                format!("the geometry favours {name}{ridge}")
            }
            None => "no theorem says anything about these rows".to_string(),
        };
        format!("{}\n{}\n{verdict}\n", output::pairs(&pairs), output::table(&self.table(), 0))
    }

    fn table(&self) -> Table {
        let number = |value: Option<f64>| Cell::new(value.map_or("–".to_string(), output::significant));
        let least = self.best().and_then(|best| best.bound.bound);
        let row = |Favoured { spec, bound }: &Favoured| {
            let text = bound.bound.map_or("–".to_string(), |bound| format!("{bound:.0}"));
            let cell = Cell { text, best: bound.bound.is_some() && bound.bound == least, ..Cell::default() };
            vec![Cell::new(set(spec)), cell, number(bound.gamma), number(bound.radius), number(bound.deviation)]
        };
        let column = |name: &str, about: &str, rank| Column {
            about: Some(about.to_string()),
            rank,
            ..Column::new(name, Align::Right)
        };
        let columns = vec![
            Column::new("learner", Align::Left),
            column("mistakes ≤", "in one pass over the rows, in any order.", 0),
            column("γ", "the margin that is asked of u.", 2),
            column("R", "the largest norm of a row, in the learner's norm.", 2),
            column("D", "what u lacks of that margin, summed over all rows.", 1),
        ];
        let unmet = self.learners.iter().filter_map(|Favoured { spec, bound }| {
            Some(format!("{}: {}", spec.algorithm().name, bound.reason.as_ref()?.worded(&Flags)))
        });
        let rows = self.held.len();
        let beyond = least.is_none_or(|least| least >= rows as f64);
        let says_nothing = beyond.then(|| format!("There are {rows} rows: a bound above that says nothing."));
        Table {
            caption: "Bounds before any run.".to_string(),
            columns,
            rows: self.learners.iter().map(row).collect(),
            notes: unmet.chain(says_nothing).collect(),
        }
    }
}

/// A number among a learner's settings.
fn number(spec: &Spec, key: &str) -> Option<f64> {
    match spec.get(key)? {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// A learner with what was chosen for it.
fn set(spec: &Spec) -> String {
    let name = spec.algorithm().name;
    let chosen = ["p", "rate", "ridge"].iter().find_map(|key| Some(format!("{key}={}", number(spec, key)?)));
    match (name, chosen) {
        ("perceptron", _) | (_, None) => name.to_string(),
        (_, Some(chosen)) => format!("{name}:{chosen}"),
    }
}
