//! What is installed beside the program: manual pages and completions.

use std::path::Path;

use crate::{help, output};

/// Prints the completion script of a shell.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(false), "onlinear", &mut script);
    output::text(&String::from_utf8_lossy(&script))
}

/// Writes a manual page for the program and one for each command.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    output::require_folder(&Some(folder.to_path_buf()), "manual pages")?;
    clap_mangen::generate_to(help::command(false), folder).map_err(|error| output::failed(folder, error).into())
}
