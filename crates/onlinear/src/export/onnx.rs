//! A model as an ONNX graph, of plain operators in double precision.
//!
//! `LinearClassifier` and its like are of no use: they compute in single precision and decide ties otherwise.

use super::blueprint::{Blueprint, LinearScore, RowForm, Scores, refused};
use super::columns::{CellPart, Holds, TableFeatures};
use super::protobuf::WireMessage;
use crate::data::boolean_words;
use crate::error::Result;
use crate::space::{Cholesky, Kernel, KernelFormula, Row, Rows};
use crate::stage::Arithmetic;

/// The version of the format's messages, and that of its operators: the first in which texts are compared.
const IR_VERSION: i64 = 9;
const OPERATORS: i64 = 19;

/// No file of messages may be larger.
const MOST_BYTES: usize = i32::MAX as usize;

/// Kinds of tensors.
const INT64: i64 = 7;
const STRING: i64 = 8;
const DOUBLE: i64 = 11;

/// The whole file.
pub(super) fn graph(blueprint: &Blueprint<'_>, numbers: Option<&[i64]>, order: Option<&[usize]>) -> Result<Vec<u8>> {
    let mut graph = Graph::default();
    let x = graph.rows(blueprint);
    let x = blueprint
        .stages
        .iter()
        .fold((x, blueprint.features), |(x, width), step| (graph.staged(&x, width, &step.arithmetic), step.width));
    let scores = graph.scores(&x.0, x.1, &blueprint.scores);
    graph.end(&scores, blueprint, numbers, order);
    let props = [("spec", blueprint.spec.clone()), ("labels", serde_json::json!(blueprint.labels).to_string())];
    let features = match &blueprint.input {
        RowForm::Vector(names) => Some(("features", serde_json::json!(names).to_string())),
        RowForm::Table(_) => None,
    };
    let file = WireMessage::default()
        .number(1, IR_VERSION)
        .bytes(2, "onlinear")
        .bytes(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph.into_message())
        .message(8, WireMessage::default().bytes(1, "").number(2, OPERATORS))
        .each(props.into_iter().chain(features), |file, (key, value)| {
            file.message(14, WireMessage::default().bytes(1, key).bytes(2, value))
        })
        .into_bytes();
    match file.len() <= MOST_BYTES {
        true => Ok(file),
        false => Err(refused("an ONNX file holds no more than 2 GB; fewer support vectors or landmarks would fit")),
    }
}

#[derive(Default)]
struct Graph {
    nodes: Vec<WireMessage>,
    constants: Vec<WireMessage>,
    inputs: Vec<WireMessage>,
    outputs: Vec<WireMessage>,
    /// What inputs are called: nothing else may be.
    taken: Vec<String>,
    tensors: usize,
}

/// A tensor's kind and its sizes; the first is that of the rows.
fn declared(name: &str, kind: i64, sizes: &[usize]) -> WireMessage {
    let rows = WireMessage::default().bytes(2, "rows");
    let shape = sizes.iter().map(|&size| WireMessage::default().number(1, size as i64));
    let shape = WireMessage::default().each(std::iter::once(rows).chain(shape), |shape, size| shape.message(1, size));
    let tensor = WireMessage::default().number(1, kind).message(2, shape);
    WireMessage::default().bytes(1, name).message(2, WireMessage::default().message(1, tensor))
}

impl Graph {
    fn new_name(&mut self) -> String {
        self.tensors += 1;
        let mut name = format!("onlinear_{}", self.tensors);
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Adds an operator; gives its result.
    fn add(&mut self, operator: &str, inputs: &[&str]) -> String {
        self.add_with(operator, inputs, &[])
    }

    /// The same with attributes that are whole numbers.
    fn add_with(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, i64)]) -> String {
        let result = self.new_name();
        self.add_as(operator, inputs, attributes, &result);
        result
    }

    fn add_as(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, i64)], result: &str) {
        const INT: i64 = 2;
        let node = WireMessage::default()
            .each(inputs, |node, input| node.bytes(1, input))
            .bytes(2, result)
            .bytes(3, format!("{result}_{operator}"))
            .bytes(4, operator)
            .each(attributes, |node, (name, value)| {
                node.message(5, WireMessage::default().bytes(1, name).number(3, *value).number(20, INT))
            });
        self.nodes.push(node);
    }

    fn constant(&mut self, kind: i64, sizes: &[usize], content: impl FnOnce(WireMessage) -> WireMessage) -> String {
        let name = self.new_name();
        let tensor = WireMessage::default().each(sizes, |tensor, &size| tensor.number(1, size as i64)).number(2, kind);
        self.constants.push(content(tensor.bytes(8, &name)));
        name
    }

    fn numbers(&mut self, sizes: &[usize], numbers: &[f64]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(DOUBLE, sizes, |tensor| tensor.bytes(9, bytes))
    }

    fn number(&mut self, number: f64) -> String {
        self.numbers(&[], &[number])
    }

    fn whole_numbers(&mut self, sizes: &[usize], numbers: &[i64]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(INT64, sizes, |tensor| tensor.bytes(9, bytes))
    }

    fn texts<'t>(&mut self, sizes: &[usize], texts: impl IntoIterator<Item = &'t str>) -> String {
        self.constant(STRING, sizes, |tensor| tensor.each(texts, |tensor, text| tensor.bytes(6, text)))
    }

    /// A truth as a number.
    fn as_number(&mut self, truth: &str) -> String {
        self.add_with("Cast", &[truth], &[("to", DOUBLE)])
    }

    /// The sum over each row, as a column.
    fn sum_of_rows(&mut self, x: &str) -> String {
        let axis = self.whole_numbers(&[1], &[1]);
        self.add_with("ReduceSum", &[x, &axis], &[("keepdims", 1)])
    }

    /// Columns of `x` by their places.
    fn pick(&mut self, x: &str, places: impl IntoIterator<Item = usize>) -> String {
        let places: Vec<i64> = places.into_iter().map(|place| place as i64).collect();
        let places = self.whole_numbers(&[places.len()], &places);
        self.add_with("Gather", &[x, &places], &[("axis", 1)])
    }

    fn product(&mut self, x: &str, rows: usize, columns: usize, transposed: impl Fn(usize, usize) -> f64) -> String {
        let numbers: Vec<f64> =
            (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| transposed(i, j)).collect();
        let matrix = self.numbers(&[rows, columns], &numbers);
        self.add("MatMul", &[x, &matrix])
    }

    /// −x. Between a product of matrices and a multiplication by one number it keeps them apart: onnxruntime would make
    /// one operator of both, whose factor is in single precision.
    fn kept_apart(&mut self, x: &str) -> String {
        self.add("Neg", &[x])
    }

    /// The features of the rows that come in.
    fn rows(&mut self, blueprint: &Blueprint<'_>) -> String {
        match &blueprint.input {
            RowForm::Vector(_) => {
                self.taken.push("X".to_string());
                self.inputs.push(declared("X", DOUBLE, &[blueprint.features]));
                "X".to_string()
            }
            RowForm::Table(columns) => self.encoded(columns),
        }
    }

    /// The features of a table's rows.
    fn encoded(&mut self, columns: &TableFeatures) -> String {
        let named =
            |(i, name): (usize, &String)| if name.is_empty() { format!("column_{}", i + 1) } else { name.clone() };
        let names: Vec<String> = columns.all.iter().map(|column| &column.name).enumerate().map(named).collect();
        self.taken = names.clone();
        let mut cells = Vec::new();
        for (name, column) in names.iter().zip(&columns.all) {
            let kind = if column.holds == Holds::Number { DOUBLE } else { STRING };
            self.inputs.push(declared(name, kind, &[1]));
            cells.push(if column.holds == Holds::Boolean { self.bit(name) } else { name.clone() });
        }
        let factors: Vec<String> = columns
            .factors
            .iter()
            .map(|factor| self.factor(&cells[factor.column], columns.all[factor.column].holds, &factor.value))
            .collect();
        // The columns behind the factors: 0 and 1, for features that have fewer terms than others, or no second factor.
        let (zero, one) = (factors.len(), factors.len() + 1);
        let mut list: Vec<&str> = factors.iter().map(String::as_str).collect();
        let any = factors.first().cloned().unwrap_or_else(|| names.first().cloned().unwrap_or_default());
        let ends = self.zero_and_one(&any);
        list.push(&ends);
        let all = self.add_with("Concat", &list, &[("axis", 1)]);
        let most = columns.features.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut sum: Option<String> = None;
        for k in 0..most {
            let term = |terms: &Vec<(usize, Option<usize>)>| terms.get(k).map_or((zero, None), |term| *term);
            let terms: Vec<(usize, Option<usize>)> = columns.features.iter().map(term).collect();
            let mut part = self.pick(&all, terms.iter().map(|term| term.0));
            if terms.iter().any(|term| term.1.is_some()) {
                let second = self.pick(&all, terms.iter().map(|term| term.1.unwrap_or(one)));
                part = self.add("Mul", &[&part, &second]);
            }
            sum = Some(match sum {
                Some(sum) => self.add("Add", &[&sum, &part]),
                None => part,
            });
        }
        sum.unwrap_or(all)
    }

    /// A column of zeros and one of ones, as many as `x` has rows.
    fn zero_and_one(&mut self, x: &str) -> String {
        let shape = self.add("Shape", &[x]);
        let first = self.whole_numbers(&[1], &[0]);
        let rows = self.add("Gather", &[&shape, &first]);
        let two = self.whole_numbers(&[1], &[2]);
        let sizes = self.add_with("Concat", &[&rows, &two], &[("axis", 0)]);
        let ends = self.numbers(&[1, 2], &[0.0, 1.0]);
        self.add("Expand", &[&ends, &sizes])
    }

    /// 1 for yes, 0 for no, else no number.
    fn bit(&mut self, cell: &str) -> String {
        let says = |graph: &mut Graph, value: bool| {
            let figure = if value { "1.0" } else { "0.0" };
            let words: Vec<String> =
                boolean_words(value).flat_map(spellings).chain(std::iter::once(figure.to_string())).collect();
            let words = graph.texts(&[1, words.len()], words.iter().map(String::as_str));
            let equal = graph.add("Equal", &[cell, &words]);
            let equal = graph.as_number(&equal);
            let count = graph.sum_of_rows(&equal);
            let zero = graph.number(0.0);
            graph.add("Greater", &[&count, &zero])
        };
        let (yes, no) = (says(self, true), says(self, false));
        let [zero, one, none] = [0.0, 1.0, f64::NAN].map(|number| self.number(number));
        let rest = self.add("Where", &[&no, &zero, &none]);
        self.add("Where", &[&yes, &one, &rest])
    }

    /// A factor as a column.
    fn factor(&mut self, cell: &str, holds: Holds, value: &CellPart) -> String {
        match value {
            CellPart::Number => cell.to_string(),
            CellPart::NumberOrZero => {
                let (missing, zero) = (self.add("IsNaN", &[cell]), self.number(0.0));
                self.add("Where", &[&missing, &zero, cell])
            }
            CellPart::Is(text) => {
                let text = self.texts(&[1, 1], [text.as_str()]);
                let equal = self.add("Equal", &[cell, &text]);
                self.as_number(&equal)
            }
            CellPart::IsMissing => {
                let missing = self.is_missing(cell, holds);
                self.as_number(&missing)
            }
            CellPart::IsOther(known) => {
                let known = std::iter::once("").chain(known.iter().map(String::as_str));
                let known: Vec<&str> = known.collect();
                let texts = self.texts(&[1, known.len()], known);
                let equal = self.add("Equal", &[cell, &texts]);
                let equal = self.as_number(&equal);
                let (count, one) = (self.sum_of_rows(&equal), self.number(1.0));
                self.add("Sub", &[&one, &count])
            }
            CellPart::RefusesMissing => {
                let missing = self.is_missing(cell, holds);
                let (none, zero) = (self.number(f64::NAN), self.number(0.0));
                self.add("Where", &[&missing, &none, &zero])
            }
        }
    }

    fn is_missing(&mut self, cell: &str, holds: Holds) -> String {
        match holds {
            Holds::Number | Holds::Boolean => self.add("IsNaN", &[cell]),
            Holds::Category => {
                let blank = self.texts(&[1, 1], [""]);
                self.add("Equal", &[cell, &blank])
            }
        }
    }

    /// What a stage makes of rows of so many components.
    fn staged(&mut self, x: &str, width: usize, arithmetic: &Arithmetic<'_>) -> String {
        match arithmetic {
            Arithmetic::Fill(fill) => {
                let (missing, fill) = (self.add("IsNaN", &[x]), self.numbers(&[1, width], fill));
                self.add("Where", &[&missing, &fill, x])
            }
            Arithmetic::Scale { center, factor } => {
                let [center, factor] = [center, factor].map(|numbers| self.numbers(&[1, width], numbers));
                let centered = self.add("Sub", &[&center, x]);
                let scaled = self.add("Mul", &[&centered, &factor]);
                self.kept_apart(&scaled)
            }
            Arithmetic::Length { p } => {
                let norm = self.norm(x, *p);
                self.divided(x, &norm, 1.0)
            }
            Arithmetic::Landmarks(set, factor) => {
                let values = self.kernel_values(x, width, set.kernel(), set.len(), |i| set.row(i));
                self.solved(&values, factor)
            }
            Arithmetic::Waves { directions, waves } => {
                let angles = self.product(x, width, *waves, |i, wave| directions[wave * width + i]);
                let (cosines, sines) = (self.add("Cos", &[&angles]), self.add("Sin", &[&angles]));
                let both = self.add_with("Concat", &[&cosines, &sines], &[("axis", 1)]);
                let share = self.numbers(&[1, 2 * waves], &vec![1.0 / (*waves as f64).sqrt(); 2 * waves]);
                self.add("Mul", &[&both, &share])
            }
            Arithmetic::Constant(value) => {
                let ends = self.zero_and_one(x);
                let one = self.pick(&ends, [1]);
                let value = self.number(*value);
                let column = self.add("Mul", &[&one, &value]);
                self.add_with("Concat", &[&column, x], &[("axis", 1)])
            }
        }
    }

    /// L⁻¹ k for each row.
    fn solved(&mut self, values: &str, factor: &Cholesky) -> String {
        let order = factor.order();
        let columns: Vec<Vec<f64>> = (0..order)
            .map(|j| {
                let mut column = vec![0.0; order];
                column[j] = 1.0;
                factor.forward(&mut column);
                column
            })
            .collect();
        self.product(values, order, order, |j, i| columns[j][i])
    }

    /// ‖x‖_p of each row.
    fn norm(&mut self, x: &str, p: f64) -> String {
        if p == 2.0 {
            let squares = self.add("Mul", &[x, x]);
            let sum = self.sum_of_rows(&squares);
            return self.add("Sqrt", &[&sum]);
        }
        let [power, root] = [p, 1.0 / p].map(|number| self.number(number));
        let sizes = self.add("Abs", &[x]);
        let powers = self.add("Pow", &[&sizes, &power]);
        let sum = self.sum_of_rows(&powers);
        self.add("Pow", &[&sum, &root])
    }

    /// x / divisor, or x times a number where the divisor is not above 0.
    fn divided(&mut self, x: &str, divisor: &str, otherwise: f64) -> String {
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let is_some = self.add("Greater", &[divisor, &zero]);
        let divisor = self.add("Where", &[&is_some, divisor, &one]);
        let quotient = self.add("Div", &[x, &divisor]);
        if otherwise == 1.0 {
            return quotient;
        }
        let otherwise = self.number(otherwise);
        self.add("Where", &[&is_some, &quotient, &otherwise])
    }

    /// The kernel values of each row with so many others.
    fn kernel_values<'r>(
        &mut self,
        x: &str,
        width: usize,
        kernel: &Kernel,
        count: usize,
        row: impl Fn(usize) -> Row<'r>,
    ) -> String {
        let mut matrix = vec![0.0; width * count];
        let mut squares = vec![0.0; count];
        for (j, square) in squares.iter_mut().enumerate() {
            row(j).for_each(|i, value| {
                matrix[i * count + j] = value;
                *square += value * value;
            });
        }
        let products = self.product(x, width, count, |i, j| matrix[i * count + j]);
        let formula = kernel.shape.formula();
        if !kernel.cosine && !formula.has_distance() {
            // What nobody reads is left out: onnxruntime warns of it.
            return self.shaped(&formula, &products, "", "");
        }
        let own = self.add("Mul", &[x, x]);
        let own = self.sum_of_rows(&own);
        let squares = self.numbers(&[1, count], &squares);
        let values = self.shaped(&formula, &products, &own, &squares);
        if !kernel.cosine {
            return values;
        }
        let mut lengths = |squares: &str| {
            let itself = self.shaped(&formula, squares, squares, squares);
            self.add("Sqrt", &[&itself])
        };
        let (of_rows, of_others) = (lengths(&own), lengths(&squares));
        let lengths = self.add("Mul", &[&of_rows, &of_others]);
        self.divided(&values, &lengths, 0.0)
    }

    /// The kernel before any division, from x·z, ‖x‖² and ‖z‖².
    fn shaped(&mut self, formula: &KernelFormula, products: &str, x: &str, z: &str) -> String {
        match formula {
            KernelFormula::Product => products.to_string(),
            KernelFormula::Distance => {
                let [two, zero] = [2.0, 0.0].map(|number| self.number(number));
                let (squares, twice) = (self.add("Add", &[x, z]), self.add("Mul", &[products, &two]));
                let distances = self.add("Sub", &[&squares, &twice]);
                self.add("Max", &[&distances, &zero])
            }
            KernelFormula::Number(number) => self.number(*number),
            KernelFormula::Sum(terms) | KernelFormula::Times(terms) => {
                let [one, other] = &**terms;
                let (one, other) = (self.shaped(one, products, x, z), self.shaped(other, products, x, z));
                self.add(if matches!(formula, KernelFormula::Sum(_)) { "Add" } else { "Mul" }, &[&one, &other])
            }
            KernelFormula::Power(base, degree) => {
                let (base, degree) = (self.shaped(base, products, x, z), self.number(f64::from(*degree)));
                self.add("Pow", &[&base, &degree])
            }
            KernelFormula::Exp(exponent) => {
                let exponents = self.shaped(exponent, products, x, z);
                self.add("Exp", &[&exponents])
            }
        }
    }

    /// The scores of rows of so many components, a column for each.
    fn scores(&mut self, x: &str, width: usize, scores: &Scores<'_>) -> String {
        match scores {
            Scores::Linear(all) => self.linear(x, width, all),
            Scores::Kernel { kernel, rows, coefficients } => {
                let rows: &Rows = rows;
                let values = self.kernel_values(x, width, kernel, rows.len(), |i| rows.row(i));
                self.product(&values, rows.len(), coefficients.len(), |i, class| coefficients[class][i])
            }
            Scores::Votes(all) => {
                let columns: Vec<String> =
                    all.iter().map(|(weights, votes)| self.votes(x, width, weights, votes)).collect();
                let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
                self.add_with("Concat", &columns, &[("axis", 1)])
            }
        }
    }

    fn linear(&mut self, x: &str, width: usize, all: &[LinearScore<'_>]) -> String {
        let count = all.len();
        let mut scores = self.product(x, width, count, |i, class| all[class].weights[i]);
        if all.iter().any(|one| one.less.is_some()) {
            let late = |i, class: usize| all[class].less.as_ref().map_or(0.0, |(u, _)| u[i]);
            let trials: Vec<f64> = all.iter().map(|one| one.less.as_ref().map_or(1.0, |(_, trials)| *trials)).collect();
            let (late, trials) = (self.product(x, width, count, late), self.numbers(&[1, count], &trials));
            let late = self.kept_apart(&late);
            let late = self.add("Div", &[&late, &trials]);
            scores = self.add("Add", &[&scores, &late]);
        }
        if all.iter().any(|one| one.scale != 1.0) {
            let scale: Vec<f64> = all.iter().map(|one| -one.scale).collect();
            let scale = self.numbers(&[1, count], &scale);
            scores = self.kept_apart(&scores);
            scores = self.add("Mul", &[&scores, &scale]);
        }
        if let Some(p) = all.first().and_then(|one| one.over_norm) {
            let norm = self.norm(x, p);
            scores = self.divided(&scores, &norm, 0.0);
        }
        scores
    }

    fn votes(&mut self, x: &str, width: usize, weights: &[Vec<f64>], votes: &[f64]) -> String {
        let products = self.product(x, width, votes.len(), |i, t| weights[t][i]);
        let [zero, yes, no] = [0.0, 1.0, -1.0].map(|number| self.number(number));
        let is_positive = self.add("GreaterOrEqual", &[&products, &zero]);
        let signs = self.add("Where", &[&is_positive, &yes, &no]);
        self.product(&signs, votes.len(), 1, |t, _| votes[t])
    }

    /// The results: labels, and scores, one for each row of two classes.
    fn end(&mut self, scores: &str, blueprint: &Blueprint<'_>, numbers: Option<&[i64]>, order: Option<&[usize]>) {
        let [label_name, scores_name] = ["label", "scores"].map(|name| {
            let mut name = name.to_string();
            while self.taken.contains(&name) {
                name.push('_');
            }
            name
        });
        let alone = blueprint.scores.len() == 1;
        let between = order.filter(|order| !alone && order.len() == 2);
        let class = if alone {
            self.only_column(scores, &scores_name);
            let zero = self.number(0.0);
            let is_positive = self.add("GreaterOrEqual", &[&scores_name, &zero]);
            self.add_with("Cast", &[&is_positive], &[("to", INT64)])
        } else {
            let mut column = |place: usize| {
                let place = self.whole_numbers(&[1], &[place as i64]);
                self.add_with("Gather", &[scores, &place], &[("axis", 1)])
            };
            if let Some(&[first, second]) = between {
                let (first, second) = (column(first), column(second));
                let difference = self.add("Sub", &[&second, &first]);
                self.only_column(&difference, &scores_name);
            } else {
                let places: Vec<i64> =
                    (0..blueprint.scores.len()).map(|k| order.map_or(k, |order| order[k]) as i64).collect();
                let places = self.whole_numbers(&[places.len()], &places);
                self.add_as("Gather", &[scores, &places], &[("axis", 1)], &scores_name);
            }
            self.add_with("ArgMax", &[scores], &[("axis", 1), ("keepdims", 0), ("select_last_index", 0)])
        };
        let count = blueprint.labels.len();
        let (labels, kind) = match numbers {
            Some(numbers) => (self.whole_numbers(&[count], numbers), INT64),
            None => (self.texts(&[count], blueprint.labels.iter().map(String::as_str)), STRING),
        };
        self.add_as("Gather", &[&labels, &class], &[("axis", 0)], &label_name);
        self.outputs.push(declared(&label_name, kind, &[]));
        let sizes = if alone || between.is_some() { vec![] } else { vec![blueprint.scores.len()] };
        self.outputs.push(declared(&scores_name, DOUBLE, &sizes));
    }

    /// A table of one column as its numbers.
    fn only_column(&mut self, table: &str, name: &str) {
        let column = self.whole_numbers(&[1], &[1]);
        self.add_as("Squeeze", &[table, &column], &[], name);
    }

    fn into_message(self) -> WireMessage {
        WireMessage::default()
            .each(self.nodes, |graph, node| graph.message(1, node))
            .bytes(2, "onlinear")
            .each(self.constants, |graph, constant| graph.message(5, constant))
            .each(self.inputs, |graph, input| graph.message(11, input))
            .each(self.outputs, |graph, output| graph.message(12, output))
    }
}

/// A word in every mixture of cases.
fn spellings(word: &str) -> Vec<String> {
    let with_both = |all: Vec<String>, letter: char| {
        let cases = [letter.to_ascii_lowercase(), letter.to_ascii_uppercase()];
        let cases = &cases[..if cases[0] == cases[1] { 1 } else { 2 }];
        all.iter().flat_map(|start| cases.iter().map(move |case| format!("{start}{case}"))).collect()
    };
    word.chars().fold(vec![String::new()], with_both)
}
