//! The one door to everything a developer runs: `cargo xtask help` lists what there is.

mod bench;
mod check;
mod command;
mod docs;
mod generate;
mod mutants;
mod packages;
mod parts;
mod pictures;
mod play;
mod python;
mod reproduction;
mod rooms;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
cargo xtask check              formatting, lints, all tests, docs, generated files, the Python package
cargo xtask check --long       the same, with all there is of tests of which it has a small share; takes hours
cargo xtask check --python     the Python package alone
cargo xtask generate [PATH…]   write the generated files anew (the page of learners, Python's classes, pictures)
cargo xtask generate --check   fail if one of them is out of date
cargo xtask bench [NAME…]      speed and memory against their targets, as a table; data in target/bench
cargo xtask bench --page       the same, written to docs/performance.md (with NAME…: these rows anew)
cargo xtask bench --counts     instructions of some runs, and which have grown by 5 %; --keep keeps them
cargo xtask bench --list       what is measured
cargo xtask mutants            which changes of a sample no test notices: --sample 300 --seed 1; needs cargo-mutants
cargo xtask play               build the page to play with into target/play/index.html (--check: and try it)
cargo xtask reproduce          run the papers' experiments anew (data in ONLINEAR_DATA) and write docs/reproduction.md
cargo xtask parts [FILE]       test error against parts and rounds (FILE: of an earlier run), as docs/distributed-*.svg
cargo xtask docs               the documentation site, in target/site/book; needs mdBook
cargo xtask package            what registries get: made, built from what it holds, looked at
cargo xtask deb                manual pages, completions and a package for Debian; needs cargo-deb
cargo xtask wheel              wheels of the Python package for Linux, in target/wheels; --target aarch64: for others";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    std::env::set_current_dir(root())?;
    match arguments[..] {
        ["check"] => check::run(),
        ["check", "--long"] => check::run_long(),
        ["check", "--python"] => python::check(),
        ["generate", "--check"] => generate::check(),
        ["generate", ref paths @ ..] => generate::write(paths),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["mutants", ref rest @ ..] => mutants::run(rest),
        ["reproduce", ref rest @ ..] => reproduction::run(rest),
        ["parts"] => parts::run(None),
        ["parts", file] => parts::run(Some(file)),
        ["play"] => play::build().map(|_| ()),
        ["play", "--check"] => play::check(),
        ["docs"] => docs::build(),
        ["package"] => packages::check(),
        ["deb"] => packages::deb(),
        ["wheel"] => python::wheel("x86_64"),
        ["wheel", "--target", target] => python::wheel(target),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown task '{}'\n\n{HELP}", arguments.join(" ")),
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder that cargo builds in: this program is in it, one folder down.
fn target() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program is")?;
    Ok(own.ancestors().nth(2).context("this program is not in a target folder")?.to_path_buf())
}
