//! Times of day and lengths of time as tables write them.

/// The hours that a text such as `18:45`, `6:45:30.5`, `6:45 PM` or `125:30` is: a time of day, or a length of time.
pub(super) fn hours(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.contains(':'))?;
    let upper = text.to_ascii_uppercase();
    let half = |word| upper.strip_suffix(word).map(str::trim_end);
    let (time, afternoon) = match (half("PM"), half("AM")) {
        (Some(time), _) => (time, Some(12.0)),
        (_, Some(time)) => (time, Some(0.0)),
        _ => (upper.as_str(), None),
    };
    let mut parts = time.split(':');
    let whole = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        let is_whole = lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if is_whole { part.parse::<f64>().ok() } else { None }
    };
    let sixtieths = |number: &f64| *number < 60.0;
    let hour = whole(parts.next()?, 1..=4)?;
    let minute = whole(parts.next()?, 2..=2).filter(sixtieths)?;
    let second = match parts.next().map(|part| part.split_once('.').unwrap_or((part, "0"))) {
        None => 0.0,
        Some((second, fraction)) => {
            let fraction = whole(fraction, 1..=9)? / 10f64.powi(fraction.len() as i32);
            whole(second, 2..=2).filter(sixtieths)? + fraction
        }
    };
    let hour = match afternoon {
        None => hour,
        Some(more) if (1.0..=12.0).contains(&hour) => hour % 12.0 + more,
        Some(_) => return None,
    };
    parts.next().is_none().then_some(hour + minute / 60.0 + second / 3600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_hours() {
        for (text, told) in [
            ("18:45", Some(18.75)),
            ("0:06", Some(0.1)),
            ("18:45:36", Some(18.76)),
            ("00:00:00.5", Some(0.5 / 3600.0)),
            ("125:30", Some(125.5)),
            ("6:45 pm", Some(18.75)),
            ("12:30AM", Some(0.5)),
            ("12:30 PM", Some(12.5)),
            ("13:30 PM", None),
            ("1:2", None),
            ("4:60", None),
            ("4:30:60", None),
            ("1:00:00:00", None),
            ("a:30", None),
            (":30", None),
            ("18.45", None),
            ("-1:30", None),
        ] {
            assert_eq!(hours(text.as_bytes()), told, "{text}");
        }
    }
}
