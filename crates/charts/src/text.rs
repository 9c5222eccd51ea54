//! Text for HTML, SVG, scripts and file names, and how much room it takes.

/// The text as it may stand in HTML and SVG, between tags and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            // XML has no way to write these.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The text as a field of a CSV file.
pub fn csv_field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// How wide the text is at a font size, rather too much than too little: the reader's font is not known.
pub fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(em).sum::<f64>()
}

/// The width of a character in a wide sans-serif font, as a part of the font's size.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'A'..='Z' | '=' | '+' | '<' | '>' | '−' | '×' => 0.8,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.45,
        c if c < '\u{1100}' => 0.64,
        _ => 1.05,
    }
}

/// The text, its middle left out where it would be too wide: learners often differ at their ends.
pub fn shorten(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let chars: Vec<char> = text.chars().collect();
    let room = room / size - em('…');
    let fitting = |chars: &mut dyn Iterator<Item = &char>, room: f64| {
        let mut used = 0.0;
        chars.take_while(|c| (used += em(**c), used <= room).1).count()
    };
    let start = fitting(&mut chars.iter(), room / 2.0);
    let used: f64 = chars[..start].iter().copied().map(em).sum();
    let end = fitting(&mut chars[start..].iter().rev(), room - used);
    chars[..start].iter().chain(&['…']).chain(&chars[chars.len() - end..]).collect()
}

/// A name without anything that a file system or a shell minds.
pub fn stem(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let spaced: String = name.chars().map(word).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let stem: String = words.join("-").chars().take(80).collect();
    if stem.is_empty() { "figure".to_string() } else { stem }
}

/// A text in lines of at most `width` characters, broken at spaces and, in a word that is longer than that, behind the
/// commas and colons of a spec.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let mut lines = vec![String::new()];
    // A number stays with its unit.
    for word in text.replace(" %", "\u{a0}%").split(' ') {
        let pieces: Vec<&str> = match length(word) > width {
            true => word.split_inclusive([',', ':', '/']).collect(),
            false => vec![word],
        };
        for (i, piece) in pieces.into_iter().enumerate() {
            let line = lines.last_mut().expect("there is a first line");
            let space = if i > 0 || line.is_empty() { "" } else { " " };
            match line.is_empty() || length(line) + length(space) + length(piece) <= width {
                true => *line += &format!("{space}{piece}"),
                false => lines.push(piece.to_string()),
            }
        }
    }
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}
