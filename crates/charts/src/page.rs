//! A page as one HTML file: no network, no other files.

use crate::figure::STYLE;
use crate::text::escape;
use crate::{Page, Part};

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing is loaded from anywhere, whatever the data hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The whole page.
pub fn html(page: &Page) -> String {
    let title = escape(&page.title);
    let about: String = page
        .about
        .iter()
        .map(|(name, text)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(text)))
        .collect();
    let about = if about.is_empty() { about } else { format!("<dl>\n{about}</dl>\n") };
    let mut figures = 0;
    let mut body = String::new();
    for section in &page.sections {
        body += &format!("<section>\n<h2>{}</h2>\n", escape(&section.heading));
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
         {body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .filter(|text| !text.trim().is_empty())
        .map(|text| format!("<p>{}</p>\n", escape(text.trim())))
        .collect()
}
