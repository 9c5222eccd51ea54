//! Everything that must hold before a change goes in.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, succeed, works};

/// What makes tests go on for minutes of which the gate has a fixed small share.
const LONG: [(&str, &str); 3] = [("ONLINEAR_LONG", "1"), ("ONLINEAR_KILLS", "300"), ("ONLINEAR_REPEATS", "100")];

/// Runs every check with all there is of the long tests.
pub fn run_long() -> Result<()> {
    succeed(Command::new(std::env::current_exe()?).arg("check").envs(LONG))
}

/// Runs every check under a heading of its own; stops at the first that fails.
pub fn run() -> Result<()> {
    check("formatting", &["fmt", "--all", "--check"])?;
    check("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    check("tests", &["test", "--workspace", "--quiet"])?;
    let with_parquet = ["-p", "onlinear", "-p", "onlinear-cli", "--features", "onlinear-cli/parquet", "--quiet"];
    check(
        "lints with Parquet",
        &[&["clippy", "--all-targets"], &with_parquet[..], &["--", "--deny", "warnings"]].concat(),
    )?;
    check("tests of Parquet", &[&["test"], &with_parquet[..], &["--", "parquet", "robust"]].concat())?;
    check("docs", &["doc", "--workspace", "--no-deps", "--quiet"])?;
    crate::docs::check()?;
    crate::packages::check()?;
    println!("== rooms");
    crate::rooms::check()?;
    println!("== generated files");
    crate::generate::check()?;
    if works(cargo().args(["deny", "--version"])) {
        check("dependencies", &["deny", "--workspace", "check", "bans", "licenses", "sources"])?;
        advisories()?;
    } else {
        println!("== dependencies\nskipped: cargo-deny is not installed (cargo install cargo-deny --locked)");
    }
    if works(cargo().args(["fuzz", "--version"])) {
        check("fuzz targets", &["check", "--manifest-path", "fuzz/Cargo.toml", "--all-targets", "--quiet"])?;
    } else {
        println!("== fuzz targets\nskipped: cargo-fuzz is not installed (cargo install cargo-fuzz --locked)");
    }
    println!("== instructions");
    crate::bench::count(false)?;
    crate::play::check()?;
    crate::python::check()?;
    println!("all checks passed");
    Ok(())
}

fn check(name: &str, arguments: &[&str]) -> Result<()> {
    println!("== {name}");
    let status = cargo().args(arguments).env("RUSTDOCFLAGS", "--deny warnings").status().context("cannot run cargo")?;
    if !status.success() {
        bail!("{name} failed: cargo {}", arguments.join(" "));
    }
    Ok(())
}

/// Looks for known vulnerabilities, where their list can be had.
fn advisories() -> Result<()> {
    let output = cargo().args(["deny", "--workspace", "check", "advisories"]).output().context("cannot run cargo")?;
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
