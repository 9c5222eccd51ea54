//! A page as one HTML file: no network, no other files.

use crate::figure::{Figure, STYLE};
use crate::table::Table;
use crate::text::{escape, stem};

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing is loaded from anywhere, whatever the data hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// What a command has found out, ready to be read.
pub struct Page {
    /// The heading of the page.
    pub title: String,
    /// How it was found out: names and texts at the top of the page.
    pub about: Vec<(String, String)>,
    /// What stands on it, from top to bottom.
    pub sections: Vec<Section>,
}

/// A heading with what stands under it.
pub struct Section {
    /// What stands above.
    pub heading: String,
    /// What stands below it, from top to bottom.
    pub parts: Vec<Part>,
}

impl Section {
    /// These parts under a heading.
    pub fn new(heading: &str, parts: Vec<Part>) -> Section {
        Section { heading: heading.to_string(), parts }
    }
}

/// A piece of a section.
pub enum Part {
    /// Paragraphs, with an empty line between them.
    Text(String),
    /// Numbers in rows and columns.
    Table(Table),
    /// A chart with its words; figures without a label of their own are numbered through the page.
    Figure(Figure),
}

impl Page {
    /// The whole page as one file that needs no other.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let about: String = self
            .about
            .iter()
            .map(|(name, text)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(text)))
            .collect();
        let about = if about.is_empty() { about } else { format!("<dl>\n{about}</dl>\n") };
        let contents = self.contents();
        let mut figures = 0;
        let mut body = String::new();
        for (place, section) in self.sections.iter().enumerate() {
            body += &format!("<section id=\"{}\">\n<h2>{}</h2>\n", anchor(place), escape(&section.heading));
            for part in &section.parts {
                body += &match part {
                    Part::Text(text) => paragraphs(text),
                    Part::Table(table) => table.html(),
                    Part::Figure(figure) => {
                        figures += 1;
                        figure.html(figures)
                    }
                };
            }
            body += "</section>\n";
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<header>\n<h1>{title}</h1>\n{about}</header>\n\
             {contents}{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }

    /// Links to the sections, where there are so many that one would have to look for them.
    fn contents(&self) -> String {
        let link = |(place, section): (usize, &Section)| {
            format!("<li><a href=\"#{}\">{}</a></li>\n", anchor(place), escape(&section.heading))
        };
        match self.sections.len() {
            0..=2 => String::new(),
            _ => {
                let list: String = self.sections.iter().enumerate().map(link).collect();
                format!("<nav aria-label=\"Contents\">\n<ul>\n{list}</ul>\n</nav>\n")
            }
        }
    }

    /// Every figure as a file of its own: names, no two of them the same, and contents.
    pub fn svg_files(&self) -> Vec<(String, String)> {
        let parts = self.sections.iter().flat_map(|section| &section.parts);
        let figures = parts.filter_map(|part| if let Part::Figure(figure) = part { Some(figure) } else { None });
        let mut files: Vec<(String, String)> = Vec::new();
        for figure in figures {
            let stem = stem(&figure.name);
            let others = (2..).map(|again| format!("{stem}-{again}.svg"));
            let mut names = std::iter::once(format!("{stem}.svg")).chain(others);
            let free = names.find(|name| files.iter().all(|(taken, _)| taken != name));
            files.extend(free.map(|name| (name, figure.svg())));
        }
        files
    }
}

/// What the section at this place is linked by.
fn anchor(place: usize) -> String {
    format!("section-{}", place + 1)
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .filter(|text| !text.trim().is_empty())
        .map(|text| format!("<p>{}</p>\n", escape(text.trim())))
        .collect()
}
