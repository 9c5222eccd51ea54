//! Tables.

use super::text::escape;

/// Rows of cells under named columns; the first column names the rows.
pub struct Table {
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    /// What stands below, such as what the marks mean.
    pub notes: Vec<String>,
}

/// A column.
pub struct Column {
    pub name: String,
    pub unit: Option<String>,
    /// What the column is, in a sentence, to stand below the table.
    pub about: Option<String>,
    pub align: Align,
}

/// On which side the texts of a column are aligned: words left, numbers right.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    Left,
    Right,
}

/// What stands in one place of a table.
#[derive(Clone, Default)]
pub struct Cell {
    pub text: String,
    /// A second line on a page.
    pub below: Option<String>,
    /// Whether it is the best of its column, or not worse than that.
    pub best: bool,
    /// A raised mark that a note explains.
    pub mark: Option<String>,
}

impl Cell {
    /// A cell with nothing special about it.
    pub fn new(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

impl Table {
    pub fn html(&self) -> String {
        let caption = escape(&self.caption);
        let head: String = self.columns.iter().map(Column::head).collect();
        let rows: String = self.rows.iter().map(|row| format!("<tr>{}</tr>\n", self.row(row))).collect();
        let about = |column: &Column| column.about.as_ref().map(|about| format!("{}: {about}", column.name));
        let notes = self.columns.iter().filter_map(about).chain(self.notes.iter().cloned());
        let notes: String = notes.map(|note| format!("<li>{}</li>\n", escape(&note))).collect();
        let notes = if notes.is_empty() { notes } else { format!("<ul class=\"notes\">\n{notes}</ul>\n") };
        // The box can be reached with the keyboard, for it may have to be scrolled.
        format!(
            "<div class=\"table\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n\
             <caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n{notes}</div>\n"
        )
    }

    fn row(&self, row: &[Cell]) -> String {
        let none = Cell::default();
        let cells = self.columns.iter().enumerate().map(|(i, column)| column.cell(row.get(i).unwrap_or(&none), i == 0));
        cells.collect()
    }
}

/// A name that may go on in the next line after the colon and the commas of a spec.
fn breakable(name: &str) -> String {
    name.split_inclusive([':', ',']).map(escape).collect::<Vec<_>>().join("<wbr>")
}

impl Column {
    /// The name and the unit.
    pub fn title(&self) -> String {
        self.unit.as_ref().map_or(self.name.clone(), |unit| format!("{} {unit}", self.name))
    }

    fn class(&self) -> &'static str {
        if self.align == Align::Right { " class=\"number\"" } else { "" }
    }

    fn head(&self) -> String {
        let unit =
            self.unit.as_ref().map(|unit| format!(" <span class=\"unit\">{}</span>", escape(unit))).unwrap_or_default();
        format!("<th scope=\"col\"{}>{}{unit}</th>", self.class(), escape(&self.name))
    }

    fn cell(&self, cell: &Cell, names_row: bool) -> String {
        let text = if self.align == Align::Left { breakable(&cell.text) } else { escape(&cell.text) };
        let text = if cell.best { format!("<strong>{text}</strong>") } else { text };
        let mark = cell.mark.as_ref().map(|mark| format!("<sup>{}</sup>", escape(mark))).unwrap_or_default();
        let below = cell
            .below
            .as_ref()
            .map(|below| format!("<span class=\"below\">{}</span>", escape(below)))
            .unwrap_or_default();
        let class = self.class();
        if names_row {
            format!("<th scope=\"row\"{class}>{text}{mark}{below}</th>")
        } else {
            format!("<td{class}>{text}{mark}{below}</td>")
        }
    }
}
