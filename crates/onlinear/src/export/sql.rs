//! A model as an SQL query, in what DuckDB, SQLite and PostgreSQL have in common.
//!
//! Scores of weight vectors are one expression over the columns. Those of kernels and maps are sums over tables of
//! support vectors that the query brings along. What is used many times, the length of a row and the scores of several
//! classes, is a column of a named query that is MATERIALIZED: databases put an expression in place of its name else,
//! each time, and that of 256 features in ten classes fills 20 GB then. Numbers have an exponent: a literal without one
//! is a decimal to some.

use std::collections::HashSet;
use std::fmt::Write;

use super::blueprint::{Blueprint, LinearScore, RowForm, Scores, refused};
use super::columns::{CellPart, Holds, TableFeatures};
use crate::data::boolean_words;
use crate::error::Result;
use crate::space::{Kernel, Row};
use crate::stage::Arithmetic;

/// Terms that stand side by side: databases limit how deep an expression may be.
const SIDE_BY_SIDE: usize = 64;
/// Selects that stand side by side, likewise.
const MOST_SELECTS: usize = 200;

/// How all names begin that a query makes.
const OURS: &str = "onlinear_";

/// The query for rows of this table.
pub(super) fn query(blueprint: &Blueprint<'_>, table: &str) -> Result<String> {
    let mut query = Query { source: name_of_source(table)?, norms: 0, tables: Vec::new() };
    let mut components = features(&blueprint.input)?;
    let mut map = None;
    for step in &blueprint.stages {
        if map.is_some() && !matches!(step.arithmetic, Arithmetic::Constant(_)) {
            return Err(refused(format!(
                "{} stands behind a map, which SQL has no words for; ONNX and C do",
                step.spec
            )));
        }
        match &step.arithmetic {
            Arithmetic::Landmarks(..) | Arithmetic::Waves { .. } => map = Some((&step.arithmetic, 0)),
            Arithmetic::Constant(_) if map.is_some() => map = map.map(|(map, constants)| (map, constants + 1)),
            other => components = query.staged(components, other),
        }
    }
    let constants: Vec<f64> = behind_map(blueprint);
    let scores = match (&blueprint.scores, map) {
        (Scores::Linear(all), None) => {
            let each = all.iter().map(|one| query.linear(one, &components)).collect::<Vec<_>>();
            return query.plain(blueprint, each);
        }
        (Scores::Votes(all), None) => {
            let each = all.iter().map(|(weights, votes)| voted(weights, votes, &components)).collect();
            return query.plain(blueprint, each);
        }
        (Scores::Kernel { kernel, rows, coefficients }, None) => {
            let units = Units::Kernel(*kernel, rows.iter().collect());
            UnitScores { units, coefficients: coefficients.clone(), constants: vec![0.0; coefficients.len()] }
        }
        (Scores::Linear(all), Some((map, _))) => UnitScores::behind(map, all, &constants)?,
        _ => return Err(refused("SQL has no words for a kernel or a vote behind a map; ONNX and C do")),
    };
    query.by_units(blueprint, &components, &scores)
}

/// The constants that stand in front of what a map makes, the last one first.
fn behind_map(blueprint: &Blueprint<'_>) -> Vec<f64> {
    let is_map =
        |arithmetic: &Arithmetic<'_>| matches!(arithmetic, Arithmetic::Landmarks(..) | Arithmetic::Waves { .. });
    let behind = blueprint.stages.iter().rev().take_while(|step| !is_map(&step.arithmetic));
    behind
        .filter_map(|step| if let Arithmetic::Constant(value) = step.arithmetic { Some(value) } else { None })
        .collect()
}

struct Query {
    /// What rows come from.
    source: String,
    norms: usize,
    /// Named queries that come first.
    tables: Vec<String>,
}

/// A name, quoted.
fn identifier(name: &str) -> Result<String> {
    require_text(name)?;
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// The name of the table or of one of its columns, quoted. Those that the query makes begin with `onlinear_`, and one
/// of the same name, whatever its letters' case, would stand for another thing without a word.
fn name_of_source(name: &str) -> Result<String> {
    match name.get(..OURS.len()).is_some_and(|start| start.eq_ignore_ascii_case(OURS)) {
        true => Err(refused(format!("'{name}' begins as the names that the SQL query makes; call it something else"))),
        false => identifier(name),
    }
}

/// A text, quoted.
fn text(text: &str) -> Result<String> {
    require_text(text)?;
    Ok(format!("'{}'", text.replace('\'', "''")))
}

fn require_text(text: &str) -> Result<()> {
    match text.contains('\0') {
        true => Err(refused(format!("'{}' has a character that no SQL text can hold", text.escape_debug()))),
        false => Ok(()),
    }
}

/// A comment's line.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The sum of all terms, in groups that are not too deep.
fn sum(terms: &[String]) -> String {
    match terms.len() {
        0 => "0e0".to_string(),
        1..=SIDE_BY_SIDE => terms.join("\n    + "),
        many => {
            let size = many.div_ceil(SIDE_BY_SIDE).max(SIDE_BY_SIDE);
            let groups: Vec<String> = terms.chunks(size).map(|group| format!("({})", sum(group))).collect();
            sum(&groups)
        }
    }
}

/// The features as expressions over the columns.
fn features(input: &RowForm) -> Result<Vec<String>> {
    let number = |name: &String| Ok(format!("CAST({} AS DOUBLE PRECISION)", name_of_source(name)?));
    let TableFeatures { all, factors, features } = match input {
        RowForm::Vector(names) => return names.iter().map(number).collect(),
        RowForm::Table(columns) => columns,
    };
    let factors = factors.iter().map(|factor| {
        let column = &all[factor.column];
        factor_of(&name_of_source(&column.name)?, column.holds, &factor.value)
    });
    let factors: Vec<String> = factors.collect::<Result<_>>()?;
    let term = |(first, second): &(usize, Option<usize>)| match second {
        Some(second) => format!("{} * {}", factors[*first], factors[*second]),
        None => factors[*first].clone(),
    };
    let feature = |terms: &Vec<(usize, Option<usize>)>| match &terms[..] {
        [] => "0e0".to_string(),
        [only] => term(only),
        terms => format!("({})", terms.iter().map(term).collect::<Vec<_>>().join(" + ")),
    };
    Ok(features.iter().map(feature).collect())
}

/// A factor as an expression.
fn factor_of(column: &str, holds: Holds, value: &CellPart) -> Result<String> {
    let cell = format!("CAST({column} AS VARCHAR)");
    let when = |condition: String, then: &str, otherwise: &str| {
        format!("CASE WHEN {condition} THEN {then} ELSE {otherwise} END")
    };
    let is_missing = match holds {
        Holds::Category => format!("({column} IS NULL OR {cell} = '')"),
        Holds::Number | Holds::Boolean => format!("{column} IS NULL"),
    };
    let number = match holds {
        Holds::Boolean => {
            let words = |value: bool, figure: &str| {
                let words: Vec<String> = boolean_words(value).map(|word| format!("'{word}'")).collect();
                format!("LOWER({cell}) IN ({}, '{figure}')", words.join(", "))
            };
            format!("CASE WHEN {} THEN 1e0 WHEN {} THEN 0e0 ELSE NULL END", words(true, "1.0"), words(false, "0.0"))
        }
        Holds::Number | Holds::Category => format!("CAST({column} AS DOUBLE PRECISION)"),
    };
    Ok(match value {
        CellPart::Number => number,
        CellPart::NumberOrZero => format!("COALESCE({number}, 0e0)"),
        CellPart::Is(value) => when(format!("{cell} = {}", text(value)?), "1e0", "0e0"),
        CellPart::IsMissing if holds == Holds::Boolean => when(format!("({number}) IS NULL"), "1e0", "0e0"),
        CellPart::IsMissing => when(is_missing, "1e0", "0e0"),
        CellPart::IsOther(known) => {
            let known: Vec<String> = known.iter().map(|value| text(value)).collect::<Result<_>>()?;
            when(format!("{is_missing} OR {cell} IN ({})", known.join(", ")), "0e0", "1e0")
        }
        CellPart::RefusesMissing => when(is_missing, "NULL", "0e0"),
    })
}

/// Σ vote_t sgn(w_t·x).
fn voted(weights: &[Vec<f64>], votes: &[f64], components: &[String]) -> String {
    let one = |(weights, vote): (&Vec<f64>, &f64)| {
        let product = weighted(weights, components);
        format!("CASE WHEN ({product}) >= 0 THEN {vote:e} WHEN ({product}) < 0 THEN {:e} ELSE NULL END", -vote)
    };
    sum(&weights.iter().zip(votes).map(one).collect::<Vec<_>>())
}

/// w·x.
fn weighted(weights: &[f64], components: &[String]) -> String {
    let terms = weights.iter().zip(components).filter(|(weight, _)| **weight != 0.0);
    sum(&terms.map(|(weight, component)| format!("{weight:e} * {component}")).collect::<Vec<_>>())
}

/// √‖x‖² or its like in another norm, of which powers are taken by logarithms where a number is not 0.
fn norm(components: &[String], p: f64) -> String {
    if p == 2.0 {
        let squares: Vec<String> = components.iter().map(|x| format!("({x}) * ({x})")).collect();
        return format!("SQRT({})", sum(&squares));
    }
    let powers: Vec<String> = components.iter().map(|x| format!("POWER(ABS({x}), {p:e})")).collect();
    format!("POWER({}, {:e})", sum(&powers), 1.0 / p)
}

impl Query {
    /// What a stage that keeps components apart makes of them.
    fn staged(&mut self, components: Vec<String>, arithmetic: &Arithmetic<'_>) -> Vec<String> {
        match arithmetic {
            Arithmetic::Fill(fill) => {
                components.iter().zip(fill).map(|(x, fill)| format!("COALESCE({x}, {fill:e})")).collect()
            }
            Arithmetic::Scale { center, factor } => {
                let scaled = |((x, center), factor): ((&String, &f64), &f64)| match (*center, *factor) {
                    (0.0, 1.0) => x.clone(),
                    (0.0, factor) => format!("({x}) * {factor:e}"),
                    (center, factor) => format!("(({x}) - {center:e}) * {factor:e}"),
                };
                components.iter().zip(center).zip(factor).map(scaled).collect()
            }
            Arithmetic::Length { p } => {
                let column = self.norm_column(&components, *p);
                let quotient = |x: &String| format!("({x}) / CASE WHEN {column} > 0 THEN {column} ELSE 1e0 END");
                components.iter().map(quotient).collect()
            }
            Arithmetic::Constant(value) => std::iter::once(format!("{value:e}")).chain(components).collect(),
            Arithmetic::Landmarks(..) | Arithmetic::Waves { .. } => components, // not kept apart
        }
    }

    /// Adds a column with ‖x‖_p to the rows.
    fn norm_column(&mut self, components: &[String], p: f64) -> String {
        self.norms += 1;
        let column = format!("\"onlinear_norm_{}\"", self.norms);
        let name = format!("onlinear_normed_{}", self.norms);
        self.computed_once(name, &format!("    {} AS {column}", norm(components, p)));
        column
    }

    /// Lets rows come from a named query, with columns more, whose values nobody computes again.
    fn computed_once(&mut self, name: String, columns: &str) {
        let source = std::mem::replace(&mut self.source, name.clone());
        self.tables.push(format!("{name} AS MATERIALIZED (\n  SELECT *,\n{columns}\n  FROM {source}\n)"));
    }

    fn linear(&mut self, one: &LinearScore<'_>, components: &[String]) -> String {
        let mut score = weighted(&one.weights, components);
        if let Some((late, trials)) = &one.less {
            score = format!("({score}) - ({}) / {trials:e}", weighted(late, components));
        }
        if one.scale != 1.0 {
            score = format!("({score}) * {:e}", one.scale);
        }
        if let Some(p) = one.over_norm {
            let column = self.norm_column(components, p);
            score = format!("CASE WHEN {column} > 0 THEN ({score}) / {column} ELSE 0e0 END");
        }
        score
    }

    /// A query in which each score is an expression.
    fn plain(mut self, blueprint: &Blueprint<'_>, scores: Vec<String>) -> Result<String> {
        let names = score_names(blueprint)?;
        let columns: Vec<String> =
            scores.iter().zip(&names).map(|(score, name)| format!("    {score} AS {name}")).collect();
        match names.len() {
            // One score that its label asks for twice: rows stream through.
            1 => self.source = format!("(SELECT *,\n{}\n  FROM {}) AS onlinear_scored", columns[0], self.source),
            _ => self.computed_once("onlinear_scored".to_string(), &columns.join(",\n")),
        }
        let tables = if self.tables.is_empty() { String::new() } else { format!("WITH {}\n", self.tables.join(",\n")) };
        Ok(format!(
            "{}{tables}SELECT *, {} AS \"onlinear_label\"\nFROM {}\n",
            heading(blueprint),
            label(blueprint, &names)?,
            self.source
        ))
    }

    /// A query that sums over units.
    fn by_units(mut self, blueprint: &Blueprint<'_>, components: &[String], scores: &UnitScores<'_>) -> Result<String> {
        let names = score_names(blueprint)?;
        self.tables.push(format!(
            "onlinear_input AS MATERIALIZED (\n  SELECT ROW_NUMBER() OVER () AS \"onlinear_row\", onlinear_source.* \
             FROM (SELECT * FROM {}) AS onlinear_source\n)",
            self.source
        ));
        self.cells(components);
        self.units(scores);
        let sums: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(class, name)| {
                format!(
                    "{:e} + SUM(onlinear_coefficients.c{class} * onlinear_values.value) AS {name}",
                    scores.constants[class]
                )
            })
            .collect();
        self.tables.push(format!(
            "onlinear_scores AS (\n  SELECT onlinear_values.\"onlinear_row\" AS \"onlinear_at\", {}\n  \
             FROM onlinear_values JOIN onlinear_coefficients ON onlinear_values.unit = onlinear_coefficients.unit\n  \
             GROUP BY onlinear_values.\"onlinear_row\"\n)",
            sums.join(", ")
        ));
        Ok(format!(
            "{}WITH {}\nSELECT *, {} AS \"onlinear_label\"\nFROM onlinear_input JOIN onlinear_scores ON \
             \"onlinear_row\" = \"onlinear_at\"\n",
            heading(blueprint),
            self.tables.join(",\n"),
            label(blueprint, &names)?
        ))
    }

    /// The components of all rows, one under another.
    fn cells(&mut self, components: &[String]) {
        let select = |(i, x): (usize, &String)| {
            format!("SELECT \"onlinear_row\", {i} AS place, {x} AS value FROM onlinear_input")
        };
        let all: Vec<String> = components.iter().enumerate().map(select).collect();
        let parts = all.chunks(MOST_SELECTS).enumerate();
        let parts: Vec<String> =
            parts.map(|(k, part)| format!("onlinear_cells_{k} AS (\n  {}\n)", part.join("\n  UNION ALL "))).collect();
        let united: Vec<String> = (0..parts.len()).map(|k| format!("SELECT * FROM onlinear_cells_{k}")).collect();
        self.tables.extend(parts);
        let united = match united.is_empty() {
            true => "SELECT \"onlinear_row\", 0 AS place, 0e0 AS value FROM onlinear_input".to_string(),
            false => united.join(" UNION ALL "),
        };
        self.tables.push(format!("onlinear_cells AS MATERIALIZED (\n  {united}\n)"));
    }

    /// The units, their products with each row, and what becomes of those.
    fn units(&mut self, scores: &UnitScores<'_>) {
        let rows = scores.units.rows();
        let (mut parts, mut coefficients) = (String::new(), String::new());
        let mut divide = "";
        let classes = scores.coefficients.len();
        for (unit, row) in rows.iter().enumerate() {
            for (place, value) in row {
                let _ = write!(parts, "{divide}({unit}, {place}, {value:e})");
                divide = ", ";
            }
        }
        if parts.is_empty() {
            parts.push_str("(0, 0, 0e0)");
        }
        for unit in 0..scores.units.len() {
            let divide = if unit == 0 { "" } else { ", " };
            let numbers: Vec<String> =
                (0..classes).map(|class| format!("{:e}", scores.coefficients[class][unit])).collect();
            let _ = write!(coefficients, "{divide}({unit}, {:e}, {})", square(rows.get(unit)), numbers.join(", "));
        }
        if coefficients.is_empty() {
            let _ = write!(coefficients, "(0, 0e0, {})", vec!["0e0"; classes].join(", "));
        }
        let columns: Vec<String> = (0..classes).map(|class| format!("c{class}")).collect();
        self.tables.push(format!("onlinear_parts(unit, place, value) AS MATERIALIZED (\n  VALUES {parts}\n)"));
        self.tables.push(format!(
            "onlinear_coefficients(unit, square, {}) AS MATERIALIZED (\n  VALUES {coefficients}\n)",
            columns.join(", ")
        ));
        self.tables.push(
            "onlinear_rows AS MATERIALIZED (\n  SELECT \"onlinear_row\", CASE WHEN COUNT(*) = COUNT(value) THEN \
             SUM(value * value) END AS square\n  FROM \
             onlinear_cells GROUP BY \"onlinear_row\"\n)"
                .to_string(),
        );
        self.tables.push(
            "onlinear_products AS MATERIALIZED (\n  SELECT onlinear_cells.\"onlinear_row\", onlinear_parts.unit, \
             SUM(onlinear_cells.value * onlinear_parts.value) AS product\n  FROM onlinear_cells JOIN onlinear_parts ON \
             onlinear_cells.place = onlinear_parts.place\n  WHERE onlinear_cells.value <> 0 OR onlinear_cells.value \
             IS NULL\n  \
             GROUP BY onlinear_cells.\"onlinear_row\", onlinear_parts.unit\n)"
                .to_string(),
        );
        self.tables.push(format!(
            "onlinear_pairs AS (\n  SELECT onlinear_rows.\"onlinear_row\", onlinear_coefficients.unit, \
             onlinear_rows.square AS x, onlinear_coefficients.square AS z,\n    \
             CASE WHEN onlinear_rows.square IS NULL THEN NULL ELSE COALESCE(onlinear_products.product, 0e0) END AS \
             product\n  \
             FROM onlinear_rows CROSS JOIN onlinear_coefficients LEFT JOIN onlinear_products\n    \
             ON onlinear_products.\"onlinear_row\" = onlinear_rows.\"onlinear_row\" \
             AND onlinear_products.unit = onlinear_coefficients.unit\n),\n\
             onlinear_values AS (\n  SELECT \"onlinear_row\", unit, {} AS value FROM onlinear_pairs\n)",
            scores.units.value()
        ));
    }
}

fn square(row: Option<&Vec<(usize, f64)>>) -> f64 {
    row.map_or(0.0, |row| row.iter().fold(0.0, |sum, (_, value)| sum + value * value))
}

/// Scores that are sums over units: c · g(x·z).
struct UnitScores<'a> {
    units: Units<'a>,
    /// Those of each score.
    coefficients: Vec<Vec<f64>>,
    /// What is added to each score.
    constants: Vec<f64>,
}

/// What is summed over.
enum Units<'a> {
    /// Kernel values with rows.
    Kernel(Kernel, Vec<Row<'a>>),
    /// The cosines of x·ω for all waves, then the sines.
    Waves(&'a [f64], usize),
}

impl<'a> UnitScores<'a> {
    /// Those of weight vectors behind a map and constants.
    fn behind(map: &'a Arithmetic<'a>, all: &[LinearScore<'_>], constants: &[f64]) -> Result<UnitScores<'a>> {
        let (mut coefficients, mut sums) = (Vec::new(), Vec::new());
        for one in all {
            if one.over_norm.is_some() {
                return Err(refused("SQL has no words for a norm behind a map; ONNX and C do"));
            }
            let late = |i: usize| one.less.as_ref().map_or(0.0, |(late, trials)| late[i] / trials);
            let weight = |i: usize| one.scale * (one.weights[i] - late(i));
            sums.push(constants.iter().enumerate().map(|(i, constant)| weight(i) * constant).sum());
            let mut own: Vec<f64> = (constants.len()..one.weights.len()).map(weight).collect();
            match map {
                // w·L⁻¹k = (L⁻ᵀw)·k
                Arithmetic::Landmarks(_, factor) => factor.backward(&mut own),
                Arithmetic::Waves { waves, .. } => {
                    own.iter_mut().for_each(|weight| *weight /= (*waves as f64).sqrt());
                }
                _ => {}
            }
            coefficients.push(own);
        }
        let units = match map {
            Arithmetic::Landmarks(set, _) => Units::Kernel(*set.kernel(), (0..set.len()).map(|i| set.row(i)).collect()),
            Arithmetic::Waves { directions, waves } => Units::Waves(directions, *waves),
            _ => return Err(refused("SQL has no words for this map")),
        };
        Ok(UnitScores { units, coefficients, constants: sums })
    }
}

impl Units<'_> {
    fn len(&self) -> usize {
        match self {
            Units::Kernel(_, rows) => rows.len(),
            Units::Waves(_, waves) => 2 * waves,
        }
    }

    /// What rows are multiplied with, as places and values.
    fn rows(&self) -> Vec<Vec<(usize, f64)>> {
        match self {
            Units::Kernel(_, rows) => {
                let parts = |row: &Row<'_>| {
                    let mut parts = Vec::new();
                    row.for_each(|i, value| parts.extend((value != 0.0).then_some((i, value))));
                    parts
                };
                rows.iter().map(parts).collect()
            }
            Units::Waves(directions, waves) => {
                let width = directions.len() / (*waves).max(1);
                let wave = |k: usize| (0..width).map(|i| (i, directions[k * width + i])).collect();
                (0..2 * waves).map(|k| wave(k % waves)).collect()
            }
        }
    }

    /// What becomes of a product, with the squares x and z.
    fn value(&self) -> String {
        let kernel = match self {
            Units::Waves(_, waves) => {
                return format!("CASE WHEN unit < {waves} THEN COS(product) ELSE SIN(product) END");
            }
            Units::Kernel(kernel, _) => kernel,
        };
        let formula = kernel.shape.formula();
        let shaped = |product: &str, x: &str, z: &str| {
            let distance = format!("{x} + {z} - 2e0 * {product}");
            let distance = format!("CASE WHEN {distance} < 0 THEN 0e0 ELSE {distance} END");
            formula.spelled(["POWER", "EXP"], product, &distance)
        };
        let value = shaped("product", "x", "z");
        if !kernel.cosine {
            return value;
        }
        let length = format!("SQRT({}) * SQRT({})", shaped("x", "x", "x"), shaped("z", "z", "z"));
        format!("CASE WHEN {length} = 0 THEN 0e0 ELSE {value} / ({length}) END")
    }
}

/// What the scores' columns are called. Databases take names that differ by the case of letters for one.
fn score_names(blueprint: &Blueprint<'_>) -> Result<Vec<String>> {
    if blueprint.scores.len() == 1 {
        return Ok(vec!["\"onlinear_score\"".to_string()]);
    }
    let mut taken = HashSet::new();
    let name = |label: &String| {
        let mut name = format!("onlinear_score_{label}");
        while !taken.insert(name.to_lowercase()) {
            name.push('_');
        }
        identifier(&name)
    };
    blueprint.labels.iter().map(name).collect()
}

/// The label that scores mean; none where they are none.
fn label(blueprint: &Blueprint<'_>, names: &[String]) -> Result<String> {
    let labels: Vec<String> = blueprint.labels.iter().map(|label| text(label)).collect::<Result<_>>()?;
    if let [score] = names {
        return Ok(format!("CASE WHEN {score} >= 0 THEN {} WHEN {score} < 0 THEN {} END", labels[1], labels[0]));
    }
    // The first of the largest: no other is larger. A comparison with nothing holds for no class.
    let is_largest = |k: usize| {
        let others =
            (0..names.len()).filter(|&other| other != k).map(|other| format!("{} >= {}", names[k], names[other]));
        others.collect::<Vec<_>>().join(" AND ")
    };
    let cases: Vec<String> = (0..names.len()).map(|k| format!("WHEN {} THEN {}", is_largest(k), labels[k])).collect();
    Ok(format!("CASE\n    {}\n  END", cases.join("\n    ")))
}

fn heading(blueprint: &Blueprint<'_>) -> String {
    format!("-- A model of onlinear: {}\n", comment(&blueprint.spec))
}
