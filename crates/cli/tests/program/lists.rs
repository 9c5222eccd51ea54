//! Lists of all learners, kernels, stages and formats in what the program says: checked here once and for all, so that
//! no snapshot changes with one more of them.

use onlinear::workshop::{Kind, Slot, StageChoices};
use onlinear::{ALGORITHMS, Format, STAGES};

/// `text` with every such list, complete and in order, replaced by what it lists.
pub fn without_lists(text: &str) -> String {
    let kernel = ALGORITHMS[0].parameter("kernel").unwrap();
    let Kind::Choice(kernels) = kernel.kind else { panic!("{kernel:?}") };
    [
        ("[learners]", ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>()),
        ("[kernels]", kernels.to_vec()),
        ("[stages]", STAGES.iter().map(|stage| stage.name).collect()),
        ("[scales]", StageChoices::words(Slot::Scale).collect()),
        ("[lengths]", StageChoices::words(Slot::Normalize).collect()),
        ("[formats]", Format::names().collect()),
    ]
    .iter()
    .fold(text.to_string(), |text, (name, words)| replaced(&text, words, name))
}

/// `text` with `name` for the words in this order, between commas and spaces or the ends of lines.
fn replaced(text: &str, words: &[&str], name: &str) -> String {
    for (start, _) in text.match_indices(words[0]) {
        let after = words[1..].iter().try_fold(&text[start + words[0].len()..], |rest, word| {
            rest.strip_prefix(',')?.trim_start().strip_prefix(word)
        });
        if let Some(after) = after {
            return format!("{}{name}{}", &text[..start], replaced(after, words, name));
        }
    }
    text.to_string()
}
