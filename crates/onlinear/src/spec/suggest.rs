//! The nearest legal spelling of a word that is not legal.

/// `; did you mean 'x'?`, or nothing when no candidate is near.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a &'a str>) -> String {
    let near = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word.to_lowercase(), candidate), *candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((likeness, candidate)) if likeness > 0.7 => format!("; did you mean '{candidate}'?"),
        _ => String::new(),
    }
}
