//! `cargo xtask check | generate | bench | reproduce`: the one door to everything a developer runs.

mod bench;
mod check;
mod generate;
mod pictures;
mod reproduction;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask check              formatting, lints, all tests, docs, generated files
cargo xtask generate           write the generated files anew (the page of learners, the README's pictures)
cargo xtask generate --check   fail if one of them is out of date
cargo xtask bench [NAME…]      speed and memory against their targets, as a table; data in target/bench
cargo xtask bench --list       what is measured
cargo xtask reproduce          run the papers' experiments anew (data in ONLINEAR_DATA) and write docs/reproduction.md";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    std::env::set_current_dir(root())?;
    match arguments[..] {
        ["check"] => check::run(),
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["reproduce", ref rest @ ..] => reproduction::run(rest),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown task '{}'\n\n{HELP}", arguments.join(" ")),
    }
}

/// The folder of the workspace.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
