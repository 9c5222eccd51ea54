//! What `onlinear learn` does where nothing is said: on tables what a practitioner would, else what the papers do.

use onlinear::workshop::{MOST_PASSES, Practice, is_table};
use onlinear::{Input, Model, Passes, Recipe, Start};

use super::LearnArguments;

/// How a run goes, with what was chosen for it.
pub struct LearnSettings {
    pub passes: Passes,
    /// What was chosen, as flags with their values.
    chosen: Vec<(&'static str, String)>,
}

/// The seed of a shuffle that nobody asked for.
const SEED: u64 = 1;

impl LearnSettings {
    /// Those of a run from `start` on `input`; a fresh start gets the stages and the order that suit a table.
    pub fn settle(arguments: &LearnArguments, start: Start, input: &Input) -> onlinear::Result<(LearnSettings, Start)> {
        let asked = match (arguments.passes, arguments.until_separated, arguments.early_stop) {
            (Some(passes), ..) => Some(Passes::Exactly(passes)),
            (_, Some(most), _) => Some(Passes::UntilSeparated(most)),
            (.., Some(most)) => Some(Passes::EarlyStop(most)),
            _ => None,
        };
        let rows = &arguments.rows;
        match start {
            Start::Fresh(recipe) if !rows.is_paper() && is_table(input, &rows.read_options()?)? => {
                let typed = arguments.spec.as_deref().unwrap_or_default();
                let is_batch = recipe.spec.is_batch();
                let practice = Practice::of_table();
                let mut chosen = rows.chosen(typed, practice)?;
                let (mut passes, mut shuffle) = (asked.unwrap_or(Passes::Exactly(1)), arguments.shuffle);
                if !is_batch && shuffle.is_none() {
                    chosen.push(("shuffle", SEED.to_string()));
                    shuffle = Some(SEED);
                }
                if !is_batch && asked.is_none() {
                    passes = Passes::EarlyStop(MOST_PASSES);
                    chosen.push(("passes", String::new()));
                }
                let fresh = arguments.fresh(typed, practice)?;
                Ok((LearnSettings { passes, chosen }, Start::Fresh(Recipe { shuffle, ..fresh })))
            }
            start => Ok((LearnSettings { passes: asked.unwrap_or(Passes::Exactly(1)), chosen: Vec::new() }, start)),
        }
    }

    /// Whether the rows are to tell how many passes are best.
    pub fn is_choosing(&self) -> bool {
        matches!(self.passes, Passes::EarlyStop(_))
    }

    /// As it turned out: so many passes, which can be asked for.
    pub fn known(self, model: &Model) -> LearnSettings {
        let passes = model.counts.passes.len() as u64;
        let known = |(flag, value): (&'static str, String)| match flag {
            "passes" => (flag, passes.to_string()),
            _ => (flag, value),
        };
        let passes = match self.passes {
            Passes::EarlyStop(_) => Passes::Exactly(passes),
            asked => asked,
        };
        LearnSettings { passes, chosen: self.chosen.into_iter().map(known).collect() }
    }

    /// What was chosen, as flags to paste; empty where nothing was.
    pub fn flags(&self) -> String {
        self.chosen.iter().map(|(flag, value)| format!("--{flag} {value}")).collect::<Vec<_>>().join(" ")
    }
}
