//! The Python that has the peers' packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::command::works;
use crate::python::Environment;

/// The interpreter, with every peer that its registry has for this machine; `None` where there is no Python.
pub fn python() -> Result<Option<PathBuf>> {
    let Some(environment) = Environment::make()? else { return Ok(None) };
    environment.install_peers();
    Ok(Some(environment.program("python")))
}

/// Whether a package can be imported.
pub fn has(python: &Path, module: &str) -> bool {
    works(Command::new(python).args(["-c", &format!("import {module}")]))
}
