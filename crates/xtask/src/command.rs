//! Other programs, run from here.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
}

/// Runs a command, which must succeed.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "failed: {command:?}");
    Ok(())
}

/// Whether a command can be run and succeeds; nobody hears of it.
pub fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
