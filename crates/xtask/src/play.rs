//! The page to play with: built into one file, and compared with the program.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::command::{cargo, succeed, works};
use crate::target;

const MACHINE: &str = "wasm32-unknown-unknown";
/// The page, with all that it needs in it.
const MOST_BYTES: usize = 500_000;

/// Builds the page into `target/play/index.html`; `None` where the compiler has no library for the machine it runs on.
pub fn build() -> Result<Option<PathBuf>> {
    let is_there = has_machine()? || works(Command::new("rustup").args(["target", "add", MACHINE])) && has_machine()?;
    if !is_there {
        println!("skipped: the compiler lacks {MACHINE}, and rustup could not add it");
        return Ok(None);
    }
    succeed(cargo().args(["build", "--quiet", "--profile", "play", "-p", "onlinear-play", "--target", MACHINE]))?;
    let library = fs::read(target()?.join(MACHINE).join("play/onlinear_play.wasm")).context("what was just built")?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&library)?;
    let packed = packed.finish()?;
    let part = |name: &str| fs::read_to_string(Path::new("crates/play/page").join(name)).context(name.to_string());
    let script = format!("const LIBRARY = \"{}\";\n{}", base64(&packed), part("play.js")?);
    let page = part("index.html")?.replace("/*STYLE*/", &part("style.css")?).replace("/*SCRIPT*/", &script);
    let folder = target()?.join("play");
    fs::create_dir_all(&folder)?;
    let path = folder.join("index.html");
    fs::write(&path, &page)?;
    let sizes = format!("{} kB, of which the library takes {} kB", page.len() / 1000, packed.len() * 4 / 3000);
    ensure!(page.len() < MOST_BYTES, "the page is too large: {sizes}");
    println!("{}: {sizes}", path.display());
    Ok(Some(path))
}

/// Builds the page and compares what learners do in it with what they do in the program: in Node, then in a browser,
/// each where there is one.
pub fn check() -> Result<()> {
    println!("== page to play with");
    let Some(page) = build()? else { return Ok(()) };
    if !works(Command::new("node").arg("--version")) {
        println!("skipped: node is not installed, so that the page was not compared with the program");
        return Ok(());
    }
    succeed(cargo().args(["build", "--quiet", "-p", "onlinear-cli"]))?;
    let results = page.with_file_name("results.json");
    let program = target()?.join("debug/onlinear");
    succeed(Command::new("node").arg("crates/play/tests/equal.mjs").args([&page, &program, &results]))?;
    in_browser(&page, &results)
}

/// Makes the same runs in a browser, and clicks through the page.
fn in_browser(page: &Path, results: &Path) -> Result<()> {
    let named = std::env::var("ONLINEAR_CHROMIUM").ok();
    let mut names = named.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(String::from));
    let Some(browser) = names.find(|name| works(Command::new(name).arg("--version"))) else {
        println!("skipped: no Chromium was found (ONLINEAR_CHROMIUM can name one)");
        return Ok(());
    };
    let (expected, script) = (fs::read_to_string(results)?, fs::read_to_string("crates/play/tests/browser.js")?);
    let script = format!("<script>\nconst EXPECTED = {expected};\n{script}</script>\n</body>");
    let tested = page.with_file_name("tested.html");
    fs::write(&tested, fs::read_to_string(page)?.replacen("</body>", &script, 1))?;
    let profile = tempfile::tempdir()?;
    for (width, dark) in [(1200, false), (500, true)] {
        let mut command = Command::new(&browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.args(["--virtual-time-budget=60000", "--dump-dom", &format!("--window-size={width},1200")]);
        command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)));
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let output = command.arg(format!("file://{}", tested.display())).output().context("cannot run the browser")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let verdict = text.split("<pre id=\"verdict\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let verdict = verdict.context("the page says nothing in a browser")?;
        ensure!(verdict.starts_with("as expected"), "in a browser {width} wide: {verdict}");
        println!("in a browser {width} wide: {verdict}");
    }
    Ok(())
}

fn has_machine() -> Result<bool> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", MACHINE]).output();
    let folder = String::from_utf8(output.context("cannot run rustc")?.stdout)?;
    Ok(Path::new(folder.trim()).is_dir())
}

/// Bytes as text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0u32, |bits, (i, byte)| bits | u32::from(*byte) << (16 - 8 * i));
        for letter in 0..4 {
            let place = (bits >> (18 - 6 * letter)) as usize & 63;
            text.push(if letter <= three.len() { char::from(LETTERS[place]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_as_the_standard_says() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
