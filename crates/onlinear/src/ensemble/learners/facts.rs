//! What a report says of several learners at once.

use crate::learner::{Fact, Facts};

/// Counts added up, the least of what is a least.
pub(super) fn all_facts(mut all: impl Iterator<Item = Facts>) -> Facts {
    let mut facts = all.next().unwrap_or_default();
    for other in all {
        facts.matrix_updates = facts.matrix_updates.zip(other.matrix_updates).map(|(a, b)| a + b);
        facts.rows_kept += other.rows_kept;
        for warning in other.warnings {
            if !facts.warnings.contains(&warning) {
                facts.warnings.push(warning);
            }
        }
        for (name, fact) in other.further {
            match facts.further.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = together(name, known, &fact),
                None => facts.further.push((name, fact)),
            }
        }
    }
    facts
}

/// One fact of two learners.
fn together(name: &str, a: &Fact, b: &Fact) -> Fact {
    match (a, b) {
        _ if a == b && name == "cost" => a.clone(),
        (Fact::Number(a), Fact::Number(b)) if name.starts_with("min_") => Fact::Number(a.min(*b)),
        (Fact::Number(a), Fact::Number(b)) if name != "cost" => Fact::Number(a + b),
        (Fact::Text(Some(a)), Fact::Text(Some(b))) if a == b => Fact::Text(Some(a.clone())),
        (Fact::Text(None), text @ Fact::Text(_)) | (text @ Fact::Text(_), Fact::Text(None)) => text.clone(),
        (a, b) => Fact::Text(Some(format!("{a}, {b}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_several_learners_become_one() {
        let number = Fact::Number;
        assert_eq!(together("added", &number(2.0), &number(3.0)), number(5.0));
        assert_eq!(together("min_phi", &number(2.0), &number(3.0)), number(2.0));
        assert_eq!(together("cost", &number(2.0), &number(2.0)), number(2.0));
        assert_eq!(together("cost", &number(2.0), &number(0.5)), Fact::Text(Some("2, 0.5".to_string())));
        let text = |text: &str| Fact::Text(Some(text.to_string()));
        assert_eq!(together("stopped", &Fact::Text(None), &text("a")), text("a"));
        assert_eq!(together("stopped", &text("a"), &text("a")), text("a"));
    }
}
