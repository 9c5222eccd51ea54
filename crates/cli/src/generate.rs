//! `onlinear generate`.

use std::io::Write;

use onlinear::data::synthetic::{Generator, write_libsvm};

use crate::arguments::GenerateArguments;
use crate::output;

pub fn run(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let mut generator = Generator::new(&arguments.name, arguments.seed)?;
    let mut out = output::buffered();
    write_libsvm(&mut out, arguments.rows, &mut generator)?;
    Ok(out.flush()?)
}
