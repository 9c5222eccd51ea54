//! Numbers as people read them.

/// A number with about four digits: 0.1235, 12.35, 1,235.
pub fn value(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "–".to_string(),
        0.0 => "0".to_string(),
        _ if !(1e-4..1e15).contains(&size) => scientific(value),
        _ if size >= 1000.0 => with_sign(value, &separated(&format!("{size:.0}"))),
        _ => with_sign(value, trimmed(&format!("{size:.*}", (3 - size.log10().floor() as i32).max(0) as usize))),
    }
}

/// A whole number with separators: 1,234,567.
pub fn count(count: u64) -> String {
    separated(&count.to_string())
}

/// A number with few characters: 950, 1.2k, 35M.
pub fn compact(value: f64) -> String {
    let size = value.abs();
    let (divisor, suffix) = match size {
        1e6..1e10 => (1e6, "M"),
        1e3..1e6 => (1e3, "k"),
        1e-4..1e3 | 0.0 => (1.0, ""),
        _ => return scientific(value),
    };
    let part = size / divisor;
    let decimals = if part < 10.0 && suffix.is_empty() { 4 } else { usize::from(part < 100.0) };
    with_sign(value, &format!("{}{suffix}", trimmed(&format!("{part:.decimals$}"))))
}

/// The labels of ticks `step` apart, all with the same suffix and number of decimals.
pub fn labels(ticks: &[f64], step: f64) -> Vec<String> {
    let largest = ticks.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let (divisor, suffix) = match largest {
        2e6..1e10 => (1e6, "M"),
        1e4..2e6 => (1e3, "k"),
        1e-4..1e4 | 0.0 => (1.0, ""),
        _ => return ticks.iter().map(|&tick| if tick == 0.0 { "0".to_string() } else { scientific(tick) }).collect(),
    };
    // Steps are 1, 2 or 5 times a power of ten: this many decimals write them in full.
    let decimals = (-(step / divisor * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize;
    let label = |&tick: &f64| {
        let digits = format!("{:.decimals$}", tick.abs() / divisor);
        if digits.bytes().all(|b| matches!(b, b'0' | b'.')) {
            return "0".to_string();
        }
        let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
        with_sign(tick, &format!("{}{rest}{suffix}", separated(whole)))
    };
    ticks.iter().map(label).collect()
}

/// A number to so many digits as JSON should hold it.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// A place in a drawing. Whatever is no number is drawn at 0, so that no drawing is broken.
pub fn place(value: f64) -> String {
    let tenths = (value * 10.0).round();
    if tenths.is_finite() && tenths != 0.0 { format!("{}", tenths / 10.0) } else { "0".to_string() }
}

fn scientific(value: f64) -> String {
    let text = format!("{:.2e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = exponent.chars().map(superscript).collect();
    match trimmed(mantissa) {
        "1" => with_sign(value, &format!("10{raised}")),
        mantissa => with_sign(value, &format!("{mantissa}×10{raised}")),
    }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(c),
    }
}

fn with_sign(value: f64, digits: &str) -> String {
    format!("{}{digits}", if value < 0.0 { "−" } else { "" })
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

fn separated(digits: &str) -> String {
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
