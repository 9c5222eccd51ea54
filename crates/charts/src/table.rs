//! Tables.

use crate::text::{escape, wrapped};

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
    /// Where lines of text have no room for all columns those of the highest rank go first; 0 stays.
    pub rank: u8,
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
    /// A verdict on it: a word at the end of its second line on a page, by colour and sign.
    pub verdict: Option<(Tone, String)>,
}

/// Whether a verdict is one to be glad of.
#[derive(Clone, Copy, PartialEq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not so.
    Bad,
    /// Neither.
    Plain,
}

impl Tone {
    /// The class of its colour and the sign before its word, for those who see no colours.
    fn shown(self) -> (&'static str, &'static str) {
        match self {
            Tone::Good => ("good", "✓ "),
            Tone::Bad => ("bad", "✗ "),
            Tone::Plain => ("plain", ""),
        }
    }
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
        let verdict = self.verdict.as_ref().map(|(_, word)| word);
        let below: Vec<String> = self.below.iter().chain(verdict).map(|text| markdown(text)).collect();
        let below = if below.is_empty() { String::new() } else { format!(" ({})", below.join(" · ")) };
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

    /// The table as lines of text, its columns aligned and its notes below; for terminals what is best is in bold, and
    /// no line is longer than `width`: a first column of more than half of it is cut short, then columns of a rank are
    /// left out, and then the longest columns of words are cut short.
    pub fn text(&self, bold: bool, width: Option<usize>) -> String {
        let heads: Vec<Cell> = self.columns.iter().map(|column| Cell::new(column.title())).collect();
        let mut rooms: Vec<Room> = heads.iter().enumerate().map(|(i, head)| self.room(i, head)).collect();
        let width_or_all = width.unwrap_or(usize::MAX);
        // Long names must leave room for what is told of them.
        if let Some(first) = rooms.first_mut().filter(|first| first.text > width_or_all / 2) {
            first.text = width_or_all / 2;
        }
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let line = |shown: &[usize]| shown.iter().map(|&i| rooms[i].text + rooms[i].marks + 2).sum::<usize>() - 2;
        let mut left_out = Vec::new();
        while !shown.is_empty() && line(&shown) > width_or_all {
            let least = shown.iter().rposition(|&i| self.columns[i].rank == self.highest_rank(&shown));
            match least.filter(|_| self.highest_rank(&shown) > 0) {
                Some(place) => left_out.push(self.columns[shown.remove(place)].name.clone()),
                None => break,
            }
        }
        let over = if shown.is_empty() { 0 } else { line(&shown).saturating_sub(width_or_all) };
        self.cut_words(&mut rooms, &shown, over);
        let mut out = String::new();
        for row in std::iter::once(&heads).chain(&self.rows) {
            let mut line = String::new();
            for &i in &shown {
                let cell = row.get(i).cloned().unwrap_or_default();
                line += &rooms[i].fill(&cell, self.columns[i].align, bold);
            }
            out += line.trim_end();
            out.push('\n');
        }
        left_out.reverse();
        let left_out = (!left_out.is_empty()).then(|| format!("No room here for: {}.", left_out.join(", ")));
        for note in self.notes.iter().chain(&left_out) {
            wrapped(note, width_or_all).iter().for_each(|line| out += &format!("{line}\n"));
        }
        out
    }

    /// Takes room from the longest columns of words, as they are then; figures stay whole.
    fn cut_words(&self, rooms: &mut [Room], shown: &[usize], over: usize) {
        for _ in 0..over {
            let words = shown.iter().copied().filter(|&i| self.columns[i].align == Align::Left);
            if let Some(longest) = words.rev().max_by_key(|&i| rooms[i].text).filter(|&i| rooms[i].text > 1) {
                rooms[longest].text -= 1;
            }
        }
    }

    fn highest_rank(&self, shown: &[usize]) -> u8 {
        shown.iter().map(|&i| self.columns[i].rank).max().unwrap_or(0)
    }

    /// The room that column `i` takes.
    fn room(&self, i: usize, head: &Cell) -> Room {
        let cells = || self.rows.iter().filter_map(|row| row.get(i));
        let marks = cells().map(|cell| length(cell.mark.as_deref().unwrap_or(""))).max().unwrap_or(0);
        let texts = cells().map(|cell| length(&cell.text)).max().unwrap_or(0);
        // A long heading may reach into the room for marks.
        Room { text: texts.max(length(&head.text).saturating_sub(marks)), marks }
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

/// The room for the texts of a column, and that for marks behind them.
#[derive(Clone, Copy)]
struct Room {
    text: usize,
    marks: usize,
}

impl Room {
    /// A cell in it, and what divides it from the next; what does not fit is cut off.
    fn fill(&self, cell: &Cell, align: Align, bold: bool) -> String {
        let Room { text: width, marks } = *self;
        let mark = cell.mark.clone().unwrap_or_default();
        let room = width + marks - length(&mark);
        let text = match length(&cell.text) > room {
            true => cut(&cell.text, room),
            false => cell.text.clone(),
        };
        let long = length(&text);
        let (space, rest) = (width.saturating_sub(long), room.saturating_sub(long.max(width)));
        let (before, after) = if align == Align::Right { (space, 0) } else { (0, space) };
        let text = if cell.best && bold { format!("\x1b[1m{text}\x1b[0m") } else { text };
        format!("{:before$}{text}{mark}{:after$}{:rest$}  ", "", "", "")
    }
}

/// A text without its middle: learners often differ at their ends.
fn cut(text: &str, room: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    let end = room.saturating_sub(1) / 3;
    let start = room.saturating_sub(1) - end;
    chars[..start].iter().chain(&['…']).chain(&chars[chars.len() - end..]).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
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
        Column { name: name.to_string(), unit: None, about: None, align, rank: 0 }
    }

    /// The name and the unit.
    fn title(&self) -> String {
        self.unit.as_ref().map_or(self.name.clone(), |unit| format!("{} {unit}", self.name))
    }

    /// Narrow screens show what lines of text would keep.
    fn class(&self) -> &'static str {
        match (self.align, self.rank > 2) {
            (Align::Right, false) => " class=\"number\"",
            (Align::Right, true) => " class=\"number later\"",
            (Align::Left, true) => " class=\"later\"",
            (Align::Left, false) => "",
        }
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
        let verdict = cell.verdict.as_ref().map_or(String::new(), |(tone, word)| {
            let (class, sign) = tone.shown();
            format!("<span class=\"below {class}\">{sign}{}</span>", escape(word))
        });
        let (tag, scope) = if names_row { ("th", " scope=\"row\"") } else { ("td", "") };
        format!("<{tag}{scope}{}>{text}{mark}{below}{verdict}</{tag}>", self.class())
    }
}
