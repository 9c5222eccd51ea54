//! The site: the pages of `docs`, those that are made from the code, and the notes of the experiments, as a book.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use onlinear::ALGORITHMS;

use super::links;
use crate::command::works;
use crate::{generate, target};

/// How mdBook is had.
pub const INSTALL: &str = "cargo install mdbook --locked --no-default-features --features search";
/// Where the notes of the experiments are.
const EXPERIMENTS: &str = "crates/reproduce/experiments";
const PYTHON_API: &str = include_str!("python_api.py");

/// Builds the site.
pub fn build() -> Result<()> {
    ensure!(can_build(), "mdBook is not installed: {INSTALL}");
    let site = gather(crate::play::build()?.as_deref())?;
    make(&site)?;
    println!("the site is in {}", site.join("book").display());
    Ok(())
}

fn mdbook() -> Command {
    Command::new(std::env::var_os("ONLINEAR_MDBOOK").unwrap_or("mdbook".into()))
}

/// Whether mdBook is there.
pub fn can_build() -> bool {
    works(mdbook().arg("--version"))
}

/// Makes pages for browsers of the gathered ones.
pub fn make(site: &Path) -> Result<()> {
    let output = mdbook().arg("build").arg(site).output().context("cannot run mdbook")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && !said.contains("WARN"), "mdbook build: {said}");
    Ok(())
}

/// Gathers all pages of the site in a folder, which is given back, and looks at their links; the one to `play` with is
/// among them where it was built.
pub fn gather(play: Option<&Path>) -> Result<PathBuf> {
    let site = target()?.join("site");
    let pages = site.join("src");
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    copy(Path::new("docs"), &pages)?;
    copy(Path::new(EXPERIMENTS), &pages.join("experiments"))?;
    fs::copy("README.md", pages.join("index.md"))?;
    // mdBook makes an index.html of a README.md, and leaves links to it as they are.
    fs::rename(pages.join("experiments/README.md"), pages.join("experiments/index.md"))?;
    for settings in ["book.toml", "site.css"] {
        fs::rename(pages.join(settings), site.join(settings))?;
    }
    for file in links::files(&pages)? {
        let page = file.strip_prefix(&pages)?;
        ensure!(!page.ends_with("README.md"), "{}: links to it lead nowhere on the site", page.display());
        fs::write(&file, on_the_site(&fs::read_to_string(&file)?, page))?;
    }
    if let Some(play) = play {
        fs::create_dir(pages.join("play"))?;
        fs::copy(play, pages.join("play/index.html"))?;
        let page = pages.join("play.md");
        fs::write(&page, with_link_below_heading(&fs::read_to_string(&page)?, "**[Open it](play/index.html)**"))?;
    }
    fs::create_dir(pages.join("learners"))?;
    for algorithm in ALGORITHMS {
        fs::write(pages.join(page_of(algorithm.name)), format!("# {}", generate::learner(algorithm)))?;
    }
    fs::write(pages.join("algorithms.md"), generate::learners(|algorithm| page_of(algorithm.name)))?;
    fs::write(pages.join("python-api.md"), python_api()?)?;
    let decisions = decisions()?;
    let list: String = decisions.iter().map(|(title, page)| format!("- [{title}]({page})\n")).collect();
    fs::write(pages.join("adr/index.md"), format!("# Decisions and their reasons\n\n{list}"))?;
    let summary = pages.join("SUMMARY.md");
    let learners = ALGORITHMS.iter().map(|algorithm| (algorithm.name.to_string(), page_of(algorithm.name)));
    let text = with_pages(&fs::read_to_string(&summary)?, "algorithms.md", learners);
    let decisions = decisions.into_iter().map(|(title, page)| (title, format!("adr/{page}")));
    fs::write(&summary, with_others(&with_pages(&text, "adr/index.md", decisions), &pages)?)?;
    links::check(&pages, Path::new("."), &links::files(&pages)?)?;
    Ok(site)
}

/// A page with a line of its own between its heading and the rest.
fn with_link_below_heading(text: &str, line: &str) -> String {
    let (heading, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{heading}\n\n{line}\n{rest}")
}

/// The titles and files of all decisions, in their order.
fn decisions() -> Result<Vec<(String, String)>> {
    let decision = |file: &PathBuf| {
        let name = file.file_name().context("a file with a name")?.to_string_lossy();
        Ok((title(file)?, name.into_owned()))
    };
    links::files(Path::new("docs/adr"))?.iter().map(decision).collect()
}

/// The page of a learner; `+` means something else in an address.
fn page_of(learner: &str) -> String {
    format!("learners/{}.md", learner.replace("++", "-plus-plus"))
}

/// The page of the learner that a link to the page of all leads to.
fn learner_at(link: &str) -> Option<String> {
    let anchor = link.strip_prefix("algorithms.md#")?;
    let (_, learner) = generate::anchors().into_iter().find(|(known, _)| known == anchor)?;
    Some(page_of(learner.name))
}

/// The page of the Python package; without a Python to read its sources, where it would be.
fn python_api() -> Result<String> {
    let script = target()?.join("python_api.py");
    fs::write(&script, PYTHON_API)?;
    let python = std::env::var("ONLINEAR_PYTHON").unwrap_or("python3".to_string());
    match Command::new(python).arg(&script).arg("python/onlinear").env("PYTHONIOENCODING", "utf-8").output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8(output.stdout)?),
        Ok(output) => anyhow::bail!("the page of the Python package: {}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => {
            Ok("# The Python package, name by name\n\nThis site was made without Python: `help(onlinear)`.\n".into())
        }
    }
}

/// A page with its links as they are on the site, where it is `page`: what the site does not have is in the repository.
fn on_the_site(text: &str, page: &Path) -> String {
    let home = match page.strip_prefix("experiments") {
        _ if page == Path::new("index.md") => PathBuf::new(),
        Ok(inside) => Path::new(EXPERIMENTS).join(inside.parent().unwrap_or(inside)),
        Err(_) => Path::new("docs").join(page.parent().unwrap_or(page)),
    };
    let up = "../".repeat(page.components().count() - 1);
    let mut text = text.to_string();
    for link in links::links(&text).iter().filter(|link| !link.contains("://") && !link.starts_with('#')) {
        let there = links::plain(&home.join(link));
        let target = if let Ok(inside) = there.strip_prefix("docs") {
            let list = inside == Path::new("adr");
            let page = learner_at(&inside.to_string_lossy()).unwrap_or(inside.display().to_string());
            format!("{up}{page}{}", if list { "/index.md" } else { "" })
        } else if let Ok(inside) = there.strip_prefix(EXPERIMENTS) {
            let page = if inside == Path::new("") { Path::new("README.md") } else { inside };
            format!("{up}experiments/{}", page.display().to_string().replace("README.md", "index.md"))
        } else {
            format!("{}{}", links::REPOSITORY, there.display())
        };
        text = text.replace(&format!("]({link})"), &format!("]({target})"));
    }
    text
}

/// The contents with these pages below `above`.
fn with_pages(summary: &str, above: &str, pages: impl Iterator<Item = (String, String)>) -> String {
    let list: String = pages.map(|(title, page)| format!("  - [{title}]({page})\n")).collect();
    let line = format!("]({above})\n");
    summary.replace(&line, &format!("{line}{list}"))
}

/// The contents with the pages that they do not list at their end: nothing is on the site that nobody finds.
fn with_others(summary: &str, pages: &Path) -> Result<String> {
    let listed = links::links(summary);
    let mut others = String::new();
    for file in links::files(pages)? {
        let page = file.strip_prefix(pages)?.to_string_lossy().replace('\\', "/");
        if page != "SUMMARY.md" && !listed.contains(&page) {
            others += &format!("- [{}]({page})\n", title(&file)?);
        }
    }
    Ok(if others.is_empty() { summary.to_string() } else { format!("{summary}\n# More\n\n{others}") })
}

/// The first heading of a page.
fn title(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file)?;
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    Ok(title.with_context(|| format!("{} has no heading", file.display()))?.to_string())
}

/// Copies a folder and those in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().context("a name")?;
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => fs::copy(&path, to.join(name)).map(drop)?,
        }
    }
    Ok(())
}
