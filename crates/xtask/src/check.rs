//! Everything that must hold before a change goes in.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs every check under a heading of its own; stops at the first that fails.
pub fn run() -> Result<()> {
    cargo("formatting", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    cargo("tests", &["test", "--workspace", "--quiet"])?;
    cargo("docs", &["doc", "--workspace", "--no-deps", "--quiet"])?;
    println!("== rooms");
    crate::rooms::check()?;
    println!("== generated files");
    crate::generate::check()?;
    if has_deny() {
        cargo("dependencies", &["deny", "--workspace", "check", "bans", "licenses", "sources"])?;
        advisories()?;
    } else {
        println!("== dependencies\nskipped: cargo-deny is not installed (cargo install cargo-deny --locked)");
    }
    crate::python::check()?;
    println!("all checks passed");
    Ok(())
}

fn cargo(name: &str, arguments: &[&str]) -> Result<()> {
    println!("== {name}");
    let status =
        command().args(arguments).env("RUSTDOCFLAGS", "--deny warnings").status().context("cannot run cargo")?;
    if !status.success() {
        bail!("{name} failed: cargo {}", arguments.join(" "));
    }
    Ok(())
}

/// Looks for known vulnerabilities, where their list can be had.
fn advisories() -> Result<()> {
    let output = command().args(["deny", "--workspace", "check", "advisories"]).output().context("cannot run cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false if said.contains("failed to fetch advisory database") => {
            println!("advisories skipped: their database cannot be reached");
            Ok(())
        }
        false => bail!("known vulnerabilities:\n{said}"),
    }
}

/// Whether cargo-deny is there to be run.
fn has_deny() -> bool {
    let mut command = command();
    let quiet = command.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn command() -> Command {
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
}
