//! Tests, read from text.

use super::{CellName, ClaimTest, Expression, Function, Measure, Operation, Relation, Sign, Statistic};

/// The signs of comparisons; one that begins another comes after it.
const SIGNS: [(&str, Sign); 6] = [
    ("<=", Sign::LessOrEqual),
    ("<", Sign::Less),
    (">=", Sign::MoreOrEqual),
    (">", Sign::More),
    ("==", Sign::Equal),
    ("~", Sign::Near),
];

/// The functions of numbers.
const FUNCTIONS: [(&str, Function); 4] =
    [("ln", Function::Ln), ("sqrt", Function::Sqrt), ("min", Function::Min), ("max", Function::Max)];

/// Brackets and signs may be nested so deep.
const DEEPEST: usize = 100;

/// Reads a test, and nothing after it.
pub fn parse(text: &str) -> anyhow::Result<ClaimTest> {
    let mut parser = Parser { text, place: 0, depth: 0, names: &|_| None };
    let test = parser.test()?;
    if parser.rest().is_empty() { Ok(test) } else { Err(parser.error("'and', 'or' or the end")) }
}

/// Reads a sum of numbers, some of which have names, and nothing after it.
pub fn sum(text: &str, names: &dyn Fn(&str) -> Option<f64>) -> anyhow::Result<Expression> {
    let mut parser = Parser { text, place: 0, depth: 0, names };
    let sum = parser.sum()?;
    if parser.rest().is_empty() { Ok(sum) } else { Err(parser.error("an operation or the end")) }
}

/// A text that is being read.
struct Parser<'a> {
    text: &'a str,
    /// In bytes; never before a space once something was looked for.
    place: usize,
    /// How many brackets and signs are open.
    depth: usize,
    /// Numbers that have names.
    names: &'a dyn Fn(&str) -> Option<f64>,
}

impl<'a> Parser<'a> {
    /// The text from the next character on that is not a space.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.place..].trim_start();
        self.place = self.text.len() - rest.len();
        rest
    }

    /// Passes over a mark, if it comes next.
    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        self.place += if found { mark.len() } else { 0 };
        found
    }

    /// Passes over a mark that must come next.
    fn need(&mut self, mark: &str) -> anyhow::Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.error(&format!("'{mark}'"))) }
    }

    /// The word that comes next, which may be empty.
    fn peek_word(&mut self) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
    }

    /// Passes over a whole word, if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        self.peek_word() == word && self.take(word)
    }

    /// What was expected at this place, and what stands there.
    fn error(&mut self, expected: &str) -> anyhow::Error {
        let rest = self.rest();
        let word = self.peek_word();
        let seen = match rest.chars().next() {
            None => "the end".to_string(),
            Some(mark) if word.is_empty() => format!("'{mark}'"),
            Some(_) => format!("'{word}'"),
        };
        let character = self.text[..self.place].chars().count() + 1;
        anyhow::anyhow!("character {character}: expected {expected}, found {seen}")
    }

    /// `part { "or" part }`
    fn test(&mut self) -> anyhow::Result<ClaimTest> {
        self.rest();
        let start = self.place;
        let mut parts = vec![self.part()?];
        while self.take_word("or") {
            parts.push(self.part()?);
        }
        Ok(ClaimTest { text: self.text[start..self.place].trim_end().to_string(), parts })
    }

    /// `comparison { "and" comparison }`
    fn part(&mut self) -> anyhow::Result<Vec<Relation>> {
        let mut part = vec![self.comparison()?];
        while self.take_word("and") {
            part.push(self.comparison()?);
        }
        Ok(part)
    }

    /// `sum sign sum`
    fn comparison(&mut self) -> anyhow::Result<Relation> {
        let left = self.sum()?;
        let Some((_, sign)) = SIGNS.into_iter().find(|(mark, _)| self.take(mark)) else {
            return Err(self.error("a comparison (< <= > >= == ~)"));
        };
        Ok(Relation { left, sign, right: self.sum()? })
    }

    /// `product { ("+" | "-") product }`
    fn sum(&mut self) -> anyhow::Result<Expression> {
        self.chain(&[("+", Operation::Add), ("-", Operation::Subtract)], Parser::product)
    }

    /// `signed { ("*" | "/") signed }`
    fn product(&mut self) -> anyhow::Result<Expression> {
        self.chain(&[("*", Operation::Multiply), ("/", Operation::Divide)], Parser::signed)
    }

    /// Operands with operations of one rank between them, done from left to right.
    fn chain(
        &mut self,
        marks: &[(&str, Operation)],
        operand: fn(&mut Self) -> anyhow::Result<Expression>,
    ) -> anyhow::Result<Expression> {
        let mut sum = operand(self)?;
        while let Some((_, operation)) = marks.iter().find(|(mark, _)| self.take(mark)) {
            sum = Expression::Two(Box::new(sum), *operation, Box::new(operand(self)?));
        }
        Ok(sum)
    }

    /// `"-" signed | atom [ "^" signed ]`
    fn signed(&mut self) -> anyhow::Result<Expression> {
        self.depth += 1;
        anyhow::ensure!(self.depth <= DEEPEST, self.error(&format!("no more than {DEEPEST} levels")));
        let minus = self.take("-");
        let (left, operation) = match minus {
            true => (Expression::Number(0.0), Some(Operation::Subtract)),
            false => (self.atom()?, self.take("^").then_some(Operation::Power)),
        };
        let signed = match operation {
            None => left,
            Some(operation) => Expression::Two(Box::new(left), operation, Box::new(self.signed()?)),
        };
        self.depth -= 1;
        Ok(signed)
    }

    /// A number, a cell, a function, a share, or a sum in brackets.
    fn atom(&mut self) -> anyhow::Result<Expression> {
        if self.take("(") {
            let sum = self.sum()?;
            return self.need(")").map(|()| sum);
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number().map(Expression::Number);
        }
        let word = self.peek_word();
        if let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| *name == word) {
            return self.function(word, *function);
        }
        if let Some(number) = (self.names)(word) {
            self.place += word.len();
            return Ok(Expression::Number(number));
        }
        if self.take_word("share") {
            return self.share();
        }
        self.cell().map(Expression::Cell)
    }

    /// A number without a sign, such as `12`, `0.5` or `1e-3`.
    fn number(&mut self) -> anyhow::Result<f64> {
        let rest = self.rest();
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let mut length = digits(rest);
        if let Some(power) = rest[length..].strip_prefix(['e', 'E']) {
            let unsigned = power.strip_prefix(['+', '-']).unwrap_or(power);
            length += 1 + power.len() - unsigned.len() + digits(unsigned);
        }
        match rest[..length].parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.place += length;
                Ok(number)
            }
            _ => Err(self.error("a number")),
        }
    }

    /// A function with its numbers in brackets.
    fn function(&mut self, name: &str, function: Function) -> anyhow::Result<Expression> {
        self.place += name.len();
        self.need("(")?;
        let mut sums = vec![self.sum()?];
        while matches!(function, Function::Min | Function::Max) && self.take(",") {
            sums.push(self.sum()?);
        }
        self.need(")")?;
        Ok(Expression::Of(function, sums))
    }

    /// A test in brackets, after `share`.
    fn share(&mut self) -> anyhow::Result<Expression> {
        self.need("(")?;
        let test = self.test()?;
        if test.free_cells().is_empty() {
            return Err(self.error("a cell without a column in 'share(…)'"));
        }
        self.need(")")?;
        Ok(Expression::Share(test))
    }

    /// `measure [ ".max" | ".min" | ".sd" ] "[" row [ "," column ] [ "@" x ] "]"`
    fn cell(&mut self) -> anyhow::Result<CellName> {
        let word = self.peek_word();
        let Some(measure) = Measure::named(word) else {
            return Err(self.error("a number, a function or a measure"));
        };
        self.place += word.len();
        let named = Statistic::SUFFIXES.into_iter().find(|(_, suffix)| self.take(suffix));
        let of = named.map_or(Statistic::Mean, |(of, _)| of);
        if !self.take("[") {
            return Err(self.error("'.max', '.min', '.sd' or '[' after the measure"));
        }
        let row = self.name("the name of a row")?;
        let column = if self.take(",") { Some(self.name("the name of a column")?) } else { None };
        let at = if self.take("@") { Some(self.number()?) } else { None };
        self.need("]")?;
        Ok(CellName { measure, of, row, column, at })
    }

    /// A name, which ends before a comma, an @ or a bracket.
    fn name(&mut self, what: &str) -> anyhow::Result<String> {
        let rest = self.rest();
        let name = &rest[..rest.find([',', '@', ']']).unwrap_or(rest.len())];
        if name.is_empty() {
            return Err(self.error(what));
        }
        self.place += name.len();
        Ok(name.trim_end().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The left side of a comparison with 0, with brackets around every operation.
    fn shape(text: &str) -> String {
        fn shape(sum: &Expression) -> String {
            match sum {
                Expression::Number(number) => number.to_string(),
                Expression::Cell(cell) => cell.in_column(None),
                Expression::Share(test) => format!("share({})", test.text),
                Expression::Two(left, operation, right) => format!("({} {operation:?} {})", shape(left), shape(right)),
                Expression::Of(function, sums) => {
                    format!("{function:?}{:?}", sums.iter().map(shape).collect::<Vec<_>>())
                }
            }
        }
        let test = parse(&format!("{text} == 0")).unwrap_or_else(|error| panic!("{text}: {error}"));
        shape(&test.parts[0][0].left)
    }

    fn error(text: &str) -> String {
        match parse(text) {
            Ok(test) => panic!("{test:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn products_bind_before_sums_and_powers_before_signs() {
        assert_eq!(shape("1+2*3"), "(1 Add (2 Multiply 3))");
        assert_eq!(shape("(1+2)*3"), "((1 Add 2) Multiply 3)");
        assert_eq!(shape("9-3-2"), "((9 Subtract 3) Subtract 2)");
        assert_eq!(shape("8/4/2"), "((8 Divide 4) Divide 2)");
        assert_eq!(shape("2^3^2"), "(2 Power (3 Power 2))");
        assert_eq!(shape("-2^2"), "(0 Subtract (2 Power 2))");
        assert_eq!(shape("2^-1e-3*4"), "((2 Power (0 Subtract 0.001)) Multiply 4)");
        assert_eq!(shape("ln(2) + sqrt( 1 + 3 )"), r#"(Ln["2"] Add Sqrt["(1 Add 3)"])"#);
        assert_eq!(shape("max(1, 2, min(3), 4)"), r#"Max["1", "2", "Min[\"3\"]", "4"]"#);
    }

    #[test]
    fn and_binds_before_or() {
        let signs = |text| -> Vec<Vec<Sign>> {
            parse(text).unwrap().parts.iter().map(|part| part.iter().map(|one| one.sign).collect()).collect()
        };
        assert_eq!(
            signs("1 < 2 or 1 <= 2 and 1 > 2 or 1 >= 2 and 1 == 2 and 1~2"),
            [vec![Sign::Less], vec![Sign::LessOrEqual, Sign::More], vec![Sign::MoreOrEqual, Sign::Equal, Sign::Near]]
        );
    }

    #[test]
    fn cells_have_names_with_anything_in_them() {
        let cell = |measure, of, row: &str, column: Option<&str>, at| CellName {
            measure,
            of,
            row: row.to_string(),
            column: column.map(str::to_string),
            at,
        };
        let text = "support[ Projectron++ (flat) ] < mistakes.max[Winnow and [a, k=1 n=10 @ 7500.5] \
                    or test_error.sd[HO_4(0) @ 20] > share(bound.min[a] ~ bound[é, ü]) ";
        let test = parse(text).unwrap();
        assert_eq!(
            test.cells(),
            [
                &cell(Measure::Support, Statistic::Mean, "Projectron++ (flat)", None, None),
                &cell(Measure::Mistakes, Statistic::Max, "Winnow and [a", Some("k=1 n=10"), Some(7500.5)),
                &cell(Measure::TestError, Statistic::Sd, "HO_4(0)", None, Some(20.0)),
                &cell(Measure::Bound, Statistic::Min, "a", None, None),
                &cell(Measure::Bound, Statistic::Mean, "é", Some("ü"), None),
            ]
        );
        assert_eq!(test.shares()[0].text, "bound.min[a] ~ bound[é, ü]");
        assert_eq!(test.cells()[1].in_column(Some("x")), "mistakes.max[Winnow and [a, k=1 n=10 @ 7500.5]");
        assert_eq!(test.cells()[2].in_column(Some("x")), "test_error.sd[HO_4(0), x @ 20]");
    }

    #[test]
    fn errors_name_the_place_and_what_was_expected() {
        for (text, expected) in [
            ("", "character 1: expected a number, a function or a measure, found the end"),
            ("1 < mistake_rat[a]", "character 5: expected a number, a function or a measure, found 'mistake_rat'"),
            ("mistakes[é < 1", "character 15: expected ']', found the end"),
            ("mistakes[a, b, c] < 1", "character 14: expected ']', found ','"),
            ("mistakes[a @ b] < 1", "character 14: expected a number, found 'b'"),
            ("mistakes[] < 1", "character 10: expected the name of a row, found ']'"),
            ("mistakes[a, ] < 1", "character 13: expected the name of a column, found ']'"),
            ("mistakes.mean[a] < 1", "character 9: expected '.max', '.min', '.sd' or '[' after the measure, found '.'"),
            ("(1 + 2 < 3", "character 8: expected ')', found '<'"),
            ("min(1, 2 < 3", "character 10: expected ')', found '<'"),
            ("ln(1, 2) < 3", "character 5: expected ')', found ','"),
            ("1 + 2", "character 6: expected a comparison (< <= > >= == ~), found the end"),
            ("1 = 2", "character 3: expected a comparison (< <= > >= == ~), found '='"),
            ("1 < 2 3", "character 7: expected 'and', 'or' or the end, found '3'"),
            ("1 < 2 < 3", "character 7: expected 'and', 'or' or the end, found '<'"),
            ("1 < 2 android 1 < 2", "character 7: expected 'and', 'or' or the end, found 'android'"),
            ("1 < 1.2.3", "character 5: expected a number, found '1'"),
            ("1 < 1e999", "character 5: expected a number, found '1e999'"),
            ("1 < 2e", "character 5: expected a number, found '2e'"),
            (
                "share(mistakes[a, b] < 1) > 0",
                "character 25: expected a cell without a column in 'share(…)', found ')'",
            ),
        ] {
            assert_eq!(error(text), expected, "{text}");
        }
        let deep = format!("{}1{} < 2", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(error(&deep), "character 101: expected no more than 100 levels, found '('");
        assert!(parse(&format!("{}1{} < 2", "(".repeat(99), ")".repeat(99))).is_ok());
    }
}
