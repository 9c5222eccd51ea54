//! The table that a run prints.

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
    /// The target as it is written, and whether a figure meets it.
    fn judge(self, figure: f64) -> Option<(String, bool)> {
        let short = |number: f64| (100.0 * number).round() / 100.0;
        match self {
            Target::AtLeast(least) => Some((format!("≥ {}", short(least)), figure >= least)),
            Target::AtMost(most) => Some((format!("≤ {}", short(most)), figure <= most)),
            Target::Below(limit) => Some((format!("< {}", short(limit)), figure < limit)),
            Target::None => None,
        }
    }
}

/// The verdict on a figure that is not as it should be.
const MISSED: &str = "missed";

/// One line: what was measured, what came out in words, the figure that is judged, what it should be, the verdict.
pub struct Line([String; 5]);

impl Line {
    /// A line that is judged by a figure with its unit.
    pub fn judged(
        name: impl Into<String>,
        measured: impl Into<String>,
        (figure, unit): (f64, &str),
        target: Target,
    ) -> Line {
        let (target, verdict) = match target.judge(figure) {
            Some((target, is_met)) => (format!("{target} {unit}"), if is_met { "ok" } else { MISSED }),
            None => Default::default(),
        };
        Line([name.into(), measured.into(), format!("{figure:.2} {unit}"), target, verdict.to_string()])
    }

    /// What it says, column by column.
    pub fn cells(&self) -> &[String; 5] {
        &self.0
    }

    /// The line that says this.
    pub fn of_cells(cells: [String; 5]) -> Line {
        Line(cells)
    }

    /// Whether it is judged and not as it should be.
    pub fn is_missed(&self) -> bool {
        self.0[4] == MISSED
    }

    /// A line to compare with.
    pub fn note(name: impl Into<String>, measured: impl Into<String>) -> Line {
        Line([name.into(), measured.into(), String::new(), String::new(), String::new()])
    }
}

/// The lines under their headings, as Markdown with aligned columns.
pub fn markdown(lines: &[&Line]) -> String {
    let heading = Line(["row", "measured", "figure", "target", "verdict"].map(String::from));
    let lines: Vec<Line> =
        lines.iter().map(|Line(cells)| Line(cells.each_ref().map(|c| c.replace('|', "\\|")))).collect();
    let widths: [usize; 5] = std::array::from_fn(|k| {
        std::iter::once(&heading).chain(&lines).map(|Line(cells)| cells[k].chars().count()).max().unwrap_or(0)
    });
    let row = |Line(cells): &Line| {
        let cells: [String; 5] = std::array::from_fn(|k| format!("{:width$}", cells[k], width = widths[k]));
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = widths.map(|width| "-".repeat(width + 2)).join("|");
    format!("{}|{rule}|\n{}", row(&heading), lines.iter().map(row).collect::<String>())
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
        assert_eq!(markdown(&lines.iter().collect::<Vec<_>>()), expected);
        assert_eq!(lines.iter().map(Line::is_missed).collect::<Vec<_>>(), [false, true, false]);
    }
}
