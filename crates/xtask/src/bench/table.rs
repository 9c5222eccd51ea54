//! The table that a run prints.

use std::fmt;

/// What a figure should be.
#[derive(Clone, Copy)]
pub enum Target {
    /// This much or more.
    AtLeast(f64),
    /// This much or less.
    AtMost(f64),
    /// Less than this.
    Below(f64),
    /// Nothing in particular: it is there to compare with.
    None,
}

impl Target {
    fn is_met(self, figure: f64) -> Option<bool> {
        match self {
            Target::AtLeast(least) => Some(figure >= least),
            Target::AtMost(most) => Some(figure <= most),
            Target::Below(limit) => Some(figure < limit),
            Target::None => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::AtLeast(figure) => write!(f, "≥ {figure}"),
            Target::AtMost(figure) => write!(f, "≤ {figure}"),
            Target::Below(figure) => write!(f, "< {figure}"),
            Target::None => Ok(()),
        }
    }
}

/// One line.
pub struct Line {
    /// What was measured.
    pub name: String,
    /// What came out, in words.
    pub measured: String,
    /// The figure that is judged and its unit.
    pub figure: Option<(f64, &'static str)>,
    /// What the figure should be.
    pub target: Target,
}

impl Line {
    /// A line that is judged.
    pub fn judged(
        name: impl Into<String>,
        measured: impl Into<String>,
        figure: (f64, &'static str),
        target: Target,
    ) -> Line {
        Line { name: name.into(), measured: measured.into(), figure: Some(figure), target }
    }

    /// A line to compare with.
    pub fn note(name: impl Into<String>, measured: impl Into<String>) -> Line {
        Line { name: name.into(), measured: measured.into(), figure: None, target: Target::None }
    }

    fn cells(&self) -> [String; 5] {
        let (figure, unit) = match self.figure {
            Some((figure, unit)) => (format!("{figure:.2} {unit}"), unit),
            None => Default::default(),
        };
        let target = format!("{} {unit}", self.target).trim_start().to_string();
        let verdict = match self.figure.and_then(|(figure, _)| self.target.is_met(figure)) {
            Some(true) => "ok",
            Some(false) => "missed",
            None => "",
        };
        let target = if verdict.is_empty() { String::new() } else { target };
        [self.name.clone(), self.measured.clone(), figure, target, verdict.to_string()]
    }
}

/// The lines under their headings, as Markdown with aligned columns.
pub fn markdown(lines: &[Line]) -> String {
    let heading = ["row", "measured", "figure", "target", "verdict"].map(String::from);
    let cells: Vec<[String; 5]> = std::iter::once(heading).chain(lines.iter().map(Line::cells)).collect();
    let widths: [usize; 5] =
        std::array::from_fn(|k| cells.iter().map(|line| line[k].chars().count()).max().unwrap_or(0));
    let mut table = String::new();
    for (i, line) in cells.iter().enumerate() {
        table += &format!("| {} |\n", joined(|k| format!("{:width$}", line[k], width = widths[k]), " | "));
        if i == 0 {
            table += &format!("|{}|\n", joined(|k| "-".repeat(widths[k] + 2), "|"));
        }
    }
    table
}

fn joined(cell: impl Fn(usize) -> String, separator: &str) -> String {
    (0..5).map(cell).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_judged_and_columns_aligned() {
        let lines = [
            Line::judged("fast", "a", (1.8, "x"), Target::AtLeast(1.8)),
            Line::judged("slow", "b", (3.0, "ns"), Target::Below(3.0)),
            Line::note("other", "c"),
        ];
        let expected = "\
| row   | measured | figure  | target  | verdict |
|-------|----------|---------|---------|---------|
| fast  | a        | 1.80 x  | ≥ 1.8 x | ok      |
| slow  | b        | 3.00 ns | < 3 ns  | missed  |
| other | c        |         |         |         |
";
        assert_eq!(markdown(&lines), expected);
    }
}
