//! Tables.

use crate::text::escape;

/// Rows of cells under named columns; the first column names the rows.
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// What stands in each column.
    pub columns: Vec<Column>,
    /// A cell for each column; cells that are missing at the end are empty.
    pub rows: Vec<Vec<Cell>>,
    /// What stands below, such as what the marks mean.
    pub notes: Vec<String>,
}

/// A column.
pub struct Column {
    /// What stands above.
    pub name: String,
    /// What its numbers are counted in, such as %.
    pub unit: Option<String>,
    /// What the column is, in a sentence, to stand below the table.
    pub about: Option<String>,
    /// On which side its texts are aligned.
    pub align: Align,
}

/// On which side the texts of a column are aligned: words left, numbers right.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// What stands in one place of a table.
#[derive(Clone, Default)]
pub struct Cell {
    /// What is read.
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

    /// Its second line stands in brackets.
    fn markdown(&self) -> String {
        let text = markdown(&self.text);
        let text = if self.best { format!("**{text}**") } else { text };
        let below = self.below.as_ref().map_or(String::new(), |below| format!(" ({})", markdown(below)));
        format!("{text}{}{below}", self.mark.as_deref().map_or(String::new(), markdown))
    }
}

impl Table {
    /// The table as a part of a page.
    pub(crate) fn html(&self) -> String {
        let caption = escape(&self.caption);
        let head: String = self.columns.iter().map(Column::head).collect();
        let rows: String = self.rows.iter().map(|row| format!("<tr>{}</tr>\n", self.row(row))).collect();
        let about = |column: &Column| column.about.as_ref().map(|about| format!("{}: {about}", column.name));
        let notes = self.columns.iter().filter_map(about).chain(self.notes.iter().cloned());
        let notes: String = notes.map(|note| format!("<li>{}</li>\n", escape(&note))).collect();
        let notes = if notes.is_empty() { notes } else { format!("<ul class=\"notes\">\n{notes}</ul>\n") };
        // The box can be reached with the keyboard, for it may have to be scrolled.
        format!(
            "<div class=\"table\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n\
             <table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n</div>\n{notes}</div>\n"
        )
    }

    /// The table as lines of text, its columns aligned and its notes below; for terminals what is best is in bold.
    pub fn text(&self, bold: bool) -> String {
        let length = |text: &str| text.chars().count();
        let mark = |cell: &Cell| cell.mark.clone().unwrap_or_default();
        let heads: Vec<Cell> = self.columns.iter().map(|column| Cell::new(column.title())).collect();
        // The room for texts and that for marks behind them, into which a long heading may reach.
        let rooms = heads.iter().enumerate().map(|(i, head)| {
            let cells = || self.rows.iter().filter_map(|row| row.get(i));
            let marks = cells().map(|cell| length(&mark(cell))).max().unwrap_or(0);
            let texts = cells().map(|cell| length(&cell.text)).max().unwrap_or(0);
            (texts.max(length(&head.text).saturating_sub(marks)), marks)
        });
        let rooms: Vec<(usize, usize)> = rooms.collect();
        let mut out = String::new();
        for row in std::iter::once(&heads).chain(&self.rows) {
            let mut line = String::new();
            for ((column, cell), &(width, marks)) in self.columns.iter().zip(row).zip(&rooms) {
                let (long, mark) = (length(&cell.text), mark(cell));
                let (space, rest) = (width.saturating_sub(long), marks - length(&mark) - long.saturating_sub(width));
                let (before, after) = if column.align == Align::Right { (space, 0) } else { (0, space) };
                let text = if cell.best && bold { format!("\x1b[1m{}\x1b[0m", cell.text) } else { cell.text.clone() };
                line += &format!("{:before$}{text}{mark}{:after$}{:rest$}  ", "", "", "");
            }
            out += line.trim_end();
            out.push('\n');
        }
        self.notes.iter().for_each(|note| out += &format!("{note}\n"));
        out
    }

    /// The table as Markdown, its notes below; its caption goes before, if there is one.
    pub fn markdown(&self) -> String {
        let caption = if self.caption.is_empty() { String::new() } else { format!("{}\n\n", markdown(&self.caption)) };
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let heads = line(self.columns.iter().map(|column| markdown(&column.title())).collect());
        let side = |column: &Column| if column.align == Align::Left { "---" } else { "--:" }.to_string();
        let sides = line(self.columns.iter().map(side).collect());
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(Cell::markdown).collect())).collect();
        let notes: String = self.notes.iter().map(|note| format!("\n{}\n", markdown(note))).collect();
        format!("{caption}{heads}{sides}{rows}{notes}")
    }

    fn row(&self, row: &[Cell]) -> String {
        let none = Cell::default();
        let cells = self.columns.iter().enumerate().map(|(i, column)| column.cell(row.get(i).unwrap_or(&none), i == 0));
        cells.collect()
    }
}

/// A text as it may stand in a table.
fn markdown(text: &str) -> String {
    text.replace('<', "&lt;").replace('|', "\\|").replace('\n', " ")
}

/// An optional text between tags.
fn tagged(open: &str, text: &Option<String>, close: &str) -> String {
    text.as_ref().map_or(String::new(), |text| format!("{open}{}{close}", escape(text)))
}

/// A name that may go on in the next line after the colon and the commas of a spec.
fn breakable(name: &str) -> String {
    name.split_inclusive([':', ',']).map(escape).collect::<Vec<_>>().join("<wbr>")
}

impl Column {
    /// A column of plain texts.
    pub fn new(name: &str, align: Align) -> Column {
        Column { name: name.to_string(), unit: None, about: None, align }
    }

    /// The name and the unit.
    fn title(&self) -> String {
        self.unit.as_ref().map_or(self.name.clone(), |unit| format!("{} {unit}", self.name))
    }

    fn class(&self) -> &'static str {
        if self.align == Align::Right { " class=\"number\"" } else { "" }
    }

    fn head(&self) -> String {
        let unit = tagged(" <span class=\"unit\">", &self.unit, "</span>");
        format!("<th scope=\"col\"{}>{}{unit}</th>", self.class(), escape(&self.name))
    }

    fn cell(&self, cell: &Cell, names_row: bool) -> String {
        let text = if self.align == Align::Left { breakable(&cell.text) } else { escape(&cell.text) };
        let text = if cell.best { format!("<strong>{text}</strong>") } else { text };
        let mark = tagged("<sup>", &cell.mark, "</sup>");
        let below = tagged("<span class=\"below\">", &cell.below, "</span>");
        let (tag, scope) = if names_row { ("th", " scope=\"row\"") } else { ("td", "") };
        format!("<{tag}{scope}{}>{text}{mark}{below}</{tag}>", self.class())
    }
}
