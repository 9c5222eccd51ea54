//! `onlinear generate`.

use std::io::Write;

use clap::Args;

use onlinear::workshop::synthetic::{Generator, write_libsvm};

use crate::output;
use crate::values::SET;

#[derive(Args)]
#[command(after_help = generate_help())]
pub struct GenerateArguments {
    /// The set: NAME or NAME:key=value,key=value
    #[arg(value_name = "NAME", value_parser = SET, hide_possible_values = true)]
    pub name: String,

    /// How many rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub rows: u64,

    /// Leave out the first N: rows to test on, of the same problem as those before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: u64,

    /// The seed of its randomness; another one is another problem
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

fn generate_help() -> String {
    let sets = onlinear::workshop::synthetic::SETS;
    let width = sets.iter().map(|set| set.name.len()).max().unwrap_or(0);
    let list: String = sets.iter().map(|set| format!("  {:width$}  {}\n", set.name, set.summary)).collect();
    format!(
        "Sets:\n{list}\nExamples:\n  onlinear generate ringnorm --rows 5000 --seed 7 > ringnorm.svm\n  \
         onlinear generate ringnorm --rows 5000 --seed 7 --skip 5000 > ringnorm.t.svm\n  \
         onlinear generate artificial:noise=0.1 | onlinear learn averaged -"
    )
}

pub fn run(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let mut generator = Generator::new(&arguments.name, arguments.seed)?;
    write_libsvm(&mut std::io::sink(), arguments.skip, &mut generator)?;
    let mut out = output::buffered()?;
    write_libsvm(&mut out, arguments.rows, &mut generator)?;
    Ok(out.flush()?)
}
