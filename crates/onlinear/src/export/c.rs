//! A model as a C file, which needs C99 and its mathematics and allocates nothing.

use std::collections::HashSet;
use std::fmt::Write;

use super::blueprint::{Blueprint, LinearScore, RowForm, Scores, refused};
use super::columns::{CellPart, Holds, TableFeatures};
use crate::error::Result;
use crate::space::{Kernel, Row};
use crate::stage::Arithmetic;

/// A row of no more components is kept on the stack.
const MOST_COMPONENTS: usize = 1 << 16;

/// Characters of a line of numbers.
const LINE: usize = 100;

/// The whole file.
pub(super) fn file(blueprint: &Blueprint<'_>) -> Result<String> {
    let most = blueprint.most().max(blueprint.scores.len()).max(1);
    if most > MOST_COMPONENTS {
        return Err(refused(format!(
            "a C function keeps a row on the stack, and {most} components do not fit there; ONNX can hold them"
        )));
    }
    let mut code = Code { data: String::new(), body: String::new(), arrays: 0 };
    let row = code.input(blueprint);
    let mut width = blueprint.features;
    for step in &blueprint.stages {
        let _ = writeln!(code.body, "\n    /* {} */", comment(&step.spec));
        code.stage(&step.arithmetic, width);
        width = step.width;
    }
    code.body.push('\n');
    code.scores(&blueprint.scores, width);
    let (labels, count) = (&blueprint.labels, blueprint.scores.len());
    let decide = match count {
        1 => "    return scores[0] >= 0.0 ? 1 : 0;\n".to_string(),
        _ => format!(
            "    for (k = 1; k < {count}; k++)\n        if (scores[k] > scores[best])\n            best = k;\n    \
             return best;\n"
        ),
    };
    let best = if count == 1 { "" } else { ", best = 0" };
    let label_list: Vec<String> = labels.iter().map(|label| format!("    {}", literal(label))).collect();
    let label_list = label_list.join(",\n");
    let (spec, Code { data, body, .. }) = (comment(&blueprint.spec), code);
    Ok(format!(
        "/* A model of onlinear ({spec}), in C99; link with -lm.\n\
         \n   int onlinear_class(const onlinear_row *row)                   the class of a row: a place in \
         onlinear_labels;\
         \n                                                                 -1 where a score is not finite\
         \n   void onlinear_scores(const onlinear_row *row, double *scores) its scores: {count}\n*/\n\n\
         #include <math.h>\n#include <string.h>\n\n\
         #define ONLINEAR_CLASSES {classes}\n#define ONLINEAR_SCORES {count}\n\n\
         {row}\n\
         const char *const onlinear_labels[ONLINEAR_CLASSES] = {{\n{label_list}\n}};\n\n\
         void onlinear_scores(const onlinear_row *row, double *scores);\n\
         int onlinear_class(const onlinear_row *row);\n\n\
         {data}\
         void onlinear_scores(const onlinear_row *row, double *scores)\n{{\n\
         \x20   double x[{most}];\n    int i, j, k;\n\n{body}    (void)i;\n    (void)j;\n    (void)k;\n}}\n\n\
         int onlinear_class(const onlinear_row *row)\n{{\n\
         \x20   double scores[ONLINEAR_SCORES];\n    int k{best};\n\n    onlinear_scores(row, scores);\n\
         \x20   for (k = 0; k < ONLINEAR_SCORES; k++)\n        if (!isfinite(scores[k]))\n            return -1;\n\
         {decide}}}\n",
        classes = labels.len(),
    ))
}

/// What is written, in parts.
struct Code {
    /// Tables of numbers.
    data: String,
    /// What computes the scores.
    body: String,
    arrays: usize,
}

impl Code {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }

    fn next(&mut self) -> usize {
        self.arrays += 1;
        self.arrays
    }

    /// A table of numbers; gives its name.
    fn numbers(&mut self, what: &str, numbers: &[f64]) -> String {
        let texts = numbers.iter().map(|number| format!("{number:e}"));
        self.table("double", what, texts, numbers.len())
    }

    fn whole_numbers(&mut self, what: &str, numbers: &[usize]) -> String {
        self.table("int", what, numbers.iter().map(usize::to_string), numbers.len())
    }

    fn table(&mut self, kind: &str, what: &str, texts: impl Iterator<Item = String>, count: usize) -> String {
        let name = format!("{what}_{}", self.next());
        let _ = write!(self.data, "static const {kind} {name}[{}] = {{\n   ", count.max(1));
        let mut column = 3;
        let texts = texts.chain((count == 0).then(|| "0".to_string()));
        for text in texts {
            if column + text.len() + 2 > LINE {
                self.data.push_str("\n   ");
                column = 3;
            }
            let _ = write!(self.data, " {text},");
            column += text.len() + 2;
        }
        self.data.push_str("\n};\n\n");
        name
    }

    /// Fills x with the features; gives the declaration of a row.
    fn input(&mut self, blueprint: &Blueprint<'_>) -> String {
        let features = blueprint.features;
        match &blueprint.input {
            RowForm::Vector(names) => {
                let list: Vec<String> = names.iter().map(|name| format!("    {}", literal(name))).collect();
                self.line(&format!("for (i = 0; i < {features}; i++)"));
                self.line("    x[i] = row->x[i];");
                let count = features.max(1);
                format!(
                    "/* A row: a number for each feature, in the order of onlinear_features; 0 where it has none. */\n\
                     typedef struct {{\n    double x[{count}];\n}} onlinear_row;\n\n\
                     const char *const onlinear_features[{count}] = {{\n{}\n}};\n",
                    if list.is_empty() { "    \"\"".to_string() } else { list.join(",\n") }
                )
            }
            RowForm::Table(columns) => self.columns(columns),
        }
    }

    fn columns(&mut self, columns: &TableFeatures) -> String {
        let fields = fields(columns);
        let mut row = String::from(
            "/* A row: NAN where a number is missing, NULL or \"\" where a text is; 1 for yes, 0 for no. */\n\
             typedef struct {\n",
        );
        for (field, column) in fields.iter().zip(&columns.all) {
            let (kind, what) = match column.holds {
                Holds::Number => ("double ", "a number"),
                Holds::Boolean => ("double ", "yes or no"),
                Holds::Category => ("const char *", "text"),
            };
            let _ = writeln!(row, "    {kind}{field}; /* {}: {what} */", comment(&column.name));
        }
        if columns.all.is_empty() {
            row.push_str("    int none;\n");
        }
        row.push_str("} onlinear_row;\n");
        if columns.all.iter().any(|column| column.holds == Holds::Category) {
            self.data.push_str(
                "static int is(const char *cell, const char *text)\n{\n    \
                 return cell != NULL && strcmp(cell, text) == 0;\n}\n\n\
                 static int is_missing(const char *cell)\n{\n    return cell == NULL || *cell == '\\0';\n}\n\n",
            );
            // Neither need be used.
            self.line("(void)is;");
            self.line("(void)is_missing;");
        }
        let factor = |place: usize| {
            let factor = &columns.factors[place];
            expression(&format!("row->{}", fields[factor.column]), columns.all[factor.column].holds, &factor.value)
        };
        for (feature, terms) in columns.features.iter().enumerate() {
            let term = |(first, second): &(usize, Option<usize>)| match second {
                Some(second) => format!("{} * {}", factor(*first), factor(*second)),
                None => factor(*first),
            };
            let sum: Vec<String> = terms.iter().map(term).collect();
            let sum = if sum.is_empty() { "0.0".to_string() } else { sum.join(" + ") };
            self.line(&format!("x[{feature}] = {sum};"));
        }
        row
    }

    /// What a stage makes of a row of so many components.
    fn stage(&mut self, arithmetic: &Arithmetic<'_>, width: usize) {
        match arithmetic {
            Arithmetic::Fill(fill) => {
                let fill = self.numbers("fill", fill);
                self.line(&format!("for (i = 0; i < {width}; i++)"));
                self.line("    if (isnan(x[i]))");
                self.line(&format!("        x[i] = {fill}[i];"));
            }
            Arithmetic::Scale { center, factor } => {
                let (center, factor) = (self.numbers("center", center), self.numbers("factor", factor));
                self.line(&format!("for (i = 0; i < {width}; i++)"));
                self.line(&format!("    x[i] = (x[i] - {center}[i]) * {factor}[i];"));
            }
            Arithmetic::Length { p } => {
                self.line("{");
                self.norm(*p, width);
                self.line("    if (norm > 0.0)");
                self.line(&format!("        for (i = 0; i < {width}; i++)"));
                self.line("            x[i] /= norm;");
                self.line("}");
            }
            Arithmetic::Landmarks(set, factor) => {
                let rows = (0..set.len()).map(|i| set.row(i));
                let flat: Vec<f64> = (0..factor.order()).flat_map(|i| factor.row(i).iter().copied()).collect();
                let (order, flat) = (set.len(), self.numbers("triangle", &flat));
                self.line("{");
                self.line(&format!("    double z[{}];", order.max(1)));
                self.line(&format!("    const double *l = {flat};"));
                self.kernel_values(set.kernel(), rows, order, width);
                self.line(&format!("    for (k = 0; k < {order}; k++) {{"));
                self.line("        for (j = 0; j < k; j++)");
                self.line("            z[k] -= *l++ * z[j];");
                self.line("        z[k] /= *l++;");
                self.line("    }");
                self.line(&format!("    for (k = 0; k < {order}; k++)"));
                self.line("        x[k] = z[k];");
                self.line("}");
            }
            Arithmetic::Waves { directions, waves } => {
                let directions = self.numbers("directions", directions);
                let share = 1.0 / (*waves as f64).sqrt();
                self.line("{");
                self.line(&format!("    double z[{}];", 2 * waves));
                self.line(&format!("    for (k = 0; k < {waves}; k++) {{"));
                self.line("        double angle = 0.0;");
                self.line(&format!("        for (i = 0; i < {width}; i++)"));
                self.line(&format!("            angle += {directions}[k * {width} + i] * x[i];"));
                self.line(&format!("        z[k] = cos(angle) * {share:e};"));
                self.line(&format!("        z[k + {waves}] = sin(angle) * {share:e};"));
                self.line("    }");
                self.line(&format!("    for (k = 0; k < {}; k++)", 2 * waves));
                self.line("        x[k] = z[k];");
                self.line("}");
            }
            Arithmetic::Constant(value) => {
                self.line(&format!("for (i = {width}; i > 0; i--)"));
                self.line("    x[i] = x[i - 1];");
                self.line(&format!("x[0] = {value:e};"));
            }
        }
    }

    /// Declares norm, ‖x‖_p.
    fn norm(&mut self, p: f64, width: usize) {
        self.line("    double norm = 0.0;");
        self.line(&format!("    for (i = 0; i < {width}; i++)"));
        if p == 2.0 {
            self.line("        norm += x[i] * x[i];");
            self.line("    norm = sqrt(norm);");
        } else {
            self.line(&format!("        norm += pow(fabs(x[i]), {p:e});"));
            self.line(&format!("    norm = pow(norm, {:e});", 1.0 / p));
        }
    }

    /// Fills z with the kernel values of x and so many rows.
    fn kernel_values<'r>(&mut self, kernel: &Kernel, rows: impl Iterator<Item = Row<'r>>, count: usize, width: usize) {
        let (mut starts, mut places, mut values, mut squares) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let mut square = 0.0;
            row.for_each(|i, value| {
                if value != 0.0 {
                    places.push(i);
                    values.push(value);
                    square += value * value;
                }
            });
            squares.push(square);
            starts.push(places.len());
        }
        let (starts, places) = (self.whole_numbers("starts", &starts), self.whole_numbers("places", &places));
        let (values, squares) = (self.numbers("values", &values), self.numbers("squares", &squares));
        let formula = kernel.shape.formula();
        let shaped = |product: &str, one: &str, other: &str| {
            let distance = format!("fmax({one} + {other} - 2.0 * {product}, 0.0)");
            formula.spelled(["pow", "exp"], product, &distance)
        };
        self.line("    double own = 0.0;");
        self.line(&format!("    for (i = 0; i < {width}; i++)"));
        self.line("        own += x[i] * x[i];");
        self.line(&format!("    for (k = 0; k < {count}; k++) {{"));
        self.line("        double product = 0.0;");
        self.line(&format!("        for (j = {starts}[k]; j < {starts}[k + 1]; j++)"));
        self.line(&format!("            product += {values}[j] * x[{places}[j]];"));
        let other = format!("{squares}[k]");
        let value = shaped("product", "own", &other);
        if kernel.cosine {
            let (one, two) = (shaped("own", "own", "own"), shaped(&other, &other, &other));
            self.line(&format!("        double length = sqrt({one}) * sqrt({two});"));
            self.line(&format!("        z[k] = length == 0.0 ? 0.0 : {value} / length;"));
        } else {
            self.line(&format!("        z[k] = {value};"));
        }
        self.line("    }");
        // A formula may need no squares.
        self.line("    (void)own;");
        self.line(&format!("    (void){squares};"));
    }

    fn scores(&mut self, scores: &Scores<'_>, width: usize) {
        match scores {
            Scores::Linear(all) => self.linear(all, width),
            Scores::Kernel { kernel, rows, coefficients } => {
                let (count, classes) = (rows.len(), coefficients.len());
                self.line("{");
                self.line(&format!("    double z[{}];", count.max(1)));
                self.kernel_values(kernel, rows.iter(), count, width);
                let flat: Vec<f64> = coefficients.concat();
                let flat = self.numbers("coefficients", &flat);
                self.line(&format!("    for (k = 0; k < {classes}; k++) {{"));
                self.line("        scores[k] = 0.0;");
                self.line(&format!("        for (j = 0; j < {count}; j++)"));
                self.line(&format!("            scores[k] += {flat}[k * {count} + j] * z[j];"));
                self.line("    }");
                self.line("}");
            }
            Scores::Votes(all) => {
                for (class, (weights, votes)) in all.iter().enumerate() {
                    let (count, flat) = (votes.len(), weights.concat());
                    let (weights, votes) = (self.numbers("weights", &flat), self.numbers("votes", votes));
                    self.line(&format!("scores[{class}] = 0.0;"));
                    self.line(&format!("for (k = 0; k < {count}; k++) {{"));
                    self.line("    double product = 0.0;");
                    self.line(&format!("    for (i = 0; i < {width}; i++)"));
                    self.line(&format!("        product += {weights}[k * {width} + i] * x[i];"));
                    self.line(&format!("    scores[{class}] += product >= 0.0 ? {votes}[k] : -{votes}[k];"));
                    self.line("}");
                }
            }
        }
    }

    fn linear(&mut self, all: &[LinearScore<'_>], width: usize) {
        for (class, one) in all.iter().enumerate() {
            let weights = self.numbers("weights", &one.weights);
            self.line("{");
            self.line("    double sum = 0.0;");
            let late = one.less.as_ref().map(|(late, trials)| (self.numbers("late", late), trials));
            if late.is_some() {
                self.line("    double late = 0.0;");
            }
            self.line(&format!("    for (i = 0; i < {width}; i++)"));
            self.line(&format!("        sum += {weights}[i] * x[i];"));
            if let Some((late, trials)) = late {
                self.line(&format!("    for (i = 0; i < {width}; i++)"));
                self.line(&format!("        late += {late}[i] * x[i];"));
                self.line(&format!("    sum -= late / {trials:e};"));
            }
            if one.scale != 1.0 {
                self.line(&format!("    sum *= {:e};", one.scale));
            }
            if let Some(p) = one.over_norm {
                self.line("    {");
                self.norm(p, width);
                self.line("    sum = norm == 0.0 ? 0.0 : sum / norm;");
                self.line("    }");
            }
            self.line(&format!("    scores[{class}] = sum;"));
            self.line("}");
        }
    }
}

/// What a factor is in C.
fn expression(cell: &str, holds: Holds, value: &CellPart) -> String {
    match value {
        CellPart::Number => cell.to_string(),
        CellPart::NumberOrZero => format!("(isnan({cell}) ? 0.0 : {cell})"),
        CellPart::Is(text) => format!("is({cell}, {})", literal(text)),
        CellPart::IsMissing if holds == Holds::Category => format!("is_missing({cell})"),
        CellPart::IsMissing => format!("(isnan({cell}) ? 1.0 : 0.0)"),
        CellPart::IsOther(known) => {
            let known: String = known.iter().map(|text| format!(" && !is({cell}, {})", literal(text))).collect();
            format!("(!is_missing({cell}){known})")
        }
        CellPart::RefusesMissing => format!("(is_missing({cell}) ? NAN : 0.0)"),
    }
}

/// A text between quotes: bytes beyond plain ASCII by number, and no two question marks in a row, which C may take for
/// something else.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal.push('"');
    literal
}

/// A text within a comment, which it cannot end.
fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(plain).collect();
    text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace('\\', "/ ")
}

/// What C must not be taken for.
const KEYWORDS: [&str; 37] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "NAN", "NULL",
    "INFINITY",
];

/// A field for each column, called as it is as far as C allows.
fn fields(columns: &TableFeatures) -> Vec<String> {
    let mut taken: HashSet<String> = KEYWORDS.iter().map(ToString::to_string).collect();
    let field = |name: &String| {
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let starts = plain.starts_with(|c: char| c.is_ascii_alphabetic());
        // Names that begin with an underscore belong to compilers.
        let mut field = if starts { plain } else { format!("column_{}", plain.trim_start_matches('_')) };
        while !taken.insert(field.clone()) {
            field.push('_');
        }
        field
    };
    columns.all.iter().map(|column| &column.name).map(field).collect()
}
