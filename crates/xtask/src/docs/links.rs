//! Markdown as a reader meets it: links that lead somewhere, tables whose cells are all there.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Where the repository and its site stand, as the workspace's manifest has it: the one place to change it.
pub const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");
pub const SITE: &str = env!("CARGO_PKG_HOMEPAGE");

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, std::ops::Range<usize>)> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES).into_offset_iter()
}

/// Where the links and pictures of a page lead.
pub fn links(text: &str) -> Vec<String> {
    let target = |(event, _)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    };
    events(text).filter_map(target).collect()
}

/// Where pictures of the repository are for pages that stand elsewhere.
fn pictures() -> String {
    env!("CARGO_PKG_REPOSITORY").replace("https://github.com/", "https://raw.githubusercontent.com/") + "/main/"
}

/// Fails where a file names a repository or a site of the project that the workspace's manifest does not: whoever moves
/// the project learns here of every other place that says where it stands.
pub fn addresses(root: &Path) -> Result<()> {
    let others = [
        "CITATION.cff",
        "pyproject.toml",
        "docs/book.toml",
        "crates/cli/Cargo.toml",
        ".github/ISSUE_TEMPLATE/config.yml",
    ];
    let others = others.iter().map(|name| root.join(name)).filter(|path| path.exists());
    for file in files(root)?.into_iter().chain(others) {
        let text = fs::read_to_string(&file)?;
        if let Some(address) = foreign_address(&text, env!("CARGO_PKG_REPOSITORY"), SITE) {
            bail!("{}: '{address}' is not where Cargo.toml says that the project stands", file.display());
        }
    }
    Ok(())
}

/// The first address in a text that ends like ours, at one of the hosts of ours, and is none of ours.
fn foreign_address<'a>(text: &'a str, repository: &str, site: &str) -> Option<&'a str> {
    let (owned, pictures) = (format!("{repository}/"), pictures());
    let is_ours = |address: &str| {
        address == repository || [owned.as_str(), site, pictures.as_str()].iter().any(|ours| address.starts_with(ours))
    };
    let is_claimed = |address: &&str| {
        let path = address.split("://").nth(1).unwrap_or_default();
        let mut parts = path.trim_end_matches('.').split('/');
        let (host, first, second) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        match host {
            "github.com" | "raw.githubusercontent.com" => second == Some("onlinear"),
            _ => host.ends_with(".github.io") && first == Some("onlinear"),
        }
    };
    let end = |c: char| c.is_whitespace() || "\"'()[]<>`".contains(c);
    text.split(end).filter(|word| word.starts_with("https://")).find(|word| is_claimed(word) && !is_ours(word))
}

/// The anchors of a page's headings, as GitHub and mdBook make them: the second of a name has `-1` behind it.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut counts) = (BTreeSet::new(), HashMap::<String, u32>::new());
    let mut heading: Option<String> = None;
    for (event, _) in events(text) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(heading)) => *heading += &text,
            (Event::End(TagEnd::Heading(_)), Some(text)) => {
                anchors.insert(anchor(text, &mut counts));
                heading = None;
            }
            _ => {}
        }
    }
    anchors
}

/// The anchor of the next heading, where `counts` tells how many had the same.
pub fn anchor(heading: &str, counts: &mut HashMap<String, u32>) -> String {
    let kept = |c: char| match c {
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    let anchor: String = heading.chars().filter_map(kept).collect();
    let count = counts.entry(anchor.clone()).or_default();
    *count += 1;
    if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
}

/// The first line of a table whose number of cells is not that of its heading: a `|` within a cell is to be `\|`.
pub fn uneven_row(text: &str) -> Option<&str> {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut columns = 0;
    for (event, range) in events(text) {
        match event {
            Event::Start(Tag::TableHead) => columns = cells(&text[range]),
            Event::Start(Tag::TableRow) if cells(&text[range.clone()]) != columns => return Some(&text[range]),
            _ => {}
        }
    }
    None
}

/// All Markdown files below `root`.
pub fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            match path.is_dir() {
                true if name != "target" && !name.starts_with('.') && !path.is_symlink() => folders.push(path),
                // The contents are those of the site, where pages from elsewhere stand beside those of the folder.
                false if name.ends_with(".md") && name != "SUMMARY.md" => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Fails at the first link of these pages below `root` that leads nowhere, and at the first table that loses a cell.
pub fn check(root: &Path, repository: &Path, files: &[PathBuf]) -> Result<()> {
    for file in files {
        let text = fs::read_to_string(file)?;
        let place = file.strip_prefix(root).unwrap_or(file).display().to_string();
        if let Some(row) = uneven_row(&text) {
            bail!("{place}: a row has not as many cells as its heading (write | in a cell as \\|): {row}");
        }
        for link in links(&text) {
            lead(root, repository, file, &text, &link)
                .with_context(|| format!("{place}: the link '{link}' leads nowhere"))?;
        }
    }
    Ok(())
}

/// Fails where a link of a page leads nowhere; those to other places of the world are taken as they are.
fn lead(root: &Path, repository: &Path, file: &Path, text: &str, link: &str) -> Result<()> {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let pictures = pictures();
    let in_repository = path.strip_prefix(REPOSITORY).or_else(|| path.strip_prefix(&pictures));
    let target = match path {
        _ if in_repository.is_some_and(|path| repository.join(path).exists()) => return Ok(()),
        _ if in_repository.is_some() => bail!("the repository has no such file"),
        "" => {
            let known = anchor.is_none_or(|anchor| anchors(text).contains(anchor));
            ensure!(known, "no heading has this anchor");
            return Ok(());
        }
        _ if path.starts_with(SITE) => return page_of_site(repository, &path[SITE.len()..]),
        _ if path.contains("://") || path.starts_with("mailto:") => return Ok(()),
        _ => plain(&file.parent().context("a page is in a folder")?.join(path)),
    };
    ensure!(target.starts_with(root), "it leads out of the repository");
    ensure!(target.exists(), "there is no {}", target.display());
    if let Some(anchor) = anchor.filter(|_| target.extension().is_some_and(|ending| ending == "md")) {
        ensure!(anchors(&fs::read_to_string(&target)?).contains(anchor), "no heading there has this anchor");
    }
    Ok(())
}

/// Fails where the site has no such page: those of `docs`, of the learners and of the experiments.
fn page_of_site(root: &Path, path: &str) -> Result<()> {
    let Some(page) = path.strip_suffix(".html") else {
        ensure!(path.is_empty(), "the site has pages only");
        return Ok(());
    };
    let made = page == "python-api" || page == "index" || page.starts_with("learners/");
    let is_there = |folder: &str| root.join(folder).join(format!("{page}.md")).exists();
    ensure!(made || is_there("docs") || is_there("crates/reproduce"), "the site has no such page");
    Ok(())
}

/// A path without `..` in it.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir
                if plain.components().next_back().is_some_and(|c| matches!(c, Component::Normal(_))) =>
            {
                plain.pop();
            }
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_the_rendered_page() {
        let page = "# projectron\n\n## projectron++\n\n### With `code`, and more\n\n    # no heading\n";
        let anchors: Vec<String> = anchors(page).into_iter().collect();
        assert_eq!(anchors, ["projectron", "projectron-1", "with-code-and-more"]);
    }

    #[test]
    fn a_bar_within_a_cell_is_noticed() {
        let table = |cell: &str| format!("| cost | more |\n| --- | --- |\n| {cell} | x |\n");
        assert_eq!(uneven_row(&table(r"O(\|S\|)")), None);
        assert!(uneven_row(&table("O(|S|)")).is_some_and(|row| row.contains("O(|S|)")));
    }

    #[test]
    fn dead_links_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("b.md"), "# There\n").unwrap();
        let page = root.join("a.md");
        for (link, leads) in [
            ("b.md", true),
            ("b.md#there", true),
            ("b.md#here", false),
            ("c.md", false),
            ("#own", true),
            ("#other", false),
            ("../b.md", false),
            ("https://example.org/x", true),
            (&format!("{REPOSITORY}b.md"), true),
            (&format!("{REPOSITORY}c.md"), false),
            (&format!("{SITE}nowhere.html"), false),
        ] {
            fs::write(&page, format!("# Own\n\n[x]({link})\n")).unwrap();
            assert_eq!(check(root, root, std::slice::from_ref(&page)).is_ok(), leads, "{link}");
        }
    }

    #[test]
    fn a_project_that_moved_is_told_of_its_old_addresses() {
        let (repository, site) = (env!("CARGO_PKG_REPOSITORY"), SITE);
        let ours = format!(
            "[a]({repository}/blob/main/a.md) <{site}start.html> \"{repository}\" https://example.org/onlinear"
        );
        assert_eq!(foreign_address(&ours, repository, site), None);
        for moved in ["https://github.com/others/onlinear/issues", "https://others.github.io/onlinear/start.html"] {
            let page = format!("see [this]({moved}) or {repository}");
            assert_eq!(foreign_address(&page, repository, site), Some(moved));
        }
    }

    #[test]
    fn every_page_of_the_repository_renders_whole() {
        let root = crate::root().canonicalize().unwrap();
        let files = files(&root).unwrap();
        assert!(files.len() > 30, "only {} pages were found", files.len());
        check(&root, &root, &files).unwrap();
    }
}
