//! What registries get: each package made, built from nothing but what it holds, and looked at.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value as Json;

use crate::command::{cargo, succeed, works};
use crate::target;

/// A package that can be published.
struct Package {
    name: String,
    version: String,
    manifest: Json,
}

/// Makes all packages and builds each, with its siblings as they are packaged; then looks at what is in them.
pub fn check() -> Result<()> {
    println!("== packages");
    let packages = published()?;
    for package in &packages {
        package.require_metadata()?;
    }
    let named = packages.iter().flat_map(|package| ["--package", package.name.as_str()]);
    succeed(cargo().args(["package", "--allow-dirty", "--quiet"]).args(named))?;
    for Package { name, version, .. } in &packages {
        let folder = target()?.join("package").join(format!("{name}-{version}"));
        require_files(&folder).with_context(|| format!("the package {name}"))?;
    }
    compatible()
}

/// Everything of the workspace that may be published.
fn published() -> Result<Vec<Package>> {
    let output =
        cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output().context("cannot run cargo")?;
    let metadata: Json = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let text = |json: &Json| json.as_str().unwrap_or_default().to_string();
    let package =
        |json: &Json| Package { name: text(&json["name"]), version: text(&json["version"]), manifest: json.clone() };
    Ok(packages.iter().filter(|json| json["publish"].is_null()).map(package).collect())
}

impl Package {
    /// Fails where a registry would have nothing to show.
    fn require_metadata(&self) -> Result<()> {
        for field in ["description", "license", "repository", "homepage", "documentation", "readme", "rust_version"] {
            ensure!(self.manifest[field].is_string(), "{}: its manifest has no {field}", self.name);
        }
        for field in ["keywords", "categories"] {
            let named = self.manifest[field].as_array().is_some_and(|list| !list.is_empty() && list.len() <= 5);
            ensure!(named, "{}: expected one to five {field} in its manifest", self.name);
        }
        Ok(())
    }
}

/// Fails where an unpacked package lacks its licences, or its page has links that lead nowhere on a registry.
fn require_files(folder: &Path) -> Result<()> {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let packed = fs::read(folder.join(licence)).with_context(|| format!("has no {licence}"))?;
        ensure!(packed == fs::read(licence)?, "{licence} is not that of the repository");
    }
    let page = fs::read_to_string(folder.join("README.md")).context("has no README.md")?;
    let relative = crate::docs::links(&page).into_iter().find(|link| !link.contains("://") && !link.starts_with('#'));
    ensure!(relative.is_none(), "README.md: '{}' leads nowhere on a registry's page", relative.unwrap_or_default());
    Ok(())
}

/// Looks for changes that break users of the last release, where there is one and the tool for it.
fn compatible() -> Result<()> {
    if !works(cargo().args(["semver-checks", "--version"])) {
        println!("semver skipped: cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)");
        return Ok(());
    }
    match last_release()? {
        Some(tag) => succeed(cargo().args(["semver-checks", "--package", "onlinear", "--baseline-rev", &tag])),
        None => {
            println!("semver skipped: nothing was released yet (no tag v*)");
            Ok(())
        }
    }
}

/// The newest tag of a release that leads here.
fn last_release() -> Result<Option<String>> {
    let output = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v*"])
        .output()
        .context("cannot run git")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string()))
}

/// Builds the program with its manual pages and completions, and a package for Debian of them where cargo-deb is.
pub fn deb() -> Result<()> {
    succeed(cargo().args(["build", "--release", "--package", "onlinear-cli", "--features", "parquet"]))?;
    let extras = target()?.join("extras");
    fs::create_dir_all(&extras)?;
    let program = target()?.join("release/onlinear");
    succeed(Command::new(&program).arg("man").arg(extras.join("man")))?;
    for (shell, file) in [("bash", "onlinear.bash"), ("zsh", "_onlinear"), ("fish", "onlinear.fish")] {
        let script = Command::new(&program).args(["completions", shell]).output()?;
        ensure!(script.status.success(), "onlinear completions {shell} failed");
        fs::write(extras.join(file), script.stdout)?;
    }
    println!("manual pages and completions are in {}", extras.display());
    ensure!(works(cargo().args(["deb", "--version"])), "cargo-deb is not installed (cargo install cargo-deb --locked)");
    succeed(cargo().args(["deb", "--no-build", "--package", "onlinear-cli"]))
}
