//! Everything that must hold before a change goes in.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs every check under a heading of its own; stops at the first that fails.
pub fn run() -> Result<()> {
    cargo("formatting", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    cargo("tests", &["test", "--workspace", "--quiet"])?;
    cargo("docs", &["doc", "--workspace", "--no-deps", "--quiet"])?;
    println!("== generated files");
    crate::generate::check()?;
    println!("all checks passed");
    Ok(())
}

fn cargo(name: &str, arguments: &[&str]) -> Result<()> {
    println!("== {name}");
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let mut command = Command::new(program);
    let status = command.args(arguments).env("RUSTDOCFLAGS", "--deny warnings").status().context("cannot run cargo")?;
    if !status.success() {
        bail!("{name} failed: cargo {}", arguments.join(" "));
    }
    Ok(())
}
