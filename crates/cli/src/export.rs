//! `onlinear export`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onlinear::{Error, Export, Model};

use crate::output;
use crate::places::Places;

/// What the rows of an SQL query are called unless it is said.
const TABLE: &str = "data";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportTarget {
    /// a graph for onnxruntime and others: labels and scores
    Onnx,
    /// a query for DuckDB, SQLite, PostgreSQL: the rows of a table with labels and scores
    Sql,
    /// a file in C99 with a function for labels and one for scores
    C,
    /// all numbers of the model as one object
    Json,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  onlinear export churn.onlinear --to onnx --output churn.onnx
  onlinear export churn.onlinear --to sql --table customers | duckdb shop.db
  onlinear export mail.onlinear --to c --output mail.c && cc -c mail.c

What comes out decides as the model does, ties included; scores differ by rounding at most. Models that are weights or \
a sum over support vectors can be exported, with all their stages. Columns of days and of free text, hashed features \
and learners that leave neither (voted, for one) are refused by name.")]
pub struct ExportArguments {
    /// A model file
    pub model: PathBuf,

    /// What to write
    #[arg(long, value_enum)]
    pub to: ExportTarget,

    /// Where to write it [standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The table whose rows the SQL query labels [data]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
}

pub fn run(arguments: &ExportArguments) -> anyhow::Result<()> {
    let ExportArguments { model, to, output, table } = arguments;
    if table.is_some() && *to != ExportTarget::Sql {
        anyhow::bail!(Error::usage("--table goes with --to sql alone"));
    }
    if output.is_none() && *to == ExportTarget::Onnx && std::io::stdout().is_terminal() {
        anyhow::bail!(Error::usage("--to onnx gives bytes that are not for a terminal; name a file with --output"));
    }
    let mut places = Places::default();
    places.reads_file("MODEL", &Some(model.clone()));
    match output {
        Some(_) => places.writes("--output", output, "an exported model")?,
        None => places.writes("standard output", &Some("/dev/stdout".into()), "a file")?,
    }
    places.require_writable()?;
    let to = match to {
        ExportTarget::Onnx => Export::Onnx { numbers: None, order: None },
        ExportTarget::Sql => Export::Sql { table: table.clone().unwrap_or_else(|| TABLE.to_string()) },
        ExportTarget::C => Export::C,
        ExportTarget::Json => Export::Json,
    };
    let content = Model::load(model)?.export(&to)?;
    match output {
        Some(path) => Ok(output::file(path, &content)?),
        None => {
            let mut out = output::buffered()?;
            out.write_all(&content)?;
            Ok(out.flush()?)
        }
    }
}
